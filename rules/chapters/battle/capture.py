"""Captured leaders (AH.SHIELD.HAR.3, WBC.X.27 to 29, WBC.AID.39).

After each battle that they win the captors, Harkonnen, may take one of the loser's leaders at random: one who lives and
has not fought elsewhere this round. The leader is drawn and shown to the two; a Karama may still cancel the capture;
then the captors keep the leader, or kill it for 2 spice, or let it go. A captive serves in one battle and goes home.
When all their own leaders are dead the captors return every captive at once: also one whom they take and keep in the
very battle in which the last of their leaders died (A-55).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from rules.chapters.battle import leaders, listing, traitors
from rules.chapters.battle.question import BattleQuestion
from rules.components import Faction, Leader, leaders_of
from rules.decisions.asking import ask
from rules.decisions.catalogue import factions_with, rules_of
from rules.decisions.faction_rules import FactionRules
from rules.decisions.question import Flow
from rules.decisions.service import serving_others
from rules.decisions.visibility import CAPTIVES_SEEN
from rules.decisions.windows import window
from rules.orders import Capture, Order
from rules.rulesets.options import Option
from rules.rulesets.refusal import Refusal
from rules.state.events import Facts
from rules.state.game import Game
from rules.state.moments import BattleMoment

PRICE_OF_A_CAPTIVE = 2


def take(game: Game, battle: BattleMoment, captor: Faction) -> Flow:
    """Draw a leader, hold the window, and ask the captors what becomes of the captive."""
    if not may_take(game, battle, captor):
        return
    loser = battle.opponent(captor)
    pool = eligible(game, battle, loser)
    battle.captive = game.chance.pick("captive", pool) if pool else None
    battle.capturing = True
    known: Facts = {"leader": battle.captive}
    game.tell("captive-drawn", loser=loser, **told_to_all(game, known), private={captor: known, loser: known})
    yield from window(game, "capture", lambda: "capture" not in battle.cancelled, loser=loser)
    answers = yield from ask(
        lambda: [CaptureQuestion(game, battle, captor)] if "capture" not in battle.cancelled else []
    )
    decision = answers.of(captor)
    battle.capturing = False
    if isinstance(decision, Capture):
        _carry_out(game, battle, captor, decision)


def told_to_all(game: Game, known: Facts) -> Facts:
    """What everybody may know of a captive's name (WBC.X.28, FAQ.HARKONNEN.2)."""
    return known if CAPTIVES_SEEN(game.rules) else {}


def may_take(game: Game, battle: BattleMoment, captor: Faction) -> bool:
    """Whether the captors have won and, for all that everybody can see, the loser may have a leader to take."""
    if battle.winner != captor or not rules_of(game, captor).takes_captives(game):
        return False
    loser = battle.opponent(captor)
    alive = leaders.in_pool(game, loser)
    here_or_free = [leader for leader in alive if game.state.leaders[leader].fought_in in (None, battle.territory)]
    captives = sum(owner == loser for owner in game.player(captor).captured.values())
    return len(here_or_free) > captives or (bool(here_or_free) and len(here_or_free) < len(alive))


def eligible(game: Game, battle: BattleMoment, loser: Faction) -> list[Leader]:
    """The loser's leaders who can be taken (AH.SHIELD.HAR.3-b)."""
    return [
        leader
        for leader in leaders.in_pool(game, loser)
        if game.state.leaders[leader].fought_in in (None, battle.territory) and game.captor_of(leader) is None
    ]


class CaptureQuestion(BattleQuestion):
    """What becomes of the captive?"""

    kind = "capture"
    only_refusal = Refusal("Only Harkonnen take captives.", "battle.capture")

    def refusal(self, order: Order) -> Refusal | None:
        if isinstance(order, Capture) and order.choice != "none" and self.battle.captive is None:
            return Refusal("The loser has no leader whom you could take.", "battle.capture-whom")
        return None

    @classmethod
    def refusal_ahead(cls, game: Game, faction: Faction, order: Order) -> Refusal | None:
        if not rules_of(game, faction).takes_captives(game):
            return Refusal("You take no captives.", "battle.capture")
        return listing.refusal_without_battle(game, faction)

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


def _carry_out(game: Game, battle: BattleMoment, captor: Faction, decision: Capture) -> None:
    captive, loser = battle.captive, battle.opponent(captor)
    if captive is None or decision.choice == "none":
        game.tell("no-capture", loser=loser)
    elif decision.choice == "keep":
        game.player(captor).captured[captive] = loser
        known: Facts = {"leader": captive}
        game.tell("leader-captured", loser=loser, **told_to_all(game, known), private={captor: known, loser: known})
    else:
        KILLS(game.rules)(game, captor, captive, loser)


def _kill_face_up(game: Game, captor: Faction, captive: Leader, loser: Faction) -> None:
    """Like any leader who dies (AH.SHIELD.HAR.3-c)."""
    game.kill_leader(captive)
    game.gain(captor, PRICE_OF_A_CAPTIVE)
    status = game.state.leaders[captive].status
    game.tell("captive-killed", loser=loser, leader=captive, spice=PRICE_OF_A_CAPTIVE, status=status)


def _kill_face_down(game: Game, captor: Faction, captive: Leader, loser: Faction) -> None:
    """Face down, as if killed twice; only the captors and the owner may look who it is, and whoever sees all who lie so
    (FAQ.HARKONNEN.5, IT.OTHERS.4)."""
    able = factions_with(game, FactionRules.sees_face_down_leaders)
    others = [faction for faction in able if rules_of(game, faction).sees_face_down_leaders(game)]
    seers = dict.fromkeys((captor, loser, *others))
    game.kill_leader(captive, deaths=2)
    game.state.leaders[captive].seen_by = tuple(seers)
    game.gain(captor, PRICE_OF_A_CAPTIVE)
    known = {"leader": captive}
    private = dict.fromkeys(seers, known)
    game.tell("captive-killed", loser=loser, spice=PRICE_OF_A_CAPTIVE, status="face-down", private=private)


KILLS: Option[Callable[[Game, Faction, Leader, Faction], None]] = Option(
    "killed_captive_state", {"face_up": _kill_face_up, "face_down_died_twice": _kill_face_down}
)
"""What becomes of a captive whom the captors kill."""

OPTIONS = (KILLS,)


# --- The way home -------------------------------------------------------------------------------------------------


def return_used(game: Game, battle: BattleMoment, captor: Faction) -> None:
    """A captive who led this battle and lives goes home (AH.SHIELD.HAR.3-d)."""
    if captor not in battle.sides:
        return
    leader = traitors.shown_leader(battle, captor)
    owner = game.player(captor).captured.pop(leader, None) if leader else None
    if owner:
        game.tell("captive-returned", leader=leader, owner=owner)


def return_all(game: Game, captor: Faction) -> None:
    """With all five of their own dead the captors give back every captive (AH.SHIELD.HAR.3-e)."""
    elsewhere = serving_others(game)
    own = [leader for leader in leaders_of(captor) if leader not in elsewhere]
    if any(game.state.leaders[leader].status == "ready" for leader in own):
        return
    captured = game.player(captor).captured
    for owner in dict.fromkeys(captured.values()):
        home = [leader for leader, of in captured.items() if of == owner]
        known: Facts = {"leaders": home}
        private = {captor: known, owner: known}
        game.tell("captives-returned", owner=owner, count=len(home), **told_to_all(game, known), private=private)
    captured.clear()
