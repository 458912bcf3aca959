"""Coexistence of Bene Gesserit tokens with other factions' tokens, as declared under the 1979 and WBC rules.

In each territory, Bene Gesserit tokens either fight and count like all other tokens, or stand apart. Tokens that stand
apart fight nobody, hold nothing and do not help to fill a stronghold. ``State.presence`` is "coexist" in territories
where they stand apart and "fight" where they do not. The documents differ on how tokens come to stand apart and for how
long. There is a class for each variant:

- They never stand apart (the basic game): ``Presence`` itself.
- They declare it each turn (1979, WBC): ``Coexistence``, which clears ``State.presence`` when a turn begins.
- They are advisors or fighters (2019): ``AdvisorFighter`` in ``rules.factions.bene_gesserit_advisors``. Tokens remain
  of the same kind from turn to turn until they flip, so this class keeps ``State.presence`` when a turn begins.

The options of all these classes are also defined here.

Coexistence (AH.XV.B.4 to 5, WBC.XV.8 to 16) belongs to the territory, not to the tokens. It is declared where Bene
Gesserit and others are together: at the beginning of the movement round, and later at the instant when they meet. Until
the turn ends, a declaration "coexist" cannot be changed. A declaration "fight" may be changed only if all others have
left and somebody else comes (WBC.XV.12). In the Polar Sink nobody fights, holds or collects anything, so nothing is
declared there.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from typing import Any, ClassVar, Literal

from rules.chapters.occupancy import NOBODYS_TERRITORY, in_storm, slot_of
from rules.components import Faction, Forces, board, the_faction
from rules.components.board import TERRITORIES, Area, TerritoryId
from rules.decisions.catalogue import TOKENS_FLIP, rules_of
from rules.decisions.early_orders import not_theirs
from rules.decisions.question import Flow, Question, ask
from rules.orders import Coexist, Fight, Order, PhaseName
from rules.rulesets.options import Option
from rules.rulesets.rulebook import Refusal
from rules.rulesets.ruleset import RuleSet
from rules.state.game import Game

ChangesBack = Literal["alone", "others", "any"]
"""The arrival of other tokens after which tokens that declared to fight this turn may stand apart again.

"alone" means any arrival after the tokens had been left alone. "others" means the same, but only an arrival of factions
that they have not met. "any" means any arrival.
"""

EARLY_PHASES: Option[tuple[PhaseName, ...]] = Option(
    "bg_declare_window",
    {
        "after_revival": (),
        "start_of_movement_round": ("revival",),
        "after_nexus_until_shipment": ("charity", "bidding", "revival"),
    },
)
"""The phases in which the declaration may be made ahead of its question, which is asked before the first shipment
(AH.XV.B.5-a, WBC.IX.2, FAQ.BG.4)."""

SILENTLY_APART: Option[bool | None] = Option(
    "bg_silent_default", {"coexist": True, "not_coexisting": False, "keep_type": None}
)
"""The default declaration, or None if the tokens keep their status by default (AH.XV.B.5-g, FAQ.BG.4)."""

FIGHTERS_CHOOSE = Option("bg_own_arrival", {"choose": True, "fighters_stay_advisors_choose": False})
REINFORCEMENT_IS_ENTRY = Option("bg_reaction_to_reinforcement", {"no": False, "yes": True})
CHANGES_BACK: Option[ChangesBack] = Option(
    "bg_undo_non_coexistence_same_turn",
    {"on_entry_to_bg_only_territory": "alone", "after_vacated_then_new_faction": "others", "on_any_intrusion": "any"},
)
COUNTS_ALONE = Option("bg_alone_after_coexisting_counts", {"not_this_turn": False, "at_once": True})
FIGHTS_UNDER_STORM = Option("bg_flip_under_storm", {"allowed": True, "forbidden": False})
PRESUMED_APART = Option("bg_undeclared_status", {"coexisting": True, "keep_type": False})
"""True if tokens that are with others stand apart until they declare otherwise, instead of keeping last turn's status
(AH.XV.B.5-g, FAQ.BG.2, WBC.VII.9)."""


NOTHING_IS_DECLARED = Refusal("You cannot declare the status of your tokens now.", "coexistence.where")


class Presence:
    """Tokens that always fight and count. The classes for the other variants are derived from this one."""

    exists: ClassVar[bool] = False
    """True if tokens can stand apart."""

    # --- what is -----------------------------------------------------------------------------------------------------

    def stands_apart(self, game: Game, territory: TerritoryId) -> bool:
        return game.state.presence.get(territory) == "coexist"

    def stood_apart(self, game: Game, territory: TerritoryId) -> bool:
        """Return whether the tokens coexist as far as worm riders are concerned. Worm riders come before this turn's
        declarations."""
        return self.stands_apart(game, territory)

    def has_ornithopters_of(self, game: Game, city: TerritoryId) -> bool:
        return not self.stands_apart(game, city)

    def may_come_apart(self, game: Game, territory: TerritoryId) -> bool:
        return False

    def may_send_advisor_to(self, game: Game, faction: Faction, territory: TerritoryId) -> bool:
        return True

    def beside_ally_refusal(
        self, game: Game, faction: Faction, territory: TerritoryId, entering: Faction
    ) -> Refusal | None:
        return None

    def begins_with(self, game: Game, faction: Faction, territories: Sequence[TerritoryId]) -> None:
        game.state.presence = dict.fromkeys(territories, "coexist")

    def early_refusal(self, game: Game, faction: Faction, order: Fight | Coexist) -> Refusal | None:
        return NOTHING_IS_DECLARED

    # --- what changes it ---------------------------------------------------------------------------------------------

    def begins_turn(self, game: Game) -> None: ...

    def declares_before_moves(self, game: Game, faction: Faction) -> Flow:
        yield from ()

    def declares_when_met(self, game: Game, faction: Faction) -> Flow:
        yield from ()

    def declares_when_entered(
        self, game: Game, faction: Faction, mover: Faction, forces: Forces, source: Area | None, target: Area
    ) -> Flow:
        yield from ()

    def notices_departures(self, game: Game, faction: Faction) -> None: ...

    def was_placed(self, game: Game, faction: Faction, territory: TerritoryId) -> None: ...

    def declares_early(self, game: Game, faction: Faction, order: Fight | Coexist) -> Flow:
        yield from ()

    def advisor_came(self, game: Game, faction: Faction, territory: TerritoryId) -> None: ...


def others_in(game: Game, faction: Faction, territory: TerritoryId) -> list[Faction]:
    return [other for other in game.state.forces_in(territory) if other != faction]


def territories_of(game: Game, faction: Faction) -> set[TerritoryId]:
    return {board.territory_of(area) for area, here in game.state.forces.items() if faction in here}


def in_board_order(found: Set[TerritoryId]) -> list[TerritoryId]:
    return [territory for territory in TERRITORIES if territory in found] if found else []


def shared_territories(game: Game, faction: Faction) -> list[TerritoryId]:
    here = territories_of(game, faction)
    return in_board_order({territory for territory in here if len(game.state.forces_in(territory)) > 1})


def stands_with_ally(game: Game, faction: Faction, territory: TerritoryId) -> bool:
    return any(game.state.allied(faction, other) for other in game.state.forces_in(territory))


def locked_by_storm(game: Game, territory: TerritoryId) -> bool:
    """Return whether the territory is a stronghold in which the storm keeps new fights from breaking out
    (FAQ.BG.15)."""
    facts = TERRITORIES[territory]
    locked = facts.kind == "stronghold" and in_storm(game, facts.areas[0])
    return locked and not FIGHTS_UNDER_STORM(game.rules)


DECLARATION_PHASES: tuple[PhaseName, ...] = ("storm", "battle", "collection", "mentat")
"""The phases at whose start this turn's declarations apply. The storm phase then turns them into last turn's."""

MUST_COEXIST_WITH_ALLY = Option(
    "bg_beside_ally", {"not_allowed": False, "must_coexist": True, "may_coexist": False, "must_leave": False}
)


class Coexistence(Presence):
    """Tokens that coexist for one turn in the territories for which the Bene Gesserit have declared it."""

    exists = True

    # --- what is -----------------------------------------------------------------------------------------------------

    def stands_apart(self, game: Game, territory: TerritoryId) -> bool:
        declared = game.state.presence.get(territory)
        if declared == "coexist":
            return not COUNTS_ALONE(game.rules) or len(game.state.forces_in(territory)) > 1
        return declared is None and _presumed(game, territory)

    def stood_apart(self, game: Game, territory: TerritoryId) -> bool:
        """Return whether the Bene Gesserit have declared this turn that they coexist in the territory. If they have
        declared nothing yet, return whether coexistence is presumed, or existed at the end of the last turn
        (WBC.VII.9)."""
        declared = game.state.presence.get(territory)
        if declared is not None:
            return declared == "coexist"
        return _presumed(game, territory) or territory in game.state.coexisted

    def has_ornithopters_of(self, game: Game, city: TerritoryId) -> bool:
        """Return false for a city that the Bene Gesserit share with others and in which they coexisted at the end of
        the last turn (WBC.IX.13, WBC.IX.16)."""
        return city not in game.state.coexisted or len(game.state.forces_in(city)) == 1

    def may_come_apart(self, game: Game, territory: TerritoryId) -> bool:
        return game.state.presence.get(territory) != "fight"

    def may_send_advisor_to(self, game: Game, faction: Faction, territory: TerritoryId) -> bool:
        return game.state.presence.get(territory) != "fight"  # AH.XV.B.5-d

    def beside_ally_refusal(
        self, game: Game, faction: Faction, territory: TerritoryId, entering: Faction
    ) -> Refusal | None:
        """Refuse a territory in which the Bene Gesserit have declared that they fight. In any other territory they
        coexist with their ally (WBC.XV.14 to 16)."""
        if game.state.presence.get(territory) != "fight":
            return None
        name = TERRITORIES[territory].name
        if faction == entering:
            why = f"Your ally is in {name}, and you declared to fight there."
            return Refusal(why, "coexistence.beside-an-ally")
        if not MUST_COEXIST_WITH_ALLY(game.rules):
            why = f"Your ally, {the_faction(faction)}, will fight in {name} as declared."
            return Refusal(why, "coexistence.ally-enters")
        if any(other != entering for other in others_in(game, faction, territory)):
            why = f"Tokens of your ally, {the_faction(faction)}, do not coexist with the others in {name}."
            return Refusal(why, "coexistence.ally-enters")
        return None

    def begins_with(self, game: Game, faction: Faction, territories: Sequence[TerritoryId]) -> None:
        if game.state.phase not in DECLARATION_PHASES:
            game.state.coexisted = list(territories)
            return
        super().begins_with(game, faction, territories)
        if PRESUMED_APART(game.rules):
            for territory in shared_territories(game, faction):
                game.state.presence.setdefault(territory, "fight")

    def early_refusal(self, game: Game, faction: Faction, order: Fight | Coexist) -> Refusal | None:
        """Allow a declaration that must be made this turn, once the phase named by the rule set has begun
        (AH.XV.B.5-a)."""
        if game.state.phase not in EARLY_PHASES(game.rules) or order.territory not in _due(game, faction):
            return NOTHING_IS_DECLARED
        return StatusQuestion(game, faction, order.territory).refusal(order)

    # --- what changes it ---------------------------------------------------------------------------------------------

    def begins_turn(self, game: Game) -> None:
        """Remember where the Bene Gesserit coexisted at the end of the last turn, and clear the declarations
        (WBC.XV.10)."""
        state = game.state
        state.coexisted = [territory for territory, declared in state.presence.items() if declared == "coexist"]
        state.presence = {}

    def declares_early(self, game: Game, faction: Faction, order: Fight | Coexist) -> Flow:
        _record(game, faction, order, forced=False)
        yield from ()

    def declares_before_moves(self, game: Game, faction: Faction) -> Flow:
        yield from _declare_where_due(game, faction, StatusQuestion)  # AH.XV.B.5-a, WBC.IX.2

    def declares_when_entered(
        self, game: Game, faction: Faction, mover: Faction, forces: Forces, source: Area | None, target: Area
    ) -> Flow:
        """Let the Bene Gesserit declare again if others enter a territory in which they have declared to fight and the
        rule set allows a new declaration. The rule set may require newly arrived Bene Gesserit tokens to fight if they
        did not coexist before."""
        yield from ()
        territory = board.territory_of(target)
        if mover != faction:
            if game.state.presence.get(territory) == "fight" and CHANGES_BACK(game.rules) == "any":
                newcomers = _tokens(game, mover, territory) <= forces.total
                if (newcomers or REINFORCEMENT_IS_ENTRY(game.rules)) and not game.state.allied(faction, mover):
                    del game.state.presence[territory]
        elif not FIGHTERS_CHOOSE(game.rules) and territory in _due(game, faction):
            came_apart = source is not None and self.stood_apart(game, board.territory_of(source))
            if not came_apart and not _must_coexist(game, faction, territory):
                _record(game, faction, Fight(territory), forced=True)

    def notices_departures(self, game: Game, faction: Faction) -> None:
        for territory, declared in list(game.state.presence.items()):
            there = game.state.forces_in(territory)
            if declared == "coexist" and faction in there and len(there) == 1:
                del game.state.presence[territory]
                game.tell("bg-declared", territory=territory, coexists=False, forced=True)

    def declares_when_met(self, game: Game, faction: Faction) -> Flow:
        """Ask for declarations in territories where tokens have met. This is called whenever tokens have arrived or
        left (WBC.XV.11)."""
        _note_who_left(game, faction)
        due = _due(game, faction)
        for territory in due:
            if _must_coexist(game, faction, territory):
                _record(game, faction, Coexist(territory), forced=True)  # at once, with the entry (WBC.XV.15)
        if due:
            yield from _declare_where_due(game, faction, IntrusionQuestion)

    def advisor_came(self, game: Game, faction: Faction, territory: TerritoryId) -> None:
        # AH.XV.B.3
        if territory != NOBODYS_TERRITORY and game.state.presence.get(territory) != "coexist":
            _record(game, faction, Coexist(territory), forced=True)


# --- Where a declaration is due --------------------------------------------------------------------------------------


def _due(game: Game, faction: Faction) -> list[TerritoryId]:
    here = territories_of(game, faction)
    return in_board_order(
        {t for t in here if t != NOBODYS_TERRITORY and _undeclared(game, t) and len(game.state.forces_in(t)) > 1}
    )


def _undeclared(game: Game, territory: TerritoryId) -> bool:
    declared = game.state.presence.get(territory)
    return declared is None or (declared == "fight" and territory in slot_of(game).vacated)


def _presumed(game: Game, territory: TerritoryId) -> bool:
    """Return whether coexistence with others is presumed without a declaration (AH.XV.B.5-g, VACA.XV.B)."""
    return PRESUMED_APART(game.rules) and len(game.state.forces_in(territory)) > 1


def _tokens(game: Game, faction: Faction, territory: TerritoryId) -> int:
    return sum(game.here(area, faction).total for area in TERRITORIES[territory].areas)


def _must_coexist(game: Game, faction: Faction, territory: TerritoryId, *, before_moves: bool = False) -> bool:
    """Return whether the Bene Gesserit must coexist in the territory: with an ally, or as the third faction in a
    stronghold (WBC.XV.14, WBC.VII.10, A-38).

    They are the third faction if they came last, or if worm riders could come in only because they coexisted. Some rule
    sets let them choose whether to coexist with an ally. Even then, they must coexist if the allies meet during the
    round, because otherwise they could not stay together. They have the choice only if the allies are already together
    when the round begins.
    """
    others = others_in(game, faction, territory)
    free = before_moves and not MUST_COEXIST_WITH_ALLY(game.rules)
    if not free and any(game.state.allied(faction, other) for other in others):
        return True
    if before_moves and territory in game.state.coexisted and locked_by_storm(game, territory):
        return True
    if TERRITORIES[territory].kind != "stronghold" or len(others) < 2:
        return False
    riders = any(rules_of(game, other).commands_worms(game) for other in others)
    return slot_of(game).moving == faction or (riders and territory in game.state.coexisted)


def _declare_where_due(game: Game, faction: Faction, kind: type[DeclarationQuestion]) -> Flow:
    if not _due(game, faction):
        return
    answers = yield from ask(lambda: [kind(game, faction, territory) for territory in _due(game, faction)])
    for territory in _due(game, faction):
        order = answers.of(faction, territory)
        if isinstance(order, Fight | Coexist):
            forced = _must_coexist(game, faction, territory, before_moves=kind.before_moves)
            _record(game, faction, order, forced=forced)


def _record(game: Game, faction: Faction, order: Fight | Coexist, *, forced: bool) -> None:
    territory = order.territory
    game.state.presence[territory] = "coexist" if isinstance(order, Coexist) else "fight"
    slot = slot_of(game)
    slot.fought[territory] = others_in(game, faction, territory)
    if territory in slot.vacated:
        slot.vacated.remove(territory)
    game.tell("bg-declared", territory=territory, coexists=isinstance(order, Coexist), forced=forced)


def _note_who_left(game: Game, faction: Faction) -> None:
    slot = slot_of(game)
    for territory, declared in game.state.presence.items():
        if declared != "fight":
            continue
        met = slot.fought.setdefault(territory, [])
        others = others_in(game, faction, territory)
        if not others and territory not in slot.vacated:
            slot.vacated.append(territory)
        elif others and territory in slot.vacated and not _may_change(game, met, others):
            slot.vacated.remove(territory)
        if territory not in slot.vacated:
            met.extend(other for other in others if other not in met)


def _may_change(game: Game, met: Sequence[Faction], others: Sequence[Faction]) -> bool:
    """Return whether Bene Gesserit tokens that have declared to fight, and were then left alone, may coexist with the
    newcomers (WBC.XV.12, AH.XV.B.5-c)."""
    return CHANGES_BACK(game.rules) != "others" or not any(other in met for other in others)


# --- The questions ---------------------------------------------------------------------------------------------------


class DeclarationQuestion(Question):
    only_refusal = Refusal("Only the Bene Gesserit can coexist and send advisors.", "advisor.bene-gesserit")
    before_moves: ClassVar[bool] = False

    def __init__(self, game: Game, faction: Faction, territory: TerritoryId) -> None:
        super().__init__(game, faction, subject=territory)
        self._territory = territory

    def refusal(self, order: Order) -> Refusal | None:
        where = TERRITORIES[self._territory].name
        if not isinstance(order, Fight | Coexist) or order.territory != self._territory:
            return Refusal(f"The question is whether you coexist in {where}.", "coexistence.where")
        if self._forced and isinstance(order, Fight):
            if locked_by_storm(self.game, self._territory):
                return Refusal(f"{where} is under the storm; you must continue to coexist there.", "flip.under-storm")
            why = f"You must coexist in {where}: beside an ally, or as the third in a stronghold."
            return Refusal(why, "coexistence.beside-an-ally")
        return None

    @classmethod
    def exists_in(cls, rules: RuleSet) -> bool:
        return not TOKENS_FLIP(rules)

    @classmethod
    def refusal_ahead(cls, game: Game, faction: Faction, order: Order) -> Refusal | None:
        if refusal := not_theirs(game, faction, cls):
            return refusal
        if not rules_of(game, faction).may_coexist(game):
            return Refusal("There is no coexistence in this game.", "coexistence.advanced")
        return _never_declared(game, order) if isinstance(order, Fight | Coexist) else None

    @property
    def _forced(self) -> bool:
        return _must_coexist(self.game, self.faction, self._territory, before_moves=self.before_moves)

    @property
    def default(self) -> Order:
        apart = SILENTLY_APART(self.game.rules)
        if apart is None:
            apart = self._territory in self.game.state.coexisted
        return Coexist(self._territory) if apart or self._forced else Fight(self._territory)

    def samples(self) -> Sequence[Order]:
        return [Coexist(self._territory)] if self._forced else [Coexist(self._territory), Fight(self._territory)]

    @property
    def facts(self) -> Mapping[str, Any]:
        return {
            "territory": self._territory,
            "others": others_in(self.game, self.faction, self._territory),
            "flips": False,
            "advisors": False,
            "silently_apart": isinstance(self.default, Coexist),
        }


class StatusQuestion(DeclarationQuestion):
    kind = "bg-status"
    before_moves = True


class IntrusionQuestion(DeclarationQuestion):
    kind = "intrusion"


def _never_declared(game: Game, order: Fight | Coexist) -> Refusal | None:
    name = TERRITORIES[order.territory].name
    if order.territory == NOBODYS_TERRITORY:
        return Refusal("Nobody fights in the Polar Sink; nothing is declared there.", "coexistence.where")
    declared = game.state.presence.get(order.territory)
    if declared == "coexist":
        return Refusal(f"You coexist in {name} until the turn ends.", "coexistence.lasts")
    if declared == "fight" and isinstance(order, Coexist) and order.territory not in slot_of(game).vacated:
        why = f"You declared to fight in {name}; that can change only after all others leave and somebody else comes."
        return Refusal(why, "coexistence.fight-lasts")
    return None


QUESTIONS: tuple[type[Question], ...] = (StatusQuestion, IntrusionQuestion)
