"""The engine alone: whole random games of six, compared with a bare generator step, the least that a decision takes."""

from __future__ import annotations

import time
from collections.abc import Generator, Mapping, Sequence
from dataclasses import dataclass

from bot.bench.measure import Measured, Stopwatch, seconds_each
from rules.play import Play
from rules.random_player import random_game
from rules.ruleset import load_rule_set

STEPS = 20_000
MOST_STEPS_A_GAME = 10_700
"""Bare steps that a whole game may cost: 30 ms where a step takes 2.8 µs."""


def engine(rulesets: Sequence[str], games: int) -> list[Measured]:
    """Whole games with players who choose at random, and the same games once more from their logs alone."""
    step = seconds_each(_bare_steps, 9, time.process_time) / STEPS
    found = [Measured("bare generator step", step * 1e6, "µs")]
    for name in rulesets:
        rules = load_rule_set(name)
        random_game(rules, "warm")
        with_players, from_logs = Stopwatch(time.process_time), Stopwatch(time.process_time)
        decisions = 0
        for number in range(games):
            seed = f"bench {number}"
            with with_players.running():
                played = random_game(rules, seed)
            decisions += len(played.log)
            seats = {faction: player.dot for faction, player in played.state.players.items()}
            with from_logs.running():
                again = Play.start(rules, seed, seats)
                again.replay(played.log)
            if again.state != played.state:
                raise RuntimeError(f"{name}, seed {seed!r}: the replay differs")
        game, replayed = with_players.median, from_logs.median
        decision = from_logs.total / decisions
        found += [
            Measured(f"{name}: random game", game * 1e3, "ms", game / step, "a step"),
            Measured(f"{name}: game from log", replayed * 1e3, "ms", replayed / step, "a step", MOST_STEPS_A_GAME),
            Measured(f"{name}: a decision", decision * 1e6, "µs", decision / step, "a step"),
            Measured(f"{name}: decisions", 1 / decision, "/s"),
        ]
    return found


@dataclass(frozen=True, slots=True)
class _Asked:
    faction: str
    kind: str
    subject: str
    about: Mapping[str, int]
    choices: Sequence[str]


@dataclass(frozen=True, slots=True)
class _Happened:
    number: int
    turn: int
    phase: str
    kind: str
    facts: Mapping[str, object]
    audience: frozenset[str]


@dataclass(slots=True)
class _Purse:
    spice: int = 0


def _bare_steps() -> None:
    """Ask, be answered, note what happened, change something: what a decision is made of, and no rule."""
    everybody: frozenset[str] = frozenset()

    def flow(events: list[_Happened], purse: _Purse) -> Generator[_Asked, int, None]:
        for number in range(STEPS):
            amount = yield _Asked("guild", "bid", "", {"card": number}, ("pass", "bid 3"))
            purse.spice = amount
            events.append(_Happened(number, 1, "bidding", "bid", {"faction": "guild", "amount": amount}, everybody))

    running = flow([], _Purse())
    next(running)
    try:
        while True:
            running.send(3)
    except StopIteration:
        return
