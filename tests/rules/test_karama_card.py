"""Tests for which cards serve as a Karama, and where a Karama window is held."""

from __future__ import annotations

import pytest

from rules.cards.promised_acts import played_against
from rules.components import Card, Faction, Forces, leaders_of
from rules.components.board import Area, TerritoryId
from rules.decisions.catalogue import is_unseen, rules_of
from rules.decisions.early_orders import never_legal
from rules.decisions.windows import karama_cards, karama_may_exist
from rules.orders import Advise, Bid, Karama, Pass, Plan, Prescience, Ship, decode, encode
from rules.positions.position import position
from rules.rulesets.rulebook import Refusal
from rules.state.moments import SlotMoment, WormMoment
from tests.rules.stage import at, say, silence, told, until


@pytest.mark.clause("AH.SHIELD.BG.KARAMA", "AH.AID.BATTLE.7-c")
@pytest.mark.parametrize(
    ("ruleset", "options", "held"),
    [("wbc-2018", {}, True), ("wbc-2018", {"bg_worthless_as_karama": "no"}, False), ("ah-basic", {}, False)],
)
def test_windows_are_held_for_worthless_cards_only_where_they_serve(
    ruleset: str, options: dict[str, str], held: bool
) -> None:
    start = {"turn": 4, "phase": "revival", "factions": ["bene-gesserit", "guild"]}
    discarded = {"treachery_discard": ["Karama", "Karama"]}
    play = position({"ruleset": ruleset, "options": options, "start": {**start, **discarded}}).play()
    assert karama_may_exist(play.game) is held


@pytest.mark.clause("AH.SHIELD.BG.KARAMA")
def test_a_karama_for_a_purchase_is_the_card_that_was_named() -> None:
    gesserit = {"spice": 3, "hand": ["Baliset", "Karama", "Kulon"]}
    play = at(
        "bidding",
        factions=["bene-gesserit", "guild"],
        dots={"bene-gesserit": 8, "guild": 11},
        faction={"bene-gesserit": gesserit, "guild": {"spice": 3}},
        treachery_deck=["Shield", "Snooper"],
    )
    while play.questions()[0].faction != "bene-gesserit":
        say(play, "guild", Pass())
    say(play, "bene-gesserit", Bid(2))
    say(play, "bene-gesserit", Karama("free card purchase", card=Card("Kulon")))
    silence(play)
    (spent,) = told(play, "karama-played")
    assert spent.facts["card"] == "Kulon"
    assert play.state.players["bene-gesserit"].spice == 3


@pytest.mark.clause("AH.SHIELD.BG.KARAMA", "WBC.XVII.9")
@pytest.mark.parametrize(("shown", "first"), [("Baliset", "Kulon"), ("Kulon", "Baliset")])
def test_what_was_shown_to_atreides_serves_as_a_karama_last(shown: str, first: str) -> None:
    play = at(
        "battle",
        storm=7,
        factions=["atreides", "bene-gesserit"],
        dots={"atreides": 8, "bene-gesserit": 11},
        faction={
            "atreides": {"forces": {"plastic-basin/13": "4"}},
            "bene-gesserit": {"forces": {"plastic-basin/13": "4"}, "hand": ["Baliset", "Karama", "Kulon"]},
        },
    )
    until(play, "prescience")
    say(play, "atreides", Prescience("weapon"))
    until(play, "prescience-answer")
    say(play, "bene-gesserit", Plan(0, leaders_of("bene-gesserit")[0], weapon=Card(shown)))
    assert karama_cards(play.game, "bene-gesserit") == [first, "Karama", shown]


def test_a_karama_of_an_old_log_is_read_as_it_was_written() -> None:
    old = b'{"type":"Karama","effect":"cancel voice"}'
    assert decode(old) == Karama("cancel voice")
    assert encode(Karama("cancel voice")) == old


@pytest.mark.clause("WBC.AID.8")
@pytest.mark.parametrize(
    ("order", "victims"),
    [
        (Karama("cancel worm", faction="guild"), ["guild"]),
        (Karama("take cards", faction="guild", number=1), ["guild"]),
        (Karama("see plan", faction="emperor"), ["emperor"]),
        (Karama("block bidding cards"), ["atreides"]),
        (Karama("guild in turn"), ["guild"]),
        (Karama("cancel free card"), ["harkonnen"]),
        (Karama("half shipping"), []),
        (Karama("revive"), []),
    ],
)
def test_a_karama_is_played_against_the_one_whom_it_touches(order: Karama, victims: list[str]) -> None:
    play = at("revival")
    found = [other for other in play.state.players if played_against(play.game, "fremen", order, other)]
    assert found == victims


@pytest.mark.clause("FAQ.KARAMA-GUI.2")
def test_everybody_hears_what_a_karama_took_from_a_shipment() -> None:
    them = {"guild": {"spice": 9, "reserves": "8"}, "fremen": {"hand": ["Karama"]}}
    play = at(
        "movement", "gf9-basic", storm=3, factions=["fremen", "guild"], dots={"guild": 5, "fremen": 8}, faction=them
    )
    until(play, "shipment")
    say(play, "guild", Ship(Forces(4), None, Area("carthag/11")))
    until(play, "karama-window")
    say(play, "fremen", Karama("cancel half rate"))
    silence(play)
    (stopped,) = told(play, "shipping-power-stopped")
    assert stopped.seen_by("public") == {"by": "fremen", "faction": "guild", "what": "half rate"}


@pytest.mark.clause("AH.SHIELD.FRE.KARAMA-a")
@pytest.mark.parametrize(("window", "asked"), [("spice_phase", False), ("spice_or_own_move", True), ("any_time", True)])
def test_before_they_move_the_fremen_are_asked_for_a_worm_only_where_they_may_call_it_then(
    window: str, asked: bool
) -> None:
    options = {"fremen_karama_worm_window": window}
    start = {"turn": 4, "phase": "movement", "factions": ["fremen", "guild"]}
    game = position({"ruleset": "wbc-2018", "options": options, "start": start}).play().game
    assert rules_of(game, "fremen").acts_before_moving(game) is asked


@pytest.mark.clause("WBC.AID.26", "WBC.MISC.5")
def test_what_another_karama_does_while_a_worthless_one_is_up_is_done_once() -> None:
    them: dict[str, dict[str, object]] = {
        "bene-gesserit": {"hand": ["Kulon"], "reserves": "18"},
        "harkonnen": {"hand": ["Karama"]},
        "atreides": {"spice": 9, "reserves": "9"},
    }
    dots = {"atreides": 8, "harkonnen": 11, "bene-gesserit": 14}
    play = at("movement", "ah-optional", storm=6, factions=list(them), dots=dots, faction=them)
    until(play, "shipment")
    say(play, "atreides", Ship(Forces(3), None, Area("polar-sink")))
    until(play, "advisor")
    say(play, "bene-gesserit", Advise(Area("polar-sink")))
    until(play, "karama-window")
    say(play, "bene-gesserit", Karama("cancel advisor", card=Card("Kulon")))
    play.expire()
    say(play, "harkonnen", Karama("cancel advisor"))
    silence(play)
    assert [event.facts["card"] for event in told(play, "karama-played")] == ["Kulon", "Karama"]
    assert [event.facts["by"] for event in told(play, "advisor-cancelled")] == ["harkonnen"]
    assert play.state.players["bene-gesserit"].reserves == Forces(18)


@pytest.mark.clause("AH.AID.KARAMA.A.6-a")
def test_a_karama_for_the_price_is_only_meant_until_the_shipment_is_declared() -> None:
    them = {"harkonnen": {"hand": ["Karama"], "spice": 9, "reserves": "9"}, "emperor": {}}
    play = at("movement", storm=6, factions=list(them), faction=them)
    while until(play, "shipment")[0].faction != "harkonnen":
        play.expire()
    half = Karama("half shipping")
    assert is_unseen(play.game, half)
    say(play, "harkonnen", Ship(Forces(4), None, Area("carthag/11")))
    assert not is_unseen(play.game, half)


@pytest.mark.clause("AH.AID.KARAMA.A.6-a", "FAQ.KARAMA.1")
@pytest.mark.parametrize(
    ("ruleset", "shipper", "right"),
    [
        ("wbc-2018", None, True),
        ("wbc-2018", "fremen", True),
        ("wbc-2018", "guild", False),
        ("gf9-basic", "guild", True),
    ],
)
def test_for_whom_a_karama_can_halve_a_price_at_all(ruleset: str, shipper: Faction | None, right: bool) -> None:
    game = at("revival", ruleset).game
    refusal = never_legal(game, "fremen", Karama("half shipping", faction=shipper))
    if right:
        assert refusal is None
    else:
        assert refusal == Refusal("A Karama halves the price of your own shipment only.", "karama.own-shipment")


@pytest.mark.clause("WBC.AID.8")
def test_whom_a_karama_touches_may_depend_on_the_moment() -> None:
    game = at("revival").game

    def victims(order: Karama) -> list[str]:
        return [other for other in game.state.players if played_against(game, "harkonnen", order, other)]

    assert victims(Karama("cancel karama")) == victims(Karama("stop shipment")) == victims(Karama("cancel worm")) == []
    game.moments.worthless_played_by = "bene-gesserit"
    game.moments.slot = SlotMoment(mover="emperor")
    game.moments.worm = WormMoment(TerritoryId("red-chasm"), directed=True)
    assert victims(Karama("cancel karama")) == ["bene-gesserit"]
    assert victims(Karama("stop shipment")) == ["emperor"]
    assert victims(Karama("cancel worm")) == ["fremen"]
    assert victims(Karama("cancel worm", faction="guild")) == ["guild"]
