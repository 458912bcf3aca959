"""Small drawings as SVG: lines and steps, columns and bars in parts, marks, bars that face each other, spans of time.

A drawing is 440 units wide, so that its letters can be read on a phone and are not too large on paper. What a colour
means is written beside it: a line has its letter at its end, a part of a bar its letter or number within. Colours are
classes (`c-a` for Atreides), which the page's style fills for light, dark and paper; dashes differ as well.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from markupsafe import Markup, escape

WIDTH = 440.0
GAP = 13.0  # what two labels above each other need
LETTER = 6.6  # how wide a sign of a label is, at most
DASHES = ("", "7 3", "2 3", "9 3 2 3", "4 2", "12 4")

Anchor = Literal["start", "middle", "end"]


@dataclass(frozen=True, slots=True)
class Series:
    """A line over the turns: its ``label``, the class of its ``colour``, its number among the lines (which dashes it
    has) and its values; None where there is none."""

    label: str
    colour: str
    number: int
    values: Sequence[float | None]


@dataclass(frozen=True, slots=True)
class Part:
    """A part of a bar: what is written in it, its colour, its size."""

    label: str
    colour: str
    size: float


@dataclass(frozen=True, slots=True)
class Row:
    """A bar in parts, lying, under its label."""

    label: str
    parts: Sequence[Part]
    after: str = ""


@dataclass(frozen=True, slots=True)
class Panel:
    """Standing bars in parts, one for each turn; ``parts`` are named once, beside the last bar."""

    title: str
    colour: str
    bars: Sequence[Sequence[float]]


@dataclass(frozen=True, slots=True)
class Span:
    """What lasts from one place of the axis to another, with a word in it."""

    start: float
    end: float
    label: str
    colour: str


@dataclass(frozen=True, slots=True)
class Range:
    """A ``share`` of 1, the lowest and the highest that it may truly be, and a word ``after`` it."""

    label: str
    low: float
    share: float
    high: float
    colour: str
    after: str


def apart(wanted: Sequence[float], gap: float, low: float, high: float) -> list[float]:
    """Places for labels as near as they can be to where they want to stand, ``gap`` from each other and within the
    limits, as far as there is room.

    >>> apart([10, 12, 50], 10, 0, 100), apart([99, 100], 10, 0, 100)
    ([10, 20, 50], [90, 100])
    """
    order = sorted(range(len(wanted)), key=lambda index: (wanted[index], index))
    places = list(wanted)
    floor = low
    for index in order:
        places[index] = max(wanted[index], floor)
        floor = places[index] + gap
    ceiling = high
    for index in reversed(order):
        places[index] = min(places[index], ceiling)
        ceiling = places[index] - gap
    return places


def ticks(most: float, wanted: int = 5) -> list[float]:
    """Round numbers from 0 up to the first that is not below ``most``.

    >>> ticks(17), ticks(3)
    ([0, 5, 10, 15, 20], [0, 1, 2, 3])
    """
    step = next(
        (size * 10**power for power in range(6) for size in (1, 2, 5) if size * 10**power * wanted >= most), 10**6
    )
    return [step * count for count in range(int(-(-max(most, 1) // step)) + 1)]


class Canvas:
    """Collects the shapes of one drawing."""

    def __init__(self) -> None:
        self._shapes: list[str] = []

    def line(self, x: float, y: float, to_x: float, to_y: float, kind: str = "rule") -> None:
        self._shapes.append(f'<path class="{kind}" d="M{_n(x)} {_n(y)}L{_n(to_x)} {_n(to_y)}"/>')

    def path(self, points: Sequence[tuple[float, float]], colour: str, dashes: str) -> None:
        data = "L".join(f"{_n(x)} {_n(y)}" for x, y in points)
        dashed = f' stroke-dasharray="{dashes}"' if dashes else ""
        self._shapes.append(f'<path class="line {colour}" d="M{data}"{dashed}/>')

    def box(self, x: float, y: float, width: float, height: float, colour: str) -> None:
        size = f'width="{_n(max(width, 0))}" height="{_n(max(height, 0))}"'
        self._shapes.append(f'<rect class="{colour}" x="{_n(x)}" y="{_n(y)}" {size}/>')

    def disc(self, x: float, y: float, size: float, colour: str) -> None:
        self._shapes.append(f'<circle class="{colour}" cx="{_n(x)}" cy="{_n(y)}" r="{_n(size)}"/>')

    def words(self, x: float, y: float, text: str, kind: str = "", anchor: Anchor = "start") -> None:
        """A text whose line stands ``y`` in its middle."""
        where = "" if anchor == "start" else f' text-anchor="{anchor}"'
        named = f' class="{kind}"' if kind else ""
        self._shapes.append(f'<text x="{_n(x)}" y="{_n(y + 4)}"{named}{where}>{escape(text)}</text>')

    def put_below(self, other: Canvas) -> None:
        """What another drawing holds, below what this one has."""
        self._shapes = other._shapes + self._shapes

    def done(self, name: str, title: str, description: str, height: float) -> Markup:
        """The drawing, with what it shows said for those who do not see it."""
        return Markup(
            '<svg class="plot" role="img" aria-labelledby="{0}-title {0}-about" viewBox="0 0 {1} {2}">'
            '<title id="{0}-title">{3}</title><desc id="{0}-about">{4}</desc>{5}</svg>'
        ).format(name, _n(WIDTH), _n(height), title, description, Markup("".join(self._shapes)))


def lines(
    canvas: Canvas, places: Sequence[str], series: Sequence[Series], levels: Iterable[tuple[float, str]] = (), *,
    steps: bool = False, beside: float = 0.0,
) -> float:  # fmt: skip
    """Lines over the turns, or ``steps`` that keep their height for a turn; ``levels`` are lines across with words.
    Lines that would lie on each other stand ``beside`` each other by so much. Gives the height."""
    levels = tuple(levels)
    left, right, top, bottom = 26.0, WIDTH - 34, 12.0, 196.0
    most = max([value for one in series for value in one.values if value is not None] + [at for at, _ in levels] + [1])
    marks = ticks(most)
    span = (right - left) / (len(places) if steps else max(len(places) - 1, 1))

    def height(value: float) -> float:
        return bottom - (bottom - top - 6) * value / marks[-1]

    for mark in marks:
        canvas.line(left, height(mark), right, height(mark))
        canvas.words(left - 6, height(mark), _n(mark), "quiet", "end")
    for number, place in enumerate(places):
        if len(places) <= 10 or number % 2 == 0:
            middle = left + span * (number + (0.5 if steps else 0))
            canvas.words(middle, bottom + 14, place, "quiet", "middle")
    for level, said in levels:
        canvas.line(left, height(level), right, height(level), "level")
        canvas.words(left + 4, height(level) - 8, said, "quiet")
    ends: list[tuple[float, float, Series]] = []
    for one in series:
        shift = beside * (one.number - (len(series) - 1) / 2)
        points: list[tuple[float, float]] = []
        for number, value in enumerate(one.values):
            if value is None:
                continue
            y, x = height(value) - shift, left + span * number + (shift * 0.8 if steps else 0)
            points += [(x, y), (x + span, y)] if steps else [(x, y)]
        if points:
            points = points if len(points) > 1 else [points[0], (points[0][0] + 1, points[0][1])]
            canvas.path(points, one.colour, DASHES[one.number % len(DASHES)])
            ends.append((*points[-1], one))
    places_of_labels = apart([y for _, y, _ in ends], GAP, top, bottom)
    for (x, y, one), label in zip(ends, places_of_labels, strict=True):
        canvas.line(x, y, right + 12, label, "lead")
        canvas.words(right + 15, label, one.label, f"name t-{one.colour}")
    return bottom + 26


def panels(canvas: Canvas, made: Sequence[Panel], names: Sequence[str], places: Sequence[str]) -> float:
    """Two rows of panels beside each other, each with standing bars in parts. Gives the height."""
    most = ticks(max([sum(bar) for panel in made for bar in panel.bars] + [1]), 4)[-1]
    wide, tall, gap, names_wide = (WIDTH - 16) / 2, 84.0, 40.0, 52.0
    for number, panel in enumerate(made):
        left, top = (wide + 16) * (number % 2) + 18, 20 + (tall + gap) * (number // 2)
        base, room = top + tall, wide - names_wide - 18
        canvas.words(left - 18, top - 10, panel.title, f"name t-{panel.colour}")
        for value in (0.0, most / 2, most):
            canvas.line(left, base - tall * value / most, left + room, base - tall * value / most)
            canvas.words(left - 4, base - tall * value / most, _n(value), "quiet", "end")
        each = room / max(len(panel.bars), 1)
        ends: list[tuple[float, str]] = []
        for turn, bar in enumerate(panel.bars):
            foot = base
            for kind, size in enumerate(bar):
                grown = tall * size / most
                canvas.box(left + each * turn + 1, foot - grown, each - 2, grown, f"{panel.colour} part-{kind}")
                if turn == len(panel.bars) - 1 and size:
                    ends.append((foot - grown / 2, names[kind]))
                foot -= grown
        for (_, name), place in zip(ends, apart([y for y, _ in ends], GAP, top, base), strict=True):
            canvas.words(left + room + 4, place, name, "small")
        canvas.words(left + each / 2, base + 11, places[0], "quiet", "middle")
        if len(panel.bars) > 1:
            canvas.words(left + each * (len(panel.bars) - 0.5), base + 11, places[-1], "quiet", "middle")
    return 20 + (tall + gap) * -(-len(made) // 2) - 12


def rows(canvas: Canvas, made: Sequence[Row], label_wide: float = 104.0) -> float:
    """Lying bars in parts; a part has its label in it, or the first sign of that, where it is wide enough. Gives the
    height."""
    most = max([sum(part.size for part in row.parts) for row in made] + [1])
    room = WIDTH - label_wide - max([LETTER * len(row.after) + 8 for row in made] + [0])
    for number, row in enumerate(made):
        top = 4 + 26.0 * number
        canvas.words(label_wide - 6, top + 10, row.label, "", "end")
        x = label_wide
        for part in row.parts:
            wide = room * part.size / most
            if wide:
                canvas.box(x, top, max(wide - 1, 0.8), 20, part.colour)
            fitting = [words for words in (part.label, part.label[:1]) if wide >= LETTER * len(words) + 3]
            if part.label and fitting:
                canvas.words(x + wide / 2, top + 10, fitting[0], "within", "middle")
            x += wide
        canvas.words(x + 4, top + 10, row.after, "small")
    return 4 + 26.0 * len(made) + 4


def ranges(canvas: Canvas, made: Sequence[Range]) -> float:
    """For each row a mark for its share, on a bar from the lowest to the highest. Gives the height."""
    left, right, bottom = 118.0, WIDTH - 70, 20 + 26.0 * len(made)
    wide = right - left
    for quarter in range(5):
        x = left + wide * quarter / 4
        canvas.line(x, 18, x, bottom)
        canvas.words(x, 8, f"{25 * quarter} %", "quiet", "middle")
    for number, row in enumerate(made):
        middle = 33 + 26.0 * number
        canvas.words(left - 8, middle, row.label, "", "end")
        canvas.box(left + wide * row.low, middle - 5, wide * (row.high - row.low), 10, f"{row.colour} part-1")
        canvas.disc(left + wide * row.share, middle, 6, row.colour)
        canvas.words(right + 12, middle, row.after, "small")
    return bottom + 6


def marks(canvas: Canvas, made: Sequence[tuple[str, Sequence[Part]]], unit: str) -> float:
    """For each row a mark for each part where its size stands on the axis; marks of one place stand above each other.
    Gives the height."""
    scale = ticks(max([part.size for _, parts in made for part in parts] + [1]), 8)
    left, right, top = 62.0, WIDTH - 14, 20.0
    each = (right - left) / scale[-1]
    y = top
    for label, parts in made:
        stacks: list[list[float]] = []
        placed: list[tuple[float, int, Part]] = []
        for part in sorted(parts, key=lambda part: part.size):
            x = left + each * part.size
            level = next((n for n, row in enumerate(stacks) if x - row[-1] >= 15), len(stacks))
            if level == len(stacks):
                stacks.append([])
            stacks[level].append(x)
            placed.append((x, level, part))
        tall = 15.0 * max(len(stacks), 1) + 6
        canvas.words(left - 12, y + tall / 2, label, "", "end")
        for x, level, part in placed:
            middle = y + tall - 10.5 - 15 * level
            canvas.disc(x, middle, 7, part.colour)
            canvas.words(x, middle, part.label, "within letter", "middle")
        y += tall
        canvas.line(left - 8, y, right, y)
    grid = Canvas()
    for value in scale:
        grid.line(left + each * value, top - 4, left + each * value, y)
        grid.words(left + each * value, top - 12, _n(value), "quiet", "middle")
    grid.words(left - 12, top - 12, unit, "quiet", "end")
    canvas.put_below(grid)
    return y + 4


def facing(canvas: Canvas, made: Sequence[tuple[str, Part, Part, str]]) -> float:
    """Bars to the left against bars to the right of a line in the middle, under a label; ``won`` is "left", "right" or
    nothing, and the bar of who won is full, that of who lost is not. Gives the height."""
    most = max([part.size for _, one, other, _ in made for part in (one, other)] + [1])
    middle, room, y = WIDTH / 2, WIDTH / 2 - 34, 0.0
    for label, one, other, won in made:
        canvas.words(middle, y + 8, label, "small", "middle")
        for part, way, side in ((one, -1, "left"), (other, 1, "right")):
            wide = room * part.size / most
            kind = part.colour if won in (side, "") else f"{part.colour} part-1"
            canvas.box(middle - wide - 1 if way < 0 else middle + 1, y + 16, wide, 14, kind)
            canvas.words(middle + way * (wide + 5), y + 23, part.label, "name", "end" if way < 0 else "start")
        y += 38
    return y + 2


def spans(
    canvas: Canvas, made: Sequence[tuple[str, Sequence[Span], str]], axis: Sequence[tuple[float, str]], end: float,
    after_wide: float = 0.0, label_wide: float = 62.0,
) -> float:  # fmt: skip
    """Bands along an axis that ends at ``end``: a row with its label, its bands and a word ``after`` it. Gives the
    height."""
    left, right = label_wide, WIDTH - 6 - after_wide
    each = (right - left) / end
    bottom = 18 + 24.0 * len(made)
    for place, said in axis:
        canvas.line(left + each * place, 16, left + each * place, bottom)
        canvas.words(left + each * place, 8, said, "quiet", "middle")
    for number, (label, bands, after) in enumerate(made):
        top = 20 + 24.0 * number
        canvas.words(left - 8, top + 9, label, "", "end")
        for band in bands:
            wide = each * (band.end - band.start)
            canvas.box(left + each * band.start, top, max(wide, 2), 18, band.colour)
            if wide >= LETTER * len(band.label) + 2:
                canvas.words(left + each * (band.start + band.end) / 2, top + 9, band.label, "within", "middle")
        canvas.words(right + 6, top + 9, after, "small")
    return bottom + 6


def _n(number: float) -> str:
    """A number with one place after the point at most."""
    return f"{round(number, 1):g}" if abs(number) < 1e5 else str(round(number))
