"""Mail to the desk at its limits: how many hours, how much is shown at once, and mails with nothing in them."""

from __future__ import annotations

from email.message import EmailMessage

import pytest

from bot.moderator import master_lines
from tests.game_master.test_by_mail import REY, acts, answer, granted, mail
from tests.moderator.table import World


@pytest.mark.parametrize(
    ("hours", "told"),
    [
        ("0", "0 is not above 0 and at most 8760 hours."),
        ("0,5", "0,5 hours more"),
        ("8760", "8760 hours more"),
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
    monkeypatch.setattr(master_lines, "MOST_SHOWN", 2)
    mail(begun, desk, "preview 1/bidding", subject="again")
    assert "Since then all have learnt: Atreides passed on card 1. and 21 more lines" in answer(begun)


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
