"""Tests for the modules that commands import, so that commands start quickly."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

HEAVY = (
    "PIL", "alembic", "apscheduler", "charset_normalizer", "dkim", "holidays", "imapclient", "jinja2",
    "lark", "pymap", "rapidfuzz", "selectolax", "sqlalchemy", "sqlmodel", "sqlalchemy.orm", "dns",
    "sqlalchemy.dialects.postgresql", "bot.language", "bot.moderator", "bot.render.letters", "rules.chapters",
)  # fmt: skip
"""Modules that are slow to load or need much memory."""
WHOLE_GAME = {"bot.language", "jinja2", "lark", "rapidfuzz", "rules.chapters", "sqlalchemy"}
"""The modules that an open game needs: the command reads its sheets and words its page as letters do."""
CLONE = Path(__file__).parents[2]
SHOW = f"import sys; print('loaded:', *sorted(set({HEAVY!r}) & set(sys.modules)), file=sys.stderr)"
RUN = f"import atexit, sys\natexit.register(lambda: exec({SHOW!r}))\nfrom bot.cli import main\nmain()"

COUNT = """
from rules.rulesets import rulebook
from unittest.mock import patch
with patch.object(rulebook, "_clause", wraps=rulebook._clause) as read:
    rulebook.clause("wbc.x.32")
    print(read.call_count)
    rulebook.find("lasgun shield")
    print(read.call_count)
    list(rulebook.CLAUSES.values())
    print(read.call_count)
"""


def loaded(folder: Path, *words: str) -> set[str]:
    """Return the watched modules that a command has loaded when it ends."""
    ran = subprocess.run(
        [sys.executable, "-c", RUN, *words], capture_output=True, text=True, check=False, cwd=folder,
        env={"PYTHONPATH": str(CLONE)},
    )  # fmt: skip
    assert "Traceback" not in ran.stderr
    last = ran.stderr.splitlines()[-1]
    assert last.startswith("loaded:"), ran.stderr
    return set(last.split()[1:])


@pytest.mark.parametrize(
    "words",
    [
        ("--help",),
        ("game", "--help"),
        ("mail", "parse", "--help"),
        ("mail", "parse", str(CLONE / "tests" / "mail" / "corpus" / "alpine.eml")),
        ("order", "check", "--help"),
        ("rule", "lasgun", "shield"),
        ("rule", "WBC.X.32"),
        ("nonsense",),
    ],
    ids=" ".join,
)
def test_a_command_that_opens_no_game_loads_no_heavy_library(tmp_path: Path, words: tuple[str, ...]) -> None:
    notes = {"jinja2"} if words[:2] == ("mail", "parse") else set()  # notes on a mail are sentences
    assert loaded(tmp_path, *words) <= notes


def test_a_mail_that_names_nothing_of_the_database_does_not_open_it(tmp_path: Path) -> None:
    made = subprocess.run(
        [sys.executable, "-m", "bot", "init"], capture_output=True, check=True, cwd=tmp_path,
        env={"PYTHONPATH": str(CLONE)},
    )  # fmt: skip
    assert made.returncode == 0
    (tmp_path / "order.eml").write_bytes(b"From: a@b.example\r\nTo: m@x.example\r\nSubject: hi\r\n\r\nbid 4\r\n")

    assert not loaded(tmp_path, "mail", "parse", "order.eml") & {"alembic", "sqlalchemy", "sqlmodel"}


@pytest.mark.parametrize(
    ("words", "needed"),
    [
        (("desk",), {"sqlalchemy", "jinja2"}),
        (("game", "list"), {"sqlalchemy", "jinja2"}),
        (("game", "log", "one"), {"sqlalchemy", "jinja2"}),
        (("game", "show", "one"), WHOLE_GAME),
        (("order", "check", "one", "fremen", "bid 3"), WHOLE_GAME | {"bot.moderator"}),
    ],
    ids=lambda given: " ".join(given) if isinstance(given, tuple) else "",
)
def test_a_command_that_looks_loads_what_it_shows(tmp_path: Path, words: tuple[str, ...], needed: set[str]) -> None:
    seats = ("--seat", "fremen=ann@example.org", "--seat", "guild=bob@example.org")
    for made in (("init",), ("game", "new", "--id", "one", *seats)):
        loaded(tmp_path, *made)
    assert loaded(tmp_path, *words) <= needed


def test_the_rulebook_reads_the_clauses_that_are_asked_for_alone() -> None:
    ran = subprocess.run(
        [sys.executable, "-c", COUNT], capture_output=True, text=True, check=True, env={"PYTHONPATH": str(CLONE)}
    )
    one, found, all_of_them = map(int, ran.stdout.split())
    assert one == 1
    assert found < 30
    assert all_of_them == 1431


def test_what_a_group_lists_is_the_beginning_of_its_commands_own_help(tmp_path: Path) -> None:
    ran = subprocess.run(
        [sys.executable, "-m", "bot", "--help"], capture_output=True, text=True, check=True, cwd=tmp_path,
        env={"PYTHONPATH": str(CLONE), "COLUMNS": "200"},
    )  # fmt: skip
    assert "Run the service until it is stopped: mailbox, deadlines, reminders, outbox." in ran.stdout
    assert "Measure the engine, the mail, a thousand games, the archive" in ran.stdout
    assert "Start and manage games." in ran.stdout
