"""The games that are over, as results for statistics: each as everybody was told it, players by the names under which
the archive has them. A game that goes on is never among them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date

from msgspec.structs import replace
from sqlalchemy import Connection, func, select

from bot.competition.outcomes import TableOutcome
from bot.record.outcome import outcome_of
from bot.store import archived, duties, games, pseudonyms
from bot.store.duties import Duties
from bot.store.tables import GAME, LETTER, SEAT
from bot.store.tournament_tables import TABLE
from bot.store.tournaments import results
from rules.components import as_faction
from rules.state import events

_NEEDED = tuple(
    f'"{kind}"'.encode() for kind in ("strongholds", "nexus-over", "battle-won", "battle-without-winner", "game-won")
)
"""What stands in an event that says something of the end of a game."""


def finished_games(conn: Connection, since: date | None = None, ruleset: str = "") -> list[TableOutcome]:
    """The games that are over, by the day on which they ended: those from a day on, or of one rule set. A table of a
    tournament has the result that counts there."""
    rows = conn.execute(select(GAME.c.id).where(GAME.c.status == "over").order_by(GAME.c.created_at, GAME.c.id))
    letters = _letters(conn)
    counted = _results(conn)
    outcomes = [_finished(conn, row.id, letters.get(row.id, 0), counted.get(row.id)) for row in rows.all()]
    return sorted(
        (
            one
            for one in outcomes
            if (not ruleset or one.ruleset == ruleset) and (since is None or (one.ended and one.ended >= since))
        ),
        key=lambda one: (one.ended or date.max, one.game),
    )


def _finished(conn: Connection, game_id: str, letters: int, result: TableOutcome | None) -> TableOutcome:
    founded = games.founded(conn, game_id)
    cast = archived.cast(conn, game_id)
    named = pseudonyms.of_game(conn, game_id)
    data = games.event_data(conn, game_id)
    told = outcome_of(events.decode(one) for one in data if any(kind in one for kind in _NEEDED))
    told.turn, _ = games.progress(conn, game_id)
    began, ended = archived.days(conn, game_id)
    outcome = told.table(
        game_id, founded.ruleset, {each.faction: each.dot for each in cast},
        names={each.faction: each.name if each.faction in named else "" for each in cast}, began=began, ended=ended,
        letters=letters, rules=founded.options,
    )  # fmt: skip
    if result is None:
        return outcome
    return replace(outcome, kind=result.kind, winners=result.winners, how=result.how, turn=result.turn)


def _letters(conn: Connection) -> dict[str, int]:
    found = select(LETTER.c.game_id, func.count().label("letters")).group_by(LETTER.c.game_id)
    return {row.game_id: row.letters for row in conn.execute(found)}


def _results(conn: Connection) -> dict[str, TableOutcome]:
    """The results of tournaments that count, by game."""
    found = select(TABLE.c.tournament_id).where(TABLE.c.game_id != "").distinct()
    return {
        result.outcome.game: result.outcome
        for tournament_id in conn.scalars(found).all()
        for result in results.newest(conn, tournament_id).values()
    }


@dataclass(frozen=True, slots=True)
class ListedPlayer:
    """Somebody who agreed to be listed: the seats that they played in games that are over, and their duties there."""

    name: str
    seats: tuple[tuple[str, str], ...]
    duties: Duties


def listed_players(conn: Connection) -> list[ListedPlayer]:
    """The players who agreed to be listed, by name."""
    over = select(SEAT.c.game_id, SEAT.c.faction, SEAT.c.address).join(GAME, GAME.c.id == SEAT.c.game_id)
    over = over.where(GAME.c.status == "over").order_by(GAME.c.created_at, SEAT.c.game_id, SEAT.c.dot)
    seats: dict[str, list[tuple[str, str]]] = {}
    addresses: dict[str, str] = {}
    known: dict[str, Mapping[str, pseudonyms.Pseudonym]] = {}
    for row in conn.execute(over).all():
        if row.game_id not in known:
            known[row.game_id] = pseudonyms.of_game(conn, row.game_id)
        own = known[row.game_id].get(row.faction)
        if own is not None and own.listed:
            seats.setdefault(own.name, []).append((row.game_id, as_faction(row.faction)))
            addresses[own.name] = row.address
    return [
        ListedPlayer(name, tuple(played), duties.of_person(conn, addresses[name]))
        for name, played in sorted(seats.items())
    ]
