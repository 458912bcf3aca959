"""Tests for `mentat doctor`: it confirms what works, names each fault with its cure, and never disturbs the service."""

from __future__ import annotations

import itertools
import json
import os
import socket
import sqlite3
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

import pytest
from imapclient import IMAPClient
from typer.testing import CliRunner

from bot.cli import app
from bot.config import load_settings, starter_files
from bot.lab.local_mail import LocalMail
from bot.moderator.moderator import Moderator
from bot.monitoring.checks import Finding
from bot.service import doctor, loop, round_trip
from bot.service.doctor import examine, examine_machine
from bot.service.machine import utc_now
from bot.service.mail_servers import open_mailbox
from bot.service.round_trip import Inbox, NewMessage, open_inbox
from bot.store import installation, mail
from bot.store.database import open_database, writing
from bot.store.installation import only_one
from tests.dovecot_server import Dovecot
from tests.dovecot_server import why_not_here as dovecot_is_not_here
from tests.mail.certificates import Authority, why_not_here
from tests.mail.front import Front

PASSWORD = "a-melange-of-words"
_numbers = itertools.count(1)


@pytest.fixture(scope="module")
def servers() -> Iterator[LocalMail]:
    with LocalMail({}) as mail:
        yield mail


@dataclass
class Patient:
    """A Mentat in a folder. `mailbox`, `smtp` and `mentat` hold its settings as in the file."""

    folder: Path
    address: str
    mailbox: dict[str, Any]
    smtp: dict[str, Any]
    mentat: dict[str, Any] = field(default_factory=dict)
    password: str = PASSWORD

    @property
    def config(self) -> Path:
        """Write the settings file again and return its path."""
        sections = {
            "mentat": {"address": self.address, "game_master": "gm@arrakis.example", **self.mentat},
            "mailbox": self.mailbox,
            "smtp": self.smtp,
        }
        text = "".join(
            f"[{name}]\n" + "".join(f"{key} = {json.dumps(value)}\n" for key, value in section.items())
            for name, section in sections.items()
        )
        path = self.folder / "config.toml"
        path.write_text(text)
        (self.folder / ".env").write_text(
            f"MENTAT_SECRET=a-secret-of-enough-length\nMENTAT_IMAP_PASSWORD={self.password}\nMENTAT_SMTP_PASSWORD=x\n"
        )
        (self.folder / ".env").chmod(0o600)
        return path

    def examined(self, wait: float = 5) -> dict[str, Finding]:
        """Return the doctor's findings by subject, the worst for each."""
        found: dict[str, Finding] = {}
        for finding in examine(self.config, wait):
            if finding.about not in found or found[finding.about].state != "wrong":
                found[finding.about] = finding
        return found

    def wrong(self, wait: float = 5) -> dict[str, str]:
        """Return each fault by subject, with the advice."""
        return {f.about: f"{f.told}. {f.advice}" for f in self.examined(wait).values() if f.state == "wrong"}


@pytest.fixture
def patient(servers: LocalMail, tmp_path: Path) -> Patient:
    """Return a Mentat without faults."""
    address = f"doctor{next(_numbers)}@arrakis.example"
    servers.add_user(address, PASSWORD)
    return Patient(
        tmp_path, address,
        {"host": servers.host, "port": servers.imap_port, "security": "none", "user": address},
        {"host": servers.host, "port": servers.smtp_port, "security": "none"},
    )  # fmt: skip


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port: int = listener.getsockname()[1]
        return port


def test_all_is_well_and_nothing_is_left_behind(patient: Patient, servers: LocalMail) -> None:
    open_database(patient.folder / "mentat.db").dispose()
    found = patient.examined()
    assert {f.about for f in found.values() if f.state != "well"} == {"service"}
    assert found["plus addressing"].facts["works"]
    assert found["token in the subject"].facts["survives"]
    assert found["a mail to itself"].facts["seconds"] < 5
    assert found["mailbox: abilities"].facts["capabilities"] == {"IDLE": True, "MOVE": True, "UIDPLUS": True}
    assert [servers.inbox(patient.address, name) for name in ("INBOX", "Mentat/Processed", "Mentat/Shunted")] == [
        [],
        [],
        [],
    ]


def test_a_file_full_of_placeholders_is_not_called_complete(tmp_path: Path) -> None:
    for name, text in starter_files().items():
        (tmp_path / name).write_text(text)
    first = next(iter(examine_machine(load_settings(tmp_path / "config.toml"), tmp_path / "config.toml")))
    assert (first.about, first.state) == ("settings", "wrong")
    assert first.told == (
        "[mentat] address, [mentat] game_master, [mailbox] host, [mailbox] user, [smtp] host, [smtp] user, "
        "MENTAT_IMAP_PASSWORD, MENTAT_SMTP_PASSWORD are still as in the example"
    )
    assert ".env next to it" in first.advice


@pytest.mark.parametrize(
    ("own", "password", "left"),
    [
        ({"game_master": "you@example.org"}, PASSWORD, "[mentat] game_master is still as in the example"),
        ({"game_master": "gamemaster@arrakis.example"}, PASSWORD, "[mentat] game_master is still as in the example"),
        ({}, "change-me", "MENTAT_IMAP_PASSWORD is still as in the example"),
        ({"game_master": "gm@counterexample.org"}, PASSWORD, ""),
    ],
)
def test_one_placeholder_is_enough(patient: Patient, own: dict[str, Any], password: str, left: str) -> None:
    patient.mentat, patient.password = own, password
    told = next(iter(examine_machine(load_settings(patient.config), patient.config)))
    assert (told.state, told.told if left else "") == ("wrong" if left else "well", left)


def test_other_mail_is_not_touched(patient: Patient, servers: LocalMail) -> None:
    servers.deliver(patient.address, b"Subject: x\r\n\r\nbid 4\r\n")
    assert patient.wrong() == {}
    assert len(servers.inbox(patient.address)) == 1
    with IMAPClient(servers.host, servers.imap_port, ssl=False) as client:
        client.login(patient.address, PASSWORD)
        client.select_folder("INBOX", readonly=True)
        assert len(client.search(["UNSEEN", "UNDELETED"])) == 1


def test_a_running_service_is_not_disturbed_and_takes_the_mails_for_nothing_else(patient: Patient) -> None:
    settings = load_settings(patient.config)
    engine = open_database(settings.database_place)
    moderator = Moderator(settings, engine)
    stopping = threading.Event()
    found: dict[str, Finding] = {}

    def ask() -> None:
        found.update(patient.examined(wait=20))
        stopping.set()

    with (
        only_one(engine, "running"),
        only_one(engine, "sending"),
    ):
        mailbox = open_mailbox(settings)
        asking = threading.Thread(target=ask)
        asking.start()
        while not stopping.is_set():
            loop.poll(moderator, mailbox)
        loop.poll(moderator, mailbox)
        mailbox.close()
        asking.join()
    engine.dispose()
    assert [f.told for f in found.values() if f.state == "wrong"] == []
    assert found["plus addressing"].facts["works"]
    database = sqlite3.connect(settings.mentat.database)
    kept = database.execute("select disposition, game_id from message").fetchall()
    letters = database.execute("select count(*) from letter").fetchone()[0]
    database.close()
    assert set(kept) <= {("auto-reply", None)}
    assert letters == 0, "nobody is told of the doctor's mails"


def test_mails_that_the_doctor_could_not_remove_are_moved_away_by_the_next_poll(
    patient: Patient, servers: LocalMail
) -> None:
    settings = load_settings(patient.config)
    letters = (round_trip._plain_probe(settings), round_trip._plus_probe(settings))
    assert round_trip._send(settings, letters) == ""
    moderator = Moderator(settings, open_database(settings.database_place))
    mailbox = open_mailbox(settings)
    assert loop.poll(moderator, mailbox) == loop.PollResult(messages=2, shunted=0)
    mailbox.close()
    moderator.engine.dispose()
    assert len(servers.inbox(patient.address, "Mentat/Processed")) == 2


# --- possible faults -----------------------------------------------------------------------------------------------


def test_wrong_settings_are_told_one_by_one(patient: Patient) -> None:
    patient.mailbox["prot"] = 993
    patient.smtp["security"] = "ssl"
    found = list(examine(patient.config, 5))
    assert [f.state for f in found] == ["wrong", "wrong"]
    assert "did you mean port?" in found[0].told


def test_a_wrong_port(patient: Patient) -> None:
    patient.mailbox["port"] = port = free_port()
    wrong = patient.wrong()
    assert list(wrong) == ["mailbox: connection"]
    assert f"nothing answers at port {port} of 127.0.0.1 (Connection refused)" in wrong["mailbox: connection"]
    assert "Check [mailbox] port and security" in wrong["mailbox: connection"]


def test_a_way_out_that_nothing_answers_is_told_once_and_no_login_is_tried(patient: Patient) -> None:
    patient.smtp["port"] = port = free_port()
    found = patient.examined()
    assert [about for about, finding in found.items() if finding.state == "wrong"] == ["smtp: connection"]
    assert f"nothing answers at port {port} of 127.0.0.1" in found["smtp: connection"].told
    assert "smtp: login" not in found


def test_a_way_out_without_a_login_says_so(patient: Patient) -> None:
    login = patient.examined()["smtp: login"]
    assert (login.state, login.told) == ("well", "the server accepts mail without a login")


def test_a_way_out_that_knows_no_login_is_told_with_what_to_check(patient: Patient) -> None:
    patient.smtp["user"] = patient.address
    wrong = patient.wrong()
    assert list(wrong) == ["smtp: login"]
    assert "heck [smtp]" in wrong["smtp: login"]


def test_a_wrong_password(patient: Patient) -> None:
    patient.password = "not-this-one"
    wrong = patient.wrong()
    assert list(wrong) == ["mailbox: login"]
    assert "does not accept the login" in wrong["mailbox: login"]
    assert "Check [mailbox] user and MENTAT_IMAP_PASSWORD." in wrong["mailbox: login"]
    assert "not-this-one" not in wrong["mailbox: login"]


def test_a_wrong_host_name(patient: Patient, monkeypatch: pytest.MonkeyPatch) -> None:
    def nobody(host: str, *_: object, **__: object) -> Any:
        raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")

    patient.smtp["host"] = "smtp.arakis.example"
    real = socket.getaddrinfo
    monkeypatch.setattr(
        socket, "getaddrinfo", lambda host, *a, **k: (nobody if "arakis" in str(host) else real)(host, *a, **k)
    )
    wrong = patient.wrong()
    assert list(wrong) == ["smtp: name"]
    assert "no machine named smtp.arakis.example is known. Check [smtp] host" in wrong["smtp: name"]


def test_a_certificate_that_nobody_signed(patient: Patient, servers: LocalMail, tmp_path: Path) -> None:
    if reason := why_not_here():
        pytest.skip(reason)
    authority = Authority(tmp_path)
    with Front(servers.imap_port, authority.server_context("127.0.0.1")) as front:
        patient.mailbox |= {"port": front.port, "security": "tls"}
        wrong = patient.wrong()
        assert list(wrong) == ["mailbox: TLS"]
        assert "nobody whom this machine trusts has signed its certificate" in wrong["mailbox: TLS"]
        patient.mailbox["ca_file"] = str(authority.ca_file)
        found = patient.examined()
        assert found["mailbox: TLS"].state == "well"
        assert found["mailbox: TLS"].facts["days"] in (29, 30)
        assert found["mailbox: login"].state == "well"
        patient.mailbox["host"] = "localhost"
        assert "its certificate is not for localhost" in patient.wrong()["mailbox: TLS"]


@pytest.fixture
def dovecot(patient: Patient) -> Iterator[Dovecot]:
    """Yield a Dovecot for the patient, whose mailbox is nearly full."""
    if reason := dovecot_is_not_here():
        pytest.skip(reason)
    quota = """
mail_plugins = quota acl
protocol imap {
  mail_plugins = quota acl imap_quota
}
plugin {
  quota = count:User quota
  quota_vsizes = yes
  quota_rule = *:messages=10
  acl = vfile
}
"""
    with Dovecot({patient.address: PASSWORD}, more=quota) as server:
        patient.mailbox |= {"host": server.host, "port": server.imap_port}
        yield server


@pytest.mark.parametrize(("messages", "state"), [(2, "well"), (9, "note"), (10, "wrong")])
def test_a_mailbox_that_is_nearly_full(patient: Patient, dovecot: Dovecot, messages: int, state: str) -> None:
    for _ in range(messages):
        dovecot.deliver(patient.address, b"Subject: x\r\n\r\nbid 4\r\n")
    found = patient.examined(wait=0)["mailbox: room"]
    assert (found.state, found.facts) == (state, {"percent": 10 * messages})


def test_a_mailbox_that_may_only_be_read(patient: Patient, dovecot: Dovecot) -> None:
    dovecot.deliver(patient.address, b"Subject: x\r\n\r\nbid 4\r\n")
    place = dovecot.directory / "mail" / patient.address / "dovecot-acl"
    place.write_text("owner lr\n")
    place.chmod(0o644)
    assert "can be read, but not moved away" in patient.wrong(wait=0)["mailbox: folders"]


def test_an_address_that_the_server_does_not_know(patient: Patient) -> None:
    patient.address = "somebody.else@arrakis.example"
    told = patient.wrong()["a mail to itself"]
    assert "refused the recipient somebody.else@arrakis.example" in told
    assert "is the address of this mailbox, and that this server sends for it." in told


def test_a_server_without_tls(patient: Patient) -> None:
    patient.smtp["security"] = "starttls"
    wrong = patient.wrong()
    assert list(wrong) == ["smtp: login"]
    assert "offers no STARTTLS" in wrong["smtp: login"]


class AnyPlusAddress(dict[str, str]):
    """The users of a server that accepts mail to every plus address, and loses it."""

    def __contains__(self, address: object) -> bool:
        return "+" in str(address) or super().__contains__(address)


def without_plus(servers: LocalMail, monkeypatch: pytest.MonkeyPatch, *, refused: bool) -> None:
    """Make the provider refuse mail to plus addresses, or accept and lose it."""
    append, known = servers._append, dict(servers._users)
    monkeypatch.setattr("bot.lab.local_mail._plain", lambda address: address.strip().lower())

    async def known_only(address: str, raw: bytes) -> None:
        if address in known:
            await append(address, raw)

    monkeypatch.setattr(servers, "_append", known_only)
    if not refused:
        monkeypatch.setattr(servers, "_users", AnyPlusAddress(known))


@pytest.mark.parametrize(("refused", "words"), [(True, "the server refuses"), (False, "not arrive within 0.5 seconds")])
def test_no_plus_addressing(
    patient: Patient, servers: LocalMail, monkeypatch: pytest.MonkeyPatch, refused: bool, words: str
) -> None:
    without_plus(servers, monkeypatch, refused=refused)
    wrong = patient.wrong(wait=0.5)
    assert list(wrong) == ["plus addressing"]
    assert words in wrong["plus addressing"]
    assert "Set [mentat] plus_addressing = false" in wrong["plus addressing"]
    patient.mentat["plus_addressing"] = False
    assert patient.wrong(wait=0.5) == {}


def test_mail_that_never_comes(patient: Patient, servers: LocalMail) -> None:
    servers.add_user(f"other.{patient.address}", PASSWORD)
    patient.address = f"other.{patient.address}"  # not the mailbox that is read
    wrong = patient.wrong(wait=0.3)
    assert list(wrong) == ["a mail to itself"]
    assert "did not arrive within 0.3 seconds" in wrong["a mail to itself"]
    assert f"Check that {patient.address} is the address of this mailbox" in wrong["a mail to itself"]


def test_mail_that_takes_a_while_is_waited_for(patient: Patient, monkeypatch: pytest.MonkeyPatch) -> None:
    class Slow:
        """An inbox that looks empty at first."""

        def __init__(self, inbox: Inbox) -> None:
            self.remove, self.close = inbox.remove, inbox.close
            self._inbox, self._looks = inbox, 0

        def look(self) -> list[NewMessage]:
            self._looks += 1
            return self._inbox.look() if self._looks > 2 else []

    monkeypatch.setattr(round_trip, "open_inbox", lambda settings: Slow(open_inbox(settings)))
    found = patient.examined()
    assert found["a mail to itself"].state == "well"


def test_a_subject_that_is_changed_on_the_way(
    patient: Patient, servers: LocalMail, monkeypatch: pytest.MonkeyPatch
) -> None:
    append = servers._append

    async def cuts_subjects(address: str, raw: bytes) -> None:
        await append(address, raw.replace(b"Subject: A test of Mentat [#", b"Subject: A test of Mentat [."))

    monkeypatch.setattr(servers, "_append", cuts_subjects)
    assert patient.examined()["token in the subject"].state == "note"
    patient.mentat["plus_addressing"] = False
    assert "subjects" in patient.wrong()["token in the subject"]


def test_a_database_that_cannot_be_used(patient: Patient) -> None:
    (patient.folder / "mentat.db").write_bytes(b"sand " * 1000)
    assert "is another kind of file" in patient.wrong(wait=0)["database"]


def test_a_clock_that_went_back(patient: Patient) -> None:
    database = patient.folder / "mentat.db"
    open_database(database).dispose()
    connection = sqlite3.connect(database)
    columns = [row[1:4] for row in connection.execute("pragma table_info(message)")]
    row = {name: (b"" if kind in ("BLOB",) else 0 if "INT" in kind else "") for name, kind, wanted in columns if wanted}
    row |= {"id": 1, "received_at": utc_now().replace(year=2999).isoformat()}
    marks = ", ".join("?" * len(row))
    connection.execute(f"insert into message ({', '.join(row)}) values ({marks})", list(row.values()))
    connection.commit()
    connection.close()
    assert "is in the future for this machine. Set the clock" in patient.wrong(wait=0)["clock"]


def test_a_full_disk(patient: Patient, monkeypatch: pytest.MonkeyPatch) -> None:
    usage = type("Usage", (), {"free": 1_000_000})
    monkeypatch.setattr("bot.monitoring.checks.shutil.disk_usage", lambda folder: usage)
    assert "1 MB are free" in patient.wrong(wait=0)["disk"]


@pytest.mark.parametrize(("missing", "told"), [
    (("Mentat/Shunted",), "there is no folder Mentat/Shunted, and it cannot be created"),
    (("Mentat/Processed", "Mentat/Shunted"),
     "there is no folder Mentat/Processed and no folder Mentat/Shunted, and it cannot be created"),
])  # fmt: skip
def test_folders_that_the_server_does_not_let_be_made_are_named(
    patient: Patient, monkeypatch: pytest.MonkeyPatch, missing: tuple[str, ...], told: str
) -> None:
    there = IMAPClient.folder_exists
    monkeypatch.setattr(IMAPClient, "folder_exists", lambda self, name: name not in missing and there(self, name))
    wrong = patient.wrong(wait=0)
    assert wrong["mailbox: folders"] == (
        f"{told}. Create it in a mail program, or name another one in [mailbox] folder, processed, shunted."
    )


@pytest.mark.parametrize(("lacking", "told"), [
    ({"IDLE"}, "the server has no IDLE: Mentat checks the mailbox every 15 seconds, because the "
     "server announces no mail"),
    ({"MOVE"}, "the server has no MOVE: messages are copied to their folder and then marked as deleted in the inbox, "
     "instead of being moved"),
    ({"MOVE", "UIDPLUS"}, "the server has no MOVE and no UIDPLUS: messages are copied to their folder and then marked "
     "as deleted in the inbox, instead of being moved; messages marked as deleted stay in the inbox until you remove "
     "them with a mail program: Mentat does not, because it would also remove messages that others have marked"),
    ({"UIDPLUS"}, ""),
])  # fmt: skip
def test_what_a_mailbox_cannot_do_is_told_with_what_is_done_instead(
    patient: Patient, servers: LocalMail, monkeypatch: pytest.MonkeyPatch, lacking: set[str], told: str
) -> None:
    patient.mailbox["poll_seconds"] = 15
    can = IMAPClient.has_capability
    monkeypatch.setattr(IMAPClient, "has_capability", lambda self, name: name not in lacking and can(self, name))
    found = patient.examined()
    abilities = found["mailbox: abilities"]
    assert (abilities.state, abilities.told) == (
        ("note", told) if told else ("well", "the server supports everything that Mentat can use")
    )
    assert abilities.facts["capabilities"] == {name: name not in lacking for name in ("IDLE", "MOVE", "UIDPLUS")}
    assert found["a mail to itself"].state == "well"
    assert len(servers.inbox(patient.address)) == (2 if "UIDPLUS" in lacking else 0), "deleted, but not removed"


def test_a_mailbox_with_starttls_has_its_certificate_looked_at(
    patient: Patient, servers: LocalMail, tmp_path: Path
) -> None:
    if reason := why_not_here():
        pytest.skip(reason)
    authority = Authority(tmp_path)
    users = {patient.address: PASSWORD}
    with Front(servers.imap_port, authority.server_context("127.0.0.1"), starttls=True, users=users) as front:
        patient.mailbox |= {"port": front.port, "security": "starttls", "ca_file": str(authority.ca_file)}
        found = patient.examined(wait=0)
    assert found["mailbox: TLS"].state == "well"
    assert found["mailbox: TLS"].facts["days"] in (29, 30)
    assert found["mailbox: login"].told == f"{patient.address} can log in"


def test_a_password_in_the_clear_is_noted_where_others_are_on_the_way(
    patient: Patient, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert "mailbox: TLS" not in patient.examined(wait=0)
    real = socket.getaddrinfo

    def elsewhere(host: str, *asked: Any, **named: Any) -> Any:
        return [*real(host, *asked, **named), (socket.AF_INET, socket.SOCK_STREAM, 6, "", ("192.0.2.1", 993))]

    monkeypatch.setattr("bot.service.doctor_servers.socket.getaddrinfo", elsewhere)
    found = patient.examined(wait=0)["mailbox: TLS"]
    assert (found.state, found.advice) == ("note", 'Set [mailbox] security to "tls".')
    assert found.told == 'with security = "none" the password is sent to 127.0.0.1 unencrypted'


# --- results of a mail to itself -----------------------------------------------------------------------------------


def delivered(servers: LocalMail, monkeypatch: pytest.MonkeyPatch, change: Callable[[str, bytes], bytes]) -> None:
    """Make the provider deliver the result of ``change`` for each recipient and mail."""
    append = servers._append

    async def changed(address: str, raw: bytes) -> None:
        to = raw.partition(b"\nTo: ")[2].partition(b"\n")[0].decode()
        await append(address, change(to, raw))

    monkeypatch.setattr(servers, "_append", changed)


def returned(raw: bytes) -> bytes:
    return b"From: mailer-daemon@arrakis.example\r\nSubject: undeliverable\r\n\r\n" + raw


def test_mails_that_come_back_are_told_at_once(
    patient: Patient, servers: LocalMail, monkeypatch: pytest.MonkeyPatch
) -> None:
    delivered(servers, monkeypatch, lambda to, raw: returned(raw))
    begun = time.monotonic()
    told = patient.wrong(wait=15)
    assert time.monotonic() - begun < 15, "nothing more is waited for"
    assert list(told) == ["a mail to itself"]
    assert told["a mail to itself"].startswith(f"a mail to {patient.address} came back as undeliverable. Check that ")


@pytest.mark.parametrize("on", [True, False])
def test_a_mail_to_a_plus_address_that_comes_back_or_lost_its_token_tells_that_there_are_none(
    patient: Patient, servers: LocalMail, monkeypatch: pytest.MonkeyPatch, on: bool
) -> None:
    patient.mentat["plus_addressing"] = on
    state = "wrong" if on else "well"
    delivered(servers, monkeypatch, lambda to, raw: returned(raw) if "+" in to else raw)
    found = patient.examined(wait=15)["plus addressing"]
    assert (found.state, found.facts) == (state, {"works": False, "seconds": None})
    if on:
        assert found.told.endswith("@arrakis.example came back")
        assert "+" in found.told
    else:
        assert found.told == "it does not work, and is not used"


def test_a_plus_address_without_its_token_is_of_no_use(
    patient: Patient, servers: LocalMail, monkeypatch: pytest.MonkeyPatch
) -> None:
    own = patient.address.encode()
    delivered(servers, monkeypatch, lambda to, raw: raw.replace(to.encode(), own))
    found = patient.examined()["plus addressing"]
    assert found.state == "wrong"
    assert found.told == "mail to the address with a token arrives, but the token in it is lost"
    assert not found.facts["works"]
    assert found.facts["seconds"] is not None


def test_plus_addresses_that_work_and_are_switched_off_are_recommended(patient: Patient) -> None:
    patient.mentat["plus_addressing"] = False
    found = patient.examined()["plus addressing"]
    assert (found.state, found.told) == ("note", "it works, but is switched off")
    assert found.advice.startswith("You may set [mentat] plus_addressing = true")


def test_a_server_that_names_mails_anew_is_noted(
    patient: Patient, servers: LocalMail, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert "Message-ID" not in patient.examined()
    delivered(servers, monkeypatch, lambda to, raw: raw.replace(b"Message-ID: <doctor.", b"Message-ID: <its.own."))
    found = patient.examined()["Message-ID"]
    assert (found.state, found.told) == (
        "note", "the server changes Message-IDs: programs may show a game in several threads"
    )  # fmt: skip


@pytest.mark.parametrize(("apart", "state"), [(120, "well"), (-120, "well"), (121, "wrong"), (-121, "wrong")])
def test_clocks_may_be_two_minutes_apart(
    patient: Patient, monkeypatch: pytest.MonkeyPatch, apart: int, state: str
) -> None:
    now = utc_now()
    monkeypatch.setattr(round_trip, "utc_now", lambda: now)
    seen_in_a_mailbox(monkeypatch, lambda seen: replace(seen, came=now + timedelta(seconds=apart)))
    found = patient.examined()["clock"]
    assert found.state == state
    assert found.told == (
        "this machine and the mail server agree on the time"
        if state == "well"
        else "the clocks of this machine and of the mail server are 121 seconds apart"
    )


def seen_in_a_mailbox(monkeypatch: pytest.MonkeyPatch, change: Callable[[NewMessage], NewMessage]) -> None:
    """Let the doctor see the result of ``change`` for each mail in the mailbox."""

    class Changed:
        def __init__(self, inbox: Inbox) -> None:
            self.look = lambda: [change(seen) for seen in inbox.look()]
            self.remove, self.close = inbox.remove, inbox.close

    monkeypatch.setattr(round_trip, "open_inbox", lambda settings: Changed(open_inbox(settings)))


def test_a_provider_that_takes_mentat_for_spam_is_told(patient: Patient, monkeypatch: pytest.MonkeyPatch) -> None:
    seen_in_a_mailbox(monkeypatch, lambda seen: replace(seen, folder="spam"))
    assert patient.wrong() == {
        "spam": "the provider treats Mentat's own mail as spam. Tell the mailbox that it is not spam, with a "
        "rule or its “not spam” button."
    }


# --- the machine ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("after", "right"), [(timedelta(0), True), (timedelta(minutes=-1), False)])
def test_a_clock_of_before_mentat_was_is_wrong(
    patient: Patient, monkeypatch: pytest.MonkeyPatch, after: timedelta, right: bool
) -> None:
    monkeypatch.setattr(doctor, "utc_now", lambda: datetime(2025, 1, 1, tzinfo=UTC) + after)
    told = patient.wrong(wait=0).get("clock", "")
    assert told == ("" if right else (
        "this machine believes that it is 31 December 2024. Set the clock, and have the machine synchronise it (NTP)."
    ))  # fmt: skip


@pytest.mark.parametrize("may", [True, False])
def test_where_there_is_no_database_yet_it_must_be_possible_to_make_it(
    patient: Patient, monkeypatch: pytest.MonkeyPatch, may: bool
) -> None:
    place = patient.folder / "mentat.db"
    asked = os.access
    monkeypatch.setattr(os, "access", lambda path, mode: may if Path(path) == patient.folder else asked(path, mode))
    found = patient.examined(wait=0)["database"]
    assert (found.state, found.told) == (
        ("note", f"there is no {place} yet")
        if may
        else ("wrong", f"{place} cannot be created: {patient.folder} cannot be written")
    )
    assert not place.exists()


def test_a_damaged_database_is_told_and_judged_no_further(patient: Patient, monkeypatch: pytest.MonkeyPatch) -> None:
    place = patient.folder / "mentat.db"
    open_database(place).dispose()
    monkeypatch.setattr("bot.store.backends.Sqlite.damage", lambda self, conn: "row 3 missing from index x")
    found = patient.examined(wait=0)
    assert found["database"].state == "wrong"
    assert found["database"].told == f"{place} is damaged (row 3 missing from index x)"
    assert found["database"].advice == "Restore a backup."
    assert "service" not in found


def test_a_service_at_work_is_told_with_what_is_late_in_it(patient: Patient) -> None:
    engine = open_database(patient.folder / "mentat.db")
    letter = mail.Letter("<1@arrakis.example>", "a@arrakis.example", "b@players.example", "Turn 3", b"\r\n")
    with writing(engine) as conn:
        installation.beat(conn, "loop", utc_now())
    found = patient.examined(wait=0)
    assert (found["service"].state, found["service"].told) == ("well", "`mentat run` is running; it is not disturbed")
    assert "outbox" not in found
    with writing(engine) as conn:
        mail.post(conn, [letter], utc_now() - timedelta(hours=3))
    engine.dispose()
    assert patient.examined(wait=0)["outbox"].state == "wrong"


class Nowhere(ZoneInfo):
    """A time zone without daylight saving time, whatever its name."""

    def utcoffset(self, dt: datetime | None) -> timedelta:
        return timedelta(hours=1)


def unknown(name: str) -> ZoneInfo:
    raise ZoneInfoNotFoundError(name)


@pytest.mark.parametrize("zone", [Nowhere, unknown])
def test_time_zones_without_summer_time_are_wrong(
    patient: Patient, monkeypatch: pytest.MonkeyPatch, zone: object
) -> None:
    assert patient.examined(wait=0)["time zones"].state == "well"
    monkeypatch.setattr(doctor, "ZoneInfo", zone)
    assert patient.wrong(wait=0)["time zones"] == (
        "the time zones of this machine are missing or wrong: Europe/Berlin has no summer time. Reinstall the package "
        "tzdata."
    )


# --- other kinds of mail servers -----------------------------------------------------------------------------------


def test_a_maildir_that_the_mail_server_delivers_to(
    patient: Patient, servers: LocalMail, monkeypatch: pytest.MonkeyPatch
) -> None:
    maildir = patient.folder / "Maildir"
    (maildir / "new").mkdir(parents=True)
    patient.mailbox = {"kind": "maildir", "maildir": str(maildir)}

    async def into_the_folder(address: str, raw: bytes) -> None:
        (maildir / "new" / f"{next(_numbers)}.mail").write_bytes(raw)

    monkeypatch.setattr(servers, "_append", into_the_folder)
    found = patient.examined()
    assert [f.about for f in found.values() if f.state == "wrong"] == []
    assert found["plus addressing"].facts["works"]
    assert list((maildir / "new").iterdir()) == []


def test_a_maildir_that_is_a_file_is_wrong_and_one_that_is_not_there_too(patient: Patient) -> None:
    maildir = patient.folder / "Maildir"
    patient.mailbox = {"kind": "maildir", "maildir": str(maildir)}
    found = patient.examined(wait=0)["mailbox"]
    assert (found.state, found.told) == ("wrong", f"there is no {maildir}")
    maildir.write_text("")
    found = patient.examined(wait=0)["mailbox"]
    assert (found.state, found.told) == ("wrong", f"{maildir} is not a folder")
    assert found.advice == "Check [mailbox] maildir."


@pytest.mark.parametrize("denied", [os.R_OK, os.W_OK, os.X_OK])
def test_a_maildir_that_mentat_may_not_read_write_or_enter_is_named(
    patient: Patient, monkeypatch: pytest.MonkeyPatch, denied: int
) -> None:
    maildir = patient.folder / "Maildir"
    maildir.mkdir()
    patient.mailbox = {"kind": "maildir", "maildir": str(maildir)}
    asked = os.access
    monkeypatch.setattr(  # root may write anywhere, whatever the folder's mode
        os, "access", lambda place, mode: not mode & denied if Path(place) == maildir else asked(place, mode)
    )
    assert "cannot be read and written" in patient.wrong()["mailbox"]


def test_a_folder_for_letters_gets_no_test_mail(patient: Patient) -> None:
    patient.smtp = {"kind": "directory"}
    (patient.folder / "outgoing").mkdir()
    found = patient.examined()
    assert found["smtp"].state == "note"
    assert [about for about in found if about.startswith("smtp")] == ["smtp"]
    assert found["a mail to itself"].state == "skipped"
    assert list((patient.folder / "outgoing").iterdir()) == []


def test_a_folder_for_letters_that_is_a_file_is_wrong(patient: Patient) -> None:
    (patient.folder / "outgoing").write_text("")
    patient.smtp = {"kind": "directory", "directory": "outgoing"}
    assert "no letters can be written into" in patient.wrong()["smtp"]
    assert "Check [smtp] directory" in patient.wrong()["smtp"]


def test_a_folder_for_letters_in_which_they_lie_already_stays_what_it_is(patient: Patient) -> None:
    (patient.folder / "outgoing").mkdir()
    patient.smtp = {"kind": "directory", "directory": "outgoing"}
    assert patient.examined()["smtp"].state == "note"


def test_the_command_answers_in_words_and_in_json(patient: Patient) -> None:
    run = CliRunner().invoke
    well = run(app, ["doctor", "--config", str(patient.config), "--wait", "5"])
    assert well.exit_code == 0
    assert "All is well." in well.output
    patient.mailbox["port"] = free_port()
    ill = run(app, ["doctor", "--config", str(patient.config), "--json"])
    assert ill.exit_code == 1
    told = json.loads(ill.stdout)
    assert not told["well"]
    assert [f["state"] for f in told["findings"] if f["about"] == "mailbox: connection"] == ["wrong"]
