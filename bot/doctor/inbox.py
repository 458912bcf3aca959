"""Where the doctor's own mails may turn up: in the inbox, where a running service has moved them, or among the spam.

It looks over a connection of its own, at what came since it began, and reads nobody else's mail further than the first
20,000 bytes. What it removes is its own, known by a code.
"""

from __future__ import annotations

import contextlib
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any, Protocol

from bot.config import Settings
from bot.mail.servers.imap_server import ImapServer, abandon, find_folders, log_in
from bot.service.mail_servers import imap_server

_READ = 20_000


@dataclass(frozen=True, slots=True)
class Seen:
    """A new message: its beginning, the folder that it lies in, and when the server says that it came, if it does."""

    raw: bytes
    folder: str
    came: datetime | None = None


class Inbox(Protocol):
    """New mail, wherever it lies."""

    def look(self) -> list[Seen]:
        """All messages that are there now and were not when the watch began."""
        ...

    def remove(self, code: bytes) -> None:
        """Delete the new messages that hold this code."""
        ...

    def close(self) -> None: ...


def open_inbox(settings: Settings) -> Inbox:
    """The mailbox of the settings. MailboxUnavailable if it cannot be reached."""
    if settings.mailbox.kind == "maildir":
        box = settings.mailbox
        return MaildirInbox(box.maildir, (box.processed, box.shunted))
    return ImapInbox(imap_server(settings))


class ImapInbox:
    """The folders of an IMAP mailbox, from the next UID of each on."""

    def __init__(self, server: ImapServer) -> None:
        self._client: Any = log_in(server)
        folders = find_folders(self._client, server)
        spam = [name for flags, _, name in self._client.list_folders() if b"\\Junk" in flags]
        self._folders = {written: name for name, written in folders.items()} | dict.fromkeys(spam, "spam")
        self._next = {name: self._next_uid(name) for name in self._folders}
        self._read: dict[tuple[str, int], Seen] = {}

    def look(self) -> list[Seen]:
        return [seen for folder in self._folders for seen in self._new(folder).values()]

    def remove(self, code: bytes) -> None:
        for folder in self._folders:
            own = [uid for uid, seen in self._new(folder).items() if code in seen.raw]
            if own:
                self._client.select_folder(folder)
                self._client.delete_messages(own, silent=True)
                if self._client.has_capability("UIDPLUS"):
                    self._client.uid_expunge(own)

    def close(self) -> None:
        with contextlib.suppress(Exception):
            self._client.logout()
        abandon(self._client)

    def _next_uid(self, folder: str) -> int:
        return int(self._client.folder_status(folder, ["UIDNEXT"])[b"UIDNEXT"])

    def _new(self, folder: str) -> dict[int, Seen]:
        """The new messages of a folder by UID. One that a running service moves away meanwhile is met where it went."""
        self._client.select_folder(folder, readonly=True)
        first = self._next[folder]
        found = {}
        for uid in self._client.search(["UID", f"{first}:*", "UNDELETED"]):
            if uid >= first and (folder, uid) not in self._read:
                parts = self._client.fetch([uid], [f"BODY.PEEK[]<0.{_READ}>", "INTERNALDATE"]).get(uid, {})
                if raw := parts.get(b"BODY[]<0>"):
                    self._read[folder, uid] = Seen(raw, self._folders[folder], parts.get(b"INTERNALDATE"))
            if (folder, uid) in self._read:
                found[uid] = self._read[folder, uid]
        return found


class MaildirInbox:
    """The folders of a Maildir."""

    def __init__(self, path: Path, folders: tuple[str, ...]) -> None:
        self._places = {path: "INBOX"} | {path / f".{name.replace('/', '.')}": name for name in folders}
        self._before = {file.name.partition(":")[0] for file in self._files()}

    def look(self) -> list[Seen]:
        found = []
        for file in self._new():
            with contextlib.suppress(OSError), file.open("rb") as opened:
                found.append(Seen(opened.read(_READ), self._places[file.parent.parent]))
        return found

    def remove(self, code: bytes) -> None:
        for file in self._new():
            with contextlib.suppress(OSError):
                if code in file.read_bytes()[:_READ]:
                    file.unlink()

    def close(self) -> None:
        """Nothing is held open."""

    def _new(self) -> list[Path]:
        return [file for file in self._files() if file.name.partition(":")[0] not in self._before]

    def _files(self) -> list[Path]:
        return [file for place in self._places for name in ("new", "cur") for file in (place / name).glob("[!.]*")]
