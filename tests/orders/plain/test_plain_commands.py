"""Tests for commands and press in plain words."""

from __future__ import annotations

import pytest

from bot.language import commands as c
from bot.language.commands import MailCommand
from bot.language.mail_lines import read_any
from bot.language.orders import Unread
from tests.orders.plain.judging import context, read


@pytest.mark.parametrize(("line", "command"), [
    ("help!", c.Help()), ("I need help please", c.Help()), ("what can I do?", c.Help()),
    ("what have I ordered so far?", c.ShowOrders()), ("What did I order for card 2?", c.ShowOrders()),
    ("please show me my orders", c.ShowOrders()), ("show me the map", c.ShowMap()), ("Map please", c.ShowMap()),
    ("could you send me the map again?", c.ShowMap()), ("send me my position", c.Status()),
    ("who is still to answer?", c.Status()), ("Whose turn is it?", c.Status()),
    ("what's the rule about bidding?", c.Rules("bidding")), ("what deals do I have?", c.ShowDeals()),
    ("gm: I have a problem with my mail", c.PressToGameMaster("I have a problem with my mail")),
])  # fmt: skip
def test_what_only_shows_something_is_done(line: str, command: MailCommand) -> None:
    assert read_any(line, context("bidding", "harkonnen")) == command


@pytest.mark.parametrize(("line", "to", "text"), [
    ("tell emperor: hello my friend", ("emperor",), "hello my friend"),
    ("Message to the Emperor: I pass, you take it", ("emperor",), "I pass, you take it"),
    ("to all: good game everybody!", (), "good game everybody!"),
    ("note to Emperor: bid 5 please", ("emperor",), "bid 5 please"),
])  # fmt: skip
def test_words_for_a_named_reader_are_press_and_no_order(line: str, to: tuple[str, ...], text: str) -> None:
    press = read_any(line, context("bidding", "harkonnen"))
    assert isinstance(press, c.Press)
    assert (press.to, press.text) == (to, text)


def test_a_number_for_a_named_reader_is_proposed_as_press_and_is_a_gift_where_one_can_be_made() -> None:
    assert read("bidding", "harkonnen", "to emperor: 5") == "proposed press to Emperor: 5"
    assert read("collection", "harkonnen", "to emperor: 1 spice") == "taken give 1 spice to Emperor"


@pytest.mark.parametrize("line", [
    "3 more hours please", "I'm away until Monday", "I resign, sorry guys", "Tell the Emperor I'd bid 5",
    "tell me about it", "message received", "show me something",
])  # fmt: skip
def test_what_changes_something_is_not_done(line: str) -> None:
    result = read_any(line, context("bidding", "harkonnen"))
    assert isinstance(result, Unread)
    assert result.suggestions == ()
