"""Tests that a restored Mentat reads handled mail again from the folders of a real IMAP mailbox."""

from __future__ import annotations

from collections import Counter
from contextlib import ExitStack
from email.parser import BytesHeaderParser
from pathlib import Path

import pytest

from bot.desk.new_game import NewGame, draw_seats, new_game
from bot.lab.demo import NAMES, DemoWorld
from bot.lab.players_by_mail import PROGRAMS, Dice, ScriptedPlayer
from bot.lab.worlds import BOT
from bot.moderator.moderator import Moderator
from bot.service import loop
from bot.service.backup import back_up
from bot.service.machine import utc_now
from bot.service.mail_servers import open_kept_mail
from bot.service.outbox import Outbox
from bot.service.restoration import restore
from bot.service.resumption import resume
from bot.store import games
from bot.store.database import Engine, open_database, reading
from bot.store.record import log_data

pytestmark = pytest.mark.sqlite_only
GAME = "demo"


def log_of(engine: Engine) -> object:
    with reading(engine) as conn:
        return log_data(conn, GAME), games.event_data(conn, GAME)


def test_orders_that_were_taken_since_the_backup_are_taken_again_and_answered_once(tmp_path: Path) -> None:
    players = [
        ScriptedPlayer(name, f"{name.lower()}@players.example", program, Dice("s", name))
        for name, program in zip(NAMES, PROGRAMS, strict=True)
    ]
    with ExitStack() as stack:
        world = DemoWorld(stack, tmp_path, players)
        settings, engine, moderator = world.settings, world.engine, world.moderator
        mailbox, transport = world.mailbox, world.transport
        seats, dots = draw_seats([player.address for player in players], "s")
        new_game(moderator.open_games, NewGame(GAME, "wbc-2018", seats, dots, "s", options={"max_turns": 1}), utc_now())
        loop.send(Outbox(moderator.open_games), transport, utc_now())
        back_up(engine, BOT, tmp_path / "copy.db", 0, utc_now(), force=False)
        written = sum(client.read_and_answer(utc_now()) for client in world.clients)
        loop.poll(moderator, mailbox)
        loop.send(Outbox(moderator.open_games), transport, utc_now())
        expected = log_of(engine)
        engine.dispose()
        settings.mentat.database.unlink()

        restore(tmp_path / "copy.db", settings, 0, utc_now(), replace=False, from_another=False)
        engine = open_database(settings.database_place)
        done = resume(settings, engine, open_kept_mail(settings), utc_now())
        assert (done.messages, done.put_aside, done.to_be_sent) == (written, 0, 0)
        assert done.gone_out >= written
        assert log_of(engine) == expected
        again = Moderator(settings, engine)
        loop.poll(again, mailbox)
        loop.send(Outbox(again.open_games), transport, utc_now())
        letters = Counter(
            (posted.recipients, BytesHeaderParser().parsebytes(posted.raw)["Message-ID"])
            for posted in world.servers.sent
        )
        assert max(letters.values()) == 1
        engine.dispose()
