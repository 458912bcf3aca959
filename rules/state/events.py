"""Events: records of the game, with the parts that each player may know.

An event holds public facts in ``facts``, and in ``private`` the secret facts that each faction may know. Everything
shown to a player is made from the events that they may see and from their view of the position (``rules.views``). Facts
are plain JSON values. Templates in ``templates/events/`` contain the wording of events.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

import msgspec

from rules.components import Card, Faction
from rules.orders import PhaseName

Viewer = Faction | Literal["public", "gm"]
Facts = Mapping[str, Any]


class Event(msgspec.Struct, frozen=True, gc=False):
    """One event of a game. ``number`` counts from 0 without gaps, so the archive can show that no event is missing.

    ``audience`` names the factions that may know about the event; None means everybody. If even the existence of an
    event is secret (a captured leader's name, told to two players), it has an audience. If the event is public and only
    its details are secret (a card dealt face down), it has ``private`` parts instead.
    """

    number: int
    turn: int
    phase: PhaseName
    kind: str
    facts: Facts
    private: Mapping[Faction, Facts] = msgspec.field(default_factory=dict)
    audience: tuple[Faction, ...] | None = None

    def visible_to(self, viewer: Viewer) -> bool:
        return self.audience is None or viewer == "gm" or viewer in self.audience

    def told_to(self, viewer: Viewer) -> Facts:
        return {} if viewer == "public" or viewer == "gm" else self.private.get(viewer, {})

    def seen_by(self, viewer: Viewer) -> dict[str, Any]:
        """Return the facts that this viewer may know. For the game master, they include all secret facts by faction,
        under ``private``."""
        seen = dict(self.facts)
        if viewer == "gm":
            if self.private:
                seen["private"] = {faction: dict(facts) for faction, facts in self.private.items()}
        elif viewer != "public":
            seen.update(self.private.get(viewer, {}))
        return seen


_encoder = msgspec.json.Encoder(order="deterministic")
_decoder = msgspec.json.Decoder(Event)


def encode(event: Event) -> bytes:
    """Return the event as JSON. Equal events give the same bytes, which the archive and ``verify`` compare."""
    return _encoder.encode(event)


def decode(data: bytes | str) -> Event:
    return _decoder.decode(data)


def card_played(kind: str, facts: Mapping[str, Any], faction: Faction) -> Card | None:
    if facts.get("faction") != faction:
        return None
    match kind:
        case "karama-played":
            return Card(facts["card"])
        case "move" if facts["hajr"]:
            return Card("Hajr")
    return _CARD_PLAYED_BY.get(kind)


_CARD_PLAYED_BY = {
    "ghola-tokens": Card("Tleilaxu Ghola"),
    "ghola-leader": Card("Tleilaxu Ghola"),
    "ghola-kwisatz-haderach": Card("Tleilaxu Ghola"),
    "truthtrance-asked": Card("Truthtrance"),
    "weather-control": Card("Weather Control"),
    "family-atomics": Card("Family Atomics"),
    "thumper": Card("Thumper"),
    "harvester": Card("Harvester"),
    "amal": Card("Amal"),
}
