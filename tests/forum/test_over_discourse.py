"""Part of a game over the Discourse stand-in, with Discourse's default limits."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from bot.channels.discourse import Discourse
from bot.store import forum_threads, games
from bot.store.database import reading
from rules.components import Faction
from tests.channels.discourse_server import CATEGORY, KEY, Standin
from tests.forum.place import GAME, ForumWorld, code_in


class DiscourseWorld(ForumWorld):
    """A world whose game has a thread in the stand-in."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        self.standin = Standin(lambda: self.world.now)
        self.channel = Discourse(  # type: ignore[assignment]
            self.standin.address, KEY, "mentat", CATEGORY, seconds=2.0, clock=lambda: self.world.now.timestamp()
        )
        self.watch = self.another_watch()

    def join(self, name: str) -> str:
        if name not in self.people:
            self.people[name] = str(self.standin.join(name).id)
        return self.people[name]

    def write(self, name: str, text: str) -> str:
        self.join(name)
        return str(self.standin.write(self.standin.users[name], int(self.thread().thread), text))

    def texts(self) -> list[str]:
        """Return Mentat's posts, in order."""
        mine = [post for post in self.standin.posts.values() if post.user is self.standin.us]
        return [post.raw for post in sorted(mine, key=lambda post: post.number)]

    def quiet(self) -> None:
        """Let time pass until no post waits; another user talks because Discourse allows only three posts in a row."""
        for number in range(12):
            self.look(3)
            with reading(self.world.engine) as conn:
                if not forum_threads.waiting_posts(conn, GAME):
                    return
            self.write("stilgar", f"What happens next? I ask for the {number}th time.")
        raise AssertionError(self.thread().problem)

    def bids(self) -> list[tuple[Faction, int]]:
        with reading(self.world.engine) as conn:
            events = games.events_of(conn, GAME)
        return [(event.facts["faction"], event.facts["amount"]) for event in events if event.kind == "bid"]


@pytest.fixture
def place(tmp_path: Path) -> Iterator[DiscourseWorld]:
    place = DiscourseWorld(tmp_path)
    place.begin_at("bidding")
    place.quiet()
    yield place
    place.standin.stop()


def test_an_account_is_linked_an_act_is_taken_and_a_turn_ends(place: DiscourseWorld) -> None:
    bidder = place.bidder()
    place.world.say(bidder, "forum name chani_77")
    place.write("chani_77", f"Good evening to all of you.\n\n!I am {code_in(place.world.newest(bidder).text)}")
    place.quiet()
    place.write("chani_77", "I like this card.\n\n!bid 2")
    place.write("edric", "I like it better, whatever anybody says.\n\n!bid 9")
    place.quiet()
    assert place.bids() == [(bidder, 2)]
    assert "chani" in place.texts()[-1]
    while place.world.table().play.state.turn == 1:
        place.world.wait(24)
    place.quiet()
    assert any("turn 1 is over" in text for text in place.texts())
    assert any("upload://" in text for text in place.texts())
    assert "where we are" in place.texts()[0]
    assert "turn 2" in place.standin.topics[int(place.thread().thread)].title


def test_a_revoked_key_costs_nobody_anything_and_is_told_to_the_game_master(place: DiscourseWorld) -> None:
    bidder = place.bidder()
    place.standin.key = "another"
    place.world.say(bidder, "bid 2")
    for _ in range(4):
        place.look(40)
    assert place.bids() == [(bidder, 2)]
    assert place.thread().problem or place.state("posting").problem or place.state().problem
    place.standin.key = KEY
    place.look(600)
    place.quiet()
    assert "bid 2" in place.texts()[-1]


@pytest.mark.parametrize("fault", ["drop", "late", "lost", "half", "twice", "null", "page502", "page200"])
def test_what_a_forum_answers_wrongly_is_asked_again_and_posted_once(fault: str, place: DiscourseWorld) -> None:
    bidder, before = place.bidder(), len(place.texts())
    place.world.say(bidder, "bid 2")
    place.standin.faults.append(f"write:{fault}")
    for _ in range(6):
        place.look(5)
    place.quiet()
    assert [text.count("bid 2 for card 1") for text in place.texts()[before:]] == [1]


def test_a_post_that_a_moderator_deletes_counts_all_the_same(place: DiscourseWorld) -> None:
    bidder = place.bidder()
    place.link(bidder)
    post = place.write(bidder, "This is what I bid:\n\n!bid 2")
    place.quiet()
    place.standin.delete_by_author(int(post))
    place.look(10)
    place.quiet()
    assert place.bids() == [(bidder, 2)]
    assert "was deleted after it was taken" in place.texts()[-1]
