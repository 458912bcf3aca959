"""Game master commands that pause, resume, extend or change clocks, and the letters about them."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from bot.config import SettingsError
from bot.desk import clocks
from bot.desk.new_game import NewGame, new_game
from bot.desk.positions import roll_back
from bot.desk.powers import DeskRequest, PowerRefused, Use
from bot.store.acts import acts_of
from bot.store.database import reading
from bot.table.clock import game_clock, read_own_settings, settings_in_force
from rules.components import Faction
from tests.moderator.table import CONFIG, GAME, START, World

FEW: tuple[Faction, ...] = ("atreides", "emperor", "guild")
DAY = timedelta(hours=24)


def dues(world: World) -> set[datetime | None]:
    """Return the due times of the questions at the open stop."""
    table = world.table()
    return {table.due(question) for question in table.play.questions()}


def pause(world: World, why: str = "") -> None:
    clocks.pause(DeskRequest(world.moderator.open_games, GAME, world.now, Use(why=why)))


def resume(world: World) -> None:
    clocks.resume(DeskRequest(world.moderator.open_games, GAME, world.now))


def told(world: World, since: int) -> list[tuple[str | None, str, str]]:
    """Return faction, subject and unwrapped text of each letter after the first `since`."""
    return [(sent.faction, sent.subject, " ".join(sent.text.split())) for sent in world.letters()[since:]]


def test_while_a_game_is_paused_nothing_falls_due_and_nobody_is_reminded(world: World) -> None:
    world.new_game(factions=FEW)
    pause(world)
    written = len(world.letters())
    assert world.wait(1000) == 0
    assert world.asked().keys() == set(FEW)
    assert len(world.letters()) == written
    assert dues(world) == {None}


def test_after_a_pause_everything_has_as_much_time_left_as_before(world: World) -> None:
    world.new_game(factions=FEW)
    world.now += timedelta(hours=20)
    pause(world)
    world.now += timedelta(days=9)
    resume(world)
    assert dues(world) == {world.now + timedelta(hours=4)}
    assert world.wait(3.9) == 0
    assert world.wait(0.1) == 1


def test_a_game_goes_on_by_orders_while_it_is_paused_and_new_questions_have_all_their_time(world: World) -> None:
    world.new_game(factions=FEW, tempo="table")
    pause(world)
    world.now += timedelta(hours=2)
    before = world.asked()
    for faction in FEW:
        world.say(faction, world.line(faction, "traitor"))
    assert world.asked() != before
    world.now += timedelta(days=3)
    resume(world)
    assert dues(world) == {world.now + DAY}


def test_pause_and_resume_are_told_to_everybody_in_the_same_words_and_why_to_nobody(world: World) -> None:
    world.new_game(factions=FEW)
    written = len(world.letters())
    pause(world, "emperor asked for it")
    world.now += DAY
    resume(world)
    letters = told(world, written)
    assert [faction for faction, _, _ in letters] == [*FEW, *FEW]
    assert not any("asked for it" in text for _, _, text in letters)
    for each in (letters[:3], letters[3:]):
        assert len({subject for _, subject, _ in each}) == 1
        assert len({text.split("Set-up.")[1] for _, _, text in each}) == 1


def test_what_was_done_to_the_clocks_and_why_is_on_record(world: World) -> None:
    world.new_game(factions=FEW)
    pause(world, "Christmas")
    resume(world)
    clocks.extend(DeskRequest(world.moderator.open_games, GAME, world.now, Use(why="a wedding")), 5)
    with reading(world.engine) as conn:
        acts = acts_of(conn, game_id=GAME)
    assert [(act.what, act.told) for act in acts] == [
        ("pause", "Christmas"), ("resume", ""), ("extend", "5 h: a wedding"),
    ]  # fmt: skip


def test_a_game_that_is_paused_is_not_paused_again_and_one_that_runs_not_resumed(world: World) -> None:
    world.new_game(factions=FEW)
    with pytest.raises(PowerRefused, match="not stopped"):
        resume(world)
    pause(world)
    with pytest.raises(PowerRefused, match="already paused"):
        pause(world)


def test_a_pause_outlasts_the_process_and_a_rollback(world: World) -> None:
    world.new_game(factions=FEW)
    world.wait(24)
    pause(world)
    roll_back(DeskRequest(world.moderator.open_games, GAME, world.now), 0)
    other = world.another_process()
    assert other.wait(500) == 0
    resume(other)
    assert other.wait(23.9) == 0
    assert other.wait(0.1) == 1
    other.engine.dispose()


def test_an_extension_moves_what_is_open_answered_or_not_and_tells_everybody_alike(world: World) -> None:
    world.new_game(factions=FEW)
    world.say("guild", world.line("guild", "traitor"))
    written = len(world.letters())
    clocks.extend(DeskRequest(world.moderator.open_games, GAME, world.now), 12)
    assert {deadline.due for deadline in world.table().deadlines.values()} == {START + timedelta(hours=36)}
    letters = told(world, written)
    assert [faction for faction, _, _ in letters] == list(FEW)
    assert len({text.split("Set-up.")[1] for _, _, text in letters}) == 1
    assert all("Thu 28 Nov 08:00" in text for _, _, text in letters)
    assert world.wait(24) == 0


def test_reminders_begin_anew_after_an_extension(world: World) -> None:
    world.new_game(factions=FEW)
    world.wait(20)
    first = len([sent for sent in world.letters() if "reminder)" in sent.subject])
    clocks.extend(DeskRequest(world.moderator.open_games, GAME, world.now), 48)
    world.wait(1)
    assert len([sent for sent in world.letters() if "reminder)" in sent.subject]) == first == 3
    world.wait(46)
    assert len([sent for sent in world.letters() if "reminder)" in sent.subject]) == 6


def test_a_game_may_have_a_time_of_day_and_days_off_of_its_own(tmp_path: Path) -> None:
    world = World.at(tmp_path, CONFIG + '[clock]\ntimezone = "Europe/Berlin"\n')
    own = read_own_settings(world.settings.clock, ["due_at=20:00", "days_off=saturday,sunday", "step_hours=20"])
    world.now = datetime(2026, 11, 27, 12, tzinfo=UTC)  # a Friday
    new_game(
        world.moderator.open_games,
        NewGame(
            GAME,
            "ah-basic",
            {faction: f"{faction}@players.example" for faction in FEW},
            dict(zip(FEW, (2, 5, 8), strict=True)),
            "spice",
            clock=own,
        ),
        world.now,
    )
    (due,) = dues(world)
    assert due
    assert due.astimezone(ZoneInfo("Europe/Berlin")) == datetime(2026, 11, 30, 20, tzinfo=ZoneInfo("Europe/Berlin"))


def test_a_changed_clock_keeps_announced_deadlines_or_makes_them_later(world: World) -> None:
    world.new_game(factions=FEW)  # due on Wednesday at 20:00
    clocks.change_clock(DeskRequest(world.moderator.open_games, GAME, world.now), {"step_hours": 6.0})
    assert dues(world) == {START + DAY}
    clocks.change_clock(DeskRequest(world.moderator.open_games, GAME, world.now), {"days_off": ["wednesday"]})
    assert dues(world) == {datetime(2024, 11, 28, tzinfo=UTC)}
    world.now = datetime(2024, 11, 28, tzinfo=UTC)
    assert world.wait(0) == 1
    assert dues(world) == {world.now + timedelta(hours=6)}


def test_grace_keeps_silence_from_deciding_and_letters_announce_the_deadline_without_it(tmp_path: Path) -> None:
    world = World.at(tmp_path, CONFIG + "[clock]\ngrace_hours = 5\n")
    world.new_game(factions=FEW)
    assert dues(world) == {START + DAY}
    assert world.wait(28.9) == 0
    world.say("guild", world.line("guild", "traitor"))
    assert "guild" not in world.asked()
    assert world.wait(0.1) == 1


@pytest.mark.parametrize(
    ("given", "complaint"),
    [
        (["due_at=25:00"], "'25:00' is not a time of day"),
        (["timezone=Europe/Berln"], "did you mean Europe/Berlin?"),
        (["step_hours=0"], "0.0 is not a number of hours above 0"),
        (["step_hours=many"], "'many' is not a number of hours"),
        (["minimum_hours=30"], "minimum_hours: 30 is above step_hours, which is 24"),
        (["days_off=caturday"], "is not a list of days of the week"),
        (["days_off=monday,tuesday,wednesday,thursday,friday,saturday,sunday"], "leave one"),
        (["holidays=Christmas"], "is not a list of days like"),
        (["holidays=DE-XX"], "countries and their parts like"),
        (["reminder_hours=3"], "a game may have its own step_hours, timezone"),
        (["due_at"], "write it like step_hours=48"),
    ],
)
def test_an_absurd_clock_is_refused_with_the_reason(world: World, given: list[str], complaint: str) -> None:
    with pytest.raises(SettingsError, match=complaint.replace("?", r"\?")):
        read_own_settings(world.settings.clock, given)


def test_a_game_may_name_days_and_the_countries_whose_holidays_do_not_count(world: World) -> None:
    own = read_own_settings(world.settings.clock, ["holidays=de-by, 2026-12-24"])
    calendar = game_clock(world.settings, own).calendar
    assert (calendar.regions, calendar.holidays) == (frozenset({"DE-BY"}), frozenset({date(2026, 12, 24)}))
    assert settings_in_force(world.settings, own)["holidays"] == "DE-BY, 2026-12-24"
