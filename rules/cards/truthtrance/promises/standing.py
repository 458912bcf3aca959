"""Which promises stand, at which decisions they matter, and when a *yes* falls due (WBC.AID.7, WBC.AID.8)."""

from __future__ import annotations

from collections.abc import Sequence

from rules.cards import truthtrance, weather_control
from rules.cards.truthtrance.promises import keeping
from rules.cards.truthtrance.promises.fulfilment import PLAYED_BY, does, meets
from rules.chapters.battle import promised
from rules.chapters.bidding.card_up import may_bid
from rules.chapters.movement import move_rules, shipment_rules
from rules.components import KARAMA, Card, Faction, faction_name
from rules.components.board import territory_of
from rules.decisions.catalogue import rules_of
from rules.decisions.question import Question
from rules.orders import ANSWERS, Order, Plan, QuestionKind, WeatherControl
from rules.orders.readings import (
    Act,
    AllyWith,
    Attack,
    BidFor,
    CallTreachery,
    Dial,
    Enter,
    GiveSpice,
    Lead,
    LeaveAlliance,
    MoveTo,
    PlayCard,
    ReviveOneOf,
    ReviveTokens,
    RideWorm,
    SendAdvisor,
    ShipTo,
    TakeCharity,
    UsePrescience,
    UseVoice,
)
from rules.rulesets.refusal import Refusal
from rules.state.game import Game
from rules.state.promises import Promise

PLANS: tuple[QuestionKind, ...] = ("battle-plan", "prescience-answer")
IN_A_BATTLE: tuple[QuestionKind, ...] = (*PLANS, "traitor-call", "voice", "prescience")
JOURNEYS: tuple[QuestionKind, ...] = ("shipment", "movement", "worm-ride", "advisor")
DECIDED_AT: dict[type[Act], tuple[QuestionKind, ...]] = {
    Lead: PLANS,
    Dial: PLANS,
    CallTreachery: ("traitor-call",),
    BidFor: ("bid",),
    ShipTo: ("shipment",),
    MoveTo: ("movement",),
    Enter: JOURNEYS,
    Attack: JOURNEYS,
    SendAdvisor: ("advisor",),
    AllyWith: ("nexus",),
    LeaveAlliance: ("nexus",),
    RideWorm: ("worm-ride",),
    ReviveTokens: ("revival", "karama-window"),
    ReviveOneOf: ("revival", "karama-window"),
    TakeCharity: ("charity",),
    UseVoice: ("voice",),
    UsePrescience: ("prescience",),
    GiveSpice: ("transfer",),
}
PLAYED_AT: dict[Card, tuple[QuestionKind, ...]] = {
    KARAMA: ("bid", "karama-window"),
    **{card: ANSWERS.get(order, ("karama-window",)) for order, card in PLAYED_BY.items()},
}
"""Where cards are played that have no place in a battle plan."""


def standing(game: Game, faction: Faction) -> list[Promise]:
    """The faction's promises that speak of this turn, those too that wait for their condition."""
    if not game.state.promises:
        return []
    turn = game.state.turn
    return [
        promise
        for promise in game.state.promises
        if promise.faction == faction and promise.scope.first_turn <= turn <= promise.scope.last_turn
    ]


def forbid(game: Game, faction: Faction, order: Order) -> Refusal | None:
    """Why a card or power cannot be played, or an order not be held, because of a *no* that stands; or None. Whom an
    attack would meet is seen when it comes to it, and so is a plan."""
    for promise in standing(game, faction):
        seen_later = isinstance(order, Plan) or isinstance(promise.act, Attack)
        if promise.forbids and promise.binds and not seen_later and does(game, promise, order):
            return refusal_of_a_breach(promise)
    return None


def refusal_of_a_breach(promise: Promise) -> Refusal:
    """The refusal of an order that would break the promise."""
    why = f"You have answered {faction_name(promise.asker)} under Truthtrance: {words(promise)}"
    return Refusal(why, "truthtrance.no-forbids" if promise.forbids else "truthtrance.yes-binds")


def words(promise: Promise) -> str:
    """Question and answer, as their player is reminded of them."""
    return f"“{promise.question}” {truthtrance.answered(promise.word, promise.negative)}."


def negate(game: Game, promise: Promise) -> None:
    """The answer is void, and everybody hears of it (WBC.AID.9)."""
    _end(game, promise, "Void", "truthtrance-negated")


def note_unkept(game: Game, promise: Promise) -> None:
    """The answer could have been kept and every chance went by; everybody hears of that."""
    _end(game, promise, "Not kept", "truthtrance-unkept")


def _end(game: Game, promise: Promise, how: str, event: str) -> None:
    state = game.state
    state.promises = [other for other in state.promises if other is not promise]
    if promise.on_the_way:
        return
    told = truthtrance.announced(promise.faction, promise.asker, promise.question, promise.word, promise.negative)
    state.truths = [f"{truth} {how}." if truth == told else truth for truth in state.truths]
    game.tell(
        event,
        faction=promise.faction,
        asker=promise.asker,
        question=promise.question,
        answer=promise.word,
    )


def kinds(game: Game, promise: Promise) -> Sequence[QuestionKind]:
    """The kinds of question at which the promise matters."""
    match promise.act:
        case None:
            return promise.remind_at
        case PlayCard(cards):
            as_karama = not set(cards).isdisjoint(rules_of(game, promise.faction).serve_as_karama(game))
            found = [kind for card in cards for kind in PLAYED_AT.get(card, PLANS)]
            return [*found, *PLAYED_AT[KARAMA]] if as_karama else found
    return DECIDED_AT[type(promise.act)]


def concerns(game: Game, promise: Promise, question: Question) -> bool:
    """Whether what the promise is about can be done, or left undone, with the answer to this question."""
    act, battle = promise.act, game.moments.battle
    if act is None or not promise.binds or question.kind not in kinds(game, promise):
        return False
    if question.kind not in IN_A_BATTLE:
        return True
    if question.kind == "prescience-answer" and question.facts["element"] not in _elements(act):
        return False
    return battle is not None and promised.concerns(battle, _side(game, question), promise)


def demands(game: Game, promise: Promise, question: Question) -> bool:
    """Whether the promise says something about the answer to this question."""
    return concerns(game, promise, question) and (promise.forbids or _is_due(game, promise, question))


def _side(game: Game, question: Question) -> Faction:
    """The fighter for whom the question is asked: a traitor may be called for an ally, and the Voice and prescience
    serve an ally too."""
    battle = game.moments.battle
    if battle is not None and question.kind in ("voice", "prescience"):
        return battle.opponent(question.facts["target"])
    side: Faction = question.facts.get("side", question.faction)
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
    if battle is not None and question.kind in IN_A_BATTLE:
        with_power = question.kind in ("voice", "prescience")
        sides = state.ally_group(promise.faction) if with_power else (_side(game, question),)
        return promised.is_due(game, battle, sides, promise)
    match promise.act:
        case PlayCard(cards):
            return question.kind == "movement" or (
                question.kind == "storm-cards" and _must_play_at_the_storm(game, cards, question)
            )
        case BidFor():
            return _must_bid(game, promise)
        case AllyWith(faction):
            return not state.allied(promise.faction, faction)
        case LeaveAlliance():
            return len(state.ally_group(promise.faction)) > 1
        case ReviveTokens():
            return question.facts.get("what") == "tokens"
        case ReviveOneOf():
            return question.facts.get("what") == "leader"
        case SendAdvisor(territory):
            return territory is None or any(territory_of(area) == territory for area in question.facts["places"])
        case Enter() | Attack():
            return _must_go(game, promise.act, question)
        case RideWorm() | ShipTo() | MoveTo() | TakeCharity() | GiveSpice():
            return True
    return False


def _must_play_at_the_storm(game: Game, cards: Sequence[Card], question: Question) -> bool:
    """Whether this question asks for one of the promised cards for the last time in this storm round."""
    asked = [form for form in question.takes if PLAYED_BY.get(form) in cards]
    only_now = asked == [WeatherControl] and not weather_control.WINDOW(game.rules).after
    return bool(asked) and (only_now or question.facts["sectors"] is not None)


def _must_bid(game: Game, promise: Promise) -> bool:
    """Whether the promised bid is due now: the card that was named is up; or, where none was named, it is the last of
    the row, or the bidding could end if the player passed."""
    moment = game.moments.auction
    if moment is None:
        return False
    if promise.scope.card:
        return promise.scope.card == moment.number
    others = [f for f in game.order_of_play() if f != promise.faction and f not in moment.passed]
    nobody_else = moment.top is None and not any(may_bid(game, faction) for faction in others)
    return len(moment.cards) == 1 or nobody_else


def _must_go(game: Game, act: Enter | Attack, question: Question) -> bool:
    """Whether the player has to enter the territory with this answer: with any move, as it is their last chance; with a
    shipment only if one can do it and no move could. Whoever faces the opponent already need not go there."""
    faction, state = question.faction, game.state
    goals = keeping.goals(game, act)
    if isinstance(act, Attack):
        goals = [goal for goal in goals if meets(game, faction, act.faction, goal)]
        if any(faction in state.forces_in(goal) for goal in goals):
            return False
    if question.kind == "movement":
        return True
    return (
        question.kind == "shipment"
        and any(
            shipment_rules.refusal(game, faction, order) is None
            for goal in goals
            for order in keeping.shipments(game, faction, goal)
        )
        and not any(
            move_rules.refusal(game, faction, order) is None
            for goal in goals
            for order in keeping.moves(game, faction, goal)
        )
    )
