"""Set Elo: ratings for games in which players form a set of winners during play.

A game of Dune ends with one winner, or with two or three who allied during the game. There are no teams beforehand, and
winning alone does not show more skill than winning with an ally. So the result of a game is a set of winners. Each seat
at the table has a strength, which is computed from the rating of its player and the worth of its faction at such a
table::

    θ = 10 ** ((rating + faction - 1500) / 400)

If there are k winners, the chance that they are a given set of k seats is proportional to the product of the θ of these
seats. So one seat is among the winners with the chance ``θ·e(k-1, the others) / e(k, all)``, where e are the elementary
symmetric polynomials. These chances sum to k, and so do the scores (1 for each winner): what some gain, others lose::

    rating  += K · (scored - expected)      K = 48 in the first 12 rated games of a person, then 24
    faction += 4 · (scored - expected)      one for each faction, rule set and size of table, with mean 0

A table that was stopped and adjudicated counts half: both K and the factor 4 are halved.

**Who is rated.** If a seat changed hands, the player who held it for the most turns is rated for it. If several held it
equally long, the earliest is rated. A player who left a seat before half of the turns had been played is rated as not
winning, even if the seat won or somebody else is also rated for it. So a game that somebody left may reduce the sum of
all ratings. A substitute never loses points for a seat that they took over. A player who never sent an order is not
rated. If nobody ever sent an order for a seat, the game is not rated at all, because that seat was in effect empty.

**The same on every machine.** All seats are computed in the order of their factions' names. Ratings are rounded to six
decimals after each game, so the changes of a game add up to zero except for a few millionths. Games count in the order
in which they ended; games that ended on the same day are ordered by id. Only the changes are stored. Since they follow
from the results, the chain is recomputed after a result was amended.

**As published.** The published ratings of a tournament are the chain of its own results. ``opening`` says where that
chain starts. For each entrant who had been rated before, it has an entry like "1537.250000 30" (rating and number of
games) under the entrant's handle. For each faction, it has an entry like "10.000000" under the rule set, size of table
and faction, "wbc-2018/6/guild". A player or faction that has no entry starts from the default.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date

from msgspec.structs import replace

from bot.competition.outcomes import SeatOutcome, TableOutcome, Tenure
from bot.competition.published import Published, RatingChange, Result
from rules.components import Faction

Player = str
"""The identity that is rated, as named in the tenures: a person in this installation, or the handle of an entrant."""

START_RATING = 1500.0
K_NEW, K_SETTLED, K_FACTION = 48, 24, 4
NEW_GAMES = 12
"""The number of a player's first rated games, which use the larger K."""
RANKED_FROM = 5
RATING_PLACES = 6

FactionAt = tuple[str, int, Faction]
"""A faction under a rule set at tables of a given size: (rule set, size, faction)."""


@dataclass(frozen=True, slots=True)
class Rated:
    rating: float = START_RATING
    games: int = 0

    @property
    def k(self) -> int:
        return K_NEW if self.games < NEW_GAMES else K_SETTLED


@dataclass(frozen=True, slots=True)
class Change:
    """The effect of a game on a player's rating.

    - ``k`` is the factor K.
    - ``substitute`` is true if they replaced another player, and so cannot lose points.
    - ``left`` is true if they left before half of the turns had been played.
    - ``worth_before`` and ``worth_after`` are the worth of the faction at such a table, before and after the game.
    """

    game: str
    player: Player
    faction: Faction
    before: float
    after: float
    scored: int
    expected: float
    k: float
    substitute: bool = False
    left: bool = False
    worth_before: float = 0.0
    worth_after: float = 0.0


@dataclass(frozen=True, slots=True)
class Ratings:
    """All ratings at one moment. A player who is not in it has the default rating."""

    players: dict[Player, Rated] = field(default_factory=dict)
    factions: dict[FactionAt, float] = field(default_factory=dict)

    def of(self, player: Player) -> Rated:
        return self.players.get(player, Rated())

    def worth(self, outcome: TableOutcome, faction: Faction) -> float:
        return self.factions.get((outcome.ruleset, len(outcome.seats), faction), 0.0)


@dataclass(frozen=True, slots=True)
class Held:
    """A player who is rated for a seat. ``wins`` is true if a victory of the seat counts for this player."""

    faction: Faction
    player: Player
    wins: bool = True
    substitute: bool = False


def expected_scores(ratings: Sequence[float], winners: int) -> list[float]:
    """Return for each seat its chance of being among the winners if there are this many ``winners``. The ratings must
    include the worth of the factions.

    >>> [round(chance, 4) for chance in expected_scores([1620, 1500, 1540, 1480, 1450, 1410], 2)]
    [0.5299, 0.3244, 0.3891, 0.2948, 0.2543, 0.2074]
    """
    strengths = [10 ** ((rating - START_RATING) / 400) for rating in ratings]
    of_all = _symmetric(strengths, winners)[winners]
    return [
        strength * _symmetric(strengths[:seat] + strengths[seat + 1 :], winners)[winners - 1] / of_all
        for seat, strength in enumerate(strengths)
    ]


def _symmetric(numbers: Sequence[float], degree: int) -> list[float]:
    sums = [1.0] + [0.0] * degree
    for number in numbers:
        for one in range(degree, 0, -1):
            sums[one] += number * sums[one - 1]
    return sums


def is_rated(outcome: TableOutcome) -> bool:
    """Return True if the table is rated: it has winners, was neither agreed nor void, and at least one order was sent
    for each seat."""
    if outcome.kind in ("agreed", "void") or not outcome.winners:
        return False
    return all(_players(seat) for seat in outcome.seats)


def players_rated_at(outcome: TableOutcome) -> list[Held]:
    """Return the players who are rated for each seat, ordered by the name of the faction: first the player who held the
    seat longest, then those who left it early."""
    rated: list[Held] = []
    for seat in sorted(outcome.seats, key=lambda seat: seat.faction):
        holder = _longest(seat)
        for player in sorted(_players(seat), key=lambda player: player != holder):
            substitute = _came_later(seat, player)
            early = _left_early(outcome, seat, player)
            if player == holder or (early and not substitute):
                rated.append(Held(seat.faction, player, not early, substitute))
    return rated


def rate_table(outcome: TableOutcome, ratings: Ratings) -> tuple[list[Change], Ratings]:
    if not is_rated(outcome):
        return [], ratings
    half = 0.5 if outcome.kind == "adjudicated" else 1.0
    factions = sorted(seat.faction for seat in outcome.seats)
    rated = players_rated_at(outcome)
    holders = {held.faction: held.player for held in reversed(rated)}
    strength = [ratings.of(holders[faction]).rating + ratings.worth(outcome, faction) for faction in factions]
    chances = expected_scores(strength, len(outcome.winners))
    now = Ratings(dict(ratings.players), _factions_after(outcome, ratings, factions, chances, K_FACTION * half))
    changes = []
    for held in rated:
        seat, before = factions.index(held.faction), ratings.of(held.player)
        worth, chance = ratings.worth(outcome, held.faction), chances[seat]
        if holders[held.faction] != held.player:
            theirs = [*strength[:seat], before.rating + worth, *strength[seat + 1 :]]
            chance = expected_scores(theirs, len(outcome.winners))[seat]
        scored = int(held.wins and held.faction in outcome.winners)
        gain = before.k * half * (scored - chance)
        if held.substitute:
            gain = max(gain, 0.0)
        rating = Rated(round(before.rating + gain, RATING_PLACES), before.games + 1)
        now.players[held.player] = rating
        changes.append(
            Change(
                outcome.game,
                held.player,
                held.faction,
                before.rating,
                rating.rating,
                scored,
                round(chance, RATING_PLACES),
                before.k * half,
                held.substitute,
                not held.wins,
                worth,
                now.worth(outcome, held.faction),
            )
        )
    return changes, now


def _factions_after(
    outcome: TableOutcome, ratings: Ratings, factions: Sequence[Faction], chances: Sequence[float], k: float
) -> dict[FactionAt, float]:
    worth = dict(ratings.factions)
    such = (outcome.ruleset, len(outcome.seats))
    for faction, chance in zip(factions, chances, strict=True):
        gain = k * ((faction in outcome.winners) - chance)
        worth[(*such, faction)] = round(ratings.worth(outcome, faction) + gain, RATING_PLACES)
    known = sorted(at for at in worth if at[:2] == such)
    mean = math.fsum(worth[at] for at in known) / len(known)
    for at in known:
        worth[at] = round(worth[at] - mean, RATING_PLACES) + 0.0
    return worth


def outcomes_in_order(outcomes: Iterable[TableOutcome]) -> list[TableOutcome]:
    latest: dict[tuple[str, int, int], TableOutcome] = {}
    for outcome in outcomes:
        place = (outcome.game, outcome.round, outcome.table)
        if place not in latest or outcome.version > latest[place].version:
            latest[place] = outcome
    return sorted(latest.values(), key=lambda one: (one.ended or date.max, one.game, one.round, one.table))


def chain_ratings(outcomes: Iterable[TableOutcome], opening: Ratings | None = None) -> tuple[list[Change], Ratings]:
    """Return all rating changes that follow from these results, in order, and the ratings at the end. If a result is
    amended or comes late, everything after it changes, so the whole chain must be recomputed."""
    ratings, changes = opening or Ratings(), []
    for outcome in outcomes_in_order(outcomes):
        made, ratings = rate_table(outcome, ratings)
        changes += made
    return changes, ratings


def uncertainty(games: int) -> int:
    """Return the standard deviation of a rating from the value at which it will settle. It is shown after the rating,
    as in ``1537 ± 73``.

    With each game, the rating takes a noisy step towards its true value. Two seats in six win, so a step has the
    variance K²·2/9 and covers K·(2/9)·ln10/400 of the distance. Before their first game, players differ by about 200
    points.

    >>> [uncertainty(games) for games in (0, 5, 12, 30, 200)]
    [200, 152, 110, 73, 46]
    """
    spread = 2 / 9
    variance = 200.0**2
    for game in range(min(games, 1000)):
        k = Rated(games=game).k
        variance = variance * (1 - k * spread * math.log(10) / 400) ** 2 + k * k * spread
    return round(math.sqrt(variance))


def shown_rating(rated: Rated) -> str:
    """Return a rating as it is shown to people.

    >>> shown_rating(Rated(1537.25, 30)), shown_rating(Rated(1540.0, 1))
    ('1537 ± 73, 30 games', '1540 ± 189, 1 game, unranked')
    """
    games = f"{rated.games} game" + ("s" if rated.games != 1 else "")
    rank = ", unranked" if rated.games < RANKED_FROM else ""
    return f"{rated.rating:.0f} ± {uncertainty(rated.games)}, {games}{rank}"


def _turns(tenure: Tenure) -> int:
    return max(0, tenure.last - tenure.first + 1)


def _players(seat: SeatOutcome) -> dict[Player, int]:
    turns: dict[Player, int] = {}
    for tenure in seat.tenures:
        if tenure.entrant and tenure.ordered:
            turns[tenure.entrant] = turns.get(tenure.entrant, 0) + _turns(tenure)
    return turns


def _longest(seat: SeatOutcome) -> Player:
    turns = _players(seat)
    return max(turns, key=lambda player: turns[player])


def _came_later(seat: SeatOutcome, player: Player) -> bool:
    return next(tenure for tenure in seat.tenures if tenure.entrant == player).why == "substitute"


def _left_early(outcome: TableOutcome, seat: SeatOutcome, player: Player) -> bool:
    return seat.tenures[-1].entrant != player and 2 * _players(seat)[player] < outcome.turn


_PLAYER = re.compile(r"(-?[0-9]+\.[0-9]{6}) ([0-9]+)", re.ASCII)


def six_decimals(number: float) -> str:
    """Format a rating, or a change in one, with six decimals.

    >>> six_decimals(1537.25), six_decimals(-0.0)
    ('1537.250000', '0.000000')
    """
    return f"{number + 0.0:.6f}"


def write_rating(rated: Rated) -> str:
    return f"{six_decimals(rated.rating)} {rated.games}"


def read_rating(text: str) -> Rated:
    found = _PLAYER.fullmatch(text)
    if found is None:
        raise ValueError(f"{text[:40]!r} is not a rating with a number of games, like '1537.250000 30'.")
    return Rated(float(found[1]), int(found[2]))


def write_opening(ratings: Ratings) -> dict[str, str]:
    players = {player: write_rating(rated) for player, rated in sorted(ratings.players.items()) if rated.games}
    factions = {_place(at): six_decimals(worth) for at, worth in sorted(ratings.factions.items())}
    return players | factions


def read_opening(opening: Mapping[str, str]) -> Ratings:
    ratings = Ratings()
    for key, text in opening.items():
        if "/" in key:
            ruleset, size, faction = key.rsplit("/", 2)
            ratings.factions[ruleset, int(size), faction] = float(text)
        else:
            ratings.players[key] = read_rating(text)
    return ratings


def _place(at: FactionAt) -> str:
    return "/".join(map(str, at))


def published_changes(changes: Iterable[Change]) -> tuple[RatingChange, ...]:
    return tuple(
        RatingChange(
            game=one.game,
            entrant=one.player,
            faction=one.faction,
            before=six_decimals(one.before),
            after=six_decimals(one.after),
            scored=str(one.scored),
            expected=six_decimals(one.expected),
            k=f"{one.k:g}",
        )
        for one in changes
    )


def counting_outcomes(results: Iterable[Result]) -> list[TableOutcome]:
    """Return the last outcome of each table, unless it was withdrawn. If an outcome does not say on which day the game
    ended, the day is taken from the first version of that outcome."""
    first: dict[tuple[int, int], Result] = {}
    last: dict[tuple[int, int], Result] = {}
    for result in sorted(results, key=lambda result: result.outcome.version):
        place = (result.outcome.round, result.outcome.table)
        first.setdefault(place, result)
        last[place] = result
    return [
        replace(result.outcome, ended=result.outcome.ended or first[place].day)
        for place, result in last.items()
        if result.state != "withdrawn"
    ]


def recompute_changes(document: Published) -> tuple[RatingChange, ...]:
    changes, _ = chain_ratings(counting_outcomes(document.results), read_opening(document.opening))
    return published_changes(changes)


def first_rating_difference(document: Published, rated: bool = True) -> str:
    """Return the first rating change that does not follow from the results, as a sentence, or "" if all of them do. A
    tournament that is not ``rated`` must not publish any changes."""
    try:
        wanted: Sequence[RatingChange] = recompute_changes(document) if rated else ()
    except ValueError as error:
        return f"The ratings at the beginning cannot be read: {error}"
    for number, (said, due) in enumerate(zip(document.ratings, wanted, strict=False), 1):
        if said == due:
            continue
        field = next(name for name in said.__struct_fields__ if getattr(said, name) != getattr(due, name))
        return (
            f"Rating change {number} ({said.game}, {said.entrant}): {field} is {getattr(said, field)}, "
            f"but the results give {getattr(due, field)}."
        )
    both = min(len(document.ratings), len(wanted))
    for due in wanted[both:]:
        return f"The rating change of {due.entrant} by {due.game}, from {due.before} to {due.after}, is missing."
    for said in document.ratings[both:]:
        return f"The rating change of {said.entrant} by {said.game} follows from no result."
    return ""
