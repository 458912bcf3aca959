"""A game played live, and the same game played by deputies: what players meant, filed as sheets, gives the same events.

A random game is played and recorded. Its decisions are looked at again, phase by phase, with what each player knew;
from that come the lines that each would have filed at the beginning of the phase. Then the game is played from its
beginning by the deputies of these sheets. Limits for a card and rules for several turns are filed as such, and some
decisions are handed back by an ``ask me``. Where a player did different things at two moments that nothing they know
tells apart they are asked as well; these are counted.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field

from bot.orders.context import Context
from bot.sheets.blanks import Measure
from bot.sheets.conditions import AllOf, Comparison, Fact, all_of
from bot.sheets.deal_conditions import read_deal_condition
from bot.sheets.facts import number_of
from bot.sheets.filing import Taken, put
from bot.sheets.knowledge import knowledge_of
from bot.sheets.lines import read_any
from bot.sheets.reading import AskMe, SheetLine, write_sheet_line
from bot.sheets.sheet import Filed, Sheet, is_play
from bot.soak.live_player import Habit, LivePlayer, Said
from bot.soak.telling_apart import Line, Moment, facts_of, lines_for
from bot.soak.watch import Setting
from bot.table.deputy import left_to_player, speak
from rules.components import Faction, leaders_of
from rules.components.board import territory_of
from rules.components.chance import Chance
from rules.decisions.catalogue import is_unseen, rules_of
from rules.decisions.question import Question
from rules.engine.log import Snapshot, Submitted
from rules.engine.play import Play
from rules.orders import ANSWERS, Bid, Coexist, Fight, NoKarama, Order, PassAll, QuestionKind
from rules.selfplay.random_player import MOST_STOPS
from rules.state import events
from rules.state.events import Event

CARD, QUESTION, THERE = map(number_of, ("card {test}", "question {asking}", "question in {territory}"))
NAMING = (QUESTION, THERE)
TOGETHER: tuple[tuple[QuestionKind, ...], ...] = (("nexus",), ("movement",), ("transfer",), ("worm-ride",))
"""Kinds of question that several lines answer together."""

MOST_TIMES = 3
HANDED_BACK, COUNTED = 5, 20  # in a hundred
MOST_LIVE = 0.001
"""Of a thousand decisions no more than one may rest on what nothing that the player knows tells apart."""


@dataclass(slots=True)
class Compared:
    """What came of a game played twice: how many decisions were taken, how many lines were filed for them, how many had
    to be taken live; how many were taken by a limit for a card, how many by a line that stood for several turns, how
    many were handed back by a line; the first difference, if there was one."""

    decisions: int = 0
    lines: int = 0
    live: int = 0
    by_cap: int = 0
    standing: int = 0
    handed_back: int = 0
    difference: str = ""

    def add(self, other: Compared) -> None:
        """Count what came of another game."""
        self.decisions += other.decisions
        self.lines += other.lines
        self.live += other.live
        self.by_cap += other.by_cap
        self.standing += other.standing
        self.handed_back += other.handed_back


@dataclass(slots=True)
class _Phase:
    """The decisions of one phase, and what came of looking at them: the lines by seat, the decisions left live, those
    that a line hands back."""

    snapshot: Snapshot
    said: list[Said] = field(default_factory=list)
    lines: dict[Faction, list[SheetLine]] = field(default_factory=dict)
    live: set[int] = field(default_factory=set)
    handed_back: set[int] = field(default_factory=set)


def compare(game: Setting) -> Compared:
    """Play a random game live and by sheets."""
    live = game.start()
    player = LivePlayer(f"player {game.seed}", game.impulses)
    phases = _played(live, player)
    chance = Chance(f"writer {game.seed}", {})
    for phase in phases:
        _look_again(game, phase, player.habits, live.events, chance)
    said = [said for phase in phases for said in phase.said]
    found = Compared(
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


def _played(play: Play, player: LivePlayer) -> list[_Phase]:
    """Play to the end; what was said, phase by phase."""
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


# --- what was known --------------------------------------------------------------------------------------------------


def _look_again(game: Setting, phase: _Phase, habits: Sequence[Habit], told: Sequence[Event], chance: Chance) -> None:
    """Find the lines that do at each moment of a phase what was done."""
    play = Play.resume(game.rules, game.seed, phase.snapshot, ())
    before = [event for event in told if event.number < phase.snapshot.events and event.turn == phase.snapshot.turn]
    factions = list(play.state.players)
    territories = {str(territory_of(area)) for area in play.state.forces}
    territories.update(said.order.territory for said in phase.said if isinstance(said.order, Fight | Coexist))
    answers: dict[tuple[Faction, tuple[QuestionKind, ...], str], list[Moment]] = defaultdict(list)
    plays = [(n, said.faction, said.order) for n, said in enumerate(phase.said) if is_play(said.order)]
    early: dict[int, list[Moment]] = defaultdict(list)
    for number, said in enumerate(phase.said):
        happened = [*before, *(event for event in play.events if event.turn == phase.snapshot.turn)]
        for later, actor, thought in plays:
            if later < number or said.how == "kept":
                continue
            can, question = _chance(play, actor, thought, said)
            if can:
                values = facts_of(knowledge_of(play, actor, happened, question), factions, territories)
                early[later].append(Moment(later, thought if later == number else None, values))
        if not is_play(said.order) and not isinstance(said.order, NoKarama) and said.how in ("thought", "cap"):
            question = _answered(play, said)
            values = facts_of(knowledge_of(play, said.faction, happened, question), factions, territories)
            about = getattr(said.order, "territory", "") if "bg-status" in ANSWERS[type(said.order)] else ""
            done = _wished(phase, number, chance) if said.how == "thought" else None
            answers[said.faction, ANSWERS[type(said.order)], about].append(Moment(number, done, values))
        play.submit(said.faction, [said.order])
        play.advance()
    _file_caps(phase)
    ruled = {(habit.faction, habit.kind) for habit in habits if habit.first <= phase.snapshot.turn <= habit.last}
    for later, moments in early.items():
        _file(phase, phase.said[later].faction, moments, chance, together=False)
    for (faction, kinds, territory), moments in answers.items():
        named = territory != "" or (faction, kinds[0]) in ruled
        _file(phase, faction, moments, chance, together=kinds in TOGETHER, named=named)
    for faction in factions:
        phase.lines.setdefault(faction, []).append(SheetLine(NoKarama()))


def _answered(play: Play, said: Said) -> Question:
    """The open question that is answered."""
    return next(q for q in play.questions() if q.faction == said.faction and q.fits(said.order))


def _wished(phase: _Phase, number: int, chance: Chance) -> Order | AskMe:
    """What the player wants on their sheet for a decision: now and then to be asked."""
    if chance.draw("ask me", 100) >= HANDED_BACK:
        return phase.said[number].order
    phase.handed_back.add(number)
    return AskMe()


def _chance(play: Play, faction: Faction, order: Order, said: Said) -> tuple[bool, Question | None]:
    """Whether a deputy could make this play now, and the question that it would look at. In a reaction window a play
    must be an answer of the window, in the order of play: what was ``said`` here is that answer."""
    own = [question for question in play.asked() if question.faction == faction]
    window = next((question for question in own if question.kind == "karama-window"), None)
    waiting = [question for question in play.questions() if question.faction == faction]
    if window and not is_unseen(play.game, order):
        plays = is_play(said.order) and not is_unseen(play.game, said.order)
        answers = said.faction == faction and (plays or isinstance(said.order, NoKarama))
        return answers and window in waiting and window.refusal(order) is None, window
    return play.check(faction, order).status == "accepted", waiting[0] if waiting else None


def _file_caps(phase: _Phase) -> None:
    """A limit for a card is the first line about it."""
    for said in phase.said:
        if said.cap is None:
            continue
        line = SheetLine(said.cap, Comparison(CARD, (), Measure("=", said.card)))
        sheet = phase.lines.setdefault(said.faction, [])
        if line not in sheet:
            sheet.append(line)


def _file(
    phase: _Phase, faction: Faction, moments: Sequence[Moment], chance: Chance, *, together: bool, named: bool = False
) -> None:
    """Write the lines for these moments. ``named``: the line says for which question it is."""
    lines, live = lines_for(moments, one_by_one=together)
    sheet = phase.lines.setdefault(faction, [])
    for line in lines:
        if isinstance(line.order, AskMe):
            sheet += _for_questions(line)
        elif is_play(line.order):
            sheet.append(SheetLine(line.order, line.condition, times=1))
        elif line.condition is None and (named or isinstance(line.order, PassAll)):  # else each card is passed anew
            sheet += _for_questions(line)
        else:
            times = len(line.moments)
            counted = not together and times <= MOST_TIMES and chance.draw("times", 100) < COUNTED
            sheet.append(SheetLine(line.order, line.condition, times=times if counted else -1))
    phase.live.update(live)
    phase.handed_back.difference_update(live)


def _for_questions(line: Line) -> list[SheetLine]:
    """Lines that are for the questions of these moments alone, as ``ask me`` is for any, and what has no condition is
    for every question that it can answer."""
    asked = {
        tuple(Fact(number, args) for (number, args), value in moment.values.items() if number in NAMING and value)
        for moment in line.moments
    }
    condition = line.condition
    parts = condition.parts if isinstance(condition, AllOf) else (condition,) if condition else ()
    return [SheetLine(line.order, all_of(*dict.fromkeys((*facts, *parts)))) for facts in sorted(asked, key=str)]


# --- by sheets -------------------------------------------------------------------------------------------------------


def _by_deputies(play: Play, phases: Sequence[_Phase], habits: Sequence[Habit]) -> str:
    """Play the game by sheets; what went wrong, if anything did."""
    sheets: dict[Faction, Sheet] = {}
    standing: dict[Habit, Filed] = {}
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
    """Why the deputies do not do what was done live."""


def _begin_turn(
    play: Play, sheets: dict[Faction, Sheet], habits: Sequence[Habit], standing: dict[Habit, Filed]
) -> None:
    """File the rules that begin, withdraw those that are over."""
    turn = play.state.turn
    for habit in habits:
        if habit not in standing and habit.first <= turn:
            standing[habit] = _filed(play, sheets, habit.faction, habit.line)
        if habit in standing and habit.last < turn:
            _withdraw(play, sheets[habit.faction], standing[habit])


def _go_on(play: Play, sheets: dict[Faction, Sheet], phase: _Phase, number: int) -> None:
    """Let the deputies, or the player where they are to be asked, take the next decision."""
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
    order = said.cap if said.how == "cap" and isinstance(said.order, Bid) else said.order
    done = play.log[-1]
    if not isinstance(done, Submitted) or (done.faction, done.orders) != (said.faction, (order,)):
        raise _Wrong(f"{done}, where {said.faction} said {order}")
    play.advance()


def _withdraw(play: Play, sheet: Sheet, filed: Filed) -> None:
    if filed.state == "active":
        sheet.end(filed, "withdrawn", play.entries_before + len(play.log))


def _filed(play: Play, sheets: dict[Faction, Sheet], faction: Faction, line: SheetLine) -> Filed:
    """Write a line, read it, and put it on its sheet; it must be the same line."""
    text, state = write_sheet_line(line), play.state
    if line.condition is None and not is_play(line.order) and not line.standing:
        text = f"standing: {text}"
    player = state.players[faction]
    context = Context(
        conditions=read_deal_condition,
        faction=faction, factions=frozenset(state.players), hand=tuple(player.hand),
        leaders=(*leaders_of(faction), *player.captured, *rules_of(play.game, faction).foreign_leaders(play.game)),
    )  # fmt: skip
    read = read_any(text, context)
    if isinstance(read, Order):
        read = line  # a card or power without a condition is played as a plain order is
    if not isinstance(read, SheetLine) or (read.order, read.condition, read.times) != (
        line.order, line.condition, line.times,
    ):  # fmt: skip
        raise _Wrong(f"{faction} wrote {text!r}, which is read as {read}")
    taken = put(play, sheets, faction, read)
    if not isinstance(taken, Taken):
        raise _Wrong(f"{text!r} is refused: {taken.reason}")
    return taken.filed


def _where(play: Play) -> str:
    return f"turn {play.state.turn}, {play.state.phase}, {play.stop_name}"


def _first_difference(one: Sequence[Event], other: Sequence[Event]) -> str:
    for event, again in zip(one, other, strict=False):
        if events.encode(event) != events.encode(again):
            return f"event {event.number}: {event} live, {again} by sheets"
    return "" if len(one) == len(other) else f"{len(one)} events live, {len(other)} by sheets"
