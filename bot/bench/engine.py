"""The engine alone: whole random games of six, and a decision of theirs compared with a bare generator step, the least
that one takes."""

from __future__ import annotations

import time
from collections.abc import Generator, Mapping, Sequence
from dataclasses import dataclass

from bot.bench.measure import Measured, Stopwatch, seconds_each
from rules.components.chance import Chance
from rules.engine.log import Entry
from rules.engine.play import Play
from rules.engine.rule_sets import load_rule_set
from rules.rulesets.ruleset import RuleSet
from rules.selfplay.random_player import random_game

STEPS = 20_000
MOMENTS_A_GAME = 20


def engine(rulesets: Sequence[str], games: int) -> list[Measured]:
    """Whole games with players who choose at random, the same games once more from their logs alone, and positions of
    theirs taken up from the last snapshot."""
    step = seconds_each(_bare_steps, 9, time.process_time) / STEPS
    found = [Measured("bare generator step", step * 1e6, "µs")]
    for name in rulesets:
        rules = load_rule_set(name)
        random_game(rules, "warm")
        with_players, from_logs, resumed = (Stopwatch(time.process_time) for _ in range(3))
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
            _resume_at_random(Play.start(rules, seed, seats), rules, seed, played.log, resumed)
        game, replayed = with_players.median, from_logs.median
        decision = from_logs.total / decisions
        found += [
            Measured(f"{name}: random game", game * 1e3, "ms", game / step, "a step"),
            Measured(f"{name}: game from log", replayed * 1e3, "ms", replayed / step, "a step"),
            Measured(f"{name}: resumed from snapshot", resumed.median * 1e3, "ms", resumed.median / step, "a step"),
            Measured(f"{name}: resumed, at worst", resumed.worst * 1e3, "ms", resumed.worst / step, "a step"),
            Measured(f"{name}: a decision", decision * 1e6, "µs", decision / step, "a step"),
            Measured(f"{name}: decisions", 1 / decision, "/s"),
        ]
    return found


def _resume_at_random(play: Play, rules: RuleSet, seed: str, log: Sequence[Entry], watch: Stopwatch) -> None:
    """Play a new game from a log, and at random moments take up its position from the snapshot of the phase."""
    moments = list(range(len(log)))
    Chance(seed, {}).shuffle("moments", moments)
    chosen = set(moments[:MOMENTS_A_GAME])
    for number, entry in enumerate(log):
        play.replay([entry])
        if number in chosen:
            since = play.log[play.snapshot.entries :]
            with watch.running():
                again = Play.resume(rules, seed, play.snapshot, since)
            if again.state != play.state:
                raise RuntimeError(f"{rules.name}, seed {seed!r}: the position resumed after entry {number} differs")


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
