"""Outages and clock jumps: nobody loses a vote, a protest or a seat."""

from __future__ import annotations

from datetime import timedelta

import pytest
from sqlalchemy import update

from bot.competition.published import ResultState
from bot.moderator import outage
from bot.store import acts, tournament_rounds, tournaments
from bot.store.database import reading, writing
from bot.store.tables import GAME
from bot.store.tournament_rounds import Round
from bot.store.tournaments import Paper
from bot.tournament import adjudication
from bot.tournament import rounds as dates
from bot.tournament import rounds as lost_time
from bot.tournament.adjudication import Finding
from bot.tournament.desk import By, Caller
from rules.components import FACTIONS
from tests.tournament.cup import CUP, Cup

DAY = timedelta(days=1)
BY = By(why="late")


def test_an_outage_gives_votes_protests_rounds_and_no_shows_their_time_back_once(cup: Cup) -> None:
    cup.round()
    cup.wrote("cup-1-1", *(faction for faction in FACTIONS if faction != "guild"))
    cup.end("cup-1-2", "fremen")
    cup.tick()
    adjudication.adjudicate(Caller(cup.open_games, cup.now, BY), CUP, "1.1", Finding("agreed", ["guild"]))
    kept = cup.result(1, 2)
    assert kept is not None
    assert kept.stands_at is not None
    until, since = cup.papers("vote")[0].until, cup.now
    assert until is not None
    cup.world.now += 2 * DAY
    for _ in range(2):
        outage.give_time_back(cup.open_games, "mailbox", since, cup.now)
    assert cup.papers("vote")[0].until == until + 2 * DAY
    again = cup.result(1, 2)
    assert again is not None
    assert again.stands_at == kept.stands_at + 2 * DAY
    with reading(cup.world.engine) as conn:
        found = dates.find_round(conn, tournaments.find_tournament(conn, CUP), 1)
    assert found.ends == cup.first + 67 * DAY
    cup.tick(95)
    assert cup.sitting("guild").why == "seated", "two days of the four were lost"
    cup.tick(2)
    assert "no-show" in cup.done()


def test_what_was_over_before_an_outage_and_what_stands_still_gets_no_time_back(cup: Cup) -> None:
    cup.round()
    since, back = cup.now + 2 * DAY, cup.now + 4 * DAY
    with writing(cup.world.engine) as conn:
        for number, until in ((12, since - DAY), (13, since), (14, since + timedelta(seconds=1)), (15, None)):
            tournaments.file_paper(conn, Paper(CUP, number, "substitution", "guild", cup.now, 1, 1, until))
        for number, ends in ((2, since), (3, since + timedelta(seconds=1)), (4, None)):
            tournament_rounds.add_round(conn, Round(CUP, number, "heat", "playing", cup.now, ends))
        tournament_rounds.add_round(conn, Round(CUP, 5, "heat", "closed", cup.now, since + DAY))
        tournament_rounds.add_round(conn, Round(CUP, 6, "heat", "playing", cup.now, since - DAY))
        tournament_rounds.change_table(conn, CUP, 1, 1, deadline=since)
        tournament_rounds.change_table(conn, CUP, 1, 2, deadline=since + timedelta(seconds=1))
        conn.execute(update(GAME).where(GAME.c.id == "cup-1-2").values(stopped_at=since - DAY))
        tournament_rounds.change_tenure(conn, cup.sitting("guild"), ordered=True)
        tournament_rounds.change_tenure(conn, cup.sitting("fremen"), since=back)
        tournament_rounds.change_tenure(conn, cup.sitting("atreides"), since=back + DAY)
        tournament_rounds.change_tenure(conn, cup.sitting("emperor"), since=back - timedelta(seconds=1))
        tournament_rounds.change_tenure(conn, cup.sitting("harkonnen"), entrant=0)
    lost_time.give_back_lost_time(cup.open_games, "mailbox", since, back)
    lost_time.give_back_lost_time(cup.open_games, "mailbox", since, back)
    assert cup.done() == ["outage"]
    later = since + 2 * DAY + timedelta(seconds=1)
    assert [paper.until for paper in cup.papers("substitution")] == [since - DAY, since, later, None]
    with reading(cup.world.engine) as conn:
        closing = {each.number: each.ends for each in tournament_rounds.rounds_of(conn, CUP)}
    assert closing == {1: cup.first + 67 * DAY, 2: since, 3: later, 4: None, 5: since + DAY, 6: since - DAY}
    assert (cup.standing(1, 1).deadline, cup.standing(1, 2).deadline) == (since, later)
    assert {each: cup.sitting(each).since for each in FACTIONS} == {
        "atreides": back + DAY, "bene-gesserit": cup.first + 2 * DAY, "guild": None, "harkonnen": None,
        "fremen": back, "emperor": back + 2 * DAY - timedelta(seconds=1),
    }  # fmt: skip
    assert {cup.sitting(each, 1, 2).since for each in FACTIONS} == {None}


@pytest.mark.parametrize(("state", "left"), [("provisional", 0), ("provisional", 1), ("confirmed", 1)])
def test_a_result_that_still_may_be_protested_gets_its_time_back(cup: Cup, state: ResultState, left: int) -> None:
    cup.round()
    cup.end("cup-1-1", "fremen")
    cup.tick()
    kept = cup.result()
    assert kept is not None
    assert kept.stands_at is not None
    with writing(cup.world.engine) as conn:
        tournament_rounds.set_result_state(conn, kept, state)
    since = kept.stands_at - timedelta(seconds=left)
    lost_time.give_back_lost_time(cup.open_games, "mailbox", since, since + DAY)
    again = cup.result()
    assert again is not None
    assert again.stands_at == kept.stands_at + (DAY if left and state == "provisional" else timedelta())


def test_each_loss_is_given_back_once_and_only_to_what_goes_on(cup: Cup) -> None:
    cup.round()
    back = cup.now + DAY
    for lost in ("mailbox", "mailbox", "clock"):
        lost_time.give_back_lost_time(cup.open_games, lost, cup.now, back)
    with writing(cup.world.engine) as conn:
        tournaments.touch(conn, CUP, state="finished")
    lost_time.give_back_lost_time(cup.open_games, "once more", cup.now, back)
    with reading(cup.world.engine) as conn:
        assert [act.words for act in acts.acts_of(conn, tournament_id=CUP)] == ["mailbox", "clock"]
        assert dates.find_round(conn, tournaments.find_tournament(conn, CUP), 1).ends == cup.first + 67 * DAY


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
