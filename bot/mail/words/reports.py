"""Reports that come as attached files: a letter of ours, or one of another moderator. None of their lines is an order.

Ours is known by its marks. Another one tells what players did, each in a sentence that begins with a name ("The Emperor
bids 5."); an order never does, and one such line may be anybody's remark.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from bot.mail.phrases import any_of, rows
from bot.mail.words.form import split_forms
from bot.mail.words.free_text import holds_free_text
from bot.mail.words.lines import Line
from bot.mail.words.quotes import begins_letter_of_ours

ACTIONS_OF_A_REPORT = 2

_ACTION = rows(
    lambda: (
        rf"(?:^|[.!] )[\W\d]{{0,6}}{any_of('reports', 'players')}(?: player)? {any_of('reports', 'actions')}\b(?! ?:)"
    ),
    re.IGNORECASE,
)


def is_report(lines: Sequence[Line]) -> bool:
    """Whether the text of a file is a report of a game.

    >>> is_report([Line("The Emperor bids 5."), Line("Guild passes."), Line(""), Line("bid 6")])
    True
    >>> is_report([Line("press to all: Fremen move. The Guild ships."), Line("when guild has passed: bid 5")])
    False
    """
    _, others = split_forms(lines)  # a form by itself is no report
    if any(begins_letter_of_ours(others, index) for index in range(len(others))):
        return True
    actions = (len(_ACTION.findall(line.text[:400])) for line in others if not holds_free_text(line.text))
    return sum(actions) >= ACTIONS_OF_A_REPORT
