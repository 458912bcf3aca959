"""The ground of the board's picture: a drawing of our own, from ``data/board-geometry.toml``.

Sectors are wedges around the Polar Sink, and areas touch where they touch in play. What is drawn here is the same in
every game but for the Shield Wall, so it is drawn once.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from typing import Literal
from xml.sax.saxutils import escape

from rules.components import Faction
from rules.components.board import SECTORS, TERRITORIES, Area, TerritoryId, next_sector, sector_of, territory_of
from rules.components.facts import load_toml

SIZE = 1000  # across, in the drawing's own units
RADIUS = 418
CENTRE = (SIZE / 2, 498.0)

Point = tuple[float, float]
Shade = Literal["light", "dark", "page"]
"""On light paper or dark; or as a page of the archive says, which has the colours as CSS variables."""


@dataclass(frozen=True, slots=True)
class Geometry:
    """The ground as it lies in the data file; points are [around, out]. ``colours`` are by shade and use."""

    polar_sink: float
    begin: float
    bend: float
    widths: Sequence[float]
    areas: Mapping[Area, Sequence[Point]]
    tokens: Mapping[Area, Point]
    names: Mapping[TerritoryId, tuple[Area, Point, Sequence[str]]]
    colours: Mapping[Shade, Mapping[str, str]]
    factions: Mapping[Faction, tuple[str, str]]

    def angle(self, around: float) -> float:
        """The direction of a place on the storm's way, in degrees counterclockwise from east."""
        sectors = int(around - 1)
        part = around - 1 - sectors
        rounds, sectors = divmod(sectors, SECTORS)
        return self.begin + 360 * rounds + sum(self.widths[:sectors]) + part * self.widths[sectors]

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


@cache
def geometry() -> Geometry:
    """The ground from its file."""
    data = load_toml("board-geometry.toml")
    board, colours = data["board"], data["colours"]
    return Geometry(
        polar_sink=board["polar_sink"], begin=board["begin"], bend=board["bend"], widths=tuple(board["widths"]),
        areas={area: tuple((u, r) for u, r in points) for area, points in data["areas"].items()},
        tokens={area: (u, r) for area, (u, r) in data["tokens"].items()},
        names={
            place: (label["near"], (label["shift"][0], label["shift"][1]), tuple(label["lines"]))
            for place, label in data["names"].items()
        },
        colours={
            "light": colours["light"], "dark": colours["dark"],
            "page": {use: f"var(--b-{use})" for use in colours["light"]},
        },
        factions={faction: (disc, words) for faction, (disc, words) in colours["factions"].items()},
    )  # fmt: skip


@cache
def ground(shield_wall: bool, shade: Shade, sector_size: float) -> str:
    """Areas, sectors with their numbers, and the rim."""
    board = geometry()
    colours = board.colours[shade]
    x, y = CENTRE
    parts: list[str] = []
    traces: list[str] = []
    for area, points in board.areas.items():
        territory = territory_of(area)
        fill = colours[TERRITORIES[territory].kind]
        if territory == "shield-wall" and not shield_wall:
            fill = colours["sand"]
        parts.append(
            f'<path d="{board.line((*points, points[0]))}Z" fill="{fill}" stroke="{colours["border"]}" '
            'stroke-width="2" stroke-linejoin="round"/>'
        )
        traces += _inner_border(board, area, fill, colours["border"])
    parts += traces
    far = RADIUS * (board.polar_sink / 100) ** board.bend
    parts.append(
        f'<circle cx="{x}" cy="{y}" r="{far:.1f}" fill="{colours["polar-sink"]}" stroke="{colours["border"]}" '
        'stroke-width="2"/>'
        f'<circle cx="{x}" cy="{y}" r="{RADIUS}" fill="none" stroke="{colours["border"]}" stroke-width="4"/>'
    )
    for sector in range(1, SECTORS + 1):
        parts.append(words(board.place(sector + 0.5, 104.6), str(sector), sector_size, colours["sector"]))
    return "".join(parts)


@cache
def names(shade: Shade, size: float) -> str:
    """The name of every territory, where the data file puts it."""
    board = geometry()
    colours = board.colours[shade]
    parts = []
    for territory, (area, (right, down), lines) in board.names.items():
        x, y = board.middle(area)
        x, y = x + right, y + down
        kind = TERRITORIES[territory].kind
        colour = colours["on-dark" if kind == "stronghold" else "words"]
        for number, line in enumerate(lines):
            at = (x, y + (number - (len(lines) - 1) / 2) * size * 1.06)
            parts.append(words(at, line, size, colour, colours[kind]))
    return "".join(parts)


def written() -> list[tuple[Point, Sequence[str]]]:
    """The middle of each name, and its lines."""
    board = geometry()
    found = []
    for area, (right, down), lines in board.names.values():
        x, y = board.middle(area)
        found.append(((x + right, y + down), lines))
    return found


def words(at: Point, text: str, size: float, colour: str, halo: str = "", *, heavy: bool = False) -> str:
    """Words about a point; with a halo they stand out from lines beneath them. ``heavy`` is for numbers and codes."""
    middle = f'<text x="{at[0]:.1f}" y="{at[1] + size * 0.36:.1f}" font-size="{size:g}" text-anchor="middle" '
    around = f'stroke="{halo}" stroke-width="{size / 4:g}" stroke-linejoin="round"' if halo else ""
    bold = f' stroke="{colour}" stroke-width="{size / 22:.1f}"' if heavy else ""
    said = escape(text)
    below = f'{middle}fill="{halo}" {around}>{said}</text>' if halo else ""
    return f'{below}{middle}fill="{colour}"{bold}>{said}</text>'


def _inner_border(board: Geometry, area: Area, fill: str, line: str) -> Iterable[str]:
    """The line between two sectors of one territory: no border, only a trace of the sector."""
    if path := inner_border(board, area):
        yield f'<path d="{path}" stroke="{fill}" stroke-width="3" fill="none"/>'
        yield f'<path d="{path}" stroke="{line}" stroke-opacity="0.55" stroke-width="1" fill="none"/>'


def inner_border(board: Geometry, area: Area) -> str:
    """The path along which an area meets the next sector of its own territory; empty where it does not."""
    sector = sector_of(area)
    if sector is None:
        return ""
    next_area = Area(f"{territory_of(area)}/{next_sector(sector)}")
    if next_area not in board.areas:
        return ""
    here = _edge(board.areas[area], sector + 1)
    there = _edge(board.areas[next_area], next_sector(sector))
    low, high = max(here[0], there[0]), min(here[1], there[1])
    return board.line(((sector + 1, low + 0.4), (sector + 1, high - 0.4))) if low < high else ""


def _edge(points: Sequence[Point], around: float) -> tuple[float, float]:
    """From where to where an area reaches on a line between two sectors."""
    out = [far for at, far in points if at == around]
    return (min(out), max(out)) if out else (0, 0)
