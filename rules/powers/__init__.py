"""Cards and powers that may be played at any stop: Karama, Truthtrance, Ghola, the Emperor's gifts, deals.

``check`` says whether a play is legal now; ``play`` is the flow that carries it out. A play in a reaction window
(``rules.powers.windows``) waits for the window to close and is then resolved in the order of play.
"""

from __future__ import annotations

from rules.components import Faction
from rules.game import Game
from rules.orders import Deal, EmperorGives, Ghola, Karama, Order, Truthtrance
from rules.powers import deals, ghola, karama, truthtrance
from rules.questions import Flow, Question
from rules.refusal import Refusal


def check(game: Game, faction: Faction, order: Order) -> Refusal | None:
    """Why this cannot be played now, or None."""
    match order:
        case Karama():
            return karama.check(game, faction, order)
        case Truthtrance():
            return truthtrance.check(game, faction, order)
        case Ghola():
            return ghola.check(game, faction, order)
        case EmperorGives():
            return deals.check_gift(game, faction, order)
        case Deal():
            return deals.check_deal(game, faction, order)
    return Refusal("That cannot be played now.", "AH.AID.TIMED.0")


def play(game: Game, faction: Faction, order: Order) -> Flow:
    """Carry out a legal play."""
    match order:
        case Karama():
            yield from karama.play(game, faction, order)
        case Truthtrance():
            yield from truthtrance.play(game, faction, order)
        case Ghola():
            ghola.play(game, faction, order)
        case EmperorGives():
            deals.offer(game, faction, order)
        case Deal():
            deals.offer(game, faction, order)


def cards_for(game: Game, faction: Faction, order: Order) -> int:
    """How many cards the faction holds that can make such a play; 0 for what is no play of a card."""
    match order:
        case Karama():
            return len(karama.karama_cards(game, faction))
        case Truthtrance():
            return game.player(faction).hand.count(truthtrance.TRUTHTRANCE)
        case Ghola():
            return game.player(faction).hand.count(ghola.GHOLA)
    return 0


def unseen(game: Game, order: Order) -> bool:
    """Whether nobody else may notice the play: an offer to one other player, a Karama that is only meant for later.

    Such a play takes no part in a reaction window: resolved there, it would open the window anew for all to see.
    """
    if isinstance(order, Karama):
        return karama.EFFECTS[order.effect].unseen(game)
    return isinstance(order, Deal | EmperorGives)


def offers(game: Game) -> list[Question]:
    """What players have put to each other and wait to be answered, beside whatever else is asked."""
    return deals.offers(game) if game.state.offers else []
