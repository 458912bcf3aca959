"""Mail in the database: every message as it came, and the outbox.

A message is identified by the mailbox's key for it (mailbox, UIDVALIDITY, UID), by its bytes, by its Message-ID, and by
its content. Each of these prevents a message from being accepted twice (``seen``). A letter is written in the
transaction that caused it, and sent afterwards. It is retried with the same Message-ID until a server accepts it or
permanently refuses it.

A process claims a letter before it sends it, in a separate transaction (``claim``). So nothing is sent while the
database cannot be written, and no two processes send the same letter. A claim is a lease: when it expires, the claiming
process is presumed dead, and the letter is due again. If there are several workers, each of them claims its letters as
it writes them (``CLAIMS_AS``), which saves that separate transaction.

A message whose sender cannot be verified at the moment waits in the mailbox (RFC 6376 section 3.9, TEMPFAIL). It has a
row with a special disposition, which is deleted when the message is handled. Until then, later messages from the same
address also wait, so that the messages are handled in order.

A letter is sent in seven-bit encoding: texts as quoted-printable, pictures as base64. Encoded texts have little in
common, so they would not compress well. Texts are therefore stored decoded, between two control characters that never
occur in a letter, and a third such character replaces each picture (``take_apart``). A part that could not be restored
byte for byte is stored unchanged, because a letter may be sent again at any time and must then be identical. Each
picture is stored once, under the hash of its bytes, however many letters show it. A letter's row contains the hashes of
its pictures in order.
"""

from __future__ import annotations

import hashlib
import re
from base64 import encodebytes
from binascii import Error, a2b_base64, a2b_qp
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime, timedelta
from itertools import islice
from typing import Any, Literal, cast

from sqlalchemy import (
    Column,
    ColumnElement,
    Connection,
    Index,
    Select,
    String,
    UniqueConstraint,
    bindparam,
    case,
    delete,
    exists,
    func,
    insert,
    or_,
    select,
    update,
)

from bot.store.database import Instant, Packed, backend_of, inserted_number, upsert
from bot.store.rows import add_values, any_row, columns_of, count_rows, load, row_of, table_of
from bot.store.tables import MESSAGE, NOBODY, PICTURE
from bot.table.table import Seat
from rules.components import Faction

Disposition = Literal[
    "orders", "auto-reply", "bounce", "rejected", "empty", "duplicate", "fault", "unsubscribe", "waiting", "forum"
]
PUT_ASIDE: tuple[Disposition, ...] = ("rejected", "fault")

OF_NOBODY = "no reply token: it is not for any game here"
"""The reason for quarantining a mail that carries no token of ours, usually from a stranger."""
EARLIEST = datetime.min.replace(tzinfo=UTC)
GIVE_UP_AFTER = 40  # attempts: about four days, with the pauses of ``pause_after``
LONGEST_PAUSE = timedelta(hours=3)  # between two attempts
MOST_SENT_AGAIN = 30  # letters that a player may have missed
LEASE = timedelta(minutes=15)  # longer than a server may take for one letter


@dataclass(frozen=True, slots=True)
class DeduplicationKeys:
    """The keys by which a second copy of a mail is recognised. ``key`` is its place in the mailbox, and ``digest`` is
    the SHA-256 of its bytes. The Message-ID and the sender are also kept. ``content`` is a hash of the text and the
    recipient. ``written`` is the Date and the recipient, or "" if the mail has no Date."""

    key: str
    digest: str
    message_id: str = ""
    sender: str = ""
    content: str = ""
    written: str = ""


@dataclass(frozen=True, slots=True)
class Message:
    keys: DeduplicationKeys
    subject: str
    disposition: Disposition
    reason: str
    raw: bytes
    game_id: str | None = None
    faction: Faction | None = None


@dataclass(frozen=True, slots=True)
class Letter:
    message_id: str
    envelope_from: str
    recipient: str
    subject: str
    content: bytes
    game_id: str | None = None
    faction: Faction | None = None


LETTER = table_of(
    "letter", Letter, Column("content", Packed, nullable=False), UniqueConstraint("message_id"),
    Column("sent_at", Instant), Column("next_try_at", Instant), Column("claimed_until", Instant),
    Index("ix_letter_waiting", "id", info={"where": "next_try_at IS NOT NULL"}), key="id",
    index="game_id next_try_at", pictures=str, created_at=datetime, tries=int, error=str, claimed_by=str,
)  # fmt: skip
"""The outbox. Letters are written in the transaction that caused them, sent afterwards, and retried until they are sent
or given up. ``content`` is the letter as stored, and ``pictures`` are the hashes of its pictures. ``next_try_at`` is
None once the letter has been sent or given up; an index finds the few waiting letters. The process ``claimed_by`` sends
the letter until ``claimed_until``. ``tries`` counts the claims."""


@dataclass(frozen=True, slots=True)
class Form:
    code: str
    game_id: str
    faction: Faction
    lines: Sequence[str]


FORM = table_of("form", Form, key="code", index="game_id")


@dataclass(frozen=True, slots=True)
class DueLetter:
    id: int
    tries: int
    letter: Letter
    claimed: bool = False
    """True if the querying process claimed the letter when it wrote it. ``tries`` does not count that claim."""


def message_digest(raw: bytes) -> str:
    return hashlib.sha256(raw).hexdigest()


def seen(conn: Connection, keys: DeduplicationKeys, now: datetime) -> Disposition | None:
    """Return the disposition of an earlier copy of this message, or None. A copy is recognised in these ways:

    - By its place in the mailbox, if the bytes or the Message-ID are also the same. Another server may number from 1
      again.
    - By its bytes, wherever it is (after a new UIDVALIDITY).
    - By Message-ID and sender, if the content or the Date is the same. Such a copy came another way, with or without a
      footer. Some programs give two different mails the same Message-ID; both mails count.
    - By sender, Date and content, if one of the two has no Message-ID. Such a copy lost or got its Message-ID on the
      way. Two mails that both have a Message-ID are different, even if everything else is the same.
    - By content for an hour, if there is neither a Message-ID nor a Date.
    - By sender, Date and content, whatever its Message-ID and its seat, if senders must be verified. A signature need
      not cover the Message-ID and the recipient.

    An emptied row has lost its sender, but keeps content and Date. A mail from a program never matches a mail from a
    person (``bot.moderator.intake``). Once the game master has fixed the problem, a quarantined mail may arrive again
    from another place.
    """
    given = {**asdict(keys), "lately": now - COPIES_COME_WITHIN}
    row = conn.execute(_SEEN, given).first()
    return None if row is None else cast(Disposition, row.disposition)


COPIES_COME_WITHIN = timedelta(hours=1)
PROVED = " proved"
"""The end of ``DeduplicationKeys.written`` for a mail whose sender must be verified."""

_SAME = {column.name: column == bindparam(column.name) for column in (
    MESSAGE.c.key, MESSAGE.c.digest, MESSAGE.c.message_id, MESSAGE.c.sender, MESSAGE.c.content, MESSAGE.c.written
)}  # fmt: skip
_FROM_SENDER = or_(_SAME["sender"], MESSAGE.c.sender == NOBODY)
_NAMED = _SAME["message_id"] & (MESSAGE.c.message_id != "") & _FROM_SENDER
_DATED = MESSAGE.c.written != ""
_LATELY = _SAME["message_id"] & (MESSAGE.c.received_at > bindparam("lately"))
_UNNAMED = or_(MESSAGE.c.message_id == "", bindparam("message_id") == "") & (_DATED | _LATELY)
_PROVED = MESSAGE.c.written.endswith(PROVED)
_SAYS_THE_SAME = _SAME["content"] & (MESSAGE.c.content != "") & _FROM_SENDER & _SAME["written"]
_WAS_PUT_ASIDE = or_(*(MESSAGE.c.disposition == each for each in PUT_ASIDE))
_DEALT_WITH = ~_WAS_PUT_ASIDE
_SEEN = (
    select(MESSAGE.c.disposition)
    .where(
        _SAME["key"] & (_SAME["digest"] | _NAMED)
        | _SAME["digest"] & _DEALT_WITH
        | _NAMED & (_SAME["content"] | _SAME["written"] & _DATED) & _DEALT_WITH
        | _SAYS_THE_SAME & (_UNNAMED | _PROVED) & _DEALT_WITH,
        MESSAGE.c.disposition != "waiting",
    )
    .limit(1)
)
_WITH_KEY = select(MESSAGE.c.id).where(_SAME["key"])
"""Statements that run for every message are built only once, because SQLAlchemy takes four times as long to build a
statement as to run it. They do not use ``IN``, because SQLAlchemy would expand its values again each time."""


def keep_message(conn: Connection, message: Message, now: datetime) -> int:
    """Store a message unchanged, and return its number. If another message already has its key, make the key longer."""
    keys = message.keys
    taken = conn.execute(_WITH_KEY, {"key": keys.key}).first()
    key = f"{keys.key}#{keys.digest[:16]}" if taken else keys.key
    row = {
        **asdict(keys),
        "key": key,
        "subject": message.subject,
        "received_at": now,
        "disposition": message.disposition,
        "reason": message.reason,
        "game_id": message.game_id,
        "faction": message.faction,
        "raw": message.raw,
    }
    return inserted_number(conn.execute(_KEEP, row))


_KEEP = insert(MESSAGE)


def dispositions_of(conn: Connection, digest: str) -> set[str]:
    return set(conn.scalars(select(MESSAGE.c.disposition).where(MESSAGE.c.digest == digest)))


def raw_of(conn: Connection, digest: str) -> bytes:
    kept = conn.scalars(select(MESSAGE.c.raw).where(MESSAGE.c.digest == digest))
    return next((raw for raw in kept if message_digest(raw) == digest), b"")


def is_known(conn: Connection, digest: str, message_id: str) -> bool:
    return any_row(conn, or_(MESSAGE.c.digest == digest, MESSAGE.c.message_id == message_id))


def put_aside_since(conn: Connection, game_id: str, faction: Faction, reason: str, since: datetime) -> int:
    return count_rows(
        conn,
        MESSAGE.c.game_id == game_id,
        MESSAGE.c.faction == faction,
        MESSAGE.c.received_at > since,
        MESSAGE.c.reason == reason,
    )


def latest_of(conn: Connection, sender: str, since: datetime, game_id: str | None, before: int = 2**62) -> list[bytes]:
    mine = (MESSAGE.c.sender == sender, MESSAGE.c.game_id == game_id, MESSAGE.c.received_at > since)
    found = select(MESSAGE.c.raw).where(NEWEST, *mine, MESSAGE.c.id < before)
    return list(conn.scalars(found.order_by(MESSAGE.c.id.desc()).limit(3)))


def was_put_aside(conn: Connection, keys: DeduplicationKeys, number: int) -> bool:
    return conn.execute(_PUT_ASIDE_BEFORE, {"digest": keys.digest, "number": number}).first() is not None


_PUT_ASIDE_BEFORE = (
    select(MESSAGE.c.id).where(_SAME["digest"], MESSAGE.c.id < bindparam("number"), _WAS_PUT_ASIDE).limit(1)
)


def notices_since(conn: Connection, recipient: str, since: datetime) -> int:
    return count_rows(conn, LETTER.c.game_id.is_(None), LETTER.c.recipient == recipient, LETTER.c.created_at > since)


def post(conn: Connection, letters: Sequence[Letter], now: datetime) -> None:
    if letters:
        conn.execute(_POST, [_letter_row(conn, letter, now) for letter in letters])


def _letter_row(conn: Connection, letter: Letter, now: datetime) -> dict[str, object]:
    content, pngs = take_apart(letter.content)
    claims: Callable[[], Mapping[str, object]] = conn.get_execution_options().get(CLAIMS_AS, dict)
    fresh = {"created_at": now, "next_try_at": now, "tries": 0, "error": "", **_FREE, **claims()}
    return row_of(letter) | {"content": content, "pictures": keep_pictures(conn, pngs), **fresh}


_POST = insert(LETTER)
CLAIMS_AS = "claims_as"
"""The execution option by which a process claims the letters that it writes: a function that returns the columns."""


def claim_columns(claimant: str, now: datetime, tries: int = 0) -> dict[str, object]:
    """Return the columns for a letter that is claimed after ``tries`` tries. While a letter is claimed, ``next_try_at``
    is the time at which it was claimed."""
    return {"claimed_by": claimant, "claimed_until": now + LEASE, "next_try_at": now, "tries": tries + 1}


def copies_to(conn: Connection, game_id: str, faction: Faction, recipient: str) -> int:
    return count_rows(conn, LETTER.c.game_id == game_id, LETTER.c.faction == faction, LETTER.c.recipient == recipient)


def post_once(conn: Connection, letter: Letter, now: datetime) -> None:
    if not any_row(conn, LETTER.c.message_id == letter.message_id):
        post(conn, [letter], now)


def readers_of_seats(conn: Connection, game_id: str) -> list[tuple[str, str]]:
    of_seats = (LETTER.c.game_id == game_id, LETTER.c.faction.is_not(None))
    found = select(LETTER.c.recipient, LETTER.c.faction).where(*of_seats).distinct()
    return [(row.recipient, row.faction) for row in conn.execute(found)]


def written_at(conn: Connection, identities: Iterable[str]) -> datetime | None:
    found = (conn.execute(_WRITTEN, {"of": identity}).scalar() for identity in islice(identities, _MOST_ANSWERED))
    return max(filter(None, found), default=None)


_MOST_ANSWERED = 5  # letters
_WRITTEN = select(LETTER.c.created_at).where(LETTER.c.message_id == bindparam("of"))


def newest_letter(conn: Connection) -> int:
    return int(conn.execute(select(func.max(LETTER.c.id))).scalar_one() or 0)


def newest_letter_to(conn: Connection, addresses: Collection[str], subject: str, since: datetime) -> bytes | None:
    theirs = (LETTER.c.recipient.in_(addresses), LETTER.c.subject.endswith(subject, autoescape=True))
    found = select(LETTER.c.content).where(*theirs, LETTER.c.created_at > since).order_by(LETTER.c.id.desc())
    content: bytes | None = conn.execute(found.limit(1)).scalar_one_or_none()
    return None if content is None else put_together(content, ())


def letters_written_after(conn: Connection, number: int) -> list[tuple[str, str]]:
    found = select(LETTER.c.recipient, LETTER.c.subject).where(LETTER.c.id > number).order_by(LETTER.c.id)
    return [(row.recipient, row.subject) for row in conn.execute(found)]


def not_written(conn: Connection, identities: Iterable[str]) -> set[str]:
    asked = sorted(identities)
    found: set[str] = set()
    for start in range(0, len(asked), 500):
        some = LETTER.c.message_id.in_(asked[start : start + 500])
        found |= set(conn.scalars(select(LETTER.c.message_id).where(some)))
    return set(asked) - found


@dataclass(frozen=True, slots=True)
class Unsent:
    id: int
    message_id: str
    subject: str
    created_at: datetime


def unsent(conn: Connection) -> list[Unsent]:
    columns = select(LETTER.c.id, LETTER.c.message_id, LETTER.c.subject, LETTER.c.created_at)
    waits = columns.where(LETTER.c.next_try_at.is_not(None)).order_by(LETTER.c.id)
    return [Unsent(*row) for row in conn.execute(waits)]


MOST_AT_ONCE = 50


def to_send(conn: Connection, now: datetime, most: int = MOST_AT_ONCE, claimant: str = "") -> list[DueLetter]:
    """Return the letters that are due and unclaimed, oldest first, and those that ``claimant`` claimed when it wrote
    them. A letter that has never been tried is due at once, even if its date is in the future
    (``mentat tick --now``)."""
    rows = conn.execute(_TO_SEND, {"now": now, "most": most, "claimant": claimant, "fresh": now + LEASE / 2}).all()
    contents = whole_letters(conn, ((row.content, row.pictures) for row in rows))
    return [
        DueLetter(number, tries - claimed, replace(Letter(*parts), content=content), bool(claimed))
        for (number, tries, claimed, _, *parts), content in zip(rows, contents, strict=True)
    ]


def _to_send() -> Select[Any]:
    now, claimant, other = bindparam("now", type_=Instant), bindparam("claimant", type_=String), LETTER.alias()
    come = or_(LETTER.c.next_try_at <= now, LETTER.c.tries == 0)
    elsewhere = (other.c.claimed_by != claimant) & (other.c.claimed_until > now)
    earlier = (other.c.next_try_at.is_not(None), other.c.recipient == LETTER.c.recipient, other.c.id < LETTER.c.id)
    fresh = LETTER.c.claimed_until > bindparam("fresh", type_=Instant)  # time enough for a slow server
    own = (LETTER.c.claimed_by == claimant) & fresh & ~exists().where(*earlier, elsewhere)
    due = come & or_(LETTER.c.claimed_until.is_(None), LETTER.c.claimed_until <= now)
    columns = (LETTER.c.id, LETTER.c.tries, case((own, 1), else_=0), LETTER.c.pictures, *columns_of(Letter))
    waits = LETTER.c.next_try_at.is_not(None)  # limits the search to a few rows (``ix_letter_waiting``)
    return select(*columns).where(waits, or_(due, own)).order_by(LETTER.c.id).limit(bindparam("most"))


_TO_SEND = _to_send()


def _unclaimed(now: datetime) -> ColumnElement[bool]:
    return or_(LETTER.c.claimed_until.is_(None), LETTER.c.claimed_until <= now)


def claim(conn: Connection, letter: DueLetter, claimant: str, now: datetime) -> bool:
    """Claim a letter before sending it, which counts as a try. Commit the claim before sending. Return False if another
    process has claimed, tried or sent the letter in the meantime, or if an earlier letter to the same address must be
    sent first."""
    if not _is_next(conn, letter, now):
        return False
    as_it_was = (LETTER.c.id == letter.id, LETTER.c.tries == letter.tries, LETTER.c.next_try_at.is_not(None))
    claimed = claim_columns(claimant, now, letter.tries)
    return bool(conn.execute(update(LETTER).where(*as_it_was, _unclaimed(now)).values(claimed)).rowcount)


def _is_next(conn: Connection, letter: DueLetter, now: datetime) -> bool:
    """Return True if no earlier letter to the same address is claimed or due, because each reader's letters must arrive
    in order. Earlier letters that failed and are waiting for a retry do not count. Lock the address until the end of
    the transaction. In a SQLite file only one process sends letters, and it sends them in order."""
    backend = backend_of(conn)
    if not backend.several:
        return True
    if not backend.try_turn(conn, f"letters to {letter.letter.recipient}"):
        return False
    before = (LETTER.c.recipient == letter.letter.recipient, LETTER.c.id < letter.id, LETTER.c.next_try_at.is_not(None))
    first = or_(~_unclaimed(now), LETTER.c.tries == 0, LETTER.c.next_try_at <= now)
    return not any_row(conn, *before, first)


def claimants(conn: Connection) -> dict[str, datetime]:
    found = select(LETTER.c.claimed_by, func.max(LETTER.c.next_try_at).label("at")).where(*_CLAIMED)
    return {row.claimed_by: row.at for row in conn.execute(found.group_by(LETTER.c.claimed_by))}


def end_claims(conn: Connection, claimant: str | None = None) -> None:
    """Release all claims, or the claims of one claimant that has certainly stopped sending. Nobody knows whether a
    server accepted these letters, so they are retried: at once after their first try, otherwise after the usual pause.
    Because of the pause, a letter that crashes every process that tries to send it cannot do so too often."""
    claimed = select(LETTER.c.id, LETTER.c.tries, LETTER.c.next_try_at).where(*_CLAIMED)
    if claimant is not None:
        claimed = claimed.where(LETTER.c.claimed_by == claimant)
    for number, tries, tried_at in conn.execute(claimed).all():
        again = tried_at if tries == 1 else tried_at + pause_after(tries - 1)
        conn.execute(update(LETTER).where(LETTER.c.id == number).values({**_FREE, "next_try_at": again}))


_CLAIMED = (LETTER.c.next_try_at.is_not(None), LETTER.c.claimed_until.is_not(None))
_FREE = {"claimed_by": "", "claimed_until": None}


def note_sent(conn: Connection, numbers: Sequence[int], now: datetime) -> None:
    taken = {"sent_at": now, "next_try_at": None, "error": "", **_FREE}
    conn.execute(update(LETTER).where(LETTER.c.id.in_(numbers)).values(taken))


def try_later(conn: Connection, letter: DueLetter, now: datetime, error: str) -> bool:
    tries = letter.tries + 1
    again = None if tries >= GIVE_UP_AFTER else now + pause_after(tries)
    _tried(conn, letter, error, again)
    return again is not None


def pause_after(tries: int) -> timedelta:
    """Return the pause after this many tries: a minute, two, four, … three hours."""
    return min(timedelta(minutes=2 ** (min(tries, 20) - 1)), LONGEST_PAUSE)


def note_refused(conn: Connection, letter: DueLetter, error: str) -> None:
    _tried(conn, letter, error, None)


def _tried(conn: Connection, letter: DueLetter, error: str, again: datetime | None) -> None:
    """Record the result of a try, unless the claim has expired and another process has since claimed the letter."""
    this_try = (LETTER.c.id == letter.id, LETTER.c.tries == letter.tries + 1, LETTER.c.sent_at.is_(None))
    conn.execute(update(LETTER).where(*this_try).values({**_FREE, "next_try_at": again, "error": error}))


def send_again(conn: Connection, game_id: str, seat: Seat, tokens: Mapping[str, str], now: datetime) -> int:
    """Put the newest letters to a seat, written since its player last wrote, into the outbox again, and return their
    number. Letters to other addresses, such as an earlier player's, are not sent again. ``tokens`` maps expired reply
    and bounce tokens to the tokens that replace them."""
    own = (LETTER.c.game_id == game_id, LETTER.c.faction == seat.faction, LETTER.c.recipient == seat.address)
    by_seat = (MESSAGE.c.game_id == game_id, MESSAGE.c.faction == seat.faction)
    heard = select(func.max(MESSAGE.c.received_at)).where(*by_seat, MESSAGE.c.disposition.in_(("orders", "empty")))
    since = conn.execute(heard).scalar_one() or EARLIEST
    missed = (
        select(LETTER.c.id)
        .where(*own, LETTER.c.created_at >= since, LETTER.c.content != b"")
        .order_by(LETTER.c.id.desc())
        .limit(MOST_SENT_AGAIN)
    )
    numbers = list(conn.scalars(missed))
    again = {"sent_at": None, "next_try_at": now, "tries": 0, "error": "", **_FREE}
    conn.execute(update(LETTER).where(LETTER.c.id.in_(numbers)).values(again))
    if tokens:
        _renew(conn, numbers, tokens)
    return len(numbers)


def _renew(conn: Connection, numbers: Sequence[int], tokens: Mapping[str, str]) -> None:
    written = select(LETTER.c.id, LETTER.c.content, LETTER.c.envelope_from).where(LETTER.c.id.in_(numbers))
    for row in conn.execute(written).all():
        envelope = row.envelope_from
        for old, new in tokens.items():
            envelope = envelope.replace(old, new)
        changed = {"content": with_tokens(row.content, tokens), "envelope_from": envelope}
        conn.execute(update(LETTER).where(LETTER.c.id == row.id).values(changed))


def keep_forms(conn: Connection, forms: Sequence[Form]) -> None:
    add_values(conn, forms)


def form(conn: Connection, code: str) -> Form | None:
    return load(conn, Form, code=code)


def rejected_since(conn: Connection, sender: str, since: datetime) -> int:
    mine = (MESSAGE.c.sender == sender, MESSAGE.c.disposition == "rejected")
    return count_rows(conn, NEWEST, *mine, MESSAGE.c.received_at > since)


def kept_for_since(conn: Connection, sender: str, reason: str, since: datetime) -> int:
    mine = (MESSAGE.c.sender == sender, MESSAGE.c.reason == reason)
    return count_rows(conn, NEWEST, *mine, MESSAGE.c.received_at > since)


def bytes_of_strangers(conn: Connection, since: datetime) -> int:
    nobodys = MESSAGE.c.disposition.in_(("rejected", "auto-reply", "bounce", "unsubscribe"))
    found = select(func.coalesce(func.sum(func.length(MESSAGE.c.raw)), 0))
    return int(conn.execute(found.where(NEWEST, nobodys, MESSAGE.c.received_at > since)).scalar_one())


NEWEST = MESSAGE.c.id > select(func.max(MESSAGE.c.id) - 5_000).scalar_subquery()
"""A condition that selects only the newest messages: queries that run for every message must not become slower as
messages accumulate."""


def letter_named(conn: Connection, message_id: str) -> bytes | None:
    kept = conn.scalars(select(LETTER.c.content).where(LETTER.c.message_id == message_id)).first()
    return None if kept is None else put_together(kept, ())


def was_sent_to(conn: Connection, message_id: str, addresses: Collection[str]) -> bool:
    sent = LETTER.c.message_id == message_id, LETTER.c.recipient.in_({*addresses})
    return conn.scalars(select(LETTER.c.id).where(*sent)).first() is not None


def form_lines(conn: Connection, code: str) -> list[str] | None:
    known = form(conn, code)
    return None if known is None else list(known.lines)


_IS_WAITING = MESSAGE.c.disposition == "waiting"


def waiting_since(conn: Connection, keys: DeduplicationKeys) -> datetime | None:
    return conn.scalars(select(MESSAGE.c.received_at).where(_IS_WAITING, MESSAGE.c.digest == keys.digest)).first()


def let_wait(conn: Connection, waiting: Message, now: datetime) -> None:
    """Make a message and its game wait, unless the message is already waiting."""
    if waiting_since(conn, waiting.keys) is None:
        keep_message(conn, waiting, now)


def waits_behind(conn: Connection, keys: DeduplicationKeys, after: datetime) -> bool:
    """Return True if an earlier message from the same sender is waiting. Messages that were received before ``after``
    do not make others wait."""
    others = (MESSAGE.c.sender == keys.sender, MESSAGE.c.digest != keys.digest)
    earlier = select(MESSAGE.c.id).where(NEWEST, _IS_WAITING, *others, MESSAGE.c.received_at > after)
    own = select(MESSAGE.c.id).where(_IS_WAITING, MESSAGE.c.digest == keys.digest)
    first = conn.execute(own).scalars().first()
    if first is not None:
        earlier = earlier.where(MESSAGE.c.id < first)
    return conn.execute(earlier.limit(1)).first() is not None


def end_waiting(conn: Connection, keys: DeduplicationKeys) -> None:
    conn.execute(delete(MESSAGE).where(_IS_WAITING, MESSAGE.c.digest == keys.digest))


def games_that_wait(conn: Connection, after: datetime) -> set[str]:
    """Return the games that must wait because one of their messages is waiting. Messages that were received before
    ``after`` do not make a game wait."""
    found = select(MESSAGE.c.game_id).where(NEWEST, _IS_WAITING, MESSAGE.c.received_at > after)
    return {game_id for game_id in conn.scalars(found) if game_id}


def waits_for_slot(conn: Connection, game_id: str, after: datetime, until: datetime) -> bool:
    came = (MESSAGE.c.received_at > after, MESSAGE.c.received_at <= until)
    return any_row(conn, _IS_WAITING, MESSAGE.c.game_id == game_id, *came)


def waits_from(conn: Connection, seat: tuple[str, Faction], after: datetime) -> bool:
    of_seat = (MESSAGE.c.game_id == seat[0], MESSAGE.c.faction == seat[1])
    return any_row(conn, NEWEST, _IS_WAITING, *of_seat, MESSAGE.c.received_at > after)


_PICTURE, _BEGIN, _END = b"\x01", b"\x02", b"\x03"
_SIGNS = re.compile(rb"[\x01-\x03]")
_PNG = re.compile(rb"iVBORw0KGgo[A-Za-z0-9+/=\r\n]*\r\n(?=\r\n--)")
_TEXT = re.compile(rb"(: quoted-printable\r\n\r\n)([^\r]*+(?:\r(?!\n--=_mentat_)[^\r]*+)*+)")
_FIELDS = re.compile(rb"\r\n(?![ \t])")
_NAMES = re.compile(rb"(?:message-id|in-reply-to|references):", re.IGNORECASE)
_KEPT_TEXT = re.compile(rb"\x02([^\x03]*)\x03")


def take_apart(letter: bytes) -> tuple[bytes, tuple[bytes, ...]]:
    if _SIGNS.search(letter):
        return letter, ()
    pngs: list[bytes] = []

    def without(part: re.Match[bytes]) -> bytes:
        try:
            png = a2b_base64(part[0])
        except Error:
            return part[0]
        if _as_base64(png) != part[0]:
            return part[0]
        pngs.append(png)
        return _PICTURE

    return _TEXT.sub(_decoded, _PNG.sub(without, letter)), tuple(pngs)


def with_tokens(kept: bytes, tokens: Mapping[str, str]) -> bytes:
    """Return a stored letter with other reply and bounce tokens in the addresses to which answers go. Message-ID,
    In-Reply-To and References stay unchanged; otherwise it would be a different letter.

    >>> with_tokens(b"Reply-To: a+old@x.example\\r\\n\\r\\nmailto:a%2Bold@x.example", {"old": "new"})
    b'Reply-To: a+new@x.example\\r\\n\\r\\nmailto:a%2Bnew@x.example'
    """
    if not any(old.encode() in kept for old in tokens):
        return kept
    head, blank, body = kept.partition(b"\r\n\r\n")
    fields = [field if _NAMES.match(field) else _replaced(field, tokens) for field in _FIELDS.split(head)]
    return b"\r\n".join(fields) + blank + _replaced(body, tokens)


def _replaced(part: bytes, tokens: Mapping[str, str]) -> bytes:
    for old, new in tokens.items():
        part = part.replace(old.encode(), new.encode())
    return part


def put_together(kept: bytes, pngs: Sequence[bytes]) -> bytes:
    """Restore a letter as it was written. If ``pngs`` is empty, placeholders remain where its pictures were."""
    from bot.mail.outgoing import as_quoted_printable  # it loads the mail reader, which `order check` does not need

    left = iter(pngs)
    letter = _KEPT_TEXT.sub(lambda part: as_quoted_printable(part[1]), kept)
    return re.sub(_PICTURE, lambda _: _as_base64(next(left)), letter) if pngs else letter


def _decoded(part: re.Match[bytes]) -> bytes:
    from bot.mail.outgoing import as_quoted_printable

    text = a2b_qp(part[2].replace(b"\r\n", b"\n"))
    same = as_quoted_printable(text) == part[2] and not _SIGNS.search(text)
    return part[1] + _BEGIN + text + _END if same else part[0]


def _as_base64(png: bytes) -> bytes:
    return encodebytes(png).replace(b"\n", b"\r\n")


def picture_digest(png: bytes) -> str:
    return hashlib.sha256(png).hexdigest()


def keep_pictures(conn: Connection, pngs: Iterable[bytes]) -> str:
    named = [(picture_digest(png), png) for png in pngs]
    if named:
        conn.execute(
            upsert(conn, PICTURE).on_conflict_do_nothing(), [{"digest": name, "png": png} for name, png in named]
        )
    return " ".join(name for name, _ in named)


def whole_letters(conn: Connection, letters: Iterable[tuple[bytes, str]]) -> list[bytes]:
    wanted = list(letters)
    kept = _kept_pictures(conn, {name for _, names in wanted for name in names.split()})
    return [put_together(content, [kept[name] for name in names.split()]) for content, names in wanted]


def _kept_pictures(conn: Connection, names: set[str]) -> Mapping[str, bytes]:
    if not names:
        return {}
    return {row.digest: row.png for row in conn.execute(select(PICTURE).where(PICTURE.c.digest.in_(names)))}


def drop_unused_pictures(conn: Connection) -> None:
    shown = conn.scalars(select(LETTER.c.pictures).where(LETTER.c.pictures != "").distinct())
    used = {name for names in shown for name in names.split()}
    for name in conn.scalars(select(PICTURE.c.digest)).all():
        if name not in used:
            conn.execute(delete(PICTURE).where(PICTURE.c.digest == name))
