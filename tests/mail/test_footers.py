"""Notices added by companies and gateways, distinguished from similar words of the writer."""

from __future__ import annotations

import pytest

from bot.mail.lines import Line
from bot.mail.quotes import mark_footers


@pytest.mark.parametrize(
    ("rows", "left"),
    [
        (["bid 4", "", "Legal notice", "This message is confidential."], ["bid 4", ""]),
        (
            ["bid 4", "", "Legal notice", "The Guild plays first."],
            ["bid 4", "", "Legal notice", "The Guild plays first."],
        ),
        (["This mail is from an external sender.", "bid 4"], ["bid 4"]),
        (["THIS MAIL IS FROM AN EXTERNAL SENDER.", "bid 4", "SENT FROM myMail"], ["bid 4"]),
        (["The gateway says: external mail.", "bid 4"], ["bid 4"]),
        (["a " * 19 + "b: external mail.", "bid 4"], ["bid 4"]),
        (["a " * 20 + ": external mail.", "bid 4"], ["a " * 20 + ": external mail.", "bid 4"]),
        (["a " * 20 + "external mail: yes.", "bid 4"], ["bid 4"]),
    ],
)
def test_a_notice_is_known_by_its_words_and_a_warning_by_a_sentence_that_nobody_is_said_to_say(
    rows: list[str], left: list[str]
) -> None:
    own = [True] * len(rows)
    mark_footers([Line(row) for row in rows], own, ())
    assert [row for row, mine in zip(rows, own, strict=True) if mine] == left
