"""Tests that a viewer sees public information and their own, and None for the rest."""

from typing import Any

import pytest

from rules.components import Leader
from rules.components.board import TerritoryId
from rules.engine.play import Play
from rules.orders import NoStormCards, Pass
from rules.positions.position import position
from rules.state.events import Event, Viewer
from rules.views import known, view

START: dict[str, Any] = {
    "turn": 4,
    "phase": "bidding",
    "next_storm": 5,
    "alliances": [["fremen", "guild"]],
    "treachery_discard": ["Shield", "Hajr"],
    "treachery_deck": ["Lasgun", "Kulon", "Karama"],
    "faction": {
        "fremen": {"spice": 3, "reserves": "4+1", "tanks": "2", "dead_leaders": ["Stilgar"], "twice_dead": ["Jamis"]},
        "guild": {"spice": 5, "hand": ["Karama", "Baliset"], "forces": {"tueks-sietch": "5"}},
        "harkonnen": {"traitors": ["Alia", "Caid"], "captured": {"Bashar": "emperor"}},
        "emperor": {"spice": 2},
        "bene-gesserit": {"prediction": {"faction": "guild", "turn": 7}},
    },
}


def at(phase: str, ruleset: str = "wbc-2018", **options: Any) -> Play:
    start = {key: value for key, value in START.items() if key != "next_storm" or ruleset == "wbc-2018"}
    if ruleset == "ah-basic":
        start["faction"] = {
            "fremen": {"spice": 3, "reserves": "5", "tanks": "2"},
            "guild": START["faction"]["guild"],
        }
    play = position({"ruleset": ruleset, "options": options, "start": {**start, "phase": phase}}).play()
    play.begin_phase(play.state.phase)
    play.settle()
    return play


def player(play: Play, viewer: Viewer, faction: str) -> dict[str, Any]:
    shown: dict[str, Any] = view(play, viewer)["players"][faction]
    return shown


@pytest.mark.clause("AH.XIII.A-b", "AH.XIII.B-a")
@pytest.mark.parametrize("key", ["spice", "hand", "reserves"])
def test_spice_cards_and_reserves_lie_behind_the_shield(key: str) -> None:
    play = at("bidding")
    assert player(play, "guild", "guild")[key] is not None
    assert player(play, "gm", "guild")[key] == player(play, "guild", "guild")[key]
    for viewer in ("public", "harkonnen", "fremen"):  # the Fremen are allies
        assert player(play, viewer, "guild")[key] is None


def test_tanks_discards_board_and_alliances_lie_open() -> None:
    seen = view(at("bidding"), "public")
    assert seen["players"]["fremen"]["tanks"] == "2"
    assert seen["players"]["fremen"]["ally"] == "guild"
    assert seen["players"]["emperor"]["ally"] == ""
    assert seen["alliances"] == [["fremen", "guild"]]
    assert seen["discard"] == ["Shield", "Hajr"]
    assert seen["forces"] == {"tueks-sietch/5": {"guild": "5"}}


@pytest.mark.clause("AH.XIII.B-b")
def test_how_many_cards_somebody_holds_is_open_during_bidding() -> None:
    assert player(at("bidding"), "public", "guild")["hand_count"] == 2
    assert player(at("charity"), "public", "guild")["hand_count"] is None
    assert player(at("charity"), "guild", "guild")["hand_count"] == 2


@pytest.mark.clause("AH.XIII.B-b")
def test_how_many_cards_somebody_holds_may_always_be_open() -> None:
    play = at("charity", hand_counts_public="always")
    assert player(play, "public", "guild")["hand_count"] == player(play, "fremen", "guild")["hand_count"] == 2


@pytest.mark.clause("AH.III.C-a")
def test_the_basic_game_shows_the_top_of_the_discards_alone() -> None:
    play = at("bidding", "ah-basic")
    assert view(play, "public")["discard"] == ["Hajr"]
    assert view(play, "gm")["discard"] == ["Shield", "Hajr"]


def test_the_storm_marker_is_the_fremens_secret() -> None:
    play = at("bidding")
    assert view(play, "fremen")["next_storm"] == 5
    assert view(play, "gm")["next_storm"] == 5
    assert view(play, "atreides")["next_storm"] is None


@pytest.mark.clause("WBC.X.28")
def test_who_was_captured_is_known_to_the_two_alone() -> None:
    play = at("bidding")
    for viewer, word in (("emperor", "captured"), ("harkonnen", "captured"), ("public", "ready"), ("guild", "ready")):
        assert player(play, viewer, "emperor")["leaders"]["Bashar"] == word


@pytest.mark.clause("AH.X.C.8-a")
def test_all_see_which_leader_has_fought_already_and_which_sits_out() -> None:
    play = at("battle")
    play.state.leaders[Leader("Chani")].fought_in = TerritoryId("carthag")
    play.state.leaders[Leader("Otheym")].sits_out = True
    for viewer in ("public", "fremen", "guild"):
        leaders = player(play, viewer, "fremen")["leaders"]
        assert [leaders[name] for name in ("Chani", "Otheym", "Shadout Mapes")] == ["used", "used", "ready"]


def test_leaders_in_the_tanks_lie_open_and_face_down_after_the_second_death() -> None:
    leaders = player(at("bidding"), "public", "fremen")["leaders"]
    assert (leaders["Stilgar"], leaders["Jamis"], leaders["Chani"]) == ("dead", "face-down", "ready")


def test_secrets_are_their_owners() -> None:
    play = at("bidding")
    assert known(play, "harkonnen")["traitors"] == ["Alia", "Caid"]
    assert known(play, "harkonnen")["captured"] == {"Bashar": "emperor"}
    assert known(play, "bene-gesserit")["prediction"] == {"faction": "guild", "turn": 7}
    assert known(play, "guild") == {"traitors": [], "prediction": None, "captured": {}, "next_storm": None}
    assert known(play, "public") == {}
    assert known(play, "ixians") == {}, "whom nobody plays"
    assert known(play, "gm")["harkonnen"] == known(play, "harkonnen")


def test_what_everybody_is_asked_alike_has_no_names_and_says_nothing_of_who_has_answered() -> None:
    play = at("storm")
    (own, *others) = view(play, "guild")["questions"]
    assert (own["faction"], own["kind"], own["default"]) == ("guild", "storm-cards", NoStormCards())
    assert [(other["faction"], other["kind"], other["default"]) for other in others] == [(None, "storm-cards", None)]
    play.submit("harkonnen", [NoStormCards()])
    assert view(play, "guild")["questions"][1:] == others
    assert view(play, "public")["questions"] == others
    assert len(view(play, "gm")["questions"]) == 5


def test_of_others_questions_one_sees_that_they_are_asked_and_not_what_they_hang_on() -> None:
    play = at("bidding")
    asked = play.questions()[0].faction
    onlooker = next(faction for faction in play.state.players if faction != asked)
    named = [q for q in view(play, onlooker)["questions"] if q["faction"] == asked]
    assert [(q["kind"], q["about"], q["default"]) for q in named] == [("bid", {}, None)]
    (own,) = [q for q in view(play, asked)["questions"] if q["faction"] == asked]
    assert own["about"]
    assert own["default"] == Pass()


def test_of_what_each_faction_is_told_alone_the_others_see_nothing_and_the_game_master_all() -> None:
    event = Event(1, 1, "bidding", "card-won", {"price": 2}, {"guild": {"card": "Shield"}, "emperor": {"spice": 4}})
    assert event.seen_by("public") == event.seen_by("fremen") == {"price": 2}
    assert event.seen_by("guild") == {"price": 2, "card": "Shield"}
    assert event.seen_by("gm") == {"price": 2, "private": {"guild": {"card": "Shield"}, "emperor": {"spice": 4}}}
    assert [event.told_to(viewer) for viewer in ("guild", "fremen", "public", "gm")] == [{"card": "Shield"}, {}, {}, {}]
