"""Mail that no person wrote as an answer: vacation notes, receipts, calendars, challenges, digests.

The standard's header comes first (RFC 3834), then what older programs put into theirs, then subjects, and at last
the text itself, for robots that say nothing else. Text, and a subject that a person might write, are believed only
where nothing in the mail looks like anything else: a note that holds an order is a person's. `Precedence: list` is no
sign, for people play through lists, nor is `bulk` with the fields of a list that takes posts (RFC 2369), and
`X-Auto-Response-Suppress` is a request to us that ordinary mail carries.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Literal

from bot.mail.mime.message import Incoming
from bot.mail.phrases import any_of, rows
from bot.mail.robots.bounce import null_path
from bot.mail.words.footers import is_closing

_AUTOMATIC_FIELD = re.compile(r"^x-auto(?!crypt|-?forward)|^x-.*auto-?(?:reply|repl?ied|respond|response|generated)")
_FIELD_OF_A_PROGRAM = rows(lambda: any_of("automatic", "fields"))
_NOT_AUTOMATIC_FIELDS = frozenset(("x-auto-response-suppress",))
_AUTO_REPLY = frozenset(("auto_reply", "auto-reply", "autoreply"))
_AUTOMATIC_PRECEDENCE = _AUTO_REPLY | {"bulk", "junk"}
_QUOTES_A_SUBJECT = frozenset(("x-autorespond",))
"""Fields whose value is the subject of the mail that is answered: it may be empty, or "no"."""
_FIELDS_OF_A_LIST = ("list-post", "mailing-list", "x-beenthere")
_REACTION = "text/vnd.google.email-reaction+json"
_NO_REPLY = re.compile(r"^(?:no-?reply|do-?not-?reply|noreply-.*|.*-noreply)(?:\+[^@]*)?@", re.IGNORECASE)
_AUTOMATIC_SUBJECT = rows(lambda: rf"^\W{{0,3}}{any_of('automatic', 'subjects')}", re.IGNORECASE)
_SURELY = re.compile(r" ?(?:[:：\])）】]|re: )", re.IGNORECASE)
"""What stands behind such words in a subject that a program made: what it answers follows."""
_RECEIPT_SUBJECT = rows(lambda: rf"^{any_of('automatic', 'receipt_subjects')} ?[:(（：]", re.IGNORECASE)
_CALENDAR_SUBJECT = rows(lambda: rf"^{any_of('automatic', 'calendar_subjects')}(?: event)?[:：]", re.IGNORECASE)
_DIGEST_SUBJECT = re.compile(
    r"\bdigest,? (?:vol(?:ume|\.)?|number|no\.?|#|for|issue) ?\S|\bdigest \d|^digest\b", re.IGNORECASE
)
_CHALLENGE_SUBJECT = rows(lambda: rf"^(?:re: ?)?{any_of('automatic', 'challenge_subjects')}", re.IGNORECASE)
_CHALLENGE = rows(lambda: any_of("automatic", "challenges"), re.IGNORECASE)
_SAYS_AUTOMATIC = rows(lambda: any_of("automatic", "says_automatic"), re.IGNORECASE)
_SAYS_AWAY = rows(
    lambda: (
        rf"(?:^|[.!?,;:] ?|\b(?:and|but|und) ){any_of('automatic', 'says_away')}|"
        rf"^{any_of('automatic', 'says_away_somewhere')}"
    ),
    re.IGNORECASE,
)
_ORDER = rows(lambda: any_of("automatic", "orders"), re.IGNORECASE)
_ORDER_ALONE = rows(lambda: any_of("automatic", "orders_alone"), re.IGNORECASE)
_CLAUSE_ENDS = re.compile(r"[.,;:!?–—] |\b(?:and|so|then|therefore|please) ", re.IGNORECASE)
_ENDS_AS_PROSE = re.compile(r"[.!?,:;)。！？，：；]\W*$")
_GREETED_LINES = 4
_PROSE_COLUMNS = 55


def automatic_because(incoming: Incoming) -> str:
    """Why the headers or the kind of a mail say that it is automatic; empty for one that a person may have written."""
    submitted = incoming.header("auto-submitted").split(";")[0].split("(")[0].strip().lower()
    if submitted and submitted != "no":
        return f"Auto-Submitted: {submitted[:40]}"
    precedence = incoming.header("precedence").strip().lower()
    if precedence in _AUTOMATIC_PRECEDENCE and not (precedence == "bulk" and _takes_posts(incoming)):
        return f"Precedence: {precedence}"
    for name in ("x-precedence", "preference"):
        if incoming.header(name).strip().lower() in _AUTO_REPLY:
            return f"header {name}"
    if any(value.strip().lower() == "autoresponder" for value in incoming.headers.get("delivered-to", ())):
        return "delivered to an autoresponder"
    for name in incoming.headers:
        value = incoming.header(name).strip().lower()
        if name in _QUOTES_A_SUBJECT or (name == "x-post-messageclass" and "autoresponder" in value):
            return f"header {name}"
        automatic = _AUTOMATIC_FIELD.match(name) and name not in _NOT_AUTOMATIC_FIELDS
        if (automatic or _FIELD_OF_A_PROGRAM.fullmatch(name)) and value not in ("no", "false", ""):
            return f"header {name}"
    if null_path(incoming):
        return "an empty return path"
    if incoming.content_type == "multipart/report":
        return "a receipt or another report"
    if any(_NO_REPLY.match(sender) for sender in incoming.senders):
        return "the sender takes no replies"
    if _subject_says(incoming.subject) == "surely":
        return f"an automatic answer, by its subject: {incoming.subject[:60]}"
    for what, pattern in (("a receipt", _RECEIPT_SUBJECT), ("a digest of a mailing list", _DIGEST_SUBJECT)):
        if pattern.search(incoming.subject):
            return f"{what}, by its subject: {incoming.subject[:60]}"
    if _is_calendar_answer(incoming):
        return "an answer of a calendar"
    if any(attachment.content_type == _REACTION for attachment in incoming.attachments):
        return "a reaction, which answers nothing"
    if incoming.content_type == "multipart/digest":
        return "a digest of a mailing list"
    if _CHALLENGE_SUBJECT.match(incoming.subject):
        return f"a demand to confirm, by its subject: {incoming.subject[:60]}"
    return ""


def _subject_says(subject: str) -> Literal["nothing", "perhaps", "surely"]:
    """Whether a subject is a program's: "Out of office: your bid" surely, "Out of office next week" perhaps."""
    found = _AUTOMATIC_SUBJECT.match(subject)
    if not found:
        return "nothing"
    return "surely" if found.group().endswith(":") or _SURELY.match(subject, found.end()) else "perhaps"


def _takes_posts(incoming: Incoming) -> bool:
    return any(incoming.header(name).strip().lower() not in ("", "no") for name in _FIELDS_OF_A_LIST)


def _is_calendar_answer(incoming: Incoming) -> bool:
    calendar = incoming.content_type == "text/calendar" or any(
        attachment.content_type == "text/calendar" for attachment in incoming.attachments
    )
    if not calendar:
        return False
    method = any("method:re" in attachment.text[:2_000].lower() for attachment in incoming.attachments)
    return method or bool(_CALENDAR_SUBJECT.match(incoming.subject))


def demands_confirmation(incoming: Incoming, lines: Sequence[str]) -> bool:
    """Whether an automatic answer keeps a letter of ours back until a person confirms (challenge and response)."""
    return bool(_CHALLENGE_SUBJECT.match(incoming.subject)) or any(_CHALLENGE.search(line[:400]) for line in lines)


def automatic_text(lines: Sequence[str], subject: str = "") -> str:
    """Why the sender's own lines are a robot's; empty where one of them may be a person's.

    The first lines say that somebody is away, or any line that it is automatic, and every line is a sentence, a
    greeting, or stands below a closing. Under a subject that says it, all lines are that hold no order.

    >>> bool(automatic_text(["Hello,", "I am out of the office until 4 December.", "Kind regards,", "Piter"]))
    True
    >>> automatic_text(["I am on vacation until Monday.", "pass all"])
    ''
    >>> automatic_text(["I am on vacation until Monday, so pass all."])
    ''
    """
    if any(_holds_order(line[:400]) for line in lines):
        return ""
    if _subject_says(subject) != "nothing":
        return f"an automatic answer, by its subject: {subject[:60]}"
    said = next((line for line in lines if _SAYS_AUTOMATIC.search(line[:400])), "")
    said = said or next((line for line in lines[:_GREETED_LINES] if _SAYS_AWAY.search(line[:400])), "")
    said = said or next((line for line in lines if _CHALLENGE.search(line[:400])), "")
    if not said:
        return ""
    flows = False
    for line in lines:
        if is_closing(line):
            break
        foreign = any(character > "\u024f" for character in line)
        prose = flows or foreign or _ENDS_AS_PROSE.search(line) or len(line) >= _PROSE_COLUMNS
        if not prose and line is not said:
            return ""
        flows = len(line) >= _PROSE_COLUMNS and not _ENDS_AS_PROSE.search(line)
    return f"it says so itself: {said[:60]}"


def _holds_order(line: str) -> bool:
    """Whether a line is an order, or a sentence one of whose clauses is one."""
    whole = line.strip().rstrip(".!")
    if _ORDER_ALONE.fullmatch(whole) or _ORDER.fullmatch(whole):
        return True
    return any(_ORDER.fullmatch(clause.strip().rstrip(".!")) for clause in _CLAUSE_ENDS.split(line))
