"""What occurred in random games: every power and card effect, every kind of event, every kind of order, each counted.

A kind that never occurred is listed with 0, so a part of the rules that games never reach is seen.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from typing import Any, get_args

from bot.reports import news
from rules.components import CardKind, card_kind
from rules.engine.play import Play, Submitted
from rules.orders import AnyOrder, KaramaEffect
from rules.state.events import Event

Facts = Mapping[str, Any]
Happened = Callable[[Facts], bool]


def _always(facts: Facts) -> bool:
    return True


POWERS: tuple[tuple[str, str, Happened], ...] = (
    ("Atreides look at a card for bid", "card-up", lambda facts: "private" in facts),
    ("Atreides look at the spice card", "spice-card-seen", _always),
    ("Prescience answered", "prescience-answered", _always),
    ("The Kwisatz Haderach awakes", "kwisatz-haderach-ready", _always),
    ("The Kwisatz Haderach dies", "kwisatz-haderach-killed", _always),
    ("The Kwisatz Haderach is revived", "kwisatz-haderach-revived", _always),
    ("The Bene Gesserit foresaw the victory", "game-won", lambda facts: facts["how"] == "prediction"),
    ("The Voice commands", "voice-given", lambda facts: bool(facts["play"])),
    ("The Voice forbids", "voice-given", lambda facts: not facts["play"]),
    ("An advisor comes along", "advisor", _always),
    ("The Bene Gesserit coexist", "bg-declared", lambda facts: bool(facts["coexists"])),
    ("The Bene Gesserit fight", "bg-declared", lambda facts: not facts["coexists"]),
    ("Advisors become fighters", "bg-flip", lambda facts: not facts["advisors"]),
    ("Fighters become advisors", "bg-flip", lambda facts: bool(facts["advisors"])),
    ("Charity whatever they hold", "charity", lambda facts: bool(facts["always"])),
    ("The Emperor is paid for a card", "card-sold", lambda facts: bool(facts["to_emperor"])),
    ("The Emperor gives to an ally", "spice-given", lambda facts: facts["payer"] == "emperor"),
    ("A Fremen landing", "shipment", lambda facts: facts["faction"] == "fremen" and not facts["price"]),
    ("A landing in the storm", "landed-in-storm", _always),
    ("A worm is ridden", "worm-ridden", _always),
    ("A further worm is sent", "worm-placed", _always),
    ("Fremen support for an ally", "fremen-support", lambda facts: bool(facts["granted"])),
    ("The Shield Wall becomes a stronghold", "shield-wall-counts", _always),
    ("The Guild ships across", "shipment", lambda facts: bool(facts["source"] and facts["target"])),
    ("The Guild ships back", "shipment", lambda facts: facts["target"] is None),
    ("The Guild is paid", "shipment", lambda facts: facts["paid_to"] == "guild" and facts["price"] > 0),
    ("The Guild goes early", "guild-goes-early", _always),
    ("The Guild waits", "guild-waits", _always),
    ("Harkonnen draw a free card", "free-card", _always),
    ("Harkonnen keep a captive", "leader-captured", _always),
    ("Harkonnen kill a captive", "captive-killed", _always),
    ("A captive goes home after the battle", "captive-returned", _always),
    ("All captives go home", "captives-returned", _always),
    ("Treachery", "treachery-called", _always),
    ("Treachery for an ally", "treachery-called", lambda facts: facts["caller"] != facts["side"]),
    ("An alliance", "alliance-formed", _always),
    ("An alliance broken", "alliance-broken", _always),
    ("A public deal", "deal-made", _always),
    ("A deal is paid", "spice-given", lambda facts: facts["why"] == "deal"),
    ("A leader is revived", "leader-revived", _always),
    ("Lasgun and shield", "explosion", _always),
    ("Family Atomics", "family-atomics", _always),
    ("Weather Control", "weather-control", _always),
    ("Hajr", "move", lambda facts: bool(facts["hajr"])),
    ("Ghola for tokens", "ghola-tokens", _always),
    ("Ghola for a leader", "ghola-leader", _always),
    ("Truthtrance", "truthtrance-answered", _always),
    ("An answer about the future cannot be kept", "truthtrance-negated", _always),
    ("A question with a not", "truthtrance-answered", lambda facts: "negative" in facts),
    ("Won by the Fremen at the end", "game-won", lambda facts: facts["how"] == "fremen"),
    ("Won by the Guild at the end", "game-won", lambda facts: facts["how"] == "guild"),
    ("Won by strongholds", "game-won", lambda facts: facts["how"] == "strongholds"),
)
"""What it is called, the kind of event that shows it, and which of them do."""


class Occurrences:
    """Counts over many games."""

    def __init__(self) -> None:
        self.powers: Counter[str] = Counter(dict.fromkeys(_power_names(), 0))
        self.events: Counter[str] = Counter(dict.fromkeys(news.kinds(), 0))
        self.orders: Counter[str] = Counter(dict.fromkeys((order.__name__ for order in get_args(AnyOrder)), 0))

    def add(self, play: Play) -> None:
        """Count what happened in a game that was played from its beginning."""
        for event in play.events:
            self.events[event.kind] += 1
            self.powers.update(_shown_by(event))
        for entry in play.log:
            if isinstance(entry, Submitted):
                self.orders.update(type(order).__name__ for order in entry.orders)

    def merge(self, other: Occurrences) -> None:
        """Add what was counted elsewhere."""
        self.powers.update(other.powers)
        self.events.update(other.events)
        self.orders.update(other.orders)


def _power_names() -> Iterator[str]:
    yield from (name for name, _, _ in POWERS)
    yield from (f"Karama: {effect}" for effect in get_args(KaramaEffect))
    yield "Karama by a worthless card"
    yield from (f"Played in battle: {kind}" for kind in get_args(CardKind) if kind in IN_BATTLE)
    yield from ("The Kwisatz Haderach in battle", "A plan is mended")


IN_BATTLE: frozenset[CardKind] = frozenset({
    "projectile-weapon", "poison-weapon", "lasgun", "shield", "snooper", "cheap-hero", "worthless",
})  # fmt: skip


def _shown_by(event: Event) -> Iterator[str]:
    facts = event.seen_by("gm")
    yield from (name for name, kind, happened in POWERS if kind == event.kind and happened(facts))
    if event.kind == "karama-played":
        yield f"Karama: {facts['effect']}"
        if facts["card"] != "Karama":
            yield "Karama by a worthless card"
    if event.kind == "plans-revealed":
        for plan in facts["plans"]:
            yield from _in_plan(plan)


def _in_plan(plan: Facts) -> Iterator[str]:
    yield from (f"Played in battle: {card_kind(plan[place])}" for place in ("weapon", "defense") if plan[place])
    if plan["cheap_hero"]:
        yield "Played in battle: cheap-hero"
    if plan["kwisatz_haderach"]:
        yield "The Kwisatz Haderach in battle"
    if plan["repairs"]:
        yield "A plan is mended"
