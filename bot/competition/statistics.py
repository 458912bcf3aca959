"""Statistics of finished tables: factions, alliances, lengths of games, players, and how reliable players are.

Everything is computed from results (``TableOutcome``), which contain nothing about games in play. Every number is given
together with the number of games on which it is based, and every share with its confidence interval. Agreed and void
tables do not show who tends to win, so they are left out of shares of wins.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from itertools import combinations
from statistics import median

import msgspec

from bot.competition.outcomes import Handle, TableOutcome
from bot.competition.scoring import printed_points
from rules.components import FACTION_FACTS, Faction

ENOUGH_GAMES = 30


class Share(msgspec.Struct, frozen=True):
    won: int
    played: int
    low: float
    high: float

    @property
    def too_few(self) -> bool:
        return self.played < ENOUGH_GAMES


def share(won: int, played: int) -> Share:
    low, high = wilson(won, played)
    return Share(won, played, round(low, 4), round(high, 4))


def wilson(won: int, played: int, z: float = 1.959964) -> tuple[float, float]:
    """Return the Wilson interval of a share, with 95 % confidence by default. If nothing was played, it extends from 0
    to 1.

    >>> [round(bound, 4) for bound in wilson(8, 14)]
    [0.3259, 0.7862]
    """
    if not played:
        return 0.0, 1.0
    part, square = won / played, z * z
    middle = part + square / (2 * played)
    spread = z * math.sqrt(part * (1 - part) / played + square / (4 * played * played))
    scale = 1 + square / played
    return max(0.0, (middle - spread) / scale), min(1.0, (middle + spread) / scale)


def decided_outcomes(outcomes: Iterable[TableOutcome]) -> list[TableOutcome]:
    return [one for one in outcomes if one.kind not in ("agreed", "void") and one.winners]


def fair_share(outcome: TableOutcome) -> Fraction:
    """Return the expected number of wins of a seat if all seats were equal: the number of winners divided by the number
    of seats."""
    return Fraction(len(outcome.winners), len(outcome.seats))


class FactionFigures(msgspec.Struct, frozen=True, kw_only=True):
    """The figures of a faction over all the games in which it was ``played``.

    - ``expected`` is the expected number of wins of an average seat at the same tables. ``by_expected`` is the
      faction's wins divided by that number, or "".
    - ``strongholds_per_turn`` is a mean over ``measured`` games.
    - ``victory_turn`` is the mean of the turns in which it won, or "".

    Numbers that are not counts are printed with four decimals.
    """

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
    games = list(outcomes)
    return [_figures(faction, games) for faction in factions_of(games)]


def factions_of(outcomes: Iterable[TableOutcome]) -> list[Faction]:
    there = {seat.faction for outcome in outcomes for seat in outcome.seats}
    return [faction for faction in FACTION_FACTS if faction in there] + sorted(there - FACTION_FACTS.keys())


def _figures(faction: Faction, games: Sequence[TableOutcome]) -> FactionFigures:
    own = [one for one in games if any(seat.faction == faction for seat in one.seats)]
    told = decided_outcomes(own)
    won = [one for one in told if faction in one.winners]
    expected = sum(map(fair_share, told), Fraction())
    measured = [per_turn for one in own if (per_turn := strongholds_per_turn(one, faction)) is not None]
    return FactionFigures(
        faction=faction,
        played=len(own),
        wins=share(len(won), len(told)),
        expected=printed_points(expected),
        by_expected=printed_points(len(won) / expected) if expected else "",
        strongholds_per_turn=_mean(measured),
        measured=len(measured),
        victory_turn=_mean([Fraction(one.turn) for one in won]),
        traitors=sum(one.traitors.get(faction, 0) for one in own),
    )


def strongholds_per_turn(outcome: TableOutcome, faction: Faction) -> Fraction | None:
    if not outcome.turn or not any(seat.strongholds_over_turns or seat.strongholds for seat in outcome.seats):
        return None
    return Fraction(outcome.seat(faction).strongholds_over_turns, outcome.turn)


def _mean(numbers: Sequence[Fraction]) -> str:
    return printed_points(sum(numbers, Fraction()) / len(numbers)) if numbers else ""


class BestGame(msgspec.Struct, frozen=True, kw_only=True):
    """The best single game with a faction, judged by strongholds held per turn; it may be a game that was lost. ``by``
    is the player who held the seat longest, or "" if unknown. ``of`` is the number of games compared."""

    faction: Faction
    game: str
    by: Handle
    strongholds_per_turn: str
    won: bool
    of: int


def best_games(outcomes: Iterable[TableOutcome]) -> list[BestGame]:
    """Return the best game of each faction. Among equally good games, a victory comes first, then the shorter game,
    then the lower id."""
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
                faction=faction,
                game=game.game,
                by=_holder(game, faction),
                strongholds_per_turn=printed_points(per_turn),
                won=won,
                of=len(compared),
            )
        )
    return best


def _holder(outcome: TableOutcome, faction: Faction) -> Handle:
    tenures = outcome.seat(faction).tenures
    return max(tenures, key=lambda one: one.last - one.first).entrant if tenures else ""


class AllianceFigures(msgspec.Struct, frozen=True, kw_only=True):
    """The figures of two or three factions: the number of ``tables`` at which all of them played, how often they ended
    the game as exactly this alliance, and how often the alliance won."""

    factions: tuple[Faction, ...]
    tables: int
    wins: Share


def by_alliance(outcomes: Iterable[TableOutcome], size: int) -> list[AllianceFigures]:
    tables: Counter[tuple[Faction, ...]] = Counter()
    allied: Counter[tuple[Faction, ...]] = Counter()
    won: Counter[tuple[Faction, ...]] = Counter()
    for outcome in decided_outcomes(outcomes):
        tables.update(combinations(sorted(seat.faction for seat in outcome.seats), size))
        for those in _sides(outcome):
            if len(those) == size:
                allied[those] += 1
                won[those] += set(those) <= set(outcome.winners)
    return [
        AllianceFigures(factions=those, tables=tables[those], wins=share(won[those], allied[those]))
        for those in sorted(allied, key=lambda those: (-won[those], -allied[those], those))
    ]


def _sides(outcome: TableOutcome) -> set[tuple[Faction, ...]]:
    sides = {tuple(sorted(those)) for those in outcome.alliances}
    if not sides and outcome.how != "prediction":
        sides.add(tuple(sorted(outcome.winners)))
    return sides


def first_nexus_kept(outcomes: Iterable[TableOutcome]) -> Share:
    """Return the share of the alliances formed at the first nexus whose members were all still allied at the end."""
    kept = made = 0
    for outcome in outcomes:
        for those in outcome.first_alliances:
            made += 1
            kept += any(set(those) <= set(last) for last in outcome.alliances)
    return share(kept, made)


class KindFigures(msgspec.Struct, frozen=True, kw_only=True):
    how: str
    games: int
    of: int
    winners: dict[Faction, int]


class TurnFigures(msgspec.Struct, frozen=True, kw_only=True):
    turn: int
    games: int
    of: int
    winners: dict[Faction, int]


class DotFigures(msgspec.Struct, frozen=True, kw_only=True):
    dot: int
    wins: Share
    expected: str


class Length(msgspec.Struct, frozen=True, kw_only=True):
    games: int
    least: int
    middle: float
    most: int


def by_kind(outcomes: Iterable[TableOutcome]) -> list[KindFigures]:
    games = list(outcomes)
    kinds = Counter(_kind(one) for one in games)
    return [
        KindFigures(how=how, games=count, of=len(games), winners=_winners(one for one in games if _kind(one) == how))
        for how, count in sorted(kinds.items(), key=lambda item: (-item[1], item[0]))
    ]


def _kind(outcome: TableOutcome) -> str:
    return outcome.kind if outcome.kind in ("adjudicated", "agreed", "void") else outcome.how or outcome.kind


def by_turn(outcomes: Iterable[TableOutcome]) -> list[TurnFigures]:
    games = decided_outcomes(outcomes)
    turns = Counter(one.turn for one in games)
    return [
        TurnFigures(
            turn=turn, games=turns[turn], of=len(games), winners=_winners(one for one in games if one.turn == turn)
        )
        for turn in sorted(turns)
    ]


def by_dot(outcomes: Iterable[TableOutcome]) -> list[DotFigures]:
    played: Counter[int] = Counter()
    won: Counter[int] = Counter()
    expected: dict[int, Fraction] = {}
    for outcome in decided_outcomes(outcomes):
        for seat in outcome.seats:
            played[seat.dot] += 1
            won[seat.dot] += seat.faction in outcome.winners
            expected[seat.dot] = expected.get(seat.dot, Fraction()) + fair_share(outcome)
    return [
        DotFigures(dot=dot, wins=share(won[dot], played[dot]), expected=printed_points(expected[dot]))
        for dot in sorted(played)
    ]


def length_in_turns(outcomes: Iterable[TableOutcome]) -> Length:
    return _length([one.turn for one in decided_outcomes(outcomes)])


def length_in_days(outcomes: Iterable[TableOutcome]) -> Length:
    return _length([one.days for one in outcomes])


def length_in_letters(outcomes: Iterable[TableOutcome]) -> Length:
    return _length([one.letters for one in outcomes])


def _length(numbers: Sequence[int]) -> Length:
    known = [number for number in numbers if number > 0]
    if not known:
        return Length(games=0, least=0, middle=0.0, most=0)
    return Length(games=len(known), least=min(known), middle=float(median(known)), most=max(known))


def _winners(outcomes: Iterable[TableOutcome]) -> dict[Faction, int]:
    return dict(sorted(Counter(winner for one in outcomes for winner in one.winners).items()))


class PlayerFigures(msgspec.Struct, frozen=True, kw_only=True):
    name: str
    wins: Share
    expected: str
    factions: dict[Faction, int]


def by_player(
    outcomes: Iterable[TableOutcome], seats: Mapping[str, Iterable[tuple[str, Faction]]]
) -> list[PlayerFigures]:
    """Return the figures of each player, computed from the seats (game and faction) that they held. Players with the
    most games come first."""
    games = {one.game: one for one in outcomes}
    told = {one.game for one in decided_outcomes(games.values())}
    figures = []
    for name, held in seats.items():
        own = [(games[game], faction) for game, faction in held if game in games]
        if not own:
            continue
        counted = [(game, faction) for game, faction in own if game.game in told]
        won = sum(faction in game.winners for game, faction in counted)
        factions: dict[Faction, int] = {}
        for _, faction in own:
            factions[faction] = factions.get(faction, 0) + 1
        figures.append(
            PlayerFigures(
                name=name,
                wins=share(won, len(counted)),
                expected=printed_points(sum((fair_share(game) for game, _ in counted), Fraction())),
                factions=factions,
            )
        )
    return sorted(figures, key=lambda one: (-one.wins.played, -one.wins.won, one.name))


def reliability(on_time: int, duties: int) -> Fraction:
    """Return (on time + 9) / (duties + 10). A new player starts at 0.9 and needs many duties to approach 1.

    The numbers must not include duties during an outage or an announced absence.

    >>> [str(round(float(reliability(*those)), 4)) for those in ((0, 0), (40, 40), (37, 40), (10, 20))]
    ['0.9', '0.98', '0.92', '0.6333']
    """
    if not 0 <= on_time <= duties:
        raise ValueError(f"{on_time} of {duties} duties cannot have been on time.")
    return Fraction(on_time + 9, duties + 10)


def shown_reliability(on_time: int, duties: int) -> str:
    return f"{round(reliability(on_time, duties) * 10_000) / 10_000:.4f}"
