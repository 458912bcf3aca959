"""Mentat does its work within what its unit for systemd allows: the demo is played where no memory can be written and
executed (``MemoryDenyWriteExecute``), and it is looked whether it calls what the unit forbids (``SystemCallFilter``).

With ``MENTAT_INSTALL=1`` alone, as in `.ci/run`: it takes a minute. Needs Linux 6.3, strace and systemd-analyze.
"""

from __future__ import annotations

import ctypes
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.packaging.conftest import REPOSITORY
from tests.packaging.test_systemd import values
from tests.packaging.test_wheel import INSTALL

CONFINED = f"""
import ctypes, mmap, os, sys
libc = ctypes.CDLL(None, use_errno=True)
assert libc.prctl(38, 1, 0, 0, 0) == 0  # PR_SET_NO_NEW_PRIVS
assert libc.prctl(65, 1, 0, 0, 0) == 0  # PR_SET_MDWE: what MemoryDenyWriteExecute= sets
try:
    mmap.mmap(-1, 4096, prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC)
except PermissionError:
    pass
else:
    sys.exit("memory can still be made executable")
os.environ["PYTHONPATH"] = {str(REPOSITORY)!r}
os.execv(sys.executable, [sys.executable, "-P", "-m", "bot", *sys.argv[1:]])
"""


def why_not_here() -> str:
    if not INSTALL:
        return "MENTAT_INSTALL=1 plays a confined demo, as .ci/run does"
    missing = [program for program in ("strace", "systemd-analyze") if not shutil.which(program)]
    if missing:
        return f"{' and '.join(missing)} not installed (apt-get install strace systemd)"
    return "" if ctypes.CDLL(None).prctl(66, 0, 0, 0, 0) >= 0 else "this kernel is older than 6.3"  # PR_GET_MDWE


def allowed(name: str) -> set[str]:
    """The calls that the filters of a unit let through."""
    found: set[str] = set()
    for words in values(name, "SystemCallFilter"):
        calls = {call for group in words.lstrip("~").split() for call in members(group)}
        found = found - calls if words.startswith("~") else found | calls
    return found


def members(group: str) -> set[str]:
    """The calls of a group, ``@system-service``, and of the groups in it."""
    if not group.startswith("@"):
        return {group}
    told = subprocess.run(["systemd-analyze", "syscall-filter", group], capture_output=True, text=True, check=True)
    listed = [line.strip() for line in told.stdout.splitlines() if line.startswith("    ") and "#" not in line]
    return {call for name in listed for call in members(name)}


@pytest.mark.slow
@pytest.mark.skipif(bool(why_not_here()), reason=why_not_here())
def test_a_demo_needs_nothing_that_the_unit_forbids(tmp_path: Path) -> None:
    calls = tmp_path / "calls"
    trace = ["strace", "-f", "-qq", "-c", "-U", "name", "-o", str(calls)]
    demo = [sys.executable, "-c", CONFINED, "demo", "--turns", "1"]
    played = subprocess.run([*trace, *demo], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert played.returncode == 0, played.stderr
    assert "Verified:" in played.stdout
    used = set(calls.read_text(encoding="utf-8").split()) - {"syscall", "total"}
    used = {call for call in used if not call.startswith("-")}
    of_root_alone = {"fchown"}  # SQLite gives a journal of root's the owner of its database
    assert len(used) > 30
    assert used - allowed("mentat.service") <= of_root_alone
