"""Lines of an HTML mail, with the quoting that mail programs put into its elements.

HTML says more than plain text about what is quoted: block quotes nest, and each program names its containers (table
below). Elements count as quoted, not "everything after", so what a player writes between two quotes stays their own;
only containers that are known to come last quote the rest of the document.

Players mark what they write into a quote by a colour. In Outlook nothing else distinguishes an answer that is typed
into the answered mail from that mail itself. Letters of ours are brown and black but for the colours in
`LETTER_COLOURS`.

Lexbor is quadratic in nesting and in the attributes of one tag, and reopens each unclosed formatting element in every
paragraph. So the markup is first slimmed to the few attributes read here, formatting elements are turned into ordinary
ones, and markup that is nested too deep is not read at all.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping
from typing import NamedTuple

from selectolax.lexbor import LexborHTMLParser, LexborNode

from bot.mail.lines import COLOURED, MAX_LINES_SEEN, SIGNATURE, Line, clean, split_quote_marks

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
    r"(?!gmail_)(?:[a-z0-9]+[-_])*(?:quote|quoted|blockquote)(?:[-_][a-z0-9]+)*)$"
)
"""Classes, ids and data-markers of the elements that hold a quote or the attribution above it."""
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
_DELETED = _names("s strike del")
_LIST_MARK = re.compile(r"mso-list\s*:\s*Ignore", re.IGNORECASE)
"""Word writes the numbers and bullets of its lists as text."""
_ROW_NUMBER = re.compile(r"\s*\(?\d{1,2}[.)]?\s*$")
_ROW_NUMBER_NODES = 12

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
_READ_ATTRIBUTES = frozenset(("class", "color", "data-marker", "hidden", "id", "name", "style", "type"))


class _Context(NamedTuple):
    depth: int = 0
    preformatted: bool = False
    in_container: bool = False
    """Directly inside a program's own container for quotes: a block quote there is the same quote, not a deeper one."""
    coloured: bool = False
    linked: bool = False


class _Page:
    def __init__(self) -> None:
        self.lines: list[Line] = []
        self.words: list[str] = []
        self.depth: int | None = None
        self.quotes_begun = 0
        """The number of quoted mails that end only with the document."""
        self.quote_is_new = False
        self.all_coloured = True

    def write(self, text: str, context: _Context) -> None:
        depth = max(min(self.quotes_begun, 2), context.depth) if context.depth >= 0 else context.depth
        if text.strip():
            self.quote_is_new = False
            if self.depth is not None and self.depth != depth:
                self.end_line()
            self.depth = depth
            self.all_coloured = self.all_coloured and context.coloured and not context.linked
        self.words.append(text)

    def begin_quote(self) -> None:
        """Quote the rest of the document; several separators in a row begin only one mail."""
        self.quotes_begun += not self.quote_is_new
        self.quote_is_new = True

    def end_line(self) -> None:
        text = "".join(self.words)
        depth = self.depth if self.depth is not None else 0
        if depth == 0:
            self.lines.append(split_quote_marks(clean(text).strip()))
        else:
            self.lines.append(Line(clean(text), COLOURED if depth == 1 and self.all_coloured else depth))
        self.words, self.depth, self.all_coloured = [], None, True

    def end_block(self) -> None:
        if self.depth is not None:
            self.end_line()
        else:
            self.words = []


def html_lines(html: str) -> list[Line] | None:
    """Return the lines that a reader of the HTML sees; None if the markup is too long or nested too deep.

    >>> html_lines("<div>bid 4</div><blockquote>What is your bid?</blockquote>")
    [Line(text='bid 4', depth=0), Line(text='What is your bid?', depth=1)]
    """
    slim = _slim(html[: MAX_HTML + 1])
    if len(html) > MAX_HTML or slim.count("<") > MAX_TAGS or _nested_deeper(slim, MAX_NESTING):
        return None
    document = LexborHTMLParser(slim)
    body = document.body
    if body is None:
        return []
    page = _Page()
    _read(body, page, spark_reply=document.css_matches('[name="messageBodySection"]'))
    page.end_block()
    return page.lines[:MAX_LINES_SEEN]


def _slim(html: str) -> str:
    return _TAG.sub(_slim_tag, _NOT_SHOWN.sub(" ", html))


def _slim_tag(match: re.Match[str]) -> str:
    closing, name, rest = match.groups()
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


def _read(body: LexborNode, page: _Page, spark_reply: bool) -> None:
    """Walk the tree without recursion: each stack entry is a node to open or, with None, a block to end."""
    stack: list[tuple[LexborNode | None, _Context]] = [(body, _Context())]
    while stack and len(page.lines) <= MAX_LINES_SEEN:
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
            attributes = node.attributes
            if tag in _DELETED or _is_not_shown(attributes):
                continue
            inner = _inner_context(node, tag, attributes, context, spark_reply)
            if _comes_last(node, tag, attributes):
                page.begin_quote()
            if tag in _BLOCKS:
                page.end_block()
                stack.append((None, context))
            elif tag in ("td", "th"):
                page.write(" ", context)
            stack.extend((child, inner) for child in reversed(_children(node)))


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
        page.write(re.sub(r"[ \t\r\n\f]+", " ", text), context)
        return
    first, *others = text.split("\n")
    page.write(first, context)
    for row in others:
        page.end_line()
        page.write(row, context)


def _inner_context(
    node: LexborNode, tag: str, attributes: dict[str, str | None], context: _Context, spark_reply: bool
) -> _Context:
    names = {name.lower() for key in ("id", "class", "data-marker") for name in (attributes.get(key) or "").split()}
    depth = context.depth
    own_name = (attributes.get("name") or "").lower()
    if depth == 0 and any(_SIGNATURE_NAME.match(name) for name in (*names, own_name)):
        depth = SIGNATURE
    in_container = context.in_container
    if depth >= 0 and not in_container and _is_container(tag, attributes, names, spark_reply):
        depth, in_container = depth + 1, True
    elif depth >= 0 and tag == "blockquote":
        depth, in_container = depth + (not in_container), False
    style = attributes.get("style") or ""
    if depth == 0 and (_BAR_ON_THE_LEFT.search(style) or _is_gmail_forward(node, names)):
        depth, in_container = 1, True
    preformatted = context.preformatted or tag == "pre" or "white-space:pre" in style.replace(" ", "").lower()
    colour = stands_out(tag, attributes)
    coloured = context.coloured if colour is None else colour
    return _Context(depth, preformatted, in_container, coloured, context.linked or tag == "a")


def _is_container(tag: str, attributes: dict[str, str | None], names: Collection[str], spark_reply: bool) -> bool:
    name = (attributes.get("name") or "").lower()
    return (
        any(_QUOTING_NAME.match(one) for one in names)
        or tag == "details"
        or (tag == "div" and name in _QUOTING_DIV_NAMES)
        or (spark_reply and name == "messagereplysection")
    )


def _is_gmail_forward(node: LexborNode, names: Collection[str]) -> bool:
    """Is this Gmail's container without a block quote directly inside? Then another person wrote all of it."""
    return "gmail_quote" in names and all(child.tag != "blockquote" for child in _nodes_within(node))


def _is_not_shown(attributes: dict[str, str | None]) -> bool:
    """Is the element hidden, a list's own number, or struck out? People delete words by striking them out."""
    style = attributes.get("style") or ""
    return "hidden" in attributes or any(pattern.search(style) for pattern in (_HIDDEN, _STRUCK_OUT, _LIST_MARK))


def _comes_last(node: LexborNode, tag: str, attributes: dict[str, str | None]) -> bool:
    if _LAST_IDS.match(attributes.get("id") or ""):
        return True
    if tag != "div" or not _OUTLOOK_BORDER.search(attributes.get("style") or ""):
        return False
    label = node.css_first(f"b{_ORDINARY}")
    return label is not None and label.text().strip()[:60].endswith((":", "："))


LETTER_COLOURS = frozenset(
    ("8f3d0c", "a3261b", "f2ad6b", "ff9b8f", "2f7d3b", "3a5fb0", "b3202c", "f2c531", "e8792b", "5b4a9c")
)
"""The colours of our own letters (`templates/letters/page.html.j2`, the faction discs); mail programs keep them in
quotes."""
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
"""The difference between the strongest and the weakest component (0 to 255) from which a colour is no shade of grey."""

_WORDS = frozenset(("span", "font", "b", "i", "u", "em", "strong", "mark", "big", "small"))
"""Inline elements; a highlight on a larger element is a program's box."""


def stands_out(tag: str, attributes: Mapping[str, str | None]) -> bool | None:
    """Does this element give its words a colour or highlight that is not ours? None if it gives them none.

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
