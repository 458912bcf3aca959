"""With the expansion, eight factions are drawn, wished for, bid for and offered; without it, only six."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from bot.competition.published import encode_published
from bot.competition.verification import verify
from bot.games.open_games import Session
from bot.store import tournaments
from bot.store.database import reading, writing
from bot.store.publication import published_tournament
from bot.tournament.desk import By, Caller, Refused
from bot.tournament.entrant_lines import Kind, LineAnswer, seal_paper
from bot.tournament.factions import card_offers, factions_on_offer
from bot.tournament.mail_lines import Filed
from bot.tournament.preparation import amend_settings
from rules.components import FACTION_FACTS, FACTIONS, as_faction, faction_name
from tests.tournament.cup import CUP, Entered
from tests.tournament.entries import Cup as Entries

EIGHT = tuple(FACTION_FACTS)
NEW = [faction for faction in EIGHT if faction not in FACTIONS]
HEATS = 'title = "The Cup"\n[rounds]\nheats = {heats}\nsemifinal = 0\nfinal = 6\n'
ADVANCED = '[tables]\nruleset = "gf9-advanced"\n'
EXPANDED = f'{ADVANCED}options = {{ expansion = "ixians-tleilaxu" }}\n'


def an_event(folder: Path, players: int = 12, heats: int = 1, tables: str = EXPANDED, more: str = "") -> Entered:
    return Entered.at(folder, players, f"{HEATS.format(heats=heats)}{tables}{more}")


def verdict(cup: Entered) -> str:
    with reading(cup.world.engine) as conn:
        return verify(encode_published(published_tournament(conn, CUP, cup.world.now))).difference


def file(cup: Entered, number: int, kind: Kind, words: str) -> LineAnswer:
    """File an entrant's paper and return the answer."""
    with writing(cup.world.engine) as conn:
        filer = tournaments.find_entrant(conn, CUP, tournaments.handle(number))
        assert filer is not None
        return seal_paper(Session(conn, cup.open_games, cup.world.now), cup.cup, filer, Filed(kind, words, ""))


@pytest.mark.parametrize(("players", "heats"), [(12, 1), (12, 2), (12, 3), (11, 2)])
def test_a_draw_takes_from_all_eight_each_at_as_many_tables(tmp_path: Path, players: int, heats: int) -> None:
    cup = an_event(tmp_path, players, heats)
    drawn = cup.draw()
    times = Counter(seat.faction for table in drawn.record.tables for seat in table.seats)
    assert set(times) == set(EIGHT)
    assert max(times.values()) - min(times.values()) <= 1
    for table in drawn.record.tables:
        assert len({seat.faction for seat in table.seats}) == len(table.seats)
    assert drawn.record.cost.factions == 0
    assert verdict(cup) == ""


def test_its_games_begin_with_the_factions_that_were_drawn(tmp_path: Path) -> None:
    cup = an_event(tmp_path)
    cup.draw()
    cup.start()
    for table in (1, 2):
        seated = {seat.faction: seat.dot for seat in cup.seats() if seat.table == table}
        assert {each: seat.dot for each, seat in cup.world.table(f"cup-r1-t{table:02d}").seats.items()} == seated


def test_a_letter_says_who_is_not_played(tmp_path: Path) -> None:
    cup = an_event(tmp_path, 6)
    played = [seat.faction for seat in cup.draw().record.tables[0].seats]
    one, other = [faction_name(faction) for faction in EIGHT if faction not in played]
    assert f"Nobody plays {one} and {other}." in cup.text(1)


def test_without_the_expansion_six_are_drawn(tmp_path: Path) -> None:
    cup = an_event(tmp_path, tables=ADVANCED)
    drawn = cup.draw()
    assert {seat.faction for table in drawn.record.tables for seat in table.seats} == set(FACTIONS)
    assert "Nobody plays" not in cup.text(1)
    assert verdict(cup) == ""


def test_the_bene_gesserit_are_missing_at_five_where_the_settings_say_so(tmp_path: Path) -> None:
    cup = an_event(tmp_path, 5, tables=f'{EXPANDED}missing = "bene-gesserit"\n')
    assert "bene-gesserit" not in [seat.faction for seat in cup.draw().record.tables[0].seats]
    assert verdict(cup) == ""


@pytest.mark.parametrize("by", ["trade", "two-cards", "preference", "auction"])
@pytest.mark.parametrize("players", [6, 11])
def test_what_is_settled_after_the_draw_is_of_eight_too(tmp_path: Path, by: str, players: int) -> None:
    cup = an_event(tmp_path, players, more=f'[factions]\nby = "{by}"\n')
    record = cup.draw().record
    settings = cup.cup.settings
    if by == "two-cards":
        offers = [card_offers(settings, cup.cup.secret, record.seed, table) for table in record.tables]
        assert all({faction for offer in those.values() for faction in offer} == set(EIGHT) for those in offers)
    elif by != "trade":
        assert all(factions_on_offer(settings, record.seed, table) == list(EIGHT) for table in record.tables)
        assert all(faction_name(faction) in cup.text(1) for faction in EIGHT)
    cup.tick(72)
    for table in record.tables:
        held = [seat.faction for seat in cup.seats() if seat.table == table.table]
        assert len(set(held)) == len(table.seats)
        assert set(held) <= set(EIGHT)
    assert verdict(cup) == ""
    assert len(cup.start().now) == len(record.tables)


def test_wishes_for_the_new_ones_are_granted(tmp_path: Path) -> None:
    cup = an_event(tmp_path, 6, more='[factions]\nby = "preference"\n')
    assert file(cup, 1, "preferences", "ixians, tleilaxu, *").status == "done"
    cup.draw()
    assert file(cup, 2, "preferences", "t, guild").status == "done"
    cup.tick(72)
    held = {seat.entrant: seat.faction for seat in cup.seats()}
    assert (held[1], held[2]) == ("ixians", "tleilaxu")


def test_a_bid_for_the_new_ones_buys_them(tmp_path: Path) -> None:
    cup = an_event(tmp_path, 6, more='[factions]\nby = "auction"\n')
    cup.draw()
    assert file(cup, 1, "worths", "tleilaxu 3 atreides 1").status == "done"
    assert file(cup, 2, "worths", "tleilaxu 2").status == "done"
    cup.tick(72)
    won = next(seat for seat in cup.seats() if seat.entrant == 1)
    assert (won.faction, won.price) == ("tleilaxu", 20)


@pytest.mark.parametrize("new", NEW)
def test_without_the_expansion_a_wish_for_the_new_ones_is_refused(tmp_path: Path, new: str) -> None:
    cup = an_event(tmp_path, 6, tables=ADVANCED, more='[factions]\nby = "preference"\n')
    answer = file(cup, 1, "preferences", f"{new}, guild")
    assert answer.status == "refused"
    assert answer.text.startswith(f"'{new}' is not a faction of this table; the factions are Atreides, Bene Gesserit")
    assert faction_name(as_faction(new)) not in answer.text


def test_by_mail_too(tmp_path: Path) -> None:
    cup = Entries.at(tmp_path, f'title = "The Cup"\nfactions.by = "preference"\n{EXPANDED}')
    cup.enters("ann")
    cup.answers("ann", "prefer ix, bene tleilax = guild, *")
    with reading(cup.world.engine) as conn:
        assert [each.words for each in tournaments.papers_of(conn, CUP)] == ["ix, bene tleilax = guild, *"]
    cup.world.engine.dispose()


def test_a_list_for_all_tables_counts_at_a_table_of_five_too(tmp_path: Path) -> None:
    cup = an_event(tmp_path, 5, tables="", more='[factions]\nby = "preference"\n')
    record = cup.draw().record
    there = factions_on_offer(cup.cup.settings, record.seed, record.tables[0])
    (missing,) = set(FACTIONS) - set(there)
    file(cup, 1, "preferences", f"{missing}, {there[4]}, {there[3]}")
    cup.tick(72)
    assert next(seat.faction for seat in cup.seats() if seat.entrant == 1) == there[4]


def test_after_a_draw_the_expansion_stays(tmp_path: Path) -> None:
    cup = an_event(tmp_path)
    cup.draw()
    without = f"{HEATS.format(heats=1)}{ADVANCED}"
    with pytest.raises(Refused, match=r"tables\.options\.expansion can no longer be changed"):
        amend_settings(Caller(cup.open_games, cup.world.now, By(why="An example.")), CUP, without)
