"""The Fremen's support for their ally's battles (WBC.HR.6b and c).

The Fremen fight at full strength without spice and may let their ally do so. It is a switch that stays as it was put
last, and it is public before plans are made; the Fremen are asked in every battle of their ally.
"""

from __future__ import annotations

from rules.components import Faction, faction_name
from rules.decisions.closures import Asked
from rules.decisions.question import Question
from rules.orders import FremenSupport, Order
from rules.rulesets.refusal import Refusal
from rules.state.game import Game
from rules.state.moments import BattleMoment


def supported_ally(game: Game, battle: BattleMoment) -> Faction | None:
    """The Fremen's ally in this battle, where the rule set lets them support one."""
    if game.rules.fremen_support != "free_and_lendable" or not game.plays("fremen"):
        return None
    return next((fighter for fighter in battle.sides if game.state.allied("fremen", fighter)), None)


def question(game: Game, battle: BattleMoment) -> Question | None:
    """The Fremen's decision in their ally's battle."""
    ally = supported_ally(game, battle)
    if ally is None:
        return None

    def check(order: Order) -> Refusal | None:
        return None

    standing = FremenSupport(game.state.fremen_support)
    about = {"territory": battle.territory, "ally": ally, "granted": game.state.fremen_support}
    return Asked(
        "fremen",
        "fremen-support",
        standing,
        check,
        lambda: [FremenSupport(granted=True), FremenSupport(granted=False)],
        about=about,
    )


def settle(game: Game, battle: BattleMoment, order: Order | None) -> None:
    """The switch is put and everybody hears how it stands."""
    ally = supported_ally(game, battle)
    if ally is not None and isinstance(order, FremenSupport):
        game.state.fremen_support = order.granted
        game.tell("fremen-support", ally=ally, granted=order.granted, territory=battle.territory)


def refusal_without_ally(game: Game, faction: Faction) -> Refusal | None:
    """Why a faction has no support to give, or None."""
    if faction != "fremen" or game.rules.fremen_support != "free_and_lendable":
        return Refusal(f"{faction_name(faction)} have no support to give in battles.", "WBC.HR.6c")
    if len(game.state.ally_group("fremen")) == 1:
        return Refusal("You have no ally to support.", "WBC.HR.6c")
    return None
