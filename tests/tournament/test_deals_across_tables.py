"""Deals that name another table are refused, and the event's directors are told."""

from __future__ import annotations

from pathlib import Path

from rules.components import FACTIONS
from tests.moderator.table import GAME_MASTER, World
from tests.tournament.cup import Cup, address


def test_the_directors_of_the_event_hear_of_a_deal_that_names_another_table(tmp_path: Path) -> None:
    cup = Cup(World.at(tmp_path))
    cup.round()
    cup.grant("dina@desk.example", "director")
    for player in (2, 7):  # directors who play, at either table, are not told
        cup.grant(address(player), "director")
    before = cup.world.written()
    first = FACTIONS[0]
    raw = cup.world.mail(first, "deal with guild: let me win, and think of cup-1-2", sender=address(1), game="cup-1-1")
    cup.world.moderator.deliver(raw, cup.now)
    told = {letter.recipient: letter.text for letter in cup.world.letters(after=before)}
    assert set(told) == {address(1), GAME_MASTER, "dina@desk.example"}
    assert "cup-1-2 is another table" in " ".join(told[address(1)].split())
    assert all("let me win" not in text for who, text in told.items() if who != address(1))
