"""Limits on the work and letters that strangers, robots and forgers can cause."""

from __future__ import annotations

import pytest
from sqlalchemy import func, select

from bot.lobby.requests import Open
from bot.store.database import reading
from bot.store.lobby import LOBBY_SEAT, STRANGER_LETTER, WISH
from bot.store.rows import count_rows
from bot.store.tables import MESSAGE
from tests.lobby.people import Lobby
from tests.moderator.table import GAME_MASTER

PASSES = "mx.arrakis.example; dkim=pass header.d=example.org"


def test_a_thousand_forged_joins_cost_small_rows_and_few_letters(lobby: Lobby) -> None:
    table = lobby.opens("ann")
    for number in range(1000):
        sender = f"victim{number}@domain{number % 50}.example"
        lobby.says(sender, f"join {table.id} as guild")
        if number % 100 == 0:
            lobby.wait(0.001)
    strangers = [sent for sent in lobby.world.letters() if sent.recipient.startswith("victim")]
    assert len(strangers) <= 60
    assert len({sent.recipient for sent in strangers}) == len(strangers)
    assert len([sent for sent in lobby.world.letters(GAME_MASTER) if "Many new addresses" in sent.subject]) == 1
    with reading(lobby.world.engine) as conn:
        assert count_rows(conn, WISH.c.id > 0) == 1000
        assert count_rows(conn, LOBBY_SEAT.c.id > 0) == 1
        assert conn.execute(select(func.sum(func.length(MESSAGE.c.raw)))).scalar_one() < 1_000_000
    lobby.wait(2)  # quiet again: waiting people get their letters, within the hourly limit
    lobby.wait(73)
    with reading(lobby.world.engine) as conn:
        assert count_rows(conn, WISH.c.id > 0) == 0
    lobby.wait(24 * 31)
    with reading(lobby.world.engine) as conn:
        assert count_rows(conn, STRANGER_LETTER.c.id > 0) == 0


def test_wishes_that_waited_are_written_to_when_it_is_quiet(lobby: Lobby) -> None:
    table = lobby.opens("ann")
    for number in range(70):
        lobby.says(f"new{number}@domain{number}.example", f"join {table.id}")
    assert len([sent for sent in lobby.world.letters() if sent.recipient.startswith("new")]) == 60
    lobby.wait(1.5)
    assert len([sent for sent in lobby.world.letters() if sent.recipient.startswith("new")]) == 70
    lobby.proves("new69@domain69.example", "yes")
    assert lobby.seats(table.id) == ["ann", "new69"]


def test_a_victim_named_in_many_mails_gets_one_letter_a_day_and_three_a_month(lobby: Lobby) -> None:
    table = lobby.opens("ann")
    for number in range(200):
        lobby.says(f"victim+{number % 7}@example.org", f"join {table.id}")
        lobby.wait(0.1)
    got = [sent for sent in lobby.world.letters() if sent.recipient.startswith("victim")]
    assert len(got) == 1
    for _ in range(10):
        lobby.wait(25)
        lobby.says("victim@example.org", "any open games?")
    got = [sent for sent in lobby.world.letters() if sent.recipient.startswith("victim")]
    assert len(got) == 3


def test_an_address_whose_domain_is_proved_gets_four_a_day(lobby_vouched: Lobby) -> None:
    lobby_vouched.opens("ann")
    for _ in range(6):
        lobby_vouched.says("bob", "any open games?", Authentication_Results=PASSES)
    assert len(lobby_vouched.letters("bob")) == 4


def test_a_known_person_whose_domain_is_proved_joins_without_a_token(lobby_vouched: Lobby) -> None:
    table = lobby_vouched.opens("ann", Open(most=4))
    other = lobby_vouched.opens("bob", Open(most=4))
    lobby_vouched.proves("cid", f"join {table.id}")
    lobby_vouched.proves("cid", f"leave {table.id}")
    lobby_vouched.says("cid", f"join {other.id}", Authentication_Results=PASSES)
    assert lobby_vouched.seats(other.id) == ["bob", "cid"]
    lobby_vouched.says("dora", f"join {other.id}", Authentication_Results=PASSES)  # a stranger must still confirm
    assert lobby_vouched.seats(other.id) == ["bob", "cid"]


def test_a_join_in_a_known_persons_name_is_asked_at_their_address(lobby: Lobby) -> None:
    table, other = lobby.opens("ann"), lobby.opens("bob")
    lobby.says("ann", f"join {other.id}")
    assert lobby.seats(other.id) == ["bob"]
    assert "Was it you?" in lobby.words("ann")
    assert lobby.seats(table.id) == ["ann"]


@pytest.mark.parametrize(
    "fields",
    [
        {"List-Id": "<dune.lists.example>"},
        {"List-Post": "<mailto:dune@lists.example>"},
        {"X-Mentat": "service"},
        {"Auto-Submitted": "auto-replied"},
        {"Return-Path": "<>"},
        {"Precedence": "bulk"},
    ],
    ids=lambda fields: next(iter(fields)),
)
def test_robots_and_lists_are_not_answered(lobby: Lobby, fields: dict[str, str]) -> None:
    lobby.opens("ann")
    lobby.says("bob", "any open games?", **fields)
    assert lobby.letters("bob") == []


@pytest.mark.parametrize("sender", ["no-reply@example.org", "mentat+x@arrakis.example", "mailer-daemon@example.org"])
def test_addresses_that_nobody_reads_are_not_answered(lobby: Lobby, sender: str) -> None:
    lobby.opens("ann")
    lobby.says(sender, "any open games?")
    assert lobby.letters(sender) == []


def test_five_mails_that_nobody_understands_are_answered_a_day(lobby: Lobby) -> None:
    table = lobby.opens("ann")
    lobby.joins("bob", table.id)
    before = len(lobby.letters("bob"))
    for number in range(12):
        lobby.proves("bob", f"join {table.id}x{number} as nobody in particular, or else somebody {number}")
    assert len(lobby.letters("bob")) - before <= 12


def test_an_answer_costs_no_more_than_the_limit_of_an_hour(lobby: Lobby) -> None:
    table = lobby.opens("ann")
    for _ in range(40):
        lobby.proves("bob", "games")
    assert len(lobby.letters("bob")) == lobby.world.settings.limits.answers_per_hour
    assert lobby.seats(table.id) == ["ann"]
