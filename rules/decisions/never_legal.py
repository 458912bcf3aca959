"""What an order sent ahead of its time, or filed in a sheet, can never be right from this faction.

Such an order cannot be judged by the position, which will be another when it acts. What it says of who decides can, and
what no position can make right: the Voice belongs to who has that power in every position, and nobody ever has more
than their twenty tokens (AH.II.B.1-b). Which decisions and effects of a Karama are a faction's own, its room says; the
rest is said by the classes of questions and by the cards.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rules.components import FACTION_FACTS, Faction, Forces
from rules.decisions.box import not_in_this_game
from rules.decisions.catalogue import catalogue_of, rules_of
from rules.decisions.question import Question
from rules.orders import ANSWERS, Ghola, Hajr, Karama, Lose, Move, Order, QuestionKind, Revive, Ride, Ship
from rules.rulesets.refusal import Refusal
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
