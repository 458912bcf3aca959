"""A game's clock: how long questions are open, and which settings a game can override."""

from __future__ import annotations

from datetime import UTC, date, datetime, time, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from bot.config import ClockSettings, SettingsError
from bot.table.calendar import Calendar, counted_between, counted_from, next_allowed, stamp
from bot.table.clock import (
    GameClock,
    Round,
    Tempo,
    UnknownTempo,
    is_public_duty,
    read_own_settings,
    shown_settings,
    tempo,
    tempo_names,
)
from rules.orders import NoKarama, Pass
from tests.asked import Asked

UTC_ZONE = ZoneInfo("UTC")
OPENED = datetime(2026, 11, 23, 12, tzinfo=UTC)  # a Monday
HOUR = timedelta(hours=1)
DUTY = Asked("guild", "bid", Pass(), lambda _: None, lambda: [Pass()])
WINDOW = Asked("guild", "karama-window", NoKarama(), lambda _: None, lambda: [NoKarama()], blanket=True)


@pytest.mark.parametrize(
    ("step", "share", "minimum", "hours"),
    [(24, 1, 0, 24), (24, 0.5, 0, 12), (24, 0.5, 12, 12), (24, 0.5, 13, 13), (24, 0, 0, 0), (24, 0, 3, 3)],
)
def test_a_question_is_open_for_its_part_of_a_step_and_never_less_than_the_minimum(
    step: float, share: float, minimum: float, hours: float
) -> None:
    clock = GameClock(Calendar(UTC_ZONE), step, minimum, share=lambda _: share)
    assert clock.hours(DUTY) == hours
    assert clock.due(DUTY, OPENED) == OPENED + hours * HOUR
    assert clock.due_again(DUTY, OPENED) == OPENED + max(hours / 2, minimum) * HOUR
    assert clock.call_due(share, OPENED) == OPENED + hours * HOUR


def test_grace_is_given_to_duties_to_which_time_is_given() -> None:
    clock = GameClock(Calendar(UTC_ZONE), grace=6, share=lambda _: 0.1)
    sheet = GameClock(Calendar(UTC_ZONE), grace=6, share=lambda _: 0)
    assert (clock.duty(DUTY), clock.until(DUTY, OPENED)) == (True, OPENED + 6 * HOUR)
    assert (clock.duty(WINDOW), clock.until(WINDOW, OPENED)) == (False, OPENED)
    assert (sheet.duty(DUTY), sheet.until(DUTY, OPENED)) == (False, OPENED)


@pytest.mark.parametrize(
    ("otherwise", "duty"),
    [({}, True), ({"public": False}, False), ({"blanket": True}, False), ({"beside": True}, False),
     ({"at_once": True}, False)],
)  # fmt: skip
def test_a_duty_is_public_and_asked_of_one_player_for_whom_the_game_waits(
    otherwise: dict[str, bool], duty: bool
) -> None:
    question = Asked("guild", "bid", Pass(), lambda _: None, lambda: [Pass()])
    for name, value in otherwise.items():
        setattr(question, name, value)
    assert is_public_duty(question) is duty


def test_the_call_of_a_round_may_move_a_deadline() -> None:
    clock = GameClock(Calendar(UTC_ZONE), with_call=lambda _, due: due + HOUR)
    assert clock.due(DUTY, OPENED) == OPENED + 25 * HOUR


def test_what_was_left_when_the_clocks_stopped_is_left_when_they_go_on() -> None:
    clock = GameClock(Calendar(UTC_ZONE, days_off=frozenset({5, 6})))
    due, stopped = OPENED + 24 * HOUR, OPENED + 10 * HOUR
    assert clock.later(due, stopped, stopped + 5 * HOUR) == due + 5 * HOUR
    assert clock.later(due, due + HOUR, due + 9 * HOUR) == due + 9 * HOUR, "nothing was left"
    friday = OPENED + timedelta(days=4)
    assert clock.later(due, stopped, friday) == datetime(2026, 11, 30, 2, tzinfo=UTC), "the weekend does not count"
    assert clock.extended(friday, 24) == OPENED + timedelta(days=7)


def test_hours_between_two_days_off_are_counted_to_the_second() -> None:
    sundays = Calendar(UTC_ZONE, None, frozenset({6}))
    saturday = datetime(2026, 11, 28, 20, tzinfo=UTC)
    monday = datetime(2026, 11, 30, tzinfo=UTC)
    assert counted_from(sundays, saturday, 3 * HOUR) == saturday + 3 * HOUR
    assert counted_from(sundays, saturday, 4 * HOUR) == monday
    assert counted_from(sundays, saturday, 5 * HOUR) == monday + HOUR
    assert counted_from(sundays, saturday + 6 * HOUR, HOUR) == monday + HOUR
    assert counted_between(sundays, saturday, monday + HOUR) == 5 * HOUR
    assert counted_between(sundays, saturday, saturday) == timedelta()
    assert next_allowed(sundays, saturday) == saturday
    assert next_allowed(sundays, saturday + 4 * HOUR) == monday


def test_a_calendar_is_plain_where_every_hour_counts_and_any_moment_will_do() -> None:
    holiday = frozenset({date(2026, 12, 24)})
    made = [
        Calendar(UTC_ZONE), Calendar(UTC_ZONE, time(20)), Calendar(UTC_ZONE, None, frozenset({6})),
        Calendar(UTC_ZONE, holidays=holiday), Calendar(UTC_ZONE, regions=frozenset({"DE"})),
    ]  # fmt: skip
    assert [(each.plain, each.every_day) for each in made] == [
        (True, True), (False, True), (False, False), (False, False), (False, False),
    ]  # fmt: skip
    assert [made[3].counts(date(2026, 12, day)) for day in (23, 24, 25)] == [True, False, True]


@pytest.mark.parametrize(
    ("given", "own"),
    [
        ([], {}),
        (["step_hours=48"], {"step_hours": 48.0}),
        ([" step_hours = 0.5 ", "grace_hours=6"], {"step_hours": 0.5, "grace_hours": 6.0}),
        (["days_off= Saturday, ,SUNDAY,"], {"days_off": ["saturday", "sunday"]}),
        (["holidays=DE-BY"], {"holidays": ["de-by"]}),
        (["due_at=20:00", "timezone=Asia/Tokyo"], {"due_at": "20:00", "timezone": "Asia/Tokyo"}),
    ],
)
def test_a_games_own_clock_is_read_from_names_and_values(given: list[str], own: dict[str, Any]) -> None:
    assert read_own_settings(ClockSettings(), given) == own


@pytest.mark.parametrize("given", [["step_hours=soon"], ["due_at=25:00"], ["days_off=moonday"], ["step_hours"]])
def test_what_is_no_clock_is_refused(given: list[str]) -> None:
    with pytest.raises(SettingsError):
        read_own_settings(ClockSettings(), given)


def test_all_that_is_wrong_is_told_at_once() -> None:
    with pytest.raises(SettingsError) as told:
        read_own_settings(ClockSettings(), ["due_at", "step_hours=3", "tempo=fast"])
    assert [problem.split(" is ")[0] for problem in told.value.problems] == ["'due_at'", "'tempo=fast'"]


def test_a_games_own_clock_is_shown_in_words() -> None:
    own = {"due_at": "20:00", "days_off": ["saturday", "sunday"], "step_hours": 48.0}
    assert shown_settings(own) == ["due at 20:00", "days off saturday, sunday", "step hours 48.0"]


def test_a_tempo_that_is_not_there_is_told_with_those_that_are() -> None:
    with pytest.raises(UnknownTempo, match=f"There is no tempo 'brisk'; the tempos are {', '.join(tempo_names())}."):
        tempo("brisk")


def test_a_window_with_its_own_reason_may_be_open_for_another_time_than_its_kind() -> None:
    bidding = Round("bidding", ("bidding",), ("bid", "karama-window"), 0.5)
    moves = Round("moves", ("movement", "bidding"), ("bid", "shipment"), 1.0)
    made = Tempo("made up", "", 3, {"bid": 0.5, "bid late": 0.25}, {"losses": "", "voice early": ""}, (bidding, moves))
    assert [made.hours(*of) for of in (("bid",), ("bid", "late"), ("bid", "x"), ("move",))] == [0.5, 0.25, 0.5, 1.0]
    open_to = [("losses",), ("losses", "x"), ("voice",), ("voice", "early"), ("bid",)]
    assert [made.window_is_open(*of) for of in open_to] == [False, False, True, False, True]
    assert made.round_of("bidding", frozenset({"bid", "x"})) == bidding
    assert made.round_of("bidding", frozenset({"shipment"})) == moves
    assert made.round_of("movement", frozenset({"bid"})) == moves
    assert made.round_of("movement", frozenset({"karama-window"})) is None
    assert made.round_of("battle", frozenset({"bid"})) is None


def test_an_instant_without_a_zone_is_none() -> None:
    assert stamp(datetime(2026, 11, 24, 21, tzinfo=ZoneInfo("Europe/Berlin"))) == "2026-11-24T20:00:00.000000+00:00"
    with pytest.raises(ValueError, match="has no time zone"):
        stamp(datetime(2026, 11, 24, 21))  # noqa: DTZ001
