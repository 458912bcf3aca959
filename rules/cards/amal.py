"""Amal: at the beginning of a phase everybody, its holder too, gives half their spice to the bank, fractions rounded up
(IT.CARD.27).

Nine phases a turn begin, and nobody is kept waiting for a card that hardly ever comes: who holds it says ahead in which
phase they will play it, or files it with a condition. It counts before anything else in the phase, and what lies before
the shields is not touched (IT.CARD.28).
"""

from __future__ import annotations

from msgspec import UNSET

from rules.chapters.deals import take_bribes
from rules.components import Card, Faction
from rules.decisions.question import Flow
from rules.decisions.windows import card_window
from rules.orders import Amal
from rules.rulesets.box import not_in
from rules.rulesets.options import Option
from rules.rulesets.refusal import Refusal
from rules.state.game import Game

AMAL = Card("Amal")

BRIBES_ARE_SAFE = Option("amal_before_bribes", {"yes": True, "no": False})
"""Whether the bribes are taken in after the moment for Amal in the Mentat Pause (IT.CARD.29)."""

OPTIONS = (BRIBES_ARE_SAFE,)


def gap(game: Game) -> Flow:
    """The moment before anything else in a phase."""
    if AMAL in not_in(game.rules) or game.state.phase == "setup":
        return
    if game.state.phase == "mentat" and not BRIBES_ARE_SAFE(game.rules):
        take_bribes(game)
    filed = game.state.box.amal_filed
    for faction in [one for one, phase in filed.items() if phase == game.state.phase]:
        del filed[faction]
        if game.holds(faction, AMAL):
            yield from play(game, faction, Amal())
    game.moments.amal_time = True
    yield from card_window(game, "amal", AMAL, Amal(), lambda: game.moments.amal_time)
    game.moments.amal_time = False


def refusal(game: Game, faction: Faction, order: Amal) -> Refusal | None:
    """Why Amal cannot be played, or filed, now; None where it can."""
    if order.phase == game.state.phase and not game.moments.amal_time:
        why = f"The {order.phase} phase is on, and Amal comes before anything else in it; say it when this one is over."
        return Refusal(why, "amal.when")
    if order.phase is None and not game.moments.amal_time:
        why = "Amal is played at the beginning of a phase, before anything else; say ahead “amal in PHASE”."
        return Refusal(why, "amal.when")
    if order.phase in ("setup", "over"):
        return Refusal("No spice is taken before the first turn, or after the last.", "amal.when")
    return None if game.holds(faction, AMAL) else Refusal("You do not hold Amal.", "amal.when")


def is_unseen(game: Game, order: Amal) -> bool:
    """Whether the card is only filed for a later phase, so that nobody else may notice it."""
    return order.phase not in (None, game.state.phase)


def play(game: Game, faction: Faction, order: Amal) -> Flow:
    """The card is discarded and everybody pays; or it is noted for the phase to come."""
    yield from ()
    if order.phase is not None and is_unseen(game, order):
        game.state.box.amal_filed[faction] = order.phase
        return
    take_back(game, faction)
    game.discard(faction, AMAL)
    given = {each: (player.spice + 1) // 2 for each, player in game.state.players.items()}
    for each, amount in given.items():
        game.pay(each, amount)
    game.moments.amal_time = False
    game.tell("amal", faction=faction, given=given)


def said_ahead(game: Game, faction: Faction) -> Amal | None:
    """The play that the faction has filed for a phase to come."""
    phase = None if game.state.expansion is UNSET else game.state.box.amal_filed.get(faction)
    return Amal(phase) if phase else None


def take_back(game: Game, faction: Faction) -> None:
    """Forget the play that the faction has filed."""
    game.state.box.amal_filed.pop(faction, None)
