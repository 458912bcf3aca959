"""Whose business a decision is: what only one faction is ever asked, and the powers that only one faction has.

An order filed ahead of its time cannot be judged by the position, which will be another. What it says of who decides
can, and what no position can make right: the Voice belongs to the Bene Gesserit in every position, nobody ever has more
than his twenty tokens (AH.II.B.1-b), and a leader of others leads for nobody but Harkonnen.
"""

from __future__ import annotations

from rules.components import CARDS, FACTION_FACTS, LEADERS, Faction, Leader, card_kind, is_defense, is_weapon
from rules.orders import (
    ANSWERS,
    Ally,
    ChooseBattle,
    EmperorGives,
    Ghola,
    Give,
    Hajr,
    Karama,
    KaramaEffect,
    Lose,
    Move,
    Order,
    Plan,
    QuestionKind,
    Revive,
    ReviveLeader,
    Ride,
    Ship,
    Truthtrance,
    Voice,
)
from rules.rulesets.refusal import Refusal

_POWERS: tuple[tuple[Faction, str, str, tuple[QuestionKind, ...]], ...] = (
    ("bene-gesserit", "Only the Bene Gesserit predict.", "AH.SHIELD.BG.1-a", ("prediction",)),
    ("bene-gesserit", "Only the Bene Gesserit coexist and send advisors.", "AH.SHIELD.BG.2-a",
     ("bg-status", "intrusion", "advisor")),
    ("bene-gesserit", "The Voice is a power of the Bene Gesserit.", "AH.SHIELD.BG.3-a", ("voice",)),
    ("atreides", "Prescience is a power of Atreides.", "AH.SHIELD.ATR.3-a", ("prescience",)),
    ("guild", "Only the Guild chooses when it moves.", "AH.SHIELD.GUI.5-b", ("guild-timing",)),
    ("fremen", "Only the Fremen command worms.", "AH.SHIELD.FRE.3-b", ("worm-placement", "worm-ride")),
    ("fremen", "Only the Fremen lend their support in battles.", "WBC.HR.6c", ("fremen-support",)),
    ("harkonnen", "Only Harkonnen take captives.", "AH.SHIELD.HAR.3-a", ("capture", "card-return")),
)  # fmt: skip

OF_ONE: dict[QuestionKind, tuple[Faction, Refusal]] = {
    kind: (faction, Refusal(why, clause)) for faction, why, clause, kinds in _POWERS for kind in kinds
}
"""The decisions that only one faction is asked for, and what is answered to the others."""

_KARAMA_OF_ONE: dict[KaramaEffect, tuple[Faction, Refusal]] = {
    "revive": ("emperor", Refusal("Only the Emperor revives by Karama.", "AH.SHIELD.EMP.KARAMA")),
    "take cards": ("harkonnen", Refusal("Only Harkonnen take cards by Karama.", "AH.SHIELD.HAR.KARAMA-a")),
    "stop shipment": ("guild", Refusal("Only the Guild stops shipments.", "AH.SHIELD.GUI.KARAMA")),
}


def never_his(faction: Faction, order: Order) -> Refusal | None:
    """Why this faction can never send the order with effect, whatever the position; None where it may come to that."""
    if isinstance(order, EmperorGives) and faction != "emperor":
        return Refusal("Only the Emperor gives spice at any time; others give in Collection.", "WBC.HR.5a")
    if refusal := _not_his_own(faction, order) or _too_much(faction, order):
        return refusal
    if isinstance(order, Karama):
        owner = _KARAMA_OF_ONE.get(order.effect)
        return owner[1] if owner and owner[0] != faction else None
    kinds = ANSWERS.get(type(order), ())
    if not kinds or any(kind not in OF_ONE or OF_ONE[kind][0] == faction for kind in kinds):
        return None
    return OF_ONE[kinds[0]][1]


def _not_his_own(faction: Faction, order: Order) -> Refusal | None:
    """Why the leader, the cards of a plan, or the faction that an order names can never be right from this faction."""
    match order:
        case ReviveLeader(leader) if LEADERS[leader].faction != faction:
            return Refusal(f"{leader} is not a leader of yours.", "AH.IX.D.1-a")
        case Ghola(_, leader) if leader and LEADERS[leader].faction != faction:
            return Refusal(f"{leader} is not a leader of yours; a Ghola is for your own.", "WBC.AID.2")
        case Ally(other) | Give(_, other) | Voice(other) | ChooseBattle(other) | Truthtrance(other) if other == faction:
            return Refusal("That is you; name another faction.", "")
        case Plan():
            return _never_his_plan(faction, order)
    return None


def _never_his_plan(faction: Faction, plan: Plan) -> Refusal | None:
    """What of a plan is wrong in every battle. Harkonnen may come to lead with anybody's leader (AH.SHIELD.HAR.3-a)."""
    leader = Leader(plan.leader) if plan.leader else None
    if leader and leader in LEADERS and LEADERS[leader].faction != faction and faction != "harkonnen":
        return Refusal(f"{leader} is not a leader of yours.", "AH.X.B.2")
    if plan.kwisatz_haderach and faction != "atreides":
        return Refusal("You have no Kwisatz Haderach.", "WBC.XV.6")
    for card in (plan.weapon, plan.defense):
        if card and (card_kind(card) == "cheap-hero" or not CARDS[card].battle_plan):
            return Refusal(f"{card} can be neither the weapon nor the defense of a plan.", "AH.X.B.3-a")
    if plan.weapon and is_defense(plan.weapon):
        return Refusal(f"{plan.weapon} is a defense, not a weapon; a plan holds at most one of each.", "AH.X.B.3-a")
    if plan.defense and is_weapon(plan.defense):
        return Refusal(f"{plan.defense} is a weapon, not a defense; a plan holds at most one of each.", "AH.X.B.3-a")
    facts = FACTION_FACTS[faction]
    most = facts.forces.total + facts.elite
    if plan.dial > most:
        return Refusal(f"You can never dial more than {most}, with all your tokens in one battle.", "AH.X.B.1-a")
    return None


def _too_much(faction: Faction, order: Order) -> Refusal | None:
    """Whether an order is for more tokens than the faction has in all."""
    if isinstance(order, Hajr):
        return _too_much(faction, order.move)
    if not isinstance(order, Ship | Move | Ride | Revive | Lose | Ghola | Karama) or order.forces is None:
        return None
    own = FACTION_FACTS[faction]
    if order.forces.total > own.forces.total:
        return Refusal(f"You have {own.forces.total} tokens in all.", "AH.II.B.1-b")
    if order.forces.elite > own.elite:
        has = f"{own.elite} {own.elite_name}" if own.elite else "no elite tokens"
        return Refusal(f"You have {has} in all.", "AH.II.B.1-b")
    return None
