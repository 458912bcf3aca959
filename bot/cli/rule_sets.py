"""`mentat rule --options` and `mentat rule --coverage`: what a rule set chooses where the documents differ, and which
clauses tests and rulings show.
"""

from __future__ import annotations

from collections.abc import Sequence

import typer
from rich.markup import escape
from rich.table import Table

from bot.cli.session import NO, WRONG_USE, answer_json, console, fail, print_line
from bot.lab.clauses import described_options
from bot.lab.coverage import ClauseCoverage, coverage_of_this_clone, tests_folder
from rules.engine.catalogue import load_rule_set
from rules.rulesets.options import RuleSetError, written


def show_options(ruleset: str, as_json: bool) -> None:
    """The options of a rule set by the order of the turn: value, meaning, other values, clauses; and what the rule set
    wants and nobody plays yet. RuleSetError if there is no rule set of that name."""
    rules = load_rule_set(ruleset)
    parts = described_options()
    if as_json:
        answer_json(
            {
                "ruleset": rules.name,
                "options": [
                    {
                        "name": name, "part": part, "value": rules.options.get(name), "meaning": said["meaning"],
                        "values": {written(value): said.get("values", {}).get(value, "")
                                   for value in rules.declared[name]},
                        "clauses": said["clauses"], "questions": said.get("questions", []),
                    }
                    for part, options in parts.items()
                    for name, said in options.items()
                ],
                "unplayed": list(rules.unplayed),
            }
        )  # fmt: skip
        return
    console.print(f"[bold]{escape(rules.title)}[/bold] ({rules.name})")
    for part, options in parts.items():
        console.print(f"\n[bold]{escape(part)}[/bold]")
        for name, said in options.items():
            value = rules.options.get(name)
            shown = "not played yet" if value is None else written(value)
            console.print(f"[cyan]{name}[/cyan] = {escape(shown)}")
            means = said.get("values", {}).get(value, "")
            print_line(f"  {said['meaning']}{f' Here: {means}.' if means else ''}")
            others = [other for other in said.get("values", {}) if other != value]
            for other in others:
                print_line(f"  {other}: {said['values'][other]}", style="dim")
            rests = ", ".join([*said["clauses"], *said.get("questions", [])])
            print_line(f"  {rests}", style="dim")
    if rules.unplayed:
        print_line(f"\nNot played yet: {'; '.join(rules.unplayed)}")


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
        answer_json(_coverage_document(found))
    else:
        for covered in found:
            print_line(_clause_line(covered))
        console.print(_coverage_table(found))
        for covered in bare:
            print_line(f"not covered: {covered.clause.id}  {covered.clause.rule}", style="red")
    if bare:
        raise typer.Exit(NO)


def _clause_line(covered: ClauseCoverage) -> str:
    clause = covered.clause
    head = f"{clause.id:22} {len(covered.tests):4} tests {len(covered.rulings):4} rulings  {clause.topic}"
    return f"{head}  ({covered.not_for_the_program})" if covered.not_for_the_program else head


def _coverage_table(found: Sequence[ClauseCoverage]) -> Table:
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
            {"id": c.clause.id, "tier": c.clause.tier, "tests": list(c.tests), "rulings": list(c.rulings),
             "not_for_the_program": c.not_for_the_program or None}
            for c in found
        ],
        "uncovered": [c.clause.id for c in found if not c.shown],
    }  # fmt: skip
