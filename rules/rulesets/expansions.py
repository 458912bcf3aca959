"""The expansions: which there are, in which rule sets each is played, and what its options are where nobody has chosen
(``data/expansions/*.toml``)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache

from rules.components.facts import Entry, data_folder, document
from rules.rulesets.options import RuleSetError, Value

NONE = "none"
OPTION = "expansion"
"""The option that says which expansion is played."""


@dataclass(frozen=True, slots=True)
class Expansion:
    """One expansion: its ``book`` counts before the book ``above`` which it stands; ``tiers`` are those of each book
    that stand in a game with it, by rule set. ``in_rule_set`` are the options that are otherwise in one of these."""

    name: str
    title: str
    rule_sets: tuple[str, ...]
    book: str
    above: str
    tiers: Mapping[str, Mapping[str, tuple[str, ...]]]
    options: Mapping[str, Value]
    in_rule_set: Mapping[str, Mapping[str, Value]]


def _read(file: Entry) -> Expansion:
    clauses, other = file.table("clauses"), file.table("in_rule_set", {})
    return Expansion(
        name=file.text("name"),
        title=file.text("title"),
        rule_sets=file.texts("rule_sets"),
        book=file.text("book"),
        above=file.text("above"),
        tiers={
            rule_set: {book: clauses.table(rule_set).texts(book) for book in clauses.table(rule_set).values}
            for rule_set in clauses.values
        },
        options=file.table("options").values,
        in_rule_set={name: other.table(name).values for name in other.values},
    )


@cache
def expansions() -> Mapping[str, Expansion]:
    """The expansions by name."""
    files = sorted((data_folder() / "expansions").glob("*.toml"))
    return {found.name: found for found in (_read(document(f"expansions/{file.name}")) for file in files)}


@cache
def unchosen() -> Mapping[str, Value]:
    """What the options of all expansions are where nobody has chosen."""
    return {name: value for expansion in expansions().values() for name, value in expansion.options.items()}


def unchosen_in(rule_set: str) -> Mapping[str, Value]:
    """Which of them are otherwise in this rule set."""
    return {
        name: value
        for expansion in expansions().values()
        for name, value in expansion.in_rule_set.get(rule_set, {}).items()
    }


def of(rule_set: str, options: Mapping[str, Value]) -> Expansion | None:
    """The expansion that is played with these options; None for none. RuleSetError where the rule set does not have
    it."""
    name = str(options.get(OPTION, NONE))
    if name == NONE:
        return None
    found = expansions()[name]
    if rule_set not in found.rule_sets:
        known = " and ".join(found.rule_sets)
        raise RuleSetError(f"{found.title} is not played with {rule_set}; it belongs to {known}.")
    return found
