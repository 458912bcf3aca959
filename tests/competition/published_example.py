"""A finished tournament of twelve as published, made by the real functions. It has two heats that were drawn together,
a final of six, a substitute, a win by default, and an amended result."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, date, datetime
from functools import cache
from typing import Any

import msgspec

from bot.competition.outcomes import Kind, SeatOutcome, TableOutcome, Tenure
from bot.competition.published import (
    Act,
    DrawRecord,
    Entrant,
    Published,
    Result,
    Round,
    TableDrawn,
    TableNow,
    commitment,
    roster_digest,
    round_seed,
    with_sums,
)
from bot.competition.ratings import recompute_changes
from bot.competition.seating import SeatingWishes, draw_seating
from bot.competition.settings import read_settings, settings_digest
from bot.competition.standings import standings_of_published
from rules.components import Faction

SECRET, BEACON = "spice-must-flow", "beacon text 42"
AGAIN = "Round 3: drawn with an earlier draw's beacon, known beforehand to anybody with the secret."
"""The warning in the export since each draw must have its own beacon."""
SETTINGS = """# The Arrakeen Cup, made up.
title = "The Arrakeen Cup"
format = "heats"
beacon = "the first headline of the morning paper"
beacon_date = "2026-03-02"

[rounds]
heats = 2
semifinal = 0
final = 6
"""
HANDLES = tuple(f"E{number:03d}" for number in range(1, 13))
NAMES = ("Ann", "Bob", "", "Dora", "Eve", "<b>Fay</b>", "Gil", "", "=1+1", "Jo", "Ann", "Lu")
STRONGHOLDS = (3, 1, 0, 1, 0, 0)


@cache
def example() -> Published:
    """Return the tournament at its end."""
    heats = _drawn((1, 2), "heat", HANDLES)
    seated = {(table.round, table.table): table for table in heats.tables}
    played = [
        _played(seated[1, 1], 2, "stronghold", 6),
        _played(seated[1, 2], 1, "default", 10),
        _played(seated[2, 1], 1, "prediction", 5),
        _played(seated[2, 2], 3, "adjudicated", 7, substitute="E013"),
    ]
    results = [_result(outcome, number) for number, outcome in enumerate(played)]
    again = msgspec.structs.replace(played[3], version=2, kind="stronghold", how="strongholds")
    results[3] = msgspec.structs.replace(results[3], state="amended")
    results.append(Result(outcome=again, state="confirmed", by="arbiter", why="The last turn was over.", day=_DAY))
    rounds = [_round(number, "heat", heats, results) for number in (1, 2)]
    before = _published(rounds, results)
    best = tuple(row.entrant for row in before.standings)[:6]
    final = _drawn((3,), "final", tuple(sorted(best)), best, history=heats.tables)
    results.append(_result(_played(final.tables[0], 2, "stronghold", 8), 6))
    return _published([*rounds, _round(3, "final", final, results)], results, "finished")


def under_way() -> Published:
    """Return the same tournament while one table of the second heat is playing and the final is unknown."""
    over = example()
    second = over.rounds[1]
    playing = msgspec.structs.replace(second.tables[1], state="playing", seats=_first_seats(second, 2), last_turn=0)
    rounds = [
        msgspec.structs.replace(over.rounds[0], state="playing"),
        msgspec.structs.replace(second, state="playing", tables=(second.tables[0], playing)),
    ]
    return _published(rounds, [one for one in over.results if (one.outcome.round, one.outcome.table) in _OVER])


_OVER = {(1, 1), (1, 2), (2, 1)}
_DAY = date(2026, 6, 20)


def _drawn(
    rounds: tuple[int, ...], kind: Any, roster: Sequence[str], ranked: Sequence[str] = (),
    history: tuple[TableDrawn, ...] = (),
) -> DrawRecord:  # fmt: skip
    due = roster_digest(roster)
    asked = DrawRecord(
        rounds=rounds, kind=kind, roster=tuple(roster), ranked=tuple(ranked or roster), roster_digest=due,
        beacon=BEACON, history=history,
    )  # fmt: skip
    return draw_seating(asked, round_seed(SECRET, rounds[0], due, BEACON), SeatingWishes())


def _played(table: TableDrawn, winners: int, kind: Kind, turn: int, substitute: str = "") -> TableOutcome:
    seats = [
        SeatOutcome(
            faction=_faction(seat.faction),
            dot=seat.dot,
            tenures=(
                Tenure(entrant=seat.entrant, first=1, last=2, resigned=True),
                Tenure(entrant=substitute, first=3, last=turn, why="substitute"),
            )
            if substitute and not place
            else (Tenure(entrant=seat.entrant, first=1, last=turn),),
            strongholds=STRONGHOLDS[place],
            strongholds_over_turns=STRONGHOLDS[place] * (turn - 1),
        )
        for place, seat in enumerate(table.seats)
    ]
    how = {"stronghold": "strongholds", "default": "guild", "prediction": "prediction"}.get(kind, "")
    return TableOutcome(
        game=f"arrakeen-{table.round}-{table.table}", ruleset="wbc-2018", kind=kind, how=how, turn=turn,
        winners=tuple(seat.faction for seat in seats[:winners]), seats=tuple(seats), round=table.round,
        table=table.table, ended=date(2026, 5, 4 * table.round + table.table), days=58, letters=410,
        alliances=(tuple(seat.faction for seat in seats[:winners]),) if winners > 1 else (),
    )  # fmt: skip


def _faction(faction: Faction | None) -> Faction:
    assert faction is not None, "factions are drawn with the seats"
    return faction


def _result(outcome: TableOutcome, number: int) -> Result:
    return Result(outcome=outcome, state="confirmed", day=date(2026, 6, 1 + number))


def _round(number: int, kind: Any, drawn: DrawRecord, results: Sequence[Result]) -> Round:
    newest = {(one.outcome.round, one.outcome.table): one.outcome for one in results}
    tables = tuple(
        TableNow(
            table=table.table, state="finished", game=f"arrakeen-{number}-{table.table}", last_turn=7 * (number == 2),
            seats=tuple((seat.faction, seat.tenures[-1].entrant) for seat in newest[number, table.table].seats),
        )
        for table in drawn.tables if table.round == number
    )  # fmt: skip
    return Round(
        number=number, kind=kind, state="closed", opens=date(2026, 3, 5), ends=date(2026, 5, 20), draw=drawn,
        tables=tables,
    )  # fmt: skip


def _first_seats(one: Round, table: int) -> tuple[tuple[Faction, str], ...]:
    assert one.draw is not None
    drawn = next(each for each in one.draw.tables if (each.round, each.table) == (one.number, table))
    return tuple((_faction(seat.faction), seat.entrant) for seat in drawn.seats)


def _published(rounds: Sequence[Round], results: Sequence[Result], state: Any = "running") -> Published:
    finished = state == "finished"
    seen = {it.entrant for one in results for seat in one.outcome.seats for it in seat.tenures}
    entrants = [
        Entrant(handle=handle, name=name, state="out" if finished else "playing", rating="1500.000000",
                reliability="0.9000")
        for handle, name in zip(HANDLES, NAMES, strict=True)
    ]  # fmt: skip
    if "E013" in seen:
        entrants.append(Entrant(handle="E013", name="Max", state="playing", standby=True))
    document = Published(
        tournament="arrakeen", settings=SETTINGS, settings_sha256=settings_digest(SETTINGS), state=state,
        commitment=commitment(SECRET), secret=SECRET if finished else "", beacon=BEACON, entrants=tuple(entrants),
        rounds=tuple(rounds), results=tuple(results), waiting=2,
        still_playing=sum(table.state == "playing" for one in rounds for table in one.tables),
        acts=(
            Act(number=1, at=datetime(2026, 2, 1, 9, tzinfo=UTC), right="director", command="open"),
            Act(number=2, at=datetime(2026, 3, 2, 9, tzinfo=UTC), right="director", command="draw",
                words=f"rounds 1, 2 (heat) drawn; roster {roster_digest(HANDLES)}", why="Entries are closed."),
        ),
    )  # fmt: skip
    assert read_settings(SETTINGS).rated
    document = msgspec.structs.replace(document, ratings=recompute_changes(document))
    return with_sums(msgspec.structs.replace(document, standings=standings_of_published(document)))
