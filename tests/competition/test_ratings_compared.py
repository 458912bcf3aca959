"""Tests that compare our rating with openskill: its results, why we do not use it, and that ours predicts as well."""

from __future__ import annotations

import math
import random
from collections.abc import Sequence
from itertools import combinations

from openskill.models import BradleyTerryPart, PlackettLuce, PlackettLuceRating, ThurstoneMostellerFull

from bot.competition.ratings import Ratings, expected_scores, rate_table
from rules.components import Faction
from tests.competition.a_table import SIX, a_table


def alone(winners: int) -> list[tuple[float, float]]:
    """Rate six new players as teams of one, with the winners tied for first place."""
    model = PlackettLuce()
    rated = model.rate([[model.rating()] for _ in SIX], ranks=[1.0] * winners + [2.0] * (6 - winners))
    return [(round(one.mu, 4), round(one.sigma, 4)) for (one,) in rated]


def test_everyone_alone_and_the_winners_tied_first_is_sound() -> None:
    assert alone(2) == [(26.0144, 8.3055)] * 2 + [(24.4928, 8.2673)] * 4
    assert alone(1) == [(27.5359, 8.3055)] + [(24.4928, 8.2729)] * 5


def test_an_alliance_as_a_team_gains_too_little() -> None:
    model = PlackettLuce()
    teams = [[model.rating(), model.rating()], *([model.rating()] for _ in range(4))]
    assert round(model.rate(teams, ranks=[1, 2, 2, 2, 2])[0][0].mu, 4) == 26.7569


def test_other_models_rate_equal_winners_apart_or_are_too_sure() -> None:
    part = BradleyTerryPart()
    rated = part.rate([[part.rating()] for _ in SIX], ranks=[1, 1, 2, 2, 2, 2])
    assert [round(team[0].mu, 4) for team in rated[:2]] == [26.9765, 27.1083]
    full = ThurstoneMostellerFull()
    told = full.rate([[full.rating()] for _ in SIX], ranks=[1, 1, 2, 2, 2, 2])
    assert min(team[0].sigma for team in told) < 0.2


def test_who_wins_gains_and_who_loses_loses_with_both() -> None:
    chance, model = random.Random(4), PlackettLuce()
    ours, theirs = Ratings(), {name: model.rating() for name in map(str, range(12))}
    for number in range(40):
        players = chance.sample(sorted(theirs), 6)
        winners = chance.sample(range(6), chance.randint(1, 3))
        changes, ours = rate_table(a_table([SIX[one] for one in winners], players, game=f"g{number}"), ours)
        rated = model.rate([[theirs[name]] for name in players], ranks=[1 if n in winners else 2 for n in range(6)])
        for change in changes:
            mu = rated[players.index(change.player)][0].mu
            won = change.faction in [SIX[one] for one in winners]
            assert (change.after > change.before) == won
            assert (mu > theirs[change.player].mu) == won or abs(mu - theirs[change.player].mu) < 1
        theirs.update({name: team[0] for name, team in zip(players, rated, strict=True)})


def loss(chances: Sequence[float], winners: Sequence[int]) -> float:
    """Return the log loss of a forecast, given the winners."""
    whole = sum(chances)
    return -sum(math.log(chances[one] / whole) for one in winners) / len(winners)


def test_in_a_world_of_made_up_players_ours_tells_no_less_than_the_other() -> None:
    """The simulated world follows our model, which favours it: strengths of players and factions decide the winners."""
    chance, model = random.Random(2018), PlackettLuce()
    skill = {f"p{n}": chance.gauss(0, 150) for n in range(40)}
    power: dict[Faction, float] = dict(zip(SIX, (40, 60, -20, -40, -10, -30), strict=True))
    ours, theirs = Ratings(), {name: model.rating() for name in skill}
    factions = {faction: model.rating() for faction in SIX}
    surprised = {"ours": 0.0, "openskill": 0.0, "nothing": 0.0, "all": 0.0}
    games, seen = 900, 0
    for number in range(games):
        players = chance.sample(sorted(skill), 6)
        truth = [1500 + skill[name] + power[faction] for name, faction in zip(players, SIX, strict=True)]
        k = chance.choices([1, 2, 3], [3, 5, 2])[0]
        winners = draw_set(chance, truth, k)
        table = a_table([SIX[one] for one in winners], players, game=f"g{number:04}")
        if number >= games // 3:
            seen += 1
            believed = [ours.of(n).rating + ours.worth(table, f) for n, f in zip(players, SIX, strict=True)]
            teams = [[theirs[name], factions[faction]] for name, faction in zip(players, SIX, strict=True)]
            surprised["ours"] += loss(expected_scores(believed, k), winners)
            surprised["openskill"] += loss(model.predict_win(teams), winners)
            surprised["nothing"] += loss([k / 6] * 6, winners)
            surprised["all"] += loss(expected_scores(truth, k), winners)
        _, ours = rate_table(table, ours)
        rated: list[list[PlackettLuceRating]] = model.rate(
            [[theirs[name], factions[faction]] for name, faction in zip(players, SIX, strict=True)],
            ranks=[1 if n in winners else 2 for n in range(6)],
        )
        for name, faction, (player, side) in zip(players, SIX, rated, strict=True):
            theirs[name], factions[faction] = player, side
    told = {who: total / seen for who, total in surprised.items()}
    assert told["all"] < told["ours"] < told["nothing"]
    assert told["ours"] < told["openskill"] + 0.01


def draw_set(chance: random.Random, ratings: Sequence[float], k: int) -> list[int]:
    """Draw `k` winners; a set's chance is proportional to the product of its members' strengths."""
    sets = list(combinations(range(6), k))
    weights = [math.prod(10 ** ((ratings[one] - 1500) / 400) for one in those) for those in sets]
    return list(chance.choices(sets, weights)[0])
