"""Tests for reading a record; a damaged one is refused with the line, the expected value and the value found."""

from __future__ import annotations

import gzip
import json
from typing import Any

import pytest

from bot.record import lines, reader
from bot.record.lines import Chain, Drawn, decode
from bot.record.reader import (
    Difference,
    NotARecord,
    difference_from_rules,
    played_again,
    read_record,
    read_running_record,
)
from rules.rulesets.ruleset import RULE_SETS
from tests.archive.records import recorded

SEED = "record"


def rows() -> list[bytes]:
    return recorded().splitlines()


def joined(made: list[bytes]) -> bytes:
    return b"".join(row + b"\n" for row in made)


def chained(changed: list[dict[str, Any]], seed: str = SEED) -> bytes:
    """Return the lines with a repaired chain, as a careful forger would."""
    chain = Chain(seed)
    return joined([chain.add(decode(json.dumps(line))) for line in changed])


def complaint(data: bytes) -> str:
    with pytest.raises(NotARecord) as caught:
        read_record(data)
    return str(caught.value)


@pytest.mark.parametrize("ruleset", RULE_SETS)
def test_the_record_of_a_random_game_is_read_and_holds(ruleset: str) -> None:
    found = read_record(recorded(ruleset, "holds"))
    assert difference_from_rules(found) == ""
    assert b"".join(line + b"\n" for line in played_again(found, found.story(), "holds")) == recorded(ruleset, "holds")


def test_a_packed_record_is_read_too() -> None:
    assert read_record(gzip.compress(recorded())).lines == read_record(recorded()).lines
    assert "packed with gzip, but is damaged" in complaint(gzip.compress(recorded())[:-20])


def test_what_is_packed_must_not_be_larger_than_any_game(monkeypatch: pytest.MonkeyPatch) -> None:
    size = len(recorded())
    monkeypatch.setattr(reader, "_MOST_UNPACKED", size)
    assert read_record(gzip.compress(recorded())).lines == read_record(recorded()).lines
    monkeypatch.setattr(reader, "_MOST_UNPACKED", size - 1)
    most = f"unpacked, the file has more than {size - 1} bytes"
    assert complaint(gzip.compress(recorded())) == f"{most}; no game has that many."


def test_a_changed_byte_is_found_in_the_line_after_it() -> None:
    made = rows()
    made[49] = made[49].replace(b'"salt":"', b'"salt":"0', 1)
    assert complaint(joined(made)).startswith("Line 51: the chain is broken. Its `prev` should be ")


def test_a_dropped_line_is_found() -> None:
    assert complaint(joined(rows()[:30] + rows()[31:])).startswith("Line 31: the chain is broken.")


def test_two_lines_that_were_swapped_are_found() -> None:
    made = rows()
    made[40], made[41] = made[41], made[40]
    assert complaint(joined(made)).startswith("Line 41: the chain is broken.")


def test_a_cut_file_is_called_cut() -> None:
    assert "still running when this was written, or the file was cut" in complaint(joined(rows()[:-1]))
    assert complaint(recorded()[:-40]).endswith("The file seems to be cut off there.")
    assert len(read_running_record(joined(rows()[:80])).lines) == 80


@pytest.mark.parametrize(
    ("data", "why"),
    [
        (b"", "the file is empty"),
        (b"hello\n", "Line 1: expected the head"),
        (b"[1]\n", "Line 1: expected the head"),
        (b'{"t":"head","record":2}\n', "Line 1: the record has format 2, and this Mentat reads formats up to 1"),
        (b'{"t":"draw","label":"a#0","size":1,"got":0}\n', "Line 1: expected the head"),
        (b'{"t":"head","game":7}\n', "Line 1: it is not a line of kind `head`"),
        (b"\xff\xfe\x00", "Line 1: expected the head"),
    ],
)
def test_what_is_no_record_is_refused(data: bytes, why: str) -> None:
    assert complaint(data).startswith(why)


def test_a_file_whose_line_ends_were_changed_is_refused() -> None:
    assert complaint(recorded().replace(b"\n", b"\r\n")).startswith("Line 1: it ends with CR LF")


def test_another_kind_of_line_is_refused() -> None:
    made = rows()
    made[20] = b'{"t":"dream"}'
    assert complaint(joined(made)).startswith("Line 21: it is not a line of kind `dream`")


def as_values() -> list[dict[str, Any]]:
    return [json.loads(row) for row in rows()]


def test_another_seed_is_found() -> None:
    changed = as_values()
    changed[-1]["seed"] = "another"
    assert "the seed is not the one promised in line 1" in complaint(chained(changed))


def test_salts_of_another_seed_are_found() -> None:
    assert complaint(chained(as_values(), "another")).startswith("Line 1: its `salt` should be ")


def test_another_draw_is_found_though_the_chain_was_put_right() -> None:
    changed = as_values()
    place = next(number for number, line in enumerate(changed) if line["t"] == "draw" and line["size"] > 3)
    changed[place]["got"] = (changed[place]["got"] + 1) % changed[place]["size"]
    assert complaint(chained(changed)).startswith(f"Line {place + 1}: 'treachery-deck#0' of 33 should draw ")


def test_a_missing_entry_is_found_though_the_chain_was_put_right() -> None:
    changed = as_values()
    place = next(number for number, line in enumerate(changed) if line["t"] == "entry" and line["n"] == 5)
    del changed[place]
    assert "expected entry 5, found entry 6." in complaint(chained(changed))


def test_a_missing_event_is_found_though_the_chain_was_put_right() -> None:
    changed = [line for line in as_values() if line["t"] != "event" or line["event"]["number"] != 9]
    assert "expected event 9, found event 10." in complaint(chained(changed))


@pytest.mark.parametrize(("added", "entries"), [(1, 12), (-13, -2)])
def test_a_game_is_taken_back_to_no_more_entries_than_there_are(added: int, entries: int) -> None:
    changed = as_values()
    place = next(number for number, line in enumerate(changed) if line["t"] == "entry" and line["n"] == 11)
    back = {"t": "act", "what": "rollback", "why": ""}
    changed.insert(place, back | {"entries": 11 + added})
    told = f"Line {place + 1}: it takes the game back to {entries} entries; there are 11."
    assert complaint(chained(changed)) == told
    changed[place] = back | {"entries": 11}
    assert difference_from_rules(read_record(chained(changed))) == "", "that takes nothing back"


def test_nothing_is_drawn_from_no_things() -> None:
    changed = as_values()
    place = next(number for number, line in enumerate(changed) if line["t"] == "draw")
    label = changed[place]["label"]
    changed[place]["size"] = 0
    assert complaint(chained(changed)) == (
        f"Line {place + 1}: {label!r} was drawn from 0 things; there must be one or more."
    )


@pytest.mark.parametrize(("before", "after"), [(1, "1 line comes"), (2, "2 lines come"), (3, "3 lines come")])
def test_nothing_comes_after_the_end(before: int, after: str) -> None:
    changed = as_values()
    place = len(changed) - before
    changed.insert(place, changed[-1])
    said = f"Line {place + 1}: it is the end of the game, and {after} after it."
    assert complaint(chained(changed)) == said


def test_a_line_too_many_one_too_few_and_another_one_are_told_differently() -> None:
    assert str(Difference(7, 3, b"", b"{}")) == "line 8 should not be there: {}"
    assert str(Difference(7, 3, b"{}", b"")) == "after line 7 this is missing: {}"
    assert str(Difference(7, 3, b"{1}", b"{2}")) == "line 8 should be {1}, but is {2}"


def test_an_event_that_does_not_follow_is_found_by_the_rules() -> None:
    changed = as_values()
    place = next(n for n, line in enumerate(changed) if line["t"] == "event" and line["event"]["kind"] == "storm-moved")
    changed[place]["event"]["facts"]["sectors"] = 99
    found = difference_from_rules(read_record(chained(changed)))
    assert found.startswith(f"Line {place + 1} should be ")
    assert '"sectors":99' in found


def test_a_draw_that_was_left_out_is_found_by_the_rules() -> None:
    changed = as_values()
    place = next(number for number, line in enumerate(changed) if line["t"] == "draw")
    del changed[place]
    assert difference_from_rules(read_record(chained(changed))).startswith(f"Line {place + 1} should be ")


def test_an_entry_that_was_changed_is_found_by_the_rules() -> None:
    changed = as_values()
    place = next(
        number for number, line in enumerate(changed)
        if line["t"] == "entry" and line["entry"].get("orders", [{}])[0].get("type") == "Bid"
    )  # fmt: skip
    changed[place]["entry"]["orders"][0]["amount"] = 900
    found = difference_from_rules(read_record(chained(changed)))
    assert f"Line {place + 1}: entry {changed[place]['n']} cannot be replayed: ValueError" in found


def compact(line: dict[str, Any]) -> bytes:
    return json.dumps(line, separators=(",", ":")).encode()


def test_fields_that_a_newer_mentat_added_are_let_through() -> None:
    changed = [dict(line) for line in as_values()]
    before = lines.FIRST
    made = []
    for line in changed:
        line.update(prev=before, later="than this")
        if line["t"] == "end":
            line["sum"] = ""
            line["sum"] = lines.own_sum(compact(line))
        made.append(compact(line))
        before = lines.digest(made[-1])
    assert difference_from_rules(read_record(joined(made))) == ""


def test_every_draw_of_a_record_follows_from_its_seed() -> None:
    assert sum(isinstance(line, Drawn) for line in read_record(recorded()).lines) > 100
