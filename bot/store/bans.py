"""Who may not play: here at all, or in one tournament; and who was warned, which forbids nothing."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from sqlalchemy import Connection, insert, select, update

from bot.mail.mailboxes import mailbox_of
from bot.store.addresses import identifiers
from bot.store.desk_tables import BAN
from bot.store.instants import NO_INSTANT

Kind = Literal["ban", "warning"]


@dataclass(frozen=True, slots=True)
class Ban:
    """A ban or a warning. ``tournament_id`` is "" for everywhere here, ``until`` None for good. ``lifted_why`` and
    ``lifted_by`` are for the record, as ``why`` and ``who``."""

    address: str
    tournament_id: str
    kind: Kind
    why: str
    who: str
    since: datetime
    until: datetime | None = None
    lifted_at: datetime | None = None
    number: int = 0
    lifted_why: str = ""
    lifted_by: str = ""


def keep(conn: Connection, ban: Ban) -> None:
    """Write down a ban or a warning."""
    row = {
        "address": ban.address, "tournament_id": ban.tournament_id, "kind": ban.kind, "why": ban.why, "who": ban.who,
        "since": ban.since, "until": ban.until, "lifted_at": None, "lifted_why": "", "lifted_by": "",
    }  # fmt: skip
    conn.execute(insert(BAN), row)


def lift(
    conn: Connection, address: str, tournament_id: str, now: datetime, why: str = "", by: str = "", *,
    tags_apart: bool = False,
) -> list[str]:  # fmt: skip
    """End the bans of a person; the addresses that were banned. ``why`` and ``by`` are for the record."""
    here = (ban for ban in _unlifted(conn) if ban.tournament_id == tournament_id)
    ended = _of_person(conn, here, address, tags_apart=tags_apart)
    numbers = [ban.number for ban in ended]
    conn.execute(update(BAN).where(BAN.c.id.in_(numbers)).values(lifted_at=now, lifted_why=why, lifted_by=by))
    return [ban.address for ban in ended]


def every(conn: Connection) -> list[Ban]:
    """All bans and warnings there ever were, in order."""
    return [
        Ban(row.address, row.tournament_id, row.kind, row.why, row.who, row.since, row.until, row.lifted_at, row.id,
            row.lifted_why, row.lifted_by)
        for row in conn.execute(select(BAN).order_by(BAN.c.id))
    ]  # fmt: skip


def standing(
    conn: Connection, address: str, now: datetime, tournament_id: str = "", *, tags_apart: bool = False
) -> Ban | None:
    """The ban that keeps a person from playing now, here or in this tournament, by whatever address of theirs; None if
    there is none. ``tags_apart``: addresses of one mailbox are several persons (``bot.identity.persons``)."""
    now_and_here = (
        ban
        for ban in _unlifted(conn)
        if ban.tournament_id in ("", tournament_id) and (ban.until is None or ban.until > now)
    )
    return next(iter(_of_person(conn, now_and_here, address, tags_apart=tags_apart)), None)


def _unlifted(conn: Connection) -> list[Ban]:
    found = select(BAN).where(BAN.c.kind == "ban", BAN.c.lifted_at == NO_INSTANT).order_by(BAN.c.id)
    return [
        Ban(row.address, row.tournament_id, row.kind, row.why, row.who, row.since, row.until, None, row.id)
        for row in conn.execute(found)
    ]


def _of_person(conn: Connection, every_ban: Iterable[Ban], address: str, *, tags_apart: bool) -> list[Ban]:
    if not (found := list(every_ban)):
        return []
    known = identifiers(conn, address, tags_apart=tags_apart)
    return [ban for ban in found if (ban.address if tags_apart else mailbox_of(ban.address)) in known]
