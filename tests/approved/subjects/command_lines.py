"""Commands as a game master or a director types them, one to four one after the other: what is printed, how each ends,
which letters are written, and which rows of the database have changed.

An input is the place where they are typed, with a game at its first bidding, one that is over, a tournament that takes
entries or one that is played, and the words of each command. `tests/approved/command_lines.txt` has those to
begin with.
"""

from __future__ import annotations

import json
import logging
import os
import shlex
import sqlite3
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from random import Random
from typing import Any
from unittest import mock

import time_machine
import typer
from sqlalchemy import Table
from sqlmodel import SQLModel

from bot.cli import app
from bot.desk.new_game import NewGame, new_game
from tests.approved.subject import Subject, vary_words
from tests.database_copies import Copy, keep, put
from tests.moderator import table
from tests.moderator.table import CONFIG, GAME, World, address_of
from tests.tournament.cup import Cup
from tests.tournament.entries import Cup as Entries
from tests.transcripts import scenario
from tests.transcripts.commands import run
from tests.transcripts.database import HASHES, SHOWN_ELSEWHERE, _value
from tests.transcripts.told import masked

LINES = Path(__file__).parents[1] / "command_lines.txt"
Rows = Mapping[tuple[Any, ...], Mapping[str, Any]]
"""The rows of a table by their keys."""

JOURNALS = ("-shm", "-wal")
"""What lies beside a database as long as somebody has it open."""

COUNTED = "measurement"
"""What a process has counted, of all that it did."""

MOST_COMMANDS = 4
MOST_OF_A_PIECE = 6_000
FORUMS = """
[forums.tabr]
kind = "paste"
dialect = "bbcode"
[forums.dune-list]
kind = "list"
address = "dune@lists.example"
"""
TOO_MUCH = {"soak", "bench", "demo", "run", "doctor", "manual"}
"""Commands that play for long, measure the machine, or do not end."""


@dataclass(frozen=True)
class Place:
    """Where commands are typed: the database there, the time, and its rows."""

    database: Copy
    now: Any
    rows: Mapping[str, Rows]


# --- the places ------------------------------------------------------------------------------------------------------


def _a_game(world: World) -> None:
    """A game at its first bidding, with mails of the Guild, a stranger's, and one on which the program failed."""
    world.silent_game("bidding")
    world.say("guild", "status")
    world.say("fremen", "note to self: nothing", "pass when price > 3")
    world.moderator.deliver(world.mail("guild", "pass", sender="spam@elsewhere.example"), world.now)
    fails = mock.patch.object(world.moderator.writer, "answer", side_effect=RuntimeError("the sand got in"))
    with fails, mock.patch.object(logging.getLogger("bot.moderator.moderator"), "disabled", new=True):
        world.say("harkonnen", "status")


def _a_game_begun(world: World) -> None:
    """A game of three whose first question is open, and to which the Guild has written."""
    world.new_game(factions=("atreides", "guild", "harkonnen"))
    world.say("guild", "status")


def _a_game_that_is_over(world: World) -> None:
    """A game of one turn in which nobody said anything."""
    factions = ("atreides", "guild", "harkonnen")
    seats = {faction: address_of(faction) for faction in factions} | {"guild": "ann.of.caladan@houses.example"}
    dots = dict(zip(factions, (2, 5, 8), strict=True))
    asked = NewGame(GAME, "ah-basic", seats, dots, "spice", options={"max_turns": 1})
    new_game(world.moderator.open_games, asked, world.now)
    while not world.table().play.over:
        world.wait(24)


def _a_cup(world: World) -> None:
    """A tournament of twelve: of its first round one table is over, and somebody protests."""
    cup = Cup(world)
    cup.round()
    cup.end("cup-1-1", "atreides", "fremen")
    cup.tick(1)


def _entries(world: World) -> None:
    """A tournament that takes entries: seven are in, and one has not confirmed."""
    cup = Entries(world)
    cup.make("cup")
    for name in ("ann", "bob", "chani", "dora", "edric", "fenring", "gurney"):
        cup.enters(name)


PLACES: dict[str, Callable[[World], None]] = {
    "empty": lambda world: None, "begun": _a_game_begun, "game": _a_game, "over": _a_game_that_is_over, "cup": _a_cup,
    "entries": _entries,
}  # fmt: skip


@cache
def _place(name: str) -> Place:
    """A place, made once."""
    with _folder() as made, _as_ever():
        folder = Path(made).resolve()
        world = World.at(folder, CONFIG + FORUMS)
        PLACES[name](world)
        world.engine.dispose()
        database = world.settings.mentat.database
        return Place(keep(database), world.now, _rows(database))


def _files(folder: Path) -> None:
    """Files that somebody may name."""
    table.make_settings(folder, CONFIG + FORUMS)
    head = "From: Guild <guild@players.example>\nTo: mentat@arrakis.example\nMessage-ID: <{}@players.example>\n"
    files = {
        "order.eml": head.format(1) + "Subject: Re: sietch-12\n\nbid 1\npass\n\n> On Monday Mentat wrote:\n> bid\n",
        "list.eml": head.format(2) + "Precedence: list\nSubject: Out of office\n\nI am away.\n",
        "post.txt": "[b]bid 1[/b]\n> pass\n[quote]bid 2[/quote]\nI say nothing.\n",
        "cup.toml": 'title = "The Cup"\n[rounds]\nheats = 3\nsemifinal = 0\n',
        "bad.toml": 'title = 7\nttile = "x"\n[rounds]\nheats = -1\n',
        "good.toml": 'title = "Nobody bids"\nruleset = "ah-basic"\n[start]\nphase = "charity"\n'
        'factions = ["guild", "fremen"]\n[start.faction.guild]\nspice = 0\n[[step]]\nuntil = "end"\n',
    }
    for name, text in files.items():
        (folder / name).write_text(text, encoding="utf-8")


def _folder() -> tempfile.TemporaryDirectory[str]:
    memory = Path("/dev/shm")
    return tempfile.TemporaryDirectory(dir=memory if memory.is_dir() else None)


# --- inputs ----------------------------------------------------------------------------------------------------------


def _seeds() -> Iterator[str]:
    for line in LINES.read_text(encoding="utf-8").splitlines():
        place, *commands = line.split(" | ")
        yield json.dumps([place, [shlex.split(command) for command in commands]])


def _vary(chance: Random, text: str, others: Sequence[str]) -> str:
    """Words that are otherwise, options more or less, a command of another input, or another place."""
    place, commands = json.loads(text)
    for _ in range(chance.choice((1, 1, 2, 3))):
        other_place, other = json.loads(chance.choice(others))
        number = chance.randrange(len(commands))
        match chance.randrange(8):
            case 0:
                commands.insert(chance.randrange(len(commands) + 1), chance.choice(other))
                place = chance.choice((place, other_place))
            case 1 if len(commands) > 1:
                del commands[number]
            case 2:
                place = chance.choice(list(PLACES)) if chance.randrange(3) == 0 else place
            case 3 | 4:
                commands[number] = _with_an_option(chance, commands[number])
            case _:
                commands[number] = _with_another_word(chance, commands[number], other)
    kept = [words for words in commands[-MOST_COMMANDS:] if _may_be_tried(words)]
    return json.dumps([place, kept or [["game", "list"]]])


def _may_be_tried(words: Sequence[str]) -> bool:
    named = [word for word in words if not word.startswith("-")]
    return not (
        set(named[:2]) & TOO_MUCH or named[:2] == ["archive", "serve"] or "/" in "".join(words).replace("https:", "")
    )


def _with_another_word(chance: Random, words: Sequence[str], others: Sequence[Sequence[str]]) -> list[str]:
    words, place = list(words), chance.randrange(len(words))
    match chance.randrange(6):
        case 0 if len(words) > 1:
            del words[place]
        case 1:
            words.insert(place + 1, chance.choice(chance.choice(others)))
        case 2 | 3:
            words[place] = chance.choice(chance.choice(others))
        case _:
            words[place] = vary_words(chance, words[place], [" ".join(other) for other in others])
    return words


def _with_an_option(chance: Random, words: Sequence[str]) -> list[str]:
    """One of the command's own options, with a value that may be right."""
    names = _options(tuple(words[:2]))
    if not names:
        return [*words, "--json"]
    name, takes = chance.choice(names)
    values = (
        "1",
        "0",
        "guild",
        "fremen",
        "why so",
        "2024-12-01",
        "E001",
        "1/bidding",
        "3",
        "all",
        "ann@example.org",
        "x",
    )
    return [*words, name, *([chance.choice(values)] if takes else [])]


@cache
def _options(words: tuple[str, ...]) -> Sequence[tuple[str, bool]]:
    """The options of a command, and whether each takes a value."""
    found: Any = typer.main.get_command(app)
    for word in words:
        commands = getattr(found, "commands", {})
        if word not in commands:
            break
        found = commands[word]
    names = [(param.opts[0], not param.is_flag) for param in found.params if param.opts[0].startswith("--")]
    return [each for each in names if each[0] != "--coverage"]  # it tells of tests, so of each new one


# --- what comes of it ------------------------------------------------------------------------------------------------


def _told(text: str) -> str:
    name, commands = json.loads(text)
    place = _place(name)
    with _folder() as made, _as_ever(), time_machine.travel(place.now, tick=False) as hours, _sleepless(hours):
        folder = Path(made).resolve()
        _files(folder)
        put(place.database, folder / "mentat.db")
        before = {file.name for file in folder.iterdir()}
        os.chdir(folder)
        told = [f"$ mentat {shlex.join(words)}\n{_shortened(str(run(words)))}" for words in commands]
        files = sorted(str(file.relative_to(folder)) for file in folder.rglob("*") if file.is_file())
        files = [name for name in files if not name.endswith(JOURNALS)]
        told.append("files: " + ", ".join(name for name in files if name.partition("/")[0] not in before)[:1000])
        told += _changed(folder, place)
    return masked("\n".join(told).replace(str(folder), "FOLDER").replace(scenario._CHECKOUT, "CHECKOUT"))


def _sleepless(hours: Any) -> Any:
    """Whoever sleeps wakes later without having slept."""
    return mock.patch.object(time, "sleep", hours.shift)


def _changed(folder: Path, place: Place) -> Iterator[str]:
    """The rows that are otherwise than they were, and the new letters."""
    if not (folder / "mentat.db").exists():
        yield "no database"
        return
    rows = _rows(folder / "mentat.db")
    for name in sorted({*rows} - SHOWN_ELSEWHERE - {COUNTED}):
        before, now = place.rows.get(name, {}), rows.get(name, {})
        for key in dict.fromkeys((*before, *now)):
            if before.get(key) != now.get(key):
                yield f"{name} {'changed' if key in before else 'new'}: {_described(now.get(key))}"[:800]
    if rows["letter"].keys() - place.rows["letter"].keys():
        world = World.at(folder, CONFIG + FORUMS)
        for sent in world.letters(after=len(place.rows["letter"])):
            yield f"letter to {sent.recipient}: {sent.subject}\n{_shortened(sent.text, 1500)}"
        world.engine.dispose()


def _rows(database: Path) -> Mapping[str, Rows]:
    """All rows by table and key."""
    with closing(sqlite3.connect(database)) as connection:
        return {name: dict(_rows_of(connection, made)) for name, made in sorted(SQLModel.metadata.tables.items())}


def _rows_of(connection: sqlite3.Connection, made: Table) -> Iterator[tuple[tuple[Any, ...], Mapping[str, Any]]]:
    columns = [column.name for column in made.columns if column.name not in HASHES]
    keys = [column.name for column in made.primary_key.columns]
    named = ", ".join(f'"{name}"' for name in dict.fromkeys((*columns, *keys)))
    order = ", ".join(f'"{name}"' for name in keys)
    for row in connection.execute(f'SELECT {named} FROM "{made.name}" ORDER BY {order}'):
        values = dict(zip(dict.fromkeys((*columns, *keys)), row, strict=True))
        yield tuple(values[name] for name in keys), {name: values[name] for name in columns}


def _described(row: Mapping[str, Any] | None) -> str:
    if row is None:
        return "gone"
    return "  ".join(f"{name}={_value(value)}" for name, value in row.items() if value)


def _shortened(text: str, most: int = MOST_OF_A_PIECE) -> str:
    return text if len(text) <= most else f"{text[:most]}\n(and {len(text) - most} letters more)"


def _as_ever() -> Any:
    return scenario.steady()


SUBJECT = Subject(
    "command-lines",
    ("bot.cli", "bot.service", "bot.service", "bot.lab.clauses", "bot.lab.rulings"),
    _seeds,
    _vary,
    _told,
    slow=True,
)
