"""To whom the price of a revival goes: the bank, or who is paid for it (IT.REV.2, IT.REV.4, IT.REV.5)."""

from __future__ import annotations

from rules.chapters import tech_tokens
from rules.components import Faction
from rules.decisions.catalogue import factions_with, rules_of
from rules.decisions.faction_rules import FactionRules
from rules.state.events import Facts
from rules.state.game import Game


def receiver(game: Game, reviving: Faction) -> Faction | None:
    """Who has what is paid for tokens and leaders of the faction; None is the bank."""
    able = factions_with(game, FactionRules.is_paid_for_revival)
    return next((other for other in able if rules_of(game, other).is_paid_for_revival(game, reviving)), None)


def pay(game: Game, reviving: Faction, price: int, payer: Faction | None = None) -> Facts:
    """The price of a revival is paid, by the faction itself or by a helper; what is to be told of where it went."""
    to = receiver(game, reviving)
    game.pay(payer or reviving, price, to=to)
    return {"paid_to": to} if to and price else {}


def used_free_revival(game: Game, reviving: Faction) -> None:
    """The faction has had tokens back for nothing, as its sheet lets it."""
    tech_tokens.set_off(game, "revival", reviving)
    for other in factions_with(game, FactionRules.notices_free_revival):
        rules_of(game, other).notices_free_revival(game, reviving)
