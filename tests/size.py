"""The size of a long test: a small part of it usually, all of it with ``MENTAT_SLOW=1``."""

from __future__ import annotations

import os
from typing import TypeVar

T = TypeVar("T")

SLOW = bool(os.environ.get("MENTAT_SLOW"))


def size(small: T, slow: T) -> T:
    """Return the first value or, with ``MENTAT_SLOW``, the second.

    >>> size(5, 2000)
    5
    """
    return slow if SLOW else small
