"""How long a command takes to start, and how much memory it has then: what it takes of the machine's time, beside a
Python that does nothing."""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from bot.bench.measure import Measured

MOST_SECONDS = 0.4
MOST_MEGABYTES = 60
_MAIL = b"From: baron@example.org\nTo: mentat@arrakis.example\nSubject: bid\n\nbid 4\n"


_WATCHER = """
import os, subprocess, sys
process = subprocess.Popen(sys.argv[1:], stdout=subprocess.DEVNULL)
_, status, used = os.wait4(process.pid, 0)
print(os.waitstatus_to_exitcode(status), used.ru_utime + used.ru_stime, used.ru_maxrss)
"""
"""A small process that starts another: at its start a process counts the memory of who started it as its own."""


def starting(times: int) -> list[Measured]:
    """Start some commands so many times."""
    with tempfile.TemporaryDirectory(prefix="mentat-bench-") as made:
        mail = Path(made) / "order.eml"
        mail.write_bytes(_MAIL)
        settings = Path(made) / "settings" / "config.toml"
        _started(["-m", "bot", "init", "--config", str(settings)], made, 0)
        commands = {
            "--help": ["--help"],
            "mail parse": ["mail", "parse", str(mail)],
            "mail parse --config": ["mail", "parse", str(mail), "--config", str(settings)],
            "rule": ["rule", "lasgun", "shield"],
            "order check --help": ["order", "check", "--help"],
        }
        bare, _ = _started(["-c", "pass"], made, times)
        found = [Measured("start of Python alone", bare * 1e3, "ms")]
        for name, words in commands.items():
            seconds, megabytes = _started(["-m", "bot", *words], made, times)
            limit = f"{MOST_SECONDS * 1e3:g} ms"
            found += [
                Measured(f"{name}: start", seconds * 1e3, "ms", seconds / MOST_SECONDS, limit, 1.0),
                Measured(f"{name}: memory", megabytes, "MB", megabytes / MOST_MEGABYTES, f"{MOST_MEGABYTES} MB", 1.0),
            ]
    return found


def _started(arguments: Sequence[str], folder: str, times: int) -> tuple[float, float]:
    """The median seconds of the machine's time that a Python takes from its start to its end, and the most megabytes
    that it had."""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    seconds, megabytes = list[float](), list[float]()
    for _ in range(times + 1):
        told = subprocess.run(
            [sys.executable, "-S", "-c", _WATCHER, sys.executable, *arguments], cwd=folder, env=environment,
            capture_output=True, text=True, check=False,
        ).stdout.split()  # fmt: skip
        code, used, most = int(told[-3]), float(told[-2]), int(told[-1])
        if code:
            raise RuntimeError(f"{' '.join(arguments)} ended with {code}")
        seconds.append(used)
        megabytes.append(most / (1024 if sys.platform == "linux" else 1024 * 1024))
    return statistics.median(seconds[1:] or seconds), max(megabytes)
