"""Coexistence as it is declared in 1979 and at the WBC (AH.XV.B.4 to 5, WBC.XV.8 to 16).

Coexistence belongs to the territory, not to the tokens, and is declared where Bene Gesserit and others stand
together: at the beginning of the movement round, and later at the instant when they meet. Until the turn ends
"coexist" stays; "fight" may change only where all the others have left and somebody else comes (WBC.XV.12). In the
Polar Sink nobody fights, holds or collects anything, so nothing is declared there.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from rules.chapters.movement.entering import NOBODYS
from rules.chapters.movement.slot import slot_of
from rules.components import Faction, board, faction_name
from rules.components.board import TERRITORIES, TerritoryId
from rules.decisions.asking import ask
from rules.decisions.catalogue import rules_of
from rules.decisions.never_legal import not_theirs
from rules.decisions.question import Flow, Question
from rules.factions.bene_gesserit.presence import Presence, others_in
from rules.orders import Coexist, Fight, Order, PhaseName
from rules.rulesets.refusal import Refusal
from rules.state.game import Game
from rules.state.state import State

DECLARED: tuple[PhaseName, ...] = ("storm", "battle", "collection", "mentat")
"""Phases at whose start the declarations of this turn stand; the storm phase turns them into last turn's."""


class Coexistence(Presence):
    """Tokens that coexist for one turn where that was declared."""

    exists = True

    # --- what is -----------------------------------------------------------------------------------------------------

    def stood_apart(self, game: Game, territory: TerritoryId) -> bool:
        """As declared this turn; before they declare, as they ended the last one (WBC.VII.9)."""
        declared = game.state.presence.get(territory)
        return territory in game.state.coexisted if declared is None else declared == "coexist"

    def has_ornithopters_of(self, game: Game, city: TerritoryId) -> bool:
        """Not where they share the city and ended the last turn coexisting (WBC.IX.13, WBC.IX.16)."""
        return city not in game.state.coexisted or len(game.state.forces_in(city)) == 1

    def may_come_apart(self, game: Game, territory: TerritoryId) -> bool:
        """Unless they declared to fight there."""
        return game.state.presence.get(territory) != "fight"

    def may_send_advisor_to(self, game: Game, territory: TerritoryId) -> bool:
        """Unless they declared to fight there (AH.XV.B.5-d)."""
        return game.state.presence.get(territory) != "fight"

    def beside_ally_refusal(
        self, game: Game, faction: Faction, territory: TerritoryId, entering: Faction
    ) -> Refusal | None:
        """Allies stand together as the Bene Gesserit coexist, not where these have declared to fight (WBC.XV.14 to
        16)."""
        if game.state.presence.get(territory) != "fight":
            return None
        name = TERRITORIES[territory].name
        if faction == entering:
            why = f"Your ally stands in {name}, and you declared not to coexist there."
            return Refusal(why, "coexistence.beside-an-ally")
        if any(other != entering for other in others_in(game, faction, territory)):
            why = f"In {name} your ally {faction_name(faction)} does not coexist with others who are there."
            return Refusal(why, "coexistence.ally-enters")
        return None

    def begins_with(self, state: State, territories: Sequence[TerritoryId]) -> None:
        """As declared this turn, or as the last turn ended: the storm round makes the one of the other."""
        if state.phase in DECLARED:
            super().begins_with(state, territories)
        else:
            state.coexisted = list(territories)

    # --- what changes it ---------------------------------------------------------------------------------------------

    def begins_turn(self, game: Game) -> None:
        """What was declared last turn is now how that turn ended; nothing is declared yet (WBC.XV.10)."""
        state = game.state
        state.coexisted = [territory for territory, declared in state.presence.items() if declared == "coexist"]
        state.presence = {}

    def declares_before_moves(self, game: Game, faction: Faction) -> Flow:
        """Before the first move: one declaration for each territory that is shared (AH.XV.B.5-a, WBC.IX.2)."""
        yield from _declare_where_due(game, faction, StatusQuestion)

    def declares_when_met(self, game: Game, faction: Faction) -> Flow:
        """Whenever tokens have come or gone: declarations for the territories where they have met (WBC.XV.11)."""
        _note_who_left(game, faction)
        due = _due(game, faction)
        for territory in due:
            if _must_coexist(game, faction, territory):
                _record(game, faction, Coexist(territory), forced=True)  # at once, with the entry (WBC.XV.15)
        if due:
            yield from _declare_where_due(game, faction, IntrusionQuestion)

    def advisor_came(self, game: Game, faction: Faction, territory: TerritoryId) -> None:
        """They coexist where an advisor has come (AH.XV.B.3)."""
        if territory != NOBODYS and game.state.presence.get(territory) != "coexist":
            _record(game, faction, Coexist(territory), forced=True)


# --- Where a declaration is due --------------------------------------------------------------------------------------


def _due(game: Game, faction: Faction) -> list[TerritoryId]:
    """Where they are not alone and have something to declare, in board order."""
    mine = {board.territory_of(area) for area, here in game.state.forces.items() if faction in here}
    due = {t for t in mine if t != NOBODYS and _undeclared(game, t) and len(game.state.forces_in(t)) > 1}
    return [territory for territory in TERRITORIES if territory in due] if due else []


def _undeclared(game: Game, territory: TerritoryId) -> bool:
    """Whether nothing was declared there yet, or all who met fighters there left."""
    declared = game.state.presence.get(territory)
    return declared is None or (declared == "fight" and territory in slot_of(game).vacated)


def _must_coexist(game: Game, faction: Faction, territory: TerritoryId) -> bool:
    """Beside an ally; and as the third faction in a stronghold, be it that they come there last or that worm riders
    came in because they had coexisted (WBC.XV.14, WBC.VII.10, A-38)."""
    others = others_in(game, faction, territory)
    if any(game.state.allied(faction, other) for other in others):
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
            _record(game, faction, order, forced=_must_coexist(game, faction, territory))


def _record(game: Game, faction: Faction, order: Fight | Coexist, *, forced: bool) -> None:
    territory = order.territory
    game.state.presence[territory] = "coexist" if isinstance(order, Coexist) else "fight"
    slot = slot_of(game)
    slot.fought[territory] = others_in(game, faction, territory)
    if territory in slot.vacated:
        slot.vacated.remove(territory)
    game.tell("bg-declared", territory=territory, coexists=isinstance(order, Coexist), forced=forced)


def _note_who_left(game: Game, faction: Faction) -> None:
    """Remember where fighters were left alone, and forget it where one of those who left has come back."""
    slot = slot_of(game)
    for territory, declared in game.state.presence.items():
        if declared != "fight":
            continue
        met = slot.fought.setdefault(territory, [])
        others = others_in(game, faction, territory)
        if not others and territory not in slot.vacated:
            slot.vacated.append(territory)
        elif others and territory in slot.vacated and any(other in met for other in others):
            slot.vacated.remove(territory)
        if territory not in slot.vacated:
            met.extend(other for other in others if other not in met)


# --- The questions ---------------------------------------------------------------------------------------------------


class DeclarationQuestion(Question):
    """Do you coexist with the others in this territory, or fight them?"""

    only_refusal = Refusal("Only the Bene Gesserit coexist and send advisors.", "advisor.bene-gesserit")

    def __init__(self, game: Game, faction: Faction, territory: TerritoryId) -> None:
        super().__init__(game, faction, subject=territory)
        self._territory = territory

    def refusal(self, order: Order) -> Refusal | None:
        where = TERRITORIES[self._territory].name
        if not isinstance(order, Fight | Coexist) or order.territory != self._territory:
            return Refusal(f"What is asked is whether you coexist in {where}.", "coexistence.where")
        if self._forced and isinstance(order, Fight):
            why = f"You must coexist in {where}: beside an ally, or as the third in a stronghold."
            return Refusal(why, "coexistence.beside-an-ally")
        return None

    @classmethod
    def refusal_ahead(cls, game: Game, faction: Faction, order: Order) -> Refusal | None:
        if refusal := not_theirs(game, faction, cls):
            return refusal
        if not rules_of(game, faction).may_coexist(game):
            return Refusal("There is no coexistence in this game.", "coexistence.advanced")
        return _never_declared(game, order) if isinstance(order, Fight | Coexist) else None

    @property
    def _forced(self) -> bool:
        return _must_coexist(self.game, self.faction, self._territory)

    @property
    def default(self) -> Order:
        return Coexist(self._territory)

    def samples(self) -> Sequence[Order]:
        return [Coexist(self._territory)] if self._forced else [Coexist(self._territory), Fight(self._territory)]

    @property
    def facts(self) -> Mapping[str, Any]:
        return {"territory": self._territory, "others": others_in(self.game, self.faction, self._territory)}


class StatusQuestion(DeclarationQuestion):
    """A declaration before anybody moves."""

    kind = "bg-status"


class IntrusionQuestion(DeclarationQuestion):
    """A declaration at the instant when tokens meet."""

    kind = "intrusion"


def _never_declared(game: Game, order: Fight | Coexist) -> Refusal | None:
    """Why this declaration cannot be due any more this round."""
    name = TERRITORIES[order.territory].name
    if order.territory == NOBODYS:
        return Refusal("Nobody fights in the Polar Sink; nothing is declared there.", "coexistence.where")
    declared = game.state.presence.get(order.territory)
    if declared == "coexist":
        return Refusal(f"You coexist in {name} until the turn ends.", "coexistence.lasts")
    if declared == "fight" and isinstance(order, Coexist) and order.territory not in slot_of(game).vacated:
        why = f"You declared to fight in {name}; that changes only when all others have left and somebody else comes."
        return Refusal(why, "coexistence.fight-lasts")
    return None


QUESTIONS: tuple[type[Question], ...] = (StatusQuestion, IntrusionQuestion)
