"""Tests that a whole archive, opened from disk in Chromium, works on screen, on paper, on a phone and read aloud."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from datetime import date
from pathlib import Path

import pytest
from playwright.sync_api import Browser

from bot.archive.games import FinishedGame
from bot.archive.site import Offered, build
from bot.record.lines import Chain, decode
from tests.archive.browser import (
    NOT_LINKED,
    Watched,
    browser,
    ids_of,
    kinds_of,
    links_of,
    needs_chromium,
    pages_of,
    parsed,
    text_of,
    violations,
)
from tests.archive.finished import finished
from tests.archive.running import running

pytestmark = pytest.mark.slow

HOSTILE = "</script><script>alert(1)</script><!--[/b]{{ 7 * 7 }}{% raw %}&amp;\u202egnp.exe\u2066 \"'"
DEAL = "Leave me Carthag this turn"


def hostile(game: FinishedGame) -> FinishedGame:
    """Give a game's players and deals names and texts that would break a careless page."""
    spoilt = json.dumps(HOSTILE + "y" * 400)[1:-1].encode()
    record = game.record.replace(DEAL.encode(), spoilt)
    assert record != game.record
    cast = {
        faction: replace(cast, name=HOSTILE + "x" * 10_000 if cast.dot % 2 else HOSTILE)
        for faction, cast in game.cast.items()
    }
    lines = [decode(line) for line in record.splitlines()]
    chain = Chain("archive")
    chained = b"".join(chain.add(line) + b"\n" for line in lines)
    return replace(game, record=chained, lines=lines, cast=cast)


def games() -> list[FinishedGame]:
    made = [finished("wbc-2018"), finished("gf9-advanced"), hostile(finished("ah-optional"))]
    return [replace(game, ended=date(2026, 11, 20)) for game in made]


@pytest.fixture(scope="module")
def archive(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return an archive of three finished games, one of them hostile, and one running game."""
    root = tmp_path_factory.mktemp("archive").resolve() / "site"
    goes_on = replace(running(finished("gf9-basic")), id="under-way")
    over = [Offered(game.id, "1", lambda game=game: game) for game in games()]  # type: ignore[misc]
    built = build(root, over, [Offered(goes_on.id, "1", lambda: goes_on)])
    assert built.problems == ()
    return root


@pytest.fixture(scope="module")
def chromium() -> Iterator[Browser]:
    with browser() as opened:
        yield opened


def test_every_page_is_html_that_a_strict_parser_takes(archive: Path) -> None:
    for page in pages_of(archive):
        parsed(page)
        ids = ids_of(page)
        assert len(ids) == len(set(ids)), f"{page.name} has an id twice"


def test_every_page_says_what_it_may_load_and_has_one_heading_and_a_title(archive: Path) -> None:
    for page in pages_of(archive):
        tree = parsed(page)
        policies = [meta for meta in tree.iter("meta") if meta.get("http-equiv") == "Content-Security-Policy"]
        assert policies[0].get("content").startswith("default-src 'none'"), page
        assert len(list(tree.iter("h1"))) == 1, page
        assert tree.find("head/title").text.strip(), page


def test_no_link_is_dead_and_no_file_is_lost(archive: Path) -> None:
    reached = {archive / "index.html"}
    waiting = [archive / "index.html"]
    while waiting:
        page = waiting.pop()
        for written, there, anchor in links_of(page):
            assert there.is_file(), f"{page.relative_to(archive)} leads to {written}"
            if anchor and there.suffix == ".html" and "=" not in anchor:
                assert anchor in ids_of(there), f"{page.relative_to(archive)} leads to {written}"
            if there not in reached:
                reached.add(there)
                waiting += [there] if there.suffix == ".html" else []
    files = {path for path in archive.rglob("*") if path.is_file()}
    assert {path.relative_to(archive).as_posix() for path in files - reached} <= NOT_LINKED


@needs_chromium
def test_every_page_opens_from_disk_on_a_telephone_and_says_and_asks_nothing(archive: Path, chromium: Browser) -> None:
    with Watched(chromium, archive / "index.html", viewport={"width": 390, "height": 800}) as watched:
        for page in pages_of(archive):
            watched.turn_to(page)
            assert watched.said == [], page
            assert watched.outside(archive) == [], page
            assert watched.too_wide() <= 0, page


@needs_chromium
@pytest.mark.parametrize(("scheme", "kinds"), [("light", ""), ("dark", "index turn-N plots replay factions")])
def test_axe_finds_no_fault_with_any_kind_of_page(archive: Path, chromium: Browser, scheme: str, kinds: str) -> None:
    found = {}
    with Watched(chromium, archive / "index.html", color_scheme=scheme, bypass_csp=True) as watched:
        for kind, page in kinds_of(archive).items():
            if kinds and kind not in kinds.split():
                continue
            watched.turn_to(page)
            if faults := violations(watched):
                found[kind] = faults
    assert found == {}


@needs_chromium
def test_a_turn_prints_on_two_pages_at_most(archive: Path, chromium: Browser) -> None:
    with Watched(chromium, archive / "index.html") as watched:
        for page in archive.glob("game/wbc-2018-archive/turn-*.html"):
            watched.turn_to(page)
            assert watched.sheets() <= 2, page


@needs_chromium
def test_the_shared_ground_and_the_style_are_there_without_a_server(archive: Path, chromium: Browser) -> None:
    with Watched(chromium, archive / "game/wbc-2018-archive/turn-01.html") as watched:
        assert watched.page.evaluate("document.querySelector('.board img').naturalWidth") > 0
        assert watched.page.evaluate("getComputedStyle(document.querySelector('main')).maxWidth") != "none"


def test_a_turn_needs_no_script(archive: Path) -> None:
    for page in archive.glob("game/*/turn-*.html"):
        assert next(parsed(page).iter("script"), None) is None


def test_words_of_players_are_on_the_pages_as_words(archive: Path) -> None:
    page = archive / "game/ah-optional-archive/index.html"
    assert "</script><script>alert(1)</script>" in text_of(page)
    assert "{{ 7 * 7 }}" in text_of(page)
    for each in (archive / "game/ah-optional-archive").glob("*.html"):
        told = each.read_text(encoding="utf-8")
        if each.name != "replay.html":
            assert "\u202e" not in told, each
        assert "<script>alert" not in told, each
