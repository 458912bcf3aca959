"""What is answered to a line of a mail that asks or tells something about the mail, the seat or the person."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from bot.orders.commands import Press


@dataclass(frozen=True, slots=True)
class Answered:
    """What is answered to a command. ``press`` is to be passed on, ``for_game_master`` told to the game master."""

    status: Literal["done", "refused"]
    text: str
    press: Press | None = None
    for_game_master: str = ""
