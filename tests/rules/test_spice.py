"""Tests for spice blows and worms beyond the rulings: shuffles and windows (AH.VII, AH.XXI, WBC.VII)."""

from collections import Counter
from collections.abc import Mapping
from typing import Any

import pytest

from rules.components import FACTIONS, SPICE_DECK, Faction, Forces, board
from rules.components.board import Area, TerritoryId
from rules.engine.play import Play
from rules.orders import Ally, FeedAlly, Karama, NoRide, Order, PlaceWorm, Ride, SpareAlly
from rules.positions.position import position
from tests.rules.stage import spice_round, until

WORM = "Shai-Hulud"
TERRITORIES = [card for card in SPICE_DECK if card != WORM]


def kinds(play: Play) -> Counter[str]:
    return Counter(event.kind for event in play.events)


def turn_eight(pile_one: list[str], pile_two: list[str], deck: list[str], rng: str = "eight", **start: Any) -> Play:
    """Return the spice round of turn eight, with all spice cards given."""
    return spice_round(turn=8, spice_deck=deck, spice_discard=[pile_one, pile_two], rng=rng, **start)


@pytest.mark.clause("WBC.VII.1")
def test_three_worms_in_two_blows_make_three_nexuses() -> None:
    deck = [WORM, WORM, "Old Gap", WORM, "Red Chasm"]
    play = spice_round(spice_deck=deck, spice_discard=[["Hagga Basin"], ["Broken Land"]])
    until(play, "nothing")
    assert kinds(play)["nexus"] == 3
    assert play.state.worms_seen == 3


@pytest.mark.clause("AH.VII.C", "AH.XXI.A.4")
def test_the_basic_game_has_one_nexus_and_one_meal_a_turn() -> None:
    play = spice_round("ah-basic", spice_deck=[WORM, WORM, WORM, "Old Gap"], spice_discard=[["Hagga Basin"]])
    until(play, "nothing")
    assert kinds(play)["nexus"] == kinds(play)["worm-ate"] == 1


@pytest.mark.clause("AH.VII.D", "AH.XXI.A.3")
@pytest.mark.parametrize(("ruleset", "left"), [("ah-basic", 20), ("wbc-2018", 19)])
def test_after_the_first_turn_all_worms_are_in_the_deck(ruleset: str, left: int) -> None:
    play = spice_round(ruleset, turn=1, spice_deck=[WORM, WORM, "Sihaya Ridge", WORM, "Old Gap"])
    until(play, "nothing")
    assert len(play.state.spice_deck) == left
    assert play.state.spice_deck.count(WORM) == 6
    assert kinds(play)["nexus"] == kinds(play)["worm-ate"] == 0


@pytest.mark.clause("AH.XXI.B.1-b", "AH.QA.E.4")
def test_the_used_up_deck_is_made_anew_from_all_cards() -> None:
    play = turn_eight(TERRITORIES[:7], [*TERRITORIES[7:14], *[WORM] * 6], [TERRITORIES[14]])
    until(play, "nothing")
    (again,) = [event for event in play.events if event.kind == "spice-deck-reshuffled"]
    assert again.facts["cards"] == 21
    everything = play.state.spice_deck + play.state.spice_discard[0] + play.state.spice_discard[1]
    assert Counter(everything) == Counter(SPICE_DECK)
    assert play.state.spice_discard[0] == []


@pytest.mark.clause("AH.XXI.B", "AH.XXI.B.2-a")
def test_the_last_territory_may_blow_twice_in_one_turn() -> None:
    amounts = set()
    for seed in range(200):
        play = turn_eight(TERRITORIES[:7], [*TERRITORIES[7:14], *[WORM] * 6], [TERRITORIES[14]], rng=f"twice-{seed}")
        until(play, "nothing")
        amounts.add(play.state.spice.get(Area("wind-pass-north/17")))
    assert TERRITORIES[14] == "Wind Pass North"
    assert amounts == {6, 12}


@pytest.mark.clause("AH.XXI.B.2-b", "AH.QA.E.4", "AH.VII.A.2-d")
def test_a_worm_from_the_new_deck_eats_where_pile_two_blew_last_turn() -> None:
    piles = [card for card in TERRITORIES if card not in ("South Mesa", "Old Gap")]
    emperor = {"emperor": {"forces": {"south-mesa/4": "3"}}}
    for seed in range(40):
        play = turn_eight(
            piles,
            [*[WORM] * 6, "South Mesa"],
            ["Old Gap"],
            f"new-{seed}",
            faction=emperor,
            factions=["emperor", "guild"],
        )
        until(play, "nothing")
        if worms := play.state.spice_discard[1].count(WORM):
            break
    else:
        pytest.fail("no worm came in 40 games")
    assert play.state.players["emperor"].tanks.total == 3
    assert play.state.spice_deck.count(WORM) == 6 - worms
    assert play.state.last_blows == ["old-gap", "south-mesa"]


@pytest.mark.clause("AH.XXI.B.2-b")
def test_on_the_turn_after_a_reshuffle_pile_one_is_still_remembered() -> None:
    play = spice_round(
        spice_deck=[WORM, "Old Gap", "Red Chasm"], faction={"emperor": {"forces": {"south-mesa/4": "3"}}}
    )
    assert play.state.spice_discard == [[], []]
    play.state.last_blows = [TerritoryId("south-mesa"), None]
    until(play, "nothing")
    assert play.state.players["emperor"].tanks.total == 3


@pytest.mark.clause("WBC.HR.4b", "AH.SHIELD.FRE.KARAMA-a")
def test_a_called_worm_is_told_with_its_number() -> None:
    play = spice_round(worms_seen=5, spice_deck=["Old Gap", "Red Chasm"], faction={"fremen": {"hand": ["Karama"]}})
    play.submit("fremen", [Karama("worm", territory=TerritoryId("red-chasm"))])
    until(play, "nothing")
    told = [(event.kind, event.facts) for event in play.events if event.kind in ("worm-called", "shield-wall-counts")]
    assert told == [
        ("worm-called", {"faction": "fremen", "territory": "red-chasm", "seen": 6}),
        ("shield-wall-counts", {}),
    ]


@pytest.mark.clause("WBC.XVII.18", "AH.XIII.A-b")
def test_whether_the_fremen_hold_a_karama_shows_in_nothing_that_is_asked() -> None:
    def stops(holder: str) -> list[Any]:
        play = spice_round(
            spice_deck=["Old Gap", "Red Chasm"], faction={holder: {"hand": ["Karama"]}}, treachery_discard=["Karama"]
        )
        seen = []
        while not play.phase_over:
            seen.append([(question.key, question.facts, question.default) for question in play.questions()])
            play.expire()
        return [*seen, [(event.kind, event.facts) for event in play.events]]

    assert stops("fremen") == stops("guild")
    assert [len(stop) for stop in stops("fremen")[:-1]] == [len(FACTIONS), len(FACTIONS)]


@pytest.mark.clause("WBC.XVII.18")
def test_no_window_is_held_for_a_worm_that_all_can_see_to_be_impossible() -> None:
    assert spice_round(treachery_discard=["Karama", "Karama"], spice_deck=["Old Gap", "Red Chasm"]).phase_over
    assert spice_round(factions=["emperor", "guild"], spice_deck=["Old Gap", "Red Chasm"]).phase_over


@pytest.mark.clause("WBC.AID.31", "WBC.AID.32")
@pytest.mark.parametrize(("named", "dead"), [("fremen", "fremen"), ("guild", "guild"), (None, "fremen")])
def test_one_karama_takes_the_fremen_or_their_ally_and_not_both(named: Faction | None, dead: Faction) -> None:
    forces = {"forces": {"red-chasm/7": "2"}}
    play = spice_round(
        spice_deck=[WORM, "Old Gap", "South Mesa"],
        spice_discard=[["Red Chasm"], []],
        alliances=[["fremen", "guild"]],
        faction={"fremen": forces, "guild": forces, "emperor": {"hand": ["Karama"]}},
    )
    until(play, "nexus")
    (outcome,) = play.submit("emperor", [Karama("cancel worm", faction=named)])
    assert outcome.status == "accepted"
    (told,) = [event for event in play.events if event.kind == "worm-control-lost"]
    assert told.facts == {"by": "emperor", "faction": dead, "territory": "red-chasm"}
    until(play, "nothing")
    assert [faction for faction, player in play.state.players.items() if player.tanks] == [dead]


@pytest.mark.clause("WBC.AID.32", "WBC.AID.33")
def test_taking_the_allys_protection_leaves_the_worm_where_the_fremen_sent_it() -> None:
    play = spice_round(
        spice_deck=[WORM, WORM, "Old Gap", "South Mesa"],
        spice_discard=[["Hagga Basin"], []],
        alliances=[["fremen", "guild"]],
        faction={"guild": {"forces": {"red-chasm/7": "2"}}, "emperor": {"hand": ["Karama"]}},
    )
    until(play, "worm-placement")
    play.submit("fremen", [PlaceWorm(TerritoryId("red-chasm"))])
    (outcome,) = play.submit("emperor", [Karama("cancel worm", faction="guild")])
    assert outcome.status == "accepted"
    until(play, "nothing")
    assert play.state.players["guild"].tanks == Forces(2)
    ate = [event.facts["territory"] for event in play.events if event.kind == "worm-ate"]
    assert ate == ["hagga-basin", "red-chasm"]


@pytest.mark.clause("AH.XVIII.B-a", "WBC.HR.4a")
@pytest.mark.parametrize(("ruleset", "told"), [("ah-basic", 0), ("wbc-2018", 1)])
def test_the_sixth_worm_makes_the_shield_wall_count_under_the_2018_rules_only(ruleset: str, told: int) -> None:
    play = spice_round(ruleset, worms_seen=5, spice_deck=[WORM, "Old Gap", WORM, "Red Chasm"])
    until(play, "nothing")
    assert kinds(play)["shield-wall-counts"] == told


@pytest.mark.clause("AH.SHIELD.FRE.3-b")
def test_tokens_that_rode_do_not_ride_again() -> None:
    play = spice_round(
        "ah-basic",
        spice_deck=[WORM, "Old Gap"],
        spice_discard=[["Red Chasm"]],
        faction={"fremen": {"forces": {"red-chasm/7": "3"}}},
    )
    until(play, "worm-ride")
    order = Ride(Forces(3), Area("red-chasm/7"), Area("carthag/11"))
    play.submit("fremen", [order, order])
    assert kinds(play)["worm-ridden"] == kinds(play)["ride-dropped"] == 1
    assert play.game.here(Area("carthag/11"), "fremen") == Forces(3)


@pytest.mark.clause("AH.VII.A", "WBC.VII.1", "WBC.VII.3", "WBC.VII.14", "AH.XII.B-b")
def test_a_spice_round_is_told_step_by_step() -> None:
    factions = {
        "emperor": {"forces": {"red-chasm/7": "2"}},
        "fremen": {"forces": {"red-chasm/7": "3"}},
        "guild": {"forces": {"old-gap/9": "1"}},
    }
    play = spice_round(
        storm=9,
        factions=["emperor", "fremen", "guild"],
        faction=factions,
        spice={"red-chasm/7": 8, "old-gap/10": 4},
        spice_deck=[WORM, WORM, "Sihaya Ridge", "South Mesa"],
        spice_discard=[["Red Chasm"], []],
    )
    until(play, "worm-ride")
    play.submit("fremen", [Ride(Forces(2), Area("red-chasm/7"), Area("carthag/11"))])
    until(play, "worm-placement")
    play.submit("fremen", [PlaceWorm(TerritoryId("old-gap"))])
    until(play, "nothing")
    assert [(event.kind, event.facts) for event in play.events] == [
        ("worm-appeared", {"territory": "red-chasm", "pile": 1, "additional": False, "seen": 1}),
        ("nexus", {}),
        ("nexus-over", {"alliances": []}),
        ("worm-ridden", {"forces": "2", "source": "red-chasm/7", "target": "carthag/11"}),
        ("worm-ate", {"territory": "red-chasm", "spice": 8, "dead": {"emperor": "2"}, "sand": True}),
        ("worm-appeared", {"territory": None, "pile": 1, "additional": True, "seen": 2}),
        ("nexus", {}),
        ("nexus-over", {"alliances": []}),
        ("worm-placed", {"territory": "old-gap"}),
        ("worm-ate", {"territory": "old-gap", "spice": 4, "dead": {"guild": "1"}, "sand": True}),
        ("spice-blow", {"area": "sihaya-ridge/9", "amount": 0, "pile": 1, "in_storm": True}),
        ("spice-blow", {"area": "south-mesa/5", "amount": 10, "pile": 2, "in_storm": False}),
    ]


@pytest.mark.clause("AH.VII.A.2-d")
def test_a_worm_without_any_blow_before_it_finds_nothing() -> None:
    play = spice_round("ah-basic", spice_deck=[WORM, "Old Gap"])
    until(play, "nothing")
    assert kinds(play)["worm-found-nothing"] == kinds(play)["nexus"] == 1


def test_every_listed_choice_of_a_spice_question_is_legal() -> None:
    for ruleset in ("ah-basic", "wbc-2018"):
        deck = [WORM, WORM, WORM, "Old Gap", WORM, "South Mesa"]
        fremen = "0+2" if ruleset == "wbc-2018" else "2"
        forces = {
            "fremen": {"forces": {"red-chasm/7": fremen}},
            "guild": {"forces": {"red-chasm/7": "2", "carthag": "1"}},
        }
        play = spice_round(ruleset, storm=5, spice_deck=deck, spice_discard=[["Red Chasm"]], faction=forces)
        asked: set[tuple[str, type[Order]]] = set()
        while not play.phase_over:
            for question in play.questions():
                orders = [question.default, *question.samples()]
                assert [question.refusal(order) for order in orders] == [None] * len(orders)
                asked.update((question.kind, type(order)) for order in orders)
            play.expire()
        assert asked >= {("nexus", Ally), ("worm-ride", Ride), ("worm-ride", NoRide)}


@pytest.mark.clause("WBC.VII.3")
def test_silence_leaves_a_further_worm_with_its_own_pile() -> None:
    play = spice_round(spice_deck=[WORM, WORM, "Old Gap", "Red Chasm"], spice_discard=[["Hagga Basin"], []])
    (question,) = until(play, "worm-placement")
    assert question.default == PlaceWorm(TerritoryId("hagga-basin"))


@pytest.mark.clause("WBC.VII.9")
@pytest.mark.parametrize(("closed", "riders"), [("bg_coexisting_ignored", 3), ("closed", 0)])
def test_coexisting_bene_gesserit_leave_room_for_riders_where_the_option_says_so(closed: str, riders: int) -> None:
    factions = {
        "bene-gesserit": {"forces": {"arrakeen": "1"}, "coexisting": ["arrakeen"]},
        "fremen": {"forces": {"south-mesa/5": "3"}},
        "harkonnen": {"forces": {"arrakeen": "2"}},
    }
    start = {"turn": 4, "phase": "spice", "storm": 3, "factions": list(factions), "faction": factions}
    cards = {"spice_deck": [WORM, "Hagga Basin", "Red Chasm"], "spice_discard": [["South Mesa"], ["Broken Land"]]}
    play = position({"ruleset": "wbc-2018", "start": {**start, **cards}}).play()
    play.game.rules = play.game.rules.with_options({"worm_ride_full_stronghold": closed})
    play.begin_phase("spice")
    until(play, "worm-ride")
    play.submit("fremen", [Ride(Forces(3), Area("south-mesa/5"), Area("arrakeen/10"))])
    until(play, "nothing")
    assert play.game.here(Area("arrakeen/10"), "fremen").total == riders


@pytest.mark.clause("WBC.VII.9")
@pytest.mark.parametrize(
    ("closed", "who"),
    [
        ("closed", "the Emperor, the Bene Gesserit and Harkonnen"),
        ("bg_coexisting_ignored", "the Emperor and Harkonnen"),
    ],
)
def test_riders_hear_who_fills_the_stronghold(closed: str, who: str) -> None:
    there: dict[str, Any] = {name: {"forces": {"arrakeen": "1"}} for name in ("emperor", "bene-gesserit", "harkonnen")}
    there["bene-gesserit"]["coexisting"] = ["arrakeen"]
    there["fremen"] = {"forces": {"south-mesa/5": "3"}}
    cards = {"spice_deck": [WORM, "Hagga Basin", "Red Chasm"], "spice_discard": [["South Mesa"], ["Broken Land"]]}
    options = {"worm_ride_full_stronghold": closed}
    play = with_options(options, factions=list(there), storm=3, faction=there, **cards)
    (question,) = until(play, "worm-ride")
    refusal = question.refusal(Ride(Forces(3), Area("south-mesa/5"), Area("arrakeen/10")))
    assert refusal is not None
    assert refusal.reason == f"Arrakeen is full: {who} are there."


def with_options(options: Mapping[str, object], **start: Any) -> Play:
    """Return the spice round of Emperor, Fremen and Guild at its first stop, with these options."""
    where = {"turn": 4, "phase": "spice", "storm": 14, "factions": ["emperor", "fremen", "guild"]}
    play = position({"ruleset": "wbc-2018", "options": options, "start": {**where, **start}}).play()
    play.begin_phase("spice")
    play.settle()
    return play


def worm_story(play: Play) -> list[str]:
    """Return the events about a worm and its nexus, in which 2 Fremen ride and nobody allies."""
    while not play.phase_over:
        for question in play.questions():
            if question.kind == "worm-ride":
                play.submit("fremen", [Ride(Forces(2), Area("cielago-north/2"), Area("arrakeen/10"))])
        if not play.phase_over:
            play.expire()
    kinds = ("worm-appeared", "worm-ridden", "worm-ate", "nexus", "spice-blow")
    return [event.kind for event in play.events if event.kind in kinds]


@pytest.mark.clause("AH.XII.B-b", "AH.SHIELD.FRE.3-b", "GF9.SPICE.6", "GF9.SPICE.9")
@pytest.mark.parametrize(
    ("timing", "moment", "story"),
    [
        ("before_feeding", "after_nexus", ["nexus", "worm-ridden", "worm-ate", "spice-blow"]),
        ("before_feeding", "when_worm_appears", ["worm-ridden", "nexus", "worm-ate", "spice-blow"]),
        ("end_of_phase", "when_worm_appears", ["worm-ridden", "worm-ate", "spice-blow", "nexus"]),
        ("end_of_phase", "after_nexus", ["worm-ate", "spice-blow", "nexus", "worm-ridden"]),
    ],
)
def test_the_nexus_and_the_ride_have_their_moments(timing: str, moment: str, story: list[str]) -> None:
    options: dict[str, object] = {"nexus_timing": timing, "worm_ride_moment": moment, "spice_blows": 1}
    riders = {"fremen": {"forces": {"cielago-north/2": "2"}}}
    play = with_options(
        options, spice_deck=[WORM, "Old Gap"], spice_discard=[["Cielago North"]], faction=riders, alliances=[]
    )
    assert worm_story(play) == ["worm-appeared", *story]
    assert play.state.forces_in(TerritoryId("arrakeen"))["fremen"] == Forces(2)


@pytest.mark.clause("WBC.VII.1", "AH.XXI.A.4", "VACA.VII.A.2.d-1", "GF9.SPICE.9")
@pytest.mark.parametrize("timing", ["before_feeding", "end_of_phase"])
@pytest.mark.parametrize(("count", "nexuses"), [("every_worm", 3), ("first_worm_per_pile", 2), ("first_worm_only", 1)])
def test_how_many_nexuses_two_blows_with_three_worms_bring(count: str, nexuses: int, timing: str) -> None:
    deck = [WORM, WORM, "Old Gap", WORM, "Red Chasm"]
    options: dict[str, object] = {"nexus_count": count, "nexus_timing": timing}
    play = with_options(options, spice_deck=deck, spice_discard=[["Hagga Basin"], ["Broken Land"]])
    until(play, "nothing")
    assert kinds(play)["nexus"] == (nexuses if timing == "before_feeding" else 1)


@pytest.mark.clause("AH.XII.D.1-b", "AH.XXI.A.4")
@pytest.mark.parametrize(("count", "held"), [("first_worm_per_pile", True), ("first_worm_only", False)])
def test_an_alliance_waits_for_a_nexus_of_the_second_pile_only_where_it_may_have_one(count: str, held: bool) -> None:
    deck = [WORM, WORM, "Old Gap", "Red Chasm"]
    play = with_options({"nexus_count": count}, spice_deck=deck, spice_discard=[["Hagga Basin"], ["Broken Land"]])
    until(play, "worm-placement")
    assert (play.check("guild", Ally("emperor")).status == "held") is held


@pytest.mark.clause("AH.VII.D", "GF9.SPICE.2")
def test_worms_of_the_first_turn_may_go_back_one_by_one() -> None:
    play = with_options({"turn1_worm_reshuffle": "at_once"}, turn=1, spice_deck=[WORM, "Old Gap"], alliances=[])
    until(play, "nothing")
    back = [event for event in play.events if event.kind == "worms-shuffled-back"]
    assert [event.facts["worms"] for event in back] == [1] * kinds(play)["worm-ignored"]
    assert play.state.spice_deck.count(WORM) == 6
    assert len(play.state.spice_deck) == len(SPICE_DECK) - 2


FED: dict[str, object] = {"worm_ally_protection": "fremen_choice"}
AT_THE_WORM = {
    "spice_deck": [WORM, "Old Gap", "Red Chasm"],
    "spice_discard": [["Cielago North"], []],
    "alliances": [["fremen", "guild"]],
    "faction": {"fremen": {"forces": {"cielago-north/2": "2"}}, "guild": {"forces": {"cielago-north/1": "3"}}},
}


@pytest.mark.clause("FAQ.ADV-KARAMA.4")
def test_a_word_about_the_ally_and_a_ride_are_held_beside_each_other() -> None:
    play = with_options(FED, **AT_THE_WORM)
    ride = Ride(Forces(2), Area("cielago-north/2"), Area("arrakeen/10"))
    for order in (ride, SpareAlly(), FeedAlly()):
        assert [outcome.status for outcome in play.submit("fremen", [order])] == ["held"]
    until(play, "nothing")
    assert play.state.players["guild"].tanks == Forces(3)
    assert play.state.forces_in(TerritoryId("arrakeen"))["fremen"] == Forces(2)


@pytest.mark.clause("FAQ.ADV-KARAMA.4", "AH.SHIELD.FRE.ALLY-a")
def test_nobody_but_the_fremen_spares_and_nobody_where_the_worm_does_by_itself() -> None:
    play = with_options(FED, **AT_THE_WORM)
    assert play.check("guild", FeedAlly()).status == "refused"
    play = with_options({}, **AT_THE_WORM)
    assert play.check("fremen", FeedAlly()).status == "refused"
    assert {type(order) for question in until(play, "worm-ride") for order in question.samples()} <= {Ride, NoRide}


@pytest.mark.clause("FAQ.ADV-KARAMA.4", "GF9.SPICE.9")
def test_of_a_worm_that_is_ridden_after_the_nexus_the_ally_is_spared_before() -> None:
    play = with_options({**FED, "worm_ride_moment": "after_nexus", "nexus_timing": "end_of_phase"}, **AT_THE_WORM)
    asked = []
    while questions := until(play, "worm-ride"):
        asked.append([sample for question in questions for sample in map(type, question.samples()[:2])])
        play.expire()
    assert asked == [[SpareAlly, FeedAlly], [NoRide, Ride]]


@pytest.mark.clause("AH.SHIELD.FRE.3-b")
def test_one_fedaykin_of_two_may_ride_as_well_as_both() -> None:
    there = {"fremen": {"forces": {"cielago-north/2": "0+2"}}}
    play = with_options({}, **{**AT_THE_WORM, "alliances": [], "faction": there})
    (question,) = until(play, "worm-ride")
    assert {order.forces for order in question.samples() if isinstance(order, Ride)} == {Forces(0, 1), Forces(0, 2)}


@pytest.mark.clause("FAQ.DIFF.8")
def test_a_further_worm_of_silent_fremen_in_sand_only_does_no_harm() -> None:
    deck = [WORM, WORM, "Old Gap", "Red Chasm"]
    play = with_options({"extra_worms": "fremen_sand_only"}, spice_deck=deck, spice_discard=[[], []])
    (question,) = until(play, "worm-placement")
    sand = [territory for territory, facts in board.TERRITORIES.items() if facts.kind == "sand"]
    assert question.default == PlaceWorm(sand[0])
    play.state.spice = {area: 1 for territory in sand[:3] for area in board.TERRITORIES[territory].areas[:1]}
    play.state.forces = {board.TERRITORIES[sand[3]].areas[-1]: {"guild": Forces(1)}}
    assert question.default == PlaceWorm(sand[4])
    assert question.refusal(question.default) is None
    assert all(question.refusal(order) is None for order in question.samples())
