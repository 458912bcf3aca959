"""What a player writes: answers to what they are asked, and if they use sheets, their sheet for the round.

They play tolerably and at random. What matters for the pace is how much they settle ahead: six of ten know their move
without having seen the others', seven of ten fighters file a plan, one card of ten is left open to be asked about, and
a fighter who is voiced wants to be asked as often as not.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from random import Random

from bot.orders.language import write
from rules.chapters.battle.listing import all_battles
from rules.components import FREMEN_LANDING, Card, Faction, Forces, board, is_defense, is_weapon, leaders_of
from rules.components.board import STRONGHOLDS, TERRITORIES, Area
from rules.decisions.question import Question
from rules.engine.play import Play
from rules.orders import (
    CHEAP_HERO,
    BidUpTo,
    Karama,
    Keep,
    Move,
    NoMove,
    NoRevival,
    NoShipment,
    NoTransfer,
    NoTreachery,
    Order,
    Pass,
    PhaseName,
    Plan,
    Ship,
    Waive,
)

KNOWS_OWN_MOVE = 0.6
ON_CONDITION = 0.3  # of the moves that are known
FILES_A_PLAN = 0.7
ASKED_IF_VOICED = 0.5
LEFT_OPEN = 0.1  # of the cards for sale
HIGHEST_CAP = 6

QUIET_UNTIL: Mapping[PhaseName, PhaseName] = {
    "storm": "charity", "charity": "revival", "bidding": "revival", "revival": "battle", "movement": "battle",
    "battle": "mentat",
}  # fmt: skip
_RELUCTANT = (NoMove, NoShipment, NoRevival, NoTransfer, NoTreachery, Keep)


@dataclass(slots=True)
class Habits:
    """One player. ``uses_sheets``: they file for the round when they first look at it."""

    faction: Faction
    chance: Random
    uses_sheets: bool
    filed: set[str] = field(default_factory=set)
    _caps: dict[str, int] = field(default_factory=dict)

    def lines(self, play: Play, phases: Sequence[PhaseName]) -> list[str]:
        """Their mail, now that they look at the game. ``phases`` are those for which sheets can be filed now."""
        lines: list[str] = []
        for question in play.questions():
            if question.faction == self.faction:
                lines += self._answer(play, question)
        if self.uses_sheets:
            for phase in phases:
                if (name := f"{play.state.turn}.{phase}") not in self.filed:
                    self.filed.add(name)
                    lines += self._sheet(play, phase)
            until = next((QUIET_UNTIL[phase] for phase in reversed(phases) if phase in QUIET_UNTIL), None)
            if until:
                lines.append(write(Waive(until)))
        return list(dict.fromkeys(lines))

    # --- what they are asked ---------------------------------------------------------------------------------------

    def _answer(self, play: Play, question: Question) -> Iterator[str]:
        match question.kind:
            case "bid":
                number = question.facts["number"]
                order: Order = BidUpTo(min(self._cap(play, number), question.facts["means"]))
                yield write(order if question.refusal(order) is None else Pass())
            case "shipment":
                yield write(self._chosen(question))
                if move := self._a_move(play):
                    yield write(move)
            case _:
                yield write(self._chosen(question))

    def _chosen(self, question: Question) -> Order:
        choices = [order for order in question.samples() if not isinstance(order, Karama)]
        weights = [0.4 if isinstance(order, _RELUCTANT) else 1.0 for order in choices]
        return self.chance.choices(choices, weights)[0]

    # --- their sheet for a round -----------------------------------------------------------------------------------

    def _sheet(self, play: Play, phase: PhaseName) -> Iterable[str]:
        match phase:
            case "storm":
                return ["no storm cards"]
            case "bidding":
                return self._bids(play)
            case "movement":
                return self._movement(play)
            case "battle":
                return self._battle(play)
            case "collection":
                return ["standing: no transfer"]
        return []

    def _cap(self, play: Play, number: int) -> int:
        name = f"{play.state.turn}.{number}"
        most = min(play.state.players[self.faction].spice, HIGHEST_CAP)
        return self._caps.setdefault(name, self.chance.randint(0, most))

    def _bids(self, play: Play) -> Iterator[str]:
        for number in range(1, len(play.state.players) + 1):
            if self.chance.random() < LEFT_OPEN:
                yield f"when card {number}: ask me"
            elif cap := self._cap(play, number):
                yield f"when card {number}: bid up to {cap}"
        yield "pass all"

    def _movement(self, play: Play) -> Iterator[str]:
        if self.faction == "guild":
            yield f"go now if after {self.chance.choice([f for f in play.state.players if f != 'guild'])}"
            yield "wait"
        elif self.faction == "bene-gesserit":
            yield "advise polar sink" if self.chance.random() < 0.5 else "no advisor"
            for territory in {board.territory_of(area): None for area, _ in play.state.areas_of(self.faction)}:
                if self.chance.random() < KNOWS_OWN_MOVE:
                    yield f"coexist in {TERRITORIES[territory].name}"
        if self.chance.random() >= KNOWS_OWN_MOVE:
            return
        move, ship = self._a_move(play), self._a_shipment(play)
        if self.chance.random() < ON_CONDITION and isinstance(ship, Ship) and ship.target:
            other = self.chance.choice([faction for faction in play.state.players if faction != self.faction])
            where = TERRITORIES[board.territory_of(ship.target)].name
            yield f"{write(ship)} if {other} has not shipped to {where}"
            yield "no shipment"
        else:
            yield write(ship)
        yield write(move)
        yield "no move"
        yield "when phase movement: no revival"

    def _a_shipment(self, play: Play) -> Order:
        player, state = play.state.players[self.faction], play.state
        most = min(player.reserves.ordinary, 6 if self.faction == "fremen" else player.spice // 2)
        places = [area for area in self._worth_having(play) if board.sector_of(area) != state.storm]
        if self.faction == "fremen":
            places = [area for area in places if board.territory_of(area) in FREMEN_LANDING]
        places = [area for area in places if self._room_in(play, area)]
        if not places or most < 1 or self.chance.random() < 0.3:
            return NoShipment()
        return Ship(Forces(self.chance.randint(1, most)), None, self.chance.choice(places))

    def _a_move(self, play: Play) -> Order:
        state = play.state
        own = [(area, here) for area, here in state.areas_of(self.faction)]
        if not own or self.chance.random() < 0.3:
            return NoMove()
        area, forces = self.chance.choice(own)
        near = [
            other
            for other in board.neighbours(area)
            if board.sector_of(other) != state.storm
            and board.territory_of(other) != board.territory_of(area)
            and self._room_in(play, other)
        ]
        if not near or board.sector_of(area) == state.storm:
            return NoMove()
        return Move(forces, area, self.chance.choice(near))

    def _worth_having(self, play: Play) -> Sequence[Area]:
        return [*(TERRITORIES[place].areas[0] for place in STRONGHOLDS), *play.state.spice]

    def _room_in(self, play: Play, area: Area) -> bool:
        territory = board.territory_of(area)
        there = play.state.forces_in(territory)
        others = [faction for faction in there if faction != self.faction]
        if any(play.state.allied(self.faction, other) for other in others):
            return False
        return len(others) < 2 or territory not in STRONGHOLDS

    def _battle(self, play: Play) -> Iterator[str]:
        for battle in all_battles(play.game):
            sides = (battle.aggressor, battle.defender)
            enemy = sides[1] if sides[0] == self.faction else sides[0]
            if self.faction in sides:
                yield from self._plans(play, enemy, battle.areas)
                if self.faction == "bene-gesserit":
                    yield f"voice {enemy} not play poison weapon"
                elif self.faction == "atreides" and self.chance.random() < FILES_A_PLAN:
                    yield f"when fighting {enemy}: prescience {self.chance.choice(['leader', 'weapon', 'defense'])}"

    def _plans(self, play: Play, enemy: Faction, areas: Sequence[Area]) -> Iterator[str]:
        if self.chance.random() >= FILES_A_PLAN:
            return
        if self.chance.random() < ASKED_IF_VOICED:
            yield f"when fighting {enemy} and voiced: ask me"
        state = play.state
        tokens = sum(here.total for area, here in state.areas_of(self.faction) if area in areas)
        hand = state.players[self.faction].hand
        leaders = [name for name in leaders_of(self.faction) if state.leaders[name].status == "ready"]
        if Card("Cheap Hero") in hand and not leaders:
            leader: str | None = CHEAP_HERO
        else:
            leader = self.chance.choice(leaders) if leaders else None
        weapon = self._card(hand, is_weapon) if leader else None
        defense = self._card(hand, is_defense) if leader else None
        dial = self.chance.randint(0, tokens // 2 if tokens > 1 else tokens)
        yield f"when fighting {enemy}: {write(Plan(dial, leader, weapon, defense))}"

    def _card(self, hand: Sequence[Card], serves: Callable[[Card], bool]) -> Card | None:
        fit = [card for card in hand if serves(card)]
        return self.chance.choice(fit) if fit else None
