"""Tests for what Truthtrance answers require of a battle plan: in which battle, and against which Voice."""

from __future__ import annotations

from typing import Any

import pytest

from rules.chapters import battle_list, voice_and_prescience
from rules.components import Card, Faction
from rules.components.board import TerritoryId
from rules.orders import CHEAP_HERO, Plan, Voice
from rules.orders import readings as acts
from rules.orders.readings import KWISATZ_HADERACH, Amount
from rules.positions.position import position
from rules.state.game import Game
from rules.state.moments import BattleMoment
from rules.state.state import Promise, Scope
from tests.rules.truthtrance.questions import cards

PLASTIC_BASIN = TerritoryId("plastic-basin")


def a_battle(*elsewhere: tuple[str, str, str], **factions: dict[str, Any]) -> tuple[Game, BattleMoment]:
    """Let Guild, who come first, and Emperor meet in the Plastic Basin with four tokens each. ``elsewhere`` lists an
    area and two factions with one token each there. Atreides and Harkonnen play as well."""
    forces: dict[str, dict[str, str]] = {
        "guild": {"plastic-basin/13": "4"},
        "emperor": {"plastic-basin/13": "4"},
        "atreides": {},
        "harkonnen": {},
    }
    for area, *both in elsewhere:
        for faction in both:
            forces[faction][area] = forces[faction].get(area, "1")
    start = {
        "turn": 4,
        "phase": "battle",
        "storm": 7,
        "factions": list(forces),
        "dots": {"guild": 8, "emperor": 11, "atreides": 14, "harkonnen": 17},
        "faction": {name: {"forces": there, **factions.get(name, {})} for name, there in forces.items()},
    }
    game = position({"ruleset": "wbc-2018", "start": start}).play().game
    sides = {"guild", "emperor"}
    battles = battle_list.all_battles(game)
    here = next(b for b in battles if b.territory == PLASTIC_BASIN and {b.aggressor, b.defender} == sides)
    game.moments.battle = BattleMoment(here.territory, here.areas, (here.aggressor, here.defender))
    return game, game.moments.battle


def promise(
    act: acts.AnyAct, word: str = "yes", faction: Faction = "emperor", made: int = 0, **where: object
) -> Promise:
    scope = Scope(4, 4, in_battle=True, **where)  # type: ignore[arg-type]
    return Promise(faction, "guild", "Will you?", word, made, scope, act)  # type: ignore[arg-type]


@pytest.mark.clause("WBC.AID.8", "WBC.X.16")
@pytest.mark.parametrize(
    ("elsewhere", "where", "due"),
    [
        ((), {}, True),
        ((("carthag/11", "emperor", "harkonnen"),), {}, False),
        ((("carthag/11", "emperor", "harkonnen"),), {"territory": PLASTIC_BASIN}, True),
        ((("carthag/11", "emperor", "harkonnen"),), {"territory": TerritoryId("carthag")}, False),
        ((("carthag/11", "emperor", "harkonnen"),), {"opponent": "guild"}, True),
        ((("carthag/11", "emperor", "harkonnen"),), {"opponent": "harkonnen"}, False),
        ((("carthag/11", "guild", "emperor"),), {}, False),  # there the Guild choose the battle, not the Emperor
        ((("carthag/11", "guild", "emperor"),), {"opponent": "guild"}, False),
        ((("carthag/11", "guild", "emperor"),), {"opponent": "harkonnen"}, True),
        ((("carthag/11", "guild", "harkonnen"),), {}, True),  # the Emperor is not in that battle
        ((("plastic-basin/13", "emperor", "harkonnen"),), {}, False),  # in the same place against another faction
        ((("plastic-basin/13", "emperor", "harkonnen"),), {"opponent": "guild"}, True),
    ],
)
def test_a_yes_is_due_where_no_other_battle_of_theirs_is_left_to_keep_it(
    elsewhere: tuple[tuple[str, str, str], ...], where: dict[str, Any], due: bool
) -> None:
    game, battle = a_battle(*elsewhere)
    yes = promise(acts.Lead(("Caid",)), **where)
    assert voice_and_prescience.promise_is_due(game, battle, ["emperor"], yes) is due


@pytest.mark.clause("WBC.AID.8", "WBC.XV.4")
@pytest.mark.parametrize(
    ("fighters", "plan", "done"),
    [
        ((KWISATZ_HADERACH,), Plan(1, "Duncan Idaho", kwisatz_haderach=True), True),
        ((KWISATZ_HADERACH,), Plan(1, "Duncan Idaho"), False),
        (("Duncan Idaho",), Plan(1, "Duncan Idaho", kwisatz_haderach=True), True),
        (("Gurney Halleck",), Plan(1, "Duncan Idaho", kwisatz_haderach=True), False),
        (("Dr. Wellington Yueh",), Plan(1, None), True),  # the weakest leader is added
        (("Duncan Idaho",), Plan(1, None), False),
        (("Dr. Wellington Yueh",), Plan(1, "Gurney Halleck"), True),  # this leader is in the tanks
        (("Gurney Halleck",), Plan(1, "Gurney Halleck"), False),
    ],
)
def test_who_leads_as_was_promised(fighters: tuple[str, ...], plan: Plan, done: bool) -> None:
    game, battle = a_battle(atreides={"forces": {"plastic-basin/13": "4"}, "dead_leaders": ["Gurney Halleck"]})
    battle.sides = ("emperor", "atreides")
    assert voice_and_prescience.plan_does(game, battle, "atreides", promise(acts.Lead(fighters)), plan) is done


@pytest.mark.clause("AH.QA.B.7-b", "WBC.AID.8")
def test_where_both_fight_without_leaders_nobody_is_put_in_and_no_card_is_played() -> None:
    game, battle = a_battle(emperor={"hand": ["Shield"]})
    battle.leaders = "waived"
    bashar, shield = promise(acts.Lead(("Bashar",))), promise(cards("Shield"))
    assert not voice_and_prescience.plan_does(game, battle, "emperor", bashar, Plan(1, None))
    assert not voice_and_prescience.plan_does(game, battle, "emperor", shield, Plan(1, None, defense=Card("Shield")))
    assert voice_and_prescience.plan_does(game, battle, "emperor", shield, Plan(1, "Caid", defense=Card("Shield")))
    battle.leaders = "as usual"
    assert voice_and_prescience.plan_does(game, battle, "emperor", bashar, Plan(1, None))
    assert voice_and_prescience.plan_does(game, battle, "emperor", shield, Plan(1, None, defense=Card("Shield")))


HAND = ["Crysknife", "Gom Jabbar", "Shield", "Snooper"]


@pytest.mark.clause("WBC.X.25", "WBC.AID.8")
@pytest.mark.parametrize(
    ("weapon", "defense", "yes", "no"),
    [
        ("Crysknife", None, True, True),
        ("Crysknife", "Shield", True, True),
        ("Shield", "Crysknife", True, True),  # each card is moved to its proper place
        ("Kulon", "Crysknife", True, True),  # a card not in the hand is removed
        ("Crysknife", "Gom Jabbar", False, True),  # chance may remove it
        ("Gom Jabbar", None, False, False),
        ("Shield", "Snooper", False, False),
    ],
)
def test_a_card_is_sure_to_be_played_or_may_be(weapon: str | None, defense: str | None, yes: bool, no: bool) -> None:
    """A *yes* needs a card that is sure to be played; a card that may be played already breaks a *no*."""
    game, battle = a_battle(emperor={"hand": HAND})
    plan = Plan(1, "Caid", weapon=Card(weapon) if weapon else None, defense=Card(defense) if defense else None)
    assert voice_and_prescience.plan_does(game, battle, "emperor", promise(cards("Crysknife")), plan) is yes
    assert voice_and_prescience.plan_does(game, battle, "emperor", promise(cards("Crysknife"), "no"), plan) is no


@pytest.mark.clause("WBC.X.25", "WBC.AID.8")
@pytest.mark.parametrize(("weapon", "defense"), [("Shield", "Snooper"), ("Crysknife", "Gom Jabbar")])
def test_of_two_defenses_or_weapons_neither_is_sure_to_be_played(weapon: str, defense: str) -> None:
    game, battle = a_battle(emperor={"hand": HAND})
    plan = Plan(1, "Caid", weapon=Card(weapon), defense=Card(defense))
    for card in (weapon, defense):
        assert not voice_and_prescience.plan_does(game, battle, "emperor", promise(cards(card)), plan)


@pytest.mark.clause("WBC.X.24", "WBC.AID.8")
@pytest.mark.parametrize(
    ("plan", "dial"), [(Plan(2, "Caid"), 2), (Plan(3, "Caid", spice=1), 2.5), (Plan(3, "Caid", spice=9), 3)]
)
def test_what_is_dialled_is_what_tokens_and_the_spice_that_is_there_make(plan: Plan, dial: float) -> None:
    game, battle = a_battle(emperor={"spice": 2})
    exactly = promise(acts.Dial(Amount(dial, dial)))
    assert voice_and_prescience.plan_does(game, battle, "emperor", exactly, plan)
    above = promise(acts.Dial(Amount(dial + 0.5)))
    assert not voice_and_prescience.plan_does(game, battle, "emperor", above, plan)


@pytest.mark.clause("WBC.X.24", "WBC.AID.8")
def test_spice_that_is_not_there_dials_nothing() -> None:
    game, battle = a_battle(emperor={"spice": 1})
    plan = Plan(4, "Caid", spice=4)
    assert voice_and_prescience.plan_does(game, battle, "emperor", promise(acts.Dial(Amount(2.5, 2.5))), plan)
    assert not voice_and_prescience.plan_does(game, battle, "emperor", promise(acts.Dial(Amount(4))), plan)


# --- Promises before the Voice ------------------------------------------------------------------------------------

SPOKEN = 50


def heard(
    hand: list[str], command: Voice, *promises: Promise, elsewhere: tuple[tuple[str, str, str], ...] = ()
) -> tuple[Game, BattleMoment]:
    """Let the Emperor hear the Voice, spoken at event 50."""
    dead = ["Count Hasimir Fenring", "Captain Aramsham", "Burseg"]
    game, battle = a_battle(*elsewhere, emperor={"hand": hand, "dead_leaders": dead})
    battle.voice, battle.voice_at = command, SPOKEN
    game.state.promises.extend(promises)
    return game, battle


NO_SHIELD, SHIELD = Voice("emperor", "shield", play=False), Voice("emperor", "shield", play=True)
FREE, BOUND = None, "The Voice forbids you to play a shield."


@pytest.mark.clause("WBC.AID.11", "AH.SHIELD.BG.3-a")
@pytest.mark.parametrize(
    ("changed", "elsewhere", "told"),
    [
        ({}, (), FREE),
        ({"made": SPOKEN - 1}, (), FREE),
        ({"made": SPOKEN}, (), BOUND),
        ({"faction": "guild"}, (), BOUND),
        ({"territory": TerritoryId("carthag")}, (), BOUND),
        ({"opponent": "harkonnen"}, (), BOUND),
        ({}, (("carthag/11", "emperor", "harkonnen"),), BOUND),  # the promise can be kept there
        ({"opponent": "guild"}, (("carthag/11", "emperor", "harkonnen"),), FREE),
    ],
)
def test_of_a_yes_and_the_voice_the_earlier_binds_if_the_yes_is_due_here(
    changed: dict[str, Any], elsewhere: tuple[tuple[str, str, str], ...], told: str | None
) -> None:
    game, battle = heard(["Shield"], NO_SHIELD, promise(cards("Shield"), **changed), elsewhere=elsewhere)
    refusal = voice_and_prescience.breach_of_voice(game, battle, "emperor", Plan(1, "Caid", defense=Card("Shield")))
    assert (refusal and refusal.reason) == told


@pytest.mark.clause("WBC.AID.7", "WBC.AID.12", "AH.SHIELD.BG.3-a")
@pytest.mark.parametrize(
    ("met", "turns", "told"),
    [
        (False, (4, 4), BOUND),  # its condition has not been met
        (True, (4, 4), FREE),
        (True, (3, 4), FREE),
        (True, (4, 5), FREE),
        (True, (5, 6), BOUND),
        (True, (2, 3), BOUND),
    ],
)
def test_only_a_promise_that_is_on_stands_above_the_voice(met: bool, turns: tuple[int, int], told: str | None) -> None:
    yes = promise(cards("Shield"))
    yes.condition, yes.met = acts.Does("guild", acts.ShipTo()), met
    yes.scope.first_turn, yes.scope.last_turn = turns
    game, battle = heard(["Shield"], NO_SHIELD, yes)
    refusal = voice_and_prescience.breach_of_voice(game, battle, "emperor", Plan(1, "Caid", defense=Card("Shield")))
    assert (refusal and refusal.reason) == told


@pytest.mark.clause("WBC.AID.11", "AH.SHIELD.BG.3-a")
def test_a_no_stands_above_the_voice_whatever_battles_are_to_come() -> None:
    elsewhere = (("carthag/11", "emperor", "harkonnen"),)
    game, battle = heard(["Shield"], SHIELD, promise(cards("Shield"), "no"), elsewhere=elsewhere)
    assert voice_and_prescience.breach_of_voice(game, battle, "emperor", Plan(1, "Caid")) is None
    game.state.promises.clear()
    assert voice_and_prescience.breach_of_voice(game, battle, "emperor", Plan(1, "Caid"))


@pytest.mark.clause("WBC.AID.11", "AH.SHIELD.BG.3-a")
@pytest.mark.parametrize("order", [1, -1])
def test_a_promise_that_cannot_be_kept_does_not_make_the_others_stand_above_the_voice(order: int) -> None:
    """The Lasgun is gone; the Snooper was promised, but not the Shield that the Voice commands."""
    gone, no, snooper = promise(cards("Lasgun")), promise(cards("Shield"), "no"), promise(cards("Snooper"))
    game, battle = heard(["Shield", "Snooper"], SHIELD, *[gone, snooper][::order])
    assert (
        voice_and_prescience.breach_of_voice(game, battle, "emperor", Plan(1, "Caid", defense=Card("Snooper"))) is None
    )
    game, battle = heard(["Shield", "Snooper"], SHIELD, *[gone, no][::order])
    assert voice_and_prescience.breach_of_voice(game, battle, "emperor", Plan(1, "Caid")) is None
    game, battle = heard(["Shield", "Snooper"], SHIELD, gone)
    assert voice_and_prescience.breach_of_voice(game, battle, "emperor", Plan(1, "Caid"))


HERO, NO_HERO = Voice("emperor", CHEAP_HERO, play=True), Voice("emperor", CHEAP_HERO, play=False)


@pytest.mark.clause("WBC.AID.11", "FAQ.DIFF.4")
@pytest.mark.parametrize(
    ("command", "one", "free"),
    [
        (HERO, promise(acts.Lead((CHEAP_HERO,)), "no"), True),
        (HERO, promise(acts.Lead((CHEAP_HERO,))), False),
        (HERO, promise(acts.Lead(("Bashar",))), True),
        (HERO, promise(acts.Lead(("Bashar",)), "no"), False),
        (HERO, promise(cards("Shield"), "no"), False),
        (NO_HERO, promise(acts.Lead((CHEAP_HERO,))), True),
        (NO_HERO, promise(acts.Lead((CHEAP_HERO,)), "no"), False),
        (NO_HERO, promise(acts.Lead(("Bashar", "Caid")), "no"), True),
        (NO_HERO, promise(acts.Lead(("Bashar",)), "no"), False),  # Caid remains
        (NO_HERO, promise(cards("Shield")), False),
    ],
)
def test_who_leads_by_an_earlier_promise_leads_against_the_voice(command: Voice, one: Promise, free: bool) -> None:
    game, battle = heard(["Cheap Hero", "Shield"], command, one)
    plan = Plan(1, "Bashar" if command.play else CHEAP_HERO)
    assert (voice_and_prescience.breach_of_voice(game, battle, "emperor", plan) is None) is free


# --- Plans that keep their word -----------------------------------------------------------------------------------


@pytest.mark.clause("WBC.AID.8")
@pytest.mark.parametrize(
    ("word", "amount", "dials"),
    [
        ("yes", Amount(1, 1.5), {1, 1.5}),
        ("yes", Amount(2.3, 3), {3}),  # nobody can dial 2.3
        ("yes", Amount(3), {3}),
        ("no", Amount(1, 1.5), {0, 0.5, 2, 2.5}),
        ("no", Amount(0, 3), {3.5, 4}),
    ],
)
def test_plans_are_sketched_at_the_bounds_of_a_promised_dial(word: str, amount: Amount, dials: set[float]) -> None:
    game, battle = a_battle(emperor={"spice": 9})
    one = promise(acts.Dial(amount), word)
    sketched = list(voice_and_prescience.plan_sketches(game, battle, "emperor", [one], Plan(9, "Caid")))
    found = {plan.dial for plan in sketched if plan.dial <= 4}
    assert found == dials
