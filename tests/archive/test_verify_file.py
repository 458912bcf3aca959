"""Tests that `mentat game verify FILE` replays the game in any kind of record file."""

from __future__ import annotations

import gzip
import json
import re
from pathlib import Path

import pytest

from bot.cli.games import verify
from bot.cli.session import Call
from bot.games.proof import verify_file
from bot.record.dune import write_dune
from bot.record.lines import decode
from bot.record.reader import NotARecord, read_record
from tests.archive.records import recorded
from tests.archive.test_record_reading import chained


def kept(folder: Path, name: str, data: bytes) -> Path:
    path = folder / name
    path.write_bytes(data)
    return path


def test_each_kind_of_record_holds(tmp_path: Path) -> None:
    text = write_dune(read_record(recorded())).encode()
    for name, data in (
        ("game.jsonl", recorded()),
        ("game.jsonl.gz", gzip.compress(recorded())),
        ("game.dune", text),
        ("game.dune.gz", gzip.compress(text)),
    ):
        found = verify_file(kept(tmp_path, name, data))
        assert found.holds, found.difference
        assert found.id == "wbc-2018-record"
        assert found.entries > 300
        assert found.events > 300


def test_the_first_line_that_differs_is_named(tmp_path: Path) -> None:
    values = [json.loads(row) for row in recorded().splitlines()]
    place = next(n for n, line in enumerate(values) if line["t"] == "event" and line["event"]["kind"] == "storm-moved")
    values[place]["event"]["facts"]["sectors"] = 77
    found = verify_file(kept(tmp_path, "game.jsonl", chained(values)))
    assert not found.holds
    assert re.match(rf"Line {place + 1} should be .*, but is .*77", found.difference)


def test_a_damaged_record_does_not_hold_and_another_file_is_none(tmp_path: Path) -> None:
    rows = recorded().splitlines()
    damaged = b"\n".join([*rows[:40], rows[40].replace(b'"t"', b'"T"'), *rows[41:]])
    assert verify_file(kept(tmp_path, "game.jsonl", damaged)).difference.startswith("Line 41: ")
    for data in (b"", b"hello", b"[1, 2]", b"{}", b"\x1f\x8bno", b'{"t": 1}', b'[RuleSet "wbc-2018"]'):
        with pytest.raises(NotARecord, match="is not the record of a game"):
            verify_file(kept(tmp_path, "other", data))


def test_a_text_is_verified_with_its_line(tmp_path: Path) -> None:
    text = write_dune(read_record(recorded()))
    line = next(number for number, line in enumerate(text.splitlines(), 1) if re.search(" bid [0-9]", line))
    changed = text.splitlines()
    changed[line - 1] = re.sub(" bid [0-9]+", " bid 999", changed[line - 1])
    found = verify_file(kept(tmp_path, "game.dune", "\n".join(changed).encode()))
    assert found.difference.startswith(f"Line {line}: this cannot be replayed: ")


def test_the_chain_alone_holds_what_a_rollback_undid(tmp_path: Path) -> None:
    values = [json.loads(row) for row in recorded().splitlines()]
    back = next(number for number, line in enumerate(values) if line["t"] == "act" and line["what"] == "rollback")
    undone = max(n for n in range(back) if values[n]["t"] == "event")
    values[undone]["event"]["facts"]["told"] = "by rules that were wrong"
    assert isinstance(decode(json.dumps(values[undone])), object)
    assert verify_file(kept(tmp_path, "game.jsonl", chained(values))).holds


def test_the_command_says_so(tmp_path: Path) -> None:
    answer = verify(Call(Path("none")), str(kept(tmp_path, "game.jsonl", recorded())))
    assert str(answer.words).startswith("wbc-2018-record passes verification: ")
