"""The published form of a tournament: one JSON document with its draws, checksums and names.

Pages and exports are made from this document, and anybody can recompute the draw, the standings and the ratings from it
(`mentat tournament verify FILE`). Nothing else about a tournament reaches the archive. The document has no field for an
address, a time zone or a sealed paper.

A draw records its inputs, the seed, and the seats. Anybody can recompute the seating from it (``seating``) and, once
the secret of the tournament is published, check that nobody picked the seed. A hidden last turn is derived from the
same secret, so the commitment also covers it (David Norman's remedy for the last-turn stab).

Results follow from the records of the games (``records``). The document contains the head of each record's chain, so
nobody can afterwards change a winner together with the record. The letter that ends a round tells every entrant the
checksum of the round (``sum_of_round``), and the last letter tells them the checksum of the whole document.

Most parts of a document follow from others and can be recomputed (``verification``). Names, days and reasons cannot, so
checksums protect them: the SHA-256 of each part, and one over all of these. Anybody who changes such a part must also
change the checksum of the whole. That one line can be compared with other copies, or with a letter that quoted it.

Names of people are a single line of text, without characters that reverse text, hide it or break lines; they are
escaped wherever they are shown. Two entrants may have the same name, so an entrant's handle is always shown beside the
name.
"""

from __future__ import annotations

import hashlib
import hmac
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from datetime import date, datetime
from typing import Any, Literal

import msgspec

from bot.competition.outcomes import Handle, TableOutcome
from rules.components import Faction

RoundKind = Literal["heat", "swiss", "league", "ladder", "semifinal", "final", "knockout"]
Pair = tuple[Handle, Handle]


class Seated(msgspec.Struct, frozen=True, kw_only=True):
    """A seat with its entrant. ``faction`` is None if factions are assigned later (by preferences or in an auction).
    ``offered`` are the two cards that the entrant may choose from. ``price`` is in tenths of a point."""

    entrant: Handle
    dot: int
    faction: Faction | None = None
    offered: tuple[Faction, ...] = ()
    price: int = 0


class TableDrawn(msgspec.Struct, frozen=True, kw_only=True):
    """A table as drawn. Its seats are in the order of their dots, the lowest first."""

    round: int
    table: int
    seats: tuple[Seated, ...]


class Cost(msgspec.Struct, frozen=True, order=True):
    """The distance of a seating from the ideal one. The fields are in order of importance, and 0 is best.

    - ``apart`` counts the pairs that should be kept apart and meet.
    - ``twice`` counts the pairs that meet twice in rounds that are played at the same time.
    - ``meetings`` is the sum of the squares of earlier meetings.
    - ``small`` counts the seats at small tables given to players who had such seats before.
    - ``factions`` and ``dots`` count the factions and dots that a player had before.
    - ``hours`` counts the tables whose players have too few waking hours in common.
    """

    apart: int = 0
    twice: int = 0
    meetings: int = 0
    small: int = 0
    factions: int = 0
    dots: int = 0
    hours: int = 0


class DrawRecord(msgspec.Struct, frozen=True, kw_only=True):
    """The draw of one round, or of several rounds that are played at the same time.

    - ``roster`` lists the handles in order. ``ranked`` lists the same handles by strength (rating at entry, or
      standings).
    - ``history`` has the tables of earlier rounds that count as meetings.
    - ``apart`` has the pairs to be kept apart that may be published. If there are others, ``apart_digest`` is the
      salted SHA-256 of all pairs, and only auditors can recompute the draw.
    - ``hours`` has the waking hours in UTC as masks of 24 bits, in the order of the roster, if the settings ask for
      common hours. They would reveal where people live, so a published record only says that they were used
      (``hours_sealed``).
    - ``sat_out`` are the entrants who do not play this time. ``byes`` are the entrants on the roster who sat out
      earlier rounds, listed once for each round.
    - ``beacon`` is "" if there is none.
    - ``candidate`` is the number of the candidate that was chosen.
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
    """Return the SHA-256 of the tournament's secret, which is published before anybody enters."""
    return hashlib.sha256(secret.encode()).hexdigest()


def roster_digest(handles: Sequence[Handle]) -> str:
    return hashlib.sha256("\n".join(handles).encode()).hexdigest()


def round_seed(secret: str, number: int, digest: str, beacon: str) -> str:
    """Return the seed of a round: HMAC-SHA256 of the secret over its number, the digest of the roster, and the beacon.

    >>> handles = [f"E{n:02d}" for n in range(1, 13)]
    >>> round_seed("spice-must-flow", 1, roster_digest(handles), "beacon text 42")[:8]
    'a0d78a64'
    """
    return hmac.digest(secret.encode(), f"round {number}|{digest}|{beacon}".encode(), "sha256").hex()


def apart_digest(salt: bytes, pairs: Sequence[Pair]) -> str:
    """Return the salted SHA-256 of the pairs to be kept apart: an HMAC over one line "E001 E002" for each pair, in
    order."""
    return hmac.digest(salt, "\n".join(f"{one} {other}" for one, other in sorted(pairs)).encode(), "sha256").hex()


FORMAT = 2
ADDED: Mapping[int, tuple[str, ...]] = {1: ("effective", "records")}
"""For each older format of the document, the parts that were added later and are therefore missing in that format."""
TournamentState = Literal["draft", "open", "drawn", "running", "finished", "cancelled"]
EntrantState = Literal[
    "invited", "entered", "confirmed", "playing", "advanced", "out", "withdrawn", "disqualified", "standby"
]
RoundState = Literal["planned", "drawn", "playing", "closed"]
TableState = Literal["planned", "playing", "finished", "adjudicated", "void"]
ResultState = Literal["provisional", "confirmed", "amended", "withdrawn"]
"""``amended`` means that a later version supersedes the result. ``withdrawn`` means that the end of its game was rolled
back, so the game goes on."""


class Entrant(msgspec.Struct, frozen=True, kw_only=True):
    """A participant, identified by their handle. ``name`` is "" if they did not agree to its publication. ``rating``
    (with six decimals) and ``reliability`` (with four) are the values at entry, or ""."""

    handle: Handle
    name: str = ""
    state: EntrantState
    standby: bool = False
    rating: str = ""
    reliability: str = ""


class TableNow(msgspec.Struct, frozen=True, kw_only=True):
    """A table of a round: its game, its state, and its present players. A table in play shows nothing but that state,
    unless the settings let entrants see more."""

    table: int
    state: TableState
    game: str = ""
    seats: tuple[tuple[Faction, Handle], ...] = ()
    last_turn: int = 0


class Round(msgspec.Struct, frozen=True, kw_only=True):
    number: int
    kind: RoundKind
    state: RoundState
    opens: date | None = None
    ends: date | None = None
    draw: DrawRecord | None = None
    tables: tuple[TableNow, ...] = ()


class Result(msgspec.Struct, frozen=True, kw_only=True):
    outcome: TableOutcome
    state: ResultState
    by: str = ""
    why: str = ""
    day: date | None = None


class GameRecord(msgspec.Struct, frozen=True, kw_only=True):
    round: int
    table: int
    game: str
    head: str
    lines: int


class Term(msgspec.Struct, frozen=True, kw_only=True):
    """One part of a number in the standings, such as "round 1, table 3: pair, stronghold", with its value."""

    what: str
    value: str


class Standing(msgspec.Struct, frozen=True, kw_only=True):
    """A row of the standings. ``keys`` holds the value of each tie-break in order, as printed. ``parted_by`` is the
    tie-break that separates this row from the next, or "" in the last row. ``made_of`` lists the terms that add up to
    the points."""

    rank: int
    entrant: Handle
    points: str
    keys: tuple[tuple[str, str], ...] = ()
    parted_by: str = ""
    made_of: tuple[Term, ...] = ()


class RatingChange(msgspec.Struct, frozen=True, kw_only=True):
    """The effect of a game on an entrant's rating. The numbers are texts with six decimals. ``k`` is the factor K."""

    game: str
    entrant: Handle
    faction: Faction
    before: str
    after: str
    scored: str
    expected: str
    k: str


class Act(msgspec.Struct, frozen=True, kw_only=True):
    number: int
    at: datetime
    right: str
    command: str
    words: str = ""
    why: str = ""


class Published(msgspec.Struct, frozen=True, kw_only=True):
    """Everything that is published about a tournament.

    - ``settings`` is the settings file as it was entered, together with its SHA-256. ``effective`` has all settings,
      including defaults.
    - ``secret`` is "" until the tournament is finished.
    - ``tie_breaks_changed`` is true if tie-breaks or scoring were changed after the first draw.
    - ``waiting`` counts the confirmed entrants without a seat, and ``still_playing`` the tables without a result.
    - ``opening`` has the ratings at entry of entrants who had been rated before, and the ratings of factions.
      ``ratings`` can be recomputed from it.
    - ``sums`` has the SHA-256 of each part, and ``sum`` the SHA-256 of all of these. Comparing that one
      line therefore compares everything.
    """

    mentat: int = FORMAT
    sum: str = ""
    tournament: str
    settings: str
    settings_sha256: str
    effective: dict[str, Any] = {}
    state: TournamentState
    commitment: str
    secret: str = ""
    beacon: str = ""
    tie_breaks_changed: str = ""
    entrants: tuple[Entrant, ...] = ()
    rounds: tuple[Round, ...] = ()
    results: tuple[Result, ...] = ()
    records: tuple[GameRecord, ...] = ()
    waiting: int = 0
    standings: tuple[Standing, ...] = ()
    still_playing: int = 0
    opening: dict[str, str] = {}
    ratings: tuple[RatingChange, ...] = ()
    acts: tuple[Act, ...] = ()
    sums: dict[str, str] = {}


class NotPublished(ValueError):
    pass


def encode_published(published: Published) -> bytes:
    made = msgspec.to_builtins(published, order="deterministic")
    for added in ADDED.get(published.mentat, ()):
        del made[added]
    return msgspec.json.format(msgspec.json.encode(made), indent=1) + b"\n"


def decode_published(data: bytes) -> Published:
    try:
        return msgspec.json.decode(data, type=Published)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        raise NotPublished(f"This is not an export of a tournament: {error}.") from None


def hidden_last_turn(secret: str, number: int, table: int, window: tuple[int, int]) -> int:
    """Return the last turn of a table's game, which lies in the window (including both ends).

    The turn is derived separately for each table, so a table that ends earlier reveals nothing to the others. Raise
    ValueError if the window is empty.

    >>> hidden_last_turn("spice-must-flow", 1, 2, (8, 10))
    8
    """
    first, last = window
    if last < first:
        raise ValueError(f"the window from turn {first} to turn {last} is empty")
    drawn = int.from_bytes(hmac.digest(secret.encode(), f"last turn|{number}|{table}".encode(), "sha256"))
    return first + drawn % (last - first + 1)


NOT_SUMMED = ("sum", "sums")


def with_sums(document: Published) -> Published:
    sums = dict(_of_parts(document))
    return msgspec.structs.replace(document, sums=sums, sum=sum_of_sums(sums))


def sum_of_sums(sums: dict[str, str]) -> str:
    """Return the SHA-256 of a text that has one line for each checksum, sorted by name.

    >>> sum_of_sums({"state": "ab"})[:8] == hashlib.sha256(b"ab  state\\n").hexdigest()[:8]
    True
    """
    return hashlib.sha256("".join(f"{sums[part]}  {part}\n" for part in sorted(sums)).encode()).hexdigest()


def sum_of_round(document: Published, number: int) -> str:
    """Return the SHA-256 of a text that has one line each for a round's draw, its results and the records of its games.
    It changes only if one of these does."""
    lines = [_digest(one.draw) for one in document.rounds if one.number == number]
    newest = {one.outcome.table: one.outcome for one in document.results if one.outcome.round == number}
    lines += [_digest(newest[table]) for table in sorted(newest)]
    lines += [_digest(record) for record in document.records if record.round == number]
    return hashlib.sha256("".join(f"{line}\n" for line in lines).encode()).hexdigest()


def differing_parts(document: Published) -> list[str]:
    """Return the parts whose checksum differs from the one in the document, in the order of the document. The list
    includes "sums" if a checksum is missing, if one belongs to no part, or if the checksum of the whole is wrong."""
    due = dict(_of_parts(document))
    found = [part for part, digest in due.items() if document.sums.get(part, digest) != digest]
    if due.keys() != document.sums.keys() or document.sum != sum_of_sums(document.sums):
        found.append("sums")
    return found


def _of_parts(document: Published) -> Iterator[tuple[str, str]]:
    for field in document.__struct_fields__:
        value = getattr(document, field)
        if field in (*NOT_SUMMED, *ADDED.get(document.mentat, ())):
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
    """Return a name as one line, without characters that hide or reverse text.

    >>> clean_given_name("Ann\\n\\u202eenoN  <b>")
    'Ann enoN <b>'
    """
    kept = unicodedata.normalize("NFC", name[: 10 * most])
    kept = "".join(" " if unicodedata.category(c) in ("Cc", "Zl", "Zp", "Zs") else c for c in kept)
    kept = "".join(c for c in kept if unicodedata.category(c) not in ("Cf", "Co", "Cs", "Cn"))
    return " ".join(kept.split())[:most].strip(" \"'“”")


def display_name(handle: str, name: str) -> str:
    return f"{name} ({handle})" if name else handle


__all__ = ["LONGEST_NAME", "clean_given_name", "display_name"]
