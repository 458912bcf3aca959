"""The Karama card (AH.AID.KARAMA): one of the listed things, then it is discarded.

The effects live beside the phase they touch (``karama_spice``, ``karama_bidding``, ``karama_movement``,
``karama_battle``, ``karama_special``), each with a check and what it does. Here is what all share: who may play one,
the discard, and the answer to a worthless card that the Bene Gesserit play as a Karama (AH.SHIELD.BG.KARAMA,
WBC.AID.26).
"""

from __future__ import annotations

from collections.abc import Generator, Mapping

from rules.cards.karama import battle as karama_battle
from rules.cards.karama import bidding as karama_bidding
from rules.cards.karama import movement as karama_movement
from rules.cards.karama import special as karama_special
from rules.cards.karama import spice as karama_spice
from rules.cards.karama.effect import Effect
from rules.chapters.battle.commitment import committed_cards, shown_cards
from rules.components import WORTHLESS, Card, Faction
from rules.decisions.question import Flow, Stop
from rules.decisions.windows import KARAMA, window
from rules.orders import Karama, KaramaEffect
from rules.rulesets.refusal import Refusal
from rules.state.game import Game

EFFECTS: Mapping[KaramaEffect, Effect] = {
    **karama_spice.EFFECTS,
    **karama_bidding.EFFECTS,
    **karama_movement.EFFECTS,
    **karama_battle.EFFECTS,
    **karama_special.EFFECTS,
}


def karama_cards(game: Game, faction: Faction) -> list[Card]:
    """The cards that the faction could play as a Karama, in the order in which they go where none is named.

    The Bene Gesserit give a worthless card first, where the rule set lets it serve; one that they showed to Atreides
    goes last. What lies in a committed plan is played already.
    """
    hand = list(game.player(faction).hand)
    for card in committed_cards(game, faction):
        if card in hand:
            hand.remove(card)
    worthless: list[Card] = []
    if faction == "bene-gesserit" and game.rules.bg_worthless_as_karama == "yes":
        worthless = [card for card in sorted(WORTHLESS) if card in hand]
    shown = [card for card in worthless if card in shown_cards(game, faction)] if worthless else []
    free = [card for card in worthless if card not in shown]
    return [*free, *(card for card in hand if card == KARAMA), *shown]


def karama_card(game: Game, faction: Faction, wanted: Card | None = None) -> Card | None:
    """The card that the faction plays as a Karama: the one wanted if it can serve, else the first that does."""
    able = karama_cards(game, faction)
    return wanted if wanted in able else next(iter(able), None)


def check(game: Game, faction: Faction, order: Karama) -> Refusal | None:
    """Why this Karama cannot be played now, or None.

    What the board shows is looked at before the hand, so that a refusal means the same to all who do not hold the card.
    """
    effect = EFFECTS.get(order.effect)
    if effect is None:
        return Refusal("A Karama cannot do that in this rule set.", "AH.AID.KARAMA.A")
    able = karama_cards(game, faction)
    if not able:
        return Refusal("You hold no Karama.", "AH.AID.KARAMA.A")
    if order.card is not None and order.card not in able:
        why = f"{order.card} cannot serve you as a Karama now; you can use {' or '.join(able)}."
        return Refusal(why, "AH.SHIELD.BG.KARAMA")
    return effect.check(game, faction, order)


def play(game: Game, faction: Faction, order: Karama) -> Flow:
    """Discard the card, let a worthless one be cancelled, and do what it does."""
    effect = EFFECTS[order.effect]
    if effect.spent_later or (yield from put_down(game, faction, order.effect, order.card)):
        yield from effect.play(game, faction, order)


def unseen(game: Game, order: Karama) -> bool:
    """Whether the Karama is only meant for later, so that nobody else may notice it."""
    return EFFECTS[order.effect].unseen(game)


def put_down(game: Game, faction: Faction, effect: str, wanted: Card | None = None) -> Generator[Stop, None, bool]:
    """Discard the card that serves as a Karama; whether it takes effect, as a worthless one may be cancelled."""
    card = spend(game, faction, effect, wanted)
    if card == KARAMA:
        return True
    game.moments.karama_cancelled = False
    game.moments.worthless_played_by = faction
    yield from window(game, "worthless-karama", lambda: not game.moments.karama_cancelled, by=faction)
    game.moments.worthless_played_by = None
    if game.moments.karama_cancelled:
        game.tell("karama-cancelled", faction=faction, effect=effect)
    return not game.moments.karama_cancelled


def spend(game: Game, faction: Faction, effect: str, wanted: Card | None = None) -> Card:
    """Discard the card that serves as a Karama and say so; ValueError if there is none."""
    card = karama_card(game, faction, wanted)
    if card is None:
        raise ValueError(f"{faction} holds no Karama")
    game.discard(faction, card)
    game.tell("karama-played", faction=faction, card=card, effect=effect)
    return card
