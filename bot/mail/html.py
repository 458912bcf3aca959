"""The lines of an HTML mail, with the quoting that mail programs express in its elements.

HTML says more than plain text about what is quoted: block quotes nest, and each program uses its own names for its
containers (see the table below). Only the elements themselves count as quoted, not everything after them, so what a
player writes between two quotes is still theirs. If a program always puts a container last, everything after its start
counts as quoted.

The name of a container proves nothing. People indent their own words, which makes a block quote, and Gmail may wrap a
whole mail in `gmail_quote`. A container is a quote only if something proves it: an attribution or a header block at its
start or just above it, the attribute `cite`, words of ours, or the same look as a proven quote. Without such proof,
indented text is the player's own. If it still looks like a quote (it has a bar on the left, or is another program's
container), it is `DOUBTFUL`.

Players use colour to mark what they write into a quote. In Outlook, colour is all that distinguishes an answer from the
mail into which it is typed. Our own letters are brown and black except for the colours in `LETTER_COLOURS`.

Lexbor is quadratic in nesting and in the attributes of one tag, and reopens each unclosed formatting element in every
paragraph. So the markup is first reduced to the few attributes that are read here, and formatting elements are turned
into ordinary ones. Markup that is nested too deeply is not read.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import groupby
from operator import attrgetter
from typing import NamedTuple
from urllib.parse import unquote

from selectolax.lexbor import LexborHTMLParser, LexborNode

from bot.mail.attributions import (
    ATTRIBUTION_LINES,
    OwnAddress,
    attributes_unmarked_text,
    attribution_above,
    is_header_block,
    is_separator,
    is_sure_attribution,
    own_address_pattern,
    says_who_or_when,
)
from bot.mail.lines import COLOURED, DOUBTFUL, MAX_LINES_SEEN, SIGNATURE, Line, clean, split_quote_marks
from bot.mail.quotes import begins_letter_of_ours

MAX_HTML = 1_000_000
MAX_TAGS = 100_000
MAX_NESTING = 500


def _names(text: str) -> frozenset[str]:
    return frozenset(text.split())


_QUOTING_NAME = re.compile(
    r"^(?:x_|ydp[0-9a-f]*)*(?:gmail_attr|moz-cite-prefix|yahoo_quoted(?:_\d+)?|protonmail_quote|tutanota_quote|zmail_extra|"
    r"zmail_extra_hr|ntes-mailmaster-quote|oi-quote|moz-forward-container|ms-outlook-mobile-reference-message|fairemail_quote|"
    r"isreplycontent|isforwardcontent|divneteasemailquote|mail-quote|reply-intro|qt|mailru-blockquote|"
    r"mail-editor-reference-message-container|front-blockquote|edo-original-message|sh-quoted-content|hcl-quote|"
    r"replaced-blockquote|origmsg|originalmessage|original-message|yandex_quote|cwmailquote|gmail_quote_attribution|"
    r"crm-original-message-content|quoted_reply|quotedtext|msoquote|msointensequote|__quoted_text__|__headers__|__divider__|"
    r"(?!gmail_|webkit-indent-)(?:[a-z0-9]+[-_])*(?:quote|quoted|blockquote)(?:[-_][a-z0-9]+)*)$"
)
"""Classes, ids and data-markers of the elements that hold a quote or the attribution above it."""
_ATTRIBUTING_NAME = re.compile(
    r"^(?:x_|ydp[0-9a-f]*)*(?:gmail_attr|moz-cite-prefix|reply-intro|gmail_quote_attribution|__headers__|__divider__|"
    r"zmail_extra_hr)$"
)
_QUOTING_DIV_NAMES = frozenset(("quote", "quoted-content"))
_LAST_IDS = re.compile(
    r"^(?:x_)*(?:divRplyFwdMsg|appendonsend|stopSpelling|replySplit|orig_msg|zwchr|OLK_SRC_BODY_SECTION)$",
    re.IGNORECASE,
)
_SIGNATURE_NAME = re.compile(
    r"^(?:x_|ydp[0-9a-f]*)*(?:gmail_signature(?:_prefix)?|moz-signature|signature|applemailsignature|"
    r"ms-outlook-mobile-signature|protonmail_signature_block(?:-user|-proton)?|ymail_android_signature|composer_signature|"
    r"yahoo-signature|yahoo_signature|tutanota_signature|fairemail_signature|k9mail-signature|spark_signature|"
    r"edo-signature|bloop_customfont_signature|zimbra_signature|mail-signature|email-signature|sign|mobile_signature|"
    r"avg_signature|messagesignaturesection|[a-z0-9]+-signature|dab4fad8-2dd7-40bb-a1b8-4e2aa1f9fdf2)$"
)
_OUTLOOK_BORDER = re.compile(
    r"border:\s*none;\s*border-top:\s*solid\s+(?:#[0-9a-f]{6}|windowtext)|border-style:\s*solid none none",
    re.IGNORECASE,
)
_BAR_ON_THE_LEFT = re.compile(
    r"border-left(?:-style)?\s*:[^;]*\b(?:solid|dashed|dotted|double|groove|ridge)\b", re.IGNORECASE
)
_HIDDEN = re.compile(
    r"display\s*:\s*none|visibility\s*:\s*hidden|mso-hide\s*:\s*all|font-size\s*:\s*0(?:[^.\d]|$)|opacity\s*:\s*0(?:[^.\d]|$)|"
    r"max-height\s*:\s*0(?:\D|$)|font-size\s*:\s*1px|(?<![\w-])color\s*:\s*transparent|"
    r"(?<![\w-])(?:left|top|text-indent)\s*:\s*-\d{3,}|"
    r"(?<![\w-])height\s*:\s*0(?:px)?\s*;.*overflow\s*:\s*hidden",
    re.IGNORECASE,
)
_STRUCK_OUT = re.compile(r"text-decoration(?:-line)?\s*:[^;]*line-through", re.IGNORECASE)
_PROTECTED_FIELDS = "header-protection-legacy-display"
"""The class of the element that repeats the header fields which a program protects (RFC 9788)."""
_DELETED = _names("s strike del")
_LIST_MARK = re.compile(r"mso-list\s*:\s*Ignore", re.IGNORECASE)
"""Word writes the numbers and bullets of its lists as ordinary text."""
_ROW_NUMBER = re.compile(r"\s*\(?\d{1,2}[.)]?\s*$")
_ROW_NUMBER_NODES = 12

_MOST_BOXES = 20
"""The number of levels of nested containers that are distinguished."""
_MOST_JUDGED = 500
_LOOKED_AT = 12
"""The number of lines around the start of a container that are searched for proof that it is a quote."""
_OUR_WORDS_FROM = 25
_OUR_LINES_FROM = 3
"""If there are fewer lines of ours than this, or only short ones, the player may have copied them as orders."""

_SHEET = re.compile(r"<style\b[^>]*+>(.*?)(?:</style\b|\Z)", re.IGNORECASE | re.DOTALL)
_CSS_COMMENT = re.compile(r"/\*.*?(?:\*/|\Z)|<!--|-->", re.DOTALL)
_BRACE = re.compile(r"([{}])")
_SIMPLE_SELECTOR = re.compile(r"(?:html ?[ >] ?)?(?:body ?[ >] ?)?(\*|(?:[a-z][a-z0-9]*)?(?:[.#][\w-]+)?)")
_MOST_RULES = 200
_MOST_DECLARED = 1_000
_BLANKS = re.compile(r"[ \t\r\n\f]+")
_WHITE_SPACE = re.compile(r"white-space(?:-collapse)?\s*:\s*([a-z-]+)", re.IGNORECASE)

_NEVER_TEXT = _names("script style head title template noscript -comment object svg meta textarea select button iframe")
_BLOCKS = _names(
    "address article aside blockquote body center dd div dl dt fieldset figure footer form h1 h2 h3 h4 h5 h6 header "
    "hr html li main nav ol p pre section table tbody tfoot thead tr ul"
)
_VOID = _names("area base br col embed hr img input link meta param source track wbr")
_CLOSE_THEMSELVES = _names("body dd dt html li p tbody td tfoot th thead tr")
_SCOPES = _names("applet button caption marquee object table")
"""An end tag within one of these closes nothing outside it (HTML standard, 13.2.4.2)."""
_FORMATTING = _names("a b big code em font i nobr s small strike strong tt u")
"""Elements that the HTML standard reopens after a block in which they were left open (13.2.4.3)."""
_ORDINARY = "-"
"""A suffix that turns the name of a formatting element into one that no standard knows."""
_CHOICES = _names("optgroup option")

_NOT_SHOWN = re.compile(
    r"<!--.*?(?:-->|\Z)|<!\[[^>]*+(?:>|\Z)|<(script|style|title|noscript|template|svg)\b.*?(?:</\1\s*>|\Z)",
    re.IGNORECASE | re.DOTALL,
)
_VALUE = r"(?:\"[^\"]*+\"?|'[^']*+'?|[^\s>\"'][^\s>]*+)"
_TAG = re.compile(rf"<(/?)([a-zA-Z][^\s/>]*+)((?:[\s/]++|=?[^\s/>=]++(?:\s*+=\s*+{_VALUE}?)?|=)*+)>?")
_ATTRIBUTE = re.compile(rf"([^\s/>=]++)(?:\s*+=\s*+({_VALUE}))?")
_READ_ATTRIBUTES = frozenset(("cite", "class", "color", "data-marker", "hidden", "href", "id", "name", "style", "type"))


@dataclass(slots=True, eq=False)
class _Box:
    firm: bool = False
    """The container looks like a quote, so without proof its words are doubtful and do not count as the player's."""
    proved: bool = False
    doubtful: bool = False
    ours: bool = False
    """Words of ours prove that the container is a quote; other words in it are doubtful."""
    attributes: bool = False
    """The container is a program's element for the attribution above a quote."""
    look: str = ""
    """The attributes that all block quotes of one kind have in common."""
    outermost: bool = False
    """The container adds no depth if it is within another quote."""
    within: bool = False
    """The container is directly inside a program's own container, so it is the same quote, not a deeper one."""


def _style_sheet(html: str) -> dict[str, str]:
    """Return the declarations of the rules that apply to single elements, by selector: `p`, `.class`, `#id`, `p.class`.
    Rules for certain screens only (`@media`), and rules for elements within other elements, are left out."""
    found: dict[str, str] = {}
    for sheet in _SHEET.findall(html[:MAX_HTML]):
        outer: list[str] = []
        pieces = _BRACE.split(_CSS_COMMENT.sub(" ", sheet))
        for text, brace in zip(pieces[::2], pieces[1::2], strict=False):
            if brace == "{":
                outer.append(text.strip().lower())
            elif outer and (selectors := outer.pop()) and not outer and len(found) < _MOST_RULES:
                for selector in selectors[:_MOST_DECLARED].split(","):
                    simple = _SIMPLE_SELECTOR.fullmatch(" ".join(selector.split()))
                    if simple:
                        found[simple[1]] = f"{found.get(simple[1], '')};{text.strip()}"[:_MOST_DECLARED]
    return found


def _with_sheet(tag: str, attributes: dict[str, str | None], sheet: Mapping[str, str]) -> dict[str, str | None]:
    names = [f".{name.lower()}" for name in (attributes.get("class") or "").split()]
    names += [f"#{name.lower()}" for name in (attributes.get("id") or "").split()]
    styles = [sheet[selector] for selector in ("*", tag, *names, *(tag + name for name in names)) if selector in sheet]
    return {**attributes, "style": ";".join([*styles, attributes.get("style") or ""])} if styles else attributes


def _keeps_line_ends(style: str) -> bool | None:
    found = _WHITE_SPACE.findall(style)
    return found[-1].lower().startswith(("pre", "break")) if found else None


class _Context(NamedTuple):
    boxes: tuple[_Box, ...] = ()
    preformatted: bool = False
    in_container: bool = False
    signature: bool = False
    coloured: bool = False
    linked: bool = False
    button: bool = False
    """The words are in a link that our letters contain: one that opens a mail to the address of a seat."""


class _Row(NamedTuple):
    text: str = ""
    boxes: tuple[_Box, ...] = ()
    last: tuple[_Box, ...] = ()
    """The quotes that end only at the end of the document."""
    signature: bool = False
    coloured: bool = False
    button: bool = False


class _Page:
    def __init__(self, ours: OwnAddress, sheet: Mapping[str, str], spark_reply: bool) -> None:
        self.ours = ours
        self.sheet = sheet
        self.spark_reply = spark_reply
        self.rows: list[_Row] = []
        self.words: list[str] = []
        self.begun: tuple[tuple[_Box, ...], tuple[_Box, ...], bool] | None = None
        self.last: tuple[_Box, ...] = ()
        self.quote_is_new = False
        self.all_coloured, self.button = True, False

    def write(self, text: str, context: _Context) -> None:
        if text.strip():
            self.quote_is_new = False
            begun = (context.boxes, self.last, context.signature)
            if self.begun is not None and self.begun != begun:
                self.end_line()
            self.begun = begun
            self.button = self.button or context.button
            self.all_coloured = self.all_coloured and context.coloured and not context.linked
        self.words.append(text)

    def begin_quote(self, box: _Box) -> None:
        """Treat the rest of the document as a quote. Several separators in a row begin only one quoted mail."""
        if not self.quote_is_new:
            self.last = (*self.last, box)[:_MOST_BOXES]
        self.quote_is_new = True

    def end_line(self) -> None:
        row = self.begun or ((), (), False)
        self.rows.append(_Row(clean("".join(self.words)), *row, self.all_coloured, self.button))
        self.words, self.begun, self.all_coloured, self.button = [], None, True, False

    def end_block(self) -> None:
        if self.begun is not None:
            self.end_line()
        else:
            self.words = []


IsOurs = Callable[[str], bool]
"""A function that returns True if the letter being answered contains these words."""


def _prove(rows: Sequence[_Row], ours: OwnAddress, is_ours: IsOurs) -> None:
    first: dict[_Box, int] = {}
    alone: dict[_Box, list[_Row]] = {}
    for index, row in enumerate(rows):
        if row.text.strip():
            for box in (*row.last, *row.boxes):
                first.setdefault(box, index)
            for box in (row.boxes or row.last)[-1:]:
                alone.setdefault(box, []).append(row)
    looks: set[str] = set()
    judged = 0
    for box, index in first.items():
        outer = (*rows[index].last, *rows[index].boxes)
        outer = outer[: outer.index(box)]
        box.proved = box.proved or any(other.proved for other in outer) or box.look in looks
        judged += not box.proved
        if judged > _MOST_JUDGED:
            box.firm = True
        elif not box.proved:
            box.proved = _is_attributed(rows, index, box, ours)
            if not box.proved:
                _compare(box, alone.get(box, ()), is_ours)
        if box.proved and box.look:
            looks.add(box.look)
    for box in first:
        box.doubtful = not box.proved and (box.firm or box.look in looks)


def _is_attributed(rows: Sequence[_Row], first: int, box: _Box, ours: OwnAddress) -> bool:
    inside = [Line(row.text.strip(), int(row.boxes[-1:] != (box,))) for row in rows[first : first + _LOOKED_AT]]
    if box in rows[first].last:
        inside = [Line(line.text) for line in inside]
    if box.attributes:
        return says_who_or_when(" ".join(line.text for line in inside[:ATTRIBUTION_LINES]))
    deeper = next((index for index, line in enumerate(inside) if line.depth > 0), 0)
    if deeper and 0 in _attribution(inside, deeper, ours):
        return True
    if inside[0].depth == 0 and _begins_quote(inside, 0, ours):
        return True
    around = rows[first].boxes[: rows[first].boxes.index(box)] if box in rows[first].boxes else rows[first].boxes
    above = [row for row in rows[max(first - _LOOKED_AT, 0) : first] if row.text.strip()]
    if above and any(other.attributes and other.proved for other in above[-1].boxes):
        return True
    lines = [Line(row.text.strip(), int(row.boxes != around)) for row in above]
    if any(_begins_quote([*lines, Line(inside[0].text)], index, ours) for index in _unquoted_below(lines)):
        return True
    return bool(_attribution([*lines, Line(inside[0].text, 1)], len(lines), ours))


def _begins_quote(lines: Sequence[Line], index: int, ours: OwnAddress) -> bool:
    if is_header_block(lines, index) or is_separator(lines, index) or begins_letter_of_ours(lines, index):
        return True
    return attributes_unmarked_text(lines, index, ours)


def _unquoted_below(lines: Sequence[Line]) -> range:
    quoted = max((index for index, line in enumerate(lines) if line.depth > 0), default=-1)
    return range(quoted + 1, len(lines))


def _attribution(lines: Sequence[Line], quote: int, ours: OwnAddress) -> range:
    found = attribution_above(lines, [line.depth == 0 for line in lines], quote, ours)
    return found if is_sure_attribution(" ".join(lines[index].text for index in found), ours) else range(0)


def _compare(box: _Box, rows: Sequence[_Row], is_ours: IsOurs) -> None:
    known = [row.text for row in rows if is_ours(row.text)]
    most = len(known) * 2 >= len(rows)
    long = any(len(words) >= _OUR_WORDS_FROM for words in known)
    box.proved = box.ours = (most and long) or any(row.button for row in rows)
    box.firm = box.firm or (most and len(known) >= _OUR_LINES_FROM)


def _lines(rows: Sequence[_Row], is_ours: IsOurs) -> Iterator[Line]:
    for (boxes, last), together in groupby(rows, attrgetter("boxes", "last")):
        depth = _depth(boxes, last)
        of_our_words = depth == 1 and any(box.ours for box in (boxes or last)[-1:])
        for row in together:
            if depth == DOUBTFUL or (of_our_words and not row.button and not is_ours(row.text)):
                yield Line(row.text.strip(), DOUBTFUL)
            elif depth:
                yield Line(row.text, COLOURED if depth == 1 and row.coloured else depth)
            else:
                yield Line(row.text, SIGNATURE) if row.signature else split_quote_marks(row.text.strip())


def _depth(boxes: Sequence[_Box], last: Sequence[_Box]) -> int:
    deeper = 0
    for place, box in enumerate(boxes):
        same = (box.outermost and deeper > 0) or (box.within and place > 0 and boxes[place - 1].proved)
        deeper += box.proved and not same
    depth = max(min(sum(box.proved for box in last), 2), deeper)
    return DOUBTFUL if not depth and any(box.doubtful for box in (*boxes, *last)) else depth


class Page(NamedTuple):
    lines: list[Line]
    ends_quoted: bool = False
    """A quote runs to the end of the document, so words in another part of the mail may still belong to it."""


def html_lines(html: str, own_address: str = "", is_ours: IsOurs = lambda _words: False) -> list[Line] | None:
    """Return the lines that a reader of the HTML sees, or None if the markup is too long or nested too deeply.

    >>> html_lines("<div>bid 4</div><blockquote type=cite>What is your bid?</blockquote>")
    [Line(text='bid 4', depth=0), Line(text='What is your bid?', depth=1)]
    """
    page = read_page(html, own_address, is_ours)
    return None if page is None else page.lines


def read_page(html: str, own_address: str, is_ours: IsOurs) -> Page | None:
    slim = _slim(html[: MAX_HTML + 1])
    if len(html) > MAX_HTML or slim.count("<") > MAX_TAGS or _nested_deeper(slim, MAX_NESTING):
        return None
    document = LexborHTMLParser(slim)
    body = document.body
    if body is None:
        return Page([])
    spark_reply = document.css_matches('[name="messageBodySection"]')
    page = _Page(own_address_pattern(own_address), _style_sheet(html), spark_reply)
    _read(body, page)
    page.end_block()
    rows = page.rows[:MAX_LINES_SEEN]
    _prove(rows, page.ours, is_ours)
    return Page(list(_lines(rows, is_ours)), any(box.proved or box.doubtful for box in page.last))


def _slim(html: str) -> str:
    slim_tag = cache(_slim_tag)
    return _TAG.sub(lambda found: slim_tag(*found.groups()), _NOT_SHOWN.sub(" ", html))


def _slim_tag(closing: str, name: str, rest: str) -> str:
    tag = name.lower()
    if tag in _CHOICES:
        return ""
    if tag in _FORMATTING:
        name = tag + _ORDINARY
    kept: dict[str, str] = {}
    for attribute in _ATTRIBUTE.finditer(rest) if rest and not closing else ():
        key = attribute.group(1).lower()
        if key in _READ_ATTRIBUTES and key not in kept:
            kept[key] = (attribute.group(2) or "").strip("\"'")[:300].replace('"', "&quot;")
    return f"<{closing}{name[:30]}" + "".join(f' {key}="{value}"' for key, value in kept.items()) + ">"


def _nested_deeper(slim: str, limit: int) -> bool:
    if slim.count("<") <= limit:
        return False
    opened: list[str] = []
    for closing, name, _ in _TAG.findall(slim):
        tag = name.lower()
        if tag in _VOID or tag in _CLOSE_THEMSELVES:
            continue
        if not closing:
            opened.append(tag)
            if len(opened) > limit:
                return True
        elif tag in opened:
            last = len(opened) - 1 - opened[::-1].index(tag)
            if _may_close(tag, opened[last + 1 :]):
                del opened[last:]
    return False


def _may_close(tag: str, inside: Collection[str]) -> bool:
    if tag in _SCOPES:
        return True
    return _SCOPES.isdisjoint(inside) and (tag in _BLOCKS or _BLOCKS.isdisjoint(inside))


def _read(body: LexborNode, page: _Page) -> None:
    """Walk the tree without recursion. Each entry of the stack holds a node to open, or None at the end of a block."""
    element_of = cache(lambda tag, *attributes: _element(tag, dict(attributes), page))  # a page repeats its tags
    stack: list[tuple[LexborNode | None, _Context]] = [(body, _Context())]
    while stack and len(page.rows) <= MAX_LINES_SEEN:
        node, context = stack.pop()
        if node is None:
            page.end_block()
            continue
        tag = (node.tag or "").removesuffix(_ORDINARY)
        if tag == "-text":
            _write_text(node.text_content or "", page, context)
        elif tag == "br":
            page.end_line()
        elif tag not in _NEVER_TEXT:
            element = element_of(tag, *node.attributes.items())
            if not element.shown:
                continue
            inner = _inner_context(node, element, context) if element.changes_words else context
            if element.last:
                page.begin_quote(_Box(firm=True))
            elif element.bordered and _holds_label(node):
                page.begin_quote(_Box(proved=True))
            if tag in _BLOCKS:
                page.end_block()
                stack.append((None, context))
            elif tag in ("td", "th"):
                page.write(" ", context)
            stack += [(child, inner) for child in reversed(_children(node))]


def _children(node: LexborNode) -> list[LexborNode]:
    children = list(_nodes_within(node))
    if node.tag == "tr":
        cells = [cell for cell in children if cell.tag in ("td", "th")]
        if len(cells) > 1 and _is_row_number(cells[0]):
            children = [child for child in children if child is not cells[0]]
    return children


def _nodes_within(node: LexborNode) -> Iterator[LexborNode]:
    child = node.child
    while child is not None:
        yield child
        child = child.next


def _is_row_number(cell: LexborNode) -> bool:
    nodes, text = [cell], ""
    for _ in range(_ROW_NUMBER_NODES):
        if not nodes:
            return bool(_ROW_NUMBER.match(text))
        node = nodes.pop()
        if node.tag == "-text":
            text += (node.text_content or "")[:40]
        nodes += list(_nodes_within(node))[:_ROW_NUMBER_NODES]
    return False


def _write_text(text: str, page: _Page, context: _Context) -> None:
    if not context.preformatted:
        page.write(_BLANKS.sub(" ", text), context)
        return
    first, *others = text.split("\n")
    page.write(first, context)
    for row in others:
        page.end_line()
        page.write(row, context)


def _inner_context(node: LexborNode, element: _Element, context: _Context) -> _Context:
    signature = context.signature or element.signature
    box, in_container = None, context.in_container
    if signature:
        pass
    elif element.container:
        box, in_container = _Box(firm=True, attributes=element.attributes, within=in_container), True
    elif element.quotes:
        box = _Box(firm=element.bar, proved=element.cited, look=element.look, within=in_container)
        in_container = False
    elif element.bar or (element.of_gmail and all(child.tag != "blockquote" for child in _nodes_within(node))):
        # with a block quote directly inside, Gmail's container holds the attribution, that quote, and what is below
        box, in_container = _Box(firm=element.bar, outermost=True), True
    boxes = context.boxes
    if box is not None:
        boxes = (*boxes, box) if len(boxes) < _MOST_BOXES else (*boxes[:_MOST_BOXES], _Box(proved=True))
    return _Context(
        boxes,
        context.preformatted if element.preformatted is None else element.preformatted,
        in_container,
        signature,
        context.coloured if element.colour is None else element.colour,
        context.linked or element.linked,
        context.button or element.button,
    )


class _Element(NamedTuple):
    shown: bool = True
    last: bool = False  # a quote begins here and continues to the end of the document
    bordered: bool = False  # it has a border like Outlook's header block
    signature: bool = False
    container: bool = False
    attributes: bool = False  # the element holds the attribution above a quote
    quotes: bool = False
    cited: bool = False
    look: str = ""
    bar: bool = False
    of_gmail: bool = False
    preformatted: bool | None = None
    colour: bool | None = None
    linked: bool = False
    button: bool = False

    @property
    def changes_words(self) -> bool:
        return self[3:] != _NOTHING_SAID


_NOTHING_SAID = _Element()[3:]


def _element(tag: str, attributes: dict[str, str | None], page: _Page) -> _Element:
    attributes = _with_sheet(tag, attributes, page.sheet) if page.sheet else attributes
    if tag in _DELETED or _is_not_shown(attributes):
        return _Element(shown=False)
    names = {name.lower() for key in ("id", "class", "data-marker") for name in (attributes.get(key) or "").split()}
    own_name = (attributes.get("name") or "").lower()
    style = attributes.get("style") or ""
    cited = tag == "blockquote" and ("cite" in attributes or (attributes.get("type") or "").lower() == "cite")
    keeps = _keeps_line_ends(style)
    return _Element(
        last=bool(_LAST_IDS.match(attributes.get("id") or "")),
        bordered=tag == "div" and bool(_OUTLOOK_BORDER.search(style)),
        signature=any(_SIGNATURE_NAME.match(name) for name in (*names, own_name)),
        container=any(_QUOTING_NAME.match(name) for name in names)
        or tag == "details"
        or (tag == "div" and own_name in _QUOTING_DIV_NAMES)
        or (page.spark_reply and own_name == "messagereplysection"),
        attributes=any(_ATTRIBUTING_NAME.match(name) for name in names),
        quotes=tag == "blockquote",
        cited=cited,
        look=f"{sorted(names)} {style}" if tag == "blockquote" and not cited else "",
        bar=bool(_BAR_ON_THE_LEFT.search(style)),
        of_gmail="gmail_quote" in names,
        preformatted=True if keeps is None and tag == "pre" else keeps,
        colour=stands_out(tag, attributes),
        linked=tag == "a",
        button=tag == "a" and _writes_to_us(attributes.get("href") or "", page.ours),
    )


def _writes_to_us(link: str, ours: OwnAddress) -> bool:
    scheme, _, rest = link.partition(":")
    found = ours.search(unquote(rest)) if scheme.strip().lower() == "mailto" else None
    return found is not None and "+" in found.group()


def _is_not_shown(attributes: dict[str, str | None]) -> bool:
    """Return True if the element is hidden, struck out, the number of a list item, or meant for protected fields.
    Struck-out words do not count, because striking them out is how people delete them."""
    style = attributes.get("style") or ""
    if _PROTECTED_FIELDS in (attributes.get("class") or "").lower().split():
        return True
    return "hidden" in attributes or any(pattern.search(style) for pattern in (_HIDDEN, _STRUCK_OUT, _LIST_MARK))


def _holds_label(node: LexborNode) -> bool:
    label = node.css_first(f"b{_ORDINARY}")
    return label is not None and label.text().strip()[:60].endswith((":", "："))


LETTER_COLOURS = frozenset(
    ("8f3d0c", "a3261b", "f2ad6b", "ff9b8f", "2f7d3b", "3a5fb0", "b3202c", "f2c531", "e8792b", "5b4a9c")
)
"""The colours of our own letters (`templates/letters/page.html.j2`, the faction discs); they also occur in quotes."""
OLD_LETTER_COLOURS = frozenset(("b0712b", "c0392b", "4c8c4a", "8f5a1e", "c9822f"))
"""The colours of earlier letters, which players still answer."""

_OURS = LETTER_COLOURS | OLD_LETTER_COLOURS
_NAMED_COLOURS = frozenset(
    ("red", "blue", "green", "purple", "magenta", "fuchsia", "orange", "maroon", "navy", "teal", "lime", "cyan", "aqua",
     "yellow", "violet")
)  # fmt: skip
_WRITTEN_COLOUR = re.compile(r"(?:^|[;\s])color\s*:\s*([^;!]+)", re.IGNORECASE)
_HIGHLIGHT = re.compile(r"(?:^|[;\s])(?:background(?:-color)?|mso-highlight)\s*:\s*([^;!]+)", re.IGNORECASE)
_HEX = re.compile(r"#([0-9a-f]{3}|[0-9a-f]{6})$")
_RGB = re.compile(r"rgba?\(\s*(\d{1,3})[\s,]+(\d{1,3})[\s,]+(\d{1,3})")
_VIVID = 70
"""A colour counts as more than a shade of grey if its strongest and weakest components (0 to 255) differ by this
much."""

_WORDS = frozenset(("span", "font", "b", "i", "u", "em", "strong", "mark", "big", "small"))
"""Inline elements. A highlight on a larger element is a box that a program made."""


def stands_out(tag: str, attributes: Mapping[str, str | None]) -> bool | None:
    """Return True if this element gives its words a colour or a highlight that our letters do not use, False if it
    gives them only a grey or one of our colours, or None if it gives them no colour.

    >>> stands_out("span", {"style": "font-size:11pt;color:red"}), stands_out("p", {"style": "color:#888"})
    (True, False)
    """
    style = attributes.get("style") or ""
    if tag in _WORDS:
        highlight = _HIGHLIGHT.search(style)
        if tag == "mark" or (highlight and _is_vivid(highlight.group(1))):
            return True
    found = _WRITTEN_COLOUR.search(style)
    colour = found.group(1) if found else attributes.get("color")
    return _is_vivid(colour) if colour else None


def _is_vivid(colour: str) -> bool:
    colour = colour.strip().lower()
    parts = _rgb_of(colour)
    if parts is None:
        return colour in _NAMED_COLOURS
    return max(parts) - min(parts) >= _VIVID and "".join(f"{part:02x}" for part in parts) not in _OURS


def _rgb_of(colour: str) -> tuple[int, ...] | None:
    if digits := _HEX.match(colour):
        text = digits.group(1)
        text = text if len(text) == 6 else "".join(2 * digit for digit in text)
        return tuple(int(text[place : place + 2], 16) for place in (0, 2, 4))
    if numbers := _RGB.match(colour):
        return tuple(min(int(number), 255) for number in numbers.groups())
    return None
