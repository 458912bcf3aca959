"""What is said of a signature that fails: to the player in their answer, and to the game master.

It is no reason to refuse a mail, for address and token say whose it is; and most signatures that fail were broken by a
mailing list that wrote its footer into the text.
"""

from __future__ import annotations

from bot.mail.signatures import Checked
from bot.mail.words.reading import Reading
from bot.wording.sentences import say


def concerns(found: Checked, reading: Reading) -> bool:
    """Whether any line that was read is among what was signed: a text signed in clear may stand in a quote."""
    if not found.text:
        return True
    squeezed = "".join(found.text.split())
    return any("".join(line.split()) in squeezed for section in reading.sections for line in section.lines)


def failure_note(found: Checked) -> str:
    """A sentence or two for the player."""
    return say(f"signature.{'damaged' if found.outcome == 'damaged' else 'changed'}", standard=found.standard)


def failure_reason(found: Checked) -> str:
    """A few words for the game master."""
    fault = "is damaged" if found.outcome == "damaged" else "does not fit the text"
    return f"its {found.standard} signature {fault}"
