"""Tune the numbers of a kind of opponent by self-play: ``python -m bot.lab.tuning sharp bid keep --games 60``.

One number at a time is made larger or smaller. Three seats play with the change and three with the ``pool``, in every
split of the factions in turn. A change is kept if it wins more than the numbers so far by 1.28 deviations. The same
seed gives the same games. What is found must be measured on other seeds (``mentat soak --players``) to be believed.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from statistics import fmean, pstdev

from bot.lab.matches import play_out
from rules.components import FACTIONS
from rules.opponents import Opponent
from rules.players import Temperament, temperament_named, weights_of

Numbers = Mapping[str, float]
STEPS = (1.5, 1 / 1.5)
SPLITS = tuple(combinations(FACTIONS, 3))
APART = 7  # few games already mix the factions if splits that follow each other are apart in the list


@dataclass(frozen=True, slots=True)
class Tuning:
    kind: Temperament
    pool: Temperament
    ruleset: str
    seed: str
    games: int

    def share(self, numbers: Numbers) -> tuple[float, float]:
        """Return the share of wins, in parts, of three seats with these numbers against the pool, and its deviation."""
        shares = [self._won(number, numbers) for number in range(self.games)]
        return fmean(shares), pstdev(shares) / len(shares) ** 0.5

    def _won(self, number: int, numbers: Numbers) -> float:
        tried, seed = SPLITS[APART * number % len(SPLITS)], f"{self.seed} {number}"
        seats = {faction: Opponent(faction, self.pool, f"{faction} {seed}") for faction in FACTIONS}
        seats |= {faction: Opponent(faction, self.kind, f"{faction} {seed}", numbers) for faction in tried}
        winners = play_out(self.ruleset, seed, seats).state.winners
        return sum(winner in tried for winner in winners) / len(winners) if winners else 0.5


def tune(tuning: Tuning, names: Sequence[str]) -> Iterator[tuple[str, float, float, float, bool]]:
    """Try each number larger and smaller; yield name, value, share, deviation, and whether it is kept."""
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
    reader = argparse.ArgumentParser(prog="python -m bot.lab.tuning")
    reader.add_argument("kind", type=temperament_named)
    reader.add_argument("names", nargs="+", choices=sorted(weights_of("steady")))
    for option, usual in (("pool", "steady"), ("ruleset", "wbc-2018"), ("seed", "tuning"), ("games", "60")):
        reader.add_argument(f"--{option}", default=usual)
    given = reader.parse_args()
    tuning = Tuning(given.kind, temperament_named(given.pool), given.ruleset, given.seed, int(given.games))
    for name, value, share, deviation, kept in tune(tuning, given.names):
        print(f"{name} = {value:g}: {share:.3f} +- {deviation:.3f}{' kept' if kept else ''}", flush=True)


if __name__ == "__main__":
    main()
