"""Questions: what is asked of whom, one class a kind of decision, and the stops at which a game waits for answers.

A kind of decision is a subclass of ``Question``. It says in one place what is legal now (``refusal``), what could
ever be legal of an order that is sent ahead of its time (``refusal_ahead``), what silence means (``default``), which
answers serve as samples for a form or a random player (``samples``), and the facts that word it (``facts``). Each is
computed only when somebody wants to know it, from the position as it is then.

A flow *asks* (``ask``) by giving a function that makes the questions from the position. The engine calls it when the
stop opens and again after every card or power played at the stop. A question whose ground was taken away disappears,
and a changed one is asked again. Answers already given stay if they are still legal.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Generator, Mapping, Sequence
from typing import Any, ClassVar

from rules.components import Faction
from rules.orders import ANSWERS, Key, Order, QuestionKind
from rules.rulesets.refusal import Refusal
from rules.rulesets.ruleset import RuleSet
from rules.state.game import Game


class Question:
    """One decision that is wanted of one faction.

    ``subject`` tells apart questions of one kind to one faction (the territory of a ``bg-status``); ``key`` names the
    question while it is open. The attributes below hold for a whole kind; a class whose questions differ in one of them
    sets it itself:

    - ``public``: false where others may not know that it is asked.
    - ``blanket``: everybody is asked alike, because only hidden cards decide who can act.
    - ``many``: several orders of one message stand together as one answer (nexus, transfer).
    - ``beside``: an offer to help with another question of the stop (an ally's spice); once the others are answered,
      nobody waits for it.
    - ``waived``: its player has said already that they answer nothing; it stays open all the same until silence does,
      so that nobody can tell.
    - ``forgiven``: silence is an answer to it like another, and costs neither a missed deadline nor time of a bank;
      who could be ``waived`` and is merely silent would otherwise be told apart by that.
    - ``at_once``: an answer sets something going (``carry_out``) without waiting for the other answers of the stop.
    - ``leads_on``: an answer changes what else is asked at the stop. Without it the change would show only when
      something else happens, and tell of things that happen in secret.
    - ``takes``: the forms that answer this question where others of its kind are for a later one (the storm cards);
      empty is all of them.
    """

    kind: QuestionKind
    public: bool = True
    blanket: bool = False
    many: bool = False
    beside: bool = False
    waived: bool = False
    forgiven: bool = False
    at_once: bool = False
    leads_on: bool = False
    takes: tuple[type[Order], ...] = ()

    only_refusal: ClassVar[Refusal | None] = None
    """What those are told who never decide this, because it is the business of factions whose room lists the class
    among its ``own_questions``; None where it is everybody's."""

    def __init__(self, game: Game, faction: Faction, subject: str = "") -> None:
        self.game = game
        self.faction = faction
        self.subject = subject
        self.key: Key = (faction, self.kind, subject)

    def fits(self, order: Order) -> bool:
        """Whether the order is of a form that can answer this kind of question (legal or not)."""
        return self.kind in ANSWERS.get(type(order), ()) and (not self.takes or isinstance(order, self.takes))

    def refusal(self, order: Order) -> Refusal | None:
        """Why an order of a fitting form is no legal answer now; None where it is one."""
        raise NotImplementedError

    @classmethod
    def refusal_ahead(cls, game: Game, faction: Faction, order: Order) -> Refusal | None:
        """Why an order can answer no question of this kind that is still to come in this phase; None where it may, so
        that it is held. It is judged by what cannot change until then, and mostly by the spice that is there now: who
        cannot pay for an order is told at once, and can send it again when spice has come."""
        raise NotImplementedError

    @classmethod
    def never_legal(cls, game: Game, faction: Faction, order: Order) -> Refusal | None:
        """Why an order of this faction is wrong in every position of the game, so that it need not be filed for a later
        phase; None where it may come to be right."""
        return None

    @classmethod
    def exists_in(cls, rules: RuleSet) -> bool:
        """Whether the rule set ever asks this; false where it asks another class of the same kind in its place."""
        return True

    @property
    def default(self) -> Order:
        """What silence means; it is always legal."""
        raise NotImplementedError

    def samples(self) -> Sequence[Order]:
        """Legal answers, at least one: all of them where they are few, representative ones where they are many."""
        raise NotImplementedError

    @property
    def facts(self) -> Mapping[str, Any]:
        """What the wording of the question needs. The faction asked may know all of it."""
        return {}

    def warnings(self, order: Order) -> Sequence[Refusal]:
        """What will be mended of an order that is taken as it is (a faulty battle plan, WBC.X.26)."""
        return ()

    def stays_beside(self, earlier: Order, later: Order) -> bool:
        """Whether an order given before stays beside a later one instead of being replaced by it."""
        return False

    def answered_by(self, orders: Sequence[Order]) -> bool:
        """Whether these orders answer all of a question of ``many``; until they do it stays open beside them."""
        return True

    def carry_out(self, order: Order) -> Flow:
        """What an answer sets going where ``at_once`` is true."""
        raise NotImplementedError


class Count:
    """How often in a phase each faction has been asked each kind of question.

    An offer between two players stands from stop to stop and is asked once: how many stops there are, is not for its
    receiver to know.
    """

    __slots__ = ("_asked", "_standing")

    def __init__(self) -> None:
        self._asked: dict[tuple[Faction, QuestionKind], int] = {}
        self._standing: dict[Key, int] = {}

    def number(self, asked: Mapping[Key, Question], before: Mapping[Key, int]) -> dict[Key, int]:
        """The number of each question of a stop: "the third bid that this faction is asked for in the phase" has 3.
        Questions in ``before`` keep the number that they have there."""
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
        """Offers that are asked no more are done with."""
        if self._standing:
            self._standing = {key: number for key, number in self._standing.items() if key in asked}


class Stop:
    """A point at which the game waits. ``frozen`` lets nothing else be played meanwhile (a Truthtrance,
    AH.AID.TIMED.1).

    ``serial`` counts the stops of the phase, so that the same question asked twice is told apart. ``numbers`` says of
    each open question how many-th of its kind it is that this faction is asked in the phase; ``count`` is what all
    stops of the phase count together.
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
        """Ask for the first time, as the stop of this serial; whether there is something to ask shows in ``open``."""
        self.serial, self.count = serial, count
        self.rebuild()

    def rebuild(self) -> None:
        """Ask again from the position as it is now; keep the answers that are still legal, and number the questions
        that were not open before or have lost their answer."""
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
        """Whether a question has no whole answer yet; those that stand beside others do not count."""
        given = self.given
        for key, question in self.open.items():  # asked several times a decision; a loop is the fastest
            if key not in given:
                if not question.beside:
                    return True
            elif question.many and not question.answered_by(given[key]):
                return True
        return False

    def is_answered(self, key: Key) -> bool:
        """Whether an open question has its answer, and all of it."""
        question, given = self.open[key], self.given.get(key)
        return given is not None and (not question.many or question.answered_by(given))

    @property
    def waiting(self) -> list[Question]:
        """The questions without a whole answer; none where only those are left that stand beside others."""
        return [question for key, question in self.open.items() if not self.is_answered(key)] if self.waits else []

    def add(self, question: Question, orders: Sequence[Order]) -> tuple[Order, ...]:
        """Answer a question, beside what it has been answered already and is not replaced by this; all that it is
        answered now."""
        earlier = self.given.get(question.key, ())
        stays = (order for order in earlier if all(question.stays_beside(order, later) for later in orders))
        self.given[question.key] = (*stays, *orders)
        return self.given[question.key]


Flow = Generator[Stop, None, None]


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

    def each(self) -> list[tuple[Faction, Order]]:
        """Every order with who gave it, in the order given."""
        return [(faction, order) for (faction, _, _), orders in self._given.items() for order in orders]

    def all_of(self, faction: Faction) -> tuple[Order, ...]:
        """All orders of the faction at this stop, in the order given."""
        return tuple([order for (asked, _, _), orders in self._given.items() if asked == faction for order in orders])

    def only(self) -> Order:
        """The one answer, where one question was asked."""
        ((order, *_),) = (orders[::-1] for orders in self._given.values())
        return order

    def __bool__(self) -> bool:
        return bool(self._given)


def ask(
    build: Callable[[], Sequence[Question]], given: Mapping[Key, tuple[Order, ...]] | None = None
) -> Generator[Stop, None, Answers]:
    """Hand out questions and come back with their answers: ``answers = yield from ask(lambda: [...])``.

    ``given`` are answers that stand already. Where ``build`` finds nothing to ask (any more), the answers are empty:
    look at the position again.
    """
    stop = Stop(build, given)
    yield stop
    return Answers(stop.given)


def ask_one(question: Question) -> Generator[Stop, None, Order]:
    """Ask one question that nothing can take away and come back with its answer."""
    answers = yield from ask(lambda: [question])
    return answers.only()


def ask_frozen(question: Question) -> Generator[Stop, None, Answers]:
    """Ask one question during which nothing else may be played."""
    stop = Stop(lambda: [question], frozen=True)
    yield stop
    return Answers(stop.given)
