"""Make the small database that is kept here for each schema. After adding a schema, run

    python -m tests.old_databases.make tests/old_databases/NNNN.db.xz

The database results from real acts by players and the game master: mails are delivered, deadlines pass, and ``mentat
send`` sends letters. It contains a finished game of ah-basic and a running one of wbc-2018, quarantined mail, letters
sent and not yet sent, sheets, an absence, a call for sheets, an observer, a second address, a clerk of the running
game, and a tournament with an arbiter.
"""

from __future__ import annotations

import lzma
import random
import sqlite3
import subprocess
import sys
import tempfile
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path

from bot.desk.powers import DeskRequest
from bot.desk.rights import grant
from bot.desk.sight import add_observer
from bot.language.orders import write
from bot.table.table import Table
from bot.tournament.desk import Caller, grant_right
from bot.tournament.preparation import new_tournament
from rules.components import Faction
from rules.components.facts import data_folder
from tests.moderator.table import World

FINISHED, RUNNING = "finished", "running"
FACTIONS: tuple[Faction, ...] = ("atreides", "fremen", "guild")
OBSERVER, SECOND = "observer@elsewhere.example", "guild@second.example"
CUP, CLERK, ARBITER = "cup", "clerk@desk.example", "arbiter@desk.example"
MOST_STEPS = 2000


def make(folder: Path) -> None:
    """Make the database in this folder."""
    world, dice = World.at(folder), random.Random("old databases")
    world.new_game("ah-basic", FACTIONS, FINISHED, max_turns=2)
    _play(world, dice, FINISHED, lambda table: table.play.over)
    _send(world)
    world.new_game("wbc-2018", FACTIONS, RUNNING, tempo="steady")
    world.say("fremen", "standing: charity", "standing: no revival", game=RUNNING)
    world.say("guild", "when card 1 and price < 3: bid 3", game=RUNNING)
    _play(world, dice, RUNNING, lambda table: (table.play.state.turn, table.play.state.phase) == (2, "bidding"))
    _send(world)
    first, last = (world.now.date() + timedelta(days=ahead) for ahead in (2, 4))
    world.say("atreides", f"absent {first} to {last}", game=RUNNING)
    world.say("atreides", "when card 2: bid 1", game=RUNNING)
    add_observer(DeskRequest(world.moderator.open_games, RUNNING, world.now), OBSERVER)
    grant(DeskRequest(world.moderator.open_games, RUNNING, world.now), "clerk", CLERK)
    caller = Caller(world.moderator.open_games, world.now)
    new_tournament(caller, CUP, (data_folder() / "tournaments" / "wbc.toml").read_text(encoding="utf-8"))
    grant_right(caller, CUP, ARBITER, "arbiter")
    world.say("guild", f"address add {SECOND}", game=RUNNING)
    reply_to = str(world.newest(SECOND).message["Reply-To"])
    world.moderator.deliver(world.mail("guild", "confirm", sender=SECOND, to=reply_to, game=RUNNING), world.now)
    world.say("guild", "press to all: Spice for water, anybody?", "bdi 3", game=RUNNING)
    world.say("fremen", "waive reactions until mentat", "status", game=RUNNING)
    world.moderator.deliver(world.mail("guild", "pass", sender="stranger@elsewhere.example", game=RUNNING), world.now)
    world.moderator.deliver(b"From: nobody\r\nSubject: \xff\r\n\r\nHello", world.now)
    state = world.table(RUNNING).play.state
    print(f"running: turn {state.turn}, {state.phase}, waits for {world.asked(RUNNING)}")
    world.engine.dispose()


def _play(world: World, dice: random.Random, game: str, done: Callable[[Table], bool]) -> None:
    """Let players answer their questions by mail, or miss the deadline."""
    for _ in range(MOST_STEPS):
        table = world.table(game)
        if done(table):
            return
        asked = table.play.questions()
        question = asked[0]
        if question.blanket or dice.random() < 0.2:
            world.wait(24)
        else:
            own = [q.samples() for q in asked if q.faction == question.faction]
            lines = [write(dice.choice(list(answers))) for answers in own]
            world.say(question.faction, *lines, game=game)
    raise RuntimeError(f"{game} stands at turn {table.play.state.turn}, {table.play.state.phase}")


def _send(world: World) -> None:
    folder = Path(world.settings.mentat.database).parent
    command = [sys.executable, "-m", "bot", "send", "--config", str(folder / "config.toml")]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)


def main(file: Path) -> None:
    with tempfile.TemporaryDirectory() as place:
        make(Path(place))
        packed = Path(place) / "packed.db"
        with sqlite3.connect(Path(place) / "mentat.db") as database:
            database.execute("VACUUM INTO ?", (str(packed),))
        file.write_bytes(lzma.compress(packed.read_bytes(), preset=9 | lzma.PRESET_EXTREME))
        print(f"{file.name}: {packed.stat().st_size} bytes, {file.stat().st_size} compressed")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
