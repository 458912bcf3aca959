"""Filing the lines of a sheet: what is taken, what is refused at once, and what the player is told of it."""

from __future__ import annotations

from dataclasses import dataclass

from bot.orders.language import write
from bot.sheets.reading import SheetLine
from bot.sheets.sheet import MOST_LINES, Filed, Sheet, phases_of
from bot.wording.sentences import say
from rules.components import Faction
from rules.decisions.never_legal import never_legal
from rules.engine import turn
from rules.engine.play import Play
from rules.orders import (
    ANSWERS,
    GoNow,
    NoAdvisor,
    NoAlliance,
    NoCharity,
    NoExchange,
    NoMove,
    NoPrescience,
    NoRedraw,
    NoRevival,
    NoRide,
    NoShipment,
    NoStormCards,
    NoSwap,
    NoSwapAll,
    NoTransfer,
    NoTreachery,
    NoVoice,
    Order,
    Pass,
    PassAll,
    QuestionKind,
    StrongholdStays,
    Wait,
)
from rules.rulesets.refusal import Refusal

SILENT: dict[QuestionKind, Order] = {
    "storm-cards": NoStormCards(), "worm-ride": NoRide(), "nexus": NoAlliance(), "charity": NoCharity(),
    "revival": NoRevival(), "shipment": NoShipment(), "advisor": NoAdvisor(), "guild-timing": Wait(),
    "movement": NoMove(), "voice": NoVoice(), "prescience": NoPrescience(), "traitor-call": NoTreachery(),
    "transfer": NoTransfer(), "hms-move": StrongholdStays(), "redraw": NoRedraw(), "exchange": NoExchange(),
}  # fmt: skip
"""The order that does nothing, for kinds of question that come once in a phase: it is refused only if the question
cannot come any more."""

ALWAYS_LEGAL = (*map(type, SILENT.values()), Pass, PassAll, GoNow, NoSwap, NoSwapAll)
"""Orders that are legal whenever their question is asked."""


@dataclass(frozen=True, slots=True)
class Taken:
    """A line that was put on a sheet, and the one that it replaced."""

    filed: Filed
    old: Filed | None


def put(play: Play, sheets: dict[Faction, Sheet], faction: Faction, line: SheetLine) -> Taken | Refusal:
    """Put a line on the sheet of a faction, or say why it can never act."""
    if isinstance(line.order, Order) and (refusal := never_legal(play.game, faction, line.order)):
        return refusal.cited(play.game.rules)
    sheet = sheets.setdefault(faction, Sheet())
    if sheet.full(line):
        return Refusal(say("sheet.full", most=MOST_LINES), "")
    now = play.state.turn
    filed, old = sheet.file(line, play.game.rules, now, play.state.phase, play.entries_before + len(play.log))
    if filed.turn == now and not line.turns and over_this_turn(play, faction, line.order):
        filed.turn = now + 1
    return Taken(filed, old)


def stands_before(play: Play, sheet: Sheet, faction: Faction, filed: Filed) -> str:
    """The order that always answers what a line with a condition is for before the line can; nothing if there is none.
    It is an earlier line without a condition, or an order that is held."""
    kinds = set(ANSWERS.get(type(filed.line.order), ())) if isinstance(filed.line.order, Order) else set()
    if filed.line.condition is None or not kinds:
        return ""
    for other in sheet.active():
        line = other.line
        lasts = line.times < 0 and line.condition is None and (other.turn == 0 or 0 < filed.turn <= other.turn)
        if other.number < filed.number and lasts and (not isinstance(line.order, Order) or _wins(line.order, kinds)):
            return other.text
    if filed.turn != play.state.turn:
        return ""
    held = (order for order in play.game.held.get(faction, ()) if not isinstance(order, Pass) and _wins(order, kinds))
    return next(map(write, held), "")


def _wins(order: Order, kinds: set[QuestionKind]) -> bool:
    """Whether the order is a legal answer whenever a question of these kinds is open."""
    return isinstance(order, ALWAYS_LEGAL) and kinds <= set(ANSWERS[type(order)])


def over_this_turn(play: Play, faction: Faction, order: object) -> bool:
    """Whether the last phase in which the order could act is on, and its question can come no more this turn."""
    phases = phases_of(play.game.rules, order)
    if not phases or phases[-1] != play.state.phase or not isinstance(order, Order):
        return False
    kinds = [kind for kind in turn.questions_of(play.game.rules)[phases[-1]] if kind in ANSWERS.get(type(order), ())]
    return bool(kinds) and not any(may_come(play, faction, kind) for kind in kinds)


def may_come(play: Play, faction: Faction, kind: QuestionKind) -> bool:
    """Whether a faction is asked a question of this kind now, or may still be in the phase that is on."""
    if any(question.faction == faction and question.kind == kind for question in play.questions()):
        return True
    order = SILENT.get(kind)
    return order is None or turn.refusal_ahead(play.game, faction, order) is None
