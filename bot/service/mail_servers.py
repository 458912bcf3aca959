"""Create the mailbox and the transport that the settings name."""

from __future__ import annotations

from pathlib import Path

from bot.config import Settings
from bot.mail.imap import ImapMailbox, ImapServer
from bot.mail.kept_mail import ImapKeptMail, KeptMail, MaildirKeptMail
from bot.mail.mailbox import Mailbox, MaildirMailbox, MaildirPlace, make_maildir
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
    if settings.mailbox.kind == "maildir":
        return MaildirMailbox(_maildir(settings))
    return ImapMailbox(imap_server(settings))


def open_kept_mail(settings: Settings) -> KeptMail:
    if settings.mailbox.kind == "maildir":
        return MaildirKeptMail(_maildir(settings))
    return ImapKeptMail(imap_server(settings))


def _maildir(settings: Settings) -> MaildirPlace:
    box = settings.mailbox
    return MaildirPlace(box.maildir, box.processed, box.shunted, max_bytes=settings.limits.max_message_bytes)


def open_transport(settings: Settings) -> Transport:
    if settings.smtp.kind == "directory":
        return DirectoryTransport(settings.smtp.directory)
    return SmtpTransport(smtp_server(settings))


def make_folders(settings: Settings) -> list[Path]:
    made = []
    if settings.mailbox.kind == "maildir" and not settings.mailbox.maildir.exists():
        make_maildir(settings.mailbox.maildir)
        made.append(settings.mailbox.maildir)
    if settings.smtp.kind == "directory" and not settings.smtp.directory.exists():
        settings.smtp.directory.mkdir(mode=0o700)
        made.append(settings.smtp.directory)
    return made
