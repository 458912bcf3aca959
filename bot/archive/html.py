"""The elements of pages: blocks as semantic HTML, the templates that render them, and small SVG drawings.

A page is a sequence of blocks (``bot.render.blocks``) with the content and wording of a letter. One Jinja environment
renders all pages and escapes everything. Text written by players (names, words of deals) is always filtered or escaped;
it never reaches a page as HTML.

A drawing is 440 units wide, so that its text is readable on a phone and not too large on paper. Each colour has a label
next to it or inside the coloured part of a bar. Colours are classes (`c-a` for Atreides); the style sheet gives them
values for light screens, dark screens and paper. Where six lines in one drawing would hide each other, each faction
gets its own small drawing, and all of these have the same scale.
"""

from __future__ import annotations

import base64
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, Literal

from jinja2 import Environment
from markupsafe import Markup, escape

from bot import wording
from bot.render.blocks import Block, Link
from bot.render.html import replace_faction_names
from bot.wording import say
from rules.components import Faction

Scripts = Literal["none", "inline", "files"]

_SCRIPTS: Mapping[Scripts, str] = {
    "none": "",
    "inline": "; script-src 'unsafe-inline'",
    "files": "; script-src 'unsafe-inline' 'self' file:",
}
_MARKS = re.compile("[\u202a-\u202e\u2066-\u2069\u200e\u200f\u061c]")
"""Characters that change the writing direction. In a name they could reverse the text around it."""


@dataclass(frozen=True, slots=True)
class Page:
    """The frame of a page: the ``title`` of the window, the only ``heading``, and the line ``below`` it, which names
    the subject to which the page belongs.

    ``root`` is the path to the archive's folder ("../../"). ``way`` lists the pages above this page; ``before`` and
    ``after`` are its neighbours. ``scripts`` sets which scripts the page may run: none, its own, or those in files next
    to it. An ``unlisted`` page (of a running game) asks search engines to leave it out. Each ``kind`` of page may have
    its own style. Previews of links to the page show ``about`` and ``picture``.
    """

    title: str
    heading: str
    root: str = ""
    below: str = ""
    way: Sequence[Link] = ()
    before: Link | None = None
    after: Link | None = None
    scripts: Scripts = "none"
    unlisted: bool = False
    kind: str = ""
    about: str = ""
    picture: str = ""

    @property
    def content_security(self) -> Markup:
        return Markup(
            "default-src 'none'; style-src 'unsafe-inline' 'self' file:; img-src data: 'self' file:; base-uri 'none'; "
            f"form-action 'none'{_SCRIPTS[self.scripts]}"
        )

    @property
    def foot(self) -> str:
        return say("page.foot")


def render(template: str, page: Page, **values: Any) -> bytes:
    text = environment().get_template(template).render(page=page, **values)
    return _EMPTY_LINES.sub("\n", text).encode()


_EMPTY_LINES = re.compile(r"\n\s*\n+")


@cache
def environment() -> Environment:
    made = wording.environment().overlay(autoescape=True, finalize=_without_marks)
    made.filters = made.filters | {"discs": with_discs, "disc": disc}
    made.globals = made.globals | {"say": say}
    return made


def with_discs(text: str) -> Markup:
    return replace_faction_names(_MARKS.sub("", text), _with_name)


def disc(faction: Faction) -> Markup:
    """Return a faction's letter on its colour. It is hidden from screen readers, because the faction's name is next to
    it."""
    letter = faction[0]
    return Markup('<b class="f f-{}" aria-hidden="true">{}</b>').format(letter, letter.upper())


def _with_name(faction: Faction, opens: str, words: str) -> str:
    first, *others = words.split(" ")
    return " ".join([f'<span class="w">{opens}{disc(faction)}&nbsp;{escape(first)}</span>', *map(escape, others)])


def _without_marks(value: Any) -> Any:
    return _MARKS.sub("", value) if type(value) is str else value


def document(page: Page, blocks: Sequence[Block]) -> bytes:
    return render("archive/document.html.j2", page, blocks=blocks)


def alone(page: bytes, files: Mapping[str, bytes]) -> str:
    """Return the page as a self-contained file, with the style and pictures embedded and links to other pages
    removed."""
    style = f"<style>{files['style.css'].decode()}</style>"
    text = re.sub('<link rel="stylesheet"[^>]*>', lambda _: style, page.decode())
    for name, content in files.items():
        inside = f"data:image/svg+xml;base64,{base64.b64encode(content).decode()}"
        text = re.sub(f'src="[./]*{re.escape(name)}"', f'src="{inside}"', text)
    return re.sub(r"<figcaption>.*?</figcaption>|<header>.*?</header>", "", text, flags=re.DOTALL)


STYLE = "archive/style.css"
"""The style sheet of all pages, in ``templates/``. It is copied to `style.css`, next to the archive's index."""


DRAWING_WIDTH = 440.0
LABEL_GAP = 13.0  # vertical distance between labels
LETTER_WIDTH = 6.6  # the widest character of a label

Anchor = Literal["start", "middle", "end"]


@dataclass(frozen=True, slots=True)
class BarPart:
    label: str
    colour: str
    size: float


@dataclass(frozen=True, slots=True)
class Bar:
    label: str
    parts: Sequence[BarPart]
    after: str = ""


@dataclass(frozen=True, slots=True)
class Panel:
    """A small chart with one stacked vertical bar for each turn. The names of the parts are written only once, next to
    the last bar."""

    title: str
    colour: str
    bars: Sequence[Sequence[float]]


@dataclass(frozen=True, slots=True)
class Span:
    start: float
    end: float
    label: str
    colour: str


@dataclass(frozen=True, slots=True)
class ShareRange:
    label: str
    low: float
    share: float
    high: float
    colour: str
    after: str


def spread_labels(wanted: Sequence[float], gap: float, low: float, high: float) -> list[float]:
    """Return positions for labels, each as near as possible to the one ``wanted``. They are at least ``gap`` apart and,
    if there is room, within the limits.

    >>> spread_labels([10, 12, 50], 10, 0, 100), spread_labels([99, 100], 10, 0, 100)
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


def axis_ticks(most: float, wanted: int = 5) -> list[float]:
    """Return round numbers from 0 up to the first that is at least ``most``.

    >>> axis_ticks(17), axis_ticks(3)
    ([0, 5, 10, 15, 20], [0, 1, 2, 3])
    """
    step = next(
        (size * 10**power for power in range(6) for size in (1, 2, 5) if size * 10**power * wanted >= most), 10**6
    )
    return [step * count for count in range(int(-(-max(most, 1) // step)) + 1)]


class Canvas:
    def __init__(self) -> None:
        self._shapes: list[str] = []

    def line(self, x: float, y: float, to_x: float, to_y: float, kind: str = "rule") -> None:
        self._shapes.append(f'<path class="{kind}" d="M{_number(x)} {_number(y)}L{_number(to_x)} {_number(to_y)}"/>')

    def box(self, x: float, y: float, width: float, height: float, colour: str) -> None:
        size = f'width="{_number(max(width, 0))}" height="{_number(max(height, 0))}"'
        self._shapes.append(f'<rect class="{colour}" x="{_number(x)}" y="{_number(y)}" {size}/>')

    def disc(self, x: float, y: float, size: float, colour: str) -> None:
        self._shapes.append(f'<circle class="{colour}" cx="{_number(x)}" cy="{_number(y)}" r="{_number(size)}"/>')

    def words(self, x: float, y: float, text: str, kind: str = "", anchor: Anchor = "start") -> None:
        where = "" if anchor == "start" else f' text-anchor="{anchor}"'
        named = f' class="{kind}"' if kind else ""
        self._shapes.append(f'<text x="{_number(x)}" y="{_number(y + 4)}"{named}{where}>{escape(text)}</text>')

    def put_below(self, other: Canvas) -> None:
        self._shapes = other._shapes + self._shapes

    def done(self, name: str, title: str, description: str, height: float) -> Markup:
        return Markup(
            '<svg class="plot" role="img" aria-labelledby="{0}-title {0}-about" viewBox="0 0 {1} {2}">'
            '<title id="{0}-title">{3}</title><desc id="{0}-about">{4}</desc>{5}</svg>'
        ).format(name, _number(DRAWING_WIDTH), _number(height), title, description, Markup("".join(self._shapes)))


def draw_panels(
    canvas: Canvas, made: Sequence[Panel], names: Sequence[str], places: Sequence[str], level: float = 0
) -> float:
    """Draw the panels in rows of two, each with stacked vertical bars and a line at ``level``. Return the total height.
    If the bars have a single part without a name, the last bar's value is written next to it."""
    ticks = axis_ticks(max([sum(bar) for panel in made for bar in panel.bars] + [1, level]), 4)
    most = ticks[-1]
    wide, tall, gap, names_wide = (DRAWING_WIDTH - 16) / 2, 84.0, 40.0, 52.0 if any(names) else 24.0
    axis = 5 + LETTER_WIDTH * max(len(_number(most)), 2)
    for number, panel in enumerate(made):
        left, top = (wide + 16) * (number % 2) + axis, 20 + (tall + gap) * (number // 2)
        base, room = top + tall, wide - names_wide - axis
        canvas.words(left - axis, top - 10, panel.title, f"name t-{panel.colour}")
        if level:
            canvas.line(left, base - tall * level / most, left + room, base - tall * level / most, "level")
        for value in (0.0, ticks[len(ticks) // 2], most):
            canvas.line(left, base - tall * value / most, left + room, base - tall * value / most)
            canvas.words(left - 4, base - tall * value / most, _number(value), "quiet", "end")
        each = room / max(len(panel.bars), 1)
        ends: list[tuple[float, str]] = []
        for turn, bar in enumerate(panel.bars):
            foot = base
            for kind, size in enumerate(bar):
                grown = tall * size / most
                canvas.box(left + each * turn + 1, foot - grown, each - 2, grown, f"{panel.colour} part-{kind}")
                if turn == len(panel.bars) - 1 and size:
                    ends.append((foot - grown / 2, names[kind] or _number(size)))
                foot -= grown
        for (_, name), place in zip(ends, spread_labels([y for y, _ in ends], LABEL_GAP, top, base), strict=True):
            canvas.words(left + room + 4, place, name, "small")
        canvas.words(left + each / 2, base + 11, places[0], "quiet", "middle")
        if len(panel.bars) > 1:
            canvas.words(left + each * (len(panel.bars) - 0.5), base + 11, places[-1], "quiet", "middle")
    return 20 + (tall + gap) * -(-len(made) // 2) - 12


def draw_bars(canvas: Canvas, made: Sequence[Bar], label_wide: float = 104.0) -> float:
    """Draw stacked horizontal bars and return the total height. Each part shows as much of its label as fits: all of
    it, its first character, or nothing."""
    most = max([sum(part.size for part in row.parts) for row in made] + [1])
    room = DRAWING_WIDTH - label_wide - max([LETTER_WIDTH * len(row.after) + 8 for row in made] + [0])
    for number, row in enumerate(made):
        top = 4 + 26.0 * number
        canvas.words(label_wide - 6, top + 10, row.label, "", "end")
        x = label_wide
        for part in row.parts:
            wide = room * part.size / most
            if wide:
                canvas.box(x, top, max(wide - 1, 0.8), 20, part.colour)
            fitting = [words for words in (part.label, part.label[:1]) if wide >= LETTER_WIDTH * len(words) + 3]
            if part.label and fitting:
                canvas.words(x + wide / 2, top + 10, fitting[0], "within", "middle")
            x += wide
        canvas.words(x + 4, top + 10, row.after, "small")
    return 4 + 26.0 * len(made) + 4


def draw_ranges(canvas: Canvas, made: Sequence[ShareRange]) -> float:
    left, right, bottom = 118.0, DRAWING_WIDTH - 70, 20 + 26.0 * len(made)
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


def draw_marks(canvas: Canvas, made: Sequence[tuple[str, Sequence[BarPart]]], unit: str) -> float:
    """Draw each row with one mark per part, at the part's value. Marks at the same place are stacked. Return the total
    height."""
    scale = axis_ticks(max([part.size for _, parts in made for part in parts] + [1]), 8)
    left, right, top = 62.0, DRAWING_WIDTH - 14, 20.0
    each = (right - left) / scale[-1]
    y = top
    for label, parts in made:
        stacks: list[list[float]] = []
        placed: list[tuple[float, int, BarPart]] = []
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
        grid.words(left + each * value, top - 12, _number(value), "quiet", "middle")
    grid.words(left - 12, top - 12, unit, "quiet", "end")
    canvas.put_below(grid)
    return y + 4


def draw_facing_bars(canvas: Canvas, made: Sequence[tuple[str, BarPart, BarPart, str]]) -> float:
    """Draw rows of two bars that extend left and right from a middle line, under a label. Return the total height. The
    last value of a row names the winner ("left", "right" or "" for nobody); only the loser's bar is not filled."""
    most = max([part.size for _, one, other, _ in made for part in (one, other)] + [1])
    middle, room, y = DRAWING_WIDTH / 2, DRAWING_WIDTH / 2 - 34, 0.0
    for label, one, other, won in made:
        canvas.words(middle, y + 8, label, "small", "middle")
        for part, way, side in ((one, -1, "left"), (other, 1, "right")):
            wide = room * part.size / most
            kind = part.colour if won in (side, "") else f"{part.colour} part-1"
            canvas.box(middle - wide - 1 if way < 0 else middle + 1, y + 16, wide, 14, kind)
            canvas.words(middle + way * (wide + 5), y + 23, part.label, "name", "end" if way < 0 else "start")
        y += 38
    return y + 2


def draw_spans(
    canvas: Canvas,
    made: Sequence[tuple[str, Sequence[Span], str]],
    axis: Sequence[tuple[float, str]],
    end: float,
    after_wide: float = 0.0,
    label_wide: float = 62.0,
) -> float:
    """Draw rows of bands along an axis that ends at ``end``. Each row has a label before it and a word after it. Return
    the total height."""
    left, right = label_wide, DRAWING_WIDTH - 6 - after_wide
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
            if wide >= LETTER_WIDTH * len(band.label) + 2:
                canvas.words(left + each * (band.start + band.end) / 2, top + 9, band.label, "within", "middle")
        canvas.words(right + 6, top + 9, after, "small")
    return bottom + 6


def _number(number: float) -> str:
    return f"{round(number, 1):g}" if abs(number) < 1e5 else str(round(number))
