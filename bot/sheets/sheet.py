"""A sheet: the standing and conditional orders that one seat has filed, in the order in which they were filed.

A line counts until the end of the turn for which it was filed, or, if it stands, until it is withdrawn. One that was
filed when the phase of its order was over already is for the next turn. Of two lines with the same condition for the
same decision the later replaces the earlier. When a game is taken back, what was filed, used or over since then is
withdrawn: nobody is bound by a line that they would not have filed, or that has acted once.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import Literal

from bot.sheets.reading import SheetLine, write_sheet_line
from bot.wording.sentences import say
from rules.engine.turn import phases, questions_of
from rules.orders import ANSWERS, Ally, Deal, EmperorGives, Ghola, Give, Hajr, Karama, Order, PhaseName, Truthtrance
from rules.rulesets.ruleset import RuleSet

MOST_LINES = 200
"""Active lines of one seat; nobody needs so many, and every stop has to look through them."""

State = Literal["active", "used", "replaced", "withdrawn", "over"]
Use = tuple[int, str, object]

_KARAMA_PHASES: dict[str, PhaseName] = {
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
"""The phase in which an effect of a Karama has something to act on; the others can be played in any."""


@dataclass(slots=True)
class Filed:
    """A line on a sheet. ``number`` counts the lines of its seat, ``text`` is the line in canonical words.

    ``turn`` is the last turn for which it counts, 0 for every turn; ``left`` how often it still acts (if it stands, in
    the turn in which it last acted), -1 for as often as it can. ``note`` is what kept it from acting, until its owner
    has been told. ``filed`` and ``changed`` are how many entries the game's log had when it was filed, and when it last
    acted or ended; ``acted`` is the stop at which it last acted.
    """

    number: int
    line: SheetLine
    text: str
    turn: int = 0
    left: int = -1
    state: State = "active"
    note: str = ""
    filed: int = 0
    changed: int = 0
    acted: str = ""

    @property
    def lasts(self) -> str:
        """How long the line counts, in words.

        >>> Filed(1, line, "standing: charity").lasts  # doctest: +SKIP
        'stands until you withdraw it'
        """
        return say("sheet.lasts", turn=self.turn, left=self.left)


@dataclass(slots=True)
class Sheet:
    """The lines of one seat. ``lines`` holds the active ones and those that changed since the sheet was last saved;
    ``touched`` are the numbers of the lines that changed."""

    lines: list[Filed] = field(default_factory=list)
    next_number: int = 1
    touched: set[int] = field(default_factory=set)
    uses: Counter[Use] = field(default_factory=Counter)  # how often a line answered a question of a stop

    def active(self) -> list[Filed]:
        """The lines that count, in the order in which they were filed."""
        return [filed for filed in self.lines if filed.state == "active"]

    def file(
        self, line: SheetLine, rules: RuleSet, turn: int, phase: PhaseName, entries: int
    ) -> tuple[Filed, Filed | None]:  # fmt: skip
        """Add a line; the one that it replaces, if it does."""
        old = next((filed for filed in self.active() if _same(filed.line, line)), None)
        if old:
            self.end(old, "replaced", entries)
        last = 0 if line.standing else last_turn(line, rules, turn, phase)
        fresh = Filed(self.next_number, line, write_sheet_line(line), last, line.times, filed=entries, changed=entries)
        self.next_number += 1
        self.lines.append(fresh)
        self.touched.add(fresh.number)
        return fresh, old

    def full(self, line: SheetLine) -> bool:
        """Whether there is no room for another line, and this one replaces none."""
        active = self.active()
        return len(active) >= MOST_LINES and not any(_same(filed.line, line) for filed in active)

    def withdraw(self, entries: int, text: str = "") -> list[Filed]:
        """Take back the line of these canonical words, or all lines; those that were taken back."""
        gone = [filed for filed in self.active() if not text or filed.text == text]
        for filed in gone:
            self.end(filed, "withdrawn", entries)
        return gone

    def begin_turn(self, turn: int, entries: int) -> None:
        """Lines whose last turn has passed count no more; what stands can act as often again as it says."""
        for filed in self.active():
            if 0 < filed.turn < turn:
                self.end(filed, "over", entries)
            elif filed.left != filed.line.times and filed.acted.partition(".")[0] != str(turn) and not filed.turn:
                filed.left = filed.line.times
                self.touched.add(filed.number)

    def act(self, filed: Filed, stop: str, about: object, entries: int) -> None:
        """Note that a line acted at a stop: it is used up if its times are. A plan that was only looked into by
        prescience has not been used yet."""
        filed.acted, filed.changed = stop, entries
        self.uses[filed.number, stop, about] += 1
        if filed.left > 0 and not (isinstance(about, tuple) and "prescience-answer" in about):
            filed.left -= 1
        if filed.left == 0 and not filed.line.standing:
            filed.state = "used"
        self.touched.add(filed.number)

    def end(self, filed: Filed, state: State, entries: int) -> None:
        """A line that counts no more."""
        filed.state, filed.changed = state, entries
        self.touched.add(filed.number)

    def remark(self, filed: Filed, note: str) -> None:
        """Keep what is to be told about a line in its owner's next letter."""
        if filed.note != note:
            filed.note = note
            self.touched.add(filed.number)

    @property
    def notes(self) -> tuple[str, ...]:
        """What its owner has not been told yet."""
        return tuple(filed.note for filed in self.lines if filed.note)

    def told(self) -> None:
        """Its owner has been told the notes."""
        for filed in self.lines:
            if filed.note:
                filed.note = ""
                self.touched.add(filed.number)

    def saved(self) -> None:
        """What changed is written; lines that no longer count are forgotten once they have nothing to tell."""
        self.touched.clear()
        self.lines[:] = [filed for filed in self.lines if filed.state == "active" or filed.note]


def is_play(order: object) -> bool:
    """Whether an order is a card, a power or an offer for any stop rather than the answer to a kind of question."""
    return isinstance(order, Order) and type(order) not in ANSWERS


def last_turn(line: SheetLine, rules: RuleSet, turn: int, phase: PhaseName) -> int:
    """The last turn for which a line that does not stand counts, if it is filed in this turn and phase."""
    if line.turns:
        return max(line.turns)
    order = phases(rules)
    if phase not in order:
        return turn
    decided = [order.index(name) for name in phases_of(rules, line.order)]
    return turn + 1 if decided and max(decided) < order.index(phase) else turn


def phases_of(rules: RuleSet, order: object) -> tuple[PhaseName, ...]:
    """The phases in which an order can act; none where it can act in all."""
    if isinstance(order, Karama):
        phase = _KARAMA_PHASES.get(order.effect)
        return (phase,) if phase else ()
    kinds = ANSWERS.get(type(order), ()) if isinstance(order, Order) else ()
    if "karama-window" in kinds or "truthtrance-answer" in kinds or "offer" in kinds:
        return ()
    return tuple(phase for phase, asked in questions_of(rules).items() if any(kind in asked for kind in kinds))


def _same(one: SheetLine, other: SheetLine) -> bool:
    return one.standing == other.standing and one.condition == other.condition and _decision(one) == _decision(other)


def _decision(line: SheetLine) -> tuple[object, ...]:
    """What a line decides: lines with the same condition and the same decision replace each other."""
    match line.order:
        case Karama(effect):
            return (Karama, effect)
        case Truthtrance(faction, _) | Deal(faction, _, _, _):
            return (type(line.order), faction)
        case Ghola() | EmperorGives() | Hajr():
            return (type(line.order),)
        case Give(_, faction) | Ally(faction):
            return (type(line.order), faction)
        case order:
            kinds = ANSWERS.get(type(order), ()) if isinstance(order, Order) else ()
            together = type(order) if kinds in ((), ("nexus",)) else None
            return (kinds, together, getattr(order, "territory", None))
