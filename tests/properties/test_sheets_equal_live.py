"""A game played by the deputies of sheets is the game that would have been played live, event for event."""

import os
from dataclasses import replace

import pytest

from bot.soak import by_sheets
from bot.soak.by_sheets import MOST_LIVE, compare
from bot.soak.telling_apart import Moment, lines_for
from bot.soak.watch import RULE_SETS, setting
from rules.orders import Bid, Pass

SLOW = bool(os.environ.get("MENTAT_SLOW"))


def test_what_was_played_live_comes_out_the_same_by_sheets() -> None:
    decisions = live = 0
    for number in range(2000 if SLOW else 5):
        found = compare(setting(RULE_SETS[number % 2], f"sheets {number}", 2 + number % 5))
        assert found.difference == "", f"game {number}: {found.difference}"
        decisions, live = decisions + found.decisions, live + found.live
    assert decisions > 1000
    assert live < MOST_LIVE * decisions


def test_a_line_that_says_something_else_would_be_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    honest = by_sheets._filed

    def careless(play, sheets, faction, line):  # type: ignore[no-untyped-def]  # stands in for a private function
        changed = Pass() if isinstance(line.order, Bid) else line.order
        return honest(play, sheets, faction, replace(line, order=changed))

    monkeypatch.setattr(by_sheets, "_filed", careless)
    assert "bidding" in compare(setting("ah-basic", "careless", 3)).difference


def test_moments_that_nothing_tells_apart_are_left_to_the_player() -> None:
    alike = {(0, ()): 4}
    lines, live = lines_for([Moment(0, Bid(1), alike), Moment(1, Pass(), alike)])
    assert (lines, live) == ([], [0, 1])
