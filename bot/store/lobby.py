"""Open tables in the database: their seats and waiting lists, the wishes of people whose address is not yet verified,
and addresses that want no mail.

A table's id becomes the id of its game, so the table's acts are in the act log under that id (``bot.store.acts``). The
column ``live`` contains the person while a seat counts, and NULL afterwards; an index on it prevents a person from
having two seats at one table. The transaction that adds a seat also counts the seats, with everything locked
(``bot.store.database.writing``).

An address that has not been verified has only wishes: commands that will be carried out when a "yes" comes from it. For
letters to such addresses, only hashes of the mailbox and the domain are kept, for a month. Hashes of addresses that
want no mail are kept permanently.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass
from datetime import date, datetime
from functools import lru_cache
from typing import Any, Literal

import msgspec
from sqlalchemy import Column, Connection, Index, String, delete, exists, func, select, update

from bot.store.mail import LETTER
from bot.store.rows import add_value, any_row, count_rows, load, load_all, table_of
from bot.store.tables import ABSENCE, DEADLINE, ENTRY, GAME, MESSAGE, NOBODY, SEAT

TableKind = Literal["open", "private", "rematch", "vacancy", "practice"]
TableState = Literal["proposed", "open", "full", "started", "ended"]
FORMING: tuple[TableState, ...] = ("open", "full")
SeatState = Literal["seated", "offered", "invited", "waiting", "left", "freed", "declined", "ended"]
LIVE: tuple[SeatState, ...] = ("seated", "offered", "invited", "waiting")
HOLDING: tuple[SeatState, ...] = ("seated", "offered")
"""States that take one of the table's seats."""
KEPT: tuple[SeatState, ...] = (*HOLDING, "invited")
"""States in which a seat is reserved, so that nobody else can take it."""


class TableSettings(msgspec.Struct, frozen=True, kw_only=True):
    """The settings with which a table opens. At least ``fewest`` players are needed to start it. ``opponents`` is the
    temperament of the computer opponents that then take the empty seats, or "" for no opponents. ``starts_at`` is the
    table's date, or None. If ``starts`` is "date", the table starts on that date if it can, and is closed otherwise."""

    ruleset: str = "wbc-2018"
    options: dict[str, Any] = {}
    tempo: str = "steady"
    press: str = ""
    size: int = 6
    fewest: int = 6
    opponents: str = ""
    starts: Literal["itself", "opener", "date"] = "itself"
    starts_at: datetime | None = None
    factions: Literal["draw", "wishes", "auction"] = "wishes"
    newcomers: Literal["no", "one", "any"] = "any"
    reliability: float = 0.0
    rated: bool = True


@dataclass(frozen=True, slots=True)
class LobbyTable:
    """An open table.

    - ``text`` is its settings as JSON.
    - ``expires_at`` is when the table expires, which depends on when people last joined (``bot.lobby.tables.ends_at``).
    - ``seed`` determines the draw. ``commitment`` is its SHA-256, which is in every letter about a seat.
    - ``word`` is the word with which people join a private table.
    - ``of_game`` is the game of which the table is a rematch, or in which it offers a seat. If it offers a seat,
      ``opener`` is that seat's player.
    - ``starter`` is the person who decides when to start, if ``starts`` is "opener".
    - ``check_due`` is when the players who have not answered the check-in lose their seats.
    - ``noticed_on`` is the day of the last notice to all.
    - ``rounds`` counts the table's changes between open and full. It is part of the names of letters.
    """

    id: str
    kind: TableKind
    title: str
    state: TableState
    text: str
    opener: str
    opened_at: datetime
    expires_at: datetime
    seed: str
    commitment: str
    word: str = ""
    of_game: str = ""
    starter: str = ""
    full_at: datetime | None = None
    check_due: datetime | None = None
    reminded: bool = False
    go: bool = False
    noticed_on: date | None = None
    ended_at: datetime | None = None
    why: str = ""
    rounds: int = 0
    revision: int = 0

    @property
    def settings(self) -> TableSettings:
        return _settings_of_text(self.text)


TABLE = table_of(
    "lobby_table",
    LobbyTable,
    Column("settings", String, nullable=False, info={"field": "text"}),
    key="id",
    index="state",
)


@lru_cache(maxsize=256)
def _settings_of_text(text: str) -> TableSettings:
    return msgspec.json.decode(text, type=TableSettings)


def settings_text(settings: TableSettings) -> str:
    return msgspec.json.encode(settings).decode()


def add_table(conn: Connection, table: LobbyTable) -> None:
    add_value(conn, table)


def find_table(conn: Connection, table_id: str) -> LobbyTable | None:
    return load(conn, LobbyTable, id=table_id)


def all_tables(conn: Connection, *states: TableState) -> list[LobbyTable]:
    found = load_all(conn, LobbyTable, *([TABLE.c.state.in_(states)] if states else ()))
    return sorted(found, key=lambda each: (each.opened_at, each.id))


def change_table(conn: Connection, table_id: str, **changed: Any) -> None:
    if "text" in changed:
        changed["settings"] = changed.pop("text")
    changed["revision"] = TABLE.c.revision + 1
    conn.execute(update(TABLE).where(TABLE.c.id == table_id).values(changed))


def count_tables(conn: Connection, kind: TableKind) -> int:
    return count_rows(conn, TABLE.c.kind == kind)


def practices_since(conn: Connection, addresses: Collection[str], since: datetime) -> int:
    return count_rows(conn, TABLE.c.kind == "practice", TABLE.c.opener.in_(addresses), TABLE.c.opened_at > since)


def is_taken(conn: Connection, table_id: str) -> bool:
    """Return True if a table that has not yet started uses this id, which will be the id of its game."""
    return any_row(conn, func.lower(TABLE.c.id) == table_id.lower(), TABLE.c.state != "started")


@dataclass(frozen=True, slots=True)
class LobbySeat:
    """A person's seat, their place on the waiting list, or their invitation.

    - ``number`` is the order of joining.
    - ``proof`` says how the person had verified their address when they joined.
    - ``wishes`` are the person's wishes, sealed.
    - ``present_at`` is when the person last confirmed their seat.
    - ``asked`` counts how often the person was offered a seat.
    - ``why`` is the reason for its end, which nobody else learns.
    """

    table_id: str
    address: str
    state: SeatState
    joined_at: datetime
    proof: str
    name: str = ""
    wishes: str = ""
    present_at: datetime | None = None
    offer_until: datetime | None = None
    asked: int = 0
    why: str = ""
    changed_at: datetime | None = None
    number: int = 0


LOBBY_SEAT = table_of(
    "lobby_seat",
    LobbySeat,
    Index("ix_lobby_seat_live", "table_id", "live", unique=True),
    key="id",
    index="table_id address state",
    live=str | None,
)


def add_seat(conn: Connection, seat: LobbySeat) -> LobbySeat:
    return find_seat(conn, add_value(conn, seat, live=seat.address if seat.state in LIVE else None))


def find_seat(conn: Connection, number: int) -> LobbySeat:
    found = load(conn, LobbySeat, LOBBY_SEAT.c.id == number)
    assert found is not None, number
    return found


def change_seat(conn: Connection, number: int, **changed: Any) -> None:
    if changed.get("state", "seated") not in LIVE:
        changed["live"] = None
    conn.execute(update(LOBBY_SEAT).where(LOBBY_SEAT.c.id == number).values(changed))


def seats_of(conn: Connection, table_id: str, *states: SeatState) -> list[LobbySeat]:
    """Return the seats of a table that are in one of these states, in the order of joining. Without ``states``, return
    the seats that still count."""
    return load_all(conn, LobbySeat, LOBBY_SEAT.c.state.in_(states or LIVE), table_id=table_id)


def live_seats(conn: Connection) -> dict[str, list[LobbySeat]]:
    found: dict[str, list[LobbySeat]] = {}
    for seat in load_all(conn, LobbySeat, LOBBY_SEAT.c.live.is_not(None)):
        found.setdefault(seat.table_id, []).append(seat)
    return found


def every_seat(conn: Connection, table_id: str) -> list[LobbySeat]:
    return load_all(conn, LobbySeat, table_id=table_id)


def seats_of_person(conn: Connection, addresses: Collection[str], *states: SeatState) -> list[LobbySeat]:
    return load_all(conn, LobbySeat, LOBBY_SEAT.c.address.in_(addresses), LOBBY_SEAT.c.state.in_(states or LIVE))


def seat_given_up(conn: Connection, addresses: Collection[str], tables: Collection[str] = ()) -> LobbySeat | None:
    where = [LOBBY_SEAT.c.address.in_(addresses), LOBBY_SEAT.c.state.in_(("declined", "left"))]
    found = load_all(conn, LobbySeat, *where, *([LOBBY_SEAT.c.table_id.in_(tables)] if tables else ()))
    return max(found, key=lambda seat: seat.changed_at or seat.joined_at, default=None)


def invited_since(conn: Connection, addresses: Collection[str], since: datetime) -> bool:
    """Return True if a person has been invited to somebody's table since an instant. Invitations to a rematch do not
    count."""
    again = select(TABLE.c.id).where(TABLE.c.kind == "rematch")
    asked = (LOBBY_SEAT.c.address.in_(addresses), LOBBY_SEAT.c.proof == "invitation")
    return any_row(conn, *asked, LOBBY_SEAT.c.joined_at > since, LOBBY_SEAT.c.table_id.not_in(again))


def free_seats_of(conn: Connection, addresses: Collection[str], why: str, now: datetime) -> None:
    """End a person's seats, and their places on waiting lists, at all tables. The next tick will offer the seats to
    others."""
    for seat in seats_of_person(conn, addresses):
        change_seat(conn, seat.number, state="freed", why=why, changed_at=now)


def tables_below(conn: Connection) -> set[str]:
    """Return the tables that need attention: tables that are marked as full but have a free seat, and tables with a
    free seat and somebody on the waiting list who has not been asked yet."""
    count = func.count().filter(LOBBY_SEAT.c.state.in_(KEPT))
    waits = func.count().filter((LOBBY_SEAT.c.state == "waiting") & (LOBBY_SEAT.c.asked == 0))
    sits = select(LOBBY_SEAT.c.table_id, count.label("held"), waits.label("line")).group_by(LOBBY_SEAT.c.table_id)
    held = {row.table_id: row for row in conn.execute(sits.where(LOBBY_SEAT.c.live.is_not(None)))}
    found = set()
    for table in all_tables(conn, *FORMING):
        row = held.get(table.id)
        free = table.settings.size - (row.held if row else 0)
        if free > 0 and ((table.state == "full" and not table.go) or (row is not None and row.line)):
            found.add(table.id)
    return found


def offers_over(conn: Connection, now: datetime) -> list[LobbySeat]:
    return load_all(conn, LobbySeat, LOBBY_SEAT.c.state.in_(("offered", "invited")), LOBBY_SEAT.c.offer_until <= now)


# --- unverified addresses ---------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class LobbyWish:
    """A request from an address that is not yet verified. If a "yes" comes from the address in time, the canonical
    ``line`` is carried out. ``written`` is true once the letter that asks for the "yes" has been sent. ``nudged`` is
    true once Mentat has replied to an answer without a "yes", which it does only once."""

    address: str
    mailbox: str
    line: str
    until: datetime
    asked_at: datetime
    written: bool = False
    nudged: bool = False
    number: int = 0


WISH = table_of("lobby_wish", LobbyWish, key="id", index="mailbox until")


def add_wish(conn: Connection, wish: LobbyWish, most: int) -> None:
    """Store a wish, replacing an equal one. If there are then more than ``most`` wishes, delete the oldest."""
    same = (WISH.c.mailbox == wish.mailbox, WISH.c.line == wish.line)
    conn.execute(delete(WISH).where(*same))
    add_value(conn, wish)
    if (many := count_rows(conn, WISH.c.id > 0) - most) > 0:
        oldest = select(WISH.c.id).order_by(WISH.c.id).limit(many).scalar_subquery()
        conn.execute(delete(WISH).where(WISH.c.id.in_(oldest)))


def wishes_at(conn: Connection, mailbox: str, now: datetime) -> list[LobbyWish]:
    return load_all(conn, LobbyWish, WISH.c.until > now, mailbox=mailbox)


def wishes_unwritten(conn: Connection, now: datetime) -> list[LobbyWish]:
    return load_all(conn, LobbyWish, WISH.c.until > now, written=False)


def change_wishes(conn: Connection, mailbox: str, **changed: Any) -> None:
    conn.execute(update(WISH).where(WISH.c.mailbox == mailbox).values(changed))


def drop_wishes(conn: Connection, mailbox: str) -> None:
    conn.execute(delete(WISH).where(WISH.c.mailbox == mailbox))


def drop_lapsed_wishes(conn: Connection, now: datetime) -> None:
    conn.execute(delete(WISH).where(WISH.c.until <= now))


def anything_stale(conn: Connection, now: datetime, month: datetime) -> bool:
    return any_row(conn, WISH.c.until <= now) or any_row(conn, STRANGER_LETTER.c.at < month)


def first_wishes_since(conn: Connection, since: datetime) -> int:
    return count_rows(conn, WISH.c.asked_at > since)


@dataclass(frozen=True, slots=True)
class StrangerLetter:
    """A letter that was sent to an unverified address. ``mailbox`` and ``domain`` are hashes."""

    mailbox: str
    domain: str
    at: datetime
    number: int = 0


STRANGER_LETTER = table_of("stranger_letter", StrangerLetter, key="id", index="at mailbox")


def note_stranger_letter(conn: Connection, letter: StrangerLetter) -> None:
    add_value(conn, letter)


def stranger_letters_since(conn: Connection, since: datetime, *, mailbox: str = "", domain: str = "") -> int:
    where = [STRANGER_LETTER.c.at > since]
    where += [STRANGER_LETTER.c.mailbox == mailbox] if mailbox else []
    where += [STRANGER_LETTER.c.domain == domain] if domain else []
    return count_rows(conn, *where)


def forget_stranger_letters(conn: Connection, *, mailbox: str = "", before: datetime | None = None) -> None:
    which = STRANGER_LETTER.c.mailbox == mailbox if before is None else STRANGER_LETTER.c.at < before
    conn.execute(delete(STRANGER_LETTER).where(which))


@dataclass(frozen=True, slots=True)
class NeverWrite:
    """A mailbox to which Mentat writes only about its owner's games. It is stored as a hash made with the
    installation's secret."""

    digest: str
    since: datetime


NEVER_WRITE = table_of("never_write", NeverWrite, key="digest")


def never_write(conn: Connection, digest: str, now: datetime) -> None:
    if not may_not_write(conn, digest):
        add_value(conn, NeverWrite(digest, now))


def may_not_write(conn: Connection, digest: str) -> bool:
    return any_row(conn, NEVER_WRITE.c.digest == digest)


def write_again(conn: Connection, digest: str) -> None:
    conn.execute(delete(NEVER_WRITE).where(NEVER_WRITE.c.digest == digest))


# --- a person's requests beyond one table -----------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class StandBy:
    """A person's requests to the lobby that are not about one table.

    - ``since`` is when they offered to take over seats that become free, or None.
    - ``asked`` counts the offers of such a seat, and ``refused`` how many of them they refused.
    - ``weekly_at`` and ``calendar_at`` are when they last got, or ordered, the weekly letter and the weekly calendar,
      or None.
    - ``more`` is the number of games beyond the usual limit that the game master lets them play.
    - ``stopped`` is true if they want no letters about open tables except answers.
    """

    address: str
    since: datetime | None = None
    ruleset: str = ""
    tempo: str = ""
    not_before: date | None = None
    asked: int = 0
    refused: int = 0
    weekly_at: datetime | None = None
    calendar_at: datetime | None = None
    more: int = 0
    stopped: bool = False


STANDBY = table_of("standby", StandBy, key="address")


def standing(conn: Connection, address: str) -> StandBy:
    return load(conn, StandBy, address=address) or StandBy(address)


def set_standing(conn: Connection, standing: StandBy) -> None:
    conn.execute(delete(STANDBY).where(STANDBY.c.address == standing.address))
    add_value(conn, standing)


def all_standing(conn: Connection) -> list[StandBy]:
    return load_all(conn, StandBy)


# --- a person's record in past games ----------------------------------------------------------------------------------


def was_heard_since(conn: Connection, addresses: Collection[str], since: datetime) -> bool:
    known = (MESSAGE.c.sender.in_(addresses), MESSAGE.c.game_id.is_not(None), MESSAGE.c.disposition == "orders")
    return any_row(conn, *known, MESSAGE.c.received_at > since)


@dataclass(frozen=True, slots=True)
class GameRecord:
    """How many games a person is playing, how many they have finished without a caretaker in their seat at the end, and
    how many of their duties are overdue. ``turn`` is the last turn reached in the longest of their games, finished or
    not, or 0."""

    running: int
    finished: int
    overdue: int
    turn: int


def game_record(conn: Connection, addresses: Collection[str], now: datetime) -> GameRecord:
    own = select(GAME.c.id, GAME.c.status, GAME.c.turn, SEAT.c.care).join(SEAT, SEAT.c.game_id == GAME.c.id)
    practice = select(TABLE.c.id).where(TABLE.c.kind == "practice", TABLE.c.opener.in_(addresses))
    others = own.where(SEAT.c.address.in_(addresses), GAME.c.id.not_in(practice))
    rows = conn.execute(others.distinct()).all()
    late = (
        select(func.count())
        .select_from(DEADLINE)
        .join(SEAT, (SEAT.c.game_id == DEADLINE.c.game_id) & (SEAT.c.faction == DEADLINE.c.faction))
        .where(SEAT.c.address.in_(addresses), DEADLINE.c.state == "open", DEADLINE.c.due < now)
    )
    over = [row for row in rows if row.status == "over"]
    most = max((row.turn for row in rows), default=0)
    finished = sum(not row.care for row in over)
    return GameRecord(len(rows) - len(over), finished, int(conn.execute(late).scalar_one()), most)


def abandoned_seats(conn: Connection, since: datetime) -> list[tuple[str, str, str]]:
    """Return the seats in running games of public tables that their players have left to the caretaker, each as game,
    faction and address. Omit seats that have been offered to others since an instant."""
    public = select(TABLE.c.id).where(TABLE.c.kind == "open", TABLE.c.state == "started")
    offers = select(TABLE.c.id).where(TABLE.c.of_game == SEAT.c.game_id, TABLE.c.title == SEAT.c.faction)
    found = (
        select(SEAT.c.game_id, SEAT.c.faction, SEAT.c.address)
        .join(GAME, GAME.c.id == SEAT.c.game_id)
        .where(GAME.c.status == "running", SEAT.c.care, SEAT.c.address.contains("@"), GAME.c.id.in_(public))
        .where(~offers.where(TABLE.c.opened_at > since).exists())
    )
    return [(game, faction, address) for game, faction, address in conn.execute(found)]


def table_of_letter(conn: Connection, message_ids: Collection[str]) -> str:
    """Return the table named in the subject of the letter with one of these Message-IDs. If the subject names none,
    return the letter's label or, if it has none, ""."""
    found = select(LETTER.c.subject).where(LETTER.c.message_id.in_(list(message_ids)[:5])).order_by(LETTER.c.id.desc())
    subject = conn.execute(found).scalars().first() or ""
    label, _, rest = subject[1:].partition("]") if subject.startswith("[") else ("", "", "")
    named = set(_TABLE_ID.findall(rest)) if label and not _TABLE_ID.fullmatch(label) else set()
    return named.pop() if len(named) == 1 else label


_TABLE_ID = re.compile(r"\b[a-z]+-[0-9]+\b")


def is_away(conn: Connection, addresses: Collection[str], day: date) -> bool:
    own = exists().where(
        SEAT.c.game_id == ABSENCE.c.game_id, SEAT.c.faction == ABSENCE.c.faction, SEAT.c.address.in_(addresses)
    )
    return any_row(conn, own, ABSENCE.c.first <= day, ABSENCE.c.last >= day)


def ever_played(conn: Connection, addresses: Collection[str]) -> bool:
    return any_row(conn, SEAT.c.address.in_(addresses))


def ever_sat(conn: Connection, addresses: Collection[str]) -> bool:
    return any_row(conn, LOBBY_SEAT.c.address.in_(addresses))


def last_game(conn: Connection, addresses: Collection[str]) -> str:
    over = select(GAME.c.id).join(SEAT, SEAT.c.game_id == GAME.c.id).where(SEAT.c.address.in_(addresses))
    newest = over.where(GAME.c.status == "over").order_by(GAME.c.created_at.desc())
    return conn.execute(newest.limit(1)).scalar_one_or_none() or ""


def zone_of(conn: Connection, addresses: Collection[str]) -> str:
    own = select(SEAT.c.timezone).where(SEAT.c.address.in_(addresses)).order_by(SEAT.c.game_id.desc())
    return conn.execute(own).scalars().first() or ""


def game_ended_at(conn: Connection, game_id: str) -> datetime | None:
    found: datetime | None = conn.execute(select(func.max(ENTRY.c.at)).where(ENTRY.c.game_id == game_id)).scalar_one()
    return found


def game_status(conn: Connection, game_id: str) -> str:
    return conn.execute(select(GAME.c.status).where(GAME.c.id == game_id)).scalar_one_or_none() or ""


def forget_players(conn: Connection, games: Collection[str], before: datetime) -> None:
    """Delete the names of the people at the tables of these games, and at tables that ended without a game before
    ``before``."""
    old = TABLE.c.id.in_(games) | ((TABLE.c.state == "ended") & (TABLE.c.ended_at < before))
    gone = {"address": NOBODY, "name": "", "wishes": "", "live": None}
    conn.execute(update(LOBBY_SEAT).where(LOBBY_SEAT.c.table_id.in_(select(TABLE.c.id).where(old))).values(gone))
    conn.execute(update(TABLE).where(old, TABLE.c.opener != "").values(opener=NOBODY, starter=NOBODY))


def forget_person(conn: Connection, address: str) -> None:
    for seat in seats_of_person(conn, [address]):
        change_seat(conn, seat.number, state="freed", why="deleted")
    conn.execute(update(LOBBY_SEAT).where(LOBBY_SEAT.c.address == address).values(name="", wishes=""))
    conn.execute(delete(WISH).where(WISH.c.address == address))
    conn.execute(delete(STANDBY).where(STANDBY.c.address == address))
