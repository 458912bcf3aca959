"""How a flow asks: it hands out questions and comes back with their answers."""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping, Sequence

from rules.components import Faction
from rules.decisions.question import Question, Stop
from rules.orders import Key, Order


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
