"""Rulings, which are run as tests. A ruling has a position, orders as they would come by mail, and expected results.

With ``until = "end"`` and ``until = "phase:..."``, a ruling stops exactly between two phases; the next phase begins
when a later step needs it. At every other stop, the default applies to unanswered questions.

A step may hold lines for a sheet (``when ...: ...``). From then on, the deputies act on the sheets whenever the game
stops.

A step may be a whole mail (``bot.lab.ruling_mails``), which is carried out in the current position. Sheet lines that
the mail files wait; the deputies act on them when the next ``until`` or order comes. A step may name canonical mails
that must have the same result. Then the ruling is run again up to this step with each canonical mail in place of the
mail, and the digests are compared.

A ruling may be written as if the game did not wait for reactions. In play, every player gets a reaction window, whether
or not anybody holds a card for it, and the Guild is asked before every other faction's turn to ship and move. So a step
that fails while only such questions are open is retried once they are closed. There are two exceptions. A step that
must be ``refused`` is not retried if the order would be accepted in the current position. Nor is it retried in a window
that the ruling itself reached by ``until``: the order must be refused in that window.

A ruling must hold regardless of chance. It runs once for each seed of its ``rng``, which is a single text or a list
of texts; without ``rng`` it runs with ``SEEDS``. The answer to a mail is always the one from the last seed, so a ruling
with mails and without checks runs with that seed alone.
"""

from __future__ import annotations

import logging
import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NoReturn, get_args

from bot.language.mail_lines import ReadLine, read_lines
from bot.language.orders import Context, Unread, write
from bot.language.sheets import Sheet, SheetLine, file_line, write_sheet_line
from bot.render.material import LineVerdict
from bot.render.questions import prompt_for
from bot.table.deputy import expire_questions, speak
from bot.table.lines import reading_context
from rules.components import Faction, as_faction
from rules.engine import turn
from rules.engine.play import Play
from rules.orders import NoKarama, Order, PhaseName, QuestionKind
from rules.positions.expectation import differences
from rules.positions.position import PositionError, Table, position, unknown
from rules.rulesets.rulebook import Refusal, wrong_citations
from rules.state.events import Event
from rules.views import view

if TYPE_CHECKING:
    from bot.lab.ruling_mails import Correspondence, MailAnswer

log = logging.getLogger(__name__)

RULING_KEYS = ("title", "clauses", "ruleset", "options", "start", "step", "expect")
STEP_KEYS = ("from", "order", "refused", "mail", "same_as", "proposes", "nothing", "until", "of", "expect")
MAIL_CHECKS = ("same_as", "proposes", "nothing")
"""The keys for the required result of a mail. A step has at most one of them."""
BY_THE_WAY: tuple[QuestionKind, ...] = ("karama-window", "guild-timing")
"""Kinds of question that are asked just in case, and to which the answer is mostly "nothing"."""
_SHEET_WORD = re.compile(r"standing|when(?:ever)?\b|.*\b(?:if|unless)\b", re.IGNORECASE)
SEEDS = ("mentat", "shai-hulud", "muad-dib", "kwisatz")
"""The seeds with which a ruling without ``rng`` is run. Chance must make no difference to the ruling."""
MOST_DEFAULTS = 5000


@dataclass(frozen=True, slots=True)
class RulingResult:
    """The result of a ruling; ``difference`` describes the first failure in one sentence.

    ``steps`` gives the result of each line. ``view`` is the position at the end as the game master may see it, in the
    same structure as ``game show --json``. Both come from the last seed that was run.
    """

    title: str
    passed: bool
    difference: str = ""
    steps: Sequence[Mapping[str, Any]] = ()
    view: Mapping[str, Any] | None = None
    warnings: Sequence[str] = ()


class _Failed(Exception):
    pass


def run_ruling(source: Path | str, now: datetime | None = None) -> RulingResult:
    """Run a ruling from its file, or from its text. Its mails are dated ``now``, which is the current time by default.

    >>> run_ruling('title = "Nothing"')  # doctest: +SKIP
    RulingResult(title='Nothing', passed=False, difference='the ruling: phase is missing; ...')
    """
    title = source.name if isinstance(source, Path) else "ruling"
    now = now or datetime.now(UTC)
    told = _Told(now)
    warnings: Sequence[str] = ()
    try:
        text = source.read_text(encoding="utf-8") if isinstance(source, Path) else source
        document = tomllib.loads(text)
        title = Table("the ruling", document, RULING_KEYS).text("title", title)
        warnings = wrong_citations(document.get("clauses", []))
        for seed, seeded in _with_each_seed(document):
            told = _Told(now)
            try:
                _run(seeded, told)
            except _Failed as failure:
                which = f" (with rng = {seed!r})" if seed != SEEDS[0] else ""
                return RulingResult(title, False, f"{failure}{which}", told.steps, told.view(), warnings)
            except PositionError:
                raise
            except Exception as fault:  # a fault of the rules fails this ruling and no other
                log.exception("the game of the ruling %r broke off", title)
                return RulingResult(title, False, f"The game broke off: {fault!r}.", told.steps, told.view(), warnings)
    except PositionError as failure:
        return RulingResult(title, False, str(failure), warnings=warnings)
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, OSError) as error:
        return RulingResult(title, False, f"This file cannot be read as a ruling: {error}.")
    return RulingResult(title, True, "", told.steps, told.view(), warnings)


def play_ruling(document: Mapping[str, Any]) -> Play:
    """Run a ruling with its first seed only and return its game. Raise AssertionError if the ruling does not pass."""
    told = _Told(datetime.now(UTC))
    try:
        _run(first_seed(document), told)
    except _Failed as failure:
        raise AssertionError(str(failure)) from None
    assert told.play is not None
    return told.play


def first_seed(document: Mapping[str, Any]) -> Mapping[str, Any]:
    return next(_with_each_seed(document))[1]


def _with_each_seed(document: Mapping[str, Any]) -> Iterator[tuple[str, Mapping[str, Any]]]:
    start = Table("the ruling", document).table("start")
    rng = start.values.get("rng", list(SEEDS))
    seeds = [rng] if isinstance(rng, str) else rng
    if not isinstance(seeds, list) or not seeds or not all(isinstance(seed, str) for seed in seeds):
        raise start.wrong("rng", "this must be a text, or a list of texts to run with each")
    for seed in seeds[-1:] if _only_asks(document) else seeds:
        yield seed, {**document, "start": {**start.values, "rng": seed}}


def _only_asks(document: Mapping[str, Any]) -> bool:
    given = document.get("step")  # mails, but nothing to check: its writer only wants the answers
    steps = [step for step in given if isinstance(step, dict)] if isinstance(given, list) else []
    if "expect" in document or not any("mail" in step for step in steps):
        return False
    return not any(key in step for step in steps for key in ("expect", "refused", *MAIL_CHECKS))


@dataclass(slots=True)
class _Told:
    now: datetime
    steps: list[Mapping[str, Any]] = field(default_factory=list)
    play: Play | None = None
    answer: MailAnswer | None = None  # to the last mail

    def line(self, faction: Faction, result: LineVerdict) -> None:
        self.steps.append(
            {
                "from": faction,
                "order": result.text,
                "status": result.status,
                "canonical": result.canonical,
                "reason": result.reason,
                "clause": result.clause,
                "suggestions": list(result.suggestions),
            }
        )

    def mail(self, faction: Faction, text: str, answer: MailAnswer) -> None:
        lines = [
            {
                "text": line.text,
                "status": line.status,
                "canonical": line.canonical,
                "reason": line.reason,
                "clause": line.clause,
                "suggestions": list(line.suggestions),
            }
            for line in answer.lines
        ]
        self.steps.append(
            {
                "from": faction,
                "mail": text,
                "lines": lines,
                "ignored": list(answer.ignored),
                "notes": list(answer.notes),
                "commands": list(answer.commands),
                "proposals": list(answer.proposals),
                "digest": answer.digest,
            }
        )

    def view(self) -> Mapping[str, Any] | None:
        if self.play is None:
            return None
        questions = [
            {
                "faction": q.faction,
                "kind": q.kind,
                "prompt": prompt_for(q.kind, q.facts, q.faction),
                "deadline": None,
                "default": write(q.default),
            }
            for q in self.play.questions()
        ]
        seen = view(self.play, "gm")
        players = {faction: {"player": None, **player} for faction, player in seen["players"].items()}
        return {"game": None, **seen, "players": players, "questions": questions}


def _run(document: Mapping[str, Any], told: _Told) -> None:
    steps = document.get("step", [])
    if not isinstance(steps, list) or not all(isinstance(step, dict) for step in steps):
        raise PositionError("the ruling: steps are written [[step]], each a table of its own.")
    told.play = play = position(document).play()
    with _mails(document, play, told.now) if any("mail" in step for step in steps) else nullcontext() as mails:
        table = _Table(play, told, mails)
        for number, values in enumerate(steps, start=1):
            step = Table(f"step {number}", values, STEP_KEYS)
            match sorted(values):
                case ["from", "order"] | ["from", "order", "refused"]:
                    table.order(step)
                case ["from", "mail"] | ["from", "mail", "nothing" | "proposes" | "same_as"]:
                    _MailStep(document, number, step).look_at(*table.mail(step), told.now)
                case ["until"] | ["of", "until"]:
                    table.until(step)
                case ["expect"]:
                    table.expect(step.where, step.table("expect").values)
                case keys:
                    named = ", ".join(keys) or "nothing"
                    raise PositionError(f"{step.where} has {named}; {_STEPS}")
        table.expect("at the end", Table("the ruling", document).table("expect").values)


_STEPS = (
    "a step is an order with from, a mail with from and one of same_as, proposes and nothing at most, an until, or an "
    "expect."
)


def _mails(document: Mapping[str, Any], play: Play, now: datetime) -> AbstractContextManager[Correspondence]:
    from bot.lab.ruling_mails import correspondence  # the moderator is slow to load

    return correspondence(play, document, now)


class _MailStep:
    def __init__(self, document: Mapping[str, Any], number: int, step: Table) -> None:
        self._document, self._number, self._step = document, number, step
        self._wanted = step.texts("same_as") or step.texts("proposes")
        if not step.truth("nothing", True) or any(step.values.get(check) == [] for check in MAIL_CHECKS):
            raise PositionError(f"{step.where}: same_as and proposes must name mails, and nothing must be true.")

    def look_at(self, before: str, answer: MailAnswer, now: datetime) -> None:
        check = next((check for check in MAIL_CHECKS if check in self._step.values), "")
        if check == "same_as":
            goals = self._goals(before, now)
            if not any(_stands_as(answer, goal) for goal in goals):
                self._fail(f"must leave the game as {self._listed()} does", answer)
        elif check and answer.digest != before:
            self._fail("must do nothing", answer)
        elif check == "nothing" and answer.proposals:
            self._fail("must be offered no order", answer)
        elif check == "proposes":
            goals = self._goals(before, now)
            offered = (self._instead(mail, now) for mail in answer.proposals)
            if not any(_stands_as(sent, goal) for sent in offered for goal in goals):
                self._fail(f"must be offered a mail that leaves the game as {self._listed()} does", answer)

    def _goals(self, before: str, now: datetime) -> list[MailAnswer]:
        """Play each canonical mail in place of the mail, and return the answers. A canonical mail that changes nothing
        is left out, unless it is empty."""
        found = [(mail, self._instead(mail, now)) for mail in self._wanted]
        goals = [done for mail, done in found if not mail.strip() or done.digest != before or done.commands]
        if not goals:
            why = "; ".join(line.reason for _, done in found for line in done.lines)
            raise _Failed(f"{self._step.where}: {self._listed()} does nothing here. {why}".rstrip())
        return goals

    def _instead(self, mail: str, now: datetime) -> MailAnswer:
        steps = self._document["step"][: self._number - 1]
        steps = [{key: value for key, value in each.items() if key not in MAIL_CHECKS} for each in steps]
        sent = {"from": self._step.values["from"], "mail": mail}
        told = _Told(now)
        _run({**self._document, "step": [*steps, sent], "expect": {}}, told)
        assert told.answer is not None
        return told.answer

    def _listed(self) -> str:
        return " or ".join(map(repr, self._wanted))

    def _fail(self, wanted: str, answer: MailAnswer) -> NoReturn:
        became = [f"{line.text!r} is {line.status} ({line.reason or line.canonical})" for line in answer.lines]
        became += [f"offered is {proposal!r}" for proposal in answer.proposals]
        text = self._step.text("mail", "")
        raise _Failed(f"{self._step.where}: {text!r} {wanted}; {'; '.join(became) or 'it has no line'}")


def _stands_as(answer: MailAnswer, goal: MailAnswer) -> bool:
    return answer.digest == goal.digest and set(goal.commands) <= set(answer.commands)


class _Table:
    def __init__(self, play: Play, told: _Told, mails: Correspondence | None) -> None:
        self.play = play
        self.told = told
        self.mails = mails
        self.sheets: dict[Faction, Sheet] = mails.sheets if mails else {}
        self.mailed = False  # the last act was a mail, after which the game does not go on by itself
        self.stopped_at = ""  # the reaction window at which the last ``until`` stopped
        self.rested = False  # an ``until`` has already stopped between these two phases
        self.asked: set[tuple[Faction, QuestionKind]] = set()  # asked since the last check
        self._begin(play.state.phase)

    def order(self, step: Table) -> None:
        faction = self._faction(step, "from")
        self._go_on_after_mails()
        self._open_phase()
        text = step.text("order", "")
        if self._file(step, faction, text):
            return
        if "refused" in step.values:
            self._look_for_refusal(step, faction, text)
        else:
            self._make_way(faction, text)
        self._verdict(step, faction, self._submit(faction, text))

    def mail(self, step: Table) -> tuple[str, MailAnswer]:
        assert self.mails
        faction, text = self._faction(step, "from"), step.text("mail", "")
        if not self.mailed:
            self._open_phase()
        self.mailed, before = True, self.mails.digest()
        self.told.answer = answer = self.mails.take(faction, text)
        self.told.mail(faction, text, answer)
        return before, answer

    def _go_on_after_mails(self) -> None:
        if self.mailed:
            self.mailed = False
            self._speak()

    def _file(self, step: Table, faction: Faction, text: str) -> bool:
        read = read_lines(text.splitlines(), self._context(faction))
        lines = [line.result for line in read if isinstance(line.result, SheetLine)]
        unread = [line.result for line in read if isinstance(line.result, Unread)]
        if unread and _SHEET_WORD.match(text.strip()):
            self._tell_unread(faction, read)
            self._verdict(step, faction, unread[0].reason)
            return True
        refusals = []
        for line in read:
            if isinstance(line.result, SheetLine):
                done = file_line(self.play, self.sheets, faction, line.result)
                refusal = done if isinstance(done, Refusal) else None
                refusals += [refusal] if refusal else []
                self.told.line(faction, _line_told(line.text, write_sheet_line(line.result), "held", refusal))
        if lines:
            self._verdict(step, faction, _first([*refusals, None]))
            self._speak()
        return bool(lines)

    def _speak(self) -> None:
        self.asked |= {(question.faction, question.kind) for question in self.play.asked()}
        while self.sheets and speak(self.play, self.sheets, self._events_of_turn()):
            pass

    def _events_of_turn(self) -> list[Event]:
        events = self.mails.events if self.mails else self.play.events
        return [event for event in events if event.turn == self.play.state.turn]

    def _verdict(self, step: Table, faction: Faction, refusal: str | None) -> None:
        said = f"{step.where}: {faction} {step.text('order', '')!r}"
        if "refused" not in step.values:
            if refusal is not None:
                raise _Failed(f"{said} was refused: {refusal}")
            return
        if refusal is None:
            raise _Failed(f"{said} must be refused but was accepted.")
        if not _as_wanted(step, refusal):
            raise _Failed(f"{said} was refused for another reason than {step.text('refused', '')!r}: {refusal}")

    def _make_way(self, faction: Faction, text: str) -> None:
        """Close reaction windows until the order can be accepted. If the order would still only be held for later, let
        the plays made so far take effect.

        A line that cannot be read as an order closes no window, because once a window is closed the same plain words
        might mean a different order.
        """
        if isinstance(self._read(faction, text), str):
            return
        while self._why_not(faction, text) and self._pass_window():
            pass
        orders = self._read(faction, text)
        if not isinstance(orders, str) and any(self.play.check(faction, o).status != "accepted" for o in orders):
            self._close_window()

    def _look_for_refusal(self, step: Table, faction: Faction, text: str) -> None:
        while self.stopped_at != self.play.stop_name or not self.stopped_at:
            refusal = self._why_not(faction, text)
            if refusal is not None and _as_wanted(step, refusal):
                return
            if self._would_be_taken(faction, text) or not self._pass_window():
                return

    def _would_be_taken(self, faction: Faction, text: str) -> bool:
        orders = self._read(faction, text)
        return not isinstance(orders, str) and any(self.play.check(faction, o).status == "accepted" for o in orders)

    def _submit(self, faction: Faction, text: str) -> str | None:
        read = list(read_lines(text.splitlines(), self._context(faction)))
        orders = self._read(faction, text)
        if isinstance(orders, str):
            self._tell_unread(faction, read)
            return orders
        outcomes = self.play.submit(faction, orders)
        for line, outcome in zip(read, outcomes, strict=True):
            self.told.line(faction, _line_told(line.text, write(outcome.order), outcome.status, outcome.refusal))
        self._speak()
        return _first([outcome.refusal for outcome in outcomes])

    def _tell_unread(self, faction: Faction, read: Sequence[ReadLine]) -> None:
        for line in read:
            match line.result:
                case Unread(reason, suggestions):
                    told = LineVerdict(line.text, "unread", reason=reason, suggestions=tuple(suggestions))
                case Order() as order:
                    outcome = self.play.check(faction, order)
                    told = _line_told(line.text, write(order), outcome.status, outcome.refusal)
                case _:
                    told = LineVerdict(line.text, "unread")
            self.told.line(faction, told)

    def _why_not(self, faction: Faction, text: str) -> str | None:
        orders = self._read(faction, text)
        if isinstance(orders, str):
            return orders
        return _first([self.play.check(faction, order).refusal for order in orders])

    def _read(self, faction: Faction, text: str) -> list[Order] | str:
        orders = []
        for line in read_lines(text.splitlines(), self._context(faction)):
            if isinstance(line.result, Unread):
                return line.result.reason
            if not isinstance(line.result, Order):
                return f"{line.text!r} is for Mentat and not an order in the game."
            orders.append(line.result)
        return orders or "There is no order in this step."

    def _context(self, faction: Faction) -> Context:
        return reading_context(self.play, faction)

    def until(self, step: Table) -> None:
        self._go_on_after_mails()
        text = step.text("until", "")
        of = self._faction(step, "of") if "of" in step.values else None
        if text == "end":
            self._run_to_end(step)
        elif text.startswith("phase:"):
            phase = text.removeprefix("phase:")
            if phase not in get_args(PhaseName) or phase == "setup":
                raise step.wrong(
                    "until",
                    f"no phase of that name is to come; there are {', '.join(turn.phases(self.play.game.rules))}, over",
                )
            self._run_to_phase(step, phase)
        elif text in get_args(QuestionKind):
            self._run_to_question(step, text, of)
        else:
            why = unknown(text, get_args(QuestionKind))
            raise step.wrong("until", f'this must be a kind of question, "phase:..." or "end"; {why}')

    def _run_to_question(self, step: Table, kind: str, of: Faction | None) -> None:
        for _ in range(MOST_DEFAULTS):
            if any(q.kind == kind and of in (None, q.faction) for q in self.play.questions()):
                self.stopped_at = self.play.stop_name if kind in BY_THE_WAY else ""
                return
            if self.play.over:
                break
            self._go_on()
        whose = f"{of}:{kind}" if of else kind
        raise _Failed(f"{step.where}: {whose} was never asked; the game came to {self._where()}.")

    def _run_to_phase(self, step: Table, phase: str) -> None:
        if self.play.phase_over and self.rested:
            self._go_on()
        for _ in range(MOST_DEFAULTS):
            if self.play.over:
                break
            if self.play.phase_over and turn.next_phase(self.play.game.rules, self.play.state.phase) == phase:
                self.rested = True
                return
            self._go_on()
        if phase != "over" or not self.play.over:
            raise _Failed(f"{step.where}: the {phase} phase never came; the game came to {self._where()}.")

    def _run_to_end(self, step: Table) -> None:
        if self.play.phase_over and self.rested:
            self._go_on()
        for _ in range(MOST_DEFAULTS):
            if self.play.phase_over:
                self.rested = True
                return
            self._go_on()
        raise _Failed(f"{step.where}: the phase never ended; the game came to {self._where()}.")

    def _go_on(self) -> None:
        if not self.play.phase_over:
            keys = [question.key for question in self.play.questions()]
            expire_questions(self.play, self.sheets, self._events_of_turn(), keys)
            self._speak()
        elif not self.play.over:
            self._begin(turn.after(self.play.game))

    def _close_window(self) -> None:
        """If anybody played something in the open reaction window, close the window so that the play takes effect.
        Until then, plays that follow one another count as simultaneous."""
        played = any(
            question.kind == "karama-window" and not isinstance(order, NoKarama)
            for question, orders in self.play.answered()
            for order in orders
        )
        if played:
            self.play.expire([question.key for question in self.play.questions() if question.kind == "karama-window"])
            self._speak()

    def _pass_window(self) -> bool:
        waiting = self.play.questions()
        if not waiting or any(question.kind not in BY_THE_WAY for question in waiting):
            return False
        self.play.expire()
        self._speak()
        return True

    def _open_phase(self) -> None:
        while self.play.phase_over and not self.play.over:
            self._go_on()

    def _begin(self, phase: PhaseName) -> None:
        self.rested = False
        self.play.begin_phase(phase)
        self._speak()

    def expect(self, where: str, expected: Mapping[str, Any]) -> None:
        self._close_window()
        found = differences(self.play, expected, self.asked)
        as_it_stands = _looks_at_windows(expected)
        while differences(self.play, expected, self.asked):
            if as_it_stands or not self._pass_window():
                raise _Failed(f"{where}: {found[0]}.")
        self.asked.clear()

    def _faction(self, step: Table, key: str) -> Faction:
        return as_faction(step.word(key, None, self.play.state.players))

    def _where(self) -> str:
        state = self.play.state
        return "its end" if self.play.over else f"the {state.phase} phase of turn {state.turn}"


def _as_wanted(step: Table, refusal: str) -> bool:
    return step.text("refused", "").casefold() in refusal.casefold()


def _looks_at_windows(expected: Mapping[str, Any]) -> bool:
    named = [*expected.get("asked", ()), *expected.get("not_asked", ())]
    return any(str(asked).partition(":")[2] in BY_THE_WAY for asked in named)


def _line_told(
    text: str, canonical: str, status: Literal["accepted", "held", "refused"], refusal: Refusal | None
) -> LineVerdict:
    if refusal:
        return LineVerdict(text, "refused", canonical, refusal.reason, refusal.clause)
    return LineVerdict(text, status, canonical)


def _first(refusals: list[Refusal | None]) -> str | None:
    for refusal in filter(None, refusals):
        return f"{refusal.reason} ({refusal.clause})" if refusal.clause else refusal.reason
    return None
