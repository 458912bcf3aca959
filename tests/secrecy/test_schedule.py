"""Tests for L1 to L4 and L14: when, for whom and how long a game waits does not reveal anybody's cards.

The numbers refer to the catalogue of known leaks in games by mail and on the web.
"""

import pytest

from bot.store import games
from bot.store.database import reading
from rules.components import FACTIONS, Faction
from tests.moderator.table import GAME, World
from tests.moderator.twins import Twins
from tests.secrecy.conftest import Twinned
from tests.secrecy.silent_games import TEMPOS, both_say, deal_hands, differ_in_hands, onlookers, unlike

EVERY_TEMPO = pytest.mark.parametrize("tempo", TEMPOS)
POWERS = {"guild": ["Weather Control", "Karama"], "emperor": ["Shield", "Snooper"]}
NONE: dict[Faction, list[str]] = {"guild": ["Shield", "Snooper"], "emperor": ["Weather Control", "Karama"]}
QUIET = tuple(f"standing: {order}" for order in ("no alliance", "pass all", "no revival", "no shipment", "no move"))
"""Standing orders that soon end a turn of public questions."""


@pytest.fixture(params=TEMPOS)
def swapped(twinned: Twinned, request: pytest.FixtureRequest) -> Twins:
    """Return two games at the storm of turn 2 in which either the Guild or the Emperor has Weather Control and a
    Karama."""
    twins = twinned(request.param, "storm", 2)
    differ_in_hands(twins, {"guild": POWERS["guild"], "emperor": POWERS["emperor"]}, NONE)
    return twins


def test_l1_l2_the_schedule_and_the_waiting_lists_are_the_same_whoever_holds_the_cards(swapped: Twins) -> None:
    for faction in FACTIONS:
        both_say(swapped, faction, *QUIET)
    assert unlike(swapped, onlookers("guild", "emperor"), "collection") == []


def test_l3_a_standing_pass_of_the_holder_is_as_any_other(swapped: Twins) -> None:
    for faction in FACTIONS:
        both_say(swapped, faction, "waive reactions until mentat", "standing: no storm cards", *QUIET)
        assert list(swapped.differences(onlookers("guild", "emperor"))) == []
    assert unlike(swapped, onlookers("guild", "emperor"), "movement") == []


def test_l4_a_window_closes_early_by_the_answers_alone(swapped: Twins) -> None:
    """The last to answer is the holder in one world only. Both games wait for that answer, then for nobody."""
    for faction in sorted(FACTIONS, key=lambda each: each == "guild"):
        assert {world.table().play.state.phase for world in (swapped.one, swapped.other)} == {"storm"}
        both_say(swapped, faction, "no storm cards")
        assert list(swapped.differences(onlookers("guild", "emperor"))) == []
    assert swapped.one.table().play.stop_name == swapped.other.table().play.stop_name


@EVERY_TEMPO
def test_l3_cards_ahead_that_one_does_not_hold_take_as_long_as_those_that_one_holds_back(
    twinned: Twinned, tempo: str
) -> None:
    """A Karama waits on a sheet: its owner has the card in one world but not in the other."""
    twins = twinned(tempo, "storm", 2)
    differ_in_hands(twins, {"guild": ["Karama", "Snooper"], "emperor": ["Shield"]},
                    {"guild": ["Snooper", "Shield"], "emperor": ["Karama"]})  # fmt: skip
    for faction in FACTIONS:
        both_say(twins, faction, *QUIET)
    both_say(twins, "guild", "no storm cards", "when card 9: karama free card purchase")
    both_say(twins, "emperor", "no storm cards", "standing: when window voice against me: karama cancel voice")
    assert unlike(twins, onlookers("guild", "emperor"), "movement") == []


@pytest.mark.parametrize("tempo", ["table", "steady"])  # swift equals steady here
def test_l14_a_traitor_in_the_fight_is_waited_for_no_longer_than_none(twinned: Twinned, tempo: str) -> None:
    """The Guild has either the Emperor's best leader in its pay or one who is absent; it declines treachery."""
    twins = twinned(tempo, "movement")
    bought: dict[Faction, list[str]] = {"guild": ["Burseg"]}
    twins.one = deal_hands(twins.one, {}, {"guild": ["Count Hasimir Fenring"]})
    twins.other = deal_hands(twins.other, {}, bought)
    for faction in FACTIONS:
        both_say(
            twins, faction, *(QUIET if faction not in ("emperor", "guild") else ()), "waive reactions until mentat"
        )
    both_say(twins, "emperor", "ship 3 to tueks-sietch", "no move", "standing: no treachery",
             "when fighting guild: plan dial 0 leader hasimir")  # fmt: skip
    both_say(twins, "guild", "standing: no shipment", "standing: no treachery", "standing: no move",
             "when fighting emperor: plan dial 0 leader staban")  # fmt: skip
    for _ in range(40):
        assert list(twins.differences(onlookers("guild"))) == []
        if "traitor-called" in _happened(twins.one) or "battle-won" in _happened(twins.one):
            break
        for world in (twins.one, twins.other):
            world.wait(6)
    twins.one.wait(72)  # the Fremen learn of it with the next call
    said = "\n".join(letter.text for letter in twins.one.letters("fremen"))
    assert "Fenring" in said


def _happened(world: World) -> set[str]:
    """Return the kinds of all events so far."""
    with reading(world.engine) as conn:
        return {event.kind for event in games.events_of(conn, GAME)}
