"""Tests for rule sets: contents, allowed settings, and the refusal of anything not yet implemented."""

from __future__ import annotations

import ast
import importlib
import pkgutil
import re
import tomllib
from collections.abc import Iterator
from dataclasses import FrozenInstanceError, replace
from pathlib import Path
from typing import Any

import pytest

import rules
from bot.lab.clauses import described_options
from rules.components import FACTIONS, facts
from rules.components.facts import FactsError, data_folder, document
from rules.engine.catalogue import CATALOGUE, load_rule_set
from rules.rulesets import ruleset
from rules.rulesets.options import Option, RuleSetError, Value, declared, listed
from rules.rulesets.rulebook import CLAUSES, topics
from rules.rulesets.ruleset import RULE_SETS, RuleSet, factions_with_expansion, require_playable

WBC = load_rule_set("wbc-2018")
DECLARED = declared(CATALOGUE.options)
AH_BASIC = facts.data_file("rule-sets/ah-basic.toml").read_text(encoding="utf-8")


@pytest.mark.parametrize("name", RULE_SETS)
def test_every_named_rule_set_can_be_loaded_and_knows_its_name(name: str) -> None:
    found = load_rule_set(name)
    assert found.name == name
    assert found.title
    assert all(value in DECLARED[option] for option, value in found.options.items())


def test_there_is_a_file_for_each_named_rule_set_and_no_other() -> None:
    folder = facts.data_file("rule-sets/wbc-2018.toml").parent
    assert {path.stem for path in folder.glob("*.toml")} == set(RULE_SETS)


@pytest.mark.parametrize("name", RULE_SETS)
def test_a_rule_set_gives_every_option_a_value_and_no_other(name: str) -> None:
    own, expansion = document(f"rule-sets/{name}.toml").table("options").values, ruleset.expansion_defaults()
    usual = {option.name for option in CATALOGUE.options if option.usual is not None}
    assert own.keys() | expansion.keys() | usual == set(DECLARED)
    assert all(own[option] != expansion[option] for option in own.keys() & expansion.keys())
    assert load_rule_set(name).unplayed == ()


@pytest.mark.clause("WBC.HR.3b", "WBC.HR.2a", "WBC.IX.13", "WBC.VI.8")
def test_house_rules_and_clarifications_stand_in_the_tournament_set() -> None:
    said = {name: WBC.option(name) for name in ("alliance_strongholds", "alliance_max", "alliance_min_players")}
    assert said == {"alliance_strongholds": "members_plus_two", "alliance_max": 2, "alliance_min_players": 4}
    assert WBC.option("ornithopter_check") == "end_of_storm"
    assert WBC.option("first_storm_damage") == "none"


# --- Options are those that chapters declare ---------------------------------------------------------------------


def modules() -> Iterator[Any]:
    for found in pkgutil.walk_packages(rules.__path__, "rules."):
        yield importlib.import_module(found.name)


def test_an_option_that_some_module_declares_is_in_the_catalogue() -> None:
    listed = set(map(id, CATALOGUE.options))
    lost = [
        (module.__name__, name)
        for module in modules()
        for name, value in vars(module).items()
        if isinstance(value, Option) and id(value) not in listed
    ]
    assert lost == []


def test_an_option_that_is_declared_is_read() -> None:
    """Somewhere in the rules, each constant that holds an option is called with a rule set."""
    folder = Path(rules.__path__[0])
    called = {
        node.func.attr if isinstance(node.func, ast.Attribute) else node.func.id
        for file in folder.rglob("*.py")
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8")))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute | ast.Name)
    }
    held = {
        name
        for module in modules()
        for name, value in vars(module).items()
        if isinstance(value, Option) and any(value is option for option in CATALOGUE.options)
    }
    assert held - called == set()


def stands(clause: str) -> bool:
    """Return True if there is a clause or section with this id."""
    return any(known == clause or known.startswith((f"{clause}.", f"{clause}-", clause)) for known in CLAUSES)


def test_every_option_is_described_with_its_clauses_and_the_meaning_of_each_value() -> None:
    told = {name: said for part in described_options().values() for name, said in part.items()}
    assert set(DECLARED) - set(told) == set(), "describe these in data/options.toml"
    assert set(told) - set(DECLARED) == set(), "data/options.toml describes these, and no module declares them"
    for name, table in told.items():
        assert table["meaning"], name
        unknown = [clause for clause in table["clauses"] if not stands(clause)]
        assert unknown == [], name
        assert table["clauses"] or table["questions"], name
        words = [value for value in DECLARED[name] if isinstance(value, str)]
        unsaid = set(words) - {"on", "off", "yes", "no"} - set(table.get("values", {}))
        assert unsaid == set(), f"data/options.toml does not say what these values of {name} mean"


def test_every_topic_of_a_refusal_has_a_clause_that_stands_in_its_book() -> None:
    for name, clauses in topics().items():
        assert clauses, name
        for clause in clauses.values():
            assert clause in CLAUSES or clause.endswith(".0"), (name, clause)


# --- Changing options --------------------------------------------------------------------------------------------


def test_options_can_be_changed_by_name_and_the_original_stays() -> None:
    changed = WBC.with_options({"max_turns": 10, "city_income": "off"})
    assert (changed.option("max_turns"), changed.option("city_income")) == (10, "off")
    assert (WBC.option("max_turns"), WBC.option("city_income")) == (15, "on")
    assert changed != WBC


def test_a_switch_may_be_given_as_true_or_false() -> None:
    assert WBC.with_options({"city_income": False}).option("city_income") == "off"
    assert WBC.with_options({"alliances_enabled": "no"}).option("alliances_enabled") == "off"


@pytest.mark.parametrize(
    ("option", "value", "reason"),
    [
        ("city_incom", "on", "There is no option 'city_incom' of a rule set (did you mean city_income?)."),
        ("name", "my rules", "There is no option 'name' of a rule set."),
        ("city_income", "onn", "The option city_income cannot be onn; it can be on or off (did you mean on?)."),
        ("max_turns", 99, "The option max_turns cannot be 99; it can be a number from 1 to 15."),
        ("max_turns", True, "The option max_turns cannot be true; it can be a number from 1 to 15."),
        ("max_turns", False, "The option max_turns cannot be false; it can be a number from 1 to 15."),
        ("kwisatz_haderach", 1, "The option kwisatz_haderach cannot be 1; it can be on or off."),
        ("storm_battle", ["all"], "The option storm_battle cannot be ['all']; it can be "),
        ("seating", "choose", "There is no option 'seating' of a rule set"),
    ],
)
def test_a_wrong_option_is_refused_with_what_would_be_right(option: str, value: object, reason: str) -> None:
    with pytest.raises(RuleSetError, match=re.escape(reason)):
        WBC.with_options({option: value})


def test_an_option_is_looked_up_by_its_name() -> None:
    with pytest.raises(RuleSetError) as error:
        WBC.option("city_incom")
    assert str(error.value) == "There is no option 'city_incom' of a rule set (did you mean city_income?)."


def test_of_an_option_that_two_chapters_read_the_values_are_played_that_both_know() -> None:
    one, other = Option("depth", {"low": 1, "high": 2}), Option("depth", {"high": True, "flat": False})
    assert declared([one, other, Option("width", {1: 1})]) == {"depth": ("high",), "width": (1,)}


@pytest.mark.parametrize(
    ("values", "words"),
    [
        ((1, 2, 3), "1 or 2 or 3"),
        ((1, 2, 3, 4), "a number from 1 to 4"),
        (("a", "b", "c", "d"), "a or b or c or d"),
        ((0, 1, 2, "all"), "0 or 1 or 2 or all"),
        ((True, False), "true or false"),
    ],
)
def test_values_are_listed_as_a_reader_wants_them(values: tuple[Value, ...], words: str) -> None:
    assert listed(values) == words


def test_an_expansion_that_is_asked_for_twice_is_there_once() -> None:
    asked = {"expansion": "ixians-tleilaxu"}
    once = load_rule_set("gf9-basic").with_options(asked)
    assert once.books.count("ixians-tleilaxu") == 1
    assert once.with_options(asked) == once
    assert once.with_options(asked).books == once.books


def test_whoever_belongs_to_another_expansion_is_not_seated() -> None:
    assert factions_with_expansion("") == factions_with_expansion("ecaz-moritani") == FACTIONS
    assert factions_with_expansion("ixians-tleilaxu") == (*FACTIONS, "ixians", "tleilaxu")


def test_an_unknown_rule_set_is_refused_with_a_suggestion() -> None:
    with pytest.raises(RuleSetError, match=r"There is no rule set 'wbc2018'.*did you mean wbc-2018"):
        load_rule_set("wbc2018")


def test_a_rule_set_cannot_be_changed_in_place() -> None:
    with pytest.raises(FrozenInstanceError):
        WBC.name = "mine"  # type: ignore[misc]  # that it is refused is the point


# --- Files -------------------------------------------------------------------------------------------------------


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Replace the data folder with an empty one."""
    (tmp_path / "rule-sets").mkdir()
    monkeypatch.setattr(facts, "data_folder", lambda: tmp_path)
    monkeypatch.setattr(facts, "load_toml", facts.load_toml.__wrapped__)
    return tmp_path


def load_afresh(name: str) -> RuleSet:
    loaded: RuleSet = load_rule_set.__wrapped__(name)
    return loaded


@pytest.mark.parametrize(
    ("more", "named"),
    [
        ("seating = 'choose'\n", "seating = choose"),
        ("max_turn = 10\n", "max_turn = 10"),
    ],
)
def test_an_option_that_nothing_reads_is_refused_when_a_game_starts(files: Path, more: str, named: str) -> None:
    (files / "rule-sets" / "ah-basic.toml").write_text(AH_BASIC + more)
    with pytest.raises(RuleSetError, match=rf"Mentat does not play ah-basic yet: {re.escape(named)}\."):
        require_playable(load_afresh("ah-basic"))


def test_a_value_or_a_stage_that_nobody_plays_is_refused_when_a_game_starts(files: Path) -> None:
    text = AH_BASIC.replace('"charity", "bidding"', '"charity", "open-bidding"').replace('"dial_1_3"', '"dial_1_20"')
    (files / "rule-sets" / "ah-basic.toml").write_text(text)
    with pytest.raises(RuleSetError, match=r"storm_movement cannot be dial_1_20; it can be .*the stage 'open-bidding'"):
        require_playable(load_afresh("ah-basic"))


def test_a_file_that_leaves_an_option_open_is_refused(files: Path) -> None:
    (files / "rule-sets" / "ah-basic.toml").write_text(re.sub(r"(?m)^max_turns.*\n", "", AH_BASIC))
    with pytest.raises(RuleSetError, match=r"ah-basic\.toml does not set max_turns"):
        load_afresh("ah-basic")


def test_a_file_in_the_words_of_an_edition_that_nobody_knows_is_refused(files: Path) -> None:
    (files / "rule-sets" / "ah-basic.toml").write_text(re.sub(r"(?m)^edition = .*$", 'edition = "1984"', AH_BASIC))
    with pytest.raises(RuleSetError, match=r"ah-basic\.toml: edition is '1984'; it can be 1979 or 2019\.$"):
        load_afresh("ah-basic")


def test_a_missing_file_is_named_with_its_place(files: Path) -> None:
    with pytest.raises(FactsError, match=rf"rule-sets/ah-basic\.toml is missing.*{re.escape(str(files))}"):
        load_afresh("ah-basic")


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("name = ", "rule-sets/ah-basic.toml cannot be read"),
        ("name = 5\n", "rule-sets/ah-basic.toml: name is 5; it must be a text"),
        ('name = "ah-basic"\ntitle = "Basic"\noptions = 3\n', "options is 3; it must be a table"),
        ('name = "ah-basic"\ntitle = "Basic"\n', "rule-sets/ah-basic.toml: sequence is missing"),
    ],
)
def test_a_broken_file_is_told_in_one_sentence(files: Path, text: str, reason: str) -> None:
    (files / "rule-sets" / "ah-basic.toml").write_text(text)
    with pytest.raises((FactsError, RuleSetError), match=re.escape(reason)):
        load_afresh("ah-basic")


# --- Implemented rule sets ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", RULE_SETS)
def test_what_is_said_to_be_played_is(name: str) -> None:
    require_playable(load_rule_set(name))


def test_a_rule_set_that_wants_what_nobody_plays_is_refused_with_what_is_missing() -> None:
    wants = replace(WBC, name="dune-3000", unplayed=("charity_max_spice = 9", "bid_seconds = 5"))
    with pytest.raises(RuleSetError, match="does not play dune-3000 yet: charity_max_spice = 9; bid_seconds = 5"):
        require_playable(wants)


def test_the_documents_differ_where_they_are_known_to_differ() -> None:
    def across(option: str) -> list[object]:
        return [
            tomllib.loads((data_folder() / "rule-sets" / f"{name}.toml").read_text(encoding="utf-8"))["options"][option]
            for name in RULE_SETS
        ]

    # wbc-2018, ah-basic, ah-optional, ah-advanced, vaca-2.0, gf9-basic, gf9-advanced
    assert across("max_turns") == [15, 15, 15, 15, 15, 10, 10]
    assert across("spice_blows") == [2, 1, 1, 2, 1, 1, 2]
    assert across("starred_tokens") == ["elite", "plain", "elite", "elite", "elite", "plain", "elite"]
    assert across("city_income") == ["on", "off", "on", "on", "on", "off", "on"]
    assert across("charity_max_spice") == [0, 0, 0, 0, 0, 1, 1]
    assert across("alliance_strongholds") == ["members_plus_two", *["three"] * 4, "four", "four"]


def test_the_page_for_game_masters_names_options_with_values_that_can_be_chosen() -> None:
    page = (Path(rules.__path__[0]).parent / "docs" / "rule-sets.md").read_text(encoding="utf-8")
    named = re.findall(r"`([a-z_]+) = ([^`]+)`", page)
    assert len(named) > 20
    for name, value in named:
        WBC.with_options({name: tomllib.loads(f"it = {value}")["it"]})
