"""Tests that a ready, alive, stuck or ended service reports so to systemd on a real socket (sd_notify(3))."""

from __future__ import annotations

import contextlib
import os
import socket
import threading
import time
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest

from bot.mail.mailbox import MailboxUnavailable
from bot.service import loop
from bot.service.machine import Liveness, tell_systemd, watchdog_seconds
from bot.service.mail_servers import open_mailbox, open_transport
from bot.store import installation
from bot.store.database import reading
from tests.moderator.table import World


@pytest.fixture
def listening(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[socket.socket]:
    """Yield the socket on which systemd listens."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as server:
        server.bind(str(tmp_path / "notify"))
        server.settimeout(20)
        monkeypatch.setenv("NOTIFY_SOCKET", str(tmp_path / "notify"))
        yield server


def heard(server: socket.socket) -> list[str]:
    """Return the lines received so far."""
    said = []
    server.setblocking(False)
    with contextlib.suppress(BlockingIOError):
        while True:
            said += server.recv(4096).decode().split("\n")
    server.settimeout(20)
    return said


def test_what_is_said_is_one_datagram_with_a_state_a_line(listening: socket.socket) -> None:
    tell_systemd("READY=1", "STATUS=all is well,\nor not")
    assert listening.recv(4096) == b"READY=1\nSTATUS=all is well, or not"


def test_an_abstract_socket_is_found_by_its_name(monkeypatch: pytest.MonkeyPatch) -> None:
    name = f"mentat-test-{os.getpid()}"
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as server:
        server.bind(f"\0{name}")
        server.settimeout(20)
        monkeypatch.setenv("NOTIFY_SOCKET", f"@{name}")
        tell_systemd("READY=1")
        assert server.recv(4096) == b"READY=1"


@pytest.mark.parametrize("place", ["", "/nowhere/at/all", "vsock:2:1234", "@nobody-listens-here"])
def test_where_nobody_listens_nothing_happens(place: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NOTIFY_SOCKET", place)
    tell_systemd("READY=1")


@pytest.mark.parametrize(("given", "seconds"), [
    ({}, None), ({"WATCHDOG_USEC": "120000000"}, 120.0), ({"WATCHDOG_USEC": "0"}, None), ({"WATCHDOG_USEC": "x"}, None),
    ({"WATCHDOG_USEC": "120000000", "WATCHDOG_PID": "1"}, None),
])  # fmt: skip
def test_the_watchdog_is_that_of_this_process(
    given: dict[str, str], seconds: float | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("WATCHDOG_USEC", "WATCHDOG_PID"):
        monkeypatch.delenv(name, raising=False)
    for name, value in given.items():
        monkeypatch.setenv(name, value)
    assert watchdog_seconds() == seconds


def test_a_loop_lives_until_it_has_not_turned_for_its_patience_and_its_rest() -> None:
    at = [0.0]
    turning = Liveness(75, lambda: at[0])
    at[0] = 75
    assert turning.alive()
    at[0] = 76
    assert not turning.alive()
    turning.turned(rest=300)
    at[0] = 76 + 375
    assert turning.alive()
    at[0] += 1
    assert not turning.alive()


@pytest.mark.parametrize(("timeout", "patience"), [(30, 75), (10, 75), (60, 150)])
def test_a_loop_may_take_longer_where_its_mail_server_may(
    world: World, monkeypatch: pytest.MonkeyPatch, timeout: int, patience: int
) -> None:
    at = [0.0]
    monkeypatch.setattr(loop, "Liveness", partial(Liveness, steady=lambda: at[0]))
    slow = world.settings.mailbox.model_copy(update={"timeout_seconds": timeout})
    world.moderator.settings = world.settings.model_copy(update={"mailbox": slow})
    turning = loop.Service(world.moderator, Stuck(world), open_transport(world.settings))._liveness  # type: ignore[arg-type]
    at[0] = patience
    assert turning.alive()
    at[0] += 1
    assert not turning.alive()


class Stuck:
    """A mailbox that works once and then hangs."""

    def __init__(self, world: World) -> None:
        self._real = open_mailbox(world.settings)
        self.hangs, self.free = threading.Event(), threading.Event()

    def __getattr__(self, name: str) -> object:
        return getattr(self._real, name)

    def wait(self, seconds: float) -> bool:
        self.hangs.set()
        self.free.wait(60)
        raise MailboxUnavailable("it has come to itself")


def test_a_service_says_that_it_is_ready_and_alive_and_no_more_when_its_loop_is_stuck(
    world: World, listening: socket.socket, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("WATCHDOG_USEC", "300000")  # so that it reports every tenth of a second
    monkeypatch.delenv("WATCHDOG_PID", raising=False)
    at = [0.0]
    mailbox = Stuck(world)
    service = loop.Service(world.moderator, mailbox, open_transport(world.settings))  # type: ignore[arg-type]
    service._liveness = Liveness(75, lambda: at[0])
    working = threading.Thread(target=service.run)
    working.start()
    try:
        assert mailbox.hangs.wait(30)
        said: list[str] = []
        until = time.monotonic() + 30
        while "READY=1" not in said or said.count("WATCHDOG=1") < 2:
            assert time.monotonic() < until, said
            said += listening.recv(4096).decode().split("\n")
        at[0] = 1000.0  # far beyond its rest and patience
        while "STATUS=the main loop is stuck" not in said:
            assert time.monotonic() < until, said
            said += listening.recv(4096).decode().split("\n")
        with reading(world.engine) as conn:
            beat = installation.heartbeat(conn, "loop")
        time.sleep(0.4)
        assert heard(listening) == []
        with reading(world.engine) as conn:
            assert installation.heartbeat(conn, "loop") == beat
        at[0] = 0.0
    finally:
        service.stop()
        mailbox.free.set()
        working.join(60)
    assert "STOPPING=1" in heard(listening)
