"""Corrections of a position: parsed, checked, reported to those who may know, and replayed."""

from __future__ import annotations

import pytest

from bot.desk import positions, sight
from bot.desk.powers import DeskRequest, PowerRefused, Use
from bot.games import proof
from bot.record import dune, dune_reader
from bot.store import acts
from bot.store.database import reading
from rules.components import CARDS, FACTIONS
from rules.engine import log
from tests.moderator.table import GAME, World, address_of


@pytest.mark.parametrize(
    "text",
    [
        "spice guild +3", "spice guild -2", "spice cielago-north/3 = 8", "forces arrakeen/10 atreides 5",
        "forces arrakeen/10 fremen 3+2", "tanks guild 2", "card Lasgun from guild to discard",
        "card Shield from deck to atreides", "leader Stilgar alive", "leader Stilgar dead", "storm 14",
    ],
)  # fmt: skip
def test_a_correction_is_read_as_it_is_written(text: str) -> None:
    assert log.write_correction(log.read_correction(text)) == text


@pytest.mark.parametrize(
    "text",
    [
        "", "spice", "spice guild 3", "spice guild +9999", "spice nowhere = 3", "forces arrakeen atreides many",
        "forces atreides", "card Gun from guild to deck", "card Lasgun from here to there", "leader Paul alive",
        "leader Stilgar sleepy", "storm east", "storm 140", "reshuffle", "chance redraw", "tanks guild",
    ],
)  # fmt: skip
def test_what_is_no_correction_is_refused_with_a_sentence(begun: World, text: str) -> None:
    entries, letters = begun.table().entries, begun.written()
    with pytest.raises(PowerRefused):
        positions.correct_facts(DeskRequest(begun.moderator.open_games, GAME, begun.now), ["spice guild +1", text])
    assert (begun.table().entries, begun.written()) == (entries, letters)


@pytest.mark.parametrize(
    "text",
    ["spice guild -99", "forces arrakeen atreides 30", "tanks guild 21", "storm 19", "spice arrakeen = 3"],
)
def test_a_position_that_could_not_be_is_refused(begun: World, text: str) -> None:
    before = begun.table().play.state
    with pytest.raises(PowerRefused):
        positions.correct_facts(DeskRequest(begun.moderator.open_games, GAME, begun.now), [text])
    assert begun.table().play.state == before


@pytest.mark.parametrize(
    ("text", "bound"),
    [
        ("spice guild +300000000", "a faction has from 0 to 200 spice"),
        ("spice guild +201", "a faction has from 0 to 200"),
        ("spice guild -99", "a faction has from 0 to 200"),
        (f"spice guild +{'9' * 5000}", "from 0 to 200"),
        ("spice cielago-north/3 = 300000000", "cielago-north/3 can hold from 0 to 200 spice"),
        ("spice cielago-north/3 = 201", "in cielago-north/3 must be from 0 to 200"),
        ("spice cielago-north/3 = -1", "in cielago-north/3 must be from 0 to 200"),
        ("forces arrakeen atreides 20000", "a faction has 20 tokens in all"),
        ("forces arrakeen fremen 3+20000", "a faction has 20 tokens in all"),
        ("tanks guild 20000", "a faction has 20 tokens in all"),
        ("storm 1400", "The storm's sector must be from 1 to 18"),
        ("storm 19", "The storm's sector must be from 1 to 18"),
    ],
)
def test_a_number_beyond_its_bound_is_told_the_bound(begun: World, text: str, bound: str) -> None:
    with pytest.raises(PowerRefused) as refused:
        positions.correct_facts(DeskRequest(begun.moderator.open_games, GAME, begun.now), [text])
    assert bound.lower() in str(refused.value).lower()
    assert len(str(refused.value)) < 200


def test_no_correction_tells_a_blind_desk_what_is_sealed(world: World) -> None:
    world.silent_game("bidding")
    games = world.moderator.open_games
    sight.play_blind(DeskRequest(games, GAME, world.now))
    for dry_run in (True, False):
        for text in (
            "spice guild -99",
            "spice guild +3",
            "card Lasgun from guild to discard",
            "card Lasgun from deck to guild",
            "card Lasgun from discard to guild",  # refused where the hand is full
            "leader Stilgar dead",  # refused if another faction holds the leader
        ):
            with pytest.raises(PowerRefused) as refused:
                positions.correct_facts(DeskRequest(games, GAME, world.now, Use(dry_run=dry_run)), ["storm 4", text])
            assert "break-glass" in str(refused.value)
    positions.correct_facts(DeskRequest(games, GAME, world.now), ["storm 4", "tanks guild 2"])
    sight.break_glass(DeskRequest(games, GAME, world.now, Use(why="a wrong payment")))
    positions.correct_facts(DeskRequest(games, GAME, world.now), ["spice guild +3"])


def test_what_all_may_see_is_told_to_all_and_the_rest_to_its_owner(world: World) -> None:
    world.new_game()
    world.silence_until("bidding")
    before, spice = world.written(), world.table().play.state.players["guild"].spice
    lines = ["spice guild +3", "tanks harkonnen 2"]
    positions.correct_facts(
        DeskRequest(world.moderator.open_games, GAME, world.now, Use(why="forgotten", tell="Sorry.")), lines
    )
    state = world.table().play.state
    assert state.players["guild"].spice == spice + 3
    assert state.players["harkonnen"].tanks.ordinary == 2
    told = {letter.recipient: " ".join(letter.text.split()) for letter in world.letters(after=before)}
    assert set(told) == {address_of(faction) for faction in FACTIONS}
    for reader, text in told.items():
        assert "tanks harkonnen 2" in text
        assert "Sorry." in text
        assert ("spice guild +3" in text) == (reader == address_of("guild"))
    with reading(world.engine) as conn:
        assert acts.acts_of(conn, game_id=GAME)[-1].words == "spice guild +3; tanks harkonnen 2"
        assert proof.verify(proof.full_record(conn, GAME)).holds
    world.silence_until("revival")
    with reading(world.engine) as conn:
        assert proof.verify(proof.full_record(conn, GAME)).holds


def test_a_card_changes_hands_and_only_those_two_know(world: World) -> None:
    world.new_game()
    world.silence_until("storm", turn=2)
    hands = {faction: list(player.hand) for faction, player in world.table().play.state.players.items()}
    giver = next((faction for faction, hand in hands.items() if hand), None)
    if giver is None:
        pytest.skip("nobody holds a card")
    taker = next(faction for faction in FACTIONS if faction != giver and len(hands[faction]) < 4)
    card, before = hands[giver][0], world.written()
    positions.correct_facts(
        DeskRequest(world.moderator.open_games, GAME, world.now), [f"card {card} from {giver} to {taker}"]
    )
    assert card in world.table().play.state.players[taker].hand
    for letter in world.letters(after=before):
        knows = letter.recipient in (address_of(giver), address_of(taker))
        assert (f"card {card} from" in letter.text) == knows
    assert card in CARDS


def test_corrections_stand_in_the_text_form_of_the_record() -> None:
    entry = dune_reader._decided_by_game_master("correct spice guild +3; storm 4")
    assert dune.said_by(entry, {}) == (dune.GAME_MASTER, ["correct spice guild +3; storm 4"])
