"""Plays three turns of an anonymous game twice, with the same moves but different hours, zones, banks, sitters,
substitutes and mutes. Everybody else must receive the same bytes at the same times."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from pathlib import Path

import pytest

from bot.archive.games import ArchivePolicy
from bot.desk import seats, speech
from bot.desk.powers import DeskRequest
from bot.language.orders import write
from rules.components import Faction
from rules.components.chance import Chance
from rules.random_players import RandomPlayer
from tests.moderator.table import FOLDS, GAME, World
from tests.moderator.twins import Twins
from tests.secrecy.silent_games import onlookers
from tests.secrecy.test_archive import built

CONFIG = FOLDS + "[clock]\nbank_hours = 6\n"
SLOT = timedelta(hours=2)
LATE = (timedelta(minutes=7), timedelta(minutes=52))
"""The time within a slot at which mail arrives in each world."""
PARTIES: tuple[Faction, ...] = ("guild", "fremen")
SITTER = "sam@elsewhere.example"


@dataclass
class Inbox:
    """The mailbox of one world; mail stays in it until Mentat has handled it."""

    world: World
    late: timedelta
    mails: list[tuple[bytes, str, datetime]] = field(default_factory=list)

    def write(self, number: int, faction: Faction, *lines: str, own: bool = False) -> None:
        """Write lines for a faction, from its sitter if it has one, unless they are the player's ``own`` affairs."""
        seat = self.world.table().seats[faction]
        sender, to = seat.address, ""
        if seat.sat_in_for(self.world.now) and not own:
            sender, to = seat.sitter, f"mentat+{seat.sitter_token}@arrakis.example"
        name = f"<{number}.{faction}@players.example>"
        raw = self.world.mail(faction, *lines, sender=sender, to=to, message_id=name)
        self.mails.append((raw, f"inbox:{number}", self.world.now + self.late))

    def pass_slot(self, look: Callable[[], object] = lambda: None) -> None:
        """Let a slot pass: mail waits until its end, is then handled, and deadlines are checked. ``look`` is Mentat's
        other work at these times."""
        begun = self.world.now
        for after in (*LATE, SLOT + timedelta(seconds=20)):
            self.world.now = begun + after
            for mail in sorted(self.mails, key=lambda each: each[2]):
                raw, key, at = mail
                if at <= self.world.now:
                    outcome = self.world.moderator.receive(raw, key, self.world.now)
                    if outcome.disposition != "waiting":
                        self.mails.remove(mail)
            self.world.moderator.timekeeper.tick(self.world.now)
            look()
        self.world.now = begun + SLOT


@pytest.fixture
def inboxes(tmp_path: Path) -> Iterator[tuple[Twins, Inbox, Inbox]]:
    (tmp_path / "first").mkdir()
    world = World.at(tmp_path / "first", CONFIG)
    world.new_game("ah-basic", press="grey,gunboat", tempo="swift", archive=ArchivePolicy("public"))
    twins = Twins(world, tmp_path, "turns", CONFIG)
    world.engine.dispose()
    yield twins, Inbox(twins.one, LATE[0]), Inbox(twins.other, LATE[1])
    twins.close()


def act_apart(twins: Twins, slot: int) -> None:
    """Apply the differences between the two worlds, except for the minutes."""
    one, other = (DeskRequest(world.moderator.open_games, GAME, world.now) for world in (twins.one, twins.other))
    if slot == 2:
        until = seats.end_of_day(twins.other.settings, "2024-12-20")
        seats.set_sitter(other, "guild", SITTER, until)
        seats.change_bank(other, "guild", 30)
        speech.mute(other, "guild")
    if slot == 6:
        seats.replace_player(one, "fremen", "flo@elsewhere.example", "Flo")
        seats.replace_player(other, "fremen", "zoe@elsewhere.example", "Zoe Zander")
    if slot == 12:
        seats.change_bank(one, "fremen", -2)
        speech.unmute(other, "guild")


def lines_apart(slot: int, days: tuple[str, str]) -> dict[Faction, tuple[tuple[str, ...], tuple[str, ...]]]:
    """Return the lines that each party writes in one world and in the other."""
    absent = f"absent {days[0]} to {days[1]}"
    zones = (("timezone Asia/Tokyo", "waking 8:00 to 22:00"), ("timezone Pacific/Honolulu", "waking 10:00 to 12:00"))
    return {
        1: {"guild": zones},
        4: {"guild": ((absent, "status"), (absent,))},
        9: {"fremen": (("timezone Asia/Kolkata",), ("letters daily",))},
        10: {"fremen": ((absent,), (absent,))},
    }.get(slot, {})  # type: ignore[return-value]


def test_no_byte_and_no_moment_of_others_differs_over_three_turns(
    inboxes: tuple[Twins, Inbox, Inbox], tmp_path: Path
) -> None:
    twins, first, second = inboxes
    chance, player, number = Chance("three anonymous turns", {}), RandomPlayer("anonymous"), 0
    others = onlookers(*PARTIES)
    asked_before: set[tuple[str, ...]] = set()
    for slot in range(1, 600):
        table = twins.one.table()
        if table.play.state.turn > 3 or table.play.over:
            break
        act_apart(twins, slot)
        days = tuple((twins.one.now + timedelta(days=ahead)).date().isoformat() for ahead in (2, 3))
        for faction, (here, there) in lines_apart(slot, (days[0], days[1])).items():
            number += 1
            first.write(number, faction, *here, own=True)
            second.write(number, faction, *there, own=True)
        for question in table.play.questions():
            place = (table.play.stop_name, *map(str, question.key))
            # Now and then a player stays silent until their time is up and their bank runs
            if place in asked_before or chance.draw(f"silent {slot} {place}", 12) == 1:
                asked_before.add(place)
                continue
            number += 1
            line = write(player.answer(question))
            for inbox in (first, second):
                inbox.write(number, question.faction, line)
        for inbox in (first, second):
            inbox.pass_slot()
        if slot % 12 == 0:
            assert list(twins.differences(others)) == [], f"slot {slot}"
    assert list(twins.differences(others)) == []
    assert twins.one.table().play.state.turn > 3 or twins.one.table().play.over
    archives = [built(world, tmp_path / name) for name, world in (("one", twins.one), ("other", twins.other))]
    assert f"game/{GAME}/index.html" in archives[0]
    assert archives[0] == archives[1]
