"""Servers for a whole test session. The first process that needs a server starts its keeper, which ends with the
session.

A keeper is a program. Its arguments are a folder, the environment in which its server is installed, and the process for
whose end it waits. It writes the file `ready` into the folder once the server responds, or `failed` if the server
cannot be started.
"""

import fcntl
import os
import subprocess
import sys
import time
from pathlib import Path

ENVIRONMENTS = Path(__file__).parents[2] / ".servers"


def environment(name: str) -> Path:
    """Return where a server is installed: the folder that MENTAT_MAILMAN names or, by default, one in .servers here."""
    return Path(os.environ.get(f"MENTAT_{name.upper()}") or ENVIRONMENTS / name)


def started(name: str, folder: Path) -> str:
    """Start a server's keeper, unless it has been started, and wait for it. Return the contents of its file `ready`."""
    session = os.getppid() if "PYTEST_XDIST_WORKER" in os.environ else os.getpid()
    folder.mkdir(exist_ok=True)
    with (folder / "lock").open("w") as lock, (folder / "keeper.log").open("ab") as log:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not (folder / "keeper").exists():
            (folder / "keeper").touch()
            keeper = Path(__file__).with_name(f"{name}_keeper.py")
            subprocess.Popen(
                [sys.executable, str(keeper), str(folder), str(environment(name)), str(session)],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,
            )
    while not (folder / "ready").exists():
        if (folder / "failed").exists():
            raise RuntimeError((folder / "keeper.log").read_text() + (folder / "log").read_text())
        time.sleep(0.05)
    return (folder / "ready").read_text()
