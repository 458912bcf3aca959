"""What is asked about a move: which group goes where, and whether a Hajr is played for one more."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from rules.chapters.movement import allies_together, entering, move_rules, ornithopters
from rules.chapters.movement.move_rules import HAJR
from rules.chapters.movement.slot import slot_of
from rules.components import Faction, Forces, board
from rules.components.board import MOBILE_STRONGHOLD, STRONGHOLDS, TERRITORIES, Area, TerritoryId
from rules.decisions.catalogue import rules_of
from rules.decisions.question import Question
from rules.decisions.under_storm import in_storm
from rules.orders import Hajr, Move, NoMove, Order
from rules.rulesets.refusal import Refusal
from rules.state.game import Game
from rules.state.moments import SlotMoment


class MoveQuestion(Question):
    """Which group moves, and where to?"""

    kind = "movement"
    many = True

    def refusal(self, order: Order) -> Refusal | None:
        return move_rules.refusal(self.game, self.faction, order)

    @classmethod
    def refusal_ahead(cls, game: Game, faction: Faction, order: Order) -> Refusal | None:
        if isinstance(order, Hajr):
            return _refuse_hajr_ahead(game, faction, order)
        if slot_of(game).is_past(faction, "movement"):
            return Refusal("You make one move a turn; it has been made.", "movement.one-a-turn")
        return move_rules.refusal_ahead(game, faction, order) if isinstance(order, Move) else None

    @property
    def default(self) -> Order:
        return allies_together.default(self.game, self.faction)

    def samples(self) -> Sequence[Order]:
        return moves_worth_it(self.game, self.faction)

    @property
    def facts(self) -> Mapping[str, Any]:
        return {
            "reach": ornithopters.reach(self.game, slot_of(self.game), self.faction),
            "groups": {area: str(forces) for area, forces in self.game.state.areas_of(self.faction)},
            "leave": allies_together.landed_beside(self.game, slot_of(self.game), self.faction),
            "hajr": self.game.holds(self.faction, HAJR),
        }


def _refuse_hajr_ahead(game: Game, faction: Faction, order: Hajr) -> Refusal | None:
    """A Hajr may wait for its player's slot; when that has ended, until the next player has declared a shipment."""
    slot = slot_of(game)
    if faction in slot.done and faction != slot.last_mover:
        return Refusal("A Hajr is played in one's own move; yours is over.", "movement.hajr")
    if why := move_rules.no_hajr(game, faction) or move_rules.refusal_ahead(game, faction, order.move):
        return why
    return move_rules.refusal(game, faction, order) if faction == slot.last_mover else None


# --- What might be a good idea ---------------------------------------------------------------------------------------


_IN_STRONGHOLDS = frozenset(
    (MOBILE_STRONGHOLD, *(area for territory in STRONGHOLDS for area in TERRITORIES[territory].areas))
)


def moves_worth_it(game: Game, mover: Faction) -> list[Order]:
    """No move, and some that are legal: each group to strongholds, spice and neighbours in its reach; a Hajr first."""
    slot = slot_of(game)
    if on := list(allies_together.moves_on(game, slot, mover)):
        return [*on[:3]]
    closed = entering.closed(game, mover)
    moves = [
        move
        for area, forces in sorted(game.state.areas_of(mover), key=lambda group: -group[1].total)[:5]
        if not in_storm(game, area)
        for move in _moves(game, mover, area, forces, _goals(game, slot, mover, area, forces, closed))
    ]
    found: list[Order] = [NoMove(), *moves]
    if moves and game.holds(mover, HAJR):
        found += [Hajr(moves[0]), Hajr(moves[-1])]
    return found


def _goals(
    game: Game, slot: SlotMoment, mover: Faction, area: Area, forces: Forces, closed: frozenset[TerritoryId]
) -> Iterable[Area]:
    """Where the group that stands there can go."""
    far = ornithopters.reach_from(game, slot, mover, area, forces)
    reachable = board.distances(area, game.state.storm, far, closed, game.state.door)
    if not entering.PASSES_ALLIES(game.rules):
        return reachable
    no_goals = entering.no_goals(game, mover) - {board.territory_of(area)}
    return [goal for goal in reachable if board.territory_of(goal) not in no_goals]


def _half(game: Game, mover: Faction, forces: Forces) -> Forces:
    """About half of the group, ordinary tokens first, which goes as far as the whole."""
    half = Forces(forces.ordinary // 2 or 1, 0) if forces.ordinary else Forces(0, 1)
    rules = rules_of(game, mover)
    return half if rules.walks(half) == rules.walks(forces) else Forces(half.ordinary, 1)


def _moves(game: Game, mover: Faction, area: Area, forces: Forces, reachable: Iterable[Area]) -> Iterator[Move]:
    """The whole group where it is worth going, half of it too, and the first and last of the other places."""
    others: list[Area] = []
    for target in reachable:
        if target == area:
            continue
        if target in _IN_STRONGHOLDS or target in game.state.spice:
            yield Move(forces, area, target)
            if forces.total > 3:
                yield Move(_half(game, mover, forces), area, target)
        else:
            others.append(target)
    for target in dict.fromkeys(others[:1] + others[-1:]):
        yield Move(forces, area, target)
