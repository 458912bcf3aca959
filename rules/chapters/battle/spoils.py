"""What the winner gets, keeps and gives up (AH.X.C.4-b, AH.X.C.6, AH.XXII.C).

Winners are paid for every leader killed, their own among them. They choose which tokens make up the dial and which of
the cards played they keep; they are asked only where there is something to choose. Tokens of several sectors are taken
first where no spice lies.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from rules.chapters.battle import arms, listing, strength
from rules.chapters.battle.question import BattleQuestion
from rules.components import Card, Faction, Forces
from rules.decisions.asking import Answers, ask
from rules.decisions.catalogue import rules_of
from rules.decisions.question import Flow, Question
from rules.orders import CHEAP_HERO, Discard, Keep, Lose, Order
from rules.rulesets.refusal import Refusal
from rules.state.game import Game
from rules.state.moments import BattleMoment


def reward(game: Game, winner: Faction, amount: int) -> None:
    """Spice from the bank for leaders killed."""
    if amount:
        game.gain(winner, amount)
        game.tell("leaders-paid", faction=winner, spice=amount)


def discard(game: Game, faction: Faction, cards: Iterable[Card]) -> None:
    """Cards of a plan to the discard pile, for all to see."""
    gone = list(cards)
    for card in gone:
        game.discard(faction, card)
    if gone:
        game.tell("cards-discarded", faction=faction, cards=gone)


def settle(game: Game, battle: BattleMoment, winner: Faction) -> Flow:
    """The winner's losses and the cards to keep, asked together."""

    def build() -> list[Question]:
        losses = _possible_losses(game, battle, winner)
        questions = [LossesQuestion(game, battle, winner, losses)] if len(losses) > 1 else []
        return [*questions, *_cards_to_choose(game, battle, winner)]

    answers = yield from ask(build)
    losses = _possible_losses(game, battle, winner)
    chosen = answers.of(winner, "losses")
    lost = chosen.forces if isinstance(chosen, Lose) else rules_of(game, winner).losses_unless_told(losses)
    _bury(game, battle, winner, lost)
    yield from rules_of(game, winner).after_losses(game, battle, lost)
    _discard_chosen(game, battle, winner, answers)


def give_up_cards(game: Game, battle: BattleMoment, winner: Faction) -> Flow:
    """What a winner who loses no tokens keeps of the cards played."""
    answers = yield from ask(lambda: _cards_to_choose(game, battle, winner))
    _discard_chosen(game, battle, winner, answers)


# --- Losses -------------------------------------------------------------------------------------------------------


class LossesQuestion(BattleQuestion):
    """Which tokens make up your dial?"""

    kind = "losses"

    def __init__(self, game: Game, battle: BattleMoment, winner: Faction, losses: Sequence[Forces]) -> None:
        super().__init__(game, battle, winner, "losses")
        self._losses = losses
        self._plan = battle.committed[winner].plan

    def refusal(self, order: Order) -> Refusal | None:
        if isinstance(order, Lose) and order.forces in self._losses:
            return None
        losses = " or ".join(map(str, self._losses[:5]))
        spice = f" with {self._plan.spice} spice" if strength.SPICE_COUNTS(self.game.rules) else ""
        why = f"Your losses must make up the {self._dial} you dialed{spice}: {losses}."
        return Refusal(why, "battle.losses")

    @classmethod
    def refusal_ahead(cls, game: Game, faction: Faction, order: Order) -> Refusal | None:
        return listing.refusal_without_battle(game, faction)

    @property
    def default(self) -> Order:
        return Lose(rules_of(self.game, self.faction).losses_unless_told(self._losses))

    def samples(self) -> Sequence[Order]:
        return [Lose(forces) for forces in self._losses]

    @property
    def facts(self) -> Mapping[str, Any]:
        return {
            "territory": self.battle.territory,
            "dial": self._dial,
            "spice": self._plan.spice,
            "losses": [str(forces) for forces in self._losses],
            "default": str(rules_of(self.game, self.faction).losses_unless_told(self._losses)),
        }

    @property
    def _dial(self) -> str:
        return strength.dial_text(strength.in_halves(self._plan.dial) or 0)


def _possible_losses(game: Game, battle: BattleMoment, winner: Faction) -> tuple[Forces, ...]:
    """What makes up their dial; all that stands there where nothing does, as a game master has put the tokens right
    since."""
    plan = battle.committed[winner].plan
    forces, worth = strength.forces_in(game, battle, winner), strength.worth(game, battle, winner)
    return strength.LOSSES(game.rules)(forces, worth, plan.spice, strength.in_halves(plan.dial) or 0) or (forces,)


def _bury(game: Game, battle: BattleMoment, winner: Faction, lost: Forces) -> None:
    """Tokens lost go to the tanks, first from sectors without spice."""
    left = lost
    for area in sorted(battle.areas, key=lambda area: bool(game.state.spice.get(area))):
        here = game.here(area, winner)
        dead = Forces(min(here.ordinary, left.ordinary), min(here.elite, left.elite))
        game.kill(area, winner, dead)
        left -= dead
    if lost:
        game.tell("tokens-lost", faction=winner, forces=str(lost), territory=battle.territory)
    rules_of(game, winner).lost_in_battle(game, battle, lost.total)


# --- Cards --------------------------------------------------------------------------------------------------------


class DiscardsQuestion(BattleQuestion):
    """Which of the cards you played do you keep?"""

    kind = "discards"

    def __init__(self, game: Game, battle: BattleMoment, winner: Faction, played: tuple[Card, ...]) -> None:
        super().__init__(game, battle, winner, "discards")
        self._played = played

    def refusal(self, order: Order) -> Refusal | None:
        named = order.cards if isinstance(order, Keep | Discard) else ()
        extra = Counter(named) - Counter(self._played)
        if not extra:
            return None
        card = next(iter(extra))
        if card in self.battle.committed[self.faction].cards and card not in self._played:
            return Refusal(f"{card} is discarded once played.", "battle.cheap-hero-discarded")
        why = f"You did not play {card}; you played {', '.join(self._played)}."
        return Refusal(why, "battle.cards-kept")

    @classmethod
    def refusal_ahead(cls, game: Game, faction: Faction, order: Order) -> Refusal | None:
        return listing.refusal_without_battle(game, faction)

    @property
    def default(self) -> Order:
        return Keep(self._played)

    def samples(self) -> Sequence[Order]:
        return [Keep(self._played), *(Discard((card,)) for card in dict.fromkeys(self._played)), Keep(())]

    @property
    def facts(self) -> Mapping[str, Any]:
        return {"territory": self.battle.territory, "cards": list(self._played)}


def _playable_again(battle: BattleMoment, winner: Faction) -> tuple[Card, ...]:
    """The cards played that the winner may keep: all but a cheap hero, and weapons that work once."""
    committed = battle.committed[winner]
    hero = committed.plan.leader == CHEAP_HERO
    cards = committed.cards[1:] if hero else committed.cards
    return tuple([card for card in cards if not arms.goes_once_played(battle, card)])


def _cards_to_choose(game: Game, battle: BattleMoment, winner: Faction) -> list[Question]:
    played = _playable_again(battle, winner)
    return [DiscardsQuestion(game, battle, winner, played)] if played else []


def _discard_chosen(game: Game, battle: BattleMoment, winner: Faction, answers: Answers) -> None:
    decision = answers.of(winner, "discards")
    if decision is not None:
        discard(game, winner, _given_up(_playable_again(battle, winner), decision))


def _given_up(played: Sequence[Card], decision: Order) -> list[Card]:
    if isinstance(decision, Keep):
        return sorted((Counter(played) - Counter(decision.cards)).elements())
    return list(decision.cards) if isinstance(decision, Discard) else []
