"""A fresh Mentat for each test."""

from tests.moderator.conftest import world as world
