"""What each faction held and learnt in a turn, for those who read a game in full, and late."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime

from bot.post.letter_writer import LetterWriter
from bot.reports.given import News, Position
from bot.store import games
from bot.store.database import Connection
from bot.table.table import Table
from rules.components import Faction
from rules.state.events import Event

NEVER_HARMLESS = frozenset({"traitors", "prediction"})
"""What decides a game however long ago it was drawn."""
OF_THESE = frozenset({"prediction-made", "traitors-drawn", "traitors-chosen", "traitors-kept"})
"""The events that tell of it."""


def is_hidden(event: Event, faction: Faction) -> bool:
    """Whether an event told a faction what others were not told."""
    return faction in event.private or (event.audience is not None and faction in event.audience)


def hidden(conn: Connection, writer: LetterWriter, table: Table, turn: int, now: datetime) -> list[Position]:
    """A position for each faction, with what it alone was told in a turn; traitors and the prediction only when the
    game is over."""
    happened = games.events_of_turn(conn, table.id, turn)
    found = []
    for faction in table.seats:
        position = writer.position(table, faction, now, ())
        news = tuple(
            News(event.turn, event.phase, event.kind, event.facts, event.told_to(faction))
            for event in happened
            if is_hidden(event, faction) and (table.play.over or event.kind not in OF_THESE)
        )
        secrets = {
            key: value for key, value in position.secrets.items() if table.play.over or key not in NEVER_HARMLESS
        }
        found.append(replace(position, news=news, secrets=secrets))
    return found
