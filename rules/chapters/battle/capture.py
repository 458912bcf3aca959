"""Captured leaders (AH.SHIELD.HAR.3, WBC.X.27 to 29, WBC.AID.39).

After each battle that they win Harkonnen may take one of the loser's leaders at random: one who lives and has not
fought elsewhere this round. The leader is drawn and shown to the two; a Karama may still cancel the capture; then
Harkonnen keep him, kill him for 2 spice, or let him go. A captive serves in one battle and goes home. When all their
own leaders are dead Harkonnen return every captive at once: also one whom they take and keep in the very battle in
which the last of their leaders died (A-55).
"""

from __future__ import annotations

from rules.chapters.battle import traitors
from rules.components import Faction, Leader, leaders_of
from rules.decisions.asking import ask
from rules.decisions.closures import Asked
from rules.decisions.question import Flow, Question
from rules.decisions.windows import window
from rules.orders import Capture, Order
from rules.rulesets.refusal import Refusal
from rules.state.game import Game
from rules.state.moments import BattleMoment

PRICE_OF_A_CAPTIVE = 2


def may_take(game: Game, battle: BattleMoment) -> bool:
    """Whether Harkonnen have won and, for all that everybody can see, the loser may have a leader to take."""
    if game.rules.leader_capture != "on" or battle.winner != "harkonnen":
        return False
    loser = battle.opponent("harkonnen")
    alive = [leader for leader in leaders_of(loser) if game.state.leaders[leader].status == "ready"]
    here_or_free = [leader for leader in alive if game.state.leaders[leader].fought_in in (None, battle.territory)]
    captives = sum(owner == loser for owner in game.player("harkonnen").captured.values())
    return len(here_or_free) > captives or (bool(here_or_free) and len(here_or_free) < len(alive))


def take(game: Game, battle: BattleMoment) -> Flow:
    """Draw a leader, hold the window, and ask Harkonnen what becomes of him."""
    if not may_take(game, battle):
        return
    loser = battle.opponent("harkonnen")
    pool = eligible(game, battle, loser)
    battle.captive = game.chance.pick("captive", pool) if pool else None
    battle.capturing = True
    known = {"leader": battle.captive}
    game.tell("captive-drawn", loser=loser, private={"harkonnen": known, loser: known})
    yield from window(game, "capture", lambda: "capture" not in battle.cancelled, loser=loser)

    def build() -> list[Question]:
        return [_question(battle, loser)] if "capture" not in battle.cancelled else []

    answers = yield from ask(build)
    decision = answers.of("harkonnen")
    battle.capturing = False
    if isinstance(decision, Capture):
        _carry_out(game, battle, loser, decision)


def eligible(game: Game, battle: BattleMoment, loser: Faction) -> list[Leader]:
    """The loser's leaders who can be taken (AH.SHIELD.HAR.3-b)."""
    return [
        leader
        for leader in leaders_of(loser)
        if game.state.leaders[leader].status == "ready"
        and game.state.leaders[leader].fought_in in (None, battle.territory)
        and game.captor_of(leader) is None
    ]


def _question(battle: BattleMoment, loser: Faction) -> Question:
    can_take = battle.captive is not None

    def check(order: Order) -> Refusal | None:
        if isinstance(order, Capture) and order.choice != "none" and not can_take:
            return Refusal("The loser has no leader whom you could take.", "AH.SHIELD.HAR.3-b")
        return None

    taken: list[Order] = [Capture("keep"), Capture("kill")] if can_take else []
    choices: list[Order] = [*taken, Capture("none")]
    about = {"territory": battle.territory, "loser": loser, "leader": battle.captive}
    return Asked("harkonnen", "capture", choices[0], check, lambda: choices, about=about)


def _carry_out(game: Game, battle: BattleMoment, loser: Faction, decision: Capture) -> None:
    captive = battle.captive
    if captive is None or decision.choice == "none":
        game.tell("no-capture", loser=loser)
    elif decision.choice == "keep":
        game.player("harkonnen").captured[captive] = loser
        known = {"leader": captive}
        game.tell("leader-captured", loser=loser, private={"harkonnen": known, loser: known})
    else:
        game.kill_leader(captive)
        game.gain("harkonnen", PRICE_OF_A_CAPTIVE)
        status = game.state.leaders[captive].status
        game.tell("captive-killed", loser=loser, leader=captive, spice=PRICE_OF_A_CAPTIVE, status=status)


# --- The way home -------------------------------------------------------------------------------------------------


def return_used(game: Game, battle: BattleMoment) -> None:
    """A captive who led this battle and lives goes home (AH.SHIELD.HAR.3-d)."""
    if "harkonnen" not in battle.sides:
        return
    leader = traitors.shown_leader(battle, "harkonnen")
    owner = game.player("harkonnen").captured.pop(leader, None) if leader else None
    if owner:
        game.tell("captive-returned", leader=leader, owner=owner)


def return_all(game: Game) -> None:
    """With all five of their own dead Harkonnen give back every captive (AH.SHIELD.HAR.3-e)."""
    if not game.plays("harkonnen") or _has_leader_alive(game):
        return
    captured = game.player("harkonnen").captured
    for owner in dict.fromkeys(captured.values()):
        home = [leader for leader, of in captured.items() if of == owner]
        private = {"harkonnen": {"leaders": home}, owner: {"leaders": home}}
        game.tell("captives-returned", owner=owner, count=len(home), private=private)
    captured.clear()


def _has_leader_alive(game: Game) -> bool:
    return any(game.state.leaders[leader].status == "ready" for leader in leaders_of("harkonnen"))
