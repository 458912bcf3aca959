"""The lines of a record, `game.jsonl`: one JSON object a line, each with the SHA-256 of the line before.

The first line is the ``Head``, then come what was decided (``Decided``), drawn (``Drawn``), told (``Told``) and done by
the game master (``Act``), in the order in which it happened: first an entry of the log, then what was drawn and told
because of it. The last line of a game that is over is its ``End``, with the seed. ``t`` says which line it is.

Each line has a salt of its own, made from the seed (``salt``), so that nobody can try what a line may say against a
hash that was published while the game ran. Fields may be added to a line, and none is ever taken away.
"""

from __future__ import annotations

import hashlib
import hmac
import re
from collections.abc import Mapping
from datetime import date
from typing import Any

import msgspec

from rules.components import Faction
from rules.engine.log import Entry
from rules.orders import PhaseName
from rules.state.events import Event

FORMAT = 1
"""The number of the format; a file with a greater one was written by a newer Mentat."""


class Line(msgspec.Struct, frozen=True, kw_only=True, tag_field="t"):
    """Any line. ``salt`` and ``prev`` are set by the chain."""

    salt: str = ""
    prev: str = ""


class Head(Line, frozen=True, kw_only=True, tag="head"):
    """How the game began: its rule set and options, the dot of each faction, the digest of the rules that began it and
    the commitment to its seed. ``record`` is the number of the format."""

    record: int = FORMAT
    game: str
    ruleset: str
    options: Mapping[str, Any]
    seats: Mapping[Faction, int]
    rules: str = ""
    commitment: str
    day: date | None = None


class Decided(Line, frozen=True, kw_only=True, tag="entry"):
    """An entry of the log: orders that were taken, questions that silence answered, held orders taken back. ``n``
    counts the entries of the game from 0; ``day`` is the day in UTC on which it was taken, where that is known, and
    ``turn`` and ``phase`` are where the game stood."""

    n: int
    day: date | None = None
    turn: int = 0
    phase: PhaseName | None = None
    entry: Entry


class Drawn(Line, frozen=True, kw_only=True, tag="draw"):
    """A number that chance gave: ``got`` of 0 to ``size - 1``, from the seed and the ``label``
    (``rules.components.chance``), which ends with how often that was drawn before."""

    label: str
    size: int
    got: int


class Told(Line, frozen=True, kw_only=True, tag="event"):
    """A fact, with what all know and what only some know of it. ``words`` is, of a deal that was made, what stands for
    its text where it was offered (``bot.record.words``)."""

    event: Event
    words: str | msgspec.UnsetType = msgspec.UNSET


class Act(Line, frozen=True, kw_only=True, tag="act"):
    """What the game master, or the calendar, did to the game. After a ``rollback`` the game goes on from where its log
    had so many ``entries``: what stands above and came later was undone."""

    what: str
    why: str = ""
    day: date | None = None
    entries: int | None = None


class End(Line, frozen=True, kw_only=True, tag="end"):
    """How the game ended, and the seed to which the head is committed. No line comes after it that could hold its
    SHA-256, so it holds one itself: ``sum`` is that of its own bytes with an empty ``sum``."""

    turn: int
    winners: tuple[Faction, ...]
    day: date | None = None
    seed: str
    sum: str = ""


AnyLine = Head | Decided | Drawn | Told | Act | End

_encoder = msgspec.json.Encoder(order="deterministic")
_decoder: msgspec.json.Decoder[AnyLine] = msgspec.json.Decoder(AnyLine)


def encode(line: AnyLine) -> bytes:
    """The line as JSON without its end of line, the same bytes each time."""
    return _encoder.encode(line)


def decode(data: bytes | str) -> AnyLine:
    """The line from its JSON; msgspec.MsgspecError if it is none."""
    return _decoder.decode(data)


def digest(data: bytes) -> str:
    """The SHA-256 of a line's bytes in hexadecimal, as the next line has it."""
    return hashlib.sha256(data).hexdigest()


def own_sum(row: bytes) -> str:
    """What the ``sum`` of an end is, from the bytes of its line."""
    return digest(_SUM.sub(b'"sum":""', row))


_SUM = re.compile(rb'"sum":"[0-9a-f]*"')

FIRST = digest(b"")
"""What stands before the first line."""


def salt(seed: str, number: int) -> str:
    """The salt of the line of this number, from 0.

    >>> salt("spice", 0)
    '83df6b61c356585de6f8cb6e4362bcdc'
    """
    return hmac.digest(seed.encode(), f"salt#{number}".encode(), "sha256").hex()[:32]


class Chain:
    """Puts salt and digest into one line after the other. ``head`` is the digest of the last, ``lines`` how many there
    are.

    >>> chain = Chain("spice")
    >>> chain.add(Drawn(label="storm#0", size=20, got=3))  # doctest: +SKIP
    b'{"t":"draw",…}'
    """

    __slots__ = ("_seed", "head", "lines")

    def __init__(self, seed: str, head: str = FIRST, lines: int = 0) -> None:
        self._seed = seed
        self.head = head
        self.lines = lines

    def add(self, line: AnyLine) -> bytes:
        """The bytes of the next line, without its end of line."""
        line = msgspec.structs.replace(line, salt=salt(self._seed, self.lines), prev=self.head)
        data = encode(msgspec.structs.replace(line, sum=own_sum(encode(line))) if isinstance(line, End) else line)
        self.head = digest(data)
        self.lines += 1
        return data
