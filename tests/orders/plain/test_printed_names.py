"""Tests that orders accept names as letters, pages and pictures print them."""

from __future__ import annotations

import pytest

from rules.components import FACTION_FACTS, LEADERS, Leader, leaders_of
from rules.components.board import PRINTED_TERRITORIES, TERRITORIES, TerritoryId
from tests.orders.plain.judging import context, read

DRAWN = context("traitor", "guild").known
OWN = leaders_of("harkonnen")


def printed(leader: Leader) -> list[str]:
    facts = LEADERS[leader]
    owner = FACTION_FACTS[facts.faction].name
    strength = facts.strength or "X"
    return [
        facts.name, f"{facts.name} ({strength})", f"{facts.name} ({owner})", f"{facts.name} ({owner}, {strength})",
        f"{facts.name} ({strength}, {owner})", f"{facts.name} {strength}",
    ]  # fmt: skip


@pytest.mark.parametrize("leader", OWN)
def test_a_leader_of_a_plan_may_have_its_strength_and_owner_beside_it(leader: Leader) -> None:
    for name in printed(leader):
        for line in (
            f"dial 2, {name}",
            f"{name}, dial 2",
            f"2 / {name} / lasgun / shield",
            f"plan: dial 2 leader {name}",
        ):
            assert read("plan-harkonnen", "harkonnen", line).startswith(f"taken plan dial 2 leader {leader}"), line


def test_a_traitor_may_have_its_strength_and_owner_beside_it() -> None:
    assert DRAWN is not None
    drawn = next(question.about["eligible"] for question in DRAWN().asked)
    for leader in drawn:
        for name in printed(leader)[:-1]:
            assert read("traitor", "guild", f"traitor {name}") == f"taken traitor {leader}", name
            assert read("traitor", "guild", f"I choose {name} please") == f"taken traitor {leader}", name


@pytest.mark.parametrize("name", ["Beast Rabban (6)", "Beast Rabban (Fremen)", "Beast Rabban (Harkonnen, 5)"])
def test_a_wrong_strength_or_owner_is_asked_about(name: str) -> None:
    assert not read("plan-harkonnen", "harkonnen", f"dial 2, {name}").startswith("taken")


@pytest.mark.parametrize("territory", PRINTED_TERRITORIES)
def test_a_place_may_have_its_sector_beside_it_in_every_form(territory: TerritoryId) -> None:
    facts = TERRITORIES[territory]
    for sector in facts.sectors:
        exact = read("shipment", "harkonnen", f"ship 2 to {facts.name}/{sector}")
        if not exact.startswith("taken"):  # the Polar Sink has no sector
            continue
        for place in (f"{facts.name} ({sector})", f"{facts.name} {sector}", f"{facts.name}, sector {sector}",
                      f"{facts.name} / {sector}", f"{facts.name} s{sector}"):  # fmt: skip
            assert read("shipment", "harkonnen", f"ship 2 to {place}") in (exact, "unread"), place


@pytest.mark.parametrize("half", ["2.5", "2,5", "2.50", "2,50", "2½", "2 ½", "2 1/2", "2-1/2", "two and a half"])
def test_a_half_dial_may_be_written_in_every_usual_form(half: str) -> None:
    for line in (f"dial {half}, Feyd", f"Feyd-Rautha (6) dials {half}", f"plan dial {half} leader Feyd-Rautha"):
        assert read("plan-harkonnen", "harkonnen", line) == "taken plan dial 2.5 leader Feyd-Rautha", line


@pytest.mark.parametrize(
    "forces", ["5+3", "5 + 3", "(5+3)", "5 and 3 sardaukar", "5 regular + 3 sardaukar", "3 sardaukar and 5"]
)
def test_forces_may_be_written_as_they_are_printed(forces: str) -> None:
    assert read("shipment-emperor", "emperor", f"ship {forces} to Carthag") == "taken ship 5+3 to Carthag", forces
