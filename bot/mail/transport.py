"""Send finished letters to an SMTP server (RFC 5321) or a directory; TLS and access tokens for all servers.

The outbox distinguishes two kinds of failure. `SendRefused` is permanent (the address does not exist). `SendDeferred`
is temporary (the server cannot be reached, or our own settings are wrong). If the settings are wrong, a letter is
deferred, not refused: no letter is given up because of a wrong password.

TLS: certificates are always verified, and the name in them is compared with the requested host (RFC 9525). To trust a
server with a private certificate, the settings name the file of its certificate authority. Verification is never
skipped. `tls_trouble` explains a failed handshake in words that a game master can act on.

OAuth 2, for providers that do not accept passwords from programs: a refresh token, which the game master got once from
the provider, is exchanged for access tokens that last about an hour (RFC 6749 section 6). IMAP and SMTP logins then use
XOAUTH2. Every command is a separate process, so the tokens are kept in a file, which only its owner may read. A
provider may also replace the refresh token each time it is used: then the old token is worthless, and only that file
contains the new one. The file is replaced as a whole and under a lock.
"""

from __future__ import annotations

import base64
import contextlib
import fcntl
import hashlib
import http.client
import imaplib
import json
import os
import re
import smtplib
import socket
import ssl
import tempfile
import time
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from email import policy
from email.parser import BytesHeaderParser
from functools import partial
from pathlib import Path
from typing import Any, Literal, Protocol

Security = Literal["tls", "starttls", "none"]
MailProtocol = Literal["imap", "smtp"]

_ANOTHER_NAME = (62, 64)  # X509_V_ERR_HOSTNAME_MISMATCH, X509_V_ERR_IP_ADDRESS_MISMATCH
_UNKNOWN_AUTHORITY = (2, 18, 19, 20, 21)
_RUN_OUT = 10
_NOT_YET_VALID = 9
_NO_TLS = ("WRONG_VERSION_NUMBER", "RECORD_LAYER_FAILURE", "PACKET_LENGTH_TOO_LONG", "HTTP_REQUEST", "UNEXPECTED_EOF")


class CertificatesUnusable(OSError):
    pass


def trusting(ca_file: Path | None) -> Callable[[], ssl.SSLContext]:
    """Return a function that makes contexts that trust the certificate authorities in a PEM file or, if ``ca_file`` is
    None, those that this machine trusts. The function raises `CertificatesUnusable` if the file is missing or contains
    no certificates."""
    return partial(_context_of, ca_file) if ca_file else ssl.create_default_context


def tls_trouble(error: BaseException, host: str, section: str) -> str:
    """Return why a TLS handshake failed and what to do, without a full stop, or "" if the error is not about TLS.

    `section` is the settings section that names the host.

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
            return "its certificate has expired: its owner must renew it, if the clock of this machine is right"
        if code == _NOT_YET_VALID:
            return "its certificate is not valid yet: check the clock of this machine"
        return f"its certificate is refused ({error.verify_message})"
    if isinstance(error, ssl.SSLError):
        reason = error.reason or ""
        if any(sign in reason for sign in _NO_TLS) or isinstance(error, ssl.SSLEOFError):
            return f"it does not use TLS there: check {section} host, port and security"
        return f"TLS fails ({reason or type(error).__name__})"
    return ""


def valid_until(connection: ssl.SSLSocket) -> float:
    """Return when the certificate of a verified connection expires, in seconds since 1970."""
    certificate = connection.getpeercert() or {}
    return float(ssl.cert_time_to_seconds(str(certificate["notAfter"])))


def certificate_ends(
    host: str,
    port: int,
    security: Security,
    context: Callable[[], ssl.SSLContext],
    protocol: MailProtocol,
    timeout: float,
) -> float | None:
    """Return when the certificate of a mail server expires, in seconds since 1970, or None if the connection does not
    use TLS. This does not log in. Raise OSError, smtplib.SMTPException or imaplib.IMAP4.error if the server cannot be
    reached or is not trusted."""
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
        raise CertificatesUnusable(f"{ca_file} contains no certificate in PEM form") from None
    except OSError as error:
        raise CertificatesUnusable(f"{ca_file} cannot be read ({error.strerror})") from None


_EARLY = 60.0
"""An access token is no longer used when fewer than this many seconds are left before it expires."""
_WITHOUT_EXPIRY = 300.0
"""How many seconds a token is kept if the provider does not say when it expires."""
_MOST_BYTES = 100_000
_LOOPBACK = ("127.0.0.1", "::1", "localhost")


class TokenUnavailable(Exception):
    """No access token is available. The message is one sentence without a full stop, which says why and what to do and
    never contains a secret."""


@dataclass(frozen=True, slots=True)
class TokenEndpoint:
    url: str
    client_id: str
    refresh_token: str = field(repr=False)
    client_secret: str = field(default="", repr=False)
    scope: str = ""
    timeout: float = 30.0


@dataclass(frozen=True, slots=True)
class _StoredTokens:
    """The content of the token file. `origin` is the digest of the configured refresh token. If a different one has
    been configured since, the file no longer counts."""

    origin: str
    refresh_token: str
    access_token: str = ""
    until: float = 0.0


class AccessTokens:
    def __init__(self, endpoint: TokenEndpoint, file: Path, clock: Callable[[], float] = time.time) -> None:
        self._endpoint = endpoint
        self._file = file
        self._clock = clock

    def token(self) -> str:
        with self._alone():
            kept = self._read()
            if not kept.access_token or self._clock() >= kept.until - _EARLY:
                kept = self._refreshed(kept)
                self._write(kept)
            return kept.access_token

    def forget(self, token: str) -> None:
        with self._alone():
            kept = self._read()
            if kept.access_token == token:
                self._write(_StoredTokens(kept.origin, kept.refresh_token))

    def _refreshed(self, kept: _StoredTokens) -> _StoredTokens:
        endpoint = self._endpoint
        form = {"grant_type": "refresh_token", "refresh_token": kept.refresh_token, "client_id": endpoint.client_id}
        if endpoint.client_secret:
            form["client_secret"] = endpoint.client_secret
        if endpoint.scope:
            form["scope"] = endpoint.scope
        answer = self._ask(form)
        access = answer.get("access_token")
        if not isinstance(access, str) or not access.isascii() or not access.isprintable() or not access:
            raise TokenUnavailable(f"{endpoint.url} answers without an access token: check [oauth] token_url")
        replaced = answer.get("refresh_token")
        try:
            holds = float(answer.get("expires_in", _WITHOUT_EXPIRY))
        except (TypeError, ValueError):
            holds = _WITHOUT_EXPIRY
        return _StoredTokens(
            kept.origin,
            replaced if isinstance(replaced, str) and replaced else kept.refresh_token,
            access,
            self._clock() + max(holds, 2 * _EARLY),
        )

    def _ask(self, form: dict[str, str]) -> dict[str, Any]:
        url = self._endpoint.url
        parts = urllib.parse.urlsplit(url)
        if parts.scheme != "https" and parts.hostname not in _LOOPBACK:
            raise TokenUnavailable(f"{url} is not safe for secrets: [oauth] token_url must begin with https://")
        request = urllib.request.Request(
            url, urllib.parse.urlencode(form).encode("ascii"), {"Accept": "application/json"}, method="POST"
        )
        try:
            with _opener().open(request, timeout=self._endpoint.timeout) as response:
                answer = json.loads(response.read(_MOST_BYTES))
        except urllib.error.HTTPError as error:
            raise TokenUnavailable(self._refusal(error)) from None
        except (OSError, http.client.HTTPException) as error:
            cause = getattr(error, "reason", error)
            named = getattr(cause, "strerror", None) or getattr(cause, "verify_message", None) or type(cause).__name__
            why = cause if isinstance(cause, str) else named
            raise TokenUnavailable(
                f"{url} cannot be reached ({why}): check [oauth] token_url and the network"
            ) from None
        except ValueError:
            raise TokenUnavailable(f"{url} does not answer with JSON: check [oauth] token_url") from None
        return answer if isinstance(answer, dict) else {}

    def _refusal(self, refused: urllib.error.HTTPError) -> str:
        code, said = "", ""
        with contextlib.suppress(OSError, ValueError, http.client.HTTPException, AttributeError):
            answer = json.loads(refused.read(_MOST_BYTES))
            code, said = str(answer.get("error", "")), str(answer.get("error_description", ""))
        advice = {
            "invalid_grant": "its consent has ended: get a new refresh token from the provider and put it into "
            "MENTAT_OAUTH_REFRESH_TOKEN",
            "invalid_client": "check [oauth] client_id and MENTAT_OAUTH_CLIENT_SECRET",
            "unauthorized_client": "check [oauth] client_id, and that the provider lets it use refresh tokens",
            "invalid_scope": "check [oauth] scope",
        }.get(
            code, "check [oauth]" if 300 <= refused.code < 500 else "the provider has a problem; Mentat will try again"
        )
        words = " ".join(_plain(part) for part in (code or f"HTTP {refused.code}", said) if part)
        return f"{self._endpoint.url} gives no access token ({words}): {advice}"

    def _read(self) -> _StoredTokens:
        own = self._endpoint.refresh_token
        origin = hashlib.sha256(own.encode()).hexdigest()
        try:
            found = json.loads(self._file.read_text(encoding="utf-8"))
            kept = _StoredTokens(found["origin"], found["refresh_token"], found["access_token"], float(found["until"]))
        except (OSError, ValueError, KeyError, TypeError):
            return _StoredTokens(origin, own)
        return kept if kept.origin == origin and kept.refresh_token else _StoredTokens(origin, own)

    def _write(self, kept: _StoredTokens) -> None:
        document = {
            "origin": kept.origin,
            "refresh_token": kept.refresh_token,
            "access_token": kept.access_token,
            "until": kept.until,
        }
        part = self._file.with_name(self._file.name + ".part")
        try:
            with os.fdopen(os.open(part, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w", encoding="utf-8") as file:
                json.dump(document, file)
                file.flush()
                os.fsync(file.fileno())
            os.replace(part, self._file)
        except OSError as error:
            raise self._unwritable(error) from None

    @contextmanager
    def _alone(self) -> Iterator[None]:
        try:
            name = self._file.with_name(self._file.name + ".lock")
            lock = os.fdopen(os.open(name, os.O_RDWR | os.O_CREAT, 0o600), "r+b")
        except OSError as error:
            raise self._unwritable(error) from None
        with lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            yield

    def _unwritable(self, error: OSError) -> TokenUnavailable:
        return TokenUnavailable(f"access tokens cannot be kept in {self._file} ({error.strerror}): check its folder")


class XOAuth2:
    """One login with an access token.

    The answer to the first challenge contains the user and the token. A second challenge contains the server's error as
    JSON, which is kept as `complaint`. The server refuses the login only after an empty response to that challenge.
    """

    def __init__(self, user: str, token: str) -> None:
        self._first = f"user={user}\1auth=Bearer {token}\1\1"
        self._asked = False
        self.complaint = ""

    def respond(self, challenge: bytes) -> str:
        if not self._asked:
            self._asked = True
            return self._first
        self.complaint = _complaint(challenge)
        return ""


def _complaint(challenge: bytes) -> str:
    with contextlib.suppress(ValueError, TypeError):
        said = json.loads(challenge)
        return _plain(" ".join(str(said[key]) for key in ("status", "error_description", "scope") if key in said))
    return ""


def _plain(text: str) -> str:
    return " ".join(text.encode("ascii", "replace").decode("ascii").split())[:160]


class _NoRedirects(urllib.request.HTTPRedirectHandler):
    """A handler that does not follow redirects, so that secrets are sent only to the configured server."""

    def redirect_request(self, *_: object, **__: object) -> None:
        return None


def _opener() -> urllib.request.OpenerDirector:
    return urllib.request.build_opener(_NoRedirects)


_NOT_ABOUT_THE_LETTER = (500, 502, 503, 504, 530, 534, 535, 538)
"""The codes of replies that are about our login (RFC 4954), or about a conversation that is out of step (RFC 5321
section 4.2.2). The letter itself may still be sent over another connection."""


class SendRefused(Exception):
    """The server will never accept this letter. The message quotes its reply."""


class SendDeferred(Exception):
    """The letter could not be sent now. The message says what to check."""


class Transport(Protocol):
    """A way to send letters. `send` returns once another system has accepted the letter, and raises otherwise."""

    def send(self, envelope_from: str, to: str, letter: bytes) -> None: ...

    def close(self) -> None: ...


@dataclass(frozen=True, slots=True)
class SmtpServer:
    """An SMTP server. `timeout` is in seconds. If `tokens` is set, the login uses XOAUTH2, and `password` is
    ignored."""

    host: str
    port: int
    security: Security = "tls"
    user: str = ""
    password: str = field(default="", repr=False)
    timeout: float = 30.0
    tls_context: Callable[[], ssl.SSLContext] = ssl.create_default_context
    tokens: AccessTokens | None = field(default=None, repr=False)

    def __str__(self) -> str:
        return f"{self.host}:{self.port}"


class SmtpTransport:
    def __init__(self, server: SmtpServer) -> None:
        self._server = server
        self._connection: smtplib.SMTP | None = None

    def send(self, envelope_from: str, to: str, letter: bytes) -> None:
        """Send one letter, after reconnecting if the connection has become stale. If sending a letter fails, the
        connection is dropped, because a late reply could otherwise be taken for the reply to the next letter."""
        connection = self._connected()
        try:
            connection.sendmail(envelope_from, [to], letter)
        except BaseException as error:
            self._drop()
            if isinstance(error, (smtplib.SMTPException, OSError, UnicodeError)):
                raise self._not_taken(error, envelope_from, to) from None
            raise

    def log_in(self) -> None:
        self._connected()

    def _not_taken(self, error: Exception, envelope_from: str, to: str) -> SendRefused | SendDeferred:
        match error:
            case smtplib.SMTPRecipientsRefused():
                code, answer = error.recipients.get(to, (550, b"recipient refused"))
                return _failure(code, f"{self._server} refused the recipient {to}", answer)
            case smtplib.SMTPSenderRefused(smtp_code=552):
                return _failure(552, f"{self._server} finds the letter too large", error.smtp_error)
            case smtplib.SMTPSenderRefused():
                sentence = f"{self._server} refused the sender {envelope_from}; check [smtp] from and user"
                return SendDeferred(f"{sentence} (answer: {_words(error.smtp_error)})")
            case smtplib.SMTPDataError():
                return _failure(error.smtp_code, f"{self._server} refused the letter to {to}", error.smtp_error)
            case smtplib.SMTPNotSupportedError():
                return SendRefused(f"{self._server} cannot send to {to}: the address needs SMTPUTF8")
            case UnicodeError():
                return SendRefused(f"{to} is not an address that SMTP can carry")
        return SendDeferred(f"the connection to {self._server} broke ({_kind(error)}); Mentat will try again")

    def close(self) -> None:
        if self._connection is not None:
            with contextlib.suppress(smtplib.SMTPException, OSError):
                self._connection.quit()
        self._drop()

    def __enter__(self) -> SmtpTransport:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _connected(self) -> smtplib.SMTP:
        if self._connection is not None:
            with contextlib.suppress(smtplib.SMTPException, OSError):
                if self._connection.rset()[0] == 250:
                    return self._connection
            self._drop()
        self._connection = self._opened()
        return self._connection

    def _opened(self) -> smtplib.SMTP:
        server = self._server
        connection: smtplib.SMTP | None = None
        try:
            if server.security == "tls":
                context = server.tls_context()
                connection = smtplib.SMTP_SSL(server.host, server.port, timeout=server.timeout, context=context)
            else:
                connection = smtplib.SMTP(server.host, server.port, timeout=server.timeout)
            if server.security == "starttls":
                self._make_safe(connection)
            if server.user and server.tokens:
                self._log_in_with_token(connection, server.tokens)
            elif server.user:
                connection.login(server.user, server.password)
        except SendDeferred:
            _abandon(connection)
            raise
        except smtplib.SMTPAuthenticationError as error:
            _abandon(connection)
            if error.smtp_code < 500:
                raise self._not_now(error, server.password) from None
            answer = _answer(error, server.password)
            message = (
                f"{server} does not accept the login of {server.user} ({answer}); "
                "check [smtp] user and MENTAT_SMTP_PASSWORD"
            )
            raise SendDeferred(message) from None
        except smtplib.SMTPNotSupportedError:
            _abandon(connection)
            message = f"the SMTP server {server} offers no login; check [smtp] port and security, or leave user out"
            raise SendDeferred(message) from None
        except (smtplib.SMTPException, OSError) as error:
            _abandon(connection)
            if trouble := tls_trouble(error, server.host, "[smtp]"):
                raise SendDeferred(f"no safe connection to the SMTP server {server}: {trouble}") from None
            message = f"no SMTP connection to {server} ({_kind(error)}); check [smtp] host, port and security"
            raise SendDeferred(message) from None
        return connection

    def _make_safe(self, connection: smtplib.SMTP) -> None:
        connection.ehlo_or_helo_if_needed()
        if not connection.has_extn("starttls"):
            raise SendDeferred(
                f"the SMTP server {self._server} offers no STARTTLS, so nothing is sent to it; "
                'check [smtp] security ("tls" with port 465 is better) and that nobody intercepts the connection'
            )
        connection.starttls(context=self._server.tls_context())

    def _log_in_with_token(self, connection: smtplib.SMTP, tokens: AccessTokens) -> None:
        complaint = ""
        for _ in range(2):
            try:
                token = tokens.token()
            except TokenUnavailable as problem:
                raise SendDeferred(f"login to {self._server} is impossible: {problem}") from None
            exchange = XOAuth2(self._server.user, token)
            connection.ehlo_or_helo_if_needed()
            try:
                connection.auth("XOAUTH2", lambda challenge=None, to=exchange: to.respond(challenge or b""))
                return
            except smtplib.SMTPAuthenticationError as error:
                if error.smtp_code < 500:
                    raise self._not_now(error, token) from None
                complaint = exchange.complaint or _answer(error, token)
                tokens.forget(token)
        raise SendDeferred(
            f"{self._server} does not accept the access token for {self._server.user} ({complaint}); "
            "check [smtp] user, [oauth] scope, and that the account allows SMTP"
        )

    def _not_now(self, error: smtplib.SMTPAuthenticationError, secret: str) -> SendDeferred:
        """Turn a failed login into SendDeferred. If the failure is temporary (RFC 4954: 454), the message does not
        blame the settings."""
        return SendDeferred(
            f"{self._server} refuses {self._server.user} for now ({_answer(error, secret)}); Mentat will try again"
        )

    def _drop(self) -> None:
        _abandon(self._connection)
        self._connection = None


class DirectoryTransport:
    """A transport that writes each letter to a file `message-id.eml` in a directory, for dry runs and tests. If a
    letter is sent twice, there is still only one file."""

    def __init__(self, directory: Path) -> None:
        self._directory = directory

    def send(self, envelope_from: str, to: str, letter: bytes) -> None:
        identifier = BytesHeaderParser(policy=policy.compat32).parsebytes(letter).get("Message-ID", "")
        name = re.sub(r"[^A-Za-z0-9.@+_-]+", "_", str(identifier).strip().strip("<>")).lstrip(".")[:200]
        if not name:
            raise SendRefused("the letter has no Message-ID to name its file by")
        try:
            with tempfile.NamedTemporaryFile(dir=self._directory, suffix=".part", delete=False) as part:
                part.write(letter)
                part.flush()
                os.fsync(part.fileno())
            os.replace(part.name, self._directory / f"{name}.eml")
        except OSError as error:
            advice = "check [smtp] directory, or let `mentat init` create it"
            raise SendDeferred(f"cannot write letters to {self._directory} ({error.strerror}); {advice}") from None

    def close(self) -> None: ...


def _failure(code: int, what: str, answer: bytes | str) -> SendRefused | SendDeferred:
    sentence = f"{what} ({code} {_words(answer)})"
    return SendRefused(sentence) if 500 <= code < 600 and code not in _NOT_ABOUT_THE_LETTER else SendDeferred(sentence)


def _abandon(connection: smtplib.SMTP | None) -> None:
    if connection is not None:
        with contextlib.suppress(OSError):
            connection.close()


def _answer(error: smtplib.SMTPAuthenticationError, secret: str) -> str:
    """Return the server's reply to a login, without `secret`, because some servers say which password they expect or
    repeat what they got."""

    def unless_secret(word: re.Match[str]) -> str:
        with contextlib.suppress(ValueError):
            if secret.encode() in base64.b64decode(word[0] + "=" * (-len(word[0]) % 4)):
                return "***"
        return word[0]

    said = _words(error.smtp_error)
    if secret:
        said = re.sub(r"[A-Za-z0-9+/]{4,}={0,2}", unless_secret, said.replace(secret, "***"))
    return f"{error.smtp_code} {said}".strip()


def _words(answer: bytes | str) -> str:
    text = answer.decode("utf-8", "replace") if isinstance(answer, bytes) else answer
    return " ".join(text.split())[:200]


def _kind(error: Exception) -> str:
    if isinstance(error, TimeoutError) or isinstance(error.__context__, TimeoutError):  # smtplib hides a timeout here
        return "no answer in time"
    if isinstance(error, smtplib.SMTPServerDisconnected):
        return "it hangs up"
    strerror = getattr(error, "strerror", None)
    return strerror if isinstance(strerror, str) and strerror else type(error).__name__
