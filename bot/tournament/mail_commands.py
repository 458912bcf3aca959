"""What a line of a mail about a tournament can say: one small value a kind."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from rules.components import Faction

Games = Literal["", "keep", "leave"]
What = Literal["standings", "tables", "status", "help"]


@dataclass(frozen=True, slots=True)
class Enter:
    """`enter ID [as NAME] [standby]`."""

    tournament: str
    name: str = ""
    standby: bool = False


@dataclass(frozen=True, slots=True)
class Confirm:
    """`confirm CODE`; without a code the address that the mail came to has it."""

    code: str = ""


@dataclass(frozen=True, slots=True)
class Withdraw:
    """`withdraw [ID] [keep|leave]`: what becomes of games that are being played."""

    tournament: str = ""
    games: Games = ""


@dataclass(frozen=True, slots=True)
class Show:
    """`standings`, `tables`, `status` or `help`, of the tournament with the id if one is named."""

    what: What
    tournament: str = ""


@dataclass(frozen=True, slots=True)
class Filed:
    """`preferences …`, `bid …`, `keep …`, `trade …`: what is filed under seal, as it was written, and for which table
    ("" for the only one)."""

    kind: Literal["preferences", "worths", "keep", "swap"]
    words: str
    table: str = ""


@dataclass(frozen=True, slots=True)
class Reply:
    """`accept` or `decline`: the answer to what they were asked."""

    accepted: bool


@dataclass(frozen=True, slots=True)
class Protest:
    """`protest TABLE: TEXT`."""

    table: str
    text: str


@dataclass(frozen=True, slots=True)
class Vote:
    """`vote agreed FACTION…`, or `vote no` without factions."""

    factions: tuple[Faction, ...]
    table: str = ""


@dataclass(frozen=True, slots=True)
class Named:
    """`name NAME`: how the others may know them; empty for `name hidden`."""

    name: str


@dataclass(frozen=True, slots=True)
class Awake:
    """`awake 8-22 Europe/Berlin`."""

    hours: str
    zone: str


@dataclass(frozen=True, slots=True)
class Connected:
    """`connected E003: we share a flat`: whom they know too well to sit with; a handle or an address."""

    who: str
    why: str = ""


@dataclass(frozen=True, slots=True)
class Ready:
    """`ready`, or `not ready`: whether they want a table of a ladder."""

    wanted: bool = True


@dataclass(frozen=True, slots=True)
class Talk:
    """Words to nobody in particular."""


@dataclass(frozen=True, slots=True)
class Unread:
    """Not understood: why, and lines that would be."""

    why: str
    suggestions: tuple[str, ...] = ()


Command = Enter | Confirm | Withdraw | Show | Filed | Reply | Protest | Vote | Named | Awake | Connected | Ready
Line = Command | Talk | Unread
