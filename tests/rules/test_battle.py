"""Tests for the Battle Round beyond the rulings: public information, strength, and who is asked."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from bot.lab.rulings import run_ruling
from rules.chapters import battle_leaders, battle_list, battle_strength, voice_and_prescience
from rules.chapters.battle_plans import plan_faults
from rules.chapters.battle_strength import Worth, weapon_kills
from rules.chapters.voice_and_prescience import weapon_and_defense
from rules.components import Card, Forces, Leader
from rules.components.board import TerritoryId
from rules.decisions.question import Question
from rules.engine.play import Play
from rules.orders import CHEAP_HERO, Capture, Karama, NoTreachery, Plan, Prescience, Treachery, Voice
from rules.positions.position import position
from rules.state.moments import BattleMoment
from tests.rules.stage import told

PAID = Worth(elite=2, paid=True)
FREE = Worth(elite=2, paid=False)


def a_battle(ruleset: str = "wbc-2018", **factions: dict[str, Any]) -> Play:
    """Return a game at its first battle stop, with these factions, in this order of play, in the Plastic Basin."""
    names = [name.replace("_", "-") for name in factions]
    start = {
        "phase": "battle",
        "turn": 3,
        "storm": 7,
        "factions": names,
        "dots": dict(zip(names, (8, 11, 14, 17, 2, 5), strict=False)),
        "faction": {
            name: {"forces": {"plastic-basin/13": "4"}, **given}
            for name, given in zip(names, factions.values(), strict=True)
        },
    }
    play = position({"ruleset": ruleset, "start": start}).play()
    play.begin_phase("battle")
    play.settle()
    return play


def until(play: Play, kind: str, faction: str | None = None) -> Question:
    """Let everybody be silent until a question of this kind is open."""
    for _ in range(100):
        for question in play.questions():
            if question.kind == kind and faction in (None, question.faction):
                return question
        play.expire()
    raise AssertionError(f"no {kind}")


@pytest.mark.clause("AH.X.A.3-a")
def test_who_is_asked_for_a_plan_hears_whether_they_are_the_aggressor() -> None:
    play = a_battle(atreides={}, harkonnen={})
    told = {who: until(play, "battle-plan", who).facts["aggressor"] for who in ("atreides", "harkonnen")}
    assert told == {"atreides": True, "harkonnen": False}


@pytest.mark.clause("AH.XXII.A.1")
def test_who_is_asked_for_a_plan_hears_what_they_can_dial_without_spice_and_with_all_of_it() -> None:
    play = a_battle(atreides={"spice": 3}, harkonnen={"spice": 0})
    dials = {who: until(play, "battle-plan", who).facts for who in ("atreides", "harkonnen")}
    assert [(facts["most_unpaid"], facts["most"]) for facts in dials.values()] == [("2", "3.5"), ("2", "2")]


@pytest.mark.clause("AH.QA.B.5", "AH.XXII.A.1", "AH.XXII.B")
@pytest.mark.parametrize(("spice", "dial"), [(0, 4.5), (1, 5), (3, 6), (6, 7.5), (9, 9)])
def test_nine_tokens_dial_what_the_answer_in_the_rulebook_says(spice: int, dial: float) -> None:
    assert battle_strength.highest_dial(Forces(9), PAID, spice) == dial * 2
    assert battle_strength.possible_losses(Forces(10), PAID, spice, int(dial * 2)) == (Forces(9),)


@pytest.mark.clause("AH.XXII.B")
@pytest.mark.parametrize("plan", [Plan(0.3, "Caid"), Plan(-1, "Caid"), Plan(1, "Caid", spice=-1)])
def test_a_dial_is_made_of_halves_and_of_nothing_below_nought(plan: Plan) -> None:
    question = until(a_battle(emperor={"spice": 4}, guild={}), "battle-plan", "emperor")
    assert question.refusal(plan)
    assert question.refusal(Plan(0.5, "Caid")) is None


@pytest.mark.clause("AH.XXII.C-a")
def test_the_losses_of_the_example_in_the_rulebook() -> None:
    """The example has one Fedaykin and five tokens, a dial of 3 and 1 spice."""
    losses = battle_strength.possible_losses(Forces(5, 1), PAID, 1, 6)
    assert Forces(2, 1) in losses
    assert Forces(5, 0) in losses
    assert Forces(3, 0) not in losses
    assert Forces(0, 1) not in losses


@pytest.mark.clause("AH.XXII.C-a")
def test_whatever_can_be_dialled_can_be_lost_and_nothing_else_can_be_dialled() -> None:
    for worth in (PAID, FREE, Worth(1, paid=True), Worth(1, paid=False)):
        for ordinary in range(4):
            for elite in range(3):
                forces = Forces(ordinary, elite)
                for spice in range(6):
                    top = battle_strength.highest_dial(forces, worth, spice)
                    assert battle_strength.possible_losses(forces, worth, spice, top)
                    assert not battle_strength.possible_losses(forces, worth, spice, top + 1)
                    assert battle_strength.highest_dial_made(forces, worth, spice, 99) == top


@pytest.mark.clause("AH.QA.B.4")
def test_one_spice_is_enough_for_a_starred_token() -> None:
    assert battle_strength.highest_dial(Forces(0, 1), PAID, 1) == 4
    assert battle_strength.highest_dial(Forces(0, 1), PAID, 0) == 2


@pytest.mark.clause("AH.X.A.2.a")
def test_in_the_printed_rules_only_the_two_sides_of_the_storm_are_parted() -> None:
    basin = TerritoryId("imperial-basin")
    assert len(battle_list.sides_of_storm(basin, 1)) == 1
    assert battle_list.sides_of_storm(basin, 9) == battle_list.sides_of_storm(basin, 1)
    assert battle_list.sides_of_storm(basin, 10) == (
        ("imperial-basin/9", "imperial-basin/10"),
        ("imperial-basin/10", "imperial-basin/11"),
    )
    assert battle_list.sides_of_storm(TerritoryId("arrakeen"), 10) == (("arrakeen/10",),)


@pytest.mark.clause("AH.X.A.2.a")
def test_tokens_in_the_storm_fight_once_and_with_all_that_they_meet() -> None:
    def battles(emperor: str, guild: str) -> list[tuple[str, ...]]:
        play = a_battle("ah-basic", emperor={"forces": {emperor: "4"}}, guild={"forces": {guild: "4"}})
        play.state.storm = 10
        return [battle.areas for battle in battle_list.all_battles(play.game)]

    nine, ten, eleven = (f"imperial-basin/{sector}" for sector in (9, 10, 11))
    assert battles(nine, eleven) == []
    assert battles(nine, ten) == [(nine, ten)]
    assert battles(eleven, ten) == [(ten, eleven)]
    assert battles(ten, ten) == [(nine, ten)]


@pytest.mark.clause("GF9.STORM.8", "FAQ.STORM.3")
def test_in_2019_no_part_of_a_territory_in_storm_sees_a_battle() -> None:
    basin = TerritoryId("imperial-basin")
    assert battle_list.outside_storm(basin, 1) == battle_list.cut_off_by_storm(basin, 1)
    assert battle_list.outside_storm(basin, 10) == (("imperial-basin/9",), ("imperial-basin/11",))
    assert battle_list.outside_storm(TerritoryId("arrakeen"), 10) == ()


@pytest.mark.clause("FAQ.ADV-COMBAT.1")
def test_where_spice_is_only_the_most_that_counts_every_loss_of_less_spice_will_do() -> None:
    exact = set(battle_strength.possible_losses(Forces(4, 2), PAID, 4, 10))
    at_most = set(battle_strength.possible_losses_with_spice_left(Forces(4, 2), PAID, 4, 10))
    assert exact < at_most
    assert {Forces(1, 2), Forces(3, 1)} <= at_most
    assert Forces(0, 2) not in at_most
    assert battle_strength.possible_losses_with_spice_left(
        Forces(4, 2), FREE, 4, 10
    ) == battle_strength.possible_losses(Forces(4, 2), FREE, 4, 10)


@pytest.mark.clause("AH.SHIELD.ATR.4-a", "FAQ.ATREIDES.1")
@pytest.mark.parametrize(("ruleset", "state", "from_turn"), [("wbc-2018", "ready", None), ("ah-advanced", "locked", 4)])
def test_the_seventh_loss_brings_the_kwisatz_haderach_at_once_or_next_turn(
    ruleset: str, state: str, from_turn: int | None
) -> None:
    play = a_battle(ruleset, atreides={"lost_in_battle": 5}, guild={"traitors": ["Duncan Idaho"]})
    until(play, "battle-plan", "atreides")
    play.submit("atreides", [Plan(2, "Duncan Idaho")])
    until(play, "traitor-call", "guild")
    play.submit("guild", [Treachery()])
    play.expire()
    (ready,) = told(play, "kwisatz-haderach-ready")
    assert ready.facts.get("from_turn") == from_turn
    assert play.state.kwisatz_haderach == state
    battle_leaders.wake_haderach(play.state)
    assert play.state.kwisatz_haderach == "ready"


@pytest.mark.clause("AH.SHIELD.HAR.3-a", "WBC.X.28", "FAQ.HARKONNEN.2")
@pytest.mark.parametrize(("ruleset", "all_know"), [("wbc-2018", False), ("gf9-advanced", False), ("ah-advanced", True)])
def test_a_third_player_hears_the_name_of_a_captive_only_where_captures_are_open(ruleset: str, all_know: bool) -> None:
    play = a_battle(
        ruleset, harkonnen={"spice": 4}, guild={"forces": {"plastic-basin/13": "1"}}, emperor={"forces": {}}
    )
    until(play, "capture", "harkonnen")
    play.submit("harkonnen", [Capture("keep")])
    play.settle()
    for kind in ("captive-drawn", "leader-captured"):
        (event,) = told(play, kind)
        assert ("leader" in event.seen_by("emperor")) is all_know
        assert "leader" in event.seen_by("guild")


@pytest.mark.clause("FAQ.BG.16", "FAQ.DIFF.4")
@pytest.mark.parametrize("ruleset", ["gf9-basic", "gf9-advanced"])
def test_silence_under_a_voice_that_names_a_hero_or_a_card_obeys_it(ruleset: str) -> None:
    def silent(kind: str, play_it: bool) -> Plan:
        hand = ["Cheap Hero", "Crysknife"]
        play = a_battle(ruleset, bene_gesserit={}, guild={"hand": hand})
        until(play, "voice")
        play.submit("bene-gesserit", [Voice("guild", kind, play=play_it)])
        default = until(play, "battle-plan", "guild").default
        assert isinstance(default, Plan)
        return default

    assert silent("cheap hero", True).leader == CHEAP_HERO
    assert silent("cheap hero", False).leader == "Guild Representative"
    assert silent("Crysknife", True).weapon == "Crysknife"
    assert silent("Crysknife", False).weapon is None


@pytest.mark.clause("AH.X.A.2.a", "WBC.VI.13", "WBC.VI.14", "WBC.X.17")
def test_the_storm_parts_a_territory_into_what_lies_on_each_side_and_under_it() -> None:
    basin = TerritoryId("imperial-basin")
    assert len(battle_list.cut_off_by_storm(basin, 1)) == 1
    assert battle_list.cut_off_by_storm(basin, 10) == (
        ("imperial-basin/9",),
        ("imperial-basin/10",),
        ("imperial-basin/11",),
    )
    assert battle_list.cut_off_by_storm(basin, 9) == (("imperial-basin/9",), ("imperial-basin/10", "imperial-basin/11"))


@pytest.mark.clause("AH.AID.BATTLE.1", "AH.AID.BATTLE.2", "AH.AID.BATTLE.3", "AH.AID.BATTLE.4", "AH.AID.BATTLE.5-a")
@pytest.mark.parametrize(
    ("weapon", "defense", "deadly"),
    [
        ("Crysknife", None, True),
        ("Crysknife", "Shield", False),
        ("Crysknife", "Snooper", True),
        ("Gom Jabbar", "Shield", True),
        ("Gom Jabbar", "Snooper", False),
        ("Gom Jabbar", "Kulon", True),
        ("Lasgun", "Snooper", True),
        ("Kulon", None, False),
    ],
)
def test_which_weapon_kills_behind_which_defense(weapon: str, defense: str | None, deadly: bool) -> None:
    assert weapon_kills(Card(weapon), Card(defense) if defense else None) is deadly


@pytest.mark.parametrize(
    ("weapon", "defense", "expected"),
    [
        ("Shield", "Crysknife", ("Crysknife", "Shield")),
        ("Shield", None, (None, "Shield")),
        (None, "Crysknife", ("Crysknife", None)),
        ("Shield", "Snooper", ("Shield", "Snooper")),
        ("Kulon", "Baliset", ("Kulon", "Baliset")),
        ("Crysknife", "Kulon", ("Crysknife", "Kulon")),
    ],
)
@pytest.mark.clause("AH.X.B.3-a")
def test_cards_in_the_wrong_place_of_a_plan_are_where_they_belong(weapon: Any, defense: Any, expected: Any) -> None:
    assert weapon_and_defense(Plan(1, "Caid", weapon=weapon, defense=defense)) == expected


@pytest.mark.clause("AH.VI.B-a")
def test_the_last_two_who_fought_handle_the_wheels_of_the_next_storm() -> None:
    play = a_battle("ah-basic", emperor={}, guild={})
    while not play.phase_over:
        play.expire()
    assert play.state.storm_dialers == ("emperor", "guild")


@pytest.mark.clause("AH.X.C.10-c")
def test_who_has_no_leader_says_so_before_the_plans_are_shown() -> None:
    dead = ["Staban Tuek", "Esmar Tuek", "Master Bewt", "Soo Soo Sook", "Guild Representative"]
    play = a_battle("ah-basic", emperor={}, guild={"dead_leaders": dead})
    while not play.phase_over:
        play.expire()
    kinds = [event.kind for event in play.events]
    assert told(play, "no-leader")[0].seen_by("public")["faction"] == "guild"
    assert kinds.index("no-leader") < kinds.index("plans-revealed")


@pytest.mark.clause("WBC.X.7", "AH.SHIELD.ATR.3-a")
def test_only_atreides_and_who_answers_see_the_answer() -> None:
    play = a_battle(atreides={}, emperor={"hand": ["Crysknife"]}, guild={"forces": {"polar-sink": "1"}})
    until(play, "prescience")
    play.submit("atreides", [Prescience("weapon")])
    until(play, "prescience-answer")
    play.submit("emperor", [Plan(0, "Caid", weapon=Card("Crysknife"))])
    event = told(play, "prescience-answered")[0]
    assert event.seen_by("atreides")["answer"] == "Crysknife"
    assert "answer" not in event.seen_by("guild")
    assert "answer" not in event.seen_by("public")


@pytest.mark.clause("AH.SHIELD.ATR.3-a")
def test_a_cheap_hero_is_shown_as_the_card_that_it_is() -> None:
    play = a_battle(atreides={}, emperor={"hand": ["Cheap Heroine"]})
    until(play, "prescience")
    play.submit("atreides", [Prescience("leader")])
    until(play, "prescience-answer")
    play.submit("emperor", [Plan(0, "cheap hero")])
    assert told(play, "prescience-answered")[0].seen_by("atreides")["answer"] == "Cheap Heroine"


@pytest.mark.clause("WBC.XVII.14", "AH.AID.KARAMA.B.2")
def test_a_foreign_plan_laid_open_is_seen_by_atreides_alone() -> None:
    play = a_battle(guild={"spice": 3}, fremen={}, atreides={"hand": ["Karama"], "forces": {"polar-sink": "1"}})
    until(play, "battle-plan")
    play.submit("atreides", [Karama("see plan", faction="guild")])
    play.submit("guild", [Plan(2, "Esmar Tuek", spice=2)])
    event = told(play, "plan-seen")[0]
    assert event.seen_by("atreides")["plan"]["dial"] == 2
    assert "plan" not in event.seen_by("fremen")
    assert not told(play, "plans-revealed")


@pytest.mark.clause("AH.AID.KARAMA.B.2")
def test_who_names_no_plan_that_they_may_see_is_told_whose_they_may() -> None:
    play = a_battle(atreides={"hand": ["Karama"], "spice": 3}, fremen={})
    until(play, "battle-plan")
    for named in (None, "atreides", "guild"):
        refusal = play.check("atreides", Karama("see plan", faction=named)).refusal
        assert refusal is not None
        assert refusal.reason == "Name the player who must show their plan in this battle: the Fremen."


@pytest.mark.clause("WBC.X.28")
def test_nobody_but_the_two_learns_which_leader_was_captured() -> None:
    play = a_battle(harkonnen={"spice": 4}, guild={}, emperor={"forces": {"polar-sink": "1"}})
    until(play, "battle-plan")
    play.submit("harkonnen", [Plan(4, "Feyd-Rautha", spice=4)])
    play.submit("guild", [Plan(0, "Guild Representative")])
    captive = until(play, "capture").facts["leader"]
    play.submit("harkonnen", [Capture("keep")])
    for kind in ("captive-drawn", "leader-captured"):
        event = told(play, kind)[0]
        assert event.seen_by("harkonnen")["leader"] == event.seen_by("guild")["leader"] == captive
        assert "leader" not in event.seen_by("emperor")
        assert "leader" not in event.seen_by("public")


@pytest.mark.clause("WBC.X.22", "AH.SHIELD.BG.3-d")
@pytest.mark.clause("FAQ.DIFF.4")
def test_a_cheap_hero_is_spoken_of_as_such_and_not_by_the_name_of_the_card() -> None:
    """The card stands for a leader; if it were named as a weapon, the default would play it in the wrong place."""
    play = a_battle("gf9-basic", bene_gesserit={"hand": ["Hajr"]}, guild={"hand": ["Cheap Heroine"]})
    until(play, "voice")
    outcome = play.submit("bene-gesserit", [Voice("guild", "Cheap Heroine")])[0]
    assert outcome.refusal is not None
    assert "cheap hero" in outcome.refusal.reason
    for question in play.questions():
        assert all(question.refusal(order) is None for order in question.samples())


def test_nobody_hears_whether_the_voice_can_be_obeyed() -> None:
    seen = []
    for hand in (["Shield"], ["Snooper"]):
        play = a_battle(bene_gesserit={}, guild={"hand": hand}, emperor={"forces": {"polar-sink": "1"}})
        until(play, "voice")
        play.submit("bene-gesserit", [Voice("guild", "shield")])
        until(play, "battle-plan")
        play.submit("guild", [Plan(0, "Guild Representative", defense=Card(hand[0]))])
        seen.append([(e.number, e.kind, e.seen_by("emperor")) for e in play.events])
    assert seen[0] == seen[1]


@pytest.mark.clause("AH.X.D.1-a", "AH.QA.B.7-a")
def test_who_is_asked_about_a_traitor_does_not_depend_on_who_has_that_leader() -> None:
    asked = []
    for traitors in ([], ["Caid"]):
        play = a_battle(guild={"traitors": traitors}, emperor={})
        until(play, "battle-plan")
        play.submit("guild", [Plan(0, "Staban Tuek")])
        play.submit("emperor", [Plan(0, "Caid")])
        asked.append({question.key for question in play.questions()})
        mine = until(play, "traitor-call", "guild")
        assert mine.default == (Treachery() if traitors else NoTreachery())
        assert all(mine.refusal(order) is None for order in mine.samples())
    assert asked[0] == asked[1] == {("guild", "traitor-call", ""), ("emperor", "traitor-call", "")}


@pytest.mark.clause("AH.X.D.1-a")
def test_a_cheap_hero_is_nobodys_traitor_and_nobody_is_asked() -> None:
    play = a_battle(guild={"hand": ["Cheap Hero"]}, emperor={})
    until(play, "battle-plan")
    play.submit("guild", [Plan(0, "cheap hero")])
    play.submit("emperor", [Plan(0, "Caid")])
    assert [question.faction for question in play.questions()] == ["guild"]


@pytest.mark.clause("WBC.X.33", "AH.SHIELD.HAR.3-a")
def test_an_explosion_has_no_winner_who_could_take_a_leader() -> None:
    play = a_battle(harkonnen={"hand": ["Lasgun"]}, guild={"hand": ["Shield"]})
    until(play, "battle-plan")
    play.submit("harkonnen", [Plan(4, "Feyd-Rautha", weapon=Card("Lasgun"))])
    play.submit("guild", [Plan(0, "Guild Representative", defense=Card("Shield"))])
    while not play.phase_over:
        play.expire()
    assert not told(play, "captive-drawn")
    assert told(play, "battle-without-winner")


@pytest.mark.clause("WBC.X.23", "WBC.X.24", "WBC.X.26")
def test_what_will_be_mended_can_be_told_to_the_player_before() -> None:
    play = a_battle(guild={"spice": 1}, emperor={"forces": {"plastic-basin/13": "2"}})
    until(play, "battle-plan")
    battle = play.game.moments.battle
    assert isinstance(battle, BattleMoment)
    plan = Plan(4, None, weapon=Card("Lasgun"), spice=3)
    reasons = [fault.reason for fault in plan_faults(play.game, battle, "guild", plan)]
    assert len(reasons) == 4
    assert any("1 spice, not 3" in reason for reason in reasons)
    assert any("you can dial 2.5" in reason for reason in reasons)
    outcome = play.check("guild", plan)
    assert outcome.status == "accepted"
    assert [warning.reason for warning in outcome.warnings] == reasons


@pytest.mark.clause("WBC.X.25")
def test_the_weapon_that_went_back_to_the_hand_is_not_named() -> None:
    play = a_battle(guild={}, emperor={"hand": ["Crysknife", "Gom Jabbar"]})
    until(play, "battle-plan")
    play.submit("emperor", [Plan(0, "Caid", weapon=Card("Crysknife"), defense=Card("Gom Jabbar"))])
    play.submit("guild", [Plan(0, "Staban Tuek")])
    shown = told(play, "plans-revealed")[0].seen_by("public")["plans"][1]
    assert shown["defense"] is None
    assert shown["weapon"] in ("Crysknife", "Gom Jabbar")
    assert shown["repairs"] == ["one-weapon-of-two"]
    other = "Gom Jabbar" if shown["weapon"] == "Crysknife" else "Crysknife"
    assert other not in str([event.seen_by("guild") for event in play.events])


@pytest.mark.clause("AH.X.C.8-a", "WBC.XV.3")
def test_leaders_and_the_kwisatz_haderach_are_free_again_in_the_next_turn() -> None:
    play = a_battle(atreides={"lost_in_battle": 7, "kwisatz_haderach": "ready"}, emperor={})
    until(play, "battle-plan")
    play.submit("atreides", [Plan(1, "Lady Jessica", kwisatz_haderach=True)])
    play.submit("emperor", [Plan(0, "Bashar")])
    while not play.phase_over:
        play.expire()
    assert str(play.state.kwisatz_haderach) == "used"
    assert play.state.leaders[Leader("Lady Jessica")].fought_in == "plastic-basin"
    turn = play.state.turn
    while play.state.turn == turn:
        play.advance()
        play.expire()
    assert str(play.state.kwisatz_haderach) == "ready"
    assert play.state.leaders[Leader("Lady Jessica")].fought_in is None


@pytest.mark.clause("WBC.X.25", "AH.SHIELD.ATR.3-c")
@pytest.mark.parametrize("seed", range(8))
def test_of_two_weapons_the_shown_one_counts_whatever_chance_says(seed: int) -> None:
    shown = Path(__file__).parents[1] / "rulings" / "battle" / "194-bound-weapon-of-two.toml"
    text = shown.read_text(encoding="utf-8").replace("[start]", f'[start]\nrng = "seed {seed}"', 1)
    result = run_ruling(text)
    assert result.passed, result.difference


@pytest.mark.clause("AH.X.C.10-b", "WBC.AID.8")
def test_a_plan_sketched_for_a_promise_has_cards_only_with_a_leader() -> None:
    play = a_battle(harkonnen={"hand": ["Crysknife", "Shield"]}, guild={})
    until(play, "battle-plan", "harkonnen")
    battle = play.game.moments.battle
    assert battle is not None
    plans = list(voice_and_prescience.plan_sketches(play.game, battle, "harkonnen", (), Plan(0, None)))
    assert {(plan.weapon, plan.defense) for plan in plans if plan.leader is None} == {(None, None)}
    assert {(plan.weapon, plan.defense) for plan in plans if plan.leader is not None} == {
        (weapon, defense) for weapon in (None, "Crysknife") for defense in (None, "Shield")
    }


@pytest.mark.clause("AH.AID.BATTLE.7-a")
def test_a_worthless_card_in_hand_is_among_the_sample_plans_and_no_other_card_lies_in_its_place() -> None:
    play = a_battle(harkonnen={"hand": ["Baliset", "Shield"]}, guild={})
    plans = [plan for plan in until(play, "battle-plan", "harkonnen").samples() if isinstance(plan, Plan)]
    assert "Baliset" in {card for plan in plans for card in (plan.weapon, plan.defense)}
    play = a_battle(harkonnen={"hand": ["Shield"]}, guild={})
    plans = [plan for plan in until(play, "battle-plan", "harkonnen").samples() if isinstance(plan, Plan)]
    assert {plan.weapon for plan in plans} == {None}
