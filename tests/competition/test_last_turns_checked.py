"""Tests that a hidden last turn follows from the secret, and that an export in which it does not is detected."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

import msgspec
import pytest

from bot.competition.published import Act, Published, TableNow, encode_published, hidden_last_turn, with_sums
from bot.competition.settings import read_settings, settings_digest
from bot.competition.verification import Verification, last_turn_differences, verify
from tests.competition.published_example import SECRET, SETTINGS, example

HIDDEN = 10
"""The last turn of the first heat and all its tables, whatever the window allows."""


def hidden(first: int, *acts: Act, window: str = "[10, 10]") -> Published:
    """Return the example with a hidden last turn; table 1.2, which ended in turn 10, was told turn `first`."""
    document = example()
    settings = f'{SETTINGS}\n[endings]\nend = "hidden"\nwindow = {window}\n'
    rounds = []
    for one in document.rounds:
        tables = [_told(table, first if (one.number, table.table) == (1, 2) else HIDDEN) for table in one.tables]
        rounds.append(msgspec.structs.replace(one, tables=tuple(tables)))
    return with_sums(
        msgspec.structs.replace(
            document, settings=settings, settings_sha256=settings_digest(settings), rounds=tuple(rounds),
            acts=(*document.acts, *acts),
        )
    )  # fmt: skip


def _told(table: TableNow, turn: int) -> TableNow:
    return msgspec.structs.replace(table, last_turn=turn)


def check(document: Published) -> Verification:
    """Verify the document, ignoring the note that both draws of the example share a beacon."""
    found = verify(encode_published(document))
    return replace(found, notes=tuple(note for note in found.notes if "an earlier draw's beacon" not in note))


@pytest.mark.parametrize("told", [HIDDEN, 0])
def test_an_export_with_the_last_turn_that_follows_from_the_secret_is_right(told: int) -> None:
    found = check(hidden(told))
    assert (found.difference, found.notes) == ("", ())


def test_a_hidden_last_turn_lies_in_its_window_both_ends_included() -> None:
    assert hidden_last_turn(SECRET, 1, 1, (9, 9)) == 9
    assert {hidden_last_turn(SECRET, 1, table, (8, 10)) for table in range(1, 40)} == {8, 9, 10}
    with pytest.raises(ValueError, match="the window from turn 9 to turn 8 is empty"):
        hidden_last_turn(SECRET, 1, 1, (9, 8))


def test_each_table_has_a_hidden_last_turn_of_its_own() -> None:
    document = hidden(HIDDEN, window="[10, 14]")
    own = {
        (one.number, table.table): hidden_last_turn(SECRET, one.number, table.table, (10, 14))
        for one in document.rounds for table in one.tables
    }  # fmt: skip
    assert own[1, 1] != own[1, 2], "or it would not be seen"
    rounds = [
        msgspec.structs.replace(one, tables=tuple(_told(table, own[one.number, table.table]) for table in one.tables))
        for one in document.rounds
    ]
    found = check(with_sums(msgspec.structs.replace(document, rounds=tuple(rounds))))
    assert (found.difference, found.notes) == ("", ())


def test_one_changed_byte_in_a_hidden_last_turn_is_found() -> None:
    data = encode_published(hidden(HIDDEN))
    changed = data.replace(b'"last_turn": 10', b'"last_turn": 19', 1)
    assert len(changed) == len(data)
    assert changed != data
    assert "the secret makes turn 10 its last, but the file says 19" in verify(changed).difference


def test_another_last_turn_is_found_even_with_new_sums() -> None:
    assert "Table 1.2: the secret makes turn 10 its last, but the file says 12" in check(hidden(12)).difference


def test_another_window_with_its_digest_and_new_sums_is_found() -> None:
    assert "the secret makes turn 9 its last" in check(hidden(HIDDEN, window="[9, 9]")).difference


def test_a_game_that_went_on_after_its_hidden_last_turn_is_found() -> None:
    document = hidden(0, window="[9, 9]")
    rounds = [msgspec.structs.replace(one, tables=tuple(_told(t, 0) for t in one.tables)) for one in document.rounds]
    document = with_sums(msgspec.structs.replace(document, rounds=tuple(rounds)))
    assert "Table 1.2 ended in turn 10, but the secret makes turn 9 its last" in check(document).difference


def test_a_game_that_went_on_after_the_last_turn_that_it_was_told_is_found() -> None:
    assert "Table 1.2 ended in turn 10, but turn 8 was its last" in check(hidden(8)).difference


def act(words: str, command: str = "notice") -> Act:
    return Act(number=3, at=datetime(2026, 5, 1, tzinfo=UTC), right="", command=command, words=words)


def test_another_last_turn_that_an_act_tells_is_a_note() -> None:
    found = check(hidden(11, act("table 1.2: turn 11 is the last")))
    assert found.difference == ""
    assert found.notes == ("Table 1.2 was told turn 11 as its last; the hidden one was 10.",)


@pytest.mark.parametrize(
    "other",
    [
        act("table 1.2: turn 12 is the last"),
        act("table 1.1: turn 11 is the last"),
        act("table 1.2: turn 11 is the last", command="amend"),
    ],
)
def test_an_act_that_tells_something_else_explains_no_other_last_turn(other: Act) -> None:
    found = check(hidden(11, other))
    assert found.difference == "Table 1.2: the secret makes turn 10 its last, but the file says 11."
    assert found.notes == ()


@pytest.mark.parametrize("told", [8, 0])
def test_a_table_without_a_result_has_not_gone_on_too_long(told: int) -> None:
    document = hidden(told, *([act("table 1.2: turn 8 is the last")] if told else []))
    left = [one for one in document.results if (one.outcome.round, one.outcome.table) != (1, 2)]
    document = msgspec.structs.replace(document, results=tuple(left))
    assert list(last_turn_differences(document, read_settings(document.settings))) == []
