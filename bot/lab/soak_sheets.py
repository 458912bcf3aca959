"""Games that are played twice, first live and then by deputies: the players' intentions, filed as sheets, must lead to
the same events.

A random game is played and recorded. Then each phase is examined: from each player's decisions and knowledge, the
module works out the lines that the player would have filed at the beginning of the phase. Then the deputies of these
sheets play the game again from its beginning. Limits for a card, and rules that hold for several turns, are filed as
such, and some decisions are left to the player by `ask me`.

*Telling moments apart.* A moment is a stop at which a player decided something, together with the value of every fact
that a condition can ask for. The lines for all moments of a phase are ordered so that at each moment the first line
whose condition holds is the right one. If a player acted differently at two moments that differ in nothing the player
knows, no line is filed for them: the player is asked instead, and such moments are counted.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any, get_args

from bot.lab.soak import Setting
from bot.lab.soak_players import Habit, LivePlayer, Statement
from bot.language.condition_lines import read_deal_condition
from bot.language.conditions import AllOf, Comparison, Condition, Fact, Negation, all_of, negation
from bot.language.facts import FACTS, Measure, number_of
from bot.language.knowledge import Knowledge, knowledge_of
from bot.language.lines import Context
from bot.language.mail_lines import read_any
from bot.language.sheets import AskMe, FiledLine, Filing, Sheet, SheetLine, file_line, is_play, write_sheet_line
from bot.table.deputy import left_to_player, speak
from rules import orders as o
from rules.components import Faction, leaders_of
from rules.components.board import STRONGHOLDS, territory_of
from rules.components.chance import Chance
from rules.decisions.catalogue import is_unseen, rules_of
from rules.decisions.question import Question
from rules.engine.log import Snapshot, Submitted
from rules.engine.play import Play
from rules.random_players import MOST_STOPS
from rules.state import events
from rules.state.events import Event

CARD, QUESTION, THERE = map(number_of, ("card {test}", "question {asking}", "question in {territory}"))
NAMING = (QUESTION, THERE)
TOGETHER: tuple[tuple[o.QuestionKind, ...], ...] = (("nexus",), ("movement",), ("transfer",), ("worm-ride",))
"""Kinds of question to which several lines together give the answer."""

MOST_TIMES = 3
HANDED_BACK, COUNTED = 5, 20  # percent
MOST_LIVE = 0.001
"""The maximum share of decisions that may differ between moments at which the player knows the same facts."""


@dataclass(slots=True)
class SheetComparison:
    """The comparison of a game that was played twice: the number of decisions, of lines filed for them, and of
    decisions that were ``live``, which means that no line could make them.

    ``by_cap`` counts decisions made by a limit for a card, ``standing`` those made by a line for several turns, and
    ``handed_back`` those that a line left to the player. ``difference`` describes the first difference between the two
    games; it is "" if there was none.
    """

    decisions: int = 0
    lines: int = 0
    live: int = 0
    by_cap: int = 0
    standing: int = 0
    handed_back: int = 0
    difference: str = ""

    def add(self, other: SheetComparison) -> None:
        for name in ("decisions", "lines", "live", "by_cap", "standing", "handed_back"):
            setattr(self, name, getattr(self, name) + getattr(other, name))


@dataclass(slots=True)
class _Phase:
    snapshot: Snapshot
    said: list[Statement] = field(default_factory=list)
    lines: dict[Faction, list[SheetLine]] = field(default_factory=dict)
    live: set[int] = field(default_factory=set)
    handed_back: set[int] = field(default_factory=set)


def compare_with_sheets(game: Setting) -> SheetComparison:
    live = game.start()
    player = LivePlayer(f"player {game.seed}", game.impulses)
    phases = _play_live(live, player)
    chance = Chance(f"writer {game.seed}", {})
    for phase in phases:
        _look_again(game, phase, player.habits, live.events, chance)
    said = [said for phase in phases for said in phase.said]
    found = SheetComparison(
        decisions=len(said),
        lines=sum(len(lines) for phase in phases for lines in phase.lines.values()) + len(player.habits),
        live=sum(len(phase.live) for phase in phases),
        by_cap=sum(said.cap is not None for said in said),
        standing=sum(said.how == "standing" for said in said),
        handed_back=sum(len(phase.handed_back) for phase in phases),
    )
    by_sheets = game.start()
    wrong = _by_deputies(by_sheets, phases, player.habits)
    found.difference = wrong or _first_difference(live.events, by_sheets.events)
    return found


# --- live ------------------------------------------------------------------------------------------------------------


def _play_live(play: Play, player: LivePlayer) -> list[_Phase]:
    phases = [_Phase(play.snapshot)]
    for _ in range(MOST_STOPS):
        if play.over:
            return phases
        if play.snapshot is not phases[-1].snapshot:
            phases.append(_Phase(play.snapshot))
        said = player.decide(play)
        phases[-1].said.append(said)
        play.submit(said.faction, [said.order])
        play.advance()
    raise RuntimeError(f"still in the {play.state.phase} phase of turn {play.state.turn}")


# --- the players' knowledge ------------------------------------------------------------------------------------------


def _look_again(game: Setting, phase: _Phase, habits: Sequence[Habit], told: Sequence[Event], chance: Chance) -> None:
    play = Play.resume(game.rules, game.seed, phase.snapshot, ())
    before = [event for event in told if event.number < phase.snapshot.events and event.turn == phase.snapshot.turn]
    factions = list(play.state.players)
    territories = {str(territory_of(area)) for area in play.state.forces}
    territories.update(said.order.territory for said in phase.said if isinstance(said.order, o.Fight | o.Coexist))
    answers: dict[tuple[Faction, tuple[o.QuestionKind, ...], str], list[Moment]] = defaultdict(list)
    plays = [(n, said.faction, said.order) for n, said in enumerate(phase.said) if is_play(said.order)]
    early: dict[int, list[Moment]] = defaultdict(list)
    for number, said in enumerate(phase.said):
        happened = [*before, *(event for event in play.events if event.turn == phase.snapshot.turn)]
        for later, actor, thought in plays:
            if later < number or said.how == "kept":
                continue
            can, question = _question_for_play(play, actor, thought, said)
            if can:
                values = facts_of(knowledge_of(play, actor, happened, question), factions, territories)
                early[later].append(Moment(later, thought if later == number else None, values))
        if not is_play(said.order) and not isinstance(said.order, o.NoKarama) and said.how in ("thought", "cap"):
            question = _answered(play, said)
            values = facts_of(knowledge_of(play, said.faction, happened, question), factions, territories)
            about = getattr(said.order, "territory", "") if "bg-status" in o.ANSWERS[type(said.order)] else ""
            done = _wished(phase, number, chance) if said.how == "thought" else None
            answers[said.faction, o.ANSWERS[type(said.order)], about].append(Moment(number, done, values))
        play.submit(said.faction, [said.order])
        play.advance()
    _file_caps(phase)
    ruled = {(habit.faction, habit.kind) for habit in habits if habit.first <= phase.snapshot.turn <= habit.last}
    for later, moments in early.items():
        _file(phase, phase.said[later].faction, _worded(moments, chance))
    for (faction, kinds, territory), moments in answers.items():
        named = territory != "" or (faction, kinds[0]) in ruled
        _file(phase, faction, _worded(moments, chance, together=kinds in TOGETHER, named=named))
    for faction in factions:
        phase.lines.setdefault(faction, []).append(SheetLine(o.NoKarama()))


def _answered(play: Play, said: Statement) -> Question:
    return next(q for q in play.questions() if q.faction == said.faction and q.fits(said.order))


def _wished(phase: _Phase, number: int, chance: Chance) -> o.Order | AskMe:
    if chance.draw("ask me", 100) >= HANDED_BACK:
        return phase.said[number].order
    phase.handed_back.add(number)
    return AskMe()


def _question_for_play(play: Play, faction: Faction, order: o.Order, said: Statement) -> tuple[bool, Question | None]:
    """Return whether a deputy could make this play now, and the question at which it would. In a reaction window, the
    play must come at the moment when the faction ``said`` something live, because plays are made in the order of
    play."""
    own = [question for question in play.asked() if question.faction == faction]
    window = next((question for question in own if question.kind == "karama-window"), None)
    waiting = [question for question in play.questions() if question.faction == faction]
    if window and not is_unseen(play.game, order):
        plays = is_play(said.order) and not is_unseen(play.game, said.order)
        answers = said.faction == faction and (plays or isinstance(said.order, o.NoKarama))
        return answers and window in waiting and window.refusal(order) is None, window
    return play.check(faction, order).status == "accepted", waiting[0] if waiting else None


def _file_caps(phase: _Phase) -> None:
    for said in phase.said:
        if said.cap is None:
            continue
        line = SheetLine(said.cap, Comparison(CARD, (), Measure("=", said.card)))
        sheet = phase.lines.setdefault(said.faction, [])
        if line not in sheet:
            sheet.append(line)


def _file(phase: _Phase, faction: Faction, worded: tuple[list[SheetLine], list[int]]) -> None:
    lines, live = worded
    phase.lines.setdefault(faction, []).extend(lines)
    phase.live.update(live)
    phase.handed_back.difference_update(live)


def _worded(
    moments: Sequence[Moment], chance: Chance, *, together: bool = False, named: bool = False
) -> tuple[list[SheetLine], list[int]]:
    lines, live = lines_for(moments, one_by_one=together)
    sheet: list[SheetLine] = []
    for line in lines:
        if isinstance(line.order, AskMe):
            sheet += _for_questions(line)
        elif is_play(line.order):
            sheet.append(SheetLine(line.order, line.condition, times=1))
        elif line.condition is None and (named or isinstance(line.order, o.PassAll)):  # else a pass for each card
            sheet += _for_questions(line)
        else:
            times = len(line.moments)
            counted = not together and times <= MOST_TIMES and chance.draw("times", 100) < COUNTED
            sheet.append(SheetLine(line.order, line.condition, times=times if counted else -1))
    return sheet, live


def _for_questions(line: Line) -> list[SheetLine]:
    """Restrict a line to the questions that were asked at its moments. Without this, ``ask me`` or a line without a
    condition would match every question."""
    asked = {
        tuple(Fact(number, args) for (number, args), value in moment.values.items() if number in NAMING and value)
        for moment in line.moments
    }
    condition = line.condition
    parts = condition.parts if isinstance(condition, AllOf) else (condition,) if condition else ()
    return [SheetLine(line.order, all_of(*dict.fromkeys((*facts, *parts)))) for facts in sorted(asked, key=str)]


# --- by sheets -------------------------------------------------------------------------------------------------------


def _by_deputies(play: Play, phases: Sequence[_Phase], habits: Sequence[Habit]) -> str:
    sheets: dict[Faction, Sheet] = {}
    standing: dict[Habit, FiledLine] = {}
    for phase in phases:
        if not phase.said:
            continue
        try:
            _begin_turn(play, sheets, habits, standing)
            filed = [
                (faction, _filed(play, sheets, faction, line))
                for faction, lines in phase.lines.items()
                for line in lines
            ]
            for number in range(len(phase.said)):
                _go_on(play, sheets, phase, number)
        except _Wrong as wrong:
            return f"{_where(play)}: {wrong}"
        for faction, line in filed:
            _withdraw(play, sheets[faction], line)
    return ""


class _Wrong(Exception):
    pass


def _begin_turn(
    play: Play, sheets: dict[Faction, Sheet], habits: Sequence[Habit], standing: dict[Habit, FiledLine]
) -> None:
    turn = play.state.turn
    for habit in habits:
        if habit not in standing and habit.first <= turn:
            standing[habit] = _filed(play, sheets, habit.faction, habit.line)
        if habit in standing and habit.last < turn:
            _withdraw(play, sheets[habit.faction], standing[habit])


def _go_on(play: Play, sheets: dict[Faction, Sheet], phase: _Phase, number: int) -> None:
    said = phase.said[number]
    if said.how == "kept":
        return
    happened = [event for event in play.events if event.turn == play.state.turn]
    if number in phase.handed_back and not left_to_player(play, sheets[said.faction], _answered(play, said), happened):
        raise _Wrong(f"{said.faction} is not asked, where {said.order} was to be said by the player")
    if number in phase.live | phase.handed_back:
        play.submit(said.faction, [said.order])
    elif not speak(play, sheets, happened):
        raise _Wrong(f"nobody spoke, where {said.faction} said {said.order}")
    order = said.cap if said.how == "cap" and isinstance(said.order, o.Bid) else said.order
    done = play.log[-1]
    if not isinstance(done, Submitted) or (done.faction, done.orders) != (said.faction, (order,)):
        raise _Wrong(f"{done}, where {said.faction} said {order}")
    play.advance()


def _withdraw(play: Play, sheet: Sheet, filed: FiledLine) -> None:
    if filed.state == "active":
        sheet.end(filed, "withdrawn", play.entries_before + len(play.log))


def _filed(play: Play, sheets: dict[Faction, Sheet], faction: Faction, line: SheetLine) -> FiledLine:
    text, state = write_sheet_line(line), play.state
    if line.condition is None and not is_play(line.order) and not line.standing:
        text = f"standing: {text}"
    player = state.players[faction]
    context = Context(
        conditions=read_deal_condition,
        faction=faction,
        factions=frozenset(state.players),
        hand=tuple(player.hand),
        leaders=(*leaders_of(faction), *player.captured, *rules_of(play.game, faction).foreign_leaders(play.game)),
    )
    read = read_any(text, context)
    if isinstance(read, o.Order):
        read = line  # an unconditional card or power counts as a plain order
    if not isinstance(read, SheetLine) or (read.order, read.condition, read.times) != (
        line.order,
        line.condition,
        line.times,
    ):
        raise _Wrong(f"{faction} wrote {text!r}, which is read as {read}")
    taken = file_line(play, sheets, faction, read)
    if not isinstance(taken, Filing):
        raise _Wrong(f"{text!r} is refused: {taken.reason}")
    return taken.filed


def _where(play: Play) -> str:
    return f"turn {play.state.turn}, {play.state.phase}, {play.stop_name}"


def _first_difference(one: Sequence[Event], other: Sequence[Event]) -> str:
    for event, again in zip(one, other, strict=False):
        if events.encode(event) != events.encode(again):
            return f"event {event.number}: {event} live, {again} by sheets"
    return "" if len(one) == len(other) else f"{len(one)} events live, {len(other)} by sheets"


_TOLD = [(number, form, form.blanks) for number, form in enumerate(FACTS)]
_MEASURED = frozenset(number for number, form in enumerate(FACTS) if "{test}" in form.pattern)
_COUNT = number_of("question number {test}")
_ONLY_NOW = frozenset({"why", "asking", "card"})
"""Blanks that can only hold things that exist at the moment. Any other blank could hold anything."""

AskedFact = tuple[int, tuple[Any, ...]]
FactValues = Mapping[AskedFact, int]


@dataclass(frozen=True, slots=True)
class Line:
    condition: Condition | None
    order: o.Order | AskMe
    moments: tuple[Moment, ...]


@dataclass(frozen=True, slots=True)
class Moment:
    """A player's decision at one stop, and what the player knew then. ``number`` is its place among the moments of the
    phase. ``order`` is None if the player could have acted then but did so only later, and `ask me` if the player
    wanted to be asked."""

    number: int
    order: o.Order | AskMe | None
    values: FactValues


def facts_of(knowledge: Knowledge, factions: Sequence[Faction], territories: Iterable[str]) -> dict[AskedFact, int]:
    faction = knowledge.faction
    context = Context(faction=faction, factions=frozenset(factions))
    domains: dict[str, Sequence[Any]] = {
        "faction": factions,
        "other": factions,
        "territory": tuple(dict.fromkeys((*STRONGHOLDS, *territories))),
        "leader": leaders_of(faction),
        "kind": get_args(o.VoiceKind),
        "element": get_args(o.Element),
        "why": [knowledge.window] if knowledge.window else [],
        "card": sorted({facts["card"] for facts in knowledge.told("karama-played")}),
        "asking": sorted({kind for _, kind in knowledge.waited_for} | {kind for kind in [knowledge.asked_for] if kind}),
    }
    values: dict[AskedFact, int] = {}
    filled: dict[tuple[str, ...], list[tuple[Any, ...]]] = {}
    for number, form, blanks in _TOLD:
        if any(blank not in domains for blank in blanks):
            continue
        if blanks not in filled:
            filled[blanks] = _filled([domains[blank] for blank in blanks])
        only_now = not _ONLY_NOW.isdisjoint(blanks)
        for args in filled[blanks]:
            if form.why_not and form.why_not(context, *args):
                continue
            value = form.value(knowledge, *args)
            if value is not None and (value or not only_now):
                values[number, args] = value if number in _MEASURED else bool(value)
    return values


def _filled(domains: Sequence[Sequence[Any]]) -> list[tuple[Any, ...]]:
    filled: list[tuple[Any, ...]] = [()]
    for domain in domains:
        filled = [(*args, value) for args in filled for value in domain]
    return filled


def lines_for(moments: Sequence[Moment], *, one_by_one: bool = False) -> tuple[list[Line], list[int]]:
    """Return the lines for these moments in filing order, and the numbers of the moments that cannot be told apart.

    If ``one_by_one`` is set, every line whose condition holds would act, not only the first, so the condition of each
    line must hold at its own moments only.
    """
    lines: list[Line] = []
    live: list[int] = []
    left = list(moments)
    while any(moment.order is not None for moment in left):
        found = _next_line(left, moments if one_by_one else left)
        if found is None:
            lost = next(moment for moment in left if moment.order is not None)
            live.append(lost.number)
            left = [Moment(m.number, None, m.values) if m is lost else m for m in left]
            continue
        condition, order = found
        done = tuple(m for m in left if m.order == order and _holds(condition, m.values))
        lines.append(Line(condition, order, done))
        left = [m for m in left if m not in done]
    return lines, live


def _next_line(left: Sequence[Moment], others: Sequence[Moment]) -> tuple[Condition | None, o.Order | AskMe] | None:
    for moment in left:
        if moment.order is None:
            continue
        against = [other.values for other in others if other.order != moment.order]
        parts = _facts_only_here(moment.values, against)
        if parts is not None:
            return (all_of(*parts) if parts else None), moment.order
    return None


def _facts_only_here(values: FactValues, against: Sequence[FactValues]) -> list[Condition] | None:
    """Return facts that are all true at this moment but not at any of the moments in ``against``; None if there are no
    such facts. The number of the question is used only if nothing else tells the moments apart."""
    telling = {asked: value for asked, value in values.items() if asked[0] != _COUNT}
    found = _telling(telling, against)
    return found if found is not None else _telling(values, against)


def _telling(values: FactValues, against: Sequence[FactValues]) -> list[Condition] | None:
    parts: list[Condition] = []
    rest = list(against)
    while rest:
        if not values:
            return None
        best = max(values, key=partial(_moments_apart, values, rest))
        kept = [other for other in rest if other.get(best) == values[best]]
        if len(kept) == len(rest):
            return None
        parts.append(_as_condition(best, values[best], [other[best] for other in rest if best in other]))
        rest = kept
    return parts


def _moments_apart(values: FactValues, others: Sequence[FactValues], asked: AskedFact) -> int:
    return sum(asked not in other or other[asked] != values[asked] for other in others)


def _as_condition(asked: AskedFact, value: int, others: Sequence[int]) -> Condition:
    """Write a condition that the value of a fact satisfies, as people would put it: "under 5" if all the other values
    are 5 or more."""
    number, args = asked
    if number in _MEASURED:
        different = [other for other in others if other != value]
        if different and min(different) > value:
            return Comparison(number, args, Measure("<", min(different)))
        if different and max(different) < value:
            return Comparison(number, args, Measure(">", max(different)))
        return Comparison(number, args, Measure("=", value))
    return Fact(number, args) if value else negation(Fact(number, args))


def _holds(condition: Condition | None, values: FactValues) -> bool:
    match condition:
        case None:
            return True
        case AllOf(parts):
            return all(_holds(part, values) for part in parts)
        case Comparison(number, args, test):
            return (number, args) in values and test.passes(values[number, args])
        case Fact(number, args):
            return values.get((number, args)) == 1
        case Negation(Fact(number, args)):
            return values.get((number, args)) == 0
    raise TypeError(f"{condition} is not made here")
