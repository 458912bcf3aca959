"""The permanent history of a game: its log, the act log, rollbacks, and the record.

Log entries are stored as JSON; the same entry is always written as the same bytes. A rollback's row stores how far it
went back and why, and the entries that it cut, so that it can be undone.

The record grows while the game is played. It consists of lines, in a table that is never changed or cut. Each
transaction adds one row with everything that was decided, drawn and reported. A rollback adds a line, and the lines
that it undid are kept. If a game that an older Mentat began is continued, the earlier part of its record is made from
its log.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime
from itertools import zip_longest
from typing import TYPE_CHECKING

import msgspec
from msgspec.structs import replace
from sqlalchemy import Connection, bindparam, func, insert, select, update

from bot.record.lines import Act, Chain, Decided, End, Head, Recorder, Told, Words, decode, digest, whole_record
from bot.record.reader import CountingLine, NotARecord, counting_lines, difference_from_play
from bot.store.acts import DeskAct, acts_of, log_act
from bot.store.database import pack, unpack
from bot.store.rows import add_value, load_all, table_of
from bot.store.tables import DROPPED_ENTRY, ENTRY, EVENT, GAME, RECORD_PART, SNAPSHOT
from bot.table.table import Seat, Table
from rules.components import Faction
from rules.engine.log import Entry, Submitted
from rules.orders import AnyOrder, Truthtrance
from rules.state import events

if TYPE_CHECKING:
    from rules.engine.play import Play

_entry_encoder = msgspec.json.Encoder(order="deterministic")
_entry_decoder: msgspec.json.Decoder[Entry] = msgspec.json.Decoder(Entry)


def encode_entry(entry: Entry) -> bytes:
    return _entry_encoder.encode(entry)


def decode_entry(data: bytes | str) -> Entry:
    """Decode a log entry. A question under Truthtrance is logged together with its reading. Old games logged such
    questions without a reading, so their questions are read again each time, by the rules of that time. Raise
    msgspec.ValidationError if the data is not an entry."""
    entry = _entry_decoder.decode(data)
    if isinstance(entry, Submitted) and any(isinstance(order, Truthtrance) for order in entry.orders):
        return replace(entry, orders=tuple(_read_entry(order, entry.faction) for order in entry.orders))
    return entry


def _read_entry(order: AnyOrder, faction: Faction) -> AnyOrder:
    """Return the order together with its reading. A question that was once accepted always counts as a question about
    the game."""
    from bot.language.truthtrance import with_reading

    made = with_reading(order, faction)
    if made is not order and isinstance(made, Truthtrance) and made.reading is not None and made.reading.off_topic:
        return replace(made, reading=replace(made.reading, off_topic=False))
    return made


def is_as_written(data: bytes) -> bool:
    """Return True if this program would write a stored entry as exactly these bytes. Raise msgspec.ValidationError if
    the data is not an entry."""
    return encode_entry(_entry_decoder.decode(data)) == data


def log_of(conn: Connection, game_id: str, first: int = 0) -> list[Entry]:
    return [decode_entry(data) for data in log_data(conn, game_id, first)]


def log_data(conn: Connection, game_id: str, first: int = 0) -> list[bytes]:
    found = select(ENTRY.c.data).where(ENTRY.c.game_id == game_id, ENTRY.c.number >= first).order_by(ENTRY.c.number)
    return [unpack(data) for (data,) in conn.execute(found)]


@dataclass(frozen=True, slots=True)
class LoggedEntry:
    at: datetime
    entry: Entry


def logged_entries(conn: Connection, game_id: str) -> list[LoggedEntry]:
    found = select(ENTRY.c.at, ENTRY.c.data).where(ENTRY.c.game_id == game_id).order_by(ENTRY.c.number)
    return [LoggedEntry(row.at, decode_entry(unpack(row.data))) for row in conn.execute(found)]


def note_act(conn: Connection, table: Table, what: str, why: str, now: datetime) -> None:
    """Log an act. ``why`` is not for the players. Add the part of it that is fit for the archive to the record."""
    record_act(conn, table, DeskAct(now, what, why))


def record_act(conn: Connection, table: Table, act: DeskAct) -> None:
    log_act(conn, act, game_id=table.id)
    add_act_line(conn, table, act.what, act.told, act.at)


@dataclass(frozen=True, slots=True)
class Rollback:
    """A rollback of a game to its first ``entries`` and ``events``, which led to this turn and phase. ``why`` is what
    the players were told. ``undone`` is true if the rollback was undone, so that the entries that it had cut were
    restored."""

    at: datetime
    entries: int
    events: int
    turn: int
    phase: str
    why: str
    undone: bool = False
    number: int = 0


ROLLBACK = table_of("rollback", Rollback, key="id", index="game_id", refers="game_id", game_id=str)


def add_rollback(conn: Connection, game_id: str, rollback: Rollback) -> int:
    return add_value(conn, rollback, game_id=game_id)


def undo_rollback(conn: Connection, rollback: Rollback) -> None:
    conn.execute(update(ROLLBACK).where(ROLLBACK.c.id == rollback.number).values(undone=True))


def rollbacks_of(conn: Connection, game_id: str) -> list[Rollback]:
    return load_all(conn, Rollback, game_id=game_id)


def last_rollbacks(conn: Connection) -> dict[str, datetime]:
    rows = conn.execute(select(ROLLBACK.c.game_id, func.max(ROLLBACK.c.at).label("at")).group_by(ROLLBACK.c.game_id))
    return {row.game_id: row.at for row in rows}


def keep_dropped_entries(conn: Connection, game_id: str, rollback_id: int, entries: int) -> None:
    cut = select(ENTRY).where(ENTRY.c.game_id == game_id, ENTRY.c.number >= entries).order_by(ENTRY.c.number)
    copied = [column.name for column in ENTRY.c if column.name != "game_id"]
    rows = [
        {"rollback_id": rollback_id, **{name: row[name] for name in copied}} for row in conn.execute(cut).mappings()
    ]
    if rows:
        conn.execute(insert(DROPPED_ENTRY), rows)


def dropped_entries_of(conn: Connection, rollback_id: int) -> list[Entry]:
    found = select(DROPPED_ENTRY.c.data).where(DROPPED_ENTRY.c.rollback_id == rollback_id)
    return [decode_entry(unpack(data)) for data in conn.scalars(found.order_by(DROPPED_ENTRY.c.number))]


logger = logging.getLogger(__name__)

_INSERT_PART = insert(RECORD_PART)
_EVENT = b'{"t":"event",'


def utc_day(moment: datetime) -> date:
    return moment.astimezone(UTC).date()


# --- adding --------------------------------------------------------------------------------------------------------


def begin_record(conn: Connection, table: Table, head: Head) -> None:
    _add(conn, table, [_recorder(table).begin(head)])


def keep_record(conn: Connection, table: Table, now: datetime) -> list[bytes]:
    """Add everything that has happened since the last save to the record, and the end of the game if it has finished.
    Add nothing to a held game, because it was not played by the current rules."""
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
    """Add an act to the record, in words that are fit for the archive. If the record has ended, add nothing. If it has
    not begun, the act is added when it begins."""
    if table.head and table.status != "over":
        line = Act(what=what, why=fit_for_the_archive(what, why, table.seats), day=utc_day(now))
        _add(conn, table, [_recorder(table).act(line)])


def add_rollback_line(conn: Connection, table: Table, entries: int, why: str, now: datetime) -> None:
    """Add a line to the record about a rollback to this many ``entries``. ``table`` is the game after the rollback, not
    yet saved.

    The replay under the current rules may differ from the record even before that point. The record is then rolled back
    to the entry before the first difference, and the later decisions are recorded again as they are replayed.
    """
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
    lines = [decode(line) for line in stored_lines(conn, table.id)]
    return counting_lines([*lines, Act(what="rollback", entries=entries)])


def _recorder(table: Table) -> Recorder:
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
    """Return the head of the record at the beginning of this phase. ``fresh`` are the lines that have just been
    added."""
    for line in fresh:
        if line.startswith(_EVENT):
            told = decode(line)
            if isinstance(told, Told) and told.event.number >= table.play.snapshot.events:
                return told.prev
    return table.head


def head_after(conn: Connection, table: Table, turn: int) -> str:
    """Return the record head that is quoted in letters about a finished turn. It is the same for everybody: the head at
    the beginning of the next phase, or the last head if the game is finished. Return "" if the game was played with an
    older Mentat, which did not store heads."""
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
    """Return the stored lines without their line ends. Raise NotARecord if lines are missing or damaged."""
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
    """Begin the record of a game that an older Mentat began, using its stored log. ``table`` is the current game, not
    yet saved. If the log can no longer be replayed, write nothing: `mentat game verify` will say why."""
    try:
        lines = record_made_late(conn, head, table.seed, table.words_key, table.seats)
    except NotARecord as error:
        logger.error("%s has no record yet: %s", table.id, error)
        return
    _add(conn, table, lines)


def record_made_late(
    conn: Connection, head: Head, seed: str, words_key: bytes, seats: Mapping[Faction, Seat]
) -> list[bytes]:
    """Make the record of a game from its stored log. Raise NotARecord if replaying the log today leads to a different
    game."""
    story = list(story_of(conn, head.game, seats))
    ended = next((part.day for part in reversed(story) if isinstance(part, Decided)), None)
    try:
        lines = list(whole_record(head, seed, story, words_key, ended))
    except Exception as error:  # changed rules may fail in any way
        raise NotARecord(f"the log of {head.game} cannot be replayed: {type(error).__name__}: {error}") from error
    words = Words(words_key)
    told = [events.encode(words.told(events.decode(data)).event) for data in _event_data(conn, head.game)]
    made = [events.encode(line.event) for _, line in counting_lines(map(decode, lines)) if isinstance(line, Told)]
    if told != made[: len(told)]:
        number = next(number for number, pair in enumerate(zip_longest(told, made)) if pair[0] != pair[1])
        raise NotARecord(f"event {number} of {head.game} comes out differently under today's rules")
    return lines


def _event_data(conn: Connection, game_id: str) -> Iterator[bytes]:
    rows = select(EVENT.c.data).where(EVENT.c.game_id == game_id).order_by(EVENT.c.number)
    return (unpack(data) for data in conn.scalars(rows))


def store_record_late(conn: Connection, game_id: str, lines: Sequence[bytes]) -> None:
    _insert(conn, game_id, 0, lines)
    change = {"record_head": digest(lines[-1]), "record_lines": len(lines), "revision": GAME.c.revision + 1}
    conn.execute(update(GAME).where(GAME.c.id == game_id).values(change))


def story_of(conn: Connection, game_id: str, seats: Mapping[Faction, Seat]) -> Iterator[Decided | Act]:
    acts = [
        (each.at, Act(what=each.what, why=fit_for_the_archive(each.what, each.told, seats), day=utc_day(each.at)))
        for each in acts_of(conn, game_id=game_id)
        if each.what != "rollback"  # rollbacks are added with more detail below
    ]
    acts += [
        (
            each.at,
            Act(
                what="rollback",
                why=fit_for_the_archive("rollback", each.why, seats),
                day=utc_day(each.at),
                entries=each.entries,
            ),
        )
        for each in rollbacks_of(conn, game_id)
    ]
    acts.sort(key=lambda act: act[0], reverse=True)
    entries = logged_entries(conn, game_id)
    for number, logged in enumerate(entries):
        while acts and acts[-1][0] <= logged.at:
            yield _at(acts.pop()[1], number)
        yield Decided(n=number, day=utc_day(logged.at), entry=logged.entry)
    while acts:
        yield _at(acts.pop()[1], len(entries))


def _at(act: Act, entries: int) -> Act:
    """Return the act for a record with this many entries before it. A rollback cannot go back to more entries than
    that, because the entries that it undid are no longer in the log."""
    return act if act.entries is None else replace(act, entries=min(act.entries, entries))


# --- words ---------------------------------------------------------------------------------------------------------


def fit_for_the_archive(what: str, why: str, seats: Mapping[Faction, Seat]) -> str:
    """Return the part of an act's reason that may be published one day. It names people only by their faction, and
    omits the time of an outage."""
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
