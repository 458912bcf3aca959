"""Tests for who receives the points of a seat that changed hands, and what an auction deducts from them."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from bot.competition.credits import Credit, Crediting, without_disqualified
from bot.competition.outcomes import TableOutcome, Tenure
from bot.competition.scoring import Scoring, printed_points, scoring_system
from bot.competition.settings import Substitutes
from tests.competition.a_table import a_table

PAIR = ("atreides", "emperor")
LEFT = Tenure(entrant="ann", first=1, last=4)
RESIGNED = msgspec.structs.replace(LEFT, resigned=True)
SUBSTITUTE = Tenure(entrant="sub", first=5, last=10, why="substitute")
CARETAKER = Tenure(entrant="", first=5, last=10, why="caretaker")
NEVER = Tenure(entrant="ann", first=1, last=1, why="no-show", ordered=False)


def credited(
    *outcomes: TableOutcome, substitutes: Substitutes = "protected", charge: Any = "always", out: tuple[str, ...] = (),
    **scoring: Any,
) -> dict[tuple[str, int], Credit]:  # fmt: skip
    """Return the credits by entrant and table."""
    crediting = Crediting(scoring_system(Scoring(**scoring)), substitutes, charge)
    return {(credit.entrant, credit.table): credit for credit in without_disqualified(crediting.credits(outcomes), out)}


def changed(*tenures: Tenure, winners: tuple[str, ...] = PAIR, **more: Any) -> TableOutcome:
    """Return a table at which Ann's seat, Atreides, changed hands."""
    return a_table(winners, tenures={"atreides": tenures}, round=1, table=1, **more)


def points(given: dict[tuple[str, int], Credit]) -> dict[str, str]:
    return {entrant: printed_points(credit.net) for (entrant, _), credit in given.items() if credit.net}


def test_who_holds_a_seat_to_the_end_has_its_points() -> None:
    given = credited(a_table(PAIR, round=1, table=1))
    assert points(given) == {"ann": "8", "cid": "8"}
    assert len(given) == 6


def test_nobody_is_credited_with_a_seat_that_nobody_ever_held() -> None:
    table = a_table(PAIR, round=1, table=1)
    empty = msgspec.structs.replace(table.seats[0], tenures=())
    given = credited(msgspec.structs.replace(table, seats=(empty, *table.seats[1:])))
    assert points(given) == {"cid": "8"}
    assert {entrant for entrant, _ in given} == {"bob", "cid", "dora", "eve", "fay"}


@pytest.mark.parametrize(
    ("setting", "leaver", "expected"),
    [
        ("protected", LEFT, {"sub": "8", "cid": "8"}),
        ("protected", RESIGNED, {"sub": "8", "cid": "8"}),
        ("pro-rata", LEFT, {"ann": "3.2", "sub": "4.8", "cid": "8"}),
        ("pro-rata", RESIGNED, {"sub": "4.8", "cid": "8"}),
        ("finisher", LEFT, {"sub": "8", "cid": "8"}),
        ("nobody", LEFT, {"cid": "8"}),
    ],
)
def test_a_leaver_of_four_turns_and_a_substitute_of_six(
    setting: Substitutes, leaver: Tenure, expected: dict[str, str]
) -> None:
    given = credited(changed(leaver, SUBSTITUTE), substitutes=setting)
    assert points(given) == expected
    assert given["ann", 1].forfeited
    assert not given["ann", 1].won
    assert given["sub", 1].won == (setting != "nobody")


def test_a_leaver_has_the_points_of_a_forfeit_and_a_no_show_those_of_an_absent_one() -> None:
    for setting in ("protected", "finisher", "nobody"):
        assert points(credited(changed(LEFT, SUBSTITUTE), forfeit="-2", substitutes=setting))["ann"] == "-2"
    given = credited(changed(NEVER, msgspec.structs.replace(SUBSTITUTE, first=1)), absent="-3", forfeit="-2")
    assert points(given) == {"ann": "-3", "sub": "8", "cid": "8"}
    assert given["ann", 1].part == "absent"


def test_who_never_came_to_a_game_that_ended_before_anybody_else_did_is_absent() -> None:
    given = credited(changed(NEVER), absent="-3")
    assert points(given) == {"ann": "-3", "cid": "8"}
    assert (given["ann", 1].part, given["ann", 1].held, given["ann", 1].won) == ("absent", False, False)


def test_a_no_show_takes_nothing_from_a_share_by_turns() -> None:
    given = credited(changed(NEVER, msgspec.structs.replace(SUBSTITUTE, first=1)), substitutes="pro-rata")
    assert points(given) == {"sub": "8", "cid": "8"}


@pytest.mark.parametrize(
    ("before", "expected"),
    [
        ((LEFT, Tenure(entrant="", first=5, last=7, why="caretaker")), {"ann": "5.6", "cid": "8"}),
        ((NEVER, Tenure(entrant="", first=1, last=7, why="caretaker")), {"ann": "2.4", "cid": "8"}),
    ],
)
def test_who_comes_back_has_their_share_of_the_turns(before: tuple[Tenure, ...], expected: dict[str, str]) -> None:
    back = changed(*before, Tenure(entrant="ann", first=8, last=10))
    assert points(credited(back, substitutes="pro-rata")) == expected
    assert points(credited(back)) == {"ann": "8", "cid": "8"}
    assert not credited(back)["ann", 1].forfeited


OWN = a_table(("guild",), ("x1", "x2", "x3", "x4", "sub", "x6"), how="guild", kind="default", round=1, table=2)


def test_a_substitute_does_not_lose_by_a_lost_seat() -> None:
    lost = changed(LEFT, SUBSTITUTE, winners=("guild",))
    given = credited(lost, OWN)
    assert points(given)["sub"] == "9"
    assert printed_points(given["sub", 1].net) == "9"
    assert not given["sub", 1].won
    assert credited(lost, OWN, substitutes="finisher")["sub", 1].net == 0
    better = changed(LEFT, SUBSTITUTE, winners=("atreides",))
    assert credited(better, OWN)["sub", 1].net == 12


def test_a_substitute_for_less_than_half_of_the_turns_has_the_points_of_the_seat() -> None:
    late = msgspec.structs.replace(SUBSTITUTE, first=7)
    long = msgspec.structs.replace(LEFT, last=6)
    assert credited(changed(long, late, winners=()), OWN)["sub", 1].net == 0
    half = (msgspec.structs.replace(LEFT, last=5), msgspec.structs.replace(SUBSTITUTE, first=6))
    assert credited(changed(*half, winners=()), OWN)["sub", 1].net == 9


@pytest.mark.parametrize("setting", ["protected", "pro-rata", "finisher", "nobody"])
def test_a_seat_that_mentat_plays_at_the_end_scores_nothing_and_its_ally_in_full(setting: Substitutes) -> None:
    given = credited(changed(LEFT, CARETAKER), substitutes=setting)
    assert points(given) == {"cid": "8"}
    assert given["ann", 1].forfeited
    assert not any(entrant == "" for entrant, _ in given)


def test_who_comes_back_to_their_seat_has_not_left_it() -> None:
    between = Tenure(entrant="", first=5, last=6, why="caretaker")
    given = credited(changed(LEFT, between, Tenure(entrant="ann", first=7, last=10)))
    assert points(given) == {"ann": "8", "cid": "8"}
    assert not given["ann", 1].forfeited


def test_what_others_scored_against_somebody_disqualified_stands() -> None:
    given = credited(a_table(PAIR, round=1, table=1), out=("ann",))
    assert points(given) == {"cid": "8"}
    assert not given["ann", 1].won


def test_a_void_table_credits_and_charges_nobody() -> None:
    void = changed(LEFT, SUBSTITUTE, winners=(), kind="void")
    given = credited(void, forfeit="-2")
    assert points(given) == {}
    assert not any(credit.counts or credit.forfeited for credit in given.values())


def priced(table: TableOutcome) -> TableOutcome:
    seats = tuple(
        msgspec.structs.replace(seat, price=price)
        for seat, price in zip(table.seats, (0, 20, 10, 0, 0, 10), strict=True)
    )
    return msgspec.structs.replace(table, seats=seats)


@pytest.mark.parametrize(
    ("charge", "expected"),
    [("always", {"ann": "8", "bob": "-2", "cid": "7", "fay": "-1"}), ("wins", {"ann": "8", "cid": "7"})],
)
def test_the_price_of_a_faction_is_taken_from_the_points_of_its_table(charge: Any, expected: dict[str, str]) -> None:
    assert points(credited(priced(a_table(PAIR, round=1, table=1)), charge=charge)) == expected


def test_a_substitute_does_not_pay_for_the_faction_they_take_over() -> None:
    left = (msgspec.structs.replace(LEFT, entrant="bob"), SUBSTITUTE)
    table = priced(a_table(("bene-gesserit",), tenures={"bene-gesserit": left}, round=1, table=1))
    assert points(credited(table)) == {"bob": "-2", "sub": "12", "cid": "-1", "fay": "-1"}
