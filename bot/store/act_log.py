"""What was done to a game, by whom and why: only added to, and never emptied."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from sqlalchemy import Connection, insert, select

from bot.store.tables import ACT

Event = Literal["outage", "silence"]
"""What the calendar does to a game."""

Power = Literal[
    "address", "ask", "ban", "bank", "blind", "break-glass", "caretaker", "clock", "default", "delete", "end",
    "excuse", "extend", "freeze", "grant", "handover", "hold", "last-turn", "mute", "note", "observe", "observe-full",
    "order", "pause", "forum-link", "forum-open", "forum-close", "forum-paste", "forum-repost",
    "position", "predict", "press", "preview", "process", "release", "remind", "replace", "resume", "revoke",
    "rollback", "rule", "sitter", "tell", "unban", "undo", "unmute", "unobserve", "warn",
]  # fmt: skip
"""What a game master can do to a game."""

What = Event | Power


@dataclass(frozen=True, slots=True)
class Act:
    """Something that was done to a game: ``words`` says what exactly, ``who`` (an address, "" for the calendar or
    whoever types at the machine) did it by which ``right``, and ``why``, for the record. ``tell`` is what the table was
    told of it in their own words."""

    at: datetime
    what: What
    why: str = ""
    who: str = ""
    right: str = ""
    words: str = ""
    tell: str = ""

    @property
    def told(self) -> str:
        """What was done and why, in one line."""
        return ": ".join(part for part in (self.words, self.why) if part)


def add(conn: Connection, game_id: str, act: Act) -> None:
    """Write down what was done to a game (``bot.store.acts`` puts it into the record of the game too)."""
    row = {
        "game_id": game_id, "at": act.at, "what": act.what, "why": act.why, "who": act.who, "right": act.right,
        "words": act.words, "tell": act.tell,
    }  # fmt: skip
    conn.execute(insert(ACT), row)


def of_game(conn: Connection, game_id: str) -> list[Act]:
    """What was done to a game, in order."""
    rows = conn.execute(select(ACT).where(ACT.c.game_id == game_id).order_by(ACT.c.id))
    return [Act(row.at, row.what, row.why, row.who, row.right, row.words, row.tell) for row in rows]
