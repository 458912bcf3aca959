"""Servers for the channel tests, shared by the whole session."""

import os
from pathlib import Path

import pytest

from tests.channels import mailman_server
from tests.channels.mailman_server import List, Mailman


@pytest.fixture(scope="session")
def mailman(tmp_path_factory: pytest.TempPathFactory) -> Mailman:
    """Return a real Mailman, shared by all processes of the session."""
    if reason := mailman_server.why_not_here():
        pytest.skip(reason)
    return Mailman(_shared(tmp_path_factory) / "mailman")


def _shared(tmp_path_factory: pytest.TempPathFactory) -> Path:
    base = tmp_path_factory.getbasetemp()
    return base.parent if "PYTEST_XDIST_WORKER" in os.environ else base


@pytest.fixture(scope="session")
def mailman_list(mailman: Mailman) -> List:
    """Return a list that Mentat is a member of."""
    return mailman.list("mentat@example.net")
