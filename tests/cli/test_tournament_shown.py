"""Tests for each line that `mentat tournament show|round|standings` print."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest

from bot.cli.rounds import print_standings
from bot.competition.published import encode_published
from tests.cli.conftest import Mentat
from tests.cli.test_told_in_full import gives
from tests.cli.test_tournament_told import both, thing
from tests.competition.published_example import example
from tests.moderator.table import World

THEN = datetime(2027, 3, 1, 18, 5, tzinfo=UTC)


# --- show ------------------------------------------------------------------------------------------------------------


def seat(entrant: str | None, faction: str | None, dot: int) -> dict[str, Any]:
    return {"entrant": entrant, "faction": faction, "dot": dot}


TABLES = [
    {"table": "1.1", "state": "drawn", "game": "-", "seats": [seat("E001", None, 4), seat(None, None, 5)]},
    {
        "table": "1.2", "state": "running", "game": "cup-1-2", "turn": 3, "seats": [seat("E002", "guild", 5)],
    },
    {"table": "1.3", "state": "over", "game": "cup-1-3", "turn": 9, "winners": ["guild", "fremen"],
     "seats": [seat("E005", "guild", 2)]},
    {"table": "1.4", "state": "over", "game": "cup-1-4", "turn": 9, "winners": [],
     "seats": [seat("E006", "guild", 2)]},
]  # fmt: skip
SEEN = {
    "format": "heats and a final", "entrants": {"confirmed": 12, "waiting": 1}, "settings_sha256": "ab12",
    "beacon": "no beacon is named", "ends_about": THEN, "rounds": [
        {"round": 1, "kind": "heat", "state": "open", "ends": THEN, "tables": TABLES},
        {"round": 2, "kind": "final", "state": "drawn", "ends": None, "tables": []},
    ],
}  # fmt: skip


@pytest.fixture
def shown(monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """Return the tournament data that the commands show; a test may change it."""
    found = thing(id="cup", title="The [bold] Cup", state="running", beacon="")
    seen = {"found": found, "view": dict(SEEN)}
    monkeypatch.setattr("bot.store.tournaments.find_tournament", lambda *_: found)
    monkeypatch.setattr("bot.tournament.progress.find_viewer", lambda *_: "public")
    monkeypatch.setattr("bot.tournament.progress.tournament_view", lambda *_: seen["view"])
    return seen


def test_a_tournament_is_shown_with_its_rounds_and_tables(mentat: Mentat, shown: dict[str, Any]) -> None:
    assert mentat("tournament", "show", "cup").out.splitlines() == [
        "The [bold] Cup  cup, heats and a final, running", "entrants: 12 confirmed, 1 waiting", "settings: ab12",
        "no beacon is named", "round 1: heat, open, ends 2027-03-01 18:05Z", "  1.1  drawn  -  E001 4, nobody 5",
        "  1.2  running, turn 3  cup-1-2  E002 guild", "  1.3  over, turn 9, won by guild, fremen  cup-1-3  E005 guild",
        "  1.4  over, turn 9, won by nobody  cup-1-4  E006 guild", "round 2: final, drawn", "ends about 2027-03-01",
    ]  # fmt: skip


def test_a_tournament_of_nobody_is_shown_to_an_entrant_who_left(mentat: Mentat, shown: dict[str, Any]) -> None:
    shown["found"].beacon = "the lottery of Friday"
    shown["view"] |= {"entrants": {}, "rounds": [], "ends_about": None, "you": {"handle": "E003", "state": "left"}}
    assert mentat("tournament", "show", "cup", "--as", "E003").out.splitlines()[1:] == [
        "entrants: none", "settings: ab12", "beacon: the lottery of Friday", "you: E003, left",
    ]  # fmt: skip


# --- round -----------------------------------------------------------------------------------------------------------


def table(number: int, state: str, **changes: Any) -> Any:
    given = {"round": 2, "number": number, "state": state, "game_id": f"cup-2-{number}", "last_turn": 0}
    return thing(**given | {"deadline": None} | changes)


def on_table(here: Any, turn: int = 0, *, still: bool = False, result: Any = None) -> Any:
    return thing(table=here, turn=turn, still=still, ends=THEN, result=result)


def test_a_round_is_shown_with_where_each_table_is(mentat: Mentat, monkeypatch: pytest.MonkeyPatch) -> None:
    found = thing(number=2, kind="heat", state="open", opens=THEN, ends=THEN, noticed_at=None)
    result = thing(outcome="whoever", state="provisional")
    tables = [
        on_table(table(1, "drawn", game_id="")), on_table(table(2, "running"), 3),
        on_table(table(3, "running", last_turn=8, deadline=THEN), 7, still=True),
        on_table(table(4, "over"), 9, result=result),
    ]  # fmt: skip
    monkeypatch.setattr("bot.store.tournaments.find_tournament", lambda *_: thing(id="cup"))
    monkeypatch.setattr("bot.tournament.rounds.round_status", lambda *_: (found, tables))
    monkeypatch.setattr("bot.cli.rounds.result_in_words", lambda outcome: f"{outcome} by strongholds")
    told, document = both(mentat, "round", "cup", "2")
    assert told == [
        "Round 2 (heat) is open; it ends 2027-03-01 18:05Z.", "  2.1  -  drawn", "  2.2  cup-2-2  running, turn 3",
        "  2.3  cup-2-3  running, turn 7, last turn 8, clock stopped, ends 2027-03-01 18:05Z",
        "  2.4  cup-2-4  over, turn 9: whoever by strongholds (provisional)",
    ]  # fmt: skip
    assert [(each["table"], each["result"], each["result_state"]) for each in document["tables"]] == [
        ("2.1", None, None), ("2.2", None, None), ("2.3", None, None),
        ("2.4", "whoever by strongholds", "provisional"),
    ]  # fmt: skip


@pytest.mark.parametrize(
    "words", [("show", "2"), ("2", "close", "now"), ("2", "extend"), ("2", "extend", "3", "4"), ("٢",), ("2", "end")]
)
def test_a_round_is_asked_for_as_it_is_written(mentat: Mentat, words: tuple[str, ...]) -> None:
    refused = mentat("tournament", "round", "cup", *words)
    assert (refused.code, refused.out) == (2, "")
    assert "Write `mentat tournament round ID [N] show|" in refused.err


# --- standings -------------------------------------------------------------------------------------------------------


@pytest.fixture
def published(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Return the standings of a finished tournament."""
    document = example()
    monkeypatch.setattr("bot.cli.rounds._published", lambda *_: document)
    return document


def test_why_names_the_stage_that_an_entrant_reached(mentat: Mentat, published: Any) -> None:
    rows = mentat("tournament", "standings", "cup", "--json").json["standings"]
    assert len(rows) > 2
    first = rows[0]
    assert first["stage"] == "final 1st"
    told = mentat("tournament", "standings", "cup", "--why", first["entrant"]).out
    assert f"{first['entrant']}): final 1st, {first['points']} points" in told or (
        f"{first['entrant']}: final 1st, {first['points']} points" in told
    )
    assert mentat("tournament", "standings", "cup", "--why", first["entrant"], "--json").json["standings"] == [first]


def test_nobody_stands_anywhere_before_the_first_result(capsys: pytest.CaptureFixture[str]) -> None:
    print_standings((), {})
    assert capsys.readouterr().out == "Nobody is in the standings yet.\n"


def test_a_folder_that_is_named_is_no_tournament(mentat: Mentat, place: World) -> None:
    refused = mentat("tournament", "verify", "exports/cup")
    assert (refused.code, refused.out) == (2, "")
    assert "There is no file exports/cup." in refused.err


# --- other output ----------------------------------------------------------------------------------------------------


def test_a_protest_is_dismissed_and_programs_are_told_so(mentat: Mentat, monkeypatch: pytest.MonkeyPatch) -> None:
    gives(monkeypatch, "bot.tournament.results.dismiss_protest", None)
    told, document = both(mentat, "protests", "cup", "4", "--dismiss", "--why", "It was seen by all.")
    assert told == ["Protest 4 is dismissed; the player who filed it is told why."]
    assert document == {"tournament": "cup", "protest": 4, "state": "dismissed"}


@pytest.mark.parametrize("held", ["guild=7", "guild=²", "guild=-1", "guild", "guild=two"])
def test_strongholds_are_counted_in_plain_digits(mentat: Mentat, held: str) -> None:
    refused = mentat("tournament", "amend", "cup", "1.2", "--strongholds", held)
    assert (refused.code, refused.out) == (2, "")
    assert "write it like guild=2." in refused.err


def test_only_the_settings_of_a_tournament_are_amended_from_a_file(mentat: Mentat) -> None:
    refused = mentat("tournament", "amend", "cup", "rules", "cup.toml", "--why", "so")
    assert (refused.code, refused.out) == (2, "")
    assert "cup.toml: only `mentat tournament amend cup settings FILE` takes a file." in refused.err


def test_an_export_is_read_from_a_file_of_any_name(mentat: Mentat, place: World) -> None:
    file = place.settings.mentat.database.parent / "arrakeen"
    file.write_bytes(encode_published(example()))
    assert mentat("tournament", "verify", str(file)).code == 0
