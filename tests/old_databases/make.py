"""Makes a small database with the code of a checkout, as it is kept here for each schema.

Run in a checkout of the last commit before a new schema came, with this folder behind it:

    PYTHONPATH=OLD:NEW python -m tests.old_databases.make 0004.db.xz

It is made by what players and the game master do: mails are delivered, deadlines pass, letters are sent by
``mentat send``. In it are a finished game of ah-basic and a running one of wbc-2018, mail that was put aside, letters
sent and not yet sent, and what the schema has for games over days: sheets, an absence, a call for sheets, an observer,
a second address.

What it uses must be there in every checkout that it may be run in. Where a name has changed since, both are tried.
"""

from __future__ import annotations

import inspect
import lzma
import random
import sqlite3
import subprocess
import sys
import tempfile
from collections.abc import Callable
from datetime import timedelta
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from sqlalchemy import inspect as inspect_tables

from bot.orders.language import write
from rules.components import Faction
from tests.moderator.table import World

FINISHED, RUNNING = "finished", "running"
FACTIONS: tuple[Faction, ...] = ("atreides", "fremen", "guild")
OBSERVER, SECOND = "observer@elsewhere.example", "guild@second.example"
MOST_STEPS = 2000


def make(folder: Path) -> None:
    """Leave a database in the folder."""
    world, dice = World.at(folder), random.Random("old databases")
    world.new_game("ah-basic", FACTIONS, FINISHED, max_turns=2)
    _play(world, dice, FINISHED, lambda table: table.play.over)
    _send(world)
    days = "tempo" in inspect.signature(world.new_game).parameters
    if days:
        world.new_game("wbc-2018", FACTIONS, RUNNING, tempo="steady")
        world.say("fremen", "standing: charity", "standing: no revival", game=RUNNING)
        world.say("guild", "when card 1 and price < 3: bid 3", game=RUNNING)
    else:
        world.new_game("wbc-2018", FACTIONS, RUNNING)
    _play(world, dice, RUNNING, lambda table: (table.play.state.turn, table.play.state.phase) == (2, "bidding"))
    _send(world)
    if days:
        first, last = (world.now.date() + timedelta(days=ahead) for ahead in (2, 4))
        world.say("atreides", f"absent {first} to {last}", game=RUNNING)
        world.say("atreides", "when card 2: bid 1", game=RUNNING)
    _news_of_later_schemas(world)
    world.say("guild", "press to all: Spice for water, anybody?", "bdi 3", game=RUNNING)
    world.say("fremen", "waive reactions until mentat", "status", game=RUNNING)
    world.moderator.deliver(world.mail("guild", "pass", sender="stranger@elsewhere.example", game=RUNNING), world.now)
    world.moderator.deliver(b"From: nobody\r\nSubject: \xff\r\n\r\nHello", world.now)
    state = world.table(RUNNING).play.state
    print(f"running: turn {state.turn}, {state.phase}, waits for {world.asked(RUNNING)}")
    world.engine.dispose()


def _news_of_later_schemas(world: World) -> None:
    tables = inspect_tables(world.engine).get_table_names()
    if "observer" in tables:
        places = ("bot.observers", "bot.game_master.observing", "bot.games.observers")
        observers = import_module(next(place for place in places if find_spec(place)))
        open_games = _either(world.moderator, "open_games", "hall")
        observers.observe(open_games, RUNNING, OBSERVER, world.now)
    if "address" in tables:
        world.say("guild", f"address add {SECOND}", game=RUNNING)
        reply_to = str(world.newest(SECOND).message["Reply-To"])
        world.moderator.deliver(world.mail("guild", "confirm", sender=SECOND, to=reply_to, game=RUNNING), world.now)


def _play(world: World, dice: random.Random, game: str, done: Callable[[Any], bool]) -> None:
    """Players answer what they are asked by mail, or are silent until time is up."""
    for _ in range(MOST_STEPS):
        table = world.table(game)
        if done(table):
            return
        asked = table.play.questions()
        question = asked[0]
        if question.blanket or dice.random() < 0.2:
            world.wait(24)
        else:
            own = [_either(q, "samples", "choices")() for q in asked if q.faction == question.faction]
            lines = [write(dice.choice(list(answers))) for answers in own]
            world.say(question.faction, *lines, game=game)
    raise RuntimeError(f"{game} stands at turn {table.play.state.turn}, {table.play.state.phase}")


def _either(thing: object, name: str, before: str) -> Any:
    """What has this name now and had another before."""
    return getattr(thing, name if hasattr(thing, name) else before)


def _send(world: World) -> None:
    folder = Path(world.settings.mentat.database).parent
    command = [sys.executable, "-m", "bot", "send", "--config", str(folder / "config.toml")]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)


def main(file: Path) -> None:
    """Write the database, compressed."""
    with tempfile.TemporaryDirectory() as place:
        make(Path(place))
        packed = Path(place) / "packed.db"
        with sqlite3.connect(Path(place) / "mentat.db") as database:
            database.execute("VACUUM INTO ?", (str(packed),))
        file.write_bytes(lzma.compress(packed.read_bytes(), preset=9 | lzma.PRESET_EXTREME))
        print(f"{file.name}: {packed.stat().st_size} bytes, {file.stat().st_size} compressed")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
