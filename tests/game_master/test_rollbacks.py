"""Rollbacks: a preview shows what players have learnt, and a rollback can be undone."""

from __future__ import annotations

from pathlib import Path

import pytest
from sqlalchemy import delete

from bot.desk import clocks, positions, rights, seats
from bot.desk.powers import DeskRequest, PowerRefused, Use
from bot.desk.seats import SeatRefused
from bot.games import proof
from bot.record.reader import difference_from_rules, read_record
from bot.store import acts, archive
from bot.store.database import reading, writing
from bot.store.tables import DROPPED_ENTRY
from rules.components import FACTIONS
from tests.moderator.table import CONFIG, GAME, GAME_MASTER, World, address_of

REY = "rey@elsewhere.example"


def verified(world: World) -> bool:
    with reading(world.engine) as conn:
        return proof.verify(proof.full_record(conn, GAME)).holds


def test_a_preview_says_what_was_learnt_and_changes_nothing(begun: World) -> None:
    begun.silence_until("revival")
    table, letters = begun.table(), begun.written()
    found = positions.preview_rollback(DeskRequest(begun.moderator.open_games, GAME, begun.now), 1)
    assert (found.entries, found.of) == (1, table.entries)
    assert found.public
    assert (begun.table().entries, begun.written()) == (table.entries, letters)
    assert (
        positions.preview_rollback(DeskRequest(begun.moderator.open_games, GAME, begun.now), table.entries).public == ()
    )
    with pytest.raises(ValueError, match="entries"):
        positions.preview_rollback(DeskRequest(begun.moderator.open_games, GAME, begun.now), 9_999)


def test_who_has_seen_what_each_alone_has_learnt_stands_in_the_act_log_and_takes_no_seat(begun: World) -> None:
    begun.silence_until("revival")
    games = begun.moderator.open_games
    rights.grant(DeskRequest(games, GAME, begun.now), "director", REY)
    assert positions.preview_rollback(DeskRequest(games, GAME, begun.now, Use(by=REY)), 0).private
    with reading(begun.engine) as conn:
        act = acts.acts_of(conn, game_id=GAME)[-1]
    assert (act.what, act.who, act.right) == ("preview", REY, "director")
    rights.revoke(DeskRequest(games, GAME, begun.now), REY)
    with pytest.raises(SeatRefused, match="has read secrets"):
        seats.replace_player(DeskRequest(games, GAME, begun.now), "guild", REY)


def test_a_preview_of_a_finished_game_shows_nothing_as_it_is_never_taken_back(begun: World) -> None:
    begun.silence_until("revival")
    games = begun.moderator.open_games
    clocks.end_game(DeskRequest(games, GAME, begun.now), "void", ())
    with pytest.raises(PowerRefused, match="is finished and cannot be rolled back"):
        positions.preview_rollback(DeskRequest(games, GAME, begun.now), 1)
    with pytest.raises(PowerRefused, match="is finished and cannot be rolled back"):
        positions.roll_back(DeskRequest(games, GAME, begun.now), 1)


def test_a_game_master_who_plays_sees_no_preview_of_what_others_learnt(tmp_path: Path) -> None:
    world = World.at(tmp_path, CONFIG.replace(GAME_MASTER, address_of("guild")))
    world.new_game()
    world.silence_until("revival")
    with pytest.raises(PowerRefused, match="a player has no power over their own game"):
        positions.preview_rollback(DeskRequest(world.moderator.open_games, GAME, world.now), 1)
    with pytest.raises(PowerRefused, match="Players have no power over"):
        positions.preview_rollback(
            DeskRequest(world.moderator.open_games, GAME, world.now, Use(by=address_of("fremen"))), 1
        )
    world.engine.dispose()


def test_what_was_taken_back_stands_again_when_that_is_undone(begun: World) -> None:
    begun.silence_until("revival")
    games, was = begun.moderator.open_games, begun.table()
    positions.roll_back(DeskRequest(games, GAME, begun.now, Use(why="a wrong dial")), 3)
    assert begun.table().entries == 3
    before = begun.written()
    positions.undo_rollback(DeskRequest(games, GAME, begun.now, Use(tell="It was right after all.")))
    now = begun.table()
    assert now.entries == was.entries
    assert now.play.state == was.play.state
    told = {letter.recipient: letter.text for letter in begun.letters(after=before)}
    assert set(told) >= {address_of(faction) for faction in FACTIONS}
    assert verified(begun)
    with pytest.raises(PowerRefused, match="nothing to undo"):
        positions.undo_rollback(DeskRequest(games, GAME, begun.now))
    begun.silence_until("collection")
    assert verified(begun)
    clocks.end_game(DeskRequest(games, GAME, begun.now), "void", ())
    with reading(begun.engine) as conn:
        assert difference_from_rules(read_record(archive.record_lines(conn, GAME))) == ""


def test_what_was_decided_since_a_rollback_is_not_thrown_away_by_its_undoing(begun: World) -> None:
    begun.silence_until("bidding")
    games = begun.moderator.open_games
    with pytest.raises(PowerRefused, match="nothing to undo"):
        positions.undo_rollback(DeskRequest(games, GAME, begun.now))
    positions.roll_back(DeskRequest(games, GAME, begun.now), 1)
    begun.wait(24)
    with pytest.raises(PowerRefused, match="followed the rollback"):
        positions.undo_rollback(DeskRequest(games, GAME, begun.now))


def test_a_rollback_that_is_only_tried_leaves_the_log_whole(begun: World) -> None:
    begun.silence_until("bidding")
    entries, letters = begun.table().entries, begun.written()
    positions.roll_back(DeskRequest(begun.moderator.open_games, GAME, begun.now, Use(dry_run=True)), 1)
    assert (begun.table().entries, begun.written()) == (entries, letters)
    assert verified(begun)


def test_who_has_seen_what_is_hidden_is_not_given_a_seat_by_a_new_address_either(begun: World) -> None:
    begun.silence_until("revival")
    games = begun.moderator.open_games
    rights.grant(DeskRequest(games, GAME, begun.now), "director", REY)
    positions.preview_rollback(DeskRequest(games, GAME, begun.now, Use(by=REY)), 0)
    rights.revoke(DeskRequest(games, GAME, begun.now), REY)
    before, token = begun.written(), begun.token("guild")
    with pytest.raises(PowerRefused, match=f"{REY} has read secrets of {GAME}, and cannot take a seat in it"):
        seats.move_seat(DeskRequest(games, GAME, begun.now), "guild", REY)
    seat = begun.table().seats["guild"]
    assert (seat.address, seat.token, begun.written()) == (address_of("guild"), token, before)


def test_what_was_cut_and_is_no_longer_kept_is_not_put_back(begun: World) -> None:
    begun.silence_until("bidding")
    games = begun.moderator.open_games
    positions.roll_back(DeskRequest(games, GAME, begun.now), 1)
    with writing(begun.engine) as conn:
        conn.execute(delete(DROPPED_ENTRY))
    before = begun.written()
    with pytest.raises(PowerRefused, match=f"The entries cut from the log of {GAME} are gone"):
        positions.undo_rollback(DeskRequest(games, GAME, begun.now))
    assert (begun.table().entries, begun.written()) == (1, before)
