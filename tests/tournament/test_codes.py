"""Codes that confirm an entry: how long and for whom they are valid, and how to get a new one."""

from __future__ import annotations

import hashlib

import pytest

from bot.store import acts, people, tournaments
from bot.store.acts import GrantedRight
from bot.store.database import reading, writing
from bot.tournament import entries
from bot.tournament.desk import By, Caller
from bot.wording import say
from tests.tournament.entries import Cup, address


@pytest.fixture
def cup(entry_cup: Cup) -> Cup:
    return entry_cup


def guess(cup: Cup, name: str, times: int) -> None:
    for number in range(times):
        cup.says(name, f"confirm {'abcdef'[number] * 16}")


@pytest.mark.parametrize(("hours", "new"), [(71, False), (72, True), (80, True)])
def test_who_enters_again_gets_the_same_code_as_long_as_it_holds_and_then_another(
    cup: Cup, hours: float, new: bool
) -> None:
    cup.says("ann", "enter cup")
    code = cup.code("ann")
    cup.wait(hours)
    cup.says("ann", "enter cup")
    assert (cup.code("ann") != code) is new
    cup.says("ann", f"confirm {cup.code('ann')}")
    assert cup.entrant("ann").state == "confirmed"


@pytest.mark.parametrize(("guesses", "new"), [(4, False), (5, True), (6, True)])
def test_after_five_wrong_guesses_who_enters_again_gets_another_code(cup: Cup, guesses: int, new: bool) -> None:
    cup.says("ann", "enter cup")
    code = cup.code("ann")
    guess(cup, "ann", guesses)
    cup.says("ann", "confirm aaaaaaaaaaaaaaaa" if new else f"confirm {code}")
    assert (cup.entrant("ann").state == "entered") is new
    cup.wait(1.1)
    cup.says("ann", "enter cup")
    assert (cup.code("ann") != code) is new


def test_who_enters_again_while_the_letter_with_their_code_waits_gets_that_code(cup: Cup) -> None:
    cup.says("ann", "enter cup")
    code = cup.code("ann")
    with writing(cup.world.engine) as conn:
        tournaments.change_entrant(conn, "cup", 1, code_until=None)
    assert cup.says("ann", "enter cup").reason == "E001 wants to enter cup"
    cup.wait(1.1)
    assert [letter.subject for letter in cup.letters("ann")] == 2 * ["[cup] Please confirm your entry to The Cup"]
    assert cup.code("ann") == code
    cup.says("ann", f"confirm {code}")
    assert cup.entrant("ann").state == "confirmed"


def test_the_right_code_does_nothing_after_more_than_five_wrong_ones(cup: Cup) -> None:
    cup.says("ann", "enter cup")
    guess(cup, "ann", 6)
    cup.says("ann", f"confirm {cup.code('ann')}")
    assert cup.entrant("ann").state == "entered"


def test_who_was_disqualified_before_they_confirmed_is_not_in_by_the_code_that_they_have(cup: Cup) -> None:
    cup.says("ann", "enter cup")
    code = cup.code("ann")
    entries.disqualify(Caller(cup.world.moderator.open_games, cup.world.now, By(why="a forger")), "cup", "E001")
    cup.says("ann", f"confirm {code}")
    assert cup.entrant("ann").state == "disqualified"


def test_a_wrong_code_from_another_address_of_theirs_is_no_guess_of_the_one_that_got_it(cup: Cup) -> None:
    with writing(cup.world.engine) as conn:
        people.ask_for_address(conn, address("ann"), address("anna"), "c" * 16, cup.world.now)
        asked = people.address_request(conn, "c" * 16, cup.world.now)
        assert asked
        people.confirm_address(conn, asked)
    cup.says("ann", "enter cup")
    guess(cup, "anna", 2)
    assert cup.entrant("ann").guesses == 0
    guess(cup, "ann", 2)
    assert cup.entrant("ann").guesses == 2


@pytest.mark.parametrize(("minutes", "state"), [(-1, "confirmed"), (0, "standby"), (1, "standby")])
def test_who_confirms_in_the_moment_in_which_entries_close_is_late(cup: Cup, minutes: int, state: str) -> None:
    cup.says("ann", "enter cup")
    with reading(cup.world.engine) as conn:
        until = tournaments.find_tournament(conn, "cup").until
    assert until is not None
    with writing(cup.world.engine) as conn:
        tournaments.touch(conn, "cup", until=cup.world.now.replace(minute=30))
    cup.world.now = cup.world.now.replace(minute=30 + minutes)
    cup.says("ann", f"confirm {cup.code('ann')}")
    assert cup.entrant("ann").state == state


def test_a_clerk_can_enter(cup: Cup) -> None:
    with writing(cup.world.engine) as conn:
        acts.grant_right(
            conn, GrantedRight(address("ann"), "clerk", "clerktoken234567", cup.world.now, tournament_id="cup")
        )
    cup.says("ann", "enter cup as Ann")
    assert cup.entrant("ann").state == "entered"


def test_a_code_of_conduct_of_its_own_is_in_the_letter_and_agreed_to_by_its_hash(cup: Cup) -> None:
    cup.make("own", 'title = "The Cup"\npeople.conduct = " Be kind to the Harkonnen. "\n')
    cup.says("ann", "enter own as Ann")
    own = hashlib.sha256(b"Be kind to the Harkonnen.").hexdigest()
    letter = " ".join(cup.newest("ann").text.split())
    assert "Be kind to the Harkonnen." in letter
    assert "make no bargain" not in letter
    assert own in letter.replace(" ", "")
    cup.says("ann", f"confirm {cup.code('ann')}")
    assert cup.entrant("ann", "own").conduct == own


def test_who_only_stands_by_reads_so_in_the_letter_with_the_code(cup: Cup) -> None:
    for name, line in (("ann", "enter cup as Ann standby"), ("bob", "enter cup as Bob")):
        cup.says(name, line)
    texts = {name: " ".join(cup.newest(name).text.split()) for name in ("ann", "bob")}
    told = " ".join(say("tournament-entry.standby").split())
    assert [told in texts[name] for name in ("ann", "bob")] == [True, False]
