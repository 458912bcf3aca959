"""Revival (AH.IX.B, AH.IX.D, WBC.IX.1, GF9.REV): tokens before anybody ships, a leader after them or at the end of the
own move.

Tokens: as many free as the shield prints, further ones for two spice each, three a turn in all, at most one starred.
Everybody is asked at once, also with empty tanks: the stop is the gap before the look at the spice card, and whoever
holds a Karama may prevent that look here (AH.SHIELD.ATR.2, WBC.AID.17).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

from rules.chapters import revival_costs
from rules.chapters.revival_costs import MOST_TOKENS, TOKEN_PRICE
from rules.chapters.revival_support import RevivalSupportQuestion, support_questions
from rules.components import FACTION_FACTS, LEADERS, Faction, Forces, Leader, faction_name, leader_strength, leaders_of
from rules.decisions.asking import Answers, ask
from rules.decisions.catalogue import rules_of
from rules.decisions.karama import can_do
from rules.decisions.question import Flow, Question
from rules.decisions.windows import window
from rules.orders import NoRevival, Order, Revive, ReviveKwisatzHaderach, ReviveLeader
from rules.rulesets.options import Option, switch
from rules.rulesets.refusal import Refusal
from rules.state.game import Game

KWISATZ_HADERACH_PRICE = 2


def flow(game: Game) -> Flow:
    """The story of the revival of tokens, of leaders where they come back now, and the look at the spice card that
    follows it."""
    game.moments.tokens_come_back = True
    answers = yield from ask(partial(_token_questions, game))
    for faction in game.order_of_play():
        yield from _time_to_stop_help(game, faction, answers)
    _bring_back(game, answers)
    game.moments.tokens_come_back = False
    if LEADERS_AFTER_TOKENS(game.rules):
        for faction in game.order_of_play():
            yield from leader_revival(game, faction)
    _look_at_the_spice_card(game)


def _token_questions(game: Game) -> list[Question]:
    tokens = [TokenRevivalQuestion(game, faction) for faction in game.order_of_play()]
    return [*tokens, *support_questions(game)]


def _time_to_stop_help(game: Game, faction: Faction, answers: Answers) -> Flow:
    """A helper lets the faction have more tokens back than the limit: a Karama may stop that (FAQ.KARAMA-EMP.3)."""
    order = answers.of(faction)
    helper = revival_costs.helper(game, faction) if isinstance(order, Revive) else None
    if helper is None or not isinstance(order, Revive) or not can_do(game.rules, "cancel extra revival"):
        return
    if order.forces.total > revival_costs.own_limit(game, faction):
        stopped = game.moments.no_extra_revival
        yield from window(game, "extra-revival", lambda: faction not in stopped, by=helper, ally=faction)


def _to_come_back(game: Game, faction: Faction, answers: Answers) -> Forces:
    """What the faction has back: what it has said, or less of it where help was stopped since, spice went away or a
    card has brought tokens back; starred ones first."""
    order = answers.of(faction)
    if not isinstance(order, Revive):
        return Forces()
    wanted = order.forces
    if _token_refusal(game, faction, wanted) is None:
        return wanted
    tanks = game.player(faction).tanks
    elite = min(wanted.elite, tanks.elite, starred_left(game, faction))
    left = min(elite + min(wanted.ordinary, tanks.ordinary), revival_costs.most(game, faction))
    while left and revival_costs.bill(game, faction, left).short:
        left -= 1
    return Forces(left - min(elite, left), min(elite, left))


def _bring_back(game: Game, answers: Answers) -> None:
    """Everybody's tokens; what they cost is worked out before anybody has paid."""
    bills = []
    for faction in game.order_of_play():
        if forces := _to_come_back(game, faction, answers):
            price = revival_costs.bill(game, faction, forces.total)
            bills.append((faction, forces, price, revival_costs.helper(game, faction)))
    for faction, forces, price, helper in bills:
        game.pay(faction, price.own)
        help_: dict[str, Any] = {}
        if helper and price.helped:
            game.pay(helper, price.helped)
            help_ = {"helper": helper, "helped": price.helped}
        game.revive(faction, forces)
        if forces.elite:
            game.state.elite_revived.append(faction)
        game.tell("tokens-revived", faction=faction, forces=str(forces), price=price.own, **help_)


def _look_at_the_spice_card(game: Game) -> None:
    """The top of the spice deck, for those alone who have the power to look at it."""
    state = game.state
    if not state.spice_deck or state.sights_blocked.get("spice card") == state.turn:
        return
    for faction in game.order_of_play():
        if rules_of(game, faction).sees_spice_card(game):
            game.tell("spice-card-seen", audience=[faction], card=state.spice_deck[0])


# --- tokens ----------------------------------------------------------------------------------------------------------


def starred_left(game: Game, faction: Faction) -> int:
    """How many starred tokens may still come back this turn (AH.SHIELD.EMP.2-c)."""
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
        return _token_refusal(game, faction, order.forces) if isinstance(order, Revive) else None

    @classmethod
    def never_legal(cls, game: Game, faction: Faction, order: Order) -> Refusal | None:
        if isinstance(order, ReviveLeader | ReviveKwisatzHaderach):
            return Refusal("Tokens are revived here, and leaders elsewhere.", "revival.when-leaders-come-back")
        return None

    @property
    def default(self) -> Order:
        free = self._revivable(FACTION_FACTS[self.faction].free_revival)
        return Revive(free) if free else NoRevival()

    def samples(self) -> Sequence[Order]:
        most = revival_costs.most(self.game, self.faction)
        wanted = dict.fromkeys(self._revivable(number) for number in range(most, 0, -1))
        orders = [Revive(forces) for forces in wanted if forces]
        return [*(order for order in orders if self.refusal(order) is None), NoRevival()]

    @property
    def facts(self) -> Mapping[str, Any]:
        player = self.game.player(self.faction)
        return {
            "what": "tokens",
            "tanks": str(player.tanks),
            "free": FACTION_FACTS[self.faction].free_revival,
            "spice": player.spice,
            "most": min(MOST_TOKENS, revival_costs.most(self.game, self.faction)),
            "helper": revival_costs.helper(self.game, self.faction),
            "helped": revival_costs.pledge(self.game, self.faction),
        }

    def _revivable(self, tokens: int) -> Forces:
        """That many tokens, as far as the tanks have them, a starred one first."""
        tanks = self.game.player(self.faction).tanks
        elite = min(tanks.elite, starred_left(self.game, self.faction), tokens)
        return Forces(min(tanks.ordinary, tokens - elite), elite)


def _token_refusal(game: Game, faction: Faction, forces: Forces) -> Refusal | None:
    """Why the faction cannot revive these now, or None."""
    player = game.player(faction)
    most = revival_costs.most(game, faction)
    if not 1 <= forces.total <= most:
        topic = "revival.tokens" if rules_of(game, faction).buys_tokens(game) else "revival.not-bought"
        return Refusal(f"You may revive 1 to {most} tokens a turn, not {forces.total}.", topic)
    if not player.tanks.covers(forces):
        return Refusal(f"You have {player.tanks} in the tanks, so {forces} cannot come back.", "revival.tokens")
    if forces.elite > starred_left(game, faction):
        return Refusal("One starred token may come back in a turn, by whatever means.", "revival.starred")
    return _unpaid(game, faction, forces)


def _unpaid(game: Game, faction: Faction, forces: Forces) -> Refusal | None:
    """Why there is not the spice to revive so many, or None."""
    if forces.total <= FACTION_FACTS[faction].free_revival and forces.total <= revival_costs.limit(game, faction):
        return None
    price = revival_costs.bill(game, faction, forces.total)
    if not price.short:
        return None
    free, spice = FACTION_FACTS[faction].free_revival, revival_costs.spendable(game, faction)
    limit, helper = revival_costs.own_limit(game, faction), revival_costs.helper(game, faction)
    if forces.total > limit and helper:
        pledge = revival_costs.pledge(game, faction)
        why = (
            f"Beyond {limit} tokens {faction_name(helper)} pay, {TOKEN_PRICE} spice each: they let you spend {pledge}."
        )
        return Refusal(why, "revival.extra")
    cost, most = TOKEN_PRICE * (forces.total - free), min(free + spice // TOKEN_PRICE, MOST_TOKENS)
    why = f"That costs {cost} spice; you have {spice}, so at most {most} tokens."
    return Refusal(why, "revival.price-of-tokens")


# --- a leader --------------------------------------------------------------------------------------------------------


def after_move(game: Game, faction: Faction) -> Flow:
    """Leaders who come back at the end of their player's own move, where the rule set has it so (AH.IX.D.4)."""
    if not LEADERS_AFTER_TOKENS(game.rules):
        yield from leader_revival(game, faction)


def leader_revival(game: Game, faction: Faction) -> Flow:
    """Offer the faction a leader back for its strength in spice, or the Kwisatz Haderach for two.

    At the end of the faction's own move (AH.IX.D.4), or after the tokens (GF9.REV.6). One leader a turn, and the
    Kwisatz Haderach is one of them; only where the rule set lets it come back on any turn does it take nobody's place.
    """
    _keep_the_right(game, faction)
    revived = False
    while True:
        answers = yield from ask(partial(_leader_questions, game, faction, revived))
        match answers.of(faction):
            case ReviveLeader(leader):
                revived = True
                _buy_back(game, faction, leader)
            case ReviveKwisatzHaderach():
                revived = revived or HADERACH_IS_A_LEADER(game.rules)
                game.pay(faction, KWISATZ_HADERACH_PRICE)
                game.state.kwisatz_haderach = "ready"
                game.tell("kwisatz-haderach-revived", faction=faction, price=KWISATZ_HADERACH_PRICE)
            case _:
                return


def _buy_back(game: Game, faction: Faction, leader: Leader) -> None:
    price = leader_strength(leader)
    game.pay(faction, price)
    game.revive_leader(leader)
    game.tell("leader-revived", faction=faction, leader=leader, price=price)


def _leader_questions(game: Game, faction: Faction, revived: bool) -> list[Question]:
    if not _leaders_in_tanks(game, faction) and not _haderach_is_dead(game, faction):
        return []
    question = LeaderRevivalQuestion(game, faction, revived)
    return [question] if question.is_due else []


class LeaderRevivalQuestion(Question):
    """Which leader do you bring back? ``revived``: one has come back this turn already."""

    kind = "revival"

    def __init__(self, game: Game, faction: Faction, revived: bool) -> None:
        super().__init__(game, faction)
        self._revived = revived

    @property
    def is_due(self) -> bool:
        """Whether there is somebody to bring back, or might be for all that others can see."""
        if self._leaders or self._haderach:
            return True
        return not self._revived and _may_be_due(self.game, self.faction)

    @property
    def _leaders(self) -> list[Leader]:
        return [] if self._revived else revivable_leaders(self.game, self.faction)

    @property
    def _haderach(self) -> bool:
        taken = self._revived and HADERACH_IS_A_LEADER(self.game.rules)
        return not taken and kwisatz_haderach_revivable(self.game, self.faction)

    def refusal(self, order: Order) -> Refusal | None:
        one_of_leaders = isinstance(order, ReviveLeader) or HADERACH_IS_A_LEADER(self.game.rules)
        if self._revived and one_of_leaders and not isinstance(order, NoRevival):
            return Refusal("One leader comes back in a turn.", "revival.one-leader-a-turn")
        return _not_revivable(self.game, self.faction, order) or _unaffordable(self.game, self.faction, order)

    @classmethod
    def refusal_ahead(cls, game: Game, faction: Faction, order: Order) -> Refusal | None:
        after_tokens, slot = LEADERS_AFTER_TOKENS(game.rules), game.moments.slot
        if after_tokens != (game.state.phase == "revival"):
            when = "in the revival" if after_tokens else "at the end of their player's own move"
            return Refusal(f"Leaders come back {when}.", "revival.when-leaders-come-back")
        if after_tokens:
            return _not_revivable(game, faction, order) or _unaffordable(game, faction, order)
        if slot is not None and slot.is_past(faction, "revival") and not isinstance(order, Revive):
            why = "Leaders are revived at the end of one's own move; yours is over."
            return Refusal(why, "revival.when-leaders-come-back")
        return _not_revivable(game, faction, order)

    @classmethod
    def never_legal(cls, game: Game, faction: Faction, order: Order) -> Refusal | None:
        match order:
            case ReviveLeader(leader):
                return _not_theirs(faction, leader)
            case ReviveKwisatzHaderach() if not rules_of(game, faction).has_kwisatz_haderach(game):
                return Refusal("You have no Kwisatz Haderach.", "revival.kwisatz-haderach")
            case Revive():
                return _not_revivable(game, faction, order)
        return None

    @property
    def default(self) -> Order:
        return NoRevival()

    def samples(self) -> Sequence[Order]:
        orders: list[Order] = [ReviveLeader(leader) for leader in self._leaders]
        if self._haderach:
            orders.append(ReviveKwisatzHaderach())
        return [*(order for order in orders if self.refusal(order) is None), NoRevival()]

    @property
    def facts(self) -> Mapping[str, Any]:
        return {
            "what": "leader",
            "leaders": {leader: leader_strength(leader) for leader in self._leaders},
            "kwisatz_haderach": self._haderach,
            "spice": self.game.player(self.faction).spice,
        }


def _not_revivable(game: Game, faction: Faction, order: Order) -> Refusal | None:
    """Why this one cannot come back at the end of the faction's move whatever it can pay by then, or None."""
    match order:
        case ReviveKwisatzHaderach() if not _haderach_is_dead(game, faction):
            return Refusal("The Kwisatz Haderach is not in the tanks.", "revival.kwisatz-haderach")
        case ReviveKwisatzHaderach() if not kwisatz_haderach_revivable(game, faction):
            why = "The Kwisatz Haderach comes back like any other leader, and you still have some who can be played."
            return Refusal(why, "revival.kwisatz-haderach")
        case ReviveLeader(leader):
            return _not_theirs(faction, leader) or _leader_stays(game, faction, leader)
        case Revive():
            return Refusal("Tokens are revived before anybody moves.", "revival.tokens-first")
    return None


def _unaffordable(game: Game, faction: Faction, order: Order) -> Refusal | None:
    spice = game.player(faction).spice
    match order:
        case ReviveKwisatzHaderach() if spice < KWISATZ_HADERACH_PRICE:
            why = f"The Kwisatz Haderach costs {KWISATZ_HADERACH_PRICE} spice; you have {spice}."
            return Refusal(why, "revival.kwisatz-haderach")
        case ReviveLeader(leader) if spice < leader_strength(leader):
            why = f"{leader} costs {leader_strength(leader)} spice; you have {spice}."
            return Refusal(why, "revival.price-of-leaders")
    return None


def _not_theirs(faction: Faction, leader: Leader) -> Refusal | None:
    if leader in LEADERS and LEADERS[leader].faction == faction:
        return None
    return Refusal(f"{leader} is not a leader of yours.", "revival.leaders")


def _leader_stays(game: Game, faction: Faction, leader: Leader) -> Refusal | None:
    """Why this leader of the faction cannot come back now, or None."""
    if game.state.leaders[leader].status == "ready":
        return Refusal(f"{leader} is not in the tanks.", "revival.leaders")
    able = revivable_leaders(game, faction)
    if not able:
        why = "Leaders come back once none of your own can be played; you still have some."
        return Refusal(why, "revival.leaders")
    if leader not in able:
        why = f"{leader} has died more often than others of yours; now you may have {', '.join(able)} back."
        return Refusal(why, "revival.died-again")
    return None


# --- who may come back -----------------------------------------------------------------------------------------------


def _keep_the_right(game: Game, faction: Faction) -> None:
    """Once begun, leader revival goes on until all have been back (AH.IX.D.1-b)."""
    state = game.state
    to_come = any(state.leaders[leader].status == "dead" for leader in _leaders_in_tanks(game, faction))
    to_come = to_come or (HADERACH_IS_A_LEADER(game.rules) and _haderach_is_dead(game, faction))
    if not to_come and faction in state.leader_revivals:
        state.leader_revivals.remove(faction)
    elif to_come and faction not in state.leader_revivals and _may_begin(game, faction):
        state.leader_revivals.append(faction)


def revivable_leaders(game: Game, faction: Faction) -> list[Leader]:
    """Whom the faction may bring back now, if it can pay, the cheapest first; empty while others are still there.

    It begins when the rule set's condition is met and then goes on from turn to turn until all have been back
    (AH.IX.D.1). A leader killed again waits until all others that can come back have died as often (AH.IX.D.5).
    """
    state, in_tanks = game.state, _leaders_in_tanks(game, faction)
    if not in_tanks or not _leaders_may_return(game, faction):
        return []
    fewest = min((state.leaders[leader].deaths for leader in set(leaders_of(faction)) - game.captives()), default=0)
    return [leader for leader in reversed(in_tanks) if state.leaders[leader].deaths <= fewest]


def _leaders_in_tanks(game: Game, faction: Faction) -> list[Leader]:
    leaders = game.state.leaders
    return [leader for leader in leaders_of(faction) if leaders[leader].status != "ready"]


def _leaders_may_return(game: Game, faction: Faction) -> bool:
    """Whether leader revival has begun, or may begin now."""
    return faction in game.state.leader_revivals or _may_begin(game, faction)


def _may_begin(game: Game, faction: Faction) -> bool:
    leaders = game.state.leaders
    left = [leader for leader in leaders_of(faction) if leaders[leader].status == "ready"]
    return BEGINS(game.rules)(game, left)


def _all_are_dead(game: Game, left: Sequence[Leader]) -> bool:
    """All five are dead (AH.IX.D.1-a)."""
    return not left


def _none_can_be_played(game: Game, left: Sequence[Leader]) -> bool:
    """Those who are not dead are captive (AH.QA.D.2)."""
    return game.captives().issuperset(left)


def _may_be_due(game: Game, faction: Faction) -> bool:
    """Whether a leader may be due for all that others can see: it can rest on who is captive, which only two know."""
    state = game.state
    return (
        any(faction in player.captured.values() for player in state.players.values())
        and bool(_leaders_in_tanks(game, faction))
        and _leaders_may_return(game, faction)
    )


def _haderach_is_dead(game: Game, faction: Faction) -> bool:
    return rules_of(game, faction).has_kwisatz_haderach(game) and game.state.kwisatz_haderach == "dead"


def kwisatz_haderach_revivable(game: Game, faction: Faction) -> bool:
    """Whether the faction may buy the Kwisatz Haderach back (AH.SHIELD.ATR.4-f, A-16)."""
    if not _haderach_is_dead(game, faction):
        return False
    return not HADERACH_IS_A_LEADER(game.rules) or _leaders_may_return(game, faction)


# --- options ---------------------------------------------------------------------------------------------------------

BEGINS: Option[Callable[[Game, Sequence[Leader]], bool]] = Option(
    "leader_revival_condition", {"all_five_dead": _all_are_dead, "none_available": _none_can_be_played}
)
HADERACH_IS_A_LEADER = Option("kh_revival", {"as_leader": True, "two_spice_any_turn": False})
"""Whether the Kwisatz Haderach comes back as leaders do: when they may, and in the place of one (A-16)."""

LIMIT_HOLDS_FOR_CARDS = switch("starred_revival_limit_all")
"""Whether the one starred token of a turn is the only one by whatever means, cards included (A-56)."""

LEADERS_AFTER_TOKENS = Option("leader_revival_when", {"end_of_own_move": False, "revival_phase": True})
"""Whether leaders come back in the revival phase, after the tokens, instead of at the end of their player's move."""

OPTIONS = (BEGINS, HADERACH_IS_A_LEADER, LIMIT_HOLDS_FOR_CARDS, LEADERS_AFTER_TOKENS, *revival_costs.OPTIONS)
QUESTIONS: tuple[type[Question], ...] = (LeaderRevivalQuestion, TokenRevivalQuestion, RevivalSupportQuestion)
