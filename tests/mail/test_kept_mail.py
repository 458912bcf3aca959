"""Mail that was dealt with is read again from the folders into which it was moved, in the order of its arrival."""

from __future__ import annotations

import os
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from imapclient import IMAPClient

from bot.mail.servers.imap import ImapMailbox, ImapServer
from bot.mail.servers.kept import ImapKeptMail, MaildirKeptMail, written_since
from bot.mail.servers.localserver import LocalMail
from bot.mail.servers.maildir import MaildirMailbox, MaildirPlace

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
    assert not {message.key for message in found} & set(keys)  # no message is taken for one of the inbox
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
