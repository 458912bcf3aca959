"""The Tleilaxu Ghola (AH.AID.TIMED.4, WBC.AID.2): at any stop and free, a leader or up to five tokens of one's own.

It goes beyond the three tokens a turn of ordinary revival (AH.IX.B.2), but at most one starred token comes back in a
turn by whatever means (A-56). A leader may come back though others still live, and a second death is no bar; one
brought back while battles are fought sits out the rest of them (AH.QA.A.5). The Kwisatz Haderach counts as a leader
(AH.SHIELD.ATR.4-f).
"""

from __future__ import annotations

from rules.chapters.revival.costs import stopped_for_cards, too_many_by_card
from rules.chapters.revival.tokens import LIMIT_HOLDS_FOR_CARDS, starred_left
from rules.components import LEADERS, Card, Faction, Forces, Leader, faction_name
from rules.decisions.catalogue import factions_with, rules_of
from rules.decisions.faction_rules import FactionRules
from rules.decisions.question import Flow
from rules.decisions.service import serving_others
from rules.orders import Ghola
from rules.rulesets.options import Option
from rules.rulesets.refusal import Refusal
from rules.state.game import Game

GHOLA = Card("Tleilaxu Ghola")
MOST_TOKENS = 5

REVIVED_SITS_OUT = Option("ghola_leader_same_turn", {"no": True, "yes": False})

OPTIONS = (REVIVED_SITS_OUT,)


def check(game: Game, faction: Faction, order: Ghola) -> Refusal | None:
    """Why the card cannot bring this back now, or None. The tanks are looked at before the hand."""
    refusal = never_legal(game, faction, order) or stopped_for_cards(game, faction)
    if refusal is not None:
        return refusal
    if order.forces is not None:
        refusal = _check_forces(game, faction, order.forces)
    elif order.leader is not None:
        refusal = _check_leader(game, order.leader)
    else:
        refusal = _check_kwisatz_haderach(game)
    if refusal is None and not game.holds(faction, GHOLA):
        refusal = Refusal("You hold no Tleilaxu Ghola.", "ghola.card")
    return refusal


def never_legal(game: Game, faction: Faction, order: Ghola) -> Refusal | None:
    """Why the card can bring this back in no position, or None."""
    named = (order.forces is not None) + (order.leader is not None) + order.kwisatz_haderach
    if named != 1:
        return Refusal("A Ghola brings back either a leader or tokens: name one of them.", "ghola.what")
    leader = order.leader
    if leader is not None and LEADERS[leader].faction != faction:
        return Refusal(f"{leader} is not a leader of yours; a Ghola is for your own.", "ghola.own-pieces")
    if order.kwisatz_haderach and not rules_of(game, faction).has_kwisatz_haderach(game):
        return Refusal("You have no Kwisatz Haderach.", "ghola.kwisatz-haderach")
    return None


def _check_forces(game: Game, faction: Faction, forces: Forces) -> Refusal | None:
    tanks = game.player(faction).tanks
    if not forces:
        return Refusal("A Ghola for no tokens does nothing.", "ghola.what")
    if forces.total > MOST_TOKENS:
        return Refusal(f"A Ghola brings back at most {MOST_TOKENS} tokens, not {forces.total}.", "ghola.what")
    if not tanks.covers(forces):
        return Refusal(f"You have {tanks} in the tanks, so {forces} cannot come back.", "ghola.own-pieces")
    if forces.elite and LIMIT_HOLDS_FOR_CARDS(game.rules):
        left = starred_left(game, faction)
        if left == 0:
            return Refusal("Your one starred token of this turn has come back already.", "revival.starred")
        if forces.elite > left:
            return Refusal(f"One starred token may come back in a turn, not {forces.elite}.", "revival.starred")
    return too_many_by_card(game, faction, forces.total)


def _check_leader(game: Game, leader: Leader) -> Refusal | None:
    if game.state.leaders[leader].status == "ready":
        return Refusal(f"{leader} is not in the tanks.", "ghola.card")
    if (service := serving_others(game).get(leader)) is not None:
        why = f"{leader} is in the service of {faction_name(service)}, who alone can let them go."
        return Refusal(why, "revival.in-service-of-others")
    return None


def _check_kwisatz_haderach(game: Game) -> Refusal | None:
    if game.state.kwisatz_haderach != "dead":
        return Refusal("The Kwisatz Haderach is not in the tanks.", "revival.kwisatz-haderach")
    return None


def play(game: Game, faction: Faction, order: Ghola) -> Flow:
    """Discard the card and bring back what it was played for."""
    state = game.state
    sits_out = state.phase == "battle" and REVIVED_SITS_OUT(game.rules)
    game.discard(faction, GHOLA)
    for other in factions_with(game, FactionRules.notices_ghola_card):
        rules_of(game, other).notices_ghola_card(game, faction)
    if order.forces is not None:
        game.revive(faction, order.forces)
        if order.forces.elite and LIMIT_HOLDS_FOR_CARDS(game.rules):
            state.elite_revived.append(faction)
        game.tell("ghola-tokens", faction=faction, forces=str(order.forces))
    elif order.leader is not None:
        standing = state.leaders[order.leader]
        standing.status = "ready"
        standing.seen_by = ()
        standing.fought_in = None
        standing.sits_out = sits_out
        game.tell("ghola-leader", faction=faction, leader=order.leader, sits_out=standing.sits_out)
    else:
        state.kwisatz_haderach = "used" if sits_out else "ready"
        game.tell("ghola-kwisatz-haderach", faction=faction, sits_out=sits_out)
    yield from ()
