"""Old mail is emptied, but letters not yet sent are kept until they are."""

from __future__ import annotations

from datetime import datetime, timedelta
from pathlib import Path

import pytest
from sqlalchemy import select

from bot.service import loop
from bot.store import mail
from bot.store.database import reading, writing
from bot.store.mail import LETTER
from rules.components import Faction
from tests.moderator.table import CONFIG, World
from tests.moderator.test_outbox import Away, Server

FEW: tuple[Faction, ...] = ("atreides", "guild", "harkonnen")


@pytest.fixture
def world(tmp_path: Path) -> World:
    return World.at(tmp_path, f"{CONFIG}[retention]\ndays = 1\n")


def outbox(world: World) -> list[tuple[bytes, datetime | None]]:
    """Return each letter's content and the time of the next attempt."""
    with reading(world.engine) as conn:
        rows = conn.execute(select(LETTER).order_by(LETTER.c.id)).all()
        contents = mail.whole_letters(conn, ((row.content, row.pictures) for row in rows))
        return [(content, row.next_try_at) for content, row in zip(contents, rows, strict=True)]


@pytest.mark.parametrize("tried", [False, True])
def test_a_letter_that_has_not_gone_out_is_kept_however_old_and_goes_out_whole(world: World, tried: bool) -> None:
    world.new_game(factions=FEW)
    if tried:
        loop.send(world.outbox, Away(), world.now)
    with writing(world.engine) as conn:
        mail.claim(conn, mail.to_send(conn, world.now + timedelta(hours=1))[0], "a worker", world.now)
    before = outbox(world)
    world.wait(23)  # no deadline passes, so no other letter is written
    world.now += timedelta(days=40)
    world.moderator.timekeeper.tick(world.now)
    kept = outbox(world)[: len(before)]
    assert kept == before
    assert all(content and next_try for content, next_try in kept)
    server = Server()
    loop.send(world.outbox, server, world.now)
    assert {content for content, _ in kept} <= set(server.got)


def test_a_letter_that_has_gone_out_is_emptied(world: World) -> None:
    world.new_game(factions=FEW)
    loop.send(world.outbox, Server(), world.now)
    gone = len(outbox(world))
    world.now += timedelta(days=40)
    world.moderator.timekeeper.tick(world.now)
    assert {content for content, _ in outbox(world)[:gone]} == {b""}
