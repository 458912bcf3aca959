"""Games in the database: opening them from their last snapshot, and saving them, with their sheets and everything that
has happened since.

Opening a game replays at most one phase (``rules.engine.play``). Saving adds new entries and events, the new snapshot,
changed deadlines, and the lines of the record. Stored rows never change, with two exceptions: a rollback cuts the log,
but not the record, and when a new snapshot is stored, the previous one is reduced to its digest.

Sheets keep every line that was ever filed, together with its status. A line is stored in canonical form and parsed
again when the game is opened. Only active lines, and lines about which something must still be reported, are parsed.
While a game is on hold, its players' orders are kept mail by mail.
"""

from __future__ import annotations

import hashlib
import json
import secrets
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from sqlalchemy import Column, Connection, Integer, bindparam, delete, func, insert, or_, select, update
from sqlalchemy import Table as SqlTable
from sqlalchemy.engine import Row

from bot.config.values import ArchivePolicy, policy_of
from bot.press import consents_in, settings_in
from bot.record.lines import KEY_BYTES, Head
from bot.store import deadlines, record
from bot.store.database import NO_INSTANT, pack, unpack
from bot.store.mail import LETTER
from bot.store.record import ROLLBACK, encode_entry, log_of
from bot.store.rows import (
    METADATA,
    Lines,
    add_value,
    add_values,
    any_row,
    columns_of,
    fetch,
    load_all,
    query,
    row_of,
    table_of,
)
from bot.store.tables import DEADLINE, DROPPED_ENTRY, ENTRY, EVENT, GAME, MESSAGE, OVERRUN, SEAT, SHEET, SNAPSHOT
from bot.table.table import Seat, Table
from rules.components import Faction, as_faction
from rules.engine.log import Snapshot
from rules.orders import Order
from rules.state import events
from rules.state.events import Event

if TYPE_CHECKING:
    from bot.language.sheets import FiledLine, Sheet, SheetLine
    from bot.table.clock import GameClock
    from rules.engine.play import Play
    from rules.rulesets.ruleset import RuleSet


class Sealed(ValueError):
    """The game is played blind, so its secrets are hidden. The message says how to read them anyway."""


class UnknownGame(LookupError):
    pass


def rule_set(name: str, options: Mapping[str, Any]) -> RuleSet:
    from rules.engine.catalogue import load_rule_set

    return load_rule_set(name).with_options(options)


def create(conn: Connection, table: Table, commitment: str, rules_digest: str, now: datetime) -> None:
    table.words_key = table.words_key or secrets.token_bytes(KEY_BYTES)
    conn.execute(
        insert(GAME),
        {
            "id": table.id, "ruleset": table.ruleset, "options": json.dumps(table.options, sort_keys=True),
            "seed": table.seed, "commitment": commitment, "status": table.status, "turn": 1, "phase": "setup",
            "created_at": now, "entries": 0, "events": 0, "rules_digest": rules_digest, "winners": "",
            "revision": 0, "tempo": table.tempo, "clock": json.dumps(table.clock, sort_keys=True),
            "stopped_at": None, "stopped_why": "", "call": "", "call_due": None,
            "archive": table.policy.words, "record_head": "", "record_lines": 0, "record_key": table.words_key,
            "press": table.press, "blind": table.blind, "on_hold": None,
        },
    )  # fmt: skip
    add_values(conn, table.seats.values(), game_id=table.id)
    record.begin_record(conn, table, head_of(conn, table.id))


def open_table(conn: Connection, game_id: str) -> Table:
    """Open a game from its last snapshot and the entries that follow it. Raise UnknownGame if there is no such game."""
    from rules.engine.play import Play

    row = game_row(conn, game_id)
    options = json.loads(row.options)
    rules = rule_set(row.ruleset, options)
    seats = seats_of(conn, game_id)
    last = conn.execute(
        select(SNAPSHOT).where(SNAPSHOT.c.game_id == game_id).order_by(SNAPSHOT.c.number.desc()).limit(1)
    ).one()
    snapshot = Snapshot(unpack(last.state), last.turn, last.phase, last.entries, last.events)
    play = Play.resume(rules, row.seed, snapshot, log_of(conn, game_id, last.entries))
    _forget_what_is_written(play)
    recent = events_of(conn, game_id, min(seat.told for seat in seats.values()))
    table = Table(
        game_id,
        row.ruleset,
        options,
        row.seed,
        play,
        seats,
        row.status,
        row.entries,
        row.events,
        (last.number, last.turn, last.phase),
        row.revision,
        deadlines.load_deadlines(conn, game_id),
        recent,
        tempo=row.tempo,
        clock=json.loads(row.clock),
        stopped_at=row.stopped_at,
        stopped_why=row.stopped_why,
        call=row.call,
        call_due=row.call_due,
        policy=policy_of(row.archive),
        absences=deadlines.load_absences(conn, game_id),
        overruns=deadlines.load_overruns(conn, game_id),
        sheets=load_sheets(conn, game_id, seats),
        on_hold=row.on_hold,
        press=row.press,
        blind=row.blind,
        head=row.record_head,
        lines=row.record_lines,
        words_key=row.record_key,
    )
    ready_for_deputies(conn, table)
    return table


def ready_for_deputies(conn: Connection, table: Table) -> None:
    """Load the events that deputies need: all events if Mentat plays a seat, otherwise the events of this turn for the
    sheet lines."""
    if table.turn_events is None and any(sheet.lines for sheet in table.sheets.values()):
        table.turn_events = events_of_turn(conn, table.id, table.play.state.turn)
    if table.past is None and any(seat.opponent for seat in table.seats.values()):
        table.past = events_of(conn, table.id)


def save(
    conn: Connection,
    table: Table,
    now: datetime,
    clock: GameClock,
    message_id: int | None = None,
    *,
    recorded: bool = False,
) -> None:
    """Write what has happened since the table was opened or last saved. The ``clock`` says when new questions are due.
    ``recorded`` is true if the game's record already contains these changes."""
    play = table.play
    if not table.head and table.status == "running":
        record.begin_record_late(conn, table, head_of(conn, table.id))
    lines = [] if recorded else record.keep_record(conn, table, now)
    fresh = play.log[table.entries - play.entries_before :]
    if fresh:
        conn.execute(
            _INSERT_ENTRY,
            [
                {
                    "game_id": table.id,
                    "number": number,
                    "at": now,
                    "data": pack(encode_entry(entry)),
                    "message_id": None if number in table.by_sheet else message_id,
                    "sheet": table.by_sheet.get(number, ""),
                }
                for number, entry in enumerate(fresh, table.entries)
            ],
        )
        table.by_sheet.clear()
    told = [(event, events.encode(event)) for event in play.events if event.number >= table.events]
    if told:
        conn.execute(
            _INSERT_EVENT,
            [
                {"game_id": table.id, "number": event.number, "turn": event.turn, "data": pack(data)}
                for event, data in told
            ],
        )
        fresh_events = [events.decode(data) for _, data in told]  # a copy: the original's facts may be in use
        table.recent += fresh_events
        if table.past is not None:
            table.past += fresh_events
        if table.turn_events is not None:
            table.turn_events = [e for e in (*table.turn_events, *fresh_events) if e.turn == play.state.turn]
    number, *where = table.snapshot
    if where != [play.snapshot.turn, play.snapshot.phase]:
        table.snapshot = (number + 1, play.snapshot.turn, play.snapshot.phase)
        head = record.head_before_phase(table, lines)
        conn.execute(_INSERT_SNAPSHOT, _snapshot_row(table.id, number + 1, play.snapshot, head))
        conn.execute(_EMPTY_SNAPSHOT, {"of": table.id, "at": number})
    known = table.deadlines
    from bot.table import rounds

    in_round = rounds.clock_in_round(table, clock, now)
    table.deadlines = deadlines.follow_deadlines(conn, table, now, in_round)
    deadlines.follow_absences(conn, table, known, clock)
    deadlines.follow_unreachable(conn, table, known, clock)
    deadlines.follow_overruns(conn, table, known, now)
    table.entries += len(fresh)
    table.events = play.state.events
    if play.over:
        table.status = "over"
    _forget_what_is_written(play)


def _forget_what_is_written(play: Play) -> None:
    """Remove the events, draws and log of past phases from memory once they are stored, as if the game had just been
    opened."""
    del play.events[:], play.game.draws[:]
    play.forget_past_phases()


def close(conn: Connection, table: Table) -> None:
    state = table.play.state
    table.revision += 1
    standing = {
        "status": table.status, "turn": state.turn, "phase": state.phase, "entries": table.entries,
        "events": table.events, "winners": ",".join(state.winners), "revision": table.revision,
        "tempo": table.tempo, "clock": json.dumps(table.clock, sort_keys=True), "stopped_at": table.stopped_at,
        "stopped_why": table.stopped_why, "call": table.call, "call_due": table.call_due,
        "record_head": table.head, "record_lines": table.lines,
        "press": table.press, "blind": table.blind, "on_hold": table.on_hold,
    }  # fmt: skip
    conn.execute(_UPDATE_GAME, {"of": table.id, **standing})
    seats = [row_of(table.seats[faction], of=table.id, seat=faction) for faction in sorted(table.touched)]
    if seats:
        conn.execute(_UPDATE_SEAT, seats)
    save_sheets(conn, table.id, table.sheets, table.now)
    table.touched.clear()
    oldest = min(seat.told for seat in table.seats.values())
    table.recent[:] = [event for event in table.recent if event.number >= oldest]


_INSERT_ENTRY, _INSERT_EVENT, _INSERT_SNAPSHOT = insert(ENTRY), insert(EVENT), insert(SNAPSHOT)
_EMPTY_SNAPSHOT = (
    update(SNAPSHOT)
    .where(SNAPSHOT.c.game_id == bindparam("of"), SNAPSHOT.c.number == bindparam("at"))
    .values(state=b"")
)
_STANDING = (
    "status", "turn", "phase", "entries", "events", "winners", "revision", "tempo", "clock", "stopped_at",
    "stopped_why", "call", "call_due", "record_head", "record_lines", "press", "blind", "on_hold",
)  # fmt: skip
_UPDATE_GAME = update(GAME).where(GAME.c.id == bindparam("of")).values({name: bindparam(name) for name in _STANDING})
_UPDATE_SEAT = (
    update(SEAT)
    .where(SEAT.c.game_id == bindparam("of"), SEAT.c.faction == bindparam("seat"))
    .values({column.name: bindparam(column.name) for column in columns_of(Seat)})
)
"""Statements that run for every message are built once (``bot.store.mail``)."""


def _snapshot_row(game_id: str, number: int, snapshot: Snapshot, head: str) -> dict[str, Any]:
    return {
        "game_id": game_id,
        "number": number,
        "turn": snapshot.turn,
        "phase": snapshot.phase,
        "entries": snapshot.entries,
        "events": snapshot.events,
        "state": pack(snapshot.state),
        "digest": hashlib.sha256(snapshot.state).hexdigest(),
        "head": head,
    }


# --- reading -------------------------------------------------------------------------------------------------------


def game_row(conn: Connection, game_id: str) -> Row[Any]:
    row = conn.execute(_GAME, {"of": game_id}).one_or_none()
    if row is None:
        raise _unknown(game_id)
    return row


_GAME = select(GAME).where(GAME.c.id == bindparam("of"))


def _unknown(game_id: str) -> UnknownGame:
    return UnknownGame(f"There is no game {game_id!r} here; `mentat game list` shows all games.")


def slots_of(conn: Connection, game_id: str) -> int:
    """Return the number of hours between the fixed times at which a running game moves, or 0 if it may move at any
    time."""
    found = conn.execute(_PRESS, {"of": game_id}).first()
    return (settings_in(found.press).slots or 0) if found and found.status != "over" else 0


def with_votes_due(conn: Connection, now: datetime) -> list[str]:
    votes = ((row.id, consents_in(row.press).votes.values()) for row in conn.execute(_WITH_VOTES))
    return [game_id for game_id, own in votes if any(vote.until and vote.until <= now for vote in own)]


_WITH_VOTES = select(GAME.c.id, GAME.c.press).where(
    GAME.c.status == "running", GAME.c.stopped_at == NO_INSTANT, GAME.c.press.contains(";vote.")
)
_PRESS = select(GAME.c.press, GAME.c.status).where(GAME.c.id == bindparam("of"))


def seats_of(conn: Connection, game_id: str) -> dict[Faction, Seat]:
    return {as_faction(seat.faction): seat for seat in fetch(conn, Seat, _SEATS_OF, {"of": game_id})}


_SEATS_OF = query(Seat, SEAT.c.game_id == bindparam("of")).order_by(None).order_by(SEAT.c.dot)


def events_of(conn: Connection, game_id: str, first: int = 0) -> list[Event]:
    return [events.decode(data) for data in event_data(conn, game_id, first)]


def entries_before(conn: Connection, game_id: str, turn: int, phase: str) -> int | None:
    """Return how many entries the log had when a phase began, or None if the game has not reached the phase or has
    skipped it."""
    found = select(SNAPSHOT.c.entries).where(
        SNAPSHOT.c.game_id == game_id, SNAPSHOT.c.turn == turn, SNAPSHOT.c.phase == phase
    )
    return conn.execute(found).scalar_one_or_none()


def events_of_turn(conn: Connection, game_id: str, turn: int) -> list[Event]:
    found = select(EVENT.c.data).where(EVENT.c.game_id == game_id, EVENT.c.turn == turn).order_by(EVENT.c.number)
    return [events.decode(unpack(data)) for (data,) in conn.execute(found)]


def event_data(conn: Connection, game_id: str, first: int = 0) -> list[bytes]:
    found = select(EVENT.c.data).where(EVENT.c.game_id == game_id, EVENT.c.number >= first).order_by(EVENT.c.number)
    return [unpack(data) for (data,) in conn.execute(found)]


def cut(conn: Connection, game_id: str, entries: int) -> None:
    """Delete all log entries after the first ``entries``, and everything that was derived from them. The caller must
    replay the rest and save it."""
    conn.execute(delete(ENTRY).where(ENTRY.c.game_id == game_id, ENTRY.c.number >= entries))
    for derived in (EVENT, SNAPSHOT, DEADLINE, OVERRUN):
        conn.execute(delete(derived).where(derived.c.game_id == game_id))
    cut_sheets(conn, game_id, entries)


def set_policy(conn: Connection, game_id: str, policy: ArchivePolicy) -> None:
    conn.execute(update(GAME).where(GAME.c.id == game_id).values(archive=policy.words))


def was_played(conn: Connection, game_id: str) -> bool:
    """Return True if a person has ever given an order in a game, even if a rollback has since removed that order."""
    from bot.store import forum_posts

    cut = select(ROLLBACK.c.id).where(ROLLBACK.c.game_id == game_id)
    return (
        any_row(conn, ENTRY.c.game_id == game_id, ENTRY.c.message_id.is_not(None))
        or any_row(conn, DROPPED_ENTRY.c.rollback_id.in_(cut), DROPPED_ENTRY.c.message_id.is_not(None))
        or forum_posts.any_taken(conn, game_id)
    )


def in_a_tournament(conn: Connection, game_id: str) -> bool:
    from bot.store.tournament_rounds import TABLE

    return any_row(conn, TABLE.c.game_id == game_id)


def delete_game(conn: Connection, game_id: str) -> None:
    """Delete a game and all its rows, except mail and letters. These are kept, without the game's name, as a log of
    what was received and sent."""
    kept = (MESSAGE, LETTER)
    cut = select(ROLLBACK.c.id).where(ROLLBACK.c.game_id == game_id)
    conn.execute(delete(DROPPED_ENTRY).where(DROPPED_ENTRY.c.rollback_id.in_(cut)))
    for table in every_table():
        if "game_id" in table.columns and table not in kept:
            conn.execute(delete(table).where(table.c.game_id == game_id))
    for left in kept:
        conn.execute(update(left).where(left.c.game_id == game_id).values(game_id=None, faction=None))
    conn.execute(delete(GAME).where(GAME.c.id == game_id))


def every_table() -> list[SqlTable]:
    from bot.store import desk, forum_pastes, forum_threads, lobby, memory, press, ratings  # noqa: F401 - for their tables

    return METADATA.sorted_tables[::-1]


def was_deleted(conn: Connection, game_id: str) -> bool:
    """Return True if letters were sent for a deleted game of this name. A new game of the same name would reuse their
    Message-IDs, and mail programs would treat its letters as duplicates."""
    letters = func.substr(LETTER.c.message_id, 1, len(game_id) + 1) == f"{game_id}."
    return not exists(conn, game_id) and any_row(conn, letters)


def is_blind(conn: Connection, game_id: str) -> bool:
    row = game_row(conn, game_id)
    return bool(row.blind) and row.status != "over"


def require_sight(conn: Connection, game_id: str) -> None:
    """Raise Sealed if a game is played blind and is not over, and UnknownGame if there is no game of that name."""
    if is_blind(conn, game_id):
        raise Sealed(
            f"{game_id} is played blind: nobody at the desk may read sealed information. `mentat game break-glass "
            f"{game_id} --why REASON` opens it, and tells the table at once."
        )


def not_over(conn: Connection) -> list[str]:
    return list(conn.scalars(select(GAME.c.id).where(GAME.c.status != "over").order_by(GAME.c.created_at)))


def going_on(conn: Connection) -> dict[str, str]:
    found = select(GAME.c.id, GAME.c.status).where(GAME.c.status.in_(_GOING_ON)).order_by(GAME.c.created_at, GAME.c.id)
    return {row.id: row.status for row in conn.execute(found)}


_GOING_ON = ("running", "held")


def every(conn: Connection) -> list[str]:
    return list(conn.scalars(select(GAME.c.id).order_by(GAME.c.created_at, GAME.c.id)))


def exists(conn: Connection, game_id: str) -> bool:
    return any_row(conn, GAME.c.id == game_id)


def same_but_for_case(conn: Connection, game_id: str) -> str | None:
    found = select(GAME.c.id).where(func.lower(GAME.c.id) == game_id.lower())
    return conn.scalars(found.order_by(GAME.c.id != game_id)).first()


def revision(conn: Connection, game_id: str) -> int:
    if (found := conn.execute(_REVISION, {"of": game_id}).scalar()) is None:
        raise _unknown(game_id)
    return int(found)


_REVISION = select(GAME.c.revision).where(GAME.c.id == bindparam("of"))


def to_check(conn: Connection, but_not: str) -> list[str]:
    """Return the running and held games that have not yet been checked against the rules with the digest
    ``but_not``."""
    found = select(GAME.c.id).where(GAME.c.status.in_(_GOING_ON), GAME.c.rules_digest != but_not)
    return [game_id for (game_id,) in conn.execute(found)]


def mark_checked(conn: Connection, game_id: str, digest: str, holds: bool) -> None:
    """Record the digest of the rules against which a game was checked. A game that fails the check is held until it
    passes one."""
    changed = {"rules_digest": digest, "status": "running" if holds else "held", "revision": GAME.c.revision + 1}
    conn.execute(update(GAME).where(GAME.c.id == game_id).values(changed))


def check_again(conn: Connection, game_id: str) -> None:
    """Forget that a game was checked, so that the next check replays it."""
    conn.execute(update(GAME).where(GAME.c.id == game_id).values(rules_digest="", revision=GAME.c.revision + 1))


def progress(conn: Connection, game_id: str) -> tuple[int, bool]:
    row = conn.execute(select(GAME.c.turn, GAME.c.status).where(GAME.c.id == game_id)).one()
    return (row.turn, row.status == "over")


@dataclass(frozen=True, slots=True)
class GameStart:
    """The values with which a game began, and the size that its stored data should have: the number of entries, events
    and record ``lines``, and the digest of the last line (``head``)."""

    ruleset: str
    options: Mapping[str, Any]
    seed: str
    commitment: str
    entries: int
    events: int
    over: bool
    head: str
    lines: int
    words_key: bytes


def game_start(conn: Connection, game_id: str) -> GameStart:
    row = game_row(conn, game_id)
    return GameStart(
        row.ruleset, json.loads(row.options), row.seed, row.commitment, row.entries, row.events, row.status == "over",
        row.record_head, row.record_lines, row.record_key,
    )  # fmt: skip


def head_of(conn: Connection, game_id: str) -> Head:
    row = game_row(conn, game_id)
    dots = {faction: seat.dot for faction, seat in seats_of(conn, game_id).items()}
    return Head(
        game=game_id,
        ruleset=row.ruleset,
        options=json.loads(row.options),
        seats=dots,
        rules=row.rules_digest,
        commitment=row.commitment,
        day=record.utc_day(row.created_at),
    )


@dataclass(frozen=True, slots=True)
class KeptSnapshot:
    """A stored snapshot: its ``digest``, and the number of entries and events that come before it. ``unchanged`` is
    true if it is still as it was written. Only the last snapshot of a game is kept ``whole``, except in databases made
    by an older Mentat."""

    digest: str
    entries: int
    events: int
    whole: bool
    unchanged: bool


def kept_snapshots(conn: Connection, game_id: str) -> dict[tuple[int, str], KeptSnapshot]:
    rows = conn.execute(select(SNAPSHOT).where(SNAPSHOT.c.game_id == game_id).order_by(SNAPSHOT.c.number))
    found = {}
    for row in rows:
        whole = bool(row.state)
        unchanged = not whole or hashlib.sha256(unpack(row.state)).hexdigest() == row.digest
        found[row.turn, row.phase] = KeptSnapshot(row.digest, row.entries, row.events, whole, unchanged)
    return found


def load_sheets(conn: Connection, game_id: str, factions: Iterable[Faction]) -> dict[Faction, Sheet]:
    from bot.language.sheets import FiledLine, Sheet

    last = select(SHEET.c.faction, func.max(SHEET.c.number)).where(SHEET.c.game_id == game_id).group_by(SHEET.c.faction)
    sheets = {as_faction(faction): Sheet(next_number=number + 1) for faction, number in conn.execute(last)}
    if not sheets:
        return sheets
    counting = or_(SHEET.c.state == "active", SHEET.c.note != "")
    rows = conn.execute(select(SHEET).where(SHEET.c.game_id == game_id, counting).order_by(SHEET.c.number)).all()
    in_play = frozenset(factions)
    for row in rows:
        faction = as_faction(row.faction)
        sheet = sheets[faction]
        line = _read_filed_line(row.line, faction, in_play)
        if line is None:
            _warn_of_unreadable(conn, game_id, row)
            continue
        sheet.lines.append(
            FiledLine(
                row.number, line, row.line, row.turn, row.left, row.state, row.note, row.filed, row.changed, row.acted
            )
        )
    return sheets


@lru_cache(maxsize=4096)
def _read_filed_line(text: str, faction: Faction, factions: frozenset[Faction]) -> SheetLine | None:
    """Parse a line that is stored in canonical form. A line without a condition is a plain order that was kept for a
    later phase."""
    from bot.language.condition_lines import read_deal_condition
    from bot.language.lines import Context
    from bot.language.orders import read_line
    from bot.language.sheets import SheetLine, read_sheet_line

    context = Context(faction=faction, factions=factions, conditions=read_deal_condition)
    line = read_sheet_line(text, context) or read_line(text, context)
    if isinstance(line, Order):
        return SheetLine(line)
    return line if isinstance(line, SheetLine) else None


def _warn_of_unreadable(conn: Connection, game_id: str, row: Any) -> None:
    """Withdraw a line that an older Mentat filed and this version can no longer parse."""
    this = (SHEET.c.game_id == game_id, SHEET.c.faction == row.faction, SHEET.c.number == row.number)
    conn.execute(update(SHEET).where(*this).values(state="withdrawn", note=""))


def save_sheets(conn: Connection, game_id: str, sheets: Mapping[Faction, Sheet], now: datetime) -> None:
    for faction, sheet in sheets.items():
        changed = [filed for filed in sheet.lines if filed.number in sheet.touched]
        if not changed:
            continue
        there = select(SHEET.c.number).where(SHEET.c.game_id == game_id, SHEET.c.faction == faction)
        known = {number for (number,) in conn.execute(there)}
        fresh = [_sheet_row(game_id, faction, filed, now) for filed in changed if filed.number not in known]
        if fresh:
            conn.execute(insert(SHEET), fresh)
        old = [
            {"of": game_id, "seat": faction, "line_number": filed.number, **_state_of_line(filed)}
            for filed in changed
            if filed.number in known
        ]
        if old:
            conn.execute(_UPDATE_SHEET, old)
        sheet.saved()


def cut_sheets(conn: Connection, game_id: str, entries: int) -> None:
    """As part of a rollback, withdraw the lines that were filed, used or finished when the log was longer than this
    many entries."""
    since = or_(SHEET.c.filed > entries, SHEET.c.changed > entries)
    counted = SHEET.c.state.in_(("active", "used", "over"))
    conn.execute(update(SHEET).where(SHEET.c.game_id == game_id, counted, since).values(state="withdrawn", note=""))


def _state_of_line(filed: FiledLine) -> dict[str, Any]:
    return {name: getattr(filed, name) for name in _STATE_OF_LINE}


def _sheet_row(game_id: str, faction: Faction, filed: FiledLine, now: datetime) -> dict[str, Any]:
    return {
        "game_id": game_id,
        "faction": faction,
        "number": filed.number,
        "line": filed.text,
        "filed_at": now,
        "filed": filed.filed,
        **_state_of_line(filed),
    }


_STATE_OF_LINE = ("turn", "left", "state", "note", "changed", "acted")
_UPDATE_SHEET = (
    update(SHEET)
    .where(
        SHEET.c.game_id == bindparam("of"),
        SHEET.c.faction == bindparam("seat"),
        SHEET.c.number == bindparam("line_number"),
    )
    .values({name: bindparam(name) for name in _STATE_OF_LINE})
)


@dataclass(frozen=True, slots=True)
class HeldLines:
    """The lines of one mail that arrived for a seat while its game was on hold. They are played when the game resumes.
    ``message`` is the number of the mail, or None if a game master entered the lines."""

    faction: Faction
    lines: tuple[str, ...]
    message: int | None
    id: int = 0


HELD_LINES = table_of(
    "held_lines",
    HeldLines,
    Column("lines", Lines, nullable=False),
    Column("message_id", Integer, nullable=True, info={"field": "message"}),
    key="id",
    index="game_id",
    refers="game_id",
    game_id=str,
    at=datetime,
)


def hold_lines(conn: Connection, game_id: str, held: HeldLines, now: datetime) -> None:
    add_value(conn, held, game_id=game_id, at=now)


def take_held_lines(conn: Connection, game_id: str) -> list[HeldLines]:
    taken = load_all(conn, HeldLines, game_id=game_id)
    conn.execute(delete(HELD_LINES).where(HELD_LINES.c.game_id == game_id))
    return taken


def held_lines_of(conn: Connection, game_id: str, faction: Faction) -> list[str]:
    return [line for held in load_all(conn, HeldLines, game_id=game_id, faction=faction) for line in held.lines]


def withdraw_held_lines(conn: Connection, game_id: str, faction: Faction, gone: Collection[str]) -> None:
    for held in load_all(conn, HeldLines, game_id=game_id, faction=faction):
        left = tuple(line for line in held.lines if line not in gone)
        change = update(HELD_LINES).values(lines=left) if left else delete(HELD_LINES)
        conn.execute(change.where(HELD_LINES.c.id == held.id))


def drop_held_lines(conn: Connection, game_id: str, factions: Collection[Faction]) -> None:
    conn.execute(delete(HELD_LINES).where(HELD_LINES.c.game_id == game_id, HELD_LINES.c.faction.in_(factions)))
