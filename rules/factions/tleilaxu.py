"""The powers of the Tleilaxu (IT.SETUP-TL, IT.REV, IT.FD, IT.ZOAL, IT.GHOLA, IT.TL-KARAMA).

Instead of traitors they have face dancers (``rules.factions.face_dancers``). They revive their own forces and leaders
without limit and at half price. Other players pay them for revival, and can revive more with their help
(``rules.factions.tleilaxu_revivals``).

Gholas (IT.GHOLA, FAQ.TLEILAXU.5, .12 to .14): while the Tleilaxu have fewer than five leaders who can fight, they may
revive dead leaders of other factions, face up or face down, for half their strength. Such a ghola fights for them like
a leader of their own. A ghola that dies again still belongs to them, and they can sell the revival of that leader to
the original faction.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any, ClassVar

from rules.chapters import revival_costs
from rules.chapters.battle_leaders import leaders_in_pool
from rules.chapters.revival import leader_price
from rules.components import LEADERS, Faction, Leader, leader_strength
from rules.components.board import TerritoryId
from rules.decisions.faction_rules import FactionRules
from rules.decisions.question import Flow, Question
from rules.decisions.windows import window
from rules.factions import face_dancers, tleilaxu_revivals
from rules.factions.face_dancers import (
    ALLYS_LEADERS_ROUNDED_UP,
    DEAD_GHOLA_STAYS,
    GHOLA_IS_GONE,
    GHOLA_RETURNS_TO_THEM,
    GHOLAS,
    KARAMA_REVIVAL_PAYS,
    KARAMA_STOPS_FREE_PAY,
    NEWCOMERS_FIGHT,
    OWN_GHOLA_CARD_PAYS,
    STOPS_ALL,
    STOPS_CARDS,
    ZOAL_AS_TRAITOR,
    ZOAL_IS_HALVED,
)
from rules.orders import KaramaEffect, Order
from rules.rulesets.rulebook import Refusal
from rules.state.events import Viewer
from rules.state.game import Game
from rules.state.moments import BattleMoment, Returning

__all__ = ["Tleilaxu"]

ALL_TOKENS = 20
ZOAL_PRICE = 3
PAY_FOR_USE = 1
"""The payment from the bank for a free revival, and for a Tleilaxu Ghola (IT.REV.5, IT.REV.6)."""


def _equals_opponent(leader: Leader) -> bool:
    """Return whether the leader is Zoal, whose disc shows no number and whose strength equals the strength of the
    opponent's leader (IT.ZOAL.1)."""
    return leader_strength(leader) == 0


class Tleilaxu(FactionRules):
    # --- decisions of the faction ------------------------------------------------------------------------------------

    own_questions = (
        tleilaxu_revivals.LimitsQuestion,
        tleilaxu_revivals.PriceQuestion,
        *face_dancers.QUESTIONS,
        *face_dancers.QUESTIONS_OF_PAUSE,
    )

    own_karama: ClassVar[tuple[KaramaEffect, ...]] = ("stop revival",)

    # --- set-up ------------------------------------------------------------------------------------------------------

    def after_traitors(self, game: Game) -> Flow:
        # IT.SETUP-TL.6
        if not game.state.box.face_dancers:
            face_dancers.draw_dancers(game, self.faction)
        yield from ()

    # --- revival -----------------------------------------------------------------------------------------------------

    def most_tokens_revived(self, game: Game, reviving: Faction) -> int:
        """Return the total number of their tokens if the Tleilaxu themselves revive, and five for a faction whose limit
        they have raised (IT.REV.1, IT.REV.8). A Karama may set their own limit back to three (FAQ.KARAMA-TLE.2)."""
        if reviving == self.faction:
            return 0 if game.moments.limits_stay else ALL_TOKENS
        return game.state.box.revival_limits.get(reviving, 0)

    def lowers_price_of_revival(self, game: Game, reviving: Faction, price: int, what: Returning) -> int:
        """Return half of the price for the Tleilaxu and their ally, unless a Karama stops that (IT.REV.2, IT.REV.13,
        IT.REV.18, IT.TL-KARAMA.5)."""
        own = reviving == self.faction
        if reviving in game.moments.full_price or not (own or game.state.allied(self.faction, reviving)):
            return price
        rounded_up = own or what == "tokens" or ALLYS_LEADERS_ROUNDED_UP(game.rules)
        return (price + 1) // 2 if rounded_up else price // 2

    def is_paid_for_revival(self, game: Game, reviving: Faction, payer: Faction) -> bool:
        """Return true unless the Tleilaxu themselves pay. Even the Emperor pays them for an ally's tokens (IT.REV.4,
        FAQ.TLEILAXU.15). A Karama may send the payment to the bank (FAQ.KARAMA-TLE.4)."""
        return payer != self.faction and reviving not in game.moments.unpaid_revival

    def notices_free_revival(self, game: Game, reviving: Faction) -> None:
        """Earn one spice for each faction that revives tokens for free, including the Tleilaxu (IT.REV.5)."""
        if reviving not in game.moments.unpaid_revival or not KARAMA_STOPS_FREE_PAY(game.rules):
            self._earn(game, reviving, "free revival")

    def notices_karama_revival(self, game: Game, reviving: Faction) -> None:
        """Treat a revival by special Karama as free revival, if the rule set says so (IT.REV.22)."""
        if KARAMA_REVIVAL_PAYS(game.rules):
            self._earn(game, reviving, "free revival")

    def notices_ghola_card(self, game: Game, player: Faction) -> None:
        # IT.REV.6, IT.REV.7
        if player != self.faction or OWN_GHOLA_CARD_PAYS(game.rules):
            self._earn(game, player, "ghola")

    def _earn(self, game: Game, by: Faction, why: str) -> None:
        game.gain(self.faction, PAY_FOR_USE)
        game.tell("revival-income", faction=self.faction, by=by, why=why, spice=PAY_FOR_USE)

    def stops_of_revival(self, game: Game) -> tuple[Returning, ...]:
        """Return the kinds of revival that the special Karama of the Tleilaxu stops (IT.TL-KARAMA.2, IT.TL-KARAMA.3).

        It stops tokens and leaders. In some rule sets it stops only one of the two: tokens if they have not come back
        yet, otherwise leaders. It stops revival by cards only if the rule set says so.
        """
        cards: tuple[Returning, ...] = ("cards",) if STOPS_CARDS(game.rules) else ()
        if STOPS_ALL(game.rules):
            return ("tokens", "leaders", *cards)
        return ("leaders" if game.moments.tokens_are_back else "tokens", *cards)

    def before_revival(self, game: Game) -> Flow:
        """Let the Tleilaxu raise limits, and answer requests for leaders who come back early (IT.REV.9, IT.REV.14)."""
        return tleilaxu_revivals.ask_before_revival(game, self.faction)

    def before_revival_of(self, game: Game, reviving: Faction) -> Flow:
        """Let the Tleilaxu raise the limit of this faction, in a rule set that asks them before each faction's tokens
        come back (IT.REV.9)."""
        return tleilaxu_revivals.limit_of(game, self.faction, reviving)

    def beside_revival(self, game: Game, reviving: Collection[Faction]) -> Sequence[Question]:
        return tleilaxu_revivals.offers(game, reviving)

    def price_of_leader(self, game: Game, leader: Leader) -> int | None:
        """Return the special price of Zoal, whose disc shows no strength: three, unless the rule set says otherwise
        (FAQ.TLEILAXU.2, IT.ZOAL.7)."""
        if not _equals_opponent(leader):
            return None
        return revival_costs.price_due(game, self.faction, 2 * ZOAL_PRICE) if ZOAL_IS_HALVED(game.rules) else ZOAL_PRICE

    def revives_leaders_at_will(self, game: Game) -> bool:
        return True  # IT.REV.3

    def foreign_leaders(self, game: Game) -> Collection[Leader]:
        return gholas_in_service(game)  # IT.GHOLA.3

    def leaders_out_of_reach(self, game: Game) -> Collection[Leader]:
        return gholas_out_of_reach(game)  # IT.GHOLA.8

    def foreign_leaders_to_revive(self, game: Game) -> Sequence[Leader]:
        """Return the dead leaders of other factions, while the Tleilaxu have fewer than five leaders (IT.GHOLA.1)."""
        return leaders_to_revive(game, self.faction)

    def never_revives(self, game: Game, leader: Leader) -> Refusal | None:
        return never_ghola(game, leader)

    def foreign_leader_refusal(self, game: Game, leader: Leader) -> Refusal | None:
        return ghola_refusal(game, self.faction, leader)

    def refusal_of_foreign_leader_beside(self, game: Game, others: Sequence[Leader]) -> Refusal | None:
        """Refuse a leader of another faction if the Tleilaxu would then have more than five leaders
        (FAQ.TLEILAXU.12)."""
        return too_many_gholas(game, self.faction, len(others) + 1)

    def takes_foreign_leader(self, game: Game, leader: Leader) -> Flow:
        return take_ghola(game, self.faction, leader)

    # --- battle ------------------------------------------------------------------------------------------------------

    def calls_traitors(self, game: Game) -> bool:
        return False  # IT.SETUP-TL.5

    def worth_of_leader(self, game: Game, leader: Leader, opposing: Leader | None) -> int:
        """Return the strength of a leader. For Zoal it is the strength of the opponent's leader, or 0 if the opponent
        has none (IT.ZOAL.1)."""
        if not _equals_opponent(leader):
            return leader_strength(leader)
        return leader_strength(opposing) if opposing else 0

    def pay_for_traitor(self, game: Game, leader: Leader, opposing: Leader | None) -> int:
        """Return the payment for a traitor. For Zoal it is the strength that the disc had in the battle (IT.ZOAL.5)."""
        value = ZOAL_AS_TRAITOR(game.rules)
        return (
            self.worth_of_leader(game, leader, opposing)
            if value == "opponent" or not _equals_opponent(leader)
            else value
        )

    def fights_in(self, game: Game, territory: TerritoryId) -> bool:
        """Return false for a territory in which the Tleilaxu have taken a winner's place this phase, if the rule set
        lets such newcomers stay out of battles (IT.FD.18)."""
        return NEWCOMERS_FIGHT(game.rules) or territory not in game.moments.newcomers

    def when_battle_is_over(self, game: Game, battle: BattleMoment) -> Flow:
        """Let the Tleilaxu reveal a face dancer (IT.FD.2). In some rule sets, also record that a captured ghola no
        longer belongs to the Tleilaxu, and returns to the original faction when released (IT.GHOLA.11)."""
        if not GHOLA_RETURNS_TO_THEM(game.rules):
            give_up_captive_gholas(game)
        yield from face_dancers.reveal_after_battle(game, battle, self.faction)

    def sees_face_down_leaders(self, game: Game) -> bool:
        return True  # IT.OTHERS.4, FAQ.HARKONNEN.5

    # --- the end of a turn -------------------------------------------------------------------------------------------

    def asked_when_turn_ends(self, game: Game) -> Sequence[Question]:
        return [face_dancers.SwapQuestion(game, self.faction)]  # IT.FD.21

    def when_turn_ends(self, game: Game, order: Order | None) -> Flow:
        game.state.box.revival_limits = {}
        yield from face_dancers.swap_dancer(game, self.faction, order)

    # --- visibility --------------------------------------------------------------------------------------------------

    def shown_of(self, game: Game, viewer: Viewer) -> Mapping[str, Any]:
        """Show the hidden face dancers only to the Tleilaxu (IT.FD.24), and the gholas to everybody (IT.GHOLA.12)."""
        box = game.state.box
        return {
            "face_dancers": list(box.face_dancers) if viewer in (self.faction, "gm") else None,
            "revealed_dancers": list(box.revealed_dancers),
            "gholas": dict(box.gholas),
        }

    # --- Truthtrance and promises ------------------------------------------------------------------------------------

    def face_dancers(self, game: Game) -> Collection[Leader]:
        return game.state.box.face_dancers

    powers_taken_by = (
        "cancel dancer swap",
        "cancel raised limits",
        "cancel half price",
        "cancel revival payment",
        "cancel early revival",
        "cancel ghola",
    )


LEADERS_OF_A_FACTION = 5


def gholas_in_service(game: Game) -> list[Leader]:
    """Return the gholas of the Tleilaxu who are alive and, if the rule set says that dead gholas still belong to them,
    the dead ones too (IT.GHOLA.6)."""
    gholas, leaders = game.state.box.gholas, game.state.leaders
    if DEAD_GHOLA_STAYS(game.rules):
        return list(gholas)
    return [leader for leader in gholas if leaders[leader].status == "ready"]


def gholas_out_of_reach(game: Game) -> list[Leader]:
    return gholas_in_service(game) if GHOLA_IS_GONE(game.rules) else []  # IT.GHOLA.8


def leaders_to_revive(game: Game, faction: Faction) -> list[Leader]:
    if not GHOLAS(game.rules) or too_many_gholas(game, faction, 1):
        return []
    dead = [leader for leader in game.state.leaders if ghola_refusal(game, faction, leader) is None]
    return sorted(dead, key=lambda leader: LEADERS[leader].strength)


def leaders_missing(game: Game, faction: Faction) -> int:
    captives = game.captives()
    return LEADERS_OF_A_FACTION - len([leader for leader in leaders_in_pool(game, faction) if leader not in captives])


def never_ghola(game: Game, leader: Leader) -> Refusal | None:
    if leader not in LEADERS or not game.plays(LEADERS[leader].faction):
        return Refusal(f"There is no {leader} in this game.", "revival.ghola")
    if not GHOLAS(game.rules):
        return Refusal(f"{leader} is not one of your leaders.", "revival.leaders")
    return None


def ghola_refusal(game: Game, faction: Faction, leader: Leader) -> Refusal | None:
    if refused := never_ghola(game, leader):
        return refused
    if LEADERS[leader].faction == faction or game.state.leaders[leader].status == "ready":
        return Refusal(f"{leader} is not in the tanks.", "revival.ghola")
    if leader in game.moments.barred_leaders:
        return Refusal(f"A Karama keeps {leader} from your service this turn.", "revival.ghola")
    return too_many_gholas(game, faction, 1)


def too_many_gholas(game: Game, faction: Faction, number: int) -> Refusal | None:
    if leaders_missing(game, faction) >= number:
        return None
    why = "With those you have five leaders; you can take other factions' leaders only to replace missing ones."
    return Refusal(why, "revival.ghola")


def take_ghola(game: Game, faction: Faction, leader: Leader) -> Flow:
    """Take the leader into the service of the Tleilaxu. If a Karama stops this, nothing is paid (FAQ.KARAMA-TLE.6)."""
    owner = LEADERS[leader].faction
    game.tell("ghola-wanted", faction=faction, leader=leader, owner=owner)
    game.moments.ghola_wanted, barred = leader, game.moments.barred_leaders
    yield from window(game, "ghola", lambda: leader not in barred, by=faction, leader=leader, owner=owner)
    game.moments.ghola_wanted = None
    if ghola_refusal(game, faction, leader) is not None:
        return
    price = leader_price(game, faction, leader)
    if price > game.player(faction).spice:
        return
    paid = revival_costs.pay_for_revival(game, faction, price)
    game.revive_leader(leader)
    game.state.box.gholas[leader] = owner
    game.tell("ghola-made", faction=faction, leader=leader, owner=owner, price=price, **paid)


def give_up_captive_gholas(game: Game) -> None:
    for player in game.state.players.values():
        for leader in player.captured:
            game.state.box.gholas.pop(leader, None)
            player.captured[leader] = LEADERS[leader].faction
