"""Corrections of a position keep the books as the rules do."""

from __future__ import annotations

import pytest

from rules.components import Card, Faction, Leader
from rules.engine import corrections
from rules.engine.corrections import CardCorrected
from rules.views import view
from tests.rules.stage import at

STILGAR = Leader("Stilgar")


@pytest.mark.parametrize("status", ["dead", "alive"])
def test_where_a_leader_stands_is_known_to_all_once_it_is_corrected(status: str) -> None:
    """Even if they had been killed face down, so that only two knew who it was (FAQ.HARKONNEN.5)."""
    play = at("revival", "gf9-advanced", faction={"harkonnen": {}, "fremen": {}, "emperor": {}})
    standing = play.state.leaders[STILGAR]
    standing.status, standing.deaths, standing.seen_by = "face-down", 2, ("harkonnen", "fremen")
    assert view(play, "emperor")["players"]["fremen"]["leaders"][STILGAR] == "ready"
    play.correct([corrections.read(f"leader Stilgar {status}")])
    shown = "dead" if status == "dead" else "ready"
    for viewer in ("emperor", "harkonnen", "public"):
        assert view(play, viewer)["players"]["fremen"]["leaders"][STILGAR] == shown
    assert play.state.leaders[STILGAR].seen_by == ()


@pytest.mark.parametrize("faction", ["guild", "ixians"])
def test_of_a_card_corrected_its_holders_alone_are_told(faction: Faction) -> None:
    """In every game they may hold cards behind a shield, those of an expansion too."""
    for source, to in ((faction, "deck"), ("deck", faction)):
        correction = CardCorrected(Card("Karama"), source, to)
        assert corrections.owners(correction) == (faction,)
        assert corrections.looks_behind_shields(correction)
    assert corrections.looks_behind_shields(CardCorrected(Card("Karama"), "discard", faction))
