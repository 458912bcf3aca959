"""Tests that `mentat play` treats lines from standard input like a mail and stores the game."""

from __future__ import annotations

import io
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from bot.cli import play
from bot.cli.play import without_mailbox_parts
from bot.games import proof
from bot.lab.worlds import reopen_world
from bot.store import games
from bot.store.database import reading
from tests.cli.conftest import Mentat, Ran

Typed = Callable[..., Ran]


@pytest.fixture
def typed(mentat: Mentat, monkeypatch: pytest.MonkeyPatch) -> Typed:
    monkeypatch.setattr(play, "fresh_secrets", lambda: ("a game of tests", "spice-must-flow-spice-must-flow"))

    def run(*lines: str, more: tuple[str, ...] = ("--as", "fremen")) -> Ran:
        monkeypatch.setattr(sys, "stdin", io.StringIO("".join(f"{line}\n" for line in lines)))
        return mentat("play", *more)

    return run


def test_a_letter_asks_and_says_what_can_be_typed(typed: Typed) -> None:
    began = typed()
    assert began.code == 0
    assert "WHICH TRAITOR IS YOURS?" in began.out
    assert "YOU CAN TYPE" in began.out
    assert "Mentat (steady), seated at" in began.out
    assert "Reply above" not in began.out
    assert "[form" not in began.out
    assert "mentat play" in began.out.splitlines()[-1]


def test_a_first_turn_is_played_from_standard_input_and_goes_on_another_day(typed: Typed) -> None:
    first = typed("skip", "place 4 in tabr, 3 in false wall south/4, 3 in false wall west/16", "pass all")
    assert "Taken from your mail: place 4 in Sietch Tabr" in first.out
    assert "Fremen placed 4 tokens in Sietch Tabr" in first.out
    assert "You are FREMEN in play. Turn 1, movement." in first.out
    second = typed("shipp 5 to tabr", "ship 5 to carthag", "ship 5 to tabr", *["skip"] * 8)
    assert "REFUSED" in second.out  # Carthag is too far for the Fremen's reserves
    assert "Turn 2" in second.out


def test_somebody_who_always_passes_is_led_on_to_each_next_question(typed: Typed) -> None:
    told = typed(*["skip"] * 14)
    assert "Turn 2" in told.out
    assert "NOTHING TO DO RIGHT NOW" not in told.out  # while others bid more than this player can afford
    assert (
        "Taken from your mail: place 4 in Sietch Tabr, 3 in False Wall South/4, 3 in\nFalse Wall West/16.\n" in told.out
    )


def test_undo_takes_the_last_order_back_and_no_question_about_it(typed: Typed) -> None:
    told = typed("skip", "status", "undo")
    assert "Your last order is taken back." in told.out
    assert "Which traitor is yours?" in told.out[told.out.index("taken back") :]
    assert "There is nothing to undo." in typed("undo").out


def test_bytes_that_are_no_text_are_answered_and_leave_nothing_to_undo(typed: Typed) -> None:
    assert "cannot find an order" in typed("\udcff\udcfehello").out
    assert "There is nothing to undo." in typed("undo").out


def test_a_folder_of_another_mentat_is_left_alone(typed: Typed, tmp_path: Path) -> None:
    (tmp_path / "mentat-play").mkdir()
    (tmp_path / "mentat-play" / "config.toml").write_text("[mentat]\n", encoding="utf-8")
    refused = typed("skip")
    assert refused.code == 2
    assert "contains no game of `mentat play`" in refused.err
    assert [one.name for one in (tmp_path / "mentat-play").iterdir()] == ["config.toml"]


def test_a_game_played_to_its_end_leaves_an_archive_and_verifies(typed: Typed, tmp_path: Path) -> None:
    ended = typed(*["skip"] * 60, more=("--as", "guild", "--ruleset", "gf9-basic", "--turns", "2"))
    assert "The game is over." in ended.out
    assert (tmp_path / "mentat-play" / "archive" / "game" / "play" / "replay.html").is_file()
    page = (tmp_path / "mentat-play" / "archive" / "game" / "play" / "index.html").read_text("utf-8")
    assert "Mentat (steady)" in page
    world = reopen_world(tmp_path / "mentat-play")
    with reading(world.engine) as conn:
        assert proof.verify(proof.full_record(conn, "play")).holds
        assert games.progress(conn, "play")[1]
    world.close()


@pytest.mark.parametrize(
    ("more", "why"),
    [
        (("--as", "fremmen"), "There is no faction 'fremmen' here"),
        (("--ruleset", "dune-1984"), "dune-1984"),
        (("--opponent", "wild"), "There is no opponent 'wild'; the opponents are careful, steady, sharp"),
        (("--dir", "."), "is not empty"),
    ],
)
def test_wrong_use_is_said_in_a_sentence(typed: Typed, more: tuple[str, ...], why: str) -> None:
    if more == ("--dir", "."):
        Path("notes.txt").write_text("mine", "utf-8")
        Path("config.toml").unlink(missing_ok=True)
    ran = typed(more=more)
    assert ran.code == 2
    assert why in ran.err


WITHOUT_SERVERS = """
import sys
for name in ("aiosmtpd", "pymap", "proxyprotocol", "pysasl"):
    sys.modules[name] = None
from bot.cli import main
sys.argv = ["mentat", "play", "--dir", "alone"]
main()
"""


def test_it_needs_no_mail_server_and_no_settings(tmp_path: Path) -> None:
    ran = subprocess.run(
        [sys.executable, "-c", WITHOUT_SERVERS], input="status\n", capture_output=True, text=True, cwd=tmp_path,
        env={"PYTHONPATH": str(Path(__file__).parents[2])}, check=False,
    )  # fmt: skip
    assert ran.returncode == 0, ran.stderr
    assert "YOU CAN TYPE" in ran.stdout or "NOTHING" in ran.stdout


def test_a_form_becomes_lines_to_type() -> None:
    letter = "Reply above this line\r\nHi\r\n\r\nFORM\r\nTick.\r\n[form a]\r\n[ ] pass\r\n[end of form a]\r\n"
    assert without_mailbox_parts(letter) == "Hi\n\nYOU CAN TYPE\n  pass"
