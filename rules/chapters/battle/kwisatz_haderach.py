"""The Kwisatz Haderach (AH.SHIELD.ATR.4, WBC.XV.1 to 7).

Once Atreides have lost seven tokens in battles it adds 2 to one leader or cheap hero of theirs, once a turn. It keeps
that leader from being a traitor, adds nothing if the leader is killed, and dies itself only when lasgun meets shield.
"""

from __future__ import annotations

from rules.components import KWISATZ_HADERACH_LOSSES, Faction, Forces, leaders_of
from rules.decisions.catalogue import rules_of
from rules.orders import CHEAP_HERO
from rules.rulesets.options import Option, switch
from rules.rulesets.refusal import Refusal
from rules.state.game import Game
from rules.state.moments import BattleMoment
from rules.state.state import State

BESIDE_CHEAP_HERO = switch("kh_with_cheap_hero")
BESIDE_ANY_LEADER = Option("kh_companion", {"any_leader_played": True, "own_leader_or_cheap_hero": False})
WAITS_FOR_NEXT_TURN = Option("kh_from", {"next_turn": True, "next_battle": False})

OPTIONS = (BESIDE_CHEAP_HERO, BESIDE_ANY_LEADER, WAITS_FOR_NEXT_TURN)


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
            if lost >= KWISATZ_HADERACH_LOSSES:
                return Refusal("The Kwisatz Haderach comes next turn.", "battle.kwisatz-haderach-comes")
            fallen = Forces(lost).in_words
            why = f"You have lost {fallen} in battles; the Kwisatz Haderach comes with {KWISATZ_HADERACH_LOSSES}."
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
    if leader is None:
        return Refusal("The Kwisatz Haderach never fights alone.", "battle.kwisatz-haderach-beside-whom")
    if leader not in leaders_of(faction) and not BESIDE_ANY_LEADER(game.rules):
        why = "The Kwisatz Haderach stands beside a leader of your own."
        return Refusal(why, "battle.kwisatz-haderach-beside-whom")
    return None


def may_appear(game: Game, battle: BattleMoment) -> bool:
    """Whether, by what everybody can see, it may come to this battle."""
    return game.state.kwisatz_haderach == "ready" and any(
        rules_of(game, fighter).has_kwisatz_haderach(game) for fighter in battle.sides
    )


def count_losses(game: Game, dead: int) -> None:
    """So many tokens of its faction more were lost in battles; the seventh brings it, at once (WBC.XV.1,
    FAQ.ATREIDES.1), or with the next turn (AH.SHIELD.ATR.4-a).
    """
    if not dead:
        return
    state = game.state
    before, state.lost_in_battle = state.lost_in_battle, state.lost_in_battle + dead
    if state.kwisatz_haderach != "locked" or state.lost_in_battle < KWISATZ_HADERACH_LOSSES:
        return
    if not WAITS_FOR_NEXT_TURN(game.rules):
        state.kwisatz_haderach = "ready"
        game.tell("kwisatz-haderach-ready", lost=state.lost_in_battle)
    elif before < KWISATZ_HADERACH_LOSSES:
        game.tell("kwisatz-haderach-ready", lost=state.lost_in_battle, from_turn=state.turn + 1)


def wakes(state: State) -> bool:
    """Whether a new turn makes it free again for one battle, or brings it at all (AH.SHIELD.ATR.4-a, WBC.XV.3)."""
    comes = state.kwisatz_haderach == "locked" and state.lost_in_battle >= KWISATZ_HADERACH_LOSSES
    return comes or state.kwisatz_haderach == "used"


def begin_turn(state: State) -> None:
    """It is free again for one battle, and comes if its time is there."""
    if wakes(state):
        state.kwisatz_haderach = "ready"
