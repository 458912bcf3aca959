"""Factions are drawn, and then swapped by whoever wants: both say so, and starting spice may change hands with it.

One writes `trade E003 paying 2`, the other `trade E001 getting 2`: the swap is made when both papers say the same.
Spice is paid from what the payer's new faction starts with, and goes to the other's new faction; nobody can pay more
than there is. A swap takes all open papers of both with it, as their factions are not what they were.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from bot.competition.factions.naming import PaperRefused, faction_named
from bot.competition.outcomes import Handle
from rules.components import Faction


@dataclass(frozen=True, slots=True)
class Trade:
    """A paper: ``by`` would swap factions with ``to``, and pay so much spice (or get it, if below 0)."""

    by: Handle
    to: Handle
    pays: int = 0

    @property
    def answer(self) -> Trade:
        """The paper by which the other agrees."""
        return Trade(self.to, self.by, -self.pays)


@dataclass(frozen=True, slots=True)
class Traded:
    """How it stands after the trades: who has which faction, with how much spice each starts, and the swaps that were
    made, in their order."""

    factions: Mapping[Handle, Faction]
    spice: Mapping[Faction, int]
    made: tuple[Trade, ...] = ()


def traded(factions: Mapping[Handle, Faction], spice: Mapping[Faction, int], papers: Iterable[Trade]) -> Traded:
    """All papers of a table in the order in which they came. A new paper to the same player takes the place of the old
    one; one that cannot be (``refusal``) has no effect."""
    now, purse = dict(factions), dict(spice)
    waiting: dict[tuple[Handle, Handle], Trade] = {}
    made: list[Trade] = []
    for paper in papers:
        if refusal(paper, now, purse):
            continue
        waiting[paper.by, paper.to] = paper
        if waiting.get((paper.to, paper.by)) != paper.answer:
            continue
        now[paper.by], now[paper.to] = now[paper.to], now[paper.by]
        purse[now[paper.by]] -= paper.pays
        purse[now[paper.to]] += paper.pays
        made.append(paper)
        both = {paper.by, paper.to}
        waiting = {pair: other for pair, other in waiting.items() if not both & set(pair)}
    return Traded(now, purse, tuple(made))


def refusal(paper: Trade, factions: Mapping[Handle, Faction], spice: Mapping[Faction, int]) -> str:
    """Why such a trade cannot be, as a sentence; "" if it can."""
    if paper.by == paper.to or paper.by not in factions or paper.to not in factions:
        return "A faction is traded with another player of the same table."
    payer_gets = factions[paper.to if paper.pays >= 0 else paper.by]
    if abs(paper.pays) > spice[payer_gets]:
        return (
            f"The spice is paid from what {payer_gets} starts with, which is {spice[payer_gets]}: "
            f"{abs(paper.pays)} is too much."
        )
    return ""


_TRADE = re.compile(r"(?:with\s+)?(.+?)(?:[\s,]+(paying|pays?|getting|gets?|for)\s+(\S+)(?:\s+spice)?)?", re.IGNORECASE)


def read_trade(text: str, by: Handle, factions: Mapping[Handle, Faction]) -> Trade:
    """What stands in a line `trade E003 paying 2` after its first word, or `trade with the guild getting 2`.
    PaperRefused with a sentence for anything else.

    >>> read_trade("with guild getting 2", "E001", {"E001": "emperor", "E003": "guild"})
    Trade(by='E001', to='E003', pays=-2)
    """
    found = _TRADE.fullmatch(text.strip().rstrip("."))
    if found is None:
        raise PaperRefused("Write with whom you would swap: trade E003, trade E003 paying 2, or trade E003 getting 2.")
    whom, way, number = found.groups()
    whom = re.sub(r"^the\s+", "", whom, flags=re.IGNORECASE)
    if whom.upper() in factions:
        to = whom.upper()
    else:
        owner = {faction: handle for handle, faction in factions.items()}
        to = owner[faction_named(whom, list(owner))]
    if to == by:
        raise PaperRefused("A faction is traded with another player of the same table.")
    if number is not None and not re.fullmatch(r"[0-9]{1,3}", number, re.ASCII):
        raise PaperRefused(f"{number[:20]!r} is no amount of spice.")
    spice = int(number or 0)
    return Trade(by, to, -spice if way and way.lower().startswith(("get", "for")) else spice)
