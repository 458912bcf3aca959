"""Positions of games in which some facts are not what the game came to: what the watch over games finds wrong."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from functools import cache
from random import Random
from typing import Any

import msgspec

from bot.lab.soak import Setting, scene_setting, setting
from rules.components import CARDS, FACTIONS, LEADERS
from rules.components.board import AREAS
from rules.engine.play import Play
from rules.state.state import State
from tests.approved.json_inputs import Place, places
from tests.approved.subject import Subject
from tests.approved.subjects.written_positions import told_watch

EXPANSION = (("expansion", "ixians-tleilaxu"),)
GAMES: dict[str, tuple[Setting, int]] = {
    "set-up": (setting("wbc-2018", "spoilt 1", 6), 3),
    "an auction": (setting("wbc-2018", "spoilt 2", 6), 60),
    "late": (setting("vaca-2.0", "spoilt 3", 4, late=True), 1),
    "later": (setting("ah-advanced", "spoilt 4", 5, late=True), 90),
    "of six": (setting("gf9-advanced", "spoilt 5", 6, late=True), 40),
    "of two": (setting("ah-basic", "spoilt 6", 2, late=True), 9),
    "a look at the auction": (
        scene_setting("gf9-advanced", "spoilt 7", "charity and a look at the auction", EXPANSION), 8,
    ),
    "gholas": (scene_setting("gf9-advanced", "spoilt 8", "gholas lead", EXPANSION), 3),
    "a captive": (scene_setting("gf9-advanced", "spoilt 9", "a captive", EXPANSION), 5),
    "face dancers": (scene_setting("gf9-basic", "spoilt 10", "a face dancer goes back", EXPANSION), 2),
    "a storm": (setting("wbc-2018", "spoilt 11", 4, (("bribery", "allowed"),)), 40),
    "the end": (setting("ah-basic", "spoilt 12", 3, (("max_turns", 1),)), 400),
}  # fmt: skip
Change = tuple[Place, Any]
TERMS = {"escrow": {"guild": 2}, "stage": "waiting", "released": False, "secret": False}
DEAL = {"parties": ["guild", "fremen"], "text": "A sale", "turn": 2, "pays": {"guild": 2}, "terms": TERMS}
WHOLE: tuple[Change, ...] = (
    (("deals",), []), (("deals",), [DEAL]), (("alliances",), [["guild", "fremen"]]), (("winners",), ["guild"]),
    (("alliances",), [["guild", "fremen"], ["guild", "emperor"]]), (("alliances",), [["guild"]]),
    (("alliances",), [["guild", "fremen", "emperor"]]), (("alliances",), [["guild", "fremen", "emperor", "atreides"]]),
    (("triple_alliances",), True), (("phase",), "over"), (("phase",), "mentat"), (("turn",), 16), (("turn",), 0),
    (("set_aside",), ["Family Atomics"]), (("shield_wall",), False), (("storm",), 19), (("storm",), 0),
    (("kwisatz_haderach",), "ready"), (("kwisatz_haderach",), "locked"), (("lost_in_battle",), 7),
    (("lost_in_battle",), 6), (("players", "harkonnen", "captured"), {"Stilgar": "fremen"}),
    (("players", "harkonnen", "captured"), {"Feyd Rautha": "harkonnen"}), (("spice",), {"arrakeen/10": 3}),
    (("spice",), {"red-chasm/7": 0}), (("spice",), {"red-chasm/7": 4}), (("expansion", "sandtrout"), True),
    (("expansion", "gholas"), {"Stilgar": "fremen"}), (("expansion", "gholas"), {"Stilgar": "guild"}),
    (("leaders", "Stilgar", "status"), "dead"), (("expansion", "dealt_cards"), ["Karama"]),
)  # fmt: skip


@cache
def _played(name: str) -> tuple[Play, bytes]:
    game, stops = GAMES[name]
    play, player = game.start(), game.player()
    for _ in range(stops):
        if play.over:
            break
        player.act(play)
    return play, msgspec.json.encode(play.state)


def _seeds() -> Iterator[str]:
    for name in GAMES:
        yield json.dumps([name, []])
        for change in WHOLE:
            yield json.dumps([name, [change]])


def _changed(built: Any, changes: Sequence[Change]) -> Any:
    for way, value in changes:
        *path, last = way
        here = built
        for step in path:
            if isinstance(here, dict) and step not in here:
                break
            if isinstance(here, list) and not (isinstance(step, int) and step < len(here)):
                break
            here = here[step]
        else:
            if isinstance(here, dict) and isinstance(last, str):
                here[last] = value
            elif isinstance(here, list) and isinstance(last, int):
                here[last : last + 1] = [] if value is None else [value]
    return built


def _vary(chance: Random, text: str, others: Sequence[str]) -> str:
    name, changes = json.loads(text)
    match chance.randrange(7):
        case 0:
            name = chance.choice(list(GAMES))
        case 1:
            changes.append(chance.choice(WHOLE))
        case 2 if changes:
            del changes[chance.randrange(len(changes))]
        case 3:
            changes.append((("deals",), [_deal(chance)]))
        case _:
            changes.append(_another(chance, _changed(json.loads(_played(name)[1]), changes)))
    return json.dumps([name, changes[-5:]])


def _deal(chance: Random) -> Any:
    escrow = {faction: chance.choice((0, 1, 2, 3)) for faction in chance.sample(("guild", "fremen", "emperor"), 2)}
    stages = ("waiting", "due", "kept", "broken")
    terms = {
        "escrow": chance.choice((escrow, {"guild": 2}, {"guild": 1}, {})), "stage": chance.choice(stages),
        "released": chance.random() < 0.4, "secret": chance.random() < 0.3,
    }  # fmt: skip
    pays = chance.choice(({}, {"guild": 2}, {"guild": 1, "fremen": 1}))
    return {**DEAL, "pays": pays, "terms": chance.choice((terms, terms, terms, None))}


def _another(chance: Random, built: Any) -> Change:
    ways = [way for way in places(built) if way[0] not in ("draws", "promises", "dot")]
    firsts = sorted({way[0] for way in ways}, key=str)
    first = chance.choice(firsts)
    way = chance.choice([way for way in ways if way[0] == first])
    here = built
    for step in way:
        here = here[step]
    match here:
        case bool():
            return way, not here
        case int():
            return way, here + chance.choice((-3, -1, 1, 1, 20))
        case str():
            names: tuple[Sequence[str], ...] = (
                FACTIONS,
                [*CARDS],
                [*LEADERS],
                [*AREAS],
                ["setup", "mentat", "over", "ready", "dead", "locked"],
            )
            return way, chance.choice(chance.choice(names))
        case list():
            return way, chance.choice(([], here[1:], [*here, *here[:1]], here[::-1]))
        case dict():
            keys: list[str] = [*FACTIONS, *LEADERS, *AREAS]
            return way, chance.choice((
                {}, dict(list(here.items())[1:]),
                {**here, chance.choice(keys): chance.choice([*here.values(), *FACTIONS])},
            ))  # fmt: skip
    return way, chance.choice((None, 1, True))


def _told(text: str) -> str:
    name, changes = json.loads(text)
    play, stored = _played(name)
    try:
        spoilt = msgspec.convert(_changed(json.loads(stored), changes), State, str_keys=True)
    except msgspec.ValidationError:
        return "no position"
    kept, play.game.state = play.game.state, spoilt
    try:
        return "\n".join(told_watch(play.game)) or "sound"
    except KeyError as error:
        return f"there is no {error}"
    finally:
        play.game.state = kept


SUBJECT = Subject("spoilt-positions", ("rules.engine.invariants",), _seeds, _vary, _told)
