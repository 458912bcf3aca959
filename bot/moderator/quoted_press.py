"""Words of a private report in press to all: held back once, with a warning.

By mail it is easy to quote more than was meant. Players may tell what they like of their own, so they are only asked
whether they mean it: the same press sent once more goes out, as it does with `send anyway`. What two players write to
each other is the affair of those two.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterable, Iterator

from bot.press.deciding import Granted
from bot.reports import position as seen
from bot.reports.given import Position
from bot.reports.news import sentence
from bot.table.table import Table
from bot.wording.sentences import say
from rules.components import Faction
from rules.state.events import Event

PRIVATE_ROWS = ("own.spice", "own.cards", "own.traitors", "own.captives", "own.prediction", "own.marker")
LEAST_WORDS = 2
"""A single word of a report ("none") quotes nothing."""


def held_back(table: Table, faction: Faction, press: Granted, private: Callable[[], Iterable[str]]) -> str:
    """Why this press of a faction is not passed on yet; empty if it is: it goes to some only, quotes nothing private,
    or has been sent once more. ``private`` gives the lines that stand in this faction's reports alone."""
    seat = table.seats[faction]
    if len({*press.readers, faction}) < len(table.seats):
        return ""
    line = quoted(press.words, private())
    name = hashlib.sha256(" ".join(press.words.split()).encode()).hexdigest()[:16]
    again = seat.warned == name
    if not line and not seat.warned:
        return ""
    seat.warned = name if line and not again else ""
    table.touched.add(faction)
    if not line or again:
        return ""
    return say("press-to.private", line=line)


def private_lines(position: Position, faction: Faction, happened: Iterable[Event]) -> Iterator[str]:
    """What stands in the reports of this faction, and in those of nobody else or of few. ``happened`` are the latest
    events of the game."""
    labels = {say(row) for row in PRIVATE_ROWS}
    for row in seen.own(position).rows:
        if row.label in labels:
            yield f"{row.label} {' '.join(row.lines)}"
    for event in happened:
        if event.visible_to(faction):
            told = sentence(event.kind, event.facts, event.told_to(faction))
            if not event.visible_to("public") or told != sentence(event.kind, event.facts):
                yield told


def quoted(text: str, lines: Iterable[str]) -> str:
    """The first of these lines whose words stand in the text, in their order, whatever stands between the words."""
    words = f" {_plain(text)} "
    return next((line for line in lines if _long(_plain(line)) and f" {_plain(line)} " in words), "")


def _long(plain: str) -> bool:
    return plain.count(" ") + 1 >= LEAST_WORDS


def _plain(text: str) -> str:
    """The words alone, in small letters."""
    return " ".join(re.findall(r"\w+", text.casefold()))
