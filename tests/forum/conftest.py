"""Servers that live as long as the session, shared with the tests of channels."""

from tests.channels.conftest import mailman as mailman
