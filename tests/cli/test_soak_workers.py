"""Tests that `mentat soak --workers` plays the same games in several processes as in one."""

from __future__ import annotations

from tests.cli.conftest import Mentat


def test_a_tournament_of_one_turn_is_refused(mentat: Mentat) -> None:
    assert mentat("soak", "--tournament", "--turns", "1").code == 2


def test_a_database_that_is_no_server_is_refused(mentat: Mentat) -> None:
    refused = mentat("soak", "--workers", "2", "--database", "mentat.db")
    assert refused.code == 2
    assert "not a database on a server" in refused.err
