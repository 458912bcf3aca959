"""Tests for the archive folder: complete and damaged files, when files are written, and folders that cannot be used."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, date, datetime
from pathlib import Path
from typing import BinaryIO

import pytest

from bot.archive import site
from bot.archive.site import FolderRefused, open_folder

DAY = date(2026, 11, 20)
FILES = {"game/a/index.html": b"first", "game/a/turn-01.html": b"second"}


def put(path: Path, files: dict[str, bytes], day: date | None = DAY) -> int:
    """Put the files in part "game/a" and return how many were written."""
    with open_folder(path) as made:
        made.put("game/a", "key", files, day)
        return made.wrote


def whole(path: Path, key: str = "key") -> bool:
    with open_folder(path) as made:
        return made.is_whole("game/a", key)


def day_of(path: Path) -> date:
    return datetime.fromtimestamp(path.stat().st_mtime, UTC).date()


def test_a_part_is_whole_while_each_of_its_files_has_its_size(tmp_path: Path) -> None:
    put(tmp_path, FILES)
    assert whole(tmp_path)
    assert not whole(tmp_path, "another key")
    (tmp_path / "game/a/turn-01.html").write_bytes(b"secon")
    assert not whole(tmp_path)
    (tmp_path / "game/a/turn-01.html").write_bytes(b"second")
    assert whole(tmp_path)
    (tmp_path / "game/a/index.html").unlink()
    assert not whole(tmp_path)


def test_only_a_file_that_has_changed_is_written(tmp_path: Path) -> None:
    assert put(tmp_path, FILES) == 2
    assert put(tmp_path, FILES) == 0
    assert put(tmp_path, {**FILES, "game/a/index.html": b"FIRST"}) == 1
    assert put(tmp_path, {**FILES, "game/a/index.html": b"longer"}) == 1
    assert (tmp_path / "game/a/index.html").read_bytes() == b"longer"


@pytest.mark.parametrize(("day", "stamped"), [(DAY, DAY), (None, date(2000, 1, 1))])
def test_a_file_bears_the_day_of_its_game_and_one_of_a_running_game_none(
    tmp_path: Path, day: date | None, stamped: date
) -> None:
    def pieces(before: BinaryIO | None) -> Iterable[bytes]:
        yield b"none" if before is None else before.read() + b" and more"

    for expected in (b"none", b"none and more"):
        with open_folder(tmp_path) as made:
            made.put("game/a", "key", FILES, day, large={"all.gz": pieces})
        assert (tmp_path / "all.gz").read_bytes() == expected
        assert {day_of(tmp_path / name) for name in (*FILES, "all.gz")} == {stamped}
    assert day_of(tmp_path / "build.json") == date(2000, 1, 1)


def test_a_file_that_a_part_has_no_more_goes_with_its_folder(tmp_path: Path) -> None:
    put(tmp_path, {**FILES, "game/b/index.html": b"third"})
    put(tmp_path, FILES)
    assert sorted(path.name for path in (tmp_path / "game").iterdir()) == ["a"]


@pytest.mark.parametrize(
    ("error", "reason"),
    [
        (OSError(28, "No space left on device"), "No space left on device"),
        (OSError(28, "No space left on device", "game/a"), "No space left on device (game/a)"),
        (OSError("odd"), "it cannot be used"),
    ],
)
def test_what_went_wrong_is_told_with_the_file_where_it_is_known(tmp_path: Path, error: OSError, reason: str) -> None:
    with pytest.raises(FolderRefused) as refused, open_folder(tmp_path):
        raise error
    assert str(refused.value) == (
        f"The archive cannot be written to {tmp_path}: {reason}. The old archive is unchanged."
    )


def test_the_folder_itself_is_named_only_once(tmp_path: Path) -> None:
    with pytest.raises(FolderRefused) as refused, open_folder(tmp_path):
        raise OSError(13, "Permission denied", str(tmp_path))
    assert f"{tmp_path}: Permission denied. The" in str(refused.value)


def test_a_folder_in_the_place_of_the_list_of_files_is_complained_of(tmp_path: Path) -> None:
    (tmp_path / "build.json").mkdir()
    reason = site.folder_complaint(tmp_path)
    assert reason == (
        f"The archive cannot be written to {tmp_path}: Is a directory ({tmp_path / 'build.json'}). "
        "The old archive is unchanged."
    )
    with pytest.raises(FolderRefused) as refused, open_folder(tmp_path):
        pass
    assert str(refused.value) == reason


def test_a_folder_is_an_archive_once_one_was_written_into_it(tmp_path: Path) -> None:
    assert not site.is_archive(tmp_path / "nowhere")
    assert not site.is_archive(tmp_path)
    put(tmp_path, FILES)
    assert site.is_archive(tmp_path)
    assert site.games_in(tmp_path) == {"a"}
    (tmp_path / "build.json").write_text("{")
    assert not site.is_archive(tmp_path)
