"""Intake: examine a message before any game is opened, to learn its contents and whether its sender is proved.

If the body of a message cannot be read (because it is too large, has too many lines or is broken), Mentat reads only
the head, so that it can notify the sender. It asks for a proof only if the message may come from a player, so that a
stranger's mail causes no DNS queries.

A proof expires. A signature shows who wrote a mail, but not for whom or when (RFC 6376 section 8.6), so a person who
has one mail from a player could send it again years later. A mail that must be proved therefore needs a recent Date. If
the settings ask for no proof, the Date does not matter: a forger could write any date, and a wrong clock does no harm.

A second copy of a message is recognised by its deduplication keys (``bot.store.mail.seen``), which are computed from
the part that was read. They leave out delivery headers (Received, Delivered-To), so that a second copy has the same
keys (RFC 5321, 4.4). They include the recipient and the letter to which the mail replies, because the same words may be
meant for two games, or twice for one game.

Mails from a mailing list to which Mentat belongs, and notifications from a forum, are not letters to Mentat. Mentat
reads no orders from them and does not reply to them. It recognises mail from a list by the secret address under which
it subscribed, because anybody can write a List-Id. If the provider does not deliver plus addresses, our own mail server
must confirm that the list's server sent the mail. The contents of a list's mails are read when the forum is read. A
notification contains nothing that is not in the forum itself, so Mentat keeps only its head.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from urllib.parse import urlsplit

from bot.config import Settings
from bot.games.identity import MailOutcome, games_named, is_of_a_player
from bot.games.retention import HEAD_BYTES
from bot.lobby import incoming_mail as lobby_mail
from bot.mail.authentication import CannotAsk, Lookup, ask_dns, unproved_because, was_passed_on_by
from bot.mail.disposition import Examined, TimeLimitExceeded, at_most, examine
from bot.mail.identity import find_list_tokens, list_address, list_token
from bot.mail.message import Incoming
from bot.moderator import desk_mail
from bot.store import forum_pastes, mail, people
from bot.store.database import Connection, Engine, pack_mail, reading
from bot.store.mail import DeduplicationKeys
from bot.tournament import incoming_mail
from bot.wording import say

OF_THESE_DAYS = timedelta(days=7)
"""The most by which the Date of a mail that needs a proof may differ from the present. Servers give up after five days
(RFC 5321)."""


@dataclass(frozen=True, slots=True)
class Arrival:
    """A message, and the facts known about it.

    - ``raw`` is the part of the message that was read: all of it, or only its head.
    - ``unread`` tells the sender why the message was not read and what to do; ``why`` says the same briefly for the
      game master.
    - ``to_be_proved`` is true if the sender must be proved, and ``unproved`` says why they are not.
    - ``cannot_ask`` says why the proof cannot be checked now.
    - ``from_list`` is the forum whose mailing list sent the message.
    - ``tells_of`` is the forum of which this message is a notification.
    """

    seen: Examined
    raw: bytes
    keys: DeduplicationKeys
    unread: str = ""
    why: str = ""
    unproved: str = ""
    cannot_ask: str = ""
    to_be_proved: bool = False
    from_list: str | None = None
    tells_of: str | None = None


class Intake:
    """A reader of messages, which reads each one before taking any lock, because long messages take time."""

    def __init__(self, settings: Settings, engine: Engine) -> None:
        self._settings = settings
        self._engine = engine
        self.txt_lookup: Lookup = ask_dns  # for DKIM; unused if the settings turn DKIM off

    def arrived(self, raw: bytes, key: str, now: datetime, too_large: int) -> Arrival:
        """Read a message. ``too_large`` means the same as in ``Moderator.receive``. Raise TakesTooLong if reading takes
        longer than is allowed."""
        whole, most = raw, self._settings.limits.max_message_bytes
        unread = why = ""
        if not too_large and len(raw) > most:
            too_large = len(raw)
        if too_large:
            unread, why = say("not-taken.too-large", size=too_large, most=most), f"it has more than {most} bytes"
            raw = head_of(raw)
        seen = self._examine(raw)
        if seen.incoming is None:
            by_head = self._examine(head_of(raw))
            if by_head.verdict.disposition == "empty":  # a person may have written this mail
                unread, why = say("not-taken.unreadable", reason=seen.verdict.reason), seen.verdict.reason
                seen, raw = by_head, head_of(raw)
        keys = deduplication_keys(seen, whole, key)
        if len(raw) < too_large:
            keys = replace(keys, digest=digest_of_head(raw, too_large))
        found = Arrival(seen, raw, keys, unread, why)
        pack_mail(raw)
        if seen.incoming and (forum := is_from_list(self._settings, seen.incoming)):
            return replace(found, keys=list_deduplication_keys(keys, forum), from_list=forum)
        if seen.incoming and not seen.tokens and (forum := is_notification(self._settings, seen.incoming)):
            return replace(found, tells_of=forum)
        return found if self._settings.identity.mode == "token+sender" else self._proved(found, whole, now)

    def _examine(self, raw: bytes) -> Examined:
        def sent_form(code: str) -> list[str] | None:
            with reading(self._engine) as conn:
                return mail.form_lines(conn, code)

        def sent_letter(message_id: str) -> bytes | None:
            with reading(self._engine) as conn:
                return mail.letter_named(conn, message_id)

        limits = self._settings.limits
        with at_most(limits.seconds_per_message, "reading the message"):
            return examine(
                raw,
                self._settings.mentat.address,
                sent_form,
                max_bytes=limits.max_message_bytes,
                max_lines=limits.max_lines,
                max_line_chars=limits.line_chars,
                sent_letter=sent_letter,
            )

    def for_whom(self, raw: bytes, now: datetime, too_large: int = 0) -> tuple[str, str | None]:
        """Return the sender of a message and the game that it is for. The game is None if the message is for no game or
        for several, if only processing it can tell, or if reading it takes too long."""
        try:
            seen = self._examine(head_of(raw) if too_large else raw)
        except TimeLimitExceeded:
            return "", None
        incoming = seen.incoming
        if incoming is None or is_from_list(self._settings, incoming) or is_notification(self._settings, incoming):
            return incoming.sender if incoming else "", None
        with reading(self._engine) as conn:
            named = games_named(conn, seen, now)
        return incoming.sender, named.pop() if len(named) == 1 and None not in named else None

    def possible_games(self, head: bytes, now: datetime) -> tuple[str, set[str]]:
        incoming = (seen := self._examine(head)).incoming
        if incoming is None or is_from_list(self._settings, incoming):
            return incoming.sender if incoming else "", set()
        with reading(self._engine) as conn:
            named = {game_id for game_id in games_named(conn, seen, now) if game_id}
            seats = people.seats_at_addresses(conn, people.known_as(conn, incoming.sender))
        return incoming.sender, named | {game_id for game_id, _ in seats}

    def not_proved_yet(self, conn: Connection, found: Arrival, now: datetime) -> str:
        """Return why a mail needs a proof after all, if its sender was still a stranger when it was read but no longer
        is. Return "" if it needs none."""
        if self._settings.identity.mode == "token+sender" or found.to_be_proved:
            return ""
        return "its sender became a player while it was read" if self._asks_for_proof(conn, found.seen, now) else ""

    def _proved(self, found: Arrival, raw: bytes, now: datetime) -> Arrival:
        incoming = found.seen.incoming
        if incoming is None:
            return found
        with reading(self._engine) as conn:
            if not self._asks_for_proof(conn, found.seen, now):
                return found
        found = replace(found, keys=proved_deduplication_keys(found.seen, found.keys), to_be_proved=True)
        if incoming.date is None:
            return replace(found, unproved="it has no Date, so it could be an old mail sent again")
        if abs(now - incoming.date) > OF_THESE_DAYS:
            when = f"{incoming.date:%Y-%m-%d}"
            return replace(found, unproved=f"it is dated {when}: an old mail was sent again, or a clock is wrong")
        identity = self._settings.identity
        lookup = self.txt_lookup if identity.dkim else None
        try:
            return replace(found, unproved=unproved_because(incoming, raw, identity.authserv_id, lookup))
        except CannotAsk as problem:
            return replace(found, cannot_ask=f"its DKIM signature cannot be checked: {problem}")

    def _asks_for_proof(self, conn: Connection, seen: Examined, now: datetime) -> bool:
        return (
            is_of_a_player(conn, seen, now)
            or incoming_mail.needs_proof(conn, seen)
            or lobby_mail.needs_proof(conn, self._settings, seen)
            or desk_mail.needs_proof(conn, self._settings, seen, now)
        )


def digest_of_head(head: bytes, size: int) -> str:
    return mail.message_digest(b"%d bytes " % size + head_of(head))


def head_of(raw: bytes) -> bytes:
    ends = [end for blank in (b"\n\n", b"\r\n\r\n") if (end := raw.find(blank)) >= 0]
    return raw[: min(ends, default=0)] + b"\r\n\r\n"


def deduplication_keys(seen: Examined, raw: bytes, key: str) -> DeduplicationKeys:
    digest, incoming = mail.message_digest(raw), seen.incoming
    if incoming is None:
        return DeduplicationKeys(key, digest)
    to = " ".join(sorted(seen.tokens))
    said = [to, incoming.subject, *incoming.in_reply_to]
    said += (f"{part.token} {part.form} {line}" for part in seen.reading.sections for line in part.lines)
    by_a_person = seen.verdict.disposition in ("orders", "empty")
    content = hashlib.sha256("\n".join(said).encode("utf-8", "replace")).hexdigest() if by_a_person else digest
    written = f"{incoming.date.isoformat()} {to if by_a_person else 'by a program'}" if incoming.date else ""
    return DeduplicationKeys(key, digest, incoming.message_id or "", incoming.sender, content, written)


def proved_deduplication_keys(seen: Examined, keys: DeduplicationKeys) -> DeduplicationKeys:
    """Return the keys of a message whose sender must be proved.

    One of its recipients could send it again after changing the parts that its signature does not cover (RFC 6376
    section 8.6). It is still the same mail, whatever its Message-ID and whichever seat it was sent to.
    """
    incoming = seen.incoming
    if incoming is None or incoming.date is None:
        return keys
    said = [incoming.subject, *(line for part in seen.reading.sections for line in part.lines)]
    content = hashlib.sha256("\n".join(said).encode("utf-8", "replace")).hexdigest()
    return replace(keys, content=content, written=f"{incoming.date.isoformat()}{mail.PROVED}")


_IN_BRACKETS = re.compile(r"<\s*(?:mailto:)?([^<>\s?]+)[^<>]*>")
_WORD = re.compile(r"[^\s,;<>]+")
_NAMES_OF_LISTS = ("list-id", "list-post", "mailing-list", "x-beenthere")


def subscribed_address(settings: Settings, forum: str) -> str:
    address = settings.mentat.address
    return list_address(address, _list_token(settings, forum)) if settings.mentat.plus_addressing else address


def is_from_list(settings: Settings, incoming: Incoming) -> str | None:
    for name, forum in settings.forums.items():
        if forum.kind == "list" and _names_list(incoming, forum.address.lower()) and _came_by(settings, incoming, name):
            return name
    return None


def is_notification(settings: Settings, incoming: Incoming) -> str | None:
    """If a mail is a notification from a forum, return that forum, else None. A mail with a reply token comes from a
    player and is not one."""
    from_discourse = any(name.startswith("x-discourse-") for name in incoming.headers)
    places = [*_lists_named(incoming.header("list-id"))]
    if from_discourse:
        places += [address.rpartition("@")[2] for address in (*incoming.senders, incoming.message_id or "")]
    for name, forum in settings.forums.items():
        host = urlsplit(forum.url).hostname
        if host and any(place == host or place.endswith(f".{host}") for place in places):
            return name
    return None


def list_deduplication_keys(keys: DeduplicationKeys, forum: str) -> DeduplicationKeys:
    """Return the keys of a mail from a forum's mailing list. They differ from the keys of the same mail to a player's
    reply address or to another list, because each of these copies counts separately, in whatever order they arrive."""
    content = hashlib.sha256(f"list {forum}\n{keys.content}".encode()).hexdigest()
    return replace(keys, content=content, written=f"{keys.written} list {forum}" if keys.written else "")


def _list_token(settings: Settings, forum: str) -> str:
    return list_token(settings.key, forum)


def _came_by(settings: Settings, incoming: Incoming, forum: str) -> bool:
    if settings.mentat.plus_addressing:
        return _list_token(settings, forum) in find_list_tokens(incoming, settings.mentat.address)
    domain = settings.forums[forum].address.rpartition("@")[2]
    results = incoming.headers.get("authentication-results", ())
    return was_passed_on_by(domain, results, settings.identity.authserv_id)


def _names_list(incoming: Incoming, address: str) -> bool:
    known = (address, address.replace("@", "."))
    values = [value for name in _NAMES_OF_LISTS for value in incoming.headers.get(name, ())]
    return any(word in known for value in values for word in _lists_named(value))


def _lists_named(value: str) -> Iterator[str]:
    """Yield the addresses in a list header, which may be written in several ways: `Games <dune.lists.example>`,
    `<mailto:dune@lists.example>`, `list a@b; ...`."""
    found = _IN_BRACKETS.findall(value) or _WORD.findall(value)
    return (word.lower() for word in found)


def keep_forum_mail(conn: Connection, arrival: Arrival, now: datetime) -> MailOutcome:
    if arrival.from_list:
        verdict = MailOutcome("forum", f"mail from {arrival.from_list}")
        raw = arrival.raw
    else:
        verdict = MailOutcome("forum", f"notified by {arrival.tells_of}")
        raw = head_of(arrival.raw)[:HEAD_BYTES]
    incoming = arrival.seen.incoming
    subject = incoming.subject if incoming else ""
    number = mail.keep_message(conn, mail.Message(arrival.keys, subject, verdict.disposition, verdict.reason, raw), now)
    if arrival.from_list:
        forum_pastes.keep_list_mail(conn, arrival.from_list, number, now)
    return verdict
