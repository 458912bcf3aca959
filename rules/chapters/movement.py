"""The movement round: one slot after another, each with a shipment, reactions and a move (AH.IX.C, WBC.IX.3).

Before anybody ships or moves, the Bene Gesserit declare where they coexist. Then each player takes a slot in the order
of play, except players who may choose when to go. A slot consists of a shipment, time for reactions, tokens that other
factions send along with the shipment, the move, and the revival of a leader. When the Bene Gesserit meet others, they
declare at once whether they coexist.

Timing (AH.SHIELD.GUI.5, WBC.AID.37): if the rule set lets the Guild choose, it may go before any player's slot, or wait
until its own place in the order has passed. It announces this only when it acts. A Karama can hold the Guild to its
proper place until the player after it begins. The Guild is asked before every slot, whether or not it has plans, so
that the question reveals nothing.

Moves (AH.IX.C.2, AH.AID.TIMED.3, WBC.IX.12 to 17, WBC.IX.23): a move takes a group of tokens from one sector. The group
goes as far as its faction's range, or three territories if it has ornithopters. It cannot leave, enter or cross the
storm, and it cannot go where other tokens bar the way.

The Hajr (AH.AID.TIMED.3) is one more move of a group, before or after the ordinary move. The game does not wait for it,
so it is sent together with the move. A Hajr sent after the move is played at the end of the slot, or afterwards as long
as the next player has not declared a shipment. It still counts as a move of the player who sent it.

Far moves: if a faction's tokens go farther than one territory on foot, a Karama may limit a group of them to one
territory (FAQ.KARAMA-FRE.1). It may be played until the move is declared, and also right after that; the player may
then declare another move. It does not affect ornithopters.
"""

from __future__ import annotations

from collections.abc import Generator, Iterable, Iterator, Mapping, Sequence
from typing import Any

from rules.chapters import occupancy, revival, shipment
from rules.chapters.occupancy import BY_ORNITHOPTER, all_tokens, in_storm, slot_of
from rules.chapters.shipment import ShipmentQuestion, ShipmentSupportQuestion
from rules.components import Card, Faction, Forces, board
from rules.components.board import MOBILE_STRONGHOLD, STRONGHOLDS, TERRITORIES, Area, TerritoryId
from rules.decisions.catalogue import factions_with, rules_of
from rules.decisions.early_orders import not_theirs
from rules.decisions.faction_rules import FactionRules
from rules.decisions.question import Flow, Question, Stop, ask
from rules.decisions.windows import karama_can, window
from rules.orders import GoNow, Hajr, KaramaEffect, Move, NoMove, Order, Wait
from rules.rulesets.rulebook import Refusal
from rules.state.game import Game
from rules.state.moments import SlotMoment

Decision = Generator[Stop, None, bool]


def players_free_to_choose(game: Game) -> list[Faction]:
    able = factions_with(game, FactionRules.chooses_when_to_go)
    return [faction for faction in able if rules_of(game, faction).chooses_when_to_go(game)]


def goes_before(game: Game, slot: SlotMoment, faction: Faction) -> Decision:
    if faction in slot.done or faction in slot.held_to_place:
        return False
    if not (yield from _ask_timing(game, slot, faction, own_place=False)):
        return False
    if slot.places.get(faction, "ahead") == "ahead":
        game.tell("guild-goes-early")
        yield from window(game, "guild-early", lambda: faction not in slot.held_to_place)
    return faction not in slot.held_to_place


def goes_in_its_place(game: Game, slot: SlotMoment, faction: Faction) -> Decision:
    if (yield from _ask_timing(game, slot, faction, own_place=True)):
        slot.places[faction] = "passed"
        return True
    slot.places[faction] = "here"
    game.tell("guild-waits")
    yield from window(game, "guild-waits", lambda: faction not in slot.held_to_place)
    slot.places[faction] = "passed"
    return faction in slot.held_to_place


def _ask_timing(game: Game, slot: SlotMoment, faction: Faction, *, own_place: bool) -> Decision:
    def build() -> list[Question]:
        return [] if faction in slot.held_to_place else [TimingQuestion(game, faction, own_place=own_place)]

    answer = (yield from ask(build)).of(faction)
    return own_place if answer is None else isinstance(answer, GoNow)


class TimingQuestion(Question):
    kind = "guild-timing"
    only_refusal = Refusal("Only the Guild can choose when it moves.", "movement.time-of-the-guild")

    def __init__(self, game: Game, faction: Faction, *, own_place: bool) -> None:
        super().__init__(game, faction)
        self._own_place = own_place

    @classmethod
    def refusal_ahead(cls, game: Game, faction: Faction, order: Order) -> Refusal | None:
        slot = slot_of(game)
        if refusal := not_theirs(game, faction, cls):
            return refusal
        if not rules_of(game, faction).chooses_when_to_go(game):
            return Refusal("In this game the Guild moves in its proper place.", "movement.order-of-slots")
        if slot.begun(faction):
            return Refusal("You have already begun your move.", "movement.guild-any-place")
        if faction in slot.held_to_place:
            return Refusal("A Karama holds you to your proper place.", "movement.guild-held-to-place")
        return None

    @property
    def default(self) -> Order:
        return GoNow() if self._own_place else Wait()

    def samples(self) -> Sequence[Order]:
        return [GoNow(), Wait()]

    @property
    def facts(self) -> Mapping[str, Any]:
        return {"own_place": self._own_place, "place": slot_of(self.game).places.get(self.faction, "ahead")}


def token_movement(game: Game, slot: SlotMoment, mover: Faction) -> Flow:
    slot.stage = "movement"
    while not slot.moved and _anything_to_decide(game, mover):
        orders = yield from _declare_moves(game, mover)
        slot.move_declared = True
        if shipment.shipment_is_owed(slot):
            yield from shipment.pay_by_karama(game, slot, mover)
        for order in orders:
            yield from react_to_far_move(game, slot, mover, order)
            if move_refusal(game, mover, order):
                break
            yield from _carry_out_move(game, slot, mover, order)
            end_far_move(game, slot, mover)
    if shipment.shipment_is_owed(slot):  # still owed if a worm ate all that could move
        yield from shipment.pay_by_karama(game, slot, mover)
    occupancy.look_for_ornithopters(game, slot, "move", mover)
    slot.moved = True
    yield from play_held_hajr(game, slot, mover)


def _anything_to_decide(game: Game, mover: Faction) -> bool:
    return bool(game.state.areas_of(mover)) or rules_of(game, mover).acts_before_moving(game)


def _declare_moves(game: Game, mover: Faction) -> Generator[Stop, None, list[Order]]:
    answers = yield from ask(lambda: [MoveQuestion(game, mover)])
    game.filed.pop((mover, "movement", ""), None)
    given = answers.all_of(mover)
    last = next((order for order in reversed(given) if not isinstance(order, Hajr)), None)
    return [order for order in given if isinstance(order, Hajr) or order is last]


def _carry_out_move(game: Game, slot: SlotMoment, mover: Faction, order: Order) -> Flow:
    match order:
        case Hajr():
            yield from play_hajr(game, mover, order)
        case Move():
            occupancy.look_for_ornithopters(game, slot, "move", mover)
            slot.moved = True
            yield from occupancy.move_group(game, mover, order, hajr=False)
        case _:
            occupancy.look_for_ornithopters(game, slot, "move", mover)
            slot.moved = True
            game.tell("no-move", faction=mover)


class MoveQuestion(Question):
    kind = "movement"
    many = True

    def refusal(self, order: Order) -> Refusal | None:
        return move_refusal(self.game, self.faction, order)

    @classmethod
    def refusal_ahead(cls, game: Game, faction: Faction, order: Order) -> Refusal | None:
        if isinstance(order, Hajr):
            return _refuse_hajr_ahead(game, faction, order)
        if slot_of(game).is_past(faction, "movement"):
            return Refusal("You can make one move a turn, and you have already made it.", "movement.one-a-turn")
        return move_refusal_ahead(game, faction, order) if isinstance(order, Move) else None

    @classmethod
    def doubt_ahead(cls, game: Game, faction: Faction, order: Order) -> Refusal | None:
        late = isinstance(order, Hajr) and slot_of(game).last_mover == faction
        return move_refusal(game, faction, order) if late else None

    @property
    def default(self) -> Order:
        return occupancy.default_move(self.game, self.faction)

    def samples(self) -> Sequence[Order]:
        return moves_worth_it(self.game, self.faction)

    @property
    def facts(self) -> Mapping[str, Any]:
        return {
            "reach": occupancy.reach_of_mover(self.game, slot_of(self.game), self.faction),
            "groups": {area: str(forces) for area, forces in self.game.state.areas_of(self.faction)},
            "leave": occupancy.landed_beside_ally(self.game, slot_of(self.game), self.faction),
            "hajr": self.game.holds(self.faction, HAJR),
        }


def _refuse_hajr_ahead(game: Game, faction: Faction, order: Hajr) -> Refusal | None:
    slot = slot_of(game)
    if faction in slot.done and faction != slot.last_mover:
        return Refusal("You can play a Hajr only in your own move, which is over.", "movement.hajr")
    if why := no_hajr(game, faction) or move_refusal_ahead(game, faction, order.move):
        return why
    if faction != slot.last_mover or occupancy.judges_each_move(game):
        return None  # what it finds when it starts decides
    return move_refusal(game, faction, order)


# --- Suggestions -----------------------------------------------------------------------------------------------------


_IN_STRONGHOLDS = frozenset(
    (MOBILE_STRONGHOLD, *(area for territory in STRONGHOLDS for area in TERRITORIES[territory].areas))
)


def moves_worth_it(game: Game, mover: Faction) -> list[Order]:
    slot = slot_of(game)
    if on := list(occupancy.moves_onward(game, slot, mover)):
        return [*on[:3]]
    closed = occupancy.territories_closed(game, mover)
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
    far = occupancy.reach_from(game, slot, mover, area, forces)
    reachable = board.distances(area, game.state.storm, far, closed, game.state.door)
    if not occupancy.PASSES_ALLIES(game.rules):
        return reachable
    no_goals = occupancy.territories_barred(game, mover) - {board.territory_of(area)}
    return [goal for goal in reachable if board.territory_of(goal) not in no_goals]


def _half(game: Game, mover: Faction, forces: Forces) -> Forces:
    half = Forces(forces.ordinary // 2 or 1, 0) if forces.ordinary else Forces(0, 1)
    rules = rules_of(game, mover)
    return half if rules.walks(half) == rules.walks(forces) else Forces(half.ordinary, 1)


def _moves(game: Game, mover: Faction, area: Area, forces: Forces, reachable: Iterable[Area]) -> Iterator[Move]:
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


def flow(game: Game) -> Flow:
    slot = game.moments.slot = SlotMoment()
    for faction in game.state.forfeits:
        if game.sits_out(faction):
            slot.done.append(faction)
            game.tell("turn-forfeited", faction=faction)
    occupancy.note_allies_together(game, slot)
    for faction in factions_with(game, FactionRules.declares_before_moves):
        yield from rules_of(game, faction).declares_before_moves(game)
    occupancy.look_for_ornithopters(game, slot, "round", *game.order_of_play())
    free = players_free_to_choose(game)
    for faction in game.order_of_play():
        if faction in slot.done:
            continue
        if faction not in free:
            yield from _free_players_before(game, slot, free, faction)
            yield from take_slot(game, slot, faction)
        elif (yield from goes_in_its_place(game, slot, faction)):
            yield from take_slot(game, slot, faction)
    for faction in free:
        if faction not in slot.done:
            yield from take_slot(game, slot, faction)


def _free_players_before(game: Game, slot: SlotMoment, choosing: Sequence[Faction], next_faction: Faction) -> Flow:
    order = game.order_of_play()
    for free in choosing:
        just_waited = free not in slot.done and order.index(next_faction) == order.index(free) + 1
        if not just_waited and (yield from goes_before(game, slot, free)):
            yield from take_slot(game, slot, free)


def take_slot(game: Game, slot: SlotMoment, mover: Faction) -> Flow:
    slot.begin(mover)
    occupancy.look_for_ornithopters(game, slot, "slot", mover)
    yield from _ship(game, slot, mover)
    yield from shipment.send_companions(game, slot, mover)
    yield from token_movement(game, slot, mover)
    yield from occupancy.declare_meetings(game)
    slot.stage = "revival"
    yield from revival.revive_leaders_after_move(game, mover)
    yield from play_held_hajr(game, slot, mover)
    occupancy.part_allies(game, slot, mover)
    slot.end(mover)


def _ship(game: Game, slot: SlotMoment, mover: Faction) -> Flow:
    """Play the shipment. Until it is declared, the previous player may still play a Hajr. If that Hajr makes the
    shipment impossible, or a Karama undoes the shipment, the player declares again."""
    while True:
        order = yield from shipment.declare_shipment(game, slot, mover)
        yield from play_late_hajr(game, slot)
        if order is None:
            game.tell("no-shipment", faction=mover)
            return
        if shipment.shipment_refusal(game, mover, order) is not None:
            continue
        yield from shipment.carry_out_shipment(game, slot, mover, order)
        if not slot.declared_anew:
            break
        slot.declare_anew()
    if order.target is not None and not slot.stopped and game.here(order.target, mover):
        yield from occupancy.tokens_arrived(game, mover, order.forces, order.source, order.target)
    yield from occupancy.declare_meetings(game)


QUESTIONS: tuple[type[Question], ...] = (
    TimingQuestion,
    ShipmentQuestion,
    ShipmentSupportQuestion,
    MoveQuestion,
    revival.LeaderRevivalQuestion,
)


HAJR = Card("Hajr")


# --- What is legal now -----------------------------------------------------------------------------------------------


def move_refusal(game: Game, mover: Faction, order: Order) -> Refusal | None:
    if isinstance(order, Hajr):
        return no_hajr(game, mover) or _refuse_move(game, mover, order.move, _sent_along(game, mover, order))
    earlier = _sent_along(game, mover, order)
    refusal = _refuse_move(game, mover, order, earlier) if isinstance(order, Move) else None
    return refusal or _needed(game, mover, order) or occupancy.refusal_to_stay_with_ally(game, mover, order, earlier)


def _needed(game: Game, mover: Faction, order: Order) -> Refusal | None:
    filed = game.filed.get((mover, "movement", ""), ())
    move = next((one for one in reversed(filed) if isinstance(one, Move)), None)
    if move is None or order in filed:
        return None
    hajrs = [one.move for one in filed if isinstance(one, Hajr)]
    if any(one.source == move.target and not game.here(one.source, mover).covers(one.forces) for one in hajrs):
        why = f"You make one move a turn, and your Hajr continues your move to {_name(move.target)}."
        return Refusal(why, "movement.one-a-turn")
    return None


def no_hajr(game: Game, mover: Faction) -> Refusal | None:
    return None if game.holds(mover, HAJR) else Refusal("You hold no Hajr.", "movement.hajr")


def _sent_along(game: Game, mover: Faction, order: Order) -> list[Move]:
    filed = game.filed.get((mover, "movement", ""), ())
    earlier = filed[: filed.index(order)] if order in filed else filed
    ordinary = [one for one in earlier if isinstance(one, Move)]
    kept = ordinary[-1] if ordinary and isinstance(order, Hajr) else None
    return [one.move if isinstance(one, Hajr) else one for one in earlier if isinstance(one, Hajr) or one is kept]


def _refuse_move(game: Game, mover: Faction, move: Move, earlier: list[Move]) -> Refusal | None:
    return (
        _impossible(game, mover, move)
        or _refuse_group(game, mover, move, earlier)
        or _barred(game, mover, move)
        or _refuse_way(game, mover, move, earlier)
    )


def _refuse_group(game: Game, mover: Faction, move: Move, earlier: list[Move]) -> Refusal | None:
    here = game.here(move.source, mover)
    for one in earlier:
        if one.target == move.source:
            here += one.forces
        if one.source == move.source and here.covers(one.forces):
            here -= one.forces
    if here.covers(move.forces):
        return None
    return Refusal(f"You have {here} in {_name(move.source)}, not {move.forces}.", "movement.group-of-one-sector")


def _barred(game: Game, mover: Faction, move: Move) -> Refusal | None:
    """Return a refusal if other tokens bar the move from its target territory, else None. A move to another sector of
    the same territory does not count as entering."""
    target = board.territory_of(move.target)
    return None if target == board.territory_of(move.source) else occupancy.entry_barred(game, mover, target)


def _refuse_way(game: Game, mover: Faction, move: Move, earlier: list[Move]) -> Refusal | None:
    far = occupancy.reach_from(game, slot_of(game), mover, move.source, move.forces, earlier)
    closed = occupancy.territories_closed(game, mover)
    if (
        far == 1
        and not move.via
        and board.distances(move.source, game.state.storm, 1, closed, game.state.door).get(move.target) is not None
    ):
        return None
    length = board.route_length(move.source, move.target, move.via, game.state.storm, closed, game.state.door)
    if length is not None and length <= far:
        return None
    barred = next((occupancy.entry_barred(game, mover, place) for place in move.via if place in closed), None)
    return _too_far(game, mover, move, length, far, closed, barred)


def _too_far(
    game: Game,
    mover: Faction,
    move: Move,
    length: int | None,
    far: int,
    closed: frozenset[board.TerritoryId] = frozenset(),
    barred: Refusal | None = None,
) -> Refusal:
    way = f"from {_name(move.source)} to {_name(move.target)}"
    if move.via:
        way += " that way"
    territories = f"{far} territor{'y' if far == 1 else 'ies'}"
    if length is None and barred:
        return Refusal(f"There is no open way {way}: {barred.reason}", barred.topic)
    without_storm = board.route_length(move.source, move.target, move.via, closed=closed, door=game.state.door)
    if without_storm is not None and without_storm <= far:
        round_it = f"; the way round it is {length} long, and this group can go at most {territories}" if length else ""
        return Refusal(f"The storm is in the way {way}{round_it}.", "movement.storm")
    if length is None:
        return Refusal(f"There is no open way {way}.", "movement.way")
    if far == 1:
        topic = "movement.one-territory"
    else:
        topic = "movement.by-ornithopter" if far == BY_ORNITHOPTER else rules_of(game, mover).far_walk_topic
    return Refusal(f"It is {length} territories {way}; this group can go at most {territories}.", topic)


# --- What can be legal in this round ---------------------------------------------------------------------------------


def move_refusal_ahead(game: Game, mover: Faction, move: Move) -> Refusal | None:
    if why := _impossible(game, mover, move):
        return why
    there = all_tokens(game, mover)
    if there.covers(move.forces):
        return None
    return Refusal(f"You have {there.in_words}, not {move.forces}.", "movement.one-group")


def _impossible(game: Game, mover: Faction, move: Move) -> Refusal | None:
    if not move.forces:
        return Refusal("A move needs at least one token.", "movement.one-group")
    if move.source == move.target:
        return Refusal(f"The group is already in {_name(move.target)}.", "movement.one-group")
    storm = game.state.storm
    if in_storm(game, move.source):
        topic = rules_of(game, mover).out_of_storm_topic
        return Refusal(f"{_name(move.source)} is under the storm; nothing can move out of it.", topic)
    if in_storm(game, move.target):
        return Refusal(f"{_name(move.target)} is under the storm; nothing can move into it.", "movement.storm")
    length = board.route_length(move.source, move.target, move.via, storm, door=game.state.door)
    if length is None or length > BY_ORNITHOPTER:
        return _too_far(game, mover, move, length, BY_ORNITHOPTER)
    return None


def _name(area: Area) -> str:
    return board.area_name(area)


def play_hajr(game: Game, mover: Faction, order: Hajr) -> Flow:
    game.discard(mover, HAJR)
    yield from occupancy.move_group(game, mover, order.move, hajr=True)


def play_held_hajr(game: Game, slot: SlotMoment, mover: Faction) -> Flow:
    for order in list(game.held.get(mover, ())):
        if not isinstance(order, Hajr):
            continue
        yield from react_to_far_move(game, slot, mover, order)
        if move_refusal(game, mover, order) is None:
            game.take_held(mover, order)
            yield from play_hajr(game, mover, order)


def play_late_hajr(game: Game, slot: SlotMoment) -> Flow:
    if slot.last_mover is not None:
        slot.late_mover = slot.last_mover
        yield from play_held_hajr(game, slot, slot.last_mover)
        slot.last_mover = slot.late_mover = None


def goes_far(game: Game, faction: Faction) -> bool:
    return rules_of(game, faction).far_move_karama is not None


def react_to_far_move(game: Game, slot: SlotMoment, mover: Faction, order: Order) -> Flow:
    short = rules_of(game, mover).far_move_karama
    if short is None or not karama_can(game.rules, short) or not _needs_far_move(game, slot, mover, order, short):
        return
    slot.far_mover = mover
    yield from window(game, "fremen-move", lambda: short not in slot.denied, by=mover)
    slot.far_mover = None


def end_far_move(game: Game, slot: SlotMoment, mover: Faction) -> None:
    short = rules_of(game, mover).far_move_karama
    if short is not None and short in slot.denied:
        slot.denied.remove(short)


def _needs_far_move(game: Game, slot: SlotMoment, mover: Faction, order: Order, short: KaramaEffect) -> bool:
    if short in slot.denied or move_refusal(game, mover, order) is not None:
        return False
    slot.denied.append(short)
    too_far = move_refusal(game, mover, order) is not None
    slot.denied.remove(short)
    return too_far
