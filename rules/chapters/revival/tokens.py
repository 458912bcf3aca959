"""Which tokens come back: as many free as the shield prints, further ones for two spice each, three a turn in all, at
most one starred (AH.IX.B, GF9.REV.4)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from rules.chapters.revival import costs
from rules.chapters.revival.leaders import LEADERS_AFTER_TOKENS, LeaderRevivalQuestion
from rules.components import FACTION_FACTS, Faction, Forces, faction_name
from rules.decisions.catalogue import rules_of
from rules.decisions.faction_rules import TOKEN_PRICE
from rules.decisions.question import Question
from rules.orders import NoRevival, Order, Revive, ReviveKwisatzHaderach, ReviveLeader
from rules.rulesets.options import switch
from rules.rulesets.refusal import Refusal
from rules.state.game import Game

LIMIT_HOLDS_FOR_CARDS = switch("starred_revival_limit_all")
"""Whether the one starred token of a turn is the only one by whatever means, cards included (A-56)."""


def starred_left(game: Game, faction: Faction) -> int:
    """How many starred tokens may still come back this turn (AH.SHIELD.EMP.2-c, IT.FORCE.16)."""
    if not rules_of(game, faction).revives_one_starred(game.rules):
        return game.player(faction).tanks.elite
    return 0 if faction in game.state.elite_revived else 1


class TokenRevivalQuestion(Question):
    """Which tokens do you bring back? Asked of everybody; what is held for it waits only where something else is
    being played at the stop."""

    kind = "revival"

    def __init__(self, game: Game, faction: Faction) -> None:
        super().__init__(game, faction)
        self.blanket = not game.player(faction).tanks
        if LEADERS_AFTER_TOKENS(game.rules):
            self.takes = (Revive, NoRevival)  # a leader is for the question that follows

    def refusal(self, order: Order) -> Refusal | None:
        return self.refusal_ahead(self.game, self.faction, order)

    @classmethod
    def refusal_ahead(cls, game: Game, faction: Faction, order: Order) -> Refusal | None:
        if isinstance(order, ReviveLeader | ReviveKwisatzHaderach):
            return LeaderRevivalQuestion.refusal_ahead(game, faction, order)
        return refuse_tokens(game, faction, order.forces) if isinstance(order, Revive) else None

    @classmethod
    def never_legal(cls, game: Game, faction: Faction, order: Order) -> Refusal | None:
        if isinstance(order, ReviveLeader | ReviveKwisatzHaderach):
            return Refusal("Tokens are revived here, and leaders elsewhere.", "revival.when-leaders-come-back")
        return None

    @property
    def default(self) -> Order:
        free = self._revivable(FACTION_FACTS[self.faction].free_revival)
        return (
            Revive(free) if free and "tokens" not in self.game.moments.no_revival.get(self.faction, ()) else NoRevival()
        )

    def samples(self) -> Sequence[Order]:
        most = costs.most(self.game, self.faction)
        wanted = dict.fromkeys(self._revivable(number) for number in range(most, 0, -1))
        orders = [Revive(forces) for forces in wanted if forces]
        return [*(order for order in orders if self.refusal(order) is None), NoRevival()]

    @property
    def facts(self) -> Mapping[str, Any]:
        game, room = self.game, rules_of(self.game, self.faction)
        player = game.player(self.faction)
        return {
            "what": "tokens",
            "tanks": str(player.tanks),
            "free": FACTION_FACTS[self.faction].free_revival,
            "spice": player.spice,
            "most": min(costs.turn_limit(game, self.faction), costs.most(game, self.faction), player.tanks.total),
            "one_starred": bool(FACTION_FACTS[self.faction].elite) and room.revives_one_starred(game.rules),
            "price": room.token_price,
            "starred_price": room.starred_token_price,
            "helper": costs.helper(game, self.faction),
            "helped": costs.pledge(game, self.faction),
            "half": costs.due(game, self.faction, TOKEN_PRICE) < TOKEN_PRICE,
        }

    def _revivable(self, tokens: int) -> Forces:
        """That many tokens, as far as the tanks have them, a starred one first."""
        tanks = self.game.player(self.faction).tanks
        elite = min(tanks.elite, starred_left(self.game, self.faction), tokens) if tanks.elite else 0
        return Forces(min(tanks.ordinary, tokens - elite), elite)


def refuse_tokens(game: Game, faction: Faction, forces: Forces) -> Refusal | None:
    """Why the faction cannot revive these now, or None."""
    player = game.player(faction)
    most = costs.most(game, faction)
    if "tokens" in game.moments.no_revival.get(faction, ()):
        return Refusal("A Karama has stopped your revival of this turn.", "revival.stopped")
    if not 1 <= forces.total <= most:
        topic = "revival.tokens" if rules_of(game, faction).buys_tokens(game) else "revival.not-bought"
        return Refusal(f"You may revive 1 to {most} tokens a turn, not {forces.total}.", topic)
    if not player.tanks.covers(forces):
        return Refusal(f"You have {player.tanks} in the tanks, so {forces} cannot come back.", "revival.tokens")
    if forces.elite and forces.elite > starred_left(game, faction):
        return Refusal("One starred token may come back in a turn, by whatever means.", "revival.starred")
    return _unpaid(game, faction, forces)


def _unpaid(game: Game, faction: Faction, forces: Forces) -> Refusal | None:
    """Why there is not the spice to revive so many, or None."""
    price = costs.bill(game, faction, forces)
    if not price.short:
        return None
    room = rules_of(game, faction)
    limit, helper = costs.own_limit(game, faction), costs.helper(game, faction)
    if forces.total > limit and helper:
        pledge, each, starred = costs.pledge(game, faction), room.token_price, room.starred_token_price
        prices = f"{each} spice each" if each == starred else f"{each} spice each, {starred} for a starred one"
        why = f"Beyond {limit} tokens {faction_name(helper)} pay, {prices}: they let you spend {pledge}."
        return Refusal(why, "revival.extra")
    spice, most = costs.spendable(game, faction), costs.turn_limit(game, faction)
    cost = price.own + price.helped + price.short
    able = next((n for n in range(most, 0, -1) if not costs.bill(game, faction, Forces(n)).short), 0)
    most_of_them = "1 token" if able == 1 else f"{able} tokens"
    why = f"That costs {cost} spice; you have {spice}, so at most {most_of_them}."
    return Refusal(why, "revival.price-of-tokens")


OPTIONS = (LIMIT_HOLDS_FOR_CARDS,)
