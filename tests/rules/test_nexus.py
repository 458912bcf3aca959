"""The nexus where a ruling cannot look: what is held for one that may still come."""

from __future__ import annotations

import pytest

from rules.orders import Ally
from tests.rules.stage import at, until


@pytest.mark.clause("AH.XII.D", "FAQ.ADV-KARAMA.3")
@pytest.mark.parametrize(
    ("ruleset", "status", "told_why"),
    [
        ("gf9-advanced", "held", None),
        ("wbc-2018", "refused", "Alliances change at a nexus only, and none comes any more this turn."),
    ],
)
def test_once_all_spice_has_blown_a_nexus_can_come_only_with_a_worm_that_the_fremen_call(
    ruleset: str, status: str, told_why: str | None
) -> None:
    deck = ["Hagga Basin", "Old Gap", "Red Chasm"]
    play = at("spice", ruleset, storm=3, factions=["guild", "emperor", "fremen"], spice_deck=deck)
    until(play, "karama-window")  # before the first card is turned, too
    assert play.check("guild", Ally("emperor")).status == "held"
    play.expire()
    assert {question.facts["why"] for question in until(play, "karama-window")} == {"fremen-worm"}
    outcome = play.check("guild", Ally("emperor"))
    assert outcome.status == status
    assert (outcome.refusal and outcome.refusal.reason) == told_why
