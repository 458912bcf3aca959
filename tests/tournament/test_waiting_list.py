"""Waiting lists of full tournaments: who is invited to a free place, until when, and who gets it."""

from __future__ import annotations

from pathlib import Path

from bot.store import tournaments
from bot.store.database import reading, writing
from bot.tournament import entrant_lines, entries, mail_lines, preparation
from bot.tournament.desk import By, Caller, acting
from bot.tournament.entrant_lines import LineAnswer
from tests.tournament.cup import CUP, ONE_HEAT, Entered

FULL = f"people.most = 6\npeople.invite_hours = 72\n{ONE_HEAT}"
BY = By(why="a reason")


def full(folder: Path, waiting: int = 2) -> Entered:
    """Set up an event with six entrants and others waiting for a place."""
    cup = Entered.at(folder, 6, FULL)
    cup.enter(waiting, "standby")
    with writing(cup.world.engine) as conn:
        for number in range(7, 7 + waiting):
            tournaments.change_entrant(conn, CUP, number, standby=False)
    return cup


def says(cup: Entered, number: int, line: str) -> LineAnswer:
    with acting(Caller(cup.open_games, cup.world.now), CUP) as (session, tournament):
        entrant = tournaments.find_entrant(session.conn, CUP, tournaments.handle(number))
        assert entrant is not None
        return entrant_lines.carry_out_line(session, tournament, entrant, mail_lines.read_line(line))


def withdraw(cup: Entered, number: int) -> None:
    with acting(Caller(cup.open_games, cup.world.now), CUP) as (session, tournament):
        entrant = tournaments.find_entrant(session.conn, CUP, tournaments.handle(number))
        assert entrant is not None
        entries.withdraw_entrant(session, tournament, entrant, By())


def states(cup: Entered, *numbers: int) -> list[str]:
    return [cup.states()[tournaments.handle(number)] for number in numbers]


def test_the_place_of_who_is_disqualified_goes_to_the_next(tmp_path: Path) -> None:
    cup = full(tmp_path)
    entries.disqualify(Caller(cup.open_games, cup.world.now, BY), CUP, "E003")
    assert states(cup, 3, 7, 8) == ["disqualified", "invited", "standby"]


def test_where_the_settings_make_room_for_more_the_next_are_invited(tmp_path: Path) -> None:
    cup = full(tmp_path, waiting=3)
    preparation.amend_settings(Caller(cup.open_games, cup.world.now, BY), CUP, FULL.replace("most = 6", "most = 8"))
    assert states(cup, 7, 8, 9) == ["invited", "invited", "standby"]


def test_who_answers_when_the_invitation_is_over_has_the_place_as_long_as_nobody_else_does(tmp_path: Path) -> None:
    cup = full(tmp_path, waiting=1)
    withdraw(cup, 3)
    cup.tick(73)
    assert states(cup, 7) == ["standby"]
    assert says(cup, 7, "accept") == LineAnswer("done", "You are in The Cup. Next comes the draw.")
    assert states(cup, 7) == ["confirmed"]


def test_an_invitation_ends_with_the_draw(tmp_path: Path) -> None:
    cup = full(tmp_path)
    withdraw(cup, 3)
    assert states(cup, 7, 8) == ["invited", "standby"]
    assert len(cup.draw().record.roster) == 5
    assert states(cup, 7, 8) == ["standby", "standby"]
    with reading(cup.world.engine) as conn:
        assert tournaments.papers_of(conn, CUP, "invitation") == []
    gone = "Your invitation had expired, and the place went to the next in line. You are still number 1 on the waiting"
    gone += " list."
    assert says(cup, 7, "accept") == LineAnswer("done", gone)
    assert states(cup, 7) == ["standby"]


def test_who_only_stands_by_is_not_invited(tmp_path: Path) -> None:
    cup = full(tmp_path, waiting=1)
    with writing(cup.world.engine) as conn:
        tournaments.change_entrant(conn, CUP, 7, standby=True)
    withdraw(cup, 3)
    assert states(cup, 7) == ["standby"]
    cup.enter(1, "standby")
    with writing(cup.world.engine) as conn:
        tournaments.change_entrant(conn, CUP, 8, standby=False)
    withdraw(cup, 4)
    assert states(cup, 7, 8) == ["standby", "invited"]
