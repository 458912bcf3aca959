"""The process is killed between any two steps of deciding, changing or recording a result. Afterwards, the whole act
has happened, including its letters, or nothing has. Repeating it gives the same state as without a kill."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from typing import Any

import pytest
from sqlalchemy import event

from bot.store.database import Engine
from bot.tournament import adjudication, calendar, entries, results, substitutes
from bot.tournament import rounds as dates
from bot.tournament.adjudication import Finding
from bot.tournament.desk import By, Caller
from bot.tournament.results import ResultChanges
from rules.components import as_faction
from tests.moderator.table import World
from tests.tournament.cup import CUP, Cup

BY = By(why="so it is")
GUILD = as_faction("guild")
PLACES = 400 if os.environ.get("MENTAT_SLOW") else 6
"""Number of kill points tried for each act, spread evenly; more with ``MENTAT_SLOW``."""


class Killed(BaseException):
    """Simulates the death of the process."""


@contextmanager
def killed_at(engine: Engine, place: int) -> Iterator[list[int]]:
    """Kill the process before statement or commit number `place`; 0 means never. Yield the count of points
    passed."""
    passed = [0]

    def burn(*_: Any) -> None:
        passed[0] += 1
        if passed[0] == place:
            raise Killed

    event.listen(engine, "before_cursor_execute", burn)
    event.listen(engine, "commit", burn)
    try:
        yield passed
    finally:
        event.remove(engine, "before_cursor_execute", burn)
        event.remove(engine, "commit", burn)


def dump(cup: Cup) -> list[str]:
    """Return the whole database as SQL statements."""
    with closing(sqlite3.connect(cup.world.settings.mentat.database)) as conn:
        return list(conn.iterdump())


def adjudicate(cup: Cup) -> None:
    adjudication.adjudicate(Caller(cup.open_games, cup.now, BY), CUP, "1.1", Finding("stopped"))


def by_hand(cup: Cup) -> None:
    adjudication.adjudicate(Caller(cup.open_games, cup.now, BY), CUP, "1.1", Finding())


def vote(cup: Cup) -> None:
    adjudication.adjudicate(Caller(cup.open_games, cup.now, BY), CUP, "1.1", Finding("agreed", [GUILD]))


def amend(cup: Cup) -> None:
    results.amend_result(Caller(cup.open_games, cup.now, BY), CUP, "1.2", ResultChanges([GUILD]))


def void(cup: Cup) -> None:
    results.void_table(Caller(cup.open_games, cup.now, BY), CUP, "1.1", replay=True)


def substitute(cup: Cup) -> None:
    substitutes.substitute(Caller(cup.open_games, cup.now, BY), CUP, "1.1", GUILD, "E013")


def disqualify(cup: Cup) -> None:
    entries.disqualify(Caller(cup.open_games, cup.now, BY), CUP, "E002")


def notice(cup: Cup) -> None:
    dates.announce_last_turn(Caller(cup.open_games, cup.now, BY), CUP, 1, "1.1", 6)


@pytest.mark.sqlite_only  # a server does not reset its counters after a kill
@pytest.mark.parametrize("act", [adjudicate, by_hand, vote, amend, void, substitute, disqualify, notice])
def test_wherever_the_process_dies_all_of_an_act_has_happened_or_nothing(cup: Cup, act: Callable[[Cup], None]) -> None:
    cup.grant("ann@example.org", "arbiter")
    cup.grant("bob@example.org", "arbiter")
    cup.round()
    cup.end("cup-1-2", "fremen")
    calendar.tick(cup.open_games, cup.now)
    database = cup.world.settings.mentat.database
    cup.world.engine.dispose()
    before, made = dump(cup), database.read_bytes()
    with killed_at(cup.world.engine, 0) as passed:
        act(cup)
    cup.world.engine.dispose()
    after, steps = dump(cup), passed[0]
    assert after != before
    assert steps > 10
    for place in sorted({1 + number * (steps - 1) // (PLACES - 1) for number in range(PLACES)}):
        for leftover in database.parent.glob(f"{database.name}-*"):
            leftover.unlink()
        database.write_bytes(made)
        dying = Cup.__new__(Cup)
        dying.__dict__.update(cup.__dict__, world=cup.world.another_process())
        with killed_at(dying.world.engine, place), pytest.raises(Killed):
            act(dying)
        dying.world.engine.dispose()
        assert dump(cup) == before, f"it died at step {place} of {steps}"
        again = Cup.__new__(Cup)
        again.__dict__.update(cup.__dict__, world=cup.world.another_process())
        act(again)
        again.world.engine.dispose()
        assert dump(cup) == after, f"it was done again after it died at step {place} of {steps}"


def test_a_death_while_a_result_is_taken_up_neither_loses_nor_doubles_it(cup: Cup) -> None:
    cup.round()
    cup.end("cup-1-1", "fremen")
    cup.end("cup-1-2", "guild")
    place = 0
    while True:
        place += 7
        fresh: World = cup.world.another_process()
        try:
            with killed_at(fresh.engine, place):
                calendar.tick(fresh.moderator.open_games, cup.now)
        except Killed:
            continue
        finally:
            fresh.engine.dispose()
        break
    assert [(kept.place, kept.outcome.version) for kept in cup.versions()] == [((1, 1), 1), ((1, 2), 1)]
    told = [letter for number in range(1, 13) for letter in cup.letters(number) if "The result of" in letter.subject]
    assert len(told) == 12
