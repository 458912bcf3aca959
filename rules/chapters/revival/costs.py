"""What revival of tokens costs, how many come back in a turn, and who pays (AH.IX.B.1, AH.IX.B.2, FAQ.TLEILAXU.16).

As many as the shield prints are free, further ones cost two spice each, and three come back in a turn. Where the rule
set has it, a helper (the Emperor) pays for up to three tokens of an ally beyond that limit, or for those within it that
the ally cannot pay themselves. What the helper lets the ally spend is a pledge, as for a card.
"""

from __future__ import annotations

from dataclasses import dataclass

from rules.components import FACTION_FACTS, Faction
from rules.decisions.catalogue import factions_with, rules_of
from rules.decisions.faction_rules import FactionRules
from rules.orders import Support
from rules.rulesets.options import Option
from rules.rulesets.refusal import Refusal
from rules.state.game import Game

MOST_TOKENS = 3
TOKEN_PRICE = 2
MOST_BY_A_HELPER = 3

CARDS_GO_BEYOND = Option("revival_limit_card_exempt", {"yes": True, "no": False})
"""Whether tokens that a card brings back do not count towards the limit of the turn (AH.IX.B.2, GF9.REV.4)."""

OPTIONS = (CARDS_GO_BEYOND,)


@dataclass(frozen=True, slots=True)
class Bill:
    """What a revival costs its player, and what the helper pays of it; ``short``: so much is covered by nobody."""

    own: int = 0
    helped: int = 0
    short: int = 0


def bill(game: Game, faction: Faction, tokens: int) -> Bill:
    """Who pays what if the faction has so many tokens back: first the faction for those within the limit, as far as
    their spice reaches, then the helper."""
    within = min(tokens, limit(game, faction))
    bought = max(0, within - FACTION_FACTS[faction].free_revival)
    spice = spendable(game, faction) if rules_of(game, faction).buys_tokens(game) else 0
    own = min(bought, spice // TOKEN_PRICE)
    to_help = tokens - within + bought - own
    helped = min(to_help, MOST_BY_A_HELPER, pledge(game, faction) // TOKEN_PRICE) if to_help else 0
    return Bill(own * TOKEN_PRICE, helped * TOKEN_PRICE, (to_help - helped) * TOKEN_PRICE)


def limit(game: Game, faction: Faction) -> int:
    """How many tokens the faction may still have back this turn, but for those that a helper pays."""
    return MOST_TOKENS if CARDS_GO_BEYOND(game.rules) else left_of_limit(game, faction)


def left_of_limit(game: Game, faction: Faction) -> int:
    """How many of the tokens of a turn have not come back yet, by whatever means."""
    return max(0, MOST_TOKENS - game.state.revived.get(faction, 0))


def most(game: Game, faction: Faction) -> int:
    """How many tokens the faction may have back now if they can be paid."""
    return own_limit(game, faction) + (MOST_BY_A_HELPER if helper(game, faction) else 0)


def own_limit(game: Game, faction: Faction) -> int:
    """How many of them without a helper."""
    most = limit(game, faction)
    return most if rules_of(game, faction).buys_tokens(game) else min(most, FACTION_FACTS[faction].free_revival)


def too_many_by_card(game: Game, faction: Faction, tokens: int) -> Refusal | None:
    """Why a card cannot bring back so many tokens where the limit of the turn holds for cards too."""
    left = left_of_limit(game, faction)
    if CARDS_GO_BEYOND(game.rules) or tokens <= left:
        return None
    return Refusal(f"{MOST_TOKENS} tokens come back in a turn, cards included: {left} more can.", "revival.tokens")


# --- the helper ------------------------------------------------------------------------------------------------------


def helper(game: Game, faction: Faction) -> Faction | None:
    """The ally who may pay for tokens of the faction; None where there is none, or a Karama has put an end to it."""
    if not game.state.alliances or faction in game.moments.no_extra_revival:
        return None
    for ally in factions_with(game, FactionRules.pays_for_revival):
        if game.state.allied(ally, faction) and rules_of(game, ally).pays_for_revival(game):
            return ally
    return None


def pledge(game: Game, faction: Faction) -> int:
    """What the helper lets the faction spend, as far as it is there; also where the stop is still open."""
    ally = helper(game, faction)
    return min(_pledged(game, ally, faction), game.player(ally).spice) if ally else 0


def spendable(game: Game, faction: Faction, beside: Faction | None = None) -> int:
    """The faction's spice without what they have pledged to allies; ``beside`` is one whose pledge does not count."""
    if not game.state.alliances:
        return game.player(faction).spice
    allies = [ally for ally in game.state.ally_group(faction) if ally not in (faction, beside)]
    pledges = [(ally, _pledged(game, faction, ally)) for ally in allies]
    pledged = sum(pledge for ally, pledge in pledges if pledge and helper(game, ally) == faction)
    return max(0, game.player(faction).spice - pledged)


def _pledged(game: Game, helping: Faction, faction: Faction) -> int:
    filed = game.filed.get((helping, "ally-support", faction), ())
    return filed[-1].amount if filed and isinstance(filed[-1], Support) else 0
