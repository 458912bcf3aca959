"""Test vectors and edge cases from the design notes on open tables that no other module covers."""

from __future__ import annotations

import time
from dataclasses import replace
from datetime import timedelta
from types import SimpleNamespace
from typing import Any

import pytest
from sqlalchemy import text

from bot.lobby.requests import Open
from bot.store import lobby as rows
from bot.store import people
from bot.store.database import reading
from tests.cli.conftest import Mentat
from tests.lobby.people import Lobby, address
from tests.lobby.test_abuse import PASSES

DUTIES = {"new": (0, 0), "few": (9, 10), "often": (37, 40), "seldom": (10, 20)}


@pytest.fixture
def records(monkeypatch: pytest.MonkeyPatch) -> None:
    def duties(_: object, who: str) -> SimpleNamespace:
        on_time, every = DUTIES.get(who.partition("@")[0], (0, 0))
        return SimpleNamespace(on_time=on_time, duties=every)

    monkeypatch.setattr("bot.lobby.tables.deadlines.duties_of", duties)


@pytest.mark.usefixtures("records")
def test_reliability_is_asked_of_whoever_joins_and_of_the_opener(lobby: Lobby) -> None:
    table = lobby.opens("ann", Open(reliability=0.9)).id
    for name in DUTIES:
        lobby.joins(name, table)
    assert lobby.seats(table) == ["ann", "new", "few", "often"]
    assert "reliability of 0.90; yours is 0.63" in lobby.words("seldom")
    lobby.proves("often", f"leave {table}")
    lobby.proves("often", "open a game: reliability 0.93")
    assert "than your own, which is 0.92" in lobby.words("often")
    lobby.proves("often", "open a game: reliability 0.92")
    assert lobby.subjects("often")[-1].endswith("is open")


def friday(lobby: Lobby, name: str, tempo: str) -> str:
    now = lobby.world.now
    day = (now + timedelta(days=(4 - now.weekday()) % 7 or 7)).date()
    return lobby.opens(name, Open(by=day, fewest=2, tempo=tempo)).id


def test_the_friday_game_is_joined_by_a_known_person_where_there_is_one(lobby_vouched: Lobby) -> None:
    lobby = lobby_vouched
    before = lobby.opens("ann").id
    lobby.joins("bob", before)
    lobby.proves("bob", f"leave {before}")  # from now on, Bob is known
    table = friday(lobby, "cid", "steady")
    lobby.says("bob", "count me in for the Friday game", Authentication_Results=PASSES)
    assert lobby.seats(table) == ["cid", "bob"]
    assert lobby.subjects("bob")[-1].startswith(f"You are in: {table}")
    assert f"leave {table}" in lobby.newest("bob").text
    lobby.proves("bob", f"leave {table}")
    other = friday(lobby, "dora", "swift")
    lobby.says("bob", "count me in for the Friday game", Authentication_Results=PASSES)
    assert lobby.seats(table) + lobby.seats(other) == ["cid", "dora"]
    assert lobby.subjects("bob")[-1] == "Which table do you mean?"
    for each in (table, other):
        assert f"join {each}" in lobby.newest("bob").text


def test_whoever_answers_an_offer_after_somebody_took_the_seat_stays_first_in_line(lobby: Lobby) -> None:
    table = lobby.opens("ann", Open(most=2, starts="opener")).id
    for name in ("bob", "cid", "dora"):
        lobby.joins(name, table)
    lobby.proves("bob", f"leave {table}")
    assert lobby.seats(table, "offered") == ["cid"]
    lobby.wait(60)  # Cid's time is up, and Dora's begins
    assert lobby.seats(table, "offered") == ["dora"]
    lobby.proves("dora", f"yes {table}")
    lobby.proves("cid", f"yes {table}")
    assert lobby.seats(table) == ["ann", "dora"]
    assert lobby.seats(table, "waiting") == ["cid"]
    assert "You stay first in line" in lobby.words("cid") or "first in line" in lobby.newest("cid").subject


def test_one_person_under_two_addresses_keeps_the_earlier_seat_or_the_other_one(lobby: Lobby) -> None:
    table = lobby.opens("ann").id
    lobby.joins("bob", table, "as Bob")
    lobby.joins("bobby", table, "as Bobby")
    with lobby.session() as session:
        people.tie_persons(session.conn, address("bob"), address("bobby"))
    lobby.joins("cid", table)
    assert lobby.seats(table) == ["ann", "bob", "cid"]
    assert lobby.subjects("bobby")[-1] == "One of your two seats is free again"
    lobby.answers("bobby", "yes")
    assert lobby.seats(table) == ["ann", "bobby", "cid"]
    lobby.wait(30)
    lobby.proves("bob", "yes")  # a day later nothing changes any more
    assert lobby.seats(table) == ["ann", "bobby", "cid"]


def test_five_thousand_tables_are_a_short_list_that_is_quickly_made(lobby: Lobby) -> None:
    first = lobby.opens("ann", Open(most=6))
    with lobby.session() as session:
        for number in range(4_999):
            rows.add_table(session.conn, replace(first, id=f"tabr-{number + 2}", opener="", starter=""))
    begun = time.process_time()
    lobby.says("bob", "any open games?")
    assert time.process_time() - begun < 10
    assert len(lobby.newest("bob").content) < 12_000
    assert "4,980 more" in lobby.words("bob")


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("open a game: seven players", "2 to 6 players"),
        ("open a game: one player", "2 to 6 players"),
        ("open a game: six, starts by 30 Feb", "30 Feb"),
        ("open a game: starts by 2024-11-01", "is past"),
        ("open a game: computers, rated", "cannot be rated"),
        ("open a game: dune-2099", "dune-2099"),
        ("open a game: factions by auction, wishes", "auction"),
    ],
)
def test_settings_that_cannot_be_are_named_in_one_sentence(lobby: Lobby, line: str, told: str) -> None:
    lobby.proves("ann", line)
    assert told in lobby.words("ann")
    with reading(lobby.world.engine) as conn:
        assert rows.all_tables(conn) == []


def test_friday_said_on_friday_evening_means_a_day_that_is_written_out(lobby: Lobby) -> None:
    now = lobby.world.now
    lobby.wait(((4 - now.weekday()) % 7 * 24 + 23 - now.hour) or 1)
    lobby.proves("ann", "open a game: five or six, starts by Friday")
    with reading(lobby.world.engine) as conn:
        (table,) = rows.all_tables(conn)
    assert table.settings.starts_at is not None
    assert table.settings.starts_at > lobby.world.now


def contents(lobby: Lobby) -> dict[str, list[Any]]:
    with reading(lobby.world.engine) as conn:
        names = conn.execute(text("SELECT name FROM sqlite_master WHERE type = 'table'")).scalars().all()
        return {name: sorted(map(repr, conn.execute(text(f"SELECT * FROM {name}")).all())) for name in names}


def test_a_refused_command_changes_nothing_in_any_state_of_a_table(mentat: Mentat, lobby: Lobby) -> None:
    opened, full = lobby.opens("ann").id, lobby.opens("bob", Open(most=2, starts="opener")).id
    lobby.joins("cid", full)
    started = lobby.opens("dora", Open(most=2)).id
    lobby.joins("eve", started)
    ended = lobby.opens("fay").id
    lobby.proves("fay", f"close {ended}")
    proposed = lobby.opens("gus").id
    with lobby.session() as session:
        rows.change_table(session.conn, proposed, state="proposed")
    every, refused = [opened, full, started, ended, proposed], 0
    for table in every:
        for words in (
            ["approve", table], ["approve", table, "--refuse"], ["close", table], ["invite", table, "ann@example.org"],
            ["merge", table, opened], ["merge", opened, table], ["move", table, "ann@example.org", full],
            ["move", opened, "nobody@example.org", table], ["offer", table, "guild"],
        ):  # fmt: skip
            before = contents(lobby)
            if mentat("lobby", *words, "--dry-run").code != 0:
                refused += 1
                assert mentat("lobby", *words).code != 0
            assert contents(lobby) == before, words
    assert refused > 20
