"""From the first draw to the final: in every format, each round is drawn from the standings so far."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from bot.competition.published import encode_published, with_sums
from bot.competition.seating import draw_again
from bot.competition.verification import seating_wishes, verify
from bot.store import tournament_rounds
from bot.store.acts import GrantedRight
from bot.store.database import reading, writing
from bot.store.publication import published_tournament
from bot.tournament import beacons, desk, progress, results
from bot.tournament import rounds as dates
from bot.tournament.desk import DIRECTOR, By, Caller, Refused
from tests.tournament.cup import CUP, Entered, end_game

SETTINGS = 'title = "The Cup"\nformat = "{format}"\n[rounds]\n{rounds}\n[endings]\nprotest_hours = 0\n'


def opened(folder: Path, players: int, format_: str, wanted: str) -> Entered:
    return Entered.at(folder, players, SETTINGS.format(format=format_, rounds=wanted))


def play(cup: Entered, **asked: Any) -> dict[str, bool]:
    """Draw and play the next rounds; the lowest dot wins each table. Map each handle to True if that entrant won."""
    drawn = cup.draw(**asked)
    assert not drawn.already
    cup.start()
    won: dict[str, bool] = {}
    for table in drawn.record.tables:
        sitting = [s for s in cup.seats() if (s.round, s.table) == (table.round, table.table)]
        lowest = min(sitting, key=lambda seat: seat.dot)
        end_game(cup.world, f"cup-r{table.round}-t{table.table:02d}", lowest.faction)
        won |= {f"E{seat.entrant:03d}": seat == lowest for seat in sitting}
    cup.tick(1)
    cup.tick(1)
    for number in drawn.rounds:
        dates.close_round(Caller(cup.open_games, cup.world.now, DIRECTOR), CUP, number)
    return won


def kinds(cup: Entered) -> list[str]:
    return [each.kind for each in cup.rounds()]


def standings(cup: Entered) -> list[str]:
    with reading(cup.world.engine) as conn:
        return [row.entrant for row in progress.current_standings(conn, cup.cup)]


def test_the_best_of_the_heats_play_the_final(tmp_path: Path) -> None:
    cup = opened(tmp_path, 12, "heats", "heats = 2\nsemifinal = 0\nfinal = 6")
    play(cup)
    best = standings(cup)[:6]
    record = cup.draw().record
    assert (record.kind, record.rounds, set(record.roster)) == ("final", (3,), set(best))
    assert record.ranked == tuple(best)
    assert [table.round for table in record.history] == [1, 1, 2, 2]
    assert kinds(cup) == ["heat", "heat", "final"]
    assert cup.cup.state == "running"


def test_who_sat_out_is_the_last_to_do_so_again_and_the_next_draw_says_who_did(tmp_path: Path) -> None:
    cup = opened(tmp_path, 13, "heats", "heats = 2\nparallel = false\nsemifinal = 0\nfinal = 6")
    play(cup, sit_out=("E003",))
    with pytest.raises(Refused, match="E003 sat out before"):
        cup.draw(sit_out=("E003",))
    again = cup.draw(sit_out=("E003",), sit_out_again=True, dry_run=True).record
    assert (again.sat_out, again.byes) == (("E003",), ())
    record = cup.draw(sit_out=("E005",)).record
    assert (record.sat_out, record.byes) == (("E005",), ("E003",))
    assert draw_again(record, seating_wishes(cup.cup.settings)) == record
    with reading(cup.world.engine) as conn:
        document = published_tournament(conn, CUP, cup.world.now)
    assert verify(encode_published(document)).difference == ""
    forged = [replace(one, draw=replace(one.draw, byes=())) if one.draw else one for one in document.rounds]
    assert "sat out before" in verify(encode_published(with_sums(replace(document, rounds=tuple(forged))))).difference


def test_the_final_is_filled_from_the_standings_where_a_finalist_withdraws(tmp_path: Path) -> None:
    from bot.store import tournaments

    cup = opened(tmp_path, 12, "heats", "heats = 1\nsemifinal = 0\nfinal = 6")
    play(cup)
    order = standings(cup)
    with writing(cup.world.engine) as conn:
        tournaments.change_entrant(conn, CUP, int(order[0][1:]), state="withdrawn")
    assert set(cup.draw().record.roster) == set(order[1:7])


def test_a_semifinal_comes_before_the_final_where_more_have_played(tmp_path: Path) -> None:
    cup = opened(tmp_path, 18, "heats", "heats = 1\nsemifinal = 12\nfinal = 6")
    play(cup)
    assert set(play(cup)) == set(standings_after(cup, 1)[:12])
    assert kinds(cup) == ["heat", "semifinal"]
    assert cup.draw().record.kind == "final"


def test_no_final_is_drawn_while_a_table_is_played_again(tmp_path: Path) -> None:
    cup = opened(tmp_path, 12, "heats", "heats = 1\nsemifinal = 0\nfinal = 6")
    play(cup)
    results.void_table(Caller(cup.open_games, cup.world.now, By(why="wrong board")), CUP, "1.1", replay=True)
    cup.tick(1)
    for _ in ("planned", "playing"):
        with pytest.raises(Refused, match=r"would be drawn without a result for 1\.3\."):
            cup.draw()
        cup.start()
    assert cup.draw(provisional=True).provisional == ("1.3",)


def standings_after(cup: Entered, number: int) -> list[str]:
    with reading(cup.world.engine) as conn:
        return [row.entrant for row in progress.current_standings(conn, cup.cup, number)]


def test_heats_one_after_the_other_know_who_has_met(tmp_path: Path) -> None:
    cup = opened(tmp_path, 36, "heats", "heats = 2\nparallel = false\nsemifinal = 0\nfinal = 6")
    play(cup)
    record = cup.draw().record
    assert (record.rounds, record.cost.meetings, len(record.history)) == ((2,), 0, 6)


def test_swiss_rounds_seat_neighbours_of_the_standings(tmp_path: Path) -> None:
    cup = opened(tmp_path, 12, "swiss", "swiss = 2")
    play(cup)
    order = standings(cup)
    record = cup.draw().record
    assert (record.kind, record.rounds, record.ranked) == ("swiss", (2,), tuple(order))
    cup.start()
    with pytest.raises(Refused, match="before round 2 of cup is closed"):
        cup.draw(number=3)


def test_the_winners_of_a_knockout_go_on_and_the_best_others_fill_their_table(tmp_path: Path) -> None:
    cup = opened(tmp_path, 12, "knockout", "")
    won = play(cup)
    record = cup.draw().record
    assert record.kind == "final"
    assert {handle for handle, winner in won.items() if winner} <= set(record.roster)
    assert len(record.roster) == 6


def test_nothing_is_drawn_before_the_round_before_is_closed(tmp_path: Path) -> None:
    cup = opened(tmp_path, 12, "heats", "heats = 1\nsemifinal = 0\nfinal = 6")
    cup.draw()
    cup.start()
    with pytest.raises(Refused, match="before round 1 of cup is closed"):
        cup.draw(number=2)
    with pytest.raises(Refused, match="before round 1 of cup is closed"):
        cup.draw()


def test_a_tournament_whose_rounds_are_all_played_has_none_left_to_draw(tmp_path: Path) -> None:
    cup = opened(tmp_path, 6, "heats", "heats = 1\nsemifinal = 0\nfinal = 0")
    play(cup)
    with pytest.raises(Refused, match=r"no round left|is finished"):
        cup.draw()


def test_a_table_that_is_played_again_starts_without_the_others(tmp_path: Path) -> None:
    cup = opened(tmp_path, 6, "heats", "heats = 1\nsemifinal = 0\nfinal = 0")
    cup.draw()
    cup.start()
    with writing(cup.world.engine) as conn:
        tournament_rounds.change_table(conn, CUP, 1, 1, state="void")
        again = tournament_rounds.RoundTable(CUP, 1, 2, 6)
        seats = [
            tournament_rounds.Tenure(CUP, 1, 2, seat.dot, seat.entrant, faction=seat.faction) for seat in cup.seats()
        ]
        tournament_rounds.add_tables(conn, [again], seats)
    assert cup.start().now == (("1.2", "cup-r1-t02"),)


# --- as they come ----------------------------------------------------------------------------------------------------


def test_with_a_load_the_next_tables_are_drawn_and_begun_by_themselves_for_who_is_free(tmp_path: Path) -> None:
    cup = opened(tmp_path, 36, "heats", "heats = 2\nload = 1\nsemifinal = 0\nfinal = 6")
    cup.draw()
    cup.start()
    cup.tick(1)
    assert len(cup.rounds()) == 1
    for number in range(1, 7):
        end_game(cup.world, f"cup-r1-t{number:02d}", cup.seats()[6 * number - 1].faction)
    cup.tick(1)
    assert [(each.number, each.kind, each.state) for each in cup.rounds()][1] == (2, "heat", "playing")
    assert all(table.game_id for table in cup.tables())
    second = {seat.entrant for seat in cup.seats() if seat.round == 2}
    assert len(second) == 36


def test_with_a_load_and_a_beacon_each_later_table_waits_for_a_beacon_of_its_own(tmp_path: Path) -> None:
    head = 'title = "The Cup"\nbeacon = "quicknet"\n[rounds]\nheats = 2\nload = 1\nsemifinal = 0\nfinal = 6\n'
    cup = Entered.at(tmp_path, 12, head)
    cup.draw(no_beacon=True)
    cup.start()
    for table in (1, 2):
        end_game(cup.world, f"cup-r1-t{table:02d}", cup.seats()[6 * table - 1].faction)
    cup.tick(1)
    free = set(range(1, 13))
    told = [number for number in free if "round 2 will be drawn" in str(cup.letters(number)[-1].message["Subject"])]
    assert told == sorted(free)
    with reading(cup.world.engine) as conn:
        frozen = beacons.frozen_draw(conn, CUP)
    assert frozen is not None
    assert frozen.round == 2
    cup.enter(6)
    for _ in range(3):
        cup.tick(10)
    assert len(cup.rounds()) == 1, "nothing is drawn before its beacon is known, not even for who became free later"
    value = beacons.ValueLine(CUP, 2, frozen.form.replace("RANDOMNESS", "0badc0de"))
    for _ in range(2):
        with desk.acting(desk.Caller(cup.open_games, cup.world.now), CUP) as (session, there):
            beacons.take_value(session, there, value, GrantedRight("boss@example.org", "director", "t", cup.world.now))
    cup.tick(1)
    assert {seat.entrant for seat in cup.seats() if seat.round == 2} == free
    record = progress.draw_record(cup.rounds()[1])
    assert record is not None
    assert record.beacon == value.value
    assert cup.rounds()[1].state == "playing"


def test_with_a_load_the_first_heat_is_drawn_and_started_by_the_director(tmp_path: Path) -> None:
    cup = opened(tmp_path, 12, "heats", "heats = 2\nload = 1\nsemifinal = 0\nfinal = 6")
    cup.tick(1)
    assert cup.rounds() == []
    cup.draw()
    cup.tick(1)
    assert [(each.number, each.state) for each in cup.rounds()] == [(1, "drawn")]
    cup.start()
    assert [(each.number, each.state) for each in cup.rounds()] == [(1, "playing")]


def test_without_a_load_nothing_is_drawn_by_itself(tmp_path: Path) -> None:
    cup = opened(tmp_path, 12, "heats", "heats = 2\nparallel = false\nsemifinal = 0\nfinal = 6")
    cup.draw()
    cup.start()
    with writing(cup.world.engine) as conn:
        for table in (1, 2):
            tournament_rounds.change_table(conn, CUP, 1, table, state="finished")
        tournament_rounds.change_round(conn, CUP, 1, state="closed")
    cup.tick(1)
    assert len(cup.rounds()) == 1


def test_six_who_have_just_met_wait_for_others_while_some_play(tmp_path: Path) -> None:
    cup = opened(tmp_path, 12, "heats", "heats = 2\nload = 1\nsemifinal = 0\nfinal = 6")
    cup.draw()
    cup.start()
    end_game(cup.world, "cup-r1-t01", cup.seats()[0].faction)
    cup.tick(1)
    assert len(cup.rounds()) == 1
    end_game(cup.world, "cup-r1-t02", cup.seats()[-1].faction)
    cup.tick(1)
    assert len([seat for seat in cup.seats() if seat.round == 2]) == 12


def test_with_a_load_the_final_is_not_drawn_by_itself(tmp_path: Path) -> None:
    cup = opened(tmp_path, 6, "heats", "heats = 1\nload = 1\nsemifinal = 0\nfinal = 6")
    cup.draw()
    cup.start()
    with writing(cup.world.engine) as conn:
        tournament_rounds.change_table(conn, CUP, 1, 1, state="finished")
        tournament_rounds.change_round(conn, CUP, 1, state="closed")
    cup.tick(1)
    assert len(cup.rounds()) == 1
    cup.draw()
    assert [(each.number, each.kind) for each in cup.rounds()] == [(1, "heat"), (2, "final")]
    cup.tick(1)
    assert cup.rounds()[1].state == "drawn", "it begins when the director says so"


def test_a_ladder_seats_whoever_is_ready_and_goes_on_taking_entries(tmp_path: Path) -> None:
    from bot.store import tournaments

    cup = opened(tmp_path, 7, "ladder", "")
    with writing(cup.world.engine) as conn:
        for number in range(1, 7):
            tournaments.file_paper(conn, tournaments.Paper(CUP, number, "ready", "", cup.world.now))
    cup.tick(1)
    assert [(each.kind, each.state, each.ends) for each in cup.rounds()] == [("ladder", "playing", None)]
    assert (cup.cup.state, cup.cup.until) == ("running", None)
    cup.tick(1)
    assert len(cup.tables()) == 1
    assert cup.states()["E007"] == "confirmed"
