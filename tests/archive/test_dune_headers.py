"""Tests for the text of a record: its headers, its acts and quoted text."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec.structs import replace

from bot.record.dune import act_text, headers, result, write_dune
from bot.record.dune_reader import parse_dune
from bot.record.lines import Act, End
from bot.record.reader import ReadRecord, read_record
from tests.archive.records import recorded


def with_options(options: dict[str, Any], ruleset: str = "wbc-2018") -> ReadRecord:
    """Return a record with a different header; its lines are not replayed."""
    known = read_record(recorded())
    return ReadRecord(known.data, [replace(known.head, options=options, ruleset=ruleset), *known.lines[1:]])


@pytest.mark.parametrize(
    ("value", "written"),
    [
        ("forbidden", "forbidden"), ("true", '"true"'), ("null", '"null"'), (True, "true"), (None, "null"),
        (5, "5"), ("two words", '"two words"'), ("", '""'), (["a", "b"], '["a", "b"]'), ("5", '"5"'),
    ],
)  # fmt: skip
def test_an_option_is_a_plain_word_where_it_is_read_back_as_one(value: Any, written: str) -> None:
    assert headers(with_options({"x": value}), {})["Options"] == f"x={written}"


def test_options_stand_by_their_names_and_other_headers_after_those_that_every_file_has() -> None:
    found = headers(with_options({"b": 1, "a": 2}), {"Player.guild": "Edric", "Annotator": "Ann", "Seed": "another"})
    assert found["Options"] == "a=2, b=1"
    assert found["Seed"] == "record"
    assert [*found] == [
        "Format", "Game", "RuleSet", "Options", "Rules", "Seats", "Result", "Commitment", "Seed", "Annotator", "Began",
        "Ended", "Player.guild", "Record",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("winners", "told"),
    [((), "nobody, turn 9"), (("guild",), "guild, turn 9"), (("guild", "fremen"), "guild fremen, turn 9")],
)
def test_the_result_names_who_won_and_when(winners: tuple[str, ...], told: str) -> None:
    assert result(End(turn=9, winners=winners, seed="x")) == told


def test_a_record_of_rules_that_are_not_known_here_is_written_all_the_same() -> None:
    """A game from a newer Mentat can be read by people here, but only that Mentat can replay it."""
    text = write_dune(with_options({}, "arrakis-2030"))
    assert '[RuleSet "arrakis-2030"]' in text
    body = write_dune(read_record(recorded())).split("\n\n", 1)[1]
    assert text.split("\n\n", 1)[1] == body


@pytest.mark.parametrize(
    ("act", "text"),
    [
        (Act(what="hold"), "hold"),
        (Act(what="extend 24", why="a holiday"), 'extend 24, "a holiday"'),
        (Act(what="rollback", entries=12, why='they said "wrong"'), 'rollback to entry 12, "they said \\"wrong\\""'),
        (Act(what="rollback", entries=0), "rollback to entry 0"),
        (Act(what="set a, b"), '"set a, b"'),
        (Act(what="go to entry 5"), '"go to entry 5"'),
        (Act(what="Hold"), '"Hold"'),
    ],
)
def test_an_act_is_written_so_that_it_is_read_back(act: Act, text: str) -> None:
    assert act_text(act) == text
    entries = "guild: pass\n" * 12
    assert parse_dune(f"{entries}mentat: {text}\n".encode()).story[-1] == act
