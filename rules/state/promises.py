"""Answers about the future that stand: what was promised, by whom, and when it holds (WBC.AID.6 to 12)."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from rules.components import Faction
from rules.components.board import TerritoryId
from rules.orders import QuestionKind
from rules.orders.readings import AnyAct, Condition


@dataclass(slots=True)
class Scope:
    """When a promise holds: in these turns, and if named only in a battle there or with that opponent, only for this
    card of the auction, only at this nexus."""

    first_turn: int
    last_turn: int
    in_battle: bool = False
    territory: TerritoryId | None = None
    opponent: Faction | None = None
    card: int = 0
    nexus: bool = False


@dataclass(slots=True)
class Promise:
    """An answer about the future that stands.

    ``act`` is None where the engine cannot check it; then the one who answered is reminded of it at questions of the
    kinds in ``remind_at``. ``made`` is the number of the event that told the answer: of two bonds the earlier wins
    (A-47). ``negative``: the question asked whether they will *not*. What is promised under a ``condition`` binds while
    that is ``met`` (WBC.AID.7); ``on_the_way`` is what another promise takes to be kept, and falls without a
    word where it cannot be done; ``read_to`` is the number of the first event that has not been looked at for it.
    """

    faction: Faction
    asker: Faction
    question: str
    word: Literal["yes", "no"]
    made: int
    scope: Scope
    act: AnyAct | None = None
    remind_at: list[QuestionKind] = field(default_factory=list)
    negative: bool = False
    condition: Condition | None = None
    met: bool = False
    read_to: int = 0
    on_the_way: bool = False

    @property
    def forbids(self) -> bool:
        """Whether the act is ruled out; else it is to be done."""
        return (self.word == "no") != self.negative

    @property
    def binds(self) -> bool:
        """Whether it is on: nothing has to happen first, or that has happened."""
        return self.condition is None or self.met
