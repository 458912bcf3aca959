"""What is: the whole position of a game as plain data.

Only the flows of the phases change it, in place. It is copied once a phase, as a snapshot. What is going on *within*
a phase (the auction, the battle) lives in ``rules.state.moments``; those fields are empty between phases, so a snapshot
need not hold them. Areas, cards and leaders are named as in ``data/``.
"""

from __future__ import annotations

from typing import Literal

import msgspec
from msgspec import UNSET, UnsetType, field

from rules.components import Card, Faction, Forces, Leader
from rules.components.board import STORM_START, TERRITORIES, Area, TerritoryId
from rules.orders import Deal as DealOrder
from rules.orders import EmperorGives, PhaseName
from rules.orders.conditions import Condition
from rules.state.expansion import Expansion
from rules.state.promises import Promise

NONE = Forces()


class Prediction(msgspec.Struct):
    """What the Bene Gesserit wrote down (AH.SHIELD.BG.1)."""

    faction: Faction
    turn: int


DealStage = Literal["waiting", "due", "kept", "broken", "lapsed", "unpaid", "over"]
"""How far a deal with terms has come: its condition is waited for; it has come, or there is none; and how it ended.
``over``: it ended, and nothing in it could be checked."""


class Terms(msgspec.Struct):
    """What makes a deal more than words and spice at once.

    ``escrow`` is the spice that each party has set aside and not yet paid, ``released`` whether it is owed by now;
    ``counts`` is what has happened this turn of what its conditions ask for, up to the event ``read_to``.
    """

    secret: bool = False
    until: int = 0
    condition: Condition | None = None
    broken_if: Condition | None = None
    escrow: dict[Faction, int] = field(default_factory=dict)
    released: bool = False
    stage: DealStage = "due"
    counts: dict[str, int] = field(default_factory=dict)
    counted_in: int = 0  # the turn
    read_to: int = 0


class Deal(msgspec.Struct):
    """A bargain as it was announced (AH.XIII.C); ``pays`` holds what is still owed in spice. ``terms``: it is secret,
    hangs on a condition or has an end."""

    parties: tuple[Faction, Faction]
    text: str
    turn: int
    pays: dict[Faction, int] = field(default_factory=dict)
    terms: Terms | None = None


class Bribe(msgspec.Struct):
    """Spice that was paid and waits before its receiver's shield for the Mentat Pause (FAQ.BRIBERY.1)."""

    payer: Faction
    receiver: Faction
    spice: int


class Offer(msgspec.Struct):
    """What one player has put to another and nobody else knows of; it lapses at the end of the turn."""

    giver: Faction
    order: DealOrder | EmperorGives
    number: int  # tells offers of one player to another apart


class Player(msgspec.Struct):
    """One seat: what lies in front of and behind its shield."""

    faction: Faction
    dot: int
    spice: int = 0
    hand: list[Card] = field(default_factory=list)
    traitors: list[Leader] = field(default_factory=list)
    dealt_traitors: list[Leader] = field(default_factory=list)  # drawn, still to be chosen from
    reserves: Forces = NONE
    tanks: Forces = NONE
    captured: dict[Leader, Faction] = field(default_factory=dict)  # leaders of others held: whose each was


LeaderStatus = Literal["ready", "dead", "face-down"]


class LeaderState(msgspec.Struct):
    """Where a leader stands. ``face-down``: killed a second time (AH.IX.D.5). ``seen_by``: who alone knows that, of a
    captive whom the captors have killed. ``fought_in``: the territory whose
    battles they are bound to this round (AH.X.C.8-a). ``sits_out``: revived during battles (AH.QA.A.5)."""

    status: LeaderStatus = "ready"
    deaths: int = 0
    seen_by: tuple[Faction, ...] = ()  # empty is everybody
    fought_in: TerritoryId | None = None
    sits_out: bool = False


Presence = Literal["coexist", "fight", "held"]
"""How tokens of the Bene Gesserit stand in a territory: apart from the others, or as everybody's do. How it comes about
and how long it lasts is a matter of the rule set (``rules.factions.bene_gesserit.presence``): declared for one turn, or
as advisors and fighters, who stay so until they flip; ``held`` are advisors whose flip a Karama has stopped this
turn."""

APART: tuple[Presence, ...] = ("coexist", "held")
"""Where they stand apart."""


class State(msgspec.Struct):
    """A position. Factions are listed in ``players`` by dot; ``first_player`` is a matter of ``rules.state.game``."""

    players: dict[Faction, Player]
    turn: int = 1
    phase: PhaseName = "setup"
    storm: int = STORM_START
    next_storm: int | None = None  # the storm marker already drawn
    storm_dialers: tuple[Faction, ...] = ()  # who handled the battle wheels last (AH.VI.B)
    shield_wall: bool = True
    worms_seen: int = 0
    forces: dict[Area, dict[Faction, Forces]] = field(default_factory=dict)
    spice: dict[Area, int] = field(default_factory=dict)
    leaders: dict[Leader, LeaderState] = field(default_factory=dict)
    treachery_deck: list[Card] = field(default_factory=list)  # top first
    treachery_discard: list[Card] = field(default_factory=list)  # the last is the top
    set_aside: list[Card] = field(default_factory=list)  # out of the game: Family Atomics
    spice_deck: list[str] = field(default_factory=list)  # top first
    spice_discard: list[list[str]] = field(default_factory=lambda: [[], []])  # the last of each pile is its top
    last_blows: list[TerritoryId | None] = field(default_factory=lambda: [None, None])  # of piles shuffled away since
    alliances: list[tuple[Faction, ...]] = field(default_factory=list)
    old_alliances: list[tuple[Faction, ...]] = field(default_factory=list)  # as they were when the turn began
    triple_alliances: bool = False  # all six agreed to alliances of three (WBC.HR.2b)
    prediction: Prediction | None = None
    kwisatz_haderach: Literal["locked", "ready", "used", "dead"] = "locked"
    lost_in_battle: int = 0  # Atreides forces, towards the Kwisatz Haderach
    presence: dict[TerritoryId, Presence] = field(default_factory=dict)
    coexisted: list[TerritoryId] = field(default_factory=list)  # how the last turn ended, where turns end it
    ornithopters: list[Faction] = field(default_factory=list)  # who held a city when the storm round ended
    ridden_to: list[TerritoryId] = field(default_factory=list)  # where worms were ridden to this turn
    forfeits: dict[Faction, int] = field(default_factory=dict)  # the turn that each sits out, for a bid not covered
    elite_revived: list[Faction] = field(default_factory=list)  # had their one elite back this turn
    revived: dict[Faction, int] = field(default_factory=dict)  # how many tokens have come back this turn
    leader_revivals: list[Faction] = field(default_factory=list)  # may go on reviving leaders (AH.IX.D.1)
    sights_blocked: dict[Literal["bidding cards", "spice card", "storm card"], int] = field(
        default_factory=dict
    )  # in which turn
    next_storm_unseen: bool = False  # a Karama has kept the marker from who draws it
    last_turn: int = 0  # which the game master has announced as the last; 0: that of the rule set
    special_karamas: list[Faction] = field(default_factory=list)  # who has used the power of their own, where it is one
    fremen_support: bool = True  # whether the Fremen's ally fights free (WBC.HR.6b)
    deals: list[Deal] = field(default_factory=list)
    offers: list[Offer] = field(default_factory=list)
    bribes: list[Bribe] = field(default_factory=list)  # spice before shields
    truths: list[str] = field(default_factory=list)  # answers given to Truthtrances, as announced
    promises: list[Promise] = field(default_factory=list)  # those about the future that stand, the earliest first
    waivers: dict[Faction, PhaseName] = field(default_factory=dict)  # no reactions until that phase
    winners: list[Faction] = field(default_factory=list)
    draws: dict[str, int] = field(default_factory=dict)  # how often each label was drawn (rules.components.chance)
    events: int = 0  # how many events there were, the number of the next one
    expansion: Expansion | UnsetType = UNSET  # what an expansion adds; not written at all where none is played

    @property
    def box(self) -> Expansion:
        """What an expansion adds to the position; nothing where none is played."""
        return Expansion() if self.expansion is UNSET else self.expansion

    @property
    def door(self) -> Area | None:
        """The area that the Hidden Mobile Stronghold points at; None where there is none, or it has no place yet."""
        return None if self.expansion is UNSET else self.expansion.stronghold_at

    def ally_group(self, faction: Faction) -> tuple[Faction, ...]:
        """The faction and its allies, in the order of the alliance; alone it is a group of one."""
        for group in self.alliances:
            if faction in group:
                return group
        return (faction,)

    def allied(self, one: Faction, other: Faction) -> bool:
        """Whether the two are different factions of one alliance."""
        return one != other and other in self.ally_group(one)

    def forces_in(self, territory: TerritoryId) -> dict[Faction, Forces]:
        """What each faction has in all sectors of the territory together."""
        found: dict[Faction, Forces] = {}
        for area in TERRITORIES[territory].areas:
            here = self.forces.get(area)
            if not here:
                continue
            if not found:
                found = dict(here)
                continue
            for faction, forces in here.items():
                found[faction] = found[faction] + forces if faction in found else forces
        return found

    def areas_of(self, faction: Faction) -> list[tuple[Area, Forces]]:
        """Where the faction stands, area by area, in board order."""
        return [(area, here[faction]) for area, here in sorted(self.forces.items()) if faction in here]
