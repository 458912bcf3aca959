"""Questions about facts that the engine knows (AH.AID.TIMED.1-b, WBC.AID.4): they have one true answer.

Known are cards ("do you hold a Karama?", "do you hold two shields?", "do you hold a Shield and a Snooper?", "is your
hand full?"), traitors ("is LEADER your traitor?", "is any of my leaders in your pay?"), captives ("have you captured
LEADER?"), the prediction ("did you predict me?", "did you predict the Guild to win in turn 7?"), spice ("is your spice
at least 5?", "do you have more than 3 spice?"), and tokens in the reserves and in the tanks ("do you have 5 tokens in
your reserves?"). A number alone is held by whoever holds more; "exactly" means that number.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Literal

from bot.orders.truthtrance import naming
from rules.components import LEADERS, Faction, Leader
from rules.orders.readings import (
    Amount,
    AnyFact,
    Captured,
    HandFull,
    InDisguise,
    InHand,
    InPay,
    OwnsSpice,
    OwnsTokens,
    Predicted,
)

Facts = tuple[AnyFact, ...] | None
"""Facts that must all be true for a yes; None where the words are none that are known."""


@dataclass(frozen=True, slots=True)
class _Asked:
    """Who asks whom."""

    asker: Faction
    target: Faction

    def faction(self, words: str) -> Faction | None:
        """Who is meant: "me", "yourself" or a name."""
        if words in ("i", "me", "my victory", "my win"):
            return self.asker
        return self.target if words in ("you", "yourself", "your own victory") else naming.faction(words)


def read_facts(asker: Faction, target: Faction, question: str) -> tuple[AnyFact, ...]:
    """What the question is about if it is about facts that the engine knows; none for any other question."""
    words = _AROUND.sub("", naming.folded(question))
    asked = _Asked(asker, target)
    for pattern, read in _FORMS:
        match = pattern.fullmatch(words)
        if match and (facts := read(asked, *(part or "" for part in match.groups()))):
            return facts
    return ()


# --- how many --------------------------------------------------------------------------------------------------------

_NUMBERS = {
    word: number
    for number, word in enumerate(
        ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")
    )
}
_NUMBER = rf"[0-9]{{1,4}}|{'|'.join(_NUMBERS)}"
_LEAST, _MOST = ("at least", "no less than", "no fewer than"), ("at most", "up to", "no more than")
_ABOVE, _BELOW = ("more than", "over"), ("less than", "fewer than", "under")
_HOW_MANY = re.compile(
    rf"(?:({'|'.join((*_LEAST, *_MOST, *_ABOVE, *_BELOW))}|exactly|only|just|both|a pair of|no|not any|neither) )?"
    rf"(?:({_NUMBER}) )?(?:or (more|less|fewer) )?(?:of )?(.+)"
)


def _counted(words: str) -> tuple[Amount, str]:
    """How many are asked for, and of what: ``_counted("at least two shields") == (Amount(2), "shields")``."""
    match = _HOW_MANY.fullmatch(words)
    assert match is not None
    bound, said, side, what = match.groups()
    number = (
        _NUMBERS[said] if said in _NUMBERS else int(said) if said else 2 if bound in ("both", "a pair of") else None
    )
    if number is None:
        return (Amount(0, 0), what) if bound in ("no", "not any", "neither") else (Amount(1), words)
    if bound in _ABOVE:
        return Amount(number + 1), what
    if bound in _BELOW:
        return Amount(0, number - 1), what
    if bound in _MOST or side in ("less", "fewer"):
        return Amount(0, number), what
    if bound in ("exactly", "only", "just"):
        return Amount(number, number), what
    return Amount(number), what


# --- cards -----------------------------------------------------------------------------------------------------------


def _holds(asked: _Asked, words: str) -> Facts:
    """Cards, joined by *and*: each of them is there as often as asked."""
    held: list[AnyFact] = []
    for part in words.removeprefix("both a ").split(" and "):
        amount, what = _counted(part)
        if naming.bare(what) in ("card", "cards", "treachery card", "treachery cards"):
            held.append(InHand(None, amount))
            continue
        cards = naming.cards(what)
        if cards is None:
            return None
        held.append(InHand(tuple(sorted(cards)), amount))
    return tuple(held)


def _hand_full(asked: _Asked) -> Facts:
    return (HandFull(),)


# --- leaders ---------------------------------------------------------------------------------------------------------


def _leaders(asked: _Asked, words: str) -> frozenset[Leader] | None:
    """Leaders by name, or all those of a player: "any of my leaders", "a Harkonnen leader", "one of the Guild's
    leaders"."""
    whose = re.fullmatch(r"(?:(?:any|one|some|a|an|the|of) )*(.+?) leaders?", words)
    if whose is None:
        return naming.traitors(words.removeprefix("my ").removeprefix("leader "))
    owner = asked.asker if whose[1] == "my" else naming.faction(whose[1]) or naming.faction(whose[1].removesuffix("s"))
    if owner is None:
        return None
    return frozenset(leader for leader, facts in LEADERS.items() if facts.faction == owner)


def _each(about: type[InPay | InDisguise], asked: _Asked, words: str) -> Facts:
    """One of those joined with "or", all of those joined with "and" (FAQ.TRUTHTRANCE.7)."""
    found: list[AnyFact] = []
    for part in re.split(r" and ", words.removeprefix("either ").removeprefix("both ")):
        leaders = _leaders(asked, part)
        if leaders is None:
            return None
        found.append(about(tuple(sorted(leaders))))
    return tuple(found)


_pays = partial(_each, InPay)
_disguised = partial(_each, InDisguise)


def _captured(asked: _Asked, words: str) -> Facts:
    leaders = _leaders(asked, words)
    return None if leaders is None else (Captured(tuple(sorted(leaders))),)


# --- the prediction --------------------------------------------------------------------------------------------------


_TURNS = re.compile(
    r"(?:^| )(?:(?:in|on|for) )?(?:(before|after|by) )?turns? "
    r"([0-9]{1,2}(?: or (?:on |in )?(?:turn )?(?:[0-9]{1,2}|later|earlier|after|before))*)$"
)
_WINS = re.compile(r" (?:to win|will win|wins|would win|as (?:the )?winner)$")


def _predicted(asked: _Asked, said: str) -> Facts:
    """Whom, when, or both."""
    time = _TURNS.search(said)
    when, turns = (time[1] or "", time[2]) if time else ("", "")
    words = _WINS.sub("", said[: time.start()] if time else said)
    words = "" if turns and words in ("a win", "a victory", "the win", "victory", "somebody", "anybody") else words
    named = [asked.faction(one) for one in words.split(" or ")] if words else []
    if not all(named) or not (named or turns):
        return None
    return (Predicted(tuple(faction for faction in named if faction), _turns(when, turns) if turns else ()),)


def _turns(when: str, turns: str) -> tuple[Amount, ...]:
    """The turns named: ``_turns("", "7 or later") == (Amount(7),)``."""
    numbers = [int(number) for number in re.findall(r"[0-9]+", turns)]
    if when == "before":
        return (Amount(0, numbers[0] - 1),)
    if when == "after":
        return (Amount(numbers[0] + 1),)
    if turns.endswith(("later", "after")):
        return (Amount(numbers[0]),)
    if when == "by" or turns.endswith(("earlier", "before")):
        return (Amount(0, numbers[0]),)
    return tuple(Amount(number, number) for number in numbers)


# --- spice and tokens ------------------------------------------------------------------------------------------------


def _has_spice(asked: _Asked, words: str) -> Facts:
    if words in ("", "any", "some"):
        return (OwnsSpice(),)
    amount, what = _counted(f"{words} spice")
    return (OwnsSpice(amount),) if what == "spice" else None


def _has_so_much(asked: _Asked, words: str) -> Facts:
    """ "Is your spice 5?" asks for that number."""
    said = words.removeprefix("equal to ")
    return _has_spice(asked, f"exactly {said}" if re.fullmatch(_NUMBER, said) else said)


def _has_tokens(asked: _Asked, words: str, where: str) -> Facts:
    place: Literal["reserves", "tanks"] = "tanks" if where == "tanks" else "reserves"
    if words in ("any", "some"):
        return (OwnsTokens(place),)
    amount, what = _counted(f"{words} tokens")
    return (OwnsTokens(place, amount),) if what == "tokens" else None


# --- the words -------------------------------------------------------------------------------------------------------

_AROUND = re.compile(r"^(?:please |truthfully |so |now )+| (?:right now|now|at the moment|at this moment|at present)$")
_HAVE = r"(?:do you (?:still |currently |now )?(?:hold|have|own|possess|have got)|have you got|are you holding)"
_PREDICT = r"(?:did you predict|have you predicted|(?:is|was) your prediction(?: for| of)?)(?: that)?"

_FORMS: Sequence[tuple[re.Pattern[str], Callable[..., Facts]]] = (
    (re.compile(rf"{_HAVE} (?:(.+) )?spice"), _has_spice),
    (re.compile(r"is your spice (.+)"), _has_so_much),
    (
        re.compile(
            rf"{_HAVE} (.+?) (?:tokens?|forces?|troops?) (?:left )?in (?:your |the )?(?:tleilaxu )?(tanks|reserves?)"
        ),
        _has_tokens,
    ),
    (re.compile(r"is your hand full|do you (?:have|hold) a full hand"), _hand_full),
    (re.compile(rf"{_HAVE} (.+?) as (?:a |your )?traitors?"), _pays),
    (re.compile(rf"{_HAVE} (.+) in your pay"), _pays),
    (re.compile(r"(?:is|are) (.+?) (?:your traitors?|in your pay|(?:a|one of your) traitors?(?: of yours)?)"), _pays),
    (re.compile(rf"{_HAVE} (.+?) as (?:a |your )?face ?dancers?"), _disguised),
    (
        re.compile(r"(?:is|are) (.+?) (?:a face ?dancer|(?:one of )?your face ?dancers?|a face ?dancer of yours)"),
        _disguised,
    ),
    (re.compile(r"(?:have you captured|did you capture) (.+)"), _captured),
    (re.compile(r"(?:is|are) (.+?) your (?:captives?|prisoners?)"), _captured),
    (re.compile(rf"{_HAVE} (.+?) (?:as (?:a |your )?)?(?:captive|prisoner)"), _captured),
    (re.compile(rf"{_PREDICT} (.+)"), _predicted),
    (re.compile(rf"{_HAVE} (.+?)(?: in (?:your )?hand)?"), _holds),
    (re.compile(r"is (.+?) in your hand"), _holds),
)
