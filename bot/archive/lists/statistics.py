"""Numbers over all games: who won how often, how sure that is, how long games last, what a Karama cost.

A share is never given without its interval and the number of games that it is of.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from statistics import median

from bot.archive.lists.summary import Summary
from rules.components import FACTIONS, Faction

ENOUGH = 30
"""With fewer games nothing is concluded."""


@dataclass(frozen=True, slots=True)
class Share:
    """``won`` of ``played`` games, and between which shares the true one lies in 19 of 20 cases."""

    won: int
    played: int
    low: float
    high: float


@dataclass(slots=True)
class Statistics:
    """What was counted."""

    games: int = 0
    factions: Mapping[Faction, Share] = field(default_factory=dict)
    by_rule_set: Mapping[str, Mapping[Faction, Share]] = field(default_factory=dict)
    by_turn: Mapping[int, Counter[Faction]] = field(default_factory=dict)
    by_kind: Mapping[str, Counter[Faction]] = field(default_factory=dict)
    games_of_kind: Counter[str] = field(default_factory=Counter)
    lengths: Counter[int] = field(default_factory=Counter)
    middle_length: float = 0.0
    karama: Mapping[int, Sequence[int]] = field(default_factory=dict)


def wilson(won: int, played: int, z: float = 1.959964) -> tuple[float, float]:
    """The interval of Wilson for a share, 95 % by default; from 0 to 1 where nothing was played.

    >>> [round(bound, 3) for bound in wilson(7, 10)]
    [0.397, 0.892]
    """
    if not played:
        return 0.0, 1.0
    share, square = won / played, z * z
    middle = share + square / (2 * played)
    spread = z * math.sqrt(share * (1 - share) / played + square / (4 * played * played))
    scale = 1 + square / played
    return max(0.0, (middle - spread) / scale), min(1.0, (middle + spread) / scale)


def statistics(games: Sequence[Summary]) -> Statistics:
    """Everything counted over these games. Winners who share a victory each have won."""
    by_rule_set: dict[str, list[Summary]] = defaultdict(list)
    by_turn: dict[int, Counter[Faction]] = defaultdict(Counter)
    by_kind: dict[str, Counter[Faction]] = defaultdict(Counter)
    karama: dict[int, list[int]] = defaultdict(list)
    for game in games:
        by_rule_set[game.ruleset].append(game)
        by_turn[game.turns].update(game.winners)
        by_kind[game.how].update(game.winners)
        if game.ended is not None:
            karama[game.ended.year] += [price for _, price in game.karama]
    lengths = [game.turns for game in games]
    return Statistics(
        games=len(games),
        factions=_shares(games),
        by_rule_set={ruleset: _shares(those) for ruleset, those in sorted(by_rule_set.items())},
        by_turn=dict(sorted(by_turn.items())),
        by_kind=dict(sorted(by_kind.items())),
        games_of_kind=Counter(game.how for game in games),
        lengths=Counter(lengths),
        middle_length=float(median(lengths)) if lengths else 0.0,
        karama={year: sorted(prices) for year, prices in sorted(karama.items()) if prices},
    )


def factions_of(games: Sequence[Summary]) -> list[Faction]:
    """The factions of these games, in the order of the data; those it does not know come last."""
    there = {seat.faction for game in games for seat in game.seats}
    return [faction for faction in FACTIONS if faction in there] + sorted(there - set(FACTIONS))


def _shares(games: Sequence[Summary]) -> dict[Faction, Share]:
    played = Counter(seat.faction for game in games for seat in game.seats)
    won = Counter(winner for game in games for winner in game.winners)
    return {
        faction: Share(won[faction], played[faction], *wilson(won[faction], played[faction]))
        for faction in factions_of(games)
    }
