"""Delayed observers get each letter unchanged, after the full delay, and none from a turn that was rolled back."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from bot.desk import clocks, people, positions, seats, sight
from bot.desk.new_game import NewGame, new_game
from bot.desk.powers import DeskRequest, PowerRefused, Use
from bot.games import observers
from bot.press import read_press
from bot.store import acts, press
from bot.store import press as store
from bot.store.database import reading
from bot.store.games import Sealed
from rules.components import Faction
from tests.moderator.table import GAME, World, address_of

FEW: tuple[Faction, ...] = ("atreides", "guild", "harkonnen")
ANN, BOB, CLEO = "ann@elsewhere.example", "bob@elsewhere.example", "cleo@elsewhere.example"


@pytest.fixture
def watched(world: World) -> World:
    """Start a game with three observers: Ann without delay, Bob a turn late, Cleo in full and two turns late."""
    world.new_game(factions=FEW)
    games = world.moderator.open_games
    sight.add_observer(DeskRequest(games, GAME, world.now), ANN)
    sight.add_observer(DeskRequest(games, GAME, world.now), BOB, delay=1)
    sight.add_full_observer(DeskRequest(games, GAME, world.now, Use()), CLEO, 2, FEW)
    return world


def test_late_observers_get_each_letter_as_it_was_then_and_no_turn_earlier_and_one_what_was_hidden(
    watched: World,
) -> None:
    for turn in (2, 3, 4):
        watched.silence_until("storm", turn=turn)
        at_once, late, full = (watched.letters(address)[1:] for address in (ANN, BOB, CLEO))
        assert len(at_once) == turn - 1
        assert [each.text for each in late] == [each.text for each in at_once[: turn - 2]]
        assert [each.subject for each in full] == [each.subject for each in at_once[: turn - 3]]
    assert watched.moderator.timekeeper.tick(watched.now) == 0
    assert len(watched.letters(CLEO)) == 2
    shown = watched.newest(CLEO).text.lower()
    assert all(f"behind the shield of {faction}" in shown for faction in ("atreides", "guild", "harkonnen"))
    assert "pay" not in shown.partition("behind the shield")[2]  # traitors are never harmless
    for address in (ANN, BOB, *(address_of(faction) for faction in FEW)):
        assert not any("behind the shield" in letter.text.lower() for letter in watched.letters(address))


def test_who_plays_is_told_that_somebody_reads_in_full_and_not_who_and_is_told_of_no_other(world: World) -> None:
    world.new_game(factions=FEW)
    games, before = world.moderator.open_games, world.written()
    sight.add_observer(DeskRequest(games, GAME, world.now), BOB, delay=1)
    assert [letter.recipient for letter in world.letters(after=before)] == [BOB]
    with reading(world.engine) as conn:
        assert acts.acts_of(conn, game_id=GAME)[-1].words == f"{BOB}, 1 turn late"
    before = world.written()
    sight.add_full_observer(DeskRequest(games, GAME, world.now, Use(tell="For the archive.")), CLEO, 3, FEW)
    told = [letter for letter in world.letters(after=before) if letter.recipient != CLEO]
    assert {letter.recipient for letter in told} == {address_of(faction) for faction in FEW}
    assert all("3 turns" in letter.text and "For the archive." in letter.text for letter in told)
    assert not any("cleo" in str(letter.message).lower() for letter in told)


def without_head(text: str) -> str:
    """Strip the hash of the game's record, which also covers the sealed entry about a full observer."""
    return re.sub(r"\b[0-9a-f]{8,64}\b", "", text)


def test_players_get_the_same_letters_at_the_same_moments_whoever_reads_late(tmp_path: Path) -> None:
    def played(folder: str, *, late: bool) -> list[tuple[str, str, str]]:
        (tmp_path / folder).mkdir()
        world = World.at(tmp_path / folder)
        world.new_game(factions=FEW)
        if late:
            sight.add_observer(DeskRequest(world.moderator.open_games, GAME, world.now), BOB, delay=1)
        world.silence_until("storm", turn=3)
        found = [(each.recipient, without_head(each.text), str(each.message["Date"])) for each in world.letters()]
        world.engine.dispose()
        return [each for each in found if each[0] != BOB]

    assert played("alone", late=False) == played("watched", late=True)


def test_at_the_end_of_the_game_what_is_withheld_goes_out_in_order(watched: World) -> None:
    watched.silence_until("storm", turn=3)
    clocks.end_game(DeskRequest(watched.moderator.open_games, GAME, watched.now), "void", ())
    watched.moderator.timekeeper.tick(watched.now)
    at_once, late, full = (watched.letters(address)[1:] for address in (ANN, BOB, CLEO))
    assert len(at_once) == 3
    assert [each.text for each in late] == [each.text for each in at_once]
    assert [each.subject for each in full] == [each.subject for each in at_once]
    assert watched.moderator.timekeeper.tick(watched.now) == 0
    assert len(watched.letters(BOB)) == 4


def test_what_was_withheld_of_a_stretch_that_is_taken_back_is_never_sent(watched: World) -> None:
    watched.silence_until("storm", turn=2)
    before = watched.table().play.state.events
    entries = watched.table().entries
    watched.silence_until("storm", turn=3)
    dropped = watched.letters(ANN)[2].text
    positions.roll_back(DeskRequest(watched.moderator.open_games, GAME, watched.now), entries)
    assert watched.table().play.state.events == before
    assert "rolled back" in watched.letters(ANN)[3].subject  # Ann had read about it
    assert len(watched.letters(BOB)) == 2
    watched.silence_until("storm", turn=4)
    summaries = [each.text for each in watched.letters(ANN)[1:] if "rolled back" not in each.subject]
    assert len(summaries) == 4
    assert [each.text for each in watched.letters(BOB)[1:]] == [summaries[0], summaries[2]]
    assert summaries[1] == dropped


def test_who_has_read_what_is_taken_back_is_told_when_it_is_played_again(watched: World) -> None:
    watched.silence_until("storm", turn=2)
    entries = watched.table().entries
    watched.silence_until("storm", turn=4)
    assert len(watched.letters(BOB)) == 3
    positions.roll_back(DeskRequest(watched.moderator.open_games, GAME, watched.now), entries)
    assert len(watched.letters(BOB)) == 3
    watched.silence_until("storm", turn=4)
    assert ["rolled back" in each.subject for each in watched.letters(BOB)] == [False, False, False, True, False]


def test_a_kill_before_what_is_due_is_written_down_loses_and_repeats_nothing(
    watched: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    watched.silence_until("storm", turn=2)
    taken = press.take_withheld_letters

    def killed(*rest: object) -> object:
        taken(*rest)  # type: ignore[arg-type]
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(press, "take_withheld_letters", killed)
        with pytest.raises(KeyboardInterrupt):
            watched.wait_until("storm", turn=3)
    again = watched.another_process()
    again.moderator.timekeeper.tick(watched.now)
    again.moderator.timekeeper.tick(watched.now)
    assert len(again.letters(BOB)) == 2
    assert len(again.letters(ANN)) == 3


def test_who_leaves_is_banned_or_put_off_gets_nothing_of_what_was_withheld(watched: World) -> None:
    watched.silence_until("storm", turn=2)
    sight.remove_observer(DeskRequest(watched.moderator.open_games, GAME, watched.now), BOB)
    people.ban(DeskRequest(watched.moderator.open_games, "", watched.now), CLEO)
    before = len(watched.letters(CLEO))
    with reading(watched.engine) as conn:
        assert not conn.exec_driver_sql("select count(*) from withheld").scalar_one()
    watched.silence_until("storm", turn=4)
    assert (len(watched.letters(BOB)), len(watched.letters(CLEO))) == (1, before)
    with pytest.raises(observers.ObserverRefused, match="banned"):
        sight.add_observer(DeskRequest(watched.moderator.open_games, GAME, watched.now), CLEO)


def test_a_full_observer_is_no_player_under_any_address_and_takes_no_seat(watched: World) -> None:
    games = watched.moderator.open_games
    mine = address_of("guild").replace("@", "+dune@")
    for refused in (address_of("guild"), mine, mine.upper()):
        with pytest.raises(observers.ObserverRefused, match="plays in"):
            sight.add_full_observer(DeskRequest(games, GAME, watched.now, Use()), refused, 2, FEW)
    sight.remove_observer(DeskRequest(games, GAME, watched.now), CLEO)
    for taken in (CLEO, CLEO.replace("@", "+x@")):
        with pytest.raises(PowerRefused, match="has read secrets"):
            seats.replace_player(DeskRequest(games, GAME, watched.now), "guild", taken)


def test_a_full_observer_needs_a_delay_that_makes_it_harmless_and_all_seats(world: World) -> None:
    world.new_game(factions=FEW)
    games, before = world.moderator.open_games, world.written()
    with pytest.raises(PowerRefused, match="2 to 20 turns late"):
        sight.add_full_observer(DeskRequest(games, GAME, world.now, Use()), CLEO, 1, FEW)
    with pytest.raises(PowerRefused, match="Ask Harkonnen first"):
        sight.add_full_observer(DeskRequest(games, GAME, world.now, Use()), CLEO, 2, FEW[:2])
    with pytest.raises(PowerRefused, match="is not a possible delay"):
        sight.add_observer(DeskRequest(games, GAME, world.now), BOB, delay=-1)
    sight.add_full_observer(DeskRequest(games, GAME, world.now, Use(dry_run=True)), CLEO, 2, FEW)
    assert world.written() == before


def test_what_is_put_back_after_it_was_taken_back_is_read_late_as_well(watched: World) -> None:
    watched.silence_until("storm", turn=2)
    entries = watched.table().entries
    watched.silence_until("storm", turn=3)
    positions.roll_back(DeskRequest(watched.moderator.open_games, GAME, watched.now), entries)
    positions.undo_rollback(DeskRequest(watched.moderator.open_games, GAME, watched.now))
    watched.silence_until("storm", turn=4)
    at_once = [each.text for each in watched.letters(ANN)[1:] if "rolled back" not in each.subject]
    assert [each.subject for each in watched.letters(BOB)[1:]] == [each.subject for each in watched.letters(ANN)[1:3]]
    assert [each.text for each in watched.letters(BOB)[1:]] == [at_once[0], at_once[2]]


def test_what_players_write_to_all_is_read_late_and_none_of_a_stretch_that_is_taken_back(world: World) -> None:
    games, seats = world.moderator.open_games, {faction: address_of(faction) for faction in FEW}
    dots = dict(zip(FEW, (1, 6, 11), strict=True))
    new_game(games, NewGame(GAME, "ah-basic", seats, dots, "s", press=read_press("open,observers=white")), world.now)
    sight.add_observer(DeskRequest(games, GAME, world.now), BOB, delay=1)
    world.say("guild", "press to all: first words")
    world.silence_until("storm", turn=2)
    entries = world.table().entries
    world.silence_until("bidding", turn=2)
    world.say("guild", "press to all: second words")
    assert len(world.letters(BOB)) == 1
    positions.roll_back(DeskRequest(games, GAME, world.now), entries)
    world.silence_until("storm", turn=4)
    assert ["first words" in each.text for each in world.letters(BOB)[1:]] == [True, False, False]
    assert not any("second words" in each.text for each in world.letters(BOB))


def test_once_a_game_is_played_blind_who_reads_in_full_gets_what_is_public(watched: World) -> None:
    sight.play_blind(DeskRequest(watched.moderator.open_games, GAME, watched.now))
    watched.silence_until("storm", turn=4)
    [got] = watched.letters(CLEO)[1:]
    assert got.text == watched.letters(ANN)[1].text
    with pytest.raises(Sealed):
        sight.add_full_observer(
            DeskRequest(watched.moderator.open_games, GAME, watched.now, Use()), "dan@x.example", 2, FEW
        )


def test_who_takes_a_seat_after_all_observes_no_longer(watched: World) -> None:
    watched.silence_until("storm", turn=2)
    seats.replace_player(DeskRequest(watched.moderator.open_games, GAME, watched.now), "guild", BOB)
    watched.silence_until("storm", turn=3)
    with reading(watched.engine) as conn:
        assert [each.address for each in store.observers_of_game(conn, GAME)] == [ANN, CLEO]


def test_who_has_read_nothing_of_what_is_taken_back_is_told_nothing(watched: World) -> None:
    watched.silence_until("storm", turn=2)
    entries = watched.table().entries
    watched.silence_until("bidding", turn=2)
    before = {address: len(watched.letters(address)) for address in (ANN, BOB, CLEO)}
    assert before[ANN] == 2, "of the first turn, which stays as it was"
    positions.roll_back(DeskRequest(watched.moderator.open_games, GAME, watched.now), entries)
    assert {address: len(watched.letters(address)) for address in (ANN, BOB, CLEO)} == before
