"""The picture of the board: it is true to the map, the same each time, small, and its words are drawn."""

from __future__ import annotations

from collections import Counter
from io import BytesIO
from typing import Any

import pytest
from PIL import Image, ImageColor

from bot.reports import picture
from rules.components.board import AREAS, POLAR_SINK, SECTORS, TERRITORIES, Area, neighbours, next_sector, sector_of
from tests.reports.positions import VIEW, games

ACROSS, OUT = 40, 166  # points looked at in a sector
Points = list[tuple[float, float]]


def _inside(points: Points, around: float, out: float) -> bool:
    within = False
    for (a, b), (c, d) in zip(points, [points[-1], *points[:-1]], strict=True):
        if (b > out) != (d > out) and around < (c - a) * (out - b) / (d - b) + a:
            within = not within
    return within


@pytest.fixture(scope="module")
def columns() -> list[list[list[Area]]]:
    """Which areas lie at each point of a fine net over the board, sector after sector."""
    ground = picture.geometry()
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
    ground = picture.geometry()
    assert set(ground.areas) == set(AREAS) - {POLAR_SINK}
    assert set(ground.tokens) == set(AREAS)
    for area, points in ground.areas.items():
        assert _inside(list(points), *ground.tokens[area]), area


def test_every_territory_has_its_name_near_it() -> None:
    names = picture.geometry().names
    assert set(names) == set(TERRITORIES)
    for territory, (area, _, lines) in names.items():
        assert area in TERRITORIES[territory].areas
        said = " ".join(lines).replace("Out- croppings", "Outcroppings").replace(" R. ", " Ridge ")
        assert said == TERRITORIES[territory].name


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
    seen = {pair for pair, often in touching.items() if len(pair) == 2 and often > 2}  # less is a corner
    assert seen == {frozenset((area, other)) for area in AREAS for other in neighbours(area)}


def test_the_sectors_go_round_once() -> None:
    ground = picture.geometry()
    assert sum(ground.widths) == 360
    assert len(ground.widths) == SECTORS
    assert ground.place(1, 80) == pytest.approx(ground.place(SECTORS + 1, 80))


def test_the_same_position_gives_the_same_bytes() -> None:
    drawn = picture.picture(VIEW)
    picture._png.cache_clear()
    assert picture.picture(dict(VIEW)) == drawn


def test_a_picture_is_small_enough_for_every_letter() -> None:
    for _, _, positions in games():
        assert len(picture.picture(positions[len(positions) // 2].view)) < 60_000


def test_the_words_are_drawn_with_the_font_that_is_shipped() -> None:
    """Where no font is found a renderer draws no words at all, and says nothing."""
    drawing = picture.svg(VIEW)
    assert drawing.count("<text") > 60
    assert picture._png(drawing) != picture._png(drawing.replace("Arrakeen", ""))


def _pixels(view: dict[str, Any], around: float, out: float) -> tuple[int, ...]:
    image = Image.open(BytesIO(picture.picture(view))).convert("RGB")
    x, y = picture.geometry().place(around, out)
    scale = picture.PIXELS / picture.SIZE
    found = image.getpixel((round(x * scale), round(y * scale)))
    assert isinstance(found, tuple)
    return found


def test_the_storm_darkens_its_sector() -> None:
    later = {**VIEW, "storm": next_sector(VIEW["storm"])}
    assert _pixels(VIEW, 9.2, 97) != _pixels(later, 9.2, 97)
    assert _pixels(VIEW, 10.2, 97) != _pixels(later, 10.2, 97)


@pytest.mark.parametrize("change", [{"spice": {}}, {"forces": {}}, {"shield_wall": False}, {"storm": 3}])
def test_everything_on_the_board_shows(change: dict[str, Any]) -> None:
    assert picture.picture({**VIEW, **change}) != picture.picture(VIEW)


@pytest.mark.parametrize(("stands", "ground"), [(True, "rock"), (False, "sand")])
def test_the_shield_wall_is_rock_until_it_is_blown_up(stands: bool, ground: str) -> None:
    geometry = picture.geometry()
    bare = {**VIEW, "storm": 1, "forces": {}, "spice": {}, "shield_wall": stands}
    assert _pixels(bare, *geometry.tokens[Area("shield-wall/9")]) == ImageColor.getrgb(geometry.colours[ground])
    assert _pixels(bare, *geometry.tokens[Area("hole-in-the-rock/9")]) == ImageColor.getrgb(geometry.colours["sand"])
