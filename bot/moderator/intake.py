"""Intake: what is known of a message before any game is opened. What does it say, is its sender proved, and how much of
it is kept?

A message whose body cannot be read (too large, too many rows, broken) is read by its head alone, so that its sender can
be told. A proof is asked for only where a seat's player may have written, so that a stranger's mail makes nobody ask
the DNS.

A proof has its time. A signature says who wrote, not for whom or when (RFC 6376 section 8.6), so who has one mail of a
player could send it again years later; a mail that must be proved therefore bears a Date of these days. Where the
settings ask for no proof the Date says nothing that a forger could not write, and a clock that is wrong harms nobody.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from bot.config import Settings
from bot.identity.identification import games_named, is_of_a_player
from bot.identity.list_mail import is_from_list, is_notification, keys_in_list
from bot.mail.authentication import unproved_because
from bot.mail.disposition import Examined, examine
from bot.mail.dkim import CannotAsk, Lookup, ask_dns
from bot.mail.watchdog import TakesTooLong, at_most
from bot.moderator import master_mail
from bot.moderator.deduplication import keys_of, keys_of_proved
from bot.store import mail
from bot.store.database import Connection, Engine, reading
from bot.store.mail import DeduplicationKeys
from bot.tournament import mail_orders
from bot.wording.sentences import say

OF_THESE_DAYS = timedelta(days=7)
"""How far from the present the Date of a mail may be that must be proved: servers give up after five (RFC 5321)."""


@dataclass(frozen=True, slots=True)
class Arrival:
    """A message and what is known of it. ``raw`` is what was read of it: all, or its head alone. ``unread`` tells its
    sender why it was not read, and what to do; ``why`` says the same in a few words for the game master. ``unproved``
    says why the sender is not proved, where they must be; ``cannot_ask`` why that cannot be found out now;
    ``to_be_proved`` that it has to be found out at all. ``from_list`` names the forum from whose list it came, and
    ``tells_of`` the one that tells by it of something to read."""

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
    """Reads messages, each before any lock is taken: a long one takes its time."""

    def __init__(self, settings: Settings, engine: Engine) -> None:
        self._settings = settings
        self._engine = engine
        self.txt_lookup: Lookup = ask_dns  # for DKIM; nobody asks where the settings do not want it

    def arrived(self, raw: bytes, key: str, now: datetime, too_large: int) -> Arrival:
        """What is known of a message. ``too_large`` as for ``Moderator.receive``; TakesTooLong if it is not read in its
        time."""
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
            if by_head.verdict.disposition == "empty":  # a person may have written it
                unread, why = say("not-taken.unreadable", reason=seen.verdict.reason), seen.verdict.reason
                seen, raw = by_head, head_of(raw)
        keys = keys_of(seen, whole, key)
        if len(raw) < too_large:
            keys = replace(keys, digest=digest_of_head(raw, too_large))
        found = Arrival(seen, raw, keys, unread, why)
        if seen.incoming and (forum := is_from_list(self._settings, seen.incoming)):
            return replace(found, keys=keys_in_list(keys, forum), from_list=forum)
        if seen.incoming and not seen.tokens and (forum := is_notification(self._settings, seen.incoming)):
            return replace(found, tells_of=forum)
        return found if self._settings.identity.mode == "token+sender" else self._proved(found, whole, now)

    def _examine(self, raw: bytes) -> Examined:
        def sent_form(code: str) -> list[str] | None:
            with reading(self._engine) as conn:
                return mail.form_lines(conn, code)

        limits = self._settings.limits
        with at_most(limits.seconds_per_message, "reading the message"):
            return examine(
                raw, self._settings.mentat.address, sent_form, max_bytes=limits.max_message_bytes,
                max_lines=limits.max_lines, max_line_chars=limits.line_chars,
            )  # fmt: skip

    def for_whom(self, raw: bytes, now: datetime, too_large: int = 0) -> tuple[str, str | None]:
        """Who has sent a message, and the one game that it is for: None where it is for none or for several, or where
        that cannot be seen before it is taken. Nothing is done, and TakesTooLong is no game."""
        try:
            seen = self._examine(head_of(raw) if too_large else raw)
        except TakesTooLong:
            return "", None
        incoming = seen.incoming
        if incoming is None or is_from_list(self._settings, incoming) or is_notification(self._settings, incoming):
            return incoming.sender if incoming else "", None
        with reading(self._engine) as conn:
            named = games_named(conn, seen, now)
        return incoming.sender, named.pop() if len(named) == 1 and None not in named else None

    def not_proved_yet(self, conn: Connection, found: Arrival, now: datetime) -> str:
        """Why a mail has to be proved that was nobody's when it was read; nothing if it has not."""
        if self._settings.identity.mode == "token+sender" or found.to_be_proved:
            return ""
        return "its sender became a player while it was read" if _asks_for_proof(conn, found.seen, now) else ""

    def _proved(self, found: Arrival, raw: bytes, now: datetime) -> Arrival:
        """A mail that arrived, with what is known of a proof of its sender, where the settings want one and a player
        may have written it."""
        incoming = found.seen.incoming
        if incoming is None:
            return found
        with reading(self._engine) as conn:
            if not _asks_for_proof(conn, found.seen, now):
                return found
        found = replace(found, keys=keys_of_proved(found.seen, found.keys), to_be_proved=True)
        if incoming.date is None:
            return replace(found, unproved="it has no Date, so it could be an old mail sent again")
        if abs(now - incoming.date) > OF_THESE_DAYS:
            when = f"{incoming.date:%Y-%m-%d}"
            return replace(found, unproved=f"it is dated {when}; an old mail sent again, or a clock that is wrong")
        identity = self._settings.identity
        lookup = self.txt_lookup if identity.dkim else None
        try:
            return replace(found, unproved=unproved_because(incoming, raw, identity.authserv_id, lookup))
        except CannotAsk as problem:
            return replace(found, cannot_ask=f"its DKIM signature cannot be checked: {problem}")


def _asks_for_proof(conn: Connection, seen: Examined, now: datetime) -> bool:
    """Whether somebody may have written who is known: a player, an entrant, or who runs a game."""
    return (
        is_of_a_player(conn, seen, now)
        or mail_orders.needs_proof(conn, seen)
        or master_mail.needs_proof(conn, seen, now)
    )


def digest_of_head(head: bytes, size: int) -> str:
    """The digest of a message of which only the head was read, and its size in bytes."""
    return mail.digest(b"%d bytes " % size + head_of(head))


def head_of(raw: bytes) -> bytes:
    """The header fields of a message."""
    ends = [end for blank in (b"\n\n", b"\r\n\r\n") if (end := raw.find(blank)) >= 0]
    return raw[: min(ends, default=0)] + b"\r\n\r\n"
