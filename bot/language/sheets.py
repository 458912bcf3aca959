"""Sheets: the standing and conditional orders that one seat has filed, in the order in which they were filed.

    standing: ORDER · when CONDITION: ORDER · ORDER if CONDITION · ORDER unless CONDITION

A line is tried as a plain order first, so that an "if" in a player's own words (a Truthtrance question, a bargain) is
not taken for a condition.

A line is in force until the end of the turn for which it was filed. A standing line is in force until it is withdrawn.
If the phase of its order has already passed this turn, the line is for the next turn. A later line replaces an earlier
one that has the same condition and is for the same decision. When a game is rolled back, all lines that were filed,
used or ended after the point to which it returns are withdrawn. So players are never bound by a line that they might
not file again, or that has already acted once.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from itertools import islice
from typing import Literal

from bot.effort import Exhausted, charge
from bot.language.condition_lines import MOST_FACTS, Unfit, read_condition
from bot.language.conditions import Condition, all_of, alternatives, negation, turns_of, write_condition
from bot.language.facts import LAST_TURN
from bot.language.lines import LONGEST, Context, Line, tidy
from bot.language.orders import Unread, is_deal, read_as_written, read_line, write
from bot.wording import say
from rules import orders as o
from rules.components import Faction
from rules.decisions.early_orders import never_legal
from rules.engine import turn
from rules.engine.play import Play
from rules.engine.turn import phases, questions_of
from rules.rulesets.rulebook import Refusal
from rules.rulesets.ruleset import RuleSet


@dataclass(frozen=True, slots=True)
class AskMe:
    """`ask me`: the sheet leaves this decision to its player."""


@dataclass(frozen=True, slots=True)
class SheetLine:
    """One line of a sheet.

    A line without a `condition` always applies. A `standing` line is in force every turn until it is withdrawn, any
    other line until the end of the turn for which it was filed. `turns` are the turns in which it can act (empty: any
    turn). `times` is how often it acts, per turn if it is standing; -1 means as often as possible. By default an answer
    is given as often as it is asked for, and a card or power is played once.
    """

    order: o.Order | AskMe
    condition: Condition | None = None
    standing: bool = False
    turns: tuple[int, ...] = ()
    times: int = -1


MOST_PLACES = 6
"""At most this many commas, ifs and whens in a line are tried as the beginning or end of its condition."""

MOST_WORDS = 12
"""If the colon after a condition is missing, only conditions of at most this many words are tried."""

_STANDING = re.compile(r"(?:standing(?: orders?)?|always|every turn) ?[:,]? ?(?=\S)")
_WHEN = re.compile(r"(?P<word>whenever|when|if|unless|as soon as|once) (?=\S)")
_TAIL_WORD = re.compile(r" (?P<word>if|unless|whenever|when|as soon as|once) (?=\S)")
_TIMES = re.compile(r",? (?:(?P<word>once|twice|thrice)|(?P<number>[0-9]{1,2}) ?(?:times?|x))$")
_ASK_ME = re.compile(r"ask(?: me)?(?: first)?")
_IN_WORDS = {"once": 1, "twice": 2, "thrice": 3}


def read_sheet_line(text: str, context: Context) -> SheetLine | Unread | None:
    """Read a line for the sheet; return None for a plain order, a command or talk.

    >>> read_sheet_line("bid 5 if card 2 and price < 5", Context("guild"))  # doctest: +SKIP
    """
    if len(text) > LONGEST:
        return None
    line = tidy(text)
    if line.empty or not line.plain:
        return None
    if match := _STANDING.match(line.plain):
        rest = _rest(line, match.end())
        try:
            result = _conditional(rest, context) or _order(rest, context)
        except Exhausted:
            return None
        if isinstance(result, Unread):
            return None if result.chatter else _marked(result)
        return replace(result, standing=True)
    if _ASK_ME.fullmatch(line.plain):
        return Unread(say("unread.bare-ask-me"))
    if read_as_written(text, context):
        return None
    try:
        return _conditional(line, context) or _counted(line, context) or _without_colon(line, context)
    except Exhausted:
        return None


def write_sheet_line(line: SheetLine) -> str:
    parts = ["standing: "] if line.standing else []
    if line.condition:
        parts.append(f"when {write_condition(line.condition)}: ")
    parts.append("ask me" if isinstance(line.order, AskMe) else write(line.order))
    bare = not line.standing and line.condition is None  # without its number it would read as a plain order
    if line.times > 0 and (bare or line.times != _usual_times(line.order)):
        parts.append(f" {line.times} times" if line.times > 2 else (" once", " twice")[line.times - 1])
    return "".join(parts)


# --- the parts of a line ---------------------------------------------------------------------------------------------


def _conditional(line: Line, context: Context, inside: bool = False) -> SheetLine | Unread | None:
    refused: Unread | None = None
    for word, condition, order, sure in islice((*_before(line), *_behind(line)), MOST_PLACES):
        charge(1 + len(line.plain) // 200)
        read = (None if inside else _conditional(order, context, inside=True)) or _as_it_stands(order, context)
        if not isinstance(read, SheetLine):
            wanted = refused is None and sure
            read = read or (_why_not(order, context) if wanted else None)
            if read and wanted and not read.chatter:
                refused = _with_condition(read, word, condition, context)
            continue
        result = _bound(read, word, condition, context, sure=sure)
        if isinstance(result, SheetLine):
            return result
        refused = refused or result
    return refused


def _before(line: Line) -> Iterator[tuple[str, Line, Line, bool]]:
    """Split a line of the form `when CONDITION: ORDER`; a comma may take the place of the colon."""
    match = _WHEN.match(line.plain)
    if match is None:
        return
    start = match.end()
    colon = line.plain.find(":", start)
    commas = [place for place, sign in enumerate(line.plain) if sign == "," and (place < colon or colon < 0)]
    for place in ([colon] if colon > 0 else []) + commas:
        condition, order = line.text[start:place].strip(), line.text[place + 1 :].strip()
        if condition and order:
            order = re.sub(r"^then[ ,:]+", "", order, flags=re.IGNORECASE)
            yield match["word"], tidy(condition), tidy(order), place == colon


def _without_colon(line: Line, context: Context) -> Unread | None:
    match = _WHEN.match(line.plain)
    if match is None or ":" in line.plain:
        return None
    spaces = [place for place, sign in enumerate(line.plain) if sign == " " and place > match.end()]
    for place in spaces[:MOST_WORDS]:
        order = _as_it_stands(_rest(line, place + 1), context)
        if isinstance(order, SheetLine):
            read = _bound(order, match["word"], tidy(line.text[match.end() : place]), context, sure=True)
            if isinstance(read, SheetLine):
                return Unread(say("unread.near"), (write_sheet_line(read),))
    return None


def _behind(line: Line) -> Iterator[tuple[str, Line, Line, bool]]:
    """Split a line of the form `ORDER if CONDITION`. An "if" that belongs to the terms of a deal is not split off."""
    if is_deal(line.text):
        return
    for match in _TAIL_WORD.finditer(line.plain):
        yield match["word"], _rest(line, match.end()), tidy(line.text[: match.start()].rstrip(" ,")), True


def _bound(line: SheetLine, word: str, condition: Line, context: Context, *, sure: bool) -> SheetLine | Unread:
    read = read_condition(condition.text, context)
    if isinstance(read, Unfit) and (match := _TIMES.search(condition.plain)):
        read, line = read_condition(condition.text[: match.start()], context), replace(line, times=_number(match))
        if not line.times:
            return Unread(say("unread.no-times"))
    if isinstance(read, Unfit):
        return _unfit(read, line, word)
    asked = negation(read) if word == "unless" else read
    whole = asked if line.condition is None else all_of(asked, line.condition)
    cases = alternatives(whole, MOST_FACTS)
    if cases is None:
        return Unread(say("unread.condition-too-long", most=MOST_FACTS))
    turns = turns_of(cases)
    if not turns:
        return Unread(say("unread.never-holds", condition=write_condition(whole)))
    return replace(line, condition=whole, turns=turns if len(turns) < LAST_TURN else ())


def _order(line: Line, context: Context) -> SheetLine | Unread:
    return _as_it_stands(line, context) or _why_not(line, context)


def _as_it_stands(line: Line, context: Context) -> SheetLine | Unread | None:
    """Return the order of a line and how often it acts, or None if the line cannot be read. Corrections of misspelt
    words are not tried, because they take ten times as long."""
    return _bare_order(line, context) or _counted(line, context)


def _bare_order(line: Line, context: Context) -> SheetLine | None:
    if _ASK_ME.fullmatch(line.plain):
        return SheetLine(AskMe())
    read = read_as_written(line.text, context)
    return SheetLine(read, times=_usual_times(read)) if isinstance(read, o.Order) else None


def _why_not(line: Line, context: Context) -> Unread:
    read = read_line(line.text, context)
    return read if isinstance(read, Unread) else Unread(say("unread.no-command-on-sheets"))


def _counted(line: Line, context: Context) -> SheetLine | Unread | None:
    match = _TIMES.search(line.plain)
    if match is None:
        return None
    read = _bare_order(tidy(line.text[: match.start()]), context)
    if read is None:
        return None
    number = _number(match)
    return replace(read, times=number) if number else Unread(say("unread.no-times"))


def _number(match: re.Match[str]) -> int:
    return _IN_WORDS[match["word"]] if match["word"] else int(match["number"])


def _usual_times(order: o.Order | AskMe) -> int:
    return -1 if isinstance(order, AskMe) or type(order) in o.ANSWERS else 1


def _rest(line: Line, start: int) -> Line:
    return tidy(line.text[start:])


# --- refusals --------------------------------------------------------------------------------------------------------


def _unfit(condition: Unfit, line: SheetLine, word: str) -> Unread:
    meant = (negation(other) if word == "unless" else other for other in condition.instead)
    lines = [replace(line, condition=all_of(*(c for c in (other, line.condition) if c))) for other in meant]
    return Unread(condition.reason, tuple(map(write_sheet_line, lines)))


def _with_condition(order: Unread, word: str, condition: Line, context: Context) -> Unread:
    read = read_condition(condition.text, context)
    if isinstance(read, Unfit):
        return Unread(order.reason)
    asked = write_condition(negation(read) if word == "unless" else read)
    lines = tuple(f"when {asked}: {suggestion}" for suggestion in order.suggestions)
    return Unread(order.reason, lines, together=order.together)


def _marked(read: Unread) -> Unread:
    lines = tuple(f"standing: {suggestion}" for suggestion in read.suggestions)
    return Unread(read.reason, lines, together=read.together)


MOST_LINES = 200
"""The most active lines that one seat can have. Nobody needs more, and all of them must be checked at every stop."""

LineState = Literal["active", "used", "replaced", "withdrawn", "over"]
Use = tuple[int, str, object]

_KARAMA_PHASES: dict[str, o.PhaseName] = {
    "cancel worm": "spice", "worm": "spice", "block spice card": "spice",
    "cancel free card": "bidding", "free card purchase": "bidding", "block bidding cards": "bidding",
    "half shipping": "movement", "guild in turn": "movement", "stop shipment": "movement", "cancel advisor": "movement",
    "cancel voice": "battle", "cancel prescience": "battle", "cancel kwisatz haderach": "battle",
    "cancel sardaukar": "battle", "cancel fedaykin": "battle", "cancel capture": "battle",
    "cancel fremen support": "battle", "see plan": "battle", "cancel ally traitor": "battle",
    "cancel storm card": "storm", "cancel charity": "charity", "cancel card payment": "bidding",
    "cancel extra revival": "revival", "cancel fremen move": "movement", "cancel guild shipment": "movement",
    "cancel half rate": "movement", "cancel ally rate": "movement", "cancel shipping payment": "movement",
    "hms": "movement", "cancel cyborg speed": "movement", "cancel auction look": "bidding", "cancel redraw": "bidding",
    "cancel technology": "bidding", "cancel cyborgs": "battle", "cancel exchange": "battle", "cancel hms move": "storm",
}  # fmt: skip
"""The phase in which an effect of a Karama can be used; the effects that are not listed can be played in any phase."""


@dataclass(slots=True)
class FiledLine:
    """A line on a sheet. `number` counts the lines of its seat, and `text` is the line in canonical words.

    `turn` is the last turn in which the line is in force, 0 for every turn. `left` is how often it may still act, -1
    for any number of times; for a standing line, this refers to the turn in which it last acted. `note` says what
    prevented the line from acting, and is kept until its owner has been told. `filed` and `changed` are the lengths of
    the game's log when the line was filed, and when it last acted or ended. `acted` is the stop at which it last acted.
    """

    number: int
    line: SheetLine
    text: str
    turn: int = 0
    left: int = -1
    state: LineState = "active"
    note: str = ""
    filed: int = 0
    changed: int = 0
    acted: str = ""

    @property
    def lasts(self) -> str:
        """Return words that say how long the line is in force.

        >>> FiledLine(1, line, "standing: charity").lasts  # doctest: +SKIP
        'stands until you withdraw it'
        """
        return say("sheet.lasts", turn=self.turn, left=self.left)


@dataclass(slots=True)
class Sheet:
    """The lines of one seat. `lines` holds the active lines and those that changed since the last save; `touched` holds
    the numbers of the changed lines."""

    lines: list[FiledLine] = field(default_factory=list)
    next_number: int = 1
    touched: set[int] = field(default_factory=set)
    uses: Counter[Use] = field(default_factory=Counter)  # how often a line answered a question at a stop

    def active(self) -> list[FiledLine]:
        return [filed for filed in self.lines if filed.state == "active"]

    def file(
        self, line: SheetLine, rules: RuleSet, turn: int, phase: o.PhaseName, entries: int
    ) -> tuple[FiledLine, FiledLine | None]:
        # the second value is the line that this line replaces
        old = next((filed for filed in self.active() if _same(filed.line, line)), None)
        if old:
            self.end(old, "replaced", entries)
        last = 0 if line.standing else last_turn(line, rules, turn, phase)
        fresh = FiledLine(
            self.next_number, line, write_sheet_line(line), last, line.times, filed=entries, changed=entries
        )
        self.next_number += 1
        self.lines.append(fresh)
        self.touched.add(fresh.number)
        return fresh, old

    def full(self, line: SheetLine) -> bool:
        """Return True if the sheet is too full for this line. A line that replaces another always fits."""
        active = self.active()
        return len(active) >= MOST_LINES and not any(_same(filed.line, line) for filed in active)

    def withdraw(self, entries: int, text: str = "") -> list[FiledLine]:
        """Withdraw the line with these canonical words, or all lines if `text` is empty; return the withdrawn lines."""
        gone = [filed for filed in self.active() if not text or filed.text == text]
        for filed in gone:
            self.end(filed, "withdrawn", entries)
        return gone

    def begin_turn(self, turn: int, entries: int) -> None:
        for filed in self.active():
            if 0 < filed.turn < turn:
                self.end(filed, "over", entries)
            elif filed.left != filed.line.times and filed.acted.partition(".")[0] != str(turn) and not filed.turn:
                filed.left = filed.line.times
                self.touched.add(filed.number)

    def act(self, filed: FiledLine, stop: str, about: object, entries: int) -> None:
        """Record that a line acted at a stop, and end the line if that was its last use. A battle plan that was only
        shown to prescience does not count as used."""
        filed.acted, filed.changed = stop, entries
        self.uses[filed.number, stop, about] += 1
        if filed.left > 0 and not (isinstance(about, tuple) and "prescience-answer" in about):
            filed.left -= 1
        if filed.left == 0 and not filed.line.standing:
            filed.state = "used"
        self.touched.add(filed.number)

    def end(self, filed: FiledLine, state: LineState, entries: int) -> None:
        filed.state, filed.changed = state, entries
        self.touched.add(filed.number)

    def remark(self, filed: FiledLine, note: str) -> None:
        if filed.note != note:
            filed.note = note
            self.touched.add(filed.number)

    @property
    def notes(self) -> tuple[str, ...]:
        return tuple(filed.note for filed in self.lines if filed.note)

    def told(self) -> None:
        for filed in self.lines:
            if filed.note:
                filed.note = ""
                self.touched.add(filed.number)

    def saved(self) -> None:
        """Forget which lines have changed, and drop inactive lines without a note. Call this after saving the sheet."""
        self.touched.clear()
        self.lines[:] = [filed for filed in self.lines if filed.state == "active" or filed.note]


def is_play(order: object) -> bool:
    """Return True if the order is a card, power or offer that can be played at any stop, rather than an answer to a
    particular kind of question."""
    return isinstance(order, o.Order) and type(order) not in o.ANSWERS


def last_turn(line: SheetLine, rules: RuleSet, turn: int, phase: o.PhaseName) -> int:
    if line.turns:
        return max(line.turns)
    order = phases(rules)
    if phase not in order:
        return turn
    decided = [order.index(name) for name in phases_of(rules, line.order)]
    return turn + 1 if decided and max(decided) < order.index(phase) else turn


def phases_of(rules: RuleSet, order: object) -> tuple[o.PhaseName, ...]:
    if isinstance(order, o.Karama):
        phase = _KARAMA_PHASES.get(order.effect)
        return (phase,) if phase else ()
    kinds = o.ANSWERS.get(type(order), ()) if isinstance(order, o.Order) else ()
    if "karama-window" in kinds or "truthtrance-answer" in kinds or "offer" in kinds:
        return ()
    return tuple(phase for phase, asked in questions_of(rules).items() if any(kind in asked for kind in kinds))


def _same(one: SheetLine, other: SheetLine) -> bool:
    return one.standing == other.standing and one.condition == other.condition and _decision(one) == _decision(other)


def _decision(line: SheetLine) -> tuple[object, ...]:
    """Return a key for the decision that a line is about. If two lines have the same condition and the same key, the
    later one replaces the earlier one."""
    match line.order:
        case o.Karama(effect):
            return (o.Karama, effect)
        case o.Truthtrance(faction, _) | o.Deal(faction, _, _, _):
            return (type(line.order), faction)
        case o.Show(what, cards, readers):
            return (o.Show, what, cards, readers)
        case o.Ghola() | o.EmperorGives() | o.Hajr():
            return (type(line.order),)
        case o.Give(_, faction) | o.Ally(faction):
            return (type(line.order), faction)
        case order:
            kinds = o.ANSWERS.get(type(order), ()) if isinstance(order, o.Order) else ()
            together = type(order) if kinds in ((), ("nexus",)) else None
            return (kinds, together, getattr(order, "territory", None))


SILENT_ORDERS: dict[o.QuestionKind, o.Order] = {
    "storm-cards": o.NoStormCards(), "worm-ride": o.NoRide(), "nexus": o.NoAlliance(), "charity": o.NoCharity(),
    "revival": o.NoRevival(), "shipment": o.NoShipment(), "advisor": o.NoAdvisor(), "guild-timing": o.Wait(),
    "movement": o.NoMove(), "voice": o.NoVoice(), "prescience": o.NoPrescience(), "traitor-call": o.NoTreachery(),
    "transfer": o.NoTransfer(), "hms-move": o.StrongholdStays(), "redraw": o.NoRedraw(), "exchange": o.NoExchange(),
}  # fmt: skip
"""For each kind of question that comes up only once in a phase, the order that does nothing. The order is refused only
if the question can no longer come up."""

ALWAYS_LEGAL = (*map(type, SILENT_ORDERS.values()), o.Pass, o.PassAll, o.GoNow, o.NoSwap, o.NoSwapAll)


@dataclass(frozen=True, slots=True)
class Filing:
    filed: FiledLine
    old: FiledLine | None


def file_line(play: Play, sheets: dict[Faction, Sheet], faction: Faction, line: SheetLine) -> Filing | Refusal:
    if isinstance(line.order, o.Order) and (refusal := never_legal(play.game, faction, line.order)):
        return refusal.cited(play.game.rules)
    sheet = sheets.setdefault(faction, Sheet())
    if sheet.full(line):
        return Refusal(say("sheet.full", most=MOST_LINES), "")
    now = play.state.turn
    filed, old = sheet.file(line, play.game.rules, now, play.state.phase, play.entries_before + len(play.log))
    if filed.turn == now and not line.turns and over_this_turn(play, faction, line.order):
        filed.turn = now + 1
    return Filing(filed, old)


def order_before(play: Play, sheet: Sheet, faction: Faction, filed: FiledLine) -> str:
    """Return the order that always takes precedence over this conditional line, or "". Such an order is an earlier line
    without a condition, or a held order."""
    kinds = set(o.ANSWERS.get(type(filed.line.order), ())) if isinstance(filed.line.order, o.Order) else set()
    if filed.line.condition is None or not kinds:
        return ""
    for other in sheet.active():
        line = other.line
        lasts = line.times < 0 and line.condition is None and (other.turn == 0 or 0 < filed.turn <= other.turn)
        if other.number < filed.number and lasts and (not isinstance(line.order, o.Order) or _wins(line.order, kinds)):
            return other.text
    if filed.turn != play.state.turn:
        return ""
    held = (order for order in play.game.held.get(faction, ()) if not isinstance(order, o.Pass) and _wins(order, kinds))
    return next(map(write, held), "")


def _wins(order: o.Order, kinds: set[o.QuestionKind]) -> bool:
    return isinstance(order, ALWAYS_LEGAL) and kinds <= set(o.ANSWERS[type(order)])


def over_this_turn(play: Play, faction: Faction, order: object) -> bool:
    phases = phases_of(play.game.rules, order)
    if not phases or phases[-1] != play.state.phase or not isinstance(order, o.Order):
        return False
    kinds = [kind for kind in turn.questions_of(play.game.rules)[phases[-1]] if kind in o.ANSWERS.get(type(order), ())]
    return bool(kinds) and not any(may_come(play, faction, kind) for kind in kinds)


def may_come(play: Play, faction: Faction, kind: o.QuestionKind) -> bool:
    if any(question.faction == faction and question.kind == kind for question in play.questions()):
        return True
    order = SILENT_ORDERS.get(kind)
    return order is None or turn.refusal_ahead(play.game, faction, order) is None
