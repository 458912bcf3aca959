"""A real Mailman 3 for tests, one for a whole session, whatever number of processes runs it.

Mailman lives in an environment of its own, which `tests/channels/install_servers mailman` makes (its SQLAlchemy is
older than ours); MENTAT_MAILMAN names another place. Without it, tests skip and say so.
"""

from __future__ import annotations

import os
import re
import smtplib
import time
from collections import Counter
from collections.abc import Sequence
from datetime import UTC, datetime
from email import policy
from email.message import EmailMessage
from pathlib import Path

import httpx

from bot.channels import CursorForgotten
from bot.channels.mailing_list import Arrived
from tests.channels.keepers import environment, started

DOMAIN = "lists.example"
SECONDS = 60.0


def why_not_here() -> str:
    """Why there can be no Mailman here; empty if there can."""
    return (
        ""
        if (environment("mailman") / "bin" / "master").exists()
        else "no Mailman 3 here: tests/channels/install_servers mailman"
    )


class Mailman:
    """The server, started by whichever process of the session needs it first."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.lmtp, self._rest = (int(port) for port in started("mailman", folder).split())
        self._client = httpx.Client(
            base_url=f"http://127.0.0.1:{self._rest}/3.1", auth=("restadmin", "restpass"), verify=False, timeout=30
        )
        self._ask("/domains", {"mail_host": DOMAIN}, there=True)

    def list(self, *members: str) -> List:
        """A new list with these members, for mails of any size: people quote all that was said."""
        name = f"dune-{os.getpid()}-{time.monotonic_ns()}"
        made = List(self, f"{name}@{DOMAIN}", self.folder / "out" / name)
        self._ask("/lists", {"fqdn_listname": made.address})
        self._client.patch(f"/lists/{made.address}/config", data={"max_message_size": "0"}).raise_for_status()
        for member in members:
            made.join(member)
        return made

    def subscribe(self, address: str, member: str, name: str = "") -> None:
        """Somebody becomes a member without being asked, and may post."""
        asked = {"list_id": address.replace("@", "."), "subscriber": member, "display_name": name}
        sure = {"pre_verified": "true", "pre_confirmed": "true", "pre_approved": "true"}
        self._ask("/members", asked | sure | {"send_welcome_message": "false"})

    def deliver(self, message: bytes, envelope: str, address: str) -> None:
        """A mail reaches the list's server."""
        with smtplib.LMTP("127.0.0.1", self.lmtp) as lmtp:
            lmtp.sendmail(envelope, [address], message)

    def _ask(self, path: str, form: dict[str, str], there: bool = False) -> None:
        answer = self._client.post(path, data=form)
        if not (answer.is_success or (there and answer.status_code == 400)):
            raise RuntimeError(f"Mailman answered {answer.status_code}: {answer.text}")


class List:
    """A list, and the mailbox of its members: one copy of each mail goes out for all."""

    def __init__(self, mailman: Mailman, address: str, folder: Path) -> None:
        self.address = address
        self.members: set[str] = set()
        self._sent: Counter[bytes] = Counter()
        self._mailman = mailman
        self._folder = folder
        self._us = ""

    def join(self, member: str, name: str = "") -> None:
        self._mailman.subscribe(self.address, member, name)
        self.members.add(member)

    def deliver(self, message: bytes, envelope: str) -> None:
        """Somebody's mail reaches the list."""
        self._mailman.deliver(message, envelope, self.address)
        self._sent[_identifier(message)] += 1

    def settle(self, seconds: float = SECONDS) -> None:
        """Until all that was sent has come back, by its Message-ID: the list may send one mail more than once."""
        deadline = time.monotonic() + seconds
        while missing := self._sent - Counter(_identifier(file.read_bytes()) for file in self._files()):
            if time.monotonic() > deadline:
                raise TimeoutError(
                    f"{missing.total()} of {self._sent.total()} mails have not come back: {sorted(missing)[:3]}"
                )
            time.sleep(0.02)

    def send(self, message: EmailMessage) -> None:
        self.deliver(message.as_bytes(policy=policy.SMTP), str(message["From"]))

    def since(self, place: str | None) -> Sequence[Arrived]:
        files = self._files()
        names = [file.name for file in files]
        if place is not None and place not in names:
            raise CursorForgotten(place)
        new = files[names.index(place) + 1 :] if place else files
        return [
            Arrived(file.name, datetime.fromtimestamp(float(file.name.partition("-")[2]), UTC), file.read_bytes())
            for file in new
        ]

    def _files(self) -> list[Path]:
        return sorted(file for file in self._folder.glob("*") if not file.name.startswith("."))


def _identifier(message: bytes) -> bytes:
    found = re.search(rb"^message-id:\s*(<[^>]+>)", message, re.IGNORECASE | re.MULTILINE)
    return found[1] if found else b""
