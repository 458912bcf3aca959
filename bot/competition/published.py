"""A tournament as it is published: one JSON document, from which pages and exports are made, and by which anybody can
compute draw, standings and ratings again (`mentat tournament verify FILE`).

Nothing else of a tournament reaches the archive. There is no field for an address, a zone, or a sealed paper.
"""

from __future__ import annotations

from datetime import date, datetime
from typing import Literal

import msgspec

from bot.competition.draws import DrawRecord, RoundKind
from bot.competition.outcomes import Handle, TableOutcome
from rules.components import Faction

FORMAT = 1
TournamentState = Literal["draft", "open", "drawn", "running", "finished", "cancelled"]
EntrantState = Literal[
    "invited", "entered", "confirmed", "playing", "advanced", "out", "withdrawn", "disqualified", "standby"
]  # fmt: skip
RoundState = Literal["planned", "drawn", "playing", "closed"]
TableState = Literal["planned", "playing", "finished", "adjudicated", "void"]
ResultState = Literal["provisional", "confirmed", "amended", "withdrawn"]
"""``amended``: another version supersedes it. ``withdrawn``: its game was taken back and goes on."""


class Entrant(msgspec.Struct, frozen=True, kw_only=True):
    """Somebody who takes part, by handle. ``name`` is "" without their consent; ``rating`` (six decimals) and
    ``reliability`` (four) are what they had when they entered, "" without."""

    handle: Handle
    name: str = ""
    state: EntrantState
    standby: bool = False
    rating: str = ""
    reliability: str = ""


class TableNow(msgspec.Struct, frozen=True, kw_only=True):
    """A table of a round: its game, how it stands, and who sits there now. What it says of a running table is no more
    than that it is one, unless the settings let entrants see more."""

    table: int
    state: TableState
    game: str = ""
    seats: tuple[tuple[Faction, Handle], ...] = ()
    last_turn: int = 0


class Round(msgspec.Struct, frozen=True, kw_only=True):
    """A round, its draw once that is public, and its tables."""

    number: int
    kind: RoundKind
    state: RoundState
    opens: date | None = None
    ends: date | None = None
    draw: DrawRecord | None = None
    tables: tuple[TableNow, ...] = ()


class Result(msgspec.Struct, frozen=True, kw_only=True):
    """One version of the result of a table, by whom (a right, never a name) and why."""

    outcome: TableOutcome
    state: ResultState
    by: str = ""
    why: str = ""
    day: date | None = None


class Term(msgspec.Struct, frozen=True, kw_only=True):
    """One thing that a number in the standings is made of: "round 1, table 3: pair, stronghold" with its value."""

    what: str
    value: str


class Standing(msgspec.Struct, frozen=True, kw_only=True):
    """A row of the standings. ``keys`` holds the printed value of each tie-break in order; ``parted_by`` is the one
    that put the next row behind this one ("" for the last); ``made_of`` is where the points come from."""

    rank: int
    entrant: Handle
    points: str
    keys: tuple[tuple[str, str], ...] = ()
    parted_by: str = ""
    made_of: tuple[Term, ...] = ()


class RatingChange(msgspec.Struct, frozen=True, kw_only=True):
    """What a game did to the rating of an entrant, each to six decimals: the rating before and after, what they scored,
    what was expected, and the factor K."""

    game: str
    entrant: Handle
    faction: Faction
    before: str
    after: str
    scored: str
    expected: str
    k: str


class Act(msgspec.Struct, frozen=True, kw_only=True):
    """What was done to the tournament, by which right, and why; only acts that are public now."""

    number: int
    at: datetime
    right: str
    command: str
    words: str = ""
    why: str = ""


class Published(msgspec.Struct, frozen=True, kw_only=True):
    """All that is published. ``settings`` is the file as it was entered, its SHA-256 beside it; ``secret`` is "" until
    the tournament is finished; ``tie_breaks_changed`` marks an order of tie-breaks, or a scoring, that was changed
    after the first draw. ``waiting`` counts those who have confirmed and have no seat yet.
    ``still_playing`` counts tables without a result. ``opening`` are ratings at entry of those
    who were rated before, and of factions, by which ``ratings`` can be computed. ``sums`` has the SHA-256 of each part,
    and ``sum`` that of all of them (``bot.competition.sums``): whoever compares that one line has compared all."""

    mentat: int = FORMAT
    sum: str = ""
    tournament: str
    settings: str
    settings_sha256: str
    state: TournamentState
    commitment: str
    secret: str = ""
    beacon: str = ""
    tie_breaks_changed: str = ""
    entrants: tuple[Entrant, ...] = ()
    rounds: tuple[Round, ...] = ()
    results: tuple[Result, ...] = ()
    waiting: int = 0
    standings: tuple[Standing, ...] = ()
    still_playing: int = 0
    opening: dict[str, str] = {}
    ratings: tuple[RatingChange, ...] = ()
    acts: tuple[Act, ...] = ()
    sums: dict[str, str] = {}


class NotPublished(ValueError):
    """The file is no export of a tournament; the message says where it is wrong."""


def encode(published: Published) -> bytes:
    """The document, the same bytes each time."""
    return msgspec.json.format(msgspec.json.encode(published, order="deterministic"), indent=1) + b"\n"


def decode(data: bytes) -> Published:
    """The document from its bytes; NotPublished if it is none."""
    try:
        return msgspec.json.decode(data, type=Published)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        raise NotPublished(f"This is no export of a tournament: {error}.") from None
