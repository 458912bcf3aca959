"""`mentat rule --options` and `mentat rule --coverage`: what a rule set decides where the published rules differ, and
which tests and rulings each clause has."""

from __future__ import annotations

from collections.abc import Sequence

from rich.table import Table
from rich.text import Text

from bot.cli.session import WRONG_USE, Answer, Line, fail, styled
from bot.lab.clauses import described_options
from bot.lab.coverage import ClauseCoverage, coverage_of_this_clone, tests_folder
from rules.engine.catalogue import load_rule_set
from rules.rulesets.options import written


def show_options(ruleset: str) -> Answer:
    """Return the answer that lists the options of a rule set in the order of the turn, each with its value, its
    meaning, the other values and its clauses.

    Options that the rule set needs but Mentat does not implement come last. Raise RuleSetError if there is no rule set
    of that name.
    """
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


def show_coverage(rule_set: str) -> Answer:
    """Return the answer that lists every clause of a rule set, or of all rule sets (""), with its number of
    tests and rulings. The command exits with status 1 if a clause has none."""
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
