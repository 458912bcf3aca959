"""TLS as a client: whom to trust, and what a failed handshake means in words that a game master can act on.

Certificates are always verified, and the name in them compared with the host that was asked for (RFC 9525). A server
with a certificate of one's own is trusted through the file of its authority, never by looking away.
"""

from __future__ import annotations

import contextlib
import imaplib
import smtplib
import socket
import ssl
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Literal

Security = Literal["tls", "starttls", "none"]
Protocol = Literal["imap", "smtp"]

_ANOTHER_NAME = (62, 64)  # X509_V_ERR_HOSTNAME_MISMATCH, X509_V_ERR_IP_ADDRESS_MISMATCH
_UNKNOWN_AUTHORITY = (2, 18, 19, 20, 21)
_RUN_OUT = 10
_NOT_YET_VALID = 9
_NO_TLS = ("WRONG_VERSION_NUMBER", "RECORD_LAYER_FAILURE", "PACKET_LENGTH_TOO_LONG", "HTTP_REQUEST", "UNEXPECTED_EOF")


class CertificatesUnusable(OSError):
    """The file with the authorities to trust cannot be used."""


def trusting(ca_file: Path | None) -> Callable[[], ssl.SSLContext]:
    """What makes contexts that trust the authorities of a PEM file, or without one those of this machine.

    The function raises `CertificatesUnusable` where the file is missing or holds no certificate.
    """
    return partial(_context_of, ca_file) if ca_file else ssl.create_default_context


def tls_trouble(error: BaseException, host: str, section: str) -> str:
    """Why the handshake with a host failed and what to do, without a full stop; empty if it is no matter of TLS.

    `section` is that of the settings which name the host.

    >>> tls_trouble(ConnectionRefusedError(), "imap.arrakis.example", "[mailbox]")
    ''
    """
    if isinstance(error, CertificatesUnusable):
        return f"{error}: check {section} ca_file"
    if isinstance(error, ssl.SSLCertVerificationError):
        code = error.verify_code
        if code in _ANOTHER_NAME:
            return f"its certificate is not for {host}, so it may be another server: check {section} host"
        if code in _UNKNOWN_AUTHORITY:
            return (
                "nobody whom this machine trusts has signed its certificate: if the server is your own, "
                f"name the certificate of its authority as {section} ca_file"
            )
        if code == _RUN_OUT:
            return "its certificate has run out: its owner must renew it, if the clock of this machine is right"
        if code == _NOT_YET_VALID:
            return "its certificate is not valid yet: check the clock of this machine"
        return f"its certificate is refused ({error.verify_message})"
    if isinstance(error, ssl.SSLError):
        reason = error.reason or ""
        if any(sign in reason for sign in _NO_TLS) or isinstance(error, ssl.SSLEOFError):
            return f"it does not answer in TLS there: check {section} host, port and security"
        return f"TLS fails ({reason or type(error).__name__})"
    return ""


def valid_until(connection: ssl.SSLSocket) -> float:
    """Until when the certificate of a server is valid, in seconds since 1970; of a connection that has verified it."""
    certificate = connection.getpeercert() or {}
    return float(ssl.cert_time_to_seconds(str(certificate["notAfter"])))


def certificate_ends(
    host: str, port: int, security: Security, context: Callable[[], ssl.SSLContext], protocol: Protocol, timeout: float
) -> float | None:
    """Until when the certificate of a mail server is valid, in seconds since 1970; None without TLS. Nobody logs in.
    OSError, smtplib.SMTPException or imaplib.IMAP4.error if the server cannot be reached or is not trusted."""
    if security == "none":
        return None
    if security == "tls":
        with (
            socket.create_connection((host, port), timeout) as plain,
            context().wrap_socket(plain, server_hostname=host) as safe,
        ):
            return valid_until(safe)
    if protocol == "smtp":
        with contextlib.closing(smtplib.SMTP(host, port, timeout=timeout)) as smtp:
            smtp.starttls(context=context())
            assert isinstance(smtp.sock, ssl.SSLSocket)
            return valid_until(smtp.sock)
    imap = imaplib.IMAP4(host, port, timeout)
    try:
        imap.starttls(context())
        assert isinstance(imap.sock, ssl.SSLSocket)
        return valid_until(imap.sock)
    finally:
        with contextlib.suppress(OSError):
            imap.shutdown()


def _context_of(ca_file: Path) -> ssl.SSLContext:
    try:
        return ssl.create_default_context(cafile=ca_file)
    except ssl.SSLError:
        raise CertificatesUnusable(f"{ca_file} holds no certificate in PEM form") from None
    except OSError as error:
        raise CertificatesUnusable(f"{ca_file} cannot be read ({error.strerror})") from None
