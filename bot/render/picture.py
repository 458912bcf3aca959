"""The board as a picture: SVG drawn from the view and from what has changed, made into a PNG.

On the ground (`bot.render.board`) lie the storm, the spice and each faction's tokens. A disc shows its owner by a
letter and its tokens by a number ("E 10+5"), with a ring around elite ones, hatched where Bene Gesserit coexists.
Arrows show who went where since the reader's last letter; dotted ones are shipments. Losses are shown beside what is
left, and an arc shows the path of the storm.

A picture is drawn in one of four *looks*: for a phone, legible at 350 pixels, with short codes for occupied places, or
with all names; on light paper or dark. The font is shipped (`data/fonts`), so the same position gives the same bytes
everywhere with the same version of the renderer.
"""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Iterator, Mapping, Sequence
from functools import cache, lru_cache
from io import BytesIO
from typing import Any, NamedTuple
from xml.sax.saxutils import escape

import resvg_py
from PIL import Image, ImageColor

from bot.effort import better_outside
from bot.render.board import (
    CENTRE,
    PAGE_LOOK,
    RADIUS,
    SIZE,
    STORM,
    USUAL_LOOK,
    Look,
    Point,
    Shade,
    Signs,
    Stack,
    Token,
    arrow_head,
    draw_ground,
    draw_names,
    draw_words,
    faction_letter,
    geometry,
    placed_names,
    spread_stacks,
    tokens_in_rows,
    width_of,
)
from bot.render.news import NO_CHANGES, Changes, Journey
from bot.wording import say
from bot.wording.filters import name
from rules.components import Forces
from rules.components.board import (
    MOBILE_STRONGHOLD,
    PRINTED_AREAS,
    STRONGHOLDS,
    TERRITORIES,
    Area,
    sector_of,
    territory_of,
)
from rules.components.facts import data_file

NAMES = 16.0  # height of the names of territories
SWEPT = 0.16  # opacity of the storm's track
FONT = "fonts/DejaVuSansCondensed.ttf"
EVERYTHING_ON_THE_BOARD = ("turn", "storm", "shield_wall", "forces", "spice", "coexisting")
BESIDE = 2.6  # distance of the mobile stronghold from the place it points at, in discs


def board_digest(view: Mapping[str, Any]) -> str:
    """Return a digest of everything on the board of this view; equal digests mean equal pictures."""
    there = {what: view.get(what) for what in EVERYTHING_ON_THE_BOARD if what != "turn"}
    told = json.dumps(there | ({"hms": view["hms"]} if "hms" in view else {}), sort_keys=True)
    return hashlib.sha256(told.encode()).hexdigest()[:16]


def picture(view: Mapping[str, Any], changed: Changes = NO_CHANGES, look: Look = USUAL_LOOK) -> bytes:
    drawing = svg(view, changed, look)
    return better_outside(("picture", drawing), lambda: _png(drawing, look.shade, look.sizes.pixels))


def svg(view: Mapping[str, Any], changed: Changes = NO_CHANGES, look: Look = USUAL_LOOK) -> str:
    return _Drawing(view, changed, look).drawn()


class Overlay(NamedTuple):
    """What lies on the ground, as SVG to lay over its picture (`ground_of_pages`).

    `patterns` are its fills. The `legend` below the `pieces` ends at `height`; without a legend that is `SIZE`.
    """

    patterns: str
    pieces: str
    legend: str
    height: int


def overlay(view: Mapping[str, Any], changed: Changes = NO_CHANGES, look: Look = PAGE_LOOK) -> Overlay:
    return _Drawing(view, changed, look).overlay()


def ground_of_pages(shield_wall: bool, look: Look = PAGE_LOOK) -> str:
    light, dark = (geometry().colours[shade] for shade in ("light", "dark"))
    variables = [";".join(f"--b-{use}:{colour}" for use, colour in colours.items()) for colours in (light, dark)]
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {SIZE} {SIZE}" width="{SIZE}" height="{SIZE}" '
        'font-family="DejaVu Sans, Verdana, sans-serif" font-stretch="condensed"><style>'
        f"svg{{{variables[0]}}}@media(prefers-color-scheme:dark){{svg{{{variables[1]}}}}}</style>"
        f"{draw_ground(shield_wall, look.shade, look.sizes.sector)}</svg>"
    )


class _Drawing:
    def __init__(self, view: Mapping[str, Any], changed: Changes, look: Look) -> None:
        self.view, self.changed, self.look = view, changed, look
        self.board = geometry()
        self.sizes = look.sizes
        self.signs = Signs(look)
        self.colours = self.board.colours[look.shade]
        self.stacks: dict[Area, Stack] = {}
        self.journeys = self.changed.journeys if self._door() else tuple(filter(_is_printed, self.changed.journeys))

    def drawn(self) -> str:
        self._stack()
        legend, height = self._legend(CENTRE[1] + SIZE / 2)
        parts = [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {SIZE} {height:.0f}" width="{SIZE}" '
            f'height="{height:.0f}" font-family="DejaVu Sans" font-stretch="condensed">',
            self.signs.patterns(),
            f'<rect width="{SIZE}" height="{height:.0f}" fill="{self.colours["paper"]}"/>',
            draw_ground(self.view["shield_wall"], self.look.shade, self.sizes.sector),
            *self._storm(),
            *self._seats(),
            *self._journeys(),
            draw_names(self.look.shade, NAMES) if self.look.all_names else "",
            *self._mobile_ground(),
            *(part for area, stack in self.stacks.items() for part in self._drawn_stack(area, stack)),
            *legend,
            "</svg>",
        ]
        return "".join(parts)

    def overlay(self) -> Overlay:
        self._stack()
        legend, height = self._legend(CENTRE[1] + SIZE / 2)
        pieces = [
            *self._storm(),
            *self._seats(),
            *self._journeys(),
            *self._mobile_ground(),
            *(part for area, stack in self.stacks.items() for part in self._drawn_stack(area, stack)),
        ]
        drawn = "".join(pieces)
        patterns = self.signs.patterns() if "url(#" in drawn + "".join(legend) else ""
        return Overlay(patterns, drawn, "".join(legend), math.ceil(height))

    # --- stacks ----------------------------------------------------------------------------------------------------

    def _stack(self) -> None:
        lost = self._lost()
        for area in PRINTED_AREAS:
            tokens = [*self._tokens(area), *lost.get(area, ())]
            if tokens or (territory_of(area) in STRONGHOLDS and not self.look.all_names):
                self.stacks[area] = self._made(area, tokens)
        if door := self._door():
            self.stacks[MOBILE_STRONGHOLD] = self._mobile(door, lost.get(MOBILE_STRONGHOLD, ()))
        spread_stacks(list(self.stacks.values()), (6, 6, SIZE - 6, CENTRE[1] + RADIUS * 1.05), self._written())

    def _door(self) -> Area | None:
        there: Mapping[str, Any] = self.view.get("hms") or {}
        return there.get("at")

    def _mobile(self, door: Area, lost: Sequence[Token]) -> Stack:
        """Place the Hidden Mobile Stronghold beside the area it points at, towards the rim or, near the rim, the
        middle."""
        made = self._made(MOBILE_STRONGHOLD, [*self._tokens(MOBILE_STRONGHOLD), *lost], self.board.middle(door))
        x, y = made.belongs
        across, down = x - CENTRE[0], y - CENTRE[1]
        far = math.hypot(across, down) or 1.0
        step = self.sizes.disc * BESIDE * (1 if far < RADIUS * 0.7 else -1)
        made.at = (x + (across / far or 0.6) * step, y + (down / far or -0.8) * step)
        made.width, made.height = max(made.width, self.sizes.disc) + 16, made.height + 12
        return made

    def _written(self) -> list[Stack]:
        """Return the names drawn on the ground as stacks, so that other stacks avoid them."""
        if not self.look.all_names:
            return []
        found = []
        for place, lines in placed_names():
            wide = max(width_of(line, NAMES) for line in lines) * 0.86
            found.append(Stack((), "", place, wide, len(lines) * NAMES, place))
        return found

    def _tokens(self, area: Area) -> Iterator[Token]:
        coexists = territory_of(area) in self.view.get("coexisting", ())
        for faction, forces in self.view["forces"].get(area, {}).items():
            hatched = coexists and faction == "bene-gesserit"
            elite = Forces.parse(forces).elite > 0
            yield Token("hatched" if hatched else "disc", faction, f"{faction_letter(faction)} {forces}", elite)
        if spice := self.view["spice"].get(area, 0):
            yield Token("spice", "spice", str(spice))

    def _lost(self) -> Mapping[Area, Sequence[Token]]:
        """Place losses beside what is left in their territory, or where something could stand."""
        found: dict[Area, list[Token]] = {}
        for (territory, faction), forces in self.changed.lost.items():
            areas = TERRITORIES[territory].areas
            occupied = [area for area in areas if self.view["forces"].get(area)]
            area = (occupied or [area for area in areas if self.view["spice"].get(area)] or areas)[0]
            found.setdefault(area, []).append(Token("lost", faction, f"{faction_letter(faction)} −{forces.total}"))
        return found

    def _made(self, area: Area, tokens: Sequence[Token], middle: Point | None = None) -> Stack:
        sizes = self.sizes
        widths = [self._width(token) for token in tokens]
        rows = tokens_in_rows(tokens, widths, sizes.row)
        shows_code = area == MOBILE_STRONGHOLD or not self.look.all_names
        code = TERRITORIES[territory_of(area)].abbreviation if shows_code else ""
        wide = max([sum(self._width(token) for token in row) for row in rows] + [width_of(code, sizes.code) * 1.06])
        high = sum(map(self._height, rows)) + (sizes.code if code else 0)
        x, y = middle or self.board.middle(area)
        return Stack(rows, code, (x, y), wide, high, (x, y + (sizes.code / 2 if code and rows else 0)))

    def _width(self, token: Token) -> float:
        part = 0.8 if token.kind == "lost" else 1.0
        around = self.sizes.disc * 0.22 if token.elite else 4.0
        return token.width(self.sizes.token * part, self.sizes.disc * part) + around

    def _height(self, row: Sequence[Token]) -> float:
        return self.sizes.disc * max(1.25 if token.kind == "spice" or token.elite else 1.08 for token in row)

    def _mobile_ground(self) -> Iterator[str]:
        stack = self.stacks.get(MOBILE_STRONGHOLD)
        if stack is None:
            return
        (x, y), (u, v) = stack.at, stack.belongs
        line, fill, edge = self.sizes.arrow, self.colours["stronghold"], self.colours["edge"]
        for colour, wide in ((edge, line * 2.2), (fill, line * 1.2)):
            yield f'<path d="M{x:.1f} {y:.1f}L{u:.1f} {v:.1f}" stroke="{colour}" stroke-width="{wide:.1f}"/>'
        yield arrow_head((u, v), math.atan2(v - y, u - x), line * 4, fill, edge)
        yield (
            f'<rect x="{x - stack.width / 2:.1f}" y="{y - stack.height / 2:.1f}" width="{stack.width:.1f}" '
            f'height="{stack.height:.1f}" rx="8" fill="{fill}" stroke="{edge}" stroke-width="3"/>'
        )

    def _drawn_stack(self, area: Area, stack: Stack) -> Iterator[str]:
        x, y = stack.at
        away = math.dist(stack.at, stack.belongs)
        mobile = area == MOBILE_STRONGHOLD
        if stack.rows and away > self.sizes.disc * 0.9 and not mobile:
            u, v = stack.belongs
            line = f'<path d="M{u:.1f} {v:.1f}L{x:.1f} {y:.1f}" stroke="{{}}" stroke-width="{{}}" fill="none"/>'
            yield line.format(self.colours["edge"], self.sizes.arrow)
            yield line.format(self.colours["words"], self.sizes.arrow / 3)
            yield f'<circle cx="{u:.1f}" cy="{v:.1f}" r="{self.sizes.arrow}" fill="{self.colours["words"]}"/>'
        top = y - stack.height / 2 + (6 if mobile else 0)
        for row in stack.rows:
            high = self._height(row)
            left = x - sum(self._width(token) for token in row) / 2
            for token in row:
                wide = self._width(token)
                yield self.signs.token(token, (left + wide / 2, top + high / 2))
                left += wide
            top += high
        if stack.code:
            at = (x, top + self.sizes.code * 0.5)
            ink, around = ("on-dark", "stronghold") if mobile else ("words", "sand")
            yield draw_words(at, stack.code, self.sizes.code, self.colours[ink], self.colours[around], heavy=True)

    # --- what moved ------------------------------------------------------------------------------------------------

    def _journeys(self) -> Iterator[str]:
        """Draw arrows in the order of the news; arrows to one place come from different sides."""
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
            return self.stacks[area].at if area in self.stacks else self.board.middle(area)
        beside = self._door() if other == MOBILE_STRONGHOLD else other
        around, out = self.board.tokens[beside] if beside else (1.5, 50)
        if beside is None or sector_of(beside) is None:
            around = 7.0 + nth  # the Polar Sink lies in no sector: start where there is room
        return self.board.place(around + 0.28 * (nth % 3 - 1) * (1 if out > 50 else 0.6), 107)

    def _before(self, area: Area | None, control: Point, end: Point) -> Point:
        stack = self.stacks.get(area) if area else None
        if stack is None:
            return end
        across, down = control[0] - end[0], control[1] - end[1]
        wide, high = stack.width / 2 + 7, stack.height / 2 + 7
        part = min(wide / abs(across) if across else 9.0, high / abs(down) if down else 9.0, 1.0)
        return end[0] + across * part, end[1] + down * part

    # --- the storm, the seats ----------------------------------------------------------------------------------------

    def _storm(self) -> Iterator[str]:
        board, sector, colour = self.board, self.view["storm"], self.colours["storm"]
        low, start, came = board.polar_sink, self.changed.storm_start, self.changed.storm_sectors
        if came:
            swept = board.line(((start, low), (start, 100), (start + came, 100), (start + came, low), (start, low)))
            yield f'<path d="{swept}Z" fill="{colour}" fill-opacity="{SWEPT}"/>'
        wedge = board.line(((sector, low), (sector, 108), (sector + 1, 108), (sector + 1, low), (sector, low)))
        yield f'<path d="{wedge}Z" fill="{colour}" fill-opacity="{STORM}" stroke="{colour}" stroke-width="3"/>'
        yield draw_words(
            board.place(sector + 0.5, 104.6), str(sector), self.sizes.sector, self.colours["words"], heavy=True
        )
        if came:
            end = start + came - 0.06
            way = board.line(((start + 0.5, 100), (end, 100)))
            yield f'<path d="{way}" fill="none" stroke="{colour}" stroke-width="{self.sizes.arrow * 1.5:g}"/>'
            at, ahead = board.place(end, 100), board.place(end + 0.1, 100)
            yield arrow_head(ahead, math.atan2(ahead[1] - at[1], ahead[0] - at[0]), self.sizes.arrow * 4, colour, "")

    def _seats(self) -> Iterator[str]:
        for faction, player in self.view["players"].items():
            far = self.sizes.sector * 0.66
            turn = math.radians(self.board.angle(player["dot"] + 0.5))
            reach = SIZE / 2 - far - 4
            at = (CENTRE[0] + reach * math.cos(turn), CENTRE[1] - reach * math.sin(turn))
            yield self.signs.seat(faction, at, far)

    # --- the legend --------------------------------------------------------------------------------------------------

    def _legend(self, top: float) -> tuple[list[str], float]:
        parts: list[str] = []
        size = self.sizes.legend
        step = size * 1.5
        y = top + step * 0.8
        factions: list[tuple[str, str]] = [(faction, name(faction)) for faction in self.view["players"]]
        for row in self._columns([*factions, *self._signs()], size):
            for x, (what, label) in row:
                parts.append(self.signs.in_legend(what, (x + size * 0.75, y)))
                at = f'x="{x + size * 1.75:.1f}" y="{y + size * 0.36:.1f}"'
                parts.append(f'<text {at} font-size="{size:g}" fill="{self.colours["words"]}">{escape(label)}</text>')
            y += step
        size *= 0.84
        for row in self._columns(self._codes(), size):
            for x, (code, label) in row:
                parts.append(draw_words((x + size * 1.35, y), code, size, self.colours["words"], heavy=True))
                at = f'x="{x + size * 2.95:.1f}" y="{y + size * 0.36:.1f}"'
                parts.append(f'<text {at} font-size="{size:g}" fill="{self.colours["words"]}">{escape(label)}</text>')
            y += size * 1.4
        return parts, y - step * 0.2

    def _codes(self) -> list[tuple[str, str]]:
        """Return the codes in this picture with their names, except strongholds, which every player knows."""
        coded = (territory_of(area) for area, stack in self.stacks.items() if stack.code)
        places = dict.fromkeys(place for place in coded if place not in STRONGHOLDS)
        return [(TERRITORIES[place].abbreviation, TERRITORIES[place].name) for place in places]

    def _columns(
        self, entries: Sequence[tuple[str, str]], size: float
    ) -> Iterator[list[tuple[float, tuple[str, str]]]]:
        wide = max((width_of(label, size) for _, label in entries), default=0) * 0.86 + size * 2.6
        most = max(1, int((SIZE - 20) // wide))
        for start in range(0, len(entries), most):
            yield [
                (14 + number * (SIZE - 20) / most, entry) for number, entry in enumerate(entries[start : start + most])
            ]

    def _signs(self) -> Iterator[tuple[str, str]]:
        kinds = {token.kind for stack in self.stacks.values() for row in stack.rows for token in row}
        elite = any(token.elite for stack in self.stacks.values() for row in stack.rows for token in row)
        shipped = {journey.shipped for journey in self.journeys}
        here = {
            "spice": "spice" in kinds,
            "storm": True,
            "elite": elite,
            "advisors" if self.view.get("advisors") else "coexisting": "hatched" in kinds,
            "move": False in shipped,
            "shipment": True in shipped,
            "lost": "lost" in kinds,
        }
        return ((what, say(f"picture.{what}")) for what, drawn in here.items() if drawn)


def _is_printed(journey: Journey) -> bool:
    """Does the journey avoid the Hidden Mobile Stronghold, which has no fixed place on the ground?"""
    return MOBILE_STRONGHOLD not in (journey.source, journey.target)


# --- from drawing to PNG -------------------------------------------------------------------------------------------


@lru_cache(maxsize=128)
def _png(drawing: str, shade: Shade, pixels: int) -> bytes:
    drawn = resvg_py.svg_to_bytes(
        svg_string=drawing, width=pixels, skip_system_fonts=True, font_files=[str(data_file(FONT))]
    )
    with Image.open(BytesIO(drawn)) as full:
        few = full.convert("RGB").quantize(palette=_palette(shade), dither=Image.Dither.NONE)
    made = BytesIO()
    few.save(made, "PNG", optimize=True)
    return made.getvalue()


@cache
def _palette(shade: Shade) -> Image.Image:
    """Return the colours of the drawing and the blends of adjacent ones: a fifth of the bytes of full colour."""
    board = geometry()
    colours = {key: ImageColor.getrgb(value)[:3] for key, value in board.colours[shade].items()}
    discs = [ImageColor.getrgb(disc)[:3] for disc, _ in board.factions.values()]
    inks = [ImageColor.getrgb(ink)[:3] for _, ink in board.factions.values()]
    grounds = [colours[kind] for kind in ("sand", "rock", "stronghold", "polar-sink", "paper")]
    swept = [_between(one, colours["storm"], SWEPT) for one in grounds]
    stormy = [_between(one, colours["storm"], STORM) for one in grounds]
    marks = [colours[one] for one in ("words", "edge", "spice", "storm")]
    chosen = [*colours.values(), *discs, *inks, *grounds, *swept, *stormy]
    pairs = [(one, other) for one in (colours["words"], colours["edge"]) for other in (*grounds, *stormy[:2], *discs)]
    pairs += [(colours["border"], other) for other in (*grounds, *stormy[:1])]
    pairs += [*zip(inks, discs, strict=True), *((colours["edge"], mark) for mark in marks)]
    pairs += [(disc, colours["edge"]) for disc in discs]
    for one, other in pairs:
        chosen += [_between(one, other, part) for part in (1 / 3, 2 / 3)]
    image = Image.new("P", (1, 1))
    image.putpalette([value for colour in list(dict.fromkeys(chosen))[:256] for value in colour])
    return image


def _between(one: tuple[int, ...], other: tuple[int, ...], part: float) -> tuple[int, ...]:
    return tuple(round(a + (b - a) * part) for a, b in zip(one, other, strict=True))
