"""A real game from the notice of its last turn to its result, with the whole timekeeper running."""

from __future__ import annotations

import pytest

from bot.tournament import rounds as dates
from bot.tournament.desk import By, Caller
from tests.tournament.cup import CUP, Cup


@pytest.mark.slow
def test_a_game_that_was_told_its_last_turn_ends_by_the_rules_and_gives_its_table_a_result(cup: Cup) -> None:
    cup.round(1, [range(1, 7)])
    dates.announce_last_turn(Caller(cup.open_games, cup.now, By()), CUP, 1, "", 2)
    assert "last turn" in cup.text(4).lower()
    for _ in range(200):
        if cup.standing().state != "playing":
            break
        cup.world.wait(24)
    kept = cup.result()
    assert kept is not None
    assert kept.state == "provisional"
    assert kept.outcome.turn == 2
    assert kept.outcome.kind in ("stronghold", "default", "prediction")
    assert kept.outcome.winners
    assert cup.world.table("cup-1-1").play.over
    assert kept.outcome.ended is not None
    assert kept.outcome.days > 1
    assert kept.outcome.letters > 12
    assert not any(seat.tenures[0].ordered for seat in kept.outcome.seats)
    cup.world.wait(73)
    kept = cup.result()
    assert kept is not None
    assert kept.state == "confirmed"
