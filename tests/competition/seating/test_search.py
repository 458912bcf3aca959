"""Tests that the cost reported for an exchange of seats equals the change in the tables' total cost."""

from __future__ import annotations

import random

import pytest

from bot.competition.seating_search import HOURS, SMALL, Tables

PLAYERS = [f"E{number:03}" for number in range(1, 12)]


def some_tables(seed: int, *, hours: bool) -> Tables:
    """Return tables of six and five players with random earlier meetings, small tables and sleeping hours."""
    chance = random.Random(seed)
    met = {frozenset(chance.sample(PLAYERS, 2)): chance.randrange(1, 50) for _ in range(15)}
    weights = {
        one: {other: weight for pair, weight in met.items() if one in pair for other in pair - {one}} for one in PLAYERS
    }
    asleep = {frozenset(chance.sample(PLAYERS, 2)) for _ in range(15)}
    order = chance.sample(PLAYERS, 11)
    seats = [order[:6], order[6:]]
    groups = [[(table, place) for table, there in enumerate(seats) for place in range(len(there))]]
    small = {handle: chance.randrange(3) for handle in PLAYERS}
    for one, other in map(sorted, asleep if hours else ()):
        weights[one][other] = weights[other][one] = weights[one].get(other, 0) + HOURS
    return Tables(seats, groups, weights, small, lambda *_: True)


def whole(tables: Tables) -> int:
    return sum(tables.cost(number) for number in range(len(tables.seats)))


@pytest.mark.parametrize("hours", [True, False])
@pytest.mark.parametrize("seed", range(5))
def test_an_exchange_adds_what_it_says(seed: int, hours: bool) -> None:
    tables = some_tables(seed, hours=hours)
    for one in range(6):
        for other in range(5):
            before, change = whole(tables), tables.change((0, one), (1, other))
            tables.exchange((0, one), (1, other))
            assert whole(tables) == before + change


def test_each_pair_and_each_seat_at_a_small_table_weighs_once() -> None:
    tables = some_tables(3, hours=True)
    for number, there in enumerate(tables.seats):
        pairs = [(one, other) for place, one in enumerate(there) for other in there[place + 1 :]]
        met = sum(tables.weights[one].get(other, 0) for one, other in pairs)
        small = SMALL * sum(tables.small[one] for one in there) if len(there) == 5 else 0
        assert tables.cost(number) == met + small
