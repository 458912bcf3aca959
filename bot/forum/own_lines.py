"""The lines of a post that a reader sees as the writer's own words, openly at the left margin.

A line inside a quote, code, or a covered or struck-out part never counts as the writer's own. Formatting (bold, colour,
lists) makes no difference. A CommonMark parser reads Markdown. In addition, the module follows the bracket tags of
other forums, which Discourse also understands, and the peculiar ways in which some forums read a post. If only some of
these readings accept a line as the writer's own, that line is in doubt.

**Tags.** Forums differ in what they treat as a tag and in what closes it, so a post is read twice. The generous reading
accepts the usual tags, and a closing tag closes the last tag of its kind and all tags opened after it. Text covered in
this reading is covered in every forum. The strict reading assumes that every tag that can be closed covers text. In it,
only the innermost tag can be closed, and only in the same kind of line: words in code, or quoted words, do not close a
quote. A tag that is never closed lasts to the end of the post. In this reading, formatting tags alone cover nothing,
but they belong to the part that contains them. A closing tag without an opening tag makes everything above it doubtful,
because it suggests that the post was written to break out of other people's quotes. Finally, the module adds all text
that Discourse would cover; Discourse recognises tags only on lines of their own.

**Doubtful lines** do not count, because not every parser follows CommonMark. If a program has wrapped a quotation, or a
person has copied it by hand, other people's words may have no quote mark.

**HTML** that a browser would leave open: no line inside it is the writer's own. The module does not guess. Anything
that is not a plain tag or a complete comment, or that is closed by a tag other than the innermost, stays open to the
end of the post.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from enum import IntEnum
from functools import cache
from typing import TYPE_CHECKING, Literal

from bot.channels import Dialect
from bot.mail.lines import clean, plain_lines
from bot.mail.quotes import trim_quotes

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.token import Token


LONGEST_POST = 60_000
"""The maximum length of a post that is read. No forum that Mentat supports accepts a longer one."""

_PLAIN = ("text", "em_open", "em_close", "strong_open", "strong_close")
_BREAKS = ("softbreak", "hardbreak")
_EMPHASIS = str.maketrans("", "", "*_")


Doubt = Literal["", "covered", "quoted", "words"]
"""The reason why a line does not count: it is code or covered, it may be other people's words, or it contains something
other than words. If the line counts, the reason is ""."""


def own_lines(raw: str, dialect: Dialect) -> list[tuple[str, Doubt]]:
    """Return the writer's own lines of a post, in order. Each comes with the reason why it does not count, or with ""
    if it counts.

    >>> own_lines("> !bid 9\\n\\n!bid 3\\n`!pass`", Dialect.MARKDOWN)
    [('', ''), ('!bid 3', ''), ('!pass', 'words')]
    """
    text = re.sub(r"\r\n?", "\n", raw.encode("utf-8", "replace").decode("utf-8"))
    if len(text) > LONGEST_POST:
        return []
    text = _STRUCK_BY_TAG.sub(lambda struck: " " * len(struck[0]), text)
    lines = text.split("\n")
    code: set[int] = set()
    if dialect == Dialect.MARKDOWN:
        said = dict(_said(text, lines, code))
    else:
        said = {number: True for number, line in enumerate(lines) if not QUOTED.match(line)}
    kinds = ["code" if number in code else _kind(line) for number, line in enumerate(lines)]
    cover = covers(text, kinds, angles=dialect != Dialect.MARKDOWN)
    inside = code.union(number for number, of_line in enumerate(cover) if of_line)
    quoted = doubtful_lines(lines, dialect, inside)
    found: list[tuple[str, Doubt]] = []
    for number, line in enumerate(lines):
        doubt: Doubt = "quoted" if number in quoted or number in inside else "" if said.get(number) else "words"
        if number in code or cover[number] == Cover.HIDDEN:
            doubt = "covered"
        if doubt == "covered" or (number in said and cover[number] != Cover.SURE):
            covers_words = {"covered": _ANY_TAG, "words": _ANY_TAG, "quoted": _QUOTE}.get(doubt)
            found.append((covers_words.sub("", line) if covers_words else line, doubt))
        elif not line.strip():
            found.append(("", ""))
    return found


def _kind(line: str) -> str:
    return "quoted" if QUOTED.match(line) else "code" if "`" in line else ""


def _said(text: str, lines: Sequence[str], code: set[int]) -> Iterator[tuple[int, bool]]:
    """Yield the number of each line in a plain Markdown paragraph, with True if the line consists only of words. Add
    the numbers of lines of code to ``code``."""
    html = OpenHtml()
    quotes = 0
    for token in _markdown().parse(text):
        if token.type in ("blockquote_open", "table_open"):
            quotes += 1
        if token.type in ("blockquote_close", "table_close"):
            quotes -= 1
        if token.type in ("fence", "code_block", "html_block") and token.map:
            code.update(range(*token.map))
        if token.type == "html_block":
            html.follow(token.content)
        if token.type != "inline" or token.map is None:
            continue
        covered, in_doubt = html.covers, bool(html)
        for child in token.children or ():
            if child.type == "html_inline":
                html.follow(child.content)
            in_doubt = in_doubt or (child.type in _BREAKS and bool(html))
        if quotes:
            # a line without the mark of the quote above it may be the writer's own
            yield from ((number, False) for number in range(*token.map) if not QUOTED.match(lines[number]))
        elif not (covered or html.covers):
            for number, words in _lines_of(token, lines):
                yield number, words and not in_doubt


def _lines_of(token: Token, lines: Sequence[str]) -> list[tuple[int, bool]]:
    assert token.map is not None
    children = token.children or ()
    first = token.map[0]
    if sum(child.type in _BREAKS for child in children) != token.content.count("\n"):
        # code, a picture or a link may span several lines, so their positions are unknown
        return [(first + more, False) for more in range(token.content.count("\n") + 1)]
    found: list[tuple[int, bool]] = []
    shown, words, within, struck = "", True, 0, 0
    for child in (*children, None):
        if child is None or child.type in _BREAKS:
            number = first + len(found)
            typed = without_formatting(lines[number].strip().removesuffix("\\") if child else lines[number])
            same = _letters(shown) == _letters(typed)
            found.append((number, words and same))
            shown, words = "", not (within or struck)
        elif child.type in ("s_open", "s_close"):
            struck += child.nesting
        elif child.type in _PLAIN:
            shown += "" if struck else child.content
        elif child.type == "html_inline" and SHOWN_TAG.fullmatch(child.content):
            pass
        else:
            words, within = False, within + child.nesting  # a link may span several lines
    return found


def _letters(text: str) -> str:
    return "".join(without_formatting(text).translate(_EMPHASIS).split())


@cache
def _markdown() -> MarkdownIt:
    from markdown_it import MarkdownIt  # slow to load, and only forums need it

    return MarkdownIt("commonmark", {"maxNesting": 20}).enable("strikethrough").enable("table")


COVERING = frozenset((
    "quote", "q", "spoiler", "o", "details", "hide", "hidden", "code", "c", "tt", "pre", "s", "strike", "del", "poll",
    "noparse", "plain", "nobbcode", "table", "url", "img", "email", "wrap", "abbr", "blur", "inlinespoiler", "member",
    "youtube", "media", "geekurl", "blockquote", "cite", "off", "offtopic", "ot", "collapse", "expand", "cut", "more",
    "nfo", "php", "html", "private",
))  # fmt: skip
SHOWING = frozenset(("b", "i", "u", "em", "strong"))
_LAYOUT = ("center", "centre", "left", "right", "justify", "align", "indent", "floatleft", "floatright", "sup", "sub")
_LISTS = ("list", "ul", "ol", "li", "h1", "h2", "h3", "h4", "headline")
FORMATTING = SHOWING.union(("size", "color", "colour", "font", "big", "small"), _LAYOUT, _LISTS)
_OF_OTHERS = frozenset(("quote", "q", "blockquote", "cite", "member", "s", "strike", "del"))
"""Tags that cover other people's words or struck-out text."""
SHOWN_TAG = re.compile(
    rf"[\[<]/?(?:{'|'.join(sorted(FORMATTING))}|\*|p|br|hr)(?:(?<!p)(?<!br)(?<!hr)(?:=|\s+(?:size|color|face)\s*=)"
    r"\s*(?:\"[^\"<>\[\]]{0,40}\"|[^\"<>\[\]]{0,40}))?\s*/?[\]>]",
    re.IGNORECASE,
)
_STRUCK_BY_TAG = re.compile(r"([\[<])(s|strike|del)[\]>][^\[\]<>\n]*\1/\2[\]>]", re.IGNORECASE)
_STRUCK = re.compile(r"~~[^~\n]+~~")
_LIST_MARK = re.compile(r"\s*(?:(?:[-*+•]|#{1,6}|[0-9]{1,2}[.)])\s+)?")
_QUOTE = re.compile(r"\[(quote|q)\b[^\]\n]{0,100}\].*?\[/\1\]", re.IGNORECASE)
_ANY_TAG = re.compile(r"\[/?[a-z][^\[\]]{0,60}\]|</?[a-z][^<>]{0,60}>|`+", re.IGNORECASE)
_EMPHASIZED = re.compile(r"(?<![\w*_])(\*{1,3}|_{1,3})(?=[^\s*_])([^*_\n]*?)(?<=[^\s*_])\1(?![\w*_])")


def without_formatting(line: str) -> str:
    """Return the words of a line without formatting tags, emphasis marks, struck-out text, and the mark of a list or
    heading.

    >>> without_formatting("- [color=red]**!bid 3**[/color] ~~or 4~~")
    '!bid 3'
    """
    line = SHOWN_TAG.sub("", _STRUCK.sub("", line))
    return _EMPHASIZED.sub(r"\2", _LIST_MARK.sub("", line, count=1)).strip()


_SURE = frozenset(("quote", "blockquote", "spoiler", "details", "hide", "hidden", "code"))
"""Names that always make a tag, whatever follows them."""

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
    NONE = 0
    IN_DOUBT = 1
    SURE = 2
    HIDDEN = 3
    """Certainly covered, but the writer's own words."""


class _Strict:
    def __init__(self) -> None:
        self.regions: list[Region] = []
        self.stack: list[tuple[str, str]] = []
        self.open: Counter[tuple[str, str]] = Counter()
        self.since = 0
        self.stray = 0
        self.covering = False

    def opens(self, key: str, kind: str, place: int) -> None:
        if not self.stack:
            self.since, self.covering = place, False
        self.covering = self.covering or key.lstrip("<") not in FORMATTING
        self.stack.append((key, kind))
        self.open[key, kind] += 1

    def closes(self, key: str, kind: str, end: int, *, usual: bool) -> None:
        if self.stack and self.stack[-1] == (key, kind):
            self.open[self.stack.pop()] -= 1
            if not self.stack and self.covering:
                self.regions.append((self.since, end))
        elif not self.open[key, kind] and usual:
            self.stray = end


class _Generous:
    def __init__(self) -> None:
        self.regions: list[tuple[Region, bool]] = []
        """The covered regions, each with True if its words are somebody else's."""
        self.stack: list[str] = []
        self.open: dict[str, int] = {}
        self.since = 0
        self.of_others = False

    def opens(self, key: str, place: int) -> None:
        if not self.stack:
            self.since, self.of_others = place, False
        self.of_others = self.of_others or key.lstrip("<") in _OF_OTHERS
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
            self.regions.append(((self.since, end), self.of_others))


def covers(text: str, kinds: Sequence[str], *, angles: bool) -> list[Cover]:
    """Return the cover of each line of a text. ``kinds`` has the kind of each line: words, code or a quote. If
    ``angles`` is true, tags in angle brackets also count.

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
        formats = key.lstrip("<") in FORMATTING
        if sign["end"]:
            ended = _ENDED.match(text, sign.end())
            if ended and text[max(place - 1, 0)] != "\\":
                strict.closes(key, kind, ended.end(), usual=usual)
                generous.closes(key, ended.end())
            continue
        if not (usual or formats) and last_end.get(key, -1) < place:
            continue  # a word in brackets
        begun = (_BEGUN_ANGLE if sign["sort"] == "<" else _BEGUN).match(text, sign.end())
        if begun:
            read_to = begun.end()
            strict.opens(key, kind, place)
            if usual and not kind:
                generous.opens(key, place)
            if sign["sort"] == "[" and "[" in (begun["value"] or ""):
                strict.opens("", kind, place)  # the end of this tag is unknown
        elif sign["sort"] == "[" and not formats and _may_begin(text, sign, key):
            strict.opens("", kind, place)
    doubtful = [*strict.regions, *([(strict.since, len(text))] if strict.stack and strict.covering else [])]
    if angles:
        doubtful += [comment.span() for comment in _COMMENT.finditer(text)]
    else:
        doubtful += _of_whole_lines(text, line_ends)
    if strict.stray:
        doubtful.append((0, strict.stray))
    if generous.stack:
        generous.regions.append(((generous.since, len(text)), generous.of_others))
    sure = [region for region, of_others in generous.regions if of_others]
    hidden = [region for region, of_others in generous.regions if not of_others]
    return _by_line(text, line_ends, ((doubtful, Cover.IN_DOUBT), (sure, Cover.SURE), (hidden, Cover.HIDDEN)))


def _key(sign: re.Match[str]) -> str:
    return ("<" if sign["sort"] == "<" else "") + sign["name"].lower()


def _of_whole_lines(text: str, line_ends: Sequence[int]) -> list[Region]:
    """Return the covered regions if only tags on lines of their own count, as in Discourse. A tag covers everything up
    to its closing tag, and nothing if it is never closed."""
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
    if _BEGINS.match(text, sign.end()):
        return True
    return key in _SURE and not text[sign.end() : sign.end() + 1].isalnum()


def _ends(text: str) -> list[int]:
    ends, place = [], -1
    for line in text.split("\n"):
        place += len(line) + 1
        ends.append(place)
    return ends


def _by_line(text: str, line_ends: Sequence[int], covered: Iterable[tuple[Sequence[Region], Cover]]) -> list[Cover]:
    """Return the cover of each line. A line that lies only partly inside a covered part is in doubt."""
    found = [Cover.NONE] * len(line_ends)
    begins = [0, *(end + 1 for end in line_ends[:-1])]
    for regions, cover in covered:
        line = 0
        for since, until in sorted(regions):
            line = max(line - 1, 0)
            while line_ends[line] < since:
                line += 1
            while line < len(line_ends) and begins[line] < until:
                whole = begins[line] >= since and not SHOWN_TAG.sub("", text[until : line_ends[line]]).strip()
                found[line] = max(found[line], cover if whole else Cover.IN_DOUBT)
                line += 1
    return found


QUOTED = re.compile(r" {0,3}[>|›»]")
_QUOTED_OR_LISTED = re.compile(
    r"(?:.{0,200}\[(?:hr|/(?:quote|spoiler|code))\]+)? {0,3}(?:[>|›»]|(?:[-*+]|[0-9]{1,9}[.)])(?:\s|$))", re.IGNORECASE
)
"""Some forums treat a mark as if it stood at the margin when it follows one of these tags."""
_FENCE = re.compile(r" {0,3}(?:```|~~~)")
_FENCE_BEHIND = re.compile(r".{0,200}\[/?(?:hr|quote|spoiler|code)[^\]]{0,100}\] {0,3}(?:```|~~~)", re.IGNORECASE)
_PLAIN_FENCE = re.compile(r"```[a-z0-9]{0,20}", re.ASCII)
_CONTAINER = re.compile(r" {0,3}(?::::|\$\$)")
_FOOTNOTE = re.compile(r" {0,3}\[\^[^\]]{1,100}\]:")
_MARKS_IN_PAIRS = re.compile(r"`+|~~+")
_POSTED_BY = re.compile(r"\s*(?:originally (?:posted|written) by|quot(?:e from|ing)|zitat von)\b.{0,80}", re.IGNORECASE)
_SIGNATURE = re.compile(r"(?:-- ?|_{5,})\s*")
_SAYS = re.compile(
    r"\b(?:wrote|writes|said|says|posted|quote|schrieb|schreibt|écrit|escribió|scritto)\W{0,3}:\W{0,3}$", re.IGNORECASE
)


def doubtful_lines(lines: Sequence[str], dialect: Dialect, inside: Collection[int]) -> set[int]:
    """Return the numbers of the doubtful lines of a post.

    ``inside`` are the lines that are code or covered by a tag. Some forums treat such a line as part of the surrounding
    paragraph.

    >>> doubtful_lines(["Chani wrote:", "!bid 9", "", "!bid 3"], Dialect.BBCODE, ())
    {1}
    """
    found = _announced(lines)
    if signature := next((number for number, line in enumerate(lines) if _SIGNATURE.fullmatch(line)), None):
        found |= set(range(signature, len(lines)))
    if dialect == Dialect.MARKDOWN:
        bars = [number for number, line in enumerate(lines) if "||" in line]
        found |= set(range(bars[0], bars[-1])) if bars else set()
        found |= _between(lines, _CONTAINER.match)
        found |= _run_on(lines, _QUOTED_OR_LISTED, inside) | _run_on(lines, _FOOTNOTE, inside)
        found |= _in_odd_fences(lines) | _between_marks(lines) | _beside_open_links(lines)
    else:
        found |= _run_on(lines, QUOTED, inside) | _between(lines, _FENCE.match)
    if dialect == Dialect.TEXT:
        found |= _of_others(lines)
    return found


def _is_blank(line: str) -> bool:
    return not line.strip(" \t")


def _run_on(lines: Sequence[str], mark: re.Pattern[str], inside: Collection[int]) -> set[int]:
    """Return the lines from each marked line to the next blank line. If a program has wrapped a quotation, only its
    first line has the mark."""
    found: set[int] = set()
    within = False
    for number, line in enumerate(lines):
        marked = bool(mark.match(line))
        within = marked or (within and (number in inside or not _is_blank(line)))
        if within and not marked:
            found.add(number)
    return found


def _announced(lines: Sequence[str]) -> set[int]:
    found: set[int] = set()
    state = ""
    for number, line in enumerate(lines):
        if _SAYS.search(line[-80:].rstrip()) or _POSTED_BY.fullmatch(line):
            state = "announced"
        elif _is_blank(line):
            state = "" if state == "within" else state
        elif state:
            state = "within"
            found.add(number)
    return found


def _of_others(lines: Sequence[str]) -> set[int]:
    own = iter(trim_quotes(plain_lines("\n".join(lines))).kept)
    found: set[int] = set()
    wanted = next(own, None)
    for number, line in enumerate(lines):
        if wanted is not None and clean(line) == wanted:
            wanted = next(own, None)
        else:
            found.add(number)
    return found


def _between(lines: Sequence[str], bounds: Callable[[str], object]) -> set[int]:
    found = [number for number, line in enumerate(lines) if bounds(line)]
    if not found:
        return set()
    return set(range(found[0], found[-1] if len(found) > 1 else len(lines)))


def _in_odd_fences(lines: Sequence[str]) -> set[int]:
    """Return the lines between code fences, unless all fences are of the plainest kind: forums disagree on where other
    fences begin and end."""
    behind = next((number for number, line in enumerate(lines) if _FENCE_BEHIND.match(line)), None)
    if behind is not None:
        return set(range(behind, len(lines)))
    fences = [line.rstrip() for line in lines if _FENCE.match(line)]
    pairs = zip(fences[::2], fences[1::2], strict=False)
    if len(fences) % 2 == 0 and all(_PLAIN_FENCE.fullmatch(begin) and end == "```" for begin, end in pairs):
        return set()
    return _between(lines, _FENCE.match)


def _between_marks(lines: Sequence[str]) -> set[int]:
    """Return the lines of each paragraph from the first to the last that has an unpaired mark of code or
    strike-through. The formatting that such a mark opens may span several lines."""
    found: set[int] = set()
    for paragraph in _paragraphs(lines):
        odd = [
            number
            for number in paragraph
            if any(count % 2 for count in Counter(_MARKS_IN_PAIRS.findall(lines[number])).values())
        ]
        found.update(range(odd[0], odd[-1] + 1) if len(odd) > 1 else ())
    return found


def _beside_open_links(lines: Sequence[str]) -> set[int]:
    return {
        number
        for paragraph in _paragraphs(lines)
        if any(map(_has_open_link, lines[paragraph.start : paragraph.stop]))
        for number in paragraph
    }


def _has_open_link(line: str) -> bool:
    first = line.find("](")
    return max(line.rfind("]("), line.rfind("!(")) > line.rfind(")") or (first >= 0 and "[" not in line[:first])


def _paragraphs(lines: Sequence[str]) -> Iterator[range]:
    begin = 0
    for number, line in enumerate([*lines, ""]):
        if _is_blank(line):
            yield range(begin, number)
            begin = number + 1


_HTML_COMMENT = re.compile(r"<!--(?:-?>|.*?--!?>)", re.DOTALL)
_HTML_NAME = r"[a-zA-Z][a-zA-Z0-9-]*"
_HTML_ATTRIBUTE = r"\s+[a-zA-Z_:][\w.:-]*(?:=(?:\"[^\"<>]*\"|'[^'<>]*'|[^\s\"'=<>`]+))?"
_HTML_TAG = re.compile(rf"<(?P<end>/?)(?P<name>{_HTML_NAME})(?:{_HTML_ATTRIBUTE}){{0,30}}\s*/?>")
_HTML_SIGN = re.compile(r"<[a-zA-Z/!?]")
_VOID_TAGS = frozenset(("br", "hr", "img", "wbr", "input", "meta", "link", "source", "track", "area", "col", "embed"))
_LASTING_TAGS = frozenset(("plaintext", "style", "script", "frameset"))
"""Tags that nothing can close, or after which nobody can predict what a browser displays."""
_COVERING_TAGS = frozenset(
    ("", "details", "blockquote", "q", "del", "s", "strike", "pre", "code", "textarea", "select", "title", "template",
     "table", "ul", "ol", "iframe", "noscript", "button", "svg", "math", "a", "spoiler", "quote", "aside")
)  # fmt: skip
"""Tags whose content is never the writer's own line. The content of all other tags is in doubt."""
NEVER_ENDED = ""


class OpenHtml:
    def __init__(self) -> None:
        self._open: list[str] = []

    def __bool__(self) -> bool:
        return bool(self._open)

    @property
    def covers(self) -> bool:
        return not _COVERING_TAGS.isdisjoint(self._open)

    def follow(self, html: str) -> None:
        """Record which tags and comments a piece of HTML opens and closes.

        >>> html = OpenHtml()
        >>> html.follow("<details><!-- </details> -->")
        >>> bool(html)
        True
        """
        if self._open and self._open[-1] == NEVER_ENDED:
            return
        place = 0
        while begun := _HTML_SIGN.search(html, place):
            found = _HTML_COMMENT.match(html, begun.start()) or _HTML_TAG.match(html, begun.start())
            if found is None:
                self._open.append(NEVER_ENDED)
                return
            place = found.end()
            if found.re is _HTML_TAG and found["name"].lower() not in _VOID_TAGS and not SHOWN_TAG.fullmatch(found[0]):
                self._take(found["name"].lower(), ended=bool(found["end"]))

    def _take(self, name: str, *, ended: bool) -> None:
        if not ended:
            self._open.append(NEVER_ENDED if name in _LASTING_TAGS else name)
        elif self._open and self._open[-1] == name:
            self._open.pop()
