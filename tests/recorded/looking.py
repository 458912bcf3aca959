"""The views, questions and refusals at one moment of a game, as texts that can be compared with a record.

A look has *sections*, each a JSON text under a name. "public: forces" is a part of the public view, and "fremen: hand"
is a part that the Fremen see differently. "known to fremen" is what they have learned. "asked revival of fremen:
choices" is a part of an open question. "so now" and "so this turn" are public facts on which a deal may depend. *Tries*
are orders that players might send, most of them out of place, together with the answers to them.
"""

from __future__ import annotations

import hashlib
import zlib
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple, TypeVar, cast

import msgspec

from rules.chapters import public_facts
from rules.components import Card, Faction
from rules.components.board import STRONGHOLDS, TERRITORIES
from rules.decisions.early_orders import never_legal, not_in_this_game
from rules.decisions.question import Question
from rules.engine.play import Play
from rules.engine.turn import questions_of
from rules.orders import ANSWERS, AnyOrder, Order
from rules.orders.readings import NUMBERS, EachOf, FactName, PublicFact
from rules.state.events import Viewer
from rules.state.state import Terms
from rules.views import known, views

Sections = dict[str, bytes]

LONGEST = 500
"""Longer lists of choices are kept as their length, their first items and a digest."""

OF_CHOICES, FROM_LOG, OF_POOL = 8, 6, 8
"""The number of tries of each sort: changed choices, orders from the game, and orders from the pool."""

NEAR = 40
"""Orders from this many entries before and after fit more often than orders from the whole game."""

_as_it_is = msgspec.json.Encoder(enc_hook=str)
_any_order = msgspec.json.Decoder(AnyOrder)
T = TypeVar("T")

NOW: Mapping[FactName, str] = {
    "wall-destroyed": "", "allied": "f", "ornithopters": "f", "fighting": "f", "attacking": "f", "defending": "f",
    "hand-count": "f", "tanks": "f", "strongholds": "f", "allied-with": "ff", "fighting-with": "ff", "tokens": "fs",
    "stands-in": "fs", "empty": "s", "spice-in": "t", "battle-in": "s",
}  # fmt: skip
"""The facts about the current position, and their subjects: (f)actions, (s)trongholds, (t)erritories."""

DONE: Mapping[FactName, str] = {
    "bought": "f", "broke-alliance": "f", "charity": "f", "nexus": "", "worm": "", "shipped": "f",
    "tokens-shipped": "f", "shipped-to": "fs", "tokens-shipped-to": "fs", "moved": "f", "moved-to": "fs",
    "past-move": "f", "past-shipment": "f", "battles-won": "f", "won-in": "fs", "lost-in": "fs", "asked": "f",
    "answered-yes": "f", "answered-no": "f", "answered-unknown": "f", "played": "fc", "has-bought": "f",
}  # fmt: skip
"""The facts about this turn, and their subjects, which include (c)ards of some sorts."""

PLAYED: tuple[Card, ...] = tuple(map(Card, (
    "Karama", "Tleilaxu Ghola", "Truthtrance", "Hajr", "Weather Control", "Family Atomics", "Thumper", "Harvester",
    "Amal", "Shield", "Crysknife", "Cheap Hero", "Baliset",
)))  # fmt: skip


class Try(NamedTuple):
    """An order that a player might send."""

    faction: Faction
    order: Order

    def __str__(self) -> str:
        return f"{self.faction} {msgspec.json.encode(self.order).decode()}"


class Looker:
    """An observer that looks at a game from time to time. ``log`` holds the orders of the game's log, entry by entry;
    ``pool`` holds other orders."""

    def __init__(self, play: Play, log: Sequence[Sequence[tuple[Faction, Order]]], pool: Sequence[Order]) -> None:
        self._play = play
        self._pool = [order for order in pool if not_in_this_game(play.game, order) is None] or pool
        self._of_phase = {
            phase: [order for order in self._pool if not set(ANSWERS.get(type(order), kinds)).isdisjoint(kinds)]
            for phase, kinds in questions_of(play.game.rules).items()
        }
        self._log = [[Try(*each) for each in entry] for entry in log]
        self._all = [each for entry in self._log for each in entry]
        self._factions = list(play.state.players)
        facts = _facts(DONE, self._factions)
        self._terms = Terms(condition=EachOf(tuple(facts)), counted_in=play.state.turn)
        self._now = [
            PublicFact(fact.name, fact.about, least) for fact in _facts(NOW, self._factions)
            for least in ((1, 2, 4) if fact.name in NUMBERS else (1,))
        ]  # fmt: skip

    def note(self) -> None:
        """Count the facts of what has happened. Call this after each entry."""
        public_facts.count_facts(self._play.game, self._terms)

    def look(self) -> Sections:
        """Return what everybody sees and is asked now."""
        play = self._play
        return {
            **_views(play, self._factions),
            **{f"known to {whose}": _as_it_is.encode(facts) for whose, facts in known(play, "gm").items()},
            **_questions(play),
            "so now": self._so_now(),
            "so this turn": _as_it_is.encode(dict(sorted(self._terms.counts.items()))),
        }

    def tries(self, entry: int) -> Iterator[tuple[Try, str]]:
        """Yield orders that might be sent after a log entry, always the same ones, each with its outcome."""
        for each in self._tries(_Stream(f"{entry}")):
            yield each, told(self._play, each)

    def _so_now(self) -> bytes:
        game = self._play.game
        truths = [(fact, public_facts.condition_is_true(game, fact, {})) for fact in self._now]
        return _as_it_is.encode([" ".join((fact.name, *fact.about, str(fact.least))) for fact, so in truths if so])

    def _tries(self, chance: _Stream) -> Iterator[Try]:
        asked = self._play.asked()
        for _ in range(OF_CHOICES if asked else 0):
            question = chance.pick(asked)
            order = self._changed(chance.pick(question.samples()), chance)
            yield Try(question.faction if chance.draw(4) else chance.pick(self._factions), order)
        entry = int(chance.name)
        near = [each for orders in self._log[max(0, entry - NEAR) : entry + NEAR] for each in orders]
        for number in range(FROM_LOG if self._all else 0):
            faction, order = chance.pick(near if near and number % 2 else self._all)
            yield Try(faction if chance.draw(4) else chance.pick(self._factions), order)
        of_phase = self._of_phase.get(self._play.state.phase) or self._pool
        for number in range(OF_POOL):
            yield Try(chance.pick(self._factions), chance.pick(of_phase if number % 4 else self._pool))

    def _changed(self, order: Order, chance: _Stream) -> Order:
        """Return the order with one field copied from another order, if they have a field in common."""
        fields = cast(dict[str, Any], msgspec.to_builtins(order))
        other = cast(dict[str, Any], msgspec.to_builtins(chance.pick(self._pool)))
        alike = [name for name in fields if name != "type" and name in other]
        if not alike:
            numbers = [name for name, value in fields.items() if type(value) is int]
            if not numbers:
                return order
            changed = {**fields, (name := chance.pick(numbers)): max(0, fields[name] + chance.draw(5) - 2)}
        else:
            changed = {**fields, (name := chance.pick(alike)): other[name]}
        try:
            return msgspec.convert(changed, type(order))
        except msgspec.ValidationError:
            return order


class _Stream:
    """A source of random numbers that depends only on a name."""

    def __init__(self, name: str) -> None:
        self.name = name
        self._state = zlib.crc32(name.encode())

    def draw(self, size: int) -> int:
        self._state = (self._state * 6364136223846793005 + 1442695040888963407) % 2**64
        return (self._state >> 33) % size

    def pick(self, things: Sequence[T]) -> T:
        return things[self.draw(len(things))]


def told(play: Play, tried: Try) -> str:
    """Return the outcome of an order with its refusal and warnings, and the refusal that it would get if filed for
    later."""
    outcome = play.check(tried.faction, tried.order)
    said: str = outcome.status
    if refusal := outcome.refusal:
        said = f"{said}: {refusal.reason} [{refusal.topic} {refusal.clause}]"
    for warning in outcome.warnings:
        said = f"{said}; {warning.reason} [{warning.topic}]"
    if never := never_legal(play.game, tried.faction, tried.order):
        said = f"{said}; never: {never.reason} [{never.topic}]"
    return said


def pool_of(orders: Sequence[bytes]) -> list[Order]:
    """Parse orders from their JSON."""
    return [_any_order.decode(order) for order in orders]


def _views(play: Play, factions: Sequence[Faction]) -> Sections:
    seen = views(play, ("public", *factions, "gm"))
    alike = _parts(seen["public"])
    found = {f"public: {name}": text for name, text in alike.items()}
    viewers: list[Viewer] = [*factions, "gm"]
    for viewer in viewers:
        own = _parts(seen[viewer])
        found |= {f"{viewer}: {name}": text for name, text in own.items() if text != _alike(found, viewer, name)}
        found |= {f"{viewer}: {name}": b'"not shown"' for name in alike if name not in own}
    return found


def _alike(found: Sections, viewer: Viewer, name: str) -> bytes | None:
    """Return the text that this viewer already knows: the public one or, for the game master, the player's."""
    owner = name.partition("'s ")[0]
    own = found.get(f"{owner}: {name}") if viewer == "gm" else None
    return own or found.get(f"public: {name}")


def _parts(view: Mapping[str, Any]) -> Sections:
    parts = {name: _as_it_is.encode(part) for name, part in view.items() if name != "players"}
    for faction, player in view["players"].items():
        parts |= {f"{faction}'s {name}": _as_it_is.encode(part) for name, part in player.items()}
    return parts


def _questions(play: Play) -> Sections:
    answered = {question.key: orders for question, orders in play.answered()}
    found: Sections = {}
    for question in play.asked():
        name = f"asked {question.kind} of {question.faction}" + (f" ({question.subject})" if question.subject else "")
        found[f"{name}: default"] = _as_it_is.encode(question.default)
        found[f"{name}: choices"] = _choices(question)
        found[f"{name}: facts"] = _as_it_is.encode(question.facts)
        traits = ("public", "blanket", "many", "beside", "waived", "forgiven", "at_once", "leads_on")
        true = [trait for trait in traits if getattr(question, trait)]
        found[f"{name}: how"] = _as_it_is.encode([play.number_of(question), *true, answered.get(question.key)])
    return found


def _choices(question: Question) -> bytes:
    choices = list(question.samples())
    text = _as_it_is.encode(choices)
    if len(text) <= LONGEST:
        return text
    digest = hashlib.sha256(text).hexdigest()[:12]
    return _as_it_is.encode({"number": len(choices), "first": choices[:2], "last": choices[-1], "digest": digest})


def _facts(asked: Mapping[FactName, str], factions: Sequence[Faction]) -> Iterator[PublicFact]:
    places: Mapping[str, Sequence[str]] = {"f": factions, "s": STRONGHOLDS, "t": tuple(TERRITORIES), "c": PLAYED}
    for name, about in asked.items():
        words: list[tuple[str, ...]] = [()]
        for sort in about:
            words = [(*before, word) for before in words for word in places[sort]]
        yield from (PublicFact(name, each) for each in words)
