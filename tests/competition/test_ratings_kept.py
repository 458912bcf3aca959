"""Tests for ratings in the database and in an export: computed from results, and recomputed."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date
from pathlib import Path

import pytest
from msgspec.structs import replace
from sqlalchemy import select

from bot.competition.outcomes import Tenure
from bot.competition.published import Published, Result
from bot.competition.ratings import Rated, first_rating_difference, read_opening, read_rating
from bot.store import ratings, tournament_rounds, tournaments
from bot.store.database import Connection, Engine, open_database, reading, writing
from bot.store.ratings import RATING
from bot.store.retention import empty_person
from tests.competition.a_table import SIX
from tests.competition.rated_tournament import NOW, make, write


@pytest.fixture
def engine(tmp_path: Path) -> Iterator[Engine]:
    made = open_database(tmp_path / "mentat.db")
    yield made
    made.dispose()


def rating(conn: Connection, letter: str) -> Rated:
    return ratings.of_person(conn, f"{letter}@example.org")


def test_a_result_moves_the_ratings_of_its_players(engine: Engine) -> None:
    with writing(engine) as conn:
        make(conn, "cup")
        write(conn, "cup", 1, ["atreides"])
        assert ratings.keep_up(conn, NOW)
        assert not ratings.keep_up(conn, NOW)
    with reading(engine) as conn:
        assert rating(conn, "a") == Rated(1540.0, 1)
        assert rating(conn, "b") == Rated(1492.0, 1)
        assert rating(conn, "g") == Rated(1500.0, 0)
        assert [one.shown for one in ratings.persons(conn)][:2] == ["A", "player 2"]
        assert {row.number for row in conn.execute(select(RATING))} == {1}, "games are counted from one"


def test_an_amended_result_moves_all_that_came_later_and_a_withdrawn_one_counts_no_more(engine: Engine) -> None:
    with writing(engine) as conn:
        make(conn, "cup")
        for number in range(1, 6):
            write(conn, "cup", number, [SIX[number]])
        ratings.keep_up(conn, NOW)
        before = ratings.history(conn, 1)
        kept = write(conn, "cup", 2, ["atreides"])
        assert ratings.keep_up(conn, NOW)
        after = ratings.history(conn, 1)
        assert after[0] == before[0]
        assert all(one.after != other.after for one, other in zip(after[1:], before[1:], strict=True))
        tournament_rounds.set_result_state(conn, kept, "withdrawn")
        assert ratings.keep_up(conn, NOW)
        assert [moved.game_id for moved in ratings.history(conn, 1)] == ["cup-1", "cup-3", "cup-4", "cup-5"]
        assert ratings.recompute(conn) == 4


def test_what_factions_add_leaves_out_a_game_whose_result_has_gone_since(engine: Engine) -> None:
    with writing(engine) as conn:
        make(conn, "cup")
        kept = write(conn, "cup", 1, ["atreides"])
        ratings.keep_up(conn, NOW)
        worth = ratings.factions(conn)
        assert {faction for _, _, faction in worth} == set(SIX)
        tournament_rounds.set_result_state(conn, kept, "withdrawn")
        assert ratings.factions(conn) == {}
        ratings.recompute(conn)
        assert ratings.factions(conn) == {}


def test_a_tournament_that_is_not_rated_moves_nobody(engine: Engine) -> None:
    with writing(engine) as conn:
        make(conn, "fun", rated=False)
        write(conn, "fun", 1, ["atreides"])
        ratings.keep_up(conn, NOW)
        assert ratings.persons(conn) == []
        assert ratings.of_tournament(conn, "fun") == ({}, ())


def test_a_person_has_one_rating_in_all_tournaments(engine: Engine) -> None:
    with writing(engine) as conn:
        make(conn, "cup")
        make(conn, "open", people="gfedcba")
        write(conn, "cup", 1, ["atreides"])
        write(conn, "open", 2, ["atreides"])
        ratings.keep_up(conn, NOW)
        assert [moved.before for moved in ratings.history(conn, 6)] == ["1500.000000", "1492.000000"]
        assert rating(conn, "b").games == 2
        assert len(ratings.persons(conn)) == 7


def test_who_leaves_and_who_comes_in_both_have_a_row(engine: Engine) -> None:
    seat = (Tenure(entrant="E005", first=1, last=3), Tenure(entrant="E007", first=4, last=10, why="substitute"))
    with writing(engine) as conn:
        make(conn, "cup")
        write(conn, "cup", 1, ["guild"], tenures={"guild": seat})
        ratings.keep_up(conn, NOW)
        assert rating(conn, "g") == Rated(1540.0, 1)
        assert rating(conn, "e") == Rated(1492.0, 1)


def test_a_deleted_person_leaves_a_nameless_number(engine: Engine) -> None:
    with writing(engine) as conn:
        make(conn, "cup")
        write(conn, "cup", 1, ["atreides"])
        write(conn, "cup", 2, ["fremen"])
        ratings.keep_up(conn, NOW)
        before = ratings.persons(conn)
        empty_person(conn, "a@example.org")
        empty_person(conn, "c@example.org")
        ratings.recompute(conn)
        after = ratings.persons(conn)
        assert [(one.id, one.rated) for one in after] == [(one.id, one.rated) for one in before]
        assert {one.shown for one in after} == {"player 1", "player 2", "player 3", "D", "E", "F"}
        assert ratings.find(conn, "a@example.org") is None
        assert ratings.find(conn, "player 1") == next(one for one in after if one.id == 1)
        assert all("example.org" not in one.address for one in tournaments.entrants_of(conn, "cup")[:1])


def test_a_person_is_found_by_address_name_or_number(engine: Engine) -> None:
    with writing(engine) as conn:
        make(conn, "cup")
        write(conn, "cup", 1, ["atreides"])
        ratings.keep_up(conn, NOW)
        found = [ratings.find(conn, who) for who in ("a@example.org", "A@Example.org", "a", "1", "player 1")]
        assert all(one is not None and one.id == 1 for one in found)
        assert ratings.find(conn, "nobody") is None
        ratings.set_private(conn, 1, True)
        assert [one.private for one in ratings.persons(conn)].count(True) == 1


def test_the_public_list_is_by_tournaments_that_are_over_and_without_who_wishes_to_be_left_out(engine: Engine) -> None:
    with writing(engine) as conn:
        make(conn, "cup")
        make(conn, "open", people="gfedcba")
        write(conn, "cup", 1, ["atreides"])
        write(conn, "open", 1, ["atreides"])
        ratings.keep_up(conn, NOW)
        assert ratings.public_list(conn) == ([], {})
        tournaments.touch(conn, "cup", state="finished")
        listed, worth = ratings.public_list(conn)
        assert [(one.shown, one.rated.rating) for one in listed][:2] == [("A", 1540.0), ("player 2", 1492.0)]
        assert len(listed) == 6
        assert worth["wbc-2018", 6, "atreides"] > 0
        ratings.set_private(conn, listed[0].id, True)
        assert "A" not in [one.shown for one in ratings.public_list(conn)[0]]


def export(conn: Connection, name: str) -> Published:
    """Return a tournament's published ratings."""
    opening, changes = ratings.of_tournament(conn, name)
    told = tuple(
        Result(outcome=one.outcome, state=one.state, day=one.at.date())
        for one in tournament_rounds.result_versions(conn, name)
    )
    return Published(
        tournament=name, settings="", settings_sha256="", state="running", commitment="", results=told,
        opening=opening, ratings=changes,
    )  # fmt: skip


def test_the_ratings_of_an_export_follow_from_its_results(engine: Engine) -> None:
    with writing(engine) as conn:
        make(conn, "cup")
        make(conn, "open", people="gfedcba")
        for number in range(1, 4):
            write(conn, "cup", number, [SIX[number]])
        for number in range(5, 9):
            kind = "adjudicated" if number == 6 else "stronghold"
            write(conn, "open", number, [SIX[number % 6], SIX[(number + 2) % 6]], kind=kind)
        write(conn, "open", 6, ["guild"])
        document = export(conn, "open")
    assert document.opening["E003"].endswith(" 3")
    assert read_opening(document.opening).factions["wbc-2018", 6, "fremen"] != 0
    assert len(document.ratings) == 24
    assert first_rating_difference(document) == ""


def changed(document: Published, what: str) -> Published:
    told, moved = list(document.results), list(document.ratings)
    if what == "a result is missing":
        del told[1]
    elif what == "another has won":
        told[0] = replace(told[0], outcome=replace(told[0].outcome, winners=("harkonnen",)))
    elif what == "another order":
        told[0] = replace(told[0], outcome=replace(told[0].outcome, ended=date(2027, 1, 1)))
    elif what == "a digit":
        moved[7] = replace(moved[7], after="1500.000001")
    elif what == "a change is missing":
        moved.pop()
    elif what == "a change too many":
        moved.append(moved[-1])
    elif what == "the opening":
        return replace(document, opening={"E001": "1500"})
    return replace(document, results=tuple(told), ratings=tuple(moved))


@pytest.mark.parametrize(
    "what",
    ["a result is missing", "another has won", "another order", "a digit", "a change is missing", "a change too many",
     "the opening"],
)  # fmt: skip
def test_the_first_difference_of_an_export_is_named(engine: Engine, what: str) -> None:
    with writing(engine) as conn:
        make(conn, "cup")
        for number in range(1, 5):
            write(conn, "cup", number, [SIX[number]])
        document = export(conn, "cup")
    assert first_rating_difference(document) == ""
    assert first_rating_difference(changed(document, what)) != ""
    if what == "a digit":
        assert "after is 1500.000001" in first_rating_difference(changed(document, what))


def test_a_rating_at_entry_is_read_again() -> None:
    assert read_rating("1537.250000 30") == Rated(1537.25, 30)
    with pytest.raises(ValueError, match="not a rating"):
        read_rating("1537")
