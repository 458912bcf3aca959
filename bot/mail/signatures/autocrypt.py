"""The key in the header of a mail (Autocrypt Level 1, sections 2.1 and 2.3)."""

from __future__ import annotations

import base64
from email.message import Message

MOST_FIELDS = 10
MAX_FIELD = 30_000
"""Characters of a field; the specification wants less than 10,240."""

_KNOWN = ("addr", "keydata", "prefer-encrypt")


def carried_key(head: Message, sender: str) -> bytes | None:
    """The key of the sender; None if there is no field about him, or more than one.

    >>> from email import message_from_string
    >>> carried_key(message_from_string("Autocrypt: addr=a@b.example; keydata=bWlu\\n ZQ=="), "a@b.example")
    b'mine'
    """
    fields = [str(value) for value in head.get_all("autocrypt", [])[:MOST_FIELDS]]
    found = [_key(field, sender) for field in fields if len(field) <= MAX_FIELD]
    keys = [key for key in found if key]
    return keys[0] if len(keys) == 1 else None


def _key(field: str, sender: str) -> bytes:
    """The key in a field; empty where the field is about another, or has an attribute that must be known and is not."""
    pairs = [item.partition("=") for item in "".join(field.split()).split(";") if item]
    attributes = {name.lower(): value for name, _, value in pairs}
    if any(name not in _KNOWN and not name.startswith("_") for name in attributes):
        return b""
    if attributes.get("addr", "").lower() != sender:
        return b""
    try:
        return base64.b64decode(attributes.get("keydata", ""), validate=True)
    except ValueError:
        return b""
