"""Tests that every error is one sentence on stderr, with an exit code for its kind."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
import typer

from bot.cli import app
from tests.cli.conftest import Mentat, Ran
from tests.moderator.table import World

SEATS = ("--seat", "guild=ann@example.org", "--seat", "fremen=bob@example.org")


def one_sentence(ran: Ran) -> str:
    assert ran.out == ""
    lines = ran.err.strip().splitlines()
    assert len(lines) == 1, ran.err
    assert lines[0].endswith((".", "?"))
    return lines[0]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["game", "nonsense"], "No such command 'nonsense'"),
        (["game", "show"], "Missing argument"),
        (["game", "list", "--nonsense"], "No such option: --nonsense"),
        (["game", "show", "nowhere"], "There is no game 'nowhere' here"),
        (["game", "show", "nowhere", "--as", "guild"], "There is no game 'nowhere' here"),
        (["game", "log", "nowhere", "--as", "guild"], "There is no game 'nowhere' here"),
        (["game", "verify", "nowhere"], "There is no game 'nowhere' here"),
        (["game", "rollback", "nowhere", "--entries", "1"], "There is no game 'nowhere' here"),
        (["game", "new"], "Name the players"),
        (["game", "new", "--seat", "guild=ann@example.org"], "two to six players"),
        (["game", "new", "--seat", "guild"], "write it like guild=ann@example.org"),
        (["game", "new", "--seat", "giuld=ann@example.org", "--seat", "x=y@z"], "'giuld' is not one of"),
        (["game", "new", "--seat", "guild=a b@example.org", "--seat", "fremen=b@x.org"], "not an e-mail address"),
        (["game", "new", "--seat", "guild=ann@example.org", "--seat", "guild=b@x.org"], "already has a player"),
        (["game", "new", "--draw", "ann"], "not an e-mail address"),
        (["game", "new", *SEATS, "--ruleset", "wbc-2081"], "wbc-2081"),
        (["game", "new", *SEATS, "--option", "max_turns"], "write it like max_turns=10"),
        (["game", "new", *SEATS, "--option", "max_tunrs=10"], "max_tunrs"),
        (["game", "new", *SEATS, "--option", "max_turns=-4"], "max_turns"),
        (["game", "new", *SEATS, "--ruleset", "gf9-basc"], "did you mean gf9-basic?"),
        (["game", "new", *SEATS, "--id", "../etc"], "letters, digits, dots and hyphens"),
        (["tick", "--now", "soon"], "write it like 2026-11-24T20:00:00Z"),
        (["deliver", "nothing.eml"], "nothing.eml cannot be read"),
        (["mail", "parse", "nothing.eml"], "nothing.eml cannot be read"),
        (["order", "check", "nowhere", "guild", "pass"], "There is no game 'nowhere' here"),
        (["game", "list", "--config", "none.toml"], "none.toml is missing"),
        (["game", "bank", "g", "guild", "0"], "HOURS: 0 must be between"),
        (["game", "bank", "g", "guild", "100000"], "must be between"),
        (["game", "bank", "g", "guild", "nan"], "HOURS: nan must be between"),
        (
            ["game", "extend", "g", "soon"],
            "Invalid value for 'hours': write a number; see `mentat game extend --help`.",
        ),
        (["soak", "--games", "ten"], "Invalid value for '--games': write a whole number;"),
        (["game", "caretaker", "g", "guild", "yes"], "'yes': write on or off"),
        (["game", "sitter", "g", "guild"], "Name an address and the last day with --until, or else --off alone"),
        (["game", "sitter", "g", "guild", "a@b.example"], "or else --off alone"),
        (["game", "sitter", "g", "guild", "--until", "2027-01-31"], "or else --off alone"),
        (["game", "sitter", "g", "guild", "a@b.example", "--until", "2027-01-31", "--off"], "or else --off alone"),
        (["game", "note", "nowhere"], "There is no game 'nowhere' here"),
        (["game", "acts", "nowhere"], "There is no game 'nowhere' here"),
        (["game", "grant", "g", "king", "a@b.example"], "RIGHT: 'king' is not one of"),
        (["game", "replace", "g", "guild", "a@b.example", "--name", "A\nB"], "--name: a name must be one line of text"),
        (["rating", "show", "nobody@x.example"], "No single person is known as 'nobody@x.example'"),
        (["run", "--workers", "2"], "`mentat run` is one process and has no --workers: start several"),
        (["rule", "--ruleset", "ah-basic"], "--ruleset needs --coverage"),
        (["ruling", "check", "nothing.toml"], "There is no file nothing.toml"),
        (["restore", "--check", "x.db", "--on", "here"], "--on: name an existing database"),
        (["restore", "--check", "x.db", "--on", "postgresql://m:secret@db.example/x"], "without a password"),
        (["restore", "x.db", "--on", "postgresql://db.example/x"], "--on needs --check"),
        (["restore", "--resume", "--replace"], "--replace and --from-another need the file"),
        (["restore", "--resume", "--from-another"], "--replace and --from-another need the file"),
        (["forum", "show", "g", "--number", "3"], "name the block with --done"),
        (["forum", "show", "g", "--url", "https://x.example"], "name the block with --done"),
        (["forum", "show", "g", "--done", "1", "--url", "x.example"], "'x.example' is not the address of a page"),
        (["upgrade", "--scratch", "nowhere"], "There is no folder nowhere"),
        (["mail", "delete", "--", "-1"], "Say what to delete: the ID of a message, or --person ADDRESS"),
        (["tournament", "withdraw", "nowhere", "ann"], "There is no tournament 'nowhere' here"),
        (["tournament", "verify", "no/export"], "There is no file no/export"),
        (["tournament", "verify", "nothing.json"], "There is no file nothing.json"),
    ],
)
def test_wrong_use_is_told_in_one_sentence(mentat: Mentat, words: list[str], said: str) -> None:
    ran = mentat(*words)
    assert ran.code == 2
    assert said in one_sentence(ran)


@pytest.mark.parametrize("group", ["game", "tournament", "mail"])
def test_a_group_of_commands_alone_shows_its_help_and_nothing_else(mentat: Mentat, group: str) -> None:
    ran = mentat(group)
    assert ran.code == 2
    assert f"Usage: mentat {group} [OPTIONS] COMMAND [ARGS]..." in ran.out
    assert ran.err == ""


@pytest.mark.parametrize("own", ["mentat@arrakis.example", "Mentat+ann@arrakis.example"])
@pytest.mark.parametrize("ways", [("--seat", "fremen=", "--seat", "guild="), ("--draw", "", "--draw", "")])
def test_mentat_itself_is_given_no_seat(mentat: Mentat, own: str, ways: Sequence[str]) -> None:
    """Mentat would answer its own letters for ever."""
    how, first, _, second = ways
    ran = mentat("game", "new", how, f"{first}{own}", how, f"{second}ann@example.org")
    assert ran.code == 1
    assert f"{own.lower()} is Mentat's own address" in one_sentence(ran)
    assert "no game yet" in mentat("game", "list").out


def test_a_game_that_exists_already_is_a_no(mentat: Mentat) -> None:
    assert mentat("game", "new", "--id", "g", "--ruleset", "ah-basic", *SEATS).code == 0
    ran = mentat("game", "new", "--id", "g", "--ruleset", "ah-basic", *SEATS)
    assert ran.code == 1
    assert "already a game 'g'" in one_sentence(ran)


def test_a_clause_that_is_unknown_is_a_no(mentat: Mentat) -> None:
    ran = mentat("rule", "xyzzy")
    assert ran.code == 1
    assert "try one word" in one_sentence(ran)


def test_a_locked_database_is_told_and_changes_nothing(mentat: Mentat, place: World, tmp_path: Path) -> None:
    mentat("game", "new", "--id", "g", "--ruleset", "ah-basic", *SEATS)
    with place.engine.connect().execution_options(write=True) as held, held.begin():
        held.exec_driver_sql("SELECT 1")
        ran = mentat("tick", "--now", "2099-01-01")
    assert ran.code == 1
    assert "is held by another program" in one_sentence(ran)


def test_a_database_that_is_none_is_told(mentat: Mentat, tmp_path: Path) -> None:
    (tmp_path / "other.toml").write_text(
        (tmp_path / "config.toml").read_text(encoding="utf-8").replace('"mentat.db"', '"notes.txt"'), encoding="utf-8"
    )
    (tmp_path / "notes.txt").write_text("these are my notes, and no database at all " * 100, encoding="utf-8")
    ran = mentat("game", "list", "--config", "other.toml")
    assert ran.code == 1
    assert "is another kind of file" in one_sentence(ran)


def test_a_database_in_a_folder_that_is_not_there_is_told(mentat: Mentat, tmp_path: Path) -> None:
    (tmp_path / "other.toml").write_text(
        (tmp_path / "config.toml").read_text(encoding="utf-8").replace('"mentat.db"', '"no/mentat.db"'),
        encoding="utf-8",
    )
    ran = mentat("game", "list", "--config", "other.toml")
    assert ran.code == 1
    assert "does not exist" in one_sentence(ran)


def test_a_database_of_a_newer_mentat_is_not_touched(mentat: Mentat, place: World) -> None:
    with place.engine.begin() as conn:
        conn.exec_driver_sql("UPDATE alembic_version SET version_num = '9999'")
    ran = mentat("game", "list")
    assert ran.code == 1
    assert "newer Mentat" in one_sentence(ran)


def test_every_wrong_setting_is_named(mentat: Mentat, tmp_path: Path) -> None:
    (tmp_path / "config.toml").write_text('[mentat]\naddress = "x"\n[smtp]\nkind = "pigeon"\n', encoding="utf-8")
    ran = mentat("game", "list")
    assert ran.code == 2
    assert ran.out == ""
    assert len(ran.err.strip().splitlines()) >= 3


def test_a_mail_server_that_cannot_be_reached_is_told(mentat: Mentat, tmp_path: Path) -> None:
    config = (tmp_path / "config.toml").read_text(encoding="utf-8")
    config = config.replace(
        'kind = "maildir"\nmaildir = "Maildir"',
        'kind = "imap"\nhost = "127.0.0.1"\nport = 9\nsecurity = "none"\nuser = "u"\ntimeout_seconds = 1',
    )
    config = config.replace(
        'kind = "directory"\ndirectory = "outgoing"',
        'kind = "smtp"\nhost = "127.0.0.1"\nport = 9\nsecurity = "none"\ntimeout_seconds = 1',
    )
    (tmp_path / "config.toml").write_text(config, encoding="utf-8")
    with (tmp_path / ".env").open("a", encoding="utf-8") as env:
        env.write("MENTAT_IMAP_PASSWORD=x\n")
    ran = mentat("poll")
    assert ran.code == 1
    assert "127.0.0.1" in one_sentence(ran)
    mentat("game", "new", "--id", "g", "--ruleset", "ah-basic", *SEATS)
    ran = mentat("send", "--json")
    assert ran.code == 1
    assert ran.json == {"sent": 0, "deferred": 2, "refused": 0}


def test_a_missing_template_is_told(mentat: Mentat, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    from bot import wording

    monkeypatch.setattr("bot.wording.templates_dir", lambda: tmp_path / "templates")
    monkeypatch.setattr("bot.templates_dir", lambda: tmp_path / "templates")
    for cached in (wording.find_in, wording.sources):
        cached.cache_clear()
    try:
        ran = mentat("game", "new", "--id", "g", "--ruleset", "ah-basic", *SEATS)
    finally:
        for cached in (wording.find_in, wording.sources):
            cached.cache_clear()
    assert ran.code == 2
    assert "has the sentence" in one_sentence(ran)


def commands(group: Any, name: str = "mentat") -> list[tuple[str, Any]]:
    """Return the commands of a group and its subgroups, each with the words that call it."""
    below = getattr(group, "commands", None)
    if below is None:
        return [(name, group)]
    return [found for sub, each in below.items() for found in commands(each, f"{name} {sub}")]


WITHOUT_SETTINGS = (
    "mentat demo",
    "mentat bench",
    "mentat bench mail",
    "mentat bench pace",
    "mentat bench scale",
    "mentat bench workers",
    "mentat manual",
    "mentat play",
    "mentat soak",
)
EVERY = commands(typer.main.get_command(app))


@pytest.mark.parametrize(("name", "command"), EVERY, ids=[name for name, _ in EVERY])
def test_every_command_has_help_with_an_example_and_takes_a_config(name: str, command: Any) -> None:
    assert f"`{name}" in (command.help or ""), "no example"
    assert any("--config" in parameter.opts for parameter in command.params) or name in WITHOUT_SETTINGS


def test_the_same_from_another_process_as_a_module(tmp_path: Path) -> None:
    ran = subprocess.run(
        [sys.executable, "-m", "bot", "game", "list", "--config", str(tmp_path / "none.toml")],
        capture_output=True, text=True, check=False, cwd=Path(__file__).parents[2],
    )  # fmt: skip
    assert ran.returncode == 2
    assert ran.stderr.count("\n") == 1


WITHOUT = "import sys; sys.modules['aiosmtpd'] = None; sys.argv = ['mentat', 'demo']; from bot.cli import main; main()"


def test_without_the_extra_of_the_demo_its_package_is_named(tmp_path: Path) -> None:
    ran = subprocess.run([sys.executable, "-c", WITHOUT], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (ran.returncode, ran.stdout) == (1, "")
    assert "install `mentat[demo]`" in ran.stderr
