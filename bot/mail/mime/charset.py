"""Bytes to text when the declared charset may be missing, unknown or a lie.

Many programs label text wrongly and UTF-8 is hard to hit by accident, so eight-bit text that is valid
UTF-8 is UTF-8 whatever its label says; then the label counts, then a guess, and Windows-1252 at the
last. Text of seven bits that switches alphabets by escapes (ISO-2022-JP and its kin) shows it by them. Never
raises; the result holds no NULs and no half of a surrogate pair.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterator

_GUESS_BYTES = 32_768
_MENDED_BYTES = 100_000
"""More of a text that is not what its label says is not mended."""
_GUESSED_FROM = 200
"""Bytes from which on a guess is better than Windows-1252 for text in Latin letters."""

# Escape-based and wide encodings look like ASCII or like valid UTF-8: here only the label can know.
_LABEL_FIRST = ("iso2022", "hz", "utf-7", "utf-16", "utf-32")
_WIDE = ("utf-16", "utf-32")

_NOT_TEXT = ("idna", "punycode", "unicode_escape", "raw_unicode_escape", "undefined", "mbcs", "oem")

_WIDER = {
    "ascii": "cp1252",
    "iso8859-1": "cp1252",
    "iso8859-9": "cp1254",
    "iso8859-11": "cp874",
    "gb2312": "gb18030",
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
    "euc-jp-ms": "euc_jp",
    "windows-949": "cp949",
    "windows-874": "cp874",
    "utf8mb4": "utf-8",
    "unicode": "utf-16",
    "unicode-1-1-utf-7": "utf-7",
    "unicode-2-0-utf-7": "utf-7",
}
"""Labels in use that Python does not know (most are in the WHATWG Encoding Standard), without an `x-` before them."""

_MARKS = ((codecs.BOM_UTF32_LE, "utf-32"), (codecs.BOM_UTF16_LE, "utf-16"), (codecs.BOM_UTF16_BE, "utf-16"))
_MARK_TWICE_ENCODED = "ï»¿"
"""The mark U+FEFF in UTF-8, when a program took its bytes for Windows-1252."""

_JAPANESE_ESCAPE = re.compile(rb"\x1b(?:\$[@B]|\([IJ])")
_JAPANESE = re.compile(rb"\x1b(\$[@B]|\$\(D|\([BIJ])")
_KOREAN_ESCAPE = b"\x1b$)C"
_META = re.compile(rb"<meta[^>]{0,200}?charset\s{0,5}=\s{0,5}[\"']?\s{0,5}([A-Za-z0-9_:.-]{2,40})", re.IGNORECASE)
_XML = re.compile(rb"<\?xml[^>]{0,80}?encoding\s{0,5}=\s{0,5}[\"']([A-Za-z0-9_:.-]{2,40})", re.IGNORECASE)
_HIGH = re.compile(rb"[\x80-\xff]+")


_HALF_PAIRS = re.compile("[\ud800-\udfff]")  # UTF-7 and UTF-16 have them; UTF-8 cannot


def decode_bytes(payload: bytes, declared: str) -> str:
    """The text of `payload`, without what no database and no letter can hold: NUL, and halves of a surrogate pair.

    >>> decode_bytes("Züge".encode("utf-8"), "big5")
    'Züge'
    >>> decode_bytes(b"Z\\xfcge", "no-such-charset")
    'Züge'
    """
    text = _HALF_PAIRS.sub("\ufffd", _decoded(payload, declared).replace("\0", ""))
    return text.removeprefix("\ufeff").removeprefix(_MARK_TWICE_ENCODED)


def charset_of_page(payload: bytes) -> str:
    """The charset that an HTML page or its XML declaration names itself, as browsers look for it; else empty.

    >>> charset_of_page(b'<html><head><meta http-equiv="Content-Type" content="text/html; charset=windows-1251">')
    'windows-1251'
    """
    found = _META.search(payload[:4096]) or _XML.match(payload[:200].lstrip())
    return found.group(1).decode("ascii") if found else ""


def is_binary(payload: bytes) -> bool:
    """Whether bytes that should be text are a picture, a program, or another file: they hold NULs or many control
    characters and are no UTF-16."""
    head = payload[:_GUESS_BYTES]
    if any(head.startswith(mark) for mark, _ in _MARKS) or _wide_by_zeros(head):
        return False
    controls = len(head) - len(head.translate(None, bytes((*range(1, 9), *range(14, 27), *range(28, 32), 127))))
    return b"\0" in head or controls * 20 > len(head)


def _decoded(payload: bytes, declared: str) -> str:
    codec = next((name for mark, name in _MARKS if payload.startswith(mark)), "") or _codec(declared)
    if codec.startswith(_WIDE):
        codec = codec if payload.startswith(tuple(mark for mark, _ in _MARKS)) else _wide_by_zeros(payload)
    elif payload.isascii() and b"\x1b" in payload:
        codec = _by_escapes(payload) or codec
    attempts = [codec] if codec.startswith(_LABEL_FIRST) else ["utf-8", codec]
    for name in filter(None, attempts):
        try:
            return payload.decode(name)
        except (LookupError, ValueError):  # codecs that make no text, or not of these bytes
            continue
    if codec.startswith("iso2022_jp"):
        return "".join(_japanese_pieces(payload[:_MENDED_BYTES]))
    return _guessed(payload)


def _codec(declared: str) -> str:
    label = declared.strip().strip("'\"").lower()
    for name in (label, label.removeprefix("x-")):
        try:
            codec = codecs.lookup(_OTHER_NAMES.get(name, name)).name if name else ""
        except (LookupError, ValueError):
            continue
        return "" if codec in _NOT_TEXT else _WIDER.get(codec, codec)
    return ""


def _wide_by_zeros(payload: bytes) -> str:
    """The wide encoding that bytes without a mark show by where their zeros are; empty for a label that lies, as every
    text in UTF-16 has zeros in its spaces and line ends."""
    head = payload[:_GUESS_BYTES]
    zeros = [head[place::4].count(0) for place in range(4)]
    if len(head) < 2 or not any(zeros):
        return ""
    if min(zeros[1:]) * 8 > len(head):
        return "utf-32-le"
    if min(zeros[:3]) * 8 > len(head):
        return "utf-32-be"
    even, odd = zeros[0] + zeros[2], zeros[1] + zeros[3]
    if min(even, odd) * 8 > max(even, odd) or (even + odd) * 64 < len(head):
        return ""
    return "utf-16-le" if odd > even else "utf-16-be"


def _by_escapes(payload: bytes) -> str:
    if _KOREAN_ESCAPE in payload[:2_000] and b"\x0e" in payload:
        return "iso2022_kr"
    return "iso2022_jp_ext" if _JAPANESE_ESCAPE.search(payload) else ""


def _japanese_pieces(payload: bytes) -> Iterator[str]:
    """ISO-2022-JP as programs of Windows write it (row 13, as in code page 932); every line begins anew in ASCII
    (RFC 1468)."""
    for row in payload.splitlines(keepends=True):
        pieces = _JAPANESE.split(row)
        yield pieces[0].decode("ascii", "replace")
        for escape, piece in zip(pieces[1::2], pieces[2::2], strict=True):
            if escape == b"(I":
                yield bytes(byte | 0x80 if 0x21 <= byte < 0x60 else byte for byte in piece).decode("cp932", "replace")
            elif escape.startswith(b"$"):
                letters = piece.rstrip(b"\r\n")
                pairs = letters[: len(letters) // 2 * 2]
                yield b"".join(map(_shifted, pairs[::2], pairs[1::2])).decode("cp932", "replace")
                yield piece[len(letters) :].decode("ascii")
            else:
                yield piece.decode("ascii", "replace")


def _shifted(row: int, cell: int) -> bytes:
    """The bytes of JIS row and cell in Shift_JIS."""
    first = ((row - 0x21) >> 1) + 0x81
    first += 0x40 if first > 0x9F else 0
    second = cell + (0x1F if row % 2 else 0x7E)
    return bytes((first & 0xFF, (second + (row % 2 and cell >= 0x60)) & 0xFF))


def _guessed(payload: bytes) -> str:
    if len(payload) > _GUESSED_FROM or _foreign(payload):
        from charset_normalizer import from_bytes  # seldom needed, and large

        try:
            best = from_bytes(payload[:_GUESS_BYTES]).best()
            if best is not None:
                return payload.decode(best.encoding)
        except Exception:  # a guess may fail in any way; the last resort below cannot
            pass
    return payload.decode("cp1252", "replace")


def _foreign(payload: bytes) -> bool:
    """Whether most letters are above ASCII and stand together: no language in Latin letters writes so."""
    runs = [len(run) for run in _HIGH.findall(payload[:_GUESS_BYTES])]
    return bool(runs) and sum(runs) > 3 * len(runs) and sum(runs) >= 12
