"""The board of the stepper: the ground, drawn once in colours that the page's style sets, and where things lie on it.

The script of the page draws the tokens. Colours are names ("sand") for which the style has a value in light and in
dark, so that the page follows its reader.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

from markupsafe import Markup

from bot.reports.discs import discs
from bot.reports.ground import CENTRE, RADIUS, SIZE, Shade, geometry, inner_border
from rules.components.board import DOTS, PRINTED_AREAS, SECTORS, STRONGHOLDS, TERRITORIES, territory_of

SHIELD_WALL = "shield-wall"
_DECIMAL = re.compile(r"(\d+)\.(\d)")


@cache
def ground() -> Markup:
    """Areas by kind, traces of sectors within territories, the Polar Sink, the rim, the numbers of the sectors."""
    board = geometry()
    areas: dict[str, list[str]] = {}
    traces: dict[str, list[str]] = {}
    for area, points in board.areas.items():
        territory = territory_of(area)
        kind = SHIELD_WALL if territory == SHIELD_WALL else TERRITORIES[territory].kind
        areas.setdefault(kind, []).append(board.line((*points, points[0])) + "Z")
        if trace := inner_border(board, area):
            traces.setdefault(kind, []).append(trace)
    far = RADIUS * (board.polar_sink / 100) ** board.bend
    x, y = CENTRE
    parts = [f'<path class="{kind}" d="{_rounded(areas[kind])}"/>' for kind in areas]
    parts += [f'<path class="over {kind}" d="{_rounded(traces[kind])}"/>' for kind in traces]
    parts.append(f'<path class="trace" d="{_rounded([path for kind in traces for path in traces[kind]])}"/>')
    parts.append(f'<circle class="polar-sink" cx="{x:g}" cy="{y:g}" r="{far:.0f}"/>')
    parts.append(f'<circle class="rim" cx="{x:g}" cy="{y:g}" r="{RADIUS}"/>')
    for sector in range(1, SECTORS + 1):
        u, v = board.place(sector + 0.5, 104.6)
        parts.append(f'<text class="sector" x="{u:.0f}" y="{v + 9:.0f}">{sector}</text>')
    return Markup("".join(parts))


def places() -> dict[str, Any]:
    """What the script needs to draw: the middle and the code of each area, strongholds, wedges of the storm, seats."""
    board = geometry()
    low = board.polar_sink
    return {
        "size": SIZE,
        "areas": {
            area: [*(round(value) for value in board.middle(area)), TERRITORIES[territory_of(area)].abbreviation]
            for area in PRINTED_AREAS
        },
        "strongholds": [area for area in PRINTED_AREAS if territory_of(area) in STRONGHOLDS],
        "storm": [
            _rounded([board.line(((sector, low), (sector, 108), (sector + 1, 108), (sector + 1, low), (sector, low)))])
            for sector in range(1, SECTORS + 1)
        ],
        "dots": {dot: _seat(board.angle(dot + 0.5)) for dot in DOTS},
        "discs": {faction: [disc.letter, disc.ground, disc.ink] for faction, disc in discs().items()},
    }


def colours() -> Mapping[Shade, Mapping[str, str]]:
    """The colours of the ground and of what lies on it, by shade and name."""
    return geometry().colours


def _seat(angle: float) -> list[int]:
    turn, reach = math.radians(angle), SIZE / 2 - 22
    return [round(CENTRE[0] + reach * math.cos(turn)), round(CENTRE[1] - reach * math.sin(turn))]


def _rounded(paths: Sequence[str]) -> str:
    """Paths as one, in whole units."""
    return _DECIMAL.sub(lambda found: str(round(float(found[0]))), "".join(paths))
