"""Tests for all archive pages: one heading each, nothing loaded from elsewhere, and players' words as plain text."""

from __future__ import annotations

import html5lib
import pytest

from bot.archive.games import LONGEST_NAME, shown_name
from bot.archive.html import Page, document
from bot.render.blocks import (
    Block,
    Fight,
    Link,
    List,
    Name,
    Paragraph,
    Part,
    Quote,
    Row,
    Rows,
    Side,
    Story,
    Table,
    Title,
)

HOSTILE = "</script><b>[/b]{{ 7 * 7 }}\u202egnihtemos " + "x" * 10_000

BLOCKS: list[Block] = [
    Title(HOSTILE, HOSTILE), Paragraph(HOSTILE), Quote(HOSTILE), Rows((Row(HOSTILE, (HOSTILE,)),)),
    Story((Row("bidding", (HOSTILE,), alone=frozenset({0}), id="bidding"),)),
    Table(("who",), ((HOSTILE,), (Name(HOSTILE),)), below=(HOSTILE, ""), caption=HOSTILE),
    List((HOSTILE, Link(HOSTILE, "c.html"), Name(HOSTILE, "c.html")), "links"),
    Part(HOSTILE, [Paragraph(HOSTILE)], "p"),
    Fight(HOSTILE, HOSTILE, (Side("Guild", "3", "won"), Side(HOSTILE, "2", "lost")), (("Dial", HOSTILE, "2"),)),
]  # fmt: skip


def page(heading: str = "A page") -> Page:
    return Page(heading, heading, "../../", heading, way=[Link(heading, "../index.html")])


def test_a_page_is_html_without_error_and_has_one_heading_of_the_first_level() -> None:
    made = document(page(), BLOCKS)
    html5lib.HTMLParser(strict=True).parse(made.decode())
    assert made.count(b"<h1") == 1


def test_words_of_players_stay_words() -> None:
    made = document(page(HOSTILE), BLOCKS).decode()
    assert "</script" not in made
    assert "<b>" not in made
    assert "{{ 7 * 7 }}" in made
    assert "\u202e" not in made
    html5lib.HTMLParser(strict=True).parse(made)


@pytest.mark.parametrize(("scripts", "rule"), [("none", ""), ("inline", "script-src 'unsafe-inline'")])
def test_a_page_loads_nothing_from_elsewhere_and_runs_only_the_scripts_that_it_needs(scripts: str, rule: str) -> None:
    made = document(Page("A", "A", scripts="inline" if scripts == "inline" else "none"), []).decode()
    assert "default-src 'none'" in made
    assert ("script-src" in made) == bool(rule)
    assert rule in made
    assert "http" not in made.replace("http-equiv", "")


def test_the_name_of_a_faction_has_its_disc() -> None:
    made = document(page(), [Paragraph("Bene Gesserit and Fremen")]).decode()
    assert '<b class="f f-b" aria-hidden="true">B</b>&nbsp;Bene' in made
    assert '<b class="f f-f" aria-hidden="true">F</b>&nbsp;Fremen' in made


def test_a_page_of_a_running_game_asks_search_engines_to_leave_it_out() -> None:
    assert b"noindex" in document(Page("A", "A", unlisted=True), [])
    assert b"noindex" not in document(Page("A", "A"), [])


def test_a_player_s_name_is_on_one_line_and_cut_only_where_it_is_too_long() -> None:
    assert shown_name("  Paul\n Muad'Dib ") == "Paul Muad'Dib"
    assert shown_name("x" * LONGEST_NAME) == "x" * LONGEST_NAME
    assert shown_name("x" * (LONGEST_NAME + 1)) == "x" * (LONGEST_NAME - 1) + "…"
