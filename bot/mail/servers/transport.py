"""Ways out for a finished letter: an SMTP server (RFC 5321) or a directory.

A failure is one of two kinds and the outbox treats them differently: `SendRefused` will be refused again (the
address does not exist), `SendDeferred` may pass later (the server is away, or our own settings are wrong). Wrong
settings are deferred, not refused: no letter is given up because of a password.
"""

from __future__ import annotations

import base64
import contextlib
import os
import re
import smtplib
import ssl
import tempfile
from collections.abc import Callable
from dataclasses import dataclass, field
from email import policy
from email.parser import BytesHeaderParser
from pathlib import Path
from typing import Protocol

from bot.mail.servers.oauth import AccessTokens, TokenUnavailable, XOAuth2
from bot.mail.servers.tls import Security as Security
from bot.mail.servers.tls import tls_trouble

_NOT_ABOUT_THE_LETTER = (500, 502, 503, 504, 530, 534, 535, 538)
"""Answers that speak of our login (RFC 4954), or that the conversation got out of step (RFC 5321 section 4.2.2): the
letter may be sent all the same, over another connection."""


class SendRefused(Exception):
    """The server will never take this letter; the sentence says what it answered."""


class SendDeferred(Exception):
    """The letter could not be sent now; the sentence says what to check."""


class Transport(Protocol):
    """Takes letters out. `send` returns when the letter is in other hands, and raises otherwise."""

    def send(self, envelope_from: str, to: str, letter: bytes) -> None: ...

    def close(self) -> None: ...


@dataclass(frozen=True, slots=True)
class SmtpServer:
    """Where and how letters are handed over. `timeout` in seconds. With `tokens` the login is by XOAUTH2 and `password`
    is not used."""

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
    """Letters to an SMTP server, many over one connection."""

    def __init__(self, server: SmtpServer) -> None:
        self._server = server
        self._connection: smtplib.SMTP | None = None

    def send(self, envelope_from: str, to: str, letter: bytes) -> None:
        """Hand over one letter. A connection that has gone stale since the last letter is opened again first, and one
        over which a letter was not taken is used no more: a belated answer could be taken for that to the next one."""
        connection = self._connected()
        try:
            connection.sendmail(envelope_from, [to], letter)
        except BaseException as error:
            self._drop()
            if isinstance(error, (smtplib.SMTPException, OSError, UnicodeError)):
                raise self._not_taken(error, envelope_from, to) from None
            raise

    def log_in(self) -> None:
        """Connect and log in, and send nothing. SendDeferred says what is wrong and what to check."""
        self._connected()

    def _not_taken(self, error: Exception, envelope_from: str, to: str) -> SendRefused | SendDeferred:
        """Whether a letter that was not taken will be, and the sentence about it."""
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
        return SendDeferred(f"the connection to {self._server} broke ({_kind(error)}); it is tried again")

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
                'check [smtp] security ("tls" with port 465 is better) and that nobody is in between'
            )
        connection.starttls(context=self._server.tls_context())

    def _log_in_with_token(self, connection: smtplib.SMTP, tokens: AccessTokens) -> None:
        """XOAUTH2; a token that the server does not take any more is replaced once."""
        complaint = ""
        for _ in range(2):
            try:
                token = tokens.token()
            except TokenUnavailable as problem:
                raise SendDeferred(f"{self._server} cannot be logged in to: {problem}") from None
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
        """A login that is put off (RFC 4954: 454) is no matter of the settings."""
        return SendDeferred(
            f"{self._server} lets {self._server.user} in no more for now ({_answer(error, secret)}); it is tried again"
        )

    def _drop(self) -> None:
        _abandon(self._connection)
        self._connection = None


class DirectoryTransport:
    """Letters as files `message-id.eml` in a directory, for dry runs and tests. A letter sent twice is one file."""

    def __init__(self, directory: Path) -> None:
        self._directory = directory

    def send(self, envelope_from: str, to: str, letter: bytes) -> None:
        identifier = BytesHeaderParser(policy=policy.compat32).parsebytes(letter).get("Message-ID", "")
        name = re.sub(r"[^A-Za-z0-9.@+_-]+", "_", str(identifier).strip().strip("<>")).lstrip(".")[:200]
        if not name:
            raise SendRefused("the letter has no Message-ID, by which its file would be named")
        try:
            self._directory.mkdir(mode=0o700, parents=True, exist_ok=True)
            with tempfile.NamedTemporaryFile(dir=self._directory, suffix=".part", delete=False) as part:
                part.write(letter)
                part.flush()
                os.fsync(part.fileno())
            os.replace(part.name, self._directory / f"{name}.eml")
        except OSError as error:
            message = f"cannot write letters to {self._directory} ({error.strerror}); check [smtp] directory"
            raise SendDeferred(message) from None

    def close(self) -> None:
        """Nothing is held open between letters."""


def _failure(code: int, what: str, answer: bytes | str) -> SendRefused | SendDeferred:
    sentence = f"{what} ({code} {_words(answer)})"
    return SendRefused(sentence) if 500 <= code < 600 and code not in _NOT_ABOUT_THE_LETTER else SendDeferred(sentence)


def _abandon(connection: smtplib.SMTP | None) -> None:
    if connection is not None:
        with contextlib.suppress(OSError):
            connection.close()


def _answer(error: smtplib.SMTPAuthenticationError, secret: str) -> str:
    """What the server said to a login; some explain what password they want instead, some echo what they got."""

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
    """What went wrong, without whatever the server may have echoed."""
    if isinstance(error, TimeoutError) or isinstance(error.__context__, TimeoutError):  # smtplib tells it as a hang-up
        return "no answer in time"
    if isinstance(error, smtplib.SMTPServerDisconnected):
        return "it hangs up"
    strerror = getattr(error, "strerror", None)
    return strerror if isinstance(strerror, str) and strerror else type(error).__name__
