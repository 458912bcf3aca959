"""Mail that no player wrote: never answered, never taken for orders, and the game master hears of it once."""

from __future__ import annotations

import re
import time
from datetime import timedelta
from email import message_from_bytes, policy
from pathlib import Path

import pytest

from bot.desk.new_game import NewGame, new_game
from bot.mail.disposition import Examined, examine
from bot.mail.mailbox import MaildirMailbox, MaildirPlace
from bot.moderator import intake
from bot.moderator.automatic_mail import MOST_FRUITLESS
from bot.service import loop
from rules.components import Faction
from tests.moderator.returned import answer_of_program, bounce_of
from tests.moderator.table import ADDRESS, CONFIG, GAME, GAME_MASTER, Sent, World, address_of, make_settings

FEW: tuple[Faction, ...] = ("atreides", "guild", "harkonnen")
QUIET = ("Auto-Submitted", "X-Mentat", "X-Auto-Response-Suppress", "List-Id")


def words(letter: Sent) -> str:
    return " ".join(letter.text.split())


# --- programs that answer --------------------------------------------------------------------------------------------


def test_a_vacation_note_moves_no_clock_and_the_game_master_hears_once_a_week(world: World) -> None:
    world.new_game(factions=FEW)
    before = world.table().deadlines
    for day in range(8):
        note = answer_of_program(world.newest("guild"), "Out of office", "I am away", Auto_Submitted="auto-replied")
        verdict = world.moderator.deliver(note, world.now)
        assert (verdict.disposition, verdict.game_id, verdict.faction) == ("auto-reply", GAME, "guild")
        assert len(world.letters(GAME_MASTER)) == (1 if day < 6 else 2)  # the first day is a Tuesday
        world.now += timedelta(days=1)
    assert world.table().deadlines == before
    assert len(world.letters("guild")) == 1
    told = words(world.letters(GAME_MASTER)[0])
    assert "A program answered in place of the player of Guild" in told
    assert "Out of office" in told


def test_a_demand_to_confirm_is_nobodys_order_and_the_game_master_confirms_by_hand(world: World) -> None:
    world.new_game(factions=FEW)
    text = "Your message is waiting for delivery. Please confirm your message by replying to this mail."
    challenge = answer_of_program(world.newest("guild"), "Please confirm your message", text)
    assert world.moderator.deliver(challenge, world.now).disposition == "auto-reply"
    assert len(world.letters("guild")) == 1
    assert "gets no letters until somebody confirms" in world.newest(GAME_MASTER).subject


def test_automatic_answers_of_strangers_are_told_to_nobody(world: World) -> None:
    world.new_game(factions=FEW)
    before = len(world.letters())
    for number in range(50):
        raw = f"From: robot@elsewhere.example\r\nTo: {ADDRESS}\r\nSubject: Out of office {number}\r\n"
        raw += "Auto-Submitted: auto-replied\r\n\r\nI am away\r\n"
        assert world.moderator.deliver(raw.encode(), world.now).disposition == "auto-reply"
    assert len(world.letters()) == before


def test_a_storm_of_bounces_is_one_notice(world: World) -> None:
    world.new_game(factions=FEW)
    before = len(world.letters())
    for _ in range(40):
        world.moderator.deliver(bounce_of(world.newest("guild")), world.now)
    told = world.letters()[before:]
    assert sorted(letter.recipient for letter in told) == [address_of("atreides"), GAME_MASTER, address_of("harkonnen")]


# --- loops -----------------------------------------------------------------------------------------------------------


def test_our_own_letters_that_come_back_are_one_notice_a_day(world: World) -> None:
    world.new_game(factions=FEW)
    letter = world.newest("guild").message.as_bytes()
    for number in range(30):
        looped = b"Received: from list%d.example\r\n" % number + letter
        assert world.moderator.deliver(looped, world.now).disposition == "rejected"
    assert len(world.letters(GAME_MASTER)) == 1
    world.now += timedelta(days=1)
    world.moderator.deliver(b"Received: from list.example\r\n" + letter, world.now)
    assert len(world.letters(GAME_MASTER)) == 2


def test_a_letter_of_ours_is_known_by_its_message_id_when_all_else_was_taken_off(world: World) -> None:
    world.new_game(factions=FEW)
    message = world.newest("guild").message
    for name in QUIET:
        del message[name]
    message.replace_header("From", address_of("guild"))
    message.replace_header("To", f"mentat+{world.token('guild')}@arrakis.example")
    verdict = world.moderator.deliver(message.as_bytes(), world.now)
    assert (verdict.disposition, verdict.reason.split(":")[0]) == ("rejected", "loop")


def test_notices_to_a_game_master_who_forwards_them_here_end(world: World) -> None:
    world.new_game(factions=FEW)
    world.moderator.deliver(b"\x00\xff", world.now)
    seen = 0
    for _ in range(20):
        notices = world.letters(GAME_MASTER)
        for notice in notices[seen:]:
            world.moderator.deliver(notice.message.as_bytes(), world.now)
        if len(notices) == seen:
            break
        seen = len(notices)
    assert seen == 2  # the message that was put aside, and the loop


def test_two_mentats_whose_letters_lose_their_marks_on_the_way_stop_writing_to_each_other(tmp_path: Path) -> None:
    worlds = [World.at(_folder(tmp_path, name), CONFIG.replace("arrakis.example", f"{name}.example")) for name in "ab"]
    tokens, seats = [], []
    for world, other in zip(worlds, worlds[::-1], strict=True):
        player = other.settings.mentat.address
        table = new_game(
            world.moderator.open_games,
            NewGame(
                GAME, "ah-basic", {"guild": player, "fremen": "duke@players.example"}, {"guild": 2, "fremen": 5}, "s"
            ),
            world.now,
        )
        seats.append(table.seats["guild"])
        tokens.append(table.seats["guild"].token)
    sent = [0, 0]
    for _ in range(40):
        quiet = True
        for here, there in ((0, 1), (1, 0)):
            letters = worlds[here].letters("guild")
            for letter in letters[sent[here] :]:
                quiet = False
                raw = _through_a_gateway(letter, worlds[there], tokens[there])
                worlds[there].moderator.deliver(raw, worlds[there].now)
            sent[here] = len(letters)
            worlds[here].now += timedelta(minutes=10)
        if quiet:
            break
    assert quiet
    assert max(sent) <= MOST_FRUITLESS + 3
    assert all("no longer answered" in world.newest(GAME_MASTER.replace("arrakis", name)).subject
               for world, name in zip(worlds, "ab", strict=True))  # fmt: skip


def _folder(tmp_path: Path, name: str) -> Path:
    (tmp_path / name).mkdir()
    return tmp_path / name


def _through_a_gateway(letter: Sent, to: World, token: str) -> bytes:
    """A letter as an unfriendly gateway passes it on: no mark of a program is left, and it goes where an answer of the
    player would go."""
    message = message_from_bytes(letter.message.as_bytes(), policy=policy.default)
    for name in (*QUIET, "Message-ID", "References", "In-Reply-To", "Reply-To"):
        del message[name]
    local, _, host = to.settings.mentat.address.partition("@")
    message.replace_header("To", f"{local}+{token}@{host}")
    return message.as_bytes()


def test_a_person_who_cannot_get_an_order_right_is_still_answered(world: World) -> None:
    world.new_game(factions=FEW)
    for _ in range(MOST_FRUITLESS + 3):
        before = len(world.letters("guild"))
        world.say("guild", "bid 4")  # refused: nothing is for sale
        assert len(world.letters("guild")) == before + 1


def test_a_program_that_answers_each_mail_with_talk_is_answered_so_often_and_no_more(world: World) -> None:
    world.new_game(factions=FEW)
    for _ in range(MOST_FRUITLESS + 10):
        world.say("guild", "Your request was received and has the number 4711.")
        world.now += timedelta(hours=2)
    letters = world.letters("guild")
    assert len(letters) == 1 + MOST_FRUITLESS == 6  # five answers, as docs/moderating.md says
    assert "answers again only when it can read a line" in words(letters[-1])
    assert len([letter for letter in world.letters(GAME_MASTER) if "no longer answered" in letter.subject]) == 1
    world.say("guild", "help")
    assert len(world.letters("guild")) == 2 + MOST_FRUITLESS
    world.say("guild", "What is this?")
    assert len(world.letters("guild")) == 3 + MOST_FRUITLESS


# --- what takes too long ---------------------------------------------------------------------------------------------


def test_a_message_that_takes_too_long_is_put_aside_and_the_next_one_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    world = World.at(tmp_path, CONFIG + "seconds_per_message = 1\n")
    world.new_game(factions=FEW)
    hostile, good = world.mail("guild", "status hostile"), world.mail("harkonnen", "status")
    box = MaildirMailbox(MaildirPlace(tmp_path / "Maildir"))
    list(box.fetch_new())
    for number, raw in enumerate((hostile, good)):
        (tmp_path / "Maildir" / "new" / f"{number}.mail").write_bytes(raw)

    def slow(raw: bytes, *args: object, **named: object) -> Examined:
        if b"hostile" in raw:
            while time.monotonic() - began < 12:  # without end, but for this test where nobody stops it
                try:
                    re.match(r"(?:a|a)*b", "a" * 26)  # doubles with every letter, and is in C
                except Exception:
                    continue  # a guard that catches everything
        return examine(raw, *args, **named)  # type: ignore[arg-type]

    monkeypatch.setattr(intake, "examine", slow)
    began = time.monotonic()
    polled = loop.poll(world.moderator, box, lambda: world.now)
    assert time.monotonic() - began < 10
    assert (polled.messages, polled.shunted) == (2, 1)
    assert [disposition for disposition, _ in world.messages()] == ["fault", "orders"]
    assert "took longer than 1 seconds" in words(world.newest(GAME_MASTER))
    monkeypatch.undo()
    assert world.moderator.receive(hostile, "moved back", world.now).disposition == "orders"


def test_the_limit_is_in_the_settings(tmp_path: Path) -> None:
    assert make_settings(tmp_path).limits.seconds_per_message == 20
