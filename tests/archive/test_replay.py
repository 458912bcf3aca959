"""Tests that the stepper's page holds each step's views, hides what the policy does not publish, and stays small."""

from __future__ import annotations

import gzip
import json
import re
from dataclasses import replace
from itertools import combinations
from typing import Any

import html5lib
import pytest

from bot.archive.games import ArchivePolicy, Cast, FinishedGame, Step, play_steps, rules_of
from bot.archive.replay import ALIKE, NOTHING, OF_A_QUESTION, Sentences, Tracks
from bot.record.lines import decode, encode
from rules.components.factions import faction_name
from rules.engine.log import Corrected, Entry, Expired, LastTurn, Stopped, Submitted, Withdrawn
from rules.orders import Bid, BidUpTo
from rules.rulesets.rulebook import CLAUSES
from rules.state.clauses import Clauses
from rules.state.events import Viewer
from tests.archive.finished import finished
from tests.archive.single_pages import replay_page

RULE_SETS = ("wbc-2018", "gf9-advanced", "ah-optional")
DEAL = "Leave me Carthag this turn"
HOSTILE = '</script><img src=x onerror="document.title=1">{{ 7*7 }}[/b]\u202egnihton \u2066' + "spice " * 60 + "end"
LONG = HOSTILE + "spice " * 1_600


def held(page: bytes) -> dict[str, Any]:
    """Return the data embedded in the page."""
    found = re.search(rb'<script type="application/json" id="data">(.*?)</script>', page, re.DOTALL)
    assert found
    data: dict[str, Any] = json.loads(found[1])
    return data


def shown(step: Step, viewer: Viewer) -> dict[str, Any]:
    """Return the view as the page stores it, with each question reduced to the keys in OF_A_QUESTION."""
    view = dict(step.views[viewer])
    view["questions"] = [{key: one[key] for key in OF_A_QUESTION} for one in view["questions"]]
    found: dict[str, Any] = json.loads(json.dumps(view))
    return found


def read(data: dict[str, Any], leaves: dict[int, int]) -> dict[str, Any]:
    """Rebuild a view from its leaves with the simplest possible code."""
    made: dict[int, Any] = {0: {}}
    paths = data["paths"]

    def inside(path: int, name: str | int) -> Any:
        if path not in made:
            made[path] = {}
            inside(*paths[path])[paths[path][1]] = made[path]
        return made[path]

    for path, value in leaves.items():
        if value != NOTHING:
            above, name = paths[path]
            inside(above, name)[name] = data["values"][value]
    found: dict[str, Any] = as_lists(made[0])
    return found


def as_lists(value: Any) -> Any:
    """Turn dictionaries with integer keys into lists."""
    if not isinstance(value, dict):
        return value
    if value and all(isinstance(key, int) for key in value):
        return [as_lists(value[key]) for key in sorted(value)]
    return {key: as_lists(inner) for key, inner in value.items()}


def with_text(game: FinishedGame, text: str, name: str) -> FinishedGame:
    """Return the game with a different deal text and different player names."""
    old, new = json.dumps(DEAL).encode()[1:-1], json.dumps(text, ensure_ascii=False).encode()[1:-1]
    lines = [decode(encode(line).replace(old, new)) for line in game.lines]
    cast = {faction: Cast(faction, one.dot, name) for faction, one in game.cast.items()}
    return replace(game, lines=lines, cast=cast)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ([1, 2, 3], [1]),
        ([1], [1, 2, 3]),
        ([1, 2], [2, 1]),
        ([1], []),
        ([], [1]),
        ({"spice": 3, "hand": ["shield"]}, {"spice": 3}),
        ({"spice": 3}, {"hand": ["shield"]}),
        ({"spice": 3}, {}),
        ({}, {"spice": 3}),
        ([], {}),
        ({"hand": ["shield"]}, ["shield"]),
        (["shield"], None),
        (0, False),
        (1, True),
        (4, 5),
        ([{"dial": 4, "wheel": [1, 2]}, {"dial": 2}], [{"dial": 4, "wheel": [2]}]),
    ],
)
@pytest.mark.parametrize("other", [False, True], ids=["all see it", "one sees it"])
def test_what_changes_between_two_steps_and_back_is_held_whole(before: Any, after: Any, other: bool) -> None:
    tracks = Tracks(["guild"])
    leaves: dict[Viewer, dict[int, int]] = {"public": {}, "guild": {}}
    for place, value in enumerate((before, after, before)):
        seen = {"turn": 1, "shown": value}
        public = {"turn": 1, "shown": before} if other else seen
        tracks.add({"public": public, "guild": seen})
        for viewer, known in leaves.items():
            told = tracks.tracks[viewer][place]
            known.update(zip(told[::2], told[1::2], strict=True))
        differing = {path: value for path, value in leaves["guild"].items() if value != ALIKE}
        data = {"paths": tracks.paths, "values": tracks.values}
        assert json.dumps(read(data, leaves["public"]), sort_keys=True) == json.dumps(public, sort_keys=True)
        found = read(data, {**leaves["public"], **differing})
        assert json.dumps(found, sort_keys=True) == json.dumps(seen, sort_keys=True)


@pytest.mark.parametrize("ruleset", RULE_SETS)
def test_the_page_holds_what_every_viewer_saw_at_every_step(ruleset: str) -> None:
    game = finished(ruleset, "replay")
    data = held(replay_page(game, "replay"))
    now: dict[str, dict[int, int]] = {viewer: {} for viewer in data["viewers"]}
    for step in play_steps(game, "replay"):
        for viewer, track in zip(data["viewers"], data["tracks"], strict=True):
            row = track[step.number]
            now[viewer].update(zip(row[::2], row[1::2], strict=True))
            mine = {path: value for path, value in now[viewer].items() if value != ALIKE}
            assert read(data, {**now["public"], **mine}) == shown(step, viewer), (step.number, viewer)
    assert data["viewers"] == ["public", *data["seats"], "gm"]
    assert len(data["steps"]) == len(data["tracks"][0])


@pytest.mark.parametrize("seed", ["b", "c"])
def test_a_game_of_fifteen_turns_and_six_players_stays_small(seed: str) -> None:
    game = finished("wbc-2018", seed)
    page = replay_page(game, seed)
    assert held(page)["steps"][-1][0] == 15
    assert len(page) < 600_000
    assert len(gzip.compress(page, 9)) < 90_000


@pytest.mark.parametrize("ruleset", ["wbc-2018", "gf9-advanced"])
def test_on_no_board_a_disc_hides_another_and_each_step_has_the_discs_of_its_view(ruleset: str) -> None:
    game = finished(ruleset, "replay")
    data = held(replay_page(game, "replay"))
    for _, *places in data["boards"]:
        discs = [disc for number in places for disc in data["places"][number][-1]]
        for (_, x, y, wide, high), (_, u, v, long, tall) in combinations(discs, 2):
            assert abs(x - u) >= (wide + long) / 2 - 1 or abs(y - v) >= (high + tall) / 2 - 1
    for step in play_steps(game, "replay"):
        _, *places = data["boards"][data["steps"][step.number][6]]
        drawn = [(data["places"][number][0], disc[0]) for number in places for disc in data["places"][number][-1]]
        lying = step.views["public"]
        wanted = [(area, faction) for area, here in lying["forces"].items() for faction in here]
        wanted += [(area, "spice") for area in lying["spice"]]
        assert sorted(wanted) == sorted(disc for disc in drawn if disc[1])


def test_the_same_game_gives_the_same_bytes() -> None:
    game = finished("wbc-2018", "replay")
    assert replay_page(game, "replay") == replay_page(game, "replay")


def test_what_is_not_published_is_not_in_the_file() -> None:
    game = finished("wbc-2018", "replay")
    full = held(replay_page(game, "replay"))
    page = replay_page(replace(game, policy=ArchivePolicy(ended="public-only")), "replay")
    data = held(page)
    assert data["viewers"] == ["public"]
    assert len(data["tracks"]) == 1
    assert not any(alone for _, _, _, _, alone, *_ in data["steps"])
    public = {sentence for _, _, _, sentence, *_ in full["steps"]}
    assert set(data["sentences"]) == {full["sentences"][number] for number in public} | {""}
    assert not any("prediction" in str(path[1]) for path in data["paths"])


def test_nothing_above_the_data_tells_who_won_or_how_long_it_took() -> None:
    game = finished("wbc-2018", "replay")
    head, _, _ = replay_page(game, "replay").decode().partition('id="data"')
    words = re.sub(r"<style>.*?</style>|<[^>]+>", " ", head, flags=re.DOTALL)
    assert not any(faction_name(faction) in words for faction in game.cast)
    assert "Won" not in words


def test_the_page_is_sound_html_without_anything_from_elsewhere() -> None:
    page = replay_page(finished("gf9-advanced", "replay"), "replay").decode()
    html5lib.HTMLParser(strict=True).parse(page)
    outside_data = re.sub(r'id="data">.*?</script>', "", page, flags=re.DOTALL)
    assert re.findall(r"https?://[^\"' ]+", outside_data) == ["http://www.w3.org/2000/svg"]
    assert "default-src 'none'" in outside_data
    assert '<html lang="en">' in page
    assert 'href="turn-01.html"' in page.partition("<noscript>")[2].partition("</noscript>")[0]


def test_what_players_write_cannot_end_the_script_and_is_kept_to_the_letter() -> None:
    game = with_text(finished("wbc-2018", "c"), HOSTILE, LONG)
    page = replay_page(game, "c")
    html5lib.HTMLParser(strict=True).parse(page.decode())
    assert page.count(b"</script>") == 2
    data = held(page)
    assert HOSTILE in data["values"]
    assert set(data["cast"].values()) == {LONG}
    assert any(HOSTILE[:40] in sentence for sentence in data["sentences"])
    assert data["values"].count(HOSTILE) == 1


def test_a_decision_that_told_nothing_is_told_to_who_made_it_and_to_nobody_else() -> None:
    game = finished("wbc-2018", "replay")
    data = held(replay_page(game, "replay"))
    seen = 0
    for step in play_steps(game, "replay"):
        _, _, _, told, alone, *_ = data["steps"][step.number]
        if step.event is None and alone:
            seen += 1
            assert told == 0 or re.search(" begins| is over", data["sentences"][told])
            words = [data["sentences"][number] for number in alone.values()]
            assert all(re.search(" decided: | did not answer | withdrew ", one) for one in words)
    assert seen


QUIET = Step(1, 2, "bidding", 4, None, {})


@pytest.mark.parametrize(
    ("entry", "told"),
    [
        (None, {}),
        (Submitted("guild", (Bid(2), BidUpTo(4))), {"guild": "Guild decided: bid 2; bid up to 4."}),
        (
            Expired((("guild", "bid", ""), ("atreides", "bid", ""), ("guild", "charity", ""))),
            {
                "guild": "Guild did not answer in time.",
                "atreides": "Atreides did not answer in time.",
            },
        ),
        (Withdrawn("guild"), {"guild": "Guild withdrew orders that were meant for later."}),
        (LastTurn(6), {}),
        (Stopped("void"), {}),
        (Corrected(()), {}),
    ],
)
def test_what_was_decided_without_a_word_is_told_to_who_decided_it(entry: Entry | None, told: dict[str, str]) -> None:
    viewers: tuple[Viewer, ...] = ("public", "gm", "guild", "atreides")
    telling = Sentences(viewers)
    public, alone = telling.tell(QUIET, entry)
    assert telling.sentences[public] == "Turn 2: bidding begins."
    assert {viewers[number]: telling.sentences[kept] for number, kept in alone.items()} == told
    again, _ = telling.tell(QUIET, None)
    assert again == 0, "that it has begun is told once"
    later, _ = telling.tell(Step(2, 3, "bidding", 5, None, {}), None)
    assert telling.sentences[later] == "Turn 3: bidding begins."


def test_an_event_names_the_clause_behind_it_with_its_words() -> None:
    game = finished("wbc-2018", "replay")
    data = held(replay_page(game, "replay"))
    behind = Clauses(rules_of(game))
    for step in play_steps(game, "replay"):
        clause = behind.of(step.event) if step.event else None
        number = data["steps"][step.number][7]
        assert (data["clauses"][number - 1] if number else None) == ([clause, CLAUSES[clause].rule] if clause else None)
    assert len(data["clauses"]) > 20
