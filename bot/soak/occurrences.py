"""What occurred in random games: every power and card effect of the rule set, every kind of event, every kind of order.

A kind that never occurred is listed with 0, so a part of the rules that games never reach is seen.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import get_args

from bot.reports import news
from bot.soak import powers
from bot.soak.powers import BY_WORTHLESS_CARD, IN_BATTLE, OF_A_PLAN, POWERS, SIDES, Facts, Power, has
from rules.components import KARAMA, card_kind
from rules.engine.log import Submitted
from rules.engine.play import Play
from rules.orders import AnyOrder
from rules.rulesets.box import expansion_of
from rules.rulesets.ruleset import RuleSet
from rules.state.events import Event

ENOUGH = 30
"""How often each power and effect occurs in so many games at least."""
GAMES, WITH_EXPANSION = 1000, 2000
"""How many games those are: two thousand where an expansion brings more powers, and more factions to choose from."""


class Occurrences:
    """Counts over many games of one rule set."""

    def __init__(self, rules: RuleSet) -> None:
        self.enough_in = WITH_EXPANSION if expansion_of(rules) else GAMES
        self.powers: Counter[str] = Counter(dict.fromkeys(powers.names(rules), 0))
        self.events: Counter[str] = Counter(dict.fromkeys(news.kinds(), 0))
        self.orders: Counter[str] = Counter(dict.fromkeys((order.__name__ for order in get_args(AnyOrder)), 0))

    def add(self, play: Play) -> None:
        """Count what happened in a game that was played from its beginning."""
        rules = play.game.rules
        able = [power for power in POWERS if has(rules, power.needs)]
        sides: Sequence[str] = ()
        for event in play.events:
            self.events[event.kind] += 1
            if event.kind == "battle-begins":
                sides = (event.facts["aggressor"], event.facts["defender"])
            self.powers.update(_shown_by(event, able, sides, rules))
        for entry in play.log:
            if isinstance(entry, Submitted):
                self.orders.update(type(order).__name__ for order in entry.orders)

    def merge(self, other: Occurrences) -> None:
        """Add what was counted elsewhere."""
        self.powers.update(other.powers)
        self.events.update(other.events)
        self.orders.update(other.orders)

    def too_rare(self, games: int) -> list[str]:
        """What occurred too seldom; fewer than a thousand games say nothing about that."""
        least = ENOUGH * games / self.enough_in
        return [name for name, times in self.powers.items() if games >= GAMES and times < least]


def _shown_by(event: Event, able: Sequence[Power], sides: Sequence[str], rules: RuleSet) -> Iterator[str]:
    facts = {**event.seen_by("gm"), SIDES: sides}
    yield from (power.name for power in able if power.kind == event.kind and power.happened(facts))
    if event.kind == "karama-played":
        yield f"Karama: {facts['effect']}"
        if facts["card"] != KARAMA:
            yield BY_WORTHLESS_CARD.name
    if event.kind == "plans-revealed":
        for plan in facts["plans"]:
            yield from _in_plan(plan, rules)


def _in_plan(plan: Facts, rules: RuleSet) -> Iterator[str]:
    kinds = [card_kind(plan[place]) for place in ("weapon", "defense") if plan[place]]
    yield from (f"Played in battle: {kind}" for kind in kinds if kind in IN_BATTLE)
    if plan["cheap_hero"]:
        yield "Played in battle: cheap-hero"
    yield from (name for name, happened, needs in OF_A_PLAN if has(rules, needs) and happened(plan))
