"""Whose business a decision is: what only one faction is ever asked, and the powers that only one faction has.

An order filed ahead of its time cannot be judged by the position, which will be another. What it says of who decides
can: the Voice belongs to the Bene Gesserit in every position.
"""

from __future__ import annotations

from rules.components import Faction
from rules.orders import (
    ANSWERS,
    EmperorGives,
    Karama,
    KaramaEffect,
    Order,
    QuestionKind,
)
from rules.refusal import Refusal

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
    if isinstance(order, Karama):
        owner = _KARAMA_OF_ONE.get(order.effect)
        return owner[1] if owner and owner[0] != faction else None
    kinds = ANSWERS.get(type(order), ())
    if not kinds or any(kind not in OF_ONE or OF_ONE[kind][0] == faction for kind in kinds):
        return None
    return OF_ONE[kinds[0]][1]
