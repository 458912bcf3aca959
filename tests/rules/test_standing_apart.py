"""Tests for fighting and coexisting Bene Gesserit tokens, under each option that changes them within a turn."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from rules.chapters import occupancy
from rules.chapters.occupancy import slot_of
from rules.components import Faction, Forces
from rules.components.board import Area, parse_area, territory_of
from rules.decisions.catalogue import rules_of, tokens_gone
from rules.engine.play import Play
from rules.positions.position import position
from rules.state.state import Presence
from tests.rules.stage import told

CARTHAG, ARSUNT, BASIN = parse_area("carthag"), parse_area("arsunt/11"), parse_area("imperial-basin/11")
THERE = territory_of(CARTHAG)
ONE, THREE = Forces(1), Forces(3)
COMING: dict[str, list[tuple[Faction, Forces, Area, Area]]] = {
    "reinforced": [("harkonnen", ONE, BASIN, CARTHAG)],
    "another beside them": [("emperor", ONE, BASIN, CARTHAG)],
    "back": [("harkonnen", THREE, CARTHAG, ARSUNT), ("harkonnen", THREE, ARSUNT, CARTHAG)],
    "another in their place": [("harkonnen", THREE, CARTHAG, ARSUNT), ("emperor", ONE, BASIN, CARTHAG)],
}
"""Moves after which the Bene Gesserit in Carthag may be asked about their tokens; Harkonnen's are there first."""


def in_carthag(ruleset: str, options: dict[str, str], **start: Any) -> Play:
    """Return a movement round in which Bene Gesserit and Harkonnen share Carthag with three tokens each; everybody has
    a token in the Imperial Basin."""
    forces = {
        "bene-gesserit": {"carthag": "3", "imperial-basin/11": "1"},
        "harkonnen": {"carthag": "3", "imperial-basin/11": "1"},
        "emperor": {"imperial-basin/11": "1"},
    }
    begin = {
        "turn": 4,
        "phase": "movement",
        "storm": 7,
        "factions": list(forces),
        "dots": {"bene-gesserit": 14, "emperor": 17, "harkonnen": 8},
        "faction": {name: {"forces": there} for name, there in forces.items()},
        **start,
    }
    play = position({"ruleset": ruleset, "options": options, "start": begin}).play()
    play.begin_phase("movement")
    play.settle()
    return play


def declared(play: Play, how: Presence) -> None:
    """Let the Bene Gesserit declare this status beside Harkonnen in Carthag."""
    play.state.presence = {THERE: how}
    slot_of(play.game).fought[THERE] = ["bene-gesserit", "harkonnen"]


def arrive(play: Play, mover: Faction, forces: Forces, source: Area | None, target: Area) -> Sequence[str]:
    """Let tokens arrive, and return the kinds of questions asked."""
    if source is None:
        play.game.deploy(mover, forces, target)
    else:
        play.game.shift(mover, forces, source, target)
    flow = occupancy.tokens_arrived(play.game, mover, forces, source, target)
    return [question.kind for stop in flow for question in stop.build()]


@pytest.mark.clause("FAQ.BG.6", "FAQ.BG.14")
@pytest.mark.parametrize(
    ("option", "asked"),
    [
        ("on_any_intrusion", {"reinforced", "another beside them", "back", "another in their place"}),
        ("on_entry_to_bg_only_territory", {"back", "another in their place"}),
        ("after_vacated_then_new_faction", {"another in their place"}),
    ],
)
@pytest.mark.parametrize("coming", COMING)
def test_after_whose_coming_those_who_flipped_to_fight_may_flip_back(coming: str, option: str, asked: set[str]) -> None:
    play = in_carthag("gf9-advanced", {"bg_undo_non_coexistence_same_turn": option})
    declared(play, "fight")
    *before, last = COMING[coming]
    for mover, forces, source, target in before:
        arrive(play, mover, forces, source, target)
    assert (arrive(play, *last) == ["intrusion"]) == (coming in asked)


@pytest.mark.clause("FAQ.BG.14", "AH.XV.B.5-c")
@pytest.mark.parametrize(
    ("reinforcement", "alliances", "coming", "fight"),
    [
        ("no", [], "another beside them", False),
        ("no", [], "reinforced", True),
        ("yes", [], "reinforced", False),
        ("yes", [["bene-gesserit", "emperor"]], "another beside them", True),
    ],
)
def test_a_declared_fight_is_open_again_after_any_entry_where_the_option_says_so(
    reinforcement: str, alliances: list[list[str]], coming: str, fight: bool
) -> None:
    options = {"bg_undo_non_coexistence_same_turn": "on_any_intrusion", "bg_reaction_to_reinforcement": reinforcement}
    play = in_carthag("wbc-2018", options, alliances=alliances)
    declared(play, "fight")
    arrive(play, *COMING[coming][0])
    assert play.state.presence == ({THERE: "fight"} if fight else {})


@pytest.mark.clause("AH.XV.B.5-b")
@pytest.mark.parametrize(
    ("alliances", "source", "target", "how"),
    [
        ([], BASIN, CARTHAG, {THERE: "fight"}),
        ([], None, CARTHAG, {THERE: "fight"}),
        ([], BASIN, ARSUNT, {}),
        ([["bene-gesserit", "harkonnen"]], BASIN, CARTHAG, {}),
    ],
)
def test_fighters_who_come_to_others_fight_where_they_have_no_choice(
    alliances: list[list[str]], source: Area | None, target: Area, how: dict[str, str]
) -> None:
    """Arsunt is empty otherwise. Beside an ally they must coexist, which is declared once all have met."""
    play = in_carthag("wbc-2018", {"bg_own_arrival": "fighters_stay_advisors_choose"}, alliances=alliances)
    play.state.forces = {CARTHAG: {"harkonnen": THREE}, BASIN: {"bene-gesserit": THREE}}
    play.state.presence = {}
    play.game.player("bene-gesserit").reserves = THREE
    assert not arrive(play, "bene-gesserit", ONE, source, target)
    assert play.state.presence == how


@pytest.mark.clause("AH.XV.B.5-e")
@pytest.mark.parametrize(
    ("how", "there", "stays"),
    [
        ("coexist", ("bene-gesserit", "harkonnen"), True),
        ("coexist", ("bene-gesserit",), False),
        ("coexist", ("harkonnen",), True),
        ("fight", ("bene-gesserit",), True),
    ],
)
def test_only_coexistence_ends_at_once_where_all_others_have_gone(
    how: Presence, there: tuple[Faction, ...], stays: bool
) -> None:
    play = in_carthag("wbc-2018", {"bg_revert_when_alone": "at_once"})
    play.state.presence = {THERE: how}
    play.state.forces = {CARTHAG: dict.fromkeys(there, THREE)}
    tokens_gone(play.game)
    assert play.state.presence == ({THERE: how} if stays else {})
    assert [event.facts["coexists"] for event in told(play, "bg-declared")] == ([] if stays else [False])


@pytest.mark.clause("FAQ.BG.7")
def test_a_position_with_lone_advisors_has_fighters_and_tells_of_no_flip() -> None:
    play = position(
        {
            "ruleset": "gf9-advanced",
            "start": {
                "turn": 4,
                "phase": "movement",
                "factions": ["bene-gesserit", "emperor"],
                "faction": {"bene-gesserit": {"forces": {"carthag": "3"}, "coexisting": ["carthag"]}},
            },
        }
    ).play()
    assert play.state.presence == {}
    assert play.state.events == 0


@pytest.mark.clause("VACA.XV.B.2", "VACA.IX.C.2.a.i.b", "WBC.XV.23")
@pytest.mark.parametrize(
    ("option", "undeclared", "alone", "coexisted", "flies"),
    [
        ("yes", "coexisting", False, True, True),
        ("no", "coexisting", False, False, True),
        ("no", "coexisting", True, True, False),
        ("if_alone", "coexisting", True, True, True),
        ("if_alone", "coexisting", False, False, False),
        ("if_alone", "keep_type", False, False, True),
        ("if_alone", "keep_type", False, True, False),
        ("if_alone", "keep_type", True, True, True),
    ],
)
def test_whether_a_city_gives_ornithopters_after_the_coexistence_of_last_turn(
    option: str, undeclared: str, alone: bool, coexisted: bool, flies: bool
) -> None:
    options = {"ornithopter_after_leaving_coexistence": option, "bg_undeclared_status": undeclared}
    play = in_carthag("wbc-2018", options)
    play.state.coexisted = [THERE] if coexisted else []
    if alone:
        del play.state.forces[CARTHAG]["harkonnen"]
    assert rules_of(play.game, "bene-gesserit").flies_at_once(play.game, THERE) is flies
