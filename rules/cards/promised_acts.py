"""Which promises stand, at which decisions they matter, and which orders do what was promised (WBC.AID.6 to 12).

``promise_demands`` says when a *yes* falls due (WBC.AID.7, WBC.AID.8), ``order_does`` whether an order does what was
promised, and ``orders_for`` gives orders with which a promised act could be done at a question, the simplest first; the
question says whether they are legal.

Whom a card is played against, which is what "against me" means in an answer (WBC.AID.8, WBC.AID.12): in a battle
between the two every card counts as played against the other. Elsewhere a Karama is played against the one whose cards,
plan, power, shipment or card it touches, and a Truthtrance against the one who is asked. What serves only the player (a
card without paying, a shipment at half price, tokens brought back) is played against nobody.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import ceil

from msgspec.structs import replace

from rules.cards import storm_cards, truthtrance
from rules.chapters import battle_strength, movement, shipment, spice_blow, voice_and_prescience
from rules.chapters.bidding import least_bid, may_bid, raised_bid
from rules.chapters.movement import HAJR
from rules.components import KARAMA, Card, Faction, Forces, Leader, faction_name
from rules.components.board import POLAR_SINK, TERRITORIES, Area, TerritoryId, territory_of
from rules.decisions.catalogue import rules_of
from rules.decisions.question import Question
from rules.decisions.windows import karama_card
from rules.orders import (
    ANSWERS,
    Advise,
    Ally,
    Amal,
    Bid,
    BidKarama,
    BidUpTo,
    BreakAlliance,
    Charity,
    EmperorGives,
    FamilyAtomics,
    Ghola,
    Give,
    Hajr,
    Harvester,
    Karama,
    Move,
    Order,
    Plan,
    Prescience,
    QuestionKind,
    Revive,
    ReviveKwisatzHaderach,
    ReviveLeader,
    Ride,
    Ship,
    Thumper,
    Treachery,
    Truthtrance,
    Voice,
    WeatherControl,
)
from rules.orders.readings import (
    KWISATZ_HADERACH,
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
from rules.state.state import Promise


def order_does(game: Game, promise: Promise, order: Order) -> bool:
    """Whether the order does what the promise is about."""
    match promise.act, order:
        case PlayCard() | Lead() | Dial(), Plan():
            battle = game.moments.battle
            return battle is not None and voice_and_prescience.plan_does(game, battle, promise.faction, promise, order)
        case PlayCard(cards), _:
            return _aimed_as_promised(game, promise, order) and _card_played(game, promise.faction, order) in cards
        case BidFor(), Bid() | BidUpTo() | BidKarama():
            return _bids(game, promise, order)
        case ShipTo(goal, amount), Ship(forces, _, target):
            there = territory_of(target) if target else None
            return goal in (None, there) and amount.holds(forces.total)
        case MoveTo(goal, amount), Move() | Hajr():
            move = order.move if isinstance(order, Hajr) else order
            return goal in (None, territory_of(move.target)) and amount.holds(move.forces.total)
        case SendAdvisor(goal), Advise(area):
            return goal in (None, territory_of(area))
        case Enter(goal), _:
            return _gone_to(order) == goal
        case Attack(faction, goal), _:
            there = _gone_to(order)
            return there is not None and goal in (None, there) and meets_opponent(game, promise.faction, faction, there)
        case UseVoice(), Voice():
            return in_named_battle(game, promise)
        case UsePrescience(elements), Prescience(element):
            return element in elements and in_named_battle(game, promise)
        case GiveSpice(faction, amount), Give(number, other) | EmperorGives(number, other):
            return faction == other and amount.holds(number)
        case RideWorm(goal), Ride(_, _, area):
            return goal in (None, territory_of(area))
        case AllyWith(faction), Ally(other):
            return faction == other
        case ReviveTokens(amount), Revive(forces) | Ghola(forces=forces) | Karama(effect="revive", forces=forces):
            return forces is not None and amount.holds(forces.total)
        case ReviveOneOf(leaders), _:
            return _brought_back(order) in leaders
        case (CallTreachery(), Treachery()) | (LeaveAlliance(), BreakAlliance()) | (TakeCharity(), Charity()):
            return True
    return False


def _gone_to(order: Order) -> TerritoryId | None:
    """The territory that tokens enter with this order."""
    source: Area | None = None
    target: Area | None = None
    match order:
        case Move(source=source, target=target) | Hajr(Move(source=source, target=target)):
            pass
        case Ship(source=source, target=target) | Ride(source=source, target=target):
            pass
        case Advise(area):
            target = area
    if target is None or (source is not None and territory_of(source) == territory_of(target)):
        return None
    return territory_of(target)


def meets_opponent(game: Game, faction: Faction, opponent: Faction, territory: TerritoryId) -> bool:
    """Whether the faction's tokens, come to this territory, would have the opponent to fight there."""
    if territory == territory_of(POLAR_SINK) or game.state.allied(faction, opponent):
        return False
    fight = all(rules_of(game, side).fights_in(game, territory) for side in (faction, opponent))
    return fight and opponent in game.state.forces_in(territory)


def _bids(game: Game, promise: Promise, order: Order) -> bool:
    """Whether the order bids such an amount. For a *no*, a bid that raises by itself counts up to its limit."""
    moment = game.moments.auction
    if not isinstance(promise.act, BidFor) or moment is None or promise.scope.card not in (0, moment.number):
        return False
    amount = promise.act.amount
    match order:
        case BidKarama():
            return amount.most is None
        case BidUpTo(limit) if promise.forbids:
            return limit >= amount.least and (amount.most is None or least_bid(game) <= amount.most)
        case BidUpTo():
            return amount.holds(raised_bid(game, order))
        case Bid(number):
            return number > 0 and amount.holds(number)
    return False


def in_named_battle(game: Game, promise: Promise) -> bool:
    """Whether the battle is on in which the promise holds, if it holds only in one."""
    battle, scope = game.moments.battle, promise.scope
    if not scope.in_battle:
        return True
    return (
        battle is not None
        and scope.territory in (None, battle.territory)
        and (scope.opponent is None or scope.opponent in battle.sides)
    )


def _aimed_as_promised(game: Game, promise: Promise, order: Order) -> bool:
    """Whether a card played by itself counts for the promise: in the battle, or against the one, that it names."""
    scope = promise.scope
    if scope.in_battle or scope.opponent is None:
        return in_named_battle(game, promise)
    return played_against(game, promise.faction, order, scope.opponent)


def _card_played(game: Game, faction: Faction, order: Order) -> Card | None:
    """The card that is put down with this order."""
    match order:
        case Karama(card=card):
            return karama_card(game, faction, card)
        case BidKarama() | Bid(karama=True):
            return karama_card(game, faction)
    return PLAYED_BY.get(type(order))


PLAYED_BY: dict[type[Order], Card] = {
    Truthtrance: Card("Truthtrance"),
    Ghola: Card("Tleilaxu Ghola"),
    Hajr: Card("Hajr"),
    WeatherControl: Card("Weather Control"),
    FamilyAtomics: Card("Family Atomics"),
    Thumper: Card("Thumper"),
    Harvester: Card("Harvester"),
    Amal: Card("Amal"),
}
"""The cards that an order of their own plays, whatever it says."""


def _brought_back(order: Order) -> Leader | str | None:
    match order:
        case ReviveLeader(leader):
            return leader
        case Ghola(leader=leader) | Karama(effect="revive", leader=leader) if leader:
            return leader
        case ReviveKwisatzHaderach() | Ghola(kwisatz_haderach=True):
            return KWISATZ_HADERACH
    return None


PLAN_QUESTIONS: tuple[QuestionKind, ...] = ("battle-plan", "prescience-answer")
IN_A_BATTLE: tuple[QuestionKind, ...] = (*PLAN_QUESTIONS, "traitor-call", "voice", "prescience")
JOURNEYS: tuple[QuestionKind, ...] = ("shipment", "movement", "worm-ride", "advisor")
DECIDED_AT: dict[type[Act], tuple[QuestionKind, ...]] = {
    Lead: PLAN_QUESTIONS,
    Dial: PLAN_QUESTIONS,
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


def standing_promises(game: Game, faction: Faction) -> list[Promise]:
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
    for promise in standing_promises(game, faction):
        seen_later = isinstance(order, Plan) or isinstance(promise.act, Attack)
        if promise.forbids and promise.binds and not seen_later and order_does(game, promise, order):
            return refusal_of_a_breach(promise)
    return None


def refusal_of_a_breach(promise: Promise) -> Refusal:
    """The refusal of an order that would break the promise."""
    why = f"You have answered {faction_name(promise.asker)} under Truthtrance: {promise_in_words(promise)}"
    return Refusal(why, "truthtrance.no-forbids" if promise.forbids else "truthtrance.yes-binds")


def promise_in_words(promise: Promise) -> str:
    """Question and answer, as their player is reminded of them."""
    return f"“{promise.question}” {truthtrance.answered(promise.word, promise.negative)}."


def void_promise(game: Game, promise: Promise) -> None:
    """The answer is void, and everybody hears of it (WBC.AID.9)."""
    _end_promise(game, promise, "Void", "truthtrance-negated")


def note_unkept(game: Game, promise: Promise) -> None:
    """The answer could have been kept and every chance went by; everybody hears of that."""
    _end_promise(game, promise, "Not kept", "truthtrance-unkept")


def _end_promise(game: Game, promise: Promise, how: str, event: str) -> None:
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


def kinds_of_question(game: Game, promise: Promise) -> Sequence[QuestionKind]:
    """The kinds of question at which the promise matters."""
    match promise.act:
        case None:
            return promise.remind_at
        case PlayCard(cards):
            as_karama = not set(cards).isdisjoint(rules_of(game, promise.faction).serve_as_karama(game))
            found = [kind for card in cards for kind in PLAYED_AT.get(card, PLAN_QUESTIONS)]
            return [*found, *PLAYED_AT[KARAMA]] if as_karama else found
    return DECIDED_AT[type(promise.act)]


def question_concerns(game: Game, promise: Promise, question: Question) -> bool:
    """Whether what the promise is about can be done, or left undone, with the answer to this question."""
    act, battle = promise.act, game.moments.battle
    if act is None or not promise.binds or question.kind not in kinds_of_question(game, promise):
        return False
    if question.kind not in IN_A_BATTLE:
        return True
    if question.kind == "prescience-answer" and question.facts["element"] not in _elements(act):
        return False
    return battle is not None and voice_and_prescience.promise_concerns(battle, _side(game, question), promise)


def promise_demands(game: Game, promise: Promise, question: Question) -> bool:
    """Whether the promise says something about the answer to this question."""
    return question_concerns(game, promise, question) and (promise.forbids or _is_due(game, promise, question))


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
        return voice_and_prescience.promise_is_due(game, battle, sides, promise)
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
    only_now = asked == [WeatherControl] and not storm_cards.WEATHER_CONTROL_WINDOW(game.rules).after
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
    goals = goals_of_act(game, act)
    if isinstance(act, Attack):
        goals = [goal for goal in goals if meets_opponent(game, faction, act.faction, goal)]
        if any(faction in state.forces_in(goal) for goal in goals):
            return False
    if question.kind == "movement":
        return True
    return (
        question.kind == "shipment"
        and any(
            shipment.shipment_refusal(game, faction, order) is None
            for goal in goals
            for order in shipments_to(game, faction, goal)
        )
        and not any(
            movement.move_refusal(game, faction, order) is None
            for goal in goals
            for order in moves_to(game, faction, goal)
        )
    )


def played_against(game: Game, faction: Faction, order: Order, other: Faction) -> bool:
    """Whether the faction, playing this now, plays it against the other one."""
    battle = game.moments.battle
    if battle is not None and {faction, other} == set(battle.sides):
        return True
    match order:
        case Truthtrance(asked):
            return asked == other
        case Karama():
            return _touches(game, order, other)
    return False


def _touches(game: Game, order: Karama, other: Faction) -> bool:
    """Whether the Karama takes something away from the other faction, or looks at what is theirs."""
    moments = game.moments
    match order.effect:
        case "take cards" | "see plan":
            return order.faction == other
        case "cancel worm":
            robbed = (
                spice_blow.who_may_lose_worm(game, moments.worm)[:1] if moments.worm and order.faction is None else ()
            )
            return other in (order.faction, *robbed)
        case "cancel karama":
            return moments.worthless_played_by == other
        case "stop shipment":
            return moments.slot is not None and moments.slot.mover == other
        case "cancel fremen support" if (
            moments.battle and battle_strength.supported_ally(game, moments.battle) == other
        ):
            return True
    return order.effect in rules_of(game, other).powers_taken_by


def orders_for(game: Game, question: Question, act: Act | None) -> Iterator[Order]:
    """Orders with which the one asked could do the act. None for acts that are done by one of the question's own
    samples."""
    faction = question.faction
    match act:
        case BidFor(amount):
            top = question.facts["top"]
            number = max((top or 0) + 1, ceil(amount.least))
            yield Bid(number)
        case ShipTo(goal, amount) if goal is not None:
            yield from shipments_to(game, faction, goal, max(1, ceil(amount.least)))
        case MoveTo(goal, amount) if goal is not None:
            yield from moves_to(game, faction, goal, max(1, ceil(amount.least)))
        case Enter() | Attack():
            journeys = shipments_to if question.kind == "shipment" else moves_to
            for territory in goals_of_act(game, act):
                yield from journeys(game, faction, territory)
        case PlayCard(cards) if HAJR in cards and question.kind == "movement":
            whole = [order for order in question.samples() if isinstance(order, Move)]
            yield from map(Hajr, whole)
            yield from (Hajr(replace(order, forces=one)) for order in whole for one in some_tokens(order.forces, 1))
        case GiveSpice(other, amount):
            yield Give(max(1, ceil(amount.least)), other)
        case RideWorm(goal) if goal is not None:
            for _, source in question.facts["forces"]:
                for forces in some_tokens(game.here(source, faction), 1):
                    yield from (Ride(forces, source, target) for target in TERRITORIES[goal].areas)
        case ReviveTokens(amount):
            yield from map(Revive, some_tokens(game.player(faction).tanks, max(1, ceil(amount.least))))
        case ReviveOneOf(leaders):
            for leader in leaders:
                yield ReviveKwisatzHaderach() if leader == KWISATZ_HADERACH else ReviveLeader(Leader(leader))
        case AllyWith(other):
            yield Ally(other)
        case LeaveAlliance():
            yield BreakAlliance()
        case CallTreachery():
            yield Treachery()
        case TakeCharity():
            yield Charity()


def goals_of_act(game: Game, act: Enter | Attack) -> list[TerritoryId]:
    """Where the act would lead."""
    if isinstance(act, Enter):
        return [act.territory]
    if act.territory is not None:
        return [act.territory]
    return [territory for territory in TERRITORIES if act.faction in game.state.forces_in(territory)]


def shipments_to(game: Game, faction: Faction, goal: TerritoryId, number: int = 1) -> Iterator[Ship]:
    """So many tokens shipped to the territory, from the reserves or across Dune."""
    for target in TERRITORIES[goal].areas:
        for forces in some_tokens(game.player(faction).reserves, number):
            yield Ship(forces, None, target)
        for source, there in game.state.areas_of(faction):
            yield from (Ship(forces, source, target) for forces in some_tokens(there, number))


def moves_to(game: Game, faction: Faction, goal: TerritoryId, number: int = 1) -> Iterator[Move]:
    """So many tokens moved to the territory."""
    for source, there in game.state.areas_of(faction):
        for forces in some_tokens(there, number):
            yield from (Move(forces, source, target) for target in TERRITORIES[goal].areas)


def some_tokens(there: Forces, number: int) -> Iterator[Forces]:
    """So many of the tokens, with the fewest elite ones and with one more."""
    fewest = max(0, number - there.ordinary)
    for elite in (fewest, fewest + 1):
        forces = Forces(number - elite, elite) if elite <= number else None
        if forces and there.covers(forces):
            yield forces
