"""Builds of an archive in one folder, one after the other, with what somebody does to the folder meanwhile: what each
build did and said, and what lies in the folder then."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from datetime import UTC, date, datetime
from functools import cache
from pathlib import Path
from random import Random
from shutil import rmtree
from tempfile import TemporaryDirectory
from typing import Any, Literal, TypeVar

import msgspec

from bot.archive import site
from bot.archive.games import ArchivePolicy, FinishedGame, Place, RatedPlayer, RatingList, RunningGame
from bot.archive.site import AsItIs, FolderRefused, NotNow, Offered, build
from bot.competition.published import Published
from bot.record.reader import read_record
from tests.approved.json_inputs import vary_json
from tests.approved.subject import Subject
from tests.archive.page_words import lines_of
from tests.archive.running import running
from tests.archive.short import short
from tests.competition.published_example import example, under_way

T = TypeVar("T")
Fault = Literal["", "not now", "as it is", "no record", "broken", "silent", "another"]


class Game(msgspec.Struct, omit_defaults=True):
    """A game that is offered: which of a few, and what is the matter with it; at a table of ``place``."""

    id: str
    which: int = 0
    key: str = "1"
    ended: Literal["full", "public-only"] = "full"
    running: Literal["hidden", "public", "delayed"] = "public"
    place: str = ""
    day: int = 0
    fault: Fault = ""


class Cup(msgspec.Struct, omit_defaults=True):
    """A tournament that is offered."""

    id: str
    over: bool = True
    key: str = ""
    game: str = ""
    fault: Fault = ""


class Build(msgspec.Struct, omit_defaults=True):
    """A build: what is done to the folder ``before`` it, and what is offered."""

    before: list[tuple[str, str, str]] = []
    finished: list[Game] = []
    running: list[Game] = []
    cups: list[Cup] = []
    rated: int = -1


class Given(msgspec.Struct):
    """Builds in one folder."""

    builds: list[Build]


MARKS = (
    "{", '{"mark": "a site of mine"}', '{"mark":"an archive of games, written by Mentat","format":2}',
    '{"mark":"an archive of games, written by Mentat","parts":{"game/x":{"files":{"../x":1}}}}',
    '{"mark":"an archive of games, written by Mentat","parts":{"game/x":{"files":{"/etc/passwd":1}}}}',
    '{"mark":"an archive of games, written by Mentat","parts":{"game/x":{"files":{"":1}}}}',
    '{"mark":"an archive of games, written by Mentat","parts":{"game/x":{"files":{"game/x/mine.txt":1}}}}',
)  # fmt: skip


def _seeds() -> Iterator[str]:
    one, other = Game("sietch-7", day=9), Game("other", 1, place="arrakeen")
    going = Game("going", 0, place="arrakeen")
    cups = [Cup("arrakeen", game="other"), Cup("second", over=False, game="sietch-7")]
    yield _text(Build(finished=[one, other], running=[going], cups=cups, rated=2), Build(finished=[one]))
    yield _text(Build(finished=[one], running=[going]), Build(finished=[one], running=[going]), Build())
    for fault in ("not now", "as it is", "no record", "broken", "silent", "another"):
        broken = msgspec.structs.replace(one, key="2", fault=fault)
        away = msgspec.structs.replace(going, fault=fault)
        cup = Cup("arrakeen", key="2", fault=fault)
        yield _text(
            Build(finished=[one], running=[going], cups=cups), Build(finished=[broken], running=[away], cups=[cup])
        )
    hidden = msgspec.structs.replace(going, running="hidden")
    yield _text(
        Build(running=[going]),
        Build(running=[hidden]),
        Build(finished=[msgspec.structs.replace(one, ended="public-only")]),
    )
    yield _text(Build(finished=[one]), Build(finished=[msgspec.structs.replace(one, key="2", which=1)], cups=cups))
    for name in ("../x", ".hidden", "", "x\n", "a b", "a" * 80):
        yield _text(Build(finished=[Game(name)], running=[Game(name, 1)], cups=[Cup(name)]))
    yield _text(Build(finished=[one, one], cups=[cups[0], cups[0]], running=[one]))
    for mark in MARKS:
        yield _text(Build(before=[("write", "build.json", mark)], finished=[one]))
    yield _text(Build(before=[("write", "index.html", "mine")], finished=[one]))
    yield _text(Build(before=[("file", "", "mine")]), Build(before=[("gone", "", "")], finished=[one]))
    yield _text(Build(finished=[one]), Build(before=[("remove", "game/sietch-7/turn-01.html", "")], finished=[one]))
    yield _text(
        Build(finished=[one]), Build(before=[("write", "game/sietch-7/turn-01.html", "spoilt")], finished=[one])
    )
    yield _text(Build(finished=[one]), Build(before=[("write", "game/sietch-7/mine.txt", "mine")], rated=0))
    yield _text(
        Build(finished=[one, other]), Build(before=[("write", "all-games.tar.gz", "x")], finished=[one], rated=1)
    )


def _text(*builds: Build) -> str:
    return msgspec.json.encode(Given(list(builds))).decode()


def _told(text: str) -> str:
    try:
        given = msgspec.json.decode(text, type=Given)
    except msgspec.MsgspecError:
        return "no builds"
    told: list[str] = []
    before: dict[str, str] = {}
    with TemporaryDirectory(dir="/dev/shm" if Path("/dev/shm").is_dir() else None) as place:
        here = Path(place) / "site"
        for one in given.builds[:4]:
            try:
                _prepare(here, one)
            except OSError as error:
                told.append(f"cannot be done: {type(error).__name__}")
            told += [*_built(here, one), f"complaint: {site.folder_complaint(here)!r}, ours: {site.is_archive(here)}"]
            there = _tree(here)
            told += [f"- {name}" for name in sorted(before.keys() - there.keys())]
            told += [f"{name}: {there[name]}" for name in sorted(there) if before.get(name) != there[name]]
            before = there
        return "\n".join(told).replace(place, "HERE")


def _prepare(here: Path, one: Build) -> None:
    for what, name, content in one.before:
        path = (here / name).resolve()
        if not path.is_relative_to(here.parent.resolve()):
            continue
        match what:
            case "write" | "file":
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(content, encoding="utf-8")
            case "remove":
                path.unlink(missing_ok=True)
            case _:
                here.unlink(missing_ok=True) if here.is_file() else rmtree(here, ignore_errors=True)


def _built(here: Path, one: Build) -> list[str]:
    ratings = RatingList([RatedPlayer("Ann", 1600, 80, 12, 1)] * max(one.rated, 0)) if one.rated >= 0 else None
    try:
        made = build(
            here, [Offered(game.id, game.key, _loading(game, _finished), _place(game)) for game in one.finished],
            [Offered(game.id, game.key, _loading(game, _running), _place(game)) for game in one.running], ratings,
            [Offered(cup.id, cup.key, _loading(cup, _cup)) for cup in one.cups],
        )  # fmt: skip
    except FolderRefused as refused:
        return [f"refused: {refused}"]
    return [f"built {list(made.games)}, {made.written} written, {made.removed} removed", *made.problems]


OneOf = TypeVar("OneOf", Game, Cup)


def _loading(one: OneOf, make: Callable[[OneOf], T]) -> Callable[[], T]:
    def load() -> T:
        match one.fault:
            case "not now":
                raise NotNow("it is held.")
            case "as it is":
                raise AsItIs
            case "no record":
                read_record(b"no record")
            case "broken":
                raise ValueError("no such order")
            case "silent":
                raise KeyError
        return make(one)

    return load


def _finished(game: Game) -> FinishedGame:
    made = _short(game.which)
    named = game.id if game.fault != "another" else "another"
    day = date(2026, 11, 1 + min(game.day, 27)) if game.day else None
    return replace(made, id=named, policy=ArchivePolicy(ended=game.ended), ended=day, place=_place(game))


@cache
def _short(which: int) -> FinishedGame:
    return short("gf9-basic" if which % 2 else "ah-basic", 2, f"site {which % 3}", 1)


def _running(game: Game) -> RunningGame:
    made = running(
        _short(game.which), f"site {game.which % 3}", 1, ArchivePolicy(game.running, delay=game.running == "delayed")
    )
    return replace(made, id=game.id, place=_place(game), view={} if game.fault == "another" else made.view)


def _cup(cup: Cup) -> Published:
    made = example() if cup.over else under_way()
    if cup.game:
        first, *others = made.rounds
        table = msgspec.structs.replace(first.tables[0], game=cup.game)
        made = msgspec.structs.replace(made, rounds=(msgspec.structs.replace(first, tables=(table,)), *others))
    return msgspec.structs.replace(made, tournament=cup.id if cup.fault != "another" else "\ud800")


def _place(game: Game) -> Place | None:
    return Place(game.place, "The Cup", 1, 2) if game.place else None


def _tree(here: Path) -> dict[str, str]:
    """Each file with the day that it bears; of the lists what is in them, and of pages whether they lead to a cup."""
    found: dict[str, str] = {}
    for path in sorted(here.rglob("*")) if here.is_dir() else []:
        if not path.is_file():
            continue
        name = path.relative_to(here).as_posix()
        day = datetime.fromtimestamp(path.stat().st_mtime, UTC).date()
        content = path.read_bytes()
        told = f"{day:%d %B %Y}"
        if b"/tournament/" in content:
            told += ", leads to a tournament"
        if name == site.MANIFEST:
            told = _manifest(content)
        elif name in ("running.html", "index.html", "tournaments.html"):
            told += f"\n{lines_of(content)[-1500:]}"
        found[name] = told
    return found


def _manifest(content: bytes) -> str:
    try:
        known = json.loads(content)
        parts = {name: (part.get("day"), sorted(part["files"]), bool(part.get("running")), bool(part.get("summary")),
                        bool(part.get("key"))) for name, part in known["parts"].items()}  # fmt: skip
    except (ValueError, LookupError, TypeError, AttributeError):
        return "no manifest"
    return "\n".join(
        [f"{known.get('mark')} {known.get('format')}", *(f"  {name}: {parts[name]}" for name in sorted(parts))]
    )


_VARY = vary_json()


def _vary(chance: Random, text: str, others: Sequence[str]) -> str:
    made: str = _VARY(chance, text, others)
    if chance.random() < 0.2:
        given: dict[str, Any] = json.loads(made)
        given.setdefault("builds", []).extend(json.loads(chance.choice(others))["builds"][:1])
        made = json.dumps(given)
    return made


SUBJECT = Subject(
    "archive-site",
    ("bot.archive.site", "bot.archive.site", "bot.archive.summaries"),
    _seeds,
    _vary,
    _told,
    slow=True,
)
