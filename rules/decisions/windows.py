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
from typing import Any

from rules.components import KARAMA, Card, Faction
from rules.decisions.asking import Answers, ask
from rules.decisions.catalogue import cards_for, carry_out_play, check_play, rules_of
from rules.decisions.question import Flow, Question
from rules.orders import ANSWERS, Key, NoKarama, Order
from rules.rulesets.refusal import Refusal
from rules.state.game import Game


def karama_may_exist(game: Game) -> bool:
    """Whether, by what everybody can see, somebody might hold a card that serves them as a Karama."""
    discard = game.state.treachery_discard
    if discard.count(KARAMA) < 2:
        return True
    return any(
        card not in discard for faction in game.state.players for card in rules_of(game, faction).serve_as_karama(game)
    )


def window(game: Game, why: str, ground: Callable[[], bool] = lambda: True, **about: Any) -> Flow:
    """Hold a Karama window for every player while its public ground exists.

    ``why`` names what can be reacted to ("voice", "free-card", ...); with ``about`` it words the question.
    """
    return _held(game, {"why": why, **about}, lambda: ground() and karama_may_exist(game))


def card_window(game: Game, why: str, card: Card, play: Order, ground: Callable[[], bool], **about: Any) -> Flow:
    """Hold a window for every player in which another card than a Karama can be played, while its public ground exists
    and by what everybody can see somebody may hold the card; ``play`` is what its holder may do, ``why`` and ``about``
    word the question."""

    def held() -> bool:
        return ground() and card not in game.state.treachery_discard

    return _held(game, {"why": why, **about}, held, play)


def _held(game: Game, facts: Mapping[str, Any], is_held: Callable[[], bool], play: Order | None = None) -> Flow:
    pending: dict[Key, tuple[Order, ...]] = {}

    def build() -> list[Question]:
        held = is_held()
        if not held and not pending:
            return []
        questions: list[Question] = [ReactionWindow(game, faction, facts, play) for faction in game.order_of_play()]
        if held:
            return questions
        for question in questions:
            question.beside = True
        return [question for question in questions if question.key in pending]

    while True:
        plays = _plays(game, (yield from ask(build, pending)))
        if not plays:
            return
        (first, order), *others = plays
        yield from carry_out_play(game, first, order)
        pending = _by_question([(who, play) for who, play in others if check_play(game, who, play) is None])


def _plays(game: Game, answers: Answers) -> list[tuple[Faction, Order]]:
    """What is played, in the order of play."""
    seats = game.order_of_play()
    plays = [play for play in answers.each() if type(play[1]) not in ANSWERS]
    return sorted(plays, key=lambda play: seats.index(play[0]))


def _by_question(plays: Sequence[tuple[Faction, Order]]) -> dict[Key, tuple[Order, ...]]:
    by_question: dict[Key, tuple[Order, ...]] = {}
    for faction, play in plays:
        key: Key = (faction, "karama-window", "")
        by_question[key] = (*by_question.get(key, ()), play)
    return by_question


class ReactionWindow(Question):
    """Has the player a card for what has just happened? Everybody is asked alike. ``play`` is what the holder of the
    card does for which the window is held, None for any Karama."""

    kind = "karama-window"
    blanket = True

    def __init__(self, game: Game, faction: Faction, facts: Mapping[str, Any], play: Order | None = None) -> None:
        super().__init__(game, faction)
        self._facts = facts
        self.play = play

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

    def stays_beside(self, earlier: Order, later: Order) -> bool:
        """A play stays beside a later one of another card, or where the hand holds a card for each of them."""
        if isinstance(earlier, NoKarama) or isinstance(later, NoKarama) or earlier == later:
            return False
        return type(earlier) is not type(later) or cards_for(self.game, self.faction, later) > 1
