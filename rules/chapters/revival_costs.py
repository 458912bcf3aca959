"""The costs and limits of revival, and the factions that pay or are paid (AH.IX.B.1, AH.IX.B.2).

A faction's shield shows how many of its tokens come back for free. Further tokens cost two spice each, and at most
three come back in a turn. If the rule set allows it, a helper (the Emperor) may pay for up to three tokens of an ally
beyond that limit. The helper may also pay for tokens within the limit if the ally cannot (FAQ.TLEILAXU.16). The amount
that the helper lets the ally spend is a pledge, as in the bidding. The helper is asked at the same stop as the ally,
and the game does not wait for the helper's answer. The price goes to the bank, or to the faction that is paid for
revivals (IT.REV.2, IT.REV.4, IT.REV.5).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import Any

import msgspec

from rules.chapters import tech_tokens
from rules.components import FACTION_FACTS, Faction, Forces
from rules.decisions.catalogue import factions_with, rules_of
from rules.decisions.faction_rules import TOKEN_PRICE, FactionRules
from rules.decisions.question import Question
from rules.orders import Order, Revive, Support
from rules.rulesets.options import Option
from rules.rulesets.rulebook import Refusal
from rules.state.events import Facts
from rules.state.game import Game
from rules.state.moments import Returning

MOST_TOKENS = 3
MOST_BY_A_HELPER = 3

CARDS_GO_BEYOND = Option("revival_limit_card_exempt", {"yes": True, "no": False}, usual="yes")
"""True if tokens revived by a card are exempt from the limit of the turn (AH.IX.B.2, GF9.REV.4)."""

ONE_AFTER_ANOTHER = Option("revival_limits_when", {"start_of_phase": False, "before_each": True})
"""True if factions revive tokens one after another, in the order of play, because a limit may be raised before each of
them (IT.REV.9)."""


class Bill(msgspec.Struct, frozen=True):
    """The costs of a revival. ``own`` is the player's payment, ``helped`` is the helper's payment, and ``short`` is the
    part that nobody can pay."""

    own: int = 0
    helped: int = 0
    short: int = 0


def bill_for_tokens(game: Game, faction: Faction, forces: Forces) -> Bill:
    """Return the bill for reviving these tokens.

    The most expensive tokens are free. The faction pays for tokens within its limit, as far as its spice goes,
    and the helper pays for the others. The prices are divided so that both can pay their part, if possible.
    """
    room, most = rules_of(game, faction), token_limit(game, faction)
    prices = [room.starred_token_price] * forces.elite + [room.token_price] * forces.ordinary
    bought, beyond = prices[min(FACTION_FACTS[faction].free_revival, most) : most], prices[most:]
    spice = spendable_spice(game, faction) if room.buys_tokens(game) else 0
    own = _affordable(game, faction, bought, spice)
    to_help = bought[own:] + beyond
    if not to_help:
        return Bill(price_due(game, faction, sum(bought)))
    promised = pledge_of_helper(game, faction)
    for own_part, helped_part in _shares(bought + beyond, len(bought)):
        if price_due(game, faction, own_part) <= spice and price_due(game, faction, helped_part) <= promised:
            return Bill(price_due(game, faction, own_part), price_due(game, faction, helped_part))
    helped = _affordable(game, faction, to_help[:MOST_BY_A_HELPER], promised)
    return Bill(
        price_due(game, faction, sum(bought[:own])),
        price_due(game, faction, sum(to_help[:helped])),
        price_due(game, faction, sum(to_help[helped:])),
    )


def _shares(prices: Sequence[int], most: int) -> list[tuple[int, int]]:
    """Return the pairs of amounts that the faction and a helper may pay for tokens at these prices.

    The first pair lets the faction pay for as many tokens as it may (``most``), the most expensive ones first. The
    helper pays for the others, up to the limit for helpers.
    """
    shares = [
        own
        for number in range(most, len(prices) - MOST_BY_A_HELPER - 1, -1)
        if number >= 0
        for own in combinations(prices, number)
    ]
    return list(dict.fromkeys((sum(own), sum(prices) - sum(own)) for own in shares))


def _affordable(game: Game, faction: Faction, prices: Sequence[int], spice: int) -> int:
    number = len(prices)
    while number and price_due(game, faction, sum(prices[:number])) > spice:
        number -= 1
    return number


def price_due(game: Game, faction: Faction, price: int, what: Returning = "tokens") -> int:
    """Return the amount that the faction must pay for tokens or leaders at this price. Another faction may lower the
    price (IT.REV.2, IT.REV.13)."""
    lowest = price
    for other in factions_with(game, FactionRules.lowers_price_of_revival):
        lowest = min(lowest, rules_of(game, other).lowers_price_of_revival(game, faction, price, what))
    return lowest


def turn_limit(game: Game, faction: Faction) -> int:
    """Return the number of the faction's tokens that may come back in a turn: three, or more if another faction allows
    it (IT.REV.1, IT.REV.8)."""
    most = MOST_TOKENS
    for other in factions_with(game, FactionRules.most_tokens_revived):
        most = max(most, rules_of(game, other).most_tokens_revived(game, faction))
    return most


def token_limit(game: Game, faction: Faction) -> int:
    return turn_limit(game, faction) if CARDS_GO_BEYOND(game.rules) else tokens_left_of_limit(game, faction)


def tokens_left_of_limit(game: Game, faction: Faction) -> int:
    return max(0, turn_limit(game, faction) - game.state.revived.get(faction, 0))


def most_tokens(game: Game, faction: Faction) -> int:
    return own_token_limit(game, faction) + (MOST_BY_A_HELPER if helper_of(game, faction) else 0)


def own_token_limit(game: Game, faction: Faction) -> int:
    most = token_limit(game, faction)
    return most if rules_of(game, faction).buys_tokens(game) else min(most, FACTION_FACTS[faction].free_revival)


def too_many_by_card(game: Game, faction: Faction, tokens: int) -> Refusal | None:
    left = tokens_left_of_limit(game, faction)
    if CARDS_GO_BEYOND(game.rules) or tokens <= left:
        return None
    most = turn_limit(game, faction)
    why = f"At most {most} tokens can be revived each turn, cards included; you can still revive {left}."
    return Refusal(why, "revival.tokens")


def stopped_for_cards(game: Game, faction: Faction) -> Refusal | None:
    """Return a refusal if a Karama has stopped even the faction's revival by cards, else None (IT.TL-KARAMA.3)."""
    if "cards" not in game.moments.no_revival.get(faction, ()):
        return None
    return Refusal("A Karama has stopped your revival this turn, including revival by cards.", "revival.stopped")


# --- the helper ------------------------------------------------------------------------------------------------------


def helper_of(game: Game, faction: Faction) -> Faction | None:
    if not game.state.alliances or faction in game.moments.no_extra_revival:
        return None
    for ally in factions_with(game, FactionRules.pays_for_revival):
        if game.state.allied(ally, faction) and rules_of(game, ally).pays_for_revival(game):
            return ally
    return None


def pledge_of_helper(game: Game, faction: Faction) -> int:
    ally = helper_of(game, faction)
    return min(_pledged(game, ally, faction), game.player(ally).spice) if ally else 0


def spendable_spice(game: Game, faction: Faction, beside: Faction | None = None) -> int:
    if not game.state.alliances:
        return game.player(faction).spice
    allies = [ally for ally in game.state.ally_group(faction) if ally not in (faction, beside)]
    pledges = [(ally, _pledged(game, faction, ally)) for ally in allies]
    pledged = sum(pledge for ally, pledge in pledges if pledge and helper_of(game, ally) == faction)
    return max(0, game.player(faction).spice - pledged)


def _pledged(game: Game, helping: Faction, faction: Faction) -> int:
    filed = game.filed.get((helping, "ally-support", faction), ())
    return filed[-1].amount if filed and isinstance(filed[-1], Support) else 0


def receiver_of_price(game: Game, reviving: Faction, payer: Faction) -> Faction | None:
    able = factions_with(game, FactionRules.is_paid_for_revival)
    return next((other for other in able if rules_of(game, other).is_paid_for_revival(game, reviving, payer)), None)


def pay_for_revival(game: Game, reviving: Faction, price: int, payer: Faction | None = None) -> Facts:
    payer = payer or reviving
    to = receiver_of_price(game, reviving, payer)
    game.pay(payer, price, to=to)
    return {"paid_to": to} if to and price else {}


def note_free_revival(game: Game, reviving: Faction) -> None:
    tech_tokens.set_off(game, "revival", reviving)
    for other in factions_with(game, FactionRules.notices_free_revival):
        rules_of(game, other).notices_free_revival(game, reviving)


class RevivalSupportQuestion(Question):
    kind = "ally-support"
    beside = True
    leads_on = True
    default = Support(0)

    def __init__(self, game: Game, faction: Faction, reviving: Faction) -> None:
        super().__init__(game, faction, subject=reviving)
        self._reviving = reviving

    @property
    def _spice(self) -> int:
        return max(0, spendable_spice(self.game, self.faction, beside=self._reviving) - self._own_revival)

    @property
    def _own_revival(self) -> int:
        own = self.game.filed.get((self.faction, "revival", ""), (None,))[-1]
        return bill_for_tokens(self.game, self.faction, own.forces).own if isinstance(own, Revive) else 0

    def refusal(self, order: Order) -> Refusal | None:
        spice, own = self._spice, self._own_revival
        if not isinstance(order, Support) or 0 <= order.amount <= spice:
            return None
        beside = f" besides the {own} for your own revival" if own else ""
        return Refusal(f"You have {spice} spice to help with{beside}.", "revival.extra")

    @classmethod
    def refusal_ahead(cls, game: Game, faction: Faction, order: Order) -> Refusal | None:
        if faction in factions_with(game, FactionRules.is_paid_for_revival):
            return Refusal("Others pay you for revival, so you cannot pay for anybody's.", "revival.pays-for-nobody")
        return Refusal("You cannot pay for an ally's revival now.", "revival.extra")

    def samples(self) -> Sequence[Order]:
        price = MOST_BY_A_HELPER * TOKEN_PRICE
        return [Support(amount) for amount in sorted({0, min(TOKEN_PRICE, self._spice), min(price, self._spice)})]

    @property
    def facts(self) -> Mapping[str, Any]:
        return {"buyer": self._reviving, "purpose": "revival", "spice": self._spice}


def support_questions(game: Game, reviving: Sequence[Faction]) -> list[Question]:
    if not game.state.alliances:
        return []
    found: list[Question] = []
    for faction in reviving:
        ally = helper_of(game, faction) if game.player(faction).tanks else None
        if ally:
            found.append(RevivalSupportQuestion(game, ally, faction))
    return found
