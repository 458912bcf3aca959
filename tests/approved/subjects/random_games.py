"""Random games: the positions that late games and scenes begin with, what daring, plain and live players do in them,
and what is counted of it."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from random import Random
from typing import Any

import msgspec

from bot.lab.occurrences import Occurrences
from bot.lab.scenes import SCENES, scenes_of
from bot.lab.soak import Setting, check_questions, check_replay, check_resume, scene_setting, setting, settings
from bot.lab.soak_players import LivePlayer, Statement
from rules.engine.log import Entry
from rules.engine.play import Play
from rules.players import RandomPlayer
from rules.rulesets.options import RuleSetError
from rules.rulesets.ruleset import RULE_SETS
from tests.approved.subject import Subject
from tests.approved.subjects.written_positions import told_state, told_watch

EXPANSION: dict[str, Any] = {"expansion": "ixians-tleilaxu"}
OPTIONS: tuple[dict[str, Any], ...] = (
    {}, {"karama_half_rate_for": "any_player"}, {"truthtrance_unknown_answer": "allowed_card_kept"}, {"max_turns": 1},
    {"bribery": "allowed"}, {"combat_model": "spice_supported"}, {"alliances_enabled": "off"}, {"max_turns": 3},
    {"kwisatz_haderach": "off"}, {"technology": "on"}, {"tleilaxu_gholas": "off"},
)  # fmt: skip
STYLES = ("daring", "plain", "live")
OF_EXPANSION = ("gf9-basic", "gf9-advanced")
MOST_STOPS, OFTEN = 70, 25


def _seeds() -> Iterator[str]:
    for number, ruleset in enumerate(RULE_SETS):
        for players in (2, 3, 4, 6):
            for late in (False, True):
                yield _input(ruleset, f"{number}", players, late=late, style=STYLES[players % 3])
    for number, scene in enumerate(SCENES):
        yield _input(OF_EXPANSION[number % 2], "scene", 4, EXPANSION, scene=scene)
        yield _input(OF_EXPANSION[1 - number % 2], "again", 4, EXPANSION, scene=scene, style=STYLES[number % 3])


def _input(
    ruleset: str, seed: str, players: int, options: Any = None, *, late: bool = False, scene: str = "",
    style: str = "daring", stops: int = OFTEN,
) -> str:  # fmt: skip
    return json.dumps({
        "ruleset": ruleset, "seed": seed, "players": players, "options": options or {}, "late": late, "scene": scene,
        "style": style, "stops": stops, "impulses": 35, "strays": 5, "bargains": 0, "boldness": 70,
    })  # fmt: skip


def _vary(chance: Random, text: str, others: Sequence[str]) -> str:
    game, other = json.loads(text), json.loads(chance.choice(others))
    for _ in range(chance.choice((1, 2, 3))):
        match chance.randrange(9):
            case 0 | 1 | 2:
                game["seed"] = str(chance.randrange(10_000))
            case 3:
                game["options"] = chance.choice(({}, EXPANSION, game["options"])) | chance.choice(OPTIONS)
            case 4:
                game["ruleset"] = chance.choice(RULE_SETS)
            case 5:
                game["scene"], game["options"] = other["scene"], EXPANSION if other["scene"] else game["options"]
            case 6:
                game["players"], game["late"] = chance.choice((2, 3, 4, 5, 6)), not game["late"]
            case 7:
                game["stops"] = chance.choice((0, 1, OFTEN, MOST_STOPS))
            case 8:
                game["style"] = chance.choice(STYLES)
                game["impulses"], game["strays"] = chance.choice((0, 15, 35, 90)), chance.choice((0, 5, 40))
                game["bargains"], game["boldness"] = chance.choice((0, 0, 50)), chance.choice((0, 70, 100))
    return json.dumps(game)


def _told(text: str) -> str:
    asked = json.loads(text)
    if asked["late"] or asked["scene"]:
        asked["options"].pop("max_turns", None)  # no late position has so few turns
    try:
        game = setting_of(asked)
        if asked["scene"] and not set(SCENES[asked["scene"]].needs) <= set(game.factions):
            return "nobody is there for that scene"
        play = game.start()
    except RuleSetError as error:
        return f"no game: {error}"
    said = [f"{', '.join(game.factions)}; wishes {', '.join(game.wishes)}", *told_state(play.state)]
    said += _played(game, play, asked)
    said += _counted(play)
    said += _sound(game, play)
    said += _of_a_run(asked)
    return "\n".join(said)


def setting_of(asked: Any) -> Setting:
    """The game that an input asks for."""
    options = tuple(asked["options"].items())
    if asked["scene"]:
        game = scene_setting(asked["ruleset"], asked["seed"], asked["scene"], options)
    else:
        game = setting(asked["ruleset"], asked["seed"], asked["players"], options, late=asked["late"])
    return replace(game, impulses=asked["impulses"], strays=asked["strays"])


def _played(game: Setting, play: Play, asked: Any) -> Iterator[str]:
    """What is done at some stops."""
    if asked["style"] == "live":
        live = LivePlayer(f"player {game.seed}", game.impulses)
        for _ in range(min(asked["stops"], MOST_STOPS)):
            if play.over:
                break
            said = live.decide(play)
            yield f"{said.how} {said.cap or ''} {said.card or ''}"
            yield from _done(play, partial(_say, play, said))
        yield from (f"{h.faction} {h.kind} {h.order} {h.first} {h.last} {h.over} {h.line}" for h in live.habits)
        return
    player = game.player() if asked["style"] == "daring" else RandomPlayer(
        f"player {game.seed}", boldness=asked["boldness"], impulses=asked["impulses"], strays=asked["strays"],
        bargains=asked["bargains"],
    )  # fmt: skip
    for _ in range(min(asked["stops"], MOST_STOPS)):
        if play.over:
            break
        yield from _done(play, partial(player.act, play))


def _say(play: Play, said: Statement) -> None:
    play.submit(said.faction, [said.order])
    play.advance()


def _done(play: Play, act: Callable[[], None]) -> Iterator[str]:
    before = len(play.log)
    act()
    yield from map(_entry, play.log[before:])


def _entry(entry: Entry) -> str:
    built = msgspec.to_builtins(entry, str_keys=True)
    return json.dumps(built, sort_keys=True)


def _counted(play: Play) -> Iterator[str]:
    occurred = Occurrences(play.game.rules)
    occurred.add(play)
    occurred.merge(occurred)
    for name, counted in (("powers", occurred.powers), ("events", occurred.events), ("orders", occurred.orders)):
        yield f"{name}: {_times(counted)}"
    yield f"{len(occurred.powers)} powers, too rare {[len(occurred.too_rare(games)) for games in (999, 1000, 2000)]}"


def _times(counted: Counter[str]) -> str:
    return ", ".join(f"{name} {times}" for name, times in sorted(counted.items()) if times)


def _sound(game: Setting, play: Play) -> Iterable[str]:
    yield from told_watch(play.game)
    try:
        if not play.over:
            check_questions(play)
            check_resume(game, play)
        check_replay(game, play)
    except AssertionError as error:
        yield f"not sound: {error}"


def _of_a_run(asked: Any) -> Iterator[str]:
    """The first games of a long run with such a rule set."""
    options = tuple(asked["options"].items())
    names = scenes_of(Setting(asked["ruleset"], "", (), options=options).rules)
    yield f"{len(names)} scenes, {' '.join(f'{len(name)}' for name in names)}"
    for one in settings(asked["ruleset"], asked["seed"], 13, options):
        yield f"{one.seed} {' '.join(one.factions)} {one.late} {one.scene}"


SUBJECT = Subject("random-games", ("bot.lab", "rules.players"), _seeds, _vary, _told)
