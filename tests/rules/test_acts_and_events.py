"""Tests that an order's acts match its events, since acts judge promises and events show that they are kept.

Three orders are excluded: gifts are only offered, alliances need two players, and a bid may raise itself.
"""

from __future__ import annotations

from collections import defaultdict
from typing import get_args

import pytest

from rules.cards.promised_acts import order_does
from rules.cards.promises import event_shows
from rules.components import FACTIONS, LEADERS, Faction
from rules.components.board import STRONGHOLDS, TERRITORIES
from rules.components.cards import Element
from rules.decisions.question import Question
from rules.engine.catalogue import load_rule_set
from rules.engine.play import Play
from rules.orders import Order
from rules.orders.readings import (
    Amount,
    AnyAct,
    CallTreachery,
    Enter,
    MoveTo,
    ReviveOneOf,
    ReviveTokens,
    SendAdvisor,
    ShipTo,
    TakeCharity,
    UsePrescience,
    UseVoice,
)
from rules.random_players import RandomPlayer, random_seats
from rules.state.state import Promise, Scope

AMOUNTS = (Amount(), Amount(2), Amount(3, 4), Amount(1, 1))
PLACES = (None, *STRONGHOLDS, *list(TERRITORIES)[:6])
ACTS: list[AnyAct] = [
    *(ShipTo(place, amount) for place in PLACES for amount in AMOUNTS),
    *(MoveTo(place, amount) for place in PLACES for amount in AMOUNTS),
    *(Enter(place) for place in PLACES if place),
    *(SendAdvisor(place) for place in PLACES),
    *(ReviveTokens(amount) for amount in AMOUNTS),
    *(ReviveOneOf((leader,)) for leader in LEADERS),
    *(UsePrescience((element,)) for element in get_args(Element)),
    CallTreachery(),
    TakeCharity(),
    UseVoice(),
]


class Watched(RandomPlayer):
    """A random player without cards, so that every order is carried out, who records each order's acts."""

    def __init__(self, seed: str) -> None:
        super().__init__(seed, impulses=0)
        self.done: dict[Faction, dict[AnyAct, Order]] = defaultdict(dict)

    def act(self, play: Play) -> None:
        question = self._pick(play.questions())
        play.submit(question.faction, [self.answer(question)])
        play.advance()

    def answer(self, question: Question) -> Order:
        order = super().answer(question)
        for act in ACTS:
            promise = Promise(question.faction, "guild", "Will you?", "yes", 0, Scope(1, 15), act)
            if order_does(question.game, promise, order):
                self.done[question.faction].setdefault(act, order)
        return order


@pytest.mark.clause("WBC.AID.8")
@pytest.mark.parametrize("seed", ["deed", "word"])
def test_an_order_that_does_an_act_is_told_as_that_act_and_as_no_other(seed: str) -> None:
    play, player, compared = Play.start(load_rule_set("wbc-2018"), seed, random_seats(seed, FACTIONS)), Watched(seed), 0
    phase, told = play.state.phase, 0
    while not play.over:
        player.act(play)
        if play.state.phase != phase:
            for faction in FACTIONS:
                news = [event for event in play.events[told:] if event.phase == phase]
                shown = {act for act in ACTS if any(event_shows(play.game, event, faction, act) for event in news)}
                assert shown == player.done[faction].keys(), faction
                compared += len(shown)
            phase, told = play.state.phase, len(play.events)
            player.done.clear()
    assert compared > 100
