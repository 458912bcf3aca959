"""Tests that the most important pages look as last approved, on phone and desktop, in light and dark, and that they
withstand whatever people write."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import date
from pathlib import Path

import msgspec
import pytest
from playwright.sync_api import Browser

from bot.archive import site
from bot.archive.site import Offered
from bot.competition.published import with_sums
from tests.archive.browser import Watched, browser, needs_arial, needs_chromium, pages_of, violations
from tests.archive.finished import finished
from tests.competition.published_example import example
from tests.reports.every_letter import KINDS
from tests.reports.test_bounds import MADE, NAMES
from tests.screens.gallery import LETTERS, SCREENS
from tests.screens.looks import KEPT, PHONE, SCHEMES, WIDTHS, kept, opened, pieces, structure
from tests.transcripts.transcript import differences

HOW_TO_GO_ON = """
The screen {name} has another structure. Look at it, and keep its structure and its pictures if they are meant:
    python -m tests.transcripts accept {name}
"""
HEADLINE, BAR, BUTTON = "h1", "[bgcolor]:not(.fill)", "a.button"
FIRST_SCREEN: dict[str, tuple[str, ...]] = dict.fromkeys(
    ("question", "refused", "round", "digest"), (HEADLINE, BAR, BUTTON)
)
FIRST_SCREEN |= {"first": (HEADLINE, BAR)}
"""The parts of letters with questions that a phone's first screen must show; a prediction has no buttons."""


@needs_arial
@needs_chromium
def test_each_screen_is_built_as_when_somebody_looked_at_it() -> None:
    found: dict[str, dict[str, str]] = {}
    for name, look, page in opened():
        seen = structure(page)
        found.setdefault(name, {})[look] = seen["blocks"]
        assert look.endswith(seen["ground"]), (name, look)
        assert page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0, (name, look)
        if look.startswith("390"):
            for wanted in FIRST_SCREEN.get(name, ()):
                box = page.locator(wanted).first.bounding_box()
                assert box, (name, wanted)
                assert box["y"] + box["height"] <= PHONE, f"{name}: {wanted} is below the first screen"
    for name, blocks in found.items():
        if told := list(differences(kept(name) or (), pieces(blocks))):
            pytest.fail("\n\n".join([HOW_TO_GO_ON.format(name=f"screen-{name}"), *told]), pytrace=False)


def test_each_screen_has_its_pictures_and_each_picture_its_screen() -> None:
    looks = [f"{width}-{scheme}" for width in WIDTHS for scheme in SCHEMES]
    pictures = {f"{name}-{look}.webp" for name in SCREENS for look in looks}
    assert {file.name for file in KEPT.iterdir()} == pictures | {f"{name}.txt" for name in SCREENS}
    sizes = [file.stat().st_size for file in KEPT.iterdir()]
    assert max(sizes) < 50_000
    assert sum(sizes) < 1_500_000


@pytest.fixture(scope="module")
def chromium() -> Iterator[Browser]:
    with browser() as started:
        yield started


@pytest.fixture
def letter_page(chromium: Browser, tmp_path: Path) -> Iterator[Watched]:
    file = tmp_path / "letter.html"
    file.touch()
    with Watched(chromium, file, viewport={"width": 390, "height": PHONE}) as watched:
        yield watched


@needs_chromium
@pytest.mark.parametrize("scheme", SCHEMES)
def test_axe_finds_no_fault_with_any_letter(letter_page: Watched, scheme: str) -> None:
    page = letter_page.page
    page.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]  # a str is no Literal
    page.set_content("<h1>Dune</h1><p style='color: #eee'>A letter with every <img src=data:> fault</p>")
    assert len(violations(letter_page)) > 3
    found = {}
    written = {name: made() for name, made in LETTERS.items()}
    if scheme == "light":
        written |= {f"kind: {name}": made().html for name, made in KINDS.items()}
    for name, letter in written.items():
        page.set_content(letter)
        if faults := violations(letter_page):
            found[name] = faults
    assert found == {}


@needs_chromium
def test_no_letter_runs_out_of_a_telephone_whatever_people_wrote(letter_page: Watched) -> None:
    for name, made in MADE.items():
        letter_page.page.set_content(made().html)
        assert letter_page.too_wide() <= 0, name
        assert letter_page.said == [], name
        assert "heading 1" in structure(letter_page.page)["blocks"], name


@needs_arial
@needs_chromium
def test_no_page_runs_out_of_a_telephone_whatever_people_wrote(chromium: Browser, tmp_path: Path) -> None:
    """The pages show games of two and six that ended in turn 1, and a tournament. Their players have long names, names
    in other scripts, and names with markup."""
    games = []
    for players in (2, 6):
        game = finished("wbc-2018", f"of-{players}", players, turns=1)
        named = dict(zip(game.cast, NAMES if players == 6 else NAMES[:1] + NAMES[4:], strict=False))
        cast = {faction: replace(game.cast[faction], name=name) for faction, name in named.items()}
        games.append(replace(game, cast=cast, ended=date(2026, 5, 5)))
    event = example()
    entrants = [msgspec.structs.replace(one, name=NAMES[at % len(NAMES)]) for at, one in enumerate(event.entrants)]
    event = with_sums(msgspec.structs.replace(event, entrants=tuple(entrants)))
    root = (tmp_path / "site").resolve()
    over = [Offered(game.id, "1", lambda game=game: game) for game in games]  # type: ignore[misc]
    assert site.build(root, over, (), None, [Offered("arrakeen", "1", lambda: event)]).problems == ()
    with Watched(chromium, root / "index.html", viewport={"width": 390, "height": PHONE}) as watched:
        for page in pages_of(root):
            watched.turn_to(page)
            assert watched.too_wide() <= 0, page
            assert watched.said == [], page
            assert watched.outside(root) == [], page
            assert "heading 1" in structure(watched.page)["blocks"], page
