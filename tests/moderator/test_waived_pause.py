"""The pause before a card that is held for Ixians who have said that they do not swap (window 5 of the expansion): they
are left in peace, and nobody else can tell them from Ixians who are merely silent."""

from __future__ import annotations

from pathlib import Path

import pytest

from bot.desk.game_view import json_view
from rules.components import Faction
from tests.moderator.table import CONFIG, GAME, World

PLAYERS: tuple[Faction, ...] = ("ixians", "tleilaxu", "guild")
BANK = 600  # minutes


def pausing(folder: Path, line: str) -> World:
    """A game in the pause before its second card; before the first the Ixians wrote this line. All have time banks."""
    folder.mkdir()
    world = World.at(folder, CONFIG + "[clock]\nbank_hours = 10\n")
    world.new_game("gf9-advanced", factions=PLAYERS, expansion="ixians-tleilaxu")
    banks(world, 0)
    world.silence_until("bidding")
    until_technology(world)
    assert world.say("ixians", line).taken == 1
    until_technology(world, bids=True)
    banks(world, BANK)
    return world


def banks(world: World, minutes: int) -> None:
    """What is left in everybody's time bank."""
    with world.moderator.open_games.transaction(GAME) as (_, table):
        for faction, seat in table.seats.items():
            seat.bank, seat.missed = minutes, 0
            table.touched.add(faction)


def until_technology(world: World, *, bids: bool = False) -> None:
    """Nobody says anything until the Ixians are asked; with ``bids`` the Guild takes the card that is up for one."""
    for _ in range(20):
        asked = world.asked()
        if asked.get("ixians") == ["technology"]:
            return
        if bids and asked.get("guild") == ["bid"]:
            world.say("guild", "bid 1")
        elif bids and "bid" in asked.get("tleilaxu", asked.get("ixians", [])):
            world.say("tleilaxu" if "tleilaxu" in asked else "ixians", "pass")
        else:
            world.wait(24)
    raise AssertionError(f"the Ixians are not asked, but {world.asked()}")


@pytest.fixture(scope="module")
def twins(tmp_path_factory: pytest.TempPathFactory) -> tuple[World, World]:
    """In the first the Ixians have waived the swap for the phase, in the second for the one card."""
    folder = tmp_path_factory.mktemp("pauses")
    return pausing(folder / "waived", "no swap all"), pausing(folder / "silent", "no swap")


def shown(world: World, after: int) -> list[object]:
    """What the others are shown, and the letters to all but the Ixians since then."""
    views = [json_view(world.table(), viewer) for viewer in ("guild", "tleilaxu", "public")]
    told = [(sent.faction, sent.subject, sent.text) for sent in world.letters(after=after) if sent.faction != "ixians"]
    return [
        world.now,
        world.asked(),
        {f: (s.bank, s.missed, s.care) for f, s in world.table().seats.items()},
        views,
        told,
    ]


@pytest.mark.clause("IT.BID.8")
def test_neither_bank_nor_strike_tells_waived_from_silent(twins: tuple[World, World]) -> None:
    waived, silent = twins
    asked_of = [world.letters("ixians")[-1].text for world in twins]
    assert "Card 2 of 3 is up next" not in asked_of[0]
    assert "Card 2 of 3 is up next" in asked_of[1]
    before = [world.written() for world in twins]
    assert shown(waived, before[0]) == shown(silent, before[1])
    for hours in (6, 12, 5):
        for world in twins:
            world.wait(hours)
            assert world.asked() == {"ixians": ["technology"]}
        assert shown(waived, before[0]) == shown(silent, before[1])
    reminded = [bool(world.letters(after=after)) for world, after in zip(twins, before, strict=True)]
    assert reminded == [False, True]
    for world in twins:
        assert world.wait(1) == 1
        assert "technology" not in world.asked().get("ixians", [])
        seat = world.table().seats["ixians"]
        assert (seat.bank, seat.missed) == (BANK, 0)
    assert shown(waived, before[0]) == shown(silent, before[1])
