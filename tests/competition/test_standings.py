"""Tests for the standings: the order of entrants, its reasons, and the parts of every number."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise
from typing import Any

import msgspec
import pytest

from bot.competition import published
from bot.competition.outcomes import TableOutcome, Tenure, Why
from bot.competition.published import Result, Standing, round_seed
from bot.competition.scoring import printed_points
from bot.competition.settings import TournamentSettings, read_settings
from bot.competition.standings import StageReached, lot_seed, stages_reached, standings, standings_of_published
from tests.competition.a_table import SIX, a_table
from tests.competition.an_event import SECRET, a_result, a_round, an_entrant, an_event
from tests.competition.independent import places
from tests.competition.published_example import example
from tests.size import size

TITLE = 'title = "Arrakeen Open"\n'
SEED = "a0d78a640bedcbebea329dba151aa190c491675d00bd8f5a4e9a28132276773b"


def others(table: int, count: int = 5) -> list[str]:
    """Return players who matter only as opponents."""
    return [f"x{table}{seat}" for seat in range(count)]


def ranked(results: list[TableOutcome], *names: str, settings: str = "", **more: Any) -> list[Standing]:
    """Return the standings of the named players only."""
    given = {"rounds": (), "lot_seed": SEED, **more}
    entrants = [an_entrant(name) for name in names]
    return list(standings(read_settings(TITLE + settings), entrants, results=map(a_result, results), **given))


def order(rows: list[Standing]) -> list[str]:
    return [row.entrant for row in rows]


def keys(row: Standing) -> dict[str, str]:
    return dict(row.keys)


def at(number: int, table: int, player: str, how: str, **more: Any) -> TableOutcome:
    """Return a table at which the player, as Atreides, has the outcome "pair", "triple", "solo" or "loss"."""
    winners = {"solo": SIX[:1], "pair": SIX[:2], "triple": SIX[:3], "loss": SIX[4:5]}[how]
    return a_table(winners, [player, *others(10 * number + table)], round=number, table=table, **more)


def absent(number: int, table: int, player: str) -> TableOutcome:
    gone = Tenure(entrant=player, first=1, last=1, why="no-show", ordered=False)
    caretaker = Tenure(entrant="", first=1, last=10, why="caretaker")
    tenures = {"atreides": (gone, caretaker)}
    return a_table(SIX[4:5], [player, *others(10 * number + table)], round=number, table=table, tenures=tenures)


FOUR = [
    at(1, 1, "ann", "pair"), at(2, 1, "ann", "loss"), at(3, 1, "ann", "solo"),
    at(1, 2, "bob", "pair"), at(2, 2, "bob", "triple"), at(3, 2, "bob", "loss"),
    at(1, 3, "cid", "pair"), at(2, 3, "cid", "loss"), absent(3, 3, "cid"),
    at(1, 4, "dora", "pair", kind="adjudicated"), at(2, 4, "dora", "pair"), at(3, 4, "dora", "loss"),
]  # fmt: skip


def test_ann_is_first_by_points_and_bob_before_dora_by_a_full_win() -> None:
    rows = ranked(FOUR, "ann", "bob", "cid", "dora")
    assert order(rows) == ["ann", "bob", "dora", "cid"]
    assert [row.rank for row in rows] == [1, 2, 3, 4]
    assert [row.points for row in rows] == ["20", "14", "14", "8"]
    assert [keys(row)["wins"] for row in rows] == ["2", "2", "2", "1"]
    assert [keys(row)["full_wins"] for row in rows] == ["2", "2", "1", "1"]
    assert [row.parted_by for row in rows] == ["points", "full_wins", "forfeits", ""]


def test_who_never_played_comes_after_all_who_did_and_before_nobody_but_those_who_never_came() -> None:
    lost = [at(1, 1, "ann", "loss"), at(2, 1, "ann", "loss"), absent(1, 2, "eve")]
    for name in ("bob", "zoe", "x", "y", "z", "Ann"):  # the lot would put one of them first
        rows = ranked(lost, "ann", "eve", name)
        assert order(rows) == ["ann", name, "eve"]
        assert [row.parted_by for row in rows] == ["played", "forfeits", ""]
    going = ranked([at(1, 1, "ann", "loss")], "ann", "bob", rounds=[a_round(1, [["ann"], ["bob"]])])
    assert "played" not in keys(going[0]), "who plays now has a seat"


def test_every_number_has_its_origin() -> None:
    rows = ranked(FOUR, "ann", "bob", "cid", "dora")
    assert [(term.what, term.value) for term in rows[2].made_of] == [
        ("round 1, table 4, Atreides: pair, adjudicated, times 0.75", "6"),
        ("round 2, table 4, Atreides: pair, stronghold", "8"),
        ("round 3, table 4, Atreides: loss", "0"),
    ]
    assert rows[3].made_of[2].what == "round 3, table 3, Atreides: absent"


def test_a_table_that_does_not_count_says_why() -> None:
    (row,) = ranked(FOUR, "ann", settings='[scoring]\naggregate = "best 1"')
    assert row.points == "12"
    assert row.made_of[0].what.endswith("pair, stronghold: 8, which does not count (best 1)")
    (row,) = ranked(FOUR, "ann", settings='[scoring]\naggregate = ["1"]')
    assert row.points == "12"
    assert row.made_of[0].what.endswith("pair, stronghold: 8, which does not count (weighted from the best)")
    (row,) = ranked(FOUR, "ann", settings='[scoring]\naggregate = "minus worst 2"')
    assert row.made_of[0].what.endswith("pair, stronghold: 8, which does not count (minus worst 2)")
    (row,) = ranked(FOUR, "ann", settings='[scoring]\naggregate = ["1", "0.8", "0.4"]')
    assert [(term.what.partition(": ")[2], term.value) for term in row.made_of] == [
        ("pair, stronghold, weight 0.8", "6.4"), ("loss, weight 0.4", "0"), ("solo, stronghold", "12"),
    ]  # fmt: skip


def test_lots_are_drawn_by_the_seed_of_the_first_round() -> None:
    rows = ranked([], "E01", "E02", "E03")
    assert order(rows) == ["E03", "E01", "E02"]
    assert [keys(row)["lot"] for row in rows] == ["02a47132", "2a12d4c0", "920dff2c"]
    assert [row.parted_by for row in rows] == ["lot", "lot", ""]
    drawn = [a_round(2, [["E01"]]), a_round(1, [["E02"]])]
    assert lot_seed(drawn, "c") == round_seed(SECRET, 1, "", "")
    assert lot_seed([], "commitment") == "commitment"


def only(name: str) -> str:
    return f'tie_breaks = ["{name}", "lot"]\n'


WON_ALONE_LATE = [at(1, 1, "ann", "loss"), at(2, 1, "ann", "solo", turn=9)]
WON_TOGETHER_EARLY = [at(1, 2, "bob", "pair", turn=4), at(2, 2, "bob", "loss")]


@pytest.mark.parametrize(
    ("name", "first", "shown"),
    [
        ("points", "ann", ["12", "8"]),
        ("quality", "ann", ["1-0-0", "0-1-0"]),
        ("first_heat", "bob", ["1", "0-1"]),
        ("turns", "bob", ["4", "9"]),
    ],
)
def test_each_criterion_alone_orders_by_its_own_measure(name: str, first: str, shown: list[str]) -> None:
    rows = ranked(WON_ALONE_LATE + WON_TOGETHER_EARLY, "ann", "bob", settings=only(name))
    assert rows[0].entrant == first
    assert [keys(row)[name] for row in rows] == shown
    assert rows[0].parted_by == name


def test_wins_in_turn_are_shown_up_to_the_last_one() -> None:
    played = [at(1, 1, "ann", "solo"), at(2, 1, "ann", "loss"), at(3, 1, "ann", "solo"), at(4, 1, "ann", "loss")]
    assert keys(ranked(played, "ann", settings=only("first_heat"))[0])["first_heat"] == "1-0-1"


def test_an_agreed_win_is_no_full_win() -> None:
    tables = [at(1, 1, "ann", "pair", kind="agreed"), at(1, 2, "bob", "pair", kind="default")]
    rows = ranked(tables, "ann", "bob", settings=only("full_wins"))
    assert [keys(row)["full_wins"] for row in rows] == ["1", "0"]
    assert order(rows) == ["bob", "ann"]


def test_forfeits_are_tables_left_and_tables_never_come_to() -> None:
    left = (
        Tenure(entrant="ann", first=1, last=4, resigned=True),
        Tenure(entrant="", first=5, last=10, why="caretaker"),
    )
    tables = [at(1, 1, "ann", "pair", tenures={"atreides": left}), absent(2, 1, "ann"), absent(1, 2, "bob")]
    rows = ranked(tables, "ann", "bob", settings=only("forfeits"))
    assert [(row.entrant, keys(row)["forfeits"]) for row in rows] == [("bob", "1"), ("ann", "2")]


def test_opponents_are_worth_what_they_made_at_other_tables() -> None:
    strong = ["ann", "s1", "s2", "s3", "s4", "s5"]
    weak = ["bob", "w1", "w2", "w3", "w4", "w5"]
    tables = [
        a_table(SIX[:1], strong, round=1, table=1),
        a_table(SIX[:1], weak, round=1, table=2),
        a_table(SIX[:1], ["s1", *others(3)], round=2, table=1),
        a_table(SIX[1:2], ["w1", "w2", *others(4, 4)], round=2, table=2, kind="adjudicated"),
    ]
    rows = ranked(tables, "ann", "bob", settings=only("opponents"))
    assert [(row.entrant, keys(row)["opponents"]) for row in rows] == [("ann", "2.4"), ("bob", "1.8")]


def test_head_to_head_counts_only_if_all_who_are_level_have_met() -> None:
    met = a_table(SIX[1:2], ["ann", "bob", *others(1, 4)], round=1, table=1)
    apart = [at(2, 1, "ann", "solo"), at(2, 2, "bob", "loss"), at(2, 3, "cid", "solo")]
    settings = 'tie_breaks = ["wins", "head_to_head", "lot"]'
    rows = ranked([met, *apart], "ann", "bob", settings=settings)
    assert order(rows) == ["bob", "ann"]
    assert rows[0].parted_by == "head_to_head"
    assert [keys(row)["head_to_head"] for row in rows] == ["12", "0"]
    rows = ranked([met, *apart], "ann", "bob", "cid", settings=settings)
    assert {row.parted_by for row in rows} == {"lot", ""}
    assert {keys(row)["head_to_head"] for row in rows} == {""}


def test_strongholds_per_turn_are_those_of_all_turns_of_the_seats_held() -> None:
    tables = [
        at(1, 1, "ann", "loss", turn=10, strongholds={"atreides": (0, 25)}),
        at(2, 1, "ann", "loss", turn=5, strongholds={"atreides": (0, 5)}),
        at(1, 2, "bob", "loss", turn=4, strongholds={"atreides": (0, 9)}),
    ]
    rows = ranked(tables, "ann", "bob", settings=only("strongholds_per_turn"))
    assert [(row.entrant, keys(row)["strongholds_per_turn"]) for row in rows] == [("bob", "2.25"), ("ann", "2")]


def test_a_win_with_a_faction_that_wins_less_is_the_harder_one() -> None:
    tables = [
        a_table(("fremen",), ["ann", "bob", *others(1, 4)], round=1, table=1),
        a_table(("bene-gesserit",), ["ann", "bob", *others(1, 4)], round=2, table=1),
        a_table(("fremen",), ["x", "y", "z", "ann", "v", "w"], round=3, table=1),
    ]
    rows = ranked(tables, "ann", "bob", "cid", settings=only("hardest_faction"))
    assert [(row.entrant, keys(row)["hardest_faction"]) for row in rows][:2] == [("bob", "0.3333"), ("ann", "0.6667")]


def test_the_standings_after_a_round_know_nothing_of_later_ones() -> None:
    assert [row.points for row in ranked(FOUR, "ann", "bob", after=1)] == ["8", "8"]
    assert [row.points for row in ranked(FOUR, "ann", "bob", after=2)] == ["14", "8"]


def test_a_result_against_which_somebody_may_protest_counts_unless_only_confirmed_ones_do() -> None:
    results = [a_result(at(1, 1, "ann", "solo"), "provisional"), a_result(at(2, 1, "ann", "pair"))]

    def points_of(results: list[Result], confirmed_only: bool) -> str:
        settings, ann = TournamentSettings(title="x"), [an_entrant("ann")]
        return standings(settings, ann, (), results, lot_seed=SEED, confirmed_only=confirmed_only)[0].points

    assert (points_of(results, False), points_of(results, True)) == ("20", "8")
    newer = msgspec.structs.replace(at(2, 1, "ann", "loss"), version=2)
    results = [a_result(newer), a_result(at(2, 1, "ann", "pair"), "amended")]
    assert points_of(results, False) == "0"


def test_tables_that_go_on_can_be_shown_as_if_they_ended_now() -> None:
    now = at(2, 1, "bob", "pair", kind="adjudicated")
    again = at(1, 1, "ann", "loss")
    rows = ranked([at(1, 1, "ann", "solo")], "ann", "bob", ended_now=[now, again])
    assert [(row.entrant, row.points) for row in rows] == [("ann", "12"), ("bob", "6")]


def test_tables_that_go_on_in_a_later_round_are_not_shown_in_the_standings_after_an_earlier_one() -> None:
    going = [at(1, 2, "bob", "pair", kind="adjudicated"), at(2, 1, "bob", "solo", kind="adjudicated")]
    rows = ranked([at(1, 1, "ann", "solo")], "ann", "bob", ended_now=going, after=1)
    assert [(row.entrant, row.points) for row in rows] == [("ann", "12"), ("bob", "6")]


def test_who_sits_out_has_the_points_for_it() -> None:
    drawn = [a_round(1, [["ann"]], sat_out=("bob",)), a_round(2, [["bob"]], sat_out=("ann",))]
    rows = ranked([at(1, 1, "ann", "loss")], "ann", "bob", rounds=drawn, settings="[scoring]\nsit_out = 3")
    assert [row.points for row in rows] == ["3", "3"]
    assert rows[0].made_of[-1].what.endswith(": sat out")


def test_somebody_disqualified_is_last_with_nothing_and_what_others_did_stands() -> None:
    table = a_table(SIX[:2], ["ann", "bob", *others(1, 4)], round=1, table=1)
    entrants = [an_entrant("ann", "disqualified"), an_entrant("bob"), an_entrant("x10")]
    rows = standings(TournamentSettings(title="x"), entrants, (), [a_result(table)], lot_seed=SEED)
    assert [(row.entrant, row.points, row.parted_by) for row in rows] == [
        ("bob", "8", "points"), ("x10", "0", "disqualified"), ("ann", "0", ""),
    ]  # fmt: skip
    assert rows[2].made_of[0].what.endswith("disqualified")


def test_the_standings_have_whoever_played_and_nobody_who_only_waits() -> None:
    entrants = [an_entrant("ann", "withdrawn"), an_entrant("bob", "standby"), an_entrant("cid", "entered")]
    entrants += [an_entrant("dora", "confirmed"), an_entrant("eve", "withdrawn"), an_entrant("x10", "standby")]
    rows = standings(TournamentSettings(title="x"), entrants, (), [a_result(at(0, 1, "ann", "pair"))], lot_seed=SEED)
    assert sorted(row.entrant for row in rows) == ["ann", "dora", "x10"]


def test_a_final_orders_those_who_sat_there_before_all_others() -> None:
    players = ["ann", "bob", "cid", "dora", "eve", "fay"]
    heats = [at(1, 1, "gil", "solo"), at(1, 2, "ann", "solo"), at(1, 3, "bob", "pair")]
    rounds = [a_round(1, [["gil"], ["ann"], ["bob"]]), a_round(2, [players], kind="final")]
    before = ranked(heats, "gil", *players, rounds=rounds)
    assert order(before)[:2] == ["ann", "bob"]
    final = a_table(SIX[2:4], players, round=2, table=1)
    rows = ranked([*heats, final], "gil", *players, rounds=rounds)
    assert sorted(order(rows)[:2]) == ["cid", "dora"]
    assert order(rows)[2:4] == ["ann", "bob"]
    assert order(rows)[6] == "gil"
    assert [row.parted_by for row in rows][1] == "stage_points"
    assert rows[5].parted_by == "stage"
    assert rows[2].points == "12"
    assert keys(rows[0])["stage"] == "final"
    assert "8 points, which order those who sat there" in rows[0].made_of[0].what


def test_a_knock_out_puts_who_came_further_first() -> None:
    rounds = [a_round(1, [["ann"], ["bob"]], kind="knockout"), a_round(2, [["bob"]], kind="knockout")]
    tables = [at(1, 1, "ann", "solo"), at(1, 2, "bob", "loss"), at(2, 1, "bob", "loss")]
    rows = ranked(tables, "ann", "bob", rounds=rounds)
    assert [(row.entrant, row.points, keys(row)["stage"]) for row in rows] == [
        ("bob", "0", "round 2"), ("ann", "12", "round 1"),
    ]  # fmt: skip


SETTINGS = (
    "", '[scoring]\naggregate = "best 2"\nsit_out = 1\n', '[scoring]\naggregate = "minus worst 1"\nforfeit = -1\n',
    '[scoring]\nabsent = -2\nsit_out = "1/3"\n',
)  # fmt: skip
EVERY = 'tie_breaks = ["points", "wins", "lot"]\n'


@pytest.mark.parametrize("settings", SETTINGS)
def test_a_computation_written_apart_has_the_same_points_and_places(settings: str) -> None:
    for seed in range(size(25, 500)):
        event = an_event(seed, TITLE + EVERY + settings)
        rows = standings_of_published(event)
        assert [(row.entrant, row.points) for row in rows] == [
            (entrant, printed_points(points)) for entrant, points in places(published.encode_published(event))
        ]


SYSTEMS = ("equal-win", "mentat-12", "pot-60", "hmwp", "carnage-6", "squares")
LISTS: tuple[list[str], ...] = (
    ["played", "forfeits", "points", "wins", "full_wins", "quality", "head_to_head", "opponents", "lot"],
    ["wins", "first_heat", "hardest_faction", "turns", "strongholds_per_turn"],
    ["head_to_head", "opponents"],
    [],
)


@pytest.mark.parametrize("system", SYSTEMS)
@pytest.mark.parametrize("substitutes", ["protected", "pro-rata", "finisher", "nobody"])
def test_the_terms_add_up_and_every_order_is_explained(system: str, substitutes: str) -> None:
    for seed in range(size(6, 100)):
        tie_breaks = ", ".join(f'"{name}"' for name in LISTS[seed % len(LISTS)])
        how = ("all", "best 2", "minus worst 1")[seed % 3]
        settings = f'{TITLE}tie_breaks = [{tie_breaks}]\n[scoring]\nsystem = "{system}"\naggregate = "{how}"\n'
        event = an_event(seed, settings + f'absent = "-1/7"\n[people]\nsubstitutes = "{substitutes}"')
        rows = standings_of_published(event)
        assert sorted(row.entrant for row in rows) == sorted(entrant.handle for entrant in event.entrants)
        for row in rows:
            assert printed_points(sum((Fraction(term.value) for term in row.made_of), Fraction(0))) == row.points
        for above, below in pairwise(rows):
            names = [name for name, _ in above.keys]
            parting = names.index(above.parted_by)
            assert [names[one] for one in range(parting) if above.keys[one] != below.keys[one]] == []
            assert above.keys[parting] != below.keys[parting]
        assert rows[-1].parted_by == ""


def test_the_order_in_which_results_and_entrants_come_changes_nothing() -> None:
    event = an_event(7, TITLE)
    turned = msgspec.structs.replace(event, results=event.results[::-1], entrants=event.entrants[::-1])
    assert standings_of_published(turned) == standings_of_published(event)
    assert standings_of_published(
        published.decode_published(published.encode_published(event))
    ) == standings_of_published(event)


def test_who_sat_in_the_final_is_shown_with_their_place_there_however_few_points_they_have() -> None:
    rows = standings_of_published(example())
    shown = stages_reached(rows)
    assert [shown[row.entrant] for row in rows[:6]] == [StageReached("final", place) for place in range(1, 7)]
    assert not set(shown) & {row.entrant for row in rows[6:]}


def test_who_went_out_in_a_semifinal_has_no_place_there_though_it_is_decided() -> None:
    stages = [("final", "8"), ("final", "0"), ("semifinal", "8"), ("semifinal", "0"), ("–", "0")]
    rows = [
        Standing(rank=rank, entrant=f"E{rank:03d}", points="8", keys=(("stage", stage), ("stage_points", points)))
        for rank, (stage, points) in enumerate(stages, 1)
    ]
    out = StageReached("semifinal")
    assert stages_reached(rows) == {
        "E001": StageReached("final", 1),
        "E002": StageReached("final", 2),
        "E003": out,
        "E004": out,
    }


def test_a_final_that_is_drawn_and_not_over_has_no_places_yet() -> None:
    played = example()
    before = msgspec.structs.replace(played, results=tuple(one for one in played.results if one.outcome.round < 3))
    assert set(stages_reached(standings_of_published(before)).values()) == {StageReached("final")}
    assert stages_reached(standings_of_published(played, after=2)) == {}


def _followed(player: str, first: int) -> tuple[Tenure, ...]:
    """Return the tenures of a seat that the player took over in turn `first`."""
    return (
        Tenure(entrant="old", first=1, last=first - 1),
        Tenure(entrant=player, first=first, last=10, why="substitute"),
    )


def _left(why: Why, **more: Any) -> tuple[Tenure, ...]:
    return (
        Tenure(entrant="ann", first=1, last=4, **more),
        Tenure(entrant="new" if why == "substitute" else "", first=5, last=10, why=why),
    )


def _seated(number: int, won: bool, tenures: tuple[Tenure, ...]) -> TableOutcome:
    players = ["ann", *others(10 * number + 1)]
    return a_table(SIX[:1] if won else SIX[4:5], players, round=number, table=1, tenures={"atreides": tenures})


OF_ANN = [
    at(1, 1, "ann", "solo"),
    at(2, 1, "ann", "pair", kind="adjudicated"),
    at(3, 1, "ann", "triple", kind="default"),
    at(4, 1, "ann", "loss", strongholds={"atreides": (2, 9), "guild": (3, 11)}),
    at(5, 1, "ann", "loss", kind="void"),
    absent(6, 1, "ann"),
    _seated(7, False, _left("caretaker", resigned=True)),
    _seated(8, False, _followed("ann", 4)),
    _seated(9, True, _followed("ann", 8)),
    _seated(10, False, _followed("ann", 8)),
    _seated(11, False, _left("substitute")),
]


@pytest.mark.parametrize(
    ("settings", "points", "terms"),
    [
        (
            "",
            "37.7143",
            [
                ("solo, stronghold", "12"),
                ("pair, adjudicated, times 0.75", "6"),
                ("triple, default, times 0.75", "4.5"),
                ("loss", "0"),
                ("void", "0"),
                ("absent", "0"),
                ("left", "0"),
                ("loss, substitute, own mean", "45/14"),
                ("solo, stronghold, substitute for less than half of the turns", "12"),
                ("loss, substitute for less than half of the turns", "0"),
                ("left", "0"),
            ],
        ),
        (
            '[rounds]\nheats = 20\n[scoring]\nsystem = "pot-60"\nabsent = "-1"\nforfeit = "-2"\naggregate = "best 4"\n',
            "170",
            [
                ("solo, stronghold", "60"),
                ("pair, adjudicated", "30"),
                ("triple, default", "20"),
                ("loss: 0, which does not count (best 4)", "0"),
                ("void", "0"),
                ("absent: -1, which does not count (best 4)", "0"),
                ("left: -2, which does not count (best 4)", "0"),
                ("loss, substitute, own mean: 15, which does not count (best 4)", "0"),
                ("solo, stronghold, substitute for less than half of the turns", "60"),
                ("loss, substitute for less than half of the turns: 0, which does not count (best 4)", "0"),
                ("left: -2, which does not count (best 4)", "0"),
            ],
        ),
        (
            '[rounds]\nheats = 20\n[scoring]\nsystem = "hmwp"\n[people]\nsubstitutes = "pro-rata"\n',
            "3431.08",
            [
                ("solo, stronghold", "1000"),
                ("pair, adjudicated", "1000"),
                ("triple, default", "1000"),
                ("loss, 2 strongholds", "100"),
                ("void", "0"),
                ("absent", "0"),
                ("left, having resigned", "0"),
                ("loss, substitute, 7 of 10 turns", "15.54"),
                ("solo, stronghold, substitute, 3 of 10 turns", "300"),
                ("loss, substitute, 3 of 10 turns", "6.66"),
                ("left, 4 of 10 turns", "8.88"),
            ],
        ),
        (
            '[people]\nsubstitutes = "nobody"\n',
            "22.5",
            [
                ("solo, stronghold", "12"),
                ("pair, adjudicated, times 0.75", "6"),
                ("triple, default, times 0.75", "4.5"),
                ("loss", "0"),
                ("void", "0"),
                ("absent", "0"),
                ("left", "0"),
                ("loss, substitute", "0"),
                ("loss, substitute", "0"),
                ("loss, substitute", "0"),
                ("left", "0"),
            ],
        ),
        (
            '[people]\nsubstitutes = "finisher"\n',
            "34.5",
            [
                ("solo, stronghold", "12"),
                ("pair, adjudicated, times 0.75", "6"),
                ("triple, default, times 0.75", "4.5"),
                ("loss", "0"),
                ("void", "0"),
                ("absent", "0"),
                ("left", "0"),
                ("loss, substitute", "0"),
                ("solo, stronghold, substitute", "12"),
                ("loss, substitute", "0"),
                ("left", "0"),
            ],
        ),
    ],
)
def test_each_term_says_how_it_came_to_be(settings: str, points: str, terms: list[tuple[str, str]]) -> None:
    [row] = ranked(OF_ANN, "ann", settings=settings)
    assert row.points == points
    assert [(term.what, term.value) for term in row.made_of] == [
        (f"round {number}, table 1, Atreides: {what}", value) for number, (what, value) in enumerate(terms, 1)
    ]
