"""Seats as mail names them: by the reply token of a player or a sitter, or by the token of a letter that came back."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime

from sqlalchemy import Connection, bindparam, func, or_, select

from bot.store.persons import SeatName
from bot.store.tables import MESSAGE, SEAT
from rules.components import Faction, as_faction


@dataclass(frozen=True, slots=True)
class NamedSeat:
    """A seat as a reply token names it. ``answered`` counts its messages that were answered since a given instant.
    ``sitter`` is the address of whoever sits in there until ``sitter_until``; ``of_sitter``: it is their token."""

    game_id: str
    faction: Faction
    address: str
    answered: int = 0
    sitter: str = ""
    sitter_until: datetime | None = None
    of_sitter: bool = False


def by_token(conn: Connection, token: str, since: datetime) -> NamedSeat | None:
    """The seat that a reply token belongs to."""
    row = conn.execute(_SEAT_BY_TOKEN, {"token": token, "since": since}).one_or_none()
    return NamedSeat(row.game_id, as_faction(row.faction), row.address, row.answered) if row else None


def by_sitter_token(conn: Connection, token: str, since: datetime) -> NamedSeat | None:
    """The seat at which somebody sits in who has this reply token."""
    row = conn.execute(_SEAT_BY_SITTER_TOKEN, {"token": token, "since": since}).one_or_none() if token else None
    if row is None:
        return None
    faction = as_faction(row.faction)
    return NamedSeat(row.game_id, faction, row.address, row.answered, row.sitter, row.sitter_until, of_sitter=True)


def sitter_tokens(conn: Connection) -> list[tuple[SeatName, str]]:
    """The seats at which somebody sits in, with their reply tokens."""
    found = select(SEAT.c.game_id, SEAT.c.faction, SEAT.c.sitter_token).where(SEAT.c.sitter_token > "")
    return [((row.game_id, as_faction(row.faction)), row.sitter_token) for row in conn.execute(found)]


def sittings_over(conn: Connection, now: datetime) -> list[SeatName]:
    """The seats at which the time of a sitter is over. Those where nobody sits are left out by the index."""
    return [(row.game_id, as_faction(row.faction)) for row in conn.execute(_SITTINGS_OVER, {"now": now})]


_SITTINGS_OVER = select(SEAT.c.game_id, SEAT.c.faction).where(
    SEAT.c.sitter_token > "", SEAT.c.sitter_until.between(datetime.min.replace(tzinfo=UTC), bindparam("now"))
)


def by_bounce_token(conn: Connection, token: str) -> NamedSeat | None:
    """The seat to which a letter went that came back to this token."""
    row = conn.execute(_SEAT_BY_BOUNCE_TOKEN, {"token": token}).one_or_none()
    return NamedSeat(row.game_id, as_faction(row.faction), row.address) if row else None


def by_name(conn: Connection, game_id: str, faction: Faction) -> NamedSeat | None:
    """A seat by its name."""
    named = select(SEAT.c.address, SEAT.c.sitter, SEAT.c.sitter_until)
    row = conn.execute(named.where(SEAT.c.game_id == game_id, SEAT.c.faction == faction)).one_or_none()
    return None if row is None else NamedSeat(game_id, faction, row.address, 0, row.sitter, row.sitter_until)


_ANSWERED = (
    select(func.count())
    .select_from(MESSAGE)
    .where(
        MESSAGE.c.game_id == SEAT.c.game_id,
        MESSAGE.c.faction == SEAT.c.faction,
        MESSAGE.c.received_at > bindparam("since"),
        or_(MESSAGE.c.disposition == "orders", MESSAGE.c.disposition == "empty"),
    )
    .correlate(SEAT)
    .scalar_subquery()
)
_SEAT_BY_TOKEN = select(SEAT.c.game_id, SEAT.c.faction, SEAT.c.address, _ANSWERED.label("answered")).where(
    SEAT.c.token == bindparam("token")
)
_SEAT_BY_SITTER_TOKEN = select(
    SEAT.c.game_id, SEAT.c.faction, SEAT.c.address, SEAT.c.sitter, SEAT.c.sitter_until, _ANSWERED.label("answered")
).where(SEAT.c.sitter_token == bindparam("token"))
_SEAT_BY_BOUNCE_TOKEN = select(SEAT.c.game_id, SEAT.c.faction, SEAT.c.address).where(
    SEAT.c.bounce_token == bindparam("token")
)
