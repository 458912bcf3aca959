"""Lost time: an unreadable mailbox, a Mentat that was not running, and a clock that jumps."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from contextlib import closing, contextmanager
from datetime import datetime, timedelta
from pathlib import Path

import pytest

from bot.desk import clocks
from bot.desk.powers import DeskRequest
from bot.mail.mailbox import MailboxUnavailable
from bot.moderator import outage
from bot.service import loop
from bot.service.machine import WallClock
from bot.service.mail_servers import open_mailbox
from bot.store import installation
from bot.store.database import reading
from rules.components import Faction
from tests.moderator.table import CONFIG, GAME, GAME_MASTER, START, World, address_of

FEW: tuple[Faction, ...] = ("atreides", "guild", "harkonnen")


def poll(world: World) -> int:
    """Poll the mailbox and return the number of messages found."""
    with closing(open_mailbox(world.settings)) as mailbox:
        return loop.poll(world.moderator, mailbox, lambda: world.now).messages


@contextmanager
def unreachable(world: World) -> Iterator[None]:
    """Make the mailbox unreadable by putting a file in place of its folder."""
    place = Path(world.settings.mailbox.maildir)
    away = place.with_name("elsewhere")
    place.rename(away)
    place.write_text("no folder")
    yield
    place.unlink()
    away.rename(place)


def mailbox_away(world: World, hours: float, tries: int = 4) -> None:
    """Keep the mailbox unreadable for this long, and poll it `tries` times in vain."""
    with unreachable(world):
        for number in range(tries):
            with pytest.raises(MailboxUnavailable):
                poll(world)
            if number < tries - 1:
                world.wait(hours / (tries - 1))


def dues(world: World, game: str = GAME) -> set[datetime | None]:
    table = world.table(game)
    return {table.due(question) for question in table.play.questions()}


@pytest.fixture
def read(world: World) -> World:
    """Poll the mailbox once, then start a game."""
    poll(world)
    world.new_game(factions=FEW)
    return world


def test_while_the_mailbox_cannot_be_read_silence_answers_nothing(read: World) -> None:
    mailbox_away(read, 100)
    assert read.asked().keys() == set(FEW)
    assert read.wait(1000) == 0


def test_after_the_mailbox_was_away_everything_has_as_much_time_left_as_before(read: World) -> None:
    read.now += timedelta(hours=20)
    mailbox_away(read, 30)
    poll(read)
    assert dues(read) == {read.now + timedelta(hours=4)}
    assert read.wait(3.9) == 0
    assert read.wait(0.1) == 1


def test_what_lay_in_the_mailbox_meanwhile_is_taken_in_time(read: World) -> None:
    raw = read.mail("guild", read.line("guild", "traitor"))
    mailbox_away(read, 30)
    (Path(read.settings.mailbox.maildir) / "new" / "1.mail").write_bytes(raw)
    assert poll(read) == 1
    assert read.asked().keys() == {"atreides", "harkonnen"}


def test_a_short_failure_moves_nothing_and_tells_nobody(read: World) -> None:
    written = len(read.letters())
    mailbox_away(read, 0.2)
    poll(read)
    assert dues(read) == {START + timedelta(hours=24)}
    assert len(read.letters()) == written


def test_each_person_is_told_once_for_all_their_games_and_the_game_master_too(read: World) -> None:
    read.new_game(factions=FEW, game="sietch-13")
    written = len(read.letters())
    mailbox_away(read, 10)
    poll(read)
    poll(read)
    letters = read.letters()[written:]
    assert sorted(sent.recipient for sent in letters) == sorted([*map(address_of, FEW), GAME_MASTER])
    for sent in letters:
        if sent.recipient != GAME_MASTER:
            assert "sietch-12 and sietch-13" in " ".join(sent.text.split())
    assert len({sent.text for sent in letters if sent.recipient != GAME_MASTER}) == 1


def test_lost_time_is_given_back_once_however_often_the_work_is_begun(read: World) -> None:
    read.new_game(factions=FEW, game="sietch-13")
    since, back = START + timedelta(hours=1), START + timedelta(hours=6)
    for _ in range(3):
        outage.give_time_back(read.moderator.open_games, "mailbox", since, back)
    assert dues(read) == dues(read, "sietch-13") == {START + timedelta(hours=29)}
    assert len([sent for sent in read.letters() if "Lost time" in sent.subject]) == 4


def test_a_paused_game_is_told_nothing_and_loses_no_time_either(read: World) -> None:
    clocks.pause(DeskRequest(read.moderator.open_games, GAME, read.now + timedelta(hours=3)))
    written = len(read.letters())
    outage.give_time_back(read.moderator.open_games, "mailbox", START + timedelta(hours=1), START + timedelta(hours=6))
    assert len(read.letters()) == written
    clocks.resume(DeskRequest(read.moderator.open_games, GAME, START + timedelta(hours=11)))
    assert dues(read) == {START + timedelta(hours=11 + 23)}


def test_a_game_that_stood_still_before_an_outage_loses_nothing_by_it(read: World) -> None:
    clocks.pause(DeskRequest(read.moderator.open_games, GAME, START))
    outage.give_time_back(read.moderator.open_games, "mailbox", START + timedelta(hours=1), START + timedelta(hours=6))
    clocks.resume(DeskRequest(read.moderator.open_games, GAME, START + timedelta(hours=11)))
    assert dues(read) == {START + timedelta(hours=11 + 24)}


# --- Mentat itself ---------------------------------------------------------------------------------------------------


def test_the_time_for_which_the_service_was_down_is_given_back(world: World) -> None:
    world.new_game(factions=FEW)
    open_games = world.moderator.open_games
    outage.note_service_beat(open_games, world.now)
    outage.note_service_beat(open_games, world.now + timedelta(minutes=14))
    assert dues(world) == {START + timedelta(hours=24)}
    outage.note_service_beat(open_games, world.now + timedelta(days=3, minutes=14))
    assert dues(world) == {START + timedelta(days=4)}
    assert "Mentat was not running" in " ".join(world.newest("guild@players.example").text.split())


def test_only_what_lasts_longer_than_the_settings_say_is_an_outage(world: World) -> None:
    world.new_game(factions=FEW)
    open_games, allowed = world.moderator.open_games, timedelta(minutes=15)
    outage.note_service_beat(open_games, world.now)
    outage.note_service_beat(open_games, world.now + allowed)
    assert dues(world) == {START + timedelta(hours=24)}
    outage.note_service_beat(open_games, world.now + 2 * allowed + timedelta(seconds=1))
    assert dues(world) == {START + timedelta(hours=24, minutes=15, seconds=1)}


def test_a_first_start_and_a_clock_that_is_set_by_hand_are_no_outage(world: World) -> None:
    world.new_game(factions=FEW)
    assert world.wait(24) == 1  # as with mentat tick --now; the service never ran
    due = dues(world)
    outage.note_service_beat(world.moderator.open_games, world.now + timedelta(hours=2))
    assert dues(world) == due


def test_cron_that_reads_the_mailbox_after_the_service_stopped_leaves_nothing_to_give_back(world: World) -> None:
    outage.note_service_beat(world.moderator.open_games, world.now)
    world.new_game(factions=FEW)
    for _ in range(20):
        world.now += timedelta(hours=1)
        poll(world)
    outage.note_service_beat(world.moderator.open_games, world.now + timedelta(minutes=5))
    assert dues(world) == {START + timedelta(hours=24)}


def test_time_that_mailbox_and_service_lost_together_is_given_back_once(read: World) -> None:
    open_games = read.moderator.open_games
    outage.note_service_beat(open_games, read.now)
    with unreachable(read), pytest.raises(MailboxUnavailable):
        poll(read)
    read.now += timedelta(hours=10)  # meanwhile the service was down, too
    outage.note_service_beat(open_games, read.now)
    poll(read)
    assert dues(read) == {START + timedelta(hours=34)}


def test_in_a_zone_with_a_time_of_day_a_deadline_moves_to_the_next_such_time(tmp_path: Path) -> None:
    world = World.at(tmp_path, CONFIG + '[clock]\ntimezone = "Europe/Berlin"\ndue_at = "20:00"\n')
    world.new_game(factions=FEW)  # starts at 21:00, so due in two days at 20:00
    (due,) = dues(world)
    outage.give_time_back(world.moderator.open_games, "service", START, START + timedelta(hours=3))
    (moved,) = dues(world)
    assert due
    assert moved == due + timedelta(hours=24)


# --- a clock that jumps ----------------------------------------------------------------------------------------------


def test_a_wall_clock_that_runs_with_the_steady_one_has_not_jumped() -> None:
    steady = itertools.count(0.0, 30.0)
    clock = WallClock(lambda: next(steady))
    assert [clock.jumped(START + timedelta(seconds=30 * n)) for n in range(5)] == [0.0] * 5


@pytest.mark.parametrize("hours", [-5, 3])
def test_a_wall_clock_that_is_set_has_jumped_once(hours: int) -> None:
    steady = itertools.count(0.0, 30.0)
    clock = WallClock(lambda: next(steady))
    clock.jumped(START)
    set_to = START + timedelta(hours=hours)
    assert clock.jumped(set_to + timedelta(seconds=30)) == hours * 3600
    assert clock.jumped(set_to + timedelta(seconds=60)) == 0


def test_the_mailbox_that_works_is_noted_once_a_minute(world: World) -> None:
    poll(world)
    world.now += timedelta(seconds=30)
    poll(world)
    with reading(world.engine) as conn:
        known = installation.heartbeat(conn, "mailbox")
    assert known
    assert known.at == START
