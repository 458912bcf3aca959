"""Failing timekeeper jobs: they stop no game, are reported to those who can help, and are retried later."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime, timedelta

import pytest

from bot.games import silent_players
from bot.games.open_games import OpenGames
from bot.moderator import outage
from bot.store.database import DatabaseUnavailable
from bot.store.people import SeatName
from rules.components import Faction
from tests.moderator.table import GAME, GAME_MASTER, World, address_of
from tests.moderator.test_silence import two_games

FEW: tuple[Faction, ...] = ("atreides", "guild", "harkonnen")
WORK = {
    "bot.moderator.automatic_mail.look_after_canary": "canary failed; will retry",
    "bot.monitoring.alerts.Alerts.look": "alerts failed; will retry",
    "bot.desk.desk.write_daily_letter": "the letter about the desk could not be written; will retry",
    "bot.moderator.outage.start_clocks_if_heard": "the clocks could not be restarted; will retry",
}


def failing(fault: Exception) -> Callable[..., None]:
    def fails(*_: object, **__: object) -> None:
        raise fault

    return fails


@pytest.mark.parametrize("work", WORK)
def test_what_no_game_waits_for_stops_none_when_it_fails(
    world: World, work: str, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    world.new_game(factions=FEW)
    world.silence_until("bidding")
    before = world.written()
    monkeypatch.setattr(work, failing(ZeroDivisionError("gom jabbar")))
    deadline = max(each.until for each in world.table().deadlines.values())
    assert world.moderator.timekeeper.tick_now(deadline) == 1
    assert WORK[work] in [record.getMessage() for record in caplog.records]
    assert not any("gom jabbar" in letter.text for letter in world.letters(after=before))


@pytest.mark.parametrize(
    ("work", "hours_before"),
    [
        *((work, 0) for work in list(WORK)[:3]),
        ("bot.games.silent_players.remind_person", 1),
        ("bot.games.silent_players.run_time_banks", 0),
    ],
)
def test_where_the_database_is_away_nothing_is_at_fault_and_nobody_is_told(
    world: World, work: str, hours_before: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    world.new_game(factions=FEW)
    before = world.written()
    monkeypatch.setattr(work, failing(DatabaseUnavailable("The disk is full.")))
    deadline = max(each.until for each in world.table().deadlines.values())
    with pytest.raises(DatabaseUnavailable, match="The disk is full"):
        world.moderator.timekeeper.tick_now(deadline - timedelta(hours=hours_before))
    assert GAME_MASTER not in {letter.recipient for letter in world.letters(after=before)}


def test_a_person_is_reminded_of_their_other_games_where_one_is_at_fault(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    two_games(world)
    reminded = silent_players.remind_person

    def fails_in_one(open_games: OpenGames, seats: Sequence[SeatName], now: datetime) -> bool:
        if GAME in {game_id for game_id, _ in seats}:
            raise ZeroDivisionError("spice")
        return reminded(open_games, seats, now)

    monkeypatch.setattr(silent_players, "remind_person", fails_in_one)
    before = world.written()
    world.wait(15)
    world.wait(3)
    letters = world.letters(after=before)
    theirs = [letter.subject for letter in letters if letter.recipient == address_of("guild")]
    assert [subject.partition("?")[0] for subject in theirs] == ["[tabr] which traitor is yours"]
    [told] = {letter.subject for letter in letters if letter.recipient == GAME_MASTER}
    assert GAME in told


def test_time_does_not_pass_up_to_a_post_while_no_mail_comes_in(world: World) -> None:
    world.new_game(factions=FEW)
    deadline = max(each.until for each in world.table().deadlines.values())
    outage.note_mailbox_failure(world.moderator.open_games, deadline)
    assert not world.moderator.timekeeper.pass_until(GAME, deadline)
    outage.note_mailbox_success(world.moderator.open_games, deadline)
    assert world.moderator.timekeeper.pass_until(GAME, deadline)


def test_time_passes_in_one_game_and_reminds_of_that_alone(world: World) -> None:
    two_games(world)
    before = world.written()
    now = max(each.until for each in world.table().deadlines.values())
    assert world.moderator.timekeeper.tick(now - timedelta(hours=1), only="tabr") == 0
    subjects = {letter.subject.partition(" ")[0] for letter in world.letters(after=before)}
    assert subjects == {"[tabr]"}
