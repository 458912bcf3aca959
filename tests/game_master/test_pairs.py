"""Pairs of games that differ in a private matter: everybody else gets the same letters at the same times."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from sqlalchemy import select

from bot.desk import rights, seats, sight, speech
from bot.desk.desk import desk_now
from bot.desk.powers import DeskRequest, Use
from bot.store.database import reading
from bot.store.mail import LETTER
from rules.components import FACTIONS, Faction
from tests.moderator.table import GAME, World, address_of

Secret = Callable[[World], object]
WHY = Use(why="nobody's business")


def asked(world: World) -> Faction:
    return next(question.faction for question in world.table().play.questions() if question.kind == "bid")


def idle(world: World, place: int = 0) -> Faction:
    """Return a faction that has no open question."""
    return [faction for faction in FACTIONS if faction not in world.asked()][place]


def grant(world: World) -> None:
    rights.grant(DeskRequest(world.moderator.open_games, GAME, world.now, WHY), "clerk", "rey@desk.example")
    rights.revoke(DeskRequest(world.moderator.open_games, GAME, world.now, WHY), "rey@desk.example")


ALONE: dict[str, Secret] = {
    "a note": lambda w: speech.note(
        DeskRequest(w.moderator.open_games, GAME, w.now, WHY), "They write together.", about=idle(w)
    ),
    "a question to one": lambda w: speech.ask(
        DeskRequest(w.moderator.open_games, GAME, w.now, WHY), idle(w), "Are you well?"
    ),
    "words to one": lambda w: speech.tell(DeskRequest(w.moderator.open_games, GAME, w.now, WHY), [idle(w)], "Hello."),
    "an excuse": lambda w: seats.excuse_seat(DeskRequest(w.moderator.open_games, GAME, w.now, WHY), idle(w)),
    "a prediction": lambda w: sight.predict_phase(DeskRequest(w.moderator.open_games, GAME, w.now, WHY)),
    "a right given and taken": grant,
    "a line under seal": lambda w: w.say(idle(w), "when card 3: bid up to 2"),
    "words to the desk": lambda w: w.say(idle(w), "press to gm: I am not well."),
}
"""Matters between the desk and one player, or known to nobody else."""


def world_at(folder: Path) -> World:
    folder.mkdir()
    world = World.at(folder)
    world.silent_game("bidding")
    return world


def got(world: World, but: Faction) -> dict[str, list[tuple[object, ...]]]:
    """Return all letters to the others at the table: time, sender, Message-ID and content."""
    with reading(world.engine) as conn:
        rows = conn.execute(select(LETTER).order_by(LETTER.c.id)).all()
    found: dict[str, list[tuple[object, ...]]] = {address_of(faction): [] for faction in FACTIONS if faction != but}
    for row in rows:
        if row.recipient in found:
            found[row.recipient].append((row.created_at, row.envelope_from, row.message_id, bytes(row.content)))
    return found


def waits(world: World) -> list[tuple[object, ...]]:
    return [
        (place, deadline.due, deadline.until, deadline.state) for place, deadline in world.table().deadlines.items()
    ]


@pytest.mark.parametrize("secret", ALONE)
def test_what_is_between_the_desk_and_one_player_is_noticed_by_nobody_else(tmp_path: Path, secret: str) -> None:
    seen = []
    for happens in (False, True):
        world = world_at(tmp_path / str(happens))
        concerned = idle(world)
        if happens:
            ALONE[secret](world)
        before = waits(world)
        world.wait(24)
        world.wait(24)
        heads = [line for letters in got(world, concerned).values() for line in letters]
        seen.append((before, waits(world), heads))
        world.engine.dispose()
    assert seen[0] == seen[1]


@pytest.mark.parametrize("line", ["absent 2024-12-20 to 2024-12-24", "extend 12"])
def test_whose_absence_or_extension_it_is_nobody_else_can_tell(tmp_path: Path, line: str) -> None:
    seen = []
    for place in (0, 1):
        world = world_at(tmp_path / str(place))
        both = {address_of(idle(world, number)) for number in (0, 1)}
        world.say(idle(world, place), line)
        told = [each for letters in got(world, idle(world)).items() if letters[0] not in both for each in letters[1]]
        seen.append((told, waits(world)))
        world.engine.dispose()
    assert seen[0] == seen[1]


def test_what_lies_under_seal_in_a_blind_game_is_not_on_the_desk(tmp_path: Path) -> None:
    seen = []
    for line in ("when card 3: bid up to 2", "when card 3: pass"):
        world = world_at(tmp_path / line[-1])
        sight.play_blind(DeskRequest(world.moderator.open_games, GAME, world.now))
        world.say(idle(world), line)
        with reading(world.engine) as conn:
            desk = desk_now(conn, world.settings, world.now)
        seen.append((desk.matters, desk.games, got(world, idle(world))))
        world.engine.dispose()
    assert seen[0] == seen[1]
