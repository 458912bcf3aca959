"""What kind of mail came: orders, an automatic answer, a bounce, nothing, or something to refuse.

The order of the questions matters. Our own mail comes first, since answering it makes a loop; bounces next,
since they are automatic too; then automatic answers (RFC 3834). A mailing list is not an automatic answer, for people
play through lists, and `X-Auto-Response-Suppress` is a request to us that ordinary mail carries.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

from bot.mail.bounce import Bounce, looks_like_bounce, read_bounce
from bot.mail.form import SentForm
from bot.mail.identity import find_tokens, is_own_address
from bot.mail.message import MAX_BYTES, Incoming, Malformed, parse
from bot.mail.reading import MAX_LINE_CHARS, MAX_LINES, Reading, own_lines

Disposition = Literal["orders", "auto-reply", "bounce", "rejected", "empty"]

_AUTOMATIC_FIELD = re.compile(r"^x-auto|^x-.*auto-?(?:reply|repl?ied|respond|response|generated)")
_NOT_AUTOMATIC_FIELDS = frozenset(("x-auto-response-suppress",))
_AUTOMATIC_PRECEDENCE = frozenset(("auto_reply", "auto-reply", "autoreply", "bulk", "junk"))
_NO_REPLY = re.compile(r"^(?:no-?reply|do-?not-?reply|noreply-.*|.*-noreply)(?:\+[^@]*)?@", re.IGNORECASE)
_AUTOMATIC_SUBJECT = re.compile(
    r"^\W{0,3}(?:"
    r"(?:i am )?(?:currently )?out of (?:the )?office|away from (?:my|the) |vacation (?:reply|response|notice)|"
    r"automatic (?:reply|response)|auto(?:mated|-)? ?(?:reply|response)|auto:|"
    r"automatische (?:antwort|rückantwort)|abwesenheits(?:notiz|nachricht|meldung|agent)|abwesend(?:[:!.]|$)|"
    r"réponse automatique|absent(?:e)? du bureau|absence du bureau|message d.absence|"
    r"respuesta automática|fuera de (?:la )?oficina|"
    r"risposta automatica|fuori (?:sede|ufficio)|"
    r"automatisch antwoord|afwezig(?:heid)?\b|niet aanwezig|"
    r"resposta automática|ausência temporária|"
    r"automatisk (?:svar|besvarelse)|autosvar|frånvaro|fraværende|"
    r"automaattinen vastaus|poissa toimistolta|"
    r"odpowiedź automatyczna|automatyczna odpowiedź|nieobecność|"
    r"automatická odpověď|mimo kancelář|"
    r"автоматический ответ|автоответ|自動返信|自动回复|自動回覆"
    r")",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Verdict:
    """What a mail is and why, in a few words for the game master."""

    disposition: Disposition
    reason: str
    bounce: Bounce | None = None


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
    reading = own_lines(incoming, sent_form, address, max_lines, max_line_chars)
    if not reading.lines:
        return Examined(Verdict("empty", "no line of the sender's own was found"), incoming, reading, tokens)
    count = len(reading.lines)
    return Examined(Verdict("orders", f"{count} line{'' if count == 1 else 's'} read"), incoming, reading, tokens)


def not_from_a_player(incoming: Incoming, raw: bytes, address: str) -> Verdict | None:
    """The verdict on a mail whose lines are not to be read at all; None for one that a person may have written."""
    if "x-mentat" in incoming.headers:
        return Verdict("rejected", "loop: the mail was sent by Mentat itself")
    if any(is_own_address(sender, address) for sender in incoming.senders):
        return Verdict("rejected", "loop: the sender is Mentat's own address")
    if looks_like_bounce(incoming):
        bounce = read_bounce(raw, incoming)
        about = ", ".join(bounce.recipients[:3]) or "an unknown recipient"
        return Verdict("bounce", f"delivery report about {about}", bounce)
    automatic = _automatic_because(incoming)
    if automatic:
        return Verdict("auto-reply", automatic)
    if not incoming.sender:
        many = len(incoming.senders) > 1
        return Verdict("rejected", "more than one sender address" if many else "no sender address")
    return None


def _automatic_because(incoming: Incoming) -> str:
    """Why a mail is automatic; empty for one that a person may have written."""
    submitted = incoming.header("auto-submitted").split(";")[0].strip().lower()
    if submitted and submitted != "no":
        return f"Auto-Submitted: {submitted[:40]}"
    precedence = incoming.header("precedence").strip().lower()
    if precedence in _AUTOMATIC_PRECEDENCE:
        return f"Precedence: {precedence}"
    for name in incoming.headers:
        value = incoming.header(name).strip().lower()
        if _AUTOMATIC_FIELD.match(name) and name not in _NOT_AUTOMATIC_FIELDS and value not in ("no", "false", ""):
            return f"header {name}"
    if incoming.content_type == "multipart/report":
        return "a receipt or another report"
    if any(_NO_REPLY.match(sender) for sender in incoming.senders):
        return "the sender takes no replies"
    if _AUTOMATIC_SUBJECT.match(incoming.subject):
        return f"subject: {incoming.subject[:60]}"
    return ""
