"""The Kwisatz Haderach (AH.SHIELD.ATR.4, WBC.XV.1 to 7).

Once Atreides have lost seven tokens in battles it adds 2 to one leader or cheap hero of theirs, once a turn. It keeps
that leader from being a traitor, adds nothing if the leader is killed, and dies itself only when lasgun meets shield.
"""

from __future__ import annotations

from rules.components import KWISATZ_HADERACH_LOSSES, Faction, leaders_of
from rules.decisions.catalogue import rules_of
from rules.orders import CHEAP_HERO
from rules.rulesets.options import switch
from rules.rulesets.refusal import Refusal
from rules.state.game import Game
from rules.state.moments import BattleMoment

BESIDE_CHEAP_HERO = switch("kh_with_cheap_hero")

OPTIONS = (BESIDE_CHEAP_HERO,)


def refusal_without(game: Game, faction: Faction) -> Refusal | None:
    """Why the Kwisatz Haderach never fights for the faction, or None."""
    if rules_of(game, faction).has_kwisatz_haderach(game):
        return None
    return Refusal("You have no Kwisatz Haderach.", "battle.kwisatz-haderach")


def barred(game: Game, battle: BattleMoment, faction: Faction, leader: str | None) -> Refusal | None:
    """Why the Kwisatz Haderach cannot stand beside this leader here, or None."""
    if refusal := refusal_without(game, faction):
        return refusal
    match game.state.kwisatz_haderach:
        case "locked":
            lost = game.state.lost_in_battle
            why = f"You have lost {lost} tokens in battles; the Kwisatz Haderach comes with {KWISATZ_HADERACH_LOSSES}."
            return Refusal(why, "battle.kwisatz-haderach-comes")
        case "used":
            why = "The Kwisatz Haderach has been used this turn."
            return Refusal(why, "battle.kwisatz-haderach-once-a-turn")
        case "dead":
            return Refusal("The Kwisatz Haderach is in the tanks.", "battle.kwisatz-haderach-dead")
    if "kwisatz haderach" in battle.cancelled:
        why = "A Karama bars the Kwisatz Haderach from this battle."
        return Refusal(why, "battle.kwisatz-haderach-barred")
    if leader == CHEAP_HERO:
        if BESIDE_CHEAP_HERO(game.rules):
            return None
        why = "The Kwisatz Haderach does not stand beside a cheap hero."
        return Refusal(why, "battle.kwisatz-haderach-beside-whom")
    if leader is None or leader not in leaders_of(faction):
        why = "The Kwisatz Haderach stands beside a leader of your own."
        return Refusal(why, "battle.kwisatz-haderach-beside-whom")
    return None


def may_appear(game: Game, battle: BattleMoment) -> bool:
    """Whether, by what everybody can see, it may come to this battle."""
    return game.state.kwisatz_haderach == "ready" and any(
        rules_of(game, fighter).has_kwisatz_haderach(game) for fighter in battle.sides
    )


def count_losses(game: Game, dead: int) -> None:
    """So many tokens of its faction more were lost in battles; the seventh brings it, at once (WBC.XV.1)."""
    if not dead:
        return
    state = game.state
    state.lost_in_battle += dead
    if state.kwisatz_haderach == "locked" and state.lost_in_battle >= KWISATZ_HADERACH_LOSSES:
        state.kwisatz_haderach = "ready"
        game.tell("kwisatz-haderach-ready", lost=state.lost_in_battle)
