"""Tests that letters about turns and games keep their size and line lengths, however much happened, and that nothing
people wrote becomes markup."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import pytest
from msgspec.structs import replace
from selectolax.lexbor import LexborHTMLParser

from bot.render import letters
from bot.render.material import News, Party, Rendering
from bot.render.text import WIDTH
from rules.components import FACTIONS, Faction
from rules.components.board import AREAS
from tests.reports.every_letter import OVER, PUBLIC, RULES
from tests.reports.positions import CODE, HARKONNEN, TURN, VIEW

MOST_BYTES = 90_000  # Gmail clips a letter at 102 KB
ODD = "<b onclick=x>Ann</b> & <script>alert(1)</script>" * 4
RIGHT_TO_LEFT = "محمد بن راشد"
NAMES = (ODD, RIGHT_TO_LEFT, "沙丘的主人", "🐛🐛 worm 🐛", "W" * 200, "")

PLAYERS: dict[Faction, str] = dict(zip(FACTIONS, NAMES, strict=True))
CROWD = {area: dict.fromkeys(FACTIONS[:2], "19+5") for area in list(AREAS)[:60]}


def deal(turn: int) -> News:
    return News(turn, "collection", "deal-made", {"parties": ["guild", "emperor"], "text": ODD * 20, "pays": {}}, {})


def busy(turn: int = 4) -> tuple[News, ...]:
    """Return a turn with 40 battles, 200 moves, 60 cards and 500 deals with long texts."""
    moves = [each for each in TURN if each.kind in ("shipment", "move")] * 100
    fights = [each for each in TURN if each.phase == "battle"] * 40
    sales = [each for each in TURN if each.phase == "bidding"] * 30
    found = [*moves, *fights, *sales, *(deal(turn) for _ in range(500)), TURN[-1]]
    return tuple(replace(each, turn=turn) for each in found)


RACE = tuple(Party((faction,), number % 4, 3) for number, faction in enumerate(FACTIONS))
FULL = replace(
    PUBLIC, news=busy(), race=RACE, players=PLAYERS,
    view={**VIEW, "forces": CROWD, "spice": dict.fromkeys(list(AREAS)[:40], 10)},
)  # fmt: skip
QUIET = replace(PUBLIC, news=(), background=(), view={**VIEW, "forces": {}, "spice": {}, "alliances": []})
TWO = replace(QUIET, view={**VIEW, "players": {one: VIEW["players"][one] for one in ("guild", "harkonnen")}})
MINE = replace(HARKONNEN, news=(*(deal(3) for _ in range(500)), *busy(), *(deal(5) for _ in range(300))))
LAST = replace(OVER, players=PLAYERS, news=MINE.news)


def history(turns: int) -> tuple[News, ...]:
    return tuple(each for turn in range(1, turns + 1) for each in busy(turn))


MADE: Mapping[str, Callable[[], Rendering]] = {
    "summary": lambda: letters.public_summary(FULL),
    "round letter": lambda: letters.private_report(replace(MINE, ended=FULL, players=PLAYERS)),
    "first letter": lambda: letters.setup_letter(replace(MINE, rules=RULES, players=PLAYERS, view=FULL.view)),
    "last letter": lambda: letters.end_of_game(replace(LAST, ended=FULL, background=history(15))),
    "last letter of a player who read nothing": lambda: letters.end_of_game(replace(LAST, background=history(15))),
    "game ended in turn 1": lambda: letters.end_of_game(replace(OVER, background=(), news=(), ended=QUIET)),
    "turn without any event": lambda: letters.public_summary(QUIET),
    "round letter without any event": lambda: letters.private_report(replace(HARKONNEN, news=(), ended=QUIET)),
    "game of two": lambda: letters.public_summary(TWO),
    "last letter of a game of two": lambda: letters.end_of_game(
        replace(OVER, view={**OVER.view, "players": TWO.view["players"]}, ended=TWO)
    ),
}


@pytest.fixture(params=MADE)
def letter(request: pytest.FixtureRequest) -> Rendering:
    return MADE[str(request.param)]()


def test_a_letter_keeps_its_size_and_its_lines_and_shows_markup_as_text(letter: Rendering) -> None:
    assert len(letter.html.encode()) < MOST_BYTES
    lines = letter.text.partition(f"[form {CODE}]")[0].splitlines()
    assert all(len(line) <= WIDTH for line in lines if " " in line.strip())
    page = LexborHTMLParser(letter.html)
    assert not page.css("script, [onclick], iframe, form")
    assert len(page.css("h1")) == 1


def test_what_is_left_out_is_named_with_the_way_to_it() -> None:
    for made in ("summary", "round letter", "last letter"):
        assert "more: send history" in MADE[made]().text
    assert "earlier events: send history." in MADE["round letter"]().text


def test_a_turn_without_any_event_is_told_as_quiet() -> None:
    said = " ".join(letters.public_summary(QUIET).text.split())
    assert "No stronghold changed hands" in said
    assert "A quiet turn: nobody fought, and nothing much was won or lost." in said
    assert "did nothing on the board" in said
