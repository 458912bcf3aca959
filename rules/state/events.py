"""Facts: what happened, and who may know which part of it.

An event holds what everybody may know in ``facts`` and what only some may know in ``private``, by faction. Whatever a
player is shown is made from the events that they may see and from their view of the position (``rules.views``). Facts
are plain JSON values. Templates in ``templates/events/`` hold the wording of events.
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
    """One fact of a game. ``number`` counts from 0 without gaps, so the archive can show that none is missing.

    ``audience`` names those who may know that it happened at all; None is everybody. A fact whose mere existence is a
    secret (a captured leader's name told to two) has an audience; one that all see but only some understand (a card
    dealt face down) has ``private`` parts instead.
    """

    number: int
    turn: int
    phase: PhaseName
    kind: str
    facts: Facts
    private: Mapping[Faction, Facts] = msgspec.field(default_factory=dict)
    audience: tuple[Faction, ...] | None = None

    def visible_to(self, viewer: Viewer) -> bool:
        """Whether this viewer may know that it happened."""
        return self.audience is None or viewer == "gm" or viewer in self.audience

    def told_to(self, viewer: Viewer) -> Facts:
        """The facts that only this viewer's faction was told."""
        return {} if viewer == "public" or viewer == "gm" else self.private.get(viewer, {})

    def seen_by(self, viewer: Viewer) -> dict[str, Any]:
        """The facts that this viewer may know; for the game master each faction's part under ``private``."""
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
    """The event as JSON, the same bytes each time; the archive and ``verify`` compare these."""
    return _encoder.encode(event)


def decode(data: bytes | str) -> Event:
    """The event from its JSON; msgspec.ValidationError if it is none."""
    return _decoder.decode(data)


def card_played(kind: str, facts: Mapping[str, Any], faction: Faction) -> Card | None:
    """The card that the faction put down with an event of this kind, apart from battle plans."""
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
