"""Tests that games by mail end alike in one process on a file and in several on a server, whatever dies meanwhile."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import pytest

from bot.lab.demo import DemoFailed
from bot.lab.players_by_mail import SIMULATED, People
from bot.lab.postgresql import PrivateServer, why_not_here
from bot.lab.simulation import (
    START,
    InThisProcess,
    Outcome,
    SentLetters,
    Several,
    Simulated,
    Spool,
    ToldTime,
    begin_games,
    compare_installations,
    outcome_differences,
    play_simulation,
    take_outcome,
)
from tests.size import SLOW

ON_A_SERVER = pytest.mark.skipif(bool(why_not_here()), reason=why_not_here() or "-")
ROUNDS = 6


def nothing(said: str) -> None:
    """Ignore the simulation's progress messages."""


@ON_A_SERVER
def test_two_processes_and_a_server_give_the_events_and_letters_of_one_process_and_a_file(tmp_path: Path) -> None:
    (found,) = compare_installations(tmp_path, Simulated(2, 1, rounds=ROUNDS), Several(2), nothing)
    assert found.wrong == [], found.said
    assert found.alone.mails == found.together.mails > 10
    assert len(found.together.games) == 2
    assert sum(len(letters) for letters in found.together.letters.values()) > 30


@ON_A_SERVER
def test_nothing_is_lost_or_done_twice_where_processes_die_each_second(tmp_path: Path) -> None:
    (found,) = compare_installations(tmp_path, Simulated(2, 1, rounds=ROUNDS), Several(2, kills=(5,)), nothing)
    assert found.killed >= 2
    assert found.wrong == [], found.said


@ON_A_SERVER
@pytest.mark.skipif(not SLOW, reason="two hundred games take the better part of an hour: MENTAT_SLOW=1 plays them")
def test_two_hundred_games_come_out_alike_with_four_processes(tmp_path: Path) -> None:
    for found in compare_installations(tmp_path, Simulated(200, 1), Several(4, kills=(0, 120)), nothing):
        assert found.wrong == [], found.said[-5000:]


@ON_A_SERVER
def test_a_database_that_holds_games_is_refused(tmp_path: Path) -> None:
    with PrivateServer() as server:
        url = server.empty("used")
        used = InThisProcess(tmp_path / "used", url)
        begin_games(used.moderator, Simulated(1, 1), START)
        used.engine.dispose()
        with pytest.raises(DemoFailed, match="an empty one"):
            next(compare_installations(tmp_path, Simulated(1, 1), Several(1, url), nothing))


def test_a_simulation_repeats_for_its_seed_and_for_no_other(tmp_path: Path) -> None:
    found = []
    for name, seed in (("one", "a"), ("two", "a"), ("other", "b")):
        games = Simulated(1, 1, seed=seed, rounds=ROUNDS)
        installation = InThisProcess(tmp_path / name)
        begin_games(installation.moderator, games, START)
        found.append(play_simulation(installation, games, nothing))
    assert list(outcome_differences(found[0], found[1])) == []
    assert list(outcome_differences(found[0], found[2])) != []


def test_everybody_plays_in_two_games() -> None:
    games = Simulated(5, 1)
    seats = [person for number in range(5) for person in games.seats(number).values()]
    assert len(seats) == 30
    assert sorted(seats) == sorted([*dict.fromkeys(seats)] * 2)
    assert len(set(Simulated(1, 1).seats(0).values())) == 6


def outcome(**changes: object) -> Outcome:
    games = {"sietch-1": {"events": "e1", "log": "l1"}}
    letters = {("alma@players.example", "mentat+x@arrakis.example"): [("<1>", "a"), ("<2>", "b")]}
    return Outcome(**{"games": games, "letters": letters, **changes})  # type: ignore[arg-type]


def test_other_events_are_a_difference() -> None:
    assert list(outcome_differences(outcome(), outcome())) == []
    other = outcome(games={"sietch-1": {"events": "e2", "log": "l1"}})
    assert list(outcome_differences(outcome(), other)) == ["sietch-1: events differ"]
    assert list(outcome_differences(outcome(), outcome(games={}))) == ["sietch-1: events, log differ"]


@pytest.mark.parametrize(
    ("letters", "said"),
    [
        ([("<2>", "b"), ("<1>", "a")], "another order"),
        ([("<1>", "a")], "1 of 2 are missing, 0 are others"),
        ([("<1>", "a"), ("<2>", "c")], "1 of 2 are missing, 1 are others"),
        ([("<1>", "a"), ("<2>", "b"), ("<3>", "d")], "0 of 2 are missing, 1 are others"),
    ],
)
def test_letters_that_are_lost_others_or_in_another_order_are_a_difference(
    letters: list[tuple[str, str]], said: str
) -> None:
    place = ("alma@players.example", "mentat+x@arrakis.example")
    (difference,) = outcome_differences(outcome(), outcome(letters={place: letters}))
    assert said in difference


def test_a_letter_that_goes_out_again_is_counted_and_must_be_the_same() -> None:
    sent = SentLetters()
    assert sent.note("a@x.example", "b@x.example", "<1>", b"one")
    assert not sent.note("a@x.example", "b@x.example", "<1>", b"one")
    assert not sent.note("a@x.example", "b@x.example", "<1>", b"two")
    assert (sent.again, sent.changed) == (2, ["<1>"])
    assert [len(letters) for letters in sent.by_place.values()] == [1]


def test_letters_that_wait_and_games_that_do_not_hold_are_wrong(tmp_path: Path) -> None:
    games = Simulated(1, 1)
    installation = InThisProcess(tmp_path)
    begin_games(installation.moderator, games, START)
    found = take_outcome(installation.engine, games.names, SentLetters(), 1)
    assert found.wrong == ["6 letters wait"]


def test_letters_lie_in_a_spool_as_often_as_they_went_out_in_their_order(tmp_path: Path) -> None:
    spool = Spool(tmp_path)
    for raw in (b"b", b"a", b"b"):
        spool.send("mentat@arrakis.example", "alma@players.example", raw)
    assert spool.taken() == [("alma@players.example", raw) for raw in (b"b", b"a", b"b")]
    assert spool.taken() == []


def test_time_is_what_is_told(tmp_path: Path) -> None:
    clock = ToldTime(tmp_path / "clock")
    clock.tell(START)
    assert clock() == START
    clock.tell(START + timedelta(hours=3))
    assert clock() == START + timedelta(hours=3)


def test_people_answer_what_they_are_asked_and_now_and_then_forget(tmp_path: Path) -> None:
    games = Simulated(1, 1)
    installation = InThisProcess(tmp_path)
    begin_games(installation.moderator, games, START)
    asked = [letter for letter in installation.posted(START) if b"[end of form" in letter.raw]
    written = [len(list(People(f"{number}").answers(asked, START))) for number in range(4 * SIMULATED.forgets)]
    assert asked
    assert min(written) < len(asked), "somebody forgets"
    assert max(written) > len(asked), "somebody sends a mail twice"
