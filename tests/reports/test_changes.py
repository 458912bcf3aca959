"""Tests for the effect of each kind of event on the board."""

from __future__ import annotations

from typing import Any

import pytest

from bot.render.material import News
from bot.render.news import Journey, changes


@pytest.mark.parametrize(
    ("kind", "facts", "journeys"),
    [
        ("shipment", {"faction": "guild", "source": "carthag/11", "target": None},
         (("guild", "carthag/11", None, True),)),
        ("advisor", {"area": "carthag/11"}, (("bene-gesserit", None, "carthag/11", True),)),
        ("move", {"faction": "guild", "source": "carthag/11", "target": "arsunt/11"},
         (("guild", "carthag/11", "arsunt/11", False),)),
        ("worm-ridden", {"source": "old-gap/9", "target": "carthag/11"},
         (("fremen", "old-gap/9", "carthag/11", False),)),
        ("move", {"faction": "guild", "source": "old-gap/9", "target": "old-gap/10"}, ()),
        ("shipment", {"faction": "guild", "source": "old-gap/9", "target": "old-gap/10"}, ()),
    ],
)  # fmt: skip
def test_who_went_where_is_a_journey_from_one_territory_to_another(
    kind: str, facts: dict[str, Any], journeys: tuple[tuple[Any, ...], ...]
) -> None:
    assert changes([News(4, "movement", kind, facts, {})]).journeys == tuple(Journey(*one) for one in journeys)


def test_the_storm_goes_round_the_board_once_at_most() -> None:
    moved = [News(4, "storm", "storm-moved", {"start": start, "sectors": 10}, {}) for start in (3, 13)]
    found = changes(moved)
    assert (found.storm_start, found.storm_sectors) == (3, 18)
    assert changes(moved[:1]).storm_sectors == 10
