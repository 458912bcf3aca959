"""The process is killed at each point of a draw or a start. Repeating the command gives the same tables and games, and
no letter goes out twice."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import event

from bot.store.database import reading
from bot.store.mail import LETTER
from bot.tournament import drawing, game_starts
from bot.tournament.desk import Caller
from bot.tournament.drawing import DrawRequest
from tests.tournament.cup import CUP, ONE_HEAT, Entered

SETTINGS = ONE_HEAT.replace("heats = 1", "heats = 2")
EVERY = 1 if os.environ.get("MENTAT_SLOW") else 29
"""Distance between the kill points that the test tries."""


class Killed(BaseException):
    """Simulates the death of the process."""


class Fuse:
    """Kills the process at point number `place`; 0 only counts the points. Each statement or commit is a point."""

    def __init__(self, cup: Entered, place: int) -> None:
        self.place, self.passed = place, 0
        event.listen(cup.world.engine, "before_cursor_execute", self._burn)
        event.listen(cup.world.engine, "commit", self._burn)

    def _burn(self, *_: Any) -> None:
        self.passed += 1
        if self.passed == self.place:
            raise Killed


def draw(cup: Entered) -> None:
    drawing.draw(Caller(cup.open_games, cup.world.now), CUP, DrawRequest())


def start(cup: Entered) -> None:
    game_starts.start_games(Caller(cup.open_games, cup.world.now), CUP)


def opened(folder: Path, name: str) -> Entered:
    (folder / name).mkdir()
    return Entered.at(folder / name, 6, SETTINGS)


def drawn(folder: Path, name: str) -> Entered:
    cup = opened(folder, name)
    draw(cup)
    return cup


def outcome(cup: Entered) -> Any:
    """Return everything that must be the same, without game seeds, which always differ."""
    with reading(cup.world.engine) as conn:
        letters = Counter((row.recipient, row.subject) for row in conn.execute(LETTER.select()))
    clocks = [cup.world.table(table.game_id).clock for table in cup.tables() if table.game_id]
    told = [(act.what, act.words) for act in cup.acts()]
    return cup.cup.state, cup.rounds(), cup.tables(), cup.seats(), cup.states(), clocks, told, letters


@pytest.mark.parametrize(("made", "work"), [(opened, draw), (drawn, start)], ids=["draw", "start"])
def test_wherever_the_process_dies_it_ends_alike(
    tmp_path: Path, made: Callable[[Path, str], Entered], work: Callable[[Entered], None]
) -> None:
    unbroken = made(tmp_path, "unbroken")
    fuse = Fuse(unbroken, 0)
    work(unbroken)
    places = fuse.passed
    wanted = outcome(unbroken)
    assert places > 20
    for place in [*range(1, places + 1, EVERY), places]:
        cup = made(tmp_path, str(place))
        Fuse(cup, place)
        with pytest.raises(Killed):
            work(cup)
        for table in cup.tables():
            assert (table.state == "playing") == bool(table.game_id)
        cup.world.engine.dispose()
        again = Entered(cup.world.another_process())
        work(again)
        work(again)
        assert outcome(again) == wanted, f"killed at place {place} of {places}"
        again.world.engine.dispose()


def test_two_draws_at_once_are_one(tmp_path: Path) -> None:
    cup = opened(tmp_path, "one")
    other = Entered(cup.world.another_process())
    draw(cup)
    draw(other)
    assert [act.what for act in cup.acts()].count("draw") == 1
    assert len(cup.letters(1)) == 1
