"""What is published of a game besides its record: who played, as they may be named, and the lines of their sheets."""

from __future__ import annotations

from dataclasses import dataclass

from rules.components import Faction


@dataclass(frozen=True, slots=True)
class Cast:
    """Who played a faction: the name that the archive may use of them ("Atreides of sietch-7", if they chose none),
    whether they agreed to be ``listed`` among the players, and whether the caretaker played at the end."""

    faction: Faction
    dot: int
    name: str
    listed: bool = False
    caretaker: bool = False


@dataclass(frozen=True, slots=True)
class FiledLine:
    """A line of a sheet, without the words that two players may have had between them, and what became of it: active,
    used, replaced, withdrawn, over. ``turn`` is the last for which it counted, 0 for every turn; ``acted`` the stop at
    which it last made a play, empty for never."""

    faction: Faction
    number: int
    line: str
    turn: int
    state: str
    acted: str
