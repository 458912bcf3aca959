"""What is done for one seat: who hears of it, what it changes, and that the game still plays from its log."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import pytest

from bot.game_master import early, seats
from bot.game_master.powers import PowerRefused, Use
from bot.games import proof
from bot.store import act_log
from bot.store.database import reading
from rules.components import FACTIONS
from tests.moderator.table import CONFIG, GAME, World, address_of


def acts(world: World) -> list[tuple[str, str]]:
    with reading(world.engine) as conn:
        return [(act.what, act.words) for act in act_log.of_game(conn, GAME)]


def verified(world: World) -> None:
    with reading(world.engine) as conn:
        assert proof.verify(proof.record(conn, GAME)).holds


def test_a_seat_that_owes_something_is_reminded_and_nobody_else_hears_of_it(begun: World) -> None:
    before = begun.written()
    seats.remind(begun.moderator.open_games, GAME, "guild", begun.now)
    assert {letter.recipient for letter in begun.letters(after=before)} <= {address_of("guild")}
    assert acts(begun) == [("remind", "guild")]


def test_the_time_bank_of_a_seat_grows_and_shrinks_but_not_below_nothing(begun: World) -> None:
    before = begun.written()
    games = begun.moderator.open_games
    assert seats.bank(games, GAME, "guild", 2, begun.now) == 120
    assert seats.bank(games, GAME, "guild", -1.5, begun.now) == 30
    assert seats.bank(games, GAME, "guild", -50, begun.now) == 0
    assert {letter.recipient for letter in begun.letters(after=before)} == {address_of("guild")}
    with pytest.raises(PowerRefused, match="at most 60 days"):
        seats.bank(games, GAME, "guild", 2_000, begun.now)


def test_nothing_is_counted_against_a_seat_that_is_excused(begun: World) -> None:
    begun.table().seats["guild"].missed = 2
    before = begun.written()
    seats.excuse(begun.moderator.open_games, GAME, "guild", begun.now, Use(why="in hospital"))
    assert begun.table().seats["guild"].missed == 0
    [letter] = begun.letters(after=before)
    assert "hospital" not in letter.text


def test_the_caretaker_takes_a_seat_and_leaves_it(begun: World) -> None:
    before = begun.written()
    seats.caretaker(begun.moderator.open_games, GAME, "guild", True, begun.now, Use(tell="They are away."))
    assert begun.table().seats["guild"].care
    told = {letter.recipient: letter.text for letter in begun.letters(after=before)}
    assert set(told) >= {address_of(faction) for faction in FACTIONS}
    with pytest.raises(PowerRefused, match="already"):
        seats.caretaker(begun.moderator.open_games, GAME, "guild", True, begun.now)
    seats.caretaker(begun.moderator.open_games, GAME, "guild", False, begun.now)
    assert not begun.table().seats["guild"].care
    begun.silence_until("bidding")
    verified(begun)


def test_a_duty_that_is_not_due_is_not_cut_short_by_process_but_by_default(world: World) -> None:
    world.new_game()
    world.silence_until("bidding")
    games, [asked] = world.moderator.open_games, [q for q in world.table().play.questions() if q.kind == "bid"]
    with pytest.raises(PowerRefused, match="has until"):
        early.process(games, GAME, world.now)
    before = world.written()
    early.default(games, GAME, asked.faction, "bid", world.now)
    told = {letter.recipient for letter in world.letters(after=before)}
    assert told >= {address_of(faction) for faction in FACTIONS}
    assert acts(world) == [("default", f"{asked.faction} bid")]
    with pytest.raises(PowerRefused, match="no open duty 'battle-plan'"):
        early.default(games, GAME, asked.faction, "battle-plan", world.now)
    world.silence_until("revival")
    verified(world)


def test_process_ends_the_grace_of_what_was_due(tmp_path: Path) -> None:
    world = World.at(tmp_path, CONFIG + "[clock]\ngrace_hours = 24\n")
    world.new_game()
    while world.table().play.state.phase != "bidding":
        world.wait(24)
    table = world.table()
    [place] = [place for place in table.deadlines if place[1][1] == "bid"]
    deadline = table.deadlines[place]
    assert deadline.until > deadline.due
    world.now = deadline.due + timedelta(minutes=1)
    bid = table.play.stop_name
    early.process(world.moderator.open_games, GAME, world.now, Use(at=f"{table.play.state.turn}/bidding"))
    assert world.table().play.stop_name != bid


def test_a_reaction_is_never_cut_short(begun: World) -> None:
    begun.silence_until("storm", turn=2)
    if not any(q.public for q in begun.table().play.questions()):
        with pytest.raises(PowerRefused, match="Nothing that all know of"):
            early.process(begun.moderator.open_games, GAME, begun.now)
