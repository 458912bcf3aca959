"""The mailbox: the way to it, the login, its folders, and what the server can do.

What a server cannot do is done otherwise, and the doctor says how.
"""

from __future__ import annotations

import contextlib
import imaplib
import os
import ssl
from collections.abc import Iterator
from typing import Any

from bot.config import Settings
from bot.doctor.reach import Server, certificate, reach, split_advice
from bot.mail.servers.imap_server import ImapServer, abandon, find_folders, log_in, said
from bot.mail.servers.mailbox import MailboxUnavailable
from bot.monitoring.finding import Finding, State
from bot.service.mail_servers import imap_server

_NEARLY_FULL, _FULL = 85, 97
"""From how many per cent of its quota on a mailbox is nearly full, and full."""
_INSTEAD = {
    "IDLE": "the mailbox is looked at every {seconds:g} seconds instead of being woken by new mail",
    "MOVE": "messages are copied to their folder and then struck out in the inbox, instead of being moved",
    "UIDPLUS": "struck out messages stay in the inbox, flagged as deleted, until you let a mail program remove them: "
    "Mentat does not, for it would remove those too that others have flagged",
}


def examine(settings: Settings) -> Iterator[Finding]:
    """Look at the mailbox that the settings name."""
    if settings.mailbox.kind == "maildir":
        yield _maildir(settings)
        return
    server = imap_server(settings)
    endpoint = Server("mailbox", server.host, server.port, server.security, server.timeout, server.tls_context)
    for finding in reach(endpoint):
        yield finding
        if finding.state == "wrong":
            return
    try:
        client = log_in(server)
    except MailboxUnavailable as problem:
        told, advice = split_advice(str(problem))
        yield Finding("mailbox: login", "wrong", told, advice)
        return
    try:
        if server.security == "starttls" and isinstance(client.socket(), ssl.SSLSocket):
            yield certificate(endpoint, client.socket())
        yield Finding("mailbox: login", "well", f"{server.user} is let in")
        yield from _folders(client, server)
        yield from _abilities(client, settings)
    except Exception as error:  # the library raises much where an answer makes no sense
        told = f"the server breaks off ({said(error, server)})"
        yield Finding("mailbox: folders", "wrong", told, "Try again; if it stays so, ask the provider.")
    finally:
        with contextlib.suppress(Exception):
            client.logout()
        abandon(client)


def _folders(client: Any, server: ImapServer) -> Iterator[Finding]:
    folders = find_folders(client, server)
    missing = [name for name, written in folders.items() if not client.folder_exists(written)]
    if missing:
        told = f"there is no folder {' and no folder '.join(missing)}, and it cannot be made"
        advice = "Make it in a mail program, or name another one in [mailbox] folder, processed, shunted."
        yield Finding("mailbox: folders", "wrong", told, advice)
        return
    try:
        selected = client.select_folder(folders[server.folder])
    except imaplib.IMAP4.readonly:
        told = f"mail in {server.folder} can be read, but not moved away when it is dealt with"
        advice = "Let the provider give this login the right to delete there, or name another folder."
        yield Finding("mailbox: folders", "wrong", told, advice)
        return
    waiting = int(selected.get(b"EXISTS", 0))
    yield from _quota(client)
    told = f"{', '.join(folders)} are there; {waiting} message{'' if waiting == 1 else 's'} in {server.folder}"
    yield Finding("mailbox: folders", "well", told, facts={"messages": waiting})


def _quota(client: Any) -> Iterator[Finding]:
    """How full the mailbox is, where the server tells (RFC 9208)."""
    if not client.has_capability("QUOTA"):
        return
    _, resources = client.get_quota_root("INBOX")
    shares = [(100 * int(one.usage) // int(one.limit), one.resource.lower()) for one in resources if int(one.limit)]
    percent, resource = max(shares, default=(0, "storage"))
    told, facts = f"{percent} % of the {resource} quota of this mailbox is used", {"percent": percent}
    state: State = "wrong" if percent >= _FULL else "note" if percent >= _NEARLY_FULL else "well"
    advice = "" if state == "well" else "Delete old mail in its folders, or new mail will be refused."
    yield Finding("mailbox: room", state, told, advice, facts)


def _abilities(client: Any, settings: Settings) -> Iterator[Finding]:
    has = {name: bool(client.has_capability(name)) for name in _INSTEAD}
    wanted = [name for name in has if name != "UIDPLUS" or not has["MOVE"]]
    lacking = [name for name in wanted if not has[name]]
    facts = {"capabilities": has}
    if not lacking:
        yield Finding("mailbox: abilities", "well", "the server has all that Mentat can use", facts=facts)
        return
    instead = "; ".join(_INSTEAD[name].format(seconds=settings.mailbox.poll_seconds) for name in lacking)
    told = f"the server has no {' and no '.join(lacking)}: {instead}"
    yield Finding("mailbox: abilities", "note", told, facts=facts)


def _maildir(settings: Settings) -> Finding:
    path = settings.mailbox.maildir
    if path.exists() and not path.is_dir():
        return Finding("mailbox", "wrong", f"{path} is no folder", "Check [mailbox] maildir.")
    place = path if path.exists() else path.parent
    if not os.access(place, os.R_OK | os.W_OK | os.X_OK):
        return Finding(
            "mailbox", "wrong", f"{place} cannot be read and written", "Check [mailbox] maildir and its owner."
        )
    if not path.exists():
        advice = "It is made when mail is first looked for; check [mailbox] maildir if it should be there."
        return Finding("mailbox", "note", f"there is no {path} yet", advice)
    waiting = sum(len(list((path / name).glob("[!.]*"))) for name in ("new", "cur"))
    told = f"{path} can be read and written; {waiting} message{'' if waiting == 1 else 's'} in it"
    return Finding("mailbox", "well", told, facts={"messages": waiting})
