"""What has to happen before an act is due, read from a clause with "if" (WBC.AID.7).

Understood are what a player does ("I ship to Carthag", "the Emperor allies with you"), what comes ("there is a nexus",
"you win this card") and what is so ("we are allied", "I am in Arrakeen", "you hold a Shield"). That there is a battle
is part of what is promised about one, and "if you can" of every promise.
"""

from __future__ import annotations

import re

from bot.orders.truthtrance import naming
from bot.orders.truthtrance.acts import plain, read_act
from bot.orders.truthtrance.occasions import Asked
from rules.components import CARDS
from rules.orders.readings import (
    IN_BATTLE,
    Act,
    Allied,
    AllyWith,
    Attack,
    Buys,
    Comes,
    Condition,
    Does,
    Holds,
    LeaveAlliance,
    PlayCard,
    RideWorm,
    Stands,
)

Read = tuple[Condition | None, bool]

ALWAYS: Read = (None, True)
UNKNOWN: Read = (None, False)

_ABLE = re.compile(r"(?:you (?:can|are able(?: to)?|are able to do so|can do so)|(?:it is )?(?:possible|legal)|able)")
_NEXUS = re.compile(r"(?:there (?:is|comes|will be) (?:a|another) nexus|(?:a|another) nexus (?:comes|happens|occurs))")
_WORM = re.compile(r"(?:(?:a|the|another) (?:worm|sandworm|shai hulud) (?:comes|appears)|there is a worm)")
_BATTLE = re.compile(
    r"(?:there is a battle(?: (?:between|with) (?P<with>[a-z ]+?))?"
    r"|(?P<who>[a-z ]+?) (?:attacks?|fights?|battles?|(?:have|has) a battle)"
    r"(?: (?:with |against )?(?P<whom>[a-z ]+?))??)(?: (?:in|at|for) (?P<where>[a-z0-9 ]+))?"
)
_BUYS = re.compile(r"(.+) (?:wins?|buys?|gets?) (this|the|a|any) card")
_ALLIED = re.compile(r"(?:we are (?:allied|allies)|(.+) (?:am|are|is) (?:allied with|(?:an |the )?ally of) (.+))")
_ALLY_OF = re.compile(r"(.+) (?:am|are|is) (my|your) ally")
_STANDS = re.compile(r"(.+?) (?:am|are|is|stands?|(?:has|have) (?:tokens|forces|troops)) (?:still )?in (.+)")
_HOLDS = re.compile(r"you (?:still )?(?:hold|have) (.+)")


def read(asked: Asked, clause: str, act: Act) -> Read:
    """The condition, None where nothing has to happen beyond what the act needs; and whether it was understood."""
    words = re.sub(r" (?:later )?this (?:turn|round)$", "", clause)
    if _ABLE.fullmatch(words):
        return ALWAYS
    if _NEXUS.fullmatch(words):
        return ALWAYS if isinstance(act, AllyWith | LeaveAlliance) else (Comes("nexus"), True)
    if _WORM.fullmatch(words):
        return ALWAYS if isinstance(act, RideWorm) else (Comes("worm-appeared"), True)
    if isinstance(act, IN_BATTLE) and (match := _BATTLE.fullmatch(words)):
        return ALWAYS if _read_battle(asked, match) else UNKNOWN
    condition = _state(asked, words) or _purchase(asked, words) or _action(asked, words)
    return (condition, True) if condition else UNKNOWN


def _read_battle(asked: Asked, match: re.Match[str]) -> bool:
    """The battle of which the promise speaks: of the one asked, with the one who is named beside them."""
    names = [name for name in (match["who"], match["whom"], match["with"]) if name not in (None, "you", "each other")]
    factions = [asked.faction(name) for name in names if name]
    territory = naming.territory(match["where"]) if match["where"] else None
    others = {faction for faction in factions if faction != asked.target}
    if None in factions or len(others) > 1 or (match["where"] and territory is None):
        return False
    occasion, opponent = asked.occasion, next(iter(others), None)
    if (occasion.opponent and opponent not in (None, occasion.opponent)) or (
        occasion.territory and territory not in (None, occasion.territory)
    ):
        return False
    asked.set(in_battle=True, opponent=opponent or occasion.opponent, territory=territory or occasion.territory)
    return True


def _state(asked: Asked, words: str) -> Condition | None:
    if match := _ALLIED.fullmatch(words):
        one, other = (asked.faction(match[1]), asked.faction(match[2])) if match[1] else (asked.asker, asked.target)
        return Allied(one, other) if one and other and one != other else None
    if match := _ALLY_OF.fullmatch(words):
        one, other = asked.faction(match[1]), asked.asker if match[2] == "my" else asked.target
        return Allied(one, other) if one and one != other else None
    if match := _STANDS.fullmatch(words):
        faction, territory = asked.faction(match[1]), naming.territory(match[2])
        return Stands(faction, territory) if faction and territory else None
    if match := _HOLDS.fullmatch(words):
        cards = naming.cards(match[1])
        return Holds(tuple(sorted(cards))) if cards else None
    return None


def _purchase(asked: Asked, words: str) -> Condition | None:
    match = _BUYS.fullmatch(words)
    buyer = asked.faction(match[1]) if match else None
    if match is None or buyer is None:
        return None
    return Buys(buyer, this_card=match[2] in ("this", "the"))


def _action(asked: Asked, words: str) -> Condition | None:
    """Somebody does what could be promised too, and all will see it."""
    said = words.split()
    for size in range(1, min(4, len(said))):
        actor, verb = asked.faction(" ".join(said[:size])), plain(" ".join(said[size:]))
        if actor is None or verb is None:
            continue
        clause = Asked(asked.asker, actor, asked.target, verb)
        act = read_act(clause, verb)
        if act is not None and not clause.occasion.in_battle and _is_seen(act):
            return Does(actor, act)
    return None


def _is_seen(act: Act) -> bool:
    """Whether an event tells everybody that it was done, before it is too late."""
    if isinstance(act, PlayCard):
        return not any(CARDS[card].battle_plan for card in act.cards)
    return not isinstance(act, (*IN_BATTLE, Attack))
