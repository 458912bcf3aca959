"""The Poison Tooth: who has shown it may withhold it, knowing what comes of the battle with it and without
(IT.CARD.13, IT.CARD.14, FAQ.ERRATA.2).

All see that the card lies in the plan, so all know who is asked, and when. Where a traitor decides the battle, or it
ends in an explosion, there is nothing to ask.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from rules.chapters.battle import arms, listing
from rules.chapters.battle.question import BattleQuestion
from rules.components import Faction
from rules.decisions.asking import ask
from rules.decisions.question import Flow
from rules.orders import NoPoisonTooth, Order, UsePoisonTooth
from rules.rulesets.box import expansion_of
from rules.rulesets.options import Option
from rules.rulesets.refusal import Refusal
from rules.rulesets.ruleset import RuleSet
from rules.state.game import Game
from rules.state.moments import BattleMoment

AFTER_TRAITORS = Option("poison_tooth_when", {"after_traitors": True, "before_traitors": False})

OPTIONS = (AFTER_TRAITORS,)


def before_traitors(game: Game, battle: BattleMoment) -> Flow:
    """The choice, where it comes before treachery is called."""
    if not AFTER_TRAITORS(game.rules):
        yield from _choose(game, battle)


def after_traitors(game: Game, battle: BattleMoment) -> Flow:
    """The choice, where it comes when nobody has called treachery."""
    if AFTER_TRAITORS(game.rules):
        yield from _choose(game, battle)


def _choose(game: Game, battle: BattleMoment) -> Flow:
    holder = arms.holder_of_tooth(battle)
    if holder is None or arms.explodes(battle):
        return
    answers = yield from ask(lambda: [PoisonToothQuestion(game, battle, holder)])
    battle.tooth_withheld = isinstance(answers.of(holder), NoPoisonTooth)
    if battle.tooth_withheld:
        game.tell("poison-tooth-withheld", faction=holder, territory=battle.territory)


class PoisonToothQuestion(BattleQuestion):
    """Do you use the Poison Tooth that you have shown?"""

    kind = "poison-tooth"

    @classmethod
    def exists_in(cls, rules: RuleSet) -> bool:
        return bool(expansion_of(rules))

    def refusal(self, order: Order) -> Refusal | None:
        return None

    @classmethod
    def refusal_ahead(cls, game: Game, faction: Faction, order: Order) -> Refusal | None:
        return listing.refusal_without_battle(game, faction)

    @property
    def default(self) -> Order:
        return UsePoisonTooth()

    def samples(self) -> Sequence[Order]:
        return [UsePoisonTooth(), NoPoisonTooth()]

    @property
    def facts(self) -> Mapping[str, Any]:
        return {"territory": self.battle.territory, "opponent": self.battle.opponent(self.faction)}
