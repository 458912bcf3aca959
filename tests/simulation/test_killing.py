"""Tests that the deliberate failures in a simulation really happen."""

from __future__ import annotations

import subprocess
import time
from pathlib import Path

import pytest

from bot.lab.simulation import InProcesses


class Server:
    """A server that records when it is stopped and started."""

    def __init__(self) -> None:
        self.done: list[str] = []
        self.at = 0.0

    def stop(self, mode: str) -> None:
        self.done.append(f"stop {mode}")
        self.at = time.monotonic()

    def start(self) -> None:
        self.done.append("start")


def test_processes_are_killed_one_after_the_other_and_half_way_the_server_stops_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sleepers = [subprocess.Popen(["sleep", "60"]) for _ in range(40)]
    server = Server()
    with InProcesses(tmp_path, "", 2) as several:
        monkeypatch.setattr(several, "processes", lambda: [each.pid for each in sleepers if each.poll() is None])
        began = time.monotonic()
        with several.killing(2.0, every=0.1, server=server):  # type: ignore[arg-type]  # has what is asked of it
            while not server.done or time.monotonic() < began + 2.1:
                assert time.monotonic() < began + 30, "the server is never stopped"
                time.sleep(0.02)
        dead = [each for each in sleepers if each.poll() is not None]
        assert server.done == ["stop immediate", "start"]
        assert server.at - began > 1.0
        assert 3 <= len(dead) <= several.killed < len(sleepers)
    for each in sleepers:
        each.kill()
        each.wait()
