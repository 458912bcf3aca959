"""Work that two processes find due at the same time is done once, and changes made in the meantime are respected."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from types import ModuleType

import pytest
from sqlalchemy import update

from bot.desk.positions import roll_back
from bot.desk.powers import DeskRequest
from bot.store import tournament_rounds, tournaments
from bot.store.database import reading, writing
from bot.store.tables import GAME
from bot.store.tournaments import Paper
from bot.tournament import adjudication, calendar, desk, game_starts, progress, results, substitutes
from bot.tournament import rounds as dates
from bot.tournament import rounds as lost_time
from bot.tournament.adjudication import Finding
from bot.tournament.desk import By, Caller
from rules.components import FACTIONS, as_faction
from tests.tournament.cup import CUP, Cup, Entered

BY = By(why="so it was agreed")
DAY = 24


def meanwhile(monkeypatch: pytest.MonkeyPatch, module: ModuleType, do: Callable[[], object]) -> None:
    """Let another process do this after the first has found work due, before the first starts on it."""
    place = module if hasattr(module, "acting") else desk  # the first to act is the module, by either name
    _before(monkeypatch, place, "acting", do)
    if module is calendar:
        _before(monkeypatch, calendar, "act", do)  # the step for all events at once


def _before(monkeypatch: pytest.MonkeyPatch, place: ModuleType, name: str, do: Callable[[], object]) -> None:
    acting = getattr(place, name)

    def after_it(*args: object, **more: object) -> object:
        monkeypatch.setattr(place, name, acting)
        do()
        return acting(*args, **more)

    monkeypatch.setattr(place, name, after_it)


def set_game(cup: Cup, game: str, **changed: object) -> None:
    with writing(cup.world.engine) as conn:
        conn.execute(update(GAME).where(GAME.c.id == game).values(changed | {"revision": GAME.c.revision + 1}))
    cup.open_games.forget()


def a_game_has_ended(cup: Cup) -> None:
    cup.round()
    cup.end("cup-1-1", "atreides")


def a_result_stands(cup: Cup) -> None:
    a_game_has_ended(cup)
    cup.tick()
    cup.world.now += timedelta(hours=73)


def a_game_was_taken_back(cup: Cup) -> None:
    a_game_has_ended(cup)
    cup.tick()
    set_game(cup, "cup-1-1", status="running")


def a_round_nears_its_end(cup: Cup) -> None:
    cup.round(tables=[range(1, 7)])
    cup.world.now += timedelta(days=51)


def a_game_was_taken_back_to_before_its_notice(cup: Cup) -> None:
    cup.round(tables=[range(1, 7)])
    dates.announce_last_turn(Caller(cup.open_games, cup.now, BY), CUP, 1, "1.1", 6)
    roll_back(DeskRequest(cup.open_games, "cup-1-1", cup.now), 0, consent=FACTIONS)


def a_table_is_late(cup: Cup) -> None:
    cup.round(tables=[range(1, 7)], days=20)
    cup.tick(7 * DAY)
    cup.world.now += timedelta(days=14)


def a_game_stands_still(cup: Cup) -> None:
    cup.round(tables=[range(1, 7)])
    set_game(cup, "cup-1-1", stopped_at=cup.now, stopped_why="pause")


def a_game_goes_on(cup: Cup) -> None:
    a_game_stands_still(cup)
    cup.tick()
    cup.world.now += timedelta(days=3)
    set_game(cup, "cup-1-1", stopped_at=None, stopped_why="")


def a_vote_has_failed(cup: Cup) -> None:
    cup.round(tables=[range(1, 7)])
    adjudication.adjudicate(Caller(cup.open_games, cup.now, BY), CUP, "1.1", Finding("agreed", [as_faction("guild")]))
    cup.world.now += timedelta(days=5)


def somebody_has_not_come(cup: Cup) -> None:
    cup.round(tables=[range(1, 7)])
    cup.wrote("cup-1-1", *(faction for faction in FACTIONS if faction != "guild"))
    cup.world.now += timedelta(hours=97)


def the_last_result_stands(cup: Cup) -> None:
    with writing(cup.world.engine) as conn:
        text = 'title = "The Cup"\n[rounds]\nheats = 1\nsemifinal = 0\nfinal = 0\n'
        tournaments.touch(conn, CUP, settings=text)
    cup.round(tables=[range(1, 7)])
    cup.end("cup-1-1", "atreides")
    results.record_ended_games(cup.open_games, cup.now)
    with writing(cup.world.engine) as conn:
        tournament_rounds.change_round(conn, CUP, 1, state="closed")
    cup.world.now += timedelta(hours=73)
    results.confirm_results(cup.open_games, cup.now)


def a_morning_has_come(cup: Cup) -> None:
    cup.round(tables=[range(1, 7)])
    cup.grant("dora@example.org", "director")
    cup.world.now += timedelta(days=3)


def mail_is_due(cup: Cup) -> None:
    cup.round(tables=[range(1, 7)])
    cup.tick()
    cup.world.now += timedelta(days=1)


@pytest.mark.parametrize(
    ("begin", "module", "work", "acts", "letters"),
    [
        (a_game_has_ended, results, results.record_ended_games, ["result"], 6),
        (a_result_stands, results, results.confirm_results, ["confirm"], 0),
        (a_game_was_taken_back, results, results.withdraw_undone_results, ["withdraw result"], 7),
        (a_round_nears_its_end, dates, dates.announce_due_last_turns, ["notice"], 6),
        (a_game_was_taken_back_to_before_its_notice, dates, dates.repeat_last_turns, ["notice"], 6),
        (a_table_is_late, dates, dates.report_late_tables, ["late"], 1),
        (a_game_stands_still, dates, dates.give_time_back, [], 0),
        (a_game_goes_on, dates, dates.give_time_back, ["time back"], 6),
        (a_vote_has_failed, adjudication, adjudication.count_due_votes, ["vote"], 6),
        (somebody_has_not_come, substitutes, substitutes.look_after_seats, ["vacant", "no-show", "seat taken"], 14),
        (the_last_result_stands, progress, progress.finish_due, ["finish"], 13),
        (a_morning_has_come, calendar, calendar.write_organiser_letters, [], 1),
        (mail_is_due, calendar, calendar.write_digests, [], 1),
    ],
)
def test_what_two_processes_see_due_is_done_once(
    cup: Cup, monkeypatch: pytest.MonkeyPatch, begin: Callable[[Cup], None], module: ModuleType,
    work: Callable[..., None], acts: list[str], letters: int,
) -> None:  # fmt: skip
    begin(cup)
    before, written, seen = cup.done(), cup.world.written(), list[object]()

    def by_another() -> None:
        work(cup.open_games, cup.now)
        seen.extend((cup.standing(), cup.held("guild")))

    meanwhile(monkeypatch, module, by_another)
    work(cup.open_games, cup.now)
    assert (cup.done(), cup.world.written() - written) == ([*before, *acts], letters)
    assert [cup.standing(), cup.held("guild")] == seen


def test_time_that_two_processes_find_lost_is_given_back_once(cup: Cup, monkeypatch: pytest.MonkeyPatch) -> None:
    cup.round()
    since, back = cup.now, cup.now + timedelta(days=2)

    def give_back() -> None:
        lost_time.give_back_lost_time(cup.open_games, "mailbox", since, back)

    meanwhile(monkeypatch, lost_time, give_back)
    give_back()
    with reading(cup.world.engine) as conn:
        assert dates.find_round(conn, tournaments.find_tournament(conn, CUP), 1).ends == cup.first + timedelta(days=67)
    assert cup.done() == ["outage"]


def test_a_table_that_two_start_at_the_same_time_begins_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    cup = Entered.at(tmp_path, 6)
    cup.draw()
    meanwhile(monkeypatch, game_starts, cup.start)
    again = cup.start()
    assert (again.now, again.before, again.waiting) == ((), ("1.1",), ())
    assert [act.what for act in cup.acts()].count("start") == 1
    cup.world.engine.dispose()


# --- changes in the meantime -----------------------------------------------------------------------------------------


def it_ends(cup: Cup) -> None:
    cup.end("cup-1-1", "guild")
    results.record_ended_games(cup.open_games, cup.now)


@pytest.mark.parametrize(
    ("begin", "module", "work"),
    [
        (a_round_nears_its_end, dates, dates.announce_due_last_turns),
        (a_game_was_taken_back_to_before_its_notice, dates, dates.repeat_last_turns),
        (a_table_is_late, dates, dates.report_late_tables),
        (a_vote_has_failed, adjudication, adjudication.count_due_votes),
        (somebody_has_not_come, substitutes, substitutes.look_after_seats),
    ],
)
def test_nothing_more_comes_of_what_is_due_at_a_table_whose_game_has_just_ended(
    cup: Cup, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, begin: Callable[[Cup], None],
    module: ModuleType, work: Callable[..., None],
) -> None:  # fmt: skip
    begin(cup)
    before, written = cup.done(), cup.world.written()
    caplog.clear()
    meanwhile(monkeypatch, module, lambda: it_ends(cup))
    work(cup.open_games, cup.now)
    assert cup.done() == [*before, "result"]
    assert cup.world.written() == written + 6, "the result, to who sat there"
    assert caplog.records == [], "nothing has failed"


def test_a_protest_of_the_last_moment_holds_the_result_up(cup: Cup, monkeypatch: pytest.MonkeyPatch) -> None:
    a_result_stands(cup)

    def protest() -> None:
        with writing(cup.world.engine) as conn:
            tournaments.file_paper(conn, Paper(CUP, 2, "protest", "No.", cup.now, 1, 1))

    meanwhile(monkeypatch, results, protest)
    results.confirm_results(cup.open_games, cup.now)
    assert [kept.state for kept in cup.versions()] == ["provisional"]


def test_a_result_that_is_withdrawn_in_the_last_moment_is_not_confirmed(
    cup: Cup, monkeypatch: pytest.MonkeyPatch
) -> None:
    a_result_stands(cup)

    def take_back() -> None:
        set_game(cup, "cup-1-1", status="running")
        results.withdraw_undone_results(cup.open_games, cup.now)

    meanwhile(monkeypatch, results, take_back)
    results.confirm_results(cup.open_games, cup.now)
    assert [kept.state for kept in cup.versions()] == ["withdrawn"]
    assert "confirm" not in cup.done()


def test_the_result_of_a_table_that_is_void_in_the_last_moment_is_not_withdrawn(
    cup: Cup, monkeypatch: pytest.MonkeyPatch
) -> None:
    a_game_was_taken_back(cup)
    meanwhile(monkeypatch, results, lambda: results.void_table(Caller(cup.open_games, cup.now, BY), CUP, "1.1"))
    results.withdraw_undone_results(cup.open_games, cup.now)
    assert (cup.standing().state, "withdraw result" in cup.done()) == ("void", False)


def test_a_table_that_gets_more_time_in_the_last_moment_is_not_late(cup: Cup, monkeypatch: pytest.MonkeyPatch) -> None:
    a_table_is_late(cup)
    meanwhile(monkeypatch, dates, lambda: dates.extend_round(Caller(cup.open_games, cup.now, BY), CUP, 1, 48))
    dates.report_late_tables(cup.open_games, cup.now)
    assert "late" not in cup.done()


def test_a_tournament_whose_last_result_is_withdrawn_in_the_last_moment_goes_on(
    cup: Cup, monkeypatch: pytest.MonkeyPatch
) -> None:
    the_last_result_stands(cup)

    def take_back() -> None:
        set_game(cup, "cup-1-1", status="running")
        results.withdraw_undone_results(cup.open_games, cup.now)

    meanwhile(monkeypatch, progress, take_back)
    progress.finish_due(cup.open_games, cup.now)
    with reading(cup.world.engine) as conn:
        assert tournaments.find_tournament(conn, CUP).state == "running"
    assert "finish" not in cup.done()
