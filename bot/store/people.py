"""People: their addresses, the seats that mail names, the pseudonyms under which the archive lists them, and their
bans.

A person with only one address needs no row here, however many games they play. Rows are added when a person gets a
second address. All rows of a person share the same ``person`` number, and one of them is the address in use. An
unconfirmed address belongs to nobody.

Mail names a seat by the reply token of its player or sitter, or by the bounce token of a letter that was returned.

A pseudonym belongs to seats, never to an address. A person who has seats at any of their addresses has the pseudonym of
those seats. Once the seats are anonymous, nobody can tell whose pseudonym it was. A person has the same pseudonym in
all their games, and no two people have the same one. Letter case, spaces and punctuation do not distinguish pseudonyms.

A ban prevents a person from playing, in all games or in one tournament. A warning forbids nothing.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Literal
from zoneinfo import ZoneInfo

from sqlalchemy import ColumnElement, Connection, bindparam, delete, func, insert, or_, select, update

from bot.config.time_zones import zone_named
from bot.mail.identity import mailbox_of
from bot.store.database import NO_INSTANT
from bot.store.rows import add_value, columns_of, count_rows, fetch, load, load_all, query, table_of
from bot.store.tables import ADDRESS, DEADLINE, GAME, MESSAGE, OLD_TOKEN, SEAT, SEAT_PSEUDONYM
from bot.wording.filters import default_archive_name, fold_name
from rules.components import Faction, as_faction

SeatName = tuple[str, Faction]
"""A game's id, and a faction in that game."""


def seats_of_persons(conn: Connection, late: Sequence[SeatName], now: datetime) -> list[list[SeatName]]:
    """Return all seats that need a letter, grouped by person: the seats in ``late``, and other seats of the same people
    that have an open question which is not yet due."""
    together: dict[str, list[SeatName]] = {}
    for game_id, faction in late:
        whose = select(SEAT.c.address).where(SEAT.c.game_id == game_id, SEAT.c.faction == faction)
        if address := conn.execute(whose).scalar_one():  # computer opponents get no letters
            together.setdefault(address, []).append((game_id, faction))
    for address, seats in together.items():
        others = (
            select(DEADLINE.c.game_id, DEADLINE.c.faction)
            .join(SEAT, (SEAT.c.game_id == DEADLINE.c.game_id) & (SEAT.c.faction == DEADLINE.c.faction))
            .join(GAME, GAME.c.id == DEADLINE.c.game_id)
            .where(
                SEAT.c.address == address,
                DEADLINE.c.state == "open",
                DEADLINE.c.due > now,
                GAME.c.status == "running",
                GAME.c.stopped_at == NO_INSTANT,
            )
            .distinct()
            .order_by(DEADLINE.c.game_id)
        )
        found = [(row.game_id, as_faction(row.faction)) for row in conn.execute(others)]
        seats += [seat for seat in found if seat not in seats]
    return list(together.values())


def persons_at(conn: Connection, games: Sequence[str]) -> Mapping[str, tuple[ZoneInfo, list[str]]]:
    wanted = set(games)
    persons: dict[str, tuple[ZoneInfo, list[str]]] = {}
    seats = select(SEAT.c.address, SEAT.c.timezone, SEAT.c.game_id).where(SEAT.c.address != "")
    rows = conn.execute(seats.order_by(SEAT.c.game_id))
    for row in rows:
        if row.game_id in wanted:
            own = persons.setdefault(row.address, (zone_named(row.timezone), []))[1]
            own += [row.game_id] if row.game_id not in own else []
    return persons


def who_ordered(conn: Connection, game_id: str, since: datetime | None = None) -> set[str]:
    wrote = select(MESSAGE.c.faction).where(MESSAGE.c.game_id == game_id, MESSAGE.c.disposition == "orders").distinct()
    if since:
        wrote = wrote.where(MESSAGE.c.received_at >= since)
    return set(conn.scalars(wrote))


def last_orders(conn: Connection, games: Collection[str]) -> dict[SeatName, datetime]:
    found: dict[SeatName, datetime] = {}
    wanted = sorted(games)
    for first in range(0, len(wanted), AT_ONCE):
        wrote = (
            select(MESSAGE.c.game_id, MESSAGE.c.faction, func.max(MESSAGE.c.received_at).label("last"))
            .where(MESSAGE.c.game_id.in_(wanted[first : first + AT_ONCE]), MESSAGE.c.disposition == "orders")
            .group_by(MESSAGE.c.game_id, MESSAGE.c.faction)
        )
        found |= {(row.game_id, as_faction(row.faction)): row.last for row in conn.execute(wrote) if row.faction}
    return found


AT_ONCE = 500


CODE_HOLDS = timedelta(days=3)

_CONFIRMED = ADDRESS.c.code == ""


@dataclass(frozen=True, slots=True)
class AddressRequest:
    person: int
    address: str
    owner: str


def known_as(conn: Connection, address: str) -> frozenset[str]:
    """Return all confirmed addresses of the person who has this address. Most people have only this one."""
    return frozenset((address, *conn.execute(KNOWN_AS, {"address": address}).scalars()))


_PERSON_OF = select(ADDRESS.c.person).where(ADDRESS.c.address == bindparam("address"), _CONFIRMED)
KNOWN_AS = select(ADDRESS.c.address).where(ADDRESS.c.person.in_(_PERSON_OF), _CONFIRMED)
"""All confirmed addresses of the person who has the ``address`` and at least one other."""


def mailboxes(conn: Connection, address: str) -> frozenset[str]:
    """Return the mailboxes of the person behind an address, ignoring tags and letter case. No two people share a
    mailbox (``bot.mail.identity``)."""
    own = mailbox_of(address)
    known = conn.execute(select(ADDRESS.c.person, ADDRESS.c.address).where(_CONFIRMED)).all()
    persons = {row.person for row in known if mailbox_of(row.address) == own}
    return frozenset((own, *(mailbox_of(row.address) for row in known if row.person in persons)))


def identifiers(conn: Connection, address: str, *, tags_apart: bool) -> frozenset[str]:
    """Return the identifiers of the person behind an address. No two people share an identifier. With ``tags_apart``,
    addresses of one mailbox that have different tags count as different people."""
    return known_as(conn, address.strip().lower()) if tags_apart else mailboxes(conn, address)


def address_in_use(conn: Connection, address: str) -> str:
    person = select(ADDRESS.c.person).where(ADDRESS.c.address == address, _CONFIRMED)
    used = select(ADDRESS.c.address).where(ADDRESS.c.person.in_(person), ADDRESS.c.used)
    return conn.execute(used).scalars().first() or address


def seats_at_addresses(conn: Connection, addresses: Collection[str]) -> list[SeatName]:
    found = (
        select(SEAT.c.game_id, SEAT.c.faction)
        .join(GAME, GAME.c.id == SEAT.c.game_id)
        .where(SEAT.c.address.in_(addresses), GAME.c.status != "over")
        .order_by(SEAT.c.game_id, SEAT.c.dot)
    )
    return [(row.game_id, as_faction(row.faction)) for row in conn.execute(found)]


def seats_of_sitter(conn: Connection, addresses: Collection[str]) -> list[SeatName]:
    found = (
        select(SEAT.c.game_id, SEAT.c.faction)
        .join(GAME, GAME.c.id == SEAT.c.game_id)
        .where(SEAT.c.sitter.in_(addresses), GAME.c.status != "over")
        .order_by(SEAT.c.game_id, SEAT.c.dot)
    )
    return [(row.game_id, as_faction(row.faction)) for row in conn.execute(found)]


# --- a further address ------------------------------------------------------------------------------------------------


def addresses_waiting(conn: Connection, address: str, now: datetime) -> list[str]:
    person = _person_of(conn, address)
    since = now - CODE_HOLDS
    open_now = select(ADDRESS.c.address).where(ADDRESS.c.person == person, ~_CONFIRMED, ADDRESS.c.asked_at > since)
    return list(conn.execute(open_now.order_by(ADDRESS.c.id)).scalars())


def count_address_requests(conn: Connection, address: str, since: datetime) -> int:
    return count_rows(conn, ADDRESS.c.address == address, ~_CONFIRMED, ADDRESS.c.asked_at > since)


def ask_for_address(conn: Connection, owner: str, address: str, code: str, now: datetime) -> None:
    person = _person_of(conn, owner)
    if person is None:
        person = _new_person(conn, owner)
    conn.execute(delete(ADDRESS).where(ADDRESS.c.person == person, ADDRESS.c.address == address))
    row = {"person": person, "address": address, "used": False, "code": code, "asked_at": now}
    conn.execute(insert(ADDRESS), row)


def address_request(conn: Connection, code: str, now: datetime) -> AddressRequest | None:
    since = now - CODE_HOLDS
    asked = select(ADDRESS).where(ADDRESS.c.code == code, ADDRESS.c.asked_at > since)
    row = conn.execute(asked).one_or_none() if code else None
    if row is None:
        return None
    used = select(ADDRESS.c.address).where(ADDRESS.c.person == row.person, ADDRESS.c.used)
    owner = conn.execute(used).scalar_one_or_none()
    return AddressRequest(row.person, row.address, owner) if owner else None


def confirm_address(conn: Connection, asked: AddressRequest) -> None:
    """Assign a confirmed address to a person. If it was another person's only address, the two become one person."""
    conn.execute(delete(ADDRESS).where(ADDRESS.c.address == asked.address, ADDRESS.c.person == asked.person))
    conn.execute(delete(ADDRESS).where(ADDRESS.c.address == asked.address, _CONFIRMED))
    _add_address(conn, asked.person, asked.address, used=False)


def tie_persons(conn: Connection, one: str, other: str) -> bool:
    """Record that two addresses belong to the same person. Return False if this is already known."""
    if other in known_as(conn, one):
        return False
    moved = known_as(conn, other)
    person = _person_of(conn, one)
    if person is None:
        person = _new_person(conn, one)
    conn.execute(delete(ADDRESS).where(ADDRESS.c.address.in_(moved), _CONFIRMED))
    for address in sorted(moved):
        _add_address(conn, person, address, used=False)
    return True


def part_persons(conn: Connection, address: str) -> bool:
    """Record that an address does not belong to the same person as the addresses to which it was tied. Return False if
    it is not tied to any."""
    others = known_as(conn, address) - {address}
    if not others:
        return False
    remove_address(conn, address)
    if not conn.scalars(select(ADDRESS.c.address).where(ADDRESS.c.address.in_(others), ADDRESS.c.used)).first():
        use_address(conn, min(others))
    return True


def decline_address(conn: Connection, asked: AddressRequest) -> None:
    this = (ADDRESS.c.person == asked.person, ADDRESS.c.address == asked.address, ~_CONFIRMED)
    conn.execute(update(ADDRESS).where(*this).values(code="declined " + ADDRESS.c.code))  # still counts as a request


def forget_address_requests(conn: Connection, address: str) -> None:
    conn.execute(delete(ADDRESS).where(ADDRESS.c.person == _person_of(conn, address), ~_CONFIRMED))


def use_address(conn: Connection, address: str) -> None:
    person = _person_of(conn, address)
    conn.execute(update(ADDRESS).where(ADDRESS.c.person == person).values(used=ADDRESS.c.address == address))


def remove_address(conn: Connection, address: str) -> None:
    conn.execute(delete(ADDRESS).where(ADDRESS.c.address == address, _CONFIRMED))


def _person_of(conn: Connection, address: str) -> int | None:
    return conn.execute(select(ADDRESS.c.person).where(ADDRESS.c.address == address, _CONFIRMED)).scalars().first()


def _new_person(conn: Connection, address: str) -> int:
    person = int(conn.execute(select(func.coalesce(func.max(ADDRESS.c.person), 0))).scalar_one()) + 1
    _add_address(conn, person, address, used=True)
    return person


def _add_address(conn: Connection, person: int, address: str, *, used: bool) -> None:
    row = {"person": person, "address": address, "used": used, "code": "", "asked_at": None}
    conn.execute(insert(ADDRESS), row)


# --- reply tokens that have ended -------------------------------------------------------------------------------------


def end_token(conn: Connection, token: str, game_id: str, faction: Faction) -> None:
    conn.execute(insert(OLD_TOKEN), {"token": token, "game_id": game_id, "faction": faction})


def seat_of_old_token(conn: Connection, token: str) -> SeatName | None:
    row = conn.execute(select(OLD_TOKEN).where(OLD_TOKEN.c.token == token)).one_or_none()
    return (row.game_id, as_faction(row.faction)) if row else None


@dataclass(frozen=True, slots=True)
class NamedSeat:
    """A seat named by a reply token. ``answered`` counts the messages from the seat that were answered since a given
    instant. ``sitter`` is the address of the sitter, who plays until ``sitter_until``. ``of_sitter`` is true if the
    token is the sitter's."""

    game_id: str
    faction: Faction
    address: str
    answered: int = 0
    sitter: str = ""
    sitter_until: datetime | None = None
    of_sitter: bool = False


def seat_by_token(conn: Connection, token: str, since: datetime) -> NamedSeat | None:
    row = conn.execute(_SEAT_BY_TOKEN, {"token": token, "since": since}).one_or_none()
    return NamedSeat(row.game_id, as_faction(row.faction), row.address, row.answered) if row else None


def seat_by_sitter_token(conn: Connection, token: str, since: datetime) -> NamedSeat | None:
    row = conn.execute(_SEAT_BY_SITTER_TOKEN, {"token": token, "since": since}).one_or_none() if token else None
    if row is None:
        return None
    faction = as_faction(row.faction)
    return NamedSeat(row.game_id, faction, row.address, row.answered, row.sitter, row.sitter_until, of_sitter=True)


def sitter_tokens(conn: Connection) -> list[tuple[SeatName, str]]:
    found = select(SEAT.c.game_id, SEAT.c.faction, SEAT.c.sitter_token).where(SEAT.c.sitter_token > "")
    return [((row.game_id, as_faction(row.faction)), row.sitter_token) for row in conn.execute(found)]


def sittings_over(conn: Connection, now: datetime) -> list[SeatName]:
    return [(row.game_id, as_faction(row.faction)) for row in conn.execute(_SITTINGS_OVER, {"now": now})]


_SITTINGS_OVER = select(SEAT.c.game_id, SEAT.c.faction).where(
    SEAT.c.sitter_token > "", SEAT.c.sitter_until.between(datetime.min.replace(tzinfo=UTC), bindparam("now"))
)


def seat_by_bounce_token(conn: Connection, token: str) -> NamedSeat | None:
    row = conn.execute(_SEAT_BY_BOUNCE_TOKEN, {"token": token}).one_or_none()
    return NamedSeat(row.game_id, as_faction(row.faction), row.address) if row else None


def seat_by_name(conn: Connection, game_id: str, faction: Faction) -> NamedSeat | None:
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


@dataclass(frozen=True, slots=True)
class Pseudonym:
    """A chosen pseudonym. ``listed`` is true if its person agreed to appear in the list of players. Two names with the
    same ``folded`` form count as the same name (``bot.wording.filters.fold_name``)."""

    id: int
    name: str
    listed: bool


PSEUDONYM = table_of("pseudonym", Pseudonym, key="id", unique="folded", folded=str)


def pseudonym_of(conn: Connection, address: str) -> Pseudonym | None:
    known = known_as(conn, address)
    found = (
        query(Pseudonym, SEAT.c.address.in_(known))
        .join(SEAT_PSEUDONYM, SEAT_PSEUDONYM.c.pseudonym == PSEUDONYM.c.id)
        .join(SEAT, (SEAT.c.game_id == SEAT_PSEUDONYM.c.game_id) & (SEAT.c.faction == SEAT_PSEUDONYM.c.faction))
        .limit(1)
    )
    return next(iter(fetch(conn, Pseudonym, found)), None)


def pseudonyms_of_game(conn: Connection, game_id: str) -> Mapping[Faction, Pseudonym]:
    return _pseudonyms(conn, SEAT_PSEUDONYM.c.game_id == game_id).get(game_id, {})


def pseudonyms_of_all_games(conn: Connection) -> Mapping[str, Mapping[Faction, Pseudonym]]:
    return _pseudonyms(conn)


def _pseudonyms(conn: Connection, *where: ColumnElement[bool]) -> dict[str, dict[Faction, Pseudonym]]:
    found = select(SEAT_PSEUDONYM.c.game_id, SEAT_PSEUDONYM.c.faction, *columns_of(Pseudonym)).where(*where)
    of: dict[str, dict[Faction, Pseudonym]] = {}
    for game_id, faction, *own in conn.execute(found.join(PSEUDONYM, SEAT_PSEUDONYM.c.pseudonym == PSEUDONYM.c.id)):
        of.setdefault(game_id, {})[as_faction(faction)] = Pseudonym(*own)
    return of


def pseudonym_at(conn: Connection, game_id: str, faction: Faction) -> str:
    own = pseudonyms_of_game(conn, game_id).get(faction)
    return own.name if own else default_archive_name(faction, game_id)


def choose_pseudonym(conn: Connection, address: str, name: str) -> bool:
    own = pseudonym_of(conn, address)
    taken = conn.execute(select(PSEUDONYM.c.id).where(PSEUDONYM.c.folded == fold_name(name))).scalar_one_or_none()
    if taken is not None and (own is None or taken != own.id):
        return False
    if own is None:
        _give_to_all_seats(conn, address, add_value(conn, Pseudonym(0, name, listed=False), folded=fold_name(name)))
    else:
        changed = update(PSEUDONYM).where(PSEUDONYM.c.id == own.id)
        conn.execute(changed.values(name=name, folded=fold_name(name)))
        _give_to_all_seats(conn, address, own.id)
    return True


def drop_pseudonym(conn: Connection, address: str) -> None:
    if own := pseudonym_of(conn, address):
        conn.execute(delete(SEAT_PSEUDONYM).where(SEAT_PSEUDONYM.c.pseudonym == own.id))
        drop_unused_pseudonyms(conn)


def set_listed(conn: Connection, address: str, listed: bool) -> Pseudonym | None:
    own = pseudonym_of(conn, address)
    if own is not None:
        conn.execute(update(PSEUDONYM).where(PSEUDONYM.c.id == own.id).values(listed=listed))
    return own


def join_pseudonyms(conn: Connection, owner: str) -> None:
    """Merge the pseudonyms of two addresses of one person. If ``owner`` has a pseudonym, that one is kept."""
    seats = conn.execute(
        select(SEAT_PSEUDONYM.c.pseudonym)
        .join(SEAT, (SEAT.c.game_id == SEAT_PSEUDONYM.c.game_id) & (SEAT.c.faction == SEAT_PSEUDONYM.c.faction))
        .where(SEAT.c.address == owner)
        .limit(1)
    ).scalar_one_or_none()
    either = pseudonym_of(conn, owner)
    if either is not None:
        _give_to_all_seats(conn, owner, either.id if seats is None else int(seats))
        drop_unused_pseudonyms(conn)


def give_pseudonym_to_seat(conn: Connection, game_id: str, faction: Faction, address: str) -> None:
    own = pseudonym_of(conn, address)
    clear_pseudonym_of_seat(conn, game_id, faction)
    if own is not None:
        conn.execute(insert(SEAT_PSEUDONYM), {"game_id": game_id, "faction": faction, "pseudonym": own.id})
    drop_unused_pseudonyms(conn)


def clear_pseudonym_of_seat(conn: Connection, game_id: str, faction: Faction) -> None:
    seat = (SEAT_PSEUDONYM.c.game_id == game_id, SEAT_PSEUDONYM.c.faction == faction)
    conn.execute(delete(SEAT_PSEUDONYM).where(*seat))


def rename_pseudonym(conn: Connection, old: str, new: str) -> Pseudonym | None:
    """Rename a pseudonym everywhere. Return None if nobody has it. Raise ValueError if somebody else has the new
    name."""
    found = load(conn, Pseudonym, folded=fold_name(old))
    if found is None:
        return None
    taken = select(PSEUDONYM.c.id).where(PSEUDONYM.c.folded == fold_name(new), PSEUDONYM.c.id != found.id)
    if conn.execute(taken).first():
        raise ValueError(f"Another person is called {new} in the archive; choose another name.")
    conn.execute(update(PSEUDONYM).where(PSEUDONYM.c.id == found.id).values(name=new, folded=fold_name(new)))
    return found


def drop_unused_pseudonyms(conn: Connection) -> None:
    conn.execute(delete(PSEUDONYM).where(PSEUDONYM.c.id.not_in(select(SEAT_PSEUDONYM.c.pseudonym))))


def _give_to_all_seats(conn: Connection, address: str, number: int) -> None:
    known = known_as(conn, address)
    for row in conn.execute(select(SEAT.c.game_id, SEAT.c.faction).where(SEAT.c.address.in_(known))).all():
        clear_pseudonym_of_seat(conn, row.game_id, row.faction)
        conn.execute(insert(SEAT_PSEUDONYM), {"game_id": row.game_id, "faction": row.faction, "pseudonym": number})


BanKind = Literal["ban", "warning"]


@dataclass(frozen=True, slots=True)
class Ban:
    """A ban, or a warning, which forbids nothing. ``tournament_id`` is "" if the ban applies to all games. ``until`` is
    None if the ban is permanent. ``why``, ``who``, ``lifted_why`` and ``lifted_by`` are for the record."""

    address: str
    tournament_id: str
    kind: BanKind
    why: str
    who: str
    since: datetime
    until: datetime | None = None
    lifted_at: datetime | None = None
    number: int = 0
    lifted_why: str = ""
    lifted_by: str = ""


BAN = table_of("ban", Ban, key="id", index="address")


def add_ban(conn: Connection, ban: Ban) -> None:
    add_value(conn, ban)


def lift_bans(
    conn: Connection,
    address: str,
    tournament_id: str,
    now: datetime,
    why: str = "",
    by: str = "",
    *,
    tags_apart: bool = False,
) -> list[str]:
    """End a person's bans. Return the addresses that were banned. ``why`` and ``by`` are for the record."""
    here = (ban for ban in _unlifted_bans(conn) if ban.tournament_id == tournament_id)
    ended = _bans_of(conn, here, address, tags_apart=tags_apart)
    numbers = [ban.number for ban in ended]
    conn.execute(update(BAN).where(BAN.c.id.in_(numbers)).values(lifted_at=now, lifted_why=why, lifted_by=by))
    return [ban.address for ban in ended]


def all_bans(conn: Connection) -> list[Ban]:
    return load_all(conn, Ban)


def standing_ban(
    conn: Connection, address: str, now: datetime, tournament_id: str = "", *, tags_apart: bool = False
) -> Ban | None:
    """Return the ban that currently prevents a person from playing, either in all games or in this tournament, under
    any of their addresses. With ``tags_apart``, addresses of one mailbox that have different tags count as different
    people (``bot.games.identity``)."""
    now_and_here = (
        ban
        for ban in _unlifted_bans(conn)
        if ban.tournament_id in ("", tournament_id) and (ban.until is None or ban.until > now)
    )
    return next(iter(_bans_of(conn, now_and_here, address, tags_apart=tags_apart)), None)


def _unlifted_bans(conn: Connection) -> list[Ban]:
    return load_all(conn, Ban, kind="ban", lifted_at=NO_INSTANT)


def _bans_of(conn: Connection, every_ban: Iterable[Ban], address: str, *, tags_apart: bool) -> list[Ban]:
    if not (found := list(every_ban)):
        return []
    known = identifiers(conn, address, tags_apart=tags_apart)
    return [ban for ban in found if (ban.address if tags_apart else mailbox_of(ban.address)) in known]
