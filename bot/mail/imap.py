"""An IMAP inbox (RFC 3501, with IDLE RFC 2177, MOVE RFC 6851 and UIDPLUS RFC 4315 where the server has them).

A key is folder, UIDVALIDITY and UID. What is new is asked with SEARCH each time; IDLE is only a hint that asking may
pay, and a connection that breaks in any way is opened again once before the mailbox counts as unavailable. Sizes are
fetched before bodies, bodies with PEEK, so that neither memory nor \\Seen is touched by what is not read.

Traps this module is built around: IMAPClient 4.1 refuses ranges as strings and may leave out of a FETCH answer what the
server did not send; `idle_check` raises an abort when a line comes in two packets.
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
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import islice
from typing import Any, TypeVar

from imapclient import IMAPClient
from imapclient.exceptions import LoginError

from bot.mail.mailbox import Fetched, MailboxUnavailable
from bot.mail.message import MAX_BYTES
from bot.mail.transport import Security

_log = logging.getLogger(__name__)

_BATCH_MESSAGES = 50
_BATCH_BYTES = 8_000_000
_HEAD_BYTES = 200_000
_IDLE_STEP = 0.5
_IDLE_LIMIT = 20 * 60.0
"""Seconds after which IDLE is begun anew; servers may end it after 29 minutes."""

_KEY = re.compile(r"(?P<folder>.*);(?P<validity>\d+);(?P<uid>\d+)", re.DOTALL)

_T = TypeVar("_T")


@dataclass(frozen=True, slots=True)
class ImapServer:
    """Where the mailbox is and how it is used. Folder names are written with `/`, whatever the server's delimiter."""

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

    def __str__(self) -> str:
        return f"{self.host}:{self.port}"


class ImapMailbox:
    """The inbox of one user. Connects when first used; `close` may be called from another thread."""

    def __init__(self, server: ImapServer) -> None:
        self._server = server
        self._client: Any = None
        self._validity = 0
        self._folders: dict[str, str] = {}
        self._known: set[int] = set()
        self._offers_idle = False
        self._closing = threading.Event()
        self._in_use = threading.RLock()

    def fetch_new(self) -> Iterator[Fetched]:
        sizes = self._run(self._waiting)
        self._known = set(sizes)
        validity = self._validity
        for uids in _batches(sizes, self._server.max_bytes):
            small = [uid for uid in uids if sizes[uid] <= self._server.max_bytes]
            large = [uid for uid in uids if sizes[uid] > self._server.max_bytes]
            bodies = self._run(partial(self._bodies, small, b"BODY[]"))
            heads = self._run(partial(self._bodies, large, b"BODY[HEADER]"))
            if self._validity != validity:
                return
            for uid in uids:
                if uid in bodies:
                    yield Fetched(self._key(validity, uid), bodies[uid], sizes[uid])
                elif uid in heads:
                    yield Fetched(self._key(validity, uid), None, sizes[uid], heads[uid][:_HEAD_BYTES])

    def done(self, key: str) -> None:
        self._run(lambda: self._move(key, self._server.processed))

    def shunt(self, key: str, reason: str) -> None:
        _log.warning("message %s is set aside in %s: %s", key, self._server.shunted, reason)
        self._run(lambda: self._move(key, self._server.shunted))

    def wait(self, seconds: float) -> bool:
        deadline = time.monotonic() + min(seconds, _IDLE_LIMIT)
        if self._closing.is_set() or self._run(self._anything_unknown):
            return not self._closing.is_set()
        if not (self._server.idle and self._offers_idle):
            self._closing.wait(max(0.0, deadline - time.monotonic()))
            return False
        try:
            with self._in_use:
                return self._client is not None and self._idle_until(deadline)
        except (imaplib.IMAP4.error, OSError) as error:
            _log.info("IDLE at %s ended (%s); the mailbox is read anew", self._server, type(error).__name__)
            self._drop()
            return not self._closing.is_set()

    def close(self) -> None:
        self._closing.set()
        with self._in_use:
            client, self._client = self._client, None
            if client is not None:
                with contextlib.suppress(Exception):
                    client.logout()
                _abandon(client)

    def __enter__(self) -> ImapMailbox:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _run(self, work: Callable[[], _T]) -> _T:
        """Do something over the connection; when it breaks, connect again and do it once more."""
        for attempt in (1, 2):
            try:
                with self._in_use:
                    self._connect()
                    return work()
            except (imaplib.IMAP4.abort, OSError) as error:
                self._drop()
                if attempt == 2:
                    raise MailboxUnavailable(
                        f"the connection to the IMAP server {self._server} breaks ({_kind(error)}); it is tried again"
                    ) from None
            except imaplib.IMAP4.error as error:
                self._drop()
                raise MailboxUnavailable(
                    f"the IMAP server {self._server} refuses ({self._said(error)}); check its folders and quota"
                ) from None
        raise AssertionError("unreachable: the second attempt returns or raises")

    def _connect(self) -> None:
        if self._client is not None:
            return
        server = self._server
        if self._closing.is_set():
            raise MailboxUnavailable(f"the mailbox at {server} was closed by this program")
        try:
            tls = server.security == "tls"
            client: Any = IMAPClient(
                server.host,
                server.port,
                ssl=tls,
                ssl_context=server.tls_context() if tls else None,
                timeout=server.timeout,
            )
        except (OSError, imaplib.IMAP4.error) as error:
            raise MailboxUnavailable(
                f"no IMAP connection to {server} ({_kind(error)}); check [mailbox] host, port and security"
            ) from None
        try:
            if server.security == "starttls":
                client.starttls(ssl_context=server.tls_context())
            client.socket().setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            client.login(server.user, server.password)
            self._enter(client)
        except LoginError as error:
            _abandon(client)
            raise MailboxUnavailable(
                f"{server} does not accept the login of {server.user} ({self._said(error)}); "
                "check [mailbox] user and MENTAT_IMAP_PASSWORD"
            ) from None
        except (OSError, imaplib.IMAP4.error) as error:
            _abandon(client)
            raise MailboxUnavailable(
                f"the IMAP server {server} cannot be used ({self._said(error)}); "
                f"check [mailbox] security and that the folder {server.folder} exists"
            ) from None
        self._client = client

    def _enter(self, client: Any) -> None:
        """Select the inbox and make sure that there are folders to move messages to."""
        listed = client.list_folders("", "INBOX") or client.list_folders()
        delimiter = next((entry[1].decode() for entry in listed if entry[1]), "/")
        prefix = ""
        if client.has_capability("NAMESPACE"):
            personal = client.namespace().personal
            prefix = personal[0][0] if personal else ""
        self._folders = {
            name: _as_listed(name, delimiter, prefix)
            for name in (self._server.folder, self._server.processed, self._server.shunted)
        }
        for name in (self._server.processed, self._server.shunted):
            folder = self._folders[name]
            if not client.folder_exists(folder):
                with contextlib.suppress(imaplib.IMAP4.error):
                    client.create_folder(folder)
                with contextlib.suppress(imaplib.IMAP4.error):
                    client.subscribe_folder(folder)
        self._offers_idle = client.has_capability("IDLE")
        selected = client.select_folder(self._folders[self._server.folder])
        self._validity = int(selected.get(b"UIDVALIDITY", 0))

    def _waiting(self) -> dict[int, int]:
        """Sizes by UID of all that is in the inbox, in order of UID."""
        self._client.noop()  # a server need not show new messages to SEARCH before it has announced them
        uids = sorted(self._client.search(["UNDELETED"]))
        sizes: dict[int, int] = {}
        for chunk in _chunks(uids, 500):
            answer = self._client.fetch(chunk, ["RFC822.SIZE"])
            sizes |= {uid: int(size) for uid in chunk if (size := answer.get(uid, {}).get(b"RFC822.SIZE")) is not None}
        return sizes

    def _bodies(self, uids: Sequence[int], part: bytes) -> dict[int, bytes]:
        if not uids:
            return {}
        answer = self._client.fetch(uids, [part.replace(b"BODY[", b"BODY.PEEK[")])
        bodies = {uid: answer.get(uid, {}).get(part) for uid in uids}
        return {uid: body for uid, body in bodies.items() if isinstance(body, bytes)}

    def _move(self, key: str, target: str) -> None:
        match = _KEY.fullmatch(key)
        if match is None or match["folder"] != self._server.folder or int(match["validity"]) != self._validity:
            _log.info("message %s is not of this mailbox any more; nothing is moved", key)
            return
        uid, folder = int(match["uid"]), self._folders[target]
        if self._client.has_capability("MOVE"):
            self._client.move([uid], folder)  # of a message that is gone nothing is moved, and that is no error
        elif self._client.search(["UID", str(uid), "UNDELETED"]):
            self._client.copy([uid], folder)
            self._client.delete_messages([uid], silent=True)
            # Without UIDPLUS an EXPUNGE would take other people's deleted messages too: the flag alone must do.
            if self._client.has_capability("UIDPLUS"):
                self._client.uid_expunge([uid])
        self._known.discard(uid)

    def _anything_unknown(self) -> bool:
        self._client.noop()
        return bool(set(self._client.search(["UNDELETED"])) - self._known)

    def _idle_until(self, deadline: float) -> bool:
        self._client.idle()
        news = False
        while not news and not self._closing.is_set() and (left := deadline - time.monotonic()) > 0:
            answers = self._client.idle_check(timeout=min(_IDLE_STEP, left))
            if any(len(answer) > 1 and answer[1] == b"EXISTS" for answer in answers):
                news = True
            elif any(answer and answer[0] == b"BYE" for answer in answers):
                raise imaplib.IMAP4.abort("the server ended the session")
        self._client.idle_done()
        return news

    def _key(self, validity: int, uid: int) -> str:
        return f"{self._server.folder};{validity};{uid}"

    def _drop(self) -> None:
        client, self._client = self._client, None
        _abandon(client)

    def _said(self, error: Exception) -> str:
        """What the server said, shortened, and never with the password in it."""
        text = " ".join(re.sub(r"b'(.*)'", r"\1", str(error)).split())
        if self._server.password:
            text = text.replace(self._server.password, "***")
        return text[:200] or type(error).__name__


def _batches(sizes: dict[int, int], max_bytes: int) -> Iterator[list[int]]:
    """UIDs in order, so few at a time that their bodies fit into memory."""
    batch: list[int] = []
    weight = 0
    for uid, size in sizes.items():
        cost = size if size <= max_bytes else _HEAD_BYTES
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


def _as_listed(name: str, delimiter: str, prefix: str) -> str:
    """A folder name as the server writes it: `Mentat/Processed` may be `INBOX.Mentat.Processed`."""
    if name.upper() == "INBOX":
        return "INBOX"
    written = name.replace("/", delimiter)
    return written if written.startswith(prefix) else prefix + written


def _abandon(client: Any) -> None:
    if client is not None:
        with contextlib.suppress(Exception):
            client.shutdown()


def _kind(error: Exception) -> str:
    strerror = getattr(error, "strerror", None)
    return strerror if isinstance(strerror, str) and strerror else type(error).__name__
