"""How the players of a game may write to each other: a mode, and what is added to it.

The whole is one text, as a game master types it and as the database keeps it: ``grey,gunboat,quota=3``. What is added
stands in any order; a mode that is not named is ``open``.

>>> read("quota=3, gunboat").words
'open,gunboat,quota=3'
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any, Literal, cast, get_args

Mode = Literal["open", "public", "none", "table", "grey", "mixed", "fake"]
"""What may be said to whom: ``open``, signed, to one, several or all; ``public``, to all only; ``none``; ``table``, as
open, but not while cards are bid for and battles fought; ``grey``, always unsigned; ``mixed``, as the writer chooses;
``fake``, signed, and the writer may show another list of readers than the true one."""

Observers = Literal["none", "desk", "white"]
NamesUntil = Literal["game", "round"]
MOST_A_TURN = 99
FLAGS = ("gunboat", "postal", "late", "yellow", "must-order", "neighbours", "copies-to-desk", "language", "archived")


@dataclass(frozen=True, slots=True)
class PressSettings:
    """The mode and what is added to it.

    ``gunboat``: players are factions only, until the game is over, or with ``names_until`` the round of a tournament
    (``bot.store.between_tables.tell_names`` ends it). ``postal``: what is written goes out when the turn
    is over. ``late``: nobody whose own duty is overdue writes. ``quota``: so many a turn, 0 for any number. ``yellow``:
    what goes to all is unsigned, and nothing else. ``must_order``: whoever is asked for something answers before they
    write. ``neighbours``: only to factions with tokens in the same or an adjacent territory. ``copies_to_desk``: the
    game master reads all of it, and every letter says so. ``observers``: what persons who only watch have of it:
    nothing, words to the desk, or what is signed and goes to all. ``language``: words that people are sorry for later
    wait for a second thought. ``archived``: private press is shown in the archive when the game is over, unless one of
    its two ends does not want that.
    """

    mode: Mode = "open"
    gunboat: bool = False
    postal: bool = False
    late: bool = False
    yellow: bool = False
    must_order: bool = False
    neighbours: bool = False
    copies_to_desk: bool = False
    language: bool = False
    archived: bool = False
    quota: int = 0
    observers: Observers = "none"
    names_until: NamesUntil = "game"

    @property
    def words(self) -> str:
        """All of it in one text, in a fixed order."""
        added = [flag for flag in FLAGS if getattr(self, _field(flag))]
        counted = [f"quota={self.quota}"] if self.quota else []
        watched = [f"observers={self.observers}"] if self.observers != "none" else []
        named = [f"names-until={self.names_until}"] if self.names_until != "game" else []
        return ",".join([self.mode, *added, *counted, *watched, *named])

    @property
    def anonymous(self) -> bool:
        """Whether the minute at which something goes out could tell of who wrote it."""
        return self.gunboat or self.yellow or self.mode in ("grey", "mixed")


OPEN = PressSettings()
"""As before there was a choice."""


class PressRefused(ValueError):
    """This is no way for players to write to each other, or not from now on; the message is a sentence that says why
    and what would be."""


@lru_cache(maxsize=64)
def read(text: str) -> PressSettings:
    """The settings as somebody wrote them. PressRefused where they cannot be read or contradict each other."""
    made = PressSettings()
    named: list[str] = []
    for word in filter(None, (part.strip().lower() for part in text.split(","))):
        name, has_value, value = (part.strip() for part in word.partition("="))
        if name in named or (name in get_args(Mode) and any(each in get_args(Mode) for each in named)):
            raise PressRefused(f"The press of a game has one mode, and everything once: {text.strip()!r} has more.")
        named.append(name)
        made = replace(made, **_said(name, value, bool(has_value)))
    _require_sense(made)
    return made


def _said(name: str, value: str, has_value: bool) -> Mapping[str, Any]:
    if name in get_args(Mode) and not has_value:
        return {"mode": cast(Mode, name)}
    if name in FLAGS and not has_value:
        return {_field(name): True}
    if name == "quota":
        if not re.fullmatch(r"[0-9]{1,2}", value) or not 1 <= int(value) <= MOST_A_TURN:
            raise PressRefused(f"quota is a number of letters a turn, as quota=3 (1 to {MOST_A_TURN}).")
        return {"quota": int(value)}
    if name == "observers":
        if value not in get_args(Observers):
            raise PressRefused(f"observers is one of {', '.join(get_args(Observers))}, as observers=white.")
        return {"observers": cast(Observers, value)}
    if name == "names-until":
        if value not in get_args(NamesUntil):
            raise PressRefused(f"names-until is one of {', '.join(get_args(NamesUntil))}, as names-until=round.")
        return {"names_until": cast(NamesUntil, value)}
    if name == "hide":
        raise PressRefused(
            "Mentat always hides who is away, who is late, who asked for more time and why a seat is empty: leave hide "
            "out."
        )
    raise PressRefused(
        f"{name[:40]!r} is no mode of press and nothing that is added to one. Modes: {', '.join(get_args(Mode))}. "
        f"Added with commas: {', '.join(FLAGS)}, quota=N, observers=WHO."
    )


def _require_sense(made: PressSettings) -> None:
    if made.names_until == "round" and not made.gunboat:
        raise PressRefused("names-until says when the players of gunboat are named, so it goes with gunboat alone.")
    if made.yellow and made.mode not in ("open", "table", "public"):
        raise PressRefused("yellow makes what goes to all unsigned, so it is added to open, table or public alone.")
    if made.neighbours and made.mode == "public":
        raise PressRefused("With public everybody reads everything, so it cannot be for neighbours only.")
    if made.mode == "none":
        more = [name for name in FLAGS if getattr(made, _field(name)) and name not in ("gunboat", "copies-to-desk")]
        if more or made.quota:
            raise PressRefused(
                f"With none nobody writes, so {', '.join([*more, *['quota'] * bool(made.quota)])} says nothing."
            )


def _field(flag: str) -> str:
    return flag.replace("-", "_")


# --- stricter ---------------------------------------------------------------------------------------------------------

_SAYS: Mapping[Mode, frozenset[str]] = {
    "open": frozenset({"signed to all", "signed to some", "during bidding and battles"}),
    "public": frozenset({"signed to all", "during bidding and battles"}),
    "none": frozenset(),
    "table": frozenset({"signed to all", "signed to some"}),
    "grey": frozenset({"unsigned to all", "unsigned to some", "during bidding and battles"}),
    "mixed": frozenset(
        {"signed to all", "signed to some", "unsigned to all", "unsigned to some", "during bidding and battles"}
    ),
    "fake": frozenset({"signed to all", "signed to some", "false readers", "during bidding and battles"}),
}
_LIMITS = ("postal", "late", "must_order", "neighbours", "language")
_FIXED = ("gunboat", "copies_to_desk", "archived", "names_until")


def liberties(settings: PressSettings) -> frozenset[str]:
    """What the settings allow, each under a name, so that two of them can be compared."""
    allowed = _SAYS[settings.mode]
    if settings.yellow:
        allowed = allowed - {"signed to all"} | {"unsigned to all"}
    free = {f"no {name}" for name in _LIMITS if not getattr(settings, name)} if allowed else set()
    watched = {"none": (), "desk": ("observers to desk",), "white": ("observers to desk", "observers read")}
    return allowed | free | set(watched[settings.observers])


def require_stricter(before: PressSettings, after: PressSettings) -> None:
    """PressRefused unless a game that runs may go over from one to the other: nothing is allowed that was not. Who
    plays, who reads along and what the archive will show were promised when it began, and stay as they are; only what
    was to be shown may be kept back after all."""
    for name in _FIXED:
        was, becomes = getattr(before, name), getattr(after, name)
        if was != becomes and not (was and name not in ("gunboat", "names_until")):
            raise PressRefused(f"{name.replace('_', '-')} was settled when the game began, and its players rely on it.")
    more = sorted(liberties(after) - liberties(before))
    if more:
        raise PressRefused(
            f"The press of a game that runs can only become stricter; this would allow: {', '.join(more)}."
        )
    if before.quota and not (after.mode == "none" or 0 < after.quota <= before.quota):
        raise PressRefused(
            f"The press of a game that runs can only become stricter: quota was {before.quota}, and can only fall."
        )
