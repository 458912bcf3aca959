"""What HTML in a post leaves open, as a browser takes it: inside of that nothing is said in the open.

Nothing is guessed: what is no plain tag, no whole comment, or is ended by another tag than the innermost, stays open to
the end of the post.
"""

from __future__ import annotations

import re

_COMMENT = re.compile(r"<!--(?:-?>|.*?--!?>)", re.DOTALL)
_NAMED = r"[a-zA-Z][a-zA-Z0-9-]*"
_ATTRIBUTE = r"\s+[a-zA-Z_:][\w.:-]*(?:=(?:\"[^\"<>]*\"|'[^'<>]*'|[^\s\"'=<>`]+))?"
_TAG = re.compile(rf"<(?P<end>/?)(?P<name>{_NAMED})(?:{_ATTRIBUTE}){{0,30}}\s*/?>")
_ANY = re.compile(r"<[a-zA-Z/!?]")
_VOID = frozenset(("br", "hr", "img", "wbr", "input", "meta", "link", "source", "track", "area", "col", "embed"))
_FOR_GOOD = frozenset(("plaintext", "style", "script", "frameset"))
"""Tags that nothing ends, or after which nobody knows what is shown."""
_COVERING = frozenset(
    ("", "details", "blockquote", "q", "del", "s", "strike", "pre", "code", "textarea", "select", "title", "template",
     "table", "ul", "ol", "iframe", "noscript", "button", "svg", "math", "a", "spoiler", "quote", "aside")
)  # fmt: skip
"""Tags in which nothing is anybody's own line; what is in others is in doubt."""
NEVER_ENDED = ""


class OpenHtml:
    """Which tags are open at this place of a post. ``follow`` takes the next piece of its HTML."""

    def __init__(self) -> None:
        self._open: list[str] = []

    def __bool__(self) -> bool:
        return bool(self._open)

    @property
    def covers(self) -> bool:
        """Whether what comes now is surely nobody's own line."""
        return not _COVERING.isdisjoint(self._open)

    def follow(self, html: str) -> None:
        """Note what a piece of HTML opens and closes.

        >>> html = OpenHtml()
        >>> html.follow("<details><!-- </details> -->")
        >>> bool(html)
        True
        """
        if self._open and self._open[-1] == NEVER_ENDED:
            return
        place = 0
        while begun := _ANY.search(html, place):
            found = _COMMENT.match(html, begun.start()) or _TAG.match(html, begun.start())
            if found is None:
                self._open.append(NEVER_ENDED)
                return
            place = found.end()
            if found.re is _TAG:
                self._take(found["name"].lower(), ended=bool(found["end"]))

    def _take(self, name: str, *, ended: bool) -> None:
        if name in _VOID:
            return
        if not ended:
            self._open.append(NEVER_ENDED if name in _FOR_GOOD else name)
        elif self._open and self._open[-1] == name:
            self._open.pop()
