"""Tests for answers in the 2019 edition beyond the rulings: what each player is shown."""

from __future__ import annotations

from typing import Any

import pytest

from rules.chapters.bidding import auction_of
from rules.components import Faction
from rules.engine.play import Play
from rules.orders import Bid, Capture, Karama, KaramaEffect, Plan
from rules.views import known
from tests.rules.stage import at, say, silence, told, until


def shown(play: Play, kind: str, viewer: Faction, fact: str) -> list[Any]:
    """Return what the viewer was shown in each event of this kind; None means nothing."""
    return [event.seen_by(viewer).get(fact) if event.visible_to(viewer) else None for event in told(play, kind)]


@pytest.mark.clause("FAQ.ATREIDES.2")
def test_with_two_blows_atreides_look_at_the_first_card_only() -> None:
    play = at("revival", "gf9-advanced", factions=["atreides", "guild"], spice_deck=["Red Chasm", "Old Gap"])
    silence(play)
    assert shown(play, "spice-card-seen", "atreides", "card") == ["Red Chasm"]
    assert shown(play, "spice-card-seen", "guild", "card") == [None]


@pytest.mark.clause("FAQ.KARAMA-ATR.1", "FAQ.KARAMA.6")
def test_a_karama_hides_the_next_card_up_and_no_other() -> None:
    cards = ["Stunner", "Shield", "Lasgun"]
    play = at(
        "charity",
        "gf9-basic",
        factions=["atreides", "fremen", "guild"],
        treachery_deck=cards,
        faction={name: {"spice": 9} for name in ("atreides", "guild")} | {"fremen": {"hand": ["Karama"], "spice": 9}},
    )
    say(play, "fremen", Karama("block bidding cards"))
    silence(play)
    play.advance()
    while len(told(play, "card-up")) < 3:
        [bidder] = until(play, "bid")
        if auction_of(play.game).top is None:
            say(play, bidder.faction, Bid(1))
        else:
            play.expire()
    assert shown(play, "card-up", "atreides", "card") == [None, *cards[1:]]
    assert shown(play, "card-up", "guild", "card") == [None] * 3


@pytest.mark.clause("FAQ.KARAMA-ATR.2")
def test_a_karama_before_the_look_shows_atreides_no_spice_card() -> None:
    effect: KaramaEffect = "block spice card"
    hands = {"guild": {"hand": ["Karama"]}}
    play = at("revival", "gf9-basic", factions=["atreides", "guild"], spice_deck=["Red Chasm"], faction=hands)
    say(play, "guild", Karama(effect))
    silence(play)
    assert told(play, "spice-card-seen") == []


def with_captive(choice: Any) -> Play:
    """Let Harkonnen beat the Fremen, whose only living leader is Stilgar, and do this with the captive."""
    dead = ["Chani", "Otheym", "Shadout Mapes", "Jamis"]
    play = at(
        "battle",
        "gf9-advanced",
        storm=14,
        factions=["fremen", "guild", "harkonnen"],
        faction={
            "fremen": {"forces": {"pasty-mesa/6": "1"}, "dead_leaders": dead},
            "harkonnen": {"forces": {"pasty-mesa/6": "9"}, "spice": 9},
        },
    )
    until(play, "battle-plan")
    say(play, "harkonnen", Plan(9, "Feyd-Rautha", spice=9))
    [question] = until(play, "capture")
    assert question.facts["leader"] == "Stilgar"
    say(play, "harkonnen", Capture(choice))
    silence(play)
    return play


@pytest.mark.clause("FAQ.HARKONNEN.1", "FAQ.HARKONNEN.2")
def test_who_was_captured_is_told_to_captor_and_owner_before_the_choice() -> None:
    play = with_captive("keep")
    for kind in ("captive-drawn", "leader-captured"):
        seen = [shown(play, kind, viewer, "leader") for viewer in ("fremen", "harkonnen", "guild")]
        assert seen == [["Stilgar"], ["Stilgar"], [None]]
        assert shown(play, kind, "guild", "loser") == ["fremen"]


@pytest.mark.clause("FAQ.HARKONNEN.5")
def test_a_killed_captive_is_named_to_captor_and_owner_alone() -> None:
    play = with_captive("kill")
    seen = [shown(play, "captive-killed", viewer, "leader") for viewer in ("fremen", "harkonnen", "guild")]
    assert seen == [["Stilgar"], ["Stilgar"], [None]]


@pytest.mark.clause("FAQ.TRAITOR-CARDS.1")
def test_traitors_that_were_not_kept_are_shown_to_nobody_afterwards() -> None:
    drawn = ["Caid", "Chani", "Umman Kudu", "Duncan Idaho"]
    play = at(
        "setup",
        "gf9-basic",
        turn=1,
        factions=["atreides", "emperor", "fremen", "harkonnen"],
        faction={"atreides": {"dealt_traitors": drawn}},
    )
    silence(play)
    secrets = known(play, "atreides")
    assert len(secrets["traitors"]) == 1
    assert set(secrets) == {"traitors", "prediction", "captured", "next_storm"}
