"""The leaders of the factions (AH.COMP), from `data/leaders.toml`."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import NewType

from rules.components.factions import FACTION_FACTS, Faction
from rules.components.facts import FactsError, entries

Leader = NewType("Leader", str)
"""A leader by the name on the 1979 disc, "Feyd-Rautha"."""


@dataclass(frozen=True, slots=True)
class LeaderFacts:
    """A leader disc: its fighting strength, 1 to 7, is also what it costs to revive; 0 is printed as X. ``name_2019``
    is what the disc of that edition reads, where it is another name."""

    name: Leader
    faction: Faction
    strength: int
    aliases: tuple[str, ...]
    name_2019: str = ""


def _read_leaders() -> dict[Leader, LeaderFacts]:
    leaders = {}
    for entry in entries("leaders.toml", "leader"):
        faction, name = entry.text("faction"), Leader(entry.text("name"))
        if faction not in FACTION_FACTS:
            raise FactsError(f"{entry.where}: {faction!r} is not a faction.")
        leaders[name] = LeaderFacts(
            name, faction, entry.number("strength"), entry.texts("aliases", ()), entry.text("name_2019", "")
        )
    return leaders


LEADERS: Mapping[Leader, LeaderFacts] = _read_leaders()


@cache
def leaders_of(faction: Faction) -> tuple[Leader, ...]:
    """The five leaders of a faction, strongest first."""
    return tuple(leader.name for leader in LEADERS.values() if leader.faction == faction)


def leader_strength(leader: Leader) -> int:
    """`leader_strength(Leader("Stilgar")) == 7`."""
    return LEADERS[leader].strength


@cache
def weakest_first(faction: Faction) -> tuple[Leader, ...]:
    """The five leaders of a faction, weakest first; of two as strong as each other the one printed first."""
    return tuple(sorted(leaders_of(faction), key=leader_strength))


# --- traitor cards ---------------------------------------------------------------------------------------------------

CHEAP_HERO_CARD = Leader("Cheap Hero")
"""The traitor card that is no leader's and fits every cheap hero (IT.TRAITOR.1, IT.TRAITOR.2)."""


def traitor_owner(card: Leader) -> Faction | None:
    """The faction whose leader a traitor card shows; None for the cheap hero's."""
    return LEADERS[card].faction if card in LEADERS else None


def traitor_strength(card: Leader) -> int:
    """The strength of the leader on a traitor card; the cheap hero has none (IT.TRAITOR.4).

    >>> traitor_strength(CHEAP_HERO_CARD)
    0
    """
    return LEADERS[card].strength if card in LEADERS else 0
