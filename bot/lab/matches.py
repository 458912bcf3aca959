"""Matches: whole games of opponents, to measure how they play.

One kind of player sits among five of another, at each faction in turn; or one kind has all seats. Every figure has its
Wilson interval, because a share of some hundred games is less certain than it looks.
"""

from __future__ import annotations

import time
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from math import sqrt

from bot.lab.occurrences import Occurrences
from bot.lab.soak import Setting
from rules.chapters.setup import MAX_TURNS
from rules.components import FACTIONS, Faction
from rules.components.chance import Chance
from rules.decisions.question import Question
from rules.engine.play import Play
from rules.opponents import Opponent, answer_next
from rules.orders import Order, QuestionKind
from rules.players import Temperament
from rules.random_players import MOST_STOPS, RandomPlayer
from rules.rulesets.options import Value

Kind = Temperament | None
"""Who plays a seat; None is a random player."""


def wilson(hits: float, of: int) -> tuple[float, float]:
    """Return the 95% interval of a share.

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
    """``one`` sits at each faction in turn, ``others`` have the other seats."""

    ruleset: str
    one: Kind
    others: Kind
    seed: str
    options: tuple[tuple[str, Value], ...] = ()


@dataclass(slots=True)
class MatchResult:
    """What came of a match. A win that is shared counts for each winner in ``shares`` by its part."""

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
    kinds = {faction: match.one if faction == one else match.others for faction in FACTIONS}
    seats = {}
    for faction, kind in kinds.items():
        if kind is not None:
            seats[faction] = _Timed(faction, kind, f"{kind} {faction} {seed}")
            seats[faction].result = result
    return play_out(match.ruleset, seed, seats, match.options)


def play_out(
    ruleset: str, seed: str, seats: Mapping[Faction, Opponent], options: tuple[tuple[str, Value], ...] = ()
) -> Play:
    """Play a game of six to its end, in seats that the seed shuffles. Seats that nobody has play at random."""
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
