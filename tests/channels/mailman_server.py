"""A real Mailman 3 for tests. One server serves the whole session, however many processes run it.

Mailman is installed in its own environment by `tests/channels/install_servers mailman`, because its SQLAlchemy is older
than ours. MENTAT_MAILMAN can name another place. Without Mailman, tests are skipped with that reason.
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
    """Return why Mailman cannot be used here, or "" if it can."""
    return (
        ""
        if (environment("mailman") / "bin" / "master").exists()
        else "no Mailman 3 here: tests/channels/install_servers mailman"
    )


class Mailman:
    """The server, started by the first process of the session that needs it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.lmtp, self._rest = (int(port) for port in started("mailman", folder).split())
        self._client = httpx.Client(
            base_url=f"http://127.0.0.1:{self._rest}/3.1", auth=("restadmin", "restpass"), verify=False, timeout=30
        )
        self._ask("/domains", {"mail_host": DOMAIN}, there=True)

    def list(self, *members: str) -> List:
        """Create a list with these members that accepts mails of any size, because people quote whole threads."""
        name = f"dune-{os.getpid()}-{time.monotonic_ns()}"
        made = List(self, f"{name}@{DOMAIN}", self.folder / "out" / name)
        self._ask("/lists", {"fqdn_listname": made.address})
        self._client.patch(f"/lists/{made.address}/config", data={"max_message_size": "0"}).raise_for_status()
        for member in members:
            made.join(member)
        return made

    def subscribe(self, address: str, member: str, name: str = "") -> None:
        """Subscribe somebody, without asking them, so that they may post."""
        asked = {"list_id": address.replace("@", "."), "subscriber": member, "display_name": name}
        sure = {"pre_verified": "true", "pre_confirmed": "true", "pre_approved": "true"}
        self._ask("/members", asked | sure | {"send_welcome_message": "false"})

    def deliver(self, message: bytes, envelope: str, address: str) -> None:
        """Deliver a mail to the list's server."""
        with smtplib.LMTP("127.0.0.1", self.lmtp) as lmtp:
            lmtp.sendmail(envelope, [address], message)

    def _ask(self, path: str, form: dict[str, str], there: bool = False) -> None:
        answer = self._client.post(path, data=form)
        if not (answer.is_success or (there and answer.status_code == 400)):
            raise RuntimeError(f"Mailman answered {answer.status_code}: {answer.text}")


class List:
    """A list, and the mailbox of its members. One copy of each mail is sent for all members."""

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
        """Deliver a member's mail to the list."""
        self._mailman.deliver(message, envelope, self.address)
        self._sent[_identifier(message)] += 1

    def settle(self, seconds: float = SECONDS) -> None:
        """Wait until all mails have come back from the list, by Message-ID. The list may send a mail twice."""
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
