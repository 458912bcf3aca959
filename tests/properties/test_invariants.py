"""Tests that the invariant checks for random games notice anything created, lost or duplicated."""

import re
from collections.abc import Callable
from typing import Any

import pytest

from rules.components import Card, Forces, Leader
from rules.components.board import Area
from rules.engine.catalogue import load_rule_set
from rules.engine.invariants import InvariantBroken, check_invariants
from rules.engine.play import Play
from rules.random_players import RandomPlayer, random_seats
from rules.state.game import Game
from rules.state.state import Deal, Expansion, LeaderState, State, Terms


def game() -> Game:
    """Return a game of six in its second turn."""
    seats = random_seats("watched", ["atreides", "bene-gesserit", "emperor", "fremen", "guild", "harkonnen"])
    play, player = Play.start(load_rule_set("wbc-2018"), "watched", seats), RandomPlayer("watched", impulses=0)
    while play.state.turn < 2:
        player.act(play)
    return play.game


def _set(**values: object) -> Callable[[State], None]:
    def spoil(state: State) -> None:
        for name, value in values.items():
            setattr(state, name, value)

    return spoil


def _deal(**terms: Any) -> Deal:
    """Return a deal in which the Guild owe the Fremen two spice."""
    return Deal(("guild", "fremen"), "A sale", 2, {"guild": 2}, Terms(**terms))


def _chani_in_the_pay_of_two(state: State) -> None:
    state.players["emperor"].traitors = [Leader("Chani")]
    state.players["guild"].traitors = [Leader("Chani")]


def _one_face_dancer_twice(state: State) -> None:
    for player in state.players.values():
        player.traitors = []
    state.expansion = Expansion(face_dancers=[Leader("Duncan Idaho")] * 2)


SPOILT: dict[str, Callable[[State], object]] = {
    "tokens": lambda state: setattr(state.players["guild"], "reserves", state.players["guild"].reserves + Forces(1)),
    "guild has -1+2 in": lambda state: state.forces.update({Area("red-chasm/7"): {"guild": Forces(-1, 2)}}),
    "guild has 2+-1 in": lambda state: state.forces.update({Area("red-chasm/7"): {"guild": Forces(2, -1)}}),
    "caladan/3 is no area": lambda state: state.forces.update({Area("caladan/3"): {"guild": Forces(1)}}),
    "red-chasm/7 is not an area, or is empty": lambda state: state.forces.update({Area("red-chasm/7"): {}}),
    "guild has a negative number of tokens": lambda state: setattr(state.players["guild"], "tanks", Forces(-1)),
    "guild has 0": lambda state: state.forces.setdefault(Area("red-chasm/7"), {}).update({"guild": Forces()}),
    "treachery cards too many": lambda state: state.treachery_deck.append(Card("Karama")),
    "missing": lambda state: state.treachery_deck.remove(state.treachery_deck[0]),
    "Shield Wall": _set(shield_wall=False),
    "spice cards: {'Shai-Hulud': 1} and {}": lambda state: state.spice_deck.append("Shai-Hulud"),
    "-1 spice": lambda state: setattr(state.players["guild"], "spice", -1),
    "-3 spice in red-chasm/7": lambda state: state.spice.update({Area("red-chasm/7"): -3}),
    "0 spice in red-chasm/7": lambda state: state.spice.update({Area("red-chasm/7"): 0}),
    "guild holds 5 cards": lambda state: setattr(state.players["guild"], "hand", [Card("Shield")] * 5),
    "3 spice in arrakeen/10": lambda state: state.spice.update({Area("arrakeen/10"): 3}),
    "leaders too many or missing": lambda state: state.leaders.pop(Leader("Stilgar")),
    "cannot be held by": lambda state: state.players["harkonnen"].captured.update({Leader("Stilgar"): "guild"}),
    "Stilgar cannot be held by guild": lambda state: [
        state.players[faction].captured.update({Leader("Stilgar"): "fremen"}) for faction in ("guild", "harkonnen")
    ],
    "Chani cannot be in the pay of guild": _chani_in_the_pay_of_two,
    "cannot be in the pay of": lambda state: state.players["fremen"].traitors.append(Leader("Stilgar")),
    "turn 16": _set(turn=16),
    "turn 0": _set(turn=0),
    "storm 0": _set(storm=0),
    "storm 19": _set(storm=19),
    "alliances [('guild',)]": _set(alliances=[("guild",)]),
    "alliances [('guild', 'fremen', 'emperor')]": _set(alliances=[("guild", "fremen", "emperor")]),
    "alliances [('guild', 'ixians')]": _set(alliances=[("guild", "ixians")]),
    "alliances": _set(alliances=[("guild", "fremen"), ("guild", "emperor")]),
    "the Kwisatz Haderach is dead": _set(kwisatz_haderach="dead", lost_in_battle=3),
    "winners": _set(winners=["guild"]),
    "Ixians is not played and wins": _set(winners=["ixians"], phase="mentat"),
    "the Kwisatz Haderach is locked after 7": _set(kwisatz_haderach="locked", lost_in_battle=7),
    "is held by harkonnen and in the tanks": lambda state: (
        state.players["harkonnen"].captured.update({Leader("Stilgar"): "fremen"}),
        state.leaders.update({Leader("Stilgar"): LeaderState("dead")}),
    ),
    "['Stilgar'] lie open, of []": _set(expansion=Expansion(revealed_dancers=[Leader("Stilgar")])),
    "face dancers ['Stilgar', 'Stilgar']": _set(expansion=Expansion(face_dancers=[Leader("Stilgar")] * 2)),
    "face dancers ['Duncan Idaho', 'Duncan Idaho'] beside traitors []": _one_face_dancer_twice,
    "gholas {'Stilgar': 'guild'}": _set(expansion=Expansion(gholas={Leader("Stilgar"): "guild"})),
    "an escrow of {'guild': 0}": lambda state: state.deals.append(_deal(escrow={"guild": 0})),
    "in the escrow of a deal that is kept": lambda state: state.deals.append(_deal(escrow={"guild": 2}, stage="kept")),
    "{'guild': 3} in an escrow that owes {'guild': 2}": lambda state: state.deals.append(
        _deal(escrow={"guild": 3}, released=True)
    ),
    "a secret deal about spice": lambda state: state.deals.append(_deal(secret=True)),
}


def test_a_sound_position_passes() -> None:
    check_invariants(game())


def test_cards_that_the_ixians_look_at_before_an_auction_are_not_missing() -> None:
    rules = load_rule_set("gf9-basic").with_options({"expansion": "ixians-tleilaxu"})
    play = Play.start(rules, "watched", random_seats("watched", ["guild", "ixians"]))
    while not any(question.kind == "auction-return" for question in play.questions()):
        play.expire()
        play.advance()
    assert len(play.game.moments.auction.looked_at) == 3  # type: ignore[union-attr]  # it is open
    check_invariants(play.game)


@pytest.mark.parametrize("storm", [1, 18])
def test_the_storm_may_stand_in_every_sector(storm: int) -> None:
    sound = game()
    sound.state.storm = storm
    check_invariants(sound)


def test_whoever_may_take_cards_from_another_may_hold_more_until_they_are_returned() -> None:
    sound = game()
    deck, hand = sound.state.treachery_deck, sound.state.players["harkonnen"].hand
    while len(hand) < 9:
        hand.append(deck.pop())
    check_invariants(sound)


@pytest.mark.parametrize("words", SPOILT)
def test_a_spoilt_position_is_noticed(words: str) -> None:
    spoilt = game()
    SPOILT[words](spoilt.state)
    with pytest.raises(InvariantBroken, match=re.escape(words)):
        check_invariants(spoilt)
