"""What systemd is told of this process: that it is ready, what it does, that it is alive, that it ends.

It is one datagram to the socket that the environment names (sd_notify(3)); without systemd there is none, and nothing
is sent. Nothing here ever raises: a service that cannot say that it works still works.
"""

from __future__ import annotations

import contextlib
import os
import socket


def tell_systemd(*states: str) -> None:
    """Tell systemd, if it listens: "READY=1", "WATCHDOG=1", "STOPPING=1", "STATUS=what `systemctl status` shows"."""
    place = os.environ.get("NOTIFY_SOCKET", "")
    if not place.startswith(("/", "@")):
        return
    address = f"\0{place[1:]}" if place.startswith("@") else place  # an abstract socket (unix(7))
    with contextlib.suppress(OSError), socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM | socket.SOCK_CLOEXEC) as out:
        out.sendto("\n".join(state.replace("\n", " ") for state in states).encode(), address)


def watchdog_seconds() -> float | None:
    """How often this process must say that it is alive, or systemd ends it (sd_watchdog_enabled(3)); None if it need
    not."""
    try:
        seconds = int(os.environ.get("WATCHDOG_USEC", "")) / 1_000_000
        watched = int(os.environ.get("WATCHDOG_PID", os.getpid()))
    except ValueError:
        return None
    return seconds if seconds > 0 and watched == os.getpid() else None
