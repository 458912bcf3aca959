"""Tests for splitting a line into words, and for telling punctuation between clauses from signs within a word."""

from __future__ import annotations

import pytest

from bot.language.lines import tidy
from bot.language.vocabulary import cut_line


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
        ("Viele Grüße, Søren", ["viele grusse", "søren"]),
        ("à Carthag", ["a carthag"]),
        ("I refuse. Thanks", ["i refuse", "thanks"]),
    ],
)
def test_parts_of_a_sentence_are_told_apart(line: str, parts: list[str]) -> None:
    heard = cut_line(tidy(line))
    assert heard is not None
    found: dict[int, list[str]] = {}
    for word in heard.words:
        found.setdefault(word.part, []).append(word.text)
    assert [" ".join(texts) for texts in found.values()] == parts


@pytest.mark.parametrize(
    ("line", "numbers"),
    [
        ("twenty five", [25]), ("thirty-one", [31]), ("fifteen two", [15, 2]), ("twenty ten", [20, 10]),
        ("forty zero", [40, 0]), ("twenty", [20]), ("twenty nine and a half", [29.5]), ("2 and a half", [2.5]),
        ("20 five", [20, 5]), ("five and a", [5]), ("first", [1]),
    ],
)  # fmt: skip
def test_words_for_numbers_are_put_together_as_they_are_spoken(line: str, numbers: list[float]) -> None:
    heard = cut_line(tidy(line))
    assert heard is not None
    assert [word.number for word in heard.words if word.number is not None] == numbers


@pytest.mark.parametrize(
    ("line", "heard"),
    [
        ("x" * 300, True), ("x" * 301, False), ("caf\u00e9", True), ("bid \u0663", False), ("\u0130 bid 3", False),
        ("bid 3 \u2248", False), ("all except 2", True),
    ],
)  # fmt: skip
def test_of_a_line_that_is_too_long_or_in_other_letters_no_words_are_heard(line: str, heard: bool) -> None:
    assert (cut_line(tidy(line)) is not None) is heard
