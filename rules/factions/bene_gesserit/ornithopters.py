"""Ornithopters where tokens of the Bene Gesserit stand apart from others, or have just ceased to (AH.XV.B.4-e,
VACA.IX.C.2.a.i.b, VACA.XV.B.2, WBC.XV.23 to 24).

Tokens that stand apart never bring ornithopters. What the documents differ in is whether a city brings them in the turn
in which its tokens leave the coexistence in which the last turn ended, and whether tokens that stand apart may use
those that others of theirs bring.
"""

from __future__ import annotations

from collections.abc import Callable

from rules.components.board import TerritoryId
from rules.factions.bene_gesserit.presence import PRESUMED_APART
from rules.rulesets.options import Option
from rules.state.game import Game


def _not_this_turn(game: Game, city: TerritoryId) -> bool:
    return city not in game.state.coexisted


def _if_alone(game: Game, city: TerritoryId) -> bool:
    """Only tokens that are alone in the city, or beside others with no presumption that they coexist: else they coexist
    until they declare otherwise, which is only in the movement round (VACA.XV.B.2)."""
    return len(game.state.forces_in(city)) == 1 or not (PRESUMED_APART(game.rules) or city in game.state.coexisted)


def _at_once(game: Game, city: TerritoryId) -> bool:
    return True


AFTER_COEXISTENCE: Option[Callable[[Game, TerritoryId], bool]] = Option(
    "ornithopter_after_leaving_coexistence", {"no": _not_this_turn, "if_alone": _if_alone, "yes": _at_once}
)
THOSE_APART_FLY = Option("bg_coexisting_may_fly", {"no": False, "yes": True})


def flies_at_once(game: Game, city: TerritoryId) -> bool:
    """Whether the city brings ornithopters this turn, as far as coexistence before it goes."""
    return AFTER_COEXISTENCE(game.rules)(game, city)


OPTIONS = (AFTER_COEXISTENCE, THOSE_APART_FLY)
