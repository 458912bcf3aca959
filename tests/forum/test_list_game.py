"""A game over a mailing list, with secrets by mail, has the same record as the same orders by mail alone."""

from __future__ import annotations

import os
from datetime import UTC, datetime
from pathlib import Path

import pytest

from bot.games import proof
from bot.store import forum_posts
from bot.store.archive import record_lines
from bot.store.database import reading
from tests.channels.list_server import ADDRESS, ListInMemory
from tests.channels.mailman_server import Mailman
from tests.forum.list_game import GAME, ListGame, by_mail_alone
from tests.moderator.table import World

TURNS = 10 if os.environ.get("MENTAT_SLOW") else 1
"""MENTAT_SLOW=1 plays it to its end."""


class InMemory(ListInMemory):
    """A list in memory that anybody can join."""

    address = ADDRESS

    def join(self, member: str, name: str = "") -> None:
        self.members.add(member)

    def settle(self) -> None:
        """Do nothing, as mail arrives at once."""


@pytest.fixture(autouse=True)
def same_words(monkeypatch: pytest.MonkeyPatch) -> None:
    """Give both games the same random salt, which hides the wording of offers in the record."""
    monkeypatch.setattr("bot.store.games.secrets.token_bytes", lambda count: b"x" * count)


def test_over_a_list_in_memory(tmp_path: Path) -> None:
    check(ListGame(tmp_path, InMemory(lambda: datetime.now(UTC)), turns=TURNS), tmp_path)


def test_over_a_list_in_memory_in_words_of_people(tmp_path: Path) -> None:
    check(ListGame(tmp_path, InMemory(lambda: datetime.now(UTC)), turns=1, in_words=True), tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize("in_words", [False, True])
def test_over_a_real_mailman(tmp_path: Path, mailman: Mailman, in_words: bool) -> None:
    check(ListGame(tmp_path, mailman.list(), turns=max(TURNS, 2), in_words=in_words), tmp_path)


def check(game: ListGame, folder: Path) -> None:
    game.play()
    world, other = game.world, by_mail_alone(folder / "alone", game)
    assert world.table().play.over
    assert record_of(world) == record_of(other)
    with reading(world.engine) as conn:
        assert proof.verify(proof.full_record(conn, GAME)).holds
        posts = forum_posts.seen_in_game(conn, GAME)
    assert sum(taken.posted for taken in game.taken) > 10
    assert game.forged
    assert game.gossip
    assert not [post for post in posts if post.taken and "30" in str(post.lines)]
    told = [letter for letter in world.letters("emperor") if "counts only by mail" in " ".join(letter.text.split())]
    assert len(told) == game.gossip


def record_of(world: World) -> list[bytes]:
    with reading(world.engine) as conn:
        return record_lines(conn, GAME).splitlines()
