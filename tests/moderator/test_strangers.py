"""Strangers cannot fill the disk, players learn when their mail cannot be read, and a player's words cannot break
another player's mail."""

from __future__ import annotations

import random
from base64 import b64encode
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest
from sqlalchemy import func, select

from bot.games import retention
from bot.games.open_games import Session
from bot.games.retention import HEAD_BYTES, MOST_WHOLE_OF_ONE_SENDER
from bot.games.seat_mail import make_harmless
from bot.store import mail
from bot.store import retention as kept_mail
from bot.store.database import reading, writing
from bot.store.tables import MESSAGE
from rules.components import Faction
from tests.moderator.table import ADDRESS, CONFIG, GAME_MASTER, World

FEW: tuple[Faction, ...] = ("atreides", "guild", "harkonnen")
MOST = 100_000


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    made = World.at(tmp_path, f"{CONFIG}strangers_bytes = {MOST}\n")
    made.new_game(factions=FEW)
    yield made
    made.engine.dispose()


def of_stranger(world: World, sender: str, size: int) -> bytes:
    """Return a stranger's mail that compresses badly."""
    noise = b64encode(random.Random(sender).randbytes(size * 3 // 4)).decode()
    return world.mail("guild", "x" * 70 + "\n" * (size // 70), noise, sender=sender, to=ADDRESS)


def bytes_kept(world: World) -> int:
    with reading(world.engine) as conn:
        return int(conn.execute(select(func.sum(func.length(MESSAGE.c.raw)))).scalar_one())


def test_a_flood_of_strangers_is_kept_up_to_a_limit_and_the_game_master_is_told_once(world: World) -> None:
    for number in range(60):
        assert world.moderator.deliver(of_stranger(world, f"s{number}@evil.example", 10_000), world.now).shunt
        world.now += timedelta(minutes=3)
    assert MOST - 15_000 < bytes_kept(world) < 2 * MOST
    notices = [letter for letter in world.letters(GAME_MASTER) if "A lot of mail from strangers" in letter.subject]
    assert len(notices) == 1
    world.now += timedelta(hours=25)
    before = bytes_kept(world)
    world.moderator.deliver(of_stranger(world, "s@evil.example", 10_000), world.now)
    assert bytes_kept(world) > before + 7_000


def test_of_one_sender_so_many_are_kept_whole_in_an_hour_and_then_the_heads(world: World) -> None:
    raws = [of_stranger(world, "s@evil.example", 500) for _ in range(MOST_WHOLE_OF_ONE_SENDER + 3)]
    for raw in raws:
        world.moderator.deliver(raw, world.now)
    with reading(world.engine) as conn:
        rows = [kept_mail.kept_message(conn, number + 1) for number in range(len(raws))]
        whole = [kept_mail.is_whole(conn, number + 1) for number in range(len(raws))]
    contents = [row[1] for row in rows if row]
    assert contents[:MOST_WHOLE_OF_ONE_SENDER] == raws[:MOST_WHOLE_OF_ONE_SENDER]
    assert whole == [True] * MOST_WHOLE_OF_ONE_SENDER + [False] * 3
    head = contents[-1]
    assert raws[-1].startswith(head.rstrip())
    assert b"From: s@evil.example" in head
    assert len(head) <= HEAD_BYTES


@pytest.mark.parametrize(("kept", "before", "size", "whole", "head"), [
    (MOST - 500, 0, 500, True, True), (MOST - 500, MOST_WHOLE_OF_ONE_SENDER - 1, 500, True, True),
    (MOST - 500, MOST_WHOLE_OF_ONE_SENDER, 500, False, True), (MOST - 499, 0, 500, False, True),
    (2 * MOST - HEAD_BYTES, 0, 500, False, True), (2 * MOST - HEAD_BYTES + 1, 0, 500, False, False),
])  # fmt: skip
def test_to_the_last_byte_and_message_is_kept_whole_then_the_head_and_then_nothing(
    world: World, monkeypatch: pytest.MonkeyPatch, kept: int, before: int, size: int, whole: bool, head: bool
) -> None:
    monkeypatch.setattr(mail, "bytes_of_strangers", lambda *_: kept)
    monkeypatch.setattr(mail, "rejected_since", lambda *_: before)
    raw, fields = b"x" * size, b"h" * (HEAD_BYTES + 1)
    with writing(world.engine) as conn:
        found = retention.kept_of_stranger(
            Session(conn, world.moderator.open_games, world.now), raw, fields, "s@evil.example"
        )
    assert found == (raw if whole else fields[:HEAD_BYTES] if head else b"")
    told = [letter for letter in world.letters(GAME_MASTER) if "A lot of mail from strangers" in letter.subject]
    assert len(told) == (kept + size > MOST)


def test_what_comes_again_after_only_its_head_was_kept_is_known(world: World) -> None:
    for number in range(MOST_WHOLE_OF_ONE_SENDER + 1):
        raw = of_stranger(world, "s@evil.example", 500)
        world.moderator.receive(raw, f"INBOX;1;{number}", world.now)
    assert world.moderator.receive(raw, f"INBOX;1;{number}", world.now).disposition == "duplicate"


def test_the_mail_of_players_is_kept_whole_whatever_strangers_send(world: World) -> None:
    for number in range(15):
        world.moderator.deliver(of_stranger(world, f"s{number}@evil.example", 10_000), world.now)
    raw = world.mail("guild", "status", "# " + "x" * 500)
    world.moderator.deliver(raw, world.now)
    with reading(world.engine) as conn:
        assert conn.execute(select(MESSAGE.c.raw).order_by(MESSAGE.c.id.desc()).limit(1)).scalar_one() == raw


# --- mail that is not read ------------------------------------------------------------------------------------------


UNREADABLE = {
    "more than 200000 lines": lambda raw: raw + b"\r\n" * 200_001,
    "too many boundaries": lambda raw: raw + b"\r\n".join(b"boundary=b%d" % n for n in range(2_500)) + b"\r\n" * 2_000,
}


@pytest.mark.parametrize("why", UNREADABLE)
def test_a_player_is_told_once_that_their_mail_cannot_be_read(world: World, why: str) -> None:
    traitor = world.line("guild", "traitor")
    for number in range(3):
        before = world.written()
        verdict = world.moderator.deliver(UNREADABLE[why](world.mail("guild", traitor)), world.now)
        assert (verdict.disposition, verdict.taken, verdict.shunt) == ("rejected", 0, True)
        assert [letter.faction for letter in world.letters(after=before)] == (["guild"] if number == 0 else [])
    words = " ".join(world.newest("guild").text.split())
    assert "Your mail could not be read: the message " in words
    assert why in words
    assert "guild" in world.asked()


@pytest.mark.parametrize("why", UNREADABLE)
def test_a_stranger_whose_mail_cannot_be_read_gets_no_answer_and_the_owner_hears_of_it(world: World, why: str) -> None:
    before = world.written()
    raw = UNREADABLE[why](world.mail("guild", "resign", sender="vladimir@evil.example"))
    assert world.moderator.deliver(raw, world.now).disposition == "rejected"
    written = world.letters(after=before)
    assert [letter.recipient for letter in written] == [GAME_MASTER, "guild@players.example"]
    assert why in " ".join(written[0].text.split())
    assert "could not be read" not in written[1].text


# --- words that go to others ----------------------------------------------------------------------------------------


def test_press_cannot_hold_a_reply_address_a_tag_or_a_mark(world: World) -> None:
    token = world.token("harkonnen")
    address = f"mentat+{token}@arrakis.example"
    world.say("harkonnen", f"press to guild: I am Mentat. Answer to {address.upper()}, or with [ #{token} ] as subject")
    world.say("harkonnen", "press to guild: x [end of form 0123]")
    for letter in world.letters("guild")[-2:]:
        body = letter.text.partition("writes:")[2] + letter.html.partition("writes:")[2]
        assert token not in body.lower()
        assert "[end of form" not in body
    assert "Answer to mentat@arrakis.example" in " ".join(world.letters("guild")[-2].text.replace("|", "").split())


def test_the_row_above_which_one_replies_is_not_passed_on() -> None:
    assert make_harmless("deal with guild: Reply  above this LINE", ADDRESS) == "deal with guild: Reply"


def test_words_without_signs_stay_as_they_are() -> None:
    for line in ("press to all: [formal] words, a+b@c.example, #4 [#4]", "bid 4", "ask mentat@arrakis.example"):
        assert make_harmless(line, ADDRESS) == line


def test_a_player_who_writes_unsubscribe_is_answered(world: World) -> None:
    raw = world.mail("guild", "status", to=ADDRESS, subject=f"unsubscribe [#{world.token('guild')}]")
    assert world.moderator.deliver(raw, world.now).disposition == "orders"
