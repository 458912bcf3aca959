"""Tests for `mentat backup`, `restore` and `move` on the command line."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from bot.store.glance import newest_schema
from tests.cli.conftest import Mentat
from tests.moderator.table import World

pytestmark = pytest.mark.sqlite_only


def test_a_backup_is_made_put_back_and_gone_on_from(mentat: Mentat, place: World, tmp_path: Path) -> None:
    place.new_game()
    place.engine.dispose()
    made = mentat("backup", "copy.db")
    assert (made.code, made.err) == (0, "")
    assert "1 game; 1 of 1 that were replayed hold." in made.out
    assert mentat("backup", "copy.db").code == 1
    assert mentat("backup", "copy.db", "--force", "--json", "--verify", "all").json["checked"] == 1
    assert "is complete" in mentat("restore", "--check", "copy.db").out
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
    assert mentat("backup", "copy.db", "--verify", "0").out.endswith("1 game; none was replayed.\n")
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
    assert "is the database in the settings" in same.err
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


def test_each_step_from_a_backup_to_work_again_is_said_in_words(mentat: Mentat, place: World) -> None:
    place.new_game()
    letters = place.written()
    place.engine.dispose()
    assert mentat("backup", "copy.db").code == 0
    looked, put_back = mentat("restore", "--check", "copy.db").out, mentat("restore", "copy.db", "--replace").out
    whole, played = looked.splitlines()
    assert re.fullmatch(r"The backup is complete: a SQLite database of .* UTC, of mentat@arrakis\.example \(.*", whole)
    assert played == "1 game; 1 of 1 that were replayed hold."
    assert "It is held" not in looked
    [again, aside, held, *how] = put_back.splitlines()
    assert (again, held) == (whole, played)
    assert re.fullmatch(r"The previous database is kept as mentat\.db\.before-\w+\.", aside)
    assert how[-1] == "  mentat restore --resume"
    resumed = mentat("restore", "--resume").out.splitlines()
    assert resumed[0].endswith(", when Mentat was last running: 0 mails read again, 0 of them put aside.")
    assert resumed[1].startswith(f"{letters} letters went out before and are not sent again")
    assert resumed[-1] == "Start Mentat: mentat run"
    assert len(resumed) == 4


def test_a_game_that_does_not_hold_is_named_by_its_backup_and_when_that_is_looked_at(
    mentat: Mentat, place: World
) -> None:
    place.new_game()
    with place.engine.begin() as conn:
        conn.exec_driver_sql("UPDATE game SET seed = seed || 'x'")
    place.engine.dispose()
    for words in (("backup", "copy.db"), ("restore", "--check", "copy.db")):
        ran = mentat(*words)
        assert (ran.code, "1 game; 0 of 1 that were replayed hold." in ran.out) == (1, True)
        assert ran.err.startswith("sietch-12 fails verification. ")


def test_programs_are_told_where_a_database_went_and_which_goes_on(mentat: Mentat, place: World) -> None:
    place.new_game()
    place.engine.dispose()
    moved = mentat("move", "--to", "other.db", "--json").json
    assert (moved["target"], moved["games"], moved["checked"], moved["broken"]) == ("other.db", 1, 1, [])
    assert mentat("move", "--back", "--json").json == {"goes_on": "mentat.db", "was_moved_to": "other.db"}


def test_an_upgrade_is_tried_and_done_in_words(mentat: Mentat, place: World) -> None:
    place.new_game()
    place.engine.dispose()
    tried, done = mentat("upgrade", "--dry-run"), mentat("upgrade")
    assert (tried.code, done.code) == (0, 0)
    assert done.out == f"The database has the newest schema, {newest_schema()}.\n1 running game replayed.\n"
    assert tried.out.startswith(f"{done.out}On a copy of ")
    assert tried.out.endswith(". Nothing was changed.\n")
    document = mentat("upgrade", "--json").json
    assert (document["steps"], document["games"], document["changed"], document["backup"]) == ([], 1, [], None)


def test_an_upgrade_names_a_game_that_goes_on_again_as_it_holds_now(mentat: Mentat, place: World) -> None:
    place.new_game()
    with place.engine.begin() as conn:
        conn.exec_driver_sql("UPDATE game SET status = 'held', rules_digest = 'of other rules'")
    place.engine.dispose()
    assert "\nsietch-12 would go on again.\n" in mentat("upgrade", "--dry-run").out
    assert mentat("game", "list", "--json").json[0]["status"] == "held"
    done = mentat("upgrade")
    assert (done.code, done.out.endswith("\nsietch-12 goes on again.\n")) == (0, True)
    assert mentat("game", "list", "--json").json[0]["status"] == "running"
    assert "goes on again" not in mentat("upgrade").out


@pytest.mark.parametrize(
    ("damage", "out", "err", "status"),
    [
        ("UPDATE game SET status = 'held'", "\nsietch-12 goes on again.\n", "", "running"),
        ("UPDATE seat SET dot = 3 WHERE dot = 2", "", "sietch-12 is held now. ", "held"),
    ],
)
def test_an_upgrade_to_what_is_there_holds_or_releases_the_games_that_it_says(
    mentat: Mentat, place: World, damage: str, out: str, err: str, status: str
) -> None:
    place.new_game()
    with place.engine.begin() as conn:
        conn.exec_driver_sql(damage)
    place.engine.dispose()
    done = mentat("upgrade")
    assert out in done.out
    assert done.err.startswith(err)
    assert "The backup is " in done.out
    assert mentat("game", "list", "--json").json[0]["status"] == status
    assert "The backup is " not in mentat("upgrade").out


def test_an_upgrade_ends_with_1_where_a_game_would_have_gone_otherwise(mentat: Mentat, place: World) -> None:
    place.new_game()
    with place.engine.begin() as conn:
        conn.exec_driver_sql("UPDATE seat SET dot = 3 WHERE dot = 2")
        conn.exec_driver_sql("UPDATE game SET rules_digest = 'of other rules'")
    place.engine.dispose()
    tried = mentat("upgrade", "--dry-run")
    assert (tried.code, tried.err.startswith("sietch-12 would be held. ")) == (1, True)
    assert mentat("game", "list", "--json").json[0]["status"] == "running"
    document = mentat("upgrade", "--dry-run", "--json")
    assert (document.code, [each["game"] for each in document.json["changed"]]) == (1, ["sietch-12"])
    done = mentat("upgrade")
    assert (done.code, done.err.startswith("sietch-12 is held now. ")) == (1, True)
    assert mentat("game", "list", "--json").json[0]["status"] == "held"
    again = mentat("upgrade")
    assert "sietch-12 is already held, and stays held.\n" in again.out
