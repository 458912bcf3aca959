"""Tests that an expansion's faction can have another faction's power: chapters never ask whose power it is.

In these tests the Guild plays by the rules of another faction.
"""

from __future__ import annotations

import ast
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import bot
import rules
from rules.components import FACTION_FACTS, KARAMA, Forces
from rules.components.board import Area, TerritoryId
from rules.decisions.early_orders import may_be_asked, never_legal
from rules.decisions.faction_rules import FactionRules
from rules.engine.catalogue import CATALOGUE
from rules.engine.play import Play
from rules.factions.bene_gesserit import BeneGesserit
from rules.factions.fremen import Fremen
from rules.factions.great_houses import Atreides, Emperor, Harkonnen
from rules.factions.guild import Guild
from rules.orders import (
    Bid,
    EmperorGives,
    FamilyAtomics,
    FeedAlly,
    Ghola,
    Karama,
    NoStormCards,
    Pass,
    PlaceWorm,
    Predict,
    Ride,
    StormDial,
    Voice,
)
from rules.positions.expectation import differences
from rules.positions.position import position
from rules.state.state import NO_FORCES, Prediction
from rules.views import known, view
from tests.rules.stage import say, silence, told, until

WORM = "Shai-Hulud"


def with_the_rules_of(rules: type[FactionRules], phase: str, **start: Any) -> Play:
    """Return a game at the first stop of a phase in which the Guild plays by another faction's rules."""
    play = position({"ruleset": "wbc-2018", "start": {"turn": 4, "phase": phase, "storm": 4, **start}}).play()
    catalogue = replace(CATALOGUE, factions={**CATALOGUE.factions, "guild": rules("guild")})
    play.game.rules = replace(play.game.rules, catalogue=catalogue)
    play.begin_phase(play.state.phase)
    play.settle()
    return play


def guild_and_emperor(**of_the_guild: Any) -> dict[str, Any]:
    """Return two players; with the storm in sector 4, the Guild is first in the order of play."""
    both = {"guild": of_the_guild, "emperor": {"spice": 9}}
    return {"factions": list(both), "dots": {"guild": 5, "emperor": 8}, "faction": both}


def refusal_of_holding(play: Play) -> str | None:
    """Return the reason why the Emperor cannot make the Guild take its turn in order, or None."""
    play.game.player("emperor").hand.append(KARAMA)
    refusal = play.check("emperor", Karama("guild in turn")).refusal
    return refusal.reason if refusal else None


def spice_cards(*worms: str) -> dict[str, Any]:
    return {"spice_deck": [*worms, "Old Gap", "Red Chasm"], "spice_discard": [["Habbanya Erg"], ["Broken Land"]]}


@pytest.mark.clause("AH.SHIELD.FRE.3-a", "AH.SHIELD.FRE.3-b")
def test_whoever_commands_worms_rides_them_and_is_not_eaten() -> None:
    table = guild_and_emperor(forces={"habbanya-erg/16": "3"})
    play = with_the_rules_of(Fremen, "spice", **table, **spice_cards(WORM))
    (question,) = until(play, "worm-ride")
    assert question.faction == "guild"
    ride = next(order for order in question.samples() if isinstance(order, Ride) and order.forces.total == 1)
    say(play, "guild", ride)
    silence(play)
    assert len(told(play, "worm-ridden")) == 1
    assert play.game.here(Area("habbanya-erg/16"), "guild").total == 2
    assert play.game.player("guild").tanks == NO_FORCES


@pytest.mark.clause("AH.SHIELD.FRE.6-a")
def test_whoever_commands_worms_sends_the_second_one_also_by_an_order_sent_ahead() -> None:
    play = with_the_rules_of(Fremen, "spice", **guild_and_emperor(), **spice_cards(WORM, WORM))
    assert play.submit("guild", [PlaceWorm(TerritoryId("meridian"))])[0].status == "held"
    silence(play)
    (placed,) = told(play, "worm-placed")
    assert placed.facts["territory"] == "meridian"


@pytest.mark.clause("AH.SHIELD.FRE.7-a")
def test_half_of_those_in_the_storm_live_where_their_room_says_so() -> None:
    table = guild_and_emperor(forces={"habbanya-erg/16": "5"})
    play = with_the_rules_of(Fremen, "storm", **{**table, "storm": 14, "next_storm": 4})
    silence(play)
    assert play.game.player("guild").tanks.total == 3


@pytest.mark.clause("AH.XVI.B-a", "AH.XVI.B-b")
def test_whoever_draws_the_marker_of_the_storm_alone_sees_it() -> None:
    play = with_the_rules_of(Fremen, "storm", **guild_and_emperor(), next_storm=2)
    silence(play)
    (drawn,) = told(play, "storm-marker-drawn")
    assert "marker" in drawn.seen_by("guild")
    assert "marker" not in drawn.seen_by("emperor")
    assert view(play, "guild")["next_storm"] == known(play, "guild")["next_storm"] == drawn.seen_by("guild")["marker"]
    assert view(play, "emperor")["next_storm"] is known(play, "emperor")["next_storm"] is None


@pytest.mark.clause("AH.SHIELD.EMP.1")
def test_the_price_of_a_card_goes_to_the_first_who_is_paid_for_cards_and_is_not_the_buyer() -> None:
    play = with_the_rules_of(Emperor, "bidding", **guild_and_emperor(spice=5), treachery_deck=["Shield", "Hajr"])
    say(play, "guild", Bid(1))
    say(play, "emperor", Bid(3))
    say(play, "guild", Pass())
    assert play.game.player("guild").spice == 8
    assert play.game.player("emperor").spice == 6


@pytest.mark.clause("AH.SHIELD.HAR.2-c")
def test_whoever_draws_a_free_card_draws_it_after_buying() -> None:
    table = guild_and_emperor(spice=5)
    play = with_the_rules_of(Harkonnen, "bidding", **table, treachery_deck=["Shield", "Hajr", "Lasgun"])
    say(play, "guild", Bid(1))
    silence(play)
    assert len(play.game.player("guild").hand) == 2


@pytest.mark.clause("AH.SHIELD.ATR.1-a")
def test_whoever_sees_cards_for_bid_sees_them_as_they_come_up() -> None:
    play = with_the_rules_of(Atreides, "bidding", **guild_and_emperor(), treachery_deck=["Shield", "Hajr"])
    (card_up,) = told(play, "card-up")
    assert card_up.seen_by("guild")["card"] == "Shield"
    assert "card" not in card_up.seen_by("emperor")


def test_whoever_predicts_is_asked_before_the_traitors_are_dealt() -> None:
    play = with_the_rules_of(BeneGesserit, "setup", turn=1, factions=["guild", "emperor"])
    say(play, "guild", Predict("emperor", 3))
    assert play.state.prediction is not None
    assert play.state.prediction.faction == "emperor"
    assert known(play, "guild")["prediction"] == {"faction": "emperor", "turn": 3}
    assert known(play, "emperor")["prediction"] is None


@pytest.mark.clause("AH.XV.B.4")
def test_all_see_where_tokens_coexist_whoever_does() -> None:
    play = with_the_rules_of(BeneGesserit, "battle", **guild_and_emperor(forces={"carthag/11": "1"}))
    play.state.presence = {TerritoryId("carthag"): "coexist"}
    assert view(play, "public")["coexisting"] == ["carthag"]
    assert differences(play, {"faction": {"guild": {"coexisting": ["carthag"]}, "emperor": {"coexisting": []}}}) == []


def test_a_karama_holds_to_its_place_whoever_could_leave_it() -> None:
    play = with_the_rules_of(Guild, "movement", **guild_and_emperor())
    assert refusal_of_holding(play) != "The Guild is not in this game."
    play = with_the_rules_of(Emperor, "movement", **guild_and_emperor())
    assert refusal_of_holding(play) == "The Guild is not in this game."


@pytest.mark.clause("WBC.VI.1", "AH.AID.TIMED.5-a")
def test_a_game_whose_catalogue_has_no_storm_cards_asks_for_none() -> None:
    table = guild_and_emperor(hand=["Family Atomics"], forces={"shield-wall/8": "2"})
    play = position({"ruleset": "wbc-2018", "start": {"turn": 4, "phase": "storm", "storm": 4, **table}}).play()
    play.game.rules = replace(play.game.rules, catalogue=replace(CATALOGUE, gaps={}))
    play.begin_phase(play.state.phase)
    play.settle()
    assert not play.questions()
    assert len(told(play, "storm-moved")) == 1


@pytest.mark.clause("AH.VI.B-b", "AH.AID.TIMED.5-a")
def test_of_the_orders_about_a_storm_each_is_held_until_its_own_time_is_over() -> None:
    table = guild_and_emperor(hand=["Family Atomics"], forces={"shield-wall/8": "2"})
    start = {"turn": 4, "phase": "storm", "storm": 4, "next_storm": 2, **table}
    play = position({"ruleset": "wbc-2018", "start": start}).play()
    play.begin_phase(play.state.phase)
    play.settle()
    assert [question.facts["card"] for question in play.questions()] == ["Weather Control"] * 2
    assert play.check("guild", FamilyAtomics()).status == "held"
    assert play.check("guild", StormDial(2)).status == "refused"
    play.expire()
    assert play.check("guild", FamilyAtomics()).status == "accepted"
    assert play.check("guild", NoStormCards()).status == "accepted"


@pytest.mark.clause("AH.SHIELD.ATR.2")
def test_whoever_sees_the_spice_card_alone_is_told_it_when_tokens_are_revived() -> None:
    play = with_the_rules_of(Atreides, "revival", **guild_and_emperor(), **spice_cards())
    silence(play)
    (seen,) = told(play, "spice-card-seen")
    assert seen.audience == ("guild",)


@pytest.mark.clause("AH.SHIELD.ATR.4-f", "AH.AID.TIMED.4-a")
def test_whoever_has_the_kwisatz_haderach_brings_it_back_with_a_ghola() -> None:
    play = with_the_rules_of(Atreides, "charity", **guild_and_emperor(hand=["Tleilaxu Ghola"]))
    play.state.kwisatz_haderach = "dead"
    assert play.check("emperor", Ghola(kwisatz_haderach=True)).status == "refused"
    say(play, "guild", Ghola(kwisatz_haderach=True))
    assert len(told(play, "ghola-kwisatz-haderach")) == 1


@pytest.mark.clause("WBC.HR.5d", "AH.SHIELD.EMP.ALLY-a")
def test_whoever_gives_to_allies_does_so_before_the_collection() -> None:
    table = {**guild_and_emperor(spice=5), "alliances": [["guild", "emperor"]]}
    play = with_the_rules_of(Emperor, "charity", **table)
    assert play.check("guild", EmperorGives(2, "emperor")).status == "accepted"
    play.game.rules = replace(play.game.rules, catalogue=CATALOGUE)
    assert play.check("guild", EmperorGives(2, "emperor")).status == "refused"


@pytest.mark.clause("AH.SHIELD.EMP.KARAMA", "AH.SHIELD.GUI.KARAMA")
def test_a_karama_power_belongs_to_whoever_has_it() -> None:
    table = guild_and_emperor(hand=["Karama"], tanks="3")
    play = with_the_rules_of(Emperor, "charity", **table)
    stopped = play.check("guild", Karama("stop shipment"))
    assert stopped.refusal is not None
    assert stopped.refusal.reason == "Only the Guild can stop shipments."
    say(play, "guild", Karama("revive", forces=Forces(3)))
    assert play.game.player("guild").tanks == NO_FORCES


@pytest.mark.clause("AH.SHIELD.BG.1-c")
def test_whoever_foresaw_a_victory_wins_instead() -> None:
    table = guild_and_emperor()
    table["faction"]["emperor"]["forces"] = {"carthag": "1", "arrakeen": "1", "sietch-tabr": "1", "tueks-sietch": "1"}
    play = with_the_rules_of(BeneGesserit, "collection", **table)
    play.state.prediction = Prediction("emperor", 4)
    silence(play)
    play.advance()
    assert play.state.winners == ["guild"]


@pytest.mark.clause("AH.QA.E.3", "AH.SHIELD.FRE.4-b")
@pytest.mark.parametrize(("rules", "winner"), [(Fremen, "guild"), (Harkonnen, "emperor")])
def test_the_last_turn_goes_to_the_best_claim_and_without_one_to_most_strongholds(
    rules: type[FactionRules], winner: str
) -> None:
    table = guild_and_emperor()
    table["faction"]["emperor"]["forces"] = {"carthag": "1", "sietch-tabr": "1"}
    play = with_the_rules_of(rules, "mentat", **table, turn=15)
    assert play.state.winners == [winner]


def test_an_order_for_a_borrowed_power_may_be_filed_by_whoever_borrows_it() -> None:
    voice, stop = Voice("emperor", "shield", play=True), Karama("stop shipment")
    play = with_the_rules_of(BeneGesserit, "charity", **guild_and_emperor())
    assert never_legal(play.game, "guild", voice) is None
    assert never_legal(play.game, "guild", stop) is not None
    assert may_be_asked(play.game, "guild", "advisor")
    play.game.rules = replace(play.game.rules, catalogue=CATALOGUE)
    assert never_legal(play.game, "guild", voice) is not None
    assert never_legal(play.game, "guild", stop) is None
    assert not may_be_asked(play.game, "guild", "advisor")


NAME_FACTIONS = {
    "components/factions.py": "the facts of the box",
    "engine/catalogue.py": "which room has the rules of which faction",
    "positions/position.py": "what only the one or the other can have in a position's file",
    "state/clauses.py": "the books rule on a faction's own way of shipping, selling or moving by its name",
}

BOT_NAMES_FACTIONS = {
    "competition/outcomes.py": "who alone can win by a prediction or if nobody else has won",
    "competition/seating_designs.py": "who is left out of a small table, as the settings of a tournament name it",
    "competition/settings.py": "the same, as the settings name it",
    "language/truthtrance.py": "a word of questions, not the faction",
    "record/reader.py": "how a game was won, as an event names it",
    "render/news.py": "events that name nobody, as their kind says who it was",
    "render/questions.py": "which blanks a player has use for",
    "render/picture.py": "the view lists the territories where tokens stand apart, and whose they are follows",
    "render/position.py": "the same, and whom the Kwisatz Haderach stands beside",
    "render/board.py": "the colour of tokens that stand apart",
    "language/facts.py": "windows that do not say by whom, and facts that one faction alone can know",
    "language/knowledge.py": "the view lists the territories where tokens stand apart",
}
PLAY_THEMSELVES = ("lab", "players", "random_players.py")  # they choose a faction's moves by its powers


def _naming(room: Path) -> set[str]:
    return {
        path.relative_to(room).as_posix()
        for path in room.rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and node.value in FACTION_FACTS
    }


def test_no_module_but_the_rooms_of_the_factions_and_those_with_a_reason_names_a_faction() -> None:
    rooms = ("factions", *PLAY_THEMSELVES)
    naming = {name for name in _naming(Path(rules.__file__).parent) if name.split("/")[0] not in rooms}
    assert naming == set(NAME_FACTIONS)


def test_no_module_of_the_bot_names_a_faction_without_a_reason() -> None:
    naming = {name for name in _naming(Path(bot.__file__).parent) if name.split("/")[0] not in PLAY_THEMSELVES}
    assert naming == set(BOT_NAMES_FACTIONS)


@pytest.mark.clause("AH.SHIELD.FRE.ALLY-a", "FAQ.ADV-KARAMA.4")
def test_a_word_about_the_ally_is_filed_only_where_and_by_whom_it_can_count() -> None:
    start = {"turn": 4, "phase": "charity"}
    play = position({"start": start}).play()
    assert never_legal(play.game, "fremen", FeedAlly()) is not None
    play = position({"options": {"worm_ally_protection": "fremen_choice"}, "start": start}).play()
    assert never_legal(play.game, "fremen", FeedAlly()) is None
    assert never_legal(play.game, "guild", FeedAlly()) is not None
