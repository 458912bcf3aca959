"""Six players at their mail programs, and the pace at which they write.

The players are those of the demo, but here they act in step. All read their new mail, then send their answers in the
order of their seats, and nobody reads again before the moderator has processed them. So their decisions depend on the
letters alone, and two runs of the same game can be compared byte for byte.
"""

from __future__ import annotations

import contextlib
import smtplib
import socket
import time
from collections.abc import Sequence
from email import policy
from email.parser import BytesHeaderParser
from typing import Any, Protocol

from imapclient import IMAPClient

from bot.lab.local_mail import SentMail
from bot.lab.players_by_mail import PROGRAMS, Dice, Mail, ScriptedPlayer
from bot.service.machine import utc_now
from rules.components import Faction

SEED = "the sleeper must awaken"
PASSWORD = "melange"
BOT = "mentat@arrakis.example"
GAME_MASTER = "gm@arrakis.example"
SEATS: dict[Faction, str] = {
    "atreides": "alma@players.example",
    "bene-gesserit": "bruno@players.example",
    "emperor": "chiara@players.example",
    "fremen": "dmitri@players.example",
    "guild": "eunji@players.example",
    "harkonnen": "femi@players.example",
}
EVERYBODY = [BOT, GAME_MASTER, *SEATS.values()]


MOST_SECONDS_LATE = 5.0


class MailServers(Protocol):
    """An IMAP and an SMTP server on loopback, and a copy of all mail sent through SMTP."""

    host: str
    imap_port: int
    smtp_port: int
    sent: list[SentMail]


def scripted_players(seed: str = SEED) -> list[ScriptedPlayer]:
    """Return the six players, each with their own mail program and dice."""
    return [
        ScriptedPlayer(address.partition("@")[0].title(), address, program, Dice(seed, address))
        for address, program in zip(SEATS.values(), PROGRAMS, strict=True)
    ]


class Reader:
    """The part of a mail program that shows a letter only once, even if it came twice."""

    def __init__(self, player: ScriptedPlayer) -> None:
        self.player = player
        self.seen: dict[str, bytes] = {}
        """The letters by Message-ID, as they first came."""

    def answer(self, messages: Sequence[bytes]) -> list[Mail]:
        """Return the player's answers to these messages."""
        fresh = []
        for raw in messages:
            identity = message_id(raw)
            if identity not in self.seen:
                self.seen[identity] = raw
                fresh.append(raw)
        return self.player.read(fresh, utc_now())


class MailClient:
    """A player's mail program, with one IMAP and one SMTP connection."""

    def __init__(self, player: ScriptedPlayer, servers: MailServers) -> None:
        self.reader = Reader(player)
        self._imap: Any = IMAPClient(servers.host, servers.imap_port, ssl=False)
        self._imap.socket().setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._imap.login(player.address, PASSWORD)
        self._imap.select_folder("INBOX", readonly=True)
        self._servers = servers
        self._smtp = smtplib.SMTP(servers.host, servers.smtp_port)
        self._next_uid = 1
        self._lost = 0

    def answer(self) -> list[Mail]:
        """Fetch new mail, and return the player's answers."""
        self._await_letters()
        fresh = [uid for uid in self._imap.search(["UID", f"{self._next_uid}:*"]) if uid >= self._next_uid]
        if not fresh:
            return []
        self._next_uid = max(fresh) + 1
        bodies = self._imap.fetch(fresh, ["BODY.PEEK[]"])
        return self.reader.answer([bodies[uid][b"BODY[]"] for uid in sorted(fresh)])

    def _await_letters(self) -> None:
        """Wait until the server lists all letters to the player, because Dovecot may announce mail late."""
        handed_over = sum(self.reader.player.address in posted.recipients for posted in self._servers.sent)
        until = time.monotonic() + MOST_SECONDS_LATE
        while True:
            self._imap.noop()
            missing = handed_over - self._lost - len(self._imap.search(["ALL"]))
            if missing <= 0 or time.monotonic() > until:
                self._lost += max(missing, 0)
                return
            time.sleep(0.02)

    def send(self, mail: Mail) -> None:
        """Send a mail through the SMTP server, which closes connections that were idle for minutes (RFC 5321,
        4.5.3.2.7)."""
        try:
            self._smtp.sendmail(self.reader.player.address, [mail.to], mail.raw)
        except smtplib.SMTPServerDisconnected:
            self._smtp = smtplib.SMTP(self._servers.host, self._servers.smtp_port)
            self._smtp.sendmail(self.reader.player.address, [mail.to], mail.raw)

    def __enter__(self) -> MailClient:
        return self

    def __exit__(self, *_: object) -> None:
        with contextlib.suppress(Exception):  # the servers may already have stopped
            self._smtp.quit()
            self._imap.logout()


def message_id(raw: bytes) -> str:
    """Return the Message-ID of a mail, without its brackets."""
    return str(BytesHeaderParser(policy=policy.compat32).parsebytes(raw)["Message-ID"]).strip("<> ")
