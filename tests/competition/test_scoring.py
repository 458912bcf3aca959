"""Tests that scoring is data: named systems and those of another game share one form."""

from __future__ import annotations

import random
from collections.abc import Collection
from fractions import Fraction
from typing import Any

import pytest

from bot.competition.scoring import (
    Cause,
    NoAggregate,
    NotANumber,
    Scoring,
    ScoringRefused,
    System,
    exact_points,
    printed_points,
    read_aggregate,
    read_points,
    scoring_system,
    seat_points,
    system_names,
    table_points,
)
from tests.competition.a_table import a_table

NOBODY_HOLDS = (0, 0, 0, 0, 0, 0)
TWO_TWO_ONE = (2, 2, 1, 0, 0, 0)  # Atreides, Emperor, Harkonnen; Fremen, Guild and Bene Gesserit hold none


def named(name: str) -> System:
    return scoring_system(Scoring(system=name))


def together(winners: Collection[int]) -> dict[int, int]:
    """Put all winners on one side."""
    return dict.fromkeys(winners, len(winners))


def shown(of: System, held: tuple[int, ...], winners: tuple[int, ...] = (), cause: Cause = "stronghold") -> list[str]:
    return [printed_points(one) for one in table_points(of, held, together(winners), cause)]


@pytest.mark.parametrize(
    ("said", "read"),
    [
        (" 3 ", Fraction(3)),
        ("0.75", Fraction(3, 4)),
        ("3/4", Fraction(3, 4)),
        ("-2", Fraction(-2)),
        ("123456789012", Fraction(123456789012)),
        ("123456/789012", Fraction(123456, 789012)),
        ("123456.789012", Fraction(123456789012, 10**6)),
        (12, Fraction(12)),
    ],
)
def test_points_are_read_as_they_were_typed(said: str | int, read: Fraction) -> None:
    assert read_points(said, negative=True) == read


@pytest.mark.parametrize(
    ("said", "why"),
    [
        ("1234567890123", "'1234567890123' has more than 12 digits."),
        ("1234567/890123", "'1234567/890123' has more than 12 digits."),
        ("1.234567890123", "'1.234567890123' has more than 12 digits."),
        ("3/0", "'3/0' divides by zero."),
        ("-1", "'-1' is negative; write 0 or more."),
        ("1e3", "'1e3' is not a number of points; write 3, 3/4 or 0.75."),
        ("x" * 50, f"'{'x' * 40}' is not a number of points; write 3, 3/4 or 0.75."),
        (True, "'True' is not a number of points; write 3, 3/4 or 0.75."),
    ],
)
def test_what_is_no_number_of_points_is_refused_with_why(said: str | int, why: str) -> None:
    with pytest.raises(NotANumber) as refused:
        read_points(said)
    assert str(refused.value) == why


def test_points_are_printed_rounded_and_exactly() -> None:
    numbers = [Fraction(-7, 2), Fraction(1, 3), Fraction(-1, 20000), Fraction(3, 20000), Fraction(10), Fraction(1, 16)]
    assert [printed_points(one) for one in numbers] == ["-3.5", "0.3333", "0", "0.0002", "10", "0.0625"]
    assert [exact_points(one) for one in numbers] == ["-3.5", "1/3", "-1/20000", "3/20000", "10", "0.0625"]


@pytest.mark.parametrize(
    ("name", "winners", "cause", "each"),
    [
        ("equal-win", (0,), "stronghold", "1"),
        ("equal-win", (0, 3), "default", "1"),
        ("equal-win", (0, 3, 5), "adjudicated", "1"),
        ("mentat-12", (0, 1), "stronghold", "8"),
        ("mentat-12", (1,), "prediction", "12"),
        ("mentat-12", (4,), "default", "9"),
        ("mentat-12", (0, 1), "adjudicated", "6"),
        ("mentat-12", (0, 1, 2), "adjudicated", "4.5"),
        ("mentat-12", (0, 1, 2), "stronghold", "6"),
        ("mentat-12", (0, 1), "agreed", "4"),
        ("pot-60", (0,), "stronghold", "60"),
        ("pot-60", (0, 1), "stronghold", "30"),
        ("pot-60", (0, 1, 2), "stronghold", "20"),
    ],
)
def test_a_win_is_worth_what_its_system_says_and_a_loss_nothing(
    name: str, winners: tuple[int, ...], cause: Cause, each: str
) -> None:
    got = shown(named(name), NOBODY_HOLDS, winners, cause)
    assert got == [each if seat in winners else "0" for seat in range(6)]


def test_a_pot_is_the_same_at_a_table_of_five() -> None:
    assert shown(named("pot-60"), (0,) * 5, (0, 4)) == ["30", "0", "0", "0", "30"]


@pytest.mark.parametrize(
    ("held", "winners", "points"),
    [
        ((3, 3, 2, 1, 0, 0), (0, 1), ["1000", "1000", "10", "1", "0", "0"]),
        ((4, 0, 1, 1, 1, 0), (0, 1), ["1000", "1000", "3.6667", "3.6667", "3.6667", "0"]),
        ((4, 3, 2, 1, 0, 0), (0,), ["1000", "100", "10", "1", "0", "0"]),
        ((0, 3, 2, 1, 0, 0), (0,), ["1000", "100", "10", "1", "0", "0"]),
    ],
)
def test_winners_share_the_first_place_undivided_and_the_next_comes_after_all_of_them(
    held: tuple[int, ...], winners: tuple[int, ...], points: list[str]
) -> None:
    assert shown(named("hmwp"), held, winners) == points


def test_without_a_win_carnage_gives_places_and_strongholds() -> None:
    assert shown(named("carnage-6"), TWO_TWO_ONE) == ["5502", "5502", "4001", "2000", "2000", "2000"]
    assert sum(table_points(named("carnage-6"), TWO_TWO_ONE, {})) == 21005


@pytest.mark.parametrize(("winners", "each"), [((0,), "21005"), ((0, 1), "10502.5")])
def test_in_carnage_winners_share_everything(winners: tuple[int, ...], each: str) -> None:
    assert shown(named("carnage-6"), TWO_TWO_ONE, winners) == [each if it in winners else "0" for it in range(6)]


def test_without_a_win_squares_share_a_hundred_by_strongholds_squared() -> None:
    assert shown(named("squares"), TWO_TWO_ONE) == ["44.4444", "44.4444", "11.1111", "0", "0", "0"]
    assert shown(named("squares"), NOBODY_HOLDS) == ["16.6667"] * 6


@pytest.mark.parametrize(("winners", "each"), [((0,), "100"), ((0, 5), "50"), ((0, 1, 5), "33.3333")])
def test_in_squares_winners_share_a_hundred(winners: tuple[int, ...], each: str) -> None:
    assert shown(named("squares"), TWO_TWO_ONE, winners) == [each if it in winners else "0" for it in range(6)]


CENTRES = (8, 8, 7, 6, 4, 1, 0)
DIPLOMACY: dict[str, Scoring] = {
    "Carnage": Scoring(
        system="carnage-6", rank=("7000", "6000", "5000", "4000", "3000", "2000", "1000"), per_stronghold="1"
    ),
    "C-Diplo 100": Scoring(
        system="carnage-6", rank=("39", "15", "8", "1", "1", "1", "1"), tie="split", per_stronghold="1"
    ),
    "Sum of squares": Scoring(system="squares"),
    "OpenTribute": Scoring(system="equal-win", win={}, survivor="34", per_stronghold="3", tribute="1"),
}


@pytest.mark.parametrize(
    ("name", "centres", "points"),
    [
        ("Carnage", CENTRES, "6508 6508 5007 4006 3004 2001 1000"),
        ("C-Diplo 100", CENTRES, "35 35 15 7 5 2 1"),
        ("Sum of squares", CENTRES, "27.8261 27.8261 21.3043 15.6522 6.9565 0.4348 0"),
        ("Sum of squares", (17, 16, 1), "52.9304 46.8864 0.1832"),
        ("OpenTribute", CENTRES, "63.5 63.5 54 50 42 30 0"),
    ],
)
def test_the_same_form_holds_the_systems_of_diplomacy(name: str, centres: tuple[int, ...], points: str) -> None:
    assert " ".join(shown(scoring_system(DIPLOMACY[name]), centres)) == points


@pytest.mark.parametrize(("tie", "each"), [("split", "50"), ("low", "40"), ("high", "60")])
def test_who_is_level_shares_places_or_has_the_last_or_the_first_of_them(tie: Any, each: str) -> None:
    of = scoring_system(Scoring(system="hmwp", win={}, rank=("60", "40"), tie=tie))
    assert shown(of, (2, 2, 0)) == [each, each, "0"]


def test_more_winners_than_the_system_names_have_the_points_of_the_most_it_names() -> None:
    assert shown(named("mentat-12"), (1, 1, 1, 1), (0, 1, 2, 3)) == ["6"] * 4


def test_of_two_sides_that_win_at_once_each_has_the_points_of_its_own_size() -> None:
    allied = (("atreides", "emperor"), ("fremen", "guild"))
    table = a_table(("atreides", "emperor", "harkonnen"), alliances=allied)
    points = {seat: printed_points(one) for seat, one in seat_points(named("mentat-12"), table).items() if one}
    assert points == {"atreides": "8", "emperor": "8", "harkonnen": "12"}
    agreed = a_table(("atreides", "emperor", "harkonnen"), alliances=allied, kind="agreed")
    assert {printed_points(one) for one in seat_points(named("mentat-12"), agreed).values()} == {"3", "0"}
    alone = a_table(("atreides",), alliances=allied, kind="prediction")
    assert seat_points(named("mentat-12"), alone)["atreides"] == 12


def test_a_void_table_scores_nothing() -> None:
    void = a_table(kind="void", strongholds={"emperor": (2, 5)})
    for name in system_names():
        assert not any(seat_points(named(name), void).values())


@pytest.mark.parametrize(
    ("name", "of", "seats"),
    [("pot-60", named("pot-60"), 6), ("carnage-6", named("carnage-6"), 6), ("squares", named("squares"), 6)]
    + [(name, scoring_system(DIPLOMACY[name]), 7) for name in ("Carnage", "C-Diplo 100", "Sum of squares")],
)
def test_the_points_of_a_table_always_have_the_same_sum(name: str, of: System, seats: int) -> None:
    drawn = random.Random(name)
    for _ in range(2000):
        held = [drawn.randrange(5) for _ in range(seats)]
        winners = drawn.sample(range(seats), drawn.choice((1, 2, 3)) if name == "pot-60" else drawn.randrange(4))
        places = sum(of.rank[:seats])
        expected = {"pot-60": Fraction(60)}.get(name, of.normalise or places + of.per_stronghold * sum(held))
        given = table_points(of, held, together(winners))
        assert sum(given) == expected
        assert all(isinstance(one, Fraction) and one >= 0 for one in given)


@pytest.mark.parametrize("name", system_names())
def test_more_strongholds_never_give_fewer_points_than_somebody_else_who_did_not_win_has(name: str) -> None:
    drawn = random.Random(name)
    for _ in range(500):
        held = [drawn.randrange(4) for _ in range(6)]
        winners = drawn.sample(range(6), drawn.randrange(3))
        given = table_points(named(name), held, together(winners))
        losers = sorted((held[seat], given[seat]) for seat in range(6) if seat not in winners)
        assert [points for _, points in losers] == sorted(points for _, points in losers)
        assert all(given[seat] >= max((points for _, points in losers), default=Fraction(0)) for seat in winners)


@pytest.mark.parametrize(
    ("said", "total"),
    [
        ("all", "26"), ("best 2", "20"), ("best 9", "26"), ("minus worst 1", "26"), ("minus worst 3", "12"),
        ("minus worst 9", "12"), (("1", "0.8", "0.4"), "20.8"), ((1,), "12"),
    ],
)  # fmt: skip
def test_tables_are_added_up_as_the_settings_say(said: Any, total: str) -> None:
    tables = [Fraction(6), Fraction(12), Fraction(0), Fraction(8)]
    assert printed_points(read_aggregate(said).total(tables)) == total


def test_of_no_tables_the_sum_is_nothing() -> None:
    assert [read_aggregate(said).total([]) for said in ("all", "best 1", "minus worst 1")] == [0, 0, 0]


@pytest.mark.parametrize("said", ["best", "best 0", "best -1", "best 1000", "worst 1", "", (), ("0",), ("1", "2")])
def test_another_way_to_add_up_is_refused(said: Any) -> None:
    with pytest.raises(NoAggregate):
        read_aggregate(said)


def test_what_stands_beside_the_name_of_a_system_replaces_that_part_of_it() -> None:
    of = scoring_system(Scoring(win={"1": "10", "2": "7"}, absent="-1/2"))
    assert of.win == (Fraction(10), Fraction(7))
    assert of.factor["default"] == Fraction(3, 4)
    assert of.absent == Fraction(-1, 2)


def test_all_that_is_wrong_in_a_scoring_is_told_at_once() -> None:
    with pytest.raises(ScoringRefused) as refused:
        scoring_system(Scoring(win={"1": "x", "2": "3/0"}, per_stronghold="-1", aggregate="most"))
    assert len(refused.value.problems) == 4
    with pytest.raises(ScoringRefused, match="the systems are equal-win, mentat-12"):
        scoring_system(Scoring(system="wbc"))


@pytest.mark.parametrize(
    ("said", "counts"),
    [
        ("all", "1 1 1 1 1"),
        ("best 1", "0 1 0 0 0"),
        ("best 3", "0 1 1 1 0"),
        ("minus worst 1", "1 1 1 1 0"),
        ("minus worst 4", "0 1 0 0 0"),
        ("minus worst 5", "0 1 0 0 0"),
        (("3", "2", "2", "1/2"), "1/2 3 2 2 0"),
        (("1", "1"), "0 1 1 0 0"),
    ],
)
def test_of_tables_with_equal_points_the_earlier_counts_as_the_better(said: Any, counts: str) -> None:
    tables = [Fraction(one) for one in (4, 9, 6, 6, 4)]
    assert read_aggregate(said).weigh(tables) == tuple(map(Fraction, counts.split()))


@pytest.mark.parametrize(
    ("said", "shown"),
    [("all", "all"), ("best 100", "best 100"), ("minus worst 100", "minus worst 100"),
     (("1",) * 100, "weighted from the best")],
)  # fmt: skip
def test_up_to_a_hundred_tables_count_and_the_way_is_named_as_it_is_written(said: Any, shown: str) -> None:
    assert str(read_aggregate(said)) == shown


@pytest.mark.parametrize("said", ["best 101", "minus worst 101", ("1",) * 101])
def test_more_than_a_hundred_tables_never_count(said: Any) -> None:
    with pytest.raises(NoAggregate):
        read_aggregate(said)


@pytest.mark.parametrize(
    ("said", "problem"),
    [
        ({"rank": ("1",) * 7}, ""),
        ({"rank": ("1",) * 8}, "[scoring] rank has 8 places, more than a table has seats."),
        ({"power": 1}, ""),
        ({"power": 2}, ""),
        ({"power": 3}, ""),
        ({"power": 0}, "[scoring] power is 0: it must be 1, 2 or 3."),
        ({"power": 4}, "[scoring] power is 4: it must be 1, 2 or 3."),
        ({"win": {str(number): "1" for number in range(1, 8)}}, ""),
        (
            {"win": {str(number): "1" for number in range(1, 9)}},
            "[scoring] win names 1, 2, 3, 4, 5, 6, 7, 8: it must name 1, then 2, then 3, without gaps.",
        ),
        ({"win": {"1": "1", "3": "1"}}, "[scoring] win names 1, 3: it must name 1, then 2, then 3, without gaps."),
        ({"win": {}}, "[scoring] gives no points for anything: write win, rank or per_stronghold."),
        ({"win": {"1": "0"}}, "[scoring] gives no points for anything: write win, rank or per_stronghold."),
        ({"win": {"1": "0", "2": "1"}}, ""),
        ({"win": {}, "rank": ("0", "1")}, ""),
        ({"win": {}, "per_stronghold": "1"}, ""),
        ({"win": {}, "survivor": "1"}, ""),
        ({"absent": "-1", "forfeit": "-1"}, ""),
    ],
)
def test_each_part_of_a_scoring_has_its_limits(said: dict[str, Any], problem: str) -> None:
    problems = []
    try:
        scoring_system(Scoring(**{"system": "equal-win", **said}))
    except ScoringRefused as refused:
        problems = refused.problems
    assert problems == ([problem] if problem else [])


def test_who_holds_nothing_has_nothing_only_where_survivors_are_paid() -> None:
    held = (2, 1, 0)
    plain = scoring_system(Scoring(system="equal-win", win={"1": "6"}, per_stronghold="1"))
    paid = scoring_system(Scoring(system="equal-win", win={"1": "6"}, per_stronghold="1", survivor="0"))
    assert shown(plain, held, (2,)) == ["2", "1", "6"]
    assert shown(paid, held, (2,)) == ["2", "1", "0"]
