"""The way to a server, step by step: its name, its port, its certificate."""

from __future__ import annotations

import ipaddress
import re
import socket
import ssl
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from bot.config.values import Security
from bot.mail.servers.tls import tls_trouble, valid_until
from bot.monitoring import checks
from bot.monitoring.finding import Finding
from bot.service.system_clock import utc_now

_ADVICE = re.compile(r"(?P<told>.+?)[;:] (?P<advice>(?:check|if|name|set|get|its owner|it is tried again)\b.*)")


@dataclass(frozen=True, slots=True)
class Server:
    """A server as a section of the settings names it. `what` is "mailbox" or "smtp"."""

    what: str
    host: str
    port: int
    security: Security
    timeout: float
    tls_context: Callable[[], ssl.SSLContext]

    @property
    def section(self) -> str:
        return f"[{self.what}]"


def reach(server: Server) -> Iterator[Finding]:
    """Name, port and, where TLS comes first, certificate. The last finding is "wrong" where the way ends."""
    about = f"{server.what}: name"
    try:
        found = socket.getaddrinfo(server.host, server.port, type=socket.SOCK_STREAM)
    except (socket.gaierror, UnicodeError):
        told = f"no machine of the name {server.host} is known"
        yield Finding(about, "wrong", told, f"Check {server.section} host, and that this machine has a network.")
        return
    addresses = sorted({str(entry[4][0]) for entry in found})
    if addresses != [server.host]:
        yield Finding(about, "well", f"{server.host} is {', '.join(addresses)}", facts={"addresses": addresses})
    about = f"{server.what}: connection"
    try:
        connection = socket.create_connection((server.host, server.port), server.timeout)
    except OSError as error:
        reason = error.strerror or "no answer in time"
        told = f"nothing answers at port {server.port} of {server.host} ({reason})"
        advice = f"Check {server.section} port and security; if both are right, a firewall may be in the way."
        yield Finding(about, "wrong", told, advice)
        return
    with connection:
        yield Finding(about, "well", f"port {server.port} answers")
        if server.security == "tls":
            try:
                with server.tls_context().wrap_socket(connection, server_hostname=server.host) as safe:
                    yield certificate(server, safe)
            except OSError as error:
                why = (
                    tls_trouble(error, server.host, server.section) or f"the connection breaks ({type(error).__name__})"
                )
                told, _, advice = why.partition(": ")
                yield Finding(f"{server.what}: TLS", "wrong", told, _sentence(advice))
    if server.security == "none" and not all(ipaddress.ip_address(one).is_loopback for one in addresses):
        told = f'with security = "none" the password goes to {server.host} for everybody on the way to read'
        yield Finding(f"{server.what}: TLS", "note", told, f'Set {server.section} security to "tls".')


def certificate(server: Server, safe: Any) -> Finding:
    """What the certificate of a connection is worth, and until when."""
    return checks.certificate(server.what, valid_until(safe), utc_now(), server.host)


def split_advice(sentence: str) -> tuple[str, str]:
    """What is wrong and what to do, of a sentence without a full stop.

    >>> split_advice("its certificate is not for giedi: check [smtp] host")
    ('its certificate is not for giedi', 'Check [smtp] host.')
    """
    parts = _ADVICE.fullmatch(sentence)
    return (parts["told"], _sentence(parts["advice"])) if parts else (sentence, "")


def _sentence(words: str) -> str:
    return words[:1].upper() + words[1:].rstrip(".") + "." if words else ""
