"""Tests for the data behind the standings: counted results, earlier opponents, rounds reached, and faction wins."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import msgspec
import pytest

from bot.competition.credits import Crediting, Record, Stage, counting_results, make_record
from bot.competition.outcomes import TableOutcome, Tenure
from bot.competition.published import Result, Round
from bot.competition.scoring import Scoring, scoring_system
from bot.competition.settings import read_settings as read
from bot.competition.standings import standings
from tests.competition.a_table import a_table
from tests.competition.an_event import a_result, a_round, an_entrant


def version(number: int, table: int, version: int, state: Any = "confirmed") -> Result:
    outcome = a_table(("atreides",), game=f"g{number}{table}{version}", round=number, table=table)
    return a_result(msgspec.structs.replace(outcome, version=version), state)


@pytest.mark.parametrize(
    ("asked", "found"),
    [
        ({}, ["g112", "g121", "g211", "g311"]),
        ({"after": 3}, ["g112", "g121", "g211", "g311"]),
        ({"after": 2}, ["g112", "g121", "g211"]),
        ({"after": 0}, []),
        ({"confirmed_only": True}, ["g112", "g211"]),
    ],
)
def test_of_each_table_the_newest_result_counts_unless_it_was_withdrawn(
    asked: dict[str, Any], found: list[str]
) -> None:
    results = [
        version(3, 1, 1, "provisional"), version(2, 1, 1), version(1, 1, 2), version(1, 1, 1, "amended"),
        version(1, 3, 1, "amended"), version(1, 3, 2, "withdrawn"), version(1, 2, 1, "provisional"),
    ]  # fmt: skip
    assert [outcome.game for outcome in counting_results(results, **asked)] == found


def of(outcomes: list[TableOutcome], rounds: Any = (), entrants: str = "ann bob cid dora", **more: Any) -> Record:
    return make_record(
        entrants.split(), rounds, outcomes, Crediting(scoring_system(Scoring(system="equal-win"))), **more
    )


def places(found: Record) -> dict[str, dict[str, list[tuple[int, int]]]]:
    return {one: {other: sorted(at) for other, at in those.items()} for one, those in found.met.items()}


def test_they_have_met_who_sat_at_a_table_that_counts_and_came_to_it() -> None:
    left = (Tenure(entrant="ann", first=1, last=2), Tenure(entrant="cid", first=3, last=10, why="substitute"))
    never = (Tenure(entrant="dora", first=1, last=1, why="no-show"), Tenure(entrant="", first=1, last=10))
    tables = [
        a_table(("atreides",), ["ann", "bob"], round=1, table=1),
        a_table(("atreides",), ["ann", "bob"], round=2, table=1, tenures={"atreides": left}),
        a_table(("atreides",), ["bob", "dora"], round=3, table=1, tenures={"bene-gesserit": never}),
        a_table((), ["ann", "dora"], round=4, table=1, kind="void"),
        a_table(("atreides",), ["ann", "dora"], round=5, table=1),
    ]
    found = of(tables, [a_round(5, [["ann", "dora"]], kind="final")])
    assert places(found) == {
        "ann": {"bob": [(1, 1), (2, 1)]},
        "bob": {"ann": [(1, 1), (2, 1)], "cid": [(2, 1)]},
        "cid": {"bob": [(2, 1)]},
    }
    assert found.win_rate == {"atreides": Fraction(1), "bene-gesserit": Fraction(0)}


@pytest.mark.parametrize("kind", ["semifinal", "final"])
def test_a_final_changes_nothing_that_the_heats_are_counted_by(kind: Any) -> None:
    """A substitute from the heats has their own mean there, whatever they win later."""
    taken = (Tenure(entrant="ann", first=1, last=4), Tenure(entrant="dora", first=5, last=10, why="substitute"))
    heats = [
        a_table(("bene-gesserit",), ["ann", "bob", "cid"], round=1, table=1, tenures={"atreides": taken}),
        a_table(("bene-gesserit",), ["dora", "cid", "bob"], round=2, table=1),
    ]
    last = a_table(("atreides",), ["dora", "ann", "bob", "cid"], round=3, table=1)
    rounds = [a_round(1, [["ann", "bob", "cid"]]), a_round(2, [["dora", "cid", "bob"]])]
    crediting = Crediting(scoring_system(Scoring()), "protected")
    who = ["ann", "bob", "cid", "dora"]
    before = make_record(who, rounds, heats, crediting)
    after = make_record(
        who, [*rounds, a_round(3, [["dora", "ann", "bob", "cid"]], kind=kind)], [*heats, last], crediting
    )
    for name in ("credits", "points", "strength", "met", "win_rate"):
        assert getattr(after, name) == getattr(before, name), name
    assert after.apart["dora"][0].points == 12


def test_a_faction_wins_as_often_as_it_was_played_at_tables_that_are_not_void() -> None:
    tables = [
        a_table(("atreides", "emperor"), ["ann", "bob", "cid"], round=1, table=1),
        a_table(("atreides",), ["ann", "bob"], round=1, table=2),
        a_table(("bene-gesserit",), ["ann", "bob"], round=1, table=3),
        a_table((), ["ann", "bob", "cid", "dora"], round=1, table=4, kind="void"),
    ]
    assert of(tables).win_rate == {
        "atreides": Fraction(2, 3), "bene-gesserit": Fraction(1, 3), "emperor": Fraction(1)
    }  # fmt: skip


def test_how_far_somebody_came_is_the_last_round_for_some_that_they_were_drawn_for() -> None:
    rounds = [
        a_round(1, [["ann", "bob"], ["cid", "dora"]]),
        a_round(2, [["ann", "bob", "cid"]], kind="semifinal"),
        a_round(3, [["ann", "bob"]], kind="final"),
    ]
    left = (Tenure(entrant="bob", first=1, last=2), Tenure(entrant="dora", first=3, last=10, why="substitute"))
    tables = [
        a_table(("atreides",), ["ann", "bob"], round=1, table=1),
        a_table(("atreides",), ["ann", "bob", "cid"], round=2, table=1),
        a_table(("bene-gesserit",), ["ann", "bob"], round=3, table=1, tenures={"bene-gesserit": left}),
    ]
    found = of(tables, rounds)
    assert {who: (stage.round, stage.name) for who, stage in found.stages.items()} == {
        "ann": (3, "final"), "bob": (3, "final"), "cid": (2, "semifinal"), "dora": (3, "final"),
    }  # fmt: skip
    assert {who: [credit.round for credit in those] for who, those in found.credits.items()} == {
        "ann": [1], "bob": [1], "cid": [], "dora": []
    }  # fmt: skip
    assert {who: [credit.round for credit in those] for who, those in found.apart.items()} == {
        "ann": [2, 3], "bob": [2, 3], "cid": [2], "dora": [3]
    }  # fmt: skip
    knockout = of(tables[:1], [a_round(1, [["ann", "bob"]], kind="knockout")], "ann bob cid")
    points = knockout.points["ann"]
    assert points > 0
    assert knockout.stages == {
        "ann": Stage(1, "round 1", points),
        "bob": Stage(1, "round 1"),
        "cid": Stage(0, "", Fraction(0)),
    }


def test_who_left_a_final_that_they_played_for_another_has_not_reached_it() -> None:
    passed = (
        Tenure(entrant="bob", first=1, last=2),
        Tenure(entrant="dora", first=3, last=4, why="substitute"),
        Tenure(entrant="", first=5, last=10, why="caretaker"),
    )
    final = a_table(("atreides",), ["ann", "bob"], round=1, table=1, tenures={"bene-gesserit": passed})
    found = of([final], [a_round(1, [["ann", "bob"]], kind="final")])
    assert {who: stage.round for who, stage in found.stages.items()} == {"ann": 1, "bob": 1, "cid": 0, "dora": 0}


def test_of_a_final_whose_draw_is_not_public_they_have_reached_it_who_ever_had_a_seat_there() -> None:
    passed = (Tenure(entrant="bob", first=1, last=2), Tenure(entrant="dora", first=3, last=10, why="substitute"))
    final = a_table(("atreides",), ["ann", "bob"], round=1, table=1, tenures={"bene-gesserit": passed})
    sealed = msgspec.structs.replace(a_round(1, [["ann", "cid"]], kind="final"), draw=None)
    found = of([final], [sealed])
    assert {who: stage.round for who, stage in found.stages.items()} == {"ann": 1, "bob": 1, "cid": 0, "dora": 1}


def test_who_was_drawn_and_is_no_entrant_any_more_has_reached_nothing() -> None:
    found = of([], [a_round(1, [["ann", "eve"]], kind="final")])
    assert {who: stage.round for who, stage in found.stages.items()} == {"ann": 1, "bob": 0, "cid": 0, "dora": 0}


def test_who_sits_out_is_credited_unless_they_were_disqualified() -> None:
    rounds = [a_round(1, [["ann", "bob"]], sat_out=("cid", "dora")), a_round(2, [["ann", "cid"]], sat_out=("cid",))]
    rounds.append(Round(number=3, kind="heat", state="planned"))
    found = of([], rounds, disqualified=["dora"])
    assert {who: [credit.round for credit in those] for who, those in found.credits.items()} == {
        "ann": [], "bob": [], "cid": [1], "dora": []
    }  # fmt: skip


def test_a_substitute_for_half_of_the_turns_has_the_mean_of_their_own_tables() -> None:
    came = (Tenure(entrant="bob", first=1, last=5), Tenure(entrant="cid", first=6, last=10, why="substitute"))
    tables = [
        a_table(("atreides",), ["cid", "ann"], round=1, table=1),
        a_table(("bene-gesserit",), ["cid", "ann"], round=2, table=1),
        a_table(("atreides",), ["ann", "bob"], round=3, table=1, tenures={"bene-gesserit": came}),
    ]
    alone = of(tables[:1]).points["cid"]
    assert alone > 0
    assert [credit.points for credit in of(tables).credits["cid"]] == [alone, 0, alone / 2]


@pytest.mark.parametrize(
    ("settings", "terms"),
    [
        ("", [("pair, stronghold", "8"), ("price of the faction", "-1.3")]),
        (
            '[scoring]\naggregate = ["1/2"]',
            [("pair, stronghold, weight 0.5", "4"), ("price of the faction, weight 0.5", "-0.65")],
        ),
    ],
)
def test_what_a_faction_cost_is_a_term_of_its_own(settings: str, terms: list[tuple[str, str]]) -> None:
    table = a_table(("atreides", "bene-gesserit"), ["ann", "bob", "cid"], round=1, table=1)
    dear = msgspec.structs.replace(
        table,
        seats=tuple(msgspec.structs.replace(seat, price=13 * (seat.faction == "atreides")) for seat in table.seats),
    )
    read_settings = read(f'title = "Cup"\n{settings}')
    rows = standings(read_settings, [an_entrant("ann")], (), [a_result(dear)], lot_seed="seed")
    where = "round 1, table 1, Atreides: "
    assert [
        (term.what.replace(where, "").replace("round 1, table 1: ", ""), term.value) for term in rows[0].made_of
    ] == terms
