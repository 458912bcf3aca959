"""Tests for the tables of a turn's auction: each card's buyer, the outbid players, and the card if it may be shown."""

from __future__ import annotations

from typing import Any

from bot.archive.game_pages import auction_table, full_table, lots_sold
from rules.state.events import Event


def event(kind: str, private: dict[str, dict[str, Any]] | None = None, **facts: Any) -> Event:
    return Event(0, 3, "bidding", kind, facts, private or {})


def bid(faction: str, amount: int | None) -> Event:
    return event("bid", faction=faction, amount=amount)


EVENTS = [
    event("card-up", {"atreides": {"card": "Lasgun"}}, number=1, of=3),
    bid("guild", 2), bid("emperor", 3), event("passed", faction="fremen"), bid("guild", 4),
    event("card-sold", {"guild": {"card": "Lasgun"}}, number=1, buyer="guild", price=4, karama=False, to_emperor=True),
    event("card-up", number=2, of=3),
    bid("fremen", 1), bid("harkonnen", 0),
    event("card-sold", {"harkonnen": {"spice": 1}}, number=2, buyer="harkonnen", price=0, karama=True,
          to_emperor=False),
    event("card-up", {"atreides": {"seen": "one"}}, number=3, of=3),
    event("passed", faction="guild"),
    event("cards-returned", cards=1),
    event("card-up", number=4, of=3),
]  # fmt: skip


def test_each_card_that_came_up_is_a_lot_with_its_bids_and_its_buyer() -> None:
    first, second, third, last = lots_sold(EVENTS)
    assert (first.number, first.buyer, first.price, first.to_emperor, first.card) == (1, "guild", 4, True, "Lasgun")
    assert first.bids == [("guild", 2), ("emperor", 3), ("fremen", None), ("guild", 4)]
    assert (second.buyer, second.karama, second.card) == ("harkonnen", True, "")
    assert (third.buyer, third.went, third.bids) == (None, "back on the deck", [("guild", None)])
    assert (last.buyer, last.went, last.bids) == (None, "", [])


def test_what_the_buyer_did_not_see_is_what_was_seen_when_it_came_up() -> None:
    sold = event("card-sold", {}, number=1, buyer="guild", price=1, karama=False, to_emperor=False)
    (lot,) = lots_sold([EVENTS[0], sold])
    assert lot.card == "Lasgun"


def test_the_table_names_who_was_outbid_the_highest_first() -> None:
    table = auction_table(lots_sold(EVENTS), "Turn 3")
    assert [tuple(map(str, row)) for row in table.rows] == [
        ("1", "Guild", "4 to the Emperor", "Emperor 3"),
        ("2", "Harkonnen", "a Karama", "Fremen 1"),
        ("3", "back on the deck", "", "nobody else bid"),
        ("4", "nobody", "", "nobody else bid"),
    ]


def test_the_table_with_every_bid_says_what_a_card_was_where_that_is_opened() -> None:
    opened = full_table(lots_sold(EVENTS), "Turn 3", opened=True)
    assert [str(row[-1]) for row in opened.rows] == [
        "Lasgun", "not seen by anybody", "not seen by anybody", "not seen by anybody",
    ]  # fmt: skip
    assert [str(line) for line in opened.below] == [
        "Guild 2, Emperor 3, Fremen passed, Guild 4", "Fremen 1, Harkonnen by Karama", "Guild passed", "nobody bid",
    ]  # fmt: skip
    closed = full_table(lots_sold(EVENTS), "Turn 3", opened=False)
    assert [len(row) for row in closed.rows] == [3, 3, 3, 3]
    assert list(opened.head)[:3] == list(closed.head)
