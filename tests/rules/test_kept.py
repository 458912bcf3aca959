"""Tests that data stored beside the compiled modules is built once, and rebuilt after any change in its sources."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from rules.kept import kept, states_of


class Work:
    def __init__(self, folder: Path) -> None:
        self.module, self.times = str(folder / "module.py"), 0
        (folder / "__pycache__").mkdir()

    def result(self, of: object = "facts", value: Any = ("bid", 4)) -> Any:
        def make() -> Any:
            self.times += 1
            return value

        return kept(self.module, "things", of, make)


@pytest.fixture
def work(tmp_path: Path) -> Work:
    return Work(tmp_path)


def only_file(tmp_path: Path) -> Path:
    (file,) = (tmp_path / "__pycache__").iterdir()
    return file


def test_what_was_made_once_is_found_again_until_it_is_of_something_else(work: Work, tmp_path: Path) -> None:
    assert [work.result(), work.result()] == [("bid", 4)] * 2
    assert work.times == 1
    assert work.result("other facts") == ("bid", 4)
    assert work.times == 2
    assert only_file(tmp_path).name.endswith(".things")


@pytest.mark.parametrize("left", [0, 1, 20, 40])
def test_a_damaged_file_is_made_again(work: Work, tmp_path: Path, left: int) -> None:
    work.result()
    only_file(tmp_path).write_bytes(only_file(tmp_path).read_bytes()[:left])
    assert work.result() == ("bid", 4)
    assert work.times == 2


def test_a_changed_byte_is_noticed(work: Work, tmp_path: Path) -> None:
    work.result()
    data = only_file(tmp_path).read_bytes()
    only_file(tmp_path).write_bytes(data[:-1] + bytes([data[-1] ^ 1]))
    assert work.result() == ("bid", 4)
    assert work.times == 2


def test_what_cannot_be_kept_is_made_each_time(work: Work, tmp_path: Path) -> None:
    (tmp_path / "__pycache__").rmdir()
    assert work.result() == work.result() == ("bid", 4)
    assert work.times == 2


def test_a_file_that_was_written_has_another_state(tmp_path: Path) -> None:
    file = tmp_path / "data.toml"
    file.write_text("turn = 1", encoding="utf-8")
    before = states_of([file])
    assert states_of([file]) == before
    file.write_text("turn = 10", encoding="utf-8")
    assert states_of([file]) != before
