"""A table at which steps are taken, without a database: what the moderator and the timekeeper do to it, and what can be
seen of it afterwards."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import MISSING, fields
from datetime import datetime, timedelta
from functools import cache
from itertools import product
from pathlib import Path
from typing import Any, get_args
from zoneinfo import ZoneInfo

from bot.config import Settings, SettingsError
from bot.desk.game_view import json_view
from bot.language.condition_lines import Unfit, read_condition, read_deal_condition
from bot.language.conditions import truth, write_condition
from bot.language.facts import FACTS, WHY_NAMES
from bot.language.knowledge import knowledge_of
from bot.language.lines import Misread
from bot.language.orders import write
from bot.language.sheets import order_before
from bot.moderator.order_lines import LateAnswers, play_lines, situations_left_open
from bot.render.questions import orders_to_offer
from bot.table import calendar, deadlines, lines, press, rounds
from bot.table.clock import GameClock, game_clock, read_own_settings
from bot.table.coverage import coverage
from bot.table.deadlines import (
    Delays,
    current_deadlines,
    note_missed,
    overdue_questions,
    postponed_deadlines,
    resumed_deadlines,
)
from bot.table.deputy import PLAN_QUESTIONS, Battle, defence, events_of_turn, left_to_player
from bot.table.lines import reading_context
from bot.table.rounds import go_on, is_written_to, next_digest
from bot.table.seat import Seat
from bot.table.table import Absence, Overrun, Place, Table, place_of
from rules import views
from rules.components import Faction, leaders_of
from rules.components.board import STRONGHOLDS
from rules.decisions.question import Question
from rules.orders import Element, PhaseName, QuestionKind, VoiceKind
from rules.positions.position import PositionError, position
from tests.recorded.looking import PLAYED

MODES = ("all", "wanted", "daily")
TEMPOS = ("table", "steady", "swift")
CLOCKS: Sequence[list[str]] = (
    [], ["grace_hours=6"], ["step_hours=12", "minimum_hours=8"], ["due_at=20:00", "timezone=Europe/Berlin"],
    ["days_off=saturday,sunday", "grace_hours=1.5"], ["step_hours=0.5"], ["holidays=2026-11-25,de-by"],
)  # fmt: skip
MOST_SILENCES = 40
PHASES = get_args(PhaseName)


@cache
def settings() -> Settings:
    """The settings of an installation in which nothing is set that need not be."""
    return Settings.model_validate(
        {
            "mentat": {"address": "mentat@arrakis.example", "game_master": "gm@arrakis.example"},
            "mailbox": {"kind": "maildir", "maildir": "Maildir"},
            "smtp": {"kind": "directory", "directory": "outgoing"},
            "secrets": {"secret": "not a secret but thirty-two signs"},
        },
        context={"directory": Path()},
    )


class Life:
    """One game from a position on."""

    def __init__(self, given: Mapping[str, Any], now: datetime) -> None:
        """ValueError where there can be no such position, clock or press."""
        try:
            start = position({"ruleset": given["ruleset"], "options": given["options"], "start": given["start"]})
            own = read_own_settings(settings().clock, given["clock"])
        except (PositionError, SettingsError) as error:
            raise ValueError(str(error)) from error
        dots = {faction: player.dot for faction, player in start.state.players.items()}
        seats = {faction: _seat(faction, dot, given["seats"].get(faction, {})) for faction, dot in dots.items()}
        table = Table("sietch-12", given["ruleset"], given["options"], start.seed, start.play(), seats)
        table.tempo, table.clock, table.press, table.turn_events = given["tempo"], own, given["press"], []
        self.table, self.now, self._seen, self._told = table, now, dict[str, str](), 0
        table.play.begin_phase(table.play.state.phase)
        self._on()

    # --- steps -------------------------------------------------------------------------------------------------------

    def take(self, step: Sequence[Any]) -> str:
        """Do what a step says; what is said to it."""
        what, *how = step
        if what in self._nobodys:
            return self._nobodys[what](self, *how)
        faction, *rest = how
        if faction not in self.table.seats:
            return "nobody plays them"
        return self._somebodys[what](self, faction, *rest)

    def _mail(self, faction: Faction, text: str) -> str:
        seat = self.table.seats[faction]
        late = LateAnswers(dict, ZoneInfo(seat.timezone))
        played = play_lines(self.table, faction, text.split("\n"), late, self.now.date())
        said = [json.dumps(_filled(line)) for line in played.lines]
        said += [f"  command {command}" for command in played.commands.values()]
        self._on()
        return "\n".join([*said, *situations_left_open(self.table, faction, played.lines)])

    def _pass(self, minutes: int) -> str:
        self.now += timedelta(minutes=minutes)
        table, said = self.table, list[str]()
        for _ in range(MOST_SILENCES):
            late = [] if table.stopped_at else overdue_questions(table.deadlines, table.play, self.now)
            late = [place for place in late if not self._overruns(place)]
            if not late:
                break
            gone = set(table.play.expire([key for _, key in late]))
            note_missed(table.deadlines, [place for place in late if place[1] in gone])
            said.append(f"silence: {', '.join(map(_named, gone and sorted(gone)))}")
            self._on()
        return "\n".join(said)

    def _overruns(self, place: Place) -> bool:
        """Whether a time bank runs for a question now."""
        table, seat = self.table, self.table.seats[place[1][0]]
        duties = [q.key for q in table.play.questions() if rounds.is_duty(table, q)]
        if place[1] not in duties or seat.bank <= 0 or seat.care or place in table.overruns:
            return False
        zone, since = ZoneInfo(seat.timezone), table.deadlines[place].until
        end = calendar.after_waking_time(since, timedelta(minutes=seat.bank), seat.waking, zone)
        table.overruns[place] = Overrun(seat.waking, seat.timezone)
        table.deadlines.update(postponed_deadlines(table, [place], end))
        return True

    def _until(self, kind: str, faction: str) -> str:
        play = self.table.play
        for _ in range(MOST_SILENCES):
            asked, phase = play.questions(), f"phase:{play.state.phase}"
            if not asked or phase == kind or any(q.kind == kind and faction in ("", q.faction) for q in asked):
                break
            play.expire([asked[0].key])
            go_on(self.table, self.now)
        self._on()
        return ""

    def _away(self, faction: Faction, first: int, last: int) -> str:
        day = self.now.date()
        away = Absence(day + timedelta(days=first), day + timedelta(days=last))
        self._delay(deadlines.announce_absence(self.table, faction, away, self._clock()))
        return f"{away.days} days"

    def _back(self, faction: Faction) -> str:
        if known := self.table.absences.get(faction):
            deadlines.withdraw_absence(self.table, faction, known[0])
        self._on()
        return f"{self.table.absences}"

    def _unreachable(self, faction: Faction, hours: float) -> str:
        self._delay(deadlines.mark_unreachable(self.table, faction, self.now, hours, self._clock()))
        return ""

    def _reached(self, faction: Faction) -> str:
        deadlines.mark_reachable(self.table, faction)
        return ""

    def _care(self, faction: Faction) -> str:
        self.table.seats[faction].care = True
        self._on()
        return ""

    def _heard(self, faction: Faction) -> str:
        rounds.note_call_answered(self.table, faction)
        self._on()
        return ""

    def _stop(self) -> str:
        self.table.stopped_at = self.table.stopped_at or self.now
        return ""

    def _go(self) -> str:
        if since := self.table.stopped_at:
            self.table.stopped_at = None
            self.table.deadlines = resumed_deadlines(self.table.deadlines, self._clock(), since, self.now)
        self._on()
        return ""

    def _hold(self) -> str:
        self.table.on_hold = None if self.table.on_hold else self.now
        self._on()
        return ""

    def _later(self) -> str:
        clock, known = self._clock(), self.table.deadlines
        rounds.extend_call(self.table, 6, clock)
        for place in list(known):
            known.update(postponed_deadlines(self.table, [place], clock.extended(known[place].due, 6)))
        return ""

    def _taken_back(self) -> str:
        """All sheets are taken back, and what they had to tell was told."""
        said = []
        for faction, sheet in self.table.sheets.items():
            sheet.told()
            sheet.saved()
            said.append(
                f"{faction}: {lines.active_lines(self.table, faction)} {lines.withdraw_lines(self.table, faction)}"
            )
        return "\n".join(said)

    def _ask(self, faction: Faction, text: str) -> str:
        context = reading_context(self.table.play, faction)
        try:
            public = str(read_deal_condition(text, context))
        except Misread as wrong:
            public = f"not of a deal: {wrong.reason}"
        read = read_condition(text, context)
        if isinstance(read, Unfit):
            return f"{read.reason} {[write_condition(each) for each in read.instead]}"
        own = [None, *(q for q in self.table.play.questions() if q.faction == faction)]
        known = [truth(read, knowledge_of(self.table.play, faction, events_of_turn(self.table), q)) for q in own]
        return f"{write_condition(read)}: {known}; {public}"

    def _know(self, faction: Faction) -> str:
        """All that they could ask for and that is so, or is not nought."""
        play = self.table.play
        own = next((q for q in play.questions() if q.faction == faction), None)
        knowledge = knowledge_of(play, faction, events_of_turn(self.table), own)
        domains = self._domains(faction)
        said = []
        for form in FACTS:
            values = [
                f"{' '.join(map(str, args))} {value}"
                for args in product(*(domains[blank] for blank in form.blanks))
                if (value := form.value(knowledge, *args)) not in (0, None)
            ]
            said += [f"  {form.pattern}: {'; '.join(values)}"] if values else []
        return "\n".join(said)

    def _domains(self, faction: Faction) -> Mapping[str, Sequence[Any]]:
        """What could stand in the blanks of a condition here."""
        state, factions = self.table.play.state, list(self.table.seats)
        areas = [*state.spice, *(area for area, forces in state.forces.items() if forces)]
        cards = {*state.players[faction].hand, *PLAYED}
        leaders = [leader for each in factions for leader in leaders_of(each)]
        territories = {area.partition("/")[0] for area in areas}.union(STRONGHOLDS)
        return {
            "faction": factions, "other": factions, "leader": leaders, "card": sorted(cards), "phase": PHASES,
            "territory": sorted(territories), "holding": sorted(cards), "kind": get_args(VoiceKind),
            "element": get_args(Element), "why": WHY_NAMES.values, "asking": get_args(QuestionKind),
        }  # fmt: skip

    def _shown(self, faction: Faction) -> str:
        return json.dumps(json_view(self.table, faction), default=str)

    _nobodys: Mapping[str, Callable[..., str]] = {
        "pass": _pass, "until": _until, "stop": _stop, "go": _go, "hold": _hold, "later": _later,
        "taken-back": _taken_back,
    }  # fmt: skip
    _somebodys: Mapping[str, Callable[..., str]] = {
        "mail": _mail, "away": _away, "back": _back, "unreachable": _unreachable, "reached": _reached, "care": _care,
        "heard": _heard, "ask": _ask, "know": _know, "told": _shown,
    }  # fmt: skip

    # --- what follows ------------------------------------------------------------------------------------------------

    def _clock(self) -> GameClock:
        return game_clock(settings(), self.table.clock, rounds.share(self.table))

    def _on(self) -> None:
        """The game goes on, and what the store would write follows."""
        table, known, clock = self.table, dict(self.table.deadlines), self._clock()
        go_on(table, self.now)
        turn = table.play.state.turn
        fresh = [event for event in table.play.events if event.number >= table.events]
        table.turn_events = [event for event in (*(table.turn_events or ()), *fresh) if event.turn == turn]
        in_round = rounds.clock_in_round(table, clock, self.now)
        table.deadlines = current_deadlines(known, table.play, self.now, in_round)
        self._delay(deadlines.absence_delays(table, known, clock))
        self._delay(deadlines.unreachable_delays(table, known, clock))
        deadlines.measure_overruns(table, known, self.now)
        for place in deadlines.settle_overruns(table):
            del table.overruns[place]
        table.events = table.play.state.events
        table.status = "over" if table.play.over else table.status

    def _delay(self, delays: Delays) -> None:
        for place, until in delays.items():
            self.table.deadlines.update(postponed_deadlines(self.table, [place], until))

    # --- what is seen ------------------------------------------------------------------------------------------------

    def changed(self) -> str:
        """What is otherwise than when this was asked last."""
        seen = dict(self._sections())
        gone = [f"{name}: gone" for name in self._seen if name not in seen]
        fresh = [f"{name}: {told}" for name, told in seen.items() if self._seen.get(name) != told]
        self._seen = seen
        return "\n".join([*gone, *fresh])

    def _sections(self) -> Iterator[tuple[str, str]]:
        table, play = self.table, self.table.play
        yield "game", f"{play.stop_name} {table.status} {play.state.winners} stopped {table.stopped_at}"
        yield "call", f"{table.call} {table.call_due} {table.calling} {rounds.call_of(table, self.now)}"
        yield "spoken from sheets", f"{table.by_sheet}"
        yield "banks that run", f"{table.overruns}"
        table.calling = False
        for question in play.asked():
            yield f"asked {question.kind} of {question.faction} {question.subject}", self._of_question(question)
        for (stop, key), deadline in table.deadlines.items():
            yield f"deadline {stop} {_named(key)}", " ".join(map(str, _shortly(deadline)))
        for faction, seat in table.seats.items():
            yield f"seat {faction}", _filled_text(seat)
            yield f"seen of {faction}", self._of_seat(faction)
            if faction in table.sheets:
                yield f"sheet of {faction}", self._of_sheet(faction)
        yield "touched", f"{sorted(table.touched)}"
        table.touched.clear()

    def _of_question(self, question: Question) -> str:
        table = self.table
        sheet, place = table.sheets.get(question.faction), place_of(table.play, question)
        left = sheet is not None and left_to_player(table.play, sheet, question, events_of_turn(table))
        flags = (rounds.is_duty(table, question), rounds.takes_no_time(table, question), left)
        said = f"{place[0]} due {table.due(question)} duty, no time, left to them: {flags}"
        ready = [write(order) for order in orders_to_offer(question)]
        said += f" offered {len(ready)}: {' | '.join(ready[:3])}"
        if question.kind in PLAN_QUESTIONS:
            battle = Battle.of(question, views.view(table.play, question.faction))
            plan = defence(question, battle)
            said += f" the caretaker: {write(plan) if plan else 'nothing'}"
        return said

    def _of_seat(self, faction: Faction) -> str:
        table = self.table
        flags = {
            "owes": press.owes(table, faction), "overdue": press.overdue(table, faction, self.now),
            "awaited": rounds.awaits(table, faction), "takes part": rounds.takes_part(table, faction),
            "goes on": rounds.goes_on_at(table, faction, self.now), "fights": rounds.fights(table, faction),
            "near": sorted(press.near(table, faction)), "hidden": press.names_hidden(table),
            "written to": [is_written_to(table, faction, self.now, called=called) for called in (True, False)],
            "digest": next_digest(table.seats[faction], self.now), "known by": press.person(table, faction),
        }  # fmt: skip
        return " ".join(f"{name} {value};" for name, value in flags.items())

    def _of_sheet(self, faction: Faction) -> str:
        table, sheet = self.table, self.table.sheets[faction]
        lines = [
            f"  {filed.number} {filed.text} | {filed.state} {filed.lasts} turn {filed.turn} left {filed.left} filed "
            f"{filed.filed} changed {filed.changed} acted {filed.acted} turns {filed.line.turns} note {filed.note} "
            f"before {order_before(table.play, sheet, faction, filed)}"
            for filed in sheet.lines
        ]
        left = coverage(table.play, faction, sheet, ("revival", "advisor")) if not table.play.over else ""
        return "\n".join([f"next {sheet.next_number} touched {sorted(sheet.touched)} {left}", *lines])


def _seat(faction: Faction, dot: int, own: Mapping[str, Any]) -> Seat:
    return Seat(faction, dot, f"{faction}@players.example", f"Ann {dot}", own.get("timezone", "UTC"), "token", "bounce",
                **{name: value for name, value in own.items() if name != "timezone"})  # fmt: skip


def _named(key: Any) -> str:
    return " ".join(map(str, key))


def _shortly(deadline: Any) -> Iterator[object]:
    for each in fields(deadline):
        value = getattr(deadline, each.name)
        yield f"{value:%d.%H:%M:%S}" if isinstance(value, datetime) else value


def _filled(value: Any) -> dict[str, Any]:
    """The fields that are not as they are where nothing is said."""
    return {
        each.name: field for each in fields(value)
        if each.default is MISSING or getattr(value, each.name) != each.default
        if (field := getattr(value, each.name)) is not None
    }  # fmt: skip


def _filled_text(value: Any) -> str:
    return " ".join(f"{name}={field}" for name, field in _filled(value).items())
