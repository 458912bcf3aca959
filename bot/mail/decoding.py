"""Checking, repairing and decoding the bytes of a mail, whatever they contain.

Limits: the standard parser recurses, compares each line with every open boundary, and is quadratic in the parameters of
a field. So `objection` looks at the raw bytes and limits the size, the number of lines and parts, the product of
boundaries and lines, and the length of fields (see RFC 2046). So no mail can keep the parser busy for long.

Repairs: a mailbox in a single file has a line `From …` above each mail. Some filters write a space before the colon of
a field (still allowed by RFC 5322 section 4.5). In both cases the standard parser would take the rest of the header
section for the body. A multipart mail may have lost its boundary parameter, or name a wrong one. Fields that identify a
person are left unchanged, because a server on the way may have checked exactly those bytes.

Header fields (RFC 5322 sections 3.2-3.6, RFC 2047): the standard library's structured parser raises on some and is
quadratic on others, so fields are kept raw and read here by scanners that are linear, bounded and never raise.

Transfer encodings (RFC 2045 section 6) are decoded as far as the mail follows them, because programs on the way break
them. A mailing list appends its footer in plain text to a base64 body. A gateway puts a banner in front of such a body,
or decodes a part but leaves its label unchanged. Or the label is misspelt. The standard parser decodes such parts into
noise, although a person could read them.

Charsets: the declared charset may be missing, unknown or wrong. Many programs label text wrongly, but text in another
charset is hardly ever valid UTF-8 by accident. So eight-bit text that is valid UTF-8 is read as UTF-8, whatever its
label says. Other text is read as its label says, else in a guessed charset, else as Windows-1252. Seven-bit text that
switches alphabets with escape sequences (such as ISO-2022-JP) is recognised by those sequences. The result never
contains NULs or lone surrogates.
"""

from __future__ import annotations

import base64
import binascii
import codecs
import re
import string
from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, datetime
from email import policy
from email.feedparser import BytesFeedParser
from email.header import decode_header
from email.message import Message
from email.utils import parsedate_to_datetime
from functools import lru_cache

MAX_BYTES = 10_000_000
MAX_PARTS = 100
MAX_ROWS = 200_000
"""The maximum number of lines in the whole message, including attachments. A picture of 10 MB has 135,000. Lines take
up memory."""
MAX_REPORT_BLOCKS = 5_000
"""The maximum number of empty lines in a message with a delivery status part. The standard parser makes a message of
each block between two of them."""
MAX_BOUNDARY_WORK = 4_000_000
"""The maximum product of the numbers of lines and of declared boundaries, which the standard parser compares."""

MAX_HEADER_LINES = 5_000
MAX_CONTENT_FIELD = 4_000
"""The maximum size of a Content-… field in bytes. The standard parser takes quadratic time for its parameters."""

# These patterns match a message in lower case, with uniform line ends and one more line end at its start. With flags
# for letter case and line starts, searching a large message would take ten times as long.
_BOUNDARY = re.compile(rb"boundary\s*=\s*(?:\"([^\"\r\n]{1,200})\"|([^\s;\"]{1,200}))")
_CONTAINER = re.compile(rb"\ncontent-type[ \t]*:\s*(?:multipart|message)/")
_CONTENT_FIELD = re.compile(rb"\ncontent-[a-z-]{1,40}[ \t]*:[^\n]*(?:\n[ \t][^\n]*)*")
_DELIMITER = re.compile(rb"\n--([^\n]{1,210}?)[ \t]*(?=\n|\Z)")

_PIECE = 65_536


def objection(raw: bytes, max_bytes: int) -> str:
    if not raw.strip():
        return "the message is empty"
    if len(raw) > max_bytes:
        return f"the message has {len(raw)} bytes; at most {max_bytes} are read"
    if max(raw.count(b"\n"), raw.count(b"\r")) > MAX_ROWS:
        return f"the message has more than {MAX_ROWS} lines"
    lower = b"\n" + raw.lstrip().lower().replace(b"\r\n", b"\n").replace(b"\r", b"\n")
    if b"delivery-status" in lower and lower.count(b"\n\n") > MAX_REPORT_BLOCKS:
        return "the message reports on too many recipients"
    if len(_CONTAINER.findall(lower)) > MAX_PARTS:
        return f"the message has more than {MAX_PARTS} parts inside one another"
    if lower.partition(b"\n\n")[0].count(b"\n") > MAX_HEADER_LINES:
        return f"the message has more than {MAX_HEADER_LINES} header lines"
    if any(len(found.group()) > MAX_CONTENT_FIELD for found in _CONTENT_FIELD.finditer(lower)):
        return f"a Content field of the message has more than {MAX_CONTENT_FIELD} bytes"
    boundaries = {quoted or bare for quoted, bare in _BOUNDARY.findall(lower)}
    if len(boundaries) * lower.count(b"\n") > MAX_BOUNDARY_WORK:
        return "the message declares too many boundaries for its length"
    if sum(found in boundaries for found in _DELIMITER.findall(lower)) > MAX_PARTS:
        return f"the message has more than {MAX_PARTS} parts"
    return ""


def parse_tree(raw: bytes) -> Message:
    return parse_bytes(mend_head(raw))


def parse_bytes(raw: bytes) -> Message:
    """Feed the bytes to the standard parser in pieces, because parsing it all at once takes many times its size."""
    parser: BytesFeedParser[Message] = BytesFeedParser(policy=policy.compat32)
    for start in range(0, len(raw), _PIECE):
        parser.feed(raw[start : start + _PIECE])
    return parser.close()


_ABOVE = re.compile(rb"(?:\s*\r?\n)*(?:>?From [^\r\n]*\r?\n)?")
_SPACED_FIELD = re.compile(
    rb"(\n(?!from|sender|reply-to|return-path|authentication|dkim|arc|resent|x-mentat)[a-z0-9-]{1,60})[ \t]{1,20}:",
    re.IGNORECASE,
)
_HEAD_END = re.compile(rb"\n\r?\n|\r\r")
_FIRST_BOUNDARY = re.compile(rb"(?:\A|\n)--([^\s\"-][^\r\n\"]{0,69})(?<!\s)[ \t]{0,9}\r?\n")
_LONGEST_LEAD = 10_000


def mend_head(raw: bytes) -> bytes:
    start = _ABOVE.match(raw[:_LONGEST_LEAD])
    raw = raw[start.end() :] if start else raw
    end = _HEAD_END.search(raw)
    head = raw[: end.start()] if end else raw
    if b" :" not in head and b"\t:" not in head:
        return raw
    return _SPACED_FIELD.sub(rb"\1:", b"\n" + head)[1:] + raw[len(head) :]


def with_found_boundary(content_type: str, body: bytes) -> bytes | None:
    """Find the undeclared boundary of a multipart body, and return the body as a message that declares it. Return None
    if no boundary both opens and closes in the body.

    >>> with_found_boundary("multipart/mixed", b"--abc\\n\\nbid 4\\n--abc--\\n")
    b'Content-Type: multipart/mixed; boundary="abc"\\n\\n--abc\\n\\nbid 4\\n--abc--\\n'
    """
    found = _FIRST_BOUNDARY.search(body[:_LONGEST_LEAD])
    if found is None or b"\n--" + found.group(1) + b"--" not in body:
        return None
    return b'Content-Type: %s; boundary="%s"\n\n%s' % (content_type.encode("ascii", "replace"), found.group(1), body)


FIELD_CHARS = 8_000
"""The number of characters read from a header field. The rest of a longer field is ignored."""

_ENCODED_WORD = r"=\?[^?\s]{1,60}\?[bBqQ]\?[^?\r\n]{0,2000}\?="
_ENCODED_WORDS = re.compile(rf"{_ENCODED_WORD}(?:\s*{_ENCODED_WORD})*")
_CONTROLS = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029]+")
_ADDRESS = re.compile(r"[^\s\x00-\x1f\x7f-\x9f<>()\[\],;:\"\\@]{1,200}@[^\s\x00-\x1f\x7f-\x9f<>()\[\],;:\"\\@]{1,255}")
_QUOTED = re.compile(r'"(?:\\.|[^"\\])*"')
_ASCII_LOWER = str.maketrans(string.ascii_uppercase, string.ascii_lowercase)
_MESSAGE_ID = re.compile(r"<([^<>\s]{1,900})>")


def unfold_field(value: str) -> str:
    unfolded = _CONTROLS.sub("", _unfolded(value)).strip()[:FIELD_CHARS]
    return unfolded if len(value) <= FIELD_CHARS * 2 else unfolded.ljust(FIELD_CHARS)  # its length shows the cut


def _unfolded(value: str) -> str:
    return re.sub(r"\r?\n[ \t]*", " ", value[: FIELD_CHARS * 2])


def _lower(address: str) -> str:
    """Convert an address to lower case without turning a character of another alphabet into a Latin letter: `str.lower`
    would turn U+212A into a k."""
    return address.lower() if address.isascii() else address.translate(_ASCII_LOWER)


def decode_field(value: str) -> str:
    """Decode the encoded-words of an unstructured field (RFC 2047). Malformed ones are left as they are.

    >>> decode_field("=?utf-8?q?Z=C3=BCge?= 4")
    'Züge 4'
    """
    return unfold_field(_ENCODED_WORDS.sub(_decode_words, unfold_field(repair_field(value))))


def _decode_words(encoded: re.Match[str]) -> str:
    """Decode adjacent encoded-words together, because a character may begin in one of them and end in the next."""
    try:
        pieces = decode_header(encoded.group())
    except Exception:  # the standard library raises several kinds on broken base64
        return encoded.group()
    return "".join(decode_bytes(piece, charset or "") for piece, charset in pieces)


def repair_field(value: str) -> str:
    """Decode the bytes above ASCII in a raw field as UTF-8 or, if that is not possible, as Windows-1252."""
    if value.isascii():
        return value
    if not any("\udc80" <= character <= "\udcff" for character in value):
        return value.encode("utf-8", "replace").decode("utf-8")
    return decode_bytes(value.encode("utf-8", "surrogateescape"), "")


def mailboxes_in(value: str) -> list[tuple[str, str]]:
    """Return (display name, address) for each mailbox in an address field. Addresses are in lower case, and groups are
    replaced by their members.

    A display name that looks like an address is still only a name. A mailbox that somebody could read as a different
    address is skipped: one with two addresses in angle brackets or text after them, with two @, with a quoted local
    part, or with control characters.

    >>> mailboxes_in('"baron@evil.example" <Baron@Example.org>')
    [('baron@evil.example', 'baron@example.org')]
    >>> mailboxes_in("baron@example.org@evil.example, <baron@example.org> <x@evil.example>")
    []
    """
    found = []
    for item in _split_at_commas(_unfolded(repair_field(value))[:FIELD_CHARS]):
        start = item.rfind("<")
        inside, _, behind = item[start + 1 :].partition(">") if start >= 0 else (item, "", "")
        match = _ADDRESS.fullmatch(inside.strip().strip("'>").removeprefix("mailto:"))
        if match and not behind.strip("'\"> \t") and _QUOTED.sub("", item).count("<") <= 1:
            name = item[:start].strip().strip('"').replace('\\"', '"') if start >= 0 else ""
            found.append((decode_field(name), _lower(match.group())))
    return found


def hides_mailbox(value: str) -> bool:
    # a mailbox that `mailboxes_in` skips, or that comes after the characters that are read
    items = _split_at_commas(_unfolded(repair_field(value))[:FIELD_CHARS])
    return len(value) > FIELD_CHARS or sum("@" in item for item in items) > len(mailboxes_in(value))


def addresses_in(value: str) -> list[str]:
    return [match.group().lower() for match in _ADDRESS.finditer(unfold_field(repair_field(value)))]


def message_ids_in(value: str) -> list[str]:
    """Return the message ids of a Message-ID, In-Reply-To or References field, without their angle brackets.

    >>> message_ids_in("<a@b> (older) <c@d>")
    ['a@b', 'c@d']
    """
    return _MESSAGE_ID.findall(unfold_field(repair_field(value)))


def date_in(value: str) -> datetime | None:
    """Return the instant in a Date field, or None if the field is malformed. A field that does not name a time zone is
    read as UTC."""
    try:
        instant = parsedate_to_datetime(unfold_field(value)[:200])
        instant = instant if instant.tzinfo else instant.replace(tzinfo=UTC)
        return instant.astimezone(UTC)
    except Exception:  # ValueError, TypeError, IndexError and OverflowError have all been seen
        return None


@lru_cache(maxsize=16)  # a From field is read twice
def _split_at_commas(value: str) -> Sequence[str]:
    items: list[str] = []
    current: list[str] = []
    quoted, escaped, comment, angle = False, False, 0, False
    for character in value:
        plain = not quoted and not comment
        hidden = comment > 0
        if escaped:
            escaped = False
        elif character == "\\" and (quoted or comment):
            escaped = True
        elif character == '"' and not comment:
            quoted = not quoted
        elif character == "(" and not quoted:
            comment += 1
            hidden = True
        elif character == ")" and comment:
            comment -= 1
        elif character == "<" and plain:
            angle = True
        elif character == ">" and plain:
            angle = False
        elif plain and not angle and character in ",;:":
            if character != ":":
                items.append("".join(current))
            current = []
            continue
        if not hidden:
            current.append(character)
    items.append("".join(current))
    return [item.strip() for item in items if item.strip()]


_FIELD = "content-transfer-encoding"
_BASE64_ROW = re.compile(r"[A-Za-z0-9+/]*={0,2}\s*\Z")
_DAMAGED_ROW = re.compile(r"[^\s:<>.*#_-]{33,}=*")
"""A row of base64 in which some characters are wrong. It must not be words, a link or a rule."""
_PADDED_BREAK = re.compile(rb"=[ \t]{1,200}\r?\n")
"""A soft line break with spaces that a server added after it (RFC 2045 section 6.7, rule 3)."""
_NO_LETTERS = bytes(set(range(256)) - set(string.ascii_letters.encode() + string.digits.encode() + b"+/"))
_BROKEN_FROM = 32
_BANNER_ROWS = 40
_SHORTEST_CODED = 8
_BINARY_TYPES = re.compile(rb"[\x01-\x08\x0e-\x1f\x7f]")
_KNOWN = {"base64": "base64", "b64": "base64", "quoted-printable": "quoted-printable", "quotedprintable":
          "quoted-printable", "qp": "quoted-printable", "x-uuencode": "x-uuencode", "uuencode": "x-uuencode",
          "x-uue": "x-uuencode", "uue": "x-uuencode"}  # fmt: skip


def content_of(part: Message, most: int) -> bytes:
    """Return up to about `most` bytes of the part's content, or b"" if the part consists of other parts.

    >>> from email import message_from_bytes
    >>> content_of(message_from_bytes(b"Content-Transfer-Encoding: base64\\n\\nYmlkIDQK\\n-- \\nThe list\\n"), 100)
    b'bid 4\\n'
    """
    if part.is_multipart():
        return b""
    field = re.sub(r"\([^()]*\)", " ", str(part.get(_FIELD, ""))[:400])
    label = re.sub(r"[\"'\s;].*\Z", "", field.strip().lower().lstrip("\"'"), flags=re.DOTALL)
    encoding = _KNOWN.get(label, "8bit")
    coded = _payload(part, "8bit")
    if encoding == "base64":
        return _from_base64(coded, most)
    if encoding == "quoted-printable":
        return binascii.a2b_qp(_PADDED_BREAK.sub(b"=\n", coded))[:most]
    if encoding == "x-uuencode":
        return _payload(part, encoding)[:most]
    return coded[:most]


def _payload(part: Message, encoding: str) -> bytes:
    declared = part.get_all(_FIELD, [])
    del part[_FIELD]
    part[_FIELD] = encoding
    payload = part.get_payload(decode=True)
    del part[_FIELD]
    for value in declared:
        part[_FIELD] = value
    return payload if isinstance(payload, bytes) else b""


def _from_base64(raw: bytes, most: int) -> bytes:
    rows = raw[: most * 2 + 1_000].decode("latin-1").splitlines()
    start = _end_of_banner(rows)
    coded = _coded_rows(rows[start:], most)
    if not coded:
        return _from_broken_base64(raw[: most * 2]) or raw[:most]
    decoded = b"".join(_group(letters) for letters in coded.split("="))
    in_clear = len(coded) < 40 and _BINARY_TYPES.search(decoded) and not _BINARY_TYPES.search(raw)
    return raw[:most] if in_clear else decoded[:most]


def _coded_rows(rows: Iterable[str], most: int) -> str:
    coded: list[str] = []
    size = 0
    for row in rows:
        if not _BASE64_ROW.match(row.strip()):
            break
        coded.append(row.strip())
        size += len(row)
        if size > most * 4 // 3 + 4:
            break
    return "".join(coded)


def _end_of_banner(rows: Sequence[str]) -> int:
    """Return the index of the first base64 row below a gateway's banner, or 0 if there is no banner. A row with a
    single word looks like base64 too, but does not decode to text."""
    written = [index for index, row in enumerate(rows[:_BANNER_ROWS]) if row.strip()]
    if not written or _is_coded_text(rows[written[0] :]):
        return 0
    above = ""
    for index in written:
        if " " in above and _is_coded_text(rows[index:]):
            return index
        if _DAMAGED_ROW.fullmatch(rows[index].strip()):
            return 0
        above += f"{rows[index].strip()}\n"
    return 0


def _is_coded_text(rows: Sequence[str]) -> bool:
    coded = _coded_rows(rows, _GUESS_BYTES).partition("=")[0]
    if len(coded) < _SHORTEST_CODED or len(coded) % 4 == 1:
        return False
    text = _group(coded)
    try:
        text.decode("utf-8")
    except UnicodeDecodeError:
        return len(coded) > _BROKEN_FROM and not _BINARY_TYPES.search(text)
    return not _BINARY_TYPES.search(text)


def _group(letters: str) -> bytes:
    letters = letters[:-1] if len(letters) % 4 == 1 else letters
    return base64.b64decode(letters + "=" * (-len(letters) % 4))


def _from_broken_base64(raw: bytes) -> bytes:
    """Decode base64, ignoring any other characters in it (RFC 2045 section 6.8). Return b"" if that is not text."""
    letters = raw.translate(None, _NO_LETTERS)
    if len(letters) < _BROKEN_FROM and b" " in raw.strip():
        return b""
    decoded = _group(letters.decode("ascii"))
    try:
        decoded.decode("utf-8")
    except UnicodeDecodeError:
        return b""
    return b"" if _BINARY_TYPES.search(decoded) else decoded


_GUESS_BYTES = 32_768
_MENDED_BYTES = 100_000
"""The number of bytes repaired in a mislabelled text. The rest is left unchanged."""
_GUESSED_FROM = 200
"""For text in Latin letters that has at least this many bytes, guessing the charset is better than assuming
Windows-1252."""

# Escape-based and wide encodings look like ASCII or like valid UTF-8: only the label identifies them.
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
"""The larger charset that mail programs mean when they name the smaller one."""

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
"""Labels in use that Python does not know (most are in the WHATWG Encoding Standard), without a leading `x-`."""

_MARKS = ((codecs.BOM_UTF32_LE, "utf-32"), (codecs.BOM_UTF16_LE, "utf-16"), (codecs.BOM_UTF16_BE, "utf-16"))
_MARK_TWICE_ENCODED = "ï»¿"
"""The byte order mark U+FEFF in UTF-8, misread as Windows-1252."""

_JAPANESE_ESCAPE = re.compile(rb"\x1b(?:\$[@B]|\([IJ])")
_JAPANESE = re.compile(rb"\x1b(\$[@B]|\$\(D|\([BIJ])")
_KOREAN_ESCAPE = b"\x1b$)C"
_META = re.compile(rb"<meta[^>]{0,200}?charset\s{0,5}=\s{0,5}[\"']?\s{0,5}([A-Za-z0-9_:.-]{2,40})", re.IGNORECASE)
_XML = re.compile(rb"<\?xml[^>]{0,80}?encoding\s{0,5}=\s{0,5}[\"']([A-Za-z0-9_:.-]{2,40})", re.IGNORECASE)
_HIGH = re.compile(rb"[\x80-\xff]+")


_HALF_PAIRS = re.compile("[\ud800-\udfff]")  # occur in UTF-7 and UTF-16, never in UTF-8


def decode_bytes(payload: bytes, declared: str) -> str:
    """Return `payload` as text. NULs and lone surrogates are replaced, because databases and letters cannot hold them.

    >>> decode_bytes("Züge".encode("utf-8"), "big5")
    'Züge'
    >>> decode_bytes(b"Z\\xfcge", "no-such-charset")
    'Züge'
    """
    text = _HALF_PAIRS.sub("\ufffd", _decode_by(payload, declared).replace("\0", ""))
    return text.removeprefix("\ufeff").removeprefix(_MARK_TWICE_ENCODED)


def charset_of_page(payload: bytes) -> str:
    """Return the charset that an HTML page or its XML declaration names, or "" if neither does. Browsers find it in the
    same way.

    >>> charset_of_page(b'<html><head><meta http-equiv="Content-Type" content="text/html; charset=windows-1251">')
    'windows-1251'
    """
    found = _META.search(payload[:4096]) or _XML.match(payload[:200].lstrip())
    return found.group(1).decode("ascii") if found else ""


def is_binary(payload: bytes) -> bool:
    head = payload[:_GUESS_BYTES]
    if any(head.startswith(mark) for mark, _ in _MARKS) or _wide_by_zeros(head):
        return False
    controls = len(head) - len(head.translate(None, bytes((*range(1, 9), *range(14, 27), *range(28, 32), 127))))
    return b"\0" in head or controls * 20 > len(head)


def _decode_by(payload: bytes, declared: str) -> str:
    codec = next((name for mark, name in _MARKS if payload.startswith(mark)), "") or _codec(declared)
    if codec.startswith(_WIDE):
        codec = codec if payload.startswith(tuple(mark for mark, _ in _MARKS)) else _wide_by_zeros(payload)
    elif payload.isascii() and b"\x1b" in payload:
        codec = _by_escapes(payload) or codec
    attempts = [codec] if codec.startswith(_LABEL_FIRST) else ["utf-8", codec]
    for name in filter(None, attempts):
        try:
            return payload.decode(name)
        except (LookupError, ValueError):  # a codec that returns no text, or rejects these bytes
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
    """Recognise UTF-16 or UTF-32 without a byte order mark by the positions of the zero bytes, and return the variant.
    Return "" if there are too few zeros. All UTF-16 text has some, in its spaces and line ends."""
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
    """Decode ISO-2022-JP as Windows programs write it (row 13, as in code page 932). Each line begins in ASCII (RFC
    1468)."""
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
    first = ((row - 0x21) >> 1) + 0x81
    first += 0x40 if first > 0x9F else 0
    second = cell + (0x1F if row % 2 else 0x7E)
    return bytes((first & 0xFF, (second + (row % 2 and cell >= 0x60)) & 0xFF))


def _guessed(payload: bytes) -> str:
    if len(payload) > _GUESSED_FROM or _foreign(payload):
        from charset_normalizer import from_bytes  # large, and rarely needed

        try:
            best = from_bytes(payload[:_GUESS_BYTES]).best()
            if best is not None:
                return payload.decode(best.encoding)
        except Exception:  # a guess may fail in any way; the last resort below cannot
            pass
    return payload.decode("cp1252", "replace")


def _foreign(payload: bytes) -> bool:
    runs = [len(run) for run in _HIGH.findall(payload[:_GUESS_BYTES])]
    return bool(runs) and sum(runs) > 3 * len(runs) and sum(runs) >= 12
