"""A table's result: provisional, confirmed or withdrawn."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import pytest
from sqlalchemy import update

from bot.store import tournament_rounds, tournaments
from bot.store.database import reading, writing
from bot.store.tables import GAME
from bot.store.tournaments import Paper
from bot.tournament import entries, results
from bot.tournament.desk import By, Caller
from rules.components import as_faction
from tests.tournament.cup import CUP, Cup, cup_at


def test_a_game_that_is_over_gives_its_table_a_provisional_result_and_its_players_are_told(cup: Cup) -> None:
    cup.round()
    cup.tick()
    assert cup.result() is None
    cup.end("cup-1-1", "atreides", "emperor", turn=7)
    before = cup.world.written()
    cup.tick()
    kept = cup.result()
    assert kept is not None
    assert (kept.state, kept.by, kept.outcome.kind, kept.outcome.turn) == ("provisional", "", "stronghold", 7)
    assert kept.outcome.winners == ("atreides", "emperor")
    assert cup.standing().state == "finished"
    assert "Atreides and Emperor, by strongholds, in turn 7" in cup.text(1)
    assert "protest 1.1:" in cup.text(6)
    assert cup.world.written() - before == 6, "nobody of the other table is told"
    cup.tick()
    assert len(cup.versions()) == 1
    assert cup.world.written() - before == 6


def test_a_result_is_confirmed_when_nobody_has_protested(cup: Cup) -> None:
    cup.round()
    cup.end("cup-1-1", "atreides")
    cup.tick()
    cup.tick(71)
    kept = cup.result()
    assert kept is not None
    assert kept.state == "provisional"
    cup.tick(2)
    kept = cup.result()
    assert kept is not None
    assert kept.state == "confirmed"
    assert cup.done() == ["result", "confirm"]


def test_a_tournament_is_finished_once_all_of_its_results_stand(tmp_path: Path) -> None:
    cup = cup_at(tmp_path, 'title = "The Cup"\n[rounds]\nheats = 1\nsemifinal = 0\nfinal = 0\n')
    cup.round()
    cup.end("cup-1-1", "atreides")
    cup.tick()
    cup.tick(24)
    cup.end("cup-1-2", "guild")
    cup.tick()
    with writing(cup.world.engine) as conn:
        tournament_rounds.change_round(conn, CUP, 1, state="closed")
    states = []
    for hours in (60, 24):
        cup.tick(hours)
        with reading(cup.world.engine) as conn:
            stand = [kept.state for kept in tournament_rounds.newest_results(conn, CUP).values()]
            states.append((tournaments.find_tournament(conn, CUP).state, sorted(stand)))
    assert states == [("running", ["confirmed", "provisional"]), ("finished", ["confirmed", "confirmed"])]
    assert "finish" in cup.done()
    assert {cup.entrant(number).state for number in range(1, 13)} == {"out"}
    assert "The first places: E001, E011 and E004. You finished 1st of 12, with 12 points." in cup.text(1)
    assert "The first places: E001, E011 and E004. You finished 7th of 12, with 0 points." in cup.text(2)
    assert cup.letters(13) == [], "who stood by and never played"


def test_no_tournament_finishes_while_a_protest_about_a_confirmed_result_is_open(tmp_path: Path) -> None:
    cup = cup_at(tmp_path, 'title = "The Cup"\n[rounds]\nheats = 1\nsemifinal = 0\nfinal = 0\n')
    cup.round(1, [range(1, 7)])
    cup.end("cup-1-1", "atreides")
    cup.tick()
    cup.tick(73)
    with writing(cup.world.engine) as conn:
        number = tournaments.file_paper(conn, Paper(CUP, 3, "protest", "wrong", cup.now, 1, 1))
        tournament_rounds.change_round(conn, CUP, 1, state="closed")
    cup.tick(1)
    assert "finish" not in cup.done()
    results.dismiss_protest(Caller(cup.open_games, cup.now, By(why="no ground")), CUP, number)
    cup.tick(1)
    assert "finish" in cup.done()


@pytest.mark.parametrize(("how", "kind"), [("prediction", "prediction"), ("fremen", "default"), ("guild", "default")])
def test_the_kind_of_a_win_is_the_games_own(cup: Cup, how: str, kind: str) -> None:
    cup.round()
    cup.end("cup-1-2", "guild", how=how)
    cup.tick()
    kept = cup.result(1, 2)
    assert kept is not None
    assert (kept.outcome.kind, kept.outcome.how) == (kind, how)


def test_a_result_names_who_held_each_seat_and_whether_they_ever_ordered(cup: Cup) -> None:
    cup.round()
    cup.wrote("cup-1-1", "atreides")
    cup.end("cup-1-1", "atreides", turn=5)
    cup.tick()
    kept = cup.result()
    assert kept is not None
    assert (kept.outcome.round, kept.outcome.table) == (1, 1)
    (tenure,) = kept.outcome.seat("atreides").tenures
    assert (tenure.entrant, tenure.first, tenure.last, tenure.ordered) == ("E001", 1, 5, True)
    assert not kept.outcome.seat("guild").tenures[0].ordered


def test_a_rollback_after_the_result_was_provisional_withdraws_it_and_tells_the_table(cup: Cup) -> None:
    cup.round()
    cup.end("cup-1-1", "atreides")
    cup.tick()
    with writing(cup.world.engine) as conn:
        conn.execute(update(GAME).where(GAME.c.id == "cup-1-1").values(status="running"))
    cup.tick()
    assert cup.result() is None
    assert cup.standing().state == "playing"
    assert "Its result is withdrawn" in cup.text(3)
    assert [kept.state for kept in cup.versions()] == ["withdrawn"]
    with writing(cup.world.engine) as conn:
        conn.execute(update(GAME).where(GAME.c.id == "cup-1-1").values(status="over"))
    cup.tick()
    kept = cup.result()
    assert kept is not None
    assert kept.outcome.version == 2


def test_a_protest_holds_up_the_result_of_its_own_table_alone(cup: Cup) -> None:
    cup.round()
    for game in ("cup-1-1", "cup-1-2"):
        cup.end(game, "atreides")
    cup.tick()
    with writing(cup.world.engine) as conn:
        tournaments.file_paper(conn, Paper(CUP, 8, "protest", "No.", cup.now, 1, 2))
    cup.tick(73)
    states = {table: kept.state for table in (1, 2) if (kept := cup.result(1, table))}
    assert states == {1: "confirmed", 2: "provisional"}


def test_who_is_asked_for_a_seat_of_another_table_is_so_still_when_a_game_has_ended(cup: Cup) -> None:
    cup.round()
    with writing(cup.world.engine) as conn:
        for number, table in ((13, 1), (14, 2)):
            tournaments.file_paper(conn, Paper(CUP, number, "substitution", "guild", cup.now, 1, table))
    cup.end("cup-1-1", "atreides")
    cup.tick()
    assert [(paper.entrant, paper.table) for paper in cup.papers("substitution")] == [(14, 2)]


def test_an_order_for_a_seat_that_nobody_holds_is_none_of_the_caretaker(cup: Cup) -> None:
    """The player left in the game's last turn, so the caretaker would have started in the next one."""
    cup.round()
    entries.disqualify(
        Caller(cup.open_games, cup.now, By(why="x")), CUP, cup.entrant(cup.sitting("guild").entrant).handle
    )
    cup.world.now += timedelta(minutes=1)
    cup.wrote("cup-1-1", "guild")
    cup.end("cup-1-1", "atreides", turn=1)
    cup.tick()
    kept = cup.result()
    assert kept is not None
    caretaker = kept.outcome.seat(as_faction("guild")).tenures[-1]
    assert (caretaker.entrant, caretaker.first, caretaker.last, caretaker.ordered) == ("", 2, 2, False)
