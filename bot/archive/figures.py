"""The figures behind a game's plots, gathered in one pass over its steps.

Public facts are always included. Facts hidden behind the shields (spice, reserves, names of cards) are included only if
the game's policy publishes them after the end. Nothing is ever totalled for a person across games.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from typing import Any

from bot.archive.games import FinishedGame, Step, View, record_head, rules_of
from bot.record.lines import Act, Decided
from rules.chapters import victory
from rules.components import Faction, Forces
from rules.engine.play import Play
from rules.orders import PhaseName
from rules.state.events import Event

SOURCES = ("collected", "strongholds", "charity", "leaders", "cards", "shipments", "others")
"""The sources of a faction's spice: the sand, cities, CHOAM, killed leaders, the cards and shipments that other players
pay for, and gifts from other players."""

OF_ONE = "of-one"
"""The shared key for all kinds of decision that only one faction makes."""

_SAME: Mapping[str, str] = {"intrusion": "bg-status"}

SEEN_BY_ALL = SOURCES[:4]


@dataclass(frozen=True, slots=True)
class Standing:
    """A faction's tokens and spice at the end of a turn. ``reserves`` and ``spice`` are None if they are not
    published."""

    board: int
    tanks: int
    reserves: int | None
    spice: int | None


@dataclass(frozen=True, slots=True)
class Sale:
    """A card that was sold. ``number`` is its position in the turn's auction. ``card`` is empty if the card's name is
    not published."""

    turn: int
    number: int
    buyer: Faction
    price: int
    karama: bool
    card: str


@dataclass(frozen=True, slots=True)
class FoughtBattle:
    """A battle between two sides. ``totals`` are the dials plus the leaders' strengths, or empty if no strengths were
    compared. ``how`` names the reason for the result."""

    turn: int
    territory: str
    sides: tuple[Faction, Faction]
    dials: Mapping[Faction, float] = field(default_factory=dict)
    totals: Mapping[Faction, float] = field(default_factory=dict)
    winner: Faction | None = None
    how: str = ""
    lost: Mapping[Faction, int] = field(default_factory=dict)
    leaders: Sequence[str] = ()


@dataclass(frozen=True, slots=True)
class StormMove:
    turn: int
    start: int
    end: int
    sectors: int
    killed: Mapping[Faction, int]
    spice: int


class Figures:
    def __init__(self, game: FinishedGame) -> None:
        self.game = game
        self.rules = rules_of(game)
        head = record_head(game)
        self.factions: tuple[Faction, ...] = tuple(sorted(head.seats, key=lambda faction: head.seats[faction]))
        self.everything = game.policy.ended == "full"
        self.held: dict[int, dict[Faction, int]] = {}
        self.needed = _needed(game)
        self.standing: dict[int, dict[Faction, Standing]] = {}
        self.income: dict[Faction, Counter[str]] = {faction: Counter() for faction in self.factions}
        self.income_by_turn: dict[int, Counter[Faction]] = defaultdict(Counter)
        self.spent_by_turn: dict[int, Counter[Faction]] = defaultdict(Counter)
        self.first_spice: dict[Faction, int] = {}
        self.sales: list[Sale] = []
        self.unsold: Counter[int] = Counter()
        self.battles: list[FoughtBattle] = []
        self.storms: list[StormMove] = []
        self.alliances: dict[int, tuple[tuple[Faction, ...], ...]] = {}
        self.days_of_phases: dict[int, Counter[PhaseName]] = defaultdict(Counter)
        self._waits: list[tuple[int, frozenset[str]]] = []
        self._asked: dict[str, set[Faction]] = defaultdict(set)
        self.winners: tuple[Faction, ...] = ()
        self.how = ""
        self.turns = 0
        self._days = _days(game)
        self._in_battle = False
        self._last: Step | None = None
        self._spice: dict[Faction, int] = {}

    @property
    def days_known(self) -> bool:
        return sum(day is not None for day in self._days) > 1

    def days_of_kinds(self) -> Counter[str]:
        """Return the number of days on which each kind of decision was open.

        For a kind of decision that only one faction makes, the number would reveal that faction's decisions. Such kinds
        are counted together (`OF_ONE`), and left out if all of them belong to one faction.
        """
        alone = {kind: asked for kind, asked in self._asked.items() if len(asked) == 1}
        several = len(set().union(*alone.values())) > 1
        days: Counter[str] = Counter()
        for waited, kinds in self._waits:
            for kind in {OF_ONE if kind in alone else kind for kind in kinds}:
                if kind != OF_ONE or several:
                    days[kind] += waited
        return days

    def see(self, step: Step) -> None:
        if self._last is not None and step.entry != self._last.entry:
            self._wait(self._last, step.entry)
        event = step.event
        if event is not None:
            self._turn_of(event)
        if self.everything:
            self._count_spice(step)
        self._stand(step)
        self._last = step

    # --- the position at the end of each turn ----------------------------------------------------------------------

    def _stand(self, step: Step) -> None:
        if self._last is not None and step.views is self._last.views and step.turn == self._last.turn:
            return
        seen = step.views["gm" if self.everything else "public"]
        self.turns = step.turn
        self.alliances[step.turn] = tuple(tuple(group) for group in seen["alliances"])
        self.standing[step.turn] = _standing(seen)

    # --- events ----------------------------------------------------------------------------------------------------

    def _turn_of(self, event: Event) -> None:
        told = getattr(self, f"_told_{event.kind.replace('-', '_')}", None)
        if told is not None:
            told(event, event.facts)

    def _told_strongholds(self, event: Event, facts: Mapping[str, Any]) -> None:
        self.held[event.turn] = {faction: len(places) for faction, places in facts["held"].items()}

    def _told_game_won(self, event: Event, facts: Mapping[str, Any]) -> None:
        self.winners, self.how = tuple(facts["winners"]), facts["how"]

    def _told_card_sold(self, event: Event, facts: Mapping[str, Any]) -> None:
        known = event.private.get(facts["buyer"], {}) if self.everything else {}
        self.sales.append(
            Sale(
                event.turn, facts["number"], facts["buyer"], facts["price"] or 0, facts["karama"], known.get("card", "")
            )
        )

    def _told_cards_returned(self, event: Event, facts: Mapping[str, Any]) -> None:
        self.unsold[event.turn] += facts["cards"]

    def _told_battle_begins(self, event: Event, facts: Mapping[str, Any]) -> None:
        self.battles.append(FoughtBattle(event.turn, facts["territory"], (facts["aggressor"], facts["defender"])))
        self._in_battle = True

    def _told_plans_revealed(self, event: Event, facts: Mapping[str, Any]) -> None:
        self._battle(dials={plan["faction"]: plan["dial"] for plan in facts["plans"]})

    def _told_battle_won(self, event: Event, facts: Mapping[str, Any]) -> None:
        self._battle(winner=facts["winner"], how=facts["by"], totals=dict(facts["totals"] or {}))

    def _told_battle_without_winner(self, event: Event, facts: Mapping[str, Any]) -> None:
        self._battle(how=facts["why"])

    def _told_leader_killed(self, event: Event, facts: Mapping[str, Any]) -> None:
        if self._in_battle and self.battles:
            self._battle(leaders=(*self.battles[-1].leaders, facts["leader"]))

    def _told_tokens_lost(self, event: Event, facts: Mapping[str, Any]) -> None:
        if self._in_battle and self.battles and facts["territory"] == self.battles[-1].territory:
            lost = Counter(self.battles[-1].lost)
            lost[facts["faction"]] += _count(facts["forces"])
            self._battle(lost=dict(lost))

    def _told_explosion_losses(self, event: Event, facts: Mapping[str, Any]) -> None:
        lost = Counter(self.battles[-1].lost)
        lost.update({faction: _count(forces) for faction, forces in _pairs(facts["tokens_lost"])})
        self._battle(lost=dict(lost))

    def _told_storm_moved(self, event: Event, facts: Mapping[str, Any]) -> None:
        self._in_battle = False
        self.storms.append(StormMove(event.turn, facts["start"], facts["storm"], facts["sectors"], {}, 0))

    def _told_storm_killed(self, event: Event, facts: Mapping[str, Any]) -> None:
        killed = Counter(self.storms[-1].killed)
        killed[facts["faction"]] += _count(facts["forces"])
        self.storms[-1] = replace(self.storms[-1], killed=dict(killed))

    def _told_storm_took_spice(self, event: Event, facts: Mapping[str, Any]) -> None:
        self.storms[-1] = replace(self.storms[-1], spice=self.storms[-1].spice + facts["amount"])

    def _battle(self, **found: Any) -> None:
        if self.battles:
            self.battles[-1] = replace(self.battles[-1], **found)

    # --- spice -----------------------------------------------------------------------------------------------------

    def _told_spice_collected(self, event: Event, facts: Mapping[str, Any]) -> None:
        self._came("collected", event, facts["faction"], facts["amount"])

    def _told_income(self, event: Event, facts: Mapping[str, Any]) -> None:
        self._came("strongholds", event, facts["faction"], facts["amount"])

    def _told_charity(self, event: Event, facts: Mapping[str, Any]) -> None:
        self._came("charity", event, facts["faction"], facts["amount"])

    def _told_leaders_paid(self, event: Event, facts: Mapping[str, Any]) -> None:
        self._came("leaders", event, facts["faction"], facts["spice"])

    def _told_captive_killed(self, event: Event, facts: Mapping[str, Any]) -> None:
        if self.battles and (captor := self.battles[-1].winner):
            self._came("leaders", event, captor, facts["spice"])

    def _told_bribes_taken(self, event: Event, facts: Mapping[str, Any]) -> None:
        self._came("others", event, facts["faction"], facts["amount"])

    def _told_spice_given(self, event: Event, facts: Mapping[str, Any]) -> None:
        receiver = facts["receiver"]
        amount = facts.get("amount", event.private.get(receiver, {}).get("amount", 0)) if self.everything else 0
        if amount:
            self._came("others", event, receiver, amount)

    def _came(self, source: str, event: Event, faction: Faction, amount: int) -> None:
        self.income[faction][source] += amount
        self.income_by_turn[event.turn][faction] += amount
        if self.everything:
            self._spice[faction] = self._spice.get(faction, 0) + amount

    def _count_spice(self, step: Step) -> None:
        """Count the spice that moved behind the shields. Unannounced income is payment by other factions for cards and
        shipments. Spice that was committed to a battle plan and returned does not count as spent."""
        if self._last is not None and step.views is self._last.views and step.event is None:
            return
        for faction, player in step.views["gm"]["players"].items():
            now = player["spice"]
            if faction not in self.first_spice:
                self.first_spice[faction] = self._spice[faction] = now
            more = now - self._spice[faction]
            source = {"bidding": "cards", "movement": "shipments"}.get(step.phase)
            if more > 0 and source is not None:
                self.income[faction][source] += more
                self.income_by_turn[step.turn][faction] += more
            elif more:
                self.spent_by_turn[step.turn][faction] -= more
            self._spice[faction] = now

    # --- days ------------------------------------------------------------------------------------------------------

    def _wait(self, before: Step, entry: int) -> None:
        if entry < 1 or entry >= len(self._days):
            return
        was, now = self._days[entry - 1], self._days[entry]
        days = (now - was).days if was and now else 0
        if days > 0:
            self.days_of_phases[before.turn][before.phase] += days
            kinds: set[str] = set()
            for question in before.views["public"]["questions"]:
                kind = _SAME.get(question["kind"], question["kind"])
                kinds.add(kind)
                self._asked[kind].update(self.factions if question["faction"] is None else [question["faction"]])
            self._waits.append((days, frozenset(kinds)))


def _standing(seen: View) -> dict[Faction, Standing]:
    board: Counter[Faction] = Counter()
    for here in seen["forces"].values():
        for faction, forces in here.items():
            board[faction] += _count(forces)
    return {
        faction: Standing(
            board[faction],
            _count(player["tanks"]),
            None if player["reserves"] is None else _count(player["reserves"]),
            player["spice"],
        )
        for faction, player in seen["players"].items()
    }


def _needed(game: FinishedGame) -> tuple[int, int]:
    seats = dict(record_head(game).seats)
    start = Play.start(rules_of(game), "", seats).game
    pair = tuple(seats)[:2]
    return victory.needed(start, pair[:1]), victory.needed(start, pair)


def _days(game: FinishedGame) -> list[date | None]:
    days: list[date | None] = []
    for line in game.lines:
        if isinstance(line, Decided):
            days.append(line.day)
        elif isinstance(line, Act) and line.what == "rollback" and line.entries is not None:
            del days[line.entries :]
    return days


def _count(forces: str) -> int:
    return Forces.parse(str(forces)).total


def _pairs(told: Any) -> Sequence[tuple[Faction, str]]:
    return list(told.items()) if isinstance(told, Mapping) else [tuple(pair) for pair in told]
