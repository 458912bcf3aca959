"""The deputy: speaks for a seat from its sheet whenever the game stops, knowing only what the seat knows.

First cards and powers are played: at the first stop at which the condition of their line holds and the rules allow
them; in a reaction window a play is the seat's answer of the window and is resolved in the order of play with those of
the others (WBC.MISC.5). Then questions are answered: by the first line, in the order filed, whose order fits the
question, whose condition holds and which is legal as it stands. A line that held but was not legal, or a plan that
would have to be mended, is noted for its owner, and the next is tried. Where none is left, or the line says ``ask me``,
the question stays with its player: nothing is guessed.

What a deputy sends goes through ``Play.submit`` like a mailed order; the rules never see a sheet.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from bot.sheets.conditions import holds
from bot.sheets.knowledge import Knowledge, knowledge_of
from bot.sheets.sheet import Filed, Sheet, is_play
from bot.table.table import Table
from bot.wording.sentences import say
from rules.components import Faction
from rules.decisions.catalogue import is_unseen
from rules.decisions.question import Question
from rules.engine.play import Play
from rules.orders import (
    Ally,
    BidUpTo,
    BreakAlliance,
    Coexist,
    Fight,
    Give,
    Hajr,
    Move,
    Order,
    Pass,
    PassAll,
    Ride,
    Waive,
)
from rules.rulesets.refusal import Refusal
from rules.state.events import Event

MOST_USES = 8
"""So often one line answers the same question of one stop: then something takes the answer away each time, and the
player is asked."""

SIDE_BY_SIDE = (Ally, BreakAlliance, Give, Hajr, Ride)
"""Orders of which several together are one answer."""


@dataclass(frozen=True, slots=True)
class Spoken:
    """What a deputy sent: the seat, and the numbers of the lines that it took."""

    faction: Faction
    numbers: tuple[int, ...]


def answer_from_sheets(table: Table) -> bool:
    """Let the first deputy that has something to say at this stop say it; whether one had."""
    if not table.sheets:
        return False
    play, number = table.play, table.play.entries_before + len(table.play.log)
    spoken = speak(play, table.sheets, happened(table))
    if spoken:
        table.by_sheet[number] = " ".join(map(str, spoken.numbers))
    return spoken is not None


def hands_back(table: Table, question: Question) -> bool:
    """Whether the sheet of the one asked leaves this question to them (``ask me``)."""
    sheet = table.sheets.get(question.faction)
    return sheet is not None and _Deputy(table.play, question.faction, sheet, happened(table)).hands_back(question)


def left_to_player(play: Play, sheet: Sheet, question: Question, events: Sequence[Event]) -> bool:
    """Whether the sheet of the one asked comes to an ``ask me`` here, and to nothing that answers before it."""
    deputy = _Deputy(play, question.faction, sheet, events)
    return deputy.hands_back(question) and not deputy.would_answer(question)


def happened(table: Table) -> list[Event]:
    """The events of this turn, those that are not yet written included."""
    turn = table.play.state.turn
    known = [event for event in table.turn_events or () if event.turn == turn]
    return known + [event for event in table.play.events if event.turn == turn and event.number >= table.events]


def speak(play: Play, sheets: Mapping[Faction, Sheet], events: Sequence[Event]) -> Spoken | None:
    """Submit what the first deputy that has something to say at this stop says. ``events`` are this turn's."""
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


class _Deputy:
    """One seat's deputy at one stop."""

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

    def play_cards(self) -> Spoken | None:
        """Make the first play that can be made outside a reaction window."""
        for filed in self._ready:
            order = filed.line.order
            if not is_play(order) or not isinstance(order, Order) or filed.acted == self._play.stop_name:
                continue
            if self._window and not isinstance(order, Waive) and not is_unseen(self._play.game, order):
                continue
            if self._holds(filed, self._first_open()) and self._allowed(order):
                return self._send([filed], [order], "play")
        return None

    def _allowed(self, order: Order) -> bool:
        return self._play.check(self._faction, order).status == "accepted"

    def _first_open(self) -> Question | None:
        return self._open[0] if self._open else None

    # --- questions ---------------------------------------------------------------------------------------------------

    def answer(self) -> Spoken | None:
        """Answer the first open question that the sheet answers."""
        for question in self._open:
            chosen = self._chosen(question)
            if chosen:
                lines, orders = chosen
                return self._send(lines, orders, question.key)
        return None

    def hands_back(self, question: Question) -> bool:
        """Whether a line says ``ask me`` here."""
        handed = (filed for filed in self._ready if not isinstance(filed.line.order, Order))
        return any(self._holds(filed, question) for filed in handed)

    def would_answer(self, question: Question) -> bool:
        """Whether a line answers this question."""
        return self._chosen(question) is not None

    def _chosen(self, question: Question) -> tuple[list[Filed], list[Order]] | None:
        """The lines that answer a question, and what they say. Where several orders make up one answer, whether one is
        legal may depend on those before it (a Hajr after the move), which the rules see to when they are sent."""
        first = next(self._legal(question), None)
        if first is None:
            return None
        lines, orders = [first[0]], [first[1]]
        for filed in self._ready if question.many else ():
            order = filed.line.order
            if not isinstance(order, Order):
                break
            if filed not in lines and question.fits(order) and _beside(orders, order) and self._holds(filed, question):
                lines.append(filed)
                orders.append(order)
        return lines, orders

    def _legal(self, question: Question) -> Iterator[tuple[Filed, Order]]:
        """The lines whose orders answer the question, in the order filed, up to one that leaves it to the player."""
        outbid: tuple[Filed, Order] | None = None
        for filed in self._ready:
            order = filed.line.order
            if isinstance(order, Order) and not self._fits(question, order):
                continue
            if self._sheet.uses[filed.number, self._play.stop_name, question.key] >= MOST_USES:
                continue
            if not self._holds(filed, question):
                continue
            if not isinstance(order, Order):  # ask me
                return
            order = _said(filed, question)
            if self._takes_back(question, order):
                continue
            if self._taken_by(question, order):
                yield filed, order
            elif isinstance(order, BidUpTo) and order.limit <= (question.facts["top"] or 0):
                outbid = outbid or (filed, Pass())
            else:
                self._note(filed, question, order)
        if outbid:
            yield outbid

    def _takes_back(self, question: Question, order: Order) -> bool:
        """Whether the order would replace a part of the answer that was said already."""
        said = self._said.get(question.key, ())
        return not all(question.stays_beside(earlier, order) for earlier in said)

    def _fits(self, question: Question, order: Order) -> bool:
        if question is self._window and is_play(order):
            return not isinstance(order, Waive) and not is_unseen(self._play.game, order)
        if isinstance(order, Coexist | Fight) and order.territory != question.subject:
            return False
        return question.fits(order)

    def _taken_by(self, question: Question, order: Order) -> bool:
        """Whether the order is a legal answer to this question, and would be taken as the answer to no other."""
        if question.refusal(order) is not None or _mended(question, order):
            return False
        others = (other for other in self._open if other.fits(order))
        return is_play(order) or next((other for other in others if other.refusal(order) is None), None) is question

    def _note(self, filed: Filed, question: Question, order: Order) -> None:
        """Keep for the player why their line could not be used, or not as it stands. Of a play only if it was meant for
        such a moment; nothing of a standing line where there is nothing to decide (charity for who has spice)."""
        refusal = question.refusal(order)
        if refusal is None and (faults := _mended(question, order)):
            self._remark(filed, faults[0], "sheet.unfit")
            return
        if filed.line.standing and question.blanket and list(question.samples()) == [question.default]:
            return
        if refusal and (filed.line.condition is not None or not is_play(order)):
            self._remark(filed, refusal)

    # --- both --------------------------------------------------------------------------------------------------------

    def _holds(self, filed: Filed, question: Question | None) -> bool:
        condition = filed.line.condition
        return condition is None or holds(condition, self._knowledge(question))

    def _knowledge(self, question: Question | None) -> Knowledge:
        key = f"{question.kind} {question.subject}" if question else ""
        if key not in self._known:
            self._known[key] = knowledge_of(self._play, self._faction, self._events, question)
        return self._known[key]

    def _remark(self, filed: Filed, refusal: Refusal, key: str = "sheet.unused") -> None:
        cited = refusal.cited(self._play.game.rules)
        said = say(key, line=filed.text, reason=cited.reason, clause=cited.clause)
        self._sheet.remark(filed, said)

    def _send(self, lines: Sequence[Filed], orders: Sequence[Order], about: object) -> Spoken | None:
        stop, entries = self._play.stop_name, self._play.entries_before + len(self._play.log)
        outcomes = self._play.submit(self._faction, orders)
        taken = [filed for filed, outcome in zip(lines, outcomes, strict=True) if outcome.status != "refused"]
        for filed, outcome in zip(lines, outcomes, strict=True):
            if outcome.refusal:
                self._remark(filed, outcome.refusal)
        for filed in taken:
            self._sheet.act(filed, stop, about, entries + 1)
        return Spoken(self._faction, tuple(filed.number for filed in taken)) if taken else None


def _said(filed: Filed, question: Question) -> Order:
    """What the order of a line comes to here. A limit above what they can pay is lowered to that; a ``pass all``
    without a condition passes this time, so that a line before it can still bid for a later card."""
    line = filed.line
    if isinstance(line.order, BidUpTo):
        limit = min(line.order.limit, question.facts["means"])
        return BidUpTo(limit, line.order.step, min(line.order.first, limit))
    if isinstance(line.order, PassAll) and line.condition is None and line.times < 0:
        return Pass()
    assert isinstance(line.order, Order)
    return line.order


def _mended(question: Question, order: Order) -> Sequence[Refusal]:
    """What of an order would be mended if it were taken: a player who sends it now is warned and can change it, one
    who filed it ahead cannot (WBC.X.26)."""
    return question.warnings(order)


def _beside(orders: Iterable[Order], order: Order) -> bool:
    """Whether another order can stand in the same answer."""
    given = list(orders)
    if isinstance(order, Move):
        return all(isinstance(other, Hajr) for other in given)
    return (
        isinstance(order, SIDE_BY_SIDE)
        and order not in given
        and all(isinstance(other, (*SIDE_BY_SIDE, Move)) for other in given)
    )
