"""Archive pages, opened from disk in a real Chromium, and read by a strict parser and a crawler."""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

import html5lib
import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Page, Request, sync_playwright

CHROMIUM = shutil.which("chromium")
needs_chromium = pytest.mark.skipif(CHROMIUM is None, reason="Chromium is not installed (Debian: apt install chromium)")


def _is_as_wide_as_arial() -> bool:
    """Return True if letters can be measured. They ask for Arial and Courier, and some other fonts are wider."""
    if not (match := shutil.which("fc-match")):
        return True
    asked = [match, "--format", "%{family}", "Arial"]
    family = subprocess.run(asked, capture_output=True, text=True, check=False).stdout
    return any(name in family for name in ("Arial", "Arimo", "Liberation"))


needs_arial = pytest.mark.skipif(
    not _is_as_wide_as_arial(), reason="no font is as wide as Arial (Debian: apt install fonts-liberation)"
)

NOT_LINKED = frozenset({"build.json", "style.css", "ground-open.svg"})
"""Files to which no page links."""
_LEADING = {"a": "href", "link": "href", "img": "src", "script": "src", "source": "src", "iframe": "src"}


@contextmanager
def browser() -> Iterator[Browser]:
    """Yield a browser for a module of tests."""
    with sync_playwright() as playwright:
        opened = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield opened
        opened.close()


class Watched:
    """A page opened from disk, with its console messages and requests."""

    def __init__(self, opened: Browser, path: Path, anchor: str = "", **context: Any) -> None:
        self._context = opened.new_context(**({"viewport": {"width": 1000, "height": 900}} | context))
        self.page: Page = self._context.new_page()
        self.said: list[str] = []
        self.asked: list[str] = []
        self.page.on("console", lambda message: self.said.append(message.text))
        self.page.on("pageerror", lambda error: self.said.append(str(error)))
        self.page.on("request", lambda request: self.asked.append(request.url))
        self.page.on("requestfailed", self._failed)
        self.turn_to(path, anchor)

    def _failed(self, request: Request) -> None:
        """Record a failed request, except for a picture on a page that was just left."""
        if request.failure != "net::ERR_ABORTED":
            self.said.append(f"not loaded: {request.url}")

    def turn_to(self, path: Path, anchor: str = "") -> None:
        """Open another page in the same window, which is faster, and forget earlier messages and requests."""
        self.said.clear()
        self.asked.clear()
        self.page.goto(path.as_uri() + anchor)

    def __enter__(self) -> Watched:
        return self

    def __exit__(self, *_: object) -> None:
        self._context.close()

    def outside(self, root: Path) -> list[str]:
        """Return the requested addresses that are not files of the archive."""
        within = root.as_uri() + "/"
        return [url for url in self.asked if not url.startswith((within, "data:"))]

    def too_wide(self) -> int:
        """Return the number of pixels by which the page can be scrolled sideways."""
        return int(self.page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth"))

    def sheets(self) -> int:
        """Return the number of printed pages."""
        return len(re.findall(rb"/Type\s*/Page\b", self.page.pdf(format="A4", prefer_css_page_size=True)))


def violations(watched: Watched) -> list[str]:
    """Return the violations that axe-core finds on the page, each with its place."""
    found = Axe().run(watched.page).response["violations"]
    return [f"{each['id']}: {each['nodes'][0]['html'][:200]} ({len(each['nodes'])})" for each in found]


@cache
def parsed(path: Path) -> Any:
    """Parse a page strictly. Raise html5lib.html5parser.ParseError if it is not valid HTML."""
    return html5lib.HTMLParser(strict=True, namespaceHTMLElements=False).parse(path.read_text(encoding="utf-8"))


def text_of(path: Path) -> str:
    """Return a page's text on one line."""
    body = parsed(path).find("body")
    return " ".join(" ".join(body.itertext()).split())


def ids_of(path: Path) -> list[str]:
    """Return the ids on a page to which links can lead."""
    return [element.attrib["id"] for element in parsed(path).iter() if "id" in element.attrib]


def links_of(path: Path) -> Iterator[tuple[str, Path, str]]:
    """Yield what a page links to or shows: the address as written, the file, and the anchor in it."""
    for element in parsed(path).iter():
        target = element.attrib.get(_LEADING.get(element.tag, ""), "") if isinstance(element.tag, str) else ""
        if target and not target.startswith(("data:", "mailto:")):
            parts = urlsplit(target)
            assert not parts.scheme, f"{path} leads to {target}"
            there = (path.parent / unquote(parts.path)).resolve() if parts.path else path
            yield target, there, parts.fragment


def pages_of(root: Path) -> list[Path]:
    """Return all pages of an archive."""
    return sorted(root.resolve().rglob("*.html"))


def kinds_of(root: Path) -> Mapping[str, Path]:
    """Return one page of each kind, by its name without number and faction."""
    named = ((page.stem if page.parent != root.resolve() else f"top-{page.stem}", page) for page in pages_of(root))
    return {re.sub(r"\d+|(?<=as-).*", "N", name): page for name, page in named}
