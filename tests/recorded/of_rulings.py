"""Rulings recorded as games. Each game begins at the ruling's position, and its log consists of the ruling's orders.

A ruling checks one fact. The recording keeps all of its events. It also keeps what everybody sees and is asked at the
beginning, on the way and at the end, and the answers to some further orders. Rulings are worth recording because they
combine rare situations. A new or changed ruling is kept only when all rulings are recorded again.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from pathlib import Path

import msgspec
from msgspec.structs import replace

from bot.lab.rulings import first_seed, play_ruling
from bot.store.record import encode_entry
from rules.positions.position import position
from tests.recorded.engine import Begun, EngineGame
from tests.recorded.games import Json, RecordedGame, Step, as_recorded, look_at

RULINGS = Path(__file__).parents[1] / "rulings"
FOLDER = Path(__file__).with_name("rulings")
"""A file of recorded games for each folder of rulings."""
LOOKS = 8
"""The maximum number of looks at a ruling after its beginning; most rulings are looked at after every entry."""


def folders() -> list[str]:
    """Return the folders of rulings: "battle", "storm"."""
    return sorted({file.parent.name for file in RULINGS.rglob("*.toml")})


def kept_file(folder: str) -> Path:
    return FOLDER / f"{folder}.jsonl.xz"


def recorded_rulings(folder: str) -> Iterator[RecordedGame]:
    """Record the rulings of a folder with the code of this checkout."""
    yield from map(recorded_ruling, sorted((RULINGS / folder).glob("*.toml")))


def recorded_ruling(file: Path) -> RecordedGame:
    """Record a ruling with the first seed for which it must hold."""
    document = first_seed(tomllib.loads(file.read_text(encoding="utf-8")))
    start = position(document)
    seats = [(str(faction), player.dot) for faction, player in start.state.players.items()]
    begun = Begun(
        document.get("ruleset", "wbc-2018"), document.get("options", {}), start.seed, seats,
        msgspec.json.encode(start.state),
    )  # fmt: skip
    entries = [encode_entry(entry) for entry in play_ruling(document).log]
    game = EngineGame(begun.ruleset, begun.options, begun.seed, begun.seats, begun.position)
    opening, steps = game.news(), list[Step]()
    for entry in entries:
        game.take(entry)
        steps.append(Step(Json(entry), list(map(Json, game.news()))))
    recorded = as_recorded(begun, f"{file.parent.name}/{file.stem}", "plain", opening, steps)
    return look_at(replace(recorded, ends=game.over), max(1, -(-len(steps) // LOOKS)))
