"""The board as a picture: SVG drawn from the view, made into a PNG.

The ground, in ``data/board-geometry.toml``, is a drawing of our own: sectors as wedges around the Polar Sink, and areas
that touch where they touch in play. On it lie the storm, the spice and each faction's tokens as discs with their
number. The font is shipped (``data/fonts``), so the same position gives the same bytes wherever it is drawn with the
same version of the renderer.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from io import BytesIO
from itertools import pairwise
from typing import Any
from xml.sax.saxutils import escape

import resvg_py
from PIL import Image, ImageColor

from bot.wording.filters import name
from bot.wording.sentences import say
from rules.components import Faction, as_faction
from rules.components.board import AREAS, SECTORS, TERRITORIES, Area, TerritoryId, next_sector, sector_of, territory_of
from rules.components.facts import data_file, load_toml

SIZE, HEIGHT = 1000, 1060  # of the drawing, in its own units
PIXELS = 800  # across, as sent; shown at 600 it is sharp on a telephone
RADIUS = 440
CENTRE = (SIZE / 2, 480.0)
DISC, LETTERS = 17.0, 17.0
STORM = 0.42  # how much of the ground the storm hides
FONT = "fonts/DejaVuSansCondensed.ttf"

Point = tuple[float, float]


@dataclass(frozen=True, slots=True)
class Geometry:
    """The ground as it lies in the data file; points are [around, out]."""

    polar_sink: float
    begin: float
    bend: float
    widths: Sequence[float]
    areas: Mapping[Area, Sequence[Point]]
    tokens: Mapping[Area, Point]
    names: Mapping[TerritoryId, tuple[Area, Point, Sequence[str]]]
    colours: Mapping[str, str]
    factions: Mapping[Faction, tuple[str, str]]

    def angle(self, around: float) -> float:
        """The direction of a place on the storm's way, in degrees counterclockwise from east."""
        sectors = int(around - 1)
        part = around - 1 - sectors
        width = self.widths[sectors] if sectors < SECTORS else 0
        return self.begin + sum(self.widths[:sectors]) + part * width

    def place(self, around: float, out: float) -> Point:
        """Where a point lies on the drawing."""
        turn = math.radians(self.angle(around))
        far = RADIUS * (out / 100) ** self.bend
        return CENTRE[0] + far * math.cos(turn), CENTRE[1] - far * math.sin(turn)

    def middle(self, area: Area) -> Point:
        """Where the middle of the tokens in an area is."""
        return self.place(*self.tokens[area])

    def line(self, points: Sequence[Point]) -> str:
        """The points as a path of an SVG, straight lines in the data drawn as the arcs that they stand for."""
        bent: list[Point] = [self.place(*points[0])]
        for (around, out), (around_next, out_next) in pairwise(points):
            pieces = max(1, math.ceil(abs(self.angle(around_next) - self.angle(around)) / 3))
            for step in range(1, pieces + 1):
                part = step / pieces
                bent.append(self.place(around + (around_next - around) * part, out + (out_next - out) * part))
        return "M" + "L".join(f"{x:.1f} {y:.1f}" for x, y in bent)


def picture(view: Mapping[str, Any]) -> bytes:
    """The board of this view as a PNG."""
    return _png(svg(view))


def svg(view: Mapping[str, Any]) -> str:
    """The same as SVG."""
    ground = geometry()
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {SIZE} {HEIGHT}" width="{SIZE}" height="{HEIGHT}" '
        'font-family="DejaVu Sans" font-stretch="condensed">',
        _ground(view["shield_wall"]),
        _names(),
        *_storm(ground, view["storm"]),
        *_seats(ground, view["players"]),
    ]
    for area in AREAS:
        spice = view["spice"].get(area, 0)
        forces = view["forces"].get(area, {})
        if spice or forces:
            parts += _contents(ground, area, forces, spice)
    parts += [*_legend(ground, view), "</svg>"]
    return "".join(parts)


@cache
def geometry() -> Geometry:
    """The ground from its file."""
    data = load_toml("board-geometry.toml")
    board, colours = data["board"], dict(data["colours"])
    factions = {faction: (disc, words) for faction, (disc, words) in colours.pop("factions").items()}
    return Geometry(
        polar_sink=board["polar_sink"], begin=board["begin"], bend=board["bend"], widths=tuple(board["widths"]),
        areas={area: tuple((u, r) for u, r in points) for area, points in data["areas"].items()},
        tokens={area: (u, r) for area, (u, r) in data["tokens"].items()},
        names={
            place: (label["near"], (label["shift"][0], label["shift"][1]), tuple(label["lines"]))
            for place, label in data["names"].items()
        },
        colours=colours, factions=factions,
    )  # fmt: skip


# --- the ground ----------------------------------------------------------------------------------------------------


@cache
def _ground(shield_wall: bool) -> str:
    ground = geometry()
    colours = ground.colours
    x, y = CENTRE
    parts = [f'<rect width="{SIZE}" height="{HEIGHT}" fill="{colours["paper"]}"/>']
    traces: list[str] = []
    for area, points in ground.areas.items():
        territory = territory_of(area)
        fill = colours[TERRITORIES[territory].kind]
        if territory == "shield-wall" and not shield_wall:
            fill = colours["sand"]
        parts.append(
            f'<path d="{ground.line((*points, points[0]))}Z" fill="{fill}" stroke="{colours["border"]}" '
            'stroke-width="2" stroke-linejoin="round"/>'
        )
        traces += _inner_border(ground, area, fill)
    parts += traces
    far = RADIUS * (ground.polar_sink / 100) ** ground.bend
    parts.append(
        f'<circle cx="{x}" cy="{y}" r="{far:.1f}" fill="{colours["polar-sink"]}" stroke="{colours["border"]}" '
        'stroke-width="2"/>'
        f'<circle cx="{x}" cy="{y}" r="{RADIUS}" fill="none" stroke="{colours["border"]}" stroke-width="4"/>'
    )
    for sector in range(1, SECTORS + 1):
        parts.append(_text(ground.place(sector + 0.5, 104.5), str(sector), 15, colours["sector"]))
    return "".join(parts)


def _inner_border(ground: Geometry, area: Area, fill: str) -> Iterable[str]:
    """The line between two sectors of one territory: no border, only a trace of the sector."""
    sector = sector_of(area)
    if sector is None:
        return
    next_area = Area(f"{territory_of(area)}/{next_sector(sector)}")
    if next_area not in ground.areas:
        return
    here = _edge(ground.areas[area], sector + 1)
    there = _edge(ground.areas[next_area], next_sector(sector))
    low, high = max(here[0], there[0]), min(here[1], there[1])
    if low >= high:
        return
    path = ground.line(((sector + 1, low + 0.4), (sector + 1, high - 0.4)))
    yield f'<path d="{path}" stroke="{fill}" stroke-width="3" fill="none"/>'
    yield f'<path d="{path}" stroke="{ground.colours["sector"]}" stroke-width="1" fill="none"/>'


def _edge(points: Sequence[Point], around: float) -> tuple[float, float]:
    """From where to where an area reaches on a line between two sectors."""
    out = [far for at, far in points if at == around]
    return (min(out), max(out)) if out else (0, 0)


@cache
def _names() -> str:
    ground = geometry()
    parts = []
    for territory, (area, (right, down), lines) in ground.names.items():
        x, y = ground.middle(area)
        x, y = x + right, y + down
        strong = TERRITORIES[territory].kind == "stronghold"
        colour = ground.colours["light" if strong else "words"]
        halo = ground.colours[TERRITORIES[territory].kind]
        for number, line in enumerate(lines):
            parts.append(_text((x, y + (number - (len(lines) - 1) / 2) * LETTERS), line, 16, colour, halo))
    return "".join(parts)


# --- what lies on it -------------------------------------------------------------------------------------------------


def _storm(ground: Geometry, sector: int) -> Iterable[str]:
    low = ground.polar_sink
    wedge = ground.line(((sector, low), (sector, 107), (sector + 1, 107), (sector + 1, low), (sector, low)))
    colour = ground.colours["storm"]
    yield f'<path d="{wedge}Z" fill="{colour}" fill-opacity="{STORM}" stroke="{colour}" stroke-width="3"/>'
    yield _text(ground.place(sector + 0.5, 104.5), str(sector), 15, ground.colours["light"])


def _seats(ground: Geometry, players: Mapping[Faction, Mapping[str, Any]]) -> Iterable[str]:
    for faction, player in players.items():
        x, y = ground.place(player["dot"] + 0.5, 110)
        yield (
            f'<circle cx="{x:.1f}" cy="{y:.1f}" r="9" fill="{ground.factions[faction][0]}" '
            f'stroke="{ground.colours["border"]}" stroke-width="2"/>'
        )


def _contents(ground: Geometry, area: Area, forces: Mapping[Faction, str], spice: int) -> Iterable[str]:
    """The spice and the tokens of an area side by side, in rows of three."""
    x, y = ground.middle(area)
    things = [*forces.items(), *([("spice", str(spice))] if spice else [])]
    rows = [things[start : start + 3] for start in range(0, len(things), 3)]
    for number, row in enumerate(rows):
        widths = [_width(count) for _, count in row]
        left = x - (sum(widths) - DISC * 0.3 * (len(row) - 1)) / 2
        middle = y + (number - (len(rows) - 1) / 2) * DISC * 1.9
        for (what, count), width in zip(row, widths, strict=True):
            if what == "spice":
                yield _spice(ground, (left + width / 2, middle), count)
            else:
                yield _disc(ground.factions[as_faction(what)], (left + width / 2, middle), width, count)
            left += width - DISC * 0.3


def _width(count: str) -> float:
    return 2 * DISC if len(count) < 3 else 2 * DISC + (len(count) - 2) * 9


def _disc(colours: tuple[str, str], at: Point, width: float, count: str) -> str:
    x, y = at
    light = geometry().colours["light"]
    return (
        f'<rect x="{x - width / 2:.1f}" y="{y - DISC:.1f}" width="{width:.1f}" height="{2 * DISC}" rx="{DISC}" '
        f'fill="{colours[0]}" stroke="{light}" stroke-width="2.5"/>' + _number(at, count, 18, colours[1])
    )


def _spice(ground: Geometry, at: Point, count: str) -> str:
    x, y = at
    far, light = DISC * 1.2, ground.colours["light"]
    corners = " ".join(f"{x + dx:.1f},{y + dy:.1f}" for dx, dy in ((0, -far), (far, 0), (0, far), (-far, 0)))
    return (
        f'<polygon points="{corners}" fill="{ground.colours["spice"]}" stroke="{light}" stroke-width="2.5"/>'
        + _number(at, count, 16, ground.colours["light"])
    )


def _legend(ground: Geometry, view: Mapping[str, Any]) -> Iterable[str]:
    y = HEIGHT - 24.0
    entries: list[tuple[str, str]] = [(faction, name(faction)) for faction in view["players"]]
    entries += [("spice", say("picture.spice")), ("storm", say("picture.storm"))]
    widths = [len(label) * 8.2 + 58 for _, label in entries]
    left = (SIZE - sum(widths)) / 2
    for (what, label), width in zip(entries, widths, strict=True):
        x, left = left + 22, left + width
        if what == "spice":
            yield _spice(ground, (x, y), "")
        elif what == "storm":
            yield (
                f'<rect x="{x - 13}" y="{y - 13}" width="26" height="26" fill="{ground.colours["storm"]}" '
                f'fill-opacity="{STORM}"/>'
            )
        else:
            yield _disc(ground.factions[as_faction(what)], (x, y), 2 * DISC, "")
        yield (
            f'<text x="{x + 22:.1f}" y="{y + 5:.1f}" font-size="16" fill="{ground.colours["words"]}">'
            f"{escape(label)}</text>"
        )


def _text(at: Point, text: str, size: float, colour: str, halo: str = "") -> str:
    """Words about a point; with a halo they stand out from lines beneath them."""
    around = f' stroke="{halo}" stroke-width="4" stroke-linejoin="round" paint-order="stroke"' if halo else ""
    return (
        f'<text x="{at[0]:.1f}" y="{at[1] + size * 0.36:.1f}" font-size="{size}" fill="{colour}" '
        f'text-anchor="middle"{around}>{escape(text)}</text>'
    )


def _number(at: Point, text: str, size: float, colour: str) -> str:
    """A number on a disc: heavier than words."""
    return _text(at, text, size, colour).replace("<text ", f'<text stroke="{colour}" stroke-width="0.7" ', 1)


# --- from drawing to PNG -------------------------------------------------------------------------------------------


@lru_cache(maxsize=128)
def _png(drawing: str) -> bytes:
    drawn = resvg_py.svg_to_bytes(
        svg_string=drawing, width=PIXELS, skip_system_fonts=True, font_files=[str(data_file(FONT))]
    )
    with Image.open(BytesIO(drawn)) as full:
        few = full.convert("RGB").quantize(palette=_palette(), dither=Image.Dither.NONE)
    made = BytesIO()
    few.save(made, "PNG", optimize=True)
    return made.getvalue()


@cache
def _palette() -> Image.Image:
    """The colours of the drawing and what lies between those that meet: a fifth of the bytes of full colour."""
    colours = {key: ImageColor.getrgb(value)[:3] for key, value in geometry().colours.items()}
    discs = [ImageColor.getrgb(disc)[:3] for disc, _ in geometry().factions.values()]
    grounds = [colours[kind] for kind in ("sand", "rock", "stronghold", "paper")]
    stormy = [_between(ground, colours["storm"], STORM) for ground in grounds]
    chosen = [*colours.values(), *discs, *stormy]
    for one, others in (
        ("border", grounds), ("words", grounds[:2]), ("light", [*discs, *grounds[2:3], colours["spice"]]),
        ("words", stormy[:1]), ("border", stormy[:1]), ("storm", [colours["paper"]]),
    ):  # fmt: skip
        chosen += [_between(colours[one], other, part) for other in others for part in (1 / 3, 2 / 3)]
    image = Image.new("P", (1, 1))
    image.putpalette([value for colour in dict.fromkeys(chosen) for value in colour])
    return image


def _between(one: tuple[int, ...], other: tuple[int, ...], part: float) -> tuple[int, ...]:
    return tuple(round(a + (b - a) * part) for a, b in zip(one, other, strict=True))
