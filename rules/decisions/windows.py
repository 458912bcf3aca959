"""Reaction windows: a stop held for everybody, because only hidden cards decide who can act.

A window is held whenever its public ground exists, whether or not anybody holds a card, and everybody is asked alike
(``docs/architecture.md``, "What nobody may notice"). It is skipped only where *public* facts show that no play can
exist. All plays of one window are simultaneous: the first in the order of play resolves alone, the others wait for
the window to open again, and it is over when nobody has played (WBC.MISC.5).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from rules.components import WORTHLESS, Card, Faction
from rules.decisions.asking import ask
from rules.decisions.catalogue import carry_out_play, check_play
from rules.decisions.question import Flow, Question
from rules.orders import ANSWERS, Key, NoKarama, Order
from rules.rulesets.refusal import Refusal
from rules.state.game import Game

KARAMA = Card("Karama")


def karama_may_exist(game: Game) -> bool:
    """Whether, by what everybody can see, somebody might hold a Karama (or the Bene Gesserit a worthless card)."""
    discard = game.state.treachery_discard
    if discard.count(KARAMA) < 2:
        return True
    return game.plays("bene-gesserit") and not all(card in discard for card in WORTHLESS)


def window(game: Game, why: str, ground: Callable[[], bool] = lambda: True, **about: Any) -> Flow:
    """Hold a Karama window for every player while its public ground exists.

    ``why`` names what can be reacted to ("voice", "free-card", ...); with ``about`` it words the question.
    """

    facts = {"why": why, **about}

    def build() -> list[Question]:
        if not ground() or not karama_may_exist(game):
            return []
        return [ReactionWindow(game, faction, facts) for faction in game.order_of_play()]

    pending: dict[Key, tuple[Order, ...]] = {}
    while True:
        answers = yield from ask(build, pending)
        plays = [
            (faction, order)
            for faction in game.order_of_play()
            if (order := answers.of(faction)) is not None and type(order) not in ANSWERS
        ]
        if not plays:
            return
        (first, order), *others = plays
        pending = {(faction, "karama-window", ""): (play,) for faction, play in others}
        yield from carry_out_play(game, first, order)


class ReactionWindow(Question):
    """Has the player a card for what has just happened? Everybody is asked alike."""

    kind = "karama-window"
    blanket = True

    def __init__(self, game: Game, faction: Faction, facts: Mapping[str, Any]) -> None:
        super().__init__(game, faction)
        self._facts = facts

    def refusal(self, order: Order) -> Refusal | None:
        return None if isinstance(order, NoKarama) else check_play(self.game, self.faction, order)

    @property
    def default(self) -> Order:
        return NoKarama()

    def samples(self) -> Sequence[Order]:
        return [NoKarama()]

    @property
    def facts(self) -> Mapping[str, Any]:
        return self._facts
