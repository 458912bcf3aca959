"""The whole position of a game as plain data.

Only the flows of the phases change the state, and they change it in place. It is copied once in each phase, as a
snapshot. Anything in progress *within* a phase (the auction, the battle) is in ``rules.state.moments``. Nothing is in
progress between phases, so snapshots do not include moments. Areas, cards and leaders are named as in ``data/``.

``Promise`` is an answer about the future that still binds: what was promised, by whom, and when (WBC.AID.6 to 12).

``Expansion`` holds the facts that an expansion adds: the mobile stronghold, tech tokens, face dancers, gholas and so
on. A game without an expansion has none of this, and its position is stored without that field.

Older positions lack fields that were added later, and most snapshots are kept only as a digest. When a rule set needs
to remember more, a field is added to the position. Every new snapshot then contains that field, even in games that do
not use it. To check an older game against its digests, ``without_added_fields`` and ``without_latest_fields`` write a
position without the added fields. When you add a field, add its name to the lists that these functions use.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from dataclasses import field as dataclass_field
from typing import Any, Literal

import msgspec
from msgspec import UNSET, UnsetType, field

from rules.components import Card, Faction, Forces, Leader
from rules.components.board import STORM_START, TERRITORIES, Area, TerritoryId
from rules.components.factions import TechToken
from rules.orders import Deal as DealOrder
from rules.orders import EmperorGives, Harvester, PhaseName, QuestionKind, StrongholdStays, StrongholdTo
from rules.orders.readings import AnyAct, Condition, DealCondition


@dataclass(slots=True)
class Scope:
    """The time and place at which a promise applies: from ``first_turn`` to ``last_turn`` and, if they are named, only
    in battle, in a territory, against an opponent, for one card of the auction, or at a nexus."""

    first_turn: int
    last_turn: int
    in_battle: bool = False
    territory: TerritoryId | None = None
    opponent: Faction | None = None
    card: int = 0
    nexus: bool = False


@dataclass(slots=True)
class Promise:
    """An answer about the future that still binds.

    - ``act`` is the promised act. It is None if the program cannot check it; then the player is reminded of the promise
      whenever a question of the kinds in ``remind_at`` is asked.
    - ``made`` is the number of the event that announced the answer. If two obligations conflict, the earlier one
      prevails (A-47).
    - ``negative`` means that the question asked whether the player will *not* do the act.
    - ``condition``, if there is one, must be ``met`` before the promise binds (WBC.AID.7).
    - ``on_the_way`` marks an act that is only required so that another promise can be kept. If it cannot be done, this
      promise lapses without an announcement.
    - ``read_to`` is the number of the first event that has not yet been checked for this promise.
    """

    faction: Faction
    asker: Faction
    question: str
    word: Literal["yes", "no"]
    made: int
    scope: Scope
    act: AnyAct | None = None
    remind_at: list[QuestionKind] = dataclass_field(default_factory=list)
    negative: bool = False
    condition: Condition | None = None
    met: bool = False
    read_to: int = 0
    on_the_way: bool = False

    @property
    def forbids(self) -> bool:
        return (self.word == "no") != self.negative

    @property
    def binds(self) -> bool:
        return self.condition is None or self.met


DeckEnd = Literal["top", "bottom"]
"""The end of the treachery deck to which a card was returned."""


class KnownCard(msgspec.Struct, omit_defaults=True):
    """A card in the treachery deck whose place somebody knows. ``where`` names one end of the deck, and ``beyond`` is
    the number of cards between the card and that end."""

    card: Card
    where: DeckEnd
    beyond: int = 0


class Expansion(msgspec.Struct, omit_defaults=True):
    """The part of a position that exists only with an expansion.

    - ``stronghold_at`` is the area that the Hidden Mobile Stronghold points at, or None until it is placed.
    - ``stronghold_goes`` is its owner's decision, made in a Mentat Pause, for the next storm phase.
    - ``tech_tokens`` gives the owner of each tech token in the game.
    - ``tech_spice`` lists the tech tokens with spice on them.
    - ``sandtrout`` is true if a Sandtrout waits for the next worm.
    - ``revival_limits`` holds this turn's limits that differ from the usual limit.
    - ``technology_used`` is the turn of the last swap during bidding.
    - ``face_dancers`` are all three face dancers, and ``revealed_dancers`` are the revealed ones.
    - ``known_traitors`` are the traitor cards that their holders have shown in a call, and keep.
    - ``gholas`` are the leaders who serve another faction, each with their original faction.
    - ``dealt_cards`` are the cards in front of the player who chooses among the first treachery cards.
    - ``deck_known`` lists the cards in the deck whose place is still known to the player who put them there.
    - ``victory_number`` is the number of points needed to win, after several winners have agreed to play on; 0 means
      the usual number.
    - ``amal_filed`` lists the phases for which somebody has filed the Amal card.
    - ``harvester_filed`` lists the blows for which somebody has filed the Harvester.
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


NO_FORCES = Forces()


class Prediction(msgspec.Struct):
    """The Bene Gesserit's prediction of a winner and a turn (AH.SHIELD.BG.1)."""

    faction: Faction
    turn: int


DealStage = Literal["waiting", "due", "kept", "broken", "lapsed", "unpaid", "over"]
"""The stage of a deal with terms.

"waiting": the condition has not come true yet. "due": it has come true, or there is none. The other stages describe how
the deal ended; "over" means that nothing in it could be checked.
"""


class Terms(msgspec.Struct):
    """The terms of a deal that consists of more than words and immediate payments.

    ``escrow`` is the spice that each party has set aside and that has not been paid out. ``released`` is true once it
    is due. ``counts`` holds the number of acts this turn on which the conditions depend, up to the event ``read_to``.
    """

    secret: bool = False
    until: int = 0
    condition: DealCondition | None = None
    broken_if: DealCondition | None = None
    escrow: dict[Faction, int] = field(default_factory=dict)
    released: bool = False
    stage: DealStage = "due"
    counts: dict[str, int] = field(default_factory=dict)
    counted_in: int = 0  # the turn to which the counts belong
    read_to: int = 0


class Deal(msgspec.Struct):
    """An announced deal (AH.XIII.C). ``pays`` is the spice that each party still owes. ``terms`` is None unless the
    deal is secret, depends on a condition or has a last turn."""

    parties: tuple[Faction, Faction]
    text: str
    turn: int
    pays: dict[Faction, int] = field(default_factory=dict)
    terms: Terms | None = None


class Bribe(msgspec.Struct):
    """Spice that has been paid but waits in front of its receiver's shield until the Mentat Pause (FAQ.BRIBERY.1)."""

    payer: Faction
    receiver: Faction
    spice: int


class Offer(msgspec.Struct):
    """A private offer from one player to another. It lapses at the end of the turn."""

    giver: Faction
    order: DealOrder | EmperorGives
    number: int  # distinguishes one player's offers


class Player(msgspec.Struct):
    """One seat, with everything that is in front of its shield and behind it."""

    faction: Faction
    dot: int
    spice: int = 0
    hand: list[Card] = field(default_factory=list)
    traitors: list[Leader] = field(default_factory=list)
    dealt_traitors: list[Leader] = field(default_factory=list)  # drawn, not chosen yet
    reserves: Forces = NO_FORCES
    tanks: Forces = NO_FORCES
    captured: dict[Leader, Faction] = field(default_factory=dict)  # captured leaders, with their owners


LeaderStatus = Literal["ready", "dead", "face-down"]


class LeaderState(msgspec.Struct):
    """The state of a leader.

    - ``status`` is "face-down" after the leader's second death (AH.IX.D.5).
    - ``seen_by`` lists the only factions that know of a captive who was killed by the captors.
    - ``fought_in`` is the only territory in which the leader may fight again this round (AH.X.C.8-a).
    - ``sits_out`` means that the leader was revived during the battles and does not fight in them (AH.QA.A.5).
    """

    status: LeaderStatus = "ready"
    deaths: int = 0
    seen_by: tuple[Faction, ...] = ()  # empty means everybody
    fought_in: TerritoryId | None = None
    sits_out: bool = False


Presence = Literal["coexist", "fight", "held"]
"""The status of Bene Gesserit tokens in a territory: they stand apart, or fight and count like all others.

The rule set decides how they come to stand apart and for how long (``rules.factions.bene_gesserit_coexistence``): by a
declaration for one turn, or as advisors, who remain advisors until they flip. "held" is the status of advisors whose
flip a Karama has stopped this turn.
"""

APART: tuple[Presence, ...] = ("coexist", "held")
"""The status values of tokens that stand apart."""


class State(msgspec.Struct):
    """A position. ``players`` holds the factions in the order of their dots. ``rules.state.game`` determines the first
    player."""

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
    treachery_deck: list[Card] = field(default_factory=list)  # the first is the top
    treachery_discard: list[Card] = field(default_factory=list)  # the last is the top
    set_aside: list[Card] = field(default_factory=list)  # out of the game: Family Atomics
    spice_deck: list[str] = field(default_factory=list)  # the first is the top
    spice_discard: list[list[str]] = field(default_factory=lambda: [[], []])  # the last of each pile is its top
    last_blows: list[TerritoryId | None] = field(default_factory=lambda: [None, None])  # also of piles shuffled away
    alliances: list[tuple[Faction, ...]] = field(default_factory=list)
    old_alliances: list[tuple[Faction, ...]] = field(default_factory=list)  # the alliances at the start of the turn
    triple_alliances: bool = False  # all six agreed to alliances of three (WBC.HR.2b)
    prediction: Prediction | None = None
    kwisatz_haderach: Literal["locked", "ready", "used", "dead"] = "locked"
    lost_in_battle: int = 0  # Atreides forces, towards the Kwisatz Haderach
    presence: dict[TerritoryId, Presence] = field(default_factory=dict)
    coexisted: list[TerritoryId] = field(default_factory=list)  # at the end of the last turn, if turns end it
    ornithopters: list[Faction] = field(default_factory=list)  # factions that held a city at the end of the storm round
    ridden_to: list[TerritoryId] = field(default_factory=list)  # territories to which worms were ridden this turn
    forfeits: dict[Faction, int] = field(default_factory=dict)  # the turn that each faction sits out
    elite_revived: list[Faction] = field(default_factory=list)  # have revived their one elite token
    revived: dict[Faction, int] = field(default_factory=dict)  # tokens revived this turn
    leader_revivals: list[Faction] = field(default_factory=list)  # factions that may go on reviving leaders (AH.IX.D.1)
    sights_blocked: dict[Literal["bidding cards", "spice card", "storm card"], int] = field(
        default_factory=dict
    )  # the turn of each block
    next_storm_unseen: bool = False  # a Karama has hidden the marker from the player who draws it
    last_turn: int = 0  # the last turn that the game master announced; 0: the rule set's
    special_karamas: list[Faction] = field(default_factory=list)  # factions that have used their own special power
    fremen_support: bool = True  # the Fremen's ally fights at full strength for free (WBC.HR.6b)
    deals: list[Deal] = field(default_factory=list)
    offers: list[Offer] = field(default_factory=list)
    bribes: list[Bribe] = field(default_factory=list)  # spice before shields
    truths: list[str] = field(default_factory=list)  # answers given to Truthtrances, as announced
    promises: list[Promise] = field(default_factory=list)  # promises about the future in force, the earliest first
    waivers: dict[Faction, PhaseName] = field(default_factory=dict)  # no reactions until that phase
    winners: list[Faction] = field(default_factory=list)
    draws: dict[str, int] = field(default_factory=dict)  # draws made under each label (rules.components.chance)
    events: int = 0  # events so far, and the number of the next one
    expansion: Expansion | UnsetType = UNSET  # the state of an expansion; not written if none is played

    @property
    def box(self) -> Expansion:
        return Expansion() if self.expansion is UNSET else self.expansion

    @property
    def door(self) -> Area | None:
        """Return the area that the Hidden Mobile Stronghold points at, or None if there is no such stronghold or it has
        not been placed yet."""
        return None if self.expansion is UNSET else self.expansion.stronghold_at

    def ally_group(self, faction: Faction) -> tuple[Faction, ...]:
        """Return the faction and its allies, in the order of the alliance. A faction without allies is a group of
        one."""
        for group in self.alliances:
            if faction in group:
                return group
        return (faction,)

    def allied(self, one: Faction, other: Faction) -> bool:
        return one != other and other in self.ally_group(one)

    def forces_in(self, territory: TerritoryId) -> dict[Faction, Forces]:
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
        return [(area, here[faction]) for area, here in sorted(self.forces.items()) if faction in here]


LAST_FIELDS = ("last_turn",)
"""The fields that were added most recently."""
ADDED_TO_STATE = (
    "bribes",
    "old_alliances",
    "ridden_to",
    "forfeits",
    "revived",
    "next_storm_unseen",
    "special_karamas",
    *LAST_FIELDS,
)
ADDED_TO_PLAYERS = ("dealt_traitors",)
ADDED_TO_LEADERS = ("seen_by",)
ADDED_TO_PROMISES = ("on_the_way",)
ADDED_TO_DEALS = ("terms",)


def without_added_fields(state: bytes) -> bytes:
    """Return the same position without the fields that were added since the first rule set."""
    position: dict[str, Any] = msgspec.msgpack.decode(state)
    _drop_fields(position, ADDED_TO_STATE)
    for player in position["players"].values():
        _drop_fields(player, ADDED_TO_PLAYERS)
    for leader in position["leaders"].values():
        _drop_fields(leader, ADDED_TO_LEADERS)
    for promise in position["promises"]:
        _drop_fields(promise, ADDED_TO_PROMISES)
    for deal in position["deals"]:
        _drop_fields(deal, ADDED_TO_DEALS)
    return msgspec.msgpack.encode(position)


def without_latest_fields(state: bytes) -> bytes:
    """Return the same position without the fields that were added most recently."""
    position: dict[str, Any] = msgspec.msgpack.decode(state)
    _drop_fields(position, LAST_FIELDS)
    for deal in position["deals"]:
        _drop_fields(deal, ADDED_TO_DEALS)
    return msgspec.msgpack.encode(position)


def _drop_fields(table: dict[str, Any], names: Collection[str]) -> None:
    for name in names:
        table.pop(name, None)
