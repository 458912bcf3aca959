"""Tests for the counts of a long run: the power that each event shows, and the powers in each rule set."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from bot.lab.occurrences import Occurrences, karama_effects, power_names
from rules.components.board import MOBILE_STRONGHOLD
from rules.engine.catalogue import load_rule_set
from rules.engine.log import Expired, Submitted
from rules.orders import Bid, Pass
from rules.rulesets.ruleset import RuleSet
from rules.state.events import Event

WBC = load_rule_set("wbc-2018")
GF9 = load_rule_set("gf9-advanced").with_options({"expansion": "ixians-tleilaxu"})
OTHERS = GF9.with_options({
    "bg_presence_model": "coexistence", "guild_ally_shipments": "all_three", "fremen_support": "free_and_lendable",
    "spice_transfer_timing": "collection", "tleilaxu_gholas": "off", "kwisatz_haderach": "off",
    "combat_model": "tokens", "missing_leader": "reject", "bg_worthless_as_karama": "no",
})  # fmt: skip


def event(kind: str, number: int = 0, **facts: Any) -> Event:
    return Event(number, 1, "battle", kind, facts)


def counted(rules: RuleSet, *events: Event, log: tuple[object, ...] = ()) -> Occurrences:
    occurred = Occurrences(rules)
    occurred.add(SimpleNamespace(game=SimpleNamespace(rules=rules), events=list(events), log=list(log)))  # type: ignore[arg-type]
    return occurred


def shown(rules: RuleSet, *events: Event) -> set[str]:
    return {name for name, times in counted(rules, *events).powers.items() if times}


def revived(faction: str, forces: str, price: int, **more: Any) -> Event:
    return event("tokens-revived", faction=faction, forces=forces, price=price, **more)


def moved(faction: str, forces: str, source: str, target: str, *, hajr: bool = False) -> Event:
    return event("move", faction=faction, forces=forces, source=source, target=target, hajr=hajr)


def shipped(faction: str, price: int, source: str | None, target: str | None, paid_to: str | None = None) -> Event:
    return event("shipment", faction=faction, price=price, source=source, target=target, paid_to=paid_to)


FIGHT = "Advisors become fighters"
PAID, HALF = "The Tleilaxu are paid for a revival", "An ally of the Tleilaxu revives for half the price"
FAR, INTO = "Cyborgs go two territories", "Somebody else enters the Hidden Mobile Stronghold"
ACROSS, BACK = "The Guild ships across", "The Guild ships back"
ALLY_ACROSS, ALLY_BACK = "An ally of the Guild ships across", "An ally of the Guild ships back"


@pytest.mark.parametrize(
    ("happened", "powers"),
    [
        (event("revival-limits", raised=["guild"]), {"Tleilaxu raise limits of revival"}),
        (event("revival-limits", raised=[]), set()),
        # the Emperor has one free revival; two more tokens cost four spice, and half of that is two
        (revived("emperor", "3+0", 2), {HALF}),
        (revived("emperor", "2+1", 3, paid_to="tleilaxu"), {HALF, PAID}),
        (revived("emperor", "3+0", 4), set()),
        (revived("emperor", "3+0", 0), set()),
        (revived("tleilaxu", "4+0", 1), set()),
        (revived("guild", "3+0", 2, helper="emperor"), {"The Emperor pays for an ally's revival"}),
        (event("revival-income", why="ghola"), {"A spice for a Tleilaxu Ghola"}),
        (event("revival-income", why="free"), {"A spice for free revival"}),
        (event("game-won", how="prediction"), {"The Bene Gesserit foresaw the victory"}),
        (event("game-won", how="fremen"), {"Won by the Fremen at the end"}),
        (event("game-won", how="guild"), {"Won by the Guild at the end"}),
        (event("game-won", how="strongholds"), {"Won by strongholds"}),
        (event("bg-flip", advisors=0, why="alone"), {FIGHT, "Advisors left alone become fighters"}),
        (event("bg-flip", advisors=0, why="fight"), {FIGHT}),
        (event("bg-flip", advisors=2, why="intrusion"), {"Fighters become advisors"}),
        (event("bg-declared", coexists=True), set()),
        (event("charity", always=True, amount=2), {"Charity whatever they hold"}),
        (event("charity", always=False, amount=1), {"Charity for one who has spice"}),
        (event("charity", always=False, amount=2), set()),
        (event("card-sold", to_emperor=3, karama=False), {"The Emperor is paid for a card"}),
        (event("card-sold", to_emperor=0, karama=True), {"A card is bought with a Karama"}),
        (event("spice-given", payer="emperor", why="gift"), {"The Emperor gives to an ally"}),
        (event("spice-given", payer="guild", why="gift"), set()),
        (shipped("fremen", 0, None, "carthag"), {"A Fremen landing"}),
        (shipped("fremen", 2, None, "carthag"), set()),
        (shipped("guild", 0, None, "carthag"), set()),
        (shipped("guild", 1, "arrakeen/10", "carthag/11"), {ACROSS}),
        (shipped("guild", 1, "arrakeen/10", None), {BACK}),
        (shipped("emperor", 1, "arrakeen/10", "carthag/11"), {ALLY_ACROSS}),
        (shipped("emperor", 1, "arrakeen/10", None), set()),
        (shipped("emperor", 2, None, "carthag/11", "guild"), {"The Guild is paid"}),
        (shipped("emperor", 0, None, "carthag/11", "guild"), set()),
        (shipped("emperor", 2, None, "carthag/11", "bank"), set()),
        (moved("guild", "1+0", "arrakeen/10", MOBILE_STRONGHOLD), {INTO}),
        (moved("ixians", "1+0", "arrakeen/10", MOBILE_STRONGHOLD), set()),
        (moved("ixians", "0+1", "arrakeen/10", "imperial-basin/10"), set()),
        (moved("ixians", "0+1", "arrakeen/10", "carthag/11"), {FAR}),
        (moved("ixians", "1+1", "arrakeen/10", "carthag/11"), set()),
        (moved("fremen", "0+1", "arrakeen/10", "carthag/11"), set()),
        (moved("fremen", "0+1", "arrakeen/10", "carthag/11", hajr=True), {"Hajr"}),
        (event("auction-returned", where="top"), {"The Ixians put a card on top"}),
        (event("auction-returned", where="bottom"), {"The Ixians put a card at the bottom"}),
        (Event(0, 1, "battle", "exchanged", {"number": 0}), set()),
        (Event(0, 1, "battle", "exchanged", {"number": 1}), {"Suboids for Cyborgs"}),
        (event("treachery-called", caller="harkonnen", side="harkonnen"), {"Treachery"}),
        (event("treachery-called", caller="harkonnen", side="guild"), {"Treachery", "Treachery for an ally"}),
        (event("leader-revived", price=0), set()),
        (event("leader-revived", price=1), {"A leader is revived"}),
        (event("sandtrout", waits=True), {"A Sandtrout waits"}),
        (event("sandtrout", waits=False), set()),
        (event("tech-token-paid", token="heighliners"), {"Heighliners pay"}),
        (event("tech-token-taken", token="axlotl-tanks"), {"Axlotl Tanks are taken"}),
        (event("truthtrance-answered"), {"Truthtrance"}),
        (event("truthtrance-answered", negative=True), {"Truthtrance", "A question with a not"}),
        (event("thumper"), {"Thumper"}),
        (event("shield-wall-counts"), set()),
        (event("karama-played", effect="worm", card="Karama"), {"Karama: worm"}),
        (event("karama-played", effect="worm", card="Baliset"), {"Karama: worm", "Karama by a worthless card"}),
    ],
)  # fmt: skip
def test_an_event_shows_the_powers_that_were_at_work(happened: Event, powers: set[str]) -> None:
    assert shown(GF9, happened) == powers
    assert counted(GF9, happened, happened).events[happened.kind] == 2


@pytest.mark.parametrize(
    ("happened", "powers"),
    [
        (event("bg-declared", coexists=True), {"The Bene Gesserit coexist"}),
        (event("bg-declared", coexists=False), {"The Bene Gesserit fight"}),
        (event("bg-flip", advisors=0, why="alone"), set()),
        (event("fremen-support", granted=True), {"Fremen support for an ally"}),
        (event("fremen-support", granted=False), set()),
        (shipped("emperor", 1, "arrakeen/10", None), {ALLY_BACK}),
        (shipped("guild", 1, "arrakeen/10", None), {BACK}),
        (event("spice-given", payer="emperor", why="gift"), {"The Emperor gives to an ally"}),
        (event("spice-given", payer="guild", why="gift"), {"A gift in the collection"}),
        (event("spice-given", payer="guild", why="deal"), {"A deal is paid"}),
        (event("kwisatz-haderach-ready"), set()),
    ],
)
def test_what_shows_a_power_follows_from_the_options_of_the_game(happened: Event, powers: set[str]) -> None:
    assert shown(OTHERS, happened) == powers


def private(kind: str, **told: Any) -> Event:
    return Event(1, 1, "bidding", kind, {}, {"atreides": told})


def test_a_card_counts_as_looked_at_where_somebody_was_told_of_it() -> None:
    assert shown(WBC, private("card-up", card="Shield")) == {"Atreides look at a card for bid"}
    assert shown(WBC, event("card-up", number=1)) == set()


VOICE, VOICE_FOR = "The Voice forbids", "The Voice for an ally"


@pytest.mark.parametrize(
    ("aggressor", "defender", "happened", "powers"),
    [
        ("atreides", "guild", event("prescience-answered"), {"Prescience answered"}),
        ("fremen", "guild", event("prescience-answered"), {"Prescience answered", "Prescience for an ally"}),
        ("guild", "bene-gesserit", event("voice-given", play=False, card="lasgun"), {VOICE}),
        ("guild", "emperor", event("voice-given", play=False, card="lasgun"), {VOICE, VOICE_FOR}),
        ("guild", "bene-gesserit", event("voice-given", play=True, card="lasgun"), {"The Voice commands"}),
        ("guild", "bene-gesserit", event("voice-given", play=False, card="Shield"), {VOICE, "The Voice names a card"}),
    ],
)
def test_what_is_done_for_an_ally_is_known_from_who_fights(
    aggressor: str, defender: str, happened: Event, powers: set[str]
) -> None:
    battle = event("battle-begins", aggressor=aggressor, defender=defender, territory="carthag")
    inside = event("battle-begins", aggressor="guild", defender="fremen", territory=MOBILE_STRONGHOLD)
    assert shown(GF9, battle, happened) == powers
    assert shown(GF9, inside, battle, happened) == {*powers, "A battle in the Hidden Mobile Stronghold"}


def plan(**shows: Any) -> dict[str, Any]:
    nothing: dict[str, Any] = {
        "faction": "guild", "leader": "Staban Tuek", "weapon": None, "defense": None, "cheap_hero": False,
        "kwisatz_haderach": False, "repairs": [], "spice": 0,
    }  # fmt: skip
    return {**nothing, **shows}


@pytest.mark.parametrize(
    ("one", "powers", "elsewhere"),
    [
        (plan(), set(), set()),
        (plan(weapon="Crysknife", defense="Shield"), {"projectile-weapon", "shield"}, {"projectile-weapon", "shield"}),
        (plan(cheap_hero=True), {"cheap-hero"}, {"cheap-hero"}),
        (plan(weapon="Baliset"), {"worthless"}, {"worthless"}),
        (plan(kwisatz_haderach=True), {"The Kwisatz Haderach in battle"}, set()),
        (plan(repairs=["leader"]), {"A plan is mended"}, set()),
        (plan(spice=1), {"Spice in a plan"}, set()),
        (plan(weapon="Chemistry"), {"chemistry", "Chemistry as a weapon"}, {"chemistry", "Chemistry as a weapon"}),
        (plan(defense="Chemistry"), {"chemistry"}, {"chemistry"}),
        (plan(defense="Weirding Way"), *[{"weirding-way", "Weirding Way as a defense"}] * 2),
        (plan(weapon="Weirding Way"), {"weirding-way"}, {"weirding-way"}),
        (plan(faction="tleilaxu"), {"A Tleilaxu Ghola fights"}, set()),
        (plan(faction="tleilaxu", leader=None), set(), set()),
        (plan(faction="tleilaxu", leader="cheap-hero"), set(), set()),
        (plan(leader="Zoal"), *[{"A leader whose value is the opponent's fights"}] * 2),
        (plan(faction="tleilaxu", leader="Zoal"), *[{"A leader whose value is the opponent's fights"}] * 2),
    ],
)
def test_a_revealed_plan_shows_what_was_played_in_battle(
    one: dict[str, Any], powers: set[str], elsewhere: set[str]
) -> None:
    revealed = event("plans-revealed", plans=[plan(), one])
    for rules, expected in ((GF9, powers), (OTHERS, elsewhere)):
        assert {name.removeprefix("Played in battle: ") for name in shown(rules, revealed)} == expected
        both = counted(rules, event("plans-revealed", plans=[one, one]))
        assert all(times in (0, 2) for times in both.powers.values())


def test_orders_are_counted_by_their_kind_and_silence_is_none() -> None:
    log = (Submitted("guild", (Bid(1), Bid(2))), Expired(()), Submitted("fremen", (Pass(),)))
    orders = counted(WBC, log=log).orders
    assert {name: times for name, times in orders.items() if times} == {"Bid": 2, "Pass": 1}


def test_what_was_counted_elsewhere_is_added() -> None:
    one = counted(WBC, event("thumper"), event("treachery-called", caller="harkonnen", side="harkonnen"))
    other = counted(WBC, event("treachery-called", caller="harkonnen", side="harkonnen"), log=(
        Submitted("fremen", (Pass(),)),
    ))  # fmt: skip
    one.merge(other)
    assert (one.powers["Treachery"], one.events["treachery-called"], one.events["thumper"]) == (2, 2, 1)
    assert one.orders["Pass"] == 1


@pytest.mark.parametrize(("rules", "games", "least"), [(WBC, 1000, 30), (GF9, 1000, 15), (GF9, 2000, 30)])
def test_a_power_is_too_rare_below_thirty_times_in_a_thousand_games_or_in_two_thousand_with_an_expansion(
    rules: RuleSet, games: int, least: int
) -> None:
    occurred = Occurrences(rules)
    occurred.powers.update(dict.fromkeys(occurred.powers, least))
    assert occurred.too_rare(games) == []
    occurred.powers["Hajr"] -= 1
    assert occurred.too_rare(games) == ["Hajr"]
    assert occurred.too_rare(999) == [], "fewer games say nothing"
    assert Occurrences(rules).too_rare(games) == list(occurred.powers)


def test_a_rule_set_lists_the_powers_that_its_options_bring_and_no_others() -> None:
    of_wbc, of_basic, of_gf9 = (set(power_names(rules)) for rules in (WBC, load_rule_set("ah-basic"), GF9))
    assert of_basic - of_wbc == {"A further worm does nothing", "Leaders are waived by consent"}
    assert of_wbc - of_basic == {
        "A captive goes home after the battle", "A further worm is sent", "A landing in the storm", "A plan is mended",
        "All captives go home", "Charity whatever they hold", "Ghola for the Kwisatz Haderach",
        "Harkonnen keep a captive", "Harkonnen kill a captive", "Income of a city", "Karama by a worthless card",
        *(f"Karama: {effect}" for effect in (
            "cancel capture", "cancel fedaykin", "cancel karama", "cancel kwisatz haderach", "cancel sardaukar",
            "guild in turn", "revive", "see plan", "stop shipment", "take cards", "worm",
        )),
        "Spice in a plan", "The Bene Gesserit coexist", "The Bene Gesserit fight", "The Guild goes early",
        "The Guild waits", "The Kwisatz Haderach awakes", "The Kwisatz Haderach dies", "The Kwisatz Haderach in battle",
        "The Kwisatz Haderach is revived", "The Shield Wall becomes a stronghold", "The storm marker is drawn",
    }  # fmt: skip
    assert of_wbc - of_gf9 == {
        "A deal is paid", "A gift in the collection", "An ally of the Guild ships back", "Fremen support for an ally",
        "Karama: cancel fremen support", "The Bene Gesserit coexist", "The Bene Gesserit fight",
        "The Shield Wall becomes a stronghold",
    }  # fmt: skip
    battle = {name.removeprefix("Played in battle: ") for name in of_gf9 - of_wbc if name.startswith("Played")}
    assert battle == {"poison-blade", "poison-tooth", "artillery-strike", "weirding-way", "chemistry", "shield-snooper"}
    assert {name for name in of_basic if name.startswith("Played")} == {
        f"Played in battle: {kind}"
        for kind in ("projectile-weapon", "poison-weapon", "lasgun", "shield", "snooper", "cheap-hero", "worthless")
    }
    assert len(power_names(GF9)) == len(of_gf9)


def test_an_effect_that_one_faction_has_for_its_own_is_there_only_with_the_special_karama() -> None:
    own = {"worm", "revive", "see plan", "stop shipment", "take cards", "hms", "stop revival"}
    assert own.issubset(karama_effects(GF9))
    assert own.isdisjoint(karama_effects(load_rule_set("gf9-basic").with_options({"expansion": "ixians-tleilaxu"})))
    assert own & set(karama_effects(WBC)) == own - {"hms", "stop revival"}
