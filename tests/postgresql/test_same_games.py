"""Tests that games handled by several workers have the same events and letters as in one process on a file."""

from __future__ import annotations

import logging
import random
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from bot.language.orders import write
from bot.moderator.moderator import Moderator
from bot.service.loop import WaitingMail
from bot.store import games, installation
from bot.store.database import open_database, reading, writing_no_game
from bot.store.installation import ProcessLocks
from rules.components import Faction
from tests.moderator.table import FOLDS, World
from tests.postgresql.test_database import ON_A_SERVER

GAMES = ("sietch-1", "sietch-2", "sietch-3")
FEW: tuple[Faction, ...] = ("atreides", "fremen", "guild", "harkonnen")
TURN = 2


@dataclass
class Taken:
    """A Mentat that receives mail directly or through workers."""

    world: World
    moderators: list[Moderator]
    dice: random.Random = field(default_factory=lambda: random.Random("same games"))

    def deliver(self, raw: bytes, key: str) -> None:
        if len(self.moderators) == 1:
            self.moderators[0].receive(raw, key, self.world.now)
            return
        sender, game = self.moderators[0].intake.for_whom(raw, self.world.now)
        with writing_no_game(self.world.engine) as conn:
            installation.store_mail(conn, installation.StoredMail(key, raw, 0, sender, game, self.world.now))

    def take(self) -> None:
        """Let the workers handle the waiting mail in random order."""
        if len(self.moderators) == 1:
            return
        handling = [
            WaitingMail(each, ProcessLocks(each.engine, f"worker-{number}"), lambda: self.world.now)
            for number, each in enumerate(self.moderators)
        ]
        while self.dice.choice(handling).take_one():
            pass
        for each in handling:
            each.close()


def played(taken: Taken) -> tuple[list[list[bytes]], dict[str, list[tuple[str, str]]]]:
    """Play some games by mail and silence; return their events, and the letters to each seat in order."""
    world, dice, serial = taken.world, random.Random("moves"), 0
    for game in GAMES:
        world.new_game("wbc-2018", FEW, game)
    while any(world.table(game).play.state.turn < TURN for game in GAMES):
        for game in GAMES:
            table = world.table(game)
            questions = table.play.questions()
            if dice.random() < 0.15 or all(question.blanket for question in questions):
                taken.take()
                world.wait(24)
                continue
            question = next(each for each in questions if not each.blanket)
            lines = [write(dice.choice(list(question.samples())))]
            if dice.random() < 0.2:
                lines.append(dice.choice(["status", "map", "press to all: water", "absent 2024-12-24", "nonsense"]))
            serial += 1
            mail = world.mail(question.faction, *lines, game=game, message_id=f"<{serial}@players.example>")
            taken.deliver(mail, f"{serial}")
        taken.take()
    with reading(world.engine) as conn:
        events = [games.event_data(conn, game) for game in GAMES]
    letters: dict[str, list[tuple[str, str]]] = {}
    for letter in world.letters():
        text = _SALTED.sub("", letter.message.as_string())
        name = str(letter.message["Message-ID"])
        seat = f"{letter.recipient} {name.split('.')[0]}"
        letters.setdefault(seat, []).append((name, text))
    return events, letters


_SALTED = re.compile("record so far: [0-9a-f]{16}|boundary=.*|--=+[0-9]+=+.*")


@pytest.fixture
def on_a_server(fresh: Callable[[], str], tmp_path: Path) -> Iterator[Taken]:
    folder = tmp_path / "server"
    folder.mkdir()
    world = World.at(folder, ON_A_SERVER.format(url=fresh()) + "")
    place = world.settings.database_place
    others = [Moderator(world.settings, open_database(place)) for _ in range(3)]
    yield Taken(world, others)
    for engine in (world.engine, *(each.engine for each in others)):
        engine.dispose()


def test_games_taken_by_workers_are_those_that_one_process_plays(
    on_a_server: Taken, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    folder = tmp_path / "file"
    folder.mkdir()
    alone = World.at(folder, FOLDS.replace('desk_mail = "off"\n', ""))
    expected = played(Taken(alone, [alone.moderator]))
    alone.engine.dispose()
    with caplog.at_level(logging.INFO):
        found = played(on_a_server)
    assert found[0] == expected[0]
    assert found[1].keys() == expected[1].keys()
    for reader, letters in expected[1].items():
        assert [name for name, _ in found[1][reader]] == [name for name, _ in letters], reader
        for (name, text), (_, by_workers) in zip(letters, found[1][reader], strict=True):
            assert by_workers.splitlines() == text.splitlines(), f"{name} to {reader}"
    again = [record.getMessage() for record in caplog.records if "everything held" in record.getMessage()]
    assert len(again) < 5, again
