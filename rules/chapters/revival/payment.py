"""To whom the price of a revival goes: the bank, or who is paid for it (IT.REV.2, IT.REV.4, IT.REV.5)."""

from __future__ import annotations

from rules.chapters import tech_tokens
from rules.components import Faction
from rules.decisions.catalogue import factions_with, rules_of
from rules.decisions.faction_rules import FactionRules
from rules.state.events import Facts
from rules.state.game import Game


def receiver(game: Game, reviving: Faction, payer: Faction) -> Faction | None:
    """Who has what the payer, the faction itself or a helper, pays for its tokens and leaders; None is the bank."""
    able = factions_with(game, FactionRules.is_paid_for_revival)
    return next((other for other in able if rules_of(game, other).is_paid_for_revival(game, reviving, payer)), None)


def pay(game: Game, reviving: Faction, price: int, payer: Faction | None = None) -> Facts:
    """The price of a revival is paid, by the faction itself or by a helper; what is to be told of where it went."""
    payer = payer or reviving
    to = receiver(game, reviving, payer)
    game.pay(payer, price, to=to)
    return {"paid_to": to} if to and price else {}


def used_free_revival(game: Game, reviving: Faction) -> None:
    """The faction has had tokens back for nothing, as its sheet lets it."""
    tech_tokens.set_off(game, "revival", reviving)
    for other in factions_with(game, FactionRules.notices_free_revival):
        rules_of(game, other).notices_free_revival(game, reviving)
