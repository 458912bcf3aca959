"""Rule sets: which stages a turn has, and what is chosen where the documents differ.

A rule set is data (``data/rule-sets/*.toml``). The chapters read an option at the one place where the documents differ;
nowhere is it asked which edition is played. What can be chosen follows from what the chapters declare
(``rules.rulesets.options``); a file that wants more names what is not played yet, and is refused when a game starts.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from rules.components.facts import Entry
from rules.components.terms import EDITIONS, Edition
from rules.rulesets import expansions
from rules.rulesets.options import Declared, RuleSetError, Value, did_you_mean, read_value, written

if TYPE_CHECKING:
    from rules.rulesets.rulebook import Clause

RULE_SETS: tuple[str, ...] = (
    "wbc-2018",
    "ah-basic",
    "ah-optional",
    "ah-advanced",
    "vaca-2.0",
    "gf9-basic",
    "gf9-advanced",
)
"""The rule sets that have a file."""


@dataclass(frozen=True, slots=True)
class Standing:
    """Which clauses stand in a rule set: of each book those of some ``tiers``, but for the sections ``without``."""

    tiers: Mapping[str, tuple[str, ...]]
    without: tuple[str, ...] = ()

    def includes(self, clause: Clause) -> bool:
        """Whether the clause stands: ``load_rule_set("ah-basic").standing.includes(clause("AH.X.C.2"))``."""
        if clause.superseded or clause.tier not in self.tiers.get(clause.book, ()):
            return False
        return not clause.id.startswith(tuple(f"{section}." for section in self.without))


@dataclass(frozen=True, slots=True)
class RuleSet:
    """The rules of one game.

    ``books`` are the books in which a refusal looks for its clause, the first first; ``edition`` is the year whose
    words letters use. ``opening`` are the stages before the first turn, ``sequence`` those of every turn, both as the
    catalogue names them. ``options`` holds a value for every option of ``declared``. ``unplayed`` says what the file
    wants and nobody plays, a sentence each. ``standing`` says which clauses are its rules.
    """

    name: str
    title: str
    books: tuple[str, ...]
    edition: Edition
    opening: tuple[str, ...]
    sequence: tuple[str, ...]
    options: Mapping[str, Value]
    declared: Declared = field(compare=False, repr=False)
    catalogue: Any = field(repr=False)  # a ``Catalogue``, of the floor above
    unplayed: tuple[str, ...] = ()
    standing: Standing = Standing({})

    def __hash__(self) -> int:
        return hash(self.name)  # tables that are kept by rule set look here many times a game

    def option(self, name: str) -> Value:
        """The value of an option by its name, for tables and reports."""
        if name not in self.options:
            raise RuleSetError(f"There is no option {name!r} of a rule set{did_you_mean(name, list(self.declared))}.")
        return self.options[name]

    def with_options(self, options: Mapping[str, object]) -> RuleSet:
        """The same rule set with some options changed.

        RuleSetError for an option or a value that is not played. A switch may be given as true or false.
        Example: ``load_rule_set("ah-basic").with_options({"city_income": "on"})``.
        """
        changed = {name: read_value(name, self.declared, value) for name, value in options.items()}
        chosen = {**self.options, **changed}
        expansion = expansions.of(self.name, changed)
        if expansion is None:
            return replace(self, options=chosen)
        return replace(self, options=chosen, books=self._with_book(expansion), standing=self._with_clauses(expansion))

    def _with_book(self, expansion: expansions.Expansion) -> tuple[str, ...]:
        """The books, with that of an expansion above the one that it builds on."""
        if expansion.book in self.books:
            return self.books
        at = self.books.index(expansion.above)
        return (*self.books[:at], expansion.book, *self.books[at:])

    def _with_clauses(self, expansion: expansions.Expansion) -> Standing:
        """The clauses that stand, with those that an expansion brings or wakes."""
        tiers = dict(self.standing.tiers)
        for book, more in expansion.tiers[self.name].items():
            tiers[book] = tuple(dict.fromkeys((*tiers.get(book, ()), *more)))
        return Standing(tiers, self.standing.without)


def require_playable(rules: RuleSet) -> None:
    """RuleSetError that names everything a rule set wants and nobody plays."""
    if rules.unplayed:
        raise RuleSetError(f"Mentat does not play {rules.name} yet: {'; '.join(rules.unplayed)}.")


def read_rule_set(
    file: Entry,
    declared: Declared,
    stages: Mapping[str, object],
    catalogue: Any = None,
    base: RuleSet | None = None,
) -> RuleSet:
    """The rule set that a document describes; what it leaves out is that of ``base``, and what belongs to an expansion
    is as that says.

    FactsError for a document of the wrong form, RuleSetError for one that leaves an option open.
    """
    name, title = file.text("name"), file.text("title")
    wanted = file.table("options", {}).values
    options: dict[str, Value] = dict(base.options) if base else {}
    unplayed = []
    unchosen = {**({} if base else expansions.unchosen()), **expansions.unchosen_in(name)}
    for option, value in {**unchosen, **wanted}.items():
        if option not in declared:
            unplayed.append(f"{option} = {written(value)}")
            continue
        try:
            options[option] = read_value(option, declared, value)
        except RuleSetError as error:
            unplayed.append(str(error).rstrip("."))
    sequence = file.texts("sequence", base.sequence if base else None)
    opening = file.texts("opening", base.opening if base else None)
    unplayed += [f"the stage {stage!r}" for stage in (*opening, *sequence) if stage not in stages]
    if not unplayed and (open_ := [name for name in declared if name not in options]):
        raise RuleSetError(f"{file.where} says nothing of {', '.join(open_)}.")
    return RuleSet(
        name=name,
        title=title,
        books=file.texts("books", base.books if base else None),
        edition=_edition(file, base),
        opening=opening,
        sequence=sequence,
        options=options,
        declared=declared,
        catalogue=catalogue,
        unplayed=tuple(unplayed),
        standing=_standing(file, base),
    )


def _standing(file: Entry, base: RuleSet | None) -> Standing:
    if base and "clauses" not in file.values:
        return base.standing
    clauses = file.table("clauses")
    tiers = {book: clauses.texts(book) for book in clauses.values if book != "without"}
    return Standing(tiers, clauses.texts("without", ()))


def _edition(file: Entry, base: RuleSet | None) -> Edition:
    said = file.text("edition", base.edition if base else None)
    if said not in EDITIONS:
        raise RuleSetError(f"{file.where}: edition is {said!r}; it can be {' or '.join(EDITIONS)}.")
    return said
