"""Who takes part in a tournament."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, bindparam, func, insert, or_, select, update
from sqlalchemy.engine import Row

from bot.competition.names import display_name
from bot.competition.outcomes import Handle
from bot.competition.published import EntrantState
from bot.mail.identity import bounce_token_of
from bot.mail.mailboxes import mailbox_of
from bot.store.addresses import KNOWN_AS, known_as
from bot.store.instants import NO_INSTANT
from bot.store.tables import ADDRESS, LETTER, SEAT
from bot.store.tournament_tables import APART, ENTRANT, RIGHT

MOST_LOOKED_AT = 5_000
"""Letters: a look at them may not take the longer the more there are."""


@dataclass(frozen=True, slots=True)
class Entrant:
    """Somebody who takes part; ``bot.store.tournament_tables.EntrantRow`` says what each field means."""

    tournament_id: str
    number: int
    handle: Handle
    address: str
    token: str
    entered_at: datetime
    name: str = ""
    shown: bool = False
    state: EntrantState = "entered"
    standby: bool = False
    code: str = ""
    code_until: datetime | None = None
    guesses: int = 0
    confirmed_at: datetime | None = None
    timezone: str = "UTC"
    hours: int = 0
    rating: str = ""
    reliability: str = ""
    conduct: str = ""
    connections: str = ""
    no_show: bool = False
    digest_due: datetime | None = None
    undelivered: int = 0
    undelivered_at: datetime | None = None

    @property
    def public_name(self) -> str:
        """How others know them: "Ann (E007)", or the handle alone where they keep their name to themselves."""
        return display_name(self.handle, self.name if self.shown else "")


@dataclass(frozen=True, slots=True)
class Apart:
    """Two entrants, by number, who are never seated together. ``shown``: both agreed that this is published."""

    one: int
    other: int
    why: str = ""
    shown: bool = False


def handle(number: int) -> Handle:
    """The public name of an entrant.

    >>> handle(7), handle(12000)
    ('E007', 'E12000')
    """
    return f"E{number:03d}"


def next_number(conn: Connection, tournament_id: str) -> int:
    """The number of the next entrant; none is used twice."""
    most = select(func.max(ENTRANT.c.number)).where(ENTRANT.c.tournament_id == tournament_id)
    return int(conn.execute(most).scalar_one() or 0) + 1


def add(conn: Connection, entrant: Entrant) -> None:
    """Write a new entrant; their bounce token follows from their token."""
    conn.execute(insert(ENTRANT), {**asdict(entrant), "bounce_token": bounce_token_of(entrant.token)})


def change(conn: Connection, tournament_id: str, number: int, **changed: Any) -> None:
    """Change these columns of an entrant."""
    where = (ENTRANT.c.tournament_id == tournament_id, ENTRANT.c.number == number)
    conn.execute(update(ENTRANT).where(*where).values(changed))


def of_tournament(conn: Connection, tournament_id: str, states: Collection[EntrantState] = ()) -> list[Entrant]:
    """All entrants, or those in these states, by number."""
    found = select(ENTRANT).where(ENTRANT.c.tournament_id == tournament_id).order_by(ENTRANT.c.number)
    if states:
        found = found.where(ENTRANT.c.state.in_(states))
    return [_entrant(row) for row in conn.execute(found)]


def find(conn: Connection, tournament_id: str, named: Handle) -> Entrant | None:
    """An entrant by their handle, in any letter case."""
    where = (ENTRANT.c.tournament_id == tournament_id, ENTRANT.c.handle == named.strip().upper())
    row = conn.execute(select(ENTRANT).where(*where)).one_or_none()
    return None if row is None else _entrant(row)


def of_person(conn: Connection, tournament_id: str, address: str) -> Entrant | None:
    """The entrant who has this address, or another of the same person's."""
    where = (ENTRANT.c.tournament_id == tournament_id, ENTRANT.c.address.in_(known_as(conn, address)))
    row = conn.execute(select(ENTRANT).where(*where).order_by(ENTRANT.c.number).limit(1)).one_or_none()
    return None if row is None else _entrant(row)


def at_mailbox(conn: Connection, tournament_id: str, mailboxes: Collection[str]) -> Entrant | None:
    """The entrant whose address leads into one of these mailboxes (``bot.mail.mailboxes``)."""
    every = conn.execute(_ADDRESSES.where(ENTRANT.c.tournament_id == tournament_id)).all()
    found = next((row.handle for row in every if mailbox_of(row.address) in mailboxes), None)
    return None if found is None else find(conn, tournament_id, found)


_ADDRESSES = select(ENTRANT.c.handle, ENTRANT.c.address).order_by(ENTRANT.c.number)


def everywhere(conn: Connection, address: str) -> list[Entrant]:
    """The entries of the person with this address, in all tournaments."""
    found = select(ENTRANT).where(ENTRANT.c.address.in_(known_as(conn, address)))
    return [_entrant(row) for row in conn.execute(found.order_by(ENTRANT.c.tournament_id, ENTRANT.c.number))]


def in_doubt(conn: Connection, address: str) -> list[tuple[str, int]]:
    """The entries of the person with this address whose letters came back lately: tournaments and numbers."""
    return [(row.tournament_id, row.number) for row in conn.execute(_IN_DOUBT, {"address": address})]


_IN_DOUBT = select(ENTRANT.c.tournament_id, ENTRANT.c.number).where(
    ENTRANT.c.undelivered != 0, or_(ENTRANT.c.address == bindparam("address"), ENTRANT.c.address.in_(KNOWN_AS))
)
"""Every message needs it, so it is made once (``bot.store.mail``)."""


def by_token(conn: Connection, token: str) -> Entrant | None:
    """The entrant whose letters bring this token back."""
    row = conn.execute(select(ENTRANT).where(ENTRANT.c.token == token)).one_or_none()
    return None if row is None else _entrant(row)


def by_bounce_token(conn: Connection, token: str) -> Entrant | None:
    """To whom the letters with this envelope sender went."""
    row = conn.execute(select(ENTRANT).where(ENTRANT.c.bounce_token == token)).one_or_none()
    return None if row is None else _entrant(row)


def by_code(conn: Connection, code: str) -> Entrant | None:
    """The entrant whose entry this code confirms."""
    row = conn.execute(select(ENTRANT).where(ENTRANT.c.code == code)).first() if code else None
    return None if row is None else _entrant(row)


def letters_to_write(conn: Connection) -> list[Entrant]:
    """Entrants who have not been sent the code by which they confirm, as they had been written to shortly before."""
    where = (ENTRANT.c.code != "", ENTRANT.c.code_until == NO_INSTANT, ENTRANT.c.state == "entered")
    return [_entrant(row) for row in conn.execute(select(ENTRANT).where(*where).order_by(ENTRANT.c.entered_at))]


def letters_to_strangers(conn: Connection, since: datetime, but: str) -> int:
    """How many letters about no game were written since then, among the newest, to addresses of which nobody has shown
    that they are theirs: of no player, organiser or entrant who has confirmed, nor that one."""
    known = (
        select(ENTRANT.c.address).where(ENTRANT.c.confirmed_at != NO_INSTANT),
        select(RIGHT.c.address), select(SEAT.c.address), select(ADDRESS.c.address).where(ADDRESS.c.code == ""),
    )  # fmt: skip
    newest = LETTER.c.id > select(func.max(LETTER.c.id) - MOST_LOOKED_AT).scalar_subquery()
    where = [newest, LETTER.c.game_id.is_(None), LETTER.c.created_at > since, LETTER.c.recipient != but]
    where += [LETTER.c.recipient.not_in(theirs) for theirs in known]
    return int(conn.execute(select(func.count()).where(*where)).scalar_one())


def digests_due(conn: Connection, now: datetime, tournament_id: str = "", number: int = 0) -> list[Entrant]:
    """Whose letter of the day is due; or only whether that of one entrant still is."""
    where = (ENTRANT.c.digest_due != NO_INSTANT, ENTRANT.c.digest_due <= now)
    found = select(ENTRANT).where(*where).order_by(ENTRANT.c.tournament_id, ENTRANT.c.number)
    if number:
        found = found.where(ENTRANT.c.tournament_id == tournament_id, ENTRANT.c.number == number)
    return [_entrant(row) for row in conn.execute(found)]


def forget_named(conn: Connection, address: str) -> None:
    """Nobody's declaration of whom they know names this address any more."""
    named = select(ENTRANT).where(ENTRANT.c.connections.contains(address, autoescape=True))
    for row in conn.execute(named).all():
        lines = [line for line in row.connections.splitlines() if line.partition(" ")[0] != address]
        change(conn, row.tournament_id, row.number, connections="\n".join(lines))


def keep_apart(conn: Connection, tournament_id: str, pair: Apart) -> None:
    """Never seat two entrants together; once is enough."""
    part_no_more(conn, tournament_id, pair.one, pair.other)
    one, other = sorted((pair.one, pair.other))
    row = {"tournament_id": tournament_id, "one": one, "other": other, "why": pair.why, "shown": pair.shown}
    conn.execute(insert(APART), row)


def part_no_more(conn: Connection, tournament_id: str, one: int, other: int) -> bool:
    """They may sit together again; whether they were kept apart."""
    low, high = sorted((one, other))
    where = (APART.c.tournament_id == tournament_id, APART.c.one == low, APART.c.other == high)
    return bool(conn.execute(APART.delete().where(*where)).rowcount)


def apart(conn: Connection, tournament_id: str) -> list[Apart]:
    """All pairs that are kept apart."""
    found = select(APART).where(APART.c.tournament_id == tournament_id).order_by(APART.c.one, APART.c.other)
    return [Apart(row.one, row.other, row.why, row.shown) for row in conn.execute(found)]


def _entrant(row: Row[Any]) -> Entrant:
    return Entrant(**{name: value for name, value in row._mapping.items() if name != "bounce_token"})
