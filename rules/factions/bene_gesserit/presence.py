"""How tokens of the Bene Gesserit stand among those of others.

In a territory they fight and count like everybody's, or they stand apart: they fight nobody, hold nothing and fill
nothing. Which of the two, where, and until when is ``State.presence``: "coexist" where they stand apart, "fight" where
they do not. The documents differ in how it comes about and how long it lasts, so each way is a class of its own:

- none of it (the basic game): ``Presence`` itself;
- declared anew each turn (1979, WBC): ``rules.factions.bene_gesserit.coexistence``, which clears ``State.presence``
  when a turn begins;
- advisors and fighters (2019): ``rules.factions.bene_gesserit.advisor_fighter``; tokens stay what they are over the
  turns until they flip, so that this class leaves ``State.presence`` as it is when a turn begins.

Here too stand the options that both of the latter read.
"""

from __future__ import annotations

from collections.abc import Sequence, Set
from typing import ClassVar, Literal

from rules.components import Faction, Forces, board
from rules.components.board import TERRITORIES, Area, TerritoryId
from rules.decisions.question import Flow
from rules.decisions.under_storm import in_storm
from rules.orders import Coexist, Fight, PhaseName
from rules.rulesets.options import Option
from rules.rulesets.refusal import Refusal
from rules.state.game import Game

ChangesBack = Literal["alone", "others", "any"]
"""After which entry tokens that were declared to fight this turn may stand apart again: of anybody where they had been
left alone; there of somebody whom they have not met; of anybody."""

EARLY: Option[tuple[PhaseName, ...]] = Option(
    "bg_declare_window",
    {
        "after_revival": (),
        "start_of_movement_round": ("revival",),
        "after_nexus_until_shipment": ("charity", "bidding", "revival"),
    },
)
"""In which phases it may already be said what is asked for before the first shipment (AH.XV.B.5-a, WBC.IX.2,
FAQ.BG.4)."""

SILENTLY_APART: Option[bool | None] = Option(
    "bg_silent_default", {"coexist": True, "not_coexisting": False, "keep_type": None}
)
"""How silence is read; None leaves the tokens as they stood (AH.XV.B.5-g, FAQ.BG.4)."""

FIGHTERS_CHOOSE = Option("bg_own_arrival", {"choose": True, "fighters_stay_advisors_choose": False})
REINFORCEMENT_IS_ENTRY = Option("bg_reaction_to_reinforcement", {"no": False, "yes": True})
CHANGES_BACK: Option[ChangesBack] = Option(
    "bg_undo_non_coexistence_same_turn",
    {
        "on_entry_to_bg_only_territory": "alone",
        "after_vacated_then_new_faction": "others",
        "on_any_intrusion": "any",
    },
)
COUNTS_ALONE = Option("bg_alone_after_coexisting_counts", {"not_this_turn": False, "at_once": True})
FIGHTS_UNDER_STORM = Option("bg_flip_under_storm", {"allowed": True, "forbidden": False})
PRESUMED_APART = Option("bg_undeclared_status", {"coexisting": True, "keep_type": False})
"""How tokens beside others stand before anything is declared: apart, or as they were last turn (AH.XV.B.5-g, FAQ.BG.2,
WBC.VII.9)."""


NOTHING_IS_DECLARED = Refusal("Nothing is declared now of how your tokens stand.", "coexistence.where")


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

    def may_send_advisor_to(self, game: Game, faction: Faction, territory: TerritoryId) -> bool:
        """Whether an advisor may go to the territory of a shipment, where the rule set lets advisors go there."""
        return True

    def beside_ally_refusal(
        self, game: Game, faction: Faction, territory: TerritoryId, entering: Faction
    ) -> Refusal | None:
        """Why the one who enters may not join the other of the two allies there."""
        return None

    def begins_with(self, game: Game, faction: Faction, territories: Sequence[TerritoryId]) -> None:
        """In the position with which a game begins the tokens stand apart in these territories."""
        game.state.presence = dict.fromkeys(territories, "coexist")

    def early_refusal(self, game: Game, faction: Faction, order: Fight | Coexist) -> Refusal | None:
        """Why this cannot be declared now, before it is asked for."""
        return NOTHING_IS_DECLARED

    # --- what changes it ---------------------------------------------------------------------------------------------

    def begins_turn(self, game: Game) -> None:
        """A turn begins."""

    def declares_before_moves(self, game: Game, faction: Faction) -> Flow:
        """Before anybody ships or moves."""
        yield from ()

    def declares_when_met(self, game: Game, faction: Faction) -> Flow:
        """Tokens have come or gone in the movement round."""
        yield from ()

    def declares_when_entered(
        self, game: Game, faction: Faction, mover: Faction, forces: Forces, source: Area | None, target: Area
    ) -> Flow:
        """Tokens have come to an area, those of the faction or of another; asked at that instant."""
        yield from ()

    def notices_departures(self, game: Game, faction: Faction) -> None:
        """Tokens have died or gone."""

    def was_placed(self, game: Game, faction: Faction, territory: TerritoryId) -> None:
        """The first token stands there, chosen before the first turn."""

    def declares_early(self, game: Game, faction: Faction, order: Fight | Coexist) -> Flow:
        """Something is declared before it is asked for."""
        yield from ()

    def advisor_came(self, game: Game, faction: Faction, territory: TerritoryId) -> None:
        """An advisor has come with a shipment to the territory."""


def others_in(game: Game, faction: Faction, territory: TerritoryId) -> list[Faction]:
    """The other factions in the territory."""
    return [other for other in game.state.forces_in(territory) if other != faction]


def territories_of(game: Game, faction: Faction) -> set[TerritoryId]:
    """Where the faction has tokens."""
    return {board.territory_of(area) for area, here in game.state.forces.items() if faction in here}


def in_board_order(found: Set[TerritoryId]) -> list[TerritoryId]:
    """The territories as the board lists them."""
    return [territory for territory in TERRITORIES if territory in found] if found else []


def shared(game: Game, faction: Faction) -> list[TerritoryId]:
    """Where the faction is not alone, in board order."""
    here = territories_of(game, faction)
    return in_board_order({territory for territory in here if len(game.state.forces_in(territory)) > 1})


def with_ally(game: Game, faction: Faction, territory: TerritoryId) -> bool:
    """Whether an ally of the faction stands there."""
    return any(game.state.allied(faction, other) for other in game.state.forces_in(territory))


def locked_by_storm(game: Game, territory: TerritoryId) -> bool:
    """Whether it is a stronghold in which the storm lets nobody begin to fight (FAQ.BG.15)."""
    facts = TERRITORIES[territory]
    locked = facts.kind == "stronghold" and in_storm(game, facts.areas[0])
    return locked and not FIGHTS_UNDER_STORM(game.rules)


OPTIONS = (
    EARLY,
    SILENTLY_APART,
    FIGHTERS_CHOOSE,
    REINFORCEMENT_IS_ENTRY,
    CHANGES_BACK,
    COUNTS_ALONE,
    FIGHTS_UNDER_STORM,
    PRESUMED_APART,
)
