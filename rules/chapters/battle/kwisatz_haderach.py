"""The Kwisatz Haderach (AH.SHIELD.ATR.4, WBC.XV.1 to 7).

Once Atreides have lost seven tokens in battles it adds 2 to one leader or cheap hero of theirs, once a turn. It keeps
that leader from being a traitor, adds nothing if he is killed, and dies itself only when lasgun meets shield.
"""

from __future__ import annotations

from rules.components import KWISATZ_HADERACH_LOSSES, Faction, leaders_of
from rules.orders import CHEAP_HERO
from rules.rulesets.refusal import Refusal
from rules.state.game import Game
from rules.state.moments import BattleMoment


def barred(game: Game, battle: BattleMoment, faction: Faction, leader: str | None) -> Refusal | None:
    """Why the Kwisatz Haderach cannot stand beside this leader here, or None."""
    if faction != "atreides" or game.rules.kwisatz_haderach != "on":
        return Refusal("You have no Kwisatz Haderach.", "WBC.XV.6")
    match game.state.kwisatz_haderach:
        case "locked":
            lost = game.state.lost_in_battle
            why = f"You have lost {lost} tokens in battles; the Kwisatz Haderach comes with {KWISATZ_HADERACH_LOSSES}."
            return Refusal(why, "WBC.XV.1")
        case "used":
            return Refusal("The Kwisatz Haderach has been used this turn.", "WBC.XV.3")
        case "dead":
            return Refusal("The Kwisatz Haderach is in the tanks.", "WBC.XV.4")
    if "kwisatz haderach" in battle.cancelled:
        return Refusal("A Karama bars the Kwisatz Haderach from this battle.", "WBC.AID.22")
    if leader == CHEAP_HERO:
        if game.rules.kh_with_cheap_hero:
            return None
        return Refusal("The Kwisatz Haderach does not stand beside a cheap hero.", "WBC.XV.5")
    if leader is None or leader not in leaders_of("atreides"):
        return Refusal("The Kwisatz Haderach stands beside a leader of your own.", "WBC.XV.5")
    return None


def may_appear(game: Game, battle: BattleMoment) -> bool:
    """Whether, by what everybody can see, Atreides may bring it to this battle."""
    return "atreides" in battle.sides and game.state.kwisatz_haderach == "ready"


def count_losses(game: Game, dead: int) -> None:
    """Atreides tokens lost in a battle of theirs; the seventh brings it, at once (WBC.XV.1)."""
    if not dead or game.rules.kwisatz_haderach != "on":
        return
    state = game.state
    state.lost_in_battle += dead
    if state.kwisatz_haderach == "locked" and state.lost_in_battle >= KWISATZ_HADERACH_LOSSES:
        state.kwisatz_haderach = "ready"
        game.tell("kwisatz-haderach-ready", lost=state.lost_in_battle)
