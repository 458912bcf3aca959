"""What a Karama can do: the form that all effects share."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from rules.components import Faction
from rules.decisions.question import Flow
from rules.orders import Karama
from rules.rulesets.refusal import Refusal
from rules.state.game import Game


@dataclass(frozen=True, slots=True)
class Effect:
    """``check`` says why the effect is not to be had now (the card itself is looked at elsewhere); ``play`` brings it
    about. ``spent_later``: the card is only announced, and discarded when what it was announced for comes about.
    ``unseen`` is whether that moment is still to come, so that nobody else may notice the play. ``only_refusal`` is
    what those are told who have not this power, which the room of a faction lists among its own (AH.XVII.A); None where
    the effect is everybody's. ``never_legal`` says what else of the order is wrong in every position."""

    check: Callable[[Game, Faction, Karama], Refusal | None]
    play: Callable[[Game, Faction, Karama], Flow]
    spent_later: bool = False
    unseen: Callable[[Game], bool] = lambda game: False
    only_refusal: Refusal | None = None
    never_legal: Callable[[Game, Faction, Karama], Refusal | None] = lambda game, faction, order: None
