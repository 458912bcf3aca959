"""Tests that mails and letters are packed, that each picture is stored once, and that both are restored exactly."""

from __future__ import annotations

import hashlib
from base64 import b64encode, encodebytes
from binascii import b2a_qp
from collections.abc import Sequence
from datetime import timedelta
from pathlib import Path

import pytest
from sqlalchemy import func, select

from bot.games import retention
from bot.service import loop
from bot.store import mail
from bot.store.database import GAMES, MAILS, Mark, _dictionary, reading, unpack, writing
from bot.store.mail import LETTER, put_together, take_apart
from bot.store.retention import EmptiedCounts
from bot.store.tables import MESSAGE, NOBODY, PICTURE
from rules.components import Faction
from tests.moderator.table import CONFIG, World
from tests.moderator.test_outbox import Server

FEW: tuple[Faction, ...] = ("atreides", "guild", "harkonnen")
PNG = b"\x89PNG\r\n\x1a\n" + bytes(range(256)) * 3
PART = b"Content-Type: image/png\r\nContent-Transfer-Encoding: base64\r\n\r\n"


def encoded(png: bytes) -> bytes:
    return encodebytes(png).replace(b"\n", b"\r\n")


def with_text(text: str) -> bytes:
    part = b2a_qp(text.encode(), istext=True).replace(b"\n", b"\r\n")
    return b"Subject: x\r\nContent-Transfer-Encoding: quoted-printable\r\n\r\n" + part


def with_parts(*bodies: bytes) -> bytes:
    return b"Subject: x\r\n\r\n--b\r\n" + b"".join(PART + body + b"\r\n--b\r\n" for body in bodies)


@pytest.mark.parametrize(
    ("mark", "is_now"),
    [
        (GAMES, "92326740cdff5a10"),
        (MAILS, "90d13275f266a88e"),
    ],
)
def test_pieces_with_which_anything_was_packed_never_change(mark: Mark, is_now: str) -> None:
    assert hashlib.sha256(_dictionary(mark)).hexdigest().startswith(is_now)


@pytest.mark.parametrize(
    ("letter", "found"),
    [
        (with_parts(encoded(PNG)), 1),
        (with_parts(encoded(PNG), encoded(PNG + b"2")), 2),
        (with_parts(), 0),
        (b"", 0),
        (with_parts(b64encode(PNG) + b"\r\n"), 0),  # in one long line, which we never write
        (with_parts(encoded(PNG)).replace(b"\r\n", b"\n"), 0),
        (b"\1" + with_parts(encoded(PNG)), 0),
        (with_text("Sietch – Tabr =\n\n--=_mentat_\n" * 20) + with_parts(encoded(PNG)), 1),
        (with_text("Tabr – \3").replace(b"\r\n", b"\n"), 0),
        (with_text("Tabr – \3"), 0),
        (with_text("Tabr \r – \0 \x7f \t "), 0),
        (with_text("–")[:-4] + b"=zz=E\r\n", 0),
        (with_parts(encoded(PNG)[:-31] + b"\r\n"), 0),
        (with_parts(b"iVBORw0KGgo\r\n"), 0),
    ],
)
def test_a_letter_without_its_pictures_is_put_together_to_the_byte(letter: bytes, found: int) -> None:
    content, pngs = take_apart(letter)
    assert len(pngs) == found
    assert put_together(content, pngs) == letter
    assert found == 0 or len(content) < len(letter)


def letters(world: World) -> Sequence[tuple[bytes, str]]:
    with reading(world.engine) as conn:
        return [(row.content, row.pictures) for row in conn.execute(select(LETTER).order_by(LETTER.c.id))]


def test_letters_take_less_than_a_fifth_of_their_bytes(world: World) -> None:
    """If this fails, letters have changed so much that new dictionaries pay off: ``tests/packing/make.py``."""
    world.new_game(factions=FEW)
    world.silence_until("revival")
    plain = [put_together(content, ()) for content, _ in letters(world)]
    with reading(world.engine) as conn:
        stored = conn.execute(select(func.sum(func.length(LETTER.c.content)))).scalar_one()
    assert 5 * stored < sum(map(len, plain))


def test_the_picture_that_all_get_is_kept_once(world: World) -> None:
    world.new_game(factions=FEW)
    showing = [names for _, names in letters(world) if names]
    assert len(showing) == len(FEW)
    with reading(world.engine) as conn:
        kept = conn.execute(select(PICTURE)).all()
    assert {name for names in showing for name in names.split()} == {row.digest for row in kept}
    assert len(kept) == 1
    assert all(hashlib.sha256(row.png).hexdigest() == row.digest for row in kept)


def test_what_goes_out_is_what_was_written_picture_and_all(world: World) -> None:
    world.new_game(factions=FEW)
    server = Server()
    loop.send(world.outbox, server, world.now)
    assert server.got
    assert all(content.count(b"iVBORw0KGgo") == 1 and b"\1" not in content for content in server.got)


def test_a_message_is_kept_packed_and_given_back(world: World) -> None:
    world.new_game(factions=FEW)
    raw = world.mail("guild", *("status" for _ in range(50)))
    world.moderator.deliver(raw, world.now)
    with reading(world.engine) as conn:
        kept = conn.execute(select(MESSAGE.c.raw)).scalar_one()
        stored = conn.exec_driver_sql("SELECT raw FROM message").scalar_one()
    assert kept == raw == unpack(stored)
    assert 2 * len(stored) < len(raw)


# --- bodies are dropped --------------------------------------------------------------------------------------------


def at(folder: Path, body_days: int) -> World:
    return World.at(folder, f"{CONFIG}[retention]\nbody_days = {body_days}\n")


def test_bodies_of_letters_that_went_out_are_dropped_and_their_rows_stay(tmp_path: Path) -> None:
    world = at(tmp_path, 5)
    world.new_game(factions=FEW)
    loop.send(world.outbox, Server(), world.now)
    gone = len(letters(world))
    world.say("guild", "status")
    world.now += timedelta(days=6)
    with writing(world.engine) as conn:
        before = conn.execute(select(LETTER.c.message_id, LETTER.c.recipient, LETTER.c.sent_at)).all()
    retention.delete_expired(world.moderator.open_games, world.now)
    kept = letters(world)
    assert set(kept[:gone]) == {(b"", "")}
    assert all(content for content, _ in kept[gone:])  # they wait in the outbox
    with reading(world.engine) as conn:
        assert before == conn.execute(select(LETTER.c.message_id, LETTER.c.recipient, LETTER.c.sent_at)).all()
        assert conn.execute(select(func.count()).select_from(PICTURE)).scalar_one() == 0
        assert conn.execute(select(MESSAGE.c.raw)).scalar_one()  # the game is still running


def test_a_picture_stays_as_long_as_a_letter_that_shows_it_waits(tmp_path: Path) -> None:
    world = at(tmp_path, 5)
    world.new_game(factions=FEW)
    with writing(world.engine) as conn:
        first, *others = mail.to_send(conn, world.now)
        for waiting in others:
            mail.claim(conn, waiting, "a worker", world.now)
        mail.note_sent(conn, [waiting.id for waiting in others], world.now)
    world.now += timedelta(days=6)
    retention.delete_expired(world.moderator.open_games, world.now)
    server = Server()
    loop.send(world.outbox, server, world.now)
    assert server.got == [first.letter.content]


def test_nothing_is_dropped_where_bodies_are_kept_for_ever(tmp_path: Path) -> None:
    world = at(tmp_path, 0)
    world.new_game(factions=FEW)
    loop.send(world.outbox, Server(), world.now)
    before = letters(world)
    world.now += timedelta(days=400)
    retention.delete_expired(world.moderator.open_games, world.now)
    assert letters(world) == before


def test_what_players_mailed_is_dropped_when_their_game_has_been_over_for_long(tmp_path: Path) -> None:
    world = at(tmp_path, 5)
    world.new_game("ah-basic", factions=FEW, max_turns=1)
    world.say("guild", "status")
    for _ in range(200):
        if world.table().play.over:
            break
        world.wait(24)
    assert world.table().play.over
    for days, left in ((3, True), (3, False)):
        world.now += timedelta(days=days)
        retention.delete_expired(world.moderator.open_games, world.now)
        with reading(world.engine) as conn:
            (raw,) = conn.scalars(select(MESSAGE.c.raw))
            forms = conn.exec_driver_sql("SELECT count(*) FROM form").scalar_one()
        assert (bool(raw), bool(forms)) == (left, left)


def test_who_wrote_and_who_was_written_to_is_emptied_also_after_bodies_were_dropped(world: World) -> None:
    world.new_game("ah-basic", factions=FEW, max_turns=1)
    world.say("guild", "status")
    for _ in range(200):
        if world.table().play.over:
            break
        world.wait(24)
    loop.send(world.outbox, Server(), world.now)
    later = world.now + timedelta(days=1)
    open_games = world.moderator.open_games
    dropped = retention.carry_out_deletion(open_games, retention.bodies_before(later))
    emptied = retention.carry_out_deletion(open_games, retention.mail_older_than(later))
    assert (emptied.messages, emptied.letters) == (dropped.messages, dropped.letters) == (1, len(letters(world)))
    assert retention.carry_out_deletion(open_games, retention.mail_older_than(later)) == EmptiedCounts()
    with reading(world.engine) as conn:
        assert set(conn.scalars(select(LETTER.c.recipient))) == {NOBODY} == set(conn.scalars(select(MESSAGE.c.sender)))
