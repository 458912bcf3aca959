"""Tests that outsiders can verify a record with check.py, which needs only Python, or with verify.html in a browser."""

from __future__ import annotations

import base64
import gzip
import json
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser

from bot import template_source
from bot.archive.games import ArchivePolicy, FinishedGame
from bot.archive.html import STYLE
from bot.archive.replay import VERIFY, check_files, verify_page
from bot.record.lines import published_schema
from bot.record.reader import NotARecord, read_record
from tests.archive.browser import Watched, browser, needs_chromium, parsed, violations
from tests.archive.damage import damaged
from tests.archive.records import recorded

HEAD = read_record(recorded()).chain_head
DAMAGED = damaged(recorded())
MIDDLE = json.loads(recorded().splitlines()[200])["prev"][:16]


def game(record: bytes, policy: ArchivePolicy | None = None) -> FinishedGame:
    return FinishedGame("wbc-2018-record", record, read_record(recorded()).lines, {}, policy or ArchivePolicy())


# --- check.py --------------------------------------------------------------------------------------------------------


def check(folder: Path, record: bytes, *heads: str) -> tuple[bool, str]:
    """Return whether check.py accepts the record, and its output."""
    (folder / "check.py").write_bytes(check_files()["check.py"])
    (folder / "game.jsonl").write_bytes(record)
    made = subprocess.run(
        [sys.executable, "-I", "check.py", "game.jsonl", *heads], cwd=folder, capture_output=True, text=True, timeout=60
    )
    return made.returncode == 0, made.stdout + made.stderr


def test_check_py_accepts_a_true_record_and_says_what_it_is(tmp_path: Path) -> None:
    lines = recorded().count(b"\n")
    assert check(tmp_path, recorded()) == (
        True, f"holds: wbc-2018-record {lines} lines, the record is {HEAD[:16]}\n",
    )  # fmt: skip


@pytest.mark.parametrize("damage", DAMAGED)
def test_check_py_notices_each_damage_and_names_the_line(damage: str, tmp_path: Path) -> None:
    record, line = DAMAGED[damage]
    fine, said = check(tmp_path, record)
    assert not fine
    assert said.startswith(f"line {line}: "), said


def test_check_py_looks_for_what_letters_said(tmp_path: Path) -> None:
    assert check(tmp_path, recorded(), MIDDLE, HEAD[:16])[0]
    assert check(tmp_path, recorded(), MIDDLE, "0123456789abcdef") == (
        False, f"line {recorded().count(chr(10).encode())}: the record was never 0123456789abcdef\n",
    )  # fmt: skip


def test_a_byte_changed_in_the_last_line_shows_by_what_the_last_letter_said(tmp_path: Path) -> None:
    changed = re.sub(rb'"turn":(\d+),"winners"', rb'"turn":1,"winners"', recorded())
    assert changed != recorded()
    assert not check(tmp_path, changed, HEAD[:16])[0]


def test_check_py_is_short_and_the_schema_lies_beside_it() -> None:
    code = check_files()["check.py"].decode()
    assert len(code.splitlines()) <= 35
    assert {line.split()[0] for line in code.splitlines() if line.startswith(("import", "from"))} == {"import"}
    assert check_files()["schema/game-1.json"] == published_schema()


@pytest.mark.parametrize("damage", DAMAGED)
def test_mentat_notices_the_same(damage: str) -> None:
    record, line = DAMAGED[damage]
    with pytest.raises(NotARecord) as caught:
        read_record(record)
    assert caught.value.line == line or damage.startswith("another seed")


# --- verify.html -----------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def chromium() -> Iterator[Browser]:
    with browser() as opened:
        yield opened


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("archive")
    place = root / "game" / "one"
    place.mkdir(parents=True)
    (root / "style.css").write_text(template_source(STYLE))
    (root / "index.html").write_text("<!DOCTYPE html><title>x</title>")
    (place / VERIFY).write_bytes(verify_page(game(recorded())))
    return root


def press(watched: Watched, what: str = "#own") -> str:
    watched.page.click(what)
    return found(watched)


def found(watched: Watched) -> str:
    watched.page.wait_for_selector("#found.holds, #found.wrong", timeout=60_000)
    return watched.page.inner_text("#found")


@needs_chromium
def test_the_page_holds_the_record_of_its_game_and_accepts_it(chromium: Browser, folder: Path) -> None:
    with Watched(chromium, folder / "game" / "one" / VERIFY) as watched:
        said = press(watched)
        draws = recorded().count(b'{"t":"draw"')
        assert f"all {draws} draws come from it. The record is {HEAD[:16]}." in said
        watched.page.fill("#head", MIDDLE.upper())
        assert "The record so far that you typed belongs to line 200." in press(watched)
        watched.page.fill("#head", "0123456789abcdef")
        assert "its head was never 0123456789abcdef" in press(watched)
        assert watched.said == []
        assert watched.outside(folder) == []


@needs_chromium
@pytest.mark.parametrize("damage", DAMAGED)
def test_the_page_notices_each_damage_and_names_the_line(
    damage: str, chromium: Browser, folder: Path, tmp_path: Path
) -> None:
    record, line = DAMAGED[damage]
    chosen = tmp_path / "game.jsonl"
    chosen.write_bytes(record)
    with Watched(chromium, folder / "game" / "one" / VERIFY) as watched:
        watched.page.set_input_files("#file", chosen)
        assert found(watched).startswith(f"The record is not intact. Line {line}: "), found(watched)
        assert watched.said == []


@needs_chromium
def test_a_damage_to_the_record_inside_the_page_is_noticed_too(chromium: Browser, folder: Path) -> None:
    place = folder / "game" / "one" / "damaged.html"
    place.write_bytes(verify_page(game(DAMAGED["two swapped"][0])))
    with Watched(chromium, place) as watched:
        assert press(watched).startswith("The record is not intact. Line 41: the chain is broken.")
    place.unlink()


@needs_chromium
def test_a_packed_file_is_read_and_a_broken_one_told(chromium: Browser, folder: Path, tmp_path: Path) -> None:
    packed = tmp_path / "game.jsonl.gz"
    packed.write_bytes(gzip.compress(recorded()))
    with Watched(chromium, folder / "game" / "one" / VERIFY) as watched:
        watched.page.set_input_files("#file", packed)
        assert found(watched).startswith("The record is intact: wbc-2018-record")
    packed.write_bytes(gzip.compress(recorded())[:-300])
    with Watched(chromium, folder / "game" / "one" / VERIFY) as watched:
        watched.page.set_input_files("#file", packed)
        assert found(watched) == "It cannot be unpacked: the file is damaged."


@needs_chromium
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_everybody_can_use_the_page(chromium: Browser, folder: Path, scheme: str) -> None:
    place = folder / "game" / "one" / VERIFY
    parsed(place)
    with Watched(chromium, place, color_scheme=scheme, viewport={"width": 390, "height": 800}) as watched:
        press(watched)
        assert violations(watched) == []
        assert watched.too_wide() <= 0


def test_words_of_players_cannot_end_the_script_that_they_stand_in() -> None:
    hostile = recorded().replace(b"Leave me Carthag", b"</script><script>alert(1)</script>&amp;<!--")
    page = verify_page(game(hostile)).decode()
    assert hostile != recorded()
    assert "alert(1)" not in page
    inlined = re.search(r'id="record">(.*?)</script>', page)
    assert inlined
    assert gzip.decompress(base64.b64decode(inlined[1])) == hostile


def test_what_the_policy_keeps_back_is_not_in_the_page() -> None:
    page = verify_page(game(recorded(), ArchivePolicy(ended="public-only"))).decode()
    assert 'id="record"' not in page
    assert read_record(recorded()).head.commitment not in page
    assert 'id="file"' in page
