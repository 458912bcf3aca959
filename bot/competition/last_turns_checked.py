"""The last turns of an export are checked: no game goes beyond the turn that it was told is its last; and where that
turn was hidden, it is the one that follows from the secret, which is published at the end.

A table may be told another turn, as the round ends early or its game was further already: then there is an act that
says so, and a note. A turn that is not the hidden one, and that nobody was told by an act, is a difference.
"""

from __future__ import annotations

from collections.abc import Iterator

from bot.competition.hidden_end import hidden_last_turn
from bot.competition.outcomes import TableOutcome
from bot.competition.published import Published, Round, TableNow
from bot.competition.settings import SettingsRefused, TournamentSettings, read


def differences(document: Published, settings: TournamentSettings) -> Iterator[str]:
    """A sentence for each last turn that cannot be."""
    newest = _newest(document)
    for one, table in _tables(document):
        played = newest.get((one.number, table.table))
        if table.last_turn and played is not None and played.turn > table.last_turn:
            yield f"{_at(one, table)} ended in turn {played.turn}, and turn {table.last_turn} was its last."
    for one, table, hidden in _hidden(document, settings):
        if table.last_turn and table.last_turn != hidden and not _told(document, one, table):
            yield f"{_at(one, table)}: by the secret turn {hidden} is its last, and the file says {table.last_turn}."
        played = newest.get((one.number, table.table))
        if not table.last_turn and played is not None and played.turn > hidden:
            yield f"{_at(one, table)} ended in turn {played.turn}, and by the secret turn {hidden} was its last."


def notes(document: Published) -> Iterator[str]:
    """Tables that were told another last turn than the hidden one, by an act."""
    try:
        settings = read(document.settings)
    except SettingsRefused:
        return
    for one, table, hidden in _hidden(document, settings):
        if table.last_turn and table.last_turn != hidden and _told(document, one, table):
            yield f"{_at(one, table)} was told turn {table.last_turn} as its last; the hidden one was {hidden}."


def _hidden(document: Published, settings: TournamentSettings) -> Iterator[tuple[Round, TableNow, int]]:
    """Each table with the last turn that was hidden from it; nothing before the secret is published."""
    if not document.secret or settings.endings.end != "hidden":
        return
    for one, table in _tables(document):
        yield one, table, hidden_last_turn(document.secret, one.number, table.table, settings.endings.window)


def _tables(document: Published) -> Iterator[tuple[Round, TableNow]]:
    for one in document.rounds:
        for table in one.tables:
            yield one, table


def _told(document: Published, one: Round, table: TableNow) -> bool:
    """Whether an act says that this table was told this turn."""
    words = f"table {one.number}.{table.table}: turn {table.last_turn} is the last"
    return any(act.command == "notice" and act.words == words for act in document.acts)


def _newest(document: Published) -> dict[tuple[int, int], TableOutcome]:
    found: dict[tuple[int, int], TableOutcome] = {}
    for result in sorted(document.results, key=lambda one: one.outcome.version):
        if result.state != "withdrawn":
            found[result.outcome.round, result.outcome.table] = result.outcome
    return found


def _at(one: Round, table: TableNow) -> str:
    return f"Table {one.number}.{table.table}"
