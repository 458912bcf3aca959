"""The screens as laid out by Chromium: the structure, which a test compares, and the picture, which a person looks at.

A structure has a line for each block, with its kind and the part of the width that it takes up, in twelfths. It does
not depend on words or fonts, so a changed sentence needs no approval.
"""

from __future__ import annotations

import io
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from PIL import Image
from playwright.sync_api import Page

from tests.archive.browser import browser
from tests.screens.gallery import LETTERS, PAGES, SCREENS, Archive
from tests.transcripts.transcript import Piece, as_pieces, as_text

KEPT = Path(__file__).parent / "kept"
WIDTHS, SCHEMES = (390, 1000), ("light", "dark")
PHONE = 844  # the height of the screen
WIDEST, TALLEST, QUALITY = 700, 1700, 20  # for a kept picture
_STRUCTURE = Path(__file__).with_name("structure.js").read_text(encoding="utf-8")


def opened(names: Iterable[str] = SCREENS) -> Iterator[tuple[str, str, Page]]:
    """Open each screen in each look, in one browser, and yield its name, the look and the page."""
    with tempfile.TemporaryDirectory() as folder, browser() as chromium:
        archive = Archive.made(Path(folder).resolve()) if {*names} & {*PAGES} else None
        page = chromium.new_page(reduced_motion="reduce")
        for name in names:
            if archive is not None and name in PAGES:
                page.goto("about:blank")  # otherwise a step of the open page may still follow at any time
                page.goto(archive.page(name))
            else:
                page.set_content(LETTERS[name]())
            for width in WIDTHS:
                page.set_viewport_size({"width": width, "height": PHONE})
                for scheme in SCHEMES:
                    page.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]  # a str is no Literal
                    yield name, f"{width} {scheme}", page


def structure(page: Page) -> Mapping[str, str]:
    """Return the `blocks` of a page, and whether its `ground` is "light" or "dark"."""
    found: Mapping[str, str] = page.evaluate(_STRUCTURE)
    return found


def pieces(blocks: Mapping[str, str]) -> list[Piece]:
    """Return a screen's structure for each width, and also for each colour scheme if dark and light differ."""
    found: list[Piece] = []
    for look, text in blocks.items():
        if found and found[-1].text == text and found[-1].heading == look.replace("dark", "light"):
            found[-1] = Piece(look.replace("dark", "light and dark"), text)
        else:
            found.append(Piece(look, text))
    return found


def structures(names: Iterable[str]) -> dict[str, list[Piece]]:
    found: dict[str, dict[str, str]] = {}
    for name, look, page in opened(names):
        found.setdefault(name, {})[look] = structure(page)["blocks"]
    return {name: pieces(blocks) for name, blocks in found.items()}


def kept(name: str) -> list[Piece] | None:
    """Return the accepted structure of a screen, or None if there is none yet."""
    file = KEPT / f"{name}.txt"
    return as_pieces(file.read_text(encoding="utf-8")) if file.exists() else None


def accept(names: Iterable[str]) -> None:
    """Store the current structures and pictures of screens."""
    KEPT.mkdir(exist_ok=True)
    found: dict[str, dict[str, str]] = {}
    for name, look, page in opened(names):
        found.setdefault(name, {})[look] = structure(page)["blocks"]
        (KEPT / f"{name}-{look.replace(' ', '-')}.webp").write_bytes(_picture(page))
    for name, blocks in found.items():
        (KEPT / f"{name}.txt").write_text(as_text(pieces(blocks)), encoding="utf-8")


def _picture(page: Page) -> bytes:
    whole = Image.open(io.BytesIO(page.screenshot(full_page=True)))
    shot = whole.crop((0, 0, whole.width, min(whole.height, TALLEST)))
    shot.thumbnail((WIDEST, TALLEST))
    packed = io.BytesIO()
    shot.save(packed, "WEBP", quality=QUALITY, method=6)
    return packed.getvalue()
