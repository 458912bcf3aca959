"""Pictures of the board as they should be drawn: the files in ``golden/`` that end in ``.svg``, an element a line.

``python -m tests.reports.golden_pictures`` writes them anew when the drawing was changed on purpose: look at them in a
browser. What is the same in each, the ground, stands in ``ground.svg`` alone; a line shows where it lies.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from bot.render.board import PAGE_LOOK, Look, draw_ground
from bot.render.material import News
from bot.render.news import Changes, Journey, changes
from bot.render.picture import overlay, svg
from rules.components.board import MOBILE_STRONGHOLD, Area
from tests.reports.positions import VIEW

GOLDEN = Path(__file__).parent / "golden"
NAMED = Look(all_names=True, dark=True)

CROWDED: dict[str, Any] = {
    **VIEW,
    "storm": 17,
    "shield_wall": False,
    "players": {**VIEW["players"], "bene-gesserit": {"dot": 8}, "ixians": {"dot": 14}},
    "forces": {
        "polar-sink": {"guild": "12", "bene-gesserit": "3", "emperor": "10+5", "atreides": "1"},
        "arrakeen/10": {"atreides": "9", "bene-gesserit": "2", "harkonnen": "14"},
        "imperial-basin/9": {"emperor": "7"}, "imperial-basin/10": {"emperor": "0+2"},
        "imperial-basin/11": {"harkonnen": "11"}, "carthag/11": {"harkonnen": "10", "emperor": "8+2"},
        "arsunt/11": {"emperor": "5"}, "hole-in-the-rock/9": {"atreides": "4"}, "old-gap/9": {"atreides": "1"},
        "tueks-sietch/5": {"guild": "20"}, "false-wall-east/5": {"guild": "1"}, "rock-outcroppings/13": {"ixians": "3"},
        "wind-pass-north/17": {"guild": "2"}, "cielago-west/18": {"guild": "2"}, "meridian/1": {"guild": "3"},
        MOBILE_STRONGHOLD: {"ixians": "3+3"},
    },
    "spice": {"old-gap/10": 6, "red-chasm/7": 8, "cielago-north/3": 12, "funeral-plain/15": 0},
    "coexisting": ["arrakeen"],
    "hms": {"at": "red-chasm/7"},
}  # fmt: skip
"""A board on which much lies close together, with something of everything that can be drawn."""


def told(kind: str, **facts: Any) -> News:
    return News(4, "movement", kind, facts, {})


CHANGED = changes([
    told("storm-moved", start=14, sectors=3, storm=17),
    told("shipment", faction="emperor", source=None, target="carthag/11", forces="5"),
    told("shipment", faction="harkonnen", source=None, target="carthag/11", forces="5"),
    told("shipment", faction="guild", source=None, target="polar-sink", forces="5"),
    told("shipment", faction="guild", source="tueks-sietch/5", target=None, forces="1"),
    told("shipment", faction="guild", source="polar-sink", target=None, forces="1"),
    told("shipment", faction="ixians", source=None, target=MOBILE_STRONGHOLD, forces="1"),
    told("advisor", area="polar-sink"),
    told("move", faction="atreides", source="arrakeen/10", target="old-gap/9", forces="1"),
    told("move", faction="harkonnen", source="carthag/11", target="imperial-basin/11", forces="1"),
    told("move", faction="emperor", source="arsunt/11", target="imperial-basin/11", forces="1"),
    told("move", faction="guild", source="polar-sink", target="sihaya-ridge/9", forces="1"),
    told("worm-ridden", source="funeral-plain/15", target="cielago-north/3"),
    told("tokens-lost", faction="emperor", forces="3+1", territory="carthag"),
    told("tokens-lost", faction="fremen", forces="12", territory="funeral-plain"),
    told("tokens-lost", faction="guild", forces="1", territory="old-gap"),
    told("tokens-lost", faction="fremen", forces="1", territory="red-chasm"),
    told("tokens-lost", faction="ixians", forces="2", territory="hidden-mobile-stronghold"),
])  # fmt: skip
ADVISORS: dict[str, Any] = {**CROWDED, "advisors": ["arrakeen"], "hms": {"at": "cielago-north/3"}}
TO_THE_SINK = Changes((Journey("guild", Area("meridian/1"), Area("polar-sink"), False),), storm_start=9)


def _page(view: Mapping[str, Any], changed: Changes) -> str:
    drawn = overlay(view, changed)
    return f"{drawn.patterns}{drawn.pieces}{drawn.legend}<!-- {drawn.height} high -->"


PICTURES: Mapping[str, Callable[[], str]] = {
    "ground.svg": lambda: draw_ground(True, "light", 27),
    "board-small.svg": lambda: svg(VIEW, changes([told("storm-moved", start=5, sectors=4, storm=9)])),
    "board-crowded.svg": lambda: svg(CROWDED, CHANGED),
    "board-named.svg": lambda: svg(ADVISORS, CHANGED, NAMED),
    "board-page.svg": lambda: _page(VIEW, TO_THE_SINK) + _page(ADVISORS, CHANGED),
}


def as_file(name: str) -> str:
    """A picture as it lies in a file."""
    drawn = PICTURES[name]()
    for wall in (True, False):
        for look in (Look(), NAMED, PAGE_LOOK):
            if name != "ground.svg":
                drawn = drawn.replace(draw_ground(wall, look.shade, look.sizes.sector), f"<!-- ground, wall {wall} -->")
    return drawn.replace("><", ">\n<") + "\n"


if __name__ == "__main__":
    for picture in PICTURES:
        (GOLDEN / picture).write_text(as_file(picture), encoding="utf-8")
