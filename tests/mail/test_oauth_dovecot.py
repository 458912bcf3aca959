"""XOAUTH2 with a real Dovecot, which asks a token endpoint for an access token's owner."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from pathlib import Path

import pytest

from bot.mail.imap import ImapMailbox, ImapServer
from bot.mail.mailbox import MailboxUnavailable
from bot.mail.transport import AccessTokens, TokenEndpoint
from tests.dovecot_server import Dovecot, why_not_here
from tests.mail.token_endpoint import TokenEndpointServer

_SETTINGS = """\
auth_mechanisms = plain xoauth2
passdb {
  driver = oauth2
  mechanisms = xoauth2
  args = @RUN@/oauth2.conf
}
"""
_numbers = itertools.count(1)


@pytest.fixture(scope="module")
def provider() -> Iterator[TokenEndpointServer]:
    with TokenEndpointServer() as server:
        yield server


@pytest.fixture(scope="module", params=["SASL-IR ", ""], ids=["with SASL-IR", "without SASL-IR"])
def server(request: pytest.FixtureRequest, provider: TokenEndpointServer) -> Iterator[Dovecot]:
    if reason := why_not_here():
        pytest.skip(reason)
    made = Dovecot(more=f"{_SETTINGS}imap_capability = IMAP4rev1 {request.param}LITERAL+ IDLE UIDPLUS MOVE NAMESPACE\n")
    (made.directory / "oauth2.conf").write_text(
        f"introspection_url = {provider.introspection_url}\n"
        "introspection_mode = auth\n"
        "username_attribute = username\n"
        "active_attribute = active\n"
        "active_value = true\n"
    )
    with made:
        yield made


class Clock:
    now = 1_000_000.0

    def __call__(self) -> float:
        return self.now


class Account:
    """A fresh user with a mailbox, whose tokens come from the provider."""

    def __init__(self, server: Dovecot, provider: TokenEndpointServer, folder: Path) -> None:
        self.user = f"oauth{next(_numbers)}@arrakis.example"
        self.server = server
        self.provider = provider
        self.clock = Clock()
        asked = TokenEndpoint(provider.url, "mentat-client", "refresh-0", timeout=5)
        self.tokens = AccessTokens(asked, folder / "mentat.db.oauth", self.clock)
        self.mailbox = ImapMailbox(
            ImapServer(server.host, server.imap_port, self.user, "", security="none", timeout=5, tokens=self.tokens)
        )

    def deliver(self) -> None:
        self.server.deliver(self.user, b"Subject: x\r\n\r\nbid 4\r\n")

    def accept(self, later: int = 0) -> str:
        """Make Dovecot accept the provider's next token, or a later one."""
        token = f"access-{len(self.provider.given) + later}"
        self.provider.holders[token] = self.user
        return token


@pytest.fixture
def account(server: Dovecot, provider: TokenEndpointServer, tmp_path: Path) -> Iterator[Account]:
    made = Account(server, provider, tmp_path)
    yield made
    made.mailbox.close()


def test_dovecot_lets_us_in_with_a_token_of_the_account(account: Account) -> None:
    token = account.accept()
    account.deliver()
    (fetched,) = account.mailbox.fetch_new()
    account.mailbox.done(fetched.key)
    assert list(account.mailbox.fetch_new()) == []
    assert account.provider.examined[-1] == token


def test_a_token_that_has_ended_is_replaced_before_the_next_login(account: Account) -> None:
    account.accept()
    list(account.mailbox.fetch_new())
    account.clock.now += 3600
    second = account.accept()
    account.mailbox._drop()
    account.deliver()
    assert len(list(account.mailbox.fetch_new())) == 1
    assert account.provider.examined[-1] == second


def test_a_token_that_dovecot_takes_no_more_is_replaced_and_the_mailbox_read(account: Account) -> None:
    second = account.accept(later=1)
    account.deliver()
    assert len(list(account.mailbox.fetch_new())) == 1
    assert len(set(account.provider.examined[-2:])) == 2
    assert account.provider.examined[-1] == second == account.tokens.token()


def test_tokens_of_another_account_are_told_with_the_complaint_of_the_server(account: Account) -> None:
    with pytest.raises(MailboxUnavailable) as refused:
        list(account.mailbox.fetch_new())
    assert f"does not accept the access token for {account.user} (401 mail); check [mailbox] user" in str(refused.value)
    assert "access-" not in str(refused.value)


def test_a_token_is_kept_while_dovecot_cannot_ask_whose_it_is(account: Account) -> None:
    token = account.tokens.token()
    account.provider.out_of_order = True
    try:
        with pytest.raises(MailboxUnavailable, match="Mentat will try again") as refused:
            list(account.mailbox.fetch_new())
    finally:
        account.provider.out_of_order = False
    assert token not in str(refused.value)
    assert account.tokens.token() == token
