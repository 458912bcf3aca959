"""Mail servers on loopback for the demo and the tests: real IMAP and SMTP, with nothing to install. No mail leaves the
machine.

pymap serves IMAP from memory and aiosmtpd accepts SMTP, both in the event loop of one background thread. Mail that
arrives by SMTP is appended to the inbox of its recipient, whose plus tag is ignored; `sent` keeps a copy of all mail
that went through. A recipient without a mailbox here is refused with 550, as a real server would refuse them.
"""

from __future__ import annotations

import asyncio
import contextlib
import socket
import threading
from argparse import Namespace
from collections.abc import Mapping
from concurrent.futures import Future
from contextlib import AsyncExitStack
from dataclasses import dataclass
from typing import Any

from aiosmtpd.smtp import SMTP, Envelope, Session
from proxyprotocol.reader import ProxyProtocolReader
from pymap.backend.dict import Config, DictBackend, Identity, Login
from pymap.concurrent import Subsystem
from pymap.imap import IMAPServer
from pymap.parsing.message import AppendMessage
from pymap.parsing.specials import FetchRequirement
from pymap.user import UserMetadata
from pysasl.hashing import Cleartext

_START_SECONDS = 20.0


@dataclass(frozen=True, slots=True)
class SentMail:
    envelope_from: str
    recipients: tuple[str, ...]
    raw: bytes


class LocalMail:
    """Both servers; they run as long as the `with` block lasts.

    >>> with LocalMail({"baron@example.org": "secret"}) as mail:
    ...     mail.deliver("baron@example.org", b"Subject: bid\\r\\n\\r\\nbid 4\\r\\n")
    ...     len(mail.inbox("baron@example.org"))
    1
    """

    host = "127.0.0.1"

    def __init__(self, users: Mapping[str, str]) -> None:
        self._users = {_plain(address): password for address, password in users.items()}
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._run, name="local-mail", daemon=True)
        self._ready: Future[None] = Future()
        self._stop: asyncio.Event | None = None
        self._login: Login | None = None
        self.imap_port = 0
        self.smtp_port = 0
        self.sent: list[SentMail] = []

    def __enter__(self) -> LocalMail:
        self._thread.start()
        self._ready.result(timeout=_START_SECONDS)
        return self

    def __exit__(self, *_: object) -> None:
        if self._stop is not None:
            self._loop.call_soon_threadsafe(self._stop.set)
        self._thread.join(timeout=_START_SECONDS)

    def add_user(self, address: str, password: str) -> None:
        self._users[_plain(address)] = password
        self._await(self._add_user(_plain(address), password))

    def deliver(self, address: str, raw: bytes) -> None:
        if _plain(address) not in self._users:
            raise KeyError(address)
        self._await(self._append(_plain(address), raw))

    def inbox(self, address: str, folder: str = "INBOX") -> list[bytes]:
        found: list[bytes] = self._await(self._messages(_plain(address), folder))
        return found

    def _await(self, work: Any) -> Any:
        return asyncio.run_coroutine_threadsafe(work, self._loop).result(timeout=_START_SECONDS)

    def _run(self) -> None:
        asyncio.set_event_loop(self._loop)
        try:
            self._loop.run_until_complete(self._serve())
        except BaseException as error:  # the thread that waits for the start must learn of any error
            if not self._ready.done():
                self._ready.set_exception(error)
            else:
                raise
        finally:
            self._loop.run_until_complete(self._cancel_the_rest())
            self._loop.close()

    async def _serve(self) -> None:
        self._stop = asyncio.Event()
        config = _QuietConfig(
            Namespace(proxy_protocol=None, passlib_cfg=None, inherited_sockets=None),
            host=self.host,
            port=0,
            demo_data=False,
            demo_user="",
            demo_password="",
            tls_enabled=False,
            hash_context=Cleartext(),
            cpu_subsystem=Subsystem.for_asyncio(),
            invalid_user_sleep=0.0,
            reject_dnsbl=False,
        )
        config.apply_context()
        self._login = Login(config)
        backend = DictBackend(self._login, config)
        for address, password in self._users.items():
            await self._add_user(address, password)
        imap = ProxyProtocolReader(config.proxy_protocol).get_callback(IMAPServer(backend.login, config))
        async with AsyncExitStack() as stack:
            await backend.start(stack)
            imap_socket, smtp_socket = _listening(self.host), _listening(self.host)
            await stack.enter_async_context(await asyncio.start_server(imap, sock=imap_socket))
            smtp = await self._loop.create_server(
                lambda: SMTP(_Intake(self), hostname="localhost", enable_SMTPUTF8=True, loop=self._loop),
                sock=smtp_socket,
            )
            await stack.enter_async_context(smtp)
            self.imap_port = imap_socket.getsockname()[1]
            self.smtp_port = smtp_socket.getsockname()[1]
            self._ready.set_result(None)
            await self._stop.wait()

    async def _cancel_the_rest(self) -> None:
        tasks = [task for task in asyncio.all_tasks() if task is not asyncio.current_task()]
        for task in tasks:
            task.cancel()
        with contextlib.suppress(asyncio.TimeoutError):
            await asyncio.wait_for(asyncio.gather(*tasks, return_exceptions=True), timeout=2)

    async def _add_user(self, address: str, password: str) -> None:
        assert self._login is not None
        user = UserMetadata(self._login.config, address, password=password)
        await Identity(address, self._login, None, frozenset()).set(user)

    async def _append(self, address: str, raw: bytes) -> None:
        assert self._login is not None
        async with Identity(address, self._login, None, frozenset()).new_session() as session:
            inbox = await session.mailbox_set.get_mailbox("INBOX")
            await inbox.append(AppendMessage(raw), recent=True)

    async def _messages(self, address: str, folder: str) -> list[bytes]:
        assert self._login is not None
        async with Identity(address, self._login, None, frozenset()).new_session() as session:
            try:
                mailbox = await session.mailbox_set.get_mailbox(folder)
            except KeyError:
                return []
            loaded = [await message.load_content(FetchRequirement.CONTENT) async for message in mailbox.messages()]
            return [bytes(message.get_body()) for message in loaded]


class _Intake:
    def __init__(self, world: LocalMail) -> None:
        self._world = world

    async def handle_RCPT(  # noqa: N802 - the name is aiosmtpd's
        self, server: SMTP, session: Session, envelope: Envelope, address: str, options: list[str]
    ) -> str:
        if _plain(address) not in self._world._users:
            return "550 5.1.1 no such mailbox here"
        envelope.rcpt_tos.append(address)
        return "250 OK"

    async def handle_DATA(self, server: SMTP, session: Session, envelope: Envelope) -> str:  # noqa: N802
        raw = envelope.content if isinstance(envelope.content, bytes) else (envelope.content or "").encode()
        world = self._world
        world.sent.append(SentMail(envelope.mail_from or "", tuple(envelope.rcpt_tos), raw))
        for recipient in dict.fromkeys(envelope.rcpt_tos):
            head = f"Return-Path: <{envelope.mail_from or ''}>\r\nDelivered-To: {recipient}\r\n"
            await world._append(_plain(recipient), head.encode("utf-8", "surrogateescape") + raw)
        return "250 OK"


class _QuietConfig(Config):
    @property
    def greeting(self) -> bytes:
        return b"local mail ready"  # pymap's own greeting asks a name server


def _plain(address: str) -> str:
    local, at, host = address.strip().lower().rpartition("@")
    return f"{local.partition('+')[0]}{at}{host}"


def _listening(host: str) -> socket.socket:
    listener = socket.create_server((host, 0))  # accepted connections inherit the option to send small packets at once
    listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return listener
