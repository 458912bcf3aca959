"""Karamas in a battle (AH.AID.KARAMA.A.1 to 5, AH.AID.KARAMA.B.2, WBC.X.4 to 10, WBC.AID.16 to 24, WBC.AID.30,
WBC.AID.39, FAQ.KARAMA-HAR.3).

Each cancels one thing in one battle, from the moment it is there until the plan that it touches is committed
(WBC.X.14); a capture, from the draw until Harkonnen have decided. Atreides' own Karama lays a whole plan open, and
nothing cancels that (WBC.AID.19).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from rules.cards.karama.effect import Effect
from rules.chapters.battle import commitment, kwisatz_haderach, strength, traitors
from rules.components import FACTION_FACTS, Faction, faction_name
from rules.decisions.catalogue import rules_of
from rules.decisions.question import Flow
from rules.orders import Karama, KaramaEffect
from rules.rulesets.refusal import Refusal
from rules.state.game import Game
from rules.state.moments import BattleMoment, BattlePower

ONLY_SEE = Refusal("Only Atreides see a battle plan by Karama.", "karama.see-plan")

Check = Callable[[Game, BattleMoment], Refusal | None]


def _cancelling(what: BattlePower, topic: str, why_not: Check) -> Effect:
    """An effect that cancels a power in the battle that is on."""

    def check(game: Game, faction: Faction, order: Karama) -> Refusal | None:
        battle = game.moments.battle
        if battle is None:
            return Refusal("There is no battle on.", topic)
        if what in battle.cancelled:
            return Refusal("A Karama has done that in this battle.", topic)
        return why_not(game, battle)

    def play(game: Game, faction: Faction, order: Karama) -> Flow:
        battle = game.moments.battle
        assert battle is not None
        battle.cancelled.add(what)
        game.tell("cancelled", what=what, by=faction, territory=battle.territory)
        yield from ()

    return Effect(check, play)


def _committed(battle: BattleMoment, fighter: Faction, topic: str) -> Refusal | None:
    if fighter not in battle.committed:
        return None
    return Refusal(f"{faction_name(fighter)} have committed their plan; it is too late for that.", topic)


def _no_voice(game: Game, battle: BattleMoment) -> Refusal | None:
    if battle.voice is None:
        return Refusal("No Voice has been given in this battle.", "karama.voice")
    return _committed(battle, battle.voice.faction, "karama.voice")


def _no_prescience(game: Game, battle: BattleMoment) -> Refusal | None:
    if battle.questioned is None:
        return Refusal("Atreides have asked nothing in this battle.", "karama.prescience")
    return _committed(battle, battle.questioned, "karama.prescience")


def _no_kwisatz_haderach(game: Game, battle: BattleMoment) -> Refusal | None:
    if not kwisatz_haderach.may_appear(game, battle):
        return Refusal("The Kwisatz Haderach cannot be in this battle.", "karama.kwisatz-haderach")
    fighter = next(fighter for fighter in battle.sides if rules_of(game, fighter).has_kwisatz_haderach(game))
    return _committed(battle, fighter, "karama.kwisatz-haderach")


def _no_bonus(starred: str, topic: str) -> Check:
    """The bonus of the tokens that are called so."""

    def why_not(game: Game, battle: BattleMoment) -> Refusal | None:
        for fighter in battle.sides:
            if FACTION_FACTS[fighter].elite_name == starred and strength.has_bonus(game, battle, fighter):
                return _committed(battle, fighter, topic)
        return Refusal("No starred tokens count more than one in this battle.", topic)

    return why_not


def _no_support(game: Game, battle: BattleMoment) -> Refusal | None:
    fighter = next((fighter for fighter in battle.sides if strength.supported_free(game, battle, fighter)), None)
    if fighter is None:
        return Refusal("Nobody fights at full strength for nothing in this battle.", "karama.support")
    return _committed(battle, fighter, "karama.support")


def _no_capture(game: Game, battle: BattleMoment) -> Refusal | None:
    if not battle.capturing:
        return Refusal("Harkonnen are not taking a leader now.", "karama.capture")
    return None


def _no_ally_traitor(game: Game, battle: BattleMoment) -> Refusal | None:
    if not battle.betrayed_for_ally and not traitors.may_call_for_ally(game, battle):
        return Refusal("No traitor is revealed for an ally now.", "karama.ally-traitor")
    return None


def _check_plan(game: Game, faction: Faction, order: Karama) -> Refusal | None:
    battle = game.moments.battle
    if battle is None:
        return Refusal("There is no battle on.", "karama.open-plan")
    if order.faction not in battle.sides or order.faction == faction:
        others = " or ".join(faction_name(fighter) for fighter in battle.sides if fighter != faction)
        return Refusal(f"Name who is to show their plan in this battle: {others}.", "karama.open-plan")
    if order.faction in battle.forced:
        return Refusal("That plan lies open.", "karama.open-plan")
    return _committed(battle, order.faction, "karama.open-plan")


def _see_plan(game: Game, faction: Faction, order: Karama) -> Flow:
    battle = game.moments.battle
    assert battle is not None
    assert order.faction is not None
    yield from commitment.force(game, battle, faction, order.faction)


EFFECTS: Mapping[KaramaEffect, Effect] = {
    "cancel voice": _cancelling("voice", "karama.voice", _no_voice),
    "cancel prescience": _cancelling("prescience", "karama.prescience", _no_prescience),
    "cancel kwisatz haderach": _cancelling("kwisatz haderach", "karama.kwisatz-haderach", _no_kwisatz_haderach),
    "cancel sardaukar": _cancelling("sardaukar", "karama.sardaukar", _no_bonus("Sardaukar", "karama.sardaukar")),
    "cancel fedaykin": _cancelling("fedaykin", "karama.fedaykin", _no_bonus("Fedaykin", "karama.fedaykin")),
    "cancel cyborgs": _cancelling("cyborgs", "karama.cyborgs", _no_bonus("Cyborgs", "karama.cyborgs")),
    "cancel fremen support": _cancelling("fremen support", "karama.support", _no_support),
    "cancel ally traitor": _cancelling("ally traitor", "karama.ally-traitor", _no_ally_traitor),
    "cancel capture": _cancelling("capture", "karama.capture", _no_capture),
    "see plan": Effect(_check_plan, _see_plan, only_refusal=ONLY_SEE),
}
