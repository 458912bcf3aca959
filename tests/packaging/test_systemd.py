"""Tests that systemd finds no fault in its units, that they have few rights, and that their commands exist.

`systemd-analyze` needs no running systemd (Debian: systemd). Installed programs are put in place of missing ones.
"""

from __future__ import annotations

import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from bot.cli import app
from bot.cli.session import WRONG_USE
from bot.config.sections import SECRETS
from tests.packaging.conftest import REPOSITORY
from tests.packaging.typed import refusal

UNITS = REPOSITORY / "packaging/systemd"
SERVICES = sorted(path.name for path in UNITS.glob("*.service"))
INSTALLED = "/opt/mentat/bin/mentat"
THRESHOLD = "--threshold=13"
"""The highest accepted exposure of a service, in tenths; a service with all rights has 96."""

needs_systemd = pytest.mark.skipif(
    not shutil.which("systemd-analyze"), reason="systemd-analyze is not installed (apt-get install systemd)"
)


@pytest.fixture
def units(tmp_path: Path) -> Path:
    """Copy the units, with this Python in place of the installed program."""
    for path in UNITS.glob("*.[st]*"):
        (tmp_path / one_of(path.name)).write_text(path.read_text(encoding="utf-8").replace(INSTALLED, sys.executable))
    return tmp_path


def one_of(name: str) -> str:
    """Return the name of a unit; for a template, the name of one instance."""
    return name.replace("@.", "@1.")


def analyze(*words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(["systemd-analyze", *words], capture_output=True, text=True, check=False)


@needs_systemd
def test_systemd_finds_nothing_wrong_with_the_units(units: Path) -> None:
    files = [str(path) for path in sorted(units.glob("*.service")) + sorted(units.glob("*.timer"))]
    found = analyze("verify", "--man=no", *files)
    assert (found.returncode, found.stderr) == (0, "")


@needs_systemd
def test_systemd_would_find_what_is_wrong(units: Path) -> None:
    file = units / "mentat.service"
    file.write_text(file.read_text().replace("ProtectHome=yes", "ProtectHouse=yes"))
    assert "ProtectHouse" in analyze("verify", "--man=no", str(file)).stderr


@needs_systemd
@pytest.mark.parametrize("name", SERVICES)
def test_a_service_may_do_little_beyond_its_work(units: Path, name: str) -> None:
    found = analyze("security", "--offline=true", "--no-pager", THRESHOLD, str(units / one_of(name)))
    assert found.returncode == 0, found.stdout


@needs_systemd
def test_a_service_that_may_do_more_would_be_found(units: Path) -> None:
    file = units / "mentat.service"
    file.write_text(re.sub(r"(?m)^SystemCallFilter=.*\n", "", file.read_text()))
    found = analyze("security", "--offline=true", "--no-pager", THRESHOLD, str(file))
    assert found.returncode != 0


def settings(name: str) -> list[tuple[str, str]]:
    """Return the settings of a unit as pairs of name and value."""
    lines = (UNITS / name).read_text(encoding="utf-8").splitlines()
    return [(key, value) for key, found, value in (line.partition("=") for line in lines) if found and key[0] != "#"]


def values(name: str, key: str) -> Sequence[str]:
    return [value for given, value in settings(name) if given == key]


@pytest.mark.parametrize("name", SERVICES)
def test_what_a_unit_starts_is_a_command_of_mentat(name: str) -> None:
    (command,) = values(name, "ExecStart")
    words = shlex.split(command.replace("%%", "%"))
    if words[:2] == ["/bin/sh", "-c"]:
        words = shlex.split(re.sub(r"\$\(.*?\)", "1", words[2].removeprefix("exec ")))
    assert words[0] == INSTALLED
    assert refusal(app, words[1:]) == ""
    assert words[words.index("--config") + 1] == "/var/lib/mentat/config.toml"


def test_a_wrong_command_would_be_found() -> None:
    assert refusal(app, ["run", "--verbsoe"]) == "No such option: --verbsoe"
    assert refusal(app, ["rnu"]) == "No such command: rnu"


@pytest.mark.parametrize("name", SERVICES)
def test_a_credential_is_a_secret_of_the_settings_and_may_be_left_out(name: str) -> None:
    loaded = {value.partition(":")[0]: value.partition(":")[2] for value in values(name, "LoadCredential")}
    assert loaded == {secret: f"/etc/mentat/credentials/{secret}" for secret in loaded}
    assert loaded.keys() <= SECRETS.keys()
    assert values(name, "SetCredential") == [f"{secret}:\\n" for secret in loaded]


def test_a_service_that_hangs_or_fails_is_started_again_unless_its_settings_are_wrong() -> None:
    for name in ("mentat.service", "mentat@.service"):
        assert {("Type", "notify"), ("WatchdogSec", "120"), ("Restart", "on-failure")} <= set(settings(name))
        assert values(name, "RestartPreventExitStatus") == [str(WRONG_USE)]


@pytest.mark.parametrize("name", SERVICES)
def test_the_units_are_alike_in_what_they_may_do(name: str) -> None:
    lines = settings("mentat.service")
    first, last = lines.index(("CapabilityBoundingSet", "")), lines.index(("SystemCallErrorNumber", "EPERM"))
    confinement = lines[first : last + 1]
    assert len(confinement) > 20
    assert [line for line in settings(name) if line in confinement] == confinement


@pytest.mark.skipif(not shutil.which("systemd-sysusers"), reason="systemd is not installed (apt-get install systemd)")
def test_the_user_of_the_units_is_made_and_nobody_logs_in_as_them(tmp_path: Path) -> None:
    (tmp_path / "etc").mkdir()
    made = subprocess.run(
        ["systemd-sysusers", f"--root={tmp_path}", str(UNITS / "mentat.sysusers")], capture_output=True, check=False
    )
    assert made.returncode == 0
    (line,) = (tmp_path / "etc/passwd").read_text().splitlines()
    name, *_, home, shell = line.split(":")
    assert {values(unit, "User")[0] for unit in SERVICES} == {name}
    assert {values(unit, "WorkingDirectory")[0] for unit in SERVICES} == {home}
    assert shell.endswith("/nologin")


def test_every_timer_has_its_service() -> None:
    assert {f"{path.stem}.service" for path in UNITS.glob("*.timer")} <= set(SERVICES)
