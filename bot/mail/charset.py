"""Bytes to text when the declared charset may be missing, unknown or a lie.

Many programs label text wrongly and UTF-8 is hard to hit by accident, so eight-bit text that is valid
UTF-8 is UTF-8 whatever its label says; then the label counts, then a guess, and Windows-1252 at the
last. Never raises; the result holds no NULs.
"""

from __future__ import annotations

import codecs

from charset_normalizer import from_bytes

_GUESS_BYTES = 32_768

# Escape-based and wide encodings look like ASCII or like valid UTF-8: here only the label can know.
_LABEL_FIRST = ("iso2022", "hz", "utf-16", "utf-32")

_NOT_TEXT = ("idna", "punycode", "unicode_escape", "raw_unicode_escape", "undefined", "utf-7", "mbcs", "oem")

_WIDER = {"ascii": "cp1252", "iso8859-1": "cp1252", "gb2312": "gb18030", "gbk": "gb18030", "shift_jis": "cp932"}
"""What mail programs mean when they name the smaller set."""


def decode_bytes(payload: bytes, declared: str) -> str:
    """The text of `payload`.

    >>> decode_bytes("Züge".encode("utf-8"), "big5")
    'Züge'
    >>> decode_bytes(b"Z\\xfcge", "no-such-charset")
    'Züge'
    """
    codec = _codec(declared)
    attempts = [codec] if codec.startswith(_LABEL_FIRST) else ["utf-8", codec]
    for name in attempts:
        if name:
            try:
                return payload.decode(name).replace("\0", "").removeprefix("\ufeff")
            except (LookupError, ValueError):  # codecs that make no text, or not of these bytes
                continue
    return _guessed(payload).replace("\0", "")


def _codec(declared: str) -> str:
    try:
        name = codecs.lookup(declared.strip().strip("'\"")).name if declared else ""
    except (LookupError, ValueError):
        return ""
    return "" if name in _NOT_TEXT else _WIDER.get(name, name)


def _guessed(payload: bytes) -> str:
    try:
        best = from_bytes(payload[:_GUESS_BYTES]).best()
        if best is not None and len(payload) > 200:
            return payload.decode(best.encoding)
    except Exception:  # a guess may fail in any way; the last resort below cannot
        pass
    return payload.decode("cp1252", "replace")
