"""Tests for setting up by the 2019 rulebook: seats, traitors, cards, spice, and exhausted decks."""

from collections import Counter
from typing import Any

import pytest

from bot.desk.new_game import draw_seats
from rules.components import LEADERS, SHAI_HULUD, SPICE_DECK, TREACHERY_DECK, Faction
from rules.components.board import DOTS
from rules.engine.catalogue import load_rule_set
from rules.engine.play import Play
from rules.engine.turn import opening_state
from rules.views import view
from tests.rules.stage import at, told, until

BASIC = load_rule_set("gf9-basic")
SIX: dict[Faction, int] = {
    "atreides": 2, "bene-gesserit": 5, "emperor": 8, "fremen": 11, "guild": 14, "harkonnen": 17,
}  # fmt: skip


def begun(seats: dict[Faction, int], seed: str) -> Play:
    play = Play(BASIC, seed, opening_state(BASIC, seats))
    play.begin_phase("setup")
    play.settle()
    return play


def finished(play: Play) -> Play:
    while not play.phase_over:
        play.expire()
    return play


@pytest.mark.clause("GF9.SETUP.9")
@pytest.mark.parametrize("number", [3, 4, 6])
def test_each_player_is_dealt_a_circle_of_their_own(number: int) -> None:
    players = [f"{name}@example.org" for name in "abcdef"[:number]]
    dots = [draw_seats(players, f"deal {n}", "gf9-basic")[1] for n in range(30)]
    assert all(len(set(seats.values())) == number and set(seats.values()) <= set(DOTS) for seats in dots)
    assert {dot for seats in dots for dot in seats.values()} == set(DOTS)


@pytest.mark.clause("GF9.SETUP.10")
def test_nobody_draws_a_leader_of_a_faction_that_is_absent() -> None:
    seats: dict[Faction, int] = {"atreides": 2, "emperor": 5, "fremen": 8, "harkonnen": 11}
    for seed in range(10):
        (drawn,) = told(finished(begun(seats, str(seed))), "traitors-drawn")
        leaders = {leader for faction in seats for leader in drawn.seen_by(faction)["leaders"]}
        assert {LEADERS[leader].faction for leader in leaders} == set(seats)


@pytest.mark.clause("GF9.SETUP.11", "GF9.SETUP.14")
def test_four_of_the_thirty_each_and_who_keeps_what_is_their_own_secret() -> None:
    play = finished(begun(SIX, "traitors"))
    (drawn,) = told(play, "traitors-drawn")
    four = {faction: drawn.seen_by(faction)["leaders"] for faction in SIX}
    assert len({leader for leaders in four.values() for leader in leaders}) == 24
    kept = {faction: play.state.players[faction].traitors for faction in SIX}
    assert {faction: len(traitors) for faction, traitors in kept.items()} == {
        faction: 4 if faction == "harkonnen" else 1 for faction in SIX
    }
    for viewer in SIX:
        others = [leader for faction in SIX if faction != viewer for leader in four[faction]]
        heard = str([event.seen_by(viewer) for event in play.events])
        assert [leader for leader in others if leader in heard] == []


@pytest.mark.clause("GF9.SETUP.15", "GF9.SETUP.17", "GF9.SETUP.18")
def test_the_game_begins_with_a_card_each_and_the_spice_of_the_sheets() -> None:
    play = finished(begun(SIX, "deal"))
    players = play.state.players
    assert {faction: len(player.hand) for faction, player in players.items()} == {
        faction: 2 if faction == "harkonnen" else 1 for faction in SIX
    }
    hands = [card for player in players.values() for card in player.hand]
    assert Counter([*hands, *play.state.treachery_deck]) == Counter(TREACHERY_DECK)
    assert {faction: player.spice for faction, player in players.items()} == {
        "atreides": 10, "bene-gesserit": 5, "emperor": 10, "fremen": 3, "guild": 5, "harkonnen": 10,
    }  # fmt: skip
    assert view(play, "guild")["players"]["atreides"]["spice"] is None
    assert play.state.turn == 1


@pytest.mark.clause("GF9.SETUP.2")
def test_a_spice_deck_that_is_used_up_is_made_anew_from_its_discards() -> None:
    for seed in range(12):
        cards: dict[str, Any] = {"spice_deck": [], "spice_discard": [[*SPICE_DECK]]}
        play = at("spice", "gf9-basic", storm=3, factions=["guild", "harkonnen"], rng=str(seed), **cards)
        until(play, "nothing")
        pile = play.state.spice_discard[0]
        assert Counter([*play.state.spice_deck, *pile]) == Counter(SPICE_DECK)
        assert [card for card in pile if card != SHAI_HULUD] == pile[-1:]
        assert len(told(play, "spice-deck-reshuffled")) == 1


@pytest.mark.clause("GF9.SETUP.2")
def test_a_treachery_deck_that_is_used_up_is_made_anew_from_its_discards() -> None:
    cards: dict[str, Any] = {"treachery_deck": [], "treachery_discard": [*TREACHERY_DECK]}
    play = at("bidding", "gf9-basic", storm=3, factions=["guild", "atreides"], **cards)
    assert len(play.state.treachery_deck) == len(TREACHERY_DECK) - 2
    assert play.state.treachery_discard == []


@pytest.mark.clause("GF9.BATTLE.11")
def test_who_can_send_no_leader_is_announced_before_the_plans_are_seen() -> None:
    dead = ["Staban Tuek", "Esmar Tuek", "Master Bewt", "Soo Soo Sook", "Guild Representative"]
    sides = {
        "guild": {"forces": {"pasty-mesa/6": "2"}, "dead_leaders": dead},
        "emperor": {"forces": {"pasty-mesa/6": "2"}},
    }
    play = at("battle", "gf9-basic", storm=3, factions=["guild", "emperor"], faction=sides)
    until(play, "nothing")
    kinds = [event.kind for event in play.events]
    (said,) = told(play, "no-leader")
    assert said.seen_by("emperor")["faction"] == "guild"
    assert kinds.index("no-leader") < kinds.index("plans-revealed")
