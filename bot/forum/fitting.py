"""Blocks fitted into posts: none longer than a channel takes, none too short for it, each with its first line.

What no post can hold is told in smaller blocks, never cut through its marks. No line begins with the sign by which
acts are known, whoever wrote the words.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence

from bot.channels.channel import Limits
from bot.reports.document import Block, Board, Fight, Footer, Grid, Heading, Paragraph, Row, Rows, Story, Title
from bot.reports.forum import DIALECTS, Dialect
from bot.reports.forum.harmless import pieces
from bot.wording.sentences import say

Content = Block | str
"""A block, or what is written in the channel's dialect already and stays whole."""

BETWEEN = "\n\n"
LEAST_ROOM = 100
"""Fewer characters below its first line are not worth a post; no channel has so few."""

_ACT = re.compile(r"(?m)^(\s*)[!\uff01]")


def in_posts(contents: Sequence[Content], limits: Limits, first: Callable[[int, int], str]) -> tuple[str, ...]:
    """The contents in as few posts as their order lets. ``first`` says the first line of a post from its number and how
    many there are."""
    dialect = DIALECTS[limits.dialect.value]

    def opened(number: int, of: int) -> str:
        return unlike_acts(dialect.strong(first(number, of)))

    room = max(LEAST_ROOM, limits.characters - len(opened(99, 99)) - len(BETWEEN))
    bodies = _packed(list(_units(dialect, contents, room)), room)
    return tuple(
        _filled(f"{opened(number, len(bodies))}{BETWEEN}{body}".rstrip(), limits)
        for number, body in enumerate(bodies, start=1)
    )


def refitted(post: str, limits: Limits) -> tuple[str, ...]:
    """A post that was made for other limits, in posts that keep these: cut between its blocks, where no block is too
    long, and else between lines or words."""
    if len(post) <= limits.characters:
        return (_filled(post, limits),)
    units = [unlike_acts(part) for block in post.split(BETWEEN) for part in _cut(block, limits.characters)]
    return tuple(_filled(body, limits) for body in _packed(units, limits.characters))


def _cut(block: str, room: int) -> Iterator[str]:
    if len(block) <= room:
        yield block
        return
    held = ""
    for line in block.split("\n"):
        for part in pieces(line, room):
            if held and len(held) + 1 + len(part) > room:
                yield held
                held = part
            else:
                held = f"{held}\n{part}" if held else part
    yield held


def _packed(units: Sequence[str], room: int) -> list[str]:
    found: list[str] = []
    for unit in units:
        if found and len(found[-1]) + len(BETWEEN) + len(unit) <= room:
            found[-1] += BETWEEN + unit
        else:
            found.append(unit)
    return found or [""]


def _filled(post: str, limits: Limits) -> str:
    """The post, with a line more below it for as long as it is too short for the channel."""
    more = BETWEEN + DIALECTS[limits.dialect.value].words(say("forum-post.filler"))
    while len(post) < limits.characters_at_least and len(post) + len(more) <= limits.characters:
        post += more
    return post


def _units(dialect: Dialect, contents: Sequence[Content], room: int) -> Iterator[str]:
    """The smallest parts between which a post may end, each heading with what follows it."""
    heading = ""
    for content in contents:
        if isinstance(content, Heading):
            heading = BETWEEN.join(_fitted(dialect, content, room // 2)) + BETWEEN
            continue
        units = [content] if isinstance(content, str) else _fitted(dialect, content, room - len(heading))
        for unit in filter(None, units):
            yield heading + unit
            heading = ""


def _fitted(dialect: Dialect, block: Block, room: int) -> list[str]:
    units = [unlike_acts(unit) for unit in dialect.units(block)]
    if all(len(unit) <= room for unit in units):
        return units
    return [unit for part in _smaller(block) for unit in _fitted(dialect, part, room)]


def unlike_acts(text: str) -> str:
    """The text without a line that begins like an act."""
    return _ACT.sub(r"\1¡", text)


def _smaller(block: Block) -> Iterator[Block]:
    """The content of a block as several blocks that are smaller each."""
    match block:
        case Paragraph(text, tone):
            yield from (Paragraph(half, tone) for half in _halves(text))
        case Title(text, below):
            yield Paragraph(text, "lead")
            yield Paragraph(below)
        case Heading(text, after):
            yield Paragraph(f"{text} {after}".strip(), "lead")
        case Rows(rows) if len(rows) > 1:
            yield from (Rows((row,)) for row in rows)
        case Rows(rows):
            yield from (Rows((row,)) for row in _smaller_row(rows[0]))
        case Story(chapters) if len(chapters) > 1:
            yield from (Story((chapter,)) for chapter in chapters)
        case Story(chapters):
            yield from (Story((row,)) for row in _smaller_row(chapters[0]))
        case Grid(head, rows, numeric, below) if len(rows) > 1:
            half = len(rows) // 2
            yield Grid(head, rows[:half], numeric, below[:half])
            yield Grid(head, rows[half:], numeric, below[half:])
        case Grid(head, rows, _, below):
            yield from (Paragraph(" ".join(filter(None, (*_told(head, row), *below)))) for row in rows)
        case Fight(place, about, sides, parts, remarks):
            yield Paragraph(f"{place}: {about}", "lead")
            yield Grid(("", *(side.told for side in sides)), parts)
            yield Rows(tuple(Row(place, (remark,)) for remark in remarks))
        case Board(says, rows):
            yield Paragraph(says)
            yield Grid(("", ""), tuple((row.label, ", ".join(row.lines)) for row in rows))
        case Footer():
            return
        case _:
            raise TypeError(f"{type(block).__name__} is for one reader, not for a forum")


def _told(head: tuple[str, ...], row: tuple[str, ...]) -> Iterator[str]:
    """The cells of a row, each behind what stands above it."""
    return (" ".join(filter(None, pair)) for pair in zip(head, row, strict=True))


def _smaller_row(row: Row) -> Iterator[Row]:
    """Half of its lines, or of its one line, each below the label."""
    if len(row.lines) > 1:
        half = len(row.lines) // 2
        yield Row(row.label, row.lines[:half])
        yield Row(row.label, row.lines[half:])
    else:
        yield from (Row(row.label, (half,)) for half in _halves(row.lines[0]))


def _halves(text: str) -> list[str]:
    """The text in two pieces or three, cut between words where that can be."""
    return pieces(text, (len(text) + 1) // 2) if len(text) > 1 else []
