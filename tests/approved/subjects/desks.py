"""The game master's desk: what lies there of what the store knows of games, seats, mail, forums and the machine, in the
words of the letter of the day and of the list of games."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from zoneinfo import ZoneInfo

from bot.config import Settings
from bot.desk.desk import Machine, compile_desk, desk_blocks, list_games, one_game_lines
from bot.store.desk import (
    CodeAt,
    DeskRows,
    ForumTrouble,
    GameAt,
    MailPutAside,
    Outgoing,
    OwedDuty,
    ReportedPress,
    SeatAt,
    ThreadAt,
)
from bot.store.tournament_rounds import Matter as EventMatter
from tests.approved.by_mail import text_of
from tests.approved.json_inputs import vary_json
from tests.approved.subject import Subject
from tests.forum.place import FORUM
from tests.moderator.table import CONFIG, GAME_MASTER, make_settings
from tests.transcripts.results import rendered

NOW = datetime(2024, 12, 20, 12, tzinfo=UTC)
WEEK = 7 * 24 * 60
NEVER = -9_999_999
"""All instants are minutes before now; what is later is below nought, and this is never."""


def _seeds() -> Iterator[str]:
    yield _input()
    yield _input(games=[_game()], owed=[_owed(due=10, until=-10)], seats=[_seat()])
    yield _input(games=[_game(status="held")], last={"a": 500}, acts={"a": 4000})
    yield _input(games=[_game(on_hold=4400)], seats=[_seat(care=True), _seat(faction="guild", missed=2, asked=True)])
    yield _input(games=[_game(stopped=4320, why="silence")], acts={"a": 4320})
    yield _input(games=[_game(stopped=100, why="pause"), _game(id="b", tempo="steady", call=-60, named="1.storm")])
    yield _input(
        games=[_game(turn=1, created=40_000, options={"max_turns": 5})], stood={"a": [["pause", 9000], ["resume", 100]]}
    )
    yield _input(
        games=[_game(turn=3, created=20_000, tempo="swift", clock={"step_hours": 12})], stood={"a": [["hold", 900]]}
    )
    yield _input(
        games=[_game(), _game(id="b")],
        seats=[_seat(address=GAME_MASTER, unreachable=100), _seat(game="b", points=2, came=WEEK)],
        owed=[
            _owed(),
            _owed(game="b", due=0, until=0, kind="bid", answered=True),
            _owed(game="b", kind="bid", faction="guild"),
        ],
        nameless={"a": -100, "b": 30},
    )
    yield _input(
        aside=[[7, 100, "a"], [8, 90, "a"], [9, 80, ""], [10, 70, "a"], [11, 60, "a"]],
        outgoing=[3, 31, 0, NEVER, "", 2, 200],
    )
    yield _input(outgoing=[4, 30, 2, 500, "550 no", 0, NEVER], free=499, service=6, mailbox=30)
    yield _input(outgoing=[4, 30, 0, NEVER, "", 0, NEVER], free=500, service=5)
    yield _input(
        games=[_game()],
        threads=[["a", "arrakis", "full", 50, 3, 2], ["b", "gone", "", NEVER, 0, 0]],
        forums=[["arrakis", "reading", 40, "away"], ["gone", "posting", 30, "x"]],
    )
    yield _input(
        games=[_game()], codes=[["a", "rollback 1/storm", 30, -1000]], reported=[["a", ["guild", "fremen"], 20]]
    )
    yield _input(events=[[kind, 100, 2, 3, 4] for kind in ("protest", "draw", "start", "close", "overdue", "held")])
    yield _input(games=[_game(id=f"g{number}") for number in range(42)], aside=[[n, n, f"x{n}"] for n in range(43)])
    yield _input(games=[_game(status="over", winners=["guild", "fremen"]), _game(id="b", status="over")])


def _input(**rows: Any) -> str:
    return json.dumps({
        "games": [], "seats": [], "owed": [], "nameless": {}, "acts": {}, "stood": {}, "last": {}, "aside": [],
        "outgoing": [0, NEVER, 0, NEVER, "", 0, NEVER], "codes": [], "reported": [], "forums": [], "threads": [],
        "events": [], "free": 10_000, "service": 1, "mailbox": NEVER, "zone": "Europe/Berlin",
    } | rows)  # fmt: skip


def _game(**given: Any) -> dict[str, Any]:
    return {
        "id": "a", "rules": "wbc-2018", "status": "running", "turn": 2, "phase": "bidding", "tempo": "table",
        "winners": [], "options": {}, "clock": {}, "created": 3000, "stopped": NEVER, "why": "", "on_hold": NEVER,
        "named": "", "call": NEVER,
    } | given  # fmt: skip


def _seat(**given: Any) -> dict[str, Any]:
    return {
        "game": "a", "faction": "fremen", "address": "chani@sietch.example", "care": False, "missed": 0,
        "unreachable": NEVER, "points": 0, "came": NEVER, "asked": False,
    } | given  # fmt: skip


def _owed(**given: Any) -> dict[str, Any]:
    return {
        "game": "a", "faction": "fremen", "kind": "shipment", "due": 100, "until": 40, "since": 600, "answered": False,
    } | given  # fmt: skip


@cache
def _settings() -> Settings:
    with TemporaryDirectory() as folder:
        return make_settings(Path(folder), CONFIG + FORUM)


def _at(minutes: int) -> datetime:
    return NOW - timedelta(minutes=minutes)


def _if(minutes: int) -> datetime | None:
    return None if minutes < -900_000 else _at(minutes)


def _told(text: str) -> str:
    given = json.loads(text)
    try:
        machine = Machine(given["free"] * 1_000_000, 7_900_000, _if(given["service"]), _if(given["mailbox"]))
        events = [
            ("cup", EventMatter(kind, _at(at), (one, two), number, f"cup-{one}"))
            for kind, at, one, two, number in given["events"]
        ]
        desk = compile_desk(_rows(given), machine, NOW, _settings(), lambda address: address == GAME_MASTER, events)
        zone = ZoneInfo(given["zone"])
        parts = [
            desk_blocks(desk, zone),
            desk_blocks(desk, zone, machine=False)[-1:],
            list_games(desk.games, NOW, zone),
        ]
        told = [text_of(part) for part in parts]
        facts = [f"{each.part} {rendered(each)}" for each in desk.matters]
        return "\n".join([*told, *one_game_lines(desk, zone), *facts, f"{desk.waiting_letters} letters"])
    except (ValueError, LookupError, TypeError) as error:
        return type(error).__name__


def _rows(given: dict[str, Any]) -> DeskRows:
    waiting, since, failing, failing_since, error, lost, lost_since = given["outgoing"]
    return DeskRows(
        [
            GameAt(each["id"], each["rules"], each["status"], each["turn"], each["phase"], each["tempo"],
                   tuple(each["winners"]), each["options"], each["clock"], _if(each["created"]), _if(each["stopped"]),
                   each["why"], _if(each["on_hold"]), each["named"], _if(each["call"]))
            for each in given["games"]
        ],
        [
            SeatAt(each["game"], each["faction"], each["faction"].title(), each["address"], each["care"],
                   each["missed"], _if(each["unreachable"]), each["points"], _if(each["came"]), each["asked"])
            for each in given["seats"]
        ],
        [
            OwedDuty(each["game"], each["faction"], each["kind"], _at(each["due"]), _at(each["until"]), _if(each["since"]),
                 each["answered"])
            for each in given["owed"]
        ],
        {game: _at(at) for game, at in given["nameless"].items()},
        {game: _at(at) for game, at in given["acts"].items()},
        {game: [(what, _at(at)) for what, at in acts] for game, acts in given["stood"].items()},
        {game: _at(at) for game, at in given["last"].items()},
        [MailPutAside(number, _at(at), "no token", game, "ann@elsewhere.example") for number, at, game in given["aside"]],
        Outgoing(waiting, _if(since), failing, _if(failing_since), error, lost, _if(lost_since)),
        [CodeAt(game, "rey@elsewhere.example", line, _at(at), _at(until)) for game, line, at, until in given["codes"]],
        [ReportedPress(game, tuple(by), _at(at)) for game, by, at in given["reported"]],
        [ForumTrouble(forum, work, _at(at), problem) for forum, work, at, problem in given["forums"]],
        [
            ThreadAt(game, forum, problem, _if(since), waiting, blocks)
            for game, forum, problem, since, waiting, blocks in given["threads"]
        ],
    )  # fmt: skip


WORDS = ("words", "press", "after")
"""Under these names stand texts that people write."""

SUBJECT = Subject("desks", ("bot.desk.desk", "bot.desk.desk"), _seeds, vary_json(WORDS), _told)
