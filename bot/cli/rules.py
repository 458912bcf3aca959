"""`mentat ruling check` and `mentat rule`: the executable rulebook.

To keep the look-up of a clause fast, the code that counts coverage and runs rulings is imported only when it is needed.
"""

from __future__ import annotations

import json
import re
import sys
import tomllib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.text import Text

from bot.cli.session import WRONG_USE, Answer, Call, Line, Verbatim, command, fail, styled
from bot.lab.clauses import described_options, rulings_citing
from rules.rulesets.rulebook import clause, find, is_clause

if TYPE_CHECKING:
    from rich.table import Table

    from bot.lab.coverage import ClauseCoverage


@command("ruling check")
def check(
    call: Call,
    files: Annotated[
        list[Path],
        typer.Argument(
            metavar="FILE.toml…",
            help="Rulings, or folders of them; - is standard input, which can hold several rulings in one JSON list.",
        ),
    ],
) -> Answer:
    """Run rulings and print PASS or FAIL for each, with the first difference. The exit status is 1 if any failed.
    Clauses that do not exist are reported as warnings.

    Example: `mentat ruling check tests/rulings`, or `mentat ruling check - --json < ruling.toml`
    """

    from bot.lab.rulings import run_ruling

    results = [(name, run_ruling(source)) for name, source in list(_rulings_in(files))]
    failed = [name for name, result in results if not result.passed]
    lines: list[Line] = []
    for name, result in results:
        verdict = styled(f"PASS {name}", "green") if result.passed else styled(f"FAIL {name}", "red")
        lines += [verdict] if result.passed else [verdict, f"     {result.difference}"]
        lines += [styled(f"     warning: {warning}", "yellow") for warning in result.warnings]
    document = [
        {
            "file": name,
            "title": result.title,
            "passed": result.passed,
            "difference": result.difference,
            "steps": list(result.steps),
            "view": result.view,
            "warnings": list(result.warnings),
        }
        for name, result in results
    ]
    lines.append(f"{len(results) - len(failed)} passed, {len(failed)} failed")
    return Answer(lines, document, failed=bool(failed))


STANDARD_INPUT = Path("-")


def _rulings_in(files: Sequence[Path]) -> Iterator[tuple[str, Path | str]]:
    """Yield the name of each ruling in these files and folders, with its path, or with its text if it comes from
    standard input."""
    if files.count(STANDARD_INPUT) > 1:
        fail("Standard input can be read only once; write - once.", WRONG_USE)
    found = [path for given in files for path in (sorted(given.rglob("*.toml")) if given.is_dir() else [given])]
    if not found:
        fail("There is no ruling (*.toml) there.", WRONG_USE)
    for path in found:
        if path != STANDARD_INPUT and not path.is_file():
            fail(f"There is no file {path}; name a ruling (*.toml) or a folder of them.", WRONG_USE)
    for path in found:
        if path == STANDARD_INPUT:
            yield from (("-", text) for text in _texts_in_standard_input())
        else:
            yield str(path), path


def _texts_in_standard_input() -> list[str]:
    try:
        text = sys.stdin.buffer.read().decode("utf-8-sig")
    except UnicodeDecodeError:
        fail("Standard input is not UTF-8 text; write a ruling in TOML there, or a JSON list of rulings.", WRONG_USE)
    try:
        found = json.loads(text)
    except ValueError as error:
        if not _LIST_BEGINS.match(text) or _is_toml(text):
            return [text]
        fail(f"Standard input begins like a JSON list of rulings but is not one: {error}.", WRONG_USE)
    if not isinstance(found, list) or not all(isinstance(ruling, str) for ruling in found):
        fail("The JSON on standard input must be a list of texts, each a whole ruling in TOML.", WRONG_USE)
    return found


_LIST_BEGINS = re.compile(r"\s*(?:\{|\[\s*(?![\w\[]))")
"""The beginning of JSON, but not of a ruling's first table: [start], [[step]]."""


def _is_toml(text: str) -> bool:
    try:
        tomllib.loads(text)
    except tomllib.TOMLDecodeError:
        return False
    return True


@command("rule")
def rule(
    call: Call,
    words: Annotated[
        list[str] | None, typer.Argument(metavar="CLAUSE-OR-WORD", help="A clause's id, or words in it.")
    ] = None,
    coverage: Annotated[
        bool, typer.Option("--coverage", help="List all clauses with the number of their tests and rulings.")
    ] = False,
    ruleset: Annotated[
        str, typer.Option("--ruleset", metavar="RULESET", help="With --coverage: the clauses of this rule set only.")
    ] = "",
    options: Annotated[
        str, typer.Option("--options", metavar="RULESET", help="List the options of a rule set and what they mean.")
    ] = "",
    compare: Annotated[
        bool, typer.Option("--compare", help="Print all rule sets, or those named, side by side as Markdown.")
    ] = False,
) -> Answer:
    """Show a clause, its source, and its rulings, or all clauses that contain the words.

    With `--coverage`, list how many tests and rulings each implemented clause has. The exit status is then 1 if a
    clause has none. Example: `mentat rule WBC.X.32`, `mentat rule lasgun shield` or `mentat rule --options ah-basic`
    """
    if coverage:
        return _show_coverage(ruleset)
    if ruleset:
        fail("--ruleset needs --coverage: `mentat rule --coverage --ruleset ah-basic`.", WRONG_USE)
    if compare:
        from bot.lab.coverage import compare_rule_sets
        from rules.rulesets.ruleset import RULE_SETS

        return Answer(Verbatim(compare_rule_sets(words or RULE_SETS)))
    if options:
        return _show_options(options)
    text = " ".join(words or [])
    if not text:
        fail("Name a clause or a word, like `mentat rule lasgun`; or --coverage for all of them.", WRONG_USE)
    found = [clause(text)] if is_clause(text) else find(text)
    if not found:
        fail(f"No clause contains {text!r}; try one word of it, like `mentat rule lasgun`.")
    rulings = {shown.id: rulings_citing(shown.id) for shown in found}
    document = [
        {
            "id": c.id,
            "rule": c.rule,
            "source": c.source,
            "phase": c.phase,
            "tier": c.tier,
            "rulings": [{"file": str(path), "title": title} for path, title in rulings[c.id]],
        }
        for c in found
    ]
    lines: list[Line] = []
    for shown in found:
        lines += [Text.assemble((shown.id, "bold"), f"  {shown.rule}"), styled(f"  {shown.source}", "dim")]
        lines += [f"  ruling: {title} ({path.name})" for path, title in rulings[shown.id]]
    return Answer(lines, document)


# --- options and coverage ---------------------------------------------------------------------------------------------


def _show_options(ruleset: str) -> Answer:
    """Return the answer that lists the options of a rule set in the order of the turn, each with its value, its
    meaning, the other values and its clauses.

    Options that the rule set needs but Mentat does not implement come last. Raise RuleSetError if there is no rule set
    of that name.
    """
    from rules.engine.catalogue import load_rule_set
    from rules.rulesets.options import written

    rules = load_rule_set(ruleset)
    parts = described_options()
    document = {
        "ruleset": rules.name,
        "options": [
            {
                "name": name,
                "part": part,
                "value": rules.options.get(name),
                "meaning": said["meaning"],
                "values": {
                    written(value): said.get("values", {}).get(value, "") for value in rules.declared.get(name, ())
                },
                "clauses": said["clauses"],
                "questions": said.get("questions", []),
            }
            for part, options in parts.items()
            for name, said in options.items()
        ],
        "unplayed": list(rules.unplayed),
    }
    lines: list[Line] = [Text.assemble((rules.title, "bold"), f" ({rules.name})")]
    for part, options in parts.items():
        lines += ["", styled(part, "bold")]
        for name, said in options.items():
            value = rules.options.get(name)
            shown = "not played yet" if value is None else written(value)
            means = said.get("values", {}).get(value, "")
            others = [other for other in said.get("values", {}) if other != value]
            rests = ", ".join([*said["clauses"], *said.get("questions", [])])
            lines += [
                Text.assemble((name, "cyan"), f" = {shown}"),
                f"  {said['meaning']}{f' Here: {means}.' if means else ''}",
                *(styled(f"  {other}: {said['values'][other]}", "dim") for other in others),
                styled(f"  {rests}", "dim"),
            ]
    if rules.unplayed:
        lines += ["", f"Not played yet: {'; '.join(rules.unplayed)}"]
    return Answer(lines, document)


def _show_coverage(rule_set: str) -> Answer:
    """Return the answer that lists every clause of a rule set, or of all rule sets (""), with its number of
    tests and rulings. The command exits with status 1 if a clause has none."""
    from bot.lab.coverage import coverage_of_this_clone, tests_folder
    from rules.engine.catalogue import load_rule_set

    if not tests_folder().is_dir():
        fail("An installed Mentat has no tests; see the coverage in a clone of the repository.", WRONG_USE)
    found = coverage_of_this_clone(*[load_rule_set(rule_set)] if rule_set else ())
    bare = [covered for covered in found if not covered.shown]
    lines: list[Line] = [
        *map(_clause_line, found),
        _coverage_table(found),
        *(styled(f"not covered: {covered.clause.id}  {covered.clause.rule}", "red") for covered in bare),
    ]
    return Answer(lines, _coverage_document(found), failed=bool(bare))


def _clause_line(covered: ClauseCoverage) -> str:
    clause = covered.clause
    head = f"{clause.id:22} {len(covered.tests):4} tests {len(covered.rulings):4} rulings  {clause.topic}"
    return f"{head}  ({covered.not_for_the_program})" if covered.not_for_the_program else head


def _coverage_table(found: Sequence[ClauseCoverage]) -> Table:
    from rich.table import Table

    table = Table("of", "tier", "clauses", "by rulings", "by tests", "excused", "none")
    for book, tier in dict.fromkeys((covered.clause.book, covered.clause.tier) for covered in found):
        group = [c for c in found if c.clause.book == book and c.clause.tier == tier]
        table.add_row(book, tier, *_counts(group))
    table.add_section()
    table.add_row("together", "", *_counts(found))
    return table


def _counts(group: Sequence[ClauseCoverage]) -> tuple[str, ...]:
    columns = (
        len(group),
        sum(bool(covered.rulings) for covered in group),
        sum(bool(covered.tests) for covered in group),
        sum(bool(covered.not_for_the_program) for covered in group),
        sum(not covered.shown for covered in group),
    )
    return tuple(map(str, columns))


def _coverage_document(found: Sequence[ClauseCoverage]) -> dict[str, object]:
    return {
        "clauses": [
            {
                "id": c.clause.id,
                "tier": c.clause.tier,
                "tests": list(c.tests),
                "rulings": list(c.rulings),
                "not_for_the_program": c.not_for_the_program or None,
            }
            for c in found
        ],
        "uncovered": [c.clause.id for c in found if not c.shown],
    }
