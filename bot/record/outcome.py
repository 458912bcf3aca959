"""How a game ended, from what was told while it was played: for results, ratings and statistics.

Only the facts that everybody was told are looked at; so the same comes of the events in the database and of the lines
of a record.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from datetime import date
from typing import Any

from bot.competition.outcomes import Kind, SeatOutcome, TableOutcome, Tenure
from rules.components import Faction
from rules.state.events import Event

KINDS: Mapping[str, Kind] = {
    "strongholds": "stronghold", "most strongholds": "stronghold", "prediction": "prediction", "fremen": "default",
    "guild": "default", "agreed": "agreed", "adjudicated": "adjudicated", "void": "void",
}  # fmt: skip
"""What the game's own word for a victory is among the kinds of result."""

Alliances = tuple[tuple[Faction, ...], ...]


class Outcome:
    """Sees the events of a game, and then says how it ended."""

    def __init__(self) -> None:
        self.turn = 0
        self.how = ""
        self.winners: tuple[Faction, ...] = ()
        self.held: Mapping[Faction, int] = {}
        self.over_turns: Counter[Faction] = Counter()
        self.alliances: Alliances = ()
        self.first_alliances: Alliances | None = None
        self.traitors: Counter[Faction] = Counter()

    def see(self, event: Event) -> None:
        """The next event."""
        facts = event.facts
        self.turn = max(self.turn, event.turn)
        if event.kind == "strongholds":
            self.held = {faction: len(places) for faction, places in facts["held"].items()}
            self.over_turns.update(self.held)
        elif event.kind == "nexus-over":
            self.alliances = tuple(tuple(sorted(group)) for group in facts.get("alliances", ()))
            if self.first_alliances is None:
                self.first_alliances = self.alliances
        elif event.kind == "battle-won" and facts.get("by") == "treachery":
            self.traitors[facts["winner"]] += 1
        elif event.kind == "battle-without-winner" and facts.get("why") == "two traitors":
            self.traitors.update(facts["sides"])
        elif event.kind == "game-won":
            self.winners, self.how, self.turn = tuple(facts["winners"]), facts["how"], event.turn

    @property
    def kind(self) -> Kind:
        """The kind of result. A game without winners is ``void``."""
        return KINDS.get(self.how, "stronghold") if self.winners else "void"

    def table(
        self, game: str, ruleset: str, dots: Mapping[Faction, int], *, names: Mapping[Faction, str] | None = None,
        began: date | None = None, ended: date | None = None, letters: int = 0, rules: Mapping[str, Any] | None = None,
    ) -> TableOutcome:  # fmt: skip
        """The outcome of the game. ``names`` are those who held the seats all the time, as far as they are known."""
        return TableOutcome(
            game=game, ruleset=ruleset, kind=self.kind, winners=self.winners, turn=self.turn, how=self.how,
            seats=tuple(
                SeatOutcome(
                    faction=faction, dot=dot,
                    tenures=(Tenure(entrant=names[faction], first=1, last=self.turn),) if names else (),
                    strongholds=self.held.get(faction, 0), strongholds_over_turns=self.over_turns[faction],
                )
                for faction, dot in sorted(dots.items(), key=lambda item: item[1])
            ),
            ended=ended, days=(ended - began).days + 1 if began and ended else 0, letters=letters,
            alliances=self.alliances, first_alliances=self.first_alliances or (), traitors=dict(self.traitors),
            rules=rules or {},
        )  # fmt: skip


def outcome_of(events: Iterable[Event]) -> Outcome:
    """What all events of a game say of its end."""
    outcome = Outcome()
    for event in events:
        outcome.see(event)
    return outcome
