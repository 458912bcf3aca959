"""Choose the games of the net: few and short ones, with as much in them as possible.

Random games of every rule set are played from their set-up, from late positions and from scenes. The chosen games show
the most new things for their length: kinds of events with their small facts, orders, and defaults.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from concurrent.futures import ProcessPoolExecutor
from typing import Any

import msgspec

from tests.recorded import engine
from tests.recorded.games import RecordedGame, kinds, look_at, record_from

SCENES, LATE, WHOLE, CORRECTED = 3, 10, 5, 6
"""The number of games played by each rule set: for each scene, and for each other kind of beginning."""

MOST_LOOKS = 120
"""In games longer than this, only some entries are looked at."""

OF_ITS_OWN = 30
"""The fixed cost of a game, in looks. Without it, two short games would count no more than one long game."""


def gather(seed: str, looks: int, jobs: int = 2) -> list[RecordedGame]:
    """Choose the best games for this number of looks, and a game of each rule set with a game master."""
    with ProcessPoolExecutor(jobs) as processes:
        tables = list(processes.map(_played, *zip(*((*of, seed) for of in engine.rule_sets()), strict=True)))
    games = [game for table in tables for game in table]
    chosen = _best(games, looks)
    for table in tables:
        chosen |= _best([game for game in table if game.style == "corrected"], 1)
    return [look_at(game, every(game)) for game in games if game.game in chosen]


def every(game: RecordedGame) -> int:
    """Return the number of entries between two looks at a game."""
    return 1 + len(game.steps) // MOST_LOOKS


def _played(ruleset: str, options: Mapping[str, Any], seed: str) -> list[RecordedGame]:
    """Play many games of one rule set."""
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
    """Yield games in which a game master acts, from a set-up and from a late position in turn."""
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
    """Return what a game shows: its kinds of events and orders, and the small facts, also by rule set."""
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
    """Reduce a value to what matters for the course of a game: none, true or false, a small number, or a word."""
    if value is None or isinstance(value, bool):
        return f"{value}"
    if isinstance(value, int | float):
        return f"{min(value, 4)}"
    return value if isinstance(value, str) and len(value) < 24 else f"{type(value).__name__} {bool(value)}"
