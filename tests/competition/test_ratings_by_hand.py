"""Tests that the stand-alone programs in docs/ratings.md and docs/ratings.py compute Mentat's ratings."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest
from msgspec.structs import replace

from bot.competition.published import Published, encode_published
from bot.competition.ratings import chain_ratings, counting_outcomes, read_opening, recompute_changes
from bot.lab.tournaments import play_by_lot
from tests.competition.an_event import an_event
from tests.competition.published_example import example

BY_HAND = re.findall(r"```python\n(.*?)```", Path("docs/ratings.md").read_text(encoding="utf-8"), re.DOTALL)[0]
PROGRAM = Path("docs/ratings.py")
OPENING = {
    "E001": "1620.000000 30", "E002": "1410.500000 11", "E003": "1475.000000 12", "wbc-2018/6/guild": "-12.500000",
    "wbc-2018/6/fremen": "12.500000",
}  # fmt: skip


def ratings_by_the_program(document: Published, there: Path) -> dict[str, tuple[float, int]]:
    """Return each entrant's rating and number of games from the printed program."""
    export = there / "export.json"
    export.write_bytes(encode_published(document))
    ran = subprocess.run([sys.executable, "-I", PROGRAM, export], capture_output=True, text=True, check=True)
    lines = [line.split() for line in ran.stdout.splitlines()]
    return {handle: (float(rating), int(games)) for handle, rating, games in lines}


def ratings_by_mentat(document: Published) -> dict[str, tuple[float, int]]:
    """Return each entrant's rating and number of games from Mentat."""
    _, ratings = chain_ratings(counting_outcomes(document.results), read_opening(document.opening))
    return {one.handle: (ratings.of(one.handle).rating, ratings.of(one.handle).games) for one in document.entrants}


def test_the_program_for_a_game_prints_what_stands_there() -> None:
    ran = subprocess.run([sys.executable, "-I", "-c", BY_HAND], capture_output=True, text=True, check=True)
    assert f"# {ran.stdout}" in BY_HAND


@pytest.mark.parametrize("seed", range(6))
def test_the_program_finds_the_rating_of_every_entrant_whatever_happened(seed: int, tmp_path: Path) -> None:
    event = replace(an_event(seed, 'title = "Arrakeen Open"\n'), opening=OPENING)
    theirs, ours = ratings_by_the_program(event, tmp_path), ratings_by_mentat(event)
    assert theirs.keys() == ours.keys()
    for handle, (rating, games) in ours.items():
        assert theirs[handle][0] == pytest.approx(rating, abs=0.0002), handle
        assert theirs[handle][1] == games, handle


def test_the_program_finds_the_ratings_that_the_export_says(tmp_path: Path) -> None:
    for event in (example(), play_by_lot(60, "arrakis").published):
        theirs = ratings_by_the_program(event, tmp_path)
        last = {change.entrant: change.after for change in event.ratings}
        assert event.ratings == recompute_changes(event)
        assert all(theirs[handle][0] == pytest.approx(float(after), abs=0.0002) for handle, after in last.items())
        assert all(rating == (1500.0, 0) for handle, rating in theirs.items() if handle not in last)


def test_of_an_event_that_is_not_rated_the_program_moves_nobody(tmp_path: Path) -> None:
    event = an_event(1, 'title = "For fun"\nrated = false\n')
    assert set(ratings_by_the_program(event, tmp_path).values()) == {(1500.0, 0)}
