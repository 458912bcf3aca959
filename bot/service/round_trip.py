"""Two mails that `mentat doctor` sends to itself, to find out whether they arrive, how long they take, and whether the
reply tokens survive.

One goes to the plain address, with a token in its subject; the other goes to a plus address like those to which players
reply. Both carry a code and a header, by which ``bot.mail.disposition`` and a running service recognise them.

They may arrive in the inbox, in the folder to which a running service moved them, or in the spam folder. The doctor
uses its own connection and looks only at mail that came after it began; it reads at most the first 20,000 bytes of
other people's mail. It removes only its own mails, which it recognises by their code.
"""

from __future__ import annotations

import base64
import contextlib
import secrets
import time
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any, Protocol

from bot.config import Settings
from bot.mail.identity import TOKEN_CHARS, find_tokens, plus_address, tagged_subject
from bot.mail.imap import ImapServer, abandon_client, find_folders, log_in
from bot.mail.mailbox import MailboxUnavailable
from bot.mail.message import Incoming, parse
from bot.mail.outgoing import OwnAddresses, mail_to_itself
from bot.mail.transport import SendDeferred, SendRefused, SmtpTransport
from bot.monitoring.checks import Finding
from bot.service.doctor_servers import split_advice
from bot.service.machine import utc_now
from bot.service.mail_servers import imap_server, smtp_server

_READ_BYTES = 20_000


@dataclass(frozen=True, slots=True)
class NewMessage:
    raw: bytes
    folder: str
    came: datetime | None = None


class Inbox(Protocol):
    def look(self) -> list[NewMessage]: ...

    def remove(self, code: bytes) -> None: ...

    def close(self) -> None: ...


def open_inbox(settings: Settings) -> Inbox:
    if settings.mailbox.kind == "maildir":
        box = settings.mailbox
        return MaildirInbox(box.maildir, (box.processed, box.shunted))
    return ImapInbox(imap_server(settings))


class ImapInbox:
    def __init__(self, server: ImapServer) -> None:
        self._client: Any = log_in(server)
        folders = find_folders(self._client, server)
        spam = [name for flags, _, name in self._client.list_folders() if b"\\Junk" in flags]
        self._folders = {written: name for name, written in folders.items()} | dict.fromkeys(spam, "spam")
        self._next = {name: self._next_uid(name) for name in self._folders}
        self._read: dict[tuple[str, int], NewMessage] = {}

    def look(self) -> list[NewMessage]:
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
        abandon_client(self._client)

    def _next_uid(self, folder: str) -> int:
        return int(self._client.folder_status(folder, ["UIDNEXT"])[b"UIDNEXT"])

    def _new(self, folder: str) -> dict[int, NewMessage]:
        self._client.select_folder(folder, readonly=True)
        first = self._next[folder]
        found = {}
        for uid in self._client.search(["UID", f"{first}:*", "UNDELETED"]):
            if uid >= first and (folder, uid) not in self._read:
                parts = self._client.fetch([uid], [f"BODY.PEEK[]<0.{_READ_BYTES}>", "INTERNALDATE"]).get(uid, {})
                if raw := parts.get(b"BODY[]<0>"):
                    self._read[folder, uid] = NewMessage(raw, self._folders[folder], parts.get(b"INTERNALDATE"))
            if (folder, uid) in self._read:
                found[uid] = self._read[folder, uid]
        return found


class MaildirInbox:
    def __init__(self, path: Path, folders: tuple[str, ...]) -> None:
        self._places = {path: "INBOX"} | {path / f".{name.replace('/', '.')}": name for name in folders}
        self._before = {file.name.partition(":")[0] for file in self._files()}

    def look(self) -> list[NewMessage]:
        found = []
        for file in self._new():
            with contextlib.suppress(OSError), file.open("rb") as opened:
                found.append(NewMessage(opened.read(_READ_BYTES), self._places[file.parent.parent]))
        return found

    def remove(self, code: bytes) -> None:
        for file in self._new():
            with contextlib.suppress(OSError):
                if code in file.read_bytes()[:_READ_BYTES]:
                    file.unlink()

    def close(self) -> None: ...

    def _new(self) -> list[Path]:
        return [file for file in self._files() if file.name.partition(":")[0] not in self._before]

    def _files(self) -> list[Path]:
        return [file for place in self._places for name in ("new", "cur") for file in (place / name).glob("[!.]*")]


_PAUSES = (0.05, 0.1, 0.2, 0.5, 1.0)
_CLOCK_APART = 120.0
_TEXT = "mentat doctor sends this mail to itself to see whether mail arrives. Delete it if you find it.\n"


@dataclass(slots=True)
class Probe:
    """A test mail from the doctor, and its outcome. Times are in seconds on the monotonic clock."""

    code: str
    token: str
    to: str
    raw: bytes
    sent_at: float = 0.0
    refused: str = ""
    came: NewMessage | None = None
    took: float = 0.0
    came_back: bool = False


def examine_round_trip(settings: Settings, wait: float) -> Iterator[Finding]:
    try:
        inbox = open_inbox(settings)
    except MailboxUnavailable as problem:
        told, advice = split_advice(str(problem))
        yield Finding("a mail to itself", "wrong", told, advice)
        return
    plain, plus = _plain_probe(settings), _plus_probe(settings)
    try:
        if unsent := _send(settings, (plain, plus)):
            told, advice = split_advice(unsent)
            yield Finding("a mail to itself", "wrong", told, advice or _ask_about(settings.mentat.address))
            return
        _wait_for((plain, plus), inbox, wait)
        yield from _arrival(settings, plain, plus, wait)
        for letter in (plain, plus):
            inbox.remove(letter.code.encode())
    except Exception as error:  # whatever fails now, the earlier findings remain valid
        told = f"the connection to the mailbox broke ({type(error).__name__})"
        yield Finding("a mail to itself", "wrong", told, "Try again; if this continues, ask the provider.")
    finally:
        inbox.close()


def _plain_probe(settings: Settings) -> Probe:
    token = _token()
    return _probe(settings, settings.mentat.address, tagged_subject("A test of Mentat", token), token)


def _plus_probe(settings: Settings) -> Probe:
    token = _token()
    return _probe(settings, plus_address(settings.mentat.address, token), "A test of Mentat", token)


def _probe(settings: Settings, to: str, subject: str, token: str) -> Probe:
    code = secrets.token_hex(12)
    own = OwnAddresses(settings.mentat.name, settings.sender, settings.mentat.address)
    return Probe(code, token, to, mail_to_itself("doctor", code, own, to, subject, _TEXT, utc_now()))


def _send(settings: Settings, letters: tuple[Probe, ...]) -> str:
    with SmtpTransport(smtp_server(settings)) as transport:
        for letter in letters:
            letter.sent_at = time.monotonic()
            try:
                transport.send(settings.sender, letter.to, letter.raw)
            except SendRefused as refusal:
                letter.refused = str(refusal)
            except SendDeferred as problem:
                return str(problem)
    return letters[0].refused


def _ask_about(address: str) -> str:
    return f"Check that {address} ([mentat] address) is the address of this mailbox, and that this server sends for it."


def _wait_for(letters: tuple[Probe, ...], inbox: Inbox, wait: float) -> None:
    until = time.monotonic() + wait
    pauses = iter(_PAUSES)
    while True:
        for seen in inbox.look():
            for letter in letters:
                if letter.came is None and letter.code.encode() in seen.raw:
                    own = f"doctor {letter.code}".encode() in seen.raw.partition(b"\r\n\r\n")[0]
                    letter.came_back = letter.came_back or not own
                    if own:
                        letter.came, letter.took = seen, time.monotonic() - letter.sent_at
        left = until - time.monotonic()
        if all(letter.came or letter.came_back or letter.refused for letter in letters) or left <= 0:
            return
        time.sleep(min(next(pauses, _PAUSES[-1]), left))


def _arrival(settings: Settings, plain: Probe, plus: Probe, wait: float) -> Iterator[Finding]:
    address = settings.mentat.address
    if plain.came is None and plus.came is None:
        told = f"a mail to {address} was accepted by the SMTP server but did not arrive within {wait:g} seconds"
        if plain.came_back:
            told = f"a mail to {address} came back as undeliverable"
        advice = (
            f"Check that {address} is the address of this mailbox; look into the spam folder and, after a while, into "
            "the inbox; use --wait to allow more time."
        )
        yield Finding("a mail to itself", "wrong", told, advice)
        return
    took = plain.took if plain.came else plus.took
    yield Finding("a mail to itself", "well", f"it arrived after {took:.1f} seconds", facts={"seconds": round(took, 2)})
    yield from (_spam(letter.came) for letter in (plain, plus) if letter.came and letter.came.folder == "spam")
    yield _plus_addressing(settings, plain, plus, wait)
    if plain.came:
        yield _subject_token(settings, plain.came, plain)
    came = plain.came or plus.came
    assert came is not None
    yield from _identifier(came, (plain if plain.came else plus).code)
    if came.came:
        yield from _clock(came.came)


def _spam(seen: NewMessage) -> Finding:
    told = "the provider treats Mentat's own mail as spam"
    return Finding("spam", "wrong", told, "Tell the mailbox that it is not spam, with a rule or its “not spam” button.")


def _plus_addressing(settings: Settings, plain: Probe, plus: Probe, wait: float) -> Finding:
    about, on = "plus addressing", settings.mentat.plus_addressing
    works = plus.came is not None and plus.token in _tokens(settings, plus.came)
    facts = {"works": works, "seconds": round(plus.took, 2) if plus.came else None}
    if works and on:
        return Finding(about, "well", "mail to the address with a token arrives, and the token with it", facts=facts)
    if works:
        advice = "You may set [mentat] plus_addressing = true: then players need not leave a token in the subject."
        return Finding(about, "note", "it works, but is switched off", advice, facts)
    if plus.refused:
        why = f"the server refuses {plus.to} ({plus.refused})"
    elif plus.came:
        why = "mail to the address with a token arrives, but the token in it is lost"
    elif plus.came_back:
        why = f"mail to {plus.to} came back"
    else:
        why = f"mail to {plus.to} did not arrive within {wait:g} seconds, but mail to the plain address did"
    if on:
        advice = "Set [mentat] plus_addressing = false: the token is then in the subjects."
        return Finding(about, "wrong", why, advice, facts)
    return Finding(about, "well", "it does not work, and is not used", facts=facts)


def _subject_token(settings: Settings, seen: NewMessage, letter: Probe) -> Finding:
    survives = letter.token in _tokens(settings, seen)
    facts = {"survives": survives}
    if survives:
        return Finding("token in the subject", "well", "it arrives unchanged", facts=facts)
    told = "something on the way changes subjects: the token in it is lost"
    if settings.mentat.plus_addressing:
        return Finding("token in the subject", "note", told, "Nothing needs it while plus addressing works.", facts)
    return Finding("token in the subject", "wrong", told, "Use a mailbox whose server leaves subjects alone.", facts)


def _identifier(seen: NewMessage, code: str) -> Iterator[Finding]:
    incoming = parse(seen.raw)
    if isinstance(incoming, Incoming) and not (incoming.message_id or "").startswith(f"doctor.{code}@"):
        told = "the server changes Message-IDs: programs may show a game in several threads"
        yield Finding("Message-ID", "note", told)


def _clock(came: datetime) -> Iterator[Finding]:
    apart = abs((came.astimezone() - utc_now()).total_seconds())
    if apart > _CLOCK_APART:
        told = f"the clocks of this machine and of the mail server are {apart:.0f} seconds apart"
        yield Finding("clock", "wrong", told, "Set the clock, and let the machine keep it right (NTP).")
    else:
        yield Finding("clock", "well", "this machine and the mail server agree on the time")


def _tokens(settings: Settings, seen: NewMessage) -> list[str]:
    incoming = parse(seen.raw)
    return find_tokens(incoming, settings.mentat.address) if isinstance(incoming, Incoming) else []


def _token() -> str:
    return base64.b32encode(secrets.token_bytes(10)).decode("ascii").lower()[:TOKEN_CHARS]
