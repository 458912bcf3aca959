"""What is found of the signatures of a mail, and what is said of one that fails.

The mails named here are those of the corpus, signed by gpg, Sequoia and openssl; what these programs do not make is
signed on the spot.
"""

from __future__ import annotations

import base64
import hashlib
import re
import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from asn1crypto import algos, cms, pem, x509
from cryptography import x509 as certificates
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ed25519

from bot.mail.disposition import Examined, examine
from bot.mail.signatures import Checked, check
from bot.mail.signatures.openpgp import check as check_openpgp
from bot.mail.signatures.outcome import Outcome, Work
from bot.mail.signatures.public_key import keys_of

CORPUS = Path(__file__).parent / "corpus"
SENDER = "baron@example.org"

FOUND: dict[str, list[Outcome]] = {
    "pgp-fits-with-an-rsa-key": ["good"],
    "pgp-fits-with-an-ed25519-key": ["good"],
    "pgp-fits-with-a-nistp256-key": ["good"],
    "pgp-fits-with-a-brainpool-key": ["good"],
    "pgp-fits-with-a-version-6-key": ["good"],
    "pgp-fits-with-an-ed448-key": ["good"],
    "pgp-fits-with-an-autocrypt-key": ["good"],
    "pgp-fits-by-a-dsa-key": ["unproved"],
    "pgp-fits-without-a-key": ["unproved"],
    "pgp-fits-as-text": ["unproved"],
    "pgp-fits-not-armored": ["unproved"],
    "pgp-fits-by-two-keys": ["unproved"],
    "pgp-fits-inside-a-list-mail": ["unproved"],
    "pgp-fits-one-around-the-other": ["unproved", "unproved"],
    "pgp-fits-with-a-quantum-safe-key": ["unproved"],
    "pgp-changed-text": ["changed"],
    "pgp-changed-by-a-list-footer": ["changed"],
    "pgp-changed-inside-only": ["unproved", "changed"],
    "pgp-clear-fits": ["unproved"],
    "pgp-clear-fits-with-an-autocrypt-key": ["good"],
    "pgp-clear-fits-in-base64": ["unproved"],
    "pgp-clear-fits-in-latin-1": ["unproved"],
    "pgp-clear-fits-one-around-the-other": ["unproved"],
    "pgp-clear-fits-below-other-lines": ["unproved"],
    "pgp-clear-changed-text": ["changed"],
    "pgp-clear-lost-its-signature": ["damaged"],
    "smime-fits-rsa": ["good"],
    "smime-fits-rsa-pss": ["good"],
    "smime-fits-p521": ["good"],
    "smime-fits-by-key-identifier": ["good"],
    "smime-fits-without-a-certificate": ["unproved"],
    "smime-fits-without-attributes": ["good"],
    "smime-fits-by-two": ["good"],
    "smime-fits-in-one-piece": ["good"],
    "smime-fits-in-one-piece-of-chunks": ["good"],
    "smime-changed-text": ["changed"],
    "smime-changed-text-without-a-certificate": ["changed"],
    "smime-changed-in-one-piece": ["changed"],
    "smime-changed-signature": ["changed"],
}


def mail(name: str) -> bytes:
    return (CORPUS / f"{name}.eml").read_bytes()


def outcomes(raw: bytes, sender: str = SENDER) -> list[Outcome]:
    return [found.outcome for found in check(raw, sender)]


def read(raw: bytes) -> Examined:
    return examine(raw, "mentat@arrakis.example", lambda code: None)


@pytest.mark.parametrize("name", FOUND)
def test_each_signature_of_the_corpus_is_found_to_be_what_it_is(name: str) -> None:
    assert outcomes(mail(name)) == FOUND[name]


@pytest.mark.parametrize("name", [name for name in FOUND if "-fits" in name and "in-one-piece" not in name])
def test_a_mail_kept_with_other_line_ends_fits_as_before(name: str) -> None:
    assert outcomes(mail(name).replace(b"\r\n", b"\n")) == FOUND[name]


@pytest.mark.parametrize(
    "name", [name for name in FOUND if "-fits" in name and not re.search("base64|piece|clear-fits-one", name)]
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

    assert outcomes(beside) == ["unproved"]
    assert outcomes(within) == ["changed"]


def test_a_key_of_somebody_else_proves_nothing() -> None:
    assert outcomes(mail("pgp-fits-with-an-rsa-key"), "emperor@example.org") == ["unproved"]
    assert outcomes(mail("pgp-fits-with-an-autocrypt-key"), "emperor@example.org") == ["unproved"]


def test_two_keys_in_the_header_are_none() -> None:
    raw = mail("pgp-fits-with-an-autocrypt-key")
    field = re.search(rb"(?s)Autocrypt:.*?\r\n(?=\S)", raw)
    assert field

    assert outcomes(field.group() + raw) == ["unproved"]
    assert outcomes(raw.replace(b"prefer-encrypt=", b"prefer=")) == ["unproved"]


def test_a_signature_that_only_looks_right_is_seen_by_the_key() -> None:
    """The left 16 bits of the digest fit, the numbers do not."""
    name = "pgp-fits-with-an-ed25519-key"
    raw = mail(name)
    armored = re.search(rb"(?s)(-----BEGIN PGP SIGNATURE-----\r\n\r\n)(.*?)(=.{4})\r\n-----END PGP SIG", raw)
    assert armored
    packet = bytearray(base64.b64decode(armored.group(2)))
    packet[-1] ^= 1

    assert outcomes(raw.replace(armored.group(2), base64.encodebytes(packet))) == ["changed"]
    without_key = raw.replace(b"application/pgp-keys", b"application/x-other")
    assert outcomes(without_key) == ["changed"]  # for the type of a part is signed as well


def test_who_signs_clear_text_may_write_around_it() -> None:
    seen = read(mail("pgp-clear-fits-below-other-lines"))

    assert seen.reading.lines[0] == "no move"
    assert seen.reading.notes == ()


def test_a_clear_text_that_was_made_flowed_after_it_was_signed_still_fits() -> None:
    """RFC 3676 section 4.4: a program may put a space before any line, and must before some."""
    raw = mail("pgp-clear-fits").replace(b"charset=utf-8", b"charset=utf-8; format=flowed")

    assert outcomes(raw.replace(b"\r\nbid 4", b"\r\n bid 4")) == ["unproved"]
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


def test_the_player_is_told_what_to_do_about_a_signature_that_fails_and_his_lines_are_taken() -> None:
    whole, changed = read(mail("smime-fits-rsa")), read(mail("smime-changed-text"))

    assert (whole.verdict.disposition, changed.verdict.disposition) == ("orders", "orders")
    assert whole.reading.notes == ()
    (note,) = changed.reading.notes
    assert "does not fit its text" in note
    assert "freeze" in note
    assert changed.verdict.reason == "2 lines read; its S/MIME signature does not fit the text"


def test_ed25519_and_other_signed_attributes_of_smime_are_looked_at() -> None:
    """RFC 8419 for the algorithm; RFC 5652 section 11.1: the content type must be the one that was signed."""
    assert outcomes(signed_with_ed25519()) == ["good"]
    assert outcomes(signed_with_ed25519(content_type="signed_data")) == ["changed"]
    assert outcomes(signed_with_ed25519(change=lambda signature: signature[:-1] + bytes([signature[-1] ^ 1]))) == [
        "changed"
    ]


def signed_with_ed25519(
    content_type: str = "data", change: Callable[[bytes], bytes] = lambda signature: signature
) -> bytes:
    """A mail with a detached S/MIME signature; ``change`` spoils the signature."""
    key = ed25519.Ed25519PrivateKey.from_private_bytes(hashlib.sha256(b"baron").digest())
    name = certificates.Name([certificates.NameAttribute(certificates.NameOID.COMMON_NAME, "Baron")])
    start = datetime(2026, 1, 1, tzinfo=UTC)
    builder = certificates.CertificateBuilder(name, name, key.public_key(), 7, start, start + timedelta(days=9))
    certificate = x509.Certificate.load(builder.sign(key, None).public_bytes(serialization.Encoding.DER))
    part = b"Content-Type: text/plain\r\n\r\nbid 4\r\n"
    digest = algos.DigestAlgorithm({"algorithm": "sha512"})
    attributes = cms.CMSAttributes(
        [
            cms.CMSAttribute({"type": "content_type", "values": [content_type]}),
            cms.CMSAttribute({"type": "message_digest", "values": [hashlib.sha512(part).digest()]}),
        ]
    )
    serial = cms.IssuerAndSerialNumber({"issuer": certificate.issuer, "serial_number": certificate.serial_number})
    signer = cms.SignerInfo(
        {
            "version": "v1",
            "sid": cms.SignerIdentifier("issuer_and_serial_number", serial),
            "digest_algorithm": digest,
            "signed_attrs": attributes,
            "signature_algorithm": {"algorithm": "ed25519"},
            "signature": change(key.sign(attributes.dump())),
        }
    )
    signed = cms.SignedData(
        {
            "version": "v1",
            "digest_algorithms": [digest],
            "encap_content_info": {"content_type": "data"},
            "certificates": [certificate],
            "signer_infos": [signer],
        }
    )
    sealed = cms.ContentInfo({"content_type": "signed_data", "content": signed}).dump()
    return multipart(part, "application/pkcs7-signature", sealed)


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


def test_an_old_signature_of_version_3_is_read() -> None:
    """RFC 9580 section 5.2.2: type and time are hashed behind the text."""
    hashed = b"\x00" + (1_790_000_000).to_bytes(4, "big")
    left = hashlib.sha1(b"bid 4" + hashed).digest()[:2]
    body = b"\x03\x05" + hashed + b"12345678" + bytes([1, 2]) + left + integer(4)

    assert check_openpgp(packet(2, body), [b"bid 4"], [], Work()) == "unproved"
    assert check_openpgp(packet(2, body), [b"bid 5"], [], Work()) == "changed"


@pytest.mark.parametrize("bits", [(8_192, 8_192), (60_000, 17), (3_072, 3_072)])
def test_a_key_that_would_take_long_is_not_used(bits: tuple[int, int]) -> None:
    modulus, exponent = (1 << bits[0] - 1) + 1, (1 << bits[1] - 1) + 1
    block = packet(6, b"\x04\0\0\0\0\x01" + integer(modulus) + integer(exponent)) + packet(13, b"<baron@example.org>")
    (key,) = keys_of(SENDER, block)

    assert key.signed(b"d" * 32, "sha256", integer(modulus >> 1)) is None


HOSTILE = {
    "signatures of every kind over a large text": multipart(
        b"Content-Type: text/plain\r\n\r\nbid 4\r\n" + b"x" * 8_000_000,
        "application/pgp-signature", b"".join(map(signature_packet, (8, 9, 10, 12, 14))),
    ),
    "spaces at the end of nothing": multipart(
        b"Content-Type: text/plain\r\n\r\nbid 4\r\n" + b" " * 3_000_000 + b"x",
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
    start = time.process_time()

    found = check(HOSTILE[name], SENDER)

    assert time.process_time() - start < 2
    assert all(isinstance(one, Checked) and one.outcome != "good" for one in found)


def test_signed_parts_around_one_another_share_what_may_be_spent() -> None:
    part = b"Content-Type: text/plain\r\n\r\nbid 4\r\n" + b"x" * 3_000_000
    for number in range(12):
        raw = multipart(part, "application/pgp-signature", signature_packet(14), b"b%d" % number)
        part = raw.partition(b"\r\n")[2]
    start = time.process_time()

    assert set(outcomes(raw)) <= {"unproved", "changed"}
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
