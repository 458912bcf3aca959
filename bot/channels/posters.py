"""Who posted to a mailing list: a member whose mail is proved to be theirs, or an address of which nothing is sure.

A list passes on what claims to come from a member, so the `From:` alone proves nothing. Proof is what is
known of the sender's domain (Authentication-Results of a host that is believed), or the envelope of the mail as the
list's own server wrote it down (Mailman: X-MailFrom), where it agrees with the `From:` and the game master knows that
the server lets nobody forge it. A reply token is none: whoever reads the list would have it. Where the list has put its
own address into the `From:` (for DMARC), the poster stands in X-Original-From, in the envelope or in the Reply-To.
"""

from collections.abc import Callable, Collection
from dataclasses import dataclass
from email.message import EmailMessage
from email.utils import getaddresses

UNPROVEN = "unproven:"
"What an author's identifier begins with where nobody knows whether it was they."

_ORIGINAL = ("X-Original-From", "X-MailFrom", "Reply-To")


@dataclass(frozen=True)
class Proofs:
    """What a list's mails are believed."""

    list_address: str
    members: Callable[[], Collection[str]]
    "The addresses of the list's members, in small letters."
    proved: Callable[[EmailMessage, str], bool] | None = None
    "Whether a mail is proved to come from the domain of an address; None where nobody looks at that."
    envelope_header: str | None = None
    "The header into which the list's server writes the envelope's sender, deleting what was there; None for none."


def poster(message: EmailMessage, proofs: Proofs) -> str:
    """The address of the member who posted, or UNPROVEN and the address that is claimed.

    >>> message = EmailMessage()
    >>> message["From"], message["X-MailFrom"] = "Chani <chani@example.org>", "feyd@example.org"
    >>> poster(message, Proofs("dune@lists.example", lambda: {"chani@example.org"}, envelope_header="X-MailFrom"))
    'unproven:chani@example.org'
    """
    claimed = _claimed(message, proofs.list_address)
    proved = (proofs.proved is not None and proofs.proved(message, claimed)) or _enveloped(message, claimed, proofs)
    return claimed if claimed in proofs.members() and proved else UNPROVEN + claimed


def _claimed(message: EmailMessage, list_address: str) -> str:
    """Whom a mail says to be from. Only where the list has replaced the From: do the other headers count. An
    X-Original-From may be the poster's own invention, which the list left in: the Reply-To must not name another."""
    senders = _addresses(message, "From")
    if senders != [list_address.lower()]:
        return ",".join(senders)
    named = {
        name: [address for address in _addresses(message, name) if address != list_address.lower()]
        for name in _ORIGINAL
    }
    original, answered = set(named["X-Original-From"]), set(named["Reply-To"])
    if original and answered and original != answered:
        return ""
    return next((found[0] for found in named.values() if len(found) == 1), "")


def _enveloped(message: EmailMessage, claimed: str, proofs: Proofs) -> bool:
    if proofs.envelope_header is None:
        return False
    return _addresses(message, proofs.envelope_header) == [claimed]


def _addresses(message: EmailMessage, name: str) -> list[str]:
    return [address.lower() for _, address in getaddresses(fields(message, name)) if address]


def fields(message: EmailMessage, name: str) -> list[str]:
    """The values of a header as they came, unfolded. Some that are malformed break the standard reader."""
    return [" ".join(str(value).split()) for found, value in message.raw_items() if found.lower() == name.lower()]
