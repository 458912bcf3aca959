"""Events at one table of a round change no letter, time or page for anybody at another table."""

from __future__ import annotations

from collections import Counter
from datetime import timedelta
from pathlib import Path

import pytest
from sqlalchemy import update

from bot.competition.published import hidden_last_turn
from bot.desk import clocks
from bot.desk.powers import DeskRequest
from bot.games.open_games import Session
from bot.store import tournaments
from bot.store.database import writing
from bot.store.tables import GAME
from bot.store.tournaments import PairApart
from bot.tournament import adjudication, calendar, entries, results, rounds, substitutes
from bot.tournament.desk import By, Caller
from rules.components import FACTIONS
from tests.tournament.cup import CUP, PLAYERS, STANDBYS, Cup
from tests.tournament.twin_events import SECOND, Secret, differences, nothing, played, seen_by

STANDBY = frozenset({PLAYERS + 1})
STRANGER = ["stranger@example.org"]


def moves_on(cup: Cup) -> None:
    """Move the first table on by three turns."""
    cup.in_turn("cup-1-1", 4)


def is_told_its_last_turn(cup: Cup) -> None:
    """Announce the last turn to the first table only."""
    rounds.announce_last_turn(Caller(cup.open_games, cup.now, By()), CUP, 1, "1.1", 5)


def is_paused(cup: Cup) -> None:
    """Pause the first table's clocks."""
    clocks.pause(DeskRequest(cup.open_games, "cup-1-1", cup.now))


def stood_still(cup: Cup) -> None:
    """Pause the first table's clocks and resume them five hours later."""
    clocks.pause(DeskRequest(cup.open_games, "cup-1-1", cup.now))
    calendar.tick(cup.open_games, cup.now)
    clocks.resume(DeskRequest(cup.open_games, "cup-1-1", cup.now + timedelta(hours=5)))


def votes(*agreed: bool) -> Secret:
    """Return a secret in which the first table votes on whether Atreides won."""

    def happens(cup: Cup) -> None:
        for number, yes in enumerate(agreed, 1):
            winners = [FACTIONS[0]] if yes else None
            with writing(cup.world.engine) as conn:
                found = tournaments.find_tournament(conn, CUP)
                adjudication.cast_vote(Session(conn, cup.open_games, cup.now), found, cup.entrant(number), winners)

    return happens


def has_a_leaver(cup: Cup) -> None:
    """Let a player at the first table leave, so that a standby is asked."""
    with writing(cup.world.engine) as conn:
        found = tournaments.find_tournament(conn, CUP)
        entries.leave_tournament(
            Session(conn, cup.open_games, cup.now), found, cup.entrant(1), "leave", By("", "entrant")
        )


def has_a_substitute(cup: Cup) -> None:
    """Give a seat at the first table to a standby."""
    substitutes.substitute(Caller(cup.open_games, cup.now, By(why="they are ill")), CUP, "1.1", FACTIONS[0], "E013")


def has_an_empty_seat(cup: Cup) -> None:
    """Let a player leave when no standby can take the seat."""
    with writing(cup.world.engine) as conn:
        for number in range(PLAYERS + 1, PLAYERS + STANDBYS + 1):
            tournaments.change_entrant(conn, CUP, number, no_show=True)
    has_a_leaver(cup)


def has_a_pair_apart(cup: Cup) -> None:
    """Keep a pair apart, one from each table."""
    with writing(cup.world.engine) as conn:
        tournaments.keep_apart(conn, CUP, PairApart(1, 7, "a quarrel"))


def all_write_but_one(cup: Cup) -> None:
    cup.wrote("cup-1-1", *FACTIONS[1:])
    cup.wrote("cup-1-2")


def all_write(cup: Cup) -> None:
    cup.wrote("cup-1-1")
    cup.wrote("cup-1-2")


def is_over(cup: Cup) -> None:
    cup.end("cup-1-1", FACTIONS[0])


def protests_about_it(cup: Cup) -> None:
    """Protest against the first table's result, and dismiss the protest."""
    with writing(cup.world.engine) as conn:
        found = tournaments.find_tournament(conn, CUP)
        results.file_protest(Session(conn, cup.open_games, cup.now), found, cup.entrant(2), "1.1", "They cheated.")


SECRETS = [
    moves_on, is_told_its_last_turn, is_paused, stood_still, votes(True), votes(True, False, True), votes(*4 * [True]),
    has_a_leaver, has_a_substitute, has_an_empty_seat, has_a_pair_apart,
]  # fmt: skip


def both(folder: Path, secret: Secret, before: Secret = nothing, settings: str = "") -> tuple[Cup, Cup]:
    return played(folder / "with", secret, before, settings), played(folder / "without", nothing, before, settings)


def same(with_it: Cup, without: Cup, more: frozenset[int] = frozenset()) -> None:
    """Check that everybody outside the first table receives and reads the same."""
    one, other = (seen_by(cup, SECOND | more, STRANGER) for cup in (with_it, without))
    for cup in (with_it, without):
        cup.world.engine.dispose()
    assert len(one["letters"]) > len(SECOND)  # type: ignore[arg-type]
    assert not differences(one, other)
    assert one == other


@pytest.mark.parametrize("secret", SECRETS, ids=lambda secret: secret.__qualname__)
def test_what_happens_at_a_running_table_is_not_seen_at_another(tmp_path: Path, secret: Secret) -> None:
    same(*both(tmp_path, secret))


def test_a_protest_about_a_result_is_not_seen_at_another_table(tmp_path: Path) -> None:
    same(*both(tmp_path, protests_about_it, is_over))


def test_who_has_not_shown_up_is_not_seen_at_another_table(tmp_path: Path) -> None:
    with_it, without = played(tmp_path / "with", nothing, all_write_but_one), played(tmp_path / "w", nothing, all_write)
    for cup in (with_it, without):
        cup.tick(100)
    assert with_it.held("atreides")[-1][1] == "substitute"
    same(with_it, without)


# --- a game that was rolled back -------------------------------------------------------------------------------------


def was_won_by(*factions: str) -> Secret:
    """Return a secret in which these factions won the first table's game before a rollback."""

    def happens(cup: Cup) -> None:
        cup.end("cup-1-1", *factions)
        cup.tick(0)
        with writing(cup.world.engine) as conn:
            conn.execute(update(GAME).where(GAME.c.id == "cup-1-1").values(status="running", turn=2, winners=""))
        cup.tick(0)
        assert cup.standing().state == "playing"

    return happens


@pytest.mark.parametrize("other", [[FACTIONS[1]], [FACTIONS[0], FACTIONS[2]], FACTIONS[3:]])
def test_who_had_won_a_game_that_was_taken_back_is_not_read_while_it_is_played_again(
    tmp_path: Path, other: list[str]
) -> None:
    same(played(tmp_path / "1", was_won_by(FACTIONS[0])), played(tmp_path / "2", was_won_by(*other)))


# --- what letter marks reveal ----------------------------------------------------------------------------------------


def much_happens_at_the_second(cup: Cup) -> None:
    """Fail a vote, let a player leave and dismiss a protest, each with its letters."""
    with writing(cup.world.engine) as conn:
        found = tournaments.find_tournament(conn, CUP)
        adjudication.cast_vote(Session(conn, cup.open_games, cup.now), found, cup.entrant(7), [FACTIONS[0]])
        adjudication.cast_vote(Session(conn, cup.open_games, cup.now), found, cup.entrant(8), None)
        entries.leave_tournament(
            Session(conn, cup.open_games, cup.now), found, cup.entrant(9), "leave", By("", "entrant")
        )
    cup.tick(24 * 6)
    cup.end("cup-1-2", FACTIONS[0])
    cup.tick(1)
    with writing(cup.world.engine) as conn:
        results.file_protest(Session(conn, cup.open_games, cup.now), found, cup.entrant(8), "1.2", "No.")
        number = tournaments.papers_of(conn, CUP, "protest")[0].id
    results.dismiss_protest(Caller(cup.open_games, cup.now, By(why="It was so.")), CUP, number)


@pytest.mark.parametrize("secret", [votes(True), votes(True, False), has_a_pair_apart])
def test_no_mark_of_a_letter_counts_what_others_filed(tmp_path: Path, secret: Secret) -> None:
    def both_tables(first: Secret) -> Secret:
        def happens(cup: Cup) -> None:
            first(cup)
            much_happens_at_the_second(cup)

        return happens

    same(played(tmp_path / "with", both_tables(secret)), played(tmp_path / "w", both_tables(nothing)), STANDBY)


# --- a hidden last turn ----------------------------------------------------------------------------------------------

HIDDEN = 'title = "The Cup"\n[rounds]\nheats = 2\nsemifinal = 0\n[endings]\nend = "hidden"\nwindow = [8, 10]\n'


def secret_with(first: int, second: int) -> str:
    """Return a tournament secret that gives the two tables these last turns."""
    every = (f"secret {number}" for number in range(1000))
    wanted = (first, second)
    return next(s for s in every if (hidden_last_turn(s, 1, 1, (8, 10)), hidden_last_turn(s, 1, 2, (8, 10))) == wanted)


def with_secret(secret: str) -> Secret:
    def before(cup: Cup) -> None:
        with writing(cup.world.engine) as conn:
            tournaments.touch(conn, CUP, secret=secret)

    return before


def comes_to_it(cup: Cup) -> None:
    """Move the first table to turn 7 and the second to turn 4."""
    cup.in_turn("cup-1-1", 7)
    cup.in_turn("cup-1-2", 4)


def test_a_hidden_last_turn_to_which_one_table_comes_is_not_seen_at_another(tmp_path: Path) -> None:
    told = played(tmp_path / "told", comes_to_it, with_secret(secret_with(8, 10)), HIDDEN)
    other = played(tmp_path / "other", comes_to_it, with_secret(secret_with(10, 10)), HIDDEN)
    assert (told.standing(1, 1).last_turn, other.standing(1, 1).last_turn) == (8, 0)
    same(told, other)


def test_when_one_table_ends_its_last_turn_says_nothing_about_anothers() -> None:
    others = Counter(
        hidden_last_turn(secret, 1, 2, (8, 10))
        for secret in map(str, range(900)) if hidden_last_turn(secret, 1, 1, (8, 10)) == 8
    )  # fmt: skip
    assert set(others) == {8, 9, 10}
    assert all(70 <= times <= 130 for times in others.values())
