"""The log of a game, of which everything else follows: what its entries are, and what is known of where they stand.

Each is a value that the store and the record write as it is; ``Play`` (``rules.engine.play``) makes and reads them.
"""

from __future__ import annotations

from typing import Literal

import msgspec

from rules.components import Faction
from rules.engine.corrections import Correction
from rules.orders import AnyOrder, Key, Order, PhaseName
from rules.rulesets.refusal import Refusal


class Submitted(msgspec.Struct, frozen=True, gc=False, tag="submit"):
    """Orders of one message that were accepted or held, in the order written."""

    faction: Faction
    orders: tuple[AnyOrder, ...]


class Expired(msgspec.Struct, frozen=True, gc=False, tag="expire"):
    """Questions that took their default because their time was up."""

    keys: tuple[Key, ...]


class Withdrawn(msgspec.Struct, frozen=True, gc=False, tag="withdraw"):
    """Held orders taken back; None is all of them."""

    faction: Faction
    order: AnyOrder | None = None


class LastTurn(msgspec.Struct, frozen=True, gc=False, tag="last-turn"):
    """The game master has announced which turn is the last; the rules of the last turn then hold for that one."""

    turn: int


class Stopped(msgspec.Struct, frozen=True, gc=False, tag="stop"):
    """The game master has ended the game, which its rules had not: by consent of all seats, by adjudication on the
    public board, or without a winner."""

    how: Literal["agreed", "adjudicated", "void"]
    winners: tuple[Faction, ...] = ()


class Corrected(msgspec.Struct, frozen=True, gc=False, tag="correct"):
    """The game master has put facts of the position right."""

    corrections: tuple[Correction, ...]


Entry = Submitted | Expired | Withdrawn | LastTurn | Stopped | Corrected


class Before(msgspec.Struct, frozen=True, gc=False):
    """Where the game stood before an entry of the log, and how many events had been told and numbers drawn in all."""

    turn: int
    phase: PhaseName
    events: int
    draws: int


class Outcome(msgspec.Struct, frozen=True, gc=False):
    """What became of one order: accepted (as answer or play), held for later in the phase, or refused and why.

    ``warnings`` is what an accepted order has wrong with it and will be mended when it is carried out."""

    order: Order
    status: Literal["accepted", "held", "refused"]
    refusal: Refusal | None = None
    warnings: tuple[Refusal, ...] = ()


class Snapshot(msgspec.Struct, frozen=True):
    """The state at the start of a phase, and how many log entries and events came before it."""

    state: bytes
    turn: int
    phase: PhaseName
    entries: int
    events: int
