"""Many games out of one: the rows of a game again under another name."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from bot.mail.identity import bounce_token, reply_token


def renamed(row: Mapping[str, Any], column: str, game_id: str, secret: bytes) -> dict[str, Any]:
    """A row as the game with this id would have it, the id being in ``column``: a seat with tokens of its own, an entry
    of the log that no message brought."""
    copy = {**row, column: game_id}
    if "token" in row:
        seat = (secret, game_id, row["faction"], row["generation"])
        copy["token"], copy["bounce_token"] = reply_token(*seat), bounce_token(*seat)
    if "message_id" in row:
        copy["message_id"] = None
    return copy
