"""The game master's daily letter: sent at most once a day, only if there is a reason, and with nothing sealed."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, time, timedelta
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from sqlalchemy import event, update

from bot.desk import clocks, desk
from bot.desk.powers import DeskRequest
from bot.language.orders import write
from bot.store import installation
from bot.store.database import writing
from bot.store.tables import SEAT
from rules.components import FACTIONS, Faction
from rules.components.chance import Chance
from tests.moderator.table import CONFIG, GAME, GAME_MASTER, Sent, World
from tests.moderator.twins import Twins, change_unseen

FEW: tuple[Faction, ...] = ("atreides", "guild", "harkonnen")
EIGHT = datetime(2024, 11, 27, 8, tzinfo=ZoneInfo("UTC"))
DAY = timedelta(days=1)


def letters(world: World) -> list[Sent]:
    return [sent for sent in world.letters(GAME_MASTER) if "Your desk on" in sent.subject]


def begin(folder: Path, more: str = "", *, paused: bool = True) -> World:
    """Start a game and process the first tick after Mentat's installation."""
    world = World.at(folder, CONFIG.replace('desk_mail = "off"', more))
    world.new_game(factions=FEW)
    if paused:
        clocks.pause(DeskRequest(world.moderator.open_games, GAME, world.now))
    assert world.outbox.send(_Post(), world.now)
    world.moderator.timekeeper.tick(world.now)
    return world


class _Post:
    def send(self, *_: Any) -> None: ...

    def close(self) -> None: ...


def tick(world: World, when: datetime) -> int:
    """Run a tick and return the number of desk letters that it writes."""
    before = len(letters(world))
    world.now = when
    world.moderator.timekeeper.tick(when)
    world.outbox.send(_Post(), when)
    return len(letters(world)) - before


def test_what_waits_comes_once_a_day_at_its_hour(tmp_path: Path) -> None:
    world = begin(tmp_path)
    assert tick(world, EIGHT - timedelta(minutes=1)) == 0
    assert tick(world, EIGHT) == 1
    assert tick(world, EIGHT + timedelta(seconds=30)) == 0
    assert tick(world, EIGHT + timedelta(hours=23)) == 0
    assert tick(world, EIGHT + DAY) == 1
    letter = letters(world)[-1]
    assert letter.subject.endswith("Your desk on 28 Nov: 1 matter")
    assert "stopped since Tue 26 Nov 20:00" in " ".join(letter.text.split())
    assert "MB" not in letter.text


def test_the_hour_is_that_of_the_zone_of_the_settings(tmp_path: Path) -> None:
    world = begin(tmp_path, 'timezone = "America/New_York"\ndesk_mail = "06:30"')
    assert tick(world, datetime(2024, 11, 27, 11, 29, tzinfo=ZoneInfo("UTC"))) == 0
    assert tick(world, datetime(2024, 11, 27, 11, 30, tzinfo=ZoneInfo("UTC"))) == 1
    assert "New York time" in letters(world)[-1].text


def test_a_day_on_which_nothing_waits_has_none(tmp_path: Path) -> None:
    world = begin(tmp_path, paused=False)
    assert tick(world, EIGHT) == 0
    clocks.pause(DeskRequest(world.moderator.open_games, GAME, world.now))
    assert tick(world, EIGHT + timedelta(hours=1)) == 0
    assert tick(world, EIGHT + DAY) == 1


def test_it_comes_on_every_day_where_that_is_set(tmp_path: Path) -> None:
    world = begin(tmp_path, "desk_mail_always = true", paused=False)
    assert tick(world, EIGHT) == 1
    assert letters(world)[-1].subject.endswith("nothing to do")


def test_it_can_be_switched_off(tmp_path: Path) -> None:
    world = begin(tmp_path, 'desk_mail = "off"')
    assert [tick(world, EIGHT + number * DAY) for number in range(3)] == [0, 0, 0]


def test_after_days_without_mentat_one_comes(tmp_path: Path) -> None:
    world = begin(tmp_path)
    assert tick(world, EIGHT + 9 * DAY + timedelta(hours=5)) == 1
    assert tick(world, EIGHT + 9 * DAY + timedelta(hours=6)) == 0
    assert tick(world, EIGHT + 10 * DAY) == 1


def test_a_tick_that_was_told_a_later_time_takes_nothing_from_the_days_before(tmp_path: Path) -> None:
    world = begin(tmp_path)
    assert tick(world, EIGHT + 900 * DAY) == 1
    assert tick(world, EIGHT + timedelta(hours=1)) == 0
    assert tick(world, EIGHT + DAY) == 1
    assert tick(world, EIGHT + DAY) == 0


def test_a_clock_that_is_set_back_a_little_brings_no_second_one(tmp_path: Path) -> None:
    world = begin(tmp_path)
    assert tick(world, EIGHT) == 1
    assert tick(world, EIGHT - timedelta(seconds=2)) == 0
    assert tick(world, EIGHT) == 0


def test_it_comes_though_the_mailbox_cannot_be_read(tmp_path: Path) -> None:
    world = begin(tmp_path, paused=False)
    with writing(world.engine) as conn:
        installation.note_failure(conn, "mailbox", world.now)
    assert tick(world, EIGHT) == 1
    assert "Mentat has not been able to read the mailbox since Tue 26 Nov 20:00" in " ".join(
        letters(world)[-1].text.split()
    )


def test_a_fault_in_it_stops_no_deadline(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    world = begin(tmp_path, paused=False)
    monkeypatch.setattr(desk, "desk_now", lambda *_: 1 / 0)
    world.now = EIGHT + 3 * DAY
    assert world.moderator.timekeeper.tick(world.now) == 1


def test_time_that_passes_in_one_game_alone_brings_none(tmp_path: Path) -> None:
    world = begin(tmp_path)
    world.moderator.timekeeper.tick(EIGHT + 5 * DAY, GAME)
    assert letters(world) == []


# --- deaths ----------------------------------------------------------------------------------------------------------


class Killed(BaseException):
    """Simulates the death of the process."""


def burn(world: World, place: int) -> Callable[[], int]:
    """Kill the process at statement or commit number `place`; 0 only counts them."""
    passed = 0

    def note(*_: Any) -> None:
        nonlocal passed
        passed += 1
        if passed == place:
            raise Killed

    for name in ("before_cursor_execute", "commit"):
        event.listen(world.engine, name, note)
    return lambda: passed


def test_wherever_the_process_dies_there_is_one_letter_a_day(tmp_path: Path) -> None:
    (tmp_path / "unbroken").mkdir()
    unbroken = begin(tmp_path / "unbroken")
    passed = burn(unbroken, 0)
    desk.write_daily_letter(unbroken.moderator.open_games, EIGHT)
    places = passed()
    wanted = [sent.text for sent in letters(unbroken)]
    assert len(wanted) == 1
    unbroken.engine.dispose()
    for place in range(1, places + 1):
        (tmp_path / str(place)).mkdir()
        world = begin(tmp_path / str(place))
        burn(world, place)
        with pytest.raises(Killed):
            desk.write_daily_letter(world.moderator.open_games, EIGHT)
        world.engine.dispose()
        again = world.another_process()
        for _ in range(2):
            desk.write_daily_letter(again.moderator.open_games, EIGHT)
        assert [sent.text for sent in letters(again)] == wanted, f"killed at {place}"
        again.engine.dispose()


def test_two_processes_write_one(tmp_path: Path) -> None:
    world = begin(tmp_path)
    other = world.another_process()
    assert [desk.write_daily_letter(each.moderator.open_games, EIGHT) for each in (world, other)] == [True, False]
    other.engine.dispose()


# --- secrets ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("phase", ["bidding", "movement"])
def test_no_byte_of_the_letter_depends_on_what_is_hidden_in_the_position(tmp_path: Path, phase: str) -> None:
    (tmp_path / "seen").mkdir()
    world = World.at(tmp_path / "seen")
    world.silent_game(phase, ruleset="wbc-2018")
    changed = []
    for number, viewer in enumerate(FACTIONS[:3]):
        twins = Twins(world, tmp_path, f"{phase}-{number}")
        changed.append(change_unseen(twins, viewer, Chance(f"{phase} {viewer}", {})))
        one, other = (_days(twin) for twin in (twins.one, twins.other))
        assert one == other, changed[-1]
        assert one
        twins.close()
    assert any(changed)


SEALED = ("when card 2 and price < 5: bid up to 3", "standing: charity", "waking 08:00 to 22:00", "letters wanted")


@pytest.mark.parametrize("line", SEALED)
def test_what_a_player_files_changes_no_byte_of_the_letter(tmp_path: Path, line: str) -> None:
    (tmp_path / "seen").mkdir()
    world = World.at(tmp_path / "seen")
    world.new_game("wbc-2018", tempo="steady")
    twins = Twins(world, tmp_path, "sheet")
    twins.other.say("guild", line)
    one, other = (_days(twin) for twin in (twins.one, twins.other))
    assert one == other
    assert one
    twins.close()


def test_a_game_master_who_plays_is_not_told_who_has_answered(tmp_path: Path) -> None:
    (tmp_path / "seen").mkdir()
    world = World.at(tmp_path / "seen")
    world.new_game("wbc-2018", tempo="steady")
    with writing(world.engine) as conn:
        conn.execute(update(SEAT).where(SEAT.c.faction == "guild").values(address=GAME_MASTER))
    twins = Twins(world, tmp_path, "plays")
    question = next(q for q in twins.other.table().play.questions() if q.faction != "guild")
    before = twins.other.table().entries
    twins.other.say(question.faction, write(question.samples()[0]))
    assert twins.other.table().entries > before
    one, other = (_days(twin) for twin in (twins.one, twins.other))
    assert one == other
    twins.close()


def _days(world: World) -> list[str]:
    """Return the desk letters of three days on which no deadline is processed and all mail is sent."""
    mentat = world.settings.mentat.model_copy(update={"desk_mail": time(8)})
    world.moderator.open_games.settings = world.settings.model_copy(update={"mentat": mentat})
    world.outbox.send(_Post(), world.now)
    with writing(world.engine) as conn:
        installation.beat(conn, "desk", world.now - DAY)
    for number in range(3):
        desk.write_daily_letter(world.moderator.open_games, world.now + number * DAY)
        world.outbox.send(_Post(), world.now + number * DAY)
    return [sent.subject + sent.text + sent.html for sent in letters(world)]
