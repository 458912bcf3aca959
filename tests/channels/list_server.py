"""A mailing list in memory that behaves as Mailman 3 was observed to behave, and a mailbox subscribed to it.

It keeps the Message-ID, sets X-MailFrom and List-Id, and adds a prefix to the subject and a footer to the text. A
message that arrives twice is delivered twice. It holds mail whose `From:` is not a member.
"""

from collections.abc import Callable, Sequence
from datetime import datetime
from email import message_from_bytes, policy
from email.message import EmailMessage
from email.utils import parseaddr

from bot.channels import CursorForgotten, Refused, Unreachable
from bot.channels.mailing_list import Arrived

ADDRESS = "dune@lists.example"
US = "mentat@example.net"
FOOTER = "_______________________________________________\nDune mailing list -- dune@lists.example\n"


class ListInMemory:
    """The list, and Mentat's mailbox."""

    def __init__(self, now: Callable[[], datetime]) -> None:
        self.now = now
        self.members = {US}
        self.arrived: list[Arrived] = []
        self.held: list[bytes] = []
        self.faults: list[str] = []

    def deliver(self, source: bytes, envelope: str) -> None:
        """Deliver a message to the list."""
        message = message_from_bytes(source, _class=EmailMessage, policy=policy.SMTP)
        if parseaddr(str(message["From"]))[1].lower() not in self.members:
            self.held.append(source)
            return
        del message["X-MailFrom"]
        message["X-MailFrom"] = envelope
        message["List-Id"] = "Dune <dune.lists.example>"
        subject = str(message["Subject"])
        if "[Dune]" not in subject:
            message.replace_header("Subject", f"[Dune] {subject}")
        if message.get_content_type() == "text/plain":
            text = str(message.get_content())
            message.set_content(f"{text.rstrip()}\n{FOOTER}", cte="quoted-printable")
        self.arrived.append(Arrived(f"mail-{len(self.arrived) + 1}", self.now(), message.as_bytes()))

    def send(self, message: EmailMessage) -> None:
        fault = self.faults.pop(0) if self.faults else None
        if fault == "refused":
            raise Refused("550 no such list")
        if fault != "drop":
            self.deliver(message.as_bytes(), US)
        if fault in ("lost", "drop"):
            raise Unreachable("the server closed the connection")

    def since(self, place: str | None) -> Sequence[Arrived]:
        if place is None:
            return list(self.arrived)
        places = [arrived.id for arrived in self.arrived]
        if place not in places:
            raise CursorForgotten(place)
        return self.arrived[places.index(place) + 1 :]


def mail(
    who: str,
    text: str,
    subject: str,
    to: str | None,
    identifier: str,
    name: str = "",
    address: str = ADDRESS,
    **headers: str,
) -> EmailMessage:
    """Return a mail to the list. It is a reply if `to` gives a Message-ID."""
    message = EmailMessage(policy=policy.SMTP)
    message["From"] = f"{name} <{who}>" if name else who
    message["To"] = address
    message["Subject"] = subject
    message["Message-ID"] = identifier
    if to:
        message["In-Reply-To"] = message["References"] = to
    for header, value in headers.items():
        message[header.replace("_", "-")] = value
    message.set_content(text, cte="quoted-printable")
    return message
