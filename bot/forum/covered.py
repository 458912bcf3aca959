"""Tags in brackets, and which lines of a post they cover: a quote, a spoiler, code, whatever has an end.

Forums differ in what they take for a tag and in what ends it, so a post is read twice. The generous reading knows the
usual tags and lets any end close what was opened before it: what it says is covered is, everywhere. The strict one
takes every tag that has an end for one that covers, lets only the innermost be closed, and in nothing but its own kind
of line (a quote is not ended by words in code, or by words that are quoted themselves). What was not closed lasts to
the end, and an end without a beginning makes everything above it doubtful: that is what a post leaves behind that was
written to break out of the quotes of others. What Discourse would see covered, which knows tags only on lines of their
own, is added to that. Lines on which the two differ are in doubt.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from enum import IntEnum

COVERING = frozenset((
    "quote", "q", "spoiler", "o", "details", "hide", "hidden", "code", "c", "tt", "pre", "s", "strike", "del", "poll",
    "noparse", "plain", "nobbcode", "list", "ul", "ol", "table", "url", "img", "email", "size", "color", "font",
    "wrap", "abbr", "blur", "inlinespoiler", "member", "youtube", "media", "geekurl", "floatleft", "floatright",
    "blockquote", "cite", "off", "offtopic", "ot", "collapse", "expand", "cut", "more", "nfo", "php", "html", "private",
))  # fmt: skip
"""Tags inside of which nothing is said in the open, in one forum or another."""
SHOWING = frozenset(("b", "i", "u", "em", "strong"))
"""Tags that change nothing but the look of a few words."""
_SURE = frozenset(("quote", "blockquote", "spoiler", "details", "hide", "hidden", "code"))
"""Names that are taken for the beginning of a tag whatever follows them."""

_SIGN = re.compile(r"(?P<sort>[\[<])(?P<end>/?)(?P<name>[a-z][a-z0-9_-]{0,30})", re.IGNORECASE | re.ASCII)
_ENDED = re.compile(r"(?::[0-9a-z]{1,12})?[\]>]", re.IGNORECASE | re.ASCII)
_VALUE = r"(?:\"[^\"]{0,200}\"|[^\]\[\"]){0,300}"
_BEGUN = re.compile(
    rf"(?::[0-9a-z]{{1,12}})?(?P<value>(?: {{0,3}}=| {{1,3}}[a-z_-]{{1,20}} {{0,3}}=){_VALUE})?\]",
    re.IGNORECASE | re.ASCII,
)
_BEGINS = re.compile(r"[\]=:]| {1,3}[a-z_-]{1,20} {0,3}=| {1,3}=", re.IGNORECASE | re.ASCII)
_BEGUN_ANGLE = re.compile(r"(?:[ \n/][^<>]{0,300})?>")
_COMMENT = re.compile(r"<!--.*?(?:-->|\Z)", re.DOTALL)

Region = tuple[int, int]


class Cover(IntEnum):
    """Whether the tags of a post leave a line open."""

    NONE = 0
    IN_DOUBT = 1
    SURE = 2


class _Strict:
    """The strict reading: what is open now, and what was covered until here."""

    def __init__(self) -> None:
        self.regions: list[Region] = []
        self.stack: list[tuple[str, str]] = []
        self.open: Counter[tuple[str, str]] = Counter()
        self.since = 0
        self.stray = 0

    def opens(self, key: str, kind: str, place: int) -> None:
        self.since = self.since if self.stack else place
        self.stack.append((key, kind))
        self.open[key, kind] += 1

    def closes(self, key: str, kind: str, end: int, *, usual: bool) -> None:
        if self.stack and self.stack[-1] == (key, kind):
            self.open[self.stack.pop()] -= 1
            if not self.stack:
                self.regions.append((self.since, end))
        elif not self.open[key, kind] and usual:
            self.stray = end


class _Generous:
    """The generous reading."""

    def __init__(self) -> None:
        self.regions: list[Region] = []
        self.stack: list[str] = []
        self.open: dict[str, int] = {}
        self.since = 0

    def opens(self, key: str, place: int) -> None:
        self.since = self.since if self.stack else place
        self.stack.append(key)
        self.open[key] = self.open.get(key, 0) + 1

    def closes(self, key: str, end: int) -> None:
        if not self.open.get(key):
            return
        while True:
            last = self.stack.pop()
            self.open[last] -= 1
            if last == key:
                break
        if not self.stack:
            self.regions.append((self.since, end))


def covers(text: str, kinds: Sequence[str], *, angles: bool) -> list[Cover]:
    """What the tags of a text leave of each of its lines. ``kinds`` says of each line of which kind it is: words, code,
    a quote. ``angles``: tags in angle brackets are looked at too.

    >>> covers("[q]\\n!bid 9\\n[/q]\\n!pass", ["", "", "", ""], angles=False)
    [<Cover.SURE: 2>, <Cover.SURE: 2>, <Cover.SURE: 2>, <Cover.NONE: 0>]
    """
    strict, generous = _Strict(), _Generous()
    signs = [sign for sign in _SIGN.finditer(text) if angles or sign["sort"] == "["]
    last_end = {_key(sign): sign.start() for sign in signs if sign["end"]}
    line = read_to = 0
    line_ends = _ends(text)
    for sign in signs:
        key, place = _key(sign), sign.start()
        if place < read_to or key.lstrip("<") in SHOWING:
            continue
        while line_ends[line] < place:
            line += 1
        kind, usual = kinds[line], key in COVERING
        if sign["end"]:
            ended = _ENDED.match(text, sign.end())
            if ended and text[max(place - 1, 0)] != "\\":
                strict.closes(key, kind, ended.end(), usual=usual)
                generous.closes(key, ended.end())
            continue
        if not usual and last_end.get(key, -1) < place:
            continue  # a word in brackets
        begun = (_BEGUN_ANGLE if sign["sort"] == "<" else _BEGUN).match(text, sign.end())
        if begun:
            read_to = begun.end()
            strict.opens(key, kind, place)
            if usual and not kind:
                generous.opens(key, place)
            if sign["sort"] == "[" and "[" in (begun["value"] or ""):
                strict.opens("", kind, place)  # nobody knows where this tag ends
        elif sign["sort"] == "[" and _may_begin(text, sign, key):
            strict.opens("", kind, place)
    doubtful = [*strict.regions, *([(strict.since, len(text))] if strict.stack else [])]
    if angles:
        doubtful += [comment.span() for comment in _COMMENT.finditer(text)]
    else:
        doubtful += _of_whole_lines(text, line_ends)
    if strict.stray:
        doubtful.append((0, strict.stray))
    sure = [*generous.regions, *([(generous.since, len(text))] if generous.stack else [])]
    return _by_line(line_ends, sure, doubtful)


def _key(sign: re.Match[str]) -> str:
    return ("<" if sign["sort"] == "<" else "") + sign["name"].lower()


def _of_whole_lines(text: str, line_ends: Sequence[int]) -> list[Region]:
    """What is covered where only a tag that has a line for itself is one, as in Discourse: between each beginning and
    its end, whatever stands between them, and nothing where there is no end."""
    regions: list[Region] = []
    begun: dict[str, list[int]] = {}
    begin = 0
    for end in line_ends:
        line = text[begin:end].strip()
        if line[:1] == "[" and line[-1:] == "]" and "[/" not in line[1:] and (sign := _SIGN.match(line)):
            name = sign["name"].lower()
            if not sign["end"]:
                begun.setdefault(name, []).append(begin)
            elif begun.get(name):
                regions.append((begun[name].pop(), end))
        begin = end + 1
    return regions


def _may_begin(text: str, sign: re.Match[str], key: str) -> bool:
    """Whether a tag may begin here although we see no end of it."""
    if _BEGINS.match(text, sign.end()):
        return True
    return key in _SURE and not text[sign.end() : sign.end() + 1].isalnum()


def _ends(text: str) -> list[int]:
    """The place of the end of each line."""
    ends, place = [], -1
    for line in text.split("\n"):
        place += len(line) + 1
        ends.append(place)
    return ends


def _by_line(line_ends: Sequence[int], sure: Sequence[Region], doubtful: Sequence[Region]) -> list[Cover]:
    """The cover of each line. One that only ends in what is covered is no quote, yet not open either."""
    found = [Cover.NONE] * len(line_ends)
    begins = [0, *(end + 1 for end in line_ends[:-1])]
    for regions, cover in ((doubtful, Cover.IN_DOUBT), (sure, Cover.SURE)):
        line = 0
        for since, until in sorted(regions):
            line = max(line - 1, 0)
            while line_ends[line] < since:
                line += 1
            while line < len(line_ends) and begins[line] < until:
                found[line] = max(found[line], cover if begins[line] >= since else Cover.IN_DOUBT)
                line += 1
    return found
