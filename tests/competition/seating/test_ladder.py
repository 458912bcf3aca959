"""Tests for which ready players on a ladder are seated together."""

from __future__ import annotations

from fractions import Fraction

from bot.competition.seating import ladder_tables

RATINGS = {"A": 1500, "B": 900, "C": 1510, "D": 1520, "E": 1490, "F": 1480, "G": 1505}


def test_who_has_waited_longest_sits_with_those_whose_ratings_are_nearest() -> None:
    ratings = {handle: Fraction(rating) for handle, rating in RATINGS.items()}
    [table] = ladder_tables(list(RATINGS), ratings, set())
    assert sorted(table) == ["A", "C", "D", "E", "F", "G"]
    assert ladder_tables(list(RATINGS)[:5], ratings, set()) == []
