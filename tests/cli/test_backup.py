"""`mentat backup`, `restore` and `move`, as they are typed."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.conftest import Mentat
from tests.moderator.table import World

pytestmark = pytest.mark.sqlite_only


def test_a_backup_is_made_put_back_and_gone_on_from(mentat: Mentat, place: World, tmp_path: Path) -> None:
    place.new_game()
    place.engine.dispose()
    made = mentat("backup", "copy.db")
    assert (made.code, made.err) == (0, "")
    assert "1 game; 1 of 1 that were played again hold." in made.out
    assert mentat("backup", "copy.db").code == 1
    assert mentat("backup", "copy.db", "--force", "--json", "--verify", "all").json["checked"] == 1
    assert "is whole" in mentat("restore", "--check", "copy.db").out
    refused = mentat("restore", "copy.db")
    assert refused.code == 1
    assert "--replace" in refused.err
    put_back = mentat("restore", "copy.db", "--replace", "--json")
    assert put_back.code == 0
    assert Path(put_back.json["kept"]).exists()
    for command in (
        ["run"], ["poll"], ["tick"], ["send"], ["archive", "build", "site"],
        ["game", "pause", "sietch-12", "--why", "x"],
    ):  # fmt: skip
        held = mentat(*command)
        assert held.code == 1
        assert "mentat restore --resume" in held.err
    assert not (tmp_path / "site").exists()
    listed = mentat("game", "list")
    assert listed.code == 0
    assert "sietch-12" in listed.out
    assert "is held" in listed.err
    assert "is held" in mentat("doctor", "--wait", "0").out
    gone_on = mentat("restore", "--resume")
    assert (gone_on.code, gone_on.err) == (0, "")
    assert mentat("restore", "--resume").code == 1
    assert mentat("send").code == 0


def test_both_at_once_and_what_does_not_go_together(mentat: Mentat, place: World) -> None:
    place.new_game()
    place.engine.dispose()
    assert mentat("backup", "copy.db", "--verify", "0").out.endswith("1 game; none was played again.\n")
    done = mentat("restore", "copy.db", "--replace", "--resume", "--json")
    assert (done.code, done.json["messages"], done.json["games"]) == (0, 0, 1)
    for wrong in (
        ["restore"], ["restore", "copy.db", "--stopped", "2026-01-01"], ["restore", "--check", "copy.db", "--resume"],
        ["restore", "--resume", "--stopped", "soon"], ["backup", "x.db", "--verify", "some"], ["move"],
        ["move", "--to", "x.db", "--back"], ["move", "--to", "mysql://localhost/x"],
        ["move", "--to", "postgresql://mentat:spice@localhost/x"], ["move", "--to", "postgresql://localhost:x/x"],
    ):  # fmt: skip
        assert mentat(*wrong).code == 2, wrong


def test_a_file_is_moved_to_another_and_taken_back(mentat: Mentat, place: World) -> None:
    place.new_game()
    place.engine.dispose()
    same = mentat("move", "--to", str(Path("mentat.db").absolute()))
    assert same.code == 1
    assert "is the database that the settings name" in same.err
    moved = mentat("move", "--to", "sqlite:///other.db")
    assert moved.code == 0
    assert '[mentat] database = "other.db"' in moved.out
    held = mentat("poll")
    assert held.code == 1
    assert "was moved to" in held.err
    moved_too = mentat("restore", "--resume")
    assert moved_too.code == 1
    assert "was moved to other.db and is held" in moved_too.err
    assert mentat("move", "--back").code == 0
    assert mentat("poll").code == 0
    assert mentat("move", "--back").code == 1
