"""What a process that the supervisor has forked does: its work, until that ends, and what is told of the end."""

from __future__ import annotations

import ctypes
import logging
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from typing import Any, cast
from unittest import mock

import pytest

from bot.service.workers import supervisor
from bot.service.workers.supervisor import Place, Supervisor


def ends(with_what: BaseException) -> Callable[..., int]:
    def work(*_: Any) -> int:
        raise with_what

    return work


@pytest.fixture
def asked_of_the_kernel(monkeypatch: pytest.MonkeyPatch) -> mock.Mock:
    """What is asked of it, in place of asking it; and no log is shut down."""
    kernel = mock.Mock()
    monkeypatch.setattr(ctypes, "CDLL", kernel)
    monkeypatch.setattr(logging, "shutdown", mock.Mock())
    return cast(mock.Mock, kernel.return_value.prctl)


@pytest.mark.parametrize(
    ("work", "status", "logged"),
    [
        (lambda *_: 0, 0, ""),
        (lambda *_: 3, 3, ""),
        (ends(SystemExit(7)), 7, ""),
        (ends(SystemExit()), 1, ""),
        (ends(SystemExit("words")), 1, ""),
        (ends(RuntimeError("sand")), 1, "worker-a ends"),
        (ends(KeyboardInterrupt()), 1, "worker-a ends"),
    ],
)
def test_a_child_ends_with_the_status_of_its_work(
    asked_of_the_kernel: mock.Mock, caplog: pytest.LogCaptureFixture, work: Any, status: int, logged: str
) -> None:
    hears, says = os.pipe()
    try:
        assert Supervisor(1, work)._in_child("worker", "worker-a", os.getppid(), says) == status
    finally:
        os.close(hears)
        os.close(says)
    assert "".join(record.getMessage() for record in caplog.records) == logged
    assert asked_of_the_kernel.call_args.args == (1, signal.SIGTERM), "prctl(PR_SET_PDEATHSIG, SIGTERM)"


@pytest.mark.usefixtures("asked_of_the_kernel")
def test_a_child_says_each_turn_of_its_loop_and_goes_on_where_nobody_listens() -> None:
    hears, says = os.pipe()
    told = []

    def work(role: str, name: str, turned: Callable[[], None]) -> int:
        told.append((role, name))
        turned()
        turned()
        assert os.read(hears, 10) == b".."
        os.close(says)
        turned()
        return 0

    assert Supervisor(1, work)._in_child("reader", "reader-a", os.getppid(), says) == 0
    os.close(hears)
    assert told == [("reader", "reader-a")]


def test_a_process_that_does_not_end_is_killed_and_that_is_logged(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(supervisor, "STOP_SECONDS", 0.0)
    deaf = "import signal; signal.signal(signal.SIGTERM, signal.SIG_IGN); print(flush=True); signal.pause()"
    with subprocess.Popen([sys.executable, "-c", deaf], stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        process.stdout.readline()
        made = Supervisor(1, ends(AssertionError()))
        made.places = [Place("worker", process.pid)]
        made._stop_all()
    assert made.places[0].pid == 0
    assert caplog.records[0].getMessage() == f"process {process.pid} does not end and is killed"


@pytest.mark.usefixtures("asked_of_the_kernel")
def test_a_child_whose_parent_has_died_meanwhile_does_nothing() -> None:
    hears, says = os.pipe()
    assert Supervisor(1, ends(AssertionError()))._in_child("worker", "w", os.getppid() + 1, says) == 0
    os.close(hears)
    os.close(says)
