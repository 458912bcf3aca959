"""Deadlines: until when each question stays open, what postpones it, and what it costs to overrun one.

A question keeps its deadline until it is gone, answered or not: what others see of it may not change when it is
answered. A card or power that has to be dealt with first stops the clock of the questions below it; they have at least
half their time left when they come back. An offer between two players stands beside the game and keeps its own time,
whatever the game waits for meanwhile.

Deadlines wait for a player who is away, and for some hours for a player whom no mail reaches, who could not know what
they are asked. Only public duties wait: a secret question, and a reaction that is open to everybody, keep their time
whoever is away, or the delay would tell of them. Of an unreachable player all public questions move, answered or not,
so that nobody sees from it which are answered.

A player who overruns a deadline pays from their time bank. What is left is the time between the answer and the end that
was announced: time that is given back to all (a pause, an outage, an extension) moves that end and costs nobody
anything. The bank is charged only when its player is asked none of those questions any more: a balance that changed at
the moment of the answer would show that there is one.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

from bot.table.calendar import next_allowed
from bot.table.clock import GameClock
from bot.table.rounds import is_duty
from bot.table.table import Absence, Deadline, Deadlines, Overruns, Place, State, Table, place_of
from rules.components import Faction
from rules.decisions.question import Question
from rules.engine.play import Play

Delays = dict[Place, datetime]
"""Until when at the earliest the answers to questions are due now."""


def current_deadlines(known: Deadlines, play: Play, now: datetime, clock: GameClock) -> Deadlines:
    """Each question that is open or answered at a stop that still stands, and its deadline."""
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
            again = clock.due_again(question, now)  # answered or not: nobody may notice which
            silence = clock.until(question, again)
            current[place] = replace(old, due=max(old.due, again), until=max(old.until, silence), state=state)
        else:
            current[place] = replace(old, state=state)
    return current


def _first_due(known: Deadlines, place: Place, question: Question) -> datetime | None:
    """When a question is due that comes up, unseen by others, at a stop that stands: with the rest of the stop."""
    if question.public or question.at_once:
        return None
    return max((deadline.due for (stop, _), deadline in known.items() if stop == place[0]), default=None)


def postponed_deadlines(table: Table, places: Iterable[Place], until: datetime) -> Deadlines:
    """Those of these questions whose answers would be due earlier than this, with their later deadline. The grace after
    them stays as long as it was."""
    return {
        place: _due_later(table.deadlines[place], until)
        for place in places
        if place in table.deadlines and table.deadlines[place].due < until
    }


def resumed_deadlines(known: Deadlines, clock: GameClock, since: datetime, back: datetime) -> Deadlines:
    """The deadlines after the clocks stood still for a time: each question has as much time left as it had then. One
    that came up meanwhile has all of it; one whose announced time was over, the rest of its grace."""
    current = dict(known)
    for place, deadline in known.items():
        stood = max(since, deadline.asked_at) if deadline.asked_at else since
        if deadline.due > stood:
            current[place] = _due_later(deadline, clock.later(deadline.due, stood, back))
        elif deadline.until > stood:
            current[place] = replace(deadline, until=deadline.until + (back - stood))
    return current


def overdue_questions(known: Deadlines, play: Play, now: datetime) -> list[Place]:
    """The questions that can be answered now and whose time is up."""
    places = [place_of(play, question) for question in play.questions()]
    return [place for place in places if place in known and known[place].until <= now]


def note_missed(known: Deadlines, places: Iterable[Place]) -> None:
    """Silence has answered these questions."""
    for place in places:
        known[place] = replace(known[place], missed=True)


def _due_later(deadline: Deadline, due: datetime) -> Deadline:
    grace = deadline.until - deadline.due
    return replace(deadline, due=due, until=due + grace)


def open_duties(table: Table, factions: Iterable[Faction]) -> list[Place]:
    """The public duties of these factions that have a deadline, answered or not."""
    asked = [q for q in table.play.asked() if q.faction in factions and is_duty(table, q)]
    return [place for q in asked if (place := place_of(table.play, q)) in table.deadlines]


def new_duties(table: Table, factions: Iterable[Faction], known: Deadlines) -> list[Place]:
    """Those of them that are new, or asked again. ``known`` are the deadlines before."""
    return [place for place in open_duties(table, factions) if place not in known or known[place].state == "suspended"]


def announce_absence(table: Table, faction: Faction, absence: Absence, clock: GameClock) -> Delays:
    """Note an absence; what the duties that are open now get, where they fall into it. What waits already for an
    earlier absence waits no longer for this one."""
    earlier = table.absences.get(faction, [])
    table.absences[faction] = sorted([*earlier, absence], key=lambda each: each.first)
    zone = ZoneInfo(table.seats[faction].timezone)
    moved = {next_allowed(clock.calendar, each.back(zone)) for each in earlier}
    own = [place for place in open_duties(table, (faction,)) if table.deadlines[place].due not in moved]
    return _delays_to_return(table, own, clock)


def withdraw_absence(table: Table, faction: Faction, absence: Absence) -> None:
    """Forget an absence. Deadlines that were moved for it stay where they are."""
    table.absences[faction].remove(absence)
    if not table.absences[faction]:
        del table.absences[faction]


def absence_delays(table: Table, known: Deadlines, clock: GameClock) -> Delays:
    """What the duties of players who are away get that have just come up. ``known`` are the deadlines before."""
    return _delays_to_return(table, new_duties(table, table.absences, known), clock) if table.absences else {}


def _delays_to_return(table: Table, places: Iterable[Place], clock: GameClock) -> Delays:
    found: Delays = {}
    for place in places:
        faction = place[1][0]
        zone, due = ZoneInfo(table.seats[faction].timezone), table.deadlines[place].due
        for absence in table.absences[faction]:
            if absence.holds(due, zone):
                found[place] = next_allowed(clock.calendar, absence.back(zone))
                break
    return found


def mark_unreachable(table: Table, faction: Faction, now: datetime, hours: float, clock: GameClock) -> Delays:
    """Note that no mail reaches a player; what the duties that are open get, as far as they have any of their ``hours``
    of this game left (``waits_until``)."""
    seat = table.seats[faction]
    left = timedelta(hours=hours) - timedelta(minutes=seat.waited)
    seat.unreachable, seat.unreachable_since, seat.waits_until = True, now, None
    table.touched.add(faction)
    if left <= timedelta() or table.status != "running":
        return {}
    seat.waits_until = now + left
    return _delays_to_end_of_wait(table, open_duties(table, (faction,)), clock)


def mark_reachable(table: Table, faction: Faction) -> None:
    """Mail reaches them again. Deadlines that were moved stay where they are."""
    seat = table.seats[faction]
    seat.unreachable, seat.unreachable_since, seat.waits_until = False, None, None
    seat.undelivered, seat.undelivered_at = 0, None
    seat.waited, seat.lent = seat.waited + seat.lent, 0
    table.touched.add(faction)


def unreachable_delays(table: Table, known: Deadlines, clock: GameClock) -> Delays:
    """What the duties get that have just come up for players whom no mail reaches. ``known`` are the deadlines
    before."""
    away = [faction for faction, seat in table.seats.items() if seat.waits_until]
    return _delays_to_end_of_wait(table, new_duties(table, away, known), clock) if away else {}


def _delays_to_end_of_wait(table: Table, places: Iterable[Place], clock: GameClock) -> Delays:
    """What falls due before the end of the wait is due at its end. All that waits in one spell waits together, so what
    is used up of the hours is what the earliest of it was given."""
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
    """Note which overrun questions were answered, or are open again: the minutes left of each whose minutes have
    changed. ``known`` are the deadlines before."""
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
    """Charge the time bank of each player who is asked none of their overrun questions any more. Returns the questions
    that are settled by that."""
    settled: list[Place] = []
    for faction in {place[1][0] for place in table.overruns}:
        own = {place: overrun for place, overrun in table.overruns.items() if place[1][0] == faction}
        if not any(place in table.deadlines for place in own):
            _charge_bank(table, faction, own)
            settled += own
    return settled


def _charge_bank(table: Table, faction: Faction, own: Overruns) -> None:
    """Questions of one moment run together: the one answered last counts."""
    seat = table.seats[faction]
    seat.bank = min(seat.bank, *(overrun.left for overrun in own.values()))
    table.touched.add(faction)
