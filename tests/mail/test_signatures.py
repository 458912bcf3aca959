"""What is found of the signatures of a mail, and what is said of one that fails.

The mails named here are those of the corpus, signed by gpg, Sequoia and openssl; what these programs do not make is
signed on the spot.
"""

from __future__ import annotations

import base64
import hashlib
import re
import time
from pathlib import Path

import pytest
from asn1crypto import cms, core, pem

from bot.mail import disposition
from bot.mail.disposition import Checked, Examined, Outcome, Shown, check, examine, outcome
from bot.mail.message import Incoming, parse

CORPUS = Path(__file__).parent / "corpus"

FOUND: dict[str, list[Outcome]] = {
    "pgp-fits-with-an-rsa-key": ["fits"],
    "pgp-fits-with-an-ed25519-key": ["fits"],
    "pgp-fits-with-a-nistp256-key": ["fits"],
    "pgp-fits-with-a-brainpool-key": ["fits"],
    "pgp-fits-with-a-version-6-key": ["fits"],
    "pgp-fits-with-an-ed448-key": ["fits"],
    "pgp-fits-with-an-autocrypt-key": ["fits"],
    "pgp-fits-by-a-dsa-key": ["fits"],
    "pgp-fits-without-a-key": ["fits"],
    "pgp-fits-as-text": ["fits"],
    "pgp-fits-not-armored": ["fits"],
    "pgp-fits-by-two-keys": ["fits"],
    "pgp-fits-inside-a-list-mail": ["fits"],
    "pgp-fits-one-around-the-other": ["fits", "fits"],
    "pgp-fits-with-a-quantum-safe-key": ["fits"],
    "pgp-changed-text": ["changed"],
    "pgp-changed-by-a-list-footer": ["changed"],
    "pgp-changed-inside-only": ["fits", "changed"],
    "pgp-clear-fits": ["fits"],
    "pgp-clear-fits-with-an-autocrypt-key": ["fits"],
    "pgp-clear-fits-in-base64": ["fits"],
    "pgp-clear-fits-in-latin-1": ["fits"],
    "pgp-clear-fits-one-around-the-other": ["fits"],
    "pgp-clear-fits-below-other-lines": ["fits"],
    "pgp-clear-changed-text": ["changed"],
    "pgp-clear-lost-its-signature": ["damaged"],
    "smime-fits-rsa": ["fits"],
    "smime-fits-rsa-pss": ["fits"],
    "smime-fits-p521": ["fits"],
    "smime-fits-by-key-identifier": ["fits"],
    "smime-fits-without-a-certificate": ["fits"],
    "smime-fits-without-attributes": ["unproved"],
    "smime-fits-by-two": ["fits"],
    "smime-fits-in-one-piece": ["fits"],
    "smime-fits-in-one-piece-of-chunks": ["fits"],
    "smime-signed-in-one-piece": ["unproved"],
    "smime-changed-text": ["changed"],
    "smime-changed-text-without-a-certificate": ["changed"],
    "smime-changed-in-one-piece": ["changed"],
    "smime-changed-signature": ["changed"],
}


def mail(name: str) -> bytes:
    return (CORPUS / f"{name}.eml").read_bytes()


def text_of(raw: bytes) -> str:
    incoming = parse(raw)
    assert isinstance(incoming, Incoming)
    return incoming.text_plain or ""


def outcomes(raw: bytes) -> list[Outcome]:
    return [found.outcome for found in check(raw, text_of(raw))]


def read(raw: bytes) -> Examined:
    return examine(raw, "mentat@arrakis.example", lambda code: None)


@pytest.mark.parametrize("name", FOUND)
def test_each_signature_of_the_corpus_is_found_to_be_what_it_is(name: str) -> None:
    assert outcomes(mail(name)) == FOUND[name]


@pytest.mark.parametrize("name", [name for name in FOUND if "-fits" in name and "in-one-piece" not in name])
def test_a_mail_kept_with_other_line_ends_fits_as_before(name: str) -> None:
    assert outcomes(mail(name).replace(b"\r\n", b"\n")) == FOUND[name]


@pytest.mark.parametrize(
    "name",
    [
        name
        for name in FOUND
        if "-fits" in name and not re.search("base64|piece|clear-fits-one|without-attributes", name)
    ],
)
def test_one_letter_that_is_changed_is_seen(name: str) -> None:
    changed = mail(name).replace(b"pass all", b"pass 1ll", 1)

    assert all(outcome == "changed" for outcome in outcomes(changed))


@pytest.mark.parametrize("name", ["pgp-fits-without-a-key", "smime-fits-rsa", "pgp-fits-one-around-the-other"])
def test_what_servers_do_around_a_signed_part_breaks_nothing(name: str) -> None:
    """RFC 1847 section 2.1: the header of the mail, the preamble and the epilogue are not signed."""
    raw = mail(name)
    head, _, body = raw.partition(b"\r\n\r\n")
    around = (
        b"Received: by mx.arrakis.example\r\nX-Spam: no\r\n" + head + b"\r\n\r\nA preamble\r\n" + body + b"\r\nend\r\n"
    )
    content_type = re.search(rb"(?s)\r\n(Content-Type:.*?)(?=\r\n\S|\Z)", head)
    assert content_type
    in_list = (
        head.replace(content_type.group(1), b'Content-Type: multipart/mixed; boundary="list"')
        + b"\r\n\r\n--list\r\n" + content_type.group(1) + b"\r\n\r\n" + body
        + b"\r\n--list\r\nContent-Type: text/plain\r\n\r\n____\r\nThe list\r\n--list--\r\n"
    )  # fmt: skip

    assert outcomes(around) == outcomes(in_list) == FOUND[name]


def test_a_footer_beside_the_signature_changes_nothing_and_one_in_the_text_does() -> None:
    raw = mail("pgp-fits-without-a-key")
    beside = raw.replace(b"--=-=sig1--", b"--=-=sig1\r\nContent-Type: text/plain\r\n\r\nThe list\r\n--=-=sig1--")
    within = raw.replace(b"> bid 9\r\n", b"> bid 9\r\n\r\n____\r\nThe list\r\n")

    assert outcomes(beside) == ["fits"]
    assert outcomes(within) == ["changed"]


def test_who_signs_clear_text_may_write_around_it() -> None:
    seen = read(mail("pgp-clear-fits-below-other-lines"))

    assert seen.reading.lines[0] == "no move"
    assert seen.reading.notes == ()


def test_a_clear_text_that_was_made_flowed_after_it_was_signed_still_fits() -> None:
    """RFC 3676 section 4.4: a program may put a space before any line, and must before some."""
    raw = mail("pgp-clear-fits").replace(b"charset=utf-8", b"charset=utf-8; format=flowed")

    assert outcomes(raw.replace(b"\r\nbid 4", b"\r\n bid 4")) == ["fits"]
    assert outcomes(mail("pgp-clear-fits").replace(b"\r\nbid 4", b"\r\n bid 4")) == ["changed"]


def test_a_broken_signature_in_an_older_mail_below_is_not_spoken_of() -> None:
    old = mail("pgp-clear-changed-text").partition(b"\r\n\r\n")[2]
    head = mail("pgp-clear-fits").partition(b"\r\n\r\n")[0]
    quoted = b"".join(b"> " + row for row in old.splitlines(keepends=True))
    unmarked = (
        b"-----Original Message-----\r\nFrom: Baron <baron@example.org>\r\nSent: Monday\r\nTo: Mentat\r\n\r\n" + old
    )

    for below in (quoted, unmarked):
        seen = read(head + b"\r\n\r\nno shipment\r\n\r\n" + below)
        assert seen.reading.lines == ("no shipment",)
        assert seen.verdict.reason == "1 line read"


def test_the_player_is_told_what_to_do_about_a_signature_that_fails_and_their_lines_are_taken() -> None:
    whole, changed = read(mail("smime-fits-rsa")), read(mail("smime-changed-text"))

    assert (whole.verdict.disposition, changed.verdict.disposition) == ("orders", "orders")
    assert whole.reading.notes == ()
    (note,) = changed.reading.notes
    assert "does not fit its text" in note
    assert "freeze" in note
    assert changed.verdict.reason == "2 lines read; its S/MIME signature does not fit the text"


def multipart(part: bytes, protocol: str, signature: bytes, boundary: bytes = b"s") -> bytes:
    return (
        b'From: baron@example.org\r\nContent-Type: multipart/signed; boundary="%s"\r\n\r\n--%s\r\n%s\r\n--%s\r\n'
        b"Content-Type: %s\r\nContent-Transfer-Encoding: base64\r\n\r\n%s\r\n--%s--\r\n"
        % (boundary, boundary, part, boundary, protocol.encode(), base64.encodebytes(signature), boundary)
    )


def packet(tag: int, body: bytes) -> bytes:
    return bytes([0xC0 | tag, 0xFF]) + len(body).to_bytes(4, "big") + body


def integer(value: int) -> bytes:
    return value.bit_length().to_bytes(2, "big") + value.to_bytes((value.bit_length() + 7) // 8, "big")


def signature_packet(hash_algorithm: int, left_bits: bytes = b"\0\0", values: bytes = b"\0\0" * 20) -> bytes:
    return packet(2, bytes([4, 0, 1, hash_algorithm, 0, 0, 0, 0]) + left_bits + values)


def test_a_signature_of_a_version_or_a_kind_not_known_is_not_said_to_fail() -> None:
    """RFC 9580 section 5.2.1: programs before 1998 made version 3; type 0x18 binds a key, and signs no text."""
    old = packet(2, bytes([3, 5, 0, 0, 0, 0, 0]) + b"12345678" + bytes([1, 2, *[0] * 40]))
    of_a_key = packet(2, bytes([4, 0x18, 1, 8, *[0] * 40]))

    for signature in (old, of_a_key):
        assert outcomes(multipart(b"\r\nbid 4", "application/pgp-signature", signature)) == ["unproved"]


def test_a_damaged_signature_beside_one_that_fits_does_no_harm() -> None:
    raw = mail("smime-fits-by-two").replace(b"NAwICASgwDQYJKoZIhvcNAQEBBQAEggE", b"NAwICASgwDQYJKoZIhvcNAQEBBQAEggF", 1)
    assert raw != mail("smime-fits-by-two")

    assert outcomes(raw) == ["fits"]


def test_a_packet_with_anything_behind_it_is_damaged() -> None:
    for rest in (b"\0", b"\xcc", b"bid 9"):
        block = signature_packet(8) + rest
        assert outcomes(multipart(b"\r\nbid 4", "application/pgp-signature", block)) == ["damaged"]


def test_one_signature_that_fits_is_enough_and_one_not_known_speaks_for_nothing() -> None:
    digest = hashlib.sha256(b"bid 4").digest()

    assert outcome([Shown("sha256", b"12"), Shown("sha256", digest), None], [b"bid 4"]) == "fits"
    assert outcome([Shown("sha256", b"12"), None], [b"bid 4"]) == "unproved"
    assert outcome([Shown("sha256", b"12"), Shown("md5", b"12")], [b"bid 4"]) == "changed"


def sealed_in(name: str) -> bytes:
    """The structure of a mail of the corpus that is nothing but S/MIME."""
    return base64.b64decode(mail(name).replace(b"\r\n", b"\n").partition(b"\n\n")[2])


def in_one_piece(sealed: bytes) -> bytes:
    head = b'From: baron@example.org\r\nContent-Type: application/pkcs7-mime; name="smime.p7m"\r\n'
    return head + b"Content-Transfer-Encoding: base64\r\n\r\n" + base64.encodebytes(sealed)


def around(message: bytes) -> bytes:
    """A structure that holds a message and is signed by nobody."""
    data: dict[str, object] = {
        "version": "v1", "digest_algorithms": [], "signer_infos": [],
        "encap_content_info": {"content_type": "data", "content": message},
    }  # fmt: skip
    sealed: bytes = cms.ContentInfo({"content_type": "signed_data", "content": cms.SignedData(data)}).dump()
    return sealed


@pytest.mark.parametrize(
    ("name", "found"), [("pgp-fits-without-a-key", "fits"), ("pgp-changed-text", "changed"), ("smime-fits-rsa", "fits")]
)
def test_a_signed_mail_in_one_piece_of_another_kind_is_looked_at_too(name: str, found: Outcome) -> None:
    assert outcomes(in_one_piece(around(mail(name)))) == ["unproved", found]


def test_what_is_inside_a_signed_piece_is_weighed_before_it_is_read() -> None:
    many = in_one_piece(around(b"X-Row: 1\r\n" * 5_001 + mail("pgp-fits-without-a-key")))
    seen = parse(many)
    assert isinstance(seen, Incoming)
    assert (seen.text_plain, seen.unread) == (None, ("application/pkcs7-mime (smime.p7m)",))
    assert outcomes(many) == ["unproved"]


@pytest.mark.parametrize(("most", "read"), [(0, True), (-1, False)])
def test_a_signed_piece_that_is_too_large_stays_closed(most: int, read: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    sealed = around(b"Content-Type: text/plain\r\n\r\nbid 4")
    monkeypatch.setattr("bot.mail.signatures.MAX_SEALED", len(sealed) + most)
    seen = parse(in_one_piece(sealed))
    assert isinstance(seen, Incoming)
    told = ("bid 4", ()) if read else (None, ("application/pkcs7-mime (smime.p7m)",))
    assert (seen.text_plain, seen.unread) == told
    assert outcomes(in_one_piece(sealed)) == (["unproved"] if read else [])


def test_a_signed_piece_within_a_signed_piece_holds_no_mail() -> None:
    inner = cms.ContentInfo.load(around(b"bid 4"))["content"]
    outer = cms.ContentInfo.load(around(b""))
    outer["content"]["encap_content_info"] = {"content_type": "signed_data", "content": inner}
    raw = in_one_piece(outer.dump(force=True))
    seen = parse(raw)
    assert isinstance(seen, Incoming)
    assert (seen.text_plain, seen.unread) == (None, ("application/pkcs7-mime (smime.p7m)",))
    assert outcomes(raw) == []


def test_a_broken_charset_hides_no_signature_of_a_changed_text() -> None:
    changed = mail("pgp-clear-changed-text")
    assert outcomes(changed.replace(b"charset=utf-8", b"charset*=a\0b''utf-8")) == outcomes(changed) == ["changed"]


def test_what_breaks_while_signatures_are_looked_at_is_not_said_to_fail(monkeypatch: pytest.MonkeyPatch) -> None:
    def breaks(_: bytes) -> None:
        raise ZeroDivisionError("spice")

    monkeypatch.setattr("bot.mail.disposition.parse_bytes", breaks)
    assert outcomes(mail("pgp-changed-text")) == []


def test_what_is_encrypted_where_a_signature_belongs_is_not_said_to_fail() -> None:
    encrypted = sealed_in("smime-encrypted")

    assert outcomes(multipart(b"\r\nbid 4", "application/pkcs7-signature", encrypted)) == ["unproved"]


def test_other_certificates_that_come_along_hide_no_signature_that_was_changed() -> None:
    """An authority's certificate beside the signer's, as most programs send it, and one of a kind not known."""
    info = cms.ContentInfo.load(sealed_in("smime-changed-signature"))
    another = cms.ContentInfo.load(sealed_in("smime-fits-in-one-piece"))["content"]["certificates"][0]
    odd = cms.CertificateChoices(
        name="other", value=cms.OtherCertificateFormat({"other_cert_format": "1.2.3", "other_cert": core.Null()})
    )
    info["content"]["certificates"] = [*info["content"]["certificates"], another, odd]

    assert outcomes(in_one_piece(info.dump(force=True))) == ["changed"]


def test_the_signed_part_is_not_looked_for_where_the_delimiter_stands_outside_of_its_multipart() -> None:
    """Else what fits could be put there, and other lines be read."""
    raw = mail("pgp-fits-without-a-key")
    head, _, body = raw.partition(b"\r\n\r\n")
    content_type = re.search(rb"(?s)\r\n(Content-Type:.*?)(?=\r\n\S|\Z)", head)
    assert content_type
    around = (
        head.replace(content_type.group(1), b'Content-Type: multipart/mixed; boundary="list"')
        + b"\r\n\r\n" + body + b"\r\n--list\r\n" + content_type.group(1) + b"\r\n\r\n"
        + body.replace(b"pass all", b"pass 1ll") + b"\r\n--list--\r\n"
    )  # fmt: skip

    assert outcomes(around) == ["unproved"]


HOSTILE = {
    "signatures of every kind over a large text": multipart(
        b"Content-Type: text/plain\r\n\r\nbid 4\r\n" + b"x" * 990_000,
        "application/pgp-signature", b"".join(map(signature_packet, (8, 9, 10, 12, 14))),
    ),
    "spaces at the end of nothing": multipart(
        b"Content-Type: text/plain\r\n\r\nbid 4\r\n" + b" " * 990_000 + b"x",
        "application/pgp-signature", signature_packet(10),
    ),
    "a thousand texts in clear": b"From: baron@example.org\r\n\r\n"
    + b"-----BEGIN PGP SIGNED MESSAGE-----\n\nbid 4\n-----BEGIN PGP SIGNATURE-----\nx\n-----END PGP SIGNATURE-----\n"
    * 1_000,
    "beginnings without an end": b"From: baron@example.org\r\n\r\n" + b"-----BEGIN PGP SIGNED MESSAGE-----\n" * 50_000,
    "a packet that says it is longer": multipart(
        b"\r\nbid 4", "application/pgp-signature", b"\xc2\xff\xff\xff\xff\xff" + b"x" * 100
    ),
    "a packet in pieces": multipart(b"\r\nbid 4", "application/pgp-signature", b"\xc2\xe0" * 1_000),
    "packets without end": multipart(b"\r\nbid 4", "application/pgp-signature", b"\xc2\x00" * 40_000),
    "structures inside structures": multipart(b"\r\nbid 4", "application/pkcs7-signature", b"\x30\x80" * 50_000),
}  # fmt: skip


@pytest.mark.parametrize("name", HOSTILE)
def test_a_signature_made_to_be_costly_costs_little(name: str) -> None:
    text = text_of(HOSTILE[name])
    start = time.process_time()

    found = check(HOSTILE[name], text)

    assert time.process_time() - start < 2
    assert all(isinstance(one, Checked) and one.outcome != "fits" for one in found)


def test_signed_parts_around_one_another_cost_little() -> None:
    part = b"Content-Type: text/plain\r\n\r\nbid 4\r\n" + b"x" * 900_000
    for number in range(12):
        raw = multipart(part, "application/pgp-signature", signature_packet(14) * 3, b"b%d" % number)
        part = raw.partition(b"\r\n")[2]
    start = time.process_time()

    assert {found.outcome for found in check(raw, "")} <= {"unproved", "changed"}
    assert time.process_time() - start < 2


@pytest.mark.parametrize("name", ["pgp-fits-with-a-nistp256-key", "pgp-fits-with-a-version-6-key", "smime-fits-rsa"])
def test_a_signature_that_is_cut_off_is_not_good(name: str) -> None:
    raw = mail(name)
    start = raw.rindex(b"\r\n\r\n", 0, len(raw) - 200) + 4
    end = max(found.end() for found in re.finditer(rb"[\w+/=]{40,64}\r\n", raw))

    for place in range(start, end - 8, 23):
        assert outcomes(raw[:place]) in (["damaged"], ["changed"], ["unproved"])


def test_the_certificate_of_a_pem_is_none() -> None:
    """A signature part that holds text of another kind is damaged, whatever the text says."""
    text = pem.armor("CERTIFICATE", b"bid 9")

    assert outcomes(multipart(b"\r\nbid 4", "application/x-pkcs7-signature", text)) == ["damaged"]
    assert outcomes(multipart(b"\r\nbid 4", "application/pgp-signature", text)) == ["damaged"]


def test_packets_that_are_no_signatures_are_passed_over_and_one_that_ends_early_is_none() -> None:
    whole = bytes.fromhex("c20d 04000108 0000 0000 abcd 0007fe")
    marker = bytes.fromhex("ca03 504750")
    assert [shown and shown.digest for shown in disposition.openpgp_signatures(marker + whole + marker)] == [
        b"\xab\xcd"
    ]
    assert list(disposition.openpgp_signatures(marker)) == []
    for digest in ("", "ab"):
        early = bytes.fromhex(f"04000108 0000 0000 {digest}")
        with pytest.raises(ValueError, match="a signature ends before its digest"):
            list(disposition.openpgp_signatures(bytes([0xC2, len(early)]) + early))
