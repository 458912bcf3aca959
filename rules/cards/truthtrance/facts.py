"""Questions about facts that the engine knows (AH.AID.TIMED.1-b): what is held, who is paid, predicted, how much spice.

Known are "do you hold CARD?" (also a kind of card, or several joined with "or"), "is LEADER your traitor?", "did you
predict FACTION?", "is your spice at least N?".
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from rules.cards.truthtrance import naming
from rules.components import Faction
from rules.state.game import Game


def truth(game: Game, target: Faction, question: str) -> bool | None:
    """The true answer where the question is about a fact that the engine knows; None for any other question."""
    words = naming.folded(question)
    for pattern, answer in _FORMS:
        match = pattern.fullmatch(words)
        if match:
            return answer(game, target, match[1])
    return None


def _holds(game: Game, target: Faction, words: str) -> bool | None:
    cards = naming.cards(words)
    return None if cards is None else not cards.isdisjoint(game.player(target).hand)


def _pays(game: Game, target: Faction, words: str) -> bool | None:
    leaders = naming.leaders(words)
    return None if leaders is None else not leaders.isdisjoint(game.player(target).traitors)


def _predicted(game: Game, target: Faction, words: str) -> bool | None:
    faction = naming.faction(words)
    if faction is None:
        return None
    prediction = game.state.prediction
    return target == "bene-gesserit" and prediction is not None and prediction.faction == faction


def _has_spice(game: Game, target: Faction, words: str) -> bool | None:
    return game.player(target).spice >= int(words)


_FORMS: Sequence[tuple[re.Pattern[str], Callable[[Game, Faction, str], bool | None]]] = (
    (re.compile(r"do you (?:hold|have) (.+?)(?: in your hand| now)?"), _holds),
    (re.compile(r"is (.+) (?:your traitor|in your pay)"), _pays),
    (re.compile(r"did you predict (.+?)(?: to win)?"), _predicted),
    (re.compile(r"is your spice at least ([0-9]{1,4})"), _has_spice),
)
