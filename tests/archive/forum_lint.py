"""A linter for each forum dialect, for markup that the forum would misread. A correct post has no ``complaints``."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterator, Mapping

from bot.render.forum_posts import DIALECTS, Format

MOST_LINKS = 2  # for new accounts
_TAG = re.compile(r"\[(/?)([a-z]+|\*)(=\d+)?\]")
_DETAILS = re.compile(r'^\[(/?)details(?:="[^"\[\]]*")?\]$', re.MULTILINE)
_LINK = re.compile(r"(?i)\b[a-z]+://\S|\bwww\.\S")
_SMILEYS = re.compile(
    r"(?:^|(?<=[\s.]))(?::-?\)|:-?\(|;-?\)|:-?D|:-?o|:-?\?|:-?x|:-?P|:-?\||8-?\)|=\))|:[a-z0-9_+-]+:",
    re.IGNORECASE | re.MULTILINE,
)
_INVISIBLE = ("Cc", "Cf", "Cs", "Co", "Cn")


def complaints(post: str, format: Format) -> list[str]:
    """Return the faults of a post."""
    return [*_of_any(post, format), *_LINTERS[format](post)]


def complaints_about_all(posts: list[str], format: Format) -> list[str]:
    """Return the faults of a report's posts, including their numbering."""
    found = [complaint for post in posts for complaint in complaints(post, format)]
    if len(posts) > 1:
        for number, post in enumerate(posts, start=1):
            if f"{number}/{len(posts)}" not in post.split("\n", 1)[0]:
                found.append(f"post {number} does not begin with its number")
    return found


def _of_any(post: str, format: Format) -> Iterator[str]:
    if len(post) > DIALECTS[format].limit:
        yield f"{len(post)} characters"
    if len(_LINK.findall(post)) > MOST_LINKS:
        yield "more links than a new account may write"
    odd = {character for character in post if character != "\n" and unicodedata.category(character) in _INVISIBLE}
    if odd:
        yield f"characters that nobody sees: {odd!r}"


def _brackets(known: set[str], fixed: str, width: int) -> Callable[[str], Iterator[str]]:
    def lint(post: str) -> Iterator[str]:
        yield from _unbalanced(post, known, fixed)
        for block in re.findall(rf"\[{fixed}\]\n(.*?)\n\[/{fixed}\]", post, re.DOTALL):
            for line in block.split("\n"):
                if len(line) > width:
                    yield f"{len(line)} columns: {line}"
        running = re.sub(rf"\[{fixed}\].*?\[/{fixed}\]", "", post, flags=re.DOTALL)
        yield from _smileys(_TAG.sub(" ", running))

    return lint


def _unbalanced(post: str, known: set[str], fixed: str) -> Iterator[str]:
    rest = _TAG.sub("", post)
    if "[" in rest or "]" in rest:
        yield "a bracket that is no tag"
    open_tags: list[str] = []
    for found in _TAG.finditer(post):
        closes, name = bool(found[1]), found[2]
        if name not in known:
            yield f"an unknown tag: {found[0]}"
        elif closes:
            if not open_tags or open_tags.pop() != name:
                yield f"{found[0]} closes what is not open"
        elif fixed in open_tags:
            yield f"{found[0]} where nothing is read as a tag"
        elif name == "*":
            if not open_tags or open_tags[-1] != "list":
                yield "an item without a list"
        else:
            open_tags.append(name)
    if open_tags:
        yield f"never closed: {open_tags}"


def _bgg(post: str) -> Iterator[str]:
    if "<" in post:
        yield "a sign that cuts the rest of the post off"
    yield from _brackets({"b", "i", "u", "size", "c", "o"}, "c", 60)(post)


def _markdown(post: str) -> Iterator[str]:
    if "@" in post:
        yield "a mention"
    depth = 0
    for found in _DETAILS.finditer(post):
        depth += -1 if found[1] else 1
        if depth not in (0, 1):
            yield "details within details"
    if depth:
        yield "details that are never closed"
    bare = re.sub(r"\\.", "·", _DETAILS.sub("", post))
    if re.search(r"[\[\]`~]|<(?!br>)", bare):
        yield "a mark that is not escaped"
    if bare.count("**") % 2:
        yield "bold that is never closed"
    width = 0
    for line in bare.split("\n"):
        cells = line.count("|") if line.startswith("|") else 0
        if width and cells and cells != width:
            yield f"a row of {cells - 1} cells in a table of {width - 1}: {line}"
        if "|" in line and not cells:
            yield f"a bar outside a table: {line}"
        width = cells
    yield from _smileys(bare)


def _text(post: str) -> Iterator[str]:
    for line in post.split("\n"):
        if len(line) > 72:
            yield f"{len(line)} columns: {line}"


def _smileys(running: str) -> Iterator[str]:
    if found := _SMILEYS.search(running):
        yield f"a smiley: {running[max(0, found.start() - 20) : found.end() + 20]!r}"


_LINTERS: Mapping[Format, Callable[[str], Iterator[str]]] = {
    "bbcode": _brackets({"b", "i", "u", "size", "code", "spoiler", "list", "*"}, "code", 72),
    "bgg": _bgg,
    "markdown": _markdown,
    "text": _text,
}
