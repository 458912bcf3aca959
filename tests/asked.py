"""A question made from functions, for tests that need a question but no game."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from rules.components import Faction
from rules.decisions.question import Question
from rules.orders import Order, QuestionKind
from rules.rulesets.rulebook import Refusal


class Asked(Question):
    """A question that gets its parts from functions."""

    def __init__(
        self,
        faction: Faction,
        kind: QuestionKind,
        default: Order,
        check: Callable[[Order], Refusal | None],
        choices: Callable[[], Sequence[Order]],
        subject: str = "",
        about: Mapping[str, Any] | None = None,
        public: bool = True,
        blanket: bool = False,
        many: bool = False,
        beside_later: Callable[[Order, Order], bool] | None = None,
        takes: tuple[type[Order], ...] = (),
        beside: bool = False,
        warn: Callable[[Order], Sequence[Refusal]] | None = None,
        leads_on: bool = False,
    ) -> None:
        self.faction, self.kind, self.subject = faction, kind, subject
        self.key = (faction, kind, subject)
        self.public, self.blanket, self.many, self.takes = public, blanket, many, takes
        self.beside, self.leads_on = beside, leads_on
        self._default, self._check, self._choices, self._about = default, check, choices, about or {}
        self._warn, self._beside_later = warn, beside_later

    def refusal(self, order: Order) -> Refusal | None:
        return self._check(order)

    @property
    def default(self) -> Order:
        return self._default

    def samples(self) -> Sequence[Order]:
        return self._choices()

    @property
    def facts(self) -> Mapping[str, Any]:
        return self._about

    def warnings(self, order: Order) -> Sequence[Refusal]:
        return self._warn(order) if self._warn else ()

    def stays_beside(self, earlier: Order, later: Order) -> bool:
        return self._beside_later is not None and self._beside_later(earlier, later)
