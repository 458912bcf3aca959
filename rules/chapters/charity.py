"""CHOAM charity (AH.VIII.I, AH.XV.B.2, GF9.CHARITY.1): two spice for players with little or none, before the bidding.

A player's spice is secret, so everybody is asked in the same way. By default, players take what they are entitled to
(A-09). At the same stop, before the first card comes up, a player may use a Karama to prevent Atreides from looking at
the cards.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from rules.chapters import tech_tokens
from rules.chapters.deals import spice_set_aside
from rules.components import Faction
from rules.decisions.catalogue import rules_of
from rules.decisions.question import Flow, Question, ask
from rules.decisions.windows import karama_can, window
from rules.orders import Charity, NoCharity, Order
from rules.rulesets.options import Option, number
from rules.rulesets.rulebook import Refusal
from rules.state.game import Game

CHARITY = 2


def _two(spice: int) -> int:
    return CHARITY


def _up_to_two(spice: int) -> int:
    return max(0, CHARITY - spice)


MOST_SPICE_OF_THE_POOR = number("charity_max_spice", range(6))
PAYOUT: Option[Callable[[int], int]] = Option("charity_payout", {"flat_two": _two, "top_up_to_two": _up_to_two})
"""The payout to a player who claims charity with this much spice."""


def flow(game: Game) -> Flow:
    answers = yield from ask(lambda: [CharityQuestion(game, faction) for faction in game.order_of_play()])
    claimed = [faction for faction in game.order_of_play() if isinstance(answers.of(faction), Charity)]
    yield from _time_to_cancel(game, claimed)
    for faction in claimed:
        if _entitled(game, faction):
            amount = _due(game, faction)
            game.gain(faction, amount)
            game.tell("charity", faction=faction, amount=amount, always=_always_has(game, faction))
            tech_tokens.set_off(game, "charity", faction)


def _time_to_cancel(game: Game, claimed: Sequence[Faction]) -> Flow:
    # FAQ.KARAMA-BG.5
    always = next((faction for faction in claimed if rules_of(game, faction).always_has_charity(game)), None)
    if always is not None and karama_can(game.rules, "cancel charity"):
        yield from window(game, "charity", lambda: always not in game.moments.charity_cancelled, by=always)


class CharityQuestion(Question):
    kind = "charity"
    blanket = True

    def refusal(self, order: Order) -> Refusal | None:
        return self.refusal_ahead(self.game, self.faction, order)

    @classmethod
    def refusal_ahead(cls, game: Game, faction: Faction, order: Order) -> Refusal | None:
        if isinstance(order, Charity) and not _entitled(game, faction):
            spice = _spice(game, faction)
            most = MOST_SPICE_OF_THE_POOR(game.rules)
            poor = f"at most {most} spice" if most else "no spice"
            return Refusal(f"Charity is for players with {poor}; you have {spice}.", "charity.who-is-poor")
        return None

    @property
    def default(self) -> Order:
        return Charity() if _entitled(self.game, self.faction) else NoCharity()

    def samples(self) -> list[Order]:
        return [Charity(), NoCharity()] if _entitled(self.game, self.faction) else [NoCharity()]

    @property
    def facts(self) -> Mapping[str, Any]:
        entitled = _entitled(self.game, self.faction)
        due = _due(self.game, self.faction) if entitled else 0
        return {"spice": _spice(self.game, self.faction), "entitled": entitled, "due": due}


def _spice(game: Game, faction: Faction) -> int:
    return game.player(faction).spice + spice_set_aside(game, faction)


def _always_has(game: Game, faction: Faction) -> bool:
    return faction not in game.moments.charity_cancelled and rules_of(game, faction).always_has_charity(game)


def _entitled(game: Game, faction: Faction) -> bool:
    return _always_has(game, faction) or _spice(game, faction) <= MOST_SPICE_OF_THE_POOR(game.rules)


def _due(game: Game, faction: Faction) -> int:
    """Return the payout of a faction that is entitled to charity. A faction that is always entitled gets the full
    amount; otherwise it would get less with one spice than with two."""
    if _always_has(game, faction):
        return CHARITY
    return PAYOUT(game.rules)(_spice(game, faction))


QUESTIONS = (CharityQuestion,)
