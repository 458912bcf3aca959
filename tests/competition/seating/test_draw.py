"""Tests for the draw of rounds: table sizes, the proven minimum of meetings, factions, and independent checks."""

from __future__ import annotations

import os
import random
import subprocess
import sys
from collections import Counter
from itertools import combinations, pairwise

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.competition.published import DrawRecord, RoundKind, commitment, roster_digest, round_seed
from bot.competition.seating import SeatingWishes, count_byes, deal_slices, draw_again, draw_seating, lot, out_too_soon
from bot.competition.seating_designs import known_rounds
from bot.competition.seating_search import (
    APART,
    HOURS,
    MEETING,
    SMALL,
    TWICE,
    History,
    NoTables,
    Sizes,
    least_again,
    least_apart,
    least_pairs,
    table_sizes,
    too_many,
)
from bot.lab.bench import measure_seating
from rules.components.chance import Chance
from tests.size import SLOW

SECRET, BEACON = "spice-must-flow", "beacon text 42"
TWELVE = [f"E{number:02d}" for number in range(1, 13)]


def asked(entrants: int, heats: int = 1, kind: RoundKind = "heat", **more: object) -> DrawRecord:
    handles = tuple(f"E{number:03d}" for number in range(1, entrants + 1))
    record = DrawRecord(
        rounds=tuple(range(1, heats + 1)), kind=kind, roster=handles, ranked=handles,
        roster_digest=roster_digest(handles),
    )  # fmt: skip
    return msgspec.structs.replace(record, **more)  # the fields that differ


def meetings(record: DrawRecord) -> Counter[frozenset[str]]:
    return Counter(
        frozenset(pair)
        for table in record.tables
        for pair in combinations([seat.entrant for seat in table.seats], 2)
    )  # fmt: skip


# --- the vector ------------------------------------------------------------------------------------------------------


def test_secret_roster_and_beacon_give_the_published_seed() -> None:
    assert commitment(SECRET) == "85b2feb771fe1406f15bb836019d48f6ce8e7fc48295d3de8b8f85a44accbd02"
    digest = roster_digest(TWELVE)
    assert digest == "dc4c99cdc3932de4a7c2fd11ccf4fdbd9be19e701afa9c3c29402470be5113e3"
    seed = round_seed(SECRET, 1, digest, BEACON)
    assert seed == "a0d78a640bedcbebea329dba151aa190c491675d00bd8f5a4e9a28132276773b"
    shuffled = list(TWELVE)
    Chance(seed, {}).shuffle("round 1/0", shuffled)
    assert " ".join(shuffled) == "E03 E04 E10 E09 E01 E08 E07 E12 E05 E11 E02 E06"
    assert [lot(seed, handle) for handle in TWELVE[:3]] == ["2a12d4c0", "920dff2c", "02a47132"]


# --- sizes -----------------------------------------------------------------------------------------------------------


def test_tables_are_sixes_and_as_many_fives_as_are_needed() -> None:
    assert table_sizes(38) == Sizes(3, 4)
    assert table_sizes(100) == Sizes(15, 2)
    assert table_sizes(200) == Sizes(30, 4)
    for entrants in range(20, 400):
        assert table_sizes(entrants).entrants == entrants
        assert table_sizes(entrants).fives == -entrants % 6


@pytest.mark.parametrize("entrants", [0, 1, 2, 3, 4, 7, 8, 9, 13, 14, 19])
def test_so_many_cannot_be_seated_and_are_told_the_ways_out(entrants: int) -> None:
    with pytest.raises(NoTables, match="standby"):
        table_sizes(entrants)
    if entrants in (8, 9, 13, 14, 19):
        with pytest.raises(NoTables, match=r"volunteers sit out.*fours = true"):
            table_sizes(entrants)
        assert table_sizes(entrants, fours=True).entrants == entrants


# --- who meets whom --------------------------------------------------------------------------------------------------

MINIMA = {12: 12, 18: 9, 20: 4, 24: 8, 25: 0, 26: 1, 27: 2, 28: 3, 29: 4, 30: 5, 31: 0, 36: 0}


@pytest.mark.parametrize(("entrants", "least"), MINIMA.items())
def test_in_two_rounds_no_more_pairs_meet_again_than_must(entrants: int, least: int) -> None:
    drawn = draw_seating(asked(entrants, 2), "arrakis")
    assert sum(1 for times in meetings(drawn).values() if times > 1) == least == drawn.cost.twice


@pytest.mark.parametrize(("entrants", "heats"), [(25, 5), (31, 3), (34, 3), (36, 3), (42, 4)])
def test_where_a_design_is_known_nobody_meets_again_in_more_than_two_rounds(entrants: int, heats: int) -> None:
    drawn = draw_seating(asked(entrants, heats), "arrakis")
    assert max(meetings(drawn).values()) == 1
    assert drawn.cost.twice == drawn.cost.meetings == 0
    assert draw_again(drawn) == drawn


def test_of_thirty_six_in_three_rounds_two_tables_of_the_third_alone_are_not_one_of_each_pot() -> None:
    drawn = draw_seating(asked(36, 3), "arrakis")
    uneven = [
        table.round for table in drawn.tables if len({(int(seat.entrant[1:]) - 1) // 6 for seat in table.seats}) < 6
    ]
    assert uneven == [3, 3]


def test_a_design_is_no_way_round_who_is_kept_apart() -> None:
    pairs = (("E001", "E007"), ("E008", "E014"), ("E020", "E030"))
    assert draw_seating(asked(36, 3, apart=pairs), "arrakis").cost.apart == 0


def test_in_every_known_design_nobody_meets_anybody_twice() -> None:
    for tables, places in [(5, 5), *((tables, 6) for tables in range(6, 17))]:
        design = known_rounds(tables, places, 5)
        assert len(design) >= (3 if places == 6 else 5)
        people = [(pot, x) for pot in range(places) for x in range(tables)]
        for one, other in combinations(people, 2):
            assert sum(each[one[0]][one[1]] == each[other[0]][other[1]] for each in design) <= 1
        assert all(len(set(pot)) == tables for each in design[:2] for pot in each)
    assert known_rounds(4, 6, 3) == known_rounds(5, 6, 3) == known_rounds(17, 6, 3) == ()


def test_of_thirty_six_four_rounds_without_a_repeat_cannot_be() -> None:
    assert draw_seating(asked(36, 4), "arrakis").cost.twice > 0


@pytest.mark.parametrize("entrants", [60, 100, 200])
def test_three_heats_of_many_have_no_repeat_no_faction_twice_and_one_five_at_most(entrants: int) -> None:
    drawn = draw_seating(asked(entrants, 3), "arrakis")
    assert max(meetings(drawn).values()) == 1
    had = Counter((seat.entrant, seat.faction) for table in drawn.tables for seat in table.seats)
    assert max(had.values()) == 1
    fives = Counter(seat.entrant for table in drawn.tables if len(table.seats) == 5 for seat in table.seats)
    assert max(fives.values(), default=0) <= 1


def test_a_table_has_one_of_each_pot() -> None:
    drawn = draw_seating(asked(60), "arrakis")
    for table in drawn.tables:
        assert sorted((int(seat.entrant[1:]) - 1) // 10 for seat in table.seats) == [0, 1, 2, 3, 4, 5]


def test_those_to_be_kept_apart_sit_apart_whatever_it_costs() -> None:
    pairs = (("E001", "E007"), ("E001", "E008"), ("E002", "E009"))
    drawn = draw_seating(asked(12, 2, apart=pairs), "arrakis")
    for one, other in pairs:
        assert frozenset((one, other)) not in meetings(drawn) or drawn.cost.apart
    assert draw_seating(asked(24, 2, apart=pairs), "arrakis").cost.apart == 0


def test_a_clique_larger_than_the_tables_is_told_as_what_it_costs_at_least() -> None:
    clique = tuple(combinations(("E001", "E003", "E005"), 2))
    assert draw_seating(asked(12, apart=clique), "arrakis").cost.apart == 1


def test_who_sat_at_a_five_does_not_again_while_others_have_not() -> None:
    first = draw_seating(asked(95), "arrakis")
    drawn = draw_seating(msgspec.structs.replace(asked(95), history=first.tables, rounds=(2,)), "spice")
    had = {seat.entrant for table in first.tables if len(table.seats) == 5 for seat in table.seats}
    has = {seat.entrant for table in drawn.tables if len(table.seats) == 5 for seat in table.seats}
    assert not had & has


def test_who_sat_out_is_the_last_to_sit_at_a_five() -> None:
    had = {f"E{number:03d}" for number in range(1, 96, 6)}
    for kind in ("heat", "swiss"):
        drawn = draw_seating(asked(95, kind=kind, rounds=(2,), byes=tuple(sorted(had))), "spice")
        has = {seat.entrant for table in drawn.tables if len(table.seats) == 5 for seat in table.seats}
        assert not had & has or kind == "swiss"
        assert drawn.cost.small == len(had & has)
        assert draw_again(drawn) == drawn


def test_byes_are_counted_by_round_and_name_who_would_sit_out_too_soon() -> None:
    heats = asked(12, 2, sat_out=("E013", "E014"))
    swiss = asked(12, 1, sat_out=("E013", "E015"))
    before = count_byes([heats, swiss], {"E001", "E013", "E014"})
    assert before == ("E013", "E013", "E013", "E014", "E014")
    assert out_too_soon({"E013"}, {"E001", "E014"}, before) == ["E013"]
    assert out_too_soon({"E014"}, {"E013"}, before) == []
    assert out_too_soon({"E013"}, {"E013"}, before) == []


def test_waking_hours_are_looked_at_where_they_are_asked_for() -> None:
    east, west = 0x000FFF, 0xFFF000
    hours = tuple(east if number % 2 else west for number in range(24))
    wishes = SeatingWishes(overlap_hours=4)
    drawn = draw_seating(asked(24, hours=hours, kind="swiss"), "arrakis", wishes)
    assert (
        drawn.cost.hours < draw_seating(asked(24, hours=hours, kind="swiss"), "arrakis").cost.hours
        or not drawn.cost.hours
    )


@pytest.mark.parametrize("entrants", [15, 16, 17, 21, 22, 23, 32, 33, 34, 35])
def test_the_draw_reaches_what_counting_allows(entrants: int) -> None:
    drawn = draw_seating(asked(entrants, 2), "spice")
    first = [len(table.seats) for table in drawn.tables if table.round == 1]
    assert drawn.cost.twice == least_again(first, len(first))


def test_in_a_semifinal_those_to_be_kept_apart_change_places_only_within_their_row() -> None:
    strict = draw_seating(asked(36, kind="semifinal"), "arrakis")
    one, other = strict.tables[0].seats[0].entrant, strict.tables[0].seats[1].entrant
    drawn = draw_seating(asked(36, kind="semifinal", apart=(min((one, other), (other, one)),)), "arrakis")
    assert drawn.cost.apart == 0
    rows = [{int(seat.entrant[1:]) for seat in table.seats} for table in drawn.tables]
    for row in rows:
        assert sorted((number - 1) // 6 for number in row) == [0, 1, 2, 3, 4, 5]
    moved = {seat.entrant for now, was in zip(drawn.tables, strict.tables, strict=True) for seat in now.seats
             if seat.entrant not in {each.entrant for each in was.seats}}  # fmt: skip
    assert len(moved) == 2


def test_a_snake_turns_back_at_its_ends_and_passes_over_a_table_that_is_full() -> None:
    drawn = draw_seating(asked(17, kind="final"), "arrakis")
    tables = [sorted(int(seat.entrant[1:]) for seat in table.seats) for table in drawn.tables]
    assert tables == [[1, 6, 7, 12, 13, 17], [2, 5, 8, 11, 14, 16], [3, 4, 9, 10, 15]]


def test_a_snake_is_not_broken_for_a_faction() -> None:
    first = draw_seating(asked(36, kind="semifinal"), "arrakis")
    second = msgspec.structs.replace(asked(36, kind="semifinal"), rounds=(2,), history=first.tables)
    again = draw_seating(second, "arrakis")
    people = [[{seat.entrant for seat in table.seats} for table in drawn.tables] for drawn in (first, again)]
    assert people[0] == people[1]


def test_as_many_as_are_all_kept_apart_and_more_than_tables_are_counted_and_named() -> None:
    clique = tuple(combinations(("E001", "E003", "E005", "E007", "E009"), 2))
    assert too_many((*clique, ("E002", "E004")), 2) == [("E001", "E003", "E005", "E007", "E009")]
    assert least_apart(clique, 2) == 3 + 1
    assert least_apart(clique, 5) == 0
    assert draw_seating(asked(12, apart=clique), "arrakis").cost.apart == 4


@given(st.integers(1, 40), st.integers(1, 12))
def test_no_way_to_spread_people_has_fewer_pairs_than_the_least(people: int, tables: int) -> None:
    spread = [people // tables + (number < people % tables) for number in range(tables)]
    assert least_pairs(people, tables) == sum(n * (n - 1) // 2 for n in spread)


def test_what_counts_later_never_outweighs_what_counts_first() -> None:
    most = 10_000 * 15
    for first, then in pairwise((APART, TWICE, MEETING * 36, SMALL, HOURS)):
        assert first > most * then


def test_two_thousand_play_three_heats_and_nobody_meets_twice_or_has_a_faction_twice() -> None:
    drawn = draw_seating(asked(2000, 3), "arrakis")
    assert (drawn.cost.twice, drawn.cost.small, drawn.cost.factions) == (0, 0, 0)


@pytest.mark.slow
@pytest.mark.skipif(not SLOW, reason="a measurement of some seconds; MENTAT_SLOW=1 takes it")
def test_ten_thousand_are_seated_for_three_rounds_in_ten_seconds() -> None:
    (_, large) = measure_seating(10_000)
    assert large.reached


# --- factions and dots -----------------------------------------------------------------------------------------------


def test_over_many_seeds_everybody_gets_each_faction_about_as_often() -> None:
    had: Counter[tuple[str, str]] = Counter()
    for number in range(600):
        for table in draw_seating(asked(6), f"seed {number}").tables:
            had.update((seat.entrant, str(seat.faction)) for seat in table.seats)
    assert len(had) == 36
    assert all(60 <= times <= 140 for times in had.values())


def test_at_a_five_the_bene_gesserit_can_be_left_out() -> None:
    for table in draw_seating(asked(35), "arrakis", SeatingWishes(missing="bene-gesserit")).tables:
        factions = {seat.faction for seat in table.seats}
        assert len(factions) == len(table.seats)
        assert ("bene-gesserit" in factions) == (len(table.seats) == 6)


def test_neighbours_who_sat_at_a_small_table_get_a_full_one() -> None:
    ranked, history = TWELVE[:11], History()
    history.sat_out([*ranked[:5], ranked[8]])
    assert list(map(len, deal_slices(ranked, Sizes(sixes=1, fives=1), history))) == [6, 5]
    history.sat_out(2 * ranked[6:])
    assert list(map(len, deal_slices(ranked, Sizes(sixes=1, fives=1), history))) == [5, 6]


def test_exchanges_that_avoid_a_repeated_faction_seat_everybody_once() -> None:
    drawn = draw_seating(asked(12, heats=5), "kaitain", SeatingWishes())  # two tables of round 5 exchange entrants
    for round_number in drawn.rounds:
        seated = [seat.entrant for table in drawn.tables if table.round == round_number for seat in table.seats]
        assert sorted(seated) == sorted(drawn.roster)


def test_where_factions_come_later_nobody_has_one() -> None:
    drawn = draw_seating(asked(12), "arrakis", SeatingWishes(factions=False))
    assert {seat.faction for table in drawn.tables for seat in table.seats} == {None}


# --- reproducibility -------------------------------------------------------------------------------------------------


@settings(max_examples=25, deadline=None)
@given(
    st.integers(5, 130).filter(lambda n: n not in (7, 8, 9, 13, 14, 19)), st.integers(1, 3),
    st.sampled_from(["heat", "swiss", "knockout", "semifinal"]), st.randoms(use_true_random=False),
)  # fmt: skip
def test_everybody_has_one_seat_and_the_record_gives_itself_again(
    entrants: int, rounds: int, kind: RoundKind, dice: random.Random
) -> None:
    rounds = 1 if kind != "heat" or entrants < 50 else rounds
    typed = asked(entrants, rounds, kind)
    drawn = draw_seating(typed, "arrakis")
    for number in typed.rounds:
        there = [seat.entrant for table in drawn.tables if table.round == number for seat in table.seats]
        assert sorted(there) == sorted(typed.roster)
        assert sorted(len(table.seats) for table in drawn.tables if table.round == number) == sorted(
            table_sizes(entrants).each()
        )
    for table in drawn.tables:
        assert (
            len({seat.dot for seat in table.seats}) == len({seat.faction for seat in table.seats}) == len(table.seats)
        )
    assert draw_again(drawn) == drawn
    assert cost_by_hand(drawn) == (drawn.cost.apart, drawn.cost.twice, drawn.cost.meetings, drawn.cost.factions)
    shuffled = list(typed.roster)
    dice.shuffle(shuffled)
    assert draw_seating(msgspec.structs.replace(typed, roster=tuple(shuffled)), "arrakis").tables == drawn.tables


def cost_by_hand(drawn: DrawRecord) -> tuple[int, int, int, int]:
    """Count broken separations, repeated meetings (also 100 times squared) and repeated factions seat by seat."""
    met: Counter[frozenset[str]] = Counter()
    had: Counter[tuple[str, str | None]] = Counter()
    apart = twice = squares = again = 0
    kept_apart = {frozenset(pair) for pair in drawn.apart}
    for number in drawn.rounds:
        there = [table for table in drawn.tables if table.round == number]
        pairs = [frozenset(p) for table in there for p in combinations([seat.entrant for seat in table.seats], 2)]
        parts = [(seat.entrant, seat.faction) for table in there for seat in table.seats]
        apart += sum(pair in kept_apart for pair in pairs)
        twice += sum(met[pair] > 0 for pair in pairs)
        squares += 100 * sum(met[pair] ** 2 for pair in pairs)
        again += sum(had[part] > 0 for part in parts)
        met.update(pairs)
        had.update(parts)
    return apart, twice, squares, again


def test_waking_hours_belong_to_handles_however_the_roster_is_ordered() -> None:
    typed, wishes = asked(24, kind="swiss"), SeatingWishes(overlap_hours=4)
    hours = {handle: (0x000FFF, 0xFFF000)[number % 2] for number, handle in enumerate(typed.roster)}
    records = [
        msgspec.structs.replace(typed, roster=roster, hours=tuple(hours[handle] for handle in roster))
        for roster in (typed.roster, typed.roster[::-1])
    ]
    one, other = (draw_seating(record, "arrakis", wishes) for record in records)
    assert one.tables == other.tables


def test_another_seed_gives_another_seating() -> None:
    assert draw_seating(asked(36), "one").tables != draw_seating(asked(36), "two").tables


def test_another_process_draws_the_same_bytes() -> None:
    code = (
        "from tests.competition.seating.test_draw import asked; import msgspec, hashlib;"
        "from bot.competition.seating import draw_seating;"
        "print(hashlib.sha256(msgspec.json.encode(draw_seating(asked(65, 3), 'arrakis'))).hexdigest())"
    )
    sums = {
        subprocess.run(
            [sys.executable, "-c", code], capture_output=True, text=True, check=True,
            env={**os.environ, "PYTHONHASHSEED": number},
        ).stdout
        for number in ("0", "1")
    }  # fmt: skip
    assert len(sums) == 1
