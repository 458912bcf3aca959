"""Tests for statistics over finished tables."""

from __future__ import annotations

from datetime import date
from fractions import Fraction

import msgspec
import pytest

from bot.competition.outcomes import TableOutcome, Tenure
from bot.competition.statistics import (
    ENOUGH_GAMES,
    AllianceFigures,
    DotFigures,
    Length,
    TurnFigures,
    best_games,
    by_alliance,
    by_dot,
    by_faction,
    by_kind,
    by_player,
    by_turn,
    factions_of,
    first_nexus_kept,
    length_in_days,
    length_in_letters,
    length_in_turns,
    reliability,
    share,
    shown_reliability,
    strongholds_per_turn,
)
from rules.components import Faction
from tests.competition.a_table import SIX, a_table


@pytest.mark.parametrize(
    ("won", "played", "low", "high"), [(8, 14, 0.3259, 0.7862), (6, 9, 0.3542, 0.8794), (0, 8, 0.0, 0.3244)]
)
def test_a_share_has_its_interval_and_few_games_tell_nothing(won: int, played: int, low: float, high: float) -> None:
    counted = share(won, played)
    assert (counted.low, counted.high) == (low, high)
    assert counted.too_few
    assert not share(won, ENOUGH_GAMES).too_few


@pytest.mark.parametrize(
    ("on_time", "duties", "printed"), [(0, 0, "0.9000"), (40, 40, "0.9800"), (37, 40, "0.9200"), (10, 20, "0.6333")]
)
def test_reliability_begins_at_nine_tenths(on_time: int, duties: int, printed: str) -> None:
    assert shown_reliability(on_time, duties) == printed


def test_no_more_can_be_on_time_than_there_was_to_do() -> None:
    with pytest.raises(ValueError, match="5 of 4"):
        reliability(5, 4)


GAMES = [
    a_table(["atreides"], game="a", turn=5, strongholds={"atreides": (3, 10), "guild": (1, 5)}, days=30, letters=200,
            traitors={"harkonnen": 2}),
    a_table(["atreides", "harkonnen"], game="b", turn=8, strongholds={"atreides": (2, 8), "guild": (2, 16)}, days=50,
            alliances=(("atreides", "harkonnen"), ("emperor", "fremen")),
            first_alliances=(("atreides", "harkonnen"), ("guild", "fremen")), traitors={"harkonnen": 1}),
    a_table(["guild"], game="c", kind="default", how="guild", turn=10, alliances=(("atreides", "harkonnen"),)),
    a_table(["atreides"], ["ann", "bob", "cid", "dora"], game="d", kind="adjudicated", how="", turn=3),
    a_table(["atreides", "bene-gesserit"], game="e", kind="agreed", how="", turn=4),
    a_table([], game="f", kind="void", how="", turn=1),
]  # fmt: skip


def test_a_faction_is_measured_by_what_a_seat_would_have_won() -> None:
    figures = {one.faction: one for one in by_faction(GAMES)}
    atreides = figures["atreides"]
    assert (atreides.wins.won, atreides.wins.played) == (3, 4)
    assert atreides.expected == "0.9167"  # 1/6 + 2/6 + 1/6 + 1/4
    assert atreides.by_expected == "3.2727"
    assert (atreides.strongholds_per_turn, atreides.measured) == ("1.5", 2)
    assert atreides.victory_turn == "5.3333"
    assert (figures["guild"].wins.won, figures["guild"].wins.played) == (1, 3)
    assert figures["harkonnen"].traitors == 3
    assert figures["emperor"].victory_turn == ""


@pytest.mark.parametrize(
    ("turn", "strongholds", "held"),
    [
        (4, {"atreides": (2, 6)}, "3/2"),
        (4, {"guild": (0, 1)}, "0"),
        (4, {"guild": (1, 0)}, "0"),
        (4, {}, None),
        (0, {"atreides": (2, 6)}, None),
    ],
)
def test_strongholds_are_held_per_turn_where_anybody_counted_them(
    turn: int, strongholds: dict[Faction, tuple[int, int]], held: str | None
) -> None:
    found = strongholds_per_turn(a_table(turn=turn, strongholds=strongholds), "atreides")
    assert found == (None if held is None else Fraction(held))


def test_factions_stand_in_the_order_of_the_box_and_others_after_them() -> None:
    assert factions_of(GAMES) == list(SIX)
    seats = [
        msgspec.structs.replace(seat, faction=faction)
        for seat, faction in zip(
            GAMES[0].seats, ("zensunni", "tleilaxu", "guild", "ixians", "fremen", "emperor"), strict=True
        )
    ]
    others = msgspec.structs.replace(GAMES[0], seats=tuple(seats))
    assert factions_of([others]) == ["emperor", "fremen", "guild", "ixians", "tleilaxu", "zensunni"]
    assert by_faction([]) == []


def test_the_best_game_with_a_faction_may_be_lost() -> None:
    best = {one.faction: one for one in best_games(GAMES)}
    assert (best["guild"].game, best["guild"].strongholds_per_turn, best["guild"].won) == ("b", "2", False)
    assert (best["atreides"].game, best["atreides"].by, best["atreides"].of) == ("a", "ann", 2)


def test_of_a_faction_of_void_games_alone_nothing_was_expected() -> None:
    void = a_table([], kind="void", how="", turn=1)
    assert {(one.expected, one.by_expected, one.victory_turn) for one in by_faction([void])} == {("0", "", "")}


def test_a_game_is_best_only_where_strongholds_were_counted_and_its_seat_may_have_had_nobody() -> None:
    four = a_table(["atreides"], ["ann", "bob", "cid", "dora"], game="four", strongholds={"fremen": (1, 5)})
    nobody = [msgspec.structs.replace(seat, tenures=()) for seat in four.seats]
    games = [a_table(["guild"], game="six"), msgspec.structs.replace(four, seats=tuple(nobody))]
    best = best_games(games)
    assert [one.faction for one in best] == list(SIX[:4]), "of the guild and harkonnen nobody counted any"
    assert {(one.game, one.by, one.of) for one in best} == {("four", "", 1)}


def test_a_game_whose_end_has_no_name_is_counted_by_its_kind() -> None:
    games = [a_table(["guild"], kind="default", how=""), a_table(["guild"], kind="default", how="guild")]
    assert [(one.how, one.games) for one in by_kind(games)] == [("default", 1), ("guild", 1)]


def test_the_best_game_belongs_to_whoever_held_the_seat_longest() -> None:
    seat = (Tenure(entrant="eve", first=1, last=3), Tenure(entrant="gus", first=4, last=10, why="substitute"))
    game = a_table(["guild"], tenures={"guild": seat}, strongholds={"guild": (3, 12)})
    assert next(one for one in best_games([game]) if one.faction == "guild").by == "gus"


def test_pairs_and_triples_count_alliances_at_the_end() -> None:
    pairs = {one.factions: one for one in by_alliance(GAMES, 2)}
    assert list(pairs) == [("atreides", "harkonnen"), ("emperor", "fremen")]
    pair = pairs["atreides", "harkonnen"]
    assert (pair.wins.won, pair.wins.played, pair.tables) == (1, 2, 3)
    assert by_alliance(GAMES, 3) == []
    three = a_table(["atreides", "fremen", "guild"], game="t")
    assert [one.factions for one in by_alliance([three], 3)] == [("atreides", "fremen", "guild")]


def test_the_alliance_of_the_first_nexus_is_kept_or_not() -> None:
    kept = first_nexus_kept(GAMES)
    assert (kept.won, kept.played) == (1, 2)


def test_kinds_of_end_are_counted_over_all_games() -> None:
    kinds = {one.how: one for one in by_kind(GAMES)}
    assert {how: one.games for how, one in kinds.items()} == {
        "strongholds": 2, "guild": 1, "adjudicated": 1, "agreed": 1, "void": 1,
    }  # fmt: skip
    assert kinds["strongholds"].winners == {"atreides": 2, "harkonnen": 1}
    assert all(one.of == 6 for one in kinds.values())


def test_turns_and_dots_count_who_won() -> None:
    assert [(one.turn, one.games, one.of) for one in by_turn(GAMES)] == [(3, 1, 4), (5, 1, 4), (8, 1, 4), (10, 1, 4)]
    dots = {one.dot: one for one in by_dot(GAMES)}
    assert (dots[1].wins.won, dots[1].wins.played, dots[1].expected) == (3, 4, "0.9167")
    assert (dots[5].wins.won, dots[5].wins.played) == (1, 3)


def test_lengths_are_of_the_games_for_which_they_are_known() -> None:
    assert (length_in_days(GAMES).games, length_in_days(GAMES).middle) == (2, 40.0)
    assert length_in_letters(GAMES).games == 1
    assert (length_in_turns(GAMES).least, length_in_turns(GAMES).most) == (3, 10)
    assert length_in_days([a_table(ended=date(2026, 1, 1))]).games == 0


def test_the_figures_of_players_are_of_those_who_hold_a_seat_of_a_counted_game() -> None:
    outcomes = [a_table(SIX[:2], game="g1"), a_table(SIX[2:3], game="g2"), a_table((), kind="void", game="g3")]
    seats = {
        "Ann": [("g1", SIX[0]), ("g2", SIX[0]), ("g9", SIX[0])],
        "Bob": [("g2", SIX[2])],
        "Cid": [("g1", SIX[3]), ("g3", SIX[3])],
        "Dora": [("g9", SIX[4])],
        "Eve": [],
    }  # fmt: skip
    figures = by_player(outcomes, seats)
    assert [(one.name, one.wins.won, one.wins.played, one.factions) for one in figures] == [
        ("Ann", 1, 2, {SIX[0]: 2}),
        ("Bob", 1, 1, {SIX[2]: 1}),
        ("Cid", 0, 1, {SIX[3]: 2}),
    ]


PAIR, THREE = ("fremen", "guild"), ("atreides", "emperor", "harkonnen")
MORE = [
    a_table(PAIR, game="a", turn=3, alliances=(PAIR,), first_alliances=(PAIR, THREE), days=10),
    a_table(PAIR, game="b", turn=3, alliances=(("guild", "fremen"), THREE), first_alliances=(PAIR,), days=1),
    a_table(THREE, game="c", turn=7, alliances=(PAIR, THREE), first_alliances=(("emperor", "fremen"),), days=4),
    a_table(("emperor", "bene-gesserit"), game="d", turn=5, how="prediction", kind="prediction"),
    a_table(("emperor", "bene-gesserit"), game="e", turn=5, how="", kind="agreed", letters=7),
    a_table(("guild",), ["ann", "bob", "cid", "dora", "eve"], game="f", turn=10, how="guild", kind="default"),
    a_table((), game="g", turn=2, kind="void", how="", alliances=(PAIR,), first_alliances=(PAIR,)),
]
"""Two decided games, an agreed one and a void one."""


def test_what_was_agreed_or_is_void_tells_nothing_of_alliances_turns_and_dots() -> None:
    assert by_alliance(MORE, 2) == [AllianceFigures(factions=PAIR, tables=5, wins=share(2, 3))]
    assert by_alliance(MORE, 3) == [AllianceFigures(factions=THREE, tables=4, wins=share(1, 2))]
    assert by_turn(MORE) == [
        TurnFigures(turn=3, games=2, of=5, winners={"fremen": 2, "guild": 2}),
        TurnFigures(turn=5, games=1, of=5, winners={"bene-gesserit": 1, "emperor": 1}),
        TurnFigures(turn=7, games=1, of=5, winners={"atreides": 1, "emperor": 1, "harkonnen": 1}),
        TurnFigures(turn=10, games=1, of=5, winners={"guild": 1}),
    ]
    assert by_dot(MORE) == [
        *(DotFigures(dot=dot, wins=share(won, 5), expected="1.7") for dot, won in enumerate((1, 1, 2, 2, 3), 1)),
        DotFigures(dot=6, wins=share(1, 4), expected="1.5"),
    ]
    assert length_in_turns(MORE) == Length(games=5, least=3, middle=5.0, most=10)


def test_winners_of_two_sides_are_no_alliance_where_alliances_are_noted() -> None:
    game = a_table(THREE, alliances=(THREE[:2],))
    assert by_alliance([game], 2) == [AllianceFigures(factions=THREE[:2], tables=1, wins=share(1, 1))]
    assert by_alliance([game], 3) == []


def test_kinds_first_alliances_and_lengths_are_of_all_games() -> None:
    assert [(one.how, one.games, one.of, one.winners) for one in by_kind(MORE)] == [
        ("strongholds", 3, 7, {"atreides": 1, "emperor": 1, "fremen": 2, "guild": 2, "harkonnen": 1}),
        ("agreed", 1, 7, {"bene-gesserit": 1, "emperor": 1}),
        ("guild", 1, 7, {"guild": 1}),
        ("prediction", 1, 7, {"bene-gesserit": 1, "emperor": 1}),
        ("void", 1, 7, {}),
    ]
    assert first_nexus_kept(MORE) == share(3, 5)
    assert length_in_days(MORE) == Length(games=3, least=1, middle=4.0, most=10)
    assert length_in_letters(MORE) == Length(games=1, least=7, middle=7.0, most=7)
    assert length_in_letters([]) == Length(games=0, least=0, middle=0.0, most=0)


def test_the_best_game_is_that_of_most_strongholds_a_turn_then_a_victory_then_the_shorter_then_by_name() -> None:
    def guild(game: str, turn: int, over: int, *winners: Faction, kind: str = "stronghold") -> TableOutcome:
        return a_table(winners, game=game, turn=turn, strongholds={"guild": (1, over)}, kind=kind)

    lost, won, short = guild("a", 4, 8), guild("d", 8, 16, "guild"), guild("c", 4, 8, "guild")
    same, more, void = guild("b", 4, 8, "guild"), guild("e", 9, 19), guild("f", 4, 16, kind="void")

    def best(*games: TableOutcome) -> tuple[str, str, bool, int]:
        found = next(one for one in best_games(games) if one.faction == "guild")
        assert found.by == "eve"
        return found.game, found.strongholds_per_turn, found.won, found.of

    assert best(lost, won) == ("d", "2", True, 2)
    assert best(lost, won, short) == ("c", "2", True, 3)
    assert best(short, same) == best(same, short) == ("b", "2", True, 2)
    assert best(lost, won, short, same, more, void) == ("e", "2.1111", False, 5)


def test_everything_that_is_said_of_six_games() -> None:
    none_of_four, one_of_three = share(0, 4), share(1, 3)
    assert [msgspec.structs.astuple(one) for one in by_faction(GAMES)] == [
        ("atreides", 6, share(3, 4), "0.9167", "3.2727", "1.5", 2, "5.3333", 0),
        ("bene-gesserit", 6, none_of_four, "0.9167", "0", "0", 2, "", 0),
        ("emperor", 6, none_of_four, "0.9167", "0", "0", 2, "", 0),
        ("fremen", 6, none_of_four, "0.9167", "0", "0", 2, "", 0),
        ("guild", 5, one_of_three, "0.6667", "1.5", "1.5", 2, "10", 0),
        ("harkonnen", 5, one_of_three, "0.6667", "1.5", "0", 2, "8", 3),
    ]
    assert [msgspec.structs.astuple(one) for one in best_games(GAMES)] == [
        ("atreides", "a", "ann", "2", True, 2),
        ("bene-gesserit", "a", "bob", "0", False, 2),
        ("emperor", "a", "cid", "0", False, 2),
        ("fremen", "a", "dora", "0", False, 2),
        ("guild", "b", "eve", "2", False, 2),
        ("harkonnen", "b", "fay", "0", True, 2),
    ]
    assert [msgspec.structs.astuple(one) for one in by_alliance(GAMES, 2)] == [
        (("atreides", "harkonnen"), 3, share(1, 2)),
        (("emperor", "fremen"), 4, share(0, 1)),
    ]
    assert [msgspec.structs.astuple(one) for one in by_kind(GAMES)] == [
        ("strongholds", 2, 6, {"atreides": 2, "harkonnen": 1}),
        ("adjudicated", 1, 6, {"atreides": 1}),
        ("agreed", 1, 6, {"atreides": 1, "bene-gesserit": 1}),
        ("guild", 1, 6, {"guild": 1}),
        ("void", 1, 6, {}),
    ]
    assert [msgspec.structs.astuple(one) for one in by_turn(GAMES)] == [
        (3, 1, 4, {"atreides": 1}),
        (5, 1, 4, {"atreides": 1}),
        (8, 1, 4, {"atreides": 1, "harkonnen": 1}),
        (10, 1, 4, {"guild": 1}),
    ]
    assert [msgspec.structs.astuple(one) for one in by_dot(GAMES)] == [
        (1, share(3, 4), "0.9167"), *((dot, none_of_four, "0.9167") for dot in (2, 3, 4)),
        (5, one_of_three, "0.6667"), (6, one_of_three, "0.6667"),
    ]  # fmt: skip
    lengths = [msgspec.structs.astuple(one(GAMES)) for one in (length_in_turns, length_in_days, length_in_letters)]
    assert lengths == [(4, 3, 6.5, 10), (2, 30, 40.0, 50), (1, 200, 200.0, 200)]


def test_alliances_stand_by_wins_then_by_games_then_by_name_and_winners_of_a_prediction_are_none() -> None:
    pairs = [("emperor", "guild"), ("atreides", "fremen"), ("bene-gesserit", "harkonnen"), ("atreides", "guild")]
    games = [a_table(pairs[0], game="1", alliances=tuple(pairs[:2])), a_table(pairs[0], game="2")]
    games += [a_table(["fremen"], game="3", alliances=tuple(pairs[1:3]))]
    games += [a_table(["bene-gesserit", "atreides"], game="4", how="prediction")]
    games += [a_table(["fremen"], game="5", alliances=(("fremen", "guild", "emperor"), pairs[2], pairs[3]))]
    assert [(one.factions, one.wins.won, one.wins.played) for one in by_alliance(games, 2)] == [
        (pairs[0], 2, 2), (pairs[1], 0, 2), (pairs[2], 0, 2), (pairs[3], 0, 1)
    ]  # fmt: skip
    assert [(one.factions, one.tables, one.wins.won) for one in by_alliance(games, 3)] == [
        (("emperor", "fremen", "guild"), 5, 0)
    ]


def test_players_stand_by_games_then_by_wins_then_by_name_with_what_a_seat_would_have_won() -> None:
    games = [a_table(SIX[:2], game="1"), a_table(SIX[:1], game="2"), a_table(SIX[:1], game="3", kind="agreed")]
    seats = {
        "Eve": [("1", SIX[4])], "Dora": [("1", SIX[4])], "Bob": [("1", SIX[0])],
        "Ann": [("1", SIX[5]), ("2", SIX[5]), ("3", SIX[0])],
    }  # fmt: skip
    assert [msgspec.structs.astuple(one) for one in by_player(games, seats)] == [
        ("Ann", share(0, 2), "0.5", {SIX[5]: 2, SIX[0]: 1}),
        ("Bob", share(1, 1), "0.3333", {SIX[0]: 1}),
        ("Dora", share(0, 1), "0.3333", {SIX[4]: 1}),
        ("Eve", share(0, 1), "0.3333", {SIX[4]: 1}),
    ]
