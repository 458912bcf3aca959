"""The tests and rulings that cover each clause, the clauses that are not covered, and a comparison of the rule sets.

A clause counts as covered when a ruling names its id in `clauses` or a test names it in `@pytest.mark.clause`. The
marks are found by reading the test files, not by running them. An id that names a whole section covers none of the
clauses in it. Clauses that no program can break (table talk, a remark, a matter settled before the game) are
listed in `data/not-for-the-program.toml`, each with the reason. The file of a rule set says which clauses it needs
("clauses"): those of its rulebooks, except clauses that other clauses have replaced.

The comparison has one item for each point on which rule sets differ. `mentat rule --compare` prints it, and
`docs/rule-sets.md` contains it between two marks; a test checks that the two copies are the same.
"""

from __future__ import annotations

import ast
import tomllib
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from textwrap import wrap

from bot.lab.clauses import OptionWords, described_options, rulings_folder
from rules.components.facts import data_folder, entries
from rules.engine.catalogue import load_rule_set
from rules.rulesets.options import written
from rules.rulesets.rulebook import CLAUSES, Clause
from rules.rulesets.ruleset import RULE_SETS, RuleSet


@dataclass(frozen=True, slots=True)
class ClauseCoverage:
    """A clause that a rule set needs, and its coverage. ``tests`` are written as `file::name`, and ``rulings`` are
    files. If no test or ruling can cover the clause, ``not_for_the_program`` says why."""

    clause: Clause
    tests: tuple[str, ...] = ()
    rulings: tuple[str, ...] = ()
    not_for_the_program: str = ""

    @property
    def shown(self) -> bool:
        return bool(self.tests or self.rulings or self.not_for_the_program)


def tests_folder() -> Path:
    return data_folder().parent / "tests"


def playable_rule_sets() -> tuple[RuleSet, ...]:
    return tuple(rules for rules in map(load_rule_set, RULE_SETS) if not rules.unplayed)


def wanted_clauses(*rule_sets: RuleSet) -> list[Clause]:
    """Return the clauses that these rule sets need, in the order of the rulebooks; without arguments, return the
    clauses that any playable rule set needs."""
    standings = [rules.standing for rules in rule_sets or playable_rule_sets()]
    return [clause for clause in CLAUSES.values() if any(standing.includes(clause) for standing in standings)]


def coverage(tests: Path, rulings: Path, *rule_sets: RuleSet) -> list[ClauseCoverage]:
    """Return every clause that these rule sets need, with the tests and rulings in these folders that cover it.

    >>> [found.clause.id for found in coverage(tests_folder(), rulings_folder()) if not found.shown]  # doctest: +SKIP
    []
    """
    by_test = _by_clause(_cited_by_tests(tests))
    by_ruling = _by_clause(_cited_by_rulings(rulings))
    excused = not_for_the_program()
    return [
        ClauseCoverage(
            clause,
            tests=by_test.get(clause.id, ()),
            rulings=by_ruling.get(clause.id, ()),
            not_for_the_program=excused.get(clause.id, ""),
        )
        for clause in wanted_clauses(*rule_sets)
    ]


def coverage_of_this_clone(*rule_sets: RuleSet) -> list[ClauseCoverage]:
    return coverage(tests_folder(), rulings_folder(), *rule_sets)


def not_for_the_program() -> Mapping[str, str]:
    return {entry.text("id"): entry.text("reason") for entry in entries("not-for-the-program.toml", "clause")}


def _by_clause(cited: Iterator[tuple[str, str]]) -> Mapping[str, tuple[str, ...]]:
    found: dict[str, dict[str, None]] = defaultdict(dict)
    for clause_id, where in cited:
        found[clause_id][where] = None
    return {clause_id: tuple(places) for clause_id, places in found.items()}


def _cited_by_rulings(folder: Path) -> Iterator[tuple[str, str]]:
    for path in sorted(folder.rglob("*.toml")):
        for clause_id in tomllib.loads(path.read_text(encoding="utf-8")).get("clauses", ()):
            yield clause_id, str(path.relative_to(folder))


def _cited_by_tests(folder: Path) -> Iterator[tuple[str, str]]:
    for path in sorted(folder.rglob("test_*.py")):
        module = ast.parse(path.read_text(encoding="utf-8"), str(path))
        name = path.relative_to(folder)
        for function, cited in _tests_in(module.body, ()):
            for clause_id in cited:
                yield clause_id, f"{name}::{function}"


def _tests_in(body: Sequence[ast.stmt], inherited: tuple[str, ...]) -> Iterator[tuple[str, tuple[str, ...]]]:
    for statement in body:
        if isinstance(statement, ast.Assign) and any(
            isinstance(target, ast.Name) and target.id == "pytestmark" for target in statement.targets
        ):
            inherited += tuple(_ids_in_marks(statement.value))
    for statement in body:
        if isinstance(statement, ast.ClassDef):
            yield from _tests_in(statement.body, (*inherited, *_of_decorators(statement)))
        elif isinstance(statement, ast.FunctionDef) and statement.name.startswith("test_"):
            yield statement.name, (*inherited, *_of_decorators(statement))


def _of_decorators(statement: ast.FunctionDef | ast.ClassDef) -> tuple[str, ...]:
    return tuple(clause_id for decorator in statement.decorator_list for clause_id in _ids_in_marks(decorator))


def _ids_in_marks(expression: ast.expr) -> Iterator[str]:
    for node in ast.walk(expression):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "clause":
            for argument in node.args:
                if isinstance(argument, ast.Constant) and isinstance(argument.value, str):
                    yield argument.value


WIDTH = 120


def compare_rule_sets(names: Sequence[str] = RULE_SETS) -> str:
    """Return the options that differ between these rule sets, as a Markdown list for each part of the turn. Raise
    RuleSetError if a name is unknown."""
    rule_sets = [load_rule_set(name) for name in names]
    return "\n".join(_comparison_lines(rule_sets)).strip() + "\n"


def _comparison_lines(rule_sets: Sequence[RuleSet]) -> Iterator[str]:
    for title, options in described_options().items():
        differing = [name for name in options if len({str(rules.options.get(name)) for rules in rule_sets}) > 1]
        if differing:
            yield f"### {title}"
            for name in differing:
                said = _differences(name, options[name], rule_sets)
                yield from wrap(said, WIDTH, subsequent_indent="  ", break_on_hyphens=False)
            yield ""


def _differences(name: str, said: OptionWords, rule_sets: Sequence[RuleSet]) -> str:
    words = said.get("values", {"on": "yes", "off": "no"})
    having: dict[str, list[str]] = defaultdict(list)
    for rules in rule_sets:
        value = rules.options.get(name)
        told = "–" if value is None else words.get(value) or written(value).replace("_", " ")
        having[told].append(rules.name)
    compared = [rules.name for rules in rule_sets]
    values = "; ".join(f"{told} ({', '.join(_families(names, compared))})" for told, names in having.items())
    meaning = said["meaning"].rstrip(".")
    return f"- `{name}` sets {meaning[:1].lower()}{meaning[1:]}: {values}"


def _families(names: Sequence[str], compared: Sequence[str] = RULE_SETS) -> list[str]:
    """Shorten the names of rule sets. If every set of a family is named, the family's own name stands for all of them:
    the year of its edition, or the beginning that their names share ("ah"). If a long list lacks at most two of the
    rule sets ``compared``, only the missing names are given.

    >>> _families(["wbc-2018", "ah-basic", "gf9-basic", "gf9-advanced"])
    ['wbc', 'ah-basic', '2019']
    >>> _families(["wbc-2018", "ah-optional", "ah-advanced", "vaca-2.0", "gf9-advanced"])
    ['all but ah-basic and gf9-basic']
    """
    shown: dict[str, None] = {}
    for name in names:
        edition = load_rule_set(name).edition
        family = name.partition("-")[0]
        if all(other in names for other in RULE_SETS if load_rule_set(other).edition == edition):
            shown[edition] = None
        elif all(other in names for other in RULE_SETS if other.partition("-")[0] == family):
            shown[family] = None
        else:
            shown[name] = None
    if len(shown) > 3 and len(lacking := _families([name for name in compared if name not in names])) < 3:
        return [f"all but {' and '.join(lacking)}"]
    return list(shown)
