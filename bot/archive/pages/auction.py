"""Cards that came up for bid: who bid what, who bought, and once all may be known, what they were."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from bot.archive.html import Table
from bot.wording.filters import name
from bot.wording.sentences import say
from rules.components import Faction
from rules.state.events import Event


@dataclass(slots=True)
class Lot:
    """A card that came up. ``bids`` are in the order in which they were made, None for a pass; ``went`` says what
    became of it; ``card`` what it was, where somebody was told."""

    turn: int
    number: int
    bids: list[tuple[Faction, int | None]] = field(default_factory=list)
    buyer: Faction | None = None
    price: int = 0
    karama: bool = False
    to_emperor: bool = False
    went: str = ""
    card: str = ""


def lots(events: Iterable[Event]) -> list[Lot]:
    """The cards that came up, in order."""
    found: list[Lot] = []
    for event in events:
        facts = event.facts
        if event.kind == "card-up":
            found.append(Lot(event.turn, facts["number"], card=_card(event)))
        elif event.kind == "bid" and found:
            found[-1].bids.append((facts["faction"], facts["amount"] or 0))
        elif event.kind == "passed" and found:
            found[-1].bids.append((facts["faction"], None))
        elif event.kind == "card-sold" and found:
            lot = found[-1]
            lot.buyer, lot.price, lot.karama = facts["buyer"], facts["price"], facts["karama"]
            lot.to_emperor = facts["to_emperor"]
            lot.card = _card(event) or lot.card
        elif event.kind == "cards-returned" and found:
            found[-1].went = say("archive.lot-returned")
    return found


def _card(event: Event) -> str:
    return next((str(told["card"]) for told in event.private.values() if "card" in told), "")


def auction_table(sold: Sequence[Lot], caption: str, *, opened: bool = False) -> Table:
    """The lots in a table; ``opened`` ones say what they were."""
    head = ["card", "buyer", "price", "bids"]
    if opened:
        head.insert(1, "was")
    rows = []
    for lot in sold:
        row = [str(lot.number), _buyer(lot), _price(lot), _bids(lot)]
        if opened:
            row.insert(1, name(lot.card) if lot.card else say("archive.lot-unseen"))
        rows.append(row)
    return Table(caption, tuple(say(f"archive.lot-{column}") for column in head), rows)


def _buyer(lot: Lot) -> str:
    return name(lot.buyer) if lot.buyer else lot.went or say("archive.lot-nobody")


def _price(lot: Lot) -> str:
    if not lot.buyer:
        return ""
    return say("archive.lot-paid", price=lot.price, karama=lot.karama, to_emperor=lot.to_emperor)


def _bids(lot: Lot) -> str:
    made = [
        say("archive.lot-passed" if amount is None else "archive.lot-bid", faction=faction, amount=amount)
        for faction, amount in lot.bids
    ]
    return ", ".join(made) or say("archive.lot-silent")
