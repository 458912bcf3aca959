"""Leaders in battle: available leaders, the Kwisatz Haderach, traitors and captured leaders.

Available leaders (AH.X.C.8 to 10): a fighter uses a leader whom they control, or a cheap hero in place of one. A leader
who has survived a battle can fight only in the same territory for the rest of the round. A leader brought back from the
tanks during the battles does not fight in this round (AH.QA.A.5). A captor may use captives like their own leaders,
each captive once (AH.SHIELD.HAR.3-d).

The Kwisatz Haderach (AH.SHIELD.ATR.4, WBC.XV.1 to 7): once Atreides have lost seven tokens in battles, it adds 2 to the
strength of one of their leaders or cheap heroes, once a turn. That leader cannot be called a traitor. If the leader is
killed, the Kwisatz Haderach adds nothing. It dies only if a lasgun meets a shield.

Treachery (AH.X.D, AH.QA.B.7-a, WBC.X.30 to 32): when the plans are revealed, all players who, as far as everybody
knows, might call treachery are asked, secretly and all at the same time. These are the fighters whose opponent shows a
leader, and Harkonnen, whose traitors serve their allies too (AH.SHIELD.HAR.ALLY). A captive always counts as a traitor
for the faction from which they were taken (AH.SHIELD.HAR.3-g). A leader accompanied by the Kwisatz Haderach is never a
traitor (AH.SHIELD.ATR.4-e).

Captured leaders (AH.SHIELD.HAR.3, WBC.X.27 to 29, WBC.AID.39): after each battle that Harkonnen win, they may take one
of the loser's leaders at random. The leader must be alive and must not have fought elsewhere this round. The leader is
drawn and shown to both players. A Karama may still cancel the capture. Then Harkonnen, the captors, keep the leader,
kill them for 2 spice, or let them go. A captive fights for the captors in one battle and then goes home. When all their
own leaders are dead, the captors return all captives at once. That includes a captive from the very battle in which
their last leader died (A-55).
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping, Sequence
from functools import cached_property
from typing import Any

from rules.chapters import battle_list
from rules.chapters.battle_list import BattleQuestion
from rules.chapters.public_facts import CAPTIVES_SEEN
from rules.components import (
    CHEAP_HERO_CARD,
    KWISATZ_HADERACH_LOSSES,
    LEADERS,
    Card,
    Faction,
    Forces,
    Leader,
    card_kind,
    leader_strength,
    leaders_of,
    the_faction,
    traitor_owner,
    weakest_first,
)
from rules.decisions.catalogue import factions_with, rules_of, serving_others
from rules.decisions.faction_rules import FactionRules
from rules.decisions.question import Flow, Stop, ask
from rules.decisions.windows import karama_can, window
from rules.orders import CHEAP_HERO, Capture, NoTreachery, Order, Treachery
from rules.rulesets.options import Option, switch
from rules.rulesets.rulebook import Refusal
from rules.rulesets.ruleset import hero_is_dealt
from rules.state.events import Facts
from rules.state.game import Game
from rules.state.moments import BattleMoment
from rules.state.state import State

HERO_FOR_MISSING_LEADER = switch("missing_leader_uses_cheap_hero", usual="on")


def available_leaders(game: Game, battle: BattleMoment, faction: Faction) -> list[Leader]:
    elsewhere, taken = game.captives(), list(game.player(faction).captured)
    if serving := serving_others(game):
        taken += [leader for leader, whose in serving.items() if whose == faction and leader not in elsewhere]
        elsewhere.update(serving)
    own = [leader for leader in weakest_first(faction) if leader not in elsewhere and _is_free(game, battle, leader)]
    return own + sorted((leader for leader in taken if _is_free(game, battle, leader)), key=leader_strength)


def leaders_in_pool(game: Game, faction: Faction) -> list[Leader]:
    """Return the living leaders that the faction controls. First come its own leaders, strongest first, without those
    who serve other factions. Then come the leaders of other factions who serve this one, captives included."""
    elsewhere = serving_others(game)
    own = [leader for leader in leaders_of(faction) if leader not in elsewhere]
    serving = rules_of(game, faction).foreign_leaders(game)
    return [leader for leader in (*own, *serving) if game.state.leaders[leader].status == "ready"]


def _is_free(game: Game, battle: BattleMoment, leader: Leader) -> bool:
    standing = game.state.leaders[leader]
    return standing.status == "ready" and not standing.sits_out and standing.fought_in in (None, battle.territory)


def cheap_hero_of(game: Game, faction: Faction) -> Card | None:
    return next((card for card in game.player(faction).hand if card_kind(card) == "cheap-hero"), None)


def has_any_leader(game: Game, battle: BattleMoment, faction: Faction) -> bool:
    return bool(available_leaders(game, battle, faction)) or cheap_hero_of(game, faction) is not None  # AH.X.C.9


def lowest_leader(game: Game, battle: BattleMoment, faction: Faction) -> str | None:
    """Return the leader that a fighter uses by default: the weakest leader, else a cheap hero, else None (WBC.X.23,
    AH.X.C.9-c)."""
    for leader in available_leaders(game, battle, faction):
        return leader
    uses_hero = HERO_FOR_MISSING_LEADER(game.rules) and cheap_hero_of(game, faction)
    return CHEAP_HERO if uses_hero else None


def refusal_unless_own(game: Game, faction: Faction, leader: str | None) -> Refusal | None:
    if leader in (None, CHEAP_HERO):
        return None
    name = Leader(str(leader))
    if name in LEADERS and (LEADERS[name].faction == faction or name in game.player(faction).captured):
        return None
    if name in rules_of(game, faction).foreign_leaders(game):
        return None
    return Refusal(f"{leader} is not one of your leaders.", "battle.leader-in-plan")


def leader_unavailable(game: Game, battle: BattleMoment, faction: Faction, leader: str) -> Refusal | None:
    if leader == CHEAP_HERO:
        return None if cheap_hero_of(game, faction) else Refusal("You hold no cheap hero.", "battle.cards-in-hand")
    name = Leader(leader)
    if name in available_leaders(game, battle, faction):
        return None
    if refusal := refusal_unless_own(game, faction, leader):
        return refusal
    standing = game.state.leaders[name]
    if standing.status != "ready":
        return Refusal(f"{leader} is in the tanks.", "battle.leader-in-tanks")
    if (service := serving_others(game).get(name)) not in (None, faction):
        return Refusal(f"{leader} is in the service of {the_faction(str(service))}.", "battle.capture")
    captor = game.captor_of(name)
    if captor is not None and captor != faction:
        return Refusal(f"{leader} is a captive of {the_faction(captor)}.", "battle.capture")
    if standing.sits_out:
        return Refusal(f"{leader} was revived during these battles and cannot fight in them.", "battle.leader-sits-out")
    return Refusal(f"{leader} has fought in another territory this round.", "battle.leader-fought-elsewhere")


HADERACH_BESIDE_CHEAP_HERO = switch("kh_with_cheap_hero", usual="on")
HADERACH_BESIDE_ANY_LEADER = Option("kh_companion", {"any_leader_played": True, "own_leader_or_cheap_hero": False})
HADERACH_WAITS_FOR_NEXT_TURN = Option("kh_from", {"next_turn": True, "next_battle": False})


def refusal_without_haderach(game: Game, faction: Faction) -> Refusal | None:
    if rules_of(game, faction).has_kwisatz_haderach(game):
        return None
    return Refusal("You have no Kwisatz Haderach.", "battle.kwisatz-haderach")


def haderach_barred(game: Game, battle: BattleMoment, faction: Faction, leader: str | None) -> Refusal | None:
    if refusal := refusal_without_haderach(game, faction):
        return refusal
    match game.state.kwisatz_haderach:
        case "locked":
            lost = game.state.lost_in_battle
            if lost >= KWISATZ_HADERACH_LOSSES:
                return Refusal("The Kwisatz Haderach will arrive next turn.", "battle.kwisatz-haderach-comes")
            fallen = Forces(lost).in_words
            why = f"You have lost {fallen} in battles; the Kwisatz Haderach arrives after {KWISATZ_HADERACH_LOSSES}."
            return Refusal(why, "battle.kwisatz-haderach-comes")
        case "used":
            why = "The Kwisatz Haderach has already been used this turn."
            return Refusal(why, "battle.kwisatz-haderach-once-a-turn")
        case "dead":
            return Refusal("The Kwisatz Haderach is in the tanks.", "battle.kwisatz-haderach-dead")
    if "kwisatz haderach" in battle.cancelled:
        why = "A Karama bars the Kwisatz Haderach from this battle."
        return Refusal(why, "battle.kwisatz-haderach-barred")
    if leader == CHEAP_HERO:
        if HADERACH_BESIDE_CHEAP_HERO(game.rules):
            return None
        why = "The Kwisatz Haderach cannot accompany a cheap hero."
        return Refusal(why, "battle.kwisatz-haderach-beside-whom")
    if leader is None:
        return Refusal("The Kwisatz Haderach never fights alone.", "battle.kwisatz-haderach-beside-whom")
    if leader not in leaders_of(faction) and not HADERACH_BESIDE_ANY_LEADER(game.rules):
        why = "The Kwisatz Haderach can accompany only a leader of your own."
        return Refusal(why, "battle.kwisatz-haderach-beside-whom")
    return None


def haderach_may_appear(game: Game, battle: BattleMoment) -> bool:
    return game.state.kwisatz_haderach == "ready" and any(
        rules_of(game, fighter).has_kwisatz_haderach(game) for fighter in battle.sides
    )


def count_losses_for_haderach(game: Game, dead: int) -> None:
    """Count tokens that the Kwisatz Haderach's faction has lost in battle. Once seven are lost, the Kwisatz Haderach
    arrives: at once (WBC.XV.1, FAQ.ATREIDES.1) or next turn (AH.SHIELD.ATR.4-a), as the rule set says."""
    if not dead:
        return
    state = game.state
    before, state.lost_in_battle = state.lost_in_battle, state.lost_in_battle + dead
    if state.kwisatz_haderach != "locked" or state.lost_in_battle < KWISATZ_HADERACH_LOSSES:
        return
    if not HADERACH_WAITS_FOR_NEXT_TURN(game.rules):
        state.kwisatz_haderach = "ready"
        game.tell("kwisatz-haderach-ready", lost=state.lost_in_battle)
    elif before < KWISATZ_HADERACH_LOSSES:
        game.tell("kwisatz-haderach-ready", lost=state.lost_in_battle, from_turn=state.turn + 1)


def haderach_wakes(state: State) -> bool:
    """Return whether, as the new turn begins, the Kwisatz Haderach comes into play or can be used again
    (AH.SHIELD.ATR.4-a, WBC.XV.3)."""
    comes = state.kwisatz_haderach == "locked" and state.lost_in_battle >= KWISATZ_HADERACH_LOSSES
    return comes or state.kwisatz_haderach == "used"


def wake_haderach(state: State) -> None:
    if haderach_wakes(state):
        state.kwisatz_haderach = "ready"


CAPTIVE_IN_OWNERS_PAY = Option("captive_betrays_owner", {"automatic": True, "not_stated": False})


def shown_leader(battle: BattleMoment, faction: Faction) -> Leader | None:
    leader = battle.committed[faction].plan.leader
    return None if leader in (None, CHEAP_HERO) else Leader(str(leader))


def possible_traitor(game: Game, battle: BattleMoment, faction: Faction) -> Leader | None:
    """Return the fighter's leader if, as far as everybody knows, that leader might be a traitor, else None. In a game
    with the traitor card for all cheap heroes, the result may be a cheap hero (IT.TRAITOR.2)."""
    plan = battle.committed[faction].plan
    if plan.kwisatz_haderach:
        return None
    if plan.leader == CHEAP_HERO:
        return CHEAP_HERO_CARD if hero_is_dealt(game.rules) else None
    return shown_leader(battle, faction)


def is_traitor(game: Game, leader: Leader, caller: Faction) -> bool:
    by_capture = CAPTIVE_IN_OWNERS_PAY(game.rules) and traitor_owner(leader) == caller
    return by_capture or leader in game.player(caller).traitors


def treachery_calls(game: Game, battle: BattleMoment) -> Generator[Stop, None, list[Faction]]:
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
            leader = possible_traitor(game, battle, victim)
            game.tell("treachery-called", caller=caller, side=side, victim=victim, leader=leader)
            if leader in game.player(caller).traitors and leader not in game.state.box.known_traitors:
                game.state.box.known_traitors.append(leader)
            if caller != side and (yield from _call_is_cancelled(game, battle, caller)):
                continue
            if side not in called:
                called.append(side)
    return called


def _call_is_cancelled(game: Game, battle: BattleMoment, caller: Faction) -> Generator[Stop, None, bool]:
    """Ask whether anybody cancels, by a Karama, a call of treachery made for an ally, if the rule set allows that
    (FAQ.KARAMA-HAR.3). Return whether somebody did."""
    if not karama_can(game.rules, "cancel ally traitor"):
        return False
    battle.betrayed_for_ally = True
    yield from window(game, "ally-traitor", lambda: "ally traitor" not in battle.cancelled, by=caller)
    battle.betrayed_for_ally = False
    return "ally traitor" in battle.cancelled


def may_call_for_ally(game: Game, battle: BattleMoment) -> bool:
    return battle.calls_open and any(caller != side for caller, side in _callers(game, battle))


def _callers(game: Game, battle: BattleMoment) -> list[tuple[Faction, Faction]]:
    found: list[tuple[Faction, Faction]] = []
    for side in battle.sides:
        if possible_traitor(game, battle, battle.opponent(side)) is not None:
            if rules_of(game, side).calls_traitors(game):
                found.append((side, side))
            allies = (faction for faction in game.state.ally_group(side) if faction != side)
            if "ally traitor" not in battle.cancelled:
                found.extend((faction, side) for faction in allies if rules_of(game, faction).betrays_for_allies(game))
    return found


class TreacheryQuestion(BattleQuestion):
    kind = "traitor-call"

    def __init__(self, game: Game, battle: BattleMoment, caller: Faction, side: Faction) -> None:
        super().__init__(game, battle, caller)
        self._side = side

    @cached_property
    def _victim(self) -> Faction:
        return self.battle.opponent(self._side)

    @cached_property
    def _leader(self) -> Leader | None:
        return possible_traitor(self.game, self.battle, self._victim)

    @cached_property
    def _in_pay(self) -> bool:
        return self._leader is not None and is_traitor(self.game, self._leader, self.faction)

    def refusal(self, order: Order) -> Refusal | None:
        if isinstance(order, Treachery) and not self._in_pay:
            return Refusal(f"{self._leader} is not in your pay.", "battle.traitor")
        return None

    @classmethod
    def refusal_ahead(cls, game: Game, faction: Faction, order: Order) -> Refusal | None:
        if not rules_of(game, faction).calls_traitors(game):
            return Refusal("You have nobody in your pay.", "battle.traitor")
        for_allies = rules_of(game, faction).betrays_for_allies(game)
        group = game.state.ally_group(faction) if for_allies else (faction,)
        on = game.moments.battle
        resolved = on is not None and on.stage == "resolution"
        if on and resolved and any(on.committed[on.opponent(f)].plan.kwisatz_haderach for f in on.sides if f in group):
            why = "A leader accompanied by the Kwisatz Haderach cannot be a traitor."
            return Refusal(why, "battle.kwisatz-haderach-against-treachery")
        to_come = battle_list.pairs_later(game) if resolved else battle_list.pairs_now_or_later(game)
        if {fighter for pair in to_come for fighter in pair}.isdisjoint(group):
            why = "You have no battle left in which you could call treachery."
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


PRICE_OF_A_CAPTIVE = 2


def capture_leader(game: Game, battle: BattleMoment, captor: Faction) -> Flow:
    if not may_capture(game, battle, captor):
        return
    loser = battle.opponent(captor)
    pool = capturable_leaders(game, battle, loser)
    battle.captive = game.chance.pick("captive", pool) if pool else None
    battle.capturing = True
    known: Facts = {"leader": battle.captive}
    game.tell("captive-drawn", loser=loser, **captive_told_to_all(game, known), private={captor: known, loser: known})
    yield from window(game, "capture", lambda: "capture" not in battle.cancelled, loser=loser)
    answers = yield from ask(
        lambda: [CaptureQuestion(game, battle, captor)] if "capture" not in battle.cancelled else []
    )
    decision = answers.of(captor)
    battle.capturing = False
    if isinstance(decision, Capture):
        _carry_out_capture(game, battle, captor, decision)


def captive_told_to_all(game: Game, known: Facts) -> Facts:
    """Return the facts about a captive that everybody may know: the name is left out unless it is public (WBC.X.28,
    FAQ.HARKONNEN.2)."""
    return known if CAPTIVES_SEEN(game.rules) else {}


def may_capture(game: Game, battle: BattleMoment, captor: Faction) -> bool:
    if battle.winner != captor or not rules_of(game, captor).takes_captives(game):
        return False
    loser = battle.opponent(captor)
    alive = leaders_in_pool(game, loser)
    here_or_free = [leader for leader in alive if game.state.leaders[leader].fought_in in (None, battle.territory)]
    captives = sum(owner == loser for owner in game.player(captor).captured.values())
    return len(here_or_free) > captives or (bool(here_or_free) and len(here_or_free) < len(alive))


def capturable_leaders(game: Game, battle: BattleMoment, loser: Faction) -> list[Leader]:
    # AH.SHIELD.HAR.3-b
    return [
        leader
        for leader in leaders_in_pool(game, loser)
        if game.state.leaders[leader].fought_in in (None, battle.territory) and game.captor_of(leader) is None
    ]


class CaptureQuestion(BattleQuestion):
    kind = "capture"
    only_refusal = Refusal("Only Harkonnen can take captives.", "battle.capture")

    def refusal(self, order: Order) -> Refusal | None:
        if isinstance(order, Capture) and order.choice != "none" and self.battle.captive is None:
            return Refusal("The loser has no leader whom you could take.", "battle.capture-whom")
        return None

    @classmethod
    def refusal_ahead(cls, game: Game, faction: Faction, order: Order) -> Refusal | None:
        if not rules_of(game, faction).takes_captives(game):
            return Refusal("You cannot take captives.", "battle.capture")
        return battle_list.refusal_without_battle(game, faction)

    @classmethod
    def never_legal(cls, game: Game, faction: Faction, order: Order) -> Refusal | None:
        return None if rules_of(game, faction).takes_captives(game) else cls.only_refusal

    @property
    def default(self) -> Order:
        return self.samples()[0]

    def samples(self) -> Sequence[Order]:
        taken = [Capture("keep"), Capture("kill")] if self.battle.captive else []
        return [*taken, Capture("none")]

    @property
    def facts(self) -> Mapping[str, Any]:
        loser = self.battle.opponent(self.faction)
        return {"territory": self.battle.territory, "loser": loser, "leader": self.battle.captive}


def _carry_out_capture(game: Game, battle: BattleMoment, captor: Faction, decision: Capture) -> None:
    captive, loser = battle.captive, battle.opponent(captor)
    if captive is None or decision.choice == "none":
        game.tell("no-capture", loser=loser)
    elif decision.choice == "keep":
        game.player(captor).captured[captive] = loser
        known: Facts = {"leader": captive}
        game.tell(
            "leader-captured", loser=loser, **captive_told_to_all(game, known), private={captor: known, loser: known}
        )
    else:
        KILLS_CAPTIVE(game.rules)(game, captor, captive, loser)


def _kill_face_up(game: Game, captor: Faction, captive: Leader, loser: Faction) -> None:
    game.kill_leader(captive)  # AH.SHIELD.HAR.3-c
    game.gain(captor, PRICE_OF_A_CAPTIVE)
    status = game.state.leaders[captive].status
    game.tell("captive-killed", loser=loser, leader=captive, spice=PRICE_OF_A_CAPTIVE, status=status)


def _kill_face_down(game: Game, captor: Faction, captive: Leader, loser: Faction) -> None:
    """Kill the captive face down, as if for the second time. Only the captors, the leader's own faction, and factions
    that see all face-down leaders may look at the disc (FAQ.HARKONNEN.5, IT.OTHERS.4)."""
    able = factions_with(game, FactionRules.sees_face_down_leaders)
    others = [faction for faction in able if rules_of(game, faction).sees_face_down_leaders(game)]
    seers = dict.fromkeys((captor, loser, *others))
    game.kill_leader(captive, deaths=2)
    game.state.leaders[captive].seen_by = tuple(seers)
    game.gain(captor, PRICE_OF_A_CAPTIVE)
    known = {"leader": captive}
    private = dict.fromkeys(seers, known)
    game.tell("captive-killed", loser=loser, spice=PRICE_OF_A_CAPTIVE, status="face-down", private=private)


KILLS_CAPTIVE: Option[Callable[[Game, Faction, Leader, Faction], None]] = Option(
    "killed_captive_state", {"face_up": _kill_face_up, "face_down_died_twice": _kill_face_down}
)


# --- Released captives --------------------------------------------------------------------------------------------


def return_used_captive(game: Game, battle: BattleMoment, captor: Faction) -> None:
    """Send home a captive who has led in this battle and survived it (AH.SHIELD.HAR.3-d)."""
    if captor not in battle.sides:
        return
    leader = shown_leader(battle, captor)
    owner = game.player(captor).captured.pop(leader, None) if leader else None
    if owner:
        game.tell("captive-returned", leader=leader, owner=owner)


def return_all_captives(game: Game, captor: Faction) -> None:
    """Give back every captive when all five leaders of the captors are dead (AH.SHIELD.HAR.3-e)."""
    elsewhere = serving_others(game)
    own = [leader for leader in leaders_of(captor) if leader not in elsewhere]
    if any(game.state.leaders[leader].status == "ready" for leader in own):
        return
    captured = game.player(captor).captured
    for owner in dict.fromkeys(captured.values()):
        home = [leader for leader, of in captured.items() if of == owner]
        known: Facts = {"leaders": home}
        private = {captor: known, owner: known}
        game.tell(
            "captives-returned", owner=owner, count=len(home), **captive_told_to_all(game, known), private=private
        )
    captured.clear()
