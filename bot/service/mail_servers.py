"""The mailbox and the way out that the settings name."""

from __future__ import annotations

from bot.config import Settings
from bot.mail.imap import ImapMailbox, ImapServer
from bot.mail.kept_mail import ImapKeptMail, KeptMail, MaildirKeptMail
from bot.mail.mailbox import Mailbox, MaildirMailbox, MaildirPlace
from bot.mail.transport import (
    AccessTokens,
    DirectoryTransport,
    SmtpServer,
    SmtpTransport,
    TokenEndpoint,
    Transport,
    trusting,
)


def imap_server(settings: Settings) -> ImapServer:
    """The server of [mailbox] kind = "imap"."""
    box = settings.mailbox
    return ImapServer(
        host=box.host,
        port=box.port,
        security=box.security,
        user=box.user,
        password=settings.secrets.imap_password.get_secret_value(),
        folder=box.folder,
        processed=box.processed,
        shunted=box.shunted,
        idle=box.idle,
        timeout=box.timeout_seconds,
        max_bytes=settings.limits.max_message_bytes,
        tls_context=trusting(box.ca_file),
        tokens=access_tokens(settings, box.timeout_seconds) if box.auth == "xoauth2" else None,
    )


def smtp_server(settings: Settings) -> SmtpServer:
    """The server of [smtp] kind = "smtp"."""
    smtp = settings.smtp
    return SmtpServer(
        host=smtp.host,
        port=smtp.port,
        security=smtp.security,
        user=smtp.user,
        password=settings.secrets.smtp_password.get_secret_value(),
        timeout=smtp.timeout_seconds,
        tls_context=trusting(smtp.ca_file),
        tokens=access_tokens(settings, smtp.timeout_seconds) if smtp.auth == "xoauth2" else None,
    )


def access_tokens(settings: Settings, timeout: float) -> AccessTokens:
    """The access tokens of [oauth]; they are kept beside the database."""
    oauth, secrets = settings.oauth, settings.secrets
    endpoint = TokenEndpoint(
        oauth.token_url,
        oauth.client_id,
        secrets.oauth_refresh_token.get_secret_value(),
        secrets.oauth_client_secret.get_secret_value(),
        oauth.scope,
        timeout,
    )
    database = settings.mentat.database
    return AccessTokens(endpoint, database.with_name(f"{database.name}.oauth"))


def open_mailbox(settings: Settings) -> Mailbox:
    """The mailbox that the settings name."""
    if settings.mailbox.kind == "maildir":
        return MaildirMailbox(_maildir(settings))
    return ImapMailbox(imap_server(settings))


def open_kept_mail(settings: Settings) -> KeptMail:
    """What was dealt with of the mailbox that the settings name."""
    if settings.mailbox.kind == "maildir":
        return MaildirKeptMail(_maildir(settings))
    return ImapKeptMail(imap_server(settings))


def _maildir(settings: Settings) -> MaildirPlace:
    box = settings.mailbox
    return MaildirPlace(box.maildir, box.processed, box.shunted, max_bytes=settings.limits.max_message_bytes)


def open_transport(settings: Settings) -> Transport:
    """The way out that the settings name."""
    if settings.smtp.kind == "directory":
        return DirectoryTransport(settings.smtp.directory)
    return SmtpTransport(smtp_server(settings))
