"""A line is cut into words, and where one part of the sentence ends is told from a sign within a word."""

from __future__ import annotations

import pytest

from bot.orders.lines import tidy
from bot.orders.plain.words import said


@pytest.mark.parametrize(
    ("line", "parts"),
    [
        ("plan Feyd-Rautha", ["plan feyd rautha"]),
        ("pass-", ["pass"]),
        ("bid 3-pass", ["bid 3", "pass"]),
        ("pass; thanks", ["pass", "thanks"]),
        ("pass, thanks!", ["pass", "thanks"]),
        ("3 to imp. basin", ["3 to imp basin"]),
        ("3 to imp.", ["3 to imp"]),
        ("I refuse. Thanks", ["i refuse", "thanks"]),
    ],
)
def test_parts_of_a_sentence_are_told_apart(line: str, parts: list[str]) -> None:
    heard = said(tidy(line))
    assert heard is not None
    found: dict[int, list[str]] = {}
    for word in heard.words:
        found.setdefault(word.part, []).append(word.text)
    assert [" ".join(texts) for texts in found.values()] == parts
