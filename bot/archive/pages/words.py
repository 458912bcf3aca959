"""What the plain pages of a game share: their addresses, their frame, days in words."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date

from bot.archive.pages.turns import Told
from bot.archive.rendering import Link, Page
from bot.wording.sentences import say

ROOT = "../../"
"""From the folder of a game to that of the archive."""
LONGEST_NAME = 60
"""A name is shown to this length."""


def turn_file(number: int) -> str:
    """Where a turn is told: `turn-05.html`."""
    return f"turn-{number:02}.html"


def page_of(
    told: Told, *, heading: str, title: str = "", below: str = "", before: Link | None = None,
    after: Link | None = None, kind: str = "",
) -> Page:  # fmt: skip
    """The frame of a page below the index of its game."""
    title = title or say("page.page-title", heading=heading, game=told.id, ruleset=told.rules.name)
    way = [*ways_to(told), Link(told.id, "index.html")]
    return Page(title, heading, ROOT, below, way, before, after, unlisted=not told.finished, kind=kind)


def ways_to(told: Told) -> Sequence[Link]:
    """The pages above the index of a game: the list in which it stands, and its tournament."""
    games = Link(say("page.games"), f"{ROOT}index.html")
    ways = [games] if told.finished else [Link(say("page.under-way"), f"{ROOT}running.html")]
    if told.place is not None:
        words = say("tournaments.way", title=told.place.title, round=told.place.round)
        table = f"round-{told.place.round}.html#table-{told.place.table}"
        ways.append(Link(words, f"{ROOT}tournament/{told.place.tournament}/{table}"))
    return ways


def shown(name: str) -> str:
    """A player's name on one line, cut where it is longer than names are."""
    words = " ".join(name.split())
    return words if len(words) <= LONGEST_NAME else f"{words[: LONGEST_NAME - 1]}…"


def day(when: date) -> str:
    """A day with its year: "22 November 2026"."""
    return say("page.day", day=when.day, month=when.month, year=when.year)
