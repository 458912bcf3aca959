"""Posts of a forum or a list as people write them: which of their lines stand in the open, and what counts in them."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from itertools import pairwise
from random import Random

from bot.channels.channel import Dialect
from bot.forum.own_lines import own_lines
from bot.forum.posts import read_post
from tests.approved.subject import Subject, vary_words
from tests.forum.test_reading import FORGED

LINES = (
    "!bid 3", "!pass", "!Bid 3.", "!ship 4 to Carthag", "!move 3 from Carthag to Arrakeen", "!no move",
    "!ally with Guild", "!press to all: Spice for water, anybody?", "!press to Guild: psst",
    "!press unsigned to all: I know", "!plan 3, leader Feyd Rautha", "!karma cancel voice", "!batle plan 3 Feyd",
    "!when card 2: bid 3", "!bid five", "!hello", "**!bid 3**", "__!pass__", "[b]!bid 4[/b]", "!bid 3 with karama",
    "!I am K7QX2M", "I'm K7QX2M.", "!bid “3”", "!bid 3?", '!"bid 3"', "!status", "! bid 3", "!!bid 3", "!", "!?",
    "bid 3", "pass", "plan 3, leader Feyd", "history", "Well then.", "", "    !bid 3", " !bid 3", "\t!bid 3",
    "!bid 3  ",
    "!my traitor is Feyd", "!x " + "y" * 395, "!bid 3 " + "z" * 400, "!see https://example.org", "!bid 3 `now`",
)  # fmt: skip
PIECES = (
    "[quote]", "[/quote]", "[q]", "[/q]", '[quote="chani, post:3, topic:7"]', "[spoiler]", "[/spoiler]", "[o]", "[/o]",
    "[thing]", "[/thing]", "[b]", "[/b]", "[quote", "[quote=a]b]", "[code]", "[/code]", "[url=http://a.example]",
    "[/url]", "[size=1]", "[/size]", "[QUOTE:1x]", "[/QUOTE:1x]", "\\[/quote]", "[s]x[/s]", "[color = red]",
    "> ", ">", "> > ", "- ", "* ", "1. ", "1) ", "    ", "\t", "```", "~~~", "````", "`", "``", "~~", "*", "**", "_",
    "#",
    "<!--", "-->", "<details>", "</details>", "<blockquote>", "</blockquote>", "<b>", "</b>", "<br>", "<img src=a>",
    "<script>", "</script>", "<pre>", "</pre>", "<a href='b'>", "</a>", "<a b=c", "<plaintext>", "<s>", "</s>", "<!x>",
    "<?x?>", "<div>", "</div>", "<span>", "</span>", "<!-->", "<!--->", "| a | b |", "| --- | --- |", "---", "===",
    "[a]: http://b.example", "[x](http://y.example)", "![p](http://q.example/r.png)", "&#33;", "&amp;", "\\", "<",
    "\u200b", "\u202e", "\u2028", "\x0b", "\r\n", "\r", "\f", "\u00a0", "：", "！", ":::", "<%", "{% if %}", "-- ",
    "__________", "On Tuesday Chani wrote:", "From: Chani", "-----Original Message-----", "$$", "[^1]", "[^1]: x",
    "http://a.example", "@chani", ":smile:", "[details=\"x\"]", "[/details]", "[poll]", "[/poll]",
)  # fmt: skip


def _seeds() -> Iterator[str]:
    for raw, dialect in FORGED.values():
        yield _input(dialect, raw)
        yield _input(Dialect.MARKDOWN, raw)
    for place, line in enumerate(LINES):
        yield _input(list(Dialect)[place % 4], f"So.\n{line}\nThat is all.", plain=place % 2 == 0)
        yield _input(Dialect.MARKDOWN, line)
    for begin, end in pairwise(PIECES):
        yield _input(Dialect.MARKDOWN, f"!pass\n{begin}\n!bid 3\n\n{end}\n!bid 4")
        yield _input(Dialect.BBCODE, f"!pass\n{begin}\n!bid 3\n\n{end}\n!bid 4")
        yield _input(Dialect.TEXT, f"{begin}!bid 3\nbid 4\n{end}\n\nbid 5", plain=True)


def _input(dialect: str, raw: str, *, plain: bool = False) -> str:
    return json.dumps([dialect, plain, raw])


def _vary(chance: Random, text: str, others: Sequence[str]) -> str:
    dialect, plain, raw = json.loads(text)
    other: str = json.loads(chance.choice(others))[2]
    for _ in range(chance.choice((1, 1, 2, 3, 5))):
        raw = _changed(chance, raw, other)
    match chance.randrange(8):
        case 0:
            dialect = chance.choice(list(Dialect))
        case 1:
            plain = not plain
    return _input(dialect, raw[:1500], plain=plain)


def _changed(chance: Random, raw: str, other: str) -> str:
    lines = raw.split("\n")
    place = chance.randrange(len(lines))
    match chance.randrange(9):
        case 0:
            lines.insert(place, chance.choice(LINES))
        case 1:
            lines.insert(place, chance.choice(PIECES))
        case 2:
            lines[place] = chance.choice(PIECES) + lines[place]
        case 3:
            lines[place] += chance.choice(PIECES)
        case 4:
            del lines[place]
        case 5:
            lines.insert(place, "")
        case 6:
            lines[place:place] = other.split("\n")[-3:]
        case 7:
            at = chance.randrange(len(lines[place]) + 1)
            lines[place] = lines[place][:at] + chance.choice(PIECES) + lines[place][at:]
        case _:
            lines[place] = vary_words(chance, lines[place], [other])
    return "\n".join(lines)


def _told(text: str) -> str:
    dialect, plain, raw = json.loads(text)
    own = [f"{'sure' if sure else 'in doubt'}: {line!r}" for line, sure in own_lines(raw, Dialect(dialect))]
    read = [f"{one.kind}: {one.text!r}" for one in read_post(raw, Dialect(dialect), plain=plain)]
    return "\n".join([*own, *read]) or "nothing"


SUBJECT = Subject("forum-posts", (
    "bot.forum.posts", "bot.forum.own_lines", "bot.forum.own_lines", "bot.forum.own_lines", "bot.forum.own_lines",
), _seeds, _vary, _told)  # fmt: skip
