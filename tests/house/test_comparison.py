"""Tests that the comparison in docs/rule-sets.md equals the output of `mentat rule --compare`."""

import re
from pathlib import Path

from bot.lab.clauses import described_options
from bot.lab.coverage import compare_rule_sets
from rules.engine.catalogue import load_rule_set
from rules.rulesets.ruleset import RULE_SETS

COMPARISON_BEGINS = "<!-- what follows is printed by `mentat rule --compare` -->"
COMPARISON_ENDS = "<!-- until here -->"
PAGE = (Path(__file__).parents[2] / "docs" / "rule-sets.md").read_text(encoding="utf-8")


def test_the_page_compares_the_rule_sets_as_they_are() -> None:
    shown = PAGE.partition(COMPARISON_BEGINS)[2].partition(COMPARISON_ENDS)[0]
    assert shown.strip() == compare_rule_sets().strip(), "print it anew: mentat rule --compare"


def test_the_page_begins_with_every_rule_set() -> None:
    missing = [name for name in RULE_SETS if f"| `{name}`" not in PAGE.partition("## ")[0]]
    assert missing == []


def test_every_option_that_the_page_names_exists() -> None:
    named = set(re.findall(r"`([a-z]+_[a-z_]+)(?: = [^`]*)?`", PAGE))
    known = {name for part in described_options().values() for name in part}
    assert named - known == set()
    assert len(named) > 100


def test_a_value_in_the_comparison_is_short() -> None:
    told = {name: said for part in described_options().values() for name, said in part.items()}
    played = [load_rule_set(name).options for name in RULE_SETS]
    differing = {name for name in told if len({str(options[name]) for options in played}) > 1}
    words = {name: told[name].get("values", {}) for name in differing}
    long = [word for values in words.values() for word in values.values() if len(word) > 70]
    assert long == []
