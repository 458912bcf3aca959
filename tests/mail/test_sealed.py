"""Opaque S/MIME signatures: the signed content is read like any other mail, and nothing else is."""

from __future__ import annotations

import base64
import time
from pathlib import Path

import pytest

from bot.mail.disposition import examine
from bot.mail.message import Incoming, parse
from bot.mail.signatures import signed_content
from tests.mail.signing import der

CORPUS = Path(__file__).parent / "corpus"
SEQUENCE, SET, OBJECT, OCTETS, CHUNKS, EXPLICIT = 0x30, 0x31, 0x06, 0x04, 0x24, 0xA0
DATA, SIGNED_DATA, ENVELOPED_DATA = (bytes.fromhex(f"2a864886f70d01070{last}") for last in (1, 2, 3))
CLOSED = (None, ("application/pkcs7-mime (smime.p7m)",))
END = b"\0\0"


def mail(name: str) -> bytes:
    return (CORPUS / f"{name}.eml").read_bytes()


def structure(*content: bytes, kind: bytes = SIGNED_DATA, inner: bytes = DATA) -> bytes:
    """Return an unsigned CMS structure, with or without content."""
    inside = der(SEQUENCE, der(OBJECT, inner), *(der(EXPLICIT, each) for each in content))
    data = der(SEQUENCE, der(0x02, b"\1"), der(SET), inside, der(SET))
    return der(SEQUENCE, der(OBJECT, kind), der(EXPLICIT, data))


def around(message: bytes) -> bytes:
    return structure(der(OCTETS, message))


def in_one_piece(sealed: bytes) -> bytes:
    head = b'From: baron@example.org\r\nContent-Type: application/pkcs7-mime; name="smime.p7m"\r\n'
    return head + b"Content-Transfer-Encoding: base64\r\n\r\n" + base64.encodebytes(sealed)


def read(sealed: bytes) -> tuple[str | None, tuple[str, ...]]:
    """Return the text read from a mail with this structure, and the names of unread parts."""
    seen = parse(in_one_piece(sealed))
    assert isinstance(seen, Incoming)
    return seen.text_plain, seen.unread


@pytest.mark.parametrize("name", ["pgp-fits-without-a-key", "pgp-changed-text", "smime-fits-rsa"])
def test_a_mail_that_is_signed_otherwise_is_read_inside_too(name: str) -> None:
    address = "mentat@arrakis.example"
    plain, sealed = (examine(raw, address, lambda code: None) for raw in (mail(name), in_one_piece(around(mail(name)))))
    assert sealed.verdict == plain.verdict
    assert sealed.reading.lines == plain.reading.lines != ()


@pytest.mark.parametrize("length", [0, 1, 127, 128, 255, 256, 65_535, 65_536, 900_000])
def test_a_content_of_any_length_is_unwrapped(length: int) -> None:
    assert signed_content(around(b"x" * length)) == b"x" * length


@pytest.mark.parametrize(
    "chunked",
    [
        der(CHUNKS, der(OCTETS, b"bid "), der(OCTETS, b""), der(OCTETS, b"4")),
        b"\x24\x80" + der(OCTETS, b"bid ") + der(OCTETS, b"4") + END,
        b"\x24\x80" + der(CHUNKS, der(OCTETS, b"bid")) + b"\x24\x80" + der(OCTETS, b" 4") + END + END,
    ],
)
def test_a_content_in_chunks_is_put_together(chunked: bytes) -> None:
    assert signed_content(structure(chunked)) == b"bid 4"


def test_a_structure_without_lengths_is_read() -> None:
    algorithms = b"\x31\x80" + der(SEQUENCE, der(OBJECT, b"\x2a")) + END
    inside = b"\x30\x80" + der(OBJECT, DATA) + b"\xa0\x80" + der(OCTETS, b"bid 4") + END + END
    data = b"\x30\x80" + der(0x02, b"\1") + algorithms + inside + END
    assert signed_content(b"\x30\x80" + der(OBJECT, SIGNED_DATA) + b"\xa0\x80" + data + END + END) == b"bid 4"


def test_what_is_encrypted_detached_or_cut_off_stays_closed() -> None:
    whole = around(b"Content-Type: text/plain\r\n\r\nbid 4")
    assert read(whole) == ("bid 4", ())
    certificates = der(EXPLICIT, der(OCTETS, b"bid 4"))  # the structure's certificates; its text is detached
    detached = der(SEQUENCE, der(0x02, b"\1"), der(SET), der(SEQUENCE, der(OBJECT, DATA)), certificates)
    for closed in (
        structure(der(OCTETS, b"bid 4"), kind=ENVELOPED_DATA), structure(),
        der(SEQUENCE, der(OBJECT, SIGNED_DATA), der(EXPLICIT, detached)),
        *(whole[:end] for end in range(len(whole))),
    ):  # fmt: skip
        assert signed_content(closed) is None
        assert read(closed) == CLOSED


def test_a_signed_piece_within_a_signed_piece_holds_no_mail() -> None:
    """In PKCS #7 (RFC 2315), the content is not a string of bytes."""
    inner = der(SEQUENCE, der(0x02, b"\1"), der(SET), der(SEQUENCE, der(OBJECT, DATA), der(EXPLICIT, b"")), der(SET))
    assert read(structure(inner, inner=SIGNED_DATA)) == CLOSED


@pytest.mark.parametrize(("most", "told"), [(0, ("bid 4", ())), (-1, CLOSED)])
def test_a_signed_piece_that_is_too_large_stays_closed(
    most: int, told: tuple[str | None, tuple[str, ...]], monkeypatch: pytest.MonkeyPatch
) -> None:
    sealed = around(b"Content-Type: text/plain\r\n\r\nbid 4")
    monkeypatch.setattr("bot.mail.signatures.MAX_SEALED", len(sealed) + most)
    assert read(sealed) == told


def test_what_is_inside_a_signed_piece_is_weighed_before_it_is_read() -> None:
    assert read(around(b"X-Row: 1\r\n" * 5_001 + mail("pgp-fits-without-a-key"))) == CLOSED


_BEGINS = bytes.fromhex("308006092a864886f70d010702a0803080020101310030800601ffa080")


@pytest.mark.parametrize(
    "hostile",
    [
        b"", b"\x30", b"\x30\x84\xff\xff\xff\xff", b"\x1f\x80", b"\x06\x80", b"\x30\x80" * 500_000,
        _BEGINS + b"\x24\x80" * 490_000, _BEGINS + b"\x24\x80" + b"\x04\0" * 480_000, _BEGINS + b"\x24\x82\xff\xff\x04",
        _BEGINS.replace(b"\x31\0", b"\x31\x80" * 100_000),
    ],
)  # fmt: skip
def test_a_structure_made_to_be_costly_costs_little(hostile: bytes) -> None:
    start = time.process_time()
    assert signed_content(hostile) is None
    assert time.process_time() - start < 2
