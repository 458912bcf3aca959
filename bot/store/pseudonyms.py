"""Under which names persons stand in the archive.

A name belongs to seats, never to an address: whoever has seats by one of their addresses has the name of these, and
where the seats become nameless nobody can tell whose it was.

A person has one name in all their games. No two persons have the same: letter case, spaces and signs do not count.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from sqlalchemy import Connection, delete, insert, select, update

from bot.orders.archive_names import default_name, folded
from bot.store import addresses
from bot.store.inserting import number_of
from bot.store.tables import PSEUDONYM, SEAT, SEAT_PSEUDONYM
from rules.components import Faction, as_faction


@dataclass(frozen=True, slots=True)
class Pseudonym:
    """A chosen name, and whether its person agreed to stand in the list of players."""

    id: int
    name: str
    listed: bool


def of_person(conn: Connection, address: str) -> Pseudonym | None:
    """The name that the person with this address has chosen, if any."""
    known = addresses.known_as(conn, address)
    found = (
        select(PSEUDONYM)
        .join(SEAT_PSEUDONYM, SEAT_PSEUDONYM.c.pseudonym == PSEUDONYM.c.id)
        .join(SEAT, (SEAT.c.game_id == SEAT_PSEUDONYM.c.game_id) & (SEAT.c.faction == SEAT_PSEUDONYM.c.faction))
        .where(SEAT.c.address.in_(known))
        .order_by(PSEUDONYM.c.id)
        .limit(1)
    )
    row = conn.execute(found).one_or_none()
    return Pseudonym(row.id, row.name, row.listed) if row else None


def of_game(conn: Connection, game_id: str) -> Mapping[Faction, Pseudonym]:
    """The chosen names in a game."""
    found = (
        select(SEAT_PSEUDONYM.c.faction, PSEUDONYM)
        .join(PSEUDONYM, SEAT_PSEUDONYM.c.pseudonym == PSEUDONYM.c.id)
        .where(SEAT_PSEUDONYM.c.game_id == game_id)
    )
    return {as_faction(row.faction): Pseudonym(row.id, row.name, row.listed) for row in conn.execute(found)}


def of_all_games(conn: Connection) -> Mapping[str, Mapping[Faction, Pseudonym]]:
    """The chosen names in every game where somebody has chosen one."""
    found = select(SEAT_PSEUDONYM.c.game_id, SEAT_PSEUDONYM.c.faction, PSEUDONYM)
    of: dict[str, dict[Faction, Pseudonym]] = {}
    for row in conn.execute(found.join(PSEUDONYM, SEAT_PSEUDONYM.c.pseudonym == PSEUDONYM.c.id)):
        of.setdefault(row.game_id, {})[as_faction(row.faction)] = Pseudonym(row.id, row.name, row.listed)
    return of


def name_at(conn: Connection, game_id: str, faction: Faction) -> str:
    """The name that stands at a seat, be it chosen or not."""
    own = of_game(conn, game_id).get(faction)
    return own.name if own else default_name(faction, game_id)


def choose(conn: Connection, address: str, name: str) -> bool:
    """Let the person with this address stand under a name in all their games; False if another person has it."""
    own = of_person(conn, address)
    taken = conn.execute(select(PSEUDONYM.c.id).where(PSEUDONYM.c.folded == folded(name))).scalar_one_or_none()
    if taken is not None and (own is None or taken != own.id):
        return False
    if own is None:
        row = {"name": name, "folded": folded(name), "listed": False}
        _give(conn, address, number_of(conn.execute(insert(PSEUDONYM), row)))
    else:
        changed = update(PSEUDONYM).where(PSEUDONYM.c.id == own.id)
        conn.execute(changed.values(name=name, folded=folded(name)))
        _give(conn, address, own.id)
    return True


def drop(conn: Connection, address: str) -> None:
    """The person with this address has no name any more, and is not listed."""
    if own := of_person(conn, address):
        conn.execute(delete(SEAT_PSEUDONYM).where(SEAT_PSEUDONYM.c.pseudonym == own.id))
        drop_unused(conn)


def set_listed(conn: Connection, address: str, listed: bool) -> Pseudonym | None:
    """Let the person with this address stand among the players, or not; their name, None if they have none to stand
    under."""
    own = of_person(conn, address)
    if own is not None:
        conn.execute(update(PSEUDONYM).where(PSEUDONYM.c.id == own.id).values(listed=listed))
    return own


def join(conn: Connection, owner: str) -> None:
    """Two addresses have become those of one person: they have ``owner``'s name from now on, or the other's name where
    ``owner`` has none."""
    seats = conn.execute(
        select(SEAT_PSEUDONYM.c.pseudonym)
        .join(SEAT, (SEAT.c.game_id == SEAT_PSEUDONYM.c.game_id) & (SEAT.c.faction == SEAT_PSEUDONYM.c.faction))
        .where(SEAT.c.address == owner)
        .limit(1)
    ).scalar_one_or_none()
    either = of_person(conn, owner)
    if either is not None:
        _give(conn, owner, either.id if seats is None else int(seats))
        drop_unused(conn)


def sits_down(conn: Connection, game_id: str, faction: Faction, address: str) -> None:
    """The person with this address has taken a seat: their name stands there, and no other."""
    own = of_person(conn, address)
    leaves(conn, game_id, faction)
    if own is not None:
        conn.execute(insert(SEAT_PSEUDONYM), {"game_id": game_id, "faction": faction, "pseudonym": own.id})
    drop_unused(conn)


def leaves(conn: Connection, game_id: str, faction: Faction) -> None:
    """Nobody's name stands at a seat any more."""
    seat = (SEAT_PSEUDONYM.c.game_id == game_id, SEAT_PSEUDONYM.c.faction == faction)
    conn.execute(delete(SEAT_PSEUDONYM).where(*seat))


def rename(conn: Connection, old: str, new: str) -> Pseudonym | None:
    """Change a name wherever it stands; the one that was changed, None if nobody has it. ValueError if another person
    has the new one."""
    found = conn.execute(select(PSEUDONYM).where(PSEUDONYM.c.folded == folded(old))).one_or_none()
    if found is None:
        return None
    taken = select(PSEUDONYM.c.id).where(PSEUDONYM.c.folded == folded(new), PSEUDONYM.c.id != found.id)
    if conn.execute(taken).first():
        raise ValueError(f"Another person is called {new} in the archive; choose another name.")
    conn.execute(update(PSEUDONYM).where(PSEUDONYM.c.id == found.id).values(name=new, folded=folded(new)))
    return Pseudonym(found.id, found.name, found.listed)


def drop_unused(conn: Connection) -> None:
    """Names that stand at no seat are forgotten."""
    conn.execute(delete(PSEUDONYM).where(PSEUDONYM.c.id.not_in(select(SEAT_PSEUDONYM.c.pseudonym))))


def _give(conn: Connection, address: str, number: int) -> None:
    """Let one name stand at all seats of a person."""
    known = addresses.known_as(conn, address)
    for row in conn.execute(select(SEAT.c.game_id, SEAT.c.faction).where(SEAT.c.address.in_(known))).all():
        leaves(conn, row.game_id, row.faction)
        conn.execute(insert(SEAT_PSEUDONYM), {"game_id": row.game_id, "faction": row.faction, "pseudonym": number})
