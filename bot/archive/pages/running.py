"""The list of the games under way, of those whose policy shows them."""

from __future__ import annotations

from collections.abc import Sequence

from bot.archive.html import Laid, List, Table, document
from bot.archive.pages.turns import Told
from bot.archive.rendering import Link, Page
from bot.reports.digest import held_at_end
from bot.reports.document import Paragraph
from bot.reports.story import phase_name
from bot.wording.sentences import say


def running_page(games: Sequence[Told]) -> bytes:
    """`running.html`: each game with its turn and phase, and who holds which strongholds."""
    page = Page(
        say("archive.running-title"), say("archive.under-way"), "", say("archive.running-below"),
        [Link(say("archive.games"), "index.html")], unlisted=True,
    )  # fmt: skip
    head = tuple(say(f"archive.running-{column}") for column in ("game", "where", "held"))
    rows = [(Link(told.id, f"game/{told.id}/index.html"), _where(told), _held(told)) for told in games]
    blocks: list[Laid] = [Table(say("archive.under-way"), head, rows)] if rows else []
    return document(page, blocks or [Paragraph(say("archive.running-none"))])


def _where(told: Told) -> str:
    last = told.turns[-1]
    phase = phase_name(last.views["public"]["phase"])
    return say("archive.running-at", turn=last.number, phase=phase, ruleset=told.rules.name)


def _held(told: Told) -> str:
    held: dict[str, list[str]] = {}
    for place, holders in held_at_end(told.position(told.turns[-1])).items():
        for faction in holders:
            held.setdefault(faction, []).append(place)
    told_of = [say("archive.running-holds", faction=faction, places=places) for faction, places in held.items()]
    return "; ".join(told_of) or say("own.none")


def index_page(finished: Sequence[str], running: bool) -> bytes:
    """`index.html` of the archive: a link to each game that is over."""
    page = Page(say("archive.games"), say("archive.games"))
    links = [Link(game, f"game/{game}/index.html") for game in sorted(finished)]
    if running:
        links.append(Link(say("archive.under-way"), "running.html"))
    return document(page, [List(links, "doors")])
