"""A tournament in which nobody is told who plays which faction while their game goes on."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from bot.competition.settings import SettingsRefused, read
from bot.store.database import reading, writing
from bot.store.published import published
from bot.store.tournaments import rounds
from rules.components import FACTIONS, faction_name
from tests.moderator.table import World
from tests.tournament.cup import CUP, Cup, address
from tests.tournament.entered import ONE_HEAT, Entered
from tests.tournament.twin_events import LINES, ask, differences, seen_by

UNKNOWN = 'title = "The Cup"\npress = "open,gunboat"\n[rounds]\nheats = 2\nsemifinal = 0\n'


def test_the_letter_of_the_draw_names_nobody_else_and_not_the_seed(tmp_path: Path) -> None:
    cup = Entered.at(tmp_path, 6, f'press = "open,gunboat"\n{ONE_HEAT}')
    record = cup.draw().record
    for number in range(1, 7):
        told = " ".join(cup.text(number).split())
        own = next(seat for seat in record.tables[0].seats if seat.entrant == f"E{number:03d}")
        assert own.faction is not None
        assert faction_name(own.faction) in told
        assert "5 others: who they are is told when the game is over" in told
        assert not any(f"E{other:03d}" in told for other in range(1, 7) if other != number)
        assert not any(faction_name(each) in told for each in FACTIONS if each != own.faction)
        assert record.seed not in told
    assert not any(record.seed in act.words for act in cup.acts())


def test_the_draw_is_published_when_its_round_is_closed(tmp_path: Path) -> None:
    cup = Entered.at(tmp_path, 6, f'press = "open,gunboat"\n{ONE_HEAT}')
    record = cup.draw().record
    with reading(cup.world.engine) as conn:
        seen = {
            who: published(conn, CUP, cup.world.now, who).rounds[0] for who in ("everybody", "entrant", "directors")
        }
    for who in ("everybody", "entrant"):
        assert seen[who].draw is None
        assert [table.seats for table in seen[who].tables] == [()]
    assert seen["directors"].draw == record
    with writing(cup.world.engine) as conn:
        rounds.change_round(conn, CUP, 1, state="closed")
        rounds.change_table(conn, CUP, 1, 1, state="result")
    with reading(cup.world.engine) as conn:
        told = published(conn, CUP, cup.world.now).rounds[0]
    assert told.draw is not None
    assert told.draw.seed == record.seed
    assert len(told.tables[0].seats) == 6


def played(folder: Path, tables: Sequence[Sequence[int]]) -> Cup:
    folder.mkdir()
    cup = Cup(World.at(folder), UNKNOWN)
    cup.round(tables=tables)
    for hours in (1, 30, 24, 24):
        cup.tick(hours)
        cup.world.moderator.timekeeper.tick(cup.now)
        for line in LINES:
            ask(cup.world, address(1), line)
    return cup


@pytest.mark.parametrize(
    "tables", [((1, 3, 4, 5, 6, 2), range(7, 13)), ((1, 7, 8, 9, 10, 11), (12, 2, 3, 4, 5, 6))], ids=["own", "both"]
)
def test_nothing_that_an_entrant_gets_tells_who_plays_whom(tmp_path: Path, tables: Sequence[Sequence[int]]) -> None:
    one = played(tmp_path / "one", (range(1, 7), range(7, 13)))
    other = played(tmp_path / "other", tables)
    mine, theirs = seen_by(one, [1]), seen_by(other, [1])
    assert differences(mine, theirs) == []
    assert len(mine["letters"]) > 8  # type: ignore[arg-type]


def test_names_are_told_when_the_game_is_over(tmp_path: Path) -> None:
    cup = played(tmp_path / "cup", (range(1, 7), range(7, 13)))
    cup.tick(1)
    ask(cup.world, address(1), "tables cup")
    assert "who plays is told when the game is over" in cup.world.newest(address(1)).text
    cup.end("cup-1-1", "guild")
    cup.tick(1)
    ask(cup.world, address(1), "tables cup")
    own = cup.world.newest(address(1)).text.partition("The other tables")[0]
    assert all(f"E{number:03d}" in own for number in range(1, 7))


def test_gunboat_goes_with_factions_by_draw_alone() -> None:
    read(UNKNOWN)
    with pytest.raises(SettingsRefused, match="whoever deals for a faction tells who plays it"):
        read(f'{UNKNOWN}[factions]\nby = "trade"\n')
