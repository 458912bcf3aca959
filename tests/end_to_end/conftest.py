"""Mail hosts for the tests in this folder."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from bot.lab.local_mail import LocalMail
from tests.dovecot_server import Dovecot, why_not_here
from tests.end_to_end.mail_clients import EVERYBODY, PASSWORD
from tests.end_to_end.post_office import PostOffice


@pytest.fixture
def dovecot_host() -> Iterator[PostOffice]:
    """Yield a real Dovecot with an SMTP server in front of it."""
    reason = why_not_here()
    if reason:
        pytest.skip(reason)
    with Dovecot(dict.fromkeys(EVERYBODY, PASSWORD)) as dovecot, PostOffice(dovecot) as office:
        yield office


@pytest.fixture
def local_host() -> Iterator[LocalMail]:
    """Yield the embedded IMAP and SMTP servers."""
    with LocalMail(dict.fromkeys(EVERYBODY, PASSWORD)) as servers:
        yield servers
