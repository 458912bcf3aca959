"""Links that open a ready reply: ``mailto:`` with subject and body (RFC 6068)."""

from __future__ import annotations

from urllib.parse import quote


def reply_link(address: str, subject: str, lines: tuple[str, ...]) -> str:
    """A ``mailto:`` link to the address with these lines as the body.

    Everything is percent-encoded as UTF-8, and lines end in CRLF (RFC 6068 section 5).

    >>> reply_link("mentat+g7k2@arrakis.example", "[sietch-12] pass", ("pass", "support 0"))
    'mailto:mentat%2Bg7k2@arrakis.example?subject=%5Bsietch-12%5D%20pass&body=pass%0D%0Asupport%200'
    """
    local, _, host = address.rpartition("@")
    body = "%0D%0A".join(_encoded(line) for line in lines)
    return f"mailto:{_encoded(local)}@{quote(host, safe='.-')}?subject={_encoded(subject)}&body={body}"


def _encoded(text: str) -> str:
    return quote(text, safe="")
