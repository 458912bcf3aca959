"""Tests that the board's picture is true to the map, reproducible and small, and that its words are drawn."""

from __future__ import annotations

import json
import math
import re
from collections import Counter
from collections.abc import Iterator
from datetime import UTC, datetime
from io import BytesIO
from itertools import combinations, count, islice
from random import Random
from typing import Any

import pytest
from PIL import Image, ImageColor

from bot.render import picture, placement
from bot.render.board import PHONE_SIZES, Look, Shade, draw_ground, faction_letter, geometry, inner_border, width_of
from bot.render.material import News
from bot.render.news import NO_CHANGES, Changes, Journey, changes
from bot.render.picture import board_digest
from bot.render.placement import territory_names
from rules import views
from rules.components.board import (
    AREAS,
    POLAR_SINK,
    PRINTED_AREAS,
    PRINTED_TERRITORIES,
    SECTORS,
    TERRITORIES,
    Area,
    neighbours,
    next_sector,
    sector_of,
    territory_of,
)
from tests.reports.positions import RULE_SETS, VIEW, games, stops
from tests.size import size

ACROSS, OUT = 40, 166  # sampling points in a sector
Points = list[tuple[float, float]]


def _inside(points: Points, around: float, out: float) -> bool:
    within = False
    for (a, b), (c, d) in zip(points, [points[-1], *points[:-1]], strict=True):
        if (b > out) != (d > out) and around < (c - a) * (out - b) / (d - b) + a:
            within = not within
    return within


@pytest.fixture(scope="module")
def columns() -> list[list[list[Area]]]:
    """Return the areas at each point of a fine grid over the board, sector by sector."""
    ground = geometry()
    found = []
    for sector in range(1, SECTORS + 1):
        here = {area: list(points) for area, points in ground.areas.items() if sector_of(area) == sector}
        for step in range(ACROSS):
            around = sector + (step + 0.5) / ACROSS
            depth = (100 - ground.polar_sink) / OUT
            out = [ground.polar_sink + (number + 0.5) * depth for number in range(OUT)]
            found.append([[area for area, points in here.items() if _inside(points, around, far)] for far in out])
    return found


def test_every_area_has_its_place_and_its_tokens_lie_in_it() -> None:
    ground = geometry()
    assert set(ground.areas) == set(PRINTED_AREAS) - {POLAR_SINK}
    assert set(ground.tokens) == set(PRINTED_AREAS)
    for area, points in ground.areas.items():
        assert _inside(list(points), *ground.tokens[area]), area


def test_a_name_is_written_in_one_line_in_two_or_at_last_as_a_code() -> None:
    for territory in PRINTED_TERRITORIES:
        *names, code = territory_names(territory, 26)
        assert all(" ".join(name.lines) == TERRITORIES[territory].name for name in names)
        assert [len(name.lines) for name in names] == [1, 2][: 1 + (" " in TERRITORIES[territory].name)]
        assert code.lines == (TERRITORIES[territory].abbreviation,)
        assert code.cost > max(name.cost for name in names)


def test_the_areas_cover_the_board_without_a_gap_or_an_overlap(columns: list[list[list[Area]]]) -> None:
    assert all(len(there) == 1 for column in columns for there in column)


def test_areas_touch_in_the_picture_exactly_where_they_touch_in_play(columns: list[list[list[Area]]]) -> None:
    touching: Counter[frozenset[Area]] = Counter()
    for column, following in zip(columns, [*columns[1:], columns[0]], strict=True):
        touching[frozenset((column[0][0], POLAR_SINK))] += 1
        for number, (area,) in enumerate(column):
            touching[frozenset((area, following[number][0]))] += 1
            if number + 1 < OUT:
                touching[frozenset((area, column[number + 1][0]))] += 1
    seen = {pair for pair, often in touching.items() if len(pair) == 2 and often > 2}  # fewer contacts are a corner
    assert seen == {frozenset((area, other)) for area in AREAS for other in neighbours(area)}


def test_the_sectors_go_round_once() -> None:
    ground = geometry()
    assert sum(ground.widths) == 360
    assert len(ground.widths) == SECTORS
    assert ground.place(1, 80) == pytest.approx(ground.place(SECTORS + 1, 80))


PHONE = Look()
LOOKS = [PHONE, Look(all_names=True), Look(dark=True), Look(all_names=True, dark=True)]


@pytest.mark.parametrize("look", LOOKS)
def test_the_same_position_gives_the_same_bytes(look: Look) -> None:
    drawn = picture.picture(VIEW, look=look)
    picture._png.cache_clear()
    placement._homes.cache_clear()
    assert picture.picture(dict(VIEW), look=look) == drawn
    assert picture.picture(json.loads(json.dumps(VIEW)), look=look) == drawn


def test_a_picture_is_small_enough_for_every_letter() -> None:
    for _, _, positions in games():
        position = positions[len(positions) // 2]
        for look in LOOKS:
            assert len(picture.picture(position.view, changes(position.news), look)) < 70_000


def test_the_words_are_drawn_with_the_font_that_is_shipped() -> None:
    """A renderer without a font draws no words and reports nothing."""
    look = Look(all_names=True)
    over = picture.overlay(VIEW, look=look)
    assert over.pieces.count("<text") > 40
    nameless = over._replace(pieces=over.pieces.replace("Arrakeen", ""))
    assert picture._png(over, True, look) != picture._png(nameless, True, look)


@pytest.mark.parametrize("dark", [False, True])
def test_around_the_board_a_picture_is_transparent(dark: bool) -> None:
    alpha = Image.open(BytesIO(picture.picture(VIEW, look=Look(dark=dark)))).convert("RGBA").getchannel("A")
    assert [alpha.getpixel(at) for at in ((2, 2), (697, 2), (350, 350))] == [0, 0, 255]


def _pixels(view: dict[str, Any], around: float, out: float) -> tuple[int, ...]:
    image = Image.open(BytesIO(picture.picture(view))).convert("RGBA")
    x, y = geometry().place(around, out)
    scale = image.width / 1000
    found = image.getpixel((round(x * scale), round(y * scale)))
    assert isinstance(found, tuple)
    return found


def test_the_storm_darkens_its_sector() -> None:
    later = {**VIEW, "storm": next_sector(VIEW["storm"])}
    assert _pixels(VIEW, 9.2, 97) != _pixels(later, 9.2, 97)
    assert _pixels(VIEW, 10.2, 97) != _pixels(later, 10.2, 97)


ON_THE_BOARD: list[dict[str, Any]] = [
    {"spice": {}}, {"forces": {}}, {"shield_wall": False}, {"storm": 3},
    {"forces": {**VIEW["forces"], "polar-sink": {"guild": "2"}}},
]  # fmt: skip


@pytest.mark.parametrize("change", ON_THE_BOARD)
def test_everything_on_the_board_shows(change: dict[str, Any]) -> None:
    assert picture.picture({**VIEW, **change}) != picture.picture(VIEW)
    assert board_digest({**VIEW, **change}) != board_digest(VIEW)


def test_what_does_not_lie_on_the_board_makes_no_other_picture() -> None:
    players = {faction: {**player, "spice": 99, "hand": ["Karama"]} for faction, player in VIEW["players"].items()}
    other = {**VIEW, "players": players, "turn": 9, "phase": "battle", "kwisatz_haderach": None}
    assert board_digest(other) == board_digest(VIEW)
    assert picture.svg(other) == picture.svg(VIEW)


# --- discs -----------------------------------------------------------------------------------------------------------


def said(drawing: str) -> Counter[str]:
    return Counter(re.findall(r">([^<>]+)</text>", drawing))


def test_a_disc_says_whose_it_is_and_how_many_and_elite_ones_have_a_ring() -> None:
    view = {**VIEW, "forces": {"arrakeen/10": {"atreides": "9"}, "carthag/11": {"emperor": "10+5"}}}
    drawing = picture.svg(view)
    assert said(drawing)["A 9"] == said(drawing)["E 10+5"] == 1
    plain = picture.svg({**view, "forces": {**view["forces"], "carthag/11": {"emperor": "15"}}})
    assert said(plain)["E 15"] == 1
    assert drawing.count("<rect") == plain.count("<rect") + 3, "one in the picture, two in the legend"
    assert "with elite" in said(drawing)
    assert "with elite" not in said(plain)


def test_who_coexists_is_hatched() -> None:
    view = {**VIEW, "forces": {"arrakeen/10": {"bene-gesserit": "3", "atreides": "1"}}}
    assert "url(#coexists)" not in picture.svg(view)
    hatched = picture.svg({**view, "coexisting": ["arrakeen"]})
    assert "url(#coexists)" in hatched
    assert said(hatched)["B 3"] == 1
    assert picture.picture(view) != picture.picture({**view, "coexisting": ["arrakeen"]})


def test_on_a_phone_strongholds_and_what_is_occupied_have_names_and_nothing_else() -> None:
    words = " ".join(said(picture.svg(VIEW)).elements())
    assert all(name in words for name in ("Arrakeen", "Carthag", "Sietch Tabr", "Imperial Basin", "Polar Sink"))
    assert "Old Gap" not in words
    assert "Old Gap" in said(picture.svg(VIEW, look=Look(all_names=True)))
    assert not {"ARR", "IB", "PS"} & set(words.split())


def test_an_area_has_the_tint_of_who_holds_it_and_two_colours_at_its_border_if_it_is_contested() -> None:
    green, red = (geometry().factions[faction][0] for faction in ("atreides", "emperor"))
    tint = re.compile(r'<path d="[^"]*" fill="([^"]+)"(?: fill-opacity="[^"]+")? stroke="([^"]+)" stroke-width="4"')

    def tints(**forces: dict[str, str]) -> list[tuple[str, ...]]:
        view = {**VIEW, "forces": {area.replace("_", "/"): here for area, here in forces.items()}}
        return tint.findall(picture.overlay({**view, "coexisting": ["carthag"]}).pieces)

    assert tints() == []
    assert tints(arrakeen_10={"atreides": "9"}) == [(green, green)]
    assert tints(arrakeen_10={"atreides": "9", "emperor": "1"}) == [("none", green), ("none", red)]
    assert tints(carthag_11={"bene-gesserit": "2", "emperor": "1"}) == [(red, red)], "advisors hold nothing"


def test_an_empty_stronghold_has_a_ring() -> None:
    rings = picture.overlay(VIEW).pieces.count("stroke-dasharray")
    assert rings == 3 + 1, "three strongholds, and the border of Carthag, where two factions are"
    assert "empty stronghold" in said(picture.svg(VIEW))


def test_letters_on_a_phone_are_at_least_eight_pixels_high() -> None:
    sizes = [float(size) for size in re.findall(r'font-size="([0-9.]+)"', picture.svg(VIEW))]
    assert min(sizes) * 350 / 1000 > 8
    assert PHONE_SIZES.token * 350 / 1000 > 11


def _crowded() -> dict[str, Any]:
    everybody = dict.fromkeys(("atreides", "bene-gesserit", "emperor", "fremen", "guild", "harkonnen"), "10+5")
    places = ["arrakeen/10", "carthag/11", "imperial-basin/9", "imperial-basin/10", "arsunt/11", "polar-sink",
              "tueks-sietch/5", "sietch-tabr/14", "rim-wall-west/9", "hole-in-the-rock/9", "old-gap/10"]  # fmt: skip
    two = {"emperor": "10+5", "fremen": "12+3"}
    forces = {place: everybody if place == "polar-sink" else two for place in places}
    return {**VIEW, "forces": forces, "spice": {"old-gap/10": 6, "imperial-basin/9": 12}}


def positions_of_random_games(seed: str, many: int) -> Iterator[dict[str, Any]]:
    for number in count():
        for play in islice(stops(RULE_SETS[number % len(RULE_SETS)], f"{seed} {number}"), 20, None, 7):
            yield views.view(play, "public")
            many -= 1
            if not many:
                return


SHAPE = re.compile(
    r'<rect x="([-0-9.]+)" y="([-0-9.]+)" width="([0-9.]+)" height="([0-9.]+)" rx="([0-9.]+)"'
    r'|<circle cx="([-0-9.]+)" cy="([-0-9.]+)" r="([0-9.]+)"[^>]* stroke-width'
    r'|<polygon points="([^"]+)"[^>]* stroke-width="2.5"'
    r'|<text x="([-0-9.]+)" y="([-0-9.]+)" font-size="([0-9.]+)"[^>]*>([^<]+)'
)
Boxes = dict[tuple[int, int], tuple[float, float, float, float]]


def boxes_of(drawing: str) -> Boxes:
    # keyed by centre: the centre and half the width and height; a disc and its letters are one box
    found: Boxes = {}
    for x, y, wide, high, rx, cx, cy, r, points, u, v, tall, text in SHAPE.findall(drawing):
        if rx == "8":
            continue  # a card contains other shapes
        if wide:
            box = (float(x) + float(wide) / 2, float(y) + float(high) / 2, float(wide) / 2, float(high) / 2)
        elif r:
            box = (float(cx), float(cy), float(r), float(r))
        elif points:
            corners = [[float(part) for part in corner.split(",")] for corner in points.split()]
            (left, right), (top, bottom) = ((min(each), max(each)) for each in zip(*corners, strict=True))
            box = ((left + right) / 2, (top + bottom) / 2, (right - left) / 2, (bottom - top) / 2)
        else:
            box = (float(u), float(v) - 0.36 * float(tall), width_of(text, float(tall)) / 2, float(tall) * 0.4)
        middle = round(box[0]), round(box[1])
        near = [one for one in found if math.dist(one, middle) < 2]
        found[near[0] if near else middle] = max(found[near[0]], box, key=lambda one: one[2]) if near else box
    return found


def overlaps(boxes: Boxes) -> list[tuple[Any, Any]]:
    return [
        (one, other)
        for one, other in combinations(boxes.values(), 2)
        if abs(one[0] - other[0]) < one[2] + other[2] - 1 and abs(one[1] - other[1]) < one[3] + other[3] - 1
    ]


def check_nothing_overlaps(view: dict[str, Any], look: Look = PHONE) -> None:
    drawing = picture.Drawing(view, NO_CHANGES, look)
    over = drawing.overlay()
    ground = draw_ground(view["shield_wall"], look.shade, look.sizes.sector)
    numbers = "".join(re.findall("<text[^>]*>[^<]*", ground))
    boxes = boxes_of(numbers + over.pieces)
    tokens = sum(len(here) for here in drawing.tokens.values())
    assert len(boxes) >= 18 + len(view["players"]) + tokens
    assert not overlaps(boxes)
    assert all(box[2] <= box[0] <= 1000 - box[2] for box in boxes.values())
    for area, spot in drawing.spots.items():
        others = placement._strongholds() & ~placement._in_area(area)
        assert not spot.cells & others, f"{area} covers a stronghold"
        assert spot.card is None or " ".join(spot.name.lines) == TERRITORIES[territory_of(area)].name


def test_no_disc_name_or_number_hides_another_in_random_games() -> None:
    seed = f"board {datetime.now(UTC).date()}"
    for view in positions_of_random_games(seed, size(60, 500)):
        check_nothing_overlaps(view)


def crowd(seed: int, areas: int, factions: int) -> dict[str, Any]:
    rng = Random(seed)
    here = ["atreides", "bene-gesserit", "emperor", "fremen", "guild", "harkonnen", "ixians", "tleilaxu"][:factions]
    tokens = ("1", "10", "4+1", "10+5")
    forces = {
        area: {one: rng.choice(tokens) for one in rng.sample(here, 1 + number % 2)}
        for number, area in enumerate(rng.sample(PRINTED_AREAS, areas))
    }
    return {
        **VIEW,
        "forces": forces,
        "spice": dict.fromkeys(rng.sample(PRINTED_AREAS, areas // 4), 12),
        "hms": {"at": rng.choice((None, *PRINTED_AREAS))},
    }


EVERYBODY = dict.fromkeys(("atreides", "bene-gesserit", "emperor", "fremen", "guild", "harkonnen"), "10+5")
CROWDS = [
    {**VIEW, "forces": {}, "spice": {}},
    {**VIEW, "forces": {"arrakeen/10": EVERYBODY}},
    {**VIEW, "forces": {"polar-sink": EVERYBODY, "carthag/11": EVERYBODY, "old-gap/10": EVERYBODY}},
    {**VIEW, "forces": dict.fromkeys(PRINTED_AREAS, EVERYBODY), "spice": dict.fromkeys(PRINTED_AREAS, 12)},
    *(crowd(seed, areas, factions) for seed, (areas, factions) in enumerate([(12, 8), (20, 6), (20, 2), (60, 6)])),
]  # fmt: skip


@pytest.mark.parametrize("view", CROWDS)
@pytest.mark.parametrize("look", LOOKS[:2])
def test_no_crowd_hides_a_number(look: Look, view: dict[str, Any]) -> None:
    check_nothing_overlaps(view, look)


def test_twenty_stacks_have_their_names_and_letters_of_full_size() -> None:
    drawing = picture.Drawing(crowd(3, 20, 2), NO_CHANGES, PHONE)
    drawing.overlay()
    codes = [spot for spot in drawing.spots.values() if spot.name.cost >= placement.CODE]
    assert len(codes) <= 2
    assert drawing.signs.sizes.token * 0.354 > 9.5, "pixels of a letter where the board is 354 wide"


# --- colours ---------------------------------------------------------------------------------------------------------

SEEN_BY = {  # Machado, Oliveira and Fernandes 2009, severity 1, on linear light
    "deuteranopes": ((0.367322, 0.860646, -0.227968), (0.280085, 0.672501, 0.047413), (-0.011820, 0.042940, 0.968881)),
    "protanopes": ((0.152286, 1.052583, -0.204868), (0.114503, 0.786281, 0.099216), (-0.003882, -0.048116, 1.051998)),
    "all": ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)),
}


def _luminance(colour: str, matrix: tuple[tuple[float, ...], ...]) -> float:
    parts = [value / 255 for value in ImageColor.getrgb(colour)[:3]]
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    seen = [min(1.0, max(0.0, sum(m * v for m, v in zip(row, linear, strict=True)))) for row in matrix]
    return 0.2126 * seen[0] + 0.7152 * seen[1] + 0.0722 * seen[2]


def _contrast(one: str, other: str, who: str) -> float:
    high, low = sorted((_luminance(one, SEEN_BY[who]), _luminance(other, SEEN_BY[who])), reverse=True)
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("who", SEEN_BY)
@pytest.mark.parametrize("shade", ["light", "dark"])
def test_words_stand_out_whoever_looks(who: str, shade: Shade) -> None:
    colours = geometry().colours[shade]
    pairs = [*geometry().factions.values(), (colours["on-dark"], colours["spice"])]
    pairs += [(colours["words"], colours[ground]) for ground in ("paper", "sand", "rock")]
    pairs += [(colours["sector"], colours["paper"])]
    for one, other in pairs:
        assert _contrast(one, other, who) >= 4.5, (one, other)


def test_factions_have_letters_of_their_own() -> None:
    assert len({faction_letter(faction) for faction in geometry().factions}) == len(geometry().factions)


# --- changes ---------------------------------------------------------------------------------------------------------


def told(kind: str, **facts: Any) -> News:
    return News(4, "movement", kind, facts, {})


def test_changes_are_the_ways_of_tokens_and_of_the_storm() -> None:
    found = changes([
        told("storm-moved", start=17, sectors=3, storm=2), told("storm-moved", start=2, sectors=2, storm=4),
        told("shipment", faction="emperor", source=None, target="carthag/11", forces="5", price=5, paid_to="guild"),
        told("move", faction="atreides", source="arrakeen/10", target="old-gap/10", forces="3", via=[], hajr=False),
        told("move", faction="atreides", source="arrakeen/10", target="old-gap/10", forces="1", via=[], hajr=True),
        told("move", faction="fremen", source="old-gap/10", target="old-gap/9", forces="1", via=[], hajr=False),
        told("bid", faction="guild", amount=2, number=1),
    ])  # fmt: skip
    assert found.journeys == (
        Journey("emperor", None, Area("carthag/11"), True),
        Journey("atreides", Area("arrakeen/10"), Area("old-gap/10"), False),
    )
    assert (found.storm_start, found.storm_sectors) == (17, 5)


def test_an_area_without_sectors_has_no_border_within_its_territory() -> None:
    assert inner_border(geometry(), Area("polar-sink")) == ""
    assert inner_border(geometry(), Area("arrakeen/10")) == ""
    assert inner_border(geometry(), Area("old-gap/9")) != ""


def test_what_was_taken_back_is_no_journey() -> None:
    ship = told("shipment", faction="emperor", source=None, target="carthag/11", forces="5")
    advisor = told("advisor", area="carthag/11", shipper="emperor")
    stopped = told("shipment-stopped", faction="emperor", area="carthag/11", forces="5")
    assert changes([ship, stopped]) == NO_CHANGES
    assert changes([ship, told("shipment-unpaid", faction="emperor", forces="5")]) == NO_CHANGES
    assert len(changes([ship, advisor, told("advisor-cancelled", by="emperor", area="carthag/11")]).journeys) == 1
    assert changes([stopped]) == NO_CHANGES
    walk = told("move", faction="emperor", source="carthag/11", target="old-gap/10", forces="1", via=[], hajr=False)
    other = told("shipment", faction="guild", source=None, target="carthag/11", forces="5")
    again = told("shipment", faction="emperor", source=None, target="polar-sink", forces="1")
    left = changes([ship, again, other, walk, stopped]).journeys
    assert [(one.faction, one.target) for one in left] == [
        ("emperor", "carthag/11"),
        ("guild", "carthag/11"),
        ("emperor", "old-gap/10"),
    ], "the last shipment of that faction, and nobody else's"


def test_an_event_that_cannot_be_drawn_is_left_out() -> None:
    assert changes([told("move"), told("storm-moved", start=1), told("advisor", shipper="guild")]) == NO_CHANGES


DOTS = 'stroke-dasharray="0 '


def test_moves_are_lines_and_shipments_dotted() -> None:
    walk = Changes((Journey("atreides", Area("arrakeen/10"), Area("old-gap/10"), False),))
    ship = Changes((Journey("guild", None, Area("polar-sink"), True),))
    back = Changes((Journey("guild", Area("polar-sink"), None, True),))
    assert DOTS not in picture.svg(VIEW, walk)
    assert DOTS in picture.svg(VIEW, ship)
    assert len({picture.picture(VIEW, each) for each in (NO_CHANGES, walk, ship, back)}) == 4
    assert "shipment" not in said(picture.svg(VIEW, walk))


@pytest.mark.parametrize("sectors", [0, 1, 9, 18, 25])
def test_the_way_of_the_storm_is_drawn_however_far_it_came(sectors: int) -> None:
    came = changes([told("storm-moved", start=12, sectors=sectors, storm=9)])
    assert (picture.svg(VIEW, came) != picture.svg(VIEW)) == bool(sectors)


def test_every_turn_of_random_games_is_drawn_with_its_changes() -> None:
    for _, _, positions in games():
        for position in positions:
            for look in LOOKS[:2]:
                assert picture.svg(position.view, changes(position.news), look).endswith("</svg>")


@pytest.mark.parametrize(("stands", "ground"), [(True, "rock"), (False, "sand")])
def test_the_shield_wall_is_rock_until_it_is_blown_up(stands: bool, ground: str) -> None:
    tokens, colours = geometry().tokens, geometry().colours["light"]
    bare = {**VIEW, "storm": 1, "forces": {}, "spice": {}, "shield_wall": stands}
    for area, colour in (("shield-wall/9", ground), ("hole-in-the-rock/9", "sand")):
        here, wanted = _pixels(bare, *tokens[Area(area)]), ImageColor.getrgb(colours[colour])
        assert max(abs(one - other) for one, other in zip(here, (*wanted, 255), strict=True)) < 6
