"""Observers receive only the public summary of each turn and can unsubscribe by mail."""

from __future__ import annotations

from pathlib import Path
from typing import Any
from urllib.parse import unquote

import pytest

from bot.desk import clocks, sight
from bot.desk.powers import DeskRequest
from bot.games import observers
from bot.games.open_games import Session
from bot.mail.identity import plus_address
from bot.store.database import writing
from bot.table.table import Table
from rules.components import Faction
from tests.moderator.returned import bounce_of
from tests.moderator.table import ADDRESS, CONFIG, GAME, GAME_MASTER, World, address_of

FEW: tuple[Faction, ...] = ("atreides", "guild", "harkonnen")
ANN = "ann@elsewhere.example"


@pytest.fixture
def watched(world: World) -> World:
    world.new_game(factions=FEW)
    sight.add_observer(DeskRequest(world.moderator.open_games, GAME, world.now), ANN)
    return world


def unsubscribing(world: World, text: str = "", sender: str = ANN) -> bytes:
    """Return the mail that a mail program sends when the observer clicks “unsubscribe” on the newest letter."""
    field = str(world.newest(ANN).message["List-Unsubscribe"]).strip("<>")
    to, _, subject = field.removeprefix("mailto:").partition("?subject=")
    return f"From: {sender}\r\nTo: {to}\r\nSubject: {unquote(subject)}\r\n\r\n{text}\r\n".encode()


def test_an_observer_gets_the_summary_of_each_turn_that_players_get_and_nothing_else(watched: World) -> None:
    watched.silence_until("storm", turn=3)
    got = watched.letters(ANN)
    rounds = [letter for letter in watched.letters("guild") if f"{GAME}: turn " in letter.text]
    assert len(got) == 1 + len(rounds) == 3
    for mine, theirs in zip(got[1:], rounds, strict=True):
        title, board = mine.text.split("===")[0].splitlines()[-1], "\nTHE BOARD as it is now"
        assert title in theirs.text
        assert mine.text.partition(board)[2].partition("\nTHE TABLE")[0] in theirs.text
    assert watched.moderator.timekeeper.tick(watched.now) == 0
    assert len(watched.letters(ANN)) == 3


def test_a_game_whose_summary_cannot_be_written_stops_no_other(watched: World, monkeypatch: pytest.MonkeyPatch) -> None:
    watched.new_game(factions=FEW, game="sietch-13")
    bob = "bob@elsewhere.example"
    sight.add_observer(DeskRequest(watched.moderator.open_games, "sietch-13", watched.now), bob)
    written = observers._summary

    def broken(session: Session, table: Table, *rest: Any) -> Any:
        if table.id == GAME:
            raise ZeroDivisionError("spice")
        return written(session, table, *rest)

    monkeypatch.setattr(observers, "_summary", broken)
    while watched.table("sietch-13").play.state.turn < 3:
        watched.wait(24)
    assert len(watched.letters(bob)) == 3
    assert len(watched.letters(ANN)) == 1
    assert GAME in watched.newest(GAME_MASTER).subject


def test_their_letters_hold_no_token_of_a_seat_and_are_one_thread(watched: World) -> None:
    watched.silence_until("storm", turn=3)
    tokens = [watched.token(faction) for faction in FEW]
    got = watched.letters(ANN)
    for letter in got:
        assert not any(token in letter.message.as_string() for token in tokens)
    first = got[0].message["Message-ID"]
    assert all(letter.message["References"].split()[0] == first for letter in got[1:])
    assert got[2].message["In-Reply-To"] == got[1].message["Message-ID"]
    assert len({letter.message["Message-ID"] for letter in got}) == 3


def test_a_mail_to_the_unsubscribing_address_ends_it_whatever_it_says_and_whoever_sends_it(watched: World) -> None:
    before = len(watched.letters())
    verdict = watched.moderator.deliver(
        unsubscribing(watched, "pass all", sender="other@elsewhere.example"), watched.now
    )
    assert (verdict.disposition, verdict.taken, verdict.shunt) == ("unsubscribe", 0, False)
    assert len(watched.letters()) == before
    watched.silence_until("storm", turn=2)
    assert len(watched.letters(ANN)) == 1
    again = watched.moderator.deliver(unsubscribing(watched, "again"), watched.now)
    assert (again.disposition, again.reason) == ("unsubscribe", "the letters had already ended")


def test_without_plus_addressing_the_subject_says_who_leaves(tmp_path: Path) -> None:
    world = World.at(tmp_path, CONFIG.replace("database =", "plus_addressing = false\ndatabase ="))
    world.new_game(factions=FEW)
    sight.add_observer(DeskRequest(world.moderator.open_games, GAME, world.now), ANN)
    assert f"To: {ADDRESS}\r\n".encode() in unsubscribing(world)
    assert world.moderator.deliver(unsubscribing(world), world.now).disposition == "unsubscribe"
    world.silence_until("storm", turn=2)
    assert len(world.letters(ANN)) == 1


def test_the_letters_of_players_have_no_unsubscribing(watched: World) -> None:
    watched.silence_until("storm", turn=2)
    assert all(letter.message["List-Unsubscribe"] is None for letter in watched.letters("guild"))
    assert all(letter.message["List-Unsubscribe"] for letter in watched.letters(ANN))
    assert all(letter.message["List-Unsubscribe-Post"] is None for letter in watched.letters())


def test_an_observers_token_opens_no_seat(watched: World) -> None:
    field = watched.newest(ANN).envelope_from
    token = field.partition("+b-")[2].partition("@")[0]
    raw = watched.mail("guild", "status", to=plus_address(ADDRESS, token), sender=ANN)
    assert watched.moderator.deliver(raw, watched.now).disposition == "rejected"


def test_an_observer_whose_mail_comes_back_is_struck_out_and_the_game_master_told(watched: World) -> None:
    watched.moderator.deliver(bounce_of(watched.newest(ANN), "4.2.2"), watched.now)
    assert not watched.letters(GAME_MASTER)
    watched.moderator.deliver(bounce_of(watched.newest(ANN)), watched.now)
    assert "an observer cannot be reached" in watched.newest(GAME_MASTER).subject
    watched.silence_until("storm", turn=2)
    assert len(watched.letters(ANN)) == 1


def test_who_plays_or_observes_already_or_comes_too_late_is_refused(watched: World) -> None:
    open_games = watched.moderator.open_games
    with pytest.raises(observers.ObserverRefused, match="plays in"):
        sight.add_observer(DeskRequest(open_games, GAME, watched.now), address_of("guild"))
    with pytest.raises(observers.ObserverRefused, match="already"):
        sight.add_observer(DeskRequest(open_games, GAME, watched.now), ANN.upper())
    sight.remove_observer(DeskRequest(open_games, GAME, watched.now), ANN)
    with pytest.raises(observers.ObserverRefused, match="does not observe"):
        sight.remove_observer(DeskRequest(open_games, GAME, watched.now), ANN)
    sight.add_observer(DeskRequest(open_games, GAME, watched.now), ANN)
    clocks.end_game(DeskRequest(open_games, GAME, watched.now), "void", ())
    with pytest.raises(observers.ObserverRefused, match=f"{GAME} is over; `mentat game log {GAME}` shows"):
        sight.add_observer(DeskRequest(open_games, GAME, watched.now), "bob@elsewhere.example")


def test_of_two_observers_the_one_who_leaves_is_gone_and_a_stranger_cannot_leave(watched: World) -> None:
    bob = "bob@elsewhere.example"
    sight.add_observer(DeskRequest(watched.moderator.open_games, GAME, watched.now), bob)
    with pytest.raises(observers.ObserverRefused):
        sight.remove_observer(DeskRequest(watched.moderator.open_games, GAME, watched.now), "cecil@elsewhere.example")
    sight.remove_observer(DeskRequest(watched.moderator.open_games, GAME, watched.now), bob.upper())
    watched.silence_until("storm", turn=2)
    assert len(watched.letters(bob)) == 1
    assert len(watched.letters(ANN)) == 2


def test_who_may_not_play_in_a_tournament_observes_other_games_still(watched: World) -> None:
    with writing(watched.engine) as conn:
        assert observers.strike_out_banned(conn, ANN, "cup") == 0
        assert observers.strike_out_banned(conn, "bob@elsewhere.example", "") == 0
        assert observers.strike_out_banned(conn, ANN, "") == 1
        assert observers.strike_out_banned(conn, ANN, "") == 0
