"""Tests that the contents of the box match the counts and numbers in the printed documents."""

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rules.components import (
    CARDS,
    FACTION_FACTS,
    FACTIONS,
    FREMEN_LANDING,
    KWISATZ_HADERACH_LOSSES,
    KWISATZ_HADERACH_STRENGTH,
    LEADERS,
    SHAI_HULUD,
    SPICE_DECK,
    TREACHERY_DECK,
    WORTHLESS,
    Faction,
    Forces,
    Leader,
    as_faction,
    card_kind,
    faction_name,
    is_defense,
    is_weapon,
    leader_strength,
    leaders_of,
    spice_card_territory,
)
from rules.components.board import TERRITORIES
from rules.components.chance import Chance
from rules.components.facts import entries

some_forces = st.builds(Forces, st.integers(0, 20), st.integers(0, 5))


# --- Forces --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("forces", "words"), [(Forces(1), "1 token"), (Forces(), "0 tokens"), (Forces(3, 2), "3+2 tokens")]
)
def test_one_is_a_token_and_more_are_tokens(forces: Forces, words: str) -> None:
    assert forces.in_words == words


@pytest.mark.parametrize(
    ("text", "forces", "written"),
    [
        ("5", Forces(5), "5"),
        ("3+2", Forces(3, 2), "3+2"),
        ("0+2", Forces(0, 2), "0+2"),
        (" 3 + 2 ", Forces(3, 2), "3+2"),
        ("4+0", Forces(4), "4"),
        ("0", Forces(), "0"),
    ],
)
def test_forces_are_read_and_written_as_players_write_them(text: str, forces: Forces, written: str) -> None:
    assert Forces.parse(text) == forces
    assert str(forces) == written


@pytest.mark.parametrize("text", ["", "-1", "five", "3+", "+2", "3+2+1", "1.5", "\u0663", "9999"])
def test_what_is_no_number_of_forces_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="is not a number of forces"):
        Forces.parse(text)


@given(some_forces, some_forces)
def test_what_is_added_can_be_taken_away_again(mine: Forces, more: Forces) -> None:
    together = mine + more
    assert isinstance(together, Forces)
    assert together.total == mine.total + more.total
    assert together.covers(more)
    assert together - more == mine
    assert Forces.parse(str(together)) == together


@given(some_forces, some_forces)
def test_more_than_there_is_cannot_be_taken(mine: Forces, wanted: Forces) -> None:
    if mine.covers(wanted):
        assert (mine - wanted).total >= 0
    else:
        with pytest.raises(ValueError, match="cannot be taken from"):
            mine - wanted


def test_forces_are_added_to_forces_alone() -> None:
    with pytest.raises(TypeError):
        Forces(3, 2) + 1


def test_no_forces_are_false() -> None:
    assert not Forces()
    assert Forces(1)
    assert Forces(0, 1)


# --- Chance --------------------------------------------------------------------------------------------------


def test_a_number_from_the_incomplete_stretch_is_drawn_again() -> None:
    """If the size exceeds half of 2**64, larger numbers are redrawn, because some results would be likelier."""
    heard: list[tuple[str, int, int]] = []
    size = (1 << 63) + 1
    got = Chance("melange", {}, lambda *drawn: heard.append(drawn)).draw("storm", size)
    assert (got, heard) == (8396100527670696900, [("storm#0#retry#retry", size, got)])


def test_from_nothing_nothing_is_drawn() -> None:
    counts: dict[str, int] = {}
    with pytest.raises(ValueError, match=r"^nothing to draw from for 'storm'$"):
        Chance("melange", counts).draw("storm", 0)
    assert Chance("melange", counts).draw("storm", 1) == 0
    assert counts == {"storm": 1}


# --- Cards ---------------------------------------------------------------------------------------------------


@pytest.mark.clause("AH.COMP.TREACHERY.1")
def test_the_treachery_deck_has_thirty_three_cards_of_the_printed_kinds() -> None:
    assert len(TREACHERY_DECK) == 33
    assert Counter(map(card_kind, TREACHERY_DECK)) == {
        "projectile-weapon": 4,
        "poison-weapon": 4,
        "lasgun": 1,
        "shield": 4,
        "snooper": 4,
        "cheap-hero": 3,
        "worthless": 5,
        "karama": 2,
        "truthtrance": 2,
        "hajr": 1,
        "ghola": 1,
        "weather-control": 1,
        "family-atomics": 1,
    }
    assert sum(CARDS[card].battle_plan for card in TREACHERY_DECK) == 25


def test_weapons_and_defenses_are_told_from_the_rest() -> None:
    assert {card for card in TREACHERY_DECK if is_weapon(card)} == {
        "Crysknife", "Maula Pistol", "Slip-Tip", "Stunner",
        "Chaumas", "Chaumurky", "Ellaca Drug", "Gom Jabbar", "Lasgun",
    }  # fmt: skip
    assert {card for card in TREACHERY_DECK if is_defense(card)} == {"Shield", "Snooper"}
    assert {"Baliset", "Jubba Cloak", "Kulon", "La La La", "Trip to Gamont"} == WORTHLESS & set(TREACHERY_DECK)


def test_the_spice_deck_has_fifteen_territories_and_six_worms() -> None:
    assert len(SPICE_DECK) == 21
    assert SPICE_DECK.count(SHAI_HULUD) == 6
    assert spice_card_territory(SHAI_HULUD) is None
    assert len({spice_card_territory(name) for name in SPICE_DECK}) == 16


def test_a_spice_card_and_its_territory_say_the_same() -> None:
    for entry in entries("cards.toml", "spice_card"):
        territory = spice_card_territory(entry.text("name"))
        if territory is not None:
            place = TERRITORIES[territory]
            assert place.name == entry.text("name")
            assert place.spice == entry.number("spice")
            assert place.spice_area == f"{territory}/{entry.number('sector')}"
    blown = {spice_card_territory(name) for name in SPICE_DECK} - {None}
    assert blown == {territory.id for territory in TERRITORIES.values() if territory.spice}


# --- Leaders and factions ------------------------------------------------------------------------------------


def test_every_faction_has_five_leaders_strongest_first() -> None:
    assert len(LEADERS) == 40
    for faction in FACTIONS:
        strengths = [leader_strength(leader) for leader in leaders_of(faction)]
        assert len(strengths) == 5
        assert strengths == sorted(strengths, reverse=True)
        assert all(1 <= strength <= 7 for strength in strengths)


def test_the_strengths_of_a_faction_add_up_to_the_printed_discs() -> None:
    assert {faction: sum(map(leader_strength, leaders_of(faction))) for faction in FACTIONS} == {
        "atreides": 17,
        "bene-gesserit": 25,
        "emperor": 19,
        "fremen": 23,
        "guild": 14,
        "harkonnen": 16,
    }
    assert leader_strength(Leader("Stilgar")) == 7
    assert leader_strength(Leader("Captain Iakin Nefud")) == 2


def test_no_spelling_stands_for_two_of_a_kind() -> None:
    spellings = {
        "leaders": [(leader.name, *leader.aliases) for leader in LEADERS.values()],
        "treachery cards": [(card.name, *card.aliases) for card in CARDS.values()],
        "factions": [(facts.name, facts.id, *facts.aliases) for facts in FACTION_FACTS.values()],
    }
    for kind, names in spellings.items():
        spoken = [spelling for each in names for spelling in {name.upper() for name in each}]
        assert len(spoken) == len(set(spoken)), kind


@pytest.mark.clause("AH.SHIELD.ATR.START", "AH.SHIELD.FRE.START", "AH.SHIELD.GUI.START")
def test_twenty_forces_of_every_faction_are_placed_or_in_reserve() -> None:
    for facts in FACTION_FACTS.values():
        assert facts.forces.total == 20, facts.name
        assert sum(f.total for f in facts.placed.values()) + facts.place_count + facts.reserves == 20, facts.name
        assert facts.forces.elite == facts.elite
        assert bool(facts.elite) == bool(facts.elite_name)
        assert set(facts.placed) | set(facts.place_among) <= TERRITORIES.keys()


@pytest.mark.parametrize(
    ("faction", "spice", "placed", "reserves", "free_revival", "hand_limit", "cards"),
    [
        ("atreides", 10, {"arrakeen": 10}, 10, 2, 4, 1),
        ("bene-gesserit", 5, {"polar-sink": 1}, 19, 1, 4, 1),
        ("emperor", 10, {}, 20, 1, 4, 1),
        ("fremen", 3, {}, 10, 3, 4, 1),
        ("guild", 5, {"tueks-sietch": 5}, 15, 1, 4, 1),
        ("harkonnen", 10, {"carthag": 10}, 10, 2, 8, 2),
        ("ixians", 10, {"hidden-mobile-stronghold": 6}, 14, 1, 4, 1),
        ("tleilaxu", 5, {}, 20, 2, 4, 1),
    ],
)
def test_the_shields_print_this_set_up(
    faction: Faction,
    spice: int,
    placed: dict[str, int],
    reserves: int,
    free_revival: int,
    hand_limit: int,
    cards: int,
) -> None:
    facts = FACTION_FACTS[faction]
    there = {territory: forces.total for territory, forces in facts.placed.items()}
    assert (facts.spice, there, facts.reserves) == (spice, placed, reserves)
    assert (facts.free_revival, facts.hand_limit, facts.starting_cards) == (free_revival, hand_limit, cards)


def test_silent_fremen_are_placed_where_they_may_stand() -> None:
    facts = FACTION_FACTS["fremen"]
    assert sum(facts.place_default.values()) == facts.place_count == 10
    places = {TERRITORIES[territory] for territory in facts.place_among}
    assert set(facts.place_default) <= {area for place in places for area in place.areas}


@pytest.mark.clause("AH.QA.E.7")
def test_the_fremen_land_around_the_great_flat() -> None:
    assert len(FREMEN_LANDING) == 16
    assert "habbanya-ridge-flat" not in FREMEN_LANDING


@pytest.mark.clause("AH.SHIELD.ATR.4-a", "AH.SHIELD.ATR.4-b")
def test_the_kwisatz_haderach_is_worth_two_after_seven_losses() -> None:
    assert (KWISATZ_HADERACH_STRENGTH, KWISATZ_HADERACH_LOSSES) == (2, 7)


def test_factions_are_known_by_id_and_named_as_printed() -> None:
    assert [faction_name(as_faction(faction)) for faction in FACTIONS] == [
        "Atreides", "Bene Gesserit", "Emperor", "Fremen", "Guild", "Harkonnen",
    ]  # fmt: skip
    with pytest.raises(ValueError, match="There is no faction 'corrino'"):
        as_faction("corrino")
