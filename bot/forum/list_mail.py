"""The way of a list's mails: they come into Mentat's own mailbox, and go out by its own mail server.

What comes is kept with all other mail (``bot.moderator.part_of_a_forum``). What goes out does not wait in the outbox,
for whoever posts must know whether it went.
"""

from __future__ import annotations

from collections.abc import Sequence
from email.message import EmailMessage

from bot.channels.channel import Refused, Unreachable
from bot.channels.mailing_list import Arrived
from bot.config import Settings
from bot.mail.servers.transport import SendDeferred, SendRefused, Transport
from bot.store.database import Engine, reading
from bot.store.forum import list_mail


class DatabaseMailbox:
    """The mails of one list (``bot.channels.mailing_list.Mailbox``). A mail is called by its number there."""

    def __init__(self, forum: str, settings: Settings, engine: Engine, transport: Transport) -> None:
        self._forum = forum
        self._address = settings.forums[forum].address
        self._sender = settings.sender
        self._engine = engine
        self._transport = transport

    def send(self, message: EmailMessage) -> None:
        """Send a mail to the list."""
        try:
            self._transport.send(self._sender, self._address, message.as_bytes())
        except SendDeferred as away:
            raise Unreachable(str(away)) from away
        except SendRefused as no:
            raise Refused(str(no)) from no

    def since(self, place: str | None) -> Sequence[Arrived]:
        """The mails that came after one of them, in the order in which they came."""
        with reading(self._engine) as conn:
            found = list_mail.after(conn, self._forum, int(place or 0))
        return [Arrived(str(mail.number), mail.arrived_at, mail.raw) for mail in found]
