"""Stand-ins for players: the deputy, which follows a player's sheet, and the caretaker, which plays the seat of a
silent player.

The deputy acts whenever the game stops to ask questions, and knows only what its seat knows. First it plays cards and
powers, as soon as their line's condition is true and the rules allow it. In a reaction window, such a play is the
seat's answer, and is resolved in the order of play together with those of the other seats (WBC.MISC.5). Then the deputy
answers questions. It goes through the lines in the order in which they were filed, and uses the first that fits the
question, whose condition is true, and that is legal as written. If a line's condition is true but the line is not
legal, or its plan would have to be mended, the deputy writes a note to the player and tries the next line. If no line
is left, or the line says ``ask me``, the question is left to the player. The rules never see a sheet.

The caretaker answers at once, using only what its seat knows, and everybody knows that it plays. It does what the
defaults do: it passes, takes charity and free revival, ships and moves nothing, plays no card, keeps alliances and
calls treachery. In battle it defends itself with its best leader, and with a weapon and a defense from its hand. It
dials only as many tokens as it needs to hold against the highest dial that the opponent can make with their best
leader.

A computer opponent (``rules.players``) plays a seat that has no player. It also answers at once, using the same
knowledge, but it plays to win. Its random choices are seeded with its seat's bounce token, which no player is told.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any

from msgspec.structs import replace

from bot.language.conditions import holds
from bot.language.knowledge import Knowledge, knowledge_of
from bot.language.sheets import FiledLine, Sheet, is_play
from bot.table.plans import fallback_line
from bot.table.table import Seat, Table
from bot.wording import say
from rules import orders as o
from rules import views
from rules.components import LEADERS, Card, Faction, Forces, Leader, card_kind, is_defense, is_weapon, leader_strength
from rules.decisions.catalogue import is_unseen, rules_of
from rules.decisions.question import Question
from rules.engine.play import Play
from rules.rulesets.rulebook import Refusal
from rules.state.events import Event
from rules.state.game import Game

MOST_USES = 8
"""The number of times that one line may answer the same question at the same point of the game. After that, something
must be undoing the answer each time, so the player is asked."""

SIDE_BY_SIDE = (o.Ally, o.BreakAlliance, o.Give, o.Hajr, o.Ride)
"""Types of order that a single answer may contain more than once."""


@dataclass(frozen=True, slots=True)
class DeputyMove:
    faction: Faction
    numbers: tuple[int, ...]


def answer_from_sheets(table: Table) -> bool:
    if not table.sheets:
        return False
    play, number = table.play, table.play.entries_before + len(table.play.log)
    spoken = speak(play, table.sheets, events_of_turn(table))
    if spoken:
        table.by_sheet[number] = " ".join(map(str, spoken.numbers))
    return spoken is not None


def hands_back(table: Table, question: Question) -> bool:
    sheet = table.sheets.get(question.faction)
    return sheet is not None and _Deputy(table.play, question.faction, sheet, events_of_turn(table)).hands_back(
        question
    )


def left_to_player(play: Play, sheet: Sheet, question: Question, events: Sequence[Event]) -> bool:
    deputy = _Deputy(play, question.faction, sheet, events)
    return deputy.hands_back(question) and not deputy.would_answer(question)


def events_of_turn(table: Table) -> list[Event]:
    turn = table.play.state.turn
    known = [event for event in table.turn_events or () if event.turn == turn]
    return known + [event for event in table.play.events if event.turn == turn and event.number >= table.events]


def speak(play: Play, sheets: Mapping[Faction, Sheet], events: Sequence[Event]) -> DeputyMove | None:
    entries = play.entries_before + len(play.log)
    at_work = [(faction, sheets[faction]) for faction in play.game.order_of_play() if faction in sheets]
    for _, sheet in at_work:
        sheet.begin_turn(play.state.turn, entries)
    deputies = [_Deputy(play, faction, sheet, events) for faction, sheet in at_work if sheet.active()]
    for deputy in deputies:
        if spoken := deputy.play_cards():
            return spoken
    for deputy in deputies:
        if spoken := deputy.answer():
            return spoken
    return None


def expire(table: Table, keys: Collection[o.Key]) -> set[o.Key]:
    """Apply the defaults to these questions. If a sheet has a battle plan that would have to be mended, fight with the
    mended plan instead of the default. Return the keys."""
    gone, by_sheet = expire_questions(table.play, table.sheets, events_of_turn(table) if table.sheets else (), keys)
    table.by_sheet.update(by_sheet)
    return gone


def expire_questions(
    play: Play, sheets: Mapping[Faction, Sheet], events: Sequence[Event], keys: Collection[o.Key]
) -> tuple[set[o.Key], dict[int, str]]:
    stop, by_sheet = play.stop_name, dict[int, str]()
    fallbacks = {
        question.key: fallback
        for question in play.questions()
        if question.key in keys and question.kind == "battle-plan" and (sheet := sheets.get(question.faction))
        if (fallback := _Deputy(play, question.faction, sheet, events).fallback(question))
    }
    gone = set(play.expire([key for key in keys if key not in fallbacks]))
    for key, (filed, plan) in fallbacks.items():
        if play.stop_name == stop and play.submit(key[0], [plan])[0].status == "accepted":
            entries = play.entries_before + len(play.log)
            sheets[key[0]].act(filed, stop, key, entries)
            by_sheet[entries - 1] = str(filed.number)
            gone.add(key)
    return gone, by_sheet


class _Deputy:
    def __init__(self, play: Play, faction: Faction, sheet: Sheet, events: Sequence[Event]) -> None:
        self._play, self._faction, self._sheet, self._events = play, faction, sheet, events
        answered = {question.key for question, _ in play.answered()}
        own = [question for question in play.asked() if question.faction == faction]
        self._open = [question for question in own if question.key not in answered]
        self._said = {question.key: orders for question, orders in play.given() if question.faction == faction}
        self._window = next((question for question in own if question.kind == "karama-window"), None)
        self._ready = [filed for filed in sheet.active() if filed.left]
        self._known: dict[str, Knowledge] = {}

    # --- cards and powers --------------------------------------------------------------------------------------------

    def play_cards(self) -> DeputyMove | None:
        for filed in self._ready:
            order = filed.line.order
            if not is_play(order) or not isinstance(order, o.Order) or filed.acted == self._play.stop_name:
                continue
            if self._window and not isinstance(order, o.Waive) and not is_unseen(self._play.game, order):
                continue
            if self._holds(filed, self._first_open()) and self._allowed(order):
                return self._send([filed], [order], "play")
        return None

    def _allowed(self, order: o.Order) -> bool:
        return self._play.check(self._faction, order).status == "accepted"

    def _first_open(self) -> Question | None:
        return self._open[0] if self._open else None

    # --- questions ---------------------------------------------------------------------------------------------------

    def answer(self) -> DeputyMove | None:
        for question in self._open:
            chosen = self._chosen(question)
            if chosen:
                lines, orders = chosen
                return self._send(lines, orders, question.key)
        return None

    def hands_back(self, question: Question) -> bool:
        handed = (filed for filed in self._ready if not isinstance(filed.line.order, o.Order))
        return any(self._holds(filed, question) for filed in handed)

    def fallback(self, question: Question) -> tuple[FiledLine, o.Plan] | None:
        for filed in sorted(self._ready, key=lambda filed: not self._is_fallback(filed)):
            order = filed.line.order
            if isinstance(order, o.Order) and not isinstance(order, o.Plan):
                continue
            if self._holds(filed, question):
                if not isinstance(order, o.Plan):
                    return None
                if question.refusal(order) is None:
                    return filed, order
        return None

    def _is_fallback(self, filed: FiledLine) -> bool:
        battle, plan = self._play.game.moments.battle, filed.line.order
        if battle is None or not isinstance(plan, o.Plan):
            return False
        return filed.line == fallback_line(battle, self._faction, plan)

    def would_answer(self, question: Question) -> bool:
        return self._chosen(question) is not None

    def _chosen(self, question: Question) -> tuple[list[FiledLine], list[o.Order]] | None:
        """Return the lines that answer a question, and their orders. If there are several, some may be legal only after
        others (a Hajr after the move); the rules check this."""
        first = next(self._legal(question), None)
        if first is None:
            return None
        lines, orders = [first[0]], [first[1]]
        for filed in self._ready if question.many else ():
            order = filed.line.order
            if not isinstance(order, o.Order):
                break
            if filed not in lines and question.fits(order) and _beside(orders, order) and self._holds(filed, question):
                lines.append(filed)
                orders.append(order)
        return lines, orders

    def _legal(self, question: Question) -> Iterator[tuple[FiledLine, o.Order]]:
        outbid: tuple[FiledLine, o.Order] | None = None
        for filed in self._ready:
            order = filed.line.order
            if isinstance(order, o.Order) and not self._fits(question, order):
                continue
            if self._sheet.uses[filed.number, self._play.stop_name, question.key] >= MOST_USES:
                continue
            if not self._holds(filed, question):
                continue
            if not isinstance(order, o.Order):  # "ask me"
                return
            order = _order_of_line(filed, question)
            if self._takes_back(question, order):
                continue
            if self._taken_by(question, order):
                yield filed, order
            elif isinstance(order, o.BidUpTo) and order.limit <= (question.facts["top"] or 0):
                outbid = outbid or (filed, o.Pass())
            else:
                self._note(filed, question, order)
        if outbid:
            yield outbid

    def _takes_back(self, question: Question, order: o.Order) -> bool:
        said = self._said.get(question.key, ())
        return not all(question.stays_beside(earlier, order) for earlier in said)

    def _fits(self, question: Question, order: o.Order) -> bool:
        if question is self._window and is_play(order):
            return not isinstance(order, o.Waive) and not is_unseen(self._play.game, order)
        if isinstance(order, o.Coexist | o.Fight) and order.territory != question.subject:
            return False
        return question.fits(order)

    def _taken_by(self, question: Question, order: o.Order) -> bool:
        if question.refusal(order) is not None or _mended(question, order):
            return False
        others = (other for other in self._open if other.fits(order))
        return is_play(order) or next((other for other in others if other.refusal(order) is None), None) is question

    def _note(self, filed: FiledLine, question: Question, order: o.Order) -> None:
        """Tell the player why their line could not be used, or had to be changed. A play is mentioned only if its line
        had a condition that is now true. A standing line is not mentioned if there was nothing to decide, such as
        charity for a player who has spice."""
        refusal = question.refusal(order)
        if refusal is None and (faults := _mended(question, order)):
            if not self._is_fallback(filed):  # the player was told what is wrong with a fallback when it was filed
                self._remark(filed, faults[0], "sheet.unfit")
            return
        if filed.line.standing and question.blanket and list(question.samples()) == [question.default]:
            return
        if refusal and (filed.line.condition is not None or not is_play(order)):
            self._remark(filed, refusal)

    # --- both --------------------------------------------------------------------------------------------------------

    def _holds(self, filed: FiledLine, question: Question | None) -> bool:
        condition = filed.line.condition
        return condition is None or holds(condition, self._knowledge(question))

    def _knowledge(self, question: Question | None) -> Knowledge:
        key = f"{question.kind} {question.subject}" if question else ""
        if key not in self._known:
            self._known[key] = knowledge_of(self._play, self._faction, self._events, question)
        return self._known[key]

    def _remark(self, filed: FiledLine, refusal: Refusal, key: str = "sheet.unused") -> None:
        cited = refusal.cited(self._play.game.rules)
        said = say(key, line=filed.text, reason=cited.reason, clause=cited.clause)
        self._sheet.remark(filed, said)

    def _send(self, lines: Sequence[FiledLine], orders: Sequence[o.Order], about: object) -> DeputyMove | None:
        stop, entries = self._play.stop_name, self._play.entries_before + len(self._play.log)
        outcomes = self._play.submit(self._faction, orders)
        taken = [filed for filed, outcome in zip(lines, outcomes, strict=True) if outcome.status != "refused"]
        for filed, outcome in zip(lines, outcomes, strict=True):
            if outcome.refusal:
                self._remark(filed, outcome.refusal)
        for filed in taken:
            self._sheet.act(filed, stop, about, entries + 1)
        return DeputyMove(self._faction, tuple(filed.number for filed in taken)) if taken else None


def _order_of_line(filed: FiledLine, question: Question) -> o.Order:
    """Return the order that a line gives for this question. A bidding limit is lowered to what the player can pay. A
    ``pass all`` without a condition passes only this once, so that an earlier line can still bid for a later card."""
    line = filed.line
    if isinstance(line.order, o.BidUpTo):
        limit = min(line.order.limit, question.facts["means"])
        return o.BidUpTo(limit, line.order.step, min(line.order.first, limit))
    if isinstance(line.order, o.PassAll) and line.condition is None and line.times < 0:
        return o.Pass()
    assert isinstance(line.order, o.Order)
    return line.order


def _mended(question: Question, order: o.Order) -> Sequence[Refusal]:
    # the player who mails it is warned, but one who filed it can no longer change it (WBC.X.26)
    return question.warnings(order)


def _beside(orders: Iterable[o.Order], order: o.Order) -> bool:
    given = list(orders)
    if isinstance(order, o.Move):
        return all(isinstance(other, o.Hajr) for other in given)
    return (
        isinstance(order, SIDE_BY_SIDE)
        and order not in given
        and all(isinstance(other, (*SIDE_BY_SIDE, o.Move)) for other in given)
    )


PLAN_QUESTIONS = ("battle-plan", "prescience-answer")
ELITE = 2
"""The highest value of an elite token."""
FIT_TO_FIGHT = ("ready", "used")


def play_for_absent_seats(table: Table, questions: Iterable[Question]) -> bool:
    for question in questions:
        seat = table.seats[question.faction]
        if seat.care and seat.opponent:
            _answer_as_opponent(table, seat, question)
            return True
        if seat.care:
            plan = _plan(table, question) if question.kind in PLAN_QUESTIONS else None
            outcomes = table.play.submit(question.faction, [plan]) if plan else ()
            if not any(outcome.status == "accepted" for outcome in outcomes):
                table.play.expire([question.key])
            return True
    return False


def _answer_as_opponent(table: Table, seat: Seat, question: Question) -> None:
    from rules.opponents import Opponent, answer  # most tables have no computer opponent
    from rules.players import temperament_named

    opponent = Opponent(seat.faction, temperament_named(seat.opponent), seat.bounce_token)
    answer(table.play, opponent, question, _all_events(table))


def _all_events(table: Table) -> list[Event]:
    past = table.past or []
    return [*past, *(event for event in table.play.events if event.number >= len(past))]


def _plan(table: Table, question: Question) -> o.Plan | None:
    view = views.view(table.play, question.faction)
    return defence(question, Battle.of(question, view))


@dataclass(frozen=True, slots=True)
class Battle:
    """A fighter's knowledge of a battle. ``leaders`` are their own leaders there, the best first; ``hand`` and
    ``spice`` are the cards and spice that they can use in it. ``most`` is the most that they can dial, and ``against``
    the most that the opponent can. ``behind`` gives, for each of their leaders and for a cheap hero, by how much the
    opponent's leader may be stronger."""

    leaders: tuple[Leader, ...]
    hand: tuple[Card, ...]
    spice: int
    most: float
    against: float
    behind: Mapping[str, int]

    @classmethod
    def of(cls, question: Question, view: Mapping[str, Any]) -> Battle:
        about, game = question.facts, question.game
        opponent = view["players"][about["opponent"]]
        tokens = Forces.parse(about["opponent_forces"])
        ordinary = tokens.ordinary / 2 if rules_of(game, about["opponent"]).ordinary_counts_half else tokens.ordinary
        fit = [Leader(name) for name, how in opponent["leaders"].items() if how in FIT_TO_FIGHT]
        theirs = [None, *fit, *map(Leader, opponent.get("gholas", ()))]
        behind = {
            leader or o.CHEAP_HERO: max(_worth(game, one, leader) - _worth(game, leader, one) for one in theirs)
            for leader in (*about["leaders"], None)
        }
        return cls(
            leaders=tuple(sorted(about["leaders"], key=lambda leader: (behind[leader], -leader_strength(leader)))),
            hand=tuple(view["players"][question.faction]["hand"]),
            spice=about["spice"],
            most=float(about["most"]),
            against=ordinary + ELITE * tokens.elite,
            behind=behind,
        )


def _worth(game: Game, leader: Leader | None, opposing: Leader | None) -> int:
    return rules_of(game, LEADERS[leader].faction).worth_of_leader(game, leader, opposing) if leader else 0


def defence(question: Question, battle: Battle) -> o.Plan | None:
    """Return the strongest plan that the caretaker would risk, or None if the default is no worse. The plan uses the
    first weapon and defense that the rules and the Voice allow. It dials the lowest number that holds against the
    opponent's highest possible dial or, if none does, the highest number."""
    modest = question.default
    if not isinstance(modest, o.Plan):
        return None
    equipped = next((plan for plan in _equipment(modest, battle) if _needs_no_mending(question, plan)), None)
    if equipped is None:
        return None
    wanted = max(battle.against + battle.behind[equipped.leader or o.CHEAP_HERO] + 0.5, 0)
    return next((plan for plan in _dials(equipped, battle, wanted) if _needs_no_mending(question, plan)), equipped)


def _equipment(modest: o.Plan, battle: Battle) -> Iterator[o.Plan]:
    weapons = [card for card in battle.hand if is_weapon(card)]
    weapons.sort(key=lambda card: card_kind(card) == "lasgun")  # a lasgun kills everybody if there is a shield
    defenses = [card for card in battle.hand if is_defense(card)]
    leaders: list[str] = [*battle.leaders, o.CHEAP_HERO]
    for leader in leaders:
        for weapon in [*weapons, None]:
            for defense in [*defenses, None]:
                explodes = weapon and defense and card_kind(weapon) == "lasgun" and card_kind(defense) == "shield"
                if not explodes:
                    yield replace(modest, leader=leader, weapon=weapon, defense=defense)


def _dials(plan: o.Plan, battle: Battle, wanted: float) -> Iterator[o.Plan]:
    halves = range(int(2 * battle.most) + 1)
    enough = (half / 2 for half in halves if half / 2 >= wanted)
    highest = (half / 2 for half in reversed(halves))
    for dial in chain(enough, highest):
        for spice in range(battle.spice + 1):
            yield replace(plan, dial=dial, spice=spice)


def _needs_no_mending(question: Question, plan: o.Plan) -> bool:
    return question.refusal(plan) is None and not (question.warnings(plan))
