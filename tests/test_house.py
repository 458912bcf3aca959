"""Tests that anyone can install from the locks, and that any shell can read the launcher."""

import re
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

REPOSITORY = Path(__file__).parents[1]
PROJECT: dict[str, Any] = tomllib.loads((REPOSITORY / "pyproject.toml").read_text(encoding="utf-8"))
RUNTIME: list[str] = PROJECT["project"]["dependencies"]
DEMO: list[str] = PROJECT["project"]["optional-dependencies"]["demo"]
DEV: list[str] = PROJECT["dependency-groups"]["dev"]


def pins(lock: str) -> dict[str, str]:
    """Return the packages of a lock with their versions; each must have at least one hash."""
    found: dict[str, str] = {}
    for entry in re.split(r"(?m)^(?=\S)", (REPOSITORY / lock).read_text(encoding="utf-8")):
        if entry:
            assert "--hash=sha256:" in entry, f"{lock} has no hash for {entry!r}"
            name, version = re.split("==| ;| ", entry)[:2]
            found[canonicalize_name(name)] = version
    return found


LOCKS = ("requirements.lock", "requirements-demo.lock", "requirements-dev.lock")


@pytest.mark.parametrize("lock", LOCKS)
def test_a_lock_holds_only_pins_and_hashes_and_names_no_host(lock: str) -> None:
    pin = r"[a-z0-9-]+==[^\s;]+( ; [^\\:/]+)? \\|    --hash=sha256:[0-9a-f]{64}( \\)?"
    strange = [
        line
        for line in (REPOSITORY / lock).read_text(encoding="utf-8").splitlines()
        if not re.fullmatch(pin, line) or "://" in line
    ]
    assert strange == []


@pytest.mark.parametrize(("lock", "asked"), [*zip(LOCKS, (RUNTIME, RUNTIME + DEMO, RUNTIME + DEMO + DEV), strict=True)])
def test_a_lock_covers_what_pyproject_asks_for(lock: str, asked: list[str]) -> None:
    locked = pins(lock)
    for requirement in map(Requirement, asked):
        version = locked.get(canonicalize_name(requirement.name))
        assert version, f"{lock} lacks {requirement.name}"
        assert requirement.specifier.contains(version), f"{lock} has {requirement.name} {version}, not {requirement}"


def test_each_lock_holds_the_same_versions_as_the_smaller_ones() -> None:
    small, middle, large = map(pins, LOCKS)
    assert small.items() < middle.items() < large.items()


def test_a_server_gets_no_mail_servers_of_the_demo() -> None:
    assert not {"aiosmtpd", "pymap", "pysasl"} & pins("requirements.lock").keys()


def test_no_lock_setting_or_script_names_a_registry() -> None:
    for name in ("pyproject.toml", "mentat", ".ci/run", "README.md"):
        text = (REPOSITORY / name).read_text(encoding="utf-8")
        assert not re.search(r"--(extra-)?index-url|--find-links|/simple\b|pypi\.", text), name


@pytest.mark.parametrize(("shell", "script"), [("sh", "mentat"), ("bash", ".ci/run")])
def test_a_script_can_be_started_and_its_shell_understands_it(shell: str, script: str) -> None:
    path = REPOSITORY / script
    assert path.read_text(encoding="utf-8").startswith((f"#!/bin/{shell}\n", f"#!/usr/bin/env {shell}\n"))
    assert path.stat().st_mode & 0o111
    checked = subprocess.run([shell, "-n", str(path)], capture_output=True, text=True, check=False)
    assert (checked.returncode, checked.stderr) == (0, "")


def test_the_first_screen_of_the_readme_has_a_letter_and_two_commands_that_exist() -> None:
    first_screen = (REPOSITORY / "README.md").read_text(encoding="utf-8").splitlines()[:60]
    assert "./mentat demo" in first_screen
    assert "./mentat test" in first_screen
    assert any('src="docs/letter.png"' in line for line in first_screen)
    commands = subprocess.run(
        [sys.executable, "-P", "-m", "bot", "demo", "--help"],
        cwd=REPOSITORY,
        capture_output=True,
        text=True,
        check=False,
    )
    assert commands.returncode == 0, commands.stderr
    assert re.search(r"(?m)^    test\)$", (REPOSITORY / "mentat").read_text(encoding="utf-8"))


def test_every_link_of_the_readme_leads_somewhere() -> None:
    links = re.findall(r"\]\(([^)#:]+)\)", (REPOSITORY / "README.md").read_text(encoding="utf-8"))
    assert links
    assert [link for link in links if not (REPOSITORY / link).exists()] == []
