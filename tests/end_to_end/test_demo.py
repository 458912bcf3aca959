"""Tests a newcomer's first minute with `mentat demo`, on a short game."""

from __future__ import annotations

import base64
import gzip
import json
import re
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.end_to_end.service_process import ROOT, command, environment, run_warm


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, Any]]:
    """Return the folder of a one-turn demo, and the command's JSON answer."""
    folder = tmp_path_factory.mktemp("demo") / "played"
    return folder, json.loads(_demo(folder))


def test_the_demo_ends_by_the_rules_and_its_record_holds(demo: tuple[Path, dict[str, Any]]) -> None:
    _, told = demo
    assert told["winner"]
    assert told["verified"] is True
    assert told["difference"] == ""


def test_the_demo_leaves_a_mailbox_for_each_player_with_every_letter_in_three_forms(
    demo: tuple[Path, dict[str, Any]],
) -> None:
    folder, told = demo
    boxes = sorted((folder / "letters").iterdir())
    assert len(boxes) == 6
    for box in boxes:
        letters = sorted(path.stem for path in box.glob("*.eml"))
        assert letters
        assert sorted(path.stem for path in box.glob("*.txt")) == letters
        assert sorted(path.stem for path in box.glob("*.html") if path.stem != "index") == letters
        listed = (box / "index.html").read_text(encoding="utf-8")
        assert all(f'href="{letter}.html"' in listed for letter in letters)
    assert sum(1 for _ in folder.glob("letters/*/*.eml")) == told["letters"]


def test_mentat_understands_what_the_players_write_in_their_own_words(demo: tuple[Path, dict[str, Any]]) -> None:
    folder, _ = demo
    letters = [path.read_text(encoding="utf-8") for path in folder.glob("letters/*/*.txt")]
    assert letters
    assert not [letter for letter in letters if "NOT YET" in letter or "Did you mean" in letter]


def test_the_folder_of_the_demo_holds_the_board_the_summary_the_record_and_an_index_of_all(
    demo: tuple[Path, dict[str, Any]],
) -> None:
    folder, _ = demo
    index = (folder / "index.html").read_text(encoding="utf-8")
    assert (folder / "boards" / "turn-01.png").read_bytes().startswith(b"\x89PNG")
    assert "boards/turn-01.png" in index
    summary = (folder / "summaries" / "turn-01.md").read_text(encoding="utf-8")
    assert "turn 1" in summary
    assert "pen: " not in summary, "a summary of the end of a turn waits for nobody"
    assert "summaries/turn-01.md" in index
    assert json.loads((folder / "archive" / "demo.json").read_text(encoding="utf-8"))


def test_the_demo_ends_with_the_archive_and_its_first_page_leads_to_everything_that_is_there(
    demo: tuple[Path, dict[str, Any]],
) -> None:
    folder, told = demo
    index = (folder / "index.html").read_text(encoding="utf-8")
    assert told["winner"][0].split("-")[0] in index.lower()
    for door in ("archive/index.html", "archive/game/demo/index.html", "archive/game/demo/game.jsonl"):
        assert f'href="{door}"' in index
    for page in sorted(folder.rglob("*.html")):
        if page.parent.parent.name != "letters" or page.name == "index.html":
            for target in re.findall(r'(?:href|src)="([^"#]+)', page.read_text(encoding="utf-8")):
                assert (page.parent / target).is_file(), f"{page.relative_to(folder)} leads to {target}"


def test_watching_the_game_comes_first(demo: tuple[Path, dict[str, Any]]) -> None:
    folder, _ = demo
    index = (folder / "index.html").read_text(encoding="utf-8")
    doors = re.findall(r'href="(archive/[^"]+)"', index.partition("<main")[2])
    assert doors[0] == "archive/game/demo/replay.html"


_PACKED = re.compile(rb'(?<=id="record">)[A-Za-z0-9+/=]+')
"""The packed record within a page; tests compare its contents, not its compressed bytes."""


def _unpacked(record: re.Match[bytes]) -> bytes:
    return gzip.decompress(base64.b64decode(record[0]))


def test_the_archive_of_the_demo_names_no_player_who_did_not_ask_for_it(demo: tuple[Path, dict[str, Any]]) -> None:
    folder, _ = demo
    files = [file for file in sorted((folder / "archive").rglob("*")) if file.is_file()]
    assert len(files) > 10
    for file in files:
        content = _PACKED.sub(_unpacked, file.read_bytes()).lower()
        for secret in (b"players.example", b"alma", b"chiara", b"dmitri"):
            assert secret not in content, f"{secret!r} stands in {file.name}"


def test_the_record_of_the_demo_proves_itself_without_the_folder(
    demo: tuple[Path, dict[str, Any]], tmp_path: Path
) -> None:
    folder, _ = demo
    alone = tmp_path / "record.json"
    alone.write_bytes((folder / "archive" / "demo.json").read_bytes())
    done = run_warm("game", "verify", str(alone), "--json", folder=ROOT)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["holds"] is True


def test_the_same_seed_gives_the_same_game_again_in_the_same_folder(demo: tuple[Path, dict[str, Any]]) -> None:
    folder, told = demo
    before = json.loads((folder / "archive" / "demo.json").read_text(encoding="utf-8"))
    again = json.loads(_demo(folder))
    after = json.loads((folder / "archive" / "demo.json").read_text(encoding="utf-8"))
    assert again["winner"] == told["winner"]
    assert after["log"] == before["log"]
    assert after["events"] == before["events"]


def test_a_folder_that_no_demo_made_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "thesis.txt").write_text("years of work")
    done = run_warm("demo", "--out", str(tmp_path), folder=ROOT)
    assert done.returncode == 2
    assert "name another folder with --out" in done.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["thesis.txt"]


def _demo(folder: Path) -> str:
    done = subprocess.run(
        command("demo", "--out", str(folder), "--turns", "1", "--json"),
        cwd=ROOT, env=environment(), capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return done.stdout
