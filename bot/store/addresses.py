"""The mail addresses of persons, and reply tokens that have ended.

Whoever has one address is one person, and needs no row here. Rows come with the second address: those of one
``person`` stand together, one of them is in use. An address that waits for its confirmation belongs to nobody yet.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime, timedelta

from sqlalchemy import Connection, bindparam, delete, func, insert, select, update

from bot.mail.mailboxes import mailbox_of
from bot.store.persons import SeatName
from bot.store.tables import ADDRESS, GAME, OLD_TOKEN, SEAT
from rules.components import Faction, as_faction

CODE_HOLDS = timedelta(days=3)

_CONFIRMED = ADDRESS.c.code == ""


@dataclass(frozen=True, slots=True)
class Asked:
    """An address that was asked whether it belongs to a person, with their address in use."""

    person: int
    address: str
    owner: str


def known_as(conn: Connection, address: str) -> frozenset[str]:
    """All confirmed addresses of the person who has this one; that one alone for most."""
    return frozenset((address, *conn.execute(KNOWN_AS, {"address": address}).scalars()))


_PERSON = select(ADDRESS.c.person).where(ADDRESS.c.address == bindparam("address"), _CONFIRMED)
KNOWN_AS = select(ADDRESS.c.address).where(ADDRESS.c.person.in_(_PERSON), _CONFIRMED)
"""All confirmed addresses of the person who has a further one, with this ``address`` among them."""


def mailboxes(conn: Connection, address: str) -> frozenset[str]:
    """The mailboxes of the person behind an address, whatever tag and letter case it is written with: of two persons
    these have none in common (``bot.mail.mailboxes``)."""
    own = mailbox_of(address)
    known = conn.execute(select(ADDRESS.c.person, ADDRESS.c.address).where(_CONFIRMED)).all()
    persons = {row.person for row in known if mailbox_of(row.address) == own}
    return frozenset((own, *(mailbox_of(row.address) for row in known if row.person in persons)))


def identifiers(conn: Connection, address: str, *, tags_apart: bool) -> frozenset[str]:
    """What the person behind an address is known by; two persons have none of these in common. ``tags_apart``:
    addresses of one mailbox are several persons."""
    return known_as(conn, address.strip().lower()) if tags_apart else mailboxes(conn, address)


def in_use(conn: Connection, address: str) -> str:
    """The address to which the letters of this person go."""
    person = select(ADDRESS.c.person).where(ADDRESS.c.address == address, _CONFIRMED)
    used = select(ADDRESS.c.address).where(ADDRESS.c.person.in_(person), ADDRESS.c.used)
    return conn.execute(used).scalars().first() or address


def seats_of(conn: Connection, addresses: Collection[str]) -> list[SeatName]:
    """The seats, in games that are not over, to which letters go at one of these addresses."""
    found = (
        select(SEAT.c.game_id, SEAT.c.faction)
        .join(GAME, GAME.c.id == SEAT.c.game_id)
        .where(SEAT.c.address.in_(addresses), GAME.c.status != "over")
        .order_by(SEAT.c.game_id, SEAT.c.dot)
    )
    return [(row.game_id, as_faction(row.faction)) for row in conn.execute(found)]


def sits_at(conn: Connection, addresses: Collection[str]) -> list[SeatName]:
    """The seats, in games that are not over, at which somebody with one of these addresses sits in."""
    found = (
        select(SEAT.c.game_id, SEAT.c.faction)
        .join(GAME, GAME.c.id == SEAT.c.game_id)
        .where(SEAT.c.sitter.in_(addresses), GAME.c.status != "over")
        .order_by(SEAT.c.game_id, SEAT.c.dot)
    )
    return [(row.game_id, as_faction(row.faction)) for row in conn.execute(found)]


# --- a further address ------------------------------------------------------------------------------------------------


def waiting(conn: Connection, address: str, now: datetime) -> list[str]:
    """The further addresses for which this person waits to be confirmed."""
    person = _person(conn, address)
    since = now - CODE_HOLDS
    open_now = select(ADDRESS.c.address).where(ADDRESS.c.person == person, ~_CONFIRMED, ADDRESS.c.asked_at > since)
    return list(conn.execute(open_now.order_by(ADDRESS.c.id)).scalars())


def asked_since(conn: Connection, address: str, since: datetime) -> int:
    """How often anybody has asked for this address since then."""
    asked = select(func.count()).where(ADDRESS.c.address == address, ~_CONFIRMED, ADDRESS.c.asked_at > since)
    return int(conn.execute(asked).scalar_one())


def ask(conn: Connection, owner: str, address: str, code: str, now: datetime) -> None:
    """Note that a person has asked for a further address, and the code by which it is confirmed."""
    person = _person(conn, owner)
    if person is None:
        person = int(conn.execute(select(func.coalesce(func.max(ADDRESS.c.person), 0))).scalar_one()) + 1
        _add(conn, person, owner, used=True)
    conn.execute(delete(ADDRESS).where(ADDRESS.c.person == person, ADDRESS.c.address == address))
    row = {"person": person, "address": address, "used": False, "code": code, "asked_at": now}
    conn.execute(insert(ADDRESS), row)


def asked_by(conn: Connection, code: str, now: datetime) -> Asked | None:
    """What a code confirms, while it holds."""
    since = now - CODE_HOLDS
    asked = select(ADDRESS).where(ADDRESS.c.code == code, ADDRESS.c.asked_at > since)
    row = conn.execute(asked).one_or_none() if code else None
    if row is None:
        return None
    used = select(ADDRESS.c.address).where(ADDRESS.c.person == row.person, ADDRESS.c.used)
    owner = conn.execute(used).scalar_one_or_none()
    return Asked(row.person, row.address, owner) if owner else None


def confirm(conn: Connection, asked: Asked) -> None:
    """From now on the address is the person's. Whoever had only that one becomes the same person."""
    conn.execute(delete(ADDRESS).where(ADDRESS.c.address == asked.address, ADDRESS.c.person == asked.person))
    conn.execute(delete(ADDRESS).where(ADDRESS.c.address == asked.address, _CONFIRMED))
    _add(conn, asked.person, asked.address, used=False)


def forget_asked(conn: Connection, address: str) -> None:
    """Every request of this person that is not confirmed yet is void."""
    conn.execute(delete(ADDRESS).where(ADDRESS.c.person == _person(conn, address), ~_CONFIRMED))


def use(conn: Connection, address: str) -> None:
    """The letters of this person go to this address of theirs from now on."""
    person = _person(conn, address)
    conn.execute(update(ADDRESS).where(ADDRESS.c.person == person).values(used=ADDRESS.c.address == address))


def remove(conn: Connection, address: str) -> None:
    """An address is nobody's any more."""
    conn.execute(delete(ADDRESS).where(ADDRESS.c.address == address, _CONFIRMED))


def _person(conn: Connection, address: str) -> int | None:
    """The number of the person who has this address; None for one who never had a second."""
    return conn.execute(select(ADDRESS.c.person).where(ADDRESS.c.address == address, _CONFIRMED)).scalars().first()


def _add(conn: Connection, person: int, address: str, *, used: bool) -> None:
    row = {"person": person, "address": address, "used": used, "code": "", "asked_at": None}
    conn.execute(insert(ADDRESS), row)


# --- reply tokens that have ended -------------------------------------------------------------------------------------


def end_token(conn: Connection, token: str, game_id: str, faction: Faction) -> None:
    """Note which seat a reply token was for."""
    conn.execute(insert(OLD_TOKEN), {"token": token, "game_id": game_id, "faction": faction})


def seat_of_old_token(conn: Connection, token: str) -> SeatName | None:
    """The seat that a reply token was for, if it is one that has ended."""
    row = conn.execute(select(OLD_TOKEN).where(OLD_TOKEN.c.token == token)).one_or_none()
    return (row.game_id, as_faction(row.faction)) if row else None
