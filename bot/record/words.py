"""The words of a deal that was offered are between two players: the record has a digest in their place.

The digest is keyed with a number of the game's own that is never published, so nobody can try words against it. It
stands for the text in the order and in the event of the offer. When the deal is made all can read it: the event has
the text, and its line the digest, so that a reader can put the text back into the log and play that again
(``accepted``, ``restored``). An offer that came to nothing plays with the digest for its words: they decide nothing.
"""

from __future__ import annotations

import hmac
import json
import re
from collections.abc import Iterable, Mapping
from typing import NamedTuple

import msgspec
from msgspec.structs import replace

from bot.record.lines import AnyLine, Told
from rules.components import Faction
from rules.engine.log import Entry, Submitted, Withdrawn
from rules.orders import AnyOrder, Deal
from rules.state.events import Event

KEY_BYTES = 32
"""How long the key of a game is."""
HIDDEN = re.compile(r"words:[0-9a-f]{32}")
"""What stands for words."""


class Made(NamedTuple):
    """The words of a deal that was made, and between whom."""

    giver: Faction
    receiver: Faction
    text: str


class Words:
    """Puts digests in the place of words. ``key`` is the game's own; without one, only those that are ``known`` (the
    words of deals that were made) are hidden, and whatever else a record says stays as it is.

    >>> Words(bytes(32)).hidden("guild", "fremen", "no  attack in turn 4")
    'words:1c184a964d83c770b5a4bcce34d01c99'
    """

    __slots__ = ("_key", "_known")

    def __init__(self, key: bytes | None = None, known: Mapping[str, Made] | None = None) -> None:
        self._key = key
        self._known = {made: digest for digest, made in (known or {}).items()}

    def hidden(self, giver: Faction, receiver: Faction, text: str) -> str:
        """What stands for these words. No words stay none, and what was hidden once stays as it is."""
        text = " ".join(text.split())
        if not text or HIDDEN.fullmatch(text):
            return text
        if found := self._known.get(Made(giver, receiver, text)):
            return found
        if self._key is None:
            return text
        said = json.dumps([giver, receiver, text]).encode()
        return f"words:{hmac.digest(self._key, said, 'sha256').hex()[:32]}"

    def entry(self, entry: Entry) -> Entry:
        """The entry without the words of its offers."""
        if isinstance(entry, Submitted) and any(isinstance(order, Deal) for order in entry.orders):
            return replace(entry, orders=tuple([self._order(entry.faction, order) for order in entry.orders]))
        if isinstance(entry, Withdrawn) and isinstance(entry.order, Deal):
            return replace(entry, order=self._order(entry.faction, entry.order))
        return entry

    def _order(self, giver: Faction, order: AnyOrder) -> AnyOrder:
        if not isinstance(order, Deal):
            return order
        hidden = self.hidden(giver, order.faction, order.text)
        return replace(order, text=hidden) if HIDDEN.fullmatch(hidden) else order

    def told(self, event: Event) -> Told:
        """The line of an event: an offer without its words, a deal that was made with them and their digest."""
        facts = event.facts
        if event.kind == "offer-made" and facts["what"] == "deal":
            hidden = self.hidden(facts["giver"], facts["receiver"], facts["text"])
            return Told(event=replace(event, facts={**facts, "text": hidden}))
        if event.kind == "deal-made":
            giver, receiver = facts["parties"]
            hidden = self.hidden(giver, receiver, facts["text"])
            if HIDDEN.fullmatch(hidden):
                return Told(event=event, words=hidden)
        return Told(event=event)


def accepted(lines: Iterable[AnyLine]) -> dict[str, Made]:
    """The deals of a record that were made, by the digest that stands for their words where they were offered."""
    made = {}
    for line in lines:
        if isinstance(line, Told) and line.words is not msgspec.UNSET:
            giver, receiver = line.event.facts["parties"]
            made[line.words] = Made(giver, receiver, line.event.facts["text"])
    return made


def restored(entry: Entry, made: Mapping[str, Made]) -> Entry:
    """The entry with the words of the deals that were made, as it can be played again."""
    if isinstance(entry, Submitted) and any(isinstance(order, Deal) and order.text in made for order in entry.orders):
        return replace(entry, orders=tuple([_with_words(order, made) for order in entry.orders]))
    if isinstance(entry, Withdrawn) and isinstance(entry.order, Deal):
        return replace(entry, order=_with_words(entry.order, made))
    return entry


def _with_words(order: AnyOrder, made: Mapping[str, Made]) -> AnyOrder:
    return replace(order, text=made[order.text].text) if isinstance(order, Deal) and order.text in made else order
