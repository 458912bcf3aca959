"""Advisors and fighters, as the Bene Gesserit have them in 2019 (FAQ.BG.2 to FAQ.BG.15).

The tokens of a territory are all of one kind, and stay so over the turns until they flip. Advisors flip to fighters of
themselves where they are alone, and where they come to fighters; and by announcement, before anybody ships or as they
move in with others. Fighters flip to advisors as somebody comes to them, at that instant or not at all, and where they
come to advisors. What is announced a Karama can stop (FAQ.KARAMA-BG.4). In the Polar Sink nobody fights and nothing is
announced. ``State.presence`` says "coexist" or "held" of advisors, "fight" of fighters who have flipped this turn.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from rules.chapters.movement.entering import NOBODYS
from rules.chapters.movement.slot import slot_of
from rules.components import Faction, Forces, board
from rules.components.board import TERRITORIES, Area, TerritoryId
from rules.decisions.asking import ask
from rules.decisions.catalogue import rules_of
from rules.decisions.departures import FLIPS, REVERTS_AT_ONCE
from rules.decisions.karama import can_do
from rules.decisions.never_legal import not_theirs
from rules.decisions.question import Flow, Question
from rules.decisions.windows import window
from rules.factions.bene_gesserit.presence import (
    CHANGES_BACK,
    COUNTS_ALONE,
    EARLY,
    FIGHTERS_CHOOSE,
    NOTHING_IS_DECLARED,
    REINFORCEMENT_IS_ENTRY,
    SILENTLY_APART,
    Presence,
    locked_by_storm,
    others_in,
    shared,
    with_ally,
)
from rules.orders import Coexist, Fight, Order
from rules.rulesets.refusal import Refusal
from rules.rulesets.ruleset import RuleSet
from rules.state.game import Game
from rules.state.moments import FlipMoment
from rules.state.state import APART

ONLY = Refusal("Only the Bene Gesserit have advisors and fighters.", "flip.types")


class AdvisorFighter(Presence):
    """Tokens that are advisors or fighters until they flip."""

    exists = True

    # --- what is -----------------------------------------------------------------------------------------------------

    def stands_apart(self, game: Game, territory: TerritoryId) -> bool:
        """Advisors count for nothing; alone they do, where the rule set has it."""
        if not _advisors(game, territory):
            return False
        counts_alone = REVERTS_AT_ONCE(game.rules) or COUNTS_ALONE(game.rules)
        return not counts_alone or len(game.state.forces_in(territory)) > 1

    def may_come_apart(self, game: Game, territory: TerritoryId) -> bool:
        """Where there are advisors already: newcomers become advisors too (FAQ.BG.13)."""
        return _advisors(game, territory)

    def may_send_advisor_to(self, game: Game, faction: Faction, territory: TerritoryId) -> bool:
        """Not to an ally's territory, which one of the two would have to leave (FAQ.BG.5, GF9.ALLIANCE.8)."""
        return rules_of(game, faction).stands_beside_allies(game) or not with_ally(game, faction, territory)

    def begins_with(self, game: Game, faction: Faction, territories: Sequence[TerritoryId]) -> None:
        """Advisors stand where others do; alone they are fighters already."""
        super().begins_with(game, faction, territories)
        self.notices_departures(game, faction, told=False)

    def early_refusal(self, game: Game, faction: Faction, order: Fight | Coexist) -> Refusal | None:
        """Advisors may flip from the nexus on, until somebody ships (FAQ.BG.4)."""
        territory = order.territory
        if game.state.phase not in EARLY(game.rules) or isinstance(order, Coexist):
            return NOTHING_IS_DECLARED
        if territory not in _may_be_announced(game, faction):
            return NOTHING_IS_DECLARED
        return _no_flip(game, faction, territory)

    # --- what changes it ---------------------------------------------------------------------------------------------

    def begins_turn(self, game: Game) -> None:
        """Tokens stay advisors or fighters over the turns; flips that were announced or stopped last turn are
        forgotten."""
        state = game.state
        state.presence = {where: "coexist" for where, how in state.presence.items() if how in APART}
        if not REVERTS_AT_ONCE(game.rules):
            for territory in [where for where in state.presence if len(state.forces_in(where)) == 1]:
                del state.presence[territory]
                game.tell("bg-flip", territory=territory, advisors=False, why="alone")

    def notices_departures(self, game: Game, faction: Faction, *, told: bool = True) -> None:
        """Advisors whom all others have left are fighters (FAQ.BG.7); where nobody is left there are neither."""
        presence = game.state.presence
        for territory in list(presence):
            there = game.state.forces_in(territory)
            if faction not in there:
                del presence[territory]
            elif len(there) == 1 and presence[territory] in APART and REVERTS_AT_ONCE(game.rules):
                del presence[territory]
                if told:
                    game.tell("bg-flip", territory=territory, advisors=False, why="alone")

    def was_placed(self, game: Game, faction: Faction, territory: TerritoryId) -> None:
        """The first token, set down where others stand, begins as an advisor."""
        if territory != NOBODYS and others_in(game, faction, territory):
            game.state.presence[territory] = "coexist"

    def declares_early(self, game: Game, faction: Faction, order: Fight | Coexist) -> Flow:
        """A flip that is announced before the round begins."""
        yield from _announce(game, [order.territory], advisors=False)

    def declares_before_moves(self, game: Game, faction: Faction) -> Flow:
        """Before anybody ships advisors may flip to fight (FAQ.BG.4)."""
        self.notices_departures(game, faction)
        answers = yield from ask(
            lambda: [StatusQuestion(game, faction, territory) for territory in _may_be_announced(game, faction)]
        )
        due = _may_be_announced(game, faction)
        flips = [territory for territory in due if isinstance(answers.of(faction, territory), Fight)]
        yield from _announce(game, flips, advisors=False)

    def declares_when_entered(
        self, game: Game, faction: Faction, mover: Faction, forces: Forces, source: Area | None, target: Area
    ) -> Flow:
        """Tokens of one's own arrive, or others come to fighters."""
        territory = board.territory_of(target)
        came_from = board.territory_of(source) if source else None
        if came_from == territory:
            return
        before = _tokens(game, mover, territory) > forces.total
        if mover == faction:
            advisors = came_from is not None and _advisors(game, came_from)
            yield from _arrive(game, faction, territory, advisors=advisors, residents=before)
        elif _is_entered(game, faction, mover, territory, newcomer=not before):
            yield from _ask_to_flip(game, faction, territory)

    def advisor_came(self, game: Game, faction: Faction, territory: TerritoryId) -> None:
        """Whom another's shipment brings is an advisor there, unless one's own fighters stand there (FAQ.BG.10,
        FAQ.BG.13)."""
        if territory == NOBODYS or _advisors(game, territory):
            return
        if _tokens(game, faction, territory) > 1:
            game.tell("bg-flip", territory=territory, advisors=False, why="residents")
        elif others_in(game, faction, territory):
            game.state.presence[territory] = "coexist"


# --- Where it is so --------------------------------------------------------------------------------------------------


def _advisors(game: Game, territory: TerritoryId) -> bool:
    return game.state.presence.get(territory) in APART


def _tokens(game: Game, faction: Faction, territory: TerritoryId) -> int:
    return sum(game.here(area, faction).total for area in TERRITORIES[territory].areas)


def _may_be_announced(game: Game, faction: Faction) -> list[TerritoryId]:
    """Where advisors stand who are not about to flip, and whose flip no Karama has stopped this turn."""
    presence, flip = game.state.presence, game.moments.flip
    if "coexist" not in presence.values():
        return []
    closed = {NOBODYS, flip.territory} if flip else {NOBODYS}
    return [there for there in shared(game, faction) if there not in closed and presence.get(there) == "coexist"]


def _no_flip(game: Game, faction: Faction, territory: TerritoryId) -> Refusal | None:
    """Why these advisors cannot become fighters before anybody ships."""
    name = TERRITORIES[territory].name
    if with_ally(game, faction, territory):
        return Refusal(
            f"Your ally stands in {name}; your advisors there cannot become fighters.", "flip.beside-an-ally"
        )
    if locked_by_storm(game, territory):
        return Refusal(f"{name} is under the storm; your advisors there cannot become fighters.", "flip.under-storm")
    return None


def _is_entered(game: Game, faction: Faction, mover: Faction, territory: TerritoryId, *, newcomer: bool) -> bool:
    """Whether fighters may flip because of those who have come (FAQ.BG.6, FAQ.BG.14)."""
    if territory == NOBODYS or faction not in game.state.forces_in(territory) or _advisors(game, territory):
        return False
    if game.state.allied(faction, mover) or not (newcomer or REINFORCEMENT_IS_ENTRY(game.rules)):
        return False
    changes_back = CHANGES_BACK(game.rules)
    if game.state.presence.get(territory) != "fight" or changes_back == "any":
        return True
    alone_before = newcomer and others_in(game, faction, territory) == [mover]
    met = slot_of(game).fought.get(territory, ())
    return alone_before and (changes_back == "alone" or mover not in met)


# --- What flips ------------------------------------------------------------------------------------------------------


def _arrive(game: Game, faction: Faction, territory: TerritoryId, *, advisors: bool, residents: bool) -> Flow:
    """Newcomers become what their own tokens in the territory are (FAQ.BG.9, FAQ.BG.10); fighters, where nobody else is
    there (FAQ.BG.12). Beside other factions fighters stay fighters, and advisors may choose (FAQ.BG.8, FAQ.BG.11)."""
    there = _advisors(game, territory)
    if residents:
        if advisors != there:
            game.tell("bg-flip", territory=territory, advisors=there, why="residents")
        return
    if not others_in(game, faction, territory):
        if advisors:
            game.tell("bg-flip", territory=territory, advisors=False, why="alone")
        return
    if advisors:
        game.state.presence[territory] = "coexist"
    choice = advisors or FIGHTERS_CHOOSE(game.rules)
    if choice and territory != NOBODYS and not with_ally(game, faction, territory):
        yield from _ask_to_flip(game, faction, territory)


def _ask_to_flip(game: Game, faction: Faction, territory: TerritoryId) -> Flow:
    """At this instant, or not at all."""
    advisors = _advisors(game, territory)
    answers = yield from ask(
        lambda: [_intrusion(game, faction, territory)] if _stands(game, faction, territory) else []
    )
    order = answers.of(faction, territory)
    if isinstance(order, Fight if advisors else Coexist):
        yield from _announce(game, [territory], advisors=not advisors)


def _stands(game: Game, faction: Faction, territory: TerritoryId) -> bool:
    return faction in game.state.forces_in(territory)


def _announce(game: Game, territories: Sequence[TerritoryId], *, advisors: bool) -> Flow:
    """Tokens flip, all at once, unless a Karama stops one of the flips (FAQ.KARAMA-BG.4)."""
    for territory in territories:
        game.tell("bg-flip", territory=territory, advisors=advisors, why="announced")
    for territory in territories:
        yield from _flip(game, territory, advisors=advisors)


def _flip(game: Game, territory: TerritoryId, *, advisors: bool) -> Flow:
    outer, flip = game.moments.flip, FlipMoment(territory, advisors)
    game.moments.flip = flip
    stoppable = can_do(game.rules, "cancel flip")
    yield from window(game, "flip", lambda: stoppable and not flip.cancelled, territory=territory, advisors=advisors)
    game.moments.flip = outer
    if not flip.cancelled:
        game.state.presence[territory] = "coexist" if advisors else "fight"
        slot_of(game).fought[territory] = list(game.state.forces_in(territory))
    elif not advisors:
        game.state.presence[territory] = "held"


# --- The questions ---------------------------------------------------------------------------------------------------


class FlipQuestion(Question):
    """Do your tokens in this territory flip?"""

    only_refusal = ONLY

    def __init__(self, game: Game, faction: Faction, territory: TerritoryId) -> None:
        super().__init__(game, faction, subject=territory)
        self._territory = territory

    @classmethod
    def exists_in(cls, rules: RuleSet) -> bool:
        return FLIPS(rules)

    def refusal(self, order: Order) -> Refusal | None:
        if not isinstance(order, Fight | Coexist) or order.territory != self._territory:
            where = TERRITORIES[self._territory].name
            return Refusal(f"What is asked is how your tokens in {where} stand.", "flip.when-entered")
        return None if isinstance(order, Coexist) == self._are_advisors else self._no_flip

    @property
    def _are_advisors(self) -> bool:
        return _advisors(self.game, self._territory)

    @property
    def _no_flip(self) -> Refusal | None:
        """Why they must stay what they are."""
        return None

    @property
    def default(self) -> Order:
        apart = SILENTLY_APART(self.game.rules)
        if apart is None or self._no_flip:
            apart = self._are_advisors
        return Coexist(self._territory) if apart else Fight(self._territory)

    def samples(self) -> Sequence[Order]:
        both = [Coexist(self._territory), Fight(self._territory)]
        return [order for order in both if self.refusal(order) is None]

    @property
    def facts(self) -> Mapping[str, Any]:
        return {
            "territory": self._territory,
            "others": others_in(self.game, self.faction, self._territory),
            "flips": True,
            "advisors": self._are_advisors,
            "silently_apart": isinstance(self.default, Coexist),
        }

    @classmethod
    def refusal_ahead(cls, game: Game, faction: Faction, order: Order) -> Refusal | None:
        if refusal := not_theirs(game, faction, cls):
            return refusal
        return _never_asked(game, faction, order) if isinstance(order, Fight | Coexist) else None


class StatusQuestion(FlipQuestion):
    """Before anybody ships: do your advisors become fighters?"""

    kind = "bg-status"

    @property
    def _no_flip(self) -> Refusal | None:
        return _no_flip(self.game, self.faction, self._territory)


class EntryQuestion(FlipQuestion):
    """At the instant when others come to fighters, or advisors to others: do they flip?"""

    kind = "intrusion"


class RiddenIntoQuestion(EntryQuestion):
    """At the instant when riders come to fighters in the spice phase: do they flip?"""


def _intrusion(game: Game, faction: Faction, territory: TerritoryId) -> Question:
    kind = RiddenIntoQuestion if game.state.phase == "spice" else EntryQuestion
    return kind(game, faction, territory)


def _never_asked(game: Game, faction: Faction, order: Fight | Coexist) -> Refusal | None:
    """Why this cannot be asked any more before the phase is over; where it could only be that somebody comes once more
    to tokens who stand among others, they are asked then."""
    name = TERRITORIES[order.territory].name
    if order.territory == NOBODYS:
        return Refusal("Nobody fights in the Polar Sink; nothing is announced there.", "flip.types")
    if _advisors(game, order.territory):
        if isinstance(order, Coexist):
            return Refusal(f"Your tokens in {name} are advisors.", "flip.types")
        if with_ally(game, faction, order.territory):
            return _no_flip(game, faction, order.territory)
        if locked_by_storm(game, order.territory):
            return _no_flip(game, faction, order.territory)
        why = f"Your advisors in {name} flip after the nexus and before anybody ships; this turn that time is over."
        if game.state.phase == "spice":
            why = f"Your advisors in {name} flip when the nexus is over, until somebody ships."
        return Refusal(why, "flip.before-shipment")
    if isinstance(order, Coexist) and order.territory in shared(game, faction):
        why = f"Fighters become advisors only at the instant when somebody comes to them; in {name} that is past."
        return Refusal(why, "flip.when-entered")
    return None


QUESTIONS: tuple[type[Question], ...] = (StatusQuestion, EntryQuestion)
WHEN_RIDDEN: tuple[type[Question], ...] = (RiddenIntoQuestion,)
