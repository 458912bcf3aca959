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


def karama_card(game: Game, faction: Faction) -> Card | None:
    """The card the faction would play as a Karama: the Karama itself, or for the Bene Gesserit a worthless card."""
    return next(iter(karama_cards(game, faction)), None)


def karama_cards(game: Game, faction: Faction) -> list[Card]:
    """Every card the faction could play as a Karama, the one that would go first at the front."""
    hand = game.player(faction).hand
    worthless = WORTHLESS if faction == "bene-gesserit" and game.rules.karama_special == "on" else ()
    return [card for kind in (KARAMA, *sorted(worthless)) for card in hand if card == kind]


def check(game: Game, faction: Faction, order: Karama) -> Refusal | None:
    """Why this Karama cannot be played now, or None.

    What the board shows is looked at before the hand, so that a refusal means the same to all who do not hold the card.
    """
    effect = EFFECTS.get(order.effect)
    if effect is None:
        return Refusal("A Karama cannot do that in this rule set.", "AH.AID.KARAMA.A")
    if karama_card(game, faction) is None:
        return Refusal("You hold no Karama.", "AH.AID.KARAMA.A")
    return effect.check(game, faction, order)


def play(game: Game, faction: Faction, order: Karama) -> Flow:
    """Discard the card, let a worthless one be cancelled, and do what it does."""
    effect = EFFECTS[order.effect]
    if effect.spent_later or (yield from put_down(game, faction, order.effect)):
        yield from effect.play(game, faction, order)


def unseen(game: Game, order: Karama) -> bool:
    """Whether the Karama is only meant for later, so that nobody else may notice it."""
    return EFFECTS[order.effect].unseen(game)


def put_down(game: Game, faction: Faction, effect: str) -> Generator[Stop, None, bool]:
    """Discard the card that serves as a Karama; whether it takes effect, as a worthless one may be cancelled."""
    card = spend(game, faction, effect)
    if card == KARAMA:
        return True
    game.moments.karama_cancelled = False
    game.moments.worthless_played_by = faction
    yield from window(game, "worthless-karama", lambda: not game.moments.karama_cancelled, by=faction)
    game.moments.worthless_played_by = None
    if game.moments.karama_cancelled:
        game.tell("karama-cancelled", faction=faction, effect=effect)
    return not game.moments.karama_cancelled


def spend(game: Game, faction: Faction, effect: str) -> Card:
    """Discard the card that serves as a Karama and say so; ValueError if there is none."""
    card = karama_card(game, faction)
    if card is None:
        raise ValueError(f"{faction} holds no Karama")
    game.discard(faction, card)
    game.tell("karama-played", faction=faction, card=card, effect=effect)
    return card
