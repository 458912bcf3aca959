"""Input that is accepted as a mail address."""

from __future__ import annotations

import pytest

from bot.mail.identity import LONGEST_ADDRESS, is_one_address


@pytest.mark.parametrize(
    "address",
    ["rey@example.org", "Rey.Kay+dune@Mail-7.Example.org", "rey@localhost", "x" * (LONGEST_ADDRESS - 4) + "@a.b"],
)
def test_an_address_alone_is_one(address: str) -> None:
    assert is_one_address(address)


@pytest.mark.parametrize("said", [
    "", "rey", "@example.org", "rey@", "rey@example.org.", "rey@-example.org", "rey@example..org", ".rey@example.org",
    "rey..kay@example.org", "rey@kay@example.org", "Rey <rey@example.org>", "<rey@example.org>", "rey@example.org\n",
    "rey@a.org,kay@a.org", "rey@a.org kay@a.org", '"rey"@example.org', "rey@exämple.org", "r\0y@example.org",
    "x" * (LONGEST_ADDRESS - 3) + "@a.b",
])  # fmt: skip
def test_nothing_else_is_an_address(said: str) -> None:
    assert not is_one_address(said)
