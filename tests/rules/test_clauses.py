"""Tests for clauses about the box, the board and the whole game, and that every clause has a test."""

from collections import Counter
from collections.abc import Iterator
from itertools import pairwise
from typing import get_args

import pytest

from bot.desk.new_game import draw_seats
from bot.lab.coverage import coverage_of_this_clone, not_for_the_program, wanted_clauses
from bot.lab.soak_players import DaringPlayer
from bot.language.orders import Context, Unread, read_line
from rules.components import (
    CARDS,
    FACTIONS,
    LEADERS,
    SHAI_HULUD,
    SPICE_DECK,
    TREACHERY_DECK,
    WORTHLESS,
    Card,
    Faction,
    Forces,
    card_kind,
    leaders_of,
    spice_card_territory,
)
from rules.components.board import (
    AREAS,
    DOTS,
    PRINTED_TERRITORIES,
    SHIELD_WALL,
    STRONGHOLDS,
    TERRITORIES,
    TerritoryId,
    sector_of,
)
from rules.engine.catalogue import load_rule_set
from rules.engine.play import Play
from rules.orders import Deal, FamilyAtomics, Ghola, Hajr, Karama, KaramaEffect, Move, Order, PhaseName, Truthtrance
from rules.positions.position import position
from rules.random_players import RandomPlayer, random_seats
from rules.rulesets.rulebook import CLAUSES
from rules.rulesets.ruleset import RULE_SETS

WBC = load_rule_set("wbc-2018")
BASIC = load_rule_set("ah-basic")
OPTIONAL = load_rule_set("ah-optional")
ADVANCED = load_rule_set("ah-advanced")


# --- Every clause has its test -------------------------------------------------------------------------------------


def test_every_clause_that_stands_is_shown_by_a_test_or_a_ruling() -> None:
    assert [found.clause.id for found in coverage_of_this_clone() if not found.shown] == []


def test_what_is_not_for_the_program_is_wanted_and_shown_by_nothing() -> None:
    excused = not_for_the_program()
    assert excused.keys() <= {clause.id for clause in wanted_clauses()}
    shown = [f.clause.id for f in coverage_of_this_clone() if f.not_for_the_program and (f.tests or f.rulings)]
    assert shown == []


@pytest.mark.clause("WBC.HR.0b")
def test_what_stands_at_the_wbc_is_the_text_of_1979_without_its_longer_game_and_the_rules_of_2018() -> None:
    named = {clause.id for clause in wanted_clauses(WBC)}
    assert {"AH.X.C.2", "AH.XXII.B", "AH.AID.KARAMA.B.2", "WBC.HR.5a", "WBC.X.2", "WBC.VIII.12"} <= named
    assert named.isdisjoint({"AH.XVIII.A.1", "AH.XVIII.A.2", "WBC.VIII.14", "WBC.XIII.5", "GF9.SETUP"})
    assert {id.partition(".")[0] for id in named} == {"AH", "WBC"}
    assert len(named) == sum(id.startswith(("AH.", "WBC.")) for id in CLAUSES) - 5


def test_each_rule_set_has_the_clauses_of_its_books() -> None:
    assert {clause.tier for clause in wanted_clauses(BASIC)} == {"basic"}
    assert len(wanted_clauses(BASIC)) < len(wanted_clauses(OPTIONAL)) < len(wanted_clauses(ADVANCED))
    assert "AH.XVIII.A.1" in {clause.id for clause in wanted_clauses(OPTIONAL)}
    for name in RULE_SETS:
        rules = load_rule_set(name)
        named = {clause.book for clause in wanted_clauses(rules)}
        assert named == rules.standing.tiers.keys() <= set(rules.books), name
        assert "expansion" not in {clause.tier for clause in wanted_clauses(rules)}, name


# --- The box -------------------------------------------------------------------------------------------------------

PROJECTILES = ("Crysknife", "Maula Pistol", "Slip-Tip", "Stunner")
POISONS = ("Chaumas", "Chaumurky", "Ellaca Drug", "Gom Jabbar")
WITHOUT_USE = ("Baliset", "Jubba Cloak", "Kulon", "La La La", "Trip to Gamont")


def of_kind(kind: str) -> Counter[str]:
    return Counter(str(card) for card in TREACHERY_DECK if card_kind(card) == kind)


@pytest.mark.clause("AH.COMP.TREACHERY.1", "AH.COMP.TREACHERY.3", "AH.COMP.TREACHERY.6", "WBC.HR.0i")
def test_the_weapons_are_four_projectiles_four_poisons_and_one_lasgun() -> None:
    assert of_kind("projectile-weapon") == Counter(PROJECTILES)
    assert of_kind("poison-weapon") == Counter(POISONS)
    assert of_kind("lasgun") == {"Lasgun": 1}


@pytest.mark.clause("AH.COMP.TREACHERY.2", "AH.COMP.TREACHERY.4", "WBC.HR.0i")
def test_the_defenses_are_four_shields_and_four_snoopers() -> None:
    assert of_kind("shield") == {"Shield": 4}
    assert of_kind("snooper") == {"Snooper": 4}


@pytest.mark.clause("AH.COMP.TREACHERY.5", "AH.COMP.TREACHERY.8", "WBC.HR.0i")
def test_three_cards_stand_in_for_leaders_and_five_are_of_no_use() -> None:
    assert of_kind("cheap-hero") == {"Cheap Hero": 2, "Cheap Heroine": 1}
    assert of_kind("worthless") == Counter(WITHOUT_USE)


@pytest.mark.clause("AH.COMP.TREACHERY.7", "WBC.HR.0i")
def test_the_other_cards_are_two_truthtrances_two_karamas_and_one_of_each() -> None:
    in_battle = {"projectile-weapon", "poison-weapon", "lasgun", "shield", "snooper", "cheap-hero", "worthless"}
    others = Counter(str(card) for card in TREACHERY_DECK if card_kind(card) not in in_battle)
    assert others == {
        "Truthtrance": 2, "Karama": 2, "Hajr": 1, "Tleilaxu Ghola": 1, "Weather Control": 1, "Family Atomics": 1,
    }  # fmt: skip
    assert len(TREACHERY_DECK) == 33


@pytest.mark.clause("AH.COMP.SPICE.1", "AH.COMP.SPICE.2", "WBC.MAP.3")
def test_six_worms_and_a_card_for_each_of_the_fifteen_territories_with_spice() -> None:
    assert SPICE_DECK.count(SHAI_HULUD) == 6
    brings = {
        12: ["Cielago South"],
        10: ["Habbanya Ridge Flat", "South Mesa", "The Great Flat"],
        8: ["Broken Land", "Cielago North", "Habbanya Erg", "Red Chasm", "The Minor Erg"],
        6: ["Funeral Plain", "Hagga Basin", "Old Gap", "Rock Outcroppings", "Sihaya Ridge", "Wind Pass North"],
    }
    cards = [card for card in SPICE_DECK if card != SHAI_HULUD]
    assert sorted(cards) == sorted(card for group in brings.values() for card in group)
    for amount, names in brings.items():
        for name in names:
            territory = spice_card_territory(name)
            assert territory is not None
            assert TERRITORIES[territory].name == name
            assert TERRITORIES[territory].spice == amount
    assert {t.id for t in TERRITORIES.values() if t.spice_area} == {spice_card_territory(card) for card in cards}


PRINTED_LEADERS: dict[Faction, dict[str, int]] = {
    "atreides": {"Lady Jessica": 5, "Thufir Hawat": 5, "Gurney Halleck": 4, "Duncan Idaho": 2, "Dr. Yueh": 1},
    "bene-gesserit": {
        "Alia": 5, "Margot Lady Fenring": 5, "Princess Irulan": 5, "Reverend Mother Ramallo": 5, "Wanna Marcus": 5,
    },
    "emperor": {"Count Fenring": 6, "Captain Aramsham": 5, "Burseg": 3, "Caid": 3, "Bashar": 2},
    "fremen": {"Stilgar": 7, "Chani": 6, "Otheym": 5, "Shadout Mapes": 3, "Jamis": 2},
    "guild": {"Staban Tuek": 5, "Esmar Tuek": 3, "Master Bewt": 3, "Soo-Soo Sook": 2, "Guild Representative": 1},
    "harkonnen": {
        "Feyd-Rautha": 6, "Beast Rabban": 4, "Piter DeVries": 3, "Captain Iakin Nefud": 2, "Umman Kudu": 1,
    },
}  # fmt: skip


@pytest.mark.clause(
    "AH.COMP.LEADERS.ATR", "AH.COMP.LEADERS.BG", "AH.COMP.LEADERS.EMP", "AH.COMP.LEADERS.FRE", "AH.COMP.LEADERS.GUI",
    "AH.COMP.LEADERS.HAR", "WBC.HR.0e", "WBC.HR.0h",
)  # fmt: skip
def test_each_of_the_six_factions_has_its_five_leaders() -> None:
    assert set(FACTIONS) == set(PRINTED_LEADERS)
    for faction, printed in PRINTED_LEADERS.items():
        named = {name: LEADERS[name].strength for name in leaders_of(faction)}
        spoken = {alias: LEADERS[name].strength for name in named for alias in (name, *LEADERS[name].aliases)}
        assert sorted(named.values()) == sorted(printed.values())
        for name, strength in printed.items():
            assert spoken[name] == strength
    assert max(leader.strength for leader in LEADERS.values()) == 7
    assert len([one for one in LEADERS.values() if one.faction in FACTIONS]) == 30


# --- The board -----------------------------------------------------------------------------------------------------


@pytest.mark.clause("AH.II.A.1", "WBC.MAP.6", "WBC.MAP.8")
def test_a_territory_is_sand_rock_a_stronghold_or_the_polar_sink() -> None:
    assert {t.kind for t in TERRITORIES.values()} == {"sand", "rock", "stronghold", "polar-sink"}
    kinds = {name: TERRITORIES[TerritoryId(name)].kind for name in ("imperial-basin", "pasty-mesa", "plastic-basin")}
    assert kinds == {"imperial-basin": "sand", "pasty-mesa": "rock", "plastic-basin": "rock"}
    assert len(PRINTED_TERRITORIES) == 42
    assert not {"reserves", "tanks"} & {*TERRITORIES, *AREAS}


@pytest.mark.clause("WBC.MAP.4")
def test_the_strongholds_lie_in_their_sectors() -> None:
    assert {name: TERRITORIES[name].sectors for name in STRONGHOLDS} == {
        "arrakeen": (10,), "carthag": (11,), "tueks-sietch": (5,), "habbanya-ridge-sietch": (17,),
        "sietch-tabr": (14,),
    }  # fmt: skip
    assert SHIELD_WALL not in STRONGHOLDS


@pytest.mark.clause("WBC.MAP.7")
def test_territories_that_the_key_forgets_are_on_the_board() -> None:
    names = {t.abbreviation: t.name for t in TERRITORIES.values() if t.id in PRINTED_TERRITORIES}
    assert (names["CW"], names["HP"]) == ("Cielago West", "Harg Pass")
    assert len(names) == 42


@pytest.mark.clause("WBC.MAP.5", "AH.II.A.2")
def test_a_territory_is_divided_by_sectors_and_by_nothing_else() -> None:
    for territory in TERRITORIES.values():
        sectors = [sector_of(area) for area in territory.areas]
        assert sectors == list(territory.sectors or (None,))
        assert all((second - first) % 18 == 1 for first, second in pairwise(territory.sectors))


# --- Seats and factions --------------------------------------------------------------------------------------------

PLAYERS = ("ann@example.org", "bob@example.org", "cid@example.org")


@pytest.mark.clause("WBC.HR.1a", "AH.III.E-a")
def test_factions_are_dealt_at_random() -> None:
    dealt = [draw_seats(PLAYERS, f"deal {n}")[0] for n in range(60)]
    for faction in FACTIONS:
        assert {seats[faction] for seats in dealt if faction in seats} == set(PLAYERS)
    assert draw_seats(PLAYERS, "deal 1") == draw_seats(PLAYERS, "deal 1")


@pytest.mark.clause("WBC.HR.1b")
def test_dots_are_dealt_at_random_and_apart_from_the_factions() -> None:
    dots = [draw_seats(PLAYERS, f"deal {n}")[1] for n in range(120)]
    for faction in FACTIONS:
        assert {seats[faction] for seats in dots if faction in seats} == set(DOTS)
    assert all(len(set(seats.values())) == len(PLAYERS) for seats in dots)


# --- Rule sets -----------------------------------------------------------------------------------------------------


@pytest.mark.clause("WBC.HR.0a", "AH.XX", "AH.XXIII")
def test_the_rules_of_2018_have_every_optional_and_advanced_rule() -> None:
    optional = ("starred_tokens", "kwisatz_haderach", "leader_capture", "karama_special", "city_income", "bg_charity",
                "bg_presence_model", "extra_worms", "storm_movement", "fremen_storm_loss", "bg_worthless_as_karama",
                "guild_timing", "bg_start")  # fmt: skip
    assert [name for name in optional if WBC.option(name) == BASIC.option(name)] == []
    assert [name for name in optional if WBC.option(name) != ADVANCED.option(name)] == []
    advanced = ("spice_blows", "combat_model")
    assert [WBC.option(name) for name in advanced] == [ADVANCED.option(name) for name in advanced]
    assert [OPTIONAL.option(name) for name in advanced] == [BASIC.option(name) for name in advanced]
    assert [name for name in optional if OPTIONAL.option(name) != ADVANCED.option(name)] == []
    assert ADVANCED.option("city_income") == WBC.option("city_income") == "on"


@pytest.mark.clause("AH.XIV", "WBC.HR.0a")
@pytest.mark.parametrize(
    ("option", "value"),
    [("city_income", "on"), ("karama_special", "on"), ("kwisatz_haderach", "on"), ("leader_capture", "on"),
     ("bg_charity", "from_turn_2"), ("spice_blows", 2), ("storm_movement", "fremen_marker_1_6")],
)  # fmt: skip
def test_an_optional_rule_can_be_played_by_itself(option: str, value: str | int) -> None:
    rules = BASIC.with_options({option: value})
    assert [name for name in ("city_income", "karama_special", "kwisatz_haderach", "spice_blows")
            if name != option and rules.option(name) != BASIC.option(name)] == []  # fmt: skip
    play = Play.start(rules, f"only {option}", random_seats(option, FACTIONS))
    player = RandomPlayer(option)
    while not play.over and play.state.turn < 4:
        player.act(play)
    assert play.over or play.state.turn == 4


@pytest.mark.clause("WBC.X26", "AH.XII.C.2")
def test_alliances_have_two_members_in_2018_and_any_number_in_1979() -> None:
    assert (WBC.option("alliance_max"), BASIC.option("alliance_max")) == (2, 0)


# --- The course of a game ------------------------------------------------------------------------------------------

ROUNDS = ["storm", "spice", "charity", "bidding", "revival", "movement", "battle", "collection", "mentat"]
"""Charity opens the bidding round, revival and movement share a round, and the victory check ends the turn."""


@pytest.mark.clause("AH.V-b", "AH.AID.SEQ")
@pytest.mark.parametrize("ruleset", ["ah-basic", "wbc-2018"])
def test_every_turn_goes_through_all_rounds_in_their_order(ruleset: str, monkeypatch: pytest.MonkeyPatch) -> None:
    begun: list[str] = []
    begin = Play.begin_phase

    def noted(self: Play, phase: PhaseName) -> None:
        begun.append(phase)
        begin(self, phase)

    monkeypatch.setattr(Play, "begin_phase", noted)
    play = Play.start(load_rule_set(ruleset), "course", random_seats("course", FACTIONS))
    player = RandomPlayer("course")
    while not play.over and play.state.turn < 5:
        player.act(play)
    assert begun[0] == "setup"
    turns = begun[1:]
    assert turns == (ROUNDS * 6)[: len(turns)]
    assert len(turns) > 30 or play.over


@pytest.mark.clause("WBC.VIII.2", "AH.AID.TIMED.5-a")
def test_only_family_atomics_leaves_the_game() -> None:
    set_aside: set[Card] = set()
    for seed in range(12):
        play = Play.start(WBC, f"gone {seed}", random_seats(f"gone {seed}", FACTIONS))
        player = RandomPlayer(f"gone {seed}", impulses=30)
        while not play.over:
            for question in play.questions():
                if question.kind == "storm-cards" and FamilyAtomics() in question.samples():
                    play.submit(question.faction, [FamilyAtomics()])
            player.act(play)
        set_aside.update(play.state.set_aside)
        left = Counter(TREACHERY_DECK) - Counter(play.state.set_aside)
        hands = [card for held in play.state.players.values() for card in held.hand]
        assert Counter([*play.state.treachery_deck, *play.state.treachery_discard, *hands]) == left
        if set_aside and seed > 2:
            break
    assert set_aside == {"Family Atomics"}


@pytest.mark.clause("AH.XXVII-b")
def test_worthless_cards_leave_a_hand_only_in_a_battle() -> None:
    gone = Counter[str]()
    for seed in ("no use", "of no use", "useless"):
        play = Play.start(BASIC, seed, random_seats(seed, FACTIONS))
        player = DaringPlayer(seed, impulses=30, strays=0)
        while not play.over:
            phase, before = play.state.phase, worthless(play)
            player.act(play)
            if before - worthless(play):
                gone[phase] += 1
    assert set(gone) == {"battle"}


def worthless(play: Play) -> Counter[tuple[Faction, Card]]:
    return Counter((p.faction, card) for p in play.state.players.values() for card in p.hand if card in WORTHLESS)


def plays_at_any_stop() -> Iterator[Order]:
    yield from (Karama(effect, faction="guild", number=1) for effect in get_args(KaramaEffect))
    yield Truthtrance("guild", "Do you hold Lasgun?")
    yield Ghola(leader=leaders_of("harkonnen")[0])
    yield Hajr(Move(Forces(1), source=AREAS[0], target=AREAS[1]))


@pytest.mark.clause("AH.AID.BATTLE.0")
def test_twenty_five_cards_are_of_no_use_outside_a_battle() -> None:
    for_battle = [card for card in TREACHERY_DECK if CARDS[card].battle_plan]
    assert len(for_battle) == 25
    for card in dict.fromkeys(for_battle):
        play = at_revival(card)
        for order in plays_at_any_stop():
            assert play.check("harkonnen", order).refusal, f"{card} serves as {order}"


def at_revival(card: Card) -> Play:
    start = {"phase": "revival", "turn": 2, "storm": 3, "factions": ["guild", "harkonnen"]}
    play = position(
        {"ruleset": "ah-basic", "start": {**start, "faction": {"harkonnen": {"hand": [card], "reserves": "5"}}}}
    ).play()
    play.begin_phase("revival")
    play.settle()
    return play


# --- Spice and deals -----------------------------------------------------------------------------------------------


@pytest.mark.clause("AH.II.E")
@pytest.mark.parametrize(
    "line", ["bid 1.5", "give 0.5 spice to guild", "support 2.5", "bid up to 3.5", "emperor gives 1.5 to guild"]
)
def test_spice_comes_in_whole_units(line: str) -> None:
    context = Context(faction="emperor", factions=frozenset(FACTIONS), hand=())
    assert isinstance(read_line(line, context), Unread)
    assert not isinstance(read_line(line.replace(".5", ""), context), Unread)


@pytest.mark.clause("AH.XIII.D-a")
def test_a_deal_has_nothing_but_words_and_spice() -> None:
    spice = {"i_pay", "you_pay", "i_escrow", "you_escrow"}
    when = {"condition", "broken_if", "until", "secret"}
    refused = {"goods"}  # the other goods in a refused deal
    assert set(Deal.__struct_fields__) == {"faction", "text"} | spice | when | refused
