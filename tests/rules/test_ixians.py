"""Tests for the Ixians beyond the rulings: knowledge of cards, chance, and questions asked or skipped."""

from __future__ import annotations

from itertools import permutations
from typing import Any

import pytest

from rules.components import LEADERS, Card, Faction, Forces, leaders_of
from rules.components.board import MOBILE_STRONGHOLD, Area, TerritoryId
from rules.decisions.question import Question
from rules.engine.log import StormCorrected
from rules.engine.play import Play
from rules.factions import mobile_stronghold
from rules.orders import (
    Bid,
    Karama,
    KaramaEffect,
    Move,
    NoSwap,
    NoSwapAll,
    Pass,
    Place,
    Plan,
    PutBack,
    Ship,
    StrongholdTo,
    Swap,
)
from rules.positions.position import position
from rules.state.events import Viewer
from rules.views import view
from tests.rules.stage import say, silence, told, until

HMS = str(MOBILE_STRONGHOLD)
NEIGHBOURS: tuple[Faction, ...] = ("guild", "ixians")
CARDS = ["Lasgun", "Baliset", "Kulon", "Shield", "Stunner", "Snooper"]


def at(phase: str, ruleset: str = "gf9-advanced", turn: int = 4, **start: Any) -> Play:
    """Return a game with the Ixians at the first stop of a phase; ``start`` and ``options`` are as in the rulings."""
    options = {"expansion": "ixians-tleilaxu", **start.pop("options", {})}
    factions: dict[Faction, dict[str, Any]] = start.pop("factions")
    dots = dict(zip(factions, (5, 8, 11, 14, 17, 2), strict=False))
    seats = {"storm": 3, "dots": dots, "factions": list(factions), "faction": factions}
    seats = seats if phase != "setup" else {"dots": dots, "factions": list(factions), "faction": factions, "turn": 1}
    file = {"ruleset": ruleset, "options": options, "start": {"turn": turn, "phase": phase, **seats, **start}}
    play = position(file).play()
    play.begin_phase(play.state.phase)
    play.settle()
    return play


def bidding(*deck: str, options: dict[str, Any] | None = None, rng: str = "x", **factions: dict[str, Any]) -> Play:
    start: dict[str, Any] = {"hms": "polar-sink", "treachery_deck": list(deck), "rng": rng}
    return at("bidding", factions=factions, options=options or {}, **start)


def all_seen(play: Play, viewer: Viewer) -> str:
    """Return everything that this viewer was told so far, as text."""
    return repr([(event.kind, event.seen_by(viewer)) for event in play.events if event.visible_to(viewer)])


# --- The set-up ------------------------------------------------------------------------------------------------------


@pytest.mark.clause("IT.SETUP-IX.5")
def test_their_leaders() -> None:
    named = {str(leader): LEADERS[leader].strength for leader in leaders_of("ixians")}
    assert named == {
        "C'Tair Pilru": 5, "Tessia Vernius": 5, "Dominic Vernius": 4, "Kailea Vernius": 2, "Cammar Pilru": 1,
    }  # fmt: skip


@pytest.mark.clause("IT.SETUP-IX.9", "IT.SETUP-IX.7")
def test_the_others_hear_only_that_ixians_are_choosing_their_first_card() -> None:
    play = at("setup", factions={"ixians": {}, "guild": {}, "emperor": {}}, treachery_deck=CARDS)
    (question,) = until(play, "starting-card")
    assert question.facts["cards"] == ["Baliset", "Kulon", "Lasgun"]
    for viewer in ("guild", "emperor", "public"):
        asked = [entry["kind"] for entry in view(play, viewer)["questions"]]
        assert asked == ["starting-card"]
        assert not any(card in all_seen(play, viewer) for card in CARDS)
    silence(play)
    for viewer, other in (("guild", "emperor"), ("emperor", "guild")):
        (card,) = play.state.players[other].hand
        assert card not in all_seen(play, viewer)
        assert "Lasgun" not in all_seen(play, viewer)


@pytest.mark.clause("IT.ORDER.6")
def test_nobody_else_starts_inside_the_stronghold() -> None:
    play = at("setup", factions={"ixians": {}, "bene-gesserit": {}}, treachery_deck=CARDS)
    until(play, "bg-placement")
    (outcome,) = play.submit("bene-gesserit", [Place(((Forces(1), MOBILE_STRONGHOLD),))])
    assert outcome.refusal is not None
    assert outcome.refusal.clause == "IT.ORDER.6"


@pytest.mark.clause("IT.ORDER.4")
def test_their_circle_counts_for_the_order_of_play() -> None:
    play = at("bidding", factions={"guild": {}, "ixians": {}}, dots={"guild": 2, "ixians": 5}, hms="polar-sink")
    assert play.game.order_of_play() == ("ixians", "guild")


# --- The stronghold --------------------------------------------------------------------------------------------------


def storm(**start: Any) -> Play:
    factions = {"ixians": {"forces": {HMS: "2"}}, "guild": {}}
    return at("storm", factions=factions, hms=start.pop("hms", "red-chasm/7"), **start)


@pytest.mark.clause("IT.HMS.5", "IT.HMS.15")
def test_of_several_ways_the_shortest_is_taken_and_of_those_the_one_with_most_spice() -> None:
    play = storm(hms="pasty-mesa/7")
    play.state.spice[Area("pasty-mesa/8")] = 4
    found = mobile_stronghold.best_way(play.game, Area("pasty-mesa/7"), (), Area("the-minor-erg/8"))
    assert found is not None
    assert mobile_stronghold.territories_entered(found) == 1
    assert found == ("pasty-mesa/7", "pasty-mesa/8", "the-minor-erg/8")


@pytest.mark.clause("IT.HMS.5")
def test_every_sample_goal_can_be_reached_and_no_area_beyond_three_territories() -> None:
    play = storm()
    (question,) = until(play, "hms-move")
    goals = {order.target for order in question.samples() if isinstance(order, StrongholdTo)}
    assert goals
    reach = mobile_stronghold.reachable_areas(play.game, Area("red-chasm/7"), 3)
    assert goals <= set(reach)
    for area, path in reach.items():
        assert question.refusal(StrongholdTo(area)) is None
        assert mobile_stronghold.territories_entered(path) <= 3
    assert question.refusal(StrongholdTo(Area("old-gap/10"))) is not None


@pytest.mark.clause("IT.HMS.7", "IT.HMS.4")
@pytest.mark.parametrize(("at_storm", "asked"), [(7, False), (8, True)])
def test_under_the_storm_its_owner_is_not_asked(at_storm: int, asked: bool) -> None:
    play = at("storm", factions={"ixians": {"forces": {HMS: "2"}}, "guild": {}}, hms="red-chasm/7", storm=at_storm)
    assert bool(until(play, "hms-move")) == asked


def pause(goal: str = "south-mesa/6", **start: Any) -> Play:
    """Return a game in the pause before turn 4's storm phase, in which the Ixians have ordered their stronghold's
    move."""
    inside = {"ixians": {"forces": {HMS: "2"}}, "guild": {}, "tleilaxu": {"face_dancers": ["Staban Tuek"]}}
    play = at("mentat", factions=inside, hms="red-chasm/7", turn=3, storm=12, **start)
    until(play, "hms-move")
    say(play, "ixians", StrongholdTo(Area(goal)))
    return play


@pytest.mark.clause("IT.ORDER.2", "IT.IX-KARAMA.6")
def test_what_is_said_in_the_pause_nobody_hears_before_it_goes() -> None:
    seen = []
    for goal in ("south-mesa/6", "the-minor-erg/8"):
        play, found = pause(goal), list[object]()
        for _ in range(2):  # once while the Tleilaxu are asked in the pause, and once before the storm phase begins
            found += [(all_seen(play, viewer), view(play, viewer)) for viewer in ("guild", "tleilaxu", "public")]
            play.expire()
            play.advance()
        assert play.state.phase == "storm"
        seen.append(found)
        assert told(play, "stronghold-announced")
    assert seen[0] == seen[1]


@pytest.mark.clause("IT.ORDER.2", "IT.HMS.7")
@pytest.mark.parametrize(
    ("sector", "asked", "at_last"),
    [(12, False, "south-mesa/6"), (6, True, "red-chasm/7"), (7, False, "red-chasm/7")],
    ids=["as it was", "the storm lies over its goal", "the storm lies over itself"],
)
def test_what_was_said_in_the_pause_is_looked_at_again(sector: int, asked: bool, at_last: str) -> None:
    """The game master has corrected the storm meanwhile. If the order has become impossible, the Ixians are asked
    again, as long as the stronghold can move."""
    play = pause()
    play.expire()
    play.advance()
    play.correct([StormCorrected(sector)])
    play.expire()
    play.advance()
    assert [q.kind for q in play.questions() if q.faction == "ixians" and q.kind == "hms-move"] == ["hms-move"] * asked
    until(play, "storm-cards")
    assert play.state.door == at_last


@pytest.mark.clause("IT.ORDER.2")
def test_what_was_said_in_the_pause_outlives_a_restart_and_is_gone_when_done() -> None:
    play = pause()
    assert b"stronghold_goes" not in play.snapshot.state
    play.expire()
    play.advance()
    assert b"stronghold_goes" in play.snapshot.state
    again = Play.resume(play.game.rules, "x", play.snapshot, ())
    for one in (play, again):
        until(one, "storm-cards")
        assert one.state.door == "south-mesa/6"
        while one.state.phase == "storm":
            one.expire()
            one.advance()
        assert b"stronghold_goes" not in one.snapshot.state


@pytest.mark.clause("IT.HMS.31", "IT.VICTORY.2")
def test_with_six_strongholds_two_may_have_three_each() -> None:
    three = {"ixians": {"forces": {HMS: "1", "arrakeen": "1", "carthag": "1"}},
             "guild": {"forces": {"tueks-sietch": "1", "sietch-tabr": "1", "habbanya-ridge-sietch": "1"}}}  # fmt: skip
    play = at("mentat", factions={**three, "emperor": {}}, hms="red-chasm/7")
    while not play.over:
        play.expire()
        play.advance()
    assert set(play.state.winners) == {"ixians", "guild"}


# --- The auction -----------------------------------------------------------------------------------------------------


@pytest.mark.clause("IT.BID.6")
def test_a_deck_too_short_is_filled_from_the_discards() -> None:
    play = bidding(*CARDS, ixians={}, guild={"spice": 5}, emperor={"spice": 5})
    state = play.state  # before the look, leave two cards in the deck and put the rest on the discards
    state.treachery_discard, state.treachery_deck = state.treachery_deck[2:], state.treachery_deck[:2]
    until(play, "auction-return")
    assert len(play.game.moments.auction.looked_at) == 4  # type: ignore[union-attr]
    assert told(play, "treachery-reshuffled")


@pytest.mark.clause("IT.BID.4", "IT.BID.5", "IT.BID.11")
@pytest.mark.parametrize("order", list(permutations(CARDS[:3]))[:4])
def test_the_order_of_the_cards_on_sale_shows_nowhere(order: tuple[str, ...]) -> None:
    """Until one is bought, the same three cards in any order look the same to the Ixians."""
    seen = []
    for deck in (CARDS[:3], list(order)):
        play = bidding(*deck, "Hajr", ixians={"hand": ["Karama"]}, guild={"spice": 5}, emperor={"spice": 5})
        until(play, "auction-return")
        say(play, "ixians", PutBack(Card("Hajr"), top=False))
        until(play, "bid")
        seen.append((all_seen(play, "ixians"), view(play, "ixians"), all_seen(play, "public"), view(play, "public")))
    assert seen[0] == seen[1]


@pytest.mark.clause("IT.BID.1", "IT.BID.4")
def test_the_cards_are_shuffled_after_the_look() -> None:
    first = set()
    for number in range(12):
        play = bidding(*CARDS, rng=f"row {number}", ixians={}, guild={"spice": 5}, emperor={"spice": 5})
        until(play, "bid")
        first.add(play.game.moments.auction.cards[0])  # type: ignore[union-attr]
    assert first == {"Lasgun", "Kulon", "Shield"}


@pytest.mark.clause("IT.BID.5")
def test_which_card_went_back_shows_to_nobody_else() -> None:
    seen = []
    for card in ("Lasgun", "Baliset"):
        play = bidding(*CARDS, ixians={}, guild={}, emperor={})
        until(play, "auction-return")
        say(play, "ixians", PutBack(Card(card), top=True))
        silence(play)
        for viewer in ("guild", "emperor", "public"):
            seen.append((all_seen(play, viewer), view(play, viewer)))
    assert seen[:3] == seen[3:]


@pytest.mark.clause("IT.BID.7")
@pytest.mark.parametrize(("value", "top"), [("yes", ["Stunner", "Kulon"]), ("no", ["Kulon", "Stunner"])])
def test_unsold_cards_and_the_card_on_top(value: str, top: list[str]) -> None:
    full = {"hand": ["Karama", "Hajr", "Weather Control", "Gom Jabbar"]}
    play = bidding("Kulon", "Stunner", ixians=full, guild={"spice": 5}, options={"unsold_over_returned": value})
    until(play, "auction-return")
    say(play, "ixians", PutBack(Card("Kulon"), top=True))
    silence(play)
    assert play.state.treachery_deck[:2] == top


@pytest.mark.clause("IT.BID.4")
def test_they_know_the_place_of_their_card_until_it_is_drawn() -> None:
    full = {"hand": ["Karama", "Hajr", "Weather Control", "Gom Jabbar"]}
    play = bidding("Kulon", "Stunner", "Baliset", ixians=full, guild={"spice": 5})
    until(play, "auction-return")
    say(play, "ixians", PutBack(Card("Kulon"), top=True))
    silence(play)  # Stunner goes back on top of it
    known = [{"card": "Kulon", "where": "top"}]
    assert view(play, "ixians")["deck_known"] == known == view(play, "gm")["deck_known"]
    assert view(play, "guild")["deck_known"] is None
    assert play.game.draw_treachery() == "Stunner"
    assert view(play, "ixians")["deck_known"] == known
    assert play.game.draw_treachery() == "Kulon"
    assert view(play, "ixians")["deck_known"] == []


@pytest.mark.clause("IT.BID.4")
def test_a_card_at_the_bottom_is_known_until_the_deck_is_drawn_out() -> None:
    play = bidding(*CARDS, ixians={}, guild={"spice": 5})
    until(play, "auction-return")
    say(play, "ixians", PutBack(Card("Baliset"), top=False))
    silence(play)
    while len(play.state.treachery_deck) > 1:
        assert view(play, "ixians")["deck_known"] == [{"card": "Baliset", "where": "bottom"}]
        play.state.treachery_discard.append(play.game.draw_treachery() or Card(""))
    assert play.game.draw_treachery() == "Baliset"
    assert view(play, "ixians")["deck_known"] == []


# --- Technology ------------------------------------------------------------------------------------------------------


def technology(play: Play) -> Question:
    (question,) = until(play, "technology")
    return question


@pytest.mark.clause("IT.BID.9")
@pytest.mark.parametrize(("value", "seen"), [("yes", False), ("no", True)])
def test_they_swap_blindly_or_not(value: str, seen: bool) -> None:
    play = bidding(*CARDS, ixians={"hand": ["Karama"]}, guild={"spice": 5}, options={"technology_blind": value})
    question = technology(play)
    assert ("next" in question.facts) == seen
    if seen:
        assert question.facts["next"] == play.game.moments.auction.cards[0]  # type: ignore[union-attr]


@pytest.mark.clause("IT.BID.8")
def test_it_is_asked_before_each_card_until_it_is_used() -> None:
    play = bidding(*CARDS, ixians={"hand": ["Hajr"], "spice": 5}, guild={"spice": 5}, emperor={"spice": 5})
    for number in (1, 2):
        assert technology(play).facts["number"] == number
        say(play, "ixians", NoSwap())
        until(play, "bid")
        first = play.questions()[0].faction
        say(play, first, Bid(1))
        while play.questions() and play.questions()[0].kind == "bid":
            say(play, play.questions()[0].faction, Pass())
    assert technology(play).facts["number"] == 3
    say(play, "ixians", Swap(Card("Hajr")))
    assert until(play, "technology") == []


def _bid_one(play: Play) -> None:
    """Make one bid, which nobody raises."""
    say(play, until(play, "bid")[0].faction, Bid(1))
    while play.questions() and play.questions()[0].kind == "bid":
        say(play, play.questions()[0].faction, Pass())


@pytest.mark.clause("IT.BID.8")
@pytest.mark.parametrize("ahead", [False, True])
def test_nobody_can_tell_whether_it_was_waived_or_is_left_to_silence(ahead: bool) -> None:
    """In one twin the Ixians say “no swap all”, either before the first card or when it comes up; in the other they say
    nothing. Both pause before each card, and the other players see the same in both."""
    seen: list[list[object]] = []
    for waived in (True, False):
        play = bidding(*CARDS, ixians={"hand": ["Hajr"], "spice": 5}, guild={"spice": 5}, emperor={"spice": 5})
        if ahead and waived:
            say(play, "ixians", NoSwapAll())
        found: list[object] = []
        for number in (1, 2, 3):
            question = technology(play)
            assert question.facts["number"] == number
            assert question.waived == (waived and (ahead or number > 1))
            found += [(all_seen(play, viewer), view(play, viewer)) for viewer in ("guild", "emperor", "public")]
            found.append(play.stop_name)
            if number == 1 and not ahead:
                say(play, "ixians", NoSwapAll() if waived else NoSwap())
            else:
                play.expire([question.key])
            _bid_one(play)
        seen.append(found)
    assert seen[0] == seen[1]


@pytest.mark.clause("IT.BID.8")
def test_who_has_waived_it_may_say_so_again_to_keep_the_pace() -> None:
    play = bidding(*CARDS, ixians={"hand": ["Hajr"], "spice": 5}, guild={"spice": 5}, emperor={"spice": 5})
    technology(play)
    say(play, "ixians", NoSwapAll())
    _bid_one(play)
    assert technology(play).waived
    say(play, "ixians", NoSwap())
    assert play.questions()[0].kind == "bid"


@pytest.mark.clause("IT.BID.8")
def test_with_an_empty_hand_it_is_not_asked() -> None:
    play = bidding(*CARDS, ixians={"spice": 5}, guild={"spice": 5})
    assert until(play, "technology") == []


@pytest.mark.clause("IT.BID.11", "IT.OTHERS.1")
def test_the_names_of_a_swap_go_to_the_ixians_alone() -> None:
    play = bidding(*CARDS, ixians={"hand": ["Hajr"]}, guild={"spice": 5}, atreides={"spice": 5})
    technology(play)
    say(play, "ixians", Swap(Card("Hajr")))
    until(play, "bid")
    (used,) = told(play, "technology-used")
    assert used.facts == {"faction": "ixians", "number": 1}
    assert set(used.private) == {"ixians"}
    (up,) = told(play, "card-up")
    assert up.seen_by("atreides")["card"] == "Hajr"
    assert used.private["ixians"]["got"] not in all_seen(play, "atreides")


# --- Battle ----------------------------------------------------------------------------------------------------------


@pytest.mark.clause("IT.OTHERS.6")
def test_sardaukar_are_worth_two_against_them() -> None:
    sides = {"emperor": {"forces": {"carthag": "0+2"}, "spice": 9}, "ixians": {"forces": {"carthag": "1"}}}
    play = at("battle", factions=sides, hms="polar-sink")
    plan = next(question for question in until(play, "battle-plan") if question.faction == "emperor")
    assert plan.facts["most"] == "4"


@pytest.mark.clause("IT.FORCE.6")
def test_a_window_before_the_exchange_only_where_there_is_one_to_stop() -> None:
    """Everybody saw Cyborgs lost and Suboids survive."""
    for forces, held in (("6+2", True), ("0+2", False)):
        sides = {"ixians": {"forces": {"carthag": forces}}, "guild": {"forces": {"carthag": "1"}}}
        play = at("battle", "gf9-basic", factions=sides, hms="polar-sink")
        until(play, "battle-plan")
        say(play, "ixians", Plan(4.0, "Cammar Pilru"))
        windows = []
        while not play.phase_over:
            windows += [question.facts.get("why") for question in play.questions() if question.kind == "karama-window"]
            play.expire()
        assert ("exchange" in windows) == held


def test_suboids_alone_are_not_offered_a_landing_from_which_only_cyborgs_go_on() -> None:
    """Allies stand inside the stronghold and at its target, so the question would offer half of what is affordable."""
    allies = {HMS: "2", "south-mesa/5": "2"}
    factions = {"ixians": {"spice": 20, "reserves": "4+1"}, "guild": {"forces": allies}, "emperor": {}}
    play = at("movement", factions=factions, alliances=[["ixians", "guild"]], hms="south-mesa/5", storm=15)
    asked = [question for question in until(play, "shipment") if question.faction == "ixians"]
    while not asked:
        play.expire()
        asked = [question for question in until(play, "shipment") if question.faction == "ixians"]
    (question,) = asked
    landings = [order for order in question.samples() if isinstance(order, Ship) and order.target == MOBILE_STRONGHOLD]
    assert landings
    assert all(order.forces.elite for order in landings)
    assert all(question.refusal(order) is None for order in landings)


# --- Moving on foot, and visibility ------------------------------------------------------------------------------


@pytest.mark.clause("IT.FORCE.10")
def test_a_group_with_a_cyborg_that_would_go_too_far_hears_of_the_rule_of_cyborgs() -> None:
    play = at("movement", hms="polar-sink", factions={"ixians": {"forces": {"red-chasm/7": "1+1"}}, "guild": {}})
    until(play, "movement")
    outcome = play.check("ixians", Move(Forces(1, 1), source=Area("red-chasm/7"), target=Area("harg-pass/4")))
    assert outcome.refusal
    assert outcome.refusal.clause == "IT.FORCE.10"


@pytest.mark.clause("FAQ.KARAMA-IXI.2", "FAQ.KARAMA-FRE.1")
@pytest.mark.parametrize(
    ("effect", "clause"),
    [("cancel cyborg speed", "FAQ.KARAMA-IXI.2"), ("cancel fremen move", "FAQ.KARAMA-FRE.1")],
)
def test_a_karama_against_a_far_move_out_of_its_time_hears_whose_move_it_is_about(
    effect: KaramaEffect, clause: str
) -> None:
    start = {"ixians": {}, "fremen": {}, "guild": {"hand": ["Karama"]}}
    outcome = at("collection", hms="polar-sink", factions=start).check("guild", Karama(effect))
    assert outcome.refusal
    assert outcome.refusal.clause == clause


@pytest.mark.parametrize(
    ("faction", "karama", "clause"),
    [
        ("atreides", Karama("see plan", faction="guild"), "FAQ.ADV-KARAMA.6"),
        ("emperor", Karama("revive", forces=Forces(1)), "FAQ.ADV-KARAMA.7"),
        ("fremen", Karama("worm", territory=TerritoryId("red-chasm")), "FAQ.ADV-KARAMA.8"),
        ("guild", Karama("stop shipment"), "FAQ.ADV-KARAMA.9"),
        ("harkonnen", Karama("take cards", faction="guild", number=1), "FAQ.ADV-KARAMA.10"),
        ("ixians", Karama("hms", area=Area("south-mesa/6")), "FAQ.ADV-KARAMA.11"),
        ("tleilaxu", Karama("stop revival", faction="guild"), "FAQ.ADV-KARAMA.12"),
    ],
)
def test_a_special_karama_out_of_its_phase_hears_the_rule_of_its_own_faction(
    faction: Faction, karama: Karama, clause: str
) -> None:
    others: list[Faction] = [one for one in NEIGHBOURS if one != faction]
    seats: dict[Faction, dict[str, Any]] = {faction: {"hand": ["Karama"], "tanks": "2"}, **{o: {} for o in others}}
    outcome = at("collection", hms="red-chasm/7", factions=seats).check(faction, karama)
    assert outcome.refusal
    assert "only in the" in outcome.refusal.reason
    assert outcome.refusal.clause == clause


@pytest.mark.clause("IT.HMS.8")
def test_all_see_where_the_mobile_stronghold_points_and_who_is_inside() -> None:
    inside = {"ixians": {"forces": {HMS: "2+1"}}, "guild": {"forces": {HMS: "1"}}}
    play = at("movement", hms="red-chasm/7", factions=inside)
    for viewer in ("ixians", "guild", "public", "gm"):
        seen = view(play, viewer)
        assert seen["hms"] == {"at": "red-chasm/7", "forces": {"guild": "1", "ixians": "2+1"}}
        assert seen["hms"]["forces"] == seen["forces"][HMS]
