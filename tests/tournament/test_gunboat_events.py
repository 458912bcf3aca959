"""Gunboat tournaments: nobody learns who plays which faction during their game."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from bot.competition.ratings import first_rating_difference
from bot.competition.settings import SettingsRefused, read_settings
from bot.competition.standings import standings_of_published
from bot.desk import clocks
from bot.desk.game_view import json_view
from bot.desk.powers import DeskRequest
from bot.store import archive, tournament_rounds, tournaments
from bot.store.database import reading, writing
from bot.store.publication import published_tournament
from bot.table.press import names_hidden
from bot.tournament import preparation, progress
from bot.tournament import rounds as rounds_of
from bot.tournament.desk import DIRECTOR, Caller
from rules.components import FACTIONS, faction_name
from tests.moderator.table import World
from tests.tournament.cup import CUP, ONE_HEAT, Cup, Entered, address
from tests.tournament.twin_events import LINES, ask, differences, seen_by

UNTIL_THE_ROUND = 'title = "The Cup"\npress = "open,gunboat,names-until=round"\n[rounds]\nheats = 2\nsemifinal = 0\n'
UNKNOWN = 'title = "The Cup"\npress = "open,gunboat"\n[rounds]\nheats = 2\nsemifinal = 0\n'


def test_the_letter_of_the_draw_names_nobody_else_and_not_the_seed(tmp_path: Path) -> None:
    cup = Entered.at(tmp_path, 6, f'press = "open,gunboat"\n{ONE_HEAT}')
    record = cup.draw().record
    for number in range(1, 7):
        told = " ".join(cup.text(number).split())
        own = next(seat for seat in record.tables[0].seats if seat.entrant == f"E{number:03d}")
        assert own.faction is not None
        assert faction_name(own.faction) in told
        assert "5 others: you will learn who they are when the game is over" in told
        assert not any(f"E{other:03d}" in told for other in range(1, 7) if other != number)
        assert not any(faction_name(each) in told for each in FACTIONS if each != own.faction)
        assert record.seed not in told
    assert not any(record.seed in act.words for act in cup.acts())


def test_the_draw_is_published_when_its_round_is_closed(tmp_path: Path) -> None:
    cup = Entered.at(tmp_path, 6, f'press = "open,gunboat"\n{ONE_HEAT}')
    record = cup.draw().record
    with reading(cup.world.engine) as conn:
        seen = {
            who: published_tournament(conn, CUP, cup.world.now, who).rounds[0]
            for who in ("everybody", "entrant", "directors")
        }
    for who in ("everybody", "entrant"):
        assert seen[who].draw is None
        assert [table.seats for table in seen[who].tables] == [()]
    assert seen["directors"].draw == record
    with writing(cup.world.engine) as conn:
        tournament_rounds.change_round(conn, CUP, 1, state="closed")
        tournament_rounds.change_table(conn, CUP, 1, 1, state="result")
    with reading(cup.world.engine) as conn:
        told = published_tournament(conn, CUP, cup.world.now).rounds[0]
    assert told.draw is not None
    assert told.draw.seed == record.seed
    assert len(told.tables[0].seats) == 6


def played(folder: Path, tables: Sequence[Sequence[int]], settings: str = UNKNOWN) -> Cup:
    folder.mkdir()
    cup = Cup(World.at(folder), settings)
    cup.round(tables=tables)
    for hours in (1, 30, 24, 24):
        cup.tick(hours)
        cup.world.moderator.timekeeper.tick(cup.now)
        for line in LINES:
            ask(cup.world, address(1), line)
    return cup


@pytest.mark.parametrize(
    "tables", [((1, 3, 4, 5, 6, 2), range(7, 13)), ((1, 7, 8, 9, 10, 11), (12, 2, 3, 4, 5, 6))], ids=["own", "both"]
)
def test_nothing_that_an_entrant_gets_tells_who_plays_whom(tmp_path: Path, tables: Sequence[Sequence[int]]) -> None:
    one = played(tmp_path / "one", (range(1, 7), range(7, 13)))
    other = played(tmp_path / "other", tables)
    mine, theirs = seen_by(one, [1]), seen_by(other, [1])
    assert differences(mine, theirs) == []
    assert len(mine["letters"]) > 8  # type: ignore[arg-type]


def test_names_are_told_when_the_game_is_over(tmp_path: Path) -> None:
    cup = played(tmp_path / "cup", (range(1, 7), range(7, 13)))
    cup.tick(1)
    ask(cup.world, address(1), "tables cup")
    assert "players will be named when the game is over" in cup.world.newest(address(1)).text
    cup.end("cup-1-1", "guild")
    cup.tick(1)
    ask(cup.world, address(1), "tables cup")
    own = cup.world.newest(address(1)).text.partition("The other tables")[0]
    assert all(f"E{number:03d}" in own for number in range(1, 7))


def test_gunboat_goes_with_factions_by_draw_alone() -> None:
    read_settings(UNKNOWN)
    with pytest.raises(SettingsRefused, match="a player who deals for a faction reveals who plays it"):
        read_settings(f'{UNKNOWN}[factions]\nby = "trade"\n')


def ended(folder: Path, tables: Sequence[Sequence[int]], settings: str = UNTIL_THE_ROUND) -> Cup:
    """Play both games to confirmed results, with the round still open."""
    cup = played(folder, tables, settings)
    for game in ("cup-1-1", "cup-1-2"):
        clocks.end_game(DeskRequest(cup.open_games, game, cup.now), "agreed", ("guild",))
    for hours in (1, 24, 80):
        cup.tick(hours)
        cup.world.moderator.timekeeper.tick(cup.now)
        for line in LINES:
            ask(cup.world, address(1), line)
    return cup


@pytest.mark.parametrize(
    "tables", [((1, 3, 4, 5, 6, 2), range(7, 13)), ((1, 7, 8, 9, 10, 11), (12, 2, 3, 4, 5, 6))], ids=["own", "both"]
)
@pytest.mark.parametrize("seen", ["round-end", "late"])
def test_who_played_is_told_with_the_round_and_not_with_the_game(
    tmp_path: Path, tables: Sequence[Sequence[int]], seen: str
) -> None:
    settings = f'{UNTIL_THE_ROUND}[tables]\nseen = "{seen}"\n'
    one = ended(tmp_path / "one", (range(1, 7), range(7, 13)), settings)
    other = ended(tmp_path / "other", tables, settings)
    assert one.result() is not None
    mine, theirs = seen_by(one, [1]), seen_by(other, [1])
    assert differences(mine, theirs) == []
    texts = " ".join(letter.text for letter in one.letters(1))
    assert "players will be named when the round is closed" in " ".join(texts.split())
    assert "when the game is over" not in " ".join(texts.split())
    for viewer in ("public", "E001"):
        assert looked(one, viewer) == looked(other, viewer)
    assert json_view(one.world.table("cup-1-1"), "public", one.world.settings) == json_view(
        other.world.table("cup-1-1"), "public", other.world.settings
    )
    for cup in (one, other):
        assert names_hidden(cup.world.table("cup-1-1"))
        rounds_of.close_round(Caller(cup.open_games, cup.now, DIRECTOR), CUP, 1)
        assert not names_hidden(cup.world.table("cup-1-1"))
    with reading(one.world.engine) as conn:
        told = published_tournament(conn, CUP, one.now)
    assert len(told.rounds[0].tables[0].seats) == 6
    assert len(told.results) == 2
    assert told.standings
    one.tick(1)
    ask(one.world, address(1), "tables cup")
    own = one.world.newest(address(1)).text.partition("The other tables")[0]
    assert all(f"E{number:03d}" in own for number in range(1, 7))


def looked(cup: Cup, viewer: str) -> object:
    with reading(cup.world.engine) as conn:
        seen = progress.tournament_view(conn, tournaments.find_tournament(conn, CUP), cup.now, viewer)
    return {key: value for key, value in seen.items() if key != "ends_about"}


def test_a_directors_document_has_the_results_of_a_round_that_is_open(tmp_path: Path) -> None:
    cup = ended(tmp_path / "cup", (range(1, 7), range(7, 13)))
    with reading(cup.world.engine) as conn:
        public, whole = (published_tournament(conn, CUP, cup.now, viewer) for viewer in ("everybody", "directors"))
    assert (public.results, public.ratings) == ((), ())
    assert [row.made_of for row in public.standings if row.made_of] == []
    assert len(whole.results) == 2
    for document in (public, whole):
        assert standings_of_published(document) == document.standings
        assert first_rating_difference(document, True) == ""


def test_a_tournament_that_is_cancelled_names_who_has_played(tmp_path: Path) -> None:
    cup = ended(tmp_path / "cup", (range(1, 7), range(7, 13)))
    preparation.cancel_tournament(Caller(cup.open_games, cup.now), CUP)
    assert not names_hidden(cup.world.table("cup-1-1"))


def test_a_ladder_has_no_round_to_wait_for() -> None:
    with pytest.raises(SettingsRefused, match="no common end"):
        read_settings(f'format = "ladder"\n{UNTIL_THE_ROUND.replace("semifinal = 0", "")}')


def test_the_archive_names_players_with_the_round(tmp_path: Path) -> None:
    cup = played(tmp_path / "cup", (range(1, 7), range(7, 13)), UNTIL_THE_ROUND)
    named = cup.world.mail("guild", "archive name Wanderer", sender=address(5), game="cup-1-1")
    assert cup.world.moderator.deliver(named, cup.now).disposition == "orders"
    clocks.end_game(DeskRequest(cup.open_games, "cup-1-1", cup.now), "agreed", ("guild",))
    clocks.end_game(DeskRequest(cup.open_games, "cup-1-2", cup.now), "agreed", ("guild",))
    cup.tick(1)
    with reading(cup.world.engine) as conn:
        assert "Wanderer" not in {each.name for each in archive.cast_of(conn, "cup-1-1")}
    rounds_of.close_round(Caller(cup.open_games, cup.now, DIRECTOR), CUP, 1)
    with reading(cup.world.engine) as conn:
        assert "Wanderer" in {each.name for each in archive.cast_of(conn, "cup-1-1")}
