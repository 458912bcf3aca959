"""Rule sets: what the named sets say, what may be written, and that nothing unplayed slips through."""

import re
import tomllib
from dataclasses import FrozenInstanceError, fields
from pathlib import Path

import pytest

from rules.components import facts
from rules.components.facts import FactsError, document
from rules.rulesets import ruleset
from rules.rulesets.ruleset import (
    OPTIONS,
    PLAYED,
    PLAYED_SETS,
    RULE_SETS,
    RuleSet,
    RuleSetError,
    load_rule_set,
    require_playable,
)

WBC = load_rule_set("wbc-2018")


def test_the_default_rule_set_is_that_of_the_tournament() -> None:
    assert RuleSet() == WBC


def test_the_tournament_file_names_every_option() -> None:
    assert document("rule-sets/wbc-2018.toml").table("options").values.keys() == OPTIONS.keys()


@pytest.mark.parametrize("name", RULE_SETS)
def test_every_named_rule_set_can_be_loaded_and_knows_its_name(name: str) -> None:
    rules = load_rule_set(name)
    assert rules.name == name
    assert rules.title
    assert all(rules.option(option) in allowed for option, allowed in OPTIONS.items())


def test_there_is_a_file_for_each_named_rule_set_and_no_other() -> None:
    folder = facts.data_file("rule-sets/wbc-2018.toml").parent
    assert {path.stem for path in folder.glob("*.toml")} == set(RULE_SETS)


def test_the_documents_differ_where_they_are_known_to_differ() -> None:
    def across(option: str) -> list[object]:
        return [load_rule_set(name).option(option) for name in RULE_SETS]

    # wbc-2018, ah-basic, ah-optional, ah-advanced, vaca-2.0, gf9-basic, gf9-advanced
    assert across("max_turns") == [15, 15, 15, 15, 15, 10, 10]
    assert across("spice_blows") == [2, 1, 1, 2, 1, 1, 2]
    assert across("starred_tokens") == ["elite", "plain", "elite", "elite", "elite", "plain", "elite"]
    assert across("city_income") == ["on", "off", "on", "on", "on", "off", "on"]
    assert across("kwisatz_haderach") == ["on", "off", "on", "on", "on", "off", "on"]
    assert across("charity_max_spice") == [0, 0, 0, 0, 0, 1, 1]
    assert across("alliance_strongholds") == ["members_plus_two", *["three"] * 4, "four", "four"]


@pytest.mark.clause("WBC.HR.3b", "WBC.HR.2a", "WBC.IX.13", "WBC.VI.8")
def test_house_rules_and_clarifications_stand_in_the_tournament_set() -> None:
    assert WBC.alliance_strongholds == "members_plus_two"
    assert (WBC.alliance_max, WBC.alliance_min_players) == (2, 4)
    assert WBC.ornithopter_check == "end_of_storm"
    assert WBC.first_storm_damage == "none"


# --- Changing options ----------------------------------------------------------------------------------------


def test_options_can_be_changed_by_name_and_the_original_stays() -> None:
    changed = WBC.with_options({"max_turns": 10, "city_income": "off", "choam_auto": False})
    assert (changed.max_turns, changed.city_income, changed.choam_auto) == (10, "off", False)
    assert (WBC.max_turns, WBC.city_income, WBC.choam_auto) == (15, "on", True)


def test_a_switch_may_be_given_as_true_or_false() -> None:
    assert WBC.with_options({"city_income": False}).city_income == "off"
    assert load_rule_set("ah-basic").with_options({"alliances_enabled": True}).alliances_enabled == "yes"


@pytest.mark.parametrize(
    ("option", "value", "reason"),
    [
        ("city_incom", "on", "There is no option 'city_incom' of a rule set (did you mean city_income?)."),
        ("name", "my rules", "There is no option 'name' of a rule set."),
        ("city_income", "onn", "The option city_income cannot be onn; it can be off or on (did you mean on?)."),
        ("max_turns", 99, "The option max_turns cannot be 99; it can be a number from 1 to 15."),
        ("max_turns", True, "The option max_turns cannot be true; it can be a number from 1 to 15."),
        ("choam_auto", 1, "The option choam_auto cannot be 1; it can be true or false."),
        ("storm_battle", ["all"], "The option storm_battle cannot be ['all']; it can be separated_only or "),
    ],
)
def test_a_wrong_option_is_refused_with_what_would_be_right(option: str, value: object, reason: str) -> None:
    with pytest.raises(RuleSetError, match=re.escape(reason)):
        WBC.with_options({option: value})


def test_an_unknown_rule_set_is_refused_with_a_suggestion() -> None:
    with pytest.raises(RuleSetError, match=r"There is no rule set 'wbc2018'.*did you mean wbc-2018"):
        load_rule_set("wbc2018")


def test_a_rule_set_cannot_be_changed_in_place() -> None:
    with pytest.raises(FrozenInstanceError):
        WBC.max_turns = 3  # type: ignore[misc]  # that it is refused is the point


def test_every_option_has_at_least_two_values() -> None:
    assert [option for option, allowed in OPTIONS.items() if len(set(allowed)) < 2] == []
    assert len(OPTIONS) == len(fields(RuleSet)) - 3


# --- Files ---------------------------------------------------------------------------------------------------


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty data folder in place of the real one."""
    (tmp_path / "rule-sets").mkdir()
    monkeypatch.setattr(facts, "data_folder", lambda: tmp_path)
    monkeypatch.setattr(facts, "load_toml", facts.load_toml.__wrapped__)
    return tmp_path


def load_afresh(name: str) -> RuleSet:
    return ruleset.load_rule_set.__wrapped__(name)


def test_a_file_with_a_wrong_option_is_refused_by_name(files: Path) -> None:
    text = 'name = "ah-basic"\ntitle = "Basic"\nbooks = []\n[options]\nmax_turn = 10\n'
    (files / "rule-sets" / "ah-basic.toml").write_text(text)
    with pytest.raises(RuleSetError, match=r"rule-sets/ah-basic\.toml.*'max_turn'.*did you mean max_turns"):
        load_afresh("ah-basic")


def test_a_missing_file_is_named_with_its_place(files: Path) -> None:
    with pytest.raises(FactsError, match=rf"rule-sets/ah-basic\.toml is missing.*{re.escape(str(files))}"):
        load_afresh("ah-basic")


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("name = ", "rule-sets/ah-basic.toml cannot be read"),
        ('name = "ah-basic"\n[options]\n', "rule-sets/ah-basic.toml: title is missing"),
        ('name = 5\ntitle = ""\nbooks = []\n[options]\n', "rule-sets/ah-basic.toml: name is 5, it must be a text"),
        ('name = "ah-basic"\ntitle = "Basic"\nbooks = []\noptions = 3\n', "options is 3, it must be a table"),
    ],
)
def test_a_broken_file_is_told_in_one_sentence(files: Path, text: str, reason: str) -> None:
    (files / "rule-sets" / "ah-basic.toml").write_text(text)
    with pytest.raises(FactsError, match=re.escape(reason)) as refused:
        load_afresh("ah-basic")
    assert "\n" not in str(refused.value)


# --- What is played ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", PLAYED_SETS)
def test_the_played_rule_sets_may_start(name: str) -> None:
    require_playable(load_rule_set(name))


def test_every_option_is_among_the_played_ones_with_values_it_may_have() -> None:
    assert PLAYED.keys() == OPTIONS.keys()
    assert all(played and played <= set(OPTIONS[option]) for option, played in PLAYED.items())


def test_a_shorter_game_is_played() -> None:
    require_playable(WBC.with_options({"max_turns": 3}))


def test_what_is_not_played_is_named_option_by_option() -> None:
    odd = WBC.with_options({"storm_battle": "none_in_storm", "default_plan": "lowest_dial_zero"})
    with pytest.raises(RuleSetError) as refused:
        require_playable(odd)
    assert "storm_battle = none_in_storm (played: separated_only or same_sector_only)" in str(refused.value)
    assert "default_plan = lowest_dial_zero (played: lowest_all_unpaid)" in str(refused.value)
    assert "max_turns" not in str(refused.value)


@pytest.mark.parametrize("name", sorted(set(RULE_SETS) - set(PLAYED_SETS)))
def test_a_rule_set_that_is_not_played_does_not_start(name: str) -> None:
    with pytest.raises(RuleSetError, match=f"does not play these options of {re.escape(name)} yet"):
        require_playable(load_rule_set(name))


# --- What game masters read ----------------------------------------------------------------------------------

DOCS = Path(__file__).parents[2] / "docs" / "rule-sets.md"


def test_the_open_questions_that_the_options_cite_are_explained() -> None:
    cited = set(re.findall(r"A-\d\d", Path(ruleset.__file__).read_text(encoding="utf-8")))
    explained = set(re.findall(r"A-\d\d", DOCS.read_text(encoding="utf-8")))
    assert cited
    assert cited <= explained


def test_the_options_that_game_masters_are_shown_can_be_set_and_are_those_of_the_tournament() -> None:
    shown = tomllib.loads("\n".join(dict.fromkeys(re.findall(r"`(\w+ = [^`]+)`", rulings_section()))))
    assert len(shown) > 50
    assert {option: WBC.option(option) for option in shown} == shown


def rulings_section() -> str:
    return DOCS.read_text(encoding="utf-8").partition("## How to read what follows")[2]
