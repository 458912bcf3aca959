"""Tests a game master's first evening: a folder, a game, and mail exchanged as files."""

from __future__ import annotations

import email
import json
import re
import subprocess
from email import policy
from email.message import EmailMessage
from pathlib import Path
from typing import Any

from tests.end_to_end.service_process import ROOT, command, environment, run_warm


class Evening:
    """A game master at their shell, in their own folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def types(self, *words: str, code: int = 0) -> subprocess.CompletedProcess[str]:
        """Run a command and check its exit code."""
        done = run_warm(*words, folder=self.folder)
        assert done.returncode == code, f"mentat {' '.join(words)} ended with {done.returncode}: {done.stderr}"
        return done

    def asks(self, *words: str) -> Any:
        """Run a command with --json and return its answer."""
        return json.loads(self.types(*words, "--json").stdout)

    def letters(self) -> dict[str, EmailMessage]:
        """Return the newest outgoing letter to each address."""
        found: dict[str, EmailMessage] = {}
        for path in sorted((self.folder / "outgoing").glob("*.eml"), key=lambda path: path.stat().st_mtime_ns):
            letter = email.message_from_bytes(path.read_bytes(), policy=policy.default)
            found[str(letter["To"].addresses[0].addr_spec)] = letter
        return found


def test_a_game_master_starts_a_table_in_an_evening(tmp_path: Path) -> None:
    evening = Evening(tmp_path)

    evening.types("init")
    assert {"config.toml", ".env", "mentat.db"} <= {path.name for path in tmp_path.iterdir()}
    assert (tmp_path / ".env").stat().st_mode & 0o077 == 0, "others may read the secrets"
    settings = tmp_path / "config.toml"
    settings.write_text(settings.read_text().replace('# kind = "smtp"', 'kind = "directory"'))
    evening.types("init")  # creates the folder that the settings now name

    players = ("bene-gesserit=ann@example.org", "guild=bob@example.org", "fremen=cid@example.org")
    seats = [word for player in players for word in ("--seat", player)]
    begun = evening.asks("game", "new", "--id", "first", "--seed", "first evening", *seats)
    assert begun["seats"]["guild"] == "bob@example.org"
    assert evening.asks("send")["sent"] == 3
    letters = evening.letters()
    assert set(letters) == {"ann@example.org", "bob@example.org", "cid@example.org"}
    asked = letters["ann@example.org"]
    assert "predict" in _text(asked)
    assert "wants your prediction" not in _text(letters["bob@example.org"])

    answer = EmailMessage(policy=policy.SMTP)
    answer["From"] = "Ann <ann@example.org>"
    answer["To"] = str(asked["Reply-To"])
    answer["Subject"] = f"Re: {asked['Subject']}"
    answer["Message-ID"] = "<1@example.org>"
    answer.set_content(f"predict guild turn 3\n\nOn Sunday Mentat wrote:\n{_quoted(_text(asked))}\n")
    (tmp_path / "answer.eml").write_bytes(answer.as_bytes())

    assert evening.asks("mail", "parse", "answer.eml")["orders"] == ["predict guild turn 3"]
    (read,) = evening.asks("deliver", "answer.eml")
    assert (read["disposition"], read["faction"], read["taken"]) == ("orders", "bene-gesserit", 1)
    (again,) = evening.asks("deliver", "answer.eml")
    assert again["disposition"] == "duplicate"

    evening.types("send")
    reply = evening.letters()["ann@example.org"]
    assert reply["In-Reply-To"] == "<1@example.org>"
    assert re.search(r"Taken from your mail: predict Guild turn 3\.", _text(reply))
    assert evening.asks("send")["sent"] == 0

    assert evening.asks("game", "list")[0]["game"] == "first"
    assert evening.asks("game", "show", "first")["questions"]
    assert evening.asks("game", "verify", "first")["holds"] is True
    assert evening.asks("tick", "--now", "2999-01-01T00:00:00Z")["games"] == 1
    assert evening.asks("game", "verify", "first")["holds"] is True


def test_players_are_named_one_after_the_other_and_factions_dealt(tmp_path: Path) -> None:
    evening = Evening(tmp_path)
    evening.types("init")
    three = ("ann@example.org", "bob@example.org", "cid@example.org")
    dealt = evening.asks("game", "new", "--ruleset", "ah-basic", "--draw", *three)
    assert sorted(dealt["seats"].values()) == sorted(three)
    given = evening.asks("game", "new", "--seat", "guild=ann@example.org", "fremen=bob@example.org")
    assert given["seats"] == {"guild": "ann@example.org", "fremen": "bob@example.org"}
    seven = [f"player{number}@example.org" for number in range(7)]
    assert "two to six" in evening.types("game", "new", "--draw", *seven, code=2).stderr


def test_commands_need_no_server_and_say_what_is_wrong_in_one_sentence(tmp_path: Path) -> None:
    evening = Evening(tmp_path)
    assert "mentat init" in evening.types("game", "list", code=2).stderr
    evening.types("init")
    wrong = evening.types("game", "show", "nobody", code=2).stderr
    assert "nobody" in wrong
    assert wrong.count("\n") == 1
    assert "Traceback" not in wrong


def test_a_fresh_clone_finds_its_commands() -> None:
    done = subprocess.run(command("--help"), cwd=ROOT, env=environment(), capture_output=True, text=True, check=False)
    for name in ("demo", "init", "run", "poll", "tick", "send", "deliver", "mail", "game", "order", "ruling", "rule"):
        assert re.search(rf"\b{name}\b", done.stdout), f"mentat {name} is not listed"
    assert "bench" in done.stdout


def _text(letter: EmailMessage) -> str:
    body = letter.get_body(("plain",))
    assert body is not None
    return str(body.get_content())


def _quoted(text: str) -> str:
    return "\n".join(f"> {line}" for line in text.splitlines())
