"""Orders of the battles."""

from __future__ import annotations

from typing import Literal

from rules.components import Card, Faction, Forces
from rules.components.battle_plan import Element
from rules.components.board import TerritoryId
from rules.components.tech_tokens import TechToken
from rules.orders.order import Order

VoiceKind = Literal["projectile weapon", "poison weapon", "shield", "snooper", "lasgun", "worthless"]
"""The classes of cards that the Voice may name in every edition."""

SPECIAL_CARD = "special card"
"""What the Voice may not say in 2019: it names the card instead (FAQ.BG.16)."""


class ChooseBattle(Order, frozen=True):
    """``battle FACTION in TERRITORY``"""

    opponent: Faction
    territory: TerritoryId


class Voice(Order, frozen=True):
    """``voice FACTION [not] play KIND``

    ``kind`` is a class of cards, one of ``VoiceKind``; by 2019 also ``CHEAP_HERO`` or the name of one card.
    """

    faction: Faction
    kind: str
    play: bool = True


class NoVoice(Order, frozen=True):
    """``no voice``"""


class Prescience(Order, frozen=True):
    """``prescience leader|weapon|defense|number``"""

    element: Element


class NoPrescience(Order, frozen=True):
    """``no prescience``"""


class Plan(Order, frozen=True):
    """``plan dial N[.5] [spice N] leader NAME|cheap hero|none [kwisatz haderach] [weapon CARD] [defense CARD]``

    ``leader`` is a leader's name, ``CHEAP_HERO``, or None for no leader at all.
    """

    dial: float
    leader: str | None = None
    weapon: Card | None = None
    defense: Card | None = None
    spice: int = 0
    kwisatz_haderach: bool = False


class FremenSupport(Order, frozen=True):
    """``[no] support [in] battles``: whether the Fremen's ally counts at full strength without spice."""

    granted: bool


class Treachery(Order, frozen=True):
    """``treachery``"""


class NoTreachery(Order, frozen=True):
    """``no treachery``"""


class UsePoisonTooth(Order, frozen=True):
    """``use poison tooth``"""


class NoPoisonTooth(Order, frozen=True):
    """``no poison tooth``: it does nothing in this battle, and a winner keeps it."""


class TakeToken(Order, frozen=True):
    """``take TOKEN``: one of the tech tokens of who was beaten."""

    token: TechToken


class Lose(Order, frozen=True):
    """``lose FORCES``"""

    forces: Forces


class Keep(Order, frozen=True):
    """``keep CARD, …``: of the cards played; the others are discarded. An empty tuple keeps none."""

    cards: tuple[Card, ...]


class Discard(Order, frozen=True):
    """``discard CARD, …``: of the cards played; the others are kept. An empty tuple discards none."""

    cards: tuple[Card, ...]


class Capture(Order, frozen=True):
    """``capture keep|kill`` or ``no capture``"""

    choice: Literal["keep", "kill", "none"]


class ReturnCards(Order, frozen=True):
    """``return CARD, …``"""

    cards: tuple[Card, ...]
