"""The acts that a question can be about, each with the words for it: "ship to Carthag", "play a shield"."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from functools import cache

from bot.orders.truthtrance import naming
from bot.orders.truthtrance.occasions import Asked
from rules.components import LEADERS, Faction
from rules.components.battle_plan import CHEAP_HERO, Element
from rules.orders.readings import (
    KWISATZ_HADERACH,
    AllyWith,
    Amount,
    AnyAct,
    Attack,
    BidFor,
    CallTreachery,
    Dial,
    Enter,
    GiveSpice,
    Lead,
    LeaveAlliance,
    MoveTo,
    PlayCard,
    ReviveOneOf,
    ReviveTokens,
    RideWorm,
    SendAdvisor,
    ShipTo,
    TakeCharity,
    UsePrescience,
    UseVoice,
)

_NUMBER = r"[0-9]{1,4}(?:[.,]5)?"
_BOUND = "more than|over|at least|less than|fewer than|under|at most|up to|no more than|exactly"
_VERBS = (
    "play", "use", "put", "commit", "lead", "fight", "send", "dial", "call", "bid", "make", "ship", "move", "place",
    "ally", "form", "enter", "break", "leave", "ride", "revive", "take", "claim", "collect", "attack", "invade", "go",
    "come", "give", "pay", "voice",
)  # fmt: skip


def read_act(asked: Asked, words: str) -> AnyAct | None:
    """The act that words with a plain verb at their head are about."""
    for pattern, read in _ACTS:
        match = pattern.fullmatch(words)
        if match and (act := read(asked, *(part or "" for part in match.groups()))):
            return act
    return None


def plain(words: str) -> str | None:
    """The words with their first verb made plain: ``plain("ships to carthag") == "ship to carthag"``; None if it is
    none that is known."""
    first, *rest = words.split()
    verb = _inflected().get(first)
    return " ".join((verb, *rest)) if verb else None


@cache
def _inflected() -> dict[str, str]:
    found: dict[str, str] = {}
    for verb in _VERBS:
        stem = verb[:-1] if verb.endswith("e") else verb
        forms = (verb, f"{verb}s", f"{verb}es", f"{verb[:-1]}ies", f"{stem}ing", f"{verb}ing", f"{verb}{verb[-1]}ing")
        found.update(dict.fromkeys(forms, verb))
    return found


def _amount(words: str, step: float = 1) -> Amount | None:
    """The bounds that "more than 3", "at least 3", "3 or more", "at most 3", "fewer than 3" or "3" give."""
    match = re.fullmatch(
        rf"(?:({_BOUND}) )?({_NUMBER})"
        r"(?: or (more|less|fewer))?",
        words,
    )
    if match is None:
        return None
    number = float(match[2].replace(",", "."))
    match match[1], match[3]:
        case (("more than" | "over"), None):
            return Amount(number + step)
        case ("at least", None) | (None, "more"):
            return Amount(number)
        case (("less than" | "fewer than" | "under"), None):
            return Amount(0 if step < 1 else 1, number - step)
        case (("at most" | "up to" | "no more than"), None) | (None, ("less" | "fewer")):
            return Amount(0 if step < 1 else 1, number)
        case ((None | "exactly"), None):
            return Amount(number, number)
    return None


def _tokens(words: str) -> Amount | None:
    """How many tokens: as said, or one at least."""
    return _amount(words) if words not in ("", "any", "some", "a") else Amount()


def _play(asked: Asked, what: str) -> AnyAct | None:
    """A card, or a leader: "use" is said of both. Any cheap hero stands in for a leader."""
    if act := _lead(asked, what):
        return act
    cards = naming.cards(what)
    return PlayCard(tuple(sorted(cards))) if cards else None


def _lead(asked: Asked, what: str) -> AnyAct | None:
    found = _fighters(asked.actor, what.removesuffix(" as leader").removesuffix(" as your leader"))
    return Lead(found) if found else None


def _fighters(owner: Faction, words: str) -> tuple[str, ...]:
    """The leaders meant, "a leader" being any of the owner's; nothing where one of the names is none."""
    found: set[str] = set()
    for one in words.split(" or "):
        name = naming.bare(one)
        if name in ("leader", "leaders"):
            found.update(leader for leader, facts in LEADERS.items() if facts.faction == owner)
        elif name in ("cheap hero", "cheap heroine"):
            found.add(CHEAP_HERO)
        elif name in (KWISATZ_HADERACH, "kh"):
            found.add(KWISATZ_HADERACH)
        elif leaders := naming.leaders(name):
            found.update(leaders)
        else:
            return ()
    return tuple(sorted(found))


def _dial(asked: Asked, words: str) -> AnyAct | None:
    amount = _amount(words, step=0.5)
    return Dial(amount) if amount else None


def _bid(asked: Asked, words: str) -> AnyAct | None:
    amount = _tokens(words)
    return BidFor(amount) if amount else None


def _ship(asked: Asked, number: str, goal: str) -> AnyAct | None:
    amount, territory = _tokens(number), naming.territory(goal)
    return ShipTo(territory, amount) if amount and (territory or not goal) else None


def _move(asked: Asked, number: str, goal: str) -> AnyAct | None:
    amount, territory = _tokens(number), naming.territory(goal)
    return MoveTo(territory, amount) if amount and (territory or not goal) else None


def _advise(asked: Asked, goal: str) -> AnyAct | None:
    territory = naming.territory(goal)
    return SendAdvisor(territory) if territory or not goal else None


def _ally(asked: Asked, whom: str) -> AnyAct | None:
    faction = asked.faction(whom)
    return AllyWith(faction) if faction and faction != asked.actor else None


def _leave(asked: Asked, whose: str) -> AnyAct | None:
    return LeaveAlliance()


def _ride(asked: Asked, goal: str) -> AnyAct | None:
    territory = naming.territory(goal)
    return RideWorm(territory) if territory or not goal else None


def _revive(asked: Asked, what: str) -> AnyAct | None:
    tokens = re.fullmatch(r"(.*?) ?(?:tokens?|forces?|troops?)", what)
    if tokens:
        amount = _tokens(tokens[1])
        return ReviveTokens(amount) if amount else None
    found = _fighters(asked.actor, what)
    return ReviveOneOf(found) if found and CHEAP_HERO not in found else None


def _enter(asked: Asked, goal: str) -> AnyAct | None:
    territory = naming.territory(goal)
    return Enter(territory) if territory else None


def _attack(asked: Asked, whom: str, where: str) -> AnyAct | None:
    """Somebody, perhaps in a place that was read before as that of a battle; or only a place."""
    faction, territory = asked.faction(whom), naming.territory(where) if where else None
    if faction is None:
        return _enter(asked, whom)
    occasion = asked.occasion
    if faction == asked.actor or (where and territory is None) or occasion.opponent or occasion.this_battle:
        return None
    territory = territory or occasion.territory
    asked.set(in_battle=False, territory=None)
    return Attack(faction, territory)


def _voice(asked: Asked, whom: str) -> AnyAct | None:
    return UseVoice() if _read_victim(asked, whom) else None


def _foresee(asked: Asked, what: str) -> AnyAct | None:
    return UsePrescience((_ELEMENTS[what],)) if what else UsePrescience()


def _foresee_on(asked: Asked, whom: str) -> AnyAct | None:
    return UsePrescience() if _read_victim(asked, whom) else None


def _read_victim(asked: Asked, whom: str) -> bool:
    """On whom a power of battle is used."""
    if whom:
        asked.set(opponent=asked.faction(whom), in_battle=True)
        return asked.occasion.opponent is not None
    return True


def _give(asked: Asked, whom: str, number: str) -> AnyAct | None:
    faction, amount = asked.faction(whom), _tokens(number)
    return GiveSpice(faction, amount) if faction and amount and faction != asked.actor else None


_ELEMENTS: dict[str, Element] = {
    "leader": "leader", "weapon": "weapon", "defense": "defense", "defence": "defense", "number": "number",
    "dial": "number",
}  # fmt: skip
_ELEMENT = rf"(?:my |our |the |his |her |their )?({'|'.join(_ELEMENTS)})"
_IN_COLLECTION = r"(?: (?:in|during|at) (?:the |this )?collection(?: (?:phase|round))?)?"
_SOME = rf"(?:any|some|(?:(?:{_BOUND}) )?{_NUMBER}(?: or (?:more|less|fewer))?)"
_HOW_MANY = r"(?:(.*?) ?(?:tokens?|forces?|troops?) |(?:(?=[a-z0-9 ]*[0-9]))(.*?) )?"
_TO = r"(?:in|into|to|onto) ([a-z0-9 ]+)"


def _journey(read: Callable[[Asked, str, str], AnyAct | None]) -> Callable[..., AnyAct | None]:
    return lambda asked, some, number, goal="": read(asked, some or number, goal)


_ACTS: Iterable[tuple[re.Pattern[str], Callable[..., AnyAct | None]]] = (
    (
        re.compile(r"(?:(?:use|give) (?:the |your )?voice(?: on (.+))?|voice (.+))"),
        lambda asked, one, other: _voice(asked, one or other),
    ),
    (re.compile(rf"(?:use (?:your |the )?(?:prescience|foresight)(?: (?:on|for) {_ELEMENT})?)"), _foresee),
    (re.compile(r"use (?:your |the )?(?:prescience|foresight) on (.+)"), _foresee_on),
    (re.compile(rf"(?:foresee|ask for|ask about|ask to see|look at) {_ELEMENT}"), _foresee),
    (re.compile(r"attack (.+?)(?: (?:in|into|at) ([a-z0-9 ]+))?"), _attack),
    (
        re.compile(
            r"(?:enter|invade|(?:go|come|ship or move|move or ship)(?: (?:any|some) (?:tokens|forces|troops))?"
            r" (?:in|into|to|onto)) ([a-z0-9 ]+)"
        ),
        _enter,
    ),
    (re.compile(rf"(?:give|pay) (.+?) (?:({_SOME}) )?spice{_IN_COLLECTION}"), _give),
    (
        re.compile(rf"(?:give|pay) (?:({_SOME}) )?spice to (.+?){_IN_COLLECTION}"),
        lambda asked, number, whom: _give(asked, whom, number),
    ),
    (re.compile(r"(?:play|use|put down|commit) (.+)"), _play),
    (re.compile(r"(?:lead|fight|lead with|fight with|be led by|send) (.+)"), _lead),
    (re.compile(r"dial (.+)"), _dial),
    (
        re.compile(r"call (?:treachery|(?:a |the |your |my leader a |my leader )?(?:traitors?|treachery))"),
        lambda asked: CallTreachery(),
    ),
    (re.compile(r"(?:bid|make a bid)(?: (.+?)(?: spice)?)?"), _bid),
    (re.compile(rf"ship {_HOW_MANY}{_TO}"), _journey(_ship)),
    (re.compile(r"(?:ship|make a shipment|ship anything|ship any(?: tokens| forces)?)()()"), _ship),
    (re.compile(rf"move {_HOW_MANY}{_TO}"), _journey(_move)),
    (re.compile(r"(?:move|make a move|move anything|move any(?: tokens| forces)?)()()"), _move),
    (re.compile(rf"(?:send|place) an? (?:spiritual )?advis[eo]r(?: {_TO})?"), _advise),
    (re.compile(r"(?:ally|be allied|(?:form|make|enter) an alliance) with ([a-z ]+)"), _ally),
    (re.compile(r"(?:break|leave) (your|our|the|this) alliance"), _leave),
    (re.compile(rf"ride (?:the |a |this )?(?:worm|sandworm|shai hulud)(?: {_TO})?"), _ride),
    (re.compile(r"revive (.+)"), _revive),
    (re.compile(r"(?:take|claim|collect|ask for) (?:the )?charity"), lambda asked: TakeCharity()),
)
