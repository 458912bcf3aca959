"""The settings of a tournament: a TOML file that is checked, frozen when the tournament is made, and known by its hash.

What a setting means to an organiser stands in the commented examples (`mentat tournament new --example FORMAT`); here
is its typed form with its default.
"""

from __future__ import annotations

import hashlib
import tomllib
from collections.abc import Mapping
from typing import Any, Literal

import msgspec

Format = Literal["heats", "swiss", "league", "ladder", "knockout"]
Assigning = Literal["draw", "trade", "two-cards", "preference", "auction"]
TieBreak = Literal[
    "forfeits", "wins", "points", "full_wins", "quality", "first_heat", "opponents", "head_to_head",
    "strongholds_per_turn", "hardest_faction", "turns", "lot",
]  # fmt: skip
Cause = Literal["stronghold", "prediction", "default", "adjudicated", "agreed"]
Said = str | int
"""A number of points as typed: "3/4", "0.75", 12 (``bot.competition.points``)."""


class Part(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Any table of the settings: a setting that it does not know is refused."""


class Rounds(Part, frozen=True):
    """[rounds]: what is played. ``heats``: how many, and whether at the same time; ``load`` 0 seats all of them at
    once, n lets nobody have more than n tables at a time, the next as soon as enough are free. ``semifinal`` and
    ``final``: for how many, 0 for none. ``swiss``: rounds by standings. ``up`` and ``down``: how many of a
    division of a league rise and fall. ``ladder_days``: nobody meets again within them."""

    heats: int = 3
    parallel: bool = True
    load: int = 0
    semifinal: int = 36
    final: int = 6
    swiss: int = 4
    up: int = 2
    down: int = 2
    ladder_days: int = 90
    days: int = 65
    spread_hours: int = 24


class Tables(Part, frozen=True):
    """[tables]: the game that is played and who sits at it. ``missing``: which faction is not played at a five.
    ``seen``: when entrants may see other tables. ``overlap_hours``: waking hours that a table has in common at least,
    0 for no matter. ``hours``: the clock of each table (as `mentat game new --clock` takes it)."""

    ruleset: str = "wbc-2018"
    options: Mapping[str, Any] = {}
    tempo: str = "table"
    clock: Mapping[str, Any] = {}
    fours: bool = False
    missing: Literal["drawn", "bene-gesserit"] = "drawn"
    overlap_hours: int = 0
    seen: Literal["round-end", "late"] = "round-end"


class Factions(Part, frozen=True):
    """[factions]: how they come to players. ``charge``: whether the price of an auction is paid always or by winners
    alone."""

    by: Assigning = "draw"
    trade_hours: int = 72
    charge: Literal["always", "wins"] = "always"


class Scoring(Part, frozen=True):
    """[scoring]: ``system`` names one that is known (`equal-win`, `mentat-12`, `pot-60`, `hmwp`, `carnage-6`,
    `squares`); what stands beside it replaces that part of it. ``aggregate``: "all", "best 3", "minus worst 1", or
    weights of one's tables from the best on."""

    system: str = "mentat-12"
    win: Mapping[str, Said] | None = None
    factor: Mapping[Cause, Said] | None = None
    rank: tuple[Said, ...] | None = None
    tie: Literal["split", "low", "high"] | None = None
    per_stronghold: Said | None = None
    winners_take_all: bool | None = None
    normalise: Said | None = None
    sit_out: Said | None = None
    forfeit: Said | None = None
    absent: Said | None = None
    aggregate: str | tuple[Said, ...] = "all"


class Endings(Part, frozen=True):
    """[endings]: how games that are not over in time end. ``notice_days`` before the round's end every table is told
    which turn is its last; ``turns_left`` is how many come after the current one. ``end = "hidden"``: that turn was
    drawn from ``window`` and committed to at the start. Hours are those that pass by the calendar."""

    end: Literal["announced", "hidden"] = "announced"
    window: tuple[int, int] = (8, 10)
    notice_days: int = 14
    turns_left: int = 1
    vote_days: int = 5
    protest_hours: int = 72


class People(Part, frozen=True):
    """[people]: who may enter, and what becomes of those who do not play. ``most`` 0 is no limit. ``entry``: by
    anybody, or by those whom the director enters."""

    entry: Literal["open", "invited"] = "open"
    most: int = 0
    invite_hours: int = 72
    show_hours: int = 96
    answer_hours: int = 48
    substitutes: Literal["protected", "pro-rata", "finisher", "nobody"] = "protected"
    no_show_bars_next: bool = False
    conduct: str = ""
    digest: bool = True
    deputy_after_days: int = 14


class TournamentSettings(Part, frozen=True):
    """The whole of them. ``beacon`` says what will be taken as the beacon, and ``beacon_date`` when it comes to be;
    both empty: there is none, and the record says so."""

    title: str
    format: Format = "heats"
    beacon: str = ""
    beacon_date: str = ""
    rated: bool = True
    rounds: Rounds = Rounds()
    tables: Tables = Tables()
    factions: Factions = Factions()
    scoring: Scoring = Scoring()
    tie_breaks: tuple[TieBreak, ...] = (
        "forfeits", "points", "wins", "full_wins", "quality", "head_to_head", "opponents", "strongholds_per_turn", "lot"
    )  # fmt: skip
    endings: Endings = Endings()
    people: People = People()


class SettingsRefused(ValueError):
    """The file is no settings of a tournament; ``problems`` has a sentence for each thing that is wrong."""

    def __init__(self, problems: list[str]) -> None:
        super().__init__(" ".join(problems))
        self.problems = problems


def read(text: str) -> TournamentSettings:
    """The settings in a TOML file. SettingsRefused where it says what cannot be."""
    try:
        said = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise SettingsRefused([f"The file is not TOML: {error}."]) from None
    try:
        settings = msgspec.convert(said, TournamentSettings)
    except msgspec.ValidationError as error:
        raise SettingsRefused([f"{error}."]) from None
    return settings


def digest(text: str) -> str:
    """The SHA-256 of the settings as they were entered, in hexadecimal."""
    return hashlib.sha256(text.encode()).hexdigest()
