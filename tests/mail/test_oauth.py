"""Access tokens: fetched with a refresh token, kept until they expire, replaced when a server rejects them."""

from __future__ import annotations

import base64
import http.client
import json
import socket
import ssl
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from urllib.error import URLError

import pytest
from aiosmtpd.controller import Controller
from aiosmtpd.handlers import Sink
from aiosmtpd.smtp import SMTP, AuthResult

from bot.lab.local_mail import LocalMail
from bot.mail.imap import ImapMailbox, ImapServer
from bot.mail.mailbox import MailboxUnavailable
from bot.mail.transport import AccessTokens, SendDeferred, SmtpServer, SmtpTransport, TokenEndpoint, TokenUnavailable
from tests.mail.front import Front
from tests.mail.token_endpoint import TokenEndpointServer

USER = "oauth@arrakis.example"
CLIENT_SECRET = "the-clients-secret"


@pytest.fixture
def endpoint() -> Iterator[TokenEndpointServer]:
    with TokenEndpointServer() as server:
        yield server


class Clock:
    now = 1_000_000.0

    def __call__(self) -> float:
        return self.now


def tokens(endpoint: TokenEndpointServer, folder: Path, clock: Clock | None = None, refresh: str = "refresh-0") -> Any:
    asked = TokenEndpoint(endpoint.url, "mentat-client", refresh, CLIENT_SECRET, "https://mail.example/", timeout=5)
    return AccessTokens(asked, folder / "mentat.db.oauth", clock or Clock())


def test_an_access_token_is_asked_for_as_the_standard_says_and_kept_until_it_ends(
    endpoint: TokenEndpointServer, tmp_path: Path
) -> None:
    clock = Clock()
    first = tokens(endpoint, tmp_path, clock)
    assert [first.token(), first.token()] == ["access-0", "access-0"]
    assert endpoint.asked == [
        {"grant_type": "refresh_token", "refresh_token": "refresh-0", "client_id": "mentat-client",
         "client_secret": CLIENT_SECRET, "scope": "https://mail.example/"}
    ]  # fmt: skip
    assert tokens(endpoint, tmp_path, clock).token() == "access-0", "another process uses the same"
    clock.now += 3600 - 30
    assert first.token() == "access-1", "one that ends at once is not used any more"
    assert (tmp_path / "mentat.db.oauth").stat().st_mode & 0o077 == 0


@pytest.mark.parametrize(
    ("answer", "lives"),
    [
        ({"expires_in": 3600}, 3540), ({"expires_in": "3600"}, 3540), ({"expires_in": 10}, 60), ({}, 240),
        ({"expires_in": "soon"}, 240), ({"expires_in": None}, 240), ({"refresh_token": ""}, 240),
        ({"refresh_token": 7}, 240),
    ],
)  # fmt: skip
def test_how_long_a_token_holds_is_what_the_provider_says_and_at_least_a_minute(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, answer: dict[str, Any], lives: float
) -> None:
    asked: list[dict[str, str]] = []
    clock = Clock()
    account = AccessTokens(TokenEndpoint("https://x.example", "mentat", "refresh-0"), tmp_path / "kept", clock)

    def answered(form: dict[str, str]) -> dict[str, Any]:
        asked.append(form)
        return {"access_token": f"access-{len(asked)}", **answer}

    monkeypatch.setattr(account, "_ask", answered)
    assert account.token() == "access-1"
    clock.now += lives - 0.5
    assert account.token() == "access-1"
    clock.now += 0.5
    assert account.token() == "access-2"
    assert {form["refresh_token"] for form in asked} == {"refresh-0"}


@pytest.mark.parametrize("access", [None, "", 7, "tökén", "two\nrows"])
def test_what_can_be_no_access_token_is_not_used(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, access: object
) -> None:
    account = AccessTokens(TokenEndpoint("https://x.example", "mentat", "refresh-0"), tmp_path / "kept")
    monkeypatch.setattr(account, "_ask", lambda form: {"access_token": access})
    with pytest.raises(TokenUnavailable, match="answers without an access token"):
        account.token()


def test_a_refresh_token_that_is_replaced_with_each_use_is_followed(
    endpoint: TokenEndpointServer, tmp_path: Path
) -> None:
    endpoint.rotates = True
    clock = Clock()
    for number in range(3):
        assert tokens(endpoint, tmp_path, clock).token() == f"access-{number}"
        clock.now += 3600
    assert [form["refresh_token"] for form in endpoint.asked] == ["refresh-0", "refresh-1", "refresh-2"]


def test_a_new_refresh_token_in_the_settings_goes_before_the_kept_one(
    endpoint: TokenEndpointServer, tmp_path: Path
) -> None:
    endpoint.rotates = True
    tokens(endpoint, tmp_path).token()
    endpoint.refresh_token = "given anew"
    assert tokens(endpoint, tmp_path, refresh="given anew").token() == "access-1"
    assert endpoint.asked[-1]["refresh_token"] == "given anew"


def test_a_token_that_a_server_refused_is_fetched_anew_and_another_one_is_not_forgotten(
    endpoint: TokenEndpointServer, tmp_path: Path
) -> None:
    own = tokens(endpoint, tmp_path)
    own.forget(own.token())
    assert own.token() == "access-1"
    own.forget("access-0")
    assert own.token() == "access-1"


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        ((400, {"error": "invalid_grant", "error_description": "revoked\r\nX: y"}), "MENTAT_OAUTH_REFRESH_TOKEN"),
        ((401, {"error": "invalid_client"}), "check [oauth] client_id and MENTAT_OAUTH_CLIENT_SECRET"),
        ((400, {"error": "invalid_scope"}), "check [oauth] scope"),
        ((503, b"<html>"), "Mentat will try again"),
        ((400, [1]), "check [oauth]"),
        ((200, b"<html>"), "does not answer with JSON"),
        ((499, b""), "(HTTP 499): check [oauth]"),
        ((500, b""), "(HTTP 500): the provider has a problem; Mentat will try again"),
        ((200, [1]), "without an access token"),
        ((200, {"token_type": "Bearer"}), "without an access token"),
        ((200, {"access_token": "a\r\nb"}), "without an access token"),
        ((302, b""), "check [oauth]"),
    ],
)
def test_what_the_provider_refuses_is_told_in_one_line_without_a_secret(
    endpoint: TokenEndpointServer, tmp_path: Path, answer: tuple[int, Any], words: str
) -> None:
    endpoint.answer = answer
    with pytest.raises(TokenUnavailable) as refused:
        tokens(endpoint, tmp_path).token()
    told = str(refused.value)
    assert words in told
    assert "\n" not in told
    assert not any(secret in told for secret in (CLIENT_SECRET, "refresh-0"))
    assert len(endpoint.asked) == 1, "nothing is sent on to where an answer points"


def test_a_provider_that_is_away_and_a_folder_that_cannot_be_written_are_told(
    endpoint: TokenEndpointServer, tmp_path: Path
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    away = AccessTokens(TokenEndpoint(f"http://127.0.0.1:{port}/", "c", "r", timeout=2), tmp_path / "oauth")
    with pytest.raises(TokenUnavailable, match=r"cannot be reached \(Connection refused\): check \[oauth\] token_url"):
        away.token()
    unsafe = AccessTokens(TokenEndpoint("http://oauth.arrakis.example/token", "c", "r"), tmp_path / "oauth")
    with pytest.raises(TokenUnavailable, match="must begin with https://"):
        unsafe.token()
    with pytest.raises(TokenUnavailable, match="check its folder"):
        tokens(endpoint, tmp_path / "missing").token()


def certificate_refused() -> ssl.SSLCertVerificationError:
    error = ssl.SSLCertVerificationError()
    error.verify_message = "self-signed certificate"
    return error


@pytest.mark.parametrize(
    ("error", "why"),
    [
        (URLError("no host given"), "no host given"),
        (URLError(certificate_refused()), "self-signed certificate"),
        (URLError(ConnectionRefusedError(111, "Connection refused")), "Connection refused"),
        (TimeoutError("timed out"), "TimeoutError"),
        (http.client.BadStatusLine("x"), "BadStatusLine"),
    ],
)
def test_why_a_provider_cannot_be_reached_is_told(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, error: Exception, why: str
) -> None:
    def breaks(*_: object, **__: object) -> None:
        raise error

    monkeypatch.setattr("bot.mail.transport._opener", lambda: SimpleNamespace(open=breaks))
    account = AccessTokens(TokenEndpoint("https://x.example/token", "mentat", "refresh-0"), tmp_path / "kept")
    with pytest.raises(TokenUnavailable) as refused:
        account.token()
    told = f"https://x.example/token cannot be reached ({why}): check [oauth] token_url and the network"
    assert str(refused.value) == told


def test_kept_tokens_without_a_refresh_token_are_none(endpoint: TokenEndpointServer, tmp_path: Path) -> None:
    account = tokens(endpoint, tmp_path)
    account.token()
    kept = json.loads((tmp_path / "mentat.db.oauth").read_text())
    (tmp_path / "mentat.db.oauth").write_text(json.dumps({**kept, "refresh_token": ""}))
    assert account.token() == "access-1"
    assert [form["refresh_token"] for form in endpoint.asked] == ["refresh-0"] * 2


def test_a_token_that_cannot_be_kept_is_not_used(endpoint: TokenEndpointServer, tmp_path: Path) -> None:
    (tmp_path / "mentat.db.oauth.part").mkdir()
    with pytest.raises(TokenUnavailable, match=r"cannot be kept in .* \(Is a directory\): check its folder"):
        tokens(endpoint, tmp_path).token()


# --- logging in ----------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def _account(local_mail: LocalMail) -> None:
    local_mail.add_user(USER, "melange")


@pytest.fixture
def front(local_mail: LocalMail, _account: None) -> Iterator[Front]:
    with Front(local_mail.imap_port, users={USER: "melange"}) as made:
        yield made


def imap(front: Front, own: AccessTokens) -> ImapMailbox:
    return ImapMailbox(ImapServer(front.host, front.port, USER, "", security="none", timeout=5, tokens=own))


def test_a_mailbox_is_read_with_an_access_token(
    front: Front, endpoint: TokenEndpointServer, tmp_path: Path, local_mail: LocalMail
) -> None:
    front.tokens.add("access-0")
    local_mail.deliver(USER, b"Subject: x\r\n\r\nbid 4\r\n")
    with imap(front, tokens(endpoint, tmp_path)) as mailbox:
        (fetched,) = mailbox.fetch_new()
        mailbox.done(fetched.key)


def test_a_token_that_the_imap_server_takes_no_more_is_replaced_once(
    front: Front, endpoint: TokenEndpointServer, tmp_path: Path
) -> None:
    front.tokens.add("access-1")
    with imap(front, tokens(endpoint, tmp_path)) as mailbox:
        assert list(mailbox.fetch_new()) == []
    assert endpoint.given == ["access-0", "access-1"]


def test_an_account_that_takes_no_token_is_told_with_what_the_server_complained_of(
    front: Front, endpoint: TokenEndpointServer, tmp_path: Path
) -> None:
    with pytest.raises(MailboxUnavailable) as refused:
        list(imap(front, tokens(endpoint, tmp_path)).fetch_new())
    told = str(refused.value)
    assert f"does not accept the access token for {USER} (400 https://mail.example/)" in told
    assert "access-" not in told
    assert len(endpoint.given) == 2


def test_no_token_is_told_as_what_is_wrong_with_the_mailbox(
    front: Front, endpoint: TokenEndpointServer, tmp_path: Path
) -> None:
    endpoint.refresh_token = "another"
    with pytest.raises(MailboxUnavailable, match="get a new refresh token"):
        list(imap(front, tokens(endpoint, tmp_path)).fetch_new())


class XOAuth2Sink(Sink):
    """A mail server that accepts letters from clients with the right token."""

    def __init__(self, token: str) -> None:
        super().__init__()
        self.token = token

    async def auth_XOAUTH2(self, server: SMTP, args: list[str]) -> AuthResult:  # noqa: N802 - aiosmtpd's
        expected = f"user={USER}\1auth=Bearer {self.token}\1\1"
        if len(args) == 2 and base64.b64decode(args[1]).decode() == expected:
            return AuthResult(success=True)
        complaint = json.dumps({"status": "401", "schemes": "bearer"})
        assert await server.challenge_auth(complaint) == b""
        return AuthResult(success=False, handled=False)


class BusySink(Sink):
    """A mail server that temporarily rejects every login."""

    async def auth_XOAUTH2(self, server: SMTP, args: list[str]) -> AuthResult:  # noqa: N802 - aiosmtpd's
        await server.push("454 4.7.0 Temporary authentication failure")
        return AuthResult(success=False, handled=True)


def sent_with(sink: Sink, endpoint: TokenEndpointServer, tmp_path: Path) -> str:
    """Send a letter to this server with an access token; return the error message, or "" if it was sent."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    controller = Controller(sink, hostname="127.0.0.1", port=port, auth_required=True, auth_require_tls=False)
    controller.start()
    server = SmtpServer("127.0.0.1", port, "none", USER, timeout=5, tokens=tokens(endpoint, tmp_path))
    told = ""
    try:
        with SmtpTransport(server) as transport:
            transport.send("a@b.example", "c@d.example", b"Subject: x\r\n\r\nx\r\n")
    except SendDeferred as problem:
        told = str(problem)
    finally:
        controller.stop()
    return told


@pytest.mark.filterwarnings("ignore:Requiring AUTH while not requiring TLS")
@pytest.mark.parametrize(
    ("taken", "words", "given"), [("access-0", "", 1), ("access-1", "", 2), ("access-9", "(401)", 2)]
)
def test_letters_are_sent_with_an_access_token(
    endpoint: TokenEndpointServer, tmp_path: Path, taken: str, words: str, given: int
) -> None:
    told = sent_with(XOAuth2Sink(taken), endpoint, tmp_path)
    assert (words in told) if words else not told
    assert "access-" not in told
    assert len(endpoint.given) == given  # a rejected token is replaced once


@pytest.mark.filterwarnings("ignore:Requiring AUTH while not requiring TLS")
def test_a_server_that_lets_nobody_in_for_now_is_no_matter_of_the_settings(
    endpoint: TokenEndpointServer, tmp_path: Path
) -> None:
    told = sent_with(BusySink(), endpoint, tmp_path)
    assert " for now" in told
    assert "Mentat will try again" in told
    assert "access-" not in told
    assert len(endpoint.given) == 1


@pytest.mark.filterwarnings("ignore:Requiring AUTH while not requiring TLS")
def test_no_token_is_told_as_what_is_wrong_with_sending(endpoint: TokenEndpointServer, tmp_path: Path) -> None:
    endpoint.refresh_token = "another"
    told = sent_with(XOAuth2Sink("access-0"), endpoint, tmp_path)
    assert " is impossible: " in told
    assert "get a new refresh token" in told
