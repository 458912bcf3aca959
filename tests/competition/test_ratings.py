"""Tests for Set Elo, which updates ratings from a set of winners."""

from __future__ import annotations

import itertools
import os
import random
import subprocess
import sys
from collections.abc import Sequence
from datetime import date

import msgspec
import pytest

from bot.competition.outcomes import Tenure
from bot.competition.ratings import (
    K_FACTION,
    NEW_GAMES,
    START_RATING,
    Rated,
    Ratings,
    chain_ratings,
    expected_scores,
    is_rated,
    outcomes_in_order,
    rate_table,
    shown_rating,
)
from tests.competition.a_table import SIX, a_table

NAMES = ("ann", "bob", "cid", "dora", "eve", "fay")


@pytest.mark.parametrize(
    ("size", "winners", "gain", "loss"),
    [
        (6, 1, 40, -8), (6, 2, 32, -16), (6, 3, 24, -24),
        (5, 1, 38.4, -9.6), (5, 2, 28.8, -19.2),
        (4, 1, 36, -12), (4, 2, 24, -24),
    ],
)  # fmt: skip
def test_among_new_players_winners_gain_and_the_others_lose(size: int, winners: int, gain: float, loss: float) -> None:
    changes, ratings = rate_table(a_table(SIX[:winners], NAMES[:size]), Ratings())
    assert [round(change.after - change.before, 4) for change in changes] == [gain] * winners + [loss] * (
        size - winners
    )
    assert all(rated == Rated(START_RATING + (gain if n < winners else loss), 1)
               for n, rated in enumerate(ratings.players.values()))  # fmt: skip


SETTLED = (1620, 1500, 1540, 1480, 1450, 1410)


@pytest.mark.parametrize(
    ("winners", "worth", "moved"),
    [
        ((0, 1), (0,) * 6, (11.2822, 16.2149, -9.3387, -7.0759, -6.1039, -4.9787)),
        ((0,), (0,) * 6, (16.6227, -3.6974, -4.6548, -3.2953, -2.7727, -2.2024)),
        ((4, 5), (0,) * 6, (-12.7178, -7.7851, -9.3387, -7.0759, 17.8961, 19.0213)),
        ((0, 1), (10, 40, 0, -30, -10, -10), (10.9310, 14.7494, -9.2506, -6.0304, -5.7335, -4.6659)),
    ],
)
def test_settled_players_move_by_what_was_expected_of_them(
    winners: Sequence[int], worth: Sequence[float], moved: Sequence[float]
) -> None:
    before = Ratings(
        {name: Rated(float(rating), 20) for name, rating in zip(NAMES, SETTLED, strict=True)},
        {("wbc-2018", 6, faction): float(one) for faction, one in zip(SIX, worth, strict=True)},
    )
    changes, _ = rate_table(a_table([SIX[one] for one in winners]), before)
    assert [round(change.after - change.before, 4) for change in changes] == list(moved)


def test_the_chances_are_those_of_the_specification() -> None:
    assert [round(one, 4) for one in expected_scores(SETTLED, 2)] == [0.5299, 0.3244, 0.3891, 0.2948, 0.2543, 0.2074]


def test_the_chance_of_a_seat_is_the_share_of_the_sets_it_is_in() -> None:
    """By definition, the weight of a set of winners is the product of its members' strengths."""
    chance = random.Random(8)
    for _ in range(200):
        size = chance.choice([4, 5, 6])
        winners = chance.randint(1, 3)
        ratings = [chance.uniform(900, 2100) for _ in range(size)]
        strengths = [10 ** ((rating - START_RATING) / 400) for rating in ratings]
        weights = {}
        for those in itertools.combinations(range(size), winners):
            weights[those] = 1.0
            for one in those:
                weights[those] *= strengths[one]
        whole = sum(weights.values())
        wanted = [sum(weight for those, weight in weights.items() if seat in those) / whole for seat in range(size)]
        assert expected_scores(ratings, winners) == pytest.approx(wanted, abs=1e-12)


def test_over_ten_thousand_tables_what_some_gain_others_lose() -> None:
    chance = random.Random(1965)
    ratings = Ratings()
    for number in range(10_000):
        size = chance.choice([4, 5, 6, 6, 6])
        players = tuple(f"player {one}" for one in chance.sample(range(60), size))
        if number < 2_000:  # all players are new, so K is the same for everybody
            players = tuple(f"{number}-{one}" for one in range(size))
        kind = "adjudicated" if number % 10 == 0 else "stronghold"
        winners = chance.sample(SIX[:size], chance.randint(1, 3))
        table = a_table(winners, players, game=f"g{number}", kind=kind)
        changes, ratings = rate_table(table, ratings)
        assert abs(sum(change.expected for change in changes) - len(winners)) < 1e-5
        if len({change.k for change in changes}) == 1:
            assert abs(sum(change.after - change.before for change in changes)) < 1e-5
        worth = [ratings.worth(table, faction) for faction in SIX[:size]]
        assert abs(sum(worth)) < 1e-5
    assert len(ratings.factions) == 15


def test_after_twelve_rated_games_the_steps_are_half_as_large() -> None:
    ratings = Ratings()
    for number in range(NEW_GAMES + 1):
        changes, ratings = rate_table(a_table(["atreides"], game=f"g{number}"), ratings)
        assert {change.k for change in changes} == ({48} if number < NEW_GAMES else {24})


def test_a_faction_gains_by_its_victories_for_each_rule_set_and_size_of_table() -> None:
    _, ratings = rate_table(a_table(["fremen"]), Ratings())
    assert ratings.worth(a_table(), "fremen") == round(K_FACTION * 5 / 6, 6)
    assert ratings.worth(a_table(), "guild") == round(-K_FACTION / 6, 6)
    assert ratings.worth(a_table(ruleset="classic"), "fremen") == 0
    assert ratings.worth(a_table(players=NAMES[:5]), "fremen") == 0


def test_what_is_adjudicated_counts_half() -> None:
    changes, ratings = rate_table(a_table(["fremen"], kind="adjudicated"), Ratings())
    assert [change.after for change in changes] == [1496.0, 1496.0, 1496.0, 1520.0, 1496.0, 1496.0]
    assert changes[0].k == 24
    assert ratings.worth(a_table(), "fremen") == round(K_FACTION / 2 * 5 / 6, 6)


@pytest.mark.parametrize("kind", ["agreed", "void"])
def test_what_the_rules_have_not_decided_is_not_rated(kind: str) -> None:
    table = a_table(["fremen"], kind=kind)
    assert not is_rated(table)
    assert rate_table(table, Ratings()) == ([], Ratings())


def test_a_game_that_nobody_has_won_is_not_rated() -> None:
    assert not is_rated(a_table([]))


def test_a_game_in_which_a_seat_never_sent_an_order_is_not_rated() -> None:
    silent = (Tenure(entrant="eve", first=1, last=1, ordered=False),
              Tenure(entrant="", first=2, last=10, why="caretaker"))  # fmt: skip
    assert not is_rated(a_table(["fremen"], tenures={"guild": silent}))


def handed_on(turn: int, then: str = "gus") -> tuple[Tenure, ...]:
    """Return the tenures of Eve's seat, which changes hands after this turn."""
    return (
        Tenure(entrant="eve", first=1, last=turn, resigned=True),
        Tenure(entrant=then, first=turn + 1, last=10, why="substitute" if then else "caretaker"),
    )


def rated(*winners: str, then: str = "gus", left: int) -> dict[str, float]:
    changes, _ = rate_table(a_table(winners, tenures={"guild": handed_on(left, then)}), Ratings())
    return {change.player: round(change.after - START_RATING, 4) for change in changes}


def test_a_seat_is_rated_for_whoever_held_it_longest() -> None:
    gained = rated("guild", left=6)
    assert gained["eve"] == 40
    assert "gus" not in gained


def test_who_left_before_half_of_the_turns_has_not_won_with_the_seat() -> None:
    gained = rated("guild", left=4)
    assert gained == {"ann": -8, "bob": -8, "cid": -8, "dora": -8, "fay": -8, "gus": 40, "eve": -8}
    assert rated("guild", left=4, then="")["eve"] == -8
    assert rated("guild", left=5)["eve"] == 40


def test_a_substitute_never_loses_by_it() -> None:
    gained = rated("fremen", left=2)
    assert gained["gus"] == 0
    assert gained["eve"] == -8
    assert gained["dora"] == 40


def test_a_substitute_who_leaves_early_too_is_not_rated() -> None:
    seat = (Tenure(entrant="eve", first=1, last=2), Tenure(entrant="gus", first=3, last=5, why="substitute"),
            Tenure(entrant="hal", first=6, last=10, why="substitute"))  # fmt: skip
    changes, _ = rate_table(a_table(["guild"], tenures={"guild": seat}), Ratings())
    held = [(change.player, round(change.after - START_RATING, 4)) for change in changes if change.faction == "guild"]
    assert held == [("hal", 40), ("eve", -8)]


def test_who_never_came_is_not_rated_but_who_came_for_them_is() -> None:
    seat = (Tenure(entrant="eve", first=1, last=1, ordered=False),
            Tenure(entrant="gus", first=1, last=10, why="substitute"))  # fmt: skip
    changes, _ = rate_table(a_table(["guild"], tenures={"guild": seat}), Ratings())
    assert {change.player for change in changes} == {"ann", "bob", "cid", "dora", "gus", "fay"}


def test_games_count_as_they_ended_and_then_by_name() -> None:
    tables = [
        a_table(game="b", ended=date(2026, 3, 2)), a_table(game="c", ended=date(2026, 3, 1)),
        a_table(game="a", ended=date(2026, 3, 2)), a_table(game="0", ended=None),
    ]  # fmt: skip
    assert [table.game for table in outcomes_in_order(tables)] == ["c", "a", "b", "0"], (
        "who knows when the last one ended?"
    )


def test_an_amended_result_moves_all_that_came_later() -> None:
    tables = [a_table([SIX[number % 6]], game=f"g{number}", ended=date(2026, 1, 1 + number)) for number in range(8)]
    amended = msgspec.structs.replace(tables[2], winners=("guild", "harkonnen"), version=2)
    changes, _ = chain_ratings([*tables, amended])
    straight, _ = chain_ratings([*tables[:2], amended, *tables[3:]])
    before, _ = chain_ratings(tables)
    assert changes == straight == chain_ratings([amended, *tables])[0]
    assert changes[:12] == before[:12]
    assert all(one != other for one, other in zip(changes[12:], before[12:], strict=True))


def test_the_order_in_which_results_are_given_changes_nothing() -> None:
    tables = [a_table([SIX[number % 6]], NAMES[number % 3 :] + NAMES[: number % 3], game=f"g{number}",
                      ended=date(2026, 1, 1 + number // 2)) for number in range(10)]  # fmt: skip
    shuffled = [msgspec.structs.replace(table, seats=table.seats[::-1]) for table in reversed(tables)]
    assert chain_ratings(tables) == chain_ratings(shuffled)


PROGRAM = """
from hashlib import sha256
from tests.competition.a_table import SIX, a_table
from bot.competition.ratings import chain_ratings
tables = [a_table({SIX[n % 6], SIX[n * 5 % 6]}, game=f"g{n:03}") for n in range(100)]
print(sha256(repr(chain_ratings(tables)).encode()).hexdigest())
"""


def test_another_process_computes_the_same() -> None:
    said = {
        subprocess.run(
            [sys.executable, "-c", PROGRAM], env={**os.environ, "PYTHONHASHSEED": seed}, check=True,
            capture_output=True, text=True,
        ).stdout
        for seed in ("0", "1", "77")
    }  # fmt: skip
    assert len(said) == 1


def test_a_rating_is_shown_with_its_games_and_how_sure_it_is() -> None:
    assert shown_rating(Rated(1537.4, 30)) == "1537 ± 73, 30 games"
    assert shown_rating(Rated(1537.4, 4)).endswith("unranked")
