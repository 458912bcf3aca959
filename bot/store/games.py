"""Games in the database: opened from their last snapshot, and what happened since written back.

Opening a game replays one phase at most (``rules.play``). Saving adds the new entries and events, the new snapshot
and the changed deadlines; nothing that was written is ever changed, except by a rollback, which cuts the log.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from datetime import datetime, timedelta
from typing import Any

import msgspec
from sqlalchemy import Connection, delete, func, insert, select, update

from bot.store.tables import DEADLINE, ENTRY, EVENT, GAME, SEAT, SNAPSHOT
from rules import events
from rules.components import Faction, as_faction
from rules.events import Event
from rules.play import Entry, Play, Snapshot
from rules.questions import Key
from rules.ruleset import RuleSet, load_rule_set

_entry_encoder = msgspec.json.Encoder(order="deterministic")
_entry_decoder: msgspec.json.Decoder[Entry] = msgspec.json.Decoder(Entry)


class UnknownGame(LookupError):
    """There is no game of that name here."""


@dataclass(slots=True)
class Seat:
    """A player of a game as the moderator knows him. ``told``: how many of the game's events he has been told of."""

    faction: Faction
    dot: int
    address: str
    name: str
    timezone: str
    token: str
    generation: int = 0
    told: int = 0
    letters: int = 0
    last_message_id: str = ""
    unreachable: bool = False


@dataclass(slots=True)
class Table:
    """An open game: its play, its seats, and how much of it is already in the database.

    ``deadlines`` gives each open question the stop it belongs to and the instant it is due.
    """

    id: str
    ruleset: str
    options: Mapping[str, Any]
    seed: str
    play: Play
    seats: dict[Faction, Seat]
    status: str = "running"
    entries: int = 0
    events: int = 0
    snapshot: int = -1  # the number of events before the snapshot last saved
    deadlines: dict[Key, tuple[str, str]] = field(default_factory=dict)


def stamp(moment: datetime) -> str:
    """An instant as the tables hold it.

    >>> from datetime import UTC
    >>> stamp(datetime(2026, 11, 24, 20, 0, tzinfo=UTC))
    '2026-11-24T20:00:00.000000+00:00'
    """
    return moment.isoformat(timespec="microseconds")


def rule_set(name: str, options: Mapping[str, Any]) -> RuleSet:
    """The rule set of a game with its own options."""
    return load_rule_set(name).with_options(options)


def create(conn: Connection, table: Table, commitment: str, now: datetime) -> None:
    """Write a new game and its seats; ``save`` adds what has happened in it."""
    conn.execute(
        insert(GAME),
        {
            "id": table.id, "ruleset": table.ruleset, "options": json.dumps(table.options, sort_keys=True),
            "seed": table.seed, "commitment": commitment, "status": table.status, "turn": 1, "phase": "setup",
            "created_at": stamp(now), "entries": 0, "events": 0, "rules_digest": "", "winners": "",
        },
    )  # fmt: skip
    conn.execute(insert(SEAT), [{"game_id": table.id, **asdict(seat)} for seat in table.seats.values()])


def open_table(conn: Connection, game_id: str) -> Table:
    """A game from its last snapshot and the entries since. UnknownGame if there is none of that name."""
    row = conn.execute(select(GAME).where(GAME.c.id == game_id)).one_or_none()
    if row is None:
        raise UnknownGame(f"There is no game {game_id!r} here.")
    options = json.loads(row.options)
    rules = rule_set(row.ruleset, options)
    seats = seats_of(conn, game_id)
    last = conn.execute(
        select(SNAPSHOT).where(SNAPSHOT.c.game_id == game_id).order_by(SNAPSHOT.c.events.desc()).limit(1)
    ).one()
    snapshot = Snapshot(last.state, last.turn, last.phase, last.entries, last.events)
    play = Play.resume(rules, row.seed, snapshot, log_of(conn, game_id, last.entries))
    deadlines = conn.execute(select(DEADLINE).where(DEADLINE.c.game_id == game_id, ~DEADLINE.c.missed))
    return Table(
        game_id, row.ruleset, options, row.seed, play, seats, row.status, row.entries, row.events, last.events,
        {(as_faction(due.faction), due.kind, due.subject): (due.opened_at, due.due) for due in deadlines},
    )  # fmt: skip


def save(conn: Connection, table: Table, now: datetime, due: datetime, message_id: int | None = None) -> None:
    """Write what happened since the table was opened or last saved. New questions are due at ``due``."""
    play, state = table.play, table.play.state
    fresh = play.log[table.entries - play.entries_before :]
    if fresh:
        at = stamp(now)
        conn.execute(
            insert(ENTRY),
            [
                {"game_id": table.id, "number": number, "at": at, "data": encode(entry), "message_id": message_id}
                for number, entry in enumerate(fresh, table.entries)
            ],
        )
    told = [event for event in play.events if event.number >= table.events]
    if told:
        conn.execute(
            insert(EVENT),
            [
                {"game_id": table.id, "number": event.number, "turn": event.turn, "data": events.encode(event)}
                for event in told
            ],
        )
    if play.snapshot.events != table.snapshot:
        conn.execute(insert(SNAPSHOT), _snapshot_row(table.id, play.snapshot))
    _save_deadlines(conn, table, stamp(due))
    table.entries += len(fresh)
    table.events = state.events
    table.snapshot = play.snapshot.events
    if play.over:
        table.status = "over"
    conn.execute(
        update(GAME)
        .where(GAME.c.id == table.id)
        .values(
            status=table.status,
            turn=state.turn,
            phase=state.phase,
            entries=table.entries,
            events=table.events,
            winners=",".join(state.winners),
        )
    )


def save_seat(conn: Connection, game_id: str, seat: Seat) -> None:
    """Write what changed about a seat."""
    row = asdict(seat)
    conn.execute(update(SEAT).where(SEAT.c.game_id == game_id, SEAT.c.faction == row.pop("faction")).values(**row))


def _snapshot_row(game_id: str, snapshot: Snapshot) -> dict[str, Any]:
    return {
        "game_id": game_id, "entries": snapshot.entries, "turn": snapshot.turn, "phase": snapshot.phase,
        "events": snapshot.events, "state": snapshot.state, "digest": hashlib.sha256(snapshot.state).hexdigest(),
    }  # fmt: skip


def _save_deadlines(conn: Connection, table: Table, due: str) -> None:
    """Questions that are gone lose their deadline; new ones get one."""
    stop = table.play.stop_name
    waiting = [question.key for question in table.play.questions()]
    kept = {key: known for key in waiting if (known := table.deadlines.get(key)) and known[0] == stop}
    if len(kept) < len(table.deadlines):
        for key, (opened_at, _) in table.deadlines.items():
            if key not in kept:
                conn.execute(delete(DEADLINE).where(*_is_deadline(table.id, key, opened_at), ~DEADLINE.c.missed))
    fresh = [key for key in waiting if key not in kept]
    if fresh:
        conn.execute(
            insert(DEADLINE),
            [
                {"game_id": table.id, "faction": faction, "kind": kind, "subject": subject, "opened_at": stop,
                 "due": due, "reminded": 0, "missed": False}
                for faction, kind, subject in fresh
            ],
        )  # fmt: skip
    table.deadlines = {**kept, **dict.fromkeys(fresh, (stop, due))}


def mark_missed(conn: Connection, table: Table, keys: tuple[Key, ...]) -> None:
    """These questions were answered by silence: their rows stay, so that a late order can be told so."""
    for key in keys:
        opened_at, _ = table.deadlines.pop(key)
        conn.execute(update(DEADLINE).where(*_is_deadline(table.id, key, opened_at)).values(missed=True))


def missed_kinds(conn: Connection, game_id: str, faction: Faction, turn: int) -> dict[str, str]:
    """The kinds of question that silence has answered for a faction this turn, and when each was due."""
    rows = conn.execute(
        select(DEADLINE.c.kind, DEADLINE.c.due).where(
            DEADLINE.c.game_id == game_id,
            DEADLINE.c.faction == faction,
            DEADLINE.c.missed,
            DEADLINE.c.opened_at.startswith(f"{turn}."),
        )
    )
    return {row.kind: row.due for row in rows}


def _is_deadline(game_id: str, key: Key, opened_at: str) -> tuple[Any, ...]:
    faction, kind, subject = key
    return (
        DEADLINE.c.game_id == game_id,
        DEADLINE.c.faction == faction,
        DEADLINE.c.kind == kind,
        DEADLINE.c.subject == subject,
        DEADLINE.c.opened_at == opened_at,
    )


# --- reading -------------------------------------------------------------------------------------------------------


def encode(entry: Entry) -> bytes:
    """A log entry as JSON, the same bytes each time."""
    return _entry_encoder.encode(entry)


def decode(data: bytes | str) -> Entry:
    """A log entry from its JSON; msgspec.ValidationError if it is none."""
    return _entry_decoder.decode(data)


def seats_of(conn: Connection, game_id: str) -> dict[Faction, Seat]:
    """The seats of a game, by dot."""
    rows = conn.execute(select(SEAT).where(SEAT.c.game_id == game_id).order_by(SEAT.c.dot)).mappings()
    return {as_faction(row["faction"]): Seat(**{k: v for k, v in row.items() if k != "game_id"}) for row in rows}


def log_of(conn: Connection, game_id: str, first: int = 0) -> list[Entry]:
    """The entries of a game's log from a number on."""
    return [decode(data) for data in log_data(conn, game_id, first)]


def log_data(conn: Connection, game_id: str, first: int = 0) -> list[bytes]:
    """The same as they are stored, byte for byte."""
    found = select(ENTRY.c.data).where(ENTRY.c.game_id == game_id, ENTRY.c.number >= first).order_by(ENTRY.c.number)
    return [data for (data,) in conn.execute(found)]


def events_of(conn: Connection, game_id: str, first: int = 0) -> list[Event]:
    """The events of a game from a number on."""
    return [events.decode(data) for data in event_data(conn, game_id, first)]


def events_of_turn(conn: Connection, game_id: str, turn: int) -> list[Event]:
    """What happened in one turn."""
    found = select(EVENT.c.data).where(EVENT.c.game_id == game_id, EVENT.c.turn == turn).order_by(EVENT.c.number)
    return [events.decode(data) for (data,) in conn.execute(found)]


def event_data(conn: Connection, game_id: str, first: int = 0) -> list[bytes]:
    """The same as they are stored, byte for byte."""
    found = select(EVENT.c.data).where(EVENT.c.game_id == game_id, EVENT.c.number >= first).order_by(EVENT.c.number)
    return [data for (data,) in conn.execute(found)]


def seat_by_token(conn: Connection, token: str) -> tuple[str, Faction] | None:
    """The game and faction that a reply token belongs to."""
    row = conn.execute(select(SEAT.c.game_id, SEAT.c.faction).where(SEAT.c.token == token)).one_or_none()
    return (row.game_id, as_faction(row.faction)) if row else None


def due_games(conn: Connection, now: datetime) -> list[str]:
    """The running games in which a question's time is up, the longest overdue first."""
    found = (
        select(DEADLINE.c.game_id, func.min(DEADLINE.c.due))
        .join(GAME, GAME.c.id == DEADLINE.c.game_id)
        .where(~DEADLINE.c.missed, DEADLINE.c.due <= stamp(now), GAME.c.status == "running")
        .group_by(DEADLINE.c.game_id)
        .order_by(func.min(DEADLINE.c.due))
    )
    return [row.game_id for row in conn.execute(found)]


def cut(conn: Connection, game_id: str, entries: int) -> None:
    """Drop the log from this entry on and everything derived; the caller plays the rest again and saves it."""
    conn.execute(delete(ENTRY).where(ENTRY.c.game_id == game_id, ENTRY.c.number >= entries))
    for derived in (EVENT, SNAPSHOT, DEADLINE):
        conn.execute(delete(derived).where(derived.c.game_id == game_id))


def exists(conn: Connection, game_id: str) -> bool:
    """Whether there is a game of that name."""
    return conn.execute(select(GAME.c.id).where(GAME.c.id == game_id)).first() is not None


def length(conn: Connection, game_id: str) -> tuple[int, int]:
    """How many entries and events a game has in the database."""
    row = conn.execute(select(GAME.c.entries, GAME.c.events).where(GAME.c.id == game_id)).one_or_none()
    if row is None:
        raise UnknownGame(f"There is no game {game_id!r} here.")
    return (row.entries, row.events)


def to_remind(conn: Connection, now: datetime, hours: Sequence[float]) -> list[tuple[str, Faction]]:
    """The seats with an open question that ends in fewer hours than a reminder is due before, and had none for it
    yet."""
    found: dict[tuple[str, Faction], None] = {}
    for number, before in enumerate(sorted(hours, reverse=True), 1):
        rows = conn.execute(
            select(DEADLINE.c.game_id, DEADLINE.c.faction)
            .join(GAME, GAME.c.id == DEADLINE.c.game_id)
            .where(
                ~DEADLINE.c.missed,
                DEADLINE.c.due > stamp(now),
                DEADLINE.c.due <= stamp(now + timedelta(hours=before)),
                DEADLINE.c.reminded < number,
                GAME.c.status == "running",
            )
        )
        found.update(dict.fromkeys((row.game_id, as_faction(row.faction)) for row in rows))
    return list(found)


def mark_reminded(conn: Connection, game_id: str, faction: Faction, now: datetime, hours: Sequence[float]) -> bool:
    """Count the reminder that is due now; False if somebody else has sent it meanwhile."""
    changed = 0
    for number, before in enumerate(sorted(hours, reverse=True), 1):
        changed += conn.execute(
            update(DEADLINE)
            .where(
                DEADLINE.c.game_id == game_id,
                DEADLINE.c.faction == faction,
                ~DEADLINE.c.missed,
                DEADLINE.c.due <= stamp(now + timedelta(hours=before)),
                DEADLINE.c.reminded < number,
            )
            .values(reminded=number)
        ).rowcount
    return changed > 0


def running(conn: Connection, but_not: str) -> list[str]:
    """The running games that were not yet checked with the rules of this digest."""
    found = select(GAME.c.id).where(GAME.c.status == "running", GAME.c.rules_digest != but_not)
    return [game_id for (game_id,) in conn.execute(found)]


def mark_checked(conn: Connection, game_id: str, digest: str, holds: bool) -> None:
    """Note with which rules a game was checked; one that does not hold is stopped."""
    status = "running" if holds else "held"
    conn.execute(update(GAME).where(GAME.c.id == game_id).values(rules_digest=digest, status=status))
