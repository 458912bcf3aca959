"""A mail program shows a turn's or a game's letters, and the player's own mails, as one thread."""

from __future__ import annotations

import email
import re
from datetime import timedelta
from email import policy
from email.message import EmailMessage
from pathlib import Path

import pytest

from bot.desk.positions import roll_back
from bot.desk.powers import DeskRequest
from bot.desk.seats import freeze_seat
from rules.components import Faction
from tests.mail.references import threads
from tests.moderator.returned import bounce_of
from tests.moderator.table import CONFIG, GAME, World

FEW: tuple[Faction, ...] = ("atreides", "guild", "harkonnen")


@pytest.fixture
def one_thread(tmp_path: Path) -> World:
    return World.at(tmp_path, CONFIG.replace("[mailbox]", 'subjects = "game"\n[mailbox]'))


def answering(world: World, faction: Faction, *lines: str, about: EmailMessage | None) -> EmailMessage:
    """Send a player's reply to a letter, or a new mail, and return the message."""
    fields = {}
    if about:
        known = f"{about['References'] or ''} {about['Message-ID']}".split()
        fields = {"In-Reply-To": str(about["Message-ID"]), "References": " ".join(known)}
    raw = world.mail(faction, *lines, **fields)
    world.moderator.deliver(raw, world.now)
    message = email.message_from_bytes(raw, policy=policy.default)
    assert isinstance(message, EmailMessage)
    return message


def whole_game(world: World, faction: Faction) -> list[EmailMessage]:
    """Play a game with every event that produces letters; return this player's own mails."""
    world.new_game(factions=FEW, max_turns=2)
    own = [answering(world, faction, world.line(faction, "traitor"), about=world.newest(faction).message)]
    first = world.letters(faction)[0].message
    for day in range(200):
        if world.table().play.over:
            break
        world.wait(18)
        world.wait(6)
        if day == 3:
            own.append(answering(world, faction, "history", about=first))  # the oldest letter of all
            world.say("atreides", f"press to {faction}: a word with you")
            world.say("atreides", "absent 30 Dec to 31 Dec")
        if day == 5:
            world.moderator.deliver(bounce_of(world.newest(faction)), world.now)
            own.append(answering(world, faction, "What was that?", about=world.newest(faction).message))
        if day == 6:
            freeze_seat(
                DeskRequest(world.moderator.open_games, GAME, world.now), faction
            )  # another token in all Message-IDs
            own.append(answering(world, faction, "status", about=world.newest(faction).message))
        if day == 8:
            roll_back(DeskRequest(world.moderator.open_games, GAME, world.now), 12)
    assert world.table().play.over
    return own


def test_the_letters_and_mails_of_a_player_are_one_thread(one_thread: World) -> None:
    own = whole_game(one_thread, "guild")
    letters = [letter.message for letter in one_thread.letters("guild")]
    assert len(letters) > 20
    (thread,) = threads([*letters, *own])
    assert len(thread) == len(letters) + len(own)


def test_they_are_one_thread_in_whatever_order_they_arrive_and_without_the_oldest(one_thread: World) -> None:
    own = whole_game(one_thread, "guild")
    letters = [letter.message for letter in one_thread.letters("guild")]
    assert len(threads([*reversed(letters), *own])) == 1
    assert len(threads([*own, *letters])) == 1
    assert len(threads(letters[5:])) == 1


def test_each_turn_is_a_thread_and_only_mails_link_it_with_what_they_answer(world: World) -> None:
    own = whole_game(world, "guild")
    letters = [letter.message for letter in world.letters("guild")]
    for order in ([*letters, *own], [*own, *letters], [*reversed(letters), *own]):
        found = threads(order)
        assert len(found) == 2, "turns 1 and 2"
        assert sum(map(len, found)) == len(letters) + len(own)
    heads = [letter for letter in letters if not letter["References"]]
    assert len(heads) == 2
    assert all(letter["In-Reply-To"] for letter in letters if letter not in heads)


@pytest.mark.parametrize(("subjects", "count"), [("turn", 2), ("game", 1)])
def test_the_subjects_can_be_one_a_turn_or_one_a_game_and_the_preview_says_what_is_asked(
    tmp_path: Path, subjects: str, count: int
) -> None:
    world = World.at(tmp_path, CONFIG.replace("[mailbox]", f'subjects = "{subjects}"\n[mailbox]'))
    world.new_game(factions=FEW, max_turns=3)
    world.wait_until("bidding", turn=2)
    letters = [letter for letter in world.letters() if letter.faction]
    assert len({letter.subject for letter in letters}) == count
    asking = [letter for letter in letters if "[form" in letter.text]
    assert asking
    for letter in asking:
        shown = re.search(r"<div style=\"display:none[^>]*>([^<]*)", letter.html)
        assert shown
        assert "?" in shown[1][:40]
    roots = [str(letter.message["References"] or "").split() for letter in letters if letter.faction == "guild"]
    assert len({each[0] for each in roots if each}) == count


def test_a_mail_that_answers_none_of_our_letters_does_not_take_the_game_with_it(world: World) -> None:
    world.new_game(factions=FEW)
    world.say("guild", "status")
    fresh = answering(world, "guild", "status", about=None)
    about_something_else = EmailMessage()
    about_something_else["Message-ID"], about_something_else["References"] = "<b@forum.example>", "<a@forum.example>"
    other = answering(world, "guild", "status", about=about_something_else)
    world.say("guild", "status")
    letters = [letter.message for letter in world.letters("guild")]
    for order in ([*letters, fresh, other], [fresh, other, *letters], [*reversed(letters), other, fresh]):
        assert len([thread for thread in threads(order) if any("sietch-12.guild" in name for name in thread)]) == 1
    assert letters[2]["In-Reply-To"] == fresh["Message-ID"]


def test_each_player_and_each_game_has_a_thread_of_its_own(world: World) -> None:
    world.new_game(factions=FEW)
    world.new_game(factions=FEW, game="sietch-13")
    for game in (GAME, "sietch-13"):
        for faction in FEW:
            world.say(faction, "status", game=game)
    world.now += timedelta(hours=1)
    assert len(threads(letter.message for letter in world.letters())) == 6


def test_our_letters_ask_the_programs_of_others_to_keep_quiet(world: World) -> None:
    world.new_game(factions=FEW)
    world.say("guild", "status")
    world.moderator.deliver(b"\x00", world.now)
    for letter in world.letters():
        sent = letter.message
        assert sent["Auto-Submitted"] in ("auto-generated", "auto-replied")  # RFC 3834 section 5
        assert sent["X-Auto-Response-Suppress"] == "All"
        assert sent["X-Mentat"]
        assert sent["Precedence"] is None
        assert bool(sent["List-Id"]) == (letter.faction is not None)
    assert world.letters("guild")[1].message["Auto-Submitted"] == "auto-replied"


def test_an_answer_stands_below_the_mail_that_it_answers(world: World) -> None:
    world.new_game(factions=FEW)
    mail = answering(world, "guild", "status", about=world.newest("guild").message)
    answer = world.newest("guild").message
    assert mail["Message-ID"] == answer["In-Reply-To"] == str(answer["References"]).split()[-1]
