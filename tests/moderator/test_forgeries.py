"""Forged mail: Mentat takes no order from it and gives nothing away in its answer. The seat's owner gets the same
neutral notice whatever was tried, once a day."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta
from functools import partial
from typing import Any

import pytest

from bot.store import people
from bot.store.database import reading
from bot.wording import say
from rules.components import Faction
from tests.moderator.forgeries import (
    AIMED_AT_GUILD,
    EVIL,
    MARK,
    OTHERS,
    OWN,
    RIVAL,
    SECOND,
    Forgery,
    mail,
    orders,
    reply_address,
)
from tests.moderator.stolen_letters import AIMED, NOBODYS
from tests.moderator.table import GAME, GAME_MASTER, Sent, World

FEW: tuple[Faction, ...] = ("atreides", "guild", "harkonnen")
NOTHING_ELSE = re.compile(
    r"Reply above this line\. \w+, you are \w+ in [\w-]+\. Set-up\. "
    rf"{re.escape(say('suspicion.subject'))} =+\s+{re.escape(say('footer.send'))}"
)
NOTICE = [say(f"suspicion.{part}") for part in ("notice", "yours", "not-yours")]


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    made = World.at(tmp_path_factory.mktemp("forgeries"))
    made.new_game(factions=FEW)
    made.new_game(factions=("fremen", "emperor"), game=SECOND)
    yield made
    made.engine.dispose()


@pytest.fixture
def world(shared: World) -> World:
    """Move the shared games to the next day, without processing any deadlines."""
    shared.now += timedelta(hours=25)
    return shared


def words(text: str) -> str:
    return " ".join(text.split())


def standing(world: World) -> Any:
    """Return everything that a forger might want to change, including each seat's reply token."""
    tables = [world.table(game) for game in (GAME, SECOND)]
    asked = [[(q.faction, q.kind) for q in table.play.questions()] for table in tables]
    seats = [replace(seat, told=0, letters=0, last_message_id="", warned_at=None, fruitless=0)
             for table in tables for seat in table.seats.values()]  # fmt: skip
    with reading(world.engine) as conn:
        known = [people.known_as(conn, seat.address) for seat in seats]
        waiting = [people.addresses_waiting(conn, seat.address, world.now) for seat in seats]
    return seats, [table.entries for table in tables], asked, known, waiting


def of_no_use(letters: list[Sent], tokens: dict[str, str], tried: bytes) -> None:
    """Check that the letters reveal nothing: each goes to the game master, to a player with only the neutral notice,
    or to the rival about the rival's own mail."""
    for letter in letters:
        raw, text = letter.message.as_string(), words(letter.text)
        assert letter.recipient == GAME_MASTER or letter.recipient in tokens
        if letter.recipient == GAME_MASTER:
            continue
        assert MARK not in raw
        assert not [token for owner, token in tokens.items() if owner != letter.recipient and token in raw]
        if letter.recipient == RIVAL and RIVAL.encode() in tried:
            assert OWN not in text
            continue
        for part in NOTICE:
            assert words(part) in text
            text = text.replace(words(part), "")
        assert NOTHING_ELSE.fullmatch(text.strip())


def try_out(world: World, forgery: Forgery | bytes) -> list[Sent]:
    """Deliver a forgery, check that nothing changes, and return the letters that Mentat writes."""
    raw = forgery if isinstance(forgery, bytes) else forgery(world)
    before, letters = standing(world), world.written()
    world.moderator.deliver(raw, world.now)
    assert standing(world) == before
    written = world.letters(after=letters)
    of_no_use(written, {seat.address: seat.token for seat in before[0]}, raw)
    return written


@pytest.mark.parametrize("kind", AIMED_AT_GUILD | AIMED)
def test_a_forgery_does_nothing_and_the_owner_of_the_seat_is_told(world: World, kind: str) -> None:
    written = try_out(world, (AIMED_AT_GUILD | AIMED)[kind])
    assert [letter.recipient for letter in written].count(OWN) == 1
    assert GAME_MASTER in {letter.recipient for letter in written}


@pytest.mark.parametrize("kind", OTHERS | NOBODYS)
def test_a_forgery_that_names_nobodys_seat_does_nothing(world: World, kind: str) -> None:
    written = try_out(world, (OTHERS | NOBODYS)[kind])
    assert OWN not in {letter.recipient for letter in written}


def test_at_least_forty_kinds_are_tried() -> None:
    assert len(AIMED_AT_GUILD | AIMED | OTHERS | NOBODYS) >= 140


def test_the_owner_is_told_once_a_day_whatever_comes(world: World) -> None:
    before = world.written()
    for number, forgery in enumerate(AIMED_AT_GUILD.values()):
        world.now += timedelta(minutes=number)
        world.moderator.deliver(forgery(world), world.now)
    assert len(world.letters(OWN, after=before)) == 1


def test_a_mail_that_comes_again_does_nothing_again(world: World) -> None:
    raw = world.mail("atreides", world.line("atreides", "traitor"))
    assert world.moderator.deliver(raw, world.now).taken == 1
    assert not try_out(world, raw)
    assert not try_out(world, raw.replace(b"\r\n\r\n", b"\r\nX-Other-Way: yes\r\n\r\n", 1))
    assert try_out(world, raw.replace(b"From: atreides@players.example", f"From: {EVIL}".encode()))


def test_an_old_reply_address_is_worth_nothing_even_from_its_own_player(world: World) -> None:
    old = reply_address(world)
    world.say("guild", "freeze")
    written = try_out(world, lambda w: mail(w, sender=OWN, to=old))
    assert [letter.recipient for letter in written].count(OWN) == 1
    assert not [letter for letter in try_out(world, lambda w: mail(w, to=old)) if letter.recipient == OWN]


def test_the_answer_goes_to_the_registered_address_whatever_the_mail_asks_for(world: World) -> None:
    before = world.written()
    raw = mail(world, "status", sender=OWN, Reply_To=EVIL, Return_Path=EVIL, Disposition_Notification_To=EVIL)
    assert world.moderator.deliver(raw, world.now).disposition == "orders"
    assert {letter.recipient for letter in world.letters(after=before)} == {OWN}


def test_a_ready_reply_of_a_letter_holds_no_more_power_than_the_token(world: World) -> None:
    links = re.findall(r"mailto:([^?\"]+)", world.letters("guild")[0].html)
    assert links
    for to in {link.replace("%2B", "+") for link in links}:
        try_out(world, partial(mail, to=to))


def test_a_stranger_who_knows_a_code_confirms_nothing(world: World) -> None:
    world.say("guild", "address add norma@elsewhere.example")
    code = str(world.newest("norma@elsewhere.example").message["Reply-To"])
    for sender in (EVIL, OWN, RIVAL):
        raw = mail(world, "confirm", sender=sender, to=code)
        try_out(world, raw)


def test_the_orders_of_the_forgeries_would_work_if_they_were_the_players_own(world: World) -> None:
    verdict = world.moderator.deliver(mail(world, *orders(world), sender=OWN), world.now)
    assert verdict.taken == 6
