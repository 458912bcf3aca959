"""A tournament as it is published: one JSON document, with its draws, sums and names.

Pages and exports are made from it, and anybody can compute draw, standings and ratings again from it
(`mentat tournament verify FILE`). Nothing else of a tournament reaches the archive. There is no field for an address, a
time zone or a sealed paper.

A draw says what went in, the seed, and who sits where. Anybody can compute the seating again from it (``seating``),
and, once the secret of the tournament is published, that its seed was not chosen. A hidden last turn follows from the
same secret, so the commitment covers it too (David Norman's cure for the last-turn stab).

Most of a document follows from the rest and is computed again (``verification``). What does not follow (a name, a day,
a reason) is held by sums: the SHA-256 of each part, and one of all of them. Whoever changes such a part must change
the sum of the whole, and that one line can be compared with other copies, or with what a letter said.

Names of people are one line of letters, without characters that reverse, hide or break lines; they are escaped wherever
they are shown. Two entrants may have the same name, so the handle always stands beside it.
"""

from __future__ import annotations

import hashlib
import hmac
import unicodedata
from collections.abc import Iterator, Sequence
from datetime import date, datetime
from typing import Any, Literal

import msgspec

from bot.competition.outcomes import Handle, TableOutcome
from rules.components import Faction

RoundKind = Literal["heat", "swiss", "league", "ladder", "semifinal", "final", "knockout"]
Pair = tuple[Handle, Handle]


class Seated(msgspec.Struct, frozen=True, kw_only=True):
    """Who sits where. ``faction`` is None where it comes to them later (preferences, an auction); ``offered`` are the
    two cards of which they keep one; ``price`` is in tenths of a point."""

    entrant: Handle
    dot: int
    faction: Faction | None = None
    offered: tuple[Faction, ...] = ()
    price: int = 0


class TableDrawn(msgspec.Struct, frozen=True, kw_only=True):
    """A table, the first seat having the lowest dot."""

    round: int
    table: int
    seats: tuple[Seated, ...]


class Cost(msgspec.Struct, frozen=True, order=True):
    """How far a seating is from what is wished for, in the order in which it counts, the least being best: pairs to
    be kept apart; pairs who meet twice in rounds of the same time; earlier meetings squared; seats at small tables of
    those who had some before; factions played again; dots had again; tables that have too few waking hours in
    common."""

    apart: int = 0
    twice: int = 0
    meetings: int = 0
    small: int = 0
    factions: int = 0
    dots: int = 0
    hours: int = 0


class DrawRecord(msgspec.Struct, frozen=True, kw_only=True):
    """A draw of one round, or of several that are played at the same time.

    ``roster`` are the handles in order, ``ranked`` the same by strength (rating at entry, or standings), ``history``
    the tables of earlier rounds that count as meetings. ``apart`` are the pairs that may be published; ``apart_digest``
    is the salted SHA-256 of all of them where there are others: then only auditors can compute the draw again.
    ``hours`` has the waking hours in UTC as a mask of 24 bits by roster, where the settings ask for common hours; as
    they tell where people live, what is published says only that there are such (``hours_sealed``); ``sat_out`` are
    those who do not play now, ``byes`` those of the roster who sat out earlier rounds, each as often as they did;
    ``beacon`` is "" for none. ``candidate`` is the number of the one that was taken.
    """

    rounds: tuple[int, ...]
    kind: RoundKind
    roster: tuple[Handle, ...]
    ranked: tuple[Handle, ...]
    roster_digest: str
    beacon: str = ""
    seed: str = ""
    apart: tuple[Pair, ...] = ()
    apart_digest: str = ""
    hours: tuple[int, ...] = ()
    hours_sealed: bool = False
    sat_out: tuple[Handle, ...] = ()
    byes: tuple[Handle, ...] = ()
    history: tuple[TableDrawn, ...] = ()
    candidate: int = 0
    cost: Cost = Cost()
    tables: tuple[TableDrawn, ...] = ()


def commitment(secret: str) -> str:
    """The SHA-256 of the secret of a tournament, published before anybody enters."""
    return hashlib.sha256(secret.encode()).hexdigest()


def roster_digest(handles: Sequence[Handle]) -> str:
    """The SHA-256 of the handles, a line each.

    >>> roster_digest([f"E{n:02d}" for n in range(1, 13)])[:8]
    'dc4c99cd'
    """
    return hashlib.sha256("\n".join(handles).encode()).hexdigest()


def round_seed(secret: str, number: int, digest: str, beacon: str) -> str:
    """The seed of a round: HMAC-SHA256 of the secret over its number, the digest of the roster, and the beacon.

    >>> handles = [f"E{n:02d}" for n in range(1, 13)]
    >>> round_seed("spice-must-flow", 1, roster_digest(handles), "beacon text 42")[:8]
    'a0d78a64'
    """
    return hmac.digest(secret.encode(), f"round {number}|{digest}|{beacon}".encode(), "sha256").hex()


def apart_digest(salt: bytes, pairs: Sequence[Pair]) -> str:
    """The salted SHA-256 of the pairs that are kept apart: HMAC over a line "E001 E002" for each, in order."""
    return hmac.digest(salt, "\n".join(f"{one} {other}" for one, other in sorted(pairs)).encode(), "sha256").hex()


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
    and ``sum`` that of all of them (``bot.competition.published``): whoever compares that one line has compared all."""

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


def encode_published(published: Published) -> bytes:
    """The document, the same bytes each time."""
    return msgspec.json.format(msgspec.json.encode(published, order="deterministic"), indent=1) + b"\n"


def decode_published(data: bytes) -> Published:
    """The document from its bytes; NotPublished if it is none."""
    try:
        return msgspec.json.decode(data, type=Published)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        raise NotPublished(f"This is no export of a tournament: {error}.") from None


def hidden_last_turn(secret: str, number: int, table: int, window: tuple[int, int]) -> int:
    """The last turn of the game of a table of a round, in the window, both ends included. Each table has its own, so
    that one which comes to it earlier tells the others nothing. ValueError for an empty window.

    >>> hidden_last_turn("spice-must-flow", 1, 2, (8, 10))
    8
    """
    first, last = window
    if last < first:
        raise ValueError(f"the window from turn {first} to turn {last} is empty")
    drawn = int.from_bytes(hmac.digest(secret.encode(), f"last turn|{number}|{table}".encode(), "sha256"))
    return first + drawn % (last - first + 1)


NOT_SUMMED = ("sum", "sums")
"""The parts that have no sum."""


def with_sums(document: Published) -> Published:
    """The document with its sums."""
    sums = dict(_of_parts(document))
    return msgspec.structs.replace(document, sums=sums, sum=sum_of_sums(sums))


def sum_of_sums(sums: dict[str, str]) -> str:
    """The sum of all sums, a line each by their names.

    >>> sum_of_sums({"state": "ab"})[:8] == hashlib.sha256(b"ab  state\\n").hexdigest()[:8]
    True
    """
    return hashlib.sha256("".join(f"{sums[part]}  {part}\n" for part in sorted(sums)).encode()).hexdigest()


def differing_parts(document: Published) -> list[str]:
    """The parts that do not have the sum that the document says, in its order; "sums" where it lacks one, says one of
    no part, or the sum of all is another."""
    due = dict(_of_parts(document))
    found = [part for part, digest in due.items() if document.sums.get(part, digest) != digest]
    if due.keys() != document.sums.keys() or document.sum != sum_of_sums(document.sums):
        found.append("sums")
    return found


def _of_parts(document: Published) -> Iterator[tuple[str, str]]:
    """The name and the digest of each part: rounds and results one by one."""
    for field in document.__struct_fields__:
        value = getattr(document, field)
        if field in NOT_SUMMED:
            continue
        if field == "rounds":
            for one in document.rounds:
                yield f"round {one.number}", _digest(one)
            value = [one.number for one in document.rounds]
        elif field == "results":
            for result in document.results:
                outcome = result.outcome
                yield f"result {outcome.round}.{outcome.table} version {outcome.version}", _digest(result)
            value = [(one.outcome.round, one.outcome.table, one.outcome.version) for one in document.results]
        yield field, _digest(value)


def _digest(value: Any) -> str:
    return hashlib.sha256(msgspec.json.encode(value, order="deterministic")).hexdigest()


LONGEST_NAME = 60


def clean_given_name(name: str, most: int = LONGEST_NAME) -> str:
    """The name in one line.

    >>> clean_given_name("Ann\\n\\u202eenoN  <b>")
    'Ann enoN <b>'
    """
    kept = unicodedata.normalize("NFC", name[: 10 * most])
    kept = "".join(" " if unicodedata.category(c) in ("Cc", "Zl", "Zp", "Zs") else c for c in kept)
    kept = "".join(c for c in kept if unicodedata.category(c) not in ("Cf", "Co", "Cs", "Cn"))
    return " ".join(kept.split())[:most].strip(" \"'“”")


def display_name(handle: str, name: str) -> str:
    """How others know an entrant: "Ann (E007)", or the handle alone."""
    return f"{name} ({handle})" if name else handle


__all__ = ["LONGEST_NAME", "clean_given_name", "display_name"]
