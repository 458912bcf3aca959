"""Enforcement of Truthtrance answers about the future (WBC.AID.6 to 12, A-47).

Every question passes through ``bind``. ``bind`` refuses an answer that would break a promise, and changes the default
to an order that keeps the promises. If a promise can no longer be kept, ``bind`` announces this and voids the promise
(WBC.AID.9). The answer *no* forbids the act. The answer *yes* obliges the player to perform the act when the decision
about it comes up, if the act is possible then. Players need not bring that decision about, or make the promise's
condition come true (WBC.AID.7). If promises conflict, the earlier ones prevail.

The chapters therefore need not know about promises, and promises cost nothing in a game that has none. The one
exception is the Voice chapter, because the Voice yields to an earlier promise
(``rules.chapters.voice_and_prescience``). ``rules.cards.promised_acts`` defines the acts and orders that a promise is
about.

``settle`` runs when a stop is over: it adds promised orders that are still missing from an answer, and drops promises
that have been kept. ``notice`` reads the events that everybody has seen. It finds conditions that have come true, and
cards or powers played at a stop that keep a promise. So a condition never binds a player before everybody knows that it
is met (WBC.AID.7, WBC.AID.8).

``last_call`` runs at the last moment at which a promised card can be played (WBC.AID.8, WBC.AID.9). Players who
promised to play a Karama, a Ghola or a Truthtrance may choose the moment themselves, up to the end of the collection
round in the promised turn, or in an earlier turn that is announced as the last. At that moment they are asked, must
play the card if they can, and play it by default. If they cannot, the answer is announced as void. If they kept a
Karama that they could have played, the promise is announced as not kept. A promise to enter a territory also ends then
if entering it was no longer possible.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import takewhile
from typing import Any

from rules import orders as o
from rules.cards import promised_acts
from rules.cards.karama_movement_and_battle import MOST_TOKENS_REVIVED as MOST_BY_KARAMA
from rules.cards.promised_acts import forbid, in_named_battle, order_does
from rules.cards.special_cards import GHOLA, MOST_TOKENS_BY_GHOLA
from rules.cards.truthtrance import TRUTHTRANCE
from rules.chapters import occupancy, spice_blow, voice_and_prescience
from rules.components import KARAMA, Card, Faction, Forces, leaders_of
from rules.components.board import TerritoryId, territory_of
from rules.decisions.catalogue import carry_out_play, check_play, rules_of
from rules.decisions.question import Flow, Question, Stop, ask
from rules.decisions.windows import karama_card
from rules.orders import readings as r
from rules.rulesets.rulebook import Refusal
from rules.state.events import Event, card_played
from rules.state.game import Game
from rules.state.state import Promise

__all__ = ["bind", "forbid", "last_call", "mend", "notice", "settle"]


def bind(game: Game, ask: Callable[[], Sequence[Question]]) -> Sequence[Question]:
    notice(game)
    return [_bound(game, question) for question in ask()]


def _bound(game: Game, question: Question) -> Question:
    here = [
        p
        for p in promised_acts.standing_promises(game, question.faction)
        if question.kind in promised_acts.kinds_of_question(game, p)
    ]
    if not here:
        return question
    kept: list[Promise] = []
    reminded = list(here)
    for promise in here:
        if not promised_acts.promise_demands(game, promise, question):
            continue
        if mend(game, question, [*kept, promise]) is not None:
            kept.append(promise)
        elif question.kind != "prescience-answer":
            promised_acts.void_promise(game, promise)
            reminded.remove(promise)
    return PromisedQuestion(game, question, reminded, kept)


class PromisedQuestion(Question):
    """A question to a player whose answer is bound by promises. ``reminded`` holds the promises that concern the
    question, and ``kept`` is the subset that the answer must keep."""

    def __init__(self, game: Game, asked: Question, reminded: Sequence[Promise], kept: Sequence[Promise]) -> None:
        self.kind, self.takes = asked.kind, asked.takes
        super().__init__(game, asked.faction, asked.subject)
        self._asked, self._kept = asked, kept
        self._words = [promised_acts.promise_in_words(promise) for promise in reminded]
        self._mended = mend(game, asked, kept) if kept else None
        self.public, self.blanket, self.many = asked.public, asked.blanket, asked.many
        self.beside, self.at_once, self.leads_on = asked.beside, asked.at_once, asked.leads_on

    def refusal(self, order: o.Order) -> Refusal | None:
        owed = [promise for promise in self._kept if promise.forbids or not self._kept_by_a_line(promise, order)]
        return self._asked.refusal(order) or _breach(self.game, owed, order)

    def _kept_by_a_line(self, promise: Promise, order: o.Order) -> bool:
        """Return whether another line of the answer already revives the promised leader, so that this line may name a
        different leader. If a later message leaves the promised leader out, ``settling`` adds them again."""
        if not self.many or not isinstance(promise.act, r.ReviveOneOf) or isinstance(order, o.NoRevival):
            return False
        return any(order_does(self.game, promise, line) for line in self.game.filed.get(self.key, ()))

    @property
    def default(self) -> o.Order:
        return self._mended or self._asked.default

    def samples(self) -> Sequence[o.Order]:
        return [order for order in self._asked.samples() if self.refusal(order) is None] or [self.default]

    @property
    def facts(self) -> Mapping[str, Any]:
        return {**self._asked.facts, "promised": self._words} if self._words else self._asked.facts

    def warnings(self, order: o.Order) -> Sequence[Refusal]:
        return self._asked.warnings(order)

    def stays_beside(self, earlier: o.Order, later: o.Order) -> bool:
        return self._asked.stays_beside(earlier, later)

    def answered_by(self, orders: Sequence[o.Order]) -> bool:
        return self._asked.answered_by(orders)

    def carry_out(self, order: o.Order) -> Flow:
        return self._asked.carry_out(order)


def mend(game: Game, question: Question, promises: Sequence[Promise]) -> o.Order | None:
    """Return the default answer under these promises: the usual default if it keeps all of them, else another order
    that keeps them, else None."""

    def fits(order: o.Order) -> bool:
        whole = not question.warnings(order)
        kept = all(order_does(game, promise, order) != promise.forbids for promise in promises)
        return (
            kept and question.refusal(order) is None and whole and not _only_on_the_way(game, question.faction, order)
        )

    if fits(question.default):
        return question.default
    return next(filter(fits, _candidates(game, question, promises)), None)


def _only_on_the_way(game: Game, faction: Faction, order: o.Order) -> bool:
    """Return whether the shipment lands in a territory where it cannot stay, for example with an ally. No promise
    obliges the player to move on from there (FAQ.TRUTHTRANCE.3)."""
    target = territory_of(order.target) if isinstance(order, o.Ship) and order.target else None
    return target is not None and occupancy.entry_barred(game, faction, target) is not None


def _candidates(game: Game, question: Question, promises: Sequence[Promise]) -> Iterator[o.Order]:
    for promise in promises:
        if not promise.forbids:
            yield from promised_acts.orders_for(game, question, promise.act)
    battle = game.moments.battle
    if question.kind in promised_acts.PLAN_QUESTIONS and battle and isinstance(question.default, o.Plan):
        yield from voice_and_prescience.plan_sketches(game, battle, question.faction, promises, question.default)
    yield from question.samples()


def _breach(game: Game, promises: Sequence[Promise], order: o.Order) -> Refusal | None:
    for promise in promises:
        done = order_does(game, promise, order)
        if promise.forbids and done:
            return promised_acts.refusal_of_a_breach(promise)
        if not promise.forbids and not done and not _stands_beside(game, promise.act, order):
            return promised_acts.refusal_of_a_breach(promise)
    return None


def _stands_beside(game: Game, act: r.Act | None, order: o.Order) -> bool:
    match act, order:
        case (
            (r.AllyWith(), o.BreakAlliance())
            | (r.LeaveAlliance(), o.Ally())
            | (r.MoveTo() | r.Enter() | r.Attack(), o.Hajr())
        ):
            return True
        case r.PlayCard(), o.Move() | o.WeatherControl() | o.FamilyAtomics():
            return True
        case r.AllyWith(), o.Ally():
            return spice_blow.largest_alliance(game) > 2
        case r.GiveSpice(faction), o.Give(_, other):
            return faction != other
    return False


OUTLASTS_THE_ACT = (r.ShipTo, r.AllyWith)  # one shipment a turn; an ally may have to be named at more than one nexus


def settle(game: Game, stop: Stop) -> bool:
    """Finish a stop: add the promised orders that an answer of several orders still lacks, and drop the promises that
    were kept. Return whether an added gift has reopened the stop, because its receiver must now be asked."""
    gifts_put_in = False
    for key in list(stop.given):
        question = stop.open[key]
        for promise in promised_acts.standing_promises(game, question.faction):
            if promise.forbids or not promised_acts.question_concerns(game, promise, question):
                continue
            done = any(order_does(game, promise, order) for order in stop.given[key])
            if question.many and not done and promised_acts.promise_demands(game, promise, question):
                _put_in(game, stop, question, promise)
            if _is_done_for_good(game, promise, question, stop):
                game.state.promises.remove(promise)
        if question.kind == "transfer" and game.filed.get(key) != stop.given[key]:
            game.filed[key] = stop.given[key]
            gifts_put_in = True
    if any(question.kind == "nexus" for question in stop.open.values()):
        game.state.promises = [promise for promise in game.state.promises if not promise.scope.nexus]
    if gifts_put_in:
        stop.rebuild()
    return gifts_put_in


def _put_in(game: Game, stop: Stop, question: Question, promise: Promise) -> None:
    """Add the promised orders in front of the player's own. Otherwise, other gifts might use up the spice, or other
    allies might take the place."""
    owed = tuple(_first_legal(question, promised_acts.orders_for(game, question, promise.act)))
    stop.given[question.key] = (*owed, *stop.given[question.key])


def _is_done_for_good(game: Game, promise: Promise, question: Question, stop: Stop) -> bool:
    """Return whether the act can no longer be undone. For example, a plan without a leader is not final, because the
    player may have to make it again (AH.QA.B.7-b)."""
    given = [order for orders in stop.given.values() for order in orders]
    if isinstance(promise.act, OUTLASTS_THE_ACT) or question.kind == "prescience-answer":
        return False
    by_itself = isinstance(promise.act, r.PlayCard) and question.kind not in promised_acts.PLAN_QUESTIONS
    if by_itself or isinstance(promise.act, r.GiveSpice):
        return False  # a Karama may only be intended, a gift undone: the public act fulfils the promise
    if any(isinstance(order, o.Plan) and order.leader is None for order in given):
        return False
    return any(order_does(game, promise, order) for order in stop.given[question.key])


def _first_legal(question: Question, orders: Iterable[o.Order]) -> list[o.Order]:
    return [order for order in orders if question.refusal(order) is None][:1]


OUT_OF_TURN = (r.PlayCard, r.Enter, r.Attack, r.GiveSpice, r.ReviveTokens, r.ReviveOneOf)
"""Acts that are possible at other times, not only in answer to the question about them."""


def notice(game: Game) -> None:
    """Read the events since the last call: mark conditions as met and promises as kept."""
    state = game.state
    for promise in list(state.promises):
        scope = promise.scope
        news = [event for event in _since(game, promise.read_to) if scope.first_turn <= event.turn <= scope.last_turn]
        promise.read_to = state.events
        if promise.condition is not None:
            promise.met = _condition_is_met(game, promise, news)
        if news and _is_kept_by_events(game, promise, news):
            state.promises = [other for other in state.promises if other is not promise]


def _since(game: Game, number: int) -> Iterator[Event]:
    return takewhile(lambda event: event.number >= number, reversed(game.events))


def _is_kept_by_events(game: Game, promise: Promise, news: Sequence[Event]) -> bool:
    act = promise.act
    if promise.forbids or not promise.binds or not isinstance(act, OUT_OF_TURN) or not in_named_battle(game, promise):
        return False
    return any(event_shows(game, event, promise.faction, act) for event in news)


def _condition_is_met(game: Game, promise: Promise, news: Sequence[Event]) -> bool:
    """Return whether the condition is met. A condition about an act stays met once the act has been done, but a
    condition about a state must still be true now."""
    state = game.state
    match promise.condition:
        case r.Allied(one, other):
            return state.allied(one, other)
        case r.Stands(faction, territory):
            return faction in state.forces_in(territory)
        case r.Holds(cards):
            return any(game.holds(promise.faction, card) for card in cards)
        case r.Does(faction, act):
            return promise.met or any(event_shows(game, event, faction, act) for event in news)
        case r.Buys(faction, number):
            return promise.met or any(
                event.kind == "card-sold" and event.facts["buyer"] == faction and number in (0, event.facts["number"])
                for event in news
            )
        case r.Comes(what):
            return promise.met or any(event.kind == what for event in news)
    return True


def event_shows(game: Game, event: Event, faction: Faction, act: r.Act) -> bool:
    facts = event.facts
    match act, event.kind:
        case r.PlayCard(cards), _:
            return card_played(event.kind, facts, faction) in cards
        case r.Attack(other, goal), "battle-begins":
            return {facts["aggressor"], facts["defender"]} == {faction, other} and goal in (None, facts["territory"])
        case r.AllyWith(other), "alliance-formed":
            return faction in facts["factions"] and other in facts["factions"]
        case r.CallTreachery(), "treachery-called":
            return bool(facts["caller"] == faction)
        case r.GiveSpice(other, amount), "spice-given" | "spice-set-aside":
            given = facts.get("amount", event.told_to(faction).get("amount", 0))
            pair = (facts["payer"], facts["receiver"], facts["why"])
            return pair == (faction, other, "gift") and amount.holds(given)
    return _is_of(game, event, faction) and _tells_of(event, act)


def _is_of(game: Game, event: Event, faction: Faction) -> bool:
    if "faction" in event.facts:
        return bool(event.facts["faction"] == faction)
    return event.kind in rules_of(game, faction).unnamed_event_kinds


def _tells_of(event: Event, act: r.Act) -> bool:
    facts = event.facts
    match act, event.kind:
        case r.BidFor(amount), "bid":
            number = facts["amount"]
            return amount.most is None if number is None else number > 0 and amount.holds(number)
        case r.ShipTo(goal, amount), "shipment":
            there = territory_of(facts["target"]) if facts["target"] else None
            return goal in (None, there) and amount.holds(_tokens(facts["forces"]))
        case r.MoveTo(goal, amount), "move":
            return goal in (None, territory_of(facts["target"])) and amount.holds(_tokens(facts["forces"]))
        case r.Enter(goal), _:
            return _arrival(event) == goal
        case r.SendAdvisor(goal), "advisor":
            return goal in (None, territory_of(facts["area"]))
        case r.RideWorm(goal), "worm-ridden":
            return goal in (None, territory_of(facts["target"]))
        case r.ReviveTokens(amount), "tokens-revived" | "ghola-tokens":
            return amount.holds(_tokens(facts["forces"]))
        case r.ReviveOneOf(leaders), "leader-revived" | "ghola-leader":
            return facts["leader"] in leaders
        case r.ReviveOneOf(leaders), "kwisatz-haderach-revived" | "ghola-kwisatz-haderach":
            return r.KWISATZ_HADERACH in leaders
        case r.UsePrescience(elements), "prescience-asked":
            return facts["element"] in elements
        case (r.LeaveAlliance(), "alliance-broken") | (r.TakeCharity(), "charity") | (r.UseVoice(), "voice-given"):
            return True
    return False


def _arrival(event: Event) -> TerritoryId | None:
    facts = event.facts
    match event.kind:
        case "shipment" if facts["target"]:
            return territory_of(facts["target"])
        case "move" | "worm-ridden":
            return territory_of(facts["target"])
        case "advisor":
            return territory_of(facts["area"])
    return None


def _tokens(forces: str) -> int:
    return Forces.parse(forces).total


AT_ANY_STOP = frozenset((KARAMA, TRUTHTRANCE, GHOLA, Card("Hajr")))


def last_call(game: Game) -> Flow:
    notice(game)
    for promise in [promise for promise in game.state.promises if _ends_now(game, promise)]:
        yield from _demand(game, promise)
        if _stands(game, promise):
            held = isinstance(promise.act, r.PlayCard) and KARAMA in promise.act.cards
            if held and karama_card(game, promise.faction):
                promised_acts.note_unkept(game, promise)
            else:
                promised_acts.void_promise(game, promise)


def _ends_now(game: Game, promise: Promise) -> bool:
    if promise.forbids or not promise.binds or promise.scope.in_battle:
        return False
    last = min(promise.scope.last_turn, game.state.last_turn or promise.scope.last_turn)
    if not promise.scope.first_turn <= game.state.turn == last:
        return False
    match promise.act:
        case r.PlayCard(cards):
            return AT_ANY_STOP.issuperset(cards)
        case r.Enter() | r.Attack():
            return True
    return False


def _stands(game: Game, promise: Promise) -> bool:
    notice(game)
    return any(other is promise for other in game.state.promises)


def _demand(game: Game, promise: Promise) -> Flow:
    def build() -> list[Question]:
        plays = list(_plays(game, promise)) if _stands(game, promise) else []
        return [LastCallQuestion(game, promise, plays)] if plays else []

    while True:
        answers = yield from ask(build)
        order = answers.of(promise.faction)
        if order is None or type(order) in o.ANSWERS:
            return
        yield from carry_out_play(game, promise.faction, order)


class LastCallQuestion(Question):
    kind = "karama-window"

    def __init__(self, game: Game, promise: Promise, plays: Sequence[o.Order]) -> None:
        super().__init__(game, promise.faction)
        self._promise, self._plays = promise, plays

    def refusal(self, order: o.Order) -> Refusal | None:
        return promised_acts.refusal_of_a_breach(self._promise) if type(order) in o.ANSWERS else None

    @property
    def default(self) -> o.Order:
        return self._plays[0]

    def samples(self) -> Sequence[o.Order]:
        return self._plays

    @property
    def facts(self) -> Mapping[str, Any]:
        return {"why": "promised"}


def _plays(game: Game, promise: Promise) -> Iterator[o.Order]:
    faction = promise.faction
    for order in _thinkable(game, promise):
        barred = check_play(game, faction, order) or promised_acts.forbid(game, faction, order)
        if barred is None and order_does(game, promise, order):
            yield order


def _thinkable(game: Game, promise: Promise) -> Iterator[o.Order]:
    player, faction = game.player(promise.faction), promise.faction
    dead = [leader for leader in leaders_of(faction) if game.state.leaders[leader].status != "ready"]
    yield from (o.Ghola(leader=leader) for leader in dead)
    yield from (
        o.Ghola(forces=forces)
        for forces in promised_acts.some_tokens(player.tanks, min(MOST_TOKENS_BY_GHOLA, player.tanks.total))
    )
    yield from (
        o.Ghola(forces=forces) for forces in promised_acts.some_tokens(player.tanks, min(1, player.tanks.total))
    )
    yield o.Ghola(kwisatz_haderach=True)
    yield from (o.Karama("revive", leader=leader) for leader in dead)
    for number in (min(MOST_BY_KARAMA, player.tanks.total), 1):
        yield from (o.Karama("revive", forces=forces) for forces in promised_acts.some_tokens(player.tanks, number))
    yield from (o.Karama("take cards", faction=other, number=1) for other in game.state.players)
    yield o.Truthtrance(promise.asker, "Do you hold a Karama?", r.Reading((r.InHand((KARAMA,)),)))
