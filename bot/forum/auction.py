"""Which card is up for bid, and what is bid for it, as far as the news tell."""

from __future__ import annotations

from dataclasses import dataclass

from bot.reports.given import Position
from bot.wording.sentences import say

TELLING = ("card-up", "bid", "passed", "card-sold", "sale-void", "overbid-found")


@dataclass(slots=True)
class Auction:
    """The card and how many there are, 0 where it is not told. ``highest`` says the highest bid in a few words; it is
    empty where it is not told."""

    card: int = 0
    cards: int = 0
    highest: str = ""


def auction(position: Position) -> Auction:
    """The auction as everybody saw it, from what was told of the turn before the news and in them."""
    found = Auction()
    if position.view["phase"] != "bidding":
        return found
    for event in (*position.background, *position.news):
        if event.turn != position.view["turn"] or event.kind not in TELLING:
            continue
        facts = event.facts
        match event.kind:
            case "card-up":
                found = Auction(facts["number"], facts["of"], say("forum-now.no-bid"))
            case "bid":
                found.card = facts["number"]
                found.highest = say("forum-now.highest", bidder=facts["faction"], amount=facts["amount"])
            case "passed":
                found.card = facts["number"]
            case _:  # what stands now is told by the events behind it
                found.card, found.highest = facts["number"], ""
    return found
