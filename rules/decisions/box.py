"""What an order names that is not in this game: a faction, a leader, a card or a territory of an expansion that is not
played. Such an order is refused whatever is being decided, before anything is looked at (IT.GEN.1, IT.HMS.30)."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache, lru_cache
from typing import Any, Literal, get_args, get_origin, get_type_hints

from rules.components import CARDS, FACTION_FACTS, LEADERS
from rules.components.board import MOBILE_STRONGHOLD, TERRITORIES, territory_of
from rules.orders import (
    Amal,
    AskForLeader,
    EndGame,
    Exchange,
    Harvester,
    NamePrice,
    NoDancer,
    NoExchange,
    NoPoisonTooth,
    NoPrice,
    NoRedraw,
    NoRequest,
    NoSwap,
    NoSwapAll,
    Order,
    PlayOn,
    PutBack,
    RaiseLimits,
    Redraw,
    Replace,
    RevealDancer,
    StartWith,
    StrongholdAt,
    StrongholdStays,
    StrongholdTo,
    Swap,
    SwapDancer,
    TakeToken,
    Thumper,
    UsePoisonTooth,
)  # fmt: skip
from rules.rulesets.box import expansion_of, not_in
from rules.rulesets.refusal import Refusal
from rules.state.game import Game

_MOBILE = territory_of(MOBILE_STRONGHOLD)
_IN_OWN_WORDS = ("text", "question")
"""Fields of orders that hold what a player says to others."""
_OF_EXPANSIONS = frozenset(
    {
        *(id for id, facts in FACTION_FACTS.items() if facts.expansion),
        *(leader for leader, facts in LEADERS.items() if FACTION_FACTS[facts.faction].expansion),
        *(card for card, facts in CARDS.items() if not facts.count),
        _MOBILE,
    }
)
"""Everything that is not in every box."""


def not_in_this_game(game: Game, order: Order) -> Refusal | None:
    """Why the order cannot be right in this game: it names what its box does not hold; None where it does not.

    What a player says in words of their own, and what a Truthtrance asks, may speak of anything.
    """
    if type(order) in _ONLY_WITH_AN_EXPANSION and not expansion_of(game.rules):
        return Refusal("That is not in this game; it belongs to an expansion.", "box.not-in-this-game")
    for name in _names_in(order):
        if refusal := _refuse(game, name):
            return refusal
    return None


_ONLY_WITH_AN_EXPANSION: frozenset[type[Order]] = frozenset({
    StartWith, StrongholdAt, StrongholdTo, StrongholdStays, PutBack, Swap, NoSwap, NoSwapAll, Redraw, NoRedraw,
    Exchange, NoExchange, RaiseLimits, AskForLeader, NoRequest, NamePrice, NoPrice, RevealDancer, NoDancer, Replace,
    SwapDancer, UsePoisonTooth, NoPoisonTooth, TakeToken, Thumper, Harvester, Amal, EndGame, PlayOn,
})  # fmt: skip
"""Orders of which the documents speak only with an expansion."""


def _refuse(game: Game, name: str) -> Refusal | None:
    if name in not_in(game.rules):
        printed = FACTION_FACTS[name].name if name in FACTION_FACTS else name
        return Refusal(f"{printed}: that is not in this game; it belongs to an expansion.", "box.not-in-this-game")
    owner = TERRITORIES[_MOBILE].owner
    if name == _MOBILE and not game.plays(owner):
        why = f"{TERRITORIES[_MOBILE].name}: it is in no game without {FACTION_FACTS[owner].name}."
        return Refusal(why, "box.no-mobile-stronghold")
    return None


@lru_cache(maxsize=4096)
def _names_in(order: Order) -> tuple[str, ...]:
    """The names in an order that may be an expansion's. It is asked for every order, and the same ones come again."""
    return tuple(_names(order))


def _names(part: object) -> Iterator[str]:
    """The names in a part of an order that may be an expansion's."""
    if isinstance(part, str):
        if part in _OF_EXPANSIONS:
            yield part
    elif isinstance(part, Order):
        for field in _fields_with_names(type(part)):
            yield from _names(getattr(part, field))
    elif isinstance(part, tuple):
        for value in part:
            yield from _names(value)


@cache
def _fields_with_names(form: type[Order]) -> tuple[str, ...]:
    """The fields of a form of order that can name something."""
    hints = get_type_hints(form)
    return tuple(field for field in form.__struct_fields__ if field not in _IN_OWN_WORDS and _may_name(hints[field]))


def _may_name(hint: Any) -> bool:
    """Whether a value of this type is a name, or may hold one; one of a few fixed words is none."""
    if get_origin(hint) is Literal:
        return False
    if parts := get_args(hint):
        return any(map(_may_name, parts))
    meant = getattr(hint, "__supertype__", hint)
    return meant is str or (isinstance(meant, type) and issubclass(meant, Order))
