"""Reply tokens: how they are made, carried and found again."""

from __future__ import annotations

import pytest

from bot.mail import identity
from bot.mail.message import Incoming, parse

SECRET = b"0123456789abcdef0123456789abcdef"
ADDRESS = "mentat@arrakis.example"
TOKEN = identity.reply_token(SECRET, "sietch-12", "harkonnen")
OTHER = identity.reply_token(SECRET, "sietch-13", "harkonnen")


def mail(**fields: str) -> Incoming:
    head = "".join(f"{name.replace('_', '-')}: {value}\n" for name, value in fields.items())
    seen = parse(f"From: b@x.example\n{head}\nbid 4\n".encode())
    assert isinstance(seen, Incoming)
    return seen


def test_a_token_names_one_seat_of_one_generation_under_one_secret() -> None:
    tokens = {
        TOKEN,
        OTHER,
        identity.reply_token(SECRET, "sietch-12", "guild"),
        identity.reply_token(SECRET, "sietch-12", "harkonnen", generation=2),
        identity.reply_token(SECRET + b"!", "sietch-12", "harkonnen"),
        identity.reply_token(SECRET, "sietch-1", "2harkonnen"),
    }
    assert len(tokens) == 6
    assert identity.reply_token(SECRET, "sietch-12", "harkonnen") == TOKEN
    assert len(TOKEN) == 16
    assert TOKEN.lower() == TOKEN


def test_an_empty_secret_makes_no_tokens() -> None:
    with pytest.raises(ValueError, match="MENTAT_SECRET"):
        identity.reply_token(b"", "sietch-12", "harkonnen")


@pytest.mark.parametrize("field", ["To", "Cc", "Delivered_To", "X_Original_To", "Envelope_To", "X_Forwarded_To"])
def test_the_token_is_found_in_every_recipient_field(field: str) -> None:
    address = identity.plus_address(ADDRESS, TOKEN).upper()
    assert identity.find_tokens(mail(**{field: f"Mentat <{address}>"}), ADDRESS) == [TOKEN]


def test_without_an_address_the_answered_mail_names_the_seat_newest_first() -> None:
    new, old = (identity.message_id(f"sietch.{n}", token, ADDRESS) for n, token in ((41, TOKEN), (12, OTHER)))
    assert identity.find_tokens(mail(In_Reply_To=f"<{new}>", References=f"<{old}> <{new}>"), ADDRESS) == [TOKEN]
    assert identity.find_tokens(mail(References=f"<{old}> <x@y.example> <{new}>"), ADDRESS) == [TOKEN]
    elsewhere = f"<sietch.41.{TOKEN}@evil.example>"
    assert identity.find_tokens(mail(In_Reply_To=elsewhere), ADDRESS) == []


def test_the_tag_in_the_subject_is_the_last_resort() -> None:
    subject = identity.tagged_subject("Re: Turn 4", TOKEN)
    assert identity.find_tokens(mail(Subject=subject), ADDRESS) == [TOKEN]
    assert identity.find_tokens(mail(Subject=f"Re: Turn 4 {TOKEN}"), ADDRESS) == []


def test_two_games_in_one_mail_are_both_reported() -> None:
    first, second = identity.plus_address(ADDRESS, TOKEN), identity.plus_address(ADDRESS, OTHER)
    assert identity.find_tokens(mail(To=first, Cc=second), ADDRESS) == [TOKEN, OTHER]
    assert identity.find_tokens(mail(To=first, Subject=identity.tagged_subject("x", OTHER)), ADDRESS) == [TOKEN, OTHER]
    assert identity.find_tokens(mail(To=first, Delivered_To=first), ADDRESS) == [TOKEN]


@pytest.mark.parametrize(
    "address",
    [f"mentat+{TOKEN}@evil.example", f"xmentat+{TOKEN}@arrakis.example", f"mentat+{TOKEN}a@arrakis.example", ADDRESS],
)
def test_other_addresses_hold_no_token(address: str) -> None:
    assert identity.find_tokens(mail(To=address), ADDRESS) == []


def test_a_bounce_names_its_seat_and_is_no_reply() -> None:
    bounce = mail(To=identity.bounce_address(ADDRESS, TOKEN))
    assert identity.find_bounced_tokens(bounce, ADDRESS) == [TOKEN]
    assert identity.find_tokens(bounce, ADDRESS) == []


def test_own_addresses_are_known_with_and_without_token() -> None:
    assert identity.is_own_address("Mentat@Arrakis.example", ADDRESS)
    assert identity.is_own_address(identity.plus_address(ADDRESS, TOKEN), ADDRESS)
    assert not identity.is_own_address("mentator@arrakis.example", ADDRESS)
    assert not identity.is_own_address("mentat@arrakis.example.org", ADDRESS)


@pytest.mark.parametrize("serial", ["", ".41", "sietch 12", "sietch@12", "sietch-12\n", "sietch<12"])
def test_a_serial_of_other_characters_makes_no_message_id(serial: str) -> None:
    with pytest.raises(ValueError, match="a message serial holds letters, digits, dots and hyphens only"):
        identity.message_id(serial, TOKEN, ADDRESS)
