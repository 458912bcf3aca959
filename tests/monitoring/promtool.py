"""promtool, Prometheus's own judge of metrics and of rules (Debian: prometheus)."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest


def why_not_here() -> str:
    """Why promtool cannot be asked; empty if it can."""
    return "" if shutil.which("promtool") else "promtool is not installed (apt-get install prometheus)"


def check_metrics(text: str) -> None:
    """Fail if it finds anything in metrics that is not as it should be."""
    _ask("check", "metrics", given=text)


def check_rules(file: Path) -> None:
    """Fail if a file of rules is not one."""
    _ask("check", "rules", str(file))


def test_rules(file: Path) -> None:
    """Fail if rules do not do what their test file says."""
    _ask("test", "rules", str(file))


test_rules.__test__ = False  # type: ignore[attr-defined]  # it is no test of ours


def _ask(*words: str, given: str = "") -> None:
    if why_not_here():
        pytest.skip(why_not_here())
    done = subprocess.run(["promtool", *words], input=given, capture_output=True, text=True, timeout=120)
    assert (done.returncode, done.stderr) == (0, ""), f"promtool {' '.join(words)}: {done.stdout}{done.stderr}"
