"""Orders of the set-up, of the storm, and of the spice blow with its worms and the nexus."""

from __future__ import annotations

from rules.components import Faction, Forces, Leader
from rules.components.board import Area, TerritoryId
from rules.orders.order import Order

# --- setup -----------------------------------------------------------------------------------------------------------


class Predict(Order, frozen=True):
    """``predict FACTION turn N``"""

    faction: Faction
    turn: int


class ChooseTraitor(Order, frozen=True):
    """``traitor LEADER``"""

    leader: Leader


class Place(Order, frozen=True):
    """``place FORCES in AREA[, FORCES in AREA …]``"""

    groups: tuple[tuple[Forces, Area], ...]


# --- storm -----------------------------------------------------------------------------------------------------------


class StormDial(Order, frozen=True):
    """``storm N``"""

    number: int


class WeatherControl(Order, frozen=True):
    """``weather control N``"""

    sectors: int


class FamilyAtomics(Order, frozen=True):
    """``family atomics``"""


class NoStormCards(Order, frozen=True):
    """``no storm cards``: nothing to play at this storm."""


# --- spice and nexus -------------------------------------------------------------------------------------------------


class PlaceWorm(Order, frozen=True):
    """``worm TERRITORY``: where an additional worm appears."""

    territory: TerritoryId


class Ride(Order, frozen=True):
    """``ride FORCES from AREA to AREA``"""

    forces: Forces
    source: Area
    target: Area


class NoRide(Order, frozen=True):
    """``no ride``"""


class SpareAlly(Order, frozen=True):
    """``spare ally``: the worm eats no tokens of allies."""


class FeedAlly(Order, frozen=True):
    """``feed ally``: the worm eats tokens of allies too."""


class Ally(Order, frozen=True):
    """``ally FACTION``"""

    faction: Faction


class BreakAlliance(Order, frozen=True):
    """``break alliance``"""


class EndGame(Order, frozen=True):
    """``end the game``: who has won shares it."""


class PlayOn(Order, frozen=True):
    """``play on [with N]``: another full turn, where all agree, for N points instead of the usual number."""

    number: int | None = None


class NoAlliance(Order, frozen=True):
    """``no alliance``: no change; an alliance that stands goes on."""
