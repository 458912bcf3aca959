"""Stored data about a thread: how much of the game it has reported, whose posts count, and posts handed in."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest
from sqlalchemy import Connection, insert, update

from bot.channels import Gone, Post
from bot.store import forum_pastes, forum_threads, games
from bot.store.database import writing
from bot.store.forum_pastes import FORUM_PASTED
from bot.store.forum_posts import FORUM_LINK, SeenLine, SeenPost, keep_seen
from bot.store.forum_threads import Thread
from bot.store.tables import GAME as GAMES
from tests.moderator.table import GAME, START, World

TOLD = Thread(GAME, "arrakis", "17", told=40, told_turn=3, told_snapshot=-1, looked=9)


@pytest.fixture
def conn(tmp_path: Path) -> Iterator[Connection]:
    world = World.at(tmp_path)
    world.new_game()
    with writing(world.engine) as conn:
        forum_threads.add_thread(conn, TOLD)
        yield conn
    world.engine.dispose()


@pytest.mark.parametrize(
    ("events", "turn", "told", "told_turn", "remarked"),
    [(39, 3, 39, 2, True), (40, 4, 40, 3, False), (41, 5, 40, 3, False), (12, 1, 12, 0, True)],
)
def test_what_was_taken_back_is_told_again_and_what_was_not_told_needs_no_remark(
    conn: Connection, events: int, turn: int, told: int, told_turn: int, remarked: bool
) -> None:
    forum_threads.roll_back_thread(conn, GAME, events, turn, "turn 3, bidding")
    assert forum_threads.thread_of(conn, GAME) == replace(TOLD, told=told, told_turn=told_turn, looked=-1)
    remarks = [(one.kind, one.in_force) for one in forum_threads.remarks(conn, GAME)]
    assert remarks == ([("rolled-back", "turn 3, bidding")] if remarked else [])


def test_a_game_without_a_thread_is_taken_back_all_the_same(conn: Connection) -> None:
    forum_threads.forget_thread(conn, GAME)
    forum_threads.roll_back_thread(conn, GAME, 1, 1, "turn 1, storm")
    assert forum_threads.thread_of(conn, GAME) is None
    assert forum_threads.remarks(conn, GAME) == []


def test_a_game_has_no_snapshot_before_its_first(conn: Connection) -> None:
    assert forum_threads.last_snapshot(conn, "sietch-99") == -1
    assert forum_threads.last_snapshot(conn, GAME) >= 0


@pytest.mark.parametrize(("turn", "to_its_end"), [(2, True), (3, True), (4, False)])
def test_a_thread_is_at_its_end_when_the_last_turn_was_told(conn: Connection, turn: int, to_its_end: bool) -> None:
    conn.execute(update(GAMES).where(GAMES.c.id == GAME).values(turn=turn))
    assert not forum_threads.is_told_to_its_end(conn, TOLD)
    conn.execute(update(GAMES).where(GAMES.c.id == GAME).values(status="over"))
    assert forum_threads.is_told_to_its_end(conn, TOLD) == to_its_end


@pytest.mark.parametrize(
    ("status", "played"), [("accepted", True), ("held", True), ("done", True), ("refused", False), ("unread", False)]
)
def test_a_game_was_played_once_a_line_that_was_posted_counts(conn: Connection, status: str, played: bool) -> None:
    assert not games.was_played(conn, GAME)
    lines = (SeenLine("bid 2", "refused"), SeenLine("bid 3", status))
    keep_seen(conn, SeenPost(GAME, "4", "Ann", "ann", START, START, "digest", faction="guild", lines=lines))
    assert games.was_played(conn, GAME) == played


def test_letters_of_a_game_that_is_no_more_have_used_up_its_name(conn: Connection) -> None:
    assert not games.was_deleted(conn, GAME)
    assert not games.was_deleted(conn, "sietch-1")
    games.delete_game(conn, GAME)
    assert games.was_deleted(conn, GAME)


def test_of_a_seat_only_its_own_posts_are_forgotten_and_each_leaves_its_place(conn: Connection) -> None:
    """The Guild has an account now, but had none when its first post was handed in. The Emperor has none and is
    identified by seat."""
    conn.execute(insert(FORUM_LINK), {
        "game_id": GAME, "faction": "guild", "forum": "arrakis", "account": "ann", "author": "Ann", "generation": 0,
        "since": START,
    })  # fmt: skip

    def post(number: str, account: str) -> Post:
        return Post(number, account.title(), account, START + timedelta(minutes=int(number)), "bid 2")

    def kept() -> list[Post | Gone]:
        return [forum_pastes._read(row.data) for row in conn.execute(FORUM_PASTED.select().order_by(FORUM_PASTED.c.id))]

    seats = [f"{forum_pastes.OF_SEAT}{faction}" for faction in ("emperor", "guild")]
    posts: list[Post | Gone] = [
        post("1", "ann"), post("2", "bob"), Gone("3"), post("4", seats[0]), post("5", seats[1]),
    ]  # fmt: skip
    for one in posts:
        row = {"game_id": GAME, "thread": "17", "post": one.id, "data": forum_pastes._written(one)}
        conn.execute(insert(FORUM_PASTED), row)
    assert kept() == posts
    forum_pastes.forget_pasted(conn, [GAME], "guild")
    assert kept() == [Gone("1"), *posts[1:4], Gone("5")]
    forum_pastes.forget_pasted(conn, [GAME], "emperor")
    assert kept() == [Gone("1"), posts[1], Gone("3"), Gone("4"), Gone("5")]
    forum_pastes.forget_pasted(conn, ["sietch-1"])
    assert kept()[1] == posts[1]
    forum_pastes.forget_pasted(conn, [GAME])
    assert kept() == [Gone(one.id) for one in posts]
