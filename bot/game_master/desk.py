"""The game master's desk: what waits for them in all games, worked out from what the store knows of each.

Nothing here was sealed: no hand, no order, no sheet, and of reactions not whose they are. Of a game that the game
master plays they learn what its other players know.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Literal

from bot.clock.calendar import counted
from bot.clock.settings import game_clock
from bot.clock.tempo import tempo
from bot.config import Settings
from bot.store.desk import GOING_ON, STANDING_STILL, GameAt, Owed, Rows, SeatAt, by_game
from bot.store.tournaments.matters import Matter as EventMatter
from rules.chapters.victory import MAX_TURNS
from rules.engine.rule_sets import load_rule_set

LOOKED_BACK = timedelta(days=7)
"""For how long mail that was put aside and letters that were given up stay on the desk."""

MISSED = 2
"""Whoever has missed so many duties in a row is on the desk; one is no more than a bad day."""

IDLE_AFTER = timedelta(days=3)
OUTBOX_AFTER = timedelta(minutes=30)
UNDELIVERED_FOR = timedelta(days=7)
LITTLE_ROOM = 500_000_000

Part = Literal["do", "late", "people", "behind", "idle", "mail", "machine"]
PARTS: Mapping[str, Part] = {
    "held": "do", "on-hold": "do", "paused": "do", "silence": "do", "late": "late", "unreachable": "people",
    "undelivered": "people", "asked": "people", "caretaker": "people", "missed": "people", "behind": "behind",
    "code": "do", "reported": "people", "protest": "do", "draw": "do", "start": "do", "close": "do", "overdue": "do",
    "idle": "idle", "aside": "mail", "outbox": "mail", "failing": "mail", "lost": "mail", "mailbox": "machine",
    "room": "machine", "forum-blocks": "do", "forum-refused": "do", "forum-gone": "do", "forum-away": "machine",
}  # fmt: skip
"""What can lie on the desk, and in which part of it."""


@dataclass(frozen=True, slots=True)
class Machine:
    """What is known of the machine: bytes that are free beside the database and that it takes itself, when `mentat run`
    was last at work, and since when the mailbox cannot be read."""

    free: int = 0
    database: int = 0
    service: datetime | None = None
    mailbox_failing: datetime | None = None


@dataclass(frozen=True, slots=True)
class Matter:
    """Something that waits: its ``kind`` (``PARTS``), the game (or tournament) and seat that it is about ("" for none),
    since when, and the rest that its sentence needs."""

    kind: str
    game: str = ""
    since: datetime | None = None
    faction: str = ""
    name: str = ""
    duty: str = ""
    until: datetime | None = None
    count: int = 0
    more: int = 0
    words: str = ""
    numbers: tuple[int, ...] = ()

    @property
    def part(self) -> Part:
        """In which part of the desk it lies."""
        return PARTS[self.kind]


@dataclass(frozen=True, slots=True)
class Standing:
    """A game that is not over: where it stands, which public duties it waits for, and until when for what only hidden
    cards decide (None if for nothing of that kind). ``own``: the game master plays in it."""

    game: GameAt
    owed: Sequence[Owed] = ()
    nameless: datetime | None = None
    own: bool = False

    @property
    def stopped(self) -> bool:
        """Whether nothing goes on in it just now."""
        return self.game.status == "held" or self.game.stopped_at is not None or self.game.on_hold is not None

    def next_due(self, now: datetime) -> datetime | None:
        """The next thing due in it; None while nothing is."""
        if self.stopped:
            return None
        call = self.game.call_due if self.game.call_due and self.game.call_due > now else None
        dues = (*(each.due for each in self.owed), call, self.nameless)
        return min((due for due in dues if due), default=None)


@dataclass(frozen=True, slots=True)
class Desk:
    """All that lies there at an instant."""

    now: datetime
    games: Sequence[Standing] = ()
    matters: Sequence[Matter] = ()
    machine: Machine = Machine()
    waiting_letters: int = 0


def look(
    rows: Rows, machine: Machine, now: datetime, settings: Settings, is_master: Callable[[str], bool],
    events: Sequence[tuple[str, EventMatter]] = (),
) -> Desk:  # fmt: skip
    """The desk from what the store knows. ``is_master`` says of an address whether it is the game master's own;
    ``events`` is what waits in tournaments, by their ids."""
    owed = by_game(rows.owed)
    own = {seat.game for seat in rows.seats if is_master(seat.address)}
    standing = [
        standing_of(game, owed.get(game.id, ()), rows.nameless.get(game.id), own=game.id in own) for game in rows.games
    ]
    seats: dict[str, list[SeatAt]] = {}
    for seat in rows.seats:
        seats.setdefault(seat.game, []).append(seat)
    matters: list[Matter] = []
    for each in standing:
        here = list(_game_matters(each, rows, seats.get(each.game.id, ()), now, settings))
        matters += here
        matters += _idle(each, here, rows.acts.get(each.game.id), now)
    matters += [
        Matter("code", code.game, code.asked_at, name=code.address, until=code.until, words=code.command)
        for code in rows.codes
        if code.game not in own
    ]
    matters += [
        Matter("reported", each.game, each.at, faction=faction)
        for each in rows.reported
        if each.game not in own
        for faction in each.by
    ]
    matters += [
        Matter(each.kind, event, each.since, count=each.number, more=each.place[0], words=each.table)
        for event, each in events
        if each.kind != "held"  # its game says so itself
    ]
    matters += _mail_matters(rows, now)
    matters += _machine_matters(machine)
    matters += _forum_matters(rows, settings)
    return Desk(now, standing, matters, machine, rows.outgoing.waiting)


def standing_of(game: GameAt, owed: Sequence[Owed], nameless: datetime | None, *, own: bool) -> Standing:
    """A game as the game master may know it: who has answered is not to be seen in one that they play, nor until when
    it waits for what may be a secret."""
    return Standing(game, [each for each in owed if own or not each.answered], None if own else nameless, own)


# --- a game ----------------------------------------------------------------------------------------------------------


def _game_matters(
    standing: Standing, rows: Rows, seats: Sequence[SeatAt], now: datetime, settings: Settings
) -> Iterator[Matter]:
    game = standing.game
    if game.status == "held":
        yield Matter("held", game.id, rows.last.get(game.id))
    elif game.on_hold:
        yield Matter("on-hold", game.id, game.on_hold)
    elif game.stopped_at:
        yield Matter("silence" if game.stopped_why == "silence" else "paused", game.id, game.stopped_at)
    names = {seat.faction: seat.name for seat in seats}
    if not standing.stopped and not standing.own:
        for each in standing.owed:
            if each.due <= now:
                until = each.until if each.until > now else None
                yield Matter("late", game.id, each.due, each.faction, names.get(each.faction, ""), each.kind, until)
    for seat in seats:
        yield from _seat_matters(seat, now, own=standing.own)
    forecast = _forecast(game, rows.stood.get(game.id, ()), now, settings)
    if game.status == "running" and game.turn < forecast:
        yield Matter("behind", game.id, game.created_at, count=game.turn, more=forecast)


def _seat_matters(seat: SeatAt, now: datetime, *, own: bool) -> Iterator[Matter]:
    about = Matter("missed", seat.game, faction=seat.faction, name=seat.name, count=seat.missed)
    lately = seat.undelivered_at is not None and now - seat.undelivered_at <= UNDELIVERED_FOR
    if seat.unreachable_since:
        yield replace(about, kind="unreachable", since=seat.unreachable_since)
    elif seat.undelivered and lately and not own:
        yield replace(about, kind="undelivered", since=seat.undelivered_at)
    if seat.asked:
        yield replace(about, kind="asked")
    if seat.care:
        yield replace(about, kind="caretaker")
    elif seat.missed >= MISSED and not own:
        yield about


def _forecast(game: GameAt, stood: Sequence[tuple[str, datetime]], now: datetime, settings: Settings) -> int:
    """The turn in which the slowest games of its tempo would be after the time that it was played."""
    if game.created_at is None:
        return 0
    clock = game_clock(settings, game.clock)
    played = counted(clock.calendar, game.created_at, now)
    for since, until in _stops(game, stood, now):
        played -= counted(clock.calendar, since, until)
    turn_lasts = timedelta(hours=tempo(game.tempo).days_a_turn * clock.step)
    last = int(game.options.get("max_turns", MAX_TURNS(load_rule_set(game.ruleset))))
    return min(1 + int(played / turn_lasts), last)


def _stops(
    game: GameAt, stood: Sequence[tuple[str, datetime]], now: datetime
) -> Iterator[tuple[datetime, datetime]]:  # fmt: skip
    """From when until when its clocks did not go."""
    began: datetime | None = None
    for what, at in stood:
        if what in STANDING_STILL and began is None:
            began = at
        elif what in GOING_ON and began is not None:
            yield began, at
            began = None
    if began is None:
        began = game.stopped_at or game.on_hold
    if began is not None:
        yield began, now


def _idle(standing: Standing, here: Sequence[Matter], acted: datetime | None, now: datetime) -> list[Matter]:
    """A game in which something has waited for days, and nobody at the desk has done anything since."""
    oldest = min((matter.since for matter in here if matter.since and matter.kind != "behind"), default=None)
    if oldest is None or now - oldest < IDLE_AFTER or (acted is not None and acted > oldest):
        return []
    return [Matter("idle", standing.game.id, oldest, count=(now - oldest).days)]


# --- mail and the machine --------------------------------------------------------------------------------------------


def _mail_matters(rows: Rows, now: datetime) -> Iterator[Matter]:
    aside: dict[str, list[int]] = {}
    first: dict[str, datetime] = {}
    for mail in rows.aside:
        aside.setdefault(mail.game, []).append(mail.number)
        first.setdefault(mail.game, mail.at)
    for game, numbers in sorted(aside.items()):
        yield Matter("aside", game, first[game], count=len(numbers), numbers=tuple(numbers))
    out = rows.outgoing
    if out.failing:
        yield Matter("failing", since=out.failing_since, count=out.failing, words=out.error)
    elif out.since and now - out.since > OUTBOX_AFTER:
        yield Matter("outbox", since=out.since, count=out.waiting)
    if out.lost:
        yield Matter("lost", since=out.lost_since, count=out.lost)


def _machine_matters(machine: Machine) -> Iterator[Matter]:
    if machine.mailbox_failing:
        yield Matter("mailbox", since=machine.mailbox_failing)
    if 0 < machine.free < LITTLE_ROOM:
        yield Matter("room", count=machine.free // 1_000_000)


def _forum_matters(rows: Rows, settings: Settings) -> Iterator[Matter]:
    for thread in rows.threads:
        if thread.forum not in settings.forums:
            yield Matter("forum-gone", thread.game, name=thread.forum)
            continue
        if thread.blocks:
            yield Matter("forum-blocks", thread.game, name=thread.forum, count=thread.blocks)
        if thread.problem:
            yield Matter(
                "forum-refused", thread.game, thread.since, name=thread.forum, count=thread.waiting,
                words=thread.problem,
            )  # fmt: skip
    for trouble in rows.forums:
        if trouble.forum in settings.forums:
            yield Matter("forum-away", since=trouble.since, name=trouble.forum, words=trouble.problem)
