"""Tables in columns of letters of one width, for forums that have no tables."""

from __future__ import annotations

from collections.abc import Callable, Container, Sequence

from bot.reports.document import Grid
from bot.reports.forum.harmless import pieces

GAP = "  "
NARROWEST = 6  # a column is made no narrower than this to let the others fit


def in_columns(grid: Grid, words: Callable[[str], str], width: int) -> list[str]:
    """The table in lines of at most ``width``, each cell written by ``words``; what is too wide for its column goes on
    in the next line.

    >>> in_columns(Grid(("", "Dial"), (("Guild", "4"), ("Emperor", "12")), frozenset({1})), str, 20)
    ['         Dial', 'Guild       4', 'Emperor    12']
    """
    table = [list(map(words, row)) for row in ((grid.head,) if any(grid.head) else ()) + grid.rows]
    wide = _widths(table, width)
    below = [*[""] * (len(table) - len(grid.rows)), *map(words, grid.below or [""] * len(grid.rows))]
    found: list[str] = []
    for row, under in zip(table, below, strict=True):
        found += _row(row, wide, grid.numeric)
        found += [GAP + piece for piece in pieces(under, width - len(GAP)) if under]
    return found


def _widths(rows: Sequence[Sequence[str]], width: int) -> list[int]:
    """As wide as the widest cell; where that is too much, the widest column gives way first."""
    wide = [max((len(row[column]) for row in rows), default=0) for column in range(len(rows[0]) if rows else 0)]
    room = width - len(GAP) * (len(wide) - 1)
    while sum(wide) > room and max(wide) > NARROWEST:
        wide[wide.index(max(wide))] -= 1
    return wide


def _row(row: Sequence[str], wide: Sequence[int], numeric: Container[int]) -> list[str]:
    cells = [pieces(cell, wide[column] or 1) for column, cell in enumerate(row)]
    lines = []
    for number in range(max(map(len, cells), default=0)):
        parts = [cell[number] if number < len(cell) else "" for cell in cells]
        set_out = [
            f"{part:>{wide[column]}}" if column in numeric else f"{part:{wide[column]}}"
            for column, part in enumerate(parts)
        ]
        lines.append(GAP.join(set_out).rstrip())
    return lines
