"""The caretaker plays legally and carefully, and uses only what its seat knows."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec
import pytest

from bot.games.silent_players import clear_strikes, let_caretaker_play
from bot.store.games import events_of
from bot.table.deputy import Battle, defence, play_for_absent_seats
from bot.table.table import Seat, Table
from bot.wording import say
from rules import views
from rules.components import FACTIONS, Faction, card_kind
from rules.components.chance import Chance
from rules.decisions.question import Question
from rules.engine.catalogue import load_rule_set
from rules.engine.log import Expired, Submitted
from rules.engine.play import Play
from rules.orders import CHEAP_HERO, Plan
from rules.positions.position import position
from rules.random_players import RandomPlayer, random_seats
from rules.state.state import State
from tests.moderator.table import CONFIG, GAME, World
from tests.properties.twins import CHANGES


def a_table(play: Play, *cared_for: Faction) -> Table:
    seats = {
        f: Seat(f, dot, f"{f}@players.example", f, "UTC", f, f) for f, dot in random_seats("seats", FACTIONS).items()
    }
    for faction in cared_for:
        seats[faction].care = True
    return Table("sietch-12", play.game.rules.name, {}, "seed", play, seats)


def a_battle(ruleset: str, opposing: str = "4", **given: Any) -> tuple[Question, Plan]:
    """Return the question for the Harkonnen's plan against the Guild in the Plastic Basin, and the caretaker's plan."""
    fighters: dict[str, Any] = {"guild": {"forces": {"plastic-basin/13": opposing}}}
    fighters["harkonnen"] = {"forces": {"plastic-basin/13": "6"}, "spice": 10, **given}
    start = {"phase": "battle", "turn": 3, "storm": 7, "factions": ["harkonnen", "guild"],
             "dots": {"harkonnen": 8, "guild": 11}, "faction": fighters}  # fmt: skip
    play = position({"ruleset": ruleset, "start": start}).play()
    play.begin_phase("battle")
    play.advance()
    for _ in range(50):
        for question in play.questions():
            if (question.faction, question.kind) == ("harkonnen", "battle-plan"):
                plan = defence(question, Battle.of(question, views.view(play, "harkonnen")))
                assert plan is not None
                assert question.refusal(plan) is None
                return question, plan
        play.expire()
        play.advance()
    raise AssertionError("no plan was asked for")


@pytest.mark.parametrize("ruleset", ["ah-basic", "wbc-2018"])
def test_it_sends_its_best_leader_with_a_weapon_and_a_defense(ruleset: str) -> None:
    _, plan = a_battle(ruleset, hand=["Crysknife", "Shield"])
    assert (plan.leader, plan.weapon, plan.defense) == ("Feyd-Rautha", "Crysknife", "Shield")


@pytest.mark.parametrize("ruleset", ["ah-basic", "wbc-2018"])
def test_it_does_not_blow_itself_up(ruleset: str) -> None:
    _, plan = a_battle(ruleset, hand=["Lasgun", "Shield"])
    kinds = {card_kind(card) for card in (plan.weapon, plan.defense) if card}
    assert kinds != {"lasgun", "shield"}


def test_a_lasgun_and_a_snooper_go_together() -> None:
    _, plan = a_battle("ah-basic", hand=["Lasgun", "Snooper"])
    assert (plan.weapon, plan.defense) == ("Lasgun", "Snooper")


def test_against_more_than_it_can_hold_it_dials_the_most_that_there_is() -> None:
    _, plan = a_battle("ah-basic", opposing="15")
    assert (plan.leader, plan.dial) == ("Feyd-Rautha", 6)


def test_it_dials_no_more_than_holds_against_the_most_that_can_come() -> None:
    _, plan = a_battle("ah-basic", opposing="1")
    against = 1 + 5  # one token and Staban Tuek
    assert plan.leader == "Feyd-Rautha"
    assert plan.dial + 6 > against
    assert plan.dial - 1 + 6 <= against


def test_it_pays_no_more_spice_than_the_dial_costs() -> None:
    question, plan = a_battle("wbc-2018", opposing="5")
    assert 0 <= plan.spice <= question.facts["spice"]
    cheaper = msgspec.structs.replace(plan, spice=plan.spice - 1)
    assert plan.spice == 0 or question.refusal(cheaper) or question.warnings(cheaper)


def test_without_leaders_it_sends_a_cheap_hero() -> None:
    own = ["Feyd-Rautha", "Beast Rabban", "Piter DeVries", "Captain Iakin Nefud", "Umman Kudu"]
    _, plan = a_battle("wbc-2018", dead_leaders=own, hand=["Cheap Hero", "Crysknife"])
    assert plan.leader == CHEAP_HERO


def of_the_expansion(own: Faction, opponent: Faction, opposing: str, **given: Any) -> Plan:
    """Return the caretaker's plan in the Plastic Basin, with six tokens and ten spice against the opponent's tokens."""
    fighters: dict[str, Any] = {opponent: {"forces": {"plastic-basin/13": opposing}}}
    fighters[own] = {"forces": {"plastic-basin/13": "6"}, "spice": 10, **given}
    start = {"phase": "battle", "turn": 3, "storm": 7, "factions": [own, opponent], "dots": {own: 8, opponent: 11},
             "faction": fighters, **({"hms": "polar-sink"} if "ixians" in (own, opponent) else {})}  # fmt: skip
    options = {"expansion": "ixians-tleilaxu"}
    play = position({"ruleset": "gf9-advanced", "options": options, "start": start}).play()
    play.begin_phase("battle")
    play.advance()
    while True:
        for question in play.questions():
            if (question.faction, question.kind) == (own, "battle-plan"):
                plan = defence(question, Battle.of(question, views.view(play, own)))
                assert plan is not None
                assert question.refusal(plan) is None
                return plan
        play.expire()
        play.advance()


@pytest.mark.clause("IT.ZOAL.1")
def test_zoal_is_worth_what_the_opponent_can_bring() -> None:
    """Zoal is worth 6 against Feyd-Rautha and 5 against the Guild; no other Tleilaxu leader is above 4."""
    plan = of_the_expansion("tleilaxu", "harkonnen", "1")
    assert (plan.leader, plan.dial) == ("Zoal", 1.5)


@pytest.mark.clause("IT.ZOAL.1")
def test_against_zoal_the_own_leader_counts_for_both() -> None:
    """Zoal is as strong as the opposing leader; no other Tleilaxu leader is stronger than 4."""
    plan = of_the_expansion("harkonnen", "tleilaxu", "1")
    assert (plan.leader, plan.dial) == ("Feyd-Rautha", 1.5)


@pytest.mark.clause("IT.FORCE.3")
def test_suboids_count_a_half() -> None:
    """Four Suboids count 2, and C'Tair Pilru is 1 weaker than Feyd-Rautha."""
    plan = of_the_expansion("harkonnen", "ixians", "4")
    assert (plan.leader, plan.dial) == ("Feyd-Rautha", 1.5)


@pytest.mark.parametrize(("ruleset", "seed"), [("wbc-2018", "melange"), ("ah-basic", "water")])
def test_a_random_game_goes_to_its_end_with_three_seats_in_its_care(ruleset: str, seed: str) -> None:
    play = Play.start(load_rule_set(ruleset).with_options({"max_turns": 4}), seed, random_seats("seats", FACTIONS))
    cared_for: tuple[Faction, ...] = ("harkonnen", "fremen", "guild")
    table, player = a_table(play, *cared_for), RandomPlayer(seed, impulses=0)
    for _ in range(4000):
        while not play.over and play_for_absent_seats(table, table.play.questions()):
            play.advance()
        if play.over:
            break
        assert not any(question.faction in cared_for for question in play.questions())
        player.act(play)
    assert play.over
    orders = [order for entry in play.log if isinstance(entry, Submitted) and entry.faction in cared_for
              for order in entry.orders]  # fmt: skip
    assert not [order for order in orders if not isinstance(order, Plan)]


def test_it_answers_nothing_for_those_who_play_themselves() -> None:
    play = Play.start(load_rule_set("wbc-2018"), "melange", random_seats("seats", FACTIONS))
    assert not play_for_absent_seats(a_table(play), play.questions())
    assert not [entry for entry in play.log if isinstance(entry, Expired)]


def test_what_it_does_follows_from_what_the_seat_knows() -> None:
    """Changing cards, spice and traitors that the caretaker cannot see does not change its plan."""
    compared = 0
    rules, chance = load_rule_set("wbc-2018"), Chance("behind its back", {})
    decoder, encoder = msgspec.msgpack.Decoder(State), msgspec.msgpack.Encoder()
    for seed in ("one", "two", "three"):
        play, player = Play.start(rules, seed, random_seats("seats", FACTIONS)), RandomPlayer(seed, impulses=0)
        phase = ("", 0)
        while not play.over and play.state.turn < 5:
            here = (play.snapshot.phase, play.snapshot.turn)
            if here != phase and here[0] == "battle":
                snapshot = play.snapshot
                for viewer in FACTIONS:
                    for change in CHANGES.values():
                        state = decoder.decode(snapshot.state)
                        if change(state, viewer, chance):
                            twin = msgspec.structs.replace(snapshot, state=encoder.encode(state))
                            first = _first_plan(Play.resume(rules, seed, snapshot, []), viewer)
                            assert first == _first_plan(Play.resume(rules, seed, twin, []), viewer)
                            compared += first is not None
            phase = here
            player.act(play)
    assert compared > 10


def _first_plan(play: Play, viewer: Faction) -> Plan | None:
    """Return the caretaker's plan for its first battle, letting questions expire until then."""
    while play.state.phase == "battle":
        for question in play.questions():
            if question.faction == viewer and question.kind == "battle-plan":
                return defence(question, Battle.of(question, views.view(play, viewer)))
        if any(question.kind == "battle-plan" for question in play.questions()):
            return None  # silence would show hidden cards and leaders
        play.expire()
        play.advance()
    return None


def test_a_caretaker_that_plays_to_win_leaves_when_the_player_is_back(tmp_path: Path) -> None:
    world = World.at(tmp_path, CONFIG + '[silence]\ncaretaker = "steady"\n')
    world.new_game("wbc-2018")
    with world.moderator.open_games.transaction(GAME) as (conn, table):
        let_caretaker_play(conn, table, "harkonnen", world.settings.silence.temperament)
    world.wait_until("battle", 2)
    with world.moderator.open_games.transaction(GAME) as (conn, table):
        told = events_of(conn, GAME)
        acts = {event.kind for event in told if event.facts.get("faction") == "harkonnen"}
        assert acts & {"bid", "shipment", "move"}
        others = {event.kind for event in told if event.facts.get("faction") == "guild"}
        assert not others & {"bid", "shipment", "move"}
        assert clear_strikes(table, "harkonnen")
        assert (table.seats["harkonnen"].care, table.seats["harkonnen"].opponent) == (False, "")


def test_all_are_told_how_the_caretaker_plays() -> None:
    said = say("caretaker.notice", faction="guild", missed=3, how="steady")
    assert "it answers at once, plays to win, and knows only what that seat knows" in said
    assert "cautiously" in say("caretaker.notice", faction="guild", missed=3, how="")
