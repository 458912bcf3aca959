"""Orders sent ahead of their time, or filed in a sheet: what they can never be, and which of them replaces which.

The position cannot judge such an order, because it will be another when the order acts. ``never_legal`` judges what no
position can make right: the Voice belongs in every position to whoever has that power, and nobody ever has more than
their twenty tokens (AH.II.B.1-b). The modules of the factions say which decisions and Karama effects are a faction's
own; the classes of questions and the cards say the rest.

``not_in_this_game`` refuses an order that names a faction, leader, card or territory of an expansion that is not
played. It applies to every order, whatever is being decided, before anything else is checked (IT.GEN.1, IT.HMS.30).

A held order waits for a decision later in the phase. A later message replaces what an earlier one said about the same
decision; the lines of one message that can all be meant are all kept.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache, lru_cache
from typing import Any, Literal, get_args, get_origin, get_type_hints

from rules.components import CARDS, FACTION_FACTS, LEADERS, Faction, Forces
from rules.components.board import MOBILE_STRONGHOLD, TERRITORIES, territory_of
from rules.decisions.catalogue import catalogue_of, rules_of
from rules.decisions.question import Question
from rules.orders import (
    ANSWERS,
    Amal,
    AskForLeader,
    EndGame,
    Exchange,
    FeedAlly,
    Ghola,
    Hajr,
    Harvester,
    Karama,
    Lose,
    Move,
    NamePrice,
    NoDancer,
    NoExchange,
    NoPoisonTooth,
    NoPrice,
    NoRedraw,
    NoRequest,
    NoRevival,
    NoSwap,
    NoSwapAll,
    Order,
    PlayOn,
    PutBack,
    QuestionKind,
    RaiseLimits,
    Redraw,
    Replace,
    RevealDancer,
    Revive,
    ReviveKwisatzHaderach,
    ReviveLeader,
    Ride,
    Ship,
    SpareAlly,
    StartWith,
    StrongholdAt,
    StrongholdStays,
    StrongholdTo,
    Swap,
    SwapDancer,
    TakeToken,
    Thumper,
    UsePoisonTooth,
    Voice,
)
from rules.rulesets.refusal import Refusal
from rules.rulesets.ruleset import expansion_of, not_in_box
from rules.state.game import Game


def never_legal(game: Game, faction: Faction, order: Order) -> Refusal | None:
    """Why the faction can never send the order with effect, whatever the position; None where it may come to that."""
    if refusal := not_in_this_game(game, order) or _more_than_all(faction, _forces_of(order)):
        return refusal
    if play := catalogue_of(game).plays.get(type(order)):
        return play.never_legal(game, faction, order)
    refusal = None
    for kind in ANSWERS.get(type(order), ()):
        for question in _questions_of(game, kind):
            if question.takes and not isinstance(order, question.takes):
                continue
            refusal = not_theirs(game, faction, question) or question.never_legal(game, faction, order)
            if refusal is None:
                return None
    return refusal


def not_theirs(game: Game, faction: Faction, question: type[Question]) -> Refusal | None:
    """Why the faction is never asked this kind of decision, which is the business of others; None where it may be."""
    if question.only_refusal is None or question in rules_of(game, faction).own_questions:
        return None
    return question.only_refusal


def may_be_asked(game: Game, faction: Faction, kind: QuestionKind) -> bool:
    """Whether the faction is ever asked questions of this kind."""
    questions = list(_questions_of(game, kind))
    return not questions or any(not_theirs(game, faction, question) is None for question in questions)


def never_asked(game: Game, faction: Faction, kinds: Sequence[QuestionKind]) -> Refusal | None:
    """Why the faction is never asked questions of any of these kinds; None where it may be."""
    refusal = None
    for kind in kinds:
        for question in _questions_of(game, kind):
            refusal = not_theirs(game, faction, question)
            if refusal is None:
                return None
    return refusal


def _questions_of(game: Game, kind: QuestionKind) -> Iterator[type[Question]]:
    for stage in catalogue_of(game).stages.values():
        for question in stage.questions:
            if question.kind == kind and question.exists_in(game.rules):
                yield question


def _forces_of(order: Order) -> Forces | None:
    """The tokens that an order is for."""
    match order:
        case Hajr(move):
            return move.forces
        case Ship() | Move() | Ride() | Revive() | Lose() | Ghola() | Karama():
            return order.forces
    return None


def _more_than_all(faction: Faction, forces: Forces | None) -> Refusal | None:
    """Whether these are more tokens than the faction has in all."""
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
    if name in not_in_box(game.rules):
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


def orders_still_held(game: Game, faction: Faction, order: Order, of_this_message: Sequence[Order]) -> list[Order]:
    """The faction's held orders that go on to wait when this one is held too. ``of_this_message`` are those that came
    in the same message."""
    return [
        other
        for other in game.held.get(faction, ())
        if not replaces_order(order, other)
        or (other in of_this_message and stand_together(order, other))
        or _both_come_back(game, faction, order, other)
    ]


def replaces_order(later: Order, earlier: Order) -> bool:
    """Whether two held orders are for the same decision. "no ride", "no voice" and "no revival" are for all of their
    kind."""
    if _decision(later) != _decision(earlier):
        return False
    one, other = _about(later), _about(earlier)
    return one == other or None in (one, other)


def stand_together(later: Order, earlier: Order) -> bool:
    """Whether both lines of one message are meant: several groups may ride the same worm."""
    return later != earlier and isinstance(later, Ride) and isinstance(earlier, Ride)


def _both_come_back(game: Game, faction: Faction, later: Order, earlier: Order) -> bool:
    """Whether two orders about revival are meant together, in whatever messages they came: leaders where the
    faction may have several back, and a leader where no tokens are wanted."""
    if not isinstance(later, ReviveLeader | ReviveKwisatzHaderach) or later == earlier:
        return False
    if isinstance(earlier, NoRevival):
        return game.state.phase == "revival" and not game.moments.tokens_are_back
    return rules_of(game, faction).revives_leaders_at_will(game)


def _decision(order: Order) -> tuple[object, ...]:
    kinds = ANSWERS.get(type(order), ())
    if isinstance(order, SpareAlly | FeedAlly):
        return (kinds, "ally")
    return (kinds, type(order) if kinds in (("nexus",), ("transfer",)) or isinstance(order, Hajr) else None)


def _about(order: Order) -> str | None:
    """Which of several decisions of a kind is meant: the worm by where it is, the Voice by whom it speaks to, the
    revival by what comes back."""
    match order:
        case Revive():
            return "tokens"
        case ReviveLeader() | ReviveKwisatzHaderach():
            return "leaders"
        case Ride():
            return territory_of(order.source)
        case Voice():
            return order.faction
    return getattr(order, "territory", None)
