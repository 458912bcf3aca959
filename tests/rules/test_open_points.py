"""Tests that each point the documents leave open has an option in the game masters' guide, or a reason for having only
one reading; and that a test plays each value of each option."""

from __future__ import annotations

import ast
import re
import tomllib
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from bot.lab.coverage import coverage
from rules.components.facts import data_folder
from rules.engine.catalogue import CATALOGUE, load_rule_set
from rules.rulesets.options import Value, declared
from rules.rulesets.ruleset import expansion_defaults

TESTS = Path(__file__).parents[1]
WITH = load_rule_set("gf9-advanced").with_options({"expansion": "ixians-tleilaxu"})
GUIDE = (TESTS.parent / "docs/rule-sets.md").read_text(encoding="utf-8")

OPEN = tuple(
    clause["id"]
    for clause in tomllib.loads((data_folder() / "rulebook/ixians-tleilaxu.toml").read_text("utf-8"))["clause"]
    if clause.get("proposed")
)
"""The expansion's clauses that are readings."""
OPTIONS = {
    name: option["clauses"]
    for name, option in tomllib.loads((data_folder() / "options.toml").read_text("utf-8"))["ixians-tleilaxu"].items()
    if isinstance(option, dict) and set(option["clauses"]) & set(OPEN)
}
"""Each option, with the open clauses that it settles."""
READINGS = [
    (name, value) for name, values in declared(CATALOGUE.options).items() if name in OPTIONS for value in values
]


@cache
def shown() -> frozenset[str]:
    """Return the ids of clauses that a test or ruling covers."""
    return frozenset(one.clause.id for one in coverage(TESTS, TESTS / "rulings", WITH) if one.tests or one.rulings)


@cache
def played() -> frozenset[tuple[str, Value]]:
    """Return the option values that the rulings and the tests of the rules set."""
    rulings = (tomllib.loads(path.read_text("utf-8")) for path in (TESTS / "rulings").rglob("*.toml"))
    chosen = {item for ruling in rulings for item in ruling.get("options", {}).items()}
    for path in (TESTS / "rules").glob("test_*.py"):
        chosen.update(_set_in(ast.parse(path.read_text("utf-8"))))
    return frozenset(chosen)


def _set_in(module: ast.Module) -> Iterator[tuple[str, Value]]:
    """Yield each option named in a test function, with each value in its body or parameters."""
    for test in (node for node in module.body if isinstance(node, ast.FunctionDef)):
        nodes = list(ast.walk(test))
        words = {node.value for node in nodes if isinstance(node, ast.Constant) and isinstance(node.value, str | int)}
        named = {*words, *(node.arg for node in nodes if isinstance(node, ast.keyword))} & set(OPTIONS)
        yield from ((str(name), value) for name in named for value in words)


def test_there_are_as_many_as_the_ledger_leaves_open() -> None:
    assert len(OPEN) == 67


@pytest.mark.parametrize("clause", OPEN)
def test_each_has_an_option_that_the_guide_names_or_a_reason_there(clause: str) -> None:
    names = [name for name, clauses in OPTIONS.items() if clause in clauses]
    assert all(f"`{name}" in GUIDE for name in names), names
    assert names or re.search(rf"\({re.escape(clause)}\)", GUIDE)


@pytest.mark.parametrize("clause", OPEN)
def test_each_is_shown_by_a_test(clause: str) -> None:
    assert clause in shown()


@pytest.mark.parametrize(("name", "value"), READINGS, ids=str)
def test_each_reading_of_an_option_is_played(name: str, value: Value) -> None:
    default = expansion_defaults().get(name) == value and shown() & set(OPTIONS[name])
    assert default or (name, value) in played()
