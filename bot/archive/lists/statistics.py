"""Numbers over all games: who won how often, how sure that is, how long games last, what a Karama cost.

A share is never given without its interval and the number of games that it is of.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from statistics import median

from bot.archive.lists.summary import Summary
from bot.competition.statistics.shares import Share, share
from rules.components import FACTION_FACTS, Faction


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


def statistics(games: Sequence[Summary]) -> Statistics:
    """Everything counted over these games, of which there are some. Winners who share a victory each have won."""
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
        middle_length=float(median(lengths)),
        karama={year: sorted(prices) for year, prices in sorted(karama.items()) if prices},
    )


def factions_of(games: Sequence[Summary]) -> list[Faction]:
    """The factions of these games, in the order of the data."""
    there = {seat.faction for game in games for seat in game.seats}
    return [faction for faction in FACTION_FACTS if faction in there]


def _shares(games: Sequence[Summary]) -> dict[Faction, Share]:
    played = Counter(seat.faction for game in games for seat in game.seats)
    won = Counter(winner for game in games for winner in game.winners)
    return {faction: share(won[faction], played[faction]) for faction in factions_of(games)}
