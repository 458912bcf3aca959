"""Tune the numbers of a kind of opponent by self-play.

One number at a time is made larger or smaller. Three seats play with the change and three with the ``pool``, in every
split of the factions in turn; a change is kept if the lower end of its interval (1.28 deviations) is above the share of
the numbers so far. All games are the same for the same seed, so a tuning can be repeated to the byte. What it finds
must be measured again on other seeds, among five of another kind (``mentat soak --players``), before it is believed::

    python -m bot.lab.tuning sharp bid keep comes --games 60 --seed tuning
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import sqrt

from bot.lab.soak import Setting
from rules.components import FACTIONS, Faction
from rules.components.chance import Chance
from rules.engine.play import Play
from rules.opponents import Opponent, answer_next
from rules.players import Temperament, temperament_named, weights_of
from rules.random_players import MOST_STOPS, RandomPlayer

Numbers = Mapping[str, float]
STEPS = (1.5, 1 / 1.5)
SPLITS: Sequence[tuple[Faction, ...]] = tuple(combinations(FACTIONS, 3))
APART = 7
"""Splits that follow each other are so many places apart in the list, so that few games already mix the factions."""


@dataclass(frozen=True, slots=True)
class Tuning:
    """Whose numbers are tuned, against whom, and on which games."""

    kind: Temperament
    pool: Temperament
    ruleset: str
    seed: str
    games: int

    def share(self, numbers: Numbers) -> tuple[float, float]:
        """Return the share of wins, in parts, of three seats with these numbers against the pool, and its deviation."""
        shares = [self._won(number, numbers) for number in range(self.games)]
        mean = sum(shares) / len(shares)
        return mean, sqrt(sum((one - mean) ** 2 for one in shares) / len(shares) ** 2)

    def _won(self, number: int, numbers: Numbers) -> float:
        tried = SPLITS[APART * number % len(SPLITS)]
        winners = self._game(f"{self.seed} {number}", tried, numbers).state.winners
        return sum(winner in tried for winner in winners) / len(winners) if winners else 0.5

    def _game(self, seed: str, tried: Sequence[Faction], numbers: Numbers) -> Play:
        factions = list(FACTIONS)
        Chance(seed, {}).shuffle("order of the seats", factions)
        play = Setting(self.ruleset, seed, tuple(factions)).start()
        seats = {
            faction: Opponent(faction, self.kind, f"{faction} {seed}", numbers)
            if faction in tried
            else Opponent(faction, self.pool, f"{faction} {seed}")
            for faction in factions
        }
        dice = RandomPlayer(seed)
        for _ in range(MOST_STOPS):
            if play.over:
                return play
            if not answer_next(play, seats):
                dice.act(play)
        raise RuntimeError(f"{self.ruleset}, seed {seed!r}: still in turn {play.state.turn}")


def tune(tuning: Tuning, names: Sequence[str]) -> Iterator[tuple[str, float, float, float, bool]]:
    """Try each number larger and smaller; yield its name and value, the share with its deviation, and whether it is
    kept."""
    numbers = dict(weights_of(tuning.kind))
    best, _ = tuning.share(numbers)
    yield "as it is", 0.0, best, 0.0, True
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
    reader = argparse.ArgumentParser(prog="python -m bot.lab.tuning")
    reader.add_argument("kind", type=temperament_named)
    reader.add_argument("names", nargs="+", choices=sorted(weights_of("steady")))
    reader.add_argument("--pool", type=temperament_named, default="steady")
    reader.add_argument("--ruleset", default="wbc-2018")
    reader.add_argument("--games", type=int, default=60)
    reader.add_argument("--seed", default="tuning")
    given = reader.parse_args()
    tuning = Tuning(given.kind, given.pool, given.ruleset, given.seed, given.games)
    for name, value, share, deviation, kept in tune(tuning, given.names):
        print(f"{name} = {value:g}: {share:.3f} +- {deviation:.3f}{' kept' if kept else ''}", flush=True)


if __name__ == "__main__":
    main()
