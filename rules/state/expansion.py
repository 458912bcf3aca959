"""What an expansion adds to the position: the mobile stronghold, tech tokens, face dancers, gholas and the rest.

A game without an expansion has none of this, and its position is written as if nobody had ever thought of it
(``State.expansion``).
"""

from __future__ import annotations

from typing import Literal

import msgspec
from msgspec import field

from rules.components import Card, Faction, Leader
from rules.components.board import Area
from rules.components.tech_tokens import TechToken
from rules.orders import Harvester, PhaseName, StrongholdStays, StrongholdTo

DeckEnd = Literal["top", "bottom"]
"""Where a card was put back on the treachery deck."""


class KnownCard(msgspec.Struct, omit_defaults=True):
    """A card of the treachery deck that somebody knows the place of; so many cards lie ``beyond`` it, between it and
    that end of the deck."""

    card: Card
    where: DeckEnd
    beyond: int = 0


class Expansion(msgspec.Struct, omit_defaults=True):
    """The part of a position that exists only with an expansion.

    ``stronghold_at`` is the area that the Hidden Mobile Stronghold points at, None until it has been placed;
    ``stronghold_goes`` what its owner has said in a Mentat Pause that it does in the storm phase to come.
    ``tech_tokens`` are the owners of the tokens that are in the game, ``tech_spice`` the tokens that spice lies on.
    ``sandtrout``: one waits for the next worm. ``revival_limits`` are the limits of this turn that are not the usual
    ones. ``technology_used`` is the turn in which a card was last exchanged during bidding. ``face_dancers`` are all
    three, ``revealed_dancers`` those of them that lie open. ``known_traitors`` are cards that their holders have shown
    in a call, and keep. ``gholas`` are leaders who serve another faction: whose each was. ``dealt_cards`` lie before
    who chooses among the first treachery cards. ``deck_known`` are cards of the deck that who put them there still
    knows. ``victory_number`` is how many points win, where several who had won agreed to play on; 0 for the usual
    number. ``amal_filed`` are the phases at whose beginning somebody will play Amal, ``harvester_filed`` is for what
    blow somebody will play the Harvester.
    """

    stronghold_at: Area | None = None
    stronghold_goes: StrongholdTo | StrongholdStays | None = None
    tech_tokens: dict[TechToken, Faction] = field(default_factory=dict)
    tech_spice: list[TechToken] = field(default_factory=list)
    sandtrout: bool = False
    revival_limits: dict[Faction, int] = field(default_factory=dict)
    technology_used: int = 0
    face_dancers: list[Leader] = field(default_factory=list)
    revealed_dancers: list[Leader] = field(default_factory=list)
    known_traitors: list[Leader] = field(default_factory=list)
    gholas: dict[Leader, Faction] = field(default_factory=dict)
    dealt_cards: list[Card] = field(default_factory=list)
    deck_known: list[KnownCard] = field(default_factory=list)
    victory_number: int = 0
    amal_filed: dict[Faction, PhaseName] = field(default_factory=dict)
    harvester_filed: dict[Faction, Harvester] = field(default_factory=dict)
