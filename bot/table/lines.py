"""A player's lines at a table: the knowledge with which they are read, and the sheet on which they are filed.

To read a player's lines, Mentat must use only what that player knows.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from datetime import date
from functools import cache, partial
from typing import Literal

from msgspec import structs

from bot.effort import charge
from bot.language.condition_lines import read_deal_condition
from bot.language.lines import Context, OpenQuestion, WriterView
from bot.language.orders import write
from bot.language.sheets import Filing, Sheet, SheetLine, last_turn, order_before, write_sheet_line
from bot.language.sheets import file_line as put
from bot.render.material import LineVerdict
from bot.render.questions import prompt_for
from bot.table.plans import FaultyPlan, fallback_line, faulty_plan, judge_plan
from bot.table.table import Table
from bot.wording import say
from rules.components import Faction, Forces, leaders_of
from rules.components.board import Area
from rules.decisions.catalogue import rules_of
from rules.engine.play import Play
from rules.orders import Order, Plan
from rules.rulesets.rulebook import Refusal, rule_of
from rules.state.moments import BattleMoment
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
    """Return the context for reading a player's line. ``today`` is the date in the writer's time zone. With ``takes``,
    plain words are accepted as orders if their meaning is certain. ``later`` returns True for an order that is kept for
    a later part of the round that has been called."""
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
    """Return the position as one player sees it: the player's questions, their forces, and a way to ask the rules about
    their orders. Players may be told what the rules say about any of their own orders."""
    seen = view(play, faction)
    own = seen["players"][faction]
    return WriterView(
        asked=[
            OpenQuestion(
                q.kind,
                q.facts,
                q.samples,
                partial(getattr, q, "default"),
                q.many,
                partial(prompt_for, q.kind, q.facts, faction),
            )
            for q in play.asked()
            if q.faction == faction
        ],
        forces={Area(area): Forces.parse(here[faction]) for area, here in seen["forces"].items() if faction in here},
        reserves=Forces.parse(own["reserves"]),
        tanks=Forces.parse(own["tanks"]),
        spice=own["spice"],
        allies=[ally for ally in play.state.ally_group(faction) if ally != faction],
        judge=_judge(play, faction, later),
        faults=lambda order: _faults(play, faction, order),
    )


def _faults(play: Play, faction: Faction, order: Order) -> str:
    faulty = faulty_plan(play, faction, SheetLine(order)) if isinstance(order, Plan) else None
    return " ".join(fault.reason for fault in faulty.faults) if faulty else ""


def _judge(play: Play, faction: Faction, later: Callable[[Order], bool]) -> Callable[[Order], Verdict]:
    def judge(order: Order) -> Verdict:
        charge(3)
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
            if old and old.text != filed.text:
                reasons.append(say("sheet.replaces", line=old.text))
            if before := order_before(table.play, table.sheets[faction], faction, filed):
                reasons.append(say("sheet.never-acts", before=before))
            read = LineVerdict(text, "held", canonical, " ".join(reasons), kept=filed.lasts)
            fault = None if postponed else faulty_plan(table.play, faction, line)
            if fault is None:
                return read
            nearest = [replace(line, order=plan) for plan in fault.nearest]
            once = line.condition is None and line.times == 1
            offered = map(write, fault.nearest) if once else map(write_sheet_line, nearest)
            return _with_fault(read, fault, say("plan.ahead", **_told(fault)), offered)


def keep_plan(table: Table, faction: Faction, text: str, plan: Plan) -> LineVerdict | None:
    """Put a battle plan on the sheet if it is for a later battle or would have to be mended, and return the verdict on
    it. Return None if the rules accept it unchanged."""
    play, outcome = table.play, table.play.check(faction, plan)
    if outcome.status == "held":
        for old in [order for order in play.game.held.get(faction, ()) if isinstance(order, Plan)]:
            play.withdraw(faction, old)
        return structs.replace(file_line(table, faction, text, SheetLine(plan, times=1)), canonical=write(plan))
    battle = play.game.moments.battle
    fault = judge_plan(play.game, battle, faction, plan) if battle and outcome.warnings else None
    if battle is None or fault is None:
        return None
    offered = map(write, fault.nearest)
    stays = [orders[-1] for question, orders in play.given() if question.key == (faction, "battle-plan", "")]
    if stays:
        read = LineVerdict(text, "refused", write(plan))
        return _with_fault(read, fault, say("plan.other-stays", stays=write(stays[0]), **_told(fault)), offered)
    read = file_line(table, faction, text, fallback_line(battle, faction, plan))
    read = structs.replace(read, canonical=write(plan), reason="", kept=say("plan.fallback"))
    return _with_fault(read, fault, say("plan.now", **_told(fault)), offered)


def plan_read(
    table: Table, faction: Faction, read: LineVerdict, plan: Plan, battle: BattleMoment | None
) -> LineVerdict:
    sheet, play = table.sheets.get(faction), table.play
    if battle is None or faction not in battle.sides:
        return read
    fault = None if faction in battle.committed else judge_plan(play.game, battle, faction, plan)
    if fault and read.status == "refused":
        whole = dict.fromkeys((read.reason, *(each.reason for each in fault.faults)))
        return structs.replace(read, reason=" ".join(whole), suggestions=tuple(map(write, fault.nearest)))
    filed = play.game.filed.get((faction, "battle-plan", ""))
    if fault and read.status == "accepted" and battle.bound.get(faction) == plan and filed != (plan,):
        return _with_fault(read, fault, say("plan.answers", **_told(fault)), ())
    if sheet and read.status == "accepted" and (filed == (plan,) or faction in battle.committed):
        entries = play.entries_before + len(play.log)
        for each in sheet.active():
            order = each.line.order
            if isinstance(order, Plan) and order != plan and each.line == fallback_line(battle, faction, order):
                sheet.end(each, "replaced", entries)
    return read


def _told(fault: FaultyPlan) -> dict[str, object]:
    return {"faults": [each.reason for each in fault.faults], "mended": write(fault.mended) if fault.mended else ""}


def _with_fault(read: LineVerdict, fault: FaultyPlan, reason: str, offered: Iterable[str]) -> LineVerdict:
    clause = fault.faults[0].clause
    whole = "\n".join((read.reason, reason)).strip()
    return structs.replace(read, reason=whole, clause=clause, rule=rule_of(clause), suggestions=tuple(offered))


def orders_on_file(play: Play, sheet: Sheet | None, faction: Faction) -> list[Order | SheetLine]:
    """Return the orders that a seat can still change: its answers to open questions, its held orders, and the lines of
    its sheet whose phase is not over. The latest order comes last."""
    rules, state = play.game.rules, play.state
    filed: list[Order | SheetLine] = [
        each.line
        for each in (sheet.active() if sheet else ())
        if not each.turn or each.turn >= last_turn(each.line, rules, state.turn, state.phase)
    ]
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
