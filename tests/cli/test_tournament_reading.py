"""Tests for `mentat tournament standings|export|verify`."""

from __future__ import annotations

import csv
import io
import json
import re
from itertools import pairwise
from pathlib import Path

import pytest

from bot.cli.rounds import print_standings
from bot.competition.published import encode_published
from bot.tournament.desk import Caller
from tests.cli.conftest import Mentat
from tests.competition.published_example import example
from tests.moderator.table import World
from tests.tournament.cup import CUP, Cup, Entered, address

HEAT = 'title = "The Cup"\n[rounds]\nheats = 1\nsemifinal = 0\nfinal = 6\n'


@pytest.fixture
def played(place: World) -> Cup:
    """Return a cup in which one table has finished."""
    made = Cup(place)
    made.round()
    made.end("cup-1-1", "atreides", "fremen")
    made.tick(1)
    return made


def test_standings_count_what_stands_and_with_provisional_the_rest(mentat: Mentat, played: Cup) -> None:
    shown = mentat("tournament", "standings", "cup")
    assert shown.code == 0
    assert "1 provisional result is not counted; --provisional counts them." in shown.out
    assert "still playing: 1" in shown.out
    with_it = mentat("tournament", "standings", "cup", "--provisional", "--json").json
    assert [row["points"] for row in with_it["standings"]][:3] == ["8", "8", "0"]
    assert with_it["left_out"] == 0
    played.tick(80)
    assert [row["points"] for row in mentat("tournament", "standings", "cup", "--json").json["standings"]][:2] == [
        "8",
        "8",
    ]


def test_why_gives_each_number_its_origin_and_what_parted_neighbours(mentat: Mentat, played: Cup) -> None:
    first = mentat("tournament", "standings", "cup", "--provisional", "--json").json["standings"][0]["entrant"]
    told = mentat("tournament", "standings", "cup", "--provisional", "--why", first.lower()).out
    assert f"1. {first}: 8 points" in told
    assert "round 1, table 1" in told
    assert "pair, stronghold" in told
    assert "is ahead of" in told
    assert " against " in told


def test_why_names_both_neighbours_and_the_one_that_the_first_and_the_last_have(mentat: Mentat, played: Cup) -> None:
    ranked = [
        row["entrant"] for row in mentat("tournament", "standings", "cup", "--provisional", "--json").json["standings"]
    ]
    for place, entrant in enumerate(ranked):
        told = " ".join(mentat("tournament", "standings", "cup", "--provisional", "--why", entrant).out.split())
        beside = [f"{one} is ahead of {other}" for one, other in pairwise(ranked) if entrant in (one, other)]
        assert re.findall(r"E\d+ is ahead of E\d+", told) == beside, place


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (("standings", "nowhere"), 2, "There is no tournament 'nowhere'"),
        (("standings", "cup", "--after", "7"), 1, "cup has no round 7 yet."),
        (("standings", "cup", "--why", "E099"), 1, "'E099' is not in the standings of cup."),
        (("export", "cup", "--format", "pdf"), 2, "is not one of json, csv, results-csv, markdown, bbcode"),
        (("export", "cup", "--for", "me"), 2, "is not one of everybody, entrant, directors"),
        (("export", "cup", "no/such/folder/cup.json"), 2, "cannot be written"),
        (("verify", "nothing.json"), 2, "There is no file nothing.json."),
        (("verify", "nowhere"), 2, "There is no tournament 'nowhere'"),
    ],
)
def test_what_is_not_there_is_refused_with_a_sentence(
    mentat: Mentat, played: Cup, words: tuple[str, ...], code: int, said: str
) -> None:
    refused = mentat("tournament", *words)
    assert (refused.code, refused.out) == (code, "")
    assert said in " ".join(refused.err.split())


def test_an_export_is_written_whole_checks_and_names_what_was_changed(
    mentat: Mentat, place: World, tmp_path: Path
) -> None:
    from bot.tournament import preparation

    cup = Entered(place)
    preparation.new_tournament(Caller(cup.open_games, place.now), CUP, HEAT, secret="spice-must-flow")
    preparation.open_entries(Caller(cup.open_games, place.now), CUP)
    cup.enter(12)
    cup.draw()
    file = tmp_path / "cup.json"
    written = mentat("tournament", "export", "cup", str(file), "--json").json
    assert written["sum"] == json.loads(file.read_bytes())["sum"]
    right = mentat("tournament", "verify", str(file))
    assert right.code == 0
    assert ": settings, draws, points, places and ratings." in right.out
    assert "Proved by records: the winners of 0 of 0 tables." in right.out
    assert mentat("tournament", "verify", "cup").code == 0
    data = file.read_bytes()
    file.write_bytes(data.replace(b'"dot": 2', b'"dot": 3', 1))
    wrong = mentat("tournament", "verify", str(file))
    assert wrong.code == 1
    assert "by the seed" in wrong.err
    told = mentat("tournament", "verify", str(file), "--json")
    assert (told.code, told.json["right"]) == (1, False)


def test_an_export_of_another_place_is_checked_from_the_file_alone(
    mentat: Mentat, place: World, tmp_path: Path
) -> None:
    file = tmp_path / "arrakeen.json"
    file.write_bytes(encode_published(example()))
    assert mentat("tournament", "verify", str(file)).code == 0
    file.write_bytes(b"not JSON")
    wrong = mentat("tournament", "verify", str(file))
    assert (wrong.code, wrong.out) == (2, "")
    assert "not an export of a tournament" in wrong.err


def test_the_end_of_a_files_name_says_its_form(mentat: Mentat, played: Cup, tmp_path: Path) -> None:
    for ending, begins in ((".csv", "place,"), (".md", "#"), (".bbcode", "["), (".json", "{"), ("", "{")):
        file = tmp_path / f"cup{ending}"
        assert mentat("tournament", "export", "cup", str(file)).code == 0
        assert file.read_text(encoding="utf-8-sig").startswith(begins)


def test_the_table_shows_the_final_beside_the_points_that_it_does_not_change(
    mentat: Mentat, played: Cup, capfd: pytest.CaptureFixture[str]
) -> None:
    assert "stage" not in mentat("tournament", "standings", "cup", "--provisional").out
    print_standings(example().standings, {})
    shown = capfd.readouterr().out
    assert "stage" in shown
    assert "final 1st" in shown
    assert "Everybody who reached the final is ranked first" in shown


def test_a_name_in_the_standings_stands_as_its_owner_writes_it(capsys: pytest.CaptureFixture[str]) -> None:
    rows = example().standings
    print_standings(rows, {rows[0].entrant: "Ann [bold] of [/house]"})
    assert "Ann [bold] of [/house]" in capsys.readouterr().out


def test_standings_go_to_standard_output_as_csv_without_addresses(mentat: Mentat, played: Cup) -> None:
    told = mentat("tournament", "export", "cup", "--format", "csv").out
    rows = list(csv.reader(io.StringIO(told)))
    assert rows[0][:4] == ["place", "entrant", "name", "points"]
    assert len(rows) == 13
    assert address(1) not in told


def test_standings_before_anybody_has_entered_are_a_sentence(capsys: pytest.CaptureFixture[str]) -> None:
    print_standings((), {})
    assert capsys.readouterr().out == "Nobody is in the standings yet.\n"
