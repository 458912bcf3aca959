"""Tests that any file is either read as a record or refused with a sentence, never with another error."""

from __future__ import annotations

import gzip
import tracemalloc
from contextlib import suppress
from functools import cache

import pytest

from bot.record.dune import write_dune
from bot.record.dune_reader import looks_like_dune, parse_dune, read_dune
from bot.record.reader import NotARecord, difference_from_rules, read_record
from rules.components.chance import Chance
from tests.archive.records import of_log, recorded
from tests.size import size

JUNK = (b"", b"\x00", b"\xff", b'"', b"{", b"}", b"[", b"\\", b"\n", b"\r\n", b";", b":", b"-9", b"9" * 5000, b"null",
        "\u2028".encode(), "\u202e".encode(), b"[" * 3000, b'{"a":' * 3000, b'"\\ud800"', b"words:", b"understood ",
        b" order {", b"( ")  # fmt: skip


@pytest.mark.parametrize("megabytes", [25, 400])
def test_a_record_is_weighed_while_it_is_unpacked(megabytes: int) -> None:
    bomb = gzip.compress(b'{"t":"head"}' + bytes(999_988)) * megabytes
    tracemalloc.start()
    try:
        with pytest.raises(NotARecord, match="no game has that many"):
            read_record(bomb)
        assert tracemalloc.get_traced_memory()[1] < 100_000_000
    finally:
        tracemalloc.stop()


@cache
def text() -> bytes:
    return write_dune(read_record(recorded(players=2, seed="small"))).encode()


def mutated(data: bytes, number: int) -> bytes:
    """Return the data with parts removed, inserted, duplicated or moved."""
    chance = Chance(f"damage {number}", {})
    rows = data.split(b"\n")
    for _ in range(1 + chance.draw("times", 3)):
        place = chance.draw("row", len(rows))
        row = rows[place]
        at = chance.draw("at", len(row) + 1)
        match chance.draw("how", 5):
            case 0:
                rows[place] = row[:at] + chance.pick("junk", JUNK) + row[at:]
            case 1:
                rows[place] = row[:at] + row[at + 1 + chance.draw("long", 20) :]
            case 2:
                rows.insert(place, rows[chance.draw("other", len(rows))])
            case 3:
                del rows[place]
            case _:
                rows[place] = row[:at] + chance.pick("junk", JUNK)
        rows = rows or [b""]
    return b"\n".join(rows)


def test_a_damaged_record_is_refused_with_a_sentence() -> None:
    record = recorded(players=2, seed="small")
    for number in range(size(300, 20000)):
        data = mutated(record, number)
        if data.split(b"\n")[:-2] == record.split(b"\n")[:-2]:
            continue  # the last line is protected by the head in the last letter and by SHA256SUMS
        with pytest.raises(NotARecord):
            read_record(data)


def test_a_damaged_text_is_read_or_refused_with_a_sentence() -> None:
    for number in range(size(150, 5000)):
        data = mutated(text(), number)
        looks_like_dune(data)
        with suppress(NotARecord):
            parse_dune(data)
            if number % 10 == 0:
                read_dune(data)


def test_junk_is_refused_with_a_sentence() -> None:
    for junk in (
        *JUNK,
        *(gzip.compress(junk) for junk in JUNK),
        b"\x1f\x8b\x08",
        b'[Seed "\\ud800"]\n[RuleSet "wbc-2018"]',
    ):
        with pytest.raises(NotARecord):
            read_record(junk)
        with pytest.raises(NotARecord):
            read_dune(junk)


def test_a_game_that_has_only_begun_can_be_neither_over_nor_wrong() -> None:
    begun = of_log("wbc-2018", "begun", ("guild", "fremen"), (), acts=False)
    with pytest.raises(NotARecord, match="still running when this was written"):
        read_record(begun)
    assert difference_from_rules(read_record(recorded(players=2, seed="small"))) == ""
