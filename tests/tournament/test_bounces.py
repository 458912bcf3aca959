"""Bounced letters to entrants: identified by envelope sender and shown to organisers. Mentat stops writing to the
address until the entrant writes again."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from bot.games.silent_players import FORGOTTEN_AFTER
from bot.mail.identity import bounce_token_of
from bot.mail.transport import SendRefused
from bot.service import loop
from bot.store import mail, people, tournaments
from bot.store.database import reading, writing
from bot.tournament import calendar, letters, progress
from bot.tournament.desk import Caller, acting
from bot.tournament.letters import Letter, tell
from tests.moderator.returned import bounce_of
from tests.tournament.entries import DIRECTOR, Cup, address


@pytest.fixture
def cup(entry_cup: Cup) -> Cup:
    return entry_cup


def comes_back(cup: Cup, name: str, status: str = "5.1.1", action: str = "failed") -> None:
    """Return the newest letter to this person as a bounce."""
    assert cup.deliver(bounce_of(cup.newest(name), status, action)).disposition == "bounce"


def refused(cup: Cup, name: str, answer: str = "550 5.1.1 no such user") -> None:
    """Send all due letters through a mail server that refuses letters to this person."""

    class Refuses:
        def send(self, _envelope_from: str, to: str, _letter: bytes) -> None:
            if to == address(name):
                raise SendRefused(f"mx.example:25 refused the recipient {to} ({answer})")

        def close(self) -> None: ...

    loop.send(cup.world.outbox, Refuses(), cup.world.now)


def waits(cup: Cup) -> str:
    """Return the open matters that `tournament show` lists."""
    with reading(cup.world.engine) as conn:
        seen: dict[str, Any] = progress.tournament_view(conn, tournaments.find_tournament(conn, "cup"), cup.world.now)
    return "\n".join(each["what"] for each in seen["waits"])


def tell_ann(cup: Cup) -> int:
    """Tell Ann something and return the number of letters written."""
    before = len(cup.letters("ann"))
    with acting(Caller(cup.world.moderator.open_games, cup.world.now), "cup") as (session, _):
        tell(session, cup.entrant("ann"), Letter("news", ["There is news."], "news"))
    return len(cup.letters("ann")) - before


def test_letters_to_entrants_name_them_in_the_envelope_sender_by_another_token(cup: Cup) -> None:
    cup.says("ann", "enter cup")
    ann = cup.entrant("ann")
    assert bounce_token_of(ann.token) in cup.newest("ann").envelope_from
    cup.says("ann", f"confirm {cup.code('ann')}")
    assert bounce_token_of(ann.token) in cup.newest("ann").envelope_from
    assert ann.token not in cup.newest("ann").envelope_from


def test_a_code_that_comes_back_is_shown_as_that_and_not_only_as_unconfirmed(cup: Cup) -> None:
    cup.says("ann", "enter cup")
    assert "bounces" not in waits(cup)
    comes_back(cup, "ann")
    assert "mail to E001 bounces" in waits(cup)
    assert cup.entrant("ann").state == "entered"


def test_organisers_read_it_in_their_letter_of_the_day(cup: Cup) -> None:
    cup.enters("ann")
    comes_back(cup, "ann")
    cup.world.now += timedelta(hours=24)
    calendar.tick(cup.world.moderator.open_games, cup.world.now)
    assert "Mail to E001 bounces" in " ".join(cup.world.newest(DIRECTOR).text.split())


def test_nothing_is_written_to_whom_no_mail_reaches_until_they_write(cup: Cup) -> None:
    cup.enters("ann")
    comes_back(cup, "ann")
    assert tell_ann(cup) == 0
    before = len(cup.letters("ann"))
    cup.answers("ann", "status")
    assert len(cup.letters("ann")) == before + 1
    assert "bounces" not in waits(cup)
    assert tell_ann(cup) == 1


def test_a_full_mailbox_counts_a_third_and_for_a_week(cup: Cup) -> None:
    cup.enters("ann")
    comes_back(cup, "ann", "4.2.2")
    comes_back(cup, "ann", "4.2.2")
    assert "bounces" not in waits(cup)
    cup.world.now += timedelta(days=8)
    comes_back(cup, "ann", "4.2.2")
    assert "bounces" not in waits(cup)
    comes_back(cup, "ann", "4.2.2")
    comes_back(cup, "ann", "4.2.2")
    assert "mail to E001 bounces" in waits(cup)


def test_it_is_the_mailbox_that_is_gone_so_it_counts_in_every_tournament(cup: Cup) -> None:
    cup.make("bowl")
    cup.enters("ann")
    cup.says("ann", "enter bowl as Ann")
    comes_back(cup, "ann")
    assert [cup.entrant("ann", each).undelivered for each in ("cup", "bowl")] == [3, 3]


def test_a_letter_that_the_server_refuses_at_once_counts_as_one_that_came_back(cup: Cup) -> None:
    cup.make("bowl")
    cup.enters("ann")
    desk = str(cup.newest("ann").message["Reply-To"])
    cup.says("ann", "enter bowl as Ann")
    refused(cup, "ann")
    assert "mail to E001 bounces" in waits(cup)
    assert [cup.entrant("ann", each).undelivered for each in ("cup", "bowl")] == [3, 3]
    assert tell_ann(cup) == 0
    before = len(cup.letters("ann"))
    cup.says("ann", "status", to=desk)
    assert len(cup.letters("ann")) == before + 1
    assert "bounces" not in waits(cup)


def test_a_refusal_of_what_is_in_a_letter_is_believed_the_second_time(cup: Cup) -> None:
    cup.says("ann", "enter cup")
    refused(cup, "ann", "554 5.7.1 looks like spam")
    assert "bounces" not in waits(cup)
    assert tell_ann(cup) == 1
    refused(cup, "ann", "554 5.7.1 looks like spam")
    assert "mail to E001 bounces" in waits(cup)


def test_a_refusal_counts_once_for_who_is_in_several_tournaments(cup: Cup) -> None:
    for name in ("bowl", "dish"):
        cup.make(name)
        cup.says("ann", f"enter {name} as Ann")
        cup.says("ann", f"confirm {cup.code('ann')}")
    cup.enters("ann")
    before = [cup.entrant("ann", each).undelivered for each in ("bowl", "cup", "dish")]
    with writing(cup.world.engine) as conn:
        letter = mail.Letter("<1@arrakis.example>", "mentat@arrakis.example", address("ann"), "s", b"x")
        letters.note_refused_letter(conn, letter, "(554 5.7.1 looks like spam)", cup.world.now)
    assert before == [0, 0, 0]
    assert [cup.entrant("ann", each).undelivered for each in ("bowl", "cup", "dish")] == [2, 2, 2]


def test_a_refusal_at_an_address_that_they_have_left_says_nothing_of_them(cup: Cup) -> None:
    cup.enters("ann")
    with writing(cup.world.engine) as conn:
        people.ask_for_address(conn, address("ann"), address("anna"), "c" * 16, cup.world.now)
        asked = people.address_request(conn, "c" * 16, cup.world.now)
        assert asked
        people.confirm_address(conn, asked)
        people.use_address(conn, address("anna"))
    refused(cup, "ann")
    assert cup.entrant("ann").undelivered == 0


def test_a_refused_letter_of_a_game_is_about_its_player_alone(cup: Cup) -> None:
    cup.enters("ann")
    with writing(cup.world.engine) as conn:
        letter = mail.Letter("<1@arrakis.example>", "mentat@arrakis.example", address("ann"), "s", b"x", "g", "guild")
        letters.note_refused_letter(conn, letter, "(550 5.1.1 no such user)", cup.world.now)
    assert cup.entrant("ann").undelivered == 0


def test_whose_letter_came_back_is_known_by_what_was_returned_of_it_too(cup: Cup) -> None:
    cup.says("ann", "enter cup")
    cup.enters("bob")
    ann, bob = cup.entrant("ann"), cup.entrant("bob")
    with reading(cup.world.engine) as conn:
        assert letters.bounced_entrants(conn, [], ["nothing", ann.code]) == ann
        assert letters.bounced_entrants(conn, [], [bob.token]) == bob
        assert letters.bounced_entrants(conn, [bounce_token_of(ann.token)], [bob.token]) == ann
        assert letters.bounced_entrants(conn, ["nothing"], ["nothing"]) is None


def test_a_refusal_without_a_status_of_its_own_is_one_for_good(cup: Cup) -> None:
    cup.enters("ann")
    refused(cup, "ann", "550 no such user")
    assert cup.entrant("ann").undelivered == 3


@pytest.mark.parametrize(("seconds", "counts"), [(-1, True), (0, False), (1, False)])
def test_a_full_mailbox_of_a_week_ago_counts_no_more(cup: Cup, seconds: int, counts: bool) -> None:
    cup.enters("ann")
    with writing(cup.world.engine) as conn:
        letters.note_bounce(conn, cup.entrant("ann"), 1, cup.world.now)
        later = cup.world.now + FORGOTTEN_AFTER + timedelta(seconds=seconds)
        letters.note_bounce(conn, cup.entrant("ann"), 1, later)
    assert cup.entrant("ann").undelivered == (2 if counts else 1)
