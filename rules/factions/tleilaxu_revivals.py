"""Tleilaxu help with other factions' revival: raised limits, and leaders brought back early (IT.REV.8 to .21).

Before any forces come back or, in other rule sets, before the forces of each faction do, the Tleilaxu may publicly
raise limits to five (IT.REV.9). When the revival phase begins, every other faction with a dead leader whom it cannot
revive may ask for that leader. The Tleilaxu then name prices. Only the two factions know the request and the price.
Both questions are asked whether or not anybody has made a request, so that other players cannot tell. The faction that
asked accepts or declines the price when it is asked which forces to revive. An accepted price is announced to
everybody.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from rules.chapters import revival, revival_costs
from rules.chapters.revival_costs import MOST_TOKENS, ONE_AFTER_ANOTHER
from rules.components import LEADERS, Faction, Leader, leaders_of, the_faction
from rules.decisions.catalogue import rules_of, serving_others
from rules.decisions.early_orders import not_theirs
from rules.decisions.question import Flow, Question, ask
from rules.decisions.windows import window
from rules.factions.face_dancers import FACE_DOWN_COME_EARLY
from rules.orders import Accept, AskForLeader, Decline, NamePrice, NoPrice, NoRequest, Order, RaiseLimits
from rules.rulesets.rulebook import Refusal
from rules.state.game import Game
from rules.state.moments import EarlyOffer

RAISED = 5
HADERACH = "Kwisatz Haderach"


# --- the flow --------------------------------------------------------------------------------------------------------


def ask_before_revival(game: Game, faction: Faction) -> Flow:
    def build() -> list[Question]:
        limits = [] if ONE_AFTER_ANOTHER(game.rules) else _limits_to_raise(game, faction)
        others = (other for other in game.order_of_play() if other != faction and may_ask(game, other))
        return [*limits, *(RequestQuestion(game, other, faction) for other in others)]

    asked = [other for other in game.order_of_play() if other != faction and may_ask(game, other)]
    answers = yield from ask(build)
    _raise(game, faction, answers.all_of(faction), _others(game, faction))
    requests = {other: request for other in asked if isinstance(request := answers.of(other), AskForLeader)}
    for other, request in requests.items():
        game.tell("leader-asked-for", audience=[faction, other], faction=other, of=faction, leader=_name(request))
    if asked:
        yield from _name_prices(game, faction, requests)


def _limits_to_raise(game: Game, faction: Faction) -> list[Question]:
    others = _others(game, faction)
    settled = game.state.box.revival_limits or game.moments.limits_stay
    if settled or not any(_wants_more(game, other) for other in others):
        return []
    return [LimitsQuestion(game, faction, others)]


def limit_of(game: Game, faction: Faction, reviving: Faction) -> Flow:
    """Ask whether the Tleilaxu raise a faction's limit, just before its forces come back (IT.REV.9). The same answer
    may also raise the limits of factions that come later."""
    order = game.order_of_play()
    later = [other for other in order[order.index(reviving) :] if other != faction]
    raised, stay = game.state.box.revival_limits, game.moments.limits_stay
    if reviving in (faction, *raised) or stay or not _wants_more(game, reviving):
        return
    answers = yield from ask(lambda: [LimitsQuestion(game, faction, later, reviving)])
    _raise(game, faction, answers.all_of(faction), later)


def _others(game: Game, faction: Faction) -> list[Faction]:
    return [other for other in game.order_of_play() if other != faction]


def _wants_more(game: Game, faction: Faction) -> bool:
    return game.player(faction).tanks.total > MOST_TOKENS


def _raise(game: Game, faction: Faction, orders: Sequence[Order], others: Sequence[Faction]) -> None:
    lines = [order for order in orders if isinstance(order, RaiseLimits)]
    if not lines:
        return
    meant: set[Faction] = set()
    for line in lines:
        named = set(others) if line.everybody else set(line.factions)
        meant = meant | named if named else named
    raised = [other for other in others if other in meant]
    game.state.box.revival_limits |= dict.fromkeys(raised, RAISED)
    game.tell("revival-limits", faction=faction, raised=raised, limit=RAISED)


def _name_prices(game: Game, faction: Faction, requests: Mapping[Faction, AskForLeader]) -> Flow:
    answers = yield from ask(lambda: [PriceQuestion(game, faction, requests)])
    for order in answers.all_of(faction):
        if not isinstance(order, NamePrice):
            continue
        for other, request in requests.items():
            if _leader_meant(request) == _leader_meant(order):
                game.moments.early_offers[other] = EarlyOffer(faction, order.leader, order.amount)
                named = _name(request)
                heard = [faction, other]
                game.tell("leader-priced", audience=heard, faction=other, of=faction, leader=named, price=order.amount)


def offers(game: Game, reviving: Collection[Faction]) -> list[Question]:
    offered = game.moments.early_offers.items()
    return [OfferQuestion(game, owner, offer) for owner, offer in offered if owner in reviving]


def _accepted(game: Game, owner: Faction, offered: EarlyOffer) -> Flow:
    """Revive at once the leader whose price was accepted, unless a Karama stops that (FAQ.KARAMA-TLE.5)."""
    name = offered.leader or HADERACH
    told: dict[str, Any] = {"faction": owner, "of": offered.by, "leader": name, "price": offered.price}
    game.tell("early-revival-agreed", **told)
    agreed = game.moments.early_agreed = offered
    yield from window(
        game, "early-revival", lambda: game.moments.early_agreed is agreed, by=offered.by, owner=owner, **told
    )
    if game.moments.early_agreed is not agreed:
        return
    game.moments.early_agreed = None
    if game.player(owner).spice < offered.price or not _lies_dead(game, offered.leader):
        game.tell("early-revival-failed", audience=[owner, offered.by], **told)
        return
    game.pay(owner, offered.price, to=offered.by)
    paid: dict[str, Any] = {"price": offered.price, **({"paid_to": offered.by} if offered.price else {})}
    if offered.leader is None:
        game.state.kwisatz_haderach = "ready"
        game.tell("kwisatz-haderach-revived", faction=owner, **paid)
    else:
        game.state.box.gholas.pop(offered.leader, None)
        game.revive_leader(offered.leader)
        game.tell("leader-revived", faction=owner, leader=offered.leader, **paid)
    game.moments.leader_back.append(owner)


def _lies_dead(game: Game, leader: Leader | None) -> bool:
    if leader is None:
        return game.state.kwisatz_haderach == "dead"
    return game.state.leaders[leader].status != "ready"


# --- leaders who may come back early ---------------------------------------------------------------------------------


def may_ask(game: Game, faction: Faction) -> bool:
    if "leaders" in game.moments.no_revival.get(faction, ()):
        return False
    return bool(to_ask_for(game, faction)) or haderach_to_ask_for(game, faction)


def to_ask_for(game: Game, faction: Faction) -> list[Leader]:
    dead = (leader for leader in leaders_of(faction) if game.state.leaders[leader].status != "ready")
    return [leader for leader in dead if _not_to_ask_for(game, faction, leader) is None]


def haderach_to_ask_for(game: Game, faction: Faction) -> bool:
    dead = rules_of(game, faction).has_kwisatz_haderach(game) and game.state.kwisatz_haderach == "dead"
    return dead and not revival.kwisatz_haderach_revivable(game, faction)


def _not_to_ask_for(game: Game, faction: Faction, leader: Leader) -> Refusal | None:
    standing = game.state.leaders[leader]
    if leader in serving_others(game):
        if standing.status == "ready":
            why = f"{leader} is alive in the service of others and cannot be sold."
            return Refusal(why, "revival.in-service-of-others")
        return None
    if standing.status == "ready":
        return Refusal(f"{leader} is not in the tanks.", "revival.early")
    if standing.status == "face-down" and not FACE_DOWN_COME_EARLY(game.rules):
        return Refusal(f"{leader} lies face down and does not come back early.", "revival.early")
    if rules_of(game, faction).revives_leaders_at_will(game):
        return Refusal(f"Your own leaders come back whenever you like: “revive {leader}”.", "revival.at-will")
    if revival.leader_revival_may_begin(game, faction) or leader in revival.revivable_leaders(game, faction):
        why = (
            "None of your leaders can be played, so they come back by the general rule: one a turn, for their strength."
        )
        return Refusal(why, "revival.not-early")
    return None


def _name(order: AskForLeader | NamePrice | NoPrice) -> str:
    return order.leader or HADERACH


def _leader_meant(order: AskForLeader | NamePrice | NoPrice) -> tuple[Leader | None, bool]:
    """Return the leader that the order names, and whether it names the Kwisatz Haderach. The pair (None, False) stands
    for all requests that have not been answered."""
    return order.leader, order.kwisatz_haderach


# --- the questions ---------------------------------------------------------------------------------------------------


class LimitsQuestion(Question):
    of_expansion = True
    kind = "revival-limits"
    many = True
    only_refusal = Refusal("Only the Tleilaxu can raise revival limits.", "revival.raised-limits")
    default = RaiseLimits()

    def __init__(
        self, game: Game, faction: Faction, others: Sequence[Faction], reviving: Faction | None = None
    ) -> None:
        super().__init__(game, faction)
        self._others = others
        self._offered = [reviving] if reviving else others

    def refusal(self, order: Order) -> Refusal | None:
        if refusal := self.never_legal(self.game, self.faction, order):
            return refusal
        for other in order.factions if isinstance(order, RaiseLimits) else ():
            if other not in self._others:
                return Refusal(f"The revival of {the_faction(other)} is over this turn.", "revival.raised-limits")
        return None

    @classmethod
    def never_legal(cls, game: Game, faction: Faction, order: Order) -> Refusal | None:
        if not isinstance(order, RaiseLimits):
            return None
        if not rules_of(game, faction).revives_leaders_at_will(game):
            return cls.only_refusal
        if faction in order.factions:
            return Refusal("Your own revival has no limit.", "revival.raised-limits")
        for other in order.factions:
            if not game.plays(other):
                return Refusal(f"Nobody plays {the_faction(other)} in this game.", "revival.raised-limits")
        return None

    @classmethod
    def refusal_ahead(cls, game: Game, faction: Faction, order: Order) -> Refusal | None:
        why = "Limits can be raised only when the revival begins, for players with more than three tokens in the tanks."
        return cls.never_legal(game, faction, order) or Refusal(why, "revival.raised-limits")

    def samples(self) -> Sequence[Order]:
        some = (RaiseLimits((other,)) for other in self._others if _wants_more(self.game, other))
        return [RaiseLimits(), RaiseLimits(everybody=True), *some]

    @property
    def facts(self) -> Mapping[str, Any]:
        dead = {other: self.game.player(other).tanks.total for other in self._offered if _wants_more(self.game, other)}
        return {"limit": RAISED, "dead": dead}


class RequestQuestion(Question):
    of_expansion = True
    kind = "early-revival"
    default = NoRequest()

    def __init__(self, game: Game, faction: Faction, seller: Faction) -> None:
        super().__init__(game, faction)
        self._seller = seller

    def refusal(self, order: Order) -> Refusal | None:
        return self._wrong(self.game, self.faction, order) or self._second(order)

    def _second(self, order: Order) -> Refusal | None:
        """Refuse to ask for a second leader this turn, unless the first request is withdrawn (FAQ.TLEILAXU.7)."""
        filed = self.game.filed.get(self.key, ())
        if not isinstance(order, AskForLeader) or not filed or not isinstance(filed[-1], AskForLeader):
            return None
        if filed[-1] == order or self._wrong(self.game, self.faction, filed[-1]):
            return None  # the leader asked for has come back meanwhile
        asked = _name(filed[-1])
        why = f"You have asked for {asked}, and only one leader a turn comes back early; “no request” withdraws that."
        return Refusal(why, "revival.early")

    @classmethod
    def _wrong(cls, game: Game, faction: Faction, order: Order) -> Refusal | None:
        match order:
            case AskForLeader(kwisatz_haderach=True) if not haderach_to_ask_for(game, faction):
                return Refusal("There is no Kwisatz Haderach for you to ask for now.", "revival.early")
            case AskForLeader(leader=leader) if leader is not None:
                return cls.never_legal(game, faction, order) or _not_to_ask_for(game, faction, leader)
        return None

    @classmethod
    def never_legal(cls, game: Game, faction: Faction, order: Order) -> Refusal | None:
        match order:
            case AskForLeader(leader=leader) if leader and (
                leader not in LEADERS or LEADERS[leader].faction != faction
            ):
                return Refusal(f"{leader} is not one of your leaders.", "revival.early")
            case AskForLeader(kwisatz_haderach=True) if not rules_of(game, faction).has_kwisatz_haderach(game):
                return Refusal("You have no Kwisatz Haderach.", "revival.kwisatz-haderach")
        return None

    @classmethod
    def refusal_ahead(cls, game: Game, faction: Faction, order: Order) -> Refusal | None:
        why = "You can ask only the Tleilaxu for leaders, and only when the revival begins."
        return cls._wrong(game, faction, order) or Refusal(why, "revival.early")

    def samples(self) -> Sequence[Order]:
        wanted = [AskForLeader(leader) for leader in to_ask_for(self.game, self.faction)]
        haderach = [AskForLeader(kwisatz_haderach=True)] if haderach_to_ask_for(self.game, self.faction) else []
        return [NoRequest(), *wanted, *haderach]

    @property
    def facts(self) -> Mapping[str, Any]:
        return {
            "seller": self._seller,
            "leaders": to_ask_for(self.game, self.faction),
            "kwisatz_haderach": haderach_to_ask_for(self.game, self.faction),
        }


class PriceQuestion(Question):
    """Asks the Tleilaxu for the prices at which they bring back the leaders that others have asked for. The question is
    asked even if there are no requests.

    The question stays open until every request has been answered, over any number of messages. This reveals nothing,
    because the Tleilaxu can keep the question open just as long if there are no requests.
    """

    of_expansion = True
    kind = "revival-price"
    many = True
    only_refusal = Refusal("Only the Tleilaxu can sell the early revival of leaders.", "revival.early")
    default = NoPrice()

    def __init__(self, game: Game, faction: Faction, requests: Mapping[Faction, AskForLeader]) -> None:
        super().__init__(game, faction)
        self._requests = requests

    def refusal(self, order: Order) -> Refusal | None:
        if not isinstance(order, NamePrice | NoPrice) or order == NoPrice():
            return None
        if any(_leader_meant(request) == _leader_meant(order) for request in self._requests.values()):
            return None
        return Refusal(f"Nobody has asked you for {_name(order)}.", "revival.early")

    @classmethod
    def refusal_ahead(cls, game: Game, faction: Faction, order: Order) -> Refusal | None:
        why = "You can name prices only in the revival, after the others have asked."
        return not_theirs(game, faction, cls) or Refusal(why, "revival.early")

    def answered_by(self, orders: Sequence[Order]) -> bool:
        return not self._left(orders)

    def _left(self, orders: Sequence[Order]) -> Mapping[Faction, AskForLeader]:
        answered = [_leader_meant(order) for order in orders if isinstance(order, NamePrice | NoPrice)]
        if _leader_meant(NoPrice()) in answered:
            return {}
        return {other: request for other, request in self._requests.items() if _leader_meant(request) not in answered}

    def _to_answer(self) -> Mapping[Faction, AskForLeader]:
        return self._left(self.game.filed.get(self.key, ()))

    def stays_beside(self, earlier: Order, later: Order) -> bool:
        """Return whether both lines apply. Prices may be named one by one, and “no price” applies to the requests that
        have not been answered."""
        if isinstance(earlier, NamePrice | NoPrice) and isinstance(later, NamePrice | NoPrice):
            return _leader_meant(earlier) != _leader_meant(later)
        return False

    def samples(self) -> Sequence[Order]:
        prices = [
            NamePrice(amount, request.leader, request.kwisatz_haderach)
            for request in self._to_answer().values()
            for amount in (0, 2, 4)
        ]
        return [NoPrice(), *prices]

    @property
    def facts(self) -> Mapping[str, Any]:
        return {"requests": {other: _name(request) for other, request in self._to_answer().items()}}


class OfferQuestion(Question):
    of_expansion = True
    kind = "offer"
    public = False
    at_once = True
    default = Decline()

    def __init__(self, game: Game, owner: Faction, offered: EarlyOffer) -> None:
        super().__init__(game, owner, subject=offered.leader or HADERACH)
        self._offered = offered

    def refusal(self, order: Order) -> Refusal | None:
        if not isinstance(order, Accept):
            return None
        spice, price = revival_costs.spendable_spice(self.game, self.faction), self._offered.price
        if spice < price:
            return Refusal(f"That costs {price} spice; you have {spice}.", "revival.early")
        if "leaders" in self.game.moments.no_revival.get(self.faction, ()):
            return Refusal("A Karama has stopped your revival this turn.", "revival.stopped")
        return None

    @classmethod
    def refusal_ahead(cls, game: Game, faction: Faction, order: Order) -> Refusal | None:
        return Refusal("Nothing is offered to you now.", "revival.early")

    def samples(self) -> Sequence[Order]:
        return [Decline()] if self.refusal(Accept()) else [Accept(), Decline()]

    @property
    def facts(self) -> Mapping[str, Any]:
        name = self._offered.leader or HADERACH
        return {"what": "leader", "from": self._offered.by, "leader": name, "price": self._offered.price}

    def carry_out(self, order: Order) -> Flow:
        offered = self.game.moments.early_offers.pop(self.faction)
        if isinstance(order, Accept):
            yield from _accepted(self.game, self.faction, offered)
        else:
            heard, name = [self.faction, offered.by], offered.leader or HADERACH
            self.game.tell("early-revival-declined", audience=heard, faction=self.faction, of=offered.by, leader=name)
        yield from ()


QUESTIONS: tuple[type[Question], ...] = (LimitsQuestion, RequestQuestion, PriceQuestion, OfferQuestion)
