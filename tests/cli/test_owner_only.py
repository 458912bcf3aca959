"""Tests that files with secrets are created for their owner only, and that the doctor reports files others can read."""

from __future__ import annotations

import json
import os
import shutil
import stat
from collections.abc import Iterator
from pathlib import Path

import pytest

from bot.monitoring.checks import Finding
from bot.service import doctor
from bot.store.database import backend_of, open_database, rewrite, writing
from bot.store.tables import GAME
from tests.cli.conftest import Mentat
from tests.moderator.table import GAME as NAME
from tests.moderator.table import World, make_settings


@pytest.fixture(autouse=True)
def usual_umask() -> Iterator[None]:
    before = os.umask(0o022)
    yield
    os.umask(before)


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_a_database_and_its_journals_are_their_owners_alone(tmp_path: Path) -> None:
    database = tmp_path / "mentat.db"
    engine = open_database(database)
    with writing(engine) as conn:
        conn.execute(GAME.delete())
    made = sorted(tmp_path.glob("mentat.db*"))
    assert [path.name for path in made] == ["mentat.db", "mentat.db-shm", "mentat.db-wal"]
    assert {mode(path) for path in made} == {0o600}
    rewrite(engine)
    assert {mode(path) for path in tmp_path.glob("mentat.db*")} == {0o600}
    engine.dispose()


def test_what_init_writes_is_its_owners_alone(tmp_path: Path, mentat: Mentat) -> None:
    assert mentat("init", str(tmp_path / "dune")).code == 0
    assert mode(tmp_path / "dune" / ".env") == 0o600
    assert mode(tmp_path / "dune" / "mentat.db") == 0o600


def test_the_record_of_a_game_is_its_owners_alone(mentat: Mentat, place: World, tmp_path: Path) -> None:
    place.new_game(factions=("atreides", "guild"), max_turns=1)
    while place.wait(24):
        pass
    record = tmp_path / "record.json"
    record.write_text("an older one", encoding="utf-8")
    assert mentat("game", "export", NAME, str(record)).code == 0
    assert json.loads(record.read_text(encoding="utf-8"))["id"] == NAME
    assert mode(record) == 0o600


def test_letters_and_mail_in_folders_are_their_owners_alone(mentat: Mentat, place: World, tmp_path: Path) -> None:
    place.new_game(factions=("atreides", "guild"))
    for folder in (tmp_path / "outgoing", tmp_path / "Maildir"):
        shutil.rmtree(folder)
    assert mentat("init").code == 0
    assert mentat("send").code == 0
    assert mentat("poll").code == 0
    assert mode(tmp_path / "outgoing") == mode(tmp_path / "Maildir") == 0o700
    assert {mode(path) for path in (tmp_path / "outgoing").iterdir()} == {0o600}


def found(folder: Path) -> dict[str, Finding]:
    settings = make_settings(folder)
    (folder / ".env").chmod(0o600)
    return {finding.about: finding for finding in doctor.examine_privacy(settings, folder / "config.toml")}


def test_the_doctor_finds_nothing_where_all_is_the_owners(place: World, tmp_path: Path) -> None:
    place.new_game(factions=("atreides", "guild"))
    assert {finding.state for finding in found(tmp_path).values()} == {"well"}


def test_locks_are_their_owners_alone_and_the_doctor_looks(place: World, tmp_path: Path) -> None:
    with backend_of(place.engine).only_one(place.engine, "the work") as alone:
        assert alone
    lock = tmp_path / "mentat.db.the-work.lock"
    assert mode(lock) == 0o600
    lock.chmod(0o644)
    assert found(tmp_path)["database: who can read it"].facts["files"] == [str(lock)]


@pytest.mark.parametrize(("missing", "words"), [("Maildir", "poll"), ("outgoing", "send")])
def test_a_folder_of_mail_that_is_not_there_is_told_and_not_made(
    mentat: Mentat, place: World, tmp_path: Path, missing: str, words: str
) -> None:
    place.new_game(factions=("atreides", "guild"))
    shutil.rmtree(tmp_path / missing)
    ran = mentat(words)
    assert ran.code == 1
    assert words == "send" or (missing in ran.err and "`mentat init`" in ran.err)
    assert not (tmp_path / missing).exists()
    assert "mentat init" in mentat("doctor").out


@pytest.mark.parametrize("name", ["mentat.db", "mentat.db-wal", "mentat.db-shm"])
def test_the_doctor_says_that_others_can_read_the_database(place: World, tmp_path: Path, name: str) -> None:
    place.new_game(factions=("atreides", "guild"))
    (tmp_path / name).chmod(0o644)
    finding = found(tmp_path)["database: who can read it"]
    assert (finding.state, finding.facts["files"]) == ("wrong", [str(tmp_path / name)])
    assert finding.advice == f"Run: chmod 600 {tmp_path / name}"


def test_the_doctor_finds_copies_of_the_database_and_records_that_others_can_read(place: World, tmp_path: Path) -> None:
    (tmp_path / "kept here").mkdir()
    copy, packed = tmp_path / "kept here" / "monday", tmp_path / "mentat.db.gz"
    shutil.copy(tmp_path / "mentat.db", copy)
    packed.write_bytes(b"\x1f\x8b\x08")
    record, other = tmp_path / "sietch.json", tmp_path / "other.json"
    record.write_text('{\n "mentat": 1,\n "id": "sietch"\n}\n', encoding="utf-8")
    other.write_text("{}", encoding="utf-8")
    for path in (copy, packed, record, other):
        path.chmod(0o640)
    told = found(tmp_path)
    assert set(told["database: copies"].facts["files"]) == {str(copy), str(packed)}
    assert f"'{copy}'" in told["database: copies"].advice
    assert told["records of games"].facts["files"] == [str(record)]
    assert {told[about].state for about in ("database: copies", "records of games")} == {"wrong"}


def test_the_doctor_says_that_others_can_look_into_folders_of_mail(place: World, tmp_path: Path) -> None:
    (tmp_path / "Maildir").chmod(0o755)
    finding = found(tmp_path)["folders of mail"]
    assert (finding.state, finding.advice) == ("note", f"Run: chmod 700 {tmp_path / 'Maildir'}")
