"""When and where an act counts, read off the end of a question: "in Carthag", "against me", "this turn"."""

from __future__ import annotations

import re
from dataclasses import dataclass

from rules.cards.truthtrance import naming
from rules.chapters.setup import MAX_TURNS
from rules.components import Faction
from rules.state.game import Game
from rules.state.promises import Scope


@dataclass(slots=True)
class Asked:
    """A question while it is read: who asks, who does what it is about, whom "you" means, the words that are left, and
    the scope found so far. ``battle_named``: the question speaks of a battle, not only of somebody *against* whom."""

    game: Game
    asker: Faction
    actor: Faction
    target: Faction
    words: str
    scope: Scope
    timed: bool = False
    battle_named: bool = False

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


def read_scope(asked: Asked) -> bool:
    """Take the parts that say when and where off the end; False where one of them cannot be understood."""
    while asked.words:
        before = asked.words
        if not all(part(asked) for part in (_read_time, _read_battle, _read_opponent, _read_place, _read_card)):
            return False
        if asked.words == before:
            return True
    return True


def _read_time(asked: Asked) -> bool:
    turn, scope = asked.game.state.turn, asked.scope
    last = MAX_TURNS(asked.game.rules)
    if asked.take_tail("(?:later |during |in )?this (?:turn|round)"):
        times = (turn, turn)
    elif asked.take_tail("(?:during |in )?(?:the )?next turn"):
        times = (turn + 1, turn + 1)
    elif match := asked.take_tail("(?:in|on|during) turn ([0-9]{1,2})"):
        times = (int(match[1]), int(match[1]))
    elif asked.take_tail("(?:in )?this game|ever(?: again)?"):
        times = (turn, last)
    elif asked.take_tail("(?:at|in|during) (?:this|the|the next) nexus"):
        scope.nexus, times = True, (turn, turn)
    else:
        return True
    scope.first_turn, scope.last_turn = times
    asked.timed = True
    return times[0] >= turn


def _read_battle(asked: Asked) -> bool:
    if asked.take_tail("(?:in |during |for )?this battle"):
        battle = asked.game.moments.battle
        if battle is None or asked.target not in battle.sides:
            return False
        asked.scope.territory, asked.scope.opponent = battle.territory, battle.opponent(asked.target)
        asked.scope.in_battle = asked.battle_named = True
    elif asked.take_tail("(?:in |during |for )(?:our|a|any|the|your|the next|the coming) battles?|in battles?"):
        asked.scope.in_battle = asked.battle_named = True
    return True


def _read_opponent(asked: Asked) -> bool:
    """ "against me", "in battle with the Emperor"."""
    against = r"\b(?:against|versus|vs)|(?:in |during )?(?:an? )?battles? with"
    match = re.search(rf"^(.*?) ?({against}) ([a-z ]+)$", asked.words)
    opponent = asked.faction(match[3]) if match else None
    if match and opponent:
        asked.words, asked.scope.opponent, asked.scope.in_battle = match[1], opponent, True
        asked.battle_named = asked.battle_named or "battle" in match[2]
    return True


def _read_place(asked: Asked) -> bool:
    """ "in Carthag": of what is done in a battle; the goal of a journey is read with its verb."""
    match = re.search(r"^(.*) (?:in|at|for) ([a-z0-9 ]+)$", asked.words)
    territory = naming.territory(match[2]) if match else None
    if match and territory:
        asked.words, asked.scope.territory, asked.scope.in_battle = match[1], territory, True
        asked.battle_named = True
    return True


def _read_card(asked: Asked) -> bool:
    auction = asked.game.moments.auction
    if asked.take_tail("(?:on|for) (?:this|the) card"):
        asked.scope.card = auction.number if auction else 0
        return auction is not None and auction.number > 0
    if match := asked.take_tail("(?:on|for) card (?:number )?([0-9])"):
        asked.scope.card = int(match[1])
        return asked.scope.card > 0
    return True
