"""Holding players to what they answered under Truthtrance about the future (WBC.AID.6 to 12, A-47).

Every question that is asked passes through ``bind``: an answer that would break a standing promise is refused there,
what silence means is mended, and where a promise can no longer be kept that is announced and it falls (WBC.AID.9). A
*no* forbids the act. A *yes* demands it at the decision that is about it, if it can be done then; nobody has to bring
that decision about (WBC.AID.7). Of promises that cannot all be kept the earlier stand.

So no phase looks at promises; only the Voice does, which has to yield to an earlier one (``phases.battle.promised``).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from rules.acts import (
    Act,
    AllyWith,
    BidFor,
    CallTreachery,
    Dial,
    Lead,
    LeaveAlliance,
    MoveTo,
    PlayCard,
    Promise,
    ReviveOneOf,
    ReviveTokens,
    RideWorm,
    SendAdvisor,
    ShipTo,
    TakeCharity,
)
from rules.board import territory_of
from rules.components import WORTHLESS, Card, Faction, faction_name
from rules.game import Game
from rules.orders import (
    Ally,
    BreakAlliance,
    Hajr,
    Order,
    Plan,
    QuestionKind,
)
from rules.phases import auction, nexus
from rules.phases.battle import promised
from rules.powers import truthtrance
from rules.powers.windows import KARAMA
from rules.promises import ways
from rules.promises.deeds import does
from rules.questions import Question, Stop
from rules.refusal import Refusal

PLANS: tuple[QuestionKind, ...] = ("battle-plan", "prescience-answer")
DECIDED_AT: dict[type[Act], tuple[QuestionKind, ...]] = {
    Lead: PLANS,
    Dial: PLANS,
    CallTreachery: ("traitor-call",),
    BidFor: ("bid",),
    ShipTo: ("shipment",),
    MoveTo: ("movement",),
    SendAdvisor: ("advisor",),
    AllyWith: ("nexus",),
    LeaveAlliance: ("nexus",),
    RideWorm: ("worm-ride",),
    ReviveTokens: ("revival", "karama-window"),
    ReviveOneOf: ("revival", "karama-window"),
    TakeCharity: ("charity",),
}
PLAYED_AT: dict[Card, tuple[QuestionKind, ...]] = {
    Card("Karama"): ("bid", "karama-window"),
    Card("Truthtrance"): ("karama-window",),
    Card("Tleilaxu Ghola"): ("karama-window",),
    Card("Hajr"): ("movement",),
    Card("Weather Control"): ("storm-cards",),
    Card("Family Atomics"): ("storm-cards",),
}
"""Where cards are played that have no place in a battle plan."""
OUTLASTS_THE_ACT = (ShipTo, AllyWith)  # one shipment a turn; an ally may have to be named at more than one nexus


def bind(game: Game, questions: Sequence[Question]) -> Sequence[Question]:
    """The questions, each with the promises of the one asked; those that cannot be kept any more fall."""
    if not game.state.promises:
        return questions
    return [_bound(game, question) for question in questions]


def forbid(game: Game, faction: Faction, order: Order) -> Refusal | None:
    """Why a card or power cannot be played, or an order not be held, because of a *no* that stands; or None."""
    for promise in _standing(game, faction):
        if promise.word == "no" and not isinstance(order, Plan) and does(game, promise, order):
            return _broken(promise)
    return None


def settle(game: Game, stop: Stop) -> None:
    """A stop is over: put in what an answer of several orders still owes, and drop what has been kept."""
    if not game.state.promises:
        return
    for key in list(stop.given):
        question = stop.open[key]
        for promise in _standing(game, question.faction):
            if promise.word == "no" or not _concerns(game, promise, question):
                continue
            done = any(does(game, promise, order) for order in stop.given[key])
            if question.many and not done and _demands(game, promise, question):
                stop.given[key] += tuple(_first_legal(question, ways.ways(game, question, promise.act)))
            if _is_kept(game, promise, question, stop):
                game.state.promises.remove(promise)
    if any(question.kind == "nexus" for question in stop.open.values()):
        game.state.promises = [promise for promise in game.state.promises if not promise.scope.nexus]


def _is_kept(game: Game, promise: Promise, question: Question, stop: Stop) -> bool:
    """Whether the act is done for good; a plan without a leader may have to be made anew (AH.QA.B.7-b)."""
    given = [order for orders in stop.given.values() for order in orders]
    if isinstance(promise.act, OUTLASTS_THE_ACT) or question.kind == "prescience-answer":
        return False
    if any(isinstance(order, Plan) and order.leader is None for order in given):
        return False
    return any(does(game, promise, order) for order in stop.given[question.key])


# --- One question ------------------------------------------------------------------------------------------------


def _bound(game: Game, question: Question) -> Question:
    standing = _standing(game, question.faction)
    words = [_words(promise) for promise in standing if question.kind in _kinds(promise)]
    if not words:
        return question
    kept: list[Promise] = []
    for promise in standing:
        if not _demands(game, promise, question):
            continue
        if mend(game, question, [*kept, promise]) is not None:
            kept.append(promise)
        elif question.kind != "prescience-answer":
            _negate(game, promise)
            words.remove(_words(promise))
    about = {**question.about, "promised": words} if words else question.about
    if not kept:
        return replace(question, about=about)

    def check(order: Order) -> Refusal | None:
        return question.check(order) or _breach(game, kept, order)

    def choices() -> Sequence[Order]:
        return [order for order in question.choices() if check(order) is None] or [default]

    default = mend(game, question, kept) or question.default
    return replace(question, check=check, choices=choices, default=default, about=about)


def mend(game: Game, question: Question, promises: Sequence[Promise]) -> Order | None:
    """What silence means to one who has promised this: the default if it keeps all, else an order that does; None if
    there is none."""

    def fits(order: Order) -> bool:
        whole = not question.warn or not question.warn(order)
        kept = all(does(game, promise, order) == (promise.word == "yes") for promise in promises)
        return kept and question.check(order) is None and whole

    if fits(question.default):
        return question.default
    return next(filter(fits, _candidates(game, question, promises)), None)


def _candidates(game: Game, question: Question, promises: Sequence[Promise]) -> Iterator[Order]:
    for promise in promises:
        if promise.word == "yes":
            yield from ways.ways(game, question, promise.act)
    battle = game.moments.battle
    if question.kind in PLANS and battle and isinstance(question.default, Plan):
        yield from promised.sketches(game, battle, question.faction, promises, question.default)
    yield from question.choices()


def _first_legal(question: Question, orders: Iterable[Order]) -> list[Order]:
    return [order for order in orders if question.check(order) is None][:1]


def _breach(game: Game, promises: Sequence[Promise], order: Order) -> Refusal | None:
    for promise in promises:
        done = does(game, promise, order)
        if promise.word == "no" and done:
            return _broken(promise)
        if promise.word == "yes" and not done and not _stands_beside(game, promise.act, order):
            return _broken(promise)
    return None


def _stands_beside(game: Game, act: Act | None, order: Order) -> bool:
    """Whether the order is not about the act at all, in an answer of several."""
    match act, order:
        case (AllyWith(), BreakAlliance()) | (LeaveAlliance(), Ally()) | (MoveTo(), Hajr()):
            return True
        case AllyWith(), Ally():
            return nexus.largest_alliance(game) > 2
    return False


def _broken(promise: Promise) -> Refusal:
    why = f"You have answered {faction_name(promise.asker)} under Truthtrance: {_words(promise)}"
    return Refusal(why, "WBC.AID.12" if promise.word == "no" else "WBC.AID.8")


def _words(promise: Promise) -> str:
    return f"“{promise.question}” {promise.word.capitalize()}."


def _negate(game: Game, promise: Promise) -> None:
    """The answer is void, and everybody hears of it (WBC.AID.9)."""
    state = game.state
    state.promises.remove(promise)
    told = truthtrance.announced(promise.faction, promise.asker, promise.question, promise.word)
    state.truths = [f"{truth} Void." if truth == told else truth for truth in state.truths]
    game.tell(
        "truthtrance-negated",
        faction=promise.faction,
        asker=promise.asker,
        question=promise.question,
        answer=promise.word,
    )


# --- Which promises, and when --------------------------------------------------------------------------------------


def _standing(game: Game, faction: Faction) -> list[Promise]:
    """The faction's promises that speak of this turn."""
    turn = game.state.turn
    return [
        promise
        for promise in game.state.promises
        if promise.faction == faction and promise.scope.first_turn <= turn <= promise.scope.last_turn
    ]


def _kinds(promise: Promise) -> Sequence[QuestionKind]:
    """The kinds of question at which the promise matters."""
    match promise.act:
        case None:
            return promise.remind_at
        case PlayCard(cards):
            as_karama = not WORTHLESS.isdisjoint(cards) and promise.faction == "bene-gesserit"
            found = [kind for card in cards for kind in PLAYED_AT.get(card, PLANS)]
            return [*found, *PLAYED_AT[KARAMA]] if as_karama else found
    return DECIDED_AT[type(promise.act)]


def _concerns(game: Game, promise: Promise, question: Question) -> bool:
    """Whether what the promise is about can be done, or left undone, with the answer to this question."""
    act, battle = promise.act, game.moments.battle
    if act is None or question.kind not in _kinds(promise):
        return False
    if question.kind not in (*PLANS, "traitor-call"):
        return True
    if question.kind == "prescience-answer" and question.about["element"] not in _elements(act):
        return False
    return battle is not None and promised.concerns(battle, _side(question), promise)


def _demands(game: Game, promise: Promise, question: Question) -> bool:
    """Whether the promise says something about the answer to this question."""
    return _concerns(game, promise, question) and (promise.word == "no" or _is_due(game, promise, question))


def _side(question: Question) -> Faction:
    """The fighter for whom the question is asked: Harkonnen may call a traitor for their ally."""
    side: Faction = question.about.get("side", question.faction)
    return side


def _elements(act: Act | None) -> tuple[str, ...]:
    """What of a plan the act is about; only that may be shown to Atreides as promised."""
    match act:
        case Lead():
            return ("leader",)
        case Dial():
            return ("number",)
    return ("weapon", "defense")


def _is_due(game: Game, promise: Promise, question: Question) -> bool:
    """Whether a *yes* is to be kept at this very question."""
    state, battle = game.state, game.moments.battle
    if battle is not None and question.kind in (*PLANS, "traitor-call"):
        return promised.is_due(game, battle, _side(question), promise)
    match promise.act:
        case PlayCard(cards):
            return question.kind == "storm-cards" and question.about["card"] in cards
        case BidFor():
            return _must_bid(game, promise)
        case AllyWith(faction):
            return not state.allied(promise.faction, faction)
        case LeaveAlliance():
            return len(state.ally_group(promise.faction)) > 1
        case ReviveTokens():
            return question.about.get("what") == "tokens"
        case ReviveOneOf():
            return question.about.get("what") == "leader"
        case SendAdvisor(territory):
            return territory is None or any(territory_of(area) == territory for area in question.about["places"])
        case RideWorm() | ShipTo() | MoveTo() | TakeCharity():
            return True
    return False


def _must_bid(game: Game, promise: Promise) -> bool:
    """The card named is up; or any will do, and with a pass the bidding could be over."""
    moment = game.moments.auction
    if moment is None:
        return False
    if promise.scope.card:
        return promise.scope.card == moment.number
    others = [f for f in game.order_of_play() if f != promise.faction and f not in moment.passed]
    nobody_else = moment.top is None and not any(auction.may_bid(game, faction) for faction in others)
    return len(moment.cards) == 1 or nobody_else
