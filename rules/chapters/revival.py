"""Revival: tokens and leaders come back from the tanks (AH.IX.B, AH.IX.D, WBC.IX.1, GF9.REV).

Everybody is asked at the same time, even players with no tokens in the tanks. The reason is that Atreides look at the
spice card after this stop, and a player who holds a Karama may use it here to prevent that (AH.SHIELD.ATR.2,
WBC.AID.17).

Tokens: a faction's shield shows how many come back for free, and further tokens cost two spice each. At most three
tokens come back in a turn, and at most one of them may be starred (AH.IX.B, GF9.REV.4). Leaders: once five
leaders are dead or none can be played, one leader a turn comes back for spice, after the tokens or at the end of the
player's own move (AH.IX.D, GF9.REV.6). ``rules.chapters.revival_costs`` defines the prices and limits.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

from rules.chapters import revival_costs
from rules.chapters.revival_costs import RevivalSupportQuestion, support_questions
from rules.components import FACTION_FACTS, LEADERS, Faction, Forces, Leader, leader_strength, leaders_of, the_faction
from rules.decisions.catalogue import factions_with, rules_of, serving_others
from rules.decisions.faction_rules import TOKEN_PRICE, FactionRules
from rules.decisions.question import Answers, Flow, Question, ask
from rules.decisions.windows import karama_can, window
from rules.orders import NoRevival, Order, Revive, ReviveKwisatzHaderach, ReviveLeader
from rules.rulesets.options import Option, switch
from rules.rulesets.rulebook import Refusal
from rules.state.game import Game

LIMIT_HOLDS_FOR_CARDS = switch("starred_revival_limit_all", usual="on")
"""True if the limit of one starred token a turn includes tokens revived by cards (A-56)."""


def starred_tokens_left(game: Game, faction: Faction) -> int:
    # AH.SHIELD.EMP.2-c, IT.FORCE.16
    if not rules_of(game, faction).revives_one_starred(game.rules):
        return game.player(faction).tanks.elite
    return 0 if faction in game.state.elite_revived else 1


class TokenRevivalQuestion(Question):
    """Asks everybody which of their tokens come back. An order that was filed for this question takes effect as soon as
    nothing else is being played at the stop."""

    kind = "revival"

    def __init__(self, game: Game, faction: Faction) -> None:
        super().__init__(game, faction)
        self.blanket = not game.player(faction).tanks
        if LEADERS_AFTER_TOKENS(game.rules):
            self.takes = (Revive, NoRevival)  # the next question takes leaders

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
            return Refusal("This question is about tokens, not about leaders.", "revival.when-leaders-come-back")
        return None

    @property
    def default(self) -> Order:
        free = self._revivable(FACTION_FACTS[self.faction].free_revival)
        return (
            Revive(free) if free and "tokens" not in self.game.moments.no_revival.get(self.faction, ()) else NoRevival()
        )

    def samples(self) -> Sequence[Order]:
        most = revival_costs.most_tokens(self.game, self.faction)
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
            "most": min(
                revival_costs.turn_limit(game, self.faction),
                revival_costs.most_tokens(game, self.faction),
                player.tanks.total,
            ),
            "one_starred": bool(FACTION_FACTS[self.faction].elite) and room.revives_one_starred(game.rules),
            "price": room.token_price,
            "starred_price": room.starred_token_price,
            "helper": revival_costs.helper_of(game, self.faction),
            "helped": revival_costs.pledge_of_helper(game, self.faction),
            "half": revival_costs.price_due(game, self.faction, TOKEN_PRICE) < TOKEN_PRICE,
        }

    def _revivable(self, tokens: int) -> Forces:
        tanks = self.game.player(self.faction).tanks
        elite = min(tanks.elite, starred_tokens_left(self.game, self.faction), tokens) if tanks.elite else 0
        return Forces(min(tanks.ordinary, tokens - elite), elite)


def refuse_tokens(game: Game, faction: Faction, forces: Forces) -> Refusal | None:
    player = game.player(faction)
    most = revival_costs.most_tokens(game, faction)
    if "tokens" in game.moments.no_revival.get(faction, ()):
        return Refusal("A Karama has stopped your revival this turn.", "revival.stopped")
    if not 1 <= forces.total <= most:
        topic = "revival.tokens" if rules_of(game, faction).buys_tokens(game) else "revival.not-bought"
        return Refusal(f"You may revive 1 to {most} tokens a turn, not {forces.total}.", topic)
    if not player.tanks.covers(forces):
        return Refusal(f"You have {player.tanks} in the tanks, so you cannot revive {forces}.", "revival.tokens")
    if forces.elite and forces.elite > starred_tokens_left(game, faction):
        return Refusal("Only one starred token can be revived in a turn, by whatever means.", "revival.starred")
    return _unpaid_tokens(game, faction, forces)


def _unpaid_tokens(game: Game, faction: Faction, forces: Forces) -> Refusal | None:
    price = revival_costs.bill_for_tokens(game, faction, forces)
    if not price.short:
        return None
    room = rules_of(game, faction)
    limit, helper = revival_costs.own_token_limit(game, faction), revival_costs.helper_of(game, faction)
    if forces.total > limit and helper:
        pledge, each, starred = (
            revival_costs.pledge_of_helper(game, faction),
            room.token_price,
            room.starred_token_price,
        )
        prices = f"{each} spice each" if each == starred else f"{each} spice each, {starred} for a starred one"
        why = f"For tokens beyond {limit} {the_faction(helper)} must pay ({prices}) and lets you spend {pledge}."
        return Refusal(why, "revival.extra")
    spice, most = revival_costs.spendable_spice(game, faction), revival_costs.turn_limit(game, faction)
    cost = price.own + price.helped + price.short
    able = next((n for n in range(most, 0, -1) if not revival_costs.bill_for_tokens(game, faction, Forces(n)).short), 0)
    most_of_them = "1 token" if able == 1 else f"{able} tokens"
    why = f"That costs {cost} spice; you have {spice}, so at most {most_of_them}."
    return Refusal(why, "revival.price-of-tokens")


KWISATZ_HADERACH_PRICE = 2


def revive_leaders_after_move(game: Game, faction: Faction) -> Flow:
    """Revive leaders at the end of the player's own move, if the rule set says so (AH.IX.D.4)."""
    if not LEADERS_AFTER_TOKENS(game.rules):
        yield from leader_revival(game, faction)


def leader_revival(game: Game, faction: Faction) -> Flow:
    """Let the faction revive a leader, for the leader's strength in spice, or the Kwisatz Haderach, for two spice.

    This happens at the end of the faction's own move (AH.IX.D.4), or after the tokens (GF9.REV.6). At most one leader
    comes back each turn. The Kwisatz Haderach counts as a leader, unless the rule set lets it come back in any turn.
    """
    _keep_the_right(game, faction)
    at_will = rules_of(game, faction).revives_leaders_at_will(game)
    revived = faction in game.moments.leader_back
    while True:
        answers = yield from ask(partial(_leader_questions, game, faction, revived))
        for order in answers.all_of(faction) or (NoRevival(),):
            match order:
                case ReviveLeader(leader):
                    if not at_will or LeaderRevivalQuestion(game, faction, revived).refusal(order) is None:
                        yield from _buy_back_leader(game, faction, leader)
                    revived = not at_will
                case ReviveKwisatzHaderach():
                    revived = revived or HADERACH_IS_A_LEADER(game.rules)
                    price = haderach_price(game, faction)
                    paid = revival_costs.pay_for_revival(game, faction, price)
                    game.state.kwisatz_haderach = "ready"
                    game.tell("kwisatz-haderach-revived", faction=faction, price=price, **paid)
                case _:
                    return


def _buy_back_leader(game: Game, faction: Faction, leader: Leader) -> Flow:
    room = rules_of(game, faction)
    if leader not in leaders_of(faction):
        yield from room.takes_foreign_leader(game, leader)
        return
    price = leader_price(game, faction, leader)
    paid = revival_costs.pay_for_revival(game, faction, price)
    game.revive_leader(leader)
    game.tell("leader-revived", faction=faction, leader=leader, price=price, **paid)


def leader_price(game: Game, faction: Faction, leader: Leader) -> int:
    """Return the price of a leader: the leader's special price if there is one, else the leader's strength, which
    another faction may halve."""
    own = rules_of(game, faction).price_of_leader(game, leader)
    return revival_costs.price_due(game, faction, leader_strength(leader), "leaders") if own is None else own


def haderach_price(game: Game, faction: Faction) -> int:
    return revival_costs.price_due(game, faction, KWISATZ_HADERACH_PRICE, "leaders")


def _leader_questions(game: Game, faction: Faction, revived: bool) -> list[Question]:
    if "leaders" in game.moments.no_revival.get(faction, ()):
        return []
    nobody = not _leaders_in_tanks(game, faction) and not _haderach_is_dead(game, faction)
    if nobody and not rules_of(game, faction).foreign_leaders_to_revive(game):
        return []
    question = LeaderRevivalQuestion(game, faction, revived)
    return [question] if question.is_due else []


class LeaderRevivalQuestion(Question):
    """Asks which leader comes back. ``revived`` means that a leader has already come back this turn."""

    kind = "revival"
    default = NoRevival()

    def __init__(self, game: Game, faction: Faction, revived: bool) -> None:
        super().__init__(game, faction)
        self._revived = revived
        self.many = rules_of(game, faction).revives_leaders_at_will(game)  # one line a leader
        self._before = game.filed.get(self.key, ())

    @property
    def is_due(self) -> bool:
        """Return whether the faction must be asked: it can revive a leader, or other players cannot tell that it
        cannot."""
        if self._leaders or self._haderach:
            return True
        return not self._revived and _may_be_due(self.game, self.faction)

    @property
    def _leaders(self) -> list[Leader]:
        if self._revived:
            return []
        foreign = rules_of(self.game, self.faction).foreign_leaders_to_revive(self.game)
        return [*revivable_leaders(self.game, self.faction), *foreign]

    @property
    def _haderach(self) -> bool:
        taken = self._revived and HADERACH_IS_A_LEADER(self.game.rules)
        return not taken and kwisatz_haderach_revivable(self.game, self.faction)

    def refusal(self, order: Order) -> Refusal | None:
        if self._revived and isinstance(order, ReviveLeader):
            return Refusal("Only one leader can be revived in a turn.", "revival.one-leader-a-turn")
        refusal = _not_revivable(self.game, self.faction, order) or _unaffordable_leader(self.game, self.faction, order)
        return refusal or (self._beside_others(order) if self.many else None)

    def _beside_others(self, order: Order) -> Refusal | None:
        filed = self.game.filed.get(self.key, ())
        earlier = filed if filed != self._before else ()
        named = _leaders_named(earlier)
        if not isinstance(order, ReviveLeader) or not named or order.leader in named:
            return None
        prices = [leader_price(self.game, self.faction, leader) for leader in (*named, order.leader)]
        if sum(prices) > self.game.player(self.faction).spice:
            spice = self.game.player(self.faction).spice
            why = f"{order.leader} costs {prices[-1]} spice; of your {spice} you spend {sum(prices[:-1])} on others."
            return Refusal(why, "revival.price-of-leaders")
        return _too_many_foreign(self.game, self.faction, order, earlier)

    @classmethod
    def refusal_ahead(cls, game: Game, faction: Faction, order: Order) -> Refusal | None:
        after_tokens, slot = LEADERS_AFTER_TOKENS(game.rules), game.moments.slot
        if after_tokens != (game.state.phase == "revival"):
            when = "in the revival phase" if after_tokens else "at the end of their player's own move"
            return Refusal(f"Leaders come back {when}.", "revival.when-leaders-come-back")
        if after_tokens:
            refusal = _not_revivable(game, faction, order) or _unaffordable_leader(game, faction, order)
            return refusal or _too_many_foreign(game, faction, order, game.held.get(faction, ()))
        if slot is not None and slot.is_past(faction, "revival") and not isinstance(order, Revive):
            why = "You can revive leaders only at the end of your own move, which is over."
            return Refusal(why, "revival.when-leaders-come-back")
        return _not_revivable(game, faction, order)

    @classmethod
    def never_legal(cls, game: Game, faction: Faction, order: Order) -> Refusal | None:
        match order:
            case ReviveLeader(leader):
                return _leader_of_others(game, faction, leader)
            case ReviveKwisatzHaderach() if not rules_of(game, faction).has_kwisatz_haderach(game):
                return Refusal("You have no Kwisatz Haderach.", "revival.kwisatz-haderach")
            case Revive():
                return _not_revivable(game, faction, order)
        return None

    def samples(self) -> Sequence[Order]:
        orders: list[Order] = [ReviveLeader(leader) for leader in self._leaders]
        if self._haderach:
            orders.append(ReviveKwisatzHaderach())
        return [*(order for order in orders if self.refusal(order) is None), NoRevival()]

    @property
    def facts(self) -> Mapping[str, Any]:
        return {
            "what": "leader",
            "many": self.many,
            "foreign": [leader for leader in self._leaders if leader not in leaders_of(self.faction)],
            "leaders": {leader: leader_price(self.game, self.faction, leader) for leader in self._leaders},
            "kwisatz_haderach": self._haderach,
            "kwisatz_haderach_price": haderach_price(self.game, self.faction) if self._haderach else 0,
            "spice": self.game.player(self.faction).spice,
        }


def _not_revivable(game: Game, faction: Faction, order: Order) -> Refusal | None:
    match order:
        case ReviveKwisatzHaderach() if not rules_of(game, faction).has_kwisatz_haderach(game):
            return Refusal("You have no Kwisatz Haderach.", "revival.kwisatz-haderach")
        case ReviveKwisatzHaderach() if not _haderach_is_dead(game, faction):
            return Refusal("The Kwisatz Haderach is not in the tanks.", "revival.kwisatz-haderach")
        case ReviveKwisatzHaderach() if not kwisatz_haderach_revivable(game, faction):
            why = "The Kwisatz Haderach is revived like any other leader, and you still have leaders to play."
            return Refusal(why, "revival.kwisatz-haderach")
        case ReviveLeader(leader) if leader in leaders_of(faction):
            return _leader_stays(game, faction, leader)
        case ReviveLeader(leader):
            return rules_of(game, faction).foreign_leader_refusal(game, leader)
        case Revive():
            return Refusal("Tokens are revived before anybody moves.", "revival.tokens-first")
    return None


def _leaders_named(orders: Sequence[Order]) -> list[Leader]:
    return [order.leader for order in orders if isinstance(order, ReviveLeader)]


def _too_many_foreign(game: Game, faction: Faction, order: Order, earlier: Sequence[Order]) -> Refusal | None:
    if not isinstance(order, ReviveLeader) or order.leader in leaders_of(faction):
        return None
    named = _leaders_named(earlier)
    if not named or order.leader in named or not rules_of(game, faction).revives_leaders_at_will(game):
        return None
    return rules_of(game, faction).refusal_of_foreign_leader_beside(game, named)


def _unaffordable_leader(game: Game, faction: Faction, order: Order) -> Refusal | None:
    spice = game.player(faction).spice
    match order:
        case ReviveKwisatzHaderach() if spice < haderach_price(game, faction):
            why = f"The Kwisatz Haderach costs {haderach_price(game, faction)} spice; you have {spice}."
            return Refusal(why, "revival.kwisatz-haderach")
        case ReviveLeader(leader) if spice < leader_price(game, faction, leader):
            why = f"{leader} costs {leader_price(game, faction, leader)} spice; you have {spice}."
            return Refusal(why, "revival.price-of-leaders")
    return None


def _leader_of_others(game: Game, faction: Faction, leader: Leader) -> Refusal | None:
    if leader in LEADERS and LEADERS[leader].faction == faction:
        return None
    return rules_of(game, faction).never_revives(game, leader)


def _leader_stays(game: Game, faction: Faction, leader: Leader) -> Refusal | None:
    if game.state.leaders[leader].status == "ready":
        return Refusal(f"{leader} is not in the tanks.", "revival.leaders")
    if (service := serving_others(game).get(leader)) is not None:
        why = f"{leader} is in the service of {the_faction(service)}, who alone can let the leader go."
        return Refusal(why, "revival.in-service-of-others")
    able = revivable_leaders(game, faction)
    if not able:
        why = "You can revive leaders only when you have none to play; you still have some."
        if seller := next(iter(factions_with(game, FactionRules.is_paid_for_revival)), None):
            why += f" When the revival begins you can ask {the_faction(seller)}: “ask for {leader}”."
        return Refusal(why, "revival.leaders")
    if leader not in able:
        why = f"{leader} has died more often than your other leaders; now you can revive {', '.join(able)}."
        return Refusal(why, "revival.died-again")
    return None


# --- leaders who may come back ---------------------------------------------------------------------------------------


def _keep_the_right(game: Game, faction: Faction) -> None:
    """Record whether the faction has begun to revive leaders. If it has, it may continue until every leader has come
    back once (AH.IX.D.1-b)."""
    state = game.state
    to_come = any(state.leaders[leader].status == "dead" for leader in _leaders_in_tanks(game, faction))
    to_come = to_come or (HADERACH_IS_A_LEADER(game.rules) and _haderach_is_dead(game, faction))
    if not to_come and faction in state.leader_revivals:
        state.leader_revivals.remove(faction)
    elif to_come and faction not in state.leader_revivals and leader_revival_may_begin(game, faction):
        state.leader_revivals.append(faction)


def revivable_leaders(game: Game, faction: Faction) -> list[Leader]:
    """Return the leaders whom the faction may revive now if it can pay for them, the cheapest first.

    A faction may begin to revive leaders when the rule set's condition is met, and may continue from turn to turn until
    all have come back (AH.IX.D.1). A leader who was killed again must wait until all others who can come back have died
    as often (AH.IX.D.5).
    """
    state, in_tanks = game.state, _leaders_in_tanks(game, faction)
    if rules_of(game, faction).revives_leaders_at_will(game):
        return in_tanks[::-1]
    if not in_tanks or not _leaders_may_return(game, faction):
        return []
    here = set(leaders_of(faction)) - game.captives() - serving_others(game).keys()
    fewest = min((state.leaders[leader].deaths for leader in here), default=0)
    return [leader for leader in reversed(in_tanks) if state.leaders[leader].deaths <= fewest]


def _leaders_in_tanks(game: Game, faction: Faction) -> list[Leader]:
    leaders, elsewhere = game.state.leaders, serving_others(game)
    return [lead for lead in leaders_of(faction) if leaders[lead].status != "ready" and lead not in elsewhere]


def _leaders_may_return(game: Game, faction: Faction) -> bool:
    return faction in game.state.leader_revivals or leader_revival_may_begin(game, faction)


def leader_revival_may_begin(game: Game, faction: Faction) -> bool:
    leaders, gone = game.state.leaders, leaders_counted_as_gone(game)  # AH.IX.D.1
    left = [leader for leader in leaders_of(faction) if leaders[leader].status == "ready" and leader not in gone]
    return LEADER_REVIVAL_BEGINS(game.rules)(game, left)


def leaders_counted_as_gone(game: Game) -> set[Leader]:
    """Return the leaders whom their own faction has lost for good, because another faction has them (IT.GHOLA.8)."""
    able = factions_with(game, FactionRules.leaders_out_of_reach)
    return {leader for faction in able for leader in rules_of(game, faction).leaders_out_of_reach(game)}


def _all_are_dead(game: Game, left: Sequence[Leader]) -> bool:
    return not left  # AH.IX.D.1-a


def _none_can_be_played(game: Game, left: Sequence[Leader]) -> bool:
    """Return whether every leader who is alive is a captive, so that none can be played (AH.QA.D.2)."""
    return game.captives().issuperset(left)


def _may_be_due(game: Game, faction: Faction) -> bool:
    """Return whether, as far as everybody knows, the faction may be able to revive a leader. That can depend on which
    leaders are captives, and only their captor and their own faction know that."""
    state = game.state
    return (
        any(faction in player.captured.values() for player in state.players.values())
        and bool(_leaders_in_tanks(game, faction))
        and _leaders_may_return(game, faction)
    )


def _haderach_is_dead(game: Game, faction: Faction) -> bool:
    return rules_of(game, faction).has_kwisatz_haderach(game) and game.state.kwisatz_haderach == "dead"


def kwisatz_haderach_revivable(game: Game, faction: Faction) -> bool:
    # AH.SHIELD.ATR.4-f, A-16
    if not _haderach_is_dead(game, faction):
        return False
    return not HADERACH_IS_A_LEADER(game.rules) or _leaders_may_return(game, faction)


# --- options ---------------------------------------------------------------------------------------------------------

LEADER_REVIVAL_BEGINS: Option[Callable[[Game, Sequence[Leader]], bool]] = Option(
    "leader_revival_condition", {"all_five_dead": _all_are_dead, "none_available": _none_can_be_played}
)
HADERACH_IS_A_LEADER = Option("kh_revival", {"as_leader": True, "two_spice_any_turn": False})
"""True if the Kwisatz Haderach is revived like a leader: under the same condition, and in place of a leader (A-16)."""

LEADERS_AFTER_TOKENS = Option("leader_revival_when", {"end_of_own_move": False, "revival_phase": True})
"""True if leaders come back in the revival phase, after the tokens, instead of at the end of their player's move."""


def flow(game: Game) -> Flow:
    """Revive tokens, then leaders if the rule set revives them at this time, and then let Atreides look at the spice
    card."""
    for faction in factions_with(game, FactionRules.before_revival):
        yield from rules_of(game, faction).before_revival(game)
    if revival_costs.ONE_AFTER_ANOTHER(game.rules):
        for reviving in game.order_of_play():
            for faction in factions_with(game, FactionRules.before_revival_of):
                yield from rules_of(game, faction).before_revival_of(game, reviving)
            yield from _revive_tokens(game, [reviving])
    else:
        yield from _revive_tokens(game, game.order_of_play())
    game.moments.tokens_are_back = True
    if LEADERS_AFTER_TOKENS(game.rules):
        for faction in game.order_of_play():
            yield from leader_revival(game, faction)
            game.moments.revival_done.append(faction)
    _look_at_the_spice_card(game)


def _revive_tokens(game: Game, reviving: Sequence[Faction]) -> Flow:
    game.moments.tokens_come_back = True
    answers = yield from ask(partial(_token_questions, game, reviving))
    for faction in reviving:
        yield from _time_to_stop_help(game, faction, answers)
    _bring_back(game, reviving, answers)
    game.moments.tokens_come_back = False


def _token_questions(game: Game, reviving: Sequence[Faction]) -> list[Question]:
    tokens = [TokenRevivalQuestion(game, faction) for faction in reviving]
    beside = factions_with(game, FactionRules.beside_revival)
    others = [question for faction in beside for question in rules_of(game, faction).beside_revival(game, reviving)]
    return [*tokens, *support_questions(game, reviving), *others]


def _time_to_stop_help(game: Game, faction: Faction, answers: Answers) -> Flow:
    order = answers.of(faction)  # FAQ.KARAMA-EMP.3
    helper = revival_costs.helper_of(game, faction) if isinstance(order, Revive) else None
    if helper is None or not isinstance(order, Revive) or not karama_can(game.rules, "cancel extra revival"):
        return
    if order.forces.total > revival_costs.own_token_limit(game, faction):
        stopped = game.moments.no_extra_revival
        yield from window(game, "extra-revival", lambda: faction not in stopped, by=helper, ally=faction)


def _to_come_back(game: Game, faction: Faction, answers: Answers) -> Forces:
    """Return the tokens that come back, starred ones first. They may be fewer than the answer asks for, because help
    was stopped, spice was spent, or a card has brought tokens back in the meantime."""
    order = answers.of(faction)
    if not isinstance(order, Revive):
        return Forces()
    wanted = order.forces
    if refuse_tokens(game, faction, wanted) is None:
        return wanted
    tanks = game.player(faction).tanks
    elite = min(wanted.elite, tanks.elite, starred_tokens_left(game, faction))
    if "tokens" in game.moments.no_revival.get(faction, ()):
        return Forces()
    left = min(elite + min(wanted.ordinary, tanks.ordinary), revival_costs.most_tokens(game, faction))
    while left and revival_costs.bill_for_tokens(game, faction, _starred_first(left, elite)).short:
        left -= 1
    return _starred_first(left, elite)


def _starred_first(tokens: int, starred: int) -> Forces:
    return Forces(tokens - min(starred, tokens), min(starred, tokens))


def _bring_back(game: Game, reviving: Sequence[Faction], answers: Answers) -> None:
    bills = []  # all prices are calculated before anybody pays
    for faction in reviving:
        if forces := _to_come_back(game, faction, answers):
            price = revival_costs.bill_for_tokens(game, faction, forces)
            free = min(FACTION_FACTS[faction].free_revival, revival_costs.token_limit(game, faction))
            bills.append((faction, forces, price, revival_costs.helper_of(game, faction), free))
    for faction, forces, price, helper, free in bills:
        paid = revival_costs.pay_for_revival(game, faction, price.own)
        help_: dict[str, Any] = {}
        if helper and price.helped:
            paid = revival_costs.pay_for_revival(game, faction, price.helped, helper)
            help_ = {"helper": helper, "helped": price.helped}
        game.revive(faction, forces)
        if forces.elite:
            game.state.elite_revived.append(faction)
        game.moments.revival_done.append(faction)
        game.tell("tokens-revived", faction=faction, forces=str(forces), price=price.own, **help_, **paid)
        if free:
            revival_costs.note_free_revival(game, faction)


def _look_at_the_spice_card(game: Game) -> None:
    state = game.state
    if not state.spice_deck or state.sights_blocked.get("spice card") == state.turn:
        return
    for faction in game.order_of_play():
        if rules_of(game, faction).sees_spice_card(game):
            game.tell("spice-card-seen", audience=[faction], card=state.spice_deck[0])


QUESTIONS: tuple[type[Question], ...] = (LeaderRevivalQuestion, TokenRevivalQuestion, RevivalSupportQuestion)
