"""Lines of a post on which forums do not agree, or of which nobody can be sure whose they are: they do not count.

Forums read Markdown in several ways: the parser of some is none of CommonMark, Discourse knows more than that. And what
somebody else said stands in a post without any mark where a program wrapped it, or a person copied it by hand.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Sequence

from bot.channels.channel import Dialect
from bot.mail.words.lines import clean, plain_lines
from bot.mail.words.quotes import trim

QUOTED = re.compile(r" {0,3}[>|›»]")
_QUOTED_OR_LISTED = re.compile(
    r"(?:.{0,200}\[(?:hr|/(?:quote|spoiler|code))\]+)? {0,3}(?:[>|›»]|(?:[-*+]|[0-9]{1,9}[.)])(?:\s|$))", re.IGNORECASE
)
"""What some forums read as the margin stands also behind some tags."""
_FENCE = re.compile(r" {0,3}(?:```|~~~)")
_FENCE_BEHIND = re.compile(r".{0,200}\[/?(?:hr|quote|spoiler|code)[^\]]{0,100}\] {0,3}(?:```|~~~)", re.IGNORECASE)
_PLAIN_FENCE = re.compile(r"```[a-z0-9]{0,20}", re.ASCII)
_CONTAINER = re.compile(r" {0,3}(?::::|\$\$)")
_FOOTNOTE = re.compile(r" {0,3}\[\^[^\]]{1,100}\]:")
_MARKS_IN_PAIRS = re.compile(r"`+|~~+")
_SAYS = re.compile(
    r"\b(?:wrote|writes|said|says|posted|quote|schrieb|schreibt|écrit|escribió|scritto)\W{0,3}:\W{0,3}$", re.IGNORECASE
)
"""How what somebody else said is announced, where it is quoted without a mark."""


def doubtful_lines(lines: Sequence[str], dialect: Dialect, inside: Collection[int]) -> set[int]:
    """The numbers of the lines of a post that are in doubt. ``inside`` are those that are code, or covered by a tag: to
    some forums they are one word of the paragraph around them.

    >>> doubtful_lines(["Chani wrote:", "!bid 9", "", "!bid 3"], Dialect.BBCODE, ())
    {1}
    """
    found = _announced(lines)
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
    """Whether a line ends a paragraph, in whatever forum."""
    return not line.strip(" \t")


def _run_on(lines: Sequence[str], mark: re.Pattern[str], inside: Collection[int]) -> set[int]:
    """The lines from a marked one to the next blank one: programs that wrap lines leave the rest of a quote so."""
    found: set[int] = set()
    within = False
    for number, line in enumerate(lines):
        marked = bool(mark.match(line))
        within = marked or (within and (number in inside or not _is_blank(line)))
        if within and not marked:
            found.add(number)
    return found


def _announced(lines: Sequence[str]) -> set[int]:
    """The paragraph below a line that says who wrote it."""
    found: set[int] = set()
    state = ""
    for number, line in enumerate(lines):
        if _SAYS.search(line[-80:].rstrip()):
            state = "announced"
        elif _is_blank(line):
            state = "" if state == "within" else state
        elif state:
            state = "within"
            found.add(number)
    return found


def _of_others(lines: Sequence[str]) -> set[int]:
    """The lines that a reader of mails would not take for the writer's: an older mail below its row, a signature."""
    own = iter(trim(plain_lines("\n".join(lines))).kept)
    found: set[int] = set()
    wanted = next(own, None)
    for number, line in enumerate(lines):
        if wanted is not None and clean(line) == wanted:
            wanted = next(own, None)
        else:
            found.add(number)
    return found


def _between(lines: Sequence[str], bounds: Callable[[str], object]) -> set[int]:
    """The lines from the first bound of a part to its last one, or to the end where there is but one."""
    found = [number for number, line in enumerate(lines) if bounds(line)]
    if not found:
        return set()
    return set(range(found[0], found[-1] if len(found) > 1 else len(lines)))


def _in_odd_fences(lines: Sequence[str]) -> set[int]:
    """The lines between fences of which forums disagree where they begin and end: all but the plainest."""
    behind = next((number for number, line in enumerate(lines) if _FENCE_BEHIND.match(line)), None)
    if behind is not None:
        return set(range(behind, len(lines)))
    fences = [line.rstrip() for line in lines if _FENCE.match(line)]
    pairs = zip(fences[::2], fences[1::2], strict=False)
    if len(fences) % 2 == 0 and all(_PLAIN_FENCE.fullmatch(begin) and end == "```" for begin, end in pairs):
        return set()
    return _between(lines, _FENCE.match)


def _between_marks(lines: Sequence[str]) -> set[int]:
    """The lines of a paragraph from the first to the last in which a mark of code, or of what is struck, has no other
    beside it: such a mark may reach over lines."""
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
    """The paragraphs in which a link or a picture may reach over lines."""
    return {
        number for paragraph in _paragraphs(lines) if any(map(_has_open_link, lines[paragraph.start : paragraph.stop]))
        for number in paragraph
    }  # fmt: skip


def _has_open_link(line: str) -> bool:
    first = line.find("](")
    return max(line.rfind("]("), line.rfind("!(")) > line.rfind(")") or (first >= 0 and "[" not in line[:first])


def _paragraphs(lines: Sequence[str]) -> Iterator[range]:
    begin = 0
    for number, line in enumerate([*lines, ""]):
        if _is_blank(line):
            yield range(begin, number)
            begin = number + 1
