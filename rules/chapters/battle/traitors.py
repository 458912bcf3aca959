"""Treachery: a leader in the opponent's pay (AH.X.D, AH.QA.B.7-a, WBC.X.30 to 32).

When the plans are shown, everybody who by public knowledge might call is asked, in secret and at once: each fighter
whose opponent shows a leader, and Harkonnen for their ally (AH.SHIELD.HAR.ALLY). A captive is always in the pay of
the faction it was taken from (AH.SHIELD.HAR.3-g); a leader beside the Kwisatz Haderach is in nobody's
(AH.SHIELD.ATR.4-e).
"""

from __future__ import annotations

from collections.abc import Generator

from rules.components import LEADERS, Faction, Leader
from rules.decisions.asking import ask
from rules.decisions.closures import Asked
from rules.decisions.question import Question, Stop
from rules.orders import CHEAP_HERO, NoTreachery, Order, Treachery
from rules.rulesets.refusal import Refusal
from rules.state.game import Game
from rules.state.moments import BattleMoment


def shown_leader(battle: BattleMoment, faction: Faction) -> Leader | None:
    """The leader whom this fighter has shown; None for a cheap hero or nobody."""
    leader = battle.committed[faction].plan.leader
    return None if leader in (None, CHEAP_HERO) else Leader(str(leader))


def may_betray(battle: BattleMoment, faction: Faction) -> Leader | None:
    """The leader of this fighter who, for all that can be seen, might be a traitor."""
    return None if battle.committed[faction].plan.kwisatz_haderach else shown_leader(battle, faction)


def is_traitor(game: Game, leader: Leader, caller: Faction) -> bool:
    """Whether the leader is in the caller's pay, if another uses him."""
    by_capture = game.rules.captive_betrays_owner == "automatic" and LEADERS[leader].faction == caller
    return by_capture or leader in game.player(caller).traitors


def calls(game: Game, battle: BattleMoment) -> Generator[Stop, None, list[Faction]]:
    """The fighters for whom treachery is called: none, one or both."""

    def build() -> list[Question]:
        return [_question(game, battle, caller, side) for caller, side in _callers(game, battle)]

    asked = _callers(game, battle)
    answers = yield from ask(build)
    called: list[Faction] = []
    for caller, side in asked:
        if isinstance(answers.of(caller), Treachery):
            victim = battle.opponent(side)
            leader = shown_leader(battle, victim)
            game.tell("treachery-called", caller=caller, side=side, victim=victim, leader=leader)
            if side not in called:
                called.append(side)
    return called


def _callers(game: Game, battle: BattleMoment) -> list[tuple[Faction, Faction]]:
    """Who is asked, and for which fighter he would call."""
    found: list[tuple[Faction, Faction]] = []
    for side in battle.sides:
        if may_betray(battle, battle.opponent(side)) is None:
            continue
        found.append((side, side))
        if game.plays("harkonnen") and game.state.allied("harkonnen", side):
            found.append(("harkonnen", side))
    return found


def _question(game: Game, battle: BattleMoment, caller: Faction, side: Faction) -> Question:
    victim = battle.opponent(side)
    leader = may_betray(battle, victim)
    can_call = leader is not None and is_traitor(game, leader, caller)

    def check(order: Order) -> Refusal | None:
        if isinstance(order, Treachery) and not can_call:
            return Refusal(f"{leader} is not in your pay.", "AH.X.D.1-a")
        return None

    call: list[Order] = [Treachery()] if can_call else []
    choices: list[Order] = [*call, NoTreachery()]
    about = {
        "territory": battle.territory,
        "leader": leader,
        "user": victim,
        "side": side,
        "in_pay": can_call,
    }
    return Asked(caller, "traitor-call", choices[0], check, lambda: choices, about=about)
