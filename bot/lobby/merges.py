"""Two tables become one: by the game master, or because both openers agree that neither fills alone.

A public table near its end is compared with the others. Where another one has equal settings and both together are
enough to start, whoever says when each starts is asked, once. Both must say yes; then everybody moves to the table that
has more people, in the order of joining, and can leave it. Nobody is told who said no.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from datetime import timedelta
from typing import Literal

from msgspec import structs

from bot.games.open_games import Session
from bot.lobby import letters
from bot.lobby.joining import leave, own_seat
from bot.lobby.tables import LobbyRefused, change, find_forming, log_act, reader_at, view_of, write
from bot.store import acts, lobby
from bot.store.database import Connection
from bot.store.lobby import HOLDING, KEPT, LobbySeat, LobbyTable, SeatState
from bot.table.calendar import stamp
from bot.wording.filters import plural

NEAR_ITS_END = timedelta(hours=72)
PROPOSED, AGREED, REFUSED = "propose merge", "agree to merge", "refuse to merge"


def partner_of(session: Session, table: LobbyTable) -> LobbyTable | None:
    """Return the table with which one that ends soon could start, if their openers have not been asked."""
    near = table.state == "open" and table.kind == "open" and table.expires_at - session.now <= NEAR_ITS_END
    if not near or not lobby.seats_of(session.conn, table.id, "seated") or _said(session.conn, table, PROPOSED):
        return None
    others = [each for each in lobby.all_tables(session.conn, "open") if each.id != table.id and each.kind == "open"]
    fitting = (each for each in others if fits_with(session, table, each))
    return next((each for each in fitting if not _said(session.conn, each, PROPOSED)), None)


def fits_with(session: Session, table: LobbyTable, other: LobbyTable) -> bool:
    """Can two tables, each with somebody who decides there, start as one?"""
    if differences(table, other) or table.settings.starts_at != other.settings.starts_at:
        return False
    here, there = (lobby.seats_of(session.conn, each.id, *KEPT) for each in (table, other))
    seats = [*here, *(seat for seat in there if own_seat(session, here, seat.address) is None)]
    sitting = [seat for seat in seats if seat.state == "seated"]
    enough = max(table.settings.fewest, other.settings.fewest) <= len(sitting)
    decided = all(_decides(each, held) for each, held in ((table, here), (other, there)))
    return decided and enough and len(seats) <= table.settings.size


def _decides(table: LobbyTable, seats: list[LobbySeat]) -> bool:
    return any(seat.address == table.starter and seat.state == "seated" for seat in seats)


def _said(conn: Connection, table: LobbyTable, what: str) -> list[str]:
    return [each.words for each in acts.acts_of(conn, game_id=table.id) if each.what == what]


def propose_merge(session: Session, table_id: str) -> None:
    """Ask those who say when a table and its partner start whether the two become one."""
    table = find_forming(session.conn, table_id)
    other = partner_of(session, table)
    if other is None:  # asked a moment ago, with another one
        return
    into, _ = _in_order(session, table, other)
    shown = {each.id: view_of(session.conn, each) for each in (table, other)}
    for own, its in ((table, other), (other, table)):
        log_act(session, own.id, PROPOSED, its.id)
        letter = letters.propose_merge(reader_at(session, own.starter), shown[own.id], shown[its.id], into.id)
        write(session, own.starter, letter, f"{own.id}.merge.{its.id}")


def _in_order(session: Session, table: LobbyTable, other: LobbyTable) -> tuple[LobbyTable, LobbyTable]:
    """Return the table that stays, and the one that ends."""

    def people(each: LobbyTable) -> int:
        return len(lobby.seats_of(session.conn, each.id, *HOLDING))

    stays, ends = sorted((table, other), key=lambda each: (-people(each), each.opened_at, each.id))
    return stays, ends


def proposed_with(conn: Connection, table: LobbyTable) -> str:
    """Return the table with which a table's opener is asked to merge it and has not answered; "" if they are not."""
    proposed = _said(conn, table, PROPOSED)[-1:] if table.state == "open" else []
    answered = {*_said(conn, table, AGREED), *_said(conn, table, REFUSED)}
    return next((each for each in proposed if each not in answered), "")


def is_asked_to_merge(conn: Connection, table: LobbyTable, addresses: Collection[str]) -> bool:
    return table.starter in addresses and bool(proposed_with(conn, table))


def answer_merge(session: Session, table: LobbyTable, *, yes: bool) -> LobbyTable | None:
    """Note what the opener of a table says to its merge, and merge the two once both agree. Return the table at which
    all sit then, None while the other has not answered. Raise LobbyRefused where they do not fit together any more."""
    other = lobby.find_table(session.conn, proposed_with(session.conn, table))
    if other is None or other.state != "open" or not fits_with(session, table, other):
        raise LobbyRefused("no-merge", table.id, other=other.id if other else "")
    log_act(session, table.id, AGREED if yes else REFUSED, other.id)
    if not yes or table.id not in _said(session.conn, other, AGREED):
        return None
    into, moved = _in_order(session, table, other)
    move_people(session, moved, into.id)
    return into


# --- the move ---------------------------------------------------------------------------------------------------------


def differences(table: LobbyTable, other: LobbyTable) -> list[str]:
    """Return the settings of two tables that those who are moved would notice."""
    one, two = structs.asdict(table.settings), structs.asdict(other.settings)
    return [name for name in one if one[name] != two[name] and name not in ("starts", "starts_at", "fewest")]


def move_people(session: Session, table: LobbyTable, into_id: str, why: str = "", *, only: str = "") -> None:
    """Move those who sit or wait at a table (``only`` one person) to another one, in the order of joining, and tell
    them. The table ends if nobody is left. Raise LobbyRefused if the other has not enough seats."""
    into = find_forming(session.conn, into_id)
    if into.id == table.id:
        raise LobbyRefused("settings", table.id, why="A table cannot be moved to itself.")
    if table.kind != into.kind and "open" in (table.kind, into.kind):
        raise LobbyRefused("settings", table.id, why="Nobody is moved between a private table and a public one.")
    if unlike := [] if why else differences(table, into):
        told = f"{table.id} and {into.id} differ in {', '.join(unlike)}; give the reason, which everybody moved reads."
        raise LobbyRefused("settings", table.id, why=told)
    there = lobby.seats_of(session.conn, table.id)
    moved = [own] if only and (own := own_seat(session, there, only)) else [] if only else there
    if only and not moved:
        raise LobbyRefused("settings", table.id, why=f"{only} does not sit or wait at {table.id}.")
    here = lobby.seats_of(session.conn, into.id)
    free = into.settings.size - sum(seat.state in KEPT for seat in here)
    sitting = [seat for seat in moved if seat.state in KEPT and own_seat(session, here, seat.address) is None]
    if len(sitting) > free:
        told = f"{into.id} has {plural(free, 'free seat')}, and {len(sitting)} would come."
        raise LobbyRefused("settings", table.id, why=told)
    before = view_of(session.conn, table)
    for seat in moved:
        leave(session, seat, "ended", f"moved to {into.id}")
        if own_seat(session, here, seat.address) is None:
            state: SeatState = "seated" if seat.state in HOLDING else seat.state
            lobby.add_seat(session.conn, replace(seat, table_id=into.id, state=state, number=0))
    if not only:
        change(session, table, state="ended", why=f"merged into {into.id}", ended_at=session.now, check_due=None)
    log_act(session, table.id, "move" if only else "merge", f"into {into.id}", why)
    what: Literal["moved", "merged"] = "moved" if only else "merged"
    after = view_of(session.conn, into)
    for seat in moved:
        letter = letters.told_by_desk(reader_at(session, seat.address), before, what, why, after)
        write(session, seat.address, letter, f"{table.id}.{what}.{into.id}.{stamp(session.now)}")
