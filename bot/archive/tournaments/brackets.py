"""`brackets.html`: the rounds that not everybody reaches, who won there, and where they went on to."""

from __future__ import annotations

from collections.abc import Sequence

from bot.archive.html import Cell, Laid, Part, Table, document
from bot.archive.rendering import Link
from bot.archive.tournaments.words import Told, faction, outcome_told, round_file, round_name, stage_kinds
from bot.competition.published import Round, TableNow
from bot.wording.sentences import say


def brackets(told: Told, stages: Sequence[Round]) -> bytes:
    """The page, from the rounds that were drawn by standings, in order."""
    blocks: list[Laid] = []
    for place, one in enumerate(stages):
        after = stages[place + 1] if place + 1 < len(stages) else None
        tables: list[Laid] = [_table(told, one, table, after) for table in one.tables]
        blocks.append(Part(round_name(one), tables, f"round-{one.number}"))
    return document(
        told.page(
            say("tournaments.brackets", kinds=stage_kinds(told.document)), below=say("tournaments.brackets-below")
        ),
        blocks,
    )


def _table(told: Told, one: Round, table: TableNow, after: Round | None) -> Laid:
    result = told.newest().get((one.number, table.table))
    ranked = one.draw.ranked if one.draw is not None else ()
    further = set(after.draw.roster) if after is not None and after.draw is not None else set()
    seats: Sequence[tuple[str, str]] = table.seats
    winners: Sequence[str] = ()
    if result is not None:
        seats = [(seat.faction, seat.tenures[-1].entrant) for seat in result.outcome.seats]
        winners = result.outcome.winners
    rows: list[Sequence[Cell]] = [
        (
            told.person(handle),
            faction(of),
            say("tournaments.won") if of in winners else say("lists.none"),
            str(ranked.index(handle) + 1) if handle in ranked else say("lists.none"),
            Link(round_name(after), round_file(after.number)) if after and handle in further else say("lists.none"),
        )
        for of, handle in seats
    ]
    state = outcome_told(result.outcome) if result else say(f"tournaments.table-state.{table.state}")
    caption = say("tournaments.bracket-caption", table=table.table, told=state)
    heads = ("entrant", "faction", "won", "seed", "further")
    cut = rows if after is not None else [row[:-1] for row in rows]
    head = [say(f"tournaments.head.{name}") for name in (heads if after is not None else heads[:-1])]
    return Table(caption, head, cut, frozenset({3}), seen=True)
