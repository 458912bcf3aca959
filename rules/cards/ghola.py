"""The Tleilaxu Ghola (AH.AID.TIMED.4, WBC.AID.2): at any stop and free, a leader or up to five tokens of one's own.

It goes beyond the three tokens a turn of ordinary revival (AH.IX.B.2), but at most one starred token comes back in a
turn by whatever means (A-56). A leader may come back though others still live, and a second death is no bar; one
brought back while battles are fought sits out the rest of them (AH.QA.A.5). The Kwisatz Haderach counts as a leader
(AH.SHIELD.ATR.4-f).
"""

from __future__ import annotations

from rules.components import LEADERS, Card, Faction, Forces, Leader
from rules.decisions.question import Flow
from rules.orders import Ghola
from rules.rulesets.refusal import Refusal
from rules.state.game import Game

GHOLA = Card("Tleilaxu Ghola")
MOST_TOKENS = 5


def check(game: Game, faction: Faction, order: Ghola) -> Refusal | None:
    """Why the card cannot bring this back now, or None. The tanks are looked at before the hand."""
    named = (order.forces is not None) + (order.leader is not None) + order.kwisatz_haderach
    if named != 1:
        return Refusal("A Ghola brings back either a leader or tokens: name one of them.", "AH.AID.TIMED.4-b")
    if order.forces is not None:
        refusal = _check_forces(game, faction, order.forces)
    elif order.leader is not None:
        refusal = _check_leader(game, faction, order.leader)
    else:
        refusal = _check_kwisatz_haderach(game, faction)
    if refusal is None and not game.holds(faction, GHOLA):
        refusal = Refusal("You hold no Tleilaxu Ghola.", "AH.AID.TIMED.4-a")
    return refusal


def _check_forces(game: Game, faction: Faction, forces: Forces) -> Refusal | None:
    tanks = game.player(faction).tanks
    if not forces:
        return Refusal("A Ghola for no tokens does nothing.", "AH.AID.TIMED.4-b")
    if forces.total > MOST_TOKENS:
        return Refusal(f"A Ghola brings back at most {MOST_TOKENS} tokens, not {forces.total}.", "AH.AID.TIMED.4-b")
    if not tanks.covers(forces):
        return Refusal(f"You have {tanks} in the tanks, so {forces} cannot come back.", "WBC.AID.2")
    if forces.elite and game.rules.starred_revival_limit_all:
        if faction in game.state.elite_revived:
            return Refusal("Your one starred token of this turn has come back already.", "AH.SHIELD.EMP.2-c")
        if forces.elite > 1:
            return Refusal(f"One starred token may come back in a turn, not {forces.elite}.", "AH.SHIELD.EMP.2-c")
    return None


def _check_leader(game: Game, faction: Faction, leader: Leader) -> Refusal | None:
    if leader not in LEADERS or LEADERS[leader].faction != faction:
        return Refusal(f"{leader} is not a leader of yours; a Ghola is for your own.", "WBC.AID.2")
    if game.state.leaders[leader].status == "ready":
        return Refusal(f"{leader} is not in the tanks.", "AH.AID.TIMED.4-a")
    return None


def _check_kwisatz_haderach(game: Game, faction: Faction) -> Refusal | None:
    if faction != "atreides" or game.rules.kwisatz_haderach == "off":
        return Refusal("You have no Kwisatz Haderach.", "AH.SHIELD.ATR.4-a")
    if game.state.kwisatz_haderach != "dead":
        return Refusal("The Kwisatz Haderach is not in the tanks.", "AH.SHIELD.ATR.4-f")
    return None


def play(game: Game, faction: Faction, order: Ghola) -> Flow:
    """Discard the card and bring back what it was played for."""
    state = game.state
    in_battle = state.phase == "battle"
    game.discard(faction, GHOLA)
    if order.forces is not None:
        game.revive(faction, order.forces)
        if order.forces.elite:
            state.elite_revived.append(faction)
        game.tell("ghola-tokens", faction=faction, forces=str(order.forces))
    elif order.leader is not None:
        standing = state.leaders[order.leader]
        standing.status = "ready"
        standing.fought_in = None
        standing.sits_out = in_battle and game.rules.ghola_leader_same_turn == "no"
        game.tell("ghola-leader", faction=faction, leader=order.leader, sits_out=standing.sits_out)
    else:
        state.kwisatz_haderach = "used" if in_battle and game.rules.ghola_leader_same_turn == "no" else "ready"
        game.tell("ghola-kwisatz-haderach", faction=faction, sits_out=in_battle)
    yield from ()
