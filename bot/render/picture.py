"""The board as a picture: SVG drawn from the view and from the latest changes, and converted to PNG.

The map (`bot.render.board`) carries the storm, the spice and each faction's tokens, placed by `bot.render.placement`.
An area is tinted in the colour of the faction that occupies it. A disc shows its owner's letter and the number of its
tokens ("E 10+5"), with a ring around it for elite tokens; it is hatched where the Bene Gesserit coexist. Arrows show
the moves since the reader's last letter; dotted arrows are shipments. An arc shows the path of the storm.

The picture is drawn in one of four *looks*: legible at 350 pixels or with all names, each in light or dark. It is
transparent outside the board. Mentat ships the font, so that the same version of the renderer always draws the same
position with the same bytes.
"""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Iterator, Mapping, Sequence
from functools import cache, lru_cache
from io import BytesIO
from types import MappingProxyType
from typing import Any, NamedTuple
from xml.sax.saxutils import escape

import resvg_py
from PIL import Image

from bot.effort import better_outside
from bot.render.board import (
    CENTRE,
    FONT,
    FONTS,
    PAGE_LOOK,
    SIZE,
    STORM,
    USUAL_LOOK,
    Look,
    Point,
    Signs,
    Token,
    TokenKind,
    arrangements,
    arrow_head,
    draw_ground,
    draw_words,
    faction_letter,
    geometry,
    sector_place,
    width_of,
)
from bot.render.news import NO_CHANGES, Changes, Journey
from bot.render.placement import CODE, LINE, NO_NAME, Name, Piece, Spot, TerritoryNames, place, territory_names
from bot.wording import say
from bot.wording.filters import name
from rules.components import Faction, Forces, as_faction
from rules.components.board import (
    MOBILE_STRONGHOLD,
    PRINTED_AREAS,
    PRINTED_TERRITORIES,
    SECTORS,
    STRONGHOLDS,
    TERRITORIES,
    Area,
    sector_of,
    territory_of,
)
from rules.components.facts import data_file

SWEPT = 0.1  # opacity of the storm's track
COLOURS = 80  # in a PNG, which then needs a fifth of the bytes of full colour
GAP = 3.0  # between tokens of an area
CROWDED = ((34, 1.0), (46, 0.85), (64, 0.7), (math.inf, 0.56))  # the size of discs for up to this many tokens
EVERYTHING_ON_THE_BOARD = ("turn", "storm", "shield_wall", "forces", "spice", "coexisting")


def board_digest(view: Mapping[str, Any]) -> str:
    there = {what: view.get(what) for what in EVERYTHING_ON_THE_BOARD if what != "turn"}
    told = json.dumps(there | ({"hms": view["hms"]} if "hms" in view else {}), sort_keys=True)
    return hashlib.sha256(told.encode()).hexdigest()[:16]


def picture(view: Mapping[str, Any], changed: Changes = NO_CHANGES, look: Look = USUAL_LOOK) -> bytes:
    drawn = overlay(view, changed, look)
    return better_outside(("picture", drawn, view["shield_wall"], look), lambda: _png(drawn, view["shield_wall"], look))


def svg(view: Mapping[str, Any], changed: Changes = NO_CHANGES, look: Look = USUAL_LOOK) -> str:
    over = overlay(view, changed, look)
    ground = draw_ground(view["shield_wall"], look.shade, look.sizes.sector)
    return _as_svg(over.height, over.patterns, ground, over.pieces, over.legend)


def _as_svg(height: int, *parts: str) -> str:
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {SIZE} {height}" width="{SIZE}" height="{height}" '
        f'font-family="DejaVu Sans" font-stretch="condensed">{"".join(parts)}</svg>'
    )


class Overlay(NamedTuple):
    """Everything on the map, as SVG to be laid over the map's picture (`ground_of_pages`). `patterns` are the fills
    that it uses. The `pieces` end at the height `bottom`, and the `legend` below them ends at `height`."""

    patterns: str
    pieces: str
    legend: str
    bottom: int
    height: int


def overlay(view: Mapping[str, Any], changed: Changes = NO_CHANGES, look: Look = PAGE_LOOK) -> Overlay:
    return Drawing(view, changed, look).overlay()


def style_of_pages(root: str) -> str:
    light, dark = (
        ";".join(f"--b-{use}:{colour}" for use, colour in geometry().colours[shade].items())
        for shade in ("light", "dark")
    )
    return f"{root}{{{light}}}@media screen and (prefers-color-scheme:dark){{{root}{{{dark}}}}}"


def ground_of_pages(shield_wall: bool, look: Look = PAGE_LOOK) -> str:
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {SIZE} {SIZE}" width="{SIZE}" height="{SIZE}" '
        f'font-family="{FONTS}"><style>{style_of_pages("svg")}</style>'
        f"{draw_ground(shield_wall, look.shade, look.sizes.sector)}</svg>"
    )


class Drawing:
    def __init__(
        self, view: Mapping[str, Any], changed: Changes, look: Look, before: Mapping[Piece, Spot] = MappingProxyType({})
    ) -> None:
        self.view, self.changed, self.look = view, changed, look
        self.board = geometry()
        self.sizes = look.sizes
        self.colours = self.board.colours[look.shade]
        self.tokens = {area: tokens for area in (*PRINTED_AREAS, MOBILE_STRONGHOLD) if (tokens := self._tokens(area))}
        many = sum(map(len, self.tokens.values()))
        self.signs = Signs(look, self.sizes.smaller(next(part for most, part in CROWDED if many <= most)))
        self.pieces = {piece.area: piece for area in self.tokens for piece in self._piece(area)}
        pieces = list(self.pieces.values())
        self.spots, self.written = place(pieces, self._printed(), self._other_names(), before)
        self.journeys = self.changed.journeys if self._door() else tuple(filter(_is_printed, self.changed.journeys))

    def overlay(self) -> Overlay:
        lowest = max([SIZE - 6.0, *(spot.card[1] + spot.card[3] for spot in self.spots.values() if spot.card)])
        bottom = math.ceil(lowest) + 6
        legend, height = self._legend(bottom)
        pieces = "".join(
            part
            for parts in (self._held(), self._storm(), self._journeys(), self._names(), self._seats(), self._cards())
            for part in parts
        )
        tokens = "".join(part for area in self.spots for part in self._drawn(area))
        return Overlay(self.signs.patterns(), pieces + tokens, "".join(legend), bottom, math.ceil(height))

    # --- pieces on the board ---------------------------------------------------------------------------------------

    def _tokens(self, area: Area) -> list[Token]:
        if area == MOBILE_STRONGHOLD and not self._door():
            return []
        coexists = territory_of(area) in self.view.get("coexisting", ())
        found = []
        for faction, forces in self.view["forces"].get(area, {}).items():
            kind: TokenKind = "hatched" if coexists and faction == "bene-gesserit" else "disc"
            elite = Forces.parse(forces).elite > 0
            found.append(Token(kind, faction, f"{faction_letter(faction)} {forces}", elite))
        if spice := self.view["spice"].get(area, 0):
            found.append(Token("spice", "spice", str(spice)))
        if not found and (territory_of(area) in STRONGHOLDS or area == MOBILE_STRONGHOLD):
            found.append(Token("empty", "", ""))
        return found

    def _door(self) -> Area | None:
        there: Mapping[str, Any] = self.view.get("hms") or {}
        return there.get("at")

    def _piece(self, area: Area) -> Iterator[Piece]:
        """Yield the piece of an area. Only the piece of a territory's first area shows the territory's name; if a piece
        becomes a card, the card always shows it."""
        tokens, territory = self.tokens[area], territory_of(area)
        names = territory_names(territory, self.sizes.name)
        first = next(each for each in self.tokens if territory_of(each) == territory)
        bodies = tuple((wide + GAP, high + GAP) for wide, high in (self._arranged(r)[0] for r in arrangements(tokens)))
        home = self._door() if area == MOBILE_STRONGHOLD else area
        assert home is not None, "a mobile stronghold that points nowhere has no tokens in the picture"
        yield Piece(area, home, bodies, names if area == first else (NO_NAME,), names[:-1])

    def _arranged(self, rows: Sequence[Sequence[Token]]) -> tuple[Point, list[tuple[Token, Point]]]:
        sizes = [[self.signs.size(token) for token in row] for row in rows]
        wide = max(sum(size[0] for size in row) + GAP * (len(row) - 1) for row in sizes)
        high = sum(max(size[1] for size in row) for row in sizes) + GAP * (len(rows) - 1)
        placed, top = [], -high / 2
        for row, measured in zip(rows, sizes, strict=True):
            left, tall = -(sum(size[0] for size in measured) + GAP * (len(row) - 1)) / 2, max(s[1] for s in measured)
            for token, (long, _) in zip(row, measured, strict=True):
                placed.append((token, (left + long / 2, top + tall / 2)))
                left += long + GAP
            top += tall + GAP
        return (wide, high), placed

    def _printed(self) -> list[tuple[Point, Point]]:
        number = (self.sizes.sector * 1.3, self.sizes.sector)
        found = [(sector_place(sector), number) for sector in range(1, SECTORS + 1)]
        return found + [(at, (2 * far + 4, 2 * far + 4)) for _, at, far in self._seated()]

    def _other_names(self) -> list[TerritoryNames]:
        if not self.look.all_names:
            return []
        named = {territory_of(area) for area in self.tokens}
        return [(one, territory_names(one, self.sizes.name)[:-1]) for one in PRINTED_TERRITORIES if one not in named]

    # --- drawing ---------------------------------------------------------------------------------------------------

    def _held(self) -> Iterator[str]:
        for area in PRINTED_AREAS:
            discs = [token for token in self.tokens.get(area, ()) if token.owner and token.kind in ("disc", "hatched")]
            owners = [token for token in discs if token.kind == "disc"] or discs
            if owners:
                yield self.signs.held(area, [as_faction(token.owner) for token in owners])

    def _cards(self) -> Iterator[str]:
        line, edge = self.sizes.arrow, self.colours["paper"]
        for area, spot in self.spots.items():
            if spot.card is None:
                continue
            left, top, wide, high = spot.card
            mobile = area == MOBILE_STRONGHOLD
            u, v = self._before(self.pieces[area].home, spot.at, spot.dot) if mobile else spot.dot
            x, y = min(max(u, left), left + wide), min(max(v, top), top + high)
            fill = self.colours["stronghold" if mobile else "paper"]
            ink = fill if mobile else self.colours["words"]
            for colour, broad in ((edge, line * 1.6), (ink, line * (1 if mobile else 0.5))):
                yield f'<path d="M{x:.1f} {y:.1f}L{u:.1f} {v:.1f}" stroke="{colour}" stroke-width="{broad:.1f}"/>'
            if mobile:
                yield arrow_head((u, v), math.atan2(v - y, u - x), line * 4, fill, edge)
            else:
                yield f'<circle cx="{u:.1f}" cy="{v:.1f}" r="{line * 1.2:.1f}" fill="{ink}" stroke="{edge}"/>'
            yield (
                f'<rect x="{left:.1f}" y="{top:.1f}" width="{wide:.1f}" height="{high:.1f}" rx="8" fill="{fill}" '
                f'stroke="{edge if mobile else self.colours["border"]}" stroke-width="2.5"/>'
            )

    def _drawn(self, area: Area) -> Iterator[str]:
        spot = self.spots[area]
        for token, at in self.placed_tokens(area):
            yield self.signs.token(token, at)
        ink = self.colours["on-dark" if area == MOBILE_STRONGHOLD else "words"]
        yield from self._lines(spot.name, spot.name_at, ink, "" if spot.card else self.colours["sand"])

    def placed_tokens(self, area: Area) -> Iterator[tuple[Token, Point]]:
        spot, (x, y) = self.spots[area], self.spots[area].at
        for token, (across, down) in self._arranged(arrangements(self.tokens[area])[spot.arrangement])[1]:
            yield token, (x + across, y + down)

    def _names(self) -> Iterator[str]:
        for written, at in self.written:
            yield from self._lines(written, at, self.colours["sector"], self.colours["sand"])

    def _lines(self, written: Name, at: Point, ink: str, halo: str) -> Iterator[str]:
        size = self.sizes.name
        for number, line in enumerate(written.lines):
            down = (number - (len(written.lines) - 1) / 2) * size * LINE
            yield draw_words((at[0], at[1] + down), line, size, ink, halo)

    # --- moves -----------------------------------------------------------------------------------------------------

    def _journeys(self) -> Iterator[str]:
        arriving: dict[Area | None, int] = {}
        for journey in self.journeys:
            nth = arriving[journey.target] = arriving.get(journey.target, -1) + 1
            yield self._arrow(journey, nth)

    def _arrow(self, journey: Journey, nth: int) -> str:
        begin = self._end(journey.source, journey.target, nth)
        end = self._end(journey.target, journey.source, nth)
        x, y = begin
        u, v = end
        far = math.dist(begin, end) or 1.0
        bend = 0.14 * far * (1 if nth % 2 == 0 else -1) if journey.source and journey.target else 0.0
        p, q = (x + u) / 2 - (v - y) / far * bend, (y + v) / 2 + (u - x) / far * bend
        u, v = self._before(journey.target, (p, q), end)
        colour = self.board.factions[journey.faction][0]
        line = self.sizes.arrow
        path = f"M{x:.1f} {y:.1f}Q{p:.1f} {q:.1f} {u:.1f} {v:.1f}"
        dots = f'stroke-dasharray="0 {line * 2.2:.1f}" ' if journey.shipped else ""
        return (
            f'<path d="{path}" fill="none" stroke="{self.colours["edge"]}" stroke-width="{line * 1.9:.1f}" {dots}'
            f'stroke-linecap="round"/><path d="{path}" fill="none" stroke="{colour}" '
            f'stroke-width="{line * (1.3 if journey.shipped else 1):.1f}" {dots}stroke-linecap="round"/>'
            + arrow_head((u, v), math.atan2(v - q, u - p), line * 3.4, colour, self.colours["edge"])
        )

    def _end(self, area: Area | None, other: Area | None, nth: int) -> Point:
        if area is not None:
            spot = self.spots.get(area)
            return self.board.middle(area) if spot is None else spot.dot if spot.card else spot.at
        beside = self._door() if other == MOBILE_STRONGHOLD else other
        around, out = self.board.tokens[beside] if beside else (1.5, 50)
        if beside is None or sector_of(beside) is None:
            around = 7.0 + nth  # the Polar Sink lies in no sector: start where there is room
        return self.board.place(around + 0.28 * (nth % 3 - 1) * (1 if out > 50 else 0.6), 107)

    def _before(self, area: Area | None, control: Point, end: Point) -> Point:
        spot = self.spots.get(area) if area else None
        if area is None or spot is None:
            return end
        across, down = control[0] - end[0], control[1] - end[1]
        wide, high = self.pieces[area].bodies[spot.arrangement] if spot.card is None else (0, 0)
        wide, high = wide / 2 + 7, high / 2 + 7
        part = min(wide / abs(across) if across else 9.0, high / abs(down) if down else 9.0, 1.0)
        return end[0] + across * part, end[1] + down * part

    # --- the storm, the seats ----------------------------------------------------------------------------------------

    def _storm(self) -> Iterator[str]:
        board, sector, colour = self.board, self.view["storm"], self.colours["storm"]
        low, start, came = board.polar_sink, self.changed.storm_start, self.changed.storm_sectors
        if came:
            swept = board.line(((start, low), (start, 100), (start + came, 100), (start + came, low), (start, low)))
            yield f'<path d="{swept}Z" fill="{colour}" fill-opacity="{SWEPT}"/>'
        wedge = board.line(((sector, low), (sector, 109), (sector + 1, 109), (sector + 1, low), (sector, low)))
        yield f'<path d="{wedge}Z" fill="{colour}" fill-opacity="{STORM}" stroke="{colour}" stroke-width="3"/>'
        yield f'<path d="{wedge}Z" fill="url(#storm-lines)"/>'
        yield draw_words(sector_place(sector), str(sector), self.sizes.sector, self.colours["words"], heavy=True)
        if came:
            end = start + came - 0.06
            way = board.line(((start + 0.5, 100), (end, 100)))
            yield f'<path d="{way}" fill="none" stroke="{colour}" stroke-width="{self.sizes.arrow * 1.5:g}"/>'
            at, ahead = board.place(end, 100), board.place(end + 0.1, 100)
            yield arrow_head(ahead, math.atan2(ahead[1] - at[1], ahead[0] - at[0]), self.sizes.arrow * 4, colour, "")

    def _seats(self) -> Iterator[str]:
        return (self.signs.seat(faction, at, far) for faction, at, far in self._seated())

    def _seated(self) -> Iterator[tuple[Faction, Point, float]]:
        far = self.sizes.sector * 0.72
        reach = SIZE / 2 - far - 6
        for faction, player in self.view["players"].items():
            turn = math.radians(self.board.angle(player["dot"] + 0.5))
            yield faction, (CENTRE[0] + reach * math.cos(turn), CENTRE[1] - reach * math.sin(turn)), far

    # --- the legend --------------------------------------------------------------------------------------------------

    def _legend(self, top: float) -> tuple[list[str], float]:
        size, ink = self.sizes.legend, self.colours["words"]
        x, y, parts = 24.0, top + size * 1.1, []
        factions: list[tuple[str, str]] = [(faction, name(faction)) for faction in self.view["players"]]
        for what, label in (*factions, *self._signs(), *self._codes()):
            sign = max(size * 1.8, width_of(what, size) if what.isupper() else 0)
            wide = sign + size * 0.6 + width_of(label, size)
            if x > 24 and x + wide > SIZE:
                x, y = 24.0, y + size * 1.45
            parts.append(self.signs.in_legend(what, (x + sign / 2 - size * 0.15, y)))
            at = f'x="{x + sign:.1f}" y="{y + size * 0.36:.1f}"'
            parts.append(f'<text {at} font-size="{size:g}" fill="{ink}">{escape(label)}</text>')
            x += wide
        bottom = y + size
        panel = (
            f'<rect x="6" y="{top:.1f}" width="{SIZE - 12}" height="{bottom - top:.1f}" rx="14" '
            f'fill="{self.colours["paper"]}" stroke="{self.colours["border"]}" stroke-width="2"/>'
        )
        return [panel, *parts], bottom + 6

    def _codes(self) -> list[tuple[str, str]]:
        coded = (territory_of(area) for area, spot in self.spots.items() if spot.name.cost >= CODE)
        return [(TERRITORIES[one].abbreviation, TERRITORIES[one].name) for one in dict.fromkeys(coded)]

    def _signs(self) -> list[tuple[str, str]]:
        tokens = [token for lying in self.tokens.values() for token in lying]
        kinds, shipped = {token.kind for token in tokens}, {journey.shipped for journey in self.journeys}
        here = {
            "spice": "spice" in kinds,
            "storm": True,
            "empty": "empty" in kinds,
            "elite": any(token.elite for token in tokens),
            "advisors" if self.view.get("advisors") else "coexisting": "hatched" in kinds,
            "move": False in shipped,
            "shipment": True in shipped,
        }
        return [(what, say(f"picture.{what}")) for what, drawn in here.items() if drawn]


def _is_printed(journey: Journey) -> bool:
    return MOBILE_STRONGHOLD not in (journey.source, journey.target)


# --- from drawing to PNG -------------------------------------------------------------------------------------------


@lru_cache(maxsize=128)
def _png(over: Overlay, shield_wall: bool, look: Look) -> bytes:
    full = _drawn(_as_svg(over.height, over.patterns, over.pieces, over.legend), look.sizes.pixels)
    ground = _ground(shield_wall, look)
    full.alpha_composite(Image.alpha_composite(ground, full.crop((0, 0, *ground.size))))
    made = BytesIO()
    full.quantize(COLOURS, method=Image.Quantize.FASTOCTREE, dither=Image.Dither.NONE).save(made, "PNG")
    return made.getvalue()


@cache
def _ground(shield_wall: bool, look: Look) -> Image.Image:
    return _drawn(_as_svg(SIZE, draw_ground(shield_wall, look.shade, look.sizes.sector)), look.sizes.pixels)


def _drawn(drawing: str, pixels: int) -> Image.Image:
    drawn = resvg_py.svg_to_bytes(
        svg_string=drawing, width=pixels, skip_system_fonts=True, font_files=[str(data_file(FONT))]
    )
    with Image.open(BytesIO(drawn)) as full:
        return full.convert("RGBA")
