"""The record of a game: one JSON document that proves it and needs nothing else, no database and no Mentat of ours.

It holds the rule set, the options, the seats, the seed and its commitment, the log, and the events. ``bot.games.proof``
plays it again. What two players wrote to each other in offers that came to nothing stays between them: the words of a
deal decide nothing, so the record in a file has others there, in the log and in the events alike.
"""

from __future__ import annotations

import gzip
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from bot.record.reading import NotARecord
from bot.store import games, record_parts
from bot.store.database import Connection
from bot.store.games import Founded, KeptSnapshot
from rules.components import Faction

UNSAID = "(between these two)"
"""What stands in the record for the words of an offer that was not accepted."""


@dataclass(frozen=True, slots=True)
class KeptChain:
    """The lines that were kept while a game was played (``bot.record.lines``): how many there should be, the digest of
    the last, and what hid the words of offers. ``trouble`` says what keeps them from being read."""

    lines: Sequence[bytes]
    count: int
    head: str
    words_key: bytes
    trouble: str = ""


@dataclass(frozen=True, slots=True)
class Record:
    """Everything that proves a game. ``events`` are the stored bytes, one an event; ``snapshots`` are what is kept of
    them, by turn and phase; ``counted`` is how many entries and events there should be, ``chain`` the lines that were
    kept. A record in a file has none of these: it is the log that proves it."""

    id: str
    ruleset: str
    options: Mapping[str, Any]
    seed: str
    commitment: str
    dots: Mapping[Faction, int]
    log: Sequence[bytes]
    events: Sequence[bytes]
    snapshots: Mapping[tuple[int, str], KeptSnapshot] = field(default_factory=dict)
    counted: tuple[int, int] | None = None
    chain: KeptChain | None = None

    def as_json(self) -> str:
        """The record as it lies in a file, for all who played."""
        log, events = ([json.loads(data) for data in rows] for rows in (self.log, self.events))
        _leave_out_talk(log, events)
        document = {
            "mentat": 1,
            "id": self.id,
            "ruleset": self.ruleset,
            "options": dict(self.options),
            "seed": self.seed,
            "commitment": self.commitment,
            "dots": dict(self.dots),
            "log": log,
            "events": events,
        }
        return json.dumps(document, ensure_ascii=False, indent=1) + "\n"

    def packed(self) -> bytes:
        """The record as JSON, compressed with gzip: the same bytes each time."""
        return gzip.compress(self.as_json().encode(), mtime=0)


def record(conn: Connection, game_id: str) -> Record:
    """The record of a game in the database. UnknownGame if there is none of that name."""
    begun = games.founded(conn, game_id)
    return Record(
        game_id,
        begun.ruleset,
        begun.options,
        begun.seed,
        begun.commitment,
        {faction: seat.dot for faction, seat in games.seats_of(conn, game_id).items()},
        games.log_data(conn, game_id),
        games.event_data(conn, game_id),
        games.kept_snapshots(conn, game_id),
        (begun.entries, begun.events),
        _chain(conn, game_id, begun) if begun.head or begun.lines else None,
    )


def _chain(conn: Connection, game_id: str, begun: Founded) -> KeptChain:
    try:
        lines, trouble = record_parts.stored(conn, game_id), ""
    except NotARecord as error:
        lines, trouble = [], str(error)
    return KeptChain(lines, begun.lines, begun.head, begun.words_key, trouble)


def record_lines(conn: Connection, game_id: str) -> bytes:
    """The record of a game, `game.jsonl`: up to now, or with its end where it is over. One that is over and was begun
    by an older Mentat gets its record now, and keeps it if the connection writes. UnknownGame if there is none of that
    name; NotARecord where lines are missing or damaged, or the log leads to something else today."""
    begun = games.founded(conn, game_id)
    if begun.head:
        lines = record_parts.stored(conn, game_id)
    else:
        seats = games.seats_of(conn, game_id)
        lines = record_parts.made_late(conn, games.head_of(conn, game_id), begun.seed, begun.words_key, seats)
        if begun.over and conn.get_execution_options().get("write"):
            record_parts.store_late(conn, game_id, lines)
    return b"".join(line + b"\n" for line in lines)


def _leave_out_talk(log: Sequence[Any], events: Sequence[Any]) -> None:
    """Put other words into offers of deals that were never made. Deals that were made all could read."""
    made = {(*event["facts"]["parties"], event["facts"]["text"]) for event in events if event["kind"] == "deal-made"}
    offered = [
        (entry["faction"], order["faction"], order)
        for entry in log
        for order in entry.get("orders", ())
        if order["type"] == "Deal"
    ]
    told = [event["facts"] for event in events if event["kind"] == "offer-made"]
    offered += [(facts["giver"], facts["receiver"], facts) for facts in told if facts["what"] == "deal"]
    for giver, receiver, words in offered:
        text = " ".join(words["text"].split())
        if text and (giver, receiver, text) not in made:
            words["text"] = UNSAID
