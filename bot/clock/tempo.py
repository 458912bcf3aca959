"""Tempo: named ways to spread the stops of a game over days. ``data/tempos.toml`` holds them and says why.

How long a question is open, and whether it is a *sheet window*, which takes no time, follows from the tempo and from
what kind of question it is, never from hands or sheets. ``bot.table.rounds`` carries it out at a table.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from rules.components.facts import load_toml
from rules.orders import PhaseName

DEFAULT = "steady"
FILE = "tempos.toml"


class UnknownTempo(ValueError):
    """There is no tempo of that name; the message names those that there are."""


@dataclass(frozen=True, slots=True)
class Round:
    """A part of the turn with a call of its own. ``at``: the kinds of question that open the call; ``hours``: how long
    it is open, as a part of the game's step."""

    name: str
    phases: tuple[PhaseName, ...]
    at: tuple[str, ...]
    hours: float


@dataclass(frozen=True, slots=True)
class Tempo:
    """A named way to spread a game over days. ``days_a_turn``: how many a turn lasts at the most, as a rule, with steps
    of 24 hours.

    >>> tempo("steady").window_is_open("karama-window", "voice")
    False
    >>> tempo("steady").hours("bid"), tempo("table").hours("bid")
    (0.5, 1.0)
    """

    name: str
    says: str
    days_a_turn: float
    parts: Mapping[str, float]
    sheet: Mapping[str, str]
    rounds: tuple[Round, ...]

    def hours(self, kind: str, why: str = "") -> float:
        """How long a question of this kind (a window with this ``why``) is open, as a part of the game's step."""
        return self.parts.get(f"{kind} {why}", self.parts.get(kind, 1.0))

    def window_is_open(self, kind: str, why: str = "") -> bool:
        """Whether time is given to such a question; else it is a sheet window."""
        return kind not in self.sheet and f"{kind} {why}" not in self.sheet

    def round_of(self, phase: str, kinds: frozenset[str]) -> Round | None:
        """The round whose call opens when these kinds of question come up in this phase."""
        return next((part for part in self.rounds if phase in part.phases and not kinds.isdisjoint(part.at)), None)


@cache
def tempo(name: str) -> Tempo:
    """The tempo of that name. UnknownTempo if there is none."""
    found: Any = load_toml(FILE)
    if name not in found:
        raise UnknownTempo(f"There is no tempo {name!r}; there are {', '.join(found)}.")
    values = found[name]
    return Tempo(
        name,
        values["says"],
        float(values["days_a_turn"]),
        {kind: float(part) for kind, part in values.get("hours", {}).items()},
        values.get("sheet", {}),
        tuple(
            Round(title, tuple(part["phases"]), tuple(part["at"]), float(part["hours"]))
            for title, part in values.get("round", {}).items()
        ),
    )


def names() -> tuple[str, ...]:
    """The tempos that there are, the slowest first."""
    return tuple(load_toml(FILE))
