"""Matches: whole games of computer opponents, to measure how well they play.

One kind of player sits among five of another kind, with each faction in turn; or one kind has all seats. Every figure
comes with its Wilson interval, because a percentage from a few hundred games is less certain than it looks.

``python -m bot.lab.matches sharp bid keep --games 60`` tunes numbers by self-play: it tries a larger and a smaller
value for one number at a time. Three seats play with the change and three as the ``pool``, with every split of the
factions in turn. A change is kept if its win rate exceeds that of the previous numbers by at least 1.28 standard
deviations. The result must then be confirmed with other seeds.
"""

from __future__ import annotations

import argparse
import time
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from math import sqrt
from statistics import fmean, pstdev

from bot.lab.occurrences import Occurrences
from bot.lab.soak import Setting
from rules.chapters.setup import MAX_TURNS
from rules.components import FACTIONS, Faction
from rules.components.chance import Chance
from rules.decisions.question import Question
from rules.engine.play import Play
from rules.opponents import Opponent, answer_next
from rules.orders import Order, QuestionKind
from rules.players import Temperament, temperament_named, weights_of
from rules.random_players import MOST_STOPS, RandomPlayer
from rules.rulesets.options import Value

Kind = Temperament | None
"""The kind of player who has a seat; None is a random player."""


def wilson(hits: float, of: int) -> tuple[float, float]:
    """Return the 95% confidence interval of a proportion: ``hits`` successes in ``of`` trials.

    >>> [round(end, 3) for end in wilson(285, 300)]
    [0.919, 0.969]
    """
    if not of:
        return 0.0, 1.0
    share, z = hits / of, 1.96
    middle = share + z * z / (2 * of)
    spread = z * sqrt(share * (1 - share) / of + z * z / (4 * of * of))
    return (middle - spread) / (1 + z * z / of), (middle + spread) / (1 + z * z / of)


@dataclass(frozen=True, slots=True)
class Match:
    ruleset: str
    one: Kind
    others: Kind
    seed: str
    options: tuple[tuple[str, Value], ...] = ()


@dataclass(slots=True)
class MatchResult:
    """The result of a match. ``shares`` counts the wins of each faction; a win shared by several factions counts as a
    fraction for each."""

    occurred: Occurrences
    games: int = 0
    wins: int = 0
    early: int = 0
    turns: list[int] = field(default_factory=list)
    how: Counter[str] = field(default_factory=Counter)
    shares: defaultdict[Faction, float] = field(default_factory=lambda: defaultdict(float))
    one_share: float = 0.0
    seconds: defaultdict[QuestionKind, float] = field(default_factory=lambda: defaultdict(float))
    decisions: Counter[QuestionKind] = field(default_factory=Counter)
    slowest: float = 0.0

    @property
    def milliseconds(self) -> float:
        return 1000 * sum(self.seconds.values()) / max(1, self.decisions.total())

    def add(self, play: Play, one: Faction) -> None:
        winners = play.state.winners
        self.games += 1
        self.wins += one in winners
        self.one_share += (one in winners) / len(winners) if winners else 0.0
        self.early += play.state.turn < MAX_TURNS(play.game.rules)
        self.turns.append(play.state.turn)
        self.how.update(event.facts["how"] for event in play.events if event.kind == "game-won")
        for winner in winners:
            self.shares[winner] += 1 / len(winners)
        self.occurred.add(play)


class _Timed(Opponent):
    result: MatchResult

    def orders(self, play: Play, question: Question, *more: object) -> list[Order]:
        began = time.perf_counter()
        found = Opponent.orders(self, play, question)
        taken = time.perf_counter() - began
        self.result.seconds[question.kind] += taken
        self.result.decisions[question.kind] += 1
        self.result.slowest = max(self.result.slowest, taken)
        return found


def play_match(match: Match, games: int) -> Iterator[MatchResult]:
    result = MatchResult(Occurrences(Setting(match.ruleset, "", FACTIONS, options=match.options).rules))
    for number in range(games):
        one = FACTIONS[number % len(FACTIONS)]
        result.add(_game(match, f"{match.seed} {number}", one, result), one)
        yield result


def _game(match: Match, seed: str, one: Faction, result: MatchResult) -> Play:
    seats = {}
    for faction in FACTIONS:
        if kind := match.one if faction == one else match.others:
            seats[faction] = _Timed(faction, kind, f"{kind} {faction} {seed}")
            seats[faction].result = result
    return play_out(match.ruleset, seed, seats, match.options)


def play_out(
    ruleset: str, seed: str, seats: Mapping[Faction, Opponent], options: tuple[tuple[str, Value], ...] = ()
) -> Play:
    factions = list(FACTIONS)
    Chance(seed, {}).shuffle("order of the seats", factions)
    play = Setting(ruleset, seed, tuple(factions), options=options).start()
    dice = RandomPlayer(seed)
    for _ in range(MOST_STOPS):
        if play.over:
            return play
        if not answer_next(play, seats):
            dice.act(play)
    raise RuntimeError(f"{ruleset}, seed {seed!r}: still in turn {play.state.turn}")


# --- tuning ----------------------------------------------------------------------------------------------------------

Numbers = Mapping[str, float]
STEPS = (1.5, 1 / 1.5)
SPLITS = tuple(combinations(FACTIONS, 3))


@dataclass(frozen=True, slots=True)
class Tuning:
    kind: Temperament
    pool: Temperament
    ruleset: str
    seed: str
    games: int

    def share(self, numbers: Numbers) -> tuple[float, float]:
        """Return the share of games that three seats with these numbers win against the pool, and its standard
        error."""
        shares = [self._won(number, numbers) for number in range(self.games)]
        return fmean(shares), pstdev(shares) / len(shares) ** 0.5

    def _won(self, number: int, numbers: Numbers) -> float:
        tried, seed = SPLITS[7 * number % len(SPLITS)], f"{self.seed} {number}"
        seats = {faction: Opponent(faction, self.pool, f"{faction} {seed}") for faction in FACTIONS}
        seats |= {faction: Opponent(faction, self.kind, f"{faction} {seed}", numbers) for faction in tried}
        winners = play_out(self.ruleset, seed, seats).state.winners
        return sum(winner in tried for winner in winners) / len(winners) if winners else 0.5


def tune(tuning: Tuning, names: Sequence[str]) -> Iterator[tuple[str, float, float, float, bool]]:
    numbers = dict(weights_of(tuning.kind))
    best, deviation = tuning.share(numbers)
    yield "as it is", 0.0, best, deviation, True
    for name in names:
        for step in STEPS:
            value = round(numbers[name] * step, 3)
            share, deviation = tuning.share(numbers | {name: value})
            kept = share - 1.28 * deviation > best
            yield name, value, share, deviation, kept
            if kept:
                numbers[name], best = value, share
                break


def main() -> None:
    reader = argparse.ArgumentParser(prog="python -m bot.lab.matches")
    reader.add_argument("kind", type=temperament_named)
    reader.add_argument("names", nargs="+", metavar="NUMBER")
    for option, usual in (("pool", "steady"), ("ruleset", "wbc-2018"), ("seed", "tuning"), ("games", "60")):
        reader.add_argument(f"--{option}", default=usual)
    given = reader.parse_args()
    tuning = Tuning(given.kind, temperament_named(given.pool), given.ruleset, given.seed, int(given.games))
    for name, value, share, deviation, kept in tune(tuning, given.names):
        print(f"{name} = {value:g}: {share:.3f} +- {deviation:.3f}{' kept' if kept else ''}", flush=True)


if __name__ == "__main__":
    main()
