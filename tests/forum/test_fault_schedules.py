"""Random faults between Mentat and a forum change nothing in the game: each act and each post happens once."""

from __future__ import annotations

import random
import re
from collections import Counter
from pathlib import Path

import pytest

from bot.channels import Dialect
from bot.forum.posts import read_post
from bot.language.orders import write
from bot.store import forum_posts, forum_threads
from bot.store.database import reading
from bot.store.record import log_of
from rules.components import Faction
from rules.engine.log import Entry
from tests.channels.faults import Fault
from tests.forum.place import GAME, SIX, ForumWorld
from tests.size import size

STEPS = 10
SCHEDULES = size(12, 300)


class Played:
    """Part of a game in a forum; `seed` decides when the connection fails, and 0 means never."""

    def __init__(self, folder: Path, seed: int, game: int) -> None:
        self.place = ForumWorld(folder)
        self.place.begin_at("bidding")
        self.place.link(*SIX)
        self._faults, self._script = random.Random(seed), random.Random(game)
        self._breaks = seed > 0
        self.acts: list[str] = []
        for _ in range(STEPS):
            self._step()
        self.place.forum.line.faults.clear()
        for _ in range(20):
            self.place.look(40)

    def _step(self) -> None:
        place, script = self.place, self._script
        faction, line = self._next_line()
        public = [read.kind for read in read_post(f"!{line}", Dialect.TEXT)] == ["act"]
        if public and script.random() < 0.6:
            self._break()
            post = place.write(faction, f"Well.\n!{line}")
            self.acts.append(post)
            for _ in range(60):
                place.look(1)
                with reading(place.world.engine) as conn:
                    if forum_posts.seen_post(conn, GAME, post):
                        break
            else:
                raise AssertionError(f"{post} was never read")
            if script.random() < 0.3:
                place.write("chani", "What a game!")
        else:
            place.world.say(faction, line)
            self._break()
            place.look(2)

    def _next_line(self) -> tuple[Faction, str]:
        questions = self.place.world.table().play.questions()
        question = self._script.choice(list(questions))
        return question.faction, write(self._script.choice(list(question.samples())))

    def _break(self) -> None:
        if self._breaks:
            self.place.forum.line.faults += self._faults.choices(list(Fault), k=self._faults.randrange(4))

    def log(self) -> list[Entry]:
        with reading(self.place.world.engine) as conn:
            return list(log_of(conn, GAME))


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> dict[int, Played]:
    """Return the games played over a reliable connection."""
    return {game: Played(tmp_path_factory.mktemp(f"game{game}"), 0, game) for game in range(2)}


@pytest.mark.parametrize("seed", range(1, SCHEDULES + 1))
def test_it_is_the_same_game_and_nothing_is_lost_doubled_or_out_of_order(
    seed: int, undisturbed: dict[int, Played], tmp_path: Path
) -> None:
    game = seed % 2
    played = Played(tmp_path, seed, game)
    assert played.log() == undisturbed[game].log()
    place = played.place
    with reading(place.world.engine) as conn:
        ours = [each for each in forum_threads.own_posts(conn, GAME) if each.kind in ("open", "post")]
        waiting = forum_threads.waiting_posts(conn, GAME)
        read = [post.post for post in forum_posts.seen_in_game(conn, GAME)]
    assert waiting == []
    thread = sorted(place.posts(), key=lambda post: post.number or 0)
    assert [post.id for post in thread if post.author == "Mentat"] == [each.post for each in ours]
    assert Counter(played.acts) == Counter(read)
    told = Counter(_bids("\n".join(place.ours())))
    assert told == Counter(_bids("\n".join(undisturbed[game].place.ours())))
    assert told


def _bids(posts: str) -> list[str]:
    """Return the bids that the posts report, including repeats."""
    return re.findall(r"(?:[A-Z]\w+ )?[A-Z]\w+ bid \d+", posts)
