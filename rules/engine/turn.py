"""The turn: which stage follows which, and which orders may still wait for their time (AH.V, WBC sequence of play)."""

from __future__ import annotations

from collections.abc import Mapping

from rules.chapters import setup
from rules.components import Faction
from rules.decisions.catalogue import catalogue_of
from rules.decisions.question import Flow
from rules.engine.catalogue import CATALOGUE
from rules.orders import ANSWERS, Order, PhaseName, QuestionKind
from rules.rulesets.refusal import Refusal
from rules.rulesets.ruleset import RuleSet
from rules.state.game import Game
from rules.state.state import State

PHASES: tuple[PhaseName, ...] = tuple(stage.phase for stage in CATALOGUE.stages.values())

QUESTIONS_OF: dict[PhaseName, tuple[QuestionKind, ...]] = {
    "setup": ("prediction", "traitor", "fremen-placement", "bg-placement"),
    "storm": ("storm-dial", "storm-cards"),
    "spice": ("worm-placement", "worm-ride", "nexus"),
    "charity": ("charity",),
    "bidding": ("bid", "ally-support", "card-return"),
    "revival": ("revival",),
    "movement": (
        "bg-status", "guild-timing", "ally-support", "shipment", "advisor", "intrusion", "movement", "revival",
        "worm-ride",
    ),
    "battle": (
        "battle-order", "voice", "prescience", "prescience-answer", "battle-plan", "fremen-support", "traitor-call",
        "losses", "discards", "capture",
    ),
    "collection": ("transfer", "offer"),
    "mentat": (),
    "over": (),
}  # fmt: skip


def opening_state(rules: RuleSet, seats: Mapping[Faction, int]) -> State:
    """The position before the set-up decisions; ``seats`` gives each faction its player dot.

    >>> from rules.rulesets.ruleset import load_rule_set
    >>> opening_state(load_rule_set("ah-basic"), {"guild": 2}).forces
    {'tueks-sietch/5': {'guild': Forces(ordinary=5, elite=0)}}
    """
    return setup.opening_state(rules, seats, CATALOGUE.factions)


def flow(game: Game, phase: PhaseName) -> Flow:
    """The flow of a phase."""
    return catalogue_of(game).stages[phase].flow(game)


def after(game: Game) -> PhaseName:
    """Go on to the phase that follows; after the check for victory the next turn begins (AH.V)."""
    if game.state.phase == "mentat":
        _begin_turn(game.state)
    return next_phase(game.state.phase)


def next_phase(phase: PhaseName) -> PhaseName:
    """The phase that comes next while nobody has won: after the check for victory the storm of the next turn."""
    order: list[PhaseName] = list(PHASES)
    return "storm" if phase == "mentat" else order[order.index(phase) + 1]


def _begin_turn(state: State) -> None:
    """A new turn: leaders and the Kwisatz Haderach are free again for its battles (AH.X.C.8-a, WBC.XV.3)."""
    state.turn += 1
    state.elite_revived = []
    state.offers = []
    state.promises = [promise for promise in state.promises if promise.scope.last_turn >= state.turn]
    for standing in state.leaders.values():
        standing.fought_in = None
        standing.sits_out = False
    if state.kwisatz_haderach == "used":
        state.kwisatz_haderach = "ready"


def still_to_come(game: Game, faction: Faction, order: Order) -> Refusal | None:
    """Whether an order can wait for a decision later in this phase; if not, why not."""
    phase = game.state.phase
    kinds = ANSWERS.get(type(order), ())
    if phase not in PHASES:
        return Refusal("The game is over.", "AH.V-a")
    if not any(kind in QUESTIONS_OF[phase] for kind in kinds):
        when = next((name for name, asked in QUESTIONS_OF.items() if any(kind in asked for kind in kinds)), None)
        if when is None:
            return Refusal("Nobody is asking that now.", "AH.V-b")
        where = "at a nexus, in" if "nexus" in kinds else "in"
        return Refusal(f"This is the {phase} phase; that is decided {where} the {when} phase.", "AH.V-b")
    return _refusal_ahead(game, faction, order)


def _refusal_ahead(game: Game, faction: Faction, order: Order) -> Refusal | None:
    """Why no decision of this stage could take the order later; None where one could."""
    stage = catalogue_of(game).stages[game.state.phase]
    if stage.refusal_ahead:
        return stage.refusal_ahead(game, faction, order)
    kinds = ANSWERS.get(type(order), ())
    refusal: Refusal | None = Refusal("Nobody is asking that now.", "AH.V-b")
    for question in stage.questions:
        if question.kind in kinds and (not question.takes or isinstance(order, question.takes)):
            refusal = question.refusal_ahead(game, faction, order)
            if refusal is None:
                return None
    return refusal
