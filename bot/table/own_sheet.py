"""The sheet of a seat: lines are filed, taken back and listed, and what its player is told of it."""

from __future__ import annotations

from bot.reports.given import LineRead
from bot.sheets.filing import Taken, put, stands_before
from bot.sheets.reading import SheetLine, write_sheet_line
from bot.table.table import Table
from bot.wording.sentences import say
from rules.components import Faction
from rules.rulesets.refusal import Refusal
from rules.rulesets.rulebook import rule_of


def file_line(table: Table, faction: Faction, text: str, line: SheetLine) -> LineRead:
    """Put a line on the sheet of a seat; what is answered to it. ``text`` is the line as it came."""
    canonical = write_sheet_line(line)
    if table.play.over:
        return LineRead(text, "refused", canonical, say("wanted.over"))
    match put(table.play, table.sheets, faction, line):
        case Refusal(reason=reason, clause=cited):
            return LineRead(text, "refused", canonical, reason, cited, rule_of(cited))
        case Taken(filed, old):
            postponed = not line.turns and filed.turn > table.play.state.turn
            reasons = [say("sheet.next-turn", turn=filed.turn)] if postponed else []
            if old:
                reasons.append(say("sheet.replaces", line=old.text))
            if before := stands_before(table.play, table.sheets[faction], faction, filed):
                reasons.append(say("sheet.never-acts", before=before))
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
