"""Tests for factions assigned by preference, by two cards, and by trade."""

from __future__ import annotations

import itertools
import random
from collections import Counter

import pytest

from bot.competition.factions import (
    PaperRefused,
    Trade,
    Wishes,
    assign_by_preference,
    assign_kept_cards,
    cheapest_assignment,
    make_trades,
    offer_cards,
    places_lost,
    read_choice,
    read_preferences,
    read_trade,
    trade_refusal,
)
from tests.competition.a_table import SIX

NAMES = ("ann", "bob", "cid", "dora", "eve", "fay")


@pytest.mark.parametrize(
    ("text", "wishes"),
    [
        ("guild, fremen, *", (("guild",), ("fremen",), ("atreides", "bene-gesserit", "emperor", "harkonnen"))),
        ("guild", (("guild",), ("atreides", "bene-gesserit", "emperor", "fremen", "harkonnen"))),
        ("*, Bene Gesserit", (("atreides", "emperor", "fremen", "guild", "harkonnen"), ("bene-gesserit",))),
        ("fremen = guild, *, har, bg",
         (("fremen", "guild"), ("atreides", "emperor"), ("harkonnen",), ("bene-gesserit",))),
        ("*", (SIX,)),
        ("A, B, E, F, G, H", tuple((faction,) for faction in SIX)),
    ],
)  # fmt: skip
def test_a_list_of_preferences_is_read_with_ties_and_a_star(text: str, wishes: Wishes) -> None:
    assert read_preferences(text, SIX) == wishes


@pytest.mark.parametrize(
    ("text", "why"),
    [("", "commas"), ("guild, guild", "twice"), ("*, guild, *", "twice"), ("ixians, *", "not a faction"),
     ("guild,, fremen", "commas"), ("guild = *", "commas")],
)  # fmt: skip
def test_a_list_that_cannot_be_is_refused_with_its_reason(text: str, why: str) -> None:
    with pytest.raises(PaperRefused, match=why):
        read_preferences(text, SIX)


def test_the_least_is_lost_in_all() -> None:
    chance = random.Random(5)
    for _ in range(60):
        papers = {name: tuple((one,) for one in chance.sample(SIX, 6)) for name in NAMES[:5]}
        before = {name: chance.randint(0, 4) for name in NAMES}
        got = assign_by_preference(NAMES, SIX, papers, before)
        assert sorted(got.values()) == sorted(SIX)
        costs = [
            sum((before[n] + places_lost(papers.get(n, ()), f)) ** 2 for n, f in zip(NAMES, those, strict=True))
            for those in itertools.permutations(SIX)
        ]
        assert sum((before[n] + places_lost(papers.get(n, ()), f)) ** 2 for n, f in got.items()) == min(costs)


def test_a_faction_wanted_by_one_alone_goes_to_them() -> None:
    papers = {"bob": read_preferences("guild, *", SIX), "cid": read_preferences("fremen, *", SIX)}
    got = assign_by_preference(NAMES, SIX, papers)
    assert (got["bob"], got["cid"]) == ("guild", "fremen")


def test_whose_wish_was_granted_pays_in_the_next_round() -> None:
    papers = {name: read_preferences("guild, fremen, *", SIX) for name in NAMES[:3]}
    lost: Counter[str] = Counter()
    got = []
    for _ in range(2):
        got.append(assign_by_preference(NAMES[:3], SIX, papers, lost))
        lost.update({name: places_lost(papers[name], faction) for name, faction in got[-1].items()})
    assert got[0] == {"ann": "guild", "bob": "fremen", "cid": "atreides"}
    assert got[1] == {"ann": "atreides", "bob": "fremen", "cid": "guild"}
    assert set(lost.values()) == {2}


@pytest.mark.parametrize("size", [2, 3, 4, 5, 6])
@pytest.mark.parametrize("spare", [0, 1, 3, 6])
def test_two_cards_can_be_kept_so_that_all_have_one(size: int, spare: int) -> None:
    factions = [*SIX, *(f"another-{n}" for n in range(6))][: size + spare]
    chance = random.Random(size)
    for number in range(40):
        offers = offer_cards(NAMES[:size], factions, f"seed {number}", "round 1/two cards/1")
        assert all(len(set(offer)) == 2 for offer in offers.values())
        papers = {name: chance.choice(offers[name]) for name in NAMES[:size] if chance.random() < 0.8}
        got = assign_kept_cards(NAMES[:size], offers, papers)
        assert len(set(got.values())) == size
        assert all(got[name] in offers[name] for name in got)
        if spare >= size:
            assert all(got[name] == faction for name, faction in papers.items())


@pytest.mark.parametrize(("players", "factions"), [(1, 6), (6, 5), (0, 0)])
def test_two_cards_are_offered_to_two_players_at_least_with_a_faction_for_each(players: int, factions: int) -> None:
    with pytest.raises(ValueError, match="at least two players, and a faction for each"):
        offer_cards(NAMES[:players], SIX[:factions], "seed", "label")


def test_where_not_everybody_can_have_a_faction_nothing_is_assigned() -> None:
    costs = {"ann": {SIX[0]: 1}, "bob": {SIX[0]: 1}}
    with pytest.raises(ValueError, match="cannot be assigned to all players"):
        cheapest_assignment(["ann", "bob"], SIX, costs)
    assert cheapest_assignment(["ann", "bob"], SIX, costs | {"bob": {SIX[0]: 0, SIX[1]: 9}}) == {
        "ann": SIX[0],
        "bob": SIX[1],
    }


def test_of_two_who_keep_the_same_card_the_one_drawn_first_has_it() -> None:
    offers = {"ann": ("guild", "fremen"), "bob": ("guild", "fremen")}
    assert assign_kept_cards(["ann", "bob"], offers, {"ann": "guild", "bob": "guild"}) == {
        "ann": "guild",
        "bob": "fremen",
    }
    assert assign_kept_cards(["bob", "ann"], offers, {"ann": "guild", "bob": "guild"}) == {
        "ann": "fremen",
        "bob": "guild",
    }
    assert assign_kept_cards(["ann", "bob"], offers, {"bob": "guild"}) == {"ann": "fremen", "bob": "guild"}


def test_the_cards_are_the_same_in_whatever_order_entrants_were_typed() -> None:
    assert offer_cards(NAMES, SIX, "s", "l") == offer_cards(NAMES[::-1], SIX[::-1], "s", "l")
    assert offer_cards(NAMES, SIX, "s", "l") != offer_cards(NAMES, SIX, "t", "l")


def test_only_an_offered_card_can_be_kept() -> None:
    assert read_choice("Guild", ("guild", "fremen")) == "guild"
    with pytest.raises(PaperRefused, match="Fremen"):
        read_choice("emperor", ("guild", "fremen"))


FACTIONS = {"E001": "emperor", "E002": "fremen", "E003": "guild"}
SPICE = {"emperor": 10, "fremen": 3, "guild": 5}


def test_a_swap_is_made_when_both_say_the_same() -> None:
    asked = Trade("E001", "E003", 2)
    assert make_trades(FACTIONS, SPICE, [asked]).made == ()
    done = make_trades(FACTIONS, SPICE, [asked, Trade("E003", "E001", 2), asked.answer])
    assert done.made == (asked.answer,)
    assert done.factions == {"E001": "guild", "E002": "fremen", "E003": "emperor"}
    assert done.spice == {"emperor": 12, "fremen": 3, "guild": 3}


def test_nobody_pays_more_than_there_is() -> None:
    assert trade_refusal(Trade("E001", "E002", 4), FACTIONS, SPICE)
    assert not trade_refusal(Trade("E001", "E002", 3), FACTIONS, SPICE)
    assert trade_refusal(Trade("E002", "E001", -4), FACTIONS, SPICE)
    papers = [Trade("E001", "E002", 4), Trade("E002", "E001", -4)]
    assert make_trades(FACTIONS, SPICE, papers).made == ()
    spice = sum(make_trades(FACTIONS, SPICE, papers).spice.values())
    assert spice == sum(SPICE.values())


@pytest.mark.parametrize("paper", [Trade("E001", "E001"), Trade("E001", "E009"), Trade("E009", "E001")])
def test_a_faction_is_traded_between_two_players_of_one_table(paper: Trade) -> None:
    assert trade_refusal(paper, FACTIONS, SPICE) == "You can trade factions only with another player at your table."
    assert make_trades(FACTIONS, SPICE, [paper, paper.answer]).made == ()


def test_after_a_swap_the_open_papers_of_both_are_void() -> None:
    papers = [Trade("E001", "E002"), Trade("E001", "E003"), Trade("E003", "E001"), Trade("E002", "E001")]
    assert make_trades(FACTIONS, SPICE, papers).made == (Trade("E003", "E001"),)


@pytest.mark.parametrize(
    ("text", "pays"),
    [("E003", 0), ("with guild", 0), ("with the Guild paying 2", 2), ("e003 getting 2 spice", -2), ("G for 2.", -2)],
)
def test_a_trade_is_read(text: str, pays: int) -> None:
    assert read_trade(text, "E001", FACTIONS) == Trade("E001", "E003", pays)


@pytest.mark.parametrize("text", ["", "E001", "emperor", "E009", "harkonnen", "guild paying much", "guild paying -1"])
def test_a_trade_that_cannot_be_is_refused(text: str) -> None:
    with pytest.raises(PaperRefused):
        read_trade(text, "E001", FACTIONS)
