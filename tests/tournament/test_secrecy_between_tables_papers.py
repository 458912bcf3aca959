"""An entrant's sealed papers stay secret until they are opened: other people's letters, pages, answers and times do
not reveal them."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from bot.competition.published import encode_published
from bot.games.open_games import Session
from bot.store import tournaments
from bot.store.database import reading, writing
from bot.store.publication import Viewer, published_tournament
from bot.tournament import entrant_lines, mail_lines
from bot.tournament.factions import card_offers
from rules.components import faction_name
from tests.tournament.cup import CUP, ONE_HEAT, Entered, address
from tests.tournament.test_factions import offers
from tests.tournament.twin_events import LINES, ask, differences, letters

HOURS = 72
Words = Callable[[Entered], str]


def says(cup: Entered, number: int, line: str) -> None:
    """Carry out a line from an entrant."""
    with writing(cup.world.engine) as conn:
        tournament = tournaments.find_tournament(conn, CUP)
        entrant = tournaments.find_entrant(conn, CUP, tournaments.handle(number))
        assert entrant is not None
        read = mail_lines.read_line(line)
        done = entrant_lines.carry_out_line(Session(conn, cup.open_games, cup.world.now), tournament, entrant, read)
        assert done.status == "done", done.text
        tournaments.touch(conn, CUP)


def seen(cup: Entered, but: int) -> dict[str, object]:
    """Return everything that all entrants but one receive and can read."""
    viewers: tuple[Viewer, ...] = ("everybody", "entrant")
    with reading(cup.world.engine) as conn:
        pages: dict[str, object] = {
            viewer: encode_published(published_tournament(conn, CUP, cup.world.now, viewer)).decode()
            for viewer in viewers
        }
    return {"letters": letters(cup.world, {address(n) for n in range(1, 13) if n != but}), **pages}


def story(folder: Path, by: str, line: Words | None, hours: int = HOURS - 2) -> dict[str, object]:
    """Let entrants choose factions, entrant 1 write a line, and the others ask for everything visible."""
    folder.mkdir()
    cup = Entered.at(folder, 12, f'{ONE_HEAT}[factions]\nby = "{by}"\ntrade_hours = {HOURS}\n')
    cup.draw()
    cup.tick(1)
    if line is not None:
        says(cup, 1, line(cup))
    cup.tick(hours)
    for number in range(2, 13):
        ask(cup.world, address(number), LINES[number % len(LINES)])
    found = seen(cup, 1)
    cup.world.engine.dispose()
    return found


def offered(place: int) -> Words:
    return lambda cup: f"keep {offers_to_first(cup)[place]}"


def offers_to_first(cup: Entered) -> tuple[str, str]:
    first, second = offers(cup)["E001"]
    return first, second


def neighbour(cup: Entered) -> str:
    """Return the handle of another entrant at entrant 1's table."""
    table = next(seat.table for seat in cup.seats() if seat.entrant == 1)
    return next(f"E{seat.entrant:03d}" for seat in cup.seats() if seat.table == table and seat.entrant != 1)


@pytest.mark.parametrize(
    ("by", "one", "other"),
    [
        ("preference", lambda _: "preferences guild, fremen, *", None),
        ("preference", lambda _: "preferences guild, *", lambda _: "preferences harkonnen, emperor, guild"),
        ("two-cards", offered(0), None),
        ("two-cards", offered(0), offered(1)),
        ("auction", lambda _: "bid guild 3, emperor 2.5", None),
        ("auction", lambda _: "bid guild 9", lambda _: "bid fremen 1, atreides 2, guild 0.5"),
        ("trade", lambda cup: f"trade {neighbour(cup)} paying 2", None),
        ("trade", lambda cup: f"trade {neighbour(cup)} paying 2", lambda cup: f"trade {neighbour(cup)} getting 2"),
    ],
)
def test_a_sealed_paper_is_seen_by_nobody_before_factions_are_settled(
    tmp_path: Path, by: str, one: Words, other: Words | None
) -> None:
    assert not differences(story(tmp_path / "1", by, one), story(tmp_path / "2", by, other))


@pytest.mark.parametrize(
    ("by", "one", "other"),
    [
        ("auction", "bid guild 3", "bid guild 9"),
        ("preference", "preferences guild, fremen, *", "preferences guild, emperor, harkonnen"),
    ],
)
def test_what_a_paper_said_is_not_seen_when_it_changed_nothing(tmp_path: Path, by: str, one: str, other: str) -> None:
    with_it = story(tmp_path / "1", by, lambda _: one, HOURS + 1)
    assert not differences(with_it, story(tmp_path / "2", by, lambda _: other, HOURS + 1))


def test_two_cards_are_known_to_their_reader_alone_and_follow_from_nothing_that_is_published(tmp_path: Path) -> None:
    cup = Entered.at(tmp_path, 12, f'{ONE_HEAT}[factions]\nby = "two-cards"\ntrade_hours = {HOURS}\n')
    record = cup.draw().record
    table = record.tables[0]
    true = card_offers(cup.cup.settings, cup.cup.secret, record.seed, table)
    for known in ("", cup.cup.commitment, record.seed, record.roster_digest, CUP):
        assert card_offers(cup.cup.settings, known, record.seed, table) != true
    for seat in table.seats:
        assert not seat.offered
        number = int(seat.entrant[1:])
        told = cup.text(number).partition("kept")[0]
        assert all(faction_name(card) in told for card in true[seat.entrant])
    for page in ("everybody", "entrant"):
        assert not re.search(r'"offered":\s*\[\s*"', str(seen(cup, 0)[page]))
    cup.world.engine.dispose()


@pytest.mark.parametrize("line", ["ready", "not ready"])
def test_on_a_ladder_nobody_is_told_who_else_is_ready(tmp_path: Path, line: str) -> None:
    found = []
    for says_so in (True, False):
        (tmp_path / str(says_so)).mkdir()
        cup = Entered.at(tmp_path / str(says_so), 12, 'title = "The Cup"\nformat = "ladder"\n')
        for number in (2, 3, 4):
            says(cup, number, "ready")
        if says_so:
            says(cup, 1, line)
        elif line == "ready":
            says(cup, 12, line)  # the number of ready entrants is public, not their names
        cup.tick(5)
        for number in range(2, 12):
            ask(cup.world, address(number), LINES[number % len(LINES)])
        letters: Any = seen(cup, 1)
        letters["letters"] = [each for each in letters["letters"] if each[0] != address(12)]
        found.append(letters)
        cup.world.engine.dispose()
    assert not differences(*found)
