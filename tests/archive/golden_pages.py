"""The pages of a tournament as they should read, an element's words a line, with where each link leads: ``golden/``.

``python -m tests.archive.golden_pages`` writes them anew when they were changed on purpose: look at what changed.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

from selectolax.lexbor import LexborHTMLParser, LexborNode

from bot.archive.tournament_pages import tournament_files
from bot.archive.tournaments import tournament_summary, tournaments_page
from bot.competition.published import Published
from tests.competition.published_example import example, under_way

GOLDEN = Path(__file__).parent / "golden"
GAMES = ("arrakeen-1-1",)
OWN_FILES = ("tournament.json", "settings.toml", "check_draw.py", "SHA256SUMS")
"""What other tests hold: the example itself, its settings, a program, sums."""


def pages() -> Mapping[str, str]:
    """What stands in the file of each page and export."""
    found = {
        "tournaments.txt": _told(tournaments_page([tournament_summary(example()), tournament_summary(under_way())]))
    }
    for name, document in (("over", example()), ("under-way", under_way())):
        found |= {f"{name}-{file}": told for file, told in _of_one(document)}
    return found


def _of_one(document: Published) -> Iterator[tuple[str, str]]:
    for file, data in tournament_files(document, GAMES).items():
        if file.endswith(".html"):
            yield file.replace(".html", ".txt"), _told(data)
        elif file not in OWN_FILES:
            yield file, data.decode().replace("\r\n", "\n")


def _told(page: bytes) -> str:
    body = LexborHTMLParser(page.decode()).body
    assert body is not None
    return "\n".join(line for node in body.traverse(include_text=True) if (line := _line(node))) + "\n"


def _line(node: LexborNode) -> str:
    if node.tag == "-text":
        return " ".join((node.text(deep=False) or "").split())
    marks = " ".join(f"{name}={value}" for name, value in node.attributes.items())
    return f"<{node.tag} {marks}" if marks else ""


if __name__ == "__main__":
    GOLDEN.mkdir(exist_ok=True)
    for file, told in pages().items():
        (GOLDEN / file).write_text(told, encoding="utf-8")
