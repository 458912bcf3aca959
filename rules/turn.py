"""The turn: which phase follows which, and where each is played (AH.V, WBC sequence of play).

Each phase module has ``flow(game)``, the story of the phase, and ``still_to_come(game, faction, order)``, which says
whether an order of the right kind could still answer a question of this faction later in the phase (None: it is
held) or why not.
"""

from __future__ import annotations

from types import ModuleType

from rules import promises
from rules.components import Faction
from rules.game import Game
from rules.orders import ANSWERS, Order, PhaseName, QuestionKind
from rules.phases import battle, bidding, charity, collection, movement, revival, setup, spice, storm, victory
from rules.phases.setup import opening_state
from rules.questions import Flow
from rules.refusal import Refusal
from rules.state import State

__all__ = ["PHASES", "after", "flow", "opening_state", "still_to_come"]

PHASES: dict[PhaseName, ModuleType] = {
    "setup": setup,
    "storm": storm,
    "spice": spice,
    "charity": charity,
    "bidding": bidding,
    "revival": revival,
    "movement": movement,
    "battle": battle,
    "collection": collection,
    "mentat": victory,
}

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


def flow(game: Game, phase: PhaseName) -> Flow:
    """The flow of a phase."""
    yield from PHASES[phase].flow(game)
    if phase == "collection" and game.state.promises:
        yield from promises.last_call(game)


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
    refusal: Refusal | None = PHASES[phase].still_to_come(game, faction, order)
    return refusal
