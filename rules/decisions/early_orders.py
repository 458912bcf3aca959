"""Orders sent ahead or filed in a sheet: refusals of orders that can never be legal, and replacement of earlier orders.

Such an order cannot be checked against the current position, because the position will have changed when the order
takes effect. ``never_legal`` refuses orders that are illegal in every position: for example, only a faction with the
Voice can ever use it, and no faction has more than twenty tokens (AH.II.B.1-b). Decisions and Karama effects that
belong to one faction are listed in its module; the other checks are in the classes of questions and in the modules of
the cards.

``not_in_this_game`` refuses an order that names a faction, leader, card or territory of an expansion that is not in
play. It applies to every order, at every decision, before all other checks (IT.GEN.1, IT.HMS.30).

A held order waits for a later decision in the same phase. A new message replaces earlier lines about the same decision.
Lines of the same message are all kept if they can all apply.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache, lru_cache
from typing import Any, Literal, get_args, get_origin, get_type_hints

from rules import orders as o
from rules.components import CARDS, FACTION_FACTS, LEADERS, Faction, Forces
from rules.components.board import MOBILE_STRONGHOLD, TERRITORIES, territory_of
from rules.decisions.catalogue import catalogue_of, rules_of
from rules.decisions.question import Question
from rules.rulesets.rulebook import Refusal
from rules.rulesets.ruleset import expansion_of, not_in_box
from rules.state.game import Game


def never_legal(game: Game, faction: Faction, order: o.Order) -> Refusal | None:
    if refusal := not_in_this_game(game, order) or _more_than_all(faction, _forces_of(order)):
        return refusal
    if play := catalogue_of(game).plays.get(type(order)):
        return play.never_legal(game, faction, order)
    refusal = None
    for kind in o.ANSWERS.get(type(order), ()):
        for question in _questions_of(game, kind):
            if question.takes and not isinstance(order, question.takes):
                continue
            refusal = not_theirs(game, faction, question) or question.never_legal(game, faction, order)
            if refusal is None:
                return None
    return refusal


def not_theirs(game: Game, faction: Faction, question: type[Question]) -> Refusal | None:
    if question.only_refusal is None or question in rules_of(game, faction).own_questions:
        return None
    return question.only_refusal


def may_be_asked(game: Game, faction: Faction, kind: o.QuestionKind) -> bool:
    questions = list(_questions_of(game, kind))
    return not questions or any(not_theirs(game, faction, question) is None for question in questions)


def never_asked(game: Game, faction: Faction, kinds: Sequence[o.QuestionKind]) -> Refusal | None:
    refusal = None
    for kind in kinds:
        for question in _questions_of(game, kind):
            refusal = not_theirs(game, faction, question)
            if refusal is None:
                return None
    return refusal


def _questions_of(game: Game, kind: o.QuestionKind) -> Iterator[type[Question]]:
    for stage in catalogue_of(game).stages.values():
        for question in stage.questions:
            if question.kind == kind and question.exists_in(game.rules):
                yield question


def _forces_of(order: o.Order) -> Forces | None:
    match order:
        case o.Hajr(move):
            return move.forces
        case o.Ship() | o.Move() | o.Ride() | o.Revive() | o.Lose() | o.Ghola() | o.Karama():
            return order.forces
    return None


def _more_than_all(faction: Faction, forces: Forces | None) -> Refusal | None:
    own = FACTION_FACTS[faction]
    if forces is None:
        return None
    if forces.total > own.forces.total:
        return Refusal(f"You have {own.forces.total} tokens in all.", "tokens.in-all")
    if forces.elite > own.elite:
        has = own.elite_tokens(own.elite) if own.elite else "no elite tokens"
        return Refusal(f"You have {has} in all.", "tokens.in-all")
    return None


_MOBILE = territory_of(MOBILE_STRONGHOLD)
_IN_OWN_WORDS = ("text", "question")
"""The fields of orders that contain what players say to each other."""
_OF_EXPANSIONS = frozenset(
    {
        *(id for id, facts in FACTION_FACTS.items() if facts.expansion),
        *(leader for leader, facts in LEADERS.items() if FACTION_FACTS[facts.faction].expansion),
        *(card for card, facts in CARDS.items() if not facts.count),
        _MOBILE,
    }
)
"""Everything that only an expansion contains."""


def not_in_this_game(game: Game, order: o.Order) -> Refusal | None:
    """Return a refusal if an order names something that is not in the box of this game, else None. Free text of
    players, and the question of a Truthtrance, may name anything."""
    if type(order) in _ONLY_WITH_AN_EXPANSION and not expansion_of(game.rules):
        return Refusal("That is not in this game; it belongs to an expansion.", "box.not-in-this-game")
    for name in _names_in(order):
        if refusal := _refuse(game, name):
            return refusal
    return None


_ONLY_WITH_AN_EXPANSION: frozenset[type[o.Order]] = frozenset(
    {
        o.StartWith,
        o.StrongholdAt,
        o.StrongholdTo,
        o.StrongholdStays,
        o.PutBack,
        o.Swap,
        o.NoSwap,
        o.NoSwapAll,
        o.Redraw,
        o.NoRedraw,
        o.Exchange,
        o.NoExchange,
        o.RaiseLimits,
        o.AskForLeader,
        o.NoRequest,
        o.NamePrice,
        o.NoPrice,
        o.RevealDancer,
        o.NoDancer,
        o.Replace,
        o.SwapDancer,
        o.UsePoisonTooth,
        o.NoPoisonTooth,
        o.TakeToken,
        o.Thumper,
        o.Harvester,
        o.Amal,
        o.EndGame,
        o.PlayOn,
    }
)
"""Orders that exist only with an expansion."""


def _refuse(game: Game, name: str) -> Refusal | None:
    if name in not_in_box(game.rules):
        printed = FACTION_FACTS[name].name if name in FACTION_FACTS else name
        return Refusal(f"{printed}: that is not in this game; it belongs to an expansion.", "box.not-in-this-game")
    owner = TERRITORIES[_MOBILE].owner
    if name == _MOBILE and not game.plays(owner):
        why = f"{TERRITORIES[_MOBILE].name} is only in games with {FACTION_FACTS[owner].name}."
        return Refusal(why, "box.no-mobile-stronghold")
    return None


@lru_cache(maxsize=4096)
def _names_in(order: o.Order) -> tuple[str, ...]:
    return tuple(_names(order))


def _names(part: object) -> Iterator[str]:
    if isinstance(part, str):
        if part in _OF_EXPANSIONS:
            yield part
    elif isinstance(part, o.Order):
        for field in _fields_with_names(type(part)):
            yield from _names(getattr(part, field))
    elif isinstance(part, tuple):
        for value in part:
            yield from _names(value)


@cache
def _fields_with_names(form: type[o.Order]) -> tuple[str, ...]:
    hints = get_type_hints(form)
    return tuple(field for field in form.__struct_fields__ if field not in _IN_OWN_WORDS and _may_name(hints[field]))


def _may_name(hint: Any) -> bool:
    if get_origin(hint) is Literal:
        return False
    if parts := get_args(hint):
        return any(map(_may_name, parts))
    meant = getattr(hint, "__supertype__", hint)
    return meant is str or (isinstance(meant, type) and issubclass(meant, o.Order))


def orders_still_held(
    game: Game, faction: Faction, order: o.Order, of_this_message: Sequence[o.Order]
) -> list[o.Order]:
    return [
        other
        for other in game.held.get(faction, ())
        if not replaces_order(order, other)
        or (other in of_this_message and stand_together(order, other))
        or _both_come_back(game, faction, order, other)
    ]


def replaces_order(later: o.Order, earlier: o.Order) -> bool:
    """Return whether the later of two held orders replaces the earlier one, because both are for the same decision. "no
    ride", "no voice" and "no revival" each replace every earlier order about riding, the Voice or revival."""
    if _decision(later) != _decision(earlier):
        return False
    one, other = _about(later), _about(earlier)
    return one == other or None in (one, other)


def stand_together(later: o.Order, earlier: o.Order) -> bool:
    return later != earlier and isinstance(later, o.Ride) and isinstance(earlier, o.Ride)


def _both_come_back(game: Game, faction: Faction, later: o.Order, earlier: o.Order) -> bool:
    """Return whether two orders about revival both apply, even if they come from different messages. Two orders for
    leaders both apply if the faction may revive several leaders. An order for a leader also applies together with an
    order not to revive tokens."""
    if not isinstance(later, o.ReviveLeader | o.ReviveKwisatzHaderach) or later == earlier:
        return False
    if isinstance(earlier, o.NoRevival):
        return game.state.phase == "revival" and not game.moments.tokens_are_back
    return rules_of(game, faction).revives_leaders_at_will(game)


def _decision(order: o.Order) -> tuple[object, ...]:
    kinds = o.ANSWERS.get(type(order), ())
    if isinstance(order, o.SpareAlly | o.FeedAlly):
        return (kinds, "ally")
    return (kinds, type(order) if kinds in (("nexus",), ("transfer",)) or isinstance(order, o.Hajr) else None)


def _about(order: o.Order) -> str | None:
    match order:
        case o.Revive():
            return "tokens"
        case o.ReviveLeader() | o.ReviveKwisatzHaderach():
            return "leaders"
        case o.Ride():
            return territory_of(order.source)
        case o.Voice():
            return order.faction
    return getattr(order, "territory", None)
