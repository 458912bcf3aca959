"""IMAP servers that drop connections, withhold messages or lack extensions."""

from __future__ import annotations

import imaplib
import threading
import time
from collections.abc import Iterator
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest
from imapclient import IMAPClient
from imapclient.exceptions import LoginError

from bot.mail import imap as imap_mailbox
from bot.mail.imap import ImapMailbox, ImapServer, cause, find_folders, said
from bot.mail.mailbox import FetchedMail, MailboxUnavailable
from bot.service import loop
from tests.mail.conftest import Place
from tests.moderator.table import World


def mail(number: int) -> bytes:
    return b"From: baron@example.org\r\nSubject: %d\r\n\r\nbid %d\r\n" % (number, number)


def numbers(fetched: list[FetchedMail]) -> list[int]:
    return [int((one.raw or b"").split(b"Subject: ")[1].split(b"\r\n")[0]) for one in fetched]


class KeepsBack:
    """Makes FETCH omit or refuse one message's body the first `times` times."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, times: int, *, refuses: bool) -> None:
        fetch = IMAPClient.fetch

        def without(client: Any, uids: Any, items: Any, modifiers: Any = None) -> Any:
            found = fetch(client, uids, items, modifiers)
            second = sorted(client.search())[1:2]
            if self.times and "SIZE" not in str(items) and second and second[0] in uids:
                self.times -= not (refuses and len(uids) > 1)
                if refuses:
                    raise imaplib.IMAP4.error("FETCH command error: NO [SERVERBUG] cannot be read")
                del found[second[0]]
            return found

        self.times = times
        monkeypatch.setattr(IMAPClient, "fetch", without)


@pytest.mark.parametrize("refuses", [False, True])
def test_a_later_mail_does_not_overtake_one_that_is_kept_back(
    imap: Place, monkeypatch: pytest.MonkeyPatch, refuses: bool
) -> None:
    for number in (1, 2, 3):
        imap.deliver(mail(number))
    KeepsBack(monkeypatch, 2, refuses=refuses)
    monkeypatch.setattr(imap_mailbox, "_LOOK_PAUSE", 0.01)
    with ImapMailbox(imap.server) as mailbox:
        assert numbers(list(mailbox.fetch_new())) == [1, 2, 3]


def test_a_mail_that_is_never_handed_out_does_not_hold_up_the_others_for_ever(
    imap: Place, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    for number in (1, 2, 3):
        imap.deliver(mail(number))
    kept_back = KeepsBack(monkeypatch, 1000, refuses=True)
    monkeypatch.setattr(imap_mailbox, "_LOOK_PAUSE", 0.01)
    with ImapMailbox(imap.server) as mailbox:
        assert [numbers(list(mailbox.fetch_new())) for _ in range(3)] == [[1, 3]] * 3
        assert caplog.text.count("but does not return it") == 1
        assert not mailbox.wait(0)
        kept_back.times = 0
        assert numbers(list(mailbox.fetch_new())) == [1, 2, 3]


@pytest.mark.parametrize(
    ("error", "told"),
    [
        (TimeoutError(), "no answer in time"),
        (imaplib.IMAP4.abort("socket error: EOF"), "it hangs up"),
        (ConnectionResetError(104, "Connection reset by peer"), "Connection reset by peer"),
        (KeyError("two answers in one place"), "KeyError"),
    ],
)
def test_a_connection_that_breaks_is_opened_once_more_and_then_told(
    imap: Place, monkeypatch: pytest.MonkeyPatch, error: Exception, told: str
) -> None:
    search, breaks = IMAPClient.search, [True, False, True, True]

    def broken(client: Any, criteria: Any) -> Any:
        if breaks.pop(0):
            raise error
        return search(client, criteria)

    imap.deliver(mail(1))
    monkeypatch.setattr(IMAPClient, "search", broken)
    with ImapMailbox(imap.server) as mailbox:
        assert numbers(list(mailbox.fetch_new())) == [1]
        with pytest.raises(MailboxUnavailable, match=rf"broke \({told}\); Mentat will try again$"):
            list(mailbox.fetch_new())
    assert breaks == []


def test_mail_of_a_folder_that_was_made_anew_meanwhile_is_read_under_its_new_keys(
    imap: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    fetch, select, breaks = IMAPClient.fetch, IMAPClient.select_folder, [True]

    def broken(client: Any, uids: Any, items: Any, modifiers: Any = None) -> Any:
        if "SIZE" not in str(items) and breaks:
            breaks.clear()
            raise imaplib.IMAP4.abort("socket error: EOF")
        return fetch(client, uids, items, modifiers)

    def selected(client: Any, *folder: Any, **how: Any) -> Any:
        found = select(client, *folder, **how)
        return found if breaks else {**found, b"UIDVALIDITY": found[b"UIDVALIDITY"] + 1}

    imap.deliver(mail(1))
    with ImapMailbox(imap.server) as mailbox:
        (old,) = mailbox.fetch_new()
    monkeypatch.setattr(IMAPClient, "fetch", broken)
    monkeypatch.setattr(IMAPClient, "select_folder", selected)
    with ImapMailbox(imap.server) as mailbox:
        assert list(mailbox.fetch_new()) == []
        (new,) = mailbox.fetch_new()
    folder, validity, uid = old.key.split(";")
    assert (new.key, new.raw) == (f"{folder};{int(validity) + 1};{uid}", old.raw)


def test_of_a_large_mail_that_was_kept_back_the_head_is_read(imap: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    for raw in (mail(1), mail(2) + b"x" * 900 + b"\r\n" * 15_000, mail(3)):
        imap.deliver(raw)
    KeepsBack(monkeypatch, 1, refuses=False)
    monkeypatch.setattr(imap_mailbox, "_LOOK_PAUSE", 0.01)
    with ImapMailbox(replace(imap.server, max_bytes=10_000)) as mailbox:
        first, second, third = mailbox.fetch_new()
    assert numbers([first, third]) == [1, 3]
    assert second.raw is None
    assert second.size >= 30_000
    assert b"Subject: 2\r\n" in second.head
    assert b"bid 2" not in second.head


def test_a_server_that_wants_no_password_in_the_clear_is_told_as_that(
    imap: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuses(*_: object) -> None:
        raise LoginError("[PRIVACYREQUIRED] Plaintext authentication disallowed")

    monkeypatch.setattr(IMAPClient, "login", refuses)
    with pytest.raises(MailboxUnavailable) as refused, ImapMailbox(imap.server) as mailbox:
        list(mailbox.fetch_new())
    assert "security" in str(refused.value)
    assert "MENTAT_IMAP_PASSWORD" not in str(refused.value)


def test_a_session_that_the_server_ends_while_we_wait_ends_the_wait(
    imap: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    with ImapMailbox(imap.server) as mailbox:
        list(mailbox.fetch_new())
        monkeypatch.setattr(IMAPClient, "idle_check", lambda *_, **__: [(b"BYE", b"See you")])
        began = time.monotonic()
        assert mailbox.wait(10)
        assert time.monotonic() - began < 5


def test_an_idle_that_always_breaks_is_given_up(imap: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    begun: list[int] = []

    def breaks(client: Any) -> None:
        begun.append(1)
        raise imaplib.IMAP4.abort("socket error: EOF")

    monkeypatch.setattr(IMAPClient, "idle", breaks)
    with ImapMailbox(imap.server) as mailbox:
        list(mailbox.fetch_new())
        answers = [mailbox.wait(0.01) for _ in range(10)]
    assert answers == [True] * 3 + [False] * 7
    assert len(begun) == 3


def test_without_uidplus_no_mail_that_others_have_flagged_is_lost(imap: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    has = IMAPClient.has_capability
    missing = {"MOVE", "UIDPLUS"}
    monkeypatch.setattr(IMAPClient, "has_capability", lambda self, name: name not in missing and has(self, name))
    for number in (1, 2):
        imap.deliver(mail(number))
    with IMAPClient(imap.server.host, imap.server.port, ssl=False) as other:
        other.login(imap.server.user, imap.server.password)
        other.select_folder("INBOX")
        others = sorted(other.search())[0]
        other.delete_messages([others])
        with ImapMailbox(imap.server) as mailbox:
            (own,) = mailbox.fetch_new()
            mailbox.done(own.key)
        other.noop()
        assert others in other.search(["DELETED"])


def test_a_folder_that_vanishes_meanwhile_is_made_again(imap: Place) -> None:
    imap.deliver(mail(1))
    with ImapMailbox(imap.server) as mailbox:
        (one,) = mailbox.fetch_new()
        with IMAPClient(imap.server.host, imap.server.port, ssl=False) as other:
            other.login(imap.server.user, imap.server.password)
            other.delete_folder(next(name for _, _, name in other.list_folders() if name.endswith("Processed")))
        mailbox.done(one.key)
        assert list(mailbox.fetch_new()) == []
    with IMAPClient(imap.server.host, imap.server.port, ssl=False) as other:
        other.login(imap.server.user, imap.server.password)
        other.select_folder(next(name for _, _, name in other.list_folders() if name.endswith("Processed")))
        assert len(other.search()) == 1


def test_mail_that_cannot_be_moved_keeps_nothing_from_being_read(
    imap: Place, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    for number in (1, 2):
        imap.deliver(mail(number))
    move = IMAPClient.move

    def full(*_: object) -> None:
        raise imaplib.IMAP4.error("move failed: [OVERQUOTA] Quota exceeded")

    with ImapMailbox(imap.server) as mailbox:
        monkeypatch.setattr(IMAPClient, "move", full)
        first, second = mailbox.fetch_new()
        mailbox.done(first.key)
        mailbox.shunt(second.key, "it is for nobody")
        assert caplog.text.count("stays in the inbox, as it cannot be moved") == 2
        imap.deliver(mail(3))
        assert mailbox.wait(30)
        (third,) = mailbox.fetch_new()
        assert numbers([third]) == [3]
        assert not mailbox.wait(0), "what cannot be moved is not new"
        monkeypatch.setattr(IMAPClient, "move", move)
        assert numbers(list(mailbox.fetch_new())) == [3]
    with ImapMailbox(imap.server) as again:
        assert numbers(list(again.fetch_new())) == [3], "what could be moved later was moved"


def test_a_copy_whose_original_cannot_be_struck_out_is_made_once(imap: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    has = IMAPClient.has_capability
    monkeypatch.setattr(IMAPClient, "has_capability", lambda self, name: name != "MOVE" and has(self, name))
    copies: list[int] = []
    copy = IMAPClient.copy

    def counted(client: Any, uids: Any, folder: str) -> Any:
        copies.append(1)
        return copy(client, uids, folder)

    def refuses(*_: object, **__: object) -> None:
        raise imaplib.IMAP4.error("store failed: [READ-ONLY] no")

    monkeypatch.setattr(IMAPClient, "copy", counted)
    monkeypatch.setattr(IMAPClient, "delete_messages", refuses)
    imap.deliver(mail(1))
    with ImapMailbox(imap.server) as mailbox:
        (one,) = mailbox.fetch_new()
        mailbox.done(one.key)
        assert list(mailbox.fetch_new()) == list(mailbox.fetch_new()) == []
    assert len(copies) == 1


class Away:
    """A mailbox that cannot be reached the first `times` times, then stops the service."""

    def __init__(self, times: int) -> None:
        self.left = times
        self.service: loop.Service | None = None

    def fetch_new(self) -> Iterator[FetchedMail]:
        self.left -= 1
        if self.left >= 0:
            raise MailboxUnavailable("the connection to the IMAP server breaks")
        return iter(())

    def done(self, key: str) -> None: ...
    def shunt(self, key: str, reason: str) -> None: ...
    def close(self) -> None: ...

    def wait(self, seconds: float) -> bool:
        assert self.service is not None
        self.service.stop()
        return False


class Silent:
    """A transport that sends nothing."""

    def send(self, envelope_from: str, to: str, letter: bytes) -> None: ...
    def close(self) -> None: ...


def test_a_server_that_is_away_is_tried_again_after_longer_and_longer_pauses(
    tmp_path: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    world = World.at(tmp_path)
    box = Away(11)
    box.service = loop.Service(world.moderator, box, Silent())
    pauses: list[float] = []
    wait = threading.Event.wait

    def noted(event: threading.Event, timeout: float | None = None) -> bool:
        if event is not box.service._stopping:  # type: ignore[union-attr]  # set above
            return wait(event, timeout)
        pauses.append(timeout or 0)
        return False

    monkeypatch.setattr(threading.Event, "wait", noted)
    box.service.run()
    world.engine.dispose()
    assert pauses == [1, 2, 4, 8, 16, 32, 64, 128, 256, 300, 300]


class Folders:
    """A server that lists these folders and also has any folder asked for."""

    def __init__(self, inbox: list[Any], listed: list[Any], personal: list[Any] | None) -> None:
        self.inbox, self.listed, self.personal = inbox, listed, personal

    def list_folders(self, directory: str = "", pattern: str = "*") -> list[Any]:
        return self.inbox if pattern == "INBOX" else self.listed

    def has_capability(self, name: str) -> bool:
        return name == "NAMESPACE" and self.personal is not None

    def namespace(self) -> SimpleNamespace:
        return SimpleNamespace(personal=self.personal)

    def folder_exists(self, folder: str) -> bool:
        return True


@pytest.mark.parametrize(
    ("inbox", "listed", "personal", "written"),
    [
        ([((), b".", "INBOX")], [((), b"|", "Old")], [("INBOX.", ".")], "INBOX.Mentat.Processed"),
        ([], [((), b".", "Old")], [("", ".")], "Mentat.Processed"),
        ([], [((), None, "Flat"), ((), b".", "Old")], [], "Mentat.Processed"),
        ([], [], [], "Mentat/Processed"),
        ([((), None, "INBOX")], [], None, "Mentat/Processed"),
    ],
)
def test_folders_are_named_as_the_server_lists_its_own(
    inbox: list[Any], listed: list[Any], personal: list[Any] | None, written: str
) -> None:
    server = ImapServer("imap.example", 993, "mentat", "spice")
    found = find_folders(Folders(inbox, listed, personal), server)
    assert (found["INBOX"], found["Mentat/Processed"]) == ("INBOX", written)


@pytest.mark.parametrize(
    ("error", "whole", "short"),
    [
        (OSError(), "OSError", "OSError"),
        (OSError(111, "Connection refused"), "[Errno 111] Connection refused", "Connection refused"),
        (OSError(5, ""), "[Errno 5]", "OSError"),
        (imaplib.IMAP4.error("b'spice is no password'"), "*** is no password", "error"),
        (imaplib.IMAP4.error("x" * 300), "x" * 200, "error"),
        (imaplib.IMAP4.abort("spice"), "***", "it hangs up"),
        (TimeoutError("timed out"), "timed out", "no answer in time"),
    ],
)
def test_what_a_server_said_is_told_without_the_password(error: Exception, whole: str, short: str) -> None:
    server = ImapServer("imap.example", 993, "mentat", "spice")
    assert (said(error, server), cause(error)) == (whole, short)
