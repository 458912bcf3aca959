"""Forum accounts that cannot be linked because of an unusable name or an outdated code."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from sqlalchemy import update

from bot.desk import clocks
from bot.desk.powers import DeskRequest, PowerRefused
from bot.forum import desk
from bot.store import forum_threads
from bot.store.database import writing
from bot.store.forum_threads import Thread
from bot.store.tables import GAME as GAMES
from tests.forum.place import DISCOURSE, GAME, ForumWorld, code_in


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> ForumWorld:
    """Start a game in a forum in which players have their own accounts."""
    monkeypatch.setenv("MENTAT_FORUM_ARRAKIS_KEY", "key-of-arrakis")
    monkeypatch.setattr("tests.forum.place.FORUM", DISCOURSE)
    made = ForumWorld(tmp_path)
    made.begin_at("bidding")
    return made


def put(place: ForumWorld, thread: Thread) -> None:
    with writing(place.world.engine) as conn:
        forum_threads.put_thread(conn, thread)


def told(place: ForumWorld, line: str) -> str:
    place.world.say("fremen", line)
    return " ".join(place.world.newest("fremen").text.split())


@pytest.mark.parametrize("name", ["“”", "''", "@"])
def test_a_name_without_a_letter_is_none(place: ForumWorld, name: str) -> None:
    assert "cannot be an account name" in told(place, f"forum name {name}")
    assert "To link “" not in told(place, "forum")


def test_the_thread_is_told_before_it_is_open_and_after_the_game(place: ForumWorld) -> None:
    here = place.thread()
    before = "The thread of this game is not open yet; it will be in the forum arrakis."
    put(place, replace(here, thread=""))
    assert before in told(place, "forum")
    put(place, replace(here, closed=True))
    assert "This game has no thread in a forum." in told(place, "forum")
    clocks.end_game(DeskRequest(place.world.moderator.open_games, GAME, place.world.now), "void", ())
    letters = place.world.written()
    place.world.say("fremen", "forum")
    answer = place.world.letters("fremen", after=letters)[0].text
    assert "The thread of this game is in the forum arrakis." in " ".join(answer.split())


def test_no_account_is_linked_by_hand_where_nobody_is_to_know_who_plays_whom(place: ForumWorld) -> None:
    with writing(place.world.engine) as conn:
        conn.execute(update(GAMES).values(press="open,gunboat", revision=GAMES.c.revision + 1))
    games, before = place.world.moderator.open_games, place.world.written()
    with pytest.raises(PowerRefused, match="Nobody in this game may know who plays whom"):
        desk.link_account(DeskRequest(games, GAME, place.world.now), "fremen", account="77", name="chani_77")
    assert place.world.written() == before


def test_a_code_ends_with_the_reply_address_to_which_it_was_sent(place: ForumWorld) -> None:
    told(place, "forum name chani_77")
    code = code_in(place.world.newest("fremen").text)
    assert "To link “chani_77”, post" in told(place, "forum")
    told(place, "freeze")
    assert "To link “" not in told(place, "forum")
    before = place.world.written()
    place.write("chani_77", f"!I am {code}")
    place.look(1)
    assert not any("Linked: " in post for post in place.ours())
    assert place.world.written() == before
