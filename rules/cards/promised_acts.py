"""The acts that promises are about: when they are due, and which orders perform them (WBC.AID.6 to 12).

``promise_demands`` returns true if an act that was promised with a *yes* is due now (WBC.AID.7, WBC.AID.8).
``order_does`` returns true if an order performs a promised act. ``orders_for`` yields the orders that would perform a
promised act in answer to a question, the simplest first. The question checks whether they are legal.

A promise may be about cards played "against me", so the program must know which player each card is played against
(WBC.AID.8, WBC.AID.12). In a battle between the two players, every card counts as played against the other. Outside
such a battle, a Karama counts as played against the player whose cards, plan, power, shipment or card for sale it
affects. A Truthtrance counts as played against the player who is asked. A Karama that benefits only its own player
counts as played against nobody: a purchase without paying, a shipment at half price, revived tokens.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import ceil

from msgspec.structs import replace

from rules import orders as o
from rules.cards import storm_cards, truthtrance
from rules.chapters import battle_strength, movement, shipment, spice_blow, voice_and_prescience
from rules.chapters.bidding import least_bid, may_bid, raised_bid
from rules.chapters.movement import HAJR
from rules.components import KARAMA, Card, Faction, Forces, Leader, the_faction
from rules.components.board import POLAR_SINK, TERRITORIES, Area, TerritoryId, territory_of
from rules.decisions.catalogue import rules_of
from rules.decisions.question import Question
from rules.decisions.windows import karama_card
from rules.orders import readings as r
from rules.rulesets.rulebook import Refusal
from rules.state.game import Game
from rules.state.state import Promise


def order_does(game: Game, promise: Promise, order: o.Order) -> bool:
    match promise.act, order:
        case r.PlayCard() | r.Lead() | r.Dial(), o.Plan():
            battle = game.moments.battle
            return battle is not None and voice_and_prescience.plan_does(game, battle, promise.faction, promise, order)
        case r.PlayCard(cards), _:
            return _aimed_as_promised(game, promise, order) and _card_played(game, promise.faction, order) in cards
        case r.BidFor(), o.Bid() | o.BidUpTo() | o.BidKarama():
            return _bids(game, promise, order)
        case r.ShipTo(goal, amount), o.Ship(forces, _, target):
            there = territory_of(target) if target else None
            return goal in (None, there) and amount.holds(forces.total)
        case r.MoveTo(goal, amount), o.Move() | o.Hajr():
            move = order.move if isinstance(order, o.Hajr) else order
            return goal in (None, territory_of(move.target)) and amount.holds(move.forces.total)
        case r.SendAdvisor(goal), o.Advise(area):
            return goal in (None, territory_of(area))
        case r.Enter(goal), _:
            return _gone_to(order) == goal
        case r.Attack(faction, goal), _:
            there = _gone_to(order)
            return there is not None and goal in (None, there) and meets_opponent(game, promise.faction, faction, there)
        case r.UseVoice(), o.Voice():
            return in_named_battle(game, promise)
        case r.UsePrescience(elements), o.Prescience(element):
            return element in elements and in_named_battle(game, promise)
        case r.GiveSpice(faction, amount), o.Give(number, other) | o.EmperorGives(number, other):
            return faction == other and amount.holds(number)
        case r.RideWorm(goal), o.Ride(_, _, area):
            return goal in (None, territory_of(area))
        case r.AllyWith(faction), o.Ally(other):
            return faction == other
        case r.ReviveTokens(amount), o.Revive(forces) | o.Ghola(forces=forces) | o.Karama(
            effect="revive", forces=forces
        ):
            return forces is not None and amount.holds(forces.total)
        case r.ReviveOneOf(leaders), _:
            return _brought_back(order) in leaders
        case (
            (r.CallTreachery(), o.Treachery()) | (r.LeaveAlliance(), o.BreakAlliance()) | (r.TakeCharity(), o.Charity())
        ):
            return True
    return False


def _gone_to(order: o.Order) -> TerritoryId | None:
    source: Area | None = None
    target: Area | None = None
    match order:
        case o.Move(source=source, target=target) | o.Hajr(o.Move(source=source, target=target)):
            pass
        case o.Ship(source=source, target=target) | o.Ride(source=source, target=target):
            pass
        case o.Advise(area):
            target = area
    if target is None or (source is not None and territory_of(source) == territory_of(target)):
        return None
    return territory_of(target)


def meets_opponent(game: Game, faction: Faction, opponent: Faction, territory: TerritoryId) -> bool:
    if territory == territory_of(POLAR_SINK) or game.state.allied(faction, opponent):
        return False
    fight = all(rules_of(game, side).fights_in(game, territory) for side in (faction, opponent))
    return fight and opponent in game.state.forces_in(territory)


def _bids(game: Game, promise: Promise, order: o.Order) -> bool:
    """Return whether the order bids the amount that the promise is about. If the player promised *not* to bid it, an
    automatic bid counts as bidding every amount up to its limit."""
    moment = game.moments.auction
    if not isinstance(promise.act, r.BidFor) or moment is None or promise.scope.card not in (0, moment.number):
        return False
    amount = promise.act.amount
    match order:
        case o.BidKarama():
            return amount.most is None
        case o.BidUpTo(limit) if promise.forbids:
            return limit >= amount.least and (amount.most is None or least_bid(game) <= amount.most)
        case o.BidUpTo():
            return amount.holds(raised_bid(game, order))
        case o.Bid(number):
            return number > 0 and amount.holds(number)
    return False


def in_named_battle(game: Game, promise: Promise) -> bool:
    """Return True if the battle that the promise names is being fought now, or if the promise names no battle."""
    battle, scope = game.moments.battle, promise.scope
    if not scope.in_battle:
        return True
    return (
        battle is not None
        and scope.territory in (None, battle.territory)
        and (scope.opponent is None or scope.opponent in battle.sides)
    )


def _aimed_as_promised(game: Game, promise: Promise, order: o.Order) -> bool:
    scope = promise.scope
    if scope.in_battle or scope.opponent is None:
        return in_named_battle(game, promise)
    return played_against(game, promise.faction, order, scope.opponent)


def _card_played(game: Game, faction: Faction, order: o.Order) -> Card | None:
    match order:
        case o.Karama(card=card):
            return karama_card(game, faction, card)
        case o.BidKarama() | o.Bid(karama=True):
            return karama_card(game, faction)
    return PLAYED_BY.get(type(order))


PLAYED_BY: dict[type[o.Order], Card] = {
    o.Truthtrance: Card("Truthtrance"),
    o.Ghola: Card("Tleilaxu Ghola"),
    o.Hajr: Card("Hajr"),
    o.WeatherControl: Card("Weather Control"),
    o.FamilyAtomics: Card("Family Atomics"),
    o.Thumper: Card("Thumper"),
    o.Harvester: Card("Harvester"),
    o.Amal: Card("Amal"),
}
"""The card that each of these orders always plays."""


def _brought_back(order: o.Order) -> Leader | str | None:
    match order:
        case o.ReviveLeader(leader):
            return leader
        case o.Ghola(leader=leader) | o.Karama(effect="revive", leader=leader) if leader:
            return leader
        case o.ReviveKwisatzHaderach() | o.Ghola(kwisatz_haderach=True):
            return r.KWISATZ_HADERACH
    return None


PLAN_QUESTIONS: tuple[o.QuestionKind, ...] = ("battle-plan", "prescience-answer")
IN_A_BATTLE: tuple[o.QuestionKind, ...] = (*PLAN_QUESTIONS, "traitor-call", "voice", "prescience")
JOURNEYS: tuple[o.QuestionKind, ...] = ("shipment", "movement", "worm-ride", "advisor")
DECIDED_AT: dict[type[r.Act], tuple[o.QuestionKind, ...]] = {
    r.Lead: PLAN_QUESTIONS,
    r.Dial: PLAN_QUESTIONS,
    r.CallTreachery: ("traitor-call",),
    r.BidFor: ("bid",),
    r.ShipTo: ("shipment",),
    r.MoveTo: ("movement",),
    r.Enter: JOURNEYS,
    r.Attack: JOURNEYS,
    r.SendAdvisor: ("advisor",),
    r.AllyWith: ("nexus",),
    r.LeaveAlliance: ("nexus",),
    r.RideWorm: ("worm-ride",),
    r.ReviveTokens: ("revival", "karama-window"),
    r.ReviveOneOf: ("revival", "karama-window"),
    r.TakeCharity: ("charity",),
    r.UseVoice: ("voice",),
    r.UsePrescience: ("prescience",),
    r.GiveSpice: ("transfer",),
}
PLAYED_AT: dict[Card, tuple[o.QuestionKind, ...]] = {
    KARAMA: ("bid", "karama-window"),
    **{card: o.ANSWERS.get(order, ("karama-window",)) for order, card in PLAYED_BY.items()},
}
"""The questions whose answers can play cards outside battle plans."""


def standing_promises(game: Game, faction: Faction) -> list[Promise]:
    """Return the faction's promises about this turn, including those whose condition is not met yet."""
    if not game.state.promises:
        return []
    turn = game.state.turn
    return [
        promise
        for promise in game.state.promises
        if promise.faction == faction and promise.scope.first_turn <= turn <= promise.scope.last_turn
    ]


def forbid(game: Game, faction: Faction, order: o.Order) -> Refusal | None:
    """Return a refusal if a promise *not* to do something forbids this order, else None. The order may play a card or a
    power, or be held for later. Attacks and plans are not checked here, because the opponent in an attack and the
    contents of a plan are known only when their question is asked."""
    for promise in standing_promises(game, faction):
        seen_later = isinstance(order, o.Plan) or isinstance(promise.act, r.Attack)
        if promise.forbids and promise.binds and not seen_later and order_does(game, promise, order):
            return refusal_of_a_breach(promise)
    return None


def refusal_of_a_breach(promise: Promise) -> Refusal:
    why = f"You have answered {the_faction(promise.asker)} under Truthtrance: {promise_in_words(promise)}"
    return Refusal(why, "truthtrance.no-forbids" if promise.forbids else "truthtrance.yes-binds")


def promise_in_words(promise: Promise) -> str:
    return f"“{promise.question}” {truthtrance.answered(promise.word, promise.negative)}."


def void_promise(game: Game, promise: Promise) -> None:
    _end_promise(game, promise, "Void", "truthtrance-negated")  # WBC.AID.9


def note_unkept(game: Game, promise: Promise) -> None:
    _end_promise(game, promise, "Not kept", "truthtrance-unkept")


def _end_promise(game: Game, promise: Promise, how: str, event: str) -> None:
    state = game.state
    state.promises = [other for other in state.promises if other is not promise]
    if promise.on_the_way:
        return
    told = truthtrance.announced(promise.faction, promise.asker, promise.question, promise.word, promise.negative)
    state.truths = [f"{truth} {how}." if truth == told else truth for truth in state.truths]
    game.tell(event, faction=promise.faction, asker=promise.asker, question=promise.question, answer=promise.word)


def kinds_of_question(game: Game, promise: Promise) -> Sequence[o.QuestionKind]:
    match promise.act:
        case None:
            return promise.remind_at
        case r.PlayCard(cards):
            as_karama = not set(cards).isdisjoint(rules_of(game, promise.faction).serve_as_karama(game))
            found = [kind for card in cards for kind in PLAYED_AT.get(card, PLAN_QUESTIONS)]
            return [*found, *PLAYED_AT[KARAMA]] if as_karama else found
    return DECIDED_AT[type(promise.act)]


def question_concerns(game: Game, promise: Promise, question: Question) -> bool:
    act, battle = promise.act, game.moments.battle
    if act is None or not promise.binds or question.kind not in kinds_of_question(game, promise):
        return False
    if question.kind not in IN_A_BATTLE:
        return True
    if question.kind == "prescience-answer" and question.facts["element"] not in _elements(act):
        return False
    return battle is not None and voice_and_prescience.promise_concerns(battle, _side(game, question), promise)


def promise_demands(game: Game, promise: Promise, question: Question) -> bool:
    return question_concerns(game, promise, question) and (promise.forbids or _is_due(game, promise, question))


def _side(game: Game, question: Question) -> Faction:
    """Return the fighter whom the question concerns. That may be an ally of the player asked, because Harkonnen may
    call a traitor for an ally, and the Voice and prescience can be used for allies."""
    battle = game.moments.battle
    if battle is not None and question.kind in ("voice", "prescience"):
        return battle.opponent(question.facts["target"])
    side: Faction = question.facts.get("side", question.faction)
    return side


def _elements(act: r.Act | None) -> tuple[str, ...]:
    match act:
        case r.Lead():
            return ("leader",)
        case r.Dial():
            return ("number",)
    return ("weapon", "defense")


def _is_due(game: Game, promise: Promise, question: Question) -> bool:
    state, battle = game.state, game.moments.battle
    if battle is not None and question.kind in IN_A_BATTLE:
        with_power = question.kind in ("voice", "prescience")
        sides = state.ally_group(promise.faction) if with_power else (_side(game, question),)
        return voice_and_prescience.promise_is_due(game, battle, sides, promise)
    match promise.act:
        case r.PlayCard(cards):
            return question.kind == "movement" or (
                question.kind == "storm-cards" and _must_play_at_the_storm(game, cards, question)
            )
        case r.BidFor():
            return _must_bid(game, promise)
        case r.AllyWith(faction):
            return not state.allied(promise.faction, faction)
        case r.LeaveAlliance():
            return len(state.ally_group(promise.faction)) > 1
        case r.ReviveTokens():
            return question.facts.get("what") == "tokens"
        case r.ReviveOneOf():
            return question.facts.get("what") == "leader"
        case r.SendAdvisor(territory):
            return territory is None or any(territory_of(area) == territory for area in question.facts["places"])
        case r.Enter() | r.Attack():
            return _must_go(game, promise.act, question)
        case r.RideWorm() | r.ShipTo() | r.MoveTo() | r.TakeCharity() | r.GiveSpice():
            return True
    return False


def _must_play_at_the_storm(game: Game, cards: Sequence[Card], question: Question) -> bool:
    asked = [form for form in question.takes if PLAYED_BY.get(form) in cards]
    only_now = asked == [o.WeatherControl] and not storm_cards.WEATHER_CONTROL_WINDOW(game.rules).after
    return bool(asked) and (only_now or question.facts["sectors"] is not None)


def _must_bid(game: Game, promise: Promise) -> bool:
    """Return whether the player must make the promised bid now. A bid for a named card is due when that card is
    auctioned. Any other bid is due at the last card of the row, or when a pass could end the bidding."""
    moment = game.moments.auction
    if moment is None:
        return False
    if promise.scope.card:
        return promise.scope.card == moment.number
    others = [f for f in game.order_of_play() if f != promise.faction and f not in moment.passed]
    nobody_else = moment.top is None and not any(may_bid(game, faction) for faction in others)
    return len(moment.cards) == 1 or nobody_else


def _must_go(game: Game, act: r.Enter | r.Attack, question: Question) -> bool:
    """Return whether the player must enter the territory with this answer.

    A move must always enter the territory, because it is the last chance. A shipment must do so only if it can and no
    later move could. A player whose tokens already face the opponent need not go anywhere.
    """
    faction, state = question.faction, game.state
    goals = goals_of_act(game, act)
    if isinstance(act, r.Attack):
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


def played_against(game: Game, faction: Faction, order: o.Order, other: Faction) -> bool:
    battle = game.moments.battle
    if battle is not None and {faction, other} == set(battle.sides):
        return True
    match order:
        case o.Truthtrance(asked):
            return asked == other
        case o.Karama():
            return _touches(game, order, other)
    return False


def _touches(game: Game, order: o.Karama, other: Faction) -> bool:
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


def orders_for(game: Game, question: Question, act: r.Act | None) -> Iterator[o.Order]:
    """Yield orders by which the player could perform the act. Yield nothing for acts that the question's own samples
    already cover."""
    faction = question.faction
    match act:
        case r.BidFor(amount):
            top = question.facts["top"]
            number = max((top or 0) + 1, ceil(amount.least))
            yield o.Bid(number)
        case r.ShipTo(goal, amount) if goal is not None:
            yield from shipments_to(game, faction, goal, max(1, ceil(amount.least)))
        case r.MoveTo(goal, amount) if goal is not None:
            yield from moves_to(game, faction, goal, max(1, ceil(amount.least)))
        case r.Enter() | r.Attack():
            journeys = shipments_to if question.kind == "shipment" else moves_to
            for territory in goals_of_act(game, act):
                yield from journeys(game, faction, territory)
        case r.PlayCard(cards) if HAJR in cards and question.kind == "movement":
            whole = [order for order in question.samples() if isinstance(order, o.Move)]
            yield from map(o.Hajr, whole)
            yield from (o.Hajr(replace(order, forces=one)) for order in whole for one in some_tokens(order.forces, 1))
        case r.GiveSpice(other, amount):
            yield o.Give(max(1, ceil(amount.least)), other)
        case r.RideWorm(goal) if goal is not None:
            for _, source in question.facts["forces"]:
                for forces in some_tokens(game.here(source, faction), 1):
                    yield from (o.Ride(forces, source, target) for target in TERRITORIES[goal].areas)
        case r.ReviveTokens(amount):
            yield from map(o.Revive, some_tokens(game.player(faction).tanks, max(1, ceil(amount.least))))
        case r.ReviveOneOf(leaders):
            for leader in leaders:
                yield o.ReviveKwisatzHaderach() if leader == r.KWISATZ_HADERACH else o.ReviveLeader(Leader(leader))
        case r.AllyWith(other):
            yield o.Ally(other)
        case r.LeaveAlliance():
            yield o.BreakAlliance()
        case r.CallTreachery():
            yield o.Treachery()
        case r.TakeCharity():
            yield o.Charity()


def goals_of_act(game: Game, act: r.Enter | r.Attack) -> list[TerritoryId]:
    if isinstance(act, r.Enter):
        return [act.territory]
    if act.territory is not None:
        return [act.territory]
    return [territory for territory in TERRITORIES if act.faction in game.state.forces_in(territory)]


def shipments_to(game: Game, faction: Faction, goal: TerritoryId, number: int = 1) -> Iterator[o.Ship]:
    for target in TERRITORIES[goal].areas:
        for forces in some_tokens(game.player(faction).reserves, number):
            yield o.Ship(forces, None, target)
        for source, there in game.state.areas_of(faction):
            yield from (o.Ship(forces, source, target) for forces in some_tokens(there, number))


def moves_to(game: Game, faction: Faction, goal: TerritoryId, number: int = 1) -> Iterator[o.Move]:
    for source, there in game.state.areas_of(faction):
        for forces in some_tokens(there, number):
            yield from (o.Move(forces, source, target) for target in TERRITORIES[goal].areas)


def some_tokens(there: Forces, number: int) -> Iterator[Forces]:
    """Yield at most two selections of ``number`` of these tokens: one with as few elite tokens as possible, then one
    with one more elite token."""
    fewest = max(0, number - there.ordinary)
    for elite in (fewest, fewest + 1):
        forces = Forces(number - elite, elite) if elite <= number else None
        if forces and there.covers(forces):
            yield forces
