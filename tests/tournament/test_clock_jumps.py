"""Time that is lost, and clocks that jump: nobody loses a vote, a protest or a seat by it."""

from __future__ import annotations

from datetime import timedelta

from bot.store.database import reading
from bot.store.tournaments import tournaments
from bot.timekeeping import outage
from bot.tournament import adjudicating
from bot.tournament import rounds as dates
from bot.tournament.desk import By
from rules.components import FACTIONS
from tests.tournament.cup import CUP, Cup

DAY = timedelta(days=1)
BY = By(why="late")


def test_an_outage_gives_votes_protests_rounds_and_no_shows_their_time_back_once(cup: Cup) -> None:
    cup.round()
    cup.wrote("cup-1-1", *(faction for faction in FACTIONS if faction != "guild"))
    cup.end("cup-1-2", "fremen")
    cup.tick()
    adjudicating.adjudicate(cup.open_games, CUP, "1.1", "agreed", ["guild"], BY, cup.now)
    kept = cup.result(1, 2)
    assert kept is not None
    assert kept.stands_at is not None
    until, since = cup.papers("vote")[0].until, cup.now
    assert until is not None
    cup.world.now += 2 * DAY
    for _ in range(2):
        outage.give_back(cup.open_games, "mailbox", since, cup.now)
    assert cup.papers("vote")[0].until == until + 2 * DAY
    again = cup.result(1, 2)
    assert again is not None
    assert again.stands_at == kept.stands_at + 2 * DAY
    with reading(cup.world.engine) as conn:
        found = dates.find(conn, tournaments.find(conn, CUP), 1)
    assert found.ends == cup.first + 67 * DAY
    cup.tick(95)
    assert cup.sitting("guild").why == "seated", "two days of the four were lost"
    cup.tick(2)
    assert "no-show" in cup.done()


def test_a_clock_that_goes_back_does_nothing_twice(cup: Cup) -> None:
    cup.round()
    cup.end("cup-1-1", "fremen")
    cup.tick(80)
    cup.tick(73)
    done, written = cup.done(), cup.world.written()
    assert done.count("confirm") == 1
    cup.tick(-100)
    cup.tick(100)
    assert cup.done() == done
    assert cup.world.written() == written
