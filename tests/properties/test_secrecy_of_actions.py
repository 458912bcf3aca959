"""Tests for players' secret actions, and for what they learn by trying (timing model section 0.3; L1 to L7).

``tests.properties.secrecy`` holds the random part; each leak that it or a reader has found has its own test here.
"""

from itertools import islice
from typing import Any

import pytest

from bot.lab.soak import setting
from rules.components import Faction, Leader
from rules.components.chance import Chance
from rules.engine.log import Outcome
from rules.engine.play import Play
from rules.orders import Accept, Bid, Deal, EmperorGives, Give, Karama, Order, Support
from rules.positions.position import position
from rules.rulesets.ruleset import RULE_SETS
from tests.properties import secrecy
from tests.properties.secrecy import attack, watch
from tests.properties.twins import Leak
from tests.size import SLOW, size

SEATS: tuple[Faction, ...] = ("emperor", "fremen", "guild", "harkonnen")


def at(phase: str, ruleset: str = "wbc-2018", **start: Any) -> Play:
    """Return a game at the first stop of a phase; the order is Emperor, Fremen, Guild, Harkonnen."""
    given = {"turn": 4, "storm": 3, "dots": dict(zip(SEATS, (5, 8, 11, 14), strict=True)), "factions": list(SEATS)}
    play = position({"ruleset": ruleset, "start": {"phase": phase, **given, **start}}).play()
    play.begin_phase(play.state.phase)
    play.settle()
    return play


def say(play: Play, faction: Faction, order: Order) -> Outcome:
    return play.submit(faction, [order])[0]


@pytest.mark.parametrize("ruleset", RULE_SETS)
@pytest.mark.parametrize("late", [False, True])
def test_what_a_player_does_in_secret_is_noticed_by_nobody_else(ruleset: str, late: bool) -> None:
    players = 6 if late else 4
    game = setting(ruleset, f"deeds {players}", players, late=late)
    found = [name for name in islice(watch(game, Chance(game.seed, {}), 20), size(45, 200)) if name]
    assert [name for name in found if name.startswith("LEAK")] == []
    assert len(set(found)) > 8


@pytest.mark.skipif(not SLOW, reason="MENTAT_SLOW=1 compares two thousand pairs by each rule set")
@pytest.mark.parametrize("ruleset", RULE_SETS)
def test_no_pair_of_many_can_be_told_apart(ruleset: str) -> None:
    assert secrecy.hunt(ruleset, 2000) == 0


def test_a_deed_that_tells_would_be_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    game = setting("wbc-2018", "tells", 6)
    play = game.start()
    bold = secrecy.Secret("speaks up", "bene-gesserit", play.questions()[0].samples()[0], ("bene-gesserit",))
    monkeypatch.setattr(secrecy, "secrets", lambda play, chance: [bold])
    with pytest.raises(Leak, match="speaks up, accepted: to"):
        attack(game, play, Chance("tells", {}))


@pytest.mark.clause("AH.XIII.C-a", "WBC.MISC.5")
@pytest.mark.parametrize("order", [Deal("harkonnen", "Peace", 1, 0), EmperorGives(1, "harkonnen")])
def test_an_offer_made_in_a_reaction_window_does_not_open_it_anew(order: Order) -> None:
    stops = []
    for offered in (False, True):
        play = at(
            "spice", faction={"emperor": {"spice": 5}}, alliances=[["emperor", "harkonnen"]], spice_deck=["Red Chasm"]
        )
        assert {question.kind for question in play.questions()} == {"karama-window"}
        if offered:
            assert say(play, "emperor", order).status == "accepted"
            assert [q.faction for q in play.questions() if q.kind == "offer"] == ["harkonnen"]
        play.expire([question.key for question in play.questions() if question.kind == "karama-window"])
        stops.append(play.stop_name)
    assert stops[0] == stops[1]


@pytest.mark.clause("WBC.MISC.4")
def test_a_gift_that_is_promised_and_not_accepted_keeps_nobody_waiting() -> None:
    play = at("collection", faction={"guild": {"spice": 5}})
    say(play, "guild", Give(3, "harkonnen"))
    assert [(q.faction, q.kind) for q in play.questions() if q.kind == "offer"] == [("harkonnen", "offer")]
    play.expire()
    assert play.phase_over


@pytest.mark.clause("WBC.MISC.4")
def test_who_thinks_better_of_a_gift_is_asked_for_no_other_by_mistake() -> None:
    play = at("collection", faction={"guild": {"spice": 5}})
    say(play, "guild", Give(3, "harkonnen"))
    say(play, "harkonnen", Accept())
    say(play, "guild", Give(5, "harkonnen"))
    assert [q.facts["amount"] for q in play.questions() if q.kind == "offer"] == [5]
    play.expire()
    assert play.state.players["harkonnen"].spice == 0


@pytest.mark.clause("AH.XIII.C-c", "AH.XIII.A-a")
def test_who_is_offered_spice_does_not_see_whether_the_giver_still_has_it() -> None:
    play = at("bidding", "ah-basic", faction={"guild": {"spice": 5}}, treachery_deck=["Gom Jabbar"])
    say(play, "guild", Deal("harkonnen", "Peace", 5, 0))
    offer = next(q for q in play.questions() if q.kind == "offer")
    before = (play.check("harkonnen", Accept()), list(offer.samples()))
    say(play, "guild", Deal("fremen", "Peace", 4, 0))
    say(play, "fremen", Accept())
    assert play.state.players["guild"].spice == 1
    offer = next(q for q in play.questions() if q.kind == "offer")
    assert (play.check("harkonnen", Accept()), list(offer.samples())) == before
    say(play, "harkonnen", Accept())
    (failed,) = (event for event in play.events if event.kind == "offer-failed")
    assert failed.audience == ("guild", "harkonnen")
    assert play.state.players["guild"].spice == 1


@pytest.mark.clause("AH.XII.E.3", "AH.XIII.A-a")
@pytest.mark.parametrize("order", [Support(1), Support(3), EmperorGives(2, "fremen")])
def test_an_ally_does_not_learn_by_trying_what_the_bidder_has(order: Order) -> None:
    """The Guild bid 5, of which the Emperor pledged 4. The Guild have 1, or 5, or a Karama to pay with."""
    tried = []
    for spice, hand in ((1, []), (5, []), (1, ["Karama"])):
        guild = {"spice": spice, "hand": hand}
        rich = {"emperor": {"spice": 6}, "guild": guild, "harkonnen": {"spice": 9}}
        deck = ["Gom Jabbar", "Shield", "Hajr", "Kulon"]
        play = at("bidding", faction=rich, alliances=[["emperor", "guild"]], treachery_deck=deck)
        say(play, "emperor", Support(4))
        while not any((q.faction, q.kind) == ("guild", "bid") for q in play.questions()):
            play.expire([q.key for q in play.questions() if q.kind == "bid"])
        say(play, "guild", Bid(5, karama=bool(hand)))
        tried.append(play.check("emperor", order))
    assert tried[0] == tried[1] == tried[2]


@pytest.mark.clause("AH.XIII.B", "AH.SHIELD.HAR.KARAMA-a")
def test_harkonnen_do_not_learn_by_trying_how_many_cards_somebody_holds() -> None:
    own = {"hand": ["Karama", "Kulon", "Shield", "Snooper", "Hajr"]}
    for number in range(1, 6):
        order = Karama("take cards", faction="guild", number=number)
        told = []
        for hand in (["Gom Jabbar"], ["Gom Jabbar", "Chaumas", "Lasgun"]):
            play = at("revival", faction={"harkonnen": own, "guild": {"hand": hand}})
            told.append(play.check("harkonnen", order))
        assert told[0] == told[1]
    assert told[0].refusal is not None
    play = at("revival", faction={"harkonnen": own, "guild": {"hand": ["Gom Jabbar"]}})
    say(play, "harkonnen", Karama("take cards", faction="guild", number=3))
    play.expire()
    assert [event.facts["number"] for event in play.events if event.kind == "cards-taken"] == [1]


@pytest.mark.clause("AH.IX.D.5", "AH.SHIELD.HAR.3-b")
@pytest.mark.parametrize("captive", ["Stilgar", "Chani"])
def test_who_is_captive_does_not_decide_whether_a_leader_is_offered_back(captive: str) -> None:
    """Stilgar came back once, and Chani never died. Without Chani, all dead leaders have died as often as Stilgar."""
    play = at("movement", faction={"fremen": {"spice": 9}, "harkonnen": {"captured": {captive: "fremen"}}})
    state = play.state
    state.leader_revivals = ["fremen"]
    for name, deaths in (("Stilgar", 1), ("Otheym", 1), ("Shadout Mapes", 1), ("Jamis", 1)):
        state.leaders[Leader(name)].deaths = deaths
        state.leaders[Leader(name)].status = "ready" if name == "Stilgar" else "dead"
    asked: set[tuple[str, str]] = set()
    while play.questions():
        asked.update((q.faction, q.kind) for q in play.questions())
        play.expire()
    assert ("fremen", "revival") in asked
