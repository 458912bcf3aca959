"""The parts of the board's picture: the reader's look, the ground, the stacks of tokens, and the signs.

A look is for a phone or with all names, on light paper or dark; or for a web page that supports both shades.

The ground is a drawing of our own, from `data/board-geometry.toml`. Sectors are wedges around the Polar Sink, and areas
touch where they touch in play. It is the same in every game except for the Shield Wall, so it is drawn once.

A stack is the contents of one place, at the middle of its area. Overlapping stacks are moved apart, each as little as
possible, and a thin line shows where a moved stack belongs. The computation has a fixed order, so the same position
always gives the same places.

The signs are discs, diamonds, hatching and arrowheads; each by itself, as SVG.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from typing import Literal
from xml.sax.saxutils import escape

from bot.wording.filters import name as printed_name
from rules.components import Faction, as_faction
from rules.components.board import SECTORS, TERRITORIES, Area, TerritoryId, next_sector, sector_of, territory_of
from rules.components.facts import load_toml


@dataclass(frozen=True, slots=True)
class Sizes:
    """Sizes in the drawing's units: letters on discs, discs, codes, sector numbers, the legend, lines.

    `row` is the maximum width of a row of tokens; `pixels` is the width of the picture.
    """

    token: float
    disc: float
    code: float
    sector: float
    legend: float
    arrow: float
    row: float
    pixels: int


@dataclass(frozen=True, slots=True)
class Look:
    """How a reader wants the board: with `all_names`, `dark`; or for a `page` that supports both shades."""

    all_names: bool = False
    dark: bool = False
    page: bool = False

    @classmethod
    def of(cls, text: str) -> Look:
        """Read a look from its stored words.

        >>> Look.of("names dark"), Look.of("")
        (Look(all_names=True, dark=True, page=False), Look(all_names=False, dark=False, page=False))
        """
        return cls("names" in text.split(), "dark" in text.split())

    def but(self, text: str) -> Look:
        """Change the look by these words: `names` or `codes`, `dark` or `light`."""
        said = text.split()
        names_, dark = "names" in said, "dark" in said
        return Look(names_ or (self.all_names and "codes" not in said), dark or (self.dark and "light" not in said))

    @property
    def words(self) -> str:
        """Return the look as stored words.

        >>> Look.of("names").but("dark").words
        'names dark'
        """
        return " ".join(word for word, wanted in (("names", self.all_names), ("dark", self.dark)) if wanted)

    @property
    def shade(self) -> Shade:
        return "page" if self.page else "dark" if self.dark else "light"

    @property
    def sizes(self) -> Sizes:
        return SIZES_WITH_NAMES if self.all_names else PHONE_SIZES


PHONE_SIZES = Sizes(token=34, disc=52, code=31, sector=27, legend=31, arrow=6, row=215, pixels=700)
SIZES_WITH_NAMES = Sizes(token=20, disc=32, code=0, sector=16, legend=18, arrow=4, row=150, pixels=800)
USUAL_LOOK = Look()
PAGE_LOOK = Look(page=True)


SIZE = 1000  # width of the drawing in its own units
RADIUS = 418
CENTRE = (SIZE / 2, 498.0)

Point = tuple[float, float]
Shade = Literal["light", "dark", "page"]
"""On light paper or dark; or "page", for an archive page with the colours as CSS variables."""


@dataclass(frozen=True, slots=True)
class Geometry:
    """The ground as it is in the data file; points are [around, out]. `colours` are by shade and use."""

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
        """Return the direction of a place on the storm's way, in degrees counterclockwise from east."""
        sectors = int(around - 1)
        part = around - 1 - sectors
        rounds, sectors = divmod(sectors, SECTORS)
        return self.begin + 360 * rounds + sum(self.widths[:sectors]) + part * self.widths[sectors]

    def place(self, around: float, out: float) -> Point:
        turn = math.radians(self.angle(around))
        far = RADIUS * (out / 100) ** self.bend
        return CENTRE[0] + far * math.cos(turn), CENTRE[1] - far * math.sin(turn)

    def middle(self, area: Area) -> Point:
        return self.place(*self.tokens[area])

    def line(self, points: Sequence[Point]) -> str:
        """Return the points as an SVG path; lines around the centre become arcs."""
        bent: list[Point] = [self.place(*points[0])]
        for (around, out), (around_next, out_next) in pairwise(points):
            pieces = max(1, math.ceil(abs(self.angle(around_next) - self.angle(around)) / 3))
            for step in range(1, pieces + 1):
                part = step / pieces
                bent.append(self.place(around + (around_next - around) * part, out + (out_next - out) * part))
        return "M" + "L".join(f"{x:.1f} {y:.1f}" for x, y in bent)


@cache
def geometry() -> Geometry:
    data = load_toml("board-geometry.toml")
    board, colours = data["board"], data["colours"]
    return Geometry(
        polar_sink=board["polar_sink"],
        begin=board["begin"],
        bend=board["bend"],
        widths=tuple(board["widths"]),
        areas={area: tuple((u, r) for u, r in points) for area, points in data["areas"].items()},
        tokens={area: (u, r) for area, (u, r) in data["tokens"].items()},
        names={
            place: (label["near"], (label["shift"][0], label["shift"][1]), tuple(label["lines"]))
            for place, label in data["names"].items()
        },
        colours={
            "light": colours["light"],
            "dark": colours["dark"],
            "page": {use: f"var(--b-{use})" for use in colours["light"]},
        },
        factions={faction: (disc, words) for faction, (disc, words) in colours["factions"].items()},
    )


@cache
def draw_ground(shield_wall: bool, shade: Shade, sector_size: float) -> str:
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
        parts.append(draw_words(board.place(sector + 0.5, 104.6), str(sector), sector_size, colours["sector"]))
    return "".join(parts)


@cache
def draw_names(shade: Shade, size: float) -> str:
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
            parts.append(draw_words(at, line, size, colour, colours[kind]))
    return "".join(parts)


def placed_names() -> list[tuple[Point, Sequence[str]]]:
    board = geometry()
    found = []
    for area, (right, down), lines in board.names.values():
        x, y = board.middle(area)
        found.append(((x + right, y + down), lines))
    return found


def draw_words(at: Point, text: str, size: float, colour: str, halo: str = "", *, heavy: bool = False) -> str:
    """Draw words around a point. A halo sets them off from lines beneath; `heavy` is for numbers and codes."""
    middle = f'<text x="{at[0]:.1f}" y="{at[1] + size * 0.36:.1f}" font-size="{size:g}" text-anchor="middle" '
    around = f'stroke="{halo}" stroke-width="{size / 4:g}" stroke-linejoin="round"' if halo else ""
    bold = f' stroke="{colour}" stroke-width="{size / 22:.1f}"' if heavy else ""
    said = escape(text)
    below = f'{middle}fill="{halo}" {around}>{said}</text>' if halo else ""
    return f'{below}{middle}fill="{colour}"{bold}>{said}</text>'


def _inner_border(board: Geometry, area: Area, fill: str, line: str) -> Iterable[str]:
    if path := inner_border(board, area):
        yield f'<path d="{path}" stroke="{fill}" stroke-width="3" fill="none"/>'
        yield f'<path d="{path}" stroke="{line}" stroke-opacity="0.55" stroke-width="1" fill="none"/>'


def inner_border(board: Geometry, area: Area) -> str:
    """Return the path where an area meets the next sector of its own territory; "" if it does not."""
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
    out = [far for at, far in points if at == around]
    return (min(out), max(out)) if out else (0, 0)


TokenKind = Literal["disc", "hatched", "lost", "spice"]
ROUNDS = 600
KEEPING_OFF = 200  # rounds in which stacks also avoid other things
STACK_GAP = 5.0  # between stacks
STEP = 0.03  # how strongly a stack moves back towards its place
DIGIT, LETTER, PLUS, SPACE = 0.58, 0.68, 0.76, 0.29
"""Widths in the shipped font, for a size of 1."""


@dataclass(frozen=True, slots=True)
class Token:
    """One disc, spice or loss: its owner, its label, and whether it includes elite tokens."""

    kind: TokenKind
    owner: str
    says: str
    elite: bool = False

    def width(self, size: float, height: float) -> float:
        if self.kind == "spice":
            return height * 1.25
        return max(height, width_of(self.says, size) + height * (1.1 if self.kind == "hatched" else 0.62))


@dataclass(slots=True)
class Stack:
    """The tokens of an area, in rows, above its code. `at` is its middle, `belongs` the place that the data gives
    it."""

    rows: Sequence[Sequence[Token]]
    code: str
    belongs: Point
    width: float
    height: float
    at: Point


def width_of(text: str, size: float) -> float:
    return size * sum(
        DIGIT if sign.isdigit() else PLUS if sign in "+−" else SPACE if sign == " " else LETTER for sign in text
    )


def tokens_in_rows(tokens: Sequence[Token], widths: Sequence[float], most: float) -> list[list[Token]]:
    rows: list[list[Token]] = []
    left = 0.0
    for token, width in zip(tokens, widths, strict=True):
        if not rows or width > left:
            rows.append([])
            left = most
        rows[-1].append(token)
        left -= width
    return rows


def spread_stacks(
    stacks: Sequence[Stack], within: tuple[float, float, float, float], written: Sequence[Stack] = ()
) -> None:
    """Move overlapping stacks apart within the paper (left, top, right, bottom).

    They avoid what is `written` there as long as they have room.
    """
    places = [stack.at for stack in stacks]
    for turn in range(ROUNDS):
        for number, stack in enumerate(stacks if turn < KEEPING_OFF else ()):
            for name in written:
                if push := _overlap(name.at, name, places[number], stack):
                    x, y = places[number]
                    places[number] = (x + push[0], y + push[1])
        moved = False
        for one, first in enumerate(stacks):
            for other in range(one + 1, len(stacks)):
                push = _overlap(places[one], first, places[other], stacks[other])
                if push is None:
                    continue
                moved = True
                (x, y), (u, v) = places[one], places[other]
                places[one], places[other] = (x - push[0], y - push[1]), (u + push[0], v + push[1])
        for number, stack in enumerate(stacks):
            x, y = places[number]
            if turn < ROUNDS // 2:
                x, y = x + (stack.at[0] - x) * STEP, y + (stack.at[1] - y) * STEP
            places[number] = _inside((x, y), stack, within)
        if not moved and (turn >= KEEPING_OFF or not written):
            break
    for stack, place in zip(stacks, places, strict=True):
        stack.at = place


def _overlap(at: Point, one: Stack, there: Point, other: Stack) -> Point | None:
    across = (one.width + other.width) / 2 + STACK_GAP - abs(there[0] - at[0])
    down = (one.height + other.height) / 2 + STACK_GAP - abs(there[1] - at[1])
    if across <= 0 or down <= 0:
        return None
    if across < down:
        return ((across / 2 + 0.1) * (1 if there[0] >= at[0] else -1), 0.0)
    return (0.0, (down / 2 + 0.1) * (1 if there[1] >= at[1] else -1))


def _inside(at: Point, stack: Stack, within: tuple[float, float, float, float]) -> Point:
    left, top, right, bottom = within
    across, down = stack.width / 2, stack.height / 2
    return min(max(at[0], left + across), right - across), min(max(at[1], top + down), bottom - down)


STORM = 0.45  # opacity of the storm
LOST = "#221b12"  # text on the colour of the edge


class Signs:
    def __init__(self, look: Look) -> None:
        self.board = geometry()
        self.sizes = look.sizes
        self.colours = self.board.colours[look.shade]

    def token(self, token: Token, at: Point) -> str:
        sizes, edge = self.sizes, self.colours["edge"]
        if token.kind == "spice":
            far = sizes.disc * 0.62
            corners = _diamond(at, far)
            return (
                f'<polygon points="{corners}" fill="{self.colours["spice"]}" stroke="{edge}" stroke-width="3"/>'
                + draw_words(at, token.says, sizes.token * 0.86, edge, heavy=True)
            )
        fill, ink = self.board.factions[as_faction(token.owner)]
        if token.kind == "lost":
            high = sizes.disc * 0.8
            return self._pill(at, token.width(sizes.token * 0.8, high), high, edge, fill, 3.5) + draw_words(
                at, token.says, sizes.token * 0.8, LOST, heavy=True
            )
        wide = token.width(sizes.token, sizes.disc)
        ring = self._pill(at, wide + sizes.disc * 0.22, sizes.disc * 1.22, fill, edge, 2) if token.elite else ""
        if token.kind == "hatched":
            pill = self._hatched(at, wide, sizes.disc, fill)
            plain = self._pill(at, wide - sizes.disc * 0.62, sizes.disc - 6, fill, fill, 0)
            return ring + pill + plain + draw_words(at, token.says, sizes.token, ink, heavy=True)
        return (
            ring
            + self._pill(at, wide, sizes.disc, fill, edge, 3)
            + draw_words(at, token.says, sizes.token, ink, heavy=True)
        )

    def _hatched(self, at: Point, wide: float, high: float, fill: str) -> str:
        edge = self.colours["edge"]
        return self._pill(at, wide, high, fill, edge, 3) + self._pill(at, wide, high, "url(#coexists)", edge, 3)

    def _pill(self, at: Point, wide: float, high: float, fill: str, edge: str, line: float) -> str:
        x, y = at
        return (
            f'<rect x="{x - wide / 2:.1f}" y="{y - high / 2:.1f}" width="{wide:.1f}" height="{high:.1f}" '
            f'rx="{high / 2:.1f}" fill="{fill}" stroke="{edge}" stroke-width="{line:g}"/>'
        )

    def patterns(self) -> str:
        stripe = self.sizes.disc / 5
        return (
            f'<defs><pattern id="coexists" width="{stripe:g}" height="{stripe:g}" patternUnits="userSpaceOnUse" '
            f'patternTransform="rotate(45)"><rect width="{stripe / 2.6:.1f}" height="{stripe:g}" '
            f'fill="{self.colours["edge"]}"/></pattern></defs>'
        )

    def seat(self, faction: Faction, at: Point, far: float) -> str:
        fill, ink = self.board.factions[faction]
        return (
            f'<circle cx="{at[0]:.1f}" cy="{at[1]:.1f}" r="{far:.1f}" fill="{fill}" '
            f'stroke="{self.colours["border"]}" stroke-width="2"/>'
            + draw_words(at, faction_letter(faction), far * 1.35, ink, heavy=True)
        )

    def in_legend(self, what: str, at: Point) -> str:
        x, y = at
        size, colours = self.sizes.legend, self.colours
        far = size * 0.55
        match what:
            case "spice":
                corners = " ".join(
                    f"{x + dx:.1f},{y + dy:.1f}" for dx, dy in ((0, -far), (far, 0), (0, far), (-far, 0))
                )
                return f'<polygon points="{corners}" fill="{colours["spice"]}"/>'
            case "storm":
                return (
                    f'<rect x="{x - far:.1f}" y="{y - far:.1f}" width="{2 * far:.1f}" height="{2 * far:.1f}" '
                    f'fill="{colours["storm"]}" fill-opacity="{STORM}"/>'
                )
            case "move" | "shipment":
                dotted = what == "shipment"
                dots = f' stroke-dasharray="0 {size * 0.3:.1f}" stroke-linecap="round"' if dotted else ""
                return (
                    f'<path d="M{x - size * 0.7:.1f} {y:.1f}H{x + size * 0.4:.1f}" stroke="{colours["words"]}" '
                    f'stroke-width="{size * (0.2 if dotted else 0.14):.1f}"{dots}/>'
                    + arrow_head((x + size * 0.8, y), 0.0, size * 0.55, colours["words"], "")
                )
            case "elite" | "coexisting" | "advisors" | "lost":
                return self._example(what, at)
        return self.seat(as_faction(what), at, size * 0.62)

    def _example(self, what: str, at: Point) -> str:
        high, edge, line = self.sizes.legend * 0.85, self.colours["edge"], self.colours["border"]
        if what == "lost":
            return self._pill(at, high * 1.5, high, edge, line, 3) + draw_words(at, "−1", high * 0.75, LOST, heavy=True)
        if what == "elite":
            outer = self._pill(at, high * 1.6, high * 1.25, line, edge, 2)
            return outer + self._pill(at, high * 1.3, high, line, edge, 3)
        return self._hatched(at, high * 1.5, high, self.board.factions["bene-gesserit"][0])


def _diamond(at: Point, far: float) -> str:
    x, y = at
    return " ".join(f"{x + dx:.1f},{y + dy:.1f}" for dx, dy in ((0, -far), (far, 0), (0, far), (-far, 0)))


def faction_letter(faction: str) -> str:
    return printed_name(faction)[0]


def arrow_head(tip: Point, turn: float, long: float, colour: str, edge: str) -> str:
    x, y = tip
    corners = [(x - long * math.cos(turn + side), y - long * math.sin(turn + side)) for side in (0.45, -0.45)]
    points = " ".join(f"{u:.1f},{v:.1f}" for u, v in ((x, y), *corners))
    around = f' stroke="{edge}" stroke-width="2"' if edge else ""
    return f'<polygon points="{points}" fill="{colour}"{around}/>'
