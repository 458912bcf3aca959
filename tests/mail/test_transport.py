"""Letters that a mail server did not accept: which of them are retried, and the error messages."""

from __future__ import annotations

import dataclasses
import smtplib

import pytest

from bot.mail.transport import SendDeferred, SendRefused, SmtpServer, SmtpTransport

TO = "baron@players.example"


class Refusing:
    """A connection on which every letter fails with the same error."""

    def __init__(self, error: Exception) -> None:
        self.error = error

    def sendmail(self, *_: object) -> None:
        raise self.error

    def close(self) -> None: ...


def told(monkeypatch: pytest.MonkeyPatch, error: Exception) -> tuple[type[Exception], str]:
    transport = SmtpTransport(SmtpServer("mail.example", 465))
    monkeypatch.setattr(transport, "_connected", lambda: Refusing(error))
    with pytest.raises((SendRefused, SendDeferred)) as raised:
        transport.send("mentat@arrakis.example", TO, b"")
    return raised.type, str(raised.value)


@pytest.mark.parametrize(
    ("code", "final"), [(451, False), (499, False), (500, False), (501, True), (554, True), (599, True), (600, False)]
)
def test_a_final_answer_about_a_letter_ends_it_and_any_other_does_not(
    monkeypatch: pytest.MonkeyPatch, code: int, final: bool
) -> None:
    kind, sentence = told(monkeypatch, smtplib.SMTPDataError(code, b"no\r\n thanks"))
    assert kind is (SendRefused if final else SendDeferred)
    assert sentence == f"mail.example:465 refused the letter to {TO} ({code} no thanks)"


BROKE = "the connection to mail.example:465 broke ({}); Mentat will try again"


@pytest.mark.parametrize(
    ("error", "kind", "sentence"),
    [
        (smtplib.SMTPNotSupportedError("SMTPUTF8"), SendRefused,
         f"mail.example:465 cannot send to {TO}: the address needs SMTPUTF8"),
        (UnicodeEncodeError("ascii", "é", 0, 1, "no"), SendRefused, f"{TO} is not an address that SMTP can carry"),
        (smtplib.SMTPRecipientsRefused({TO: (550, b"unknown")}), SendRefused,
         f"mail.example:465 refused the recipient {TO} (550 unknown)"),
        (smtplib.SMTPRecipientsRefused({}), SendRefused,
         f"mail.example:465 refused the recipient {TO} (550 recipient refused)"),
        (TimeoutError("timed out"), SendDeferred, BROKE.format("no answer in time")),
        (smtplib.SMTPServerDisconnected("closed"), SendDeferred, BROKE.format("it hangs up")),
        (ConnectionResetError(104, "Connection reset by peer"), SendDeferred,
         BROKE.format("Connection reset by peer")),
        (OSError("secret"), SendDeferred, BROKE.format("OSError")),
        (OSError(5, ""), SendDeferred, BROKE.format("OSError")),
    ],
)  # fmt: skip
def test_what_a_server_or_a_line_does_is_told_in_a_sentence(
    monkeypatch: pytest.MonkeyPatch, error: Exception, kind: type[Exception], sentence: str
) -> None:
    assert told(monkeypatch, error) == (kind, sentence)


def test_what_is_no_fault_of_the_mail_is_passed_on(monkeypatch: pytest.MonkeyPatch) -> None:
    transport = SmtpTransport(SmtpServer("mail.example", 465))
    monkeypatch.setattr(transport, "_connected", lambda: Refusing(MemoryError()))
    with pytest.raises(MemoryError):
        transport.send("mentat@arrakis.example", TO, b"")


class LetsNobodyIn:
    """A server that fails every login with the same error."""

    def __init__(self, error: Exception) -> None:
        self.error = error

    def login(self, *_: object) -> None:
        raise self.error

    auth = login

    def ehlo_or_helo_if_needed(self) -> None: ...

    def close(self) -> None: ...


class Tokens:
    def token(self) -> str:
        return "access-0"

    def forget(self, token: str) -> None: ...


BUSY = "mail.example:25 refuses mentat for now ({}); Mentat will try again"


@pytest.mark.parametrize(
    ("code", "answer", "by_password", "by_token"),
    [
        (454, b"4.7.0 later", BUSY, BUSY),
        (499, b"later", BUSY, BUSY),
        (500, b"what?", "mail.example:25 does not accept the login of mentat ({}); "
         "check [smtp] user and MENTAT_SMTP_PASSWORD",
         "mail.example:25 does not accept the access token for mentat ({}); "
         "check [smtp] user, [oauth] scope, and that the account allows SMTP"),
        (535, "", "mail.example:25 does not accept the login of mentat ({}); "
         "check [smtp] user and MENTAT_SMTP_PASSWORD",
         "mail.example:25 does not accept the access token for mentat ({}); "
         "check [smtp] user, [oauth] scope, and that the account allows SMTP"),
    ],
)  # fmt: skip
@pytest.mark.parametrize("password", ["spice", "", None])
def test_a_login_that_is_put_off_is_no_matter_of_the_settings_and_one_that_is_refused_is(
    monkeypatch: pytest.MonkeyPatch, code: int, answer: bytes | str, by_password: str, by_token: str,
    password: str | None,
) -> None:  # fmt: skip
    error = smtplib.SMTPAuthenticationError(code, answer)
    monkeypatch.setattr(smtplib, "SMTP", lambda *_, **__: LetsNobodyIn(error))
    server = SmtpServer("mail.example", 25, "none", "mentat", password or "")
    if password is None:
        server = dataclasses.replace(server, tokens=Tokens())  # type: ignore[arg-type]
    with pytest.raises(SendDeferred) as raised:
        SmtpTransport(server).log_in()
    said = f"{code} {answer.decode() if isinstance(answer, bytes) else answer}".strip()
    assert str(raised.value) == (by_token if password is None else by_password).format(said)
