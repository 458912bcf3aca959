"""An additional worm of a blow: the Fremen send it to any territory (AH.SHIELD.FRE.6-a, WBC.VII.3)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rules.chapters.spice_blow import worms
from rules.components import Faction, board
from rules.components.board import POLAR_SINK, TERRITORIES, territory_of
from rules.decisions.asking import ask
from rules.decisions.catalogue import rules_of
from rules.decisions.question import Flow, Question
from rules.orders import Order, PlaceWorm
from rules.rulesets.refusal import Refusal
from rules.state.game import Game
from rules.state.moments import WormMoment

COMMAND_WORMS = Refusal("Only the Fremen command worms.", "spice-blow.riding")


def place(game: Game, faction: Faction, worm: WormMoment) -> Flow:
    """Ask where the worm appears, as long as no Karama has taken it from them."""

    def build() -> list[Question]:
        return [] if faction in worm.unprotected else [WormPlacementQuestion(game, faction, worm)]

    if faction in worm.unprotected:
        return
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
        return _place_refusal(order)

    @classmethod
    def refusal_ahead(cls, game: Game, faction: Faction, order: Order) -> Refusal | None:
        if not rules_of(game, faction).commands_worms(game):
            return cls.only_refusal
        if worms.EXTRA_WORMS_IGNORED(game.rules):
            return Refusal("Additional worms are ignored.", "spice-blow.extra-worms")
        return worms.none_to_come(game) or _place_refusal(order)

    @property
    def default(self) -> PlaceWorm:
        return PlaceWorm(self._worm.beneath or board.territory_of(POLAR_SINK))

    def samples(self) -> list[PlaceWorm]:
        state = self.game.state
        tempting = [territory_of(area) for area in (*sorted(state.spice), *sorted(state.forces))]
        return [PlaceWorm(territory) for territory in dict.fromkeys([self.default.territory, *tempting])]

    @property
    def facts(self) -> Mapping[str, Any]:
        return {"beneath": self._worm.beneath}


def _place_refusal(order: Order) -> Refusal | None:
    """Any territory will do."""
    if isinstance(order, PlaceWorm) and order.territory in TERRITORIES:
        return None
    return Refusal("Name the territory in which the worm appears.", "spice-blow.placing-worms")


QUESTIONS: tuple[type[Question], ...] = (WormPlacementQuestion,)
