"""Packed entries, events and snapshots are at most a third of their JSON's size; a changed byte is still detected."""

from __future__ import annotations

import pytest

from bot.games import proof
from bot.store import database, games
from bot.store.database import pack, reading, unpack, writing
from bot.store.record import encode_entry
from rules.engine.catalogue import load_rule_set
from rules.engine.play import Play
from rules.random_players import random_game
from rules.state import events
from tests.moderator.table import GAME, World


@pytest.fixture(scope="module")
def played() -> Play:
    return random_game(load_rule_set("wbc-2018"), "packing")


@pytest.fixture(scope="module")
def rows(played: Play) -> list[bytes]:
    return [encode_entry(entry) for entry in played.log] + [events.encode(event) for event in played.events]


def test_what_is_packed_is_given_back_byte_for_byte(rows: list[bytes], played: Play) -> None:
    for data in (*rows, played.snapshot.state, b"", b"\x01", '{"text":"Ornithopter ⟦x⟧"}'.encode()):
        assert unpack(pack(data)) == data


def test_the_log_and_the_events_of_a_game_take_less_than_a_third(rows: list[bytes]) -> None:
    assert 3 * sum(len(pack(data)) for data in rows) < sum(map(len, rows))


def test_rows_that_an_older_mentat_wrote_are_read_as_they_are(rows: list[bytes], played: Play) -> None:
    for data in (*rows, played.snapshot.state):
        assert unpack(data) == data


def test_a_row_is_weighed_while_it_is_unpacked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(database, "_MOST_UNPACKED", 5_000)
    assert unpack(pack(bytes(5_000))) == bytes(5_000)
    assert unpack(bomb := pack(bytes(5_001))) == bomb


def test_a_changed_lost_or_added_byte_of_a_row_does_not_unpack_to_the_same(rows: list[bytes]) -> None:
    for data in rows[::40]:
        packed = pack(data)
        for place in range(len(packed)):
            for bit in range(8):
                changed = bytes((*packed[:place], packed[place] ^ 1 << bit, *packed[place + 1 :]))
                assert unpack(changed) != data
        assert unpack(packed[:-1]) != data
        assert unpack(packed + b"x") != data


def test_of_the_snapshots_of_a_game_only_the_last_is_kept_whole(world: World) -> None:
    world.new_game()
    world.silence_until("bidding", turn=2)
    with reading(world.engine) as conn:
        *earlier, last = games.kept_snapshots(conn, GAME).values()
    assert earlier
    assert last.whole
    assert not any(snapshot.whole for snapshot in earlier)
    world.moderator.open_games.forget()
    assert world.table().play.state.phase == "bidding"


@pytest.mark.sqlite_only
def test_a_game_whose_rows_an_older_mentat_wrote_goes_on_and_is_proved(world: World) -> None:
    world.new_game()
    world.silence_until("bidding")
    with writing(world.engine) as conn:
        for table, column in (("entry", "data"), ("event", "data"), ("snapshot", "state")):
            for key, data in conn.exec_driver_sql(f"SELECT rowid, {column} FROM {table}").all():
                conn.exec_driver_sql(f"UPDATE {table} SET {column} = ? WHERE rowid = ?", (unpack(data), key))
    world.moderator.open_games.forget()
    world.silence_until("storm", turn=2)
    with reading(world.engine) as conn:
        assert proof.verify(proof.full_record(conn, GAME)).holds
