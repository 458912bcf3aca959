"""An additional worm of a blow: the Fremen send it to any territory, in 2019 to any in the sand (AH.SHIELD.FRE.6-a,
WBC.VII.3, FAQ.DIFF.8)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rules.chapters.spice_blow import worms
from rules.components import Faction, board
from rules.components.board import POLAR_SINK, TERRITORIES, TerritoryId, territory_of
from rules.decisions.asking import ask
from rules.decisions.catalogue import rules_of
from rules.decisions.question import Flow, Question
from rules.orders import Order, PlaceWorm
from rules.rulesets.options import Option
from rules.rulesets.refusal import Refusal
from rules.state.game import Game
from rules.state.moments import WormMoment

TO_SAND_ONLY = Option("extra_worms", {"ignored": False, "fremen_any_territory": False, "fremen_sand_only": True})
COMMAND_WORMS = Refusal("Only the Fremen command worms.", "spice-blow.riding")


def place(game: Game, faction: Faction, worm: WormMoment) -> Flow:
    """Ask where the worm appears, as long as no Karama has taken it from them."""

    def build() -> list[Question]:
        return [] if faction in worm.unprotected else [WormPlacementQuestion(game, faction, worm)]

    answers = yield from ask(build)
    order = answers.of(faction)
    if isinstance(order, PlaceWorm):
        worm.territory = order.territory
        game.tell("worm-placed", territory=order.territory)


class WormPlacementQuestion(Question):
    """Where does the worm appear? Of silent players it appears where it would without them."""

    kind = "worm-placement"
    only_refusal = COMMAND_WORMS

    def __init__(self, game: Game, faction: Faction, worm: WormMoment) -> None:
        super().__init__(game, faction)
        self._worm = worm

    def refusal(self, order: Order) -> Refusal | None:
        return _place_refusal(self.game, order)

    @classmethod
    def refusal_ahead(cls, game: Game, faction: Faction, order: Order) -> Refusal | None:
        if not rules_of(game, faction).commands_worms(game):
            return cls.only_refusal
        if worms.EXTRA_WORMS_IGNORED(game.rules)(True):
            return Refusal("Additional worms are ignored.", "spice-blow.extra-worms")
        return worms.none_to_come(game) or _place_refusal(game, order)

    @property
    def default(self) -> PlaceWorm:
        return PlaceWorm(self._worm.beneath or _where_nothing_is(self.game))

    def samples(self) -> list[PlaceWorm]:
        state = self.game.state
        tempting = [territory_of(area) for area in (*sorted(state.spice), *sorted(state.forces))]
        orders = [PlaceWorm(territory) for territory in dict.fromkeys([self.default.territory, *tempting])]
        return [order for order in orders if self.refusal(order) is None]

    @property
    def facts(self) -> Mapping[str, Any]:
        return {
            "otherwise": self.default.territory,
            "beneath": self._worm.beneath,
            "sand": TO_SAND_ONLY(self.game.rules),
        }


def _where_nothing_is(game: Game) -> TerritoryId:
    """Where a worm of silent players does no harm: in the Polar Sink, or in sand without spice and tokens."""
    if not TO_SAND_ONLY(game.rules):
        return board.territory_of(POLAR_SINK)
    sand = [territory for territory, facts in TERRITORIES.items() if facts.kind == "sand"]
    taken = {territory_of(area) for area in (*game.state.spice, *game.state.forces)}
    return next((territory for territory in sand if territory not in taken), sand[0])


def _place_refusal(game: Game, order: Order) -> Refusal | None:
    """Any territory will do, or any in the sand."""
    if not isinstance(order, PlaceWorm) or order.territory not in TERRITORIES:
        return Refusal("Name the territory in which the worm appears.", "spice-blow.placing-worms")
    if TO_SAND_ONLY(game.rules) and TERRITORIES[order.territory].kind != "sand":
        name = TERRITORIES[order.territory].name
        return Refusal(f"{name} is no sand; an additional worm goes to sand only.", "spice-blow.worms-to-sand")
    return None


OPTIONS = (TO_SAND_ONLY,)


QUESTIONS: tuple[type[Question], ...] = (WormPlacementQuestion,)
