"""Servers shared with the channel tests; each runs for the whole session."""

from tests.channels.conftest import mailman as mailman
