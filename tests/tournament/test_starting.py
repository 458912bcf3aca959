"""Starting a round's games: each starts once, with its players, clock and letters."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from datetime import timedelta
from itertools import combinations
from pathlib import Path

import pytest

from bot.competition.published import TournamentState
from bot.games.seat_addresses import AddressRefused
from bot.store import games, publication, tournament_rounds, tournaments
from bot.store.database import reading, writing
from bot.tournament import game_starts
from bot.tournament.desk import By, Refused
from bot.tournament.game_starts import hours_apart, hours_of_tables
from rules.components.chance import Chance
from tests.moderator.table import World
from tests.tournament.cup import CUP, ONE_HEAT, Entered, address

TWO_HEATS = ONE_HEAT.replace("heats = 1", "heats = 2\nspread_hours = 12")


def drawn(folder: Path, players: int = 6, settings: str = ONE_HEAT) -> Entered:
    cup = Entered.at(folder, players, settings)
    cup.draw()
    return cup


def test_each_table_gets_its_game_with_the_seats_that_were_drawn(tmp_path: Path) -> None:
    cup = drawn(tmp_path, 12)
    started = cup.start()
    assert started.now == (("1.1", "cup-r1-t01"), ("1.2", "cup-r1-t02"))
    assert [(table.game_id, table.state) for table in cup.tables()] == [
        ("cup-r1-t01", "playing"), ("cup-r1-t02", "playing"),
    ]  # fmt: skip
    for table in cup.tables():
        made = cup.world.table(table.game_id)
        wanted = {(seat.faction, seat.dot, address(seat.entrant)) for seat in cup.seats() if seat.table == table.number}
        assert {(seat.faction, seat.dot, seat.address) for seat in made.seats.values()} == wanted
        assert made.ruleset == "wbc-2018"
    assert (cup.cup.state, set(cup.states().values())) == ("running", {"playing"})
    (played,) = cup.rounds()
    assert (played.state, played.opens, played.ends) == (
        "playing", cup.world.now, cup.world.now + timedelta(days=65),
    )  # fmt: skip


def test_every_player_gets_one_letter_with_the_beginning_of_their_game(tmp_path: Path) -> None:
    cup = drawn(tmp_path)
    before = cup.world.written()
    cup.start()
    first = cup.world.letters(after=before)
    assert Counter(sent.recipient for sent in first) == Counter({address(number): 1 for number in range(1, 7)})


def test_players_know_each_other_by_handle_unless_they_agreed_to_be_named(tmp_path: Path) -> None:
    cup = Entered.at(tmp_path, 5)
    cup.enter(1, shown=True)
    cup.draw()
    cup.start()
    names = {seat.name for seat in cup.world.table("cup-r1-t01").seats.values()}
    assert names == {"E001", "E002", "E003", "E004", "E005", "Player 6 (E006)"}


def test_games_have_seeds_of_their_own_which_do_not_follow_from_the_secret(tmp_path: Path) -> None:
    seeds = []
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        cup = drawn(tmp_path / name, 12)
        cup.start()
        seeds += [cup.world.table(table.game_id).seed for table in cup.tables()]
    assert len(set(seeds)) == 4
    assert all(len(bytes.fromhex(seed)) == 32 for seed in seeds)


def test_to_start_twice_does_nothing_and_says_so(tmp_path: Path) -> None:
    cup = drawn(tmp_path)
    cup.start()
    written, acts = cup.world.written(), len(cup.acts())
    again = cup.start()
    assert (again.now, again.before) == ((), ("1.1",))
    assert (cup.world.written(), len(cup.acts())) == (written, acts)


def test_one_table_alone_can_start_and_the_rest_later(tmp_path: Path) -> None:
    cup = drawn(tmp_path, 12)
    assert cup.start(only="1.2").now == (("1.2", "cup-r1-t02"),)
    cup.world.now += timedelta(days=1)
    assert cup.start().now == (("1.1", "cup-r1-t01"),)
    (played,) = cup.rounds()
    assert played.opens == cup.world.now - timedelta(days=1)


def test_one_round_alone_can_start(tmp_path: Path) -> None:
    cup = drawn(tmp_path, 6, TWO_HEATS)
    cup.start(number=2)
    assert [(each.number, each.state) for each in cup.rounds()] == [(1, "drawn"), (2, "playing")]


@pytest.mark.parametrize("state", ["draft", "open", "finished", "cancelled"])
def test_what_was_not_drawn_cannot_start(tmp_path: Path, state: str) -> None:
    cup = drawn(tmp_path)
    with writing(cup.world.engine) as conn:
        tournaments.touch(conn, CUP, state=state)
    with pytest.raises(Refused, match=f"cup is {state}: draw before you start"):
        cup.start()


def test_a_round_and_a_table_that_there_are_not_are_refused(tmp_path: Path) -> None:
    cup = drawn(tmp_path)
    with pytest.raises(Refused, match="Round 2 of cup has not been drawn"):
        cup.start(number=2)
    with pytest.raises(Refused, match="has no table"):
        cup.start(only="1.9")


def test_a_dry_run_starts_nothing(tmp_path: Path) -> None:
    cup = drawn(tmp_path)
    written = cup.world.written()
    assert cup.start(dry_run=True).now == (("1.1", "cup-r1-t01"),)
    assert (cup.tables()[0].state, cup.world.written(), cup.cup.state) == ("planned", written, "drawn")
    with reading(cup.world.engine) as conn:
        assert not games.exists(conn, "cup-r1-t01")


def test_the_revision_that_was_seen_is_that_before_the_first_table(tmp_path: Path) -> None:
    cup = drawn(tmp_path, 12)
    with pytest.raises(Refused, match="has changed since"):
        cup.start(by=By(seen=cup.cup.revision - 1))
    assert len(cup.start(by=By(seen=cup.cup.revision)).now) == 2


def test_a_table_where_somebody_is_missing_waits_and_the_others_begin(tmp_path: Path) -> None:
    cup = drawn(tmp_path, 12)
    gone = next(seat for seat in cup.seats() if seat.table == 1)
    with writing(cup.world.engine) as conn:
        tournament_rounds.change_tenure(conn, gone, entrant=0, why="caretaker")
    started = cup.start()
    assert [table for table, _ in started.now] == ["1.2"]
    assert [table for table, _ in started.waiting] == ["1.1"]


def test_a_game_of_that_name_that_is_none_of_it_is_not_taken_over(tmp_path: Path) -> None:
    cup = drawn(tmp_path, 12)
    cup.world.new_game(game="cup-r1-t01")
    ((waits, why),) = cup.start().waiting
    assert waits == "1.1"
    assert "it cannot begin as cup-r1-t01" in why
    assert [table.state for table in cup.tables()] == ["planned", "playing"], "the others begin"


def test_while_a_round_goes_on_the_archive_shows_nothing_or_a_turn_late(tmp_path: Path) -> None:
    assert game_starts.ARCHIVE_POLICIES["round-end"].while_it_runs == "hidden"
    cup = drawn(tmp_path, 6, ONE_HEAT + '[tables]\nseen = "late"\n')
    cup.start()
    assert cup.world.table("cup-r1-t01").policy.while_it_runs == "delayed:1"


@pytest.mark.parametrize("seen", ["round-end", "late"])
@pytest.mark.parametrize("state", ["finished", "cancelled"])
def test_a_table_may_be_seen_when_its_round_is_closed_or_its_tournament_is_over(
    tmp_path: Path, seen: publication.SeenWhen, state: TournamentState
) -> None:
    cup = drawn(tmp_path, 6, f'{ONE_HEAT}[tables]\nseen = "{seen}"\n')
    cup.start()
    at = publication.TablePlace(CUP, "The Cup", 1, 1, "now")
    with writing(cup.world.engine) as conn:
        assert publication.place_of(conn, "cup-r1-t01") == replace(at, seen=seen)
        assert publication.places(conn) == {"cup-r1-t01": replace(at, seen=seen)}
        tournament_rounds.change_round(conn, CUP, 1, state="closed")
        assert publication.place_of(conn, "cup-r1-t01") == at
        tournament_rounds.change_round(conn, CUP, 1, state="playing")
        tournaments.touch(conn, CUP, state=state)
        assert publication.place_of(conn, "cup-r1-t01") == at
        assert publication.place_of(conn, "sietch-12") is None


# --- the clock of a table --------------------------------------------------------------------------------------------


def _awake(first: int, last: int) -> int:
    return sum(1 << hour for hour in range(first, last))


def due_at(world: World, game: str) -> str:
    return str(world.table(game).clock["due_at"])


def test_a_table_is_due_at_an_hour_at_which_most_of_its_players_are_awake(tmp_path: Path) -> None:
    cup = Entered.at(tmp_path, 6)
    with writing(cup.world.engine) as conn:
        for number, hours in enumerate(((8, 20), (8, 20), (8, 20), (18, 24), (18, 24), (2, 6)), 1):
            tournaments.change_entrant(conn, CUP, number, hours=_awake(*hours))
    cup.draw()
    cup.start()
    assert due_at(cup.world, "cup-r1-t01") in ("18:00", "19:00")
    assert cup.world.table("cup-r1-t01").clock["timezone"] == "UTC"


def test_who_says_no_hours_is_awake_by_day_where_they_live(tmp_path: Path) -> None:
    cup = Entered.at(tmp_path, 6)
    with writing(cup.world.engine) as conn:
        for number in range(1, 7):
            tournaments.change_entrant(conn, CUP, number, timezone="Pacific/Auckland")
    cup.draw()
    cup.start()
    assert due_at(cup.world, "cup-r1-t01")[:2] in {f"{(hour - 13) % 24:02d}" for hour in range(8, 22)}


def test_an_hour_that_the_settings_name_is_taken(tmp_path: Path) -> None:
    cup = drawn(tmp_path, 6, ONE_HEAT + '[tables]\nclock = { due_at = "20:00", timezone = "Europe/Berlin" }\n')
    cup.start()
    assert cup.world.table("cup-r1-t01").clock == {"due_at": "20:00", "timezone": "Europe/Berlin"}


def test_where_the_settings_name_a_zone_alone_the_hour_is_told_on_its_clock(tmp_path: Path) -> None:
    cup = drawn(tmp_path, 6, ONE_HEAT + '[tables]\nclock = { timezone = "Asia/Tokyo" }\n')
    with writing(cup.world.engine) as conn:
        for number in range(1, 7):
            tournaments.change_entrant(conn, CUP, number, hours=_awake(5, 6))
    cup.start()
    assert cup.world.table("cup-r1-t01").clock == {"due_at": "14:00", "timezone": "Asia/Tokyo"}


def test_the_duties_of_one_person_at_two_tables_are_as_far_apart_as_a_day_allows(tmp_path: Path) -> None:
    cup = drawn(tmp_path, 6, TWO_HEATS)
    with writing(cup.world.engine) as conn:
        for number in range(1, 7):
            tournaments.change_entrant(conn, CUP, number, hours=_awake(0, 24))
    cup.start()
    first, second = (int(due_at(cup.world, game)[:2]) for game in ("cup-r1-t01", "cup-r2-t01"))
    assert hours_apart(first, second) == 12


def test_equal_hours_are_parted_by_lot_and_the_same_each_time() -> None:
    def hours(seed: str) -> dict[tuple[int, int], int]:
        places = [(1, table) for table in range(1, 25)]
        there = {place: [place[1]] for place in places}
        awake = {number: _awake(0, 24) for number in range(1, 25)}
        return hours_of_tables(there, awake, 24, {place: Chance(seed, {}) for place in places})

    assert hours("one") == hours("one")
    assert hours("one") != hours("two")
    assert len(set(hours("one").values())) > 10


@pytest.mark.parametrize(("tables", "least"), [(2, 12), (3, 6), (4, 6)])
def test_the_duties_of_one_person_at_several_tables_lie_apart_as_far_as_a_day_allows(tables: int, least: int) -> None:
    for seed in range(20):
        places = {(number, 1): [1] for number in range(1, tables + 1)}
        chance = {place: Chance(f"seed {seed}", {}) for place in places}
        found = hours_of_tables(places, {1: _awake(0, 24)}, 24, chance)
        assert min(hours_apart(one, other) for one, other in combinations(found.values(), 2)) == least


def test_with_fewer_hours_between_them_more_hours_do_for_a_table() -> None:
    places = {(number, 1): [1] for number in range(1, 5)}
    chosen = []
    for seed in range(20):
        chance = {place: Chance(f"seed {seed}", {}) for place in places}
        found = hours_of_tables(places, {1: _awake(0, 24)}, 3, chance)
        assert min(hours_apart(one, other) for one, other in combinations(found.values(), 2)) >= 3
        chosen.append(tuple(found.values()))
    assert len(set(chosen)) > 15


def test_the_hours_are_the_same_whether_the_tables_start_together_or_one_by_one(tmp_path: Path) -> None:
    for name in ("together", "apart"):
        (tmp_path / name).mkdir()
    together, one_by_one = drawn(tmp_path / "together", 12, TWO_HEATS), drawn(tmp_path / "apart", 12, TWO_HEATS)
    together.start()
    for only in ("2.2", "1.1", "2.1", "1.2"):
        one_by_one.start(only=only)
    for table in together.tables():
        assert due_at(together.world, table.game_id) == due_at(one_by_one.world, table.game_id)


def test_a_table_of_which_a_faction_is_not_settled_waits(tmp_path: Path) -> None:
    cup = drawn(tmp_path)
    with writing(cup.world.engine) as conn:
        tournament_rounds.change_tenure(conn, cup.seats()[0], faction="")
    assert cup.start().waiting == (("1.1", "a faction is not settled"),)
    assert cup.tables()[0].state == "planned"


def test_a_table_at_which_somebody_may_not_play_cannot_begin(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    cup = drawn(tmp_path)
    refused = AddressRefused("player1@players.example is banned.")

    def begin(*_: object) -> None:
        raise refused

    monkeypatch.setattr(game_starts, "begin_game", begin)
    assert cup.start().waiting[0] == ("1.1", str(refused))
    assert cup.tables()[0].state == "planned"
