"""Reaction windows: a stop held for everybody, because only hidden cards decide who can act.

A window is held whenever its public ground exists, whether or not anybody holds a card, and everybody is asked alike
(``docs/architecture.md``, "What nobody may notice"). It is skipped only where *public* facts show that no play can
exist. All plays of one window are simultaneous: the first in the order of play resolves alone, the others wait for
the window to open again, and it is over when nobody has played (WBC.MISC.5). Who plays several cards in one window
plays them in the order written. What was accepted and is still legal is carried out, even where an earlier play has
taken the ground of the window away.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from rules import powers
from rules.components import WORTHLESS, Card, Faction
from rules.game import Game
from rules.orders import ANSWERS, NoKarama, Order
from rules.questions import Answers, Flow, Key, Question, ask
from rules.refusal import Refusal

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
    pending: dict[Key, tuple[Order, ...]] = {}

    def build() -> list[Question]:
        held = ground() and karama_may_exist(game)
        if not held and not pending:
            return []
        questions = [_question(game, faction, facts) for faction in game.order_of_play()]
        return questions if held else [replace(q, beside=True) for q in questions if q.key in pending]

    while True:
        plays = _plays(game, (yield from ask(build, pending)))
        if not plays:
            return
        (first, order), *others = plays
        yield from powers.play(game, first, order)
        pending = _by_question([(who, play) for who, play in others if powers.check(game, who, play) is None])


def _plays(game: Game, answers: Answers) -> list[tuple[Faction, Order]]:
    return [
        (faction, order)
        for faction in game.order_of_play()
        for order in answers.all_of(faction)
        if type(order) not in ANSWERS
    ]


def _by_question(plays: Sequence[tuple[Faction, Order]]) -> dict[Key, tuple[Order, ...]]:
    by_question: dict[Key, tuple[Order, ...]] = {}
    for faction, play in plays:
        key: Key = (faction, "karama-window", "")
        by_question[key] = (*by_question.get(key, ()), play)
    return by_question


def _question(game: Game, faction: Faction, about: Mapping[str, Any]) -> Question:
    def check(order: Order) -> Refusal | None:
        return None if isinstance(order, NoKarama) else powers.check(game, faction, order)

    return Question(
        faction,
        "karama-window",
        NoKarama(),
        check,
        lambda: [NoKarama()],
        about=about,
        blanket=True,
        beside_later=lambda earlier, later: _both_played(game, faction, earlier, later),
    )


def _both_played(game: Game, faction: Faction, earlier: Order, later: Order) -> bool:
    """Whether a play stays beside a later one: it is of another card, or the hand holds a card for each of them."""
    if isinstance(earlier, NoKarama) or isinstance(later, NoKarama) or earlier == later:
        return False
    return type(earlier) is not type(later) or powers.cards_for(game, faction, later) > 1
