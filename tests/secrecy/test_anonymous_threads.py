"""Tests that an anonymous game's thread and an anonymous event table do not reveal when somebody wrote, where they
live, or when they are away."""

from __future__ import annotations

import hashlib
import re
from datetime import timedelta
from pathlib import Path

import pytest

from bot.desk import seats, speech
from bot.desk.powers import DeskRequest
from bot.language.orders import write
from bot.mail.identity import plus_address
from rules.components import Faction
from rules.components.chance import Chance
from rules.random_players import RandomPlayer
from tests.forum.place import ForumWorld
from tests.moderator.table import ADDRESS, GAME, World
from tests.secrecy.test_anonymous_turns import LATE, SLOT, Inbox
from tests.tournament.cup import Cup
from tests.tournament.twin_events import differences, seen_by


def begun(folder: Path, late: timedelta) -> tuple[ForumWorld, Inbox]:
    folder.mkdir()
    place = ForumWorld(folder)
    place.begin("ah-basic", press="grey,gunboat", tempo="swift")
    return place, Inbox(place.world, late)


def readable(place: ForumWorld) -> list[object]:
    """Return everything a reader of the thread sees, and when it was posted, without the heads, whose salt differs
    between the worlds."""
    return [
        [(post.id, re.sub(r"\b[0-9a-f]{16}\b", "(head)", post.raw), post.posted) for post in place.posts()],
        place.forum.title(place.thread().thread),
        [hashlib.sha256(png).hexdigest() for png in place.forum.pictures.values()],
    ]


def test_a_thread_does_not_tell_when_players_write_or_where_they_live(tmp_path: Path) -> None:
    (one, first), (other, second) = (begun(tmp_path / f"late-{late.seconds}", late) for late in LATE)
    chance, player, number = Chance("an anonymous thread", {}), RandomPlayer("thread"), 0
    asked_before: set[tuple[str, ...]] = set()
    seen = 0
    for slot in range(1, 400):
        table = one.world.table()
        if table.play.state.turn > 1 or table.play.over:
            break
        if slot == 2:
            request = DeskRequest(other.world.moderator.open_games, GAME, other.world.now)
            seats.set_sitter(
                request, "guild", "sam@elsewhere.example", seats.end_of_day(other.world.settings, "2024-12-20")
            )
            seats.change_bank(request, "guild", 30)
            speech.mute(request, "guild")
        if slot == 3:
            second.write(9_000, "guild", "timezone Pacific/Honolulu", "status", own=True)
            first.write(9_000, "guild", "timezone Asia/Tokyo", "forum name edric", own=True)
        if slot == 5:
            for place, zoe in ((one, "flo@elsewhere.example"), (other, "zoe@elsewhere.example")):
                seats.replace_player(
                    DeskRequest(place.world.moderator.open_games, GAME, place.world.now), "fremen", zoe
                )
        for question in table.play.questions():
            key = (table.play.stop_name, *map(str, question.key))
            if key in asked_before or chance.draw(f"silent {slot} {key}", 12) == 1:
                asked_before.add(key)
                continue
            number += 1
            line = write(player.answer(question))
            for inbox in (first, second):
                inbox.write(number, question.faction, line)
        for place, inbox in ((one, first), (other, second)):
            inbox.pass_slot(place.look)
        assert readable(one) == readable(other), f"slot {slot}"
        seen = len(one.posts())
    assert seen > 3


def at_the_table(folder: Path, late: timedelta, said: str) -> Cup:
    """Let an entrant at an anonymous table write to the event at this time in a slot."""
    folder.mkdir()
    cup = Cup(World.at(folder), 'title = "The Cup"\npress = "open,gunboat"\n[rounds]\nheats = 2\nsemifinal = 0\n')
    cup.round()
    cup.tick(1)
    begin = cup.now.replace(minute=0, second=0) + timedelta(hours=cup.now.hour % 2)
    entrant = cup.entrant(2)
    raw = cup.world.mail("guild", said, sender=entrant.address, to=plus_address(ADDRESS, entrant.token), game="cup-1-1")
    for after in (*LATE, SLOT + timedelta(seconds=20), SLOT + timedelta(hours=9)):
        cup.world.now = begin + after
        if after >= late:
            cup.world.moderator.receive(raw, "inbox:1", cup.now)
        cup.tick(0)
        cup.world.moderator.timekeeper.tick(cup.now)
    return cup


@pytest.mark.parametrize("said", ["withdraw cup leave", "protest 1.1: It had no Guild.", "tables"])
def test_mail_to_an_event_does_not_tell_when_a_player_of_an_anonymous_table_is_awake(tmp_path: Path, said: str) -> None:
    one, other = (at_the_table(tmp_path / f"late-{late.seconds}", late, said) for late in LATE)
    viewers = [number for number in range(1, 13) if number != 2]
    assert differences(seen_by(one, viewers), seen_by(other, viewers)) == []


def test_the_words_of_a_party_are_taken_at_the_slot(tmp_path: Path) -> None:
    cup = at_the_table(tmp_path / "cup", LATE[0], "withdraw cup leave")
    party: Faction = cup.held("bene-gesserit") and "bene-gesserit"  # type: ignore[assignment]
    assert cup.world.table("cup-1-1").seats[party].care
