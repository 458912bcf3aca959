"""When and where an act counts, read off the end of a question: "in Carthag", "against me", "this turn"."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any

from msgspec.structs import replace

from bot.orders.truthtrance import naming
from rules.components import Faction
from rules.orders.readings import Occasion


@dataclass(slots=True)
class Asked:
    """A question while it is read: who asks, who does what it is about, whom "you" means, the words that are left, and
    the occasion found so far. ``battle_named``: it speaks of a battle, not only of somebody *against* whom."""

    asker: Faction
    actor: Faction
    target: Faction
    words: str
    occasion: Occasion = field(default_factory=Occasion)
    battle_named: bool = False

    def set(self, **found: Any) -> None:
        """Put what was found into the occasion."""
        self.occasion = replace(self.occasion, **found)

    def take_tail(self, pattern: str) -> re.Match[str] | None:
        """The pattern at the end of the words, which then end before it."""
        match = re.search(rf"(?:^| )(?:{pattern})$", self.words)
        if match:
            self.words = self.words[: match.start()]
        return match

    def faction(self, words: str) -> Faction | None:
        """Who is meant: "me", "you" or a name."""
        if words in ("i", "me", "us", "we"):
            return self.asker
        return self.target if words == "you" else naming.faction(words)


def read_occasion(asked: Asked) -> bool:
    """Take the parts that say when and where off the end; False where one of them cannot be understood."""
    while asked.words:
        before = asked.words
        _read_turn(asked)
        _read_battle(asked)
        _read_opponent(asked)
        _read_place(asked)
        if not _read_card(asked):
            return False
        if asked.words == before:
            return True
    return True


def _read_turn(asked: Asked) -> None:
    if asked.take_tail("(?:later |during |in )?this (?:turn|round)"):
        asked.set(turn="this")
    elif asked.take_tail("(?:during |in )?(?:the )?next turn"):
        asked.set(turn="next")
    elif match := asked.take_tail("(?:in|on|during) turn ([0-9]{1,2})"):
        asked.set(turn=int(match[1]))
    elif asked.take_tail("(?:in )?this game|ever(?: again)?"):
        asked.set(turn="this game")
    elif asked.take_tail("(?:at|in|during) (?:this|the|the next) nexus"):
        asked.set(turn="this", nexus=True)


def _read_battle(asked: Asked) -> None:
    if asked.take_tail("(?:in |during |for )?this battle"):
        asked.set(in_battle=True, this_battle=True, territory=None, opponent=None)
        asked.battle_named = True
    elif asked.take_tail("(?:in |during |for )(?:our|a|any|the|your|the next|the coming) battles?|in battles?"):
        asked.set(in_battle=True)
        asked.battle_named = True


def _read_opponent(asked: Asked) -> None:
    """ "against me", "in battle with the Emperor"."""
    against = r"\b(?:against|versus|vs)|(?:in |during )?(?:an? )?battles? with"
    match = re.search(rf"^(.*?) ?({against}) ([a-z ]+)$", asked.words)
    opponent = asked.faction(match[3]) if match else None
    if match and opponent:
        asked.words = match[1]
        asked.set(opponent=opponent, in_battle=True)
        asked.battle_named = asked.battle_named or "battle" in match[2]


def _read_place(asked: Asked) -> None:
    """ "in Carthag": of what is done in a battle; the goal of a journey is read with its verb."""
    match = re.search(r"^(.*) (?:in|at|for) ([a-z0-9 ]+)$", asked.words)
    territory = naming.territory(match[2]) if match else None
    if match and territory:
        asked.words = match[1]
        asked.set(territory=territory, in_battle=True)
        asked.battle_named = True


def _read_card(asked: Asked) -> bool:
    if asked.take_tail("(?:on|for) (?:this|the) card"):
        asked.set(this_card=True, card=0)
    elif match := asked.take_tail("(?:on|for) card (?:number )?([0-9])"):
        asked.set(this_card=False, card=int(match[1]))
        return asked.occasion.card > 0
    return True
