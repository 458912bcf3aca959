"""What is answered to a line of a mail that asks or tells something about the mail, the seat or the person."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, slots=True)
class Answered:
    """What is answered to a command. ``for_game_master`` is told to the game master."""

    status: Literal["done", "refused"]
    text: str
    for_game_master: str = ""
