"""What happened in a game and was done to it, for good: its log, the act log, rollbacks, and the record.

The entries of the log lie in the database as JSON, the same bytes each time. The act log says what a game master or the
calendar did to a game, by whom and why; it is only added to, and never emptied. Of a rollback stays to where it went
and why, and what it cut from the log, so that it can be undone.

The record is kept while the game is played, as lines in a table that is only added to, never changed or cut. What a
transaction decided, drew and told is added in it, as one row. A rollback adds a line that says so; what it undid stays.
Games of an older Mentat get their record so far from their log when they go on.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime
from itertools import zip_longest
from typing import Literal

import msgspec
from msgspec.structs import replace
from sqlalchemy import Connection, bindparam, func, insert, select, update

from bot.language.truthtrance import with_reading
from bot.record.lines import Act, Chain, Decided, End, Head, Recorder, Told, Words, decode, digest, whole_record
from bot.record.reader import CountingLine, NotARecord, counting_lines, difference_from_play
from bot.store.database import pack, unpack
from bot.store.tables import ACT, DROPPED_ENTRY, ENTRY, EVENT, GAME, RECORD_PART, ROLLBACK, SNAPSHOT
from bot.table.seat import Seat
from bot.table.table import Table
from rules.components import Faction
from rules.engine.log import Entry, Submitted
from rules.engine.play import Play
from rules.orders import AnyOrder, Truthtrance
from rules.state import events

_entry_encoder = msgspec.json.Encoder(order="deterministic")
_entry_decoder: msgspec.json.Decoder[Entry] = msgspec.json.Decoder(Entry)


def encode_entry(entry: Entry) -> bytes:
    """A log entry as JSON, the same bytes each time."""
    return _entry_encoder.encode(entry)


def decode_entry(data: bytes | str) -> Entry:
    """A log entry from its JSON, questions under Truthtrance with their reading; msgspec.ValidationError if it is none.

    Logs of games that began before readings were written hold questions without one: they are read here, each time,
    as they were read then.
    """
    entry = _entry_decoder.decode(data)
    if isinstance(entry, Submitted) and any(isinstance(order, Truthtrance) for order in entry.orders):
        return replace(entry, orders=tuple(_read_entry(order, entry.faction) for order in entry.orders))
    return entry


def _read_entry(order: AnyOrder, faction: Faction) -> AnyOrder:
    """The order with its reading; a question that was taken once stays one about the game."""
    made = with_reading(order, faction)
    if made is not order and isinstance(made, Truthtrance) and made.reading is not None and made.reading.off_topic:
        return replace(made, reading=replace(made.reading, off_topic=False))
    return made


def is_as_written(data: bytes) -> bool:
    """Whether a stored entry is, byte for byte, what this program writes; msgspec.ValidationError if it is no entry."""
    return encode_entry(_entry_decoder.decode(data)) == data


def log_of(conn: Connection, game_id: str, first: int = 0) -> list[Entry]:
    """The entries of a game's log from a number on."""
    return [decode_entry(data) for data in log_data(conn, game_id, first)]


def log_data(conn: Connection, game_id: str, first: int = 0) -> list[bytes]:
    """The entries of a game's log from a number on, byte for byte as they were written."""
    found = select(ENTRY.c.data).where(ENTRY.c.game_id == game_id, ENTRY.c.number >= first).order_by(ENTRY.c.number)
    return [unpack(data) for (data,) in conn.execute(found)]


@dataclass(frozen=True, slots=True)
class LoggedEntry:
    """An entry, and when it was written."""

    at: datetime
    entry: Entry


def logged_entries(conn: Connection, game_id: str) -> list[LoggedEntry]:
    """The whole log of a game, with the instants."""
    found = select(ENTRY.c.at, ENTRY.c.data).where(ENTRY.c.game_id == game_id).order_by(ENTRY.c.number)
    return [LoggedEntry(row.at, decode_entry(unpack(row.data))) for row in conn.execute(found)]


CalendarEvent = Literal["outage", "silence"]
"""What the calendar does to a game."""

Power = Literal[
    "address", "ask", "ban", "bank", "blind", "break-glass", "caretaker", "clock", "default", "delete", "end",
    "excuse", "extend", "freeze", "grant", "handover", "hold", "last-turn", "mute", "note", "observe", "observe-full",
    "order", "pause", "forum-link", "forum-open", "forum-close", "forum-paste", "forum-repost",
    "position", "predict", "press", "preview", "process", "release", "remind", "replace", "resume", "revoke",
    "rollback", "rule", "sitter", "tell", "unban", "undo", "unmute", "unobserve", "warn",
]  # fmt: skip
"""What a game master can do to a game."""

ActName = CalendarEvent | Power


@dataclass(frozen=True, slots=True)
class GameAct:
    """Something that was done to a game: ``words`` says what exactly, ``who`` (an address, "" for the calendar or
    whoever types at the machine) did it by which ``right``, and ``why``, for the record. ``tell`` is what the table was
    told of it in their own words."""

    at: datetime
    what: ActName
    why: str = ""
    who: str = ""
    right: str = ""
    words: str = ""
    tell: str = ""

    @property
    def told(self) -> str:
        """What was done and why, in one line."""
        return ": ".join(part for part in (self.words, self.why) if part)


def log_act(conn: Connection, game_id: str, act: GameAct) -> None:
    """Write down what was done to a game (``bot.store.record`` puts it into the record of the game too)."""
    row = {
        "game_id": game_id, "at": act.at, "what": act.what, "why": act.why, "who": act.who, "right": act.right,
        "words": act.words, "tell": act.tell,
    }  # fmt: skip
    conn.execute(insert(ACT), row)


def acts_of_game(conn: Connection, game_id: str) -> list[GameAct]:
    """What was done to a game, in order."""
    rows = conn.execute(select(ACT).where(ACT.c.game_id == game_id).order_by(ACT.c.id))
    return [GameAct(row.at, row.what, row.why, row.who, row.right, row.words, row.tell) for row in rows]


def note_act(conn: Connection, table: Table, what: ActName, why: str, now: datetime) -> None:
    """Something was done to a game. ``why`` is not for the players; the record has of it what is fit for the
    archive."""
    record_act(conn, table, GameAct(now, what, why))


def record_act(conn: Connection, table: Table, act: GameAct) -> None:
    """Write an act into the log and, as far as it is fit for the archive, into the record of the game."""
    log_act(conn, table.id, act)
    add_act_line(conn, table, act.what, act.told, act.at)


@dataclass(frozen=True, slots=True)
class Rollback:
    """A game was taken back to where it had so many log ``entries`` and ``events``, in this turn and phase."""

    at: datetime
    entries: int
    events: int
    turn: int
    phase: str
    why: str
    undone: bool = False
    number: int = 0


def add_rollback(conn: Connection, game_id: str, rollback: Rollback) -> int:
    """Write down that a game was taken back; the number of the rollback."""
    row = {
        "game_id": game_id, "at": rollback.at, "entries": rollback.entries, "events": rollback.events,
        "turn": rollback.turn, "phase": rollback.phase, "why": rollback.why,
    }  # fmt: skip
    return int(conn.execute(insert(ROLLBACK).values(row).returning(ROLLBACK.c.id)).scalar_one())


def undo_rollback(conn: Connection, rollback: Rollback) -> None:
    """What it had cut was put back."""
    conn.execute(update(ROLLBACK).where(ROLLBACK.c.id == rollback.number).values(undone=True))


def rollbacks_of(conn: Connection, game_id: str) -> list[Rollback]:
    """How often a game was taken back, in order."""
    rows = conn.execute(select(ROLLBACK).where(ROLLBACK.c.game_id == game_id).order_by(ROLLBACK.c.id))
    return [Rollback(row.at, row.entries, row.events, row.turn, row.phase, row.why, row.undone, row.id) for row in rows]


def last_rollbacks(conn: Connection) -> dict[str, datetime]:
    """When each game that was ever taken back last was."""
    rows = conn.execute(select(ROLLBACK.c.game_id, func.max(ROLLBACK.c.at).label("at")).group_by(ROLLBACK.c.game_id))
    return {row.game_id: row.at for row in rows}


def keep_dropped_entries(conn: Connection, game_id: str, rollback_id: int, entries: int) -> None:
    """Keep what a rollback to so many entries is about to cut, as it stands in the log."""
    cut = select(ENTRY).where(ENTRY.c.game_id == game_id, ENTRY.c.number >= entries).order_by(ENTRY.c.number)
    rows = [
        {"rollback_id": rollback_id, "number": row.number, "at": row.at, "data": row.data,
         "message_id": row.message_id, "sheet": row.sheet}
        for row in conn.execute(cut)
    ]  # fmt: skip
    if rows:
        conn.execute(insert(DROPPED_ENTRY), rows)


def dropped_entries_of(conn: Connection, rollback_id: int) -> list[Entry]:
    """The entries that a rollback has cut, in their order."""
    found = select(DROPPED_ENTRY.c.data).where(DROPPED_ENTRY.c.rollback_id == rollback_id)
    return [decode_entry(unpack(data)) for data in conn.scalars(found.order_by(DROPPED_ENTRY.c.number))]


logger = logging.getLogger(__name__)

_INSERT_PART = insert(RECORD_PART)
_EVENT = b'{"t":"event",'


def utc_day(moment: datetime) -> date:
    """The day in UTC; nothing in a record is told more exactly."""
    return moment.astimezone(UTC).date()


# --- adding --------------------------------------------------------------------------------------------------------


def begin_record(conn: Connection, table: Table, head: Head) -> None:
    """The first line of a new game."""
    _add(conn, table, [_recorder(table).begin(head)])


def keep_record(conn: Connection, table: Table, now: datetime) -> list[bytes]:
    """Add what happened since the game was saved last, and the end of one that is over. Nothing is added to the record
    of a game that is held: its rules are not those by which it was played."""
    play = table.play
    if table.status == "held" or not table.head:
        return []
    lines = []
    if play.events or len(play.log) > table.entries - play.entries_before:
        recorder = _recorder(table)
        lines = recorder.fresh(play, utc_day(now))
        if play.over and table.status != "over":
            lines.append(recorder.end(_end(play, utc_day(now), table.seed)))
        _add(conn, table, lines)
    return lines


def add_act_line(conn: Connection, table: Table, what: str, why: str, now: datetime) -> None:
    """Add what was done to a game, in words that are fit for the archive; nothing where the record has ended, or has
    not begun (then it is among what is added when it begins)."""
    if table.head and table.status != "over":
        line = Act(what=what, why=fit_for_the_archive(what, why, table.seats), day=utc_day(now))
        _add(conn, table, [_recorder(table).act(line)])


def add_rollback_line(conn: Connection, table: Table, entries: int, why: str, now: datetime) -> None:
    """Add that the game was taken back to so many ``entries``. ``table`` is the game as it is then, not yet saved.

    Where the rules lead to something else now than the record says, it is taken back to before that, and what was
    decided since is recorded again as it comes out now."""
    if not table.head:
        return
    changed = difference_from_play(_undone(conn, table, entries), table.play, table.words_key)
    since = min(entries, changed.entry) if changed else entries
    recorder = _recorder(table)
    fit = fit_for_the_archive("rollback", why, table.seats)
    _add(conn, table, [recorder.act(Act(what="rollback", why=fit, day=utc_day(now), entries=since))])
    if since < entries:
        _add(conn, table, recorder.fresh(table.play, None))


def _undone(conn: Connection, table: Table, entries: int) -> list[CountingLine]:
    """The lines that count once the game was taken back to so many entries."""
    lines = [decode(line) for line in stored_lines(conn, table.id)]
    return counting_lines([*lines, Act(what="rollback", entries=entries)])


def _recorder(table: Table) -> Recorder:
    """Goes on where the table was saved last: what it holds in memory is what is not recorded yet."""
    play = table.play
    so_far, chain = play.so_far, Chain(table.seed, table.head or digest(b""), table.lines)
    told, drawn = so_far.events - len(play.events), so_far.draws - len(play.game.draws)
    return Recorder(chain, table.entries, told, table.words_key, drawn)


def _add(conn: Connection, table: Table, lines: Sequence[bytes]) -> None:
    if lines:
        _insert(conn, table.id, table.lines, lines)
        table.head, table.lines = digest(lines[-1]), table.lines + len(lines)


def _insert(conn: Connection, game_id: str, first: int, lines: Sequence[bytes]) -> None:
    data = b"".join([line + b"\n" for line in lines])
    conn.execute(_INSERT_PART, {"game_id": game_id, "first": first, "data": pack(data)})


def _end(play: Play, day: date | None, seed: str) -> End:
    return End(turn=play.state.turn, winners=tuple(play.state.winners), day=day, seed=seed)


# --- heads ---------------------------------------------------------------------------------------------------------


def head_before_phase(table: Table, fresh: Iterable[bytes]) -> str:
    """The head of the record when the present phase began. ``fresh`` are the lines that were just added."""
    for line in fresh:
        if line.startswith(_EVENT):
            told = decode(line)
            if isinstance(told, Told) and told.event.number >= table.play.snapshot.events:
                return told.prev
    return table.head


def head_after(conn: Connection, table: Table, turn: int) -> str:
    """The head of the record as letters about a turn that has ended tell it, the same to everybody: that when the next
    phase began, or the last of a game that is over. "" where an older Mentat kept none."""
    head = conn.execute(_HEAD_AFTER, {"of": table.id, "turn": turn}).scalar()
    return head or (table.head if table.play.over else "")


_HEAD_AFTER = (
    select(SNAPSHOT.c.head)
    .where(SNAPSHOT.c.game_id == bindparam("of"), SNAPSHOT.c.turn > bindparam("turn"), SNAPSHOT.c.head != "")
    .order_by(SNAPSHOT.c.number)
    .limit(1)
)


# --- reading -------------------------------------------------------------------------------------------------------


def stored_lines(conn: Connection, game_id: str) -> list[bytes]:
    """The lines as they are stored, without their ends of line. NotARecord if some are missing or damaged."""
    lines: list[bytes] = []
    parts = select(RECORD_PART.c.first, RECORD_PART.c.data).where(RECORD_PART.c.game_id == game_id)
    for first, data in conn.execute(parts.order_by(RECORD_PART.c.first)):
        if first != len(lines):
            raise NotARecord(f"it is not in the database; what comes next there is line {first + 1}.", len(lines) + 1)
        part = unpack(data)
        if not part.endswith(b"\n"):
            raise NotARecord("it cannot be read: the part of the record that begins with it is damaged.", first + 1)
        lines += part.splitlines()
    return lines


# --- games of an older Mentat --------------------------------------------------------------------------------------


def begin_record_late(conn: Connection, table: Table, head: Head) -> None:
    """The record so far of a game that an older Mentat began, from what is stored of it. ``table`` is the game as it
    goes on now, not yet saved. Nothing is written where the log does not play: `mentat game verify` says why."""
    try:
        lines = record_made_late(conn, head, table.seed, table.words_key, table.seats)
    except NotARecord as error:
        logger.error("%s has no record yet: %s", table.id, error)
        return
    _add(conn, table, lines)


def record_made_late(
    conn: Connection, head: Head, seed: str, words_key: bytes, seats: Mapping[Faction, Seat]
) -> list[bytes]:
    """The record of a game from what is stored of it. NotARecord if its log leads to something else today."""
    story = list(story_of(conn, head.game, seats))
    ended = next((part.day for part in reversed(story) if isinstance(part, Decided)), None)
    try:
        lines = list(whole_record(head, seed, story, words_key, ended))
    except Exception as error:  # whatever has changed since may lead anywhere
        raise NotARecord(f"the log of {head.game} does not play any more: {type(error).__name__}: {error}") from error
    words = Words(words_key)
    told = [events.encode(words.told(events.decode(data)).event) for data in _event_data(conn, head.game)]
    made = [events.encode(line.event) for _, line in counting_lines(map(decode, lines)) if isinstance(line, Told)]
    if told != made[: len(told)]:
        number = next(number for number, pair in enumerate(zip_longest(told, made)) if pair[0] != pair[1])
        raise NotARecord(f"event {number} of {head.game} comes out otherwise by the rules of today")
    return lines


def _event_data(conn: Connection, game_id: str) -> Iterator[bytes]:
    rows = select(EVENT.c.data).where(EVENT.c.game_id == game_id).order_by(EVENT.c.number)
    return (unpack(data) for data in conn.scalars(rows))


def store_record_late(conn: Connection, game_id: str, lines: Sequence[bytes]) -> None:
    """Keep the record of a finished game that was made now."""
    _insert(conn, game_id, 0, lines)
    change = {"record_head": digest(lines[-1]), "record_lines": len(lines), "revision": GAME.c.revision + 1}
    conn.execute(update(GAME).where(GAME.c.id == game_id).values(change))


def story_of(conn: Connection, game_id: str, seats: Mapping[Faction, Seat]) -> Iterator[Decided | Act]:
    """The stored log of a game, and between the entries what its game master did, as far as that is known."""
    acts = [
        (each.at, Act(what=each.what, why=fit_for_the_archive(each.what, each.told, seats), day=utc_day(each.at)))
        for each in acts_of_game(conn, game_id)
        if each.what != "rollback"  # of which more is known
    ]
    acts += [
        (each.at, Act(what="rollback", why=fit_for_the_archive("rollback", each.why, seats), day=utc_day(each.at),
                      entries=each.entries))
        for each in rollbacks_of(conn, game_id)
    ]  # fmt: skip
    acts.sort(key=lambda act: act[0], reverse=True)
    entries = logged_entries(conn, game_id)
    for number, logged in enumerate(entries):
        while acts and acts[-1][0] <= logged.at:
            yield _at(acts.pop()[1], number)
        yield Decided(n=number, day=utc_day(logged.at), entry=logged.entry)
    while acts:
        yield _at(acts.pop()[1], len(entries))


def _at(act: Act, entries: int) -> Act:
    """The act after so many entries; what a rollback undid is left out, as no later rollback can go back to it."""
    return act if act.entries is None else replace(act, entries=min(act.entries, entries))


# --- words ---------------------------------------------------------------------------------------------------------


def fit_for_the_archive(what: str, why: str, seats: Mapping[Faction, Seat]) -> str:
    """What of the reason for an act may be published one day: of a person no more than which faction they play, of an
    outage not when it was."""
    if what in ("replace", "address", "freeze", "forum-link"):
        return why.partition(":")[0]
    if what == "outage":
        return why.partition(" ")[0]
    for seat in seats.values():
        for name in (seat.address, seat.name):
            if name:
                why = re.sub(rf"(?<!\w){re.escape(name)}(?!\w)", seat.faction, why, flags=re.IGNORECASE)
    return _ADDRESS.sub("(address)", why)


_ADDRESS = re.compile(r"[^\s<>,;:]+@[^\s<>,;:]+")
