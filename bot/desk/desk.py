"""The game master's desk: everything in all games that is waiting for the game master, as a page on the terminal and as
a daily letter.

The desk shows nothing that is sealed: no hand, no order and no sheet, nor whose turn it is to react. About a game in
which the game master plays, it says only what the other players know.

The letter is due once a day, at a time of day in Mentat's time zone. When it is written, or left out because nothing is
waiting, the moment for which it was due is logged in the same transaction. So there is never more than one letter a
day. A crash does not cause a second letter, and there is only one letter after several days of downtime or after the
clock was set forward (`mentat tick --now`).
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, time, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Literal
from zoneinfo import ZoneInfo

from bot.config import Settings
from bot.mail.identity import mailbox_of
from bot.render.blocks import Block, Heading, Paragraph, Row, Rows
from bot.store import desk, installation, people
from bot.store.database import Connection, reading, size_of, writing
from bot.store.desk import (
    GOING_ON,
    STANDING_STILL,
    DeskRows,
    GameAt,
    OwedDuty,
    SeatAt,
    StallCause,
    owed_by_game,
)
from bot.table.calendar import counted_between, instant_at, stamp
from bot.table.clock import game_clock, round_at, tempo
from bot.wording import clock_of, day_and_month, distance, find, moment, say
from bot.wording.filters import speaking
from rules.rulesets.ruleset import edition_of, written_option

if TYPE_CHECKING:
    from bot.games.open_games import OpenGames, Session
    from bot.store.tournament_rounds import Matter as EventMatter

LOOKED_BACK = timedelta(days=7)
"""How long quarantined mail, and letters that could not be delivered, stay on the desk."""

MISSED_DUTIES = 2
"""A player who has missed this many duties in a row is shown on the desk. A single one may be just a bad day."""

IDLE_AFTER = timedelta(days=3)
OUTBOX_AFTER = timedelta(minutes=30)
UNDELIVERED_FOR = timedelta(days=7)
LITTLE_ROOM = 500_000_000

Part = Literal["do", "late", "people", "behind", "idle", "mail", "machine"]
PARTS: Mapping[str, Part] = {
    "held": "do", "on-hold": "do", "paused": "do", "silence": "do", "withheld": "do", "late": "late",
    "unreachable": "people", "undelivered": "people", "asked": "people", "caretaker": "people", "missed": "people",
    "behind": "behind", "code": "do", "reported": "people", "protest": "do", "draw": "do", "start": "do", "words": "do",
    "close": "do", "overdue": "do", "idle": "idle", "aside": "mail", "outbox": "mail", "failing": "mail",
    "lost": "mail", "mailbox": "machine", "room": "machine", "forum-blocks": "do", "forum-refused": "do",
    "forum-gone": "do", "forum-away": "machine", "proposed-table": "do", "full-table": "do",
}  # fmt: skip
"""The kinds of matters on the desk, and the part of the desk in which each is shown."""


@dataclass(frozen=True, slots=True)
class Machine:
    """The state of the machine: the ``free`` bytes on the database's disk, the size of the ``database``, the last sign
    of life of `mentat run` (``service``), and the time at which the mailbox became unreadable."""

    free: int = 0
    database: int = 0
    service: datetime | None = None
    mailbox_failing: datetime | None = None


@dataclass(frozen=True, slots=True)
class Matter:
    """A matter that is waiting for the game master: its ``kind`` (one of ``PARTS``), its game (or tournament) and seat
    ("" for none), the time at which the wait began, and the facts for the sentence about it."""

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
        return PARTS[self.kind]


@dataclass(frozen=True, slots=True)
class Standing:
    """The state of a game that is not over. ``owed`` are the public duties for which the game waits. If it waits for an
    answer that depends on hidden cards, ``nameless`` is when that wait ends; otherwise it is None. ``own`` is true if
    the game master plays in it."""

    game: GameAt
    owed: Sequence[OwedDuty] = ()
    nameless: datetime | None = None
    own: bool = False

    @property
    def stopped(self) -> bool:
        return self.game.status == "held" or self.game.stopped_at is not None or self.game.on_hold is not None

    def call_closes(self, now: datetime) -> datetime | None:
        game = self.game
        is_open = game.call_due and game.call_due > now and round_at(game.call, game.tempo, game.turn, game.phase)
        return game.call_due if is_open else None

    def next_due(self, now: datetime) -> datetime | None:
        if self.stopped or self.game.status == "over":
            return None
        dues = (*(each.due for each in self.owed), self.call_closes(now), self.nameless)
        return min((due for due in dues if due), default=None)


@dataclass(frozen=True, slots=True)
class Desk:
    now: datetime
    games: Sequence[Standing] = ()
    matters: Sequence[Matter] = ()
    machine: Machine = Machine()
    waiting_letters: int = 0


def compile_desk(
    rows: DeskRows,
    machine: Machine,
    now: datetime,
    settings: Settings,
    is_master: Callable[[str], bool],
    events: Sequence[tuple[str, EventMatter]] = (),
) -> Desk:
    """Compile the desk from the store's rows. ``is_master`` returns whether an address belongs to the game master;
    ``events`` are the matters of tournaments, each with the tournament's id."""
    owed = owed_by_game(rows.owed)
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
        if each.kind != "held"  # the matter about the game already reports it
    ]
    matters += _mail_matters(rows, now)
    matters += _machine_matters(machine)
    matters += _forum_matters(rows, settings)
    return Desk(now, standing, matters, machine, rows.outgoing.waiting)


def standing_of(game: GameAt, owed: Sequence[OwedDuty], nameless: datetime | None, *, own: bool) -> Standing:
    """Return what the game master may see of the state of a game. If they play in it (``own``), leave out who has
    answered, and the deadline of a question that is asked only because of hidden cards."""
    if own:
        return Standing(game, [replace(each, cause="") for each in owed], None, own)
    return Standing(game, [each for each in owed if not each.answered], nameless, own)


# --- a game ----------------------------------------------------------------------------------------------------------


def _game_matters(
    standing: Standing, rows: DeskRows, seats: Sequence[SeatAt], now: datetime, settings: Settings
) -> Iterator[Matter]:
    game = standing.game
    if game.status == "held":
        yield Matter("held", game.id, rows.last.get(game.id))
    elif game.on_hold:
        yield Matter("on-hold", game.id, game.on_hold)
    elif game.stopped_at:
        yield Matter(_cause(game), game.id, game.stopped_at)
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
    if seat.care and seat.address:  # the game master has given a seat without an address to an opponent
        yield replace(about, kind="caretaker")
    elif seat.missed >= MISSED_DUTIES and not own:
        yield about


def _forecast(game: GameAt, stood: Sequence[tuple[str, datetime]], now: datetime, settings: Settings) -> int:
    if game.created_at is None:
        return 0
    clock = game_clock(settings, game.clock)
    played = counted_between(clock.calendar, game.created_at, now)
    for since, until in _stops(game, stood, now):
        played -= counted_between(clock.calendar, since, until)
    turn_lasts = timedelta(hours=tempo(game.tempo).days_a_turn * clock.step)
    last = int(game.options.get("max_turns", written_option(game.ruleset, "max_turns")))
    return min(1 + int(played / turn_lasts), last)


def _stops(game: GameAt, stood: Sequence[tuple[str, datetime]], now: datetime) -> Iterator[tuple[datetime, datetime]]:
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
    oldest = min((matter.since for matter in here if matter.since and matter.kind != "behind"), default=None)
    if oldest is None or now - oldest < IDLE_AFTER or (acted is not None and acted > oldest):
        return []
    return [Matter("idle", standing.game.id, oldest, count=(now - oldest).days)]


# --- mail and the machine --------------------------------------------------------------------------------------------


def _mail_matters(rows: DeskRows, now: datetime) -> Iterator[Matter]:
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


def _forum_matters(rows: DeskRows, settings: Settings) -> Iterator[Matter]:
    for thread in rows.threads:
        if thread.forum not in settings.forums:
            yield Matter("forum-gone", thread.game, name=thread.forum)
            continue
        if thread.blocks:
            yield Matter("forum-blocks", thread.game, name=thread.forum, count=thread.blocks)
        if thread.problem:
            yield Matter(
                "forum-refused",
                thread.game,
                thread.since,
                name=thread.forum,
                count=thread.waiting,
                words=thread.problem,
            )
    for trouble in rows.forums:
        if trouble.forum in settings.forums:
            yield Matter("forum-away", since=trouble.since, name=trouble.forum, words=trouble.problem)


MOST_LINES = 40
"""Each part of the desk has at most this many lines of text."""

MOST_NUMBERS = 3

PARTS_IN_ORDER: Sequence[Part] = ("do", "late", "people", "behind", "idle", "mail", "machine")


def desk_blocks(desk: Desk, zone: ZoneInfo, *, machine: bool = True) -> list[Block]:
    summary = say("desk-look.counted", games=len(desk.games), matters=len(desk.matters), zone=clock_of(zone))
    found: list[Block] = [Paragraph(summary)]
    rulesets = {each.game.id: each.game.ruleset for each in desk.games}
    for part in PARTS_IN_ORDER:
        here = [matter for matter in desk.matters if matter.part == part]
        if here:
            rows = _rows(
                [(matter.game, _matter_words(matter, rulesets, zone, machine)) for matter in here[:MOST_LINES]],
                len(here),
                machine,
            )
            found += [Heading(say(f"desk-look.{part}")), rows]
    if desk.games:
        first = sorted(desk.games, key=lambda each: _urgency(each, desk.now))[:MOST_LINES]
        rows = _rows([(each.game.id, line) for each in first for line in _game_lines(each, desk.now, zone)])
        found += [Heading(say("desk-look.games")), rows]
        if len(desk.games) > MOST_LINES:
            found.append(Paragraph(say("desk-look.more", count=len(desk.games) - MOST_LINES, shell=machine), "small"))
    if machine:
        found.append(Paragraph(_machine_words(desk, zone), "small"))
    return found


def one_game_lines(desk: Desk, zone: ZoneInfo) -> list[str]:
    rulesets = {each.game.id: each.game.ruleset for each in desk.games}
    lines = [line for each in desk.games for line in _listed_game(each, desk.now, zone)]
    lines += [_matter_words(matter, rulesets, zone, False) for matter in desk.matters if matter.game in rulesets]
    return [*lines, say("desk-game.times", zone=clock_of(zone))]


def _rows(told: Sequence[tuple[str, str]], count: int = 0, shell: bool = False) -> Rows:
    by_label: dict[str, list[str]] = {}
    for game, line in told:
        by_label.setdefault(game or say("desk-look.everywhere"), []).append(line)
    rows = [Row(label, tuple(lines)) for label, lines in by_label.items()]
    if count > len(told):
        rows.append(Row("…", (say("desk-look.more", count=count - len(told), shell=shell),)))
    return Rows(tuple(rows))


def _urgency(standing: Standing, now: datetime) -> tuple[bool, datetime, str]:
    due = standing.next_due(now)
    return due is None, due or now, standing.game.id


def _matter_words(matter: Matter, rulesets: dict[str, str], zone: ZoneInfo, shell: bool) -> str:
    who = say("desk-game.who", faction=matter.faction, player=matter.name) if matter.faction else ""
    words = ""
    if matter.duty:
        with speaking(edition_of(rulesets[matter.game])):
            words = say(f"duty.{matter.duty}")
    facts = {
        "game": matter.game, "faction": matter.faction, "who": who, "duty": words, "count": matter.count,
        "since": at(matter.since, zone), "until": at(matter.until, zone), "words": matter.words, "days": matter.count,
        "turn": matter.count, "forecast": matter.more, "numbers": list(matter.numbers[:MOST_NUMBERS]),
        "others": len(matter.numbers) > MOST_NUMBERS, "name": matter.name, "round": matter.more, "shell": shell,
    }  # fmt: skip
    return say(f"desk-matter.{matter.kind}", **facts)


def _machine_words(desk: Desk, zone: ZoneInfo) -> str:
    machine = desk.machine
    service = machine.service if machine.service and desk.now - machine.service > timedelta(minutes=5) else None
    return say(
        "desk-look.room",
        free=machine.free // 1_000_000,
        database=max(1, machine.database // 1_000_000),
        letters=desk.waiting_letters,
        service=at(service, zone),
    )


# --- the state of a game ---------------------------------------------------------------------------------------------


def place_of_game(game: GameAt) -> str:
    with speaking(edition_of(game.ruleset)):
        if game.status == "over":
            return say("desk-game.finished", turn=game.turn, winners=game.winners)
        return say("desk-game.at", turn=game.turn, phase=game.phase)


def waits_for(standing: Standing, now: datetime, zone: ZoneInfo) -> list[str]:
    game = standing.game
    if game.status == "over":
        return []
    if standing.stopped:
        return [say("desk-game.still", why=why_stopped(game, zone))]
    with speaking(edition_of(game.ruleset)):
        return list(_what_it_waits_for(standing, now, zone)) or [say("desk-game.nothing")]


def why_stopped(game: GameAt, zone: ZoneInfo) -> str:
    """Return why a running game is stopped, in words that complete "it is"."""
    if game.status == "held":
        return say("desk-game.held")
    if game.on_hold:
        return say("desk-game.on-hold", since=at(game.on_hold, zone))
    return say(f"desk-game.{_cause(game)}", since=at(game.stopped_at, zone))


def _cause(game: GameAt) -> str:
    return game.stopped_why if game.stopped_why in ("silence", "withheld") else "paused"


def _what_it_waits_for(standing: Standing, now: datetime, zone: ZoneInfo) -> Iterator[str]:
    game = standing.game
    if closes := standing.call_closes(now):
        yield say("desk-game.call", round=game.call.partition(".")[2], due=at(closes, zone))
    together: dict[tuple[str, datetime, StallCause], list[str]] = {}
    for each in standing.owed:
        together.setdefault((each.kind, each.due, each.cause), []).append(each.faction)
    for (kind, due, cause), factions in together.items():
        facts = {"due": at(due, zone), "late": due <= now, "cause": cause}
        yield say("desk-game.duties", who=factions, duty=say(f"duty.{kind}"), **facts)
    if not together and (standing.nameless or standing.own):
        late = standing.nameless is not None and standing.nameless <= now
        yield say("desk-game.nameless", due=at(standing.nameless, zone), late=late)


def _game_lines(standing: Standing, now: datetime, zone: ZoneInfo) -> list[str]:
    return [place_of_game(standing.game), *waits_for(standing, now, zone)]


def _listed_game(standing: Standing, now: datetime, zone: ZoneInfo) -> Iterator[str]:
    yield say("desk-game.line", place=place_of_game(standing.game), ruleset=standing.game.ruleset)
    yield from waits_for(standing, now, zone)
    if due := standing.next_due(now):
        yield say(f"desk-game.{'overdue' if due <= now else 'next'}", moment=at(due, zone), distance=distance(due, now))


def listed_game(standing: Standing, now: datetime, zone: ZoneInfo) -> tuple[str, str, str, str]:
    due = standing.next_due(now)
    told = say("desk-game.due", moment=at(due, zone), late=due <= now) if due else ""
    return standing.game.id, place_of_game(standing.game), told, "; ".join(waits_for(standing, now, zone))


def at(when: datetime | None, zone: ZoneInfo) -> str:
    return moment(when, zone) if when else ""


A_DAY = timedelta(days=1)


def desk_now(conn: Connection, settings: Settings, now: datetime) -> Desk:
    rows = desk.read_desk(conn, now - LOOKED_BACK, now)
    own = is_master(conn, settings)
    machine = _read_machine(conn, settings.mentat.database)
    found = compile_desk(rows, machine, now, settings, own, list(_tournament_matters(conn, own, now)))
    return replace(found, matters=[*found.matters, *_lobby_matters(conn, now)])


def _lobby_matters(conn: Connection, now: datetime) -> Iterator[Matter]:
    from bot.store import lobby

    for table in lobby.all_tables(conn, "proposed", "full"):
        since = table.opened_at if table.state == "proposed" else table.full_at
        dated = table.settings.starts == "date"
        if table.state == "proposed" or (since is not None and now - since > IDLE_AFTER and not dated):
            yield Matter(f"{table.state}-table", table.id, since)


def _tournament_matters(
    conn: Connection, own: Callable[[str], bool], now: datetime
) -> Iterator[tuple[str, EventMatter]]:
    from bot.store import tournament_rounds, tournaments  # a list of games does not need these

    for tournament in tournaments.all_tournaments(conn, "open", "drawn", "running"):
        if not any(own(entrant.address) for entrant in tournaments.entrants_of(conn, tournament.id)):
            for matter in tournament_rounds.waiting_matters(conn, tournament, now):
                yield tournament.id, matter


def game_status_lines(conn: Connection, settings: Settings, now: datetime, game_id: str) -> list[str]:
    found, zone = desk_now(conn, settings, now), settings.mentat.timezone
    here = [standing for standing in found.games if standing.game.id == game_id]
    matters = [matter for matter in found.matters if matter.game == game_id]
    return one_game_lines(replace(found, games=here, matters=matters), zone)


def is_master(conn: Connection, settings: Settings) -> Callable[[str], bool]:
    apart = settings.identity.tags_apart
    own = people.identifiers(conn, settings.mentat.game_master, tags_apart=apart)
    return lambda address: (address.lower() if apart else mailbox_of(address)) in own


def _read_machine(conn: Connection, database: Path) -> Machine:
    service, mailbox = installation.heartbeat(conn, "service"), installation.heartbeat(conn, "mailbox")
    try:
        free = shutil.disk_usage(database.parent).free
        taken = size_of(conn)
    except OSError:
        free = taken = 0
    return Machine(free, taken, service.at if service else None, mailbox.failing_since if mailbox else None)


@dataclass(frozen=True, slots=True)
class EventBlocks:
    """The part of the daily letter about the events that the game master organises: its blocks, the number of things
    that need the game master, and the events themselves."""

    blocks: Sequence[Block] = ()
    needs: int = 0
    events: frozenset[str] = frozenset()


def write_daily_letter(
    open_games: OpenGames, now: datetime, events: Callable[[Session], EventBlocks] = lambda _: EventBlocks()
) -> bool:
    from bot.games.open_games import Session

    mentat = open_games.settings.mentat
    if mentat.desk_mail is None:
        return False
    due = _last_due(now, mentat.desk_mail, mentat.timezone)
    with reading(open_games.engine) as conn:
        if not _is_due(conn, due, now):
            return False
    with open_games.busy, writing(open_games.engine) as conn:
        known = installation.heartbeat(conn, "desk")
        if not _is_due(conn, due, now):
            return False
        installation.beat(conn, "desk", due)
        if known is None or known.at > due:
            return False  # a new installation, or a clock that was a year ahead yesterday: start tomorrow
        found = desk_now(conn, open_games.settings, now)
        own = events(Session(conn, open_games, now))
        found = replace(found, matters=[matter for matter in found.matters if matter.game not in own.events])
        if not (found.matters or own.blocks or mentat.desk_mail_always):
            return False
        _write_daily_letter(Session(conn, open_games, now), found, due, own)
    return True


def _is_due(conn: Connection, due: datetime, now: datetime) -> bool:
    known = installation.heartbeat(conn, "desk")
    return known is None or known.at < due or known.at > now + A_DAY


def _last_due(now: datetime, wall: time, zone: ZoneInfo) -> datetime:
    today = now.astimezone(zone).date()
    days = (instant_at(today - A_DAY * back, wall, zone) for back in range(3))
    return next(moment for moment in days if moment <= now)


MOST_READY = 12  # the most buttons in a letter


def _ready_lines(found: Desk) -> Iterator[str]:
    own = {each.game.id for each in found.games if each.own}  # the game master must not see the desks of these games
    for matter in found.matters:
        number = matter.numbers[0] if matter.numbers else 0
        if matter.game not in own and (lines := find(f"desk-ready.{matter.kind}")):
            facts = {"game": matter.game, "faction": matter.faction, "number": number}
            yield from lines.render(facts).split("; ")


def _write_daily_letter(session: Session, found: Desk, due: datetime, own: EventBlocks) -> None:
    from bot.games.letter_writer import master_token
    from bot.render import letters

    zone = session.settings.mentat.timezone
    ready = list(_ready_lines(found))[:MOST_READY]
    today, count = day_and_month(due.astimezone(zone).date()), len(found.matters) + own.needs
    subject = say("desk-look.subject", day=today, matters=count) if count else say("desk-look.quiet-subject", day=today)
    opening = say("desk-look.opening")
    body = [
        *desk_blocks(found, zone, machine=False),
        *own.blocks,
        Paragraph(opening, "small"),
        *(Paragraph(say("desk-look.answer", game=each.game.id), "small") for each in found.games[:1]),
        *([session.writer.buttons(master_token(session.settings), ready)] if ready else []),
        Paragraph(say("desk-look.often"), "small"),
    ]
    rendered = letters.to_game_master(subject, body, opening)
    session.writer.send(session.settings.mentat.game_master, rendered, f"desk.{stamp(due)}")
