from __future__ import annotations

import errno
import os
import threading
from pathlib import Path
from typing import Any

import pytest

from bot.mail.mailbox import MailboxUnavailable, MaildirMailbox, MaildirPlace, make_maildir


def drop(path: Path, name: str, raw: bytes = b"Subject: bid\n\nbid 4\n") -> None:
    (path / "new").mkdir(parents=True, exist_ok=True)
    (path / "new" / name).write_bytes(raw)


def names(path: Path) -> list[str]:
    return sorted(entry.name for entry in path.iterdir()) if path.exists() else []


def test_mail_in_new_and_cur_is_fetched_and_moved_into_folders_that_other_programs_know(tmp_path: Path) -> None:
    make_maildir(tmp_path)
    mailbox = MaildirMailbox(MaildirPlace(tmp_path))
    assert list(mailbox.fetch_new()) == []
    drop(tmp_path, "1.a.host", b"one")
    drop(tmp_path, "2.b.host", b"two")
    (tmp_path / "cur" / "3.c.host:2,F").write_bytes(b"three")
    fetched = list(mailbox.fetch_new())
    assert [(one.key, one.raw, one.size) for one in fetched] == [
        ("1.a.host", b"one", 3),
        ("2.b.host", b"two", 3),
        ("3.c.host", b"three", 5),
    ]
    mailbox.done("1.a.host")
    mailbox.shunt("3.c.host", "it is not a mail")
    assert [one.key for one in mailbox.fetch_new()] == ["2.b.host"]
    assert names(tmp_path / ".Mentat.Processed" / "cur") == ["1.a.host:2,S"]
    assert names(tmp_path / ".Mentat.Shunted" / "cur") == ["3.c.host:2,FS"]


def test_after_a_crash_the_mail_is_seen_again_under_the_same_key_and_moved_once(tmp_path: Path) -> None:
    drop(tmp_path, "1.a.host")
    (first,) = MaildirMailbox(MaildirPlace(tmp_path)).fetch_new()
    (tmp_path / "new" / "1.a.host").rename(tmp_path / "cur" / "1.a.host:2,S")  # a mail program has opened it
    again = MaildirMailbox(MaildirPlace(tmp_path))
    assert [one.key for one in again.fetch_new()] == [first.key]
    again.done(first.key)
    again.done(first.key)
    assert list(again.fetch_new()) == []
    assert names(tmp_path / ".Mentat.Processed" / "cur") == ["1.a.host:2,S"]


def test_mail_that_is_renamed_or_removed_while_it_is_fetched_is_no_error(tmp_path: Path) -> None:
    for name in ("1.a", "2.b", "3.c"):
        drop(tmp_path, name)
    mailbox = MaildirMailbox(MaildirPlace(tmp_path))
    fetching = mailbox.fetch_new()
    assert next(fetching).key == "1.a"
    (tmp_path / "new" / "2.b").rename(tmp_path / "cur" / "2.b:2,S")
    (tmp_path / "new" / "3.c").unlink()
    assert [one.key for one in fetching] == ["2.b"]


def test_of_mail_that_is_too_large_only_the_head_is_read(tmp_path: Path) -> None:
    drop(tmp_path, "1.a", b"Subject: large\n\n" + b"x" * 5000)
    (large,) = MaildirMailbox(MaildirPlace(tmp_path, max_bytes=1000)).fetch_new()
    assert (large.raw, large.size, large.head) == (None, 5016, b"Subject: large\n\n")


def test_waiting_ends_for_new_mail_and_by_closing(tmp_path: Path) -> None:
    mailbox = MaildirMailbox(MaildirPlace(tmp_path))
    drop(tmp_path, "1.a")
    assert mailbox.wait(30)
    list(mailbox.fetch_new())
    assert not mailbox.wait(0)
    answers: list[bool] = []
    waiting = threading.Thread(target=lambda: answers.append(mailbox.wait(60)))
    waiting.start()
    mailbox.close()
    waiting.join(timeout=30)
    assert answers == [False]


def test_a_place_that_cannot_be_a_maildir_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(MailboxUnavailable, match=r"the Maildir .*/file cannot be used .*check \[mailbox\] maildir"):
        list(MaildirMailbox(MaildirPlace(tmp_path / "file")).fetch_new())


def test_what_is_no_message_is_let_lie(tmp_path: Path) -> None:
    drop(tmp_path, "1.a")
    drop(tmp_path, ".nfs0001")
    (tmp_path / "new" / "a directory").mkdir()
    (tmp_path / "new" / "circle").symlink_to("circle")
    (tmp_path / "new" / "passwords").symlink_to("/etc/passwd")
    (tmp_path / "tmp").mkdir()
    (tmp_path / "tmp" / "2.being-written").write_bytes(b"Subject: b")
    mailbox = MaildirMailbox(MaildirPlace(tmp_path))
    assert [one.key for one in mailbox.fetch_new()] == ["1.a"]
    assert not mailbox.wait(0)


def test_messages_of_one_second_are_read_as_they_were_written(tmp_path: Path) -> None:
    for written, name in enumerate(["99.M2P1.h", "1700000000.M9P1.h", "1700000000.M10P1.h", "1700000000.4_0.h"]):
        drop(tmp_path, name)
        os.utime(tmp_path / "new" / name, ns=(0, 1_000 + written))
    fetched = MaildirMailbox(MaildirPlace(tmp_path)).fetch_new()
    assert [one.key for one in fetched] == ["99.M2P1.h", "1700000000.M9P1.h", "1700000000.M10P1.h", "1700000000.4_0.h"]


def test_a_message_that_cannot_be_read_keeps_no_other_from_being_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    for name in ("1.a", "2.b", "3.c"):
        drop(tmp_path, name)
    opened = Path.open

    def forbidden(path: Path, *arguments: Any, **named: Any) -> Any:
        if path.name == "2.b":
            raise PermissionError(errno.EACCES, "Permission denied")
        return opened(path, *arguments, **named)

    monkeypatch.setattr(Path, "open", forbidden)  # the superuser may read everything
    mailbox = MaildirMailbox(MaildirPlace(tmp_path))
    assert [[one.key for one in mailbox.fetch_new()] for _ in range(2)] == [["1.a", "3.c"]] * 2
    assert not mailbox.wait(0)
    assert caplog.text.count("2.b in") == 1
    assert "cannot be read (Permission denied) and stays there; check its owner" in caplog.text


def test_a_message_that_cannot_be_moved_is_not_handed_out_again_and_moved_later(tmp_path: Path) -> None:
    drop(tmp_path, "1.a")
    drop(tmp_path, "2.b")
    (tmp_path / ".Mentat.Processed").write_text("in the way")
    mailbox = MaildirMailbox(MaildirPlace(tmp_path))
    mailbox.done(next(mailbox.fetch_new()).key)
    assert [one.key for one in mailbox.fetch_new()] == ["2.b"]
    (tmp_path / ".Mentat.Processed").unlink()
    assert [one.key for one in mailbox.fetch_new()] == ["2.b"]
    assert names(tmp_path / ".Mentat.Processed" / "cur") == ["1.a:2,S"]


def test_a_message_that_another_program_has_renamed_is_moved_under_its_key(tmp_path: Path) -> None:
    drop(tmp_path, "1.a")
    mailbox = MaildirMailbox(MaildirPlace(tmp_path))
    [fetched] = mailbox.fetch_new()
    (tmp_path / "new" / "1.a").rename(tmp_path / "cur" / "1.a:2,F")
    mailbox.done(fetched.key)
    assert [path.name for path in (tmp_path / ".Mentat.Processed" / "cur").iterdir()] == ["1.a:2,FS"]
    assert list((tmp_path / "cur").iterdir()) == []
