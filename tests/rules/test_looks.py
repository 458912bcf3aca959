"""Tests for the cards that Atreides look at, across the end of a turn."""

import pytest

from rules.components import Card
from rules.engine.play import Play
from rules.orders import Karama, KaramaEffect
from tests.rules.stage import at, say


def seen(play: Play, kind: str) -> list[bool]:
    """For each event of this kind, return True if Atreides saw the card."""
    return [
        "atreides" in (event.private or {}) or event.audience is not None for event in play.events if event.kind == kind
    ]


@pytest.mark.clause("WBC.AID.17", "WBC.AID.18", "AH.QA.A.4")
@pytest.mark.parametrize(
    ("phase", "effect", "kind"),
    [("revival", "block spice card", "spice-card-seen"), ("bidding", "block bidding cards", "card-up")],
)
def test_atreides_look_again_in_the_turn_after_a_karama(phase: str, effect: KaramaEffect, kind: str) -> None:
    play = at(
        "charity",
        turn=3,
        factions=["atreides", "guild"],
        spice_deck=["Old Gap", "Sihaya Ridge", "Red Chasm"],
        faction={"guild": {"hand": [Card("Karama")]}},
    )
    while play.state.phase != phase:
        play.expire()
        play.advance()
    say(play, "guild", Karama(effect))
    while play.state.turn == 3:
        play.expire()
        play.advance()
    before = sum(seen(play, kind))
    while play.state.phase != "movement":
        play.expire()
        play.advance()
    assert before == (0 if phase == "revival" else 1)
    assert sum(seen(play, kind)) > before
