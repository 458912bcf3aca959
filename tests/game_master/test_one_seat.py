"""Powers over one seat: who is told, what they change, and that the game can still be replayed from its log."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import pytest

from bot.desk import clocks, seats, sight
from bot.desk.desk import game_status_lines
from bot.desk.powers import DeskRequest, PowerRefused, Use
from bot.games import proof
from bot.games.open_games import would_be_written
from bot.moderator import seat_lines
from bot.store.acts import acts_of
from bot.store.database import reading
from rules.components import FACTIONS
from tests.moderator.table import CONFIG, GAME, World, address_of


def acts(world: World) -> list[tuple[str, str]]:
    with reading(world.engine) as conn:
        return [(act.what, act.words) for act in acts_of(conn, game_id=GAME)]


def verified(world: World) -> None:
    with reading(world.engine) as conn:
        assert proof.verify(proof.full_record(conn, GAME)).holds


def test_a_seat_that_owes_something_is_reminded_and_nobody_else_hears_of_it(begun: World) -> None:
    before = begun.written()
    seats.remind_seat(DeskRequest(begun.moderator.open_games, GAME, begun.now), "guild")
    assert {letter.recipient for letter in begun.letters(after=before)} <= {address_of("guild")}
    assert acts(begun) == [("remind", "guild")]


def test_the_time_bank_of_a_seat_grows_and_shrinks_but_not_below_nothing(begun: World) -> None:
    before = begun.written()
    games = begun.moderator.open_games
    assert seats.change_bank(DeskRequest(games, GAME, begun.now), "guild", 2) == 120
    assert seats.change_bank(DeskRequest(games, GAME, begun.now), "guild", -1.5) == 30
    assert seats.change_bank(DeskRequest(games, GAME, begun.now), "guild", -50) == 0
    assert {letter.recipient for letter in begun.letters(after=before)} == {address_of("guild")}
    for hours in (2_000, 60 * 24 + 1, -60 * 24 - 1):
        with pytest.raises(PowerRefused, match="at most 60 days"):
            seats.change_bank(DeskRequest(games, GAME, begun.now), "guild", hours)
    assert begun.table().seats["guild"].bank == 0


def test_a_time_bank_holds_sixty_days_and_not_a_minute_more(begun: World) -> None:
    games = begun.moderator.open_games
    assert seats.change_bank(DeskRequest(games, GAME, begun.now), "guild", 60 * 24 - 1) == 86_340
    assert seats.change_bank(DeskRequest(games, GAME, begun.now), "guild", 1) == 86_400
    before = begun.written()
    with pytest.raises(PowerRefused, match="at most 60 days"):
        seats.change_bank(DeskRequest(games, GAME, begun.now), "guild", 1 / 60)
    assert (begun.table().seats["guild"].bank, begun.written()) == (86_400, before)
    assert acts(begun) == [("bank", "guild +1439 h: 1439 hours"), ("bank", "guild +1 h: 1440 hours")]


def test_nothing_is_counted_against_a_seat_that_is_excused(begun: World) -> None:
    with begun.moderator.open_games.transaction(GAME) as (_, table):
        for faction in ("guild", "fremen"):
            table.seats[faction].missed = 2
            table.touched.add(faction)
    before = begun.written()
    seats.excuse_seat(DeskRequest(begun.moderator.open_games, GAME, begun.now, Use(why="in hospital")), "guild")
    assert (begun.table().seats["guild"].missed, begun.table().seats["fremen"].missed) == (0, 2)
    [letter] = begun.letters(after=before)
    assert letter.recipient == address_of("guild")
    assert "hospital" not in letter.text


def test_the_caretaker_takes_a_seat_and_leaves_it(begun: World) -> None:
    before = begun.written()
    seats.set_caretaker(
        DeskRequest(begun.moderator.open_games, GAME, begun.now, Use(tell="They are away.")), "guild", True
    )
    assert begun.table().seats["guild"].care
    told = {letter.recipient: letter.text for letter in begun.letters(after=before)}
    assert set(told) >= {address_of(faction) for faction in FACTIONS}
    with pytest.raises(PowerRefused, match="already"):
        seats.set_caretaker(DeskRequest(begun.moderator.open_games, GAME, begun.now), "guild", True)
    seats.set_caretaker(DeskRequest(begun.moderator.open_games, GAME, begun.now), "guild", False)
    assert not begun.table().seats["guild"].care
    begun.silence_until("bidding")
    verified(begun)


def test_a_duty_that_is_not_due_is_not_cut_short_by_process_but_by_default(world: World) -> None:
    world.new_game()
    world.silence_until("bidding")
    games, [asked] = world.moderator.open_games, [q for q in world.table().play.questions() if q.kind == "bid"]
    with pytest.raises(PowerRefused, match="has until"):
        clocks.process_overdue(DeskRequest(games, GAME, world.now))
    before = world.written()
    clocks.apply_default(DeskRequest(games, GAME, world.now), asked.faction, "bid")
    told = {letter.recipient for letter in world.letters(after=before)}
    assert told >= {address_of(faction) for faction in FACTIONS}
    assert acts(world) == [("default", f"{asked.faction} bid")]
    with pytest.raises(PowerRefused, match="no open public duty 'battle-plan'"):
        clocks.apply_default(DeskRequest(games, GAME, world.now), asked.faction, "battle-plan")
    world.silence_until("revival")
    verified(world)


def test_an_order_after_the_game_master_let_silence_decide_is_not_called_late(world: World) -> None:
    world.new_game(factions=("guild", "fremen", "emperor"))
    games, traitor = world.moderator.open_games, world.line("guild", "traitor")
    for asked in [question for question in world.table().play.questions() if question.kind == "traitor"]:
        clocks.apply_default(DeskRequest(games, GAME, world.now), asked.faction, "traitor")
    assert world.say("guild", traitor).taken == 0
    answer = " ".join(world.newest("guild").text.split())
    assert "The game master applied the default before the deadline (" in answer
    assert "came after the deadline" not in answer
    world.wait(72)
    world.say("guild", traitor)
    assert "It came after the deadline (" in " ".join(world.newest("guild").text.split())


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
    clocks.process_overdue(
        DeskRequest(world.moderator.open_games, GAME, world.now, Use(at=f"{table.play.state.turn}/bidding"))
    )
    assert world.table().play.stop_name != bid


def test_process_ends_a_time_bank_and_leaves_what_is_not_due(tmp_path: Path) -> None:
    world = World.at(tmp_path, CONFIG + "[clock]\nbank_hours = 10\n")
    world.new_game(factions=("guild", "fremen", "emperor"))
    request = DeskRequest(world.moderator.open_games, GAME, world.now + timedelta(hours=25))
    world.say("fremen", "absent 27 Nov to 28 Nov")
    world.wait(25)
    assert {faction for _, (faction, *_) in world.table().overruns} == {"guild", "emperor"}
    told = " ".join(game_status_lines_of(world))
    assert "Guild and Emperor: " in told or "Emperor and Guild: " in told
    assert "as the time bank is running" in told
    assert "Fremen: " in told
    assert "as the player is away" in told
    clocks.process_overdue(request)
    assert set(world.asked()) == {"fremen"}
    assert world.table().overruns
    with pytest.raises(PowerRefused, match="Fremen has until"):
        clocks.process_overdue(request)


def game_status_lines_of(world: World) -> list[str]:
    with reading(world.engine) as conn:
        return game_status_lines(conn, world.settings, world.now, GAME)


def test_a_reaction_is_never_cut_short(begun: World) -> None:
    begun.silence_until("storm", turn=2)
    games, entries = begun.moderator.open_games, begun.table().entries
    assert set(begun.asked()) == set(FACTIONS)
    with pytest.raises(PowerRefused, match="Nobody has an open public duty"):
        clocks.process_overdue(DeskRequest(games, GAME, begun.now))
    with pytest.raises(PowerRefused, match="Guild has no open public duty 'storm-cards'; its open duties: none"):
        clocks.apply_default(DeskRequest(games, GAME, begun.now), "guild", "storm-cards")
    assert (begun.table().entries, acts(begun)) == (entries, [])


def test_a_seat_that_nobody_plays_is_refused_with_those_that_are_played(world: World) -> None:
    world.new_game(factions=("atreides", "guild", "harkonnen"))
    before = world.written()
    played = "the factions are atreides, guild, harkonnen."
    with pytest.raises(PowerRefused, match=f"Nobody plays the Fremen in {GAME}; {played}"):
        seats.change_bank(DeskRequest(world.moderator.open_games, GAME, world.now), "fremen", 1)
    assert world.written() == before


@pytest.mark.parametrize("power", ["process", "default", "caretaker"])
def test_in_a_blind_game_a_trial_writes_the_letter_to_all_and_does_not_show_how_it_would_go_on(
    world: World, power: str
) -> None:
    world.silent_game("bidding")
    games, [asked] = world.moderator.open_games, [q for q in world.table().play.questions() if q.kind == "bid"]
    due = world.table().due(asked)
    assert due is not None
    late = due + timedelta(minutes=1)
    tries = {
        "process": lambda use: clocks.process_overdue(DeskRequest(games, GAME, late, use)),
        "default": lambda use: clocks.apply_default(DeskRequest(games, GAME, late, use), asked.faction, "bid"),
        "caretaker": lambda use: seats.set_caretaker(DeskRequest(games, GAME, late, use), asked.faction, True),
    }
    before, entries = world.written(), world.table().entries
    would_be_written()
    tries[power](Use(dry_run=True))
    seen = len(would_be_written())
    sight.play_blind(DeskRequest(games, GAME, world.now))
    told = world.written()
    tries[power](Use(dry_run=True))
    assert len(would_be_written()) == len(FACTIONS) < seen
    assert (world.written(), world.table().entries) == (told, entries)
    tries[power](Use())
    assert world.table().entries > entries
    assert told > before
    assert acts(world)[-1][0] == power


def test_in_a_blind_game_a_trial_of_its_release_does_not_play_what_was_ordered_on_hold(world: World) -> None:
    world.silent_game("bidding")
    games, [asked] = world.moderator.open_games, [q for q in world.table().play.questions() if q.kind == "bid"]
    clocks.hold(DeskRequest(games, GAME, world.now))
    world.say(asked.faction, "pass")
    would_be_written()
    seat_lines.release_game(DeskRequest(games, GAME, world.now, Use(dry_run=True)))
    seen = len(would_be_written())
    sight.play_blind(DeskRequest(games, GAME, world.now))
    seat_lines.release_game(DeskRequest(games, GAME, world.now, Use(dry_run=True)))
    assert len(would_be_written()) == len(FACTIONS) < seen
    seat_lines.release_game(DeskRequest(games, GAME, world.now))
    assert asked.faction not in {q.faction for q in world.table().play.questions() if q.kind == "bid"}
