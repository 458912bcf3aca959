"""The result of a table: provisional, confirmed, withdrawn."""

from __future__ import annotations

import pytest
from sqlalchemy import update

from bot.store.database import writing
from bot.store.tables import GAME
from tests.tournament.cup import Cup


def test_a_game_that_is_over_gives_its_table_a_provisional_result_and_its_players_are_told(cup: Cup) -> None:
    cup.round()
    cup.tick()
    assert cup.result() is None
    cup.end("cup-1-1", "atreides", "emperor", turn=7)
    before = cup.world.written()
    cup.tick()
    kept = cup.result()
    assert kept is not None
    assert (kept.state, kept.by, kept.outcome.kind, kept.outcome.turn) == ("provisional", "", "stronghold", 7)
    assert kept.outcome.winners == ("atreides", "emperor")
    assert cup.standing().state == "finished"
    assert "Atreides and Emperor, by strongholds, in turn 7" in cup.text(1)
    assert "protest 1.1:" in cup.text(6)
    assert cup.world.written() - before == 6, "nobody of the other table is told"
    cup.tick()
    assert len(cup.versions()) == 1
    assert cup.world.written() - before == 6


def test_a_result_is_confirmed_when_nobody_has_protested(cup: Cup) -> None:
    cup.round()
    cup.end("cup-1-1", "atreides")
    cup.tick()
    cup.tick(71)
    kept = cup.result()
    assert kept is not None
    assert kept.state == "provisional"
    cup.tick(2)
    kept = cup.result()
    assert kept is not None
    assert kept.state == "confirmed"
    assert cup.done() == ["result", "confirm"]


@pytest.mark.parametrize(("how", "kind"), [("prediction", "prediction"), ("fremen", "default"), ("guild", "default")])
def test_the_kind_of_a_win_is_the_games_own(cup: Cup, how: str, kind: str) -> None:
    cup.round()
    cup.end("cup-1-2", "guild", how=how)
    cup.tick()
    kept = cup.result(1, 2)
    assert kept is not None
    assert (kept.outcome.kind, kept.outcome.how) == (kind, how)


def test_a_result_names_who_held_each_seat_and_whether_they_ever_ordered(cup: Cup) -> None:
    cup.round()
    cup.wrote("cup-1-1", "atreides")
    cup.end("cup-1-1", "atreides", turn=5)
    cup.tick()
    kept = cup.result()
    assert kept is not None
    assert (kept.outcome.round, kept.outcome.table) == (1, 1)
    (tenure,) = kept.outcome.seat("atreides").tenures
    assert (tenure.entrant, tenure.first, tenure.last, tenure.ordered) == ("E001", 1, 5, True)
    assert not kept.outcome.seat("guild").tenures[0].ordered


def test_a_rollback_after_the_result_was_provisional_withdraws_it_and_tells_the_table(cup: Cup) -> None:
    cup.round()
    cup.end("cup-1-1", "atreides")
    cup.tick()
    with writing(cup.world.engine) as conn:
        conn.execute(update(GAME).where(GAME.c.id == "cup-1-1").values(status="running"))
    cup.tick()
    assert cup.result() is None
    assert cup.standing().state == "playing"
    assert "Its result is withdrawn" in cup.text(3)
    assert [kept.state for kept in cup.versions()] == ["withdrawn"]
    with writing(cup.world.engine) as conn:
        conn.execute(update(GAME).where(GAME.c.id == "cup-1-1").values(status="over"))
    cup.tick()
    kept = cup.result()
    assert kept is not None
    assert kept.outcome.version == 2
