"""Support lent to an ally: full strength in battle without spice (WBC.HR.6b and c).

The Fremen fight at full strength without spice and may let their ally do so. It is a switch that stays as it was put
last, and it is public before plans are made; the Fremen are asked in every battle of their ally.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from rules.chapters.battle.question import BattleQuestion
from rules.components import Faction, faction_name
from rules.decisions.asking import Answers
from rules.decisions.catalogue import rules_of
from rules.decisions.question import Question
from rules.orders import FremenSupport, Order
from rules.rulesets.refusal import Refusal
from rules.state.game import Game
from rules.state.moments import BattleMoment


def lenders(game: Game, battle: BattleMoment) -> list[tuple[Faction, Faction]]:
    """Who decides in this battle about support for an ally, and for which."""
    return [
        (faction, fighter)
        for fighter in battle.sides
        for faction in game.state.ally_group(fighter)
        if faction != fighter and rules_of(game, faction).lends_support(game)
    ]


def supported_ally(game: Game, battle: BattleMoment) -> Faction | None:
    """The fighter whom an ally may support in this battle."""
    return next((ally for _, ally in lenders(game, battle)), None)


def questions(game: Game, battle: BattleMoment) -> list[Question]:
    """The decisions about support in this battle."""
    return [SupportQuestion(game, battle, faction, ally) for faction, ally in lenders(game, battle)]


class SupportQuestion(BattleQuestion):
    """May your ally fight this battle at full strength without spice?"""

    kind = "fremen-support"
    only_refusal = Refusal("Only the Fremen lend their support in battles.", "battle.support")

    def __init__(self, game: Game, battle: BattleMoment, faction: Faction, ally: Faction) -> None:
        super().__init__(game, battle, faction)
        self._ally = ally

    def refusal(self, order: Order) -> Refusal | None:
        return None

    @classmethod
    def refusal_ahead(cls, game: Game, faction: Faction, order: Order) -> Refusal | None:
        if not rules_of(game, faction).lends_support(game):
            return Refusal(f"{faction_name(faction)} have no support to give in battles.", "battle.support")
        if len(game.state.ally_group(faction)) == 1:
            return Refusal("You have no ally to support.", "battle.support")
        return None

    @classmethod
    def never_legal(cls, game: Game, faction: Faction, order: Order) -> Refusal | None:
        return None if rules_of(game, faction).lends_support(game) else cls.only_refusal

    @property
    def default(self) -> Order:
        return FremenSupport(self.game.state.fremen_support)

    def samples(self) -> Sequence[Order]:
        return [FremenSupport(granted=True), FremenSupport(granted=False)]

    @property
    def facts(self) -> Mapping[str, Any]:
        granted = self.game.state.fremen_support
        return {"territory": self.battle.territory, "ally": self._ally, "granted": granted}


def settle(game: Game, battle: BattleMoment, answers: Answers) -> None:
    """The switch is put and everybody hears how it stands."""
    for faction, ally in lenders(game, battle):
        order = answers.of(faction)
        if isinstance(order, FremenSupport):
            game.state.fremen_support = order.granted
            game.tell("fremen-support", ally=ally, granted=order.granted, territory=battle.territory)
