"""IMAP: the server in the settings, the login, and the inbox.

It uses RFC 3501 and, where the server supports them, IDLE (RFC 2177), MOVE (RFC 6851) and UIDPLUS (RFC 4315). The key
of a message is its folder, UIDVALIDITY and UID. New messages are always found with SEARCH; IDLE only hints that a
search may find something. A broken connection is reopened once before the mailbox counts as unavailable. Sizes are
fetched before bodies, so a message that is too large costs no memory. Bodies are fetched with PEEK, so the Seen flag
does not change. A later message never overtakes an earlier one that the server holds back, because a player's last
answer to a question is the one that counts.

STARTTLS is required, not optional: the password is never sent to a server, or a man in the middle, that does not offer
it. Nor is it sent to a server that greets with PREAUTH (RFC 9051 section 11.3), because such a connection can no longer
be made safe.

If the server lacks MOVE, the message is copied, flagged as Deleted and expunged; no other message is expunged. If it
lacks UIDPLUS, nothing is expunged, because a plain EXPUNGE would also remove messages that other programs have flagged.

An OK from the server proves nothing. A message counts as moved only if the inbox no longer lists it, as copied only if
the STATUS of the other folder has changed, and as handed out only if it is as long as RFC822.SIZE says. Exchange,
however, reports the space that the message takes up in its store. So if the length differs, the server must confirm the
end of the message (BODY[]<n>, RFC 3501 section 6.4.5). If it does not, the message may have been cut off. A message
that breaks the connection every time it is fetched counts as not handed out. A stuck message (`bot.mail.mailbox`) is
not returned, but the messages after it are still read.

This module works around faults in IMAPClient 4.1. The library refuses ranges given as strings, and leaves out of a
FETCH response whatever the server did not send. Its `idle_check` raises an abort if a line comes in two packets. If the
server has hung up, `idle_check` returns an empty list at once, again and again. It also misses responses that came in
the same packet as the continuation response to IDLE.
"""

from __future__ import annotations

import contextlib
import imaplib
import logging
import re
import socket
import ssl
import threading
import time
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import islice
from typing import Any, TypeVar

from imapclient import IMAPClient
from imapclient.exceptions import LoginError

from bot.mail.decoding import MAX_BYTES
from bot.mail.mailbox import CannotMove, FetchedMail, Inbox, MailboxUnavailable, StuckMail, head_of
from bot.mail.transport import AccessTokens, Security, TokenUnavailable, XOAuth2, tls_trouble

_FOR_NOW = re.compile(r"\[(UNAVAILABLE|LIMIT|INUSE|SERVERBUG)\]|too many|maximum number of connections", re.IGNORECASE)
"""Responses to a login that was refused although the settings are right (RFC 5530 section 3, and servers that say so
only in words)."""
_TIMES = re.compile(r" ?\([\d.]+(?: \+ [\d.]+)+ secs\)\.?")


@dataclass(frozen=True, slots=True)
class ImapServer:
    """The mailbox's server and how to use it. Folder names are written with `/`, whatever delimiter the server uses. If
    `tokens` is set, the login uses XOAUTH2, and `password` is ignored."""

    host: str
    port: int
    user: str
    password: str = field(repr=False)
    security: Security = "tls"
    folder: str = "INBOX"
    processed: str = "Mentat/Processed"
    shunted: str = "Mentat/Shunted"
    max_bytes: int = MAX_BYTES
    timeout: float = 30.0
    idle: bool = True
    tls_context: Callable[[], ssl.SSLContext] = ssl.create_default_context
    tokens: AccessTokens | None = field(default=None, repr=False)

    def __str__(self) -> str:
        return f"{self.host}:{self.port}"


def log_in(server: ImapServer) -> Any:
    client = _connected(server)
    try:
        _make_safe(client, server)
        client.socket().setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        if server.tokens:
            _log_in_with_token(client, server, server.tokens)
        elif client.has_capability("LOGINDISABLED"):
            raise MailboxUnavailable(_unsafe(server))
        else:
            client.login(server.user, server.password)
    except MailboxUnavailable:
        abandon_client(client)
        raise
    except LoginError as error:
        abandon_client(client)
        if "[PRIVACYREQUIRED]" in str(error):
            raise MailboxUnavailable(_unsafe(server)) from None
        if _FOR_NOW.search(str(error)):
            raise _busy(server, said(error, server)) from None
        raise MailboxUnavailable(
            f"{server} does not accept the login of {server.user} ({said(error, server)}); "
            "check [mailbox] user and MENTAT_IMAP_PASSWORD"
        ) from None
    except Exception as error:  # the library raises many kinds of errors on malformed responses
        abandon_client(client)
        raise MailboxUnavailable(
            f"the IMAP server {server} cannot be used ({said(error, server)}); check [mailbox] host, port and security"
        ) from None
    return client


def find_folders(client: Any, server: ImapServer) -> dict[str, str]:
    listed = client.list_folders("", "INBOX") or client.list_folders()
    delimiter = next((entry[1].decode() for entry in listed if entry[1]), "/")
    if client.has_capability("NAMESPACE"):  # RFC 2342
        personal = client.namespace().personal
        prefixes = [personal[0][0] if personal else ""]
    else:  # a server without NAMESPACE may still want all folders below the inbox
        prefixes = ["", f"INBOX{delimiter}"]

    def written(name: str, works: Callable[[Any, str], bool]) -> str:
        forms = [_as_listed(name, delimiter, prefix) for prefix in prefixes]
        return next((form for form in forms if works(client, form)), forms[0])

    return {
        server.folder: written(server.folder, lambda _, form: bool(client.folder_exists(form))),
        server.processed: written(server.processed, _is_there_or_made),
        server.shunted: written(server.shunted, _is_there_or_made),
    }


def _is_there_or_made(client: Any, folder: str) -> bool:
    if client.folder_exists(folder):
        return True
    try:
        client.create_folder(folder)
    except imaplib.IMAP4.abort:
        raise
    except imaplib.IMAP4.error as error:
        return "[ALREADYEXISTS]" in str(error)
    with contextlib.suppress(imaplib.IMAP4.error):
        client.subscribe_folder(folder)
    return True


def abandon_client(client: Any) -> None:
    if client is not None:
        with contextlib.suppress(Exception):
            client.shutdown()


def said(error: Exception, server: ImapServer) -> str:
    """Return the error text of the server, shortened and without the password."""
    text = _TIMES.sub("", " ".join(re.sub(r"b'(.*)'", r"\1", str(error)).split()))
    if server.password:
        text = text.replace(server.password, "***")
    return text[:200] or type(error).__name__


def _connected(server: ImapServer) -> Any:
    tls = server.security == "tls"
    try:
        return IMAPClient(
            server.host, server.port, ssl=tls, ssl_context=server.tls_context() if tls else None, timeout=server.timeout
        )
    except (OSError, imaplib.IMAP4.error) as error:
        trouble = tls_trouble(error, server.host, "[mailbox]")
        if trouble:
            raise MailboxUnavailable(f"no safe connection to the IMAP server {server}: {trouble}") from None
        raise MailboxUnavailable(
            f"no IMAP connection to {server} ({cause(error)}); check [mailbox] host, port and security"
        ) from None


def _make_safe(client: Any, server: ImapServer) -> None:
    if client._imap.state != "NONAUTH":
        raise MailboxUnavailable(
            f"the IMAP server {server} accepts connections without a password; "
            "Mentat does not trust it, check [mailbox] host and port"
        )
    if server.security != "starttls":
        return
    if not client.has_capability("STARTTLS"):
        raise MailboxUnavailable(
            f"the IMAP server {server} offers no STARTTLS, so nothing is sent to it; "
            'check [mailbox] security ("tls" with port 993 is better) and that nobody intercepts the connection'
        )
    try:
        client.starttls(ssl_context=server.tls_context())
    except (OSError, imaplib.IMAP4.error) as error:
        trouble = tls_trouble(error, server.host, "[mailbox]") or f"STARTTLS fails ({said(error, server)})"
        raise MailboxUnavailable(f"no safe connection to the IMAP server {server}: {trouble}") from None


def _log_in_with_token(client: Any, server: ImapServer, tokens: AccessTokens) -> None:
    complaint = ""
    for _ in range(2):
        try:
            token = tokens.token()
        except TokenUnavailable as problem:
            raise MailboxUnavailable(f"login to {server} is impossible: {problem}") from None
        exchange = XOAuth2(server.user, token)
        try:
            client.sasl_login("XOAUTH2", exchange.respond)
            return
        except LoginError as error:
            if not exchange.complaint and _FOR_NOW.search(str(error)):
                raise _busy(server, said(error, server).replace(token, "***")) from None
            complaint = exchange.complaint or said(error, server).replace(token, "***")
            tokens.forget(token)
    raise MailboxUnavailable(
        f"{server} does not accept the access token for {server.user} ({complaint}); "
        "check [mailbox] user, [oauth] scope, and that the account allows IMAP"
    )


def _busy(server: ImapServer, answer: str) -> MailboxUnavailable:
    return MailboxUnavailable(
        f"{server} refuses {server.user} for now ({answer}); Mentat will try again; if this continues, check "
        "whether many programs hold connections to this mailbox"
    )


def _unsafe(server: ImapServer) -> str:
    return (
        f"the IMAP server {server} accepts no password over a connection that others can read; "
        'check [mailbox] security: "tls" with port 993, or "starttls"'
    )


def _as_listed(name: str, delimiter: str, prefix: str) -> str:
    """Return a folder name as the server lists it. For example, `Mentat/Processed` may be listed as
    `INBOX.Mentat.Processed`."""
    if name.upper() == "INBOX":
        return "INBOX"
    written = name.replace("/", delimiter)
    return written if written.startswith(prefix) else prefix + written


def cause(error: Exception) -> str:
    """Return the kind of failure, without any text from the server, which may repeat what was sent to it."""
    if isinstance(error, TimeoutError):
        return "no answer in time"
    if isinstance(error, imaplib.IMAP4.abort):
        return "it hangs up"
    strerror = getattr(error, "strerror", None)
    return strerror if isinstance(strerror, str) and strerror else type(error).__name__


__all__ = ["ImapMailbox", "ImapServer"]

_log = logging.getLogger(__name__)

_BATCH_MESSAGES = 50
_BATCH_BYTES = 8_000_000
_HEAD_BYTES = 200_000
_IDLE_STEP = 0.5
_IDLE_LIMIT = 20 * 60.0
"""The number of seconds after which IDLE is restarted. Servers may end it after 29 minutes."""
_SECOND_LOOK = 1.0
"""The number of seconds of IDLE after which the mailbox is searched again, because some servers do not report mail that
came just before it."""
_IDLE_TRIES = 3
"""If IDLE fails this many times in a row, the mailbox is only polled from then on."""
_HASTY_ANSWERS = 5
"""If this many empty responses come in a row, each too quickly to be a real one, the server has hung up."""
_LOOKS = 3
_LOOK_PAUSE = 0.5
"""The number of further requests for a message that the server lists but does not return, before the messages after it
are read, and the number of seconds before each request."""
_END_BYTES = 64
"""If a message does not have the announced length, this many bytes before its end are requested again, together with
anything that follows."""

_KEY = re.compile(r"(?P<folder>.*);(?P<validity>\d+);(?P<uid>\d+)", re.DOTALL)

_T = TypeVar("_T")


class _Refused(MailboxUnavailable):
    """A refusal (NO) that the server would give again if the command were repeated."""


class _Broken(MailboxUnavailable):
    pass


class ImapMailbox(Inbox):
    """The inbox of one user. It connects when it is first used. `close` may be called from another thread."""

    def __init__(self, server: ImapServer) -> None:
        super().__init__(server.processed, server.shunted)
        self._server = server
        self._client: Any = None
        self._validity = 0
        self._folders: dict[str, str] = {}
        self._known: set[int] = set()
        self._copied: set[str] = set()
        self._held: dict[str, object] = {}
        self._offers_idle = False
        self._idle_broke = 0
        self._closing = threading.Event()
        self._in_use = threading.RLock()

    def fetch_new(self) -> Iterator[FetchedMail]:
        self._move_the_rest()
        sizes = self._run(self._waiting)
        validity = self._validity
        for uids in _batches(sizes, self._server.max_bytes):
            try:
                together = {uid: sizes[uid] for uid in uids if self._key(uid) not in self._stuck}
                found = self._run(partial(self._handed_out, together))
            except _Broken:  # one of them may have caused it, so request each alone
                found = {}
            if self._validity != validity:
                return
            for uid in uids:
                if uid not in found:
                    found |= self._asked_again(uid, sizes[uid])
                    if self._validity != validity or self._closing.is_set():
                        return
                if uid in found:
                    self._forget(found[uid].key)
                    yield found.pop(uid)

    def wait(self, seconds: float) -> bool:
        deadline = time.monotonic() + min(seconds, _IDLE_LIMIT)
        if self._closing.is_set() or self._run(self._anything_unknown):
            return not self._closing.is_set()
        if not (self._server.idle and self._offers_idle) or self._idle_broke >= _IDLE_TRIES:
            self._closing.wait(max(0.0, deadline - time.monotonic()))
            return False
        try:
            with self._in_use:
                news = self._client is not None and self._hears_of_mail(deadline)
            self._idle_broke = 0
            return news
        except Exception as error:  # the next command to the mailbox will tell more
            self._idle_broke += 1
            _log.info("IDLE at %s ended (%s); the mailbox is read again", self._server, type(error).__name__)
            self._drop()
            return not self._closing.is_set()

    def close(self) -> None:
        self._closing.set()
        with self._in_use:
            client, self._client = self._client, None
            if client is not None:
                with contextlib.suppress(Exception):
                    client.logout()
                abandon_client(client)

    def __enter__(self) -> ImapMailbox:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _run(self, work: Callable[[], _T], tries: int = 2) -> _T:
        """Run `work` over the connection. If the connection breaks, reconnect and run it once more. If the library
        cannot parse a response (two answers in one place, half a line), this counts as a broken connection."""
        for attempt in range(1, tries + 1):
            try:
                with self._in_use:
                    self._connect()
                    return work()
            except MailboxUnavailable:
                raise
            except Exception as error:
                self._drop()
                if isinstance(error, imaplib.IMAP4.error) and not isinstance(error, imaplib.IMAP4.abort):
                    raise _Refused(
                        f"the IMAP server {self._server} refuses ({said(error, self._server)}); "
                        "check its folders and quota"
                    ) from None
                _log.info("the connection to %s broke", self._server, exc_info=error)
                if attempt == tries:
                    raise _Broken(
                        f"the connection to the IMAP server {self._server} broke ({cause(error)}); "
                        "Mentat will try again"
                    ) from None
        raise AssertionError("unreachable: the last attempt returns or raises")

    def _connect(self) -> None:
        if self._client is not None:
            return
        server = self._server
        if self._closing.is_set():
            raise MailboxUnavailable(f"the mailbox at {server} was closed by this program")
        client = log_in(server)
        try:
            self._folders = find_folders(client, server)
            self._offers_idle = client.has_capability("IDLE")
            selected = client.select_folder(self._folders[server.folder])
            self._validity = int(selected.get(b"UIDVALIDITY", 0))
        except Exception as error:
            abandon_client(client)
            if isinstance(error, imaplib.IMAP4.readonly):
                raise MailboxUnavailable(
                    f"the IMAP server {server} lets {server.user} only read the folder {server.folder}, but Mentat "
                    "must move processed mail out of it; check the rights of this login"
                ) from None
            if isinstance(error, imaplib.IMAP4.error) and not isinstance(error, imaplib.IMAP4.abort):
                raise MailboxUnavailable(
                    f"the IMAP server {server} cannot open the folder {server.folder} ({said(error, server)}); "
                    "check [mailbox] folder"
                ) from None
            raise MailboxUnavailable(
                f"the connection to the IMAP server {server} broke ({cause(error)}); Mentat will try again"
            ) from None
        self._client = client

    def _waiting(self) -> dict[int, int]:
        self._client.noop()  # a server may hide new messages from SEARCH until it has announced them
        uids = sorted(self._client.search(["UNDELETED"]))
        self._known = set(uids)
        self._follow_new_validity(uids)
        self._forget_what_is_gone({self._key(uid) for uid in uids})
        sizes: dict[int, int] = {}
        for chunk in _chunks([uid for uid in uids if not self._is_left_alone(self._key(uid))], 500):
            sizes |= self._sizes(chunk)
        return sizes

    def _follow_new_validity(self, uids: Collection[int]) -> None:
        # Of mail that is not handed out, only the number is known.
        for key, stuck in list(self._stuck.items()):
            match = _KEY.fullmatch(key)
            if stuck.folder or not match or match["folder"] != self._server.folder or int(match["uid"]) not in uids:
                continue
            if (new := self._key(int(match["uid"]))) != key:
                self.stuck.rename(stuck, new)
                self._stuck[new] = replace(self._stuck.pop(key), key=new)

    def _sizes(self, uids: Sequence[int]) -> dict[int, int]:
        try:
            answer = self._client.fetch(uids, ["RFC822.SIZE"])
        except imaplib.IMAP4.abort:
            raise
        except imaplib.IMAP4.error:  # one message must not block the others, so request each alone
            answer = {}
        return {uid: int(answer.get(uid, {}).get(b"RFC822.SIZE", -1)) for uid in uids}

    def _handed_out(self, sizes: dict[int, int]) -> dict[int, FetchedMail]:
        most = self._server.max_bytes
        small = {uid: size for uid, size in sizes.items() if 0 <= size <= most}
        bodies = self._parts([*small], b"BODY[]")
        whole = {uid: body for uid, body in bodies.items() if self._is_whole(uid, body, small[uid])}
        heads = self._parts([uid for uid, size in sizes.items() if size > most], b"BODY[HEADER]")
        return {
            **{uid: FetchedMail(self._key(uid), body, sizes[uid]) for uid, body in whole.items()},
            **{uid: FetchedMail(self._key(uid), None, sizes[uid], head[:_HEAD_BYTES]) for uid, head in heads.items()},
        }

    def _parts(self, uids: Sequence[int], part: bytes) -> dict[int, bytes]:
        if not uids:
            return {}
        try:
            answer = self._client.fetch(uids, [part.replace(b"BODY[", b"BODY.PEEK[")])
        except imaplib.IMAP4.abort:
            raise
        except imaplib.IMAP4.error:  # one unreadable message must not block the others
            if len(uids) == 1:
                return {}
            return {found: body for uid in uids for found, body in self._parts([uid], part).items()}
        name = re.sub(rb"\.\d+>$", b">", part)  # the answer to BODY[]<0.64> is BODY[]<0>
        parts = {uid: answer.get(uid, {}).get(name) for uid in uids}
        return {uid: body for uid, body in parts.items() if isinstance(body, bytes)}

    def _is_whole(self, uid: int, body: bytes, size: int) -> bool:
        if len(body) == size or not body:
            return len(body) == size
        start = max(0, len(body) - _END_BYTES)
        end = self._parts([uid], b"BODY[]<%d.%d>" % (start, 4 * _END_BYTES)).get(uid, b"")
        return len(end) == len(body) - start  # Exchange may write other bytes each time

    def _asked_again(self, uid: int, size: int) -> dict[int, FetchedMail]:
        """Request once more a message that the server lists but did not hand out. Return the message, or an empty
        mapping. Later messages have to wait during these attempts. If the message is gone, there are no further
        attempts. A message that is already stuck is requested only once."""
        key = self._key(uid)
        for _ in range(1 if key in self._stuck else _LOOKS):
            if self._closing.wait(_LOOK_PAUSE) or not self._run(partial(self._still_there, uid)):
                return {}
            if self._key(uid) != key:
                return {}
            with contextlib.suppress(_Broken):
                size = size if size >= 0 else self._run(partial(self._sizes, [uid]), 1)[uid]
                if found := self._run(partial(self._handed_out, {uid: size}), 1):
                    return found
        if stuck := self._stuck.get(key):
            self._keep(stuck)
            return {}
        told = "%s lists message %d of %s but does not return it; it stays there and the next ones are read"
        _log.error(told, self._server, uid, self._server.folder)
        why = "the mail server lists it but returns nothing, or only a part"
        self._keep(StuckMail(key, size=size, why=why), self._head(uid))
        return {}

    def _head(self, uid: int) -> bytes:
        with contextlib.suppress(_Broken):
            head = self._run(partial(self._parts, [uid], b"BODY[HEADER]"), 1).get(uid, b"")
            return head if head_of(head) == head and head.endswith(b"\r\n\r\n") else b""
        return b""

    def _still_there(self, uid: int) -> bool:
        return bool(self._client.search(["UID", str(uid), "UNDELETED"]))

    def _move(self, key: str, folder: str) -> bool:
        try:
            try:
                was_there = self._run(lambda: self._move_now(key, folder))
            except _Refused:
                was_there = self._run(lambda: self._move_now(key, folder))
        except (_Refused, _Broken) as problem:
            raise CannotMove(str(problem), copied=key in self._copied) from None
        finally:
            self._held.pop(key, None)
        self._copied.discard(key)
        return was_there

    def _move_now(self, key: str, target: str) -> bool:
        match = _KEY.fullmatch(key)
        if match is None or match["folder"] != self._server.folder or int(match["validity"]) != self._validity:
            _log.info("message %s is no longer in this mailbox; nothing is moved", key)
            return False
        uid, folder, client = int(match["uid"]), self._folders[target], self._client
        stuck, before = self._stuck.get(key), self._held.get(key)
        if (stuck and stuck.copied) or (before and self._held_by(folder) != before):
            self._copied.add(key)  # perhaps by the command that was interrupted
        moves = client.has_capability("MOVE") and key not in self._copied
        if (stuck or not moves) and not self._still_there(uid):
            return False
        if key not in self._copied:
            held = self._held_by(folder) if stuck or not moves else None
            self._held[key] = held
            (client.move if moves else client.copy)([uid], folder)
            if moves and self._has_left(uid):
                self._known.discard(uid)
                return True
            if held is None or self._held_by(folder) == held:
                raise self._without_effect("moved" if moves else "copied", key)
            self._copied.add(key)  # the server may refuse the flag repeatedly; copy only once
        client.delete_messages([uid], silent=True)
        # Without UIDPLUS, EXPUNGE would also remove messages that other people deleted: only set the flag.
        if client.has_capability("UIDPLUS"):
            client.uid_expunge([uid])
        if not self._has_left(uid):
            raise self._without_effect("deleted", key)
        self._known.discard(uid)
        return True

    def _has_left(self, uid: int) -> bool:
        if self._still_there(uid):
            self._client.noop()  # a server may list a message until it has announced that it is gone
            return not self._still_there(uid)
        return True

    def _held_by(self, folder: str) -> object:
        return self._client.folder_status(folder, ["MESSAGES", "UIDNEXT"])

    def _without_effect(self, done: str, key: str) -> CannotMove:
        told = f"the IMAP server {self._server} says that it has {done} the mail, but it has not"
        return CannotMove(f"{told}; check its folders and quota", copied=key in self._copied)

    def _anything_unknown(self) -> bool:
        self._client.noop()
        lines = self._client._imap
        lines.response("EXISTS")  # the answer to come includes what was announced before
        found = set(self._client.search(["UNDELETED"]))
        _, told = lines.response("EXISTS")  # IDLE does not repeat what arrived with the answer
        if told != [None]:
            found |= set(self._client.search(["UNDELETED"]))
        return bool(found - self._known)

    def _hears_of_mail(self, deadline: float) -> bool:
        soon = min(deadline, time.monotonic() + _SECOND_LOOK)
        return self._idle_until(soon) or self._anything_unknown() or self._idle_until(deadline)

    def _idle_until(self, deadline: float) -> bool:
        self._client.idle()
        news = _tells_of_mail(_came_with_go_ahead(self._client))
        hasty = 0
        while not news and not self._closing.is_set() and (left := deadline - time.monotonic()) > 0:
            answers = self._client.idle_check(timeout=(step := min(_IDLE_STEP, left)))
            early = left - (deadline - time.monotonic()) < step / 2
            hasty = hasty + 1 if early and not answers else 0
            if hasty == _HASTY_ANSWERS:
                raise imaplib.IMAP4.abort("the server has hung up")
            if _tells_of_mail(answers):
                news = True
            elif any(answer and answer[0] == b"BYE" for answer in answers):
                raise imaplib.IMAP4.abort("the server ended the session")
        self._client.idle_done()
        return news

    def _key(self, uid: int) -> str:
        return f"{self._server.folder};{self._validity};{uid}"

    def _drop(self) -> None:
        client, self._client = self._client, None
        abandon_client(client)


def _tells_of_mail(answers: Sequence[Sequence[object]]) -> bool:
    return any(len(answer) > 1 and answer[1] == b"EXISTS" for answer in answers)


def _came_with_go_ahead(client: Any) -> Any:
    """Return the responses that came in the same packet as the continuation response to IDLE. They have already been
    read from the socket, so `idle_check` would wait for further data before returning them."""
    waits = client._poll_socket
    client._poll_socket = lambda *_: True
    try:
        return client.idle_check(timeout=0)
    finally:
        client._poll_socket = waits


def _batches(sizes: dict[int, int], max_bytes: int) -> Iterator[list[int]]:
    batch: list[int] = []
    weight = 0
    for uid, size in sizes.items():
        cost = max(size, 0) if size <= max_bytes else _HEAD_BYTES
        if batch and (len(batch) >= _BATCH_MESSAGES or weight + cost > _BATCH_BYTES):
            yield batch
            batch, weight = [], 0
        batch.append(uid)
        weight += cost
    if batch:
        yield batch


def _chunks(uids: Sequence[int], size: int) -> Iterator[list[int]]:
    remaining = iter(uids)
    while chunk := list(islice(remaining, size)):
        yield chunk
