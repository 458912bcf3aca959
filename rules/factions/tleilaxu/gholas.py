"""Gholas: dead leaders of others who come into the service of the Tleilaxu (IT.GHOLA, FAQ.TLEILAXU.5, .12 to .14).

While they have fewer than five leaders to use they may revive those of others, who lie face up or face down, for half
their strength. A ghola fights for them like a leader of their own; dead again, it stays theirs to sell.
"""

from __future__ import annotations

from rules.chapters.battle.leaders import in_pool
from rules.chapters.revival import payment
from rules.chapters.revival.leaders import leader_price
from rules.components import LEADERS, Faction, Leader
from rules.decisions.question import Flow
from rules.decisions.windows import window
from rules.factions.tleilaxu.options import DEAD_GHOLA_STAYS, GHOLA_IS_GONE, GHOLAS
from rules.rulesets.refusal import Refusal
from rules.state.game import Game

LEADERS_OF_A_FACTION = 5


def in_service(game: Game) -> list[Leader]:
    """Who serves the Tleilaxu as a ghola: the living, and the dead where they stay theirs (IT.GHOLA.6)."""
    gholas, leaders = game.state.box.gholas, game.state.leaders
    if DEAD_GHOLA_STAYS(game.rules):
        return list(gholas)
    return [leader for leader in gholas if leaders[leader].status == "ready"]


def out_of_reach(game: Game) -> list[Leader]:
    """Those of them who count for their own faction as if they were no more (IT.GHOLA.8)."""
    return in_service(game) if GHOLA_IS_GONE(game.rules) else []


def to_revive(game: Game, faction: Faction) -> list[Leader]:
    """The dead leaders whom the Tleilaxu may take now, the weakest first."""
    if not GHOLAS(game.rules) or too_many(game, faction, 1):
        return []
    dead = [leader for leader in game.state.leaders if refusal(game, faction, leader) is None]
    return sorted(dead, key=lambda leader: LEADERS[leader].strength)


def missing(game: Game, faction: Faction) -> int:
    """How many leaders the Tleilaxu lack of five to use; captives are not theirs to use."""
    captives = game.captives()
    return LEADERS_OF_A_FACTION - len([leader for leader in in_pool(game, faction) if leader not in captives])


def never(game: Game, leader: Leader) -> Refusal | None:
    """Why this leader of another never comes into their service, or None."""
    if leader not in LEADERS or not game.plays(LEADERS[leader].faction):
        return Refusal(f"{leader} is no leader of this game.", "revival.ghola")
    if not GHOLAS(game.rules):
        return Refusal(f"{leader} is not a leader of yours.", "revival.leaders")
    return None


def refusal(game: Game, faction: Faction, leader: Leader) -> Refusal | None:
    """Why this leader of another cannot come into their service now, or None."""
    if refused := never(game, leader):
        return refused
    if LEADERS[leader].faction == faction or game.state.leaders[leader].status == "ready":
        return Refusal(f"{leader} is not in the tanks.", "revival.ghola")
    if leader in game.moments.barred_leaders:
        return Refusal(f"A Karama keeps {leader} from your service this turn.", "revival.ghola")
    return too_many(game, faction, 1)


def too_many(game: Game, faction: Faction, number: int) -> Refusal | None:
    """Why so many leaders of others cannot come into their service, or None."""
    if missing(game, faction) >= number:
        return None
    why = "With those you have five leaders to use; leaders of others come only in the place of those who are missing."
    return Refusal(why, "revival.ghola")


def take(game: Game, faction: Faction, leader: Leader) -> Flow:
    """The leader comes into their service, unless a Karama stops it; then nothing is paid (FAQ.KARAMA-TLE.6)."""
    owner = LEADERS[leader].faction
    game.tell("ghola-wanted", faction=faction, leader=leader, owner=owner)
    game.moments.ghola_wanted, barred = leader, game.moments.barred_leaders
    yield from window(game, "ghola", lambda: leader not in barred, by=faction, leader=leader, owner=owner)
    game.moments.ghola_wanted = None
    if refusal(game, faction, leader) is not None:
        return
    price = leader_price(game, faction, leader)
    if price > game.player(faction).spice:
        return
    paid = payment.pay(game, faction, price)
    game.revive_leader(leader)
    game.state.box.gholas[leader] = owner
    game.tell("ghola-made", faction=faction, leader=leader, owner=owner, price=price, **paid)


def give_up_captives(game: Game) -> None:
    """Gholas who are captive belong to their own faction again, and go home to it."""
    for player in game.state.players.values():
        for leader in player.captured:
            game.state.box.gholas.pop(leader, None)
            player.captured[leader] = LEADERS[leader].faction
