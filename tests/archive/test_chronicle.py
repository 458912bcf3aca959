"""Tests for a game's chronicle: its length, what it says about the ending, and what it never reveals."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import html5lib
import pytest

from bot.archive.chronicle import MOST_WORDS, Chronicle
from bot.archive.game_pages import story_text
from bot.archive.games import ArchivePolicy, GameStory, Turn, story_of, story_so_far
from rules.components import Faction
from rules.state.events import Event
from tests.archive.finished import finished
from tests.archive.running import running
from tests.archive.test_rendering import HOSTILE

GAMES = (("wbc-2018", 6), ("gf9-advanced", 2), ("gf9-basic", 4), ("ah-basic", 6), ("vaca-2.0", 6))


def sentences(text: str) -> list[str]:
    return re.findall(r"[^.]+\.(?=\s|$)", text)


@pytest.mark.parametrize(("ruleset", "players"), GAMES)
def test_a_story_has_four_to_nine_hundred_words_and_a_summary_of_three_to_five_sentences(
    ruleset: str, players: int
) -> None:
    told = story_of(finished(ruleset, players=players))
    text = story_text(told, "text")
    assert 400 <= len(text.split()) <= 900
    assert max(map(len, text.splitlines())) <= 78
    summary = Chronicle(told).summary()
    assert 3 <= len(sentences(summary)) <= 5
    assert "None" not in text
    assert "  " not in summary
    assert ".." not in text


def test_the_formats_of_a_story_tell_the_same() -> None:
    told = story_of(finished())
    words = {format: story_text(told, format) for format in ("text", "markdown", "html")}
    html5lib.HTMLParser(strict=True).parse(words["html"])
    assert "src=" not in re.sub('src="data:', "", words["html"]), "it needs no other file"
    assert "href=" not in re.sub('href="#main"', "", words["html"])
    for part in ("THE RECKONING", "THE BEGINNING"):
        assert part in words["text"]
        assert f"### {part.capitalize()}" in words["markdown"]
        assert f"{part.capitalize()}</h2>" in words["html"]
    assert words["html"].count("<figure") == words["text"].count("The board after turn") > 0


def won(how: str, winners: Sequence[Faction] = ("guild",), **facts: Any) -> GameStory:
    told = story_of(finished())
    last = told.turns[-1]
    events = [
        replace_facts(event, {"how": how, "winners": list(winners), "instead_of": [], **facts})
        if event.kind == "game-won"
        else event
        for event in last.events
    ]
    return replace(told, winners=tuple(winners), turns=[*told.turns[:-1], replace(last, events=events)])


def replace_facts(event: Event, facts: Mapping[str, Any]) -> Event:
    return Event(event.number, event.turn, event.phase, event.kind, facts, event.private, event.audience)


@pytest.mark.parametrize(
    ("how", "winners", "headline", "summary"),
    [
        ("strongholds", ("bene-gesserit",), "The Bene Gesserit took Carthag, Habbanya Ridge Sietch and Dune on turn 3",
         "On turn 3 the Bene Gesserit added Carthag and Habbanya Ridge Sietch to Arrakeen, and won."),
        ("strongholds", ("guild",), "The Guild held on to one stronghold and won on turn 3",
         "On turn 3 the Guild still held Tuek's Sietch, and won."),
        ("fremen", ("fremen",), "Nobody could hold enough: the Fremen kept Dune on turn 3",
         "When turn 3 ended, nobody had won, and Dune stayed with the Fremen."),
        ("guild", ("guild", "emperor"), "Nobody could hold enough: the spice flowed for the Guild and the Emperor on "
         "turn 3", "When turn 3 ended, nobody had won, and the spice went on flowing for the Guild."),
        ("most strongholds", ("guild",), "The Guild held the most strongholds when time ran out on turn 3",
         "When the last turn ended, the Guild held the most strongholds, and won."),
        ("agreed", ("guild",), "Peace by consent: the Guild won on turn 3", "After turn 3 all players agreed to end"),
        ("adjudicated", ("guild",), "Decided on the board: the Guild won on turn 3", "it was stopped and decided"),
        ("void", (), "Nobody won: the game was ended on turn 3", "It was ended on turn 3 without a winner."),
    ],
)  # fmt: skip
def test_the_headline_and_the_summary_say_how_a_game_ended(
    how: str, winners: tuple[Faction, ...], headline: str, summary: str
) -> None:
    chronicle = Chronicle(won(how, winners))
    assert chronicle.headline() == headline
    assert summary in chronicle.summary()


def test_a_foretold_victory_names_who_would_have_won() -> None:
    chronicle = Chronicle(won("prediction", ("bene-gesserit",), instead_of=["emperor"]))
    assert chronicle.headline() == "Foretold: the Bene Gesserit won on turn 3 in the place of the Emperor"
    assert "the Bene Gesserit had written down just that" in chronicle.summary()


def cut(told: GameStory, turn: Turn) -> GameStory:
    return replace(told, turns=[turn])


def test_a_game_that_ended_in_its_first_turn_and_a_turn_without_an_event_have_a_story() -> None:
    told = story_of(finished())
    first = story_text(cut(won("void", ()), told.turns[0]), "text")
    assert "One turn, two battles" in " ".join(first.split())
    assert len(first.split()) <= MOST_WORDS
    empty = replace(told, turns=[told.turns[0], Turn(2, [], told.turns[0].views), *told.turns[2:]])
    assert "Turn 2 passed without a blow." in story_text(empty, "text")
    told = replace(told, policy=ArchivePolicy(ended="public-only"))
    nothing = story_text(cut(told, Turn(1, [], told.turns[0].views)), "text")
    assert "Nothing happened that anybody will remember." in " ".join(nothing.split())


def test_a_story_of_the_public_side_or_of_a_running_game_tells_no_secret() -> None:
    game = finished()
    everything, public = (
        story_text(story_of(replace(game, policy=ArchivePolicy(ended=ended))), "text")
        for ended in ("full", "public-only")
    )
    for secret in ("had written down", "in somebody's pay", "ever richer"):
        assert secret in " ".join(everything.split())
        assert secret not in " ".join(public.split())
    so_far = story_so_far(running(game, turn=2))
    assert so_far is not None
    text = " ".join(story_text(so_far, "text").split())
    assert "Two turns so far" in text
    assert "In turn 2, so far, " in text
    assert "had written down" not in text
    assert "won on" not in text


def test_words_of_players_stay_words_and_their_names_are_cut() -> None:
    game = finished()
    cast = {faction: replace(one, name=HOSTILE) for faction, one in game.cast.items()}
    told = story_of(replace(game, cast=cast))
    page = story_text(told, "html")
    html5lib.HTMLParser(strict=True).parse(page)
    assert "</script" not in page
    assert "{{ 7 * 7 }}" in page
    assert "\u202e" not in page
    assert len(story_text(told, "text").split()) <= MOST_WORDS
    assert "<b>" not in story_text(told, "markdown")


def test_a_story_is_the_same_each_time() -> None:
    assert story_text(story_of(finished()), "html") == story_text(story_of(finished()), "html")


def test_moments_lead_to_the_steps_that_show_them() -> None:
    told = story_of(finished())
    moments = Chronicle(told).moments()
    steps = [step for _, _, step in moments]
    assert None not in steps
    assert [turn for turn, _, _ in moments] == sorted(turn for turn, _, _ in moments)
    assert steps[-1] == told.turns[-1].step
