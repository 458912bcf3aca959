"""An anonymous entrant cannot be identified by the rating at entry, its changes or the public list. No public rating
changes before its tournament is over."""

from __future__ import annotations

from pathlib import Path

import pytest

from bot.archive import shelf
from bot.competition.published import decode_published, encode_published
from bot.competition.ratings import first_rating_difference
from bot.store import ratings, tournament_rounds, tournaments
from bot.store.database import Engine, open_database, writing
from bot.store.publication import Viewer, published_tournament
from bot.store.tournament_rounds import Round, RoundTable
from bot.tournament.entries import form_at_entry
from tests.competition.rated_tournament import NOW, make, write

ANN = "a"
VIEWERS: tuple[Viewer, ...] = ("everybody", "entrant")


def two_tournaments(folder: Path, first: str, steps: int) -> tuple[Engine, list[str]]:
    """Set up a finished event that Ann won by name, and "cup", whose anonymous first entrant is Ann or somebody else.
    Return the engine and everything public after `steps` results."""
    folder.mkdir()
    engine = open_database(folder / "mentat.db")
    with writing(engine) as conn:
        make(conn, "before")
        write(conn, "before", 1, ["atreides"])
        tournaments.touch(conn, "before", state="finished")
        ratings.keep_up(conn, NOW)
        make(conn, "cup", people=[first, "h", "i", "j", "k", "l"])
        rating, reliability = form_at_entry(conn, f"{first}@example.org")
        tournaments.change_entrant(
            conn, "cup", 1, name="", shown=False, rating=rating, reliability=reliability, confirmed_at=NOW,
            state="playing",
        )  # fmt: skip
        tournament_rounds.add_round(conn, Round("cup", 1, "heat", "playing", NOW))
        for number in range(1, steps + 1):
            tournament_rounds.add_tables(conn, [RoundTable("cup", 1, number, 6, f"cup-{number}", "finished")], [])
            write(conn, "cup", number, ["atreides"] if number % 2 else ["guild", "fremen"])
        ratings.keep_up(conn, NOW)
        if steps == 3:
            tournament_rounds.change_round(conn, "cup", 1, state="closed")
            tournaments.touch(conn, "cup", state="finished")
        pages = [encode_published(published_tournament(conn, "cup", NOW, viewer)).decode() for viewer in VIEWERS]
    return engine, [*pages, str(shelf.rating_list(engine).factions), _list(engine)]


def _list(engine: Engine) -> str:
    """Return the public list without the arbitrary numbers of anonymous players."""
    rows = shelf.rating_list(engine).players
    named = sorted((one.name, one.rating, one.games) for one in rows if not one.name.startswith("player"))
    nameless = sorted((one.rating, one.games) for one in rows if one.name.startswith("player"))
    return f"{named} {nameless}"


@pytest.mark.parametrize("steps", [0, 1, 2, 3])
def test_a_nameless_entrant_is_not_known_by_their_rating(tmp_path: Path, steps: int) -> None:
    one, own = two_tournaments(tmp_path / "ann", ANN, steps)
    other, theirs = two_tournaments(tmp_path / "nobody", "z", steps)
    one.dispose()
    other.dispose()
    assert own == theirs


def test_with_a_name_the_rating_goes_on_where_it_was_and_checks(tmp_path: Path) -> None:
    engine, pages = two_tournaments(tmp_path / "ann", ANN, 3)
    assert first_rating_difference(decode_published(pages[0].encode())) == ""
    with writing(engine) as conn:
        tournaments.change_entrant(conn, "cup", 1, name="Ann", shown=True)
        document = published_tournament(conn, "cup", NOW)
    engine.dispose()
    assert document.opening["E001"] == "1540.000000 1"
    assert first_rating_difference(document) == ""


def test_no_rating_moves_in_public_before_the_tournament_is_over(tmp_path: Path) -> None:
    _, before = two_tournaments(tmp_path / "0", ANN, 0)
    _, after = two_tournaments(tmp_path / "2", ANN, 2)
    assert before[2:] == after[2:]
