"""Tests for the blanks of an order filled from plain words: numbers, forces and places."""

from __future__ import annotations

import pytest

from rules.components import Faction
from tests.orders.plain.judging import read


@pytest.mark.parametrize(("position", "faction", "line", "said"), [
    ("bidding", "harkonnen", "bid 3 spice", "taken bid 3"), ("bidding", "harkonnen", "bid spice 3", "taken bid 3"),
    ("bidding", "harkonnen", "bid everything", "proposed bid 7"),
    ("bidding", "harkonnen", "bid half my spice", "unread"),
    ("bidding", "harkonnen", "raise by 1", "proposed bid 1"), ("bidding", "harkonnen", "bid 3 troops", "unread"),
    ("bidding", "harkonnen", "bid half 4", "unread"), ("bidding", "harkonnen", "bid two and a half", "unread"),
    ("bidding", "harkonnen", "bid 1st", "unread"), ("bidding", "harkonnen", "bid card 3", "unread"),
    ("bidding", "harkonnen", "turn 3 bid 4", "taken bid 4"),
    ("bidding", "harkonnen", "bid 3 for the 1st card", "taken bid 3"),
    ("bidding", "harkonnen", "bid 3 for the 2nd card", "unread"),
    ("bidding", "harkonnen", "bid space 3", "proposed bid 3"),
    ("bidding", "harkonnen", "bid sector 3", "unread"),
    ("movement", "atreides", "move 3 from arrakeen to imperial basin in the sector 9",
     "taken move 3 from Arrakeen to Imperial Basin/9"),
    ("movement", "atreides", "move 3 from arrakeen to imperial basin in the sector the 9", "unread"),
    ("movement", "atreides", "move 3 from arrakeen to imperial basin sector 3",
     "proposed move 3 from Arrakeen to Imperial Basin/9 | move 3 from Arrakeen to Imperial Basin/10"
     " | move 3 from Arrakeen to Imperial Basin/11"),
    ("movement", "atreides", "move 3 from arrakeen to carthag with my 4 atreides", "unread"),
    ("movement", "atreides", "3 arrakeen carthag", "taken move 3 from Arrakeen to Carthag"),
    ("movement", "atreides", "arrakeen to carthag 3 men", "taken move 3 from Arrakeen to Carthag"),
    ("movement", "atreides", "to carthag from arrakeen all", "taken move 8 from Arrakeen to Carthag"),
    ("movement", "atreides", "move the rest of arrakeen to carthag", "proposed move 8 from Arrakeen to Carthag"),
    ("movement", "atreides", "move all but 2 from arrakeen to carthag", "proposed move 6 from Arrakeen to Carthag"),
    ("movement", "atreides", "move all 8 from arrakeen to carthag", "taken move 8 from Arrakeen to Carthag"),
    ("movement", "atreides", "move all 5 from arrakeen to carthag", "proposed move 5 from Arrakeen to Carthag"),
    ("movement", "atreides", "move 3 to carthag",
     "proposed move 3 from Arrakeen to Carthag | move 3 from Imperial Basin/9 to Carthag"),
    ("movement", "atreides", "from arrakeen via carthag to arsunt with 2",
     "proposed move 2 from Arrakeen via Carthag to Arsunt/11 | move 2 from Arrakeen via Carthag to Arsunt/12"),
    ("movement", "atreides", "take 2 men out of arrakeen into the imperial basin sector 9",
     "proposed move 2 from Arrakeen to Imperial Basin/9"),
    ("movement", "atreides", "move arrakeen carthag imperial basin 2", "unread"),
    ("prediction", "bene-gesserit", "atreides in turn 3", "taken predict Atreides turn 3"),
    ("prediction", "bene-gesserit", "harkonnen 5", "taken predict Harkonnen turn 5"),
    ("prediction", "bene-gesserit", "turn 4 emperor", "taken predict Emperor turn 4"),
    ("prediction", "bene-gesserit", "emperor wins in the third turn", "taken predict Emperor turn 3"),
    ("collection", "harkonnen", "give 3 spice to the emperor", "taken give 3 spice to Emperor"),
    ("collection", "harkonnen", "3 to emperor", "taken give 3 spice to Emperor"),
])  # fmt: skip
def test_a_line_in_plain_words_becomes_the_order_that_it_can_mean(
    position: str, faction: Faction, line: str, said: str
) -> None:
    assert read(position, faction, line) == said
