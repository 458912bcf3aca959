"""The engine as the recorded games see it: every import of the rules and of the store that they need stands here.

The same program records with the code of one day and replays with the code of another. Where a module has moved, or a
name has changed, this file is the one to change; nothing of what it gives (JSON values and texts) names a class.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any, Literal, cast

import msgspec

from bot.soak.daring import DaringPlayer
from bot.store.games import decode, encode
from rules.components import FACTIONS, as_faction
from rules.components.chance import Chance
from rules.decisions.question import Question
from rules.engine.log import Submitted
from rules.engine.play import Play
from rules.engine.rule_sets import load_rule_set
from rules.selfplay.random_player import RandomPlayer, random_seats
from rules.state.events import Event

Style = Literal["plain", "daring"]
Told = bytes
"""An event in its canonical form."""

_canonical = msgspec.json.Encoder(order="deterministic")


def canonical(event: Event) -> Told:
    """What happened and who may know which part of it, the same bytes each time. Its number is left out: one event more
    or less is one difference, not as many as follow it."""
    values = cast(dict[str, Any], msgspec.to_builtins(event))
    return _canonical.encode({name: value for name, value in values.items() if name != "number"})


class EngineGame:
    """One game that is played by the code of this checkout, entry by entry."""

    def __init__(self, ruleset: str, options: Mapping[str, Any], seed: str, seats: Sequence[tuple[str, int]]) -> None:
        rules = load_rule_set(ruleset)
        dots = {as_faction(faction): dot for faction, dot in seats}
        self._play = Play.start(rules.with_options(options) if options else rules, seed, dots)
        self._told = 0

    def news(self) -> list[Told]:
        """The events since this was asked last."""
        fresh = self._play.events[self._told :]
        self._told += len(fresh)
        return [canonical(event) for event in fresh]

    def take(self, entry: bytes) -> bool:
        """Run one entry of a log; whether it was taken whole. False: some of the questions whose time was up are not
        asked now. ValueError: an order is refused, or the entry cannot be read."""
        decoded = decode(entry)
        before = len(self._play.log)
        self._play.replay([decoded])
        return self._play.log[before:] == [decoded]

    def refuses(self, entry: bytes) -> bool:
        """Whether an order of an entry would be refused now. Nothing changes."""
        try:
            decoded = decode(entry)
        except ValueError:  # it cannot be read
            return True
        if not isinstance(decoded, Submitted):
            return False
        return any(self._play.check(decoded.faction, order).status == "refused" for order in decoded.orders)

    def let_silence_answer(self, but_not: Collection[str] = ()) -> list[str]:
        """What is open takes its default, but for some questions if there are others; and the game goes on. What was
        answered, as ``waits_for`` tells it."""
        asked = {_named(question): question.key for question in self._play.questions()}
        fresh = [name for name in asked if name not in but_not] or list(asked)
        self._play.expire([asked[name] for name in fresh])
        self._play.advance()
        return fresh

    def waits_for(self) -> list[str]:
        """Who is asked now, and what: "discards of fremen"."""
        return [_named(question) for question in self._play.questions()]

    @property
    def phase(self) -> str:
        return str(self._play.state.phase)

    @property
    def over(self) -> bool:
        return self._play.over


def _named(question: Question) -> str:
    about = f" ({question.subject})" if question.subject else ""
    return f"{question.kind} of {question.faction}{about}"


class RandomGame(EngineGame):
    """A game that a random player plays for all seats."""

    def __init__(self, ruleset: str, seed: str, seats: Sequence[tuple[str, int]], style: Style) -> None:
        super().__init__(ruleset, {}, seed, seats)
        self._player = (
            DaringPlayer(f"player {seed}", impulses=35, strays=5)
            if style == "daring"
            else RandomPlayer(f"player {seed}", impulses=25, strays=5)
        )

    def act(self) -> list[bytes]:
        """Let somebody do something; the entries of the log that come of it, none if it was refused."""
        before = len(self._play.log)
        self._player.act(self._play)
        return [encode(entry) for entry in self._play.log[before:]]


def seats_of(seed: str, players: int) -> list[tuple[str, int]]:
    """So many factions and their player dots, as the seed deals them."""
    factions = list(FACTIONS)
    Chance(seed, {}).shuffle("factions", factions)
    return list(random_seats(seed, factions[:players]).items())
