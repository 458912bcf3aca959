"""An IMAP server as the settings name it, and the way in: connect, make it safe, log in, find the folders.

STARTTLS is not an offer but a demand: a server, or somebody before it, that does not offer it gets no password, nor
does one that greets as if we had logged in already (RFC 9051 section 11.3): it could not be made safe any more.
"""

from __future__ import annotations

import contextlib
import imaplib
import re
import socket
import ssl
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from imapclient import IMAPClient
from imapclient.exceptions import LoginError

from bot.mail.mime.weighing import MAX_BYTES
from bot.mail.servers.mailbox import MailboxUnavailable
from bot.mail.servers.oauth import AccessTokens, TokenUnavailable, XOAuth2
from bot.mail.servers.tls import tls_trouble
from bot.mail.servers.transport import Security

_FOR_NOW = re.compile(r"\[(UNAVAILABLE|LIMIT|INUSE|SERVERBUG)\]|too many|maximum number of connections", re.IGNORECASE)
"""A login that is refused for no fault of the settings (RFC 5530 section 3, and servers that only say it in words)."""
_TIMES = re.compile(r" ?\([\d.]+(?: \+ [\d.]+)+ secs\)\.?")


@dataclass(frozen=True, slots=True)
class ImapServer:
    """Where the mailbox is and how it is used. Folder names are written with `/`, whatever the server's delimiter.

    With `tokens` the login is by XOAUTH2 and `password` is not used.
    """

    host: str
    port: int
    user: str
    password: str = field(repr=False)
    security: Security = "tls"
    folder: str = "INBOX"
    processed: str = "Mentat/Processed"
    shunted: str = "Mentat/Shunted"
    max_bytes: int = MAX_BYTES
    timeout: float = 30.0
    idle: bool = True
    tls_context: Callable[[], ssl.SSLContext] = ssl.create_default_context
    tokens: AccessTokens | None = field(default=None, repr=False)

    def __str__(self) -> str:
        return f"{self.host}:{self.port}"


def log_in(server: ImapServer) -> Any:
    """An IMAPClient that is connected and logged in. MailboxUnavailable says what is wrong and what to check."""
    client = _connected(server)
    try:
        _make_safe(client, server)
        client.socket().setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        if server.tokens:
            _log_in_with_token(client, server, server.tokens)
        elif client.has_capability("LOGINDISABLED"):
            raise MailboxUnavailable(_unsafe(server))
        else:
            client.login(server.user, server.password)
    except MailboxUnavailable:
        abandon(client)
        raise
    except LoginError as error:
        abandon(client)
        if "[PRIVACYREQUIRED]" in str(error):
            raise MailboxUnavailable(_unsafe(server)) from None
        if _FOR_NOW.search(str(error)):
            raise _busy(server, said(error, server)) from None
        raise MailboxUnavailable(
            f"{server} does not accept the login of {server.user} ({said(error, server)}); "
            "check [mailbox] user and MENTAT_IMAP_PASSWORD"
        ) from None
    except Exception as error:  # the library raises much where an answer makes no sense
        abandon(client)
        raise MailboxUnavailable(
            f"the IMAP server {server} cannot be used ({said(error, server)}); check [mailbox] host, port and security"
        ) from None
    return client


def find_folders(client: Any, server: ImapServer) -> dict[str, str]:
    """The folders of the settings as the server writes them; those for dealt with mail are made if missing."""
    listed = client.list_folders("", "INBOX") or client.list_folders()
    delimiter = next((entry[1].decode() for entry in listed if entry[1]), "/")
    if client.has_capability("NAMESPACE"):  # RFC 2342
        personal = client.namespace().personal
        prefixes = [personal[0][0] if personal else ""]
    else:  # a server that cannot tell may want all folders below the inbox all the same
        prefixes = ["", f"INBOX{delimiter}"]

    def written(name: str, works: Callable[[Any, str], bool]) -> str:
        forms = [_as_listed(name, delimiter, prefix) for prefix in prefixes]
        return next((form for form in forms if works(client, form)), forms[0])

    return {
        server.folder: written(server.folder, lambda _, form: bool(client.folder_exists(form))),
        server.processed: written(server.processed, _is_there_or_made),
        server.shunted: written(server.shunted, _is_there_or_made),
    }


def _is_there_or_made(client: Any, folder: str) -> bool:
    if client.folder_exists(folder):
        return True
    try:
        client.create_folder(folder)
    except imaplib.IMAP4.abort:
        raise
    except imaplib.IMAP4.error as error:
        return "[ALREADYEXISTS]" in str(error)
    with contextlib.suppress(imaplib.IMAP4.error):
        client.subscribe_folder(folder)
    return True


def abandon(client: Any) -> None:
    """Let go of a connection without a farewell."""
    if client is not None:
        with contextlib.suppress(Exception):
            client.shutdown()


def said(error: Exception, server: ImapServer) -> str:
    """What the server said, shortened, and never with the password in it."""
    text = _TIMES.sub("", " ".join(re.sub(r"b'(.*)'", r"\1", str(error)).split()))
    if server.password:
        text = text.replace(server.password, "***")
    return text[:200] or type(error).__name__


def _connected(server: ImapServer) -> Any:
    tls = server.security == "tls"
    try:
        return IMAPClient(
            server.host,
            server.port,
            ssl=tls,
            ssl_context=server.tls_context() if tls else None,
            timeout=server.timeout,
        )
    except (OSError, imaplib.IMAP4.error) as error:
        trouble = tls_trouble(error, server.host, "[mailbox]")
        if trouble:
            raise MailboxUnavailable(f"no safe connection to the IMAP server {server}: {trouble}") from None
        raise MailboxUnavailable(
            f"no IMAP connection to {server} ({kind(error)}); check [mailbox] host, port and security"
        ) from None


def _make_safe(client: Any, server: ImapServer) -> None:
    if client._imap.state != "NONAUTH":
        raise MailboxUnavailable(
            f"the IMAP server {server} lets everybody in before a password was asked for; "
            "Mentat does not trust it, check [mailbox] host and port"
        )
    if server.security != "starttls":
        return
    if not client.has_capability("STARTTLS"):
        raise MailboxUnavailable(
            f"the IMAP server {server} offers no STARTTLS, so nothing is sent to it; "
            'check [mailbox] security ("tls" with port 993 is better) and that nobody is in between'
        )
    try:
        client.starttls(ssl_context=server.tls_context())
    except (OSError, imaplib.IMAP4.error) as error:
        trouble = tls_trouble(error, server.host, "[mailbox]") or f"STARTTLS fails ({said(error, server)})"
        raise MailboxUnavailable(f"no safe connection to the IMAP server {server}: {trouble}") from None


def _log_in_with_token(client: Any, server: ImapServer, tokens: AccessTokens) -> None:
    """XOAUTH2; a token that the server does not take any more is replaced once."""
    complaint = ""
    for _ in range(2):
        try:
            token = tokens.token()
        except TokenUnavailable as problem:
            raise MailboxUnavailable(f"{server} cannot be logged in to: {problem}") from None
        exchange = XOAuth2(server.user, token)
        try:
            client.sasl_login("XOAUTH2", exchange.respond)
            return
        except LoginError as error:
            if not exchange.complaint and _FOR_NOW.search(str(error)):
                raise _busy(server, said(error, server).replace(token, "***")) from None
            complaint = exchange.complaint or said(error, server).replace(token, "***")
            tokens.forget(token)
    raise MailboxUnavailable(
        f"{server} does not accept the access token for {server.user} ({complaint}); "
        "check [mailbox] user, [oauth] scope, and that the account allows IMAP"
    )


def _busy(server: ImapServer, answer: str) -> MailboxUnavailable:
    return MailboxUnavailable(
        f"{server} lets {server.user} in no more for now ({answer}); it is tried again, check whether many programs "
        "hold connections to this mailbox if it stays so"
    )


def _unsafe(server: ImapServer) -> str:
    return (
        f"the IMAP server {server} takes no password over a connection that others can read; "
        'check [mailbox] security: "tls" with port 993, or "starttls"'
    )


def _as_listed(name: str, delimiter: str, prefix: str) -> str:
    """A folder name as the server writes it: `Mentat/Processed` may be `INBOX.Mentat.Processed`."""
    if name.upper() == "INBOX":
        return "INBOX"
    written = name.replace("/", delimiter)
    return written if written.startswith(prefix) else prefix + written


def kind(error: Exception) -> str:
    """What kind of failure it is, without whatever the server may have echoed."""
    if isinstance(error, TimeoutError):
        return "no answer in time"
    if isinstance(error, imaplib.IMAP4.abort):
        return "it hangs up"
    strerror = getattr(error, "strerror", None)
    return strerror if isinstance(strerror, str) and strerror else type(error).__name__
