"""Tests for a table's calendar over days, without a database: deadlines, pauses, absences and overruns."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

from bot.table import deadlines
from bot.table.calendar import Calendar
from bot.table.clock import GameClock
from bot.table.deadlines import (
    current_deadlines,
    measure_overruns,
    new_duties,
    note_missed,
    open_duties,
    overdue_questions,
    postponed_deadlines,
    resumed_deadlines,
    settle_overruns,
)
from bot.table.rounds import go_on
from bot.table.table import Absence, Overrun, Seat, Table
from rules.components import Faction
from rules.engine.catalogue import load_rule_set
from rules.engine.play import Play
from rules.random_players import random_seats

NOW = datetime(2026, 11, 24, 20, 0, tzinfo=UTC)
CLOCK = GameClock(Calendar(ZoneInfo("UTC")), step=24, grace=6)
FEW: tuple[Faction, ...] = ("atreides", "emperor", "guild")


def a_table() -> Table:
    """Return a game that has just begun and waits for its first secret decisions, which are duties of all players."""
    dots = random_seats("seats", FEW)
    seats = {f: Seat(f, dots[f], f"{f}@players.example", f, "UTC", f, f, bank=600) for f in FEW}
    play = Play.start(load_rule_set("ah-basic"), "spice", dots)
    table = Table("sietch-12", "ah-basic", {}, "spice", play, seats)
    go_on(table, NOW)
    table.deadlines = current_deadlines({}, play, NOW, CLOCK)
    return table


def test_a_question_is_due_a_step_after_it_was_asked_and_silence_answers_it_after_the_grace() -> None:
    table = a_table()
    assert table.deadlines
    for deadline in table.deadlines.values():
        assert deadline.due == NOW + timedelta(hours=24)
        assert deadline.until == NOW + timedelta(hours=30)
    assert overdue_questions(table.deadlines, table.play, NOW + timedelta(hours=29)) == []
    assert set(overdue_questions(table.deadlines, table.play, NOW + timedelta(hours=30))) == set(table.deadlines)


def test_a_question_that_is_asked_again_after_silence_has_half_its_time() -> None:
    table = a_table()
    late = NOW + timedelta(hours=30)
    note_missed(table.deadlines, list(table.deadlines))
    again = current_deadlines(table.deadlines, table.play, late, CLOCK)
    assert {deadline.due for deadline in again.values()} == {late + timedelta(hours=12)}


def test_to_postpone_a_deadline_moves_its_grace_with_it_and_never_moves_it_back() -> None:
    table = a_table()
    later = postponed_deadlines(table, list(table.deadlines), NOW + timedelta(hours=48))
    assert set(later) == set(table.deadlines)
    assert {d.until for d in later.values()} == {NOW + timedelta(hours=54)}
    assert postponed_deadlines(table, list(table.deadlines), NOW + timedelta(hours=1)) == {}
    assert postponed_deadlines(table, list(table.deadlines), NOW + timedelta(hours=24)) == {}, "that changes nothing"


def test_lost_time_is_given_back_to_the_minute() -> None:
    table = a_table()
    since, back = NOW + timedelta(hours=2), NOW + timedelta(hours=7)
    after = resumed_deadlines(table.deadlines, CLOCK, since, back)
    assert {d.due for d in after.values()} == {NOW + timedelta(hours=29)}


@pytest.mark.parametrize(
    ("since", "due", "until"),
    [
        (23, 29, 35),
        (24, 24, 35),  # its time was up and its grace had begun, so grace is given back
        (29, 24, 35),
        (30, 24, 30),  # the default has already been applied
    ],
)
def test_of_the_time_for_which_the_clocks_stood_what_was_left_of_step_and_grace_is_given_back(
    since: int, due: int, until: int
) -> None:
    hours = timedelta(hours=1)
    after = resumed_deadlines(a_table().deadlines, CLOCK, NOW + since * hours, NOW + (since + 5) * hours)
    assert {(d.due, d.until) for d in after.values()} == {(NOW + due * hours, NOW + until * hours)}


def test_what_was_asked_while_the_clocks_stood_has_its_whole_time_from_then_on() -> None:
    table, hours = a_table(), timedelta(hours=1)
    first = next(iter(table.deadlines))
    table.deadlines[first] = replace(table.deadlines[first], asked_at=None)  # not recorded by an older Mentat
    after = resumed_deadlines(table.deadlines, CLOCK, NOW - 3 * hours, NOW + 4 * hours)
    assert after.pop(first).due == NOW + 31 * hours
    assert {d.due for d in after.values()} == {NOW + 28 * hours}


def test_an_absence_delays_the_duties_that_fall_into_it_and_no_other() -> None:
    table = a_table()
    (faction, *others) = {place[1][0] for place in open_duties(table, FEW)}
    away = Absence(date(2026, 11, 25), date(2026, 11, 26))
    delays = deadlines.announce_absence(table, faction, away, CLOCK)
    assert delays
    assert {place[1][0] for place in delays} == {faction}
    assert {until.date() for until in delays.values()} == {date(2026, 11, 27)}
    assert deadlines.absence_delays(table, table.deadlines, CLOCK) == {}  # no new question since
    fresh = deadlines.absence_delays(table, {}, CLOCK)
    assert {place[1][0] for place in fresh} == {faction}
    assert others
    deadlines.withdraw_absence(table, faction, away)
    assert table.absences == {}


def test_an_absence_that_is_over_before_a_deadline_delays_nothing() -> None:
    table = a_table()
    assert deadlines.announce_absence(table, "guild", Absence(date(2026, 11, 20), date(2026, 11, 24)), CLOCK) == {}


def test_who_cannot_be_reached_uses_up_only_the_hours_that_a_deadline_was_given() -> None:
    table = a_table()
    seat = table.seats["guild"]
    delays = deadlines.mark_unreachable(table, "guild", NOW, 30, CLOCK)
    assert {place[1][0] for place in delays} == {"guild"}
    assert set(delays.values()) == {NOW + timedelta(hours=30)}
    assert seat.lent == 6 * 60
    deadlines.mark_reachable(table, "guild")
    assert (seat.waited, seat.lent, seat.waits_until) == (6 * 60, 0, None)
    assert "guild" in table.touched


def test_who_cannot_be_reached_until_the_deadline_itself_has_used_up_nothing() -> None:
    table = a_table()
    assert deadlines.mark_unreachable(table, "guild", NOW, 24, CLOCK) == {}
    assert table.seats["guild"].lent == 0


def test_a_time_bank_pays_only_when_the_question_is_over() -> None:
    table = a_table()
    place = next(place for place in table.deadlines if place[1][0] == "guild")
    table.overruns[place] = Overrun("", "UTC")
    known = dict(table.deadlines)
    assert measure_overruns(table, known, NOW) == {}  # nobody has answered
    assert settle_overruns(table) == []
    del table.deadlines[place]
    left = measure_overruns(table, known, NOW + timedelta(hours=20))
    assert left == {place: 4 * 60}
    assert settle_overruns(table) == [place]
    assert table.seats["guild"].bank == 4 * 60


def test_a_bank_that_was_used_up_at_the_answer_is_not_filled_again_by_time_given_back_later() -> None:
    table = a_table()
    place = next(place for place in table.deadlines if place[1][0] == "guild")
    known = dict(table.deadlines)
    table.overruns[place] = Overrun("", "UTC")
    table.deadlines[place] = replace(known[place], state="answered")
    assert measure_overruns(table, known, known[place].due) == {place: 0}
    table.deadlines[place] = replace(table.deadlines[place], due=known[place].due + timedelta(hours=9))
    assert measure_overruns(table, known, known[place].due) == {}
    del table.deadlines[place]
    assert settle_overruns(table) == [place]
    assert table.seats["guild"].bank == 0


def test_what_has_come_up_is_what_had_no_deadline_or_a_suspended_one() -> None:
    table = a_table()
    assert new_duties(table, FEW, {}) == open_duties(table, FEW)
    assert new_duties(table, FEW, table.deadlines) == []
