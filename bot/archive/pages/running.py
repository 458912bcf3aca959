"""The list of the games under way, of those whose policy shows them."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from bot.archive.html import Table, document
from bot.archive.pages.turns import Told
from bot.archive.rendering import Link, Page
from bot.reports.digest import held_at_end
from bot.reports.story import phase_name
from bot.wording.sentences import say
from bot.wording.spoken import speaking


class Row(msgspec.Struct, frozen=True):
    """A game under way in the list: where it stands, and who holds which strongholds."""

    game: str
    where: str
    held: str


def row_of(told: Told) -> Row:
    """Its line in the list."""
    with speaking(told.rules.edition):
        return Row(told.id, _where(told), _held(told))


def running_page(games: Sequence[Row]) -> bytes:
    """`running.html`: the games under way."""
    page = Page(
        say("page.running-title"), say("page.under-way"), "", say("page.running-below"),
        [Link(say("page.games"), "index.html")], unlisted=True,
    )  # fmt: skip
    head = tuple(say(f"page.running-{column}") for column in ("game", "where", "held"))
    rows = [(Link(row.game, f"game/{row.game}/index.html"), row.where, row.held) for row in games]
    return document(page, [Table(say("page.under-way"), head, rows)])


def _where(told: Told) -> str:
    last = told.turns[-1]
    phase = phase_name(last.views["public"]["phase"])
    return say("page.running-at", turn=last.number, phase=phase, ruleset=told.rules.name)


def _held(told: Told) -> str:
    held: dict[str, list[str]] = {}
    for place, holders in held_at_end(told.position(told.turns[-1])).items():
        for faction in holders:
            held.setdefault(faction, []).append(place)
    told_of = [say("page.running-holds", faction=faction, places=places) for faction, places in held.items()]
    return "; ".join(told_of) or say("own.none")
