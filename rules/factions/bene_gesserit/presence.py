"""How tokens of the Bene Gesserit stand among those of others.

In a territory they fight and count like everybody's, or they stand apart: they fight nobody, hold nothing and fill
nothing. Which of the two, where, and until when is ``State.presence``: "coexist" where they stand apart, "fight" where
they do not. The documents differ in how it comes about and how long it lasts, so each way is a class of its own:

- none of it (the basic game): ``Presence`` itself;
- declared anew each turn (1979, WBC): ``rules.factions.bene_gesserit.coexistence``, which clears ``State.presence``
  when a turn begins;
- advisors and fighters (2019): tokens stay what they are over the turns until they flip, so that such a class leaves
  ``State.presence`` as it is when a turn begins and changes it where something makes them flip.
"""

from __future__ import annotations

from typing import ClassVar

from rules.components import Faction
from rules.components.board import TerritoryId
from rules.decisions.question import Flow
from rules.rulesets.refusal import Refusal
from rules.state.game import Game


class Presence:
    """Tokens that always fight and count."""

    exists: ClassVar[bool] = False
    """Whether tokens can stand apart at all."""

    # --- what is -----------------------------------------------------------------------------------------------------

    def stands_apart(self, game: Game, territory: TerritoryId) -> bool:
        """Whether the tokens in the territory count for nothing there."""
        return game.state.presence.get(territory) == "coexist"

    def stood_apart(self, game: Game, territory: TerritoryId) -> bool:
        """Whether the tokens count for nothing there for worm riders, who come before anything is declared."""
        return self.stands_apart(game, territory)

    def has_ornithopters_of(self, game: Game, city: TerritoryId) -> bool:
        """Whether the tokens give ornithopters when the storm round ends."""
        return not self.stands_apart(game, city)

    def may_come_apart(self, game: Game, territory: TerritoryId) -> bool:
        """Whether tokens that go there now may stand apart there."""
        return False

    def may_send_advisor_to(self, game: Game, territory: TerritoryId) -> bool:
        """Whether an advisor may go to the territory of a shipment, where the rule set lets advisors go there."""
        return True

    def beside_ally_refusal(
        self, game: Game, faction: Faction, territory: TerritoryId, entering: Faction
    ) -> Refusal | None:
        """Why the one who enters may not join the other of the two allies there."""
        return None

    # --- what changes it ---------------------------------------------------------------------------------------------

    def begins_turn(self, game: Game) -> None:
        """A turn begins."""

    def declares_before_moves(self, game: Game, faction: Faction) -> Flow:
        """Before anybody ships or moves."""
        yield from ()

    def declares_when_met(self, game: Game, faction: Faction) -> Flow:
        """Tokens have come or gone in the movement round."""
        yield from ()

    def advisor_came(self, game: Game, faction: Faction, territory: TerritoryId) -> None:
        """An advisor has come with a shipment to the territory."""


def others_in(game: Game, faction: Faction, territory: TerritoryId) -> list[Faction]:
    """The other factions in the territory."""
    return [other for other in game.state.forces_in(territory) if other != faction]
