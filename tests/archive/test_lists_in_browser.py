"""Tests plots and lists in Chromium: no console messages, no outside requests, no axe-core findings."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser

from bot import template_source
from bot.archive.games import play_steps
from bot.archive.html import STYLE
from bot.archive.lists import list_files
from tests.archive.browser import Watched, browser, needs_chromium, violations
from tests.archive.finished import finished
from tests.archive.many_games import many_games
from tests.archive.single_pages import plots_page

pytestmark = needs_chromium
PAGES = ("index.html", "factions.html", "players.html", "game/sietch-7/plots.html")


@pytest.fixture(scope="module")
def opened() -> Iterator[Browser]:
    with browser() as one:
        yield one


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with lists of many games and one game's plots."""
    path = tmp_path_factory.mktemp("lists")
    game = path / "game" / "sietch-7"
    game.mkdir(parents=True)
    files = list_files(many_games(30)) | {"style.css": template_source(STYLE).encode()}
    for name, content in files.items():
        (path / name).write_bytes(content)
    played = finished("wbc-2018", "plots")
    for name, content in plots_page(played, play_steps(played, "plots")).items():
        (game / name).write_bytes(content)
    return path


@pytest.mark.parametrize("path", PAGES)
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_and_nothing_is_said_or_fetched(opened: Browser, site: Path, path: str, scheme: str) -> None:
    with Watched(opened, site / path, color_scheme=scheme) as watched:
        watched.page.evaluate("document.querySelectorAll('details').forEach(each => each.open = true)")
        assert watched.said == []
        assert watched.outside(site) == []
        assert violations(watched) == []


@pytest.mark.parametrize("path", PAGES)
def test_a_telephone_scrolls_no_page_sideways(opened: Browser, site: Path, path: str) -> None:
    with Watched(opened, site / path, viewport={"width": 360, "height": 740}) as watched:
        assert watched.too_wide() == 0
        assert violations(watched) == []


def test_the_search_box_leaves_the_games_that_have_all_words(opened: Browser, site: Path) -> None:
    with Watched(opened, site / "index.html") as watched:
        page = watched.page
        shown = (
            "Array.from(document.querySelectorAll('tbody tr')).filter(row => !row.hidden).map(row => row.textContent)"
        )
        assert len(page.evaluate(shown)) == 30
        page.fill("#words", "husayn WBC 2018")
        rows = page.evaluate(shown)
        assert 0 < len(rows) < 30
        assert all("Ḥusayn" in row and "WBC Dune 2018" in row for row in rows)
        assert page.text_content("#found") == f"{len(rows)} of 30 games"
        page.fill("#words", "nobody has this name")
        assert page.evaluate(shown) == []
        page.fill("#words", "")
        assert len(page.evaluate(shown)) == 30


def test_without_script_the_list_is_whole_and_there_is_no_box(opened: Browser, site: Path) -> None:
    with Watched(opened, site / "index.html", java_script_enabled=False) as watched:
        assert watched.page.locator("tbody tr").count() == 30
        assert not watched.page.locator("#words").is_visible()


def test_labels_in_the_drawings_do_not_overlap_and_stay_within(opened: Browser, site: Path) -> None:
    """Chromium lays out the labels with its own fonts."""
    with Watched(opened, site / "game/sietch-7/plots.html") as watched:
        clashes = watched.page.evaluate(
            """() => Array.from(document.querySelectorAll('svg.plot')).flatMap(svg => {
                const frame = svg.getBoundingClientRect();
                const texts = Array.from(svg.querySelectorAll('text'));
                const boxes = texts.map(text => [text, text.getBoundingClientRect()]);
                const found = [];
                boxes.forEach(([one, a], at) => {
                    if (a.left < frame.left - 1 || a.right > frame.right + 1) found.push('outside: ' + one.textContent);
                    boxes.slice(at + 1).forEach(([other, b]) => {
                        const wide = Math.min(a.right, b.right) - Math.max(a.left, b.left);
                        const tall = Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top);
                        if (wide > 1 && tall > 5) found.push(one.textContent + ' and ' + other.textContent);
                    });
                });
                return found.map(text => svg.querySelector('title').textContent + ': ' + text);
            })"""
        )
        assert clashes == []


def test_on_paper_the_numbers_stand_below_the_drawings(opened: Browser, site: Path) -> None:
    with Watched(opened, site / "game/sietch-7/plots.html") as watched:
        watched.page.emulate_media(media="print")
        tall = watched.page.evaluate("document.querySelector('details table').getBoundingClientRect().height")
        assert tall > 40
        assert not watched.page.locator("summary").first.is_visible()
