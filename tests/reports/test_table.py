"""Tests for the table of players in a letter, which shows what everybody may see."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec.structs import replace

from bot.render.position import own, table
from bot.wording import say
from tests.reports.positions import HARKONNEN, VIEW


def living_leaders(players: dict[str, Any]) -> dict[str, str]:
    """Return the number of living leaders that the table shows for each faction."""
    made = table(replace(HARKONNEN, view={**VIEW, "players": players}))
    place = made.head.index(say("table.leaders"))
    return {str(row[0]): str(row[place]) for row in made.rows}


@pytest.mark.parametrize(("status", "alive"), [("ghola", "1"), ("dead", "0")])
def test_a_leader_in_the_service_of_others_counts_for_them_while_alive(status: str, alive: str) -> None:
    atreides = {**VIEW["players"]["atreides"], "leaders": {"Lady Jessica": "ready", "Duncan Idaho": status}}
    tleilaxu = {**VIEW["players"]["guild"], "ally": "", "leaders": {}, "gholas": {"Duncan Idaho": "atreides"}}
    found = living_leaders({"atreides": atreides, "tleilaxu": tleilaxu})
    assert found == {"Atreides": "1", "Tleilaxu": alive}


def test_the_tleilaxu_read_which_of_their_face_dancers_lie_open() -> None:
    harkonnen = VIEW["players"]["harkonnen"]
    mine = {**harkonnen, "face_dancers": ["Caid", "Bashar"], "revealed_dancers": ["Caid"]}
    rows = own(replace(HARKONNEN, view={**VIEW, "players": {"harkonnen": mine}})).rows
    (dancers,) = [text for row in rows if row.label == say("own.dancers") for text in row.lines]
    assert dancers == "Caid (Emperor), shown, Bashar (Emperor)"
