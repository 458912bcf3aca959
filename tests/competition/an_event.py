"""A random tournament as published, with substitutes, no-shows, void tables and amended results."""

from __future__ import annotations

import random
from typing import Any

import msgspec

from bot.competition.outcomes import Handle, TableOutcome, Tenure
from bot.competition.published import (
    DrawRecord,
    Entrant,
    EntrantState,
    Published,
    Result,
    Round,
    RoundKind,
    Seated,
    TableDrawn,
    TableNow,
    round_seed,
)
from bot.competition.settings import settings_digest
from tests.competition.a_table import SIX, a_table

SECRET = "spice-must-flow"


def an_entrant(handle: Handle, state: EntrantState = "playing") -> Entrant:
    return Entrant(handle=handle, state=state)


def a_result(outcome: TableOutcome, state: Any = "confirmed") -> Result:
    return Result(outcome=outcome, state=state)


def a_round(
    number: int, tables: list[list[Handle]], *, kind: RoundKind = "heat", sat_out: tuple[Handle, ...] = ()
) -> Round:
    """Return a round as it was drawn."""
    roster = tuple(sorted([handle for table in tables for handle in table] + list(sat_out)))
    drawn = tuple(
        TableDrawn(
            round=number, table=table, seats=tuple(Seated(entrant=who, dot=dot) for dot, who in enumerate(seats, 1))
        )
        for table, seats in enumerate(tables, 1)
    )
    draw = DrawRecord(
        rounds=(number,), kind=kind, roster=roster, ranked=roster, roster_digest="", tables=drawn, sat_out=sat_out,
        seed=round_seed(SECRET, number, "", ""),
    )  # fmt: skip
    now = tuple(TableNow(table=table.table, state="finished") for table in drawn)
    return Round(number=number, kind=kind, state="closed", draw=draw, tables=now)


def an_event(seed: int, settings: str) -> Published:
    """Return an event with some twenty entrants, up to four heats, and everything that can happen in them."""
    chance = random.Random(seed)
    entrants = [f"E{number:03d}" for number in range(1, chance.randrange(12, 26))]
    standby = [f"E{number:03d}" for number in range(101, 105)]
    rounds, results = [], []
    for number in range(1, chance.randrange(2, 5)):
        order = chance.sample(entrants, len(entrants))
        seated = [order[first : first + 6] for first in range(0, len(order) - 5, 6)]
        rounds.append(a_round(number, seated, sat_out=tuple(order[6 * len(seated) :])))
        for table, players in enumerate(seated, 1):
            outcome = _played(chance, number, table, players, [*entrants, *standby])
            results.append(a_result(outcome, chance.choice(("provisional", "confirmed"))))
            if chance.random() < 0.1:
                again = _played(chance, number, table, players, standby)
                results.append(a_result(msgspec.structs.replace(again, version=2), "confirmed"))
    chance.shuffle(results)
    states = [an_entrant(handle, "disqualified" if chance.random() < 0.05 else "playing") for handle in entrants]
    seen = {it.entrant for result in results for seat in result.outcome.seats for it in seat.tenures}
    newest: dict[tuple[int, int], TableOutcome] = {}
    for result in results:
        place = (result.outcome.round, result.outcome.table)
        if place not in newest or newest[place].version < result.outcome.version:
            newest[place] = result.outcome
    seen = {it.entrant for outcome in newest.values() for seat in outcome.seats for it in seat.tenures}
    states += [an_entrant(handle, "standby") for handle in standby if handle in seen]
    return Published(
        tournament="arrakeen",
        settings=settings,
        settings_sha256=settings_digest(settings),
        state="running",
        commitment="c",
        entrants=tuple(states),
        rounds=tuple(rounds),
        results=tuple(results),
    )


def _played(
    chance: random.Random, number: int, table: int, players: list[Handle], others: list[Handle]
) -> TableOutcome:
    turn = chance.randrange(1, 11)
    kind = chance.choice(("stronghold", "stronghold", "prediction", "default", "adjudicated", "agreed", "void"))
    winners = () if kind == "void" else tuple(chance.sample(SIX, chance.choice((1, 2, 2, 3))))
    free = chance.sample([handle for handle in others if handle not in players], 4)
    tenures = {}
    for faction, player in zip(SIX, players, strict=True):
        if chance.random() < 0.15:
            tenures[faction] = _changed(chance, player, turn, free)
    strongholds = {faction: (chance.randrange(4), chance.randrange(20)) for faction in SIX}
    outcome = a_table(
        winners, players, turn=turn, kind=kind, tenures=tenures, strongholds=strongholds, round=number, table=table
    )
    seats = tuple(msgspec.structs.replace(seat, price=chance.choice((0, 0, 0, 5, 13))) for seat in outcome.seats)
    return msgspec.structs.replace(outcome, seats=seats)


def _changed(chance: random.Random, player: Handle, turn: int, free: list[Handle]) -> tuple[Tenure, ...]:
    """Return the tenures of a seat that its player left, or in which they never appeared."""
    follows = free.pop() if free and chance.random() < 0.7 else ""
    if chance.random() < 0.3 or turn == 1:
        first = Tenure(entrant=player, first=1, last=1, why="no-show", ordered=False)
        since = 1
    else:
        since = chance.randrange(2, turn + 1)
        first = Tenure(entrant=player, first=1, last=since - 1, resigned=chance.random() < 0.5)
    return first, Tenure(entrant=follows, first=since, last=turn, why="substitute" if follows else "caretaker")
