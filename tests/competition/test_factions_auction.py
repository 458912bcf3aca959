"""Tests for the sealed auction of factions."""

from __future__ import annotations

import itertools
import random

import pytest

from bot.competition.factions import PaperRefused, Sale, hold_auction, read_worths
from tests.competition.a_table import SIX

PAPERS = {
    "ann": (30, 50, 40, 0, 20, 40), "bob": (20, 60, 30, 0, 10, 30), "cid": (10, 20, 20, 10, 0, 40),
    "dora": (0, 0, 0, 0, 0, 0), "eve": (20, 40, 50, 0, 0, 10), "fay": (10, 10, 10, 20, 30, 0),
}  # fmt: skip
WORTHS = {name: dict(zip(SIX, worths, strict=True)) for name, worths in PAPERS.items()}


def test_the_auction_of_the_specification() -> None:
    sold = hold_auction(list(PAPERS), SIX, WORTHS)
    assert sold == {
        "ann": Sale("atreides", 0), "bob": Sale("bene-gesserit", 20), "cid": Sale("harkonnen", 10),
        "dora": Sale("fremen", 0), "eve": Sale("emperor", 10), "fay": Sale("guild", 0),
    }  # fmt: skip
    assert sum(WORTHS[name][one.faction] for name, one in sold.items()) == 210


def test_equal_sums_are_decided_by_the_order_in_which_entrants_were_drawn() -> None:
    same = {name: dict.fromkeys(SIX, 10) | {"guild": 50} for name in PAPERS}
    assert hold_auction(list(PAPERS), SIX, same)["ann"] == Sale("guild", 40)
    assert hold_auction(list(PAPERS)[::-1], SIX, same)["fay"] == Sale("guild", 40)


def test_who_sent_no_paper_takes_what_is_left_for_nothing() -> None:
    sold = hold_auction(["ann", "bob"], ["guild", "fremen"], {"bob": {"guild": 1}})
    assert sold == {"ann": Sale("fremen", 0), "bob": Sale("guild", 0)}


def test_the_prices_are_the_lowest_at_which_nobody_wants_to_change() -> None:
    chance = random.Random(31)
    for _ in range(150):
        names = list(PAPERS)[: chance.randint(2, 5)]
        factions = SIX[: len(names) + chance.randint(0, 1)]
        worths = {name: {faction: chance.randint(0, 12) for faction in factions} for name in names}
        sold = hold_auction(names, factions, worths)
        best = max(
            sum(worths[name][faction] for name, faction in zip(names, those, strict=True))
            for those in itertools.permutations(factions, len(names))
        )
        assert sum(worths[name][one.faction] for name, one in sold.items()) == best
        price = dict.fromkeys(factions, 0) | {one.faction: one.price for one in sold.values()}
        for name, one in sold.items():
            gain = worths[name][one.faction] - one.price
            assert 0 <= one.price <= worths[name][one.faction]
            assert gain >= max(worths[name][faction] - price[faction] for faction in factions)
        paid = [one.faction for one in sold.values() if one.price]
        for some in range(1, len(paid) + 1):  # lower any price by one, and somebody wants another faction
            for those in itertools.combinations(paid, some):
                lower = price | {faction: price[faction] - 1 for faction in those}
                assert any(
                    worths[name][one.faction] - lower[one.faction]
                    < max(worths[name][faction] - lower[faction] for faction in factions)
                    for name, one in sold.items()
                )


def test_nobody_gains_by_writing_what_is_not_true() -> None:
    chance = random.Random(77)
    for _ in range(200):
        names, factions = list(PAPERS)[:4], SIX[:4]
        worths = {name: {faction: chance.randint(0, 9) for faction in factions} for name in names}
        honest = hold_auction(names, factions, worths)["bob"]
        told = worths | {"bob": {faction: chance.randint(0, 12) for faction in factions}}
        other = hold_auction(names, factions, told)["bob"]
        assert worths["bob"][honest.faction] - honest.price >= worths["bob"][other.faction] - other.price


@pytest.mark.parametrize(
    "text", ["atreides 3 bg 5.5 guild 0", "Atreides: 3, Bene Gesserit: 5.5, guild 0", "atr 3; ben=11/2"]
)
def test_a_bid_is_read_as_people_write_it(text: str) -> None:
    assert read_worths(text, SIX) == dict.fromkeys(SIX, 0) | {"atreides": 30, "bene-gesserit": 55}


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "List each faction"), ("atreides", "missing"), ("ixians 3", "not a faction"), ("atreides 1e3", "number"),
        ("atreides 3/0", "zero"), ("atreides -1", "negative"), ("atreides 3 atr 4", "twice"),
        ("atreides NaN", "missing"),
        ("atreides 0.05", "tenth"), ("atreides 1" + "0" * 40, "12 digits"), ("3 atreides", "missing"),
    ],
)  # fmt: skip
def test_a_bid_that_cannot_be_is_refused_with_its_reason(text: str, why: str) -> None:
    with pytest.raises(PaperRefused, match=why):
        read_worths(text, SIX)
