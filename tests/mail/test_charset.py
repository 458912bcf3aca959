"""Bytes whose charset is missing, unknown or wrong, tested on both sides of every limit."""

from __future__ import annotations

import pytest

from bot.mail.decoding import _foreign, charset_of_page, decode_bytes, is_binary

KOREAN = "아라키스 bid 4".encode("iso2022_kr")
WIDE, NARROW, ROUND = "中", "a", "一"
"""In UTF-16-LE: a letter without a zero byte, one whose second byte is zero, and one whose first byte is zero."""
MENDED = b"\x1b$B-!\x1b(B"
"""A letter from row 13, which Python's own ISO-2022-JP decoder does not support."""


@pytest.mark.parametrize(
    ("payload", "declared", "text"),
    [
        (KOREAN, "", "아라키스 bid 4"),
        (KOREAN, "us-ascii", "아라키스 bid 4"),
        (b"\x1b$)Cbid 4", "", "\x1b$)Cbid 4"),
        (b"\x1b[1m\x0ebid 4", "", "\x1b[1m\x0ebid 4"),
        ("アラキス bid 4".encode("iso2022_jp"), "", "アラキス bid 4"),
        ("アラキス bid 4".encode("iso2022_jp"), "us-ascii", "アラキス bid 4"),
        (b"+AGE-", "utf-7", "a"),
        (b"+AGE-", "", "+AGE-"),
        ("Züge".encode(), "iso-8859-1", "Züge"),
        ("Züge".encode("cp1252"), "", "Züge"),
        ("Ход".encode("koi8-r"), "koi8-r", "Ход"),
        ("Ход".encode("koi8-r"), " 'X-KOI8-R' ", "Ход"),
        (b"\x93bid 4\x94", "iso-8859-1", "“bid 4”"),
        (b"Z\xfcge", "idna", "Züge"),
        ("bid 4".encode("utf-16"), "", "bid 4"),
        (b"\xef\xbb\xbfbid 4", "", "bid 4"),
        ("ï»¿bid 4".encode(), "", "bid 4"),
        (b"bid\0 4", "", "bid 4"),
        (b"+2D0-", "utf-7", "\ufffd"),
    ],
)
def test_what_the_bytes_show_counts_then_the_label_then_a_guess(payload: bytes, declared: str, text: str) -> None:
    assert decode_bytes(payload, declared) == text


@pytest.mark.parametrize(
    ("letters", "read"),
    [
        (31 * WIDE + NARROW, True),
        (32 * WIDE + NARROW, False),
        (8 * NARROW + ROUND, True),
        (7 * NARROW + ROUND, False),
    ],
    ids=["a zero in 64 bytes", "a zero in 66", "of nine zeros one elsewhere", "of eight zeros one elsewhere"],
)
def test_wide_letters_have_zeros_enough_and_nearly_all_on_one_side(letters: str, read: bool) -> None:
    for encoding in ("utf-16-le", "utf-16-be"):
        assert (decode_bytes(letters.encode(encoding), "utf-16") == letters) is read
        assert is_binary(letters.encode(encoding)) is not read


@pytest.mark.parametrize(("narrow", "read"), [(5, True), (4, False)])
def test_more_than_half_of_very_wide_letters_are_narrow(narrow: int, read: bool) -> None:
    letters = narrow * NARROW + (8 - narrow) * WIDE
    for encoding in ("utf-32-le", "utf-32-be"):
        assert (decode_bytes(letters.encode(encoding), "utf-32") == letters) is read


def test_which_single_bytes_make_no_text_and_how_many_of_them() -> None:
    binary = {byte for byte in range(256) if is_binary(bytes((byte,)))}
    assert binary == {*range(9), *range(14, 27), *range(28, 32), 127}
    assert not is_binary(b"a" * 19 + b"\x01")
    assert is_binary(b"a" * 18 + b"\x01")
    assert not is_binary(b"")
    assert not is_binary(b"\0a")
    assert not is_binary(b"\xff\xfe\0\0\0\0")


def test_a_mended_text_has_every_letter_of_the_standard() -> None:
    """All of JIS X 0208 except six signs that Windows maps to look-alikes."""
    differ = set()
    for row in range(0x21, 0x75):
        for cell in range(0x21, 0x7F):
            try:
                letter = bytes((0x1B, 0x24, 0x42, row, cell)).decode("iso2022_jp")
            except ValueError:
                continue
            mended = decode_bytes(MENDED + bytes((0x1B, 0x24, 0x42, row, cell)), "iso-2022-jp")
            if mended != f"①{letter}":
                differ.add(letter)
    assert differ <= set("＼〜‖−¢£¬"), differ


def test_a_mended_text_keeps_the_ends_of_its_lines_and_what_is_broken_in_it() -> None:
    def mended(piece: bytes) -> str:
        return decode_bytes(MENDED + piece, "iso-2022-jp")

    assert mended(b"\x1b(I !_`\x1b(B.") == "① ｡ﾟ`."
    assert mended(b'\x1b$B%"%\r\nbid 4\n') == "①ア\r\nbid 4\n"
    assert mended(b'\x1b$B%"\r\n\x1b(Jpass') == "①ア\r\npass"


@pytest.mark.parametrize(
    ("payload", "foreign"),
    [
        (b"", False),
        (b"bid 4", False),
        (b"\xe0" * 12, True),
        (b"\xe0" * 11, False),
        (b"\xe0\xe0\xe0\xe0 " * 3, True),
        (b"\xe0\xe0\xe0 " * 4, False),
    ],
)
def test_a_language_in_other_letters_is_known_by_twelve_of_them_in_long_runs(payload: bytes, foreign: bool) -> None:
    assert _foreign(payload) is foreign


@pytest.mark.parametrize(
    ("page", "charset"),
    [
        (b'<meta charset="koi8-r">', "koi8-r"),
        (b"<p>" + b" " * 4079 + b"<meta charset=utf-8>", ""),
        (b"<p>" + b" " * 4073 + b"<meta charset=utf-8>", "utf-8"),
        (b'\n <?xml version="1.0" encoding="big5"?>', "big5"),
        (b'<?xml version="1.0" encoding="big5"?><meta charset=utf-8>', "utf-8"),
        (b'x<?xml version="1.0" encoding="big5"?>', ""),
        (b"<p>charset=utf-8", ""),
    ],
)
def test_a_page_says_its_charset_near_its_top(page: bytes, charset: str) -> None:
    assert charset_of_page(page) == charset
