"""Whether two addresses are one person's: both confirmed as theirs, or leading into one mailbox."""

from __future__ import annotations

from collections.abc import Iterable

from bot.config import Settings
from bot.store import addresses
from bot.store.database import Connection
from bot.table.seat import Seat


def identifiers(conn: Connection, settings: Settings, address: str, *, tags_apart: bool = False) -> frozenset[str]:
    """What a person is known by; two persons have none of these in common. ``tags_apart``: addresses of one mailbox are
    several persons here, as they are everywhere where the settings say so."""
    return addresses.identifiers(conn, address, tags_apart=tags_apart or settings.identity.tags_apart)


def are_one(conn: Connection, settings: Settings, one: str, other: str, *, tags_apart: bool = False) -> bool:
    """Whether whoever has the one address has the other."""
    mine = identifiers(conn, settings, one, tags_apart=tags_apart)
    return not mine.isdisjoint(identifiers(conn, settings, other, tags_apart=tags_apart))


def seat_of(
    conn: Connection, settings: Settings, seats: Iterable[Seat], address: str, *, tags_apart: bool = False
) -> Seat | None:  # fmt: skip
    """Which of these seats the person with this address holds; None if none. Who holds one gets no other of the game,
    and sits for nobody else in it."""
    mine = identifiers(conn, settings, address, tags_apart=tags_apart)
    for seat in seats:
        if not mine.isdisjoint(identifiers(conn, settings, seat.address, tags_apart=tags_apart)):
            return seat
    return None


def sits_at(conn: Connection, settings: Settings, seats: Iterable[Seat], address: str) -> Seat | None:
    """For which of these seats the person with this address sits in; None if for none."""
    taken = [seat for seat in seats if seat.sitter]
    mine = identifiers(conn, settings, address) if taken else frozenset[str]()
    return next((seat for seat in taken if not mine.isdisjoint(identifiers(conn, settings, seat.sitter))), None)
