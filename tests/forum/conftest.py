"""Servers shared with the channel tests, each running for the whole session."""

from tests.channels.conftest import mailman as mailman
