"""The servers behind the proxies: Dovecot if it is installed, otherwise the embedded IMAP server."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager

from bot.lab.local_mail import LocalMail
from bot.mail.imap import ImapServer
from tests.dovecot_server import Dovecot, why_not_here
from tests.mail.faults.traffic import LetterServer, Place

_PASSWORD = "melange"
_IN_ORDER = "mail_location = sdbox:@RUN@/mail/%u\n"
"""With a Maildir, Dovecot may number two mails in the wrong order if they arrive while another session opens the
inbox."""
_numbers = itertools.count(1)


@contextmanager
def servers() -> Iterator[Place]:
    """Yield an IMAP server that can add users, and a server for letters."""
    with ExitStack() as stack:
        letters = stack.enter_context(LetterServer())
        world: LocalMail | Dovecot = LocalMail({}) if why_not_here() else Dovecot(more=_IN_ORDER)
        stack.enter_context(world)

        def new_user() -> tuple[ImapServer, Callable[[bytes], None]]:
            address = f"bot{next(_numbers)}@arrakis.example"
            world.add_user(address, _PASSWORD)
            server = ImapServer(world.host, world.imap_port, address, _PASSWORD, security="none")
            return server, lambda raw: world.deliver(address, raw)

        yield Place(new_user, letters)
