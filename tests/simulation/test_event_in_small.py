"""Tests for the event with mishaps: whom it invites, and which faults it reports."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from bot.desk import positions
from bot.lab.players_by_mail import IN_DEMOS, PROGRAMS
from bot.lab.tournaments import _Event


@pytest.fixture
def event(tmp_path: Path) -> _Event:
    return _Event(tmp_path, 200, "arrakis", 2, lambda said: None)


def test_of_two_hundred_some_are_late_unsure_absent_leave_or_refuse(event: _Event) -> None:
    counted = {kind: len(event._of(kind)) for kind in (
        "late", "unsure", "absent", "leaver", "player", "helper", "refuser",
    )}  # fmt: skip
    assert counted == {
        "late": 6, "unsure": 4, "absent": 12, "leaver": 15, "player": 173, "helper": 20, "refuser": 10,
    }  # fmt: skip
    assert len(event.guests) == 242 + 1, "and the director"
    first = event.guests["late1@players.example"]
    assert (first.name, first.address) == ("Late 1", "late1@players.example")
    assert {guest.habits.confirms for guest in event._of("unsure")} == {False}
    assert {guest.habits.silent for guest in event._of("absent")} == {True}
    assert {guest.habits.leaves_after for guest in event._of("leaver")} == {12}
    assert {guest.habits.accepts for guest in event._of("refuser")} == {False}
    assert {guest.habits for guest in event._of("late", "player", "helper")} == {IN_DEMOS}
    assert {guest.program for guest in event.guests.values()} == set(PROGRAMS)


def test_of_twelve_the_same_shares(tmp_path: Path) -> None:
    event = _Event(tmp_path, 12, "arrakis", 2, lambda said: None)
    kinds = ("late", "unsure", "absent", "leaver", "player", "helper", "refuser")
    assert [len(event._of(kind)) for kind in kinds] == [0, 0, 1, 1, 10, 2, 1]


def test_whoever_meets_somebody_twice_or_sits_at_two_small_tables_is_noticed(event: _Event) -> None:
    event._check_draw([["a", "b", "c"], ["d", "e", "f"]])
    assert event.wrong == []
    event._check_draw([["a", "b", "c"], ["b", "a", "f"]])
    assert event.wrong == ["somebody meets somebody twice in the heats"]
    event.wrong.clear()
    event._check_draw([["a", "b", "c", "d", "e"], ["a", "f", "g", "h", "i"]])
    assert event.wrong == ["somebody sits at two tables of five"]
    event.wrong.clear()
    event.players = 59
    event._check_draw([["a", "b"], ["b", "a"]])
    assert event.wrong == [], "so few cannot but meet again"


def test_letters_are_looked_at_for_doubles_and_others_addresses(event: _Event) -> None:
    own, other = "late1@players.example", "late2@players.example"
    event._look(own, [f"Message-ID: <1@x>\nTo: {own}\n\nHello {own}.".encode()])
    assert event.wrong == []
    event._look(own, [f"To: {other}\nmessage-id: <1@x>\n\nHello.".encode(), f"X: y\n\nTo {other}.".encode()])
    assert event.wrong == [f"a letter to {own} holds another's address"]
    assert [event.letters[own][name] for name in ("Message-ID: <1@x>", "message-id: <1@x>", "")] == [1, 1, 1]
    event._look("director@players.example", [f"Message-ID: <2@x>\n\n{other}".encode()])
    assert len(event.wrong) == 1, "who directs may read them"
    event._expect(True, "all is well")
    event._expect(False, "it is not")
    assert event.wrong[1:] == ["it is not"]


@pytest.mark.parametrize(("entries", "kept"), [(9, 4), (5, 0), (3, 0)])
def test_all_players_agree_to_the_game_that_is_taken_back(
    event: _Event, monkeypatch: pytest.MonkeyPatch, entries: int, kept: int
) -> None:
    called: list[tuple[Any, ...]] = []
    table = SimpleNamespace(entries=entries, seats={"guild": 1, "fremen": 2})
    games: Any = SimpleNamespace(table=lambda conn, game: table, forget=lambda game: None)
    going = [SimpleNamespace(table=SimpleNamespace(game_id=name)) for name in ("first", "last")]
    monkeypatch.setattr(event, "open_games", games)
    monkeypatch.setattr(event, "going", lambda: going)
    monkeypatch.setattr(positions, "roll_back", lambda *args: called.append(args))
    assert event._taken_back()
    (call,) = called
    assert (call[0].game, *call[1:]) == ("last", kept, ("guild", "fremen"))
    assert event.counted["rollbacks"] == 1
