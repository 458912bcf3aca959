"""Tests that plain lines to or from the Tleilaxu are answered with the right order."""

from __future__ import annotations

from typing import cast

import pytest

from bot.language.mail_lines import read_lines
from bot.language.orders import Unread, write
from bot.table.lines import reading_context
from rules.components import as_faction
from rules.engine.play import Play
from rules.orders import Order
from rules.positions.position import position


def begun() -> Play:
    """Begin a revival in which the Tleilaxu are asked for limits and the Guild for a leader."""
    dead = {"spice": 9, "tanks": "6", "dead_leaders": ["Staban Tuek"]}
    start = {
        "turn": 4, "phase": "revival", "factions": ["emperor", "guild", "tleilaxu"],
        "faction": {"guild": dead, "emperor": {"tanks": "5"}},
    }  # fmt: skip
    play = position({"ruleset": "gf9-advanced", "options": {"expansion": "ixians-tleilaxu"}, "start": start}).play()
    play.begin_phase("revival")
    while not any(question.kind == "revival-limits" for question in play.questions()):
        play.expire()
    return play


def met(faction: str, line: str) -> list[str]:
    """Return the order that a line means, or the orders suggested instead."""
    read = [line.result for line in read_lines([line], reading_context(begun(), as_faction(faction)))]
    (result,) = read
    return list(result.suggestions) if isinstance(result, Unread) else [write(cast(Order, result))]


@pytest.mark.parametrize(
    ("faction", "line", "wanted"),
    [
        ("tleilaxu", "limit 5 for guild, emperor", "limit five for Guild, Emperor"),
        ("tleilaxu", "limit 5 for all", "limit five for all"),
        ("tleilaxu", "limit 3 for all", "limit three for all"),
        ("tleilaxu", "limit five for everybody", "limit five for all"),
        ("tleilaxu", "limit three for everyone", "limit three for all"),
        ("tleilaxu", "raise all", "limit five for all"),
        ("tleilaxu", "no limits", "limit five for all"),
        ("tleilaxu", "raise no limits", "limit three for all"),
        ("tleilaxu", "let the guild have five", "limit five for Guild"),
        ("tleilaxu", "raise the limit of the guild to five", "limit five for Guild"),
        ("guild", "I would like to buy back Staban", "ask for Staban Tuek"),
    ],
)
def test_a_limit_and_a_request_in_plain_words(faction: str, line: str, wanted: str) -> None:
    assert met(faction, line) == [wanted]


def test_a_faction_that_nobody_plays_is_met_with_those_of_this_game() -> None:
    (read,) = [line.result for line in read_lines(["limit five for nobles"], reading_context(begun(), "tleilaxu"))]
    assert isinstance(read, Unread)
    assert read.reason == "There is no faction “nobles”; it can be Emperor or Guild."


def test_a_leader_who_cannot_come_back_may_be_asked_for() -> None:
    play = begun()
    (order,) = [line.result for line in read_lines(["revive Staban Tuek"], reading_context(play, "guild"))]
    outcome = play.check("guild", cast(Order, order))
    assert outcome.refusal
    assert "you can ask the Tleilaxu: “ask for Staban Tuek”" in outcome.refusal.reason
