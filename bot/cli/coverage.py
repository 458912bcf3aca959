"""`mentat rule --coverage`: which clauses the tests and rulings show, and which they do not."""

from __future__ import annotations

from collections.abc import Sequence

import typer
from rich.table import Table

from bot.clauses.coverage import Covered, coverage_of_this_clone, tests_folder
from bot.cli.session import NO, WRONG_USE, answer_json, console, fail, print_line
from rules.engine.rule_sets import load_rule_set
from rules.rulesets.options import RuleSetError


def show_coverage(rule_set: str, as_json: bool) -> None:
    """Print every clause of a rule set, "" for all that are played, with the number of its tests and rulings.

    Exit 1 if one has neither."""
    if not tests_folder().is_dir():
        fail("The tests are not shipped; look at the coverage in a clone of the repository.", WRONG_USE)
    try:
        found = coverage_of_this_clone(*[load_rule_set(rule_set)] if rule_set else ())
    except RuleSetError as error:
        fail(str(error), WRONG_USE)
    bare = [covered for covered in found if not covered.shown]
    if as_json:
        answer_json(_document(found))
    else:
        for covered in found:
            print_line(_line(covered))
        console.print(_summary(found))
        for covered in bare:
            print_line(f"not covered: {covered.clause.id}  {covered.clause.rule}", style="red")
    if bare:
        raise typer.Exit(NO)


def _line(covered: Covered) -> str:
    clause = covered.clause
    head = f"{clause.id:22} {len(covered.tests):4} tests {len(covered.rulings):4} rulings  {clause.topic}"
    return f"{head}  ({covered.not_for_the_program})" if covered.not_for_the_program else head


def _summary(found: Sequence[Covered]) -> Table:
    table = Table("of", "tier", "clauses", "by rulings", "by tests", "excused", "none")
    for book, tier in dict.fromkeys((covered.clause.book, covered.clause.tier) for covered in found):
        group = [c for c in found if c.clause.book == book and c.clause.tier == tier]
        table.add_row(book, tier, *_counts(group))
    table.add_section()
    table.add_row("together", "", *_counts(found))
    return table


def _counts(group: Sequence[Covered]) -> tuple[str, ...]:
    columns = (
        len(group),
        sum(bool(covered.rulings) for covered in group),
        sum(bool(covered.tests) for covered in group),
        sum(bool(covered.not_for_the_program) for covered in group),
        sum(not covered.shown for covered in group),
    )
    return tuple(map(str, columns))


def _document(found: Sequence[Covered]) -> dict[str, object]:
    return {
        "clauses": [
            {"id": c.clause.id, "tier": c.clause.tier, "tests": list(c.tests), "rulings": list(c.rulings),
             "not_for_the_program": c.not_for_the_program or None}
            for c in found
        ],
        "uncovered": [c.clause.id for c in found if not c.shown],
    }  # fmt: skip
