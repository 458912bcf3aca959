"""Processed mail, read again from the folders to which it was moved.

Nothing is changed in these folders. The time of arrival is when the server received the message: for IMAP the
INTERNALDATE (RFC 3501, section 2.3.3), which does not change when the message is moved, and for a Maildir the seconds
in the name of the file. If the mailbox also keeps copies of sent mail, these show what was sent.
"""

from __future__ import annotations

import imaplib
import os
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from email import policy
from email.parser import BytesHeaderParser
from itertools import groupby
from pathlib import Path
from typing import Any, Literal, Protocol

from bot.mail.imap import ImapServer, abandon_client, find_folders, log_in, said
from bot.mail.mailbox import MailboxUnavailable, MaildirPlace, arrival_of, head_of

_BATCH = 50
_HEAD_BYTES = 200_000

Put = Literal["processed", "shunted", "inbox"]


@dataclass(frozen=True, slots=True)
class KeptMessage:
    """A message that was processed and `put` into a folder, or is still in the inbox. `raw` is None if the message is
    larger than the limit; then `head` contains its header fields. `size` is in bytes."""

    put: Put
    key: str
    arrived: datetime
    raw: bytes | None
    size: int
    head: bytes = b""


@dataclass(frozen=True, slots=True)
class SentCopy:
    at: datetime
    subject: str


class KeptMail(Protocol):
    def since(self, moment: datetime) -> Iterator[KeptMessage]: ...

    def newest(self, count: int) -> list[KeptMessage]: ...

    def sent_since(self, moment: datetime) -> dict[str, SentCopy]: ...


class ImapKeptMail:
    def __init__(self, server: ImapServer) -> None:
        self._server = server

    def since(self, moment: datetime) -> Iterator[KeptMessage]:
        client = log_in(self._server)
        try:
            folders = find_folders(client, self._server)
            server = self._server
            puts: dict[Put, str] = {
                "processed": folders[server.processed],
                "shunted": folders[server.shunted],
                "inbox": folders[server.folder],
            }
            found: list[tuple[datetime, Put, int, int, int]] = []
            for put, folder in puts.items():
                listed = self._listed(client, folder, moment)
                found += [(at, put, validity, uid, size) for validity, uid, at, size in listed]
            found.sort(key=lambda each: (each[0], each[1], each[3]))
            for put, group in groupby(found, key=lambda each: each[1]):
                client.select_folder(puts[put], readonly=True)
                together = list(group)
                for start in range(0, len(together), _BATCH):
                    yield from self._read(client, puts[put], together[start : start + _BATCH])
        except (imaplib.IMAP4.error, OSError) as error:
            raise self._unavailable(error) from error
        finally:
            abandon_client(client)

    def newest(self, count: int) -> list[KeptMessage]:
        client = log_in(self._server)
        try:
            folders, server = find_folders(client, self._server), self._server
            puts: dict[Put, str] = {"processed": folders[server.processed], "shunted": folders[server.shunted]}
            found: list[KeptMessage] = []
            for put, folder in puts.items():
                validity = int(client.select_folder(folder, readonly=True)[b"UIDVALIDITY"])
                uids = sorted(client.search(["ALL"]))[-count:]
                listed = [(at, put, validity, uid, size) for uid, at, size in self._told(client, uids)]
                found += self._read(client, folder, listed)
            return found
        except (imaplib.IMAP4.error, OSError) as error:
            raise self._unavailable(error) from error
        finally:
            abandon_client(client)

    def sent_since(self, moment: datetime) -> dict[str, SentCopy]:
        client = log_in(self._server)
        try:
            folder = client.find_special_folder(rb"\Sent")
            if folder is None:
                return {}
            known: dict[str, SentCopy] = {}
            listed = list(self._listed(client, folder, moment))
            for start in range(0, len(listed), _BATCH):
                some = {uid: at for _, uid, at, _ in listed[start : start + _BATCH]}
                answer = client.fetch(list(some), ["BODY.PEEK[HEADER.FIELDS (MESSAGE-ID SUBJECT)]"])
                for uid, at in some.items():
                    head = answer.get(uid, {}).get(b"BODY[HEADER.FIELDS (MESSAGE-ID SUBJECT)]")
                    if isinstance(head, bytes):
                        _note(known, head, at)
            return known
        except (imaplib.IMAP4.error, OSError) as error:
            raise self._unavailable(error) from error
        finally:
            abandon_client(client)

    def _listed(self, client: Any, folder: str, moment: datetime) -> Iterator[tuple[int, int, datetime, int]]:
        validity = int(client.select_folder(folder, readonly=True)[b"UIDVALIDITY"])
        uids = client.search(["SINCE", (moment - timedelta(days=1)).date()])  # whole days, in the server's time zone
        for start in range(0, len(uids), 500):
            for uid, at, size in self._told(client, uids[start : start + 500]):
                if at >= moment.replace(microsecond=0):
                    yield validity, uid, at, size

    def _told(self, client: Any, uids: Sequence[int]) -> Iterator[tuple[int, datetime, int]]:
        answer = client.fetch(uids, ["INTERNALDATE", "RFC822.SIZE"]) if uids else {}
        for uid, told in answer.items():
            arrived = told.get(b"INTERNALDATE")
            if isinstance(arrived, datetime):
                yield int(uid), arrived.astimezone(UTC), int(told.get(b"RFC822.SIZE", 0))

    def _read(
        self, client: Any, folder: str, listed: Sequence[tuple[datetime, Put, int, int, int]]
    ) -> Iterator[KeptMessage]:
        most = self._server.max_bytes
        small = [uid for _, _, _, uid, size in listed if size <= most]
        large = [uid for _, _, _, uid, size in listed if size > most]
        bodies = client.fetch(small, ["BODY.PEEK[]"]) if small else {}
        heads = client.fetch(large, ["BODY.PEEK[HEADER]"]) if large else {}
        for at, put, validity, uid, size in listed:
            body = bodies.get(uid, {}).get(b"BODY[]")
            head = heads.get(uid, {}).get(b"BODY[HEADER]") or b""
            if body is not None or head:
                yield KeptMessage(put, f"{folder};{validity};{uid}", at, body, size, head[:_HEAD_BYTES])

    def _unavailable(self, error: Exception) -> MailboxUnavailable:
        return MailboxUnavailable(f"{self._server} does not return processed mail ({said(error, self._server)})")


class MaildirKeptMail:
    def __init__(self, place: MaildirPlace) -> None:
        self._place = place

    def since(self, moment: datetime) -> Iterator[KeptMessage]:
        puts: dict[Put, str] = {"processed": self._place.processed, "shunted": self._place.shunted, "inbox": ""}
        found = [
            (*arrival_of(path.name, path), put, path) for put, folder in puts.items() for path in self._files(folder)
        ]
        for second, _, _, put, path in sorted(found, key=lambda each: each[:4]):
            if second >= int(moment.timestamp()):
                yield self._message(put, second, path)

    def newest(self, count: int) -> list[KeptMessage]:
        puts: dict[Put, str] = {"processed": self._place.processed, "shunted": self._place.shunted}
        newest: list[KeptMessage] = []
        for put, folder in puts.items():
            found = sorted((*arrival_of(path.name, path), path) for path in self._files(folder))
            newest += (self._message(put, second, path) for second, _, _, path in found[-count:])
        return newest

    def _message(self, put: Put, second: int, path: Path) -> KeptMessage:
        size = path.stat().st_size
        raw = path.read_bytes() if size <= self._place.max_bytes else None
        with path.open("rb") as file:
            head = head_of(file.read(_HEAD_BYTES)) if raw is None else b""
        return KeptMessage(put, path.name.split(":", 1)[0], datetime.fromtimestamp(second, UTC), raw, size, head)

    def sent_since(self, moment: datetime) -> dict[str, SentCopy]:
        return _sent_files(self._files("Sent"), moment)

    def _files(self, folder: str) -> list[Path]:
        place = self._place.path / f".{folder.replace('/', '.')}" if folder else self._place.path
        try:
            return [path for part in ("new", "cur") if (place / part).is_dir() for path in (place / part).iterdir()]
        except OSError as error:
            raise MailboxUnavailable(f"the Maildir {place} cannot be read ({error.strerror})") from None


def written_since(folder: Path, moment: datetime) -> dict[str, SentCopy]:
    return _sent_files(sorted(folder.glob("*.eml")), moment)


def _sent_files(files: Sequence[Path], moment: datetime) -> dict[str, SentCopy]:
    known: dict[str, SentCopy] = {}
    for path in files:
        at = datetime.fromtimestamp(os.stat(path).st_mtime, UTC)
        if at >= moment:
            with path.open("rb") as file:
                _note(known, head_of(file.read(_HEAD_BYTES)), at)
    return known


def _note(known: dict[str, SentCopy], head: bytes, at: datetime) -> None:
    parsed = BytesHeaderParser(policy=policy.default).parsebytes(head)
    identity = re.sub(r"\s", "", str(parsed.get("Message-ID", ""))).strip("<>")
    if identity:
        known[identity] = SentCopy(at, str(parsed.get("Subject", "")))
