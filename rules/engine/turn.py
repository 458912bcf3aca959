"""The turn: the sequence of its phases (AH.V, WBC sequence of play), and the orders that can still wait for a later
decision.

The rule set's file lists the stages of a turn, and the catalogue defines each stage. The stages of one phase follow one
another. A gap in which cards may be played is a stage of its own, and belongs to the phase that it begins or ends. The
engine runs all stages of a phase as one flow, so that a snapshot is needed only at the start of a phase.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache

from rules.chapters import battle_leaders, setup
from rules.components import Faction
from rules.decisions.catalogue import Stage, catalogue_in, play_gap
from rules.decisions.early_orders import never_asked
from rules.decisions.question import Flow, Question
from rules.orders import ANSWERS, Order, PhaseName, QuestionKind
from rules.rulesets.rulebook import Refusal
from rules.rulesets.ruleset import RuleSet
from rules.state.game import Game
from rules.state.state import State


def opening_state(rules: RuleSet, seats: Mapping[Faction, int]) -> State:
    """Return the position before the decisions of the set-up. ``seats`` gives the player dot of each faction.

    >>> from rules.engine.catalogue import load_rule_set
    >>> opening_state(load_rule_set("ah-basic"), {"guild": 2}).forces
    {'tueks-sietch/5': {'guild': Forces(ordinary=5, elite=0)}}
    """
    return setup.opening_state(rules, seats, catalogue_in(rules).factions)


@cache
def stages(rules: RuleSet) -> Mapping[PhaseName, Sequence[Stage]]:
    """Return the phases of a rule set in order, each with its stages in order. The phases before the first turn are
    included."""
    known = catalogue_in(rules).stages
    found: dict[PhaseName, list[Stage]] = {}
    for name in (*rules.opening, *rules.sequence):
        found.setdefault(known[name].phase, []).append(known[name])
    return found


@cache
def phases(rules: RuleSet) -> tuple[PhaseName, ...]:
    return tuple(stages(rules))


@cache
def questions_of(rules: RuleSet) -> Mapping[PhaseName, tuple[QuestionKind, ...]]:
    return {
        phase: tuple(dict.fromkeys(question.kind for question in _asked_in(rules, of_phase)))
        for phase, of_phase in stages(rules).items()
    }


def _asked_in(rules: RuleSet, of_phase: Sequence[Stage]) -> list[type[Question]]:
    return [question for stage in of_phase for question in stage.questions if question.exists_in(rules)]


def flow(game: Game, phase: PhaseName) -> Flow:
    yield from play_gap(game, "a phase begins")
    for stage in stages(game.rules)[phase]:
        yield from stage.flow(game)
    yield from play_gap(game, "a phase ends")


def after(game: Game) -> PhaseName:
    """Make the next phase the current one. After the last phase of a turn, the next turn begins (AH.V)."""
    rules, phase, order = game.rules, game.state.phase, phases(game.rules)
    if phase == order[-1]:
        _begin_turn(game.state)
    return _next_in(order, rules, phase)


def next_phase(rules: RuleSet, phase: PhaseName) -> PhaseName:
    """Return the phase that follows if nobody has won. After the last phase of a turn comes the first phase of the next
    turn."""
    return _next_in(phases(rules), rules, phase)


def _next_in(order: Sequence[PhaseName], rules: RuleSet, phase: PhaseName) -> PhaseName:
    if phase == order[-1]:
        return catalogue_in(rules).stages[rules.sequence[0]].phase
    return order[order.index(phase) + 1]


def _begin_turn(state: State) -> None:
    """Begin the next turn: drop everything that applied only to earlier turns, and let leaders and the Kwisatz Haderach
    fight again (AH.X.C.8-a, WBC.XV.3)."""
    state.turn += 1
    state.elite_revived = []
    state.revived = {}
    state.forfeits = {faction: turn for faction, turn in state.forfeits.items() if turn >= state.turn}
    state.offers = []
    state.promises = [promise for promise in state.promises if promise.scope.last_turn >= state.turn]
    for standing in state.leaders.values():
        standing.fought_in = None
        standing.sits_out = False
    battle_leaders.wake_haderach(state)


def refusal_between_stops(game: Game) -> Refusal:
    if game.state.phase == "over":
        return Refusal("The game is over.", "")
    return Refusal("Nothing is being decided now.", "turn.one-phase-at-a-time")


def refusal_ahead(game: Game, faction: Faction, order: Order) -> Refusal | None:
    phase, asked = game.state.phase, questions_of(game.rules)
    kinds = ANSWERS.get(type(order), ())
    if not any(kind in asked[phase] for kind in kinds):
        when = next((name for name, of_phase in asked.items() if any(kind in of_phase for kind in kinds)), None)
        if when is None:
            return Refusal("Nobody is asking that now.", "turn.one-phase-at-a-time")
        if stranger := never_asked(game, faction, kinds):
            return stranger
        where = "at a nexus, in" if "nexus" in kinds else "in"
        why = f"This is the {phase} phase; that is decided {where} the {when} phase."
        return Refusal(why, "turn.one-phase-at-a-time")
    refusal: Refusal | None = Refusal("Nobody is asking that now.", "turn.one-phase-at-a-time")
    for question in _asked_in(game.rules, stages(game.rules)[phase]):
        if question.kind in kinds and (not question.takes or isinstance(order, question.takes)):
            refusal = question.refusal_ahead(game, faction, order)
            if refusal is None:
                return None
    return refusal


def doubt_ahead(game: Game, faction: Faction, order: Order) -> Refusal | None:
    asked = _asked_in(game.rules, stages(game.rules)[game.state.phase])
    doubts = (kind.doubt_ahead(game, faction, order) for kind in asked if kind.kind in ANSWERS.get(type(order), ()))
    return next((doubt for doubt in doubts if doubt), None)
