"""Tests that a game played by deputies from sheets equals the live game, event for event."""

from collections.abc import Callable
from dataclasses import replace

import pytest

from bot.lab import soak_sheets
from bot.lab.soak import setting
from bot.lab.soak_sheets import MOST_LIVE, Moment, SheetComparison, compare_with_sheets, lines_for
from bot.language.conditions import Comparison, write_condition
from bot.language.facts import Measure, number_of
from bot.language.sheets import AskMe, FiledLine, Sheet, SheetLine
from rules.components import Faction
from rules.engine.play import Play
from rules.orders import Bid, BidUpTo, Pass
from rules.rulesets.ruleset import RULE_SETS
from tests.size import size

PRICE = (number_of("price {test}"), ())


def test_what_was_played_live_comes_out_the_same_by_sheets() -> None:
    done = SheetComparison()
    for number in range(size(7, 2100)):
        ruleset = RULE_SETS[number % len(RULE_SETS)]
        found = compare_with_sheets(setting(ruleset, f"sheets {number}", 2 + number % 5, late=number % 3 == 2))
        assert found.difference == "", f"game {number}: {found.difference}"
        done.add(found)
    assert done.decisions > 1000
    assert done.live <= MOST_LIVE * done.decisions
    assert min(done.by_cap, done.standing, done.handed_back) > 20


def careless(monkeypatch: pytest.MonkeyPatch, change: Callable[[SheetLine], SheetLine]) -> str:
    """Return the difference found if the filed lines are changed."""
    honest = soak_sheets._filed

    def filed(play: Play, sheets: dict[Faction, Sheet], faction: Faction, line: SheetLine) -> FiledLine:
        return honest(play, sheets, faction, change(line))

    monkeypatch.setattr(soak_sheets, "_filed", filed)
    return compare_with_sheets(setting("ah-basic", "careless", 3)).difference


def test_a_line_that_says_something_else_would_be_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    found = careless(monkeypatch, lambda line: replace(line, order=Pass()) if isinstance(line.order, Bid) else line)
    assert "bidding" in found


def test_a_limit_that_is_higher_would_be_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    def raised(line: SheetLine) -> SheetLine:
        order = line.order
        return replace(line, order=BidUpTo(order.limit + 1, order.step)) if isinstance(order, BidUpTo) else line

    assert "bidding" in careless(monkeypatch, raised)


def test_a_decision_that_is_not_handed_back_would_be_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    found = careless(monkeypatch, lambda line: replace(line, order=Pass()) if line.order == AskMe() else line)
    assert "is not asked" in found


def test_a_line_that_does_not_stand_for_several_turns_would_be_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    first_turn = Comparison(number_of("turn {test}"), (), Measure("<", 2))
    found = careless(monkeypatch, lambda line: replace(line, condition=first_turn) if line.standing else line)
    assert "where emperor said NoRevival()" in found


def test_moments_that_nothing_tells_apart_are_left_to_the_player() -> None:
    alike = {(0, ()): 4}
    lines, live = lines_for([Moment(0, Bid(1), alike), Moment(1, Pass(), alike)])
    assert (lines, live) == ([], [0, 1])


def test_the_last_of_several_lines_needs_no_condition() -> None:
    moments = [Moment(0, Bid(1), {PRICE: 2}), Moment(1, Bid(1), {PRICE: 4}), Moment(2, Pass(), {PRICE: 7})]
    lines, live = lines_for(moments)
    said = [(line.condition and write_condition(line.condition), line.order, len(line.moments)) for line in lines]
    assert said == [("price < 7", Bid(1), 2), (None, Pass(), 1)]
    assert not live


def test_lines_that_act_together_hold_at_their_own_moments_alone() -> None:
    moments = [Moment(0, Bid(1), {PRICE: 2}), Moment(1, Pass(), {PRICE: 7})]
    lines, _ = lines_for(moments, one_by_one=True)
    assert [line.condition and write_condition(line.condition) for line in lines] == ["price < 7", "price > 2"]


def test_how_many_th_a_question_is_tells_apart_only_what_nothing_else_does() -> None:
    count = (number_of("question number {test}"), ())
    moments = [Moment(0, Bid(1), {count: 1, PRICE: 2}), Moment(1, Pass(), {count: 2, PRICE: 7})]
    assert [line.condition and write_condition(line.condition) for line in lines_for(moments)[0]] == ["price < 7", None]
    alike = [replace(moment, values={**moment.values, PRICE: 2}) for moment in moments]
    lines, live = lines_for(alike)
    assert [line.condition and write_condition(line.condition) for line in lines] == ["question number < 2", None]
    assert not live
