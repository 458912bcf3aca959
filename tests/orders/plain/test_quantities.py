"""Tests for quantities in words, and how many of the available forces they mean."""

from __future__ import annotations

import pytest

from bot.language.attempts import Quantity, find_quantities
from bot.language.lines import tidy
from bot.language.vocabulary import cut_line
from rules.components import Forces


@pytest.mark.parametrize(("text", "found", "left"), [
    ("4", [Quantity(0, Forces(4))], ""),
    ("4 tokens", [Quantity(0, Forces(4))], ""),
    ("a token", [Quantity(0, Forces(1))], ""),
    ("an offer", [], "an offer"),
    ("a couple of men", [Quantity(1, Forces(2), exact=False)], "a"),
    ("half of my men", [Quantity(0, share="half", exact=False)], ""),
    ("half of the regulars", [Quantity(0, share="half ordinary", exact=False)], ""),
    ("half of my sardaukar", [Quantity(0, share="half elite", exact=False)], ""),
    ("the rest", [Quantity(0, share="all", exact=False)], ""),
    ("everything", [Quantity(0, share="all")], ""),
    ("all my troops", [Quantity(0, share="all")], ""),
    ("all regulars", [Quantity(0, share="all ordinary")], ""),
    ("all regular troops", [Quantity(0, share="all ordinary")], ""),
    ("all sardaukar", [Quantity(0, share="all elite")], ""),
    ("all 4", [Quantity(0, share="all", counted=4)], ""),
    ("all 4 troops", [Quantity(0, share="all", counted=4)], ""),
    ("all 4 sardaukar", [Quantity(0, Forces(0, 4))], ""),
    ("all 4 regulars", [Quantity(0, Forces(4))], ""),
    ("all but 2", [Quantity(0, share="all", exact=False, less=2)], ""),
    ("everyone except 3 troops", [Quantity(0, share="all", exact=False, less=3)], ""),
    ("both men", [Quantity(0, share="both")], ""),
    ("both sardaukar", [Quantity(0, share="both elite")], ""),
    ("my lone soldier", [Quantity(0, share="single", exact=False)], ""),
    ("the troops", [], ""),
    ("regulars", [Quantity(0, share="all ordinary", exact=False)], ""),
    ("the sardaukar", [Quantity(0, share="all elite", exact=False)], ""),
    ("sardaukar", [Quantity(0, share="all elite", exact=False)], ""),
    ("my lone sardaukar", [Quantity(0, share="single elite", exact=False)], ""),
    ("my lone regular", [Quantity(0, share="single ordinary", exact=False)], ""),
    ("both regulars", [Quantity(0, share="both ordinary")], ""),
    ("a sardaukar, only one", [Quantity(0, Forces(0, 1))], "only"),
    ("3 (three)", [Quantity(0, Forces(3))], ""),
    ("3 and 3", [Quantity(0, Forces(3)), Quantity(2, Forces(3))], "and"),
    ("3 3", [Quantity(0, Forces(3)), Quantity(1, Forces(3))], ""),
    ("2 regulars and 1 sardaukar, and 3", [Quantity(0, Forces(2, 1)), Quantity(6, Forces(3))], "and"),
    ("2 regulars and 1 sardaukar, 3 troops", [Quantity(0, Forces(2, 1))], ""),
    ("token", [Quantity(0, share="single", exact=False)], ""),
    ("3 spice", [], "3 spice"),
    ("2 fedaykin", [], "2 fedaykin"),
    ("2 sardauk", [Quantity(0, Forces(0, 2))], ""),
    ("2 sard", [Quantity(0, Forces(0, 2))], ""),
    ("2 sar", [Quantity(0, Forces(2))], "sar"),
    ("3+2", [Quantity(0, Forces(3, 2))], ""),
    ("3 and 2", [Quantity(0, Forces(3)), Quantity(2, Forces(2))], "and"),
    ("3 regulars and 2 sardaukar", [Quantity(0, Forces(3, 2))], ""),
    ("2 sardaukar and 3 regulars", [Quantity(0, Forces(3, 2))], ""),
    ("2 sardaukar 3 regulars", [Quantity(0, Forces(3, 2))], ""),
    ("5 including 2 sardaukar", [Quantity(0, Forces(3, 2))], ""),
    ("2 including 3 sardaukar", None, ""),
    ("2 including 2 sardaukar", [Quantity(0, Forces(0, 2))], ""),
    ("2 sardaukar + 3", [Quantity(0, Forces(3, 2))], ""),
    ("3 + all sardaukar", [Quantity(0, Forces(3), share="all elite")], "+"),
    ("3 and both sardaukar", [Quantity(0, Forces(3), share="both elite")], "and"),
    ("3 then all sardaukar", [Quantity(0, Forces(3)), Quantity(2, share="all elite")], "then"),
    ("3 sardaukar and all sardaukar", [Quantity(0, Forces(0, 3)), Quantity(3, share="all elite")], "and"),
    ("3: 2 regulars and 1 sardaukar", [Quantity(1, Forces(2, 1))], ""),
    ("4: 2 regulars and 1 sardaukar", [Quantity(0, Forces(4)), Quantity(1, Forces(2, 1))], ""),
    ("3 troops, 4 troops", [Quantity(0, Forces(3)), Quantity(2, Forces(4))], ""),
    ("2.5 men", [], "2.5"),
    ("2nd men", [], "2nd"),
    ("0 men", [Quantity(0, Forces())], ""),
    ("3 regular ones", [Quantity(0, Forces(3))], ""),
    ("2 elite troops", [Quantity(0, Forces(0, 2))], ""),
    ("special token", [Quantity(1, share="single", exact=False)], "special"),
    ("2 special", [Quantity(0, Forces(0, 2))], ""),
    ("2 troops with 2 sardaukar", [Quantity(0, Forces(2)), Quantity(3, Forces(0, 2))], "with"),
    ("half of them and 2 troops", [Quantity(0, share="half", exact=False), Quantity(4, Forces(2))], "them and"),
    ("1 sardaukar + 2 sardaukar", [Quantity(0, Forces(0, 1)), Quantity(3, Forces(0, 2))], "+"),
    ("all troops and 2 sardaukar", [Quantity(0, share="all"), Quantity(3, Forces(0, 2))], "and"),
    ("a couple of men and 2 sardaukar", [Quantity(1, Forces(2, 2), exact=False)], "a"),
    ("2 sardaukar + couple of men", [Quantity(0, Forces(2, 2), exact=False)], ""),
    ("2 regulars and 3 regulars", [Quantity(0, Forces(2)), Quantity(3, Forces(3))], "and"),
    ("2 regulars and half of my sardaukar",
     [Quantity(0, Forces(2)), Quantity(3, share="half elite", exact=False)], "and"),
    ("single", [Quantity(0, share="single", exact=False)], ""),
    ("a single token", [Quantity(0, Forces(1))], ""),
    ("all but 2nd men", [Quantity(0, share="all")], "but 2nd"),
    ("all 4th men", [Quantity(0, share="all")], "4th"),
    ("in 3 to 4", [Quantity(1, Forces(3)), Quantity(3, Forces(4))], "in to"),
])  # fmt: skip
def test_what_the_emperor_says_is_so_many_of_each_sort_and_uses_up_its_words(
    text: str, found: list[Quantity] | None, left: str
) -> None:
    heard = cut_line(tidy(text))
    assert heard is not None
    used: set[int] = set()
    assert find_quantities(heard.words, lambda place: place not in used, used.add, "emperor") == found
    assert " ".join(word.text for place, word in enumerate(heard.words) if place not in used) == left


THERE = (Forces(), Forces(1), Forces(2), Forces(4), Forces(5), Forces(0, 2), Forces(1, 1), Forces(4, 3), Forces(3, 4))


@pytest.mark.parametrize(("share", "meant"), [
    ("all", (None, Forces(1), Forces(2), Forces(4), Forces(5), Forces(0, 2), Forces(1, 1), Forces(4, 3), Forces(3, 4))),
    ("all ordinary", (None, Forces(1), Forces(2), Forces(4), Forces(5), None, Forces(1), Forces(4), Forces(3))),
    ("all elite", (None, None, None, None, None, Forces(0, 2), Forces(0, 1), Forces(0, 3), Forces(0, 4))),
    ("both elite", (None, None, None, None, None, Forces(0, 2), None, None, None)),
    ("both ordinary", (None, None, Forces(2), None, None, None, None, None, None)),
    ("single ordinary", (None, Forces(1), None, None, None, None, Forces(1), None, None)),
    ("single elite", (None, None, None, None, None, None, Forces(0, 1), None, None)),
    ("half", (None, None, Forces(1), Forces(2), None, None, None, None, None)),
    ("half ordinary", (None, None, Forces(1), Forces(2), None, None, None, Forces(2), None)),
    ("half elite", (None, None, None, None, None, Forces(0, 1), None, None, Forces(0, 2))),
    ("both", (None, None, Forces(2), None, None, Forces(0, 2), Forces(1, 1), None, None)),
    ("single", (None, Forces(1), None, None, None, None, None, None, None)),
])  # fmt: skip
def test_a_share_is_so_many_of_those_that_there_are_and_nothing_where_that_is_not_certain(
    share: str, meant: tuple[Forces | None, ...]
) -> None:
    assert tuple(Quantity(0, share=share).of(there) for there in THERE) == meant


def test_what_is_said_beside_a_share_counts_too() -> None:
    assert Quantity(0, Forces(3, 1)).of(Forces()) == Forces(3, 1)
    assert Quantity(0, Forces(2), share="all elite").of(Forces(5, 3)) == Forces(2, 3)
    assert Quantity(0, Forces(2), share="all elite").of(Forces(5)) is None
    but_two = Quantity(0, share="all", less=2)
    assert [but_two.of(there) for there in (Forces(5), Forces(3), Forces(2), Forces(5, 1))] == [
        Forces(3), Forces(1), None, None,
    ]  # fmt: skip
    all_four = Quantity(0, share="all", counted=4)
    assert [all_four.of(there) for there in (Forces(4), Forces(3, 1), Forces(5))] == [
        Forces(4), Forces(3, 1), Forces(4),
    ]  # fmt: skip
