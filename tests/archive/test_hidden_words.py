"""Tests that a record stores a digest for the words of an offer and restores the words once the deal is made."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest
from msgspec.structs import replace

from bot.record.lines import HIDDEN_WORDS, MadeDeal, Words, made_deals, restore_words
from rules.engine.log import Entry, Submitted, Withdrawn
from rules.orders import Bid, Deal
from rules.state.events import Event

KEY = bytes(range(32))
OFFER = Deal("fremen", "no  attack\nin turn 4", 3)
DIGEST = Words(KEY).hidden("guild", "fremen", "no attack in turn 4")
HIDES = replace(OFFER, text=DIGEST)


def test_words_are_hidden_by_the_key_of_the_game_and_by_who_offers_them_to_whom() -> None:
    assert HIDDEN_WORDS.fullmatch(DIGEST)
    others = {
        Words(bytes(32)).hidden("guild", "fremen", "no attack in turn 4"),
        Words(KEY).hidden("fremen", "guild", "no attack in turn 4"),
        Words(KEY).hidden("guild", "emperor", "no attack in turn 4"),
        Words(KEY).hidden("guild", "fremen", "no attack in turn 5"),
    }
    assert len(others | {DIGEST}) == 5
    assert Words(KEY).hidden("guild", "fremen", " no attack\tin turn 4 ") == DIGEST
    assert Words(KEY).hidden("guild", "fremen", " \n ") == ""
    assert Words(KEY).hidden("guild", "fremen", DIGEST) == DIGEST


def test_without_a_key_only_the_words_of_deals_that_were_made_are_hidden() -> None:
    words = Words(known={DIGEST: MadeDeal("guild", "fremen", "no attack in turn 4")})
    assert words.hidden("guild", "fremen", "no attack in turn 4") == DIGEST
    assert words.hidden("fremen", "guild", "no attack in turn 4") == "no attack in turn 4"
    assert Words().hidden("guild", "fremen", "peace,  now") == "peace, now"


@pytest.mark.parametrize(
    ("entry", "hidden"),
    [
        (Submitted("guild", (Bid(2), OFFER)), Submitted("guild", (Bid(2), HIDES))),
        (Submitted("guild", (Bid(2),)), Submitted("guild", (Bid(2),))),
        (Withdrawn("guild", OFFER), Withdrawn("guild", HIDES)),
        (Withdrawn("guild", Bid(2)), Withdrawn("guild", Bid(2))),
        (Withdrawn("guild"), Withdrawn("guild")),
    ],
)
def test_an_offer_that_is_sent_or_taken_back_is_kept_without_its_words(entry: Entry, hidden: Entry) -> None:
    """An offer without visible text is stored as it was sent."""
    assert Words(KEY).entry(entry) == hidden
    assert Words().entry(entry) == entry
    assert restore_words(hidden, {}) == hidden
    made = {DIGEST: MadeDeal("guild", "fremen", OFFER.text)}
    assert restore_words(hidden, made) == entry
    assert Words(KEY).entry(Submitted("guild", (replace(OFFER, text=" "),))) == Submitted(
        "guild", (replace(OFFER, text=" "),)
    )


def told(kind: str, **facts: Any) -> Event:
    return Event(7, 1, "bidding", kind, facts)


def test_the_event_of_a_deal_that_was_made_has_its_words_and_what_stood_for_them() -> None:
    facts = {"parties": ["guild", "fremen"], "text": "no attack in turn 4"}
    line = Words(KEY).told(told("deal-made", **facts))
    assert (line.words, line.event.facts) == (DIGEST, facts)
    assert made_deals([line]) == {DIGEST: MadeDeal("guild", "fremen", "no attack in turn 4")}
    plain = Words().told(told("deal-made", **facts))
    assert (plain.words, plain.event.facts) == (msgspec.UNSET, facts)
    assert made_deals([plain]) == {}


def test_the_event_of_an_offer_has_no_words_and_other_events_are_as_they_were() -> None:
    offer = told("offer-made", what="deal", giver="guild", receiver="fremen", text="no attack in turn 4", i_pay=3)
    line = Words(KEY).told(offer)
    assert (line.words, line.event.facts) == (msgspec.UNSET, {**offer.facts, "text": DIGEST})
    gift = told("offer-made", what="gift", giver="guild", receiver="fremen", text="for you")
    assert Words(KEY).told(gift).event == gift
