"""Many watched games, one after the other or on several processors, and what became of them."""

from __future__ import annotations

import traceback
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field

from bot.soak.occurrences import Occurrences
from bot.soak.scenes import scenes_of
from bot.soak.watch import Setting, check_replay, play_under_watch, scene_setting, setting
from rules.rulesets.options import Value

FEWEST, MOST = 2, 6
CHUNK = 5
WHOLE_GAMES = 10
"""With an expansion every so many-th game is a whole one, and no scene."""


@dataclass(frozen=True, slots=True)
class Failure:
    """A game that went wrong: how it was set up, and the fault with the last places of its trace."""

    setting: Setting
    fault: str


@dataclass(slots=True)
class Soaked:
    """What became of some games."""

    occurred: Occurrences
    games: int = 0
    failures: list[Failure] = field(default_factory=list)

    def add(self, other: Soaked) -> None:
        self.games += other.games
        self.failures += other.failures
        self.occurred.merge(other.occurred)


def settings(ruleset: str, seed: str, games: int, options: tuple[tuple[str, Value], ...] = ()) -> list[Setting]:
    """So many games. Without an expansion they are of two to six players in turn, and every second one begins late.
    With an expansion, where there is more to be met, every tenth is such a game, and the others are its scenes in
    turn."""
    scenes = scenes_of(Setting(ruleset, seed, (), options=options).rules)
    every = WHOLE_GAMES if scenes else 1
    found: list[Setting] = []
    for number in range(games):
        whole, at = divmod(number, every)
        if at:
            scene = scenes[(number - whole - 1) % len(scenes)]
            found.append(scene_setting(ruleset, f"{seed} {number}", scene, options))
        else:
            players = FEWEST + whole % (MOST - FEWEST + 1)
            late = whole % 2 == 1
            found.append(setting(ruleset, f"{seed} {number}", players, options, late=late))
    return found


def soak(games: Sequence[Setting], jobs: int = 1) -> Iterator[Soaked]:
    """Play the games under watch and once more from their logs; what is known after every few of them.

    >>> [part.failures for part in soak(settings("ah-basic", "spice", 5))]  # doctest: +SKIP
    [[]]
    """
    chunks = [games[first : first + CHUNK] for first in range(0, len(games), CHUNK)]
    if jobs == 1:
        yield from map(_play_all, chunks)
    else:
        with ProcessPoolExecutor(jobs) as processes:
            yield from processes.map(_play_all, chunks)


def _play_all(games: Sequence[Setting]) -> Soaked:
    done = Soaked(Occurrences(games[0].rules))
    for game in games:
        done.games += 1
        try:
            play = play_under_watch(game)
            check_replay(game, play)
        except Exception:
            done.failures.append(Failure(game, traceback.format_exc(limit=-6)))
        else:
            done.occurred.add(play)
    return done
