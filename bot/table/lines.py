"""A player's lines at a table: what may be known when they are read, and the sheet on which they are filed.

A reader of a player's lines may use only what that player knows.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import date
from functools import cache, partial
from typing import Literal

from bot.language.condition_lines import read_deal_condition
from bot.language.lines import Context, OpenQuestion, WriterView
from bot.language.sheets import Filing, Sheet, SheetLine, order_before, write_sheet_line
from bot.language.sheets import file_line as put
from bot.render.material import LineVerdict
from bot.table.table import Table
from bot.wording import say
from rules.components import Faction, Forces, leaders_of
from rules.components.board import Area
from rules.decisions.catalogue import rules_of
from rules.engine.play import Play
from rules.orders import Order
from rules.rulesets.refusal import Refusal
from rules.rulesets.rulebook import rule_of
from rules.views import view

Verdict = tuple[Literal["accepted", "held", "refused"], str]


def reading_context(
    play: Play,
    faction: Faction,
    today: date | None = None,
    *,
    takes: bool = True,
    later: Callable[[Order], bool] = lambda _: False,
) -> Context:
    """Return what is known about the writer of a line. ``today`` is the date in their time zone. With ``takes``,
    plain words of certain meaning are accepted. ``later`` tells whether an order is kept for a later part of the
    called round."""
    player = play.state.players[faction]
    return Context(
        faction=faction,
        factions=frozenset(play.state.players),
        hand=tuple(player.hand),
        leaders=(*leaders_of(faction), *player.captured, *rules_of(play.game, faction).foreign_leaders(play.game)),
        traitors=tuple(player.traitors),
        today=today,
        turn=play.state.turn,
        phase=play.state.phase,
        edition=play.game.rules.edition,
        known=cache(partial(known_to, play, faction, later)),
        takes=takes,
        conditions=read_deal_condition,
    )


def known_to(play: Play, faction: Faction, later: Callable[[Order], bool]) -> WriterView:
    """Return the position as one player sees it: their questions, their forces, and the rules' answer to an order of
    theirs, which any player is told for any order."""
    seen = view(play, faction)
    own = seen["players"][faction]
    return WriterView(
        asked=[
            OpenQuestion(q.kind, q.facts, q.samples, partial(getattr, q, "default"), q.many)
            for q in play.asked()
            if q.faction == faction
        ],
        forces={Area(area): Forces.parse(here[faction]) for area, here in seen["forces"].items() if faction in here},
        reserves=Forces.parse(own["reserves"]),
        tanks=Forces.parse(own["tanks"]),
        spice=own["spice"],
        allies=[ally for ally in play.state.ally_group(faction) if ally != faction],
        judge=_judge(play, faction, later),
    )


def _judge(play: Play, faction: Faction, later: Callable[[Order], bool]) -> Callable[[Order], Verdict]:
    def judge(order: Order) -> Verdict:
        if later(order):
            return "held", ""
        outcome = play.check(faction, order)
        return outcome.status, outcome.refusal.reason if outcome.refusal else ""

    return judge


def file_line(table: Table, faction: Faction, text: str, line: SheetLine) -> LineVerdict:
    canonical = write_sheet_line(line)
    if table.play.over:
        return LineVerdict(text, "refused", canonical, say("wanted.over"))
    match put(table.play, table.sheets, faction, line):
        case Refusal(reason=reason, clause=cited):
            return LineVerdict(text, "refused", canonical, reason, cited, rule_of(cited))
        case Filing(filed, old):
            postponed = not line.turns and filed.turn > table.play.state.turn
            reasons = [say("sheet.next-turn", turn=filed.turn)] if postponed else []
            if old:
                reasons.append(say("sheet.replaces", line=old.text))
            if before := order_before(table.play, table.sheets[faction], faction, filed):
                reasons.append(say("sheet.never-acts", before=before))
            return LineVerdict(text, "held", canonical, " ".join(reasons), kept=filed.lasts)


def orders_on_file(play: Play, sheet: Sheet | None, faction: Faction) -> list[Order | SheetLine]:
    """Return the orders of a seat that it can still change: its answers to open questions, held orders, and the lines
    of its sheet, the latest last."""
    filed: list[Order | SheetLine] = [line.line for line in sheet.active()] if sheet else []
    given = [order for question, orders in play.given() if question.faction == faction for order in orders]
    return [*filed, *play.game.held.get(faction, ()), *play.said_ahead(faction), *given]


def withdraw_lines(table: Table, faction: Faction, line: SheetLine | None = None) -> list[str]:
    sheet = table.sheets.get(faction)
    if sheet is None:
        return []
    entries = table.play.entries_before + len(table.play.log)
    return [filed.text for filed in sheet.withdraw(entries, write_sheet_line(line) if line else "")]


def active_lines(table: Table, faction: Faction) -> list[str]:
    sheet = table.sheets.get(faction)
    return [f"{filed.text}  ({filed.lasts})" for filed in sheet.active()] if sheet else []
