"""Tests that two installations on one mailbox are noticed: one finds handled mail that it has never seen."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from bot.service import doctor, loop
from bot.service.machine import utc_now
from bot.service.mail_servers import open_mailbox
from bot.store import installation
from bot.store.database import writing
from tests.moderator.table import World

STRANGER = b"From: nobody@elsewhere.example\r\nMessage-ID: <%s@elsewhere.example>\r\nSubject: x\r\n\r\nhello\r\n"


def arrives(world: World, name: str, raw: bytes) -> None:
    new = world.settings.mailbox.maildir / "new"
    new.mkdir(parents=True, exist_ok=True)
    (new / f"{int(time.time()) + 1}.{name}.host").write_bytes(raw)


def polled(world: World) -> None:
    loop.poll(world.moderator, open_mailbox(world.settings), utc_now)


def told(world: World) -> list[tuple[str, str]]:
    return [(finding.about, finding.state) for finding in doctor.examine_other_mentat(world.settings)]


@pytest.mark.parametrize("folder", [".Mentat.Processed", ".Mentat.Shunted"])
def test_mail_that_was_dealt_with_by_another_is_told(tmp_path: Path, folder: str) -> None:
    """A Mentat with a different secret quarantines all of that mail."""
    world = World.at(tmp_path)
    world.new_game()
    arrives(world, "M1", world.mail("guild", "status", message_id="<1@guild.example>"))
    polled(world)
    assert told(world) == [("mailbox: alone", "well")]
    (tmp_path / "second").mkdir()
    second = World.at(tmp_path / "second")
    second.new_game()
    arrives(second, "M2", second.mail("guild", "status", message_id="<2@guild.example>"))
    polled(second)
    there = second.settings.mailbox.maildir / ".Mentat.Processed" / "cur"
    here = world.settings.mailbox.maildir / folder / "cur"
    here.mkdir(parents=True, exist_ok=True)
    next(there.iterdir()).rename(here / f"{int(time.time()) + 5}.M2")
    assert told(world) == [("mailbox: alone", "wrong")]
    with writing(world.engine) as conn:  # after a restore, such mail is expected
        installation.hold_restored(conn, utc_now(), utc_now(), as_another=False)
    assert told(world) == []
    world.engine.dispose()
    second.engine.dispose()


def test_a_copy_of_a_known_mail_and_our_own_are_no_sign_of_another(tmp_path: Path) -> None:
    world = World.at(tmp_path)
    world.new_game()
    mail = world.mail("guild", "status", message_id="<1@guild.example>")
    arrives(world, "M1", mail)
    arrives(world, "M2", b"Received: by way of others\r\n" + mail)
    arrives(world, "M3", b"X-Mentat: service\r\n" + STRANGER % b"3")
    polled(world)
    assert told(world) == [("mailbox: alone", "well")]
    world.engine.dispose()


@pytest.mark.sqlite_only
def test_where_there_is_no_database_yet_none_is_made(tmp_path: Path) -> None:
    world = World.at(tmp_path)
    world.engine.dispose()
    world.settings.mentat.database.unlink(missing_ok=True)
    assert told(world) == []
    assert not world.settings.mentat.database.exists()
