"""Fixtures for the simulation tests."""

from tests.moderator.conftest import world as world
