"""The board of a page: a drawing laid over the shared picture of the ground, and the same as a table."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from markupsafe import Markup

from bot.archive.html import Picture, Table
from bot.archive.rendering import Link
from bot.reports import position as seen
from bot.reports.changes import changes
from bot.reports.given import Position
from bot.reports.ground import SIZE
from bot.reports.picture import Overlay, ground_of_pages, overlay
from bot.wording.filters import name
from bot.wording.sentences import say
from rules.components.board import AREAS, STRONGHOLDS, territory_of

GROUND, GROUND_OPEN = "ground.svg", "ground-open.svg"


def grounds() -> Mapping[str, bytes]:
    """The pictures of the ground that all boards of an archive share: with the Shield Wall, and without it."""
    return {GROUND: ground_of_pages(True).encode(), GROUND_OPEN: ground_of_pages(False).encode()}


@dataclass(frozen=True, slots=True)
class Drawn:
    """A board as it was drawn once for all pages that show it."""

    overlay: Overlay
    says: str
    ground: str


def drawn(position: Position) -> Drawn:
    """The board at the end of a turn with what happened on it."""
    view = position.view
    return Drawn(
        overlay(view, changes(position.news)), seen.board(position).alt, GROUND if view["shield_wall"] else GROUND_OPEN
    )


def picture(
    board: Drawn, root: str, *, legend: bool = True, patterns: bool = True, caption: str | Link = ""
) -> Picture:
    """The board as a figure. One of a page has the ``patterns``; the ``legend`` may be left out of a small one."""
    over = board.overlay
    high = over.height if legend else SIZE
    drawing = Markup('<svg viewBox="0 0 {} {}" font-family="{}" aria-hidden="true" focusable="false">{}</svg>').format(
        SIZE, high, "DejaVu Sans Condensed, Verdana, sans-serif",
        Markup("".join((over.patterns if patterns else "", over.pieces, over.legend if legend else ""))),
    )  # fmt: skip
    return Picture(board.says, drawing, root + board.ground, SIZE, caption)


def board_table(position: Position) -> Table:
    """Where anything stands or lies, the strongholds first: the area, whose tokens, how much spice."""
    view: Mapping[str, Any] = position.view
    standing = {row.label: ", ".join(row.lines) for row in seen.board(position).rows}
    rows = []
    for area in sorted(AREAS, key=lambda area: territory_of(area) not in STRONGHOLDS):
        label, spice = name(area), view["spice"].get(area, 0)
        if label in standing or spice:
            rows.append((label, standing.get(label, ""), str(spice or "")))
    head = tuple(say(f"page.board-{column}") for column in ("area", "who", "spice"))
    return Table(say("page.board-table"), head, rows, frozenset({2}))
