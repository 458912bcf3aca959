"""A player of every seat at a table where all sit together, who says how they would have put it on a sheet.

Most of what they do they think of at the moment. Some they have made up their mind about before: for a card they bid up
to a limit, and for some turns they give the same answer to one kind of question. What is known of such a decision
beforehand is what people write on a sheet.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from bot.sheets.blanks import Measure
from bot.sheets.conditions import Comparison, Condition
from bot.sheets.facts import number_of
from bot.sheets.reading import SheetLine
from rules.cards.truthtrance import promises
from rules.chapters.bidding.card_up import least_bid, pledged, raised_to
from rules.chapters.bidding.pledges import means
from rules.components import Faction
from rules.decisions.catalogue import is_unseen
from rules.decisions.never_legal import never_legal
from rules.decisions.question import Question
from rules.engine.log import Snapshot
from rules.engine.play import Play
from rules.orders import (
    Bid,
    BidUpTo,
    Charity,
    Deal,
    Decline,
    EmperorGives,
    GoNow,
    NoAdvisor,
    NoAlliance,
    NoCharity,
    NoKarama,
    NoMove,
    NoPrescience,
    NoRevival,
    NoRide,
    NoShipment,
    NoTransfer,
    NoTreachery,
    NoVoice,
    Order,
    Pass,
    QuestionKind,
    Treachery,
    Wait,
)
from rules.selfplay.random_player import RandomPlayer

PRICE = number_of("price {test}")
HABITS: tuple[tuple[QuestionKind, Order], ...] = (
    ("charity", Charity()), ("charity", NoCharity()), ("bid", Pass()), ("bid", Pass()), ("revival", NoRevival()),
    ("shipment", NoShipment()), ("advisor", NoAdvisor()), ("guild-timing", GoNow()), ("guild-timing", Wait()),
    ("movement", NoMove()), ("voice", NoVoice()), ("prescience", NoPrescience()), ("traitor-call", Treachery()),
    ("traitor-call", NoTreachery()), ("worm-ride", NoRide()), ("nexus", NoAlliance()), ("transfer", NoTransfer()),
    ("offer", Decline()),
)  # fmt: skip
"""What a seat may decide for several turns: always so, or (a pass) above a price."""

How = Literal["thought", "standing", "cap", "kept"]
"""Why something was said: thought of at the moment, by a rule for several turns, by a limit for this card; and a later
bid by such a limit, for which nobody has to be asked."""


@dataclass(frozen=True, slots=True)
class Habit:
    """What a seat does in these turns whenever it is asked."""

    faction: Faction
    kind: QuestionKind
    order: Order
    first: int
    last: int
    over: int | None = None

    @property
    def line(self) -> SheetLine:
        """How it is written: ``standing: pass`` or ``standing: when price > 5: pass``."""
        condition: Condition | None = None if self.over is None else Comparison(PRICE, (), Measure(">", self.over))
        return SheetLine(self.order, condition, standing=True)

    def answers(self, question: Question, turn: int) -> bool:
        """Whether it is what the seat says here."""
        if (question.faction, question.kind) != (self.faction, self.kind) or not self.first <= turn <= self.last:
            return False
        return (self.over is None or (question.facts["top"] or 0) > self.over) and question.refusal(self.order) is None


@dataclass(frozen=True, slots=True)
class Said:
    """What a seat said at a stop, and why. ``cap`` is the limit that it went by, for the card of this number."""

    faction: Faction
    order: Order
    how: How = "thought"
    cap: BidUpTo | None = None
    card: int = 0


class LivePlayer(RandomPlayer):
    """At each stop cards and powers come first, then answers, in the order of play. What has no moment of its own (a
    deal, a gift) is thought of when a phase begins. ``habits`` are all that the seats have had."""

    def __init__(self, seed: str, impulses: int) -> None:
        super().__init__(seed, impulses=impulses)
        self.habits: list[Habit] = []
        self._turn = 0
        self._stop = ""
        self._snapshot: Snapshot | None = None
        self._caps: dict[tuple[Faction, int, int], BidUpTo | None] = {}
        self._running: set[tuple[Faction, int, int]] = set()

    def decide(self, play: Play) -> Said:
        """What is done next, by whom and why."""
        if play.state.turn != self._turn:
            self._turn = play.state.turn
            self.habits += self._new_habits(play)
        kept = next((said for question in play.questions() if (said := self._kept(play, question))), None)
        if kept:
            return kept
        order_of_play = play.game.order_of_play()
        windows = {question.faction for question in play.asked() if question.kind == "karama-window"}
        thoughts = self._thoughts(play, order_of_play) if play.stop_name != self._stop else ()
        begins, self._stop, self._snapshot = self._snapshot is not play.snapshot, play.stop_name, play.snapshot
        for faction, order in thoughts:
            if isinstance(order, Deal | EmperorGives) and not begins:
                continue
            if faction not in windows or is_unseen(play.game, order):
                return Said(faction, order)
        waiting = play.questions()
        question = next(question for faction in order_of_play for question in waiting if question.faction == faction)
        if question.kind != "karama-window":
            return self._by_habit(question) or self._capped(play, question) or self._at_the_moment(question)
        for _, order in self._thoughts(play, [question.faction]):
            if not is_unseen(play.game, order):
                return Said(question.faction, order)
        return Said(question.faction, NoKarama())

    def _at_the_moment(self, question: Question) -> Said:
        return Said(question.faction, self.answer(question))

    def _thoughts(self, play: Play, factions: Sequence[Faction]) -> Iterator[tuple[Faction, Order]]:
        for faction in factions:
            order = self.impulse(play, faction) if self._often(self.impulses) else None
            if order:
                yield faction, order

    # --- for several turns -------------------------------------------------------------------------------------------

    def _new_habits(self, play: Play) -> Iterator[Habit]:
        for faction in play.state.players:
            if any(habit.faction == faction and habit.last >= self._turn for habit in self.habits):
                continue
            if self._often(40):
                kind, order = self._pick(HABITS)
                if never_legal(play.game, faction, order) is None:
                    over = self._draw(5) if kind == "bid" else None
                    yield Habit(faction, kind, order, self._turn, self._turn + 1 + self._draw(3), over)

    def habit_for(self, faction: Faction, kind: QuestionKind, turn: int) -> Habit | None:
        """The rule that a seat has for this kind of question in this turn."""
        found = (habit for habit in self.habits if (habit.faction, habit.kind) == (faction, kind))
        return next((habit for habit in found if habit.first <= turn <= habit.last), None)

    def _by_habit(self, question: Question) -> Said | None:
        habit = self.habit_for(question.faction, question.kind, self._turn)
        if habit is None or not habit.answers(question, self._turn):
            return None
        return Said(question.faction, habit.order, "standing")

    # --- for one card ------------------------------------------------------------------------------------------------

    def _kept(self, play: Play, question: Question) -> Said | None:
        """The next bid by a limit that bids already: nothing else comes before it."""
        if question.kind != "bid":
            return None
        key, cap = self._cap_of(question)
        if cap is None or key not in self._running or promises.forbid(play.game, question.faction, cap):
            return None
        return Said(question.faction, _raised(play, question.faction, cap), "kept", cap, key[2])

    def _capped(self, play: Play, question: Question) -> Said | None:
        """The first bid by a limit, or a pass because the bid is over it."""
        if question.kind != "bid":
            return None
        key, cap = self._cap_of(question)
        if key not in self._caps:
            cap = self._caps[key] = self._new_cap(play, question)
        self._running.discard(key)
        if cap is None:
            return None
        faction = question.faction
        if question.refusal(cap) is None:
            self._running.add(key)
            return Said(faction, _raised(play, faction, cap), "cap", cap, key[2])
        outbid = cap.limit <= (question.facts["top"] or 0) and question.refusal(Pass()) is None
        return Said(faction, Pass(), "cap", cap, key[2]) if outbid else None

    def _cap_of(self, question: Question) -> tuple[tuple[Faction, int, int], BidUpTo | None]:
        key = (question.faction, self._turn, question.facts["number"])
        return key, self._caps.get(key)

    def _new_cap(self, play: Play, question: Question) -> BidUpTo | None:
        """How far they go for the card that is up. Where an ally may help, they look at each bid by itself."""
        faction, spice = question.faction, play.state.players[question.faction].spice
        if len(play.state.ally_group(faction)) > 1 or self.habit_for(faction, "bid", self._turn) or not spice:
            return None
        if not self._often(35):
            return None
        limit = 1 + self._draw(min(spice, 9))
        return BidUpTo(limit, 1 + self._draw(3), self._draw(limit + 1) if self._often(40) else 0)


def _raised(play: Play, faction: Faction, cap: BidUpTo) -> Order:
    """What the rules make of a limit, as a bid."""
    amount = min(raised_to(play.game, cap), means(play.game, faction, pledged(play.game)))
    return Bid(amount) if amount >= least_bid(play.game) else Pass()
