"""Tests for whole battle plans in plain words, including plans that omit or repeat something."""

from __future__ import annotations

import pytest

from bot.language.mail_lines import read_any
from bot.language.orders import Unread
from tests.orders.plain.judging import context, read


@pytest.mark.parametrize(("line", "plan"), [
    ("dial 3, feyd, 2 spice", "plan dial 3 spice 2 leader Feyd-Rautha"),
    ("feyd dials 3 paying 2", "plan dial 3 spice 2 leader Feyd-Rautha"),
    ("feyd dials 3, pay for 2", "plan dial 3 spice 2 leader Feyd-Rautha"),
    ("feyd, 3 troops and 2 spice", "plan dial 3 spice 2 leader Feyd-Rautha"),
    ("pay 3 troops, feyd", "plan dial 3 leader Feyd-Rautha"),
    ("for 2 feyd dials 3", ""),
    ("feyd dials 3 with chaum", ""),
    ("spend 2, feyd, dial 3", "plan dial 3 spice 2 leader Feyd-Rautha"),
    ("feyd 3 spice 2", "plan dial 3 spice 2 leader Feyd-Rautha"),
    ("feyd dials 2.5 with 2.5 spice", ""),
    ("feyd dial 3 2 spice 1 spice", ""),
    ("feyd dials 3 dial 4", ""),
    ("feyd", ""),
    ("dial 3", ""),
    ("feyd and piter dial 3", ""),
    ("feyd dials 3, no leader", ""),
    ("1st feyd dials 3", ""),
    ("feyd dials 3, lasgun, shield", "plan dial 3 leader Feyd-Rautha weapon Lasgun defense Shield"),
    ("feyd dials 3, lasgun and crysknife", ""),
    ("feyd dials 3, shield and snooper", ""),
    ("feyd dials 3, all my spice", "plan dial 3 spice 6 leader Feyd-Rautha"),
    ("feyd dials 3 with lasgun, no defense", "plan dial 3 leader Feyd-Rautha weapon Lasgun"),
    ("dial 3 feyd with baliset", "plan dial 3 leader Feyd-Rautha weapon Baliset"),
    ("dial 3 feyd with kulon, baliset and jubba cloak", ""),
    ("feyd dial 3 lasgun baliset", "plan dial 3 leader Feyd-Rautha weapon Lasgun defense Baliset"),
    ("feyd dials 3 and 2 with lasgun", ""),
    ("dial 3 feyd karama", ""),
    ("feyd 2 tokens", "plan dial 2 leader Feyd-Rautha"),
])  # fmt: skip
def test_a_plan_is_read_with_all_that_is_said_or_not_at_all(line: str, plan: str) -> None:
    assert read("plan-harkonnen", "harkonnen", line) in ((f"taken {plan}", f"proposed {plan}") if plan else ("unread",))


@pytest.mark.parametrize(("line", "verdict"), [
    ("dial 3, feyd, 2 spice, no cards", "taken"), ("3 / Feyd / lasgun / shield", "taken"),
    ("Feyd-Rautha dials 2 fully supported", "taken"),
    ("feyd dials 3, all my spice", "proposed"), ("pay 3 troops, feyd", "proposed"),
])  # fmt: skip
def test_a_plan_is_taken_if_nothing_of_it_is_guessed_and_its_cards_are_held(line: str, verdict: str) -> None:
    assert read("plan-harkonnen", "harkonnen", line).startswith(verdict)


@pytest.mark.parametrize(("line", "plan", "why"), [
    ("nobody dials 3", "plan dial 3 leader none", "leader"),
    ("dial 0 nobody", "plan dial 0 leader none", "leader"),
    ("cheap hero dials 2", "plan dial 2 leader cheap hero", "You hold no cheap hero."),
    ("feyd dials 3 with chaumas", "plan dial 3 leader Feyd-Rautha weapon Chaumas", "You do not hold Chaumas."),
    ("dial 3 feyd with kulon and baliset", "plan dial 3 leader Feyd-Rautha weapon Kulon defense Baliset", "Kulon"),
    ("I think stilgar dials 2 with gom jabbar", "plan dial 2 leader Stilgar weapon Gom Jabbar", "Gom Jabbar"),
])  # fmt: skip
def test_a_plan_that_cannot_be_fought_is_asked_about_and_not_proposed(line: str, plan: str, why: str) -> None:
    answer = read_any(line, context("plan-harkonnen", "harkonnen"))
    assert isinstance(answer, Unread)
    assert not answer.suggestions
    assert f"“{plan}”" in answer.reason
    assert why in answer.reason


def test_half_a_plan_is_filled_in_with_both_cards_or_with_none() -> None:
    held = read_any("lasgun, shield", context("plan-harkonnen", "harkonnen"))
    assert isinstance(held, Unread)
    assert "weapon Lasgun defense Shield" in held.reason
    for line in ("gom jabbar, shield", "las, gom jabbar", "stilgar and lasgun"):
        assert read("plan-harkonnen", "harkonnen", line) == "unread"
