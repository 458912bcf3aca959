"""A battle as everybody follows it: who fights where, what the Voice and prescience said, what was cancelled (AH.X)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from bot.sheets.told import Told
from rules.components import Faction
from rules.components.board import TerritoryId
from rules.orders import Element


@dataclass(frozen=True, slots=True)
class Command:
    """What the Voice said, and to whom."""

    target: Faction
    kind: str
    play: bool


@dataclass(slots=True)
class Battle:
    """The battle that began last. ``seen`` are those whose plan the reader has seen before the reveal."""

    territory: TerritoryId
    aggressor: Faction
    defender: Faction
    voice: Command | None = None
    asked: tuple[Faction, Element] | None = None
    cancelled: set[str] = field(default_factory=set)  # "voice", "prescience", "kwisatz haderach", ...
    seen: set[Faction] = field(default_factory=set)

    @property
    def sides(self) -> tuple[Faction, Faction]:
        return (self.aggressor, self.defender)

    def commands(self, faction: Faction) -> Command | None:
        """The command of the Voice that binds this fighter, while nobody has cancelled it."""
        return self.voice if self.voice and self.voice.target == faction and "voice" not in self.cancelled else None

    def asks(self, faction: Faction) -> Element | None:
        """What prescience asked of this fighter, while nobody has cancelled it."""
        return self.asked[1] if self.asked and self.asked[0] == faction and "prescience" not in self.cancelled else None


def battle_of(happened: Sequence[Told]) -> Battle | None:
    """The battle that began last and what was said in it."""
    battle: Battle | None = None
    for told in happened:
        facts = told.facts
        if told.kind == "battle-begins":
            battle = Battle(facts["territory"], facts["aggressor"], facts["defender"])
        elif battle is None:
            continue
        elif told.kind == "voice-given":
            battle.voice = Command(facts["target"], facts["card"], facts["play"])
        elif told.kind == "prescience-asked":
            battle.asked = (facts["target"], facts["element"])
        elif told.kind == "cancelled":
            battle.cancelled.add(facts["what"])
        elif told.kind == "plan-laid-open" or (told.kind == "plan-seen" and "plan" in facts):
            battle.seen.add(facts["target"])
    return battle
