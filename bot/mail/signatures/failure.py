"""What is said of a signature that fails: to the player in their answer, and to the game master.

It is no reason to refuse a mail, for address and token say whose it is; and most signatures that fail were broken by a
mailing list that wrote its footer into the text.
"""

from __future__ import annotations

from bot.mail.signatures import Checked
from bot.mail.words.reading import Reading

_WHAT_TO_DO = (
    "Your lines were taken as they came: see that they are what you wrote. If you did not write this mail, answer this "
    "letter with the one word freeze."
)


def concerns(found: Checked, reading: Reading) -> bool:
    """Whether any line that was read is among what was signed: a text signed in clear may stand in a quote."""
    if not found.text:
        return True
    squeezed = "".join(found.text.split())
    return any("".join(line.split()) in squeezed for section in reading.sections for line in section.lines)


def failure_note(found: Checked) -> str:
    """A sentence or two for the player."""
    if found.outcome == "damaged":
        return f"The {found.standard} signature of your mail is damaged and cannot be checked. {_WHAT_TO_DO}"
    return (
        f"The {found.standard} signature of your mail does not fit its text: the mail was changed after it was signed, "
        f"perhaps by a mailing list or a mail server on its way. {_WHAT_TO_DO}"
    )


def failure_reason(found: Checked) -> str:
    """A few words for the game master."""
    fault = "is damaged" if found.outcome == "damaged" else "does not fit the text"
    return f"its {found.standard} signature {fault}"
