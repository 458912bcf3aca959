"""Lots: what decides where nothing else does. Who has the lower one is before the other."""

from __future__ import annotations

import hashlib
import hmac

from bot.competition.outcomes import Handle

DIGITS = 8


def lot(seed: str, handle: Handle) -> str:
    """The lot of an entrant: the first eight hexadecimal digits of HMAC-SHA256 of the seed over ``lot/HANDLE#0``.

    >>> lot("a0d78a640bedcbebea329dba151aa190c491675d00bd8f5a4e9a28132276773b", "E01")
    '2a12d4c0'
    """
    return hmac.digest(seed.encode(), f"lot/{handle}#0".encode(), hashlib.sha256).hex()[:DIGITS]
