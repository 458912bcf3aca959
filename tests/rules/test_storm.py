"""Tests for the storm round beyond the rulings: chance, secrecy, and questions (AH.VI, AH.XVI, WBC.VI)."""

from typing import Any

import pytest
from msgspec import UNSET

from rules.chapters.occupancy import in_storm
from rules.chapters.storm import half_of
from rules.components import Card, Forces
from rules.components.board import MOBILE_STRONGHOLD, Area, parse_area
from rules.engine.play import Play
from rules.orders import FamilyAtomics, Karama, NoStormCards, Order, StormDial, WeatherControl
from rules.positions.position import position
from rules.state.events import Event
from tests.rules.stage import at, say, told, until


def storm_round(ruleset: str, **start: Any) -> Play:
    """Return a game at the first stop of a storm round."""
    return at("storm", ruleset, **{"turn": 3, **start})


def the(play: Play, kind: str) -> Event:
    """Return the only event of this kind."""
    (event,) = told(play, kind)
    return event


@pytest.mark.clause("AH.VI.B-a", "AH.VI.B-c")
def test_whoever_handled_the_wheels_last_dials_and_dials_again_without_a_battle() -> None:
    play = storm_round("ah-basic", storm=3)
    play.state.storm_dialers = ("emperor", "harkonnen")
    assert {question.faction for question in until(play, "storm-dial")} == {"emperor", "harkonnen"}
    until(play, "nothing")
    play.state.turn = 4
    play.begin_phase("storm")
    play.settle()
    assert {question.faction for question in until(play, "storm-dial")} == {"emperor", "harkonnen"}


@pytest.mark.clause("AH.VI.B-b", "AH.II.C")
def test_no_dial_is_told_before_both_are_in() -> None:
    play = storm_round("ah-basic", storm=3)
    first, second = until(play, "storm-dial")
    play.submit(first.faction, [StormDial(3)])
    assert not [event for event in play.events if event.kind == "storm-dialled"]
    play.submit(second.faction, [StormDial(1)])
    assert the(play, "storm-dialled").facts == {"dials": {first.faction: 3, second.faction: 1}, "sectors": 4}


@pytest.mark.clause("AH.VI.A-a", "AH.VI.B-a")
@pytest.mark.parametrize(("turn", "numbers"), [(1, set(range(21))), (2, {1, 2, 3})])
def test_silence_dials_at_random(turn: int, numbers: set[int]) -> None:
    dialled: set[int] = set()
    for seed in range(60):
        play = storm_round("ah-basic", turn=turn, rng=f"silent-{seed}")
        until(play, "nothing")
        dialled.update(the(play, "storm-dialled").facts["dials"].values())
    assert dialled == numbers


@pytest.mark.clause("AH.II.G", "AH.XVI.B-a", "AH.XVI.B-b", "AH.XVI.C-b")
def test_the_fremen_draw_one_of_six_markers_and_alone_see_it() -> None:
    drawn = set()
    for seed in range(60):
        play = storm_round("wbc-2018", next_storm=6, rng=f"marker-{seed}")
        until(play, "nothing")
        event = the(play, "storm-marker-drawn")
        assert event.seen_by("fremen")["marker"] == play.state.next_storm
        assert all("marker" not in event.seen_by(viewer) for viewer in ("atreides", "guild", "public"))
        drawn.add(play.state.next_storm)
    assert drawn == {1, 2, 3, 4, 5, 6}


@pytest.mark.clause("FAQ.KARAMA-FRE.3")
def test_a_marker_that_a_karama_hides_is_told_to_nobody() -> None:
    start = {"next_storm": 2, "factions": ["emperor", "fremen"], "faction": {"emperor": {"hand": ["Karama"]}}}
    play = storm_round("gf9-advanced", **start)
    until(play, "karama-window")
    say(play, "emperor", Karama("cancel storm card"))
    until(play, "nothing")
    event = the(play, "storm-marker-drawn")
    assert event.private == {}
    assert "marker" not in event.facts
    assert play.state.next_storm in range(1, 7)


@pytest.mark.clause("AH.XVI.D")
def test_without_fremen_the_marker_is_drawn_and_nobody_sees_it() -> None:
    play = storm_round("wbc-2018", next_storm=2, factions=["emperor", "guild"])
    until(play, "nothing")
    event = the(play, "storm-marker-drawn")
    assert event.private == {}
    assert "marker" not in event.facts
    assert play.state.next_storm in range(1, 7)


@pytest.mark.clause("AH.XVI.D")
def test_markers_without_fremen_are_left_for_the_dials_where_the_rule_set_says_so() -> None:
    start = {"turn": 3, "phase": "storm", "factions": ["emperor", "guild"]}
    options = {"storm_movement": "fremen_marker_1_6"}
    play = position({"ruleset": "ah-basic", "options": options, "start": start}).play()
    play.begin_phase("storm")
    play.settle()
    assert {question.faction for question in until(play, "storm-dial")} == {"emperor", "guild"}
    until(play, "nothing")
    assert play.state.next_storm is None


@pytest.mark.clause("AH.XVI.C-a", "WBC.VI.1")
def test_the_marker_is_told_before_any_card_is_asked_for() -> None:
    play = storm_round("wbc-2018", storm=16, next_storm=4)
    assert the(play, "storm-marker").facts == {"sectors": 4}
    assert play.state.next_storm is None
    until(play, "nothing")
    assert the(play, "storm-moved").facts == {"start": 16, "sectors": 4, "storm": 2}


@pytest.mark.clause("AH.VI.A-b")
def test_the_first_dials_of_wbc_may_carry_the_storm_round_the_board() -> None:
    play = storm_round("wbc-2018", turn=1, storm=1)
    for question in until(play, "storm-dial"):
        play.submit(question.faction, [StormDial(20)])
    assert play.state.storm == 5  # 1 + 40 = 41 = 2 * 18 + 5


@pytest.mark.clause("AH.AID.TIMED.2", "WBC.VI.2")
def test_a_weather_control_among_the_discards_is_not_asked_for() -> None:
    play = storm_round("wbc-2018", next_storm=2, treachery_discard=["Weather Control"])
    assert until(play, "storm-cards") == []


@pytest.mark.clause("AH.AID.TIMED.5-e")
def test_family_atomics_out_of_the_game_are_not_asked_for() -> None:
    forces = {"guild": {"forces": {"shield-wall/8": "1"}}}
    play = storm_round("wbc-2018", next_storm=2, shield_wall=False, faction=forces)
    assert {question.facts["card"] for question in until(play, "storm-cards")} == {"Weather Control"}
    play.expire()
    assert play.phase_over


@pytest.mark.clause("WBC.VI.2", "WBC.VI.3", "AH.XIII.A-b")
def test_who_holds_the_storm_cards_shows_in_nothing_that_is_asked() -> None:
    def stops(holder: str) -> list[Any]:
        hand = {"hand": ["Weather Control", "Family Atomics"]}
        forces = {"forces": {"shield-wall/8": "1"}}
        factions = {faction: {**forces, **(hand if faction == holder else {})} for faction in ("guild", "emperor")}
        play = storm_round("wbc-2018", next_storm=2, factions=["emperor", "guild"], faction=factions)
        seen = []
        while not play.phase_over:
            seen.append([(question.key, question.facts, question.default) for question in play.questions()])
            play.expire()
        return [*seen, [(event.kind, event.facts) for event in play.events]]

    assert stops("guild") == stops("emperor")


@pytest.mark.clause("AH.II.A.3", "AH.III.E.1", "WBC.MAP.2")
def test_order_of_play_goes_by_dots_and_passes_the_empty_ones_and_the_one_under_the_storm() -> None:
    dots = {"atreides": 17, "emperor": 2, "guild": 8, "harkonnen": 11}
    play = storm_round("wbc-2018", storm=5, next_storm=3, factions=list(dots), dots=dots)
    until(play, "nothing")
    assert play.state.storm == 8
    assert the(play, "order-of-play").facts["order"] == ["harkonnen", "atreides", "emperor", "guild"]


@pytest.mark.clause("AH.VI.C-e")
def test_spice_in_the_way_of_the_storm_goes_back_to_the_bank() -> None:
    play = storm_round("wbc-2018", storm=5, next_storm=2, spice={"red-chasm/7": 8, "the-minor-erg/8": 5})
    until(play, "nothing")
    assert play.state.spice == {"the-minor-erg/8": 5}
    assert the(play, "storm-took-spice").facts == {"area": "red-chasm/7", "amount": 8}


@pytest.mark.clause("WBC.XV.11")
def test_what_was_declared_last_turn_is_remembered_and_nothing_is_declared_yet() -> None:
    bene_gesserit = {"forces": {"red-chasm/7": "1"}, "coexisting": ["red-chasm"]}
    factions = {"bene-gesserit": bene_gesserit, "guild": {"forces": {"red-chasm/7": "1"}}}
    play = storm_round("wbc-2018", storm=10, next_storm=2, faction=factions)
    assert play.state.coexisted == ["red-chasm"]
    assert play.state.presence == {}


@pytest.mark.clause("WBC.VI.1", "AH.AID.TIMED.5-c", "AH.AID.TIMED.5-d", "AH.VI.C-a", "AH.VI.C-e", "AH.IX.A")
def test_a_storm_round_is_told_step_by_step() -> None:
    dots = {"atreides": 2, "emperor": 5, "fremen": 11}
    factions = {
        "atreides": {"forces": {"arrakeen": "6", "shield-wall/8": "2"}},
        "emperor": {"hand": ["Weather Control", "Family Atomics"], "forces": {"shield-wall/9": "1"}},
        "fremen": {"forces": {"old-gap/9": "3", "carthag": "1"}},
    }
    play = storm_round(
        "wbc-2018", storm=8, next_storm=5, factions=list(dots), dots=dots, faction=factions, spice={"old-gap/10": 6}
    )
    play.submit("emperor", [WeatherControl(2), FamilyAtomics()])
    until(play, "nothing")
    assert [(event.kind, event.facts) for event in play.events] == [
        ("storm-marker", {"sectors": 5}),
        ("weather-control", {"faction": "emperor", "sectors": 2}),
        ("family-atomics", {"faction": "emperor", "dead": {"atreides": "2", "emperor": "1"}}),
        ("storm-moved", {"start": 8, "sectors": 2, "storm": 10}),
        ("storm-killed", {"faction": "atreides", "territory": "arrakeen", "forces": "6"}),
        ("storm-killed", {"faction": "fremen", "territory": "old-gap", "forces": "2"}),
        ("storm-took-spice", {"area": "old-gap/10", "amount": 6}),
        ("order-of-play", {"order": ["fremen", "atreides", "emperor"], "ornithopters": ["fremen"]}),
        ("storm-marker-drawn", {"fremen": True}),
    ]
    assert play.state.treachery_discard == ["Weather Control"]
    assert play.state.set_aside == ["Family Atomics"]


def test_every_listed_choice_of_a_storm_question_is_legal() -> None:
    guild = {"hand": ["Weather Control", "Family Atomics"], "forces": {"shield-wall/8": "1"}}
    for ruleset in ("ah-basic", "wbc-2018"):
        play = storm_round(ruleset, faction={"guild": guild})
        seen: set[str] = set()
        while not play.phase_over:
            for question in play.questions():
                orders = [question.default, *question.samples()]
                assert [question.refusal(order) for order in orders] == [None] * len(orders)
                assert all(question.fits(order) for order in orders)
                seen.update(type(order).__name__ for order in orders)
            play.expire()
        assert {"WeatherControl", "FamilyAtomics", "NoStormCards"} <= seen
        assert Card("Weather Control") in play.state.players["guild"].hand


@pytest.mark.clause("WBC.VI.5", "WBC.VI.6")
@pytest.mark.parametrize(("ruleset", "turn", "status"), [("wbc-2018", 1, "refused"), ("ah-basic", 3, "held")])
def test_that_no_card_is_played_can_be_said_ahead_where_one_might_be(ruleset: str, turn: int, status: str) -> None:
    play = storm_round(ruleset, turn=turn)
    dialler = until(play, "storm-dial")[0].faction
    assert play.check(dialler, NoStormCards()).status == status


def in_either_order(**options: str) -> Play:
    """Return a storm round in which the Emperor holds both storm cards, with these options."""
    emperor = {"hand": ["Weather Control", "Family Atomics"], "forces": {"pasty-mesa/8": "1"}}
    start = {"turn": 3, "phase": "storm", "storm": 5, "factions": ["emperor", "guild"], "faction": {"emperor": emperor}}
    play = position({"ruleset": "ah-basic", "options": {"storm_card_order": "as_played", **options}, "start": start})
    game = play.play()
    game.begin_phase("storm")
    game.settle()
    return game


@pytest.mark.clause("FAQ.STORM.4")
def test_both_storm_cards_of_one_message_take_effect_in_the_order_written() -> None:
    play = in_either_order(weather_control_window="either")
    until(play, "storm-cards")
    play.submit("emperor", [FamilyAtomics(), WeatherControl(9), WeatherControl(4)])
    until(play, "nothing")
    kinds = [event.kind for event in play.events if event.kind in ("family-atomics", "weather-control")]
    assert kinds == ["family-atomics", "weather-control"]
    assert the(play, "weather-control").facts["sectors"] == 4
    assert not told(play, "storm-dialled")


@pytest.mark.clause("FAQ.STORM.4")
def test_no_storm_cards_takes_back_what_stands_before_it() -> None:
    play = in_either_order(weather_control_window="after_reveal")
    until(play, "storm-dial")
    until(play, "storm-cards")
    play.submit("emperor", [WeatherControl(4), NoStormCards()])
    until(play, "nothing")
    assert not told(play, "weather-control")
    assert not told(play, "family-atomics")


@pytest.mark.clause("FAQ.STORM.1", "FAQ.TREACHERY.5")
@pytest.mark.parametrize(
    ("window", "early", "late"),
    [("before_reveal", True, False), ("after_reveal", False, True), ("either", True, True)],
)
def test_each_storm_card_is_asked_for_in_its_window(window: str, early: bool, late: bool) -> None:
    play = in_either_order(weather_control_window=window)
    question = until(play, "storm-cards")[0]
    assert question.fits(FamilyAtomics())
    assert question.fits(WeatherControl(3)) is early
    until(play, "storm-dial")
    play.expire()
    question = until(play, "storm-cards")[0]
    assert question.fits(FamilyAtomics())
    assert question.fits(WeatherControl(3)) is late
    assert (play.check("emperor", WeatherControl(3)).status == "accepted") is late


@pytest.mark.clause("FAQ.STORM.4")
def test_everybody_is_asked_again_after_a_storm_card_until_nobody_plays_one() -> None:
    play = in_either_order(weather_control_window="either")
    assert {question.faction for question in until(play, "storm-cards")} == {"emperor", "guild"}
    play.submit("emperor", [WeatherControl(2)])
    play.submit("guild", [NoStormCards()])
    asked = [question for question in play.questions() if question.kind == "storm-cards"]
    assert {question.faction for question in asked} == {"emperor", "guild"}
    assert all(question.fits(FamilyAtomics()) and not question.fits(WeatherControl(2)) for question in asked)


@pytest.mark.clause("IT.HMS.22")
@pytest.mark.parametrize(("door", "under"), [(None, False), ("red-chasm/7", True), ("pasty-mesa/6", False)])
def test_the_stronghold_that_moves_is_under_the_storm_where_it_points(door: str | None, under: bool) -> None:
    options = {"expansion": "ixians-tleilaxu"}
    start = {"turn": 4, "phase": "movement", "storm": 7, "factions": ["guild", "ixians"], "hms": "polar-sink"}
    game = position({"ruleset": "gf9-advanced", "options": options, "start": start}).play().game
    assert game.state.expansion is not UNSET
    game.state.expansion.stronghold_at = parse_area(door) if door else None
    assert in_storm(game, MOBILE_STRONGHOLD) is under


@pytest.mark.clause("FAQ.STORM.4")
@pytest.mark.parametrize(
    ("later", "stays"),
    [(FamilyAtomics(), True), (WeatherControl(4), False), (NoStormCards(), False)],
)
def test_beside_a_storm_card_stays_the_other_one_alone(later: Order, stays: bool) -> None:
    (question, *_) = until(at("storm", "gf9-basic", storm=6), "storm-cards")
    assert question.stays_beside(WeatherControl(3), later) is stays


@pytest.mark.clause("AH.SHIELD.FRE.7-a")
@pytest.mark.parametrize(
    ("there", "dead"),
    [
        ({"a/1": Forces(4)}, {"a/1": Forces(2)}),
        ({"a/1": Forces(5)}, {"a/1": Forces(3)}),
        ({"a/1": Forces(1, 3)}, {"a/1": Forces(1, 1)}),
        ({"a/1": Forces(3, 1)}, {"a/1": Forces(2)}),
        ({"a/1": Forces(0, 1), "a/2": Forces(0, 3)}, {"a/1": Forces(0, 1), "a/2": Forces(0, 1)}),
        ({"a/1": Forces(1), "a/2": Forces(3)}, {"a/1": Forces(1), "a/2": Forces(1)}),
        ({"a/1": Forces(0, 2), "a/2": Forces(1, 1)}, {"a/1": Forces(0, 1), "a/2": Forces(1)}),
    ],
)
def test_half_of_a_group_is_lost_ordinary_tokens_first(there: dict[Area, Forces], dead: dict[Area, Forces]) -> None:
    assert {area: lost for area, lost in half_of(there).items() if lost} == dead
