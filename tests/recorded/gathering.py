"""Chooses the games of the net: few, short, and with as much in them as possible.

Games of every rule set are played at random, from their set-up, late, and in scenes; those are taken in which the most
occurs for their length that no other has shown: kinds of events with their small facts, orders, answers of silence.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from concurrent.futures import ProcessPoolExecutor
from typing import Any

import msgspec

from tests.recorded import engine
from tests.recorded.games import RecordedGame, kinds, look_at, record_from

SCENES, LATE, WHOLE, CORRECTED = 3, 10, 5, 6
"""How many games of each scene, and of each other beginning, are played by each rule set."""

MOST_LOOKS = 120
"""In a longer game not every entry is looked at."""

OF_ITS_OWN = 30
"""What a game costs besides its looks, in looks: so that of two that show as much the longer is not two of them."""


def gather(seed: str, looks: int, jobs: int = 2) -> list[RecordedGame]:
    """The best games that can be had for so many looks in all, and of each rule set one that a game master corrects."""
    with ProcessPoolExecutor(jobs) as processes:
        tables = list(processes.map(_played, *zip(*((*of, seed) for of in engine.rule_sets()), strict=True)))
    games = [game for table in tables for game in table]
    chosen = _best(games, looks)
    for table in tables:
        chosen |= _best([game for game in table if game.style == "corrected"], 1)
    return [look_at(game, every(game)) for game in games if game.game in chosen]


def every(game: RecordedGame) -> int:
    """After how many entries it is looked at."""
    return 1 + len(game.steps) // MOST_LOOKS


def _played(ruleset: str, options: Mapping[str, Any], seed: str) -> list[RecordedGame]:
    """Many games of one rule set. One in which the code fails, as a scene's players cannot be found, is left out."""
    begun = _beginnings(ruleset, options, seed)
    name = f"{ruleset} with {', '.join(options.values())}" if options else ruleset
    return [record_from(begins, f"{name}: {what}", style) for what, style, begins in begun]


def _beginnings(
    ruleset: str, options: Mapping[str, Any], seed: str
) -> Iterator[tuple[str, engine.Style, engine.Begun]]:  # fmt: skip
    for name in engine.scenes(ruleset, options):
        for n in range(SCENES):
            yield f"{name}, {seed} {n}", "daring", engine.scene(ruleset, options, f"{seed} {n}", name)
    for n in range(LATE):
        yield f"late, {seed} {n}", "daring", engine.late(ruleset, options, f"{seed} {n}", 4 + n % 3)
    for n in range(WHOLE):
        style: engine.Style = "daring" if n % 2 else "plain"
        yield f"{seed} {n}", style, engine.whole(ruleset, options, f"{seed} {n}", 2 + n % 5)
    yield from _corrected(ruleset, options, seed)


def _corrected(ruleset: str, options: Mapping[str, Any], seed: str) -> Iterator[tuple[str, engine.Style, engine.Begun]]:
    """Games in which a game master acts, from their set-up and late ones in turn."""
    for n in range(CORRECTED):
        begin, name = engine.late if n % 2 else engine.whole, f"{seed} {ruleset} {n}"
        yield f"corrected, {seed} {n}", "corrected", begin(ruleset, options, name, 3 + n % 4)


def _best(games: Iterable[RecordedGame], looks: int) -> set[str]:
    left = {game.game: (_shown(game), len(game.steps) / every(game) + OF_ITS_OWN) for game in games}
    chosen, seen = set[str](), set[str]()
    while left and looks > 0:
        best = max(left, key=lambda name: len(left[name][0] - seen) / left[name][1])
        shown, cost = left.pop(best)
        seen |= shown
        looks -= round(cost) - OF_ITS_OWN
        chosen.add(best)
    return chosen


def _shown(game: RecordedGame) -> set[str]:
    """What occurs in it: the kinds of events and orders, and each fact that is small, by the rule set too."""
    events = [msgspec.json.decode(event) for event in [*game.opening, *(e for step in game.steps for e in step.events)]]
    facts = {
        f"{event['kind']} {name} {_small(value)}"
        for event in events
        for part in (event["facts"], *event["private"].values())
        for name, value in part.items()
    }
    of_rule_set = {f"{game.ruleset} {bool(game.options)} {event['phase']} {event['kind']}" for event in events}
    return {*kinds(game), *facts, *of_rule_set}


def _small(value: object) -> str:
    """What tells values apart that lead elsewhere: nothing, yes or no, a few, a word."""
    if value is None or isinstance(value, bool):
        return f"{value}"
    if isinstance(value, int | float):
        return f"{min(value, 4)}"
    return value if isinstance(value, str) and len(value) < 24 else f"{type(value).__name__} {bool(value)}"
