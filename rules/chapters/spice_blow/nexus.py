"""The nexus: alliances are broken and formed (AH.XII, WBC.HR.2).

Everybody hands in a slip: *I leave*, and *with these I would ally*, the most wanted first. First all breaks take
effect. Then alliances are formed where all who would be in them named each other: in the order of play each player's
wishes are gone through, and two groups become one if every member of either named somebody of the other. What came of
it is public; a wish that was not met stays secret (WBC A-07).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from rules.components import Faction, board, faction_name
from rules.decisions.asking import ask
from rules.decisions.question import Flow, Question
from rules.orders import Ally, BreakAlliance, NoAlliance, Order
from rules.rulesets.options import Option, number, switch
from rules.rulesets.refusal import Refusal
from rules.state.game import Game
from rules.state.moments import SpiceMoment

ALLIANCES = switch("alliances_enabled")
LARGEST = number("alliance_max", (0, 2, 3))
"""How many may ally; with 0 there is no limit."""
ENOUGH_PLAYERS = number("alliance_min_players", (0, 4))
PAIRS_OF_THREE = Option("alliances_small_games", {"pairs_at_3": True, "as_larger": False})


def _every_worm(moment: SpiceMoment) -> bool:
    return True


def _first_of_the_pile(moment: SpiceMoment) -> bool:
    return not moment.pile_had_nexus


def _first_of_the_turn(moment: SpiceMoment) -> bool:
    return not moment.turn_had_nexus


IS_CALLED = Option(
    "nexus_count",
    {"every_worm": _every_worm, "first_worm_per_pile": _first_of_the_pile, "first_worm_only": _first_of_the_turn},
)
"""Whether a worm that comes now calls a nexus."""
AT_THE_END = Option("nexus_timing", {"before_feeding": False, "end_of_phase": True})
CALLED_WORM_CALLS_ONE = switch("fremen_karama_worm_nexus")


def worm_came(game: Game) -> Flow:
    """A worm calls a nexus, at once or for the end of the phase; there is one then, however many worms called it
    (AH.VII.B, GF9.SPICE.9)."""
    moment = game.moments.spice
    if moment is None or game.state.turn == 1 or not IS_CALLED(game.rules)(moment):
        return
    moment.pile_had_nexus = moment.turn_had_nexus = True
    if AT_THE_END(game.rules):
        moment.nexus_due = True
    else:
        yield from nexus(game)


def end_of_phase(game: Game) -> Flow:
    """The nexus that waited for the end of the phase."""
    moment = game.moments.spice
    while moment is not None and moment.nexus_due:
        moment.nexus_due = False
        yield from nexus(game)


def nexus(game: Game) -> Flow:
    """One nexus, held also where nobody will change anything."""
    game.tell("nexus")
    if largest_alliance(game) > 1:
        answers = yield from ask(lambda: [NexusQuestion(game, faction) for faction in game.order_of_play()])
        settle(game, {faction: answers.all_of(faction) for faction in game.order_of_play()})
    game.tell("nexus-over", alliances=[list(group) for group in game.state.alliances])


def largest_alliance(game: Game) -> int:
    """How many factions an alliance may have here; with 1 there is none (AH.XII.C.2, WBC.HR.2, WBC A-34)."""
    rules, players = game.rules, len(game.state.players)
    if not ALLIANCES(rules):
        return 1
    if players < ENOUGH_PLAYERS(rules) and PAIRS_OF_THREE(rules):
        return 2 if players == 3 else 1
    if game.state.triple_alliances:
        return 3
    if LARGEST(rules) == 3 and players < len(board.DOTS):
        return 2  # three may ally in a game of six only (WBC.HR.2b)
    return LARGEST(rules) or players


class NexusQuestion(Question):
    """Whom do you leave, and with whom would you ally?"""

    kind = "nexus"
    many = True

    def refusal(self, order: Order) -> Refusal | None:
        return _slip_refusal(self.game, self.faction, order)

    @classmethod
    def refusal_ahead(cls, game: Game, faction: Faction, order: Order) -> Refusal | None:
        return _no_nexus_to_come(game) or _slip_refusal(game, faction, order)

    @classmethod
    def never_legal(cls, game: Game, faction: Faction, order: Order) -> Refusal | None:
        return _with_oneself() if isinstance(order, Ally) and order.faction == faction else None

    @property
    def default(self) -> Order:
        return NoAlliance()

    @property
    def _allies(self) -> list[Faction]:
        return [ally for ally in self.game.state.ally_group(self.faction) if ally != self.faction]

    @property
    def _others(self) -> list[Faction]:
        allies = self._allies
        return [other for other in self.game.order_of_play() if other != self.faction and other not in allies]

    def samples(self) -> list[Order]:
        leave: list[Order] = [BreakAlliance()] if self._allies else []
        return [NoAlliance(), *leave, *(Ally(other) for other in self._others)]

    @property
    def facts(self) -> Mapping[str, Any]:
        return {"allies": self._allies, "others": self._others, "largest": largest_alliance(self.game)}

    def stays_beside(self, earlier: Order, later: Order) -> bool:
        """Leaving and allying anew are two lines of one slip, also sent one by one; so are the allies of a larger
        alliance. Another ally in place of the first, or no alliance at all, replaces."""
        match earlier, later:
            case (BreakAlliance(), Ally()) | (Ally(), BreakAlliance()):
                return True
            case Ally(one), Ally(other):
                return one != other and largest_alliance(self.game) > 2
        return False


def _with_oneself() -> Refusal:
    return Refusal("You cannot ally with yourself.", "nexus.allying")


def _slip_refusal(game: Game, faction: Faction, order: Order) -> Refusal | None:
    """Why this line cannot stand on the faction's slip."""
    match order:
        case BreakAlliance():
            if len(game.state.ally_group(faction)) == 1:
                return Refusal("You have no ally to leave.", "nexus.leaving")
        case Ally(other):
            if other == faction:
                return _with_oneself()
            if not game.plays(other):
                return Refusal(f"{faction_name(other)} is not played in this game.", "nexus.allying")
            if game.state.allied(faction, other):
                return Refusal(f"You are allied with {faction_name(other)} already.", "nexus.one-alliance")
    return None


def _no_nexus_to_come(game: Game) -> Refusal | None:
    """Why there can be no nexus any more this turn; a worm that waits has had its nexus."""
    moment = game.moments.spice or SpiceMoment()
    if largest_alliance(game) == 1:
        return Refusal("There are no alliances in this game.", "nexus.no-alliances")
    if game.state.turn == 1:
        return Refusal("There is no nexus on the first turn.", "spice-blow.first-turn")
    if moment.nexus_due:
        return None
    next_pile = SpiceMoment(turn_had_nexus=moment.turn_had_nexus) if moment.piles_to_come else moment
    drawn = moment.blows_to_come and IS_CALLED(game.rules)(next_pile)
    if drawn or (CALLED_WORM_CALLS_ONE(game.rules) and IS_CALLED(game.rules)(moment)):
        return None
    return Refusal("Alliances change at a nexus only, and none comes any more this turn.", "nexus.none-to-come")


def settle(game: Game, slips: Mapping[Faction, Sequence[Order]]) -> None:
    """Carry out what the slips say together."""
    state = game.state
    order_of_play = game.order_of_play()
    for faction in order_of_play:
        group = state.ally_group(faction)
        if BreakAlliance() in slips[faction] and len(group) > 1:
            left = tuple(member for member in group if member != faction)
            place = state.alliances.index(group)
            state.alliances[place : place + 1] = [left] if len(left) > 1 else []
            game.tell("alliance-broken", faction=faction, allies=list(left))
    wishes = {
        faction: [order.faction for order in slips[faction] if isinstance(order, Ally)] for faction in order_of_play
    }
    while _form_one(game, wishes):
        pass


def _form_one(game: Game, wishes: Mapping[Faction, Sequence[Faction]]) -> bool:
    """Join the first two groups in the order of play that want each other; whether there were any."""
    state = game.state
    for faction in game.order_of_play():
        for wanted in wishes[faction]:
            one, other = state.ally_group(faction), state.ally_group(wanted)
            if one == other or len(one) + len(other) > largest_alliance(game):
                continue
            if _all_want(wishes, one, other) and _all_want(wishes, other, one):
                joined = tuple(member for member in state.players if member in one or member in other)
                kept = [group for group in state.alliances if group not in (one, other)]
                state.alliances = [*kept, joined]
                game.tell("alliance-formed", factions=list(joined))
                return True
    return False


def _all_want(wishes: Mapping[Faction, Sequence[Faction]], group: Sequence[Faction], others: Sequence[Faction]) -> bool:
    return all(any(other in wishes[member] for other in others) for member in group)


OPTIONS = (ALLIANCES, LARGEST, ENOUGH_PLAYERS, PAIRS_OF_THREE, IS_CALLED, AT_THE_END, CALLED_WORM_CALLS_ONE)
QUESTIONS: tuple[type[Question], ...] = (NexusQuestion,)
