"""Karamas in a battle (AH.AID.KARAMA.A.1 to 5, AH.AID.KARAMA.B.2, WBC.X.4 to 10, WBC.AID.16 to 24, WBC.AID.30,
WBC.AID.39).

Each cancels one thing in one battle, from the moment it is there until the plan that it touches is committed
(WBC.X.14); a capture, from the draw until Harkonnen have decided. Atreides' own Karama lays a whole plan open, and
nothing cancels that (WBC.AID.19).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from rules.cards.karama.effect import Effect
from rules.chapters.battle import commitment, kwisatz_haderach, strength, support
from rules.components import Faction, faction_name
from rules.decisions.question import Flow
from rules.orders import Karama, KaramaEffect
from rules.rulesets.refusal import Refusal
from rules.state.game import Game
from rules.state.moments import BattleMoment, BattlePower

Check = Callable[[Game, BattleMoment], Refusal | None]


def _cancelling(what: BattlePower, clause: str, why_not: Check) -> Effect:
    """An effect that cancels a power in the battle that is on."""

    def check(game: Game, faction: Faction, order: Karama) -> Refusal | None:
        battle = game.moments.battle
        if battle is None:
            return Refusal("There is no battle on.", clause)
        if what in battle.cancelled:
            return Refusal("A Karama has done that in this battle.", clause)
        return why_not(game, battle)

    def play(game: Game, faction: Faction, order: Karama) -> Flow:
        battle = game.moments.battle
        if battle is not None and why_not(game, battle) is None:
            battle.cancelled.add(what)
            game.tell("cancelled", what=what, by=faction, territory=battle.territory)
        yield from ()

    return Effect(check, play)


def _committed(battle: BattleMoment, fighter: Faction, clause: str) -> Refusal | None:
    if fighter not in battle.committed:
        return None
    return Refusal(f"{faction_name(fighter)} have committed their plan; it is too late for that.", clause)


def _no_voice(game: Game, battle: BattleMoment) -> Refusal | None:
    if battle.voice is None:
        return Refusal("No Voice has been given in this battle.", "WBC.AID.24")
    return _committed(battle, battle.voice.faction, "WBC.AID.24")


def _no_prescience(game: Game, battle: BattleMoment) -> Refusal | None:
    if battle.questioned is None:
        return Refusal("Atreides have asked nothing in this battle.", "WBC.AID.20")
    return _committed(battle, battle.questioned, "WBC.AID.20")


def _no_kwisatz_haderach(game: Game, battle: BattleMoment) -> Refusal | None:
    if game.rules.kwisatz_haderach != "on" or not kwisatz_haderach.may_appear(game, battle):
        return Refusal("The Kwisatz Haderach cannot be in this battle.", "WBC.AID.22")
    return _committed(battle, "atreides", "WBC.AID.22")


def _no_bonus(fighter: Faction) -> Check:
    def why_not(game: Game, battle: BattleMoment) -> Refusal | None:
        if fighter not in battle.sides or not strength.has_bonus(game, battle, fighter):
            return Refusal("No starred tokens count more than one in this battle.", "WBC.AID.30")
        return _committed(battle, fighter, "WBC.AID.30")

    return why_not


def _no_support(game: Game, battle: BattleMoment) -> Refusal | None:
    fighter = "fremen" if "fremen" in battle.sides else support.supported_ally(game, battle)
    if fighter is None or not strength.supported_free(game, battle, fighter):
        return Refusal("Nobody fights at full strength for nothing in this battle.", "WBC.HR.6d")
    return _committed(battle, fighter, "WBC.HR.6d")


def _no_capture(game: Game, battle: BattleMoment) -> Refusal | None:
    if not battle.capturing:
        return Refusal("Harkonnen are not taking a leader now.", "WBC.AID.39")
    return None


def _check_plan(game: Game, faction: Faction, order: Karama) -> Refusal | None:
    if faction != "atreides" or game.rules.karama_special != "on":
        return Refusal("Only Atreides see a battle plan by Karama.", "AH.SHIELD.ATR.KARAMA-a")
    battle = game.moments.battle
    if battle is None:
        return Refusal("There is no battle on.", "WBC.XVII.11")
    if order.faction not in battle.sides or order.faction == "atreides":
        others = " or ".join(faction_name(fighter) for fighter in battle.sides if fighter != "atreides")
        return Refusal(f"Name who is to show his plan in this battle: {others}.", "WBC.XVII.11")
    if order.faction in battle.forced:
        return Refusal("That plan lies open.", "WBC.XVII.11")
    return _committed(battle, order.faction, "WBC.XVII.11")


def _see_plan(game: Game, faction: Faction, order: Karama) -> Flow:
    battle = game.moments.battle
    if battle is not None and order.faction is not None and _check_plan(game, faction, order) is None:
        yield from commitment.force(game, battle, faction, order.faction)


EFFECTS: Mapping[KaramaEffect, Effect] = {
    "cancel voice": _cancelling("voice", "WBC.AID.24", _no_voice),
    "cancel prescience": _cancelling("prescience", "WBC.AID.20", _no_prescience),
    "cancel kwisatz haderach": _cancelling("kwisatz haderach", "WBC.AID.22", _no_kwisatz_haderach),
    "cancel sardaukar": _cancelling("sardaukar", "WBC.AID.30", _no_bonus("emperor")),
    "cancel fedaykin": _cancelling("fedaykin", "WBC.AID.30", _no_bonus("fremen")),
    "cancel fremen support": _cancelling("fremen support", "WBC.HR.6d", _no_support),
    "cancel capture": _cancelling("capture", "WBC.AID.39", _no_capture),
    "see plan": Effect(_check_plan, _see_plan),
}
