"""What the winner gets, keeps and gives up (AH.X.C.4-b, AH.X.C.6, AH.XXII.C).

He is paid for every leader killed, his own among them. He chooses which tokens make up his dial and which of the
cards he played he keeps; he is asked only where there is something to choose. Tokens of several sectors are taken
first where no spice lies.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from rules.chapters.battle import kwisatz_haderach, strength
from rules.components import Card, Faction, Forces
from rules.decisions.asking import Answers, ask
from rules.decisions.closures import Asked
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
    """The winner's losses and what he keeps, asked together."""

    def build() -> list[Question]:
        losses = _possible_losses(game, battle, winner)
        questions = [_losses_question(game, battle, winner, losses)] if len(losses) > 1 else []
        return [*questions, *_discards_to_choose(battle, winner)]

    losses = _possible_losses(game, battle, winner)
    answers = yield from ask(build)
    chosen = answers.of(winner, "losses")
    _bury(game, battle, winner, chosen.forces if isinstance(chosen, Lose) else losses[0])
    _discard_chosen(game, battle, winner, answers)


def give_up_cards(game: Game, battle: BattleMoment, winner: Faction) -> Flow:
    """What a winner who loses no tokens keeps of the cards played."""
    answers = yield from ask(lambda: _discards_to_choose(battle, winner))
    _discard_chosen(game, battle, winner, answers)


# --- Losses -------------------------------------------------------------------------------------------------------


def _possible_losses(game: Game, battle: BattleMoment, winner: Faction) -> tuple[Forces, ...]:
    plan = battle.committed[winner].plan
    forces, worth = strength.forces_in(game, battle, winner), strength.worth(game, battle, winner)
    return strength.losses(forces, worth, plan.spice, strength.in_halves(plan.dial) or 0)


def _losses_question(game: Game, battle: BattleMoment, winner: Faction, losses: Sequence[Forces]) -> Question:
    plan = battle.committed[winner].plan
    dial = strength.dial_text(strength.in_halves(plan.dial) or 0)
    orders: list[Order] = [Lose(forces) for forces in losses]

    def check(order: Order) -> Refusal | None:
        if order in orders:
            return None
        ways = " or ".join(map(str, losses[:5]))
        spice = f" with {plan.spice} spice" if game.rules.combat_model == "spice_supported" else ""
        return Refusal(f"Your losses must make up the {dial} you dialed{spice}: {ways}.", "AH.XXII.C-a")

    about = {"territory": battle.territory, "dial": dial, "spice": plan.spice, "ways": [str(f) for f in losses]}
    return Asked(winner, "losses", orders[0], check, lambda: orders, subject="losses", about=about)


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
    if winner == "atreides":
        kwisatz_haderach.count_losses(game, lost.total)


# --- Cards --------------------------------------------------------------------------------------------------------


def _playable_again(battle: BattleMoment, winner: Faction) -> tuple[Card, ...]:
    """The cards played that the winner may keep: all but a cheap hero."""
    committed = battle.committed[winner]
    hero = committed.plan.leader == CHEAP_HERO
    return committed.cards[1:] if hero else committed.cards


def _discards_to_choose(battle: BattleMoment, winner: Faction) -> list[Question]:
    played = _playable_again(battle, winner)
    return [_discards_question(battle, winner, played)] if played else []


def _discard_chosen(game: Game, battle: BattleMoment, winner: Faction, answers: Answers) -> None:
    decision = answers.of(winner, "discards")
    if decision is not None:
        discard(game, winner, _given_up(_playable_again(battle, winner), decision))


def _given_up(played: Sequence[Card], decision: Order) -> list[Card]:
    if isinstance(decision, Keep):
        return sorted((Counter(played) - Counter(decision.cards)).elements())
    return list(decision.cards) if isinstance(decision, Discard) else []


def _discards_question(battle: BattleMoment, winner: Faction, played: tuple[Card, ...]) -> Question:
    def check(order: Order) -> Refusal | None:
        named = order.cards if isinstance(order, Keep | Discard) else ()
        extra = Counter(named) - Counter(played)
        if not extra:
            return None
        card = next(iter(extra))
        if card in battle.committed[winner].cards and card not in played:
            return Refusal(f"{card} is discarded once played.", "AH.AID.BATTLE.6-c")
        return Refusal(f"You did not play {card}; you played {', '.join(played)}.", "AH.X.C.6-b")

    def choices() -> list[Order]:
        return [Keep(played), *(Discard((card,)) for card in dict.fromkeys(played)), Keep(())]

    about = {"territory": battle.territory, "cards": list(played)}
    return Asked(winner, "discards", Keep(played), check, choices, subject="discards", about=about)
