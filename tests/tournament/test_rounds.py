"""A round's dates: the notice of the last turn, the end and the closing."""

from __future__ import annotations

from datetime import timedelta

import pytest
from sqlalchemy import update

from bot.competition.standings import NextRound, RoundWaits
from bot.desk import clocks
from bot.desk.positions import roll_back
from bot.desk.powers import DeskRequest
from bot.games.open_games import Session
from bot.store import tournament_rounds, tournaments
from bot.store.database import reading, writing
from bot.store.tables import GAME
from bot.tournament import desk, preparation, progress, substitutes
from bot.tournament import rounds as dates
from bot.tournament.desk import By, Caller, Refused
from rules.chapters.victory import last_turn
from rules.components import FACTIONS, as_faction
from tests.tournament.cup import CUP, Cup

BY = By(why="so it was agreed")
DAY = 24


def ends(cup: Cup, number: int = 1) -> tournament_rounds.Round:
    with reading(cup.world.engine) as conn:
        return dates.find_round(conn, tournaments.find_tournament(conn, CUP), number)


def set_game(cup: Cup, game: str, **changed: object) -> None:
    with writing(cup.world.engine) as conn:
        conn.execute(update(GAME).where(GAME.c.id == game).values(changed | {"revision": GAME.c.revision + 1}))


def test_every_unfinished_table_is_told_its_last_turn_two_weeks_before_the_round_ends(cup: Cup) -> None:
    cup.round()
    cup.in_turn("cup-1-1", 6)
    cup.in_turn("cup-1-2", 4)
    cup.tick(50 * DAY)
    assert cup.standing().last_turn == 0
    cup.tick(DAY)
    assert (cup.standing(1, 1).last_turn, cup.standing(1, 2).last_turn) == (7, 5)
    assert ends(cup).noticed_at == cup.now
    cup.in_turn("cup-1-2", 5)
    cup.tick(DAY)
    assert cup.standing(1, 2).last_turn == 5, "it is told once"


def test_who_is_told_late_that_a_turn_is_the_last_has_as_long_for_it_as_everybody_else(cup: Cup) -> None:
    """In a round of 65 days, the notice is due on day 51; a delay of up to a day moves no deadline."""
    cup.round()
    cup.tick(52 * DAY)
    assert (cup.standing(1, 1).last_turn, cup.standing(1, 1).deadline) == (2, None)
    cup.round(2, [range(1, 7)])
    cup.tick(52 * DAY + 1)
    assert cup.standing(2, 1).last_turn == 2
    assert cup.standing(2, 1).deadline == cup.now + timedelta(days=14)


def test_a_table_with_a_hidden_last_turn_has_no_more_time_for_being_told_late(cup: Cup) -> None:
    with writing(cup.world.engine) as conn:
        tournaments.touch(conn, CUP, settings='title = "The Cup"\n[endings]\nend = "hidden"\nwindow = [2, 2]\n')
    cup.round()
    cup.tick(60 * DAY)
    assert (cup.standing(1, 1).last_turn, cup.standing(1, 1).deadline) == (2, None)


@pytest.mark.parametrize(("turn", "again"), [(5, True), (6, False)])
def test_a_game_that_was_taken_back_to_before_its_notice_is_told_its_last_turn_once_more(
    cup: Cup, turn: int, again: bool
) -> None:
    cup.round()
    dates.announce_last_turn(Caller(cup.open_games, cup.now, BY), CUP, 1, "1.1", 6)
    cup.tick(1)
    assert cup.done().count("notice") == 1
    roll_back(DeskRequest(cup.open_games, "cup-1-1", cup.now), 0, consent=FACTIONS)
    cup.in_turn("cup-1-1", turn)
    before = cup.world.written()
    cup.tick(0)
    cup.tick(0)
    assert cup.done().count("notice") == (2 if again else 1)
    assert cup.standing().last_turn == 6
    assert cup.world.written() - before == (6 if again else 0)
    if again:
        assert cup.world.table("cup-1-1").play.state.last_turn == 6


def test_a_table_whose_game_is_over_has_no_last_turn_to_be_told(cup: Cup) -> None:
    cup.round()
    cup.end("cup-1-1", "atreides")
    cup.tick()
    with pytest.raises(Refused, match=r"The game of table 1\.1 is not running; no last turn can be announced\."):
        dates.announce_last_turn(Caller(cup.open_games, cup.now, BY), CUP, 1, "1.1", 9)
    assert [table.number for table in dates.announce_last_turn(Caller(cup.open_games, cup.now, BY), CUP, 1, "", 9)] == [
        2
    ]
    assert ends(cup).noticed_at == cup.now


def test_a_notice_by_hand_is_for_one_table_or_for_all_that_were_told_none(cup: Cup) -> None:
    cup.round()
    cup.in_turn("cup-1-1", 6)
    for turn in (5, 6):
        with pytest.raises(Refused, match="is already in turn 6; its last turn must be 7 or later"):
            dates.announce_last_turn(Caller(cup.open_games, cup.now, BY), CUP, 1, "1.1", turn)
    dates.announce_last_turn(Caller(cup.open_games, cup.now, BY), CUP, 1, "1.1", 9)
    with pytest.raises(Refused, match="was already told that turn 9 is its last"):
        dates.announce_last_turn(Caller(cup.open_games, cup.now, BY), CUP, 1, "1.1", 8)
    told = dates.announce_last_turn(Caller(cup.open_games, cup.now, BY), CUP, 1, "", 8)
    assert [table.number for table in told] == [2]
    assert (cup.standing(1, 1).last_turn, cup.standing(1, 2).last_turn) == (9, 8)


def test_a_table_that_is_named_is_not_told_a_turn_to_which_its_game_never_comes(cup: Cup) -> None:
    cup.round()
    clocks.announce_last_turn(DeskRequest(cup.open_games, "cup-1-1", cup.now), 4)
    with pytest.raises(Refused, match="ends with turn 4 anyway"):
        dates.announce_last_turn(Caller(cup.open_games, cup.now, BY), CUP, 1, "1.1", 9)
    assert cup.standing().last_turn == 0
    dates.announce_last_turn(Caller(cup.open_games, cup.now, BY), CUP, 1, "1.1", 4)
    assert cup.standing().last_turn == 4


@pytest.mark.parametrize(("before", "told"), [(1, -1), (0, 0), (-1, 0)])
def test_a_last_turn_with_which_the_game_ends_anyway_is_told_and_changes_nothing_of_the_game(
    cup: Cup, before: int, told: int
) -> None:
    cup.round()
    rules = last_turn(cup.world.table("cup-1-1").play.game)
    written = cup.world.written()
    dates.announce_last_turn(Caller(cup.open_games, cup.now, BY), CUP, 1, "", rules - before)
    assert [cup.standing(1, table).last_turn for table in (1, 2)] == [rules + told] * 2
    assert [sent.subject for sent in cup.letters(1, written)] == [f"[cup-1-1] Turn {rules + told} is the last"]
    assert cup.world.written() == written + 12
    assert last_turn(cup.world.table("cup-1-1").play.game) == rules + told
    cup.tick(1)
    assert len(cup.letters(1, written)) == 1, "it is told once"


def test_a_hidden_last_turn_is_told_when_it_comes_near_and_follows_from_the_secret(cup: Cup) -> None:
    hidden = 'title = "The Cup"\n[endings]\nend = "hidden"\nwindow = [8, 8]\n'
    with writing(cup.world.engine) as conn:
        tournaments.touch(conn, CUP, settings=hidden)
    cup.round()
    cup.in_turn("cup-1-1", 6)
    cup.tick(1)
    assert cup.standing().last_turn == 0
    cup.in_turn("cup-1-1", 7)
    cup.tick(1)
    assert cup.standing().last_turn == 8
    cup.in_turn("cup-1-2", 3)
    cup.tick(52 * DAY)
    assert cup.standing(1, 2).last_turn == 4, "time is short, so it comes earlier"


def test_a_round_is_shown_with_where_each_game_is_when_it_ends_and_how_it_ended(cup: Cup) -> None:
    cup.round(tables=[range(1, 5), range(5, 9), range(9, 13)])
    cup.in_turn("cup-1-1", 3)
    cup.tick(1)
    cup.end("cup-1-3", "atreides", turn=6)
    set_game(cup, "cup-1-2", stopped_at=cup.now)
    cup.tick(1)
    later = cup.now + timedelta(days=90)
    with writing(cup.world.engine) as conn:
        tournament_rounds.change_table(conn, CUP, 1, 1, deadline=later)
        tournament_rounds.add_round(conn, tournament_rounds.Round(CUP, 2, "heat", "drawn"))
        tournament_rounds.add_tables(conn, [tournament_rounds.RoundTable(CUP, 2, 1, 6)], [])

    def seen(number: int) -> list[dates.TableStatus]:
        with reading(cup.world.engine) as conn:
            found, shown = dates.round_status(conn, tournaments.find_tournament(conn, CUP), number)
        assert found.number == (number or 1)
        return shown

    end, one, two, three = ends(cup).ends, *(cup.standing(1, table) for table in (1, 2, 3))
    assert seen(1) == [
        dates.TableStatus(one, 3, False, later, None),
        dates.TableStatus(two, 1, True, end, None),
        dates.TableStatus(three, 6, False, end, cup.result(1, 3)),
    ]
    assert seen(0) == seen(1), "the one that is played"
    assert cup.result(1, 3) is not None
    assert seen(2) == [dates.TableStatus(cup.standing(2, 1), 0, False, None, None)]


@pytest.mark.parametrize(
    ("endings", "turn", "days", "told"),
    [
        ("notice_days = 14\nturns_left = 1", 3, 51, 4),
        ("notice_days = 14\nturns_left = 1", 3, 50.9, 0),
        ("notice_days = 14\nturns_left = 3", 3, 51, 6),
        ("notice_days = 14\nturns_left = 0", 3, 51, 4),
        ("notice_days = 1\nturns_left = 1", 3, 63.9, 0),
        ('end = "hidden"\nwindow = [7, 7]\nturns_left = 2\nnotice_days = 14', 4, 1, 0),
        ('end = "hidden"\nwindow = [7, 7]\nturns_left = 2\nnotice_days = 14', 5, 1, 7),
        ('end = "hidden"\nwindow = [7, 7]\nturns_left = 2\nnotice_days = 14', 9, 1, 10),
        ('end = "hidden"\nwindow = [7, 7]\nturns_left = 2\nnotice_days = 14', 3, 51, 5),
        ('end = "hidden"\nwindow = [7, 7]\nturns_left = 2\nnotice_days = 14', 5, 51, 7),
        ('end = "hidden"\nwindow = [7, 7]\nturns_left = 1\nnotice_days = 1', 5, 63, 0),
    ],
)
def test_a_table_is_told_its_last_turn_by_the_days_or_by_the_hidden_one_whichever_is_first(
    cup: Cup, endings: str, turn: int, days: float, told: int
) -> None:
    with writing(cup.world.engine) as conn:
        tournaments.touch(conn, CUP, settings=f'title = "The Cup"\n[endings]\n{endings}\n')
    cup.round(tables=[range(1, 3)])
    cup.wrote("cup-1-1")
    cup.in_turn("cup-1-1", turn)
    cup.tick(days * DAY)
    assert cup.standing().last_turn == told
    assert cup.done().count("notice") == bool(told)


def test_a_round_that_is_extended_tells_its_players_and_moves_the_notice(cup: Cup) -> None:
    cup.round()
    was = ends(cup).ends
    assert was is not None
    found = dates.extend_round(Caller(cup.open_games, cup.now, BY), CUP, 1, 48)
    assert found.ends == was + timedelta(hours=48)
    assert "Table 1.2 has more time" in cup.text(7)
    cup.tick(52 * DAY)
    assert cup.standing().last_turn == 0
    cup.tick(2 * DAY)
    assert cup.standing().last_turn == 2
    for hours in (0, -1, 9000):
        with pytest.raises(Refused, match="are not above 0 and at most"):
            dates.extend_round(Caller(cup.open_games, cup.now, BY), CUP, 1, hours)


def test_a_table_that_was_given_time_back_has_the_hours_of_its_round_besides(cup: Cup) -> None:
    cup.round()
    own = cup.now + timedelta(days=70)
    with writing(cup.world.engine) as conn:
        tournament_rounds.change_table(conn, CUP, 1, 1, deadline=own)
    dates.extend_round(Caller(cup.open_games, cup.now, BY), CUP, 1, 48)
    assert cup.standing(1, 1).deadline == own + timedelta(hours=48)
    assert cup.standing(1, 2).deadline is None
    for number, when in ((1, own + timedelta(hours=48)), (7, cup.now + timedelta(days=67))):
        assert desk.local_instant(when, cup.entrant(number)) in cup.text(number)


def test_a_round_is_extended_by_a_year_at_most_and_only_while_it_is_played(cup: Cup) -> None:
    cup.round()
    assert dates.extend_round(Caller(cup.open_games, cup.now, BY), CUP, 1, 8760).ends == cup.now + timedelta(
        days=65, hours=8760
    )
    with pytest.raises(Refused, match=r"8761 hours are not above 0 and at most 8760 \(a year\)\."):
        dates.extend_round(Caller(cup.open_games, cup.now, BY), CUP, 1, 8761)
    with writing(cup.world.engine) as conn:
        tournament_rounds.change_round(conn, CUP, 1, state="closed")
    with pytest.raises(Refused, match=r"Round 1 of cup is closed; only a round in play has an end\."):
        dates.extend_round(Caller(cup.open_games, cup.now, BY), CUP, 1, 1)
    assert cup.done() == ["extend"]


def test_a_round_that_is_not_there_or_was_not_played_is_neither_found_nor_closed(cup: Cup) -> None:
    with pytest.raises(Refused, match="cup has no round yet; `mentat tournament draw cup` draws one"):
        ends(cup, 0)
    cup.round(1)
    cup.round(2)
    with pytest.raises(Refused, match=r"cup has no round 3; it has 1 to 2\."):
        ends(cup, 3)
    with writing(cup.world.engine) as conn:
        tournament_rounds.change_round(conn, CUP, 1, state="closed")
        tournament_rounds.change_round(conn, CUP, 2, state="drawn")
    assert ends(cup, 0).number == 2
    with pytest.raises(Refused, match="Round 2 of cup cannot be closed: it has not started yet"):
        dates.close_round(Caller(cup.open_games, cup.now, BY), CUP, 2)
    assert ends(cup, 2).state == "drawn"
    with writing(cup.world.engine) as conn:
        tournament_rounds.change_round(conn, CUP, 1, state="playing")
    assert ends(cup, 0).number == 1, "the last that is played comes before the last"


def test_what_is_played_now_are_the_rounds_that_go_on_or_the_last_one(cup: Cup) -> None:
    with writing(cup.world.engine) as conn:
        for number, state in ((1, "closed"), (2, "playing"), (3, "playing")):
            tournament_rounds.add_round(conn, tournament_rounds.Round(CUP, number, "heat", state))  # type: ignore[arg-type]  # a state
        tournament = tournaments.find_tournament(conn, CUP)
        assert (dates.rounds_in_play(conn, tournament), dates.find_round(conn, tournament, 0).number) == ([2, 3], 3)
        tournament_rounds.change_round(conn, CUP, 3, state="planned")
        assert (dates.rounds_in_play(conn, tournament), dates.find_round(conn, tournament, 0).number) == ([2], 2)
        tournament_rounds.change_round(conn, CUP, 2, state="closed")
        assert (dates.rounds_in_play(conn, tournament), dates.find_round(conn, tournament, 0).number) == ([3], 3)


def test_close_refuses_while_a_table_has_no_result_and_does_nothing_twice(cup: Cup) -> None:
    cup.round()
    cup.end("cup-1-1", "atreides")
    cup.tick()
    with pytest.raises(Refused, match=r"no result yet for 1\.2"):
        dates.close_round(Caller(cup.open_games, cup.now, BY), CUP, 1)
    cup.end("cup-1-2", "fremen")
    cup.tick()
    assert dates.close_round(Caller(cup.open_games, cup.now, BY), CUP, 1) is not None
    assert ends(cup).state == "closed"
    assert dates.close_round(Caller(cup.open_games, cup.now, BY), CUP, 1) is None
    assert cup.done().count("close") == 1


def test_time_for_which_a_game_was_held_is_given_back_and_it_is_not_adjudicated(cup: Cup) -> None:
    cup.round()
    cup.in_turn("cup-1-1", 3)
    set_game(cup, "cup-1-1", status="held")
    cup.tick(51 * DAY)
    assert cup.standing(1, 1).last_turn == 0, "nothing is told to a game that stands still"
    assert cup.standing(1, 2).last_turn == 2
    cup.tick(16 * DAY)
    assert cup.done().count("late") == 1
    assert "Table 1.2 has not finished" in " ".join(sent.subject for sent in cup.world.letters("gm@arrakis.example"))
    set_game(cup, "cup-1-1", status="running")
    cup.tick(0)
    deadline = cup.standing(1, 1).deadline
    assert deadline is not None
    assert deadline - cup.now == timedelta(days=14)
    assert cup.standing(1, 1).last_turn == 4
    assert "is given back" in " ".join(letter.text for letter in cup.letters(1)).replace("\n", " ")


def test_clocks_that_were_stopped_give_their_time_back_as_of_when_they_stopped(cup: Cup) -> None:
    cup.round(days=30)
    cup.tick(5 * DAY)
    set_game(cup, "cup-1-1", stopped_at=cup.now, stopped_why="pause")
    cup.tick(3 * DAY)
    set_game(cup, "cup-1-1", stopped_at=None, stopped_why="")
    cup.tick(0)
    was = ends(cup).ends
    assert was is not None
    assert cup.standing(1, 1).deadline == was + timedelta(days=3)
    assert cup.standing(1, 2).deadline is None
    set_game(cup, "cup-1-1", stopped_at=cup.now, stopped_why="pause")
    cup.tick(2 * DAY)
    set_game(cup, "cup-1-1", stopped_at=None, stopped_why="")
    cup.tick(0)
    assert cup.standing(1, 1).deadline == was + timedelta(days=5)
    assert cup.sitting("guild").since == cup.first + timedelta(days=5)


def test_where_a_round_has_no_end_no_time_is_given_back_but_seats_are_waited_for_anew(cup: Cup) -> None:
    cup.round()
    with writing(cup.world.engine) as conn:
        tournament_rounds.change_round(conn, CUP, 1, ends=None)
    with pytest.raises(Refused, match=r"Round 1 of cup has no end to move\."):
        dates.extend_round(Caller(cup.open_games, cup.now, BY), CUP, 1, 24)
    began = cup.now
    set_game(cup, "cup-1-1", status="held")
    cup.tick(0)
    cup.tick(40)
    set_game(cup, "cup-1-1", status="running")
    before = cup.world.written()
    cup.tick(0)
    assert cup.world.written() == before
    assert (cup.standing().deadline, cup.standing().still_since) == (None, None)
    assert cup.sitting("guild").since == began + timedelta(hours=40)
    assert "time back" not in cup.done()


def test_a_table_that_is_late_is_told_to_the_organisers_once(cup: Cup) -> None:
    cup.round(days=20)
    cup.tick(7 * DAY)
    cup.tick(14 * DAY)
    cup.tick(DAY)
    assert cup.done().count("late") == 2
    late = [each for each in cup.world.letters("gm@arrakis.example") if "has not finished in time" in each.subject]
    assert len(late) == 2


@pytest.mark.parametrize(("minutes", "late"), [(-1, 0), (0, 2), (1, 2)])
def test_a_table_is_late_from_the_moment_in_which_its_round_ends(cup: Cup, minutes: int, late: int) -> None:
    cup.round(days=20)
    cup.tick(7 * DAY)
    cup.tick(13 * DAY + minutes / 60)
    assert cup.done().count("late") == late


def test_a_game_that_stands_still_is_told_its_last_turn_once_more_when_it_goes_on(cup: Cup) -> None:
    cup.round()
    dates.announce_last_turn(Caller(cup.open_games, cup.now, BY), CUP, 1, "1.1", 6)
    roll_back(DeskRequest(cup.open_games, "cup-1-1", cup.now), 0, consent=FACTIONS)
    set_game(cup, "cup-1-1", stopped_at=cup.now, stopped_why="pause")
    cup.tick(1)
    assert cup.done().count("notice") == 1
    set_game(cup, "cup-1-1", stopped_at=None, stopped_why="")
    cup.tick(1)
    assert cup.done().count("notice") == 2


def test_a_notice_for_one_round_is_told_to_no_other_that_is_played_at_the_same_time(cup: Cup) -> None:
    cup.round(1, [range(1, 7)])
    cup.round(2, [range(7, 13)])
    with pytest.raises(Refused, match=r"Rounds 1 and 2 are played at the same time; name one"):
        dates.announce_last_turn(Caller(cup.open_games, cup.now, BY), CUP, 0, "", 8)
    assert [table.place for table in dates.announce_last_turn(Caller(cup.open_games, cup.now, BY), CUP, 2, "", 8)] == [
        (2, 1)
    ]
    assert (cup.standing(1, 1).last_turn, cup.standing(2, 1).last_turn) == (0, 8)


def test_a_game_that_is_held_is_shown_to_stand_still(cup: Cup) -> None:
    cup.round()
    set_game(cup, "cup-1-1", status="held")
    with reading(cup.world.engine) as conn:
        _, shown = dates.round_status(conn, tournaments.find_tournament(conn, CUP), 1)
    assert [each.still for each in shown] == [True, False]


def play(cup: Cup, number: int, *winners: tuple[str, ...]) -> None:
    for table, won in enumerate(winners, 1):
        cup.end(f"cup-{number}-{table}", *won)
    cup.tick()
    dates.close_round(Caller(cup.open_games, cup.now, BY), CUP, number)


def states(cup: Cup) -> dict[str, list[int]]:
    with reading(cup.world.engine) as conn:
        every = tournaments.entrants_of(conn, CUP)
    found: dict[str, list[int]] = {}
    for entrant in every:
        found.setdefault(entrant.state, []).append(entrant.number)
    return found


def test_when_the_last_heat_closes_the_best_six_advance_and_the_others_are_out(cup: Cup) -> None:
    cup.round(1)
    play(cup, 1, ("atreides", "emperor"), ("guild",))
    assert "advanced" not in states(cup)
    cup.round(2)
    play(cup, 2, ("atreides",), ("guild", "fremen"))
    advanced = states(cup)["advanced"]
    assert len(advanced) == 6
    assert {1, 3, 10, 11} <= set(advanced), "those who won are among them"
    assert "You play on in the final" in cup.text(1)
    out = states(cup)["out"][0]
    assert "in the standings. If somebody" in cup.text(out)


def test_one_of_two_who_advance_withdraws_and_the_next_in_the_standings_is_told(cup: Cup) -> None:
    cup.round(1)
    play(cup, 1, ("atreides", "emperor"), ("guild",))
    cup.round(2)
    play(cup, 2, ("atreides",), ("guild", "fremen"))
    before = set(states(cup)["advanced"])
    with writing(cup.world.engine) as conn:
        tournaments.change_entrant(conn, CUP, 1, state="withdrawn")
        progress.promote(Session(conn, cup.open_games, cup.now), tournaments.find_tournament(conn, CUP))
    after = set(states(cup)["advanced"])
    assert len(after) == 6
    (filled,) = after - before
    assert "You play on in the final" in cup.text(filled)


def test_a_tournament_is_finished_when_its_last_result_stands_and_the_secret_is_published(cup: Cup) -> None:
    cup.round(1)
    play(cup, 1, ("atreides",), ("guild",))
    cup.round(2)
    play(cup, 2, ("atreides",), ("guild",))
    cup.kind = "final"
    cup.round(3, [[1, 2, 3, 4, 5, 11]])
    play(cup, 3, ("bene-gesserit",))
    cup.tick(1)
    with reading(cup.world.engine) as conn:
        assert tournaments.find_tournament(conn, CUP).state == "running", "somebody may still protest"
    cup.tick(73)
    cup.tick()
    with reading(cup.world.engine) as conn:
        assert tournaments.find_tournament(conn, CUP).state == "finished"
    assert "The first places: E002" in cup.text(2)
    assert "You finished 1st of 12" in cup.text(2)
    assert "no seed was picked by hand: secret" in cup.text(9)
    with pytest.raises(Refused, match="is finished"):
        preparation.cancel_tournament(Caller(cup.open_games, cup.now, BY), CUP)


def test_a_tournament_is_finished_by_hand_only_while_it_runs_and_once_its_rounds_are_closed(cup: Cup) -> None:
    cup.round()
    with pytest.raises(Refused, match="Round 1 of cup is not closed; `mentat tournament round cup 1 close` closes it"):
        progress.finish_tournament(Caller(cup.open_games, cup.now, BY), CUP)
    play(cup, 1, ("atreides",), ("guild",))
    for state in ("open", "cancelled"):
        with writing(cup.world.engine) as conn:
            tournaments.touch(conn, CUP, state=state)
        with pytest.raises(Refused, match=f"cup is {state}; only a running tournament can be finished"):
            progress.finish_tournament(Caller(cup.open_games, cup.now, BY), CUP)
    with writing(cup.world.engine) as conn:
        tournaments.touch(conn, CUP, state="running")
    progress.finish_tournament(Caller(cup.open_games, cup.now, BY), CUP)
    before = cup.world.written()
    progress.finish_tournament(Caller(cup.open_games, cup.now, BY), CUP)
    assert (cup.world.written(), cup.done().count("finish")) == (before, 1)
    assert set(states(cup)) == {"out", "standby"}


def test_a_seat_that_somebody_took_over_is_no_heat_of_their_own(cup: Cup) -> None:
    with writing(cup.world.engine) as conn:
        tournaments.touch(conn, CUP, settings='title = "The Cup"\n[rounds]\nheats = 1\nload = 1\nsemifinal = 0\n')
    cup.enter(5)
    cup.round()
    substitutes.substitute(Caller(cup.open_games, cup.now, BY), CUP, "1.1", as_faction("guild"), "E013")
    substitutes.substitute(Caller(cup.open_games, cup.now, BY), CUP, "1.2", as_faction("guild"), "")
    with reading(cup.world.engine) as conn:
        assert progress.round_to_come(conn, tournaments.find_tournament(conn, CUP)) == RoundWaits(()), (
            "E013 plays one table already"
        )
    play(cup, 1, ("atreides",), ("guild",))
    with reading(cup.world.engine) as conn:
        comes = progress.round_to_come(conn, tournaments.find_tournament(conn, CUP))
    assert isinstance(comes, NextRound)
    assert (comes.kind, set(comes.who)) == ("heat", {"E013", "E016", "E017", "E018", "E019", "E020"})


def test_a_cancelled_tournament_leaves_its_games_to_be_played_as_friendly_ones(cup: Cup) -> None:
    cup.round()
    preparation.cancel_tournament(Caller(cup.open_games, cup.now, BY), CUP)
    assert cup.standing().state == "void"
    assert "may go on as friendly games" in cup.text(4)
    assert "The reason: so it was agreed" in cup.text(13)
    cup.end("cup-1-1", "atreides")
    cup.tick()
    assert cup.result() is None


def test_a_dry_run_changes_nothing_and_writes_to_nobody(cup: Cup) -> None:
    cup.round()
    was, written = ends(cup).ends, cup.world.written()
    dates.extend_round(Caller(cup.open_games, cup.now, BY, dry_run=True), CUP, 1, 48)
    assert (ends(cup).ends, cup.world.written(), cup.done()) == (was, written, [])


def test_of_two_masters_in_the_same_second_one_does_it_and_the_other_is_told_to_look_again(cup: Cup) -> None:
    cup.round()
    with reading(cup.world.engine) as conn:
        seen = tournaments.find_tournament(conn, CUP).revision
    dates.extend_round(Caller(cup.open_games, cup.now, By(seen=seen)), CUP, 1, 24)
    with pytest.raises(Refused, match="cup has changed since"):
        dates.extend_round(Caller(cup.open_games, cup.now, By(seen=seen)), CUP, 1, 24)
    was = ends(cup).ends
    assert was is not None
    assert was == cup.first + timedelta(days=66)
