"""Tests that an answer to a plain line contains its suggested order, ready to be sent back."""

from __future__ import annotations

import pytest
from selectolax.lexbor import LexborHTMLParser

from bot.render.letters import reply_to_orders
from bot.render.material import LineVerdict
from tests.reports.positions import HARKONNEN


def test_a_proposal_is_one_tap_away_and_stands_in_the_text() -> None:
    why = "Did you mean “ship 3 to Carthag”? Then send that line."
    line = LineVerdict("three guys to Carthag", "unread", reason=why, suggestions=("ship 3 to Carthag",))
    letter = reply_to_orders(HARKONNEN, [line], ())
    links = [button.attributes["href"] or "" for button in LexborHTMLParser(letter.html).css("a.button")]
    assert sum(link.endswith("body=ship%203%20to%20Carthag") for link in links) == 1
    assert "“ship 3 to Carthag”" in letter.text


@pytest.mark.parametrize("suggestion", ["ship _ to ______", "move 3 from ______ to ______"])
def test_a_line_with_blanks_is_no_button(suggestion: str) -> None:
    line = LineVerdict("ship", "unread", reason="I cannot read this line.", suggestions=(suggestion,))
    letter = reply_to_orders(HARKONNEN, [line], ())
    assert suggestion in LexborHTMLParser(letter.html).text()
    assert "body=ship%20_" not in letter.html
    assert "______%20" not in letter.html
