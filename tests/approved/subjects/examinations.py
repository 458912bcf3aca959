"""Machines, mailboxes and ways out as the doctor meets them: all that is found, with its advice.

An input is the settings, the files that lie there with their modes, the database, what the servers can do and answer,
and what becomes of the two mails that the doctor sends to itself. Servers and the clock are stand-ins.
"""

from __future__ import annotations

import imaplib
import json
import os
import shutil
import socket
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from pathlib import Path
from random import Random
from types import SimpleNamespace
from typing import Any
from unittest import mock

from bot.channels.channel import ChannelError, NotPossible, Refused, TooSoon
from bot.games.proof import RECORD_BEGINS
from bot.mail.kept_mail import KeptMessage
from bot.mail.mailbox import MailboxUnavailable
from bot.mail.transport import SendDeferred, SendRefused
from bot.monitoring.checks import Finding
from bot.service import doctor, doctor_servers, round_trip
from bot.service.doctor import examine
from bot.store import installation
from bot.store.database import open_database, writing
from tests.approved.subject import Subject
from tests.approved.subjects import command_lines
from tests.database_copies import put
from tests.transcripts.told import masked

MB = 1_000_000
_AWAY = "it does not accept the login of mentat: check [mailbox] user and MENTAT_IMAP_PASSWORD"
_FILES = (
    "mentat.db", "mentat.db-wal", "mentat.db.old", "copy", "other.db", "deep/other.db", "record.json", ".env", "notes",
    "deep/deeper/x.db", "mentat.db-journal", "deep/record.json", "a b-shm",
)  # fmt: skip
_CONTENTS = ("SQLite format 3\0 and more", '{"format":"mentat-record"', "sand", "", "RECORD")
_WAYS: Sequence[Any] = ("comes", "spam", "back", "lost", "refused", "deferred", "moved", "fault")


def _seeds() -> Iterator[str]:
    yield json.dumps({})
    yield json.dumps({"place": "begun", "imap": True, "smtp": True})
    yield json.dumps(
        {"place": "begun", "imap": True, "smtp": True, "plain": "spam", "plus": "lost", "plus_addressing": False}
    )
    yield json.dumps({"imap": True, "smtp": True, "plain": "back", "plus": "refused", "delay": 3})
    yield json.dumps(
        {"imap": True, "smtp": True, "plain": "comes", "plus": "comes", "subject": False, "address": False, "id": False}
    )
    yield json.dumps({"imap": True, "smtp": True, "abilities": ["IDLE"], "messages": 1, "quota": [[84, 100], [5, 0]]})
    yield json.dumps({"imap": True, "smtp": True, "missing": ["Mentat/Processed"], "security": "none"})
    yield json.dumps({"imap": True, "no_name": "imap.example", "files": {"mentat.db": [0o644, "sand"]}})
    yield json.dumps({"imap": True, "smtp": True, "no_answer": "smtp.example", "readonly": True, "security": "tls"})
    yield json.dumps({"imap": True, "login": _AWAY, "smtp": True, "smtp_login": "it is away; it is tried again later"})
    yield json.dumps(
        {"files": {"record.json": [0o644, "RECORD"], "deep/other.db": [0o640, _CONTENTS[0]], "notes": [0o666, "x"]}}
    )
    yield json.dumps(
        {"place": "begun", "beats": {"loop": [5, None], "mailbox": [5, None], "archive": [5, 60]}, "archive": True}
    )
    yield json.dumps({"place": "entries", "kept": ["<1@x>", "<2@x>"], "clock": 121, "free": 49 * MB})
    yield json.dumps({"forums": {"arrakis": "refused", "bazaar": "away", "list": "proved", "list2": "", "bgg": ""}})
    yield json.dumps({"maildir": "file", "outgoing": "file"})
    yield json.dumps({"maildir": 0o755, "outgoing": 0o755, "maildir_mails": 1, "year": 2024})


def _vary(chance: Random, text: str, others: Sequence[str]) -> str:
    """Another fact of the machine, of its servers or of the mails."""
    facts, other = json.loads(text), json.loads(chance.choice(others))
    for _ in range(chance.choice((1, 1, 2, 3))):
        if facts and chance.randrange(4) == 0:
            del facts[chance.choice(list(facts))]
        elif other and chance.randrange(3) == 0:
            name = chance.choice(list(other))
            facts[name] = other[name]
        else:
            facts.update(_another_fact(chance, facts))
    return json.dumps(facts)


def _another_fact(chance: Random, facts: Mapping[str, Any]) -> dict[str, Any]:
    made: Sequence[Callable[[], dict[str, Any]]] = (
        lambda: {"imap": True, "smtp": True, chance.choice(("plain", "plus")): chance.choice(_WAYS)},
        lambda: {
            "imap": True,
            "smtp": True,
            "delay": chance.choice((0, 1, 4, 5, 6, 30)),
            "wait": chance.choice((0, 1, 5, 30)),
        },
        lambda: {
            chance.choice(("subject", "address", "id", "plus_addressing", "readonly", "proved")): chance.randrange(2)
            == 0
        },
        lambda: {
            "clock": chance.choice((-121, -120, 0, 119, 120, 121, 400)),
            "free": chance.choice((49, 50, 499, 500, 9000)) * MB,
        },
        lambda: {
            "files": {
                **facts.get("files", {}),
                chance.choice(_FILES): [chance.choice((0o600, 0o640, 0o644, 0o604)), chance.choice(_CONTENTS)],
            }
        },
        lambda: {
            "quota": [
                [chance.choice((0, 84, 85, 96, 97, 100, 170)), chance.choice((0, 100, 200))]
                for _ in range(chance.randrange(3))
            ]
        },
        lambda: {
            "abilities": [name for name in ("IDLE", "MOVE", "UIDPLUS", "QUOTA", "NAMESPACE") if chance.randrange(2)]
        },
        lambda: {
            "messages": chance.randrange(3),
            "missing": chance.sample(("INBOX", "Mentat/Processed", "Mentat/Shunted"), chance.randrange(3)),
        },
        lambda: {
            "security": chance.choice(("none", "tls", "starttls")),
            "until": chance.choice((-1, 0, 13, 14, 15)),
            "loopback": chance.randrange(2) == 0,
        },
        lambda: {chance.choice(("no_name", "no_answer", "no_tls")): chance.choice(("imap.example", "smtp.example"))},
        lambda: {
            "place": chance.choice(("", "empty", "begun", "entries")),
            "future": chance.choice((0, 299, 300, 301)),
        },
        lambda: {
            "beats": {
                name: [chance.choice((5, 45, 46, 400)), chance.choice((None, 60))]
                for name in ("loop", "mailbox", "canary", "archive")
                if chance.randrange(2)
            }
        },
        lambda: {
            "kept": [chance.choice(("<1@x>", "<own@x>", "", "<old@x>", "<big@x>")) for _ in range(chance.randrange(4))]
        },
        lambda: {
            "forums": {
                name: chance.choice(("", "refused", "away", "soon", "proved"))
                for name in ("arrakis", "list", "bgg")
                if chance.randrange(2)
            }
        },
        lambda: {
            chance.choice(("maildir", "outgoing")): chance.choice((None, "file", 0o700, 0o755)),
            "maildir_mails": chance.randrange(3),
        },
        lambda: {
            "archive": chance.choice((None, "new", "ours", "others", "file")),
            "year": chance.choice((2024, 2025, 2026)),
        },
        lambda: {
            "breaks": chance.choice((None, "folders", "look", "inbox")),
            "login": chance.choice((None, _AWAY)),
            "user": chance.choice(("", "mentat")),
        },
    )
    return chance.choice(made)()


# --- stand-ins -------------------------------------------------------------------------------------------------------


@dataclass
class Clock:
    """What this machine believes, and the time that passes while somebody waits."""

    now: datetime
    steady: float = 500.0

    def utc_now(self) -> datetime:
        return self.now

    def monotonic(self) -> float:
        return self.steady

    def sleep(self, seconds: float) -> None:
        self.steady += seconds
        self.now += timedelta(seconds=seconds)


@dataclass
class Server:
    """An IMAP server and an SMTP server that knows what becomes of each mail."""

    facts: Mapping[str, Any]
    clock: Clock
    folders: dict[str, dict[int, tuple[float, bytes]]] = field(default_factory=dict)
    selected: str = ""
    sent: int = 0
    done: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        names = {"INBOX", "Mentat/Processed", "Mentat/Shunted"} - set(self.facts.get("missing", ()))
        self.folders = {name: {7: (0.0, b"Subject: old\r\n\r\nbid 4\r\n")} for name in (*sorted(names), "Junk")}

    # as an IMAP client sees it

    def list_folders(self, *_: str) -> list[Any]:
        if self.facts.get("breaks") == "folders":
            raise imaplib.IMAP4.error("no such thing")
        return [((b"\\Junk",) if name == "Junk" else (), b"/", name) for name in self.folders]

    def has_capability(self, name: str) -> bool:
        return name in self.facts.get("abilities", ("IDLE", "MOVE", "UIDPLUS", "QUOTA"))

    def namespace(self) -> Any:
        return SimpleNamespace(personal=(("", "/"),))

    def folder_exists(self, name: str) -> bool:
        return name in self.folders

    def create_folder(self, name: str) -> None:
        raise imaplib.IMAP4.error("not allowed")

    def select_folder(self, name: str, readonly: bool = False) -> dict[bytes, int]:
        if self.facts.get("readonly") and not readonly:
            raise imaplib.IMAP4.readonly("read-only")
        self.selected = name
        return {b"EXISTS": self.facts.get("messages", 2)}

    def get_quota_root(self, _name: str) -> Any:
        parts = self.facts.get("quota", [[3, 100]])
        return (), [
            SimpleNamespace(usage=u, limit=of, resource=name)
            for (u, of), name in zip(parts, ("STORAGE", "MESSAGE"), strict=False)
        ]

    def folder_status(self, name: str, _what: Sequence[str]) -> dict[bytes, int]:
        return {b"UIDNEXT": max(self.folders[name], default=0) + 1}

    def search(self, _what: Sequence[str]) -> list[int]:
        if self.facts.get("breaks") == "look":
            raise imaplib.IMAP4.abort("gone")
        return [uid for uid, (at, _) in self.folders[self.selected].items() if at <= self.clock.steady]

    def fetch(self, uids: Sequence[int], _what: Sequence[str]) -> dict[int, dict[bytes, Any]]:
        apart = timedelta(seconds=self.facts.get("clock", 0))
        kept = self.folders[self.selected]
        return {uid: {b"BODY[]<0>": kept[uid][1], b"INTERNALDATE": self.clock.now + apart} for uid in uids}

    def delete_messages(self, uids: Sequence[int], *, silent: bool) -> None:
        self.done.append(f"deletes {list(uids)} in {self.selected}, silently {silent}")

    def uid_expunge(self, uids: Sequence[int]) -> None:
        self.done.append(f"expunges {list(uids)}")

    def socket(self) -> None:
        return None

    def logout(self) -> None:
        self.done.append("logs out")

    def shutdown(self) -> None:
        self.done.append("is let go")

    # as an SMTP client sees it

    def __enter__(self) -> Server:
        return self

    def __exit__(self, *_: object) -> None:
        self.done.append("the way out is closed")

    def log_in(self) -> None:
        if why := self.facts.get("smtp_login"):
            raise SendDeferred(why)

    def close(self) -> None:
        self.done.append("smtp is closed")

    def send(self, envelope_from: str, to: str, raw: bytes) -> None:
        self.sent += 1
        way = self.facts.get("plain" if self.sent == 1 else "plus", "comes")
        self.done.append(f"mail {self.sent} from {envelope_from} {way}")
        if way == "refused":
            raise SendRefused("smtp.example refused it: no such user")
        if way == "deferred":
            raise SendDeferred("smtp.example is away; it is tried again")
        if way == "fault":
            raise RuntimeError("the sand got in")
        head, gap, body = raw.partition(b"\r\n\r\n")
        if way == "back":
            head = b"From: mailer-daemon@example\r\nSubject: Undeliverable\r\nMessage-ID: <b@x>"
            body = raw
        if self.facts.get("subject") is False:
            head = head.replace(b"[#", b"[.")
        if self.facts.get("address") is False and self.sent == 2:
            head = head.replace(b"mentat+", b"mentat-")
        if self.facts.get("id") is False:
            head = head.replace(b"Message-ID: <", b"Message-ID: <new.")
        folder = {"spam": "Junk", "moved": "Mentat/Processed"}.get(way, "INBOX")
        if way != "lost" and folder in self.folders:
            at = self.clock.steady + self.facts.get("delay", 0)
            self.folders[folder][max(self.folders[folder], default=0) + 1] = (at, head + gap + body)


@contextmanager
def _met(facts: Mapping[str, Any], clock: Clock, server: Server) -> Iterator[None]:
    """Everywhere the stand-ins in place of what there is."""

    def raises(why: Exception) -> Any:
        raise why

    def getaddrinfo(host: str, port: int, **_: Any) -> Any:
        if facts.get("no_name") == host:
            raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")
        addresses = ("127.0.0.1",) if facts.get("loopback") else ("192.0.2.7", "192.0.2.1")
        return [(0, 0, 0, "", (address, port)) for address in addresses]

    def create_connection(at: tuple[str, int], _timeout: float) -> Any:
        if facts.get("no_answer") == at[0]:
            raise OSError(111, "Connection refused")
        return mock.MagicMock()

    def trusting(*_: Any) -> Any:
        context = mock.MagicMock()
        if facts.get("no_tls"):
            context.wrap_socket.side_effect = OSError(5, "broken")
        return lambda: context

    def log_in(_server: Any) -> Server:
        return raises(MailboxUnavailable(facts["login"])) if facts.get("login") else server

    def open_inbox(settings: Any) -> Any:
        if facts.get("breaks") == "inbox":
            raise MailboxUnavailable("imap.example is away: check [mailbox] host")
        return round_trip.open_inbox(settings)

    def open_channel(name: str, _settings: Any) -> Any:
        how = facts.get("forums", {}).get(name, "")
        failures = {
            "refused": Refused("no such key"),
            "away": ChannelError("no answer"),
            "soon": TooSoon("wait", 30),
            "never": NotPossible("no"),
        }
        return SimpleNamespace(messages_since=lambda _: raises(failures[how]) if how in failures else [])

    kept = SimpleNamespace(newest=lambda count: [_kept(name, clock) for name in facts.get("kept", ())][:count])
    until = clock.now.timestamp() + 86_400 * facts.get("until", 60)
    free = SimpleNamespace(free=facts.get("free", 9_000 * MB))
    with ExitStack() as patched:
        for target, name, stand_in in (
            (socket, "getaddrinfo", getaddrinfo), (socket, "create_connection", create_connection),
            (doctor_servers, "utc_now", clock.utc_now), (doctor_servers, "valid_until", lambda _: until), (doctor_servers, "log_in", log_in),
            (round_trip, "log_in", log_in), (doctor, "utc_now", clock.utc_now), (round_trip, "utc_now", clock.utc_now),
            (round_trip, "time", clock), (round_trip, "open_inbox", open_inbox),
            (doctor_servers, "SmtpTransport", lambda _: server), (round_trip, "SmtpTransport", lambda _: server),
            (doctor, "open_kept_mail", lambda _: kept),
            (doctor, "open_channel", open_channel), (shutil, "disk_usage", lambda _: free),
        ):  # fmt: skip
            patched.enter_context(mock.patch.object(target, name, stand_in))
        patched.enter_context(mock.patch("bot.service.mail_servers.trusting", trusting))
        yield


def _kept(name: str, clock: Clock) -> KeptMessage:
    """A mail that was dealt with."""
    own = b"X-Mentat: doctor 1\r\n" if "own" in name else b""
    head = b"Message-ID: " + name.encode() + b"\r\n" + own + b"\r\n"
    arrived = clock.now - timedelta(days=900 if "old" in name else 0)
    return KeptMessage("processed", name, arrived, None if "big" in name else head + b"hello\r\n", 70, head)


# --- what is found ---------------------------------------------------------------------------------------------------


def _told(text: str) -> str:
    facts = json.loads(text)
    with command_lines._folder() as made, command_lines._as_ever():
        folder = Path(made).resolve()
        os.chdir(folder)
        clock = Clock(datetime.fromisoformat(f"{facts.get('year', 2026)}-11-24T20:00:00+00:00"))
        server = Server(facts, clock)
        config = _laid_out(folder, facts, clock)
        with _met(facts, clock, server):
            found = [_finding(each) for each in examine(config, facts.get("wait", 5))]
        beside = round_trip.MaildirInbox(folder / "Maildir", ("Mentat/Processed",))
        _arrive(folder / "Maildir", 1)
        found.append(f"maildir: {[(len(seen.raw), seen.folder) for seen in beside.look()]}")
        beside.remove(b"mail 0")
        left = [str(file.relative_to(folder)) for file in (folder / "Maildir").rglob("*") if file.is_file()]
        found.append(f"left: {sorted(left)}")
    return masked("\n".join((*found, *server.done)).replace(str(folder), "FOLDER"))


def _finding(found: Finding) -> str:
    return f"{found.about}: {found.state}: {found.told}. {found.advice} {dict(found.facts)}"


def _laid_out(folder: Path, facts: Mapping[str, Any], clock: Clock) -> Path:
    """The settings, files and database of a machine."""
    if place := facts.get("place"):
        put(command_lines._place(place).database, folder / "mentat.db")
        _written(folder / "mentat.db", facts, clock)
    for name, (mode, content) in facts.get("files", {}).items():
        file = folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        if content or not file.exists():
            begins = RECORD_BEGINS if content == "RECORD" else content.encode()
            if name != "mentat.db" or not place:
                file.write_bytes(begins)
        file.chmod(mode)
    for name in ("maildir", "outgoing"):
        _folder_of_mail(folder / {"maildir": "Maildir"}.get(name, name), facts.get(name, 0o700))
    for number in range(facts.get("maildir_mails", 0) if isinstance(facts.get("maildir", 0o700), int) else 0):
        _arrive(folder / "Maildir", number)
    archive = facts.get("archive")
    if archive in ("others", "file"):
        site = folder / "site"
        site.write_text("x") if archive == "file" else (site / "deep").mkdir(parents=True)
    config = folder / "config.toml"
    config.write_text("\n".join(_settings(facts)), encoding="utf-8")
    secrets = "MENTAT_SECRET=a-secret-of-enough-length\nMENTAT_IMAP_PASSWORD=x\nMENTAT_SMTP_PASSWORD=x\n"
    env = folder / ".env"
    mode = env.stat().st_mode if env.exists() else 0o600
    env.write_text(f"{secrets}MENTAT_FORUM_ARRAKIS_KEY=k\n" if "arrakis" in facts.get("forums", {}) else secrets)
    env.chmod(mode | 0o600)
    return config


def _folder_of_mail(place: Path, how: Any) -> None:
    if how == "file":
        place.write_text("x")
    elif how is not None:
        place.mkdir()
        place.chmod(how)


def _arrive(maildir: Path, number: int) -> None:
    if maildir.exists() and not maildir.is_dir():
        return
    (maildir / "new").mkdir(parents=True, exist_ok=True)
    (maildir / "new" / f"{number}.M1.host").write_bytes(b"Subject: x\r\n\r\nmail %d\r\n" % (number - 1))


def _written(database: Path, facts: Mapping[str, Any], clock: Clock) -> None:
    """Heartbeats, and when the last mail came."""
    engine = open_database(database)
    with writing(engine) as conn:
        for name, (age, failing) in facts.get("beats", {}).items():
            at = clock.now - timedelta(seconds=age)
            installation.beat(conn, name, at)
            if failing:
                installation.note_stop(conn, name, at, clock.now - timedelta(seconds=failing))
        if late := facts.get("future"):
            conn.exec_driver_sql(
                "UPDATE message SET received_at = ?",
                ((clock.now + timedelta(seconds=late)).strftime("%Y-%m-%dT%H:%M:%S.%f+00:00"),),
            )
    engine.dispose()


def _settings(facts: Mapping[str, Any]) -> Iterator[str]:
    plus = str(facts.get("plus_addressing", True)).lower()
    yield f'[mentat]\naddress = "mentat@arrakis.example"\ngame_master = "gm@arrakis.example"\nplus_addressing = {plus}'
    security = f'security = "{facts.get("security", "starttls")}"'
    yield (
        f'[mailbox]\nhost = "imap.example"\nuser = "mentat"\n{security}'
        if facts.get("imap")
        else '[mailbox]\nkind = "maildir"'
    )
    user = facts.get("user", "mentat")
    yield (
        f'[smtp]\nhost = "smtp.example"\nuser = "{user}"\n{security}'
        if facts.get("smtp")
        else '[smtp]\nkind = "directory"'
    )
    if facts.get("archive"):
        yield '[archive]\nfolder = "site"'
    yield "[monitoring]\ncanary_minutes = 60"
    for name, how in facts.get("forums", {}).items():
        proved = 'authserv_id = "x"' if how == "proved" else ""
        if name.startswith("list"):
            yield f'[forums.{name}]\nkind = "list"\naddress = "{name}@lists.example"\n{proved}'
        elif name == "arrakis":
            place = f'url = "https://{name}.example"\ncategory = 7\nusername = "mentat"'
            yield f'[forums.{name}]\nkind = "discourse"\n{place}'
        else:
            yield f'[forums.{name}]\nkind = "paste"\ndialect = "bgg"'


SUBJECT = Subject("examinations", ("bot.service.doctor",), _seeds, _vary, _told, slow=True)
