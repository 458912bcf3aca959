"""The standings of a tournament as its results have them now."""

from __future__ import annotations

from collections.abc import Collection, Sequence

import msgspec

from bot.competition import published
from bot.competition.draws import DrawRecord
from bot.competition.outcomes import Handle, TableOutcome
from bot.competition.standings import standings
from bot.competition.standings.order import lot_seed
from bot.store.database import Connection
from bot.store.tournaments import entrants, results, rounds
from bot.store.tournaments.rounds import Round
from bot.store.tournaments.tournaments import Tournament


def draw_of(drawn: Round) -> DrawRecord | None:
    """How a round was drawn; None before."""
    return msgspec.json.decode(drawn.draw, type=DrawRecord) if drawn.draw else None


def now(
    conn: Connection, tournament: Tournament, after: int | None = None, nameless: Collection[tuple[int, int]] = ()
) -> tuple[published.Standing, ...]:  # fmt: skip
    """The standings after a round, or with all results that there are but those of tables that are ``nameless`` yet."""
    known = [
        published.Round(number=each.number, kind=each.kind, state=each.state, draw=draw_of(each))
        for each in rounds.rounds(conn, tournament.id)
    ]
    taking_part = [
        published.Entrant(handle=each.handle, state=each.state, standby=each.standby)
        for each in entrants.of_tournament(conn, tournament.id)
    ]
    found = [
        published.Result(outcome=each.outcome, state=each.state)
        for place, each in results.newest(conn, tournament.id).items()
        if place not in nameless
    ]
    lot = lot_seed(known, tournament.commitment)
    return standings(tournament.settings, taking_part, known, found, lot_seed=lot, after=after)


def winners(outcomes: Sequence[TableOutcome]) -> frozenset[Handle]:
    """Who held a winning seat at the end; a caretaker's wins nobody anything."""
    return frozenset(
        seat.tenures[-1].entrant
        for outcome in outcomes
        for seat in outcome.seats
        if seat.faction in outcome.winners and seat.tenures and seat.tenures[-1].entrant
    )
