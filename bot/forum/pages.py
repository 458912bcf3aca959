"""A whole page of a thread, as a person copied it: its posts, with author, number and time as the forum prints them.

Each kind of page has an anchor: a text that its forum prints at the head of every post, and only there. A page is of
the kind whose anchor occurs in it most often. The text between two anchors is one post, by the author named there, so a
stranger's post is never mistaken for the end of a player's post. Copied words have lost their markup. So the text after
"X wrote:" is marked as a quote up to the next blank line. The quote goes on as long as it repeats an earlier post of
the page.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from html import unescape
from itertools import islice
from zoneinfo import ZoneInfo

from rapidfuzz import fuzz

from bot.channels import Dialect
from bot.channels.paste import Block
from bot.forum.own_lines import LONGEST_POST
from bot.mail.html import html_lines

LONGEST_PAGE = 1_000_000
MOST_POSTS = 500
MOST_ABOVE = 12  # lines of the head of a post


@dataclass(frozen=True, slots=True)
class PagePost:
    author: str
    text: str
    number: int | None = None
    written: datetime | None = None
    dialect: Dialect | None = None
    """The dialect of its text, or None for the dialect of the forum's own posts."""


@dataclass(frozen=True, slots=True)
class _Kind:
    """One kind of page. ``anchor`` matches the head of a post, with the groups author, number and stamp if the forum
    prints them. ``ends`` matches the line after which the head of the next post begins. If ``anchor`` has no author,
    the lines above it begin with the author."""

    anchor: re.Pattern[str]
    dialect: Dialect = Dialect.TEXT
    ends: re.Pattern[str] | None = None


_NAME = r"[^\n]{1,60}?"
_DAY = r"(?:\w{2,10}\.?,? )?(?:\d{1,2}\.? \w{3,10}\.?,? \d{4}|\w{3,10} \d{1,2},? \d{4}|\d{4}-\d\d-\d\d)"
_STAMP = rf"{_DAY}(?:,?(?: at| um)? ?\d{{1,2}}:\d\d(?::\d\d)?(?: ?[ap]m)?)?"
_ROWS = r"(?:[^\n]{1,60}\n){0,3}?"
_AGO = r"\d{1,2} ?(?:min|h|d|hours?|days?)(?: ago)?"
_NUMBER = r"(?P<number>\d{1,9})"
_HASH = rf"#{_NUMBER}[ \t]*$"
_WEEKDAY = r"(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)"
_BY = r"(?:Unread post|Post(?:ed)?|Beitrag|Message|Mensaje)?[ \t]*(?:by|von|par|por)"


def _kind(anchor: str, dialect: Dialect = Dialect.TEXT, ends: str = "") -> _Kind:
    return _Kind(re.compile(anchor, re.MULTILINE), dialect, re.compile(ends) if ends else None)


_KINDS = (
    # Discourse, /raw/
    _kind(rf"^(?P<author>{_NAME}) \| (?P<stamp>\d{{4}}-\d\d-\d\d [\d:]{{5,8}} UTC) \| {_HASH}", Dialect.MARKDOWN),
    # phpBB: a page, and its print view
    _kind(
        rf"^(?:#{_NUMBER}[ \t]*\n+)?{_BY}[ \t](?P<author>{_NAME})[ \t][»›][ \t](?P<stamp>[^\n]{{6,40}})$",
        ends="Top|Nach oben|Haut|Arriba",
    ),
    _kind(rf"^(?:Posted|Verfasst):[ \t](?P<stamp>[^\n]{{6,40}})\n+(?:by|von)[ \t](?P<author>{_NAME})[ \t]*$"),
    # XenForo
    _kind(rf"^(?P<stamp>{_STAMP}|(?:Yesterday|Today|Gestern|Heute)[^\n]{{0,20}})[ \t·•]*\n?(?:New\n)?{_HASH}"),
    # BoardGameGeek
    _kind(rf"^{_NAME}\n@(?P<author>[\w .-]{{1,40}})\n{_ROWS}(?P<stamp>{_STAMP}|{_AGO})[^\n]{{0,20}}$"),
    # RPoL
    _kind(
        rf"^(?P<author>{_NAME})\n{_ROWS}[^\n]{{0,40}}?(?P<stamp>{_WEEKDAY} \d{{1,2}} \w{{3}} \d{{4}}\s+at \d\d:\d\d)"
        rf"(?:\n+msg #{_NUMBER})?[ \t]*$"
    ),
    # by hand: "#5 paul_m (24 Nov 2026 19:58)"
    _kind(rf"^#{_NUMBER}[ .:)-]+(?P<author>{_NAME})(?:[ \t]*\((?P<stamp>[^()\n]{{4,40}})\))?:?[ \t]*$"),
)
_ATTRIBUTE = re.compile(r"\b(username|postdate|id)=\"([^\"]{1,80})\"")
_BODY = re.compile(r"<body>(.*?)</body>", re.DOTALL)
_QUOTE_BODY = re.compile(r"<div class=['\"]quotebody['\"]>(.*?)</div>|<blockquote[^>]*>(.*?)</blockquote>", re.DOTALL)
_FOOT = re.compile(
    r"[-=]{10,}|(?:Like|Reply|Quote|Report|Share|Tip|Zitat|Zitieren|Antworten|Melden|Gefällt mir|Edit|Delete|\+1| )+|"
    r"(?:Last edited|Zuletzt geändert|Reactions:|Re: |AW: |Posts: |Beiträge: |Joined: |Registriert: ).*",
    re.IGNORECASE,
)
"""Text that forums print between the end of a post and the head of the next."""
_EDITED = re.compile(r"\(?(?:last )?edited\b.*", re.IGNORECASE)
_QUOTES = re.compile(
    r"(?P<who>[^\n]{1,60}?) (?:wrote|said|hat geschrieben|schrieb|a écrit|escribió)\s?(?::|↑)[^\n]{0,60}", re.IGNORECASE
)
_EXPAND = re.compile(r"(?:Click to expand|Zum Vergrößern anklicken).{0,4}", re.IGNORECASE)
_MONTHS = {"Mär": "Mar", "Mai": "May", "Okt": "Oct", "Dez": "Dec", "Sept": "Sep"}
_BESIDE_TIME = re.compile(r"^[^\W\d]{2,10}\.?,? (?=\d|[^\W\d]{3,10} \d)|,|(?<=\d)\.(?= )|\b(?:at|um)\b")
SHORTEST_TIME = 12  # characters of a day with its hour
_STAMPS = (
    "%d %b %Y %H:%M",
    "%d %b %Y %I:%M %p",
    "%b %d %Y %H:%M",
    "%b %d %Y %I:%M %p",
    "%d %B %Y %H:%M",
    "%B %d %Y %I:%M %p",
    "%B %d %Y %H:%M",
)


def read_page(page: str, zone: ZoneInfo) -> list[PagePost]:
    """Return the posts of a page in thread order, at most `MOST_POSTS`, or an empty list if the page has no anchors.
    ``zone`` is the time zone of times that do not name one."""
    page = re.sub(r"\r\n?", "\n", page[:LONGEST_PAGE]).replace("\xa0", " ")
    posts = list(_articles(page, zone)) or _best(page, zone)
    numbers = [post.number for post in posts if post.number is not None]
    if len(numbers) > 1 and numbers == sorted(numbers, reverse=True):
        posts.reverse()
    return posts[:MOST_POSTS]


def _articles(page: str, zone: ZoneInfo) -> Iterator[PagePost]:
    for article in page.split("<article ", MOST_POSTS)[1:]:
        about = dict(_ATTRIBUTE.findall(article[:2_000].partition(">")[0]))
        if not about.keys() >= {"username", "postdate", "id"} or not re.fullmatch(_NUMBER, about["id"]):
            continue
        body = _BODY.search(article[:LONGEST_POST])
        html = _QUOTE_BODY.sub(r"<blockquote type=cite>\1\2</blockquote>", unescape(body[1])) if body else ""
        lines = [(line.depth, line.text) for line in html_lines(html) or ()]
        text = "\n".join(
            f"{'> ' * depth}{line}{chr(10) if depth and not below else ''}"
            for (depth, line), (below, _) in zip(lines, [*lines[1:], (0, "")], strict=True)
        )
        number, written = int(about["id"]), _time(about["postdate"], zone)
        yield PagePost(unescape(about["username"]), text, number, written, Dialect.TEXT)


def _best(page: str, zone: ZoneInfo) -> list[PagePost]:
    found = [(kind, list(islice(kind.anchor.finditer(page), MOST_POSTS))) for kind in _KINDS]
    kind, anchors = max(found, key=lambda each: len(each[1]))
    if not anchors:
        return []
    posts: list[PagePost] = []
    earlier: set[str] = set()
    heads = [_head(page, anchor) for anchor in anchors]
    for anchor, (author, _), after in zip(anchors, heads, [*(head for _, head in heads[1:]), len(page)], strict=True):
        groups = anchor.groupdict()
        text = _without_frame(page[anchor.end() : after], kind)
        words = {line.strip() for line in text.split("\n") if line.strip()}
        dialect = None if re.search(r"\[/?(?:quote|b|i|q|url|size|color)\b", text, re.IGNORECASE) else kind.dialect
        if dialect == Dialect.TEXT:
            text = _with_marked_quotes(text, earlier)
        number = int(groups["number"]) if groups.get("number") else None
        posts.append(PagePost(author, text, number, _time(groups.get("stamp") or "", zone), dialect))
        earlier |= words
    return posts


def _head(page: str, anchor: re.Match[str]) -> tuple[str, int]:
    if "author" in anchor.groupdict():
        return anchor["author"].strip(), anchor.start()
    above = page[max(anchor.start() - 1000, 0) : anchor.start()].split("\n")[:-1][-MOST_ABOVE:]
    count = next((n for n, line in enumerate(reversed(above)) if not line.strip() or _FOOT.fullmatch(line.strip())), 0)
    count = count or (len(above) if anchor.start() < 1000 and len(above) < MOST_ABOVE else 0)
    own = above[len(above) - count :]
    return (own[0].strip() if own else ""), anchor.start() - sum(len(line) + 1 for line in own)


def _without_frame(text: str, kind: _Kind) -> str:
    lines = [line.rstrip() for line in text.split("\n")]
    ends = [number for number, line in enumerate(lines) if kind.ends and kind.ends.fullmatch(line.strip())]
    lines = lines[: ends[-1]] if ends else lines
    while lines and (not lines[-1] or _FOOT.fullmatch(lines[-1].strip())):
        lines.pop()
    while lines and (not lines[0] or _EDITED.fullmatch(lines[0])):
        lines.pop(0)
    return "\n".join(lines)


def _with_marked_quotes(text: str, earlier: Collection[str]) -> str:
    """Mark quotations from earlier posts of the page. If the quoted post is not on this page, the line "X wrote:" stays
    unchanged, so the text after it is in doubt."""
    lines = text.split("\n")
    for number, line in enumerate(lines):
        if not (quotes := _QUOTES.fullmatch(line.strip())):
            continue
        lines[number] = f"{quotes['who']} wrote:"
        after = number + 1
        while after < len(lines) and (not lines[after].strip() or lines[after].strip() in earlier):
            after += 1
        expand = next((n for n in range(after, len(lines)) if _EXPAND.fullmatch(lines[n].strip())), None)
        after = after if expand is None else expand
        if expand is not None or any(lines[n].strip() for n in range(number + 1, after)):
            lines[number:after] = [f"> {each}" for each in lines[number:after]]
            lines[after:after] = [] if expand is not None else [""]
        if expand is not None:
            lines[expand] = ""
    return "\n".join(lines)


def _time(stamp: str, zone: ZoneInfo) -> datetime | None:
    written = stamp.removesuffix(" UTC")
    when: datetime | None = None
    try:
        when = datetime.fromisoformat(written)
    except ValueError:
        words = _BESIDE_TIME.sub(" ", written).split()
        plain = " ".join(_MONTHS.get(word, word) for word in words)
        when = next(filter(None, (_parsed(plain, form) for form in _STAMPS)), None)
    if when is None or len(written) < SHORTEST_TIME or not 1 < when.year < 9999:  # years that have a time in any zone
        return None
    return (when if when.tzinfo else when.replace(tzinfo=UTC if written != stamp else zone)).astimezone(UTC)


def _parsed(stamp: str, form: str) -> datetime | None:
    try:
        return datetime.strptime(stamp, form)  # noqa: DTZ007  # the zone is added
    except ValueError:
        return None


def name_key(name: str) -> str:
    return " ".join(name.casefold().split()).removeprefix("@")


def find_block(text: str, blocks: Sequence[Block]) -> Block | None:
    """Return the Mentat block that a post copies, or None. Markup is ignored. If there are several versions of the
    block, return the most similar one."""
    shown = _letters(text)
    ours = [(block, _letters(block.text)) for block in blocks]
    likely = [(fuzz.ratio(shown, letters), block) for block, letters in ours if letters[:20] == shown[:20]]
    likeness, block = max(likely, key=lambda each: each[0], default=(0, None))
    return block if likeness > NEARLY_SAME else None


NEARLY_SAME = 95  # of 100


def _letters(text: str) -> str:
    return "".join(filter(str.isalnum, re.sub(r"\[/?[a-z][^\[\]]{0,60}\]|<[^<>]{1,80}>", "", text.casefold())))


def seen_before(page: Sequence[tuple[object, str]], known: Sequence[tuple[object, str]]) -> list[int | None]:
    """Match the posts of a page without numbers with known posts; each post is an author and a text. Return, for each
    post of the page, the index of the matching known post or None.

    The page is assumed to overlap the end of the known posts as far as possible. Within the overlap, all authors and
    most of the words must agree, because a few posts may have been edited. If the whole page matches a stretch of the
    known posts, all of it is known.
    """
    for shared in range(min(len(page), len(known)), 0, -1):
        for start in [len(known) - shared, *(range(len(known) - shared) if shared == len(page) else ())]:
            pairs = list(zip(page[:shared], known[start : start + shared], strict=True))
            same = sum(one == other for one, other in pairs)
            if all(one[0] == other[0] for one, other in pairs) and 2 * same > len(pairs):
                return [*range(start, start + shared), *([None] * (len(page) - shared))]
    return [None] * len(page)
