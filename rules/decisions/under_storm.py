"""What lies under the storm: an area in its sector, and the Hidden Mobile Stronghold while it points at one.

Where the storm lies on the sector that the stronghold points at, nobody enters or leaves it, nothing is shipped into
it, and nobody fights inside (IT.HMS.22); the tokens inside live, as in every stronghold (IT.HMS.23).
"""

from __future__ import annotations

from rules.components.board import MOBILE_STRONGHOLD, Area, sector_of
from rules.rulesets.options import Option
from rules.state.game import Game

SHARES_THE_SECTOR = Option("hms_storm_sector", {"pointed_sector": True, "none": False})
"""Whether the storm over the sector that the Hidden Mobile Stronghold points at closes the stronghold too."""

OPTIONS = (SHARES_THE_SECTOR,)


def in_storm(game: Game, area: Area) -> bool:
    """Whether the area lies under the storm."""
    if area == MOBILE_STRONGHOLD:
        door = game.state.door
        return door is not None and SHARES_THE_SECTOR(game.rules) and sector_of(door) == game.state.storm
    return sector_of(area) == game.state.storm
