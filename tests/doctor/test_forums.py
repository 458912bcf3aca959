from __future__ import annotations

from pathlib import Path

import pytest

from bot.config import load_settings
from bot.monitoring.checks import Finding
from bot.service import doctor
from tests.channels.discourse_server import KEY, Standin
from tests.moderator.table import CONFIG, START


def found(folder: Path, forum: str) -> list[Finding]:
    (folder / "config.toml").write_text(CONFIG + forum, encoding="utf-8")
    (folder / ".env").write_text("MENTAT_SECRET=spice-must-flow-spice-must-flow\n", encoding="utf-8")
    return list(doctor.examine_forums(load_settings(folder / "config.toml")))


def test_a_forum_that_answers_is_well_and_one_that_refuses_the_key_is_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    standin = Standin(lambda: START)
    forum = f'[forums.arrakis]\nkind = "discourse"\nurl = "{standin.address}"\ncategory = 7\nusername = "mentat"\n'
    monkeypatch.setenv("MENTAT_FORUM_ARRAKIS_KEY", KEY)
    assert [each.state for each in found(tmp_path, forum)] == ["well"]
    standin.key = "another"
    assert [each.state for each in found(tmp_path, forum)] == ["wrong"]
    standin.stop()
    assert "cannot be reached" in found(tmp_path, forum)[0].told


def test_a_list_on_which_nobody_is_believed_is_noted(tmp_path: Path) -> None:
    forum = '[forums.dune]\nkind = "list"\naddress = "dune@lists.example"\n'
    told = found(tmp_path, forum)
    assert [each.state for each in told] == ["well", "note"]
    assert "mentat+list-" in told[0].told
    assert [each.state for each in found(tmp_path, f'{forum}authserv_id = "lists.example"\n')] == ["well"]


def test_where_one_posts_by_hand_nothing_can_be_wrong(tmp_path: Path) -> None:
    assert [each.state for each in found(tmp_path, '[forums.bgg]\nkind = "paste"\ndialect = "bgg"\n')] == ["well"]
