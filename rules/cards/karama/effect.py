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
    """``check`` says why the effect is not to be had now (the card itself is looked at elsewhere); ``play`` brings
    it about. ``spent_later``: the card is only meant, and spent when what it is meant for comes about. ``unseen`` is
    whether that moment is still to come, so that nobody else may notice the play. ``never_legal`` says what of the
    order is wrong in every position."""

    check: Callable[[Game, Faction, Karama], Refusal | None]
    play: Callable[[Game, Faction, Karama], Flow]
    spent_later: bool = False
    unseen: Callable[[Game], bool] = lambda game: False
    never_legal: Callable[[Game, Faction, Karama], Refusal | None] = lambda game, faction, order: None
