"""The cards that serve as a Karama, and how one is put down (AH.AID.KARAMA, AH.SHIELD.BG.KARAMA, WBC.AID.26).

What a Karama brings about stands with the card (``rules.cards.karama``). Here is what the chapters need of it: whether
a faction has one to pay with, the discard, and the answer to a worthless card that is played as one.
"""

from __future__ import annotations

from collections.abc import Generator

from rules.components import KARAMA, Card, Faction
from rules.decisions.catalogue import catalogue_of, rules_of
from rules.decisions.question import Stop
from rules.decisions.windows import window
from rules.orders import KaramaEffect
from rules.rulesets.options import switch
from rules.rulesets.refusal import Refusal
from rules.state.game import Game

SPECIAL_POWERS = switch("karama_special")

OPTIONS = (SPECIAL_POWERS,)


def own_power_refusal(game: Game, faction: Faction, effect: KaramaEffect) -> Refusal | None:
    """Why the faction can never have this effect of a Karama, which some factions have for their own; None where it is
    theirs, or everybody's (AH.XVII.A)."""
    owners = [rules for rules in catalogue_of(game).factions.values() if effect in rules.own_karama]
    if not owners:
        return None
    if not SPECIAL_POWERS(game.rules):
        return Refusal("This rule set gives no faction a special Karama power of its own.", "karama.own-powers")
    return None if effect in rules_of(game, faction).own_karama else owners[0].own_karama[effect]


def uncommitted_cards(game: Game, faction: Faction) -> list[Card]:
    """The faction's hand without the cards that lie in a committed battle plan, which are played already."""
    hand = list(game.player(faction).hand)
    battle = game.moments.battle
    for card in battle.committed_cards(faction) if battle else ():
        if card in hand:
            hand.remove(card)
    return hand


def karama_cards(game: Game, faction: Faction) -> list[Card]:
    """The cards that the faction could play as a Karama, in the order in which they go where none is named."""
    return rules_of(game, faction).karama_cards(game, uncommitted_cards(game, faction))


def karama_card(game: Game, faction: Faction, wanted: Card | None = None) -> Card | None:
    """The card that the faction plays as a Karama: the one wanted if it can serve, else the first that does."""
    able = karama_cards(game, faction)
    return wanted if wanted in able else next(iter(able), None)


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
