"""Names as people give them for themselves: cleaned before anybody else is shown them.

A name is one line of letters, without signs that turn the writing round, hide, or break a line; what is left is
escaped wherever it is shown. Two entrants may have the same name, so the handle always stands beside it.
"""

from __future__ import annotations

import unicodedata

MOST_CHARS = 60


def clean(name: str, most: int = MOST_CHARS) -> str:
    """The name in one line.

    >>> clean("Ann\\n\\u202eenoN  <b>")
    'Ann enoN <b>'
    """
    kept = unicodedata.normalize("NFC", name[: 10 * most])
    kept = "".join(" " if unicodedata.category(c) in ("Cc", "Zl", "Zp", "Zs") else c for c in kept)
    kept = "".join(c for c in kept if unicodedata.category(c) not in ("Cf", "Co", "Cs", "Cn"))
    return " ".join(kept.split())[:most].strip(" \"'“”")


def display_name(handle: str, name: str) -> str:
    """How others know an entrant: "Ann (E007)", or the handle alone."""
    return f"{name} ({handle})" if name else handle
