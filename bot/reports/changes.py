"""What has changed on the board since a reader's last letter, from the news that they may see.

Events say it, not two positions: who went where, what was lost on the way, and how far the storm came. What was taken
back (a shipment stopped, an advisor cancelled) has not happened.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from bot.reports.given import News
from rules.components import Faction, Forces, as_faction
from rules.components.board import SECTORS, Area, TerritoryId, territory_of

log = logging.getLogger(__name__)


class Journey(NamedTuple):
    """Tokens that went: None is off the planet. ``shipped`` ones did not walk."""

    faction: Faction
    source: Area | None
    target: Area | None
    shipped: bool


@dataclass(frozen=True, slots=True)
class Changes:
    """Each journey once, however many tokens went; ``lost`` are the tokens by territory and faction; the storm came
    through ``storm_sectors`` sectors, the first of them being ``storm_start``."""

    journeys: tuple[Journey, ...] = ()
    lost: Mapping[tuple[TerritoryId, Faction], Forces] = field(default_factory=dict)
    storm_start: int = 0
    storm_sectors: int = 0


NOTHING = Changes()


def changes(news: Iterable[News]) -> Changes:
    """What these events did to the board."""
    journeys: list[Journey] = []
    lost: dict[tuple[TerritoryId, Faction], Forces] = {}
    start, sectors = 0, 0
    for event in news:
        facts = event.facts
        try:
            match event.kind:
                case "storm-moved":
                    start, sectors = start or facts["start"], sectors + facts["sectors"]
                case "shipment-stopped" | "shipment-unpaid":
                    _take_back(journeys, facts["faction"])
                case "advisor-cancelled":
                    _take_back(journeys, "bene-gesserit")
                case _:
                    journeys += _journeys(event.kind, facts)
                    for territory, faction, forces in _losses(event.kind, facts):
                        lost[territory, faction] = lost.get((territory, faction), Forces()) + Forces.parse(forces)
        except (LookupError, TypeError, ValueError, AttributeError) as error:  # a letter goes out whatever happens
            log.warning("the event %s cannot be drawn: %s", event.kind, error)
    walked = (journey for journey in journeys if not _stays(journey))
    return Changes(tuple(dict.fromkeys(walked)), lost, start, min(sectors, SECTORS))


def _journeys(kind: str, facts: Mapping[str, Any]) -> Iterable[Journey]:
    match kind:
        case "shipment":
            yield Journey(facts["faction"], facts["source"], facts["target"], True)
        case "advisor":
            yield Journey("bene-gesserit", None, facts["area"], True)
        case "move":
            yield Journey(facts["faction"], facts["source"], facts["target"], False)
        case "worm-ridden":
            yield Journey("fremen", facts["source"], facts["target"], False)


def _losses(kind: str, facts: Mapping[str, Any]) -> Iterable[tuple[TerritoryId, Faction, str]]:
    match kind:
        case "tokens-lost" | "storm-killed" | "lost-beside-ally":
            yield facts["territory"], facts["faction"], facts["forces"]
        case "landed-in-storm":
            yield territory_of(facts["area"]), facts["faction"], facts["forces"]
        case "worm-ate":
            for faction, forces in facts["dead"].items():
                yield facts["territory"], as_faction(faction), forces
        case "explosion-losses":
            for faction, forces in facts["tokens_lost"].items():
                yield facts["territory"], as_faction(faction), forces
        case "family-atomics":
            for faction, forces in facts["dead"].items():
                yield TerritoryId("shield-wall"), as_faction(faction), forces


def _take_back(journeys: list[Journey], faction: str) -> None:
    """The last shipment of a faction has not happened."""
    for number in reversed(range(len(journeys))):
        if journeys[number].shipped and journeys[number].faction == faction:
            del journeys[number]
            return


def _stays(journey: Journey) -> bool:
    """Whether it begins and ends in one territory."""
    source, target = journey.source, journey.target
    return bool(source and target) and territory_of(Area(str(source))) == territory_of(Area(str(target)))
