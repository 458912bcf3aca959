"""Processed mail can be read again from the folders it was moved to, in order of arrival."""

from __future__ import annotations

import errno
import imaplib
import os
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from imapclient import IMAPClient

from bot.lab.local_mail import LocalMail
from bot.mail.imap import ImapMailbox, ImapServer
from bot.mail.kept_mail import ImapKeptMail, MaildirKeptMail, written_since
from bot.mail.mailbox import MailboxUnavailable, MaildirMailbox, MaildirPlace, make_maildir

BOT = "mentat@arrakis.example"
LONG_AGO = datetime(2020, 1, 1, tzinfo=UTC)


def mail(number: int, size: int = 0) -> bytes:
    return b"From: a@b.example\r\nMessage-ID: <%d@b.example>\r\nSubject: x\r\n\r\n%s\r\n" % (number, b"y" * size)


@pytest.fixture(scope="module")
def servers() -> Iterator[LocalMail]:
    with LocalMail({BOT: "spice"}) as started:
        yield started


def test_an_imap_server_hands_out_what_was_processed_and_shunted(servers: LocalMail) -> None:
    server = ImapServer(servers.host, servers.imap_port, BOT, "spice", "none", max_bytes=5000)
    for number in range(4):
        servers.deliver(BOT, mail(number, 9000 if number == 2 else 10))
    with ImapMailbox(server) as mailbox:
        keys = [fetched.key for fetched in mailbox.fetch_new()]
        for number, key in enumerate(keys):
            if number == 1:
                mailbox.shunt(key, "strange")
            else:
                mailbox.done(key)
    kept = ImapKeptMail(server)
    found = list(kept.since(LONG_AGO))
    assert sorted((message.put, message.raw is None) for message in found) == [
        ("processed", False), ("processed", False), ("processed", True), ("shunted", False),
    ]  # fmt: skip
    assert all(abs(message.arrived - datetime.now(UTC)) < timedelta(minutes=5) for message in found)
    assert not {message.key for message in found} & set(keys)  # no message is mistaken for one in the inbox
    large = next(message for message in found if message.raw is None)
    assert (large.head, large.size > 9000) == (mail(2)[:-2], True)
    assert list(kept.since(datetime.now(UTC) + timedelta(hours=1))) == []
    assert [message.raw for message in kept.newest(1)] == [mail(3, 10), mail(1, 10)]
    assert len(list(kept.since(LONG_AGO))) == 4  # nothing was moved


def test_an_imap_server_that_keeps_what_was_sent_tells_it(servers: LocalMail) -> None:
    servers.add_user("sender@arrakis.example", "spice")
    server = ImapServer(servers.host, servers.imap_port, "sender@arrakis.example", "spice", "none")
    assert ImapKeptMail(server).sent_since(LONG_AGO) == {}
    with IMAPClient(servers.host, servers.imap_port, ssl=False) as client:
        client.login("sender@arrakis.example", "spice")
        if not client.folder_exists("Sent"):
            client.create_folder("Sent")
        client.append("Sent", mail(7), msg_time=datetime.now(UTC))
    found = ImapKeptMail(server).sent_since(LONG_AGO)
    assert [(identity, copy.subject) for identity, copy in found.items()] == [("7@b.example", "x")]


def test_a_maildir_hands_out_what_was_dealt_with_at_the_second_of_its_name(tmp_path: Path) -> None:
    place = MaildirPlace(tmp_path / "Maildir", max_bytes=5000)
    make_maildir(place.path)
    box = MaildirMailbox(place)
    assert list(box.fetch_new()) == []
    for number, second in enumerate((1_700_000_300, 1_700_000_100, 1_700_000_200)):
        (place.path / "new" / f"{second}.M{number}.host").write_bytes(mail(number))
    for fetched in list(box.fetch_new()):
        if fetched.key.startswith("1700000100"):
            box.shunt(fetched.key, "strange")
        else:
            box.done(fetched.key)
    kept = MaildirKeptMail(place)
    found = [(message.put, int(message.arrived.timestamp()), message.raw) for message in kept.since(LONG_AGO)]
    assert found == [
        ("shunted", 1_700_000_100, mail(1)), ("processed", 1_700_000_200, mail(2)),
        ("processed", 1_700_000_300, mail(0)),
    ]  # fmt: skip
    later = datetime.fromtimestamp(1_700_000_200, UTC)
    assert [message.key for message in kept.since(later)] == ["1700000200.M2.host", "1700000300.M0.host"]
    assert [message.raw for message in kept.newest(1)] == [mail(0), mail(1)]
    assert kept.sent_since(LONG_AGO) == {}


@pytest.mark.parametrize(("most", "whole"), [(-1, False), (0, True)])
def test_a_mail_of_a_maildir_that_is_larger_than_is_read_is_kept_by_its_head(
    tmp_path: Path, most: int, whole: bool
) -> None:
    place = MaildirPlace(tmp_path / "Maildir", max_bytes=len(mail(1, 300)) + most)
    make_maildir(place.path)
    assert list(MaildirMailbox(place).fetch_new()) == []
    (place.path / "new" / "1700000100.M1.host").write_bytes(mail(1, 300))
    [found] = MaildirKeptMail(place).since(LONG_AGO)
    assert (found.raw, found.size) == (mail(1, 300) if whole else None, len(mail(1, 300)))
    assert (found.head == b"") == whole


def test_letters_written_into_a_folder_are_known_by_their_message_id(tmp_path: Path) -> None:
    (tmp_path / "7.eml").write_bytes(mail(7))
    os.utime(tmp_path / "7.eml", (1_700_000_000, 1_700_000_000))
    (tmp_path / "none.eml").write_bytes(b"no header at all")
    known = written_since(tmp_path, LONG_AGO)
    assert {identity: (copy.at.timestamp(), copy.subject) for identity, copy in known.items()} == {
        "7@b.example": (1_700_000_000, "x")
    }
    assert written_since(tmp_path, datetime.fromtimestamp(1_700_000_001, UTC)) == {}


def test_a_letter_that_was_written_at_that_very_moment_is_known(tmp_path: Path) -> None:
    (tmp_path / "7.eml").write_bytes(mail(7))
    os.utime(tmp_path / "7.eml", (1_700_000_000, 1_700_000_000))
    assert [*written_since(tmp_path, datetime.fromtimestamp(1_700_000_000, UTC))] == ["7@b.example"]


def test_a_maildir_that_may_not_be_read_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    place = MaildirPlace(tmp_path / "Maildir")
    make_maildir(place.path)
    assert list(MaildirMailbox(place).fetch_new()) == []

    def forbidden(_: Path) -> Iterator[Path]:
        raise PermissionError(errno.EACCES, "Permission denied")

    monkeypatch.setattr(Path, "iterdir", forbidden)  # the superuser may read everything
    with pytest.raises(MailboxUnavailable, match=r"^the Maildir .*/Maildir cannot be read \(Permission denied\)$"):
        list(MaildirKeptMail(place).since(LONG_AGO))


class Client:
    """A server with five kinds of messages in each folder: at the size limit, above it, two that have vanished, and one
    without an arrival time."""

    at = datetime(2026, 11, 24, 18, tzinfo=UTC)

    def __init__(self, fault: Exception | None = None) -> None:
        self.fault = fault

    def find_special_folder(self, _: bytes) -> str:
        if self.fault:
            raise self.fault
        return "Sent"

    def select_folder(self, folder: str, readonly: bool) -> dict[bytes, int]:
        assert readonly
        return {b"UIDVALIDITY": 7}

    def search(self, _: object) -> list[int]:
        return [1, 2, 3, 4, 5]

    def fetch(self, uids: list[int], what: list[str]) -> dict[int, dict[bytes, object]]:
        if "INTERNALDATE" in what:
            sizes = {1: 100, 2: 101, 3: 100, 4: 101}
            return {uid: {b"INTERNALDATE": self.at, b"RFC822.SIZE": size} for uid, size in sizes.items()} | {5: {}}
        if what == ["BODY.PEEK[]"]:
            assert uids == [1, 3]
            return {1: {b"BODY[]": mail(1)}}
        if what == ["BODY.PEEK[HEADER]"]:
            assert uids == [2, 4]
            return {2: {b"BODY[HEADER]": mail(2)}}
        return {1: {b"BODY[HEADER.FIELDS (MESSAGE-ID SUBJECT)]": mail(1)}}

    def shutdown(self) -> None: ...


def served(monkeypatch: pytest.MonkeyPatch, client: Client) -> ImapKeptMail:
    def folders(_: object, server: ImapServer) -> dict[str, str]:
        if client.fault:
            raise client.fault
        return {name: name for name in (server.folder, server.processed, server.shunted)}

    monkeypatch.setattr("bot.mail.kept_mail.log_in", lambda _: client)
    monkeypatch.setattr("bot.mail.kept_mail.find_folders", folders)
    return ImapKeptMail(ImapServer("imap.example", 993, BOT, "spice", max_bytes=100))


def test_what_is_gone_meanwhile_is_not_handed_out(monkeypatch: pytest.MonkeyPatch) -> None:
    kept = served(monkeypatch, Client())
    whole, head = (mail(1), 100, b""), (None, 101, mail(2))
    assert [(each.raw, each.size, each.head) for each in kept.newest(9)] == [whole, head] * 2
    second = Client.at + timedelta(milliseconds=900)
    assert [(each.raw, each.size, each.head) for each in kept.since(second)] == [whole, head] * 3
    assert list(kept.since(Client.at + timedelta(seconds=1))) == []
    assert {identity: copy.at for identity, copy in kept.sent_since(second).items()} == {"1@b.example": Client.at}


@pytest.mark.parametrize(
    ("fault", "why"),
    [(imaplib.IMAP4.error("no 'spice'"), "no '***'"), (OSError("connection reset"), "connection reset"),
     (OSError(), "OSError")],
)  # fmt: skip
def test_a_server_that_breaks_while_it_hands_out_is_named(
    monkeypatch: pytest.MonkeyPatch, fault: Exception, why: str
) -> None:
    kept = served(monkeypatch, Client(fault))
    for ask in (lambda: list(kept.since(LONG_AGO)), lambda: kept.newest(1), lambda: kept.sent_since(LONG_AGO)):
        with pytest.raises(MailboxUnavailable) as told:
            ask()
        assert str(told.value).endswith(f" does not return processed mail ({why})")
