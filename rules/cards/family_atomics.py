"""Family Atomics: the Shield Wall is blown up, after the number of the storm is known and before it moves
(AH.AID.TIMED.5, WBC.VI.3)."""

from __future__ import annotations

from rules.cards.storm_card import StormCardQuestion, allowed, ask_for
from rules.components import Card, Faction, Forces, board
from rules.components.board import MOBILE_STRONGHOLD, SHIELD_WALL, TERRITORIES, TerritoryId
from rules.decisions.departures import tokens_gone
from rules.decisions.question import Flow
from rules.orders import FamilyAtomics, NoStormCards, Order
from rules.rulesets.options import Option
from rules.rulesets.refusal import Refusal
from rules.state.game import Game

AT_THE_WALL: frozenset[TerritoryId] = frozenset(
    board.territory_of(area) for wall in TERRITORIES[SHIELD_WALL].areas for area in (wall, *board.neighbours(wall))
)
"""The Shield Wall and its neighbours, from where Family Atomics can be played (AH.AID.TIMED.5-b)."""


INSIDE_IS_BESIDE = Option("hms_is_beside_wall", {"no": False, "yes": True})
"""Whether those inside the Hidden Mobile Stronghold count as standing where it points (IT.HMS.29)."""


def flow(game: Game) -> Flow:
    """The gap before the storm moves."""
    answers = yield from ask_for(game, FamilyAtomicsQuestion)
    for faction in game.order_of_play():
        order = answers.of(faction)
        if isinstance(order, FamilyAtomics):
            play(game, faction, order)


def play(game: Game, faction: Faction, order: FamilyAtomics) -> None:
    """The card is played: the wall goes."""
    destroy_shield_wall(game, faction)


def destroy_shield_wall(game: Game, faction: Faction) -> None:
    """All tokens on the wall die, what it sheltered lies open, the card leaves the game (AH.AID.TIMED.5-c to -e)."""
    state = game.state
    game.player(faction).hand.remove(FamilyAtomicsQuestion.card)
    state.set_aside.append(FamilyAtomicsQuestion.card)
    state.shield_wall = False
    dead = {other: str(lost) for other in state.players if (lost := _kill_on_the_wall(game, other))}
    game.tell("family-atomics", faction=faction, dead=dead)
    tokens_gone(game)


def _kill_on_the_wall(game: Game, faction: Faction) -> Forces:
    dead = game.kill_in(SHIELD_WALL, faction)
    return dead + game.kill(MOBILE_STRONGHOLD, faction) if _points_at(game, SHIELD_WALL) else dead


def _at_the_wall(game: Game, faction: Faction) -> bool:
    places = {board.territory_of(area) for area, here in game.state.forces.items() if faction in here}
    inside = board.territory_of(MOBILE_STRONGHOLD) in places
    return not places.isdisjoint(AT_THE_WALL) or (inside and any(_points_at(game, place) for place in AT_THE_WALL))


def _points_at(game: Game, territory: TerritoryId) -> bool:
    """Whether the mobile stronghold points at the territory, and those inside count as standing there."""
    door = game.state.door
    return door is not None and INSIDE_IS_BESIDE(game.rules) and board.territory_of(door) == territory


class FamilyAtomicsQuestion(StormCardQuestion):
    """Do you blow up the Shield Wall, if you hold Family Atomics?"""

    takes = (NoStormCards, FamilyAtomics)
    card = Card("Family Atomics")
    time_over = Refusal("The time for Family Atomics is over this turn.", "storm.family-atomics-time")

    @classmethod
    def can_be_played(cls, game: Game) -> bool:
        return super().can_be_played(game) and any(_at_the_wall(game, faction) for faction in game.state.players)

    @classmethod
    def play_refusal(cls, game: Game, faction: Faction, order: Order) -> Refusal | None:
        if not isinstance(order, FamilyAtomics):
            return None
        if not allowed(game):
            return Refusal("Family Atomics cannot be played on the first turn.", "storm.family-atomics-turn-1")
        if not _at_the_wall(game, faction):
            near = ", ".join(sorted(TERRITORIES[territory].name for territory in AT_THE_WALL))
            return Refusal(f"Family Atomics needs a token of yours in one of: {near}.", "storm.family-atomics-place")
        if not game.holds(faction, cls.card):
            return Refusal("You do not hold Family Atomics.", "storm.family-atomics-time")
        return None

    def samples(self) -> list[Order]:
        playable = self.game.holds(self.faction, self.card) and _at_the_wall(self.game, self.faction)
        return [NoStormCards(), FamilyAtomics()] if playable else [NoStormCards()]


QUESTIONS = (FamilyAtomicsQuestion,)
OPTIONS = (INSIDE_IS_BESIDE,)
