"""Charts as they should be drawn, from figures made by hand: ``golden_charts/``, an element a line.

``python -m tests.archive.golden_charts`` writes them anew when the drawing was changed on purpose: look at them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from pathlib import Path

from bot.archive import html
from bot.archive.figures import Figures, FoughtBattle, Sale, Standing, StormMove
from bot.archive.html import Bar, BarPart, Canvas, Panel, Series, ShareRange, Span
from bot.archive.plots import Plot, game_plots
from tests.archive.finished import finished

GOLDEN = Path(__file__).parent / "golden_charts"
TURNS = [str(turn) for turn in range(1, 13)]
LINES = [
    Series("A", "c-a", 0, [0, 3, None, 7]), Series("G", "c-g", 1, [2, 3, 3, 7]), Series("E", "c-e", 2, [None, 4]),
    Series("F", "c-f", 3, [None, None]), Series("H", "c-h", 7, [7]),
]  # fmt: skip
PANELS = [Panel("Atreides", "c-a", [[3, 2, 0], [1, 4, 2]]), Panel("Guild", "c-g", [[9, 0, 1]]), Panel("E", "c-e", [])]
ROWS = [Bar("sand", [BarPart("A 30", "c-a", 30), BarPart("G 2", "c-g", 2), BarPart("", "c-e", 3)], "35"),
        Bar("cards", [BarPart("E 4", "c-e", 4), BarPart("F", "c-f", 0)], "4")]  # fmt: skip
RANGES = [ShareRange("Guild", 0.2, 0.5, 0.75, "c-g", "3 of 6"), ShareRange("Emperor", 0, 0, 0.3, "c-e", "0 of 6")]
MARKS = [
    (
        "turn 1",
        [
            BarPart("A", "c-a", 5),
            BarPart("G", "c-g", 5),
            BarPart("K", "c-e", 0),
            BarPart("F", "c-f", 6),
            BarPart("H", "c", 9),
        ],
    ),
    ("turn 2", []),
    ("turn 3", [BarPart("E", "c-e", 23)]),
]
FACING = [
    ("Carthag", BarPart("G 12", "c-g", 12), BarPart("E 3", "c-e", 3), "left"),
    ("Arrakeen", BarPart("A 4", "c-a", 4), BarPart("E 9", "c-e", 9), "right"),
    ("Arsunt", BarPart("A", "c-a", 0), BarPart("F", "c-f", 2), ""),
]
SPANS = [("G", [Span(0, 3, "+ A F", "c-g"), Span(4, 4.1, "+ E", "c-g")], "4 days"), ("E", [], "")]


def _chart(draw: Callable[[Canvas], float]) -> str:
    canvas = Canvas()
    height = draw(canvas)
    return str(canvas.done("chart", "A <chart>", "What it shows.", height))


def _figures(policy: bool) -> Figures:
    figures = Figures(finished())
    first, second, third, *_ = figures.factions
    figures.everything, figures.turns, figures.winners = policy, 3, (first, second)
    figures.held = {1: {first: 2}, 2: {first: 1, second: 3}, 3: {third: 1}}
    figures.alliances = {1: (), 2: ((first, second),), 3: ((first, second, third),)}
    behind = 5 if policy else None
    figures.standing = {
        turn: {one: Standing(turn + at, turn, behind, behind) for at, one in enumerate(figures.factions)}
        for turn in (1, 2, 3)
    }
    figures.income = {one: Counter({"collected": at, "others": 2 * at}) for at, one in enumerate(figures.factions)}
    figures.sales = [
        Sale(1, 1, first, 3, False, "Shield"), Sale(1, 2, second, 3, False, "Lasgun"),
        Sale(3, 1, first, 0, True, "Karama"),
    ]  # fmt: skip
    figures.unsold = Counter({2: 1})
    figures.battles = [
        FoughtBattle(1, "carthag", (first, second), {first: 3.5, second: 2}, {first: 8.5, second: 2}, first, "strength",
               {first: 3, second: 5}, ("Stilgar",)),
        FoughtBattle(2, "arrakeen", (second, third), {}, {}, None, "explosion", {second: 1}),
        FoughtBattle(3, "arsunt", (third, first), {third: 1, first: 1}, {}, third, "treachery"),
    ]  # fmt: skip
    figures.storms = [
        StormMove(1, 18, 3, 3, {}, 0), StormMove(2, 3, 3, 0, {}, 0), StormMove(3, 3, 9, 6, {first: 2, third: 1}, 8),
    ]  # fmt: skip
    return figures


def _told(plot: Plot) -> str:
    table = "\n".join(" | ".join(row) for row in (plot.head, *plot.rows))
    return f"{plot.title}\n{plot.about}\n{plot.drawing}\n{plot.caption}\n{table}\n{sorted(plot.numeric)}\n{plot.note}"


CHARTS: Mapping[str, Callable[[], str]] = {
    "lines": lambda: _chart(lambda canvas: html.draw_lines(canvas, TURNS[:4], LINES)),
    "steps": lambda: _chart(
        lambda canvas: html.draw_lines(canvas, TURNS, LINES, [(3, "alone"), (9, "both")], steps=True, beside=2.4)
    ),
    "panels": lambda: _chart(lambda canvas: html.draw_panels(canvas, PANELS, ["board", "reserve", "tanks"], TURNS[:2])),
    "rows": lambda: _chart(lambda canvas: html.draw_bars(canvas, ROWS)),
    "ranges": lambda: _chart(lambda canvas: html.draw_ranges(canvas, RANGES)),
    "marks": lambda: _chart(lambda canvas: html.draw_marks(canvas, MARKS, "spice")),
    "facing": lambda: _chart(lambda canvas: html.draw_facing_bars(canvas, FACING)),
    "spans": lambda: _chart(lambda canvas: html.draw_spans(canvas, SPANS, [(0.5, "1"), (2.5, "3")], 5, 40)),
    "nothing": lambda: (
        _chart(lambda canvas: html.draw_bars(canvas, [])) + _chart(lambda canvas: html.draw_marks(canvas, [], ""))
    ),
    "game": lambda: "\n".join(map(_told, game_plots(_figures(True)))),
    "game-with-its-secrets-kept": lambda: "\n".join(map(_told, game_plots(_figures(False)))),
}


def as_file(name: str) -> str:
    """A chart as it lies in a file."""
    return CHARTS[name]().replace("><", ">\n<") + "\n"


if __name__ == "__main__":
    GOLDEN.mkdir(exist_ok=True)
    for chart in CHARTS:
        (GOLDEN / f"{chart}.txt").write_text(as_file(chart), encoding="utf-8")
