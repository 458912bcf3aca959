"""Thumper and Harvester, the cards of the spice blow (IT.CARD.22 to 26).

A Thumper is played instead of the first spice card, and all goes on as if a worm had been turned. A Harvester doubles
what a blow has just brought. Nobody may know who holds them, so everybody is asked, while the card can be in a hand.
"""

from __future__ import annotations

from msgspec import UNSET

from rules.chapters.spice_blow.blow import BLOWS
from rules.components import Card, Faction
from rules.components.board import territory_of
from rules.decisions.question import Flow
from rules.decisions.windows import card_window
from rules.orders import Harvester, Thumper
from rules.rulesets.box import not_in
from rules.rulesets.options import Option
from rules.rulesets.refusal import Refusal
from rules.state.game import Game

THUMPER = Card("Thumper")
HARVESTER = Card("Harvester")

ON_ANY_PILE = Option("thumper_pile", {"first": False, "any": True})
"""Whether a Thumper may be played before the cards of a second pile, too (IT.CARD.25)."""
WASTED_ON_FIRST_TURN = Option("thumper_turn_1", {"refused": False, "wasted": True})
"""Whether a Thumper may be played on the first turn, without any effect (IT.CARD.26)."""
WHOLE_PILE = Option("harvester_doubles", {"blow": False, "whole_pile": True})
"""Whether a Harvester doubles all that lies there after the blow (IT.CARD.22)."""

OPTIONS = (ON_ANY_PILE, WASTED_ON_FIRST_TURN, WHOLE_PILE)


# --- Thumper ------------------------------------------------------------------------------------------------------


def thumper_gap(game: Game) -> Flow:
    """The moment before a pile's first card."""
    moment = game.moments.spice
    if moment is None or THUMPER in not_in(game.rules):
        return
    first = moment.piles_to_come + 1 == BLOWS(game.rules)
    useless = game.state.turn == 1 and not WASTED_ON_FIRST_TURN(game.rules)
    if useless or not (first or ON_ANY_PILE(game.rules)):
        return
    moment.thumper_time = True
    yield from card_window(game, "thumper", THUMPER, Thumper(), lambda: moment.thumper_time)
    moment.thumper_time = False


def refuse_thumper(game: Game, faction: Faction, order: Thumper) -> Refusal | None:
    """Why a Thumper cannot be played now, or None; public grounds before the hand."""
    if game.state.turn == 1 and not WASTED_ON_FIRST_TURN(game.rules):
        return Refusal("On the first turn a Thumper does nothing, like its worms.", "thumper.first-turn")
    moment = game.moments.spice
    if moment is None or not moment.thumper_time:
        return Refusal("A Thumper is played before the first spice card is turned.", "thumper.when")
    return None if game.holds(faction, THUMPER) else Refusal("You do not hold the Thumper.", "thumper.when")


def play_thumper(game: Game, faction: Faction, order: Thumper) -> Flow:
    """The card is discarded, and a worm comes before any card is turned (IT.CARD.24, FAQ.TREACHERY.2)."""
    yield from ()
    game.discard(faction, THUMPER)
    game.tell("thumper", faction=faction)
    moment = game.moments.spice
    assert moment is not None
    moment.thumper_time = False
    moment.thumped = game.state.turn > 1


# --- Harvester ----------------------------------------------------------------------------------------------------


def harvester_gap(game: Game) -> Flow:
    """The moment after a blow that has brought spice (IT.CARD.23)."""
    moment = game.moments.spice
    if moment is None or moment.laid is None or not moment.laid[1] or HARVESTER in not_in(game.rules):
        return
    filed = game.state.box.harvester_filed
    for faction, order in list(filed.items()):
        if refuse_harvester(game, faction, order) is None:
            yield from play_harvester(game, faction, order)
    if moment.laid is None:
        return
    area, amount = moment.laid
    yield from card_window(
        game, "harvester", HARVESTER, Harvester(), lambda: moment.laid is not None, area=area, amount=amount
    )


def refuse_harvester(game: Game, faction: Faction, order: Harvester) -> Refusal | None:
    """Why a Harvester cannot be played now, or None; public grounds before the hand."""
    moment = game.moments.spice
    if moment is None or moment.laid is None:
        if is_filed(game, order) and _blow_to_come(game):
            return None if game.holds(faction, HARVESTER) else _NOT_HELD
        why = "A Harvester is played just after spice has blown; say ahead “harvester on TERRITORY”."
        return Refusal(why, "harvester.when")
    area, amount = moment.laid
    if not amount:
        return Refusal("This blow was under the storm: there is nothing to double.", "harvester.storm")
    if order.territory and territory_of(area) != order.territory:
        return Refusal("The spice has blown elsewhere.", "harvester.when")
    if amount < order.least:
        return Refusal(f"This blow has brought {amount}.", "harvester.when")
    return None if game.holds(faction, HARVESTER) else _NOT_HELD


_NOT_HELD = Refusal("You do not hold the Harvester.", "harvester.when")


def is_filed(game: Game, order: Harvester) -> bool:
    """Whether it is said ahead, for a blow to come: nobody else may notice."""
    moment = game.moments.spice
    return bool(order.territory or order.least) and (moment is None or moment.laid is None)


def _blow_to_come(game: Game) -> bool:
    """Whether spice has still to blow this turn, and that is what comes next."""
    moment, phase = game.moments.spice, game.state.phase
    return phase == "storm" or (phase == "spice" and (moment is None or moment.blows_to_come))


def filed_harvester(game: Game, faction: Faction) -> Harvester | None:
    """The Harvester that the faction has filed for a blow to come, with its condition; None where it has filed none."""
    return None if game.state.expansion is UNSET else game.state.box.harvester_filed.get(faction)


def take_back_harvester(game: Game, faction: Faction) -> None:
    """Forget the Harvester that the faction has filed."""
    game.state.box.harvester_filed.pop(faction, None)


def play_harvester(game: Game, faction: Faction, order: Harvester) -> Flow:
    """The card is discarded, and the spice of the blow is doubled (IT.CARD.22); or it is noted for a blow to come."""
    yield from ()
    filed, moment = game.state.box.harvester_filed, game.moments.spice
    if moment is None or moment.laid is None:
        filed[faction] = order
        return
    filed.pop(faction, None)
    game.discard(faction, HARVESTER)
    area, blown = moment.laid
    amount = game.state.spice.get(area, 0) if WHOLE_PILE(game.rules) else blown
    game.add_spice(area, amount)
    moment.laid = None
    game.tell("harvester", faction=faction, area=area, amount=amount)
