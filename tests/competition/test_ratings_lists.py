"""Tests for places in rating lists, and for the ratings with which a tournament's games start."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date
from pathlib import Path

import pytest

from bot.competition.ratings import Rated
from bot.store import ratings, tournaments
from bot.store.database import Engine, open_database, writing
from bot.store.ratings import RatedPerson, find, of_tournament, public_list, ranks
from tests.competition.rated_tournament import NOW, make, write


@pytest.fixture
def engine(tmp_path: Path) -> Iterator[Engine]:
    made = open_database(tmp_path / "mentat.db")
    yield made
    made.dispose()


def test_a_rank_is_for_five_games_and_the_same_for_the_same_rating() -> None:
    everybody = [
        RatedPerson(number, "", False, Rated(rating, games))
        for number, (rating, games) in enumerate([(1700.0, 4), (1600.0, 5), (1600.0, 9), (1500.0, 6), (1400.0, 0)], 1)
    ]
    assert ranks(everybody) == {2: 1, 3: 1, 4: 3}


def test_a_ladder_counts_while_it_goes_on_and_a_tournament_that_is_not_rated_never(engine: Engine) -> None:
    with writing(engine) as conn:
        make(conn, "fun", rated=False, people="ghijkl")
        write(conn, "fun", 1, ["atreides"])
        tournaments.touch(conn, "fun", state="finished")
        make(conn, "climb", people="ghijkl", settings='format = "ladder"\n')
        write(conn, "climb", 1, ["atreides"])
        make(conn, "cup", people="mnopqr")
        write(conn, "cup", 1, ["atreides"])
        ratings.keep_up(conn, NOW)
        listed, _ = public_list(conn)
        assert sorted((one.shown, one.rated.games) for one in listed) == [(letter, 1) for letter in "GHIJKL"]


def test_who_has_a_name_that_another_has_too_is_not_found_by_it(engine: Engine) -> None:
    with writing(engine) as conn:
        make(conn, "cup")
        write(conn, "cup", 1, ["atreides"])
        ratings.keep_up(conn, NOW)
        tournaments.change_entrant(conn, "cup", 3, name="A")
        write(conn, "cup", 2, ["atreides"])
        ratings.keep_up(conn, NOW)
        assert [one.id for one in ratings.persons(conn) if one.shown == "A"] == [1, 3]
        assert find(conn, "a") is None
        found = find(conn, "c@example.org")
        assert found is not None
        assert (found.id, found.shown, found.rated.games) == (3, "A", 2)


def test_a_tournament_starts_from_the_games_of_others_that_ended_before_its_first(engine: Engine) -> None:
    days = (date(2026, 5, 1), date(2026, 5, 9), date(2026, 5, 20))
    with writing(engine) as conn:
        make(conn, "open")
        make(conn, "fun", rated=False)
        make(conn, "cup")
        write(conn, "open", 1, ["atreides"], ended=days[0])
        write(conn, "open", 2, ["guild"], ended=days[2])
        write(conn, "fun", 1, ["fremen"], ended=days[0])
        assert of_tournament(conn, "cup") == ({}, ())
        write(conn, "cup", 1, ["fremen"], ended=days[1])
        opening, changes = of_tournament(conn, "cup")
        assert {key: text for key, text in opening.items() if "/" not in key} == {
            "E001": "1540.000000 1", "E003": "1492.000000 1", "E004": "1492.000000 1", "E005": "1492.000000 1",
            "E006": "1492.000000 1", "E002": "1492.000000 1",
        }  # fmt: skip
        assert {change.game for change in changes} == {"cup-1"}
        assert {change.before for change in changes} == {"1540.000000", "1492.000000"}


def test_games_of_a_day_that_is_not_known_come_last_by_their_names(engine: Engine) -> None:
    with writing(engine) as conn:
        for name in ("a-cup", "m-cup", "z-cup"):
            make(conn, name)
            write(conn, name, 1, ["atreides"])
        opening, _ = of_tournament(conn, "m-cup")
        assert opening["E001"].endswith(" 1")
        write(conn, "z-cup", 2, ["atreides"], ended=date(2026, 5, 1))
        opening, _ = of_tournament(conn, "m-cup")
        assert opening["E001"].endswith(" 2")


def test_only_what_factions_are_worth_at_tables_of_the_same_kind_is_published(engine: Engine) -> None:
    with writing(engine) as conn:
        make(conn, "open")
        make(conn, "cup")
        early = date(2026, 5, 1)
        write(conn, "open", 1, ["atreides"], ended=early)
        write(conn, "open", 2, ["atreides"], ended=early, players=("E001", "E002", "E003", "E004"))
        write(conn, "open", 3, ["atreides"], ended=early, ruleset="ah-basic")
        write(conn, "cup", 1, ["fremen"])
        opening, _ = of_tournament(conn, "cup")
        assert {key.rpartition("/")[0] for key in opening if "/" in key} == {"wbc-2018/6"}
        assert len([key for key in opening if "/" in key]) == 6
