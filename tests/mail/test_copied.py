"""Text copied into a mail counts as quoted, however it is marked; the text around it is the writer's own."""

from __future__ import annotations

import pytest

from bot.mail.lines import DOUBTFUL, Line
from bot.mail.own_words import quote_copies

BEGINS = "--8<---------------cut here---------------start------------->8---"
ENDS = "--8<---------------cut here---------------end--------------->8---"


@pytest.mark.parametrize(
    ("rows", "depths"),
    [
        (["bid 4", "[quote]", "bid 5", "[/quote]", "pass"], [0, 1, 1, 1, 0]),
        (["[QUOTE=Bob]bid 5[/QUOTE]", "pass"], [1, 0]),
        (["[quote][quote]bid 5[/quote]", "bid 6", "[/quote]", "pass"], [1, 1, 1, 0]),
        (["[/quote][/quote]", "[quote]bid 5", "pass"], [0, DOUBTFUL, DOUBTFUL]),
        (["bid 4", BEGINS, "bid 5", ENDS, "pass"], [0, 1, 1, 1, 0]),
        (["[quote]", BEGINS, "bid 5", ENDS, "bid 6", "[/quote]", "pass"], [1, 1, 1, 1, 1, 1, 0]),
        ([ENDS, "pass"], [1, 0]),
        (["bid 4", ",----[ orders.txt ]", "| bid 5", "`----", "pass"], [0, 1, 0, 1, 0]),
        (["[27.11.26, 20:14] Baron: bid 5", "pass"], [1, 0]),
        (["20:14 <baron> bid 5", "20:14 I bid 5"], [1, 0]),
    ],
)
def test_what_was_copied_is_quoted_from_its_first_mark_to_its_last(rows: list[str], depths: list[int]) -> None:
    lines = [Line(row) for row in rows]
    assert quote_copies(lines) == [Line(row, depth) for row, depth in zip(rows, depths, strict=True)]


def test_what_is_quoted_already_stays_as_deep_as_it_was() -> None:
    lines = [Line("[quote]", 2), Line("bid 4")]
    assert quote_copies(lines) == lines
