"""The random games in which the tests of secrecy look for leaks: everything that decides how one goes."""

from __future__ import annotations

from dataclasses import dataclass

from rules.chance import Chance
from rules.components import FACTIONS, Faction
from rules.play import Play
from rules.random_player import RandomPlayer, random_seats
from rules.ruleset import load_rule_set

RULE_SETS = ("ah-basic", "wbc-2018")


@dataclass(frozen=True, slots=True)
class Setting:
    """One random game: its rule set, its chance, and who plays."""

    ruleset: str
    seed: str
    factions: tuple[Faction, ...]
    impulses: int = 25
    strays: int = 5

    def player(self) -> RandomPlayer:
        return RandomPlayer(f"player {self.seed}", impulses=self.impulses, strays=self.strays)

    def start(self) -> Play:
        return Play.start(load_rule_set(self.ruleset), self.seed, random_seats(self.seed, self.factions))


def setting(ruleset: str, seed: str, players: int) -> Setting:
    """A game of so many players whose factions follow from the seed."""
    factions = list(FACTIONS)
    Chance(seed, {}).shuffle("factions", factions)
    return Setting(ruleset, seed, tuple(factions[:players]))
