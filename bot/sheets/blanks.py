"""What stands in the blanks of a condition: names as in orders, with "I" for oneself, and comparisons of numbers."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal, cast, get_args

from bot.orders.blanks import Misread, Node, Reading, named, tokens_of
from bot.orders.context import Context
from bot.orders.names import (
    CARD_NAMES,
    ELEMENT_NAMES,
    FACTION_NAMES,
    KIND_NAMES,
    LEADER_NAMES,
    PHASE_NAMES,
    TERRITORY_NAMES,
    Names,
)
from bot.orders.slots import leader_named
from bot.wording.sentences import say
from rules.components import CARDS, WORTHLESS, Card, Faction, Leader, is_defense, is_weapon, leaders_of
from rules.orders import QuestionKind

Operator = Literal["=", "<", ">", "<=", ">=", "between"]

CardSort = Literal["weapon", "projectile weapon", "poison weapon", "defense", "worthless card"]

SORTS: Mapping[CardSort, frozenset[Card]] = {
    "weapon": frozenset(filter(is_weapon, CARDS)),
    "projectile weapon": frozenset(card for card, facts in CARDS.items() if facts.kind == "projectile-weapon"),
    "poison weapon": frozenset(card for card, facts in CARDS.items() if facts.kind == "poison-weapon"),
    "defense": frozenset(filter(is_defense, CARDS)),
    "worthless card": WORTHLESS,
}
"""Words for several cards at once."""

_ARTICLES = ("a ", "an ", "the ", "another ")

HOLDING_NAMES: Names[str] = Names(
    "card",
    [
        *((str(name), CARD_NAMES.name(name), facts.aliases, ()) for name, facts in CARDS.items()),
        *(
            (sort, sort, {"worthless card": ("worthless",), "defense": ("defence",)}.get(sort, ()), ())
            for sort in SORTS
        ),
    ],
)

Why = Literal[
    "voice", "prescience", "battle", "capture", "shipment", "advisor", "guild-early", "guild-waits", "free-card",
    "fremen-worm", "worm", "worthless-karama", "flip", "card-payment", "gift", "extra-revival", "fremen-move",
    "charity", "ally-traitor", "storm-card", "auction-look", "technology", "redraw", "hms-move", "exchange",
    "thumper", "harvester", "amal",
    "early-revival", "ghola", "dancer-swap", "token-payment",
]  # fmt: skip

_OTHER_WORDS: Mapping[Why, tuple[str, ...]] = {
    "guild-early": ("guild goes early",),
    "guild-waits": ("guild goes late",),
    "worthless-karama": ("worthless", "karama"),
    "battle": ("before the battle", "last moment"),
}
WHY_NAMES: Names[Why] = Names("window", [(why, why, _OTHER_WORDS.get(why, ()), ()) for why in get_args(Why)])

_OTHER_QUESTIONS: Mapping[QuestionKind, tuple[str, ...]] = {
    "bid": ("bidding",), "battle-plan": ("plan",), "traitor-call": ("treachery",), "guild-timing": ("timing",),
    "karama-window": ("window",), "ally-support": ("support",), "transfer": ("spice transfer",),
    "revival": ("reviving",), "capture": ("captive",), "offer": ("deal",),
}  # fmt: skip
_PLAIN: Mapping[QuestionKind, str] = {"karama-window": "reaction"}
QUESTION_NAMES: Names[QuestionKind] = Names(
    "question",
    [
        (kind, _PLAIN.get(kind, kind.replace("-", " ")), (kind, *_OTHER_QUESTIONS.get(kind, ())), ())
        for kind in get_args(QuestionKind)
    ],
)

_ME = frozenset({"i", "me", "my", "myself"})


def cards_meant(name: str) -> frozenset[Card]:
    """The cards that a name stands for: one, or all of a sort."""
    return SORTS[cast(CardSort, name)] if name in SORTS else frozenset({Card(name)})


@dataclass(frozen=True, slots=True)
class Measure:
    """A comparison with a number, or with two for "between": ``Measure("between", 2, 4).passes(4)``."""

    operator: Operator
    number: int
    upto: int = 0

    @property
    def bounds(self) -> tuple[int, int | None]:
        """The least and the greatest number that passes; None where there is no greatest."""
        match self.operator:
            case "=":
                return self.number, self.number
            case "<":
                return 0, self.number - 1
            case "<=":
                return 0, self.number
            case ">":
                return self.number + 1, None
            case ">=":
                return self.number, None
            case "between":
                return self.number, self.upto

    def passes(self, value: int) -> bool:
        least, most = self.bounds
        return least <= value and (most is None or value <= most)

    def __str__(self) -> str:
        if self.operator == "between":
            return f"between {self.number} and {self.upto}"
        return f"{self.operator} {self.number}"


@dataclass(frozen=True, slots=True)
class Part:
    """One sort of blank in a condition: what stands for it in a form, how it is read and how it is written."""

    placeholder: str
    read: Callable[[Reading, Node], Any]
    write: Callable[[Any], str]


def _read_faction(reading: Reading, node: Node) -> Faction:
    words = reading.words(node)
    context = reading.context
    if words.text.casefold() in _ME:
        return context.faction
    faction = named(FACTION_NAMES, words, [context.factions - {context.faction}])
    if faction not in context.factions:
        there = tuple(FACTION_NAMES.name(other) for other in FACTION_NAMES.values if other in context.factions)
        raise Misread(say("unread.not-in-play", name=FACTION_NAMES.name(faction)), words.span, there)
    return faction


def _read_leader(reading: Reading, node: Node) -> Leader:
    context = reading.context
    return leader_named(context, reading.words(node), [leaders_of(context.faction)])


def _read_holding(reading: Reading, node: Node) -> str:
    words = reading.words(node)
    for article in _ARTICLES:
        if words.text.casefold().startswith(article):
            start, end = words.span
            words = type(words)(words.text[len(article) :], (start + len(article), end))
            break
    return named(HOLDING_NAMES, words, [frozenset(map(str, reading.context.hand)), frozenset(SORTS)])


def _read_test(reading: Reading, node: Node) -> Measure:
    numbers = map(int, tokens_of(node))
    operator = cast(Operator, {"eq": "=", "lt": "<", "gt": ">", "le": "<=", "ge": ">="}.get(str(node.data), "between"))
    return Measure(operator, *sorted(numbers))


def _name(placeholder: str, names: Names[Any], likely: Callable[[Context], Any] = lambda _: ()) -> Part:
    return Part(
        placeholder,
        lambda reading, node: named(names, reading.words(node), likely(reading.context)),
        names.name,
    )


PARTS: Mapping[str, Part] = {
    "faction": Part("FACTION", _read_faction, FACTION_NAMES.name),
    "other": Part("FACTION", _read_faction, FACTION_NAMES.name),
    "territory": _name("TERRITORY", TERRITORY_NAMES),
    "leader": Part("LEADER", _read_leader, LEADER_NAMES.name),
    "phase": _name("PHASE", PHASE_NAMES),
    "card": _name("CARD", CARD_NAMES, lambda context: [frozenset(context.hand)]),
    "holding": Part("CARD", _read_holding, HOLDING_NAMES.name),
    "kind": _name("KIND", KIND_NAMES),
    "element": _name("leader|weapon|defense|number", ELEMENT_NAMES),
    "asking": _name("QUESTION", QUESTION_NAMES),
    "why": _name("REACTION", WHY_NAMES),
    "test": Part("N", _read_test, str),
}
"""Every sort of blank by the word that stands for it in ``bot.sheets.facts``."""
