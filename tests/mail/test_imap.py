"""The IMAP mailbox against an embedded server and against a real Dovecot."""

from __future__ import annotations

import dataclasses
import socket
import threading
import time
from typing import Any

import pytest
from imapclient import IMAPClient

from bot.lab.local_mail import LocalMail
from bot.mail.imap import ImapMailbox, ImapServer
from bot.mail.mailbox import MailboxUnavailable
from tests.mail.conftest import Place


def mail(number: int, size: int = 0) -> bytes:
    return b"From: baron@example.org\r\nSubject: %d\r\n\r\nbid %d\r\n" % (number, number) + b"x\r\n" * (size // 3)


def folder(server: ImapServer, name: str) -> list[bytes]:
    """Return the messages in a folder as another client sees them; `name` is written with slashes."""
    with IMAPClient(server.host, server.port, ssl=False) as client:
        client.login(server.user, server.password)
        delimiter = client.list_folders()[0][1].decode()
        client.select_folder(name.replace("/", delimiter))
        found: dict[int, Any] = client.fetch(client.search(), ["BODY.PEEK[]", "FLAGS"])
        return [found[uid][b"BODY[]"] for uid in sorted(found) if b"\\Deleted" not in found[uid][b"FLAGS"]]


def subjects(bodies: list[bytes]) -> list[int]:
    return [int(body.split(b"Subject: ")[1].split(b"\r\n")[0]) for body in bodies]


def test_mail_is_fetched_in_order_and_moved_when_done(imap: Place) -> None:
    for number in range(1, 8):
        imap.deliver(mail(number))
    with ImapMailbox(imap.server) as mailbox:
        fetched = list(mailbox.fetch_new())
        assert subjects([one.raw or b"" for one in fetched]) == [1, 2, 3, 4, 5, 6, 7]
        assert all(one.size == len(one.raw or b"") for one in fetched)
        for one in fetched[:5]:
            mailbox.done(one.key)
        mailbox.shunt(fetched[5].key, "nobody knows what it wants")
        assert subjects([one.raw or b"" for one in mailbox.fetch_new()]) == [7]
    assert subjects(folder(imap.server, "Mentat/Processed")) == [1, 2, 3, 4, 5]
    assert subjects(folder(imap.server, "Mentat/Shunted")) == [6]


def test_mail_may_be_moved_while_it_is_fetched(imap: Place) -> None:
    for number in range(1, 121):
        imap.deliver(mail(number))
    with ImapMailbox(imap.server) as mailbox:
        seen = []
        for one in mailbox.fetch_new():
            seen.append(one.raw or b"")
            mailbox.done(one.key)
        assert subjects(seen) == list(range(1, 121))
        assert list(mailbox.fetch_new()) == []


def test_a_process_that_dies_before_the_move_sees_the_mail_again_under_the_same_key(imap: Place) -> None:
    imap.deliver(mail(1))
    first = ImapMailbox(imap.server)
    key = next(first.fetch_new()).key
    first._drop()  # without a logout, as after kill -9
    with ImapMailbox(imap.server) as second:
        again = list(second.fetch_new())
        assert [one.key for one in again] == [key]
        second.done(key)
        second.done(key)
        assert list(second.fetch_new()) == []
    assert len(folder(imap.server, "Mentat/Processed")) == 1


def test_reading_leaves_mail_unseen(imap: Place) -> None:
    imap.deliver(mail(1))
    with ImapMailbox(imap.server) as mailbox:
        list(mailbox.fetch_new())
    with IMAPClient(imap.server.host, imap.server.port, ssl=False) as client:
        client.login(imap.server.user, imap.server.password)
        client.select_folder("INBOX", readonly=True)
        assert len(client.search(["UNSEEN"])) == 1


def test_of_mail_that_is_too_large_only_the_head_is_read(imap: Place) -> None:
    imap.deliver(mail(1, size=30_000))
    imap.deliver(mail(2))
    with ImapMailbox(dataclasses.replace(imap.server, max_bytes=10_000)) as mailbox:
        large, small = list(mailbox.fetch_new())
        assert large.raw is None
        assert large.size >= 30_000
        assert b"From: baron@example.org" in large.head
        assert b"bid 1" not in large.head
        assert small.raw is not None
        mailbox.shunt(large.key, "too large")
    assert len(folder(imap.server, "Mentat/Shunted")) == 1


def test_a_key_of_another_uidvalidity_moves_nothing(imap: Place) -> None:
    imap.deliver(mail(1))
    with ImapMailbox(imap.server) as mailbox:
        name, validity, uid = next(mailbox.fetch_new()).key.split(";")
        mailbox.done(f"{name};{int(validity) + 1};{uid}")
        mailbox.done("some other mailbox")
        assert len(list(mailbox.fetch_new())) == 1


@pytest.mark.parametrize("missing", [{"MOVE"}, {"MOVE", "UIDPLUS"}])
def test_without_the_extensions_mail_is_copied_and_flagged(
    imap: Place, missing: set[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    has = IMAPClient.has_capability
    monkeypatch.setattr(IMAPClient, "has_capability", lambda self, name: name not in missing and has(self, name))
    imap.deliver(mail(1))
    imap.deliver(mail(2))
    with ImapMailbox(imap.server) as mailbox:
        mailbox.done(next(mailbox.fetch_new()).key)
        assert subjects([one.raw or b"" for one in mailbox.fetch_new()]) == [2]
    assert subjects(folder(imap.server, "Mentat/Processed")) == [1]
    assert subjects(folder(imap.server, "INBOX")) == [2]


def test_a_broken_connection_is_opened_again(imap: Place) -> None:
    imap.deliver(mail(1))
    with ImapMailbox(imap.server) as mailbox:
        key = next(mailbox.fetch_new()).key
        mailbox._client.socket().shutdown(socket.SHUT_RDWR)
        mailbox.done(key)
        mailbox._client.socket().shutdown(socket.SHUT_RDWR)
        assert list(mailbox.fetch_new()) == []
    assert len(folder(imap.server, "Mentat/Processed")) == 1


def test_waiting_ends_at_once_for_mail_that_came_since_the_last_look(imap: Place) -> None:
    with ImapMailbox(imap.server) as mailbox:
        list(mailbox.fetch_new())
        imap.deliver(mail(1))
        assert mailbox.wait(30)
        assert len(list(mailbox.fetch_new())) == 1
        assert not mailbox.wait(0.05), "mail that was looked at and left is nothing new"


@pytest.mark.parametrize("idle", [True, False])
def test_closing_ends_a_wait_of_another_thread(imap: Place, idle: bool) -> None:
    mailbox = ImapMailbox(dataclasses.replace(imap.server, idle=idle))
    list(mailbox.fetch_new())
    answers: list[bool] = []
    waiting = threading.Thread(target=lambda: answers.append(mailbox.wait(60)))
    waiting.start()
    started = time.monotonic()
    mailbox.close()
    waiting.join(timeout=30)
    assert answers == [False]
    assert time.monotonic() - started < 30


def test_idle_hears_of_mail_that_comes_while_waiting(imap: Place) -> None:
    with ImapMailbox(imap.server) as mailbox:
        list(mailbox.fetch_new())
        threading.Thread(target=imap.deliver, args=(mail(1),)).start()
        assert mailbox.wait(30)


def test_wrong_passwords_and_closed_ports_are_told_in_one_sentence_without_the_password(local_mail: LocalMail) -> None:
    local_mail.add_user("locked@arrakis.example", "right")
    wrong = ImapServer(local_mail.host, local_mail.imap_port, "locked@arrakis.example", "wr0ng-secret", security="none")
    with pytest.raises(MailboxUnavailable) as refused:
        list(ImapMailbox(wrong).fetch_new())
    text = str(refused.value)
    assert f"127.0.0.1:{local_mail.imap_port}" in text
    assert "MENTAT_IMAP_PASSWORD" in text
    assert "wr0ng-secret" not in text + repr(wrong) + repr(refused.value.__cause__)

    with socket.create_server(("127.0.0.1", 0)) as reserved:
        closed = reserved.getsockname()[1]
    with pytest.raises(
        MailboxUnavailable, match=rf"no IMAP connection to 127\.0\.0\.1:{closed} .*check \[mailbox\] host"
    ):
        list(ImapMailbox(dataclasses.replace(wrong, port=closed)).fetch_new())


def test_a_server_without_tls_is_named_when_tls_is_asked_for(local_mail: LocalMail) -> None:
    server = ImapServer(local_mail.host, local_mail.imap_port, "x@arrakis.example", "secret", timeout=3)
    with pytest.raises(MailboxUnavailable, match="check \\[mailbox\\] host, port and security"):
        list(ImapMailbox(server).fetch_new())
    with pytest.raises(MailboxUnavailable, match="check \\[mailbox\\] security"):
        list(ImapMailbox(dataclasses.replace(server, security="starttls")).fetch_new())


@pytest.mark.parametrize("moment", ["idle", "noop", "search"])
def test_mail_that_comes_just_before_the_wait_begins_is_heard_of_at_once(
    imap: Place, monkeypatch: pytest.MonkeyPatch, moment: str
) -> None:
    original = getattr(IMAPClient, moment)

    def after_a_delivery(client: IMAPClient, *given: Any) -> Any:
        monkeypatch.undo()
        imap.deliver(mail(1))
        return original(client, *given)

    with ImapMailbox(imap.server) as mailbox:
        list(mailbox.fetch_new())
        monkeypatch.setattr(IMAPClient, moment, after_a_delivery)
        began = time.monotonic()
        assert mailbox.wait(10)
        assert time.monotonic() - began < 5


def test_a_wait_for_nothing_lasts_as_long_as_it_should(imap: Place) -> None:
    imap.deliver(mail(1))
    with ImapMailbox(imap.server) as mailbox:
        list(mailbox.fetch_new())
        for _ in range(2):
            began = time.monotonic()
            assert not mailbox.wait(0.8)
            assert time.monotonic() - began > 0.7
            list(mailbox.fetch_new())
