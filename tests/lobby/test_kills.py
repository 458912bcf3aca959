"""The process is killed at each point of a lobby mail or tick. After a restart, the result is the same: the same seats,
one game, no duplicate letters. If two people want the last seat in the same second, only one gets it."""

from __future__ import annotations

import itertools
import os
from collections import Counter
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import event

from bot.lobby.requests import Open
from bot.store.database import reading
from bot.store.mail import LETTER
from tests.lobby.people import OPEN_TO_ALL, Lobby

EVERY = 1 if os.environ.get("MENTAT_SLOW") else 23
"""Distance between the kill points that the test tries."""


class Killed(BaseException):
    """Simulates the death of the process."""


class Fuse:
    """Kills the process at point number `place`; 0 only counts the points. Each statement or commit is a point."""

    def __init__(self, lobby: Lobby, place: int) -> None:
        self.place, self.passed, self._engine = place, 0, lobby.world.engine
        event.listen(self._engine, "before_cursor_execute", self._burn)
        event.listen(self._engine, "commit", self._burn)

    def _burn(self, *_: Any) -> None:
        self.passed += 1
        if self.passed == self.place:
            raise Killed


def table_of_two(folder: Path, name: str) -> Lobby:
    (folder / name).mkdir()
    made = Lobby.at(folder / name, OPEN_TO_ALL)
    made.opens("ann", Open(most=2))
    made.says("bob", "any open games?")
    return made


def full_and_unheard(folder: Path, name: str) -> Lobby:
    made = table_of_two(folder, name)
    made.wait(80)
    made.joins("bob", "arrakeen-1")
    made.joins("cid", "arrakeen-1")
    return made


def last_join(lobby: Lobby) -> None:
    raw = lobby.mail("bob", "join arrakeen-1", to=f"mentat+{lobby.token_of('bob')}@arrakis.example")
    lobby._serials["bob"] -= 1  # the same mail, in case it is processed again
    lobby.deliver(raw)


def check_over(lobby: Lobby) -> None:
    lobby.world.moderator.timekeeper.tick(lobby.world.now + timedelta(hours=52))


def last_yes(lobby: Lobby) -> None:
    raw = lobby.mail("ann", "yes", to=f"mentat+{lobby.token_of('ann')}@arrakis.example")
    lobby._serials["ann"] -= 1
    lobby.deliver(raw)


def outcome(lobby: Lobby) -> Any:
    table = lobby.table("arrakeen-1")
    with reading(lobby.world.engine) as conn:
        rows = conn.execute(LETTER.select()).all()
    letters = Counter((row.recipient, row.game_id or row.subject) for row in rows)
    held = {state: lobby.seats(table.id, state) for state in ("seated", "offered", "waiting", "freed", "ended")}
    return table.state, table.rounds, table.check_due, held, letters


@pytest.mark.parametrize(
    ("made", "work"),
    [(table_of_two, last_join), (full_and_unheard, check_over), (full_and_unheard, last_yes)],
    ids=["join", "check", "yes"],
)
def test_wherever_the_process_dies_it_ends_alike(
    tmp_path: Path, made: Callable[[Path, str], Lobby], work: Callable[[Lobby], None]
) -> None:
    unbroken = made(tmp_path, "unbroken")
    fuse = Fuse(unbroken, 0)
    work(unbroken)
    places = fuse.passed
    wanted = outcome(unbroken)
    assert places > 40
    for place in range(1, places + 1, EVERY):
        lobby = made(tmp_path, f"at-{place}")
        Fuse(lobby, place)
        try:
            work(lobby)
        except Killed:
            again = Lobby(lobby.world.another_process(), lobby._serials)
            work(again)
            lobby = again
        assert outcome(lobby) == wanted, place
        lobby.world.engine.dispose()


@pytest.mark.parametrize("order", list(itertools.permutations(("bob", "cid"))))
def test_of_two_joins_for_the_last_seat_in_one_second_one_sits_and_the_other_is_next(
    lobby: Lobby, order: tuple[str, str]
) -> None:
    table = lobby.opens("ann", Open(most=2, starts="opener"))
    raws = [
        lobby.mail(
            name,
            f"join {table.id}",
            to=f"mentat+{lobby.token_of(name)}@arrakis.example",
            Date="Tue, 26 Nov 2024 20:00:00 +0000" if name == "bob" else "Mon, 25 Nov 2024 20:00:00 +0000",
        )
        for name in order
    ]
    for raw in [*raws, *raws]:  # every mail arrives twice
        lobby.deliver(raw)
    first, second = order
    assert lobby.seats(table.id) == ["ann", first]
    assert lobby.seats(table.id, "waiting") == [second]
    assert lobby.subjects(first) == [f"You are in: {table.id}, 2 of 2"]
    assert lobby.subjects(second) == [f"{table.id} is full; you are first in line"]
