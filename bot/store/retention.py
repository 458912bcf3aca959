"""Retention in the database: listing, showing and emptying stored mail, and emptying all data about a person on
request.

Rows are emptied, never removed. A letter's number, a message's place in its mailbox and the hash of its bytes prevent a
letter or message from being handled twice, and reveal nothing about a person. A person's address occurs in many
columns, because notes and reports also mention it. So all texts of all tables are searched for it.
"""

from __future__ import annotations

import email
import re
from collections.abc import Iterable, Iterator
from dataclasses import astuple, dataclass
from datetime import datetime
from email import policy

from sqlalchemy import ColumnElement, Connection, String, delete, exists, func, or_, select, type_coerce, update

from bot.mail.decoding import decode_bytes, decode_field
from bot.mail.message import charset_of
from bot.store import (
    deadlines,
    desk,
    forum_pastes,
    forum_posts,
    games,
    lobby,
    mail,
    people,
    press,
    ratings,
    tournaments,
)
from bot.store.forum_pastes import FORUM_LIST_MAIL
from bot.store.forum_threads import FORUM_THREAD
from bot.store.mail import FORM, LETTER, message_digest, put_together
from bot.store.memory import LAST_MAIL
from bot.store.press import OBSERVER, WITHHELD
from bot.store.rows import is_text
from bot.store.tables import ABSENCE, ADDRESS, ENTRY, GAME, MESSAGE, NOBODY, SEAT
from rules.components import Faction, as_faction

_GONE = {"raw": b"", "sender": NOBODY, "subject": "", "reason": ""}
_BODY_GONE = {"content": b"", "pictures": "", "subject": "", "envelope_from": ""}
_LETTER_GONE = {**_BODY_GONE, "recipient": NOBODY, "error": "", "next_try_at": None}
_KEPT = or_(MESSAGE.c.raw != b"", MESSAGE.c.sender != NOBODY)
_LETTER_KEPT = or_(LETTER.c.content != b"", LETTER.c.recipient != NOBODY)


@dataclass(frozen=True, slots=True)
class KeptMessage:
    """A stored message as it appears in a list. ``size`` is its stored (packed) size in bytes, or 0 once the message
    has been emptied."""

    id: int
    received_at: datetime
    disposition: str
    reason: str
    game: str | None
    faction: str | None
    sender: str
    subject: str
    size: int


@dataclass(frozen=True, slots=True)
class EmptiedCounts:
    """The number of rows of each kind that were emptied. ``mentions`` counts the addresses that were replaced in other
    texts."""

    messages: int = 0
    letters: int = 0
    players: int = 0
    observers: int = 0
    mentions: int = 0

    @classmethod
    def together(cls, parts: Iterable[EmptiedCounts]) -> EmptiedCounts:
        return cls(*map(sum, zip(*(astuple(part) for part in parts), strict=True)))


@dataclass(frozen=True, slots=True)
class MessageFilter:
    game: str = ""
    faction: str = ""
    disposition: str = ""
    since: datetime | None = None
    most: int = 100


def list_messages(conn: Connection, wanted: MessageFilter) -> list[KeptMessage]:
    found = _LIST.order_by(MESSAGE.c.id.desc()).limit(wanted.most)
    if wanted.game:
        found = found.where(MESSAGE.c.game_id == wanted.game)
    if wanted.faction:
        found = found.where(MESSAGE.c.faction == wanted.faction)
    if wanted.disposition:
        found = found.where(MESSAGE.c.disposition == wanted.disposition)
    if wanted.since:
        found = found.where(MESSAGE.c.received_at >= wanted.since)
    return [KeptMessage(*row) for row in conn.execute(found)][::-1]


def kept_message(conn: Connection, number: int) -> tuple[KeptMessage, bytes] | None:
    row = conn.execute(_LIST.where(MESSAGE.c.id == number)).one_or_none()
    if row is None:
        return None
    return KeptMessage(*row), conn.execute(select(MESSAGE.c.raw).where(MESSAGE.c.id == number)).scalar_one()


def is_whole(conn: Connection, number: int) -> bool:
    row = conn.execute(select(MESSAGE.c.raw, MESSAGE.c.digest).where(MESSAGE.c.id == number)).one()
    return message_digest(row.raw) == str(row.digest)


_LIST = select(
    MESSAGE.c.id,
    MESSAGE.c.received_at,
    MESSAGE.c.disposition,
    MESSAGE.c.reason,
    MESSAGE.c.game_id,
    MESSAGE.c.faction,
    MESSAGE.c.sender,
    MESSAGE.c.subject,
    func.length(MESSAGE.c.raw),
)


# --- emptying ------------------------------------------------------------------------------------------------------


def empty_message(conn: Connection, number: int) -> EmptiedCounts:
    changed = update(MESSAGE).where(MESSAGE.c.id == number, _KEPT).values(_GONE)
    return EmptiedCounts(messages=conn.execute(changed).rowcount)


def empty_older(conn: Connection, before: datetime) -> EmptiedCounts:
    """Empty messages and letters from before an instant, and make the players of games that were over by then
    anonymous. Mailing list mails are kept as long as they belong to the thread of a game in play."""
    over = _over_since(conn, before)
    old = update(MESSAGE).where(MESSAGE.c.received_at < before, ~_in_a_thread(over), _KEPT).values(_GONE)
    went_out = (LETTER.c.created_at < before, LETTER.c.next_try_at.is_(None))
    gone = update(LETTER).where(*went_out, _LETTER_KEPT).values(_LETTER_GONE)
    nameless = update(SEAT).where(SEAT.c.game_id.in_(over), SEAT.c.address.not_in(("", NOBODY)))
    for table in (ABSENCE, FORM):
        conn.execute(delete(table).where(table.c.game_id.in_(over)))
    conn.execute(delete(LAST_MAIL).where(LAST_MAIL.c.at < before))
    press.forget_press(conn, over)
    desk.forget_notes_of_games(conn, over)
    _forget_accounts(conn, over)
    lobby.forget_players(conn, over, before)
    conn.execute(update(SEAT).where(SEAT.c.game_id.in_(over), SEAT.c.sitter != "").values(_NOBODY_SITS))
    conn.execute(delete(WITHHELD).where(WITHHELD.c.game_id.in_(over)))
    emptied = EmptiedCounts(
        conn.execute(old).rowcount,
        conn.execute(gone).rowcount,
        conn.execute(nameless.values(address=NOBODY, name=NOBODY, timezone="UTC", waking="")).rowcount,
        conn.execute(delete(OBSERVER).where(OBSERVER.c.game_id.in_(over))).rowcount,
    )
    mail.drop_unused_pictures(conn)
    return emptied


def drop_bodies(conn: Connection, before: datetime) -> EmptiedCounts:
    """Delete the content of letters that were sent before an instant. For games that were over by then, also delete the
    forms, and the content of mails from players and mailing lists. Keep the time of each mail, and its sender or
    recipient."""
    over = _over_since(conn, before)
    from_lists = MESSAGE.c.id.in_(select(FORUM_LIST_MAIL.c.message_id)) & (MESSAGE.c.received_at < before)
    read = or_(MESSAGE.c.game_id.in_(over), from_lists & ~_in_a_thread(over))
    mails = update(MESSAGE).where(read, MESSAGE.c.raw != b"")
    letters = update(LETTER).where(
        LETTER.c.created_at < before, LETTER.c.next_try_at.is_(None), LETTER.c.content != b""
    )
    dropped = EmptiedCounts(
        conn.execute(mails.values(raw=b"")).rowcount, conn.execute(letters.values(_BODY_GONE)).rowcount
    )
    conn.execute(delete(FORM).where(FORM.c.game_id.in_(over)))
    press.forget_press(conn, over)
    _forget_accounts(conn, over)
    mail.drop_unused_pictures(conn)
    return dropped


def _forget_accounts(conn: Connection, games: list[str], faction: str = "") -> None:
    forum_posts.forget_posters(conn, games, faction)
    forum_pastes.forget_pasted(conn, games, faction)
    forum_posts.forget_accounts(conn, games, faction)


def _over_since(conn: Connection, before: datetime) -> list[str]:
    later = exists().where(ENTRY.c.game_id == GAME.c.id, ENTRY.c.at >= before)
    return list(conn.scalars(select(GAME.c.id).where(GAME.c.status == "over", ~later)))


def _in_a_thread(over: list[str]) -> ColumnElement[bool]:
    """Return a condition that selects the mailing list mails that must be kept. These belong to the thread of a game in
    play: they came after the game began."""
    return exists().where(
        FORUM_LIST_MAIL.c.message_id == MESSAGE.c.id,
        FORUM_THREAD.c.forum == FORUM_LIST_MAIL.c.forum,
        GAME.c.id == FORUM_THREAD.c.game_id,
        GAME.c.id.not_in(over),
        GAME.c.created_at <= FORUM_LIST_MAIL.c.arrived_at,
    )


def plays_in(conn: Connection, address: str) -> list[tuple[str, Faction]]:
    found = (
        select(SEAT.c.game_id, SEAT.c.faction)
        .join(GAME, GAME.c.id == SEAT.c.game_id)
        .where(SEAT.c.address == address, GAME.c.status != "over")
        .order_by(SEAT.c.game_id)
    )
    return [(row.game_id, as_faction(row.faction)) for row in conn.execute(found)]


def empty_person(conn: Connection, address: str) -> EmptiedCounts:
    """Empty all messages and letters from, to or about a person, and replace their address and name everywhere. All
    games in which the person has a seat must be finished."""
    seats = conn.execute(select(SEAT.c.game_id, SEAT.c.faction, SEAT.c.name).where(SEAT.c.address == address)).all()
    for game_id, faction, until in _sat_at(conn, address):
        desk.forget_notes_of_seat(conn, game_id, faction, until)
    played = conn.scalars(select(LETTER.c.game_id).where(LETTER.c.recipient == address).distinct())
    called = address.partition("@")[0]  # their name in games that they left, which letters to others may contain
    named = dict.fromkeys(played, called) | {game_id: name for game_id, _, name in seats}
    sent = [
        number
        for number, sender, raw in conn.execute(select(MESSAGE.c.id, MESSAGE.c.sender, MESSAGE.c.raw))
        if sender == address or _speaks_of(raw, address)
    ]
    got = [
        number
        for number, recipient, game_id, content in conn.execute(
            select(LETTER.c.id, LETTER.c.recipient, LETTER.c.game_id, LETTER.c.content)
        )
        if recipient == address or _speaks_of(put_together(content, ()), address, named.get(game_id, ""))
    ]
    for number in sent:
        conn.execute(update(MESSAGE).where(MESSAGE.c.id == number).values(_GONE))
    for number in got:
        conn.execute(update(LETTER).where(LETTER.c.id == number).values(_LETTER_GONE))
    mail.drop_unused_pictures(conn)
    for game_id, faction, _ in seats:
        conn.execute(
            update(SEAT)
            .where(SEAT.c.game_id == game_id, SEAT.c.faction == faction)
            .values(address=NOBODY, name=NOBODY, timezone="UTC", waking="")
        )
        conn.execute(delete(ABSENCE).where(ABSENCE.c.game_id == game_id, ABSENCE.c.faction == faction))
        press.forget_press_of_seat(conn, game_id, faction)
        desk.forget_notes_of_seat(conn, game_id, faction)
        _forget_accounts(conn, [game_id], faction)
        people.clear_pseudonym_of_seat(conn, game_id, as_faction(faction))
    people.drop_unused_pseudonyms(conn)
    conn.execute(delete(LAST_MAIL))  # it may name them; other people only have to repeat a line instead of "yes"
    desk.forget_notes_about(conn, [address])
    conn.execute(update(SEAT).where(SEAT.c.sitter == address).values(_NOBODY_SITS))
    ratings.forget(conn, address)
    tournaments.forget_named(conn, address)
    lobby.forget_person(conn, address)
    deadlines.forget_duties(conn, address)
    conn.execute(delete(ADDRESS).where(ADDRESS.c.address == address))
    press.drop_withheld_letters(conn, list(conn.scalars(select(OBSERVER.c.token).where(OBSERVER.c.address == address))))
    observed = conn.execute(delete(OBSERVER).where(OBSERVER.c.address == address)).rowcount
    return EmptiedCounts(len(sent), len(got), len(seats), observed, _erase(conn, address))


def _sat_at(conn: Connection, address: str) -> list[tuple[str, str, datetime]]:
    """Return the seats whose letters have ever been sent to an address, even if the player has left since, each with
    the latest instant at which one was sent."""
    found = (
        select(LETTER.c.game_id, LETTER.c.faction, func.max(LETTER.c.id))
        .where(LETTER.c.recipient == address, LETTER.c.game_id.is_not(None), LETTER.c.faction.is_not(None))
        .group_by(LETTER.c.game_id, LETTER.c.faction)
    )
    return [
        (game_id, faction, conn.execute(select(LETTER.c.created_at).where(LETTER.c.id == last)).scalar_one())
        for game_id, faction, last in conn.execute(found).all()
    ]


_NOBODY_SITS = {"sitter": "", "sitter_name": "", "sitter_token": "", "sitter_until": None}


def _speaks_of(raw: bytes, address: str, name: str = "") -> bool:
    wanted = re.compile(re.escape(address) + (rf"|\b{re.escape(name)}\b" if name else ""), re.IGNORECASE)
    return any(wanted.search(text) for text in _texts(raw))


_ENCODED = re.compile(rb"base64|quoted-printable|=\?|[\x80-\xff]", re.IGNORECASE)


def _texts(raw: bytes) -> Iterator[str]:
    yield raw.decode("latin-1")
    if _ENCODED.search(raw):
        message = email.message_from_bytes(raw, policy=policy.compat32)
        for part in message.walk():
            yield from (decode_field(str(value)) for value in part.values())
            payload = part.get_payload(decode=True)
            if part.get_content_maintype() == "text" and isinstance(payload, bytes):
                yield decode_bytes(payload, charset_of(part))


def _erase(conn: Connection, address: str) -> int:
    """Replace an address in all texts of all tables, and delete the rows whose key it is. Return the number of rows
    that were changed or deleted."""
    pattern = re.compile(re.escape(address), re.IGNORECASE)
    changed = 0
    for table in games.every_table():
        keys = list(table.primary_key.columns)
        texts = {column.name: type_coerce(column, String()) for column in table.columns if is_text(column)}
        if not texts:
            continue
        holds = or_(*(func.lower(text).contains(address, autoescape=True) for text in texts.values()))
        for row in conn.execute(select(*keys, *texts.values()).where(holds)).all():
            this = [key == value for key, value in zip(keys, row, strict=False)]
            kept = dict(zip(texts, row[len(keys) :], strict=True))
            found = {name: pattern.sub(NOBODY, text) for name, text in kept.items() if pattern.search(text or "")}
            if any(key.name in found for key in keys):
                conn.execute(delete(table).where(*this))
            else:
                conn.execute(update(table).where(*this).values(found))
            changed += 1
    return changed
