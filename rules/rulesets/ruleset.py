"""Rule sets: the stages of a turn, the choices between the documents where they differ, and the contents of the box.

A rule set is data (``data/rule-sets/*.toml``). For each point on which the documents differ, one chapter reads an
option. No code checks which edition is being played. The declarations of the chapters define the possible values
(``rules.rulesets.options``). A rule set may name options or values that no chapter reads yet, but then it cannot be
played.

Expansions (``data/expansions/*.toml``) list their rule sets and the defaults of their options. Their factions, cards
and leaders are in the same data files as all others, and marked there by ``expansion`` or ``added``. The box functions
decide which of them are in a game (IT.GEN.1, IT.GEN.3). An order that names something outside the box is refused, and
the refusal repeats that name.

Contradictions are pairs of options that cannot be combined. In general, an option may have any playable value, even a
value that has no effect because of another option. But if another option cancels or reverses a game master's choice,
the game master has probably overlooked that option. Mentat then refuses to set up the game, and names both options.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from typing import TYPE_CHECKING, Any

from rules.components import (
    CARDS,
    FACTION_FACTS,
    FACTIONS,
    LEADERS,
    SPICE_DECK,
    TREACHERY_DECK,
    WORTHLESS,
    Card,
    Faction,
    Leader,
    spice_cards_of,
    treachery_of,
)
from rules.components.facts import Entry, data_folder, document
from rules.components.terms import EDITIONS, Edition
from rules.rulesets.options import (
    Declared,
    Option,
    RuleSetError,
    Value,
    declared,
    did_you_mean,
    read_value,
    switch,
    written,
)

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
    """The clauses that apply in a rule set. In each book, these are the clauses of its ``tiers``, except for those in
    the sections ``without``."""

    tiers: Mapping[str, tuple[str, ...]]
    without: tuple[str, ...] = ()

    def includes(self, clause: Clause) -> bool:
        """Return whether the clause applies, as in
        ``load_rule_set("ah-basic").standing.includes(clause("AH.X.C.2"))``."""
        if clause.superseded or clause.tier not in self.tiers.get(clause.book, ()):
            return False
        return not clause.id.startswith(tuple(f"{section}." for section in self.without))


@dataclass(frozen=True, slots=True)
class RuleSet:
    """The rules of one game.

    - ``books`` are the books in which a refusal looks for its clause, in order of precedence.
    - ``edition`` is the year whose terms the letters use.
    - ``opening`` names the stages before the first turn, as in the catalogue.
    - ``sequence`` names the stages of every turn.
    - ``options`` holds a value for every option in ``declared``.
    - ``unplayed`` describes everything in the file that no chapter implements, one entry for each.
    - ``standing`` defines the clauses that apply.
    """

    name: str
    title: str
    books: tuple[str, ...]
    edition: Edition
    opening: tuple[str, ...]
    sequence: tuple[str, ...]
    options: Mapping[str, Value]
    declared: Declared = field(compare=False, repr=False)
    catalogue: Any = field(repr=False)  # a ``Catalogue``, from the layer above
    unplayed: tuple[str, ...] = ()
    standing: Standing = Standing({})

    def __hash__(self) -> int:
        return hash(self.name)  # caches keyed by rule set hash it many times a game

    def option(self, name: str) -> Value:
        if name not in self.options:
            raise RuleSetError(f"There is no option {name!r} of a rule set{did_you_mean(name, list(self.declared))}.")
        return self.options[name]

    def with_options(self, options: Mapping[str, object]) -> RuleSet:
        """Return the same rule set with some options changed.

        Raise RuleSetError for an unknown option or value. A switch may be given as true or false. Example:
        ``load_rule_set("ah-basic").with_options({"city_income": "on"})``.
        """
        changed = {name: read_value(name, self.declared, value) for name, value in options.items()}
        chosen = {**self.options, **changed}
        expansion = expansion_in(self.name, changed)
        if expansion is None:
            return replace(self, options=chosen)
        return replace(self, options=chosen, books=self._with_book(expansion), standing=self._with_clauses(expansion))

    def _with_book(self, expansion: Expansion) -> tuple[str, ...]:
        if expansion.book in self.books:
            return self.books
        at = self.books.index(expansion.above)
        return (*self.books[:at], expansion.book, *self.books[at:])

    def _with_clauses(self, expansion: Expansion) -> Standing:
        tiers = dict(self.standing.tiers)
        for book, more in expansion.tiers[self.name].items():
            tiers[book] = tuple(dict.fromkeys((*tiers.get(book, ()), *more)))
        return Standing(tiers, self.standing.without)


def require_playable(rules: RuleSet) -> None:
    if rules.unplayed:
        raise RuleSetError(f"Mentat does not play {rules.name} yet: {'; '.join(rules.unplayed)}.")


def read_rule_set(file: Entry, catalogue: Any, base: RuleSet | None = None) -> RuleSet:
    """Return the rule set that a document describes. Parts that the document leaves out come from ``base``; an
    expansion's options come from the expansion, and other options from their declaration. Raise FactsError if the
    document is malformed, and RuleSetError if it leaves an option open."""
    known = declared(catalogue.options)
    name, title = file.text("name"), file.text("title")
    wanted = file.table("options", {}).values
    options: dict[str, Value] = {option.name: option.usual for option in catalogue.options if option.usual is not None}
    options |= base.options if base else {}
    unplayed = []
    unchosen = {**({} if base else expansion_defaults()), **expansion_defaults_in(name)}
    for option, value in {**unchosen, **wanted}.items():
        if option not in known:
            unplayed.append(f"{option} = {written(value)}")
            continue
        try:
            options[option] = read_value(option, known, value)
        except RuleSetError as error:
            unplayed.append(str(error).rstrip("."))
    sequence = file.texts("sequence", base.sequence if base else None)
    opening = file.texts("opening", base.opening if base else None)
    unplayed += [f"the stage {stage!r}" for stage in (*opening, *sequence) if stage not in catalogue.stages]
    if not unplayed and (open_ := [name for name in known if name not in options]):
        raise RuleSetError(f"{file.where} does not set {', '.join(open_)}.")
    return RuleSet(
        name=name,
        title=title,
        books=file.texts("books", base.books if base else None),
        edition=_edition(file, base),
        opening=opening,
        sequence=sequence,
        options=options,
        declared=known,
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


def edition_of(name: str) -> Edition:
    """Return the edition of a rule set. Its options are not read, because that would load every chapter."""
    return _edition(document(f"rule-sets/{name}.toml"), None)


def written_option(name: str, option: str) -> Any:
    """Return the value of an option exactly as the file of a rule set gives it. The option must be in that file, as
    ``max_turns`` always is."""
    return document(f"rule-sets/{name}.toml").table("options").values[option]


NO_EXPANSION = "none"
EXPANSION_OPTION = "expansion"


@dataclass(frozen=True, slots=True)
class Expansion:
    """One expansion.

    - ``book`` is its rule book, which takes precedence over the book ``above``.
    - ``tiers`` lists, for each rule set, the tiers of each book that apply in a game with the expansion.
    - ``in_rule_set`` holds the options whose defaults are different in one of the rule sets.
    """

    name: str
    title: str
    rule_sets: tuple[str, ...]
    book: str
    above: str
    tiers: Mapping[str, Mapping[str, tuple[str, ...]]]
    options: Mapping[str, Value]
    in_rule_set: Mapping[str, Mapping[str, Value]]


def _read_expansion(file: Entry) -> Expansion:
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
    files = sorted((data_folder() / "expansions").glob("*.toml"))
    return {found.name: found for found in (_read_expansion(document(f"expansions/{file.name}")) for file in files)}


@cache
def expansion_defaults() -> Mapping[str, Value]:
    return {name: value for expansion in expansions().values() for name, value in expansion.options.items()}


def expansion_defaults_in(rule_set: str) -> Mapping[str, Value]:
    return {
        name: value
        for expansion in expansions().values()
        for name, value in expansion.in_rule_set.get(rule_set, {}).items()
    }


def expansion_in(rule_set: str, options: Mapping[str, Value]) -> Expansion | None:
    """Return the expansion that is in play with these options, or None. Raise RuleSetError if the rule set cannot be
    combined with it."""
    name = str(options.get(EXPANSION_OPTION, NO_EXPANSION))
    if name == NO_EXPANSION:
        return None
    found = expansions()[name]
    if rule_set not in found.rule_sets:
        known = " and ".join(found.rule_sets)
        raise RuleSetError(f"{found.title} is not played with {rule_set}; it belongs to {known}.")
    return found


EXPANSION = Option("expansion", {"none": "", "ixians-tleilaxu": "ixians-tleilaxu"})
EXPANSION_CARDS = switch("expansion_cards")
WITH_SANDTROUT = switch("sandtrout")
HERO_IS_A_TRAITOR = switch("cheap_hero_traitor")


def expansion_of(rules: RuleSet) -> str:
    return EXPANSION(rules)


def factions_of(rules: RuleSet) -> tuple[Faction, ...]:
    """Return the factions that can take part in a game with this rule set, in the order of the data (IT.GEN.2)."""
    return factions_with_expansion(EXPANSION(rules))


def factions_with_expansion(expansion: str) -> tuple[Faction, ...]:
    """Return the factions of the first box and of this expansion, in the order of the data. "" stands for no
    expansion."""
    if not expansion:
        return FACTIONS
    return tuple(id for id, facts in FACTION_FACTS.items() if facts.expansion in ("", expansion))


@cache
def leaders_in(rules: RuleSet) -> tuple[Leader, ...]:
    boxes = ("", EXPANSION(rules))
    return tuple(name for name, facts in LEADERS.items() if FACTION_FACTS[facts.faction].expansion in boxes)


@cache
def treachery_deck(rules: RuleSet) -> tuple[Card, ...]:
    expansion = EXPANSION(rules)
    return (*TREACHERY_DECK, *(treachery_of(expansion) if expansion and EXPANSION_CARDS(rules) else ()))


@cache
def cards_in(rules: RuleSet) -> tuple[Card, ...]:
    there = set(treachery_deck(rules))
    return tuple(card for card in CARDS if card in there)


@cache
def worthless_in(rules: RuleSet) -> frozenset[Card]:
    return WORTHLESS.intersection(cards_in(rules))


@cache
def spice_deck(rules: RuleSet) -> tuple[str, ...]:
    expansion = EXPANSION(rules)  # IT.TROUT.1
    return (*SPICE_DECK, *(spice_cards_of(expansion) if expansion and WITH_SANDTROUT(rules) else ()))


@cache
def not_in_box(rules: RuleSet) -> frozenset[str]:
    boxes = ("", EXPANSION(rules))
    factions = {id for id, facts in FACTION_FACTS.items() if facts.expansion not in boxes}
    return frozenset({*factions, *LEADERS.keys() - leaders_in(rules), *CARDS.keys() - cards_in(rules)})


def hero_is_dealt(rules: RuleSet) -> bool:
    return bool(EXPANSION(rules)) and HERO_IS_A_TRAITOR(rules)  # IT.TRAITOR.1


@dataclass(frozen=True, slots=True)
class Contradiction:
    """Two options that contradict each other: ``option``, if its value is one of ``values``, and ``other``, if its
    value is one of ``others``. ``why`` is the reason in words."""

    option: str
    values: tuple[Value, ...]
    other: str
    others: tuple[Value, ...]
    why: str


NO_ALLIANCES = "without alliances it has no meaning"
NO_DEALS = "if no deals are made, no spice is paid for them"
NO_KWISATZ_HADERACH = "without the Kwisatz Haderach it has no meaning"
NO_CAPTIVES = "if no leaders are captured, it has no meaning"
NO_STARS = "if starred tokens count like others, it has no meaning"
NO_SPECIAL_KARAMA = "without the special Karama powers it has no meaning"
OPEN_SPICE = "spice in front of a shield is visible to everybody"

CONTRADICTIONS: tuple[Contradiction, ...] = (
    Contradiction("alliance_max", (2, 3), "alliances_enabled", ("off",), NO_ALLIANCES),
    Contradiction("alliance_min_players", (4,), "alliances_enabled", ("off",), NO_ALLIANCES),
    Contradiction("alliance_strongholds", ("four", "members_plus_two"), "alliances_enabled", ("off",), NO_ALLIANCES),
    Contradiction("deals_between_allies", ("on",), "alliances_enabled", ("off",), NO_ALLIANCES),
    Contradiction(
        "alliances_small_games", ("pairs_at_3",), "alliance_min_players", (0,),
        "it is for games with too few players for alliances, and no minimum is set",
    ),
    Contradiction("deals_between_allies", ("on",), "bribery", ("forbidden",), NO_DEALS),
    Contradiction("spice_transfer_timing", ("mentat_pause_escrow",), "bribery", ("forbidden",), NO_DEALS),
    Contradiction("spice_transfer_timing", ("mentat_pause_escrow",), "transfer_amount", ("private",), OPEN_SPICE),
    Contradiction("transfer_amount", ("private",), "spice_transfer_timing", ("mentat_pause_escrow",), OPEN_SPICE),
    Contradiction("kh_count", ("own_battles", "all_battles"), "kwisatz_haderach", ("off",), NO_KWISATZ_HADERACH),
    Contradiction("kh_with_cheap_hero", ("on",), "kwisatz_haderach", ("off",), NO_KWISATZ_HADERACH),
    Contradiction("kh_revival", ("two_spice_any_turn",), "kwisatz_haderach", ("off",), NO_KWISATZ_HADERACH),
    Contradiction("captive_identity", ("public", "secret"), "leader_capture", ("off",), NO_CAPTIVES),
    Contradiction("captive_betrays_owner", ("automatic",), "leader_capture", ("off",), NO_CAPTIVES),
    Contradiction("starred_revival_limit_all", ("on",), "starred_tokens", ("plain",), NO_STARS),
    Contradiction("sardaukar_vs_fremen_ally", (2,), "starred_tokens", ("plain",), NO_STARS),
    Contradiction(
        "fremen_support", ("free", "free_and_lendable"), "combat_model", ("tokens",),
        "if battles cost no spice, it has no meaning",
    ),
    Contradiction(
        "storm_without_fremen", ("marker_hidden",), "storm_movement", ("dial_1_3",),
        "a dialled storm uses no markers",
    ),
    Contradiction(
        "missing_leader_uses_cheap_hero", ("on",), "missing_leader", ("reject",),
        "if a plan without a leader is refused, no leader is added",
    ),
    Contradiction(
        "two_cards_random_unless_bound", ("on",), "invalid_plan", ("reject",),
        "if a faulty plan is refused, no card is chosen at random",
    ),
    Contradiction(
        "forced_plan", ("finalise",), "karama_special", ("off",),
        "without the special Karama powers nobody looks at a plan",
    ),
    Contradiction("karama_special_uses", ("once_per_game",), "karama_special", ("off",), NO_SPECIAL_KARAMA),
    Contradiction("karama_special_window", ("own_phase_only",), "karama_special", ("off",), NO_SPECIAL_KARAMA),
    Contradiction("emperor_karama_window", ("revival_phase",), "karama_special", ("off",), NO_SPECIAL_KARAMA),
    Contradiction("fremen_karama_worm_place", ("sand_only",), "karama_special", ("off",), NO_SPECIAL_KARAMA),
    Contradiction("killed_captive_state", ("face_down_died_twice",), "leader_capture", ("off",), NO_CAPTIVES),
    Contradiction(
        "losses_vs_spice", ("at_most",), "combat_model", ("tokens",),
        "if battles cost no spice, it has no meaning",
    ),
    Contradiction(
        "nexus_count", ("first_worm_per_pile",), "spice_blows", (1,),
        "with one spice blow per turn there is only one pile",
    ),
)  # fmt: skip


def require_consistent(rules: RuleSet, asked: Mapping[str, object]) -> None:
    """Raise RuleSetError, with the names of both options, if an option that a game master ``asked`` for contradicts
    another option. ``rules`` already includes the options asked for."""
    for found in CONTRADICTIONS:
        value, other = rules.options.get(found.option), rules.options.get(found.other)
        if found.option in asked and value in found.values and other in found.others:
            one, against = f"{found.option} = {written(value)}", f"{found.other} = {written(other)}"
            raise RuleSetError(f"{one} contradicts {against}: {found.why}. Change one of the two.")
