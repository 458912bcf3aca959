"""Tests for what counts as coverage of a clause, on a small folder of tests and rulings, and for the printed list."""

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from bot.cli import app
from bot.lab.coverage import ClauseCoverage, compare_rule_sets
from bot.lab.coverage import coverage as covered_by
from rules.rulesets.options import RuleSetError
from rules.rulesets.rulebook import clause

TESTS = """
import pytest

pytestmark = pytest.mark.clause("WBC.X.1")

@pytest.mark.clause("AH.X.C.2", "AH.IX.C.2.c")
@pytest.mark.parametrize("n", [1, pytest.param(2, marks=pytest.mark.clause("AH.X.C.1"))])
def test_holds(n): pass

@pytest.mark.clause("WBC.X.2")
class TestGroup:
    def test_inside(self): pass

@pytest.mark.clause("AH.IV-e")
def helper(): pass
"""


@pytest.fixture
def found(tmp_path: Path) -> dict[str, ClauseCoverage]:
    (tmp_path / "rulings/battle").mkdir(parents=True)
    (tmp_path / "test_some.py").write_text(TESTS, encoding="utf-8")
    (tmp_path / "rulings/battle/010-tie.toml").write_text('clauses = ["AH.X.C.2", "WBC.VIII.14"]', encoding="utf-8")
    return {covered.clause.id: covered for covered in covered_by(tmp_path, tmp_path / "rulings")}


def test_marks_of_functions_parameters_classes_and_modules_count(found: dict[str, ClauseCoverage]) -> None:
    assert found["AH.X.C.2"].tests == ("test_some.py::test_holds",)
    assert found["AH.X.C.1"].tests == ("test_some.py::test_holds",)
    assert found["WBC.X.2"].tests == ("test_some.py::test_inside",)
    assert found["WBC.X.1"].tests == ("test_some.py::test_holds", "test_some.py::test_inside")
    assert found["AH.X.C.2"].rulings == ("battle/010-tie.toml",)


def test_a_section_a_helper_and_a_replaced_clause_count_for_nothing(found: dict[str, ClauseCoverage]) -> None:
    assert not found["AH.IX.C.2.c-a"].shown
    assert not found["AH.IV-e"].shown
    assert "WBC.VIII.14" not in found


def test_what_is_not_for_the_program_is_said_to_be_so(found: dict[str, ClauseCoverage]) -> None:
    assert "duel" in found["WBC.HR.0f"].not_for_the_program
    assert found["WBC.HR.0f"].shown


def test_the_list_ends_with_what_is_missing_and_says_no(monkeypatch: pytest.MonkeyPatch) -> None:
    shown = ClauseCoverage(clause("AH.X.C.2"), rulings=("010-tie.toml",))
    monkeypatch.setattr(
        "bot.lab.coverage.coverage_of_this_clone", lambda *rule_sets: [shown, ClauseCoverage(clause("WBC.X.2"))]
    )
    result = CliRunner().invoke(app, ["rule", "--coverage"])
    assert result.exit_code == 1
    assert "AH.X.C.2                  0 tests    1 rulings" in result.output
    assert "not covered: WBC.X.2" in result.output
    assert "not covered: AH.X.C.2" not in result.output
    as_json = CliRunner().invoke(app, ["rule", "--coverage", "--json"])
    assert as_json.exit_code == 1
    assert json.loads(as_json.stdout)["uncovered"] == ["WBC.X.2"]


def test_the_list_of_a_full_coverage_says_yes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        "bot.lab.coverage.coverage_of_this_clone", lambda: [ClauseCoverage(clause("AH.X.C.2"), tests=("a::b",))]
    )
    assert CliRunner().invoke(app, ["rule", "--coverage"]).exit_code == 0


def test_without_tests_beside_it_the_command_says_where_to_look(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("bot.lab.coverage.tests_folder", lambda: tmp_path / "nowhere")
    result = CliRunner().invoke(app, ["rule", "--coverage"])
    assert result.exit_code == 2


def test_rule_without_a_word_says_what_it_wants() -> None:
    assert CliRunner().invoke(app, ["rule"]).exit_code == 2


def test_the_clauses_of_one_rule_set_can_be_listed() -> None:
    result = CliRunner().invoke(app, ["rule", "--coverage", "--ruleset", "ah-basic", "--json"])
    assert result.exit_code == 0
    assert {clause["tier"] for clause in json.loads(result.stdout)["clauses"]} == {"basic"}


def test_a_rule_set_goes_with_the_coverage_only() -> None:
    assert CliRunner().invoke(app, ["rule", "--ruleset", "ah-basic"]).exit_code == 2
    unknown = CliRunner().invoke(app, ["rule", "--coverage", "--ruleset", "ah-basc"])
    assert isinstance(unknown.exception, RuleSetError)


def test_rule_sets_are_compared_by_what_differs() -> None:
    told = compare_rule_sets(["wbc-2018", "ah-basic"])
    assert "one alliance (0 means that there is no limit): 2 (wbc); 0 (ah-basic)\n" in told
    assert "`max_turns`" not in told  # both have fifteen turns
    assert CliRunner().invoke(app, ["rule", "--compare", "wbc-2018", "ah-basic"]).stdout == told
