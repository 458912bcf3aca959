"""A Mentat that lost its database goes on from a backup: it ends as one that lost nothing, and sends nothing twice."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from bot.backup.backing_up import back_up
from bot.backup.restoring import restore
from bot.backup.resuming import Resumed, resume
from bot.service.mail_servers import open_kept_mail
from bot.store.database import open_database
from tests.backup.by_mail import Process, begun
from tests.moderator.table import ADDRESS

pytestmark = pytest.mark.sqlite_only
TURNS = 2


@pytest.fixture(scope="module")
def unbroken(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """What comes of a game of which nothing is lost."""
    process = begun(tmp_path_factory.mktemp("games") / "unbroken", TURNS)
    process.play_until(lambda _, over: over)
    assert process.players.twice() == []
    return process.outcome()


def lost_and_resumed(process: Process, minutes: int, *, sending: bool = True) -> tuple[Process, Resumed]:
    """A backup is made, so many minutes go by, the database is lost, and the backup is put back. Where the last minute
    has no ``sending``, Mentat dies before its letters go out."""
    settings, players = process.settings, process.players
    file = settings.mentat.database.with_name("copy.db")
    back_up(process.engine, ADDRESS, file, 1, players.now, force=True)
    for minute in range(minutes):
        process.turn_over(sending=sending or minute < minutes - 1)
    process.dies()
    settings.mentat.database.unlink()
    players.now += timedelta(hours=2)
    restore(file, settings, 1, players.now, replace=False, from_another=False)
    engine = open_database(settings.database_place)
    done = resume(settings, engine, open_kept_mail(settings), players.now)
    engine.dispose()
    return Process(settings, players), done


@pytest.mark.slow
@pytest.mark.parametrize("copies", [False, True])
def test_a_game_set_back_by_ten_minutes_ends_as_one_that_was_not(tmp_path: Path, unbroken: Any, copies: bool) -> None:
    process = begun(tmp_path / "lost", TURNS, copies=copies)
    process.play_until(lambda turn, _: turn == 2)
    process, done = lost_and_resumed(process, 10)
    assert done.messages > 5
    assert done.gone_out > 5
    assert done.by_copies == copies
    assert done.unknown == []
    process.play_until(lambda _, over: over)
    assert process.outcome() == unbroken
    assert process.players.twice() == []
