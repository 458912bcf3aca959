"""What is asked of whom: questions, and the stops at which a game waits for answers.

A flow *asks* by giving a function that makes the questions from the position as it is. The game calls it when the
stop opens and again after every card or power played at the stop, so that a question whose ground was taken away
disappears and a changed one is asked anew. Answers already given stay if they are still legal.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Generator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from rules.components import Faction
from rules.orders import ANSWERS, Order, QuestionKind
from rules.refusal import Refusal

Key = tuple[Faction, QuestionKind, str]


@dataclass(slots=True)
class Question:
    """One decision that is wanted.

    ``check`` says whether an order of the right kind is a legal answer. ``choices`` lists legal answers: all of them
    where they are few, representative ones where they are many (a form and a random player choose among them); it
    must hold at least one, and each must pass ``check``. ``default`` is what silence means; it is always legal.
    ``subject`` tells apart questions of one kind to one faction (the territory of a ``bg-status``).
    ``about`` holds what the wording needs; the faction asked may know all of it. ``public`` is false where others
    may not know that it is asked; ``blanket`` is true where everybody is asked alike because only hidden cards decide
    who can act. ``many`` lets several orders of one message stand together as one answer (nexus, transfer);
    ``beside_later`` says which earlier order stays beside a later one instead of being replaced by it. ``takes`` names
    the forms that answer this question where others of its kind are for a later one (the storm cards); empty is all of
    them. ``beside`` is an offer to help with another question of the stop (an ally's spice): once the
    others are answered, nobody waits for it. ``at_once`` is what an answer sets going without waiting for the others
    (an offer between two players, which is no business of the rest). ``warn`` says what will be mended of an order
    taken as it is (a faulty battle plan, WBC.X.26). ``leads_on``: an answer changes what else is asked at the
    stop (a gift promised, and whether it is accepted; an ally's help, and what can be paid with it). Without it the
    change would show only when something else happens, and tell of things that happen in secret.
    """

    faction: Faction
    kind: QuestionKind
    default: Order
    check: Callable[[Order], Refusal | None]
    choices: Callable[[], Sequence[Order]]
    subject: str = ""
    about: Mapping[str, Any] = field(default_factory=dict)
    public: bool = True
    blanket: bool = False
    many: bool = False
    beside_later: Callable[[Order, Order], bool] | None = None
    takes: tuple[type[Order], ...] = ()
    beside: bool = False
    at_once: Callable[[Order], Flow] | None = None
    warn: Callable[[Order], Sequence[Refusal]] | None = None
    leads_on: bool = False

    @property
    def key(self) -> Key:
        """What names this question while it is open."""
        return (self.faction, self.kind, self.subject)

    def fits(self, order: Order) -> bool:
        """Whether the order is of a form that can answer this kind of question (legal or not)."""
        return self.kind in ANSWERS.get(type(order), ()) and (not self.takes or isinstance(order, self.takes))


class Answers:
    """The answers of one stop, by question."""

    __slots__ = ("_given",)

    def __init__(self, given: Mapping[Key, tuple[Order, ...]]) -> None:
        self._given = given

    def of(self, faction: Faction, subject: str = "") -> Order | None:
        """The faction's last order (about the subject), or None where it was not asked."""
        for (asked, _, about), orders in self._given.items():
            if asked == faction and about == subject:
                return orders[-1]
        return None

    def all_of(self, faction: Faction) -> tuple[Order, ...]:
        """All orders of the faction at this stop, in the order given."""
        return tuple(order for (asked, _, _), orders in self._given.items() if asked == faction for order in orders)

    def only(self) -> Order:
        """The one answer, where one question was asked."""
        ((order, *_),) = (orders[::-1] for orders in self._given.values())
        return order

    def __bool__(self) -> bool:
        return bool(self._given)


class Count:
    """How often in a phase each faction has been asked each kind of question.

    An offer between two players stands from stop to stop and is asked once: how many stops there are, is not for its
    receiver to know.
    """

    __slots__ = ("_asked", "_standing")

    def __init__(self) -> None:
        self._asked: dict[tuple[Faction, QuestionKind], int] = {}
        self._standing: dict[Key, int] = {}

    def number(self, question: Question) -> int:
        """How many-th of its kind a question is that a stop asks."""
        number = self._standing.get(question.key)
        if number is None:
            kind = (question.faction, question.kind)
            number = self._asked[kind] = self._asked.get(kind, 0) + 1
            if question.at_once:
                self._standing[question.key] = number
        return number

    def keep(self, asked: Collection[Key]) -> None:
        """Offers that are asked no more are done with."""
        if self._standing:
            self._standing = {key: number for key, number in self._standing.items() if key in asked}


@dataclass(slots=True)
class Stop:
    """A point at which the game waits. ``frozen`` lets nothing else be played meanwhile (a Truthtrance,
    AH.AID.TIMED.1).

    ``serial`` counts the stops of the phase, so that the same question asked twice is told apart. ``numbers`` says of
    each open question how many-th of its kind it is that this faction is asked in the phase; ``count`` is what all
    stops of the phase count together.
    """

    build: Callable[[], Sequence[Question]]
    frozen: bool = False
    serial: int = 0
    open: dict[Key, Question] = field(default_factory=dict)
    given: dict[Key, tuple[Order, ...]] = field(default_factory=dict)
    numbers: dict[Key, int] = field(default_factory=dict)
    count: Count = field(default_factory=Count)

    def rebuild(self) -> None:
        """Ask again from the position as it is now; keep the answers that are still legal."""
        self.open = {question.key: question for question in self.build()}
        lost: Collection[Key] = ()
        if self.given:
            before = self.given
            self.given = {
                key: orders
                for key, orders in before.items()
                if (question := self.open.get(key)) and not any(question.check(order) for order in orders)
            }
            if len(self.given) < len(before):
                lost = before.keys() - self.given.keys()
        if lost or self.numbers.keys() != self.open.keys():
            self._number(lost)

    def _number(self, again: Collection[Key]) -> None:
        """Number the questions that were not open before, and those whose answer holds no more."""
        before, count = self.numbers, self.count
        self.numbers = {
            key: before[key] if key in before and key not in again else count.number(question)
            for key, question in self.open.items()
        }
        if not self.frozen:
            count.keep(self.open)

    @property
    def waits(self) -> bool:
        """Whether a question has no answer yet; those that stand beside others do not count."""
        for key, question in self.open.items():  # noqa: SIM110 - asked several times a decision; a loop is the fastest
            if key not in self.given and not question.beside:
                return True
        return False

    @property
    def waiting(self) -> list[Question]:
        """The questions without an answer; none where only those are left that stand beside others."""
        return [question for key, question in self.open.items() if key not in self.given] if self.waits else []


Flow = Generator[Stop, None, None]


def ask(
    build: Callable[[], Sequence[Question]], given: Mapping[Key, tuple[Order, ...]] | None = None
) -> Generator[Stop, None, Answers]:
    """Hand out questions and come back with their answers: ``answers = yield from ask(lambda: [...])``.

    ``given`` are answers that stand already. Where ``build`` finds nothing to ask (any more), the answers are empty:
    look at the position again.
    """
    stop = Stop(build, given=dict(given or {}))
    yield stop
    return Answers(stop.given)


def ask_frozen(question: Question) -> Generator[Stop, None, Answers]:
    """Ask one question during which nothing else may be played."""
    stop = Stop(lambda: [question], frozen=True)
    yield stop
    return Answers(stop.given)
