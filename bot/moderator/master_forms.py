"""What a line of the game master's desk is made of: how it is written, with which parts, and what it does."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime

from bot.game_master.powers import PowerRefused, Use
from bot.games.open_games import OpenGames
from bot.store.act_log import Power
from rules.components import FACTION_FACTS, Faction, as_faction


@dataclass(frozen=True, slots=True)
class Given:
    """A power as it was written: for which game, at what instant, and how it is used."""

    open_games: OpenGames
    game_id: str
    now: datetime
    use: Use


Act = Callable[[Given, Mapping[str, str]], str]
"""Does it, and says what was done."""


@dataclass(frozen=True, slots=True)
class Form:
    """How a line is written, the power that it uses, and what does it."""

    power: Power
    shown: str
    pattern: re.Pattern[str]
    act: Act
    looks: bool = False  # it only looks, and changes nothing


@dataclass(frozen=True, slots=True)
class Read:
    """A line that was understood, with its parts."""

    form: Form
    parts: Mapping[str, str]

    @property
    def power(self) -> Power:
        return self.form.power

    def carry_out(self, given: Given) -> str:
        """Do it; what was done. PowerRefused where it cannot be."""
        return self.form.act(given, self.parts)


@dataclass(frozen=True, slots=True)
class NotRead:
    """A line that was not understood; ``suggestion`` is the form that it is nearest to, "" for none."""

    suggestion: str


_NAMES = {
    "SEAT": r"(?P<seat>[A-Za-z -]+?)", "HOURS": r"(?P<hours>[-+]?\d+(?:[.,]\d+)?)(?:\s*h(?:ours?)?)?",
    "WORDS": r"(?P<words>.+)",
    "ADDRESS": r"(?P<address>\S+@\S+)", "QUESTION": r"(?P<question>[a-z-]+)", "TURN": r"(?P<turn>[0-9]{1,3})",
    "PHASE": r"(?P<phase>[a-z-]+)", "RIGHT": r"(?P<right>[a-z]+)", "SEATS": r"(?P<seats>[A-Za-z, -]+?)",
    "CLAUSE": r"(?P<clause>\S*)", "ONOFF": r"(?P<state>on|off)", "DATE": r"(?P<date>\d{4}-\d{2}-\d{2})",
    "PRESS": r"(?P<press>[a-z0-9=, -]+)",
    "SETTINGS": r"(?P<settings>\w+ ?=.+)",
}  # fmt: skip


def form(power: Power, shown: str, act: Act, *, looks: bool = False) -> Form:
    """The form of a line as it is shown: words in capitals stand for its parts."""
    parts = [_NAMES.get(part, re.escape(part)) for part in re.split(r"(\s+|[A-Z]{4,}|:)", shown) if part.strip()]
    pattern, before = "", ""
    for part in parts:
        gap = "" if not before or part == ":" or before == ":" else r"\s+"
        pattern += r"\s*:\s*" if part == ":" else gap + part
        before = part
    return Form(power, shown.replace(" :", ":"), re.compile(pattern, re.IGNORECASE | re.DOTALL), act, looks)


def seat(parts: Mapping[str, str]) -> Faction:
    """The seat that a line names. PowerRefused where it is none."""
    return faction(parts["seat"])


def faction(said: str) -> Faction:
    """A faction by its name or the beginning of it. PowerRefused where it is none."""
    word = re.sub(r"\s+", "-", said.strip().lower())
    fits = [faction for faction in FACTION_FACTS if faction == word or (len(word) > 2 and faction.startswith(word))]
    if len(fits) != 1:
        raise PowerRefused(f"{said.strip()!r} is not one of {', '.join(FACTION_FACTS)}.")
    return as_faction(fits[0])


def factions(said: str) -> list[Faction]:
    """Several of them with commas between; none for all of the table. PowerRefused where one is none."""
    return [] if said.strip().lower() in ("all", "table") else [faction(word) for word in said.split(",")]


def hours(parts: Mapping[str, str]) -> float:
    """How many hours a line names."""
    return float(parts["hours"].replace(",", "."))
