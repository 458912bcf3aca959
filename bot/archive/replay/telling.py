"""The sentence of each step: as everybody was told, and what only some were told.

An event has its words in ``templates/events``. A decision that told nothing is told in its own words to who made it;
all others see that a phase has begun, or nothing.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from bot.archive.steps import Step
from bot.orders.language import write
from bot.reports.changes import changes
from bot.reports.given import News
from bot.reports.news import sentence
from bot.wording.sentences import say
from bot.wording.spoken import ordered
from rules.components import Faction
from rules.engine.log import Corrected, Entry, Expired, LastTurn, Stopped, Submitted
from rules.state.events import Event, Viewer


class Telling:
    """The sentences of a game, each kept once. Number 0 is no sentence."""

    def __init__(self, viewers: Sequence[Viewer]) -> None:
        self.viewers = viewers
        self.sentences: list[str] = [""]
        self._number: dict[str, int] = {"": 0}
        self._at: tuple[int, str] | None = None

    def tell(self, step: Step, entry: Entry | None) -> tuple[int, dict[int, int]]:
        """The sentence for everybody, and by number of the viewer the ones that only they were told."""
        at, self._at = self._at, (step.turn, step.phase)
        if step.event is not None:
            return self._told(step.event)
        begins = "" if at == self._at else _begins(step)
        alone: dict[Viewer, str] = {}
        if entry is not None:
            alone = _decided(entry)
        return self._kept(begins), self._by_viewer(alone)

    def _told(self, event: Event) -> tuple[int, dict[int, int]]:
        facts = event.facts
        public = sentence(event.kind, facts) if event.audience is None else ""
        alone: dict[Viewer, str] = {}
        for viewer in self.viewers:
            if viewer == "gm" or not event.visible_to(viewer):
                continue
            mine = event.told_to(viewer)
            if mine or event.audience is not None:
                told = sentence(event.kind, facts, mine)
                if told != public:
                    alone[viewer] = told
        return self._kept(public), self._by_viewer(alone)

    def _by_viewer(self, alone: Mapping[Viewer, str]) -> dict[int, int]:
        return {
            number: self._kept(alone[viewer]) for number, viewer in enumerate(self.viewers) if viewer in alone
        }  # fmt: skip

    def _kept(self, told: str) -> int:
        number = self._number.get(told)
        if number is None:
            number = self._number[told] = len(self.sentences)
            self.sentences.append(told)
        return number


def on_the_board(event: Event) -> tuple[list[list[Any]], list[list[Any]]]:
    """Who went where by this event (faction, from, to, whether shipped), and who lost what (faction, where, forces)."""
    news = News(event.turn, event.phase, event.kind, event.facts, {})
    found = changes([news])
    went = [[one.faction, one.source, one.target, int(one.shipped)] for one in found.journeys]
    return went, [[faction, where, str(forces.total)] for (where, faction), forces in found.lost.items()]


def _begins(step: Step) -> str:
    return say("replay.phase-begins", turn=step.turn, phase=say(f"phase.{step.phase}"))


def _decided(entry: Entry) -> dict[Viewer, str]:
    """What was decided, for those who decided it."""
    if isinstance(entry, Submitted):
        orders = [ordered(write(order)) for order in entry.orders]
        return {entry.faction: say("replay.decided", faction=entry.faction, orders=orders)}
    if isinstance(entry, Expired):
        silent: list[Faction] = list(dict.fromkeys(faction for faction, *_ in entry.keys))
        return {faction: say("replay.silent", factions=[faction]) for faction in silent}
    if isinstance(entry, LastTurn | Stopped | Corrected):
        return {}  # what follows tells it to everybody
    return {entry.faction: say("replay.withdrawn", faction=entry.faction)}
