"""The words of other programs, in the languages they are sold in: what they add to a mail, and how robots begin.

Each table is a TOML file of regular expressions in lower case, one a line, so that a phrase met in the wild is one line
more and no code. `any_of("footers", "added_lines")` joins a list for a pattern.
"""

from __future__ import annotations

import tomllib
from functools import cache
from pathlib import Path
from typing import Any


def any_of(table: str, name: str) -> str:
    """The alternatives of a list, as one group of a regular expression.

    >>> any_of("bounces", "subjects").startswith("(?:undeliver")
    True
    """
    return f"(?:{'|'.join(_table(table)[name])})"


@cache
def _table(name: str) -> Any:
    return tomllib.loads((Path(__file__).parent / f"{name}.toml").read_text("utf-8"))
