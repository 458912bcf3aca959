"""The tech tokens of an expansion (IT.TECH.1), from `data/technology.toml`."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, cast

from rules.components.factions import Faction
from rules.components.facts import entries

TechToken = Literal["heighliners", "axlotl-tanks", "spice-production"]


@dataclass(frozen=True, slots=True)
class TechTokenFacts:
    """A token as it is printed: with which faction it starts, at the end of which phase it pays, and whose doing alone
    does not set it off."""

    id: TechToken
    name: str
    owner: Faction
    pays_at: str
    not_by: Faction


TECH_TOKENS: Mapping[TechToken, TechTokenFacts] = {
    facts.id: facts
    for facts in (
        TechTokenFacts(
            cast(TechToken, entry.text("id")), entry.text("name"), entry.text("owner"), entry.text("pays_at"),
            entry.text("not_by"),
        )
        for entry in entries("technology.toml", "token")
    )
}  # fmt: skip
"""The tokens in the order in which one is taken where nobody says which."""
