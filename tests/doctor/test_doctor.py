"""`mentat doctor`: what is well is said, what is wrong is named with its cure, and a service at work is left alone."""

from __future__ import annotations

import itertools
import json
import os
import socket
import sqlite3
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from imapclient import IMAPClient
from typer.testing import CliRunner

from bot.cli import app
from bot.config import load_settings
from bot.doctor import examine, round_trip
from bot.doctor.inbox import Inbox, Seen, open_inbox
from bot.mail.servers.localserver import LocalMail
from bot.moderator.moderator import Moderator
from bot.monitoring.finding import Finding
from bot.service import loop
from bot.service.mail_servers import open_mailbox
from bot.service.system_clock import utc_now
from bot.store.database import open_database
from bot.store.only_one import only_one
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
    """A Mentat in a folder. `mailbox`, `smtp` and `mentat` are its settings, as they stand in the file."""

    folder: Path
    address: str
    mailbox: dict[str, Any]
    smtp: dict[str, Any]
    mentat: dict[str, Any] = field(default_factory=dict)
    password: str = PASSWORD

    @property
    def config(self) -> Path:
        """The file of the settings, written anew."""
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
        """What the doctor finds, by what it is about; where there are several, the worst."""
        found: dict[str, Finding] = {}
        for finding in examine(self.config, wait):
            if finding.about not in found or found[finding.about].state != "wrong":
                found[finding.about] = finding
        return found

    def wrong(self, wait: float = 5) -> dict[str, str]:
        """What is wrong, with the advice."""
        return {f.about: f"{f.told}. {f.advice}" for f in self.examined(wait).values() if f.state == "wrong"}


@pytest.fixture
def patient(servers: LocalMail, tmp_path: Path) -> Patient:
    """A Mentat with whom all is well."""
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
    letters = (round_trip._plain_letter(settings), round_trip._plus_letter(settings))
    assert round_trip._send(settings, letters) == ""
    moderator = Moderator(settings, open_database(settings.database_place))
    mailbox = open_mailbox(settings)
    assert loop.poll(moderator, mailbox) == loop.Polled(messages=2, shunted=0)
    mailbox.close()
    moderator.engine.dispose()
    assert len(servers.inbox(patient.address, "Mentat/Processed")) == 2


# --- what may be wrong ---------------------------------------------------------------------------------------------


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
    assert (login.state, login.told) == ("well", "the server takes mail without a login")


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
    assert "no machine of the name smtp.arakis.example is known. Check [smtp] host" in wrong["smtp: name"]


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
    """A Dovecot for the patient, whose mailbox is nearly full."""
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
    """The users of a server that takes mail to every plus address, and loses it."""

    def __contains__(self, address: object) -> bool:
        return "+" in str(address) or super().__contains__(address)


def without_plus(servers: LocalMail, monkeypatch: pytest.MonkeyPatch, *, refused: bool) -> None:
    """The provider knows no plus addresses: it refuses them, or lets mail to them vanish."""
    append, known = servers._append, dict(servers._users)
    monkeypatch.setattr("bot.mail.servers.localserver._plain", lambda address: address.strip().lower())

    async def known_only(address: str, raw: bytes) -> None:
        if address in known:
            await append(address, raw)

    monkeypatch.setattr(servers, "_append", known_only)
    if not refused:
        monkeypatch.setattr(servers, "_users", AnyPlusAddress(known))


@pytest.mark.parametrize(("refused", "words"), [(True, "the server refuses"), (False, "did not come in 0.5 seconds")])
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
    patient.address = f"other.{patient.address}"  # another mailbox than the one that is read
    wrong = patient.wrong(wait=0.3)
    assert list(wrong) == ["a mail to itself"]
    assert "did not come to the mailbox in 0.3 seconds" in wrong["a mail to itself"]
    assert f"Check that {patient.address} is the address of this mailbox" in wrong["a mail to itself"]


def test_mail_that_takes_a_while_is_waited_for(patient: Patient, monkeypatch: pytest.MonkeyPatch) -> None:
    class Slow:
        """An inbox in which nothing lies at the first look."""

        def __init__(self, inbox: Inbox) -> None:
            self.remove, self.close = inbox.remove, inbox.close
            self._inbox, self._looks = inbox, 0

        def look(self) -> list[Seen]:
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
    assert "takes for the future. Set the clock" in patient.wrong(wait=0)["clock"]


def test_a_full_disk(patient: Patient, monkeypatch: pytest.MonkeyPatch) -> None:
    usage = type("Usage", (), {"free": 1_000_000})
    monkeypatch.setattr("bot.monitoring.checks.shutil.disk_usage", lambda folder: usage)
    assert "1 MB are free" in patient.wrong(wait=0)["disk"]


# --- other kinds ---------------------------------------------------------------------------------------------------


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


@pytest.mark.parametrize("denied", [os.R_OK, os.W_OK, os.X_OK])
def test_a_maildir_that_mentat_may_not_read_write_or_enter_is_named(
    patient: Patient, monkeypatch: pytest.MonkeyPatch, denied: int
) -> None:
    maildir = patient.folder / "Maildir"
    maildir.mkdir()
    patient.mailbox = {"kind": "maildir", "maildir": str(maildir)}
    asked = os.access
    monkeypatch.setattr(  # the superuser may do everything, whatever the folder's mode says
        os, "access", lambda place, mode: not mode & denied if Path(place) == maildir else asked(place, mode)
    )
    assert "cannot be read and written" in patient.wrong()["mailbox"]


def test_a_folder_for_letters_gets_no_test_mail(patient: Patient) -> None:
    patient.smtp = {"kind": "directory"}
    found = patient.examined()
    assert found["smtp"].state == "note"
    assert [about for about in found if about.startswith("smtp")] == ["smtp"]
    assert found["a mail to itself"].state == "skipped"
    assert not (patient.folder / "outgoing").exists()


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
