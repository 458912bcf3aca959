"""The battles of a turn, each with both plans side by side, and the bids on a card in one sentence.

``without_battles`` and ``without_bids`` leave the news that these have not told already.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from bot.reports.document import Fight, Side
from bot.reports.given import News
from bot.reports.news import sentence
from bot.wording.filters import halves, name, tokens
from bot.wording.sentences import say

BIDS = ("card-up", "bid", "passed", "card-sold")


@dataclass(slots=True)
class _Battle:
    """A battle as it is gathered from its events."""

    begun: Mapping[str, Any]
    plans: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    won: Mapping[str, Any] = field(default_factory=dict)
    lost: dict[str, list[str]] = field(default_factory=dict)
    discarded: dict[str, list[str]] = field(default_factory=dict)
    remarks: list[str] = field(default_factory=list)

    @property
    def sides(self) -> tuple[str, str]:
        """The aggressor and the defender."""
        return self.begun["aggressor"], self.begun["defender"]


def fights(news: Sequence[News]) -> list[Fight]:
    """The battles, in the order in which they were fought."""
    return [_written(battle) for battle in _gathered(news)]


def without_battles(news: Sequence[News]) -> tuple[News, ...]:
    """The news that no battle of ``fights`` tells."""
    if not any(event.kind == "battle-begins" for event in news):
        return tuple(news)
    return tuple(event for event in news if event.phase != "battle")


def without_bids(news: Sequence[News]) -> tuple[News, ...]:
    """The news with one event for each card that was sold, in place of all the bids on it."""
    found: list[News] = []
    best: dict[str, int] = {}
    for event in news:
        facts = event.facts
        if event.kind == "card-up":
            best = {}
        elif event.kind == "bid":
            best[facts["faction"]] = facts["amount"] or best.get(facts["faction"], 0)
        if event.kind == "card-sold":
            over = sorted(
                ((other, amount) for other, amount in best.items() if other != facts["buyer"] and amount),
                key=lambda bid: -bid[1],
            )
            told = {"number": facts["number"], "buyer": facts["buyer"], "karama": facts["karama"],
                    "price": facts["price"], "over": over}  # fmt: skip
            found.append(replace(event, kind="card-went", facts=told, mine={}))
        elif event.kind not in BIDS:
            found.append(event)
    return tuple(found)


def _gathered(news: Sequence[News]) -> list[_Battle]:
    found: list[_Battle] = []
    before: list[str] = []
    for event in news:
        if event.phase != "battle" or event.kind == "battles-listed":
            continue
        facts = event.facts
        if event.kind == "battle-begins":
            found.append(_Battle(facts, remarks=before))
            before = []
            continue
        if not found:
            before.append(sentence(event.kind, facts, event.mine))
            continue
        battle = found[-1]
        match event.kind:
            case "plans-revealed":
                battle.plans = {plan["faction"]: plan for plan in facts["plans"]}
            case "battle-won":
                battle.won = facts
            case "tokens-lost":
                battle.lost.setdefault(facts["faction"], []).append(tokens(facts["forces"], facts["faction"]))
            case "leader-killed" if facts.get("user") in battle.sides:
                battle.lost.setdefault(facts["user"], []).append(facts["leader"])
            case "cards-discarded" if facts["faction"] in battle.sides:
                battle.discarded.setdefault(facts["faction"], []).extend(facts["cards"])
            case _:
                battle.remarks.append(sentence(event.kind, facts, event.mine))
    return found


def _written(battle: _Battle) -> Fight:
    first, second = battle.sides
    forces = battle.begun["forces"]
    about = say("fight.about", sides=[(side, forces[side]) for side in battle.sides], aggressor=first)
    rows = [(say(f"fight.{part}"), _part(battle, first, part), _part(battle, second, part))
            for part in ("dial", "leader", "weapon", "defense") if battle.plans]  # fmt: skip
    rows.append((say("fight.losses"), _gone(battle.lost.get(first)), _gone(battle.lost.get(second))))
    if battle.discarded:
        gone = (_gone(battle.discarded.get(first)), _gone(battle.discarded.get(second)))
        rows.append((say("fight.discarded"), *gone))
    mended = [
        say("fight.mended", faction=side, repairs=plan["repairs"])
        for side, plan in battle.plans.items()
        if plan["repairs"]
    ]
    sides = (_side(battle, first), _side(battle, second))
    return Fight(
        name(battle.begun["territory"]), about, sides, tuple(rows), tuple(filter(None, (*mended, *battle.remarks)))
    )


def _side(battle: _Battle, side: str) -> Side:
    totals = battle.won.get("totals") or {}
    score = halves(totals[side]) if side in totals else ""
    result = "no-winner" if not battle.won else "won" if battle.won["winner"] == side else "lost"
    return Side(name(side), score, say(f"fight.{result}"))


def _part(battle: _Battle, side: str, part: str) -> str:
    plan = battle.plans.get(side)
    if plan is None:
        return ""
    if part == "dial":
        return say("fight.number", dial=plan["dial"], spice=plan["spice"])
    if part == "leader":
        return say("fight.who", leader=plan["leader"], kwisatz_haderach=plan["kwisatz_haderach"])
    return say("fight.card", card=plan[part])


def _gone(what: Sequence[str] | None) -> str:
    return say("fight.gone", gone=what or ())
