"""The rule sets side by side, for players: one line for each point on which they differ.

`mentat rule --compare` prints it, and `docs/rule-sets.md` holds it between two marks; a test keeps the two the same.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from bot.clauses.described import Said, described
from rules.engine.rule_sets import load_rule_set
from rules.rulesets.options import written
from rules.rulesets.ruleset import RULE_SETS, RuleSet

BEGINS = "<!-- what follows is printed by `mentat rule --compare` -->"
ENDS = "<!-- until here -->"


def comparison(names: Sequence[str] = RULE_SETS) -> str:
    """Tables in Markdown, one for each part of the turn, of the options whose values differ between these rule sets.

    RuleSetError for a name that is none.
    """
    rule_sets = [load_rule_set(name) for name in names]
    return "\n".join(_lines(rule_sets)).strip() + "\n"


def _lines(rule_sets: Sequence[RuleSet]) -> Iterator[str]:
    for title, options in described().items():
        rows = [_row(name, said, rule_sets) for name, said in options.items() if _differ(name, rule_sets)]
        if rows:
            yield f"### {title}\n"
            yield _cells("the option", *(f"`{rules.name}`" for rules in rule_sets))
            yield _cells(*["---"] * (len(rule_sets) + 1))
            yield from rows
            yield ""


def _differ(name: str, rule_sets: Sequence[RuleSet]) -> bool:
    return len({str(rules.options.get(name)) for rules in rule_sets}) > 1


def _row(name: str, said: Said, rule_sets: Sequence[RuleSet]) -> str:
    values = [rules.options.get(name) for rules in rule_sets]
    words = said.get("values", {})
    said_of = ["–" if value is None else words.get(value) or written(value).replace("_", " ") for value in values]
    return _cells(f"{said['meaning'].rstrip('.')} `{name}`", *said_of)


def _cells(*cells: str) -> str:
    return f"| {' | '.join(cells)} |"
