"""Proof of a sender: results from our own mail server (RFC 8601) and DKIM signatures (RFC 6376)."""

from __future__ import annotations

from random import Random

import dkim
import pytest

from bot.mail.authentication import CannotAsk, Lookup, ask_dns, stands_for, unproved_because
from bot.mail.disposition import examine
from bot.mail.message import Incoming, parse
from tests.mail.signing import Zone, signed

OURS = "mx.arrakis.example"
MAIL = b"From: Guild <guild@players.example>\r\nTo: mentat@arrakis.example\r\nSubject: orders\r\n\r\npass\r\n"


def why_not(raw: bytes, authserv_id: str = OURS, lookup: Lookup | None = None) -> str:
    incoming = parse(raw)
    assert isinstance(incoming, Incoming)
    return unproved_because(incoming, raw, authserv_id, lookup)


def with_results(*fields: str, raw: bytes = MAIL) -> bytes:
    return "".join(f"Authentication-Results: {field}\r\n" for field in fields).encode() + raw


@pytest.mark.parametrize(
    "said",
    [
        "dmarc=pass header.from=players.example",
        "dmarc=pass (p=REJECT sp=NONE dis=NONE) header.from=players.example",
        "dkim=pass header.d=players.example header.s=s1 header.b=abc; spf=fail smtp.mailfrom=x@bounces.example",
        "dkim=pass header.i=@players.example",
        "dkim=fail header.d=players.example; dkim=pass header.d=PLAYERS.example",
        "spf=pass (google.com: domain of guild@players.example designates 1.2.3.4) smtp.mailfrom=guild@players.example",
        "dmarc=none header.from=players.example; dkim=pass header.d=players.example",
        'dkim=pass reason="good; signature" header.d=players.example',
        "dkim = pass header.d = players.example",
        "dkim/1=pass header.d=players.example",
        "dkim=pass header.d=players.example header.i=@players.example header.b=Ab/+9==",
        "dkim=pass header.d=players.example header.i=x@mail.players.example",
        'dkim=pass header.s=s1 header.d="players.example"',
        "spf=pass smtp.mailfrom=players.example; spf=pass smtp.helo=mx.evil.example",
    ],
)
def test_what_our_server_found_in_order_proves_the_sender(said: str) -> None:
    assert why_not(with_results(f"{OURS}; {said}")) == ""
    assert why_not(with_results(f"{OURS.upper()} 1;\r\n\t{said}")) == ""


@pytest.mark.parametrize(
    "said",
    [
        "none",
        "dmarc=fail header.from=players.example; dkim=pass header.d=players.example",
        "dmarc=pass header.from=players.example; dmarc=fail header.from=players.example",
        "dmarc=temperror header.from=players.example",
        "dmarc=pass header.from=evil.example",
        "dmarc=pass",
        "dkim=pass header.d=evil.example",
        "dkim=pass header.d=example",
        "dkim=pass header.d=layers.example",
        "dkim=pass header.d=mail.players.example",
        "dkim=neutral header.d=players.example",
        "spf=pass smtp.mailfrom=guild@evil.example",
        "spf=pass smtp.helo=players.example",
        "auth=pass smtp.auth=guild@players.example",
        "dkim=fail (dkim=pass header.d=players.example) header.d=players.example",
        'dkim=none reason="; dmarc=pass header.from=players.example"',
        'spf=none reason="\\"; dmarc=pass header.from=players.example"',
        "dkim=fail (\\) dkim=pass header.d=players.example; dmarc=pass header.from=players.example) header.d=x.example",
        "header.d=players.example dkim=pass",
        "",
        'spf=pass smtp.mailfrom="x@players.example"@evil.example',
        'spf=pass smtp.mailfrom="x\\"@players.example"@evil.example',
        'spf=pass smtp.mailfrom="x"@players.example',
        "spf=pass smtp.mailfrom=x@evil.example@players.example",
        "spf=pass smtp.mailfrom=x@players.example@evil.example",
        "spf=pass smtp.mailfrom=x@players.example smtp.mailfrom=x@evil.example",
        "spf=pass smtp.mailfrom=x@players.example smtp.mfrom=x@players.example",
        "dkim=pass header.d=players.example header.d=players.example",
        "dkim=pass header.d=players.example header.i=@evil.example",
        "dkim=pass header.d=players.example header.i=@xplayers.example",
        "dkim=pass header.d=evil.example header.i=@players.example",
        "dkim=pass header.i=@evil.example header.d=players.example",
        "dmarc=pass header.from=players.example; dmarc=pass header.from=players.example",
        "dmarc=pass header.from=players.example header.from=evil.example",
        "dmarc=pass header.from=evil.example policy.dmarc=players.example",
        "dkim/2=pass header.d=players.example",
        "dkim=pass action=none header.d=players.example",
        "dkim=pass (header.d=players.example",
        "dkim=pass (x)) header.d=players.example",
        "dkim=pass header.d=players.example; none",
        "none; dkim=pass header.d=players.example",
        "dkim=pass header.d=players.example trailing",
        "dkim=pass header.d=pläyers.example",
        f"dkim=pass ({'x' * 9_000}) header.d=players.example",
        f"dkim=pass {'(' * 3_000} header.d=players.example",
        f"dkim=pass header.d=players.example; {'spf=fail; ' * 1_000} dmarc=fail",
    ],
)
def test_anything_else_does_not(said: str) -> None:
    assert why_not(with_results(f"{OURS}; {said}"))


GOOD = "dmarc=pass header.from=players.example"


def test_only_the_topmost_field_of_our_own_server_counts() -> None:
    assert why_not(with_results(f"{OURS}; dmarc=fail header.from=players.example", f"{OURS}; {GOOD}"))
    assert why_not(with_results(f"mx.evil.example; {GOOD}"))
    assert why_not(with_results(f"x{OURS}; {GOOD}", f"{OURS}.evil.example; {GOOD}"))
    assert why_not(with_results(f"evil.example ({OURS}); {GOOD}", f"(x) evil.example {OURS}; {GOOD}"))
    assert why_not(with_results(f"mx.other.example; dkim=fail; {OURS}; {GOOD}"))
    assert not why_not(with_results("mx.other.example; dmarc=fail", f"(ours) {OURS}; {GOOD}", f"{OURS}; dmarc=fail"))
    assert not why_not(with_results("mx.other.example ((; what is that", f"{OURS}; {GOOD}"))
    assert why_not(with_results(f"{OURS} 2; {GOOD}", f"{OURS}; {GOOD}"))
    assert why_not(with_results(*["mx.other.example; none"] * 500, f"{OURS}; {GOOD}"))


def test_no_mutation_of_what_was_said_about_another_proves_the_sender() -> None:
    said = (
        'spf=pass smtp.mailfrom="x@players.example"@evil.example',
        "dkim=pass (for players.example) header.d=evil.example header.i=@mail.evil.example",
        'dkim=none reason="dkim=pass header.d=players.example"; dmarc=none header.from=players.example',
        "dkim=fail header.d=players.example; dkim=pass header.d=players.example.evil.example",
    )
    chance = Random("mutations")
    for number in range(300):
        field = list(f"{OURS}; {said[number % len(said)]}")
        for _ in range(chance.randint(1, 3)):
            place = chance.randrange(len(OURS), len(field))
            field[place : place + chance.randint(0, 1)] = chance.choice('\\"();=@./ \t,<>x')
        assert why_not(with_results("".join(field))), "".join(field)


@pytest.mark.parametrize("fold", ["\r\n ", "\r\n\t", "\n ", "\r\n" + 300 * " ", "\r\n" + 9_000 * " ", "\r\n \r\n "])
@pytest.mark.parametrize("times", [1, 20, 60, 250])
def test_however_it_is_folded_what_stands_at_the_end_counts(fold: str, times: int) -> None:
    field = (
        f"{OURS};{fold}dkim=pass{fold}header.d=players.example{times * fold}; dmarc=fail header.from=players.example"
    )
    assert why_not(with_results(field))
    if len(field) < 8_000:
        assert not why_not(with_results(field.replace("fail", "pass")))


def test_domains_belong_together_by_their_organization_alone() -> None:
    def proves(signer: str, sender: str) -> bool:
        raw = MAIL.replace(b"players.example", sender.encode())
        return not why_not(with_results(f"{OURS}; dkim=pass header.d={signer}", raw=raw))

    assert proves("players.example", "mail.players.example")
    assert proves("players.co.uk", "a.b.players.co.uk")
    assert not proves("b.players.example", "a.b.players.example")
    assert not proves("co.uk", "players.co.uk")
    assert not proves("github.io", "players.github.io")
    assert not proves("mail.players.example", "players.example")


@pytest.mark.parametrize(
    "sender",
    [
        '"eve"@players.example, guild@players.example',
        "guild@players.example, eve@evil.example",
        'guild@players.example, "guild"@players.example',
        "<eve@evil.example> <guild@players.example>, guild@players.example",
        f"guild@players.example,{' ' * 9_000}eve@evil.example",
    ],
)
def test_a_mail_of_more_than_one_sender_is_nobodys(sender: str) -> None:
    raw = with_results(f"{OURS}; {GOOD}", raw=MAIL.replace(b"Guild <guild@players.example>", sender.encode()))
    seen = examine(raw, "mentat@arrakis.example", lambda code: None)
    assert (seen.verdict.disposition, seen.verdict.reason[-14:]) == ("rejected", "sender address")


@pytest.mark.parametrize(
    "sender", ["Guild, of Junction <guild@players.example>", '"a@b.example" <guild@players.example>']
)
def test_a_name_that_is_not_an_address_hides_no_sender(sender: str) -> None:
    raw = MAIL.replace(b"Guild <guild@players.example>", sender.encode())
    incoming = parse(raw)
    assert isinstance(incoming, Incoming)
    assert incoming.sender == "guild@players.example"


def test_domains_in_other_letters_are_others() -> None:
    assert stands_for("xn--mller-kva.example", "müller.example")
    assert not stands_for("strasse.example", "straße.example")
    assert not stands_for("fin.example", "\ufb01n.example")
    assert not stands_for("players.example", "player\u017f.example")


def test_fields_of_other_names_and_in_the_body_do_not_count() -> None:
    assert why_not(f"ARC-Authentication-Results: i=1; {OURS}; {GOOD}\r\n".encode() + MAIL)
    assert why_not(f"X-Authentication-Results: {OURS}; {GOOD}\r\n".encode() + MAIL)
    assert why_not(MAIL + f"Authentication-Results: {OURS}; {GOOD}\r\n".encode())


def test_without_a_server_that_is_trusted_nothing_that_it_says_counts() -> None:
    assert why_not(with_results(f"; {GOOD}", f"{OURS}; {GOOD}"), authserv_id="")


# --- DKIM -------------------------------------------------------------------------------------------------------------


def test_a_signature_of_the_senders_domain_proves_who_wrote() -> None:
    zone = Zone("players.example")
    assert why_not(signed(MAIL, "players.example"), "", zone) == ""
    assert zone.asked == ["spice._domainkey.players.example."]
    assert why_not(signed(MAIL, "players.example").replace(b"\r\n", b"\n"), "", zone) == ""


def test_a_signature_proves_nothing_once_anything_was_changed() -> None:
    whole = signed(MAIL, "players.example")
    changes = [
        whole.replace(b"pass\r\n", b"pass all\r\n"),
        whole + b"resign\r\n",
        whole.replace(b"Guild <guild@", b"Guild <guilt@"),
        b"From: guild@players.example\r\n" + whole,
    ]
    for changed in changes:
        assert why_not(changed, "", Zone("players.example"))


def test_a_signature_with_a_length_counts_not_even_unchanged() -> None:
    assert why_not(signed(MAIL, "players.example", length=True), "", Zone("players.example"))


def test_a_signature_of_another_domain_is_not_even_looked_up() -> None:
    zone = Zone("evil.example", "players.example.evil.example")
    assert why_not(signed(MAIL, "evil.example"), "", zone)
    assert why_not(signed(MAIL, "players.example.evil.example"), "", zone)
    assert zone.asked == []


def test_a_good_signature_counts_among_bad_ones_but_not_among_a_hundred() -> None:
    good = signed(MAIL, "players.example")
    bad = b"DKIM-Signature: v=1; a=rsa-sha256; d=players.example; s=x; h=from; bh=AAAA; b=AAAA\r\n"
    assert why_not(bad + b"DKIM-Signature: nonsense\r\n" + good, "", Zone("players.example")) == ""
    zone = Zone("players.example")
    assert why_not(bad * 100 + good, "", zone)
    assert len(zone.asked) <= 5


def test_a_key_that_is_not_there_and_a_dns_that_is_away_are_told_apart() -> None:
    whole = signed(MAIL, "players.example")
    assert "no valid DKIM signature of players.example" in why_not(whole, "", Zone())
    with pytest.raises(CannotAsk, match="no server answers"):
        why_not(whole, "", Zone("players.example", away=True))
    assert not why_not(with_results(f"{OURS}; {GOOD}", raw=whole), OURS, Zone(away=True))


def test_a_signature_that_can_be_checked_is_enough_beside_one_that_cannot() -> None:
    zone = Zone("players.example")

    def half_away(name: bytes) -> bytes | None:
        if name.startswith(b"other."):
            raise CannotAsk("no server answers")
        return zone(name)

    once = signed(MAIL, "players.example")
    other = once.replace(b"s=spice;", b"s=other;", 1)
    assert other != once
    twice = other[: other.index(b"From:")] + once
    assert why_not(twice, "", half_away) == ""


def test_a_signature_that_does_not_cover_the_date_proves_nobody() -> None:
    dated = b"Date: Tue, 26 Nov 2024 20:00:00 +0000\r\n" + MAIL
    zone = Zone("players.example")
    assert why_not(signed(dated, "players.example", include_headers=[b"from", b"to"]), "", zone)
    assert not why_not(signed(dated, "players.example", include_headers=[b"from", b"date"]), "", zone)


def test_a_signature_by_sha1_proves_nobody() -> None:
    zone = Zone("players.example")
    weak = signed(MAIL, "players.example", signature_algorithm=b"rsa-sha1")
    assert "no valid DKIM signature of players.example" in why_not(weak, "", zone)
    assert zone.asked == []


def test_the_dns_of_this_machine_that_does_not_answer_is_away(monkeypatch: pytest.MonkeyPatch) -> None:
    def silent(name: bytes) -> bytes:
        raise dkim.DnsTimeoutError(f"no answer\n for {name.decode()}")

    monkeypatch.setattr(dkim, "get_txt", silent)
    with pytest.raises(CannotAsk, match=r"^no answer for spice\._domainkey\.players\.example\.$"):
        ask_dns(b"spice._domainkey.players.example.")
    monkeypatch.setattr(dkim, "get_txt", lambda _: b"v=DKIM1")
    assert ask_dns(b"spice._domainkey.players.example.") == b"v=DKIM1"


def test_either_proof_is_enough() -> None:
    zone = Zone("players.example")
    assert why_not(signed(with_results(f"{OURS}; dkim=none"), "players.example"), OURS, zone) == ""
    assert why_not(with_results(f"{OURS}; {GOOD}"), OURS, Zone()) == ""
