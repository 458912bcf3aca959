"""Matters that await a tournament's directors, and the time from which they wait."""

from __future__ import annotations

from datetime import datetime, timedelta
from pathlib import Path

import pytest

from bot.competition.outcomes import SeatOutcome, TableOutcome, Tenure
from bot.store import tournament_rounds, tournaments
from bot.store.database import reading, writing
from bot.store.tournament_rounds import Matter, Round
from tests.tournament.cup import CUP, Entered

SECOND = timedelta(seconds=1)


@pytest.fixture
def cup(tmp_path: Path) -> Entered:
    return Entered.at(tmp_path, 12)


def waiting(cup: Entered, now: datetime) -> list[Matter]:
    with reading(cup.world.engine) as conn:
        return tournament_rounds.waiting_matters(conn, tournaments.find_tournament(conn, CUP), now)


def begins(cup: Entered, at: datetime, matter: Matter) -> None:
    """Check that the matter starts to wait at this instant, and that nothing else waits."""
    assert waiting(cup, at - SECOND) == []
    assert waiting(cup, at) == [matter]


def result(cup: Entered, table: int, at: datetime, stands_at: datetime | None = None) -> None:
    """Add a table's result."""
    with writing(cup.world.engine) as conn:
        seats = tuple(
            SeatOutcome(
                faction=held.faction, dot=held.dot,
                tenures=(Tenure(entrant=tournaments.handle(held.entrant), first=1, last=5),),
            )
            for held in tournament_rounds.tenures_of(conn, CUP, 1, table)
        )  # fmt: skip
        outcome = TableOutcome(
            game=f"cup-1-{table}", ruleset="wbc-2018", kind="stronghold", how="strongholds", turn=5, round=1,
            table=table, winners=(seats[0].faction,), seats=seats, ended=at.date(),
        )  # fmt: skip
        tournament_rounds.add_result(
            conn, tournament_rounds.Result(CUP, outcome, "provisional", "", "", at, stands_at=stands_at)
        )
        tournament_rounds.change_table(conn, CUP, 1, table, state="finished")


def test_a_draw_is_due_when_entries_end(cup: Entered) -> None:
    now = cup.world.now
    assert waiting(cup, now + timedelta(days=999)) == []
    with writing(cup.world.engine) as conn:
        tournaments.touch(conn, CUP, until=now)
    begins(cup, now, Matter("draw", now))
    cup.draw()
    assert [one.kind for one in waiting(cup, now + SECOND)] != ["draw"]


def test_a_round_is_overdue_table_by_table_from_its_end_or_the_table_s_own(cup: Entered) -> None:
    cup.draw()
    cup.start()
    ends = cup.world.now + timedelta(days=30)
    own = ends + timedelta(days=3)
    with writing(cup.world.engine) as conn:
        tournament_rounds.change_round(conn, CUP, 1, ends=ends)
        tournament_rounds.change_table(conn, CUP, 1, 2, deadline=own)
    first, second = (table.game_id for table in cup.tables())
    overdue = Matter("overdue", ends, (1, 1), game=first)
    begins(cup, ends, overdue)
    assert waiting(cup, own - SECOND) == [overdue]
    assert waiting(cup, own) == [overdue, Matter("overdue", own, (1, 2), game=second)]
    with writing(cup.world.engine) as conn:
        tournament_rounds.change_round(conn, CUP, 1, ends=None)
        tournament_rounds.change_table(conn, CUP, 1, 2, deadline=None)
    assert waiting(cup, own) == []


def test_a_round_can_be_closed_once_the_last_of_its_results_stands(cup: Entered) -> None:
    cup.draw()
    cup.start()
    at = cup.world.now
    stands = at + timedelta(days=3)
    result(cup, 1, at, stands)
    assert waiting(cup, stands) == []
    result(cup, 2, at + timedelta(days=1))
    begins(cup, stands, Matter("close", stands, (1, 0)))
    with writing(cup.world.engine) as conn:
        tournament_rounds.change_round(conn, CUP, 1, state="closed")
    assert waiting(cup, stands) == []


def test_a_result_that_nobody_may_protest_against_stands_at_once(cup: Entered) -> None:
    cup.draw()
    cup.start()
    at = cup.world.now
    for table in (1, 2):
        result(cup, table, at + timedelta(days=table))
    begins(cup, at + timedelta(days=2), Matter("close", at + timedelta(days=2), (1, 0)))


def test_results_of_another_round_close_none(cup: Entered) -> None:
    cup.draw()
    cup.start()
    at = cup.world.now
    for table in (1, 2):
        result(cup, table, at)
    with writing(cup.world.engine) as conn:
        tournament_rounds.change_round(conn, CUP, 1, state="closed")
        tournament_rounds.add_round(conn, Round(CUP, 2, "final", "playing"))
    assert waiting(cup, at) == []


def test_a_round_without_a_result_is_not_closed(cup: Entered) -> None:
    cup.draw()
    cup.start()
    with writing(cup.world.engine) as conn:
        for table in (1, 2):
            tournament_rounds.change_table(conn, CUP, 1, table, state="void")
    assert waiting(cup, cup.world.now + timedelta(days=9)) == []
