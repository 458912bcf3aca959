"""Standings shown to an entrant: the first rows, and the rows around their own."""

from __future__ import annotations

from pathlib import Path

import pytest

from bot.render.blocks import Heading, Paragraph, Table
from bot.store import tournament_rounds, tournaments
from bot.store.database import reading, writing
from bot.tournament import entrant_lines, progress
from tests.tournament.cup import CUP, Entered
from tests.tournament.test_published import result


@pytest.fixture
def played(tmp_path: Path) -> Entered:
    """Draw a round of thirty players at five tables."""
    cup = Entered.at(tmp_path, 30)
    cup.draw()
    with writing(cup.world.engine) as conn:
        tournament_rounds.change_round(conn, CUP, 1, state="playing")
    return cup


def over(cup: Entered, tables: int) -> None:
    """Add results for this many tables."""
    for number in range(1, tables + 1):
        result(cup, 1, number)


@pytest.mark.parametrize(
    ("own", "shown", "mine"),
    [
        (None, [*range(12)], None),
        (0, [*range(12)], 0),
        (8, [*range(12)], 8),
        (9, [*range(13)], 9),
        (15, [*range(19)], 15),
        (16, [*range(12), *range(13, 20)], 15),
        (29, [*range(12), 26, 27, 28, 29], 15),
    ],
)
def test_the_first_twelve_and_three_on_both_sides_of_the_reader_are_shown(
    played: Entered, own: int | None, shown: list[int], mine: int | None
) -> None:
    over(played, 5)
    with reading(played.world.engine) as conn:
        rows = progress.current_standings(conn, played.cup)
        reader = None if own is None else tournaments.find_entrant(conn, CUP, rows[own].entrant)
        names = {each.handle: each.public_name for each in tournaments.entrants_of(conn, CUP)}
        heading, grid, told = entrant_lines.blocks_shown(conn, played.cup, reader, "standings", played.world.now)
    assert isinstance(heading, Heading)
    assert isinstance(grid, Table)
    assert grid.rows == tuple((str(rows[n].rank), names[rows[n].entrant], rows[n].points) for n in shown)
    assert grid.own == mine
    assert isinstance(told, Paragraph)
    assert told.text == f"Finished tables only. {30 - len(shown)} rows not shown."


def test_the_standings_are_of_those_whose_tables_are_over(played: Entered) -> None:
    with reading(played.world.engine) as conn:
        (none,) = entrant_lines.blocks_shown(conn, played.cup, None, "standings", played.world.now)
    assert isinstance(none, Paragraph)
    assert none.text == "No table has a result yet. Still playing: 5."
    over(played, 1)
    with reading(played.world.engine) as conn:
        _, grid, told = entrant_lines.blocks_shown(conn, played.cup, None, "standings", played.world.now)
    assert isinstance(grid, Table)
    assert len(grid.rows) == 6
    assert isinstance(told, Paragraph)
    assert told.text == "Finished tables only; still playing: 4."
