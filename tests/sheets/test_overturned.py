"""Orders that the next line withdraws, or turns into part of something that is not an order."""

from __future__ import annotations

import pytest

from bot.language.mail_lines import read_lines
from bot.language.orders import Unread
from rules.orders import Bid, Order
from tests.orders.plain.judging import context


def orders(mail: str) -> list[Order]:
    lines = read_lines(mail.splitlines(), context("bidding", "harkonnen"))
    return [line.result for line in lines if isinstance(line.result, Order)]


@pytest.mark.parametrize(
    "mail",
    [
        "Do not\nbid 5",
        "I do not want to\npass",
        "Maybe I should\nbid 5",
        "If the Guild passes\npass",
        "The Guild wrote:\nbid 5",
        "bid 5\nunless the Guild is out.",
        "pass\nbut only if nobody bids",
        "pass\njust joking!",
        "bid 5\nno wait, that is too much",
        "What a game\nbid 5",
        "I will not be here on Sunday,\nbid 5",
        "Should I\npass\nor\nbid 5",
        "bid 5\n\nno wait",
        "5\n\nNo wait, I must think",
        "5\n\nBob\n9",
        "5\n6",
        "bid 5\nOnly if the Guild passes.",
    ],
)
def test_an_order_that_the_next_line_overturns_is_not_taken(mail: str) -> None:
    assert orders(mail) == []


@pytest.mark.parametrize(
    "mail",
    [
        "Hello Mentat\nbid 5\nThanks",
        "My orders are\nbid 5",
        "My order:\nbid 5\nBob",
        "What a game.\nbid 5\n\nIf you want to play chess, come on Sunday.",
        "bid 5\nIf anything is unclear, write to me.",
        "I will not be here on Sunday.\n\nbid 5",
        "As I said before, that card is mine.\nbid 5",
        "status\nbid 5\norders",
    ],
)
def test_an_order_among_other_lines_is_taken(mail: str) -> None:
    assert orders(mail) == [Bid(5)]


def test_an_order_that_is_overturned_comes_back_as_the_line_to_send() -> None:
    first = read_lines(["bid 5", "which is a lot"], context("bidding", "harkonnen"))[0]
    assert isinstance(first.result, Unread)
    assert first.result.suggestions == ("bid 5",)


def test_a_condition_around_an_order_comes_back_as_a_line_of_the_sheet() -> None:
    for mail in ("bid 5\nunless emperor has passed", "Unless emperor has passed:\nbid 5"):
        (first,) = read_lines(mail.splitlines(), context("bidding", "harkonnen"))
        assert isinstance(first.result, Unread)
        assert first.result.suggestions == ("when Emperor has not passed: bid 5",)
