"""Mentat as a separate program, as a game master runs it: settings in a folder, commands and the service."""

from __future__ import annotations

import json
import multiprocessing
import os
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from bot.cli import main
from tests.end_to_end.mail_clients import BOT, GAME_MASTER, PASSWORD, SEATS, SEED, MailServers

ROOT = Path(__file__).parents[2]
SECRET = "a secret of thirty-two characters or more"
GAME = "sietch-12"
_PATIENCE = 120.0  # seconds; a busy machine is slow, but a stopped service stays stopped


class Mentat:
    """A Mentat in a folder. ``start`` and ``kill`` control its service; ``call`` runs any command. ``poll_seconds``
    matters only if the server does not announce new mail (IDLE)."""

    def __init__(self, folder: Path, servers: MailServers, poll_seconds: int = 60) -> None:
        self.folder = folder
        self._environment = environment()
        self._process: subprocess.Popen[bytes] | None = None
        self._log = folder / "service.log"
        folder.mkdir()
        (folder / "config.toml").write_text(
            f'[mentat]\naddress = "{BOT}"\ngame_master = "{GAME_MASTER}"\n'
            f'[mailbox]\nhost = "{servers.host}"\nport = {servers.imap_port}\nsecurity = "none"\nuser = "{BOT}"\n'
            f"poll_seconds = {poll_seconds}\n"
            f'[smtp]\nhost = "{servers.host}"\nport = {servers.smtp_port}\nsecurity = "none"\n'
            "[limits]\nanswers_per_hour = 1_000_000\n"
        )
        (folder / ".env").write_text(f'MENTAT_SECRET="{SECRET}"\nMENTAT_IMAP_PASSWORD={PASSWORD}\n')
        self.call("init")

    def call(self, *words: str) -> Any:
        """Run a command with --json, and return its output."""
        done = run_warm(*words, "--config", str(self.folder / "config.toml"), "--json", folder=ROOT)
        assert done.returncode == 0, f"mentat {' '.join(words)}: {done.stderr}"
        return json.loads(done.stdout)

    def new_game(self, ruleset: str, turns: int, *more: str) -> None:
        """Start the game of the six players, with these further words on the command line. A seat that they give to a
        computer opponent (`--opponent guild=steady`) has no player."""
        seats = [
            word
            for faction, address in SEATS.items()
            if not any(one.startswith(f"{faction}=") for one in more)
            for word in ("--seat", f"{faction}={address}")
        ]
        options = ("--option", f"max_turns={turns}")
        self.call("game", "new", "--id", GAME, "--ruleset", ruleset, "--seed", SEED, *seats, *options, *more)

    def start(self) -> None:
        """Start the service. It may not be ready yet when this returns."""
        with self._log.open("ab") as log:
            self._process = subprocess.Popen(
                command("run", "--config", str(self.folder / "config.toml")),
                cwd=ROOT, env=self._environment, stdout=log, stderr=log,
            )  # fmt: skip

    def kill(self) -> None:
        """Kill the service with SIGKILL, so that it can neither finish its work nor clean up."""
        assert self._process is not None
        self._process.kill()
        self._process.wait()

    def stop(self) -> int:
        """Stop the service with SIGTERM, and return its exit code."""
        assert self._process is not None
        self._process.send_signal(signal.SIGTERM)
        return self._process.wait(timeout=_PATIENCE)

    def await_done(self, messages: int, between: Callable[[], None] = lambda: None) -> None:
        """Wait until this many messages have been processed and all letters sent. Call ``between`` while waiting."""
        until = time.monotonic() + _PATIENCE
        while not self._done(messages):
            between()
            assert time.monotonic() < until, f"not done after {_PATIENCE:.0f} s; its log:\n{self.log()}"
            time.sleep(0.02)

    def log(self) -> str:
        """Return the output of the service to its terminal."""
        return self._log.read_text() if self._log.exists() else ""

    def database(self) -> sqlite3.Connection:
        """Open the database for inspection."""
        return sqlite3.connect(f"file:{self.folder / 'mentat.db'}?mode=ro", uri=True, timeout=30)

    def _done(self, messages: int) -> bool:
        connection = self.database()
        try:
            taken = connection.execute("select count(*) from message").fetchone()[0]
            waiting = connection.execute("select count(*) from letter where next_try_at is not null").fetchone()[0]
        finally:
            connection.close()
        return bool(taken >= messages and waiting == 0)

    def __enter__(self) -> Mentat:
        return self

    def __exit__(self, *_: object) -> None:
        if self._process is not None and self._process.poll() is None:
            self.kill()


def run_warm(*words: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """Run a command in a process that is forked from one which has already loaded the modules. This saves the second
    that Python takes to start. Two commands share nothing else."""
    with TemporaryDirectory() as made:
        out, err = Path(made, "out"), Path(made, "err")
        process = _WARM.Process(target=_command_in_fork, args=(words, str(folder), environment(), str(out), str(err)))
        process.start()
        process.join(_PATIENCE)
        assert process.exitcode is not None, f"mentat {' '.join(words)} takes longer than {_PATIENCE:.0f} s"
        return subprocess.CompletedProcess(words, process.exitcode, out.read_text(), err.read_text())


_WARM = multiprocessing.get_context("forkserver")
_WARM.set_forkserver_preload(["bot.cli", "bot.lab.demo", "bot.moderator.moderator", "bot.service.loop"])


def _command_in_fork(words: Sequence[str], folder: str, given: dict[str, str], out: str, err: str) -> None:
    for descriptor, place in ((1, out), (2, err)):
        file = os.open(place, os.O_WRONLY | os.O_CREAT)
        os.dup2(file, descriptor)
    os.environ.clear()
    os.environ.update(given)
    os.chdir(folder)
    sys.argv = ["mentat", *words]
    main()


def command(*words: str) -> list[str]:
    """Return the command line that runs `mentat` with these words and the interpreter of the tests."""
    return [sys.executable, "-P", "-m", "bot", *words]


def environment() -> dict[str, str]:
    """Return the environment of the tests without their Mentat settings. Commands may keep their bytecode."""
    left_out = ("MENTAT_", "PYTHONDONTWRITEBYTECODE")
    kept = {name: value for name, value in os.environ.items() if not name.startswith(left_out)}
    return {**kept, "PYTHONPATH": str(ROOT)}
