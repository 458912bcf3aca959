"""Fixtures for the benchmark tests."""

from tests.moderator.conftest import world as world
