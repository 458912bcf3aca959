"""Tests for allies in one territory, and for ornithopters, under optional rules."""

from collections.abc import Mapping
from typing import Any

import pytest

from rules import views
from rules.components import Card, Faction
from rules.components.board import parse_area, territory_of
from rules.engine.play import Play
from rules.orders import Karama, Move, NoMove, NoShipment, Order, Ship
from rules.positions.position import position
from tests.rules.stage import say
from tests.rules.test_movement import asked, move, refused, ship, silence_until

CARTHAG, ARRAKEEN, BASIN = parse_area("carthag"), parse_area("arrakeen"), parse_area("imperial-basin/11")
TUEKS, MESA, WALL = parse_area("tueks-sietch"), parse_area("pasty-mesa/6"), parse_area("shield-wall/8")
ALLIED = [["atreides", "emperor"]]


def at_movement(options: Mapping[str, str], alliances: list[list[str]] = ALLIED, **factions: Any) -> Play:
    """Return a basic game of 1979 with these options, at its first movement stop; dots are 2, 5, 8, ..."""
    start = {"turn": 4, "phase": "movement", "storm": 1, "factions": list(factions), "faction": factions}
    dots = dict(zip(factions, (2, 5, 8, 11, 14, 17), strict=False))
    document = {"ruleset": "ah-basic", "options": options, "start": {**start, "dots": dots, "alliances": alliances}}
    play = position(document).play()
    play.begin_phase("movement")
    play.settle()
    return play


def question(play: Play, faction: Faction, kind: str) -> Any:
    silence_until(play, faction, kind)
    return next(one for one in play.questions() if one.faction == faction and one.kind == kind)


# --- found together -----------------------------------------------------------------------------------------------


LEAVES = {"allies_found_together": "second_mover_leaves_or_loses"}
BOTH: dict[str, Any] = {
    "atreides": {"forces": {"arrakeen": "3"}},
    "emperor": {"forces": {"arrakeen": "4", "carthag": "1"}},
    "guild": {},
}


@pytest.mark.clause("GF9.ALLIANCE.9")
def test_what_the_second_of_two_allies_leaves_behind_is_lost_and_everybody_is_told() -> None:
    play = at_movement(LEAVES, **BOTH)
    silence_until(play, "guild", "shipment")
    assert str(play.state.players["emperor"].tanks) == "4"
    (told,) = [event for event in play.events if event.kind == "lost-beside-ally"]
    assert told.audience is None
    assert told.facts == {"faction": "emperor", "ally": "atreides", "forces": "4", "territory": "arrakeen"}


@pytest.mark.clause("GF9.ALLIANCE.9")
@pytest.mark.parametrize("of_last_turn", [[], [("emperor", "guild"), ("atreides", "harkonnen")]])
def test_allies_of_this_turn_stay_together(of_last_turn: list[tuple[Faction, ...]]) -> None:
    play = position(
        {
            "ruleset": "ah-basic",
            "options": LEAVES,
            "start": {"turn": 4, "phase": "movement", "faction": BOTH, "factions": list(BOTH)},
        }
    ).play()
    play.state.alliances = [("atreides", "emperor")]  # since this turn's nexus
    play.state.old_alliances = of_last_turn
    play.begin_phase("movement")
    play.settle()
    silence_until(play, "guild", "shipment")
    assert not play.state.players["emperor"].tanks
    assert not play.state.players["atreides"].tanks


@pytest.mark.clause("GF9.ALLIANCE.9")
def test_who_joined_an_alliance_this_turn_drives_nobody_out() -> None:
    """The Emperor, an old ally of Atreides, moves after the Guild, a new ally, and before Atreides, who must leave."""
    factions: dict[str, Any] = {
        name: {"forces": {"imperial-basin/11": "3"}} for name in ("guild", "emperor", "atreides")
    }
    play = at_movement(LEAVES, [["guild", "emperor", "atreides"]], **factions)
    play.state.old_alliances = [("atreides", "emperor")]
    play.begin_phase("movement")
    play.settle()
    while not play.phase_over:
        play.expire()
    assert [event.facts["faction"] for event in play.events if event.kind == "lost-beside-ally"] == ["atreides"]
    assert play.game.here(BASIN, "emperor").total == play.game.here(BASIN, "guild").total == 3


@pytest.mark.clause("GF9.ALLIANCE.9")
def test_alliances_are_old_ones_when_the_next_turn_begins() -> None:
    play = position(
        {"ruleset": "ah-basic", "start": {"turn": 4, "phase": "mentat", "faction": BOTH, "factions": list(BOTH)}}
    ).play()
    play.state.alliances = [("atreides", "emperor")]
    assert play.state.old_alliances == []
    play.begin_phase("mentat")
    play.advance()
    assert (play.state.turn, play.state.old_alliances) == (5, [("atreides", "emperor")])


@pytest.mark.clause("GF9.ALLIANCE.9", "GF9.ALLIANCE.8")
def test_nobody_has_to_leave_the_polar_sink() -> None:
    factions: dict[str, Any] = {
        "atreides": {"forces": {"polar-sink": "3"}},
        "emperor": {"forces": {"polar-sink": "4"}},
        "guild": {},
    }
    play = at_movement(LEAVES, **factions)
    silence_until(play, "guild", "shipment")
    assert str(play.game.here(parse_area("polar-sink"), "emperor")) == "4"


# --- shipped through an ally's territory ---------------------------------------------------------------------------


PASSES = {"ally_territory": "pass_through"}
LANDING: dict[str, Any] = {
    "atreides": {"spice": 9, "reserves": "5", "forces": {"tueks-sietch": "2"}},
    "emperor": {"forces": {"carthag": "1", "arsunt/11": "1"}},
    "guild": {},
}


@pytest.mark.clause("FAQ.SHIP.2")
def test_tokens_shipped_to_an_ally_go_on_all_together_and_to_no_ally() -> None:
    play = at_movement(PASSES, **LANDING)
    say(play, "atreides", ship("3", CARTHAG))
    assert ("atreides", "movement", "") in asked(play)
    wrong: tuple[Order, ...] = (
        NoMove(), move("2", TUEKS, MESA), move("2", CARTHAG, BASIN), move("3", CARTHAG, parse_area("arsunt/12")),
    )  # fmt: skip
    for order in wrong:
        assert "ally" in refused(play, "atreides", order), order
    say(play, "atreides", move("3", CARTHAG, BASIN))
    assert str(play.game.here(BASIN, "atreides")) == "3"


@pytest.mark.clause("FAQ.SHIP.2")
def test_silence_and_samples_lead_out_of_the_allys_territory() -> None:
    play = at_movement(PASSES, **LANDING)
    say(play, "atreides", ship("3", CARTHAG))
    open_now = question(play, "atreides", "movement")
    assert isinstance(open_now.default, Move)
    assert open_now.default in open_now.samples()
    assert open_now.facts["leave"] == "carthag"
    for order in open_now.samples():
        assert open_now.refusal(order) is None
        assert territory_of(order.target) not in ("carthag", "arsunt")


@pytest.mark.clause("FAQ.SHIP.2", "GF9.ALLIANCE.8")
def test_no_sample_ends_beside_an_ally_who_may_be_passed() -> None:
    play = at_movement(PASSES, **{**LANDING, "atreides": {"forces": {"arrakeen": "2", "imperial-basin/11": "4"}}})
    samples = question(play, "atreides", "movement").samples()
    goals = {territory_of(order.target) for order in samples if isinstance(order, Move)}
    assert goals
    assert goals.isdisjoint({"carthag", "arsunt"})


@pytest.mark.clause("FAQ.SHIP.2")
def test_to_another_sector_of_the_allys_territory_is_not_on() -> None:
    factions: dict[str, Any] = {**LANDING, "emperor": {"forces": {"imperial-basin/10": "1"}}}
    play = at_movement(PASSES, **factions)
    say(play, "atreides", ship("2", BASIN))
    for goal in ("imperial-basin/9", "imperial-basin/10"):
        assert "move on all tokens that you shipped there" in refused(
            play, "atreides", move("2", BASIN, parse_area(goal))
        )
    say(play, "atreides", move("2", BASIN, ARRAKEEN))
    assert str(play.game.here(ARRAKEEN, "atreides")) == "2"


@pytest.mark.clause("FAQ.SHIP.2")
def test_who_stands_with_an_ally_already_does_not_ship_more_there() -> None:
    factions: dict[str, Any] = {**LANDING, "atreides": {"spice": 9, "reserves": "5", "forces": {"carthag": "1"}}}
    assert "ally" in refused(at_movement(PASSES, **factions), "atreides", ship("3", CARTHAG))


@pytest.mark.clause("AH.SHIELD.GUI.KARAMA", "FAQ.SHIP.2")
def test_a_stopped_shipment_leaves_nothing_to_move_on() -> None:
    factions: dict[str, Any] = {**LANDING, "guild": {"hand": ["Karama"]}}
    play = at_movement({**PASSES, "karama_special": "on"}, **factions)
    say(play, "atreides", ship("3", CARTHAG))
    say(play, "guild", Karama("stop shipment"))
    open_now = question(play, "atreides", "movement")
    assert open_now.facts["leave"] is None, "nothing has landed beside the ally"
    say(play, "atreides", NoMove())


# --- a Karama for another's shipment --------------------------------------------------------------------------------


ANYBODYS = {"karama_half_rate_for": "any_player"}


def with_karamas(shipper_spice: int = 3) -> Play:
    return at_movement(
        ANYBODYS,
        [],
        atreides={"spice": shipper_spice, "reserves": "9"},
        emperor={"hand": ["Karama"]},
        guild={},
        harkonnen={"hand": ["Karama"]},
    )


@pytest.mark.clause("FAQ.KARAMA.1")
def test_that_a_karama_is_meant_for_a_shipment_only_its_shipper_and_its_player_hear() -> None:
    play = with_karamas()
    say(play, "emperor", Karama("half shipping", faction="atreides"))
    (told,) = [event for event in play.events if event.kind == "half-rate-meant"]
    assert set(told.audience or ()) == {"atreides", "emperor"}
    (other,) = play.submit("harkonnen", [Karama("half shipping", faction="atreides")])
    assert other.refusal is None, "what others mean to play is not for them to know"


@pytest.mark.clause("FAQ.KARAMA.1")
def test_a_karama_meant_for_another_and_lost_before_leaves_nothing_shipped_that_cannot_be_paid() -> None:
    play = with_karamas()
    say(play, "emperor", Karama("half shipping", faction="atreides"))
    play.state.players["emperor"].hand.remove(Card("Karama"))
    assert "That costs 5" in refused(play, "atreides", ship("5", CARTHAG))


@pytest.mark.clause("FAQ.KARAMA.1")
def test_a_karama_is_for_the_shipper_whose_slot_it_is() -> None:
    play = with_karamas()
    say(play, "atreides", NoShipment())
    assert refused(play, "emperor", Karama("half shipping", faction="harkonnen"))


# --- ornithopters ---------------------------------------------------------------------------------------------------


@pytest.mark.clause("GF9.MOVE.2")
def test_a_stopped_shipment_to_a_city_gives_no_ornithopters() -> None:
    options = {"ornithopter_check": "start_of_force_move", "karama_special": "on"}
    factions: dict[str, Any] = {
        "atreides": {"spice": 9, "reserves": "5", "forces": {"tueks-sietch": "2"}},
        "guild": {"hand": ["Karama"]},
        "harkonnen": {},
    }
    play = at_movement(options, [], **factions)
    say(play, "atreides", Ship(ship("3").forces, None, ARRAKEEN))
    say(play, "guild", Karama("stop shipment"))
    silence_until(play, "atreides", "movement")
    assert "at most 1" in refused(play, "atreides", move("2", TUEKS, WALL))


@pytest.mark.clause("VACA.IX.C.2.a.i", "GF9.MOVE.2", "AH.IX.C.2.a.1-a")
@pytest.mark.parametrize(
    ("check", "seen"),
    [("start_of_own_move", []), ("start_of_movement_round", []), ("start_of_force_move", ["atreides"])],
)
def test_the_view_shows_who_has_ornithopters_as_the_rule_set_looks_at_it(check: str, seen: list[str]) -> None:
    play = at_movement({"ornithopter_check": check}, [], atreides={"spice": 9, "reserves": "5"}, guild={})
    say(play, "atreides", ship("3", ARRAKEEN))
    silence_until(play, "atreides", "movement")
    assert views.view(play, "public")["ornithopters"] == seen


@pytest.mark.clause("AH.IX.C.2.a.1-a")
def test_the_view_shows_a_city_entered_since_the_storm_until_the_own_move_begins() -> None:
    play = at_movement({"ornithopter_check": "start_of_own_move"}, [], atreides={}, guild={"reserves": "5", "spice": 9})
    play.game.deploy("guild", ship("3").forces, ARRAKEEN)
    assert views.view(play, "public")["ornithopters"] == ["guild"]
