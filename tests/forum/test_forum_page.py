"""`docs/forum.md` is correct: its lines count, its commands exist, and its settings are valid."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from typer.main import get_command

from bot.channels import Dialect
from bot.cli import app
from bot.forum.posts import form_of, read_post
from tests.moderator.table import CONFIG, make_settings

PAGE = (Path(__file__).parents[2] / "docs" / "forum.md").read_text(encoding="utf-8")


def test_each_line_that_is_said_to_count_does() -> None:
    table = PAGE.partition("**Mentat reads only lines**")[2].partition("Plain words")[0]
    lines = re.findall(r"`(![^`]+)`", table)
    assert len(lines) > 8
    for line in lines:
        (marked,) = read_post(line, Dialect.MARKDOWN)
        assert form_of(marked.text) == "act", line


def test_every_command_is_told_and_none_that_there_is_not() -> None:
    told = set(re.findall(r"mentat forum ([a-z]+)", PAGE))
    assert told == set(get_command(app).commands["forum"].commands)  # type: ignore[attr-defined]  # a group


def test_its_settings_can_be_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    blocks = re.findall(r"(?m)^ +(\[forums\.[a-z-]+\]\n(?: +\w+ = .*\n)+)", PAGE)
    said = "\n".join(re.sub(r"(?m)^ +", "", block) for block in blocks)
    for name in re.findall(r"`(MENTAT_FORUM_\w+_KEY)=…`", PAGE):
        monkeypatch.setenv(name, "a-key")
    forums = make_settings(tmp_path, CONFIG + said).forums
    assert {forum.kind for forum in forums.values()} == {"discourse", "list", "paste"}


def test_every_place_that_it_links_to_is_there() -> None:
    for page, heading in re.findall(r"\]\(([\w-]*\.md)?(?:#([\w-]+))?\)", PAGE):
        text = (Path(__file__).parents[2] / "docs" / page).read_text(encoding="utf-8") if page else PAGE
        headings = {
            re.sub(r"[^\w -]", "", each.lower()).replace(" ", "-") for each in re.findall(r"(?m)^#+ (.+)$", text)
        }
        assert not heading or heading in headings, (page, heading)
