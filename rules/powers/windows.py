"""Reaction windows: a stop held for everybody, because only hidden cards decide who can act.

A window is held whenever its public ground exists, whether or not anybody holds a card, and everybody is asked alike
(``docs/architecture.md``, "What nobody may notice"). It is skipped only where *public* facts show that no play can
exist. All plays of one window are simultaneous: the first in the order of play resolves alone, the others wait for
the window to open again, and it is over when nobody has played (WBC.MISC.5).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from rules import powers
from rules.components import WORTHLESS, Card, Faction
from rules.game import Game
from rules.orders import ANSWERS, NoKarama, Order
from rules.questions import Flow, Key, Question, ask
from rules.refusal import Refusal

KARAMA = Card("Karama")


def karama_may_exist(game: Game) -> bool:
    """Whether, by what everybody can see, somebody might hold a Karama (or, where it serves as
    one, the Bene Gesserit a worthless card)."""
    discard = game.state.treachery_discard
    if discard.count(KARAMA) < 2:
        return True
    if game.rules.bg_worthless_as_karama == "no":
        return False
    return game.plays("bene-gesserit") and not all(card in discard for card in WORTHLESS)


def window(game: Game, why: str, ground: Callable[[], bool] = lambda: True, **about: Any) -> Flow:
    """Hold a Karama window for every player while its public ground exists.

    ``why`` names what can be reacted to ("voice", "free-card", ...); with ``about`` it words the question.
    """

    facts = {"why": why, **about}

    def build() -> list[Question]:
        if not ground() or not karama_may_exist(game):
            return []
        return [_question(game, faction, facts) for faction in game.order_of_play()]

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
        yield from powers.play(game, first, order)


def _question(game: Game, faction: Faction, about: Mapping[str, Any]) -> Question:
    def check(order: Order) -> Refusal | None:
        return None if isinstance(order, NoKarama) else powers.check(game, faction, order)

    return Question(faction, "karama-window", NoKarama(), check, lambda: [NoKarama()], about=about, blanket=True)
