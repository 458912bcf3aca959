"""Mail servers for the tests in this folder: one of each kind per session, with a fresh user for each test."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import pytest

from bot.lab.local_mail import LocalMail
from bot.mail.imap import ImapServer
from tests.dovecot_server import Dovecot, why_not_here

_numbers = itertools.count(1)


@dataclass(frozen=True)
class Place:
    """A fresh IMAP user, and a way to put mail into their inbox."""

    server: ImapServer
    deliver: Callable[[bytes], None]


@pytest.fixture(scope="session")
def local_mail() -> Iterator[LocalMail]:
    with LocalMail({}) as mail:
        yield mail


@pytest.fixture(scope="session")
def dovecot() -> Iterator[Dovecot]:
    reason = why_not_here()
    if reason:
        pytest.skip(reason)
    with Dovecot() as server:
        yield server


@pytest.fixture(scope="session")
def dovecot_with_dots() -> Iterator[Dovecot]:
    """A server whose folder names use dots as separators."""
    reason = why_not_here()
    if reason:
        pytest.skip(reason)
    with Dovecot(separator=".") as server:
        yield server


@pytest.fixture(params=["pymap", "dovecot", "dovecot with dots"])
def imap(request: pytest.FixtureRequest) -> Place:
    """A fresh user on each kind of IMAP server."""
    address = f"user{next(_numbers)}@arrakis.example"
    if request.param == "pymap":
        mail: LocalMail = request.getfixturevalue("local_mail")
        mail.add_user(address, "melange")
        server = ImapServer(mail.host, mail.imap_port, address, "melange", security="none")
        return Place(server, lambda raw: mail.deliver(address, raw))
    name = "dovecot" if request.param == "dovecot" else "dovecot_with_dots"
    real: Dovecot = request.getfixturevalue(name)
    real.add_user(address, "melange")
    server = ImapServer(real.host, real.imap_port, address, "melange", security="none")
    return Place(server, lambda raw: real.deliver(address, raw))
