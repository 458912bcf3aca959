"""Conditions of deals: written in the language of sheets, about what everybody can see.

A sheet may ask what its player alone knows; a deal cannot, as nobody could say whether its condition has come. So a
fact of a sheet is taken for a deal where the rules have a name for it (``rules.orders.conditions``), and refused
otherwise.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from bot.orders.blanks import Misread
from bot.orders.context import Context
from bot.sheets.condition_reading import Unfit, read_condition
from bot.sheets.conditions import (
    AllOf,
    AnyOf,
    Comparison,
    Condition,
    Fact,
    Negation,
    write_condition,
)
from bot.sheets.facts import FACTS
from bot.wording.sentences import say
from rules.components import Faction
from rules.orders import conditions as of_deals
from rules.orders.conditions import FactName, PublicFact

PUBLIC: Mapping[str, FactName] = {
    "turn {test}": "turn",
    "phase {phase}": "phase",
    "storm {test}": "storm",
    "worms {test}": "worms",
    "{territory} is destroyed": "wall-destroyed",
    "tokens of {faction} in {territory} {test}": "tokens",
    "{faction} is in {territory}": "stands-in",
    "{territory} is empty": "empty",
    "spice in {territory} {test}": "spice-in",
    "{faction} has {test} strongholds": "strongholds",
    "tanks of {faction} {test}": "tanks",
    "{leader} is dead": "dead",
    "{faction} is allied": "allied",
    "{faction} is allied with {other}": "allied-with",
    "{faction} has ornithopters": "ornithopters",
    "{faction} has {test} cards": "hand-count",
    "{card} is discarded": "discarded",
    "{faction} is fighting": "fighting",
    "{faction} is fighting {other}": "fighting-with",
    "battle in {territory}": "battle-in",
    "{faction} is attacking": "attacking",
    "{faction} is defending": "defending",
    "{faction} has bought a_card": "has-bought",
    "{faction} has bought {test} cards": "bought",
    "{faction} has broken an_alliance": "broke-alliance",
    "{faction} has taken charity": "charity",
    "{faction} has played {card}": "played",
    "nexus": "nexus",
    "worm appeared": "worm",
    "worm appeared in {territory}": "worm-in",
    "{faction} has shipped": "shipped",
    "{faction} has shipped to {territory}": "shipped-to",
    "{faction} has shipped {test} tokens": "tokens-shipped",
    "{faction} has shipped {test} to {territory}": "tokens-shipped-to",
    "{faction} has moved": "moved",
    "{faction} has moved to {territory}": "moved-to",
    "after {faction}": "past-move",
    "after shipment of {faction}": "past-shipment",
    "{faction} has won {test} battles": "battles-won",
    "{faction} has won in {territory}": "won-in",
    "{faction} has lost in {territory}": "lost-in",
    "{faction} was asked": "asked",
    "{faction} answered yes": "answered-yes",
    "{faction} answered no": "answered-no",
    "{faction} answered unknown": "answered-unknown",
}
"""The facts of sheets that a deal can ask for, by how they are written, and the rules' name for each."""

OF_ONESELF: Mapping[str, FactName] = {
    "tokens in {territory} {test}": "tokens",
    "tanks {test}": "tanks",
    "allied with {faction}": "allied-with",
    "fighting {faction}": "fighting-with",
    "attacking": "attacking",
    "defending": "defending",
}
"""Those that a player writes of themselves without their name."""


def read_deal_condition(text: str, context: Context) -> of_deals.Condition:
    """The condition of a deal that a text says. Misread, about the whole text, if it says none, or asks for what not
    everybody can see."""
    read = read_condition(text, context)
    if isinstance(read, Unfit):
        raise Misread(read.reason, (0, len(text)), tuple(map(write_condition, read.instead)))
    return _public(read, context.faction)


def public_forms() -> list[str]:
    """Everything that a condition of a deal can ask for: ["turn N", "phase PHASE", …]."""
    return [form.with_placeholders() for form in FACTS if form.pattern in PUBLIC]


def _public(condition: Condition, me: Faction) -> of_deals.Condition:
    match condition:
        case Fact(args=args):
            return PublicFact(*_named(condition, args, me))
        case Comparison(args=args, test=test):
            least, most = test.bounds
            return PublicFact(*_named(condition, args, me), least, most)
        case Negation(part):
            return of_deals.NotSo(_public(part, me))
        case AllOf(parts):
            return of_deals.EachOf(tuple(_public(part, me) for part in parts))
        case AnyOf(parts):
            return of_deals.OneOf(tuple(_public(part, me) for part in parts))
    raise TypeError(f"{condition} is no condition")


def _named(fact: Fact | Comparison, args: tuple[Any, ...], me: Faction) -> tuple[FactName, tuple[str, ...]]:
    pattern = fact.form.pattern
    if name := OF_ONESELF.get(pattern):
        return name, (me, *map(str, args))
    if pattern not in PUBLIC:
        raise Misread(say("unread.not-public", condition=write_condition(fact)), (0, 0))
    return PUBLIC[pattern], () if PUBLIC[pattern] == "wall-destroyed" else tuple(map(str, args))
