"""Granting rights in a tournament, and handing it over to another director."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import pytest

from bot.games.open_games import Session
from bot.store import acts, tournaments
from bot.store.acts import Right
from bot.store.database import reading, writing
from bot.tournament import desk
from bot.tournament.desk import Caller, Refused
from tests.moderator.table import World
from tests.tournament.cup import CUP, enter, make

RIGHTS: list[tuple[str, Right]] = [
    ("ann", "director"), ("dep", "deputy"), ("judge", "arbiter"), ("clerk", "clerk")
]  # fmt: skip


@pytest.fixture
def world(tmp_path: Path) -> World:
    return World.at(tmp_path)


def granted(world: World) -> dict[str, str]:
    with reading(world.engine) as conn:
        return {who.address: who.right for who in acts.rights_of(conn, tournament_id=CUP)}


def test_a_right_is_granted_and_told_once_and_another_takes_its_place(world: World) -> None:
    make(world)
    open_games = world.moderator.open_games
    assert desk.grant_right(Caller(open_games, world.now), CUP, "Ann@example.org", "clerk")
    assert not desk.grant_right(Caller(open_games, world.now), CUP, "ann@example.org", "clerk")
    assert desk.grant_right(Caller(open_games, world.now), CUP, "ann@example.org", "arbiter")
    assert granted(world) == {"ann@example.org": "arbiter"}
    assert len(world.letters("ann@example.org")) == 2


def test_who_plays_can_be_a_clerk_and_no_more(world: World) -> None:
    make(world)
    enter(world, "ann")
    open_games = world.moderator.open_games
    assert desk.grant_right(Caller(open_games, world.now), CUP, "ann@players.example", "clerk")
    for right in ("director", "arbiter", "auditor", "deputy"):
        with pytest.raises(Refused, match="takes part"):
            desk.grant_right(Caller(open_games, world.now), CUP, "ann@players.example", right)


def test_a_tournament_is_handed_over_when_the_new_director_confirms_and_not_before(world: World) -> None:
    make(world)
    open_games = world.moderator.open_games
    desk.grant_right(Caller(open_games, world.now), CUP, "ann@example.org", "director")
    desk.hand_over(Caller(open_games, world.now), CUP, "bob@example.org")
    assert granted(world) == {"ann@example.org": "director"}
    code = world.newest("bob@example.org").text.partition("confirm ")[2].splitlines()[0]
    with writing(world.engine) as conn:
        assert not desk.confirm_handover(Session(conn, open_games, world.now), code, "ann@example.org")
        assert not desk.confirm_handover(Session(conn, open_games, world.now), "guessed", "bob@example.org")
        late = world.now + timedelta(days=4)
        assert not desk.confirm_handover(Session(conn, open_games, late), code, "bob@example.org")
        assert desk.confirm_handover(Session(conn, open_games, world.now), code, "bob@example.org")
        assert not desk.confirm_handover(Session(conn, open_games, world.now), code, "bob@example.org")
    assert granted(world) == {"bob@example.org": "director"}
    assert "You are no longer its director" in world.newest("ann@example.org").text


def test_with_the_director_the_deputies_are_followed_and_others_keep_their_right(world: World) -> None:
    make(world)
    open_games = world.moderator.open_games
    for who, right in RIGHTS:
        desk.grant_right(Caller(open_games, world.now), CUP, f"{who}@example.org", right)
    assert desk.hand_over(Caller(open_games, world.now), CUP, "bob@example.org")
    code = world.newest("bob@example.org").text.partition("confirm ")[2].splitlines()[0]
    before = world.written()
    with writing(world.engine) as conn:
        assert desk.confirm_handover(Session(conn, open_games, world.now), code, "bob@example.org")
    assert granted(world) == {
        "judge@example.org": "arbiter", "clerk@example.org": "clerk", "bob@example.org": "director",
    }  # fmt: skip
    told = {letter.recipient for letter in world.letters(after=before)}
    assert told == {"ann@example.org", "dep@example.org", "bob@example.org"}


def test_a_tournament_is_handed_over_to_somebody_new_while_it_is_not_over(world: World) -> None:
    make(world)
    open_games = world.moderator.open_games
    desk.grant_right(Caller(open_games, world.now), CUP, "ann@example.org", "director")
    assert not desk.hand_over(Caller(open_games, world.now), CUP, " Ann@example.org")
    assert desk.hand_over(Caller(open_games, world.now), CUP, "bob@example.org")
    desk.grant_right(Caller(open_games, world.now), CUP, "cid@example.org", "director")
    assert desk.hand_over(Caller(open_games, world.now), CUP, "ann@example.org"), "she is to be the only one"
    for state in ("finished", "cancelled"):
        with writing(world.engine) as conn:
            tournaments.touch(conn, CUP, state=state)
        with pytest.raises(Refused, match=f"cup is {state}; there is nothing left to hand over"):
            desk.hand_over(Caller(open_games, world.now), CUP, "bob@example.org")


def test_a_right_is_given_to_the_address_of_a_person(world: World) -> None:
    make(world)
    own = world.moderator.open_games.settings.mentat.address
    for said, told in ((own, f"{own} is Mentat's own address"), ("ann", "'ann' is not one mail address")):
        with pytest.raises(Refused, match=told):
            desk.grant_right(Caller(world.moderator.open_games, world.now), CUP, said, "clerk")
    assert granted(world) == {}


@pytest.mark.parametrize(
    ("name", "shown", "told"),
    [("Bob", True, "Bob (E001) has agreed"), ("Bob", False, "E001 has agreed"), (None, False, "Somebody else has")],
)
def test_a_former_director_is_told_the_new_ones_name_if_they_let_it_be_shown_and_never_their_address(
    world: World, name: str | None, shown: bool, told: str
) -> None:
    make(world)
    open_games = world.moderator.open_games
    desk.grant_right(Caller(open_games, world.now), CUP, "ann@example.org", "director")
    if name is not None:
        enter(world, "bob")
        with writing(world.engine) as conn:
            tournaments.change_entrant(conn, CUP, 1, name=name, shown=shown, state="withdrawn", confirmed_at=world.now)
    desk.hand_over(Caller(open_games, world.now), CUP, "bob@players.example")
    code = world.newest("bob@players.example").text.partition("confirm ")[2].splitlines()[0]
    with writing(world.engine) as conn:
        assert desk.confirm_handover(Session(conn, open_games, world.now), code, "bob@players.example")
    letter = world.newest("ann@example.org")
    assert told in " ".join(letter.text.split())
    assert "bob@players.example" not in letter.text + letter.html
