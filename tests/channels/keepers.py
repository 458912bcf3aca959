"""Servers for a whole session of tests: whichever process needs one first starts its keeper, which ends with them.

A keeper is a program that is given a folder, the environment in which its server is installed, and the process whose
end it waits for. It writes `ready` into the folder when the server answers, and `failed` if it never will.
"""

import fcntl
import os
import subprocess
import sys
import time
from pathlib import Path

ENVIRONMENTS = Path(__file__).parents[2] / ".servers"


def environment(name: str) -> Path:
    """Where a server is installed: MENTAT_MAILMAN, or .servers of this folder."""
    return Path(os.environ.get(f"MENTAT_{name.upper()}") or ENVIRONMENTS / name)


def started(name: str, folder: Path) -> str:
    """Have the keeper of a server started, and wait for it. Returns what it has to say of how to reach the server."""
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
