"""Words that people are sorry for later: press that holds one waits for a second thought of its writer, no more."""

from __future__ import annotations

import re
from functools import cache

from rules.components.facts import load_toml

FILE = "press-language.toml"


def harsh_word(words: str) -> str:
    """The first such word, as it was written; "" where there is none.

    >>> harsh_word("You Idiots, the assassin lies"), harsh_word("well played")
    ('Idiots', '')
    """
    found = _pattern().search(words)
    return found[0] if found else ""


@cache
def _pattern() -> re.Pattern[str]:
    said = (str(word) for word in load_toml(FILE)["words"])
    each = (
        re.escape(word.rstrip("*")).replace(r"\ ", r"\s+") + (r"\w*" if word.endswith("*") else "") for word in said
    )
    return re.compile(rf"\b(?:{'|'.join(each)})\b", re.IGNORECASE)
