"""A battle plan in plain words: "I dial 2 with Otheym and a shield"."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from bot.orders.plain.attempt import Attempt
from bot.orders.plain.table import table
from rules.components import CARDS, Card, is_defense, is_weapon, leaders_of
from rules.orders import CHEAP_HERO

_SPICE = frozenset({"spice", "sp", "spices", "melange"})
_PAYS = frozenset({"spice", "pay", "paying", "spend", "spending", "support", "supporting"})
_TROOPS = frozenset({"troops", "tokens", "forces", "men", "token", "strength"})


def plan_parts(attempt: Attempt) -> Sequence[dict[str, Any]] | None:
    """The parts of a plan; None without a dial, or if something is said twice."""
    plan: dict[str, Any] = {
        "dial": None,
        "spice": 0,
        "leader": None,
        "kwisatz_haderach": False,
        "weapon": None,
        "defense": None,
    }
    nobody = attempt.take_all(table().plan["no_leader"])
    attempt.take_all(table().plan["no_cards"])
    plan["kwisatz_haderach"] = bool(attempt.take_all(table().plan["kwisatz_haderach"]))
    cards = list(attempt.names("card", attempt.context.hand))
    likely = [*(attempt.context.leaders or leaders_of(attempt.context.faction)), CHEAP_HERO]
    fighters = [meant.values for meant in attempt.names("fighter", likely)]
    heroes = [c for c in cards if c.values[0].startswith("Cheap Hero")]
    if heroes:
        fighters.append((CHEAP_HERO,))
        cards = [c for c in cards if c not in heroes]
    if len(set(fighters)) + bool(nobody) != 1 or any(len(meant.values) > 1 for meant in cards):
        return None
    if not _numbers(attempt, plan):
        return None
    if not _sort_cards([Card(meant.values[0]) for meant in cards], plan):
        return None
    leaders = fighters[0] if fighters else (None,)
    attempt.guessed |= len(leaders) > 1
    return [{**plan, "leader": leader} for leader in leaders]


def _numbers(attempt: Attempt, plan: dict[str, Any]) -> bool:
    """The dial and the spice; the dial is the number that is no spice."""
    for place in attempt.unused():
        word = attempt.words[place]
        if word.number is None or word.ordinal:
            continue
        before = attempt.texts[place - 1] if place else ""
        after = attempt.texts[place + 1] if place + 1 < len(attempt.words) else ""
        paid = before in _PAYS or (before == "for" and place > 1 and attempt.texts[place - 2] in _PAYS)
        behind = attempt.words[place + 2].number if place + 2 < len(attempt.words) else None
        spice = (after in _SPICE and behind is None) or (paid and after not in _TROOPS)
        if spice:
            if plan["spice"] or word.number % 1:
                return False
            plan["spice"] = int(word.number)
        elif plan["dial"] is None:
            plan["dial"] = word.number
        else:
            return False
        attempt.use(place)
        if after in _SPICE or after in _TROOPS:
            attempt.use(place + 1)
        if before in _PAYS:
            attempt.use(place - 1)
    if not plan["spice"] and attempt.take_all(table().plan["all_spice"]):
        attempt.guessed = True
        plan["spice"] = attempt.known.spice
    attempt.take_all(table().plan["dial"])
    attempt.told += 1
    return plan["dial"] is not None


def _sort_cards(cards: Sequence[Card], plan: dict[str, Any]) -> bool:
    """Each card into the slot of its sort; a worthless card into whichever is left."""
    worthless = [card for card in cards if not is_weapon(card) and not is_defense(card)]
    for card in cards:
        slot = "weapon" if is_weapon(card) else "defense" if is_defense(card) else ""
        if slot and plan[slot]:
            return False
        if slot:
            plan[slot] = card
    for card in worthless:
        slot = next((slot for slot in ("weapon", "defense") if plan[slot] is None), "")
        if not slot or CARDS[card].kind != "worthless":
            return False
        plan[slot] = card
    return True
