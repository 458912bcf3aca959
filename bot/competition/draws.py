"""The draw of a round as it is published: what went in, the seed, and who sits where.

Anybody can compute the seating again from it (``bot.competition.seating``), and once the secret of the tournament is
published also that its seed was not chosen.
"""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Sequence
from typing import Literal

import msgspec

from bot.competition.outcomes import Handle
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
