"""A game played live, and the same game played by deputies: what players meant, filed as sheets, gives the same events.

A random game is played and recorded. Its decisions are looked at again, phase by phase, with what each player knew;
from that come the lines that each would have filed at the beginning of the phase. Then the game is played from its
beginning by the deputies of these sheets. Only where a player did different things at two moments that nothing he knows
tells apart is he asked; these are counted.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from bot.orders.context import Context
from bot.sheets.deputy import speak
from bot.sheets.filing import Taken, put
from bot.sheets.knowledge import knowledge_of
from bot.sheets.lines import read_any
from bot.sheets.reading import SheetLine, write_sheet_line
from bot.sheets.sheet import Sheet, is_play
from bot.soak.telling_apart import Moment, facts_of, lines_for
from bot.soak.watch import Setting
from rules import events, powers
from rules.board import territory_of
from rules.components import Faction, leaders_of
from rules.events import Event
from rules.orders import ANSWERS, Deal, EmperorGives, NoKarama, Order, QuestionKind
from rules.play import Play, Snapshot, Submitted
from rules.questions import Question
from rules.random_player import MOST_STOPS, RandomPlayer
from rules.ruleset import load_rule_set

MOST_LIVE = 0.02
"""Of a hundred decisions no more than two may rest on what nothing that the player knows tells apart."""


@dataclass(slots=True)
class Compared:
    """What came of a game played twice: how many decisions were taken, how many lines were filed for them, how many had
    to be taken live; the first difference, if there was one."""

    decisions: int = 0
    lines: int = 0
    live: int = 0
    difference: str = ""


@dataclass(slots=True)
class _Phase:
    """The decisions of one phase, and what came of looking at them: the lines by seat, the decisions left live."""

    snapshot: Snapshot
    said: list[tuple[Faction, Order]] = field(default_factory=list)
    lines: dict[Faction, list[SheetLine]] = field(default_factory=dict)
    live: set[int] = field(default_factory=set)


def compare(game: Setting) -> Compared:
    """Play a random game live and by sheets."""
    live = game.start()
    phases = _played(live, LivePlayer(f"player {game.seed}", game.impulses))
    for phase in phases:
        _look_again(game, phase, live.events)
    found = Compared(
        sum(len(phase.said) for phase in phases),
        sum(len(lines) for phase in phases for lines in phase.lines.values()),
        sum(len(phase.live) for phase in phases),
    )
    by_sheets = game.start()
    found.difference = _by_deputies(by_sheets, phases) or _first_difference(live.events, by_sheets.events)
    return found


# --- live ------------------------------------------------------------------------------------------------------------


class LivePlayer(RandomPlayer):
    """Plays every seat at a table where all sit together: at each stop cards and powers come first, then answers, in
    the order of play. What has no moment of its own (a deal, a gift) is thought of when a phase begins."""

    def __init__(self, seed: str, impulses: int) -> None:
        super().__init__(seed, impulses=impulses)
        self._stop = ""
        self._snapshot: Snapshot | None = None

    def decide(self, play: Play) -> tuple[Faction, Order]:
        """What is done next, and by whom."""
        order_of_play = play.game.order_of_play()
        windows = {question.faction for question in play.asked() if question.kind == "karama-window"}
        thoughts = self._thoughts(play, order_of_play) if play.stop_name != self._stop else ()
        begins, self._stop, self._snapshot = self._snapshot is not play.snapshot, play.stop_name, play.snapshot
        for faction, order in thoughts:
            if isinstance(order, Deal | EmperorGives) and not begins:
                continue
            if faction not in windows or powers.unseen(play.game, order):
                return faction, order
        waiting = play.questions()
        question = next(question for faction in order_of_play for question in waiting if question.faction == faction)
        if question.kind != "karama-window":
            return question.faction, self.answer(question)
        for _, order in self._thoughts(play, [question.faction]):
            if not powers.unseen(play.game, order):
                return question.faction, order
        return question.faction, NoKarama()

    def _thoughts(self, play: Play, factions: Sequence[Faction]) -> Iterator[tuple[Faction, Order]]:
        for faction in factions:
            order = self.impulse(play, faction) if self._often(self.impulses) else None
            if order:
                yield faction, order


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
        play.submit(said[0], [said[1]])
        play.advance()
    raise RuntimeError(f"still in the {play.state.phase} phase of turn {play.state.turn}")


# --- what was known --------------------------------------------------------------------------------------------------


def _look_again(game: Setting, phase: _Phase, told: Sequence[Event]) -> None:
    """Find the lines that do at each moment of a phase what was done."""
    play = Play.resume(load_rule_set(game.ruleset), game.seed, phase.snapshot, ())
    before = [event for event in told if event.number < phase.snapshot.events and event.turn == phase.snapshot.turn]
    factions = list(play.state.players)
    territories = {str(territory_of(area)) for area in play.state.forces}
    answers: dict[tuple[Faction, tuple[QuestionKind, ...], str], list[Moment]] = defaultdict(list)
    plays = [(n, faction, order) for n, (faction, order) in enumerate(phase.said) if is_play(order)]
    early: dict[int, list[Moment]] = defaultdict(list)
    for number, (faction, order) in enumerate(phase.said):
        happened = [*before, *(event for event in play.events if event.turn == phase.snapshot.turn)]
        for later, actor, thought in plays:
            if later < number:
                continue
            can, question = _chance(play, actor, thought, (faction, order))
            if can:
                values = facts_of(knowledge_of(play, actor, happened, question), factions, territories)
                early[later].append(Moment(later, thought if later == number else None, values))
        if not is_play(order) and not isinstance(order, NoKarama):
            question = next(q for q in play.questions() if q.faction == faction and q.fits(order))
            values = facts_of(knowledge_of(play, faction, happened, question), factions, territories)
            about = getattr(order, "territory", "") if "bg-status" in ANSWERS[type(order)] else ""
            answers[faction, ANSWERS[type(order)], about].append(Moment(number, order, values))
        play.submit(faction, [order])
        play.advance()
    for later, moments in early.items():
        _file(phase, phase.said[later][0], moments, together=False)
    for (faction, kinds, _), moments in answers.items():
        _file(phase, faction, moments, together=kinds in (("nexus",), ("movement",), ("transfer",), ("worm-ride",)))
    for faction in factions:
        phase.lines.setdefault(faction, []).append(SheetLine(NoKarama()))


def _chance(play: Play, faction: Faction, order: Order, said: tuple[Faction, Order]) -> tuple[bool, Question | None]:
    """Whether a deputy could make a play now, and with which question in view. In a reaction window that is where he
    answers the window, in the order of play: what was ``said`` here is his answer."""
    own = [question for question in play.asked() if question.faction == faction]
    window = next((question for question in own if question.kind == "karama-window"), None)
    waiting = [question for question in play.questions() if question.faction == faction]
    if window and not powers.unseen(play.game, order):
        speaker, answer = said
        answers = isinstance(answer, NoKarama) or (is_play(answer) and not powers.unseen(play.game, answer))
        return speaker == faction and answers and window in waiting and window.check(order) is None, window
    return play.check(faction, order).status == "accepted", waiting[0] if waiting else None


def _file(phase: _Phase, faction: Faction, moments: Sequence[Moment], *, together: bool) -> None:
    lines, live = lines_for(moments, one_by_one=together)
    sheet = phase.lines.setdefault(faction, [])
    sheet += [SheetLine(order, condition, times=1 if is_play(order) else -1) for condition, order, _ in lines]
    phase.live.update(live)


# --- by sheets -------------------------------------------------------------------------------------------------------


def _by_deputies(play: Play, phases: Sequence[_Phase]) -> str:
    """Play the game by sheets; what went wrong, if anything did."""
    for phase in phases:
        if not phase.said:
            continue
        sheets: dict[Faction, Sheet] = {}
        for faction, lines in phase.lines.items():
            for line in lines:
                if wrong := _filed(play, sheets, faction, line):
                    return f"{_where(play)}: {wrong}"
        for number, (faction, order) in enumerate(phase.said):
            turn = play.state.turn
            if number in phase.live:
                play.submit(faction, [order])
            elif not speak(play, sheets, [event for event in play.events if event.turn == turn]):
                return f"{_where(play)}: nobody spoke, where {faction} said {order}"
            said = play.log[-1]
            if not isinstance(said, Submitted) or (said.faction, said.orders) != (faction, (order,)):
                return f"{_where(play)}: {said}, where {faction} said {order}"
            play.advance()
    return ""


def _filed(play: Play, sheets: dict[Faction, Sheet], faction: Faction, line: SheetLine) -> str:
    """Write a line, read it, and put it on its sheet; why that was not the same line, if it was not."""
    text, state = write_sheet_line(line), play.state
    if line.condition is None and not is_play(line.order):
        text = f"standing: {text}"
    player = state.players[faction]
    context = Context(
        faction=faction, factions=frozenset(state.players), hand=tuple(player.hand),
        leaders=(*leaders_of(faction), *player.captured),
    )  # fmt: skip
    read = read_any(text, context)
    if isinstance(read, Order):
        read = line  # a card or power without a condition is played as a plain order is
    if not isinstance(read, SheetLine) or (read.order, read.condition) != (line.order, line.condition):
        return f"{faction} wrote {text!r}, which is read as {read}"
    taken = put(play, sheets, faction, read)
    return "" if isinstance(taken, Taken) else f"{text!r} is refused: {taken.reason}"


def _where(play: Play) -> str:
    return f"turn {play.state.turn}, {play.state.phase}, {play.stop_name}"


def _first_difference(one: Sequence[Event], other: Sequence[Event]) -> str:
    for event, again in zip(one, other, strict=False):
        if events.encode(event) != events.encode(again):
            return f"event {event.number}: {event} live, {again} by sheets"
    return "" if len(one) == len(other) else f"{len(one)} events live, {len(other)} by sheets"
