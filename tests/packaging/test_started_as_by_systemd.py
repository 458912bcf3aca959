"""Tests that the units' commands work as under systemd: with only systemd's environment, secrets from credentials, and
a folder that nobody else may read."""

from __future__ import annotations

import os
import shlex
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from bot.store.database import open_database
from tests.packaging.conftest import REPOSITORY
from tests.packaging.test_systemd import INSTALLED, values

CONFIG = """
[mentat]
address = "mentat@arrakis.example"
game_master = "gm@arrakis.example"
[mailbox]
kind = "maildir"
[smtp]
kind = "directory"
"""
PATIENCE = 120.0


@dataclass(frozen=True, slots=True)
class Machine:
    """A folder in place of a machine; the folders that the units name are below it."""

    root: Path
    started: list[subprocess.Popen[str]]

    @property
    def state(self) -> Path:
        return self.root / "var/lib/mentat"

    @property
    def socket(self) -> str:
        """Return the name of the abstract socket on which systemd listens (unix(7))."""
        return f"mentat-tests-{os.getpid()}-{self.root.name}"[:100]

    def start(self, unit: str) -> subprocess.Popen[str]:
        """Start a unit's command with the secrets from its credentials folder."""
        (command,) = values(unit, "ExecStart")
        for place in (INSTALLED, "/var/lib/mentat", "/run/mentat-metrics"):
            command = command.replace(place, f"{self.root}{place}")
        handed_over = self.root / "run/credentials" / unit
        handed_over.mkdir(parents=True, exist_ok=True)
        for value in values(unit, "LoadCredential"):
            name, _, place = value.partition(":")
            file = self.root / place.lstrip("/")
            (handed_over / name).write_text(file.read_text() if file.exists() else "\n")  # SetCredential
        given = {"PATH": "/usr/bin:/bin", "NOTIFY_SOCKET": f"@{self.socket}", "WATCHDOG_USEC": "120000000"}
        running = subprocess.Popen(
            shlex.split(command.replace("%%", "%")), cwd=self.state, umask=0o077, text=True,
            env={**given, "CREDENTIALS_DIRECTORY": str(handed_over)}, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        )  # fmt: skip
        self.started.append(running)
        return running

    def ran(self, unit: str) -> tuple[int, str]:
        """Run a unit's command to its end; return its exit code and error output."""
        running = self.start(unit)
        complaint = running.communicate(timeout=PATIENCE)[1]
        return running.returncode, complaint


@pytest.fixture
def machine(tmp_path: Path) -> Iterator[Machine]:
    made = Machine(tmp_path, [])
    for folder in ("opt/mentat/bin", "var/lib/mentat/backups", "run/mentat-metrics", "etc/mentat/credentials"):
        (tmp_path / folder).mkdir(parents=True)
    program = Path(f"{tmp_path}{INSTALLED}")
    program.write_text(f"#!/bin/sh\nPYTHONPATH='{REPOSITORY}' exec '{sys.executable}' -P -m bot \"$@\"\n")
    program.chmod(0o755)
    (made.state / "config.toml").write_text(CONFIG)
    for folder in ("cur", "new", "tmp"):
        (made.state / "Maildir" / folder).mkdir(parents=True)
    (made.state / "outgoing").mkdir()
    open_database(made.state / "mentat.db").dispose()
    (tmp_path / "etc/mentat/credentials/MENTAT_SECRET").write_text("a secret of many characters\n")
    yield made
    for running in made.started:
        running.kill()
        running.wait()


@pytest.mark.parametrize("unit", ["mentat.service", "mentat@.service"])
def test_the_service_says_when_it_is_ready_and_ends_cleanly(machine: Machine, unit: str) -> None:
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as systemd:
        systemd.settimeout(PATIENCE)
        systemd.bind(f"\0{machine.socket}")
        running = machine.start(unit)
        while "READY=1" not in systemd.recv(4096).decode().splitlines():
            pass
        running.send_signal(signal.SIGTERM)
        complaint = running.communicate(timeout=PATIENCE)[1]
        assert (running.returncode, complaint) == (0, "")
        while "STOPPING=1" not in systemd.recv(4096).decode().splitlines():
            pass
    made = [path for path in machine.state.glob("mentat.db*") if path.stat().st_mode & 0o077]
    assert made == []


def test_a_missing_credential_ends_the_service_for_good(machine: Machine) -> None:
    (machine.root / "etc/mentat/credentials/MENTAT_SECRET").unlink()
    code, complaint = machine.ran("mentat.service")
    assert [str(code)] == values("mentat.service", "RestartPreventExitStatus")
    assert complaint.startswith("MENTAT_SECRET is missing: put 32 random characters under that name into ")
    assert str(machine.root / "run/credentials/mentat.service") in complaint


def test_a_database_that_is_not_there_is_told_and_tried_again(machine: Machine) -> None:
    named = '[mentat]\ndatabase = "/proc/mentat.db"\n'
    (machine.state / "config.toml").write_text(CONFIG.replace("[mentat]\n", named, 1))
    code, complaint = machine.ran("mentat.service")
    assert (code, "/proc/mentat.db does not exist; check [mentat] database" in complaint) == (1, True)


def test_the_backup_of_a_week_ago_is_replaced(machine: Machine) -> None:
    for _ in range(2):
        assert machine.ran("mentat-backup.service") == (0, "")
    (copy,) = (machine.state / "backups").iterdir()
    assert copy.name in {f"mentat-{day}.backup" for day in range(1, 8)}
    assert copy.stat().st_mode & 0o777 == 0o600


def test_metrics_are_written_where_everybody_may_read_them(machine: Machine) -> None:
    assert machine.ran("mentat-backup.service")[0] == 0  # it creates the database
    assert machine.ran("mentat-metrics.service") == (0, "")
    file = machine.root / "run/mentat-metrics/mentat.prom"
    assert "\nmentat_games{" in file.read_text()
    assert file.stat().st_mode & 0o777 == 0o644
