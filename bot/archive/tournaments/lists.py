"""`tournaments.html`: every tournament of the archive, the latest first."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date

import msgspec

from bot.archive.html import Cell, Table, document
from bot.archive.pages.words import day
from bot.archive.rendering import Link, Page
from bot.competition.published import Published, TournamentState
from bot.competition.settings import read
from bot.wording.sentences import say

TOURNAMENTS = "tournaments.html"


class Summary(msgspec.Struct, frozen=True, kw_only=True):
    """A tournament in a line. ``first`` is how its first is called, once it is over."""

    id: str
    title: str
    state: TournamentState
    entrants: int
    first: str = ""
    began: date | None = None
    ended: date | None = None


def summary_of(published: Published) -> Summary:
    """What the list says of a tournament."""
    names = {one.handle: one.name for one in published.entrants}
    best = published.standings[0].entrant if published.state == "finished" and published.standings else ""
    days = [one.day for one in published.results if one.day]
    opened = [one.opens for one in published.rounds if one.opens]
    return Summary(
        id=published.tournament,
        title=read(published.settings).title,
        state=published.state,
        entrants=len(published.entrants),
        first=say("tournaments.who", handle=best, name=names.get(best, "")) if best else "",
        began=min(opened, default=None),
        ended=max(days, default=None) if published.state == "finished" else None,
    )


def encode(summary: Summary) -> bytes:
    """The summary as JSON, the same bytes each time."""
    return msgspec.json.encode(summary, order="deterministic")


def decode(data: bytes | msgspec.Raw) -> Summary:
    """The summary from its JSON."""
    return msgspec.json.decode(data, type=Summary)


def tournaments_page(known: Sequence[Summary]) -> bytes:
    """The list of all tournaments."""
    latest = sorted(known, key=lambda one: one.id)
    latest.sort(key=lambda one: one.ended or one.began or date.min, reverse=True)
    latest.sort(key=lambda one: one.state in ("finished", "cancelled"))
    rows: list[Sequence[Cell]] = [
        (
            Link(one.title, f"tournament/{one.id}/index.html"),
            _state(one),
            str(one.entrants),
        )
        for one in latest
    ]
    head = [say(f"tournaments.head.{name}") for name in ("tournament", "state", "entrants")]
    page = Page(
        title=say("tournaments.list-title"),
        heading=say("tournaments.all"),
        below=say("tournaments.list-below", tournaments=len(latest)),
        way=[Link(say("page.games"), "index.html")],
    )
    return document(page, [Table(say("tournaments.list-caption"), head, rows, frozenset({2}))])


def _state(one: Summary) -> str:
    if one.state == "finished":
        return say("tournaments.list-finished", first=one.first, ended=day(one.ended) if one.ended else "")
    return say(f"tournaments.in-list.{one.state}")
