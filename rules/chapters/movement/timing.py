"""When a player who is free to choose takes their slot (AH.SHIELD.GUI.5, WBC.AID.37).

Where the rule set leaves the Guild free it may go before anybody's slot, or wait past its own place, and says so only
when it does; a Karama can hold it to its proper place until the player after it begins. It is asked before every slot
alike, so that asking says nothing.
"""

from __future__ import annotations

from collections.abc import Generator, Mapping, Sequence
from typing import Any

from rules.chapters.movement.slot import slot_of
from rules.components import Faction
from rules.decisions.asking import ask
from rules.decisions.catalogue import factions_with, rules_of
from rules.decisions.faction_rules import FactionRules
from rules.decisions.never_legal import not_theirs
from rules.decisions.question import Question, Stop
from rules.decisions.windows import window
from rules.orders import GoNow, Order, Wait
from rules.rulesets.refusal import Refusal
from rules.state.game import Game
from rules.state.moments import SlotMoment

Decision = Generator[Stop, None, bool]


def free(game: Game) -> list[Faction]:
    """The players who choose when they go."""
    able = factions_with(game, FactionRules.chooses_when_to_go)
    return [faction for faction in able if rules_of(game, faction).chooses_when_to_go(game)]


def goes_before(game: Game, slot: SlotMoment, faction: Faction) -> Decision:
    """Whether the faction goes before the slot of another that is next."""
    if faction in slot.done or faction in slot.held_to_place:
        return False
    if not (yield from _ask(game, slot, faction, own_place=False)):
        return False
    if slot.places.get(faction, "ahead") == "ahead":
        game.tell("guild-goes-early")
        yield from window(game, "guild-early", lambda: faction not in slot.held_to_place)
    return faction not in slot.held_to_place


def goes_in_its_place(game: Game, slot: SlotMoment, faction: Faction) -> Decision:
    """Whether the faction goes at its own place in the order of play; held to it by a Karama, it is not asked."""
    if (yield from _ask(game, slot, faction, own_place=True)):
        slot.places[faction] = "passed"
        return True
    slot.places[faction] = "here"
    game.tell("guild-waits")
    yield from window(game, "guild-waits", lambda: faction not in slot.held_to_place)
    slot.places[faction] = "passed"
    return faction in slot.held_to_place


def _ask(game: Game, slot: SlotMoment, faction: Faction, *, own_place: bool) -> Decision:
    def build() -> list[Question]:
        return [] if faction in slot.held_to_place else [TimingQuestion(game, faction, own_place=own_place)]

    answer = (yield from ask(build)).of(faction)
    return own_place if answer is None else isinstance(answer, GoNow)


class TimingQuestion(Question):
    """Do you take your slot now?"""

    kind = "guild-timing"
    only_refusal = Refusal("Only the Guild chooses when it moves.", "movement.time-of-the-guild")

    def __init__(self, game: Game, faction: Faction, *, own_place: bool) -> None:
        super().__init__(game, faction)
        self._own_place = own_place

    def refusal(self, order: Order) -> Refusal | None:
        return None

    @classmethod
    def refusal_ahead(cls, game: Game, faction: Faction, order: Order) -> Refusal | None:
        slot = slot_of(game)
        if refusal := not_theirs(game, faction, cls):
            return refusal
        if not rules_of(game, faction).chooses_when_to_go(game):
            return Refusal("In this game the Guild moves in its place.", "movement.order-of-slots")
        if slot.begun(faction):
            return Refusal("You have begun your move.", "movement.guild-any-place")
        if faction in slot.held_to_place:
            return Refusal("A Karama holds you to your proper place.", "movement.guild-held-to-place")
        return None

    @property
    def default(self) -> Order:
        return GoNow() if self._own_place else Wait()

    def samples(self) -> Sequence[Order]:
        return [GoNow(), Wait()]

    @property
    def facts(self) -> Mapping[str, Any]:
        return {"own_place": self._own_place, "place": slot_of(self.game).places.get(self.faction, "ahead")}
