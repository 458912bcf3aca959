"""Tests that the board is consistent, and that its distances follow the rules."""

import re
from collections import Counter, deque
from itertools import pairwise

import pytest

from rules.components.board import (
    AREAS,
    DOTS,
    MOBILE_STRONGHOLD,
    POLAR_SINK,
    PRINTED_AREAS,
    PRINTED_TERRITORIES,
    SECTORS,
    SHIELD_WALL,
    STORM_MARKERS,
    STORM_START,
    STRONGHOLDS,
    TERRITORIES,
    Area,
    TerritoryId,
    area_at,
    area_name,
    distances,
    neighbours,
    next_sector,
    parse_area,
    route_length,
    seat_order,
    sector_of,
    sectors_passed,
    sheltered,
    territory_of,
    within,
)
from rules.components.facts import document, entries

STORMS: tuple[int | None, ...] = (None, *range(1, SECTORS + 1))


def at(text: str) -> Area:
    return parse_area(text)


def territories(*ids: str) -> frozenset[TerritoryId]:
    return frozenset(map(TerritoryId, ids))


# --- The printed board ---------------------------------------------------------------------------------------


def test_there_are_forty_one_territories_and_the_polar_sink() -> None:
    kinds = Counter(TERRITORIES[territory].kind for territory in PRINTED_TERRITORIES)
    assert kinds == {"stronghold": 5, "rock": 7, "sand": 29, "polar-sink": 1}
    assert len(PRINTED_AREAS) == len(set(PRINTED_AREAS)) == 86


@pytest.mark.clause("AH.IV-e")
def test_the_five_strongholds_are_the_printed_ones() -> None:
    assert set(STRONGHOLDS) == territories(
        "arrakeen", "carthag", "habbanya-ridge-sietch", "sietch-tabr", "tueks-sietch"
    )


def test_no_name_abbreviation_or_spelling_stands_for_two_places() -> None:
    spoken = list(document("board.toml").table("board").texts("reserved_abbreviations"))
    for territory in TERRITORIES.values():
        spoken += {name.upper() for name in (territory.name, territory.abbreviation, *territory.aliases)}
    assert [name for name, times in Counter(spoken).items() if times > 1] == []


def test_the_sectors_of_a_territory_are_neighbours_in_the_direction_of_the_storm() -> None:
    for territory in (TERRITORIES[name] for name in PRINTED_TERRITORIES):
        assert all(1 <= sector <= SECTORS for sector in territory.sectors), territory.name
        assert all(second == next_sector(first) for first, second in pairwise(territory.sectors)), territory.name
        assert (territory.sectors == ()) == (territory.kind == "polar-sink"), territory.name


@pytest.mark.clause("AH.VI.C-a", "AH.VI.C-b", "AH.VI.C-c")
def test_all_but_sand_and_the_imperial_basin_are_protected_from_the_storm() -> None:
    for territory in TERRITORIES.values():
        expected = territory.kind != "sand" or territory.id == "imperial-basin"
        assert territory.protected_from_storm == expected, territory.name
        assert sheltered(territory.id, shield_wall=True) == expected, territory.name


@pytest.mark.clause("AH.AID.TIMED.5-d", "WBC.HR.4g", "WBC.VI.11")
def test_without_the_shield_wall_only_the_basin_and_its_two_cities_lose_their_shelter() -> None:
    lost = {t for t in TERRITORIES if sheltered(t, shield_wall=True) and not sheltered(t, shield_wall=False)}
    assert lost == territories("imperial-basin", "arrakeen", "carthag")
    assert sheltered(SHIELD_WALL, shield_wall=False)


@pytest.mark.clause("AH.XIX-a")
def test_three_cities_bring_income() -> None:
    assert {t.id: t.income for t in TERRITORIES.values() if t.income} == {
        "arrakeen": 2,
        "carthag": 2,
        "tueks-sietch": 1,
    }


@pytest.mark.clause("AH.IX.C.2.a")
def test_two_cities_have_ornithopters() -> None:
    assert {t.id for t in TERRITORIES.values() if t.ornithopters} == territories("arrakeen", "carthag")


def test_spice_blows_in_sand_and_inside_its_own_territory() -> None:
    fields = [territory for territory in TERRITORIES.values() if territory.spice]
    assert len(fields) == 15
    for territory in TERRITORIES.values():
        assert (territory.spice > 0) == (territory.spice_area is not None)
    for territory in fields:
        assert territory.kind == "sand"
        assert territory.spice_area in territory.areas


# --- Borders -------------------------------------------------------------------------------------------------


def test_touching_is_mutual() -> None:
    assert all(here in neighbours(there) for here in AREAS for there in neighbours(here))


def test_areas_touch_across_one_sector_line_at_most() -> None:
    for here in AREAS:
        for there in neighbours(here):
            first, second = sector_of(here), sector_of(there)
            if first is not None and second is not None:
                assert (first - second) % SECTORS in (0, 1, SECTORS - 1), (here, there)


def test_the_printed_territory_borders_are_the_borders_of_their_areas() -> None:
    printed = {frozenset(pair) for pair in document("board.toml").table("adjacency").pairs("territories")}
    crossed = {
        frozenset((str(territory_of(here)), str(territory_of(there))))
        for here in AREAS
        for there in neighbours(here)
        if territory_of(here) != territory_of(there)
    }
    assert crossed == printed
    assert len(printed) == 103


def test_inside_a_territory_neighbouring_sectors_touch_and_no_others() -> None:
    for territory in TERRITORIES.values():
        for here in territory.areas:
            inside = {there for there in neighbours(here) if territory_of(there) == territory.id}
            place = territory.areas.index(here)
            assert inside == {territory.areas[n] for n in (place - 1, place + 1) if 0 <= n < len(territory.areas)}


def test_the_mobile_stronghold_borders_on_the_area_that_it_points_at_and_on_nothing_else() -> None:
    red_chasm, pasty_mesa = parse_area("red-chasm/7"), parse_area("pasty-mesa/7")
    assert distances(MOBILE_STRONGHOLD, None, 1) == {MOBILE_STRONGHOLD: 0}
    assert distances(MOBILE_STRONGHOLD, None, 1, door=red_chasm) == {MOBILE_STRONGHOLD: 0, red_chasm: 1}
    assert distances(red_chasm, None, 1, door=red_chasm)[MOBILE_STRONGHOLD] == 1
    assert route_length(pasty_mesa, MOBILE_STRONGHOLD, door=red_chasm) == 2
    assert route_length(pasty_mesa, MOBILE_STRONGHOLD) is None
    closed = frozenset({territory_of(MOBILE_STRONGHOLD)})
    assert MOBILE_STRONGHOLD not in distances(red_chasm, None, 1, closed, red_chasm)


def test_nobody_comes_in_or_out_where_the_storm_is_over_the_door_of_the_mobile_stronghold() -> None:
    red_chasm = parse_area("red-chasm/7")
    assert distances(MOBILE_STRONGHOLD, 7, 3, door=red_chasm) == {MOBILE_STRONGHOLD: 0}
    assert route_length(parse_area("pasty-mesa/8"), MOBILE_STRONGHOLD, storm=7, door=red_chasm) is None


@pytest.mark.parametrize("storm", STORMS)
def test_no_storm_cuts_the_rest_of_the_board_in_two(storm: int | None) -> None:
    free = {area for area in PRINTED_AREAS if storm is None or sector_of(area) != storm}
    assert distances(POLAR_SINK, storm, 99).keys() == free


@pytest.mark.clause("AH.AID.TIMED.5-b")
def test_seven_territories_lie_beside_the_shield_wall() -> None:
    assert within(SHIELD_WALL, 1) - {SHIELD_WALL} == territories(
        "false-wall-east",
        "gara-kulon",
        "hole-in-the-rock",
        "imperial-basin",
        "pasty-mesa",
        "sihaya-ridge",
        "the-minor-erg",
    )


def test_habbanya_ridge_sietch_has_one_way_in() -> None:
    sietch = TerritoryId("habbanya-ridge-sietch")
    assert within(sietch, 1) == {sietch, "habbanya-ridge-flat"}


# --- Distances -----------------------------------------------------------------------------------------------


def walked(source: Area, storm: int | None) -> dict[Area, int]:
    """Compute the same distances with the simplest possible walk, for comparison."""
    if storm is not None and sector_of(source) == storm:
        return {}
    cost, queue = {source: 0}, deque([source])
    while queue:
        here = queue.popleft()
        for there in neighbours(here):
            step = int(territory_of(here) != territory_of(there))
            if (storm is None or sector_of(there) != storm) and cost[here] + step < cost.get(there, 99):
                cost[there] = cost[here] + step
                queue.append(there)
    return cost


@pytest.mark.clause("AH.IX.C.2.c-a", "AH.IX.C.2.c-b", "AH.IX.C.2.c-c")
@pytest.mark.parametrize("storm", STORMS)
def test_distances_are_those_of_a_plain_walk(storm: int | None) -> None:
    for source in AREAS:
        expected = walked(source, storm)
        assert distances(source, storm, 99) == expected
        assert distances(source, storm, 2) == {area: steps for area, steps in expected.items() if steps <= 2}


@pytest.mark.clause("AH.IX.C.2.c-a")
def test_the_number_of_ways_without_storm_is_known() -> None:
    counted = Counter(steps for source in AREAS for steps in distances(source, None, 99).values())
    assert [counted[steps] for steps in (1, 2, 3)] == [1036, 1858, 2012]
    assert max(counted) == 7


@pytest.mark.clause("AH.IX.C.2.c-b")
def test_nothing_leaves_the_sector_in_storm() -> None:
    assert distances(at("tueks-sietch"), 5, 3) == {}
    assert route_length(at("tueks-sietch"), at("pasty-mesa/5"), (), 5) is None


@pytest.mark.clause("AH.IX.C.2.c-b", "AH.IX.C.2.c-c")
def test_the_sectors_of_a_territory_are_parted_by_a_storm_between_them() -> None:
    assert distances(at("imperial-basin/9"), None, 0) == {at(f"imperial-basin/{sector}"): 0 for sector in (9, 10, 11)}
    reached = distances(at("imperial-basin/9"), 10, 3)
    assert at("imperial-basin/10") not in reached
    assert reached[at("imperial-basin/11")] == 3  # by way of the Polar Sink and Arsunt


@pytest.mark.clause("AH.IX.C.2.a")
def test_the_flight_from_tueks_sietch_to_the_imperial_basin_takes_three_moves_until_a_storm_closes_it() -> None:
    source, flight = at("tueks-sietch"), (TerritoryId("pasty-mesa"), SHIELD_WALL)
    assert distances(source, None, 3)[at("imperial-basin/9")] == 3
    assert route_length(source, at("imperial-basin/9"), flight) == 3
    stormy = distances(source, 9, 9)
    assert min(stormy[at(f"imperial-basin/{sector}")] for sector in (10, 11)) > 3
    assert route_length(source, at("imperial-basin/9"), flight, 9) is None


@pytest.mark.clause("AH.XII.E.5-a")
def test_a_closed_territory_is_neither_entered_nor_crossed_but_may_be_left() -> None:
    closed = territories("habbanya-ridge-flat")
    assert distances(at("habbanya-ridge-sietch"), None, 9, closed) == {at("habbanya-ridge-sietch"): 0}
    assert distances(at("habbanya-ridge-flat/17"), None, 1, closed)[at("meridian/1")] == 1
    assert route_length(at("habbanya-ridge-sietch"), at("meridian/1"), (), None, closed) is None


def test_changing_an_answer_changes_no_later_one() -> None:
    distances(POLAR_SINK, None, 1).clear()
    assert POLAR_SINK in distances(POLAR_SINK, None, 1)


def test_a_way_goes_through_the_named_territories_in_their_order() -> None:
    carthag, arrakeen = at("carthag"), at("arrakeen")
    assert route_length(carthag, arrakeen) == 2
    assert route_length(carthag, arrakeen, (TerritoryId("imperial-basin"),)) == 2
    assert route_length(carthag, arrakeen, (TerritoryId("tsimpo"), TerritoryId("old-gap"))) == 3
    assert route_length(carthag, arrakeen, (TerritoryId("old-gap"), TerritoryId("tsimpo"))) == 5
    assert route_length(carthag, carthag, (TerritoryId("arsunt"),)) == 2
    assert route_length(carthag, carthag) == 0


@pytest.mark.clause("AH.IX.C.2.c-b")
def test_where_a_storm_parts_a_named_territory_the_way_may_go_through_either_part() -> None:
    """With the storm in 2, Cielago North is three moves away at 1, and five at 3, by way of the Polar Sink."""
    sietch, through = at("habbanya-ridge-sietch"), (TerritoryId("cielago-north"),)
    lengths = {
        target: route_length(sietch, at(target), through, storm=2)
        for target in ("cielago-north/1", "polar-sink", "cielago-north/3", "harg-pass/4", "cielago-east/3")
    }
    assert lengths == {
        "cielago-north/1": 3, "polar-sink": 4, "cielago-north/3": 5, "harg-pass/4": 5, "cielago-east/3": 6
    }  # fmt: skip


@pytest.mark.clause("AH.QA.E.7")
def test_sixteen_territories_lie_within_two_of_the_great_flat() -> None:
    assert within(TerritoryId("the-great-flat"), 2) == territories(
        "the-great-flat",
        "funeral-plain", "plastic-basin", "the-greater-flat", "wind-pass",
        "bight-of-the-cliff", "broken-land", "cielago-west", "false-wall-west", "habbanya-erg", "hagga-basin",
        "polar-sink", "rock-outcroppings", "sietch-tabr", "tsimpo", "wind-pass-north",
    )  # fmt: skip


# --- Names ---------------------------------------------------------------------------------------------------


def test_every_area_is_read_back_as_it_is_written() -> None:
    for area in AREAS:
        assert parse_area(area) == area
        assert area_at(territory_of(area), sector_of(area)) == area


def test_the_sector_may_be_left_out_where_there_is_only_one() -> None:
    assert parse_area("arrakeen") == "arrakeen/10"
    assert parse_area("polar-sink") == POLAR_SINK


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("imperial-basin", "Imperial Basin lies in the sectors 9, 10 and 11: say which one."),
        ("arrakeen/9", "Arrakeen lies in sector 10, not in sector 9."),
        ("polar-sink/3", "Polar Sink lies in no sector, not in sector 3."),
        ("old-gap/12", "Old Gap lies in the sectors 9, 10 and 11, not in sector 12."),
        ("giedi-prime", "There is no territory 'giedi-prime'."),
        ("Arrakeen", "'Arrakeen' is not an area; an area is written like 'imperial-basin/9'."),
        ("arrakeen/010", "'arrakeen/010' is not an area; an area is written like 'imperial-basin/9'."),
    ],
)
def test_what_is_not_an_area_is_refused_with_a_sentence(text: str, reason: str) -> None:
    with pytest.raises(ValueError, match=re.escape(reason)) as refused:
        parse_area(text)
    assert str(refused.value) == reason


def test_the_name_shows_the_sector_only_where_there_are_several() -> None:
    assert area_name(at("imperial-basin/9")) == "Imperial Basin/9"
    assert area_name(at("arrakeen")) == "Arrakeen"
    assert area_name(POLAR_SINK) == "Polar Sink"


# --- Storm and seats -----------------------------------------------------------------------------------------


def test_the_storm_starts_in_sector_one_and_moves_by_six_markers() -> None:
    assert STORM_START == 1
    assert STORM_MARKERS == (1, 2, 3, 4, 5, 6)


@pytest.mark.clause("AH.VI.C-f")
def test_the_storm_enters_the_sectors_after_its_own() -> None:
    assert sectors_passed(17, 3) == (18, 1, 2)
    assert sectors_passed(4, 0) == ()


def test_the_six_dots_are_three_sectors_apart() -> None:
    assert DOTS == (2, 5, 8, 11, 14, 17)


@pytest.mark.clause("AH.IX.A-a", "AH.IX.A-b")
def test_the_first_player_is_the_next_dot_ahead_and_a_dot_in_the_storm_comes_last() -> None:
    dots = {"a": 2, "b": 5, "c": 17}
    assert seat_order(3, dots) == ["b", "c", "a"]
    assert seat_order(4, dots) == ["b", "c", "a"]
    assert seat_order(5, dots) == ["c", "a", "b"]
    assert seat_order(17, dots) == ["a", "b", "c"]


def test_every_territory_of_the_file_is_on_the_board() -> None:
    assert [entry.text("id") for entry in entries("board.toml", "territory")] == list(TERRITORIES)
