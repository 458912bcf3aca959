"""Players at a table do not learn who proposed to end the game, how anybody voted, who protests or why a seat is
empty."""

from __future__ import annotations

from pathlib import Path

import pytest

from bot.games.open_games import Session
from bot.store import tournaments
from bot.store.database import writing
from bot.tournament import adjudication, entries, results, substitutes
from bot.tournament.desk import By, Caller, Refused
from rules.components import FACTIONS
from tests.tournament.cup import CUP, Cup, address, cup_at
from tests.tournament.twin_events import LINES, Secret, ask, differences, letters, seen_by

VIEWERS = frozenset({4, 5, 6, 7, 12})
"""Other players at the first table, and two at the second."""
OTHER_TABLE = frozenset({7, 12})


def vote(cup: Cup, number: int, *, agreed: bool) -> None:
    with writing(cup.world.engine) as conn:
        found = tournaments.find_tournament(conn, CUP)
        adjudication.cast_vote(
            Session(conn, cup.open_games, cup.now), found, cup.entrant(number), [FACTIONS[0]] if agreed else None
        )


def votes(*how: int) -> Secret:
    """Return a secret in which these entrants vote in order; a negative number votes against."""

    def happens(cup: Cup) -> None:
        for number in how:
            vote(cup, abs(number), agreed=number > 0)

    return happens


def told(folder: Path, secret: Secret, days: int = 6, viewers: frozenset[int] = VIEWERS) -> dict[str, object]:
    folder.mkdir()
    cup = cup_at(folder)
    cup.round()
    cup.wrote("cup-1-1")
    cup.wrote("cup-1-2")
    cup.tick(1)
    secret(cup)
    for _ in range(days):
        cup.tick(24)
    for number in viewers:
        ask(cup.world, address(number), LINES[number % len(LINES)])
    found = seen_by(cup, viewers)
    cup.world.engine.dispose()
    return found


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (votes(1), votes(2)),
        (votes(1, -2), votes(1)),
        (votes(1, -2), votes(2, -3)),
        (votes(1, 2, 3), votes(3, -1, -2)),
        (votes(1, -1), votes(2, 1)),
    ],
)
def test_a_vote_that_fails_tells_nobody_who_proposed_it_or_was_against(
    tmp_path: Path, one: Secret, other: Secret
) -> None:
    assert not differences(told(tmp_path / "1", one), told(tmp_path / "2", other))


def test_a_vote_on_which_all_agree_tells_nobody_who_was_first(tmp_path: Path) -> None:
    one, other = votes(1, 2, 3, 4, 5, 6), votes(6, 5, 4, 3, 2, 1)
    assert not differences(told(tmp_path / "1", one), told(tmp_path / "2", other))


def test_how_somebody_voted_is_forgotten_when_it_is_counted(tmp_path: Path) -> None:
    cup = cup_at(tmp_path)
    cup.round()
    votes(1, -2)(cup)
    cup.tick(24 * 6)
    assert {paper.words for paper in cup.papers("vote", state=None)} == {""}
    cup.world.engine.dispose()


def ends(cup: Cup) -> None:
    cup.end("cup-1-1", FACTIONS[0])
    cup.tick(0)


def is_protested_by(number: int) -> Secret:
    def happens(cup: Cup) -> None:
        ends(cup)
        with writing(cup.world.engine) as conn:
            found = tournaments.find_tournament(conn, CUP)
            results.file_protest(
                Session(conn, cup.open_games, cup.now), found, cup.entrant(number), "1.1", "They cheated."
            )

    return happens


def test_the_others_at_the_table_do_not_see_who_protests(tmp_path: Path) -> None:
    one, other = told(tmp_path / "1", is_protested_by(1), 2), told(tmp_path / "2", is_protested_by(2), 2)
    assert not differences(one, other)


def is_dismissed(words: str) -> Secret:
    """Return a secret in which a protest is dismissed with these words."""

    def happens(cup: Cup) -> None:
        is_protested_by(1)(cup)
        with writing(cup.world.engine) as conn:
            number = tournaments.papers_of(conn, CUP, "protest")[0].id
        results.dismiss_protest(Caller(cup.open_games, cup.now, By(why=words)), CUP, number)

    return happens


def test_other_tables_never_learn_of_a_protest(tmp_path: Path) -> None:
    one, other = (tmp_path / "1", is_dismissed("It was so.")), (tmp_path / "2", ends)
    assert not differences(told(*one, viewers=OTHER_TABLE), told(*other, viewers=OTHER_TABLE))


# --- why a seat is empty ---------------------------------------------------------------------------------------------


def nobody_waits(cup: Cup) -> None:
    with writing(cup.world.engine) as conn:
        for number in (13, 14, 15):
            tournaments.change_entrant(conn, CUP, number, state="withdrawn")


def leaves(cup: Cup) -> None:
    nobody_waits(cup)
    with writing(cup.world.engine) as conn:
        found = tournaments.find_tournament(conn, CUP)
        by = By("", "entrant", "a death in the family")
        entries.leave_tournament(Session(conn, cup.open_games, cup.now), found, cup.entrant(1), "leave", by)


def is_taken_out(cup: Cup) -> None:
    nobody_waits(cup)
    by = By(why="they insult others")
    substitutes.substitute(Caller(cup.open_games, cup.now, by), CUP, "1.1", FACTIONS[0], "")


def test_why_a_seat_is_empty_is_not_told_to_the_table(tmp_path: Path) -> None:
    assert not differences(told(tmp_path / "1", leaves, 1), told(tmp_path / "2", is_taken_out, 1))


def test_who_is_asked_to_be_a_substitute_is_told_no_name_and_no_reason(cup: Cup) -> None:
    cup.round()
    with writing(cup.world.engine) as conn:
        found = tournaments.find_tournament(conn, CUP)
        by = By("", "entrant", "a death in the family")
        entries.leave_tournament(Session(conn, cup.open_games, cup.now), found, cup.entrant(1), "leave", by)
    asked = cup.letters(13)[-1]
    for words in ("Player 1 ", "E001", "death", address(1)):
        assert words not in asked.text + asked.html
    with pytest.raises(Refused, match="You are not being offered a seat"), writing(cup.world.engine) as conn:
        substitutes.answer_seat_offer(Session(conn, cup.open_games, cup.now), found, cup.entrant(14), True)
    assert not letters(cup.world, {address(14), address(15)})
