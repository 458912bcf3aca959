"""What each kind of event does to the board."""

from __future__ import annotations

from typing import Any

import pytest

from bot.render.material import News
from bot.render.news import Journey, changes


@pytest.mark.parametrize(
    ("kind", "facts", "lost"),
    [
        ("tokens-lost", {"territory": "carthag", "faction": "guild", "forces": "3"}, {("carthag", "guild"): "3"}),
        ("storm-killed", {"territory": "meridian", "faction": "guild", "forces": "3"}, {("meridian", "guild"): "3"}),
        ("lost-beside-ally", {"territory": "carthag", "faction": "fremen", "forces": "1+2"},
         {("carthag", "fremen"): "1+2"}),
        ("landed-in-storm", {"area": "meridian/1", "faction": "guild", "forces": "2"}, {("meridian", "guild"): "2"}),
        ("worm-ate", {"territory": "old-gap", "dead": {"guild": "2", "fremen": "1"}},
         {("old-gap", "guild"): "2", ("old-gap", "fremen"): "1"}),
        ("explosion-losses", {"territory": "carthag", "tokens_lost": {"guild": "2", "fremen": "1"}},
         {("carthag", "guild"): "2", ("carthag", "fremen"): "1"}),
        ("family-atomics", {"dead": {"guild": "2", "fremen": "1"}},
         {("shield-wall", "guild"): "2", ("shield-wall", "fremen"): "1"}),
        ("bid", {"faction": "guild", "amount": 3}, {}),
    ],
)  # fmt: skip
def test_what_an_event_cost_is_lost_where_it_stood(
    kind: str, facts: dict[str, Any], lost: dict[tuple[str, str], str]
) -> None:
    found = changes([News(4, "battle", kind, facts, {})])
    assert {where: str(forces) for where, forces in found.lost.items()} == lost
    assert found.journeys == ()


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
