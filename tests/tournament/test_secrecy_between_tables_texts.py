"""Texts that a game master can pass on about a tournament table contain only public information."""

from __future__ import annotations

import pytest

from bot.archive import shelf
from bot.config.values import ArchivePolicy
from bot.store import archive, tournament_rounds, tournaments
from bot.store.database import reading, writing
from tests.tournament.cup import CUP, Cup

LATE = 'title = "The Cup"\n[tables]\nseen = "late"\n'


def test_no_text_of_a_table_is_written_before_its_round_is_closed(cup: Cup) -> None:
    cup.round()
    with pytest.raises(shelf.NotShown, match="shown when round 1 is closed"):
        shelf.so_far(cup.world.engine, "cup-1-1")
    with writing(cup.world.engine) as conn:
        tournament_rounds.change_round(conn, CUP, 1, state="closed")
    assert shelf.so_far(cup.world.engine, "cup-1-1").policy.words == "public full"


def test_with_the_other_setting_it_is_written_of_turns_that_are_completed(cup: Cup) -> None:
    with writing(cup.world.engine) as conn:
        tournaments.touch(conn, CUP, settings=LATE)
    cup.round()
    with pytest.raises(shelf.NotShown, match="nothing before turn 2"):
        shelf.so_far(cup.world.engine, "cup-1-1")
    with reading(cup.world.engine) as conn:
        assert archive.shown_by(conn, "cup-1-1", ArchivePolicy("public")).words == "delayed:1 public-only"


def test_of_any_other_game_it_is_written_while_the_archive_hides_it(cup: Cup) -> None:
    cup.world.new_game(game="sietch-12")
    assert shelf.so_far(cup.world.engine, "sietch-12").id == "sietch-12"
