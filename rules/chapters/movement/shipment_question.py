"""What is asked about a shipment: the shipper what goes where, the allies what they help to pay."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from rules.chapters.movement import allies_together, entering, fares, shipment_rules
from rules.chapters.movement.slot import slot_of
from rules.components import Faction, Forces, board
from rules.components.board import STRONGHOLDS, TERRITORIES, Area
from rules.decisions.catalogue import factions_with, rules_of
from rules.decisions.faction_rules import FactionRules
from rules.decisions.question import Question
from rules.orders import NoShipment, Order, Ship, Support
from rules.rulesets.refusal import Refusal
from rules.state.game import Game

POLAR_SINK = board.territory_of(board.POLAR_SINK)


class ShipmentQuestion(Question):
    """What do you ship, and where to?"""

    kind = "shipment"

    def refusal(self, order: Order) -> Refusal | None:
        return shipment_rules.refusal(self.game, self.faction, order)

    @classmethod
    def refusal_ahead(cls, game: Game, faction: Faction, order: Order) -> Refusal | None:
        if slot_of(game).is_past(faction, "shipment"):
            return Refusal("You make one shipment a turn; its time has passed.", "shipment.one-a-turn")
        return shipment_rules.refusal_ahead(game, faction, order) if isinstance(order, Ship) else None

    @property
    def default(self) -> Order:
        return NoShipment()

    def samples(self) -> Sequence[Order]:
        return shipments_worth_it(self.game, self.faction)

    @property
    def facts(self) -> Mapping[str, Any]:
        player = self.game.player(self.faction)
        return {
            "reserves": str(player.reserves),
            "spice": player.spice,
            "half_price": fares.guild_terms(self.game, self.faction),
            "anywhere": shipment_rules.lands_anywhere(self.game, self.faction),
            "returns": shipment_rules.goes_back(self.game, self.faction),
            "allies": shipment_rules.allies(self.game, self.faction),
        }


class ShipmentSupportQuestion(Question):
    """How much of your spice may your ally spend on the shipment?"""

    kind = "ally-support"
    beside = True
    leads_on = True

    def __init__(self, game: Game, faction: Faction, shipper: Faction) -> None:
        super().__init__(game, faction, subject=shipper)
        self._shipper = shipper

    @property
    def _spice(self) -> int:
        return self.game.player(self.faction).spice

    def refusal(self, order: Order) -> Refusal | None:
        if not isinstance(order, Support) or 0 <= order.amount <= self._spice:
            return None
        return Refusal(f"You have {self._spice} spice to help with.", "shipment.allies-help-to-pay")

    @classmethod
    def refusal_ahead(cls, game: Game, faction: Faction, order: Order) -> Refusal | None:
        allies = shipment_rules.allies(game, faction)
        if not allies:
            return Refusal("You have no ally to help with a shipment.", "shipment.allies-help-to-pay")
        if all(slot_of(game).is_past(ally, "shipment") for ally in allies):
            return Refusal("Your ally's shipment of this turn is over.", "shipment.allies-help-to-pay")
        return None

    @property
    def default(self) -> Order:
        return Support(0)

    def samples(self) -> Sequence[Order]:
        return [Support(amount) for amount in sorted({0, (self._spice + 1) // 2, self._spice})]

    @property
    def facts(self) -> Mapping[str, Any]:
        return {"buyer": self._shipper, "purpose": "shipment", "spice": self._spice}


# --- What might be a good idea ---------------------------------------------------------------------------------------


def shipments_worth_it(game: Game, mover: Faction) -> list[Order]:
    """No shipment, and some that are legal: as many tokens as can be paid, or half of that, to places worth it."""
    reserves, spice = game.player(mover).reserves, shipment_rules.means(game, mover)
    closed, guild = entering.no_goals(game, mover), fares.guild_terms(game, mover)
    found: list[Order] = [NoShipment()]
    for target in _targets(game, mover) if reserves else ():
        order = Ship(reserves, None, target)
        if shipment_rules.refuse_storm(game, mover, order):
            continue
        most = shipment_rules.affordable(game, mover, order, spice)
        if most:
            sketches = [order if most == reserves.total else Ship(_some(reserves, most), None, target)]
            sketches += [Ship(_some(reserves, most // 2), None, target)] if most > 3 else []
            barred = board.territory_of(target) in closed
            found += [one for one in sketches if not barred or not allies_together.lands_on_its_way(game, mover, one)]
    if guild:
        found += [order for order in _across(game, mover) if shipment_rules.refusal(game, mover, order) is None]
    return found


def _targets(game: Game, mover: Faction) -> Iterator[Area]:
    """Strongholds, where spice lies, the Polar Sink, as far as the faction may land there; and where it is at home."""
    rules, guild = rules_of(game, mover), fares.guild_terms(game, mover)
    one = Forces(1)
    some_land_alone = factions_with(game, FactionRules.landing_refusal)

    def within_reach(area: Area) -> bool:
        if some_land_alone and shipment_rules.lands_at_anothers(game, mover, board.territory_of(area)):
            return False
        return rules.shipping_refusal(game, Ship(one, None, area), on_guild_terms=guild) is None

    for territory in (*game.strongholds(), POLAR_SINK):
        if within_reach(TERRITORIES[territory].areas[0]):
            yield TERRITORIES[territory].areas[0]
    for area in sorted(game.state.spice):
        if within_reach(area):
            yield area
    for territory in rules.home_landing:
        yield from TERRITORIES[territory].areas


def _across(game: Game, mover: Faction) -> Iterator[Ship]:
    groups = sorted(game.state.areas_of(mover), key=lambda group: -group[1].total)[:2]
    for source, forces in groups:
        yield Ship(forces, source, None)
        for territory in STRONGHOLDS:
            yield Ship(forces, source, TERRITORIES[territory].areas[0])


def _some(forces: Forces, number: int) -> Forces:
    """So many of the tokens, elite ones last."""
    ordinary = min(forces.ordinary, number)
    return Forces(ordinary, number - ordinary)
