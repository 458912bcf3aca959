"""The parts of the board's picture: the look that the reader has chosen, the map, the tokens and other symbols.

The map (the "ground") is our own drawing, from `data/board-geometry.toml`. Sectors are wedges around the Polar Sink,
and areas touch wherever they are adjacent in the game. The map is the same in every game except for the Shield Wall, so
it is drawn only once.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from typing import TYPE_CHECKING, Literal, NamedTuple
from xml.sax.saxutils import escape

from bot.wording.filters import name as printed_name
from rules.components import Faction, as_faction
from rules.components.board import POLAR_SINK, SECTORS, TERRITORIES, Area, next_sector, sector_of, territory_of
from rules.components.facts import data_file, load_toml

if TYPE_CHECKING:
    from PIL import ImageFont


class Sizes(NamedTuple):
    token: float
    disc: float
    name: float
    sector: float
    legend: float
    arrow: float
    pixels: int

    def smaller(self, part: float) -> Sizes:
        return self._replace(token=self.token * part, disc=self.disc * part, arrow=self.arrow * part)


@dataclass(frozen=True, slots=True)
class Look:
    all_names: bool = False
    dark: bool = False
    page: bool = False

    @classmethod
    def of(cls, text: str) -> Look:
        """Parse a look from its stored words.

        >>> Look.of("names dark"), Look.of("")
        (Look(all_names=True, dark=True, page=False), Look(all_names=False, dark=False, page=False))
        """
        return cls("names" in text.split(), "dark" in text.split())

    def but(self, text: str) -> Look:
        """Return the look changed by these words: `names` or `codes`, `dark` or `light`."""
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


PHONE_SIZES = Sizes(token=33, disc=47, name=26, sector=24, legend=28, arrow=5, pixels=700)
SIZES_WITH_NAMES = Sizes(token=20, disc=29, name=16, sector=16, legend=18, arrow=3.5, pixels=760)
USUAL_LOOK = Look()
PAGE_LOOK = Look(page=True)


SIZE = 1000  # width of the drawing in its own units
RADIUS = 418
RIM = 452  # where the ring with the sectors' numbers ends
CENTRE = (SIZE / 2, 498.0)
FONT = "fonts/DejaVuSansCondensed.ttf"
FONTS = "DejaVu Sans Condensed, Arial, Helvetica, sans-serif"  # used if the reader's machine renders the text
MEASURED = 64  # the size at which the font is measured

Point = tuple[float, float]
Shade = Literal["light", "dark", "page"]
"""The colours of the picture: light, dark, or, for a page of the archive, CSS variables ("page")."""


@dataclass(frozen=True, slots=True)
class Geometry:
    """The map from the data file. A point is [around, out]: the distance along the storm's path, and the distance from
    the centre. `colours` are listed by shade and then by use."""

    polar_sink: float
    begin: float
    bend: float
    widths: Sequence[float]
    areas: Mapping[Area, Sequence[Point]]
    tokens: Mapping[Area, Point]
    colours: Mapping[Shade, Mapping[str, str]]
    factions: Mapping[Faction, tuple[str, str]]

    def angle(self, around: float) -> float:
        """Return the direction of a place on the storm's path as seen from the centre, in degrees counterclockwise from
        east."""
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

    def outline(self, area: Area) -> Sequence[Point]:
        if area == POLAR_SINK:
            return self._bent([(sector, self.polar_sink) for sector in range(1, SECTORS + 2)])
        points = self.areas.get(area, ())
        return self._bent([*points, points[0]]) if points else ()

    def path(self, area: Area) -> str:
        return "M" + "L".join(f"{x:.1f} {y:.1f}" for x, y in self.outline(area)) + "Z"

    def line(self, points: Sequence[Point]) -> str:
        return "M" + "L".join(f"{x:.1f} {y:.1f}" for x, y in self._bent(points))

    def _bent(self, points: Sequence[Point]) -> Sequence[Point]:
        bent: list[Point] = [self.place(*points[0])]
        for (around, out), (around_next, out_next) in pairwise(points):
            pieces = max(1, math.ceil(abs(self.angle(around_next) - self.angle(around)) / 3))
            for step in range(1, pieces + 1):
                part = step / pieces
                bent.append(self.place(around + (around_next - around) * part, out + (out_next - out) * part))
        return bent


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
    line = f'stroke="{colours["border"]}" stroke-width'
    parts = [f'<circle cx="{x}" cy="{y}" r="{RIM}" fill="{colours["paper"]}" {line}="3"/>']
    traces: list[str] = []
    for area in board.areas:
        territory = territory_of(area)
        fill = colours[TERRITORIES[territory].kind]
        if territory == "shield-wall" and not shield_wall:
            fill = colours["sand"]
        parts.append(f'<path d="{board.path(area)}" fill="{fill}" {line}="2" stroke-linejoin="round"/>')
        traces += _inner_border(board, area, fill, colours["border"])
    parts += traces
    far = RADIUS * (board.polar_sink / 100) ** board.bend
    parts.append(
        f'<circle cx="{x}" cy="{y}" r="{far:.1f}" fill="{colours["polar-sink"]}" {line}="2"/>'
        f'<circle cx="{x}" cy="{y}" r="{RADIUS}" fill="none" {line}="4"/>'
    )
    for sector in range(1, SECTORS + 1):
        parts.append(draw_words(sector_place(sector), str(sector), sector_size, colours["sector"]))
    return "".join(parts)


def sector_place(sector: int) -> Point:
    return geometry().place(sector + 0.5, 104.6)


def draw_words(at: Point, text: str, size: float, colour: str, halo: str = "", *, heavy: bool = False) -> str:
    """Draw words centred on a point. A halo sets them off from lines beneath them; `heavy` is for numbers."""
    around = f' stroke="{colour}" stroke-width="{size / 22:.1f}"' if heavy else ""
    if halo:
        around = f' stroke="{halo}" stroke-width="{size / 4:g}" stroke-linejoin="round" paint-order="stroke"'
    return (
        f'<text x="{at[0]:.1f}" y="{at[1] + size * 0.36:.1f}" font-size="{size:g}" text-anchor="middle" '
        f'fill="{colour}"{around}>{escape(text)}</text>'
    )


def _inner_border(board: Geometry, area: Area, fill: str, line: str) -> Iterable[str]:
    if path := inner_border(board, area):
        yield f'<path d="{path}" stroke="{fill}" stroke-width="3" fill="none"/>'
        yield f'<path d="{path}" stroke="{line}" stroke-opacity="0.55" stroke-width="1" fill="none"/>'


def inner_border(board: Geometry, area: Area) -> str:
    """Return the path along which an area touches the area of the same territory in the next sector, or "" if there is
    none."""
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


TokenKind = Literal["disc", "hatched", "empty", "spice"]


@dataclass(frozen=True, slots=True)
class Token:
    """A disc or ring in the picture, which represents tokens, spice or an empty stronghold. It has an owner and a
    label. `elite` is true if some of the tokens are elite."""

    kind: TokenKind
    owner: str
    says: str
    elite: bool = False


def arrangements(tokens: Sequence[Token]) -> list[Sequence[Sequence[Token]]]:
    return [
        [tokens[start : start + across] for start in range(0, len(tokens), across)]
        for across in range(1, max(4, math.ceil(len(tokens) / 4)) + 1)
        if across <= len(tokens) <= 4 * across
    ]


@cache
def width_of(text: str, size: float) -> float:
    return _font().getlength(text) * size / MEASURED


@cache
def _font() -> ImageFont.FreeTypeFont:
    from PIL import ImageFont

    return ImageFont.truetype(str(data_file(FONT)), MEASURED, layout_engine=ImageFont.Layout.BASIC)


STORM = 0.42  # opacity of the storm
HELD = 0.5  # opacity of an area's tint


class Signs:
    def __init__(self, look: Look, sizes: Sizes | None = None) -> None:
        self.board = geometry()
        self.sizes = sizes or look.sizes
        self.colours = self.board.colours[look.shade]

    def size(self, token: Token) -> Point:
        high = self.sizes.disc
        if token.kind in ("spice", "empty"):
            return (high * 1.25, high * 1.25) if token.kind == "spice" else (high, high)
        wide = max(high, width_of(token.says, self.sizes.token) + high * (0.95 if token.kind == "hatched" else 0.5))
        return (wide + high * 0.22, high * 1.22) if token.elite else (wide, high)

    def token(self, token: Token, at: Point) -> str:
        sizes, edge = self.sizes, self.colours["edge"]
        if token.kind == "empty":
            return self.empty(at, sizes.disc * 0.4)
        if token.kind == "spice":
            return (
                f'<polygon points="{_diamond(at, sizes.disc * 0.61)}" fill="{self.colours["spice"]}" stroke="{edge}" '
                'stroke-width="2.5"/>' + draw_words(at, token.says, sizes.token * 0.86, edge, heavy=True)
            )
        fill, ink = self.board.factions[as_faction(token.owner)]
        wide, high = self.size(token)
        ring = ""
        if token.elite:
            ring = self._pill(at, wide, high, fill, edge, 2)
            wide, high = wide - sizes.disc * 0.22, sizes.disc
        if token.kind == "hatched":
            pill = self._hatched(at, wide, high, fill)
            plain = self._pill(at, wide - high * 0.62, high - 6, fill, fill, 0)
            return ring + pill + plain + draw_words(at, token.says, sizes.token, ink, heavy=True)
        pill = self._pill(at, wide, high, fill, edge, 2.5)
        return ring + pill + draw_words(at, token.says, sizes.token, ink, heavy=True)

    def empty(self, at: Point, far: float) -> str:
        return (
            f'<circle cx="{at[0]:.1f}" cy="{at[1]:.1f}" r="{far:.1f}" fill="none" stroke="{self.colours["on-dark"]}" '
            f'stroke-width="{far * 0.2:.1f}" stroke-dasharray="{far * 0.52:.1f}"/>'
        )

    def held(self, area: Area, owners: Sequence[Faction]) -> str:
        colours, path = [self.board.factions[faction][0] for faction in owners], self.board.path(area)
        fill = f'fill="{colours[0]}" fill-opacity="{HELD:g}"' if len(owners) == 1 else 'fill="none"'
        line = 'stroke-width="4" stroke-linejoin="round"'
        parts = [f'<path d="{path}" {fill} stroke="{colours[0]}" {line}/>']
        if len(owners) > 1:
            parts.append(f'<path d="{path}" fill="none" stroke="{colours[1]}" {line} stroke-dasharray="14"/>')
        return "".join(parts)

    def _hatched(self, at: Point, wide: float, high: float, fill: str) -> str:
        edge = self.colours["edge"]
        return self._pill(at, wide, high, fill, edge, 2.5) + self._pill(at, wide, high, "url(#coexists)", edge, 2.5)

    def _pill(self, at: Point, wide: float, high: float, fill: str, edge: str, line: float) -> str:
        x, y = at
        return (
            f'<rect x="{x - wide / 2:.1f}" y="{y - high / 2:.1f}" width="{wide:.1f}" height="{high:.1f}" '
            f'rx="{high / 2:.1f}" fill="{fill}" stroke="{edge}" stroke-width="{line:g}"/>'
        )

    def patterns(self) -> str:
        stripe = self.sizes.disc / 5
        return "".join(
            f'<pattern id="{name}" width="{wide:g}" height="{wide:g}" patternUnits="userSpaceOnUse" '
            f'patternTransform="rotate({turn})"><rect width="{line:.1f}" height="{wide:g}" fill="{colour}"/></pattern>'
            for name, wide, line, turn, colour in (
                ("coexists", stripe, stripe / 2.6, 45, self.colours["edge"]),
                ("storm-lines", 16, 3, -45, self.colours["storm"]),
            )
        ).join(("<defs>", "</defs>"))

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
                return f'<polygon points="{_diamond(at, far * 1.1)}" fill="{colours["spice"]}"/>'
            case "storm":
                return (
                    f'<rect x="{x - far:.1f}" y="{y - far:.1f}" width="{2 * far:.1f}" height="{2 * far:.1f}" '
                    f'fill="{colours["storm"]}" fill-opacity="{STORM}" stroke="{colours["storm"]}" stroke-width="2"/>'
                )
            case "move" | "shipment":
                dotted = what == "shipment"
                dots = f' stroke-dasharray="0 {size * 0.3:.1f}" stroke-linecap="round"' if dotted else ""
                return (
                    f'<path d="M{x - size * 0.7:.1f} {y:.1f}H{x + size * 0.4:.1f}" stroke="{colours["words"]}" '
                    f'stroke-width="{size * (0.2 if dotted else 0.14):.1f}"{dots}/>'
                    + arrow_head((x + size * 0.8, y), 0.0, size * 0.55, colours["words"], "")
                )
            case "empty":
                return (
                    f'<rect x="{x - far:.1f}" y="{y - far:.1f}" width="{2 * far:.1f}" height="{2 * far:.1f}" rx="3" '
                    f'fill="{colours["stronghold"]}"/>' + self.empty(at, far * 0.68)
                )
            case "elite" | "coexisting" | "advisors":
                high, edge, line = size * 0.85, colours["edge"], colours["border"]
                if what != "elite":
                    return self._hatched(at, high * 1.5, high, self.board.factions["bene-gesserit"][0])
                outer = self._pill(at, high * 1.6, high * 1.25, line, edge, 2)
                return outer + self._pill(at, high * 1.3, high, line, edge, 3)
        if what in self.board.factions:
            return self.seat(as_faction(what), at, size * 0.62)
        return draw_words(at, what, size * 0.86, colours["words"], heavy=True)


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
