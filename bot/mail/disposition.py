"""What kind of mail came: orders, an automatic answer, a bounce, nothing, or something to refuse.

The order of the questions matters. Our own mail comes first, since answering it makes a loop; bounces next,
since they are automatic too; then automatic answers (`bot.mail.robots.automatic`), by their headers and then by their
text.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from bot.mail.identity import find_tokens, is_own_address, is_own_message_id
from bot.mail.mime.message import Incoming, Malformed, parse
from bot.mail.mime.parts import TOO_DEEP
from bot.mail.mime.weighing import MAX_BYTES
from bot.mail.robots.automatic import automatic_because, automatic_text, demands_confirmation
from bot.mail.robots.bounce import Bounce, looks_like_bounce, read_bounce
from bot.mail.to_itself import code_in
from bot.mail.words.form import SentForm
from bot.mail.words.reading import MAX_LINE_CHARS, MAX_LINES, Reading, own_lines

Disposition = Literal["orders", "auto-reply", "bounce", "rejected", "empty"]
MAX_HOPS = 60
"""More Received fields than any way through the world needs; servers give up at 50 or 100 (RFC 5321 section 6.3)."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """What a mail is and why, in a few words for the game master."""

    disposition: Disposition
    reason: str
    bounce: Bounce | None = None
    challenge: bool = False
    """An automatic answer that keeps our letter back until somebody confirms."""


@dataclass(frozen=True, slots=True)
class Examined:
    """Everything that the bytes of one mail say. `incoming` is None for bytes that are no mail."""

    verdict: Verdict
    incoming: Incoming | None
    reading: Reading
    tokens: tuple[str, ...] = ()


def examine(
    raw: bytes,
    address: str,
    sent_form: SentForm,
    *,
    max_bytes: int = MAX_BYTES,
    max_lines: int = MAX_LINES,
    max_line_chars: int = MAX_LINE_CHARS,
) -> Examined:
    """Read a message as it came. Never raises.

    `address` is this program's own, without a token. `sent_form` gives the lines of a form by its code.

    >>> seen = examine(b"From: a@b.example\\nTo: mentat@arrakis.example\\n\\nbid 4\\n", "mentat@arrakis.example",
    ...                lambda code: None)
    >>> seen.verdict.disposition, seen.reading.lines
    ('orders', ('bid 4',))
    """
    incoming = parse(raw, max_bytes)
    if isinstance(incoming, Malformed):
        return Examined(Verdict("rejected", incoming.reason), None, Reading(()))
    tokens = tuple(find_tokens(incoming, address))
    objection = not_from_a_player(incoming, raw, address)
    if objection:
        return Examined(objection, incoming, Reading(()), tokens)
    reading = own_lines(incoming, sent_form, address, max_lines, max_line_chars, tokens)
    lines = [line for section in reading.sections for line in section.lines]
    said = automatic_text(lines, incoming.subject)
    if said:
        challenge = demands_confirmation(incoming, lines)
        return Examined(Verdict("auto-reply", said, challenge=challenge), incoming, Reading(()), tokens)
    if not reading.sections and TOO_DEEP in incoming.unread:
        return Examined(Verdict("rejected", TOO_DEEP), incoming, reading, tokens)
    if not reading.sections:
        return Examined(Verdict("empty", "no line of the sender's own was found"), incoming, reading, tokens)
    count = sum(len(section.lines) for section in reading.sections)
    return Examined(Verdict("orders", f"{count} line{'' if count == 1 else 's'} read"), incoming, reading, tokens)


def not_from_a_player(incoming: Incoming, raw: bytes, address: str) -> Verdict | None:
    """The verdict on a mail whose lines are not to be read at all; None for one that a person may have written."""
    if code_in(incoming, "doctor"):
        return Verdict("auto-reply", "a mail by which `mentat doctor` tests the way")
    if code_in(incoming, "canary"):
        return Verdict("auto-reply", "a mail by which Mentat tests the way")
    if "x-mentat" in incoming.headers:
        return Verdict("rejected", "loop: the mail was sent by Mentat itself")
    if incoming.message_id and is_own_message_id(incoming.message_id, address):
        return Verdict("rejected", "loop: it has the Message-ID of a letter of Mentat's own")
    if any(is_own_address(sender, address) for sender in incoming.senders):
        return Verdict("rejected", "loop: the sender is Mentat's own address")
    if incoming.hops > MAX_HOPS:
        return Verdict("rejected", f"loop: the mail went through {incoming.hops} servers")
    if looks_like_bounce(incoming, address):
        bounce = read_bounce(raw, incoming, address)
        if bounce is None:
            return Verdict("auto-reply", "a report of mail that did arrive")
        about = ", ".join(bounce.recipients[:3]) or "an unknown recipient"
        return Verdict("bounce", f"delivery report about {about}", bounce)
    automatic = automatic_because(incoming)
    if automatic:
        text = (incoming.text_plain or "").splitlines()[:MAX_LINES]
        return Verdict("auto-reply", automatic, challenge=demands_confirmation(incoming, text))
    if not incoming.sender:
        many = len(incoming.senders) > 1
        return Verdict("rejected", "more than one sender address" if many else "no sender address")
    return None
