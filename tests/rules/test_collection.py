"""Tests for collection, deals and the end of a turn beyond the rulings: public transfers and private messages."""

from typing import Any

import pytest

from rules.chapters.collection import occupants
from rules.components import Faction, Forces
from rules.components.board import Area, TerritoryId
from rules.engine.play import Play
from rules.orders import Accept, Deal, Decline, EmperorGives, Give, NoTransfer
from rules.positions.position import position
from tests.rules.stage import at, say, silence, told, until

SEATS = {"emperor": 5, "guild": 8, "harkonnen": 11, "fremen": 14}


def four(phase: str, ruleset: str = "wbc-2018", **start: Any) -> Play:
    """Return a game of four factions at the first stop of a phase."""
    return at(phase, ruleset, storm=3, factions=list(SEATS), dots=SEATS, **start)


RICH = {"guild": {"spice": 9}, "emperor": {"spice": 9}}


@pytest.mark.clause("WBC.XIII.2", "WBC.XIII.3")
def test_that_spice_changes_hands_is_public_and_how_much_is_not() -> None:
    play = four("collection", faction=RICH)
    say(play, "guild", Give(5, "harkonnen"))
    silence_but_offers(play)
    say(play, "harkonnen", Accept())
    silence(play)
    (gift,) = told(play, "spice-given")
    assert gift.seen_by("public") == {"payer": "guild", "receiver": "harkonnen", "why": "gift"}
    assert "amount" not in gift.seen_by("emperor")
    assert gift.seen_by("guild")["amount"] == gift.seen_by("harkonnen")["amount"] == 5


def silence_but_offers(play: Play) -> None:
    while due := [question.key for question in play.questions() if question.kind != "offer"]:
        play.expire(due)


@pytest.mark.clause("AH.XIII.C-c")
def test_in_the_basic_game_the_amount_is_public() -> None:
    play = four("collection", "ah-basic", faction=RICH)
    say(play, "guild", Give(5, "harkonnen"))
    silence_but_offers(play)
    say(play, "harkonnen", Accept())
    silence(play)
    assert told(play, "spice-given")[0].seen_by("public")["amount"] == 5


@pytest.mark.clause("WBC.MISC.4")
def test_a_gift_declined_is_known_to_the_two_only() -> None:
    play = four("collection", faction=RICH)
    say(play, "guild", Give(5, "harkonnen"))
    silence_but_offers(play)
    assert [question.public for question in play.questions()] == [False]
    say(play, "harkonnen", Decline())
    silence(play)
    assert told(play, "spice-given") == []
    (declined,) = told(play, "offer-declined")
    assert declined.audience == ("guild", "harkonnen")


@pytest.mark.clause("WBC.MISC.4")
def test_several_gifts_in_one_message_stand_together_and_a_later_message_replaces_them() -> None:
    play = four("collection", faction=RICH)
    say(play, "guild", Give(1, "emperor"), Give(2, "harkonnen"))
    say(play, "guild", Give(3, "emperor"), Give(4, "fremen"))
    silence_but_offers(play)
    assert {(q.faction, q.facts["amount"]) for q in play.questions()} == {("emperor", 3), ("fremen", 4)}
    for receiver in ("emperor", "fremen"):
        say(play, receiver, Accept())
    silence(play)
    assert play.state.players["guild"].spice == 2


@pytest.mark.clause("WBC.MISC.4")
def test_who_is_offered_two_gifts_answers_one_after_the_other() -> None:
    play = four("collection", faction=RICH)
    say(play, "guild", Give(1, "harkonnen"))
    say(play, "emperor", Give(2, "harkonnen"))
    for amount in (2, 1):  # the Emperor's gift comes first, because the Emperor sits before the Guild
        assert [q.facts["amount"] for q in play.questions() if q.kind == "offer"] == [amount]
        say(play, "harkonnen", Accept())
    silence(play)
    assert play.state.players["harkonnen"].spice == 3


@pytest.mark.clause("WBC.HR.5a", "WBC.MISC.4")
def test_everybody_is_asked_every_turn_whether_they_give() -> None:
    for spice in (0, 9):
        play = four("collection", faction={"guild": {"spice": spice}})
        assert {(q.faction, q.kind, q.blanket) for q in play.questions()} == {
            (faction, "transfer", True) for faction in SEATS
        }
        assert all(question.default == NoTransfer() for question in play.questions())


@pytest.mark.clause("AH.XIII.C-a", "WBC.XIII.7", "WBC.XIII.6")
def test_a_deal_is_announced_only_when_both_have_agreed() -> None:
    play = four("collection", faction=RICH)
    say(play, "guild", Deal("harkonnen", "peace  in Carthag", 2, 0))
    assert told(play, "deal-made") == []
    assert [(q.faction, q.public) for q in play.questions() if q.kind == "offer"] == [("harkonnen", False)]
    say(play, "harkonnen", Accept())
    (deal,) = told(play, "deal-made")
    assert deal.audience is None
    assert deal.facts["text"] == "peace in Carthag"
    assert play.state.deals[0].parties == ("guild", "harkonnen")


@pytest.mark.clause("WBC.MISC.4", "AH.XIII.C-a")
def test_nobody_waits_for_an_offer_between_two_players_nor_learns_of_it() -> None:
    play = four("bidding", faction=RICH, treachery_deck=["Kulon"])
    before = {q.key for q in play.asked()}
    say(play, "guild", Deal("harkonnen", "peace", 0, 0))
    assert {q.key for q in play.asked() if q.kind != "offer"} == before
    assert all(event.audience == ("guild", "harkonnen") for event in play.events if event.kind == "offer-made")
    play.expire([key for key in before if key in {q.key for q in play.questions()}])
    play.advance()
    assert any(q.kind == "offer" for q in play.asked())
    say(play, "harkonnen", Accept())
    assert not any(q.kind == "offer" for q in play.asked())
    assert len(told(play, "deal-made")) == 1


@pytest.mark.clause("AH.XIII.C-a", "AH.XIII.C-c")
def test_a_deal_says_something_and_asks_for_no_spice_below_nothing() -> None:
    play = four("collection", faction=RICH)
    for deal in (
        Deal("harkonnen", " "),
        Deal("harkonnen", "x" * 501),
        Deal("harkonnen", "peace", -1),
        Deal("guild", ""),
    ):
        assert play.check("guild", deal).status == "refused"
    assert play.check("guild", Deal("harkonnen", "peace", 0, -1)).status == "refused"
    for deal in (Deal("harkonnen", "", 2), Deal("harkonnen", "", 0, 2), Deal("harkonnen", "x" * 500)):
        assert play.check("guild", deal).status == "accepted"


@pytest.mark.clause("WBC.XIII.8", "WBC.XIII.9")
def test_only_the_spice_of_a_deal_is_enforced() -> None:
    play = four("collection", faction=RICH)
    say(play, "guild", Deal("harkonnen", "never to give anything to the Emperor", 2, 0))
    say(play, "harkonnen", Accept())
    say(play, "guild", Give(1, "emperor"))
    silence_but_offers(play)
    say(play, "emperor", Accept())
    silence(play)
    assert play.state.players["guild"].spice == 9 - 2 - 1
    assert play.state.deals[0].pays == {}


@pytest.mark.clause("WBC.HR.5d", "WBC.XIII.3")
def test_how_much_the_emperor_gives_is_between_them_and_their_ally() -> None:
    play = four("bidding", faction=RICH, alliances=[["emperor", "harkonnen"]], treachery_deck=["Kulon"])
    say(play, "emperor", EmperorGives(4, "harkonnen"))
    (offer,) = (q for q in play.questions() if q.kind == "offer")
    assert (offer.faction, offer.facts["amount"], offer.public) == ("harkonnen", 4, False)
    say(play, "harkonnen", Accept())
    (gift,) = told(play, "spice-given")
    assert "amount" not in gift.seen_by("guild")
    assert gift.seen_by("harkonnen")["amount"] == 4


@pytest.mark.clause("AH.SHIELD.BG.1-c")
def test_the_prediction_is_shown_when_it_comes_true_and_only_then() -> None:
    strongholds = {"forces": {"carthag": "1", "arrakeen": "1", "tueks-sietch": "1"}}
    for turn, shown in ((4, True), (5, False)):
        prediction = {"prediction": {"faction": "guild", "turn": turn}}
        play = at(
            "mentat",
            factions=[*SEATS, "bene-gesserit"],
            dots={**SEATS, "bene-gesserit": 17},
            faction={"guild": strongholds, "bene-gesserit": prediction},
        )
        (won,) = told(play, "game-won")
        assert (won.facts["how"] == "prediction") == shown
        assert won.facts["winners"] == (["bene-gesserit"] if shown else ["guild"])
        assert play.over


@pytest.mark.clause("WBC.HR.3c")
def test_an_alliance_of_three_needs_five() -> None:
    three = {"emperor": ["carthag", "arrakeen"], "guild": ["tueks-sietch"], "harkonnen": ["sietch-tabr"]}
    for fifth, winners in ((None, []), ("habbanya-ridge-sietch", ["emperor", "guild", "harkonnen"])):
        held = {faction: [*places] for faction, places in three.items()}
        held["guild"] += [fifth] if fifth else []
        faction = {name: {"forces": dict.fromkeys(places, "1")} for name, places in held.items()}
        play = position({"start": {"turn": 4, "phase": "mentat", "factions": list(SEATS), "faction": faction}}).play()
        play.state.alliances = [("emperor", "guild", "harkonnen")]
        play.begin_phase("mentat")
        play.settle()
        assert sorted(play.state.winners) == winners


@pytest.mark.clause("AH.IV-c")
def test_each_turn_ends_with_who_holds_what() -> None:
    play = four("mentat", faction={"guild": {"forces": {"carthag": "1", "arrakeen": "1"}}})
    (held,) = told(play, "strongholds")
    assert held.facts["held"] == {"emperor": [], "guild": ["arrakeen", "carthag"], "harkonnen": [], "fremen": []}
    assert not play.over


@pytest.mark.clause("AH.XIX-a", "AH.XIX-c")
def test_everybody_is_told_what_each_stronghold_brings_and_to_whom() -> None:
    holders = {"emperor": {"forces": {"arrakeen": "1", "tueks-sietch": "1"}}, "guild": {"forces": {"carthag": "1"}}}
    play = four("collection", faction=holders)
    silence(play)
    incomes = told(play, "income")
    assert {(event.facts["faction"], event.facts["territory"], event.facts["amount"]) for event in incomes} == {
        ("emperor", "arrakeen", 2),
        ("emperor", "tueks-sietch", 1),
        ("guild", "carthag", 2),
    }
    assert all(event.audience is None for event in incomes)


@pytest.mark.clause("WBC.XIII.2")
@pytest.mark.parametrize(("spice", "amounts"), [(0, set()), (1, {1}), (5, {1, 5})])
def test_samples_of_a_transfer_give_one_or_all_and_nothing_where_there_is_nothing(
    spice: int, amounts: set[int]
) -> None:
    play = four("collection", faction={"guild": {"spice": spice}})
    (question,) = [one for one in until(play, "transfer") if one.faction == "guild"]
    samples = question.samples()
    assert {order.amount for order in samples if isinstance(order, Give)} == amounts
    assert NoTransfer() in samples
    assert all(question.refusal(order) is None for order in samples)


@pytest.mark.clause("AH.XV.B.4-g", "AH.XI.A")
@pytest.mark.parametrize("first", ["emperor", "guild"])
def test_of_two_who_stand_apart_in_one_territory_the_first_in_order_of_play_collects_first(first: Faction) -> None:
    """Their order of arrival does not matter; the storm keeps them from battle."""
    second: Faction = "guild" if first == "emperor" else "emperor"
    play = four("collection", spice={"old-gap/10": 4})
    for faction in (first, second):
        play.state.forces[Area("old-gap/10")] = {**play.state.forces.get(Area("old-gap/10"), {}), faction: Forces(1)}
    order = [faction for faction in play.game.order_of_play() if faction in (first, second)]
    assert occupants(play.game, TerritoryId("old-gap")) == order
