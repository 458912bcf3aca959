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
            found[-1].went = say("page.lot-returned")
    return found


def _card(event: Event) -> str:
    return next((str(told["card"]) for told in event.private.values() if "card" in told), "")


def auction_table(sold: Sequence[Lot], caption: str) -> Table:
    """The lots of a turn in a table: who bought each, for how much, over whose bids."""
    rows = [(str(lot.number), _buyer(lot), _price(lot), _over(lot)) for lot in sold]
    return Table(caption, _head("card", "buyer", "price", "over"), rows)


def full_table(sold: Sequence[Lot], caption: str, *, opened: bool) -> Table:
    """The same with every bid; ``opened`` cards say what they were."""
    rows = []
    for lot in sold:
        row = [str(lot.number), _buyer(lot), _price(lot)]
        if opened:
            row.append(name(lot.card) if lot.card else say("page.lot-unseen"))
        rows.append(row)
    head = _head("card", "buyer", "price", *(("was",) if opened else ()))
    return Table(caption, head, rows, across=tuple(map(_bids, sold)))


def _head(*columns: str) -> tuple[str, ...]:
    return tuple(say(f"page.lot-{column}") for column in columns)


def _over(lot: Lot) -> str:
    best: dict[Faction, int] = {}
    for faction, amount in lot.bids:
        if amount is not None and faction != lot.buyer:
            best[faction] = amount
    most_first = sorted(best.items(), key=lambda bid: -bid[1])
    made = [say("page.lot-bid", faction=faction, amount=amount) for faction, amount in most_first]
    return ", ".join(made) or say("page.lot-no-other")


def _buyer(lot: Lot) -> str:
    return name(lot.buyer) if lot.buyer else lot.went or say("page.lot-nobody")


def _price(lot: Lot) -> str:
    if not lot.buyer:
        return ""
    return say("page.lot-paid", price=lot.price, karama=lot.karama, to_emperor=lot.to_emperor)


def _bids(lot: Lot) -> str:
    made = [
        say("page.lot-passed" if amount is None else "page.lot-bid", faction=faction, amount=amount)
        for faction, amount in lot.bids
    ]
    return ", ".join(made) or say("page.lot-silent")
