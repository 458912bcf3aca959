"""Private talk between players: possible at any time, and seen by nobody else."""

import pytest

from tests.moderator.table import World


@pytest.mark.clause("AH.XII.E.2", "WBC.XIII.6")
@pytest.mark.parametrize("phase", ["storm", "bidding", "movement"])
def test_allies_talk_in_secret_at_any_time(world: World, phase: str) -> None:
    world.new_game(factions=["emperor", "guild", "harkonnen"])
    world.silence_until(phase)
    before = {faction: len(world.letters(faction)) for faction in ("emperor", "guild", "harkonnen")}
    assert world.say("guild", "press to harkonnen: I open at 3, you go on to 5").taken == 1
    assert "I open at 3, you go on to 5" in world.newest("harkonnen").text
    assert len(world.letters("emperor")) == before["emperor"]
    assert all("I open at 3" not in letter.text for letter in world.letters("emperor"))


@pytest.mark.clause("GF9.ALLIANCE.10", "GF9.SECRECY.1")
@pytest.mark.parametrize("phase", ["bidding", "movement"])
def test_who_tells_what_they_hold_tells_it_to_whom_they_like(world: World, phase: str) -> None:
    world.new_game(ruleset="gf9-basic", factions=["emperor", "guild", "harkonnen"])
    world.silence_until(phase)
    before = {faction: len(world.letters(faction)) for faction in ("emperor", "guild", "harkonnen")}
    assert world.say("guild", "press to harkonnen: in my hand is a card I call Aunt Irma").taken == 1
    assert "a card I call Aunt Irma" in world.newest("harkonnen").text
    assert world.say("harkonnen", "press to guild: which one is it?").taken == 1
    assert "which one is it?" in world.newest("guild").text
    assert len(world.letters("emperor")) == before["emperor"]
    assert all("Aunt Irma" not in letter.text for letter in world.letters("emperor"))
