"""Tests for coexistence beyond the rulings: which tokens count as already present."""

import pytest

from rules.chapters import occupancy
from rules.components import Forces
from rules.components.board import parse_area, territory_of
from rules.decisions.question import Stop
from rules.engine.play import Play
from rules.orders import Advise, Fight, Karama, Ship
from tests.rules.stage import at, say, told, until

RED_CHASM, CIELAGO = parse_area("red-chasm/7"), parse_area("south-mesa/6")
TWO = Forces(2, 0)


def fighting_in_red_chasm() -> Play:
    """Return a game in which Bene Gesserit have declared to fight the Emperor in Red Chasm."""
    play = at(
        "movement",
        storm=1,
        factions=["bene-gesserit", "emperor", "guild"],
        faction={
            "bene-gesserit": {"forces": {"red-chasm/7": "2"}},
            "emperor": {"forces": {"red-chasm/7": "2"}},
            "guild": {"forces": {"south-mesa/6": "2"}},
        },
    )
    say(play, "bene-gesserit", Fight(territory_of(RED_CHASM)))
    return play


def asked_after_a_change(play: Play) -> list[Stop]:
    """Return the questions for the Bene Gesserit after tokens have come or gone."""
    return list(occupancy.declare_meetings(play.game))


@pytest.mark.clause("WBC.XV.12")
def test_who_came_later_and_comes_back_is_not_somebody_else() -> None:
    play = fighting_in_red_chasm()
    play.game.shift("guild", TWO, CIELAGO, RED_CHASM)
    assert not asked_after_a_change(play)
    play.game.shift("emperor", TWO, RED_CHASM, CIELAGO)
    assert not asked_after_a_change(play)
    play.game.shift("guild", TWO, RED_CHASM, CIELAGO)
    assert not asked_after_a_change(play)
    play.game.shift("guild", TWO, CIELAGO, RED_CHASM)
    assert not asked_after_a_change(play)


@pytest.mark.clause("WBC.XV.12")
def test_somebody_else_who_comes_when_all_have_left_is_declared_against_anew() -> None:
    play = fighting_in_red_chasm()
    play.game.shift("emperor", TWO, RED_CHASM, CIELAGO)
    assert not asked_after_a_change(play)
    play.game.shift("guild", TWO, CIELAGO, RED_CHASM)
    assert len(asked_after_a_change(play)) == 1


@pytest.mark.clause("AH.XV.B.3", "AH.SHIELD.FRE.KARAMA")
@pytest.mark.parametrize("eaten", [False, True])
def test_an_advisor_whom_a_worm_eats_as_it_comes_coexists_with_nobody(eaten: bool) -> None:
    play = at(
        "movement",
        "ah-advanced",
        storm=18,
        factions=["atreides", "fremen", "guild", "bene-gesserit"],
        dots={"atreides": 2, "fremen": 5, "guild": 8, "bene-gesserit": 11},
        faction={
            "atreides": {"spice": 4, "reserves": "5"},
            "fremen": {"hand": ["Karama"]},
            "bene-gesserit": {"reserves": "3"},
        },
    )
    until(play, "shipment")
    say(play, "atreides", Ship(TWO, None, RED_CHASM))
    until(play, "advisor")
    say(play, "bene-gesserit", Advise(RED_CHASM))
    if eaten:
        say(play, "fremen", Karama("worm", territory=territory_of(RED_CHASM)))
    until(play, "shipment")
    assert play.state.presence == ({} if eaten else {territory_of(RED_CHASM): "coexist"})
    assert len(told(play, "bg-declared")) == (0 if eaten else 1)
