"""The auction as everybody follows it: which card is up, who has bid and passed, who has bought (AH.VIII)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from bot.sheets.told import Told
from rules.components import Card, Faction


@dataclass(slots=True)
class Auction:
    """The card that is up. ``last`` of the row is ``of``; ``card`` is known to who has looked at it."""

    number: int
    of: int
    card: Card | None = None
    bids: list[tuple[Faction, int | None]] = field(default_factory=list)  # None is over every number
    passed: set[Faction] = field(default_factory=set)  # whose last word on this card was to pass

    @property
    def left(self) -> int:
        """How many cards are still for sale, this one among them."""
        return self.of - self.number + 1

    @property
    def price(self) -> int | None:
        """The bid to beat; 0 while there is none, None over every number."""
        return self.bids[-1][1] if self.bids else 0

    @property
    def top_bidder(self) -> Faction | None:
        return self.bids[-1][0] if self.bids else None


def auction_of(happened: Sequence[Told]) -> Auction | None:
    """The card that came up last, and what was said about it."""
    auction: Auction | None = None
    for told in happened:
        facts = told.facts
        if told.kind == "card-up":
            auction = Auction(facts["number"], facts["of"], facts.get("card"))
        elif auction is None:
            continue
        elif told.kind == "bid":
            auction.bids.append((facts["faction"], facts["amount"]))
            auction.passed.discard(facts["faction"])
        elif told.kind == "passed":
            auction.passed.add(facts["faction"])
        elif told.kind == "sale-void":
            auction.bids = [bid for bid in auction.bids if bid[0] != facts["faction"]]
    return auction
