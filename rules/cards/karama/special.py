"""Karama at any stop: the Emperor's revival, Harkonnen's theft, the answer to a worthless card, a look prevented.

AH.XVII.A, AH.SHIELD.EMP.KARAMA, AH.SHIELD.HAR.KARAMA, AH.AID.KARAMA.A.1-a, A.3-c; WBC.XVII.1 to 9, 19; WBC.AID.17,
26, 27.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Generator, Mapping, Sequence
from itertools import combinations

from rules.cards.karama.effect import Effect
from rules.chapters.battle.commitment import shown_cards
from rules.components import LEADERS, Card, CardKind, Faction, Forces, card_kind, faction_name
from rules.decisions.closures import Asked
from rules.decisions.karama import uncommitted_cards
from rules.decisions.question import Flow, Stop
from rules.orders import Karama, KaramaEffect, Order, PhaseName, ReturnCards
from rules.rulesets.refusal import Refusal
from rules.state.game import Game

MOST_TOKENS = 3
BEFORE_THE_LOOK: tuple[PhaseName, ...] = ("storm", "spice", "charity", "bidding", "revival")

# --- Emperor: three tokens or a leader, free -------------------------------------------------------------------------


def _check_revive(game: Game, faction: Faction, order: Karama) -> Refusal | None:
    if game.rules.karama_special == "off":
        return Refusal("This rule set gives no faction a Karama power of its own.", "AH.XVII.A")
    if faction != "emperor":
        return Refusal("Only the Emperor revives by Karama.", "AH.SHIELD.EMP.KARAMA")
    if (order.forces is None) == (order.leader is None):
        return Refusal("A Karama brings back either tokens or one leader: name one of them.", "AH.SHIELD.EMP.KARAMA")
    if order.leader is not None:
        if order.leader not in LEADERS or LEADERS[order.leader].faction != faction:
            return Refusal(f"{order.leader} is not a leader of yours.", "WBC.XVII.19")
        if game.state.leaders[order.leader].status == "ready":
            return Refusal(f"{order.leader} is not in the tanks.", "WBC.XVII.19")
        return None
    assert order.forces is not None
    return _check_tokens(game, faction, order.forces)


def _check_tokens(game: Game, faction: Faction, forces: Forces) -> Refusal | None:
    tanks = game.player(faction).tanks
    if not 1 <= forces.total <= MOST_TOKENS:
        return Refusal(f"A Karama brings back 1 to {MOST_TOKENS} tokens, not {forces.total}.", "WBC.XVII.19")
    if not tanks.covers(forces):
        return Refusal(f"You have {tanks} in the tanks, so {forces} cannot come back.", "WBC.XVII.19")
    if forces.elite and (forces.elite > 1 or faction in game.state.elite_revived):
        return Refusal("One starred token may come back in a turn, by whatever means.", "AH.SHIELD.EMP.2-c")
    return None


def _revive(game: Game, faction: Faction, order: Karama) -> Flow:
    if order.leader is not None:
        game.revive_leader(order.leader)
        game.tell("leader-revived", faction=faction, leader=order.leader, price=0)
    elif order.forces is not None:
        game.revive(faction, order.forces)
        if order.forces.elite:
            game.state.elite_revived.append(faction)
        game.tell("tokens-revived", faction=faction, forces=str(order.forces), price=0)
    yield from ()


# --- Harkonnen: cards of another -------------------------------------------------------------------------------------

LEAST_WANTED: tuple[CardKind, ...] = (
    "worthless", "cheap-hero", "hajr", "weather-control", "family-atomics", "ghola", "truthtrance", "snooper", "shield",
    "projectile-weapon", "poison-weapon", "lasgun", "karama",
)  # fmt: skip


def _check_theft(game: Game, faction: Faction, order: Karama) -> Refusal | None:
    if game.rules.karama_special == "off":
        return Refusal("This rule set gives no faction a Karama power of its own.", "AH.XVII.A")
    target, number = order.faction, order.number
    if faction != "harkonnen":
        return Refusal("Only Harkonnen take cards by Karama.", "AH.SHIELD.HAR.KARAMA-a")
    if target is None or target == faction or not game.plays(target):
        return Refusal("Name another player whose cards you take.", "AH.SHIELD.HAR.KARAMA-a")
    if number < 1:
        return Refusal("Say how many cards you take, 1 or more.", "WBC.XVII.2")
    refusal = _too_many(game, target, number)
    if refusal:
        return refusal
    back = len(_returnable(game, faction)) - 1  # the Karama itself is gone by then
    if number > back:
        return Refusal(f"You can give back at most {back} of your own cards, so take no more.", "WBC.XVII.2")
    return None


def _too_many(game: Game, target: Faction, number: int) -> Refusal | None:
    """More than the target holds, where all may count his cards; elsewhere what there is will be taken (AH.XIII.B)."""
    counted = game.rules.hand_counts_public == "always" or game.state.phase == "bidding"
    most = len(game.player(target).hand) if counted else game.hand_limit(target)
    if number <= most:
        return None
    name = faction_name(target)
    why = f"{name} hold {most} cards" if counted else f"{name} can hold no more than {most} cards"
    return Refusal(f"{why}, so you cannot take {number}.", "AH.SHIELD.HAR.KARAMA-a")


def _returnable(game: Game, faction: Faction) -> list[Card]:
    """What the faction holds and may part with: not what its committed plan or a binding answer names (WBC.XVII.9)."""
    hand = uncommitted_cards(game, faction)
    for card in shown_cards(game, faction):
        if card in hand:
            hand.remove(card)
    return sorted(hand, key=lambda card: (LEAST_WANTED.index(card_kind(card)), card))


def _take_cards(game: Game, faction: Faction, order: Karama) -> Flow:
    """Declare, draw unseen, look, give back: nothing comes between (WBC.XVII.2 to 7)."""
    target = order.faction
    assert target is not None
    original = _returnable(game, faction)
    taken = _draw_cards(game, faction, target, order.number)
    known = {"cards": list(taken)}
    game.tell(
        "cards-taken",
        faction=faction,
        target=target,
        number=len(taken),
        private={faction: known, target: known},
    )
    if not taken:
        return
    returned = yield from _ask_back(game, faction, target, original, len(taken))
    for card in returned:
        game.player(faction).hand.remove(card)
        game.player(target).hand.append(card)
    known = {"cards": list(returned)}
    game.tell(
        "cards-given-back",
        faction=faction,
        target=target,
        number=len(returned),
        private={faction: known, target: known},
    )


def _draw_cards(game: Game, faction: Faction, target: Faction, number: int) -> list[Card]:
    """At random from what the target has not committed to a battle plan (AH.SHIELD.HAR.KARAMA-b)."""
    hand = game.player(target).hand
    loose = uncommitted_cards(game, target)
    taken = []
    for _ in range(min(number, len(loose))):
        card = game.chance.pick("karama-theft", loose)
        loose.remove(card)
        hand.remove(card)
        taken.append(card)
    game.player(faction).hand.extend(taken)
    return taken


def _ask_back(
    game: Game, faction: Faction, target: Faction, original: Sequence[Card], number: int
) -> Generator[Stop, None, tuple[Card, ...]]:
    """Which cards of the hand as it was before go back; the least wanted ones where nothing is said."""
    least = ReturnCards(tuple(original[:number]))

    def check(order: Order) -> Refusal | None:
        cards = order.cards if isinstance(order, ReturnCards) else ()
        if len(cards) != number:
            return Refusal(f"You took {number} cards, so give back {number}, not {len(cards)}.", "WBC.XVII.5")
        if Counter(cards) - Counter(original):
            why = f"What goes back is of the cards that you held before: {', '.join(original)}."
            return Refusal(why, "WBC.XVII.6")
        return None

    def choices() -> list[Order]:
        return [least, *(ReturnCards(cards) for cards in list(combinations(original, number))[1:6])]

    about = {"target": target, "number": number, "from": list(original)}
    question = Asked(faction, "card-return", least, check, choices, about=about, public=False)
    stop = Stop(lambda: [question], frozen=True)
    yield stop
    order = stop.given[question.key][-1]
    assert isinstance(order, ReturnCards)
    return order.cards


# --- a worthless card that is up as a Karama -------------------------------------------------------------------------


def _check_cancel(game: Game, faction: Faction, order: Karama) -> Refusal | None:
    by = game.moments.worthless_played_by
    if by is None or game.moments.karama_cancelled:
        return Refusal("No worthless card is being used as a Karama now.", "WBC.AID.26")
    if by == faction:
        return Refusal("That is your own card.", "WBC.AID.26")
    return None


def _cancel(game: Game, faction: Faction, order: Karama) -> Flow:
    """Both cards are discarded and nothing comes of either (AH.QA.A.7)."""
    game.moments.karama_cancelled = True
    yield from ()


# --- the look at the spice card --------------------------------------------------------------------------------------


def _check_spice_look(game: Game, faction: Faction, order: Karama) -> Refusal | None:
    if not game.plays("atreides"):
        return Refusal("Atreides are not played in this game.", "WBC.AID.17")
    if game.state.phase not in BEFORE_THE_LOOK:
        why = "Atreides look at the spice card before anybody ships; for this turn that is over."
        return Refusal(why, "WBC.AID.17")
    if game.state.sights_blocked.get("spice card") == game.state.turn:
        return Refusal("Atreides do not look at the spice card this turn already.", "WBC.AID.17")
    return None


def _block_spice_look(game: Game, faction: Faction, order: Karama) -> Flow:
    game.state.sights_blocked["spice card"] = game.state.turn
    yield from ()


EFFECTS: Mapping[KaramaEffect, Effect] = {
    "revive": Effect(_check_revive, _revive),
    "take cards": Effect(_check_theft, _take_cards),
    "cancel karama": Effect(_check_cancel, _cancel),
    "block spice card": Effect(_check_spice_look, _block_spice_look),
}
