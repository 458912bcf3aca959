"""Tests with lines from players who do not know the grammar (`tests/nearly/cases.toml`), and lines meant to be misread
(`tests/nearly/talk.toml`)."""

from __future__ import annotations

from collections import Counter

import pytest

from tests.orders.plain.judging import NEARLY, cases, judged

BAR = 0.9


@pytest.mark.parametrize("file", ["cases.toml", "talk.toml"])
def test_nine_of_ten_clear_lines_are_understood_and_nothing_is_taken_wrongly(file: str) -> None:
    verdicts = {case.id: judged(case) for case in cases(NEARLY / file)}
    assert [case for case, verdict in verdicts.items() if verdict in ("wrong", "TAKEN")] == []
    count = Counter(verdicts.values())
    clear = count["taken"] + count["proposed"] + count["missed"]
    assert count["taken"] + count["proposed"] >= BAR * clear, [c for c, v in verdicts.items() if v == "missed"]
