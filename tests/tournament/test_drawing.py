"""Drawing a round: entries close, the numbers fit the tables, the announced beacon is used, and all is published."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import msgspec
import pytest

from bot.competition.published import DrawRecord, roster_digest, round_seed
from bot.competition.seating import draw_again
from bot.competition.standings import NextRound, RoundWaits
from bot.competition.verification import seating_wishes
from bot.store import tournament_rounds, tournaments
from bot.store.database import reading, writing
from bot.store.publication import published_tournament
from bot.store.tournament_rounds import Round, RoundTable, Tenure
from bot.store.tournaments import PairApart
from bot.tournament import progress
from bot.tournament.desk import Refused
from bot.tournament.drawing import order_after_last_season
from tests.tournament.cup import CUP, ONE_HEAT, SECRET, Entered

THREE_HEATS = 'title = "The Cup"\n[rounds]\nheats = 3\nsemifinal = 0\n'
BEACON = f'beacon = "the lottery"\nbeacon_date = "2024-12-20"\n{ONE_HEAT}'
THE_DAY = datetime(2024, 12, 20, 12, tzinfo=UTC)


def test_all_heats_of_the_same_time_are_drawn_together_and_everybody_is_told_once(tmp_path: Path) -> None:
    cup = Entered.at(tmp_path, 12, THREE_HEATS)
    drawn = cup.draw()
    assert (drawn.rounds, drawn.already) == ((1, 2, 3), False)
    assert [(each.number, each.kind, each.state) for each in cup.rounds()] == [
        (1, "heat", "drawn"), (2, "heat", "drawn"), (3, "heat", "drawn"),
    ]  # fmt: skip
    assert [table.place for table in cup.tables()] == [(1, 1), (1, 2), (2, 1), (2, 2), (3, 1), (3, 2)]
    assert all(table.state == "planned" and table.size == 6 for table in cup.tables())
    for number in range(1, 13):
        own = [seat for seat in cup.seats() if seat.entrant == number]
        assert sorted(seat.round for seat in own) == [1, 2, 3]
        assert len({seat.faction for seat in own}) == 3
        assert len(cup.letters(number)) == 1
    assert cup.cup.state == "drawn"
    assert cup.cup.until == cup.world.now


def test_a_draw_does_not_move_a_closing_date_that_has_passed(tmp_path: Path) -> None:
    cup = Entered.at(tmp_path, 6)
    closed = cup.world.now - timedelta(days=2)
    with writing(cup.world.engine) as conn:
        tournaments.touch(conn, CUP, until=closed)
    cup.draw()
    assert cup.cup.until == closed


def test_the_record_can_be_computed_again_from_what_is_published(tmp_path: Path) -> None:
    cup = Entered.at(tmp_path, 12)
    record = cup.draw().record
    handles = [tournaments.handle(number) for number in range(1, 13)]
    assert record.roster_digest == roster_digest(handles)
    assert record.seed == round_seed(SECRET, 1, record.roster_digest, "")
    assert draw_again(record, seating_wishes(cup.cup.settings)) == record
    assert msgspec.json.decode(cup.rounds()[0].draw, type=DrawRecord) == record
    seated = {(s.table, s.dot): (tournaments.handle(s.entrant), s.faction) for s in cup.seats()}
    assert seated == {(t.table, s.dot): (s.entrant, s.faction) for t in record.tables for s in t.seats}


def test_the_letter_says_where_one_sits_with_whom_and_how_to_check_it(tmp_path: Path) -> None:
    cup = Entered.at(tmp_path, 6)
    record = cup.draw().record
    own = next(seat for seat in record.tables[0].seats if seat.entrant == "E001")
    told = cup.text(1)
    assert f"at dot {own.dot}" in told
    assert all(f"E{number:03d}" in told for number in range(2, 7))
    assert record.seed in told
    assert "players.example" not in told
    assert "Player 2" not in told  # player 2 has not agreed to be named


def test_to_draw_twice_does_nothing_and_says_so(tmp_path: Path) -> None:
    cup = Entered.at(tmp_path, 12)
    first = cup.draw()
    for again in (cup.draw(), cup.draw(number=1)):
        assert again.already
        assert again.record == first.record
    assert [act.what for act in cup.acts()] == ["new", "open", "draw"]
    assert len(cup.letters(1)) == 1


@pytest.mark.parametrize("players", [1, 2, 3, 4, 7, 8, 9, 13, 14, 19])
def test_numbers_that_make_no_tables_are_refused_with_the_ways_out(tmp_path: Path, players: int) -> None:
    cup = Entered.at(tmp_path, players)
    with pytest.raises(Refused) as refused:
        cup.draw()
    told = str(refused.value)
    assert "--standby" in told
    assert ("--sit-out" in told) == (players > 6)
    assert ("fours" in told) == (players not in (1, 2, 3, 7))
    assert cup.cup.state == "open"
    assert cup.cup.until is None
    assert not cup.rounds()


def test_tables_of_four_standbys_and_volunteers_are_the_three_ways_out(tmp_path: Path) -> None:
    fours = Entered.at(_folder(tmp_path, "fours"), 8, ONE_HEAT + "[tables]\nfours = true\n")
    fours.draw()
    assert [table.size for table in fours.tables()] == [4, 4]

    standbys = Entered.at(_folder(tmp_path, "standbys"), 9)
    standbys.enter(2, "standby")
    standbys.draw(standbys=("E010",))
    assert [table.size for table in standbys.tables()] == [5, 5]
    assert standbys.states()["E010"] == "confirmed"
    assert standbys.states()["E011"] == "standby"

    volunteers = Entered.at(_folder(tmp_path, "volunteers"), 7)
    record = volunteers.draw(sit_out=("e003",)).record
    assert record.sat_out == ("E003",)
    assert "You sit out round 1 and get the points" in volunteers.text(3)
    assert not [seat for seat in volunteers.seats() if seat.entrant == 3]


@pytest.mark.parametrize(
    ("asked", "told"),
    [
        ({"standbys": ("E099",)}, "cup has no entrant 'E099'; name them by handle, like E012"),
        ({"sit_out": ("E099",)}, "cup has no entrant 'E099'; name them by handle, like E012"),
        ({"standbys": ("E" * 21,)}, f"cup has no entrant {'E' * 20!r}; name them"),
        ({"standbys": ("E008",)}, "E008 is withdrawn, not on standby"),
    ],
)
def test_nobody_is_let_play_or_sit_out_who_is_not_there(tmp_path: Path, asked: dict[str, Any], told: str) -> None:
    cup = Entered.at(tmp_path, 6)
    cup.enter(1, "standby")
    cup.enter(1, "withdrawn")
    before = cup.states()
    with pytest.raises(Refused, match=re.escape(told)):
        cup.draw(**asked)
    assert (cup.states(), cup.rounds(), cup.cup.state) == (before, [], "open")


def test_who_is_in_already_may_be_named_as_one_who_plays(tmp_path: Path) -> None:
    cup = Entered.at(tmp_path, 5)
    cup.enter(1, "standby")
    assert len(cup.draw(standbys=("E006", "E001")).record.roster) == 6
    assert cup.states() == {f"E{number:03}": "confirmed" for number in range(1, 7)}


def _folder(folder: Path, name: str) -> Path:
    made = folder / name
    made.mkdir()
    return made


def test_who_has_not_confirmed_is_listed_and_left_out_only_by_word(tmp_path: Path) -> None:
    cup = Entered.at(tmp_path, 6)
    cup.enter(2, "entered")
    with pytest.raises(Refused, match=r"2 have not confirmed .* E007, E008"):
        cup.draw()
    record = cup.draw(without_unconfirmed=True).record
    assert record.roster == tuple(tournaments.handle(number) for number in range(1, 7))


# --- the beacon ------------------------------------------------------------------------------------------------------


def test_the_draw_waits_for_the_beacon_and_its_date(tmp_path: Path) -> None:
    cup = Entered.at(tmp_path, 6, BEACON)
    with pytest.raises(Refused, match="is not published before 2024-12-20"):
        cup.draw(beacon="4 8 15 16 23 42")
    cup.world.now = THE_DAY
    with pytest.raises(Refused, match="The beacon is missing"):
        cup.draw()
    record = cup.draw(beacon=" 4 8 15\n16 23 42 ").record
    assert record.beacon == "4 8 15 16 23 42"
    assert record.seed == round_seed(SECRET, 1, record.roster_digest, "4 8 15 16 23 42")
    assert cup.cup.beacon == "4 8 15 16 23 42"


def test_a_draw_without_the_announced_beacon_says_so_for_ever(tmp_path: Path) -> None:
    cup = Entered.at(tmp_path, 6, BEACON)
    record = cup.draw(no_beacon=True).record
    assert record.beacon == ""
    assert "without the beacon that was announced" in cup.acts()[-1].words


def test_the_beacon_of_one_draw_is_not_that_of_the_next(tmp_path: Path) -> None:
    cup = Entered.at(tmp_path, 12, BEACON.replace("heats = 1", "heats = 2\nparallel = false"))
    cup.world.now = THE_DAY
    cup.draw(beacon="4 8 15")
    with writing(cup.world.engine) as conn:
        tournament_rounds.change_round(conn, CUP, 1, state="closed")
        tournaments.touch(conn, CUP, state="running")
    for beacon in ("", "4 8 15", "4 8 16"):
        with pytest.raises(Refused, match="Each draw has its own beacon"):
            cup.draw(beacon=beacon)
    assert cup.draw(no_beacon=True).record.beacon == ""


def test_a_beacon_that_nobody_announced_is_refused(tmp_path: Path) -> None:
    cup = Entered.at(tmp_path, 6)
    with pytest.raises(Refused, match="No beacon was announced"):
        cup.draw(beacon="4 8 15")


def test_beacon_and_no_beacon_together_are_refused(tmp_path: Path) -> None:
    cup = Entered.at(tmp_path, 6, BEACON)
    with pytest.raises(Refused, match="either"):
        cup.draw(beacon="4 8 15", no_beacon=True)


# --- who is kept apart -----------------------------------------------------------------------------------------------


def _part(cup: Entered, *pairs: tuple[int, int], shown: bool = False) -> None:
    with writing(cup.world.engine) as conn:
        for one, other in pairs:
            tournaments.keep_apart(conn, CUP, PairApart(one, other, "sisters", shown))


def test_a_pair_that_is_kept_apart_sits_apart_and_is_not_in_the_record(tmp_path: Path) -> None:
    cup = Entered.at(tmp_path, 12)
    _part(cup, (1, 2), (3, 4))
    record = cup.draw().record
    table_of = {seat.entrant: seat.table for seat in cup.seats()}
    assert table_of[1] != table_of[2]
    assert table_of[3] != table_of[4]
    assert record.apart == ()
    assert len(record.apart_digest) == 64
    assert "which are not published" in cup.acts()[-1].words


def test_a_pair_that_agrees_is_published_and_the_draw_can_be_computed(tmp_path: Path) -> None:
    cup = Entered.at(tmp_path, 12)
    _part(cup, (1, 2), shown=True)
    record = cup.draw().record
    assert (record.apart, record.apart_digest) == ((("E001", "E002"),), "")
    assert draw_again(record, seating_wishes(cup.cup.settings)) == record


def test_more_who_are_kept_apart_than_there_are_tables_are_told_before_anything_is_published(tmp_path: Path) -> None:
    cup = Entered.at(tmp_path, 12)
    _part(cup, (1, 2), (1, 3), (2, 3))
    with pytest.raises(Refused, match="1 would sit together, and at least 1 must: all of E001 E002 E003"):
        cup.draw()
    assert not cup.rounds()
    assert not cup.letters(1)
    assert cup.draw(despite_apart=True).record.cost.apart == 1


def test_pairs_of_whom_no_counting_says_that_they_must_are_told_by_their_number_alone(tmp_path: Path) -> None:
    cup = Entered.at(tmp_path, 12)
    _part(cup, (1, 2), (2, 3), (3, 4), (4, 5), (1, 5))  # a ring of five at two tables always leaves one pair together
    with pytest.raises(Refused, match=r"apart, 1 would sit together\. Take pairs away with"):
        cup.draw()
    assert not cup.rounds()


def test_a_pair_of_which_one_does_not_play_has_no_part_in_the_draw(tmp_path: Path) -> None:
    cup = Entered.at(tmp_path, 7)
    with writing(cup.world.engine) as conn:
        tournaments.change_entrant(conn, CUP, 4, state="withdrawn")
    _part(cup, (1, 4), (4, 7))
    record = cup.draw().record
    assert (record.apart, record.apart_digest, record.cost.apart) == ((), "", 0)
    assert "kept apart" not in cup.acts()[-1].words


# --- states, dry runs ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("state", ["draft", "finished", "cancelled"])
def test_what_cannot_be_drawn_is_refused_with_what_can_be_done(tmp_path: Path, state: str) -> None:
    cup = Entered.at(tmp_path, 6)
    with writing(cup.world.engine) as conn:
        tournaments.touch(conn, CUP, state=state)
    with pytest.raises(Refused, match=f"cup is {state} and cannot be drawn"):
        cup.draw()


def test_a_round_that_is_not_next_is_refused(tmp_path: Path) -> None:
    cup = Entered.at(tmp_path, 6)
    with pytest.raises(Refused, match="the next is round 1"):
        cup.draw(number=2)


def test_settings_that_were_edited_after_the_opening_are_refused(tmp_path: Path) -> None:
    cup = Entered.at(tmp_path, 6)
    with writing(cup.world.engine) as conn:
        tournaments.touch(conn, CUP, settings=ONE_HEAT.replace("final = 6", "final = 5"))
    with pytest.raises(Refused, match="not those that were frozen"):
        cup.draw()


def test_a_dry_run_draws_by_another_seed_and_leaves_nothing_behind(tmp_path: Path) -> None:
    cup = Entered.at(tmp_path, 12)
    tried = cup.draw(dry_run=True)
    assert tried.trial
    assert (cup.cup.state, cup.rounds(), cup.letters(1)) == ("open", [], [])
    drawn = cup.draw()
    assert drawn.record.seed != tried.record.seed


def test_in_a_rolling_event_the_next_table_is_drawn_when_six_are_free(tmp_path: Path) -> None:
    cup = Entered.at(tmp_path, 12, ONE_HEAT.replace("heats = 1", "heats = 2\nload = 1"))
    cup.draw()
    assert len(cup.tables()) == 2
    with pytest.raises(Refused, match="Fewer than six"):
        cup.draw(number=2)
    with writing(cup.world.engine) as conn:
        tournament_rounds.change_table(conn, CUP, 1, 1, state="finished")
    drawn = cup.draw()
    assert (drawn.rounds, len(drawn.record.roster)) == ((2,), 6)


@pytest.mark.parametrize(
    ("load", "heats", "free"), [(1, 9, (7, 13)), (2, 9, (1, 13)), (2, 1, ()), (2, 2, (1, 13)), (0, 2, ())]
)
def test_free_is_who_sits_at_fewer_tables_than_they_may_and_has_heats_to_play(
    tmp_path: Path, load: int, heats: int, free: tuple[int, ...]
) -> None:
    cup = Entered.at(tmp_path, 12, ONE_HEAT.replace("heats = 1", f"heats = {heats}\nload = {load}\nparallel = false"))
    made = [RoundTable(CUP, 1, 1, 6, "g1", "playing"), RoundTable(CUP, 1, 2, 6, "g2", "finished")]
    seats = [Tenure(CUP, 1, 1 + at // 6, 1 + at % 6, at + 1) for at in range(12)]
    with writing(cup.world.engine) as conn:
        tournament_rounds.add_round(conn, Round(CUP, 1, "heat", "playing"))
        tournament_rounds.add_tables(conn, made, seats)
        comes = progress.round_to_come(conn, cup.cup)
    if free:
        assert isinstance(comes, NextRound)
        assert (comes.kind, comes.numbers) == ("heat", (2,))
        assert sorted(comes.who) == [f"E{number:03d}" for number in range(*free)]
    else:
        assert comes == RoundWaits(() if load else (1,))


def test_a_league_plays_its_design_and_who_is_left_over_sits_out(tmp_path: Path) -> None:
    cup = Entered.at(tmp_path, 8, 'title = "League"\nformat = "league"\n')
    record = cup.draw().record
    assert (len(record.tables), len(record.sat_out)) == (7, 1)
    assert {len([s for s in cup.seats() if s.entrant == number]) for number in range(1, 8)} == {6}


def test_a_league_goes_on_from_the_one_before_it(tmp_path: Path) -> None:
    cup = Entered.at(tmp_path, 7, 'title = "League"\nformat = "league"\n')
    cup.draw()
    with writing(cup.world.engine) as conn:
        first = tournaments.find_tournament(conn, CUP).settings
        known = {each.handle: each for each in tournaments.entrants_of(conn, CUP)}
        again = msgspec.structs.replace(first, rounds=msgspec.structs.replace(first.rounds, after=CUP))
        with pytest.raises(Refused, match="not a finished league"):
            order_after_last_season(conn, again, list(known), known, cup.world.now)
        tournaments.touch(conn, CUP, state="finished")
        found = published_tournament(conn, CUP, cup.world.now, "directors")
        standing = [row.entrant for row in found.standings]
        assert order_after_last_season(conn, again, ["E007", "E003", "E001"], known, cup.world.now) == [
            handle for handle in standing if handle in ("E007", "E003", "E001")
        ]
        assert order_after_last_season(conn, first, ["E007", "E003"], known, cup.world.now) == ["E007", "E003"]


def test_a_league_does_not_go_on_from_one_that_was_never_drawn(tmp_path: Path) -> None:
    cup = Entered.at(tmp_path, 7, 'title = "League"\nformat = "league"\n')
    with writing(cup.world.engine) as conn:
        tournaments.touch(conn, CUP, state="finished")
        first = tournaments.find_tournament(conn, CUP).settings
        again = msgspec.structs.replace(first, rounds=msgspec.structs.replace(first.rounds, after=CUP))
        with pytest.raises(Refused, match=r"\[rounds\] after names cup, which was not drawn\."):
            order_after_last_season(conn, again, ["E001"], {}, cup.world.now)


def test_on_a_ladder_those_who_are_ready_are_seated(tmp_path: Path) -> None:
    cup = Entered.at(tmp_path, 8, 'title = "Ladder"\nformat = "ladder"\n')
    with pytest.raises(Refused, match="Fewer than six"):
        cup.draw()
    _ready(cup, 1, 3, 4, 5, 6, 8)
    assert {seat.entrant for seat in cup.draw().record.tables[0].seats} == {f"E00{n}" for n in (1, 3, 4, 5, 6, 8)}
    with writing(cup.world.engine) as conn:
        assert tournaments.papers_of(conn, CUP, "ready") == []
    cup.world.now += timedelta(days=1)
    assert cup.draw().already


@pytest.mark.parametrize(("days", "again"), [(90, False), (91, True)])
def test_on_a_ladder_nobody_meets_again_within_the_days_that_its_settings_say(
    tmp_path: Path, days: int, again: bool
) -> None:
    cup = Entered.at(tmp_path, 6, 'title = "Ladder"\nformat = "ladder"\n')
    _ready(cup, *range(1, 7))
    cup.draw()
    with writing(cup.world.engine) as conn:
        tournament_rounds.change_round(conn, CUP, 1, state="closed", opens=cup.world.now)
        tournament_rounds.change_table(conn, CUP, 1, 1, state="finished")
    _ready(cup, *range(1, 7))
    cup.world.now += timedelta(days=days)
    if again:
        assert cup.draw().rounds == (2,)
        return
    with pytest.raises(Refused, match="No six ready players in cup are new to each other; they keep waiting"):
        cup.draw()
    with reading(cup.world.engine) as conn:
        assert len(tournaments.papers_of(conn, CUP, "ready")) == 6
    assert len(cup.rounds()) == 1


def _ready(cup: Entered, *numbers: int) -> None:
    with writing(cup.world.engine) as conn:
        for number in numbers:
            tournaments.file_paper(conn, tournaments.Paper(CUP, number, "ready", "", cup.world.now))


def test_a_hundred_and_twenty_are_drawn_in_one_transaction_with_a_letter_each(tmp_path: Path) -> None:
    cup = Entered.at(tmp_path, 120)
    cup.draw()
    assert len(cup.tables()) == 20
    assert cup.world.written() == 120


def test_who_sat_out_of_two_heats_that_were_drawn_together_sat_out_twice(tmp_path: Path) -> None:
    cup = Entered.at(tmp_path, 7, ONE_HEAT.replace("heats = 1", "heats = 2"))
    first = cup.draw(sit_out=("E007",))
    assert (first.rounds, first.record.byes, first.record.sat_out) == ((1, 2), (), ("E007",))
    with writing(cup.world.engine) as conn:
        for number in (1, 2):
            tournament_rounds.change_table(conn, CUP, number, 1, state="void")
            tournament_rounds.change_round(conn, CUP, number, state="closed")
        tournaments.change_entrant(conn, CUP, 1, state="withdrawn")
    final = cup.draw()
    assert (final.rounds, final.record.kind) == ((3,), "final")
    assert final.record.byes == ("E007", "E007")
    assert set(final.record.roster) == {f"E00{number}" for number in range(2, 8)}
    assert [(table.round, table.table) for table in final.record.history] == [(1, 1), (2, 1)]


def test_one_who_has_not_confirmed_is_told_in_the_singular(tmp_path: Path) -> None:
    cup = Entered.at(tmp_path, 6)
    cup.enter(1, "entered")
    with pytest.raises(Refused, match=r"^1 has not confirmed their entry, and would not be drawn: E007"):
        cup.draw()


def test_the_round_that_comes_next_may_be_named(tmp_path: Path) -> None:
    assert Entered.at(tmp_path, 6).draw(number=1).rounds == (1,)


def test_a_beacon_is_taken_on_a_later_day_too(tmp_path: Path) -> None:
    cup = Entered.at(tmp_path, 6, BEACON)
    cup.world.now = THE_DAY + timedelta(days=20)
    assert cup.draw(beacon="4 8 15").record.beacon == "4 8 15"


@pytest.mark.parametrize("state", ["running", "drawn"])
def test_a_round_is_drawn_without_a_beacon_only_if_asked(tmp_path: Path, state: str) -> None:
    cup = Entered.at(tmp_path, 12, BEACON.replace("heats = 1", "heats = 2\nparallel = false"))
    cup.draw(no_beacon=True)
    with writing(cup.world.engine) as conn:
        tournament_rounds.change_round(conn, CUP, 1, state="closed")
        tournaments.touch(conn, CUP, state=state)
    with pytest.raises(Refused, match="mentat tournament freeze cup"):
        cup.draw()
    drawn = cup.draw(no_beacon=True)
    assert (drawn.rounds, drawn.record.beacon) == ((2,), "")


@pytest.mark.parametrize("strongest", [1, 12])
def test_who_is_rated_higher_is_ranked_before_who_has_no_rating_yet(tmp_path: Path, strongest: int) -> None:
    cup = Entered.at(tmp_path, 12)
    with writing(cup.world.engine) as conn:
        tournaments.change_entrant(conn, CUP, strongest, rating="1500.000001")
        tournaments.change_entrant(conn, CUP, 6, rating="1499.999999")
    ranked = cup.draw().record.ranked
    assert (ranked[0], ranked[-1]) == (f"E{strongest:03d}", "E006")


def test_too_few_for_a_league_are_told_how_many_it_needs(tmp_path: Path) -> None:
    cup = Entered.at(tmp_path, 6, 'title = "League"\nformat = "league"\n')
    with pytest.raises(Refused) as refused:
        cup.draw()
    assert str(refused.value) == "A league needs at least 7 entrants; there are 6."


def test_in_a_league_everybody_meets_so_those_who_are_kept_apart_are_told_by_their_number(tmp_path: Path) -> None:
    cup = Entered.at(tmp_path, 7, 'title = "League"\nformat = "league"\n')
    _part(cup, (1, 2), (3, 4))
    with pytest.raises(Refused, match=r"^Of the pairs that are kept apart, \d+ would sit together\. Take pairs away"):
        cup.draw()
