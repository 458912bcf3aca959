"""The signs of the board's picture: discs, diamonds, hatching, heads of arrows; each by itself, as SVG."""

from __future__ import annotations

import math

from bot.reports.ground import Point, geometry, words
from bot.reports.look import Look
from bot.reports.stacks import Token
from bot.wording.filters import name
from rules.components import Faction, as_faction

STORM = 0.45  # how much of the ground the storm hides
LOST = "#221b12"  # what is written on the edge's colour


class Signs:
    """Signs as one look wants them."""

    def __init__(self, look: Look) -> None:
        self.board = geometry()
        self.sizes = look.sizes
        self.colours = self.board.colours[look.shade]

    def token(self, token: Token, at: Point) -> str:
        """A disc, a diamond of spice, or what was lost."""
        sizes, edge = self.sizes, self.colours["edge"]
        if token.kind == "spice":
            far = sizes.disc * 0.62
            corners = _diamond(at, far)
            return (
                f'<polygon points="{corners}" fill="{self.colours["spice"]}" stroke="{edge}" stroke-width="3"/>'
                + words(at, token.says, sizes.token * 0.86, edge, heavy=True)
            )
        fill, ink = self.board.factions[as_faction(token.owner)]
        if token.kind == "lost":
            high = sizes.disc * 0.8
            return self._pill(at, token.width(sizes.token * 0.8, high), high, edge, fill, 3.5) + words(
                at, token.says, sizes.token * 0.8, LOST, heavy=True
            )
        wide = token.width(sizes.token, sizes.disc)
        ring = self._pill(at, wide + sizes.disc * 0.22, sizes.disc * 1.22, fill, edge, 2) if token.elite else ""
        if token.kind == "hatched":
            pill = self._hatched(at, wide, sizes.disc, fill)
            plain = self._pill(at, wide - sizes.disc * 0.62, sizes.disc - 6, fill, fill, 0)
            return ring + pill + plain + words(at, token.says, sizes.token, ink, heavy=True)
        return (
            ring + self._pill(at, wide, sizes.disc, fill, edge, 3) + words(at, token.says, sizes.token, ink, heavy=True)
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
            + words(at, letter(faction), far * 1.35, ink, heavy=True)
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
                    + head((x + size * 0.8, y), 0.0, size * 0.55, colours["words"], "")
                )
            case "elite" | "coexisting" | "advisors" | "lost":
                return self._example(what, at)
        return self.seat(as_faction(what), at, size * 0.62)

    def _example(self, what: str, at: Point) -> str:
        """A disc as small as the words beside it."""
        high, edge, line = self.sizes.legend * 0.85, self.colours["edge"], self.colours["border"]
        if what == "lost":
            return self._pill(at, high * 1.5, high, edge, line, 3) + words(at, "−1", high * 0.75, LOST, heavy=True)
        if what == "elite":
            outer = self._pill(at, high * 1.6, high * 1.25, line, edge, 2)
            return outer + self._pill(at, high * 1.3, high, line, edge, 3)
        return self._hatched(at, high * 1.5, high, self.board.factions["bene-gesserit"][0])


def _diamond(at: Point, far: float) -> str:
    x, y = at
    return " ".join(f"{x + dx:.1f},{y + dy:.1f}" for dx, dy in ((0, -far), (far, 0), (0, far), (-far, 0)))


def letter(faction: str) -> str:
    """What stands for a faction on its discs."""
    return name(faction)[0]


def head(tip: Point, turn: float, long: float, colour: str, edge: str) -> str:
    """The head of an arrow."""
    x, y = tip
    corners = [(x - long * math.cos(turn + side), y - long * math.sin(turn + side)) for side in (0.45, -0.45)]
    points = " ".join(f"{u:.1f},{v:.1f}" for u, v in ((x, y), *corners))
    around = f' stroke="{edge}" stroke-width="2"' if edge else ""
    return f'<polygon points="{points}" fill="{colour}"{around}/>'
