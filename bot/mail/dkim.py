"""DKIM signatures (RFC 6376), checked by dkimpy with a lookup that its caller gives: nothing here needs a network.

A signature counts only if it covers the From and Date fields and the whole body: with a length (``l=``) anybody could
add orders at the end, and with another Date it would be another mail. Signatures by SHA-1 do not count (RFC 8301), and
no name is looked up but those of domains that would count.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence

import dkim

Lookup = Callable[[bytes], bytes | None]
"""The TXT record of a name in the DNS, None if there is none; ``CannotAsk`` if that cannot be found out now."""

MOST_SIGNATURES = 5


class CannotAsk(Exception):
    """The DNS gives no answer."""


def is_signed_by(raw: bytes, counts: Callable[[str], bool], lookup: Lookup) -> bool:
    """Whether a message bears a valid signature of a domain that counts. CannotAsk if none is valid and the DNS gives
    no answer about one."""
    away: CannotAsk | None = None
    for index in range(MOST_SIGNATURES):
        try:
            checker = dkim.DKIM(raw, logger=_Silent())
            found = checker.verify_headerprep(index)
            if not found:
                break
            tags, covered, _ = found
            if _counts(checker, tags, covered, counts) and checker.verify(index, dnsfunc=_without_timeout(lookup)):
                return True
        except CannotAsk as problem:
            away = problem
        except Exception:  # dkimpy raises many kinds on a broken signature; another may be whole
            continue
    if away:
        raise away
    return False


def _counts(
    checker: dkim.DKIM, tags: Mapping[bytes, bytes], covered: Sequence[bytes], counts: Callable[[str], bool]
) -> bool:  # fmt: skip
    """Whether a signature would prove anything if it is valid."""
    dated = any(name.lower() == b"date" for name, _ in checker.headers)
    whole = b"l" not in tags and b"from" in covered and (b"date" in covered or not dated)
    return whole and not tags[b"a"].strip().endswith(b"sha1") and counts(tags[b"d"].decode("ascii", "replace"))


def ask_dns(name: bytes) -> bytes | None:
    """The TXT record of a name, from the DNS of this machine."""
    try:
        record: bytes | None = dkim.get_txt(name)
    except dkim.DnsTimeoutError as problem:
        raise CannotAsk(re.sub(r"\s+", " ", str(problem))[:200]) from problem
    return record


def _without_timeout(lookup: Lookup) -> Callable[..., bytes | None]:
    """The lookup as dkimpy calls it."""
    return lambda name, timeout=0: lookup(name)


class _Silent:
    """A log for dkimpy, which tells it much that comes from strangers."""

    def debug(self, *_: object) -> None: ...

    info = warning = error = debug
