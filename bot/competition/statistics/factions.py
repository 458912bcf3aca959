"""By faction: how often it wins, against how often a seat would; what it holds; when it wins; its best game."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction

import msgspec

from bot.competition.outcomes import Handle, TableOutcome
from bot.competition.points import printed
from bot.competition.statistics.shares import Share, decided, fair_share, share
from rules.components import FACTION_FACTS, Faction


class FactionFigures(msgspec.Struct, frozen=True, kw_only=True):
    """A faction over all the games in which it was ``played``. ``expected`` are the wins of a seat like any other at
    the same tables, ``by_expected`` the wins divided by them ("" where nothing is expected); ``strongholds_per_turn``
    is a mean over ``measured`` games; ``victory_turn`` the mean turn of its wins ("" without one). Numbers that are no
    counts are printed, to four decimals."""

    faction: Faction
    played: int
    wins: Share
    expected: str
    by_expected: str
    strongholds_per_turn: str
    measured: int
    victory_turn: str
    traitors: int


def by_faction(outcomes: Iterable[TableOutcome]) -> list[FactionFigures]:
    """The figures of each faction that was played, in the order of the data."""
    games = list(outcomes)
    return [_figures(faction, games) for faction in factions_of(games)]


def factions_of(outcomes: Iterable[TableOutcome]) -> list[Faction]:
    """The factions that were played, in the order of the data; those that it does not know come last."""
    there = {seat.faction for outcome in outcomes for seat in outcome.seats}
    return [faction for faction in FACTION_FACTS if faction in there] + sorted(there - FACTION_FACTS.keys())


def _figures(faction: Faction, games: Sequence[TableOutcome]) -> FactionFigures:
    own = [one for one in games if any(seat.faction == faction for seat in one.seats)]
    told = decided(own)
    won = [one for one in told if faction in one.winners]
    expected = sum(map(fair_share, told), Fraction())
    measured = [per_turn for one in own if (per_turn := strongholds_per_turn(one, faction)) is not None]
    return FactionFigures(
        faction=faction,
        played=len(own),
        wins=share(len(won), len(told)),
        expected=printed(expected),
        by_expected=printed(len(won) / expected) if expected else "",
        strongholds_per_turn=_mean(measured),
        measured=len(measured),
        victory_turn=_mean([Fraction(one.turn) for one in won]),
        traitors=sum(one.traitors.get(faction, 0) for one in own),
    )


def strongholds_per_turn(outcome: TableOutcome, faction: Faction) -> Fraction | None:
    """The strongholds that a faction held at the end of a turn on average; None where nobody counted them."""
    if not outcome.turn or not any(seat.strongholds_over_turns or seat.strongholds for seat in outcome.seats):
        return None
    return Fraction(outcome.seat(faction).strongholds_over_turns, outcome.turn)


def _mean(numbers: Sequence[Fraction]) -> str:
    return printed(sum(numbers, Fraction()) / len(numbers)) if numbers else ""


class BestGame(msgspec.Struct, frozen=True, kw_only=True):
    """The best single game with a faction, by strongholds held per turn, which a loser can have as well as a winner.
    ``by`` is who held the seat longest, "" where that is not said; ``of`` the games that were compared."""

    faction: Faction
    game: str
    by: Handle
    strongholds_per_turn: str
    won: bool
    of: int


def best_games(outcomes: Iterable[TableOutcome]) -> list[BestGame]:
    """The "best faction" list: for each faction its best game. Of equal ones a victory comes first, then the shorter
    game, then the one whose id does."""
    games = [one for one in outcomes if one.kind != "void"]
    best = []
    for faction in factions_of(games):
        compared = [
            (per_turn, faction in one.winners, -one.turn, one)
            for one in sorted(games, key=lambda one: one.game)
            if any(seat.faction == faction for seat in one.seats)
            and (per_turn := strongholds_per_turn(one, faction)) is not None
        ]
        if not compared:
            continue
        per_turn, won, _, game = max(compared, key=lambda one: one[:3])
        best.append(
            BestGame(
                faction=faction, game=game.game, by=_holder(game, faction), strongholds_per_turn=printed(per_turn),
                won=won, of=len(compared),
            )
        )  # fmt: skip
    return best


def _holder(outcome: TableOutcome, faction: Faction) -> Handle:
    tenures = outcome.seat(faction).tenures
    return max(tenures, key=lambda one: one.last - one.first).entrant if tenures else ""
