"""Deadlines: how long each question stays open, what postpones a deadline, and what missing it costs.

A question keeps its deadline until the question itself is gone, whether or not it has been answered, because an answer
must not change what others see. If a card or power must be dealt with first, the clock stops for the questions that
wait for it. When they are open again, they get at least half of their usual time. An offer between two players does not
depend on the progress of the game and keeps its own time.

Deadlines wait for a player who is away. In an anonymous game, the days of an absence are days in the game's time zone,
and a time bank runs round the clock, because a time zone or waking hours would reveal who is playing.
``seen_by_others`` returns the part of a deadline that others see. Deadlines also wait for some hours for a player who
cannot be reached by mail and so cannot know what is asked. Only public duties wait. Secret questions, and reactions
that are open to everybody, keep their time even if a player is away, because a delay would reveal them. For a player
who cannot be reached, all public questions are postponed, answered or not, so that nobody can tell which are answered.

A player who misses a deadline pays from their time bank for the time between the announced end and the answer. Time
that is given back to everybody (after a pause, an outage or an extension) moves the announced end and costs nobody
anything. The bank is charged only when none of the player's overrun questions is still open: if the balance changed
with each answer, it would reveal the answer.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from datetime import datetime, timedelta
from typing import TYPE_CHECKING
from zoneinfo import ZoneInfo

from bot.config.time_zones import zone_named
from bot.table.calendar import next_allowed
from bot.table.clock import GameClock
from bot.table.table import Absence, Deadline, Deadlines, Overruns, Place, State, Table, place_of
from rules.components import Faction

if TYPE_CHECKING:
    from rules.decisions.question import Question
    from rules.engine.play import Play


Delays = dict[Place, datetime]
"""For each question, the earliest instant at which an answer is now due."""


def current_deadlines(known: Deadlines, play: Play, now: datetime, clock: GameClock) -> Deadlines:
    below = set(play.stop_names[:-1])
    current: Deadlines = {
        place: replace(deadline, state="suspended") for place, deadline in known.items() if place[0] in below
    }
    asked: list[tuple[Question, State]] = [(question, "open") for question in play.questions()]
    asked += [(question, "answered") for question, _ in play.answered()]
    for question, state in asked:
        place = place_of(play, question)
        old = known.get(place)
        if old is None:
            due = _first_due(known, place, question) or clock.due(question, now)
            until = clock.until(question, due)
            current[place] = Deadline(due, until, now, clock.duty(question), state)
        elif old.state == "suspended" or (old.missed and state == "open"):
            # answered questions get the same time, so that nobody notices which ones they are
            again = clock.due_again(question, now)
            silence = clock.until(question, again)
            current[place] = replace(old, due=max(old.due, again), until=max(old.until, silence), state=state)
        else:
            current[place] = replace(old, state=state)
    return current


def _first_due(known: Deadlines, place: Place, question: Question) -> datetime | None:
    if question.public or question.at_once:
        return None
    return max((deadline.due for (stop, _), deadline in known.items() if stop == place[0]), default=None)


def seen_by_others(table: Table, question: Question, clock: GameClock) -> tuple[datetime | None, bool]:
    """Return the deadline of a duty as others see it, or None, and True if they see only that the duty takes longer.

    Duties of the same kind that are open at the same time look alike, so nobody learns whose answer is late. In an
    anonymous game, a deadline that was moved is never shown, whatever moved it.
    """
    # imported here because it loads the rules, which are not needed to read deadlines
    from bot.table.press import names_hidden

    if table.stopped_at:
        return None, False
    stop = place_of(table.play, question)[0]
    together = [
        (each, deadline)
        for each in table.play.asked()
        if each.kind == question.kind and each.public and not each.blanket
        if (place := place_of(table.play, each))[0] == stop and (deadline := table.deadlines.get(place))
    ]
    if not together:
        return None, False
    if names_hidden(table) and any(_was_moved(table, each, deadline, clock) for each, deadline in together):
        return None, True
    return max(deadline.due for _, deadline in together), False


def _was_moved(table: Table, question: Question, deadline: Deadline, clock: GameClock) -> bool:
    if deadline.asked_at is None:
        return True
    planned = clock.due(question, deadline.asked_at)
    return deadline.due not in (planned, max(planned, table.call_due or planned))


def postponed_deadlines(table: Table, places: Iterable[Place], until: datetime) -> Deadlines:
    """Return new deadlines for the questions at ``places`` that would be due before ``until``: they are due at that
    instant instead. The grace period keeps its length."""
    return {
        place: with_due(table.deadlines[place], until)
        for place in places
        if place in table.deadlines and table.deadlines[place].due < until
    }


def resumed_deadlines(known: Deadlines, clock: GameClock, since: datetime, back: datetime) -> Deadlines:
    """Return the deadlines after the clocks stood still. Each question has as much time left as before. A question that
    came up while they stood still has its full time. If only part of the grace period was left, that part remains."""
    current = dict(known)
    for place, deadline in known.items():
        stood = max(since, deadline.asked_at) if deadline.asked_at else since
        if deadline.due > stood:
            current[place] = with_due(deadline, clock.later(deadline.due, stood, back))
        elif deadline.until > stood:
            current[place] = replace(deadline, until=deadline.until + (back - stood))
    return current


def overdue_questions(known: Deadlines, play: Play, now: datetime) -> list[Place]:
    places = [place_of(play, question) for question in play.questions()]
    return [place for place in places if place in known and known[place].until <= now]


def note_missed(known: Deadlines, places: Iterable[Place]) -> None:
    for place in places:
        known[place] = replace(known[place], missed=True)


def with_due(deadline: Deadline, due: datetime) -> Deadline:
    grace = deadline.until - deadline.due
    return replace(deadline, due=due, until=due + grace)


def open_duties(table: Table, factions: Iterable[Faction]) -> list[Place]:
    from bot.table.rounds import is_duty

    asked = [q for q in table.play.asked() if q.faction in factions and is_duty(table, q)]
    return [place for q in asked if (place := place_of(table.play, q)) in table.deadlines]


def new_duties(table: Table, factions: Iterable[Faction], known: Deadlines) -> list[Place]:
    return [place for place in open_duties(table, factions) if place not in known or known[place].state == "suspended"]


def announce_absence(table: Table, faction: Faction, absence: Absence, clock: GameClock) -> Delays:
    """Store an absence, and return the new deadlines of open duties that fall into it. Duties that are already
    postponed because of an earlier absence are not postponed again."""
    earlier = table.absences.get(faction, [])
    table.absences[faction] = sorted([*earlier, absence], key=lambda each: each.first)
    zone = zone_of_days(table, faction, clock)
    moved = {next_allowed(clock.calendar, each.back(zone)) for each in earlier}
    own = [place for place in open_duties(table, (faction,)) if table.deadlines[place].due not in moved]
    return _delays_to_return(table, own, clock)


def zone_of_days(table: Table, faction: Faction, clock: GameClock) -> ZoneInfo:
    from bot.table.press import names_hidden

    return clock.calendar.zone if names_hidden(table) else zone_named(table.seats[faction].timezone)


def withdraw_absence(table: Table, faction: Faction, absence: Absence) -> None:
    table.absences[faction].remove(absence)
    if not table.absences[faction]:
        del table.absences[faction]


def absence_delays(table: Table, known: Deadlines, clock: GameClock) -> Delays:
    """Return the new deadlines of duties that have just begun and whose player is away. ``known`` are the previous
    deadlines."""
    return _delays_to_return(table, new_duties(table, table.absences, known), clock) if table.absences else {}


def _delays_to_return(table: Table, places: Iterable[Place], clock: GameClock) -> Delays:
    found: Delays = {}
    for place in places:
        faction = place[1][0]
        zone, due = zone_of_days(table, faction, clock), table.deadlines[place].due
        for absence in table.absences[faction]:
            if absence.holds(due, zone):
                found[place] = next_allowed(clock.calendar, absence.back(zone))
                break
    return found


def mark_unreachable(table: Table, faction: Faction, now: datetime, hours: float, clock: GameClock) -> Delays:
    """Record that a player cannot be reached by mail, and return the new deadlines of their open duties. Over a whole
    game, deadlines wait for one player for at most ``hours``. ``waits_until`` is the instant at which these are used
    up."""
    seat = table.seats[faction]
    left = timedelta(hours=hours) - timedelta(minutes=seat.waited)
    seat.unreachable, seat.unreachable_since, seat.waits_until = True, now, None
    table.touched.add(faction)
    if left <= timedelta() or table.status != "running":
        return {}
    seat.waits_until = now + left
    return _delays_to_end_of_wait(table, open_duties(table, (faction,)), clock)


def mark_reachable(table: Table, faction: Faction) -> None:
    seat = table.seats[faction]
    seat.unreachable, seat.unreachable_since, seat.waits_until = False, None, None
    seat.undelivered, seat.undelivered_at = 0, None
    seat.waited, seat.lent = seat.waited + seat.lent, 0
    table.touched.add(faction)


def unreachable_delays(table: Table, known: Deadlines, clock: GameClock) -> Delays:
    away = [faction for faction, seat in table.seats.items() if seat.waits_until]
    return _delays_to_end_of_wait(table, new_duties(table, away, known), clock) if away else {}


def _delays_to_end_of_wait(table: Table, places: Iterable[Place], clock: GameClock) -> Delays:
    """Postpone all deadlines that fall before the end of the wait to its end. All duties that are open together wait
    together, so the earliest of them decides how many of the player's hours are used up."""
    found: Delays = {}
    for place in places:
        faction = place[1][0]
        seat, due = table.seats[faction], table.deadlines[place].due
        since, end = seat.unreachable_since, seat.waits_until
        if since is None or end is None or due >= end:
            continue
        found[place] = next_allowed(clock.calendar, end)
        given = end - max(due, since)
        seat.lent = max(seat.lent, given // timedelta(minutes=1))
        table.touched.add(faction)
    return found


def measure_overruns(table: Table, known: Deadlines, now: datetime) -> Mapping[Place, int]:
    """Record which of the overrun questions have been answered, or are open again. Return the minutes left for each
    question whose minutes have changed. ``known`` are the previous deadlines."""
    changed: dict[Place, int] = {}
    for place, overrun in table.overruns.items():
        deadline, left = table.deadlines.get(place), overrun.left
        if deadline is None or deadline.state == "answered":
            left = overrun.minutes(now, deadline or known.get(place)) if left < 0 else left
        elif deadline.state == "open":
            left = -1
        if left != overrun.left:
            changed[place] = left
    table.overruns.update({place: replace(table.overruns[place], left=left) for place, left in changed.items()})
    return changed


def settle_overruns(table: Table) -> list[Place]:
    """Charge the time bank of each player who no longer has an open overrun question. Return the questions that this
    settles."""
    settled: list[Place] = []
    for faction in {place[1][0] for place in table.overruns}:
        own = {place: overrun for place, overrun in table.overruns.items() if place[1][0] == faction}
        if not any(place in table.deadlines for place in own):
            _charge_bank(table, faction, own)
            settled += own
    return settled


def _charge_bank(table: Table, faction: Faction, own: Overruns) -> None:
    """Charge a player's time bank. If several questions overran at the same time, charge it only once, for the question
    that was answered last."""
    seat = table.seats[faction]
    seat.bank = min(seat.bank, *(overrun.left for overrun in own.values()))
    table.touched.add(faction)
