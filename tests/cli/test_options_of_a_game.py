"""Tests that a game's options are set when it is created and kept to its end."""

from __future__ import annotations

import pytest

from rules.engine.catalogue import load_rule_set
from rules.rulesets.options import RuleSetError
from rules.rulesets.ruleset import CONTRADICTIONS, RULE_SETS, Contradiction, require_consistent
from tests.cli.conftest import Mentat
from tests.moderator.table import GAME, World

PLAYERS = ("--seat", "guild=ann@example.org", "fremen=bob@example.org")


def new(mentat: Mentat, *words: str, game: str = "g") -> tuple[int, str]:
    """Start an ah-basic game; return the exit code and the error text."""
    ran = mentat("game", "new", "--id", game, "--ruleset", "ah-basic", *PLAYERS, *words)
    return ran.code, " ".join(ran.err.split())


def test_options_are_stored_with_the_game_and_shown_to_all(mentat: Mentat) -> None:
    assert new(mentat, "--option", "max_turns=4", "--option", "city_income=yes") == (0, "")
    wanted = {"max_turns": 4, "city_income": "on"}
    assert mentat("game", "show", "g", "--as", "guild", "--json").json["options"] == wanted
    assert "with city_income = on and max_turns = 4" in mentat("game", "show", "g").out
    assert mentat("game", "options", "g", "--json").json == {"game": "g", "ruleset": "ah-basic", "options": wanted}
    assert mentat("game", "options", "g").out.split("\n")[1:3] == ["  city_income = on", "  max_turns = 4"]
    assert mentat("game", "verify", "g").code == 0


def test_the_first_letter_names_the_options_that_were_changed(place: World) -> None:
    place.new_game("ah-basic", max_turns=4)
    assert " with max_turns = 4." in " ".join(place.newest("guild").text.split())


def test_a_game_taken_back_still_has_its_options(mentat: Mentat, place: World) -> None:
    place.new_game("ah-basic", max_turns=4)
    place.silence_until("bidding")
    assert mentat("game", "rollback", GAME, "--turn", "1", "--phase", "storm", "--why", "A test.").code == 0
    assert mentat("game", "show", GAME, "--json").json["options"] == {"max_turns": 4}


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("max_turns=0",), "The option max_turns cannot be 0; it can be a number from 1 to 15."),
        (("max_turn=4",), "There is no option 'max_turn' of a rule set (did you mean max_turns?)."),
        (("city_income",), "--option 'city_income': write it like max_turns=10."),
        (("max_turns=4", "max_turns=5"), "--option 'max_turns=5': max_turns is given twice."),
        (
            ("alliances_enabled=no", "alliance_max=3"),
            "alliance_max = 3 contradicts alliances_enabled = off: without alliances it has no meaning.",
        ),
        (
            ("spice_transfer_timing=mentat_pause_escrow", "transfer_amount=private"),
            "spice_transfer_timing = mentat_pause_escrow contradicts transfer_amount = private",
        ),
    ],
)
def test_what_cannot_be_asked_for_is_refused_in_a_sentence(mentat: Mentat, words: tuple[str, ...], said: str) -> None:
    code, err = new(mentat, *(word for option in words for word in ("--option", option)))
    assert code == 2
    assert said in err
    assert mentat("game", "list", "--json").json == []


def test_a_running_game_keeps_its_rule_set_and_its_options(mentat: Mentat) -> None:
    assert new(mentat)[0] == 0
    code, err = new(mentat, "--option", "max_turns=5")
    assert code == 1
    assert "which keeps its rule set and options; choose another id" in err
    ran = mentat("game", "options", "g", "max_turns=5")
    assert ran.code == 1
    assert "g keeps the rule set and the options with which it began" in " ".join(ran.err.split())


def test_two_games_never_differ_only_in_capital_letters(mentat: Mentat) -> None:
    players = ["--seat", "guild=ann@example.org", "--seat", "fremen=bob@example.org"]
    assert mentat("game", "new", "--id", "Sietch", *players).code == 0
    ran = mentat("game", "new", "--id", "siETch", *players)
    assert ran.code == 1
    assert "a game 'Sietch'" in ran.err


# --- Contradictions ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("found", CONTRADICTIONS, ids=lambda found: f"{found.option} {found.other}")
def test_each_contradiction_is_of_values_that_are_played_and_refused_with_both_names(found: Contradiction) -> None:
    rules = load_rule_set("wbc-2018")
    for value in found.values:
        for other in found.others:
            asked = {found.option: value, found.other: other}
            with pytest.raises(RuleSetError, match=rf"{found.option}.* contradicts .*{found.other}"):
                require_consistent(rules.with_options({**dict(rules.options), **asked}), {found.option: value})


@pytest.mark.parametrize("name", RULE_SETS)
def test_what_a_rule_set_says_by_itself_is_nobodys_contradiction(name: str) -> None:
    rules = load_rule_set(name)
    require_consistent(rules, {})
    require_consistent(rules.with_options({"alliances_enabled": "no"}), {"alliances_enabled": "no"})


@pytest.mark.parametrize("name", [name for name in RULE_SETS if not load_rule_set(name).unplayed])
def test_to_ask_for_what_the_rule_set_says_anyway_is_no_contradiction(name: str) -> None:
    rules = load_rule_set(name)
    for option, value in rules.options.items():
        idle = any(found.option == option and value in found.values for found in CONTRADICTIONS)
        if not idle:
            require_consistent(rules, {option: value})
