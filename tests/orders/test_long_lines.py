"""Tests for the maximum length of a line: lines with a person's own words may be longer than others."""

from __future__ import annotations

import pytest

from bot.forum.posts import form_of
from bot.language.commands import Press
from bot.language.lines import LONGEST
from bot.language.mail_lines import read_any
from bot.language.orders import Context, Unread, has_form, is_deal, read_as_written, read_line
from bot.mail.lines import FREE_TEXT_CHARS
from bot.mail.message import Incoming, parse
from bot.mail.own_words import MAX_LINE_CHARS, own_lines
from bot.wording import say
from rules.orders import Deal, Truthtrance

HARKONNEN = Context("harkonnen")


def of(beginning: str, length: int) -> str:
    return beginning + "x" * (length - len(beginning))


@pytest.mark.parametrize(
    ("beginning", "made"),
    [
        ("deal with guild: ", Deal), ("secret deal with guild: ", Deal), ("truthtrance guild: ", Truthtrance),
        ("press to all: ", Press), ("press all: ", Press), ("press guild, fremen: ", Press),
        ("unsigned press to all: ", Press),
    ],
)  # fmt: skip
def test_a_line_in_somebodys_own_words_has_five_thousand_signs(beginning: str, made: type[object]) -> None:
    for length in (LONGEST, LONGEST + 1, FREE_TEXT_CHARS):
        text = of(beginning, length)
        assert isinstance(read_line(text, HARKONNEN), made)
        assert read_as_written(text, HARKONNEN) == read_line(text, HARKONNEN)
        assert has_form(text)
        assert is_deal(text) is (made is Deal)
    text = of(beginning, FREE_TEXT_CHARS + 1)
    told = read_line(text, HARKONNEN)
    assert isinstance(told, Unread)
    assert f"This line has {FREE_TEXT_CHARS + 1} characters, but I read at most {FREE_TEXT_CHARS}" in told.reason
    assert (read_as_written(text, HARKONNEN), has_form(text), is_deal(text)) == (None, False, False)


@pytest.mark.parametrize("beginning", ["press to all: ", "press all: ", "deal with guild: "])
def test_a_long_line_of_a_mail_is_kept(beginning: str) -> None:
    mail = parse(f"From: b@x.example\n\n{of(beginning, LONGEST + 1)}\n{'y' * (LONGEST + 1)}\n".encode())
    assert isinstance(mail, Incoming)
    reading = own_lines(mail, lambda code: None)
    assert reading.lines == (of(beginning, LONGEST + 1),)
    assert reading.notes == (say("note.long-lines", most=MAX_LINE_CHARS, count=1),)


def test_any_other_line_has_a_thousand() -> None:
    text = "bid 4" + " " * (LONGEST - 5)
    assert read_as_written(text, HARKONNEN) == read_line("bid 4", HARKONNEN)
    assert has_form(text)
    told = read_line(f"{text} ", HARKONNEN)
    assert isinstance(told, Unread)
    assert f"I read at most {LONGEST}" in told.reason
    assert (read_as_written(f"{text} ", HARKONNEN), has_form(f"{text} "), is_deal(f"{text} ")) == (None, False, False)


def test_a_long_deal_stays_one_whatever_stands_behind_it() -> None:
    deal = read_any(of("deal with guild: ", LONGEST) + " if turn 3", HARKONNEN)
    assert isinstance(deal, Deal)
    assert deal.text.endswith("if turn 3")


@pytest.mark.parametrize("words", [10, LONGEST + 1])
def test_public_press_in_a_forum_is_public_however_long_it_is(words: int) -> None:
    assert form_of(f"press to all: {'x' * words}") == "act"
    assert form_of(f"press to guild: {'x' * words}") == "secret"
