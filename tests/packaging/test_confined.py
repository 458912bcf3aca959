"""Tests that Mentat works within the limits of its systemd unit.

The demo is played where memory cannot be both written and executed (``MemoryDenyWriteExecute``), and its system calls
are compared with ``SystemCallFilter``. Runs only with ``MENTAT_INSTALL=1``, as in `.ci/run`, because it takes a minute.
Needs Linux 6.3, strace and systemd-analyze.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.packaging.conftest import REPOSITORY
from tests.packaging.test_systemd import values
from tests.packaging.test_wheel import INSTALL
from tests.postgresql.test_database import ON_A_SERVER
from tests.postgresql_server import PostgresqlServer
from tests.postgresql_server import why_not_here as no_server

PATIENCE = 300.0
SOME_WORK = 15.0

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
    """Return the system calls that a unit's filters allow."""
    found: set[str] = set()
    for words in values(name, "SystemCallFilter"):
        calls = {call for group in words.lstrip("~").split() for call in members(group)}
        found = found - calls if words.startswith("~") else found | calls
    return found


def members(group: str) -> set[str]:
    """Return the system calls of a group such as ``@system-service`` and of its subgroups."""
    if not group.startswith("@"):
        return {group}
    told = subprocess.run(["systemd-analyze", "syscall-filter", group], capture_output=True, text=True, check=True)
    listed = [line.strip() for line in told.stdout.splitlines() if line.startswith("    ") and "#" not in line]
    return {call for name in listed for call in members(name)}


def confined(folder: Path, *words: str) -> subprocess.Popen[str]:
    """Start a command under the unit's limits; when it ends, ``calls`` lists its system calls."""
    trace = ["strace", "-f", "-qq", "-c", "-U", "name", "-o", str(folder / "calls")]
    return subprocess.Popen(
        [*trace, sys.executable, "-c", CONFINED, *words], cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        text=True, start_new_session=True,
    )  # fmt: skip


def forbidden(folder: Path) -> set[str]:
    """Return the system calls made that the unit forbids."""
    used = set((folder / "calls").read_text(encoding="utf-8").split()) - {"syscall", "total"}
    used = {call for call in used if not call.startswith("-")}
    assert len(used) > 30
    of_root_alone = {"fchown"}  # if SQLite runs as root, it gives a journal to the owner of the database
    return used - allowed("mentat.service") - of_root_alone


@pytest.mark.slow
@pytest.mark.skipif(bool(why_not_here()), reason=why_not_here())
def test_a_demo_needs_nothing_that_the_unit_forbids(tmp_path: Path) -> None:
    playing = confined(tmp_path, "demo", "--turns", "1")
    told, complaint = playing.communicate(timeout=PATIENCE)
    assert playing.returncode == 0, complaint
    assert "Verified:" in told
    assert forbidden(tmp_path) == set()


@pytest.mark.slow
@pytest.mark.skipif(bool(why_not_here()), reason=why_not_here())
@pytest.mark.skipif(bool(no_server()), reason=no_server())
def test_a_process_on_a_server_needs_nothing_that_the_unit_forbids(tmp_path: Path) -> None:
    with PostgresqlServer() as server:
        (tmp_path / "config.toml").write_text(ON_A_SERVER.format(url=server.empty("confined")))
        (tmp_path / ".env").write_text("MENTAT_SECRET=a secret of many characters\n")
        for folder in ("Maildir/cur", "Maildir/new", "Maildir/tmp", "outgoing"):
            (tmp_path / folder).mkdir(parents=True)
        running = confined(tmp_path, "run")
        try:
            assert running.stdout is not None
            assert "Mentat is running" in running.stdout.readline()
            (mentat,) = Path(f"/proc/{running.pid}/task/{running.pid}/children").read_text().split()
            time.sleep(SOME_WORK)
            os.kill(int(mentat), signal.SIGTERM)
            assert running.communicate(timeout=PATIENCE)[1] == ""
            assert running.returncode == 0
        finally:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(running.pid, signal.SIGKILL)
    assert forbidden(tmp_path) == set()
