"""Tests for battle plans shaped by the Voice and by an answer to prescience: plans that may be shown, and repairs."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec.structs import replace

from rules.chapters import battle_leaders, battle_plans, voice_and_prescience
from rules.chapters.battle import AnswerQuestion
from rules.components import Card
from rules.components.board import Area, TerritoryId
from rules.decisions.question import Question
from rules.engine.play import Play
from rules.orders import CHEAP_HERO, Plan, Prescience, Voice
from rules.positions.position import position
from rules.state.game import Game
from rules.state.moments import BattleMoment

NO_CARDS: tuple[str | None, str | None] = (None, None)


def a_battle(ruleset: str = "gf9-advanced", *others: str, **guild: Any) -> Play:
    """Return a battle of four Guild tokens against four of the Emperor's in the Plastic Basin, with all cards of the
    expansion if it is in play."""
    names = ["guild", "emperor", *others]
    start = {
        "phase": "battle",
        "turn": 4,
        "storm": 7,
        "factions": names,
        "dots": dict(zip(names, (8, 11, 14), strict=False)),
        "faction": {name: {"forces": {"plastic-basin/13": "4"}} for name in names[:2]},
    }
    start["faction"]["guild"] |= guild  # type: ignore[index]
    options = {"expansion": "ixians-tleilaxu"} if ruleset.startswith("gf9") else {}
    play = position({"ruleset": ruleset, "options": options, "start": start}).play()
    play.begin_phase("battle")
    play.settle()
    return play


def asked(play: Play, kind: str, faction: str = "guild") -> Question:
    while True:
        for question in play.questions():
            if (question.kind, question.faction) == (kind, faction):
                return question
        assert not play.phase_over
        play.expire()


def the_guilds(ruleset: str = "gf9-advanced", **guild: Any) -> tuple[Game, BattleMoment]:
    play = a_battle(ruleset, **guild)
    asked(play, "battle-plan")
    assert play.game.moments.battle
    return play.game, play.game.moments.battle


def plan(weapon: str | None = None, defense: str | None = None, leader: str | None = "Staban Tuek") -> Plan:
    return Plan(1, leader, weapon=Card(weapon) if weapon else None, defense=Card(defense) if defense else None)


def show(battle: BattleMoment, element: str, answer: Plan) -> None:
    """Let the Guild answer prescience with this plan."""
    battle.question, battle.asker, battle.questioned = Prescience(element), "atreides", "guild"  # type: ignore[arg-type]
    battle.bound["guild"] = answer


# --- The Voice and prescience ---------------------------------------------------------------------------------------


@pytest.mark.clause("FAQ.ATREIDES.3", "IT.CARD.9", "IT.CARD.10")
@pytest.mark.parametrize(
    ("element", "shown", "given", "obeying"),
    [
        ("weapon", plan("Chemistry", "Shield"), NO_CARDS, ("Chemistry", "Shield")),
        ("weapon", plan("Chemistry", "Shield"), (None, "Shield"), ("Chemistry", "Shield")),
        ("weapon", plan("Chemistry", "Shield"), (None, "Snooper"), ("Chemistry", "Snooper")),
        ("weapon", plan("Crysknife"), (None, "Snooper"), ("Crysknife", "Snooper")),
        ("weapon", plan(None, "Shield"), ("Crysknife", "Snooper"), (None, "Snooper")),
        ("defense", plan("Crysknife", "Shield"), ("Crysknife", "Snooper"), ("Crysknife", "Shield")),
    ],
)
def test_what_was_shown_takes_its_place_and_the_rest_of_the_plan_stays(
    element: str, shown: Plan, given: tuple[str | None, str | None], obeying: tuple[str | None, str | None]
) -> None:
    game, battle = the_guilds(hand=["Chemistry", "Shield", "Snooper", "Crysknife"])
    show(battle, element, shown)
    found = battle_plans.obedient_plan(game, battle, "guild", plan(*given))
    assert (found.weapon, found.defense) == obeying
    assert battle_plans.plan_refusal(game, battle, "guild", found) is None


@pytest.mark.clause("IT.CARD.9", "FAQ.ATREIDES.3")
@pytest.mark.parametrize(
    ("given", "obeying"),
    [(NO_CARDS, "Crysknife"), (("Crysknife", None), "Crysknife"), (("Gom Jabbar", None), "Gom Jabbar")],
)
def test_the_weapon_beside_weirding_way_may_be_any(given: tuple[str | None, str | None], obeying: str) -> None:
    game, battle = the_guilds(hand=["Crysknife", "Weirding Way", "Gom Jabbar"])
    show(battle, "defense", plan("Crysknife", "Weirding Way"))
    found = battle_plans.obedient_plan(game, battle, "guild", plan(*given))
    assert (found.weapon, found.defense) == (obeying, "Weirding Way")


def told_to(play_it: bool, kind: str) -> Voice:
    return Voice("guild", kind, play=play_it)


@pytest.mark.clause("AH.SHIELD.BG.3-a", "FAQ.BG.18", "WBC.X.16")
@pytest.mark.parametrize(
    ("command", "shown", "given", "obeying"),
    [
        # ordered to play a worthless card, which may be in either place
        (told_to(True, "worthless"), None, NO_CARDS, ("Kulon", None)),
        (told_to(True, "worthless"), None, (None, "Shield"), ("Kulon", "Shield")),
        (told_to(True, "worthless"), None, ("Crysknife", None), ("Crysknife", "Kulon")),
        (told_to(True, "worthless"), None, ("Crysknife", "Shield"), ("Crysknife", "Kulon")),
        # if the weapon is shown, the card is in the defense's place; if the defense is shown, in the weapon's
        (told_to(True, "worthless"), ("weapon", plan("Crysknife", "Kulon")), NO_CARDS, ("Crysknife", "Kulon")),
        (told_to(True, "worthless"), ("weapon", plan(None, "Kulon")), NO_CARDS, (None, "Kulon")),
        (told_to(True, "worthless"), ("weapon", plan(None, "Kulon")), ("Crysknife", "Shield"), (None, "Kulon")),
        (told_to(True, "worthless"), ("defense", plan("Kulon", "Shield")), NO_CARDS, ("Kulon", "Shield")),
        (told_to(True, "worthless"), ("defense", plan("Kulon", "Shield")), ("Crysknife", None), ("Kulon", "Shield")),
        (told_to(True, "worthless"), ("defense", plan("Kulon", None)), ("Crysknife", None), ("Kulon", None)),
        # ordered to play a card with only one place, or already obeying
        (told_to(True, "projectile weapon"), None, (None, "Shield"), ("Crysknife", "Shield")),
        (told_to(True, "shield"), None, ("Crysknife", "Kulon"), ("Crysknife", "Shield")),
        (told_to(True, "shield"), None, ("Crysknife", "Shield"), ("Crysknife", "Shield")),
        # ordered not to play a card
        (told_to(False, "shield"), None, ("Crysknife", "Shield"), ("Crysknife", None)),
        (told_to(False, "projectile weapon"), None, ("Crysknife", "Shield"), (None, "Shield")),
        (told_to(False, "worthless"), None, ("Kulon", "Shield"), (None, "Shield")),
    ],
)
def test_a_plan_is_changed_as_far_as_the_voice_demands(
    command: Voice,
    shown: tuple[str, Plan] | None,
    given: tuple[str | None, str | None],
    obeying: tuple[str | None, str | None],
) -> None:
    game, battle = the_guilds(hand=["Crysknife", "Shield", "Kulon"])
    if shown:
        show(battle, *shown)
    battle.voice = command
    found = battle_plans.obedient_plan(game, battle, "guild", plan(*given))
    assert (found.weapon, found.defense) == obeying
    assert found.leader == "Staban Tuek"
    assert battle_plans.plan_refusal(game, battle, "guild", found) is None
    assert list(battle_plans.plan_faults(game, battle, "guild", found)) == []


@pytest.mark.clause("IT.CARD.9", "IT.CARD.10", "AH.SHIELD.BG.3-a")
@pytest.mark.parametrize(
    ("kind", "given", "obeying"),
    [
        ("Shield", ("Chemistry", "Shield"), NO_CARDS),
        ("Crysknife", ("Crysknife", "Weirding Way"), NO_CARDS),
        ("Chemistry", ("Chemistry", "Shield"), (None, "Shield")),
        ("Weirding Way", ("Crysknife", "Weirding Way"), ("Crysknife", None)),
    ],
)
def test_a_card_goes_with_the_one_beside_which_alone_it_serves(
    kind: str, given: tuple[str, str], obeying: tuple[str | None, str | None]
) -> None:
    game, battle = the_guilds(hand=["Crysknife", "Shield", "Chemistry", "Weirding Way"])
    battle.voice = told_to(False, kind)
    found = battle_plans.obedient_plan(game, battle, "guild", plan(*given))
    assert (found.weapon, found.defense) == obeying


@pytest.mark.clause("FAQ.DIFF.4")
@pytest.mark.parametrize(
    ("play_it", "given", "obeying"),
    [
        (True, "Staban Tuek", CHEAP_HERO),
        (True, CHEAP_HERO, CHEAP_HERO),
        (False, CHEAP_HERO, "Guild Representative"),
        (False, "Staban Tuek", "Staban Tuek"),
    ],
)
def test_who_leads_is_changed_as_far_as_the_voice_demands(play_it: bool, given: str, obeying: str) -> None:
    game, battle = the_guilds(hand=["Cheap Hero"])
    battle.voice = told_to(play_it, CHEAP_HERO)
    assert battle_plans.obedient_plan(game, battle, "guild", plan(leader=given)).leader == obeying


@pytest.mark.clause("FAQ.DIFF.4")
def test_without_the_cheap_hero_the_sample_plans_are_as_many() -> None:
    game, battle = the_guilds(hand=["Cheap Hero", "Shield"])
    led = [p.leader for p in battle_plans.example_plans(game, battle, "guild") if isinstance(p, Plan)]
    assert CHEAP_HERO in led
    battle.voice = told_to(False, CHEAP_HERO)
    obeying = [p.leader for p in battle_plans.example_plans(game, battle, "guild") if isinstance(p, Plan)]
    assert len(obeying) == len(led)
    assert CHEAP_HERO not in obeying


CLASSES = "projectile weapon, poison weapon, shield, snooper, lasgun, worthless"
ONE_OF = f"The Voice must name a class of cards: {CLASSES}."


@pytest.mark.clause("AH.SHIELD.BG.3-a", "FAQ.BG.16", "FAQ.DIFF.4", "WBC.X.19")
@pytest.mark.parametrize(
    ("kind", "in_1979", "in_2019"),
    [
        ("poison weapon", None, None),
        ("Gom Jabbar", ONE_OF, None),
        ("Kulon", ONE_OF, None),
        ("Karama", ONE_OF, "Karama cannot be used in a battle plan."),
        ("cheap hero", "The Voice cannot name a cheap hero.", None),
        ("Cheap Hero", ONE_OF, "For the Voice, write “cheap hero” for either of the two cards."),
        ("special card", ONE_OF, f"The Voice must name one of {CLASSES}, cheap hero, or one exact card."),
    ],
)
def test_what_the_voice_says(kind: str, in_1979: str | None, in_2019: str | None) -> None:
    for ruleset, told_why in (("wbc-2018", in_1979), ("gf9-advanced", in_2019)):
        game, _ = the_guilds(ruleset)
        refusal = voice_and_prescience.refusal_of_voice(game, told_to(True, kind))
        assert (refusal and refusal.reason) == told_why


# --- Plans that may be shown ------------------------------------------------------------------------------------------


BOTH = plan("Chemistry", "Snooper")
NO_WEAPON = "{} cannot be your weapon; you can show only what you will use."


@pytest.mark.clause("AH.SHIELD.ATR.3-c", "IT.CARD.10", "FAQ.ATREIDES.3")
@pytest.mark.parametrize(
    ("hand", "command", "answer", "told_why"),
    [
        (["Chemistry", "Shield"], None, BOTH, None),
        (["Chemistry"], None, BOTH, NO_WEAPON.format("Chemistry")),
        (["Shield"], None, BOTH, "You do not hold Chemistry; you can show only what you will use."),
        (["Chemistry", "Shield"], told_to(False, "shield"), BOTH, NO_WEAPON.format("Chemistry")),
        (["Chemistry", "Shield", "Snooper"], told_to(False, "shield"), BOTH, None),
        (["Chemistry", "Shield", "Cheap Hero"], told_to(True, CHEAP_HERO), replace(BOTH, leader=CHEAP_HERO), None),
        (["Chemistry"], None, plan("Chemistry"), None),  # played alone, it is a defense
        (["Karama"], None, plan("Karama"), NO_WEAPON.format("Karama")),
        (["Cheap Hero"], None, plan("Cheap Hero"), NO_WEAPON.format("Cheap Hero")),
    ],
)
def test_a_weapon_is_shown_if_it_can_be_used(
    hand: list[str], command: Voice | None, answer: Plan, told_why: str | None
) -> None:
    game, battle = the_guilds(hand=hand)
    battle.voice = command
    refusal = AnswerQuestion(game, battle, "guild", "weapon").refusal(answer)
    assert (refusal and refusal.reason) == told_why


@pytest.mark.clause("WBC.X.7", "AH.SHIELD.ATR.3-c", "AH.XXII.B")
@pytest.mark.parametrize(
    ("dial", "told_why"),
    [
        (0.5, None),
        (4, None),
        (0.3, "With the tokens and spice there, the Guild cannot dial 0.3."),
        (-1, "With the tokens and spice there, the Guild cannot dial -1."),
        (4.5, "With the tokens and spice there, the Guild cannot dial 4.5."),
    ],
)
def test_a_number_is_shown_if_tokens_and_spice_make_it(dial: float, told_why: str | None) -> None:
    game, battle = the_guilds("wbc-2018", spice=5)
    refusal = AnswerQuestion(game, battle, "guild", "number").refusal(Plan(dial, "Staban Tuek"))
    assert (refusal and refusal.reason) == told_why


# --- Repairs ----------------------------------------------------------------------------------------------------------


@pytest.mark.clause("WBC.X.25", "WBC.X.26", "AH.X.B.3-a", "AH.QA.B.2", "AH.QA.B.4")
@pytest.mark.parametrize(
    ("given", "counts", "repairs"),
    [
        (("Crysknife", "Kulon"), ("Crysknife", "Kulon"), ()),
        (("Karama", "Crysknife"), ("Crysknife", None), ("card-removed",)),
        (("Crysknife", "Karama"), ("Crysknife", None), ("card-removed",)),
        (("Cheap Hero", "Crysknife"), ("Crysknife", None), ("card-removed",)),
        (("Crysknife", "Cheap Hero"), ("Crysknife", None), ("card-removed",)),
        (("Crysknife", "Shield"), ("Crysknife", None), ("card-removed",)),  # not in the hand
        (("Lasgun", "Snooper"), (None, None), ("card-removed", "card-removed")),
    ],
)
def test_what_cannot_lie_in_a_plan_is_taken_out(
    given: tuple[str, str], counts: tuple[str | None, str | None], repairs: tuple[str, ...]
) -> None:
    game, battle = the_guilds("wbc-2018", hand=["Crysknife", "Kulon", "Karama", "Cheap Hero"])
    final = battle_plans.mended_plan(game, battle, "guild", plan(*given))
    assert ((final.plan.weapon, final.plan.defense), final.repairs) == (counts, repairs)


@pytest.mark.clause("WBC.X.25")
@pytest.mark.parametrize(
    ("given", "mended"),
    [(("Crysknife", "Gom Jabbar"), "one-weapon-of-two"), (("Shield", "Snooper"), "one-defense-of-two")],
)
def test_of_two_of_a_type_one_counts_in_its_place(given: tuple[str, str], mended: str) -> None:
    game, battle = the_guilds("wbc-2018", hand=["Crysknife", "Gom Jabbar", "Shield", "Snooper"])
    final = battle_plans.mended_plan(game, battle, "guild", plan(*given))
    there = (final.plan.weapon, final.plan.defense)
    assert there[::-1][mended == "one-weapon-of-two"] in given
    assert there[mended == "one-weapon-of-two"] is None
    assert final.repairs == (mended,)


@pytest.mark.clause("IT.CARD.9", "IT.CARD.10", "WBC.X.26")
@pytest.mark.parametrize("given", [("Chemistry", "Shield"), ("Crysknife", "Weirding Way")])
def test_a_card_that_serves_only_beside_one_that_is_not_there_goes_with_it(given: tuple[str, str]) -> None:
    game, battle = the_guilds(hand=["Chemistry", "Weirding Way"])
    final = battle_plans.mended_plan(game, battle, "guild", plan(*given))
    assert ((final.plan.weapon, final.plan.defense), final.repairs) == (NO_CARDS, ("card-removed", "card-removed"))


# --- The Kwisatz Haderach and leaders ---------------------------------------------------------------------------------


@pytest.mark.clause("WBC.XV.4", "AH.SHIELD.ATR.4-b")
@pytest.mark.parametrize(
    ("ruleset", "leader", "told_why"),
    [
        ("wbc-2018", "Duncan Idaho", None),
        ("wbc-2018", "Caid", "The Kwisatz Haderach can accompany only a leader of your own."),
        ("wbc-2018", None, "The Kwisatz Haderach never fights alone."),
        ("ah-advanced", "Duncan Idaho", None),
        ("ah-advanced", "Caid", None),
    ],
)
def test_beside_whom_the_kwisatz_haderach_stands(ruleset: str, leader: str | None, told_why: str | None) -> None:
    game = position({"ruleset": ruleset, "start": {"turn": 4, "phase": "battle"}}).play().game
    game.state.kwisatz_haderach = "ready"
    battle = BattleMoment(TerritoryId("arrakeen"), (Area("arrakeen/10"),), ("atreides", "emperor"))
    refusal = battle_leaders.haderach_barred(game, battle, "atreides", leader)
    assert (refusal and refusal.reason) == told_why
