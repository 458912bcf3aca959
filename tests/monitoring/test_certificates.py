"""Tests that Mentat asks the mail servers themselves when their certificates expire."""

from __future__ import annotations

import contextlib
import json
import socket
import ssl
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from bot.lab.local_mail import LocalMail
from bot.mail.transport import MailProtocol, certificate_ends, trusting
from bot.service.loop import Certificates
from bot.store.database import reading
from bot.store.glance import take_glance
from tests.mail.certificates import Authority, why_not_here
from tests.mail.front import Front
from tests.moderator.table import ADDRESS, GAME_MASTER, World
from tests.monitoring.test_health import DAY, HOUR, SECOND

CONFIG = """
[mentat]
address = {address}
game_master = {game_master}
[mailbox]
host = "127.0.0.1"
port = {imap}
security = {imap_security}
user = {address}
ca_file = {ca_file}
[smtp]
host = "127.0.0.1"
port = {smtp}
security = {smtp_security}
ca_file = {ca_file}
"""


def answers(protocol: MailProtocol, line: bytes) -> bytes:
    """Return a STARTTLS server's answer before TLS begins (RFC 3207, RFC 9051 section 6.2.1)."""
    tag, _, command = line.strip().partition(b" ")
    if protocol == "smtp":
        known = {b"EHLO": b"250-here\r\n250 STARTTLS\r\n", b"STARTTLS": b"220 go ahead\r\n", b"QUIT": b"221 bye\r\n"}
        return known[tag.upper()]
    told = {b"CAPABILITY": b"* CAPABILITY IMAP4rev1 STARTTLS\r\n", b"LOGOUT": b"* BYE bye\r\n"}
    return told.get(command.upper(), b"") + tag + b" OK done\r\n"


@pytest.fixture(params=["smtp", "imap"])
def begins_tls(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[tuple[MailProtocol, int, Path]]:
    """Yield the protocol, port and certificate authority of a server that starts TLS on request."""
    if reason := why_not_here():
        pytest.skip(reason)
    authority, protocol = Authority(tmp_path), request.param
    context = authority.server_context("127.0.0.1")

    def serve() -> None:
        with contextlib.suppress(OSError):
            while True:
                connection, _ = listening.accept()
                with connection, contextlib.suppress(OSError):
                    connection.sendall(b"220 here\r\n" if protocol == "smtp" else b"* OK here\r\n")
                    while line := connection.recv(1000):
                        connection.sendall(answers(protocol, line))
                        if b"STARTTLS" in line.upper():
                            with context.wrap_socket(connection, server_side=True) as safe:
                                while line := safe.recv(1000):
                                    safe.sendall(answers(protocol, line))
                            break

    with socket.create_server(("127.0.0.1", 0)) as listening:
        threading.Thread(target=serve, daemon=True).start()
        yield protocol, listening.getsockname()[1], authority.ca_file


def test_a_server_that_begins_tls_when_it_is_told_to_is_asked_so(begins_tls: tuple[MailProtocol, int, Path]) -> None:
    protocol, port, ca_file = begins_tls
    ends = certificate_ends("127.0.0.1", port, "starttls", trusting(ca_file), protocol, 10)
    assert ends is not None
    assert 28 < (ends - time.time()) / 86_400 < 31
    with pytest.raises(ssl.SSLCertVerificationError):
        certificate_ends("127.0.0.1", port, "starttls", trusting(None), protocol, 10)


def known(world: World) -> dict[str, float]:
    with reading(world.engine) as conn:
        seen = take_glance(lambda sql: conn.exec_driver_sql(sql).all(), world.now)
    return {label: value for (name, label), value in seen.measured.items() if name == "certificate"}


@pytest.mark.parametrize(("security", "known_of"), [("tls", {"mailbox", "smtp"}), ("none", set())])
def test_both_servers_are_asked_once_a_day(
    security: str, known_of: set[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if reason := why_not_here():
        pytest.skip(reason)
    monkeypatch.setenv("MENTAT_IMAP_PASSWORD", "melange")
    authority = Authority(tmp_path)
    context = authority.server_context("127.0.0.1")
    with (
        LocalMail({ADDRESS: "melange"}) as servers,
        Front(servers.imap_port, context) as imap,
        Front(servers.smtp_port, context) as smtp,
    ):
        values = {
            "address": ADDRESS, "game_master": GAME_MASTER, "imap": imap.port, "smtp": smtp.port,
            "imap_security": security, "smtp_security": security, "ca_file": str(authority.ca_file),
        }  # fmt: skip
        world = World.at(tmp_path, CONFIG.format(**{name: json.dumps(value) for name, value in values.items()}))
        certificates = Certificates(world.settings, world.engine)
        certificates.look(world.now)
        first = known(world)
        assert set(first) == known_of
        with world.engine.begin() as conn:
            conn.exec_driver_sql("DELETE FROM measurement")
        certificates.look(world.now + HOUR)
        assert known(world) == {}
    certificates.look(world.now + DAY)  # the servers are unreachable now, so nothing changes
    assert known(world) == {}
    world.engine.dispose()


@pytest.mark.parametrize(
    ("mailbox", "smtp", "asked"),
    [
        ('kind = "maildir"', 'kind = "directory"', []),
        ('host = "127.0.0.1"\nuser = "m"', 'kind = "directory"', ["imap"]),
        ('kind = "maildir"', 'host = "127.0.0.1"', ["smtp"]),
    ],
)
def test_only_servers_are_asked_and_again_after_a_day_or_where_the_clock_went_back(
    mailbox: str, smtp: str, asked: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MENTAT_IMAP_PASSWORD", "melange")
    begins = f'[mentat]\naddress = "{ADDRESS}"\ngame_master = "{GAME_MASTER}"\n'
    world = World.at(tmp_path, f"{begins}[mailbox]\n{mailbox}\n[smtp]\n{smtp}\n")
    seen: list[str] = []

    def ends(host: str, port: int, security: str, context: object, protocol: str, timeout: float) -> float:
        seen.append(protocol)
        return 1_800_000_000.0

    monkeypatch.setattr("bot.service.loop.certificate_ends", ends)
    certificates = Certificates(world.settings, world.engine)
    certificates.look(world.now)
    certificates.look(world.now + DAY - SECOND)
    assert seen == asked
    assert set(known(world)) == {"mailbox" if one == "imap" else one for one in asked}
    certificates.look(world.now + DAY)
    certificates.look(world.now)
    assert seen == asked * 3
    world.engine.dispose()
