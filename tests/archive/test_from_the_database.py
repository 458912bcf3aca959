"""Tests that the archive takes only public facts about running games from the database, and only names of people."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest

from bot.archive import shelf
from bot.archive.games import ArchivePolicy, FinishedGame, RunningGame, play_steps
from bot.desk.new_game import NewGame, new_game
from bot.desk.positions import roll_back
from bot.desk.powers import DeskRequest, Use
from bot.record.lines import End, Head
from bot.store import games
from bot.store.database import reading, writing
from rules.components import Faction
from rules.components.chance import Chance
from rules.random_players import RandomPlayer
from tests.moderator.table import DOTS, GAME, World, address_of
from tests.moderator.twins import Twins, advance, change_unseen

THREE: tuple[Faction, ...] = ("atreides", "fremen", "guild")


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    made = World.at(tmp_path)
    yield made
    made.engine.dispose()


def begin(world: World, policy: ArchivePolicy, factions: tuple[Faction, ...] = THREE, **options: int) -> None:
    seats = {faction: address_of(faction) for faction in factions}
    dots = dict(zip(factions, DOTS, strict=False))
    new_game(
        world.moderator.open_games,
        NewGame(GAME, "wbc-2018", seats, dots, "spice", archive=policy, options=options),
        world.now,
    )


def end(world: World) -> None:
    for _ in range(500):
        if world.table().play.over:
            return
        world.wait(24)
    raise AssertionError("it did not end")


def text(of: RunningGame | FinishedGame) -> str:
    return msgspec.json.encode(of).decode()


def test_a_hidden_game_is_not_on_the_shelf_before_its_end(world: World) -> None:
    begin(world, ArchivePolicy(), max_turns=1)
    assert shelf.shelved(world.engine) == []
    with pytest.raises(shelf.NotShown, match="hidden while it runs"):
        shelf.running(world.engine, GAME)
    with pytest.raises(shelf.NotShown, match="still being played"):
        shelf.finished(world.engine, GAME)
    end(world)
    assert [(game.id, game.over) for game in shelf.shelved(world.engine)] == [(GAME, True)]
    with pytest.raises(shelf.NotShown, match="is over"):
        shelf.running(world.engine, GAME)


def test_a_finished_game_comes_with_its_record_and_plays_again_step_by_step(world: World) -> None:
    begin(world, ArchivePolicy(), max_turns=1)
    world.say("fremen", "archive name Liet", "archive listed yes", "standing: no revival")
    end(world)
    found = shelf.finished(world.engine, GAME)
    head, last = found.lines[0], found.lines[-1]
    assert isinstance(head, Head)
    assert isinstance(last, End)
    assert (head.game, last.seed) == (GAME, "spice")
    assert found.cast["fremen"].name == "Liet"
    assert found.cast["fremen"].listed
    assert found.cast["guild"].name == "Guild of sietch-12"
    assert [line.line for line in found.sheets] == ["standing: no revival"]
    assert found.began == found.ended or (found.began and found.ended and found.began < found.ended)
    with reading(world.engine) as conn:
        told = games.events_of(conn, GAME)
    assert [step.event for step in play_steps(found, last.seed) if step.event] == told


def test_a_public_game_is_shown_as_it_stood_where_its_phase_began(world: World) -> None:
    begin(world, ArchivePolicy("public"))
    world.silence_until("bidding")
    seen = shelf.running(world.engine, GAME)
    state = world.table().play.state
    assert (seen.view["turn"], seen.view["phase"]) == (state.turn, state.phase)
    assert seen.view["questions"] == []
    assert all(player["spice"] is None and player["hand"] is None for player in seen.view["players"].values())
    assert all(not event.private and event.audience is None for event in seen.events)
    assert [event.number for event in seen.events] == list(range(len(seen.events)))
    assert "spice" not in seen.options


def test_a_public_game_keeps_the_end_of_each_turn(world: World) -> None:
    begin(world, ArchivePolicy("public"))
    world.silence_until("storm", turn=3)
    seen = shelf.running(world.engine, GAME)
    assert list(seen.ends_of_turns) == [1, 2]
    assert [view["turn"] for view in seen.ends_of_turns.values()] == [1, 2]


def test_a_delayed_game_is_shown_as_it_was_turns_before_and_not_at_all_until_then(world: World) -> None:
    begin(world, ArchivePolicy("delayed", 2))
    world.silence_until("storm", turn=2)
    assert shelf.shelved(world.engine) == []
    with pytest.raises(shelf.NotShown, match="before turn 3"):
        shelf.running(world.engine, GAME)
    world.silence_until("storm", turn=3)
    (first,) = shelf.shelved(world.engine)
    seen = shelf.running(world.engine, GAME)
    assert (seen.view["turn"], list(seen.ends_of_turns)) == (1, [1])
    assert {event.turn for event in seen.events} == {1}
    world.silence_until("bidding", turn=3)
    assert shelf.shelved(world.engine) == [first]
    assert text(shelf.running(world.engine, GAME)) == text(seen)


def test_what_is_answered_within_a_phase_changes_neither_the_key_nor_what_is_shown(world: World) -> None:
    begin(world, ArchivePolicy("public"))
    world.silence_until("bidding")
    before, seen = shelf.shelved(world.engine), text(shelf.running(world.engine, GAME))
    bidder = next(iter(world.asked()))
    world.say(bidder, world.line(bidder, "bid"), "when card 2: bid 1")
    world.say("fremen", "press to all: what a day")
    assert shelf.shelved(world.engine) == before
    assert text(shelf.running(world.engine, GAME)) == seen
    world.silence_until("revival")
    assert shelf.shelved(world.engine) != before


def test_two_games_that_differ_only_in_what_is_hidden_are_shown_alike(world: World, tmp_path: Path) -> None:
    begin(
        world,
        ArchivePolicy("public"),
        factions=("atreides", "bene-gesserit", "emperor", "fremen", "guild", "harkonnen"),
    )
    player, chance = RandomPlayer("archive"), Chance("hidden", {})
    changed = 0
    for number in range(6):
        advance(world, player, 12)
        twins = Twins(world, tmp_path, str(number))
        if change_unseen(twins, "fremen", chance):
            changed += 1
            one, other = twins.one.engine, twins.other.engine
            assert shelf.shelved(one) == shelf.shelved(other)
            assert text(shelf.running(one, GAME)) == text(shelf.running(other, GAME))
        twins.close()
    assert changed


def test_a_rollback_is_shown_even_where_the_game_comes_to_the_same_phase_again(world: World) -> None:
    begin(world, ArchivePolicy("public"))
    world.silence_until("bidding")
    before = shelf.shelved(world.engine)
    with reading(world.engine) as conn:
        entries = games.entries_before(conn, GAME, 1, "bidding")
    assert entries is not None
    roll_back(DeskRequest(world.moderator.open_games, GAME, world.now, Use(why="A slip.", tell="A slip.")), entries)
    assert shelf.shelved(world.engine) != before


def test_a_held_game_is_left_as_it_is(world: World) -> None:
    begin(world, ArchivePolicy("public"))
    with writing(world.engine) as conn:
        games.mark_checked(conn, GAME, "other rules", holds=False)
    assert shelf.shelved(world.engine) == []
    assert shelf.held(world.engine) == [GAME]


def test_words_of_a_deal_in_a_sheet_stay_between_the_two(world: World) -> None:
    begin(world, ArchivePolicy(), max_turns=1)
    world.silence_until("bidding")
    world.say("guild", "when card 2: deal with fremen: meet me at the back door; I pay 1")
    end(world)
    found = shelf.finished(world.engine, GAME)
    assert "back door" not in text(found)


def test_nobody_can_be_found_in_what_the_archive_gets(world: World) -> None:
    begin(world, ArchivePolicy("public"), max_turns=1)
    world.say("guild", "timezone Europe/Lisbon", "waking 06:07 to 21:13", "address add edric@second.example")
    running = text(shelf.running(world.engine, GAME))
    end(world)
    for seen in (running, text(shelf.finished(world.engine, GAME))):
        for secret in ("players.example", "second.example", "@", "Lisbon", "21:13", "06:07"):
            assert secret not in seen
