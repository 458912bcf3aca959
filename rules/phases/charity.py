"""CHOAM charity (AH.VIII.I, AH.XV.B.2): two spice for who has none, before the bidding.

How much spice a player has is secret, so everybody is asked alike, and who is silent takes what is due to him (A-09).
The same stop is the gap before the first card comes up: whoever wants to keep Atreides from looking plays the Karama
here.
"""

from __future__ import annotations

from rules.components import Faction
from rules.game import Game
from rules.orders import Charity, NoCharity, Order
from rules.questions import Flow, Question, ask
from rules.refusal import Refusal

CHARITY = 2


def flow(game: Game) -> Flow:
    """The story of the charity."""
    answers = yield from ask(lambda: [_question(game, faction) for faction in game.order_of_play()])
    for faction in game.order_of_play():
        if isinstance(answers.of(faction), Charity):
            game.gain(faction, CHARITY)
            game.tell("charity", faction=faction, amount=CHARITY, always=_always(game, faction))


def _always(game: Game, faction: Faction) -> bool:
    """The Bene Gesserit are given charity whatever they hold, from the second turn on (AH.XV.B.2)."""
    return faction == "bene-gesserit" and game.rules.bg_charity == "from_turn_2" and game.state.turn >= 2


def _entitled(game: Game, faction: Faction) -> bool:
    return _always(game, faction) or game.player(faction).spice <= game.rules.charity_max_spice


def _question(game: Game, faction: Faction) -> Question:
    entitled = _entitled(game, faction)
    return Question(
        faction,
        "charity",
        Charity() if entitled else NoCharity(),
        lambda order: still_to_come(game, faction, order),
        lambda: [Charity(), NoCharity()] if entitled else [NoCharity()],
        about={"spice": game.player(faction).spice, "entitled": entitled},
        blanket=True,
    )


def still_to_come(game: Game, faction: Faction, order: Order) -> Refusal | None:
    """Who has spice cannot claim; a claim made while something else is played is held for the one stop of the phase."""
    if isinstance(order, Charity) and not _entitled(game, faction):
        spice = game.player(faction).spice
        return Refusal(f"Charity is for who has no spice; you have {spice}.", "AH.VIII.I-a")
    return None
