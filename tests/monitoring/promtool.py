"""promtool, Prometheus's own checker for metrics and rules (Debian package: prometheus)."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest


def why_not_here() -> str:
    """Return why promtool cannot be run, or "" if it can."""
    return "" if shutil.which("promtool") else "promtool is not installed (apt-get install prometheus)"


def check_metrics(text: str) -> None:
    """Fail if promtool finds a fault in the metrics."""
    _ask("check", "metrics", given=text)


def check_rules(file: Path) -> None:
    """Fail if the file is not a valid file of rules."""
    _ask("check", "rules", str(file))


def test_rules(file: Path) -> None:
    """Fail if the rules do not pass the tests in this file."""
    _ask("test", "rules", str(file))


test_rules.__test__ = False  # type: ignore[attr-defined]  # it is not a pytest test


def _ask(*words: str, given: str = "") -> None:
    if why_not_here():
        pytest.skip(why_not_here())
    done = subprocess.run(["promtool", *words], input=given, capture_output=True, text=True, timeout=120)
    assert (done.returncode, done.stderr) == (0, ""), f"promtool {' '.join(words)}: {done.stdout}{done.stderr}"
