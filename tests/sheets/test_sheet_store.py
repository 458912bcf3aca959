from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest
from sqlalchemy import Connection, select

from bot.language.lines import Context
from bot.language.sheets import Sheet, SheetLine, read_sheet_line
from bot.store import games
from bot.store.database import open_database, writing
from bot.store.tables import SHEET
from rules.components import FACTIONS, Faction
from rules.engine.catalogue import load_rule_set
from tests.moderator.table import GAME, World

NOW = datetime(2026, 11, 20, 20, tzinfo=UTC)


@pytest.fixture
def conn(tmp_path: Path) -> Iterator[Connection]:
    world = World.at(tmp_path)
    world.new_game()
    engine = open_database(world.settings.mentat.database)
    with writing(engine) as open_connection:
        yield open_connection
    engine.dispose()
    world.engine.dispose()


def filled(*texts: str, entries: int = 3) -> Sheet:
    sheet = Sheet()
    for text in texts:
        line = read_sheet_line(text, Context("guild"))
        assert isinstance(line, SheetLine)
        sheet.file(line, load_rule_set("wbc-2018"), 4, "bidding", entries)
    return sheet


def test_lines_come_back_as_they_were_filed(conn: Connection) -> None:
    sheet = filled("standing: charity", "when card 2 and price < 5: bid 5", "go now if after harkonnen twice")
    was = [(line.number, line.line, line.text, line.turn, line.left, line.filed) for line in sheet.active()]
    games.save_sheets(conn, GAME, {"guild": sheet}, NOW)
    again = games.load_sheets(conn, GAME, FACTIONS)["guild"]
    assert [(line.number, line.line, line.text, line.turn, line.left, line.filed) for line in again.active()] == was
    assert again.next_number == 4


def test_a_game_without_sheets_has_none(conn: Connection) -> None:
    assert games.load_sheets(conn, GAME, FACTIONS) == {}


def test_what_a_line_has_done_is_kept_and_its_number_is_not_given_again(conn: Connection) -> None:
    sheet = filled("bid 1 if card 1 once", "standing: charity")
    games.save_sheets(conn, GAME, {"guild": sheet}, NOW)
    sheet.act(sheet.lines[0], "4.bidding.2", "bid", 9)
    games.save_sheets(conn, GAME, {"guild": sheet}, NOW)
    row = conn.execute(select(SHEET).where(SHEET.c.number == 1)).one()
    assert (row.state, row.left, row.changed, row.acted) == ("used", 0, 9, "4.bidding.2")
    again = games.load_sheets(conn, GAME, FACTIONS)["guild"]
    assert [line.text for line in again.lines] == ["standing: charity"]
    assert again.next_number == 3


def test_a_note_is_kept_until_it_is_told(conn: Connection) -> None:
    sheet = filled("bid 1 if card 1")
    sheet.remark(sheet.lines[0], "It could not be used.")
    sheet.withdraw(4)
    games.save_sheets(conn, GAME, {"guild": sheet}, NOW)
    again = games.load_sheets(conn, GAME, FACTIONS)["guild"]
    assert (again.notes, again.active()) == (("It could not be used.",), [])
    again.told()
    games.save_sheets(conn, GAME, {"guild": again}, NOW)
    assert games.load_sheets(conn, GAME, FACTIONS)["guild"].lines == []


def test_a_cut_withdraws_what_was_filed_or_used_after_it(conn: Connection) -> None:
    sheet = filled("standing: charity", "bid 1 if card 1")
    sheet.act(sheet.lines[1], "4.bidding.2", "bid", 9)
    late = filled("standing: pass", entries=8)
    games.save_sheets(conn, GAME, {"guild": sheet, "fremen": late}, NOW)
    games.cut_sheets(conn, GAME, 5)
    after = games.load_sheets(conn, GAME, FACTIONS)
    assert [line.text for line in after["guild"].active()] == ["standing: charity"]
    assert after["fremen"].active() == []


def test_a_line_that_is_no_longer_understood_counts_no_more(conn: Connection) -> None:
    games.save_sheets(conn, GAME, {"guild": filled("standing: charity")}, NOW)
    conn.execute(SHEET.update().values(line="standing: gargle"))
    assert games.load_sheets(conn, GAME, FACTIONS)["guild"].active() == []
    assert conn.execute(select(SHEET.c.state)).scalar_one() == "withdrawn"


@pytest.mark.parametrize("faction", [None, "guild"])
def test_a_game_is_opened_with_what_happened_in_its_turn_where_a_sheet_may_look_at_it(
    conn: Connection, faction: Faction | None
) -> None:
    if faction:
        games.save_sheets(conn, GAME, {faction: filled("standing: charity")}, NOW)
    table = games.open_table(conn, GAME)
    assert table.turn_events == (games.events_of_turn(conn, GAME, table.play.state.turn) if faction else None)
    assert table.turn_events != []
