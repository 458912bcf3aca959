"""Limits on desk mail: maximum hours, length of what is shown, and empty mails."""

from __future__ import annotations

import re
from email.message import EmailMessage

import pytest

from bot.moderator import desk_answers, desk_lines
from tests.game_master.test_by_mail import REY, acts, answer, granted, mail
from tests.moderator.table import GAME_MASTER, World


@pytest.mark.parametrize(
    ("hours", "told"),
    [
        ("0", "0 is not above 0 and at most 8760 hours."),
        ("0,5", "0,5 more hours"),
        ("8760", "8760 more hours"),
        ("8761", "8761 is not above 0 and at most 8760 hours."),
    ],
)
def test_deadlines_are_put_off_by_a_year_at_most(begun: World, hours: str, told: str) -> None:
    desk = granted(begun)
    mail(begun, desk, f"extend {hours}")
    assert told in answer(begun)
    assert len(acts(begun)) == ("more" in told)


def test_of_a_long_preview_the_first_lines_are_shown_and_the_rest_counted(
    begun: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun.silence_until("storm", turn=2)
    desk = granted(begun)
    mail(begun, desk, "preview 1/bidding")
    assert "more line" not in answer(begun)
    monkeypatch.setattr(desk_answers, "MOST_SHOWN", 2)
    mail(begun, desk, "preview 1/bidding", subject="again")
    assert "Since then everybody has learnt: Atreides passed on card 1. and 21 more lines" in answer(begun)


def test_a_mail_to_two_desks_with_nothing_in_it_is_answered_like_one_to_a_single_desk(begun: World) -> None:
    desk = granted(begun)
    message = EmailMessage()
    message["From"], message["Subject"], message["Message-ID"] = REY, "Re: desk", "<1@elsewhere.example>"
    message["To"] = f"{desk}, mentat+{begun.token('guild')}@arrakis.example"
    for lines, told in (("", False), ("pause\n", True)):
        message.set_content(lines)
        message.replace_header("Message-ID", f"<{len(lines)}@elsewhere.example>")
        begun.moderator.deliver(message.as_bytes(), begun.now)
        assert ("addressed to more than one desk or seat" in answer(begun)) == told
    assert acts(begun) == []


@pytest.mark.parametrize(
    ("line", "below", "goes_on"),
    [
        (f"tell all: {'a' * 46}", "day.", True),  # sixty characters, including the word that did not fit
        (f"tell all: {'a' * 45}", "day.", False),
        (f"tell all: {'a' * 45}", "day. Rey", False),
        (f"warn x@y.example: {'a' * 60}", "day.", True),
        (f"pause {'a' * 60}", "day.", False),
        (f"tell all: {'a' * 60}", "", False),
        ("tell all:", "day.", True),
        ("tell all:  ", "day.", True),
        ("tell all:", "confirm abcdefghijklmnop", False),
        ("tell all:", "I confirm.", False),
        ("tell all:", "status", False),
        ("tell all:", "why: a wedding", False),
        ("tell all:", "dry run", False),
        ("tell all:", "pause", False),
        ("tell all:\nday.", "night.", False),
    ],
)
def test_words_go_on_below_a_line_that_is_full_or_empty_unless_a_command_stands_there(
    line: str, below: str, goes_on: bool
) -> None:
    assert desk_lines.seems_to_go_on(line, below) is goes_on


def test_the_form_of_a_seat_that_comes_to_the_desk_is_no_command(begun: World) -> None:
    desk = granted(begun)
    begun.say("bene-gesserit", "status")
    form = re.search(r"\[form \w+\].*\[end of form \w*\]", begun.newest("bene-gesserit").text, re.DOTALL)
    assert form is not None
    mail(begun, desk, form[0].replace("Guild turn _", "Guild turn 3"), "pause")
    assert [act for act, *_ in acts(begun)] == ["pause"]
    assert "pause The clocks are stopped." in answer(begun)
    assert "Guild turn 3" not in answer(begun)
    assert "bene-gesserit" in begun.asked()


def test_a_letter_of_mentat_that_comes_back_to_the_desk_is_not_answered(begun: World) -> None:
    desk = granted(begun)
    before = begun.written()
    message = EmailMessage()
    message["From"], message["To"], message["Subject"] = REY, desk, "Re: desk"
    message["X-Mentat"], message["Message-ID"] = "letter", "<1@elsewhere.example>"
    message.set_content("pause\n")
    assert begun.moderator.deliver(message.as_bytes(), begun.now).disposition == "rejected"
    assert begun.table().stopped_at is None
    assert {letter.recipient for letter in begun.letters(after=before)} == {GAME_MASTER}
