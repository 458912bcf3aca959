"""Tests for the bidding round beyond the rulings: who learns which card, what a Karama hides, and other secrets."""

from typing import Any

import pytest

from rules.components import Card, Faction
from rules.engine.play import Play
from rules.orders import Bid, BidKarama, Karama, Pass, PassAll, ReturnCards, Support
from rules.positions.position import position
from rules.state.events import Viewer
from rules.views import view
from tests.rules.stage import at, say, silence, told

THREE = ["Gom Jabbar", "Shield", "Hajr"]


def seated(phase: str, ruleset: str = "wbc-2018", **start: Any) -> Play:
    """Return a game at the first stop of a phase; factions in order of play, on dots 5, 8, 11, storm in 3."""
    factions: dict[Faction, dict[str, Any]] = start.pop("factions")
    dots = dict(zip(factions, (5, 8, 11, 14, 17, 2), strict=False))
    return at(phase, ruleset, storm=3, dots=dots, factions=list(factions), faction=factions, **start)


def cards_seen(play: Play, viewer: Viewer, kind: str) -> list[Card]:
    return [event.seen_by(viewer)["card"] for event in told(play, kind) if "card" in event.seen_by(viewer)]


def rich(*factions: Faction) -> dict[Faction, dict[str, Any]]:
    return {faction: {"spice": 9} for faction in factions}


@pytest.mark.clause("AH.SHIELD.ATR.1-a", "AH.SHIELD.ATR.1-b", "AH.VIII.B")
def test_atreides_alone_see_each_card_as_it_comes_up() -> None:
    play = seated("bidding", factions=rich("atreides", "guild", "emperor"), treachery_deck=THREE)
    say(play, "atreides", Bid(1))
    say(play, "guild", Pass())
    say(play, "emperor", Pass())
    assert cards_seen(play, "atreides", "card-up") == ["Gom Jabbar", "Shield"]
    silence(play)
    assert cards_seen(play, "atreides", "card-up") == ["Gom Jabbar", "Shield"]
    for viewer in ("guild", "emperor", "public"):
        assert cards_seen(play, viewer, "card-up") == []


@pytest.mark.clause("AH.VIII.B.2-d")
def test_only_the_buyer_learns_which_card_was_sold() -> None:
    play = seated("bidding", factions=rich("fremen", "guild", "emperor"), treachery_deck=THREE)
    say(play, "fremen", Bid(1))
    silence(play)
    assert cards_seen(play, "fremen", "card-sold") == ["Gom Jabbar"]
    assert cards_seen(play, "guild", "card-sold") == cards_seen(play, "public", "card-sold") == []
    assert told(play, "card-sold")[0].facts["price"] == 1


@pytest.mark.parametrize("ruleset", ["ah-basic", "wbc-2018"])
@pytest.mark.clause("AH.QA.A.4", "WBC.AID.18")
def test_a_karama_before_the_first_card_blinds_atreides_for_the_whole_turn(ruleset: str) -> None:
    factions = {**rich("atreides", "emperor"), "guild": {"spice": 9, "hand": ["Karama"]}}
    play = seated("charity", ruleset, factions=factions, treachery_deck=THREE)
    say(play, "guild", Karama("block bidding cards"))
    silence(play)
    play.begin_phase("bidding")
    play.settle()
    say(play, "atreides", Bid(1))
    silence(play)
    assert len(told(play, "card-up")) == 2
    assert cards_seen(play, "atreides", "card-up") == []


@pytest.mark.clause("WBC.AID.18")
def test_a_karama_between_two_cards_hides_the_rest_and_next_turn_nothing() -> None:
    factions = {**rich("atreides", "emperor"), "guild": {"spice": 9, "hand": ["Karama"]}}
    play = seated("bidding", factions=factions, treachery_deck=THREE)
    say(play, "guild", Karama("block bidding cards"))
    say(play, "atreides", Bid(1))
    silence(play)
    assert cards_seen(play, "atreides", "card-up") == ["Gom Jabbar"]
    play.state.turn += 1
    play.begin_phase("bidding")
    assert cards_seen(play, "atreides", "card-up") == ["Gom Jabbar", "Shield"]


@pytest.mark.clause("WBC.VIII.5", "WBC.VIII.7")
def test_the_free_card_is_known_to_harkonnen_alone() -> None:
    play = seated("bidding", factions=rich("harkonnen", "atreides"), treachery_deck=[*THREE[:2], "Kulon"])
    say(play, "harkonnen", Bid(1))
    silence(play)
    assert cards_seen(play, "harkonnen", "free-card") == ["Kulon"]
    assert cards_seen(play, "atreides", "free-card") == cards_seen(play, "public", "free-card") == []
    assert view(play, "harkonnen")["players"]["harkonnen"]["hand"] == ["Gom Jabbar", "Kulon"]


@pytest.mark.clause("WBC.VIII.16", "AH.AID.KARAMA.A.5-a")
def test_nobody_sees_that_a_bid_means_to_pay_by_karama() -> None:
    factions = {**rich("emperor", "fremen"), "guild": {"spice": 1, "hand": ["Karama"]}}
    bids = []
    for order in (Bid(5, karama=True), Bid(5)):
        factions["guild"]["spice"] = 1 if order.karama else 9
        play = seated("bidding", factions=factions, treachery_deck=THREE)
        say(play, "emperor", Bid(1))
        say(play, "fremen", Pass())
        say(play, "guild", order)
        bids.append([(event.kind, event.facts) for event in play.events])
        assert play.questions()[0].facts["top"] == 5
    assert bids[0] == bids[1]


@pytest.mark.clause("AH.III.C-c")
def test_a_deck_that_runs_out_while_the_cards_are_dealt_is_restocked() -> None:
    discards = ["Kulon", "Baliset", "Lasgun", "Snooper", "Stunner", "Chaumas", "Karama", "Slip-Tip", "Crysknife"]
    document = {"start": {"turn": 4, "phase": "bidding", "factions": ["atreides", "emperor", "fremen", "guild"]}}
    play = position(document).play()
    play.state.treachery_deck = [Card("Gom Jabbar"), Card("Shield")]
    play.state.treachery_discard = [Card(card) for card in discards]
    play.begin_phase("bidding")
    auction = play.game.moments.auction
    assert auction is not None
    assert auction.cards[:2] == ["Gom Jabbar", "Shield"]
    assert len(auction.cards) == 4
    assert sorted(auction.cards[2:] + play.state.treachery_deck) == sorted(discards)
    assert play.state.treachery_discard == []


@pytest.mark.clause("AH.VIII.F")
def test_the_number_of_cards_of_each_is_told_when_the_bidding_begins() -> None:
    factions = {**rich("emperor", "fremen"), "guild": {"spice": 1, "hand": ["Karama", "Kulon"]}}
    play = seated("bidding", factions=factions, treachery_deck=THREE)
    (event,) = told(play, "bidding-begins")
    assert event.facts == {"cards": 3, "hands": {"emperor": 0, "fremen": 0, "guild": 2}}


@pytest.mark.clause("AH.XII.E.3")
def test_nobody_waits_for_an_allys_pledge_and_nobody_else_sees_it() -> None:
    factions = {**rich("guild", "emperor", "harkonnen"), "fremen": {"spice": 6}}
    play = seated("bidding", factions=factions, alliances=[["fremen", "guild"]], treachery_deck=THREE)
    assert {q.kind for q in play.questions()} == {"bid", "ally-support"}
    say(play, "fremen", Support(4))
    say(play, "guild", Bid(11))
    assert [q.faction for q in play.questions()] == ["emperor"]
    silence(play)
    (sale,) = [event for event in told(play, "card-sold") if event.facts["buyer"] == "guild"]
    assert sale.private["fremen"] == {"helped": 2}
    assert "helped" not in sale.seen_by("emperor")
    assert "own_share" not in sale.seen_by("emperor")


@pytest.mark.clause("WBC.XVII.3", "WBC.XVII.4", "WBC.MISC.3")
def test_stolen_cards_are_drawn_by_chance_and_known_to_the_two_only() -> None:
    drawn = set()
    for seed in ("a", "b", "c", "d", "e", "f"):
        factions = {
            "harkonnen": {"spice": 5, "hand": ["Karama", "Kulon", "Shield"]},
            "guild": {"spice": 5, "hand": ["Lasgun", "Hajr", "Baliset"]},
            "emperor": {"spice": 5},
        }
        play = seated("bidding", factions=factions, treachery_deck=["Stunner"], rng=seed)
        say(play, "harkonnen", Karama("take cards", faction="guild", number=1))
        (taken,) = told(play, "cards-taken")
        assert taken.private["harkonnen"] == taken.private["guild"]
        assert "cards" not in taken.seen_by("emperor")
        drawn.add(taken.private["guild"]["cards"][0])
        say(play, "harkonnen", ReturnCards((Card("Kulon"),)))
        (returned,) = told(play, "cards-given-back")
        assert returned.seen_by("guild")["cards"] == ["Kulon"]
        assert "cards" not in returned.seen_by("public")
    assert len(drawn) > 1


@pytest.mark.clause("WBC.XVII.2", "WBC.AID.5")
def test_nothing_comes_between_the_steps_of_a_theft() -> None:
    factions = {
        "harkonnen": {"spice": 5, "hand": ["Karama", "Kulon"]},
        "guild": {"spice": 5, "hand": ["Lasgun", "Karama"]},
        "emperor": {"spice": 5},
    }
    play = seated("bidding", factions=factions, treachery_deck=["Stunner"])
    say(play, "harkonnen", Karama("take cards", faction="guild", number=1))
    (outcome,) = play.submit("guild", [Karama("block bidding cards")])
    assert outcome.refusal is not None
    assert "until" in outcome.refusal.reason
    assert [q.kind for q in play.questions()] == ["card-return"]


@pytest.mark.clause("WBC.VIII.17")
def test_a_bid_over_everything_is_announced_as_one() -> None:
    factions = {**rich("emperor", "fremen"), "guild": {"spice": 1, "hand": ["Karama"]}}
    play = seated("bidding", factions=factions, treachery_deck=THREE)
    say(play, "emperor", Bid(1))
    say(play, "fremen", Pass())
    say(play, "guild", BidKarama())
    assert told(play, "bid")[-1].facts["amount"] is None
    assert told(play, "card-sold")[-1].facts["karama"] is True


@pytest.mark.clause("AH.VIII.H")
def test_a_pass_for_good_answers_until_the_phase_ends() -> None:
    play = seated("bidding", factions=rich("guild", "emperor"), treachery_deck=THREE)
    say(play, "guild", PassAll())
    for _ in range(2):
        say(play, "emperor", Bid(1))
    assert play.phase_over
    assert play.game.held["guild"] == [PassAll()]
    play.begin_phase("revival")
    assert play.game.held == {}


@pytest.mark.clause("AH.VIII.I-b", "AH.XIII.A-b")
def test_the_charity_stop_shows_nobody_who_is_poor() -> None:
    seen = []
    for spice in (0, 7):
        factions = {**rich("emperor", "fremen"), "guild": {"spice": spice}}
        play = seated("charity", factions=factions)
        assert [q.faction for q in play.questions()] == ["emperor", "fremen", "guild"]
        seen.append((view(play, "emperor"), [event.facts for event in play.events]))
    assert seen[0] == seen[1]


@pytest.mark.clause("AH.XII.E.3", "WBC.VIII.15")
@pytest.mark.parametrize(
    ("amount", "reason"),
    [
        (-1, "You have 5 spice, so you can support with 0 to 5."),
        (0, None),
        (5, None),
        (6, "You have 5 spice, so you can support with 0 to 5."),
    ],
)
def test_what_can_be_pledged_is_what_is_there(amount: int, reason: str | None) -> None:
    factions = {"emperor": {"spice": 5}, "guild": {"spice": 1}}
    play = seated("bidding", factions=factions, treachery_deck=THREE, alliances=[["emperor", "guild"]])
    refusal = play.check("emperor", Support(amount)).refusal
    assert (refusal and refusal.reason) == reason


@pytest.mark.clause("AH.VIII.I-a")
@pytest.mark.parametrize(("spice", "flat", "topped_up"), [(0, 2, 2), (1, 2, 1), (2, 2, 0), (3, 2, 0)])
def test_what_charity_gives_whom_it_is_for(spice: int, flat: int, topped_up: int) -> None:
    for way, due in (("flat_two", flat), ("top_up_to_two", topped_up)):
        options = {"charity_max_spice": 3, "charity_payout": way}
        start = {"phase": "charity", "factions": ["guild"], "faction": {"guild": {"spice": spice}}}
        play = position({"ruleset": "wbc-2018", "options": options, "start": start}).play()
        play.begin_phase("charity")
        play.settle()
        (question,) = play.questions()
        assert question.facts == {"spice": spice, "entitled": True, "due": due}
        play.expire()
        assert play.state.players["guild"].spice == spice + due
