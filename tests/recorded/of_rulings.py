"""Rulings as recorded games: each as a game that begins at its position, with the orders that it hands in for a log.

A ruling expects one thing; here everything that happens in it is kept, what everybody sees and is asked where it
begins, on its way and where it ends, and what some orders more would be told there. Rulings stand where much meets that
seldom does. A ruling that is written or changed later is not kept before all are recorded again.
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
"""Each folder of rulings as a file of recorded games."""
LOOKS = 8
"""How often a ruling is looked at after its beginning, at most; in most after every entry."""


def folders() -> list[str]:
    """The folders of rulings: "battle", "storm"."""
    return sorted({file.parent.name for file in RULINGS.rglob("*.toml")})


def kept_file(folder: str) -> Path:
    return FOLDER / f"{folder}.jsonl.xz"


def recorded_rulings(folder: str) -> Iterator[RecordedGame]:
    """The rulings of a folder with the code of this checkout."""
    yield from map(recorded_ruling, sorted((RULINGS / folder).glob("*.toml")))


def recorded_ruling(file: Path) -> RecordedGame:
    """A ruling with the first seed that it is to hold with."""
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
