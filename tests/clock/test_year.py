"""A year of deadlines with clock changes, pauses and outages: no deadline is early, lost, or at a time that the
game's clock forbids."""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.table.calendar import Calendar, counted_between, next_allowed
from bot.table.clock import GameClock
from bot.table.deadlines import resumed_deadlines
from bot.table.table import Deadline, Deadlines, Place
from rules.decisions.question import Question
from rules.orders import NoKarama, Pass
from tests.asked import Asked

YEAR = datetime(2018, 1, 1, tzinfo=UTC)  # all of these zones except Kolkata changed their clocks twice
ZONES = ("Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "Asia/Kolkata", "America/Sao_Paulo")
STRANGE_TIMES = (time(0), time(0, 30), time(1, 59), time(2), time(2, 15), time(2, 30), time(3), time(20))  # gaps, folds
PLACE: Place = ("1.bidding.0", ("guild", "bid", ""))
DUTY = Asked("guild", "bid", Pass(), lambda _: None, lambda: [Pass()])
WINDOW = Asked("guild", "karama-window", NoKarama(), lambda _: None, lambda: [NoKarama()], blanket=True)

moments = st.integers(0, 360 * 24 * 60).map(lambda minutes: YEAR + timedelta(minutes=minutes))
calendars = st.builds(
    Calendar,
    st.sampled_from(ZONES).map(ZoneInfo),
    st.none() | st.sampled_from(STRANGE_TIMES),
    st.sampled_from([frozenset[int](), frozenset({5, 6}), frozenset({0, 2, 4}), frozenset({0, 1, 2, 3, 5, 6})]),
    st.frozensets(st.integers(0, 364).map(lambda n: date(2018, 1, 1) + timedelta(days=n)), max_size=12),
)
clocks = st.builds(GameClock, calendars, st.floats(1, 96), st.floats(0, 1), st.sampled_from([0.0, 3.0, 24.0]))


@dataclass(frozen=True)
class StoodStill:
    """A period in which the clocks did not run."""

    since: datetime
    back: datetime

    def within(self, calendar: Calendar, start: datetime, end: datetime) -> timedelta:
        return counted_between(calendar, max(self.since, start), min(self.back, end))


@st.composite
def interruptions(draw: st.DrawFn) -> list[StoodStill]:
    """Draw the pauses and outages of a year, from minutes to weeks long."""
    found, at = [], YEAR
    for _ in range(draw(st.integers(0, 6))):
        since = at + timedelta(minutes=draw(st.integers(1, 90 * 24 * 60)))
        at = since + timedelta(minutes=draw(st.sampled_from([16, 59, 60, 24 * 60, 9 * 24 * 60])))
        found.append(StoodStill(since, at))
    return found


def lived_through(clock: GameClock, question: Question, opened: datetime, stood: list[StoodStill]) -> Deadline:
    """Return the deadline of a question asked at `opened`, moved by all later interruptions."""
    due = clock.due(question, opened)
    until = clock.until(question, due)
    known: Deadlines = {PLACE: Deadline(due, until, opened, duty=True)}
    for one in stood:
        if one.back > opened and one.since < known[PLACE].until:
            known = resumed_deadlines(known, clock, one.since, one.back)
    return known[PLACE]


@settings(max_examples=400)
@given(clocks, moments, interruptions())
def test_no_deadline_is_early_or_falls_on_a_forbidden_moment(
    clock: GameClock, opened: datetime, stood: list[StoodStill]
) -> None:
    due = lived_through(clock, DUTY, opened, stood).due
    standing = sum((one.within(clock.calendar, opened, due) for one in stood), timedelta())
    open_for = counted_between(clock.calendar, opened, due) - standing
    assert open_for >= timedelta(hours=max(clock.step, clock.minimum)) - timedelta(milliseconds=1)
    assert next_allowed(clock.calendar, due) == due


@settings(max_examples=400)
@given(clocks, moments, interruptions())
def test_no_deadline_is_lost(clock: GameClock, opened: datetime, stood: list[StoodStill]) -> None:
    due = lived_through(clock, DUTY, opened, stood).due
    off = 7 * (len(clock.calendar.days_off) + 1) / (7 - len(clock.calendar.days_off))
    weeks = timedelta(hours=clock.step) * off + timedelta(days=16)  # days off, holidays, waiting for the time of day
    waits = (len(stood) + 1) * timedelta(days=16)
    assert due <= opened + weeks + waits + sum((one.back - one.since for one in stood), timedelta())


@given(clocks, moments, interruptions())
def test_grace_follows_the_deadlines_of_duties_and_never_those_of_windows(
    clock: GameClock, opened: datetime, stood: list[StoodStill]
) -> None:
    duty, window = (lived_through(clock, question, opened, stood) for question in (DUTY, WINDOW))
    grace = duty.until - duty.due
    assert grace >= timedelta(hours=clock.grace)
    assert window.until == window.due


@given(clocks, moments, st.integers(16, 10_000))
def test_what_came_up_while_the_clocks_stood_still_has_all_its_time_afterwards(
    clock: GameClock, since: datetime, minutes: int
) -> None:
    opened, back = since + timedelta(minutes=5), since + timedelta(minutes=5 + minutes)
    due = lived_through(clock, DUTY, opened, [StoodStill(since, back)]).due
    assert counted_between(clock.calendar, back, due) >= timedelta(hours=clock.step) - timedelta(milliseconds=1)


@pytest.mark.parametrize("zone", ZONES)
def test_every_evening_of_a_year_has_its_deadline_at_eight(zone: str) -> None:
    clock = GameClock(Calendar(ZoneInfo(zone), time(20)))
    due, dues = YEAR, []
    for _ in range(365):
        due = clock.due(DUTY, due)
        dues.append(due.astimezone(ZoneInfo(zone)).replace(tzinfo=None))
    assert {due.time() for due in dues} == {time(20)}
    nights = [later.date() - earlier.date() for earlier, later in itertools.pairwise(dues)]
    assert set(nights) <= {timedelta(days=1), timedelta(days=2)}  # on the short day, 24 hours have not passed at eight
    assert nights.count(timedelta(days=2)) == (0 if zone == "Asia/Kolkata" else 1)


def test_a_plain_clock_moves_every_deadline_by_just_the_time_that_was_lost() -> None:
    clock = GameClock(Calendar(ZoneInfo("UTC")))
    stood = StoodStill(YEAR + timedelta(hours=2), YEAR + timedelta(hours=5, minutes=20))
    due = lived_through(clock, DUTY, YEAR, [stood]).due
    assert due == YEAR + timedelta(hours=27, minutes=20)


def test_a_deadline_that_had_passed_before_keeps_its_place_and_the_rest_of_its_grace() -> None:
    clock = GameClock(Calendar(ZoneInfo("UTC")), grace=6)
    stood = StoodStill(YEAR + timedelta(hours=26), YEAR + timedelta(hours=36))
    kept = lived_through(clock, DUTY, YEAR, [stood])
    assert kept.due == YEAR + timedelta(hours=24)
    assert kept.until == YEAR + timedelta(hours=40)


@pytest.mark.parametrize(
    ("since", "due", "until"), [(23, 30, 36), (24, 24, 36), (29, 24, 36), (30, 24, 30), (31, 24, 30)]
)
def test_clocks_that_stop_give_back_what_of_a_deadline_and_of_its_grace_was_left(
    since: int, due: int, until: int
) -> None:
    clock = GameClock(Calendar(ZoneInfo("UTC")), grace=6)
    hours = [YEAR + timedelta(hours=number) for number in range(40)]
    known: Deadlines = {PLACE: Deadline(hours[24], hours[30], YEAR, duty=True)}
    found = resumed_deadlines(known, clock, hours[since], hours[since + 6])[PLACE]
    assert (found.due, found.until) == (hours[due], hours[until])
