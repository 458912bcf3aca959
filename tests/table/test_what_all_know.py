"""Tests for the public state of a table, as used for press between players, and for the cost of a running time bank."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from bot.press import PressConsents
from bot.table import press
from bot.table.deadlines import measure_overruns, settle_overruns
from bot.table.rounds import is_duty
from bot.table.table import Deadline, Overrun, Place, Table, place_of
from rules.components import FACTIONS, Faction, Forces
from rules.components.board import Area
from tests.moderator.table import World

NOW = datetime(2026, 11, 20, 20, tzinfo=UTC)
MINUTE = timedelta(minutes=1)


@pytest.fixture
def table(tmp_path: Path) -> Table:
    """Return a game in whose bidding a player is asked for a bid."""
    world = World.at(tmp_path)
    world.silent_game("bidding")
    return world.table()


def bidder(table: Table) -> tuple[Faction, Place]:
    """Return the faction asked for a bid, and the place of the question."""
    question = next(question for question in table.play.questions() if is_duty(table, question))
    return question.faction, place_of(table.play, question)


def test_who_is_asked_for_all_to_see_owes_an_answer_and_nobody_else(table: Table) -> None:
    asked, _ = bidder(table)
    assert [faction for faction in FACTIONS if press.owes(table, faction)] == [asked]


@pytest.mark.parametrize(("left", "runs", "late"), [
    (1, False, False), (0, False, False), (-1, False, True), (1, True, True), (None, False, False), (None, True, True),
])  # fmt: skip
def test_an_answer_is_overdue_behind_its_deadline_or_while_the_time_bank_runs(
    table: Table, left: int | None, runs: bool, late: bool
) -> None:
    asked, place = bidder(table)
    table.deadlines.pop(place, None)
    if left is not None:
        due = NOW + left * MINUTE
        table.deadlines[place] = Deadline(due, due, NOW, True)
    if runs:
        table.overruns[place] = Overrun("", "UTC")
    assert [faction for faction in FACTIONS if press.overdue(table, faction, NOW)] == ([asked] if late else [])


def test_near_are_those_with_tokens_in_the_same_territory_or_beside_it(table: Table) -> None:
    forces = table.play.state.forces
    forces.clear()
    forces[Area("arrakeen/10")] = {"atreides": Forces(2), "guild": Forces()}
    forces[Area("imperial-basin/9")] = {"fremen": Forces(0, 1)}
    forces[Area("carthag/11")] = {"harkonnen": Forces(3), "emperor": Forces(1)}
    forces[Area("tueks-sietch/5")] = {"guild": Forces(5), "atreides": Forces(1)}
    near = {faction: press.near(table, faction) for faction in FACTIONS}
    assert near == {
        "atreides": {"fremen", "guild"}, "fremen": {"atreides", "harkonnen", "emperor"}, "guild": {"atreides"},
        "harkonnen": {"fremen", "emperor"}, "emperor": {"fremen", "harkonnen"}, "bene-gesserit": frozenset(),
    }  # fmt: skip


def test_all_agree_once_every_seat_with_a_player_has(table: Table) -> None:
    table.seats["guild"].care = True
    assert press.unmanned(table) == {"guild"}
    players = frozenset(FACTIONS) - {"guild"}
    press.note_said(table, replace(press.said_at(table), false_readers=players - {"fremen"}))
    assert not press.all_agree(table)
    press.note_said(table, replace(press.said_at(table), false_readers=players))
    assert press.all_agree(table)
    assert isinstance(press.said_at(table), PressConsents)


def test_a_player_is_known_by_their_addresses_and_names_that_are_no_faction(table: Table) -> None:
    seat = table.seats["guild"]
    seat.address, seat.name, seat.sitter, seat.sitter_name = "g@one.example", "Guild", "", ""
    assert press.person(table, "guild") == ("g@one.example",)
    seat.name, seat.sitter, seat.sitter_name = "Gus", "s@two.example", "Sam"
    assert press.person(table, "guild") == ("g@one.example", "s@two.example", "Gus", "Sam")


def test_a_bank_is_measured_at_the_answer_and_paid_when_nothing_is_asked_that_ran_on_it(table: Table) -> None:
    one: Place = ("1.bidding.1", ("guild", "bid", "1"))
    other: Place = ("1.bidding.1", ("guild", "bid", "2"))
    end = Deadline(NOW + 90 * MINUTE, NOW + 90 * MINUTE, NOW, True)
    table.deadlines = {one: replace(end, state="answered"), other: end}
    table.overruns = {one: Overrun("", "UTC"), other: Overrun("", "UTC", left=7)}
    assert measure_overruns(table, {}, NOW) == {one: 90, other: -1}
    assert measure_overruns(table, {}, NOW + MINUTE) == {}, "the moment of the answer counts"
    assert settle_overruns(table) == []
    seat = table.seats["guild"]
    seat.bank = 120
    table.touched.clear()
    known, table.deadlines = table.deadlines, {}
    assert measure_overruns(table, known, NOW + 50 * MINUTE) == {other: 40}
    assert settle_overruns(table) == [one, other]
    assert (seat.bank, table.touched) == (40, {"guild"})
    seat.bank = 30
    settle_overruns(table)
    assert seat.bank == 30, "nobody gains by it"
