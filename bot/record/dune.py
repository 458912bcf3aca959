"""`game.dune`: a game as a text that a person can read and a program can replay, like PGN for chess.

The headers come first, followed by the decisions in order:

    == turn 2, bidding ==
         { Card 1 of 6 came up. }
     312 fremen:        bid 2
     313 atreides:      ship 3 to Arrakeen/10            (further orders of one message follow a plus)
         +              move 3 from Arrakeen/10 to Imperial Basin/10
     314 - karama-window: guild, emperor                  (these questions took their default)
     315 guild:         take back everything              (held orders that were withdrawn)
         mentat:        rollback to entry 300, "They sent the wrong order."

Decisions that the game master rolled back stay in the file, in round brackets. Text in braces, and lines that begin
with ``==``, are for human readers and describe public events. Events and draws are not in the file, because they follow
from the seed and the orders; ``bot.record.dune_reader`` restores the complete record from these.

Orders are written in canonical words, as players mail them. A player's own words are in quotes. After a Truthtrance
question, the file gives its parsed meaning, so that a later version, which may understand English differently, replays
the same game:

    atreides: deal with Fremen: "No attack on Arrakeen" words:1c18…; I pay 3
    fremen: deal with Guild: words:a02b…                                      (an offer that came to nothing)
    guild: truthtrance Emperor: "Do you hold a shield?" understood {"facts":[…]}

A few rare orders could not be restored from canonical words, and are written as a value: ``order {"type":…}``.
``read_order`` also reads orders as people type them in a mail, with abbreviations and with any capital letters and
spaces.

This is the export form, in which the same record always gives the same bytes. Imported files may have any layout.
"""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from datetime import date
from functools import lru_cache
from textwrap import wrap
from typing import Any

import msgspec
from msgspec.structs import replace

from bot.language.compound_blanks import read_clauses, write_clauses
from bot.language.condition_lines import read_deal_condition
from bot.language.lines import Misread
from bot.language.names import FACTION_NAMES
from bot.language.orders import Context, Unread, read_as_written, read_line, write
from bot.record.lines import HIDDEN_WORDS, Act, AnyLine, Decided, End, MadeDeal, Told, is_rollback, made_deals, rules_of
from bot.record.reader import ReadRecord
from bot.render.news import event_sentence
from bot.wording import say
from bot.wording.filters import speaking
from rules import orders
from rules import orders as o
from rules.components import Faction
from rules.components.terms import Edition
from rules.engine import log
from rules.engine.log import Corrected, Entry, Expired, LastTurn, Stopped, Submitted
from rules.orders.readings import Reading
from rules.rulesets.options import RuleSetError
from rules.state.events import Event

DUNE_FORMAT = "dune-record 1"
EVERYTHING = "take back everything"
TAKE_BACK = "take back"
GAME_MASTER = "game master"
LAST_TURN = "last turn"
CORRECT = "correct"
NOBODY = "nobody"
UNKNOWN = "unknown"
"""The day of an entry whose day was not recorded."""
PLAIN_WORD = re.compile(r"[A-Za-z_][A-Za-z0-9_./-]*")
_PLAIN_ACT = re.compile(r"[a-z][a-z0-9 -]*[a-z0-9]")
_PLAIN_SUBJECT = re.compile(r"[a-z0-9](?:[a-z0-9 /.'-]*[a-z0-9])?", re.IGNORECASE)
_MARGIN = "     "
WIDTH = 110
_NAME = 15  # the width of the column of names


def write_dune(record: ReadRecord, more: Mapping[str, str] | None = None) -> str:
    assert record.end is not None, "only a finished game has a seed from which it can be replayed"
    with speaking(_edition(record)):
        lines = [
            *_in_braces(say("dune.explained"), ""),
            *(f"[{name} {quoted(value)}]" for name, value in headers(record, more or {}).items()),
            *_Body(record).lines(),
        ]
    return "".join(f"{line}\n" for line in lines)


def headers(record: ReadRecord, more: Mapping[str, str]) -> dict[str, str]:
    head, end = record.head, record.end
    assert end is not None
    seats = sorted(head.seats.items(), key=lambda seat: (seat[1], seat[0]))
    first = {
        "Format": DUNE_FORMAT,
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
    return f"{' '.join(end.winners) or NOBODY}, turn {end.turn}"


def _edition(record: ReadRecord) -> Edition:
    try:
        return rules_of(record.head).edition
    except RuleSetError:
        return "1979"


def _option(value: Any) -> str:
    plain = isinstance(value, str) and PLAIN_WORD.fullmatch(value) and value not in ("true", "false", "null")
    return str(value) if plain else json.dumps(value, sort_keys=True)


class _Body:
    def __init__(self, record: ReadRecord) -> None:
        self._lines = record.lines
        self._made = made_deals(record.lines)
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
        if where != self._where:
            self._where = where
            yield ""
            phase = "the end" if where[1] == "over" else where[1]
            yield "== setup ==" if phase == "setup" else f"== turn {where[0]}, {phase} =="

    def _told(self, event: Event) -> Iterator[str]:
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
    told = event_sentence(event.kind, event.facts) if event.audience is None else ""
    return told.replace("{", "(").replace("}", ")")


_SAID: Mapping[str, type[o.Order]] = {
    "bid": o.Bid,
    "passed": o.Pass,
    "move": o.Move,
    "no-move": o.NoMove,
    "no-shipment": o.NoShipment,
}
"""Events that only repeat the order before them."""


def _is_said_by(event: Event, entry: Entry | None) -> bool:
    kind = _SAID.get(event.kind)
    return (
        kind is not None
        and isinstance(entry, Submitted)
        and entry.faction == event.facts.get("faction")
        and any(type(order) is kind for order in entry.orders)
    )


def _in_braces(text: str, margin: str) -> list[str]:
    seen = " ".join(seen_only(text).split())
    return wrap(
        f"{{ {seen} }}",
        WIDTH,
        initial_indent=margin,
        subsequent_indent=f"{margin}  ",
        break_long_words=False,
        break_on_hyphens=False,
    )


# --- decisions -----------------------------------------------------------------------------------------------------


def said_by(entry: Entry, made: Mapping[str, MadeDeal]) -> tuple[str, list[str]]:
    """Return the name of the player who made a decision ("" for a default), and the text of each order in it."""
    if isinstance(entry, Submitted):
        return entry.faction, [order_text(entry.faction, order, made) for order in entry.orders]
    if isinstance(entry, Expired):
        return "", [_silence(entry.keys)]
    if isinstance(entry, LastTurn):
        return GAME_MASTER, [f"{LAST_TURN} {entry.turn}"]
    if isinstance(entry, Stopped):
        return GAME_MASTER, [" ".join([entry.how, *entry.winners])]
    if isinstance(entry, Corrected):
        return GAME_MASTER, [f"{CORRECT} {'; '.join(map(log.write_correction, entry.corrections))}"]
    taken = f"{TAKE_BACK} {order_text(entry.faction, entry.order, made)}" if entry.order else EVERYTHING
    return entry.faction, [taken]


def _silence(keys: Sequence[o.Key]) -> str:
    """Return the questions that were settled by default, grouped by kind: "charity: guild, emperor"."""
    groups: list[tuple[str, list[str]]] = []
    for faction, kind, subject in keys:
        about = f"{kind} ({subject if _PLAIN_SUBJECT.fullmatch(subject) else quoted(subject)})" if subject else kind
        if not groups or groups[-1][0] != about:
            groups.append((about, []))
        groups[-1][1].append(faction)
    return "; ".join(f"{about}: {', '.join(factions)}" for about, factions in groups)


def act_text(act: Act) -> str:
    what = act.what if _PLAIN_ACT.fullmatch(act.what) and " to entry " not in act.what else quoted(act.what)
    where = f" to entry {act.entries}" if act.entries is not None else ""
    return f"{what}{where}{f', {quoted(act.why)}' if act.why else ''}"


_json = json.JSONDecoder()
_order: msgspec.json.Decoder[o.AnyOrder] = msgspec.json.Decoder(o.AnyOrder)
_plain_json = msgspec.json.Encoder(order="deterministic")


class Unreadable(ValueError):
    """Raised if a text is not an order. The message explains the error, and ``suggestions`` are lines that would be
    right."""

    def __init__(self, why: str, suggestions: tuple[str, ...] = ()) -> None:
        super().__init__(why)
        self.suggestions = suggestions


def quoted(text: str) -> str:
    """Return the text in quotes, as a JSON string. Characters that are invisible, or that would be changed, are
    escaped.

    >>> quoted('a "word"')
    '"a \\\\"word\\\\""'
    """
    if text.isascii() and text.isprintable():
        return json.dumps(text)
    seen = unicodedata.is_normalized("NFC", text) and not any(
        unicodedata.category(sign) in _UNSEEN or unicodedata.combining(sign) for sign in text
    )
    return json.dumps(text, ensure_ascii=not seen)


_UNSEEN = ("Cc", "Cf", "Cn", "Co", "Zl", "Zp")


def seen_only(text: str) -> str:
    """Return the text without invisible characters, and with each accented letter as a single character (NFC)."""
    if text.isascii() and text.isprintable():
        return text
    kept = "".join(sign for sign in text if sign.isspace() or unicodedata.category(sign) not in _UNSEEN)
    return unicodedata.normalize("NFC", kept)


# --- writing -------------------------------------------------------------------------------------------------------


def order_text(faction: Faction, order: o.Order, made: Mapping[str, MadeDeal]) -> str:
    if isinstance(order, o.Deal):
        return _deal_text(order, made)
    if isinstance(order, o.Truthtrance):
        said = f"truthtrance {FACTION_NAMES.name(order.faction)}: {quoted(order.question)} understood "
        return said + (_value(order.reading) if order.reading is not None else "nothing")
    return _canonical(faction, order)


def _deal_text(order: o.Deal, made: Mapping[str, MadeDeal]) -> str:
    text = quoted(order.text)
    if HIDDEN_WORDS.fullmatch(order.text):
        text = f"{quoted(made[order.text].text)} {order.text}" if order.text in made else order.text
    clauses = write_clauses({field: getattr(order, field) for field in order.__struct_fields__})
    secret = "secret " if order.secret else ""
    return f"{secret}deal with {FACTION_NAMES.name(order.faction)}: {text}{''.join(clauses)}"


@lru_cache(maxsize=16384)  # a few orders recur throughout a game
def _canonical(faction: Faction, order: o.Order) -> str:
    try:
        text = write(order)
        if read_as_written(text, Context(faction)) == order and not set('{}"\n').intersection(text):
            return text
    except (LookupError, ValueError):
        pass
    return f"order {_value(order)}"


def _value(value: Any) -> str:
    data = _plain_json.encode(value).decode()
    return json.dumps(json.loads(data), ensure_ascii=True, separators=(",", ":"))


# --- reading -------------------------------------------------------------------------------------------------------


def read_order(faction: Faction, text: str, edition: Edition, made: dict[str, MadeDeal]) -> o.AnyOrder:
    """Parse an order. If it makes a deal, the words of the deal are added to ``made``. Raise Unreadable if it is not an
    order."""
    first = text.removeprefix("secret ").partition(" ")[0].lower()
    if first == "order" and text[5:].lstrip().startswith("{"):
        return _from_value(text[5:].strip())
    if first in ("deal", "truthtrance") and (found := _in_quotes(faction, text, made)):
        return found
    return _as_mailed(faction, text, edition)


def _from_value(text: str) -> o.AnyOrder:
    try:
        return _order.decode(text)
    except (msgspec.MsgspecError, RecursionError, UnicodeError) as error:
        raise Unreadable(f"{_short(text)} is not an order in value form: {error}.") from error


_OWN_WORDS = re.compile(
    rf"(?P<what>(?P<secret>secret +)?deal +with|truthtrance) +(?P<whom>[^:]+?) *: *(?={HIDDEN_WORDS.pattern}|\")",
    re.IGNORECASE,
)
_UNDERSTOOD = re.compile(r"\s*understood\s+(?P<nothing>nothing$)?", re.IGNORECASE)


def _in_quotes(faction: Faction, text: str, made: dict[str, MadeDeal]) -> o.Deal | o.Truthtrance | None:
    begin = _OWN_WORDS.match(text)
    if begin is None:
        return None
    whom = faction_named(begin["whom"])
    hidden = HIDDEN_WORDS.match(text, begin.end())
    if hidden:
        said, rest = hidden[0], text[hidden.end() :]
    else:
        try:
            said, end = _json.raw_decode(text, begin.end())
        except ValueError as error:
            raise Unreadable(f"the words in quotes cannot be read ({error}).") from error
        rest = text[end:]
    if begin["what"].lower().endswith("with"):
        deal = _deal(faction, whom, said, rest, made)
        return replace(deal, secret=True) if begin["secret"] else deal
    return _question(faction, whom, said, rest)


def _deal(faction: Faction, whom: Faction, said: str, rest: str, made: dict[str, MadeDeal]) -> o.Deal:
    if found := re.match(rf"\s*({HIDDEN_WORDS.pattern})", rest):
        made[found[1]] = MadeDeal(faction, whom, " ".join(said.split()))
        rest = rest[found.end() :]
    try:
        return o.Deal(whom, said, **read_clauses(rest, Context(faction, conditions=read_deal_condition)))
    except Misread as error:
        raise Unreadable(f"after the words of a deal comes “; I pay N” or “; until turn N”; {error.reason}") from error


def _question(faction: Faction, whom: Faction, said: str, rest: str) -> o.Truthtrance:
    if not rest.strip():
        read = read_as_written(f"truthtrance {FACTION_NAMES.name(whom)}: {said}", Context(faction))
        return read if isinstance(read, o.Truthtrance) else o.Truthtrance(whom, said)
    mark = _UNDERSTOOD.match(rest)
    if mark is None:
        raise Unreadable(f"after a question, expected “understood” and its meaning; found {_short(rest)}.")
    if mark["nothing"]:
        return o.Truthtrance(whom, said)
    try:
        return o.Truthtrance(whom, said, msgspec.json.decode(rest[mark.end() :], type=Reading))
    except (msgspec.MsgspecError, RecursionError, UnicodeError) as error:
        raise Unreadable(f"the meaning of a question cannot be read: {error}.") from error


@lru_cache(maxsize=16384)
def _mailed(faction: Faction, text: str, edition: Edition) -> o.Order | Unreadable:
    read = read_as_written(text, Context(faction))
    if not isinstance(read, o.Order):
        found = read_line(text, Context(faction, edition=edition))
        if isinstance(found, Unread):
            return Unreadable(found.reason, found.suggestions)
        read = found if isinstance(found, o.Order) else None
    return read or Unreadable(f"{_short(text)} is a mail command, not an order of the game.")


def _as_mailed(faction: Faction, text: str, edition: Edition) -> o.AnyOrder:
    found = _mailed(faction, text, edition)
    if isinstance(found, Unreadable):
        raise Unreadable(str(found), found.suggestions)
    return _order.decode(orders.encode(found))


def faction_named(text: str) -> Faction:
    found = FACTION_NAMES.find(text)
    if isinstance(value := getattr(found, "value", None), str):
        return FACTION_NAMES.values[FACTION_NAMES.values.index(value)]
    near = tuple(getattr(found, "names", ()))
    raise Unreadable(f"{_short(text)} is not a faction{'; did you mean the one below?' if near else '.'}", near)


def _short(text: str) -> str:
    text = text.strip()
    return f"“{text if len(text) <= 80 else text[:80] + '…'}”"
