"""Copies of a mail are processed once; two different mails that look alike are both processed."""

from __future__ import annotations

import itertools
import re
from collections.abc import Sequence
from datetime import timedelta

import pytest
from sqlalchemy import delete, select, update

from bot.games.identity import MailOutcome
from bot.store.database import reading, writing
from bot.store.tables import MESSAGE
from rules.components import Faction
from tests.moderator.table import ADDRESS, GAME, World

FEW: tuple[Faction, ...] = ("atreides", "guild", "harkonnen")
DATE = "Tue, 26 Nov 2024 20:15:00 +0000"


def dispositions(world: World, *mails: bytes, keys: Sequence[str] = ()) -> list[str]:
    serial = itertools.count()
    places = keys or [f"INBOX;7;{next(serial)}" for _ in mails]
    return [world.moderator.receive(raw, key, world.now).disposition for raw, key in zip(mails, places, strict=True)]


def without(raw: bytes, *names: str) -> bytes:
    for name in names:
        raw = re.sub(rf"(?im)^{name}:[^\r\n]*\r\n(?:[ \t][^\r\n]*\r\n)*".encode(), b"", raw, count=1)
    return raw


def passed_on(raw: bytes, number: int, to: str = ADDRESS) -> bytes:
    """Return the mail with the headers that another mail server adds on delivery."""
    received = f"from mx{number}.example by mail.example; Tue, 26 Nov 2024 20:1{number}:00 +0000"
    return f"Delivered-To: {to}\r\nReceived: {received}\r\n".encode() + raw


def test_all_is_known_again_when_the_server_counts_anew(world: World) -> None:
    world.new_game(factions=FEW)
    mails = [world.mail(faction, "status") for faction in FEW]
    assert dispositions(world, *mails, keys=["INBOX;1;1", "INBOX;1;2", "INBOX;1;3"]) == ["orders"] * 3
    assert dispositions(world, *mails, keys=["INBOX;2;1", "INBOX;2;2", "INBOX;2;3"]) == ["duplicate"] * 3


def test_another_mail_under_a_key_that_was_used_before_is_taken(world: World) -> None:
    world.new_game(factions=FEW)
    first, second = world.mail("guild", "status"), world.mail("guild", world.line("guild", "traitor"))
    assert dispositions(world, first, second, second, keys=["INBOX;1;1"] * 3) == ["orders", "orders", "duplicate"]
    assert "guild" not in world.asked()


def test_a_server_that_shows_a_mail_again_in_other_bytes_is_not_believed(world: World) -> None:
    world.new_game(factions=FEW)
    raw = world.mail("guild", "status")
    rendered_anew = raw.replace(b"Subject: ", b"X-Seen: yes\r\nSubject: ")
    assert dispositions(world, raw, rendered_anew, keys=["INBOX;1;1"] * 2) == ["orders", "duplicate"]


def test_two_copies_through_two_addresses_are_one(world: World) -> None:
    world.new_game(factions=FEW)
    plus = f"mentat+{world.token('guild')}@arrakis.example"
    raw = world.mail("guild", "status", to=plus, Cc=ADDRESS, Date=DATE)
    assert dispositions(world, passed_on(raw, 1, plus), passed_on(raw, 2)) == ["orders", "duplicate"]


def test_copies_to_two_seats_in_blind_copy_are_for_both(world: World) -> None:
    world.new_game(factions=FEW)
    world.new_game(factions=FEW, game="sietch-13")
    raw = world.mail("guild", "status", to=ADDRESS, Date=DATE)
    to = [f"mentat+{world.token('guild', game)}@arrakis.example" for game in (GAME, "sietch-13")]
    assert dispositions(world, passed_on(raw, 1, to[0]), passed_on(raw, 2, to[1])) == ["orders", "orders"]


def test_a_copy_with_the_footer_of_a_list_is_the_same_mail(world: World) -> None:
    world.new_game(factions=FEW)
    raw = world.mail("guild", "status", Date=DATE)
    listed = (
        raw.replace(b"Subject: ", b"List-Id: <dune.example>\r\nSubject: [dune] ") + b"dune mailing list, page 1\r\n"
    )
    assert dispositions(world, raw, listed) == ["orders", "duplicate"]


@pytest.mark.parametrize("first", [0, 1])
def test_a_copy_that_got_a_message_id_on_the_way_is_the_same_as_one_without(world: World, first: int) -> None:
    world.new_game(factions=FEW)
    raw = without(world.mail("guild", "status", Date=DATE), "Message-ID")
    copies = [passed_on(raw, 1), b"Message-ID: <made@mx.example>\r\n" + passed_on(raw, 2)]
    assert dispositions(world, copies[first], copies[1 - first]) == ["orders", "duplicate"]


def test_the_same_words_twice_in_a_second_are_two_mails_if_their_program_says_so(world: World) -> None:
    world.new_game(factions=FEW)
    mails = [world.mail("guild", "status", Date=DATE) for _ in range(2)]
    assert dispositions(world, *mails) == ["orders", "orders"]


def test_the_same_words_in_answer_to_two_letters_are_two_mails(world: World) -> None:
    world.new_game(factions=FEW)
    mails = [world.mail("guild", "status", In_Reply_To=f"<{number}@arrakis.example>") for number in (1, 2)]
    assert dispositions(world, *(without(raw, "Message-ID", "Date") for raw in mails)) == ["orders", "orders"]


def test_copies_without_message_id_and_date_are_one_for_an_hour(world: World) -> None:
    world.new_game(factions=FEW)
    raw = without(world.mail("guild", "status"), "Message-ID", "Date")
    assert dispositions(world, passed_on(raw, 1), passed_on(raw, 2)) == ["orders", "duplicate"]
    world.now += timedelta(hours=2)
    assert world.moderator.deliver(passed_on(raw, 3), world.now).disposition == "orders"


@pytest.mark.parametrize("named", [True, False])
def test_the_same_orders_sent_twice_on_purpose_are_answered_twice(world: World, named: bool) -> None:
    world.new_game(factions=FEW)
    mails = [world.mail("guild", "status", Date=date) for date in (DATE, DATE.replace("20:15", "20:19"))]
    assert dispositions(world, *(mails if named else [without(raw, "Message-ID") for raw in mails])) == ["orders"] * 2


def test_two_mails_to_which_a_program_gave_one_message_id_are_both_taken(world: World) -> None:
    world.new_game(factions=FEW)
    mails = [
        world.mail("guild", line, message_id="<draft@players.example>", Date=date)
        for line, date in (("status", DATE), (world.line("guild", "traitor"), DATE.replace("20:15", "20:19")))
    ]
    assert dispositions(world, *mails) == ["orders", "orders"]
    assert "guild" not in world.asked()


def test_the_same_words_at_the_same_second_to_two_games_are_both_taken(world: World) -> None:
    world.new_game(factions=FEW)
    world.new_game(factions=FEW, game="sietch-13")
    mails = [world.mail("guild", "status", game=game, Date=DATE) for game in (GAME, "sietch-13")]
    assert dispositions(world, *(without(raw, "Message-ID") for raw in mails)) == ["orders", "orders"]


def test_two_players_who_write_the_same_at_the_same_second_are_both_taken(world: World) -> None:
    world.new_game(factions=FEW)
    mails = [world.mail(faction, "status", message_id="<1@x.example>", Date=DATE) for faction in FEW]
    assert dispositions(world, *mails) == ["orders"] * 3


def test_a_mail_that_was_emptied_is_still_known(world: World) -> None:
    world.new_game(factions=FEW)
    raw = world.mail("guild", "status")
    dispositions(world, raw)
    with writing(world.engine) as conn:
        conn.execute(update(MESSAGE).values(raw=b"", sender="deleted", subject="", reason=""))
    assert dispositions(world, raw, keys=["elsewhere"]) == ["duplicate"]


def test_messages_of_an_older_database_do_not_hide_new_ones(world: World) -> None:
    world.new_game(factions=FEW)
    dispositions(world, without(world.mail("guild", "status"), "Message-ID", "Date"))
    with writing(world.engine) as conn:
        conn.execute(update(MESSAGE).values(content="", written=""))
    fresh = without(world.mail("guild", "orders"), "Message-ID", "Date")
    assert world.moderator.deliver(fresh, world.now).disposition == "orders"
    with reading(world.engine) as conn:
        assert len(conn.execute(select(MESSAGE.c.id)).all()) == 2


def test_what_was_never_kept_is_new(world: World) -> None:
    world.new_game(factions=FEW)
    raw = world.mail("guild", "status")
    dispositions(world, raw)
    with writing(world.engine) as conn:
        conn.execute(delete(MESSAGE))
    verdict: MailOutcome = world.moderator.deliver(raw, world.now)
    assert verdict.disposition == "orders"
