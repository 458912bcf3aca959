"""Tests that the archive shows only a running game's public side, and on a faction's page nothing private to others."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import msgspec
import pytest

from bot.archive.game_pages import GamePages
from bot.archive.games import (
    ArchivePolicy,
    FiledLine,
    FinishedGame,
    RunningGame,
    Step,
    StoryGathering,
    play_steps,
    story_so_far,
)
from bot.archive.site import Offered, build
from rules.components import Faction
from rules.state.events import Event
from tests.archive.finished import finished
from tests.archive.running import running
from tests.archive.test_site import tree

SEED = "archive"


def marked(step: Step) -> Step:
    """Return the step with a mark in everything that only one faction was told."""
    event = step.event
    if event is None:
        return step
    if event.audience is not None:
        mark = f"only-{'-'.join(event.audience)}-heard"
        facts = {key: mark if key == "text" else value for key, value in event.facts.items()}
        return replace(step, event=msgspec.structs.replace(event, facts=facts))
    private = {faction: _marked(told, f"only-{faction}-knew") for faction, told in event.private.items()}
    return replace(step, event=msgspec.structs.replace(event, private=private))


def _marked(told: Mapping[str, Any], mark: str) -> dict[str, Any]:
    return {
        key: mark if key == "card" else [mark for _ in value] if key == "cards" else value
        for key, value in told.items()
    }


def pages(game: FinishedGame) -> dict[str, str]:
    gathering = StoryGathering(game, SEED)
    for step in play_steps(game, SEED):
        gathering.see(marked(step))
    made = GamePages(gathering.told())
    files = made.pages() | {"index.html": made.index(())}
    return {name: content.decode() for name, content in files.items() if not name.endswith(".png")}


def sheets(game: FinishedGame) -> list[FiledLine]:
    return [FiledLine(faction, 1, f"only-{faction}-wrote", 0, "active", "") for faction in game.cast]


@pytest.mark.parametrize("ruleset", ["wbc-2018", "gf9-advanced"])
def test_the_story_of_a_faction_tells_nothing_that_only_others_knew(ruleset: str) -> None:
    game = finished(ruleset)
    made = pages(replace(game, sheets=sheets(game)))
    for faction in game.cast:
        page = made[f"as-{faction}.html"]
        assert f"only-{faction}-wrote" in page
        for other in game.cast:
            if other != faction:
                assert f"only-{other}-knew" not in page
                assert f"only-{other}-wrote" not in page
    assert any(f"only-{faction}-knew" in made[f"as-{faction}.html"] for faction in game.cast)


def test_what_all_may_read_tells_nothing_that_some_knew() -> None:
    game = finished("wbc-2018")
    for name, page in pages(game).items():
        if name.startswith("turn-") or name in ("index.html", "battles.html"):
            assert "only-" not in page, name


def test_of_a_game_whose_policy_is_the_public_side_nothing_hidden_is_shown() -> None:
    game = finished("wbc-2018")
    made = pages(replace(game, sheets=sheets(game), policy=ArchivePolicy(ended="public-only")))
    assert "secrets.html" not in made
    assert not [name for name in made if name.startswith("as-")]
    assert not [name for name, page in made.items() if "only-" in page.replace("public-only", "")]


def test_a_hidden_game_is_not_shown_and_what_was_shown_of_it_goes(tmp_path: Path) -> None:
    shown = running(finished("gf9-basic"))
    build(tmp_path / "site", [], [Offered(shown.id, "1", lambda: shown)])
    assert (tmp_path / "site/running.html").exists()
    build(tmp_path / "site", [], [Offered(shown.id, "1", lambda: replace(shown, policy=ArchivePolicy()))])
    assert not (tmp_path / "site/running.html").exists()
    assert not (tmp_path / "site/game").exists()


def test_neither_key_nor_time_nor_anything_hidden_shows_in_the_files_of_a_running_game(tmp_path: Path) -> None:
    """All viewers see the same view in both worlds; only the key differs."""
    for number, key in enumerate(("one", "another")):
        shown = running(finished("wbc-2018"))
        build(tmp_path / str(number), [], [Offered(shown.id, key, lambda shown=shown: shown)])  # type: ignore[misc]
    assert tree(tmp_path / "0") == tree(tmp_path / "1")


def test_a_running_game_shows_no_head_of_a_chain_and_asks_not_to_be_listed(tmp_path: Path) -> None:
    shown = running(finished("wbc-2018"))
    build(tmp_path / "site", [], [Offered(shown.id, "1", lambda: shown)])
    folder = tmp_path / "site/game" / shown.id
    assert {path.name for path in folder.iterdir()} >= {"index.html", "turn-01.html", "turn-02.html", "SHA256SUMS"}
    for page in (*folder.glob("*.html"), tmp_path / "site/running.html"):
        told = page.read_text()
        assert '<meta name="robots" content="noindex">' in told
        assert "record so far" not in told


def test_only_what_is_public_of_an_event_reaches_the_pages_of_a_running_game() -> None:
    shown = running(finished("wbc-2018"))
    secret: dict[Faction, dict[str, str]] = {"guild": {"card": "only-guild-knew"}}
    events = [msgspec.structs.replace(event, private=secret) for event in shown.events]
    events.append(Event(len(events), 1, "storm", "offer-made", {"text": "only-two-heard"}, {}, ("guild", "fremen")))
    assert _pages_of(replace(shown, events=events)) == _pages_of(shown)


def _pages_of(shown: RunningGame) -> dict[str, bytes]:
    told = story_so_far(shown)
    assert told is not None
    return GamePages(told).pages()
