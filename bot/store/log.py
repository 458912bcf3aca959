"""The log of a game as it lies in the database: its entries as JSON, the same bytes each time."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

import msgspec
from msgspec.structs import replace
from sqlalchemy import Connection, select

from bot.orders.truthtrance import with_reading
from bot.store.packing import unpack
from bot.store.tables import ENTRY
from rules.components import Faction
from rules.engine.log import Entry, Submitted
from rules.orders import AnyOrder, Truthtrance

_entry_encoder = msgspec.json.Encoder(order="deterministic")
_entry_decoder: msgspec.json.Decoder[Entry] = msgspec.json.Decoder(Entry)


def encode(entry: Entry) -> bytes:
    """A log entry as JSON, the same bytes each time."""
    return _entry_encoder.encode(entry)


def decode(data: bytes | str) -> Entry:
    """A log entry from its JSON, questions under Truthtrance with their reading; msgspec.ValidationError if it is none.

    Logs of games that began before readings were written hold questions without one: they are read here, each time,
    as they were read then.
    """
    entry = _entry_decoder.decode(data)
    if isinstance(entry, Submitted) and any(isinstance(order, Truthtrance) for order in entry.orders):
        return replace(entry, orders=tuple(_read(order, entry.faction) for order in entry.orders))
    return entry


def _read(order: AnyOrder, faction: Faction) -> AnyOrder:
    """The order with its reading; a question that was taken once stays one about the game."""
    made = with_reading(order, faction)
    if made is not order and isinstance(made, Truthtrance) and made.reading is not None and made.reading.off_topic:
        return replace(made, reading=replace(made.reading, off_topic=False))
    return made


def is_as_written(data: bytes) -> bool:
    """Whether a stored entry is, byte for byte, what this program writes; msgspec.ValidationError if it is no entry."""
    return encode(_entry_decoder.decode(data)) == data


def log_of(conn: Connection, game_id: str, first: int = 0) -> list[Entry]:
    """The entries of a game's log from a number on."""
    return [decode(data) for data in log_data(conn, game_id, first)]


def log_data(conn: Connection, game_id: str, first: int = 0) -> list[bytes]:
    """The entries of a game's log from a number on, byte for byte as they were written."""
    found = select(ENTRY.c.data).where(ENTRY.c.game_id == game_id, ENTRY.c.number >= first).order_by(ENTRY.c.number)
    return [unpack(data) for (data,) in conn.execute(found)]


@dataclass(frozen=True, slots=True)
class Logged:
    """An entry, and when it was written."""

    at: datetime
    entry: Entry


def logged(conn: Connection, game_id: str) -> list[Logged]:
    """The whole log of a game, with the instants."""
    found = select(ENTRY.c.at, ENTRY.c.data).where(ENTRY.c.game_id == game_id).order_by(ENTRY.c.number)
    return [Logged(row.at, decode(unpack(row.data))) for row in conn.execute(found)]
