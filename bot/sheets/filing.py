"""Filing the lines of a sheet: what is taken, what is refused at once, and what the player is told of it."""

from __future__ import annotations

from dataclasses import dataclass

from bot.reports.given import LineRead
from bot.reports.wording import say
from bot.sheets.reading import SheetLine, write_sheet_line
from bot.sheets.sheet import MOST_LINES, Filed, Sheet, phases_of
from bot.store.games import Table
from rules import turn
from rules.components import Faction
from rules.duties import never_his
from rules.orders import (
    ANSWERS,
    NoAdvisor,
    NoAlliance,
    NoCharity,
    NoMove,
    NoPrescience,
    NoRevival,
    NoRide,
    NoShipment,
    NoStormCards,
    NoTransfer,
    NoTreachery,
    NoVoice,
    Order,
    QuestionKind,
    Wait,
)
from rules.play import Play
from rules.refusal import Refusal
from rules.rulebook import UnknownClause, clause

SILENT: dict[QuestionKind, Order] = {
    "storm-cards": NoStormCards(), "worm-ride": NoRide(), "nexus": NoAlliance(), "charity": NoCharity(),
    "revival": NoRevival(), "shipment": NoShipment(), "advisor": NoAdvisor(), "guild-timing": Wait(),
    "movement": NoMove(), "voice": NoVoice(), "prescience": NoPrescience(), "traitor-call": NoTreachery(),
    "transfer": NoTransfer(),
}  # fmt: skip
"""The order that does nothing, for kinds of question that come once in a phase: it is refused only if the question
cannot come any more."""


@dataclass(frozen=True, slots=True)
class Taken:
    """A line that was put on a sheet, and the one that it replaced."""

    filed: Filed
    old: Filed | None


def put(play: Play, sheets: dict[Faction, Sheet], faction: Faction, line: SheetLine) -> Taken | Refusal:
    """Put a line on the sheet of a faction, or say why it can never act."""
    if isinstance(line.order, Order) and (refusal := never_his(faction, line.order)):
        return refusal
    sheet = sheets.setdefault(faction, Sheet())
    if sheet.full(line):
        return Refusal(say("sheet.full", most=MOST_LINES), "")
    now = play.state.turn
    filed, old = sheet.file(line, now, play.state.phase, play.entries_before + len(play.log))
    if filed.turn == now and not line.turns and over_this_turn(play, faction, line.order):
        filed.turn = now + 1
    return Taken(filed, old)


def file_line(table: Table, faction: Faction, text: str, line: SheetLine) -> LineRead:
    """Put a line on the sheet of a seat; what is answered to it. ``text`` is the line as it came."""
    canonical = write_sheet_line(line)
    match put(table.play, table.sheets, faction, line):
        case Refusal(reason, cited):
            return LineRead(text, "refused", canonical, reason, cited, _rule(cited))
        case Taken(filed, old):
            postponed = not line.turns and filed.turn > table.play.state.turn
            reasons = [say("sheet.next-turn", turn=filed.turn)] if postponed else []
            if old:
                reasons.append(say("sheet.replaces", line=old.text))
            return LineRead(text, "held", canonical, " ".join(reasons), kept=filed.lasts)


def withdraw(table: Table, faction: Faction, line: SheetLine | None = None) -> list[str]:
    """Take back a line of a seat's sheet, or all of them; their canonical words."""
    sheet = table.sheets.get(faction)
    if sheet is None:
        return []
    entries = table.play.entries_before + len(table.play.log)
    return [filed.text for filed in sheet.withdraw(entries, write_sheet_line(line) if line else "")]


def listed(table: Table, faction: Faction) -> list[str]:
    """The active lines of a seat with how long they count."""
    sheet = table.sheets.get(faction)
    return [f"{filed.text}  ({filed.lasts})" for filed in sheet.active()] if sheet else []


def over_this_turn(play: Play, faction: Faction, order: object) -> bool:
    """Whether the last phase in which the order could act is on, and its question can come no more this turn."""
    phases = phases_of(order)
    if not phases or phases[-1] != play.state.phase or not isinstance(order, Order):
        return False
    kinds = [kind for kind in turn.QUESTIONS_OF[phases[-1]] if kind in ANSWERS.get(type(order), ())]
    return bool(kinds) and not any(may_come(play, faction, kind) for kind in kinds)


def may_come(play: Play, faction: Faction, kind: QuestionKind) -> bool:
    """Whether a faction is asked a question of this kind now, or may still be in the phase that is on."""
    if any(question.faction == faction and question.kind == kind for question in play.questions()):
        return True
    order = SILENT.get(kind)
    return order is None or turn.still_to_come(play.game, faction, order) is None


def _rule(clause_id: str) -> str:
    try:
        return clause(clause_id).rule if clause_id else ""
    except UnknownClause:
        return ""
