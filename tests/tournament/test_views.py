"""Answers to entrants' questions, each compared as a whole."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

from bot.competition.outcomes import SeatOutcome, TableOutcome, Tenure
from bot.render.blocks import Block, Heading, Paragraph, Row, Rows, Table
from bot.store import tournament_rounds, tournaments
from bot.store.database import reading, writing
from bot.store.tournament_rounds import Result
from bot.tournament import entrant_lines
from bot.tournament.mail_lines import What
from rules.components import FACTIONS, faction_name
from tests.tournament.cup import CUP, Cup, Entered


def shown(cup: Cup | Entered, number: int, what: What) -> list[Block]:
    """Return the blocks shown to an entrant, or to an organiser if `number` is 0."""
    with reading(cup.world.engine) as conn:
        tournament = tournaments.find_tournament(conn, CUP)
        own = tournaments.find_entrant(conn, CUP, tournaments.handle(number)) if number else None
        return entrant_lines.blocks_shown(conn, tournament, own, what, cup.world.now)


def test_before_a_round_is_drawn_there_are_no_tables_and_no_standings(cup: Cup) -> None:
    none = Paragraph("No tables have been drawn yet. You will get a letter when they are.")
    assert shown(cup, 1, "tables") == [none]
    assert shown(cup, 1, "standings") == [Paragraph("No table has a result yet.")]
    assert shown(cup, 1, "status") == [
        Rows((Row("Tournament", ("The Cup is being played.",)), Row("You", ("E001", "You are playing.")))),
        none,
    ]
    place = "You are a substitute, number 2 on the list."
    assert shown(cup, 14, "status")[0] == Rows(
        (Row("Tournament", ("The Cup is being played.",)), Row("You", ("E014", place)))
    )
    assert shown(cup, 0, "status") == [Rows((Row("Tournament", ("The Cup is being played.",)),)), none]


def test_while_entries_are_open_their_end_is_shown(cup: Cup) -> None:
    with writing(cup.world.engine) as conn:
        tournaments.touch(conn, CUP, state="open", until=cup.now + timedelta(days=3))
    [rows, _] = shown(cup, 1, "status")
    assert isinstance(rows, Rows)
    assert [row.label for row in rows.rows] == ["Tournament", "Entries until", "You"]
    assert "29 Nov" in rows.rows[1].lines[0]


def test_of_their_own_table_they_see_who_plays_what_and_of_others_who_plays(cup: Cup) -> None:
    cup.round()
    own = [f"{faction_name(faction)}: E{n:03d}" for faction, n in zip(FACTIONS, range(1, 7), strict=True)]
    there = sorted(own, key=lambda line: cup.sitting(next(f for f in FACTIONS if line.startswith(faction_name(f)))).dot)
    mine: list[Block] = [
        Heading("Table 1.1 · game cup-1-1", "being played"), Rows((Row("Players", tuple(there)),)),
        Heading("The other tables"),
    ]  # fmt: skip
    found = shown(cup, 1, "tables")
    assert found[:3] == mine
    [rows] = found[3:]
    assert isinstance(rows, Rows)
    [row] = rows.rows
    assert row.label == "1.2"
    assert row.lines[0].startswith("being played: ")
    assert all(f"E{n:03d}" in row.lines[0] for n in range(7, 13))
    assert "Guild" not in row.lines[0]
    [heading, all_tables] = shown(cup, 13, "tables")
    assert heading == Heading("The other tables")
    assert isinstance(all_tables, Rows)
    assert [row.label for row in all_tables.rows] == ["1.1", "1.2"]
    assert shown(cup, 0, "tables") == [heading, all_tables]


def test_a_table_that_is_planned_is_not_shown_and_the_only_one_has_no_others_beside_it(cup: Cup) -> None:
    cup.round(1, [range(1, 7)])
    with writing(cup.world.engine) as conn:
        tournament_rounds.add_round(conn, tournament_rounds.Round(CUP, 2, "heat", "planned"))
        tournament_rounds.add_tables(
            conn, [tournament_rounds.RoundTable(CUP, 2, 1, 6)], [tournament_rounds.Tenure(CUP, 2, 1, 2, 1)]
        )
    assert [block.text for block in shown(cup, 1, "tables") if isinstance(block, Heading)] == [
        "Table 1.1 · game cup-1-1"
    ]


def test_what_can_be_written_depends_on_how_factions_come_and_on_the_format(cup: Cup) -> None:
    def written() -> list[str]:
        [heading, rows] = shown(cup, 1, "help")
        assert heading == Heading("What you can write")
        assert isinstance(rows, Rows)
        return [row.label.split()[0] for row in rows.rows]

    always = ["status", "tables", "standings", "withdraw", "accept", "decline", "protest", "vote", "name", "awake",
              "connected", "press", "help"]  # fmt: skip
    assert written() == always
    with writing(cup.world.engine) as conn:
        settings = 'title = "The Cup"\nformat = "ladder"\nfactions.by = "auction"\n'
        tournaments.touch(conn, CUP, settings=settings)
    assert written() == [*always[:4], "bid", *always[4:-2], "ready", "press", "help"]


def test_of_long_standings_the_first_are_shown_and_who_is_near_the_reader(tmp_path: Path) -> None:
    cup = Entered.at(tmp_path, 30)
    cup.draw()
    with writing(cup.world.engine) as conn:
        tournaments.touch(conn, CUP, state="running")
        tournament_rounds.change_round(conn, CUP, 1, state="playing")
        for table in tournament_rounds.tables_of(conn, CUP)[:4]:
            held = tournament_rounds.now_sitting(conn, CUP, 1, table.number)
            seats = tuple(
                SeatOutcome(
                    faction=each.faction, dot=each.dot,
                    tenures=(Tenure(entrant=tournaments.handle(each.entrant), first=1, last=3),),
                )
                for each in held
            )  # fmt: skip
            outcome = TableOutcome(
                game=f"g{table.number}", ruleset="wbc-2018", kind="stronghold", how="strongholds",
                winners=(held[0].faction,), turn=3, seats=seats, round=1, table=table.number,
            )  # fmt: skip
            tournament_rounds.add_result(conn, Result(CUP, outcome, "confirmed", "", "", cup.world.now))
            tournament_rounds.change_table(conn, CUP, 1, table.number, state="finished")
    grid = shown(cup, 0, "standings")[1]
    assert isinstance(grid, Table)
    assert len(grid.rows) == 12
    assert shown(cup, 0, "standings") == [
        Heading("Standings"),
        Table(("#", "Entrant", "Points"), grid.rows, frozenset({2}), (), None),
        Paragraph("Finished tables only; still playing: 1. 12 rows not shown."),
    ]
    every = {}
    for number in range(1, 31):
        own = shown(cup, number, "standings")[1]
        assert isinstance(own, Table)
        every[number] = own
    seen = {row[1]: row for own in every.values() for row in own.rows}
    order = sorted(seen.values(), key=lambda row: int(str(row[0])))
    assert len({row[0] for row in order}) == len(order) == 24
    assert [row[2] for row in order[:4]] == [order[0][2]] * 4
    for number, own in every.items():
        place = next((n for n, row in enumerate(order) if row[1] == f"E{number:03d}"), None)
        near = [] if place is None else [n for n in range(12, 24) if abs(n - place) <= 3]
        assert list(own.rows) == [order[n] for n in (*range(12), *near)]
        assert (None if own.own is None else own.rows[own.own]) == (None if place is None else order[place])
