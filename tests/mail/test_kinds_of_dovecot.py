"""A real Dovecot configured like various providers: few extensions, other folders, full, closed, restarted."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from imapclient import IMAPClient

from bot.mail.imap import ImapMailbox, ImapServer
from bot.mail.mailbox import MailboxUnavailable
from tests.dovecot_server import Dovecot, why_not_here

USER = "mentat@arrakis.example"
PASSWORD = "a-melange-of-words"
ABLE_TO_DO_LITTLE = "imap_capability = IMAP4rev1\n"


@contextmanager
def dovecot(more: str = "", separator: str = "/", prefix: str = "") -> Iterator[Dovecot]:
    if reason := why_not_here():
        pytest.skip(reason)
    with Dovecot({USER: PASSWORD}, separator, prefix, more) as server:
        yield server


def mailbox(server: Dovecot, folder: str = "INBOX") -> ImapMailbox:
    return ImapMailbox(
        ImapServer(server.host, server.imap_port, USER, PASSWORD, security="none", folder=folder, timeout=5)
    )


def deliver(server: Dovecot, *numbers: int) -> None:
    for number in numbers:
        server.deliver(USER, b"From: baron@example.org\r\nSubject: %d\r\n\r\nbid %d\r\n" % (number, number))


def subjects(read: ImapMailbox) -> list[int]:
    return [int((one.raw or b"").split(b"Subject: ")[1].split()[0]) for one in read.fetch_new()]


@contextmanager
def other_program(server: Dovecot) -> Iterator[IMAPClient]:
    with IMAPClient(server.host, server.imap_port, ssl=False) as client:
        client.login(USER, PASSWORD)
        yield client


def folders(server: Dovecot) -> dict[str, int]:
    """Map each folder to its number of messages."""
    with other_program(server) as client:
        names = [name for flags, _, name in client.list_folders() if b"\\Noselect" not in flags]
        return {name: client.folder_status(name, ["MESSAGES"])[b"MESSAGES"] for name in names}


@pytest.mark.parametrize("more", ["", ABLE_TO_DO_LITTLE], ids=["all abilities", "none"])
def test_folders_are_made_below_the_inbox_where_the_server_wants_them_there(more: str) -> None:
    with dovecot(more, separator=".", prefix="INBOX.") as server:
        deliver(server, 1, 2, 3)
        with mailbox(server) as box:
            first, second, _ = box.fetch_new()
            box.done(first.key)
            box.shunt(second.key, "it is for nobody")
            assert subjects(box) == [3]
        there = folders(server)
        assert (there["INBOX.Mentat.Processed"], there["INBOX.Mentat.Shunted"]) == (1, 1)


def test_a_full_mailbox_is_read_to_its_end_and_put_in_order_when_there_is_room() -> None:
    quota = """
mail_plugins = quota
plugin {
  quota = count:User quota
  quota_vsizes = yes
  quota_rule = *:messages=3
  quota_grace = 0
}
"""
    with dovecot(quota + ABLE_TO_DO_LITTLE) as server:
        deliver(server, 1, 2, 3)
        with mailbox(server) as box:
            for fetched in box.fetch_new():
                box.done(fetched.key)
            assert subjects(box) == []
            with other_program(server) as client:
                client.select_folder("INBOX")
                client.delete_messages(sorted(client.search())[2:])
                client.expunge()
            assert subjects(box) == []
        assert folders(server)["Mentat/Processed"] >= 1


def test_a_folder_that_is_deleted_is_named_and_read_again_when_it_is_back() -> None:
    with dovecot() as server, mailbox(server, folder="Games") as box:
        with pytest.raises(MailboxUnavailable, match=r"cannot open the folder Games .*check \[mailbox\] folder"):
            subjects(box)
        with other_program(server) as client:
            client.create_folder("Games")
            client.append("Games", b"Subject: 1\r\n\r\nbid 1\r\n")
            (old,) = box.fetch_new()
            client.delete_folder("Games")
            with pytest.raises(MailboxUnavailable):
                box.done(old.key)
            client.create_folder("Games")
            client.append("Games", b"Subject: 2\r\n\r\nbid 2\r\n")
        (new,) = box.fetch_new()
        assert b"Subject: 2" in (new.raw or b"")


def test_a_mailbox_that_may_only_be_read_is_told_as_that() -> None:
    with dovecot("mail_plugins = acl\nplugin {\n  acl = vfile\n}\n") as server:
        deliver(server, 1)
        rights = server.directory / "mail" / USER / "dovecot-acl"
        rights.write_text("owner lr\n")
        rights.chmod(0o644)
        with pytest.raises(MailboxUnavailable, match="only read the folder INBOX"):
            subjects(mailbox(server))


def test_another_uidvalidity_under_us_loses_nothing_and_moves_nothing_else() -> None:
    with dovecot() as server, mailbox(server) as box:
        deliver(server, 1, 2)
        first, second = box.fetch_new()
        place = server.directory / "mail" / USER
        for file in (*place.glob("dovecot-uid*"), *place.glob("dovecot.index*")):
            file.unlink()
        (place / "dovecot-uidlist").write_text("3 V77 N9\n8 :" + min(f.name for f in (place / "cur").iterdir()) + "\n")
        box.done(first.key)
        again = list(box.fetch_new())
        assert len(again) == 2
        assert not {one.key for one in again} & {first.key, second.key}
        assert [one.key.split(";")[1] for one in again] == ["77", "77"]


def test_a_login_that_is_refused_for_now_is_not_blamed_on_the_password() -> None:
    with dovecot("protocol imap {\n  mail_max_userip_connections = 1\n}\n") as server, other_program(server):
        with pytest.raises(MailboxUnavailable) as refused:
            subjects(mailbox(server))
        assert "Mentat will try again; if this continues, check whether many programs hold connections" in str(
            refused.value
        )
        assert "PASSWORD" not in str(refused.value)


def test_a_server_that_hangs_up_in_idle_is_noticed_at_once() -> None:
    with dovecot() as server, mailbox(server) as box:
        assert subjects(box) == []
        used = time.process_time()
        hang_up = threading.Timer(0.2, server.kill)
        began = time.monotonic()
        hang_up.start()
        assert box.wait(20), "the mailbox is to be looked at again"
        assert time.monotonic() - began < 10
        assert time.process_time() - used < 5
        with pytest.raises(MailboxUnavailable, match="Connection refused"):
            subjects(box)
