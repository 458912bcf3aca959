"""Questions to the factions, one class for each kind of decision, and the stops at which a game waits for answers.

A kind of decision is a subclass of ``Question``. It defines in one place:

- ``refusal`` returns the reason why an answer is illegal now, or None.
- ``refusal_ahead`` returns the reason why an order that is sent ahead cannot become legal later, or None.
- ``doubt_ahead`` returns the reason why such an order would have no effect in the current position, or None.
- ``default`` is the order that applies if there is no answer.
- ``samples`` are sample answers for a form or a random player.
- ``facts`` are the facts that are needed to word the question.

Each of these is computed from the position when it is needed.

A flow *asks* questions by passing to ``ask`` a function that makes them from the position. The engine calls that
function when the stop opens, and again after every card or power that is played at the stop. A question that no longer
applies disappears, and a question that has changed is asked again. Earlier answers remain if they are still legal.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Generator, Mapping, Sequence
from typing import Any, ClassVar

from rules.components import Faction
from rules.orders import ANSWERS, Key, Order, QuestionKind
from rules.rulesets.rulebook import Refusal
from rules.rulesets.ruleset import RuleSet, expansion_of
from rules.state.game import Game


class Question:
    """One decision for one faction.

    ``subject`` distinguishes questions of the same kind to the same faction (for a ``bg-status``, it is the territory).
    ``key`` identifies the question while it is open. The following attributes apply to a whole kind of questions; if
    the questions of a class differ in one of them, the class sets it for each question:

    - ``public`` is false if other players must not know about the question.
    - ``blanket`` means that everybody is asked in the same way, because only hidden cards decide who can act.
    - ``many`` means that several orders of one message together form one answer (nexus, transfer).
    - ``beside`` means that the answer only helps another player with another question of the stop, for example with
      spice. Once the other questions are answered, the game no longer waits for it.
    - ``waived`` means that the player has already said that they will not answer, so the default may apply at once.
    - ``settled`` means that every answer has the same effect, as everybody knows, so nobody needs to be asked.
    - ``forgiven`` means that not answering counts as an answer. It is not treated as a missed deadline and does not use
      up a time bank.
    - ``at_once`` means that an answer takes effect (``carry_out``) without waiting for the other answers of the stop.
    - ``leads_on`` means that an answer changes the other questions of the stop. Without this flag the change would
      appear only at the next event, and so would reveal secret events.
    - ``of_expansion`` means that the question is asked only in rule sets with an expansion.
    - ``takes`` lists the forms of order that answer this question, if other orders of its kind answer a later question
      (the storm cards). If it is empty, all forms do.
    """

    kind: QuestionKind
    public: bool = True
    blanket: bool = False
    many: bool = False
    beside: bool = False
    waived: bool = False
    settled: bool = False
    forgiven: bool = False
    at_once: bool = False
    leads_on: bool = False
    of_expansion: bool = False
    takes: tuple[type[Order], ...] = ()

    only_refusal: ClassVar[Refusal | None] = None
    """The refusal for factions that never decide this, because the class is among another faction's ``own_questions``.

    It is None if every faction decides this.
    """

    def __init__(self, game: Game, faction: Faction, subject: str = "") -> None:
        self.game = game
        self.faction = faction
        self.subject = subject
        self.key: Key = (faction, self.kind, subject)

    def fits(self, order: Order) -> bool:
        return self.kind in ANSWERS.get(type(order), ()) and (not self.takes or isinstance(order, self.takes))

    def refusal(self, order: Order) -> Refusal | None:
        """Return the reason why an order is not a legal answer now, or None if it is. The form of the order already
        fits the question. By default every such order is legal."""
        return None

    @classmethod
    def refusal_ahead(cls, game: Game, faction: Faction, order: Order) -> Refusal | None:
        """Return the reason why an order cannot answer a question of this kind later in this phase. None means that it
        may do so, and is therefore held.

        The check uses facts that cannot change before then, and usually also the faction's current spice. A player who
        cannot pay for an order learns this at once, and can send the order again when they have the spice.
        """
        raise NotImplementedError

    @classmethod
    def doubt_ahead(cls, game: Game, faction: Faction, order: Order) -> Refusal | None:
        return None

    @classmethod
    def never_legal(cls, game: Game, faction: Faction, order: Order) -> Refusal | None:
        """Return the reason why an order of this faction is wrong in every position, so that it need not be filed. None
        means that it may become legal."""
        return None

    @classmethod
    def exists_in(cls, rules: RuleSet) -> bool:
        """Return whether a game with this rule set ever asks this question. The result is false if it uses another
        class for questions of the same kind instead."""
        return not cls.of_expansion or bool(expansion_of(rules))

    @property
    def default(self) -> Order:
        raise NotImplementedError  # the order that applies without an answer; always legal

    def samples(self) -> Sequence[Order]:
        """Return at least one legal answer: all legal answers if there are only a few, else representative ones."""
        raise NotImplementedError

    @property
    def facts(self) -> Mapping[str, Any]:
        """Return the facts that are needed to word the question. The player who is asked may know all of them."""
        return {}

    def warnings(self, order: Order) -> Sequence[Refusal]:
        """Return the faults that will be repaired in an accepted order, for example a faulty battle plan (WBC.X.26)."""
        return ()

    def stays_beside(self, earlier: Order, later: Order) -> bool:
        return False

    def answered_by(self, orders: Sequence[Order]) -> bool:
        """Return whether these orders are a complete answer to a question that takes ``many`` orders. Until then the
        question stays open."""
        return True

    def carry_out(self, order: Order) -> Flow:
        raise NotImplementedError


class Count:
    """A count of the times that each faction has been asked each kind of question in a phase. An offer between two
    players, which stays open from stop to stop, is counted only once, because its receiver must not learn how many
    stops there are."""

    __slots__ = ("_asked", "_standing")

    def __init__(self) -> None:
        self._asked: dict[tuple[Faction, QuestionKind], int] = {}
        self._standing: dict[Key, int] = {}

    def number(self, asked: Mapping[Key, Question], before: Mapping[Key, int]) -> dict[Key, int]:
        """Return the number of each question of a stop. For example, the third bid for which a faction is asked in the
        phase gets the number 3. Questions in ``before`` keep the number that they have there."""
        numbers: dict[Key, int] = {}
        known = {**self._standing, **before} if self._standing else before
        for key, question in asked.items():
            number = known.get(key)
            if number is None:
                kind = key[:2]
                number = self._asked[kind] = self._asked.get(kind, 0) + 1
                if question.at_once:
                    self._standing[key] = number
            numbers[key] = number
        return numbers

    def keep(self, asked: Collection[Key]) -> None:
        if self._standing:
            self._standing = {key: number for key, number in self._standing.items() if key in asked}


class Stop:
    """A point at which the game waits for answers.

    ``frozen`` means that nothing else may be played meanwhile (during a Truthtrance, AH.AID.TIMED.1). ``serial`` is the
    number of the stop in its phase; it distinguishes questions that are asked repeatedly. ``numbers`` gives each open
    question its number among the questions of the same kind to the same faction in the phase. ``count`` is the counter
    that all stops of the phase share.
    """

    __slots__ = ("build", "count", "frozen", "given", "numbers", "open", "serial")

    def __init__(
        self,
        build: Callable[[], Sequence[Question]],
        given: Mapping[Key, tuple[Order, ...]] | None = None,
        *,
        frozen: bool = False,
    ) -> None:
        self.build = build
        self.frozen = frozen
        self.open: dict[Key, Question] = {}
        self.given: dict[Key, tuple[Order, ...]] = dict(given) if given else {}
        self.numbers: dict[Key, int] = {}

    def begin(self, serial: int, count: Count) -> None:
        self.serial, self.count = serial, count
        self.rebuild()

    def rebuild(self) -> None:
        """Rebuild the questions from the current position. Keep the answers that are still legal, and number the
        questions that are new or have lost their answer."""
        self.open = {question.key: question for question in self.build()}
        lost: Collection[Key] = ()
        if self.given:
            before = self.given
            self.given = {
                key: orders
                for key, orders in before.items()
                if (question := self.open.get(key)) and not any(question.refusal(order) for order in orders)
            }
            lost = before.keys() - self.given.keys()
        if lost or self.numbers.keys() != self.open.keys():
            stay = {key: number for key, number in self.numbers.items() if key not in lost} if lost else self.numbers
            self.numbers = self.count.number(self.open, stay)
            if not self.frozen:
                self.count.keep(self.open)

    @property
    def waits(self) -> bool:
        """Return whether a question still lacks a complete answer. Questions that are only asked ``beside`` others do
        not count."""
        given = self.given
        for key, question in self.open.items():  # called several times a decision; a loop is fastest
            if key not in given:
                if not question.beside:
                    return True
            elif question.many and not question.answered_by(given[key]):
                return True
        return False

    def is_answered(self, key: Key) -> bool:
        question, given = self.open[key], self.given.get(key)
        return given is not None and (not question.many or question.answered_by(given))

    @property
    def waiting(self) -> list[Question]:
        """Return the questions that still lack a complete answer. The list is empty if all of them are asked only
        ``beside`` others."""
        return [question for key, question in self.open.items() if not self.is_answered(key)] if self.waits else []

    def add(self, question: Question, orders: Sequence[Order]) -> tuple[Order, ...]:
        """Record orders as the answer to a question. Return all orders of the answer, including earlier ones that the
        new orders do not replace."""
        earlier = self.given.get(question.key, ())
        stays = (order for order in earlier if all(question.stays_beside(order, later) for later in orders))
        self.given[question.key] = (*stays, *orders)
        return self.given[question.key]


Flow = Generator[Stop, None, None]


class Answers:
    __slots__ = ("_given",)

    def __init__(self, given: Mapping[Key, tuple[Order, ...]]) -> None:
        self._given = given

    def of(self, faction: Faction, subject: str = "") -> Order | None:
        """Return the faction's last order, or None if it was not asked. If a subject is given, return the last order
        about that subject."""
        for (asked, _, about), orders in self._given.items():
            if asked == faction and about == subject:
                return orders[-1]
        return None

    def each(self) -> list[tuple[Faction, Order]]:
        return [(faction, order) for (faction, _, _), orders in self._given.items() for order in orders]

    def all_of(self, faction: Faction) -> tuple[Order, ...]:
        return tuple([order for (asked, _, _), orders in self._given.items() if asked == faction for order in orders])

    def only(self) -> Order:
        ((order, *_),) = (orders[::-1] for orders in self._given.values())
        return order

    def __bool__(self) -> bool:
        return bool(self._given)


def ask(
    build: Callable[[], Sequence[Question]], given: Mapping[Key, tuple[Order, ...]] | None = None
) -> Generator[Stop, None, Answers]:
    """Ask questions and return their answers: ``answers = yield from ask(lambda: [...])``. ``given`` holds answers that
    have been given earlier. If all questions have disappeared in the meantime, the answers are empty, and the caller
    must check the position again."""
    stop = Stop(build, given)
    yield stop
    return Answers(stop.given)


def ask_one(question: Question) -> Generator[Stop, None, Order]:
    answers = yield from ask(lambda: [question])
    return answers.only()


def ask_frozen(question: Question) -> Generator[Stop, None, Answers]:
    stop = Stop(lambda: [question], frozen=True)
    yield stop
    return Answers(stop.given)
