"""The collection round (AH.XI, AH.XIX, WBC.XI, WBC.XIII): spice from the sand, from the cities, and from other players.

Each token in a sector with spice collects two spice, or three if its faction also holds Carthag or Arrakeen. Collecting
is not optional. Then all players may give spice to each other: all are asked at the same time, and each receiver
accepts or declines. Public debts are paid first, in the order of play, then the gifts (A-28). Coexisting Bene Gesserit
collect nothing.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from rules.chapters.deals import (
    OfferQuestion,
    all_may_deal,
    end_deals_of_this_turn,
    gives_freely,
    no_dealings,
    pass_on_spice,
    pay_debt,
    spice_owed,
)
from rules.chapters.spice_blow import calling_gap
from rules.components import Faction, the_faction
from rules.components.board import STRONGHOLDS, TERRITORIES, Area, TerritoryId, territory_of
from rules.decisions.catalogue import rules_of
from rules.decisions.question import Flow, Question, ask
from rules.orders import Accept, Give, NoTransfer, Order
from rules.rulesets.options import switch
from rules.rulesets.rulebook import Refusal
from rules.state.game import Game

RATE = 2
CITY_RATE = 3
CITIES = (TerritoryId("arrakeen"), TerritoryId("carthag"))

CITY_INCOME = switch("city_income")

Gift = tuple[Faction, Give]


def flow(game: Game) -> Flow:
    yield from calling_gap(game)
    for area in sorted(game.state.spice):
        _collect(game, area)
    if CITY_INCOME(game.rules):
        _city_income(game)
    yield from _transfers(game)


def occupants(game: Game, territory: TerritoryId) -> list[Faction]:
    """Return the factions that hold the territory, in the order of play: all factions with tokens there, except for
    coexisting Bene Gesserit (AH.XV.B.4-g)."""
    there = game.state.forces_in(territory)
    in_order = there if len(there) < 2 else [faction for faction in game.order_of_play() if faction in there]
    return [faction for faction in in_order if rules_of(game, faction).is_occupant(game, territory)]


def _collect(game: Game, area: Area) -> None:
    """Let the factions in this area collect as much spice as their tokens can carry, in the order of play (AH.XI.A)."""
    able = occupants(game, territory_of(area))
    if not able:
        return
    in_cities = {faction for city in CITIES for faction in occupants(game, city)}
    for faction in able:
        tokens = game.here(area, faction)
        rate = CITY_RATE if faction in in_cities else RATE
        taken = game.take_spice(area, rules_of(game, faction).carries(tokens, rate)) if tokens else 0
        if taken:
            game.gain(faction, taken)
            left = game.state.spice.get(area, 0)
            game.tell("spice-collected", faction=faction, area=area, amount=taken, rate=rate, left=left)


def _city_income(game: Game) -> None:
    """Pay the current holders two spice each for Carthag and Arrakeen, and one for Tuek's Sietch (AH.XIX)."""
    for territory in STRONGHOLDS:
        income = TERRITORIES[territory].income
        for faction in occupants(game, territory) if income else []:
            game.gain(faction, income)
            game.tell("income", faction=faction, territory=territory, amount=income)


# --- spice between players -------------------------------------------------------------------------------------------


def _transfers(game: Game) -> Flow:
    """Ask all players for their gifts at the same time, then pay public debts and the accepted gifts (WBC.MISC.4)."""
    game.moments.transfers_open = True
    able = [faction for faction in game.order_of_play() if _may_be_given(game, faction)]
    answers = yield from ask(lambda: [*(TransferQuestion(game, faction) for faction in able), *_offers(game)])
    game.moments.transfers_open = False
    agreed = []
    for giver, gift in _promised(game):
        receiver = gift.faction
        if isinstance(answers.of(receiver, _subject(giver, gift)), Accept):
            agreed.append((giver, gift))
        else:
            game.tell("offer-declined", audience=[giver, receiver], by=receiver, what="gift", giver=giver)
    end_deals_of_this_turn(game)
    for debtor in game.order_of_play():
        for deal in game.state.deals:
            pay_debt(game, deal, debtor)
    for giver, gift in agreed:
        _give(game, giver, gift)


def _may_be_given(game: Game, giver: Faction) -> list[Faction]:
    others = [other for other in game.order_of_play() if other != giver]
    if all_may_deal(game):
        return others
    return [other for other in others if gives_freely(game, giver, other) or not no_dealings(game, giver, other)]


def _promised(game: Game) -> list[Gift]:
    return [
        (giver, order)
        for giver in game.order_of_play()
        for order in game.filed.get((giver, "transfer", ""), ())
        if isinstance(order, Give)
    ]


def _offers(game: Game) -> list[Question]:
    """Return the questions for the receivers of gifts. All of them are asked at the same stop, because a separate
    stop would reveal that there is a gift. A player who is offered several gifts receives the offers one by one."""
    questions: list[Question] = []
    pending: set[Faction] = set()
    for giver, gift in _promised(game):
        question = PromisedGift(game, giver, gift)
        if gift.faction not in pending:
            questions.append(question)
        if question.key not in game.filed:
            pending.add(gift.faction)
    return questions


class PromisedGift(OfferQuestion):
    leads_on = True

    def __init__(self, game: Game, giver: Faction, gift: Give) -> None:
        super().__init__(game, giver, gift, _subject(giver, gift))
        self.gift = gift

    @classmethod
    def refusal_ahead(cls, game: Game, faction: Faction, order: Order) -> Refusal | None:
        return _settled(game)

    @property
    def facts(self) -> Mapping[str, Any]:
        return {"what": "gift", "from": self.giver, "amount": self.gift.amount}


def _subject(giver: Faction, gift: Give) -> str:
    return f"{giver} gives {gift.amount}"


def _give(game: Game, giver: Faction, gift: Give) -> None:
    """Pay an accepted gift, unless the giver's debts, which are paid first, have left too little spice for it."""
    if game.player(giver).spice >= gift.amount:
        pass_on_spice(game, giver, gift.amount, gift.faction, "gift")
    else:
        game.tell("gift-failed", audience=[giver, gift.faction], giver=giver, receiver=gift.faction, amount=gift.amount)


class TransferQuestion(Question):
    kind = "transfer"
    blanket = True
    many = True
    leads_on = True
    default = NoTransfer()

    def refusal(self, order: Order) -> Refusal | None:
        """Refuse gifts that would use spice needed for debts, because debts are paid first."""
        if not isinstance(order, Give):
            return None
        if order.faction == self.faction or not self.game.plays(order.faction):
            return Refusal("Name another player of this game.", "deals.with-another-player")
        if not gives_freely(self.game, self.faction, order.faction) and (
            refusal := no_dealings(self.game, self.faction, order.faction)
        ):
            return refusal
        if order.amount < 1:
            return Refusal("A transfer must be at least 1 spice.", "deals.amount")
        spice, owed = self.game.player(self.faction).spice, self._owed
        if order.amount > spice - owed:
            owing = f" and owe {owed}" if owed else ""
            why = f"{order.amount} to {the_faction(order.faction)} is too much: you have {spice} spice{owing}."
            return Refusal(why, "deals.spice-in-collection")
        return None

    @classmethod
    def refusal_ahead(cls, game: Game, faction: Faction, order: Order) -> Refusal | None:
        return _settled(game) or cls(game, faction).refusal(order)

    @classmethod
    def never_legal(cls, game: Game, faction: Faction, order: Order) -> Refusal | None:
        if isinstance(order, Give) and order.faction == faction:
            return Refusal("That is you; name another faction.", "deals.with-another-player")
        return None

    def samples(self) -> Sequence[Order]:
        left = self.game.player(self.faction).spice - self._owed
        amounts = sorted({1, left}) if left > 0 else []
        return [NoTransfer(), *(Give(amount, other) for other in self._others for amount in amounts)]

    @property
    def facts(self) -> Mapping[str, Any]:
        return {"spice": self.game.player(self.faction).spice, "others": self._others, "owed": self._owed}

    @property
    def _others(self) -> list[Faction]:
        return _may_be_given(self.game, self.faction)

    @property
    def _owed(self) -> int:
        return sum(spice_owed(deal, self.faction) for deal in self.game.state.deals)


def _settled(game: Game) -> Refusal | None:
    if game.moments.transfers_open:
        return None
    return Refusal("This turn's transfers have already been made.", "deals.spice-in-collection")


QUESTIONS = (TransferQuestion, PromisedGift)
