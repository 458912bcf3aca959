"""All of a round's tables are paused and resumed together."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import pytest

from bot.desk import clocks
from bot.desk.powers import DeskRequest
from bot.store.acts import DeskAct, acts_of
from bot.store.database import reading
from bot.tournament import rounds
from bot.tournament.desk import By, Caller, Refused
from tests.game_master.test_every_power import Killed, contents, killed_at
from tests.moderator.table import World
from tests.tournament.cup import CUP, PLAYERS, Cup, address

ONE, TWO = "cup-1-1", "cup-1-2"
BY = By("dina@desk.example", "director", "the provider is down")


@pytest.fixture
def cup(tmp_path: Path) -> Cup:
    cup = Cup(World.at(tmp_path))
    cup.round()
    cup.grant(BY.address, "director")
    return cup


def acts(cup: Cup, game: str) -> list[DeskAct]:
    with reading(cup.world.engine) as conn:
        return acts_of(conn, game_id=game)


def test_all_tables_stand_still_and_everybody_is_told_once(cup: Cup) -> None:
    before = cup.world.written()
    done = rounds.pause_tables(Caller(cup.open_games, cup.now, BY), CUP, 0, tell="Back on Monday.")
    assert [table.game_id for table in done] == [ONE, TWO]
    letters = cup.world.letters(after=before)
    assert sorted(letter.recipient for letter in letters) == sorted(address(n) for n in range(1, PLAYERS + 1))
    assert all("Back on Monday." in letter.text for letter in letters)
    assert not any("provider" in letter.text for letter in letters)
    for game in (ONE, TWO):
        [act] = acts(cup, game)
        assert (act.what, act.why, act.who, act.words) == ("pause", BY.why, BY.address, "round 1 of cup")
        assert cup.world.table(game).stopped_at == cup.now


def test_what_was_open_has_as_much_time_left_afterwards(cup: Cup) -> None:
    was = {place: deadline.due for place, deadline in cup.world.table(ONE).deadlines.items()}
    rounds.pause_tables(Caller(cup.open_games, cup.now, BY), CUP, 1)
    cup.world.now += timedelta(hours=30)
    assert cup.world.moderator.timekeeper.tick(cup.now) == 0
    assert [table.game_id for table in rounds.resume_tables(Caller(cup.open_games, cup.now, BY), CUP, 1)] == [ONE, TWO]
    now = {place: deadline.due for place, deadline in cup.world.table(ONE).deadlines.items()}
    assert was
    assert now == {place: due + timedelta(hours=30) for place, due in was.items()}


def test_a_table_that_stands_still_already_is_left_alone(cup: Cup) -> None:
    clocks.pause(DeskRequest(cup.open_games, ONE, cup.now))
    assert [table.game_id for table in rounds.pause_tables(Caller(cup.open_games, cup.now, BY), CUP, 0)] == [TWO]
    with pytest.raises(Refused, match="No table of cup is running"):
        rounds.pause_tables(Caller(cup.open_games, cup.now, BY), CUP, 0)
    clocks.hold(DeskRequest(cup.open_games, ONE, cup.now))
    assert [table.game_id for table in rounds.resume_tables(Caller(cup.open_games, cup.now, BY), CUP, 0)] == [TWO]
    with pytest.raises(Refused, match="No table of round 2 of cup is paused"):
        rounds.resume_tables(Caller(cup.open_games, cup.now, BY), CUP, 2)


def test_only_a_director_does_it_and_a_dry_run_does_nothing(cup: Cup) -> None:
    with pytest.raises(Refused, match=rf"right in {CUP}; clara@desk\.example lacks it"):
        rounds.pause_tables(Caller(cup.open_games, cup.now, By("clara@desk.example", "clerk")), CUP, 0)
    before = contents(cup.world)
    assert len(rounds.pause_tables(Caller(cup.open_games, cup.now, BY, dry_run=True), CUP, 0)) == 2
    assert contents(cup.world) == before


def test_where_the_process_dies_no_table_stands_still(cup: Cup) -> None:
    before = contents(cup.world)
    for statement in (1, 5, 9, 13, 17, 21):
        again = cup.world.another_process()
        with pytest.raises(Killed), killed_at(again, statement):
            rounds.pause_tables(Caller(again.moderator.open_games, cup.now, BY), CUP, 0)
        again.engine.dispose()
        assert contents(cup.world) == before
    assert len(rounds.pause_tables(Caller(cup.open_games, cup.now, BY), CUP, 0)) == 2
