"""Questions as a whole: about facts (``facts``), about the future, or about neither.

About the future are "will you" and an act (``acts``): *play CARD or a kind of card*, *use LEADER*, *dial*, *call
treachery*, *bid*, *ship*, *move*, *enter*, *attack*, *send an advisor*, *ally*, *break your alliance*, *ride the worm*,
*revive*, *take charity*, *use the Voice*, *use prescience*, *give spice*. Behind it may stand when and where it counts
(``occasions``): *in Carthag*, *against me*, *this turn*. "Will you not" turns what yes and no mean. "If" and what has
to happen first (``conditions``) may stand before or behind. Of whatever else is asked only the matters that it has to
do with are read, so that the one asked can be reminded of the answer.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache, lru_cache
from typing import TypeVar

from msgspec.structs import replace

from bot.orders.truthtrance import conditions, naming
from bot.orders.truthtrance.acts import plain, read_act
from bot.orders.truthtrance.facts import read_facts
from bot.orders.truthtrance.occasions import Asked, read_occasion
from rules.components import CARDS, FACTION_FACTS, LEADERS, Faction
from rules.components.board import TERRITORIES
from rules.orders import Order, Truthtrance
from rules.orders.readings import (
    IN_BATTLE,
    LONGEST_QUESTION,
    Act,
    AllyWith,
    AnyAct,
    BidFor,
    Buys,
    Condition,
    LeaveAlliance,
    Matter,
    Occasion,
    Reading,
    UsePrescience,
    UseVoice,
)

AnyOrder = TypeVar("AnyOrder", bound=Order)

_WILL = re.compile(
    r"(?:please )?(?:(?:will|would|shall) (?:you|not you)|are you going to|are you not going to|wont you|wouldnt you"
    r"|do you (?:intend|plan|mean) (?:not )?to)(?: not| never| refrain from| abstain from| avoid)? "
)
_NOT = re.compile(r"\b(?:not|never|wont|wouldnt|refrain|abstain|avoid)\b")
_IF = r"(?:if|when|in case|provided|provided that)"
_TO_COME = re.compile(r"\b(?:will|would|shall|going to|intend|plan to|next turn)\b")
_ABOUT_ITSELF = re.compile(
    r"\byour answer\b|\banswer\b.*\bthis\b|\bthis (?:question|truthtrance)\b"
    r"|\b(?:answer|reply|say) (?:with )?\W*(?:yes|no)\W*(?:$| to (?:this|my|me)\b)"
    r"|\b(?:are you|will you be|do you|will you) (?:lying|lie)\b",
    re.IGNORECASE,
)


_ABOUT_NEXT = re.compile(
    r"\b(?:answer|reply|say)\b.*\b(?:next|second|other|another|later|following)\b.*\b(?:truth ?trance|question|card)\b",
    re.IGNORECASE,
)


def with_reading(order: AnyOrder, asker: Faction) -> AnyOrder:
    """The order, a Truthtrance with the reading of its question; one that has a reading keeps it."""
    if isinstance(order, Truthtrance) and order.reading is None:
        return replace(order, reading=read(asker, order.faction, order.question))
    return order


@lru_cache(maxsize=256)
def read(asker: Faction, target: Faction, question: str) -> Reading:
    """What the question says.

    >>> read("guild", "emperor", "Will you not ship to Carthag?").negative
    True
    """
    if len(question) > LONGEST_QUESTION:
        return Reading()  # it will be refused
    future = _read_future(asker, target, question)
    reading = replace(
        future,
        facts=read_facts(asker, target, question),
        matters=() if _is_checked_anywhere(future) else _matters(question),
        about_itself=_ABOUT_ITSELF.search(question) is not None,
        about_next=_ABOUT_NEXT.search(question) is not None,
    )
    return replace(reading, off_topic=reading == Reading() and not _is_about_the_game(question))


def _is_about_the_game(question: str) -> bool:
    """Whether a word tells that the question has to do with the game (AH.AID.TIMED.1-b, FAQ.TRUTHTRANCE.2)."""
    words = naming.folded(question).split()
    return not words or any(word in _names() or word.startswith(_OF_THE_GAME) for word in words)


@cache
def _names() -> frozenset[str]:
    """The words of which names of players, leaders, cards and territories are made."""
    names = (*FACTION_FACTS, *LEADERS, *CARDS, *TERRITORIES, *(one.name for one in TERRITORIES.values()))
    return frozenset(word for name in names for word in naming.folded(name.replace("-", " ")).split() if len(word) > 3)


_OF_THE_GAME = (
    "advis", "agree", "all", "answer", "army", "atomic", "attack", "bank", "batt", "betray", "bid", "board",
    "break", "brib", "bought", "buy", "captur", "card", "charity", "city", "coexist", "control", "dancer", "dead",
    "deal", "death", "defen", "deny", "dial", "die", "discard", "draw", "drew", "elite", "enem", "faction", "fedaykin",
    "fight", "forc", "free", "game", "give", "guild", "hand", "help", "hero", "hold", "honest", "hous", "keep",
    "kill", "know", "lead", "lie", "lose", "loss", "lying", "map", "move", "nexus", "offer", "opponent",
    "ornithopter", "pay", "peace", "plan", "play", "player", "poison", "predict", "prescien", "project",
    "promis", "reserv", "reviv", "rid", "sardaukar", "sector", "secret", "sell", "shai", "ship", "sietch",
    "spic", "star", "storm", "strong", "support", "tank", "territor", "threat", "token", "traitor", "treach",
    "troop", "truth", "turn", "victor", "voice", "wall", "weapon", "weather", "win", "won", "worm", "worthless",
)  # fmt: skip
"""How words begin that tell of the game."""


def _is_checked_anywhere(reading: Reading) -> bool:
    """Whether no position can leave it to the players: nothing that is on, no turn, and no power has to be there."""
    occasion, condition = reading.occasion, reading.condition
    there = occasion.this_battle or occasion.this_card or (isinstance(condition, Buys) and condition.this_card)
    power = isinstance(reading.act, UseVoice | UsePrescience)
    return reading.act is not None and not there and not power and not isinstance(occasion.turn, int)


def _read_future(asker: Faction, target: Faction, question: str) -> Reading:
    words, clause = _split(naming.folded(question))
    begin = _WILL.match(words)
    if begin is None:
        return Reading()
    asked = Asked(asker, target, target, words)
    negative = len(_NOT.findall(begin[0])) == 1
    known = read_occasion(asked)
    act = _act(asked, begin) if known else None
    condition: Condition | None = None
    if act is not None and clause:
        condition, understood = conditions.read(asked, clause, act)
        act = act if understood else None
    if act is None or not _fits(asked.occasion, act):
        return Reading(occasion=asked.occasion, negative=negative)
    if asked.occasion.opponent and not asked.battle_named:
        asked.set(only_against=True)
    if asked.occasion.turn == "usual" and "never" in begin[0]:
        asked.set(turn="this game")
    return Reading(act=act, occasion=asked.occasion, negative=negative, condition=condition)


def _split(words: str) -> tuple[str, str]:
    """The question, and the clause with "if" before or behind it; more than one of them is left where it is."""
    before = re.fullmatch(rf"{_IF} (.+?) ((?:please )?(?:will|would|shall|wont|wouldnt|are|do) (?:not )?you .+)", words)
    if before:
        return before[2], before[1]
    behind = re.fullmatch(rf"(.+?) {_IF} (.+)", words)
    return (behind[1], behind[2]) if behind else (words, "")


def _act(asked: Asked, begin: re.Match[str]) -> AnyAct | None:
    words: str | None = asked.words[begin.end() :]
    if words and begin[0].endswith(("from ", "avoid ")):
        words = plain(words)
    return read_act(asked, words) if words else None


def _fits(occasion: Occasion, act: Act) -> bool:
    """Whether the occasion makes sense with the act: a battle with what is done in one, a card with a bid."""
    return (
        (isinstance(act, IN_BATTLE) or not occasion.in_battle)
        and (not (occasion.card or occasion.this_card) or isinstance(act, BidFor))
        and (not occasion.nexus or isinstance(act, AllyWith | LeaveAlliance))
    )


def _matters(question: str) -> tuple[Matter, ...]:
    """What a question about the future has to do with; all matters where no word tells."""
    folded = naming.folded(question)
    if not _TO_COME.search(folded):
        return ()
    words = set(folded.split())
    found = [matter for matter, stems in _STEMS if any(word.startswith(stems) for word in words)]
    return tuple(found or [matter for matter, _ in _STEMS])


_STEMS: Sequence[tuple[Matter, tuple[str, ...]]] = (
    ("alliance", ("all", "nexus", "break")),
    ("bid", ("bid", "buy", "auction")),
    ("revival", ("reviv",)),
    ("shipment", ("ship", "land", "send", "enter", "attack", "come", "go")),
    ("movement", ("move", "enter", "attack", "leave", "come", "go", "occupy", "stay")),
    ("worm", ("rid", "worm", "shai")),
    ("battle", ("battle", "fight", "attack", "play", "use", "dial", "weapon", "leader")),
    ("treachery", ("trait", "treach", "betray")),
    ("peace", ("coexist", "fight", "peace")),
    ("voice", ("voice",)),
    ("prescience", ("prescience", "foresee")),
    ("spice", ("give", "pay", "spice")),
)
"""How words begin that tell what a question has to do with."""
