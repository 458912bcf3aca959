"""Which orders do what a player has promised to do, or not to do (WBC.AID.6 to 12)."""

from __future__ import annotations

from rules.cards.truthtrance.promises.against import played_against
from rules.chapters.battle import promised
from rules.chapters.bidding.card_up import least_bid, raised_to
from rules.components import Card, Faction, Leader
from rules.components.board import POLAR_SINK, Area, TerritoryId, territory_of
from rules.decisions.catalogue import rules_of
from rules.decisions.karama import karama_card
from rules.orders import (
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
from rules.state.game import Game
from rules.state.promises import Promise


def does(game: Game, promise: Promise, order: Order) -> bool:
    """Whether the order does what the promise is about."""
    match promise.act, order:
        case PlayCard() | Lead() | Dial(), Plan():
            battle = game.moments.battle
            return battle is not None and promised.does(game, battle, promise.faction, promise, order)
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
            return there is not None and goal in (None, there) and meets(game, promise.faction, faction, there)
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


def meets(game: Game, faction: Faction, opponent: Faction, territory: TerritoryId) -> bool:
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
            return amount.holds(raised_to(game, order))
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
