"""The life cycle of sheet lines: filed, replaced, applied, used up, expired, reported and forgotten."""

from __future__ import annotations

import pytest

from bot.language.lines import Context
from bot.language.sheets import MOST_LINES, FiledLine, Sheet, SheetLine, is_play, phases_of, read_sheet_line
from rules import orders as o
from rules.components import Faction
from rules.engine.catalogue import load_rule_set
from rules.orders import Order, PhaseName

WBC = load_rule_set("wbc-2018")


def line(text: str, faction: Faction = "guild") -> SheetLine:
    read = read_sheet_line(text, Context(faction))
    assert isinstance(read, SheetLine), read
    return read


def file(sheet: Sheet, text: str, entries: int = 3, turn: int = 4, phase: PhaseName = "bidding") -> FiledLine:
    return sheet.file(line(text), WBC, turn, phase, entries)[0]


@pytest.mark.parametrize(("old", "new", "replaced"), [
    ("bid 3 if card 2", "pass if card 2", True), ("bid 3 if card 2", "bid 3 if card 3", False),
    ("bid 3 if card 2", "standing: bid 3 if card 2", False), ("standing: pass", "standing: bid 3", True),
    ("standing: pass", "standing: no shipment", False), ("standing: ask me", "standing: pass", False),
    ("karama half shipping if turn 5", "karama half shipping if turn 5", True),
    ("karama half shipping if turn 5", "karama cancel voice if turn 5", False),
    ("when turn 5: truthtrance emperor: do you like me?", "when turn 5: truthtrance emperor: are you sad?", True),
    ("when turn 5: truthtrance emperor: do you like me?", "when turn 5: truthtrance fremen: do you like me?", False),
    ("give 3 spice to emperor if turn 5", "give 4 spice to emperor if turn 5", True),
    ("give 3 spice to emperor if turn 5", "give 3 spice to fremen if turn 5", False),
    ("ally emperor if turn 5", "ally fremen if turn 5", False),
    ("ally emperor if turn 5", "no alliance if turn 5", False),
    ("ghola 3 if turn 5", "ghola 4 if turn 5", True),
    ("battle emperor in carthag if turn 5", "battle fremen in carthag if turn 5", True),
    ("battle emperor in carthag if turn 5", "battle emperor in arrakeen if turn 5", False),
])  # fmt: skip
def test_a_line_replaces_the_one_of_the_same_condition_and_decision(old: str, new: str, replaced: bool) -> None:
    sheet = Sheet()
    before = file(sheet, old)
    fresh, gone = sheet.file(line(new), WBC, 4, "bidding", 7)
    assert gone is (before if replaced else None)
    assert [filed.number for filed in sheet.active()] == ([2] if replaced else [1, 2])
    assert (before.state, before.changed) == (("replaced", 7) if replaced else ("active", 3))
    assert (fresh.filed, fresh.changed, sheet.next_number, sheet.touched) == (7, 7, 3, {1, 2})


def test_a_line_acts_so_often_as_it_says_and_what_only_shows_a_plan_is_no_use_of_it() -> None:
    sheet = Sheet()
    twice, ever, standing = (file(sheet, text) for text in ("bid 3 twice", "bid 3 if card 2", "standing: bid 4 once"))
    sheet.touched.clear()
    sheet.act(twice, "4.bidding.1", ("guild", "prescience-answer", ""), 8)
    assert (twice.left, twice.state, twice.changed, twice.acted) == (2, "active", 8, "4.bidding.1")
    sheet.act(twice, "4.bidding.2", "bid", 9)
    assert (twice.left, twice.state) == (1, "active")
    sheet.act(twice, "4.bidding.2", "bid", 10)
    assert (twice.left, twice.state, sheet.uses[twice.number, "4.bidding.2", "bid"]) == (0, "used", 2)
    assert sheet.touched == {1}
    sheet.act(ever, "4.bidding.3", "bid", 11)
    assert (ever.left, ever.state) == (-1, "active")
    sheet.act(standing, "4.bidding.4", "bid", 12)
    assert (standing.left, standing.state) == (0, "active")
    assert sheet.active() == [ever, standing]


def test_a_new_turn_ends_what_was_for_the_last_and_gives_what_stands_its_times_again() -> None:
    sheet = Sheet()
    here, later, standing = (
        file(sheet, text) for text in ("bid 3 if card 2", "pass if turn 5", "standing: bid 4 once")
    )
    sheet.act(standing, "4.bidding.4", "bid", 12)
    sheet.touched.clear()
    sheet.begin_turn(4, 13)
    assert (sheet.active(), standing.left, sheet.touched) == ([here, later, standing], 0, set())
    sheet.begin_turn(5, 14)
    assert (here.state, here.changed, later.state, standing.left) == ("over", 14, "active", 1)
    assert sheet.touched == {here.number, standing.number}
    sheet.begin_turn(6, 15)
    assert sheet.active() == [standing]


def test_lines_are_withdrawn_by_their_words_or_all() -> None:
    sheet = Sheet()
    one, two, three = (file(sheet, text) for text in ("bid 3 if card 2", "standing: charity", "standing: no move"))
    assert sheet.withdraw(5, "standing: charity") == [two]
    assert (two.state, two.changed, one.state) == ("withdrawn", 5, "active")
    assert sheet.withdraw(6, "standing: charity") == []
    assert sheet.withdraw(7) == [one, three]
    assert sheet.active() == []


def test_a_remark_is_told_once_and_a_line_that_is_done_forgotten_behind_it() -> None:
    sheet = Sheet()
    one, two = file(sheet, "bid 3 if card 2"), file(sheet, "standing: charity")
    sheet.saved()
    sheet.remark(one, "Not now.")
    assert (sheet.notes, sheet.touched) == (("Not now.",), {1})
    sheet.saved()
    sheet.remark(one, "Not now.")
    assert sheet.touched == set()
    sheet.end(one, "over", 9)
    sheet.saved()
    assert sheet.lines == [one, two]
    sheet.told()
    assert (sheet.notes, sheet.touched) == ((), {1})
    sheet.saved()
    assert (sheet.lines, sheet.touched) == ([two], set())


def test_a_full_sheet_takes_only_what_replaces_a_line() -> None:
    sheet = Sheet()
    for number in range(1, MOST_LINES):
        file(sheet, f"bid 3 if price < {number}")
    assert not sheet.full(line("standing: charity"))
    file(sheet, "standing: no move")
    assert sheet.full(line("standing: charity"))
    assert not sheet.full(line("pass if price < 7"))
    sheet.withdraw(5, "standing: no move")
    assert not sheet.full(line("standing: charity"))


@pytest.mark.parametrize(("text", "phases"), [
    ("standing: bid 3", ("bidding",)), ("standing: no shipment", ("movement",)), ("standing: no move", ("movement",)),
    ("karama half shipping if turn 5", ("movement",)), ("karama cancel voice if turn 5", ("battle",)),
    ("standing: no karama", ()), ("standing: accept", ()), ("standing: answer yes", ()), ("ask me if turn 5", ()),
    ("ghola 3 if turn 5", ()),
])  # fmt: skip
def test_an_order_acts_in_the_phases_in_which_it_can_be_asked_for(text: str, phases: tuple[PhaseName, ...]) -> None:
    assert phases_of(WBC, line(text).order) == phases


@pytest.mark.parametrize(("order", "play"), [
    (o.Bid(3), False), (o.Pass(), False), (o.Karama("half shipping"), True), ("ask me", False),
])  # fmt: skip
def test_cards_and_powers_are_plays_and_answers_are_none(order: Order | str, play: bool) -> None:
    assert is_play(order) is play


def test_a_line_for_two_turns_acts_so_often_in_both_together_and_one_that_stands_in_each() -> None:
    sheet = Sheet()
    both, standing = (file(sheet, text) for text in ("bid 3 twice if turn 4 or turn 5", "standing: bid 4 twice"))
    for filed in (both, standing):
        sheet.act(filed, "4.bidding.4", "bid", 12)
    sheet.begin_turn(5, 14)
    assert (both.turn, both.left, standing.left) == (5, 1, 2)
