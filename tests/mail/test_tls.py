"""A server that fails authentication gets no password, and the error message says why."""

from __future__ import annotations

import dataclasses
import socket
import ssl
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from aiosmtpd.controller import Controller
from aiosmtpd.handlers import Sink

from bot.lab.local_mail import LocalMail
from bot.mail.imap import ImapMailbox, ImapServer
from bot.mail.mailbox import MailboxUnavailable
from bot.mail.transport import (
    CertificatesUnusable,
    Security,
    SendDeferred,
    SmtpServer,
    SmtpTransport,
    tls_trouble,
    trusting,
)
from tests.mail.certificates import Authority, why_not_here
from tests.mail.front import Front

USER = "tls@arrakis.example"
PASSWORD = "a-melange-of-words"


@pytest.fixture(scope="module")
def authority(tmp_path_factory: pytest.TempPathFactory) -> Authority:
    if reason := why_not_here():
        pytest.skip(reason)
    return Authority(tmp_path_factory.mktemp("authority"))


@pytest.fixture(scope="module")
def context(authority: Authority) -> ssl.SSLContext:
    return authority.server_context("127.0.0.1")


@pytest.fixture(scope="module")
def server_port(local_mail: LocalMail) -> int:
    local_mail.add_user(USER, PASSWORD)
    return local_mail.imap_port


def imap(front: Front, security: Security, ca_file: Path | None, host: str = "127.0.0.1") -> ImapServer:
    return ImapServer(host, front.port, USER, PASSWORD, security, timeout=5, tls_context=trusting(ca_file))


def refusal(server: ImapServer) -> str:
    with pytest.raises(MailboxUnavailable) as refused:
        list(ImapMailbox(server).fetch_new())
    assert PASSWORD not in str(refused.value)
    return str(refused.value)


@pytest.mark.parametrize("security", ["tls", "starttls"])
def test_a_server_of_ones_own_is_trusted_through_its_authority(
    authority: Authority, context: ssl.SSLContext, server_port: int, security: Security
) -> None:
    with Front(server_port, context, starttls=security == "starttls") as front:
        with ImapMailbox(imap(front, security, authority.ca_file)) as mailbox:
            assert list(mailbox.fetch_new()) == []
        assert not any(b"LOGIN" in line for line in front.seen if line.startswith(b"clear: "))


@pytest.mark.parametrize("security", ["tls", "starttls"])
def test_an_authority_that_nobody_knows_is_not_trusted(
    context: ssl.SSLContext, server_port: int, security: Security
) -> None:
    with Front(server_port, context, starttls=security == "starttls") as front:
        told = refusal(imap(front, security, None))
        assert "nobody whom this machine trusts has signed its certificate" in told
        assert "[mailbox] ca_file" in told
        assert not any(b"LOGIN" in line for line in front.seen)


@pytest.mark.parametrize("security", ["tls", "starttls"])
def test_a_certificate_for_another_name_is_refused(
    authority: Authority, context: ssl.SSLContext, server_port: int, security: Security
) -> None:
    with Front(server_port, context, starttls=security == "starttls") as front:
        told = refusal(imap(front, security, authority.ca_file, host="localhost"))
        assert "its certificate is not for localhost, so it may be another server: check [mailbox] host" in told
        assert not any(b"LOGIN" in line for line in front.seen)


def test_a_starttls_that_is_no_longer_offered_gets_no_password(
    authority: Authority, context: ssl.SSLContext, server_port: int
) -> None:
    with Front(server_port, context, starttls=True, strips_starttls=True) as front:
        assert "offers no STARTTLS, so nothing is sent to it" in refusal(imap(front, "starttls", authority.ca_file))
        assert not any(b"LOGIN" in line for line in front.seen)


def test_a_server_that_takes_no_password_in_the_clear_is_sent_none(
    authority: Authority, context: ssl.SSLContext, server_port: int
) -> None:
    with Front(server_port, context, starttls=True) as front:
        told = refusal(imap(front, "none", authority.ca_file))
        assert 'check [mailbox] security: "tls" with port 993, or "starttls"' in told
        assert not any(b"LOGIN" in line for line in front.seen)


def test_a_server_that_greets_as_if_we_were_logged_in_gets_nothing(
    authority: Authority, context: ssl.SSLContext, server_port: int
) -> None:
    with Front(server_port, context, starttls=True, preauth=True) as front:
        told = refusal(imap(front, "starttls", authority.ca_file))
        assert "accepts connections without a password" in told


@pytest.mark.parametrize(("content", "words"), [(None, "No such file"), ("sand", "contains no certificate in PEM")])
def test_a_file_of_authorities_that_is_none_is_named(tmp_path: Path, content: str | None, words: str) -> None:
    path = tmp_path / "ca.pem"
    if content:
        path.write_text(content)
    server = ImapServer("127.0.0.1", 1, USER, PASSWORD, tls_context=trusting(path))
    assert words in refusal(server)
    assert f"{path}" in refusal(server)
    assert "check [mailbox] ca_file" in refusal(server)


@pytest.mark.parametrize(
    ("code", "words"), [(10, "has expired"), (9, "check the clock of this machine"), (23, "refused")]
)
def test_a_certificate_out_of_its_time_is_told(code: int, words: str) -> None:
    error = ssl.SSLCertVerificationError()
    error.verify_code, error.verify_message = code, "certificate revoked"
    assert words in tls_trouble(error, "imap.arrakis.example", "[mailbox]")
    assert tls_trouble(CertificatesUnusable("x"), "h", "[smtp]") == "x: check [smtp] ca_file"


def tls_error(reason: str | None, kind: type[ssl.SSLError] = ssl.SSLError) -> ssl.SSLError:
    error = kind()
    error.reason = reason  # type: ignore[assignment]
    return error


@pytest.mark.parametrize(
    ("error", "words"),
    [
        (tls_error("WRONG_VERSION_NUMBER"), "it does not use TLS there: check [smtp] host, port and security"),
        (tls_error(None, ssl.SSLEOFError), "it does not use TLS there: check [smtp] host, port and security"),
        (tls_error("TLSV1_ALERT_INTERNAL_ERROR"), "TLS fails (TLSV1_ALERT_INTERNAL_ERROR)"),
        (tls_error(None), "TLS fails (SSLError)"),
        (OSError("x"), ""),
    ],
)
def test_what_is_wrong_with_tls_is_told(error: Exception, words: str) -> None:
    assert tls_trouble(error, "mail.arrakis.example", "[smtp]") == words


# --- sending -------------------------------------------------------------------------------------------------------


@pytest.fixture(params=["tls", "starttls"])
def smtp(request: pytest.FixtureRequest, context: ssl.SSLContext) -> Iterator[SmtpServer]:
    """Run a server with the authority's certificate, with TLS from the start or after STARTTLS."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    safe: dict[str, Any] = {"ssl_context" if request.param == "tls" else "tls_context": context}
    controller = Controller(Sink(), hostname="127.0.0.1", port=port, **safe)
    knock = socket.create_connection
    controller._trigger_server = lambda: knock(("127.0.0.1", port)).close()  # type: ignore[method-assign]  # no handshake
    controller.start()
    yield SmtpServer("127.0.0.1", port, request.param, timeout=5)
    controller.stop()


def sending(server: SmtpServer, ca_file: Path | None) -> str:
    """Return why sending fails, or "" if it succeeds."""
    try:
        with SmtpTransport(dataclasses.replace(server, tls_context=trusting(ca_file))) as transport:
            transport.send("a@b.example", "c@d.example", b"Subject: x\r\n\r\nx\r\n")
    except SendDeferred as problem:
        return str(problem)
    return ""


def test_letters_go_to_a_server_that_is_trusted_and_to_no_other(smtp: SmtpServer, authority: Authority) -> None:
    assert sending(smtp, authority.ca_file) == ""
    assert "nobody whom this machine trusts" in sending(smtp, None)
    told = sending(dataclasses.replace(smtp, host="localhost"), authority.ca_file)
    assert "its certificate is not for localhost, so it may be another server: check [smtp] host" in told


def test_an_smtp_server_that_hides_starttls_gets_nothing(local_mail: LocalMail) -> None:
    server = SmtpServer(local_mail.host, local_mail.smtp_port, "starttls", "mentat", PASSWORD, timeout=5)
    sent = len(local_mail.sent)
    assert "offers no STARTTLS, so nothing is sent to it" in sending(server, None)
    assert len(local_mail.sent) == sent
