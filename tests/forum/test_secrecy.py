"""Secrets change nothing in a thread: not its words, the number of its posts or their times."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from rules import views
from rules.components import Faction
from rules.engine.play import Play
from rules.state.events import Viewer
from tests.forum.place import SIX, ForumWorld

Secret = tuple[Faction, str]

SECRETS: dict[str, Sequence[Secret]] = {
    "somebody looks": [("guild", "status"), ("guild", "history"), ("harkonnen", "map")],
    "somebody files a sheet": [("harkonnen", "when card 2 and price < 3: bid 3"), ("guild", "standing: charity")],
    "somebody orders ahead": [("harkonnen", "no shipment"), ("harkonnen", "no revival"), ("guild", "pass all")],
    "somebody waives reactions": [
        ("fremen", "waive reactions until mentat"), ("emperor", "waive reactions until mentat"),
    ],
    "somebody orders what is refused": [
        ("guild", "bid 40"), ("guild", "plan 3, no leader"), ("fremen", "ship 99 to Carthag"),
    ],
    "somebody writes to another": [("guild", "press to fremen: I have the Lasgun"), ("fremen", "press to guild: So?")],
    "somebody offers a deal": [("guild", "deal with Fremen: I pay 1 spice now for peace")],
    "somebody asks for a code": [("guild", "forum name edric"), ("guild", "forum")],
    "somebody changes how they get mail": [("guild", "letters daily"), ("guild", "timezone Europe/Berlin")],
    "somebody adds an address": [("guild", "address add edric@elsewhere.example")],
    "somebody writes to the desk": [("guild", "press to gm: Is Fremen still there?")],
}  # fmt: skip


def play(place: ForumWorld, secrets: Sequence[Secret] = (), posted: Sequence[tuple[str, str]] = ()) -> list[object]:
    """Play the same part of a game with or without secrets; return everything that readers of the thread ever see."""
    place.begin_at("bidding")
    place.link(*(faction for faction in SIX if faction != "guild"))
    seen: list[object] = []

    def look(minutes: float) -> None:
        place.look(minutes)
        seen.append([(post.id, post.raw, post.posted) for post in place.posts() if post.author == "Mentat"])
        seen.append(place.forum.title(place.thread().thread))
        seen.append([hashlib.sha256(png).hexdigest() for png in place.forum.pictures.values()])

    look(1)
    for faction, line in secrets:
        place.world.say(faction, line)
        look(1)
    for _ in range(len(SECRETS_MOST) - len(secrets)):
        look(1)
    for name, text in posted:
        place.write(name, text)
    place.write(place.bidder(), "!bid 1")
    look(1)
    place.world.say(place.bidder(), "pass")
    look(7)
    return seen


SECRETS_MOST = max(SECRETS.values(), key=len)


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> list[object]:
    return play(ForumWorld(tmp_path_factory.mktemp("undisturbed")))


@pytest.mark.parametrize("secrets", SECRETS.values(), ids=SECRETS.keys())
def test_what_is_mailed_in_secret_changes_nothing_in_the_thread(
    secrets: Sequence[Secret], undisturbed: list[object], tmp_path: Path
) -> None:
    assert play(ForumWorld(tmp_path), secrets) == undisturbed


POSTED = [
    ("fremen", "!yes"), ("fremen", "!the Lasgun"), ("fremen", "!bid 2"), ("guild", "!cancel"), ("guild", "!wait"),
    ("harkonnen", "!no shipment"), ("harkonnen", "!cancel no revival"), ("emperor", "!I use my weapon"),
]  # fmt: skip


@pytest.mark.parametrize("secrets", SECRETS.values(), ids=SECRETS.keys())
def test_what_is_mailed_in_secret_changes_nothing_of_what_the_thread_says_of_posts(
    secrets: Sequence[Secret], tmp_path: Path
) -> None:
    (tmp_path / "one").mkdir()
    (tmp_path / "other").mkdir()
    told = play(ForumWorld(tmp_path / "one"), posted=POSTED)
    assert play(ForumWorld(tmp_path / "other"), secrets, posted=POSTED) == told
    assert "Does not count" in str(told)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("!plan 3, no leader", "plan"),
        ("!press to guild: psst", "psst"),
        ("!bidxx 3", "bidxx"),
        ("!I have a lasgun", "las"),
    ],
)
def test_of_what_does_not_count_the_thread_repeats_no_words(text: str, words: str, tmp_path: Path) -> None:
    place = ForumWorld(tmp_path)
    place.begin_at("bidding")
    place.link(*SIX)
    place.look(1)
    before = place.ours()
    place.write("harkonnen", text)
    place.look(1)
    place.look(10)
    (told,) = place.ours()[len(before) :]
    assert words not in told


@pytest.mark.parametrize("text", ["hello", "!I am ABCDEF", "How nice!", "!!!", "I would !never do that"])
def test_talk_brings_no_post(text: str, tmp_path: Path) -> None:
    place = ForumWorld(tmp_path)
    place.begin_at("bidding")
    place.link(*SIX)
    place.look(1)
    before, title = place.ours(), place.forum.title(place.thread().thread)
    place.write("harkonnen", text)
    place.look(1)
    place.look(10)
    assert place.ours() == before
    assert place.forum.title(place.thread().thread) == title


def test_posts_are_made_from_what_everybody_sees_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    place = ForumWorld(tmp_path)
    place.begin_at("bidding")
    viewers: list[Viewer] = []

    def noted(asked: Callable[[Play, Viewer], object]) -> Callable[[Play, Viewer], object]:
        def noting(play: Play, viewer: Viewer) -> object:
            viewers.append(viewer)
            return asked(play, viewer)

        return noting

    monkeypatch.setattr(views, "view", noted(views.view))
    monkeypatch.setattr(views, "known", noted(views.known))
    while place.world.table().play.state.turn == 1:
        place.world.wait(24)
        viewers.clear()
        place.watch.post(place.world.now, at_once=True)
        assert set(viewers) <= {"public"}
    assert any("turn 1 is over" in post for post in place.ours())
