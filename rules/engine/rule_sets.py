"""The rule sets by name."""

from __future__ import annotations

from functools import cache

from rules.components.facts import document
from rules.engine.catalogue import CATALOGUE
from rules.rulesets.options import RuleSetError, declared, did_you_mean
from rules.rulesets.ruleset import RULE_SETS, RuleSet, read_rule_set


@cache
def load_rule_set(name: str) -> RuleSet:
    """A named rule set, one of ``RULE_SETS``.

    RuleSetError for any other name, or a file that leaves an option open; FactsError for a file of the wrong form.
    Whether it is played is another question: ``rules.rulesets.ruleset.require_playable``.
    """
    if name not in RULE_SETS:
        guess = did_you_mean(name, RULE_SETS)
        raise RuleSetError(f"There is no rule set {name!r}; there are {', '.join(RULE_SETS)}{guess}.")
    return read_rule_set(document(f"rule-sets/{name}.toml"), declared(CATALOGUE.options), CATALOGUE.stages, CATALOGUE)
