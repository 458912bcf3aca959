"""What a person copies into their mail from a forum, a messenger or an editor: it is quoted, without any `>`.

Forums put quotes between `[quote]` and `[/quote]`, Emacs puts what it inserts between rows of scissors or into a box,
and messengers write the time and the name before each thing that somebody says.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from bot.mail.words.lines import Line

_QUOTE_BEGINS = re.compile(r"\[quote(?:[= ][^\[\]]{0,200})?\]", re.IGNORECASE)
_QUOTE_ENDS = re.compile(r"\[/quote\]", re.IGNORECASE)
_SCISSORS = re.compile(
    r"^-{2,20}(?:8<|>8|✂)-{2,30}[^-]{0,60}-{2,30}(?P<mark>start|begin|end)-{2,30}(?:>8|8<|✂)-{1,20}$"
)
_BOX = re.compile(r"^(?:,-{2,20}\[.{0,100}\]?|`-{2,20})$")
_SAID_IN_CHAT = re.compile(
    r"^(?:\[[^\[\]]{0,20}\d{1,2}[:.]\d\d[^\[\]]{0,10}\]|\d{1,4}[./-]\d{1,2}[./-]\d{2,4},? \d{1,2}[:.]\d\d[^–<:-]{0,10}"
    r"|\d{1,2}:\d\d(?::\d\d)?(?= ?<)) ?[–-]? ?(?:<[^<>]{1,40}>|[^\W\d_][\w .'-]{0,40}:)(?= )",
    re.IGNORECASE,
)


def set_apart(lines: Sequence[Line]) -> list[Line]:
    """The lines, with what was copied as quoted.

    >>> [line.depth for line in set_apart([Line("bid 4"), Line("[quote=Bob]bid 5"), Line("pass"), Line("[/quote]")])]
    [0, 1, 1, 1]
    """
    found: list[Line] = []
    within = 0
    for line in lines:
        if line.depth != 0:
            found.append(line)
            continue
        text = line.text[:400]
        scissors = _SCISSORS.match(text.strip())
        within += len(_QUOTE_BEGINS.findall(text)) + bool(scissors and scissors["mark"] != "end")
        is_copied = within > 0 or bool(scissors or _BOX.match(text) or _SAID_IN_CHAT.match(text))
        within = max(within - len(_QUOTE_ENDS.findall(text)) - bool(scissors and scissors["mark"] == "end"), 0)
        found.append(Line(line.text, 1) if is_copied else line)
    return found
