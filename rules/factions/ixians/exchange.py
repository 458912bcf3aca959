"""Suboids for Cyborgs: who has won a battle may let surviving Suboids go to the tanks instead of Cyborgs lost in it
(IT.FORCE.6, IT.FORCE.7)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from rules.chapters.battle import listing, strength
from rules.chapters.battle.question import BattleQuestion
from rules.components import Faction, Forces
from rules.decisions.asking import ask_one
from rules.decisions.catalogue import rules_of
from rules.decisions.question import Flow
from rules.decisions.windows import window
from rules.orders import Exchange, NoExchange, Order
from rules.rulesets.refusal import Refusal
from rules.state.game import Game
from rules.state.moments import BattleMoment


def after_losses(game: Game, battle: BattleMoment, faction: Faction, lost: Forces) -> Flow:
    """The winner exchanges as many as they like, one for one; a Karama may stop it before (FAQ.KARAMA-IXI.4)."""
    most = _most(game, battle, faction, lost)
    if not most:
        return
    battle.exchanging = True
    about = {"by": faction, "territory": battle.territory, "most": most}
    yield from window(game, "exchange", lambda: "exchange" not in battle.cancelled, **about)
    battle.exchanging = False
    if "exchange" in battle.cancelled or not _most(game, battle, faction, lost):
        return
    order = yield from ask_one(ExchangeQuestion(game, battle, faction, lost))
    number = order.number if isinstance(order, Exchange) else 0
    if number:
        _exchange(game, battle, faction, number)
    game.tell("exchanged", faction=faction, number=number, territory=battle.territory)


def _most(game: Game, battle: BattleMoment, faction: Faction, lost: Forces) -> int:
    """How many can be exchanged: a Tleilaxu Ghola may have brought Cyborgs back from the tanks meanwhile."""
    standing = strength.forces_in(game, battle, faction).ordinary
    return min(lost.elite, game.player(faction).tanks.elite, standing)


def _exchange(game: Game, battle: BattleMoment, faction: Faction, number: int) -> None:
    """The Cyborgs stand where the Suboids stood."""
    player = game.player(faction)
    for area in battle.areas:
        here = min(number, game.here(area, faction).ordinary)
        game.kill(area, faction, Forces(here))
        player.tanks -= Forces(0, here)
        game.put(area, faction, Forces(0, here))
        number -= here


class ExchangeQuestion(BattleQuestion):
    """How many of your surviving Suboids go to the tanks instead of Cyborgs?"""

    kind = "exchange"
    only_refusal = Refusal("Only the Ixians exchange Suboids for Cyborgs.", "battle.exchange")

    def __init__(self, game: Game, battle: BattleMoment, faction: Faction, lost: Forces) -> None:
        super().__init__(game, battle, faction)
        self._lost = lost

    @property
    def _most(self) -> int:
        return _most(self.game, self.battle, self.faction, self._lost)

    def refusal(self, order: Order) -> Refusal | None:
        if isinstance(order, NoExchange) or (isinstance(order, Exchange) and 0 <= order.number <= self._most):
            return None
        return Refusal(f"You may exchange 0 to {self._most} of them.", "battle.exchange")

    @classmethod
    def refusal_ahead(cls, game: Game, faction: Faction, order: Order) -> Refusal | None:
        return cls.never_legal(game, faction, order) or listing.refusal_without_battle(game, faction)

    @classmethod
    def never_legal(cls, game: Game, faction: Faction, order: Order) -> Refusal | None:
        return None if cls in rules_of(game, faction).own_questions else cls.only_refusal

    @property
    def default(self) -> Order:
        return Exchange(self._most)

    def samples(self) -> Sequence[Order]:
        return [*(Exchange(number) for number in range(self._most, 0, -1)), NoExchange()]

    @property
    def facts(self) -> Mapping[str, Any]:
        return {"territory": self.battle.territory, "most": self._most}
