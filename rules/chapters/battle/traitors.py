"""Treachery: a leader in the opponent's pay (AH.X.D, AH.QA.B.7-a, WBC.X.30 to 32).

When the plans are shown, everybody who by public knowledge might call is asked, in secret and at once: each fighter
whose opponent shows a leader, and an ally whose traitors serve allies too, Harkonnen (AH.SHIELD.HAR.ALLY). A captive is
always in the pay of the faction it was taken from (AH.SHIELD.HAR.3-g); a leader beside the Kwisatz Haderach is in
nobody's (AH.SHIELD.ATR.4-e).
"""

from __future__ import annotations

from collections.abc import Generator, Mapping, Sequence
from functools import cached_property
from typing import Any

from rules.chapters.battle import listing
from rules.chapters.battle.question import BattleQuestion
from rules.components import CHEAP_HERO_CARD, Faction, Leader, traitor_owner
from rules.decisions.asking import ask
from rules.decisions.catalogue import rules_of
from rules.decisions.karama import can_do
from rules.decisions.question import Stop
from rules.decisions.windows import window
from rules.orders import CHEAP_HERO, NoTreachery, Order, Treachery
from rules.rulesets.box import hero_is_dealt
from rules.rulesets.options import Option
from rules.rulesets.refusal import Refusal
from rules.state.game import Game
from rules.state.moments import BattleMoment

CAPTIVE_IN_OWNERS_PAY = Option("captive_betrays_owner", {"automatic": True, "not_stated": False})

OPTIONS = (CAPTIVE_IN_OWNERS_PAY,)


def shown_leader(battle: BattleMoment, faction: Faction) -> Leader | None:
    """The leader whom this fighter has shown; None for a cheap hero or nobody."""
    leader = battle.committed[faction].plan.leader
    return None if leader in (None, CHEAP_HERO) else Leader(str(leader))


def may_betray(game: Game, battle: BattleMoment, faction: Faction) -> Leader | None:
    """The leader of this fighter who, for all that can be seen, might be a traitor; the card of all cheap heroes, where
    it is in the game (IT.TRAITOR.2)."""
    plan = battle.committed[faction].plan
    if plan.kwisatz_haderach:
        return None
    if plan.leader == CHEAP_HERO:
        return CHEAP_HERO_CARD if hero_is_dealt(game.rules) else None
    return shown_leader(battle, faction)


def is_traitor(game: Game, leader: Leader, caller: Faction) -> bool:
    """Whether the leader is in the caller's pay, if somebody else uses them."""
    by_capture = CAPTIVE_IN_OWNERS_PAY(game.rules) and traitor_owner(leader) == caller
    return by_capture or leader in game.player(caller).traitors


def calls(game: Game, battle: BattleMoment) -> Generator[Stop, None, list[Faction]]:
    """The fighters for whom treachery is called: none, one or both."""

    asked = _callers(game, battle)
    battle.calls_open = True
    answers = yield from ask(
        lambda: [TreacheryQuestion(game, battle, caller, side) for caller, side in _callers(game, battle)]
    )
    battle.calls_open = False
    called: list[Faction] = []
    for caller, side in asked:
        if isinstance(answers.of(caller), Treachery):
            victim = battle.opponent(side)
            leader = may_betray(game, battle, victim)
            game.tell("treachery-called", caller=caller, side=side, victim=victim, leader=leader)
            if leader in game.player(caller).traitors and leader not in game.state.box.known_traitors:
                game.state.box.known_traitors.append(leader)
            if caller != side and (yield from _cancelled(game, battle, caller)):
                continue
            if side not in called:
                called.append(side)
    return called


def _cancelled(game: Game, battle: BattleMoment, caller: Faction) -> Generator[Stop, None, bool]:
    """Whether a Karama cancels a treachery called for an ally, where the rule set has that (FAQ.KARAMA-HAR.3)."""
    if not can_do(game.rules, "cancel ally traitor"):
        return False
    battle.betrayed_for_ally = True
    yield from window(game, "ally-traitor", lambda: "ally traitor" not in battle.cancelled, by=caller)
    battle.betrayed_for_ally = False
    return "ally traitor" in battle.cancelled


def may_call_for_ally(game: Game, battle: BattleMoment) -> bool:
    """Whether the plans lie open and somebody is being asked whether they call treachery for an ally."""
    return battle.calls_open and any(caller != side for caller, side in _callers(game, battle))


def _callers(game: Game, battle: BattleMoment) -> list[tuple[Faction, Faction]]:
    """Who is asked, and for which fighter they would call."""
    found: list[tuple[Faction, Faction]] = []
    for side in battle.sides:
        if may_betray(game, battle, battle.opponent(side)) is not None:
            if rules_of(game, side).calls_traitors(game):
                found.append((side, side))
            allies = (faction for faction in game.state.ally_group(side) if faction != side)
            if "ally traitor" not in battle.cancelled:
                found.extend((faction, side) for faction in allies if rules_of(game, faction).betrays_for_allies(game))
    return found


class TreacheryQuestion(BattleQuestion):
    """Do you call treachery?"""

    kind = "traitor-call"

    def __init__(self, game: Game, battle: BattleMoment, caller: Faction, side: Faction) -> None:
        super().__init__(game, battle, caller)
        self._side = side

    @cached_property
    def _victim(self) -> Faction:
        return self.battle.opponent(self._side)

    @cached_property
    def _leader(self) -> Leader | None:
        return may_betray(self.game, self.battle, self._victim)

    @cached_property
    def _in_pay(self) -> bool:
        return self._leader is not None and is_traitor(self.game, self._leader, self.faction)

    def refusal(self, order: Order) -> Refusal | None:
        if isinstance(order, Treachery) and not self._in_pay:
            return Refusal(f"{self._leader} is not in your pay.", "battle.traitor")
        return None

    @classmethod
    def refusal_ahead(cls, game: Game, faction: Faction, order: Order) -> Refusal | None:
        """While a battle is resolved a call means that battle, and there it was asked for if it could be made."""
        if not rules_of(game, faction).calls_traitors(game):
            return Refusal("You have nobody in your pay.", "battle.traitor")
        for_allies = rules_of(game, faction).betrays_for_allies(game)
        group = game.state.ally_group(faction) if for_allies else (faction,)
        on = game.moments.battle
        resolved = on is not None and on.stage == "resolution"
        if on and resolved and any(on.committed[on.opponent(f)].plan.kwisatz_haderach for f in on.sides if f in group):
            why = "A leader beside the Kwisatz Haderach is in nobody's pay."
            return Refusal(why, "battle.kwisatz-haderach-against-treachery")
        to_come = listing.pairs_later(game) if resolved else listing.pairs_now_or_later(game)
        if {fighter for pair in to_come for fighter in pair}.isdisjoint(group):
            why = "You have no battle to come in which you could call treachery."
            return Refusal(why, "battle.traitor-in-own-battle")
        return None

    @property
    def default(self) -> Order:
        return self.samples()[0]

    def samples(self) -> Sequence[Order]:
        return [Treachery(), NoTreachery()] if self._in_pay else [NoTreachery()]

    @property
    def facts(self) -> Mapping[str, Any]:
        return {
            "territory": self.battle.territory,
            "leader": self._leader,
            "user": self._victim,
            "side": self._side,
            "in_pay": self._in_pay,
        }
