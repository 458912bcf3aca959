"""`game.dune`: a game as a text that a person reads and a program plays again, as PGN is for chess.

First come headers, then what was decided, in order:

    == turn 2, bidding ==
         { Card 1 of 6 came up. }
     312 fremen:        bid 2
     313 atreides:      ship 3 to Arrakeen/10            (orders of one message go on behind a plus)
         +              move 3 from Arrakeen/10 to Imperial Basin/10
     314 - karama-window: guild, emperor                  (silence answered these questions)
     315 guild:         take back everything              (held orders that were withdrawn)
         mentat:        rollback to entry 300, "They sent the wrong order."

What the game master undid stays in the file, between round brackets. What stands in braces, and the lines that begin
with ``==``, are for readers: what all could see happen. Events and draws are not in the file. They follow from the
seed and the orders, and ``bot.record.dune_reading`` makes the whole record from it again.

This is the export form: the same record gives the same bytes. What is read may be laid out in any way.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import date
from textwrap import wrap
from typing import Any

from bot.record.dune_orders import order_text, quoted, seen_only
from bot.record.lines import Act, AnyLine, Decided, End, Told
from bot.record.reading import Read
from bot.record.recording import is_rollback, rules_of
from bot.record.words import Made, accepted
from bot.reports.news import sentence
from bot.wording.sentences import say
from bot.wording.spoken import speaking
from rules.components.terms import Edition
from rules.engine import corrections
from rules.engine.log import Corrected, Entry, Expired, LastTurn, Stopped, Submitted
from rules.orders import Bid, Key, Move, NoMove, NoShipment, Order, Pass
from rules.rulesets.options import RuleSetError
from rules.state.events import Event

FORMAT = "dune-record 1"
EVERYTHING = "take back everything"
TAKE_BACK = "take back"
GAME_MASTER = "game master"
LAST_TURN = "last turn"
CORRECT = "correct"
NOBODY = "nobody"
UNKNOWN = "unknown"
"""The day of what was recorded without one."""
PLAIN_WORD = re.compile(r"[A-Za-z_][A-Za-z0-9_./-]*")
_PLAIN_ACT = re.compile(r"[a-z][a-z0-9 -]*[a-z0-9]")
_PLAIN_SUBJECT = re.compile(r"[a-z0-9](?:[a-z0-9 /.'-]*[a-z0-9])?", re.IGNORECASE)
_MARGIN = "     "
WIDTH = 110
_NAME = 15  # letters of the column of names


def write_dune(record: Read, more: Mapping[str, str] | None = None) -> str:
    """The record of a finished game as a text; ``more`` are further headers, such as ``Player.atreides``."""
    assert record.end is not None, "only a game that is over has a seed to be played again from"
    with speaking(_edition(record)):
        lines = [
            *_in_braces(say("dune.explained"), ""),
            *(f"[{name} {quoted(value)}]" for name, value in headers(record, more or {}).items()),
            *_Body(record).lines(),
        ]
    return "".join(f"{line}\n" for line in lines)


def headers(record: Read, more: Mapping[str, str]) -> dict[str, str]:
    """The headers by name: those that every file has, in their order, and then the others by their names."""
    head, end = record.head, record.end
    assert end is not None
    seats = sorted(head.seats.items(), key=lambda seat: (seat[1], seat[0]))
    first = {
        "Format": FORMAT,
        "Game": head.game,
        "RuleSet": head.ruleset,
        "Options": ", ".join(f"{name}={_option(value)}" for name, value in sorted(head.options.items())),
        "Rules": head.rules,
        "Seats": ", ".join(f"{faction} {dot}" for faction, dot in seats),
        "Result": result(end),
        "Commitment": head.commitment,
        "Seed": end.seed,
    }
    last = {
        "Began": head.day.isoformat() if head.day else "",
        "Ended": end.day.isoformat() if end.day else "",
        "Record": record.chain_head,
    }
    others = {**{name: value for name, value in last.items() if value}, **more}
    return first | {name: others[name] for name in sorted(others) if name not in first}


def result(end: End) -> str:
    """Who won when, as the header has it: "bene-gesserit emperor, turn 12"."""
    return f"{' '.join(end.winners) or NOBODY}, turn {end.turn}"


def _edition(record: Read) -> Edition:
    try:
        return rules_of(record.head).edition
    except RuleSetError:
        return "1979"


def _option(value: Any) -> str:
    plain = isinstance(value, str) and PLAIN_WORD.fullmatch(value) and value not in ("true", "false", "null")
    return str(value) if plain else json.dumps(value, sort_keys=True)


class _Body:
    """The lines after the headers."""

    def __init__(self, record: Read) -> None:
        self._lines = record.lines
        self._made = accepted(record.lines)
        self._undone, self._back = _branches(record.lines)
        self._day: date | None = None
        self._where: tuple[int, str] | None = None

    def lines(self) -> Iterator[str]:
        decided: Entry | None = None
        for place, line in enumerate(self._lines):
            if isinstance(line, Decided):
                if line.phase:
                    yield from self._heading((line.turn, line.phase))
                yield from self._now(line.day)
                yield from ["("] * self._undone.get(place, 0)
                yield from self._entry(line)
                decided = line.entry
            elif isinstance(line, Act):
                yield from [")"] * self._back.get(place, 0)
                yield from self._now(line.day)
                yield f"{_MARGIN}{'mentat:':<{_NAME}}{act_text(line)}"
                self._where = None if is_rollback(line) else self._where
            elif isinstance(line, Told) and not _is_said_by(line.event, decided):
                yield from self._told(line.event)

    def _heading(self, where: tuple[int, str]) -> Iterator[str]:
        """Where the game stands, if that changes."""
        if where != self._where:
            self._where = where
            yield ""
            phase = "the end" if where[1] == "over" else where[1]
            yield "== setup ==" if phase == "setup" else f"== turn {where[0]}, {phase} =="

    def _told(self, event: Event) -> Iterator[str]:
        """What all could see, under the phase in which they saw it."""
        if told := _seen_by_all(event):
            yield from self._heading((event.turn, event.phase))
            yield from _in_braces(told, _MARGIN)

    def _now(self, day: date | None) -> Iterator[str]:
        if day != self._day:
            self._day = day
            yield f'[Day "{day.isoformat() if day else UNKNOWN}"]'

    def _entry(self, line: Decided) -> Iterator[str]:
        who, said = said_by(line.entry, self._made)
        yield f"{line.n:4} {f'{who}:':<{_NAME}}{said[0]}" if who else f"{line.n:4} - {said[0]}"
        for order in said[1:]:
            yield f"{_MARGIN}{'+':<{_NAME}}{order}"


def _branches(lines: Sequence[AnyLine]) -> tuple[dict[int, int], dict[int, int]]:
    """Before which lines a bracket opens for what was undone later, and before which acts one closes."""
    begins: dict[int, int] = {}
    ends: dict[int, int] = {}
    standing: list[int] = []
    for place, line in enumerate(lines):
        if isinstance(line, Decided):
            standing.append(place)
        elif isinstance(line, Act) and is_rollback(line) and line.entries is not None and line.entries < len(standing):
            first = standing[line.entries]
            begins[first] = begins.get(first, 0) + 1
            ends[place] = 1
            del standing[line.entries :]
    return begins, ends


def _seen_by_all(event: Event) -> str:
    """A fact in words; none for what only some saw."""
    told = sentence(event.kind, event.facts) if event.audience is None else ""
    return told.replace("{", "(").replace("}", ")")


_SAID: Mapping[str, type[Order]] = {
    "bid": Bid,
    "passed": Pass,
    "move": Move,
    "no-move": NoMove,
    "no-shipment": NoShipment,
}
"""Events that say no more than the order that stands above them."""


def _is_said_by(event: Event, entry: Entry | None) -> bool:
    kind = _SAID.get(event.kind)
    return (
        kind is not None
        and isinstance(entry, Submitted)
        and entry.faction == event.facts.get("faction")
        and any(type(order) is kind for order in entry.orders)
    )


def _in_braces(text: str, margin: str) -> list[str]:
    """A text for readers, in lines of a width that can be read. Signs that cannot be seen are left out."""
    seen = " ".join(seen_only(text).split())
    return wrap(
        f"{{ {seen} }}", WIDTH, initial_indent=margin, subsequent_indent=f"{margin}  ", break_long_words=False,
        break_on_hyphens=False,
    )  # fmt: skip


# --- what was decided ----------------------------------------------------------------------------------------------


def said_by(entry: Entry, made: Mapping[str, Made]) -> tuple[str, list[str]]:
    """Who decided, nobody for silence, and what: one text or, of a message with several orders, more."""
    if isinstance(entry, Submitted):
        return entry.faction, [order_text(entry.faction, order, made) for order in entry.orders]
    if isinstance(entry, Expired):
        return "", [_silence(entry.keys)]
    if isinstance(entry, LastTurn):
        return GAME_MASTER, [f"{LAST_TURN} {entry.turn}"]
    if isinstance(entry, Stopped):
        return GAME_MASTER, [" ".join([entry.how, *entry.winners])]
    if isinstance(entry, Corrected):
        return GAME_MASTER, [f"{CORRECT} {'; '.join(map(corrections.write, entry.corrections))}"]
    taken = f"{TAKE_BACK} {order_text(entry.faction, entry.order, made)}" if entry.order else EVERYTHING
    return entry.faction, [taken]


def _silence(keys: Sequence[Key]) -> str:
    """The questions that silence answered, those of one kind together: "charity: guild, emperor"."""
    groups: list[tuple[str, list[str]]] = []
    for faction, kind, subject in keys:
        about = f"{kind} ({subject if _PLAIN_SUBJECT.fullmatch(subject) else quoted(subject)})" if subject else kind
        if not groups or groups[-1][0] != about:
            groups.append((about, []))
        groups[-1][1].append(faction)
    return "; ".join(f"{about}: {', '.join(factions)}" for about, factions in groups)


def act_text(act: Act) -> str:
    """What the game master did: ``rollback to entry 300, "why"``."""
    what = act.what if _PLAIN_ACT.fullmatch(act.what) and " to entry " not in act.what else quoted(act.what)
    where = f" to entry {act.entries}" if act.entries is not None else ""
    return f"{what}{where}{f', {quoted(act.why)}' if act.why else ''}"
