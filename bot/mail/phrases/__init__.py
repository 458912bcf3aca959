"""The words of other programs, in the languages they are sold in: what they add to a mail, and how robots begin.

Each table is a TOML file of regular expressions in lower case, one a line, so that a phrase met in the wild is one line
more and no code. `any_of("footers", "added_lines")` joins a list for a pattern, and `rows` makes a pattern that is
compiled when it is first used: there are many, and a command that reads no mail needs none.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable
from functools import cache, cached_property
from pathlib import Path
from typing import Any, cast


def any_of(table: str, name: str) -> str:
    """The alternatives of a list, as one group of a regular expression.

    >>> any_of("bounces", "subjects").startswith("(?:undeliver")
    True
    """
    return f"(?:{'|'.join(_table(table)[name])})"


@cache
def _table(name: str) -> Any:
    return tomllib.loads((Path(__file__).parent / f"{name}.toml").read_text("utf-8"))


class _Rows:
    def __init__(self, expression: Callable[[], str], flags: int) -> None:
        self._expression, self._flags = expression, flags

    @cached_property
    def _pattern(self) -> re.Pattern[str]:
        return re.compile(self._expression(), self._flags)

    def __getattr__(self, name: str) -> Any:
        value = getattr(self._pattern, name)
        self.__dict__[name] = value  # found at once the next time
        return value


def rows(expression: Callable[[], str], flags: int = 0) -> re.Pattern[str]:
    """A pattern that is made of lists of phrases, for use as if it had been compiled already.

    >>> rows(lambda: any_of("bounces", "subjects"), re.IGNORECASE).match("Undeliverable: bid") is not None
    True
    """
    return cast("re.Pattern[str]", _Rows(expression, flags))
