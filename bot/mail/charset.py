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
_LABEL_FIRST = ("iso2022", "hz", "utf-7", "utf-16", "utf-32")

_NOT_TEXT = ("idna", "punycode", "unicode_escape", "raw_unicode_escape", "undefined", "mbcs", "oem")

_WIDER = {
    "ascii": "cp1252",
    "iso8859-1": "cp1252",
    "iso8859-9": "cp1254",
    "iso8859-11": "cp874",
    "gb2312": "gb18030",
    "gbk": "gb18030",
    "shift_jis": "cp932",
    "euc_kr": "cp949",
    "big5": "big5hkscs",
    "iso2022_jp": "iso2022_jp_ext",
}
"""What mail programs mean when they name the smaller set."""

_OTHER_NAMES = {
    "ansi": "cp1252",
    "iso-8859-8-i": "iso8859-8",
    "iso-8859-8-e": "iso8859-8",
    "iso-8859-6-i": "iso8859-6",
    "koi8-ru": "koi8-u",
    "macintosh": "mac-roman",
    "x-mac-roman": "mac-roman",
    "x-mac-cyrillic": "mac-cyrillic",
    "x-gbk": "gb18030",
    "x-sjis": "cp932",
    "x-euc-jp": "euc_jp",
    "x-big5": "big5hkscs",
    "x-windows-949": "cp949",
    "x-windows-874": "cp874",
    "windows-874": "cp874",
    "utf8mb4": "utf-8",
    "unicode": "utf-16",
    "x-unicode-2-0-utf-7": "utf-7",
}
"""Labels in use that Python does not know (most are in the WHATWG Encoding Standard)."""

_MARKS = ((codecs.BOM_UTF32_LE, "utf-32"), (codecs.BOM_UTF16_LE, "utf-16"), (codecs.BOM_UTF16_BE, "utf-16"))


def decode_bytes(payload: bytes, declared: str) -> str:
    """The text of `payload`.

    >>> decode_bytes("Züge".encode("utf-8"), "big5")
    'Züge'
    >>> decode_bytes(b"Z\\xfcge", "no-such-charset")
    'Züge'
    """
    codec = next((name for mark, name in _MARKS if payload.startswith(mark)), "") or _codec(declared)
    attempts = [codec] if codec.startswith(_LABEL_FIRST) else ["utf-8", codec]
    for name in attempts:
        if name:
            try:
                return payload.decode(name).replace("\0", "").removeprefix("\ufeff")
            except (LookupError, ValueError):  # codecs that make no text, or not of these bytes
                continue
    return _guessed(payload).replace("\0", "")


def _codec(declared: str) -> str:
    label = declared.strip().strip("'\"").lower()
    try:
        name = codecs.lookup(_OTHER_NAMES.get(label, label)).name if label else ""
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
