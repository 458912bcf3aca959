"""The end of the time for which a card was promised (WBC.AID.8, WBC.AID.9).

Who has said that they will play a Karama, a Ghola or a Truthtrance may choose the moment themselves, up to the last
one of the turn that was meant, or of a turn before it that was announced as the last. That is the end of the collection
round: there they are asked, must play it if they can, and silence plays it. If they cannot, everybody hears that the
answer is void; for a Karama that they held and kept for nothing, that it was not kept. The same end comes to a
territory that could not be entered any more.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from rules.cards.ghola import GHOLA, MOST_TOKENS
from rules.cards.karama.revival import MOST_TOKENS as MOST_BY_KARAMA
from rules.cards.truthtrance import TRUTHTRANCE
from rules.cards.truthtrance.promises import keeping, standing
from rules.cards.truthtrance.promises.fulfilment import does
from rules.cards.truthtrance.promises.noticing import notice
from rules.components import KARAMA, Card, leaders_of
from rules.decisions.asking import ask
from rules.decisions.catalogue import carry_out_play, check_play
from rules.decisions.karama import karama_card
from rules.decisions.question import Flow, Question
from rules.orders import ANSWERS, Ghola, Karama, Order, Truthtrance
from rules.orders.readings import Attack, Enter, InHand, PlayCard, Reading
from rules.rulesets.refusal import Refusal
from rules.state.game import Game
from rules.state.promises import Promise

AT_ANY_STOP = frozenset((KARAMA, TRUTHTRANCE, GHOLA, Card("Hajr")))


def last_call(game: Game) -> Flow:
    """What was promised for this turn and has not been done is demanded or falls."""
    notice(game)
    for promise in [promise for promise in game.state.promises if _ends_now(game, promise)]:
        yield from _demand(game, promise)
        if _stands(game, promise):
            held = isinstance(promise.act, PlayCard) and KARAMA in promise.act.cards
            if held and karama_card(game, promise.faction):
                standing.note_unkept(game, promise)
            else:
                standing.negate(game, promise)


def _ends_now(game: Game, promise: Promise) -> bool:
    if promise.forbids or not promise.binds or promise.scope.in_battle:
        return False
    last = min(promise.scope.last_turn, game.state.last_turn or promise.scope.last_turn)
    if not promise.scope.first_turn <= game.state.turn == last:
        return False
    match promise.act:
        case PlayCard(cards):
            return AT_ANY_STOP.issuperset(cards)
        case Enter() | Attack():
            return True
    return False


def _stands(game: Game, promise: Promise) -> bool:
    notice(game)
    return any(other is promise for other in game.state.promises)


def _demand(game: Game, promise: Promise) -> Flow:
    """Ask for the card until it is played or cannot be."""

    def build() -> list[Question]:
        plays = list(_plays(game, promise)) if _stands(game, promise) else []
        return [LastCallQuestion(game, promise, plays)] if plays else []

    while True:
        answers = yield from ask(build)
        order = answers.of(promise.faction)
        if order is None or type(order) in ANSWERS:
            return
        yield from carry_out_play(game, promise.faction, order)


class LastCallQuestion(Question):
    """How do you play the card that you promised to play?"""

    kind = "karama-window"

    def __init__(self, game: Game, promise: Promise, plays: Sequence[Order]) -> None:
        super().__init__(game, promise.faction)
        self._promise, self._plays = promise, plays

    def refusal(self, order: Order) -> Refusal | None:
        return standing.refusal_of_a_breach(self._promise) if type(order) in ANSWERS else None

    @property
    def default(self) -> Order:
        return self._plays[0]

    def samples(self) -> Sequence[Order]:
        return self._plays

    @property
    def facts(self) -> Mapping[str, Any]:
        return {"why": "promised"}


def _plays(game: Game, promise: Promise) -> Iterator[Order]:
    """Plays that keep the promise now."""
    faction = promise.faction
    for order in _thinkable(game, promise):
        barred = check_play(game, faction, order) or standing.forbid(game, faction, order)
        if barred is None and does(game, promise, order):
            yield order


def _thinkable(game: Game, promise: Promise) -> Iterator[Order]:
    player, faction = game.player(promise.faction), promise.faction
    dead = [leader for leader in leaders_of(faction) if game.state.leaders[leader].status != "ready"]
    yield from (Ghola(leader=leader) for leader in dead)
    yield from (Ghola(forces=forces) for forces in keeping.some(player.tanks, min(MOST_TOKENS, player.tanks.total)))
    yield from (Ghola(forces=forces) for forces in keeping.some(player.tanks, min(1, player.tanks.total)))
    yield Ghola(kwisatz_haderach=True)
    yield from (Karama("revive", leader=leader) for leader in dead)
    for number in (min(MOST_BY_KARAMA, player.tanks.total), 1):
        yield from (Karama("revive", forces=forces) for forces in keeping.some(player.tanks, number))
    yield from (Karama("take cards", faction=other, number=1) for other in game.state.players)
    yield Truthtrance(promise.asker, "Do you hold a Karama?", Reading((InHand((KARAMA,)),)))
