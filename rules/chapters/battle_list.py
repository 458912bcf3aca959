"""The list of battles, and the aggressor's choice among them (AH.X.A, WBC.X.1, WBC.X.17).

Tokens in the same territory fight unless the storm separates them. By default the storm separates the areas on the two
sides of its sector (AH.X.A.2.a). In the WBC rules it also separates its own sector from every other sector (WBC.VI.13
to 15, WBC.X.17). In the 2019 rules nobody in the storm fights (FAQ.STORM.3). Nobody fights in the Polar Sink
(AH.X.A.2.b), allies do not fight each other (AH.XII.E.5-b), and the Bene Gesserit do not fight where they coexist
(AH.XV.B.4-c).

The Voice and prescience can be used in the faction's own battle or in an ally's (AH.SHIELD.BG.ALLY,
AH.SHIELD.ATR.ALLY). ``BattleQuestion`` is the base class of all questions about a battle.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from rules.chapters.occupancy import in_storm
from rules.components import Faction, board, the_faction
from rules.components.board import POLAR_SINK, TERRITORIES, Area, TerritoryId
from rules.decisions.catalogue import rules_of
from rules.decisions.faction_rules import FactionRules
from rules.decisions.question import Question, Stop, ask
from rules.orders import ChooseBattle, Order
from rules.rulesets.options import Option
from rules.rulesets.rulebook import Refusal
from rules.state.game import Game
from rules.state.moments import BattleMoment

Parts = tuple[tuple[Area, ...], ...]


@dataclass(frozen=True, slots=True)
class Battle:
    territory: TerritoryId
    areas: tuple[Area, ...]
    aggressor: Faction
    defender: Faction


@lru_cache(maxsize=1024)
def cut_off_by_storm(territory: TerritoryId, storm: int) -> Parts:
    """Return the areas of a territory in groups that can fight each other, if the storm also cuts off its own sector.

    >>> cut_off_by_storm(TerritoryId("imperial-basin"), 10)
    (('imperial-basin/9',), ('imperial-basin/10',), ('imperial-basin/11',))
    """
    found: list[tuple[Area, ...]] = []
    left = list(TERRITORIES[territory].areas)
    while left:
        part = [left.pop(0)]
        for here in part:
            if board.sector_of(here) != storm:
                joined = [a for a in left if a in board.neighbours(here) and board.sector_of(a) != storm]
                part.extend(joined)
                left = [area for area in left if area not in joined]
        found.append(tuple(part))
    return tuple(found)


@lru_cache(maxsize=1024)
def sides_of_storm(territory: TerritoryId, storm: int) -> Parts:
    """Return the areas of a territory in two groups, one for each side of the storm. The areas in the storm belong to
    both groups.

    >>> sides_of_storm(TerritoryId("imperial-basin"), 10)
    (('imperial-basin/9', 'imperial-basin/10'), ('imperial-basin/10', 'imperial-basin/11'))
    """
    areas = TERRITORIES[territory].areas
    in_storm = [area for area in areas if board.sector_of(area) == storm]
    sides = [part for part in cut_off_by_storm(territory, storm) if part[0] not in in_storm] or [()]
    return tuple(tuple(area for area in areas if area in side or area in in_storm) for side in sides)


@lru_cache(maxsize=1024)
def outside_storm(territory: TerritoryId, storm: int) -> Parts:
    """Return the areas of a territory in groups that can fight each other, if nobody in the storm fights.

    >>> outside_storm(TerritoryId("imperial-basin"), 10)
    (('imperial-basin/9',), ('imperial-basin/11',))
    """
    return tuple(part for part in cut_off_by_storm(territory, storm) if board.sector_of(part[0]) != storm)


PARTED_BY_STORM = Option(
    "storm_battle",
    {"same_sector_only": cut_off_by_storm, "separated_only": sides_of_storm, "none_in_storm": outside_storm},
)


def fighters(game: Game, territory: TerritoryId, areas: tuple[Area, ...]) -> list[Faction]:
    present = {faction for area in areas for faction in game.state.forces.get(area, ())}
    if len(present) < 2:
        return []
    in_order = [faction for faction in game.order_of_play() if faction in present]
    return [faction for faction in in_order if rules_of(game, faction).fights_in(game, territory)]


def battles_of(game: Game, aggressor: Faction) -> list[Battle]:
    found: list[Battle] = []
    state = game.state
    standing = {area for area, here in state.forces.items() if aggressor in here and area != POLAR_SINK}
    shared = [area for area in standing if len(state.forces_in(board.territory_of(area))) > 1]
    for territory in {board.territory_of(area): None for area in sorted(shared, key=_by_sector)}:
        for areas in _parts(game, territory):
            if standing.isdisjoint(areas):
                continue
            present = fighters(game, territory, areas)
            if aggressor in present:
                found.extend(
                    Battle(territory, areas, aggressor, other)
                    for other in present
                    if other != aggressor and not state.allied(aggressor, other)
                )
    return _without_parts_of_others(game, found)


def _parts(game: Game, territory: TerritoryId) -> Parts:
    by_storm, place = PARTED_BY_STORM(game.rules), TERRITORIES[territory]
    if by_storm is outside_storm and not place.sectors and in_storm(game, place.areas[0]):
        return ()
    return by_storm(territory, game.state.storm)


def _without_parts_of_others(game: Game, battles: list[Battle]) -> list[Battle]:
    """Drop each battle that is only a part of a larger battle between the same factions. Such parts arise because
    tokens in the storm's sector belong to the battles on both sides of it."""
    kept: list[Battle] = []
    for battle in battles:
        tokens = _where_tokens_stand(game, battle)
        rivals = [other for other in battles if other is not battle and _same_foes(other, battle)]
        theirs = [(other, _where_tokens_stand(game, other)) for other in rivals]
        if not any(tokens < others or (tokens == others and other in kept) for other, others in theirs):
            kept.append(battle)
    return kept


def _same_foes(one: Battle, other: Battle) -> bool:
    return (one.territory, one.aggressor, one.defender) == (other.territory, other.aggressor, other.defender)


def _where_tokens_stand(game: Game, battle: Battle) -> set[Area]:
    both = {battle.aggressor, battle.defender}
    return {area for area in battle.areas if not both.isdisjoint(game.state.forces.get(area, ()))}


def _by_sector(area: Area) -> tuple[int, str]:
    return (board.sector_of(area) or 0, area)


def all_battles(game: Game) -> list[Battle]:
    seen: set[tuple[frozenset[Faction], tuple[Area, ...]]] = set()
    found: list[Battle] = []
    for aggressor in game.order_of_play():
        for battle in battles_of(game, aggressor):
            pair = (frozenset((battle.aggressor, battle.defender)), battle.areas)
            if pair not in seen:
                seen.add(pair)
                found.append(battle)
    return found


def choose_battle(game: Game, aggressor: Faction) -> Generator[Stop, None, Battle | None]:
    """Return the aggressor's next battle, or None if there is none left. If there are several, the aggressor is asked
    which one comes next (AH.X.A.3-b, AH.X.A.4)."""

    battles: list[Battle] = []  # the current list, rebuilt after every play at the stop

    def build() -> list[Question]:
        battles[:] = battles_of(game, aggressor)
        return [BattleOrderQuestion(game, aggressor, battles)] if len(battles) > 1 else []

    answers = yield from ask(build)
    choice = answers.of(aggressor)
    chosen = _find(battles, choice) if isinstance(choice, ChooseBattle) else None
    return chosen or (battles[0] if battles else None)


def _find(battles: Sequence[Battle], order: ChooseBattle) -> Battle | None:
    for battle in battles:
        if battle.territory == order.territory and battle.defender == order.opponent:
            return battle
    return None


class BattleOrderQuestion(Question):
    kind = "battle-order"

    def __init__(self, game: Game, aggressor: Faction, battles: Sequence[Battle]) -> None:
        super().__init__(game, aggressor)
        self._battles = battles

    def refusal(self, order: Order) -> Refusal | None:
        if isinstance(order, ChooseBattle) and _find(self._battles, order):
            return None
        open_battles = "; ".join(
            f"{the_faction(battle.defender)} in {TERRITORIES[battle.territory].name}" for battle in self._battles
        )
        return Refusal(f"You have no such battle; you can fight {open_battles}.", "battle.order-of-battles")

    @classmethod
    def refusal_ahead(cls, game: Game, faction: Faction, order: Order) -> Refusal | None:
        if not isinstance(order, ChooseBattle):
            return None
        listed = all_battles(game)
        if _find([battle for battle in listed if battle.aggressor == faction], order):
            return None
        for battle in listed:
            others = (battle.aggressor, battle.defender) == (order.opponent, faction)
            if others and battle.territory == order.territory:
                who = the_faction(battle.aggressor)
                why = f"That battle can be chosen only by {who}, earlier in the order of play."
                return Refusal(why, "battle.aggressor")
        where = TERRITORIES[order.territory].name
        why = f"You have no battle with {the_faction(order.opponent)} in {where}."
        return Refusal(why, "battle.order-of-battles")

    @classmethod
    def never_legal(cls, game: Game, faction: Faction, order: Order) -> Refusal | None:
        if isinstance(order, ChooseBattle) and order.opponent == faction:
            return Refusal("That is you; name another faction.", "battle.order-of-battles")
        return None

    @property
    def default(self) -> Order:
        return self.samples()[0]

    def samples(self) -> Sequence[Order]:
        return list(dict.fromkeys(ChooseBattle(battle.defender, battle.territory) for battle in self._battles))

    @property
    def facts(self) -> Mapping[str, Any]:
        battles = [{"opponent": battle.defender, "territory": battle.territory} for battle in self._battles]
        return {"battles": battles}


# --- Battles to come ----------------------------------------------------------------------------------------------

Pair = tuple[Faction, Faction]


def pairs_later(game: Game) -> list[Pair]:
    on = game.moments.battle
    now = (frozenset(on.sides), on.areas) if on else None
    return [
        (battle.aggressor, battle.defender)
        for battle in all_battles(game)
        if (frozenset((battle.aggressor, battle.defender)), battle.areas) != now
    ]


def pairs_now_or_later(game: Game) -> list[Pair]:
    on = game.moments.battle
    return [*([on.sides] if on else []), *pairs_later(game)]


def refusal_without_battle(game: Game, faction: Faction) -> Refusal | None:
    if any(faction in pair for pair in pairs_now_or_later(game)):
        return None
    return Refusal("You have no battle left in this round.", "battle.who-fights")


Power = Callable[[FactionRules], bool]
"""The test for a power in battle: ``lambda rules: rules.has_voice(game)``."""


def user_and_target(game: Game, battle: BattleMoment, power: Power) -> tuple[Faction, Faction] | None:
    """Return the faction that can use the power in this battle and the fighter against whom it is used, or None if
    nobody can use it here. If several factions can use it, the first of them in seat order does."""
    for faction in game.state.players:
        if power(rules_of(game, faction)):
            group = game.state.ally_group(faction)
            for fighter in battle.sides:
                if fighter in group:
                    return faction, battle.opponent(fighter)
    return None


def opponents(game: Game, faction: Faction, pairs: list[Pair]) -> set[Faction]:
    group = game.state.ally_group(faction)
    both_ways = [*pairs, *((two, one) for one, two in pairs)]
    return {other for own, other in both_ways if own in group}


class BattleQuestion(Question):
    def __init__(self, game: Game, battle: BattleMoment, faction: Faction, subject: str = "") -> None:
        super().__init__(game, faction, subject)
        self.battle = battle
