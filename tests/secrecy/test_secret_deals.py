"""Tests that a secret deal by mail changes neither the letters nor the timing of anybody but its two parties."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from bot.games.proof import verify_file
from rules.components import Faction
from tests.moderator.table import World
from tests.secrecy.conftest import Twinned
from tests.secrecy.silent_games import onlookers, unlike


@pytest.mark.parametrize("tempo", ["table", "steady"])
def test_nobody_else_gets_another_letter_or_another_hour_for_it(twinned: Twinned, tempo: str) -> None:
    twins = twinned(tempo, "movement", 1)
    world = twins.other
    world.say("guild", "secret deal with harkonnen: I keep out; broken if guild is in arrakeen; until turn 1")
    world.say("harkonnen", "accept")
    world.say("harkonnen", "deals")
    assert "with Guild: I keep out; broken if Guild is in Arrakeen; until turn 1. It is in force." in newest(world)
    world.say("guild", "secret deal with harkonnen: and out of Carthag; if turn 1 and phase collection")
    world.say("harkonnen", "accept", "status")
    assert "A secret deal between Guild and Harkonnen: and out of Carthag; if" in newest(world)
    assert unlike(twins, onlookers("guild", "harkonnen"), "storm") == []
    world.wait(12)  # until the next call, which reports the turn
    for faction in ("guild", "harkonnen"):
        told = newest_of_all(world, faction)
        assert "(I keep out) was kept" in told
        assert "from turn 1 is met (turn 1 and phase collection): and out of Carthag" in told


def test_the_two_are_written_to_when_a_deal_falls_due_and_nobody_else_is(world: World) -> None:
    world.new_game("ah-basic")
    world.silence_until("movement", 1)
    world.say("guild", "deal with harkonnen: you lend me your ear; if phase collection")
    world.say("harkonnen", "accept")
    before = len(world.letters())
    while world.table().play.state.phase != "collection":
        before = len(world.letters())
        world.wait(12)
    reminded = {letter.faction for letter in world.letters()[before:] if "is met (" in flat(letter.text)}
    assert reminded == {"guild", "harkonnen"}


def newest(world: World) -> str:
    return flat(world.newest("harkonnen").text)


def newest_of_all(world: World, faction: Faction) -> str:
    return flat(" ".join(letter.text for letter in world.letters(faction)))


def flat(text: str) -> str:
    return " ".join(text.split())


def test_at_the_end_everybody_reads_it_and_the_record_proves_it(world: World, tmp_path: Path) -> None:
    world.new_game("wbc-2018", factions=("atreides", "guild", "harkonnen"), max_turns=1)
    world.silence_until("bidding")
    world.say("guild", "secret deal with harkonnen: peace in the south; broken if guild is in carthag")
    world.say("harkonnen", "accept")
    world.say("guild", "deal with harkonnen: stay; I escrow 2; if harkonnen has shipped to arrakeen; until turn 1")
    world.say("harkonnen", "accept")
    world.say("guild", "secret deal with atreides: war in Vienna; if turn 1 and nexus")
    while not world.table().play.over:
        assert "peace in the south" not in newest_of_all(world, "atreides")
        world.wait(24)
    told = newest_of_all(world, "atreides")
    assert "The secret deal between Guild and Harkonnen from turn 1 (peace in the south) was kept." in told
    assert "The deal between Guild and Harkonnen from turn 1 (stay) lapsed: its condition was not met." in told
    (attached,) = world.newest("atreides").message.iter_attachments()
    text = gzip.decompress(attached.get_content()).decode()
    assert "peace in the south" in text
    assert "Vienna" not in text
    file = tmp_path / "record.jsonl.gz"
    file.write_bytes(attached.get_content())
    assert verify_file(file).holds
