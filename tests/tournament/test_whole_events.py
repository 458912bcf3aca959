"""Whole events from the first draw to the last letter, one for each format; the tests choose the games' results."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest
from sqlalchemy import update

from bot.store import tournament_rounds, tournaments
from bot.store.database import pack, reading, writing
from bot.store.publication import published_tournament
from bot.store.tables import EVENT, GAME
from bot.store.tournaments import Paper
from bot.tournament import entries, progress
from bot.tournament import results as amending
from bot.tournament import rounds as dates
from bot.tournament.desk import By, Caller, Refused, acting
from rules.state import events
from rules.state.events import Event
from tests.tournament.cup import CUP, Entered, address

BY = By(why="so it is")
HEATS = 'title = "The Cup"\n[rounds]\nheats = {heats}\nsemifinal = {semifinal}\nfinal = 6\n'


def end(cup: Entered, game: str, winners: Sequence[str], turn: int = 4) -> None:
    with writing(cup.world.engine) as conn:
        row = conn.execute(GAME.select().where(GAME.c.id == game)).one()
        facts = {"winners": list(winners), "how": "strongholds", "instead_of": []}
        won = events.encode(Event(row.events, turn, "mentat", "game-won", facts))
        conn.execute(EVENT.insert(), {"game_id": game, "number": row.events, "turn": turn, "data": pack(won)})
        changed = {"status": "over", "turn": turn, "events": row.events + 1, "revision": row.revision + 1}
        conn.execute(update(GAME).where(GAME.c.id == game).values(changed))


def play(cup: Entered, number: int, winners: int = 1) -> list[str]:
    """End a round's games, won by the first `winners` seats, and close the round; return the winners' handles."""
    with reading(cup.world.engine) as conn:
        tables = tournament_rounds.tables_of(conn, CUP, number)
        held = tournament_rounds.now_sitting(conn, CUP, number)
    won = []
    for table in tables:
        first = [seat for seat in held if seat.table == table.number][:winners]
        end(cup, table.game_id, [seat.faction for seat in first])
        won += [f"E{seat.entrant:03d}" for seat in first]
    cup.tick(0)
    dates.close_round(Caller(cup.open_games, cup.world.now, BY), CUP, number)
    return won


def draw_next(cup: Entered) -> None:
    """Let the time for protests pass and draw the next round."""
    cup.tick(73)
    cup.draw()


def state(cup: Entered) -> str:
    return cup.cup.state


def roster(cup: Entered, number: int) -> set[str]:
    drawn = progress.draw_record(cup.rounds()[number - 1])
    assert drawn is not None
    return set(drawn.roster)


def test_heats_a_semifinal_and_a_final(tmp_path: Path) -> None:
    cup = Entered.at(tmp_path, 18, HEATS.format(heats=2, semifinal=12))
    cup.draw()
    cup.start()
    won = set(play(cup, 1))
    with pytest.raises(Refused, match="before round 2 of cup is closed"):
        cup.draw(number=3)
    won |= set(play(cup, 2))
    states = cup.states()
    assert sum(state == "advanced" for state in states.values()) == 12
    assert won <= {handle for handle, state in states.items() if state == "advanced"}
    draw_next(cup)
    assert cup.rounds()[2].kind == "semifinal"
    assert roster(cup, 3) == {handle for handle, state in states.items() if state == "advanced"}
    cup.start()
    best = play(cup, 3, winners=2)
    assert len(best) == 4
    draw_next(cup)
    assert cup.rounds()[3].kind == "final"
    assert set(best) <= roster(cup, 4), "both halves of a winning pair play the final"
    cup.start()
    (champion,) = play(cup, 4)
    assert state(cup) == "running"
    cup.tick(73)
    assert cup.cup.state == "finished"
    with reading(cup.world.engine) as conn:
        table = progress.current_standings(conn, cup.cup)
    assert (table[0].entrant, table[0].rank) == (champion, 1)
    assert {row.entrant for row in table[:6]} == roster(cup, 4)
    letter = " ".join(cup.world.letters(address(int(champion[1:])))[-1].text.split())
    assert "You finished 1st of 18" in letter


def test_a_draw_that_rests_on_results_which_may_still_change_is_made_only_if_the_director_says_so(
    tmp_path: Path,
) -> None:
    cup = Entered.at(tmp_path, 12, HEATS.format(heats=1, semifinal=0))
    cup.draw()
    cup.start()
    play(cup, 1)
    with pytest.raises(Refused, match=r"may still change: 1\.1 and 1\.2\. Wait until the time for protests is over"):
        cup.draw()
    assert cup.draw(provisional=True).provisional == ("1.1", "1.2")
    with reading(cup.world.engine) as conn:
        shown = published_tournament(conn, CUP, cup.world.now)
    assert "results that may still change: 1.1, 1.2" in next(
        act.words for act in reversed(shown.acts) if act.command == "draw"
    )


def test_a_final_of_five_when_one_withdraws_from_it_and_nobody_is_left_to_fill_it(tmp_path: Path) -> None:
    cup = Entered.at(tmp_path, 6, HEATS.format(heats=1, semifinal=0))
    cup.draw()
    cup.start()
    play(cup, 1)
    with acting(Caller(cup.open_games, cup.world.now), CUP) as (session, tournament):
        gone = tournaments.find_entrant(session.conn, CUP, "E003")
        assert gone is not None
        entries.leave_tournament(session, tournament, gone, "", BY)
    draw_next(cup)
    assert roster(cup, 2) == {"E001", "E002", "E004", "E005", "E006"}
    assert cup.tables()[-1].size == 5
    cup.start()
    play(cup, 2)
    cup.tick(73)
    assert cup.cup.state == "finished"


def test_swiss_rounds_follow_each_other_and_the_last_ends_the_event(tmp_path: Path) -> None:
    cup = Entered.at(tmp_path, 12, 'title = "Swiss"\nformat = "swiss"\n[rounds]\nswiss = 2\n')
    for number in (1, 2):
        draw_next(cup)
        cup.start()
        assert cup.rounds()[-1].number == number
        play(cup, number)
    with pytest.raises(Refused, match="no round left to draw"):
        cup.draw()
    cup.tick(73)
    assert cup.cup.state == "finished"


def test_a_knockout_gets_smaller_until_its_final(tmp_path: Path) -> None:
    cup = Entered.at(tmp_path, 36, 'title = "Knockout"\nformat = "knockout"\n')
    cup.draw()
    cup.start()
    won = play(cup, 1, winners=2)
    assert len(won) == 12
    draw_next(cup)
    assert set(won) == roster(cup, 2)
    assert len([each for each in cup.states().values() if each == "out"]) == 24
    cup.start()
    won = play(cup, 2)
    draw_next(cup)
    assert cup.rounds()[2].kind == "final"
    assert set(won) <= roster(cup, 3)
    assert len(roster(cup, 3)) == 6
    cup.start()
    play(cup, 3)
    cup.tick(73)
    assert cup.cup.state == "finished"


def test_the_only_table_of_a_knockout_is_its_final(tmp_path: Path) -> None:
    cup = Entered.at(tmp_path, 6, 'title = "Knockout"\nformat = "knockout"\n')
    cup.draw()
    assert [each.kind for each in cup.rounds()] == ["final"]
    assert len(roster(cup, 1)) == 6
    cup.start()
    play(cup, 1)
    with pytest.raises(Refused, match="no round left to draw"):
        cup.draw()
    cup.tick(73)
    assert cup.cup.state == "finished"


def test_a_ladder_seats_those_who_are_ready_by_itself_until_its_director_ends_it(tmp_path: Path) -> None:
    cup = Entered.at(tmp_path, 12, 'title = "Ladder"\nformat = "ladder"\n')

    def ready(*numbers: int) -> None:
        with writing(cup.world.engine) as conn:
            for number in numbers:
                tournaments.file_paper(conn, Paper(CUP, number, "ready", "", cup.world.now))

    ready(*range(1, 7))
    cup.draw()
    cup.start()
    ready(*range(7, 12))
    cup.tick(1)
    assert len(cup.tables()) == 1
    ready(12)
    cup.tick(1)
    assert [table.state for table in cup.tables()] == ["playing", "playing"]
    with pytest.raises(Refused, match="Round 1 of cup is not closed"):
        progress.finish_tournament(Caller(cup.open_games, cup.world.now, BY), CUP)
    for number in (1, 2):
        play(cup, number)
    cup.tick(100)
    assert state(cup) == "running", "a ladder has no end of its own"
    progress.finish_tournament(Caller(cup.open_games, cup.world.now, BY), CUP)
    assert cup.cup.state == "finished"


def test_with_a_load_of_one_the_next_tables_begin_by_themselves_when_enough_are_free(tmp_path: Path) -> None:
    cup = Entered.at(tmp_path, 12, HEATS.format(heats=2, semifinal=0) + "load = 1\n")
    cup.draw()
    cup.start()
    end(cup, "cup-r1-t01", ["atreides"])
    cup.tick(1)
    assert len(cup.tables()) == 2, "those who are free have met, and wait for the others"
    end(cup, "cup-r1-t02", ["atreides"])
    cup.tick(1)
    assert [(table.place, table.state) for table in cup.tables()][2:] == [((2, 1), "playing"), ((2, 2), "playing")]
    with reading(cup.world.engine) as conn:
        assert len(tournament_rounds.newest_results(conn, CUP)) == 2


def test_nobody_of_a_table_comes_and_it_is_played_again(tmp_path: Path) -> None:
    cup = Entered.at(tmp_path, 6, HEATS.format(heats=1, semifinal=0))
    cup.draw()
    cup.start()
    amending.void_table(Caller(cup.open_games, cup.world.now, BY), CUP, "1.1", replay=True)
    with pytest.raises(Refused, match=r"no result yet for 1\.2"):
        dates.close_round(Caller(cup.open_games, cup.world.now, BY), CUP, 1)
    cup.start()
    assert [(table.state, table.game_id) for table in cup.tables()] == [
        ("void", "cup-r1-t01"), ("playing", "cup-r1-t02")
    ]  # fmt: skip
    end(cup, "cup-r1-t02", ["guild"])
    cup.tick(0)
    dates.close_round(Caller(cup.open_games, cup.world.now, BY), CUP, 1)
    with reading(cup.world.engine) as conn:
        assert progress.current_standings(conn, cup.cup)[0].points == "12"
